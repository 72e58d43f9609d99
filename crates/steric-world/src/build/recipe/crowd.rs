//! Spheres that stand already, asked how deep others would stand in them.
//!
//! How it works: spheres are kept in levels by octaves of their radius, each level a hash of cells as wide as its largest
//! diameter; a sphere looks at the cells of every level that it can touch. In a box that repeats, it also looks from the places
//! where its images stand.

use glam::{DVec3, IVec3};
use rustc_hash::FxHashMap;

/// Octaves of the radius.
const LEVELS: usize = 40;

#[derive(Clone, Debug)]
struct Placed {
    center: DVec3,
    radius: f64,
    next: u32,
}

#[derive(Clone, Debug, Default)]
struct Level {
    first: FxHashMap<IVec3, u32>,
    members: Vec<u32>,
    most: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Crowd {
    placed: Vec<Placed>,
    levels: Vec<Level>,
    /// The least corner and the edges of the box that repeats.
    period: Option<(DVec3, DVec3)>,
}

const NONE: u32 = u32::MAX;

impl Crowd {
    pub(super) fn new(period: Option<(DVec3, DVec3)>) -> Self {
        Self { placed: Vec::new(), levels: vec![Level::default(); LEVELS], period }
    }

    pub(super) fn add(&mut self, center: DVec3, radius: f64) {
        let center = self.wrapped(center);
        let level = level(radius);
        let cell = cell(center, level);
        let at = self.placed.len() as u32;
        let level = &mut self.levels[level];
        level.most = level.most.max(radius);
        level.members.push(at);
        let next = level.first.insert(cell, at).unwrap_or(NONE);
        self.placed.push(Placed { center, radius, next });
    }

    /// How deep a sphere would stand in the one that it overlaps most, in angstroms; 0 where it is free. Beyond `enough` nobody
    /// asks how much more.
    pub(super) fn depth(&self, center: DVec3, radius: f64, enough: f64) -> f64 {
        let center = self.wrapped(center);
        let mut deepest = self.depth_here(center, radius, enough);
        let Some((low, edges)) = self.period else { return deepest };
        let most = self.levels.iter().map(|level| level.most).fold(0.0, f64::max);
        let (from_low, reach) = (center - low, radius + most);
        let shifts = |axis: usize| {
            let mut shifts = vec![0.0];
            shifts.extend((from_low[axis] < reach).then_some(edges[axis]));
            shifts.extend((edges[axis] - from_low[axis] < reach).then_some(-edges[axis]));
            shifts
        };
        for x in shifts(0) {
            for y in shifts(1) {
                for z in shifts(2) {
                    if (x, y, z) != (0.0, 0.0, 0.0) && deepest < enough {
                        deepest = deepest.max(self.depth_here(center + DVec3::new(x, y, z), radius, enough));
                    }
                }
            }
        }
        deepest
    }

    fn depth_here(&self, center: DVec3, radius: f64, enough: f64) -> f64 {
        let mut deepest = 0.0_f64;
        for (number, level) in self.levels.iter().enumerate().filter(|(_, level)| !level.first.is_empty()) {
            let reach = radius + level.most;
            let (low, high) = (cell(center - reach, number), cell(center + reach, number));
            // A giant among dwarfs covers more cells than there are dwarfs.
            let cells = (high.as_dvec3() - low.as_dvec3() + 1.0).element_product();
            if cells > 8.0 * level.members.len() as f64 {
                let depth = |&at: &u32| self.overlap(at, center, radius);
                deepest = level.members.iter().map(depth).fold(deepest, f64::max);
                continue;
            }
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        let mut at = level.first.get(&IVec3::new(x, y, z)).copied().unwrap_or(NONE);
                        while let Some(placed) = self.placed.get(at as usize) {
                            deepest = deepest.max(self.overlap(at, center, radius));
                            at = placed.next;
                        }
                        if deepest >= enough {
                            return deepest;
                        }
                    }
                }
            }
        }
        deepest
    }

    fn overlap(&self, at: u32, center: DVec3, radius: f64) -> f64 {
        let placed = &self.placed[at as usize];
        radius + placed.radius - center.distance(placed.center)
    }

    fn wrapped(&self, point: DVec3) -> DVec3 {
        self.period.map_or(point, |(low, edges)| low + (point - low) - edges * ((point - low) / edges).floor())
    }
}

// Octave 8 holds radii from 1 to 2 angstroms.
fn level(radius: f64) -> usize {
    (radius.max(1e-3).log2().floor() as i32 + 8).clamp(0, LEVELS as i32 - 1) as usize
}

fn cell(point: DVec3, level: usize) -> IVec3 {
    let edge = 2f64.powi(level as i32 - 6);
    (point / edge).floor().as_ivec3()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use steric_model::Random;

    use super::*;

    proptest! {
        #[test]
        fn the_depth_is_that_of_every_sphere_looked_at(seed in 0..300_u64, is_periodic in any::<bool>()) {
            let mut random = Random::new(seed);
            let mut somewhere = || 100.0 * DVec3::new(random.unit(), random.unit(), random.unit()) - 30.0;
            let edges = DVec3::new(100.0, 100.0, 100.0);
            let period = is_periodic.then_some((DVec3::splat(-30.0), edges));
            let mut crowd = Crowd::new(period);
            let radii = [0.7, 2.0, 3.9, 9.0, 20.0];
            let placed: Vec<(DVec3, f64)> = (0..40).map(|at| (somewhere(), radii[at % 5])).collect();
            placed.iter().for_each(|&(center, radius)| crowd.add(center, radius));
            for at in 0..20 {
                let (center, radius) = (somewhere(), radii[at % 5]);
                let distance = |other: DVec3| {
                    let apart = center - other;
                    if is_periodic { (apart - edges * (apart / edges).round()).length() } else { apart.length() }
                };
                let depths = placed.iter().map(|&(other, size)| radius + size - distance(other));
                let expected = depths.fold(0.0, f64::max);
                prop_assert!((crowd.depth(center, radius, f64::INFINITY) - expected).abs() < 1e-9);
            }
        }
    }
}
