//! MEDIT's `.mesh` files, as text.
//!
//! How it works: a file is a row of keywords, each followed by a count and so many rows of numbers; a row of a cell ends with the
//! label of its region. Sections that are not for a mesh of tetrahedra are passed over up to the next keyword, which is the next
//! word that begins with a letter. Points are counted from 1.
//! Source: P. Frey, MEDIT: an interactive mesh visualization software, INRIA report RT-0253 (2001).

use std::path::Path;

use super::builder::{Builder, Numbering, Shape};
use super::cursor::Cursor;
use super::kind::Kind;
use super::msh::read_element;
use crate::{Parsed, ReadError, TetMesh};

/// Reads a `.mesh` file.
///
/// ```
/// use steric_model::formats::tet_mesh::read_medit;
///
/// let text = b"MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
///     Tetrahedra\n1\n1 2 3 4 7\nEnd\n";
/// let mesh = read_medit(text, "corner.mesh".as_ref())?.value;
/// assert_eq!((mesh.tetrahedra[0], mesh.regions[0]), ([0, 1, 2, 3], 7));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_medit(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let mut cursor = Cursor::new(bytes, path).with_remarks();
    let mut builder = Builder::new(path, Numbering::From(1));
    while let Some(word) = cursor.word() {
        match word.text {
            b"End" => break,
            b"MeshVersionFormatted" => drop(cursor.integer(Kind::I32, "the version of the MEDIT file")?),
            b"Dimension" => read_dimension(&mut cursor)?,
            b"Vertices" => read_vertices(&mut cursor, &mut builder)?,
            b"Tetrahedra" => read_tetrahedra(&mut cursor, &mut builder, Shape::Tetrahedron, 4, Kind::I64)?,
            b"TetrahedraP2" => read_tetrahedra(&mut cursor, &mut builder, Shape::CurvedTetrahedron, 10, Kind::I64)?,
            [b'A'..=b'Z' | b'a'..=b'z', ..] => {
                let numbers = pass_section(&mut cursor);
                let (shape, width) = other_shape(word.text);
                builder.leave_out(shape, numbers.saturating_sub(1) / width);
            }
            _ => return Err(cursor.error(word, "a keyword such as Vertices or Tetrahedra")),
        }
    }
    builder.finish()
}

pub(super) fn read_dimension(cursor: &mut Cursor) -> Result<(), ReadError> {
    let start = cursor.position();
    match cursor.integer(Kind::I32, "the dimension, 3")? {
        3 => Ok(()),
        other => Err(cursor.before(start, "the dimension 3, as tetrahedra have", other)),
    }
}

fn read_vertices(cursor: &mut Cursor, builder: &mut Builder) -> Result<(), ReadError> {
    for _ in 0..cursor.count(Kind::I32, "how many vertices there are")? {
        builder.mesh.points.push(cursor.point(Kind::F64)?);
        // Labels of vertices are seldom whole numbers of anything.
        cursor.expect_word("the label of a vertex")?;
    }
    Ok(())
}

pub(super) fn read_tetrahedra(
    cursor: &mut Cursor,
    builder: &mut Builder,
    shape: Shape,
    nodes: usize,
    kind: Kind,
) -> Result<(), ReadError> {
    for _ in 0..cursor.count(kind, "how many tetrahedra there are")? {
        read_element(cursor, builder, shape, nodes, kind, 0)?;
        builder.relabel(cursor.integer(kind, "the label of a tetrahedron")?);
    }
    Ok(())
}

/// Goes to the next keyword and counts the words up to it.
fn pass_section(cursor: &mut Cursor) -> usize {
    let mut words = 0;
    while cursor.peek().is_some_and(|word| !word.text[0].is_ascii_alphabetic()) {
        cursor.word();
        words += 1;
    }
    words
}

/// What a section holds, and how many numbers a row of it has.
fn other_shape(keyword: &[u8]) -> (Shape, usize) {
    match keyword {
        b"Hexahedra" | b"Hexaedra" => (Shape::Other("hexahedra"), 9),
        b"HexahedraQ2" => (Shape::Other("hexahedra"), 28),
        b"Prisms" | b"Pentahedra" => (Shape::Other("prisms"), 7),
        b"PrismsP2" => (Shape::Other("prisms"), 19),
        b"Pyramids" => (Shape::Other("pyramids"), 6),
        b"PyramidsP2" => (Shape::Other("pyramids"), 15),
        _ => (Shape::Boundary, 1),
    }
}
