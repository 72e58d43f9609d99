//! Writes a packed system as packmol would.
//!
//! How it works: structures stand in the order of the input, the molecules of each one after another, and their atoms as in the
//! template. A PDB file is written by its sibling; here are XYZ, Tinker's files and CHARMM's.

use std::io::{self, Write};

use glam::DVec3;

use super::template::Template;
use super::{FileType, PackmolInput, write_pdb};
use crate::Pose;

/// A molecule on its way into a file.
///
/// ```
/// use steric_model::Pose;
/// use steric_model::formats::packmol::PackedMolecule;
///
/// let molecule = PackedMolecule { structure: 0, index: 0, pose: Pose::IDENTITY };
/// assert_eq!(molecule.index, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedMolecule {
    /// Its structure, by its place in the input.
    pub structure: usize,
    /// Its place among the molecules of that structure.
    pub index: usize,
    /// `world_from_template`, the template as it is in its file.
    pub pose: Pose,
}

/// A packed system.
pub(super) struct Packed<'a> {
    pub(super) input: &'a PackmolInput,
    pub(super) templates: &'a [Template],
    pub(super) poses: &'a [Vec<Pose>],
}

impl Packed<'_> {
    pub(super) fn molecules(&self) -> impl Iterator<Item = (PackedMolecule, &Template)> {
        self.poses.iter().enumerate().flat_map(move |(structure, poses)| {
            let molecule = move |(index, &pose)| PackedMolecule { structure, index, pose };
            poses.iter().enumerate().map(molecule).map(move |molecule| (molecule, &self.templates[structure]))
        })
    }

    fn atoms(&self) -> usize {
        self.molecules().map(|(_, template)| template.atoms.len()).sum()
    }
}

/// Writes a packed system in the file type of its input: `poses` are `world_from_template`, a list for each structure.
///
/// ```
/// use steric_model::Pose;
/// use steric_model::formats::packmol::{FileType, Template, read_packmol, write_packed};
///
/// let text = b"tolerance 2\nfiletype xyz\nstructure he.xyz\n number 2\n inside cube 0 0 0 9\nend structure\n";
/// let input = read_packmol(text, "he.inp".as_ref())?.value;
/// let helium = Template::read(b"1\nhelium\nHe 0 0 0\n", "he.xyz".as_ref(), FileType::Xyz)?.value;
/// let poses = vec![vec![Pose::IDENTITY, Pose::from_translation(glam::DVec3::X * 3.0)]];
/// let mut out = Vec::new();
/// write_packed(&mut out, &input, &[helium], &poses)?;
/// assert!(String::from_utf8(out)?.ends_with("  He           3.000000        0.000000        0.000000\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_packed(
    out: &mut dyn Write,
    input: &PackmolInput,
    templates: &[Template],
    poses: &[Vec<Pose>],
) -> io::Result<()> {
    let packed = Packed { input, templates, poses };
    match input.file_type {
        FileType::Pdb => write_pdb::write(&packed, out),
        FileType::Xyz => xyz(&packed, out),
        FileType::Tinker => tinker(&packed, out),
    }
}

fn xyz(packed: &Packed<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:12}\n  {:<64}", packed.atoms(), TITLE)?;
    for (molecule, template) in packed.molecules() {
        for atom in &template.atoms {
            let DVec3 { x, y, z } = molecule.pose * atom.position;
            writeln!(out, "  {:3}    {x:14.6}  {y:14.6}  {z:14.6}", atom.symbol)?;
        }
    }
    Ok(())
}

fn tinker(packed: &Packed<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:6}   {:<63}", packed.atoms(), TITLE)?;
    let mut first = 0;
    for (molecule, template) in packed.molecules() {
        for (number, atom) in (first + 1..).zip(&template.atoms) {
            let DVec3 { x, y, z } = molecule.pose * atom.position;
            write!(out, "{number:7}  {:3}  {x:10.6}  {y:10.6}  {z:10.6}", atom.symbol)?;
            for (at, bond) in atom.bonds.iter().enumerate() {
                // The type comes first, and is no number of an atom.
                write!(out, "  {:7}", if at == 0 { *bond } else { bond.saturating_add(first) })?;
            }
            writeln!(out)?;
        }
        first += template.atoms.len() as i64;
    }
    Ok(())
}

/// Writes a packed system of PDB templates as an extended CHARMM coordinate file.
///
/// ```
/// use steric_model::Pose;
/// use steric_model::formats::packmol::{FileType, Template, read_packmol, write_crd};
///
/// let input = read_packmol(b"tolerance 2\nstructure a.pdb\n fixed 0 0 0 0 0 0\nend structure\n", "a.inp".as_ref())?.value;
/// let zinc = b"HETATM    1  ZN   ZN A   7       1.000   2.000   3.000  1.00  0.00          ZN\n";
/// let zinc = Template::read(zinc, "a.pdb".as_ref(), FileType::Pdb)?.value;
/// let mut out = Vec::new();
/// write_crd(&mut out, &input, &[zinc], &[vec![Pose::IDENTITY]])?;
/// assert!(String::from_utf8(out)?.contains("         1         1  ZN        ZN      "));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_crd(
    out: &mut dyn Write,
    input: &PackmolInput,
    templates: &[Template],
    poses: &[Vec<Pose>],
) -> io::Result<()> {
    let packed = Packed { input, templates, poses };
    writeln!(out, "* TITLE {TITLE}\n* CHARMM coordinates\n*\n*\n*\n{:10}  EXT", packed.atoms())?;
    let segments = segments(input);
    let mut serial = 0u64;
    let mut numbers = write_pdb::Numbers::new(&packed, 99_999_999);
    for (molecule, template) in packed.molecules() {
        numbers.begin(&molecule);
        for atom in &template.atoms {
            serial += 1;
            let residue = numbers.residue(&molecule, &atom.record);
            let name =
                |range: std::ops::Range<usize>| String::from_utf8_lossy(&atom.record.names[range]).trim().to_owned();
            let (name, residue_name) = (name(1..5), name(6..10));
            let segment =
                if segments[molecule.structure].is_empty() { &residue_name } else { segments[molecule.structure] };
            let DVec3 { x, y, z } = molecule.pose * atom.position;
            writeln!(
                out,
                "{serial:10}{residue:10}  {residue_name:8}  {name:8}{x:20.10}{y:20.10}{z:20.10}  {segment:8}  {residue:<8}{:20.10}",
                0.0
            )?;
        }
        numbers.end(&molecule);
    }
    Ok(())
}

/// The segment of each structure: its own, or that of the one before.
fn segments(input: &PackmolInput) -> Vec<&String> {
    let mut last = None;
    let mut segments = Vec::with_capacity(input.structures.len());
    for structure in &input.structures {
        let own = Some(&structure.segment).filter(|segment| !segment.is_empty());
        last = own.or(last);
        segments.push(last.unwrap_or(&structure.segment));
    }
    segments
}

pub(super) const TITLE: &str = "Built with steric pack";
