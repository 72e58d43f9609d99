//! How far two moving solids can go before they touch.
//!
//! How it works: conservative advancement. A motion is a shift with a turn at constant speed; along the direction in which two pieces are apart, the way of
//! every corner is bounded by where it is, how fast it goes and how much its way bends. So far as these bounds leave room, both go on at once;
//! then it is looked again. Nothing is sampled, so nothing is missed at any speed.

use glam::{DQuat, DVec3};
use steric_model::Pose;

use super::Solid;
use super::part::{DEEP, Part, Placed, Separation, is_answered, nearest_place, separation};
use crate::dock::touch::TOUCHING;

/// A rigid motion: a point of the body shifts, evenly faster if it must, while the body turns around it at a constant speed.
#[derive(Clone, Copy, Debug)]
pub(in crate::dock) struct Motion {
    pub(in crate::dock) from: Pose,
    /// The point, in the world.
    pub(in crate::dock) pivot: DVec3,
    pub(in crate::dock) shift: DVec3,
    /// What comes to the shift with the square of the part of the way.
    pub(in crate::dock) drop: DVec3,
    /// Of length one.
    pub(in crate::dock) axis: DVec3,
    pub(in crate::dock) angle: f64,
}

impl Motion {
    pub(in crate::dock) fn none(from: Pose) -> Self {
        Self { from, pivot: from.translation, shift: DVec3::ZERO, drop: DVec3::ZERO, axis: DVec3::X, angle: 0.0 }
    }

    fn pivot_at(&self, part: f64) -> DVec3 {
        self.pivot + self.shift * part + self.drop * (part * part)
    }

    pub(in crate::dock) fn at(&self, part: f64) -> Pose {
        if part <= 0.0 {
            return self.from;
        }
        let turn = DQuat::from_axis_angle(self.axis, self.angle * part);
        Pose {
            rotation: (turn * self.from.rotation).normalize(),
            translation: self.pivot_at(part) + turn * (self.from.translation - self.pivot),
        }
    }

    fn velocity(&self, part: f64, place: DVec3) -> DVec3 {
        let turn = self.axis.cross(place - self.pivot_at(part)) * self.angle;
        self.shift + self.drop * (2.0 * part) + turn
    }

    /// How far a ball around a point of the body goes at most on the whole way, its inside included.
    pub(super) fn way(&self, center: DVec3, reach: f64) -> f64 {
        let arm = self.axis.cross(self.from * center - self.pivot).length() + reach;
        self.shift.length() + 2.0 * self.drop.length() + self.angle * arm
    }

    fn is_finite(&self) -> bool {
        self.from.translation.is_finite() && self.shift.is_finite() && self.drop.is_finite() && self.pivot.is_finite()
    }
}

/// Two pieces that came so often without touching are taken to touch.
const MOST_ADVANCES: u32 = 200;
/// Pieces that touch and can go on for less than this, in angstroms, stop.
const HAIR: f64 = 1.1e-5;

/// Pieces that touch and come nearer at less than this part of their speed pass by each other, or roll.
const PASSES: f64 = 1e-3;
/// Those go on by this, in angstroms, before it is looked again.
const ROLLS: f64 = 2e-4;

/// A whole way that brings them nearer by less than this, in angstroms, is gone: what rests would else be held by what is left of an iteration.
const LITTLE: f64 = 1e-6;

/// A solid on its way.
#[derive(Clone, Copy)]
pub(in crate::dock) struct Moving<'a> {
    pub(in crate::dock) solid: &'a Solid,
    pub(in crate::dock) motion: &'a Motion,
}

/// The first part of the way at which two solids are as near as they may come, and would come nearer; `allow` is forgiven, and so is what they
/// overlap at the start.
pub(in crate::dock) fn first_touch(one: Moving, other: Moving, [begin, end]: [f64; 2], allow: f64) -> Option<f64> {
    if !one.motion.is_finite() || !other.motion.is_finite() {
        return Some(0.0);
    }
    let half = 0.5 * (begin + end);
    let (one_pose, other_pose) = (one.motion.at(half), other.motion.at(half));
    let other_from_world = other_pose.inverse();
    let other_way = 0.5 * (end - begin) * other.motion.way(other.solid.around, other.solid.width);
    let mut best = None;
    for part in &one.solid.parts {
        let way =
            0.5 * (end - begin) * one.motion.way(part.center, if part.vertices.len() > 1 { part.reach } else { 0.0 });
        let center = other_from_world * (one_pose * part.center);
        other.solid.near(center, part.reach + way + other_way + TOUCHING - allow.min(0.0), |number| {
            let pair = Pair {
                one: part,
                one_motion: one.motion,
                other: &other.solid.parts[number],
                other_motion: other.motion,
            };
            if let Some(touch) = pair.first_touch([begin, best.unwrap_or(end)], allow) {
                best = Some(touch);
            }
        });
    }
    best
}

struct Pair<'a> {
    one: &'a Part,
    one_motion: &'a Motion,
    other: &'a Part,
    other_motion: &'a Motion,
}

