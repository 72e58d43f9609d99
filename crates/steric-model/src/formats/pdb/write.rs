//! Writes a structure as wwPDB format 3.3, with hybrid-36 numbers and chains of up to two letters.
//!
//! How it works: everything that the columns may not hold is checked first, so that a refused structure leaves no half
//! file. Then follow the entry id, the unit cell, `REMARK 350`, the models with `TER` after the last polymer atom of each
//! chain, and `CONECT` for bonds of hetero groups and between residues that are not neighbours.
//!
//! Serials are kept if they rise within every model, and counted from 1 otherwise. A chain name longer than two letters
//! is refused, not shortened: the caller knows better which names its reader can do without.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::Range;

use super::hybrid36;
use super::layout::is_polymer_or_water;
use crate::{Assembly, Bond, Chain, Copies, Element, Pose, Residue, Structure};

/// Writes a structure as PDB; what the columns cannot hold is `InvalidInput`, before anything was written.
///
/// Occupancies and B factors outside their columns are cut to the nearest value that fits, as the wwPDB does.
/// An assembly called `ncs` is written as `MTRIX`, all others as `REMARK 350`.
///
/// ```
/// use std::path::Path;
/// use steric_model::formats::pdb::{read_pdb, write_pdb};
///
/// let text = b"HETATM    1 ZN    ZN A 300      11.111  -2.222    .333  1.00  9.99          ZN2+\n";
/// let mut out = Vec::new();
/// write_pdb(&read_pdb(text, Path::new("zinc.pdb"))?.value, &mut out)?;
/// assert!(out.starts_with(b"HETATM    1 ZN    ZN A 300      11.111  -2.222   0.333  1.00  9.99          ZN2+\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_pdb(structure: &Structure, out: &mut dyn Write) -> io::Result<()> {
    let writer = Writer::new(structure)?;
    let mut head = String::new();
    writer.head(&mut head)?;
    let conect = writer.connections();
    out.write_all(head.as_bytes())?;
    for (index, (number, atoms)) in writer.models.iter().enumerate() {
        writer.model(index, *number, atoms.clone(), out)?;
    }
    out.write_all(conect.as_bytes())?;
    out.write_all(b"END\n")
}

fn refuse<T>(sentence: impl Into<String>) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidInput, sentence.into()))
}

struct Writer<'a> {
    structure: &'a Structure,
    models: Vec<(i32, Range<usize>)>,
    /// The last atom of each chain that is no hetero group.
    last_of_polymer: Vec<Option<usize>>,
    serials_kept: bool,
}

impl<'a> Writer<'a> {
    fn new(structure: &'a Structure) -> io::Result<Self> {
        let atoms = structure.atoms.len();
        let model = |model: &crate::Model| (model.number, model.atoms.start as usize..model.atoms.end as usize);
        let mut models: Vec<_> = structure.models.iter().map(model).collect();
        if models.is_empty() {
            models.push((1, 0..atoms));
        }
        if models.iter().any(|(_, range)| range.end > atoms || range.start > range.end) {
            return refuse("a model reaches beyond the last atom");
        }
        let serials = &structure.atoms.serials;
        let rising = |range: &Range<usize>| serials.get(range.clone()).is_some_and(|s| s.is_sorted_by(|a, b| a < b));
        let in_columns = serials.iter().all(|&serial| hybrid36::encode::<5>(serial).is_some());
        let serials_kept = in_columns && models.iter().all(|(_, range)| rising(range));
        let last_of_polymer = vec![None; structure.chains.len()];
        let mut writer = Self { structure, models, last_of_polymer, serials_kept };
        writer.check_atoms()?;
        writer.check_chains()?;
        Ok(writer)
    }

    fn check_atoms(&mut self) -> io::Result<()> {
        let lengths = [self.structure.atoms.names.len(), self.structure.atoms.residues.len()];
        if lengths.iter().any(|&length| length != self.structure.atoms.len()) {
            return refuse("every atom needs a name and a residue");
        }
        for atom in 0..self.structure.atoms.len() {
            let (residue, _) = self.residue_of(atom)?;
            if !residue.hetero {
                self.last_of_polymer[residue.chain as usize] = Some(atom);
            }
            if self.structure.atoms.names[atom].as_bytes().len() > 4 {
                return refuse(format!("the name of {} has more than four letters", self.describe(atom)));
            }
            let position = self.structure.atoms.positions[atom];
            if position.to_array().into_iter().any(|value| thousandths(value).is_none()) {
                return refuse(format!(
                    "{} at ({}, {}, {}) is outside the columns of a PDB file, -999.999 to 9999.999 angstroms",
                    self.describe(atom),
                    position.x,
                    position.y,
                    position.z
                ));
            }
        }
        if !self.serials_kept && self.models.iter().any(|(_, range)| range.len() > 80_000_000) {
            return refuse("more than 80,000,000 atoms in a model do not fit in hybrid-36 serials");
        }
        Ok(())
    }

