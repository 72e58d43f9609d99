//! Laws of a relaxation.

#![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DQuat, DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::{PeriodicBox, Pose, Random, Scene};
use steric_world::relax::{Hold, Leaflet, Relax, RelaxOptions, ResponseKind, Setup, Stop};
use steric_world::shape::{Region, Side, Surface};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());
const RESPONSES: [ResponseKind; 3] = [ResponseKind::Newton, ResponseKind::Projection, ResponseKind::Thesis];

fn spheres(places: &[DVec3], radius: f32) -> Scene {
    let mut scene = Scene::default();
    let sphere = scene.add_type("sphere", &[Vec3::ZERO], &[radius]);
    for &place in places {
        scene.add_molecule(sphere, Pose::from_translation(place));
    }
    scene
}

/// Rods of eleven atoms, 1.5 A apart, along x.
fn rods(poses: &[Pose]) -> Scene {
    let mut scene = Scene::default();
    let atoms: Vec<Vec3> = (-5..=5).map(|i| Vec3::X * 1.5 * i as f32).collect();
    let rod = scene.add_type("rod", &atoms, &[1.0; 11]);
    for &pose in poses {
        scene.add_molecule(rod, pose);
    }
    scene
}

/// Rods thrown into a ball.
fn heap(count: usize, radius: f64, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let pose =
        |_| Pose { translation: random.direction() * radius * random.unit().cbrt(), rotation: random.rotation() };
    rods(&(0..count).map(pose).collect::<Vec<_>>())
}

fn overlaps(scene: &Scene, poses: &[Pose]) -> u64 {
    let mut scene = scene.clone();
    for (molecule, &pose) in scene.molecules_mut().iter_mut().zip(poses) {
        molecule.pose = pose;
    }
    OverlapSearch::default().count(&scene)
}

#[test]
fn two_overlapping_spheres_separate_along_their_line_by_exactly_the_overlap() {
    let along = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let scene = spheres(&[DVec3::ZERO, 2.5 * along], 1.7);
    let response = ResponseKind::Projection;
    let options = RelaxOptions { response, target: 1.0, clearance: 0.0, momentum: 0.0, ..RelaxOptions::default() };
    let mut relax = Relax::new(Setup::new(scene), options, 1);
    relax.step();
    let [a, b] = [0, 1].map(|molecule| relax.poses()[molecule].translation);
    assert!((a + 0.45 * along).length() < 1e-6, "{a}");
    assert!((b - a - 3.4 * along).length() < 1e-6, "{}", b - a);
}

#[test]
fn every_response_parts_two_spheres_along_their_line() {
    for response in RESPONSES {
        let scene = spheres(&[DVec3::ZERO, 2.5 * DVec3::X], 1.7);
        let mut relax = Relax::new(Setup::new(scene), RelaxOptions { response, ..RelaxOptions::default() }, 1);
        assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest, "{response}");
        let poses = relax.poses();
        let between = poses[1].translation - poses[0].translation;
        assert!(between.x >= 3.4 && between.x < 3.4 * 1.5, "{response} {between}");
        assert!(between.y.abs() < 1e-6 && between.z.abs() < 1e-6, "{response} {between}");
    }
}

#[test]
fn spheres_in_the_same_place_are_pushed_apart() {
    for response in RESPONSES {
        let scene = spheres(&[DVec3::ONE; 5], 1.0);
        let options = RelaxOptions { response, ..RelaxOptions::default() };
        let mut relax = Relax::new(Setup::new(scene.clone()), options, 1);
        assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest, "{response}");
        assert_eq!(overlaps(&scene, &relax.poses()), 0);
    }
}

#[test]
fn a_rod_hit_off_centre_turns_away() {
    for response in RESPONSES {
        let mut scene = rods(&[Pose::IDENTITY]);
        let sphere = scene.add_type("sphere", &[Vec3::ZERO], &[1.0]);
        // Above the right end: that end has to go down.
        scene.add_molecule(sphere, Pose::from_translation(DVec3::new(7.5, 1.5, 0.0)));
        let mut setup = Setup::new(scene);
        setup.fixed = vec![false, true];
        let options = RelaxOptions { response, bias: 0.0, ..RelaxOptions::default() };
        let mut relax = Relax::new(setup, options, 1);
        relax.step();
        let axis = relax.poses()[0].rotation * DVec3::X;
        assert!(axis.y < -1e-4 && axis.z.abs() < 1e-6, "{response} {axis}");
        assert!(relax.poses()[0].translation.y < 0.0, "{response}");
    }
}

