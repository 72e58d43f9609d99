//! Molecules in a periodic box: which boxes repeat, and molecules put together again where the box cut them.
//!
//! How it works: each atom is moved to the image nearest to the atom before it, or, where that is too far for a bond, to
//! the image nearest to the molecule's first atom. Which image an atom has does not change what it overlaps, but a lipid
//! with its head on one side of the box and its tails on the other would have a bounding sphere as large as the box, and
//! ten thousand waters taken for one molecule would wander off across many boxes.

use glam::{DVec3, Vec3};

use super::middle;
use crate::{PeriodicBox, Structure};

/// Molecules that are kept whole stick out of their box, a long way in small ones.
const LARGEST_SPREAD: f64 = 2.0;

/// Bonds of Martini's beads are the longest, up to 6 A.
const LONGEST_BOND: f64 = 7.0;

/// The box, if it is one that a simulation repeats and not a crystal's asymmetric unit or a placeholder.
pub(super) fn simulation_box(structure: &Structure) -> Option<PeriodicBox> {
    let periodic_box = structure.periodic_box?;
    let group: String = structure.space_group.split_whitespace().collect();
    if !(group.is_empty() || group.eq_ignore_ascii_case("P1")) {
        return None;
    }
    let places = structure.atoms.positions.iter().map(|position| periodic_box.fractional(position.as_dvec3()));
    let (low, high) =
        places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
    ((high - low).max_element() <= LARGEST_SPREAD).then_some(periodic_box)
}

/// The middle of some atoms, and the atoms around it.
pub(super) fn centred(structure: &Structure, atoms: &[u32], periodic_box: Option<PeriodicBox>) -> (DVec3, Vec<Vec3>) {
    let in_file = atoms.iter().map(|&atom| structure.atoms.positions[atom as usize].as_dvec3());
    let mut positions: Vec<DVec3> = in_file.collect();
    if let Some(periodic_box) = periodic_box {
        for atom in 1..positions.len() {
            let nearest = |to: DVec3| to + periodic_box.nearest_image(positions[atom] - to);
            let before = positions[atom - 1];
            let follows = nearest(before);
            let is_bonded = follows.distance_squared(before) < LONGEST_BOND * LONGEST_BOND;
            positions[atom] = if is_bonded { follows } else { nearest(positions[0]) };
        }
    }
    let center = middle(&positions);
    (center, positions.into_iter().map(|position| (position - center).as_vec3()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomRecord, StructureBuilder};

    fn structure(places: &[f32]) -> Structure {
        let mut builder = StructureBuilder::new("test", places.len());
        for &x in places {
            builder.push(AtomRecord { position: Vec3::X * x, ..AtomRecord::default() });
        }
        let mut structure = builder.finish();
        structure.periodic_box = PeriodicBox::orthogonal(DVec3::splat(30.0));
        structure
    }

    #[test]
    fn a_molecule_across_the_boundary_is_made_whole() {
        let structure = structure(&[28.0, 29.5, 1.0, 2.5]);
        let (center, positions) = centred(&structure, &[0, 1, 2, 3], structure.periodic_box);
        assert!((center.x - 30.25).abs() < 1e-9);
        assert!((positions[3].x - positions[0].x - 4.5).abs() < 1e-5);
        let (_, broken) = centred(&structure, &[0, 1, 2, 3], None);
        assert!(broken[0].x - broken[3].x > 25.0);
    }

    #[test]
    fn waters_taken_for_one_molecule_stay_in_one_box() {
        // Steps of 11 A to the right: the nearest image of each is 11 A further, box after box.
        let places: Vec<f32> = (0..300).map(|step| (step * 11 % 30) as f32).collect();
        let structure = structure(&places);
        let all: Vec<u32> = (0..300).collect();
        let (_, positions) = centred(&structure, &all, structure.periodic_box);
        let spread = positions.iter().map(|position| position.x.abs()).fold(0.0, f32::max);
        assert!(spread <= 30.0, "{spread}");
    }

    #[test]
    fn placeholders_and_crystals_do_not_repeat() {
        let mut inside = structure(&[1.0, 29.0]);
        assert!(simulation_box(&inside).is_some());
        inside.space_group = "P 1".into();
        assert!(simulation_box(&inside).is_some());
        inside.space_group = "P 21 21 21".into();
        assert!(simulation_box(&inside).is_none());
        assert!(simulation_box(&structure(&[1.0, 90.0])).is_none());
    }
}
