//! Meshes of tetrahedra: real files to the counts of other readers, every way of writing each format, and broken files.
//!
//! How it works: the small files hold the same two tetrahedra, [`written::pair`], written by the test itself in every coding that a format
//! has; each must come back the same.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

#[path = "../common/mod.rs"]
mod common;

mod broken;
mod files;
mod gmsh;
mod mesh;
mod others;
mod vtk;
mod vtu;
mod written;

use std::path::Path;

use steric_model::formats::tet_mesh::read_tet_mesh_bytes;
use steric_model::{Parsed, TetMesh};

/// Reads a file that needs no other beside it.
pub(crate) fn read(bytes: &[u8], path: &str) -> Parsed<TetMesh> {
    read_tet_mesh_bytes(bytes, Path::new(path)).unwrap_or_else(|error| panic!("{error}"))
}

/// The sentence with which a file is refused.
pub(crate) fn refusal(bytes: &[u8], path: &str) -> String {
    read_tet_mesh_bytes(bytes, Path::new(path)).expect_err("a broken file").to_string()
}
