//! What the window draws of a run: a molecule for each particle, and the box around them.
//!
//! How it works: each species is a structure of its own, a single atom as large as the sphere or the atoms of the molecule, and the edges of the box are one more, a string of
//! beads. A particle is a copy of its species. As long as the same particles are there only poses change; where some come or go there are others to load.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use steric::diffuse::TimeUnit;
use steric::model::{
    AssemblyChoice, AtomRecord, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Name, Periodic, Pose,
    Source as ModelSource, Structure, StructureBuilder,
};
use steric::world::diffuse::{Collision, Partner, Placed, Setup, Statistics};

use super::super::{Now, Opened};
use super::{DiffuseSource, History};

/// The colour of the box.
const BOX: [u8; 3] = [128; 3];
/// How thick its edges are, as a part of the longest one.
const THICK: f64 = 0.004;
/// Beads of a half of the thickness, along the longest edge, at most.
const MOST_BEADS: f64 = 1_000.0;

/// What a check has found.
///
/// ```
/// use steric_studio::simulation::Checked;
///
/// assert_eq!(Checked { step: 12, deepest: None }.to_string(), "no overlap after step 12");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checked {
    /// After which step.
    pub step: u64,
    /// Who overlaps whom by how many angstroms, if anybody does.
    pub deepest: Option<(u32, Partner, f64)>,
}

impl std::fmt::Display for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.deepest {
            None => write!(f, "no overlap after step {}", self.step),
            Some((first, second, depth)) => {
                write!(f, "OVERLAP after step {}: {first} and {second} by {depth:.6} Å", self.step)
            }
        }
    }
}

/// A run as the window sees it.
///
/// ```
/// use steric_studio::simulation::Diffused;
///
/// assert!(Diffused::default().particles.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Diffused {
    /// For the picture.
    pub now: Now,
    /// Steps that were done.
    pub step: u64,
    /// Units of time that have passed.
    pub time: f64,
    /// What a unit of time is.
    pub unit: TimeUnit,
    /// What runs, with the numbers as they are now; nothing while it is read.
    pub setup: Option<Arc<Setup>>,
    /// The colour of each species.
    pub colours: Arc<Vec<[u8; 3]>>,
    /// The particles, in the order of their numbers.
    pub particles: Arc<Vec<Placed>>,
    /// The same for every run with the same bits; known while it holds still.
    pub hash: Option<u64>,
    /// What was counted since the start.
    pub statistics: Arc<Statistics>,
    /// Clusters of each size, single particles first.
    pub clusters: Arc<Vec<u64>>,
    /// Numbers over time.
    pub history: Arc<History>,
    /// The last contacts of the particle that is watched, the newest first.
    pub contacts: Arc<Vec<Collision>>,
    /// What a step takes, in the mean of the last ones.
    pub milliseconds: f64,
    /// What the last check has found.
    pub checked: Option<Checked>,
}

/// What stays the same while particles move.
#[derive(Debug)]
pub(super) struct Stage {
    source: DiffuseSource,
    /// One molecule of each species, and the box.
    each: Molecules,
    structures: Vec<Structure>,
    colours: Vec<[u8; 3]>,
    /// Who was there when it was last loaded.
    there: Vec<(u32, u16)>,
    opened: Option<Arc<Opened>>,
    edition: u64,
}

impl Stage {
    pub(super) fn new(source: &DiffuseSource, setup: &Setup, colours: Vec<[u8; 3]>) -> Result<Self, String> {
        let species = setup.species.iter().map(|species| {
            let one = [(DVec3::ZERO, species.radius)];
            let atoms = if species.atoms.is_empty() { &one[..] } else { &species.atoms };
            (species.name.as_str(), structure(&species.name, atoms.iter().map(|(at, radius)| (*at, *radius))))
        });
        let (names, parts): (Vec<&str>, Vec<(Structure, Vec<f32>)>) = species.chain([("box", frame(setup))]).unzip();
        let sources: Vec<ModelSource<'_>> = names
            .iter()
            .zip(&parts)
            .map(|(name, (structure, radii))| ModelSource {
                name,
                structure,
                radii,
                takes_part: &|_| true,
                connected: &[],
            })
            .collect();
        let options = MoleculeOptions { by: MoleculesBy::File, assembly: AssemblyChoice::None, periodic: Periodic::No };
        let each = Molecules::new(&sources, &options).map_err(|error| error.to_string())?;
        let structures = parts.into_iter().map(|(structure, _)| structure).collect();
        Ok(Self { source: source.clone(), each, structures, colours, there: Vec::new(), opened: None, edition: 0 })
    }

