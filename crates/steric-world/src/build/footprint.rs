//! How much room a molecule takes, as areas and volumes of unions of spheres.
//!
//! How it works: the plane or the space is cut into small squares or cubes, and those whose middle lies in a disc or a
//! sphere are counted. With sixteen squares to a disc's diameter its area is right to a few per cent, that of a lipid to less,
//! because errors at the rim cancel.

use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// At most so many squares or cubes; what is larger is seen more coarsely.
const MOST_PIXELS: f64 = 4e6;
/// In how many ways one molecule is turned beside another.
const TURNS: usize = 12;

/// The area of a union of discs (centre, radius), in square angstroms, seen through squares of this side.
pub(super) fn union_of_discs(discs: &[(DVec2, f64)], pixel: f64) -> f64 {
    let Some((low, high)) = bounds(discs) else {
        return 0.0;
    };
    let pixel = pixel.max(((high - low).element_product() / MOST_PIXELS).sqrt());
    let [columns, rows] = ((high - low) / pixel).to_array().map(|count| count.ceil() as usize + 1);
    let mut covered = vec![false; columns * rows];
    for &(center, radius) in discs {
        let at = (center - low) / pixel;
        let reach = radius / pixel;
        for row in within(at.y, reach, rows) {
            let half = (reach * reach - (row as f64 - at.y).powi(2)).max(0.0).sqrt();
            let columns_here = within(at.x, half, columns);
            covered[row * columns..][columns_here].fill(true);
        }
    }
    covered.iter().filter(|&&covered| covered).count() as f64 * pixel * pixel
}

