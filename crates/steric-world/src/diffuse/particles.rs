//! Where particles are, and what can be asked about two of them.
//!
//! How it works: within a step time runs from 0 to 1. A particle holds where it was when its path last changed, and its velocity since then; nobody
//! is moved before it is touched or the step ends. So the time of a contact depends on the paths of the two alone, and not on who asks, or when: every strategy gets the same
//! bits.

use glam::{DQuat, DVec3};
use steric_collide::{Swept, SweptBox, SweptSphere};

use super::contact::{first_touch, touch_before};
use super::obstacle::Obstacle;
use super::rigid::{self, Flying, Tree};
use super::setup::{Bounds, Edge, Species};

/// Radii are this much larger in contacts, in parts of themselves: more than all rounding, less than anyone sees. So what touches never overlaps.
pub(super) const HAIR: f64 = 1e-9;
/// The group of those that are alone.
pub(super) const ALONE: u32 = u32::MAX;
/// It stays where it is until the step ends.
pub(super) const FROZEN: u16 = 1;
/// It is gone when the step ends.
pub(super) const GONE: u16 = 2;

/// One particle: a line of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Moving {
    /// Where it was when its path last changed.
    pub(super) at: DVec3,
    /// When that was; 0 is the beginning of the step and 1 its end.
    pub(super) since: f64,
    /// Angstroms in a step.
    pub(super) velocity: DVec3,
    /// How often its path has changed in this step.
    pub(super) count: u32,
    pub(super) kind: u16,
    pub(super) state: u16,
}

impl Moving {
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> DVec3 {
        self.at + self.velocity * (time - self.since)
    }
}

/// What is the same for all particles of a species.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    pub(super) radii: Vec<f64>,
    pub(super) masses: Vec<f64>,
    pub(super) trees: Vec<Option<Tree>>,
    pub(super) has_trees: bool,
}

impl Kinds {
    pub(super) fn new(species: &[Species]) -> Self {
        let trees: Vec<Option<Tree>> =
            species.iter().map(|species| (!species.atoms.is_empty()).then(|| Tree::new(&species.atoms))).collect();
        Self {
            radii: species.iter().map(|species| species.radius).collect(),
            masses: species.iter().map(|species| species.mass).collect(),
            has_trees: trees.iter().any(Option::is_some),
            trees,
        }
    }
}

/// All particles, in slots that are sorted now and then; a particle keeps its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Particles {
    pub(super) moving: Vec<Moving>,
    /// The number of the particle in each slot.
    pub(super) ids: Vec<u32>,
    /// The slot of each number, or nothing for those that are gone.
    pub(super) slots: Vec<u32>,
    /// How often each has gone around the box.
    pub(super) wraps: Vec<[i32; 3]>,
    /// How molecules are turned; empty where there are only spheres.
    pub(super) turns: Vec<DQuat>,
    /// The cluster of each.
    pub(super) groups: Vec<u32>,
    /// The length of each path since the window began, up to its last change.
    pub(super) travelled: Vec<f64>,
}

/// The slot of a number that is gone.
pub(super) const NOWHERE: u32 = u32::MAX;

impl Particles {
    pub(super) fn add(&mut self, kind: u16, at: DVec3, velocity: DVec3, turn: Option<DQuat>) -> u32 {
        let slot = self.moving.len() as u32;
        self.moving.push(Moving { at, since: 0.0, velocity, count: 0, kind, state: 0 });
        self.ids.push(self.slots.len() as u32);
        self.slots.push(slot);
        self.wraps.push([0; 3]);
        self.turns.extend(turn);
        self.groups.push(ALONE);
        self.travelled.push(0.0);
        slot
    }

    pub(super) fn len(&self) -> usize {
        self.moving.len()
    }

    /// Puts the particles of some slots, and no others, in this order.
    pub(super) fn keep(&mut self, order: &[u32]) {
        fn pick<T: Copy>(all: &mut Vec<T>, order: &[u32]) {
            if !all.is_empty() {
                *all = order.iter().map(|&slot| all[slot as usize]).collect();
            }
        }
        pick(&mut self.moving, order);
        pick(&mut self.ids, order);
        pick(&mut self.wraps, order);
        pick(&mut self.turns, order);
        pick(&mut self.groups, order);
        pick(&mut self.travelled, order);
        self.slots.fill(NOWHERE);
        for (slot, &id) in self.ids.iter().enumerate() {
            self.slots[id as usize] = slot as u32;
        }
    }
}

/// What a particle can run into besides others.
pub(super) const OTHERS: u32 = 0x8000_0000;
/// The first obstacle; walls come before.
const OBSTACLES: u32 = OTHERS + 8;

/// Who a particle touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Met {
    Slot(u32),
    /// An axis, and whether it is the upper wall.
    Wall(usize, bool),
    Obstacle(usize),
}

impl Met {
    pub(super) fn of(code: u32) -> Self {
        match code {
            0..OTHERS => Self::Slot(code),
            OTHERS..OBSTACLES => Self::Wall(((code - OTHERS) / 2) as usize, code & 1 == 1),
            _ => Self::Obstacle((code - OBSTACLES) as usize),
        }
    }
}

