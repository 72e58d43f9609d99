//! Regions that molecules stay in or out of.
//!
//! How it works: every region gives the exact signed distance to its boundary, negative inside, and the direction in
//! which it grows, which is the normal at the nearest place of the boundary. A capped cylinder is a rectangle in the
//! half-plane through its axis; an ellipsoid's nearest place is the root of one equation ([`ellipsoid`]).

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DVec2, DVec3};
use steric_model::Random;

use super::surface::outward;
use super::{TriangleMesh, ellipsoid};

/// How many points of the box around a mesh are tried before it is called empty.
const MOST_TRIES: usize = 10_000;

/// Which side of a region's boundary.
///
/// ```
/// use steric_world::shape::Side;
///
/// assert_ne!(Side::Inside, Side::On);
/// ```
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
///
/// ```
/// use glam::DVec3;
/// use steric_world::shape::Region;
///
/// let nucleus = Region::Ellipsoid { center: DVec3::ZERO, semi_axes: DVec3::new(90.0, 60.0, 60.0) };
/// assert!(nucleus.contains(DVec3::new(80.0, 0.0, 0.0)));
/// assert!(!nucleus.contains(DVec3::new(0.0, 80.0, 0.0)));
/// ```
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
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// Its centre.
        center: DVec3,
        /// Half of its width along x, y and z, in angstroms.
        semi_axes: DVec3,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// The middle of one end.
        start: DVec3,
        /// The middle of the other end.
        end: DVec3,
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
    /// The inside of a closed surface of triangles.
    Mesh(Arc<TriangleMesh>),
    /// All that lies so deep inside another region; with a negative depth, that and all that lies so near to it outside. Where
    /// spheres of this radius have their centres when they stand wholly inside, or touch.
    Inset {
        /// The other region.
        of: Arc<Self>,
        /// The depth, in angstroms.
        depth: f64,
    },
}

impl Region {
    /// The signed distance of a point from the boundary, in angstroms, negative inside, and the direction in which it
    /// grows.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Region;
    ///
    /// let pore = Region::Cylinder { start: DVec3::ZERO, end: 40.0 * DVec3::Z, radius: 12.0 };
    /// assert_eq!(pore.distance(DVec3::new(15.0, 0.0, 20.0)), (3.0, DVec3::X));
    /// assert_eq!(pore.distance(DVec3::new(1.0, 0.0, 39.0)), (-1.0, DVec3::Z));
    /// ```
    pub fn distance(&self, point: DVec3) -> (f64, DVec3) {
        match *self {
            Self::Box { low, high } => distance_to_box(point - 0.5 * (low + high), 0.5 * (high - low).abs()),
            Self::Sphere { center, radius } => {
                let (outward, distance) = outward(point - center);
                (distance - radius, outward)
            }
            Self::Ellipsoid { center, semi_axes } => ellipsoid::distance(point - center, semi_axes),
            Self::Cylinder { start, end, radius } => distance_to_cylinder(point, start, end, radius),
            Self::HalfSpace { normal, offset } => (point.dot(normal) - offset, normal),
            Self::Mesh(ref mesh) => mesh.distance(point),
            Self::Inset { ref of, depth } => {
                let (distance, outward) = of.distance(point);
                (distance + depth, outward)
            }
        }
    }

    /// Whether a point lies inside or on the boundary.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Region;
    ///
    /// assert!(Region::Box { low: DVec3::ZERO, high: DVec3::ONE }.contains(DVec3::splat(0.5)));
    /// ```
    pub fn contains(&self, point: DVec3) -> bool {
        self.distance(point).0 <= 0.0
    }

