//! XYZ files: a count, a comment and one line per atom, in angstroms; plain and extended.
//!
//! How it works: each frame is a model. In an extended file the comment holds `key=value` pairs: `Lattice` gives the
//! three box vectors one after another, `Properties` says which columns hold the species and the position. Without
//! it they are the first four. A species is a symbol, a label that begins with one (`C12`, `Fe3+`) or an atomic number.

use std::io::{self, Write};
use std::path::Path;

use glam::{DMat3, DVec3};
use smol_str::SmolStr;

use super::text::{Field, Line, Lines, parse_float, position, stem};
use crate::{AtomRecord, Element, Name, Parsed, PeriodicBox, Place, ReadError, Structure, StructureBuilder, Warnings};

/// Reads an XYZ file already in memory; `path` only serves messages and the name of a file without a comment.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// assert_eq!(water.atoms.len(), 3);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_xyz(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let mut lines = Lines::new(bytes);
    let mut warnings = Warnings::default();
    let mut builder = StructureBuilder::new(String::new(), bytes.len() / 30);
    let mut frame = 0i32;
    while frame == 0 || !lines.only_blanks_left() {
        frame = frame.saturating_add(1);
        let comment = read_frame(&mut lines, frame, &mut builder, &mut warnings, path)?;
        if frame == 1 {
            describe(builder.structure_mut(), &comment, path);
        }
    }
    if builder.is_empty() {
        return Err(ReadError::content(path, Place::Line(1, None), "a number of atoms above 0", "0"));
    }
    Ok(Parsed { value: builder.finish(), warnings })
}

fn read_frame<'a>(
    lines: &mut Lines<'a>,
    frame: i32,
    builder: &mut StructureBuilder,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<Comment<'a>, ReadError> {
    // Blank lines between frames are common, so the count is the first line that is not blank.
    let count_line = loop {
        let line = lines.expect(path, "the number of atoms")?;
        if !line.is_blank() {
            break line;
        }
    };
    let count = count_line.fields().next().and_then(|field| field.integer()).filter(|&count| count >= 0);
    let count = count.ok_or_else(|| count_line.error(path, "the number of atoms"))?;
    let comment = match lines.next() {
        Some(line) => Comment::of(line),
        None if count == 0 => Comment::default(),
        None => return Err(count_line.error(path, "a comment line after the number of atoms")),
    };
    let columns = Columns::of(&comment, path)?;
    builder.start_model(frame);
    for index in 0..count {
        let line = lines.expect_atom(path, count, count_line.number)?;
        builder.push(read_atom(line, columns, index, warnings, path)?);
    }
    Ok(comment)
}

fn describe(structure: &mut Structure, comment: &Comment<'_>, path: &Path) {
    structure.periodic_box = comment.periodic_box();
    structure.space_group = if structure.periodic_box.is_some() { "P 1".into() } else { String::new() };
    let said = String::from_utf8_lossy(comment.text).trim().to_owned();
    structure.name = if said.is_empty() || comment.is_extended() { stem(path) } else { said };
}

// Which fields hold what, counted from 0.
#[derive(Clone, Copy)]
struct Columns {
    species: usize,
    position: usize,
}

impl Columns {
    // `Properties=species:S:1:pos:R:3:forces:R:3`: name, type and number of columns, over and over.
    fn of(comment: &Comment<'_>, path: &Path) -> Result<Self, ReadError> {
        let Some(properties) = comment.value(b"Properties") else {
            return Ok(Self { species: 0, position: 1 });
        };
        let wrong = || {
            let place = Place::Line(comment.line, None);
            ReadError::content(path, place, "properties with species:S:1 and pos:R:3", properties)
        };
        let parts: Vec<&[u8]> = properties.split(|&byte| byte == b':').collect();
        let (mut column, mut species, mut position) = (0usize, None, None);
        for part in parts.chunks(3) {
            let &[name, _, width] = part else { return Err(wrong()) };
            let width: usize =
                std::str::from_utf8(width).ok().and_then(|width| width.parse().ok()).ok_or_else(wrong)?;
            match name {
                b"species" | b"Z" | b"numbers" if species.is_none() && width == 1 => species = Some(column),
                b"pos" if width == 3 => position = Some(column),
                _ => {}
            }
            column = column.saturating_add(width);
        }
        match (species, position) {
            (Some(species), Some(position)) => Ok(Self { species, position }),
            _ => Err(wrong()),
        }
    }
}

fn read_atom<'a>(
    line: Line<'a>,
    columns: Columns,
    index: i64,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<AtomRecord<'a>, ReadError> {
    let species =
        line.fields().nth(columns.species).ok_or_else(|| line.error(path, "an element and three coordinates"))?;
    let (name, element) = read_species(species, warnings);
    Ok(AtomRecord {
        position: position(line, line.fields().skip(columns.position), path)?,
        element,
        name,
        serial: i32::try_from(index + 1).unwrap_or(i32::MAX),
        occupancy: 1.0,
        residue_name: Name::new("UNL"),
        residue_number: 1,
        hetero: true,
        ..AtomRecord::default()
    })
}

