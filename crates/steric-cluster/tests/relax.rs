//! Laws of a relaxation by many ranks: the bits of one process, whoever owns what.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};
use steric_cluster::comm::{Comm, threads};
use steric_cluster::relax::{Burden, Crew, CrewError, CrewOptions, Ownership, RingRepairs, Wish, run_proxies};
use steric_model::{PeriodicBox, Pose, Random, Scene, TypeId};
use steric_world::relax::{Hold, Iteration, Leaflet, Progress, Relax, RelaxOptions, ResponseKind, Setup, Stop};
use steric_world::report::Skeletons;
use steric_world::shape::{Region, Side, Surface};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());
const SEED: u64 = 4;
const RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// What has to be the same for any number of ranks.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    hash: u64,
    stop: Stop,
    history: Vec<Iteration>,
}

impl Outcome {
    fn new(hash: u64, stop: Stop, history: &[Iteration]) -> Self {
        // How often lists are searched is each rank's own affair, and so is time.
        let of_all = |&iteration: &Iteration| Iteration { searched: false, milliseconds: [0.0; 3], ..iteration };
        Self { hash, stop, history: history.iter().map(of_all).collect() }
    }
}

fn alone(setup: &Setup, options: &RelaxOptions) -> Outcome {
    let mut relax = Relax::new(setup.clone(), options.clone(), SEED);
    let stop = relax.run(|_, _| GO_ON);
    Outcome::new(relax.state_hash(), stop, relax.history())
}

fn together(ranks: usize, setup: &Setup, options: &RelaxOptions, crew: CrewOptions) -> (Vec<Outcome>, Burden) {
    let outcomes = threads::run(ranks, |comm: &dyn Comm| {
        let mut crew = Crew::new(comm, setup.clone(), options.clone(), SEED, crew).unwrap();
        let stop = crew.run(|_, _| GO_ON);
        (Outcome::new(crew.state_hash(), stop, crew.relax().history()), crew.burden())
    });
    let burden = outcomes[0].1;
    (outcomes.into_iter().map(|(outcome, _)| outcome).collect(), burden)
}

fn scattered(seed: u64) -> CrewOptions {
    CrewOptions { ownership: Ownership::Scattered(seed), ..CrewOptions::default() }
}

/// The law: whatever the number of ranks and whoever owns what, the bits and the history are those of one process.
fn any_ranks_have_the_bits_of_one(setup: &Setup, options: &RelaxOptions) -> Outcome {
    let expected = alone(setup, options);
    let blocks = RANKS.map(|ranks| (ranks, CrewOptions::default()));
    let tight = (4, CrewOptions { slack: 0.5, ..CrewOptions::default() });
    let wide = (3, CrewOptions { slack: 100.0, ..CrewOptions::default() });
    let restless = (5, CrewOptions { drift: 0.0, drift_iterations: 2, least_work: 0, ..CrewOptions::default() });
    let absurd = [(2, scattered(1)), (3, scattered(2)), (8, scattered(3))];
    for (ranks, crew) in blocks.into_iter().chain([tight, wide, restless]).chain(absurd) {
        let (found, _) = together(ranks, setup, options, crew);
        for found in found {
            let same = found.history.iter().zip(&expected.history).take_while(|(a, b)| a == b).count();
            assert_eq!(found.history.get(same), expected.history.get(same), "{ranks} {crew:?}: iteration {same}");
            assert!(found == expected, "{ranks} {crew:?}: {:x} {:x}", found.hash, expected.hash);
        }
    }
    expected
}

fn rod(scene: &mut Scene, atoms: usize) -> TypeId {
    let middle = 0.5 * (atoms - 1) as f32;
    let places: Vec<Vec3> = (0..atoms).map(|i| Vec3::X * 1.5 * (i as f32 - middle)).collect();
    scene.add_type("rod", &places, &vec![1.0; atoms])
}

/// Molecules thrown into a ball.
fn heap(mut scene: Scene, kinds: &[TypeId], count: usize, radius: f64) -> Scene {
    let mut random = Random::new(7);
    for at in 0..count {
        let translation = random.direction() * radius * random.unit().cbrt();
        scene.add_molecule(kinds[at % kinds.len()], Pose { translation, rotation: random.rotation() });
    }
    scene
}

fn rods(count: usize, radius: f64) -> Setup {
    let mut scene = Scene::default();
    let rod = rod(&mut scene, 11);
    Setup::new(heap(scene, &[rod], count, radius))
}

