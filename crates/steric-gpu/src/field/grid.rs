//! Cells for clusters of different size.
//!
//! How it works: clusters fall into at most four classes by their radius, each with cells as wide as two of its largest
//! reach. Cells are dense while there are at most eight for each cluster; beyond that they are folded onto a table with
//! power-of-two sides and two to four entries for each cluster. In a periodic box they divide the box.

use glam::DVec3;
use steric_model::PeriodicBox;

use crate::kernels::{LevelWords, level_kind};

/// At most so many classes.
pub(crate) const MOST_LEVELS: usize = 4;
/// Dense cells for each cluster, and for the smallest of scenes.
const DENSE_PER_CLUSTER: f64 = 8.0;
const LEAST_DENSE: f64 = 4_096.0;
/// No table is smaller along an axis, so that the cells around one are all different.
const LEAST_SIDE: u64 = 4;

/// The classes of clusters with these radii, each with how often it is there, smallest first: the upper end of each class, and
/// how many it has.
pub(crate) fn classes(radii: impl Iterator<Item = (f32, u64)> + Clone) -> Vec<(f32, u64)> {
    let ends = |(least, most): (f32, f32), (radius, _)| (least.min(radius), most.max(radius));
    let (least, most) = radii.clone().fold((f32::INFINITY, 0f32), ends);
    if most <= 2.0 * least || least <= 0.0 {
        return vec![(most, radii.map(|(_, count)| count).sum())];
    }
    let levels = ((most / least).log2().ceil() as usize).clamp(1, MOST_LEVELS);
    let ratio = (most / least).powf(1.0 / levels as f32);
    let mut found: Vec<(f32, u64)> =
        (1..=levels).map(|level| (if level == levels { most } else { least * ratio.powi(level as i32) }, 0)).collect();
    for (radius, count) in radii {
        let class = class_of(&found, radius);
        found[class].1 += count;
    }
    found.retain(|&(_, count)| count > 0);
    found
}

/// The class of a radius.
pub(crate) fn class_of(classes: &[(f32, u64)], radius: f32) -> usize {
    classes.iter().position(|&(end, _)| radius <= end).unwrap_or(classes.len() - 1)
}

/// The levels of a scene without a box, and how many cells they have in all. `low` and `high` are corners of a box
/// around all centres, from the scene's origin.
pub(crate) fn open_levels(
    classes: &[(f32, u64)],
    reach: f32,
    low: DVec3,
    high: DVec3,
    kind: Option<u32>,
) -> (Vec<LevelWords>, u64) {
    let mut first = 0u64;
    let levels = classes.iter().map(|&(largest, count)| {
        let edge = edge_of(largest, reach);
        let cells = ((high - low) / edge).floor().max(DVec3::ZERO) + 1.0;
        let is_dense = cells.element_product() <= (DENSE_PER_CLUSTER * count as f64).max(LEAST_DENSE);
        let kind = kind.unwrap_or(if is_dense { level_kind::DENSE } else { level_kind::WRAPPED });
        let cells =
            if kind == level_kind::DENSE { cells.to_array().map(|side| side as u64) } else { folded(cells, count) };
        let level = LevelWords {
            low: low.as_vec3().to_array(),
            cells_per_angstrom: (1.0 / edge) as f32,
            cells: cells.map(|side| side as u32),
            first: first as u32,
            largest: largest + 0.02,
            kind,
            unused: [0; 2],
        };
        first += cells.iter().product::<u64>();
        level
    });
    let levels = levels.collect();
    (levels, first)
}

/// The levels of a periodic box.
pub(crate) fn periodic_levels(
    classes: &[(f32, u64)],
    reach: f32,
    periodic_box: &PeriodicBox,
) -> (Vec<LevelWords>, u64) {
    let mut first = 0u64;
    let levels = classes.iter().map(|&(largest, count)| {
        let mut edge = edge_of(largest, reach);
        let cells = loop {
            let cells = (periodic_box.widths() / edge).floor().clamp(DVec3::ONE, DVec3::splat(1_024.0));
            if cells.element_product() <= (DENSE_PER_CLUSTER * count as f64).max(LEAST_DENSE) {
                break cells.to_array().map(|side| side as u64);
            }
            edge *= 1.25;
        };
        let level = LevelWords {
            low: [0.0; 3],
            cells_per_angstrom: 0.0,
            cells: cells.map(|side| side as u32),
            first: first as u32,
            largest: largest + 0.02,
            kind: level_kind::PERIODIC,
            unused: [0; 2],
        };
        first += cells.iter().product::<u64>();
        level
    });
    let levels = levels.collect();
    (levels, first)
}

fn edge_of(largest: f32, reach: f32) -> f64 {
    f64::from(2.0 * largest + reach).max(f64::from(largest) / 2.0).max(0.1) + 0.05
}

/// Power-of-two sides for two to four cells a cluster, none much longer than the scene.
fn folded(cells: DVec3, count: u64) -> [u64; 3] {
    let wanted = (2 * count).next_power_of_two();
    let most = cells.to_array().map(|side| (side as u64).next_power_of_two().max(LEAST_SIDE));
    let mut sides = [LEAST_SIDE; 3];
    while sides.iter().product::<u64>() < wanted {
        // The shortest that may still grow; x first, because rows along it are read at once.
        let Some(axis) = (0..3).filter(|&axis| sides[axis] < most[axis]).min_by_key(|&axis| sides[axis]) else { break };
        sides[axis] *= 2;
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_radii_are_one_class_and_a_thousandfold_four() {
        assert_eq!(classes([(4.0, 1), (3.0, 2), (4.1, 1)].into_iter()), [(4.1, 4)]);
        let classes = classes([1.0, 1.5, 30.0, 1_000.0].map(|radius| (radius, 1)).into_iter());
        assert_eq!(classes.iter().map(|class| class.1).sum::<u64>(), 4);
        assert!(classes.len() <= MOST_LEVELS && classes.len() >= 3);
        assert_eq!(class_of(&classes, 1_000.0), classes.len() - 1);
    }

    #[test]
    fn a_vesicle_of_a_hundred_million_atoms_is_folded_and_one_of_four_million_dense() {
        let small = open_levels(&[(4.0, 560_000)], 3.0, DVec3::splat(-600.0), DVec3::splat(600.0), None);
        assert_eq!(small.0[0].kind, level_kind::DENSE);
        let (large, cells) =
            open_levels(&[(4.0, 14_000_000)], 3.0, DVec3::splat(-2_900.0), DVec3::splat(2_900.0), None);
        assert_eq!(large[0].kind, level_kind::WRAPPED);
        assert!((28_000_000..=56_000_000).contains(&cells), "{cells}");
    }
}