    // Residues, chains, and the two of them sharing column 21.
    fn check_chains(&self) -> io::Result<()> {
        let Structure { chains, residues, .. } = self.structure;
        if let Some(long) = chains.iter().find(|chain| chain.name.len() > 2 || !chain.name.is_ascii()) {
            return refuse(format!("chain {:?} has a name of more than two letters; rename it first", long.name));
        }
        let two_letters = chains.iter().any(|chain| chain.name.len() == 2);
        for residue in residues {
            let Residue { name, number, .. } = residue;
            if name.as_bytes().len() > 4 {
                return refuse(format!("residue {name} {number} has a name of more than four letters"));
            }
            if hybrid36::encode::<4>(*number).is_none() {
                return refuse(format!("the number of residue {name} {number} does not fit in four columns"));
            }
            if two_letters && name.as_bytes().len() == 4 {
                return refuse(format!("residue {name} {number} needs column 21, and so do chains of two letters"));
            }
        }
        Ok(())
    }

    fn residue_of(&self, atom: usize) -> io::Result<(&'a Residue, &'a Chain)> {
        let index = self.structure.atoms.residues[atom] as usize;
        let residue = self.structure.residues.get(index);
        let chain = residue.and_then(|residue| self.structure.chains.get(residue.chain as usize));
        match (residue, chain) {
            (Some(residue), Some(chain)) => Ok((residue, chain)),
            _ => refuse(format!("atom {atom} belongs to a residue or chain that is not there")),
        }
    }

    fn describe(&self, atom: usize) -> String {
        let name = self.structure.atoms.names[atom];
        match self.residue_of(atom) {
            Ok((residue, chain)) => {
                format!("atom {name} of {} {} in chain {:?}", residue.name, residue.number, chain.name)
            }
            Err(_) => format!("atom {name}"),
        }
    }

    fn serial(&self, atom: usize, model: &Range<usize>) -> i32 {
        match self.serials_kept {
            true => self.structure.atoms.serials[atom],
            false => (atom - model.start) as i32 + 1,
        }
    }

    fn head(&self, head: &mut String) -> io::Result<()> {
        let name = &self.structure.name;
        if name.len() == 4 && name.starts_with(|c: char| c.is_ascii_digit()) && name.is_ascii() {
            put(head, format_args!("HEADER{:56}{name}\n", ""));
        }
        let ncs = self.crystallographic_copies();
        for assembly in self.structure.assemblies.iter().filter(|_| ncs.is_none()) {
            self.biomolecule(assembly, head)?;
        }
        if let Some(periodic_box) = &self.structure.periodic_box {
            let (edges, angles) = (periodic_box.edges(), periodic_box.angles_degrees());
            if edges.max_element() >= 99_999.0 || self.structure.space_group.len() > 11 {
                return refuse("the unit cell does not fit in the columns of CRYST1");
            }
            let [a, b, c, alpha, beta, gamma] = [edges.x, edges.y, edges.z, angles.x, angles.y, angles.z];
            let space_group = &self.structure.space_group;
            put(
                head,
                format_args!("CRYST1{a:9.3}{b:9.3}{c:9.3}{alpha:7.2}{beta:7.2}{gamma:7.2} {space_group:<11}{:4}\n", 1),
            );
        }
        for (number, pose) in ncs.into_iter().flat_map(|copies| &copies.poses).enumerate() {
            self.operator(*pose, number + 1, "MTRIX", head)?;
        }
        Ok(())
    }