/// Rods, spheres of two sizes, and a ball that is as large as many of them.
fn medley(count: usize, radius: f64) -> Setup {
    let mut scene = Scene::default();
    let mut kinds = vec![rod(&mut scene, 11), rod(&mut scene, 4)];
    kinds.push(scene.add_type("small", &[Vec3::ZERO], &[1.2]));
    kinds.push(scene.add_type("large", &[Vec3::ZERO, Vec3::X * 1.2], &[2.4, 1.9]));
    let mut random = Random::new(3);
    let shell: Vec<Vec3> = (0..300).map(|_| (random.direction() * 14.0).as_vec3()).collect();
    let giant = scene.add_type("giant", &shell, &[1.9; 300]);
    let mut scene = heap(scene, &kinds, count, radius);
    for x in [-0.5, 0.5] {
        scene.add_molecule(giant, Pose::from_translation(DVec3::new(x, 0.3, 0.0) * radius));
    }
    Setup::new(scene)
}

/// Two leaflets of upright rods in a periodic plane.
fn bilayer(per_leaflet: usize, edge: f64) -> Setup {
    let mut random = Random::new(3);
    let surface = Arc::new(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z });
    let upright = DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
    let upside_down = DQuat::from_rotation_x(std::f64::consts::PI);
    let mut scene = Scene::default();
    let rod = rod(&mut scene, 11);
    let (mut groups, mut group_of) = (Vec::new(), Vec::new());
    for (group, leaflet) in [Leaflet::Outer, Leaflet::Inner].into_iter().enumerate() {
        for _ in 0..per_leaflet {
            let translation = DVec3::new(random.unit() * edge, random.unit() * edge, 9.0 * leaflet.sign());
            let turn = if leaflet == Leaflet::Outer { DQuat::IDENTITY } else { upside_down };
            scene.add_molecule(rod, Pose { translation, rotation: turn * upright });
            group_of.push(group as u32);
        }
        groups.push(vec![Hold::Surface {
            surface: Arc::clone(&surface),
            leaflet,
            head: DVec3::X * 7.5,
            height: 16.5 * leaflet.sign(),
            leeway: 1.0,
            axis: DVec3::X,
            tilt: 0.4,
        }]);
    }
    scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(edge, edge, 100.0)));
    Setup { groups, group_of, ..Setup::new(scene) }
}

fn response(response: ResponseKind) -> RelaxOptions {
    RelaxOptions { response, ..RelaxOptions::default() }
}

#[test]
fn a_heap_of_rods_has_one_hash() {
    let outcome = any_ranks_have_the_bits_of_one(&rods(600, 26.0), &RelaxOptions::default());
    assert_eq!(outcome.stop, Stop::Rest);
}

#[test]
fn every_response_has_one_hash() {
    for kind in [ResponseKind::Projection, ResponseKind::Thesis] {
        let options = RelaxOptions { max_iterations: 60, ..response(kind) };
        any_ranks_have_the_bits_of_one(&medley(200, 26.0), &options);
    }
}

#[test]
fn molecules_of_all_sizes_have_one_hash() {
    let outcome = any_ranks_have_the_bits_of_one(&medley(900, 40.0), &RelaxOptions::default());
    assert_eq!(outcome.stop, Stop::Rest);
}

#[test]
fn a_membrane_in_a_periodic_plane_has_one_hash() {
    let outcome = any_ranks_have_the_bits_of_one(&bilayer(400, 60.0), &RelaxOptions::default());
    assert_eq!(outcome.stop, Stop::Rest);
}

#[test]
fn a_skewed_periodic_box_has_one_hash() {
    let mut setup = rods(300, 22.0);
    let edges = DVec3::new(36.0, 34.0, 35.0);
    setup.scene.set_periodic_box(PeriodicBox::from_edges_and_angles(edges, DVec3::new(80.0, 95.0, 70.0)));
    // Images far away are the same molecules.
    for (at, molecule) in setup.scene.molecules_mut().iter_mut().enumerate() {
        molecule.pose.translation += edges.with_y(0.0).with_z(0.0) * (at % 5) as f64;
    }
    let options = RelaxOptions { max_iterations: 150, ..RelaxOptions::default() };
    any_ranks_have_the_bits_of_one(&setup, &options);
}

