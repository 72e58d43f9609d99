//! Stereolithography (STL), as text and binary.
//!
//! How it works: a file holds triangles, each with its own three corners; that corners of neighbours are the same vertex is
//! for the surface to find. A binary file has 80 bytes of anything, the number of triangles, and 50 bytes for each: a normal, three corners,
//! two bytes more. It may begin like text, so its length decides.

use std::path::Path;

use glam::DVec3;

use super::Mesh;
use crate::formats::text::Lines;
use crate::{Parsed, Place, ReadError, Warnings};

const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// Reads an STL file.
///
/// ```
/// use steric_model::formats::mesh::read_stl;
///
/// let text = b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
/// assert_eq!(read_stl(text, "one.stl".as_ref())?.value.vertices[1].x, 1.0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_stl(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    match triangles_of_binary(bytes) {
        Some(count) => read_binary(bytes, count, path),
        None if bytes.trim_ascii_start().starts_with(b"solid") => read_text(bytes, path),
        None => {
            let expected = "an STL file: the word solid, or as many triangles of 50 bytes as byte 80 says";
            Err(ReadError::content(path, Place::Byte(80), expected, format!("{} bytes", bytes.len())))
        }
    }
}

/// How many triangles a binary file has, if it is one.
pub(super) fn triangles_of_binary(bytes: &[u8]) -> Option<usize> {
    let count = u32::from_le_bytes(bytes.get(80..HEAD)?.try_into().ok()?) as usize;
    (bytes.len() == HEAD + TRIANGLE * count).then_some(count)
}

fn read_binary(bytes: &[u8], count: usize, path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let mut mesh = Mesh::default();
    for triangle in 0..count {
        let at = HEAD + TRIANGLE * triangle + 12;
        let numbers = bytes[at..at + 36].as_chunks::<4>().0.iter().map(|&number| f64::from(f32::from_le_bytes(number)));
        let numbers: Vec<f64> = numbers.collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(ReadError::content(path, Place::Byte(at), "finite coordinates of a triangle", "others"));
        }
        mesh.push_corners(numbers.as_chunks::<3>().0.iter().map(|&corner| DVec3::from(corner)));
    }
    mesh.finish(Warnings::default(), path)
}

fn read_text(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let (mut mesh, mut warnings, mut corners) = (Mesh::default(), Warnings::default(), Vec::new());
    for line in Lines::new(bytes) {
        let mut words = line.fields();
        match words.next().map_or(&b""[..], |word| word.text) {
            b"vertex" => {
                let mut axis = || {
                    let word = words.next().ok_or_else(|| line.error(path, "three coordinates of a vertex"))?;
                    word.expect_float(path, "a coordinate of a vertex")
                };
                corners.push(DVec3::new(axis()?, axis()?, axis()?));
            }
            b"endloop" if corners.len() == 3 => mesh.push_corners(corners.drain(..)),
            b"endloop" => return Err(line.error(path, format!("three corners above, not {}", corners.len()))),
            b"solid" | b"endsolid" | b"facet" | b"endfacet" | b"outer" | b"" => {}
            word => warnings.push(Place::Line(line.number, None), || {
                format!("the keyword {:?} is not known; the line was left out", String::from_utf8_lossy(word))
            }),
        }
    }
    mesh.finish(warnings, path)
}

impl Mesh {
    // A triangle with vertices of its own.
    fn push_corners(&mut self, corners: impl Iterator<Item = DVec3>) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(corners);
        self.triangles.push([first, first + 1, first + 2]);
    }
}
