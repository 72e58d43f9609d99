//! Reads PDB lines into a structure.
//!
//! How it works: one pass over the lines. Consecutive atoms share columns 18-30, residue and chain, so these are taken
//! apart only when they change; per atom there remain three coordinates, a serial, a name and the tail of the line.

use std::path::Path;

use glam::Vec3;

use super::connections::Connections;
use super::fields::{self, Card, Lines};
use super::layout::{self, Layout, is_atom};
use super::remarks::{self, Operators};
use super::{elements, hybrid36};
use crate::{AtomRecord, Element, Name, Parsed, Place, ReadError, Structure, StructureBuilder, Warnings};

/// Reads a PDB file already in memory; `path` serves messages, and names the structure if the file has no entry id.
///
/// All models, alternate locations and hetero groups are kept, in file order; assemblies are stated, not built.
/// A coordinate that is no number is an error; other oddities become warnings.
///
/// ```
/// use std::path::Path;
/// use steric_model::formats::pdb::read_pdb;
///
/// let text = b"HETATM    1 ZN    ZN A 300      11.111  -2.222    .333  1.00  9.99          ZN2+\n";
/// let zinc = read_pdb(text, Path::new("zinc.pdb"))?.value;
/// assert_eq!(zinc.atoms.positions[0].z, 0.333);
/// assert_eq!(zinc.atoms.formal_charges[0], 2);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_pdb(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    read(bytes, path, Dialect::Pdb)
}

/// What stands at the end of an atom line.
#[derive(Clone, Copy, Debug)]
pub(in crate::formats) enum Dialect {
    /// Element in columns 77-78 and formal charge in 79-80.
    Pdb,
    /// Partial charge in columns 67-76 and AutoDock type in 78-80; the function gives the type's element.
    Pdbqt(fn(&[u8]) -> Option<Element>),
}

/// Reads either dialect.
pub(in crate::formats) fn read(bytes: &[u8], path: &Path, dialect: Dialect) -> Result<Parsed<Structure>, ReadError> {
    let mut reader = Reader::new(bytes, path, dialect);
    let mut lines = Lines::new(bytes);
    loop {
        let here = lines.clone();
        let Some(line) = lines.next() else { break };
        reader.line += 1;
        if is_atom(line) {
            reader.atom(line, here)?;
        } else {
            reader.record(line);
        }
    }
    reader.finish()
}

// Columns 18-30, taken apart.
#[derive(Clone, Copy, Default)]
struct ResidueColumns {
    name: Name,
    number: i32,
    insertion: u8,
    chain: [u8; 2],
    chain_length: usize,
    /// The first atom of a residue whose number is asterisks: when it comes again, so does a new residue.
    asterisks: Option<Name>,
}

struct Reader<'a> {
    path: &'a Path,
    line: usize,
    dialect: Dialect,
    layout: Layout,
    two_letter_chains: Option<bool>,
    builder: StructureBuilder,
    warnings: Warnings,
    operators: Operators,
    connections: Connections,
    columns: [u8; 13],
    residue: ResidueColumns,
    serial: i32,
    model_closed: bool,
    elements_derived: usize,
    serials_counted: usize,
    name_stated: bool,
    model_open_by_record: bool,
}

impl<'a> Reader<'a> {
    fn new(bytes: &[u8], path: &'a Path, dialect: Dialect) -> Self {
        // An atom has at least 47 columns, and nearly always 80.
        let atoms = bytes.len() / 80 + 1;
        Self {
            path,
            line: 0,
            dialect,
            layout: Layout::of(bytes),
            two_letter_chains: None,
            builder: StructureBuilder::new(name_of(path), atoms),
            warnings: Warnings::default(),
            operators: Operators::default(),
            connections: Connections::default(),
            columns: [0; 13],
            residue: ResidueColumns::default(),
            serial: 0,
            model_closed: false,
            elements_derived: 0,
            serials_counted: 0,
            name_stated: false,
            model_open_by_record: false,
        }
    }

    fn atom(&mut self, line: &[u8], rest: Lines<'_>) -> Result<(), ReadError> {
        let mut room = [b' '; 80];
        let card = fields::card(line, &mut room);
        // Where a sixth digit stands in column 12 the decimal point tells whether it moved the rest of the line.
        let moved = card[11].is_ascii_digit() && card[34] != b'.';
        let (position, shifted) = match position(card) {
            Ok(position) if !moved => (position, None),
            Ok(_) => self.shifted(line, 0)?,
            Err(axis) => self.shifted(line, axis)?,
        };
        let Some((card, serial)) = shifted else {
            self.serial = self.serial_of(card);
            self.push(card, position, rest);
            return Ok(());
        };
        self.serial = serial;
        self.push(&card, position, rest);
        Ok(())
    }

