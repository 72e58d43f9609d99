//! Models written to files, copies as copies where the format has a word for them.

use std::borrow::Cow;
use std::path::Path;

use steric_model::formats::{self, Format};
use steric_model::{Copies, ExpandError, Structure, WriteError};

/// What fits into the memory of a small machine, and into a file that anyone will open.
const MOST_ATOMS: usize = 200_000_000;

/// Why a model was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The file's ending says nothing that can be written.
    #[error("{0}: expected an ending of a format that is written: .pdb, .cif, .bcif, .gro or .xyz, also with .gz")]
    Ending(String),
    /// Every copy as atoms of its own would be too much.
    #[error("{file}: {source}")]
    Flat {
        /// The file.
        file: String,
        /// Why.
        source: ExpandError,
    },
    /// The file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The format of a file that can be written.
///
/// ```
/// use steric::save::written_format;
///
/// assert!(written_format("packed.bcif".as_ref()).is_ok());
/// assert!(written_format("packed.txt".as_ref()).is_err());
/// ```
pub fn written_format(path: &Path) -> Result<Format, SaveError> {
    let format = Format::from_path(path).filter(|format| format.is_written());
    format.ok_or_else(|| SaveError::Ending(path.display().to_string()))
}

/// Writes a structure, format by the file's ending; copies stay copies where the format has a word for them, and become atoms of their own
/// elsewhere. Returns how many atoms the file describes.
///
/// ```
/// use steric::model::Structure;
/// use steric::save::write_model;
///
/// let wrong = write_model("model.doc".as_ref(), &Structure::default());
/// assert!(wrong.is_err_and(|error| error.to_string().starts_with("model.doc: expected an ending")));
/// ```
pub fn write_model(path: &Path, structure: &Structure) -> Result<u64, SaveError> {
    let (structure, atoms) = as_written(path, structure)?;
    formats::write(path, &structure)?;
    Ok(atoms)
}

/// The bytes of the file that [`write_model`] would write, for those who have no files.
///
/// ```
/// use steric::model::formats::xyz::read_xyz;
/// use steric::save::model_bytes;
///
/// let zinc = read_xyz(b"1\nzinc\nZn 1 2 3\n", "zinc.xyz".as_ref())?.value;
/// assert!(model_bytes("zinc.pdb".as_ref(), &zinc)?.ends_with(b"END\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn model_bytes(path: &Path, structure: &Structure) -> Result<Vec<u8>, SaveError> {
    Ok(formats::to_bytes(path, &as_written(path, structure)?.0)?)
}

/// A structure as the format of a file takes it, and how many atoms it describes then.
fn as_written<'a>(path: &Path, structure: &'a Structure) -> Result<(Cow<'a, Structure>, u64), SaveError> {
    let format = written_format(path)?;
    let Some(assembly) = structure.assemblies.first() else {
        return Ok((Cow::Borrowed(structure), structure.atoms.len() as u64));
    };
    if matches!(format, Format::Mmcif | Format::Bcif) {
        let mut atoms_of_chain = vec![0u64; structure.chains.len()];
        for &residue in &structure.atoms.residues {
            atoms_of_chain[structure.residues[residue as usize].chain as usize] += 1;
        }
        let of_copies = |copies: &Copies| -> u64 {
            let body: u64 = copies.chains.iter().map(|&chain| atoms_of_chain[chain as usize]).sum();
            body * copies.poses.len() as u64
        };
        return Ok((Cow::Borrowed(structure), assembly.copies.iter().map(of_copies).sum()));
    }
    let flat = structure.flat(assembly, MOST_ATOMS);
    let flat = flat.map_err(|source| SaveError::Flat { file: path.display().to_string(), source })?;
    let atoms = flat.atoms.len() as u64;
    Ok((Cow::Owned(flat), atoms))
}
