//! The molecule files that an input names.
//!
//! How it works: packmol copies most columns of a PDB record as they are, so they are kept as they are. Other files have symbols,
//! and those of Tinker a type and bonds.

use std::path::Path;

use glam::DVec3;
use smol_str::SmolStr;

use super::FileType;
use crate::formats::text::{Line, Lines, parse_float};
use crate::{Parsed, Place, ReadError, Warnings};

/// A coordinate beyond this is a mistake, in angstroms.
const MOST_EXTENT: f64 = 1e6;

/// A molecule to be packed.
///
/// ```
/// use steric_model::formats::packmol::{FileType, Template};
///
/// let text = b"2\ncarbon monoxide\nC 0 0 0\nO 1.128 0 0\n";
/// let template = Template::read(text, "co.xyz".as_ref(), FileType::Xyz)?.value;
/// assert_eq!(template.atoms[1].position.x, 1.128);
/// assert_eq!(template.center().x, 0.564);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Its atoms, in the order of the file.
    pub atoms: Vec<TemplateAtom>,
    // Whether a TER line follows the last atom.
    pub(super) ends_with_ter: bool,
}

/// An atom of a template.
///
/// ```
/// use steric_model::formats::packmol::{FileType, Template};
///
/// let text = b"HETATM    1  ZN   ZN A   7       1.000   2.000   3.000  1.00  0.00          ZN\n";
/// let zinc = Template::read(text, "zn.pdb".as_ref(), FileType::Pdb)?.value;
/// assert_eq!(zinc.atoms[0].position, glam::DVec3::new(1.0, 2.0, 3.0));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateAtom {
    /// Where it is in the file, in angstroms.
    pub position: DVec3,
    pub(super) symbol: SmolStr,
    pub(super) record: Record,
    // Of PDB files the partners of its bonds, counted from 1; of Tinker's the type first.
    pub(super) bonds: Vec<i64>,
}

/// What a PDB record says beside the coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Record {
    pub(super) hetero: bool,
    // Columns 12-21: the names of the atom and the residue.
    pub(super) names: [u8; 10],
    pub(super) chain: u8,
    pub(super) residue: i64,
    pub(super) insertion: u8,
    // Columns 55-80.
    pub(super) tail: [u8; 26],
    pub(super) ter_before: bool,
}

impl Template {
    /// Reads a molecule file already in memory; `path` only serves messages.
    pub fn read(bytes: &[u8], path: &Path, file_type: FileType) -> Result<Parsed<Self>, ReadError> {
        let mut warnings = Warnings::default();
        let template = match file_type {
            FileType::Pdb => pdb(bytes, path, &mut warnings)?,
            FileType::Xyz => rows(bytes, path, 0)?,
            FileType::Tinker => rows(bytes, path, 1)?,
        };
        if template.atoms.is_empty() {
            let expected = if file_type == FileType::Pdb { "ATOM or HETATM records" } else { "atoms" };
            return Err(ReadError::content(path, Place::File, expected, "none"));
        }
        let extent = template.atoms.iter().map(|atom| atom.position.abs().max_element()).fold(0.0, f64::max);
        if extent > MOST_EXTENT {
            return Err(ReadError::content(path, Place::File, "coordinates below 1,000,000 Å", format!("{extent:e}")));
        }
        Ok(Parsed { value: template, warnings })
    }

    /// The mean of all places, which packmol calls the centre of mass.
    pub fn center(&self) -> DVec3 {
        let sum: DVec3 = self.atoms.iter().map(|atom| atom.position).sum();
        sum / self.atoms.len().max(1) as f64
    }

    /// How packmol numbers its residues where nobody says: 0 if it has one, else 1.
    pub(super) fn residue_numbers(&self) -> u8 {
        let first = self.atoms.first().map(|atom| atom.record.residue);
        u8::from(self.atoms.iter().any(|atom| Some(atom.record.residue) != first))
    }
}

