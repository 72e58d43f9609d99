//! `steric check`: is this model free of clashes?

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use steric::check::{AtomLabel, CheckError, CheckOptions, Input, Report, check, check_by};
use steric::model::chemistry::{ClashDefinition, RadiiSet};
use steric::model::{AssemblyChoice, MoleculeOptions, MoleculesBy, Periodic};

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};
use crate::table::{self, BOLD, GREEN, RED, counted, duration, paint, thousands};

/// How many lines of the summary by species are shown.
const SPECIES_SHOWN: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Molecule files; two or more are checked against each other
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What counts as one molecule: auto, chain, residue, connected, instance or file
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    molecules: MoleculesBy,
    /// Atoms of different molecules nearer than this many angstroms overlap (packmol's rule) [default: 2.0]
    #[arg(long, value_name = "D", conflicts_with_all = ["clash", "radii"], allow_negative_numbers = true)]
    #[arg(value_parser = options::angstroms)]
    tolerance: Option<f32>,
    /// A published definition of a clash instead; it looks inside molecules, too
    #[arg(long, value_enum, conflicts_with = "radii")]
    clash: Option<Clash>,
    /// Spheres of this set of radii instead: bondi, mantina, alvarez, probe, probe-implicit, protor, chimerax, turk
    #[arg(long, value_name = "SET")]
    radii: Option<RadiiSet>,
    /// With --radii: interpenetration that is forgiven, in angstroms [default: 0]
    // Not `requires`: clap forgets that where --clash excludes --radii, and the allowance would be lost in silence.
    #[arg(long, value_name = "A", allow_negative_numbers = true, value_parser = options::angstroms)]
    allow: Option<f32>,
    /// Which copies: an assembly's id, all or none [default: the first assembly if it copies anything]
    #[arg(long, value_name = "ID")]
    assembly: Option<AssemblyChoice>,
    /// Whether the box repeats: auto, yes or no
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    periodic: Periodic,
    /// How many of the worst pairs to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = options::count, allow_negative_numbers = true)]
    top: usize,
    /// Write every pair to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Clash {
    /// Overlap of 0.6 Å and more, hydrogen bonds allowed for
    Chimerax,
    /// Overlap of 0.4 Å and more with hydrogens; without hydrogens a heavy-atom score of another name
    Molprobity,
}

impl Arguments {
    fn options(&self) -> Result<CheckOptions, Failure> {
        if let (Some(allow), None) = (self.allow, self.radii) {
            return Err(Failure::usage(format!(
                "--allow {allow} goes with --radii SET: expected that, found {}",
                self.instead()
            )));
        }
        let clash = match (self.clash, self.radii) {
            (Some(Clash::Chimerax), _) => ClashDefinition::ChimeraX,
            (Some(Clash::Molprobity), _) => ClashDefinition::MolProbity,
            (None, Some(set)) => ClashDefinition::Radii { set, allow: self.allow.unwrap_or(0.0) },
            (None, None) => ClashDefinition::Tolerance(self.tolerance.unwrap_or(2.0)),
        };
        let molecules = MoleculeOptions {
            by: self.molecules,
            assembly: self.assembly.clone().unwrap_or_default(),
            periodic: self.periodic,
        };
        Ok(CheckOptions { molecules, clash, top: self.top })
    }

