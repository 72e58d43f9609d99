//! A constraint on the atoms of a molecule: on which side of a boundary they stay.
//!
//! How it works: every shape gives a signed distance that is positive on the wrong side, and the direction in which it grows. A
//! shape with an inside is a [`Region`]; a hill over the xy plane measures along z, as packmol does, and pulls along its slope.

use glam::{DMat3, DVec2, DVec3};
use steric_model::Pose;
use steric_model::formats::packmol::Shape;

use crate::respond::Pull;
use crate::shape::Region;

/// Beyond this a wall is broken, in angstroms: half of what packmol's users expect, so that rounding in a file does not matter.
pub(super) const BROKEN: f64 = 0.005;
/// Atoms are pulled this far behind a wall, in angstroms, so that pulls and pushes can settle.
const BEHIND: f64 = 0.05;

/// A boundary, and on which side of it some points of a molecule stay.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Pose;
/// use steric_model::formats::packmol::Shape;
/// use steric_world::pack::Wall;
///
/// let ball = Shape::Sphere { center: DVec3::ZERO, radius: 10.0 };
/// let wall = Wall::new(ball, true, vec![DVec3::ZERO, DVec3::X]);
/// assert_eq!(wall.beyond(DVec3::X * 12.0), (2.0, DVec3::X));
/// assert_eq!(wall.worst(&Pose::from_translation(DVec3::X * 12.0)), 3.0);
/// ```
#[derive(Clone, Debug)]
pub struct Wall {
    boundary: Boundary,
    inside: bool,
    points: Vec<DVec3>,
    // The farthest point from the molecule's origin.
    reach: f64,
}

#[derive(Clone, Debug)]
enum Boundary {
    Region(Region),
    Hill { middle: DVec3, widths: DVec2, height: f64 },
}

impl Wall {
    /// The wall of a shape; `points` are measured from the molecule's origin.
    pub fn new(shape: Shape, inside: bool, points: Vec<DVec3>) -> Self {
        let reach = points.iter().map(|point| point.length()).fold(0.0, f64::max);
        Self { boundary: boundary(shape), inside, points, reach }
    }

    /// How far a place is on the wrong side, in angstroms, negative on the right one, and the way that makes it worse.
    pub fn beyond(&self, place: DVec3) -> (f64, DVec3) {
        let (distance, outward) = match &self.boundary {
            Boundary::Region(region) => region.distance(place),
            Boundary::Hill { middle, widths, height } => above_hill(place, *middle, *widths, *height),
        };
        if self.inside { (distance, outward) } else { (-distance, -outward) }
    }

    /// How far the worst point of a molecule is on the wrong side, in angstroms; negative if all are on the right one.
    pub fn worst(&self, pose: &Pose) -> f64 {
        if self.is_far(pose, 0.0) {
            return -BEHIND;
        }
        self.points.iter().map(|&point| self.beyond(*pose * point).0).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Adds what a molecule has to do; returns whether a point is beyond the wall.
    pub(super) fn ask(&self, pose: &Pose, rotation: DMat3, pulls: &mut Vec<Pull>) -> bool {
        if self.is_far(pose, BEHIND) {
            return false;
        }
        let mut broken = false;
        for &point in &self.points {
            let arm = rotation * point;
            let (beyond, outward) = self.beyond(pose.translation + arm);
            broken |= beyond > BROKEN;
            if beyond + BEHIND > 0.0 {
                pulls.push(Pull::Shift { arm, direction: -outward, depth: beyond + BEHIND });
            }
        }
        broken
    }

    /// Whether no point can be beyond, because even the origin is farther away than any point from it.
    fn is_far(&self, pose: &Pose, margin: f64) -> bool {
        // Along z a hill may change faster than the place does.
        let is_distance = matches!(self.boundary, Boundary::Region(_));
        is_distance && self.beyond(pose.translation).0 + self.reach + margin <= 0.0
    }

    /// The corners of a box that holds every place on the right side, infinite where there is no such box.
    pub(super) fn bounds(&self) -> (DVec3, DVec3) {
        let everywhere = (DVec3::NEG_INFINITY, DVec3::INFINITY);
        match &self.boundary {
            Boundary::Region(Region::HalfSpace { normal, offset }) => half_space(*normal, *offset, self.inside),
            Boundary::Region(region) if self.inside => region.bounds(),
            _ => everywhere,
        }
    }

    /// Whether a place is on the right side.
    pub(super) fn contains(&self, place: DVec3) -> bool {
        self.beyond(place).0 <= 0.0
    }

    /// Whether it is a wall for all atoms of a molecule.
    pub(super) fn holds_all(&self, atoms: usize) -> bool {
        self.points.len() >= atoms
    }

    /// How far the points reach from the molecule's origin, in angstroms.
    pub(super) fn reach(&self) -> f64 {
        self.reach
    }
}

fn boundary(shape: Shape) -> Boundary {
    Boundary::Region(match shape {
        Shape::Box { low, high } => Region::Box { low, high },
        Shape::Sphere { center, radius } => Region::Sphere { center, radius },
        Shape::Ellipsoid { center, semi_axes } => Region::Ellipsoid { center, semi_axes },
        Shape::Cylinder { start, end, radius } => Region::Cylinder { start, end, radius },
        Shape::Plane { normal, offset } => Region::HalfSpace { normal, offset },
        Shape::Gauss { middle, widths, height } => return Boundary::Hill { middle, widths: widths.into(), height },
    })
}

/// How far a place is above a hill, along z, and the direction in which that grows.
fn above_hill(place: DVec3, middle: DVec3, widths: DVec2, height: f64) -> (f64, DVec3) {
    let from_middle = place - middle;
    let scaled = from_middle.truncate() / widths;
    let rise = height * (-0.5 * scaled.length_squared()).exp();
    let slope = rise * scaled / widths;
    (from_middle.z - rise, slope.extend(1.0).normalize_or(DVec3::Z))
}

/// A half-space that lies along an axis bounds that axis on one side.
fn half_space(normal: DVec3, offset: f64, below: bool) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
    for axis in 0..3 {
        if normal[axis].abs() > 1.0 - 1e-9 {
            let place = offset / normal[axis];
            if below == (normal[axis] > 0.0) { high[axis] = place } else { low[axis] = place }
        }
    }
    (low, high)
}
