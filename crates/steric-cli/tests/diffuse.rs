//! `steric diffuse` as a user meets it: a run, its files in other programs, a stop and a resume, mistakes told.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// A crowd of two species, one of which holds on to its like.
const SCENE: &str = r#"name = "small"
box = [200.0, 200.0, 200.0]
time-unit = "ns"
time-step = 0.5
steps = 60
frame-every = 10

[[species]]
name = "A"
radius = 8.0
diffusion = 4.0
fraction = 0.1

[[species]]
name = "B"
radius = 5.0
diffusion-um2-s = 60.0
count = 100

[[rule]]
between = ["A", "A"]
probability = 0.2
then = "bind"
most = 4
"#;

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", text(&output.stdout), text(&output.stderr)))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.toml"), SCENE).unwrap();
    folder
}

#[test]
fn ready_scenes_run_without_an_overlap_and_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let receptors = json(&steric(folder.path(), &["diffuse", "--steps", "300", "--check", "--json"]));
    assert_eq!((&receptors["name"], &receptors["deepest_overlap"]), (&Value::from("egf-receptors"), &Value::Null));
    assert!(receptors["cluster_sizes"].as_array().unwrap().len() > 1, "{receptors}");
    let output = steric(folder.path(), &["diffuse", "cytoplasm", "--steps", "50", "-o", "end.cif"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no overlap") && folder.path().join("end.cif").is_file());
    let checked = steric(folder.path(), &["info", "end.cif"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
}

#[test]
fn every_strategy_writes_the_same_log_and_threads_change_nothing() {
    let folder = folder();
    let log = |name: &str, more: &[&str]| {
        let file = format!("{name}.csv");
        let run = [&["diffuse", "small.toml", "--steps", "12", "--log", &file, "--json"], more].concat();
        let output = steric(folder.path(), &run);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        (std::fs::read_to_string(folder.path().join(file)).unwrap(), json(&output)["state_hash"].clone())
    };
    let expected = log("naive", &["--strategy", "naive"]);
    assert!(expected.0.lines().count() > 20 && expected.0.contains(",rule 1,"), "{}", expected.0);
    for strategy in ["a", "b", "c", "fast"] {
        assert_eq!(log(strategy, &["--strategy", strategy]), expected, "{strategy}");
    }
    assert_eq!(log("one", &["--threads", "1"]), expected);
    assert_eq!(log("three", &["--threads", "3"]), expected);
    assert_ne!(log("other", &["--seed", "5"]).0, expected.0);
}

#[test]
fn a_run_that_was_stopped_goes_on_with_the_same_bits_and_loses_nothing() {
    let folder = folder();
    let run = |name: &str, more: &[&str]| {
        let (film, log) = (format!("{name}.xtc"), format!("{name}.csv"));
        let arguments = [&["diffuse", "small.toml", "-o", &film, "--log", &log, "--json"], more].concat();
        let output = steric(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        json(&output)["state_hash"].clone()
    };
    let read = |file: &str| std::fs::read(folder.path().join(file)).unwrap();
    let whole = run("whole", &["--steps", "60"]);
    run("parts", &["--steps", "33", "--checkpoint", "run.chk"]);
    // What was written after the checkpoint, and then half a row: as a crash leaves it.
    let mut log = read("parts.csv");
    log.extend_from_slice(b"40,1.5,3,A,4,A,reflect,1,2,3\n33,9.");
    std::fs::write(folder.path().join("parts.csv"), log).unwrap();
    let parts = run("parts", &["--steps", "60", "--checkpoint", "run.chk", "--resume"]);
    assert_eq!(parts, whole);
    assert!(read("parts.csv") == read("whole.csv"), "the same contacts");
    assert!(read("parts.xtc") == read("whole.xtc"), "the same frames");
    let other = steric(folder.path(), &["diffuse", "cytoplasm", "--checkpoint", "run.chk", "--resume", "--steps", "1"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("run.chk: expected a checkpoint of this scene"), "{}", text(&other.stderr));
}

#[test]
fn mistakes_are_told_with_their_line() {
    let folder = folder();
    let refused = |text_of_scene: &str, more: &[&str]| {
        std::fs::write(folder.path().join("wrong.toml"), text_of_scene).unwrap();
        let output = steric(folder.path(), &[&["diffuse", "wrong.toml", "--steps", "1"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let cases = [
        (SCENE.replace("radius = 8.0", "radius = -8.0"), "wrong.toml:10: expected a radius above 0, found \"-8\""),
        (SCENE.replace("most = 4", "mosst = 4"), "wrong.toml:24: expected unknown field"),
        (SCENE.replace("[\"A\", \"A\"]", "[\"A\", \"C\"]"), "wrong.toml:21: expected a species: A, B, found \"C\""),
        (SCENE.replace("fraction = 0.1", "fraction = 0.9"), "expected room for"),
        (
            SCENE.replace("time-step = 0.5", "time-step = 0.5\nresponse = \"explode\""),
            "wrong.toml:5: expected reflect, stop, slide or stick",
        ),
        (SCENE.replace("box = [200.0, 200.0, 200.0]", "box = [20.0, 200.0, 200.0]"), "an edge of at least 33.6"),
        ("box = 7".to_owned(), "wrong.toml:1: expected"),
    ];
    for (scene, expected) in cases {
        let told = refused(&scene, &[]);
        assert!(told.contains(expected), "{told}");
    }
    let vanish = SCENE.replace("then = \"bind\"\nmost = 4", "then = \"vanish\"");
    assert!(refused(&vanish, &["-o", "run.xtc"]).contains("found a rule by which two become one or vanish"));
    assert!(refused(SCENE, &["-o", "run.doc"]).contains("expected a trajectory (.xtc, .dcd, .simularium), a snapshot"));
    assert!(refused(SCENE, &["--log", "run.doc"]).contains("expected a log that ends in .csv or .parquet"));
    let output = steric(folder.path(), &["diffuse", "cytoplasma"]);
    assert!(
        text(&output.stderr).contains("expected a scene file, or egf-receptors or cytoplasm"),
        "{}",
        text(&output.stderr)
    );
}

/// Reads what a run has written, with MDAnalysis, simulariumio and pyarrow.
const READERS: &str = r#"
import sys, json
what = sys.argv[1]
if what == "MDAnalysis":
    import MDAnalysis
    universe = MDAnalysis.Universe("run.pdb", sys.argv[2])
    last = [universe.trajectory.n_frames, len(universe.atoms), float(universe.trajectory[-1].time)]
    print(*last, *(float(x) for x in universe.atoms.positions[:3].flatten()))
elif what == "simulariumio":
    data = json.load(open("run.simularium"))
    from simulariumio import FileConverter, InputFileData
    converter = FileConverter(InputFileData("run.simularium"))
    agents = converter._data.agent_data
    print(agents.times.size, int(agents.n_agents[-1]), float(agents.times[-1]), *(float(x) for x in agents.positions[-1][0]))
else:
    import pyarrow.parquet
    table = pyarrow.parquet.read_table("run.parquet")
    print(table.num_rows, *table.column("first").to_pylist()[:5])
"#;

#[test]
fn the_field_reads_what_a_run_writes() {
    let Some(python) = std::env::var_os("STERIC_PYTHON") else {
        println!("skipped: STERIC_PYTHON names no Python");
        return;
    };
    let folder = folder();
    for output in ["run.xtc", "run.dcd", "run.simularium", "run.csv"] {
        let log = if output == "run.csv" { "run.parquet" } else { "contacts.csv" };
        let done = steric(folder.path(), &["diffuse", "small.toml", "-o", output, "--log", log]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    }
    let ask = |package: &str, more: &str| {
        let has_it = Command::new(&python).args(["-W", "ignore", "-c", &format!("import {package}")]).output().unwrap();
        if !has_it.status.success() {
            println!("skipped: the Python of STERIC_PYTHON has no {package}");
            return None;
        }
        let run = Command::new(&python)
            .current_dir(folder.path())
            .args(["-W", "ignore", "-c", READERS, package, more])
            .output();
        let output = run.unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        // simulariumio says what it does before.
        let printed = text(&output.stdout);
        let last = printed.lines().last().unwrap();
        Some(last.split_whitespace().map(|word| word.parse::<f64>().unwrap()).collect::<Vec<f64>>())
    };
    let last = std::fs::read_to_string(folder.path().join("run.csv")).unwrap();
    let places: Vec<Vec<f64>> =
        last.lines().skip(1).map(|line| line.split(',').skip(2).map(|word| word.parse().unwrap()).collect()).collect();
    for film in ["run.xtc", "run.dcd"] {
        let Some(read) = ask("MDAnalysis", film) else { continue };
        assert_eq!((read[0], read[1] as usize), (7.0, places.len()), "{film}");
        assert!((read[2] - 30_000.0).abs() < 1.0, "30 ns: {}", read[2]);
        let expected: Vec<f64> = places[..3].iter().flatten().copied().collect();
        assert!(
            read[3..].iter().zip(&expected).all(|(read, place)| (read - place).abs() < 0.006),
            "{read:?} {expected:?}"
        );
    }
    if let Some(read) = ask("simulariumio", "") {
        assert_eq!((read[0], read[1] as usize), (7.0, places.len()));
        assert!((read[2] - 30.0).abs() < 1e-6, "{}", read[2]);
    }
    if let Some(read) = ask("pyarrow", "") {
        let log = std::fs::read_to_string(folder.path().join("contacts.csv")).unwrap();
        assert_eq!(read[0] as usize, log.lines().count() - 1);
        let first: Vec<f64> =
            log.lines().skip(1).take(5).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
        assert_eq!(read[1..], first[..]);
    }
}
