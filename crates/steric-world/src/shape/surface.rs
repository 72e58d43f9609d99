//! Surfaces that lipids stand on.
//!
//! How it works: every surface answers one question, how far a point stands above its nearest place and which way is out
//! there. A parallel surface at another height has the same normals, so a point is moved to a height along its normal.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::DVec3;

use super::TriangleMesh;

/// The middle of a membrane. Its outer side is the one that the normal points to.
///
/// ```
/// use glam::DVec3;
/// use steric_world::shape::Surface;
///
/// let vesicle = Surface::Sphere { center: DVec3::ZERO, radius: 200.0 };
/// assert_eq!(vesicle.height(DVec3::new(0.0, 218.0, 0.0)), (18.0, DVec3::Y));
/// ```
#[derive(Clone, Debug)]
pub enum Surface {
    /// A sphere; outside is out.
    Sphere {
        /// Its centre.
        center: DVec3,
        /// Its radius, in angstroms.
        radius: f64,
    },
    /// A plane.
    Plane {
        /// A point of it.
        origin: DVec3,
        /// The outward normal, of length one.
        normal: DVec3,
    },
    /// A closed surface of triangles; the side that it was turned to is out.
    Mesh(Arc<TriangleMesh>),
}

impl Surface {
    /// How far a point stands above the surface, in angstroms, negative on the inner side, and the outward normal there.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Surface;
    ///
    /// let bilayer = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
    /// assert_eq!(bilayer.height(DVec3::new(3.0, 4.0, -18.0)), (-18.0, DVec3::Z));
    /// ```
    pub fn height(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Mesh(ref mesh) => mesh.height(point),
            Self::Sphere { center, radius } => {
                let (outward, distance) = outward(point - center);
                (distance - radius, outward)
            }
            Self::Plane { origin, normal } => ((point - origin).dot(normal), normal),
        }
    }

    /// The point at that height, in angstroms, above the place of the surface that is nearest to a point.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Surface;
    ///
    /// let vesicle = Surface::Sphere { center: DVec3::ZERO, radius: 200.0 };
    /// assert_eq!(vesicle.project(DVec3::new(0.0, 0.0, 5.0), 18.0), DVec3::new(0.0, 0.0, 218.0));
    /// ```
    pub fn project(&self, point: DVec3, height: f64) -> DVec3 {
        match *self {
            Self::Sphere { center, radius } => center + (radius + height).max(0.0) * outward(point - center).0,
            Self::Plane { origin, normal } => point + (height - (point - origin).dot(normal)) * normal,
            Self::Mesh(ref mesh) => mesh.project(point, height),
        }
    }

    /// The area of the parallel surface at a height, in square angstroms; a plane's is infinite.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Surface;
    ///
    /// let vesicle = Surface::Sphere { center: DVec3::ZERO, radius: 200.0 };
    /// let lipids = vesicle.area_at(18.0) / 68.3;
    /// assert_eq!(lipids as u32, 8743);
    /// ```
    pub fn area_at(&self, height: f64) -> f64 {
        match *self {
            Self::Sphere { radius, .. } => 4.0 * PI * (radius + height).max(0.0).powi(2),
            Self::Plane { .. } => f64::INFINITY,
            Self::Mesh(ref mesh) => mesh.area_at(height),
        }
    }

    /// The two directions along which a patch or a periodic box lies in a plane: x and y where the normal is z.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Surface;
    ///
    /// assert_eq!(Surface::axes(DVec3::Z), [DVec3::X, DVec3::Y]);
    /// ```
    pub fn axes(normal: DVec3) -> [DVec3; 2] {
        let (first, second) = normal.any_orthonormal_pair();
        [first, second]
    }
}

/// The direction and distance from a centre; in the centre itself, z is out.
pub(super) fn outward(from_center: DVec3) -> (DVec3, f64) {
    let (outward, distance) = from_center.normalize_and_length();
    if distance > 0.0 { (outward, distance) } else { (DVec3::Z, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn surfaces() -> [Surface; 2] {
        let center = DVec3::new(3.0, -2.0, 7.0);
        let normal = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        [Surface::Sphere { center, radius: 50.0 }, Surface::Plane { origin: center, normal }]
    }

    #[test]
    fn the_centre_of_a_sphere_has_a_height_and_a_normal() {
        let [sphere, _] = surfaces();
        assert_eq!(sphere.height(DVec3::new(3.0, -2.0, 7.0)), (-50.0, DVec3::Z));
        assert_eq!(sphere.project(DVec3::new(3.0, -2.0, 7.0), 1.0), DVec3::new(3.0, -2.0, 58.0));
    }

    #[test]
    fn no_surface_is_left_deep_inside_a_sphere() {
        let [sphere, _] = surfaces();
        assert!(sphere.area_at(-50.0).abs() < 1e-12 && sphere.area_at(-60.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_projected_point_has_the_height_that_was_asked_for(
            (x, y, z) in (-90.0..90.0, -90.0..90.0, -90.0..90.0_f64),
            height in -20.0..20.0_f64,
        ) {
            for surface in surfaces() {
                let (found, normal) = surface.height(surface.project(DVec3::new(x, y, z), height));
                prop_assert!((found - height).abs() < 1e-9);
                prop_assert!(normal.is_normalized());
            }
        }
    }
}
