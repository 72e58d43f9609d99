//! A ligand at a receptor: energies, logs, torsions, and poses that are known to be good.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use steric::dock::{Dock, DockOptions, Log};
use steric::model::chemistry::BondGraph;
use steric::model::formats::pdbqt::torsion_tree;
use steric::model::{Pose, Random, Structure, formats};
use steric::world::dock::Response;
use steric::world::dock::energy::{Charged, EnergyGrid, atom_types, direct_energy};

/// How far the points of a grid are apart, as `steric dock` has it.
const SPACING: f64 = 0.2;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/data").join(name)
}

fn read(path: &Path) -> Structure {
    formats::read(path).unwrap().value
}

/// The docking files beside the checkout, if they are there.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/docking/1iep").join(name);
    if !path.is_file() {
        eprintln!("skipped: no ../shared/data");
    }
    path.is_file().then_some(path)
}

fn cholesterol_at_lysozyme() -> Dock {
    let (receptor, mut ligand) = (read(&data("lysozyme.pdb")), read(&data("cholesterol.pdb")));
    let middle = receptor.atoms.positions.iter().sum::<glam::Vec3>() / receptor.atoms.len() as f32;
    let own = ligand.atoms.positions.iter().sum::<glam::Vec3>() / ligand.atoms.len() as f32;
    ligand.atoms.positions.iter_mut().for_each(|place| *place += middle + glam::Vec3::X * 40.0 - own);
    Dock::new(("lysozyme", &receptor), ("cholesterol", &ligand), None, &DockOptions::default()).unwrap()
}

#[test]
fn the_grid_is_near_the_direct_sum_for_atoms_strewn_anywhere_outside_the_cores() {
    let receptor = read(&data("lysozyme.pdb"));
    let types = atom_types(&receptor, &BondGraph::new(&receptor));
    let places: Vec<DVec3> = receptor.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
    let middle = places.iter().sum::<DVec3>() / places.len() as f64;
    let charges = (0..places.len()).map(|atom| [0.3, -0.4, 0.1][atom % 3]).collect();
    let receptor = Charged { places, types: types.clone(), charges };
    let corners = [middle - DVec3::splat(14.0), middle + DVec3::splat(14.0)];
    let grid = EnergyGrid::new(&receptor, &types, corners, SPACING);
    let mut random = Random::new(11);
    let (mut errors, mut tried) = (Vec::new(), 0);
    while errors.len() < 400 && tried < 400_000 {
        tried += 1;
        // Forty atoms of many types, each where it is attracted.
        let mut ligand = Charged::default();
        for _ in 0..4_000 {
            if ligand.places.len() == 40 {
                break;
            }
            let number = (random.next_u64() % types.len() as u64) as usize;
            let place = middle + random.direction() * 13.0 * random.unit().cbrt();
            let one = Charged { places: vec![place], types: vec![types[number]], charges: vec![0.2] };
            if direct_energy(&receptor, &one).lennard_jones < 0.0 {
                ligand.places.push(place);
                ligand.types.push(types[number]);
                ligand.charges.push(if number.is_multiple_of(2) { 0.2 } else { -0.25 });
            }
        }
        let (fast, direct) = (grid.energy(&ligand), direct_energy(&receptor, &ligand));
        errors.push((fast.total() - direct.total()).abs() / direct.total().abs().max(1.0));
    }
    errors.sort_by(f64::total_cmp);
    let worst = errors[errors.len() * 99 / 100];
    assert!(
        worst < 0.025 && errors[errors.len() / 2] < 0.0075,
        "of a hundred ligands one is off by {worst}, the median by {}",
        errors[errors.len() / 2]
    );
}

#[test]
fn a_log_is_played_again_to_the_same_bits() {
    let dock = cholesterol_at_lysozyme();
    let mut hand = dock.hand(0);
    let mut bytes = Vec::new();
    let mut random = Random::new(3);
    let mut hits = 0;
    {
        let mut log = Log::begin(&dock, 0, &hand, &mut bytes).unwrap();
        for step in 0..200u32 {
            if step == 100 {
                log.respond(&mut hand, Response::Stop).unwrap();
                let radians: Vec<f64> = dock.torsions().all().iter().map(|_| 0.4).collect();
                log.turn(&dock, &mut hand, &radians).unwrap();
            }
            let from = hand.pose();
            let turn = DQuat::from_scaled_axis(random.direction() * 0.1);
            let way = DVec3::NEG_X * 0.6 + random.direction() * 0.4;
            let rotation = (turn * from.rotation).normalize();
            let middle = hand.body.middle();
            let to = Pose { rotation, translation: from * middle + way - rotation * middle };
            hits += log.go(&dock, &mut hand, to).unwrap();
        }
    }
    assert!(hits > 50, "it touched {hits} times");
    let text = String::from_utf8(bytes).unwrap();
    let played = dock.play("hand.log", &text).unwrap();
    assert_eq!((played.deeds, played.same, played.first_other, played.is_cut), (202, 202, None, false));
    assert_eq!(played.end.as_ref().unwrap().0, hand.pose());
    // One that breaks off is played as far as it goes.
    let cut = dock.play("hand.log", &text[..text.len() - 30]).unwrap();
    assert_eq!((cut.deeds, cut.same, cut.is_cut), (201, 201, true));
    // One that was changed is found out.
    let lines: Vec<&str> = text.lines().collect();
    let other = [&lines[..40], &lines[41..]].concat().join("\n");
    assert_eq!(dock.play("hand.log", &other).unwrap().first_other, Some(41));
    let error = |text: &str| dock.play("hand.log", text).unwrap_err().to_string();
    assert!(error("hello").starts_with("hand.log:1: expected a log of steric dock, version 1, found \"hello\""));
    assert!(error(&lines[0].replace("_log\":1", "_log\":9")).contains("version 1"));
    assert!(error(&format!("{}\nnonsense\n{}", lines[0], lines[1])).starts_with("hand.log:2: expected something"));
    let fewer = lines[0].replace("\"atoms\":[", "\"atoms\":[1");
    assert!(error(&fewer).contains("expected a log of"));
}

