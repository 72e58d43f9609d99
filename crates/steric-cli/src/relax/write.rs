//! The relaxed model as a file, and the report as a page.

use std::io::Write;
use std::path::Path;

use steric::model::Structure;
use steric::model::formats::{self, Format};
use steric::relax::Relaxation;
use steric::world::report::RelaxReport;

use crate::failure::Failure;
use crate::output;

/// What fits into the memory of a small machine, and into a file that anyone will open.
const MOST_ATOMS: usize = 200_000_000;

/// A file to write, in a format that can be written.
pub(crate) struct Target<'a> {
    pub(super) path: &'a Path,
    format: Format,
}

impl<'a> Target<'a> {
    /// Says at once when nothing can be written there.
    pub(crate) fn new(path: &'a Path) -> Result<Self, Failure> {
        let Some(format) = Format::from_path(path).filter(|format| format.is_written()) else {
            let expected = "an ending of a format that is written: .pdb, .cif, .bcif, .gro or .xyz, also with .gz";
            return Err(Failure::usage(format!("{}: expected {expected}", path.display())));
        };
        Ok(Self { path, format })
    }
}

/// Writes the molecules where they are now; returns how many atoms the file describes.
pub(super) fn model(relaxation: &Relaxation, target: &Target<'_>) -> Result<u64, Failure> {
    let structure = relaxation.structure().map_err(|error| Failure::usage(error.to_string()))?;
    structure_to(&structure, target)
}

/// Writes a structure; copies stay copies where the format has a word for them.
pub(crate) fn structure_to(structure: &Structure, target: &Target<'_>) -> Result<u64, Failure> {
    let Some(assembly) = structure.assemblies.first() else {
        formats::write(target.path, structure)?;
        return Ok(structure.atoms.len() as u64);
    };
    if matches!(target.format, Format::Mmcif | Format::Bcif) {
        formats::write(target.path, structure)?;
        let mut atoms_of_chain = vec![0u64; structure.chains.len()];
        for &residue in &structure.atoms.residues {
            atoms_of_chain[structure.residues[residue as usize].chain as usize] += 1;
        }
        let of_copies = |copies: &steric::model::Copies| -> u64 {
            let body: u64 = copies.chains.iter().map(|&chain| atoms_of_chain[chain as usize]).sum();
            body * copies.poses.len() as u64
        };
        return Ok(assembly.copies.iter().map(of_copies).sum());
    }
    let flat = structure.flat(assembly, MOST_ATOMS);
    let flat = flat.map_err(|error| Failure::usage(format!("{}: {error}", target.path.display())))?;
    formats::write(target.path, &flat)?;
    Ok(flat.atoms.len() as u64)
}

/// Writes the report as a page with plots.
pub(super) fn page(report: &RelaxReport, path: &Path) -> Result<(), Failure> {
    let page = crate::html::page(report, &report.scene, None);
    output::write_whole(path, |file| file.write_all(page.as_bytes()).map_err(|error| Failure::io(path, &error)))
}
