//! Lines among molecules: the edges of the periodic box, skeletons.
//!
//! How it works: a line is a string of small spheres, closer than they are thick. So it is drawn, hidden, cut and lit as molecules are,
//! and needs no pass of its own.

use glam::{DVec3, Vec3};
use steric_model::{PeriodicBox, Pose, Scene};

use crate::Colours;
use crate::camera::ball;

/// Spheres of all lines, about, at most: longer ones have gaps.
const MOST_BEADS: f64 = 100_000.0;

/// Adds the edges of a scene's periodic box, if it has one, in a colour and so many angstroms thick. The box begins at the origin where
/// the middle of the scene is inside then, and has its middle there otherwise.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{PeriodicBox, Pose, Scene};
/// use steric_view::{Colours, add_box};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::IDENTITY);
/// scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::splat(20.0)));
/// let mut colours = Colours { molecules: vec![None], ..Colours::default() };
/// add_box(&mut scene, &mut colours, [90; 3], 0.4);
/// assert_eq!(scene.molecules().len(), 2, "the edges are one more");
/// assert_eq!(colours.molecules[1], Some([90; 3]));
/// ```
pub fn add_box(scene: &mut Scene, colours: &mut Colours, colour: [u8; 3], thick: f32) {
    let Some(periodic_box) = scene.periodic_box() else { return };
    let middle = 0.5 * (periodic_box.vectors() * DVec3::ONE);
    let seen = ball(scene).0;
    let at = periodic_box.fractional(seen);
    let is_inside = at.cmpge(DVec3::ZERO).all() && at.cmple(DVec3::ONE).all();
    let start = if is_inside { DVec3::ZERO } else { seen - middle };
    let lines = edges(&periodic_box).map(|line| line.map(|end| start + end));
    add_lines(scene, colours, &lines, colour, thick);
}

/// Adds straight lines, such as the bones of a skeleton, in a colour and so many angstroms thick. They are one more molecule.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Scene;
/// use steric_view::{Colours, add_lines};
///
/// let (mut scene, mut colours) = (Scene::default(), Colours::default());
/// let bones = [[DVec3::ZERO, DVec3::X * 10.0], [DVec3::X * 10.0, DVec3::new(10.0, 8.0, 0.0)]];
/// add_lines(&mut scene, &mut colours, &bones, [40, 40, 40], 0.5);
/// assert_eq!(scene.molecules().len(), 1);
/// assert!(scene.atoms() > 60, "beads, closer than they are thick");
/// ```
pub fn add_lines(scene: &mut Scene, colours: &mut Colours, lines: &[[DVec3; 2]], colour: [u8; 3], thick: f32) {
    let lines: Vec<[DVec3; 2]> = lines.iter().copied().filter(|ends| ends.iter().all(|end| end.is_finite())).collect();
    let Some(first) = lines.first() else { return };
    let length: f64 = lines.iter().map(|[a, b]| a.distance(*b)).sum();
    let apart = (0.5 * f64::from(thick)).max(length / MOST_BEADS).max(1e-3);
    // A molecule is made of what is near its middle, so that it loses no digits.
    let ends = || lines.iter().flatten().copied();
    let middle = 0.5 * (ends().fold(first[0], DVec3::min) + ends().fold(first[0], DVec3::max));
    let beads = lines.iter().flat_map(|&[a, b]| {
        let count = (a.distance(b) / apart).ceil().max(1.0) as u32;
        (0..=count).map(move |bead| (a.lerp(b, f64::from(bead) / f64::from(count)) - middle).as_vec3())
    });
    let beads: Vec<Vec3> = beads.collect();
    let kind = scene.add_type("lines", &beads, &vec![0.5 * thick; beads.len()]);
    colours.molecules.resize(scene.molecules().len(), None);
    scene.add_molecule(kind, Pose::from_translation(middle));
    colours.molecules.push(Some(colour));
    colours.atoms.resize(scene.types().len() - 1, Vec::new());
    colours.atoms.push(vec![colour; beads.len()]);
}

/// The twelve edges of a box that begins at the origin.
fn edges(periodic_box: &PeriodicBox) -> [[DVec3; 2]; 12] {
    let vectors = periodic_box.vectors();
    let axes = [vectors.x_axis, vectors.y_axis, vectors.z_axis];
    std::array::from_fn(|edge| {
        let (along, corner) = (edge / 4, edge % 4);
        let part = |bit: usize| if corner & bit > 0 { 1.0 } else { 0.0 };
        let start = part(1) * axes[(along + 1) % 3] + part(2) * axes[(along + 2) % 3];
        [start, start + axes[along]]
    })
}