    fn push(&mut self, card: &Card, position: Vec3, rest: Lines<'_>) {
        if self.model_closed {
            self.start_model_without_record();
        }
        let name = Name::from_bytes(&card[12..16]);
        let new_residue = self.residue_changes(card, name, rest);
        let element = self.element(card);
        let residue = self.residue;
        let record = AtomRecord {
            position,
            element,
            name,
            serial: self.serial,
            alternate: letter(card[16]),
            occupancy: self.number_or(card, 55, 1.0, "occupancy"),
            b_factor: self.number_or(card, 61, 0.0, "B factor"),
            formal_charge: self.formal_charge(card),
            residue_name: residue.name,
            residue_number: residue.number,
            insertion: residue.insertion,
            hetero: card[0] == b'H',
            chain: std::str::from_utf8(&residue.chain[..residue.chain_length]).unwrap_or_default(),
            label: "",
        };
        if new_residue {
            self.builder.push(record);
        } else {
            self.builder.push_to_same_residue(record);
        }
        if let Dialect::Pdbqt(_) = self.dialect {
            self.autodock_columns(card);
        }
    }

    // A serial of six digits in a line whose writer had room for five moves every later column to the right.
    fn shifted(&self, line: &[u8], axis: usize) -> Result<(Vec3, Option<(Card, i32)>), ReadError> {
        let error = || {
            let (first, last) = (31 + 8 * axis, 38 + 8 * axis);
            let found = line.get(first - 1..last.min(line.len())).unwrap_or_default();
            let expected = format!("the {} coordinate in angstroms", ["x", "y", "z"][axis]);
            ReadError::content(self.path, Place::Line(self.line, Some((first, last))), expected, found)
        };
        let from = if line.get(5).is_some_and(u8::is_ascii_digit) { 5 } else { line.len().min(6) };
        let digits = line[from..].trim_ascii_start();
        let start = line.len() - digits.len();
        let length = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
        let extra = (start + length).checked_sub(11).filter(|extra| (1..=5).contains(extra)).ok_or_else(error)?;
        let serial = hybrid36::decimal(&digits[..length]).ok_or_else(error)?;
        let mut card = [b' '; 80];
        for (to, from) in card[11..].iter_mut().zip(&line[11 + extra..]) {
            *to = *from;
        }
        card[..6].copy_from_slice(&line[..6]);
        let position = position(&card).map_err(|_| error())?;
        Ok((position, Some((card, serial))))
    }

    // Decimal or hybrid-36; six digits may borrow column 6 or 12. Anything else, asterisks above all, counts on.
    #[inline]
    fn serial_of(&mut self, card: &Card) -> i32 {
        let field = columns::<5>(card, 7);
        if let Some(serial) = fields::five_digits(&field)
            && !card[5].is_ascii_digit()
            && !card[11].is_ascii_digit()
        {
            return serial;
        }
        let borrows = |column: usize| card[column].is_ascii_digit();
        let serial = match (borrows(5), borrows(11)) {
            (true, false) => hybrid36::decimal(&card[5..11]),
            (_, true) => hybrid36::decimal(&card[6..12]),
            (false, false) => hybrid36::decode::<5>(&field),
        };
        serial.unwrap_or_else(|| {
            self.serials_counted += 1;
            self.serial.saturating_add(1)
        })
    }

    // Whether this atom begins another residue than the one before; if so, takes columns 18-30 apart.
    #[inline]
    fn residue_changes(&mut self, card: &Card, atom: Name, rest: Lines<'_>) -> bool {
        let same = card[17..30] == self.columns;
        if same && self.residue.asterisks.is_none_or(|first| first != atom) {
            return false;
        }
        self.columns.copy_from_slice(&card[17..30]);
        self.residue = self.residue_columns(card, atom, rest);
        true
    }

    fn residue_columns(&mut self, card: &Card, atom: Name, rest: Lines<'_>) -> ResidueColumns {
        let (name_end, chain_start) = match card[20] {
            b' ' => (20, 21),
            _ if card[17] == b' ' || (card[21] != b' ' && self.has_two_letter_chains(rest)) => (20, 20),
            _ => (21, 21),
        };
        let mut residue = ResidueColumns { name: Name::from_bytes(&card[17..name_end]), ..ResidueColumns::default() };
        for &byte in card[chain_start..22].trim_ascii() {
            residue.chain[residue.chain_length] = letter(byte);
            residue.chain_length += 1;
        }
        let field = columns::<4>(card, 23);
        if card[25].is_ascii_digit() && card[26].is_ascii_digit() {
            let length = card[26..30].iter().take_while(|digit| digit.is_ascii_digit()).count();
            residue.number = hybrid36::decimal(&card[22..26 + length]).unwrap_or_default();
        } else if let Some(number) = hybrid36::decode::<4>(&field) {
            (residue.number, residue.insertion) = (number, letter(card[26]));
        } else if field.contains(&b'*') {
            residue.number = self.residue.number.saturating_add(1);
            residue.asterisks = Some(atom);
        } else {
            residue.insertion = letter(card[26]);
            self.warn_of_residue_number(&field);
        }
        residue
    }