#[test]
fn a_tiny_periodic_box_has_one_hash() {
    // So small that cells do not help.
    let mut scene = Scene::default();
    let sphere = scene.add_type("sphere", &[Vec3::ZERO], &[1.2]);
    let mut scene = heap(scene, &[sphere], 6, 3.0);
    scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(5.0, 12.0, 5.5)));
    let options = RelaxOptions { max_iterations: 100, ..RelaxOptions::default() };
    any_ranks_have_the_bits_of_one(&Setup::new(scene), &options);
}

#[test]
fn fixed_molecules_and_holds_have_one_hash() {
    let mut setup = rods(500, 25.0);
    setup.fixed = (0..500).map(|molecule| molecule % 7 == 0).collect();
    let region = Arc::new(Region::Sphere { center: DVec3::ZERO, radius: 30.0 });
    setup.groups = vec![
        vec![Hold::Region { region, side: Side::Inside, points: Vec::new() }],
        vec![Hold::Start { leeway: 3.0, turn: 0.5 }],
    ];
    setup.group_of = (0..500).map(|molecule| [0, 1, u32::MAX][molecule % 3]).collect();
    let options = RelaxOptions { max_iterations: 90, ..RelaxOptions::default() };
    any_ranks_have_the_bits_of_one(&setup, &options);
}

#[test]
fn molecules_in_the_same_place_part_in_one_way() {
    let mut scene = Scene::default();
    let kinds = [rod(&mut scene, 3), rod(&mut scene, 5)];
    for at in 0..40 {
        scene.add_molecule(kinds[at % 2], Pose::from_translation(DVec3::X * 30.0 * (at / 10) as f64));
    }
    let outcome = any_ranks_have_the_bits_of_one(&Setup::new(scene), &RelaxOptions::default());
    assert!(outcome.history[0].overlaps > 100);
}

#[test]
fn jolts_choose_the_deepest_of_all_ranks() {
    // Far too crowded to rest.
    let setup = bilayer(140, 22.0);
    let options = RelaxOptions { max_iterations: 170, jolt_fraction: 0.05, ..RelaxOptions::default() };
    let outcome = any_ranks_have_the_bits_of_one(&setup, &options);
    assert_eq!(outcome.stop, Stop::Iterations);
    let quiet = alone(&setup, &RelaxOptions { jolt_every: 0, ..options });
    assert_ne!(quiet.hash, outcome.hash, "there were jolts");
}

#[test]
fn a_stall_and_wakefulness_are_agreed_on() {
    let options = RelaxOptions { stall_iterations: 12, sleep: false, skin: 0.7, ..RelaxOptions::default() };
    let outcome = any_ranks_have_the_bits_of_one(&bilayer(60, 12.0), &options);
    assert_eq!(outcome.stop, Stop::Stalled);
}

#[test]
fn more_ranks_than_molecules_and_nothing_at_all_have_one_hash() {
    any_ranks_have_the_bits_of_one(&rods(3, 2.0), &RelaxOptions::default());
    any_ranks_have_the_bits_of_one(&rods(0, 1.0), &RelaxOptions::default());
}

/// Rings of six atoms and short chains, thrown together so that chains go through rings.
fn rings(count: usize, radius: f64) -> (Setup, Skeletons) {
    let mut scene = Scene::default();
    let ring: Vec<Vec3> = (0..6)
        .map(|i| {
            let (sin, cos) = (std::f32::consts::FRAC_PI_3 * i as f32).sin_cos();
            Vec3::new(1.9 * cos, 1.9 * sin, 0.0)
        })
        .collect();
    let chain: Vec<Vec3> = (-3..=3).map(|i| Vec3::X * 1.5 * i as f32).collect();
    let kinds = [scene.add_type("ring", &ring, &[0.6; 6]), scene.add_type("chain", &chain, &[0.5; 7])];
    let bonds = |kind: TypeId| match kind.0 {
        0 => (0..6).map(|i| [i, (i + 1) % 6]).collect(),
        _ => (0..6).map(|i| [i, i + 1]).collect(),
    };
    let skeletons = Skeletons::from_bonds(&scene, bonds);
    (Setup::new(heap(scene, &kinds, count, radius)), skeletons)
}

