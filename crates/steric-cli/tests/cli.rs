//! The command as a user meets it: exit codes, JSON, CSV, errors, files.
//!
//! Small files are written by the tests themselves. Real ones are read from `../shared/data` where it exists.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

/// A file of the shared data, or `None` with a word about it.
fn shared(name: &str) -> Option<String> {
    let path = Path::new(DATA).join(name);
    if path.exists() {
        return Some(path.display().to_string());
    }
    eprintln!("skipped: no ../shared/data");
    None
}

fn atom(serial: u32, chain: char, residue: u32, x: f32) -> String {
    format!("ATOM  {serial:5}  CA  ALA {chain}{residue:4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00           C  \n", 0.0, 0.0)
}

fn write(folder: &TempDir, name: &str, content: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// Two chains whose atoms are 1.5 A apart, and two that are 3 A apart.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let [first, near, far] = [atom(1, 'A', 1, 0.0), atom(2, 'B', 7, 1.5), atom(2, 'B', 7, 3.0)];
    write(&folder, "touching.pdb", &format!("{first}{near}END\n"));
    write(&folder, "apart.pdb", &format!("{first}{far}END\n"));
    folder
}

#[test]
fn exit_codes_tell_clean_from_overlapping_from_broken() {
    let folder = folder();
    let code = |arguments: &[&str]| steric(folder.path(), arguments).status.code();
    assert_eq!(code(&["check", "apart.pdb"]), Some(0));
    assert_eq!(code(&["check", "touching.pdb"]), Some(1));
    assert_eq!(code(&["check", "--tolerance", "1.4", "touching.pdb"]), Some(0));
    assert_eq!(code(&["check", "--radii", "bondi", "apart.pdb"]), Some(1));
    assert_eq!(code(&["check", "--radii", "bondi", "--allow", "0.5", "apart.pdb"]), Some(0));
    for wrong in [
        &["check", "missing.pdb"][..],
        &["check"],
        &["check", "apart.pdb", "--tolerance", "0"],
        &["check", "apart.pdb", "--tolerance", "two"],
        &["check", "apart.pdb", "--tolerance", "2", "--clash", "chimerax"],
        &["check", "apart.pdb", "--allow", "0.5"],
        &["check", "apart.pdb", "--allow", "0.5", "--tolerance", "2"],
        &["check", "apart.pdb", "--allow", "0.5", "--clash", "molprobity"],
        &["check", "apart.pdb", "--radii", "bondi", "--tolerance", "2"],
        &["check", "apart.pdb", "--radii", "bondi", "--clash", "chimerax"],
        &["check", "apart.pdb", "--radii", "bondi", "--allow", "nan"],
        &["check", "apart.pdb", "--tolerance", "nan"],
        &["check", "apart.pdb", "--tolerance", "1e9"],
        &["check", "apart.pdb", "--top", "-1"],
        &["check", "apart.pdb", "--threads", "65535"],
        &["check", "-"],
        &["check", "."],
        &["check", "apart.pdb", "--molecules", "lipid"],
        &["check", "apart.pdb", "--molecules", "instance"],
        &["check", "apart.pdb", "--assembly", "9"],
        &["check", "apart.pdb", "--periodic", "yes"],
        &["check", "apart.pdb", "--backend", "tpu"],
        &["check", "apart.pdb", "--backend", "cpu", "--gpu", "0"],
        &["check", "apart.pdb", "--gpu", ""],
        &["info"],
        &["info", "--gpus", "apart.pdb"],
        &["check", "apart.pdb", "--threads", "0"],
        &["check", "apart.pdb", "--threads", "1,2"],
        &["convert", "apart.pdb"],
        &["build", "rods", "--atoms", "100"],
        &["nonsense"],
    ] {
        let output = steric(folder.path(), wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{wrong:?}");
    }
}

#[test]
fn the_gpus_of_a_machine_are_listed_even_if_there_are_none() {
    let folder = folder();
    let output = steric(folder.path(), &["info", "--gpus"]);
    assert_eq!(output.status.code(), Some(0));
    let last = stdout(&output).lines().last().unwrap().to_owned();
    assert!(last.starts_with("auto takes "), "{last}");
    let output = steric(folder.path(), &["info", "--gpus", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let listed = json(&output);
    let listed = listed.as_array().unwrap();
    assert!(listed.iter().filter(|adapter| adapter["is_taken_by_auto"] == true).count() <= 1);
    assert_eq!(last.starts_with("auto takes the CPU: "), listed.iter().all(|one| one["is_taken_by_auto"] == false));
    for (number, adapter) in listed.iter().enumerate() {
        assert_eq!(adapter["number"], number);
        assert!(adapter["largest_array_bytes"].as_u64().unwrap() > 0 && adapter["name"].is_string());
    }
}

#[test]
fn a_gpu_that_is_not_there_ends_with_the_list_of_those_that_are() {
    let folder = folder();
    let listed = json(&steric(folder.path(), &["info", "--gpus", "--json"]));
    let names: Vec<&str> = listed.as_array().unwrap().iter().map(|adapter| adapter["name"].as_str().unwrap()).collect();
    let output = steric(folder.path(), &["check", "apart.pdb", "--gpu", "nosuchcard"]);
    assert_eq!(output.status.code(), Some(2));
    // Drivers may have words of their own on stderr.
    let error = stderr(&output).lines().find(|line| line.starts_with("steric: ")).unwrap().to_owned();
    assert!(error.starts_with("steric: expected a GPU called \"nosuchcard\", found "), "{error}");
    assert!(names.iter().all(|name| error.contains(name)) && (!names.is_empty() || error.contains("none")), "{error}");
    let output = steric(folder.path(), &["check", "apart.pdb", "--gpu", "99"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_processor_cannot_be_a_gpu() {
    let output = steric(folder().path(), &["check", "apart.pdb", "--backend", "cpu", "--gpu", "0"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "steric: --gpu: expected --backend auto or gpu, found cpu\n");
}

#[test]
fn json_is_one_document_with_both_atoms_of_each_pair() {
    let folder = folder();
    let output = steric(folder.path(), &["check", "touching.pdb", "--json", "--threads", "1"]);
    let report = json(&output);
    assert_eq!(report["atoms"], 2);
    assert_eq!(report["molecules"], 2);
    assert_eq!(report["overlaps"], 1);
    assert_eq!(report["molecules_overlapping"], 2);
    assert_eq!(report["backend"], "cpu");
    assert_eq!(report["threads"], 1);
    assert!(report["definition"].as_str().unwrap().contains("2.00"));
    for part in ["read", "index", "detect"] {
        assert!(report["seconds"][part].as_f64().unwrap() >= 0.0);
    }
    let worst = &report["worst"][0];
    assert!((worst["depth"].as_f64().unwrap() - 0.5).abs() < 1e-4);
    for (end, chain, number) in [("first", "A", 1), ("second", "B", 7)] {
        let atom = &worst[end];
        assert_eq!(atom["file"], "touching.pdb");
        assert_eq!((&atom["chain"], &atom["number"]), (&Value::from(chain), &Value::from(number)));
        assert_eq!((&atom["residue"], &atom["atom"]), (&Value::from("ALA"), &Value::from("CA")));
        assert_eq!((&atom["copy"], &atom["insertion"]), (&Value::from(1), &Value::from("")));
    }
    assert_eq!(report["species"][0]["overlaps"], 1);
}

#[test]
fn text_opens_with_the_verdict_and_has_no_colour_in_a_pipe() {
    let folder = folder();
    let text = stdout(&steric(folder.path(), &["check", "touching.pdb"]));
    assert!(text.starts_with("1 overlap among 2 atoms in 2 molecules\n"), "{text}");
    assert!(text.contains("A ALA 1 CA") && text.contains("B ALA 7 CA"));
    assert!(!text.contains('\x1b'));
    assert!(stdout(&steric(folder.path(), &["check", "apart.pdb"])).starts_with("no overlaps among 2 atoms"));
}

#[test]
fn csv_has_a_row_for_every_overlap_whatever_top_says() {
    let folder = tempfile::tempdir().unwrap();
    let row: String = (0..6u8).map(|i| atom(u32::from(i) + 1, char::from(b'A' + i), 1, f32::from(i))).collect();
    write(&folder, "row.pdb", &row);
    let output = steric(folder.path(), &["check", "row.pdb", "--csv", "pairs.csv", "--top", "2", "--json"]);
    let report = json(&output);
    assert_eq!(report["worst"].as_array().unwrap().len(), 2);
    let csv = std::fs::read_to_string(folder.path().join("pairs.csv")).unwrap();
    let mut lines = csv.lines();
    let columns = lines.next().unwrap().split(',').count();
    assert_eq!(lines.clone().count() as u64, report["overlaps"].as_u64().unwrap());
    assert_eq!(report["overlaps"], 5);
    assert!(lines.all(|line| line.split(',').count() == columns && line.starts_with("1.0000,row.pdb,1,")));
}

#[test]
fn files_are_checked_against_each_other_and_not_against_themselves() {
    let folder = folder();
    write(&folder, "ligand.xyz", "1\nligand\nO 0.0 1.0 0.0\n");
    let report = json(&steric(folder.path(), &["check", "touching.pdb", "ligand.xyz", "--json"]));
    assert_eq!((&report["overlaps"], &report["atoms"]), (&Value::from(2), &Value::from(3)));
    for pair in report["worst"].as_array().unwrap() {
        assert_eq!((&pair["first"]["file"], &pair["second"]["file"]), (&"touching.pdb".into(), &"ligand.xyz".into()));
    }
    assert_eq!(
        steric(folder.path(), &["check", "touching.pdb", "apart.pdb", "--tolerance", "0.1"]).status.code(),
        Some(1)
    );
}

#[test]
fn an_error_names_the_file_the_line_and_the_columns() {
    let folder = folder();
    let broken =
        format!("{}{}", atom(1, 'A', 1, 0.0), atom(2, 'A', 2, 9.0).replace("   0.000   0.000", "   0.0x0   0.000"));
    write(&folder, "broken.pdb", &broken);
    let output = steric(folder.path(), &["check", "broken.pdb", "--json"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("broken.pdb:2: columns 39-46: expected the y coordinate"), "{message}");
    assert!(message.contains("0.0x0") && output.stdout.is_empty());
}

#[test]
fn nothing_half_written_is_left_behind() {
    let folder = folder();
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let before = names();
    for arguments in [
        &["check", "missing.pdb", "-o", "report.json"][..],
        &["convert", "missing.pdb", "-o", "out.cif"],
        &["convert", "apart.pdb", "-o", "out.mol2"],
        &["convert", "apart.pdb", "-o", "nowhere/out.cif"],
        &["convert", "apart.pdb", "--expand", "-o", "out.cif"],
        &["convert", "apart.pdb", "-o", "./apart.pdb"],
        &["check", "apart.pdb", "-o", "apart.pdb"],
        &["check", "apart.pdb", "--csv", "apart.pdb"],
        &["check", "apart.pdb", "--csv", "both.json", "-o", "both.json"],
        &["info", "apart.pdb", "-o", "apart.pdb"],
        &["build", "rods", "--atoms", "100", "-o", "out.txt"],
        &["check", "apart.pdb", "--csv", "nowhere/pairs.csv"],
    ] {
        assert_eq!(steric(folder.path(), arguments).status.code(), Some(2), "{arguments:?}");
        assert_eq!(names(), before, "{arguments:?}");
    }
    assert_eq!(steric(folder.path(), &["check", "touching.pdb", "-o", "report.json"]).status.code(), Some(1));
    let report: Value = serde_json::from_slice(&std::fs::read(folder.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["overlaps"], 1);
    assert_eq!(names().len(), before.len() + 1);
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_error() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_steric"))
        .args(["check", "touching.pdb"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert_eq!((child.wait().unwrap().code(), complaints.as_str()), (Some(1), ""));
}

#[test]
fn molecules_can_be_told_apart_in_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let zinc = |serial: u32, number: u32, x: f32| {
        format!("HETATM{serial:5} ZN    ZN A{number:4}    {x:8.3}   0.000   0.000  1.00  0.00          ZN  \n")
    };
    let file =
        [atom(1, 'A', 1, 0.0), atom(2, 'A', 2, 3.8), atom(3, 'B', 1, 9.0), zinc(4, 101, 20.0), zinc(5, 102, 30.0)];
    write(&folder, "mixture.pdb", &file.concat());
    for (by, molecules) in [("auto", 4), ("chain", 2), ("residue", 5), ("file", 1), ("connected", 5)] {
        let report = json(&steric(folder.path(), &["check", "mixture.pdb", "--molecules", by, "--json"]));
        assert_eq!(report["molecules"], molecules, "{by}");
    }
}

#[test]
fn convert_keeps_atoms_and_instances() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["build", "vesicle", "--atoms", "40000", "--seed", "3", "-q"];
    for name in ["vesicle.cif", "vesicle.bcif", "vesicle.cif.gz"] {
        assert_eq!(steric(folder.path(), &[&arguments[..], &["-o", name]].concat()).status.code(), Some(0));
    }
    assert_eq!(steric(folder.path(), &["convert", "vesicle.cif", "-o", "again.bcif"]).status.code(), Some(0));
    let check = |name: &str| json(&steric(folder.path(), &["check", name, "--json"]));
    let truth = check("vesicle.bcif");
    assert!(truth["overlaps"].as_u64().unwrap() > 1_000 && truth["molecules"].as_u64().unwrap() > 250);
    for name in ["vesicle.cif", "vesicle.cif.gz", "again.bcif"] {
        let report = check(name);
        assert_eq!((&report["atoms"], &report["molecules"]), (&truth["atoms"], &truth["molecules"]), "{name}");
        // A text file rounds its operators, which moves pairs at the threshold across it.
        let [found, expected] = [&report, &truth].map(|report| report["overlaps"].as_f64().unwrap());
        assert!((found - expected).abs() < 0.01 * expected, "{name}: {found} {expected}");
    }
    assert_eq!(
        steric(folder.path(), &["convert", "vesicle.bcif", "--expand", "-o", "plain.cif"]).status.code(),
        Some(0)
    );
    let plain = json(&steric(folder.path(), &["info", "plain.cif", "--json"]));
    assert_eq!(plain["atoms"], truth["atoms"]);
    // Lipids that run through each other are no bonds: plain atoms and instances give the same answer.
    let plain = check("plain.cif");
    assert_eq!(plain["molecules"], truth["molecules"]);
    let [found, expected] = [&plain, &truth].map(|report| report["overlaps"].as_f64().unwrap());
    assert!((found - expected).abs() < 0.01 * expected, "{found} {expected}");
}

#[test]
fn info_counts_what_is_in_a_file() {
    let folder = folder();
    let info = json(&steric(folder.path(), &["info", "touching.pdb", "--json"]));
    assert_eq!((&info["format"], &info["atoms"]), (&Value::from("PDB"), &Value::from(2)));
    assert_eq!((&info["chains"], &info["residues"]), (&Value::from(2), &Value::from(2)));
    assert_eq!(info["elements"]["C"], 2);
    assert!(stdout(&steric(folder.path(), &["info", "touching.pdb"])).contains("PDB"));
}

#[test]
fn scenes_are_built_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    for scene in ["rods", "solution", "mixed", "vesicle"] {
        let name = format!("{scene}.npz");
        let arguments = ["build", scene, "--atoms", "5000", "-o", &name];
        assert_eq!(steric(folder.path(), &arguments).status.code(), Some(0), "{scene}");
    }
    let arguments = ["bench", "neighbours", "--scene", "rods.npz", "--threads", "1,2", "--repeats", "1", "--json"];
    let rows = json(&steric(folder.path(), &arguments));
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let built =
        ["bench", "neighbours", "--scenes", "rods", "--sizes", "5000", "--threads", "1", "--repeats", "1", "--json"];
    let built = json(&steric(folder.path(), &built));
    for row in rows {
        assert_eq!((&row["atoms"], &row["pairs"]), (&Value::from(5000), &built[0]["pairs"]));
        assert!(row["pairs"].as_u64().unwrap() > 100 && row["ns_per_atom"].as_f64().unwrap() > 0.0);
    }
    assert_eq!([&rows[0]["what"], &rows[1]["what"]], ["count", "force"]);
    assert_eq!([&rows[0]["threads"], &rows[2]["threads"]], [1, 2]);
}

#[test]
fn the_bare_command_relaxes_its_vesicle() {
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("no overlaps left among 104,000 atoms in 2,000 molecules\n"), "{text}");
    let [one, two] = ["1", "2"].map(|threads| json(&steric(folder.path(), &["--json", "--threads", threads])));
    assert!(one["before"]["overlaps"].as_u64().unwrap() > 10_000);
    assert_eq!((&one["after"]["overlaps"], &one["state_hash"]), (&Value::from(0), &two["state_hash"]));
}

#[test]
fn hydrogens_decide_what_the_score_is_called() {
    let (Some(with), Some(without)) = (shared("structures/turk/2ptc_H.pdb"), shared("structures/1ubq.pdb")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &str| steric(folder.path(), &["check", "--clash", "molprobity", path, "--json"]);
    assert_eq!(json(&check(&with))["score"]["name"], "clashscore");
    let output = check(&without);
    assert_eq!(json(&output)["score"]["name"], "heavy-atom clash score");
    assert!(stderr(&output).contains("hydrogens are missing"));
}

#[test]
fn instances_are_checked_without_being_expanded() {
    let cases = [
        // Instances and expanded atoms of each: 60 copies of 4,730 sites; 12,086 placed ingredients with a template.
        ("structures/large/1f2n.bcif", 60, Some(60 * 4_730)),
        ("structures/large/1m4x.cif.gz", 1_680, Some(1_680 * 9_693)),
        ("mesoscale/results/HIV_mature_model.json.gz", 12_086, None),
        ("mesoscale/petworld_sarscov2.bcif.gz", 696, None),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, molecules, atoms) in cases {
        let Some(path) = shared(name) else { return };
        let report = json(&steric(folder.path(), &["check", &path, "--json"]));
        assert_eq!(report["molecules"], molecules, "{name}");
        if let Some(atoms) = atoms {
            assert_eq!(report["atoms"], atoms, "{name}");
        }
    }
}

#[test]
fn real_files_are_cut_into_the_molecules_a_chemist_sees() {
    let cases = [
        // Four chains, four haems, two phosphates and 221 waters.
        ("structures/4hhb.cif.gz", 231, false),
        ("structures/4hhb.pdb.gz", 231, false),
        // 128 lipids and 8,391 waters, in a periodic box; 3,072 lipids; 360 and 90 lipids.
        ("lipids/fatslim_bilayer_allatom.gro.gz", 8_519, true),
        ("lipids/fatslim_dppc_vesicle_cg.gro.gz", 3_072, true),
        ("lipids/martini_dppc_chol_bilayer.gro", 450, true),
        // 128 lipids, 5,120 waters, and a simulation box in CRYST1.
        ("lipids/openmm_POPC_patch.pdb.gz", 5_248, true),
        // One protein and 7,023 waters.
        ("structures/turk/5dfr_solvated.pdb.gz", 7_024, true),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (name, molecules, periodic) in cases {
        let Some(path) = shared(name) else { return };
        let report = json(&steric(folder.path(), &["check", &path, "--json", "-q"]));
        assert_eq!((&report["molecules"], &report["periodic"]), (&molecules.into(), &periodic.into()), "{name}");
    }
}

#[test]
fn broken_files_end_with_a_message_or_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["empty.pdb", "4hhb_truncated.pdb.gz", "1yjp_invalid.cif.gz", "1ubq_truncated.cif", "hetatm_bad.pdb"] {
        let Some(path) = shared(&format!("structures/tricky/{name}")) else { return };
        let output = steric(folder.path(), &["check", &path]);
        assert!(matches!(output.status.code(), Some(0..=2)), "{name}: {:?}", output.status);
        if output.status.code() == Some(2) {
            assert!(stderr(&output).contains(name), "{name}: {}", stderr(&output));
        }
    }
}

#[test]
fn an_allowance_without_radii_is_refused_with_a_reason() {
    let folder = folder();
    let output = steric(folder.path(), &["check", "--clash", "chimerax", "--allow", "2", "touching.pdb"]);
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("--allow 2 goes with --radii") && message.contains("--clash chimerax"), "{message}");
}

#[test]
fn the_definition_says_which_side_of_the_allowance_is_a_clash() {
    let folder = folder();
    // Two carbons of Bondi's 1.70 A, 1.5 A apart, overlap by 1.90 A; an allowance of as much forgives them.
    let code = |allow: &str| {
        steric(folder.path(), &["check", "touching.pdb", "--radii", "bondi", "--allow", allow]).status.code()
    };
    assert_eq!([code("1.8999"), code("1.9001")], [Some(1), Some(0)]);
    let report = json(&steric(folder.path(), &["check", "touching.pdb", "--radii", "bondi", "--json"]));
    assert!(report["definition"].as_str().unwrap().ends_with("overlap by more than 0.00 Å"));
}

#[test]
fn a_path_that_cannot_be_written_is_named_as_it_was_asked_for() {
    let folder = folder();
    for arguments in [
        &["check", "touching.pdb", "--csv", "nowhere/pairs.csv"][..],
        &["check", "touching.pdb", "-o", "nowhere/pairs.csv"],
        &["convert", "touching.pdb", "-o", "nowhere/pairs.csv"],
    ] {
        let message = stderr(&steric(folder.path(), arguments));
        assert_eq!(message, "steric: nowhere/pairs.csv: expected the folder nowhere, found none\n", "{arguments:?}");
    }
}

#[test]
fn two_files_of_one_name_are_told_apart() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::fs::copy(folder.path().join("touching.pdb"), folder.path().join("other/touching.pdb")).unwrap();
    let text = stdout(&steric(folder.path(), &["check", "touching.pdb", "other/touching.pdb"]));
    assert!(text.contains(" touching.pdb: A ALA 1 CA") && text.contains(" other/touching.pdb: A ALA 1 CA"), "{text}");
    let report = json(&steric(folder.path(), &["check", "touching.pdb", "touching.pdb", "--json"]));
    let pair = &report["worst"][0];
    let names = [&pair["first"]["file"], &pair["second"]["file"]];
    assert_eq!(names, ["touching.pdb (1)", "touching.pdb (2)"]);
}

/// A chain and 1 copy of it, 5 A away.
fn dimer(folder: &TempDir) {
    let operator = |number: u32, shift: f32| -> String {
        let rows = [(1, "  1.000000  0.000000  0.000000", shift), (2, "  0.000000  1.000000  0.000000", 0.0)];
        let rows = rows.into_iter().chain([(3, "  0.000000  0.000000  1.000000", 0.0)]);
        rows.map(|(row, matrix, shift)| format!("REMARK 350   BIOMT{row}{number:4}{matrix}{shift:15.5}\n")).collect()
    };
    let head = "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n";
    let [first, second] = [operator(1, 0.0), operator(2, 5.0)];
    write(folder, "dimer.pdb", &format!("{head}{first}{second}{}END\n", atom(1, 'A', 1, 0.0)));
}

#[test]
fn copies_that_a_format_cannot_hold_are_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    dimer(&folder);
    for name in ["dimer.gro", "dimer.xyz"] {
        let output = steric(folder.path(), &["convert", "dimer.pdb", "-o", name, "--json"]);
        assert!(stderr(&output).contains("1 copy is not written; --expand writes it out"), "{}", stderr(&output));
        assert_eq!((&json(&output)["copies_left_out"], &json(&output)["atoms"]), (&1.into(), &1.into()));
        let whole = steric(folder.path(), &["convert", "dimer.pdb", "--expand", "-o", name, "--json"]);
        assert!(!stderr(&whole).contains("not written"));
        assert_eq!((&json(&whole)["copies_left_out"], &json(&whole)["atoms"]), (&0.into(), &2.into()));
    }
    let kept = steric(folder.path(), &["convert", "dimer.pdb", "-o", "dimer.cif"]);
    assert!(!stderr(&kept).contains("not written"), "{}", stderr(&kept));
}

#[test]
fn expanded_copies_get_chain_names_that_a_pdb_file_can_hold() {
    let folder = tempfile::tempdir().unwrap();
    dimer(&folder);
    assert_eq!(steric(folder.path(), &["convert", "dimer.pdb", "--expand", "-o", "two.pdb"]).status.code(), Some(0));
    let report = json(&steric(folder.path(), &["check", "two.pdb", "--tolerance", "6", "--json"]));
    let pair = &report["worst"][0];
    assert_eq!([&pair["first"]["chain"], &pair["second"]["chain"]], ["A", "B"]);
    // 60 copies of chains A, B and C with their calcium ions and waters, 4,730 sites each.
    for name in ["1f2n.cif", "1f2n.pdb", "1f2n.bcif"] {
        let Some(path) = shared(&format!("structures/large/{name}")) else { return };
        let convert = ["convert", &path, "--expand", "-o", "virus.pdb", "--json"];
        assert_eq!(json(&steric(folder.path(), &convert))["chains_renamed"], 177, "{name}");
        let info = json(&steric(folder.path(), &["info", "virus.pdb", "--json"]));
        assert_eq!((&info["atoms"], &info["chains"]), (&(60 * 4_730).into(), &180.into()), "{name}");
        // The same virus as instances and as plain atoms. No distance lies within
        // 0.01 A of 2.45, so the three decimals of a PDB file change nothing.
        let overlaps = |path: &str| {
            let arguments = ["check", path, "--molecules", "chain", "--tolerance", "2.45", "--json"];
            json(&steric(folder.path(), &arguments))["overlaps"].clone()
        };
        assert_eq!(overlaps("virus.pdb"), overlaps(&path), "{name}");
    }
}

#[test]
fn more_chains_than_a_pdb_file_has_names_for_are_refused_with_their_number() {
    let Some(path) = shared("structures/large/1m4x.cif.gz") else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &["convert", &path, "--expand", "-o", "virus.pdb"]);
    assert_eq!(output.status.code(), Some(2));
    // 1,680 copies of three chains.
    assert!(stderr(&output).contains("5040") && stderr(&output).contains("mmCIF"), "{}", stderr(&output));
    assert!(!folder.path().join("virus.pdb").exists());
}

#[test]
fn an_assembly_that_is_not_there_is_told_with_those_that_are() {
    let folder = folder();
    dimer(&folder);
    let message = |file: &str| stderr(&steric(folder.path(), &["check", file, "--assembly", "9"]));
    assert_eq!(message("dimer.pdb"), "steric: dimer.pdb: expected the assembly 1, found \"9\"\n");
    assert!(message("apart.pdb").contains("has no assemblies"));
}