/// Everything that contacts depend on, as it is in a window of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) moving: &'a [Moving],
    pub(super) turns: &'a [DQuat],
    pub(super) groups: &'a [u32],
    pub(super) travelled: &'a [f64],
    pub(super) kinds: &'a Kinds,
    pub(super) space: SweptBox,
    /// Half an edge of the box along axes that repeat; farther apart than that, another copy is nearer.
    pub(super) half: DVec3,
    pub(super) bounds: &'a Bounds,
    pub(super) dimensions: usize,
    pub(super) obstacles: &'a [Obstacle],
    /// Whether anyone is in a cluster.
    pub(super) has_groups: bool,
    pub(super) from: f64,
    pub(super) until: f64,
}

impl Swept for View<'_> {
    /// A particle as it goes in this window.
    #[inline(always)]
    fn sphere(&self, slot: usize) -> SweptSphere {
        let since = self.moving[slot].since;
        // Not by `max`, which would look for what is no number.
        let bound = self.bound_from(slot as u32, if since > self.from { since } else { self.from });
        SweptSphere { center: self.wrapped(bound.center), ..bound }
    }
}

impl<'a> View<'a> {
    #[inline(always)]
    pub(super) fn radius(&self, slot: u32) -> f64 {
        self.kinds.radii[self.moving[slot as usize].kind as usize]
    }

    /// How far a particle still goes from a time on, in this window.
    #[inline(always)]
    pub(super) fn left(&self, slot: u32, time: f64) -> f64 {
        self.moving[slot as usize].velocity.length() * (self.until - time)
    }

    /// A particle with its bound at the beginning of the window.
    #[inline(always)]
    pub(super) fn swept(&self, slot: usize) -> SweptSphere {
        let moving = &self.moving[slot];
        let from = self.from.max(moving.since);
        SweptSphere {
            center: self.wrapped(moving.at(from)),
            radius: self.kinds.radii[moving.kind as usize] * (1.0 + HAIR),
            reach: moving.velocity.length() * (self.until - from),
        }
    }

    /// A particle from a time on: it stays near to the middle of its path, half as far as from where it stands. The middle may lie beyond a border that repeats.
    #[inline(always)]
    pub(super) fn bound_from(&self, slot: u32, time: f64) -> SweptSphere {
        SweptSphere {
            center: self.moving[slot as usize].at(0.5 * (time + self.until)),
            radius: self.radius(slot) * (1.0 + HAIR),
            reach: 0.5 * self.left(slot, time),
        }
    }

    /// The copy of a place that lies in the box.
    #[inline(always)]
    pub(super) fn wrapped(&self, at: DVec3) -> DVec3 {
        let from_low = at - self.space.low;
        let is_in = |axis: usize| (0.0..self.space.edges[axis]).contains(&from_low[axis]);
        if is_in(0) && is_in(1) && is_in(2) { at } else { self.brought_back(at) }
    }

    #[cold]
    fn brought_back(&self, mut at: DVec3) -> DVec3 {
        for axis in 0..3 {
            let from_low = at[axis] - self.space.low[axis];
            if self.space.repeats[axis] && !(0.0..self.space.edges[axis]).contains(&from_low) {
                at[axis] -= self.space.edges[axis] * (from_low / self.space.edges[axis]).floor();
            }
        }
        at
    }

