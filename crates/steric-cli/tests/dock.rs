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
fn scenes_that_come_with_steric_need_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let report = json(&steric(folder.path(), &["dock", "dhfr", "--json"]));
    assert_eq!((&report["ligand_atoms"], &report["receptor_atoms"]), (&Value::from(21), &Value::from(1268)));
    std::fs::write(folder.path().join("in.csv"), "0,0,0\n").unwrap();
    let path = ["dock", "dhfr", "--path", "in.csv", "--record", "in.log", "-o", "end.pdb", "--json"];
    let output = steric(folder.path(), &path);
    let moved = json(&output);
    assert_eq!(moved["end"]["clashes"], 0, "{}", text(&output.stderr));
    assert!(folder.path().join("end.pdb").is_file());
    // A log knows what it was made with.
    let played = steric(folder.path(), &["dock", "--play", "in.log"]);
    assert!(text(&played.stdout).contains("all the same bits"), "{}", text(&played.stderr));
    let bot = ["dock", "fitting", "--bot", "3", "-o", "trials.csv"];
    assert_eq!(steric(folder.path(), &bot).status.code(), Some(0));
    let trials = std::fs::read_to_string(folder.path().join("trials.csv")).unwrap();
    assert_eq!(trials.lines().next(), Some("who,response,is_solved,seconds,motions,hits,errors"));
    assert_eq!(trials.lines().filter(|line| line.contains(",slide,true,")).count(), 3, "{trials}");
    let nothing = steric(folder.path(), &["dock", "nothing"]);
    assert!(text(&nothing.stderr).contains("expected a ligand beside it, or the scene dhfr or fitting"));
}

#[test]
fn many_poses_become_a_table() {
    let folder = folder();
    let ligand = std::fs::read_to_string(folder.path().join("ligand.pdb")).unwrap();
    let atoms: String =
        ligand.lines().filter(|line| line.starts_with("HETATM")).map(|line| format!("{line}\n")).collect();
    let poses: String = (1..=60).map(|number| format!("MODEL     {number:4}\n{atoms}ENDMDL\n")).collect();
    std::fs::write(folder.path().join("poses.pdb"), poses).unwrap();
    let output = steric(folder.path(), &["dock", "receptor.pdb", "poses.pdb", "-o", "poses.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("and 20 more"), "{}", text(&output.stdout));
    let table = std::fs::read_to_string(folder.path().join("poses.csv")).unwrap();
    assert_eq!((table.lines().count(), table.lines().nth(1).unwrap().starts_with("1,0,0,")), (61, true), "{table}");
}

#[test]
fn meshes_are_moved_as_molecules_are() {
    let folder = folder();
    let cube = |side: f64, x: f64| {
        let corner = |at: u32| [0, 1, 2].map(|axis| if at >> axis & 1 == 1 { side } else { -side });
        let vertices: String = (0..8).map(corner).map(|[a, b, c]| format!("v {} {b} {c}\n", a + x)).collect();
        let faces = [
            "1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 5 7", "1 7 3", "2 4 8", "2 8 6",
        ];
        vertices + &faces.map(|face| format!("f {face}\n")).concat()
    };
    std::fs::write(folder.path().join("wall.obj"), cube(5.0, 0.0)).unwrap();
    std::fs::write(folder.path().join("die.obj"), cube(1.0, 10.0)).unwrap();
    std::fs::write(folder.path().join("path.csv"), "-30,0,0\n").unwrap();
    for ending in [&[][..], &["--convex"]] {
        let arguments = [
            &["dock", "wall.obj", "die.obj", "--tolerance", "0", "--response", "stop", "--path", "path.csv", "--json"],
            ending,
        ];
        let output = steric(folder.path(), &arguments.concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = json(&output);
        let came = report["path"][0]["came"][0].as_f64().unwrap();
        assert!((came + 4.0).abs() < 2e-3, "it stops at the wall: {came}");
        assert_eq!(report["path"][0]["is_there"], false);
    }
    // A molecule among triangles.
    let molecule = ["dock", "wall.obj", "ligand.pdb", "--json"];
    assert_eq!(json(&steric(folder.path(), &molecule))["overlaps"], 0);
    std::fs::write(folder.path().join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n").unwrap();
    let output = steric(folder.path(), &["dock", "flat.obj", "die.obj"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("flat.obj"), "{}", text(&output.stderr));
    let output = steric(folder.path(), &["dock", "wall.obj", "die.obj", "--minimise", "5"]);
    assert!(text(&output.stderr).contains("--minimise: expected molecules, found a mesh"));
}

#[test]
fn dice_roll_and_come_to_rest() {
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &["dock", "dice", "--seconds", "8", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rolled = json(&output);
    assert_eq!((&rolled["bodies"], &rolled["at_rest"]), (&Value::from(7), &Value::from(true)));
    let energies: Vec<f64> =
        rolled["moments"].as_array().unwrap().iter().map(|moment| moment["energy"].as_f64().unwrap()).collect();
    assert!(energies.windows(2).all(|two| two[1] <= two[0] + 1e-6 * two[0].abs()), "energy never grows");
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
    std::fs::write(folder.path().join("short.csv"), "0,0,0\n").unwrap();
    std::fs::write(folder.path().join("hand.log"), "nonsense").unwrap();
    std::fs::write(folder.path().join("water.xyz"), "3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n").unwrap();
    std::fs::write(folder.path().join("h.xyz"), "1\nproton\nH 0 0 0\n").unwrap();
    for (arguments, expected) in [
        (&["receptor.pdb", "ligand.pdb", "--path", "path.csv"][..], "path.csv:2: expected x,y,z"),
        (&["receptor.pdb", "ligand.pdb", "--play", "hand.log"], "hand.log:1: expected a log of steric dock"),
        (&["receptor.pdb", "h.xyz"], "h.xyz: expected atoms that take part, found none"),
        (&["receptor.pdb", "ligand.pdb", "--pose", "7"], "--pose: expected 1 to 1, found 7"),
        (
            &["receptor.pdb", "ligand.pdb", "--response", "melt"],
            "expected detect, stop, slide, push or bounce, found melt",
        ),
        (&["receptor.pdb", "nothing.pdb"], "nothing.pdb"),
        (&["receptor.pdb", "ligand.pdb", "--tolerance", "nan"], "expected a number of angstroms"),
        (&["receptor.pdb", "ligand.pdb", "--path", "path.csv", "--flex", "Z:9"], "path.csv:2: expected x,y,z"),
        (
            &["receptor.pdb", "ligand.pdb", "--path", "short.csv", "--flex", "A:9"],
            "--flex: expected --response push, found slide",
        ),
        (
            &["receptor.pdb", "ligand.pdb", "--path", "short.csv", "--response", "push", "--flex", "Z:9"],
            "--flex: expected residues of the receptor as A:45, found Z:9",
        ),
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
    for paths in numbers["paths"].as_array().unwrap() {
        assert!(paths["deepest_left"].as_f64().unwrap() < 1e-3 && paths["deepest_missed"].as_f64().unwrap() < 1e-3);
    }
    assert_eq!(numbers["table_2"].as_array().unwrap().len(), 4);
}
