//! Object File Format (OFF).
//!
//! How it works: behind the word `OFF`, with letters in front for colours and normals, stand the numbers of vertices, faces and edges, then
//! the coordinates of each vertex, then for each face how many corners it has and which. What else a line holds is passed over.

use std::path::Path;

use glam::DVec3;

use super::{Mesh, few_corners};
use crate::formats::text::{Field, Line, Lines};
use crate::{Parsed, Place, ReadError, Warnings};

/// Reads an OFF file.
///
/// ```
/// use steric_model::formats::mesh::read_off;
///
/// let text = b"OFF\n3 1 0 # a triangle\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 255 0 0\n";
/// assert_eq!(read_off(text, "one.off".as_ref())?.value.triangles, [[0, 1, 2]]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_off(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let (mut mesh, mut warnings) = (Mesh::default(), Warnings::default());
    let mut lines = Lines::new(bytes).map(words).filter(|(_, words)| !words.is_empty());
    let mut next = |expected: &str| {
        lines.next().ok_or_else(|| ReadError::content(path, Place::File, expected, "the end of the file"))
    };
    let expected = "the numbers of vertices, faces and edges";
    let (mut line, mut head) = next(expected)?;
    // The numbers may stand behind the word, or on the next line.
    if head.first().is_some_and(|word| is_keyword(word.text)) {
        head.remove(0);
        if head.is_empty() {
            (line, head) = next(expected)?;
        }
    }
    let [vertices, faces, ..] = head[..] else { return Err(line.error(path, expected)) };
    let (vertices, faces) = (count(&vertices, path)?, count(&faces, path)?);
    for _ in 0..vertices {
        let (line, words) = next("the coordinates of a vertex")?;
        let [x, y, z, ..] = words[..] else { return Err(line.error(path, "three coordinates of a vertex")) };
        let axis = |word: Field<'_>| word.expect_float(path, "a coordinate of a vertex");
        mesh.vertices.push(DVec3::new(axis(x)?, axis(y)?, axis(z)?));
    }
    let mut corners = Vec::new();
    for _ in 0..faces {
        let (line, words) = next("the corners of a face")?;
        let named = words.first().map_or(Ok(0), |word| count(word, path))?;
        let expected = || format!("{named} corners of a face");
        let words = words.get(1..=named).ok_or_else(|| line.error(path, expected()))?;
        corners.clear();
        for word in words {
            let corner = word.integer().filter(|corner| (0..vertices as i64).contains(corner));
            corners.push(corner.ok_or_else(|| word.error(path, format!("one of the {vertices} vertices")))? as u32);
        }
        if !mesh.push_polygon(&corners) {
            warnings.push(Place::Line(line.number, None), || few_corners(corners.len()));
        }
    }
    mesh.finish(warnings, path)
}

/// `OFF`, with letters in front for what vertices have besides their places.
pub(super) fn is_keyword(word: &[u8]) -> bool {
    word.strip_suffix(b"OFF").is_some_and(|letters| [&b""[..], b"N", b"C", b"CN", b"ST"].contains(&letters))
}

fn words(line: Line<'_>) -> (Line<'_>, Vec<Field<'_>>) {
    let words = line.fields().take_while(|word| !word.text.starts_with(b"#")).collect();
    (line, words)
}

// Vertices have 32-bit numbers.
fn count(word: &Field<'_>, path: &Path) -> Result<usize, ReadError> {
    let count = word.integer().and_then(|count| u32::try_from(count).ok());
    count.map(|count| count as usize).ok_or_else(|| word.error(path, "how many there are"))
}
