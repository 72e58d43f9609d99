//! *rods*: rod-like lipids in two leaflets on a sphere.
//!
//! How it works: a lipid is two zigzag tails of 25 atoms, 3.2 A apart, with 1 A rise. Its place is uniform on the
//! sphere (Marsaglia's disc), every other one heads inward, each has 60 square angstroms of its leaflet. Molecules are
//! stored along a Morton curve, as a simulation would keep them. Only + - * / and square roots are used, and every
//! coordinate is rounded to 1/64 A, so that squared distances are exact in single precision and every backend, on any
//! machine, must find the same pairs.

use glam::{DMat3, DQuat, DVec3, Vec3};
use steric_model::{Pose, Scene, morton};

use crate::Random;

const ATOMS: usize = 50;
const AREA: f64 = 60.0;
const LEAFLET: f64 = 13.5;
/// Half the cut-off of 3.0 A: two atoms overlap when their spheres of this radius do.
const RADIUS: f32 = 1.5;

struct Lipid {
    /// Columns: across both tails, across the zigzag, outward.
    axes: DMat3,
    center: DVec3,
    morton: u64,
}

/// About `atoms` atoms (a multiple of 50) on the 1/64 A lattice; atoms nearer than 3.0 A overlap. Each lipid is its
/// own molecule type, because rounding bends it.
pub fn rods(atoms: usize) -> Scene {
    let mut scene = Scene::default();
    for lipid in lipids(atoms / ATOMS) {
        // The pose stands on the lattice, too.
        let center = on_lattice(lipid.center);
        let positions: Vec<Vec3> = (0..ATOMS)
            .map(|atom| (on_lattice(lipid.center + lipid.axes * template(atom)) - center).as_vec3())
            .collect();
        let kind = scene.add_type("rod", &positions, &[RADIUS; ATOMS]);
        scene.add_molecule(kind, Pose::from_translation(center));
    }
    scene
}

/// The same lipids as rigid copies of one type, off the lattice: 64 bytes for 50 atoms.
pub fn rods_as_instances(atoms: usize) -> Scene {
    let mut scene = Scene::default();
    let positions: Vec<Vec3> = (0..ATOMS).map(|atom| template(atom).as_vec3()).collect();
    let rod = scene.add_type("rod", &positions, &[RADIUS; ATOMS]);
    scene.reserve(atoms / ATOMS);
    for lipid in lipids(atoms / ATOMS) {
        scene.add_molecule(rod, Pose { rotation: DQuat::from_mat3(&lipid.axes), translation: lipid.center });
    }
    scene
}

fn template(atom: usize) -> DVec3 {
    let (tail, rise) = (atom / 25, atom % 25);
    let across = if tail == 1 { 1.6 } else { -1.6 };
    let zigzag = if rise % 2 == 1 { 0.4 } else { -0.4 };
    DVec3::new(across, zigzag, rise as f64 - 12.0)
}

fn on_lattice(point: DVec3) -> DVec3 {
    (point * 64.0 + 0.5).floor() / 64.0
}

fn lipids(count: usize) -> Vec<Lipid> {
    let radius = (count as f64 * 0.5 * AREA / (4.0 * std::f64::consts::PI)).sqrt();
    let mut random = Random::new(12_345);
    let mut lipids: Vec<Lipid> = (0..count).map(|index| lipid(&mut random, radius, index % 2 == 1)).collect();
    lipids.sort_by_key(|lipid| lipid.morton);
    lipids
}

fn lipid(random: &mut Random, radius: f64, inner: bool) -> Lipid {
    let (a, b, squared) = random.in_disc();
    let stretch = 2.0 * (1.0 - squared).sqrt();
    let normal = DVec3::new(a * stretch, b * stretch, 1.0 - 2.0 * squared);
    let (a, b, squared) = random.in_disc();
    let (cos, sin) = (a / squared.sqrt(), b / squared.sqrt());
    let across = normal.cross(least_axis(normal));
    let across = across / across.length();
    let along = normal.cross(across);
    let axes = DMat3::from_cols(cos * across + sin * along, cos * along - sin * across, normal);
    let center = normal * (radius + if inner { -LEAFLET } else { LEAFLET });
    let cell = ((center + radius + 64.0) / 8.0).as_u64vec3();
    let morton = morton(cell.to_array());
    Lipid { axes, center, morton }
}

/// The coordinate axis that a direction leans to the least.
fn least_axis(direction: DVec3) -> DVec3 {
    DVec3::AXES[direction.abs().min_position()]
}
