//! A rigid motion: a turn around an axis and a shift along it, together.

use glam::{DQuat, DVec3};
use steric_model::Pose;

use super::solid::motion::Motion;

/// The way from one pose to another on a screw. Every point goes on a helix around the same axis, at a speed that does not change.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::Pose;
/// use steric_world::dock::Screw;
///
/// let to = Pose { rotation: DQuat::from_rotation_z(1.0), translation: DVec3::new(3.0, 1.0, 2.0) };
/// let screw = Screw::between(Pose::IDENTITY, to);
/// assert_eq!(screw.at(1.0), to);
/// let half = screw.at(0.5);
/// assert!((half.rotation.angle_between(DQuat::IDENTITY) - 0.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    from: Pose,
    to: Pose,
    axis: DVec3,
    /// A point of the axis.
    point: DVec3,
    angle: f64,
    along: f64,
}

/// A smaller turn is none: its axis is farther away than it can be told.
const NO_TURN: f64 = 1e-9;

impl Screw {
    /// The screw between two poses, the shorter way around.
    pub fn between(from: Pose, to: Pose) -> Self {
        let motion = to * from.inverse();
        let turn = if motion.rotation.w < 0.0 { -motion.rotation } else { motion.rotation };
        let (axis, angle) = turn.normalize().to_axis_angle();
        if angle < NO_TURN {
            let way = to.translation - from.translation;
            let along = way.length();
            return Self { from, to, axis: way / along.max(1e-300), point: DVec3::ZERO, angle: 0.0, along };
        }
        let along = motion.translation.dot(axis);
        let beside = motion.translation - along * axis;
        let point = 0.5 * (beside + axis.cross(beside) / (0.5 * angle).tan());
        Self { from, to, axis, point, angle, along }
    }

    /// The screw whose points set out with a shift and a turn around a point of the world, and go on like that.
    pub(super) fn of_twist(from: Pose, around: DVec3, shift: DVec3, turn: DVec3) -> Self {
        let angle = turn.length();
        if angle < NO_TURN {
            return Self::between(from, Pose { translation: from.translation + shift, ..from });
        }
        let axis = turn / angle;
        let along = shift.dot(axis);
        let point = around + axis.cross(shift - along * axis) / angle;
        let mut screw = Self { from, to: from, axis, point, angle, along };
        let turned = DQuat::from_axis_angle(axis, angle);
        screw.to = Pose {
            rotation: (turned * from.rotation).normalize(),
            translation: point + turned * (from.translation - point) + axis * along,
        };
        screw
    }

    /// Where it begins.
    pub fn from(&self) -> Pose {
        self.from
    }

    /// Where it ends.
    pub fn to(&self) -> Pose {
        self.to
    }

    /// The pose at a part of the way, 0 to 1.
    pub fn at(&self, part: f64) -> Pose {
        if part <= 0.0 {
            return self.from;
        }
        if part >= 1.0 {
            return self.to;
        }
        let turn = DQuat::from_axis_angle(self.axis, self.angle * part);
        Pose {
            rotation: (turn * self.from.rotation).normalize(),
            translation: self.point + turn * (self.from.translation - self.point) + self.axis * (self.along * part),
        }
    }

    /// The same motion as a shift and a turn around a point of the axis.
    pub(super) fn motion(&self) -> Motion {
        let (shift, drop) = (self.axis * self.along, DVec3::ZERO);
        Motion { from: self.from, pivot: self.point, shift, drop, axis: self.axis, angle: self.angle }
    }

    /// How a point goes that is somewhere at the beginning.
    pub(super) fn helix(&self, start: DVec3) -> Helix {
        if self.angle == 0.0 {
            let way = self.axis * self.along;
            return Helix { middle: start, out: DVec3::ZERO, side: DVec3::ZERO, way, angle: 0.0, speed: self.along };
        }
        let arm = start - self.point;
        let middle = self.point + self.axis * arm.dot(self.axis);
        let out = start - middle;
        let speed = (self.angle * self.angle * out.length_squared() + self.along * self.along).sqrt();
        Helix { middle, out, side: self.axis.cross(out), way: self.axis * self.along, angle: self.angle, speed }
    }
}

/// The way of a point on a screw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Helix {
    middle: DVec3,
    out: DVec3,
    side: DVec3,
    way: DVec3,
    angle: f64,
    /// How long the whole way is.
    pub(super) speed: f64,
}

impl Helix {
    pub(super) fn at(&self, part: f64) -> DVec3 {
        if self.angle == 0.0 {
            return self.middle + self.way * part;
        }
        let (sin, cos) = (self.angle * part).sin_cos();
        self.middle + self.out * cos + self.side * sin + self.way * part
    }

    /// Which way it goes, and how fast.
    pub(super) fn velocity(&self, part: f64) -> DVec3 {
        if self.angle == 0.0 {
            return self.way;
        }
        let (sin, cos) = (self.angle * part).sin_cos();
        (self.side * cos - self.out * sin) * self.angle + self.way
    }

    /// How much its way is bent: the length of its acceleration.
    pub(super) fn bend(&self) -> f64 {
        self.angle * self.angle * self.out.length()
    }

    /// How far it leaves the straight line between two parts of the way that are so far apart.
    pub(super) fn sagitta(&self, parts: f64) -> f64 {
        self.bend() * parts * parts / 8.0
    }
}
