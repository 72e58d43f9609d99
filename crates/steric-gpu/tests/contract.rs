//! The GPU finds what the CPU finds, and what comparing every pair finds.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::gpu;
use glam::{DQuat, DVec3, Vec3};
use proptest::prelude::*;
use steric_collide::{IndexKind, OverlapSearch, reference};
use steric_gpu::{Gpu, GpuSearch, KINDS};
use steric_model::{PeriodicBox, Pose, Random, Scene};

/// Every answer of the GPU beside that of the CPU, which must be equal.
fn assert_equal_answers(gpu: &Gpu, scene: &Scene, search: OverlapSearch) {
    let on_gpu = GpuSearch::new(gpu, search);
    let expected = search.overlaps(scene);
    assert_eq!(on_gpu.count(scene).unwrap(), expected.len() as u64);
    assert_eq!(on_gpu.overlaps_per_molecule(scene).unwrap(), search.overlaps_per_molecule(scene));
    let found = on_gpu.overlaps(scene).unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!((found.first, found.second), (expected.first, expected.second));
        assert!((found.depth - expected.depth).abs() < 1e-4, "{found:?} {expected:?}");
    }
}

#[test]
fn rods_on_the_lattice_have_the_same_overlaps_for_every_kind_of_cells() {
    let Some(gpu) = gpu() else { return };
    let scene = scenes::rods(20_000);
    let truth = reference::count(&scene, OverlapSearch::default());
    assert!(truth > 10_000, "there is something to compare: {truth}");
    for index in KINDS {
        let search = GpuSearch::new(&gpu, OverlapSearch { index, ..OverlapSearch::default() });
        assert_eq!(search.count(&scene).unwrap(), truth, "{index}");
    }
    assert_eq!(GpuSearch::new(&gpu, OverlapSearch::default()).count_all_pairs(&scene).unwrap(), truth);
}

#[test]
fn pairs_at_the_distance_of_contact_are_the_same_whichever_comes_first() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(12);
    let mut scene = Scene::default();
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.5]);
    let mut places = Vec::new();
    for at in 0..4_000 {
        let place = DVec3::new(f64::from(at % 63), f64::from(at / 63), 0.0) * 20.0 + random.unit() * DVec3::ONE;
        // Within a few last digits of single precision.
        let apart = random.rotation() * DVec3::X * (3.0 + 2e-6 * (random.unit() - 0.5));
        places.extend([place, place + apart]);
    }
    let mut mirrored = scene.clone();
    for place in places {
        scene.add_molecule(carbon, Pose::from_translation(place));
        // In the mirror cells come in the opposite order, and so do the two atoms of a pair.
        mirrored.add_molecule(carbon, Pose::from_translation(-place));
    }
    let search = GpuSearch::new(&gpu, OverlapSearch::default());
    let found = search.count(&scene).unwrap();
    assert!((500..3_500).contains(&found), "some touch and some do not: {found}");
    assert_eq!(found, search.count(&mirrored).unwrap());
}

#[test]
fn a_scene_in_parts_has_the_overlaps_of_the_whole() {
    let Some(gpu) = gpu() else { return };
    let scene = scenes::rods(5_000);
    let search = OverlapSearch::default();
    let (whole, parts) = (GpuSearch::new(&gpu, search), GpuSearch::new(&gpu, search).in_parts_of(900));
    assert_eq!(parts.count(&scene).unwrap(), search.count(&scene));
    assert_eq!(parts.overlaps_per_molecule(&scene).unwrap(), search.overlaps_per_molecule(&scene));
    assert_eq!(parts.overlaps(&scene).unwrap(), whole.overlaps(&scene).unwrap());
}

#[test]
fn spheres_of_very_different_size_are_found_on_every_level() {
    let Some(gpu) = gpu() else { return };
    let mut random = Random::new(3);
    let mut step = |range: f64| (random.unit() * range * 64.0).floor() / 64.0;
    let mut scene = Scene::default();
    for radius in [0.5, 1.5, 6.0, 40.0] {
        let kind = scene.add_type("sphere", &[Vec3::ZERO], &[radius]);
        for _ in 0..if radius > 5.0 { 6 } else { 400 } {
            scene.add_molecule(kind, Pose::from_translation(DVec3::new(step(150.0), step(150.0), step(150.0))));
        }
    }
    assert!(OverlapSearch::default().count(&scene) > 200);
    for index in KINDS {
        assert_equal_answers(&gpu, &scene, OverlapSearch { index, ..OverlapSearch::default() });
    }
}

