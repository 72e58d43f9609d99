//! Gmsh's MSH files, of the versions 1 and 2, and the sections of all versions.
//!
//! How it works: a file is a row of sections `$Name … $EndName`. `$MeshFormat` tells the version and how numbers are written;
//! a file without it is of version 1, which calls its sections `$NOD` and `$ELM`. The region of a tetrahedron is its
//! physical group. Every element says or implies how many nodes it has, so elements of other kinds can be passed over.
//! Source: the reference manual of Gmsh, chapter 10, and its appendix on legacy formats.

use std::path::Path;

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::builder::{Builder, Numbering, Shape};
use super::cursor::{Coding, Cursor, Word};
use super::kind::Kind;
use super::{msh_shapes, msh4};
use crate::{Parsed, ReadError, TetMesh};

/// The version and what depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
    Four,
    FourOne,
}

/// Reads a Gmsh file of version 1, 2 or 4, text or binary.
///
/// ```
/// use steric_model::formats::tet_mesh::read_msh;
///
/// let text = b"$NOD\n4\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 7 1 4 10 20 30 40\n$ENDELM\n";
/// let mesh = read_msh(text, "corner.msh".as_ref())?.value;
/// assert_eq!((&mesh.tetrahedra[..], &mesh.regions[..]), (&[[0, 1, 2, 3]][..], &[7][..]));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_msh(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let mut cursor = Cursor::new(bytes, path);
    let mut builder = Builder::new(path, Numbering::Tags(FxHashMap::default()));
    let (mut version, mut groups) = (Version::One, FxHashMap::default());
    while let Some(word) = cursor.word() {
        match (word.text, version) {
            (b"$MeshFormat", _) => version = read_version(&mut cursor)?,
            (b"$NOD", _) | (b"$Nodes", Version::One | Version::Two) => read_nodes(&mut cursor, &mut builder)?,
            (b"$ELM", _) => read_elements_1(&mut cursor, &mut builder)?,
            (b"$Elements", Version::One | Version::Two) => read_elements_2(&mut cursor, &mut builder)?,
            (b"$Entities", Version::Four | Version::FourOne) => groups = msh4::read_entities(&mut cursor, version)?,
            (b"$Nodes", _) => msh4::read_nodes(&mut cursor, version, &mut builder)?,
            (b"$Elements", _) => msh4::read_elements(&mut cursor, version, &groups, &mut builder)?,
            ([b'$', ..], _) => {}
            _ => return Err(cursor.error(word, "the beginning of a section, such as $Nodes")),
        }
        end_section(&mut cursor, word)?;
    }
    builder.finish()
}

fn read_version(cursor: &mut Cursor) -> Result<Version, ReadError> {
    let word = cursor.expect_word("the version of the MSH file")?;
    let version = match word.text {
        b"4.1" => Version::FourOne,
        b"4" | b"4.0" => Version::Four,
        [b'2', ..] => Version::Two,
        [b'1', ..] => Version::One,
        _ => return Err(cursor.error(word, "the MSH version 1, 2, 4 or 4.1")),
    };
    let is_binary = cursor.integer(Kind::I32, "0 for text or 1 for binary")? != 0;
    let size_start = cursor.position();
    let size = cursor.integer(Kind::I32, "the size of a number, 8")?;
    if size != 8 {
        return Err(cursor.before(size_start, "numbers of 8 bytes", size));
    }
    cursor.line();
    if is_binary {
        cursor.coding = read_order(cursor)?;
    }
    Ok(version)
}

// A one, as the machine that wrote the file writes it.
fn read_order(cursor: &mut Cursor) -> Result<Coding, ReadError> {
    let start = cursor.position();
    for coding in [Coding::Little, Coding::Big] {
        cursor.seek(start);
        cursor.coding = coding;
        if cursor.integer(Kind::I32, "the number 1 in binary")? == 1 {
            return Ok(coding);
        }
    }
    cursor.seek(start);
    Err(cursor.found(cursor.here(), "the number 1 in binary, which tells the order of bytes", "another number"))
}

/// Goes behind the line that ends a section; what a section holds beyond what was read is passed over.
fn end_section(cursor: &mut Cursor, section: Word) -> Result<(), ReadError> {
    let name = section.text.strip_prefix(b"$").unwrap_or(section.text);
    // Version 1 writes all of it in capitals.
    let end = if name.iter().any(u8::is_ascii_lowercase) { &b"$End"[..] } else { b"$END" };
    let ending = [end, name].concat();
    let Some(at) = memmem::find(cursor.rest(), &ending) else {
        return Err(cursor.end(format!("the end of the section, {}", String::from_utf8_lossy(&ending))));
    };
    cursor.seek(cursor.position() + at + ending.len());
    Ok(())
}

