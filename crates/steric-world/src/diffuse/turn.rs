//! Molecules and clusters turn, at the beginning of a step, where nobody is in their way.
//!
//! How it works: each sphere of what turns goes along an arc, which lies within its chord made thicker by the height of the arc. Two that turn, or one that turns and one that stands,
//! cannot touch where these stay apart. Who would run into another where it stands does not turn; where two would only meet on their ways, the one with the larger number does
//! not.

use glam::{DQuat, DVec3};
use steric_collide::{SweptIndex, SweptSphere};

use super::particles::{ALONE, HAIR, View};
use super::random::{self, Purpose};
use super::rigid::Flying;
use super::setup::Motion;
use super::world::{Diffusion, view};

/// A particle that would like to turn, alone or with its cluster.
#[derive(Clone, Copy, Debug)]
struct Turning {
    /// The smallest number of those that turn together.
    mover: u32,
    turn: DQuat,
    /// The cosine of half the angle, for the height of arcs.
    half: f64,
    /// From the middle of what turns to this particle.
    arm: DVec3,
}

/// The path of a sphere: its chord, and how thick it is.
type Chord = (DVec3, DVec3, f64);

impl Diffusion {
    pub(super) fn turn(&mut self) {
        if self.setup.motion != Motion::Brownian || !self.kinds.has_trees && self.groups.is_empty() {
            return;
        }
        let mut turning: Vec<Option<Turning>> = vec![None; self.len()];
        let mut movers = 0;
        for (slot, moving) in self.particles.moving.iter().enumerate() {
            let species = &self.setup.species[moving.kind as usize];
            if self.particles.groups[slot] == ALONE && !species.atoms.is_empty() {
                let id = self.particles.ids[slot];
                turning[slot] = self.turning(id, species.rotational_diffusion, DVec3::ZERO);
                movers += u64::from(turning[slot].is_some());
            }
        }
        for group in self.groups.all.iter().filter(|group| group.members.len() > 1) {
            let slots = || group.members.iter().map(|&id| self.particles.slots[id as usize] as usize);
            let species = |slot: usize| &self.setup.species[self.particles.moving[slot].kind as usize];
            let middle =
                slots().zip(&group.places).map(|(slot, place)| *place * species(slot).mass).sum::<DVec3>() / group.mass;
            // Each member is dragged along its circle, and turned about itself.
            let drag = |(slot, place): (usize, &DVec3)| {
                let species = species(slot);
                ((*place - middle).length_squared() + 4.0 / 3.0 * species.radius.powi(2))
                    / species.diffusion.max(1e-300)
            };
            let diffusion = 1.0 / slots().zip(&group.places).map(drag).sum::<f64>();
            let mover = group.members.iter().copied().min().unwrap_or_default();
            for (slot, place) in slots().zip(&group.places) {
                turning[slot] = self.turning(mover, diffusion, *place - middle);
            }
            movers += 1;
        }
        if turning.iter().all(Option::is_none) {
            return;
        }
        let blocked = self.blocked(&turning);
        self.statistics.turns[0] += movers - blocked.len() as u64;
        self.statistics.turns[1] += blocked.len() as u64;
        self.take_turns(&turning, &blocked);
    }

    fn turning(&self, mover: u32, diffusion: f64, arm: DVec3) -> Option<Turning> {
        let width = (2.0 * diffusion * self.setup.options.time_step).sqrt();
        let mut about =
            DVec3::from_array(random::normals_of(self.setup.options.seed, self.step, Purpose::Turn, mover)) * width;
        if self.setup.dimensions == 2 {
            (about.x, about.y) = (0.0, 0.0);
        }
        let angle = about.length();
        let is_turn = angle > 0.0 && angle.is_finite();
        // No more than a quarter at once: the arc of more is no longer near its chord.
        let about = about * (angle.min(std::f64::consts::FRAC_PI_2) / angle.max(f64::MIN_POSITIVE));
        let turn = DQuat::from_scaled_axis(about);
        is_turn.then(|| Turning { mover, turn, half: (0.5 * about.length()).cos(), arm })
    }

