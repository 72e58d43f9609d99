//! Position-based projection: each contact moves its two molecules just apart, and a molecule takes the mean.
//!
//! How it works: a contact shares its depth between the two molecules by their inverse masses and inertias, as a rigid
//! body would answer an impulse along the normal (Müller and others 2007, averaged as in Macklin and others 2014).

use glam::{DMat3, DVec3};

use super::{Body, Contact, MOST_SUMS, Motion, Pull, Response, Scratch, Sides, add};

/// Position-based projection.
///
/// ```
/// use steric_world::respond::{Projection, Response};
///
/// assert_eq!(Projection::default().momentum(), 0.95);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// Part of the mean that is taken.
    pub step: f64,
    /// Nesterov momentum.
    pub momentum: f64,
}

impl Default for Projection {
    fn default() -> Self {
        Self { step: 1.0, momentum: 0.95 }
    }
}

impl Response for Projection {
    const SUMS: usize = 6;

    #[inline(always)]
    fn add(&self, contact: &Contact, side: usize, sides: &Sides<'_>, sums: &mut Scratch) {
        let normal = contact.normal.as_dvec3();
        let levers = contact.arms.map(|arm| arm.as_dvec3().cross(normal));
        let turns = [0, 1].map(|side| sides.inverse_inertia(side) * levers[side]);
        let masses = sides.mobility.map(f64::from);
        let mobility: f64 = (0..2).map(|side| masses[side] + levers[side].dot(turns[side])).sum();
        let push = if side == 0 { 1.0 } else { -1.0 } * f64::from(contact.depth) / mobility;
        let [shift, turn] = [normal * (push * masses[side]), turns[side] * push].map(|part| part.as_vec3());
        add(sums, shift, turn);
    }

    fn step(&self, body: &Body, rotation: DMat3, sums: &[f64; MOST_SUMS], contacts: u32, pulls: &[Pull]) -> Motion {
        let mut motion =
            Motion { shift: DVec3::new(sums[0], sums[1], sums[2]), turn: DVec3::new(sums[3], sums[4], sums[5]) };
        let inverse_inertia = rotation * body.inverse_inertia * rotation.transpose();
        for pull in pulls {
            motion = motion
                + match *pull {
                    Pull::Shift { arm, direction, depth } => {
                        let lever = arm.cross(direction);
                        let turn = inverse_inertia * lever;
                        let push = depth / (1.0 / body.mass + lever.dot(turn));
                        Motion { shift: direction * (push / body.mass), turn: turn * push }
                    }
                    Pull::Turn { axis, angle } => Motion { shift: DVec3::ZERO, turn: axis * angle },
                };
        }
        motion * (self.step / (f64::from(contacts) + pulls.len() as f64).max(1.0))
    }

    fn momentum(&self) -> f64 {
        self.momentum
    }
}
