//! Stanford PLY, as text and binary.
//!
//! How it works: the header says which numbers follow; a [`Numbers`] takes them one by one, from words or from bytes, so
//! that elements are read alike in every coding. Of vertices x, y and z are kept, of faces `vertex_indices`. What an
//! element takes from the file is at least a byte, so a count that lies ends at the end of the file.

use std::path::Path;

use glam::DVec3;

use super::ply_header::{Coding, Element, Kind, read_header};
use super::{Mesh, few_corners};
use crate::formats::text::{Field, Lines};
use crate::{Parsed, Place, ReadError, Warnings};

/// Reads a PLY file.
///
/// ```
/// use steric_model::formats::mesh::read_ply;
///
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
///     element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// assert_eq!(read_ply(text, "one.ply".as_ref())?.value.triangles, [[0, 1, 2]]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_ply(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let header = read_header(bytes, path)?;
    let body = &bytes[header.end..];
    match header.coding {
        Coding::Text => {
            let words = Lines::new(body).flat_map(|line| line.fields());
            read_elements(&header.elements, Words { words, last_line: 0, lines_above: header.lines, path }, path)
        }
        coding => {
            let numbers = Bytes { rest: body, length: bytes.len(), is_big: coding == Coding::BigEndian, path };
            read_elements(&header.elements, numbers, path)
        }
    }
}

/// Where numbers come from.
trait Numbers {
    /// The next number; the caller says what it is for.
    fn next(&mut self, kind: Kind, expected: &str) -> Result<f64, ReadError>;
    /// Where the last number stood.
    fn place(&self) -> Place;
}

struct Words<'a, I> {
    words: I,
    last_line: usize,
    lines_above: usize,
    path: &'a Path,
}

impl<'b, I: Iterator<Item = Field<'b>>> Numbers for Words<'_, I> {
    fn next(&mut self, _: Kind, expected: &str) -> Result<f64, ReadError> {
        let Some(mut word) = self.words.next() else {
            return Err(ReadError::content(self.path, Place::File, expected, "the end of the file"));
        };
        word.line += self.lines_above;
        self.last_line = word.line;
        word.expect_float(self.path, expected)
    }

    fn place(&self) -> Place {
        Place::Line(self.last_line, None)
    }
}

struct Bytes<'a> {
    rest: &'a [u8],
    length: usize,
    is_big: bool,
    path: &'a Path,
}

