//! The push on every atom, in fixed point.
//!
//! How it works: each overlap pushes its two atoms apart by its depth. A push is rounded to 1/16384 A once, and the
//! sums are integers, so no order of additions can change a bit. A slab adds up the pushes on the clusters that it
//! owns; what it finds out about borrowed clusters is handed over and added when all slabs are done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::{IVec3, Vec3};
use steric_model::{AtomId, LANES, Scene};

use super::slab::Slab;
use super::sweep::{AtomTouch, Question, Touch, Visitor};
use crate::simd::{Lanes, per_axis};

/// The pushes on eight atoms: all x, all y, all z, in units of 1/16384 A, as two's complement.
type Pushes = [[u32; LANES]; 3];

/// The push on every atom of a scene, in angstroms.
#[derive(Debug, Default)]
pub struct Forces {
    // x, y and z of every atom, molecule by molecule. Each is stored by the one slab that owns the atom.
    pushes: Vec<AtomicU32>,
    first_atom: Vec<usize>,
}

impl Forces {
    /// Steps per angstrom. Sums up to 131,072 A stay exact, which is 40,000 overlaps of 3 A on one atom.
    pub const STEPS_PER_ANGSTROM: f32 = 16_384.0;

    /// Makes room for the atoms of a scene; what was there before is overwritten by the search.
    fn fit(&mut self, scene: &Scene) {
        self.first_atom.clear();
        self.first_atom.push(0);
        self.first_atom.extend(scene.molecules().iter().scan(0, |total, molecule| {
            *total += scene.types()[molecule.kind.0 as usize].atoms as usize;
            Some(*total)
        }));
        let words = 3 * self.first_atom[scene.molecules().len()];
        if self.pushes.len() != words {
            self.pushes = bytemuck::zeroed_vec(words);
        }
    }

    pub(crate) fn zero(&mut self, scene: &Scene) {
        self.pushes = Vec::new();
        self.fit(scene);
    }

    #[inline(always)]
    fn index(&self, molecule: u32, atom: u32) -> usize {
        3 * (self.first_atom[molecule as usize] + atom as usize)
    }

    /// The push on one atom, in angstroms.
    pub fn of(&self, atom: AtomId) -> Vec3 {
        let start = self.index(atom.molecule.0, atom.atom);
        let axis = |axis: usize| self.pushes[start + axis].load(Ordering::Relaxed) as i32;
        IVec3::new(axis(0), axis(1), axis(2)).as_vec3() / Self::STEPS_PER_ANGSTROM
    }

    /// The pushes as whole steps of 1/16384 A, molecule by molecule.
    fn words(&self) -> impl Iterator<Item = u32> {
        self.pushes.iter().map(|push| push.load(Ordering::Relaxed))
    }

    /// The sum of the lengths of all pushes, in angstroms.
    pub fn total(&self) -> f64 {
        let axis = |push: &AtomicU32| f64::from(push.load(Ordering::Relaxed) as i32).powi(2);
        let lengths = self.pushes.chunks_exact(3).map(|push| push.iter().map(axis).sum::<f64>().sqrt());
        lengths.sum::<f64>() / f64::from(Self::STEPS_PER_ANGSTROM)
    }

    /// A number that changes when any bit of any push changes.
    pub fn state_hash(&self) -> u64 {
        self.words()
            .fold(0xcbf2_9ce4_8422_2325, |hash, push| (hash ^ u64::from(push)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Adds a push, in steps, to one atom and takes it from another.
    pub(crate) fn add(&self, first: AtomId, second: AtomId, push: IVec3) {
        for (atom, push) in [(first, push), (second, -push)] {
            let start = self.index(atom.molecule.0, atom.atom);
            for axis in 0..3 {
                self.pushes[start + axis].fetch_add(push[axis] as u32, Ordering::Relaxed);
            }
        }
    }
}

impl PartialEq for Forces {
    fn eq(&self, other: &Self) -> bool {
        self.first_atom == other.first_atom && self.words().eq(other.words())
    }
}

impl Eq for Forces {}

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

/// Where the slabs of one search add up.
pub(crate) struct ForceSum<'a> {
    question: Question,
    forces: &'a Forces,
    borrowed: Mutex<Vec<(usize, [u32; 3])>>,
}

impl<'a> ForceSum<'a> {
    pub(crate) fn new(scene: &Scene, question: Question, forces: &'a mut Forces) -> Self {
        forces.fit(scene);
        Self { question, forces, borrowed: Mutex::default() }
    }

    pub(crate) fn visitor(&self) -> SlabForces<'_> {
        SlabForces { sum: self, pushes: Vec::new() }
    }

    /// Adds what slabs found out about clusters that they do not own.
    pub(crate) fn finish(self) {
        for (start, push) in self.borrowed.into_inner().unwrap_or_default() {
            for (to, push) in self.forces.pushes[start..].iter().zip(push) {
                to.fetch_add(push, Ordering::Relaxed);
            }
        }
    }
}

/// The pushes on the clusters of one slab: a slot each or, where every cluster is a single atom, a batch each.
pub(crate) struct SlabForces<'a> {
    sum: &'a ForceSum<'a>,
    pushes: Vec<Pushes>,
}

