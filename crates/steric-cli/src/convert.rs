//! `steric convert`: the same molecules in another format.

use std::path::PathBuf;

use clap::Args;
use steric::model::{AssemblyChoice, formats};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::table::counted;

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
    let mut structure = output::read(&arguments.input, shared)?.structure;
    if arguments.expand {
        structure = expanded(&structure, &arguments.input)?;
    }
    formats::write(path, &structure)?;
    output::note(shared, &format!("wrote {} with {}", path.display(), counted(structure.atoms.len() as u64, "atom")));
    Ok(Verdict::Clean)
}

fn expanded(structure: &steric::model::Structure, path: &std::path::Path) -> Result<steric::model::Structure, Failure> {
    let failed = |message: String| Failure::usage(format!("{}: {message}", path.display()));
    let assembly = AssemblyChoice::Auto.assembly(structure);
    let assembly = assembly.ok_or_else(|| failed("expected copies to expand, found none".to_owned()))?;
    structure.expand(&assembly, MOST_ATOMS).map_err(|error| failed(error.to_string()))
}
