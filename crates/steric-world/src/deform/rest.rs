//! Where a held body comes to rest under a load.
//!
//! How it works: Newton's method on the forces, with the matrix of a step without mass or time. A step that does not lower the energy of body and load is halved, so that large loads arrive too.

use glam::{DMat3, DVec3};

use super::body::SoftBody;
use super::coarse::{Coarse, Times};
use super::contact::Contacts;
use super::error::DeformError;
use super::solve::{Pieces, Target};

/// More steps than any load that leads to a rest has needed.
const MOST_STEPS: usize = 100;
/// A long bar needs more iterations than a step in time, where mass helps.
const MOST_ITERATIONS: usize = 20_000;
/// The part of the residual that a linear solve leaves: Newton's method makes up for the rest.
const LINEAR: f64 = 1e-4;

/// How a body came to rest.
///
/// ```
/// use steric_world::deform::Rest;
///
/// assert!(!Rest { steps: 100, residual: 0.5 }.is_at_rest(1e-6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Newton's steps.
    pub steps: usize,
    /// The forces that are left, as a part of those that balance each other.
    pub residual: f64,
}

impl Rest {
    /// Whether no more than this part of the forces is left.
    ///
    /// ```
    /// assert!(steric_world::deform::Rest { steps: 2, residual: 1e-9 }.is_at_rest(1e-6));
    /// ```
    pub fn is_at_rest(&self, tolerance: f64) -> bool {
        self.residual <= tolerance
    }
}

impl SoftBody {
    /// Moves the points to where the elastic forces balance a load in newtons, one force for each point or none, and gravity; to a part of these forces. Held points go to their places first,
    /// velocities become zero.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::deform::{Material, SoftBody};
    ///
    /// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// (0..3).for_each(|point| body.hold(point));
    /// let rest = body.rest_under(&[], 1e-9)?;
    /// assert!(rest.is_at_rest(1e-9) && body.positions[3].z < 1.0);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn rest_under(&mut self, load: &[DVec3], tolerance: f64) -> Result<Rest, DeformError> {
        assert!(load.is_empty() || load.len() == self.positions.len(), "one force per point, or none");
        if let Some(piece) = self.free_pieces().iter().position(|is_free| *is_free) {
            let point = self.pieces.iter().position(|of| *of as usize == piece).unwrap_or_default();
            return Err(DeformError::Adrift { point });
        }
        self.velocities.fill(DVec3::ZERO);
        for (at, held) in self.positions.iter_mut().zip(&self.held) {
            *at = held.unwrap_or(*at);
        }
        let load: Vec<DVec3> = (0..self.positions.len())
            .map(|point| load.get(point).copied().unwrap_or_default() + self.masses()[point] * self.options.gravity)
            .collect();
        Ok(rayon::scope(|_| self.rest_in_pool(&load, tolerance)))
    }

    fn rest_in_pool(&mut self, load: &[DVec3], tolerance: f64) -> Rest {
        let unit = self.elements.len() as f64 / self.elements.iter().map(|element| element.stiffness()).sum::<f64>();
        let mut residual = f64::INFINITY;
        let mut coarse = self.coarse.take().unwrap_or_else(|| Coarse::new(self));
        let none = Contacts::new(&[], load.len(), 1.0, 1.0);
        coarse.weigh(Times { mass: 0.0, stiffness: unit, viscosity: 0.0 }, &none);
        for steps in 0..MOST_STEPS {
            let (turned, elastic) = self.turn(|_| unit);
            self.assemble(&turned, &vec![DMat3::ZERO; load.len()], &none);
            let net: Vec<DVec3> = load.iter().zip(&elastic).map(|(load, elastic)| (*load + *elastic) * unit).collect();
            let length = |forces: &[DVec3], times: f64| {
                forces
                    .iter()
                    .enumerate()
                    .map(|(point, force)| self.matrix.square(point, *force * times))
                    .sum::<f64>()
                    .sqrt()
            };
            let left = length(&net, 1.0);
            residual = left / length(load, unit).max(length(&elastic, unit)).max(f64::MIN_POSITIVE);
            if residual <= tolerance {
                return Rest { steps, residual };
            }
            let change = self.change_of(&net, &none, &mut coarse);
            if !self.descend(&change, load) {
                return Rest { steps, residual };
            }
        }
        Rest { steps: MOST_STEPS, residual }
    }

    fn change_of(&mut self, net: &[DVec3], contacts: &Contacts, coarse: &mut Coarse) -> Vec<DVec3> {
        let mut change = vec![DVec3::ZERO; net.len()];
        let is_free = self.free_pieces();
        let pieces = Pieces { of: &self.pieces, is_free: &is_free, contacts };
        let target = Target { residual: 0.0, reduction: LINEAR, most_iterations: MOST_ITERATIONS };
        self.matrix.solve(net, &mut change, &pieces, target, coarse, &mut self.scratch);
        change
    }

    /// Goes along a change as far as the energy falls; whether it went at all.
    fn descend(&mut self, change: &[DVec3], load: &[DVec3]) -> bool {
        let from = self.positions.clone();
        let before = self.energy().elastic;
        for halvings in 0..30 {
            let part = 0.5f64.powi(halvings);
            for ((at, from), change) in self.positions.iter_mut().zip(&from).zip(change) {
                *at = *from + part * *change;
            }
            let work: f64 = load.iter().zip(change).map(|(load, change)| part * load.dot(*change)).sum();
            let after = self.energy().elastic;
            // Near the rest the energies agree to the last digits.
            if after - before - work <= 1e-12 * (after + before + work.abs()) {
                return true;
            }
        }
        self.positions = from;
        false
    }
}