impl SlabForces<'_> {
    #[inline(always)]
    fn contact<L: Lanes>(&self, lanes: L, scene: &Scene, slab: &Slab, touch: Touch, k: usize) -> L::Floats {
        let question = self.sum.question;
        let radii = |slot: usize| &scene.clusters()[slab.refs[slot].cluster as usize].radii;
        match question.uniform_radius {
            Some(radius) => lanes.splat(2.0 * radius + question.reach),
            None => lanes.add(lanes.load(radii(touch.first)), lanes.splat(radii(touch.second)[k] + question.reach)),
        }
    }
}

impl Visitor for SlabForces<'_> {
    fn begin(&mut self, slab: &Slab) {
        let entries = if slab.single_atoms { slab.batches.len() } else { slab.refs.len() };
        self.pushes.clear();
        self.pushes.resize(entries, [[0; LANES]; 3]);
    }

    /// One lane of the second cluster at a time against all lanes of the first.
    #[inline(always)]
    fn touch<L: Lanes>(&mut self, lanes: L, scene: &Scene, slab: &Slab, touch: Touch) {
        let first: [_; 3] =
            per_axis(|axis| lanes.add(lanes.load(&slab.atoms[touch.first][axis]), lanes.splat(touch.shift[axis])));
        let other = &slab.atoms[touch.second];
        let mut sums = per_axis(|axis| lanes.load_words(&self.pushes[touch.first][axis]));
        let inside = touch.first == touch.second;
        let mut rows = touch.bits;
        while rows != 0 {
            let k = rows.trailing_zeros() as usize / LANES;
            let row = (rows >> (LANES * k)) as u32 & 0xff;
            rows &= !(0xff << (LANES * k));
            let delta: [_; 3] = per_axis(|axis| lanes.sub(first[axis], lanes.splat(other[axis][k])));
            let mut pushes = row_of_pushes(lanes, delta, self.contact(lanes, scene, slab, touch, k));
            if inside {
                // Both ends stand in the same lanes, so the lanes that do not count must not push.
                pushes = per_axis(|axis| lanes.keep_words(pushes[axis], row));
            }
            for axis in 0..3 {
                sums[axis] = lanes.add_words(sums[axis], pushes[axis]);
                let reaction = sum(lanes.store_words(pushes[axis]));
                if inside {
                    let mut words = lanes.store_words(sums[axis]);
                    words[k] = words[k].wrapping_sub(reaction);
                    sums[axis] = lanes.load_words(&words);
                } else {
                    let second = &mut self.pushes[touch.second][axis][k];
                    *second = second.wrapping_sub(reaction);
                }
            }
        }
        self.pushes[touch.first] = per_axis(|axis| lanes.store_words(sums[axis]));
    }

    #[inline(always)]
    fn touch_atoms<L: Lanes>(&mut self, lanes: L, _: &Scene, slab: &Slab, touch: AtomTouch) {
        let AtomTouch { first, batch, shift, bits } = touch;
        let own = &slab.batches[first / LANES];
        let lane = first % LANES;
        let others = &slab.batches[batch];
        let delta: [_; 3] = per_axis(|axis| {
            lanes.sub(lanes.splat(own.centers[axis][lane] + shift[axis]), lanes.load(&others.centers[axis]))
        });
        let contact = lanes.add(lanes.load(&others.radii), lanes.splat(own.radii[lane] + self.sum.question.reach));
        let pushes = row_of_pushes(lanes, delta, contact);
        for (axis, push) in pushes.into_iter().enumerate() {
            let push = lanes.store_words(lanes.keep_words(push, bits));
            let at_first = &mut self.pushes[first / LANES][axis][lane];
            *at_first = at_first.wrapping_add(sum(push));
            for (to, push) in self.pushes[batch][axis].iter_mut().zip(push) {
                *to = to.wrapping_sub(push);
            }
        }
    }

    fn end(&mut self, scene: &Scene, slab: &Slab) {
        let mut borrowed = Vec::new();
        let forces = self.sum.forces;
        for (slot, cluster) in slab.refs.iter().enumerate() {
            let atoms = &scene.clusters()[cluster.cluster as usize].atoms;
            let first_atom = forces.first_atom[cluster.molecule as usize];
            for (lane, &atom) in
                atoms.iter().enumerate().take_while(|&(_, &atom)| atom != steric_model::Cluster::NO_ATOM)
            {
                let (entry, at) = if slab.single_atoms { (slot / LANES, slot % LANES) } else { (slot, lane) };
                let push = per_axis(|axis| self.pushes[entry][axis][at]);
                let start = 3 * (first_atom + atom as usize);
                if slot < slab.own {
                    // Only the owner of a cluster stores, so a plain store is enough.
                    for (to, push) in forces.pushes[start..start + 3].iter().zip(push) {
                        to.store(push, Ordering::Relaxed);
                    }
                } else if push != [0; 3] {
                    borrowed.push((start, push));
                }
            }
        }
        if let Ok(mut all) = self.sum.borrowed.lock() {
            all.append(&mut borrowed);
        }
        self.pushes = Vec::new();
    }
}

#[inline(always)]
fn sum(words: [u32; LANES]) -> u32 {
    words.iter().fold(0, |sum, &word| sum.wrapping_add(word))
}