#[test]
fn a_symmetric_scene_keeps_its_centre() {
    for response in RESPONSES {
        // A straight rod is its own mirror image through its middle, so these are mirror images through the origin.
        let half = heap(20, 12.0, 5);
        let mirrored = |pose: Pose| Pose { translation: -pose.translation, ..pose };
        let poses = half.molecules().iter().flat_map(|molecule| [molecule.pose, mirrored(molecule.pose)]);
        let scene = rods(&poses.collect::<Vec<_>>());
        let start: Vec<Pose> = scene.molecules().iter().map(|molecule| molecule.pose).collect();
        let options = RelaxOptions { response, ..RelaxOptions::default() };
        let mut relax = Relax::new(Setup::new(scene), options, 1);
        (0..5).for_each(|_| _ = relax.step());
        let poses = relax.poses();
        let ways = || poses.iter().zip(&start).map(|(now, then)| now.translation - then.translation);
        assert!(ways().map(DVec3::length).fold(0.0, f64::max) > 0.1, "{response}: something moves");
        let total: DVec3 = ways().sum();
        assert!(total.length() < 1e-4, "{response}: {total}");
    }
}

#[test]
fn a_full_fcc_lattice_stays_put() {
    let edge = 4.0;
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
    let mut places = Vec::new();
    for (x, y, z) in (0..64).map(|i| (i % 4, i / 4 % 4, i / 16)) {
        let cell = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
        places.extend(corners.map(|corner| (cell + corner) * edge));
    }
    // Neighbours are 2.828 A apart; a hair less in single precision.
    let mut scene = spheres(&places, (edge / 8f64.sqrt()) as f32 - 1e-6);
    scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::splat(4.0 * edge)));
    let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    for (pose, place) in relax.poses().iter().zip(&places) {
        assert!(pose.translation.distance(*place) < 1e-6, "{} {place}", pose.translation);
    }
}

/// Two leaflets of upright rods in a periodic plane.
fn bilayer(per_leaflet: usize, edge: f64) -> Setup {
    let mut random = Random::new(3);
    let surface = Arc::new(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z });
    let upright = DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
    let upside_down = DQuat::from_rotation_x(std::f64::consts::PI);
    let mut poses = Vec::new();
    let (mut groups, mut group_of) = (Vec::new(), Vec::new());
    for (group, leaflet) in [Leaflet::Outer, Leaflet::Inner].into_iter().enumerate() {
        for _ in 0..per_leaflet {
            let translation = DVec3::new(random.unit() * edge, random.unit() * edge, 9.0 * leaflet.sign());
            let turn = if leaflet == Leaflet::Outer { DQuat::IDENTITY } else { upside_down };
            poses.push(Pose { translation, rotation: turn * upright });
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
    let mut scene = rods(&poses);
    scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::new(edge, edge, 100.0)));
    Setup { groups, group_of, ..Setup::new(scene) }
}

#[test]
fn nothing_passes_through_a_leaflet_in_ten_thousand_steps() {
    // Discs of 2 A on 14 x 14 A: at 0.9069 there is room for 56, so 70 cannot rest.
    let setup = bilayer(70, 14.0);
    let group_of = setup.group_of.clone();
    let options = RelaxOptions { max_iterations: 10_000, stall_iterations: 0, ..RelaxOptions::default() };
    let mut relax = Relax::new(setup, options, 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Iterations, "it is too crowded to rest");
    for (pose, group) in relax.poses().iter().zip(group_of) {
        let side = if group == 0 { 1.0 } else { -1.0 };
        assert!(pose.translation.z * side > 0.0, "the middle stays in its leaflet: {}", pose.translation);
        assert!((pose.rotation * DVec3::X).z * side > 0.0, "the head stays out: {}", pose.rotation * DVec3::X);
    }
}

#[test]
fn a_bilayer_with_room_comes_to_rest_within_its_leeways() {
    let setup = bilayer(24, 14.0);
    let scene = setup.scene.clone();
    let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    assert_eq!(overlaps(&scene, &relax.poses()), 0);
    for (molecule, pose) in relax.poses().iter().enumerate() {
        let side = if molecule < 24 { 1.0 } else { -1.0 };
        let axis = pose.rotation * DVec3::X;
        let head = (pose.translation + 7.5 * axis).z * side;
        assert!((head - 16.5).abs() < 1.0 + 0.101, "{head}");
        assert!((axis.z * side).min(1.0).acos() < 0.4 + 1.01f64.to_radians(), "{axis}");
    }
}

