//! MOL2 files (Tripos), in angstroms.
//!
//! How it works: sections begin with `@<TRIPOS>`; each `MOLECULE` section opens a model. The fields of a line are
//! separated by blanks, a backslash at its end joins the next line, `#` opens a comment. Elements come from the SYBYL
//! type (`C.ar`); where the types are a force field's (`ca`, `hc`), from their first letter or from the atom's name.
//! Chains are only known from the `SUBSTRUCTURE` section behind the atoms, so a molecule is built at its end.

use std::path::Path;

use glam::{DVec3, Vec3};
use rustc_hash::FxHashMap;

use super::naming::element_of_name;
use super::text::{Line, Lines, position, stem};
use crate::{
    AtomRecord, Bond, Element, Name, Parsed, PeriodicBox, Place, ReadError, Structure, StructureBuilder, Warnings,
};

/// Reads a MOL2 file already in memory; `path` only serves messages and the name of an untitled file.
///
/// ```
/// use steric_model::{Bond, formats::mol2::read_mol2};
///
/// let text = b"@<TRIPOS>MOLECULE\ncarbon monoxide\n2 1\nSMALL\nNO_CHARGES
/// @<TRIPOS>ATOM
/// 1 C1 0.0   0.0 0.0 C.1 1 CMO
/// 2 O1 1.128 0.0 0.0 O.2 1 CMO
/// @<TRIPOS>BOND
/// 1 1 2 3
/// ";
/// let molecule = read_mol2(text, "co.mol2".as_ref())?.value;
/// assert_eq!(molecule.atoms.types[0].as_str(), "C.1");
/// assert_eq!(molecule.bonds, [Bond { first: 0, second: 1, order: 3 }]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_mol2(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    let builder = StructureBuilder::new(String::new(), bytes.len() / 75);
    let mut reader = Reader { path, warnings: Warnings::default(), builder, models: 0, has_charges: false };
    let mut section = Section::Other;
    let mut molecule = None;
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        let text = line.text.trim_ascii();
        if let Some(name) = text.strip_prefix(b"@<TRIPOS>") {
            section = Section::of(name);
            if section == Section::Molecule {
                reader.finish(molecule.take());
                molecule = Some(Molecule { title: read_title(&mut lines), ..Molecule::default() });
            }
        } else if !text.is_empty() && !text.starts_with(b"#") && section.is_read() {
            let joined = join(line.text, &mut lines);
            let entry = Line { number: line.number, text: joined.as_deref().unwrap_or(line.text) };
            let molecule = molecule.as_mut().ok_or_else(|| line.error(path, "@<TRIPOS>MOLECULE first"))?;
            reader.read_entry(section, entry, molecule)?;
        }
    }
    reader.finish(molecule);
    reader.into_parsed()
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Molecule,
    Atom,
    Bond,
    Substructure,
    Crystal,
    Other,
}

impl Section {
    fn of(name: &[u8]) -> Self {
        match name.trim_ascii() {
            b"MOLECULE" => Self::Molecule,
            b"ATOM" => Self::Atom,
            b"BOND" => Self::Bond,
            b"SUBSTRUCTURE" => Self::Substructure,
            b"CRYSIN" => Self::Crystal,
            _ => Self::Other,
        }
    }

    // The lines behind the title of a molecule hold counts and kinds, which the other sections show anyway.
    fn is_read(self) -> bool {
        !matches!(self, Self::Molecule | Self::Other)
    }
}

#[derive(Default)]
struct Molecule {
    title: String,
    atoms: Vec<Atom>,
    index_of: FxHashMap<i64, u32>,
    bonds: Vec<Bond>,
    chain_of: FxHashMap<i32, String>,
}

struct Atom {
    position: Vec3,
    name: Name,
    kind: Name,
    serial: i32,
    substructure: i32,
    residue_name: Name,
    residue_number: i32,
    charge: Option<f32>,
}

struct Reader<'p> {
    path: &'p Path,
    warnings: Warnings,
    builder: StructureBuilder,
    models: i32,
    has_charges: bool,
}

