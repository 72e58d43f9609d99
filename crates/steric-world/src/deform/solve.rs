//! Conjugate gradients on the matrix of a step.
//!
//! How it works: a round solves for a correction in `f32`, preconditioned by the inverses of the diagonal blocks and by coarser grids ([`Coarse`]); the residual between rounds is `f64`, so that rounds
//! go to any tolerance and one of them does for the usual ones. The length of a residual is taken with the preconditioner, which makes it about that of the error in the norm of the matrix. Both sums of an iteration come from one pass over the rows (Chronopoulos and Gear 1989), so that threads meet twice and not thrice. Partial sums
//! cover a fixed number of rows and are added in order.

use glam::{DMat3, DVec3, Vec3A};
use rayon::prelude::*;

use super::coarse::Coarse;
use super::contact::Contacts;
use super::matrix::{Matrix, ROWS};

/// A round is trusted to reduce the residual by this in `f32`.
const ROUND: f64 = 1e-4;
/// More rounds than 16 digits need.
const ROUNDS: usize = 12;

/// Vectors that are used again in every step.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    points: Vec<Point>,
    /// The preconditioned residual, apart from the rest since a row reads those of its neighbours.
    pulls: Vec<Vec3A>,
    products: Vec<Vec3A>,
    residuals: Vec<DVec3>,
    sums: Vec<[f64; 2]>,
    /// Of contacts.
    forces: Vec<Vec3A>,
}

/// What an iteration keeps of a point.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    change: Vec3A,
    residual: Vec3A,
    direction: Vec3A,
    image: Vec3A,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The length of the residual to reach.
    pub(super) residual: f64,
    /// Or this part of what it is at the beginning.
    pub(super) reduction: f64,
    pub(super) most_iterations: usize,
}

/// How many iterations it took, and the residual that is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) iterations: usize,
    pub(super) residual: f64,
}

/// Points that can move as one: what they have of their own may be moved together, which conjugate gradients alone are slow to find.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'a> {
    /// Of each point.
    pub(super) of: &'a [u32],
    /// Of each piece, whether none of its points is held or in contact.
    pub(super) is_free: &'a [bool],
    /// What holds pieces apart.
    pub(super) contacts: &'a Contacts,
}

impl Matrix {
    /// Improves a solution of `matrix * solution = right`.
    pub(super) fn solve(
        &self,
        right: &[DVec3],
        solution: &mut [DVec3],
        pieces: &Pieces<'_>,
        mut target: Target,
        coarse: &mut Coarse,
        scratch: &mut Scratch,
    ) -> Reached {
        let mut reached = Reached { iterations: 0, residual: f64::INFINITY };
        let contacts = pieces.contacts;
        self.move_pieces(right, solution, pieces);
        for round in 0..ROUNDS {
            self.residuals(right, solution, contacts, scratch);
            reached.residual = self.length(&scratch.residuals, coarse);
            if round == 0 {
                target.residual = target.residual.max(target.reduction * reached.residual);
            }
            // A residual that is no number cannot be improved.
            let is_done = reached.residual <= target.residual || reached.residual.is_nan();
            if is_done || reached.iterations >= target.most_iterations {
                return reached;
            }
            let reduction = (target.residual / reached.residual).max(ROUND);
            let most = target.most_iterations - reached.iterations;
            let (iterations, left) = self.round(reduction, most, 1.0 / reached.residual, contacts, coarse, scratch);
            for (solution, point) in solution.iter_mut().zip(&scratch.points) {
                *solution += point.change.as_dvec3() * reached.residual;
            }
            self.move_pieces(right, solution, pieces);
            reached = Reached { iterations: reached.iterations + iterations, residual: left * reached.residual };
            if reduction > ROUND {
                break;
            }
        }
        reached
    }

