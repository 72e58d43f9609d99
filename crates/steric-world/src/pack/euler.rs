//! Packmol's angles, and rotations that are held by them.
//!
//! How it works: packmol turns a molecule back by `beta` about z, then by `theta` about x, then by `gamma` about z: the classical
//! angles of the rotation that leads back, though its manual names them after y, x and z. A rotation has two sets of them, and endless ones where `theta`
//! is 0 or π. The nearest allowed rotation is the better of both sets, each angle moved to the end of its range.

use std::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

/// Packmol's three angles, in radians, in the order of its restart files.
///
/// ```
/// use steric_world::pack::Euler;
///
/// let angles = Euler { beta: 0.3, gamma: -1.0, theta: 2.0 };
/// let again = Euler::of(angles.rotation());
/// assert!((again.beta - 0.3).abs() + (again.gamma + 1.0).abs() + (again.theta - 2.0).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Euler {
    /// What packmol's manual calls the turn about y.
    pub beta: f64,
    /// The turn about z.
    pub gamma: f64,
    /// The turn about x.
    pub theta: f64,
}

impl Euler {
    /// The rotation of the angles.
    pub fn rotation(self) -> DQuat {
        let [beta, theta, gamma] = [-self.beta, -self.theta, -self.gamma];
        DQuat::from_rotation_z(gamma) * DQuat::from_rotation_x(theta) * DQuat::from_rotation_z(beta)
    }

    /// The angles of a rotation, with `theta` from 0 to π.
    pub fn of(rotation: DQuat) -> Self {
        let DMat3 { x_axis, y_axis, z_axis } = DMat3::from_quat(rotation);
        let across = z_axis.x.hypot(z_axis.y);
        let theta = across.atan2(z_axis.z);
        if across > 1e-9 {
            return Self { beta: x_axis.z.atan2(-y_axis.z), gamma: z_axis.x.atan2(z_axis.y), theta };
        }
        // Upright or upside down only the sum or the difference of the others counts.
        Self { beta: (-x_axis.y * z_axis.z.signum()).atan2(x_axis.x), gamma: 0.0, theta }
    }
}

/// Ranges of packmol's angles: middle and half width of those about x, y and z, in radians.
///
/// ```
/// use std::f64::consts::PI;
/// use glam::DQuat;
/// use steric_world::pack::{Euler, RotationRange};
///
/// let range = RotationRange([Some((0.0, 0.2)), None, None]);
/// assert_eq!(range.breach(DQuat::IDENTITY), 0.0);
/// assert!((range.breach(DQuat::from_rotation_x(0.5)) - 0.3).abs() < 1e-9);
/// assert!(range.breach(range.nearest(DQuat::from_rotation_x(0.5))) < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RotationRange(pub [Option<(f64, f64)>; 3]);

impl RotationRange {
    /// Whether every rotation is allowed.
    pub fn is_free(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// The nearest allowed rotation.
    pub fn nearest(&self, rotation: DQuat) -> DQuat {
        if self.is_free() {
            return rotation;
        }
        let [first, second] = self.candidates(rotation).map(Euler::rotation);
        let turn = |other: DQuat| rotation.dot(other).abs();
        if turn(first) >= turn(second) { first } else { second }
    }

    /// By how much a rotation is beyond the ranges, in radians.
    pub fn breach(&self, rotation: DQuat) -> f64 {
        let nearest = self.nearest(rotation);
        2.0 * (nearest.inverse() * rotation).xyz().length().min(1.0).asin()
    }

    /// A random allowed rotation.
    pub(super) fn random(&self, random: &mut steric_model::Random) -> DQuat {
        if self.is_free() {
            return random.rotation();
        }
        let free = Euler::of(random.rotation());
        let mut angle = |range: Option<(f64, f64)>, free: f64| {
            range.map_or(free, |(middle, half)| middle + (2.0 * random.unit() - 1.0) * half)
        };
        let [x, y, z] = self.0;
        Euler { theta: angle(x, free.theta), beta: angle(y, free.beta), gamma: angle(z, free.gamma) }.rotation()
    }

    fn candidates(&self, rotation: DQuat) -> [Euler; 2] {
        let Euler { beta, gamma, theta } = Euler::of(rotation);
        let [x, y, z] = self.0;
        let clamped = |beta: f64, gamma: f64, theta: f64| {
            let (own_beta, own_theta) = (clamp(y, beta), clamp(x, theta));
            // Where only the sum counts, gamma takes what beta could not.
            let rest = if theta.sin().abs() < 1e-6 { gamma + (beta - own_beta) * theta.cos().signum() } else { gamma };
            Euler { beta: own_beta, gamma: clamp(z, rest), theta: own_theta }
        };
        [clamped(beta, gamma, theta), clamped(beta + PI, gamma + PI, -theta)]
    }
}

/// An angle moved into its range, round the circle.
fn clamp(range: Option<(f64, f64)>, angle: f64) -> f64 {
    let Some((middle, half)) = range else { return angle };
    let from_middle = (angle - middle + PI).rem_euclid(TAU) - PI;
    middle + from_middle.clamp(-half, half)
}

/// The rotation of a fixed molecule, from its turns about x, y and z in radians: z goes first.
pub(super) fn fixed_rotation(angles: DVec3) -> DQuat {
    DQuat::from_rotation_x(angles.x) * DQuat::from_rotation_y(angles.y) * DQuat::from_rotation_z(angles.z)
}
