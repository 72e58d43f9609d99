//! Surfaces that lipids stand on.

use glam::DVec3;

/// The middle of a membrane. Its outer side is the one that the normal points to.
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
}

impl Surface {
    /// How far a point stands above the surface, in angstroms, negative on the inner side, and the outward normal there.
    pub fn height(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Sphere { center, radius } => {
                let (outward, distance) = (point - center).normalize_and_length();
                if distance > 0.0 { (distance - radius, outward) } else { (-radius, DVec3::Z) }
            }
            Self::Plane { origin, normal } => ((point - origin).dot(normal), normal),
        }
    }
}
