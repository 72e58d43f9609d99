//! Regions and surfaces as triangles, for those who draw them.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use steric_model::formats::mesh::Mesh;

use super::{Region, Surface, TriangleMesh};

/// Parts of a full turn.
const PARTS: u32 = 64;

impl Region {
    /// The boundary as triangles, counter-clockwise as seen from outside; nothing for a half-space, which has no end.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::{Region, TriangleMesh};
    ///
    /// let nucleus = Region::Sphere { center: DVec3::ONE, radius: 50.0 };
    /// let outline = TriangleMesh::new(&nucleus.outline().expect("a sphere has an end"))?;
    /// assert!((outline.volume() / nucleus.volume() - 1.0).abs() < 0.01);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn outline(&self) -> Option<Mesh> {
        match *self {
            Self::Box { low, high } => {
                let (low, high) = (low.min(high), low.max(high));
                let cube = turned(2, 4, |along, around| {
                    // The corners of a square stand farther out than its sides.
                    let (sin, cos) = (around + PI / 4.0).sin_cos();
                    0.5 * DVec3::new(cos * 2f64.sqrt(), sin * 2f64.sqrt(), 2.0 * along - 1.0)
                });
                let place = |corner: &DVec3| 0.5 * (low + high) + *corner * (high - low);
                Some(Mesh { vertices: cube.vertices.iter().map(place).collect(), ..cube })
            }
            Self::Sphere { center, radius } => Some(ellipsoid(center, DVec3::splat(radius))),
            Self::Ellipsoid { center, semi_axes } => Some(ellipsoid(center, semi_axes.abs())),
            Self::Cylinder { start, end, radius } => {
                let turn = DQuat::from_rotation_arc(DVec3::Z, (end - start).normalize_or(DVec3::Z));
                let length = start.distance(end);
                Some(turned(2, PARTS, |along, around| {
                    let (sin, cos) = around.sin_cos();
                    start + turn * DVec3::new(radius * cos, radius * sin, along * length)
                }))
            }
            Self::HalfSpace { .. } => None,
            Self::Mesh(ref mesh) => Some(mesh.outline()),
            // What is seen is the boundary that keeps molecules in, not where their middles are.
            Self::Inset { ref of, .. } => of.outline(),
        }
    }
}

impl Surface {
    /// The surface as triangles; nothing for a plane, which has no end.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_world::shape::Surface;
    ///
    /// assert!(Surface::Sphere { center: DVec3::ZERO, radius: 200.0 }.outline().is_some());
    /// assert!(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z }.outline().is_none());
    /// ```
    pub fn outline(&self) -> Option<Mesh> {
        match *self {
            Self::Sphere { center, radius } => Some(ellipsoid(center, DVec3::splat(radius))),
            Self::Plane { .. } => None,
            Self::Mesh(ref mesh) => Some(mesh.outline()),
        }
    }
}

impl TriangleMesh {
    /// Its vertices and triangles, welded and turned outward.
    pub fn outline(&self) -> Mesh {
        Mesh { vertices: self.vertices().to_vec(), triangles: self.triangles().to_vec() }
    }
}

fn ellipsoid(center: DVec3, semi_axes: DVec3) -> Mesh {
    turned(PARTS / 2, PARTS, |along, around| {
        let ((high, wide), (sin, cos)) = ((PI * (along - 0.5)).sin_cos(), around.sin_cos());
        center + semi_axes * DVec3::new(wide * cos, wide * sin, high)
    })
}

/// A closed body of rings from its lower to its upper end: `place` is told how far along, from 0 to 1, and the angle around.
fn turned(rings: u32, parts: u32, place: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let rings = rings.max(2);
    let ring = |number: u32| {
        let along = f64::from(number) / f64::from(rings - 1);
        (0..parts).map(move |part| (along, TAU * f64::from(part) / f64::from(parts)))
    };
    let mut vertices: Vec<DVec3> = (0..rings).flat_map(ring).map(|(along, around)| place(along, around)).collect();
    let mut triangles = Vec::new();
    for part in 0..parts {
        let next = (part + 1) % parts;
        for below in (0..rings - 1).map(|ring| ring * parts) {
            let [a, b, c, d] = [below + part, below + next, below + parts + next, below + parts + part];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    // A lid on either end, around the middle of its ring.
    for (first, is_upper) in [(0, false), ((rings - 1) * parts, true)] {
        let ring = &vertices[first as usize..(first + parts) as usize];
        let middle = ring.iter().sum::<DVec3>() / f64::from(parts);
        let center = vertices.len() as u32;
        vertices.push(middle);
        for part in 0..parts {
            let (a, b) = (first + part, first + (part + 1) % parts);
            triangles.push(if is_upper { [center, a, b] } else { [center, b, a] });
        }
    }
    Mesh { vertices, triangles }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn outlines_are_closed_and_hold_the_volume_of_their_regions() {
        let regions = [
            Region::Box { low: DVec3::new(3.0, -2.0, 1.0), high: DVec3::new(13.0, 5.0, 41.0) },
            Region::Sphere { center: DVec3::new(90.0, 0.0, -3.0), radius: 25.0 },
            Region::Ellipsoid { center: DVec3::ONE, semi_axes: DVec3::new(30.0, 12.0, 7.0) },
            Region::Cylinder { start: DVec3::X, end: DVec3::new(20.0, 30.0, -9.0), radius: 8.0 },
            Region::Cylinder { start: DVec3::ZERO, end: DVec3::NEG_Z * 5.0, radius: 2.0 },
        ];
        for region in regions {
            let outline = TriangleMesh::new(&region.outline().unwrap()).unwrap();
            assert!(outline.report().is_watertight(), "{region:?}: {:?}", outline.report());
            let ratio = outline.volume() / region.volume();
            assert!((0.985..=1.0 + 1e-9).contains(&ratio), "{region:?}: {ratio} of the volume");
            let again = TriangleMesh::new(&Region::Mesh(outline.into()).outline().unwrap()).unwrap();
            assert!((again.volume() / region.volume() - ratio).abs() < 1e-9);
        }
    }
}
