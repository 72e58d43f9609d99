//! The box that a simulation repeats in every direction.

use glam::{DMat3, DVec3};

/// Three lattice vectors in angstroms; any parallelepiped.
///
/// ```
/// use steric_model::PeriodicBox;
///
/// let cube = PeriodicBox::orthogonal(glam::DVec3::splat(30.0)).expect("a box with a volume");
/// let shortest = cube.nearest_image(glam::DVec3::new(29.0, 0.0, 0.0));
/// assert!((shortest.x + 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeriodicBox {
    vectors: DMat3,
    inverse: DMat3,
}

impl PeriodicBox {
    /// The box spanned by three lattice vectors, the columns of `vectors`. `None` without a volume.
    pub fn new(vectors: DMat3) -> Option<Self> {
        let volume = vectors.determinant().abs();
        (vectors.is_finite() && volume > 1e-6).then(|| Self { vectors, inverse: vectors.inverse() })
    }

    /// A box with right angles and these edges, in angstroms.
    pub fn orthogonal(edges: DVec3) -> Option<Self> {
        Self::new(DMat3::from_diagonal(edges))
    }

    /// The box of a crystallographer: edges in angstroms and the angles alpha, beta, gamma in degrees.
    pub fn from_edges_and_angles(edges: DVec3, angles_degrees: DVec3) -> Option<Self> {
        let [alpha, beta, gamma] = angles_degrees.to_array().map(f64::to_radians);
        let exact_cos = |angle: f64| if (angle - std::f64::consts::FRAC_PI_2).abs() < 1e-9 { 0.0 } else { angle.cos() };
        let (cos_alpha, cos_beta, cos_gamma) = (exact_cos(alpha), exact_cos(beta), exact_cos(gamma));
        let c_y = (cos_alpha - cos_beta * cos_gamma) / gamma.sin();
        let c_z = (1.0 - cos_beta * cos_beta - c_y * c_y).sqrt();
        Self::new(DMat3::from_cols(
            DVec3::new(edges.x, 0.0, 0.0),
            DVec3::new(edges.y * cos_gamma, edges.y * gamma.sin(), 0.0),
            DVec3::new(edges.z * cos_beta, edges.z * c_y, edges.z * c_z),
        ))
    }

    /// The lattice vectors, one per column, in angstroms.
    pub fn vectors(&self) -> DMat3 {
        self.vectors
    }

    /// Edge lengths in angstroms.
    pub fn edges(&self) -> DVec3 {
        DVec3::new(self.vectors.x_axis.length(), self.vectors.y_axis.length(), self.vectors.z_axis.length())
    }

    /// The angles alpha (b, c), beta (a, c) and gamma (a, b) in degrees.
    pub fn angles_degrees(&self) -> DVec3 {
        let DMat3 { x_axis: a, y_axis: b, z_axis: c } = self.vectors;
        DVec3::new(b.angle_between(c), a.angle_between(c), a.angle_between(b)).map(f64::to_degrees)
    }

    /// Distances between opposite faces, in angstroms: how far apart a sphere meets its own images.
    pub fn widths(&self) -> DVec3 {
        let rows = self.inverse.transpose();
        DVec3::new(1.0 / rows.x_axis.length(), 1.0 / rows.y_axis.length(), 1.0 / rows.z_axis.length())
    }

    /// Volume in cubic angstroms.
    pub fn volume(&self) -> f64 {
        self.vectors.determinant().abs()
    }

    /// Whether every angle is a right one and the edges lie along the axes.
    pub fn is_orthogonal(&self) -> bool {
        let DMat3 { x_axis: a, y_axis: b, z_axis: c } = self.vectors;
        [a.y, a.z, b.x, b.z, c.x, c.y].iter().all(|entry| entry.abs() < 1e-9)
    }

    /// Coordinates along the lattice vectors; inside the box they run from 0 to 1.
    pub fn fractional(&self, point: DVec3) -> DVec3 {
        self.inverse * point
    }

    /// The shortest of a displacement and all its periodic images, in angstroms.
    ///
    /// In a strongly skewed box rounding each fractional coordinate is not enough, so the neighbours are tried too.
    pub fn nearest_image(&self, displacement: DVec3) -> DVec3 {
        let fractional = self.fractional(displacement);
        let wrapped = self.vectors * (fractional - fractional.round());
        if self.is_orthogonal() {
            return wrapped;
        }
        let steps = (0..27).map(|code| DVec3::new((code % 3) as f64, (code / 3 % 3) as f64, (code / 9) as f64) - 1.0);
        let images = steps.map(|step| wrapped + self.vectors * step);
        images.fold(wrapped, |best, image| if image.length_squared() < best.length_squared() { image } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_angles_survive_the_lattice_vectors() {
        let hexagonal =
            PeriodicBox::from_edges_and_angles(DVec3::new(40.0, 40.0, 90.0), DVec3::new(90.0, 90.0, 120.0)).unwrap();
        assert!((hexagonal.edges() - DVec3::new(40.0, 40.0, 90.0)).length() < 1e-9);
        assert!((hexagonal.angles_degrees() - DVec3::new(90.0, 90.0, 120.0)).length() < 1e-9);
        assert!((hexagonal.widths().x - 40.0 * 60f64.to_radians().sin()).abs() < 1e-9);
    }

    #[test]
    fn a_box_without_volume_is_refused() {
        assert!(PeriodicBox::orthogonal(DVec3::new(10.0, 0.0, 10.0)).is_none());
        assert!(PeriodicBox::orthogonal(DVec3::new(10.0, f64::NAN, 10.0)).is_none());
        assert!(PeriodicBox::from_edges_and_angles(DVec3::splat(10.0), DVec3::new(170.0, 170.0, 170.0)).is_none());
    }
}
