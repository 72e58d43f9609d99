//! Beads are moved until no segments overlap, all are as long as they should be, and none is outside.
//!
//! How it works: in an iteration every bead is moved by what repels its two segments, by what straightens its bend and those of its neighbours where they are too sharp, and by the walls; then segments get their lengths
//! back. Pairs are listed with a skin and listed again when a bead has gone half of it. A segment that is far from every wall is not asked about walls until it can have come near one.

use glam::DVec3;
use rayon::prelude::*;

use super::chain::Chain;
use super::contact::{Distances, Push, push};
use super::lengths::Lengths;
use super::level::{Level, PIECE};
use super::near::NearSegments;
use super::room::Room;

/// How much of a bend that is too sharp is taken away in an iteration; above 1 it would swing.
const STRAIGHTENING: f64 = 0.7;
/// The part of its length by which a segment may be too long or too short at the end.
pub(super) const STRETCH: f64 = 0.01;

/// After so many iterations bends may be a little sharper than they should, and after so many more by this part: a fibre that is pressed into a corner frees itself too slowly to wait for.
const LENIENCE: (f64, f64, f64) = (100.0, 300.0, 0.25);

/// What an iteration found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trouble {
    /// Pairs that overlap.
    pub(super) overlaps: usize,
    /// Segments that are too long, too short or outside, and bends that are too sharp.
    pub(super) broken: usize,
}

impl Trouble {
    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }

    fn and(self, other: Self) -> Self {
        Self { overlaps: self.overlaps + other.overlaps, broken: self.broken + other.broken }
    }
}

/// What a segment does to its beads.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    push: Push,
    /// What the walls do to its two beads.
    walls: [DVec3; 2],
    has_walls: bool,
}

/// A chain that comes to rest at one level.
pub(super) struct Relaxing<'a> {
    pub(super) chain: Chain,
    level: Level,
    room: &'a Room,
    margin: f64,
    skin: f64,
    near: NearSegments,
    listed_at: Vec<DVec3>,
    segments: Vec<Segment>,
    /// What is too much of each bead's bend.
    bends: Vec<DVec3>,
    /// How far the beads of each segment can move before it can touch a wall.
    leeway: Vec<f64>,
    lengths: Lengths,
    before: Vec<DVec3>,
    iteration: u32,
}

impl<'a> Relaxing<'a> {
    /// `margin` is what segments are pushed farther than they must.
    pub(super) fn new(chain: Chain, level: Level, room: &'a Room, margin: f64) -> Self {
        let segments = chain.segments();
        let leeway = if room.is_everywhere() { f64::INFINITY } else { 0.0 };
        Self {
            level,
            room,
            margin,
            skin: level.radius,
            near: NearSegments::default(),
            listed_at: Vec::new(),
            segments: vec![Segment::default(); segments],
            bends: vec![DVec3::ZERO; chain.points.len()],
            leeway: vec![leeway; segments],
            lengths: Lengths::default(),
            before: Vec::new(),
            iteration: 0,
            chain,
        }
    }

    /// One iteration; where it finds no trouble it moves nothing.
    pub(super) fn step(&mut self) -> Trouble {
        if self.is_list_old() {
            let reach = 2.0 * self.level.radius + self.margin + self.skin;
            self.near = NearSegments::new(&self.chain, reach, self.level.strangers);
            self.listed_at.clone_from(&self.chain.points);
        }
        let trouble = self.look();
        if trouble.is_none() {
            return trouble;
        }
        self.before.clone_from(&self.chain.points);
        self.shift();
        self.lengths.restore(&mut self.chain, self.level.chord, self.iteration);
        self.use_leeway();
        self.iteration += 1;
        trouble
    }

    fn is_list_old(&self) -> bool {
        let most = 0.25 * self.skin * self.skin;
        let has_left = |(now, then): (&DVec3, &DVec3)| now.distance_squared(*then) > most;
        self.listed_at.is_empty() || self.chain.points.par_iter().zip(&self.listed_at).with_min_len(PIECE).any(has_left)
    }

