//! Segments get their lengths back.
//!
//! How it works: a segment that is too long pulls both of its beads, and each pull changes the lengths of the two segments beside it by its cosine with them. All pulls that restore all lengths at once solve a system with three
//! diagonals (as in SHAKE, solved directly). It is cut into pieces whose borders move from one iteration to the next, and a little give keeps the effect of a pull near its segment.

use glam::DVec3;
use rayon::prelude::*;

use super::chain::Chain;
use super::level::PIECE;

/// How much softer than rigid: a pull is felt about seven segments away.
const GIVE: f64 = 0.02;

/// Memory that is used again in each iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    /// For each segment how far it is pulled together along its direction.
    pulls: Vec<DVec3>,
}

impl Lengths {
    /// Moves the beads of a chain towards segments of one length.
    pub(super) fn restore(&mut self, chain: &mut Chain, length: f64, iteration: u32) {
        let segments = chain.segments();
        self.pulls.resize(segments, DVec3::ZERO);
        let shift = if iteration.is_multiple_of(2) { 0 } else { PIECE / 2 };
        let whole: &Chain = chain;
        let (head, tail) = self.pulls.split_at_mut(shift.min(segments));
        let solve = |first: usize, pulls: &mut [DVec3]| solve(whole, first, pulls, length);
        solve(0, head);
        tail.par_chunks_mut(PIECE).enumerate().for_each(|(piece, pulls)| solve(shift + PIECE * piece, pulls));
        let pulls = &self.pulls;
        let is_closed = chain.is_closed;
        chain.points.par_chunks_mut(PIECE).enumerate().for_each(|(piece, points)| {
            for (point, at) in points.iter_mut().zip(PIECE * piece..) {
                let before = match at {
                    0 if is_closed => pulls[segments - 1],
                    0 => DVec3::ZERO,
                    _ => pulls[at - 1],
                };
                *point += pulls.get(at).copied().unwrap_or(DVec3::ZERO) - before;
            }
        });
    }
}

/// A row of the system on the way up.
struct Row {
    /// With the segment before.
    cosine: f64,
    /// How much of the next pull, times the cosine with it, is added to this one.
    ratio: f64,
    value: f64,
    way: DVec3,
}

/// The pulls of one piece, as if those beside it did not pull.
fn solve(chain: &Chain, first: usize, pulls: &mut [DVec3], length: f64) {
    // Thomas's algorithm.
    let mut rows: Vec<Row> = Vec::with_capacity(pulls.len());
    let mut before = Row { cosine: 0.0, ratio: 0.0, value: 0.0, way: DVec3::ZERO };
    for at in first..first + pulls.len() {
        let [start, end] = chain.segment(at);
        let (way, found) = (end - start).normalize_and_length();
        let way = if found > 0.0 { way } else { DVec3::X };
        let cosine = way.dot(before.way);
        let ratio = 1.0 / (2.0 + GIVE - cosine * cosine * before.ratio);
        let value = (found - length + cosine * before.value) * ratio;
        rows.push(std::mem::replace(&mut before, Row { cosine, ratio, value, way }));
    }
    let mut above = before;
    for (pull, row) in pulls.iter_mut().zip(rows).rev() {
        *pull = above.value * above.way;
        above = Row { value: row.value + row.ratio * above.cosine * above.value, ..row };
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Lengths};
    use glam::{DQuat, DVec3};
    use std::f64::consts::TAU;
    use steric_model::Random;

    #[test]
    fn lengths_come_back_in_a_few_iterations_open_and_closed() {
        for is_closed in [false, true] {
            let jitter = |at: usize| 0.5 * Random::of(1, at as u64).direction();
            let turn = |at: usize| DQuat::from_rotation_z(at as f64 / 3_000.0 * TAU);
            let points = (0..3_000).map(|at| turn(at) * DVec3::X * 60_000.0 / TAU + jitter(at)).collect();
            let mut chain = Chain { points, is_closed };
            let mut lengths = Lengths::default();
            (0..8).for_each(|iteration| lengths.restore(&mut chain, 20.0, iteration));
            for at in 0..chain.segments() - 1 {
                let [start, end] = chain.segment(at);
                // As near as is asked of a grown fibre.
                assert!((start.distance(end) - 20.0).abs() < 0.2, "{at}: {}", start.distance(end));
            }
        }
    }
}
