//! MOL and SDF files, V2000 and V3000, in angstroms.
//!
//! How it works: a record is three header lines, a counts line, atoms and bonds (the CTAB), then properties up to
//! `M  END` and data items up to `$$$$`; each record becomes a model whose only chain is described by the record's
//! title. V2000 has fixed columns of three; a file that forgets its `V2000` tag or its columns is read by the fields
//! between blanks. V3000 (`sdf_v3000.rs`) hides its CTAB in `M  V30` lines. Atoms have no names in these files,
//! so they get their element and a running number: `C1`, `C2`, `O1`.

use std::path::Path;

use glam::Vec3;

use super::sdf_v3000::read_v3000;
use super::text::{Field, Line, Lines, position, stem};
use crate::{AtomRecord, Bond, Element, Name, Parsed, Place, ReadError, Structure, StructureBuilder, Warnings};

/// Reads a MOL or SDF file already in memory; `path` only serves messages and the name of an untitled file.
///
/// ```
/// use steric_model::{Bond, formats::sdf::read_sdf};
///
/// let text = b"carbon monoxide
///
///
///   2  1  0  0  0  0  0  0  0  0999 V2000
///     0.0000    0.0000    0.0000 C   0  5
///     1.1280    0.0000    0.0000 O   0  3
///   1  2  3  0
/// M  END
/// ";
/// let molecule = read_sdf(text, "co.mol".as_ref())?.value;
/// assert_eq!(molecule.atoms.names[1].as_str(), "O1");
/// assert_eq!(molecule.bonds, [Bond { first: 0, second: 1, order: 3 }]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_sdf(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let mut reader = Reader { path, warnings: Warnings::default() };
    let mut lines = Lines::new(bytes);
    let mut builder = StructureBuilder::new(String::new(), bytes.len() / 70);
    let mut record = 0i32;
    while record == 0 || !lines.only_blanks_left() {
        record = record.saturating_add(1);
        let ctab = reader.read_record(&mut lines)?;
        if record == 1 {
            let title = ctab.title.clone();
            builder.structure_mut().name = if title.is_empty() { stem(path) } else { title };
        }
        if ctab.atoms.is_empty() {
            reader.warnings.push(Place::File, || format!("record {record} ({:?}) has no atoms", ctab.title));
        }
        push_record(&mut builder, record, &ctab);
    }
    if builder.is_empty() {
        return Err(ReadError::content(path, Place::File, "at least one atom", "none"));
    }
    Ok(Parsed { value: builder.finish(), warnings: reader.warnings })
}

/// The connection table of one record.
#[derive(Debug, Default)]
pub(super) struct Ctab {
    title: String,
    pub(super) atoms: Vec<CtabAtom>,
    pub(super) bonds: Vec<Bond>,
}

/// One atom of a connection table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CtabAtom {
    pub(super) position: Vec3,
    pub(super) element: Element,
    pub(super) charge: i8,
}

/// What every part of the reader needs.
pub(super) struct Reader<'p> {
    pub(super) path: &'p Path,
    pub(super) warnings: Warnings,
}

impl Reader<'_> {
    fn read_record(&mut self, lines: &mut Lines<'_>) -> Result<Ctab, ReadError> {
        let title = lines.expect(self.path, "the title of a molecule")?;
        let program = lines.expect(self.path, "the program line of a molecule")?;
        lines.expect(self.path, "the comment line of a molecule")?;
        let counts = lines.expect(self.path, "the counts of atoms and bonds")?;
        if program.columns(21, 22).text.eq_ignore_ascii_case(b"2D") {
            let place = Place::Line(program.number, Some((21, 22)));
            self.warnings.push(place, || "a flat drawing (2D): its coordinates are no conformation".into());
        }
        let mut ctab = Ctab { title: String::from_utf8_lossy(title.text).trim().to_owned(), ..Ctab::default() };
        if counts.columns(35, 39).text == b"V3000" {
            read_v3000(self, lines, &mut ctab)?;
        } else {
            self.read_v2000(lines, counts, &mut ctab)?;
        }
        Ok(ctab)
    }

    fn read_v2000(&mut self, lines: &mut Lines<'_>, counts: Line<'_>, ctab: &mut Ctab) -> Result<(), ReadError> {
        let (atoms, bonds) = read_counts(counts, self.path)?;
        for _ in 0..atoms {
            let line = lines.expect_atom(self.path, atoms, counts.number)?;
            ctab.atoms.push(self.read_atom(line)?);
        }
        for _ in 0..bonds {
            let line = lines.expect(self.path, "a bond")?;
            let [first, second, order] = three_numbers(line, self.path)?;
            self.add_bond(ctab, line, first, second, order)?;
        }
        self.read_properties(lines, ctab)
    }

    fn read_atom(&mut self, line: Line<'_>) -> Result<CtabAtom, ReadError> {
        let fixed = [line.columns(1, 10), line.columns(11, 20), line.columns(21, 30)];
        let is_fixed = fixed.iter().all(|field| field.float().is_some());
        let (place, symbol, charge) = if is_fixed {
            (position(line, fixed.into_iter(), self.path)?, line.columns(32, 34), line.columns(37, 39).integer())
        } else {
            let symbol =
                line.fields().nth(3).ok_or_else(|| line.error(self.path, "three coordinates and an element"))?;
            let charge = line.fields().nth(5).and_then(|field| field.integer());
            (position(line, line.fields(), self.path)?, symbol, charge)
        };
        let element = self.element(symbol);
        // The atom block codes charges as 4 - charge; 4 itself is a radical.
        let charge = charge.filter(|code| (1..=7).contains(code)).map_or(0, |code| 4 - code as i8);
        Ok(CtabAtom { position: place, element, charge })
    }

    pub(super) fn element(&mut self, symbol: Field<'_>) -> Element {
        Element::from_symbol(symbol.text).unwrap_or_else(|| {
            let message = || format!("{:?} is no element; its atom is of unknown kind", symbol.string());
            self.warnings.push(symbol.place(), message);
            Element::UNKNOWN
        })
    }

    /// Adds a bond between two atoms counted from 1.
    pub(super) fn add_bond(
        &mut self,
        ctab: &mut Ctab,
        line: Line<'_>,
        first: i64,
        second: i64,
        order: i64,
    ) -> Result<(), ReadError> {
        let atoms = 1..=ctab.atoms.len() as i64;
        if !atoms.contains(&first) || !atoms.contains(&second) {
            return Err(line.error(self.path, format!("a bond between atoms 1 to {}", ctab.atoms.len())));
        }
        let order = match order {
            1..=4 => order as u8,
            // A query's `single or aromatic` and `double or aromatic`, which some programs write for aromatic bonds.
            6 | 7 => 4,
            9 => 1,              // coordination
            10 => return Ok(()), // a hydrogen bond is no bond
            _ => 0,
        };
        if first == second {
            self.warnings.push(Place::Line(line.number, None), || format!("atom {first} is bonded to itself"));
            return Ok(());
        }
        let (first, second) = (first.min(second) as u32 - 1, first.max(second) as u32 - 1);
        ctab.bonds.push(Bond { first, second, order });
        Ok(())
    }

    // Properties up to `M  END`, then data items up to `$$$$`.
    fn read_properties(&mut self, lines: &mut Lines<'_>, ctab: &mut Ctab) -> Result<(), ReadError> {
        let mut charges_replaced = false;
        let mut in_ctab = true;
        for line in lines {
            if line.text.starts_with(b"$$$$") {
                break;
            }
            in_ctab &= !line.text.starts_with(b"M  END");
            if in_ctab && line.text.starts_with(b"M  CHG") {
                // The first such line replaces every charge of the atom block.
                if !std::mem::replace(&mut charges_replaced, true) {
                    ctab.atoms.iter_mut().for_each(|atom| atom.charge = 0);
                }
                read_charges(line, ctab, self.path)?;
            }
        }
        Ok(())
    }
}

