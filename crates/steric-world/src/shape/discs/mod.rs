//! Places in a surface, pushed apart as discs before any atom is looked at.
//!
//! How it works: two discs that overlap push each other apart by half of the overlap each; a disc takes the mean of its
//! pushes times 1.6, but never more than nine tenths of their sum, and is put back into the surface. Every disc gathers its own
//! pushes in the order of its list of neighbours and writes into a second copy, so the bits do not depend on the number
//! of threads. The lists reach a skin farther than the discs and are made anew when a disc has moved half a skin.

mod grid;
mod sheet;

use glam::DVec3;
use rayon::prelude::*;

use super::Surface;
use grid::{Grid, Lists};
use sheet::Sheet;

/// A disc overlaps if it does so by more than this part of the two radii: halving alone would take forever.
const SLACK: f64 = 1e-3;
/// The mean push is taken so many times, which lets crowds flow apart faster.
const OVER_RELAXATION: f64 = 1.6;
/// At most this part of the sum of pushes is taken, so that a single pair does not swing.
const MOST_OF_THE_SUM: f64 = 0.9;
/// The skin, as a part of the mean diameter: with more, lists are longer; with less, they are made more often.
const SKIN: f64 = 0.7;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Disc {
    center: DVec3,
    radius: f64,
    /// Its number before discs were sorted.
    name: u32,
    is_fixed: bool,
}

/// Moves places, at a height above a surface, apart as discs of these diameters, in angstroms, until none overlap or
/// the iterations are used up; returns how many were done. A disc may end up to a thousandth of its diameter in another.
///
/// `fixed` are discs (centre, diameter) that stay, as proteins do. On a plane, `periodic` gives the edges of the box
/// along [`Surface::axes`], from the plane's origin; other surfaces close on themselves and ignore it.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Random;
/// use steric_world::shape::{Sampling, Surface, spread};
///
/// let vesicle = Surface::Sphere { center: DVec3::ZERO, radius: 100.0 };
/// let drawn = vesicle.places(500, 18.0, Sampling::Inversion, None, &mut Random::new(7))?;
/// let mut places: Vec<DVec3> = drawn.into_iter().map(|(place, _)| place).collect();
/// let iterations = spread(&vesicle, 18.0, &mut places, &[12.0; 500], None, &[], 1000);
/// assert!(iterations < 1000);
/// assert!((0..500).all(|at| places[..at].iter().all(|other| other.distance(places[at]) > 11.98)));
/// # Ok::<(), steric_world::shape::PlacesError>(())
/// ```
pub fn spread(
    surface: &Surface,
    height: f64,
    places: &mut [DVec3],
    diameters: &[f64],
    periodic: Option<[f64; 2]>,
    fixed: &[(DVec3, f64)],
    iterations: usize,
) -> usize {
    assert_eq!(places.len(), diameters.len(), "one diameter per place");
    assert!(places.len() + fixed.len() < u32::MAX as usize, "discs are counted in 32 bits");
    let sheet = Sheet::new(surface, height, periodic);
    let discs = discs_of(&sheet, places, diameters, fixed);
    let mut crowd = Crowd::new(sheet, discs);
    let done = crowd.relax(iterations);
    for disc in crowd.discs.iter().filter(|disc| !disc.is_fixed) {
        places[disc.name as usize] = crowd.sheet.leave(crowd.sheet.settle(disc.center));
    }
    done
}

fn discs_of(sheet: &Sheet, places: &[DVec3], diameters: &[f64], fixed: &[(DVec3, f64)]) -> Vec<Disc> {
    let moving = places.iter().copied().zip(diameters.iter().copied()).map(|disc| (disc, false));
    let all = moving.chain(fixed.iter().map(|&disc| (disc, true)));
    let discs = all.zip(0..).map(|(((center, diameter), is_fixed), name)| Disc {
        center: sheet.settle(sheet.enter(center)),
        radius: if diameter.is_finite() { 0.5 * diameter.max(0.0) } else { 0.0 },
        name,
        is_fixed,
    });
    discs.collect()
}

struct Crowd<'a> {
    sheet: Sheet<'a>,
    discs: Vec<Disc>,
    skin: f64,
}

/// What an iteration found, the greatest of all discs.
#[derive(Clone, Copy, Default)]
struct Found {
    is_overlapping: bool,
    /// The square of how far a disc has moved since the lists were made.
    moved: f64,
}

impl Found {
    fn or(self, other: Self) -> Self {
        Self { is_overlapping: self.is_overlapping | other.is_overlapping, moved: self.moved.max(other.moved) }
    }
}

