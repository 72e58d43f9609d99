//! Which levels a fibre is grown in, and how a level becomes the next.
//!
//! How it works: the ends of a stretch of a chain with persistence length `P` are `sqrt(2 P l (1 - P / l (1 - exp(-l / P))))` apart, root of the mean square, where `l` is how long the stretch is (Kratky and Porod 1949). A level
//! is that distance for its `l`, and the next level has two segments of half of `l`: their lengths say how far the midpoint stands beside the straight line. Which way it stands there is drawn at random and leans to the side
//! to which the neighbours are bent, so that bends go on.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use steric_model::Random;

use super::chain::Chain;
use super::kind::Fibre;
use super::room::{Room, Survey};

/// Beads that are worked on together; what is added up does not depend on who does it.
pub(super) const PIECE: usize = 1_024;
/// The part of the room that segments with their elbow-room fill at most.
const FILLED: f64 = 0.08;
/// The sharpest bend at a bead, in radians, where stiffness would allow more.
const SHARPEST: f64 = 2.0;

/// Bends are taken back to this part of the sharpest, so that the last of them do not take forever.
const SPARED: f64 = 0.8;

/// One level: what its segments should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// How many segments there are.
    pub(super) segments: usize,
    /// From bead to bead, in angstroms.
    pub(super) chord: f64,
    /// How far the axis keeps from walls; half of what it keeps from itself.
    pub(super) radius: f64,
    /// The mean cosine between one segment and the next.
    pub(super) onward: f64,
    /// How far a bead should stand beside the line between its neighbours at most.
    pub(super) most_bend: f64,
    /// How far it may stand at the end.
    pub(super) sharpest_bend: f64,
    /// How many segments away a segment is no neighbour any more.
    pub(super) strangers: usize,
}

/// The levels from the coarsest to the finest.
pub(super) fn levels(fibre: &Fibre, spacing: f64, survey: &Survey) -> Vec<Level> {
    let kind = &fibre.kind;
    let length = fibre.length();
    let widest_step = (0.7 * survey.widest).min(2.0 * kind.persistence.max(spacing));
    // Rounded up to whole segments a fibre of fewer would have many more than it needs.
    let least = if fibre.is_closed { 6.0 } else { 4.0 };
    let mut doublings = 0;
    while doublings < 40 {
        let coarser = spacing * f64::from(2u32.pow(doublings + 1).min(1 << 30));
        let fits = length / coarser >= least && end_to_end(coarser, kind.persistence) <= widest_step;
        if !fits || doublings == 29 {
            break;
        }
        doublings += 1;
    }
    let coarsest = (length / (spacing * f64::from(1u32 << doublings))).ceil();
    let coarsest = if fibre.is_closed { coarsest.max(least) } else { coarsest } as usize;
    let contour = length / coarsest as f64;
    let chord = |level: u32| end_to_end(contour / f64::from(1u32 << level), kind.persistence);
    let of = |level: u32| {
        let segments = coarsest << level;
        let is_finest = level == doublings;
        let stretch = contour / f64::from(1u32 << level);
        let sharpest = (stretch / kind.tightest_bend).min(SHARPEST);
        // Twice the mean bend of a chain of this stiffness, and less than the sharpest.
        let bend = (2.0 * (2.0 * stretch / kind.persistence).sqrt()).min(SPARED * sharpest);
        let chord_here = if is_finest { under_a_curve(stretch, kind.persistence, bend) } else { chord(level) };
        let elbow_room = if is_finest { 0.0 } else { 0.5 * sideways(chord_here, chord(level + 1)) };
        let filling = (FILLED * survey.volume / (std::f64::consts::PI * segments as f64 * chord_here)).sqrt();
        let radius = (kind.radius + elbow_room).min(filling).min(chord_here / 3.0).max(kind.radius);
        let beside = |bend: f64| chord_here * (0.5 * bend).sin();
        let strangers = (1.0 + 3.0 * radius / chord_here).ceil().max(2.0) as usize;
        Level {
            segments,
            chord: chord_here,
            radius,
            onward: onward(stretch, kind.persistence),
            most_bend: beside(bend),
            sharpest_bend: if is_finest { beside(sharpest) } else { beside(bend / SPARED) },
            strangers,
        }
    };
    (0..=doublings).map(of).collect()
}