    /// Finds what is wrong with every segment and bead.
    fn look(&mut self) -> Trouble {
        let Self { chain, level, room, near, margin, segments, leeway, bends, iteration, .. } = self;
        let (chain, near) = (&*chain, &*near);
        let distances = Distances { wanted: 2.0 * level.radius + *margin, least: 2.0 * level.radius };
        let from_walls = level.radius + 0.5 * *margin;
        let work = (segments.par_chunks_mut(PIECE), leeway.par_chunks_mut(PIECE));
        let trouble = work.into_par_iter().enumerate().map(|(piece, (segments, leeways))| {
            let mut trouble = Trouble::default();
            for ((segment, leeway), at) in segments.iter_mut().zip(leeways).zip(PIECE * piece..) {
                segment.push = push(chain, at, near.of(at), distances);
                segment.has_walls = false;
                let mut is_outside = false;
                if *leeway <= 0.0 {
                    let depth;
                    (segment.walls, depth) = walls(chain, at, room, from_walls);
                    segment.has_walls = depth > -from_walls;
                    is_outside = depth > -level.radius;
                    *leeway = -from_walls - depth;
                }
                let [start, end] = chain.segment(at);
                let stretch = (start.distance(end) / level.chord - 1.0).abs();
                // Written so that no number is trouble too.
                let has_length = stretch <= STRETCH;
                trouble.overlaps += segment.push.overlaps as usize;
                trouble.broken += usize::from(is_outside || !has_length);
            }
            trouble
        });
        let trouble = trouble.reduce(Trouble::default, Trouble::and);
        let (after, within, most) = LENIENCE;
        let sharpest_bend =
            level.sharpest_bend * (1.0 + most * ((f64::from(*iteration) - after) / within).clamp(0.0, 1.0));
        let too_sharp = bends.par_chunks_mut(PIECE).enumerate().map(|(piece, bends)| {
            let mut too_sharp = 0;
            for (bend, at) in bends.iter_mut().zip(PIECE * piece..) {
                let (way, found) = chain.bend(at).normalize_and_length();
                *bend = if found > level.most_bend { way * (found - level.most_bend) } else { DVec3::ZERO };
                too_sharp += usize::from(found > sharpest_bend);
            }
            too_sharp
        });
        trouble.and(Trouble { overlaps: 0, broken: too_sharp.sum() })
    }

    /// Moves every bead by what was found.
    fn shift(&mut self) {
        let Self { chain, segments, bends, .. } = self;
        let count = segments.len();
        let last = bends.len() - 1;
        let (segments, bends, is_closed) = (&*segments, &*bends, chain.is_closed);
        chain.points.par_chunks_mut(PIECE).enumerate().for_each(|(piece, points)| {
            for (point, at) in points.iter_mut().zip(PIECE * piece..) {
                let before = match at {
                    0 if is_closed => Some(&segments[count - 1]),
                    0 => None,
                    _ => Some(&segments[at - 1]),
                };
                let [left, right] = match (at, is_closed) {
                    (0, true) => [bends[last], bends[if last == 0 { 0 } else { 1 }]],
                    (0, false) => [DVec3::ZERO, bends[if last == 0 { 0 } else { 1 }]],
                    (at, true) if at == last => [bends[at - 1], bends[0]],
                    (at, false) if at == last => [bends[at - 1], DVec3::ZERO],
                    (at, _) => [bends[at - 1], bends[at + 1]],
                };
                let straightened = STRAIGHTENING * (0.5 * bends[at] - 0.25 * (left + right));
                *point += straightened + repelled(before, segments.get(at));
            }
        });
    }

    /// Takes what beads have moved from the leeway of their segments.
    fn use_leeway(&mut self) {
        if self.room.is_everywhere() {
            return;
        }
        let (chain, before) = (&self.chain, &self.before);
        self.leeway.par_chunks_mut(PIECE).enumerate().for_each(|(piece, leeways)| {
            for (leeway, at) in leeways.iter_mut().zip(PIECE * piece..) {
                let next = chain.next(at);
                let moved = |at: usize| chain.points[at].distance_squared(before[at]);
                *leeway -= moved(at).max(moved(next)).sqrt();
            }
        });
    }
}

/// What moves a bead between two segments.
#[inline(always)]
fn repelled(before: Option<&Segment>, behind: Option<&Segment>) -> DVec3 {
    let (mut sum, mut walls, mut touches) = (DVec3::ZERO, DVec3::ZERO, 0);
    for (segment, end) in [(before, 1), (behind, 0)] {
        let Some(segment) = segment else { continue };
        if segment.push.touches > 0 {
            sum += segment.push.ends[end];
            touches += segment.push.touches;
        }
        if segment.has_walls {
            walls += segment.walls[end];
        }
    }
    // Many that push the same way must not add up, and one alone should do nearly all.
    sum * (1.6 / f64::from(touches.max(1))).min(0.9) + walls
}

/// What the walls do to the two beads of a segment, and how deep the deepest of its places stands in them.
fn walls(chain: &Chain, at: usize, room: &Room, radius: f64) -> ([DVec3; 2], f64) {
    let [start, end] = chain.segment(at);
    // Each bead is the first of one segment, but for the last of an open fibre. A place in the middle moves both ends.
    let is_last = !chain.is_closed && at + 2 == chain.points.len();
    let places = [(start, [1.0, 0.0]), (0.5 * (start + end), [0.5, 0.5]), (end, [0.0, f64::from(is_last)])];
    let mut moved = [DVec3::ZERO; 2];
    let mut deepest = f64::NEG_INFINITY;
    for (place, parts) in places {
        let (depth, outward) = room.depth(place);
        deepest = deepest.max(depth);
        if depth > -radius {
            let back = -(depth + radius) * outward;
            moved = [moved[0] + parts[0] * back, moved[1] + parts[1] * back];
        }
    }
    (moved, deepest)
}
