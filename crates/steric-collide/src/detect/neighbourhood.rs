//! The part of space that some molecules reach.
//!
//! How it works: space is cut into coarse cells, and a bit says of a cell that something reaches it. Cells are folded onto as many
//! bits as there is use for, so that the extent of a scene costs nothing; a bit that was meant for another cell only costs time.

use glam::DVec3;
use rayon::prelude::*;
use steric_model::{Molecule, PeriodicBox, Scene};

use crate::index::slabs::cluster_range;

/// The part of space that some molecules reach, in coarse cells.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::Neighbourhood;
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in [0.0, 3.0, 900.0] {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
/// }
/// let around_the_first = Neighbourhood::new(&scene, &[0], 0.0);
/// assert!(around_the_first.touches(&scene, &scene.molecules()[1]));
/// assert!(!around_the_first.touches(&scene, &scene.molecules()[2]));
/// // Whoever has the words and the box has the neighbourhood.
/// let sent = Neighbourhood::from_words(around_the_first.words().to_vec(), scene.periodic_box());
/// assert!(sent.touches(&scene, &scene.molecules()[1]));
/// ```
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    // A bit for each cell, folded: a bit may be set for another cell, which only costs time.
    bits: Vec<u64>,
    periodic: Option<(PeriodicBox, DVec3)>,
}

/// Edge of a coarse cell, in angstroms.
const COARSE: f64 = 20.0;

impl Neighbourhood {
    /// What some molecules of a scene reach, and so much more, in angstroms.
    pub fn new(scene: &Scene, covered: &[u32], reach: f32) -> Self {
        let clusters: usize =
            covered.iter().map(|&molecule| cluster_range(scene, &scene.molecules()[molecule as usize]).len()).sum();
        let mut bits = vec![0; (2 * clusters + 64).next_power_of_two()];
        let mut space = Self::from_words(Vec::new(), scene.periodic_box());
        for &molecule in covered {
            let molecule = &scene.molecules()[molecule as usize];
            for cluster in cluster_range(scene, molecule) {
                let bound = scene.bounds()[cluster as usize];
                let center = molecule.pose * bound.center.as_dvec3();
                space.any_around(center, f64::from(bound.radius + reach.max(0.0)), |cell| {
                    let (word, bit) = folded(cell, bits.len());
                    bits[word] |= bit;
                    false
                });
            }
        }
        space.bits = bits;
        space
    }

    /// The neighbourhood of these words, as many as [`Self::words`] gave, in the same box.
    pub fn from_words(words: Vec<u64>, periodic_box: Option<PeriodicBox>) -> Self {
        let periodic = periodic_box.map(|periodic_box| {
            let cells = (periodic_box.widths() / COARSE).floor().max(DVec3::ONE);
            (periodic_box, cells)
        });
        assert!(words.is_empty() || words.len().is_power_of_two(), "cells are folded onto a power of two");
        Self { bits: words, periodic }
    }

    /// All that it is made of, to be sent elsewhere.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// Whether a cell that a sphere may reach is one that is asked for.
    fn any_around(&self, center: DVec3, radius: f64, mut is_wanted: impl FnMut([i64; 3]) -> bool) -> bool {
        let (point, radii) = match &self.periodic {
            None => (center / COARSE, DVec3::splat(radius / COARSE)),
            Some((periodic_box, cells)) => {
                (periodic_box.fractional(center) * cells, radius / periodic_box.widths() * cells)
            }
        };
        let (low, high) = ((point - radii).floor(), (point + radii).floor());
        let range = |axis: usize| match &self.periodic {
            // All cells of an axis once, however large the sphere.
            Some((_, cells)) if high[axis] - low[axis] >= cells[axis] => 0..=cells[axis] as i64 - 1,
            _ => low[axis] as i64..=high[axis] as i64,
        };
        let wrap = |axis: usize, cell: i64| match &self.periodic {
            Some((_, cells)) => cell.rem_euclid(cells[axis] as i64),
            None => cell,
        };
        range(0).any(|x| range(1).any(|y| range(2).any(|z| is_wanted([wrap(0, x), wrap(1, y), wrap(2, z)]))))
    }

    fn reaches(&self, center: DVec3, radius: f64) -> bool {
        self.any_around(center, radius, |cell| {
            let (word, bit) = folded(cell, self.bits.len());
            self.bits[word] & bit != 0
        })
    }

    /// Whether a molecule may come into it: some that stay outside do, too, but none that comes in does not.
    pub fn touches(&self, scene: &Scene, molecule: &Molecule) -> bool {
        let bound = scene.types()[molecule.kind.0 as usize].bound;
        // A giant covers so many cells that its clusters are asked at once.
        let is_small = f64::from(bound.radius) < 3.0 * COARSE;
        if is_small && !self.reaches(molecule.pose * bound.center.as_dvec3(), bound.radius.into()) {
            return false;
        }
        cluster_range(scene, molecule).any(|cluster| {
            let bound = scene.bounds()[cluster as usize];
            self.reaches(molecule.pose * bound.center.as_dvec3(), bound.radius.into())
        })
    }

    /// The molecules that it was made of and all that may touch them, in order.
    pub(super) fn members(&self, scene: &Scene, own: impl Fn(u32) -> bool + Sync) -> Vec<u32> {
        let members = (0..scene.molecules().len() as u32).into_par_iter().with_min_len(1_024);
        members
            .filter(|&molecule| own(molecule) || self.touches(scene, &scene.molecules()[molecule as usize]))
            .collect()
    }
}

/// The word and the bit of a cell among so many words, a power of two.
fn folded(cell: [i64; 3], words: usize) -> (usize, u64) {
    let [x, y, z] = cell.map(|cell| cell as u64);
    // Odd multipliers with well-mixed bits (the golden ratio's, and two of SplitMix64's).
    let hash = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(21)
        ^ z.wrapping_mul(0x94d0_49bb_1331_11eb).rotate_left(42);
    ((hash >> 20) as usize & (words - 1), 1 << (hash >> 58))
}
