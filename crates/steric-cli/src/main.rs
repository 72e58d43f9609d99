//! The command `steric`: molecules must not overlap.
//!
//! How it works: one file per subcommand; each returns what the process should answer (0 clean, 1 overlaps found), and
//! every failure ends here as one line on stderr and exit code 2.

mod animate;
mod bench;
mod build;
mod check;
mod convert;
mod deform;
mod diffuse;
mod dock;
mod failure;
mod fibre;
mod gpus;
mod html;
mod info;
mod npz;
mod options;
mod output;
mod pack;
mod plot;
mod ranks;
mod recipe;
mod relax;
mod render;
mod studio;
mod table;

use std::process::ExitCode;

use clap::Parser;

use failure::Failure;
use options::{Cli, Command, Shared};
use output::Verdict;

fn main() -> ExitCode {
    let Cli { command, mut shared } = match ranks::parsed(Cli::try_parse) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let ranks = match ranks::begin() {
        Ok(ranks) => ranks,
        Err(code) => return code,
    };
    let done = match (command, &ranks) {
        (command, Some(ranks)) => {
            if shared.threads.is_empty() {
                shared.threads = vec![ranks::threads_each(&*ranks.comm)];
            }
            in_thread_pool(&shared, || ranks::run(command, &shared, ranks))
        }
        // A window wants the first thread of all.
        (Some(Command::Studio(arguments)), None) => studio::run(&arguments, &shared),
        (command, None) => in_thread_pool(&shared, || run(command, &shared)),
    };
    // What all ranks know, one says, before they part.
    if ranks.as_ref().is_some_and(|ranks| ranks.comm.rank() > 0) {
        return ExitCode::SUCCESS;
    }
    match done {
        Ok(verdict) => verdict.into(),
        Err(failure) => {
            eprintln!("steric: {failure}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Option<Command>, shared: &Shared) -> Result<Verdict, Failure> {
    shared.check_backend()?;
    if shared.threads.len() > 1 && !matches!(command, Some(Command::Bench(_))) {
        return Err(Failure::usage("--threads: expected one number, found several; only bench takes a list"));
    }
    match command {
        None => relax::run(&relax::Arguments::of_the_vesicle(), shared),
        Some(Command::Check(arguments)) => check::run(&arguments, shared),
        Some(Command::Info(arguments)) => info::run(&arguments, shared),
        Some(Command::Convert(arguments)) => convert::run(&arguments, shared),
        Some(Command::Relax(arguments)) => relax::run(&arguments, shared),
        Some(Command::Pack(arguments)) => pack::run(&arguments, shared),
        Some(Command::Build(arguments)) => build::run(&arguments, shared),
        Some(Command::Animate(arguments)) => animate::run(&arguments, shared),
        Some(Command::Render(arguments)) => render::run(&arguments, shared),
        Some(Command::Deform(arguments)) => deform::run(&arguments, shared),
        Some(Command::Diffuse(arguments)) => diffuse::run(&arguments, shared),
        Some(Command::Dock(arguments)) => dock::run(&arguments, shared),
        Some(Command::Studio(arguments)) => studio::run(&arguments, shared),
        Some(Command::Bench(arguments)) => bench::run(&arguments, shared),
    }
}

/// Everything runs in a pool of the asked size; without a wish, in rayon's own.
fn in_thread_pool<T: Send>(shared: &Shared, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    match shared.threads[..] {
        [] => work(),
        [threads] => options::thread_pool(usize::from(threads.get()))?.install(work),
        // A pool for each count: see `bench`.
        _ => work(),
    }
}