    // MTRIX moves all chains together and counts only where there is no REMARK 350.
    fn crystallographic_copies(&self) -> Option<&'a Copies> {
        let [assembly] = self.structure.assemblies.as_slice() else { return None };
        let [copies] = assembly.copies.as_slice() else { return None };
        let chains = self.structure.chains.iter().filter(|chain| chain.model == 0).count();
        (assembly.id == "ncs" && copies.chains.len() == chains).then_some(copies)
    }

    fn biomolecule(&self, assembly: &Assembly, head: &mut String) -> io::Result<()> {
        put(head, format_args!("REMARK 350 BIOMOLECULE: {}\n", assembly.id.replace(['\n', '\r'], " ")));
        let mut number = 0;
        for copies in &assembly.copies {
            let names = self.chain_names(assembly, copies)?;
            for (line, names) in names.chunks(10).enumerate() {
                let start = if line == 0 { "APPLY THE FOLLOWING TO CHAINS:" } else { "                   AND CHAINS:" };
                put(head, format_args!("REMARK 350 {start} {}\n", names.join(", ")));
            }
            for pose in &copies.poses {
                number += 1;
                self.operator(*pose, number, "REMARK 350   BIOMT", head)?;
            }
        }
        Ok(())
    }

    // REMARK 350 copies all atoms of a chain name, of the only or first model.
    fn chain_names(&self, assembly: &Assembly, copies: &Copies) -> io::Result<Vec<&'a str>> {
        let chains = &self.structure.chains;
        let mut copied = vec![false; chains.len()];
        let mut names = Vec::new();
        for &chain in &copies.chains {
            match chains.get(chain as usize) {
                Some(found) if found.model == 0 => {
                    copied[chain as usize] = true;
                    names.push(if found.name.is_empty() { "NULL" } else { found.name.as_str() });
                }
                _ => return refuse(format!("assembly {} copies a chain beyond the first model", assembly.id)),
            }
        }
        names.sort_unstable();
        names.dedup();
        let partly = chains
            .iter()
            .zip(&copied)
            .find(|(chain, copied)| !**copied && chain.model == 0 && names.binary_search(&chain.name.as_str()).is_ok());
        match partly {
            Some((chain, _)) => refuse(format!("assembly {} copies only a part of chain {}", assembly.id, chain.name)),
            None => Ok(names),
        }
    }

    fn operator(&self, pose: Pose, number: usize, keyword: &str, head: &mut String) -> io::Result<()> {
        let (mtrix, translation) = (keyword == "MTRIX", pose.translation.to_array());
        let (most_operators, most_shift) = if mtrix { (999, 9999.0) } else { (9999, 9_999_999.0) };
        if number > most_operators || !pose.translation.is_finite() || pose.translation.abs().max_element() > most_shift
        {
            return refuse(format!("operator {number} of an assembly does not fit in the columns of {keyword}"));
        }
        let rotation = glam::DMat3::from_quat(pose.rotation);
        for (row, shift) in translation.into_iter().enumerate() {
            let [x, y, z] = rotation.row(row).to_array();
            let row = row + 1;
            if mtrix {
                let given = if pose == Pose::IDENTITY { "1" } else { " " };
                put(head, format_args!("MTRIX{row} {number:3}{x:10.6}{y:10.6}{z:10.6}     {shift:10.5}    {given}\n"));
            } else {
                put(head, format_args!("{keyword}{row}{number:4}{x:10.6}{y:10.6}{z:10.6}{shift:15.5}\n"));
            }
        }
        Ok(())
    }

    fn model(&self, index: usize, number: i32, atoms: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        let ensemble = self.models.len() > 1 || number != 1;
        if ensemble {
            writeln!(out, "MODEL     {number:4}")?;
        }
        let mut block = Vec::with_capacity(1 << 16);
        for atom in atoms.clone() {
            let (residue, chain) = self.residue_of(atom)?;
            let serial = self.serial(atom, &atoms);
            self.atom(atom, serial, residue, chain, &mut block);
            if self.last_of_polymer[residue.chain as usize] == Some(atom) && chain.model as usize == index {
                terminate(serial.saturating_add(1), residue, chain, &mut block);
            }
            if block.len() > (1 << 16) - 200 {
                out.write_all(&block)?;
                block.clear();
            }
        }
        out.write_all(&block)?;
        if ensemble { out.write_all(b"ENDMDL\n") } else { Ok(()) }
    }

    fn atom(&self, atom: usize, serial: i32, residue: &Residue, chain: &Chain, out: &mut Vec<u8>) {
        let atoms = &self.structure.atoms;
        let element = atoms.elements.get(atom).copied().unwrap_or_default();
        let mut line = [b' '; 81];
        line[..6].copy_from_slice(if residue.hetero { b"HETATM" } else { b"ATOM  " });
        line[6..11].copy_from_slice(&hybrid36::encode::<5>(serial).unwrap_or(*b"*****"));
        let name = atoms.names[atom].as_bytes();
        let start = 12 + usize::from(!fills_column_13(name, element));
        line[start..start + name.len()].copy_from_slice(name);
        line[16] = code(atoms.alternates.get(atom));
        residue_columns(residue, chain, &mut line);
        for (axis, value) in atoms.positions[atom].to_array().into_iter().enumerate() {
            decimals::<8>(thousandths(value).unwrap_or_default(), 3, &mut line[30 + 8 * axis..38 + 8 * axis]);
        }
        decimals::<6>(hundredths(atoms.occupancies.get(atom).copied().unwrap_or(1.0)), 2, &mut line[54..60]);
        decimals::<6>(hundredths(atoms.b_factors.get(atom).copied().unwrap_or_default()), 2, &mut line[60..66]);
        let symbol = element.symbol().as_bytes();
        line[78 - symbol.len()..78].copy_from_slice(symbol);
        line[76..78].make_ascii_uppercase();
        let charge = atoms.formal_charges.get(atom).copied().unwrap_or_default();
        if (1..=9).contains(&charge.unsigned_abs()) {
            line[78..80].copy_from_slice(&[b'0' + charge.unsigned_abs(), if charge > 0 { b'+' } else { b'-' }]);
        }
        line[80] = b'\n';
        out.extend_from_slice(&line);
    }

    fn connections(&self) -> String {
        let Some((_, first)) = self.models.first() else { return String::new() };
        let wanted = |bond: &&Bond| {
            let inside = first.contains(&(bond.first as usize)) && first.contains(&(bond.second as usize));
            inside && self.is_told(bond)
        };
        let times = |bond: &Bond| if bond.order == 2 || bond.order == 3 { usize::from(bond.order) } else { 1 };
        let mut partners: Vec<(i32, i32)> = Vec::new();
        for bond in self.structure.bonds.iter().filter(wanted) {
            let ends = [bond.first, bond.second].map(|atom| self.serial(atom as usize, first));
            for _ in 0..times(bond) {
                partners.extend([(ends[0], ends[1]), (ends[1], ends[0])]);
            }
        }
        partners.sort_unstable();
        let mut text = String::new();
        for of_one_atom in partners.chunk_by(|a, b| a.0 == b.0) {
            for four in of_one_atom.chunks(4) {
                let serials = std::iter::once(four[0].0).chain(four.iter().map(|pair| pair.1));
                let fields = serials.map(|serial| hybrid36::encode::<5>(serial).unwrap_or(*b"*****"));
                text.push_str("CONECT");
                fields.for_each(|field| text.push_str(&String::from_utf8_lossy(&field)));
                text.push('\n');
            }
        }
        text
    }

    // Bonds within standard residues and along the chain are known from the residues' names.
    fn is_told(&self, bond: &Bond) -> bool {
        let indices = [bond.first, bond.second].map(|atom| self.structure.atoms.residues[atom as usize]);
        let [first, second] = indices.map(|residue| self.structure.residues[residue as usize]);
        let known = |residue: &Residue| !residue.hetero && is_polymer_or_water(residue.name.as_bytes());
        let neighbours = first.chain == second.chain && indices[0].abs_diff(indices[1]) <= 1;
        !known(&first) || !known(&second) || !neighbours
    }
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(line);
}