impl Reader<'_> {
    fn read_entry(&mut self, section: Section, line: Line<'_>, molecule: &mut Molecule) -> Result<(), ReadError> {
        match section {
            Section::Atom => self.read_atom(line, molecule),
            Section::Bond => self.read_bond(line, molecule),
            Section::Substructure => {
                read_substructure(line, molecule);
                Ok(())
            }
            Section::Crystal => {
                self.read_crystal(line);
                Ok(())
            }
            Section::Molecule | Section::Other => Ok(()),
        }
    }

    // `id name x y z type [substructure [name [charge [status]]]]`
    fn read_atom(&mut self, line: Line<'_>, molecule: &mut Molecule) -> Result<(), ReadError> {
        let mut fields = line.fields();
        let id = fields.next().and_then(|field| field.integer());
        let id = id.ok_or_else(|| line.error(self.path, "an atom's number"))?;
        let name = fields.next().map_or(Name::default(), |field| Name::from_bytes(field.text));
        let position = position(line, fields.by_ref().take(3), self.path)?;
        let kind = fields.next().ok_or_else(|| line.error(self.path, "an atom's type"))?;
        let substructure = fields.next().and_then(|field| field.integer()).unwrap_or(1) as i32;
        let label = fields.next().map_or(&b""[..], |field| field.text);
        let charge = match fields.next() {
            Some(field) => Some(field.expect_float(self.path, "a partial charge")? as f32),
            None => None,
        };
        let (residue_name, residue_number) = split_label(label, substructure);
        molecule.index_of.insert(id, molecule.atoms.len() as u32);
        molecule.atoms.push(Atom {
            position,
            name,
            kind: Name::from_bytes(kind.text),
            serial: i32::try_from(id).unwrap_or(0),
            substructure,
            residue_name,
            residue_number,
            charge,
        });
        Ok(())
    }

    // `id first second type`
    fn read_bond(&mut self, line: Line<'_>, molecule: &mut Molecule) -> Result<(), ReadError> {
        let mut fields = line.fields().skip(1);
        let mut atom = || {
            let field = fields.next().ok_or_else(|| line.error(self.path, "two atoms and the type of their bond"))?;
            let index = field.integer().and_then(|id| molecule.index_of.get(&id));
            index.copied().ok_or_else(|| field.error(self.path, "the number of an atom above"))
        };
        let (first, second) = (atom()?, atom()?);
        let order = match fields.next().map(|field| field.text) {
            Some(b"1" | b"am") => 1,
            Some(b"2") => 2,
            Some(b"3") => 3,
            Some(b"ar") => 4,
            Some(b"nc") => return Ok(()), // not connected
            _ => 0,
        };
        if first == second {
            self.warnings.push(Place::Line(line.number, None), || "an atom is bonded to itself".into());
        } else {
            molecule.bonds.push(Bond { first: first.min(second), second: first.max(second), order });
        }
        Ok(())
    }

    // `a b c alpha beta gamma space-group setting`
    fn read_crystal(&mut self, line: Line<'_>) {
        let numbers: Vec<f64> = line.fields().map_while(|field| field.float()).collect();
        let structure = self.builder.structure_mut();
        if let [a, b, c, alpha, beta, gamma, ..] = numbers[..]
            && structure.periodic_box.is_none()
        {
            let angles = DVec3::new(alpha, beta, gamma);
            structure.periodic_box = PeriodicBox::from_edges_and_angles(DVec3::new(a, b, c), angles);
            // The file gives the group by its number in the International Tables; only the first one is plain.
            let is_p1 = structure.periodic_box.is_some() && numbers.get(6) == Some(&1.0);
            structure.space_group = if is_p1 { "P 1".into() } else { String::new() };
        }
    }

    fn finish(&mut self, molecule: Option<Molecule>) {
        let Some(molecule) = molecule else { return };
        self.models = self.models.saturating_add(1);
        if self.models == 1 {
            self.builder.structure_mut().name = molecule.title.clone();
        }
        if molecule.atoms.is_empty() {
            let title = &molecule.title;
            self.warnings.push(Place::File, || format!("molecule {title:?} has no atoms"));
        }
        self.builder.start_model(self.models);
        let start = self.builder.len() as u32;
        let first_chain = self.builder.structure_mut().chains.len();
        for atom in &molecule.atoms {
            self.push_atom(atom, &molecule);
        }
        let structure = self.builder.structure_mut();
        let bonds = molecule.bonds.iter();
        let bonds = bonds.map(|bond| Bond { first: bond.first + start, second: bond.second + start, ..*bond });
        structure.bonds.extend(bonds);
        for chain in &mut structure.chains[first_chain..] {
            chain.description = molecule.title.as_str().into();
        }
    }

    fn push_atom(&mut self, atom: &Atom, molecule: &Molecule) {
        let chain = molecule.chain_of.get(&atom.substructure).map_or("", String::as_str);
        let element = element_of_type(atom.kind.as_bytes(), atom.name.as_bytes(), molecule.atoms.len() == 1);
        self.builder.push(AtomRecord {
            position: atom.position,
            element,
            name: atom.name,
            serial: atom.serial,
            occupancy: 1.0,
            residue_name: atom.residue_name,
            residue_number: atom.residue_number,
            hetero: true,
            chain,
            ..AtomRecord::default()
        });
        let atoms = &mut self.builder.structure_mut().atoms;
        atoms.types.push(atom.kind);
        atoms.partial_charges.push(atom.charge.unwrap_or(0.0));
        self.has_charges |= atom.charge.is_some();
    }

    fn into_parsed(self) -> Result<Parsed<Structure>, ReadError> {
        let mut structure = self.builder.finish();
        if structure.atoms.is_empty() {
            return Err(ReadError::content(self.path, Place::File, "at least one atom", "none"));
        }
        if !self.has_charges {
            structure.atoms.partial_charges.clear();
        }
        if structure.name.is_empty() {
            structure.name = stem(self.path);
        }
        Ok(Parsed { value: structure, warnings: self.warnings })
    }
}

