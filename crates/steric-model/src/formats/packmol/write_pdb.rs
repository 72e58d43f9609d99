//! PDB files with packmol's numbers.
//!
//! How it works: serials run on through the file and are written in base sixteen beyond 99,999. Residues are numbered in one of
//! four ways and begin again behind 9,999. Every structure that is not fixed has a chain of its own, and another one for every
//! 9,999 molecules.

use std::io::{self, Write};

use glam::DVec3;

use super::template::{Record, Template};
use super::write::{Packed, PackedMolecule, TITLE};
use crate::PeriodicBox;

/// Molecules of a structure that share a chain.
const MOLECULES_PER_CHAIN: usize = 9_999;
/// The letters of the chains, and what those behind them get.
const CHAINS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890";

pub(super) fn write(packed: &Packed<'_>, out: &mut dyn Write) -> io::Result<()> {
    let layout = &packed.input.layout;
    head(packed, out)?;
    let mut chains = Chains { used: 0, odd: b' ', even: b' ' };
    let mut numbers = Numbers::new(packed, 9_999);
    let mut serial = 0u64;
    for (molecule, template) in packed.molecules() {
        let chain = chains.of(packed, &molecule);
        numbers.begin(&molecule);
        for atom in &template.atoms {
            serial += 1;
            if layout.keep_ter && atom.record.ter_before {
                out.write_all(b"TER\n")?;
            }
            let residue = numbers.residue(&molecule, &atom.record);
            let place = molecule.pose * atom.position;
            let columns = Columns { serial, residue, chain: chain.unwrap_or(atom.record.chain), place };
            out.write_all(&line(&columns, &atom.record, layout.hexadecimal)?)?;
        }
        numbers.end(&molecule);
        if layout.ter_between_molecules {
            out.write_all(b"TER\n")?;
        }
    }
    if !layout.ignore_conect {
        connections(packed, out)?;
    }
    out.write_all(b"END\n")
}

fn head(packed: &Packed<'_>, out: &mut dyn Write) -> io::Result<()> {
    let layout = &packed.input.layout;
    write!(out, "HEADER \nTITLE     {TITLE:<63}\nREMARK   Atoms, residues and chains in packmol's order\n")?;
    write!(out, "REMARK   and with its numbers\nREMARK\n")?;
    if layout.hexadecimal {
        write!(out, "REMARK  Serials and residue numbers are in base sixteen.\nREMARK\n")?;
    }
    let edges = match (packed.input.periodic, layout.box_sides) {
        (Some((low, high)), _) => high - low,
        (None, Some(more)) => {
            writeln!(out, "REMARK  The box is as large as the system, with 1.1 tolerances on every side.")?;
            extent(packed) + 2.2 * packed.input.tolerance + more
        }
        (None, None) => return Ok(()),
    };
    let [a, b, c] = edges.to_array();
    let angles = PeriodicBox::orthogonal(edges).map_or(DVec3::splat(90.0), |cell| cell.angles_degrees()).to_array();
    let [alpha, beta, gamma] = angles;
    writeln!(out, "CRYST1{a:9.2}{b:9.2}{c:9.2}{alpha:7.2}{beta:7.2}{gamma:7.2} P 1           1")
}

fn extent(packed: &Packed<'_>) -> DVec3 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (molecule, template) in packed.molecules() {
        for atom in &template.atoms {
            let place = molecule.pose * atom.position;
            (low, high) = (low.min(place), high.max(place));
        }
    }
    if low.is_finite() && high.is_finite() { high - low } else { DVec3::ZERO }
}

/// Which chain a molecule gets.
struct Chains {
    used: usize,
    odd: u8,
    even: u8,
}

impl Chains {
    /// None for a fixed molecule that keeps its own.
    fn of(&mut self, packed: &Packed<'_>, molecule: &PackedMolecule) -> Option<u8> {
        let structure = &packed.input.structures[molecule.structure];
        if let Some(chain) = structure.chain {
            return Some(if chain.is_ascii() { chain as u8 } else { b'#' });
        }
        if structure.fixed.is_some() {
            return None;
        }
        if molecule.index.is_multiple_of(MOLECULES_PER_CHAIN) {
            self.odd = self.next();
            self.even = if structure.change_chains { self.next() } else { self.odd };
        }
        // Molecules are counted from 1.
        Some(if molecule.index.is_multiple_of(2) { self.odd } else { self.even })
    }

    fn next(&mut self) -> u8 {
        self.used += 1;
        CHAINS.get(self.used - 1).copied().unwrap_or(b'#')
    }
}

