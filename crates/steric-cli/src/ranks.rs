//! Started by `mpirun` or `srun`: many processes, one run.
//!
//! How it works: what can go wrong on one rank alone (a file that only some machines have) is told to all before the work begins, so that all go on or none,
//! and rank 0 is the one that speaks.

use std::num::NonZeroU16;
use std::process::ExitCode;

use clap::error::ErrorKind;
use steric::cluster::comm::{Comm, Saved, launched};

use crate::failure::Failure;
use crate::options::{Cli, Command, Shared};
use crate::output::Verdict;
use crate::relax;

/// What else ranks have to know.
pub(crate) struct Ranks {
    pub(crate) comm: Box<dyn Comm>,
    /// What was saved last, for the last words when a rank dies.
    pub(crate) saved: Saved,
}

/// This rank's way to the others; nothing in a run of one process. The exit code where it cannot be: rank 0 has said why.
pub(crate) fn begin() -> Result<Option<Ranks>, ExitCode> {
    let saved = Saved::default();
    match comm(&saved) {
        Ok(comm) => Ok(comm.filter(|comm| comm.ranks() > 1).map(|comm| Ranks { comm, saved })),
        Err(failure) => {
            if launched().is_none_or(|own| own.rank == 0) {
                eprintln!("steric: {failure}");
            }
            Err(ExitCode::from(2))
        }
    }
}

#[cfg(feature = "mpi")]
fn comm(saved: &Saved) -> Result<Option<Box<dyn Comm>>, Failure> {
    let begun = steric::cluster::comm::Mpi::begin(saved.clone());
    let begun = begun.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(begun.map(|mpi| Box::new(mpi) as Box<dyn Comm>))
}

#[cfg(not(feature = "mpi"))]
fn comm(_saved: &Saved) -> Result<Option<Box<dyn Comm>>, Failure> {
    match launched() {
        Some(own) if own.ranks != Some(1) => Err(Failure::usage(
            "expected a steric that was built with --features mpi, found one without it: every process would do the whole run by itself",
        )),
        _ => Ok(None),
    }
}

/// The command line. What is wrong with it, and help, is printed by rank 0 alone.
pub(crate) fn parsed(parse: impl FnOnce() -> Result<Cli, clap::Error>) -> Result<Cli, ExitCode> {
    parse().map_err(|error| {
        if launched().is_none_or(|own| own.rank == 0) {
            // There is nobody left to tell when this fails.
            let _ = error.print();
        }
        let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        ExitCode::from(if is_help { 0 } else { 2 })
    })
}

/// Runs a command on all ranks.
pub(crate) fn run(command: Option<Command>, shared: &Shared, ranks: &Ranks) -> Result<Verdict, Failure> {
    let arguments = match command {
        None => relax::Arguments::of_the_vesicle(),
        Some(Command::Relax(arguments)) => arguments,
        Some(_) => {
            return Err(Failure::usage("expected steric relax on several ranks, found a command of one process"));
        }
    };
    relax::run_on_ranks(&arguments, shared, ranks)
}

/// The processors that the launcher has bound this rank to, or an equal part of the machine's for each of the ranks on it.
pub(crate) fn threads_each(comm: &dyn Comm) -> NonZeroU16 {
    let host = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let here = comm.gather(&host).iter().filter(|other| **other == host).count();
    let own = std::thread::available_parallelism().map_or(1, usize::from);
    let is_bound = online().is_some_and(|all| own < all);
    let each = if is_bound { own } else { own / here.max(1) };
    NonZeroU16::new(u16::try_from(each).unwrap_or(u16::MAX)).unwrap_or(NonZeroU16::MIN)
}

/// How many processors the machine has, from ranges such as `0-3,8`.
fn online() -> Option<usize> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?;
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some((last.parse::<usize>().ok()? + 1).saturating_sub(first.parse().ok()?))
    };
    text.trim().split(',').map(range).sum()
}

/// What every rank has prepared, if all of them could; else the first reason, on all ranks.
pub(crate) fn agreed<T>(comm: &dyn Comm, prepared: Result<T, Failure>) -> Result<T, Failure> {
    let own = prepared.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let all = comm.gather(own.as_bytes());
    let failed = all.iter().filter(|text| !text.is_empty()).count();
    let Some(rank) = all.iter().position(|text| !text.is_empty()) else { return prepared };
    let text = String::from_utf8_lossy(&all[rank]).into_owned();
    let is_of_all = failed == comm.ranks() || rank == 0;
    Err(Failure::usage(if is_of_all { text } else { format!("{text} (on rank {rank})") }))
}
