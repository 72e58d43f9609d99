//! MEDIT's binary files, `.meshb`.
//!
//! How it works: a one tells the order of bytes, and the version the size of numbers: coordinates are single in version 1 and
//! double from 2 on, places in the file have 64 bits from 3 on, and whole numbers from 4 on. Then come sections, each with the
//! number of its keyword and the place of the next, so that what is not needed is jumped over; jumps only go forward.
//! Source: L. Maréchal, libMeshb, `libmeshb7.h` and its documentation.

use std::path::Path;

use super::builder::{Builder, Numbering, Shape};
use super::cursor::{Coding, Cursor};
use super::kind::Kind;
use super::medit;
use crate::{Parsed, ReadError, TetMesh};

/// The types of numbers in a version.
#[derive(Clone, Copy, Debug)]
struct Kinds {
    coordinate: Kind,
    place: Kind,
    whole: Kind,
}

/// The order of bytes of a file that begins like one of these.
pub(super) fn sniff(bytes: &[u8]) -> Option<Coding> {
    match bytes.first_chunk()? {
        [1, 0, 0, 0, 1..=4, 0, 0, 0] => Some(Coding::Little),
        [0, 0, 0, 1, 0, 0, 0, 1..=4] => Some(Coding::Big),
        _ => None,
    }
}

/// Reads a `.meshb` file.
///
/// ```
/// use steric_model::formats::tet_mesh::read_meshb;
///
/// let refused = read_meshb(b"MeshVersionFormatted 2\n", "liver.meshb".as_ref()).expect_err("this is text");
/// assert!(refused.to_string().contains("expected the numbers 1 and 1 to 4 in binary"));
/// ```
pub fn read_meshb(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let expected = "the numbers 1 and 1 to 4 in binary, with which a meshb file begins";
    let mut cursor = Cursor::new(bytes, path);
    let coding = sniff(bytes).ok_or_else(|| cursor.found(cursor.here(), expected, bytes))?;
    cursor.coding = coding;
    cursor.integer(Kind::I32, expected)?;
    let kinds = kinds(cursor.integer(Kind::I32, expected)?);
    let mut builder = Builder::new(path, Numbering::From(1));
    while let Some(next) = read_section(&mut cursor, kinds, &mut builder)? {
        cursor.seek(next);
    }
    builder.finish()
}

fn kinds(version: i64) -> Kinds {
    Kinds {
        coordinate: if version == 1 { Kind::F32 } else { Kind::F64 },
        place: if version < 3 { Kind::I32 } else { Kind::I64 },
        whole: if version < 4 { Kind::I32 } else { Kind::I64 },
    }
}

/// Reads one section; the place of the next, or `None` behind the last.
fn read_section(cursor: &mut Cursor, kinds: Kinds, builder: &mut Builder) -> Result<Option<usize>, ReadError> {
    // Some writers leave the keyword of the end out.
    if cursor.rest().is_empty() {
        return Ok(None);
    }
    let keyword = cursor.integer(Kind::I32, "the number of a keyword")?;
    if keyword == 54 {
        return Ok(None);
    }
    let start = cursor.position();
    let next = cursor.count(kinds.place, "the place of the next keyword")?;
    if next != 0 && next <= cursor.position() {
        return Err(cursor.before(start, "the place of a keyword behind this one", next as i64));
    }
    read_content(cursor, keyword, kinds, builder)?;
    Ok((next != 0).then_some(next))
}

fn read_content(cursor: &mut Cursor, keyword: i64, kinds: Kinds, builder: &mut Builder) -> Result<(), ReadError> {
    match keyword {
        3 => medit::read_dimension(cursor),
        4 => read_vertices(cursor, kinds, builder),
        8 => medit::read_tetrahedra(cursor, builder, Shape::Tetrahedron, 4, kinds.whole),
        30 => medit::read_tetrahedra(cursor, builder, Shape::CurvedTetrahedron, 10, kinds.whole),
        9 => leave_out(cursor, kinds, builder, "prisms", 7),
        10 => leave_out(cursor, kinds, builder, "hexahedra", 9),
        49 => leave_out(cursor, kinds, builder, "pyramids", 6),
        _ => Ok(()),
    }
}

fn read_vertices(cursor: &mut Cursor, kinds: Kinds, builder: &mut Builder) -> Result<(), ReadError> {
    for _ in 0..cursor.count(kinds.whole, "how many vertices there are")? {
        builder.mesh.points.push(cursor.point(kinds.coordinate)?);
        cursor.pass(kinds.whole, 1, "the label of a vertex")?;
    }
    Ok(())
}

// Cells are passed before they are counted, because a count alone may lie.
fn leave_out(
    cursor: &mut Cursor,
    kinds: Kinds,
    builder: &mut Builder,
    name: &'static str,
    width: usize,
) -> Result<(), ReadError> {
    let count = cursor.count(kinds.whole, "how many cells there are")?;
    cursor.pass(kinds.whole, count.saturating_mul(width), "a corner of a cell")?;
    builder.leave_out(Shape::Other(name), count);
    Ok(())
}