    pub(super) fn flying(&self, slot: u32) -> Flying<'a> {
        let kind = self.moving[slot as usize].kind as usize;
        Flying {
            tree: self.kinds.trees[kind].as_ref(),
            radius: self.kinds.radii[kind],
            turn: self.turns.get(slot as usize).copied().unwrap_or(DQuat::IDENTITY),
        }
    }

    /// From one particle to the nearest copy of another, from when on that holds, and how it changes.
    #[inline(always)]
    fn apart(&self, first: u32, second: u32) -> (f64, DVec3, DVec3) {
        let (a, b) = (&self.moving[first as usize], &self.moving[second as usize]);
        let from = a.since.max(b.since);
        let mut apart = b.at(from) - a.at(from);
        let motion = b.velocity - a.velocity;
        // The copy is chosen when the window begins: that no other comes near before it ends was seen to.
        let seen = if from < self.from { apart + motion * (self.from - from) } else { apart };
        let size = seen.abs();
        let turns = if size.cmpgt(3.0 * self.half).any() {
            self.turns_between(seen)
        } else {
            // Once around at most: no division, and no branch, as nobody could foretell it.
            let around = |size: f64, half: f64, seen: f64| {
                f64::from_bits(1f64.copysign(seen).to_bits() & u64::from(size > half).wrapping_neg())
            };
            DVec3::new(
                around(size.x, self.half.x, seen.x),
                around(size.y, self.half.y, seen.y),
                around(size.z, self.half.z, seen.z),
            )
        };
        apart -= turns * self.space.edges;
        (from, apart, motion)
    }

    /// How many times around the box a difference between two places leads, along each axis.
    #[cold]
    fn turns_between(&self, apart: DVec3) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|axis| match self.space.repeats[axis] {
            true => (apart[axis] / self.space.edges[axis]).round(),
            false => 0.0,
        }))
    }

    /// When two particles touch in this window.
    #[inline(always)]
    pub(super) fn contact(&self, first: u32, second: u32) -> Option<f64> {
        let (a, b) = (&self.moving[first as usize], &self.moving[second as usize]);
        if (a.state | b.state) & GONE != 0 {
            return None;
        }
        if self.has_groups
            && self.groups[first as usize] != ALONE
            && self.groups[first as usize] == self.groups[second as usize]
        {
            return None;
        }
        let (from, apart, motion) = self.apart(first, second);
        let time = if self.kinds.has_trees {
            self.molecules_touch(first, second, apart, motion, self.until - from)?.0
        } else {
            let reach = (self.kinds.radii[a.kind as usize] + self.kinds.radii[b.kind as usize]) * (1.0 + HAIR);
            touch_before(apart, motion, reach, self.until - from)?
        };
        let time = (from + time).max(self.from);
        (time < self.until).then_some(time)
    }

    fn molecules_touch(
        &self,
        first: u32,
        second: u32,
        apart: DVec3,
        motion: DVec3,
        until: f64,
    ) -> Option<(f64, DVec3)> {
        // Who comes first must not matter, to the last bit.
        if first > second {
            return self.molecules_touch(second, first, -apart, -motion, until).map(|(time, gap)| (time, -gap));
        }
        let (one, other) = (self.flying(first), self.flying(second));
        if one.tree.is_none() && other.tree.is_none() {
            let time = first_touch(apart, motion, (one.radius + other.radius) * (1.0 + HAIR))?;
            return Some((time, apart + motion * time));
        }
        rigid::first_contact(&one, &other, apart, motion, HAIR, until)
    }

    /// The direction from the first to the second where they touch at a time, and how far apart their middles are along it.
    pub(super) fn normal(&self, first: u32, second: u32, time: f64) -> (DVec3, f64) {
        let (from, apart, motion) = self.apart(first, second);
        let middles = apart + motion * (time - from);
        let gap = if self.kinds.has_trees {
            self.molecules_touch(first, second, apart, motion, f64::INFINITY).map_or(middles, |(_, gap)| gap)
        } else {
            middles
        };
        let normal = self.flat(gap);
        (normal, middles.dot(normal))
    }

    /// A direction of length 1, in the plane where there is only a plane.
    fn flat(&self, mut direction: DVec3) -> DVec3 {
        if self.dimensions == 2 {
            direction.z = 0.0;
        }
        direction.normalize_or(DVec3::X)
    }

    /// What besides other particles each runs into first in this window, with the direction away from it.
    pub(super) fn wall(&self, slot: u32) -> Option<(f64, u32, DVec3)> {
        let moving = &self.moving[slot as usize];
        if moving.state & GONE != 0 {
            return None;
        }
        let mut first: Option<(f64, u32, DVec3)> = None;
        let mut take = |time: f64, code: u32, normal: DVec3| {
            if time < first.map_or(self.until, |known| known.0) {
                first = Some((time, code, normal));
            }
        };
        for axis in 0..self.dimensions {
            if self.bounds.edges[axis] == Edge::Periodic || moving.velocity[axis] == 0.0 {
                continue;
            }
            let is_high = moving.velocity[axis] > 0.0;
            let sign = if is_high { 1.0 } else { -1.0 };
            let extent = self.extent(slot, DVec3::AXES[axis] * sign) * (1.0 + HAIR);
            let wall = if is_high { self.bounds.high[axis] } else { self.bounds.low[axis] };
            let gap = (wall - moving.at[axis]) * sign - extent;
            let time = moving.since + (gap / moving.velocity[axis].abs()).max(0.0);
            take(time.max(self.from), OTHERS + 2 * axis as u32 + u32::from(is_high), DVec3::AXES[axis] * -sign);
        }
        for (number, obstacle) in self.obstacles.iter().enumerate() {
            for (at, radius) in self.flying(slot).spheres() {
                let left = self.until - moving.since;
                let radius = radius * (1.0 + HAIR);
                if let Some((time, normal)) =
                    obstacle.touch_in(&self.space, moving.at + at, moving.velocity, radius, left)
                {
                    take((moving.since + time).max(self.from), OBSTACLES + number as u32, self.flat(normal));
                }
            }
        }
        first
    }

    /// How far a particle extends from its middle along a direction.
    pub(super) fn extent(&self, slot: u32, direction: DVec3) -> f64 {
        let flying = self.flying(slot);
        if flying.tree.is_none() {
            return flying.radius;
        }
        flying.spheres().map(|(at, radius)| at.dot(direction) + radius).fold(f64::NEG_INFINITY, f64::max)
    }

    pub(super) fn has_walls(&self) -> bool {
        !self.obstacles.is_empty() || self.bounds.edges[..self.dimensions].iter().any(|edge| *edge != Edge::Periodic)
    }
}
