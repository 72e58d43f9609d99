//! Every pair of points and every image of the second within reach.

use glam::DVec3;

use crate::neighbours::{NeighbourSearch, PairList, Points};

/// Numbers of both points and the image of the second, sorted.
///
/// ```
/// use steric_collide::{NeighbourSearch, Points, reference};
///
/// let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [9.0, 0.0, 0.0]];
/// let found = reference::neighbours(&NeighbourSearch::within(4.0), Points::Double(&points));
/// assert_eq!(found, [([0, 1], [0, 0, 0])]);
/// ```
pub fn neighbours(search: &NeighbourSearch<'_>, points: Points<'_>) -> Vec<([i32; 2], [i32; 3])> {
    let mut found = Vec::new();
    for first in 0..points.len() {
        for second in 0..points.len() {
            let displacement = points.at(second) - points.at(first);
            for image in images(search, displacement, reach(search, first, second)) {
                let is_listed = match search.list {
                    PairList::Half => (second, image) > (first, [0; 3]),
                    PairList::Full => (second, image) != (first, [0; 3]),
                };
                if is_listed && is_pair(search, points, first, second, image) {
                    found.push(([first as i32, second as i32], image));
                }
            }
        }
    }
    found
}

fn is_pair(search: &NeighbourSearch<'_>, points: Points<'_>, first: usize, second: usize, image: [i32; 3]) -> bool {
    let shift = search
        .repeat
        .map_or(DVec3::ZERO, |repeat| repeat.periodic_box.vectors() * DVec3::from_array(image.map(f64::from)));
    let apart = (points.at(second) + shift - points.at(first)).length();
    let (rule, reach) = (search.rule, reach(search, first, second));
    let near = if rule.radii.is_some() { apart < reach } else { apart <= reach };
    near && rule.molecules.is_none_or(|molecules| molecules[first] != molecules[second])
}

fn reach(search: &NeighbourSearch<'_>, first: usize, second: usize) -> f64 {
    let of_radii = |radii: &[f32]| f64::from(radii[first]) + f64::from(radii[second]) - search.rule.allow;
    search.rule.radii.map_or(search.cutoff, of_radii)
}

/// Every image of a displacement that can be as short as the reach: its fractional coordinates are at most the reach over the width of
/// the box away from zero.
fn images(search: &NeighbourSearch<'_>, displacement: DVec3, reach: f64) -> Vec<[i32; 3]> {
    let Some(repeat) = search.repeat else { return vec![[0; 3]] };
    let (nearest, widths) = (-repeat.periodic_box.fractional(displacement), repeat.periodic_box.widths());
    let range = |axis: usize| {
        let most = reach / widths[axis] + 1e-6;
        let (low, high) = ((nearest[axis] - most).floor() as i32, (nearest[axis] + most).ceil() as i32);
        if repeat.along[axis] { low..=high } else { 0..=0 }
    };
    range(0).flat_map(|x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z]))).collect()
}