    fn warn_of_residue_number(&mut self, field: &[u8; 4]) {
        let place = Place::Line(self.line, Some((23, 26)));
        let found = || String::from_utf8_lossy(field).into_owned();
        self.warnings.push(place, || format!("{:?} is no residue number; taken as 0", found()));
    }

    fn has_two_letter_chains(&mut self, rest: Lines<'_>) -> bool {
        *self.two_letter_chains.get_or_insert_with(|| layout::has_two_letter_chains(rest))
    }

    #[inline]
    fn element(&mut self, card: &Card) -> Element {
        let stated = match self.dialect {
            Dialect::Pdbqt(element_of) => element_of(card[77..80].trim_ascii()),
            Dialect::Pdb if self.layout.numbered_lines => None,
            Dialect::Pdb if card[76..78] == *b" X" => Some(Element::UNKNOWN),
            Dialect::Pdb if card[76] == b' ' => Element::from_symbol(&card[77..78]),
            Dialect::Pdb => Element::from_symbol(&card[76..78]),
        };
        stated.unwrap_or_else(|| {
            self.elements_derived += 1;
            elements::from_name(&columns(card, 13), self.residue.name.as_bytes(), self.layout.names_left_aligned)
        })
    }

    #[inline]
    fn formal_charge(&mut self, card: &Card) -> i8 {
        let (size, sign) = match [card[78], card[79]] {
            _ if self.layout.numbered_lines || !matches!(self.dialect, Dialect::Pdb) => return 0,
            [b' ', b' '] => return 0,
            [size @ b'0'..=b'9', sign] | [sign, size @ b'0'..=b'9'] => (size - b'0', sign),
            [sign @ (b'+' | b'-'), b' '] | [b' ', sign @ (b'+' | b'-')] => (1, sign),
            _ => (0, b'?'),
        };
        match sign {
            b'+' | b' ' => size as i8,
            b'-' => -(size as i8),
            _ => {
                let place = Place::Line(self.line, Some((79, 80)));
                self.warnings.push(place, || "no formal charge such as 2+; taken as 0".to_owned());
                0
            }
        }
    }

    #[inline]
    fn number_or(&mut self, card: &Card, first: usize, default: f32, what: &str) -> f32 {
        let field = columns::<6>(card, first);
        match fields::hundredths(&field) {
            Some(number) => number,
            None if field == *b"      " => default,
            None => {
                self.warn_of_number(&field, first, default, what);
                default
            }
        }
    }

    #[cold]
    fn warn_of_number(&mut self, field: &[u8; 6], first: usize, default: f32, what: &str) {
        let place = Place::Line(self.line, Some((first, first + 5)));
        let found = || String::from_utf8_lossy(field).into_owned();
        self.warnings.push(place, || format!("{:?} is no {what}; taken as {default}", found()));
    }

    fn autodock_columns(&mut self, card: &Card) {
        let charge = fields::number(&card[66..76]).unwrap_or_else(|| {
            let place = Place::Line(self.line, Some((67, 76)));
            self.warnings.push(place, || "no partial charge; taken as 0".to_owned());
            0.0
        });
        let atoms = &mut self.builder.structure_mut().atoms;
        atoms.partial_charges.push(charge as f32);
        atoms.types.push(Name::from_bytes(&card[77..80]));
    }

    // Every record but the atoms.
    fn record(&mut self, line: &[u8]) {
        let place = Place::Line(self.line, None);
        match line.get(..6).unwrap_or(line).trim_ascii_end() {
            b"MODEL" => self.start_model(line),
            b"ENDMDL" => self.end_model(),
            b"END" => self.model_closed = !self.builder.is_empty(),
            b"CONECT" => {
                let models = self.builder.structure_mut().models.len();
                self.connections.record(line, models, place, &mut self.warnings);
            }
            b"REMARK" if line.starts_with(b"REMARK 350") => self.operators.remark_350(line, place, &mut self.warnings),
            b"MTRIX1" | b"MTRIX2" | b"MTRIX3" => self.operators.matrix(line, place, &mut self.warnings),
            b"CRYST1" => self.unit_cell(line),
            b"HEADER" => self.header(line),
            _ => {}
        }
    }

