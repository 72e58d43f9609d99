//! A body in hand, and what happens when it hits something.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use steric_collide::Obstacle;
use steric_model::Pose;

use super::slide::{pushed_out, slide};
use super::touch::{Contact, TOUCHING, contacts, move_to_touch};
use super::{Body, Screw};

/// What happens when a body in hand hits something.
///
/// ```
/// use steric_world::dock::Response;
///
/// assert_eq!("slide".parse(), Ok(Response::Slide));
/// assert!("bounce".parse::<Response>().is_err());
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
}

impl Response {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Detect, Self::Stop, Self::Slide, Self::Push];

    fn name(self) -> &'static str {
        match self {
            Self::Detect => "detect",
            Self::Stop => "stop",
            Self::Slide => "slide",
            Self::Push => "push",
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
        known.ok_or_else(|| format!("expected detect, stop, slide or push, found {text}"))
    }
}

/// Steps of a push, at most.
const PUSHES: u32 = 40;

/// A body that is moved among spheres.
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
pub struct Hand {
    /// What is moved.
    pub body: Body,
    /// What happens when it hits something.
    pub response: Response,
    /// Overlaps up to this are forgiven, in angstroms.
    pub allow: f64,
    pose: Pose,
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

impl Hand {
    /// A body somewhere.
    pub fn new(body: Body, pose: Pose, response: Response) -> Self {
        Self { body, response, allow: 0.0, pose }
    }

    /// Where the body is.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Puts it somewhere, whatever is there.
    pub fn put(&mut self, pose: Pose) {
        self.pose = pose;
    }

    /// Moves it towards a pose.
    pub fn go(&mut self, obstacle: &Obstacle, to: Pose) -> HandStep {
        let finite = to.translation.is_finite() && to.rotation.is_finite();
        if finite {
            self.pose = match self.response {
                Response::Detect => to,
                Response::Stop => move_to_touch(obstacle, &self.body, &Screw::between(self.pose, to), self.allow).pose,
                Response::Slide => slide(obstacle, &self.body, self.pose, to, self.allow),
                Response::Push => pushed_out(obstacle, &self.body, to, self.allow, PUSHES),
            };
        }
        let contacts = contacts(obstacle, &self.body, &self.pose, self.allow, 4.0 * TOUCHING);
        let is_there = finite && is_near(&self.pose, &to);
        HandStep { pose: self.pose, contacts, is_there }
    }
}

fn is_near(one: &Pose, other: &Pose) -> bool {
    one.translation.distance(other.translation) < 1e-6 && one.rotation.angle_between(other.rotation) < 1e-6
}
