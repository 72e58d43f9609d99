//! Relaxations on the GPU end as on the CPU: with nothing left to push apart.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use common::gpu;
use glam::{DQuat, DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_gpu::{Gpu, GpuRelax};
use steric_model::{PeriodicBox, Pose, Random, Scene};
use steric_world::relax::{Engine, Hold, Leaflet, Relax, RelaxOptions, ResponseKind, Setup, Stop};
use steric_world::shape::{Region, Side, Surface};

fn run(gpu: &Gpu, setup: &Setup, options: &RelaxOptions) -> (Relax, Stop) {
    let mut relax = Relax::new(setup.clone(), options.clone(), 1);
    let (stop, error) = relax.run_on(&mut GpuRelax::new(gpu), |_, _| ControlFlow::Continue(()));
    assert_eq!(error, None);
    (relax, stop)
}

fn overlaps_left(setup: &Setup, relax: &Relax) -> u64 {
    let mut scene = setup.scene.clone();
    scene.molecules_mut().iter_mut().zip(relax.poses()).for_each(|(molecule, pose)| molecule.pose = pose);
    OverlapSearch { allow: setup.allow, ..OverlapSearch::default() }.count(&scene)
}

/// Short rods, thrown into a cube.
fn rods(count: usize, width: f64) -> Setup {
    let mut scene = Scene::default();
    let atoms: Vec<Vec3> = (0..12).map(|at| Vec3::Z * (at as f32 - 5.5)).collect();
    let rod = scene.add_type("rod", &atoms, &[1.5; 12]);
    let mut random = Random::new(5);
    for _ in 0..count {
        let place = DVec3::from([0.0; 3].map(|_: f64| random.unit() * width));
        scene.add_molecule(rod, Pose { rotation: random.rotation(), translation: place });
    }
    Setup::new(scene)
}

#[test]
fn every_response_pushes_rods_apart() {
    let Some(gpu) = gpu() else { return };
    for response in [ResponseKind::Newton, ResponseKind::Projection, ResponseKind::Thesis] {
        let setup = rods(300, 75.0);
        let options = RelaxOptions { response, max_iterations: 600, ..RelaxOptions::default() };
        let (relax, stop) = run(&gpu, &setup, &options);
        assert_eq!(stop, Stop::Rest, "{response} {:?}", relax.history().last());
        assert_eq!(overlaps_left(&setup, &relax), 0, "{response}");
    }
}

#[test]
fn the_first_iterations_see_and_do_what_the_cpu_sees_and_does() {
    let Some(gpu) = gpu() else { return };
    for response in [ResponseKind::Newton, ResponseKind::Projection, ResponseKind::Thesis] {
        let mut setup = rods(200, 60.0);
        setup.fixed = (0..200).map(|molecule| molecule % 7 == 0).collect();
        // The thesis's push does not fade towards the distance of contact: a pair there that only one of the two sees counts.
        let max_iterations = if response == ResponseKind::Thesis { 1 } else { 3 };
        let options = RelaxOptions { response, max_iterations, ..RelaxOptions::default() };
        let mut on_cpu = Relax::new(setup.clone(), options.clone(), 1);
        on_cpu.run(|_, _| ControlFlow::Continue(()));
        let (on_gpu, _) = run(&gpu, &setup, &options);
        for (at, (cpu, gpu)) in on_cpu.history().iter().zip(on_gpu.history()).enumerate() {
            // From the second on poses differ by up to 0.0005 A, and a pair at the very distance of contact may be seen by one alone.
            assert!(
                cpu.overlaps.abs_diff(gpu.overlaps) <= at.min(1) as u64,
                "{response}: {} {}",
                cpu.overlaps,
                gpu.overlaps
            );
            assert_eq!((cpu.overlapping, cpu.broken), (gpu.overlapping, gpu.broken), "{response}");
            assert_eq!((cpu.awake, cpu.moved), (gpu.awake, gpu.moved));
            for (cpu, gpu) in
                [(cpu.deepest, gpu.deepest), (cpu.mean_depth, gpu.mean_depth), (cpu.farthest, gpu.farthest)]
            {
                assert!((cpu - gpu).abs() < 1e-3 * cpu.max(1.0), "{response}: {cpu} {gpu}");
            }
        }
        for (cpu, gpu) in on_cpu.poses().iter().zip(on_gpu.poses()) {
            assert!(cpu.translation.distance(gpu.translation) < 2e-3, "{response}: {cpu:?} {gpu:?}");
            // Projection turns a rod about its axis by next to nothing over next to nothing.
            let turned = (cpu.rotation * DVec3::Z).angle_between(gpu.rotation * DVec3::Z);
            assert!(turned < 2e-3, "{response}: {cpu:?} {gpu:?}");
        }
    }
}

#[test]
fn repeated_runs_end_in_the_same_bits_for_every_kind_of_cells_in_shares_in_pieces_and_without_subgroups() {
    let Some(gpu) = gpu() else { return };
    let setup = rods(400, 80.0);
    let with = |mut engine: GpuRelax| {
        let mut relax = Relax::new(setup.clone(), RelaxOptions::default(), 1);
        let ended = relax.run_on(&mut engine, |_, _| ControlFlow::Continue(()));
        assert_eq!(ended, (Stop::Rest, None));
        relax.state_hash()
    };
    let engines =
        steric_gpu::KINDS.into_iter().chain(steric_gpu::KINDS).map(|kind| GpuRelax::new(&gpu).with_cells(kind));
    let in_shares = [700, 5_000].map(|atoms| GpuRelax::new(&gpu).in_shares_of(atoms));
    let without_subgroups = GpuRelax::new(&gpu.without_subgroups());
    let in_pieces = GpuRelax::new(&gpu.with_arrays_of(40 << 10));
    let hashes: Vec<u64> = engines.chain(in_shares).chain([without_subgroups, in_pieces]).map(with).collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

#[test]
fn a_membrane_comes_to_rest_and_its_springs_hold() {
    let Some(gpu) = gpu() else { return };
    let surfaces = [
        Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z },
        Surface::Sphere { center: DVec3::Z * -150.0, radius: 150.0 },
    ];
    for surface in surfaces.map(Arc::new) {
        let mut setup = rods(200, 90.0);
        let mut random = Random::new(8);
        for molecule in setup.scene.molecules_mut() {
            let place = DVec3::new(random.unit() * 90.0, random.unit() * 90.0, 0.0);
            let (_, normal) = surface.height(place);
            molecule.pose.rotation = DQuat::from_rotation_arc(DVec3::Z, normal) * DQuat::from_rotation_z(random.unit());
            molecule.pose.translation = surface.project(place, 10.0);
        }
        let (leaflet, head, axis) = (Leaflet::Outer, DVec3::Z * 5.5, DVec3::Z);
        let (height, leeway, tilt) = (15.5, 2.0, 20f64.to_radians());
        let hold = Hold::Surface { surface: Arc::clone(&surface), leaflet, head, height, leeway, axis, tilt };
        setup.groups = vec![vec![hold]];
        setup.group_of = vec![0; 200];
        let (relax, stop) = run(&gpu, &setup, &RelaxOptions { max_iterations: 400, ..RelaxOptions::default() });
        assert_eq!(stop, Stop::Rest, "{:?}", relax.history().last());
        assert_eq!(overlaps_left(&setup, &relax), 0);
        for pose in relax.poses() {
            let (at, _) = surface.height(pose * head);
            let (_, normal) = surface.height(pose.translation);
            assert!((at - height).abs() < leeway + 0.11, "{at}");
            assert!((pose.rotation * axis).angle_between(normal) < tilt + 1.1f64.to_radians());
        }
    }
}

#[test]
fn walls_of_regions_hold_points_and_every_atom() {
    let Some(gpu) = gpu() else { return };
    let width = 70.0;
    let region = Arc::new(Region::Box { low: DVec3::ZERO, high: DVec3::splat(width) });
    for points in [Vec::new(), vec![DVec3::Z * -5.5, DVec3::Z * 5.5]] {
        for response in [ResponseKind::Newton, ResponseKind::Projection] {
            let mut setup = rods(120, width);
            let region = Arc::clone(&region);
            setup.groups = vec![vec![Hold::Region { region, side: Side::Inside, points: points.clone() }]];
            setup.group_of = vec![0; 120];
            let options = RelaxOptions { response, max_iterations: 800, ..RelaxOptions::default() };
            let (relax, stop) = run(&gpu, &setup, &options);
            assert_eq!(stop, Stop::Rest, "{response} {:?}", relax.history().last());
            assert_eq!(overlaps_left(&setup, &relax), 0);
            for pose in relax.poses() {
                for end in [-5.5, 5.5] {
                    let point = pose * (DVec3::Z * end);
                    assert!(point.min_element() > -0.01 && point.max_element() < width + 0.01, "{point}");
                }
            }
        }
    }
}

#[test]
fn molecules_that_are_held_near_their_start_stay_there() {
    let Some(gpu) = gpu() else { return };
    let mut setup = rods(150, 75.0);
    setup.groups = vec![vec![Hold::Start { leeway: 6.0, turn: 1.0 }]];
    setup.group_of = vec![0; 150];
    let (relax, stop) = run(&gpu, &setup, &RelaxOptions { max_iterations: 800, ..RelaxOptions::default() });
    assert_eq!(stop, Stop::Rest, "{:?}", relax.history().last());
    for (pose, start) in relax.poses().iter().zip(setup.scene.molecules()) {
        assert!(pose.translation.distance(start.pose.translation) < 6.11);
        assert!(pose.rotation.angle_between(start.pose.rotation) < 1.0 + 1.1f64.to_radians());
    }
}

#[test]
fn a_periodic_box_is_relaxed_across_its_faces() {
    let Some(gpu) = gpu() else { return };
    let mut setup = rods(300, 75.0);
    setup.scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::splat(75.0)));
    let (relax, stop) = run(&gpu, &setup, &RelaxOptions { max_iterations: 800, ..RelaxOptions::default() });
    assert_eq!(stop, Stop::Rest, "{:?}", relax.history().last());
    assert_eq!(overlaps_left(&setup, &relax), 0);
}

