//! The five ways to find who may touch whom: every pair, cubes (A and B), slices (C), and bounds in lattices (fast).
//!
//! How it works: cells hold the particles whose middles stand in them. Where the half-width of a cell is d, the largest radius r, and nobody goes farther than
//! d - r in a window (Result 1 of the founding report), two that touch were neighbours when it began: their middles were no farther apart than 2 r + 2 (d - r), the width of a cell. A
//! particle that lies wholly in one half of its cell and moves away from the other leaves out the nine cubes behind it (section 4.2). Particles that are too
//! large or too fast for the cells stand apart, and are compared with all others.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use steric_collide::SweptIndex;

use super::particles::{GONE, HAIR, View};
use super::queue::Event;
use super::setup::{Offenders, Strategy};

/// Fewer particles than this fit into the caches anyway.
const WORTH_WARMING: usize = 50_000;
/// Pairs of a piece of work for a thread.
const PIECE: usize = 256;

/// Finds pairs, one way or another.
#[derive(Debug)]
pub(super) enum Finder {
    Naive,
    Cells(Cells),
    Fast(Box<SweptIndex>),
}

/// Links between cells and particles.
#[derive(Debug)]
pub(super) struct Cells {
    /// Cubes, or slices along x.
    is_cubes: bool,
    /// Whether links are renewed with every move.
    relinks: bool,
    /// The width that cells should have, and the largest radius that they are for.
    wanted: f64,
    radius: f64,
    offenders: Offenders,
    counts: [usize; 3],
    widths: [f64; 3],
    lists: Vec<Vec<u32>>,
    homes: Vec<u32>,
    apart: Vec<u32>,
    is_apart: Vec<bool>,
}

/// What was seen of the bound of Result 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Broken {
    /// How many particles went too far.
    pub(super) particles: u64,
    /// The farthest, in parts of what is allowed.
    pub(super) farthest: f64,
}

impl Finder {
    pub(super) fn new(strategy: Strategy, offenders: Offenders, width: f64, radius: f64) -> Self {
        let cells = |is_cubes, relinks| {
            Self::Cells(Cells {
                is_cubes,
                relinks,
                wanted: width,
                radius: radius * (1.0 + HAIR),
                offenders,
                counts: [1; 3],
                widths: [0.0; 3],
                lists: Vec::new(),
                homes: Vec::new(),
                apart: Vec::new(),
                is_apart: Vec::new(),
            })
        };
        match strategy {
            Strategy::Naive => Self::Naive,
            Strategy::A => cells(true, true),
            Strategy::B => cells(true, false),
            Strategy::C => cells(false, false),
            Strategy::Fast => Self::Fast(Box::default()),
        }
    }

    /// How far a particle may go in a window, where the window has to be cut for that.
    pub(super) fn longest(&mut self, view: &View<'_>) -> f64 {
        match self {
            Self::Cells(cells) => {
                cells.lay_out(view);
                if cells.offenders == Offenders::Split { cells.allowed(view) } else { f64::INFINITY }
            }
            _ => f64::INFINITY,
        }
    }

    /// Links everyone at the beginning of a window.
    pub(super) fn begin(&mut self, view: &View<'_>) -> Broken {
        match self {
            Self::Naive => Broken::default(),
            Self::Cells(cells) => cells.begin(view),
            Self::Fast(index) => {
                index.build_from(view.space, view.moving.len(), view);
                Broken::default()
            }
        }
    }

    /// Every contact in the window, as paths are now.
    pub(super) fn contacts(&self, view: &View<'_>) -> Vec<Event> {
        self.search(view, |view, a, b| view.contact(a, b))
    }

    /// The first contact in the window. Whoever cannot touch before the first that is known so far is passed over: the conservative bound of section 4.1.
    pub(super) fn earliest(&self, view: &View<'_>) -> Option<Event> {
        let known = AtomicU64::new(view.until.to_bits());
        let events = self.search(view, |view, a, b| {
            let until = f64::from_bits(known.load(Ordering::Relaxed));
            let time = View { until, ..*view }.contact(a, b)?;
            // Times are not negative, so their bits are in the order of their values; one that is as early must still be seen.
            known.fetch_min(time.next_up().to_bits(), Ordering::Relaxed);
            Some(time)
        });
        events.into_iter().min()
    }

