//! What the tests of pictures share: a GPU, a scene, and how alike two pictures are.
#![allow(dead_code, reason = "not every test needs everything")]

use std::path::Path;

use glam::{DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_gpu::Gpu;
use steric_model::{Pose, Random, Scene};
use steric_view::{Camera, ColourBy, Colours, Look, Palette, Picture, Renderer, Side};

pub(crate) fn gpu() -> Option<Gpu> {
    let gpu = Gpu::software();
    if gpu.is_none() {
        eprintln!("skipped: no software GPU");
    }
    gpu
}

/// Bent molecules of twelve atoms with two radii, thrown into a ball.
pub(crate) fn crowd(count: usize) -> Scene {
    let mut scene = Scene::default();
    let atoms: Vec<Vec3> =
        (0..12).map(|at| Vec3::new(at as f32 * 1.3 - 7.0, (at as f32 * 0.5).sin() * 2.0, 0.0)).collect();
    let radii: Vec<f32> = (0..12).map(|at| if at % 3 == 0 { 1.2 } else { 1.8 }).collect();
    let bent = scene.add_type("bent", &atoms, &radii);
    let single = scene.add_type("single", &[Vec3::ZERO], &[2.5]);
    let mut random = Random::new(3);
    for number in 0..count {
        let place = DVec3::from([0.0; 3].map(|_: f64| (random.unit() - 0.5) * 60.0));
        let pose = Pose { rotation: random.rotation(), translation: place };
        scene.add_molecule(if number % 5 == 0 { single } else { bent }, pose);
    }
    scene
}

pub(crate) fn colours(by: ColourBy, scene: &Scene) -> Colours {
    let overlaps = OverlapSearch::default().overlaps_unsorted(scene);
    Colours::of_scene(by, &Palette::safe(), scene, &overlaps)
}

pub(crate) const SIZE: [u32; 2] = [160, 120];

pub(crate) fn camera(scene: &Scene) -> Camera {
    Camera::of(scene, Side { turn: 25.0, lift: 20.0 }, 4.0 / 3.0)
}

pub(crate) fn draw(gpu: &Gpu, scene: &Scene, by: ColourBy, camera: &Camera, look: &Look) -> Picture {
    let renderer = Renderer::new(gpu);
    let model = renderer.load(scene, &colours(by, scene)).unwrap();
    renderer.draw(&model, camera, look, SIZE).unwrap()
}

/// The part of the pixels in which two pictures differ by more than a little, and the mean difference.
pub(crate) fn apart(one: &Picture, other: &Picture) -> (f64, f64) {
    assert_eq!((one.width, one.height), (other.width, other.height));
    let differences = one.pixels.iter().zip(&other.pixels).map(|(one, other)| {
        one.iter().zip(other).map(|(one, other)| f64::from(one.abs_diff(*other))).fold(0.0, f64::max)
    });
    let all: Vec<f64> = differences.collect();
    let count = all.len() as f64;
    (all.iter().filter(|&&difference| difference > 24.0).count() as f64 / count, all.iter().sum::<f64>() / count)
}

/// `STERIC_WRITE_GOLDEN=1` writes a picture anew, to be looked at.
pub(crate) fn is_golden(name: &str, picture: &Picture) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    if std::env::var_os("STERIC_WRITE_GOLDEN").is_some() {
        let mut film = steric_view::Film::create(&path, 25.0, 1).unwrap();
        film.add(picture).unwrap();
        film.finish().unwrap();
        return;
    }
    let (part, mean) = apart(&Picture::read_png(&path).unwrap(), picture);
    assert!(part < 0.01 && mean < 1.0, "{name}: {part} of the pixels differ, {mean} in the mean");
}