    /// Particles where they are, those that have just touched marked.
    pub(super) fn now(&mut self, placed: &[Placed], touched: &BTreeSet<u32>) -> Now {
        let there: Vec<(u32, u16)> = placed.iter().map(|placed| (placed.number, placed.kind)).collect();
        let the_box = self.each.scene().molecules().len() as u32 - 1;
        let pose = |placed: &Placed| {
            let own = self.each.center(MoleculeId(u32::from(placed.kind)));
            Pose { translation: placed.at, rotation: placed.turn } * Pose::from_translation(own)
        };
        let mut poses: Vec<Pose> = placed.iter().map(pose).collect();
        poses.push(Pose::from_translation(self.each.center(MoleculeId(the_box))));
        let opened = match &self.opened {
            Some(opened) if self.there == there => Arc::clone(opened),
            _ => {
                self.edition += 1;
                Arc::new(self.opened(&there, &poses))
            }
        };
        self.opened = Some(Arc::clone(&opened));
        let colour = |placed: &Placed| self.colours.get(placed.kind as usize).copied().unwrap_or(BOX);
        let colours = placed.iter().map(colour).chain([BOX]).collect();
        let touching = placed.iter().map(|placed| touched.contains(&placed.number)).chain([false]).collect();
        self.there = there;
        Now {
            opened: Some(opened),
            edition: self.edition,
            touching: Arc::new(touching),
            colours: Arc::new(colours),
            fixed: Arc::new(vec![false; poses.len()]),
            which: Arc::new((0..poses.len() as u32).map(MoleculeId).collect()),
            poses: Arc::new(poses),
            ..Now::default()
        }
    }

    fn opened(&self, there: &[(u32, u16)], poses: &[Pose]) -> Opened {
        let the_box = self.each.scene().molecules().len() as u32 - 1;
        let which: Vec<MoleculeId> =
            there.iter().map(|(_, kind)| u32::from(*kind)).chain([the_box]).map(MoleculeId).collect();
        let molecules = self.each.picked(&which);
        let mut scene = molecules.scene().clone();
        scene.molecules_mut().iter_mut().zip(poses).for_each(|(molecule, pose)| molecule.pose = *pose);
        Opened {
            source: self.source.clone().into(),
            scene,
            molecules,
            structures: self.structures.clone(),
            is_outer: Vec::new(),
            verdicts: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Spheres as a structure, and their radii.
fn structure(name: &str, spheres: impl Iterator<Item = (DVec3, f64)>) -> (Structure, Vec<f32>) {
    let (places, radii): (Vec<Vec3>, Vec<f32>) = spheres.map(|(at, radius)| (at.as_vec3(), radius as f32)).unzip();
    let mut builder = StructureBuilder::new(name, places.len());
    for position in places {
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
    (builder.finish(), radii)
}

/// The edges of the box, four of a plane.
fn frame(setup: &Setup) -> (Structure, Vec<f32>) {
    let (low, mut edges) = (setup.bounds.low, setup.bounds.high - setup.bounds.low);
    if setup.dimensions == 2 {
        edges.z = 0.0;
    }
    let thick = THICK * edges.max_element();
    let apart = (0.5 * thick).max(edges.max_element() / MOST_BEADS);
    let axes = setup.dimensions;
    let corner =
        |bits: usize| low + edges * DVec3::from_array([1, 2, 4].map(|bit| f64::from(u8::from(bits & bit > 0))));
    let lines = (0..1 << axes).flat_map(|from| (0..axes).map(move |axis| (from, from | 1 << axis)));
    let lines = lines.filter(|(from, to)| from != to).map(|(from, to)| (corner(from), corner(to)));
    let beads = lines.flat_map(|(from, to)| {
        let count = (from.distance(to) / apart).ceil().max(1.0) as u32;
        (0..=count).map(move |bead| (from.lerp(to, f64::from(bead) / f64::from(count)), 0.5 * thick))
    });
    structure("box", beads)
}
