//! Poses are ranked as Vina ranks them.
//!
//! How it works: `STERIC_PYTHON` names a Python that may have vina (`cargo xtask test` makes one). Poses of imatinib around those that Vina found, shifted and
//! turned farther and farther, are scored by Vina 1.2 and here. Without that Python, without vina in it, or without the files the test is skipped.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and a skipped one says so")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{DQuat, DVec3};
use steric::model::chemistry::BondGraph;
use steric::model::{Random, Structure, formats};
use steric::world::dock::energy::{Charged, atom_types, direct_energy};

/// Prints Vina's score of each pose, in kilocalories per mole.
const SCRIPT: &str = r#"
import sys
from vina import Vina
receptor, box, poses = sys.argv[1:]
numbers = dict(line.split("=") for line in open(box) if "=" in line)
numbers = {name.strip(): float(value) for name, value in numbers.items()}
vina = Vina(sf_name="vina", cpu=1, verbosity=0)
vina.set_receptor(receptor)
models = [part.split("\n", 1)[1] for part in open(poses).read().split("MODEL")[1:]]
models = [model.split("ENDMDL")[0] for model in models]
vina.set_ligand_from_string(models[0])
# Wider than the box of the search, because poses are moved out of it.
vina.compute_vina_maps(center=[numbers["center_" + axis] for axis in "xyz"],
                       box_size=[numbers["size_" + axis] + 10 for axis in "xyz"])
for model in models:
    vina.set_ligand_from_string(model)
    print(vina.score()[0])
"#;

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/docking/1iep").join(name);
    path.is_file().then_some(path)
}

fn charged(structure: &Structure) -> Charged {
    Charged {
        places: structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect(),
        types: atom_types(structure, &BondGraph::new(structure)),
        charges: structure.atoms.partial_charges.iter().map(|&charge| f64::from(charge)).collect(),
    }
}

/// The text of a pose with its atoms elsewhere.
fn with_places(text: &str, places: &[DVec3]) -> String {
    let (mut moved, mut places) = (String::new(), places.iter());
    for line in text.lines() {
        match line.starts_with("ATOM").then(|| places.next()).flatten() {
            Some(place) => {
                write!(moved, "{}{:8.3}{:8.3}{:8.3}{}", &line[..30], place.x, place.y, place.z, &line[54..]).unwrap();
            }
            None => moved.push_str(line),
        }
        moved.push('\n');
    }
    moved
}

/// The rank of each of some numbers.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    order.into_iter().enumerate().for_each(|(rank, number)| ranks[number] = rank as f64);
    ranks
}

/// Spearman's correlation of ranks.
fn spearman(one: &[f64], other: &[f64]) -> f64 {
    let count = one.len() as f64;
    let squares: f64 = ranks(one).iter().zip(ranks(other)).map(|(a, b)| (a - b) * (a - b)).sum();
    1.0 - 6.0 * squares / (count * (count * count - 1.0))
}

#[test]
fn poses_of_imatinib_are_ranked_as_vina_ranks_them() {
    let Some(python) = std::env::var_os("STERIC_PYTHON") else {
        println!("skipped: STERIC_PYTHON names no Python with vina");
        return;
    };
    let files = ["1iep_receptor.pdbqt", "1iep_receptor.box.txt", "1iep_ligand_vina_out.pdbqt"].map(shared);
    let [Some(receptor), Some(search_box), Some(poses)] = files else {
        println!("skipped: no ../shared/data");
        return;
    };
    if !Command::new(&python).args(["-c", "import vina"]).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: this Python has no vina");
        return;
    }
    let text = std::fs::read_to_string(&poses).unwrap();
    let texts: Vec<&str> = text.split_inclusive("ENDMDL").filter(|model| model.contains("ATOM")).collect();
    let structure = formats::read(&poses).unwrap().value;
    let models: Vec<Charged> = structure
        .models
        .iter()
        .map(|model| charged(&structure.alone(&model.atoms)))
        .filter(|pose| !pose.places.is_empty())
        .collect();
    assert_eq!((texts.len(), models.len()), (4, 4));
    let receptor_atoms = charged(&formats::read(&receptor).unwrap().value);
    let (mut random, mut all, mut ours) = (Random::new(7), String::new(), Vec::new());
    for number in 0..60 {
        let (pose, far) = (&models[number % 4], (number / 4) as f64 / 14.0);
        let middle = pose.places.iter().sum::<DVec3>() / pose.places.len() as f64;
        let turn = DQuat::from_scaled_axis(random.direction() * 0.5 * far);
        let shift = random.direction() * 2.0 * far;
        let places: Vec<DVec3> = pose.places.iter().map(|place| middle + shift + turn * (*place - middle)).collect();
        all.push_str(&with_places(texts[number % 4], &places));
        ours.push(direct_energy(&receptor_atoms, &Charged { places, ..pose.clone() }).total());
    }
    let moved = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dock_vina_poses.pdbqt");
    std::fs::write(&moved, all).unwrap();
    let output = Command::new(&python).args(["-c", SCRIPT]).args([&receptor, &search_box, &moved]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let scores: Vec<f64> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.trim().parse().ok()).collect();
    assert_eq!(scores.len(), ours.len(), "{}", String::from_utf8_lossy(&output.stdout));
    // The poses that Vina calls good are ranked alike too, not only those apart from the ones with clashes.
    let good: Vec<usize> = (0..scores.len()).filter(|&pose| scores[pose] < 0.0).collect();
    let of = |numbers: &[f64]| good.iter().map(|&pose| numbers[pose]).collect::<Vec<f64>>();
    let (rank, among_good) = (spearman(&scores, &ours), spearman(&of(&scores), &of(&ours)));
    println!("Spearman's correlation with Vina: {rank:.3}, {among_good:.3} among the {} below zero", good.len());
    assert!(rank > 0.85 && among_good > 0.6 && good.len() > 10, "{rank}, {among_good} among {}", good.len());
    let best = |numbers: &[f64]| (0..numbers.len()).min_by(|&a, &b| numbers[a].total_cmp(&numbers[b])).unwrap();
    assert!(best(&scores) < 4 && best(&ours) < 4, "the best of each is one that was not moved");
}
