//! A body in hand, and what happens when it hits something.

use std::str::FromStr;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use steric_model::Pose;

use super::bounce::bounce;
use super::slide::{pushed_out, slide};
use super::surroundings::{Rigid, Surroundings};
use super::touch::{Contact, TOUCHING};
use super::{Body, Screw};

/// What happens when a body in hand hits something.
///
/// ```
/// use steric_world::dock::Response;
///
/// assert_eq!("slide".parse(), Ok(Response::Slide));
/// assert!("melt".parse::<Response>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Nothing: it goes through, and what overlaps is told.
    Detect,
    /// It stops where it touches.
    Stop,
    /// It goes along what it touches.
    #[default]
    Slide,
    /// It goes there and is pushed out again.
    Push,
    /// It is pulled by a spring, and what it hits changes its velocity and its spin: momentum, elasticity and friction decide.
    Bounce,
}

impl Response {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Detect, Self::Stop, Self::Slide, Self::Push, Self::Bounce];

    fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::Stop => "stop",
            Self::Slide => "slide",
            Self::Push => "push",
            Self::Bounce => "bounce",
        }
    }
}

impl std::fmt::Display for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Response {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|response| response.name() == text);
        known.ok_or_else(|| format!("expected detect, stop, slide, push or bounce, found {text}"))
    }
}

/// Steps of a push, at most.
const PUSHES: u32 = 40;

/// A body that is moved among others that stay: balls among spheres, or a solid among solids.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Obstacle, ProbeIndex};
/// use steric_model::Pose;
/// use steric_world::dock::{Body, Hand, Response};
///
/// let wall = Obstacle::new(&[DVec3::ZERO], &[2.0], ProbeIndex::Rows);
/// let ball = Body::new(vec![DVec3::ZERO], vec![1.0]);
/// let mut hand = Hand::new(ball, Pose::from_translation(DVec3::new(-6.0, 0.5, 0.0)), Response::Slide);
/// let step = hand.go(&wall, Pose::from_translation(DVec3::new(6.0, 0.5, 0.0)));
/// assert!(hand.pose().translation.x > 5.9, "it went around");
/// assert!(step.contacts.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Hand<B = Body> {
    /// What is moved.
    pub body: B,
    /// What happens when it hits something.
    pub response: Response,
    /// Overlaps up to this are forgiven, in angstroms.
    pub allow: f64,
    /// How much of its speed a body keeps that bounces, 0 to 1.
    pub elasticity: f64,
    /// How much it rubs where it bounces: the force across a contact is at most this times the force along it.
    pub friction: f64,
    /// How fast the middle goes, in angstroms per second; only what bounces has a velocity.
    pub velocity: DVec3,
    /// How fast it turns, in radians per second; only what bounces has a spin.
    pub spin: DVec3,
    pub(super) pose: Pose,
}

/// What came of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct HandStep {
    /// Where the body is.
    pub pose: Pose,
    /// What it touches, or overlaps; the deepest first.
    pub contacts: Vec<Contact>,
    /// Whether it is where it was wanted.
    pub is_there: bool,
}

impl<B> Hand<B> {
    /// A body somewhere.
    pub fn new(body: B, pose: Pose, response: Response) -> Self {
        let (velocity, spin) = (DVec3::ZERO, DVec3::ZERO);
        Self { body, response, allow: 0.0, elasticity: 0.5, friction: 0.3, velocity, spin, pose }
    }

    /// Where the body is.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Puts it somewhere, whatever is there; it rests there.
    pub fn put(&mut self, pose: Pose) {
        (self.pose, self.velocity, self.spin) = (pose, DVec3::ZERO, DVec3::ZERO);
    }
}

impl<B: Rigid> Hand<B> {
    /// Moves it towards a pose. What bounces comes there only after a few motions.
    pub fn go<S: Surroundings<B>>(&mut self, surroundings: &S, to: Pose) -> HandStep {
        let finite = to.translation.is_finite() && to.rotation.is_finite();
        if finite {
            let (body, from, allow) = (&self.body, self.pose, self.allow);
            match self.response {
                Response::Detect => self.pose = to,
                Response::Stop => self.pose = surroundings.move_to_touch(body, &Screw::between(from, to), allow).pose,
                Response::Slide => self.pose = slide(surroundings, body, from, to, allow),
                Response::Push => self.pose = pushed_out(surroundings, body, to, allow, PUSHES),
                Response::Bounce => bounce(self, surroundings, to),
            }
            if self.response != Response::Bounce {
                (self.velocity, self.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        let contacts = surroundings.contacts(&self.body, &self.pose, self.allow, 4.0 * TOUCHING);
        let is_there = finite && is_near(&self.pose, &to);
        HandStep { pose: self.pose, contacts, is_there }
    }
}

fn is_near(one: &Pose, other: &Pose) -> bool {
    one.translation.distance(other.translation) < 1e-6 && one.rotation.angle_between(other.rotation) < 1e-6
}
