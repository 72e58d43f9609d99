//! `steric pack`: packmol's inputs, packed.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use steric::model::formats::packmol::{FileType, PackmolInput, Template, read_packmol, write_crd, write_packed};
use steric::model::formats::{self, Format};
use steric::model::{Parsed, Pose, ReadError, Warnings};
use steric::world::pack::{PackOptions, PackReport, Packing, Progress, pack, read_restart, write_restart};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::table::{counted, thousands};

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 every distance and every constraint is kept; 1 the best structure was written, and something is \
    still violated; 2 bad input.\n\n\
    Examples:\n  \
    steric pack mixture.inp                  what `packmol < mixture.inp` does\n  \
    steric pack mixture.inp -o mixture.cif   the same in another format\n  \
    steric pack mixture.inp --seed 7 --json  another start, and a report for programs"
)]
pub(crate) struct Arguments {
    /// An input for packmol
    #[arg(value_name = "FILE.inp")]
    input: PathBuf,
    /// At most so many iterations
    #[arg(long, value_name = "N", default_value_t = PackOptions::default().max_iterations)]
    max_iterations: u32,
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    shared.without_gpu("pack")?;
    let path = &arguments.input;
    let Parsed { value: input, warnings } = read_packmol(&load(path)?, path)?;
    warn(path, &warnings, shared);
    let Some(target) = shared.output.as_ref().or(input.output.as_ref()) else {
        let found = path.display();
        return Err(Failure::usage(format!("{found}: expected a line \"output FILE\" or -o FILE, found neither")));
    };
    let found = Found::new(&input, path, shared)?;
    output::check_outputs(&found.files, [Some(target.as_path()), input.layout.crd.as_deref()])?;
    let writer = Writer { input: &input, templates: &found.templates, as_written: shared.output.is_none() };
    writer.check(target)?;
    let seed = seed(&input, shared);
    let options = PackOptions {
        seed,
        max_iterations: if input.check { 0 } else { arguments.max_iterations },
        starts: starts(&input, &found, path)?,
        ..PackOptions::default()
    };
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("packing {}", path.display()));
    let packing = pack(&input, &found.templates, &options, |progress| {
        bar.set_message(message(progress));
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let Packing { poses, report } = packing.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    // The report first: a file that cannot be written must not take it along.
    print(&report, &input, target, seed, shared)?;
    writer.write(target, &poses)?;
    output::note(shared, &format!("wrote {} with {}", target.display(), counted(report.atoms, "atom")));
    restarts(&input, &found.templates, &poses)?;
    Ok(if report.is_solved() || input.check { Verdict::Clean } else { Verdict::Overlaps })
}

fn load(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::io(path, &error))
}

fn warn(path: &Path, warnings: &Warnings, shared: &Shared) {
    for warning in &warnings.first {
        output::note(shared, &format!("warning: {}: {warning}", path.display()));
    }
    let more = warnings.total - warnings.first.len();
    if more > 0 {
        output::note(shared, &format!("warning: {}: {more} more warnings", path.display()));
    }
}

/// The molecule files, which stand in the folder that one works in, or else beside the input.
struct Found {
    files: Vec<PathBuf>,
    templates: Vec<Template>,
}

impl Found {
    fn new(input: &PackmolInput, path: &Path, shared: &Shared) -> Result<Self, Failure> {
        let mut found = Self { files: vec![path.to_owned()], templates: Vec::new() };
        for structure in &input.structures {
            let file = beside(&structure.file, path);
            let Parsed { value, warnings } = Template::read(&load(&file)?, &file, input.file_type)?;
            warn(&file, &warnings, shared);
            found.templates.push(value);
            found.files.push(file);
        }
        Ok(found)
    }
}

/// The file as it is named, or beside the input if it is not there.
fn beside(file: &Path, input: &Path) -> PathBuf {
    let beside = input.parent().map(|folder| folder.join(file));
    match beside {
        Some(beside) if !file.exists() && beside.exists() => beside,
        _ => file.to_owned(),
    }
}

/// That of the command line, of the input, or of the clock.
fn seed(input: &PackmolInput, shared: &Shared) -> u64 {
    let of_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64);
    shared.seed.unwrap_or_else(|| u64::try_from(input.seed).unwrap_or_else(|_| of_clock()))
}

/// Poses of restart files: of one for all structures, or of those for some.
fn starts(input: &PackmolInput, found: &Found, path: &Path) -> Result<Vec<Option<Vec<Pose>>>, Failure> {
    let whole = input.restart_from.as_ref().map(|file| beside(file, path));
    let text = whole.as_deref().map(load).transpose()?.unwrap_or_default();
    let mut first = 0;
    let mut starts = Vec::with_capacity(input.structures.len());
    for (structure, template) in input.structures.iter().zip(&found.templates) {
        let number = structure.number as usize;
        let own = structure.restart_from.as_ref().map(|file| beside(file, path));
        let start = match (&own, &whole) {
            _ if structure.fixed.is_some() => None,
            (Some(file), _) => Some(read_restart(&load(file)?, file, template, 0, number)?),
            (None, Some(file)) => Some(read_restart(&text, file, template, first, number)?),
            (None, None) => None,
        };
        first += if structure.fixed.is_some() { 0 } else { number };
        starts.push(start);
    }
    Ok(starts)
}

