//! VegaFEM's `.veg` files.
//!
//! How it works: a line that begins with `*` begins a section. Vertices and elements are numbered in each line, from 0 or from 1 as
//! their first line tells; commas are as good as blanks. A region joins a set of elements with a material, and the
//! region of a tetrahedron is the number of its material in the order of the file, from 1; later regions replace earlier
//! ones.
//! Source: the documentation of the Vega FEM library, section on the volumetric mesh format.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use glam::DVec3;

use super::builder::{Builder, Numbering, Shape};
use super::tetgen::read_corner;
use crate::formats::text::{Field, Line, Lines};
use crate::{Parsed, Place, ReadError, TetMesh};

/// What the lines below a heading are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Section {
    /// The line that tells how many vertices follow.
    VerticesHead,
    Vertices,
    /// The line that tells what the elements are.
    ElementsShape,
    /// The line that tells how many follow.
    ElementsHead(Shape),
    Elements(Shape),
    Set(String),
    Region,
    /// A material's numbers, or something else that is not for a mesh.
    Other,
}

/// Reads a `.veg` file.
///
/// ```
/// use steric_model::formats::tet_mesh::read_veg;
///
/// let text = b"*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n\
///     *MATERIAL gel\nENU, 1000, 1e6, 0.45\n*REGION\nallElements, gel\n";
/// let mesh = read_veg(text, "corner.veg".as_ref())?.value;
/// assert_eq!((mesh.tetrahedra[0], mesh.regions[0]), ([0, 1, 2, 3], 1));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_veg(bytes: &[u8], path: &Path) -> Result<Parsed<TetMesh>, ReadError> {
    let mut veg = Veg::new(path);
    let text = without_commas(bytes);
    for line in Lines::new(&text) {
        let line = Line { text: line.text.split(|&byte| byte == b'#').next().unwrap_or_default(), ..line };
        match line.fields().next() {
            None => {}
            Some(word) if word.text.starts_with(b"*") => veg.begin(line, word)?,
            Some(_) => veg.read_row(line)?,
        }
    }
    veg.finish()
}

fn without_commas(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b',', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    bytes.iter().map(|&byte| if byte == b',' { b' ' } else { byte }).collect::<Vec<u8>>().into()
}

struct Veg<'a> {
    path: &'a Path,
    builder: Builder<'a>,
    section: Section,
    first_vertex: Option<i64>,
    first_element: Option<i64>,
    elements: usize,
    promised_vertices: usize,
    promised_elements: usize,
    materials: Vec<String>,
    /// Numbers of elements, as the file counts them.
    sets: BTreeMap<String, Vec<i64>>,
    /// A set and the number of a material.
    regions: Vec<(String, u32)>,
}

