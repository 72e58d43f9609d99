//! One linear tetrahedron: its rotation, its forces, and what the matrix needs of it.
//!
//! How it works: the deformation `F` of an element is constant in it. With `R` the nearest rotation, `ε = Rᵀ F - 1` is the strain, `R (2 μ ε + λ tr(ε))` the stress, and a corner feels minus the
//! stress times the gradient of its shape function times the volume. Since `Rᵀ F` is symmetric, these forces are exactly the slope of the energy `V (μ ε:ε + λ/2 tr(ε)²)`. The warped stiffness
//! between two corners is built of their turned gradients alone, so that no matrix of twelve by twelve is kept.

use glam::{DMat3, DQuat, DVec3, Mat3A, Vec3A};

use super::material::Material;
use super::polar::nearest_rotation;

#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) corners: [u32; 4],
    /// Its rows are the gradients of the shape functions of corners 1, 2 and 3.
    from_edges: DMat3,
    pub(super) volume: f64,
    lambda: f64,
    mu: f64,
    pub(super) damping: f64,
    pub(super) density: f64,
}

/// What the matrix needs of an element as it stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turned {
    /// Gradients of the four shape functions, turned with the element and times its size, so that they are numbers near 1.
    gradients: [Vec3A; 4],
    lambda: f32,
    mu: f32,
}

impl Element {
    pub(super) fn new(corners: [u32; 4], points: &[DVec3], material: &Material) -> Self {
        let edges = edges_of(corners, points);
        let (lambda, mu) = material.lame();
        let volume = edges.determinant() / 6.0;
        Self {
            corners,
            from_edges: edges.inverse(),
            volume,
            lambda,
            mu,
            damping: material.damping,
            density: material.density,
        }
    }

    /// The same element where `points` more come before.
    pub(super) fn shifted(self, points: u32) -> Self {
        Self { corners: self.corners.map(|corner| corner + points), ..self }
    }

    pub(super) fn turn_to(&self, points: &[DVec3], last: DQuat) -> DQuat {
        nearest_rotation(&self.deformation(points), last)
    }

    fn deformation(&self, points: &[DVec3]) -> DMat3 {
        edges_of(self.corners, points) * self.from_edges
    }

    fn strain(&self, points: &[DVec3], rotation: &DMat3) -> DMat3 {
        let stretch = rotation.transpose() * self.deformation(points);
        (stretch + stretch.transpose()) * 0.5 - DMat3::IDENTITY
    }

    /// The elastic force on each corner; their sum is zero.
    pub(super) fn forces(&self, points: &[DVec3], rotation: DQuat) -> [DVec3; 4] {
        let rotation = DMat3::from_quat(rotation);
        let strain = self.strain(points, &rotation);
        let stress = strain * (2.0 * self.mu) + DMat3::from_diagonal(DVec3::splat(self.lambda * trace(&strain)));
        let of_corners = rotation * stress * self.from_edges.transpose() * -self.volume;
        let [b, c, d] = [of_corners.x_axis, of_corners.y_axis, of_corners.z_axis];
        [-(b + c + d), b, c, d]
    }

    pub(super) fn energy(&self, points: &[DVec3], rotation: DQuat) -> f64 {
        let strain = self.strain(points, &DMat3::from_quat(rotation));
        let square: f64 = strain.to_cols_array().into_iter().map(|part| part * part).sum();
        self.volume * (self.mu * square + 0.5 * self.lambda * trace(&strain).powi(2))
    }

    /// For a matrix that takes the stiffness this many times.
    pub(super) fn turned(&self, rotation: DQuat, times: f64) -> Turned {
        let size = self.volume.cbrt();
        let turned = DMat3::from_quat(rotation) * self.from_edges.transpose() * size;
        let [b, c, d] = [turned.x_axis, turned.y_axis, turned.z_axis].map(|gradient| gradient.as_vec3a());
        // Volume over size squared: the gradients hold the size twice.
        let weight = times * size;
        Turned {
            gradients: [-(b + c + d), b, c, d],
            lambda: (weight * self.lambda) as f32,
            mu: (weight * self.mu) as f32,
        }
    }

    /// Of the four shape functions, at rest.
    pub(super) fn gradients(&self) -> [DVec3; 4] {
        let turned = self.from_edges.transpose();
        let [b, c, d] = [turned.x_axis, turned.y_axis, turned.z_axis];
        [-(b + c + d), b, c, d]
    }

    /// What moves against a motion of this slope, in newtons per metre: the mean over the directions of the motion.
    pub(super) fn mean_stiffness(&self, slope: DVec3) -> f64 {
        self.volume * (self.lambda + 4.0 * self.mu) / 3.0 * slope.length_squared()
    }

    /// A stiffness of the element's own, in newtons per metre.
    pub(super) fn stiffness(&self) -> f64 {
        (self.lambda + 2.0 * self.mu) * self.volume.cbrt()
    }
}

impl Turned {
    /// The stiffness between two corners: `λ a bᵀ + μ b aᵀ + μ (a·b)`.
    pub(super) fn block(&self, a: usize, b: usize) -> Mat3A {
        let (a, b) = (self.gradients[a], self.gradients[b]);
        let (left, right, middle) = (a * self.lambda, b * self.mu, self.mu * a.dot(b));
        Mat3A::from_cols(
            left * b.x + right * a.x + Vec3A::X * middle,
            left * b.y + right * a.y + Vec3A::Y * middle,
            left * b.z + right * a.z + Vec3A::Z * middle,
        )
    }
}

fn edges_of(corners: [u32; 4], points: &[DVec3]) -> DMat3 {
    let [a, b, c, d] = corners.map(|corner| points[corner as usize]);
    DMat3::from_cols(b - a, c - a, d - a)
}

fn trace(matrix: &DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}
