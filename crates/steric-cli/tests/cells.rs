//! The whole cells that are ready: small ones are relaxed, and what is written is searched anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Each with what makes it small enough for a test.
const CELLS: [(&str, &[&str]); 4] = [
    ("exosome", &["--radius", "150", "--set", "fibre.units=200"]),
    (
        "syn3a-small",
        &[
            "--radius",
            "230",
            "--set",
            "region.1.depth=50",
            "--set",
            "fibre.units=600",
            "--set",
            "membrane.protein.1.per-um2=1",
            "--set",
            "solute.0.molecule=antibody",
            "--set",
            "solute.0.sphere=85",
        ],
    ),
    (
        "mitochondrion-membrane",
        &[
            "--set",
            "membrane.semi-axes=[200, 110, 78]",
            "--set",
            "membrane.protein.positions=[[180, 0, 54], [180, 0, -54]]",
        ],
    ),
    (
        "plasma-hiv",
        &[
            "--radius",
            "250",
            "--set",
            "membrane.1.start=[0, 0, -30]",
            "--set",
            "membrane.1.end=[0, 0, 20]",
            "--set",
            "membrane.1.radii=[95, 85]",
            "--set",
            "fibre.units=120",
            "--set",
            "region.4.low=[-330, -330, -330]",
            "--set",
            "region.4.high=[330, 330, 330]",
            "--set",
            "solute.0.count=5",
            "--set",
            "solute.1.count=1",
            "--set",
            "solute.2.count=1",
            "--set",
            "solute.1.molecule=ubiquitin",
            "--set",
            "solute.1.sphere=20",
            "--set",
            "solute.2.molecule=ubiquitin",
            "--set",
            "solute.2.sphere=20",
            "--set",
            "solute.3.count=5",
            "--set",
            "solute.4.count=10",
        ],
    ),
];

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    let told = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told()))
}

fn relaxed(folder: &Path, name: &str, small: &[&str], more: &[&str]) -> Value {
    let output = steric(folder, &[&["relax", name, "--json"], small, more].concat());
    assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    json(&output)
}

#[test]
fn every_cell_comes_to_rest_and_a_fresh_search_of_its_file_finds_no_overlap() {
    let folder = tempfile::tempdir().unwrap();
    for (name, small) in CELLS {
        let report = relaxed(folder.path(), name, small, &["-o", "cell.bcif"]);
        assert_eq!(report["after"]["overlaps"], 0, "{name}");
        let check =
            steric(folder.path(), &["check", "cell.bcif", "--molecules", "instance", "--periodic", "no", "--json"]);
        let check = json(&check);
        assert_eq!(check["overlaps"], 0, "{name}");
        assert_eq!((&check["atoms"], &check["molecules"]), (&report["atoms"], &report["molecules"]), "{name}");
        assert!(report["fixed"].as_u64().unwrap() > 100 || name == "mitochondrion-membrane", "{name} has a fibre");
    }
}

#[test]
fn a_cell_has_the_same_bits_with_one_thread_and_with_two() {
    let folder = tempfile::tempdir().unwrap();
    let (name, small) = CELLS[0];
    let hash = |threads: &str| relaxed(folder.path(), name, small, &["--threads", threads])["state_hash"].clone();
    assert_eq!(hash("1"), hash("2"));
}
