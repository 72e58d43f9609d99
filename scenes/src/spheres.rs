//! *solution* and *mixed*: single spheres, each its own molecule.

use glam::{DVec3, Vec3};
use steric_model::{Pose, Scene};

use crate::Random;

/// Atoms at random in a cube, 0.1 per cubic angstrom; atoms nearer than 3.0 A overlap.
pub fn solution(atoms: usize) -> Scene {
    let mut random = Random::new(777);
    let edge = (atoms as f64 / 0.1).cbrt();
    let mut scene = Scene::default();
    let atom = scene.add_type("atom", &[Vec3::ZERO], &[1.5]);
    scene.reserve(atoms);
    for _ in 0..atoms {
        scene.add_molecule(atom, Pose::from_translation(in_cube(&mut random, edge)));
    }
    scene
}

/// Spheres with radii from 1 to 20 A, uniform in their logarithm, at random in a cube of which they would fill 30 %.
pub fn mixed(spheres: usize) -> Scene {
    let mut random = Random::new(4242);
    let radii: Vec<f32> = (0..spheres).map(|_| (random.unit() * 20f64.ln()).exp() as f32).collect();
    let volume: f64 = radii.iter().map(|&radius| 4.0 / 3.0 * std::f64::consts::PI * f64::from(radius).powi(3)).sum();
    let edge = (volume / 0.3).cbrt();
    let mut scene = Scene::default();
    for radius in radii {
        let sphere = scene.add_type("sphere", &[Vec3::ZERO], &[radius]);
        scene.add_molecule(sphere, Pose::from_translation(in_cube(&mut random, edge)));
    }
    scene
}

fn in_cube(random: &mut Random, edge: f64) -> DVec3 {
    // Rounded to single precision, so that a file can hold the same place.
    let mut coordinate = || f64::from((random.unit() * edge) as f32);
    DVec3::new(coordinate(), coordinate(), coordinate())
}
