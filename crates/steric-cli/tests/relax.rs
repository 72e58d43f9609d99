//! `steric relax` as a user meets it: scenes, models, exit codes, interrupted and resumed runs, files.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steric"));
    command.current_dir(folder).args(arguments);
    command
}

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {} {}", stdout(output), stderr(output)))
}

#[test]
fn every_written_format_holds_no_overlap() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["gro", "pdb", "cif", "bcif", "pdb.gz"] {
        let name = format!("v.{ending}");
        let arguments = ["relax", "vesicle", "--count", "300", "--area-per-lipid", "75", "-o", &name, "--seed", "7"];
        let output = steric(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{ending} {}", stderr(&output));
        let by = if ending.ends_with("cif") { "instance" } else { "residue" };
        let check = json(&steric(folder.path(), &["check", &name, "--molecules", by, "--json"]));
        assert_eq!((&check["overlaps"], &check["molecules"]), (&Value::from(0), &Value::from(300)), "{ending}");
        assert_eq!(check["atoms"], 300 * 52, "{ending}");
    }
}

#[test]
fn build_places_what_relax_pushes_apart() {
    let folder = tempfile::tempdir().unwrap();
    let build = ["build", "vesicle", "--count", "300", "-o", "start.cif"];
    assert_eq!(steric(folder.path(), &build).status.code(), Some(0));
    let check = json(&steric(folder.path(), &["check", "start.cif", "--json"]));
    assert!(check["overlaps"].as_u64().unwrap() > 1000);
    let cleaned = steric(folder.path(), &["relax", "start.cif", "-o", "clean.cif"]);
    assert_eq!(cleaned.status.code(), Some(0), "{}", stdout(&cleaned));
    assert_eq!(json(&steric(folder.path(), &["check", "clean.cif", "--json"]))["overlaps"], 0);
}

