//! Where molecules begin.
//!
//! How it works: places come from a sequence that fills a box evenly (additive recurrence by powers of the plastic number's
//! three-dimensional cousin), shifted by the seed, so that neighbours start apart without knowing of each other; structures that share
//! a box share the sequence. Locally it is a lattice, which nobody asked for, so every place is moved at random by a part of the spacing. Each molecule is turned at random and, where that breaks a wall, settles: it takes steps out of its walls
//! alone until they are kept. What cannot settle is tried elsewhere.

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use steric_model::{Pose, Random};

use super::system::{Species, System};
use super::wall::BROKEN;
use crate::relax::Rule;
use crate::respond::{Body, MOST_SUMS, Motion, Newton, Response};

/// How often a molecule is tried elsewhere.
const MOST_TRIES: u64 = 30;
/// How many places per molecule are looked at before one on the wrong side is taken.
const MOST_PLACES: u64 = 200;
/// How far a place is moved at random, in spacings, along each axis and both ways.
const JITTER: f64 = 0.3;
/// Steps out of the walls, each try.
const SETTLING: usize = 150;

/// Finds places for molecules that keep their walls, but may overlap.
pub(super) struct Starts<'a> {
    system: &'a System,
    bodies: &'a [Body],
    seed: u64,
    fixed: FixedAtoms,
    // How many places each box has given.
    used: FxHashMap<[u64; 6], u64>,
}

impl<'a> Starts<'a> {
    pub(super) fn new(system: &'a System, bodies: &'a [Body], seed: u64) -> Self {
        let fixed = FixedAtoms::new(system);
        Self { system, bodies, seed, fixed, used: FxHashMap::default() }
    }

    /// Poses for all molecules of a structure.
    pub(super) fn all(&mut self, at: usize) -> Vec<Pose> {
        let species = &self.system.species[at];
        if let Some(pose) = species.fixed {
            return vec![pose];
        }
        let centers = self.centers(species);
        let this = &*self;
        let stream = |number: usize| (at as u64) << 40 | number as u64;
        (0..species.number)
            .into_par_iter()
            .with_min_len(64)
            .map(|number| this.settled(species, centers[number], Random::of(this.seed, stream(number))))
            .collect()
    }

    /// Another pose for one molecule.
    pub(super) fn another(&self, at: usize, random: Random) -> Pose {
        let species = &self.system.species[at];
        let mut random = random;
        let center = self.anywhere(species, &mut random);
        self.settled(species, center, random)
    }

    /// Places for the centres, spread evenly; on the right side of the walls that hold whole molecules.
    fn centers(&mut self, species: &Species) -> Vec<DVec3> {
        let (low, high) = self.bounds(species);
        let jitter = JITTER * self.spacing(low, high);
        let used = self.used.entry(key(low, high)).or_default();
        let shift = DVec3::from([1, 2, 3].map(|axis| Random::of(self.seed, axis).unit()));
        let mut left = MOST_PLACES * species.number as u64;
        let mut centers = Vec::with_capacity(species.number);
        while centers.len() < species.number {
            let mut random = Random::of(self.seed, *used + 4);
            let moved = 2.0 * DVec3::from([0; 3].map(|_| random.unit())) - 1.0;
            let place = (low + (high - low) * even(*used, shift) + jitter * moved).clamp(low, high);
            *used += 1;
            left = left.saturating_sub(1);
            if left == 0 || (species.may_stand(place) && self.fixed.is_clear(place)) {
                centers.push(place);
            }
        }
        centers
    }

    /// The edge of the cube that each molecule of all structures with these bounds has for itself.
    fn spacing(&self, low: DVec3, high: DVec3) -> f64 {
        let movable = self.system.species.iter().filter(|species| species.fixed.is_none());
        let sharing = movable.filter(|species| self.bounds(species) == (low, high));
        let molecules: usize = sharing.map(|species| species.number).sum();
        ((high - low).element_product() / molecules.max(1) as f64).cbrt()
    }

    fn anywhere(&self, species: &Species, random: &mut Random) -> DVec3 {
        let (low, high) = self.bounds(species);
        let mut place = || low + (high - low) * DVec3::from([0; 3].map(|_| random.unit()));
        let may_stand = |&place: &DVec3| species.may_stand(place) && self.fixed.is_clear(place);
        (0..MOST_PLACES).map(|_| place()).find(may_stand).unwrap_or_else(&mut place)
    }