#[test]
fn a_hand_never_leaves_the_ligand_inside_and_energy_tells_a_clash() {
    let dock = cholesterol_at_lysozyme();
    let mut hand = dock.hand(0);
    let into = Pose::from_translation(DVec3::NEG_X * 40.0);
    hand.go(dock.obstacle(), into);
    let outside = dock.pose_report(0, &hand.pose(), &[]);
    assert_eq!(outside.clashes, 0);
    assert!(outside.contacts > 0 && outside.worst.unwrap() < 0.401);
    let inside = dock.pose_report(0, &into, &[]);
    assert!(inside.clashes > 100 && inside.energy.total() > outside.energy.total() + 50.0);
    assert_eq!(inside.list.len(), inside.contacts);
}

#[test]
fn poses_of_vina_are_clean_and_the_best_of_them_is_the_best_here() {
    let (Some(receptor), Some(poses)) = (shared("1iep_receptor.pdbqt"), shared("1iep_ligand_vina_out.pdbqt")) else {
        return;
    };
    let tree = torsion_tree(&std::fs::read(&poses).unwrap()).unwrap();
    assert_eq!(tree.len(), 7, "as TORSDOF says");
    let (receptor, poses) = (read(&receptor), read(&poses));
    let dock = Dock::new(("1iep", &receptor), ("imatinib", &poses), Some(&tree), &DockOptions::default()).unwrap();
    assert_eq!(dock.torsions().all().len(), 7);
    let report = dock.report();
    assert_eq!(report.poses.len(), 4);
    assert!(report.poses.iter().all(|pose| pose.clashes == 0), "clean at soft radii");
    let best = report.poses.iter().min_by(|a, b| a.energy.total().total_cmp(&b.energy.total())).unwrap();
    assert_eq!(best.pose, 1);
    // The grid is within a hundredth of the direct sum for most poses that are clean, there and beside; hydrogens of hydrogen bonds stand in the cores.
    let fine = dock.energy_grid(4.0, SPACING);
    let mut random = Random::new(1);
    let mut errors = Vec::new();
    for pose in (0..4).cycle().take(400) {
        let shift = random.direction() * 0.6 * random.unit();
        let moved = Pose::from_translation(shift);
        let direct = dock.pose_report(pose, &moved, &[]);
        if direct.clashes == 0 {
            let (fast, exact) = (dock.grid_energy(&fine, pose, &moved, &[]).total(), direct.energy.total());
            errors.push((fast - exact).abs() / exact.abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() > 100);
    let [median, high, most] = [errors.len() / 2, errors.len() * 9 / 10, errors.len() - 1].map(|at| errors[at]);
    assert!(
        median < 0.005 && high < 0.01 && most < 0.03,
        "{median} in the median, {high} of one in ten, {most} at most"
    );
    // Downhill it gets better, and stays clean.
    let grid = dock.energy_grid(4.0, 0.375);
    let minimum = dock.minimised(&grid, 1, 200);
    let after = dock.pose_report(1, &minimum.pose, &minimum.radians);
    assert!(after.energy.total() < report.poses[1].energy.total() - 1.0 && after.clashes == 0);
}

#[test]
fn bonds_that_turn_are_found_and_rings_and_amides_left_alone() {
    let Some(ligand) = shared("1iep_ligand.sdf") else { return };
    let ligand = read(&ligand);
    let torsions = steric::world::dock::Torsions::find(&ligand, &BondGraph::new(&ligand));
    let element = |atom: u32| ligand.atoms.elements[atom as usize].symbol().to_owned();
    let pairs: Vec<String> =
        torsions.all().iter().map(|torsion| format!("{}-{}", element(torsion.from), element(torsion.to))).collect();
    // Imatinib: two at the amine between its rings, one between the rings themselves, two at the benzamide, two at the methylene.
    assert!((6..=7).contains(&torsions.all().len()), "{pairs:?}");
    let cholesterol = read(&data("cholesterol.pdb"));
    let tail = steric::world::dock::Torsions::find(&cholesterol, &BondGraph::new(&cholesterol));
    assert!((4..=6).contains(&tail.all().len()), "the tail and the hydroxyl: {}", tail.all().len());
}
