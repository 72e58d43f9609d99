//! One step of bodies that exchange momentum.

use glam::{DQuat, DVec3};

use super::{Tumble, Tumbler};
use crate::dock::impulse::{Joint, Mover, collide, solve};
use crate::dock::solid::motion::{Motion, Moving, first_touch};
use crate::dock::touch::{Contact, TOUCHING};

/// A step is cut so often at most; what is left of it then is not done.
const MOST_CUTS: u32 = 60;
/// A body turns no farther than this at once, in radians, if its spin changes as it turns.
const MOST_TURN: f64 = 0.02;
/// Bodies nearer than this touch, in angstroms: a little more than where a motion stops.
const NEAR: f64 = 2.0 * TOUCHING;
/// Bodies that rest and are nearer than this are lifted, in angstroms.
const TOO_NEAR: f64 = 0.1 * TOUCHING;

/// Without gravity only overlaps deeper than this are undone, in angstroms: it costs angular momentum.
const DEEP: f64 = 5e-4;

type Touching = ([usize; 2], Contact);

impl Tumble {
    /// Goes on by some seconds.
    pub fn step(&mut self, seconds: f64) {
        if !(seconds > 0.0 && seconds.is_finite() && self.gravity.is_finite()) {
            return;
        }
        // What gravity alone does in a step is no hit: it could not be told from rest.
        let slow = 2.0 * self.gravity.length() * seconds;
        let mut left = seconds;
        let mut is_stuck = vec![false; self.bodies.len()];
        for _ in 0..MOST_CUTS {
            let before = self.energy();
            self.lift();
            let contacts = outermost(&self.contacts(NEAR));
            self.bounce(&contacts, slow);
            let ends = self.held(&contacts, left);
            let motion = |((body, end), &is_stuck): ((&Tumbler, &[DVec3; 2]), &bool)| {
                if is_stuck { Motion::none(body.pose) } else { body.motion(end, left, self.gravity * left) }
            };
            let motions: Vec<Motion> = self.bodies.iter().zip(&ends).zip(&is_stuck).map(motion).collect();
            let (part, pair) = self.free_part(&motions);
            if let Some(pair) = pair.filter(|_| part < 1e-9 && self.gravity != DVec3::ZERO) {
                // They are pressed together from more sides than the impulses could agree upon: they wait for the next step, slower.
                for number in pair.into_iter().filter(|&number| !std::mem::replace(&mut is_stuck[number], true)) {
                    self.bodies[number].velocity *= 0.5;
                    self.bodies[number].turning *= 0.5;
                }
                continue;
            }
            self.go(&motions, &ends, part, &is_stuck);
            self.keep_energy(before, &contacts, &motions);
            left *= 1.0 - part;
            if left <= 1e-12 * seconds {
                break;
            }
        }
    }

    fn movers_now(&self) -> Vec<Mover> {
        self.bodies.iter().map(Tumbler::mover).collect()
    }

    fn joints(&self, movers: &[Mover], contacts: &[Touching]) -> Vec<Joint> {
        let joint = |(bodies, contact): &Touching| {
            let [one, other] = bodies.map(|number| &self.bodies[number]);
            let shared = |one: f64, other: f64| (one.max(0.0) * other.max(0.0)).sqrt();
            let arms = [one, other].map(|body| contact.point - body.center());
            // Those that roll around each other too near keep what little speed brings them nearer, or they would never come apart.
            let elasticity = if contact.gap < TOO_NEAR { 1.0 } else { shared(one.elasticity, other.elasticity) };
            Joint::new(movers, *bodies, arms, contact.normal).made_of(elasticity, shared(one.friction, other.friction))
        };
        contacts.iter().map(joint).collect()
    }

    /// Those that touch and come nearer bounce.
    fn bounce(&mut self, contacts: &[Touching], slow: f64) {
        let mut movers = self.movers_now();
        let mut joints = self.joints(&movers, contacts);
        collide(&mut movers, &mut joints, slow);
        for (body, mover) in self.bodies.iter_mut().zip(&movers) {
            body.velocity = mover.velocity;
            body.turning += mover.turned;
        }
    }

