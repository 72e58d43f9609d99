//! A body on a spring: it is pulled to where it is wanted, and bounces off what it hits.
//!
//! How it works: a motion of the hand takes a sixtieth of a second. In a few slices of it a damped spring pulls the body and turns it; it goes as far as it can, and
//! where it touches, impulses change its velocity and its spin. What is left of the slice goes on with these.

use glam::{DMat3, DVec3};
use steric_model::Pose;

use super::impulse::{Joint, Mover, collide};
use super::slide::Twist;
use super::surroundings::{Rigid, Surroundings};
use super::{Hand, Screw};

/// What a motion of the hand takes, in seconds.
const SECONDS: f64 = 1.0 / 60.0;
const SLICES: u32 = 4;
/// Hits in a slice, at most.
const HITS: u32 = 8;
/// How fast the spring swings, in radians per second, and how much it is damped; 1 would not swing.
const SWINGS: f64 = 25.0;
const DAMPED: f64 = 0.6;

/// One motion of the hand; its velocity and spin go on with the next.
pub(super) fn bounce<B: Rigid, S: Surroundings<B>>(hand: &mut Hand<B>, surroundings: &S, to: Pose) {
    let slice = SECONDS / f64::from(SLICES);
    for _ in 0..SLICES {
        let way = Twist::between(&hand.body, &hand.pose(), &to);
        let pull = way.shift * (SWINGS * SWINGS) - hand.velocity * (2.0 * DAMPED * SWINGS);
        let turn = way.turn * (SWINGS * SWINGS) - hand.spin * (2.0 * DAMPED * SWINGS);
        hand.velocity += pull * slice;
        hand.spin += turn * slice;
        // What the spring alone does in a slice is no hit: a body that is pressed against a wall rests there.
        let slow = 2.0 * slice * (pull.length() + turn.length() * hand.body.reach());
        fly(hand, surroundings, slice, slow);
    }
    let near = Twist::between(&hand.body, &hand.pose(), &to).length(&hand.body);
    let speed = hand.velocity.length() + hand.spin.length() * hand.body.reach();
    if near < 1e-5 && speed < 1e-3 {
        // It came to rest; the last hair would take forever.
        let screw = Screw::between(hand.pose(), to);
        hand.pose = surroundings.move_to_touch(&hand.body, &screw, hand.allow).pose;
        (hand.velocity, hand.spin) = (DVec3::ZERO, DVec3::ZERO);
    }
}

fn fly<B: Rigid, S: Surroundings<B>>(hand: &mut Hand<B>, surroundings: &S, slice: f64, slow: f64) {
    let mut left = slice;
    for _ in 0..HITS {
        let middle = hand.pose * hand.body.middle();
        let (shift, turn) = (hand.velocity * left, hand.spin * left);
        if !shift.is_finite() || !turn.is_finite() || shift.length() + turn.length() == 0.0 {
            return;
        }
        let screw = Screw::of_twist(hand.pose, middle, shift, turn);
        let touch = surroundings.move_to_touch(&hand.body, &screw, hand.allow);
        hand.pose = touch.pose;
        if touch.fraction >= 1.0 {
            return;
        }
        left *= 1.0 - touch.fraction;
        let gyration = hand.body.gyration();
        let inverse_inertia = DMat3::IDENTITY / (gyration * gyration);
        let (velocity, spin) = (hand.velocity, hand.spin);
        let moves = Mover { inverse_mass: 1.0, inverse_inertia, velocity, spin, ..Mover::STAYS };
        let mut movers = [moves, Mover::STAYS];
        let middle = hand.pose * hand.body.middle();
        let joint = |contact: &super::Contact| {
            let arms = [contact.point - middle, DVec3::ZERO];
            Joint::new(&movers, [0, 1], arms, contact.normal).made_of(hand.elasticity, hand.friction)
        };
        let mut joints: Vec<Joint> = touch.contacts.iter().map(joint).collect();
        collide(&mut movers, &mut joints, slow);
        (hand.velocity, hand.spin) = (movers[0].velocity, movers[0].spin);
    }
}
