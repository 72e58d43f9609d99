//! A motion that goes along what was hit, and not into it.
//!
//! How it works: a small motion is a shift of the body's middle and a turn around it. Every contact forbids those that bring its two surfaces nearer than they
//! may come. Of all that are left the one nearest to what was wanted is taken: a small quadratic program, solved contact by contact.

use glam::{DQuat, DVec3};
use steric_model::Pose;

use super::Screw;
use super::surroundings::{Rigid, Surroundings};
use super::touch::{Contact, TOUCHING};

/// A shift of the middle, and a turn around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Twist {
    pub(super) shift: DVec3,
    pub(super) turn: DVec3,
}

impl Twist {
    /// The motion from one pose to another.
    pub(super) fn between(body: &impl Rigid, from: &Pose, to: &Pose) -> Self {
        let rotation = to.rotation * from.rotation.conjugate();
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let turn = rotation.normalize().to_scaled_axis();
        Self { shift: *to * body.middle() - *from * body.middle(), turn }
    }

    /// A pose after this motion.
    fn applied(&self, body: &impl Rigid, pose: &Pose) -> Pose {
        let rotation = (DQuat::from_scaled_axis(self.turn) * pose.rotation).normalize();
        let middle = *pose * body.middle() + self.shift;
        Pose { rotation, translation: middle - rotation * body.middle() }
    }

    /// About how far a point goes at most.
    pub(super) fn length(&self, body: &impl Rigid) -> f64 {
        self.shift.length() + self.turn.length() * body.reach()
    }

    fn times(self, factor: f64) -> Self {
        Self { shift: self.shift * factor, turn: self.turn * factor }
    }
}

/// Surfaces are kept at least this far apart while they slide, in angstroms: farther than those that touch, or every step would end where it
/// begins.
const KEPT: f64 = 2.0 * TOUCHING;
/// What is nearer than this is looked out for, in angstroms: a step reaches no farther.
const LOOKOUT: f64 = STEP + 0.05;
/// A longer motion is made in steps, in angstroms.
const STEP: f64 = 0.25;
/// A motion that is left of less than this is none.
const NOTHING: f64 = 1e-7;
const ROUNDS: u32 = 60;
/// However far a body is wanted, it slides for no more steps.
const MOST_STEPS: f64 = 4_000.0;
/// A step brings a body nearer to where it is wanted by this much, in angstroms, or it hardly counts; so many may be like that.
const LEAST: f64 = 1e-5;
const PATIENCE: u32 = 8;

/// The motion nearest to a wanted one that brings no contact nearer than it may come.
fn allowed(body: &impl Rigid, pose: &Pose, wanted: Twist, contacts: &[Contact]) -> Twist {
    let middle = *pose * body.middle();
    let weigh = 1.0 / (body.gyration() * body.gyration());
    let arms: Vec<(DVec3, f64, f64)> = contacts
        .iter()
        .map(|contact| {
            let arm = (body.pushed_at(pose, contact) - middle).cross(contact.normal);
            // How far it may come nearer; what is too near has to go.
            (arm, 1.0 + weigh * arm.length_squared(), KEPT - contact.gap)
        })
        .collect();
    let mut forces = vec![0.0; contacts.len()];
    let mut motion = wanted;
    for _ in 0..ROUNDS {
        let mut change = 0.0f64;
        for ((contact, (arm, weight, least)), force) in contacts.iter().zip(&arms).zip(&mut forces) {
            let opens = contact.normal.dot(motion.shift) + arm.dot(motion.turn);
            let next = f64::max(*force + (least - opens) / weight, 0.0);
            let more = next - *force;
            *force = next;
            motion.shift += contact.normal * more;
            motion.turn += *arm * (weigh * more);
            change = change.max(more.abs());
        }
        if change < 1e-10 {
            break;
        }
    }
    motion
}

/// Goes towards a pose as far as that is possible along whatever is in the way.
pub(super) fn slide<B: Rigid>(surroundings: &impl Surroundings<B>, body: &B, from: Pose, to: Pose, allow: f64) -> Pose {
    let whole = Twist::between(body, &from, &to);
    let most = (2.0 * whole.length(body) / STEP + 8.0).min(MOST_STEPS) as u32;
    let mut pose = from;
    let (mut nearest, mut held_back) = (f64::INFINITY, 0);
    for _ in 0..most {
        let left = Twist::between(body, &pose, &to);
        let length = left.length(body);
        if length < NOTHING {
            break;
        }
        // Who comes no nearer for a few steps is held back for good.
        let far = left.shift.length().hypot(body.gyration() * left.turn.length());
        if far > nearest - LEAST {
            held_back += 1;
            if held_back > PATIENCE {
                break;
            }
        } else {
            (nearest, held_back) = (far, 0);
        }
        let near = surroundings.contacts(body, &pose, allow, LOOKOUT);
        let screw = if near.is_empty() {
            // Nothing to slide along yet: straight there, until it touches.
            Screw::between(pose, to)
        } else {
            let step = left.times((STEP / length).min(1.0));
            let motion = allowed(body, &pose, step, &near);
            if motion.length(body) < NOTHING.max(1e-4 * step.length(body)) {
                break;
            }
            Screw::of_twist(pose, pose * body.middle(), motion.shift, motion.turn)
        };
        let touch = surroundings.move_to_touch(body, &screw, allow);
        // A hair's breadth is no progress: what is wanted lies behind the wall.
        let moved = Twist::between(body, &pose, &touch.pose).length(body);
        pose = touch.pose;
        if moved < 1e-5 {
            break;
        }
    }
    pose
}

/// Pushes a body out of what it is in, in small steps; gives where it is then.
pub(super) fn pushed_out<B: Rigid>(
    surroundings: &impl Surroundings<B>,
    body: &B,
    pose: Pose,
    allow: f64,
    rounds: u32,
) -> Pose {
    let mut pose = pose;
    for _ in 0..rounds {
        if !push_step(surroundings, body, &mut pose, allow, Vec::new()) {
            break;
        }
    }
    pose
}

/// One step out of what a body is in, and out of other contacts beside it; says whether anything overlapped.
pub(super) fn push_step<B: Rigid>(
    surroundings: &impl Surroundings<B>,
    body: &B,
    pose: &mut Pose,
    allow: f64,
    beside: Vec<Contact>,
) -> bool {
    let mut near = surroundings.contacts(body, pose, allow, LOOKOUT);
    near.extend(beside);
    if near.iter().all(|contact| contact.gap >= 0.0) {
        return false;
    }
    let motion = allowed(body, pose, Twist::default(), &near);
    let length = motion.length(body);
    *pose = motion.times((1.0f64).min(2.0 * STEP / length.max(1e-12))).applied(body, pose);
    true
}
