//! Beyond spheres: polyhedra and triangle meshes that are moved among each other, and dice that exchange momentum.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use serde::Serialize;
use steric::model::chemistry::{BondGraph, is_hydrogen};
use steric::model::formats::mesh::{Mesh, read_mesh};
use steric::model::{Pose, Scene};
use steric::world::dock::{Contact, Hand, Solid, SolidError, Solids, Surroundings, Tumble, Tumbler};
use steric_view::{Camera, Colours, Film, Look, Palette, Renderer, Side, Style, Surface};

use super::path::{Motion, path_of};
use super::{Arguments, flag};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::render;

/// Contacts that are listed are nearer than this, in angstroms.
const NEAR: f64 = 0.5;
/// Frames of the dice in a second, and pixels of their film.
const RATE: f64 = 25.0;
const SIZE: [u32; 2] = [480, 400];
/// How far below the middle of the bowl one looks, in angstroms.
const DOWN: f64 = 11.0;

/// Whether a file holds triangles.
pub(super) fn is_mesh(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["obj", "ply"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Where two solids touch.
#[derive(Debug, Serialize)]
struct Touching {
    point: [f64; 3],
    normal: [f64; 3],
    gap: f64,
}

/// What is told of solids.
#[derive(Debug, Serialize)]
struct Document {
    receptor: PathBuf,
    ligand: PathBuf,
    /// As the files have them.
    overlaps: usize,
    /// How deep they are in each other, in angstroms; negative if they are only near.
    deepest: Option<f64>,
    contacts: Vec<Touching>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Vec<Motion>>,
    /// After the path.
    end_overlaps: usize,
    end_contacts: Vec<Touching>,
}

fn touching(contact: &Contact) -> Touching {
    Touching { point: contact.point.to_array(), normal: contact.normal.to_array(), gap: contact.gap }
}

/// A mesh as it is or as its convex hull, or the heavy atoms of a molecule as balls.
fn solid(path: &Path, arguments: &Arguments, shared: &Shared) -> Result<Solid, Failure> {
    let wrong = |error: SolidError| Failure::usage(format!("{}: {error}", path.display()));
    if is_mesh(path) {
        let mesh = read_mesh(path)?.value;
        let made =
            if arguments.convex { Solid::convex(&mesh.vertices) } else { Solid::mesh(&mesh.vertices, &mesh.triangles) };
        return made.map_err(wrong);
    }
    let molecule = output::read(path, shared)?.structure;
    let radii = arguments.radii.radii(&molecule, &BondGraph::new(&molecule));
    let heavy =
        (0..molecule.atoms.len()).filter(|&atom| arguments.hydrogens || !is_hydrogen(molecule.atoms.elements[atom]));
    let (centers, radii): (Vec<DVec3>, Vec<f64>) =
        heavy.map(|atom| (molecule.atoms.positions[atom].as_dvec3(), f64::from(radii[atom]))).unzip();
    Solid::balls_at(&centers, &radii).map_err(wrong)
}

/// Moves one solid among another, as molecules are moved.
pub(super) fn run(arguments: &Arguments, shared: &Shared, receptor: &Path, ligand: &Path) -> Result<Verdict, Failure> {
    if let Some(option) = flag(arguments) {
        return Err(Failure::usage(format!("{option}: expected molecules, found a mesh")));
    }
    let around = Solids::new(vec![(solid(receptor, arguments, shared)?, Pose::IDENTITY)]);
    let tolerance = f64::from(arguments.tolerance);
    let mut hand = Hand::new(solid(ligand, arguments, shared)?, Pose::IDENTITY, arguments.response);
    hand.allow = tolerance;
    let start = around.contacts(&hand.body, &hand.pose(), tolerance, NEAR);
    let motions = arguments.path.as_deref().map(|path| follow(&mut hand, &around, arguments, path)).transpose()?;
    let end = around.contacts(&hand.body, &hand.pose(), tolerance, NEAR);
    let overlapping = |contacts: &[Contact]| contacts.iter().filter(|contact| contact.gap < 0.0).count();
    let document = Document {
        receptor: receptor.to_owned(),
        ligand: ligand.to_owned(),
        overlaps: overlapping(&start),
        deepest: start.first().map(|contact| -contact.gap),
        contacts: start.iter().map(touching).collect(),
        path: motions,
        end_overlaps: overlapping(&end),
        end_contacts: end.iter().map(touching).collect(),
    };
    let written = shared.output.as_deref().filter(|path| path.extension().is_some_and(|ending| ending == "obj"));
    if let Some(path) = written {
        let text = obj(&hand.body, &hand.pose());
        output::write_whole(path, |file| file.write_all(text.as_bytes()).map_err(|error| Failure::io(path, &error)))?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let elsewhere = Shared { output: shared.output.clone().filter(|_| written.is_none()), ..shared.clone() };
    output::report(&elsewhere, &document, |_| text(&document))?;
    Ok(if document.end_overlaps == 0 { Verdict::Clean } else { Verdict::Overlaps })
}

fn follow(hand: &mut Hand<Solid>, around: &Solids, arguments: &Arguments, path: &Path) -> Result<Vec<Motion>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
    let middle = hand.body.middle();
    if let Some(shift) = arguments.start {
        hand.put(Pose::from_translation(shift));
    }
    let mut motions = Vec::new();
    for (shift, rotation) in path_of(&text, path)? {
        let to = Pose { rotation, translation: middle + shift - rotation * middle };
        let step = hand.go(around, to);
        let came = hand.pose() * middle - middle;
        let (wanted, came) = (shift.to_array(), came.to_array());
        motions.push(Motion { wanted, came, contacts: step.contacts.len(), is_there: step.is_there });
    }
    Ok(motions)
}

/// A solid where it is, as triangles.
fn obj(solid: &Solid, pose: &Pose) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    for vertex in solid.vertices() {
        let [x, y, z] = (*pose * *vertex).to_array();
        let _ = writeln!(text, "v {x:.6} {y:.6} {z:.6}");
    }
    for [a, b, c] in solid.triangles() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

fn text(document: &Document) -> String {
    let mut text = String::new();
    let state = |overlaps: usize, contacts: &[Touching]| match (overlaps, contacts.first()) {
        (0, None) => "nothing is near".to_owned(),
        (0, Some(nearest)) => format!("nothing overlaps; the nearest surfaces are {:.3} Å apart", nearest.gap),
        (count, Some(deepest)) => format!("{count} contacts overlap, the deepest by {:.3} Å", -deepest.gap),
        (count, None) => format!("{count} contacts overlap"),
    };
    let _ = writeln!(text, "{} at {}", document.ligand.display(), document.receptor.display());
    let _ = writeln!(text, "as they are: {}", state(document.overlaps, &document.contacts));
    if let Some(path) = &document.path {
        super::text::motions(&mut text, path);
        let _ = writeln!(text, "at the end: {}", state(document.end_overlaps, &document.end_contacts));
    }
    text
}

/// How dice stand at a time.
#[derive(Debug, Serialize)]
struct Moment {
    seconds: f64,
    /// Kinetic, and with that of their height, in masses of density one times square angstroms a second squared.
    kinetic: f64,
    energy: f64,
    deepest_overlap: f64,
}

/// How they rolled.
#[derive(Debug, Serialize)]
struct Rolled {
    seed: u64,
    bodies: usize,
    at_rest: bool,
    moments: Vec<Moment>,
}

/// Dice that are thrown are at rest below this part of their first kinetic energy.
const REST: f64 = 1e-4;

/// Throws dice and a molecule into a bowl.
pub(super) fn dice(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    output::check_outputs(&[], [shared.output.as_deref()])?;
    let mut dice = Tumble::dice(shared.seed()).map_err(|error| Failure::usage(error.to_string()))?;
    let frames = (arguments.seconds * RATE).ceil().clamp(1.0, 10_000.0) as u32;
    let is_data = |path: &&Path| path.extension().is_none_or(|ending| ending == "json" || ending == "txt");
    // A picture shows how they lie at the end.
    let is_still = shared.output.as_ref().is_some_and(|path| path.extension().is_some_and(|ending| ending == "png"));
    let mut film = match shared.output.as_deref().filter(|path| !is_data(path)) {
        Some(path) => {
            let pictures = if is_still { 1 } else { frames as usize };
            let film = Film::create(path, RATE, pictures).map_err(|error| Failure::usage(error.to_string()))?;
            Some((Renderer::new(&render::gpu(shared)?), film))
        }
        None => None,
    };
    let bar = output::bar(shared, u64::from(frames), "frames");
    let first = dice.kinetic_energy().max(1e-9);
    let mut moments = Vec::new();
    for frame in 0..frames {
        if frame > 0 {
            dice.step(1.0 / RATE);
        }
        moments.push(Moment {
            seconds: f64::from(frame) / RATE,
            kinetic: dice.kinetic_energy(),
            energy: dice.energy(),
            deepest_overlap: dice.deepest_overlap(),
        });
        if let Some((renderer, film)) = film.as_mut().filter(|_| !is_still || frame + 1 == frames) {
            draw(renderer, film, &dice)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let wrote = film.is_some();
    if let Some((_, film)) = film {
        film.finish().map_err(|error| Failure::usage(error.to_string()))?;
    }
    let at_rest = moments.last().is_some_and(|last| last.kinetic < REST * first);
    let rolled = Rolled { seed: shared.seed(), bodies: dice.bodies().len(), at_rest, moments };
    let elsewhere = Shared { output: shared.output.clone().filter(|_| !wrote), ..shared.clone() };
    if let Some(path) = shared.output.as_deref().filter(|_| wrote) {
        output::note(shared, &format!("wrote {}", path.display()));
    }
    output::report(&elsewhere, &rolled, |_| said_of(&rolled))?;
    Ok(Verdict::Clean)
}

fn said_of(rolled: &Rolled) -> String {
    let deepest = rolled.moments.iter().map(|moment| moment.deepest_overlap).fold(0.0, f64::max);
    let energy = |moment: Option<&Moment>| moment.map_or(0.0, |moment| moment.energy);
    let seconds = rolled.moments.last().map_or(0.0, |moment| moment.seconds);
    format!(
        "{} dice and a molecule in a bowl, seed {}: {} after {seconds:.1} s; energy {:.0} -> {:.0}; never deeper in each other than {deepest:.1e} Å\n",
        rolled.bodies.saturating_sub(2),
        rolled.seed,
        if rolled.at_rest { "at rest" } else { "still moving" },
        energy(rolled.moments.first()),
        energy(rolled.moments.last()),
    )
}

/// A solid where it is, as a surface.
fn surface(body: &Tumbler, number: usize) -> Surface {
    let pose = body.pose();
    let vertices = body.solid().vertices().iter().map(|&vertex| pose * vertex).collect();
    let surface = Surface::new(Mesh { vertices, triangles: body.solid().triangles().to_vec() });
    if body.is_fixed() {
        surface.with_opacity(0.35)
    } else {
        Surface { colour: Palette::safe().category(number), ..surface }
    }
}

fn draw(renderer: &Renderer, film: &mut Film, dice: &Tumble) -> Result<(), Failure> {
    let wrong = |error: String| Failure::usage(error);
    let (mut scene, mut atoms) = (Scene::default(), Vec::new());
    let mut surfaces = Vec::new();
    for (number, body) in dice.bodies().iter().enumerate() {
        if !body.solid().triangles().is_empty() {
            surfaces.push(surface(body, number));
        }
        let (centers, radii): (Vec<Vec3>, Vec<f32>) =
            body.solid().balls().map(|(center, radius)| (center.as_vec3(), radius as f32)).unzip();
        if !centers.is_empty() {
            let kind = scene.add_type("molecule", &centers, &radii);
            scene.add_molecule(kind, body.pose());
            atoms.push(vec![Palette::safe().category(number); centers.len()]);
        }
    }
    let colours = Colours { atoms, ..Colours::default() };
    let model = renderer.load_with(&scene, &colours, &surfaces).map_err(|error| wrong(error.to_string()))?;
    let bowl: Vec<Surface> = surfaces.iter().take(1).cloned().collect();
    let aspect = f64::from(SIZE[0]) / f64::from(SIZE[1]);
    let camera = Camera::of_all(&Scene::default(), &bowl, Side { turn: 20.0, lift: 42.0 }, aspect);
    // Where they come to lie is what one wants to see, not the rim.
    let down = DVec3::NEG_Z * DOWN;
    let camera = Camera { eye: camera.eye + down, target: camera.target + down, ..camera }.nearer(2.0);
    let look = Look { shadows: 0.5, ..Look::of(Style::Soft) };
    let picture = renderer.draw(&model, &camera, &look, SIZE).map_err(|error| wrong(error.to_string()))?;
    film.add(&picture).map_err(|error| wrong(error.to_string()))
}