fn bounds(discs: &[(DVec2, f64)]) -> Option<(DVec2, DVec2)> {
    let first = discs.first()?.0;
    let low = discs.iter().fold(first, |low, &(center, radius)| low.min(center - radius));
    let high = discs.iter().fold(first, |high, &(center, radius)| high.max(center + radius));
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

// The numbers within reach.
fn within(at: f64, reach: f64, count: usize) -> std::ops::Range<usize> {
    let first = (at - reach).ceil().max(0.0) as usize;
    let end = ((at + reach).floor() + 1.0).max(0.0) as usize;
    first..end.min(count)
}

/// The shadow on the plane of the atoms between two heights, as discs of this radius.
pub(super) fn shadow(atoms: &[DVec3], heights: std::ops::Range<f64>, radius: f64) -> f64 {
    let inside = atoms.iter().filter(|atom| heights.contains(&atom.z));
    union_of_discs(&inside.map(|atom| (atom.truncate(), radius)).collect::<Vec<_>>(), 0.125 * radius)
}

/// The cross-section at a height of the spheres of this radius around atoms, in square angstroms.
pub(super) fn slice(atoms: &[DVec3], height: f64, radius: f64) -> f64 {
    let half = |atom: &DVec3| radius * radius - (atom.z - height).powi(2);
    let cut = atoms.iter().filter(|atom| half(atom) > 0.0);
    union_of_discs(&cut.map(|atom| (atom.truncate(), half(atom).sqrt())).collect::<Vec<_>>(), 0.125 * radius)
}

/// A quarter of the area from which one molecule keeps another of its leaflet, both upright and turned as it suits them
/// best, in square angstroms. For two equal discs that is the area of one.
pub(super) fn footprint(a: &[DVec3], b: &[DVec3], tolerance: f64) -> f64 {
    let turned = |turn: usize| {
        let spin = DVec2::from_angle(std::f64::consts::TAU * turn as f64 / TURNS as f64);
        0.25 * union_of_discs(&too_near(a, b, spin, tolerance), 0.125 * tolerance)
    };
    (0..TURNS).into_par_iter().map(turned).reduce(|| f64::INFINITY, f64::min)
}

// Where the second molecule may not stand, one disc for each pair of atoms.
fn too_near(a: &[DVec3], b: &[DVec3], spin: DVec2, tolerance: f64) -> Vec<(DVec2, f64)> {
    let disc = |atom: &DVec3, other: &DVec3| {
        let apart = tolerance * tolerance - (atom.z - other.z).powi(2);
        (apart > 0.0).then(|| (atom.truncate() - spin.rotate(other.truncate()), apart.sqrt()))
    };
    a.iter().flat_map(|atom| b.iter().filter_map(move |other| disc(atom, other))).collect()
}

/// The volume that no atom of another molecule can enter, in cubic angstroms, atoms being spheres of half the
/// tolerance: that of the spheres, and of the holes between them that are too narrow.
///
/// All within a tolerance of an atom is closed to the centres of other atoms. Around every other point a ball of half
/// the tolerance is open to them.
pub(super) fn closed_volume(atoms: &[DVec3], tolerance: f64) -> f64 {
    let Some(grid) = Grid::around(atoms, tolerance) else {
        return 0.0;
    };
    let mut closed = vec![false; grid.size.iter().product()];
    for &atom in atoms {
        grid.for_ball((atom - grid.low) / grid.voxel, tolerance / grid.voxel, |voxel| closed[voxel] = true);
    }
    let mut filled = closed.clone();
    for voxel in (0..closed.len()).filter(|&voxel| !closed[voxel] && grid.touches(&closed, voxel)) {
        // Measured on single balls: the nearest open cube stands so far behind the boundary.
        grid.for_ball(grid.at(voxel), 0.5 * tolerance / grid.voxel + 0.13, |voxel| filled[voxel] = false);
    }
    filled.iter().filter(|&&filled| filled).count() as f64 * grid.voxel.powi(3)
}

// Cubes in a box.
struct Grid {
    low: DVec3,
    voxel: f64,
    size: [usize; 3],
}

impl Grid {
    fn around(atoms: &[DVec3], tolerance: f64) -> Option<Self> {
        let first = *atoms.first()?;
        // A rim of open space on every side.
        let rim = DVec3::splat(1.5 * tolerance);
        let low = atoms.iter().fold(first, |low, atom| low.min(*atom)) - rim;
        let high = atoms.iter().fold(first, |high, atom| high.max(*atom)) + rim;
        let fine = if atoms.len() > 60 { 0.1 } else { 0.0625 };
        let voxel = (fine * tolerance).max(((high - low).element_product() / MOST_PIXELS).cbrt());
        let size = ((high - low) / voxel).to_array().map(|count| count.ceil() as usize + 1);
        (voxel.is_finite() && voxel > 0.0).then_some(Self { low, voxel, size })
    }

    fn at(&self, voxel: usize) -> DVec3 {
        let [x, y, _] = self.size;
        DVec3::new((voxel % x) as f64, (voxel / x % y) as f64, (voxel / x / y) as f64)
    }

    fn for_ball(&self, center: DVec3, radius: f64, mut visit: impl FnMut(usize)) {
        let [columns, rows, layers] = self.size;
        let half = |across: f64| (radius * radius - across).max(0.0).sqrt();
        for z in within(center.z, radius, layers) {
            let up = (z as f64 - center.z).powi(2);
            for y in within(center.y, half(up), rows) {
                let across = up + (y as f64 - center.y).powi(2);
                for x in within(center.x, half(across), columns) {
                    visit((z * rows + y) * columns + x);
                }
            }
        }
    }

    fn touches(&self, closed: &[bool], voxel: usize) -> bool {
        let steps = [1, self.size[0], self.size[0] * self.size[1]];
        let is_closed = |voxel: Option<usize>| voxel.and_then(|voxel| closed.get(voxel)).is_some_and(|&closed| closed);
        steps.iter().any(|&step| is_closed(voxel.checked_sub(step)) || is_closed(voxel.checked_add(step)))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn discs_and_balls_have_their_areas_and_volumes() {
        let point = [DVec3::new(0.3, -0.2, 5.0)];
        for tolerance in [0.5, 2.0, 30.0] {
            let radius = 0.5 * tolerance;
            let disc = PI * radius * radius;
            for area in
                [slice(&point, 5.0, radius), shadow(&point, 4.0..6.0, radius), footprint(&point, &point, tolerance)]
            {
                assert!((area / disc - 1.0).abs() < 0.05, "{area} {disc}");
            }
            let ball = 4.0 / 3.0 * PI * radius.powi(3);
            let volume = closed_volume(&point, tolerance);
            assert!((volume / ball - 1.0).abs() < 0.05, "{volume} {ball}");
        }
        assert!(slice(&point, 9.0, 1.0) < 1e-12 && closed_volume(&[], 2.0) < 1e-12);
    }

    #[test]
    fn a_cage_is_closed_where_nothing_can_get_in() {
        // The corners of a cube of 3 Å: its middle is 2.6 Å from each, so that a tolerance of 3 Å closes it and one of
        // 1 Å leaves eight balls.
        let corners: Vec<DVec3> = (0..8)
            .map(|corner| 3.0 * DVec3::new((corner & 1) as f64, (corner >> 1 & 1) as f64, (corner >> 2) as f64))
            .collect();
        assert!((closed_volume(&corners, 1.0) / (8.0 * PI / 6.0) - 1.0).abs() < 0.05);
        assert!(closed_volume(&corners, 3.0) > 27.0 + 8.0 * 7.0 / 8.0 * 14.1);
    }
}