#[test]
fn a_giant_is_pushed_by_many_and_a_fixed_one_by_none() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let mut random = Random::new(2);
    let ball: Vec<Vec3> = (0..3_000).map(|_| (random.direction() * 28.0 * random.unit().cbrt()).as_vec3()).collect();
    let giant = scene.add_type("giant", &ball, &[1.5; 3_000]);
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    scene.add_molecule(giant, Pose::IDENTITY);
    scene.add_molecule(giant, Pose::from_translation(DVec3::X * 50.0));
    for _ in 0..300 {
        scene.add_molecule(carbon, Pose::from_translation(random.direction() * 31.0));
    }
    let mut setup = Setup::new(scene);
    setup.fixed = vec![false; 302];
    setup.fixed[0] = true;
    let (relax, stop) = run(&gpu, &setup, &RelaxOptions { max_iterations: 800, ..RelaxOptions::default() });
    assert_eq!(stop, Stop::Rest, "{:?}", relax.history().last());
    assert_eq!(relax.poses()[0], Pose::IDENTITY);
    assert!(relax.poses()[1].translation.x > 52.0);
    assert_eq!(overlaps_left(&setup, &relax), 0);
}

#[test]
fn molecules_of_any_number_of_atoms_and_radii_part() {
    let Some(gpu) = gpu() else { return };
    for atoms in [1, 2, 3, 5, 9] {
        let mut random = Random::new(atoms);
        let mut scene = Scene::default();
        let positions: Vec<Vec3> = (0..atoms).map(|_| (random.direction() * 2.5).as_vec3()).collect();
        let radii: Vec<f32> = (0..atoms).map(|atom| [1.2, 1.7, 1.5][atom as usize % 3]).collect();
        let kind = scene.add_type("some", &positions, &radii);
        for _ in 0..150 {
            let place = DVec3::from([0.0; 3].map(|_: f64| random.unit() * 45.0));
            scene.add_molecule(kind, Pose { rotation: random.rotation(), translation: place });
        }
        let setup = Setup::new(scene);
        assert!(OverlapSearch::default().count(&setup.scene) > 0);
        let (relax, stop) = run(&gpu, &setup, &RelaxOptions { max_iterations: 500, ..RelaxOptions::default() });
        assert_eq!(
            (stop, overlaps_left(&setup, &relax)),
            (Stop::Rest, 0),
            "{atoms} atoms: {:?}",
            relax.history().last()
        );
    }
}

