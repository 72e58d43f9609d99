//! What rules do when a step has ended: products get their places, bonds open, and some fall apart.
//!
//! How it works: two that a rule is for stand still from their contact to the end of the step. Then everyone is at a known place, and a product is put where it overlaps
//! nobody: between the two, or where one of them was. Where there is no such place nothing happens, and that is counted. What falls apart is put down side by side, in
//! a direction that has room.

use glam::{DQuat, DVec3};
use rustc_hash::FxHashMap;
use steric_collide::{SweptIndex, SweptSphere};
use steric_model::Random;

use super::particles::{ALONE, GONE, HAIR, View};
use super::random::{self, Purpose};
use super::rigid::{self, Flying};
use super::setup::{Motion, Then};
use super::world::{Diffusion, Reaction, view};

/// Directions that are tried for two that fall apart.
const DIRECTIONS: usize = 24;

/// Who stands where at the end of a step.
struct Room {
    index: SweptIndex,
    /// New particles, by the one in whose place they came.
    twins: FxHashMap<u32, Vec<u32>>,
}

/// A particle that would like to stand somewhere.
#[derive(Clone, Copy, Debug)]
struct Wish {
    kind: u16,
    at: DVec3,
    turn: DQuat,
}

impl Diffusion {
    pub(super) fn apply_rules(&mut self) {
        let mut room = None;
        let reactions = std::mem::take(&mut self.reactions);
        for reaction in &reactions {
            self.react(reaction, &mut room);
        }
        self.open_bonds();
        if !self.setup.decays.is_empty() {
            self.decay(&mut room);
        }
        if self.statistics.absorbed > 0 || !reactions.is_empty() || room.is_some() {
            self.bury();
        }
    }

    fn room(&self) -> Room {
        let mut index = SweptIndex::default();
        let view = view!(self, 0.0, 0.0);
        index.build(self.space, self.len(), |slot| SweptSphere {
            center: view.moving[slot].at,
            radius: view.radius(slot as u32) * (1.0 + HAIR),
            reach: 0.0,
        });
        Room { index, twins: FxHashMap::default() }
    }

    /// Whether a particle overlaps nobody at a place, but for some that are about to leave.
    fn fits(&self, room: &Room, wish: &Wish, leaving: &[u32]) -> bool {
        let view: View<'_> = view!(self, 0.0, 0.0);
        let kind = wish.kind as usize;
        let radius = self.kinds.radii[kind];
        let own = Flying { tree: self.kinds.trees[kind].as_ref(), radius, turn: wish.turn };
        for (at, radius) in own.spheres() {
            let place = wish.at + at;
            for axis in 0..self.setup.dimensions {
                let (low, high) = (self.setup.bounds.low[axis], self.setup.bounds.high[axis]);
                let reach = radius * (1.0 + HAIR);
                if !self.space.repeats[axis] && !(low + reach..=high - reach).contains(&place[axis]) {
                    return false;
                }
            }
            let is_clear =
                |obstacle: &super::Obstacle| obstacle.outside_in(&self.space, place) >= radius * (1.0 + HAIR);
            if !self.setup.obstacles.iter().all(is_clear) {
                return false;
            }
        }
        let overlaps = |slot: u32| {
            let other = view.flying(slot);
            let apart = self.space.nearest(view.moving[slot as usize].at - wish.at);
            let near = HAIR * (radius + other.radius);
            let is_there = !leaving.contains(&slot) && view.moving[slot as usize].state & GONE == 0;
            is_there && rigid::depth(&own, &other, apart) > -near
        };
        let mut is_free = true;
        let sphere = SweptSphere { center: wish.at, radius: radius * (1.0 + 2.0 * HAIR), reach: 0.0 };
        room.index.near(sphere, |slot| {
            let twins = room.twins.get(&slot).into_iter().flatten().copied();
            is_free = is_free && !overlaps(slot) && !twins.into_iter().any(overlaps);
        });
        is_free
    }

    /// Changes what a particle is and where it stands, and tells the index.
    fn become_at(&mut self, room: &mut Room, slot: u32, wish: &Wish) {
        let moved = self.space.nearest(wish.at - self.particles.moving[slot as usize].at).length();
        room.index.raise(slot, self.kinds.radii[wish.kind as usize] * (1.0 + HAIR), moved);
        let moving = &mut self.particles.moving[slot as usize];
        (moving.kind, moving.at) = (wish.kind, wish.at);
        if let Some(turn) = self.particles.turns.get_mut(slot as usize) {
            *turn = wish.turn;
        }
    }

