//! Surface meshes: vertices and the triangles between them, from OBJ, PLY, OFF, STL and glTF files.
//!
//! How it works: a file that begins with the word `ply` is PLY, with `OFF` OFF, with `glTF` or a brace glTF; STL shows by its length or the
//! word `solid`, and any other is OBJ if it holds a vertex or says so by its ending. Polygons are cut into a fan of triangles around their first corner. Normals, colours and textures are passed
//! over; what the surface is good for (closed, turned outward) is for its user to ask.

mod gltf;
mod obj;
mod off;
mod ply;
mod ply_header;
mod stl;

use std::path::Path;

use glam::DVec3;

use super::text::{Line, Lines};
use crate::{Parsed, Place, ReadError, Warnings};
pub use gltf::read_gltf_mesh;
pub use obj::read_obj;
pub use off::read_off;
pub use ply::read_ply;
pub use stl::read_stl;

/// Vertices, and triangles as three numbers of vertices each, counted from 0.
///
/// ```
/// use steric_model::formats::mesh::read_obj;
///
/// let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// let mesh = read_obj(square, "square.obj".as_ref())?.value;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// In angstroms, as far as the file knows.
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise as seen from outside, as far as the file keeps to it.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a surface mesh, compressed or not.
///
/// ```
/// let missing = steric_model::formats::mesh::read_mesh("no-such-folder/nucleus.obj".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/nucleus.obj: "));
/// ```
pub fn read_mesh(path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    read_mesh_bytes(&super::load(path)?, path)
}

/// As [`read_mesh`], for a file already in memory.
///
/// ```
/// use steric_model::formats::mesh::read_mesh_bytes;
///
/// let mesh = read_mesh_bytes(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "one.obj".as_ref())?;
/// assert_eq!(mesh.value.triangles.len(), 1);
/// assert!(read_mesh_bytes(b"no mesh", "notes.txt".as_ref()).is_err());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_mesh_bytes(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let (bytes, trailing) = super::decompress(bytes, path)?;
    let mut parsed = if is_ply(&bytes) {
        read_ply(&bytes, path)?
    } else if is_off(&bytes) {
        read_off(&bytes, path)?
    } else if bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{") {
        read_gltf_mesh(&bytes, path)?
    } else if is_stl(&bytes, path) {
        read_stl(&bytes, path)?
    } else if is_obj(&bytes, path) {
        read_obj(&bytes, path)?
    } else {
        let first_line = Lines::new(&bytes).next().map_or(&b"an empty file"[..], |line| line.text);
        return Err(ReadError::content(path, Place::File, "a surface mesh (OBJ, PLY, OFF, STL, glTF)", first_line));
    };
    if trailing > 0 {
        parsed.warnings.push(Place::File, || format!("{trailing} bytes behind the compressed data were ignored"));
    }
    Ok(parsed)
}

fn is_ply(bytes: &[u8]) -> bool {
    bytes.strip_prefix(b"ply").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

fn is_off(bytes: &[u8]) -> bool {
    let is_remark = |line: &Line| line.text.trim_ascii_start().starts_with(b"#");
    let first = Lines::new(bytes).filter(|line| !is_remark(line)).flat_map(|line| line.fields()).next();
    first.is_some_and(|word| off::is_keyword(word.text))
}

fn is_stl(bytes: &[u8], path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let is_named = name.ends_with(".stl") || name.ends_with(".stl.gz");
    is_named || stl::triangles_of_binary(bytes).is_some() || bytes.trim_ascii_start().starts_with(b"solid")
}

// The first line that is no remark and no heading.
fn is_obj(bytes: &[u8], path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    if name.ends_with(".obj") || name.ends_with(".obj.gz") {
        return true;
    }
    let heading = |line: &Line| {
        let word = line.fields().next().map_or(&b""[..], |field| field.text);
        word.is_empty() || word.starts_with(b"#") || [&b"mtllib"[..], b"o", b"g", b"s"].contains(&word)
    };
    let first = Lines::new(bytes).take(1_000).find(|line| !heading(line));
    first.is_some_and(|line| line.fields().next().is_some_and(|field| field.text == b"v"))
}

impl Mesh {
    // The fan of a polygon; false if it has fewer than three corners.
    fn push_polygon(&mut self, corners: &[u32]) -> bool {
        let &[first, ref rest @ ..] = corners else { return false };
        self.triangles.extend(rest.windows(2).map(|pair| [first, pair[0], pair[1]]));
        rest.len() >= 2
    }

    fn finish(self, warnings: Warnings, path: &Path) -> Result<Parsed<Self>, ReadError> {
        if self.triangles.is_empty() {
            let found = format!("{} vertices and no triangle", self.vertices.len());
            return Err(ReadError::content(path, Place::File, "a surface of at least one triangle", found));
        }
        Ok(Parsed { value: self, warnings })
    }
}

fn few_corners(count: usize) -> String {
    format!("a face of {count} corners has no area; it was left out")
}

#[cfg(test)]
mod tests;
