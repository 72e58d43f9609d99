//! `steric pack` as a user meets it: inputs of packmol, exit codes, files, reports.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const WATER: &str = "\
HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  HOH A   1       0.757   0.000   0.586  1.00  0.00           H
HETATM    3  H2  HOH A   1      -0.757   0.000   0.586  1.00  0.00           H
END
";
const BOX: &str = "tolerance 2.0\noutput box.pdb\nseed 7\nmaxit 20\nstructure water.pdb\n number 200\n inside cube 0 0 0 19\n\
    end structure\n";

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with a water and an input.
fn folder(input: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("water.pdb"), WATER).unwrap();
    std::fs::write(folder.path().join("a.inp"), input).unwrap();
    folder
}

#[test]
fn an_input_of_packmol_becomes_its_output() {
    let folder = folder(BOX);
    let output = steric(folder.path(), &["pack", "a.inp"]);
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{told}");
    assert!(said.starts_with("packed 200 molecules with 600 atoms in "), "{said}");
    assert!(told.contains("maxit changes nothing: "), "{told}");
    let packed = std::fs::read_to_string(folder.path().join("box.pdb")).unwrap();
    let atoms: Vec<&str> = packed.lines().filter(|line| line.starts_with("HETATM")).collect();
    assert_eq!((atoms.len(), &atoms[599][..26]), (600, "HETATM  600  H2  HOH A 200"));
    assert_eq!(steric(folder.path(), &["check", "box.pdb"]).status.code(), Some(0));
}

#[test]
fn the_same_seed_writes_the_same_bytes_and_other_formats_hold_the_same() {
    let folder = folder(BOX);
    let packed = |arguments: &[&str], file: &str| {
        let output = steric(folder.path(), &[&["pack", "a.inp", "-o", file], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        std::fs::read(folder.path().join(file)).unwrap()
    };
    let one = packed(&["--threads", "1"], "one.pdb");
    assert_eq!(one, packed(&["--threads", "3"], "three.pdb"));
    assert_ne!(one, packed(&["--seed", "8"], "other.pdb"));
    assert!(text(&packed(&[], "box.cif")).contains("_atom_site.Cartn_x"));
    assert!(!folder.path().join("box.pdb").exists());
}

#[test]
fn what_does_not_fit_is_said_with_the_reason() {
    let folder = folder(&BOX.replace("0 19", "0 9"));
    let output = steric(folder.path(), &["pack", "a.inp", "--max-iterations", "50"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.starts_with("not solved: 200 molecules with 600 atoms"), "{said}");
    assert!(said.contains("line 5: water.pdb: of 200 molecules") && said.contains("that is impossible"), "{said}");
    assert!(folder.path().join("box.pdb").exists(), "the best structure is written");
    let output = steric(folder.path(), &["pack", "a.inp", "--max-iterations", "50", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["solved"], &report["infeasible"]["kind"]), (&false.into(), &"no-room".into()));
}

#[test]
fn bad_input_writes_nothing() {
    let folder = folder(&BOX.replace("inside", "insid"));
    let output = steric(folder.path(), &["pack", "a.inp"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr)
            .starts_with("steric: a.inp:7: columns 2-6: expected a keyword of packmol (did you mean inside?)")
    );
    assert!(!folder.path().join("box.pdb").exists());
    std::fs::write(folder.path().join("a.inp"), BOX.replace("water.pdb", "wter.pdb")).unwrap();
    let output = steric(folder.path(), &["pack", "a.inp"]);
    assert_eq!((output.status.code(), text(&output.stderr).contains("wter.pdb: ")), (Some(2), true));
}

#[test]
fn molecule_files_are_found_beside_the_input_and_restarts_go_on() {
    let folder = folder(&BOX.replace("number", "restart_to w.restart\n number"));
    let elsewhere = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.inp");
    let output = steric(elsewhere.path(), &["pack", input.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let first = std::fs::read(elsewhere.path().join("box.pdb")).unwrap();
    let restart = std::fs::read_to_string(elsewhere.path().join("w.restart")).unwrap();
    assert_eq!(restart.lines().count(), 200);
    std::fs::write(&input, BOX.replace("number", "restart_from w.restart\n number")).unwrap();
    let output = steric(elsewhere.path(), &["pack", input.to_str().unwrap(), "--seed", "99"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(first, std::fs::read(elsewhere.path().join("box.pdb")).unwrap());
}
