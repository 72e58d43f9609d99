//! Lines among molecules: the edges of the periodic box.
//!
//! How it works: a line is a string of small spheres, closer than they are thick. So it is drawn, hidden, cut and lit as molecules are,
//! and needs no pass of its own.

use glam::{DVec3, Vec3};
use steric_model::{PeriodicBox, Pose, Scene};

use crate::Colours;
use crate::camera::ball;

/// Spheres on a line, at most: a longer one has larger gaps.
const MOST_BEADS: f64 = 20_000.0;

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
    let beads = edges(&periodic_box, f64::from(thick));
    // A molecule is made of what is near its middle, so that it loses no digits.
    let middle = 0.5 * (periodic_box.vectors() * DVec3::ONE);
    let seen = ball(scene).0;
    let at = periodic_box.fractional(seen);
    let is_inside = at.cmpge(DVec3::ZERO).all() && at.cmple(DVec3::ONE).all();
    let center = if is_inside { middle } else { seen };
    let places: Vec<Vec3> = beads.iter().map(|bead| (*bead - middle).as_vec3()).collect();
    let edges = scene.add_type("box", &places, &vec![0.5 * thick; places.len()]);
    colours.molecules.resize(scene.molecules().len(), None);
    scene.add_molecule(edges, Pose::from_translation(center));
    colours.molecules.push(Some(colour));
    colours.atoms.resize(scene.types().len() - 1, Vec::new());
    colours.atoms.push(vec![colour; places.len()]);
}

/// Places along the twelve edges.
fn edges(periodic_box: &PeriodicBox, thick: f64) -> Vec<DVec3> {
    let vectors = periodic_box.vectors();
    let axes = [vectors.x_axis, vectors.y_axis, vectors.z_axis];
    let mut places = Vec::new();
    for along in 0..3 {
        let [one, other] = [axes[(along + 1) % 3], axes[(along + 2) % 3]];
        let count = (axes[along].length() / (0.5 * thick.max(1e-3))).clamp(1.0, MOST_BEADS / 12.0);
        for corner in [DVec3::ZERO, one, other, one + other] {
            places.extend((0..=count as u32).map(|bead| corner + axes[along] * (f64::from(bead) / count.floor())));
        }
    }
    places
}