    /// A box that holds every centre that can be meant.
    fn bounds(&self, species: &Species) -> (DVec3, DVec3) {
        let widest = DVec3::splat(self.system.sidemax);
        let (mut low, mut high) = (-widest, widest);
        for wall in &species.rule.walls {
            let (least, most) = wall.bounds();
            // A wall for some atoms says little of the centre.
            let reach = if wall.holds_all(species.atoms.len()) { 0.0 } else { wall.reach() };
            (low, high) = (low.max(least - reach), high.min(most + reach));
        }
        let middle = 0.5 * (low + high);
        (low.min(middle), high.max(middle))
    }

    fn settled(&self, species: &Species, center: DVec3, mut random: Random) -> Pose {
        let body = &self.bodies[species.kind.0 as usize];
        let mut best = (f64::INFINITY, Pose::from_translation(center));
        let mut center = center;
        for _ in 0..MOST_TRIES {
            let pose = Pose { rotation: species.rule.range.random(&mut random), translation: center };
            let pose = settle(species, body, pose);
            let breach = species.rule.breach(&pose);
            if breach < best.0 {
                best = (breach, pose);
            }
            if breach <= BROKEN {
                break;
            }
            center = self.anywhere(species, &mut random);
        }
        best.1
    }
}

/// Steps out of the walls alone.
fn settle(species: &Species, body: &Body, mut pose: Pose) -> Pose {
    let (newton, mut pulls) = (Newton { damping: 0.05, ..Newton::default() }, Vec::new());
    for _ in 0..SETTLING {
        pulls.clear();
        let rotation = DMat3::from_quat(pose.rotation);
        if !species.rule.ask(&pose, rotation, &mut pulls) {
            break;
        }
        let Motion { shift, turn } = newton.step(body, rotation, &[0.0; MOST_SUMS], 0, &pulls);
        // A turn by more than a radian has left what the step knew of.
        let turn = turn.clamp_length_max(1.0);
        let rotation = (DQuat::from_scaled_axis(turn) * pose.rotation).normalize();
        pose = species.rule.kept(Pose { rotation, translation: pose.translation + shift });
    }
    pose
}

impl Species {
    /// Whether a centre stands on the right side of every wall that holds all atoms.
    fn may_stand(&self, place: DVec3) -> bool {
        self.rule.walls.iter().all(|wall| !wall.holds_all(self.atoms.len()) || wall.contains(place))
    }
}

fn key(low: DVec3, high: DVec3) -> [u64; 6] {
    let [low, high] = [low, high].map(|corner| corner.to_array().map(f64::to_bits));
    [low[0], low[1], low[2], high[0], high[1], high[2]]
}

/// The points of a sequence that fills the unit cube evenly.
fn even(number: u64, shift: DVec3) -> DVec3 {
    // The root of x^4 = x + 1.
    const STEP: f64 = 1.220_744_084_605_759_5;
    let steps = DVec3::new(1.0 / STEP, 1.0 / (STEP * STEP), 1.0 / (STEP * STEP * STEP));
    (shift + number as f64 * steps).fract()
}

/// Where the atoms of fixed molecules are, in cells as wide as two atoms reach.
struct FixedAtoms {
    edge: f64,
    cells: FxHashSet<[i64; 3]>,
}

impl FixedAtoms {
    fn new(system: &System) -> Self {
        let widest =
            system.species.iter().flat_map(|species| &species.radii).fold(0.1, |most: f64, &next| most.max(next));
        let (edge, mut cells) = (2.0 * widest, FxHashSet::default());
        for species in system.species.iter().filter(|_| system.avoid_fixed) {
            let Some(pose) = species.fixed else { continue };
            cells.extend(species.atoms.iter().map(|&atom| cell(pose * atom, edge)));
        }
        Self { edge, cells }
    }

    /// Whether no fixed atom is in the cell of a place or beside it.
    fn is_clear(&self, place: DVec3) -> bool {
        if self.cells.is_empty() {
            return true;
        }
        let [x, y, z] = cell(place, self.edge);
        let beside = (0..27).map(|at| [x + at % 3 - 1, y + at / 3 % 3 - 1, z + at / 9 - 1]);
        beside.into_iter().all(|cell| !self.cells.contains(&cell))
    }
}

fn cell(place: DVec3, edge: f64) -> [i64; 3] {
    (place / edge).floor().to_array().map(|step| step as i64)
}
