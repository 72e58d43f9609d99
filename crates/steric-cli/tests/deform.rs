//! `steric deform` as a user meets it: a run, its files, mistakes told.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SCENE: &str = "name = \"two\"\nsteps = 12\nframe-every = 4\nfloor = 0.0\n[[body]]\nname = \"cube\"\nblock = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }\nat = [0.0, 0.0, 0.06]\ncopies = 2\nevery = [0.01, 0.02, 0.12]\n";

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

#[test]
fn a_scene_runs_and_leaves_a_series_a_table_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.toml"), SCENE).unwrap();
    let ran = steric(folder.path(), &["deform", "two.toml", "--json", "-o", "run.vtu", "--series", "run.csv"]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!((report["steps"].as_u64(), report["overlapping"].as_u64()), (Some(12), Some(0)));
    assert_eq!(report["bodies"].as_array().map(Vec::len), Some(2));
    for file in ["run-0000.vtu", "run-0003.vtu", "run.vtu", "run.pvd"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("run.csv")).unwrap().lines().count(), 13);
    let again = steric(folder.path(), &["deform", "run.vtu", "run-0000.vtu", "--steps", "2", "--quiet"]);
    assert_eq!(again.status.code(), Some(0), "what it writes it drops: {}", String::from_utf8_lossy(&again.stderr));
}

#[test]
fn mistakes_are_told_with_file_and_line_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.toml"), SCENE.replace("steps = 12", "steps = twelve")).unwrap();
    std::fs::write(folder.path().join("two.toml"), SCENE).unwrap();
    for (arguments, expected) in [
        (&["deform", "bad.toml", "-o", "run.vtu"][..], "bad.toml:2"),
        (&["deform", "nothing"], "stack or socket or skin"),
        (&["deform", "nothing.msh"], "nothing.msh"),
        (&["deform", "two.toml", "-o", "run.pdb"], ".vtu or .glb"),
        (&["deform", "two.toml", "-o", "two.toml"], "two.toml"),
    ] {
        let ran = steric(folder.path(), arguments);
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.code() == Some(2) && told.contains(expected), "{arguments:?}: {told}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("two.toml")).unwrap(), SCENE);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}
