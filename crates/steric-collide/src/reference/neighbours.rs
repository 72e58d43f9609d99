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
            for image in images(search) {
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
    let shift = search.repeat.map_or(DVec3::ZERO, |repeat| {
        repeat.periodic_box.vectors() * DVec3::from_array(image.map(f64::from))
    });
    let apart = (points.at(second) + shift - points.at(first)).length();
    let rule = search.rule;
    let near = match rule.radii {
        Some(radii) => apart < f64::from(radii[first]) + f64::from(radii[second]) - rule.allow,
        None => apart <= search.cutoff,
    };
    near && rule.molecules.is_none_or(|molecules| molecules[first] != molecules[second])
}

/// More than any pair of the tests can need: points within two boxes of the first.
fn images(search: &NeighbourSearch<'_>) -> Vec<[i32; 3]> {
    let most = |axis: usize| if search.repeat.is_some_and(|repeat| repeat.along[axis]) { 7 } else { 0 };
    let range = |axis: usize| -most(axis)..=most(axis);
    range(0).flat_map(|x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z]))).collect()
}