#[test]
fn bonds_come_out_of_rings_in_one_way() {
    let (setup, skeletons) = rings(700, 20.0);
    // As one process does it.
    let mut relax = Relax::new(setup.clone(), RelaxOptions::default(), SEED);
    let mut stop = relax.run(|_, _| GO_ON);
    let mut caught = Vec::new();
    for _ in 0..10 {
        let mut scene = setup.scene.clone();
        for (molecule, pose) in scene.molecules_mut().iter_mut().zip(relax.poses()) {
            molecule.pose = pose;
        }
        let piercings = skeletons.piercings(&scene);
        caught.push(piercings.len() as u64);
        if stop != Stop::Rest || piercings.is_empty() {
            break;
        }
        for piercing in &piercings {
            let Some(way) = skeletons.push_out(&scene, piercing, 0.5) else { continue };
            relax.nudge(piercing.bond.0, 0.5 * way);
            relax.nudge(piercing.ring.0, -0.5 * way);
        }
        stop = relax.run(|_, _| GO_ON);
    }
    assert!(caught[0] > 10 && caught.len() > 2, "{caught:?}");
    let repairs = RingRepairs { caught: caught[0], left: caught[caught.len() - 1] };
    let crews = RANKS.map(|ranks| (ranks, CrewOptions::default()));
    for (ranks, options) in crews.into_iter().chain([(5, scattered(9))]) {
        let found = threads::run(ranks, |comm: &dyn Comm| {
            let mut crew = Crew::new(comm, setup.clone(), RelaxOptions::default(), SEED, options).unwrap();
            let ended = crew.run_and_free_rings(&skeletons, |_, _| Wish::GoOn, |_| ());
            assert_eq!(crew.relax().iteration(), relax.iteration());
            assert_eq!(crew.all_poses(), relax.poses());
            (crew.state_hash(), ended)
        });
        assert!(found.iter().all(|found| *found == (relax.state_hash(), (stop, Some(repairs)))), "{ranks} {found:?}");
    }
}

#[test]
fn stand_ins_go_first_in_one_way() {
    let setup = medley(300, 30.0);
    let options = RelaxOptions::default();
    let coarse = RelaxOptions { max_iterations: 25, stall_iterations: 30, ..options.clone() };
    let mut relax = Relax::new(setup.proxies(3).0, coarse, SEED);
    relax.run(|_, _| GO_ON);
    let mut second = setup.clone();
    for (molecule, pose) in second.scene.molecules_mut().iter_mut().zip(relax.poses()) {
        molecule.pose = pose;
    }
    let expected = alone(&second, &options);
    for ranks in [1, 2, 4] {
        let found = threads::run(ranks, |comm: &dyn Comm| {
            let mut setup = setup.clone();
            run_proxies(comm, &mut setup, 3, 25, &options, SEED, CrewOptions::default()).unwrap();
            let mut crew = Crew::new(comm, setup, options.clone(), SEED, CrewOptions::default()).unwrap();
            crew.run(|_, _| GO_ON);
            crew.state_hash()
        });
        assert_eq!(found, vec![expected.hash; ranks]);
    }
}

#[test]
fn a_run_goes_on_with_another_number_of_ranks() {
    for setup in [bilayer(60, 18.0), medley(250, 26.0)] {
        let options = RelaxOptions { max_iterations: 70, ..RelaxOptions::default() };
        let fresh = || Relax::new(setup.clone(), options.clone(), SEED);
        let expected = alone(&setup, &options);
        let mut relax = fresh();
        relax.step();
        // Some iterations by so many ranks, the next by others; in between, a checkpoint of one process.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.checkpoint");
        for (ranks, iterations) in [(3, 2), (1, 1), (8, 2), (2, usize::MAX)] {
            let parts = threads::run(ranks, |comm: &dyn Comm| {
                let mut whole = fresh();
                whole.take(relax.progress(), relax.history());
                let mut crew = Crew::of(comm, whole, CrewOptions::default()).unwrap();
                let mut left = iterations;
                while left > 0 && !crew.relax().is_at_rest() && crew.relax().stop_at(0.0).is_none() {
                    crew.step();
                    left -= 1;
                }
                (crew.progress(), crew.relax().history().to_vec())
            });
            let seen = |part: &Progress| Progress { searches: 0, ..part.clone() };
            assert!(parts.iter().all(|part| seen(&part.0) == seen(&parts[0].0)), "every rank knows the whole");
            let (progress, history) = parts[0].clone();
            let mut whole = fresh();
            whole.take(progress, &history);
            whole.save(&file).unwrap();
            relax = fresh();
            relax.resume(&file).unwrap();
        }
        let stop = relax.stop_at(0.0).unwrap();
        assert_eq!(Outcome::new(relax.state_hash(), stop, relax.history()), expected);
    }
}

