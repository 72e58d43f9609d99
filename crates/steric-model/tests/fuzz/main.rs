//! No input file, however broken, makes a reader panic, hang or take memory without bound.
//!
//! How it works: sound files are damaged at random, but by seeds that are the same everywhere, and read. That happens
//! in a child process whose address space is limited, so that a count believed from a file ends in a refused
//! allocation instead of a full machine. Each input is stored before it is read: when the child dies, the last one is
//! the culprit. What can be read is also written in every format.
//!
//! - `STERIC_FUZZ_SECONDS=3600` runs longer, `STERIC_FUZZ_FORMATS=gro,xyz` chooses readers by their endings,
//!   `STERIC_FUZZ_START=1000000` begins at another iteration,
//! - `STERIC_FUZZ_REPLAY=FILE cargo test --test fuzz -- --ignored fuzz_replay` reads one stored input again.
#![allow(clippy::unwrap_used, reason = "a test that cannot prepare its files has failed")]

mod mutate;
mod seeds;

use mutate::{Random, mutate};
use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use steric_model::Warnings;
use steric_model::formats::{Format, read_bytes, write_bytes};

/// How long the default run takes, all formats together.
const SECONDS: f64 = 10.0;
/// The address space of the child: a quarter of it would do, but threads reserve more than they use.
const MOST_KIB: u64 = 2 << 20;
/// Inputs are below 256 KiB; a reader that needs this long for one has lost its way.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn fuzz_seeds_are_sound_files() {
    for format in formats() {
        let (name, bytes) = seeds::seeds(format).swap_remove(0);
        let parsed = read_bytes(&bytes, &path(format), Some(format));
        let parsed = parsed.unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_empty = parsed.value.atoms.is_empty() && parsed.value.assemblies.is_empty();
        assert!(!is_empty, "{name} has atoms, or places for them");
    }
}

#[test]
fn fuzz_readers_survive_damaged_files() {
    std::fs::create_dir_all(folder()).unwrap();
    // What an earlier run left would point at the wrong reader.
    Format::ALL.into_iter().for_each(|format| drop(std::fs::remove_file(current(format))));
    let time = Duration::from_secs_f64(setting("STERIC_FUZZ_SECONDS", SECONDS));
    let status = run_child(time + PATIENCE);
    let current: Vec<PathBuf> = formats().into_iter().map(current).filter(|path| path.exists()).collect();
    match status {
        Some(status) if status.success() => {}
        Some(status) => panic!("the reader failed ({status}); panics are named above, otherwise see {current:?}"),
        None => panic!("the reader did not come back; see {current:?}"),
    }
}

/// The child of the test above; alone it runs the same way, without the limit on memory.
#[test]
#[ignore = "run by fuzz_readers_survive_damaged_files"]
fn fuzz_child() {
    let formats = formats();
    let seconds = setting("STERIC_FUZZ_SECONDS", SECONDS) / formats.len() as f64;
    let failures: usize = formats.into_iter().map(|format| fuzz(format, Duration::from_secs_f64(seconds))).sum();
    assert_eq!(failures, 0, "inputs that made a reader or a writer panic are in {}", folder().display());
}

#[test]
#[ignore = "reads the file that STERIC_FUZZ_REPLAY names"]
fn fuzz_replay() {
    let file = std::env::var_os("STERIC_FUZZ_REPLAY").expect("STERIC_FUZZ_REPLAY names a file");
    let file = Path::new(&file);
    let format = Format::from_path(file).expect("the ending names the format");
    read_and_write(&std::fs::read(file).unwrap(), format, Some(format));
    read_and_write(&std::fs::read(file).unwrap(), format, None);
}

