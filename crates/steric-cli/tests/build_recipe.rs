//! `steric build` of recipes and fibres as a user meets it: files, exit codes, reports.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SPHERES: &str = include_str!("../../steric-world/tests/recipes/spheres.json");
/// Five thousand balls where a dozen fit.
const CROWDED: &str = r#"{"bounding_box": [[0, 0, 0], [50, 50, 50]],
    "objects": {"ball": {"type": "single_sphere", "radius": 10}},
    "composition": {"space": {"regions": {"interior": [{"object": "ball", "count": 5000}]}}}}"#;

fn steric(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_steric")).current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn folder(recipe: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("recipe.json"), recipe).unwrap();
    folder
}

/// Middles and radii of all spheres of a result.
fn spheres(result: &Value) -> Vec<([f64; 3], f64)> {
    let radius = |name: &str| match name {
        "largest" => 100.0,
        "large" => 50.0,
        "middle" => 25.0,
        "small" => 12.5,
        _ => panic!("{name}"),
    };
    let ingredients = result["cytoplasme"]["ingredients"].as_object().unwrap();
    let of_one = |(name, ingredient): (&String, &Value)| {
        let places = ingredient["results"].as_array().unwrap().clone();
        let place = |place: &Value| std::array::from_fn(|axis| place[0][axis].as_f64().unwrap());
        let radius = radius(name);
        places.iter().map(|at| (place(at), radius)).collect::<Vec<_>>()
    };
    ingredients.iter().flat_map(of_one).collect()
}

