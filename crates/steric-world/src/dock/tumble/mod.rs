//! Rigid bodies that hit each other and exchange momentum.
//!
//! How it works: a step is cut where two bodies touch. First those that touch and come nearer bounce. Then gravity for the rest of the step, and what holds against it, give
//! each body the velocity that it will have at the end: what rests keeps its distance, what slides rubs. On the way from one velocity to the other all bodies go
//! on at once, as far as the first touch of any two, found by conservative advancement; from there it begins again. Nothing goes through
//! anything at any speed. The angular momentum is what is kept of a turning body; its spin follows from it.

mod dice;
mod step;

use glam::{DMat3, DQuat, DVec3};
use steric_model::Pose;

use super::solid::Solid;
use super::touch::Contact;

/// One body of a [`Tumble`].
#[derive(Clone, Debug)]
pub struct Tumbler {
    solid: Solid,
    /// How much of its speed it keeps when it bounces, 0 to 1. Two bodies share the geometric mean.
    pub elasticity: f64,
    /// How much it rubs: the force across a contact is at most this times the force along it. Two bodies share the geometric mean.
    pub friction: f64,
    pose: Pose,
    velocity: DVec3,
    /// Angular momentum around its centre of mass.
    turning: DVec3,
    /// Zero for a body that stays where it is.
    inverse_mass: f64,
    /// Around the centre of mass, in the body's frame.
    inertia: DMat3,
    inverse_inertia: DMat3,
}

impl Tumbler {
    /// A body at rest, of density one.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::Pose;
    /// use steric_world::dock::{Solid, Tumbler};
    ///
    /// let die = Tumbler::new(Solid::cuboid(DVec3::splat(1.0))?, Pose::IDENTITY).moving(DVec3::X, DVec3::Z);
    /// assert!((die.mass() - 8.0).abs() < 1e-12);
    /// assert!((die.spin() - DVec3::Z).length() < 1e-12);
    /// # Ok::<(), steric_world::dock::SolidError>(())
    /// ```
    pub fn new(solid: Solid, pose: Pose) -> Self {
        let mass = solid.mass().mass;
        Self::fixed(solid, pose).weighing(mass)
    }

    /// A body that stays where it is.
    pub fn fixed(solid: Solid, pose: Pose) -> Self {
        let (velocity, turning) = (DVec3::ZERO, DVec3::ZERO);
        let (inertia, inverse_inertia) = (DMat3::ZERO, DMat3::ZERO);
        let (elasticity, friction) = (0.5, 0.5);
        Self { solid, elasticity, friction, pose, velocity, turning, inverse_mass: 0.0, inertia, inverse_inertia }
    }

    /// The same body with another mass; one that is not positive leaves it as it is.
    pub fn weighing(mut self, mass: f64) -> Self {
        if mass > 0.0 && mass.is_finite() {
            let spin = self.spin();
            let own = self.solid.mass();
            self.inertia = own.inertia * (mass / own.mass);
            (self.inverse_mass, self.inverse_inertia) = (1.0 / mass, self.inertia.inverse());
            self.set_spin(spin);
        }
        self
    }

    /// The same body with another velocity of its centre of mass, in angstroms per second, and a spin, in radians per second.
    pub fn moving(mut self, velocity: DVec3, spin: DVec3) -> Self {
        if !self.is_fixed() && velocity.is_finite() && spin.is_finite() {
            self.velocity = velocity;
            self.set_spin(spin);
        }
        self
    }

    /// The same body of another material.
    pub fn made_of(self, elasticity: f64, friction: f64) -> Self {
        Self { elasticity, friction, ..self }
    }

    /// Its shape.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Whether it stays where it is.
    pub fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    /// Its mass; infinite if it stays where it is.
    pub fn mass(&self) -> f64 {
        1.0 / self.inverse_mass
    }

    /// Where its centre of mass is.
    pub fn center(&self) -> DVec3 {
        self.pose * self.solid.middle()
    }

    /// The velocity of its centre of mass, in angstroms per second.
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Its angular velocity, in radians per second.
    pub fn spin(&self) -> DVec3 {
        self.spin_of(self.turning, self.pose.rotation)
    }

    /// What it takes to stop it; none for a body that stays.
    pub fn kinetic_energy(&self) -> f64 {
        if self.is_fixed() {
            return 0.0;
        }
        0.5 * (self.velocity.length_squared() / self.inverse_mass + self.turning.dot(self.spin()))
    }

