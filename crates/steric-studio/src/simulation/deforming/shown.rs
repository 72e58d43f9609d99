//! What the window sees of soft bodies, and the numbers that it can change.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use steric::world::deform::{Energy, Response, SoftWorld, Stepped};

use super::super::Now;
use super::SoftHistory;

/// Numbers that can be changed while bodies move.
///
/// ```
/// use steric_studio::simulation::Numbers;
///
/// let smooth = Numbers { friction: 0.0, ..Numbers::default() };
/// assert_eq!((smooth.margin, smooth.gravity.z), (0.1, -9.81));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How much harder a contact is than what it presses on.
    pub stiffness: f64,
    /// The gap that is kept between surfaces, in heights of the thinnest tetrahedra.
    pub margin: f64,
    /// In metres per second squared.
    pub gravity: DVec3,
    /// What is answered.
    pub response: Response,
}

impl Default for Numbers {
    fn default() -> Self {
        let own = steric::world::deform::ContactOptions::default();
        let gravity = steric::world::deform::SoftOptions::default().gravity;
        let (friction, stiffness, margin) = (own.friction, own.stiffness, own.margin);
        Self { friction, stiffness, margin, gravity, response: own.response }
    }
}

impl Numbers {
    /// Those of a world.
    pub(super) fn of(world: &SoftWorld) -> Self {
        Self {
            friction: world.contact.friction,
            stiffness: world.contact.stiffness,
            margin: world.contact.margin,
            gravity: world.body.options.gravity,
            response: world.contact.response,
        }
    }

    /// From the next step on.
    pub(super) fn put(&self, world: &mut SoftWorld) {
        let contact = &mut world.contact;
        (contact.friction, contact.stiffness, contact.margin) = (self.friction, self.stiffness, self.margin);
        contact.response = self.response;
        world.body.options.gravity = self.gravity;
    }
}

/// A soft body, as far as it stays the same.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenBody {
    /// What it is called.
    pub name: String,
    /// What it is made of; empty where the scene does not say.
    pub material: String,
    /// Its points, among those of all bodies.
    pub points: Range<usize>,
    /// How many tetrahedra it has.
    pub tetrahedra: usize,
    /// How many triangles its surface has.
    pub triangles: usize,
    /// Its beads, as molecules of the window.
    pub beads: Range<usize>,
    /// The colour that it is drawn in.
    pub colour: [u8; 3],
}

/// A run of soft bodies as the window sees it.
///
/// ```
/// use steric_studio::simulation::Deformed;
///
/// assert!(Deformed::default().bodies.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Deformed {
    /// For the picture.
    pub now: Now,
    /// Steps that were done.
    pub step: u64,
    /// Seconds that have passed in the scene.
    pub time: f64,
    /// Seconds of the scene that a step takes.
    pub step_s: f64,
    /// Angstroms of the picture for a metre.
    pub scale: f64,
    /// The bodies.
    pub bodies: Arc<Vec<SeenBody>>,
    /// Where all points are, in metres.
    pub positions: Arc<Vec<DVec3>>,
    /// Which of them touch something.
    pub touching: Arc<Vec<bool>>,
    /// The numbers that can be changed, as they are now; nothing while it is read.
    pub numbers: Option<Numbers>,
    /// Joules.
    pub energy: Energy,
    /// Cubic metres.
    pub volume: f64,
    /// What the last step did; nothing at the start.
    pub last: Option<Stepped>,
    /// Numbers over time.
    pub history: Arc<SoftHistory>,
    /// What a step takes, in the mean of the last ones.
    pub milliseconds: f64,
}
