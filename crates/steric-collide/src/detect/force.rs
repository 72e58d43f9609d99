//! The push on every atom, in fixed point.
//!
//! How it works: each overlap pushes its two atoms apart by its depth. A push is rounded to 1/16384 A once, and the
//! sums are integers, so no order of additions can change a bit. A slab adds up the pushes on the clusters that it
//! owns; what it finds out about borrowed clusters is handed over and added when all slabs are done.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use steric_model::{AtomId, LANES, Scene};

use super::slab::Slab;
use super::sweep::{AtomTouch, Question, Touch, Visitor};
use crate::index::slabs::{ClusterRef, cluster_range};
use crate::simd::{Lanes, per_axis};

/// The pushes on eight atoms: all x, all y, all z, in units of 1/16384 A, as two's complement.
type Pushes = [[u32; LANES]; 3];

/// The push on every atom of a scene, in angstroms.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::OverlapSearch;
/// use steric_model::{AtomId, Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 2.9));
/// let forces = OverlapSearch::default().forces(&scene);
/// let push = forces.of(&scene, AtomId::new(1, 0));
/// assert!((push - Vec3::X * 0.5).length() < 1e-3, "away from the first atom, as far as they overlap");
/// assert_eq!(forces.of(&scene, AtomId::new(0, 0)), -push);
/// ```
#[derive(Debug, Default)]
pub struct Forces {
    // Cluster by cluster in molecule order: all x, all y, all z. Each is stored by the one slab that owns the cluster.
    pushes: Vec<AtomicU32>,
    first_cluster: Vec<usize>,
    // One where every cluster is a single atom, eight elsewhere.
    lanes: usize,
}

impl Forces {
    /// Steps per angstrom. Sums up to 131,072 A stay exact, which is 40,000 overlaps of 3 A on one atom.
    pub const STEPS_PER_ANGSTROM: f32 = 16_384.0;

    /// Makes room for the atoms of a scene; what was there before is overwritten by the search.
    fn fit(&mut self, scene: &Scene) {
        self.lanes = if scene.is_single_atoms() { 1 } else { LANES };
        self.first_cluster.clear();
        self.first_cluster.push(0);
        self.first_cluster.extend(scene.molecules().iter().scan(0, |total, molecule| {
            *total += cluster_range(scene, molecule).len();
            Some(*total)
        }));
        let words = 3 * self.lanes * self.first_cluster[scene.molecules().len()];
        if self.pushes.len() != words {
            self.pushes = bytemuck::zeroed_vec(words);
        }
    }

    pub(crate) fn zero(&mut self, scene: &Scene) {
        self.pushes = Vec::new();
        self.fit(scene);
    }

    /// Where the pushes on a cluster start.
    #[inline(always)]
    fn start(&self, scene: &Scene, cluster: ClusterRef) -> usize {
        if self.lanes == 1 {
            // Every molecule is one atom: no need to fetch it from the far end of memory.
            return 3 * cluster.molecule as usize;
        }
        let first = cluster_range(scene, &scene.molecules()[cluster.molecule as usize]).start;
        3 * self.lanes * (self.first_cluster[cluster.molecule as usize] + (cluster.cluster - first) as usize)
    }

    /// Where the three parts of the push on an atom are; `None` for an atom that the scene does not have.
    fn parts(&self, scene: &Scene, atom: AtomId) -> Option<[&AtomicU32; 3]> {
        let clusters = scene.type_of(atom.molecule).clusters.clone();
        let (cluster, lane) = clusters.into_iter().find_map(|cluster| {
            let atoms = &scene.clusters()[cluster as usize].atoms;
            atoms.iter().position(|&other| other == atom.atom).map(|lane| (cluster, lane))
        })?;
        let start = self.start(scene, ClusterRef { molecule: atom.molecule.0, cluster });
        Some([0, 1, 2].map(|axis| &self.pushes[start + axis * self.lanes + lane]))
    }

    /// The push on one atom, in angstroms.
    pub fn of(&self, scene: &Scene, atom: AtomId) -> Vec3 {
        let Some(parts) = self.parts(scene, atom) else { return Vec3::ZERO };
        let [x, y, z] = parts.map(|part| part.load(Ordering::Relaxed) as i32);
        IVec3::new(x, y, z).as_vec3() / Self::STEPS_PER_ANGSTROM
    }

    fn words(&self) -> impl Iterator<Item = u32> {
        self.pushes.iter().map(|push| push.load(Ordering::Relaxed))
    }

    /// The sum of the lengths of all pushes, in angstroms.
    pub fn total(&self) -> f64 {
        let mut total = 0.0;
        for cluster in self.pushes.chunks_exact(3 * self.lanes.max(1)) {
            for lane in 0..self.lanes {
                let part = |axis: usize| f64::from(cluster[axis * self.lanes + lane].load(Ordering::Relaxed) as i32);
                total += DVec3::new(part(0), part(1), part(2)).length();
            }
        }
        total / f64::from(Self::STEPS_PER_ANGSTROM)
    }