/// The root of the mean square of the distance between the ends of a stretch.
pub(super) fn end_to_end(stretch: f64, persistence: f64) -> f64 {
    let turns = stretch / persistence;
    if turns < 1e-3 {
        return stretch * (1.0 - turns / 6.0);
    }
    persistence * (2.0 * (turns - 1.0 + (-turns).exp())).sqrt()
}

/// How long the segments are whose smooth curve has stretches of a length. An arc is longer than its chord by a part of 1 / 24 of the square of the angle that it turns; the mean square is that of a chain of this stiffness,
/// or what is left of it where bends are held below the sharpest.
fn under_a_curve(stretch: f64, persistence: f64, sharpest: f64) -> f64 {
    let squared_angle = (4.0 / 3.0 * stretch / persistence).min(0.6 * sharpest * sharpest);
    stretch / (1.0 + squared_angle / 24.0)
}

/// The mean cosine between the lines that join the ends of two neighbouring stretches.
fn onward(stretch: f64, persistence: f64) -> f64 {
    let forgotten = persistence * -(-stretch / persistence).exp_m1();
    (forgotten / end_to_end(stretch, persistence)).powi(2).min(1.0)
}

/// How far a midpoint stands beside a line when both of its halves have a length.
fn sideways(line: f64, half: f64) -> f64 {
    (half * half - 0.25 * line * line).max(0.0).sqrt()
}

/// The chain of the next level: the same beads, and one more between each two.
pub(super) fn refine(chain: &Chain, next: &Level, number: u64, seed: u64, room: &Room) -> Chain {
    let middles = (0..chain.segments()).into_par_iter().with_min_len(PIECE);
    let middles: Vec<DVec3> = middles
        .map(|at| {
            let mut random = Random::of(seed ^ number << 48, at as u64);
            displaced(chain, at, next, &mut random, room)
        })
        .collect();
    let mut points = Vec::with_capacity(next.segments + 1);
    for (at, &point) in chain.points.iter().enumerate() {
        points.push(point);
        points.extend(middles.get(at));
    }
    Chain { points, is_closed: chain.is_closed }
}

fn displaced(chain: &Chain, at: usize, next: &Level, random: &mut Random, room: &Room) -> DVec3 {
    /// Sides that are tried one after the other, a right angle apart.
    const SIDES: usize = 4;
    let [start, end] = chain.segment(at);
    let middle = 0.5 * (start + end);
    let (along, line) = (end - start).normalize_and_length();
    let along = if line > 0.0 { along } else { random.direction() };
    let height = sideways(line, next.chord);
    let before = chain.neighbour(at, -1).unwrap_or(start);
    let behind = chain.neighbour(at, 2).unwrap_or(end);
    // Where the smooth curve through four beads stands halfway (Dyn, Levin and Gregory 1987).
    let smooth = (start + end - before - behind) / 16.0;
    let leaning = 6.0 * smooth / height.max(1e-9);
    let side = (random.direction() + leaning).reject_from_normalized(along);
    let side = side.normalize_or(along.any_orthonormal_vector());
    let sides = (0..SIDES).map(|turn| DQuat::from_axis_angle(along, turn as f64 * std::f64::consts::FRAC_PI_2) * side);
    let mut places = sides.map(|side| middle + height * side);
    if room.is_everywhere() {
        return places.next().unwrap_or(middle);
    }
    places.find(|&place| room.has_room(place, next.radius)).unwrap_or_else(|| room.draw_in(middle, next.radius))
}
