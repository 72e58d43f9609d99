//! The command line.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use steric::backend::{self, Chosen};
use steric::gpu::{self, Choice, GpuError};

use crate::failure::Failure;
use crate::{animate, bench, build, check, convert, deform, diffuse, dock, info, output, pack, relax, render, studio};

/// Finds and removes overlaps between molecules.
///
/// Without a command it builds a small lipid vesicle and pushes its lipids apart.
#[derive(Debug, Parser)]
#[command(name = "steric", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 clean, 1 overlaps found, 2 bad input or usage.\n\n\
    Examples:\n  \
    steric check 4hhb.cif.gz                     every pair of atoms of different molecules nearer than 2 Å\n  \
    steric check --clash molprobity model.pdb    MolProbity's clashscore, inside chains too\n  \
    steric check receptor.pdb ligand.sdf         one file against the other\n  \
    steric relax vesicle -o v.gro                2,000 lipids pushed apart until nothing overlaps\n  \
    steric relax model.cif -o clean.cif          the same for a model, with the least motion\n  \
    steric relax exosome -o exosome.bcif         a whole vesicle; also syn3a-small, mitochondrion-membrane, plasma-hiv\n  \
    steric pack mixture.inp                      what packmol makes of the same input, in a fraction of the time\n  \
    steric diffuse -o receptors.simularium      receptors in a membrane that wander, meet and cluster\n  \
    steric animate -o kinase.gif                 a kinase on a skeleton, swaying\n  \
    steric info virus.bcif\n  \
    steric convert model.pdb -o model.cif")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) shared: Shared,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say whether models are free of clashes
    Check(check::Arguments),
    /// Show what is in a file, or which GPUs there are
    Info(info::Arguments),
    /// Write a file in another format
    Convert(convert::Arguments),
    /// Push molecules apart until nothing overlaps
    Relax(relax::Arguments),
    /// Pack molecules as packmol does, from its own inputs
    Pack(pack::Arguments),
    /// Make one of the named scenes
    Build(build::Arguments),
    /// Draw a picture or a film
    Render(render::Arguments),
    /// Soft bodies that press against each other and never pass through
    Deform(deform::Arguments),
    /// Let particles diffuse that never pass through each other
    Diffuse(diffuse::Arguments),
    /// Molecules that move on a skeleton, without passing through themselves
    Animate(animate::Arguments),
    /// A ligand at a receptor: contacts, clashes, energies; move it along a path, and never through anything
    Dock(dock::Arguments),
    /// Open a window: see molecules, push them apart, take them in hand
    Studio(studio::Arguments),
    /// Measure speed
    Bench(bench::Arguments),
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Shared {
    /// What does the work
    #[arg(long, value_enum, default_value_t, global = true, help_heading = "Shared options")]
    pub(crate) backend: Backend,
    /// Work on this GPU, by a part of its name or by its number in `steric info --gpus`
    #[arg(long, value_name = "NAME|INDEX", value_parser = choice, global = true, help_heading = "Shared options")]
    pub(crate) gpu: Option<Choice>,
    /// How many threads [default: one per core]; `bench` takes several counts, as in 1,2,4
    #[arg(long, value_name = "N", value_delimiter = ',', global = true, help_heading = "Shared options")]
    #[arg(value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Vec<NonZeroU16>,
    /// Seed of everything random [default: 1, or what the scene file says]
    #[arg(long, value_name = "N", global = true, help_heading = "Shared options")]
    pub(crate) seed: Option<u64>,
    /// Print one JSON document and nothing else
    #[arg(long, global = true, help_heading = "Shared options")]
    pub(crate) json: bool,
    /// Write the result to this file, format by extension; appears whole or not at all
    #[arg(short, long, value_name = "FILE", global = true, help_heading = "Shared options")]
    pub(crate) output: Option<PathBuf>,
    /// No progress and no warnings
    #[arg(short, long, global = true, help_heading = "Shared options")]
    pub(crate) quiet: bool,
}

impl Shared {
    /// The seed, where no scene file names another.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Says before the work begins that what is to do it is not there. Opens nothing.
    pub(crate) fn check_backend(&self) -> Result<(), Failure> {
        if self.backend == Backend::Cpu && self.gpu.is_some() {
            return Err(Failure::usage("--gpu: expected --backend auto or gpu, found cpu"));
        }
        if self.insists_on_gpu() {
            self.choice().among(&gpu::adapters())?;
        }
        Ok(())
    }

    /// Opens what does the work on so many atoms: the GPU that is asked for, or the best there is.
    pub(crate) fn chosen(&self, atoms: u64) -> Result<Chosen, GpuError> {
        let chosen = self.backend.wanted().choose_for(atoms, &self.choice())?;
        if let Some(note) = chosen.note() {
            output::note(self, note);
        }
        Ok(chosen)
    }

    /// Whether a GPU was asked for, so that the processor must not step in.
    pub(crate) fn insists_on_gpu(&self) -> bool {
        self.backend == Backend::Gpu || self.gpu.is_some()
    }

    /// Refuses a GPU where only the processor does the work.
    pub(crate) fn without_gpu(&self, what: &str) -> Result<(), Failure> {
        if self.insists_on_gpu() {
            return Err(Failure::usage(format!(
                "{what}: expected --backend auto or cpu, found a GPU; the processor does this"
            )));
        }
        Ok(())
    }

    /// Whether the processor was asked for.
    pub(crate) fn insists_on_cpu(&self) -> bool {
        self.backend == Backend::Cpu
    }

    fn choice(&self) -> Choice {
        self.gpu.clone().unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The best GPU that is no software, for 500,000 atoms and more; else the processor
    #[default]
    Auto,
    /// The processor
    Cpu,
    /// A GPU and nothing else
    Gpu,
}

impl Backend {
    fn wanted(self) -> backend::Backend {
        match self {
            Self::Auto => backend::Backend::Auto,
            Self::Cpu => backend::Backend::Cpu,
            Self::Gpu => backend::Backend::Gpu,
        }
    }
}

/// A GPU on the command line.
fn choice(text: &str) -> Result<Choice, String> {
    if text.trim().is_empty() {
        return Err("expected a part of a name, or a number".to_owned());
    }
    text.parse().map_err(|never: std::convert::Infallible| never.to_string())
}

/// More threads than any machine has use for only cost the time to start them.
const MOST_THREADS: u16 = 1024;

fn threads(text: &str) -> Result<NonZeroU16, String> {
    let threads = text.parse().ok().filter(|threads: &NonZeroU16| threads.get() <= MOST_THREADS);
    threads.ok_or_else(|| format!("expected 1 to {MOST_THREADS} threads"))
}

/// A length on the command line.
pub(crate) fn angstroms(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite());
    number.ok_or_else(|| "expected a number of angstroms".to_owned())
}

/// A finite number, 0 or more, on the command line.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, 0 or more".to_owned())
}

/// A finite number above 0 on the command line.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    positive(text).ok().filter(|number| *number > 0.0).ok_or_else(|| "expected a number above 0".to_owned())
}

/// A count on the command line.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    // More digits than fit still mean "all of them".
    match text.parse() {
        Ok(count) => Ok(count),
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => Ok(usize::MAX),
        Err(_) => Err("expected a whole number, 0 or more".to_owned()),
    }
}

/// A pool of so many threads.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("steric-{index}"))
        .build()
        .map_err(|error| Failure::usage(format!("--threads {threads}: {error}")))
}
