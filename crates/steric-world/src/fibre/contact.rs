//! Segments that come too near push each other apart.
//!
//! How it works: where two segments are nearest, both are moved apart until their distance is the one that is wanted; each end takes its part of the motion by how near to it that place is. A segment adds up what all
//! others do to it, in the order of its list; the other adds up the same contact for itself, and no two threads write to one bead.

use glam::DVec3;

use super::capsule::nearest;
use super::chain::Chain;

/// What its neighbours do to a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Push {
    /// What moves its two beads.
    pub(super) ends: [DVec3; 2],
    /// How many push.
    pub(super) touches: u32,
    /// With how many segments of higher numbers it overlaps.
    pub(super) overlaps: u32,
}

/// How near is too near.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distances {
    /// To this distance segments are pushed apart.
    pub(super) wanted: f64,
    /// Below this they overlap.
    pub(super) least: f64,
}

#[inline(always)]
pub(super) fn push(chain: &Chain, at: usize, others: &[u32], distances: Distances) -> Push {
    let mut push = Push::default();
    let own = chain.segment(at);
    let (middle, half) = (0.5 * (own[0] + own[1]), 0.5 * own[0].distance(own[1]));
    for &other in others {
        let segment = chain.segment(other as usize);
        let between = middle - 0.5 * (segment[0] + segment[1]);
        // Their halves are nearly alike; the second one is measured only where the first does not decide.
        let reach = distances.wanted + half;
        let beyond = between.length_squared() - reach * reach;
        if beyond > 0.0 {
            let reach = reach + 0.5 * segment[0].distance(segment[1]);
            if between.length_squared() > reach * reach {
                continue;
            }
        }
        touch(&mut push, (at, own), (other as usize, segment), distances);
    }
    push
}

#[inline(always)]
fn touch(push: &mut Push, own: (usize, [DVec3; 2]), other: (usize, [DVec3; 2]), distances: Distances) {
    // The same numbers for both, so that their pushes are equal and opposite.
    let is_first = own.0 < other.0;
    let (first, second) = if is_first { (own.1, other.1) } else { (other.1, own.1) };
    let found = nearest(first, second);
    if found.apart.length_squared() >= distances.wanted * distances.wanted {
        return;
    }
    let (way, distance) = found.apart.normalize_and_length();
    let way = if distance > 0.0 { way } else { across(first, second) };
    let [a, b] = found.along;
    let inertia = 1.0 / ((1.0 - a) * (1.0 - a) + a * a + (1.0 - b) * (1.0 - b) + b * b);
    let moved = way * (distances.wanted - distance) * inertia;
    let (along, moved) = if is_first { (a, moved) } else { (b, -moved) };
    push.ends[0] += (1.0 - along) * moved;
    push.ends[1] += along * moved;
    push.touches += 1;
    push.overlaps += u32::from(is_first && distance < distances.least);
}

/// A way out for segments that cross.
fn across(first: [DVec3; 2], second: [DVec3; 2]) -> DVec3 {
    let along = first[1] - first[0];
    let normal = along.cross(second[1] - second[0]);
    normal.try_normalize().unwrap_or_else(|| along.normalize_or(DVec3::X).any_orthonormal_vector())
}