    fn react(&mut self, reaction: &Reaction, room: &mut Option<Room>) {
        let mut slots = reaction.pair.map(|id| self.particles.slots[id as usize]);
        let mut velocities = reaction.velocities;
        let rule = self.setup.rules[reaction.rule].clone();
        if self.particles.moving[slots[0] as usize].kind != rule.first {
            slots.swap(0, 1);
            velocities.swap(0, 1);
        }
        let [a, b] = slots;
        let both = [self.particles.moving[a as usize], self.particles.moving[b as usize]];
        let masses = both.map(|moving| self.kinds.masses[moving.kind as usize]);
        let restore = |run: &mut Self| {
            // In ballistic motion they go on as they came; Brownian motion draws anew.
            if run.setup.motion == Motion::Ballistic {
                run.particles.moving[a as usize].velocity = -velocities[0];
                run.particles.moving[b as usize].velocity = -velocities[1];
            }
        };
        if rule.then == Then::Vanish {
            slots.iter().for_each(|&slot| self.particles.moving[slot as usize].state |= GONE);
            return;
        }
        let mut room_now = room.take().unwrap_or_else(|| self.room());
        let turn = self.any_turn(reaction.pair[0]);
        let apart = self.space.nearest(both[1].at - both[0].at);
        let is_done = match rule.then {
            Then::Merge(kind) => {
                let middle = both[0].at + apart * (masses[1] / (masses[0] + masses[1]));
                // Who stays what it is stays where it is.
                let places = match () {
                    () if both[0].kind == kind => [both[0].at, middle, both[1].at],
                    () if both[1].kind == kind => [both[1].at, middle, both[0].at],
                    () => [middle, both[0].at, both[1].at],
                };
                let wishes = places.map(|at| Wish { kind, at: view!(self, 0.0, 0.0).wrapped(at), turn });
                let found = wishes.into_iter().find(|wish| self.fits(&room_now, wish, &slots));
                if let Some(wish) = found {
                    self.become_at(&mut room_now, a, &wish);
                    self.particles.moving[b as usize].state |= GONE;
                    let momentum = velocities[0] * masses[0] + velocities[1] * masses[1];
                    self.particles.moving[a as usize].velocity = momentum / self.kinds.masses[kind as usize];
                }
                found.is_some()
            }
            Then::Become(first, second) => {
                let wish = |kind, at| Wish { kind, at, turn };
                let (one, other) = (wish(first, both[0].at), wish(second, both[1].at));
                let reach = (self.kinds.radii[first as usize] + self.kinds.radii[second as usize]) * (1.0 + HAIR);
                let fits = apart.length() >= reach
                    && self.fits(&room_now, &one, &slots)
                    && self.fits(&room_now, &other, &slots);
                if fits {
                    self.become_at(&mut room_now, a, &one);
                    self.become_at(&mut room_now, b, &other);
                    restore(self);
                }
                fits
            }
            Then::Vanish | Then::Bind { .. } => true,
        };
        if !is_done {
            self.statistics.postponed += 1;
            self.statistics.rules[reaction.rule] -= 1;
            restore(self);
        }
        *room = Some(room_now);
    }

    fn any_turn(&self, id: u32) -> DQuat {
        if !self.kinds.has_trees {
            return DQuat::IDENTITY;
        }
        let turn = Random::of(self.setup.options.seed ^ self.step, u64::from(id)).rotation();
        if self.setup.dimensions == 2 { DQuat::from_rotation_z(turn.x * 3.0) } else { turn }
    }

    fn open_bonds(&mut self) {
        if self.groups.bonds.is_empty() {
            return;
        }
        let (seed, step, dt) = (self.setup.options.seed, self.step, self.setup.options.time_step);
        let gone: Vec<bool> = (self.particles.slots.iter())
            .map(|&slot| self.particles.moving.get(slot as usize).is_none_or(|moving| moving.state & GONE != 0))
            .collect();
        let opened = self.groups.open(&mut self.particles, &self.kinds.masses, |bond| {
            let chance = 1.0 - (-bond.breaks * dt).exp();
            let is_cut = bond.pair.iter().any(|&id| gone[id as usize]);
            is_cut || bond.breaks > 0.0 && random::unit_of_pair(seed, step, bond.pair, u32::MAX >> 5) < chance
        });
        self.statistics.opened += opened as u64;
    }