// The line behind `MOLECULE`; comments may stand before it, and the next section where there is none.
fn read_title(lines: &mut Lines<'_>) -> String {
    let mut ahead = lines.clone();
    while let Some(line) = ahead.next() {
        if line.text.starts_with(b"@<TRIPOS>") {
            break;
        }
        *lines = ahead.clone();
        if !line.text.starts_with(b"#") {
            let title = String::from_utf8_lossy(line.text).trim().to_owned();
            return if title == "****" { String::new() } else { title };
        }
    }
    String::new()
}

// `id name root type dictionary chain ...`; `****` is an empty string.
fn read_substructure(line: Line<'_>, molecule: &mut Molecule) {
    let id = line.fields().next().and_then(|field| field.integer());
    let chain = line.fields().nth(5).map(|field| field.string()).filter(|chain| chain != "****");
    if let (Some(id), Some(chain)) = (id, chain) {
        molecule.chain_of.insert(id as i32, chain);
    }
}

// `None` where nothing had to be joined.
fn join(line: &[u8], lines: &mut Lines<'_>) -> Option<Vec<u8>> {
    let mut joined = line.trim_ascii_end().strip_suffix(b"\\")?.to_vec();
    for line in lines.by_ref() {
        joined.push(b' ');
        match line.text.trim_ascii_end().strip_suffix(b"\\") {
            Some(part) => joined.extend_from_slice(part),
            None => {
                joined.extend_from_slice(line.text);
                break;
            }
        }
    }
    Some(joined)
}

// A substructure is called `ALA12`, `E4Y401` or just `G39`: the number is split off where it is the substructure's
// own, or where at least three letters stand before it.
fn split_label(label: &[u8], substructure: i32) -> (Name, i32) {
    if label.is_empty() || label == b"****" || label == b"<0>" {
        return (Name::new("UNL"), substructure);
    }
    if let Some(name) = label.strip_suffix(substructure.to_string().as_bytes()).filter(|name| !name.is_empty()) {
        return (Name::from_bytes(name), substructure);
    }
    let letters = label.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let number = std::str::from_utf8(&label[letters..]).ok().and_then(|number| number.parse().ok());
    match number.filter(|_| letters >= 3) {
        Some(number) => (Name::from_bytes(&label[..letters]), number),
        None => (Name::from_bytes(label), substructure),
    }
}

fn element_of_type(kind: &[u8], name: &[u8], alone: bool) -> Element {
    let symbol = kind.split(|&byte| byte == b'.').next().unwrap_or_default();
    // Dummies, lone pairs and wildcards.
    if [&b"Du"[..], b"LP", b"Any", b"Hal", b"Het", b"Hev"].contains(&symbol) {
        return Element::UNKNOWN;
    }
    // SYBYL writes elements as chemists do; `CA` and `ca` are carbons of AMBER and GAFF.
    let is_sybyl = symbol.first().is_some_and(u8::is_ascii_uppercase) && symbol[1..].iter().all(u8::is_ascii_lowercase);
    let by_type = if is_sybyl { Element::from_symbol(symbol) } else { None };
    by_type.unwrap_or_else(|| match element_of_name(symbol, false) {
        Element::UNKNOWN => element_of_name(name, alone),
        element => element,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substructures_are_split_into_name_and_number() {
        let cases = [("ALA12", 3, "ALA", 12), ("E4Y401", 401, "E4Y", 401), ("G39", 1, "G39", 1), ("****", 7, "UNL", 7)];
        for (label, substructure, name, number) in cases {
            assert_eq!(split_label(label.as_bytes(), substructure), (Name::new(name), number), "{label}");
        }
    }

    #[test]
    fn sybyl_and_gaff_types_give_elements() {
        for (kind, symbol) in [
            ("C.ar", "C"),
            ("Ca", "Ca"),
            ("ca", "C"),
            ("cl", "Cl"),
            ("CA", "C"),
            ("CL", "Cl"),
            ("N.pl3", "N"),
            ("Du", "X"),
            ("LP", "X"),
        ] {
            assert_eq!(element_of_type(kind.as_bytes(), b"", false).symbol(), symbol, "{kind}");
        }
    }
}
