//! `steric convert`: the same molecules in another format.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use steric::model::formats::{self, Format};
use steric::model::{AssemblyChoice, Pose, Structure};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict, Wrote};
use crate::table::{counted, thousands};

/// What fits into the memory of a small machine.
const MOST_ATOMS: usize = 50_000_000;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The file to read
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Write every copy of the first assembly (or of the packed scene) as atoms of its own
    #[arg(long)]
    expand: bool,
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let Some(path) = &shared.output else {
        return Err(Failure::usage("convert: expected -o FILE, found none; its ending names the format"));
    };
    output::check_outputs(std::slice::from_ref(&arguments.input), [Some(path.as_path())])?;
    // A wrong ending should not cost the time to read a large file.
    let Some(format) = Format::from_path(path).filter(|format| format.is_written()) else {
        let found = Format::from_path(path).map_or("an unknown one", Format::name);
        let expected = "an ending of a format that is written: .pdb, .cif, .bcif, .gro or .xyz, also with .gz";
        return Err(Failure::usage(format!("{}: expected {expected}; found {found}", path.display())));
    };
    let mut structure = output::read(&arguments.input, shared)?.structure;
    let (mut copies_left_out, mut chains_renamed) = (0, 0);
    if arguments.expand {
        structure = expanded(&structure, &arguments.input)?;
    } else if matches!(format, Format::Gro | Format::Xyz) {
        copies_left_out = note_copies(&structure, shared);
    }
    if format == Format::Pdb {
        chains_renamed = shorten_names(&mut structure, path, shared)?;
    }
    formats::write(path, &structure)?;
    let atoms = structure.atoms.len() as u64;
    output::wrote(shared, &Wrote { file: path, atoms, copies_left_out, chains_renamed })?;
    Ok(Verdict::Clean)
}

/// GRO and XYZ have no word for copies: what they leave out is said.
fn note_copies(structure: &Structure, shared: &Shared) -> u64 {
    let Some(assembly) = AssemblyChoice::Auto.assembly(structure) else { return 0 };
    // What stands at its own place is written; what moves together (a chain and its waters in two rows) is one copy.
    let poses = assembly.copies.iter().flat_map(|copies| &copies.poses);
    let moved = poses.filter(|&&pose| pose != Pose::IDENTITY).map(Pose::to_bits);
    let moved = moved.collect::<HashSet<_>>().len() as u64;
    match moved {
        0 => {}
        1 => output::note(shared, "1 copy is not written; --expand writes it out"),
        several => {
            output::note(shared, &format!("{} copies are not written; --expand writes them out", thousands(several)))
        }
    }
    moved
}

/// A PDB file has two columns for the name of a chain.
fn shorten_names(structure: &mut Structure, path: &Path, shared: &Shared) -> Result<u64, Failure> {
    let renamed = structure.shorten_chain_names();
    let renamed = renamed.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    if renamed > 0 {
        let chains = counted(renamed as u64, "chain");
        output::note(shared, &format!("{chains} got shorter names, because a PDB file has two columns for them"));
    }
    Ok(renamed as u64)
}

fn expanded(structure: &Structure, path: &Path) -> Result<Structure, Failure> {
    let failed = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let assembly = AssemblyChoice::Auto.assembly(structure);
    let assembly = assembly.ok_or_else(|| failed("expected copies to expand, found none".to_owned()))?;
    structure.expand(&assembly, MOST_ATOMS).map_err(|error| failed(error.to_string()))
}
