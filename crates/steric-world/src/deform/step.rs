//! One step of implicit Euler.
//!
//! How it works: elements find their rotations and forces, the matrix is summed up, and the velocities at the end of the step solve `(M + h C + h² K) v' = M v + h (f_external + f_elastic)`, beginning
//! with those of the last step. Contacts are part of the system ([`Contact`]), so that stiff penalties are felt as they will be at the end of the step and cannot overshoot. Held points
//! have the velocity that leads to their place. The whole system is divided by the mean mass of a point, so that its numbers are near 1 whatever the units.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::body::SoftBody;
use super::coarse::{Coarse, Times};
use super::contact::{Contact, Contacts};
use super::element::Turned;
use super::matrix::ROWS;
use super::solve::{Pieces, Target};

/// How a step was solved.
///
/// ```
/// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
/// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
/// let solved = body.step(0.01, &[], &[]);
/// assert!(solved.residual <= body.options.tolerance);
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Products with the matrix.
    pub iterations: usize,
    /// What is left, as a part of the momenta and impulses of the step.
    pub residual: f64,
}

impl SoftBody {
    /// Goes on by `h` seconds under external forces in newtons, one for each point or none at all, and contacts, any number at a point. Gravity is added from the options.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::{Material, SoftBody}};
    /// # let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// # let mut body = SoftBody::new(points, vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
    /// let upwards: Vec<DVec3> = body.masses().iter().map(|mass| DVec3::Z * 19.62 * *mass).collect();
    /// body.step(0.1, &upwards, &[]);
    /// assert!((body.velocities[0].z - 0.981).abs() < 1e-9);
    /// # Ok::<(), steric_world::deform::DeformError>(())
    /// ```
    pub fn step(&mut self, h: f64, forces: &[DVec3], contacts: &[Contact]) -> Solved {
        assert!(h > 0.0 && h.is_finite(), "a step takes some time");
        assert!(forces.is_empty() || forces.len() == self.positions.len(), "one force per point, or none");
        // From inside the pool, a parallel pass costs a tenth of what it does from outside, and a step has hundreds.
        rayon::scope(|_| self.step_in_pool(h, forces, contacts))
    }

    fn step_in_pool(&mut self, h: f64, forces: &[DVec3], contacts: &[Contact]) -> Solved {
        let unit = self.positions.len() as f64 / self.masses().iter().sum::<f64>();
        let (turned, elastic) = self.turn(|damping| unit * h * (h + damping));
        let own: Vec<DMat3> =
            self.masses().iter().map(|mass| DMat3::from_diagonal(DVec3::splat(unit * mass))).collect();
        let rows = Contacts::new(contacts, self.positions.len(), h, unit);
        self.assemble(&turned, &own, &rows);
        let mut coarse = self.coarse.take().unwrap_or_else(|| Coarse::new(self));
        coarse.weigh(Times { mass: unit, stiffness: unit * h * h, viscosity: unit * h }, &rows);
        let (mut right, size) = self.right_side(h * unit, unit, forces, &elastic, &mut coarse);
        for contact in contacts {
            for &(point, weight) in contact.points() {
                right[point as usize] += contact.normal * (h * unit * contact.force * f64::from(weight));
            }
        }
        self.lead_held(h);
        let solved = self.solve_for_velocities(&right, size, &rows, &mut coarse);
        self.coarse = Some(coarse);
        for (at, velocity) in self.positions.iter_mut().zip(&self.velocities) {
            *at += h * *velocity;
        }
        self.place_held();
        solved
    }

    /// Turns each element to its place; what the matrix needs of them, given how often each takes its stiffness by its damping, and the elastic forces.
    pub(super) fn turn(&mut self, times: impl Fn(f64) -> f64 + Sync) -> (Vec<Turned>, Vec<DVec3>) {
        let positions = &self.positions;
        let (turned, of_elements): (Vec<Turned>, Vec<[DVec3; 4]>) = self
            .elements
            .par_iter()
            .zip(&mut self.rotations)
            .with_min_len(ROWS)
            .map(|(element, rotation)| {
                *rotation = element.turn_to(positions, *rotation);
                (element.turned(*rotation, times(element.damping)), element.forces(positions, *rotation))
            })
            .unzip();
        let elastic = self.gathered(&of_elements);
        (turned, elastic)
    }

    pub(super) fn assemble(&mut self, turned: &[Turned], own: &[DMat3], contacts: &Contacts) {
        let held = &self.held;
        self.matrix.assemble(turned, |point| own[point], contacts, |point| held[point].is_some());
    }

    /// The right side of the system, and the length that its residual is compared with: of momenta, external and elastic impulses each on its own, so that forces in balance do not ask for more and more.
    fn right_side(
        &self,
        h: f64,
        unit: f64,
        forces: &[DVec3],
        elastic: &[DVec3],
        coarse: &mut Coarse,
    ) -> (Vec<DVec3>, f64) {
        let points = 0..elastic.len();
        let mass = |point: usize| unit * self.masses()[point];
        let momenta: Vec<DVec3> = points.clone().map(|point| mass(point) * self.velocities[point]).collect();
        let weight = |point: usize| self.masses()[point] * self.options.gravity;
        let external: Vec<DVec3> =
            points.clone().map(|point| h * (forces.get(point).copied().unwrap_or_default() + weight(point))).collect();
        let elastic: Vec<DVec3> = elastic.iter().map(|force| h * *force).collect();
        let size: f64 = [&momenta, &external, &elastic].map(|part| self.matrix.length(part, coarse)).into_iter().sum();
        // The mean mass is 1 in these units.
        let still = self.options.still * (self.positions.len() as f64).sqrt();
        (points.map(|point| momenta[point] + external[point] + elastic[point]).collect(), still + size)
    }

    /// Held points have the velocity that leads to their place.
    fn lead_held(&mut self, h: f64) {
        for ((velocity, at), held) in self.velocities.iter_mut().zip(&self.positions).zip(&self.held) {
            if let Some(place) = held {
                *velocity = (*place - *at) / h;
            }
        }
    }

    /// Exactly where they were led, without the rounding of a velocity.
    fn place_held(&mut self) {
        for (at, held) in self.positions.iter_mut().zip(&self.held) {
            *at = held.unwrap_or(*at);
        }
    }

    fn solve_for_velocities(&mut self, right: &[DVec3], size: f64, contacts: &Contacts, coarse: &mut Coarse) -> Solved {
        let mut is_free = self.free_pieces();
        for contact in 0..contacts.len() {
            contacts
                .points_of(contact)
                .iter()
                .for_each(|(point, _)| is_free[self.pieces[*point as usize] as usize] = false);
        }
        let pieces = Pieces { of: &self.pieces, is_free: &is_free, contacts };
        let options = &self.options;
        let target =
            Target { residual: options.tolerance * size, reduction: 0.0, most_iterations: options.most_iterations };
        let reached = self.matrix.solve(right, &mut self.velocities, &pieces, target, coarse, &mut self.scratch);
        Solved { iterations: reached.iterations, residual: if size > 0.0 { reached.residual / size } else { 0.0 } }
    }

    /// Of each piece, whether none of its points is held.
    pub(super) fn free_pieces(&self) -> Vec<bool> {
        let mut is_free = vec![true; self.pieces.iter().max().map_or(0, |last| *last as usize + 1)];
        for (&piece, held) in self.pieces.iter().zip(&self.held) {
            is_free[piece as usize] &= held.is_none();
        }
        is_free
    }
}
