//! The push on every atom, in fixed point.
//!
//! How it works: each overlap pushes its two atoms apart by its depth. A push is rounded to 1/16384 A once, and the
//! sums are integers, so no order of additions can change a bit. A slab adds up the pushes on the clusters that it
//! owns; what it finds out about borrowed clusters is handed over and added when all slabs are done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::{IVec3, Vec3};
use steric_model::{AtomId, Cluster, LANES, Scene};

use super::slab::Slab;
use super::sweep::{Question, Touch, Visitor};
use crate::index::slabs::{ClusterRef, cluster_range};
use crate::simd::{Lanes, per_axis};

/// The pushes on one cluster: all x, all y, all z, in units of 1/16384 A, as two's complement.
type Pushes = [[u32; LANES]; 3];

/// The push on every atom of a scene, in angstroms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forces {
    // Cluster by cluster in molecule order: eight x, eight y, eight z.
    pushes: Vec<u32>,
    first_cluster: Vec<u32>,
}

impl Forces {
    /// Steps per angstrom. Sums up to 131,072 A stay exact, which is 40,000 overlaps of 3 A on one atom.
    pub const STEPS_PER_ANGSTROM: f32 = 16_384.0;

    pub(crate) fn zero(scene: &Scene) -> Self {
        let first_cluster = first_clusters(scene);
        let clusters = first_cluster.last().map_or(0, |&end| end as usize);
        Self { pushes: vec![0; clusters * 3 * LANES], first_cluster }
    }

    /// The push on the atom in a lane of the given cluster of a molecule's type, in steps.
    fn index(&self, molecule: u32, cluster: u32, axis: usize, lane: usize) -> usize {
        ((self.first_cluster[molecule as usize] + cluster) as usize * 3 + axis) * LANES + lane
    }

    /// The push on one atom, in angstroms.
    pub fn of(&self, scene: &Scene, atom: AtomId) -> Vec3 {
        let Some((cluster, lane)) = place(scene, atom) else { return Vec3::ZERO };
        let axis = |axis| self.pushes[self.index(atom.molecule.0, cluster, axis, lane)] as i32;
        IVec3::new(axis(0), axis(1), axis(2)).as_vec3() / Self::STEPS_PER_ANGSTROM
    }

    /// The sum of the lengths of all pushes, in angstroms.
    pub fn total(&self) -> f64 {
        let squared = |cluster: &[u32], lane: usize| {
            (0..3).map(|axis| f64::from(cluster[axis * LANES + lane] as i32).powi(2)).sum::<f64>()
        };
        let clusters = self.pushes.chunks_exact(3 * LANES);
        clusters.map(|cluster| (0..LANES).map(|lane| squared(cluster, lane).sqrt()).sum::<f64>()).sum::<f64>()
            / f64::from(Self::STEPS_PER_ANGSTROM)
    }

