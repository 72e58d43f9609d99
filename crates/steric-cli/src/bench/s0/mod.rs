//! `steric bench S0`: the evaluation of the founding thesis, measured again beside its own numbers.
//!
//! How it works: for every backend and size one iteration is timed, brute force while it is bearable, and a whole relaxation;
//! then the stages of an iteration at three million atoms. The numbers become two CSV files, a figure and what is
//! printed; the two ways to draw places on a sphere become two more figures.

mod figures;
mod measure;
mod tables;
mod thesis;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use steric::world::relax::ResponseKind;
use steric::world::shape::{PlacesError, Sampling};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output;
use crate::table::thousands;
pub(super) use measure::held;
use measure::{AllPairs, Backend, BruteForce, Steps, WholeRun};

#[derive(Debug, Args)]
#[command(after_help = "Writes table-5.1.csv, table-5.2.csv, figure-5.1.svg, figure-4.2a.svg and figure-4.2b.svg.\n\
    The environment variables STERIC_MACHINE and STERIC_COMMIT name the machine and the build in the tables.")]
pub(super) struct Arguments {
    /// Where the tables and figures go; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "s0")]
    folder: PathBuf,
    /// How many atoms; the stages are measured at 3,000,000, or at the most of these
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = size)]
    #[arg(default_value = "50000,100000,200000,400000,1000000,2000000,4000000")]
    sizes: Vec<usize>,
    /// How overlaps are answered: newton, projection or thesis
    #[arg(long, value_name = "NAME", value_parser = response, default_value = "thesis")]
    response: ResponseKind,
    /// How often an iteration is measured
    #[arg(long, value_name = "R", default_value_t = 9)]
    repeats: usize,
    /// Brute force that would take longer is left out
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    bearable: f64,
}

/// Fewer rods hardly meet; more do not fit into the memory of most machines, because each is a type of its own.
const SIZES: std::ops::RangeInclusive<usize> = 1_000..=100_000_000;

fn size(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|size| SIZES.contains(size));
    size.ok_or_else(|| "expected 1000 to 100000000 atoms".to_owned())
}