    fn search(&self, view: &View<'_>, contact: impl Fn(&View<'_>, u32, u32) -> Option<f64> + Sync) -> Vec<Event> {
        let touch = |a: u32, b: u32| {
            let (a, b) = (a.min(b), a.max(b));
            let counts = [view.moving[a as usize].count, view.moving[b as usize].count];
            contact(view, a, b).map(|time| Event { time, pair: [a, b], counts })
        };
        let count = view.moving.len() as u32;
        let mut events = match self {
            Self::Naive => {
                let touch = &touch;
                let of = |a: u32| (a + 1..count).filter_map(move |b| touch(a, b));
                (0..count).into_par_iter().with_min_len(PIECE).flat_map_iter(of).collect()
            }
            Self::Cells(cells) => {
                let of = |a: u32| {
                    let mut found = Vec::new();
                    let look = |b: u32| {
                        // Of two that stand apart, or two that do not, the first one looks.
                        if a < b || cells.is_apart[a as usize] && !cells.is_apart[b as usize] {
                            found.extend(touch(a, b));
                        }
                    };
                    if cells.is_apart[a as usize] {
                        (0..count).filter(|&b| b != a).for_each(look)
                    } else {
                        cells.neighbours(view, a, look)
                    }
                    found
                };
                (0..count).into_par_iter().with_min_len(PIECE).flat_map_iter(of).collect()
            }
            Self::Fast(index) => index.pairs(touch),
        };
        if view.has_walls() {
            let of = |slot: u32| {
                let counts = [view.moving[slot as usize].count, 0];
                view.wall(slot).map(|(time, code, _)| Event { time, pair: [slot, code], counts })
            };
            events.par_extend((0..count).into_par_iter().with_min_len(PIECE).filter_map(of));
        }
        events
    }

    /// Says that a path has changed at a time; tells what is left of the window, and whether the particle has broken the bound.
    pub(super) fn moved(&mut self, view: &View<'_>, slot: u32, time: f64) -> (f64, Broken) {
        match self {
            Self::Naive => {}
            Self::Fast(index) => {
                let moving = &view.moving[slot as usize];
                let ends = [moving.at(time), moving.at(view.until)];
                index.redirect(slot, view.radius(slot) * (1.0 + HAIR), ends);
            }
            Self::Cells(cells) => {
                let path = view.travelled[slot as usize] + view.left(slot, time);
                return cells.moved(view, slot, time, path);
            }
        }
        (view.until, Broken::default())
    }

    /// Brings what two that will touch have around them near to the processor, for a whole day of contacts at once: they lie all over the memory.
    pub(super) fn warm<'a>(&self, view: &View<'_>, events: impl Iterator<Item = &'a Event>) {
        let Self::Fast(index) = self else { return };
        if view.moving.len() < WORTH_WARMING {
            return;
        }
        let warmed: f32 = events
            .map(|event| {
                let slot = event.pair[0];
                let other = view.moving.get(event.pair[1] as usize).map_or(0.0, |moving| moving.since);
                let center = view.moving[slot as usize].at(event.time);
                index.warm(steric_collide::SweptSphere { center, radius: view.radius(slot), reach: 0.0 }) + other as f32
            })
            .sum();
        std::hint::black_box(warmed);
    }

    /// Everyone whom a particle may touch from a time on.
    pub(super) fn near(&self, view: &View<'_>, slot: u32, time: f64, mut visit: impl FnMut(u32)) {
        let count = view.moving.len() as u32;
        match self {
            Self::Naive => (0..count).filter(|&other| other != slot).for_each(visit),
            Self::Cells(cells) => {
                if cells.is_apart[slot as usize] {
                    return (0..count).filter(|&other| other != slot).for_each(visit);
                }
                cells.neighbours(view, slot, |other| {
                    if other != slot {
                        visit(other);
                    }
                });
                cells.apart.iter().copied().for_each(visit);
            }
            Self::Fast(index) => {
                index.near(view.bound_from(slot, time), |other| {
                    if other != slot {
                        visit(other);
                    }
                });
            }
        }
    }
}

impl Cells {
    /// Chooses how many cells there are.
    fn lay_out(&mut self, view: &View<'_>) {
        let most = view.moving.len() * 4 + 64;
        let mut counts = [1; 3];
        let divided = if self.is_cubes { view.dimensions } else { 1 };
        for (axis, count) in counts.iter_mut().enumerate().take(divided) {
            *count = (view.space.edges[axis] / self.wanted).floor().clamp(1.0, 1e6) as usize;
        }
        while counts.iter().product::<usize>() > most {
            counts = counts.map(|count: usize| count.div_ceil(2));
        }
        self.counts = counts;
        self.widths = std::array::from_fn(|axis| view.space.edges[axis] / counts[axis] as f64);
    }

    /// Result 1: how far a particle may go.
    fn allowed(&self, view: &View<'_>) -> f64 {
        let divided = (0..view.dimensions).filter(|&axis| self.counts[axis] > 1);
        // A little less, so that rounding hides nothing.
        let allowed = divided.map(|axis| (0.5 - 1e-9) * self.widths[axis] - self.radius);
        allowed.fold(f64::INFINITY, f64::min).max(0.0)
    }

