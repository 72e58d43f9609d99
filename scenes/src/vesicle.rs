//! *vesicle*: a bilayer of POPC closed to a sphere, as instances of the five embedded lipids.
//!
//! How it works: the phosphates of the two leaflets stand near two spheres 37 A apart, each leaflet with as many lipids as
//! its own sphere has room for at 68.3 square angstroms a lipid. A lipid keeps the height that it had in the patch it was
//! cut from. Places follow the golden spiral, which spreads points evenly without a pattern that rows could slip along;
//! each lipid gets a random conformer and a random spin about the normal. Nothing keeps the tails apart, so the vesicle is
//! full of overlaps: it is where a relaxation starts.

use glam::{DMat3, DQuat, DVec3};
use smol_str::SmolStr;
use steric_model::{Assembly, Copies, Pose, Structure};

use crate::{Random, molecule};

/// Area per lipid of fluid POPC, in square angstroms.
const AREA: f64 = 68.3;
/// Half the distance from phosphate to phosphate, in angstroms.
const HALF_THICKNESS: f64 = 18.5;
const CONFORMERS: usize = 5;
/// Atoms of one lipid.
const ATOMS: usize = 134;

/// A vesicle of about so many atoms, at least 200 lipids of 134 atoms, as one assembly of instances.
///
/// ```
/// let vesicle = steric_scenes::vesicle(335_000, 1);
/// let lipids: usize = vesicle.assemblies[0].copies.iter().map(|copies| copies.poses.len()).sum();
/// assert!((2_490..=2_510).contains(&lipids));
/// ```
pub fn vesicle(atoms: usize, seed: u64) -> Structure {
    let mut structure = popc();
    let mut random = Random::new(seed);
    let mut copies: Vec<Copies> = (0..CONFORMERS as u32)
        .map(|chain| Copies { name: SmolStr::new_static("POPC"), chains: vec![chain], poses: Vec::new() })
        .collect();
    let radius = middle_radius(atoms / ATOMS);
    for (side, leaflet) in [(1.0, radius + HALF_THICKNESS), (-1.0, radius - HALF_THICKNESS)] {
        let lipids = (4.0 * std::f64::consts::PI * leaflet * leaflet / AREA).round() as usize;
        for place in 0..lipids {
            let outward = golden_spiral(place, lipids);
            let conformer = (random.unit() * CONFORMERS as f64) as usize % CONFORMERS;
            let spin = DQuat::from_rotation_z(random.unit() * std::f64::consts::TAU);
            let rotation = upright(side * outward) * spin;
            copies[conformer].poses.push(Pose { rotation, translation: radius * outward });
        }
    }
    structure.assemblies.push(Assembly { id: "1".to_owned(), copies });
    structure
}

/// Radius of the bilayer's middle: 4 pi ((R + t)^2 + (R - t)^2) is the area of all lipids.
fn middle_radius(lipids: usize) -> f64 {
    let lipids = lipids.max(200) as f64;
    (lipids * AREA / (8.0 * std::f64::consts::PI) - HALF_THICKNESS * HALF_THICKNESS).sqrt()
}

fn golden_spiral(place: usize, places: usize) -> DVec3 {
    let turn = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let z = 1.0 - (2 * place + 1) as f64 / places as f64;
    let (sin, cos) = (place as f64 * turn).sin_cos();
    let across = (1.0 - z * z).sqrt();
    DVec3::new(across * cos, across * sin, z)
}

/// The rotation that stands a lipid's z axis along a direction.
fn upright(along: DVec3) -> DQuat {
    let across = along.any_orthonormal_vector();
    DQuat::from_mat3(&DMat3::from_cols(across, along.cross(across), along))
}

/// The five conformers, one chain each.
fn popc() -> Structure {
    let mut structure = molecule("POPC").expect("POPC is embedded").structure();
    structure.name = "POPC vesicle".to_owned();
    structure
}

#[cfg(test)]
mod tests {
    use steric_model::Name;

    use super::*;

    #[test]
    fn leaflets_have_the_area_and_the_thickness_of_popc() {
        let vesicle = vesicle(335_000, 7);
        assert_eq!(vesicle.atoms.len(), CONFORMERS * ATOMS);
        let phosphorus = |chain: u32| {
            let first = chain as usize * ATOMS;
            let atom = (first..first + ATOMS).find(|&atom| vesicle.atoms.names[atom] == Name::new("P")).unwrap();
            vesicle.atoms.positions[atom].as_dvec3()
        };
        let mut lipids = [0; 2];
        let mut distances = [0.0; 2];
        for copies in &vesicle.assemblies[0].copies {
            for &pose in &copies.poses {
                let inner = usize::from((pose.rotation * DVec3::Z).dot(pose.translation) < 0.0);
                lipids[inner] += 1;
                distances[inner] += (pose * phosphorus(copies.chains[0])).length();
            }
        }
        let radius = middle_radius(335_000 / ATOMS);
        for (inner, height) in [(0, HALF_THICKNESS), (1, -HALF_THICKNESS)] {
            let area = 4.0 * std::f64::consts::PI * (radius + height).powi(2) / f64::from(lipids[inner]);
            assert!((area - AREA).abs() < 0.1, "{area}");
            // The phosphates of the five stand at 18.6 to 21.3 A.
            let mean = distances[inner] / f64::from(lipids[inner]);
            assert!((mean - radius - height).abs() < 1.5, "{mean}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_vesicle_and_another_seed_another() {
        assert_eq!(vesicle(40_000, 3), vesicle(40_000, 3));
        assert_ne!(vesicle(40_000, 3), vesicle(40_000, 4));
    }
}