#[test]
fn an_empty_scene_and_a_molecule_alone_are_at_rest() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    assert_eq!(run(&gpu, &Setup::new(scene.clone()), &RelaxOptions::default()).1, Stop::Rest);
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    scene.add_molecule(carbon, Pose::IDENTITY);
    assert_eq!(run(&gpu, &Setup::new(scene), &RelaxOptions::default()).1, Stop::Rest);
}

#[test]
fn molecules_in_one_place_part() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    // Each is near all others: far more than the list has room for at first.
    for _ in 0..200 {
        scene.add_molecule(carbon, Pose::IDENTITY);
    }
    let setup = Setup::new(scene);
    let (relax, stop) = run(&gpu, &setup, &RelaxOptions::default());
    assert_eq!(stop, Stop::Rest, "{:?}", relax.history().last());
    assert_eq!(overlaps_left(&setup, &relax), 0);
}

#[test]
fn a_scene_that_a_gpu_cannot_hold_is_refused_with_the_reason() {
    let Some(gpu) = gpu() else { return };
    let relax = Relax::new(rods(300, 75.0), RelaxOptions::default(), 1);
    // The poses of 300 molecules take more.
    let refused = GpuRelax::new(&gpu.with_arrays_of(16 << 10)).load(&relax).unwrap_err();
    assert!(refused.to_string().contains("bytes in one array on this GPU, found"), "{refused}");
}