#[test]
fn what_ranks_save_goes_on_with_any_number_of_them() {
    let (setup, options) = (medley(250, 26.0), RelaxOptions { max_iterations: 40, ..RelaxOptions::default() });
    let fresh = || Relax::new(setup.clone(), options.clone(), SEED);
    let expected = alone(&setup, &options);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.ckpt");
    let saved = |ranks: usize, iterations: u32| {
        let hashes = threads::run(ranks, |comm: &dyn Comm| {
            let mut crew = Crew::of(comm, fresh(), CrewOptions::default()).unwrap();
            (0..iterations).for_each(|_| _ = crew.step());
            crew.save(&file).unwrap();
            crew.state_hash()
        });
        hashes[0]
    };
    let files = || {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut files: Vec<String> = files.map(|file| file.into_string().unwrap()).collect();
        files.sort();
        files
    };
    saved(5, 2);
    assert_eq!(files().len(), 6);
    let hash = saved(3, 4);
    assert_eq!(files(), ["run.ckpt", "run.ckpt.4.0", "run.ckpt.4.1", "run.ckpt.4.2"]);
    let resumed = || {
        let mut relax = fresh();
        relax.resume(&file).unwrap();
        assert_eq!((relax.iteration(), relax.state_hash()), (4, hash));
        relax
    };
    for ranks in [1, 2, 5] {
        let outcomes = threads::run(ranks, |comm: &dyn Comm| {
            let mut crew = Crew::of(comm, resumed(), CrewOptions::default()).unwrap();
            let stop = crew.run(|_, _| GO_ON);
            Outcome::new(crew.state_hash(), stop, crew.relax().history())
        });
        assert!(outcomes.iter().all(|outcome| *outcome == expected), "{ranks} ranks");
    }
    let mut relax = resumed();
    let stop = relax.run(|_, _| GO_ON);
    assert_eq!(Outcome::new(relax.state_hash(), stop, relax.history()), expected);
    // Another save after the same iteration has names of its own, so that the first stays whole until it is there.
    saved(2, 4);
    assert_eq!(files(), ["run.ckpt", "run.ckpt.4b.0", "run.ckpt.4b.1"]);
    resumed().save(&file).unwrap();
    assert_eq!(files(), ["run.ckpt"], "the file of one process needs no parts");
    resumed();
}

#[test]
fn ranks_agree_on_why_nothing_was_saved_and_the_checkpoint_before_stays() {
    let setup = rods(60, 12.0);
    let fresh = || Relax::new(setup.clone(), RelaxOptions::default(), SEED);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.ckpt");
    // A folder where rank 1 wants to put its part.
    std::fs::create_dir(folder.path().join("run.ckpt.2.1")).unwrap();
    let errors = threads::run(3, |comm: &dyn Comm| {
        let mut crew = Crew::of(comm, fresh(), CrewOptions::default()).unwrap();
        crew.step();
        crew.save(&file).unwrap();
        crew.step();
        crew.save(&file).unwrap_err()
    });
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    assert!(errors[0].rank == 1 && errors[0].file.ends_with("run.ckpt.2.1"), "{errors:?}");
    let mut relax = fresh();
    relax.resume(&file).unwrap();
    assert_eq!(relax.iteration(), 1);
    assert!(!folder.path().join("run.ckpt.2.0").exists(), "nobody needs it");
}

#[test]
fn a_rank_knows_its_block_and_what_is_around_it_and_no_more() {
    // A long row of heaps.
    let mut setup = rods(1_600, 20.0);
    for (at, molecule) in setup.scene.molecules_mut().iter_mut().enumerate() {
        molecule.pose.translation.x = (molecule.pose.translation.x + (at % 16) as f64 * 45.0) * 1.4;
    }
    let options = RelaxOptions { max_iterations: 30, ..RelaxOptions::default() };
    let (_, burden) = together(4, &setup, &options, CrewOptions::default());
    assert!(burden.most_owned < 1_600 * 3 / 10, "{burden:?}");
    assert!(burden.most_ghosts > 0 && burden.most_ghosts < 160, "{burden:?}");
    assert!(burden.most_here < 1_600 * 4 / 10, "{burden:?}");
    assert!(burden.bytes_per_iteration > 0.0 && burden.messages_per_iteration > 0.0, "{burden:?}");
}