pub(super) fn response(text: &str) -> Result<ResponseKind, String> {
    let kinds = [ResponseKind::Newton, ResponseKind::Projection, ResponseKind::Thesis];
    let kind = kinds.into_iter().find(|kind| kind.to_string() == text);
    kind.ok_or_else(|| "expected newton, projection or thesis".to_owned())
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
struct S0 {
    machine: String,
    commit: String,
    /// The GPU that was measured beside the processor.
    gpu: Option<String>,
    threads: usize,
    response: ResponseKind,
    table_5_1: Vec<Line>,
    table_5_2: Vec<Stages>,
    files: Vec<PathBuf>,
}

/// A backend at one size.
#[derive(Debug, Serialize)]
struct Line {
    backend: &'static str,
    atoms: u64,
    grid: Steps,
    brute_force: BruteForce,
    whole_run: WholeRun,
}

/// The stages of a backend.
#[derive(Debug, Serialize)]
struct Stages {
    backend: &'static str,
    atoms: u64,
    steps: Steps,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    if shared.threads.len() > 1 {
        return Err(Failure::usage("bench S0: expected one number of threads, found several"));
    }
    // Before the work begins: a folder that cannot be made should not cost minutes.
    std::fs::create_dir_all(&wanted.folder).map_err(|error| Failure::io(&wanted.folder, &error))?;
    let mut s0 = measured(wanted, shared)?;
    s0.files = write_all(&wanted.folder, &s0, shared.seed())?;
    output::note(shared, &format!("wrote tables and figures to {}", wanted.folder.display()));
    output::report(shared, &s0, |_| tables::text(&s0))
}

fn measured(wanted: &Arguments, shared: &Shared) -> Result<S0, Failure> {
    let mut s0 = S0 {
        machine: machine(),
        commit: commit(),
        gpu: None,
        threads: rayon::current_num_threads(),
        response: wanted.response,
        table_5_1: Vec::new(),
        table_5_2: Vec::new(),
        files: Vec::new(),
    };
    let most = wanted.sizes.iter().copied().max().unwrap_or(0);
    let chosen = shared.chosen(most as u64)?;
    s0.gpu = chosen.gpu().map(|gpu| gpu.adapter().name.clone());
    for backend in std::iter::once(Backend::Cpu).chain(chosen.gpu().map(Backend::Gpu)) {
        let mut all_pairs = AllPairs::new(backend, wanted.bearable)?;
        for &atoms in &wanted.sizes {
            s0.table_5_1.push(line(backend, atoms, &mut all_pairs, wanted, shared)?);
        }
        s0.table_5_2.push(stages(backend, wanted, shared)?);
    }
    Ok(s0)
}

fn line(
    backend: Backend<'_>,
    atoms: usize,
    all_pairs: &mut AllPairs<'_>,
    wanted: &Arguments,
    shared: &Shared,
) -> Result<Line, Failure> {
    let bar = output::spinner(shared, String::new());
    let say = |what: &str| bar.set_message(format!("{}, {} atoms: {what}", backend.name(), thousands(atoms as u64)));
    say("building");
    let setup = measure::held_rods(atoms);
    say("iterations");
    let grid = measure::steps(backend, &setup, wanted.response, wanted.repeats, shared.seed())?;
    say("brute force");
    let brute_force = all_pairs.measure(&setup.scene, grid.pairs, wanted.repeats)?;
    say("a whole relaxation");
    let atoms = setup.scene.atoms();
    let whole_run = measure::whole_run(backend, setup, shared.seed())?;
    bar.finish_and_clear();
    Ok(Line { backend: backend.name(), atoms, grid, brute_force, whole_run })
}

fn stages(backend: Backend<'_>, wanted: &Arguments, shared: &Shared) -> Result<Stages, Failure> {
    let most = wanted.sizes.iter().copied().max().unwrap_or(0);
    let bar = output::spinner(shared, format!("{}: stages", backend.name()));
    let setup = measure::held_rods(most.min(thesis::TABLE_5_2_ATOMS as usize));
    let steps = measure::steps(backend, &setup, wanted.response, wanted.repeats, shared.seed())?;
    bar.finish_and_clear();
    Ok(Stages { backend: backend.name(), atoms: setup.scene.atoms(), steps })
}

fn write_all(folder: &Path, s0: &S0, seed: u64) -> Result<Vec<PathBuf>, Failure> {
    let sphere =
        |sampling| figures::figure_4_2(sampling, seed).map_err(|error: PlacesError| Failure::usage(error.to_string()));
    let files = [
        ("table-5.1.csv", tables::table_5_1_csv(s0)),
        ("table-5.2.csv", tables::table_5_2_csv(s0)),
        ("figure-5.1.svg", figures::figure_5_1(s0)),
        ("figure-4.2a.svg", sphere(Sampling::Inversion)?),
        ("figure-4.2b.svg", sphere(Sampling::Clustered)?),
    ];
    files.into_iter().map(|(name, content)| write(&folder.join(name), &content)).collect()
}

fn write(path: &Path, content: &str) -> Result<PathBuf, Failure> {
    output::write_whole(path, |file| file.write_all(content.as_bytes()).map_err(|error| Failure::io(path, &error)))?;
    Ok(path.to_owned())
}

/// What was built.
pub(super) fn commit() -> String {
    std::env::var("STERIC_COMMIT").unwrap_or_else(|_| format!("v{}", env!("CARGO_PKG_VERSION")))
}

/// The processor and its cores as one word, as the folders in `benches/results` are named.
pub(super) fn machine() -> String {
    let described = std::env::var("STERIC_MACHINE").unwrap_or_else(|_| {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(std::env::consts::ARCH);
        format!("{model} {} cores", std::thread::available_parallelism().map_or(1, usize::from))
    });
    let words = described.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}