    /// The volume in cubic angstroms; a half-space's is infinite. That of an inset is exact for spheres and boxes, by Steiner's
    /// formula for meshes, and NaN for the others.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Region;
    ///
    /// assert_eq!(Region::Box { low: DVec3::ZERO, high: DVec3::new(2.0, 3.0, 4.0) }.volume(), 24.0);
    /// ```
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Box { low, high } => (high - low).abs().element_product(),
            Self::Sphere { radius, .. } => 4.0 / 3.0 * PI * radius.powi(3),
            Self::Ellipsoid { semi_axes, .. } => 4.0 / 3.0 * PI * semi_axes.abs().element_product(),
            Self::Cylinder { start, end, radius } => PI * radius * radius * start.distance(end),
            Self::HalfSpace { .. } => f64::INFINITY,
            Self::Mesh(ref mesh) => mesh.volume(),
            Self::Inset { ref of, depth } => inset_volume(of, depth),
        }
    }

    /// The least and the greatest corner of the tightest box around it; infinite for a half-space.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Region;
    ///
    /// let (low, high) = Region::Sphere { center: DVec3::X, radius: 2.0 }.bounds();
    /// assert_eq!((low.x, high.x), (-1.0, 3.0));
    /// ```
    pub fn bounds(&self) -> (DVec3, DVec3) {
        match *self {
            Self::Box { low, high } => (low.min(high), low.max(high)),
            Self::Sphere { center, radius } => (center - radius, center + radius),
            Self::Ellipsoid { center, semi_axes } => (center - semi_axes.abs(), center + semi_axes.abs()),
            Self::Cylinder { start, end, radius } => {
                // A disc is as wide along an axis as its plane leans towards it.
                let along = (end - start).normalize_or(DVec3::Z);
                let half = radius * (DVec3::ONE - along * along).max(DVec3::ZERO).map(f64::sqrt);
                (start.min(end) - half, start.max(end) + half)
            }
            Self::HalfSpace { .. } => (DVec3::NEG_INFINITY, DVec3::INFINITY),
            Self::Mesh(ref mesh) => mesh.bounds(),
            Self::Inset { ref of, depth } => {
                let (low, high) = of.bounds();
                (low + depth, high - depth)
            }
        }
    }

    /// A point inside, uniform in volume; `None` where there is no such point to be drawn: in a half-space, or in a
    /// mesh so thin that ten thousand points of the box around it miss it.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::Random;
    /// use steric_world::shape::Region;
    ///
    /// let cell = Region::Sphere { center: DVec3::ZERO, radius: 50.0 };
    /// let point = cell.sample(&mut Random::new(7)).expect("a sphere has an inside");
    /// assert!(cell.contains(point));
    /// ```
    pub fn sample(&self, random: &mut Random) -> Option<DVec3> {
        match *self {
            Self::Box { low, high } => Some(low + (high - low) * DVec3::from([0.0; 3].map(|_: f64| random.unit()))),
            Self::Sphere { center, radius } => Some(center + radius * in_ball(random)),
            Self::Ellipsoid { center, semi_axes } => Some(center + semi_axes * in_ball(random)),
            Self::Cylinder { start, end, radius } => {
                let (a, b) = (end - start).normalize_or(DVec3::Z).any_orthonormal_pair();
                let (x, y, _) = random.in_disc();
                Some(start + random.unit() * (end - start) + radius * (x * a + y * b))
            }
            Self::HalfSpace { .. } => None,
            Self::Mesh(_) | Self::Inset { .. } => {
                let (low, high) = self.bounds();
                let is_bounded = low.is_finite() && high.is_finite() && low.cmple(high).all();
                let mut anywhere = || low + (high - low) * DVec3::from([0.0; 3].map(|_: f64| random.unit()));
                (0..MOST_TRIES).filter(|_| is_bounded).map(|_| anywhere()).find(|&point| self.contains(point))
            }
        }
    }
}

// Grown regions have round edges; those of a box and of a mesh are in Steiner's formula.
fn inset_volume(of: &Region, depth: f64) -> f64 {
    match *of {
        Region::Sphere { radius, .. } => 4.0 / 3.0 * PI * (radius - depth).max(0.0).powi(3),
        Region::Box { low, high } if depth >= 0.0 => {
            ((high - low).abs() - 2.0 * depth).max(DVec3::ZERO).element_product()
        }
        Region::Box { low, high } => {
            let (edges, out) = ((high - low).abs(), -depth);
            let faces = 2.0 * (edges.x * edges.y + edges.y * edges.z + edges.z * edges.x);
            edges.element_product() + faces * out + PI * edges.element_sum() * out * out + 4.0 / 3.0 * PI * out.powi(3)
        }
        Region::Mesh(ref mesh) => mesh.volume_at(-depth),
        Region::Inset { ref of, depth: inner } if inner * depth >= 0.0 => inset_volume(of, inner + depth),
        _ => f64::NAN,
    }
}

fn in_ball(random: &mut Random) -> DVec3 {
    random.unit().cbrt() * random.direction()
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

fn distance_to_cylinder(point: DVec3, start: DVec3, end: DVec3, radius: f64) -> (f64, DVec3) {
    let axis = (end - start).normalize_or(DVec3::Z);
    let from_middle = point - 0.5 * (start + end);
    let along = from_middle.dot(axis);
    let (across, distance_across) = outward(from_middle - along * axis);
    // On the axis every direction across is as good.
    let across = if distance_across > 0.0 { across } else { axis.any_orthonormal_vector() };
    let half = DVec2::new(radius, 0.5 * start.distance(end));
    let beyond = DVec2::new(distance_across, along.abs()) - half;
    let in_plane = |direction: DVec2| direction.x * across + direction.y * along.signum() * axis;
    let (direction, distance) = beyond.max(DVec2::ZERO).normalize_and_length();
    if distance > 0.0 {
        return (distance, in_plane(direction));
    }
    let nearest = beyond.max_position();
    (beyond[nearest], in_plane(DVec2::AXES[nearest]))
}

#[cfg(test)]
mod tests;
