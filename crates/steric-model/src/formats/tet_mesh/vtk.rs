//! VTK's legacy files with an unstructured grid, text or binary.
//!
//! How it works: below five lines of heading stand sections that begin with a keyword and a count. Binary numbers are big-endian
//! and begin behind the line of their keyword. Up to version 5.0 `CELLS` holds the number of corners in front of the
//! corners of each cell; from 5.1 on it holds the end of each cell in one list and all corners in another. Of the data
//! of cells the array whose name says so becomes the regions; data of points are passed over.
//! Source: the file formats chapter of the VTK user's guide.

use std::path::Path;

use super::builder::{Builder, Numbering};
use super::cells::{Cells, push_cells};
use super::cursor::{Coding, Cursor, Word};
use super::kind::Kind;
use super::vtk_data;
use crate::{Parsed, ReadError, TetMesh};

/// Reads a legacy VTK file.
///
/// ```
/// use steric_model::formats::tet_mesh::read_vtk;
///
/// let text = b"# vtk DataFile Version 2.0\ncorner\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n\
///     0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
/// assert_eq!(read_vtk(text, "corner.vtk".as_ref())?.value.tetrahedra, [[0, 1, 2, 3]]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_vtk(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let mut cursor = Cursor::new(bytes, path);
    let coding = read_heading(&mut cursor)?;
    let mut builder = Builder::new(path, Numbering::From(0));
    let (mut cells, mut regions) = (Cells::default(), None);
    while let Some(word) = cursor.word() {
        match word.text.to_ascii_uppercase().as_slice() {
            b"POINTS" => read_points(&mut cursor, coding, &mut builder)?,
            b"CELLS" => read_cells(&mut cursor, coding, &mut cells)?,
            b"CELL_TYPES" => {
                let count = count(&mut cursor, "how many cells have a type")?;
                cells.shapes = numbers(&mut cursor, coding, Kind::I32, count, "the type of a cell")?;
            }
            b"POINT_DATA" => vtk_data::pass_point_data(&mut cursor, coding)?,
            b"CELL_DATA" => regions = vtk_data::read_regions(&mut cursor, coding)?,
            b"METADATA" => pass_metadata(&mut cursor),
            b"FIELD" => drop(vtk_data::read_field(&mut cursor, coding)?),
            _ => {
                return Err(
                    cursor.error(word, "a section (POINTS, CELLS, CELL_TYPES, CELL_DATA, POINT_DATA, METADATA)")
                );
            }
        }
    }
    cells.regions = regions;
    push_cells(&cells, &mut builder)
        .map_err(|problem| cursor.found(cells_place(bytes), problem.expected, problem.found))?;
    builder.finish()
}

// The lists are only compared when all are known; what is wrong with them is wrong with the section.
fn cells_place(bytes: &[u8]) -> Word<'_> {
    let at = memchr::memmem::find(bytes, b"\nCELLS").map_or(0, |at| at + 1);
    Word { text: b"CELLS", start: at }
}

fn read_heading(cursor: &mut Cursor) -> Result<Coding, ReadError> {
    let first = cursor.line();
    if !first.text.starts_with(b"# vtk DataFile") {
        return Err(cursor.error(first, "the line # vtk DataFile Version"));
    }
    cursor.line();
    let word = cursor.expect_word("ASCII or BINARY")?;
    let coding = match word.text.to_ascii_uppercase().as_slice() {
        b"ASCII" => Coding::Text,
        b"BINARY" => Coding::Big,
        _ => return Err(cursor.error(word, "ASCII or BINARY")),
    };
    let dataset = cursor.expect_word("the line DATASET UNSTRUCTURED_GRID")?;
    if !dataset.text.eq_ignore_ascii_case(b"DATASET") {
        return Err(cursor.error(dataset, "the line DATASET UNSTRUCTURED_GRID"));
    }
    let grid = cursor.expect_word("the kind of the data set, UNSTRUCTURED_GRID")?;
    if !grid.text.eq_ignore_ascii_case(b"UNSTRUCTURED_GRID") {
        return Err(cursor.error(grid, "a data set that can hold tetrahedra, UNSTRUCTURED_GRID"));
    }
    Ok(coding)
}

