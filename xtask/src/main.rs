//! The chores of this repository, in plain Rust so that a machine with only Rust can run them.
//!
//! How it works: a chore is a list of steps, each one a command with a name. Every step runs, also after a failure,
//! because a formatting slip should not hide a broken test; the summary and the exit code tell. All steps share one
//! target directory and the dev profile, so that a crate is compiled once for all of them.
#![allow(clippy::print_stdout, reason = "a command-line program speaks on stdout")]

mod gltf;
mod licences;
mod pictures;
mod programs;
mod python;
mod steps;
mod system;
mod vulkan;
mod web;
mod wheel;

use std::path::Path;
use std::process::{Command, ExitCode};
use steps::{Steps, cargo};

const USAGE: &str = "\
cargo xtask check           before every commit: format, lints, unit tests
cargo xtask test            everything: format, lints, all tests, documentation, fuzzing, licences
cargo xtask mpi             runs on several machines: lints and tests of what needs MPI, which `test` has, too
cargo xtask bench [ARGS]    steric against its peers on this machine, into benches/results/ (see benches/README.md)
cargo xtask bench billion   a billion atoms as instances, into benches/results/
cargo xtask bench relax     whole relaxations of vesicles, into benches/results/
cargo xtask plot            draws benches/results/<machine>/*.svg again from the CSV files
cargo xtask picture         draws docs/vesicle.png and book/src/pictures/*.png, the pictures of the README and the guide
cargo xtask web             the studio as a page, into target/page
cargo xtask web test        the same, and tries it in a browser";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore = arguments.first().map(String::as_str);
    match chore {
        Some("check") => check(),
        Some("test") => test(),
        Some("bench") => bench(&arguments[1..]),
        Some("mpi") => mpi_alone(),
        Some("plot") => plot(),
        Some("picture") => picture(),
        Some("web") => web::chore(&arguments[1..]),
        Some("help" | "--help" | "-h") | None => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some(unknown) => {
            eprintln!("no chore is called {unknown:?}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn check() -> ExitCode {
    let mut steps = Steps::default();
    format_and_lints(&mut steps);
    steps.command("unit tests", cargo(&["test", "--workspace", "--no-fail-fast", "--lib", "--bins"]));
    steps.summary()
}

fn test() -> ExitCode {
    let mut steps = Steps::default();
    let python = python::with_readers(&mut steps);
    vulkan::software(&mut steps);
    programs::on_the_path(&mut steps);
    let validator = gltf::validator(&mut steps);
    format_and_lints(&mut steps);
    if programs::device_libraries(&mut steps) {
        steps.command("gamepads and sound", cargo(&DEVICES));
    }
    mpi(&mut steps);
    steps.command("all tests", other_readers(cargo(&ALL_TESTS), python.as_deref(), validator.as_deref()));
    steps.command("documentation examples", cargo(&["test", "--workspace", "--no-fail-fast", "--doc"]));
    steps.command("fuzzing", cargo(&["test", "--workspace", "--test", "fuzz", "--", "--nocapture", "fuzz_"]));
    wheel::tested(&mut steps);
    web::tested(&mut steps, python.as_deref());
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    steps.command("documentation", documentation);
    steps.run("licences", licences::check);
    deny(&mut steps);
    steps.summary()
}

fn mpi_alone() -> ExitCode {
    let mut steps = Steps::default();
    mpi(&mut steps);
    steps.summary()
}

/// Runs on several machines, played by four ranks on this one.
fn mpi(steps: &mut Steps) {
    if programs::mpi(steps) {
        steps.command("lints with MPI", cargo(&MPI_LINTS));
        steps.command("a program of ranks", cargo(&MPI_EXAMPLE));
        steps.command("tests with MPI", cargo(&MPI_TESTS));
    }
}

const MPI_LINTS: [&str; 9] =
    ["clippy", "--workspace", "--all-targets", "--quiet", "--features", "steric-cli/mpi", "--", "-D", "warnings"];
// Of the whole workspace, so that other crates' features and with them what is compiled stay the same.
const MPI_EXAMPLE: [&str; 6] = ["build", "--workspace", "--features", "steric-cli/mpi", "--example", "ranks"];
const MPI_TESTS: [&str; 9] =
    ["test", "--workspace", "--features", "steric-cli/mpi", "--no-fail-fast", "--test", "mpi", "--example", "ranks"];

/// What is built only where the system has the libraries for it.
const DEVICES: [&str; 9] = [
    "clippy",
    "--workspace",
    "--all-targets",
    "--quiet",
    "--features",
    "steric-studio/devices",
    "--",
    "-D",
    "warnings",
];

/// Fuzzing has a step of its own, which shows its progress; `--tests` takes in the end-to-end tests of the command.
const ALL_TESTS: [&str; 11] = [
    "test",
    "--workspace",
    "--no-fail-fast",
    "--lib",
    "--bins",
    "--tests",
    "--examples",
    "--",
    "--quiet",
    "--skip",
    "fuzz_",
];

fn format_and_lints(steps: &mut Steps) {
    steps.command("format", cargo(&["fmt", "--all", "--check"]));
    steps.command("lints", cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]));
}

/// Tests that open our files in other programs look for a Python with their packages and for the validator of glTF here, and
/// skip without them.
fn other_readers(mut tests: Command, python: Option<&Path>, validator: Option<&Path>) -> Command {
    for (name, value) in [("STERIC_PYTHON", python), ("STERIC_GLTF_VALIDATOR", validator)] {
        if let Some(value) = value {
            tests.env(name, value);
        }
    }
    tests
}

/// Licences, bans and sources need no network; the advisories are a database that has to be fetched.
fn deny(steps: &mut Steps) {
    if !steps::answers(&mut cargo(&["deny", "--version"])) {
        steps.skip("cargo deny", "cargo-deny is not installed (cargo install --locked cargo-deny)");
        return;
    }
    steps.command("cargo deny", cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"]));
    if steps::answers(&mut cargo(&["deny", "fetch", "db"])) {
        steps.command("advisories", cargo(&["deny", "--offline", "check", "advisories"]));
    } else {
        steps.skip("advisories", "the database could not be fetched");
    }
}

fn bench(arguments: &[String]) -> ExitCode {
    let mut steps = Steps::default();
    if let Some(alone @ ("billion" | "relax")) = arguments.first().map(String::as_str) {
        steps.command("build", cargo(&["build", "--release", "--package", "steric-cli"]));
        let mut bench = cargo(&["run", "--quiet", "--release", "--package", "steric-benches", "--", alone, "--steric"]);
        bench.arg(steps::target().join("release/steric")).args(&arguments[1..]);
        steps.command("bench", bench);
        return steps.summary();
    }
    let mut script = Command::new("sh");
    script.current_dir(steps::root()).arg("benches/peers/run.sh").args(arguments);
    steps.command("bench", script);
    steps.summary()
}

fn plot() -> ExitCode {
    let mut steps = Steps::default();
    steps.command("plot", cargo(&["run", "--quiet", "--release", "--package", "steric-benches", "--", "plot"]));
    steps.summary()
}

fn picture() -> ExitCode {
    let mut steps = Steps::default();
    steps.command(
        "picture",
        cargo(&["run", "--quiet", "--release", "--package", "steric-scenes", "--example", "picture"]),
    );
    pictures::draw(&mut steps);
    steps.summary()
}
