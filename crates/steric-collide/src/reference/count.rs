//! How many pairs overlap, by comparing every pair as fast as that can be done: what an index is measured against.
//!
//! How it works: atoms stand molecule by molecule in columns of `f32`, measured from the middle of the scene, so that the
//! partners of an atom are one run that begins behind its own molecule. Threads take blocks of atoms. A block compares
//! all its atoms with one tile of partners before it goes on to the next, so that the tile stays in cache.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;
use steric_model::{AtomId, MoleculeId, Scene};

use crate::detect::OverlapSearch;
use crate::simd::{Kernel, Lanes, dispatch};

/// Atoms that one thread takes at a time.
const BLOCK: usize = 256;
/// Partners that stay in cache: 64 KiB.
const TILE: usize = 4_096;

/// How many pairs of atoms overlap, with the work of a comparison for each pair there is, on all threads.
///
/// Coordinates are `f32` from the middle of the scene: far from it, a pair that overlaps by less than their rounding may be
/// judged otherwise than by [`overlaps`](super::overlaps). A periodic scene is left to that function.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{OverlapSearch, reference};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let water = scene.add_type("water", &[Vec3::ZERO], &[1.4]);
/// for x in [0.0, 2.0, 4.0] {
///     scene.add_molecule(water, Pose::from_translation(DVec3::X * x));
/// }
/// assert_eq!(reference::count(&scene, OverlapSearch::default()), 2);
/// ```
pub fn count(scene: &Scene, search: OverlapSearch) -> u64 {
    if scene.periodic_box().is_some() {
        return super::overlaps(scene, search).len() as u64;
    }
    let columns = Columns::new(scene, search);
    let blocks = (0..columns.partners.len()).into_par_iter().step_by(BLOCK).with_max_len(1);
    blocks.map(|start| dispatch(Block { columns: &columns, start })).sum()
}

/// All atoms in place.
struct Columns {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius: Vec<f32>,
    /// Where the partners of each atom begin; they end with the last atom.
    partners: Vec<usize>,
    allow: f32,
}

impl Columns {
    fn new(scene: &Scene, search: OverlapSearch) -> Self {
        let molecules = (0..scene.molecules().len() as u32).map(MoleculeId);
        let atoms: Vec<(AtomId, DVec3, f32)> = molecules.flat_map(|molecule| scene.placed_atoms(molecule)).collect();
        let middle = middle(&atoms);
        let axis = |axis: usize| atoms.iter().map(|(_, place, _)| (place[axis] - middle[axis]) as f32).collect();
        Self {
            x: axis(0),
            y: axis(1),
            z: axis(2),
            radius: atoms.iter().map(|&(.., radius)| radius).collect(),
            partners: partners(&atoms, search.inside_molecules),
            allow: search.allow,
        }
    }

    /// How many partners of an atom in a tile overlap it.
    #[inline(always)]
    fn touching(&self, atom: usize, tile: Range<usize>) -> u32 {
        let others = self.partners[atom].clamp(tile.start, tile.end)..tile.end;
        let (x, y, z) = (self.x[atom], self.y[atom], self.z[atom]);
        let reach = self.radius[atom] - self.allow;
        let places = self.x[others.clone()].iter().zip(&self.y[others.clone()]).zip(&self.z[others.clone()]);
        let touches = places.zip(&self.radius[others]).map(|(((&ox, &oy), &oz), &radius)| {
            let (dx, dy, dz) = (x - ox, y - oy, z - oz);
            let limit = (reach + radius).max(0.0);
            u32::from(dx * dx + dy * dy + dz * dz < limit * limit)
        });
        touches.sum()
    }
}

/// A whole point, so that coordinates on a lattice stay on it.
fn middle(atoms: &[(AtomId, DVec3, f32)]) -> DVec3 {
    let (low, high) = atoms
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &(_, place, _)| (low.min(place), high.max(place)));
    if atoms.is_empty() { DVec3::ZERO } else { (0.5 * (low + high)).round() }
}

fn partners(atoms: &[(AtomId, DVec3, f32)], inside_molecules: bool) -> Vec<usize> {
    let mut partners: Vec<usize> = (1..=atoms.len()).collect();
    if !inside_molecules {
        for atom in (0..atoms.len().saturating_sub(1)).rev() {
            if atoms[atom].0.molecule == atoms[atom + 1].0.molecule {
                partners[atom] = partners[atom + 1];
            }
        }
    }
    partners
}

/// The atoms from `start` on, against all their partners.
struct Block<'a> {
    columns: &'a Columns,
    start: usize,
}

impl Kernel for Block<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> u64 {
        let partners = &self.columns.partners;
        let atoms = self.start..(self.start + BLOCK).min(partners.len());
        let mut found = 0;
        for tile in (partners[self.start]..partners.len()).step_by(TILE) {
            let tile = tile..(tile + TILE).min(partners.len());
            for atom in atoms.clone() {
                found += u64::from(self.columns.touching(atom, tile.clone()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use steric_model::Pose;

    #[test]
    fn a_long_row_of_atoms_overlaps_with_its_neighbours_and_their_neighbours_across_blocks_and_tiles() {
        let mut scene = Scene::default();
        let atom = scene.add_type("atom", &[Vec3::ZERO], &[1.25]);
        let length = 2 * TILE + 3 * BLOCK + 17;
        for x in 0..length {
            scene.add_molecule(atom, Pose::from_translation(DVec3::X * x as f64));
        }
        assert_eq!(count(&scene, OverlapSearch::default()), (2 * length - 3) as u64);
    }
}
