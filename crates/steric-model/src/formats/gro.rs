//! GRO files (GROMACS): fixed columns, nanometres.
//!
//! How it works: a frame is a title, a count, one line per atom and the box; several frames are several models. The
//! names and numbers stand in four fields of five columns, the coordinates behind them in columns whose width is the
//! distance between two decimal points (a file of more decimals has wider columns). Numbers wrap at 99,999, so a
//! residue ends where its number or name changes. Velocities are passed over. There is no element column: elements
//! come from the names, unless the frame is coarse-grained, which its distances betray.

use std::io::{self, Write};
use std::path::Path;

use glam::{DMat3, DVec3, Vec3};

use super::naming::element_of_name;
use super::text::{Field, Line, Lines, stem};
use crate::{AtomRecord, Name, Parsed, PeriodicBox, Place, ReadError, Structure, StructureBuilder, Warnings};

const ANGSTROMS_PER_NM: f64 = 10.0;

/// Reads a GRO file already in memory; `path` only serves messages and the name of an untitled file.
///
/// ```
/// use steric_model::formats::gro::read_gro;
///
/// let text = b"one water\n1\n    1SOL     OW    1   0.126   1.624   1.679\n   1.8   1.8   1.8\n";
/// let water = read_gro(text, "water.gro".as_ref())?.value;
/// assert_eq!(water.atoms.positions[0].x, 1.26);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_gro(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let mut lines = Lines::new(bytes);
    let mut warnings = Warnings::default();
    // An atom line has at least 20 columns of names and numbers and three coordinates.
    let mut builder = StructureBuilder::new(String::new(), bytes.len() / 45);
    let mut frame = 0i32;
    while frame == 0 || !lines.only_blanks_left() {
        frame = frame.saturating_add(1);
        let title = read_frame(&mut lines, frame, &mut builder, &mut warnings, path)?;
        if frame == 1 {
            builder.structure_mut().name = if title.is_empty() { stem(path) } else { title };
        }
    }
    let mut structure = builder.finish();
    if structure.atoms.is_empty() {
        return Err(ReadError::content(path, Place::Line(2, None), "a number of atoms above 0", "0"));
    }
    name_elements(&mut structure);
    Ok(Parsed { value: structure, warnings })
}

// One frame; returns its title.
fn read_frame(
    lines: &mut Lines<'_>,
    frame: i32,
    builder: &mut StructureBuilder,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<String, ReadError> {
    let title = lines.expect(path, "the title of a frame")?;
    let count_line = lines.expect(path, "the number of atoms")?;
    let count = count_line.fields().next().and_then(|field| field.integer()).filter(|&count| count >= 0);
    let count = count.ok_or_else(|| count_line.error(path, "the number of atoms"))?;
    builder.start_model(frame);
    let mut columns = None;
    for _ in 0..count {
        let line = lines.expect_atom(path, count, count_line.number)?;
        let columns = match columns {
            Some(columns) => columns,
            None => *columns.insert(Columns::of(line, path)?),
        };
        builder.push(read_atom(line, columns, path)?);
    }
    read_box(lines, frame, builder.structure_mut(), warnings, path)?;
    Ok(String::from_utf8_lossy(title.text).trim().to_owned())
}

// Where the coordinates stand.
#[derive(Clone, Copy)]
struct Columns {
    width: usize,
}

impl Columns {
    fn of(line: Line<'_>, path: &Path) -> Result<Self, ReadError> {
        let points: Vec<usize> = line
            .text
            .iter()
            .enumerate()
            .skip(20)
            .filter(|(_, byte)| **byte == b'.')
            .map(|(at, _)| at)
            .take(2)
            .collect();
        match points[..] {
            [first, second] if second - first <= 40 => Ok(Self { width: second - first }),
            _ => Err(line
                .columns(21, line.text.len().max(21))
                .error(path, "coordinates in nanometres with a decimal point")),
        }
    }

    fn axis(self, line: Line<'_>, axis: usize) -> Field<'_> {
        let first = 21 + axis * self.width;
        line.columns(first, first + self.width - 1)
    }
}

fn read_atom<'a>(line: Line<'a>, columns: Columns, path: &Path) -> Result<AtomRecord<'a>, ReadError> {
    let coordinate = |axis, name| columns.axis(line, axis).coordinate(path, name, "nanometres", ANGSTROMS_PER_NM);
    let residue_number = line.columns(1, 5).expect_integer(path, "the residue number")?;
    Ok(AtomRecord {
        position: Vec3::new(coordinate(0, 'x')?, coordinate(1, 'y')?, coordinate(2, 'z')?),
        name: Name::from_bytes(line.columns(11, 15).text),
        // Some programs print stars where the number does not fit; it is of no use beyond 99,999 anyway.
        serial: line.columns(16, 20).integer().unwrap_or(0) as i32,
        occupancy: 1.0,
        residue_name: Name::from_bytes(line.columns(6, 10).text),
        residue_number: residue_number as i32,
        ..AtomRecord::default()
    })
}

