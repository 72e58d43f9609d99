//! Wavefront OBJ.
//!
//! How it works: of a line that begins with `v` the first three numbers count, of each corner of an `f` line the number before
//! the first slash. Vertices are counted from 1, and from the newest backwards with negative numbers, so a face can
//! only name vertices above it.

use std::path::Path;

use super::{Mesh, few_corners};
use crate::formats::text::{Field, Line, Lines};
use crate::{Parsed, Place, ReadError, Warnings};

/// Reads an OBJ file.
///
/// ```
/// use steric_model::formats::mesh::read_obj;
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//1 4//1\n";
/// let error = read_obj(text, "cell.obj".as_ref()).expect_err("there is no fourth vertex");
/// assert_eq!(
///     error.to_string(),
///     r#"cell.obj:4: columns 13-16: expected the number of one of the 3 vertices above, found "4//1""#
/// );
/// ```
pub fn read_obj(bytes: &[u8], path: &Path) -> Result<Parsed<Mesh>, ReadError> {
    let (mut mesh, mut warnings, mut corners) = (Mesh::default(), Warnings::default(), Vec::new());
    for line in Lines::new(bytes) {
        let mut fields = line.fields();
        match fields.next().map_or(&b""[..], |word| word.text) {
            b"v" => mesh.vertices.push(vertex(line, fields, path)?),
            b"f" => {
                corners.clear();
                for field in fields {
                    corners.push(corner(&field, mesh.vertices.len(), path)?);
                }
                if !mesh.push_polygon(&corners) {
                    warnings.push(Place::Line(line.number, None), || few_corners(corners.len()));
                }
            }
            word if is_passed_over(word) => {}
            word => warnings.push(Place::Line(line.number, None), || {
                format!("the keyword {:?} is not known; the line was left out", String::from_utf8_lossy(word))
            }),
        }
    }
    mesh.finish(warnings, path)
}

fn is_passed_over(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 12] = [b"", b"vn", b"vt", b"vp", b"o", b"g", b"s", b"l", b"p", b"mtllib", b"usemtl", b"mg"];
    word.starts_with(b"#") || WORDS.contains(&word)
}

fn vertex<'a>(
    line: Line<'a>,
    mut fields: impl Iterator<Item = Field<'a>>,
    path: &Path,
) -> Result<glam::DVec3, ReadError> {
    let mut axis = |name: char| {
        let end = line.text.len() + 1;
        let field = fields.next().unwrap_or(Field { line: line.number, first: end, last: end, text: b"" });
        field.expect_float(path, &format!("the {name} coordinate of a vertex"))
    };
    Ok(glam::DVec3::new(axis('x')?, axis('y')?, axis('z')?))
}

fn corner(field: &Field, vertices: usize, path: &Path) -> Result<u32, ReadError> {
    let digits = field.text.split(|&byte| byte == b'/').next().unwrap_or_default();
    let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i64>().ok());
    let at = number.map(|number| if number < 0 { vertices as i64 + number } else { number - 1 });
    let at = at.filter(|at| (0..vertices as i64).contains(at)).and_then(|at| u32::try_from(at).ok());
    at.ok_or_else(|| field.error(path, format!("the number of one of the {vertices} vertices above")))
}