    fn residuals(&self, right: &[DVec3], solution: &[DVec3], contacts: &Contacts, scratch: &mut Scratch) {
        let forces = contacts.exact_forces(solution);
        scratch.residuals.resize(right.len(), DVec3::ZERO);
        scratch.residuals.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, residuals)| {
            for (residual, row) in residuals.iter_mut().zip(ROWS * chunk..) {
                *residual = right[row] - self.exact_row(row, solution) - contacts.exact_row(row, &forces);
            }
        });
    }

    /// How long forces are, by their product with what the preconditioner makes of them.
    pub(super) fn length(&self, forces: &[DVec3], coarse: &mut Coarse) -> f64 {
        let alone: f64 = forces.iter().enumerate().map(|(row, force)| self.square(row, *force)).sum();
        (alone + coarse.square(|row| forces[row].as_vec3a())).sqrt()
    }

    /// The product of a force on a point with what it would do to the point alone.
    pub(super) fn square(&self, row: usize, force: DVec3) -> f64 {
        let inverse = &self.inverses()[row];
        let columns = [inverse.x_axis, inverse.y_axis, inverse.z_axis].map(|column| column.as_dvec3());
        force.dot(columns[0] * force.x + columns[1] * force.y + columns[2] * force.z)
    }

    /// Conjugate gradients in `f32` from a residual of length 1; how many iterations, and what length is left.
    fn round(
        &self,
        reduction: f64,
        most: usize,
        scale: f64,
        contacts: &Contacts,
        coarse: &mut Coarse,
        scratch: &mut Scratch,
    ) -> (usize, f64) {
        let Scratch { points, pulls, products, residuals, sums, forces } = scratch;
        points.clear();
        points.extend(
            residuals.iter().map(|residual| Point { residual: (*residual * scale).as_vec3a(), ..Point::default() }),
        );
        pulls.resize(points.len(), Vec3A::ZERO);
        products.resize(points.len(), Vec3A::ZERO);
        sums.resize(points.len().div_ceil(ROWS), [0.0; 2]);
        let (mut last_square, mut step) = (0.0, 1.0);
        for iteration in 0..=most {
            self.precondition(points, pulls, coarse);
            contacts.forces(pulls, forces);
            let [square, bend] = self.products(points, pulls, (contacts, forces), products, sums);
            let ratio = if iteration == 0 { 0.0 } else { square / last_square };
            let bend = bend - if iteration == 0 { 0.0 } else { ratio * square / step };
            let is_done = square.sqrt() <= reduction || iteration == most;
            // Rounding has eaten the bend, or there is nothing left to go along.
            if is_done || bend <= 0.0 || bend.is_nan() {
                return (iteration, square.max(0.0).sqrt());
            }
            (last_square, step) = (square, square / bend);
            advance(points, pulls, products, step as f32, ratio as f32);
        }
        (most, last_square.sqrt())
    }

    fn precondition(&self, points: &[Point], pulls: &mut [Vec3A], coarse: &mut Coarse) {
        coarse.take(|row| points[row].residual);
        let coarse = &*coarse;
        pulls.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, pulls)| {
            for (pull, row) in pulls.iter_mut().zip(ROWS * chunk..) {
                *pull = self.inverses()[row] * points[row].residual + coarse.pull(row);
            }
        });
    }

    /// Products with the pulls, and the sums of pull times residual and pull times product.
    fn products(
        &self,
        points: &[Point],
        pulls: &[Vec3A],
        (contacts, forces): (&Contacts, &[Vec3A]),
        products: &mut [Vec3A],
        sums: &mut [[f64; 2]],
    ) -> [f64; 2] {
        products.par_chunks_mut(ROWS).zip(sums.par_iter_mut()).enumerate().for_each(|(chunk, (products, sums))| {
            *sums = [0.0; 2];
            for (product, row) in products.iter_mut().zip(ROWS * chunk..) {
                *product = self.row(row, pulls) + contacts.row(row, forces);
                sums[0] += f64::from(pulls[row].dot(points[row].residual));
                sums[1] += f64::from(pulls[row].dot(*product));
            }
        });
        sums.iter().fold([0.0; 2], |total, sums| [total[0] + sums[0], total[1] + sums[1]])
    }

    /// Moves each free piece as one, so that its momentum is right: the stiffness does not act on such motions, so only what points have of their own counts.
    fn move_pieces(&self, right: &[DVec3], solution: &mut [DVec3], pieces: &Pieces<'_>) {
        let mut sums = vec![(DVec3::ZERO, DMat3::ZERO); pieces.is_free.len()];
        for (row, &piece) in pieces.of.iter().enumerate().filter(|(_, piece)| pieces.is_free[**piece as usize]) {
            let sum = &mut sums[piece as usize];
            sum.0 += right[row] - *self.own(row) * solution[row];
            sum.1 += *self.own(row);
        }
        let moves: Vec<DVec3> = sums.into_iter().map(|(push, own)| own.inverse() * push).collect();
        for (solution, &piece) in solution.iter_mut().zip(pieces.of) {
            let step = moves[piece as usize];
            if pieces.is_free[piece as usize] && step.is_finite() {
                *solution += step;
            }
        }
    }
}

fn advance(points: &mut [Point], pulls: &[Vec3A], products: &[Vec3A], step: f32, ratio: f32) {
    points.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, points)| {
        for (point, row) in points.iter_mut().zip(ROWS * chunk..) {
            point.direction = pulls[row] + point.direction * ratio;
            point.image = products[row] + point.image * ratio;
            point.change += point.direction * step;
            point.residual -= point.image * step;
        }
    });
}
