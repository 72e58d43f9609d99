//! The triangles of a glTF file.

use std::path::Path;

use super::Mesh;
use crate::formats::rig::read_surface;
use crate::{Parsed, ReadError};

/// Reads the triangles of all nodes of a glTF file, JSON or GLB, each where its node has it. Lengths are taken as they are.
///
/// ```
/// use steric_model::formats::mesh::read_gltf_mesh;
///
/// let empty = read_gltf_mesh(br#"{"asset": {"version": "2.0"}}"#, "none.gltf".as_ref());
/// assert!(empty.expect_err("there is no surface").to_string().contains("at least one triangle"));
/// ```
pub fn read_gltf_mesh(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let Parsed { value, warnings } = read_surface(bytes, path)?;
    value.finish(warnings, path)
}