    fn header(&mut self, line: &[u8]) {
        let id = line.get(62..66).unwrap_or_default();
        let is_id = id.first().is_some_and(u8::is_ascii_digit) && id.iter().all(u8::is_ascii_alphanumeric);
        if is_id && !std::mem::replace(&mut self.name_stated, true) {
            self.builder.structure_mut().name = String::from_utf8_lossy(id).into_owned();
        }
    }

    fn unit_cell(&mut self, line: &[u8]) {
        let structure = self.builder.structure_mut();
        if structure.periodic_box.is_some() {
            return;
        }
        match remarks::unit_cell(line) {
            Ok(Some((periodic_box, space_group))) => {
                (structure.periodic_box, structure.space_group) = (Some(periodic_box), space_group);
            }
            Ok(None) => {}
            Err(problem) => self.warnings.push(Place::Line(self.line, Some((7, 66))), || problem.to_owned()),
        }
    }

    fn start_model(&mut self, line: &[u8]) {
        let models = &self.builder.structure_mut().models;
        let next = models.last().map_or(1, |last| last.number.saturating_add(1));
        let stated = hybrid36::decimal(line.get(5..).unwrap_or_default());
        let number = stated.unwrap_or(next);
        // A number that is not above the last may be one of them; trajectories count up, so this is rarely searched.
        let repeated = number < next && models.iter().any(|model| model.number == number);
        let place = Place::Line(self.line, None);
        if stated.is_none() {
            self.warnings.push(place, || format!("MODEL without a number; taken as {number}"));
        } else if repeated {
            self.warnings.push(place, || format!("MODEL {number} comes twice; both are kept"));
        }
        self.open_model(number);
    }

    fn start_model_without_record(&mut self) {
        let number = self.builder.structure_mut().models.last().map_or(1, |last| last.number.saturating_add(1));
        let place = Place::Line(self.line, None);
        self.warnings.push(place, || format!("atoms after the end of a model without MODEL; taken as model {number}"));
        self.open_model(number);
    }

    fn open_model(&mut self, number: i32) {
        self.builder.start_model(number);
        self.model_closed = false;
        self.columns = [0; 13];
        self.serial = 0;
        self.model_open_by_record = true;
    }

    fn end_model(&mut self) {
        if !self.model_open_by_record {
            self.warnings.push(Place::Line(self.line, None), || "ENDMDL without MODEL".to_owned());
        }
        self.model_open_by_record = false;
        self.model_closed = !self.builder.structure_mut().models.is_empty();
    }

    fn finish(mut self) -> Result<Parsed<Structure>, ReadError> {
        if self.builder.is_empty() {
            return Err(ReadError::content(self.path, Place::File, "ATOM or HETATM records", "none"));
        }
        let (derived, counted) = (self.elements_derived, self.serials_counted);
        if derived > 0 {
            let message = || format!("{derived} atoms without an element in the file; taken from their names");
            self.warnings.push(Place::File, message);
        }
        if counted > 0 {
            self.warnings.push(Place::File, || format!("{counted} atoms without a readable serial; counted on"));
        }
        let structure = self.builder.structure_mut();
        structure.assemblies = self.operators.assemblies(structure, &mut self.warnings);
        structure.bonds = self.connections.bonds(structure, &mut self.warnings);
        Ok(Parsed { value: self.builder.finish(), warnings: self.warnings })
    }
}

// The centre of an atom, or the axis (0, 1, 2) that is no number.
#[inline]
fn position(card: &Card) -> Result<Vec3, usize> {
    let [x, y, z] = [31, 39, 47].map(|first| fields::coordinate(&columns(card, first)));
    match (x, y, z) {
        (Some(x), Some(y), Some(z)) => Ok(Vec3::new(x, y, z)),
        (None, ..) => Err(0),
        (_, None, _) => Err(1),
        _ => Err(2),
    }
}

// `N` columns from the first one on, which is counted from 1.
#[inline]
fn columns<const N: usize>(card: &Card, first: usize) -> [u8; N] {
    let mut field = [b' '; N];
    field.copy_from_slice(&card[first - 1..first - 1 + N]);
    field
}

// A code of one letter: 0 where it is blank, `?` where it is not printable.
#[inline]
fn letter(byte: u8) -> u8 {
    match byte {
        b' ' => 0,
        byte if byte.is_ascii_graphic() => byte,
        _ => b'?',
    }
}

// The file name without its endings.
fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let file = file.strip_suffix(".gz").unwrap_or(&file);
    let endings = [".pdb", ".ent", ".pdbqt", ".pdb1"];
    endings.iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file).to_owned()
}
