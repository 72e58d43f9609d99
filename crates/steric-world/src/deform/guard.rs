//! Nothing passes through anything, whatever the solve said.
//!
//! How it works: two convex things that a plane separates at the beginning and at the end of a step, both moved along lines, were apart all the time: at each moment the plane between, moved along as well,
//! separates them. So every near pair is asked whether the direction between its nearest places separates it at the end, too, or any of a few others: what slides along a surface stays apart along
//! the normal of the surface. Where none does, the points of the pair are moved apart along the best one, pair after pair, a few times over. If a pair is left, its
//! points stay where they began, and so do those of every pair that would then be too near, until there is none; where nothing moves, nothing meets. So whatever begins without a crossing stays without one.

use glam::DVec3;
use steric_collide::Bounds;

use super::near::{Near, nearest_in_triangle, nearest_of_edges};

/// Times that pairs are moved apart.
const PASSES: usize = 12;
/// Of the margin, what a step may leave of a gap; a gap that is narrower already may not become narrower still.
const LEFT: f64 = 0.1;

/// What became of the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Guarded {
    /// Pairs that had to be moved apart.
    pub(super) moved: usize,
    /// Points that had to stay where they began.
    pub(super) stopped: usize,
}

/// Changes where points end so that no near pair passes through each other; `margin` is the gap that need not be larger.
pub(super) fn guard(
    from: &[DVec3],
    to: &mut [DVec3],
    boxes: &[Bounds],
    pairs: &[Near],
    is_held: impl Fn(u32) -> bool,
    margin: f64,
) -> Guarded {
    for ((to, from), bounds) in to.iter_mut().zip(from).zip(boxes) {
        *to = inside(bounds, *from, *to);
    }
    let mut moved = 0;
    for pass in 0..PASSES {
        let mut count = 0;
        for near in pairs {
            let apart = best(near, from, to, margin);
            if apart.missing > 0.0 {
                part(near, &apart, to, &is_held);
                near.points.iter().for_each(|&point| {
                    let point = point as usize;
                    to[point] = inside(&boxes[point], from[point], to[point]);
                });
                count += 1;
            }
        }
        if pass == 0 {
            moved = count;
        }
        if count == 0 {
            return Guarded { moved, stopped: 0 };
        }
    }
    Guarded { moved, stopped: stop(from, to, pairs, margin) }
}

/// Leaves the points of pairs that are too near where they began, until no pair is; how many.
fn stop(from: &[DVec3], to: &mut [DVec3], pairs: &[Near], margin: f64) -> usize {
    let mut stopped = vec![false; to.len()];
    loop {
        let mut more = false;
        for near in pairs {
            let apart = best(near, from, to, margin);
            // Half of what was wanted is apart as well.
            if apart.after >= 0.5 * apart.wanted {
                continue;
            }
            for point in near.points.map(|point| point as usize) {
                more |= !std::mem::replace(&mut stopped[point], true);
                to[point] = from[point];
            }
        }
        if !more {
            return stopped.iter().filter(|stopped| **stopped).count();
        }
    }
}

/// A direction that separates the sides of a pair at the beginning, and what it says of the end.
#[derive(Clone, Copy)]
struct Apart {
    along: DVec3,
    before: f64,
    after: f64,
    wanted: f64,
    /// Above 0 where the pair is too near along every direction.
    missing: f64,
}

impl Apart {
    fn new(near: &Near, along: DVec3, from: &[DVec3], to: &[DVec3], margin: f64) -> Self {
        let before = separation(near, along, from);
        let (after, wanted) = (separation(near, along, to), before.min(LEFT * margin));
        Self { along, before, after, wanted, missing: wanted - after }
    }
}

/// The direction between the nearest places if that will do, or the one of a few along which least is missing.
fn best(near: &Near, from: &[DVec3], to: &[DVec3], margin: f64) -> Apart {
    let first = Apart::new(near, near.normal, from, to, margin);
    if first.missing <= 0.0 {
        return first;
    }
    // One that separates by much less than the gap has nothing to lose on the way.
    let least = 0.2 * near.gap.min(LEFT * margin);
    let others = [across(near, from), across(near, to), between(near, to)];
    let others = others.into_iter().filter_map(|along| along.try_normalize()).flat_map(|along| [along, -along]);
    let apart = others.map(|along| Apart::new(near, along, from, to, margin)).filter(|apart| apart.before > least);
    apart.fold(first, |best, apart| if apart.missing < best.missing { apart } else { best })
}

/// Across the triangle, or across both edges.
fn across(near: &Near, places: &[DVec3]) -> DVec3 {
    let [a, b, c, d] = near.points.map(|point| places[point as usize]);
    if near.firsts == 1 { (c - b).cross(d - b) } else { (b - a).cross(d - c) }
}

/// Between the nearest places.
fn between(near: &Near, places: &[DVec3]) -> DVec3 {
    let [a, b, c, d] = near.points.map(|point| places[point as usize]);
    if near.firsts == 1 {
        let [u, v, w] = nearest_in_triangle(a, [b, c, d]);
        a - (b * u + c * v + d * w)
    } else {
        let (s, t) = nearest_of_edges([a, b], [c, d]);
        a.lerp(b, s) - c.lerp(d, t)
    }
}

/// How far the two sides of a pair are apart along a direction; below 0 where they overlap.
fn separation(near: &Near, along: DVec3, places: &[DVec3]) -> f64 {
    let [a, b, c, d] = near.points.map(|point| places[point as usize].dot(along));
    if near.firsts == 1 { a - b.max(c).max(d) } else { a.min(b) - c.max(d) }
}

/// Moves the two sides apart by what is missing, half each unless one is held.
fn part(near: &Near, apart: &Apart, places: &mut [DVec3], is_held: &impl Fn(u32) -> bool) {
    let height = |places: &[DVec3], point: u32| places[point as usize].dot(apart.along);
    let (first, second) = near.points.split_at(near.firsts);
    let share = match [first, second].map(|side| side.iter().all(|&point| is_held(point))) {
        [false, false] => 0.5,
        [true, _] => 0.0,
        [_, true] => 1.0,
    };
    let low = first.iter().map(|&point| height(places, point)).fold(f64::INFINITY, f64::min);
    // The plane that both sides are to leave free.
    let plane = low + share * apart.missing;
    for &point in first.iter().filter(|&&point| !is_held(point)) {
        let below = plane - height(places, point);
        places[point as usize] += apart.along * below.max(0.0);
    }
    for &point in second.iter().filter(|&&point| !is_held(point)) {
        let above = height(places, point) - (plane - apart.wanted);
        places[point as usize] -= apart.along * above.max(0.0);
    }
}

/// Within its box, which rounding has not made smaller than where the point began.
fn inside(bounds: &Bounds, from: DVec3, to: DVec3) -> DVec3 {
    let [low, high] = [bounds.low, bounds.high].map(|corner| DVec3::from_array(corner.map(f64::from)));
    to.max(low.min(from)).min(high.max(from))
}
