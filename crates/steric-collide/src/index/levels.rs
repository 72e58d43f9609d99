//! Which clusters share a grid.
//!
//! How it works: a cell must be as wide as the largest cluster of its grid, so a few giants among many small spheres
//! would make every cell crowded. Clusters are counted by octave of their radius, and the octaves are cut into levels,
//! one grid each, where the estimated work is least: inside a level every cluster looks at 14 cells, and a cluster of
//! a higher level is a *guest* that looks at the cells of the lower level that its own sphere covers. The estimate takes
//! the clusters to be spread evenly, and is a sum over levels, so the best cut is found exactly by dynamic programming
//! over at most 64 octaves. Clusters of eight atoms differ little, so nearly every scene has one level; so has *mixed*.

use std::ops::Range;

use rayon::prelude::*;
use steric_model::Scene;

use super::slabs::cluster_range;

const OCTAVES: usize = 64;
/// What a level costs however little is in it, in candidates: its passes over all molecules.
const LEVEL_COST_PER_CLUSTER: f64 = 32.0;
/// What it costs to look up one row of cells, in candidates.
const ROW_COST: f64 = 8.0;

/// The ranges of bounding radius that get a grid each, from small to large; they cover all clusters of the scene.
pub(crate) fn levels(scene: &Scene, reach: f32, volume: f64) -> Vec<Range<f32>> {
    let everything = vec![0.0..f32::INFINITY];
    match scene.cluster_radii() {
        Some((least, most)) if most > 4.0 * least => {}
        _ => return everything,
    }
    let counts = count_by_octave(scene);
    let used: Vec<usize> = (0..OCTAVES).filter(|&octave| counts[octave] > 0).collect();
    let cost =
        |first: usize, last: usize| Level { counts: &counts, octaves: &used[first..=last], reach, volume }.cost();
    // best[n]: the least work for the n lowest octaves, and where their last level begins.
    let mut best = vec![(0.0, 0)];
    for end in 0..used.len() {
        let choices = (0..=end).map(|first| (best[first].0 + cost(first, end), first));
        best.extend(choices.min_by(|a, b| a.0.total_cmp(&b.0)));
    }
    let mut cuts = vec![used.len()];
    while let Some(&cut) = cuts.last().filter(|&&cut| cut > 0) {
        cuts.push(best[cut].1);
    }
    let radius = |cut: usize| if cut == 0 { 0.0 } else { lower_end(used[cut.min(used.len() - 1)]) };
    cuts.windows(2)
        .rev()
        .map(|pair| radius(pair[1])..if pair[0] == used.len() { f32::INFINITY } else { radius(pair[0]) })
        .collect()
}

/// Octave 32 begins at 1 A.
fn octave(radius: f32) -> usize {
    let exponent = (radius.to_bits() >> 23 & 0xff) as i32 - 127;
    (exponent + 32).clamp(0, OCTAVES as i32 - 1) as usize
}

fn lower_end(octave: usize) -> f32 {
    (octave as f32 - 32.0).exp2()
}

fn count_by_octave(scene: &Scene) -> [u64; OCTAVES] {
    let count = |mut counts: [u64; OCTAVES], molecule: &steric_model::Molecule| {
        let clusters = cluster_range(scene, molecule);
        for bound in &scene.bounds()[clusters.start as usize..clusters.end as usize] {
            counts[octave(bound.radius)] += 1;
        }
        counts
    };
    let sum = |a: [u64; OCTAVES], b: [u64; OCTAVES]| std::array::from_fn(|octave| a[octave] + b[octave]);
    scene.molecules().par_iter().fold(|| [0; OCTAVES], count).reduce(|| [0; OCTAVES], sum)
}

/// Neighbouring octaves in one grid.
struct Level<'a> {
    counts: &'a [u64; OCTAVES],
    octaves: &'a [usize],
    reach: f32,
    volume: f64,
}

impl Level<'_> {
    /// Work inside the level, less the work that its octaves would be for each other as guests; the work of all octaves
    /// as guests of all lower ones is the same for every cut and is left out.
    fn cost(&self) -> f64 {
        let all: f64 = self.octaves.iter().map(|&octave| self.count(octave)).sum();
        let largest = self.octaves.last().map_or(0.0, |&octave| self.radius(octave));
        let edge = (2.0 * largest + f64::from(self.reach)).max(largest / 2.0);
        let inside = all * self.candidates(14.0 * edge.powi(3), all);
        let mut as_guests = 0.0;
        for (index, &large) in self.octaves.iter().enumerate() {
            for &small in &self.octaves[..index] {
                as_guests += self.guest_cost(large, small);
            }
        }
        let total: f64 = self.counts.iter().map(|&count| count as f64).sum();
        inside + LEVEL_COST_PER_CLUSTER * total - as_guests
    }

    fn guest_cost(&self, large: usize, small: usize) -> f64 {
        let edge = 2.0 * self.radius(small) + f64::from(self.reach).max(0.0);
        let span = 2.0 * (self.radius(large) + edge);
        let rows = (span / edge).powi(2);
        self.count(large) * (self.candidates(span.powi(3), self.count(small)) + ROW_COST * rows)
    }

    /// How many of so many clusters a volume holds.
    fn candidates(&self, volume: f64, clusters: f64) -> f64 {
        clusters * (volume / self.volume).min(1.0)
    }

    fn count(&self, octave: usize) -> f64 {
        self.counts[octave] as f64
    }

    /// The upper end of an octave.
    fn radius(&self, octave: usize) -> f64 {
        2.0 * f64::from(lower_end(octave))
    }
}
