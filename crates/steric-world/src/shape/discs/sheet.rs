//! The sheet that discs move in: a surface at one height, in coordinates of its own.
//!
//! How it works: a sphere is described from its centre; a plane lies in x and y from its corner and, where it is
//! periodic, a coordinate is kept between 0 and the edge, so that the nearest image is at most one edge away.

use glam::DVec3;
use steric_model::Random;

use crate::shape::surface::outward;
use crate::shape::{Surface, TriangleMesh};

pub(super) enum Sheet<'a> {
    Round { center: DVec3, radius: f64 },
    Flat { corner: DVec3, axes: [DVec3; 2], edges: Option<[f64; 2]> },
    Mesh { mesh: &'a TriangleMesh, height: f64 },
}

impl<'a> Sheet<'a> {
    pub(super) fn new(surface: &'a Surface, height: f64, periodic: Option<[f64; 2]>) -> Self {
        match *surface {
            Surface::Mesh(ref mesh) => Self::Mesh { mesh, height },
            Surface::Sphere { center, radius } => Self::Round { center, radius: (radius + height).max(0.0) },
            Surface::Plane { origin, normal } => {
                let edges = periodic.filter(|edges| edges.iter().all(|&edge| edge.is_finite() && edge > 0.0));
                Self::Flat { corner: origin + height * normal, axes: Surface::axes(normal), edges }
            }
        }
    }

    /// From the world's coordinates to the sheet's.
    pub(super) fn enter(&self, point: DVec3) -> DVec3 {
        match *self {
            Self::Mesh { .. } => point,
            Self::Round { center, .. } => point - center,
            Self::Flat { corner, axes: [a, b], .. } => {
                DVec3::new((point - corner).dot(a), (point - corner).dot(b), 0.0)
            }
        }
    }

    /// From the sheet's coordinates to the world's.
    pub(super) fn leave(&self, place: DVec3) -> DVec3 {
        match *self {
            Self::Mesh { .. } => place,
            Self::Round { center, .. } => center + place,
            Self::Flat { corner, axes: [a, b], .. } => corner + place.x * a + place.y * b,
        }
    }

    /// The nearest place of the sheet.
    pub(super) fn settle(&self, place: DVec3) -> DVec3 {
        match *self {
            Self::Round { radius, .. } => radius * outward(place).0,
            Self::Flat { edges: Some([x, y]), .. } => DVec3::new(wrap(place.x, x), wrap(place.y, y), 0.0),
            Self::Flat { .. } => place,
            Self::Mesh { mesh, height } => mesh.project(place, height),
        }
    }

    /// A place, moved by a little. Above a mesh it is settled only when the lists are made, because that costs a search;
    /// until then it moves by less than half a skin, along a surface that is nearly flat.
    pub(super) fn slide(&self, place: DVec3, step: DVec3) -> DVec3 {
        match self {
            Self::Mesh { .. } => place + step,
            _ => self.settle(place + step),
        }
    }

    /// The shortest way from one place to another.
    pub(super) fn between(&self, from: DVec3, to: DVec3) -> DVec3 {
        let way = to - from;
        match *self {
            Self::Flat { edges: Some([x, y]), .. } => DVec3::new(nearest(way.x, x), nearest(way.y, y), 0.0),
            _ => way,
        }
    }

    /// A direction in the sheet by which two discs in one place part: opposite for the two, and the same every time.
    pub(super) fn any_direction(&self, place: DVec3, name: u32, other: u32) -> DVec3 {
        let turn = std::f64::consts::TAU * Random::of(u64::from(name.min(other)), u64::from(name.max(other))).unit();
        let sign = if name < other { 1.0 } else { -1.0 };
        let [a, b] = Surface::axes(self.normal(place));
        sign * (turn.cos() * a + turn.sin() * b)
    }

    fn normal(&self, place: DVec3) -> DVec3 {
        match *self {
            Self::Round { .. } => outward(place).0,
            Self::Flat { .. } => DVec3::Z,
            Self::Mesh { mesh, .. } => mesh.height(place).1,
        }
    }

    /// The edges of the periodic box, if there is one.
    pub(super) fn edges(&self) -> Option<[f64; 2]> {
        match *self {
            Self::Flat { edges, .. } => edges,
            _ => None,
        }
    }

    /// Whether z is zero everywhere.
    pub(super) fn is_flat(&self) -> bool {
        matches!(self, Self::Flat { .. })
    }
}

fn wrap(coordinate: f64, edge: f64) -> f64 {
    if (0.0..edge).contains(&coordinate) {
        return coordinate;
    }
    let wrapped = coordinate.rem_euclid(edge);
    // A tiny negative number is rounded up to the edge itself.
    if wrapped < edge { wrapped } else { 0.0 }
}

// For coordinates between 0 and the edge.
fn nearest(way: f64, edge: f64) -> f64 {
    if way > 0.5 * edge {
        way - edge
    } else if way < -0.5 * edge {
        way + edge
    } else {
        way
    }
}
