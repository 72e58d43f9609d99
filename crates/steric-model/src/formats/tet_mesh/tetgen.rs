//! TetGen's `.node` and `.ele` files.
//!
//! How it works: one file holds the points and one the tetrahedra, and each line says which point or tetrahedron it is. The number
//! of the first point, 0 or 1, is where all counting begins. What follows the four corners is further nodes, if the
//! first line promises ten of them, and then attributes, the first of which is the region.
//! Source: the TetGen 1.6 manual, chapter 5.

use std::path::{Path, PathBuf};

use glam::DVec3;

use super::builder::{Builder, Numbering, Shape};
use crate::formats::text::{Field, Line, Lines};
use crate::formats::{decompress, load};
use crate::{Parsed, ReadError, TetMesh};

/// A file of a pair, and its path for messages.
///
/// ```
/// use steric_model::formats::tet_mesh::{TetGenFile, read_tetgen};
///
/// let nodes = TetGenFile { bytes: b"1 3 0 0\n0 0.5 half 0\n", path: "gel.node".as_ref() };
/// let elements = TetGenFile { bytes: b"0 4 0\n", path: "gel.ele".as_ref() };
/// let error = read_tetgen(nodes, elements).expect_err("a word is no coordinate").to_string();
/// assert_eq!(error, r#"gel.node:2: columns 7-10: expected the y coordinate of a point, found "half""#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TetGenFile<'a> {
    /// The content, not compressed.
    pub bytes: &'a [u8],
    /// The file as the caller names it.
    pub path: &'a Path,
}

/// Reads the points of a `.node` file and the tetrahedra of an `.ele` file.
///
/// ```
/// use steric_model::formats::tet_mesh::{TetGenFile, read_tetgen};
///
/// let nodes = TetGenFile { bytes: b"4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", path: "corner.node".as_ref() };
/// let elements = TetGenFile { bytes: b"1 4 1\n1  1 2 3 4  7\n", path: "corner.ele".as_ref() };
/// let mesh = read_tetgen(nodes, elements)?.value;
/// assert_eq!((mesh.tetrahedra[0], mesh.regions[0]), ([0, 1, 2, 3], 7));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_tetgen(nodes: TetGenFile, elements: TetGenFile) -> Result<Parsed<TetMesh>, ReadError> {
    let (first, points) = read_nodes(nodes)?;
    let mut builder = Builder::new(elements.path, Numbering::From(first));
    builder.mesh.points = points;
    read_elements(elements, &mut builder)?;
    builder.finish()
}

/// Which of the two files a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Nodes,
    Elements,
}

impl Half {
    pub(super) fn other_ending(self) -> &'static str {
        match self {
            Self::Nodes => "ele",
            Self::Elements => "node",
        }
    }
}

/// As [`read_tetgen`], for one of the two files; the other lies beside it, compressed or not.
pub(super) fn read_half(bytes: &[u8], path: &Path, half: Half) -> Result<Parsed<TetMesh>, ReadError> {
    let other_path = other_file(path, half.other_ending());
    let other = load(&other_path)?;
    let (other, _) = decompress(&other, &other_path)?;
    let (this, other) = (TetGenFile { bytes, path }, TetGenFile { bytes: &other, path: &other_path });
    match half {
        Half::Nodes => read_tetgen(this, other),
        Half::Elements => read_tetgen(other, this),
    }
}

fn other_file(path: &Path, ending: &str) -> PathBuf {
    let is_packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let plain = if is_packed { path.with_extension("") } else { path.to_owned() }.with_extension(ending);
    let packed = plain.with_extension(format!("{ending}.gz"));
    if !plain.exists() && packed.exists() { packed } else { plain }
}

/// The lines that say something, without the remarks behind `#`.
fn rows(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    Lines::new(bytes).map(without_remark).filter(|line| !line.is_blank())
}