#[test]
fn one_state_hash_for_any_number_of_threads_and_any_skin() {
    let hash = |threads: usize, skin: f64, response: ResponseKind| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = RelaxOptions { skin, response, max_iterations: 40, ..RelaxOptions::default() };
            let mut relax = Relax::new(Setup::new(heap(150, 20.0, 7)), options, 1);
            relax.run(|_, _| GO_ON);
            relax.state_hash()
        })
    };
    for response in RESPONSES {
        let one = hash(1, -1.0, response);
        for (threads, skin) in [(3, -1.0), (16, -1.0), (2, 0.0), (1, 1.5)] {
            assert_eq!(hash(threads, skin, response), one, "{response} {threads} {skin}");
        }
    }
}

#[test]
fn a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one() {
    for setup in [Setup::new(heap(120, 13.0, 9)), bilayer(32, 14.0)] {
        resumed_equals_uninterrupted(&setup);
    }
}

fn resumed_equals_uninterrupted(setup: &Setup) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let fresh = || Relax::new(setup.clone(), RelaxOptions::default(), 4);
    let mut whole = fresh();
    assert_eq!(whole.run(|_, _| GO_ON), Stop::Rest);
    assert!(whole.iteration() > 4, "{}", whole.iteration());
    let mut first = fresh();
    (0..4).for_each(|_| _ = first.step());
    first.save(&file).unwrap();
    let mut second = fresh();
    second.resume(&file).unwrap();
    assert_eq!((second.iteration(), second.run(|_, _| GO_ON)), (4, Stop::Rest));
    assert_eq!(second.state_hash(), whole.state_hash());
    assert_eq!(second.iteration(), whole.iteration());
}

#[test]
fn a_checkpoint_of_another_run_or_a_broken_one_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.checkpoint");
    let fresh =
        |molecules: usize, seed: u64| Relax::new(Setup::new(heap(molecules, 15.0, 9)), RelaxOptions::default(), seed);
    let mut relax = fresh(30, 4);
    relax.step();
    relax.save(&file).unwrap();
    let refused = |mut relax: Relax| relax.resume(&file).unwrap_err().to_string();
    assert!(refused(fresh(30, 5)).contains("found one of another run"));
    assert!(refused(fresh(31, 4)).contains("expected 31 molecules, found 30"));
    let bytes = std::fs::read(&file).unwrap();
    for length in [0, 5, 20, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..length]).unwrap();
        refused(fresh(30, 4));
    }
    std::fs::write(&file, b"not a checkpoint at all").unwrap();
    assert!(refused(fresh(30, 4)).contains("expected a checkpoint of steric relax"));
}

#[test]
fn at_rest_a_step_looks_at_nothing_and_moves_nothing() {
    let mut relax = Relax::new(Setup::new(heap(100, 20.0, 2)), RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    (0..12).for_each(|_| _ = relax.step());
    let (hash, searches) = (relax.state_hash(), relax.searches());
    let step = relax.step();
    assert_eq!((step.awake, step.moved, step.searched), (0, 0, false));
    assert_eq!((relax.state_hash(), relax.searches()), (hash, searches));
}

#[test]
fn fixed_molecules_stay_and_the_others_make_way() {
    let scene = heap(80, 14.0, 11);
    let mut setup = Setup::new(scene.clone());
    setup.fixed = (0..80).map(|molecule| molecule % 8 == 0).collect();
    // Fixed molecules may overlap each other: nobody asks them to move.
    let few = scene.with_molecules(scene.molecules().iter().step_by(8).copied().collect());
    let fixed_overlaps = OverlapSearch::default().count(&few);
    let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    let poses = relax.poses();
    for molecule in (0..80).step_by(8) {
        assert_eq!(poses[molecule], scene.molecules()[molecule].pose);
    }
    assert_eq!(overlaps(&scene, &poses), fixed_overlaps);
}

#[test]
fn regions_hold_every_atom_on_their_side() {
    let cases = [
        (Region::Sphere { center: DVec3::ZERO, radius: 30.0 }, Side::Inside),
        (Region::Box { low: DVec3::splat(-22.0), high: DVec3::splat(22.0) }, Side::Inside),
        (Region::HalfSpace { normal: DVec3::Z, offset: 5.0 }, Side::Inside),
        (Region::Sphere { center: DVec3::ZERO, radius: 10.0 }, Side::Outside),
        (Region::Ellipsoid { center: DVec3::ZERO, semi_axes: DVec3::new(40.0, 25.0, 25.0) }, Side::Inside),
        (Region::Cylinder { start: DVec3::NEG_X * 40.0, end: DVec3::X * 40.0, radius: 24.0 }, Side::Inside),
    ];
    for (region, side) in cases {
        let scene = heap(100, 26.0, 13);
        let mut setup = Setup::new(scene.clone());
        setup.groups = vec![vec![Hold::Region { region: Arc::new(region.clone()), side, points: Vec::new() }]];
        setup.group_of = vec![0; 100];
        let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
        assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest, "{region:?}");
        assert_eq!(overlaps(&scene, &relax.poses()), 0);
        for pose in relax.poses() {
            for atom in -5..=5 {
                let (distance, _) = region.distance(pose * (DVec3::X * 1.5 * f64::from(atom)));
                let beyond = if side == Side::Inside { distance } else { -distance };
                assert!(beyond < 0.01, "{region:?} {beyond}");
            }
        }
    }
}