    /// What each body's velocity and angular momentum will be, by gravity and what holds against it.
    fn held(&self, contacts: &[Touching], seconds: f64) -> Vec<[DVec3; 2]> {
        let mut movers = self.movers_now();
        let mut joints = self.joints(&movers, contacts);
        for (joint, (_, contact)) in joints.iter_mut().zip(contacts) {
            // On the way the mean of both velocities counts: who leaves may come back as fast, and gains nothing by it.
            let leaves = joint.opening(&movers).max(0.0);
            joint.least = -leaves - 2.0 * (contact.gap - TOUCHING).max(0.0) / seconds;
        }
        for mover in movers.iter_mut().filter(|mover| mover.inverse_mass > 0.0) {
            mover.velocity += self.gravity * seconds;
        }
        if self.gravity != DVec3::ZERO {
            solve(&mut movers, &mut joints);
        }
        self.bodies.iter().zip(&movers).map(|(body, mover)| [mover.velocity, body.turning + mover.turned]).collect()
    }

    /// The part of the way until any two touch, and which.
    fn free_part(&self, motions: &[Motion]) -> (f64, Option<[usize; 2]>) {
        let mut pair = None;
        let mut best = self.bodies.iter().zip(motions).map(|(body, motion)| body.longest(motion)).fold(1.0, f64::min);
        let way = |number: usize| motions[number].shift.length() + motions[number].drop.length();
        for (one, body) in self.bodies.iter().enumerate() {
            for (other, stays) in self.bodies.iter().enumerate().skip(one + 1) {
                let apart = body.center().distance(stays.center()) - body.solid.reach() - stays.solid.reach();
                if (body.is_fixed() && stays.is_fixed()) || apart > way(one) + way(other) + TOUCHING {
                    continue;
                }
                let numbers = [one, other];
                let one = Moving { solid: &body.solid, motion: &motions[one] };
                let other = Moving { solid: &stays.solid, motion: &motions[other] };
                // The one with more pieces is the one whose tree is asked.
                let (few, many) = if one.solid.parts() <= other.solid.parts() { (one, other) } else { (other, one) };
                if let Some(part) = first_touch(few, many, [0.0, best], 0.0) {
                    (best, pair) = (part, Some(numbers));
                }
            }
        }
        (best, pair)
    }

    fn go(&mut self, motions: &[Motion], ends: &[[DVec3; 2]], part: f64, is_stuck: &[bool]) {
        for (number, body) in self.bodies.iter_mut().enumerate() {
            if body.is_fixed() || is_stuck[number] {
                continue;
            }
            let [velocity, turning] = ends[number];
            body.pose = motions[number].at(part);
            body.velocity += (velocity - body.velocity) * part;
            body.turning += (turning - body.turning) * part;
        }
    }

    /// Lifts bodies that overlap, or that rest too near, by moving them and not by a push. Those that are lifted against gravity pay for it with their
    /// motion, and who cannot pay stays.
    fn lift(&mut self) {
        let rests = self.gravity != DVec3::ZERO;
        // Without gravity nothing presses them together, and they come apart by themselves.
        let contacts = self.contacts(if rests { TOO_NEAR } else { -DEEP });
        let mut moves = vec![DVec3::ZERO; self.bodies.len()];
        for ([one, other], contact) in &contacts {
            let weights = [*one, *other].map(|number| self.bodies[number].inverse_mass);
            let already = (moves[*one] - moves[*other]).dot(contact.normal);
            // Deep overlaps are undone in several steps.
            let lack = (0.5 * TOUCHING - contact.gap).min(0.1) - already;
            if lack > 0.0 {
                let share = contact.normal * (lack / (weights[0] + weights[1]));
                moves[*one] += share * weights[0];
                moves[*other] -= share * weights[1];
            }
        }
        for (body, shift) in self.bodies.iter_mut().zip(moves) {
            let owed = if shift == DVec3::ZERO { continue } else { -body.mass() * self.gravity.dot(shift) };
            let has = body.kinetic_energy();
            if owed < has || owed <= 0.0 {
                body.pose.translation += shift;
                body.slow_down(has, owed);
            }
        }
    }

    /// Gravity and what holds against it act for a while along directions that turn meanwhile: what energy that adds is taken from those that touch,
    /// and from those that wobble. Who cannot pay goes back.
    fn keep_energy(&mut self, before: f64, contacts: &[Touching], motions: &[Motion]) {
        let gained = self.energy() - before;
        if self.gravity == DVec3::ZERO || gained <= 1e-12 * before.abs() {
            return;
        }
        let mut touches: Vec<bool> = self.bodies.iter().map(|body| !body.is_fixed() && !body.is_round()).collect();
        contacts.iter().for_each(|([one, other], _)| (touches[*one], touches[*other]) = (true, true));
        let energy: f64 =
            self.bodies.iter().zip(&touches).filter(|body| *body.1).map(|body| body.0.kinetic_energy()).sum();
        let kept = if gained < energy { 1.0 - gained / energy } else { 0.0 };
        for ((body, motion), _) in self.bodies.iter_mut().zip(motions).zip(touches).filter(|body| body.1) {
            let has = body.kinetic_energy();
            body.slow_down(has, has * (1.0 - kept));
            if kept == 0.0 {
                body.pose = motion.from;
            }
        }
    }
}

