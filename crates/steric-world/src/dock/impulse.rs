//! Impulses between bodies that touch: along the normal as their elasticity says, across it no more than friction allows.
//!
//! How it works: sequential impulses. Contact after contact is given the impulse that brings its own velocity to where it has to be; the sum of what it was given
//! may push and never pull, and rub no more than friction times the push. That goes around until nothing changes. Every impulse acts at one point on
//! both bodies, so momentum and angular momentum are kept however soon it ends.

use glam::{DMat2, DMat3, DVec2, DVec3};

/// A body as an impulse sees it; one that stays has no inverse mass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover {
    pub(super) inverse_mass: f64,
    /// In the world's axes.
    pub(super) inverse_inertia: DMat3,
    pub(super) velocity: DVec3,
    pub(super) spin: DVec3,
    /// The angular impulse it was given.
    pub(super) turned: DVec3,
}

impl Mover {
    pub(super) const STAYS: Self = Self {
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        turned: DVec3::ZERO,
    };

    fn push(&mut self, arm: DVec3, impulse: DVec3) {
        let turn = arm.cross(impulse);
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.inverse_inertia * turn;
        self.turned += turn;
    }

    /// How a point of it answers an impulse.
    fn answer(&self, arm: DVec3, impulse: DVec3) -> DVec3 {
        impulse * self.inverse_mass + (self.inverse_inertia * arm.cross(impulse)).cross(arm)
    }
}

/// A contact between two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    bodies: [usize; 2],
    arms: [DVec3; 2],
    /// From the second body to the first.
    normal: DVec3,
    across: [DVec3; 2],
    weight: f64,
    slip: f64,
    elasticity: f64,
    friction: f64,
    /// The normal velocity that it has to have at least.
    pub(super) least: f64,
    pushed: f64,
    rubbed: DVec2,
}

impl Joint {
    /// A contact at a point, with the arms from the centres of both bodies to it.
    pub(super) fn new(movers: &[Mover], bodies: [usize; 2], arms: [DVec3; 2], normal: DVec3) -> Self {
        let (one, other) = normal.any_orthonormal_pair();
        let across = [one, other];
        let answer =
            |impulse: DVec3| movers[bodies[0]].answer(arms[0], impulse) + movers[bodies[1]].answer(arms[1], impulse);
        let column = |way: DVec3| DVec2::new(answer(way).dot(one), answer(way).dot(other));
        let slip = DMat2::from_cols(column(one), column(other));
        // One number for both ways, so that what slides is rubbed against its own direction: no more than the larger eigenvalue.
        let [a, b, d] = [slip.x_axis.x, slip.x_axis.y, slip.y_axis.y];
        let larger = 0.5 * (a + d) + (0.25 * (a - d) * (a - d) + b * b).sqrt();
        let slip = if larger > 0.0 { 1.0 / larger } else { 0.0 };
        let along = answer(normal).dot(normal);
        let weight = if along > 0.0 { 1.0 / along } else { 0.0 };
        let (pushed, rubbed) = (0.0, DVec2::ZERO);
        Self { bodies, arms, normal, across, weight, slip, elasticity: 0.0, friction: 0.0, least: 0.0, pushed, rubbed }
    }

    /// The same contact between bodies of such a material.
    pub(super) fn made_of(self, elasticity: f64, friction: f64) -> Self {
        Self { elasticity: elasticity.clamp(0.0, 1.0), friction: friction.max(0.0), ..self }
    }

    /// How the first body moves there, seen from the second.
    fn velocity(&self, movers: &[Mover]) -> DVec3 {
        let at = |side: usize| {
            let mover = &movers[self.bodies[side]];
            mover.velocity + mover.spin.cross(self.arms[side])
        };
        at(0) - at(1)
    }

    /// How fast the two go apart there.
    pub(super) fn opening(&self, movers: &[Mover]) -> f64 {
        self.velocity(movers).dot(self.normal)
    }

    fn impulse(&self) -> DVec3 {
        self.normal * self.pushed + self.across[0] * self.rubbed.x + self.across[1] * self.rubbed.y
    }

    /// One correction; how large it was.
    fn solve(&mut self, movers: &mut [Mover]) -> f64 {
        let before = self.impulse();
        let closing = self.least - self.velocity(movers).dot(self.normal);
        self.pushed = f64::max(self.pushed + closing * self.weight, 0.0);
        let change = self.give(movers, before);
        if self.friction <= 0.0 {
            return change;
        }
        let before = self.impulse();
        let velocity = self.velocity(movers);
        let slips = DVec2::new(velocity.dot(self.across[0]), velocity.dot(self.across[1]));
        self.rubbed = (self.rubbed - slips * self.slip).clamp_length_max(self.friction * self.pushed);
        change + self.give(movers, before)
    }

    fn give(&self, movers: &mut [Mover], before: DVec3) -> f64 {
        let more = self.impulse() - before;
        movers[self.bodies[0]].push(self.arms[0], more);
        movers[self.bodies[1]].push(self.arms[1], -more);
        more.length()
    }
}

/// Times around all contacts, at most.
const ROUNDS: u32 = 500;
/// Impacts that follow each other at the same moment, at most.
const IMPACTS: u32 = 24;

/// Brings all contacts to the velocities that they have to have at least.
pub(super) fn solve(movers: &mut [Mover], joints: &mut [Joint]) {
    for joint in joints.iter_mut() {
        (joint.pushed, joint.rubbed) = (0.0, DVec2::ZERO);
    }
    for _ in 0..ROUNDS {
        let change = joints.iter_mut().map(|joint| joint.solve(movers)).sum::<f64>();
        let whole = joints.iter().map(|joint| joint.impulse().length()).sum::<f64>();
        if change <= 1e-12 * whole {
            break;
        }
    }
}

/// Lets bodies that come nearer bounce. Who comes at less than `slow` does not.
///
/// Only contacts that close are asked in a round: then nothing gains energy but by friction, and where that happens the bounce is made weaker.
pub(super) fn collide(movers: &mut [Mover], joints: &mut [Joint], slow: f64) {
    for round in 0..=IMPACTS {
        let velocities: Vec<DVec3> = joints.iter().map(|joint| joint.velocity(movers)).collect();
        let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max);
        let closes = |joint: &Joint, velocity: &DVec3| velocity.dot(joint.normal) < -1e-10 * fastest;
        let mut closing: Vec<(Joint, DVec3)> =
            joints.iter().copied().zip(velocities).filter(|(joint, velocity)| closes(joint, velocity)).collect();
        if closing.is_empty() {
            return;
        }
        if round == IMPACTS {
            // It would rattle on: at last everything that touches stops to close.
            joints.iter_mut().for_each(|joint| joint.least = 0.0);
            solve(movers, joints);
            return;
        }
        let before = movers.to_vec();
        for weaker in [1.0, 0.5, 0.25, 0.0] {
            movers.copy_from_slice(&before);
            for (joint, velocity) in &mut closing {
                let comes = -velocity.dot(joint.normal);
                joint.least = if comes > slow { weaker * joint.elasticity * comes } else { 0.0 };
            }
            let mut asked: Vec<Joint> = closing.iter().map(|(joint, _)| *joint).collect();
            solve(movers, &mut asked);
            let work = |(joint, (_, velocity)): (&Joint, &(Joint, DVec3))| {
                0.5 * joint.impulse().dot(*velocity + joint.velocity(movers))
            };
            let scale: f64 = asked.iter().map(|joint| joint.impulse().length() * fastest).sum();
            if asked.iter().zip(&closing).map(work).sum::<f64>() <= 1e-9 * scale {
                break;
            }
        }
    }
}
