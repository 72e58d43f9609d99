//! Measures steric beside its peers on one machine and keeps the numbers as CSV.
//!
//! How it works: each program runs in a process of its own and prints JSON rows; this one starts them one after
//! another, checks that they counted the same pairs, and writes `benches/results/<machine>/<name>.csv`. What a program
//! times is its own affair and is said at the top of its source. `benches/peers/run.sh` builds everything and calls it.
#![allow(clippy::print_stdout, reason = "a command-line program speaks on stdout")]

mod compare;
mod growth;
mod models;
mod plot;
mod relax;
mod row;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "\
steric-benches compare PROGRAMS   scenes against the peers, into neighbours.csv
steric-benches growth PROGRAMS    time per atom from 10^5 to 10^7 atoms, into growth.csv and growth.svg
steric-benches billion PROGRAMS   index and count from 10^6 to 10^9 atoms as instances, into billion.csv
steric-benches models PROGRAMS    whole checks of large models in ../shared/data, into models.csv
steric-benches relax PROGRAMS     whole relaxations of vesicles, into relax.csv; --atoms 100000000 for the largest
steric-benches plot               growth.svg again, from growth.csv
steric-benches folder             where the results of this machine are kept
PROGRAMS: --steric PATH --scenes FOLDER [--peers PATH] [--python PATH] [--repeats N] [--atoms N]";

/// Where the programs are and how often they run.
#[derive(Debug, Default)]
pub(crate) struct Setup {
    steric: PathBuf,
    scenes: PathBuf,
    peers: Option<PathBuf>,
    python: Option<PathBuf>,
    repeats: Option<u32>,
    atoms: Option<u64>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("compare") => setup(&arguments[1..]).and_then(|setup| compare::compare(&setup)),
        Some("growth") => setup(&arguments[1..]).and_then(|setup| growth::growth(&setup)),
        Some("billion") => setup(&arguments[1..]).and_then(|setup| growth::billion(&setup)),
        Some("models") => setup(&arguments[1..]).and_then(|setup| models::models(&setup)),
        Some("relax") => setup(&arguments[1..]).and_then(|setup| relax::relax(&setup)),
        Some("plot") => growth::plot_again(),
        Some("folder") => {
            println!("{}", row::results().display());
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn setup(arguments: &[String]) -> Result<Setup, String> {
    let mut setup = Setup::default();
    for pair in arguments.chunks(2) {
        let [option, value] = pair else { return Err(format!("{:?} wants a value\n{USAGE}", pair[0])) };
        let number = || value.parse::<u64>().map_err(|_| format!("{option}: expected a whole number, found {value:?}"));
        match option.as_str() {
            "--steric" => setup.steric = value.into(),
            "--scenes" => setup.scenes = value.into(),
            "--peers" => setup.peers = Some(value.into()),
            "--python" => setup.python = Some(value.into()),
            "--repeats" => setup.repeats = Some(u32::try_from(number()?).unwrap_or(u32::MAX).max(1)),
            "--atoms" => setup.atoms = Some(number()?),
            _ => return Err(format!("no option is called {option:?}\n{USAGE}")),
        }
    }
    Ok(setup)
}

/// What a program prints on stdout; its complaints stay on the terminal.
pub(crate) fn output_of(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.stderr(std::process::Stdio::inherit()).output().map_err(|error| format!("{name}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{name}: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