impl Bytes<'_> {
    fn take<const N: usize>(&mut self, expected: &str) -> Result<[u8; N], ReadError> {
        let place = self.place();
        let cut_off = || ReadError::content(self.path, place, expected, "the end of the file");
        let (bytes, rest) = self.rest.split_first_chunk::<N>().ok_or_else(cut_off)?;
        self.rest = rest;
        let mut bytes = *bytes;
        if self.is_big {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl Numbers for Bytes<'_> {
    fn next(&mut self, kind: Kind, expected: &str) -> Result<f64, ReadError> {
        Ok(match kind {
            Kind::I8 => f64::from(i8::from_le_bytes(self.take(expected)?)),
            Kind::U8 => f64::from(u8::from_le_bytes(self.take(expected)?)),
            Kind::I16 => f64::from(i16::from_le_bytes(self.take(expected)?)),
            Kind::U16 => f64::from(u16::from_le_bytes(self.take(expected)?)),
            Kind::I32 => f64::from(i32::from_le_bytes(self.take(expected)?)),
            Kind::U32 => f64::from(u32::from_le_bytes(self.take(expected)?)),
            Kind::F32 => f64::from(f32::from_le_bytes(self.take(expected)?)),
            Kind::F64 => f64::from_le_bytes(self.take(expected)?),
        })
    }

    fn place(&self) -> Place {
        Place::Byte(self.length - self.rest.len())
    }
}

fn read_elements(elements: &[Element], mut numbers: impl Numbers, path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let (mut mesh, mut warnings) = (Mesh::default(), Warnings::default());
    for element in elements.iter().filter(|element| !element.properties.is_empty()) {
        for at in 0..element.count {
            match element.name {
                b"vertex" => read_vertex(element, at, &mut numbers, &mut mesh, path)?,
                b"face" => read_face(element, at, &mut numbers, &mut mesh, &mut warnings, path)?,
                _ => pass_over(element, at, &mut numbers)?,
            }
        }
    }
    mesh.finish(warnings, path)
}

// What a number is for is only put into words when it is missing, so the words are short.
fn read_vertex(
    element: &Element,
    at: usize,
    numbers: &mut impl Numbers,
    mesh: &mut Mesh,
    path: &Path,
) -> Result<(), ReadError> {
    let mut vertex = DVec3::NAN;
    for property in &element.properties {
        if let Some(count) = property.count {
            pass_over_list(count, property.kind, numbers)?;
            continue;
        }
        let value =
            numbers.next(property.kind, "a number of a vertex").map_err(|error| promised(error, element, at))?;
        match property.name {
            b"x" => vertex.x = value,
            b"y" => vertex.y = value,
            b"z" => vertex.z = value,
            _ => {}
        }
    }
    if !vertex.is_finite() || at >= u32::MAX as usize {
        let found = format!("{} {} {}", vertex.x, vertex.y, vertex.z);
        return Err(ReadError::content(path, numbers.place(), "finite x, y and z coordinates of a vertex", found));
    }
    mesh.vertices.push(vertex);
    Ok(())
}

fn read_face(
    element: &Element,
    at: usize,
    numbers: &mut impl Numbers,
    mesh: &mut Mesh,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<(), ReadError> {
    for property in &element.properties {
        match property.count {
            Some(count) if matches!(property.name, b"vertex_indices" | b"vertex_index") => {
                let corners = numbers.next(count, "how many corners a face has");
                let corners = corners.map_err(|error| promised(error, element, at))?;
                let corners = read_corners(corners, property.kind, numbers, mesh.vertices.len(), path)?;
                if !mesh.push_polygon(&corners) {
                    warnings.push(numbers.place(), || few_corners(corners.len()));
                }
            }
            Some(count) => pass_over_list(count, property.kind, numbers)?,
            None => {
                numbers.next(property.kind, "a number of a face")?;
            }
        }
    }
    Ok(())
}

fn read_corners(
    count: f64,
    kind: Kind,
    numbers: &mut impl Numbers,
    vertices: usize,
    path: &Path,
) -> Result<Vec<u32>, ReadError> {
    let mut corners = Vec::new();
    // A count that is no count ends at the end of the file.
    for _ in 0..count as usize {
        let place_before = numbers.place();
        let number = numbers.next(kind, "the number of a vertex")?;
        if !(number >= 0.0 && number < vertices as f64 && number.fract() == 0.0) {
            let place = if matches!(place_before, Place::Byte(_)) { place_before } else { numbers.place() };
            let expected = format!("the number of one of the {vertices} vertices, from 0");
            return Err(ReadError::content(path, place, expected, number.to_string()));
        }
        corners.push(number as u32);
    }
    Ok(corners)
}

fn pass_over(element: &Element, at: usize, numbers: &mut impl Numbers) -> Result<(), ReadError> {
    for property in &element.properties {
        match property.count {
            Some(count) => pass_over_list(count, property.kind, numbers)?,
            None => {
                let number = numbers.next(property.kind, "a number of an element");
                number.map_err(|error| promised(error, element, at))?;
            }
        }
    }
    Ok(())
}

fn pass_over_list(count: Kind, kind: Kind, numbers: &mut impl Numbers) -> Result<(), ReadError> {
    for _ in 0..numbers.next(count, "the length of a list")? as usize {
        numbers.next(kind, "a number of a list")?;
    }
    Ok(())
}

// Says which of the promised elements is missing.
fn promised(error: ReadError, element: &Element, at: usize) -> ReadError {
    match error {
        ReadError::Content(mut located) => {
            let name = String::from_utf8_lossy(element.name);
            let (count, line) = (element.count, element.line);
            located.expected += &format!(" ({name} {} of the {count} that line {line} promises)", at + 1);
            ReadError::Content(located)
        }
        other => other,
    }
}