#[test]
fn blocks_are_cut_anew_where_the_work_is() {
    // Most molecules are far apart; one corner is crowded and stays busy.
    let mut scene = Scene::default();
    let rod = rod(&mut scene, 11);
    let mut scene = heap(scene, &[rod], 700, 14.0);
    for at in 0..1_000 {
        let place =
            DVec3::new(40.0 + f64::from(at % 10) * 25.0, f64::from(at / 10 % 10) * 25.0, f64::from(at / 100) * 25.0);
        scene.add_molecule(rod, Pose::from_translation(place));
    }
    let setup = Setup::new(scene);
    let options = RelaxOptions { max_iterations: 80, stall_iterations: 0, ..RelaxOptions::default() };
    let supple = CrewOptions { drift_iterations: 5, least_work: 64, ..CrewOptions::default() };
    let fixed = CrewOptions { drift: f64::INFINITY, ..supple };
    let (_, rigid) = together(4, &setup, &options, fixed);
    let (_, supple) = together(4, &setup, &options, supple);
    assert!(supple.cuts > 1 && rigid.cuts == 1, "{supple:?}");
    assert_eq!(supple.work, rigid.work, "the work is that of the scene");
    assert!(supple.most_work * 10 < rigid.most_work * 9, "{supple:?} {rigid:?}");
}

#[test]
fn one_rank_may_ask_for_the_end_and_all_end_alike() {
    let setup = bilayer(80, 12.0);
    let ended = threads::run(3, |comm: &dyn Comm| {
        let options = RelaxOptions::default();
        let mut crew = Crew::new(comm, setup.clone(), options, SEED, CrewOptions::default()).unwrap();
        let watch = |relax: &Relax, _: &Iteration| {
            if comm.rank() == 1 && relax.iteration() == 5 { ControlFlow::Break(()) } else { GO_ON }
        };
        (crew.run(watch), crew.relax().iteration())
    });
    assert_eq!(ended, [(Stop::Interrupted, 6); 3]);
}

#[test]
fn all_ranks_save_after_the_same_iteration_and_a_resumed_run_ends_alike() {
    let setup = bilayer(60, 18.0);
    let options = RelaxOptions { max_iterations: 70, ..RelaxOptions::default() };
    let expected = alone(&setup, &options);
    let saved = threads::run(4, |comm: &dyn Comm| {
        let mut crew = Crew::new(comm, setup.clone(), options.clone(), SEED, CrewOptions::default()).unwrap();
        // One rank's clock says when.
        let watch = |relax: &Relax, _: &Iteration| {
            if comm.rank() == 2 && [3, 4, 8].contains(&relax.iteration()) { Wish::Save } else { Wish::GoOn }
        };
        let mut saved = Vec::new();
        crew.run_and_save(watch, |crew| saved.push((crew.progress(), crew.relax().history().to_vec())));
        assert_eq!(crew.state_hash(), expected.hash);
        saved
    });
    for saved in saved {
        assert_eq!(saved.iter().map(|(_, history)| history.len()).collect::<Vec<_>>(), [4, 5, 9]);
        for (progress, history) in saved {
            let mut relax = Relax::new(setup.clone(), options.clone(), SEED);
            relax.take(progress, &history);
            let stop = relax.run(|_, _| GO_ON);
            assert_eq!(Outcome::new(relax.state_hash(), stop, relax.history()), expected);
        }
    }
}

#[test]
fn a_slack_that_is_none_is_refused() {
    let found = threads::run(2, |comm: &dyn Comm| {
        let options = CrewOptions { slack: 0.0, ..CrewOptions::default() };
        Crew::new(comm, rods(5, 9.0), RelaxOptions::default(), SEED, options).err()
    });
    assert_eq!(found, vec![Some(CrewError::Slack("0".to_owned())); 2]);
}

#[test]
fn ranks_with_different_scenes_are_refused() {
    let found = threads::run(3, |comm: &dyn Comm| {
        let seed = if comm.rank() == 2 { 1 } else { 2 };
        Crew::new(comm, rods(5, 9.0), RelaxOptions::default(), seed, CrewOptions::default()).err()
    });
    assert_eq!(found, vec![Some(CrewError::Different { rank: 2 }); 3]);
    let words = found[0].as_ref().unwrap().to_string();
    assert!(words.ends_with("found others on rank 2 than on rank 0"), "{words}");
}
