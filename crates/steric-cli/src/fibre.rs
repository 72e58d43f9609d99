//! `steric build plasmid`, `syn3a-chromosome`, `million-base-pairs` and `fibre`: DNA, RNA and actin in a sphere.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use steric::fibre::{FibreOrder, Strand};
use steric::world::fibre::FibreReport;

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::relax;
use crate::table::{counted, thousands};

/// What a fibre is, where it is not that of a ready scene.
#[derive(Debug, Args)]
pub(crate) struct FibreArguments {
    /// What it is made of
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Fibres")]
    kind: Option<Kind>,
    /// Base pairs, nucleotides or subunits; --radius is that of the sphere that they stay in
    #[arg(long, value_name = "N", help_heading = "Fibres")]
    units: Option<usize>,
    /// Its ends are joined, as in a plasmid
    #[arg(long, help_heading = "Fibres")]
    closed: bool,
}

/// What fibres are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Double-stranded DNA; a unit is a base pair
    Dna,
    /// Double-stranded RNA; a unit is a base pair
    RnaHelix,
    /// Single-stranded RNA; a unit is a nucleotide
    Rna,
    /// Actin; a unit is a subunit
    Actin,
}

impl From<Kind> for Strand {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dna => Self::Dna,
            Kind::RnaHelix => Self::RnaHelix,
            Kind::Rna => Self::Rna,
            Kind::Actin => Self::Actin,
        }
    }
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether a fibre is called so.
pub(crate) fn is_fibre(name: &Path) -> bool {
    name.to_str().is_some_and(steric::fibre::is_fibre)
}

/// Grows a fibre, in a sphere of another radius than that of the scene if one is given.
pub(crate) fn run(
    name: &Path,
    arguments: &FibreArguments,
    radius: Option<f64>,
    shared: &Shared,
) -> Result<Verdict, Failure> {
    shared.without_gpu("build")?;
    let name = name.display();
    let Some(target) = &shared.output else {
        return Err(Failure::usage(format!(
            "build {name}: expected -o FILE.cif, .bcif, .pdb, .gro or .xyz, found none"
        )));
    };
    output::check_outputs(&[], [Some(target.as_path())])?;
    let model = relax::Target::new(target)?;
    let order = FibreOrder {
        name: name.to_string(),
        strand: arguments.kind.map(Strand::from),
        units: arguments.units,
        is_closed: arguments.closed,
        radius,
    };
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("growing {name}"));
    let grown = order.grow(shared.seed(), |progress| {
        bar.set_message(format!(
            "level {} of {}, iteration {}",
            progress.level + 1,
            progress.levels,
            progress.iteration
        ));
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let (structure, report) = grown.map_err(|error| {
        let is_of_option = ["units:", "radius:"].iter().any(|option| error.starts_with(option));
        Failure::usage(format!("build {name}: {}{error}", if is_of_option { "--" } else { "" }))
    })?;
    print(&report, shared)?;
    let atoms = relax::structure_to(&structure, &model)?;
    output::note(shared, &format!("wrote {} with {}", target.display(), counted(atoms, "atom")));
    Ok(Verdict::Clean)
}

fn print(report: &FibreReport, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        return output::print(&(serde_json::to_string_pretty(report)? + "\n"));
    }
    if shared.quiet { Ok(()) } else { output::print(&text(report)) }
}

fn text(report: &FibreReport) -> String {
    let wall = report.nearest_wall.map_or_else(String::new, |wall| format!(", {wall:.1} Å to the wall"));
    format!(
        "{} units, {:.3} µm; {:.2} a turn, {:.1} % full, {}, {:.2} s\n\
         stretches come as near as {:.2} Å, axis to axis{wall}; segments are off by {:.2} % at most\n",
        thousands(report.units as u64),
        1e-4 * report.length,
        report.units_per_turn,
        100.0 * report.filled,
        counted(u64::from(report.iterations), "iteration"),
        report.seconds,
        report.nearest,
        100.0 * report.worst_stretch,
    )
}
