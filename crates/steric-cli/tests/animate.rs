//! `steric animate`, as a user types it.
#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    if !path.is_file() {
        println!("skipped: no ../shared/data");
        return None;
    }
    Some(path)
}

#[test]
fn a_kinase_without_any_file_becomes_a_trajectory_that_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &["animate", "--frames", "9", "--level", "residue", "-o", "kinase.xtc"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("clip \"sway\" of 4.00 s"), "{}", text(&output.stdout));
    let again = steric(
        folder.path(),
        &["animate", "kinase.pdb", "--trajectory", "kinase.xtc", "--frames", "4", "-o", "again.dcd"],
    );
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(folder.path().join("again.dcd").is_file());
    let models = steric(folder.path(), &["animate", "--frames", "3", "-o", "models.cif"]);
    assert!(models.status.success(), "{}", text(&models.stderr));
    let keys = steric(folder.path(), &["animate", "models.cif", "--json"]);
    assert!(keys.status.success(), "{}", text(&keys.stderr));
    assert!(text(&keys.stderr).contains("3 models"), "{}", text(&keys.stderr));
}

#[test]
fn one_file_holds_corrections_and_is_played_without_making_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let baked = steric(
        folder.path(),
        &["animate", "--collide", "--frames", "12", "--report", "overlaps.csv", "-o", "kinase.steric"],
    );
    assert!(baked.status.success(), "{}", text(&baked.stderr));
    let report = std::fs::read_to_string(folder.path().join("overlaps.csv")).unwrap();
    assert!(report.lines().skip(1).all(|line| line.split(',').nth(3) == Some("0")), "{report}");
    assert!(report.lines().skip(1).any(|line| line.split(',').nth(1) != Some("0")), "{report}");
    let again = steric(folder.path(), &["animate", "kinase.steric", "--collide", "--frames", "12", "-o", "kinase.pdb"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(text(&again.stderr).contains("holds corrections"), "{}", text(&again.stderr));
    let glb = steric(folder.path(), &["animate", "kinase.steric", "-o", "kinase.glb"]);
    assert!(text(&glb.stderr).contains("take level residue"), "{}", text(&glb.stderr));
    let without = steric(folder.path(), &["animate", "kinase.steric", "--collide=off", "-o", "kinase.glb"]);
    assert!(without.status.success(), "{}", text(&without.stderr));
    std::fs::write(folder.path().join("broken.steric"), b"PK\x03\x04 no more").unwrap();
    let broken = steric(folder.path(), &["animate", "broken.steric"]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(text(&broken.stderr).starts_with("steric: broken.steric: expected "), "{}", text(&broken.stderr));
}

#[test]
fn a_file_is_played_as_it_was_made_and_goes_to_blender_with_its_corrections() {
    let folder = tempfile::tempdir().unwrap();
    let made = ["animate", "--level", "residue", "--collide", "--frames", "6", "-o", "k.steric"];
    assert!(steric(folder.path(), &made).status.success());
    let glb = steric(folder.path(), &["animate", "k.steric", "--frames", "6", "-o", "k.glb"]);
    assert!(glb.status.success() && text(&glb.stdout).contains("level residue"), "{}", text(&glb.stderr));
    let linear =
        steric(folder.path(), &["animate", "k.steric", "--turning", "lerp", "--collide", "--frames", "6", "--json"]);
    assert!(!text(&linear.stderr).contains("holds corrections"), "they were made for another turning");
}

#[test]
fn nothing_that_is_read_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    assert!(steric(folder.path(), &["animate", "--frames", "2", "-o", "kinase.xtc"]).status.success());
    let before = std::fs::read(folder.path().join("kinase.pdb")).unwrap();
    for arguments in [
        &["animate", "kinase.pdb", "--frames", "2", "-o", "kinase.xtc"][..],
        &["animate", "kinase.pdb", "--trajectory", "kinase.xtc", "-o", "kinase.xtc"],
        &["animate", "kinase.pdb", "--skeleton", "rig.glb", "-o", "rig.glb"],
    ] {
        let refused = steric(folder.path(), arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", text(&refused.stdout));
    }
    assert_eq!(std::fs::read(folder.path().join("kinase.pdb")).unwrap(), before);
}

#[test]
fn what_would_be_ignored_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(steric(folder.path(), &["animate", "--frames", "2", "-o", "k.steric"]).status.success());
    for (arguments, words) in [
        (&["k.steric", "--bones", "helix"][..], "--bones: expected a structure"),
        (&["--unit", "10"], "--unit: expected a skeleton from a file"),
        (&["--at", "1", "-o", "k.xtc"], "--at: expected a picture or a film"),
        (&["--at", "9", "-o", "k.png"], "--at: expected 0 to 4.00 s"),
        (&["--distance", "4", "-o", "k.png"], "--distance: expected 0 to 3"),
        (&["--atoms-each", "0"], "1 or more"),
        (&["--collide", "--report", "k.png"], "--report: expected FILE.csv or FILE.svg"),
        (&["--turn", "1,2", "--skeleton", "x.glb"], "expected three numbers"),
        (&["--frames", "4000000000"], "--frames"),
    ] {
        let refused = steric(folder.path(), &[&["animate"], arguments].concat());
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(text(&refused.stderr).contains(words), "{arguments:?}: {}", text(&refused.stderr));
    }
}

#[test]
fn small_proteins_sway_as_well() {
    let Some(structure) = shared("structures/1ubq.pdb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &["animate", structure.to_str().unwrap(), "--json"]);
    assert!(text(&output.stdout).contains("\"sway\",\n      4.0"), "{}", text(&output.stdout));
}

#[test]
fn a_skeleton_from_a_file_is_fitted_and_said_so() {
    let (Some(rig), Some(structure)) = (shared("animation/RiggedFigure.dae"), shared("structures/1ubq.pdb")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "animate",
        structure.to_str().unwrap(),
        "--skeleton",
        rig.to_str().unwrap(),
        "--turn",
        "0,-90,0",
        "--frames",
        "5",
        "-o",
        "u.xtc",
    ];
    let output = steric(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("fitted"), "{}", text(&output.stderr));
    // 19 joints, the armature that carries them in the file, and what brings all to the structure.
    assert!(text(&output.stdout).contains("21 joints"), "{}", text(&output.stdout));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), "structure = \"a.pdb\"\nlevle = \"residue\"\n").unwrap();
    let wrong = steric(folder.path(), &["animate", "scene.toml"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).starts_with("steric: scene.toml:2"), "{}", text(&wrong.stderr));
    let missing = steric(folder.path(), &["animate", "fibrinogen"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("3GHG"), "{}", text(&missing.stderr));
    let ending = steric(folder.path(), &["animate", "-o", "kinase.xyzzy"]);
    assert_eq!(ending.status.code(), Some(2));
    assert!(text(&ending.stderr).contains(".steric"), "{}", text(&ending.stderr));
    let clip = steric(folder.path(), &["animate", "--clip", "jump"]);
    assert!(text(&clip.stderr).contains("expected one of sway"), "{}", text(&clip.stderr));
}

#[test]
fn kinesin_walks() {
    let Some(structure) = shared("structures/haushofer/3kin.pdb") else { return };
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["animate", structure.to_str().unwrap(), "--skeleton", "kinesin", "--frames", "3", "-o", "walk.dcd"];
    let output = steric(folder.path(), &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("plays the clip \"walk\""), "{}", text(&output.stdout));
}

#[test]
fn fibrinogen_bends_and_nothing_overlaps() {
    let Some(structure) = shared("structures/haushofer/3ghg_fibrinogen.pdb.gz") else { return };
    let folder = tempfile::tempdir().unwrap();
    // A tenth of the frames of `steric bench S3 fibrinogen`.
    let arguments = [
        "animate",
        structure.to_str().unwrap(),
        "--skeleton",
        "fibrinogen",
        "--collide",
        "--frames",
        "24",
        "--report",
        "f.csv",
    ];
    let output = steric(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let report = std::fs::read_to_string(folder.path().join("f.csv")).unwrap();
    assert!(report.lines().count() >= 25);
}