/// Of the contacts of two bodies with the same normal, the outermost: the others lie between them and change nothing.
fn outermost(contacts: &[Touching]) -> Vec<Touching> {
    let mut kept = Vec::new();
    let mut left: Vec<&Touching> = contacts.iter().collect();
    while let Some((bodies, first)) = left.first().copied() {
        let is_alike = |(others, contact): &Touching| others == bodies && contact.normal.dot(first.normal) > 1.0 - 1e-6;
        let (alike, others): (Vec<&Touching>, Vec<&Touching>) = left.iter().partition(|contact| is_alike(contact));
        let (one, other) = first.normal.any_orthonormal_pair();
        let mut chosen: Vec<usize> = Vec::new();
        for number in 0..8 {
            let (sin, cos) = (std::f64::consts::FRAC_PI_4 * f64::from(number) + 0.1).sin_cos();
            let along = |at: usize| (one * cos + other * sin).dot(alike[at].1.point);
            let farthest = (1..alike.len()).fold(0, |best, at| if along(at) > along(best) + 1e-9 { at } else { best });
            chosen.push(farthest);
        }
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|at| *alike[at]));
        left = others;
    }
    kept
}

impl Tumbler {
    fn mover(&self) -> Mover {
        if self.is_fixed() {
            return Mover::STAYS;
        }
        Mover {
            inverse_mass: self.inverse_mass,
            inverse_inertia: self.inverse_inertia_in_world(),
            velocity: self.velocity,
            spin: self.spin(),
            turned: DVec3::ZERO,
        }
    }

    fn slow_down(&mut self, has: f64, owed: f64) {
        if owed > 0.0 && has > 0.0 {
            let factor = (1.0 - owed / has).max(0.0).sqrt();
            self.velocity *= factor;
            self.turning *= factor;
        }
    }

    /// From the velocity and angular momentum of now to those at the end: a body that only falls on its parabola, one that is pushed straight on with the
    /// mean of both, as it turns with the mean of both.
    fn motion(&self, [velocity, turning]: &[DVec3; 2], seconds: f64, falls: DVec3) -> Motion {
        if self.is_fixed() {
            return Motion::none(self.pose);
        }
        let turn = self.turn(*turning, seconds);
        let is_free = *velocity == self.velocity + falls && *turning == self.turning;
        let (from, pivot, shift) = (self.pose, self.center(), self.velocity * seconds);
        let drop = (*velocity - self.velocity) * (0.5 * seconds);
        let (shift, drop) = if is_free { (shift, drop) } else { (shift + drop, DVec3::ZERO) };
        Motion { from, pivot, shift, drop, axis: turn.normalize_or(DVec3::X), angle: turn.length() }
    }

    /// Whether it turns alike around all axes, so that its spin stays while its angular momentum does.
    fn is_round(&self) -> bool {
        let inertia = self.inertia;
        let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        let uneven = inertia - glam::DMat3::IDENTITY * mean;
        uneven.to_cols_array().iter().all(|entry| entry.abs() < 1e-9 * mean)
    }

    /// The part of a motion in which the body turns no farther than it may at once.
    fn longest(&self, motion: &Motion) -> f64 {
        if self.is_fixed() || self.is_round() { 1.0 } else { (MOST_TURN / motion.angle.max(MOST_TURN)).min(1.0) }
    }

    /// By how much it turns while its angular momentum goes evenly to another.
    fn turn(&self, turning: DVec3, seconds: f64) -> DVec3 {
        if self.is_round() {
            return self.spin_of(0.5 * (self.turning + turning), self.pose.rotation) * seconds;
        }
        // A midpoint rule. Its axis turns with the body, so a long way is taken as it begins: only its first part is gone.
        let first = self.spin();
        let part = (MOST_TURN / (first.length() * seconds).max(MOST_TURN)).min(1.0);
        let half = DQuat::from_scaled_axis(first * (0.5 * part * seconds)) * self.pose.rotation;
        self.spin_of(self.turning + (turning - self.turning) * (0.5 * part), half) * seconds
    }
}