fn pdb(bytes: &[u8], path: &Path, warnings: &mut Warnings) -> Result<Template, ReadError> {
    let mut template = Template::default();
    let mut first_serial = 1;
    for line in Lines::new(bytes) {
        match line.text {
            text if text.starts_with(b"ATOM") || text.starts_with(b"HETATM") => {
                if template.atoms.is_empty() {
                    first_serial = line.columns(7, 11).integer().unwrap_or(1);
                }
                let mut atom = pdb_atom(line, path, warnings)?;
                atom.record.ter_before = std::mem::take(&mut template.ends_with_ter);
                template.atoms.push(atom);
            }
            text if text.starts_with(b"TER") => template.ends_with_ter = !template.atoms.is_empty(),
            text if text.starts_with(b"CONECT") => bonds(line, first_serial, &mut template, warnings),
            _ => {}
        }
    }
    Ok(template)
}

fn pdb_atom(line: Line<'_>, path: &Path, warnings: &mut Warnings) -> Result<TemplateAtom, ReadError> {
    let axis =
        |first, name| line.columns(first, first + 7).expect_float(path, &format!("the {name} coordinate in angstroms"));
    let position = DVec3::new(axis(31, 'x')?, axis(39, 'y')?, axis(47, 'z')?);
    let number = line.columns(23, 26);
    let residue = number.integer().unwrap_or_else(|| {
        warnings.push(number.place(), || format!("{:?} is no residue number; taken as 1", number.string()));
        1
    });
    let byte = |column: usize| line.text.get(column - 1).copied().unwrap_or(b' ');
    let record = Record {
        hetero: line.text.starts_with(b"HETATM"),
        names: std::array::from_fn(|at| byte(12 + at)),
        chain: byte(22),
        residue,
        insertion: byte(27),
        tail: std::array::from_fn(|at| byte(55 + at)),
        ter_before: false,
    };
    Ok(TemplateAtom { position, symbol: SmolStr::default(), record, bonds: Vec::new() })
}

/// The partners of one atom, in five columns each.
fn bonds(line: Line<'_>, first_serial: i64, template: &mut Template, warnings: &mut Warnings) {
    let count = template.atoms.len() as i64;
    let number = |first| {
        let number = line.columns(first, first + 4).integer()?.checked_sub(first_serial)?.checked_add(1)?;
        (1..=count).contains(&number).then_some(number)
    };
    let Some(atom) = number(7) else {
        warnings
            .push(Place::Line(line.number, None), || "CONECT names no atom of this file; it is left out".to_owned());
        return;
    };
    let atom = &mut template.atoms[atom as usize - 1];
    atom.bonds.extend((12..=32).step_by(5).map_while(number));
}

/// The files that begin with a count: XYZ with a title in the second line, Tinker's with numbers before and behind.
fn rows(bytes: &[u8], path: &Path, before: usize) -> Result<Template, ReadError> {
    let is_tinker = before > 0;
    let mut lines = Lines::new(bytes);
    let head = lines.expect(path, "the number of atoms")?;
    let count = head.fields().next().and_then(|field| field.integer()).filter(|&count| count > 0);
    let count = count.ok_or_else(|| head.error(path, "the number of atoms"))?;
    if !is_tinker {
        lines.expect(path, "a title")?;
    }
    let mut template = Template::default();
    for _ in 0..count {
        let line = lines.expect_atom(path, count, head.number)?;
        let fields: Vec<_> = line.fields().skip(before).take(16).collect();
        let number = |at: usize| fields.get(at).and_then(|field| parse_float(field.text));
        let (Some(name), Some(x), Some(y), Some(z)) = (fields.first(), number(1), number(2), number(3)) else {
            return Err(line.error(path, "a symbol and three coordinates in angstroms"));
        };
        let bonds = fields[4..].iter().map_while(|field| field.integer()).filter(|_| is_tinker).collect();
        let symbol = name.string().chars().take(3).collect();
        template.atoms.push(TemplateAtom { position: DVec3::new(x, y, z), symbol, record: BLANK, bonds });
    }
    Ok(template)
}

const BLANK: Record = Record {
    hetero: true,
    names: [b' '; 10],
    chain: b' ',
    residue: 1,
    insertion: b' ',
    tail: [b' '; 26],
    ter_before: false,
};