impl Pair<'_> {
    fn placed(&self, part: f64) -> (Placed<'_>, Placed<'_>) {
        (self.one.placed(&self.one_motion.at(part)), self.other.placed(&self.other_motion.at(part)))
    }

    /// How fast the two come nearer where they are nearest.
    fn closing(&self, one: &Placed, other: &Placed, apart: &Separation, at: f64) -> f64 {
        let velocity = |point| self.one_motion.velocity(at, point) - self.other_motion.velocity(at, point);
        nearest_place(one, other, apart).map_or(f64::INFINITY, |(point, _)| -apart.normal.dot(velocity(point)))
    }

    fn first_touch(&self, [begin, end]: [f64; 2], allow: f64) -> Option<f64> {
        let speed = self.one_motion.way(self.one.center, self.one.reach)
            + self.other_motion.way(self.other.center, self.other.reach);
        if speed == 0.0 {
            return None;
        }
        let mut at = begin;
        let (mut floor, mut knows_start) = (-allow, false);
        for _ in 0..MOST_ADVANCES {
            if at >= end {
                return None;
            }
            let (one, other) = self.placed(at);
            let apart = separation(&one, &other);
            if apart.gap <= floor && !knows_start {
                // Who is in already may go out, and not deeper.
                let (one, other) = self.placed(0.0);
                floor = floor.min(separation(&one, &other).gap);
                knows_start = true;
            }
            let slack = apart.gap - floor;
            let touches = slack <= TOUCHING;
            let room = if touches { f64::max(0.1 * slack, 1e-9) } else { slack - 0.5 * TOUCHING };
            let bounds = Bounds::new(self, &one, &other, apart.normal, at);
            let mut step = bounds.sure_for(room, end - at);
            if step >= end - at {
                return None;
            }
            if touches && step * speed < HAIR {
                let closing = self.closing(&one, &other, &apart, at);
                let comes_nearer = closing * (end - at);
                let is_deep = apart.gap < -0.5 * DEEP;
                let passes = closing <= PASSES * speed || comes_nearer <= 0.3 * slack || comes_nearer <= LITTLE;
                if slack < -2.0 * LITTLE || is_deep || !passes {
                    if apart.gap < -DEEP || !is_answered(&one, &other, &apart) {
                        return Some(at);
                    }
                    step = HAIR / speed;
                } else {
                    // An edge that turns on another is not bounded by its corners: where they touch, they hardly come nearer.
                    step = ROLLS / speed;
                }
            }
            at += step;
        }
        Some(at)
    }
}

/// Where a corner is along a direction, how fast it goes along it, and how much its way may bend.
type Bound = [f64; 3];

/// The corners of two pieces along the direction in which they are apart.
struct Bounds {
    one: Vec<Bound>,
    other: Vec<Bound>,
    faster: f64,
}

impl Bounds {
    fn new(pair: &Pair, one: &Placed, other: &Placed, normal: DVec3, at: f64) -> Self {
        let bounds = |placed: &Placed, motion: &Motion| {
            let pivot = motion.pivot_at(at);
            let beside = (1.0 - motion.axis.dot(normal).powi(2)).max(0.0).sqrt();
            let bent = 0.5 * motion.angle * motion.angle * beside;
            let bound = |&corner: &DVec3| {
                let along = normal.dot(motion.velocity(at, corner));
                [normal.dot(corner), along, bent * motion.axis.cross(corner - pivot).length()]
            };
            placed.vertices.iter().map(bound).collect::<Vec<_>>()
        };
        let faster = normal.dot(pair.one_motion.drop - pair.other_motion.drop).min(0.0);
        Self { one: bounds(one, pair.one_motion), other: bounds(other, pair.other_motion), faster }
    }

    /// How far the two are apart at least after a part of the way, but for their radii.
    fn apart(&self, step: f64) -> f64 {
        let one = self.one.iter().map(|[at, speed, bend]| at + step * (speed - step * bend));
        let other = self.other.iter().map(|[at, speed, bend]| at + step * (speed + step * bend));
        one.fold(f64::INFINITY, f64::min) - other.fold(f64::NEG_INFINITY, f64::max) + self.faster * step * step
    }

    /// A part of the way, no longer than `longest`, in which they come no nearer than by `room`. The bound is concave: what holds at
    /// both ends holds in between.
    fn sure_for(&self, room: f64, longest: f64) -> f64 {
        let low = self.apart(0.0) - room;
        if self.apart(longest) >= low {
            return longest;
        }
        let (mut sure, mut beyond) = (0.0, longest);
        for _ in 0..200 {
            let half = 0.5 * beyond;
            if self.apart(half) >= low {
                sure = half;
                break;
            }
            beyond = half;
        }
        for _ in 0..6 {
            let (inside, outside) = (self.apart(sure) - low, self.apart(beyond) - low);
            let chord = sure + (beyond - sure) * (inside / (inside - outside)).clamp(0.0, 1.0);
            let half = 0.5 * (chord + beyond);
            if self.apart(half) >= low {
                sure = half;
            } else {
                (sure, beyond) = (chord.max(sure), half);
            }
        }
        sure
    }
}
