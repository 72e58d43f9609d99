//! `steric bench S0` as a user runs it, small.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn bench_s0(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steric"));
    command.current_dir(folder).args(["bench", "S0"]).args(arguments).output().unwrap()
}

/// The rows of a CSV file, by the names of their columns.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let row = |cells: Vec<String>| {
        assert_eq!(cells.len(), header.len(), "{cells:?}");
        header.iter().cloned().zip(cells).collect()
    };
    lines.map(row).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("expected a number as {column}, found {row:?}"))
}

#[test]
fn both_tables_and_all_figures_are_written_and_brute_force_agrees_with_the_grid() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench_s0(folder.path(), &["--sizes", "5000,10000", "--folder", "out", "--repeats", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Table 5.1") && text.contains("Table 5.2") && text.contains("found the pairs of the grid"));
    let out = folder.path().join("out");
    let table = rows(&out.join("table-5.1.csv"));
    let methods: Vec<(&str, &str)> = table.iter().map(|row| (&*row["atoms"], &*row["method"])).collect();
    let each = ["grid", "brute force", "mean step of a relaxation"];
    assert_eq!(methods, ["5000", "10000"].map(|atoms| each.map(|method| (atoms, method))).concat());
    for row in &table {
        assert!(number(row, "median_ms") > 0.0 && number(row, "pairs") > 100.0, "{row:?}");
        assert_eq!((&*row["scene"], &*row["backend"]), ("rods", "cpu"));
    }
    assert!(table.iter().filter(|row| row["method"] == "brute force").all(|row| row["note"].contains("same pairs")));
    let stages = rows(&out.join("table-5.2.csv"));
    let names: Vec<&str> = stages.iter().map(|row| &*row["stage"]).collect();
    assert_eq!(names, ["search", "contacts", "move", "one iteration"]);
    for figure in ["figure-5.1.svg", "figure-4.2a.svg", "figure-4.2b.svg"] {
        let svg = std::fs::read_to_string(out.join(figure)).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.len() > 1_000, "{figure}");
    }
}

#[test]
fn brute_force_that_is_not_bearable_is_left_out_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = bench_s0(folder.path(), &["--sizes", "5000", "--bearable", "0", "--repeats", "1", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = &document["table_5_1"][0];
    assert!(line["brute_force"]["too_long"]["predicted_ms"].as_f64().unwrap() > 0.0, "{line}");
    assert!(line["grid"]["pairs"].as_u64().unwrap() > 100);
    assert_eq!(document["files"].as_array().unwrap().len(), 5);
    let table = rows(&folder.path().join("s0/table-5.1.csv"));
    assert!(table[1]["median_ms"].is_empty() && table[1]["note"].starts_with("left out"));
}

#[test]
fn what_cannot_be_measured_is_refused_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for (arguments, expected) in [
        (&["--sizes", "7"][..], "expected 1000 to 100000000 atoms"),
        (&["--response", "magic"], "expected newton, projection or thesis"),
        (&["--threads", "1,2"], "expected one number of threads"),
        (&["--folder", "file"], "file"),
    ] {
        let output = bench_s0(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(expected), "{arguments:?}");
    }
}