#[test]
fn six_hundred_and_forty_spheres_are_packed_and_none_overlaps() {
    let folder = folder(SPHERES);
    let output = steric(folder.path(), &["build", "recipe.json", "-o", "packed.json"]);
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{told}");
    assert!(said.contains("640 of 640 copies placed, 0 overlaps left"), "{said}");
    let result: Value = serde_json::from_slice(&std::fs::read(folder.path().join("packed.json")).unwrap()).unwrap();
    let spheres = spheres(&result);
    assert_eq!(spheres.len(), 640);
    for (number, (at, radius)) in spheres.iter().enumerate() {
        for (other, reach) in &spheres[..number] {
            let distance = (0..3).map(|axis| (at[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
            assert!(distance > radius + reach - 0.02, "{distance} where {radius} and {reach} meet");
        }
    }
}

#[test]
fn a_box_and_a_surface_can_be_asked_for() {
    let folder = folder(
        r#"{"Compartments": [{"name": "cell", "geom_type": "file", "filename": "nowhere.mmtf",
        "Compartments": [{"name": "interior", "IngredientGroups": [{"Ingredients": [{"name": "in", "nbMol": 20, "encapsulatingRadius": 8}]}]}]}],
        "IngredientGroups": [], "name": "root"}"#,
    );
    // Twelve triangles around a cube of 200 angstroms.
    let cube = "v -100 -100 -100\nv 100 -100 -100\nv 100 100 -100\nv -100 100 -100\nv -100 -100 100\nv 100 -100 100\nv 100 100 100\nv -100 100 100\n\
        f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    std::fs::write(folder.path().join("cube.obj"), cube).unwrap();
    let build = |options: &[&str]| {
        let output = steric(folder.path(), &[&["build", "recipe.json", "-o", "packed.json"], options].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, said) = build(&[]);
    assert!(code == Some(1) && said.contains("0 of 20 copies placed"), "{said}");
    for surface in ["cell=cube.obj", "cell=120"] {
        let (code, said) = build(&["--surface", surface]);
        assert!(code == Some(0) && said.contains("20 of 20 copies placed"), "{said}");
    }
    for (options, expected) in [
        (["--surface", "nucleus=cube.obj"], "--surface: expected a compartment (cell), found \"nucleus\""),
        (["--surface", "cell"], "expected the name of a compartment, =, and a file"),
        (["--box", "1,2"], "--box: expected three edges or six numbers, found 2"),
        (["--box", "1,2,-3"], "--box: expected edges above 0"),
    ] {
        let (code, said) = build(&options);
        assert!(code == Some(2) && said.contains(expected), "{said}");
    }
}

#[test]
fn a_file_for_simularium_holds_every_copy_as_its_spheres() {
    let folder = folder(
        r#"{"name": "pairs", "bounding_box": [[0, 0, 0], [300, 400, 500]],
        "objects": {"pair": {"type": "multi_sphere", "color": [1, 0.5, 0],
            "representations": {"packing": {"positions": [[[-10, 0, 0], [10, 0, 0]]], "radii": [[10, 10]]}}}},
        "composition": {"space": {"regions": {"interior": [{"object": "pair", "count": 20}]}}}}"#,
    );
    let output = steric(folder.path(), &["build", "recipe.json", "-o", "pairs.simularium"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let file: Value = serde_json::from_slice(&std::fs::read(folder.path().join("pairs.simularium")).unwrap()).unwrap();
    let kind = &file["trajectoryInfo"]["typeMapping"]["0"];
    assert_eq!(kind["name"], "space/pair");
    assert_eq!(kind["geometry"]["displayType"], "SPHERE_GROUP");
    assert_eq!(kind["geometry"]["color"], "#ff8000");
    assert_eq!(file["trajectoryInfo"]["size"], serde_json::json!({"x": 30.0, "y": 40.0, "z": 50.0}));
    let numbers: Vec<f64> = serde_json::from_value(file["spatialData"]["bundleData"][0]["data"].clone()).unwrap();
    // Eleven numbers and two spheres of four.
    assert_eq!(numbers.len(), 20 * 19);
    let mut spheres = Vec::new();
    for (id, copy) in numbers.chunks(19).enumerate() {
        assert_eq!((copy[1], copy[2], copy[10]), (id as f64, 0.0, 8.0));
        let place = |first: usize| [0, 1, 2].map(|axis| copy[3 + axis] + copy[first + axis]);
        let [one, other] = [place(11), place(15)];
        let apart = (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
        assert!((apart - 2.0).abs() < 1e-4 && copy[14] == 1.0, "two spheres of 1 nm that touch, not {apart} nm apart");
        spheres.push([one, other]);
    }
    for (number, copy) in spheres.iter().enumerate() {
        for (one, other) in
            copy.iter().flat_map(|one| spheres[..number].iter().flatten().map(move |other| (one, other)))
        {
            let apart = (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt();
            assert!(apart > 2.0 - 1e-3, "{apart} nm");
        }
    }
}

#[test]
fn a_model_has_a_template_for_each_ingredient_and_the_same_bytes_for_any_number_of_threads() {
    let folder = folder(SPHERES);
    let built = |arguments: &[&str], file: &str| {
        let output = steric(folder.path(), &[&["build", "recipe.json", "--quiet", "-o", file], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        std::fs::read(folder.path().join(file)).unwrap()
    };
    let one = built(&["--threads", "1"], "one.cif");
    assert_eq!(one, built(&["--threads", "3"], "three.cif"));
    let cif = text(&one);
    assert!(["largest", "large", "middle", "small"].iter().all(|name| cif.contains(&format!("space/{name}"))));
    let output = steric(folder.path(), &["info", "one.cif", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn what_does_not_fit_is_said_ingredient_by_ingredient() {
    let folder = folder(CROWDED);
    let output = steric(folder.path(), &["build", "recipe.json", "-o", "packed.json", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["asked"], &report["overlaps"]), (&5000.into(), &0.into()));
    let ball = &report["ingredients"][0];
    assert!(ball["placed"].as_u64().unwrap() < 5000 && ball["reasons"][0].as_str().unwrap().contains("no room for"));
}

#[test]
fn bad_recipes_write_nothing() {
    for (recipe, expected) in [("{\"cytoplasme\": [1, 2", "recipe.json:1"), ("", "recipe.json")] {
        let folder = folder(recipe);
        let output = steric(folder.path(), &["build", "recipe.json", "-o", "packed.cif"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert!(!folder.path().join("packed.cif").exists());
    }
    let folder = folder(SPHERES);
    assert_eq!(steric(folder.path(), &["build", "recipe.json", "-o", "packed.xtc"]).status.code(), Some(2));
    assert_eq!(steric(folder.path(), &["build", "recipe.json"]).status.code(), Some(2));
}

#[test]
fn a_plasmid_is_a_ring_of_base_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let output = steric(folder.path(), &["build", "plasmid", "-o", "plasmid.xyz", "--seed", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("4,361 units, 1.48"), "{}", text(&output.stdout));
    let file = std::fs::read_to_string(folder.path().join("plasmid.xyz")).unwrap();
    let place = |line: &str| -> [f64; 3] {
        let fields: Vec<f64> = line.split_whitespace().skip(1).map(|field| field.parse().unwrap()).collect();
        [fields[0], fields[1], fields[2]]
    };
    let axis: Vec<[f64; 3]> = file.lines().skip(2).filter(|line| line.starts_with("C ")).map(place).collect();
    assert_eq!(axis.len(), 4_361);
    let distance = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|x| (a[x] - b[x]).powi(2)).sum::<f64>().sqrt();
    for number in 0..axis.len() {
        let rise = distance(&axis[number], &axis[(number + 1) % axis.len()]);
        assert!((rise - 3.4).abs() < 0.3, "{number}: {rise}");
    }
}

#[test]
fn fibres_that_cannot_be_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["build", "fibre", "-o", "a.cif"][..], "--units: expected how many"),
        (&["build", "fibre", "--units", "20", "--closed", "-o", "a.cif"], "close"),
        (&["build", "plasmid", "--radius", "30", "-o", "a.cif"], "build plasmid"),
        (&["build", "plasmid", "--radius", "0", "-o", "a.cif"], "--radius"),
        (&["build", "plasmid"], "-o FILE"),
    ] {
        let output = steric(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert!(!folder.path().join("a.cif").exists());
    }
}