    fn begin(&mut self, view: &View<'_>) -> Broken {
        self.lay_out(view);
        let allowed = self.allowed(view);
        self.lists.iter_mut().for_each(Vec::clear);
        self.lists.resize_with(self.counts.iter().product(), Vec::new);
        self.homes.clear();
        self.apart.clear();
        self.is_apart.clear();
        let mut broken = Broken::default();
        for slot in 0..view.moving.len() {
            let swept = view.swept(slot);
            let is_fast = swept.reach > allowed;
            let is_large = swept.radius > self.radius;
            if is_fast || is_large {
                let beyond = (swept.reach + (swept.radius - self.radius).max(0.0)) / allowed.max(f64::MIN_POSITIVE);
                broken = Broken { particles: broken.particles + 1, farthest: broken.farthest.max(beyond) };
            }
            let is_apart = (is_fast || is_large) && self.offenders == Offenders::Apart
                || is_large && self.offenders == Offenders::Split;
            self.is_apart.push(is_apart);
            let home = self.home(view, swept.center);
            self.homes.push(home);
            if is_apart {
                self.apart.push(slot as u32);
            } else {
                self.lists[home as usize].push(slot as u32);
            }
        }
        broken
    }

    fn home(&self, view: &View<'_>, at: glam::DVec3) -> u32 {
        let place = |axis: usize| {
            let along = (at[axis] - view.space.low[axis]) / self.widths[axis];
            (along.max(0.0) as usize).min(self.counts[axis] - 1)
        };
        ((place(2) * self.counts[1] + place(1)) * self.counts[0] + place(0)) as u32
    }

    fn moved(&mut self, view: &View<'_>, slot: u32, time: f64, path: f64) -> (f64, Broken) {
        let at = slot as usize;
        if self.is_apart[at] || view.moving[at].state & GONE != 0 {
            return (view.until, Broken::default());
        }
        let mut path = path;
        if self.relinks {
            let home = self.home(view, view.wrapped(view.moving[at].at(time)));
            if home != self.homes[at] {
                let list = &mut self.lists[self.homes[at] as usize];
                if let Some(place) = list.iter().position(|&other| other == slot) {
                    list.swap_remove(place);
                }
                self.lists[home as usize].push(slot);
                self.homes[at] = home;
            }
            // Only this move counts.
            path = view.left(slot, time);
        }
        let allowed = self.allowed(view);
        if path <= allowed {
            return (view.until, Broken::default());
        }
        let broken = Broken { particles: 1, farthest: path / allowed.max(f64::MIN_POSITIVE) };
        match self.offenders {
            Offenders::Ignore => (view.until, broken),
            Offenders::Apart => {
                self.is_apart[at] = true;
                self.apart.push(slot);
                (view.until, broken)
            }
            Offenders::Split => {
                // The window ends where the bound would be broken; there, everyone is linked anew.
                let gone = if self.relinks { 0.0 } else { view.travelled[at] };
                let speed = view.moving[at].velocity.length();
                (time + (allowed - gone).max(0.0) / speed.max(f64::MIN_POSITIVE), broken)
            }
        }
    }

    /// The particles of the neighbouring cells, without those behind.
    fn neighbours(&self, view: &View<'_>, slot: u32, mut visit: impl FnMut(u32)) {
        let moving = &view.moving[slot as usize];
        let home = self.homes[slot as usize] as usize;
        let cell =
            [home % self.counts[0], home / self.counts[0] % self.counts[1], home / self.counts[0] / self.counts[1]];
        let at = view.wrapped(moving.at(view.from.max(moving.since)));
        let radius = view.radius(slot) * (1.0 + HAIR);
        let mut around = [[0i64; 3]; 3];
        let mut lengths = [0; 3];
        for axis in 0..3 {
            let count = self.counts[axis] as i64;
            let repeats = view.space.repeats[axis];
            let middle = view.space.low[axis] + (cell[axis] as f64 + 0.5) * self.widths[axis];
            // Behind: the particle lies in one half and moves away from the other.
            let is_behind = |offset: i64| {
                let (surface, speed) = (at[axis] - offset as f64 * -radius, moving.velocity[axis]);
                let is_beyond = (surface - middle) * -(offset as f64) > 0.0;
                offset != 0
                    && count >= 3
                    && is_beyond
                    && speed * -(offset as f64) >= 0.0
                    && (at[axis] - middle).abs() <= 0.5 * self.widths[axis] * (1.0 + 1e-12)
            };
            for offset in [0, -1, 1] {
                let place = cell[axis] as i64 + offset;
                let exists = if repeats {
                    count >= 3 || offset == 0 || (count == 2 && offset == 1)
                } else {
                    (0..count).contains(&place)
                };
                if exists && !is_behind(offset) {
                    around[axis][lengths[axis]] = place.rem_euclid(count);
                    lengths[axis] += 1;
                }
            }
        }
        for &z in &around[2][..lengths[2]] {
            for &y in &around[1][..lengths[1]] {
                for &x in &around[0][..lengths[0]] {
                    let cell = ((z as usize * self.counts[1]) + y as usize) * self.counts[0] + x as usize;
                    self.lists[cell].iter().copied().for_each(&mut visit);
                }
            }
        }
    }
}