#[test]
fn jolts_are_those_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let setup = rods(200, 60.0);
    let options = |jolt_every| RelaxOptions {
        jolt_every,
        jolt_after: 1,
        jolt_fraction: 0.3,
        max_iterations: 3,
        ..RelaxOptions::default()
    };
    let mut on_cpu = Relax::new(setup.clone(), options(2), 1);
    on_cpu.run(|_, _| ControlFlow::Continue(()));
    let farthest = |relax: &Relax| {
        let apart = relax.poses().into_iter().zip(on_cpu.poses()).map(|(a, b)| a.translation.distance(b.translation));
        apart.fold(0.0, f64::max)
    };
    assert!(farthest(&run(&gpu, &setup, &options(2)).0) < 0.01);
    assert!(farthest(&run(&gpu, &setup, &options(0)).0) > 0.1, "without jolts they go elsewhere");
}

/// Most molecules are free from the start: soon only those that are alert look around, and later lists are used again.
#[test]
fn no_overlap_is_missed_while_most_molecules_sleep() {
    let Some(gpu) = gpu() else { return };
    let mut setup = rods(120, 40.0);
    let rod = setup.scene.molecules()[0].kind;
    for at in 0..240 {
        let place = DVec3::new(f64::from(at % 16) * 9.0, f64::from(at / 16) * 9.0, 90.0);
        setup.scene.add_molecule(rod, Pose::from_translation(place));
    }
    let after = |iterations: u32| {
        let mut relax = Relax::new(setup.clone(), RelaxOptions { jolt_every: 0, ..RelaxOptions::default() }, 1);
        let mut engine = GpuRelax::new(&gpu);
        engine.load(&relax).unwrap();
        let done = engine.advance(iterations).unwrap();
        relax.take(engine.fetch().unwrap(), &done);
        (done.last().copied(), overlaps_left(&setup, &relax))
    };
    let mut left = after(0).1;
    let mut with_few = 0;
    for iterations in 1..60 {
        let (seen, left_now) = after(iterations);
        let seen = seen.unwrap();
        assert!(seen.overlaps.abs_diff(left) <= 1, "iteration {iterations}: {} seen, {left} there", seen.overlaps);
        with_few += u32::from(seen.moved < 90);
        left = left_now;
        if seen.overlapping == 0 {
            break;
        }
    }
    assert!(with_few > 5, "most molecules slept most of the time");
    assert_eq!(left, 0, "it came to rest");
}

#[test]
fn a_run_goes_on_from_what_was_fetched() {
    let Some(gpu) = gpu() else { return };
    let setup = rods(300, 75.0);
    let options = RelaxOptions { max_iterations: 6, ..RelaxOptions::default() };
    let whole = run(&gpu, &setup, &options).0;
    // Three iterations that are seen, the one that was under way, and then the rest by another engine.
    let mut relax = Relax::new(setup, options, 1);
    let mut seen = 0;
    relax.run_on(&mut GpuRelax::new(&gpu), |_, _| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(relax.iteration(), 4);
    let (stop, error) = relax.run_on(&mut GpuRelax::new(&gpu), |_, _| ControlFlow::Continue(()));
    assert_eq!((stop, error, relax.iteration()), (Stop::Iterations, None, 6));
    let apart = relax.poses().into_iter().zip(whole.poses()).map(|(a, b)| a.translation.distance(b.translation));
    assert!(apart.fold(0.0, f64::max) < 1e-3);
}

#[test]
fn a_gpu_that_is_lost_leaves_the_rest_to_the_cpu() {
    // A device of its own: the others must not lose theirs.
    let adapters = steric_gpu::adapters();
    let Some(software) = adapters.iter().find(|adapter| adapter.is_software) else {
        eprintln!("skipped: no adapter");
        return;
    };
    let gpu = Gpu::open(&steric_gpu::Choice::Index(software.index)).unwrap();
    let setup = rods(300, 75.0);
    let mut relax = Relax::new(setup.clone(), RelaxOptions::default(), 1);
    let mut engine = GpuRelax::new(&gpu);
    assert!(!engine.name().is_empty());
    let mut seen = 0;
    let (stop, error) = relax.run_on(&mut engine, |_, _| {
        seen += 1;
        if seen == 3 {
            gpu.lose();
        }
        ControlFlow::Continue(())
    });
    assert_eq!(stop, Stop::Rest);
    assert!(error.is_some_and(|error| error.to_string().contains("lost")));
    assert_eq!(overlaps_left(&setup, &relax), 0);
}