pub(super) fn count(cursor: &mut Cursor, expected: &str) -> Result<usize, ReadError> {
    cursor.count(Kind::I64, expected)
}

/// The type of numbers that a section names.
pub(super) fn kind(cursor: &mut Cursor) -> Result<Kind, ReadError> {
    let word = cursor.expect_word("a type of number, such as float or int")?;
    Kind::of_vtk(word.text).ok_or_else(|| cursor.error(word, "a type of number, such as float or int"))
}

/// Does something with the numbers behind this line, in the coding of the file.
pub(super) fn with_numbers<'a, T>(
    cursor: &mut Cursor<'a>,
    coding: Coding,
    read: impl FnOnce(&mut Cursor<'a>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    if coding != Coding::Text {
        cursor.line();
    }
    cursor.coding = coding;
    let result = read(cursor);
    cursor.coding = Coding::Text;
    result
}

/// So many whole numbers behind this line.
pub(super) fn numbers(
    cursor: &mut Cursor,
    coding: Coding,
    kind: Kind,
    count: usize,
    expected: &str,
) -> Result<Vec<i64>, ReadError> {
    with_numbers(cursor, coding, |cursor| {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(cursor.integer(kind, expected)?);
        }
        Ok(numbers)
    })
}

fn read_points(cursor: &mut Cursor, coding: Coding, builder: &mut Builder) -> Result<(), ReadError> {
    let count = count(cursor, "how many points there are")?;
    let kind = kind(cursor)?;
    with_numbers(cursor, coding, |cursor| {
        (0..count).try_for_each(|_| {
            builder.mesh.points.push(cursor.point(kind)?);
            Ok(())
        })
    })
}

fn read_cells(cursor: &mut Cursor, coding: Coding, cells: &mut Cells) -> Result<(), ReadError> {
    let first = count(cursor, "how many cells there are")?;
    let second = count(cursor, "how many numbers the cells take")?;
    let is_new = cursor.peek().is_some_and(|word| word.text.eq_ignore_ascii_case(b"OFFSETS"));
    if !is_new {
        let all = numbers(cursor, coding, Kind::I32, second, "the number of corners of a cell, or a corner")?;
        split_old_cells(&all, cells);
        return Ok(());
    }
    cursor.word();
    let ends = kind(cursor)?;
    // One list begins with a 0 in front of the first end.
    let ends = numbers(cursor, coding, ends, first, "the end of a cell")?;
    cells.ends = ends.get(1..).unwrap_or_default().to_vec();
    let word = cursor.expect_word("the word CONNECTIVITY")?;
    if !word.text.eq_ignore_ascii_case(b"CONNECTIVITY") {
        return Err(cursor.error(word, "the word CONNECTIVITY"));
    }
    let corners = kind(cursor)?;
    cells.corners = numbers(cursor, coding, corners, second, "a corner of a cell")?;
    Ok(())
}

fn split_old_cells(all: &[i64], cells: &mut Cells) {
    let mut rest = all;
    while let Some((&count, behind)) = rest.split_first() {
        // A cell that reaches beyond the list keeps what is there; it is found to be too short later.
        let count = usize::try_from(count).unwrap_or(0).min(behind.len());
        cells.corners.extend(&behind[..count]);
        cells.ends.push(cells.corners.len() as i64);
        rest = &behind[count..];
    }
}

// Lines up to an empty one.
pub(super) fn pass_metadata(cursor: &mut Cursor) {
    cursor.line();
    while !cursor.rest().is_empty() && !cursor.line().text.trim_ascii().is_empty() {}
}
