//! Inside a step: windows, contacts in the order of their times, and what two do that touch.

use glam::DVec3;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use steric_collide::SweptBox;

use super::finder::Broken;
use super::particles::{ALONE, FROZEN, GONE, HAIR, Met, Moving, Particles, View};
use super::queue::Event;
use super::random;
use super::setup::{Edge, Inside, Motion, Response, Rule, Then};
use super::world::{Collision, Diffusion, Outcome, PIECE, Partner, Reaction, view};

/// One that slides more often than this in a step is stuck between others, and waits for the next step.
const MOST_SLIDES: u32 = 64;
/// No path can change more often than this in a step.
const MOST_CHANGES: u32 = 100_000;

/// Brings particles to the ends of their paths.
struct Arrive<'a> {
    moving: &'a mut [Moving],
    wraps: &'a mut [[i32; 3]],
    space: SweptBox,
}

impl WithSimd for Arrive<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { moving, wraps, space } = self;
        for (moving, wraps) in moving.iter_mut().zip(wraps) {
            moving.at = moving.at(1.0);
            moving.since = 0.0;
            for (axis, wraps) in wraps.iter_mut().enumerate() {
                let from_low = moving.at[axis] - space.low[axis];
                if space.repeats[axis] && !(0.0..space.edges[axis]).contains(&from_low) {
                    let turns = (from_low / space.edges[axis]).floor();
                    moving.at[axis] -= space.edges[axis] * turns;
                    *wraps += turns as i32;
                    // What rounding has put onto the border itself.
                    if moving.at[axis] - space.low[axis] >= space.edges[axis] {
                        moving.at[axis] = space.low[axis];
                        *wraps += 1;
                    }
                }
            }
        }
    }
}