// Symbols of two letters and names of four start in column 13, all others in column 14.
fn fills_column_13(name: &[u8], element: Element) -> bool {
    let symbol = element.symbol().as_bytes();
    name.len() == 4 || (symbol.len() == 2 && name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(symbol)))
}

fn code(letter: Option<&u8>) -> u8 {
    letter.copied().filter(u8::is_ascii_graphic).unwrap_or(b' ')
}

// Columns 18-27; the checks have made sure that everything fits.
fn residue_columns(residue: &Residue, chain: &Chain, line: &mut [u8; 81]) {
    let name = residue.name.as_bytes();
    let start = if name.len() < 3 { 20 - name.len() } else { 17 };
    line[start..start + name.len()].copy_from_slice(name);
    let chain = chain.name.as_bytes();
    line[22 - chain.len()..22].copy_from_slice(chain);
    line[22..26].copy_from_slice(&hybrid36::encode::<4>(residue.number).unwrap_or(*b"****"));
    line[26] = code(Some(&residue.insertion));
}

fn terminate(serial: i32, residue: &Residue, chain: &Chain, out: &mut Vec<u8>) {
    let mut line = [b' '; 81];
    line[..3].copy_from_slice(b"TER");
    line[6..11].copy_from_slice(&hybrid36::encode::<5>(serial).unwrap_or(*b"*****"));
    residue_columns(residue, chain, &mut line);
    line[80] = b'\n';
    out.extend_from_slice(&line);
}

fn thousandths(value: f32) -> Option<i64> {
    let thousandths = (f64::from(value) * 1000.0).round();
    (-999_999.0..=9_999_999.0).contains(&thousandths).then_some(thousandths as i64)
}

fn hundredths(value: f32) -> i64 {
    (f64::from(value) * 100.0).round().clamp(-9_999.0, 99_999.0) as i64
}

// A number in fixed point, right-aligned; at least one digit before the point.
fn decimals<const W: usize>(value: i64, places: usize, field: &mut [u8]) {
    let mut rest = value.unsigned_abs();
    let mut at = W;
    for place in 0.. {
        if place == places {
            at -= 1;
            field[at] = b'.';
        }
        if at == 0 || (place > places && rest == 0) {
            break;
        }
        at -= 1;
        field[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if value < 0 && at > 0 {
        field[at - 1] = b'-';
    }
}