/// The number of things in a section stands as text on a line of its own, also in binary files.
fn promised(cursor: &mut Cursor, expected: &str) -> Result<usize, ReadError> {
    let coding = std::mem::replace(&mut cursor.coding, Coding::Text);
    let count = cursor.count(Kind::I32, expected);
    cursor.coding = coding;
    if coding != Coding::Text {
        cursor.line();
    }
    count
}

fn read_nodes(cursor: &mut Cursor, builder: &mut Builder) -> Result<(), ReadError> {
    for _ in 0..promised(cursor, "how many nodes there are")? {
        let start = cursor.position();
        let tag = cursor.integer(Kind::I32, "the number of a node")?;
        let tag_end = cursor.position();
        let point = cursor.point(Kind::F64)?;
        if !builder.push_tagged(tag, point) {
            let mut there = cursor.clone();
            there.seek(tag_end);
            return Err(there.before(start, "a number that no node above has", tag));
        }
    }
    Ok(())
}

fn read_elements_1(cursor: &mut Cursor, builder: &mut Builder) -> Result<(), ReadError> {
    for _ in 0..promised(cursor, "how many elements there are")? {
        cursor.integer(Kind::I32, "the number of an element")?;
        let (shape, _) = msh_shapes::shape(read_type(cursor)?);
        let region = cursor.integer(Kind::I32, "the physical region of an element")?;
        cursor.integer(Kind::I32, "the elementary region of an element")?;
        let nodes = cursor.count(Kind::I32, "how many nodes an element has")?;
        read_element(cursor, builder, shape, nodes, Kind::I32, region)?;
    }
    Ok(())
}

// In binary files elements of one kind stand together below a head of three numbers; in text each has them itself.
fn read_elements_2(cursor: &mut Cursor, builder: &mut Builder) -> Result<(), ReadError> {
    let mut left = promised(cursor, "how many elements there are")?;
    while left > 0 {
        let is_text = cursor.coding == Coding::Text;
        if is_text {
            cursor.integer(Kind::I32, "the number of an element")?;
        }
        let (shape, nodes) = read_shape(cursor)?;
        let count = if is_text { 1 } else { cursor.count(Kind::I32, "how many elements follow")? };
        let tags = cursor.count(Kind::I32, "how many tags an element has")?;
        for _ in 0..count {
            if !is_text {
                cursor.integer(Kind::I32, "the number of an element")?;
            }
            let region = if tags > 0 { cursor.integer(Kind::I32, "the physical group of an element")? } else { 0 };
            cursor.pass(Kind::I32, tags.saturating_sub(1), "a tag of an element")?;
            read_element(cursor, builder, shape, nodes, Kind::I32, region)?;
        }
        left = left.saturating_sub(count);
    }
    Ok(())
}

fn read_type(cursor: &mut Cursor) -> Result<i64, ReadError> {
    cursor.integer(Kind::I32, "the type of an element")
}

/// The shape and the number of nodes of the type that stands here.
pub(super) fn read_shape(cursor: &mut Cursor) -> Result<(Shape, usize), ReadError> {
    let start = cursor.position();
    let number = read_type(cursor)?;
    let (shape, nodes) = msh_shapes::shape(number);
    let nodes = nodes.ok_or_else(|| cursor.before(start, "a type of element that Gmsh's manual lists", number))?;
    Ok((shape, nodes))
}

/// The nodes of an element; of a tetrahedron the first four are kept.
pub(super) fn read_element(
    cursor: &mut Cursor,
    builder: &mut Builder,
    shape: Shape,
    nodes: usize,
    kind: Kind,
    region: i64,
) -> Result<(), ReadError> {
    if nodes < 4 || !matches!(shape, Shape::Tetrahedron | Shape::CurvedTetrahedron) {
        builder.leave_out(shape, 1);
        return cursor.pass(kind, nodes, "the number of a node");
    }
    let mut corners = [0; 4];
    for corner in &mut corners {
        *corner = read_corner(cursor, builder, kind)?;
    }
    cursor.pass(kind, nodes - 4, "the number of a node")?;
    builder.push_tetrahedron(corners, region, shape);
    Ok(())
}

/// The place of the point whose number stands here.
pub(super) fn read_corner(cursor: &mut Cursor, builder: &Builder, kind: Kind) -> Result<u32, ReadError> {
    let start = cursor.position();
    let number = cursor.integer(kind, "the number of a point")?;
    builder.point(number).ok_or_else(|| cursor.before(start, builder.expected_corner(), number))
}
