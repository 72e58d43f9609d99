//! What a body in hand is moved among: whatever can tell where it touches, and how far it can go.

use glam::DVec3;
use steric_collide::Obstacle;
use steric_model::Pose;

use super::touch::{self, Contact, Touch};
use super::{Body, Screw, Solid};

/// Something rigid that can be moved.
///
/// ```
/// use glam::DVec3;
/// use steric_world::dock::{Body, Rigid, Solid};
///
/// let sizes = |body: &dyn Rigid| (body.middle(), body.reach());
/// assert_eq!(sizes(&Body::new(vec![DVec3::X], vec![2.0])), (DVec3::X, 2.0));
/// assert_eq!(sizes(&Solid::octahedron(2.0)?).1, 2.0);
/// # Ok::<(), steric_world::dock::SolidError>(())
/// ```
pub trait Rigid {
    /// The point around which it turns, in its own frame.
    fn middle(&self) -> DVec3;
    /// How far its mass is from its middle, about: what a turn is weighed against a shift by.
    fn gyration(&self) -> f64;
    /// How far its surface is from its middle at most.
    fn reach(&self) -> f64;
    /// A point of the world on the line along which a contact pushes.
    fn pushed_at(&self, _pose: &Pose, contact: &Contact) -> DVec3 {
        contact.point
    }
}

impl Rigid for Body {
    fn middle(&self) -> DVec3 {
        self.middle()
    }

    fn gyration(&self) -> f64 {
        self.gyration()
    }

    fn reach(&self) -> f64 {
        self.reach()
    }

    fn pushed_at(&self, pose: &Pose, contact: &Contact) -> DVec3 {
        *pose * self.centers()[contact.ball as usize]
    }
}

impl Rigid for Solid {
    fn middle(&self) -> DVec3 {
        self.middle()
    }

    fn gyration(&self) -> f64 {
        self.gyration()
    }

    fn reach(&self) -> f64 {
        self.reach()
    }
}

/// What stays where it is while a body is moved: an [`Obstacle`] for a [`Body`], [`Solids`](super::Solids) for a [`Solid`].
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Obstacle, ProbeIndex};
/// use steric_model::Pose;
/// use steric_world::dock::{Body, Surroundings};
///
/// let wall = Obstacle::new(&[DVec3::ZERO], &[2.0], ProbeIndex::Rows);
/// let ball = Body::new(vec![DVec3::ZERO], vec![1.0]);
/// let contacts = Surroundings::contacts(&wall, &ball, &Pose::from_translation(DVec3::X * 2.5), 0.0, 0.0);
/// assert_eq!(contacts[0].gap, -0.5);
/// ```
pub trait Surroundings<B> {
    /// Every place where a body at a pose is nearer than `within`, or overlaps by more than `allow`, the deepest first.
    fn contacts(&self, body: &B, pose: &Pose, allow: f64, within: f64) -> Vec<Contact>;
    /// Moves a body along a screw until it touches: it comes no deeper than `allow`, nor deeper than it is at the start.
    fn move_to_touch(&self, body: &B, screw: &Screw, allow: f64) -> Touch;
}

impl Surroundings<Body> for Obstacle {
    fn contacts(&self, body: &Body, pose: &Pose, allow: f64, within: f64) -> Vec<Contact> {
        touch::contacts(self, body, pose, allow, within)
    }

    fn move_to_touch(&self, body: &Body, screw: &Screw, allow: f64) -> Touch {
        touch::move_to_touch(self, body, screw, allow)
    }
}