    /// What the user said in place of --radii.
    fn instead(&self) -> String {
        match (self.clash, self.tolerance) {
            (Some(Clash::Chimerax), _) => "--clash chimerax".to_owned(),
            (Some(Clash::Molprobity), _) => "--clash molprobity".to_owned(),
            (None, Some(tolerance)) => format!("--tolerance {tolerance}"),
            (None, None) => "none".to_owned(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let options = arguments.options()?;
    output::check_outputs(&arguments.files, [shared.output.as_deref(), arguments.csv.as_deref()])?;
    let inputs = arguments.files.iter().map(|path| output::read(path, shared)).collect::<Result<Vec<_>, _>>()?;
    let report = checked(&inputs, &options, shared)?;
    inputs.iter().for_each(|input| note_models(input, shared));
    if let Some(path) = &arguments.csv {
        write_csv(path, &inputs, &report)?;
    }
    output::report(shared, &report, |coloured| text(&report, coloured))?;
    Ok(if report.overlaps == 0 { Verdict::Clean } else { Verdict::Overlaps })
}

/// An ensemble is many answers to one question; one of them is checked.
fn note_models(input: &Input, shared: &Shared) {
    let structure = &input.structure;
    let placed = |model: u32| {
        let mut copies = structure.assemblies.iter().flat_map(|assembly| &assembly.copies);
        copies.any(|copies| copies.chains.iter().any(|&chain| structure.chains[chain as usize].model == model))
    };
    let models = structure.models.iter().filter(|model| !model.atoms.is_empty()).count();
    if models > 1 && !placed(models as u32 - 1) {
        output::note(shared, &format!("{}: {models} models; only the first is checked", input.path.display()));
    }
}

/// Checks, with a spinner.
pub(crate) fn checked(inputs: &[Input], options: &CheckOptions, shared: &Shared) -> Result<Report, Failure> {
    let bar = output::spinner(shared, "searching".to_owned());
    let report = match check_by(inputs, options, |atoms| Ok(shared.chosen(atoms)?.gpu().cloned())) {
        // A GPU that nobody asked for may fail.
        Err(CheckError::Gpu(error)) if !shared.insists_on_gpu() => {
            bar.suspend(|| output::note(shared, &format!("{error}; the CPU does the work")));
            check(inputs, options)
        }
        report => report,
    };
    bar.finish_and_clear();
    let report = report.map_err(|error| named(&error, options.clash))?;
    if options.clash == ClashDefinition::MolProbity && report.score.is_some_and(|score| score.name != "clashscore") {
        output::note(
            shared,
            "hydrogens are missing, so this is the heavy-atom clash score, not MolProbity's clashscore",
        );
    }
    Ok(report)
}

/// A length that makes no sense is told with the option it came from.
fn named(error: &CheckError, clash: ClashDefinition) -> Failure {
    match (error, clash) {
        (CheckError::Distance { .. }, ClashDefinition::Tolerance(_)) => Failure::usage(format!("--tolerance: {error}")),
        (CheckError::Distance { .. }, _) => Failure::usage(format!("--allow: {error}")),
        _ => Failure::usage(error.to_string()),
    }
}

/// The report as a person reads it: the verdict, the totals, the worst pairs, who clashes with whom.
pub(crate) fn text(report: &Report, coloured: bool) -> String {
    let mut text = verdict(report, coloured);
    text += &table::facts(&facts(report));
    if !report.worst.is_empty() {
        text += &format!("\n{}\n{}", paint(&worst_title(report), BOLD, coloured), worst(report));
    }
    if report.species.len() > 1 || (report.overlaps > 0 && report.molecules_overlapping > 2) {
        text += &format!("\n{}\n{}", paint("By species", BOLD, coloured), species(report));
    }
    text
}

fn verdict(report: &Report, coloured: bool) -> String {
    let among = format!("{} in {}", counted(report.atoms, "atom"), counted(report.molecules, "molecule"));
    if report.overlaps > 0 {
        let found = paint(&counted(report.overlaps, "overlap"), RED, coloured);
        return format!("{found} among {among}\n\n");
    }
    let nothing_to_meet =
        if report.molecules == 1 && report.score.is_none() && report.definition.contains("different mol") {
            "; a single molecule has nothing to overlap with (see --molecules, --clash)"
        } else {
            ""
        };
    format!("{} among {among}{nothing_to_meet}\n\n", paint("no overlaps", GREEN, coloured))
}

fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let mut kinds = report.molecules_by.clone();
    kinds.dedup();
    let mut facts = vec![
        (if report.files.len() == 1 { "file" } else { "files" }, report.files.join(", ")),
        ("atoms", thousands(report.atoms)),
        ("molecules", format!("{} (by {})", thousands(report.molecules), kinds.join("; "))),
        ("overlaps", thousands(report.overlaps)),
        ("molecules overlapping", thousands(report.molecules_overlapping)),
    ];
    if let Some(score) = report.score {
        facts.push((score.name, format!("{:.2} per 1000 atoms", score.value)));
    }
    if report.periodic {
        facts.push(("box", "periodic".to_owned()));
    }
    let steric::check::Seconds { read, index, detect } = report.seconds;
    let [read, index, detect] = [read, index, detect].map(duration);
    facts.push(("definition", report.definition.clone()));
    facts.push((
        "time",
        format!(
            "read {read}, index {index}, detect {detect} ({}, {})",
            report.backend,
            counted(report.threads as u64, "thread")
        ),
    ));
    facts
}

fn worst_title(report: &Report) -> String {
    match report.worst.len() as u64 {
        shown if shown == report.overlaps => "Overlaps, deepest first".to_owned(),
        shown => format!("The {shown} deepest of {} overlaps", thousands(report.overlaps)),
    }
}

fn worst(report: &Report) -> String {
    let label = |atom: &AtomLabel| {
        if report.files.len() > 1 { format!("{}: {atom}", atom.file) } else { atom.to_string() }
    };
    let row = |pair: &steric::check::Pair| vec![format!("{:.3}", pair.depth), label(&pair.first), label(&pair.second)];
    let rows: Vec<Vec<String>> = report.worst.iter().map(row).collect();
    table::columns(&["depth/Å", "first atom", "second atom"], &[true, false, false], &rows)
}

fn species(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .species
        .iter()
        .take(SPECIES_SHOWN)
        .map(|pair| {
            vec![
                thousands(pair.overlaps),
                format!("{:.3}", pair.deepest),
                shortened(&pair.first),
                shortened(&pair.second),
            ]
        })
        .collect();
    let mut text = table::columns(&["overlaps", "deepest/Å", "species", "species"], &[true, true, false, false], &rows);
    if report.species.len() > SPECIES_SHOWN {
        text += &format!("  … and {} more in --json\n", counted((report.species.len() - SPECIES_SHOWN) as u64, "pair"));
    }
    text
}

/// Packed scenes name a species by its path; the last part tells it apart.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 40;
    let last = name.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or(name);
    match last.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &last[..cut]),
        None => last.to_owned(),
    }
}

const CSV_COLUMNS: [&str; 8] = ["file", "copy", "chain", "residue", "number", "insertion", "alternate", "atom"];

fn write_csv(path: &Path, inputs: &[Input], report: &Report) -> Result<(), Failure> {
    output::write_whole(path, |file| {
        let failed = |error| Failure::io(path, &error);
        let names = ["first", "second"].map(|end| CSV_COLUMNS.map(|column| format!("{end}_{column}")).join(","));
        writeln!(file, "depth,{},{}", names[0], names[1]).map_err(failed)?;
        for &pair in report.pairs() {
            let pair = report.named(inputs, pair);
            writeln!(file, "{:.4},{},{}", pair.depth, csv_cells(&pair.first), csv_cells(&pair.second))
                .map_err(failed)?;
        }
        Ok(())
    })
}

fn csv_cells(atom: &AtomLabel) -> String {
    let quoted = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    };
    [
        quoted(&atom.file),
        atom.copy.to_string(),
        quoted(&atom.chain),
        quoted(&atom.residue),
        atom.number.to_string(),
        quoted(&atom.insertion),
        quoted(&atom.alternate),
        quoted(&atom.atom),
    ]
    .join(",")
}