// v1(x) v2(y) v3(z) and, for a box that is not rectangular, v1(y) v1(z) v2(x) v2(z) v3(x) v3(y).
fn read_box(
    lines: &mut Lines<'_>,
    frame: i32,
    structure: &mut Structure,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<(), ReadError> {
    let Some(line) = lines.next().filter(|line| !line.is_blank()) else {
        warnings.push(Place::File, || format!("frame {frame} has no box line; it is read without a box"));
        return Ok(());
    };
    let expected = "the 3 or 9 numbers of the box in nanometres";
    let numbers: Vec<f64> =
        line.fields().take(9).map(|field| field.expect_float(path, expected)).collect::<Result<_, _>>()?;
    let vectors = match numbers[..] {
        [x, y, z] => DMat3::from_diagonal(DVec3::new(x, y, z)),
        [ax, by, cz, ay, az, bx, bz, cx, cy] => {
            DMat3::from_cols(DVec3::new(ax, ay, az), DVec3::new(bx, by, bz), DVec3::new(cx, cy, cz))
        }
        _ => return Err(line.error(path, expected)),
    };
    if frame == 1 {
        structure.periodic_box = PeriodicBox::new(vectors * ANGSTROMS_PER_NM);
        structure.space_group = if structure.periodic_box.is_some() { "P 1".into() } else { String::new() };
    }
    Ok(())
}

// Bonded atoms are at most 1.9 Å apart and follow each other in a residue; the beads of a coarse-grained model stand
// 2.5 to 5 Å apart. Beads have no element.
fn name_elements(structure: &mut Structure) {
    const LONGEST_BOND: f32 = 1.9;
    let atoms = &mut structure.atoms;
    let mut sizes = vec![(0u32, false); structure.residues.len()];
    for (atom, &residue) in atoms.residues.iter().enumerate() {
        let (size, bonded) = &mut sizes[residue as usize];
        let follows = *size > 0 && atom > 0 && atoms.residues[atom - 1] == residue;
        *bonded |= follows && atoms.positions[atom].distance(atoms.positions[atom - 1]) < LONGEST_BOND;
        *size += 1;
    }
    let molecules = sizes.iter().filter(|(size, _)| *size > 1).count();
    let bonded = sizes.iter().filter(|(_, bonded)| *bonded).count();
    if molecules > 0 && bonded * 2 < molecules {
        return;
    }
    for (atom, &residue) in atoms.residues.iter().enumerate() {
        atoms.elements[atom] = element_of_name(atoms.names[atom].as_bytes(), sizes[residue as usize].0 == 1);
    }
}

/// Writes every model as a frame, in nanometres with the usual three decimals, so coordinates are rounded to 0.01 Å.
/// Chains, alternates and bonds are lost, numbers wrap at 99,999.
///
/// ```
/// use steric_model::{AtomRecord, Name, StructureBuilder, formats::gro::write_gro};
///
/// let (name, residue_name, position) = (Name::new("OW"), Name::new("SOL"), glam::Vec3::new(1.26, 16.24, 16.79));
/// let mut builder = StructureBuilder::new("one water", 1);
/// builder.push(AtomRecord { name, residue_name, residue_number: 1, position, ..AtomRecord::default() });
/// let mut out = Vec::new();
/// write_gro(&builder.finish(), &mut out)?;
/// assert!(out.starts_with(b"one water\n    1\n    1SOL     OW    1   0.126   1.624   1.679\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_gro(structure: &Structure, out: &mut dyn Write) -> io::Result<()> {
    check(structure)?;
    for model in &structure.models {
        writeln!(out, "{}", structure.name.replace(['\n', '\r'], " "))?;
        writeln!(out, "{:5}", model.atoms.len())?;
        for atom in model.atoms.clone() {
            write_atom(structure, atom as usize, atom - model.atoms.start, out)?;
        }
        write_box(structure.periodic_box.as_ref(), out)?;
    }
    Ok(())
}