fn restarts(input: &PackmolInput, templates: &[Template], poses: &[Vec<Pose>]) -> Result<(), Failure> {
    let movable = || (0..templates.len()).filter(|&at| input.structures[at].fixed.is_none());
    let to = |path: &Path, structures: &mut dyn Iterator<Item = usize>| {
        output::write_whole(path, |file| {
            let mut each = structures.map(|at| write_restart(file, &templates[at], &poses[at]));
            each.try_for_each(|done| done.map_err(|error| Failure::io(path, &error)))
        })
    };
    if let Some(path) = &input.restart_to {
        to(path, &mut movable())?;
    }
    for at in movable() {
        if let Some(path) = &input.structures[at].restart_to {
            to(path, &mut std::iter::once(at))?;
        }
    }
    Ok(())
}

/// Writes what was packed.
struct Writer<'a> {
    input: &'a PackmolInput,
    templates: &'a [Template],
    // The input names the file: packmol writes its own file type whatever the ending.
    as_written: bool,
}

impl Writer<'_> {
    /// The format that a file has to be turned into; none for what packmol writes.
    fn other_format(&self, path: &Path) -> Option<Format> {
        let own = match self.input.file_type {
            FileType::Pdb => Some(Format::Pdb),
            FileType::Xyz => Some(Format::Xyz),
            FileType::Tinker => None,
        };
        Format::from_path(path).filter(|format| !self.as_written && own.is_some() && Some(*format) != own)
    }

    /// A wrong ending should not cost the user the time to pack.
    fn check(&self, path: &Path) -> Result<(), Failure> {
        match self.other_format(path) {
            Some(format) if !format.is_written() => {
                let name = format.name();
                Err(Failure::usage(format!("{}: {name} files are read but not written", path.display())))
            }
            _ => Ok(()),
        }
    }

    fn write(&self, path: &Path, poses: &[Vec<Pose>]) -> Result<(), Failure> {
        match self.other_format(path) {
            Some(_) => self.convert(path, poses)?,
            None => self.whole(path, poses, write_packed)?,
        }
        match &self.input.layout.crd {
            Some(path) if self.input.file_type == FileType::Pdb => self.whole(path, poses, write_crd),
            _ => Ok(()),
        }
    }

    fn whole(&self, path: &Path, poses: &[Vec<Pose>], write: WritePacking) -> Result<(), Failure> {
        output::write_whole(path, |file| {
            write(file, self.input, self.templates, poses).map_err(|error| Failure::io(path, &error))
        })
    }

    fn convert(&self, path: &Path, poses: &[Vec<Pose>]) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        write_packed(&mut bytes, self.input, self.templates, poses).map_err(|error| Failure::io(path, &error))?;
        let own = if self.input.file_type == FileType::Xyz { Format::Xyz } else { Format::Pdb };
        let structure =
            formats::read_bytes(&bytes, path, Some(own)).map_err(|error: ReadError| Failure::from(error))?;
        Ok(formats::write(path, &structure.value)?)
    }
}

/// Writes a packing in one of packmol's formats.
type WritePacking = fn(&mut dyn Write, &PackmolInput, &[Template], &[Vec<Pose>]) -> std::io::Result<()>;

fn message(progress: &Progress) -> String {
    format!(
        "iteration {}: of {} molecules {} are too near to others, {} outside",
        progress.iteration,
        thousands(progress.molecules as u64),
        thousands(progress.seen.overlapping),
        thousands(progress.seen.broken),
    )
}

fn print(report: &PackReport, input: &PackmolInput, target: &Path, seed: u64, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        let mut document = serde_json::to_value(report)?;
        document["solved"] = report.is_solved().into();
        document["seed"] = seed.into();
        document["tolerance"] = input.tolerance.into();
        document["file"] = target.display().to_string().into();
        return output::print(&(serde_json::to_string_pretty(&document)? + "\n"));
    }
    if shared.quiet && report.is_solved() { Ok(()) } else { output::print(&text(report, input)) }
}

fn text(report: &PackReport, input: &PackmolInput) -> String {
    let what = format!("{} with {}", counted(report.molecules, "molecule"), counted(report.atoms, "atom"));
    if input.check {
        return format!("{what}: the start, not packed, as \"check\" asks\n");
    }
    let iterations = counted(u64::from(report.iterations), "iteration");
    if report.is_solved() {
        return format!(
            "packed {what} in {iterations}, {:.2} s: every distance and constraint is kept\n",
            report.seconds
        );
    }
    let mut text = format!("not solved: {what}, {iterations}, {:.2} s", report.seconds);
    text += &report.stop.map(|stop| format!(", ended by {stop}")).unwrap_or_default();
    text += &format!(
        "\npairs of atoms of different molecules that are too near: {}, the worst by {:.3} Å; constraints broken by {:.3} Å at most\n",
        thousands(report.pairs),
        report.deepest,
        report.worst_constraint
    );
    for structure in report.structures.iter().filter(|structure| structure.overlapping + structure.broken > 0) {
        text += &format!(
            "  line {}: {}: of {} {} are too near to others and {} outside their constraints, by {:.3} Å at most\n",
            structure.line,
            structure.file,
            counted(structure.molecules, "molecule"),
            thousands(structure.overlapping),
            thousands(structure.broken),
            structure.worst_constraint
        );
    }
    text + &report.infeasible.as_ref().map(|why| format!("why: {why}\n")).unwrap_or_default()
}
