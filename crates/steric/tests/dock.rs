//! A ligand at a receptor: energies, logs, torsions, and poses that are known to be good.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use steric::dock::{Deed, Dock, DockOptions, Log, Ready, Session, Which, ready};
use steric::model::chemistry::{BondGraph, RadiiSet};
use steric::model::formats::pdbqt::torsion_tree;
use steric::model::{Pose, Random, Structure, formats};
use steric::world::dock::energy::{Charged, EnergyGrid, Minimum, atom_types, direct_energy, minimise};
use steric::world::dock::{Body, Response, Torsions};

/// How far the points of a grid are apart, in angstroms.
const SPACING: f64 = 0.25;
/// Outside the cores no atom is repelled by more than this, in kilocalories per mole.
const REPELLED: f64 = 1.0;

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
    while errors.len() < 200 && tried < 2_000 {
        tried += 1;
        // Forty atoms of many types.
        let mut ligand = Charged::default();
        for _ in 0..4_000 {
            if ligand.places.len() == 40 {
                break;
            }
            let number = (random.next_u64() % types.len() as u64) as usize;
            let place = middle + random.direction() * 13.0 * random.unit().cbrt();
            let one = Charged { places: vec![place], types: vec![types[number]], charges: vec![0.2] };
            if direct_energy(&receptor, &one).lennard_jones < REPELLED {
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
    assert!(worst < 0.01, "of a hundred ligands one is off by {worst}");
}

/// Everything that a hand can do, in some order, while the ligand goes at the receptor.
fn deeds(session: &Session) -> Vec<Deed> {
    let mut random = Random::new(3);
    let bonds = session.dock().torsions().all().len();
    let mut pose = session.world_from_ligand();
    let middle = session.middle_of_moved();
    let mut deeds = vec![Deed::Forgive(0.3), Deed::Energies([4.0, 0.5])];
    for step in 0..200u32 {
        let turn = DQuat::from_scaled_axis(random.direction() * 0.1);
        let way = DVec3::NEG_X * 0.4 + random.direction() * 0.4;
        let rotation = (turn * pose.rotation).normalize();
        let place = pose.inverse() * middle;
        pose = Pose { rotation, translation: pose * place + way - rotation * place };
        match step {
            40 => deeds.push(Deed::Respond(Response::Stop)),
            60 => deeds.push(Deed::Turn(vec![0.6; bonds])),
            70 => deeds.push(Deed::Mark(())),
            80 => deeds.push(Deed::Grow(1.1)),
            90 => deeds.push(Deed::Move(Which::Receptor)),
            95 => deeds.push(Deed::Move(Which::Ligand)),
            100 => deeds.extend([Deed::Respond(Response::Push), Deed::Flex((0..129).collect())]),
            120 => deeds.push(Deed::Collide(false)),
            125 => deeds.extend([Deed::Collide(true), Deed::Respond(Response::Bounce)]),
            150 => deeds.extend([Deed::Undo(()), Deed::Redo(()), Deed::Undo(()), Deed::Respond(Response::Slide)]),
            170 => deeds.extend([Deed::Downhill(5), Deed::Look([0.0; 10]), Deed::Press("fog".to_owned())]),
            _ => {}
        }
        deeds.push(Deed::Go(pose.into()));
    }
    deeds
}

#[test]
fn a_log_is_played_again_to_the_same_bits() {
    let dock = Arc::new(cholesterol_at_lysozyme());
    let mut session = Session::new(Arc::clone(&dock));
    let mut bytes = Vec::new();
    let mut log = Log::begin(&session, &mut bytes).unwrap();
    let (mut hits, mut count) = (0, 0);
    for deed in deeds(&session) {
        let outcome = session.act(&deed, f64::from(count));
        log.write(f64::from(count), &deed, &session).unwrap();
        hits += usize::from(!outcome.contacts.is_empty());
        count += 1;
    }
    assert!(hits > 50, "it touched {hits} times");
    let text = String::from_utf8(bytes).unwrap();
    let (played, end) = dock.play("hand.log", &text).unwrap();
    let all = count as usize;
    assert_eq!((played.deeds, played.same, played.first_other, played.is_cut), (all, all, None, false));
    assert_eq!(end.standing(), session.standing());
    // One that breaks off is played as far as it goes.
    let (cut, _) = dock.play("hand.log", &text[..text.len() - 30]).unwrap();
    assert_eq!((cut.deeds, cut.same, cut.is_cut), (all - 1, all - 1, true));
    // One that was changed is found out.
    let lines: Vec<&str> = text.lines().collect();
    let other: Vec<&str> = lines.iter().copied().filter(|line| !line.contains("\"turn\"")).collect();
    let other = other.join("\n");
    assert!(dock.play("hand.log", &other).unwrap().0.first_other.is_some());
    let error = |text: &str| dock.play("hand.log", text).unwrap_err().to_string();
    assert!(error("hello").starts_with("hand.log:1: expected a log of steric dock, version 2, found \"hello\""));
    assert!(error(&lines[0].replace("_log\":2", "_log\":9")).contains("version 2"));
    assert!(error(&format!("{}\nnonsense\n{}", lines[0], lines[1])).starts_with("hand.log:2: expected something"));
    let fewer = lines[0].replace("\"atoms\":[", "\"atoms\":[1");
    assert!(error(&fewer).contains("expected a log of"));
}

#[test]
fn undo_goes_back_to_the_mark_and_redo_forward_again() {
    let mut session = Session::new(Arc::new(cholesterol_at_lysozyme()));
    let start = session.hash();
    assert!(!session.act(&Deed::Undo(()), 0.0).is_there, "nothing to undo");
    session.act(&Deed::Mark(()), 0.0);
    for step in 1..=5 {
        let to = Pose::from_translation(DVec3::NEG_X * f64::from(step));
        session.act(&Deed::Go(to.into()), 0.0);
    }
    session.act(&Deed::Mark(()), 0.0);
    let turned = vec![0.3; session.dock().torsions().all().len()];
    session.act(&Deed::Turn(turned), 0.0);
    let end = session.hash();
    assert!(session.act(&Deed::Undo(()), 0.0).is_there && session.act(&Deed::Undo(()), 0.0).is_there);
    assert_eq!((session.hash(), session.can_undo()), (start, [false, true]));
    session.act(&Deed::Redo(()), 0.0);
    session.act(&Deed::Redo(()), 0.0);
    assert_eq!((session.hash(), session.can_undo()), (end, [true, false]));
}

/// Who moves the receptor sees what he would see if he moved the ligand the other way.
#[test]
fn the_receptor_in_hand_stops_where_the_ligand_would() {
    let dock = Arc::new(cholesterol_at_lysozyme());
    let mut ligand = Session::new(Arc::clone(&dock));
    let mut receptor = Session::new(dock);
    receptor.act(&Deed::Move(Which::Receptor), 0.0);
    let at = receptor.world_from_ligand();
    for session in [&mut ligand, &mut receptor] {
        session.act(&Deed::Respond(Response::Stop), 0.0);
    }
    let to = Pose::from_translation(DVec3::X * 60.0);
    assert!(!ligand.act(&Deed::Go(to.inverse().into()), 0.0).contacts.is_empty());
    assert!(!receptor.act(&Deed::Go(to.into()), 0.0).contacts.is_empty());
    assert_eq!(receptor.world_from_ligand(), at, "the other one stays where it is");
    let [one, other] = [&ligand, &receptor].map(|session| session.standing().receptor_from_ligand);
    assert!(one.translation.distance(other.translation) < 1e-6, "{one:?} {other:?}");
}

#[test]
fn a_bond_turns_until_something_touches() {
    let dock = Arc::new(cholesterol_at_lysozyme());
    let mut session = Session::new(dock);
    session.act(&Deed::Go(Pose::from_translation(DVec3::NEG_X * 40.0).into()), 0.0);
    let bonds = session.standing().radians.len();
    let mut is_barred = false;
    for bond in 0..bonds {
        for angle in [3.0, -3.0] {
            let mut wanted = session.standing().radians.clone();
            wanted[bond] += angle;
            is_barred |= !session.act(&Deed::Turn(wanted), 0.0).is_there;
            let report = session.report();
            assert_eq!((report.clashes, session.own_overlaps().len()), (0, 0), "bond {bond} by {angle}");
        }
    }
    assert!(is_barred, "at the surface of a protein some bond hits something");
    // Detect only: it turns freely.
    session.act(&Deed::Respond(Response::Detect), 0.0);
    assert!(session.act(&Deed::Turn(vec![2.0; bonds]), 0.0).is_there);
    assert_eq!(session.standing().radians, vec![2.0; bonds]);
    assert!(!session.act(&Deed::Turn(vec![f64::NAN; bonds]), 0.0).is_there, "no number is no angle");
}

#[test]
fn side_chains_give_way_and_let_a_ligand_deeper_in() {
    let overlap =
        |session: &Session| session.report().list.iter().map(|contact| (-contact.gap - 0.4).max(0.0)).sum::<f64>();
    let push = |flexible: bool| {
        let mut session = Session::new(Arc::new(cholesterol_at_lysozyme()));
        session.act(&Deed::Go(Pose::from_translation(DVec3::NEG_X * 40.0).into()), 0.0);
        session.act(&Deed::Respond(Response::Push), 0.0);
        if flexible {
            let pose = session.standing().receptor_from_ligand;
            let places: Vec<DVec3> = session.ligand_places().iter().map(|place| pose * *place).collect();
            let near = session.dock().side_chains_near(&places, 8.0);
            assert!(near.len() > 2, "{near:?}");
            session.act(&Deed::Flex(near), 0.0);
        }
        let start = session.standing().receptor_from_ligand;
        let deeper = Pose { translation: start.translation + DVec3::NEG_X * 1.5, ..start };
        session.act(&Deed::Go(deeper.into()), 0.0);
        let moved = session.standing().receptor_from_ligand.translation.distance(deeper.translation);
        (moved, overlap(&session), session)
    };
    let (stiff, _, _) = push(false);
    let (soft, left, session) = push(true);
    assert!(soft < 0.8 * stiff, "pushed back by {stiff:.2} without and {soft:.2} with side chains that give way");
    assert!(left < 0.05, "{left} left");
    let turned = session.standing().side_chains.iter().flatten().filter(|angle| angle.abs() > 0.01).count();
    assert!(turned > 0 && session.receptor().atoms.len() == session.dock().receptor().atoms.len());
    // Bonds of side chains keep their lengths.
    let (before, after) = (session.dock().receptor(), session.receptor());
    for (a, b) in BondGraph::new(before).pairs() {
        let length = |structure: &Structure| {
            let place = |atom: u32| structure.atoms.positions[atom as usize];
            place(a).distance(place(b))
        };
        assert!((length(before) - length(&after)).abs() < 1e-3, "{}", session.dock().label(Which::Receptor, 0, a));
    }
}

#[test]
fn the_drug_fits_its_enzyme_and_the_task_can_be_solved() {
    let Ready { dock, start } = ready("dhfr", &DockOptions::default()).unwrap().unwrap();
    let session = Session::new(Arc::clone(&dock));
    let [bound, free] = [session.report(), Ready { dock, start }.session().report()];
    assert!(bound.contacts > 20 && free.contacts == 0, "{} and {} contacts", bound.contacts, free.contacts);
    assert!(bound.list.iter().any(|contact| contact.receptor.contains("ASP 27")), "the acid that holds it");
    let fitting = ready("fitting", &DockOptions::default()).unwrap().unwrap();
    let mut session = fitting.session();
    let goal = Pose::from_translation(DVec3::NEG_Y * 4.0);
    assert!(!session.act(&Deed::Go(goal.into()), 1.0).is_solved, "the straight way is barred");
    session.act(&Deed::Collide(false), 2.0);
    assert!(!session.act(&Deed::Claim(()), 3.0).is_solved);
    assert!(!session.act(&Deed::Go(goal.into()), 4.0).is_solved, "who sees no collisions has to say that it is done");
    assert!(session.act(&Deed::Claim(()), 5.0).is_solved);
    let trial = session.trial().unwrap();
    assert_eq!((trial.solved, trial.errors, trial.motions), (Some(5.0), 1, 2));
    assert_eq!(trial.row("a, b", "off", 9.0), "a b,off,true,5.000,2,1,1\n");
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
    // Downhill it gets better, and stays clean.
    let grid = dock.energy_grid(4.0, 0.375);
    let minimum = dock.minimised(&grid, 1, 200);
    let after = dock.pose_report(1, &minimum.pose, &minimum.radians);
    assert!(after.energy.total() < report.poses[1].energy.total() - 1.0 && after.clashes == 0);
}

/// The receptor, and the poses of imatinib that Vina found, as `read` gives them.
fn imatinib() -> Option<(Charged, Vec<Charged>, Structure)> {
    let (receptor, poses) = (shared("1iep_receptor.pdbqt")?, shared("1iep_ligand_vina_out.pdbqt")?);
    let charged = |structure: &Structure| Charged {
        places: structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect(),
        types: atom_types(structure, &BondGraph::new(structure)),
        charges: structure.atoms.partial_charges.iter().map(|&charge| f64::from(charge)).collect(),
    };
    let (receptor, poses) = (read(&receptor), read(&poses));
    let each = poses.models.iter().map(|model| poses.alone(&model.atoms));
    let each: Vec<Structure> = each.filter(|pose| !pose.atoms.is_empty()).collect();
    Some((charged(&receptor), each.iter().map(charged).collect(), each[0].clone()))
}

/// A grid around poses.
fn around(receptor: &Charged, poses: &[Charged], spacing: f64) -> EnergyGrid {
    let places = || poses.iter().flat_map(|pose| pose.places.iter().copied());
    let (low, high) = (places().reduce(DVec3::min).unwrap(), places().reduce(DVec3::max).unwrap());
    EnergyGrid::new(receptor, &poses[0].types, [low - 4.0, high + 4.0], spacing)
}

/// A pose shifted and turned about its middle.
fn moved(places: &[DVec3], random: &mut Random, shift: f64, turn: f64) -> Vec<DVec3> {
    let middle = places.iter().sum::<DVec3>() / places.len() as f64;
    let turn = DQuat::from_scaled_axis(random.direction() * turn);
    let shift = random.direction() * shift;
    places.iter().map(|place| middle + shift + turn * (*place - middle)).collect()
}

#[test]
fn the_grid_is_within_a_hundredth_of_the_direct_sum_for_poses_outside_the_cores() {
    let Some((receptor, poses, _)) = imatinib() else { return };
    let grid = around(&receptor, &poses, SPACING);
    let (mut random, mut errors) = (Random::new(1), Vec::new());
    for pose in poses.iter().cycle().take(400) {
        let (shift, turn) = (0.6 * random.unit(), 0.1 * random.unit());
        let pose = Charged { places: moved(&pose.places, &mut random, shift, turn), ..pose.clone() };
        let alone = |atom: usize| Charged {
            places: vec![pose.places[atom]],
            types: vec![pose.types[atom]],
            charges: vec![pose.charges[atom]],
        };
        if (0..pose.places.len()).all(|atom| direct_energy(&receptor, &alone(atom)).lennard_jones < 5.0 * REPELLED) {
            let direct = direct_energy(&receptor, &pose).total();
            errors.push((grid.energy(&pose).total() - direct).abs() / direct.abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() > 100, "{} poses", errors.len());
    let [median, high] = [errors.len() / 2, errors.len() * 99 / 100].map(|at| errors[at]);
    assert!(high < 0.01, "{median} in the median, {high} of one in a hundred");
}

#[test]
fn forces_are_the_slopes_of_the_energy() {
    let Some((receptor, poses, _)) = imatinib() else { return };
    let grid = around(&receptor, &poses[..1], 0.3);
    let numbers = grid.numbers(&poses[0].types);
    let (energy, forces) = grid.forces_of(&poses[0].places, &numbers, &poses[0].charges);
    let plain = grid.energy(&poses[0]);
    assert!((energy.total() - plain.total()).abs() < 1e-3 * plain.total().abs());
    for (atom, force) in forces.into_iter().enumerate() {
        let (place, charge) = (poses[0].places[atom], poses[0].charges[atom]);
        let at = |place: DVec3| grid.energy_of(&[place], &numbers[atom..=atom], &[charge]).total();
        let step = 0.01;
        let slope = DVec3::AXES.map(|axis| (at(place + axis * step) - at(place - axis * step)) / (2.0 * step));
        let far = (force + DVec3::from_array(slope)).length();
        assert!(far < 0.02 * force.length().max(1.0), "atom {atom}: {force} and {slope:?}");
    }
}

#[test]
fn poses_that_were_disturbed_go_back_downhill() {
    let Some((receptor, poses, first)) = imatinib() else { return };
    let (grid, bonds) = (around(&receptor, &poses[..1], 0.25), BondGraph::new(&first));
    let torsions = Torsions::find(&first, &bonds);
    let radii: Vec<f64> = RadiiSet::Bondi.radii(&first, &bonds).into_iter().map(f64::from).collect();
    let (numbers, charges) = (grid.numbers(&poses[0].types), &poses[0].charges);
    let body = Body::new(poses[0].places.clone(), radii);
    let down = |pose: Pose, radians: &[f64], most: u32| {
        minimise(&grid, (&body, &torsions, &numbers, charges), pose, radians, most)
    };
    let value = |minimum: &Minimum| minimum.energy.total() + minimum.own;
    let best = down(Pose::IDENTITY, &[], 1000);
    assert!(value(&best) < value(&down(Pose::IDENTITY, &[], 0)) - 1.0);
    let mut random = Random::new(5);
    let mut back = 0;
    for _ in 0..20 {
        let shift = Pose::from_translation(random.direction() * 0.5);
        let radians: Vec<f64> = torsions
            .all()
            .iter()
            .map(|_| if random.unit() < 0.5 { 10f64.to_radians() } else { -10f64.to_radians() })
            .collect();
        let (start, end) = (down(shift, &radians, 0), down(shift, &radians, 1000));
        assert!(value(&end) <= value(&start) && end.steps <= 1000);
        back += u32::from(value(&end) < value(&best) + 1.0);
    }
    assert!(back >= 14, "{back} of 20 came back");
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