    /// A number that changes when any bit of any push changes.
    pub fn state_hash(&self) -> u64 {
        self.pushes
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash, &push| (hash ^ u64::from(push)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Adds a push, in steps, to one atom and takes it from another.
    pub(crate) fn add(&mut self, scene: &Scene, first: AtomId, second: AtomId, push: IVec3) {
        for (atom, push) in [(first, push), (second, -push)] {
            let Some((cluster, lane)) = place(scene, atom) else { continue };
            for axis in 0..3 {
                let index = self.index(atom.molecule.0, cluster, axis, lane);
                self.pushes[index] = self.pushes[index].wrapping_add_signed(push[axis]);
            }
        }
    }
}

/// The cluster, counted within the molecule's type, and the lane of an atom.
fn place(scene: &Scene, atom: AtomId) -> Option<(u32, usize)> {
    let clusters = scene.type_of(atom.molecule).clusters.clone();
    let leaves = scene.clusters()[clusters.start as usize..clusters.end as usize].iter();
    let lane_of = |leaf: &Cluster| leaf.atoms.iter().position(|&other| other == atom.atom);
    (0..).zip(leaves).find_map(|(cluster, leaf)| lane_of(leaf).map(|lane| (cluster, lane)))
}

/// The push on the first of two atoms that touch, in steps. Atoms in the same place part along x.
pub(crate) fn push(delta: Vec3, contact: f32) -> IVec3 {
    let squared = delta.length_squared();
    let (direction, squared) =
        if squared > 0.0 { (delta, squared) } else { (Vec3::X * COINCIDENT, COINCIDENT * COINCIDENT) };
    let factor = (contact / squared.sqrt() - 1.0) * Forces::STEPS_PER_ANGSTROM;
    (direction * factor).map(f32::round_ties_even).as_ivec3()
}

/// Atoms in the same place are taken to be this far apart along x, in angstroms.
const COINCIDENT: f32 = 1.0 / 1024.0;

/// As [`push`], for eight atoms at a time; nothing where they do not touch.
#[inline(always)]
fn row_of_pushes<L: Lanes>(lanes: L, delta: [L::Floats; 3], contact: L::Floats) -> [L::Words; 3] {
    let [mut x, y, z] = delta;
    let mut squared = lanes.mul_add(z, z, lanes.mul_add(y, y, lanes.mul(x, x)));
    if lanes.less(squared, lanes.splat(f32::MIN_POSITIVE)) != 0 {
        let apart = lanes.splat(COINCIDENT);
        let smallest = lanes.splat(f32::MIN_POSITIVE);
        x = lanes.add(x, lanes.where_less(squared, smallest, apart));
        squared = lanes.add(squared, lanes.where_less(squared, smallest, lanes.mul(apart, apart)));
    }
    let factor = lanes.sub(lanes.div(contact, lanes.sqrt(squared)), lanes.splat(1.0));
    let factor = lanes.mul(factor, lanes.splat(Forces::STEPS_PER_ANGSTROM));
    let limit = lanes.mul(contact, contact);
    let delta = [x, y, z];
    per_axis(|axis| lanes.round(lanes.where_less(squared, limit, lanes.mul(delta[axis], factor))))
}

fn first_clusters(scene: &Scene) -> Vec<u32> {
    let mut total = 0;
    let mut first = Vec::with_capacity(scene.molecules().len() + 1);
    for molecule in scene.molecules() {
        first.push(total);
        total += cluster_range(scene, molecule).len() as u32;
    }
    first.push(total);
    first
}

/// Where the slabs of one search add up.
pub(crate) struct ForceSum {
    question: Question,
    pushes: Vec<AtomicU32>,
    first_cluster: Vec<u32>,
    borrowed: Mutex<Vec<(usize, Pushes)>>,
}

impl ForceSum {
    pub(crate) fn new(scene: &Scene, question: Question) -> Self {
        let first_cluster = first_clusters(scene);
        let clusters = first_cluster.last().map_or(0, |&end| end as usize);
        let pushes = std::iter::repeat_with(|| AtomicU32::new(0)).take(clusters * 3 * LANES).collect();
        Self { question, pushes, first_cluster, borrowed: Mutex::default() }
    }

    pub(crate) fn visitor(&self) -> SlabForces<'_> {
        SlabForces { sum: self, pushes: Vec::new() }
    }

    pub(crate) fn finish(self) -> Forces {
        let mut pushes: Vec<u32> = self.pushes.into_iter().map(AtomicU32::into_inner).collect();
        for (start, borrowed) in self.borrowed.into_inner().unwrap_or_default() {
            for (to, push) in pushes[start..].iter_mut().zip(borrowed.iter().flatten()) {
                *to = to.wrapping_add(*push);
            }
        }
        Forces { pushes, first_cluster: self.first_cluster }
    }

    fn start(&self, scene: &Scene, cluster: ClusterRef) -> usize {
        let range = cluster_range(scene, &scene.molecules()[cluster.molecule as usize]);
        (self.first_cluster[cluster.molecule as usize] + cluster.cluster - range.start) as usize * 3 * LANES
    }
}

/// The pushes on the clusters of one slab.
pub(crate) struct SlabForces<'a> {
    sum: &'a ForceSum,
    pushes: Vec<Pushes>,
}

impl Visitor for SlabForces<'_> {
    fn begin(&mut self, slots: usize) {
        self.pushes.clear();
        self.pushes.resize(slots, [[0; LANES]; 3]);
    }

    /// One lane of the second cluster at a time against all lanes of the first.
    #[inline(always)]
    fn touch<L: Lanes>(&mut self, lanes: L, scene: &Scene, slab: &Slab, touch: Touch) {
        let question = self.sum.question;
        let radii = |slot: usize| &scene.clusters()[slab.refs[slot].cluster as usize].radii;
        let first: [_; 3] =
            per_axis(|axis| lanes.add(lanes.load(&slab.atoms[touch.first][axis]), lanes.splat(touch.shift[axis])));
        let other = &slab.atoms[touch.second];
        let mut sums = per_axis(|axis| lanes.load_words(&self.pushes[touch.first][axis]));
        let mut rows = touch.bits;
        while rows != 0 {
            let k = rows.trailing_zeros() as usize / 8;
            rows &= !(0xff << (8 * k));
            let delta: [_; 3] = per_axis(|axis| lanes.sub(first[axis], lanes.splat(other[axis][k])));
            let contact = match question.uniform_radius {
                Some(radius) => lanes.splat(2.0 * radius + question.reach),
                None => lanes.add(lanes.load(radii(touch.first)), lanes.splat(radii(touch.second)[k] + question.reach)),
            };
            let pushes = row_of_pushes(lanes, delta, contact);
            for axis in 0..3 {
                sums[axis] = lanes.add_words(sums[axis], pushes[axis]);
                let reaction = lanes.store_words(pushes[axis]).iter().fold(0u32, |sum, &push| sum.wrapping_add(push));
                let second = &mut self.pushes[touch.second][axis][k];
                *second = second.wrapping_sub(reaction);
            }
        }
        self.pushes[touch.first] = per_axis(|axis| lanes.store_words(sums[axis]));
    }

    fn end(&mut self, scene: &Scene, slab: &Slab) {
        let mut borrowed = Vec::new();
        for (slot, key) in slab.table.keys().iter().enumerate() {
            let start = self.sum.start(scene, slab.refs[slot]);
            if key.coordinates()[2] < slab.layers {
                // Only the owner of a cluster stores, so a plain store is enough.
                for (to, &push) in self.sum.pushes[start..].iter().zip(self.pushes[slot].iter().flatten()) {
                    to.store(push, Ordering::Relaxed);
                }
            } else if self.pushes[slot] != [[0; LANES]; 3] {
                borrowed.push((start, self.pushes[slot]));
            }
        }
        if let Ok(mut all) = self.sum.borrowed.lock() {
            all.append(&mut borrowed);
        }
        self.pushes = Vec::new();
    }
}
