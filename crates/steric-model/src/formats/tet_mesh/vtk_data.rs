//! The data behind the cells of a legacy VTK file.
//!
//! How it works: `CELL_DATA n` and `POINT_DATA n` are followed by attributes that each say how many numbers they have for each
//! cell or point. The attribute with the best name for a region is kept, all others are passed over.

use super::cursor::{Coding, Cursor};
use super::kind::Kind;
use super::vtk::{count, kind, numbers, pass_metadata, with_numbers};
use super::vtk_shapes::region_name;
use crate::ReadError;

/// Regions, and how good the name of their array is.
type Best = Option<(usize, Vec<i64>)>;

pub(super) fn pass_point_data(cursor: &mut Cursor, coding: Coding) -> Result<(), ReadError> {
    read_attributes(cursor, coding, false).map(drop)
}

/// The regions of cells, where one of the attributes that follow is called so.
pub(super) fn read_regions(cursor: &mut Cursor, coding: Coding) -> Result<Option<Vec<i64>>, ReadError> {
    Ok(read_attributes(cursor, coding, true)?.map(|(_, regions)| regions))
}

fn read_attributes(cursor: &mut Cursor, coding: Coding, is_wanted: bool) -> Result<Best, ReadError> {
    let tuples = count(cursor, "how many points or cells have data")?;
    let mut best = None;
    while let Some(word) = cursor.peek() {
        let keyword = word.text.to_ascii_uppercase();
        let components = match keyword.as_slice() {
            b"SCALARS" | b"COLOR_SCALARS" | b"LOOKUP_TABLE" | b"TEXTURE_COORDINATES" | b"FIELD" | b"METADATA" => 0,
            b"VECTORS" | b"NORMALS" => 3,
            b"TENSORS6" => 6,
            b"TENSORS" => 9,
            b"GLOBAL_IDS" | b"PEDIGREE_IDS" => 1,
            _ => break,
        };
        cursor.word();
        match keyword.as_slice() {
            b"SCALARS" => better(&mut best, read_scalars(cursor, coding, tuples, is_wanted)?),
            b"FIELD" => better(&mut best, read_field(cursor, coding)?.filter(|_| is_wanted)),
            b"METADATA" => pass_metadata(cursor),
            b"COLOR_SCALARS" => pass_colors(cursor, coding, tuples)?,
            b"LOOKUP_TABLE" => pass_lookup_table(cursor, coding)?,
            b"TEXTURE_COORDINATES" => pass_texture(cursor, coding, tuples)?,
            _ => pass_named(cursor, coding, tuples.saturating_mul(components))?,
        }
    }
    Ok(best)
}

fn better(best: &mut Best, other: Best) {
    if let Some(other) = other
        && best.as_ref().is_none_or(|best| other.0 < best.0)
    {
        *best = Some(other);
    }
}

fn read_scalars(cursor: &mut Cursor, coding: Coding, tuples: usize, is_wanted: bool) -> Result<Best, ReadError> {
    let name = cursor.expect_word("the name of the scalars")?;
    let kind = kind(cursor)?;
    let next = cursor.peek().is_some_and(|word| word.text.iter().all(u8::is_ascii_digit));
    let components = if next { count(cursor, "how many scalars there are")? } else { 1 };
    if cursor.peek().is_some_and(|word| word.text.eq_ignore_ascii_case(b"LOOKUP_TABLE")) {
        cursor.word();
        cursor.expect_word("the name of a table of colours")?;
    }
    match region_name(name.text).filter(|_| components == 1 && is_wanted) {
        Some(rank) => Ok(Some((rank, numbers(cursor, coding, kind, tuples, "the region of a cell")?))),
        None => pass(cursor, coding, kind, tuples.saturating_mul(components)).map(|()| None),
    }
}

/// Arrays that each have a name, a number of components and a length of their own; the best one for regions.
pub(super) fn read_field(cursor: &mut Cursor, coding: Coding) -> Result<Best, ReadError> {
    cursor.expect_word("the name of a field")?;
    let arrays = count(cursor, "how many arrays a field has")?;
    let mut best = None;
    for _ in 0..arrays {
        let mut name = cursor.expect_word("the name of an array")?;
        if name.text == b"METADATA" {
            pass_metadata(cursor);
            name = cursor.expect_word("the name of an array")?;
        }
        let components = count(cursor, "how many components an array has")?;
        let tuples = count(cursor, "how long an array is")?;
        if cursor.peek().is_some_and(|word| word.text == b"string") {
            let word = cursor.expect_word("a type of number")?;
            return Err(cursor.error(word, "an array of numbers"));
        }
        let kind = kind(cursor)?;
        match region_name(name.text).filter(|_| components == 1) {
            Some(rank) => {
                let regions = numbers(cursor, coding, kind, tuples, "the region of a cell")?;
                better(&mut best, Some((rank, regions)));
            }
            None => pass(cursor, coding, kind, tuples.saturating_mul(components))?,
        }
    }
    Ok(best)
}

fn pass(cursor: &mut Cursor, coding: Coding, kind: Kind, count: usize) -> Result<(), ReadError> {
    with_numbers(cursor, coding, |cursor| cursor.pass(kind, count, "a number of the data of points or cells"))
}

fn pass_named(cursor: &mut Cursor, coding: Coding, count: usize) -> Result<(), ReadError> {
    cursor.expect_word("the name of the data")?;
    let kind = kind(cursor)?;
    pass(cursor, coding, kind, count)
}

// Colours are floats in text and bytes in binary.
fn pass_colors(cursor: &mut Cursor, coding: Coding, tuples: usize) -> Result<(), ReadError> {
    cursor.expect_word("the name of the colours")?;
    let components = count(cursor, "how many numbers a colour has")?;
    pass(cursor, coding, Kind::U8, tuples.saturating_mul(components))
}

fn pass_lookup_table(cursor: &mut Cursor, coding: Coding) -> Result<(), ReadError> {
    cursor.expect_word("the name of a table of colours")?;
    let colors = count(cursor, "how many colours the table has")?;
    pass(cursor, coding, Kind::U8, colors.saturating_mul(4))
}

fn pass_texture(cursor: &mut Cursor, coding: Coding, tuples: usize) -> Result<(), ReadError> {
    cursor.expect_word("the name of the coordinates")?;
    let components = count(cursor, "how many coordinates there are")?;
    let kind = kind(cursor)?;
    pass(cursor, coding, kind, tuples.saturating_mul(components))
}
