//! Parts of a scene that is too large to be searched at once.
//!
//! How it works: molecules are taken in the order of their middles along the longest axis, so many atoms at a time. A part also
//! meets every other molecule whose sphere comes within reach of its own slab. In a periodic box the slab's images count.

use rayon::prelude::*;
use steric_model::{Molecule, Scene};

/// Some molecules of a scene: those that are searched for, then those that they may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) ids: Vec<u32>,
    pub(super) owned: usize,
}

/// The parts of a scene, each with at most about so many atoms of its own.
pub(super) fn parts(scene: &Scene, atoms: u64, reach: f32) -> Vec<Part> {
    let all = scene.molecules().len();
    if scene.atoms() <= atoms || scene.periodic_box().is_some() {
        return vec![Part { ids: (0..all as u32).collect(), owned: all }];
    }
    let axis = longest_axis(scene);
    // The lower and the upper end of each molecule along the axis.
    let ends: Vec<(f64, f64)> = scene.molecules().par_iter().map(|molecule| ends(scene, molecule, axis)).collect();
    let mut order: Vec<u32> = (0..all as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        let middle = |id: u32| ends[id as usize].0 + ends[id as usize].1;
        middle(a).total_cmp(&middle(b)).then(a.cmp(&b))
    });
    let mut parts = Vec::new();
    let mut rest = &order[..];
    while !rest.is_empty() {
        let mut sum = 0;
        let size = rest.iter().take_while(|&&id| {
            sum += atoms_of(scene, &scene.molecules()[id as usize]);
            sum <= atoms
        });
        let (own, later) = rest.split_at(size.count().max(1));
        parts.push(with_neighbours(own, &ends, f64::from(reach.max(0.0)) + 0.1));
        rest = later;
    }
    parts
}

fn with_neighbours(own: &[u32], ends: &[(f64, f64)], reach: f64) -> Part {
    let (low, high) = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &id| {
        (low.min(ends[id as usize].0), high.max(ends[id as usize].1))
    });
    let mut is_own = vec![false; ends.len()];
    own.iter().for_each(|&id| is_own[id as usize] = true);
    let met = (0..ends.len() as u32).into_par_iter().filter(|&id| {
        let (least, most) = ends[id as usize];
        !is_own[id as usize] && most >= low - reach && least <= high + reach
    });
    let met: Vec<u32> = met.collect();
    let mut ids = own.to_vec();
    // In the order of the scene, neighbours stand near each other.
    ids.par_sort_unstable();
    ids.extend(met);
    Part { ids, owned: own.len() }
}

fn atoms_of(scene: &Scene, molecule: &Molecule) -> u64 {
    scene.types()[molecule.kind.0 as usize].atoms.into()
}

fn ends(scene: &Scene, molecule: &Molecule, axis: usize) -> (f64, f64) {
    let bound = scene.types()[molecule.kind.0 as usize].bound;
    let middle = (molecule.pose * bound.center.as_dvec3())[axis];
    (middle - f64::from(bound.radius), middle + f64::from(bound.radius))
}

fn longest_axis(scene: &Scene) -> usize {
    let places = || scene.molecules().par_iter().map(|molecule| molecule.pose.translation);
    let low = places().reduce(|| glam::DVec3::INFINITY, glam::DVec3::min);
    let high = places().reduce(|| glam::DVec3::NEG_INFINITY, glam::DVec3::max);
    (high - low).max_position()
}
