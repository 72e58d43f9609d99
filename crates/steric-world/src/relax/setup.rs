//! What is to be relaxed.

use steric_model::{Scene, TypeId};

use super::body;
use super::hold::Hold;
use crate::respond::Body;

/// Molecules in place, and what holds them.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 3.0));
/// let mut setup = Setup::new(scene);
/// setup.fixed = vec![true, false];
/// let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
/// while relax.step().overlapping > 0 {}
/// let poses = relax.poses();
/// assert_eq!(poses[0], Pose::IDENTITY);
/// assert!(poses[1].translation.x > 3.4);
/// ```
#[derive(Clone, Debug)]
pub struct Setup {
    /// The molecules where they start.
    pub scene: Scene,
    /// Constraints, a list for each group of molecules.
    pub groups: Vec<Vec<Hold>>,
    /// The group of each molecule; molecules without one are free.
    pub group_of: Vec<u32>,
    /// Which molecules stay where they are; none if empty.
    pub fixed: Vec<bool>,
    /// The mass and inertia of each molecule type.
    pub bodies: Vec<Body>,
    /// Interpenetration that is forgiven, in angstroms; negative keeps atoms apart.
    pub allow: f32,
}

impl Setup {
    /// Free molecules, every atom as heavy as carbon.
    pub fn new(scene: Scene) -> Self {
        let bodies = body::bodies_of_carbon(&scene);
        Self { scene, groups: Vec::new(), group_of: Vec::new(), fixed: Vec::new(), bodies, allow: 0.0 }
    }

    /// Weighs the types by their atoms: `mass` gives daltons for an atom of a type.
    pub fn weigh(&mut self, mass: impl Fn(TypeId, u32) -> f64) {
        let types = (0..self.scene.types().len() as u32).map(TypeId);
        self.bodies = types.map(|kind| body::body(&self.scene, kind, |atom| mass(kind, atom))).collect();
    }
}
