//! `steric bench`: how fast the search, the readers and the relaxation are, one row per measurement.

mod gpu;
mod neighbours;
mod read;
mod s0;
mod s1;
mod s2;
mod s3;
mod s4;
mod studio;
mod view;

use std::time::Instant;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::Verdict;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Index, search and forces
    Neighbours(neighbours::Arguments),
    /// Iterations, whole relaxations and searches on a GPU
    Gpu(gpu::Arguments),
    /// Pictures on a GPU
    View(view::Arguments),
    /// The studio's simulation and pictures, without a window
    Studio(studio::Arguments),
    /// Reading files
    Read(read::Arguments),
    /// The tables and figures of the founding thesis, beside its own numbers
    #[command(name = "S0", alias = "s0")]
    S0(s0::Arguments),
    /// Figure 6 of the founding report on moving particles, and how long a step takes today
    #[command(name = "S1", alias = "s1")]
    S1(s1::Arguments),
    /// The figures and the table of the founding study of collision grids, on soft bodies
    #[command(name = "S2", alias = "s2")]
    S2(s2::Arguments),
    /// Molecules on a skeleton: atoms moved a second, weights, super-atoms, and how far levels are apart
    #[command(name = "S3", alias = "s3")]
    S3(s3::Arguments),
    /// The tables of the docking study, and how fast a hand is answered
    #[command(name = "S4", alias = "s4")]
    S4(s4::Arguments),
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    match &arguments.what {
        What::Neighbours(wanted) => neighbours::run(wanted, shared)?,
        What::Gpu(wanted) => gpu::run(wanted, shared)?,
        What::View(wanted) => view::run(wanted, shared)?,
        What::Studio(wanted) => studio::run(wanted, shared)?,
        What::Read(wanted) => read::run(wanted, shared)?,
        What::S0(wanted) => s0::run(wanted, shared)?,
        What::S1(wanted) => s1::run(wanted, shared)?,
        What::S2(wanted) => s2::run(wanted, shared)?,
        What::S3(wanted) => s3::run(wanted, shared)?,
        What::S4(wanted) => s4::run(wanted, shared)?,
    }
    Ok(Verdict::Clean)
}

/// Median and spread (slowest minus fastest) in milliseconds, after one run that warms the caches.
fn timed(repeats: usize, mut work: impl FnMut()) -> (f64, f64) {
    work();
    median_and_spread((0..repeats.max(1)).map(|_| milliseconds_of(&mut work)).collect())
}

fn milliseconds_of(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// The median, and the slowest minus the fastest; zero of nothing.
fn median_and_spread(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_unstable_by(f64::total_cmp);
    match times[..] {
        [] => (0.0, 0.0),
        _ => (times[times.len() / 2], times[times.len() - 1] - times[0]),
    }
}