fn check(structure: &Structure) -> io::Result<()> {
    let refuse = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let atoms = &structure.atoms;
    if atoms.is_empty() {
        return refuse("a GRO file needs at least one atom".into());
    }
    // Eight columns with three decimals hold -999.999 to 9999.999 nm.
    let fits = |value: f32| (-9999.99..=99999.99).contains(&value);
    if let Some(atom) = atoms.positions.iter().position(|position| !position.to_array().into_iter().all(fits)) {
        let place = atoms.positions[atom];
        return refuse(format!("GRO columns cannot hold the position {place} Å of atom {}", atom + 1));
    }
    let too_long = |name: &Name| name.as_bytes().len() > 5;
    let residue_names = structure.residues.iter().map(|residue| residue.name);
    match atoms.names.iter().copied().chain(residue_names).find(too_long) {
        Some(name) => refuse(format!("GRO names have at most five letters, {name} has more")),
        None => Ok(()),
    }
}

fn write_atom(structure: &Structure, atom: usize, index: u32, out: &mut dyn Write) -> io::Result<()> {
    let atoms = &structure.atoms;
    let residue = &structure.residues[atoms.residues[atom] as usize];
    let [x, y, z] = atoms.positions[atom].to_array().map(|value| f64::from(value) / ANGSTROMS_PER_NM);
    let number = residue.number.rem_euclid(100_000);
    let serial = (index + 1) % 100_000;
    writeln!(out, "{number:5}{:<5}{:>5}{serial:5}{x:8.3}{y:8.3}{z:8.3}", residue.name, atoms.names[atom])
}

fn write_box(periodic_box: Option<&PeriodicBox>, out: &mut dyn Write) -> io::Result<()> {
    let vectors = periodic_box.map_or(DMat3::ZERO, PeriodicBox::vectors) * (1.0 / ANGSTROMS_PER_NM);
    let DMat3 { x_axis: a, y_axis: b, z_axis: c } = vectors;
    write!(out, "{:10.5}{:10.5}{:10.5}", a.x, b.y, c.z)?;
    if periodic_box.is_some_and(|periodic_box| !periodic_box.is_orthogonal()) {
        for entry in [a.y, a.z, b.x, b.z, c.x, c.y] {
            write!(out, "{entry:10.5}")?;
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;

    #[test]
    fn beads_have_no_element_and_atoms_do() {
        let frame = |spacing: &str| {
            format!(
                "t\n2\n    1POPC    C1    1   0.000   0.000   0.000\n    1POPC   OC2    2   {spacing}   0.000   0.000\n 0 0 0\n"
            )
        };
        let element =
            |spacing| read_gro(frame(spacing).as_bytes(), Path::new("t.gro")).unwrap().value.atoms.elements[1];
        assert_eq!(element("0.143"), Element::OXYGEN);
        assert_eq!(element("0.470"), Element::UNKNOWN);
    }

    #[test]
    fn a_bad_coordinate_names_the_file_the_line_and_the_columns() {
        let text = b"t\n1\n    1SOL     OW    1   0.126   1.6x4   1.679\n 0 0 0\n";
        let error = read_gro(text, Path::new("water.gro")).unwrap_err().to_string();
        assert_eq!(error, r#"water.gro:3: columns 29-36: expected the y coordinate in nanometres, found "   1.6x4""#);
    }
}