/// Numbers residues.
pub(super) struct Numbers<'a> {
    packed: &'a Packed<'a>,
    ways: Vec<u8>,
    most: i64,
    // Molecules and residues before this molecule.
    molecules: i64,
    residues: i64,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(packed: &'a Packed<'a>, most: i64) -> Self {
        let structures = packed.input.structures.iter().zip(packed.templates);
        let way = |(structure, template): (&super::PackmolStructure, &Template)| {
            structure.residue_numbers.unwrap_or_else(|| template.residue_numbers())
        };
        Self { packed, ways: structures.map(way).collect(), most, molecules: 0, residues: 0 }
    }

    pub(super) fn begin(&mut self, _molecule: &PackedMolecule) {
        self.molecules += 1;
    }

    pub(super) fn residue(&self, molecule: &PackedMolecule, record: &Record) -> i64 {
        let wrapped = |number: i64| match number % self.most {
            0 => self.most,
            number => number,
        };
        let is_fixed = self.packed.input.structures[molecule.structure].fixed.is_some();
        match self.ways[molecule.structure] {
            0 if is_fixed => 1,
            0 => wrapped(molecule.index as i64 + 1),
            1 if record.residue == 0 => self.most,
            1 => record.residue,
            2 => wrapped(record.residue - self.ends(molecule).0 + self.residues + 1),
            _ => wrapped(self.molecules),
        }
    }

    pub(super) fn end(&mut self, molecule: &PackedMolecule) {
        let (first, last) = self.ends(molecule);
        self.residues += last - first + 1;
    }

    /// The numbers of the first and the last residue of a template.
    fn ends(&self, molecule: &PackedMolecule) -> (i64, i64) {
        let atoms = &self.packed.templates[molecule.structure].atoms;
        let [first, last] = [atoms.first(), atoms.last()].map(|atom| atom.map_or(1, |atom| atom.record.residue));
        (first, last)
    }
}

struct Columns {
    serial: u64,
    residue: i64,
    chain: u8,
    place: DVec3,
}

fn line(columns: &Columns, record: &Record, hexadecimal: bool) -> io::Result<[u8; 81]> {
    let mut line = [b' '; 81];
    line[..6].copy_from_slice(if record.hetero { b"HETATM" } else { b"ATOM  " });
    put(&mut line[6..11], &serial_text(columns.serial, hexadecimal));
    line[11..21].copy_from_slice(&record.names);
    line[21] = columns.chain;
    let residue = columns.residue;
    let as_hexadecimal = hexadecimal || residue > 9_999;
    put(&mut line[22..26], &if as_hexadecimal { format!("{residue:X}") } else { residue.to_string() });
    line[26] = record.insertion;
    for (axis, value) in columns.place.to_array().into_iter().enumerate() {
        let text = format!("{value:.3}");
        if text.len() > 8 || !value.is_finite() {
            let message = format!("the coordinate {text} does not fit in the eight columns of a PDB file");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        put(&mut line[30 + 8 * axis..38 + 8 * axis], &text);
    }
    line[54..80].copy_from_slice(&record.tail);
    line[80] = b'\n';
    Ok(line)
}

/// Puts a text to the right end of a field; stars where it does not fit, as Fortran does.
fn put(field: &mut [u8], text: &str) {
    match field.len().checked_sub(text.len()) {
        Some(start) => field[start..].copy_from_slice(text.as_bytes()),
        None => field.fill(b'*'),
    }
}

fn serial_text(serial: u64, hexadecimal: bool) -> String {
    if hexadecimal || serial > 99_999 { format!("{serial:X}") } else { serial.to_string() }
}

fn connections(packed: &Packed<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut first = 0u64;
    for (molecule, template) in packed.molecules() {
        let is_wanted = packed.input.structures[molecule.structure].connect;
        for (serial, atom) in (first + 1..).zip(&template.atoms).filter(|_| is_wanted) {
            let field = |serial| {
                let mut field = [b' '; 5];
                put(&mut field, &serial_text(serial, packed.input.layout.hexadecimal));
                field
            };
            // Partners in rising order stand in one line.
            for partners in atom.bonds.chunk_by(|a, b| b > a).flat_map(|partners| partners.chunks(5)) {
                out.write_all(b"CONECT")?;
                out.write_all(&field(serial))?;
                for &partner in partners {
                    out.write_all(&field(first + partner as u64))?;
                }
                out.write_all(b"\n")?;
            }
        }
        first += template.atoms.len() as u64;
    }
    Ok(())
}
