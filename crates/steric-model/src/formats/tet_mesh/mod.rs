//! Meshes of tetrahedra: Gmsh, VTK, VTU, TetGen, VegaFEM and MEDIT files.
//!
//! How it works: the first words of a file tell its format, and where they leave a doubt, as with TetGen's bare numbers, its
//! ending does. Every reader keeps the points and the tetrahedra as they stand, with the region of each tetrahedron;
//! surfaces, lines and points are passed over, other volumes are counted in a warning. Whether the tetrahedra are sound, and
//! which way round they are, the mesh itself tells: [`TetMesh::problems`], [`TetMesh::oriented`].

mod base64;
mod builder;
mod cells;
mod cursor;
mod kind;
mod medit;
mod meshb;
mod msh;
mod msh4;
mod msh_shapes;
mod tetgen;
mod veg;
mod vtk;
mod vtk_data;
mod vtk_shapes;
mod vtu;
mod vtu_array;
mod write_vtu;
mod xml;

use std::path::Path;

use memchr::memmem;

use super::text::Lines;
use crate::{Parsed, Place, ReadError, TetMesh};
pub use medit::read_medit;
pub use meshb::read_meshb;
pub use msh::read_msh;
pub use tetgen::{TetGenFile, read_tetgen};
pub use veg::read_veg;
pub use vtk::read_vtk;
pub use vtu::read_vtu;
pub use write_vtu::{VtuData, write_pvd, write_vtu};

use tetgen::Half;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Msh,
    Vtk,
    Vtu,
    Veg,
    Medit,
    Meshb,
    TetGen(Half),
}

/// Reads a mesh of tetrahedra, compressed or not. Of TetGen's two files either can be given; the other lies beside it.
///
/// ```
/// let missing = steric_model::formats::tet_mesh::read_tet_mesh("no-such-folder/liver.msh".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/liver.msh: "));
/// ```
pub fn read_tet_mesh(path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    read_tet_mesh_bytes(&super::load(path)?, path)
}

/// As [`read_tet_mesh`], for a file already in memory; `path` serves messages, the name, and the ending.
///
/// ```
/// use steric_model::formats::tet_mesh::read_tet_mesh_bytes;
///
/// let text = b"$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n";
/// assert_eq!(read_tet_mesh_bytes(text, "corner".as_ref())?.value.tetrahedra.len(), 1);
/// assert!(read_tet_mesh_bytes(b"no mesh", "notes.txt".as_ref()).is_err());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_tet_mesh_bytes(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let (bytes, trailing) = super::decompress(bytes, path)?;
    let Some(format) = sniff(&bytes).or_else(|| from_ending(path)) else {
        let first_line = Lines::new(&bytes).next().map_or(&b"an empty file"[..], |line| line.text);
        let expected = "a mesh of tetrahedra (Gmsh, VTK, VTU, TetGen, VegaFEM, MEDIT)";
        return Err(ReadError::content(path, Place::File, expected, first_line));
    };
    let mut parsed = read_as(format, &bytes, path)?;
    if trailing > 0 {
        parsed.warnings.push(Place::File, || format!("{trailing} bytes behind the compressed data were ignored"));
    }
    Ok(parsed)
}

fn read_as(format: Format, bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    match format {
        Format::Msh => read_msh(bytes, path),
        Format::Vtk => read_vtk(bytes, path),
        Format::Vtu => read_vtu(bytes, path),
        Format::Veg => read_veg(bytes, path),
        Format::Medit => read_medit(bytes, path),
        Format::Meshb => read_meshb(bytes, path),
        Format::TetGen(half) => tetgen::read_half(bytes, path, half),
    }
}

/// The format of some content, where that leaves no doubt.
fn sniff(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"# vtk DataFile") {
        return Some(Format::Vtk);
    }
    if meshb::sniff(bytes).is_some() {
        return Some(Format::Meshb);
    }
    let head = &bytes[..bytes.len().min(4096)];
    let is_remark = |line: &super::text::Line| line.is_blank() || line.text.trim_ascii_start().starts_with(b"#");
    let first = Lines::new(head).find(|line| !is_remark(line))?.text.trim_ascii_start();
    match first {
        [b'$', b'A'..=b'Z', ..] => Some(Format::Msh),
        [b'*', b'A'..=b'Z' | b'a'..=b'z', ..] => Some(Format::Veg),
        [b'<', ..] if memmem::find(head, b"<VTKFile").is_some() => Some(Format::Vtu),
        _ if first.starts_with(b"MeshVersionFormatted") => Some(Format::Medit),
        _ => None,
    }
}

fn from_ending(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let (_, ending) = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?;
    Some(match ending {
        "msh" => Format::Msh,
        "vtk" => Format::Vtk,
        "vtu" => Format::Vtu,
        "veg" => Format::Veg,
        "mesh" => Format::Medit,
        "meshb" => Format::Meshb,
        "node" => Format::TetGen(Half::Nodes),
        "ele" => Format::TetGen(Half::Elements),
        _ => return None,
    })
}