fn run_child(limit: Duration) -> Option<ExitStatus> {
    let arguments = ["--exact", "fuzz_child", "--ignored", "--nocapture"];
    let program = std::env::current_exe().unwrap();
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {MOST_KIB}; exec \"$0\" \"$@\"")]).arg(program);
        shell
    } else {
        Command::new(program)
    };
    // Each thread's allocator reserves address space, and a large machine has many.
    let mut child = command.args(arguments).env("RAYON_NUM_THREADS", "2").spawn().unwrap();
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// Reads damaged files of one format for some time; returns how many made it panic, and stops at the fifth.
fn fuzz(format: Format, time: Duration) -> usize {
    let seeds = seeds::seeds(format);
    let mut store = File::create(current(format)).unwrap();
    let (start, first) = (Instant::now(), setting("STERIC_FUZZ_START", 0.0) as u64);
    let (mut iteration, mut failures, mut accepted, mut slowest) = (first, 0, 0_u64, (Duration::ZERO, 0));
    while start.elapsed() < time && failures < 5 {
        let mut random = Random(iteration);
        let (name, seed) = random.choose(&seeds);
        let bytes = mutate(seed, &random.choose(&seeds).1.clone(), &mut random);
        keep(&mut store, &bytes);
        let forced = (random.below(4) > 0).then_some(format);
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| read_and_write(&bytes, format, forced))) {
            Ok(was_read) => accepted += u64::from(was_read),
            Err(_) => {
                failures += 1;
                let file = folder().join(format!("panic-{iteration}.{}", format.extensions()[0]));
                std::fs::write(&file, &bytes).unwrap();
                eprintln!("{}: iteration {iteration} from {name}: {}", format.name(), file.display());
            }
        }
        slowest = slowest.max((began.elapsed(), iteration));
        iteration += 1;
    }
    std::fs::remove_file(current(format)).unwrap();
    let (tried, (longest, when)) = (iteration - first, slowest);
    eprintln!("{:16}{:4} seeds {tried:9} inputs {accepted:9} read {failures:4} panics", format.name(), seeds.len());
    eprintln!("{:16}slowest {:.1} ms, iteration {when}", "", longest.as_secs_f64() * 1e3);
    failures
}

/// Reads, checks what every result promises, and writes it again; returns whether it could be read.
fn read_and_write(bytes: &[u8], format: Format, forced: Option<Format>) -> bool {
    let path = path(format);
    let parsed = match read_bytes(bytes, &path, forced) {
        Ok(parsed) => parsed,
        Err(error) => {
            let message = error.to_string();
            let name = path.display().to_string();
            assert!(message.starts_with(&name), "an error names the file: {message}");
            assert!(message.len() < 1000, "an error is a sentence, not {} bytes: {message:.100}", message.len());
            return false;
        }
    };
    let warnings = parsed.warnings;
    assert!(warnings.first.len() <= Warnings::KEPT.min(warnings.total), "warnings are counted, not hoarded");
    warnings.first.iter().for_each(|warning| assert!(!warning.to_string().is_empty()));
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        // A structure that a format cannot hold is refused with an error, which is as good here as a file.
        let _ = write_bytes(format, &parsed.value, &mut std::io::sink());
    }
    true
}

fn keep(store: &mut File, bytes: &[u8]) {
    store.rewind().unwrap();
    store.write_all(bytes).unwrap();
    store.set_len(bytes.len() as u64).unwrap();
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

fn current(format: Format) -> PathBuf {
    folder().join(format!("current.{}", format.extensions()[0]))
}

/// Beside the embedded lipids, because results of cellPACK look for their molecules around themselves.
fn path(format: Format) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/data");
    folder.join(format!("damaged.{}", format.extensions()[0]))
}

fn formats() -> Vec<Format> {
    let chosen = std::env::var("STERIC_FUZZ_FORMATS").unwrap_or_default();
    let is_chosen = |format: &Format| chosen.split(',').any(|ending| format.extensions().contains(&ending));
    Format::ALL.into_iter().filter(|format| chosen.is_empty() || is_chosen(format)).collect()
}

fn setting(name: &str, otherwise: f64) -> f64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}
