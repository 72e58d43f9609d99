//! What the window draws of soft bodies: beads on their surfaces, and lines on the floor.
//!
//! How it works: a bead is a molecule of one atom, and the floor is one more. Metres become angstroms such that beads are as large as atoms, which is what lights and lines are made for.
//! Which molecules there are never changes, so that only poses do.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use steric::deform::SoftRun;
use steric::model::{
    AssemblyChoice, AtomRecord, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Name, Periodic, Pose,
    Source as ModelSource, Structure, StructureBuilder,
};
use steric::world::deform::{SoftBody, SoftWorld};

use super::super::{Now, Opened};
use super::cover::Cover;
use super::{DeformSource, SeenBody};

/// From bead to bead, in angstroms.
const SPACING: f64 = 1.5;
/// Colours of bodies, one after the other; none is like that of what touches or of what is chosen.
const COLOURS: [[u8; 3]; 7] =
    [[0, 114, 178], [148, 176, 92], [204, 121, 167], [86, 180, 233], [0, 158, 115], [122, 104, 166], [178, 150, 115]];
/// The colour of the floor.
const FLOOR: [u8; 3] = [128; 3];
/// How far the floor goes beyond the bodies, as a part of their width; in how many squares, and with how many beads along a line.
const BEYOND: f64 = 0.15;
const SQUARES: u32 = 8;
const ALONG: u32 = 200;

/// What stays the same while bodies move.
#[derive(Debug)]
pub(super) struct Stage {
    cover: Cover,
    /// Angstroms for a metre.
    pub(super) scale: f64,
    pub(super) bodies: Arc<Vec<SeenBody>>,
    /// Where the floor is drawn, if there is one.
    floor: Option<Pose>,
    opened: Arc<Opened>,
    colours: Arc<Vec<[u8; 3]>>,
    fixed: Arc<Vec<bool>>,
    which: Arc<Vec<MoleculeId>>,
}

impl Stage {
    pub(super) fn new(source: &DeformSource, run: &SoftRun) -> Result<Self, String> {
        let body = &run.world.body;
        let cover = Cover::new(body);
        let scale = SPACING / cover.spacing;
        let bodies = seen(run, &cover);
        let files = files(&run.world, &cover, scale, &bodies);
        let each = molecules(&files)?;
        let floor = files.len() > bodies.len();
        let floor = floor.then(|| Pose::from_translation(each.center(MoleculeId(bodies.len() as u32))));
        let of_bodies = bodies.iter().zip(0..).flat_map(|(body, number)| body.beads.clone().map(move |_| number));
        let picked: Vec<MoleculeId> = of_bodies.chain(floor.map(|_| bodies.len() as u32)).map(MoleculeId).collect();
        let molecules = each.picked(&picked);
        let mut scene = molecules.scene().clone();
        let poses = poses(&cover, body, scale, floor);
        scene.molecules_mut().iter_mut().zip(&poses).for_each(|(molecule, pose)| molecule.pose = *pose);
        let opened = Opened {
            source: source.clone().into(),
            scene,
            molecules,
            structures: files.into_iter().map(|(_, structure, _)| structure).collect(),
            is_outer: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
        };
        let colours = bodies.iter().flat_map(|body| body.beads.clone().map(|_| body.colour));
        Ok(Self {
            colours: Arc::new(colours.chain(floor.map(|_| FLOOR)).collect()),
            fixed: Arc::new(fixed(&cover, body).chain(floor.map(|_| true)).collect()),
            which: Arc::new((0..poses.len() as u32).map(MoleculeId).collect()),
            opened: Arc::new(opened),
            bodies: Arc::new(bodies),
            cover,
            scale,
            floor,
        })
    }

    /// Bodies as they are, with those parts marked that touch something.
    pub(super) fn now(&self, world: &SoftWorld) -> Now {
        let touches = self.cover.beads.iter().map(|bead| bead.is_mostly(world.touching()));
        Now {
            opened: Some(Arc::clone(&self.opened)),
            edition: 1,
            touching: Arc::new(touches.chain(self.floor.map(|_| false)).collect()),
            colours: Arc::clone(&self.colours),
            fixed: Arc::clone(&self.fixed),
            which: Arc::clone(&self.which),
            poses: Arc::new(poses(&self.cover, &world.body, self.scale, self.floor)),
            ..Now::default()
        }
    }
}

