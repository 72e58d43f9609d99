//! The coarse walk that a fibre begins as.
//!
//! How it works: of a few places a step away that lie in the compartment, and from which a closed fibre can still come home, the next is the one whose surroundings have been visited least, which spreads the walk over
//! the compartment. Where a closed walk does not come home, because a wall is in between, it goes back the way it came.

use glam::DVec3;
use rustc_hash::FxHashMap;
use steric_model::Random;

use super::chain::Chain;
use super::level::Level;
use super::room::{Room, Survey};

/// Places that are looked at before a step: first ways on that a chain of this stiffness would take, then any way.
const CHOICES: [usize; 2] = [8, 16];
/// Of those that fit the first few are chosen from, lest the walk spreads more than a chain does.
const FITTING: usize = 3;

/// The stream of random numbers that walks draw from.
const WALKS: u64 = 0x77a1_0000_0000_0000;

/// The chain of the coarsest level.
pub(super) fn walk(level: &Level, is_closed: bool, room: &Room, survey: &Survey, seed: u64) -> Option<Chain> {
    let beads = level.segments + usize::from(!is_closed);
    let start = start(survey, room, seed)?;
    let mut walker = Walker { room, level, start, is_closed, visits: FxHashMap::default() };
    let points = walker.points(beads, seed);
    let comes_home = points.last().is_some_and(|last| last.distance(start) <= 2.0 * level.chord);
    if !is_closed || comes_home {
        return Some(Chain { points, is_closed });
    }
    Some(Chain { points: there_and_back(&points, level, room, seed), is_closed })
}

fn start(survey: &Survey, room: &Room, seed: u64) -> Option<DVec3> {
    let count = survey.places.len();
    let drawn = |turn: u64| survey.places[(Random::of(seed ^ WALKS, turn).next_u64() % count as u64) as usize];
    if count == 0 {
        return None;
    }
    // Where there is some choice, not beside a wall.
    let roomy = (0..64).map(drawn).find(|&place| room.has_room(place, 0.5 * survey.widest.min(1e9)));
    roomy.or(Some(drawn(0)))
}

fn there_and_back(points: &[DVec3], level: &Level, room: &Room, seed: u64) -> Vec<DVec3> {
    let beads = points.len();
    let there = beads.div_ceil(2);
    let aside = |at: usize| {
        let shift = 0.4 * level.chord * Random::of(seed ^ !WALKS, at as u64).direction();
        room.draw_in(points[at] + shift, level.radius)
    };
    points[..there].iter().copied().chain((0..beads - there).rev().map(aside)).collect()
}

struct Walker<'a> {
    room: &'a Room,
    level: &'a Level,
    start: DVec3,
    is_closed: bool,
    /// How often each cell of space was visited; cells are asked for, never listed.
    visits: FxHashMap<[i64; 3], u32>,
}

impl Walker<'_> {
    fn points(&mut self, beads: usize, seed: u64) -> Vec<DVec3> {
        let mut points = Vec::with_capacity(beads);
        let mut way = Random::of(seed ^ WALKS, 1 << 40).direction();
        let mut here = self.start;
        for at in 0..beads {
            points.push(here);
            *self.visits.entry(self.cell(here)).or_default() += 1;
            let left = beads - at - 1;
            let next = self.step(here, way, left, &mut Random::of(seed ^ WALKS, (1 << 41) + at as u64));
            way = (next - here).normalize_or(way);
            here = next;
        }
        points
    }

    fn cell(&self, point: DVec3) -> [i64; 3] {
        (point / self.level.chord).floor().to_array().map(|along| along as i64)
    }

    /// Whether a closed walk comes home with so many steps after the next, and a fifth of them to spare.
    fn comes_home(&self, place: DVec3, left: usize) -> bool {
        !self.is_closed || place.distance(self.start) <= self.level.chord * (0.8 * left as f64 + 0.3)
    }

    fn step(&self, here: DVec3, way: DVec3, left: usize, random: &mut Random) -> DVec3 {
        let mut best = None;
        let mut homeward: Option<DVec3> = None;
        let mut fitting = 0;
        for choice in 0..CHOICES[0] + CHOICES[1] {
            let way = if choice < CHOICES[0] { onward(way, self.level.onward, random) } else { random.direction() };
            let place = here + self.level.chord * way;
            let middle = here + 0.5 * self.level.chord * way;
            let has_room = |place| self.room.has_room(place, self.level.radius);
            if !(has_room(place) && has_room(middle)) {
                continue;
            }
            if !self.comes_home(place, left) {
                let is_nearer = |other: DVec3| place.distance(self.start) < other.distance(self.start);
                homeward = if homeward.is_none_or(is_nearer) { Some(place) } else { homeward };
                continue;
            }
            let visits = self.visits.get(&self.cell(place)).copied().unwrap_or(0);
            if best.is_none_or(|(least, _)| visits < least) {
                best = Some((visits, place));
            }
            fitting += 1;
            if fitting == FITTING {
                break;
            }
        }
        let place = best.map(|(_, place)| place).or(homeward);
        // Where nothing fits, a step that the walls bend.
        place.unwrap_or_else(|| self.room.draw_in(here + self.level.chord * random.direction(), self.level.radius))
    }
}

/// A direction whose mean cosine with another is given: drawn from Fisher's distribution on the sphere (1953).
fn onward(way: DVec3, cosine: f64, random: &mut Random) -> DVec3 {
    // Between no preference and a straight line, to within a few percent (Banerjee and others 2005).
    let strength = cosine * (3.0 - cosine * cosine) / (1.0 - cosine * cosine).max(1e-12);
    let unit = random.unit();
    let along = if strength < 1e-6 {
        2.0 * unit - 1.0
    } else {
        (1.0 + (unit + (1.0 - unit) * (-2.0 * strength).exp()).ln() / strength).clamp(-1.0, 1.0)
    };
    let side = random.direction().reject_from_normalized(way).normalize_or(way.any_orthonormal_vector());
    along * way + (1.0 - along * along).sqrt() * side
}
