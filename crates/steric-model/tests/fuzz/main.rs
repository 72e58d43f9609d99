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
mod rig_seeds;
mod seeds;
mod subject;
#[path = "../tet_mesh/written/mod.rs"]
mod written;

use mutate::{Random, mutate};
use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};
use subject::Subject;

/// How long the default run takes, all formats together.
const SECONDS: f64 = 18.0;
/// The address space of the child: a quarter of it would do, but threads reserve more than they use.
const MOST_KIB: u64 = 2 << 20;
/// Inputs are below 256 KiB; a reader that needs this long for one has lost its way.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn fuzz_seeds_are_sound_files() {
    for subject in subjects() {
        let (name, bytes) = subject.seeds().swap_remove(0);
        let is_empty = subject.is_empty(&bytes, &path(subject)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!is_empty, "{name} has atoms, or places for them");
    }
}

#[test]
fn fuzz_readers_survive_damaged_files() {
    std::fs::create_dir_all(folder()).unwrap();
    // What an earlier run left would point at the wrong reader.
    Subject::all().into_iter().for_each(|subject| drop(std::fs::remove_file(current(subject))));
    let time = Duration::from_secs_f64(setting("STERIC_FUZZ_SECONDS", SECONDS));
    let status = run_child(time + PATIENCE);
    let current: Vec<PathBuf> = subjects().into_iter().map(current).filter(|path| path.exists()).collect();
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
    let subjects = subjects();
    let seconds = setting("STERIC_FUZZ_SECONDS", SECONDS) / subjects.len() as f64;
    let failures: usize = subjects.into_iter().map(|subject| fuzz(subject, Duration::from_secs_f64(seconds))).sum();
    assert_eq!(failures, 0, "inputs that made a reader or a writer panic are in {}", folder().display());
}

#[test]
#[ignore = "reads the file that STERIC_FUZZ_REPLAY names"]
fn fuzz_replay() {
    let file = std::env::var_os("STERIC_FUZZ_REPLAY").expect("STERIC_FUZZ_REPLAY names a file");
    let file = Path::new(&file);
    let subject = Subject::from_path(file).expect("the ending names the format");
    for is_forced in [true, false] {
        subject.read(&std::fs::read(file).unwrap(), &path(subject), is_forced);
    }
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
fn fuzz(subject: Subject, time: Duration) -> usize {
    let (seeds, path) = (subject.seeds(), path(subject));
    let mut store = File::create(current(subject)).unwrap();
    let (start, first) = (Instant::now(), setting("STERIC_FUZZ_START", 0.0) as u64);
    let (mut iteration, mut failures, mut accepted, mut slowest) = (first, 0, 0_u64, (Duration::ZERO, 0));
    while start.elapsed() < time && failures < 5 {
        let mut random = Random(iteration);
        let (name, seed) = random.choose(&seeds);
        let bytes = mutate(seed, &random.choose(&seeds).1.clone(), &mut random);
        keep(&mut store, &bytes);
        let is_forced = random.below(4) > 0;
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| subject.read(&bytes, &path, is_forced))) {
            Ok(was_read) => accepted += u64::from(was_read),
            Err(_) => {
                failures += 1;
                let file = folder().join(format!("panic-{iteration}.{}", subject.endings()[0]));
                std::fs::write(&file, &bytes).unwrap();
                eprintln!("{}: iteration {iteration} from {name}: {}", subject.name(), file.display());
            }
        }
        slowest = slowest.max((began.elapsed(), iteration));
        iteration += 1;
    }
    std::fs::remove_file(current(subject)).unwrap();
    let (tried, (longest, when)) = (iteration - first, slowest);
    eprintln!("{:16}{:4} seeds {tried:9} inputs {accepted:9} read {failures:4} panics", subject.name(), seeds.len());
    eprintln!("{:16}slowest {:.1} ms, iteration {when}", "", longest.as_secs_f64() * 1e3);
    failures
}

fn keep(store: &mut File, bytes: &[u8]) {
    store.rewind().unwrap();
    store.write_all(bytes).unwrap();
    store.set_len(bytes.len() as u64).unwrap();
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz")
}

fn current(subject: Subject) -> PathBuf {
    folder().join(format!("current.{}", subject.endings()[0]))
}

/// Beside the embedded lipids, because results of cellPACK look for their molecules around themselves.
fn path(subject: Subject) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/data");
    folder.join(format!("damaged.{}", subject.endings()[0]))
}

fn subjects() -> Vec<Subject> {
    let chosen = std::env::var("STERIC_FUZZ_FORMATS").unwrap_or_default();
    let is_chosen = |subject: &Subject| chosen.split(',').any(|ending| subject.endings().contains(&ending));
    Subject::all().into_iter().filter(|subject| chosen.is_empty() || is_chosen(subject)).collect()
}

fn setting(name: &str, otherwise: f64) -> f64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}
