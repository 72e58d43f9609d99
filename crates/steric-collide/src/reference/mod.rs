//! Every pair, in order. Slow, short, and the definition of a right answer.

mod boxes;
mod count;
mod neighbours;

pub use boxes::{box_pairs, box_self_pairs};
pub use count::count;
pub use neighbours::neighbours;

use glam::DVec3;
use steric_model::{AtomId, MoleculeId, Scene};

use crate::detect::{Forces, Overlap, OverlapSearch, push};

/// All overlaps, sorted by `(first, second)`.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{OverlapSearch, reference};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let water = scene.add_type("water", &[Vec3::ZERO], &[1.4]);
/// scene.add_molecule(water, Pose::IDENTITY);
/// scene.add_molecule(water, Pose::from_translation(DVec3::X));
/// assert_eq!(reference::overlaps(&scene, OverlapSearch::default()).len(), 1);
/// ```
pub fn overlaps(scene: &Scene, search: OverlapSearch) -> Vec<Overlap> {
    let atoms = all_atoms(scene);
    let mut found = Vec::new();
    for (i, &(first, a, first_radius)) in atoms.iter().enumerate() {
        for &(second, b, second_radius) in &atoms[i + 1..] {
            let depth = first_radius + second_radius - displacement(scene, a, b).length() as f32;
            let counts = search.inside_molecules || first.molecule != second.molecule;
            if counts && depth > search.allow {
                found.push(Overlap { first, second, depth });
            }
        }
    }
    found
}

/// The push on every atom: for each of its overlaps, the depth beyond what is allowed, along the way out.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{OverlapSearch, reference};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let water = scene.add_type("water", &[Vec3::ZERO], &[1.4]);
/// for x in [0.0, 1.0, 2.5] {
///     scene.add_molecule(water, Pose::from_translation(DVec3::X * x));
/// }
/// let search = OverlapSearch::default();
/// assert_eq!(reference::forces(&scene, search), search.forces(&scene), "the fast search, bit by bit");
/// ```
pub fn forces(scene: &Scene, search: OverlapSearch) -> Forces {
    let mut forces = Forces::default();
    forces.zero(scene);
    let positions: std::collections::BTreeMap<AtomId, DVec3> =
        all_atoms(scene).into_iter().map(|(id, position, _)| (id, position)).collect();
    for Overlap { first, second, depth } in overlaps(scene, search) {
        let delta = displacement(scene, positions[&second], positions[&first]).as_vec3();
        let contact = depth - search.allow + delta.length();
        forces.add(scene, first, second, push(delta, contact));
    }
    forces
}

/// From `a` to the nearest image of `b`.
fn displacement(scene: &Scene, a: DVec3, b: DVec3) -> DVec3 {
    match scene.periodic_box() {
        Some(periodic_box) => periodic_box.nearest_image(b - a),
        None => b - a,
    }
}

fn all_atoms(scene: &Scene) -> Vec<(AtomId, DVec3, f32)> {
    let molecules = (0..scene.molecules().len() as u32).map(MoleculeId);
    let mut atoms: Vec<_> = molecules.flat_map(|molecule| scene.placed_atoms(molecule)).collect();
    atoms.sort_by_key(|&(id, ..)| id);
    atoms
}
