//! `steric dock` as a user meets it: poses judged, a path followed, a log played again, mistakes told.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data");

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

/// Lysozyme, and cholesterol 45 angstroms beside it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(format!("{DATA}/lysozyme.pdb"), folder.path().join("receptor.pdb")).unwrap();
    let ligand = std::fs::read_to_string(format!("{DATA}/cholesterol.pdb")).unwrap();
    let moved = |line: &str| match line.get(30..38).and_then(|x| x.trim().parse::<f64>().ok()) {
        Some(x) if line.starts_with("ATOM") || line.starts_with("HETATM") => {
            format!("{}{:8.3}{}\n", &line[..30], x + 45.0, &line[38..])
        }
        _ => format!("{line}\n"),
    };
    let moved: String = ligand.lines().map(moved).collect();
    std::fs::write(folder.path().join("ligand.pdb"), moved).unwrap();
    folder
}

#[test]
fn a_ligand_follows_a_path_and_its_log_gives_the_same_bits() {
    let folder = folder();
    let steps: String = (1..=60).map(|step| format!("{}, 0, {}\n", -step, 0.1 * f64::from(step))).collect();
    std::fs::write(folder.path().join("path.csv"), format!("x,y,z\n{steps}")).unwrap();
    let follow =
        ["dock", "receptor.pdb", "ligand.pdb", "--path", "path.csv", "--record", "hand.log", "-o", "end.pdb", "--json"];
    let output = steric(folder.path(), &follow);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = json(&output);
    let path = report["path"].as_array().unwrap();
    assert_eq!((path.len(), &path[0]["is_there"]), (60, &Value::from(true)));
    assert!(path.iter().any(|motion| motion["contacts"].as_u64().unwrap() > 0), "it has touched");
    assert_eq!(report["end"]["clashes"], 0, "and it is not inside");
    // The file holds what the report says.
    let end = json(&steric(folder.path(), &["dock", "receptor.pdb", "end.pdb", "--json"]));
    assert_eq!(end["poses"][0]["contacts"], report["end"]["contacts"]);
    let output = steric(folder.path(), &["dock", "receptor.pdb", "ligand.pdb", "--play", "hand.log", "--json"]);
    let played = json(&output);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!((&played["played"]["deeds"], &played["played"]["same"]), (&Value::from(60), &Value::from(60)));
    assert_eq!(played["end"]["contacts"], report["end"]["contacts"]);
    // The same from where the file has it, put beside first.
    let inside = format!("{DATA}/cholesterol.pdb");
    let put =
        ["dock", "receptor.pdb", &inside, "--start", "45,0,0", "--path", "path.csv", "--record", "put.log", "--json"];
    let output = steric(folder.path(), &put);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = steric(folder.path(), &["dock", "receptor.pdb", &inside, "--play", "put.log"]);
    assert!(text(&output.stdout).contains("played: 61 deeds, all the same bits"), "{}", text(&output.stdout));
    // Every index finds the same way.
    for index in ["grid", "hashed", "brute"] {
        let output =
            steric(folder.path(), &["dock", "receptor.pdb", "ligand.pdb", "--play", "hand.log", "--index", index]);
        assert_eq!(output.status.code(), Some(0), "{index}: {}", text(&output.stdout));
        assert!(text(&output.stdout).contains("all the same bits"));
    }
}

#[test]
fn a_clash_is_told_with_its_atoms_and_the_exit_code() {
    let folder = folder();
    let inside = format!("{DATA}/cholesterol.pdb");
    let output = steric(folder.path(), &["dock", "receptor.pdb", &inside]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("A CLR 1 ") && said.contains(" Å  "), "{said}");
    let free = steric(folder.path(), &["dock", "receptor.pdb", "ligand.pdb"]);
    assert_eq!(free.status.code(), Some(0));
    assert!(text(&free.stdout).contains("no Coulomb energy"));
}

#[test]
fn mistakes_are_told() {
    let folder = folder();
    std::fs::write(folder.path().join("path.csv"), "0,0,0\n1,2\n").unwrap();
    std::fs::write(folder.path().join("hand.log"), "nonsense").unwrap();
    std::fs::write(folder.path().join("water.xyz"), "3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n").unwrap();
    std::fs::write(folder.path().join("h.xyz"), "1\nproton\nH 0 0 0\n").unwrap();
    for (arguments, expected) in [
        (&["receptor.pdb", "ligand.pdb", "--path", "path.csv"][..], "path.csv:2: expected x,y,z"),
        (&["receptor.pdb", "ligand.pdb", "--play", "hand.log"], "hand.log:1: expected a log of steric dock"),
        (&["receptor.pdb", "h.xyz"], "h.xyz: expected atoms that take part, found none"),
        (&["receptor.pdb", "ligand.pdb", "--pose", "7"], "--pose: expected 1 to 1, found 7"),
        (&["receptor.pdb", "ligand.pdb", "--response", "bounce"], "expected detect, stop, slide or push, found bounce"),
        (&["receptor.pdb", "nothing.pdb"], "nothing.pdb"),
    ] {
        let output = steric(folder.path(), &[&["dock"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn the_study_of_1989_is_measured_again() {
    let folder = folder();
    let output = steric(folder.path(), &["bench", "S4", "--paths", "50", "--folder", ".", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let numbers = json(&output);
    assert!(numbers["receptor_atoms"].as_u64().unwrap() > 100_000 && numbers["ligand_atoms"] == 40);
    assert!(numbers["deepest_left"].as_f64().unwrap() < 1e-3);
    assert_eq!(numbers["table_2"].as_array().unwrap().len(), 4);
}