// Columns 1-3 and 4-6; files without these columns have the two numbers first.
fn read_counts(line: Line<'_>, path: &Path) -> Result<(i64, i64), ReadError> {
    let fixed = line.columns(1, 3).integer().zip(line.columns(4, 6).integer());
    let mut fields = line.fields().map(|field| field.integer());
    let counts = fixed.or_else(|| Some((fields.next()??, fields.next()??)));
    counts
        .filter(|(atoms, bonds)| *atoms >= 0 && *bonds >= 0)
        .ok_or_else(|| line.error(path, "the counts of atoms and bonds in columns 1-6"))
}

fn three_numbers(line: Line<'_>, path: &Path) -> Result<[i64; 3], ReadError> {
    let fixed = [line.columns(1, 3), line.columns(4, 6), line.columns(7, 9)].map(|field| field.integer());
    if let [Some(first), Some(second), Some(order)] = fixed {
        return Ok([first, second, order]);
    }
    let mut fields = line.fields().map(|field| field.integer());
    let mut next = || fields.next().flatten().ok_or_else(|| line.error(path, "two atoms and the order of their bond"));
    Ok([next()?, next()?, next()?])
}

// `M  CHG  n  atom charge  atom charge`
fn read_charges(line: Line<'_>, ctab: &mut Ctab, path: &Path) -> Result<(), ReadError> {
    let numbers: Vec<Field<'_>> = line.fields().skip(3).collect();
    for pair in numbers.chunks_exact(2) {
        let atom = pair[0].expect_integer(path, "an atom's number")?;
        let charge = pair[1].expect_integer(path, "a formal charge")?;
        let charge = i8::try_from(charge).map_err(|_| pair[1].error(path, "a formal charge"))?;
        let index = usize::try_from(atom - 1).ok().filter(|&index| index < ctab.atoms.len());
        let index = index.ok_or_else(|| pair[0].error(path, format!("an atom from 1 to {}", ctab.atoms.len())))?;
        ctab.atoms[index].charge = charge;
    }
    Ok(())
}

fn push_record(builder: &mut StructureBuilder, number: i32, ctab: &Ctab) {
    builder.start_model(number);
    let start = builder.len() as u32;
    let residue_name = residue_name(&ctab.title);
    let mut counters = [0u32; 256];
    for (index, atom) in ctab.atoms.iter().enumerate() {
        let counter = &mut counters[atom.element.atomic_number() as usize];
        *counter += 1;
        builder.push(AtomRecord {
            position: atom.position,
            element: atom.element,
            name: Name::new(&format!("{}{counter}", atom.element)),
            serial: index as i32 + 1,
            occupancy: 1.0,
            formal_charge: atom.charge,
            residue_name,
            residue_number: 1,
            hetero: true,
            ..AtomRecord::default()
        });
    }
    let structure = builder.structure_mut();
    let bonds = ctab.bonds.iter();
    structure.bonds.extend(bonds.map(|bond| Bond { first: bond.first + start, second: bond.second + start, ..*bond }));
    if let Some(chain) = structure.chains.last_mut().filter(|_| !ctab.atoms.is_empty()) {
        chain.description = ctab.title.as_str().into();
    }
}

// A title such as `STI` is the name of a chemical component; a longer one is not. `UNL` is the PDB's unknown ligand.
fn residue_name(title: &str) -> Name {
    let is_component = (1..=5).contains(&title.len()) && title.bytes().all(|byte| byte.is_ascii_alphanumeric());
    Name::new(if is_component { title } else { "UNL" })
}