#[test]
fn a_scene_file_is_relaxed_and_its_mistakes_are_told_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let scene = "tolerance = 2.5\nperiodic-box = [60, 60, 60]\n\n[[solute]]\nmolecule = \"ubiquitin\"\ncount = 10\n";
    std::fs::write(folder.path().join("box.toml"), scene).unwrap();
    let report = json(&steric(folder.path(), &["relax", "box.toml", "--json", "-o", "box.pdb"]));
    assert_eq!((&report["molecules"], &report["after"]["overlaps"]), (&Value::from(10), &Value::from(0)));
    let check = ["check", "box.pdb", "--molecules", "chain", "--tolerance", "2.5", "--periodic", "yes", "--json"];
    assert_eq!(json(&steric(folder.path(), &check))["overlaps"], 0);
    std::fs::write(folder.path().join("typo.toml"), scene.replace("count", "cuont")).unwrap();
    let refused = steric(folder.path(), &["relax", "typo.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = stderr(&refused);
    assert!(message.contains("typo.toml:6") && message.contains("cuont") && message.contains("count"), "{message}");
    let refused = steric(folder.path(), &["relax", "box.toml", "--set", "physics.targte=1.02"]);
    assert!(stderr(&refused).contains("target"), "{}", stderr(&refused));
}

#[test]
fn a_model_is_cleaned_up_and_fixed_molecules_stay() {
    let folder = tempfile::tempdir().unwrap();
    let atom = |serial: u32, chain: char, x: f32| {
        format!(
            "HETATM{serial:5} ZN    ZN {chain}{serial:4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00          ZN  \n",
            0.0, 0.0
        )
    };
    let model = format!("{}{}{}END\n", atom(1, 'A', 0.0), atom(2, 'B', 1.0), atom(3, 'C', 30.0));
    std::fs::write(folder.path().join("ions.pdb"), &model).unwrap();
    let output = steric(folder.path(), &["relax", "ions.pdb", "-o", "clean.pdb"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(steric(folder.path(), &["check", "clean.pdb"]).status.code(), Some(0));
    let clean = std::fs::read_to_string(folder.path().join("clean.pdb")).unwrap();
    assert!(clean.contains("  30.000   0.000   0.000"), "what was clean stays: {clean}");
    // Nobody may move: the overlap stays, and the answer is 1.
    let output = steric(folder.path(), &["relax", "ions.pdb", "--fix", "ZN", "-o", "same.pdb"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let same = std::fs::read_to_string(folder.path().join("same.pdb")).unwrap();
    assert!(same.contains("   1.000   0.000   0.000"), "{same}");
}

#[test]
fn every_response_and_proxies_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    for response in ["newton", "projection", "thesis"] {
        let arguments =
            ["relax", "vesicle", "--count", "400", "--response", response, "--max-iterations", "30", "--json"];
        let report = json(&steric(folder.path(), &arguments));
        assert_eq!(report["response"], response);
        let [before, after] = ["before", "after"].map(|when| report[when]["overlaps"].as_u64().unwrap());
        assert!(after < before, "{response}: {before} {after}");
    }
    let proxied = json(&steric(folder.path(), &["relax", "vesicle", "--count", "400", "--proxy", "17", "--json"]));
    assert_eq!((&proxied["proxy"]["spheres_per_molecule"], &proxied["after"]["overlaps"]), (&17.into(), &0.into()));
    assert!(proxied["proxy"]["fit"]["mean_overestimate"].as_f64().unwrap() > 0.0);
    assert!(proxied["proxy"]["seconds_saved_estimate"].is_f64());
}

#[test]
fn a_crowd_that_cannot_fit_is_judged_before_the_run_and_listed_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["relax", "vesicle", "--count", "2000", "--area-per-lipid", "30", "--max-iterations", "20"];
    let output = steric(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("would fit"), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("would fit") && stdout(&output).contains("Still overlapping"),
        "{}",
        stdout(&output)
    );
}

/// A run that is long enough to be interrupted, saved after every iteration.
const LONG: [&str; 7] =
    ["relax", "vesicle", "--count", "4000", "--checkpoint", "run.checkpoint", "--checkpoint-every=0"];

fn started(folder: &Path, more: &[&str]) -> Child {
    let mut child = command(folder, &LONG).args(more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let limit = Instant::now() + Duration::from_secs(60);
    while !folder.join("run.checkpoint").exists() {
        assert!(Instant::now() < limit && child.try_wait().unwrap().is_none(), "it saves before it ends");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_killed_run_is_resumed_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let whole = json(&steric(folder.path(), &["relax", "vesicle", "--count", "4000", "--json"]));
    let mut child = started(folder.path(), &[]);
    child.kill().unwrap();
    let killed = child.wait().unwrap();
    assert!(!killed.success());
    let resumed = command(folder.path(), &LONG).args(["--resume", "--json", "--threads", "1"]).output().unwrap();
    assert!(stderr(&resumed).contains("going on from run.checkpoint"), "{}", stderr(&resumed));
    let resumed = json(&resumed);
    assert_eq!((&resumed["state_hash"], &resumed["iterations"]), (&whole["state_hash"], &whole["iterations"]));
    let other = command(folder.path(), &LONG).args(["--resume", "--seed", "9"]).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("expected a checkpoint of this scene"), "{}", stderr(&other));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_cleanly_and_writes_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let child = started(folder.path(), &["-o", "half.cif"]);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("interrupted"), "{}", stderr(&output));
    let check = json(&steric(folder.path(), &["check", "half.cif", "--json"]));
    assert_eq!(check["molecules"], 4000);
}

#[test]
fn nothing_is_lost_when_something_cannot_be_written_or_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("out.pdb"), "precious\n").unwrap();
    let nan = "HETATM    1 ZN    ZN A   1         nan   0.000   0.000  1.00  0.00          ZN  \nEND\n";
    std::fs::write(folder.path().join("nan.pdb"), nan).unwrap();
    let cases: [&[&str]; 5] = [
        &["relax", "nan.pdb", "-o", "out.pdb"],
        &["relax", "nothing.toml", "-o", "out.pdb"],
        &["relax", "vesicles", "-o", "out.pdb"],
        &["relax", "vesicle", "--count", "400", "--report", "/dev/full", "-o", "new.pdb"],
        &["relax", "vesicle", "--count", "400", "-o", "out.docx"],
    ];
    for arguments in cases {
        let output = steric(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {}", stderr(&output));
        assert!(stderr(&output).starts_with("steric: "), "{}", stderr(&output));
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("out.pdb")).unwrap(), "precious\n");
}

#[test]
fn the_page_is_one_file_with_plots() {
    let folder = tempfile::tempdir().unwrap();
    steric(folder.path(), &["relax", "vesicle", "--count", "400", "--report", "page.html"]);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!") && page.matches("<svg").count() >= 4 && !page.contains("<script"));
}

#[test]
fn the_page_shows_the_molecules_before_and_after_where_a_gpu_draws_them() {
    if steric::gpu::Gpu::software().is_none() {
        eprintln!("skipped: no software GPU");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // A model without copies: each atom is a molecule of its own.
    let ions = "HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN  \n\
                HETATM    2 ZN    ZN A   2       1.500   0.000   0.000  1.00  0.00          ZN  \nEND\n";
    std::fs::write(folder.path().join("ions.pdb"), ions).unwrap();
    for input in [&["vesicle", "--count", "400"][..], &["ions.pdb"]] {
        let output = steric(folder.path(), &[&["relax", "--report", "page.html"], input].concat());
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        let pictures: Vec<&str> = page.split("data:image/png;base64,").skip(1).collect();
        assert_eq!(pictures.len(), 2, "{input:?} {}", stderr(&output));
        assert_ne!(pictures[0].split('"').next(), pictures[1].split('"').next(), "{input:?}");
    }
}

#[test]
fn packmol_jobs_are_solved_within_their_constraints() {
    let jobs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers/packmol");
    if !Path::new(DATA).join("packmol").exists() && !jobs.join("POPC.pdb").exists() {
        eprintln!("skipped: no packmol inputs");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scene = jobs.join("bilayer64_tight.toml").display().to_string();
    let report = json(&steric(folder.path(), &["relax", &scene, "--json"]));
    assert_eq!((&report["after"]["overlaps"], &report["holds"]["broken"]), (&0.into(), &0.into()));
    assert_eq!(report["atoms"], 128 * 134);
}