/// Where beads and floor are in the picture.
fn poses(cover: &Cover, body: &SoftBody, scale: f64, floor: Option<Pose>) -> Vec<Pose> {
    let beads = cover.places(body).into_iter().map(|place| Pose::from_translation(scale * place));
    beads.chain(floor).collect()
}

/// Which beads are held or led.
fn fixed(cover: &Cover, body: &SoftBody) -> impl Iterator<Item = bool> {
    let held: Vec<bool> = (0..body.positions.len()).map(|point| body.is_held(point)).collect();
    cover.beads.iter().map(move |bead| bead.is_mostly(&held))
}

fn seen(run: &SoftRun, cover: &Cover) -> Vec<SeenBody> {
    let of_part = |(number, part): (usize, &steric::world::deform::Part)| SeenBody {
        name: run.names().get(number).cloned().unwrap_or_default(),
        material: run.materials().get(number).cloned().unwrap_or_default(),
        points: part.points.clone(),
        tetrahedra: part.tetrahedra.len(),
        triangles: part.surface.len(),
        beads: cover.starts[number]..cover.starts[number + 1],
        colour: COLOURS[number % COLOURS.len()],
    };
    run.world.body.parts().iter().enumerate().map(of_part).collect()
}

/// A name, a structure and its radii.
type File<'a> = (&'a str, Structure, Vec<f32>);

/// One bead of each body, and the floor if there is one.
fn files<'a>(world: &SoftWorld, cover: &Cover, scale: f64, bodies: &'a [SeenBody]) -> Vec<File<'a>> {
    let bead = |body: &'a SeenBody| {
        let (structure, radii) = structure(&body.name, [DVec3::ZERO].into_iter(), scale * cover.radius());
        (body.name.as_str(), structure, radii)
    };
    let floor = world.floor.map(|height| {
        let (structure, radii) = lines(&world.body.positions, height, scale);
        ("floor", structure, radii)
    });
    bodies.iter().map(bead).chain(floor).collect()
}

fn molecules(files: &[File<'_>]) -> Result<Molecules, String> {
    let sources: Vec<ModelSource<'_>> = files
        .iter()
        .map(|(name, structure, radii)| ModelSource { name, structure, radii, takes_part: &|_| true, connected: &[] })
        .collect();
    let options = MoleculeOptions { by: MoleculesBy::File, assembly: AssemblyChoice::None, periodic: Periodic::No };
    Molecules::new(&sources, &options).map_err(|error| error.to_string())
}

/// Spheres of one size as a structure, and their radii; everything in angstroms.
fn structure(name: &str, places: impl Iterator<Item = DVec3>, radius: f64) -> (Structure, Vec<f32>) {
    let places: Vec<Vec3> = places.map(|place| place.as_vec3()).collect();
    let mut builder = StructureBuilder::new(name, places.len());
    for &position in &places {
        let (name, residue_name) = (Name::new("P"), Name::new("UNK"));
        builder.push(AtomRecord {
            position,
            name,
            residue_name,
            residue_number: 1,
            hetero: true,
            ..Default::default()
        });
    }
    (builder.finish(), vec![radius as f32; places.len()])
}

/// The floor below bodies: lines of beads that touch its height from below.
fn lines(positions: &[DVec3], height: f64, scale: f64) -> (Structure, Vec<f32>) {
    let low = positions.iter().fold(DVec3::INFINITY, |low, at| low.min(*at));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, at| high.max(*at));
    let (middle, width) = (0.5 * (low + high), (high - low).truncate().max_element() * (1.0 + 2.0 * BEYOND));
    let radius = 0.5 * width / f64::from(ALONG);
    let corner = DVec3::new(middle.x - 0.5 * width, middle.y - 0.5 * width, height - radius);
    let part = |number: u32, of: u32| width * f64::from(number) / f64::from(of);
    let one = |(line, bead): (u32, u32)| [part(line, SQUARES), part(bead, ALONG)];
    let pairs = (0..=SQUARES).flat_map(|line| (0..=ALONG).map(move |bead| (line, bead)));
    let places = pairs.map(one).flat_map(|[x, y]| [DVec3::new(x, y, 0.0), DVec3::new(y, x, 0.0)]);
    structure("floor", places.map(|place| scale * (corner + place)), scale * radius)
}
