//! The same two tetrahedra in every form in which a file can hold them, for the tests of the readers and for the fuzz test.
#![allow(dead_code, reason = "each test uses its own part of this")]

pub(crate) mod bytes;
pub(crate) mod gmsh;
pub(crate) mod others;
pub(crate) mod vtk;
pub(crate) mod vtu;

use glam::DVec3;
use steric_model::TetMesh;

/// Two tetrahedra that share a face, of the regions 7 and 9; all coordinates are exact in single precision.
pub(crate) fn pair(name: &str) -> TetMesh {
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::new(0.25, 1.0, 0.0), DVec3::new(0.5, 0.5, 2.0), DVec3::splat(1.5)];
    TetMesh { name: name.to_owned(), points, tetrahedra: vec![[0, 1, 2, 3], [1, 4, 2, 3]], regions: vec![7, 9] }
}