#[test]
fn chosen_points_are_held_on_a_surface() {
    let region = Arc::new(Region::Sphere { center: DVec3::ZERO, radius: 25.0 });
    let mut setup = Setup::new(heap(60, 20.0, 17));
    let points = vec![DVec3::X * 7.5];
    setup.groups = vec![vec![Hold::Region { region: Arc::clone(&region), side: Side::On, points }]];
    setup.group_of = vec![0; 60];
    let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    for pose in relax.poses() {
        assert!(region.distance(pose * (DVec3::X * 7.5)).0.abs() < 0.101);
    }
}

#[test]
fn a_molecule_that_is_held_at_its_start_moves_no_farther_than_its_leeway() {
    let scene = heap(200, 24.0, 19);
    let start: Vec<Pose> = scene.molecules().iter().map(|molecule| molecule.pose).collect();
    let mut setup = Setup::new(scene);
    setup.groups = vec![vec![Hold::Start { leeway: 4.0, turn: 0.6 }]];
    setup.group_of = vec![0; 200];
    let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    for (now, then) in relax.poses().iter().zip(&start) {
        assert!(now.translation.distance(then.translation) < 4.101);
        assert!(now.rotation.angle_between(then.rotation) < 0.6 + 1.01f64.to_radians());
    }
}

#[test]
fn a_heavy_molecule_yields_less_than_a_light_one() {
    let mut scene = Scene::default();
    let mut random = Random::new(23);
    let ball: Vec<Vec3> = (0..10_000).map(|_| (random.direction() * 25.0 * random.unit().cbrt()).as_vec3()).collect();
    let ball = scene.add_type("protein", &ball, &[1.5; 10_000]);
    let small = scene.add_type("small", &[Vec3::ZERO, Vec3::X], &[1.5; 2]);
    scene.add_molecule(ball, Pose::IDENTITY);
    scene.add_molecule(small, Pose::from_translation(DVec3::Y * 24.0));
    let mut relax = Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    let poses = relax.poses();
    assert_eq!(overlaps(&scene, &poses), 0);
    assert!(poses[0].translation.length() < 0.1, "{}", poses[0].translation);
    assert!(poses[1].translation.distance(DVec3::Y * 24.0) > 0.5);
}

#[test]
fn proxies_cover_their_atoms_and_clean_proxies_leave_clean_atoms() {
    let setup = Setup::new(heap(150, 26.0, 29));
    let scene = setup.scene.clone();
    let (coarse, fit) = setup.proxies(4);
    assert_eq!((fit.spheres, fit.atoms), (4, 11));
    let mut relax = Relax::new(coarse, RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    assert_eq!(overlaps(&scene, &relax.poses()), 0);
}

#[test]
fn what_cannot_be_resolved_ends_with_a_stall_and_is_named() {
    let mut setup = Setup::new(spheres(&[DVec3::ZERO; 30], 2.0));
    let cage = Region::Sphere { center: DVec3::ZERO, radius: 2.0 };
    setup.groups = vec![vec![Hold::Region { region: Arc::new(cage), side: Side::Inside, points: Vec::new() }]];
    setup.group_of = vec![0; 30];
    let options = RelaxOptions { stall_iterations: 60, ..RelaxOptions::default() };
    let mut relax = Relax::new(setup, options, 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Stalled);
    assert!(!relax.in_trouble().is_empty());
}

#[test]
fn an_empty_scene_rests_at_once() {
    let mut relax = Relax::new(Setup::new(Scene::default()), RelaxOptions::default(), 1);
    assert_eq!(relax.run(|_, _| GO_ON), Stop::Rest);
    assert_eq!(relax.iteration(), 1);
}