impl<'a> Veg<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            path,
            builder: Builder::new(path, Numbering::From(1)),
            section: Section::Other,
            first_vertex: None,
            first_element: None,
            elements: 0,
            promised_vertices: 0,
            promised_elements: 0,
            materials: Vec::new(),
            sets: BTreeMap::new(),
            regions: Vec::new(),
        }
    }

    fn begin(&mut self, line: Line, word: Field) -> Result<(), ReadError> {
        let argument = line.fields().nth(1).map(|field| field.string());
        self.section = match word.text.to_ascii_uppercase().as_slice() {
            b"*VERTICES" => Section::VerticesHead,
            b"*ELEMENTS" => Section::ElementsShape,
            b"*SET" => Section::Set(argument.ok_or_else(|| line.error(self.path, "the name of the set"))?),
            b"*REGION" => Section::Region,
            b"*MATERIAL" => {
                self.materials.push(argument.unwrap_or_default());
                Section::Other
            }
            b"*INCLUDE" => return Err(line.error(self.path, "a file that holds its mesh itself, without *INCLUDE")),
            _ => {
                let place = Place::Line(line.number, None);
                self.builder.warnings.push(place, || format!("the section {} was left out", word.string()));
                Section::Other
            }
        };
        Ok(())
    }

    fn read_row(&mut self, line: Line) -> Result<(), ReadError> {
        match self.section {
            Section::VerticesHead => {
                let expected = "the number of vertices, and 3 dimensions";
                self.promised_vertices = self.promised_vertices.saturating_add(read_count(line, self.path, expected)?);
                if line.fields().nth(1).and_then(|field| field.integer()) != Some(3) {
                    return Err(line.error(self.path, expected));
                }
                self.section = Section::Vertices;
            }
            Section::ElementsShape => self.section = Section::ElementsHead(read_shape(line, self.path)?),
            Section::ElementsHead(shape) => {
                let count = read_count(line, self.path, "the number of elements")?;
                self.promised_elements = self.promised_elements.saturating_add(count);
                self.section = Section::Elements(shape);
            }
            Section::Vertices => self.read_vertex(line)?,
            Section::Elements(shape) => self.read_element(line, shape)?,
            Section::Set(_) => self.read_set(line)?,
            Section::Region => self.read_region(line)?,
            Section::Other => {}
        }
        Ok(())
    }

    fn read_vertex(&mut self, line: Line) -> Result<(), ReadError> {
        let path = self.path;
        let mut fields = line.fields();
        let number = next(line, &mut fields).expect_integer(path, "the number of a vertex")?;
        if self.first_vertex.is_none() {
            self.first_vertex = Some(number);
            self.builder.number_from(number);
        }
        let mut axis =
            |name: char| next(line, &mut fields).expect_float(path, &format!("the {name} coordinate of a vertex"));
        let vertex = DVec3::new(axis('x')?, axis('y')?, axis('z')?);
        if !self.builder.push_tagged(number, vertex) {
            return Err(line.error(path, "the number of the next vertex"));
        }
        Ok(())
    }

    fn read_element(&mut self, line: Line, shape: Shape) -> Result<(), ReadError> {
        let mut fields = line.fields();
        let number = next(line, &mut fields).expect_integer(self.path, "the number of an element")?;
        let first = *self.first_element.get_or_insert(number);
        if number.checked_sub(first) != i64::try_from(self.elements).ok() {
            return Err(line.error(self.path, "the number of the next element"));
        }
        self.elements += 1;
        if shape != Shape::Tetrahedron {
            self.builder.leave_out(shape, 1);
            return Ok(());
        }
        let mut corners = [0; 4];
        for corner in &mut corners {
            *corner = read_corner(next(line, &mut fields), self.path, &self.builder)?;
        }
        self.builder.push_tetrahedron(corners, 0, shape);
        Ok(())
    }

    fn read_set(&mut self, line: Line) -> Result<(), ReadError> {
        let Section::Set(name) = &self.section else { return Ok(()) };
        let numbers = self.sets.entry(name.clone()).or_default();
        for field in line.fields() {
            numbers.push(field.expect_integer(self.path, "the number of an element")?);
        }
        Ok(())
    }

    fn read_region(&mut self, line: Line) -> Result<(), ReadError> {
        let names: Vec<String> = line.fields().map(|field| field.string()).collect();
        let [set, material] = names.as_slice() else {
            return Err(line.error(self.path, "the name of a set and that of a material"));
        };
        let at = self.materials.iter().position(|known| known == material);
        let at = at.ok_or_else(|| line.error(self.path, "a set and the name of a *MATERIAL above"))?;
        self.regions.push((set.clone(), at as u32 + 1));
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed<TetMesh>, ReadError> {
        self.check("vertices", self.builder.mesh.points.len(), self.promised_vertices)?;
        self.check("elements", self.elements, self.promised_elements)?;
        for (set, material) in std::mem::take(&mut self.regions) {
            self.fill_region(&set, material);
        }
        self.builder.finish()
    }

    fn check(&self, what: &str, found: usize, promised: usize) -> Result<(), ReadError> {
        if found == promised {
            return Ok(());
        }
        let expected = format!("the {promised} {what} that the file promises");
        Err(ReadError::content(self.path, Place::File, expected, format!("{found} {what}")))
    }

    fn fill_region(&mut self, set: &str, material: u32) {
        let regions = &mut self.builder.mesh.regions;
        match self.sets.get(set) {
            None if set.eq_ignore_ascii_case("allElements") => regions.fill(material),
            None => self.builder.warn(|| format!("there is no set {set:?}; its region was left out")),
            Some(numbers) => {
                let first = self.first_element.unwrap_or(1);
                let at = |number: &i64| usize::try_from(number.checked_sub(first)?).ok();
                let inside: Vec<usize> = numbers.iter().filter_map(at).filter(|&at| at < regions.len()).collect();
                let outside = numbers.len() - inside.len();
                inside.into_iter().for_each(|at| regions[at] = material);
                if outside > 0 {
                    self.builder.warn(|| format!("{outside} elements of the set {set:?} do not exist"));
                }
            }
        }
    }
}

fn next<'a>(line: Line<'a>, fields: &mut impl Iterator<Item = Field<'a>>) -> Field<'a> {
    let end = line.text.len() + 1;
    fields.next().unwrap_or(Field { line: line.number, first: end, last: end, text: b"" })
}

// Two sections of one kind are added up; a count that large is a lie, which the rows show.
fn read_count(line: Line, path: &Path, expected: &str) -> Result<usize, ReadError> {
    let count = line.fields().next().and_then(|field| field.integer());
    let count = count.and_then(|count| u32::try_from(count).ok());
    Ok(count.ok_or_else(|| line.error(path, expected))? as usize)
}

fn read_shape(line: Line, path: &Path) -> Result<Shape, ReadError> {
    let word = line.text.trim_ascii().to_ascii_uppercase();
    match word.as_slice() {
        [b'T', b'E', b'T', ..] => Ok(Shape::Tetrahedron),
        [b'C', b'U', b'B', b'I', b'C', ..] => Ok(Shape::Other("hexahedra")),
        _ => Err(line.error(path, "the type of the elements, TET or CUBIC")),
    }
}
