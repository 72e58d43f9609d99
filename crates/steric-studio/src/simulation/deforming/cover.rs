//! Beads that cover the surface of soft bodies.
//!
//! How it works: there is a bead at each corner of the surface, along its edges, and within its triangles, in a lattice that is as wide as so many beads allow. A bead is a mean of
//! three corners, so it goes where they go. In a lattice of triangles no place is farther from a bead than 0.58 of the spacing: beads that are a little larger leave no hole. They lie
//! below the surface by their radius, so that bodies that touch do not look as if they were in each other.

use std::collections::BTreeSet;

use glam::DVec3;
use steric::world::deform::SoftBody;

/// Beads of a scene, about; and at most, unless there are more corners.
const WANTED: f64 = 40_000.0;
const MOST: usize = 100_000;
/// A bead for each of such areas, in squares of the spacing: half of a rhombus of two triangles.
const AREA: f64 = 0.866;
/// The radius of a bead, as a part of the spacing.
const RADIUS: f64 = 0.6;
/// Beads along an edge, at most.
const MOST_ALONG: f64 = 64.0;

/// A mean of three corners of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bead {
    pub(super) corners: [u32; 3],
    pub(super) weights: [f64; 3],
}

impl Bead {
    fn new(corners: [u32; 3], counts: [u32; 3]) -> Self {
        let whole = f64::from(counts.iter().sum::<u32>());
        Self { corners, weights: counts.map(|count| f64::from(count) / whole) }
    }

    /// The mean of what the corners have.
    fn mean(&self, of: &[DVec3]) -> DVec3 {
        let each = self.corners.iter().zip(self.weights);
        each.map(|(&corner, weight)| weight * of[corner as usize]).sum()
    }

    /// Whether something is true for the corners that it is made of, by half at least.
    pub(super) fn is_mostly(&self, is_true: &[bool]) -> bool {
        let those = self.corners.iter().zip(self.weights).filter(|(corner, _)| is_true[**corner as usize]);
        those.map(|(_, weight)| weight).sum::<f64>() >= 0.5
    }
}

/// The beads of all bodies, those of a body one after the other.
#[derive(Debug)]
pub(super) struct Cover {
    pub(super) beads: Vec<Bead>,
    /// The first bead of each body, and the end.
    pub(super) starts: Vec<usize>,
    /// From bead to bead, in metres.
    pub(super) spacing: f64,
}

impl Cover {
    /// Covers bodies as they are.
    pub(super) fn new(body: &SoftBody) -> Self {
        let at = |corner: u32| body.positions[corner as usize];
        let area = |&[a, b, c]: &[u32; 3]| 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).length();
        let whole: f64 = body.surface().iter().map(area).sum();
        let longest = body.surface_edges().iter().map(|&[a, b]| at(a).distance(at(b))).fold(0.0, f64::max);
        let mut spacing = (whole / (AREA * WANTED)).sqrt().max(f64::MIN_POSITIVE);
        loop {
            let cover = Self::spaced(body, spacing);
            if cover.beads.len() <= MOST || spacing >= longest {
                return cover;
            }
            spacing *= 1.25;
        }
    }

    fn spaced(body: &SoftBody, spacing: f64) -> Self {
        let (mut beads, mut starts) = (Vec::new(), vec![0]);
        for part in body.parts() {
            beads.extend(beads_of(&body.positions, &body.surface()[part.surface.clone()], spacing));
            starts.push(beads.len());
        }
        Self { beads, starts, spacing }
    }

    /// The radius of a bead, in metres.
    pub(super) fn radius(&self) -> f64 {
        RADIUS * self.spacing
    }

    /// Where the beads are, in metres.
    pub(super) fn places(&self, body: &SoftBody) -> Vec<DVec3> {
        let radius = self.radius();
        let below: Vec<DVec3> = body.positions.iter().zip(outwards(body)).map(|(at, out)| *at - radius * out).collect();
        self.beads.iter().map(|bead| bead.mean(&below)).collect()
    }
}

/// The direction out of the surface at each point; nothing within.
fn outwards(body: &SoftBody) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; body.positions.len()];
    for &corners in body.surface() {
        let [a, b, c] = corners.map(|corner| body.positions[corner as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&corner| sums[corner as usize] += normal);
    }
    sums.into_iter().map(DVec3::normalize_or_zero).collect()
}

/// The beads of a closed surface: corners, edges, triangles.
fn beads_of(positions: &[DVec3], surface: &[[u32; 3]], spacing: f64) -> Vec<Bead> {
    let along = |a: u32, b: u32| {
        let length = positions[a as usize].distance(positions[b as usize]);
        (length / spacing).ceil().clamp(1.0, MOST_ALONG) as u32
    };
    let corners: BTreeSet<u32> = surface.iter().flatten().copied().collect();
    let mut beads: Vec<Bead> = corners.into_iter().map(|corner| Bead::new([corner; 3], [1, 0, 0])).collect();
    for &[a, b, c] in surface {
        // Each edge of a closed surface is there once in either direction.
        for [from, to] in [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from < to) {
            let count = along(from, to);
            beads.extend((1..count).map(|bead| Bead::new([from, to, to], [count - bead, bead, 0])));
        }
        let count = along(a, b).max(along(b, c)).max(along(c, a));
        let rows = (1..count).flat_map(|row| (1..count - row).map(move |bead| [row, bead, count - row - bead]));
        beads.extend(rows.map(|counts| Bead::new([a, b, c], counts)));
    }
    beads
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use steric::deform::DeformScene;

    use super::*;

    fn body(name: &str) -> SoftBody {
        let scene = DeformScene::read(scenes::deformation(name).unwrap(), name.as_ref()).unwrap();
        scene.start("".as_ref(), None).unwrap().world.body
    }

    #[test]
    fn ready_scenes_are_covered_without_holes_by_beads_that_can_be_drawn() {
        for name in scenes::deformation_names() {
            let body = body(name);
            let cover = Cover::new(&body);
            assert!((20_000..=MOST).contains(&cover.beads.len()), "{name}: {} beads", cover.beads.len());
            assert_eq!(cover.starts.len(), body.parts().len() + 1);
            assert!(cover.beads.iter().all(|bead| (bead.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12));
            // The middle of a triangle is the place that beads at its corners and edges leave open longest.
            let part = &body.parts()[0];
            let beads: Vec<DVec3> =
                cover.beads[..cover.starts[1]].iter().map(|bead| bead.mean(&body.positions)).collect();
            for corners in body.surface()[part.surface.clone()].iter().step_by(7) {
                let middle = corners.iter().map(|&corner| body.positions[corner as usize]).sum::<DVec3>() / 3.0;
                let nearest = beads.iter().map(|bead| bead.distance(middle)).fold(f64::INFINITY, f64::min);
                assert!(nearest <= cover.radius(), "{name}: {nearest} of {}", cover.radius());
            }
        }
    }

    #[test]
    fn beads_lie_below_the_surface_and_follow_it() {
        let mut body = body("stack");
        let cover = Cover::new(&body);
        let before = cover.places(&body);
        let top = body.positions.iter().map(|at| at.z).fold(f64::MIN, f64::max);
        assert!(before.iter().all(|at| at.z < top - 0.5 * cover.radius()));
        body.positions.iter_mut().for_each(|at| at.z -= 0.25);
        let moved = cover.places(&body);
        assert!(before.iter().zip(&moved).all(|(one, other)| (one.z - other.z - 0.25).abs() < 1e-9));
    }
}