    /// The movers that somebody is in the way of.
    fn blocked(&self, turning: &[Option<Turning>]) -> Vec<u32> {
        let view: View<'_> = view!(self, 0.0, 0.0);
        let mut index = SweptIndex::default();
        index.build(self.space, self.len(), |slot| {
            let moving = &view.moving[slot];
            let reach = turning[slot].map_or(0.0, |turning| {
                let arm = turning.arm.length();
                (turning.turn * turning.arm - turning.arm).length() + arm * (1.0 - turning.half)
            });
            let radius = self.kinds.radii[moving.kind as usize] * (1.0 + HAIR);
            SweptSphere { center: view.wrapped(moving.at), radius, reach }
        });
        let blocked = index.pairs(|a, b| {
            let (one, other) = (turning[a as usize], turning[b as usize]);
            let movers = [one, other].map(|turning| turning.map(|turning| turning.mover));
            let groups = [a, b].map(|slot| self.particles.groups[slot as usize]);
            if movers == [None; 2] || groups[0] != ALONE && groups[0] == groups[1] {
                return None;
            }
            let apart = self.space.nearest(view.moving[b as usize].at - view.moving[a as usize].at);
            let touch = |one: Option<Turning>, other: Option<Turning>| {
                let (one, other) = (chords(&view, a, one), chords(&view, b, other));
                one.iter().any(|&(from, to, thick)| {
                    other.iter().any(|&(start, end, other)| {
                        let reach = (thick + other) * (1.0 + HAIR);
                        distance([from, to], [apart + start, apart + end]) < reach
                    })
                })
            };
            // Whoever is in the way where it stands stops the other; of two that are so only on their ways, the first may go.
            if !touch(one, other) {
                return None;
            }
            let stopped = [one.is_some() && touch(one, None), other.is_some() && touch(None, other)];
            let later = usize::from(movers[1] > movers[0]);
            Some(match stopped {
                [false, false] => [movers[later], None],
                [first, second] => [movers[0].filter(|_| first), movers[1].filter(|_| second)],
            })
        });
        let mut blocked: Vec<u32> = blocked.into_iter().flatten().flatten().collect();
        if view.has_walls() {
            let is_blocked = |slot: u32, turning: &Turning| {
                let at = view.moving[slot as usize].at;
                chords(&view, slot, Some(*turning)).iter().any(|&(from, to, thick)| {
                    let thick = thick * (1.0 + HAIR) + 0.5 * (to - from).length();
                    self.is_in_wall(at + 0.5 * (from + to), thick)
                })
            };
            let slots = turning.iter().enumerate().filter_map(|(slot, turning)| Some((slot as u32, turning.as_ref()?)));
            blocked
                .extend(slots.filter(|(slot, turning)| is_blocked(*slot, turning)).map(|(_, turning)| turning.mover));
        }
        blocked.sort_unstable();
        blocked.dedup();
        blocked
    }

    /// Whether a ball at a place would be in a wall or an obstacle.
    fn is_in_wall(&self, at: DVec3, radius: f64) -> bool {
        let is_beyond = |axis: usize| {
            let (low, high) = (self.setup.bounds.low[axis] + radius, self.setup.bounds.high[axis] - radius);
            !self.space.repeats[axis] && !(low..=high).contains(&at[axis])
        };
        let is_inside = |obstacle: &super::Obstacle| obstacle.outside_in(&self.space, at) < radius;
        (0..self.setup.dimensions).any(is_beyond) || self.setup.obstacles.iter().any(is_inside)
    }

    fn take_turns(&mut self, turning: &[Option<Turning>], blocked: &[u32]) {
        for (slot, turning) in turning.iter().enumerate() {
            let Some(turning) = turning.filter(|turning| blocked.binary_search(&turning.mover).is_err()) else {
                continue;
            };
            if let Some(turn) = self.particles.turns.get_mut(slot) {
                *turn = (turning.turn * *turn).normalize();
            }
            self.particles.moving[slot].at += turning.turn * turning.arm - turning.arm;
        }
        for group in self.groups.all.iter_mut().filter(|group| group.members.len() > 1) {
            let first = self.particles.slots[group.members[0] as usize] as usize;
            let Some(turning) = turning[first].filter(|turning| blocked.binary_search(&turning.mover).is_err()) else {
                continue;
            };
            group.places.iter_mut().for_each(|place| *place = turning.turn * *place);
        }
    }
}

/// The paths of the spheres of a particle, from where its middle is.
fn chords(view: &View<'_>, slot: u32, turning: Option<Turning>) -> Vec<Chord> {
    let flying: Flying<'_> = view.flying(slot);
    flying
        .spheres()
        .map(|(at, radius)| match turning {
            None => (at, at, radius),
            Some(turning) => {
                let arm = turning.arm + at;
                (at, turning.turn * arm - turning.arm, radius + arm.length() * (1.0 - turning.half))
            }
        })
        .collect()
}

/// The distance of two segments (Ericson 2005, section 5.1.9).
fn distance([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> f64 {
    let (d1, d2, gap) = (q - p, s - r, p - r);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(gap));
    let (c, b) = (d1.dot(gap), d1.dot(d2));
    let denominator = a * e - b * b;
    let mut along = if denominator > 0.0 { ((b * f - c * e) / denominator).clamp(0.0, 1.0) } else { 0.0 };
    let mut other = if e > 0.0 { (b * along + f) / e } else { 0.0 };
    if !(0.0..=1.0).contains(&other) || e == 0.0 {
        other = other.clamp(0.0, 1.0);
        along = if a > 0.0 { ((b * other - c) / a).clamp(0.0, 1.0) } else { 0.0 };
    }
    (p + d1 * along - (r + d2 * other)).length()
}
