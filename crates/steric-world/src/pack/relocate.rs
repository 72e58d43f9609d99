//! Other places for molecules that stay stuck.
//!
//! How it works: all atoms that do not move are put into cells; of some random poses that keep the walls, a stuck molecule takes the
//! one in which the fewest of its atoms are too near to others.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use steric_model::{PeriodicBox, Pose, Random};

use super::start::Starts;
use super::system::{Species, System};

/// How many poses each molecule is offered.
const OFFERS: u64 = 24;

/// Another pose for each of some molecules, given as structure and number in all; `poses` are those of all molecules.
pub(super) fn relocated(
    system: &System,
    starts: &Starts<'_>,
    poses: &[Pose],
    stuck: &[(usize, usize)],
    seed: u64,
) -> Vec<Pose> {
    let mut is_stuck = vec![false; poses.len()];
    stuck.iter().for_each(|&(_, molecule)| is_stuck[molecule] = true);
    let crowd = Crowd::new(system, poses, &is_stuck);
    let best = |&(at, molecule): &(usize, usize)| {
        let species = &system.species[at];
        let offer = |number| starts.another(at, Random::of(seed ^ (number << 32), molecule as u64));
        let offers = (0..OFFERS).map(offer);
        let judged = offers.map(|pose| (crowd.overlaps(species, &pose), pose));
        judged.min_by_key(|(overlaps, _)| *overlaps).map_or(poses[molecule], |(_, pose)| pose)
    };
    stuck.par_iter().map(best).collect()
}

/// Atoms by cells that are as wide as two atoms reach.
struct Crowd {
    edge: f64,
    periodic_box: Option<PeriodicBox>,
    cells: FxHashMap<[i64; 3], Vec<(DVec3, f64)>>,
}

impl Crowd {
    fn new(system: &System, poses: &[Pose], left_out: &[bool]) -> Self {
        let widest =
            system.species.iter().flat_map(|species| &species.radii).fold(0.1, |most: f64, &next| most.max(next));
        let periodic_box = system.scene.periodic_box();
        let mut crowd = Self { edge: 2.0 * widest, periodic_box, cells: FxHashMap::default() };
        let mut molecule = 0;
        for species in &system.species {
            for pose in &poses[molecule..molecule + species.number] {
                if !left_out[molecule] {
                    crowd.add(species, pose);
                }
                molecule += 1;
            }
        }
        crowd
    }

    fn add(&mut self, species: &Species, pose: &Pose) {
        for (&atom, &radius) in species.atoms.iter().zip(&species.radii) {
            let place = *pose * atom;
            self.cells.entry(self.cell(place)).or_default().push((place, radius));
        }
    }

    /// How many atoms of a molecule are too near to others. Across the sides of a periodic box nothing is seen.
    fn overlaps(&self, species: &Species, pose: &Pose) -> usize {
        let is_near = |place: DVec3, radius: f64| {
            let [x, y, z] = self.cell(place);
            let beside = (0..27).map(|at| [x + at % 3 - 1, y + at / 3 % 3 - 1, z + at / 9 - 1]);
            beside.into_iter().filter_map(|cell| self.cells.get(&cell)).flatten().any(|&(other, reach)| {
                let between = self.periodic_box.map_or(place - other, |cell| cell.nearest_image(place - other));
                between.length_squared() < (radius + reach).powi(2)
            })
        };
        species.atoms.iter().zip(&species.radii).filter(|&(&atom, &radius)| is_near(*pose * atom, radius)).count()
    }

    fn cell(&self, place: DVec3) -> [i64; 3] {
        (place / self.edge).floor().to_array().map(|step| step as i64)
    }
}
