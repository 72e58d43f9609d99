//! The founding thesis's own forces: Algorithm 4.4 with equation 4.1, and the springs of Algorithm 4.5, corrected.
//!
//! How it works: an atom that overlaps another pushes its molecule along the line between them by 1 / (distance² + arm²)
//! and turns it by arm x direction, each times a step size. Springs pull by the deviation from their leeway (the thesis let them
//! grow with the distance from the origin). There is no momentum.

use glam::{DMat3, DVec3};

use super::{Body, Contact, MOST_SUMS, Motion, Pull, Response, Scratch, Sides, add};

/// The forces of the founding thesis.
///
/// ```
/// use steric_world::respond::{Response, Thesis};
///
/// assert_eq!(Thesis::default().momentum(), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Thesis {
    /// Step size of pushes.
    pub force: f64,
    /// Step size of turns.
    pub torque: f64,
    /// Step size of springs.
    pub spring: f64,
    /// Step size of springs that turn.
    pub spring_torque: f64,
}

impl Default for Thesis {
    fn default() -> Self {
        Self { force: 2.0, torque: 0.0005, spring: 0.1, spring_torque: 0.1 }
    }
}

impl Response for Thesis {
    const SUMS: usize = 6;

    #[inline(always)]
    fn add(&self, contact: &Contact, side: usize, _: &Sides<'_>, sums: &mut Scratch) {
        let direction = if side == 0 { contact.normal } else { -contact.normal };
        let arm = contact.arms[side];
        let strength = self.force as f32 / (contact.distance * contact.distance + arm.length_squared()).max(1e-6);
        add(sums, direction * strength, arm.cross(direction) * self.torque as f32);
    }

    fn step(&self, _: &Body, _: DMat3, sums: &[f64; MOST_SUMS], _: u32, pulls: &[Pull]) -> Motion {
        let pushed =
            Motion { shift: DVec3::new(sums[0], sums[1], sums[2]), turn: DVec3::new(sums[3], sums[4], sums[5]) };
        pulls.iter().fold(pushed, |motion, pull| {
            motion
                + match *pull {
                    Pull::Shift { direction, depth, .. } => {
                        Motion { shift: direction * (depth * self.spring), turn: DVec3::ZERO }
                    }
                    Pull::Turn { axis, angle } => {
                        Motion { shift: DVec3::ZERO, turn: axis * (angle * self.spring_torque) }
                    }
                }
        })
    }

    fn momentum(&self) -> f64 {
        0.0
    }
}