fn read_species(species: Field<'_>, warnings: &mut Warnings) -> (Name, Element) {
    if let Some(number) = species.integer() {
        let element = u8::try_from(number).map_or(Element::UNKNOWN, Element::new);
        return (Name::new(element.symbol()), element);
    }
    let letters = species.text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let letters = &species.text[..letters];
    let element = Element::from_symbol(letters);
    // `X` and `Xx` stand for a dummy atom.
    if element.is_none() && !letters.eq_ignore_ascii_case(b"X") && !letters.eq_ignore_ascii_case(b"Xx") {
        warnings
            .push(species.place(), || format!("{:?} is no element; its atoms are of unknown kind", species.string()));
    }
    (Name::from_bytes(species.text), element.unwrap_or(Element::UNKNOWN))
}

// The second line of a frame.
#[derive(Clone, Copy, Default)]
struct Comment<'a> {
    text: &'a [u8],
    line: usize,
}

impl<'a> Comment<'a> {
    fn of(line: Line<'a>) -> Self {
        Self { text: line.text, line: line.number }
    }

    fn is_extended(&self) -> bool {
        self.value(b"Lattice").is_some() || self.value(b"Properties").is_some()
    }

    // The value of `key=value`, `key="value"` or `key={value}`; keys in any case.
    fn value(&self, key: &[u8]) -> Option<&'a [u8]> {
        let starts_word = |at: usize| at == 0 || self.text[at - 1].is_ascii_whitespace();
        let at = self.text.windows(key.len() + 1).enumerate().position(|(at, window)| {
            starts_word(at) && window[..key.len()].eq_ignore_ascii_case(key) && window[key.len()] == b'='
        })?;
        let rest = &self.text[at + key.len() + 1..];
        let until = |from: usize, stop: fn(&u8) -> bool| {
            let rest = &rest[from..];
            &rest[..rest.iter().position(stop).unwrap_or(rest.len())]
        };
        Some(match rest.first() {
            Some(b'"') => until(1, |byte| *byte == b'"'),
            Some(b'{') => until(1, |byte| *byte == b'}'),
            _ => until(0, u8::is_ascii_whitespace),
        })
    }

    // `None` too where `pbc="F F F"` says that the lattice is only a frame around the atoms.
    fn periodic_box(&self) -> Option<PeriodicBox> {
        let is_open = |flags: &[u8]| !flags.iter().any(|flag| matches!(flag, b'T' | b't' | b'1'));
        if self.value(b"pbc").is_some_and(is_open) {
            return None;
        }
        let lattice = self.value(b"Lattice")?;
        let numbers = lattice.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|part| !part.is_empty());
        let numbers: Vec<f64> = numbers.map(parse_float).collect::<Option<_>>()?;
        let [a, b, c] = <[[f64; 3]; 3]>::try_from(numbers.as_chunks().0).ok().filter(|_| numbers.len() == 9)?;
        PeriodicBox::new(DMat3::from_cols(DVec3::from(a), DVec3::from(b), DVec3::from(c)))
    }
}

/// Writes every model as a frame, every coordinate with as many digits as it has; with a periodic box the file is an
/// extended one. Only elements, positions and the box are kept.
///
/// ```
/// use steric_model::{PeriodicBox, formats::xyz::{read_xyz, write_xyz}};
///
/// let mut zinc = read_xyz(b"1\nzinc\nZn 1.0 2.0 3.125\n", "zinc.xyz".as_ref())?.value;
/// zinc.periodic_box = PeriodicBox::orthogonal(glam::DVec3::splat(20.0));
/// let mut out = Vec::new();
/// write_xyz(&zinc, &mut out)?;
/// assert!(out.starts_with(b"1\nLattice=\"20 0 0 0 20 0 0 0 20\""));
/// assert!(out.ends_with(b"3.125\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_xyz(structure: &Structure, out: &mut dyn Write) -> io::Result<()> {
    let atoms = &structure.atoms;
    if atoms.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an XYZ file needs at least one atom"));
    }
    let comment = comment_of(structure);
    for model in &structure.models {
        writeln!(out, "{}\n{comment}", model.atoms.len())?;
        for atom in model.atoms.start as usize..model.atoms.end as usize {
            let [x, y, z] = atoms.positions[atom].to_array();
            writeln!(out, "{:<2} {x:>12} {y:>12} {z:>12}", atoms.elements[atom])?;
        }
    }
    Ok(())
}

fn comment_of(structure: &Structure) -> SmolStr {
    let Some(periodic_box) = structure.periodic_box else {
        return structure.name.replace(['\n', '\r'], " ").into();
    };
    let entries = periodic_box.vectors().to_cols_array().map(|entry| entry.to_string());
    format!("Lattice=\"{}\" Properties=species:S:1:pos:R:3 pbc=\"T T T\"", entries.join(" ")).into()
}
