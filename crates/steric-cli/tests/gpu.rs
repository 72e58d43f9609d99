//! `steric` on a GPU as a user meets it. A software GPU will do; without one the tests say so.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::process::{Command, Output};

use serde_json::Value;

const POPC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb");

fn steric(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder.path()).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// The number of a software GPU in the list; says so where there is none.
fn software() -> Option<String> {
    let listed = json(&steric(&["info", "--gpus", "--json"]));
    let is_software = |gpu: &&Value| gpu["kind"] == "software" && gpu["is_able"] == true;
    let found = listed.as_array().unwrap().iter().find(is_software).map(|gpu| gpu["number"].to_string());
    if found.is_none() {
        eprintln!("skipped: no adapter");
    }
    found
}

#[test]
fn a_vesicle_relaxes_on_a_gpu_to_the_same_bits_each_time() {
    let Some(gpu) = software() else { return };
    let arguments = ["relax", "vesicle", "--count", "300", "--area-per-lipid", "75", "--json", "--gpu", &gpu];
    let runs = [(); 2].map(|()| steric(&arguments));
    let [first, second] = runs.each_ref().map(json);
    assert_eq!(runs[0].status.code(), Some(0), "{}", String::from_utf8_lossy(&runs[0].stderr));
    assert_eq!((&first["after"]["overlaps"], &first["stop"]), (&Value::from(0), &Value::from("rest")));
    assert_ne!(first["backend"], "cpu");
    assert_eq!(first["remarks"], Value::Array(Vec::new()));
    assert_eq!(first["state_hash"], second["state_hash"]);
}

#[test]
fn proxies_go_first_on_a_gpu_too() {
    let Some(gpu) = software() else { return };
    let size =
        ["relax", "vesicle", "--count", "300", "--area-per-lipid", "75", "--proxy", "8", "--json", "--gpu", &gpu];
    let report = json(&steric(&size));
    assert_eq!((&report["after"]["overlaps"], &report["remarks"]), (&Value::from(0), &Value::Array(Vec::new())));
    assert!(report["proxy"]["iterations"].as_u64().unwrap() > 0);
}

#[test]
fn a_check_finds_the_same_pairs_on_a_gpu_and_on_the_cpu() {
    let Some(gpu) = software() else { return };
    for definition in [&["--tolerance", "2.5"], &["--clash", "molprobity"], &["--radii", "bondi"]] {
        let check = |on: &[&str]| json(&steric(&[&["check", POPC, "--json"], &definition[..], on].concat()));
        let (found, expected) = (check(&["--gpu", &gpu]), check(&["--backend", "cpu"]));
        assert_eq!(expected["backend"], "cpu");
        assert_ne!(found["backend"], "cpu");
        assert!(expected["overlaps"].as_u64().unwrap() > 0, "{definition:?}");
        assert_alike(&found, &expected);
    }
}

/// All but times and backends is equal; depths are within 1e-4 angstroms.
fn assert_alike(found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            assert!(found.keys().eq(expected.keys()));
            for (key, value) in expected.iter().filter(|(key, _)| !["seconds", "backend"].contains(&key.as_str())) {
                assert_alike(&found[key], value);
            }
        }
        (Value::Array(found), Value::Array(expected)) => {
            assert_eq!(found.len(), expected.len());
            found.iter().zip(expected).for_each(|(found, expected)| assert_alike(found, expected));
        }
        (Value::Number(found), Value::Number(expected)) => {
            let [found, expected] = [found, expected].map(|number| number.as_f64().unwrap());
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        _ => assert_eq!(found, expected),
    }
}

#[test]
fn a_small_scene_stays_on_the_processor_unless_a_gpu_is_asked_for() {
    assert_eq!(json(&steric(&["check", POPC, "--json"]))["backend"], "cpu");
}

#[test]
fn a_scene_that_a_gpu_cannot_relax_is_refused_with_the_reason() {
    let Some(gpu) = software() else { return };
    let refused = steric(&["relax", "bilayer", "--count", "12", "--quiet", "--gpu", &gpu]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("a periodic box so small is searched on the CPU alone"), "{message}");
}

#[test]
fn the_bench_measures_stages_whole_runs_and_a_search() {
    let Some(gpu) = software() else { return };
    let size = ["bench", "gpu", "--json", "--sizes", "1000", "--repeats", "2", "--detect", "5000"];
    let measured = json(&steric(&[&size[..], &["--gpu", &gpu]].concat()));
    let row = &measured["sizes"][0]["row"];
    assert_eq!((&row["atoms"], &row["is_repeatable"]), (&Value::from(1000), &Value::from(true)), "{measured}");
    assert!(row["pairs"].as_u64().unwrap() > 0 && row["host_ms"].as_f64().unwrap() > 0.0);
    assert!(measured["detection"]["pairs"].as_u64().unwrap() > 0);
    assert!(measured["copy_gb_per_s"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_thesis_is_measured_on_both_backends_where_a_gpu_is_chosen() {
    let Some(gpu) = software() else { return };
    let size = ["bench", "S0", "--json", "--sizes", "1000", "--repeats", "1", "--gpu", &gpu];
    let s0 = json(&steric(&size));
    let lines = s0["table_5_1"].as_array().unwrap();
    assert_eq!(lines.iter().map(|line| &line["backend"]).collect::<Vec<_>>(), ["cpu", "gpu"]);
    assert_eq!(lines[0]["grid"]["pairs"], lines[1]["grid"]["pairs"]);
    assert!(lines[1]["brute_force"]["measured"]["median_ms"].as_f64().unwrap() > 0.0, "it agreed with the grid");
}