impl<'a> Crowd<'a> {
    fn new(sheet: Sheet<'a>, mut discs: Vec<Disc>) -> Self {
        let moving = || discs.iter().filter(|disc| !disc.is_fixed);
        let mean = moving().map(|disc| 2.0 * disc.radius).sum::<f64>() / moving().count().max(1) as f64;
        let skin = SKIN * mean;
        grid::sort_along_curve(&mut discs, 2.0 * (mean + skin));
        Self { sheet, discs, skin }
    }

    fn relax(&mut self, iterations: usize) -> usize {
        if self.skin <= 0.0 {
            return 0;
        }
        let mut done = 0;
        while done < iterations {
            let lists = Grid::new(&self.discs, &self.sheet, self.skin).lists(&self.discs, &self.sheet);
            let listed: Vec<DVec3> = self.discs.iter().map(|disc| disc.center).collect();
            let (rounds, is_quiet) = self.relax_with(&lists, &listed, iterations - done);
            done += rounds;
            // What was quiet before it was settled may not be so afterwards.
            if is_quiet && rounds == 0 {
                break;
            }
            self.settle();
        }
        done
    }

    // Iterates while the lists hold: how often, and whether nothing overlaps any more.
    fn relax_with(&mut self, lists: &Lists, listed: &[DVec3], iterations: usize) -> (usize, bool) {
        let mut next = self.discs.clone();
        for round in 0..iterations {
            let found = self.step(lists, listed, &mut next);
            if !found.is_overlapping {
                return (round, true);
            }
            std::mem::swap(&mut self.discs, &mut next);
            if found.moved > (0.5 * self.skin).powi(2) {
                return (round + 1, false);
            }
        }
        (iterations, false)
    }

    fn step(&self, lists: &Lists, listed: &[DVec3], next: &mut [Disc]) -> Found {
        let chunks = next.par_chunks_mut(Lists::CHUNK).zip(&lists.chunks).enumerate();
        let found = chunks.map(|(chunk, (next, list))| {
            let first = chunk * Lists::CHUNK;
            let mut found = Found::default();
            for (at, next) in next.iter_mut().enumerate() {
                let (moved, was_pushed) = self.moved(first + at, list.of(at));
                found.is_overlapping |= was_pushed;
                found.moved = found.moved.max(self.sheet.between(listed[first + at], moved).length_squared());
                next.center = moved;
            }
            found
        });
        found.reduce(Found::default, Found::or)
    }

    // Where a disc goes, and whether it had to go.
    fn moved(&self, at: usize, neighbours: &[u32]) -> (DVec3, bool) {
        let disc = &self.discs[at];
        if disc.is_fixed {
            return (disc.center, false);
        }
        let (mut sum, mut count, mut deepest) = (DVec3::ZERO, 0, f64::NEG_INFINITY);
        for &neighbour in neighbours {
            let push = push(disc, &self.discs[neighbour as usize], &self.sheet);
            sum += push.by;
            count += u32::from(push.depth > 0.0);
            deepest = deepest.max(push.beyond_slack);
        }
        if count == 0 {
            return (disc.center, false);
        }
        let part = (OVER_RELAXATION / f64::from(count)).min(MOST_OF_THE_SUM);
        (self.sheet.slide(disc.center, part * sum), deepest > 0.0)
    }

    fn settle(&mut self) {
        let sheet = &self.sheet;
        self.discs
            .par_iter_mut()
            .filter(|disc| !disc.is_fixed)
            .for_each(|disc| disc.center = sheet.settle(disc.center));
    }
}

struct Push {
    by: DVec3,
    depth: f64,
    /// The depth beyond what is left of the slack.
    beyond_slack: f64,
}

// Half of the overlap, away from the other disc, or all of it if the other one stays. Without a branch, because half of
// the neighbours overlap and nobody can foretell which. Half of the slack is left, so that the end is reached.
fn push(disc: &Disc, other: &Disc, sheet: &Sheet) -> Push {
    let away = sheet.between(other.center, disc.center);
    let touching = disc.radius + other.radius;
    let distance = away.length();
    let share = if other.is_fixed { 1.0 } else { 0.5 };
    if distance <= 1e-6 * touching {
        let by = share * touching * sheet.any_direction(disc.center, disc.name, other.name);
        return Push { by, depth: touching, beyond_slack: touching };
    }
    let depth = ((1.0 - 0.5 * SLACK) * touching - distance).max(0.0);
    Push { by: away * (share * depth / distance), depth, beyond_slack: depth - 0.5 * SLACK * touching }
}

#[cfg(test)]
mod tests;