    /// A number that changes when any bit of any push changes.
    pub fn state_hash(&self) -> u64 {
        self.words()
            .fold(0xcbf2_9ce4_8422_2325, |hash, push| (hash ^ u64::from(push)).wrapping_mul(0x0000_0100_0000_01b3))
    }

    /// Adds a push, in steps, to one atom and takes it from another.
    pub(crate) fn add(&self, scene: &Scene, first: AtomId, second: AtomId, push: IVec3) {
        for (atom, push) in [(first, push), (second, -push)] {
            let Some(parts) = self.parts(scene, atom) else { continue };
            for (part, push) in parts.into_iter().zip(push.to_array()) {
                part.fetch_add(push as u32, Ordering::Relaxed);
            }
        }
    }
}

impl PartialEq for Forces {
    fn eq(&self, other: &Self) -> bool {
        self.first_cluster == other.first_cluster && self.words().eq(other.words())
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
    borrowed: Mutex<Vec<(usize, Pushes)>>,
    spare: Mutex<Vec<Vec<Pushes>>>,
}

impl<'a> ForceSum<'a> {
    pub(crate) fn new(scene: &Scene, question: Question, forces: &'a mut Forces) -> Self {
        forces.fit(scene);
        Self { question, forces, borrowed: Mutex::default(), spare: Mutex::default() }
    }

    pub(crate) fn visitor(&self) -> SlabForces<'_> {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        SlabForces { sum: self, pushes: spare.unwrap_or_default() }
    }

    /// Adds what slabs found out about clusters that they do not own.
    pub(crate) fn finish(self) {
        let Forces { pushes, lanes, .. } = self.forces;
        self.borrowed.into_inner().unwrap_or_default().into_par_iter().for_each(|(start, borrowed)| {
            for (axis, borrowed) in borrowed.iter().enumerate() {
                for (to, &push) in pushes[start + axis * lanes..].iter().zip(&borrowed[..*lanes]) {
                    to.fetch_add(push, Ordering::Relaxed);
                }
            }
        });
    }
}

/// The pushes on the clusters of one slab: a slot each or, where every cluster is a single atom, a batch each.
pub(crate) struct SlabForces<'a> {
    sum: &'a ForceSum<'a>,
    pushes: Vec<Pushes>,
}

impl SlabForces<'_> {
    /// The pushes on the cluster of a slot; a single atom stands in the first lane.
    #[inline(always)]
    fn of_slot(&self, slab: &Slab, slot: usize) -> Pushes {
        if !slab.single_atoms {
            return self.pushes[slot];
        }
        per_axis(|axis| {
            let mut lanes = [0; LANES];
            lanes[0] = self.pushes[slot / LANES][axis][slot % LANES];
            lanes
        })
    }

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
            sums = per_axis(|axis| lanes.add_words(sums[axis], pushes[axis]));
            let reaction = lanes.sum_words(pushes[0], pushes[1], pushes[2]);
            if inside {
                self.pushes[touch.first] = per_axis(|axis| lanes.store_words(sums[axis]));
            }
            for (to, reaction) in self.pushes[touch.second].iter_mut().zip(reaction) {
                to[k] = to[k].wrapping_sub(reaction);
            }
            if inside {
                sums = per_axis(|axis| lanes.load_words(&self.pushes[touch.first][axis]));
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
        let pushes = per_axis(|axis| lanes.keep_words(pushes[axis], bits));
        let sums = lanes.sum_words(pushes[0], pushes[1], pushes[2]);
        for (to, sum) in self.pushes[first / LANES].iter_mut().zip(sums) {
            to[lane] = to[lane].wrapping_add(sum);
        }
        let others = &mut self.pushes[batch];
        *others = per_axis(|axis| lanes.store_words(lanes.sub_words(lanes.load_words(&others[axis]), pushes[axis])));
    }

    fn end(&mut self, scene: &Scene, slab: &Slab) {
        let mut borrowed = Vec::new();
        let forces = self.sum.forces;
        for slot in slab.slots_in_scene_order() {
            let pushes = self.of_slot(slab, slot);
            let start = forces.start(scene, slab.refs[slot]);
            if slot >= slab.own {
                if pushes != [[0; LANES]; 3] {
                    borrowed.push((start, pushes));
                }
                continue;
            }
            // Only the owner of a cluster stores, so a plain store is enough.
            for (axis, pushes) in pushes.iter().enumerate() {
                let to = &forces.pushes[start + axis * forces.lanes..][..forces.lanes];
                to.iter().zip(pushes).for_each(|(to, &push)| to.store(push, Ordering::Relaxed));
            }
        }
        if let Ok(mut all) = self.sum.borrowed.lock() {
            all.append(&mut borrowed);
        }
        if let Ok(mut spare) = self.sum.spare.lock() {
            spare.push(std::mem::take(&mut self.pushes));
        }
    }
}
