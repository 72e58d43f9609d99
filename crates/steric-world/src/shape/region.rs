//! Regions that molecules stay in or out of.

use glam::DVec3;

/// Which side of a region's boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Inside, the boundary included.
    Inside,
    /// Outside, the boundary included.
    Outside,
    /// On the boundary.
    On,
}

/// A part of space.
#[derive(Clone, Debug)]
pub enum Region {
    /// A box along the axes.
    Box {
        /// Its least corner.
        low: DVec3,
        /// Its greatest corner.
        high: DVec3,
    },
    /// A sphere.
    Sphere {
        /// Its centre.
        center: DVec3,
        /// Its radius, in angstroms.
        radius: f64,
    },
    /// All below a plane: the points with `normal · point <= offset`.
    HalfSpace {
        /// The outward normal, of length one.
        normal: DVec3,
        /// Where the plane cuts the normal, in angstroms from the origin.
        offset: f64,
    },
}

impl Region {
    /// The signed distance of a point from the boundary, in angstroms, negative inside, and the direction in which it
    /// grows.
    pub fn distance(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Box { low, high } => distance_to_box(point - 0.5 * (low + high), 0.5 * (high - low)),
            Self::Sphere { center, radius } => {
                let (outward, distance) = (point - center).normalize_and_length();
                if distance > 0.0 { (distance - radius, outward) } else { (-radius, DVec3::Z) }
            }
            Self::HalfSpace { normal, offset } => (point.dot(normal) - offset, normal),
        }
    }
}

fn distance_to_box(point: DVec3, half: DVec3) -> (f64, DVec3) {
    let beyond = point.abs() - half;
    let outside = beyond.max(DVec3::ZERO);
    let (direction, distance) = outside.normalize_and_length();
    if distance > 0.0 {
        return (distance, direction * point.signum());
    }
    let axis = beyond.max_position();
    (beyond[axis], DVec3::AXES[axis] * point.signum())
}
