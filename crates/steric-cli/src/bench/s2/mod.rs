//! `steric bench S2`: what the founding study of collision grids measured (Gissler, Ihmsen and Teschner 2009), again and beside its own numbers.
//!
//! How it works: the scenes run once and some of their states are kept. Whatever is compared then looks for collisions in the same states, in turns where it is a matter of per cent, and must find the same; where it
//! does not, the bench fails. Every number is a row, and every part says its rows in its own table.

mod cells;
mod frames;
mod handling;
mod meshes;
mod million;
mod order;
mod paper;
mod rates;
mod row;
mod sorting;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use steric::world::deform::Response;

use super::{median_and_spread, milliseconds_of, s0};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;
use row::{Row, Told};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric bench S2 --pictures figures -o s2.csv\n  \
    steric bench S2 --only million                                  its peak of memory is that of the process\n  \
    steric bench S2 --only meshes --meshes raptor.vtu --pairs p.csv candidate pairs, for a comparison\n\n\
    The environment variables STERIC_MACHINE and STERIC_COMMIT name the machine and the build in the table.")]
pub(super) struct Arguments {
    /// States of each scene that are looked at
    #[arg(long, value_name = "N", default_value_t = 120)]
    frames: usize,
    /// Steps that each scene runs [default: as many as it says]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Times that each state is looked at
    #[arg(long, value_name = "N", default_value_t = 3)]
    repeats: usize,
    /// What bodies answer to while states are kept
    #[arg(long, value_enum, default_value_t)]
    response: Answer,
    /// Draw Figures 6 and 7 into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Also the candidate pairs of one mesh and its copy, or of two
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    meshes: Vec<PathBuf>,
    /// Write the pairs of the meshes, by the numbers of their points
    #[arg(long, value_name = "FILE.csv", requires = "meshes")]
    pairs: Option<PathBuf>,
    /// Also one look at two bodies of so many tetrahedra in all
    #[arg(long, value_name = "TETRAHEDRA", num_args = 0..=1, default_missing_value = "1000000", value_parser = tetrahedra)]
    million: Option<usize>,
    /// Only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
}

/// A part of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Figure6,
    Figure7,
    Sort,
    ZCurve,
    Table2,
    Steps,
    Million,
    Meshes,
}

/// What bodies answer to.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Answer {
    /// Gaps, before they close
    #[default]
    Gap,
    /// Depths, as in the study
    Depth,
}

impl Answer {
    fn response(self) -> Response {
        match self {
            Self::Gap => Response::Gap,
            Self::Depth => Response::Depth,
        }
    }
}

/// Two blocks want a few cells each; tetrahedra are counted in 32 bits, and in memory.
fn tetrahedra(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1_000..=100_000_000).contains(count));
    count.ok_or_else(|| "expected 1000 to 100000000 tetrahedra".to_owned())
}

impl Arguments {
    fn wants(&self, part: Part) -> bool {
        let by_default = match part {
            Part::Million => self.million.is_some(),
            Part::Meshes => !self.meshes.is_empty(),
            _ => true,
        };
        if self.only.is_empty() { by_default } else { self.only.contains(&part) }
    }
}

/// Threads that are compared, unless others are asked for. The study had 1, 2 and 4 in Figure 6, and 1, 4 and 8 in Figure 7.
const THREADS: [usize; 3] = [1, 2, 4];

fn threads(shared: &Shared) -> Vec<usize> {
    match shared.threads[..] {
        [] => THREADS.to_vec(),
        ref asked => asked.iter().map(|threads| usize::from(threads.get())).collect(),
    }
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    check(wanted, shared)?;
    let mut told = Told::default();
    // First, because its peak of memory is that of the process so far.
    if wanted.wants(Part::Million) {
        told += million::measure(wanted.million.unwrap_or(1_000_000), shared)?;
    }
    told += of_frames(wanted, shared)?;
    if wanted.wants(Part::Sort) {
        told += sorting::measure(wanted.repeats, shared)?;
    }
    if wanted.wants(Part::Table2) {
        told += cells::measure(wanted, shared)?;
    }
    if wanted.wants(Part::Steps) {
        told += rates::measure(wanted, shared)?;
    }
    if wanted.wants(Part::Meshes) {
        told += meshes::measure(&wanted.meshes, wanted.pairs.as_deref(), shared)?;
    }
    row::write(shared, &told)
}

/// Figures 6 and 7 and the Z-curve, which look at the same states.
fn of_frames(wanted: &Arguments, shared: &Shared) -> Result<Told, Failure> {
    let mut told = Told::default();
    let figures = [("stack", Part::Figure6, &paper::FIGURE_6), ("socket", Part::Figure7, &paper::FIGURE_7)];
    for (scene, part, figure) in figures {
        if !wanted.wants(part) && !wanted.wants(Part::ZCurve) {
            continue;
        }
        let kept = frames::keep(scene, wanted, shared)?;
        if wanted.wants(part) {
            told += handling::measure(&kept, figure, wanted, shared)?;
        }
        if wanted.wants(Part::ZCurve) {
            told += order::measure(&kept, wanted.repeats)?;
        }
    }
    Ok(told)
}

/// Before the work begins: what cannot be read or written should not cost minutes.
fn check(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    if wanted.only.contains(&Part::Meshes) && wanted.meshes.is_empty() {
        return Err(Failure::usage("--only meshes: expected --meshes FILE, found none"));
    }
    if wanted.steps == Some(0) || wanted.frames == 0 {
        return Err(Failure::usage("bench S2: expected one step and one frame or more, found 0"));
    }
    output::check_outputs(&wanted.meshes, [shared.output.as_deref(), wanted.pairs.as_deref()])?;
    let is_csv = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if let Some(path) = shared.output.iter().chain(&wanted.pairs).find(|path| !is_csv(path)) {
        return Err(Failure::usage(format!("{}: expected .csv", path.display())));
    }
    wanted
        .pictures
        .as_deref()
        .map_or(Ok(()), |folder: &Path| std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error)))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