#[test]
fn nothing_is_found_where_there_is_nothing() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    assert_equal_answers(&gpu, &scene, OverlapSearch::default());
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    assert_equal_answers(&gpu, &scene, OverlapSearch::default());
    scene.add_molecule(carbon, Pose::IDENTITY);
    scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 1e6));
    assert_equal_answers(&gpu, &scene, OverlapSearch::default());
    assert_equal_answers(&gpu, &scene, OverlapSearch { allow: 10.0, ..OverlapSearch::default() });
}

#[test]
fn a_scene_far_from_the_origin_and_ten_micrometres_wide_loses_nothing() {
    let Some(gpu) = gpu() else { return };
    let mut scene = Scene::default();
    let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.5]);
    for corner in [-50_000.0, 50_000.0] {
        for x in 0..200 {
            // 2.999 and 3.001 A apart, by turns.
            let place = DVec3::new(corner + f64::from(x) * 3.0 + f64::from(x % 2) * 0.001, corner, 1e7);
            scene.add_molecule(carbon, Pose::from_translation(place));
        }
    }
    assert_eq!(GpuSearch::new(&gpu, OverlapSearch::default()).count(&scene).unwrap(), 2 * 99);
}

#[test]
fn a_periodic_box_joins_its_faces() {
    let Some(gpu) = gpu() else { return };
    for (angles, width) in [([90.0; 3], 60.0), ([70.0, 80.0, 110.0], 75.0)] {
        let mut random = Random::new(9);
        let mut scene = Scene::default();
        let kind = scene.add_type("three", &[Vec3::ZERO, Vec3::X * 1.5, Vec3::Y * 2.0], &[1.5, 1.25, 1.75]);
        for _ in 0..700 {
            let place = DVec3::from([0.0; 3].map(|_: f64| random.unit() * 3.0 * width - width));
            scene.add_molecule(kind, Pose { rotation: random.rotation(), translation: place });
        }
        scene.set_periodic_box(PeriodicBox::from_edges_and_angles(DVec3::splat(width), DVec3::from(angles)));
        assert!(scene.periodic_box().is_some());
        let search = OverlapSearch::default();
        assert!(search.count(&scene) > 200, "{}", search.count(&scene));
        assert_equal_answers(&gpu, &scene, search);
    }
}

#[test]
fn overlaps_inside_molecules_count_when_they_are_asked_for() {
    let Some(gpu) = gpu() else { return };
    let scene = scenes::rods(2_000);
    assert_equal_answers(&gpu, &scene, OverlapSearch { inside_molecules: true, ..OverlapSearch::default() });
}

/// Molecules of a few atoms, on the lattice and turned by quarter turns only, where every distance is exact.
fn lattice_scene(seed: u64, molecules: usize, atoms: usize, radii: &[f32], width: f64) -> Scene {
    let mut random = Random::new(seed);
    let mut step = |range: f64| (random.unit() * range * 64.0).floor() / 64.0;
    let mut scene = Scene::default();
    for number in 0..molecules {
        let positions: Vec<Vec3> = (0..atoms).map(|_| DVec3::new(step(6.0), step(6.0), step(6.0)).as_vec3()).collect();
        let radii: Vec<f32> = (0..atoms).map(|atom| radii[(atom + number) % radii.len()]).collect();
        let kind = scene.add_type("some", &positions, &radii);
        let place = DVec3::new(step(width), step(width), step(width));
        scene.add_molecule(kind, Pose { rotation: DQuat::IDENTITY, translation: place });
    }
    scene
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_gpu_agrees_with_the_cpu_on_any_lattice_scene(
        seed in 0u64..1_000_000,
        molecules in 2usize..200,
        atoms in 1usize..20,
        mixed in any::<bool>(),
        allow in -1.0f32..1.0,
        width in 10.0..120.0f64,
        kind in 0usize..3,
        inside_molecules in any::<bool>(),
    ) {
        let Some(gpu) = gpu() else { return Ok(()) };
        let allow = (allow * 16.0).round() / 16.0;
        let radii: &[f32] = if mixed { &[1.0, 1.5, 2.25] } else { &[1.5] };
        let scene = lattice_scene(seed, molecules, atoms, radii, width);
        let index: IndexKind = KINDS[kind];
        assert_equal_answers(&gpu, &scene, OverlapSearch { allow, inside_molecules, index });
    }
}