    fn decay(&mut self, room: &mut Option<Room>) {
        let (seed, dt) = (self.setup.options.seed, self.setup.options.time_step);
        for slot in 0..self.len() as u32 {
            let moving = self.particles.moving[slot as usize];
            if moving.state & GONE != 0 || self.particles.groups[slot as usize] != ALONE {
                continue;
            }
            let rates = self.setup.decays.iter().map(|decay| if decay.kind == moving.kind { decay.rate } else { 0.0 });
            let total: f64 = rates.clone().sum();
            if total <= 0.0 {
                continue;
            }
            let id = self.particles.ids[slot as usize];
            let [chance, which, ..] = random::units_of(seed, self.step, Purpose::Decay, id);
            if chance >= 1.0 - (-total * dt).exp() {
                continue;
            }
            let mut share = which * total;
            let chosen = rates.enumerate().find(|(_, rate)| {
                share -= rate;
                share < 0.0
            });
            let Some((number, _)) = chosen else { continue };
            let into = self.setup.decays[number].into.clone();
            let mut room_now = room.take().unwrap_or_else(|| self.room());
            let is_done = self.fall_into(&mut room_now, slot, &into);
            *room = Some(room_now);
            if is_done {
                self.statistics.decays[number] += 1;
            } else {
                self.statistics.postponed += 1;
            }
        }
    }

    /// Puts what a particle falls into in its place; false where there is no room.
    fn fall_into(&mut self, room: &mut Room, slot: u32, into: &[u16]) -> bool {
        let moving = self.particles.moving[slot as usize];
        let id = self.particles.ids[slot as usize];
        let turn = self.any_turn(id);
        match *into {
            [] => self.particles.moving[slot as usize].state |= GONE,
            [kind] => {
                let wish = Wish { kind, at: moving.at, turn };
                if !self.fits(room, &wish, &[slot]) {
                    return false;
                }
                self.become_at(room, slot, &wish);
            }
            [first, second, ..] => {
                let mut random = Random::of(self.setup.options.seed ^ self.step.rotate_left(32), u64::from(id));
                let [one, other] = [first, second].map(|kind| self.kinds.radii[kind as usize]);
                let [heavy, light] = [first, second].map(|kind| self.kinds.masses[kind as usize]);
                let distance = (one + other) * (1.0 + 3.0 * HAIR);
                let found = (0..DIRECTIONS).find_map(|_| {
                    let mut direction = random.direction();
                    if self.setup.dimensions == 2 {
                        direction.z = 0.0;
                        direction = direction.normalize_or(DVec3::X);
                    }
                    let view: View<'_> = view!(self, 0.0, 0.0);
                    let at = |share: f64| view.wrapped(moving.at + direction * (share * distance));
                    let a = Wish { kind: first, at: at(light / (heavy + light)), turn };
                    let b = Wish { kind: second, at: at(-heavy / (heavy + light)), turn };
                    (self.fits(room, &a, &[slot]) && self.fits(room, &b, &[slot])).then_some((a, b))
                });
                let Some((a, b)) = found else { return false };
                self.become_at(room, slot, &a);
                let turn = self.kinds.has_trees.then_some(turn);
                let new = self.particles.add(second, b.at, moving.velocity, turn);
                // The index finds it through the one in whose place it came.
                let moved = self.space.nearest(b.at - moving.at).length();
                room.index.raise(slot, self.kinds.radii[second as usize] * (1.0 + HAIR), moved);
                room.twins.entry(slot).or_default().push(new);
            }
        }
        true
    }

    /// Takes those out of memory that are gone.
    fn bury(&mut self) {
        let stays: Vec<u32> =
            (0..self.len() as u32).filter(|&slot| self.particles.moving[slot as usize].state & GONE == 0).collect();
        if stays.len() < self.len() {
            self.particles.keep(&stays);
        }
    }
}