impl Diffusion {
    /// How far anyone may go while the nearest copy of another remains the nearest.
    fn longest_between_copies(&self) -> f64 {
        let largest = self.kinds.radii.iter().copied().fold(0.0, f64::max) * (1.0 + HAIR);
        let edges = (0..3).filter(|&axis| self.space.repeats[axis]).map(|axis| self.space.edges[axis]);
        edges.map(|edge| 0.5 * (0.5 * edge - 2.0 * largest)).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn pass_windows(&mut self) {
        let longest_between_copies = self.longest_between_copies();
        let mut from = 0.0;
        let mut broken = Broken::default();
        while from < 1.0 {
            let longest = self.finder.longest(&view!(self, from, 1.0)).min(longest_between_copies);
            let mut until = 1.0;
            if self.fastest * (1.0 - from) > longest {
                // Not so short that there is no end to it.
                until = (from + (longest * (1.0 - 1e-6) / self.fastest).max(1e-6)).min(1.0);
            }
            self.statistics.windows += 1;
            if from > 0.0 {
                self.particles.travelled.fill(0.0);
            }
            let seen = self.finder.begin(&view!(self, from, until));
            broken.particles += seen.particles;
            broken.farthest = broken.farthest.max(seen.farthest);
            from = match self.setup.options.inside {
                Inside::Queue => self.pass_window(from, until, longest, &mut broken),
                Inside::Substeps => self.substep(from, until, &mut broken),
            };
        }
        self.statistics.note_bound(&broken);
    }

    /// Works through the contacts of a window; tells where it ended.
    fn pass_window(&mut self, from: f64, mut until: f64, longest: f64, broken: &mut Broken) -> f64 {
        let events = self.finder.contacts(&view!(self, from, until));
        self.queue.fill(from, until, &events);
        while let Some(event) = self.queue.pop() {
            if event.time >= until {
                break;
            }
            if let Some(events) = self.queue.new_day() {
                self.finder.warm(&view!(self, from, until), events);
            }
            if !self.holds(&event) {
                continue;
            }
            self.meet(&event, from, until);
            let changed = std::mem::take(&mut self.changed);
            for &slot in &changed {
                let view = view!(self, from, until);
                let (end, seen) = self.finder.moved(&view, slot, event.time);
                broken.particles += seen.particles;
                broken.farthest = broken.farthest.max(seen.farthest);
                let speed = self.particles.moving[slot as usize].velocity.length();
                self.fastest = self.fastest.max(speed);
                // Faster than before: the copies of another may come near sooner.
                let room = (longest - self.particles.travelled[slot as usize]).max(0.0);
                let copies = if speed * (until - event.time) > room { event.time + room / speed } else { until };
                until = until.min(end).min(copies).max(event.time);
            }
            let view = view!(self, from, until);
            for &slot in &changed {
                let count = view.moving[slot as usize].count;
                let queue = &mut self.queue;
                self.finder.near(&view, slot, event.time, |other| {
                    let (a, b) = (slot.min(other), slot.max(other));
                    if let Some(time) = view.contact(a, b) {
                        let counts = [view.moving[a as usize].count, view.moving[b as usize].count];
                        queue.push(Event { time, pair: [a, b], counts });
                    }
                });
                if view.has_walls()
                    && let Some((time, code, _)) = view.wall(slot)
                {
                    queue.push(Event { time, pair: [slot, code], counts: [count, 0] });
                }
            }
            self.changed = changed;
            self.changed.clear();
        }
        until
    }

    /// From one contact of all to the next (section 4.1): tells when that was.
    fn substep(&mut self, from: f64, until: f64, broken: &mut Broken) -> f64 {
        let Some(event) = self.finder.earliest(&view!(self, from, until)) else { return until };
        self.meet(&event, from, until);
        for slot in std::mem::take(&mut self.changed) {
            let (_, seen) = self.finder.moved(&view!(self, from, until), slot, event.time);
            broken.particles += seen.particles;
            broken.farthest = broken.farthest.max(seen.farthest);
            self.fastest = self.fastest.max(self.particles.moving[slot as usize].velocity.length());
        }
        event.time
    }

    /// Whether the paths are still those for which a contact was foreseen.
    fn holds(&self, event: &Event) -> bool {
        let count = |slot: u32| self.particles.moving[slot as usize].count;
        let [first, second] = event.pair;
        count(first) == event.counts[0]
            && match Met::of(second) {
                Met::Slot(second) => count(second) == event.counts[1],
                _ => true,
            }
    }

    /// A contact happens: two paths change, and whoever moves with them.
    fn meet(&mut self, event: &Event, from: f64, until: f64) {
        let ([slot, code], time) = (event.pair, event.time);
        let outcome = match Met::of(code) {
            Met::Slot(other) => self.meet_particle([slot, other], time, from, until),
            Met::Wall(axis, _) if self.setup.bounds.edges[axis] == Edge::Absorbing => {
                self.set_velocity(slot, DVec3::ZERO, time, from, GONE);
                self.statistics.absorbed += 1;
                Outcome::Absorbed
            }
            Met::Wall(..) | Met::Obstacle(_) => {
                let normal = view!(self, from, until.max(time.next_up()))
                    .wall(slot)
                    .map_or(DVec3::ZERO, |(_, _, normal)| normal);
                let velocity = self.particles.moving[slot as usize].velocity;
                let into = velocity.dot(normal).min(0.0);
                let is_stuck = self.is_stuck(slot);
                let velocity = match self.setup.options.response {
                    Response::Stop => DVec3::ZERO,
                    Response::Slide if !is_stuck => velocity - normal * into,
                    _ if is_stuck => DVec3::ZERO,
                    _ => velocity - normal * (2.0 * into),
                };
                self.set_velocity(slot, velocity, time, from, 0);
                self.statistics.wall_hits += 1;
                Outcome::Response
            }
        };
        self.note(event, outcome);
    }

    fn note(&mut self, event: &Event, outcome: Outcome) {
        let ids = &self.particles.ids;
        let moving = |slot: u32| &self.particles.moving[slot as usize];
        let [mut slot, code] = event.pair;
        let (second, other_kind) = match Met::of(code) {
            Met::Slot(other) => {
                let mut other = other;
                if ids[other as usize] < ids[slot as usize] {
                    std::mem::swap(&mut slot, &mut other);
                }
                (Partner::Particle(ids[other as usize]), Some(moving(other).kind))
            }
            Met::Wall(axis, is_high) => (Partner::Wall { axis: axis as u8, is_high }, None),
            Met::Obstacle(number) => (Partner::Obstacle(number as u32), None),
        };
        let kind = moving(slot).kind;
        if let Some(other) = other_kind {
            self.statistics.note_encounter(kind, other);
        }
        self.log.push(Collision {
            step: self.step,
            time: (self.step as f64 + event.time) * self.setup.options.time_step,
            first: ids[slot as usize],
            second,
            kind,
            other_kind,
            at: view!(self, 0.0, 1.0).wrapped(moving(slot).at),
            outcome,
        });
    }

    fn is_stuck(&self, slot: u32) -> bool {
        let count = self.particles.moving[slot as usize].count;
        count > MOST_CHANGES || self.setup.options.response == Response::Slide && count > MOST_SLIDES
    }

    fn meet_particle(&mut self, [a, b]: [u32; 2], time: f64, from: f64, until: f64) -> Outcome {
        let (normal, distance) = view!(self, from, until).normal(a, b, time);
        let moving = |slot: u32| self.particles.moving[slot as usize];
        if let Some((rule, then)) = self.rule_for(a, b) {
            let velocities = [moving(a).velocity, moving(b).velocity];
            if let Then::Bind { breaks, .. } = then {
                let view = view!(self, from, until);
                let apart = self.space.nearest(view.moving[b as usize].at(time) - view.moving[a as usize].at(time));
                let masses = &self.kinds.masses;
                self.groups.bind(&mut self.particles, [a, b], apart, masses, breaks);
                self.set_velocity(a, DVec3::ZERO, time, from, FROZEN);
            } else {
                self.reactions.push(Reaction {
                    pair: [self.particles.ids[a as usize], self.particles.ids[b as usize]],
                    rule,
                    velocities,
                });
                self.set_velocity(a, DVec3::ZERO, time, from, FROZEN);
                self.set_velocity(b, DVec3::ZERO, time, from, FROZEN);
            }
            if let Some(count) = self.statistics.rules.get_mut(rule) {
                *count += 1;
            }
            return Outcome::Rule(rule as u32);
        }
        let (one, other) = (self.lightness(a), self.lightness(b));
        let ([before_a, before_b], lightness) = ([moving(a).velocity, moving(b).velocity], one + other);
        let approach = (before_b - before_a).dot(normal).min(0.0);
        let is_stuck = self.is_stuck(a) || self.is_stuck(b) || lightness == 0.0;
        self.statistics.stuck += u64::from(is_stuck);
        let push = match self.setup.options.response {
            _ if is_stuck => None,
            Response::Stop => None,
            Response::Slide => Some(-approach / lightness),
            Response::Reflect | Response::Stick => Some(-2.0 * approach / lightness),
        };
        let (after_a, after_b) = match push {
            None => (DVec3::ZERO, DVec3::ZERO),
            Some(push) => {
                self.statistics.virial += push * distance;
                (before_a - normal * (push * one), before_b + normal * (push * other))
            }
        };
        self.set_velocity(a, after_a, time, from, 0);
        self.set_velocity(b, after_b, time, from, 0);
        Outcome::Response
    }

    /// One over the mass of what moves with a particle; nothing for what stands still until the step ends.
    fn lightness(&self, slot: u32) -> f64 {
        let moving = &self.particles.moving[slot as usize];
        if moving.state & FROZEN != 0 {
            return 0.0;
        }
        match self.particles.groups[slot as usize] {
            ALONE => 1.0 / self.kinds.masses[moving.kind as usize],
            group => 1.0 / self.groups.all[group as usize].mass,
        }
    }

    /// A rule for two that touch, if there is one and chance wants it.
    fn rule_for(&self, a: u32, b: u32) -> Option<(usize, Then)> {
        let (one, other) = (&self.particles.moving[a as usize], &self.particles.moving[b as usize]);
        let groups = [self.particles.groups[a as usize], self.particles.groups[b as usize]];
        if self.setup.options.response == Response::Stick {
            return Some((usize::MAX, Then::Bind { at_most: u32::MAX, breaks: 0.0 }));
        }
        let is_for = |(_, rule): &(usize, &Rule)| {
            rule.is_for(one.kind, other.kind)
                && match rule.then {
                    Then::Bind { at_most, .. } => {
                        groups.map(|group| self.groups.size(group)).iter().sum::<usize>() <= at_most as usize
                    }
                    // One that is bound, or has something before it already, does not change.
                    _ => groups == [ALONE; 2] && (one.state | other.state) & FROZEN == 0,
                }
        };
        let (number, rule) = self.setup.rules.iter().enumerate().find(is_for)?;
        let ids = [self.particles.ids[a as usize], self.particles.ids[b as usize]];
        let pair = [ids[0].min(ids[1]), ids[0].max(ids[1])];
        let chance =
            random::unit_of_pair(self.setup.options.seed, self.step, pair, one.count.wrapping_add(other.count));
        (chance < rule.probability).then(|| (number, rule.then.clone()))
    }

    /// Changes the path of a particle and of all that move with it.
    fn set_velocity(&mut self, slot: u32, velocity: DVec3, time: f64, from: f64, state: u16) {
        if self.particles.groups[slot as usize] == ALONE || state & GONE != 0 {
            self.change(slot, velocity, time, from, state);
            return;
        }
        let group = self.particles.groups[slot as usize] as usize;
        for at in 0..self.groups.all[group].members.len() {
            let member = self.particles.slots[self.groups.all[group].members[at] as usize];
            self.change(member, velocity, time, from, state);
        }
    }

    fn change(&mut self, slot: u32, velocity: DVec3, time: f64, from: f64, state: u16) {
        let moving = &mut self.particles.moving[slot as usize];
        self.particles.travelled[slot as usize] += moving.velocity.length() * (time - moving.since.max(from)).max(0.0);
        moving.at = moving.at(time);
        moving.since = time;
        moving.velocity = velocity;
        moving.count += 1;
        moving.state |= state;
        self.changed.push(slot);
    }

    /// Everyone arrives, and is put back into the box.
    pub(super) fn end_paths(&mut self) {
        let Particles { moving, wraps, travelled, .. } = &mut self.particles;
        let pieces = moving.par_chunks_mut(PIECE).zip(wraps.par_chunks_mut(PIECE));
        pieces.for_each(|(moving, wraps)| Arch::new().dispatch(Arrive { moving, wraps, space: self.space }));
        travelled.fill(0.0);
        if self.setup.motion == Motion::Ballistic {
            self.thaw();
        }
    }

    /// What was bound in ballistic motion goes on with the momentum of both.
    fn thaw(&mut self) {
        for group in self.groups.all.iter().filter(|group| !group.members.is_empty()) {
            for &id in &group.members {
                let moving = &mut self.particles.moving[self.particles.slots[id as usize] as usize];
                if moving.state & FROZEN != 0 {
                    moving.velocity = group.velocity;
                }
            }
        }
    }
}