fn without_remark(line: Line<'_>) -> Line<'_> {
    let end = memchr::memchr(b'#', line.text).unwrap_or(line.text.len());
    Line { number: line.number, text: &line.text[..end] }
}

/// The counts in the first line.
fn read_counts<const N: usize>(line: Option<Line>, file: TetGenFile, expected: &str) -> Result<[usize; N], ReadError> {
    let line = line.ok_or_else(|| ReadError::content(file.path, crate::Place::File, expected, "an empty file"))?;
    let mut counts = [0; N];
    for (count, field) in counts.iter_mut().zip(line.fields()) {
        let number = field.integer().and_then(|number| usize::try_from(number).ok());
        *count = number.ok_or_else(|| field.error(file.path, expected))?;
    }
    Ok(counts)
}

fn missing(line: Line) -> Field<'static> {
    let end = line.text.len() + 1;
    Field { line: line.number, first: end, last: end, text: b"" }
}

fn promised(file: TetGenFile, found: usize, count: usize, what: &str) -> Result<(), ReadError> {
    if found == count {
        return Ok(());
    }
    let expected = format!("the {count} {what} that the first line promises");
    Err(ReadError::content(file.path, crate::Place::File, expected, format!("{found} {what}")))
}

// The number of the first point, and the points.
fn read_nodes(file: TetGenFile) -> Result<(i64, Vec<DVec3>), ReadError> {
    let mut rows = rows(file.bytes);
    let head = rows.next();
    let [count, dimension] = read_counts(head, file, "the number of points, and 3 dimensions")?;
    if let Some(line) = head.filter(|_| dimension != 3) {
        return Err(line.error(file.path, "the number of points, and 3 dimensions"));
    }
    let (mut first, mut points) = (1, Vec::new());
    for line in rows {
        let mut fields = line.fields();
        let field = fields.next().unwrap_or(missing(line));
        let number = field.expect_integer(file.path, "the number of a point")?;
        if points.is_empty() {
            first = number;
        }
        if number.checked_sub(first) != i64::try_from(points.len()).ok() {
            return Err(
                field.error(file.path, format!("the number of the next point, {first} and {} more", points.len()))
            );
        }
        let mut axis = |name: char| {
            fields.next().unwrap_or(missing(line)).expect_float(file.path, &format!("the {name} coordinate of a point"))
        };
        points.push(DVec3::new(axis('x')?, axis('y')?, axis('z')?));
    }
    promised(file, points.len(), count, "points")?;
    Ok((first, points))
}

fn read_elements(file: TetGenFile, builder: &mut Builder) -> Result<(), ReadError> {
    let mut rows = rows(file.bytes);
    let head = rows.next();
    let expected = "the number of tetrahedra, of nodes in each, 4 or 10, and of attributes";
    let [count, nodes, attributes] = read_counts(head, file, expected)?;
    if let Some(line) = head.filter(|_| !matches!(nodes, 4 | 10)) {
        return Err(line.error(file.path, expected));
    }
    let shape = if nodes == 4 { Shape::Tetrahedron } else { Shape::CurvedTetrahedron };
    for line in rows {
        let mut fields = line.fields();
        fields.next().unwrap_or(missing(line)).expect_integer(file.path, "the number of a tetrahedron")?;
        let mut corners = [0; 4];
        for corner in &mut corners {
            *corner = read_corner(fields.next().unwrap_or(missing(line)), file.path, builder)?;
        }
        let region = if attributes == 0 { None } else { fields.nth(nodes - 4) };
        builder.push_tetrahedron(corners, region.map_or(0, region_of), shape);
    }
    promised(file, builder.mesh.tetrahedra.len(), count, "tetrahedra")
}

/// The place of the point that a field names.
pub(super) fn read_corner(field: Field, path: &Path, builder: &Builder) -> Result<u32, ReadError> {
    let corner = field.integer().and_then(|number| builder.point(number));
    corner.ok_or_else(|| field.error(path, builder.expected_corner()))
}

// Attributes are floats; one that is no whole number is no region, and is told in a warning.
fn region_of(field: Field) -> i64 {
    let whole = |value: f64| (value.fract() == 0.0).then_some(value as i64);
    field.integer().or_else(|| whole(field.float()?)).unwrap_or(-1)
}