    fn spin_of(&self, turning: DVec3, rotation: DQuat) -> DVec3 {
        rotation * (self.inverse_inertia * (rotation.conjugate() * turning))
    }

    fn set_spin(&mut self, spin: DVec3) {
        let rotation = self.pose.rotation;
        self.turning = rotation * (self.inertia * (rotation.conjugate() * spin));
    }

    /// In the world's axes.
    fn inverse_inertia_in_world(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.pose.rotation);
        rotation * self.inverse_inertia * rotation.transpose()
    }
}

/// A contact seen from the other side.
fn turned_around(contact: &Contact) -> Contact {
    Contact { ball: contact.sphere, sphere: contact.ball, normal: -contact.normal, ..*contact }
}

/// Rigid bodies that exchange momentum, with or without gravity.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Pose;
/// use steric_world::dock::{Solid, Tumble, Tumbler};
///
/// let ball = |x: f64, speed: f64| -> Result<Tumbler, steric_world::dock::SolidError> {
///     let ball = Tumbler::new(Solid::balls_at(&[DVec3::ZERO], &[1.0])?, Pose::from_translation(DVec3::X * x));
///     Ok(ball.moving(DVec3::X * speed, DVec3::ZERO).made_of(1.0, 0.0))
/// };
/// let mut tumble = Tumble::new(vec![ball(-4.0, 3.0)?, ball(4.0, 0.0)?]);
/// tumble.step(4.0);
/// assert!(tumble.bodies()[0].velocity().length() < 1e-9, "all of it went over");
/// assert!((tumble.bodies()[1].velocity() - DVec3::X * 3.0).length() < 1e-9);
/// # Ok::<(), steric_world::dock::SolidError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tumble {
    /// What pulls all bodies, in angstroms per second squared.
    pub gravity: DVec3,
    bodies: Vec<Tumbler>,
}

impl Tumble {
    /// Bodies without gravity.
    pub fn new(bodies: Vec<Tumbler>) -> Self {
        Self { gravity: DVec3::ZERO, bodies }
    }

    /// The same bodies with gravity.
    pub fn with_gravity(self, gravity: DVec3) -> Self {
        Self { gravity, ..self }
    }

    /// All of them.
    pub fn bodies(&self) -> &[Tumbler] {
        &self.bodies
    }

    /// Adds one more; its number.
    pub fn add(&mut self, body: Tumbler) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    fn movers(&self) -> impl Iterator<Item = &Tumbler> {
        self.bodies.iter().filter(|body| !body.is_fixed())
    }

    /// The momentum of all bodies that move.
    pub fn momentum(&self) -> DVec3 {
        self.movers().map(|body| body.velocity * body.mass()).sum()
    }

    /// Their angular momentum around the origin.
    pub fn angular_momentum(&self) -> DVec3 {
        self.movers().map(|body| body.center().cross(body.velocity * body.mass()) + body.turning).sum()
    }

    /// The energy of their motion.
    pub fn kinetic_energy(&self) -> f64 {
        self.movers().map(Tumbler::kinetic_energy).sum()
    }

    /// The energy of their motion and of their height.
    pub fn energy(&self) -> f64 {
        let height: f64 = self.movers().map(|body| body.mass() * self.gravity.dot(body.center())).sum();
        self.kinetic_energy() - height
    }

    /// Where two bodies touch, or nearly do: the numbers of both, the first below the second, and the contact seen from the first.
    pub fn contacts(&self, within: f64) -> Vec<([usize; 2], Contact)> {
        let mut all = Vec::new();
        for (one, body) in self.bodies.iter().enumerate() {
            for (other, stays) in self.bodies.iter().enumerate().skip(one + 1) {
                let apart = body.center().distance(stays.center()) - body.solid.reach() - stays.solid.reach();
                if (body.is_fixed() && stays.is_fixed()) || apart > within {
                    continue;
                }
                if body.solid.parts() <= stays.solid.parts() {
                    let contacts = body.solid.contacts(&body.pose, &stays.solid, &stays.pose, 0.0, within);
                    all.extend(contacts.into_iter().map(|contact| ([one, other], contact)));
                } else {
                    let contacts = stays.solid.contacts(&stays.pose, &body.solid, &body.pose, 0.0, within);
                    all.extend(contacts.into_iter().map(|contact| ([one, other], turned_around(&contact))));
                }
            }
        }
        all
    }

    /// How deep two bodies overlap at most.
    pub fn deepest_overlap(&self) -> f64 {
        self.contacts(0.0).into_iter().map(|(_, contact)| -contact.gap).fold(0.0, f64::max)
    }
}
