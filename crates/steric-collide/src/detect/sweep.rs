//! The search itself: every pair of clusters that may touch, every pair of atoms in it that does.
//!
//! How it works: each cell looks at itself and at 13 of its 26 neighbours, so that a pair is seen once. For a cluster,
//! eight candidates at a time are tested by their bounding spheres; those that pass are compared atom by atom, eight
//! against eight, which gives 64 bits: bit 8k + l says that lane l of the first and lane k of the second touch. All
//! that a caller wants (a count, a list, forces) is made from those bits by a [`Visitor`]. Where every cluster is a
//! single atom the test of the bounding spheres is the answer.

use std::sync::Mutex;

use rayon::prelude::*;
use steric_model::{LANES, Scene};

use super::runs::{Run, Runs};
use super::slab::Slab;
use crate::index::IndexKind;
use crate::index::guests::Guests;
use crate::index::lattice::Lattice;
use crate::index::slabs::Slabs;
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// What is asked of every pair of clusters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    /// Atoms touch when they are nearer than the sum of their radii and this, in angstroms.
    pub(crate) reach: f32,
    /// Whether atoms of one molecule count too.
    pub(crate) inside_molecules: bool,
    /// The radius that all atoms share, if they do.
    pub(crate) uniform_radius: Option<f32>,
    /// Whether every cluster is a single atom.
    pub(crate) single_atoms: bool,
}

/// Two clusters that touch: their slots, and the shift that brings the first into the frame of the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) shift: [f32; 3],
    /// Bit 8k + l: lane l of the first touches lane k of the second.
    pub(crate) bits: u64,
}

impl Touch {
    /// The lanes of each pair of atoms that touch: of the first cluster, of the second.
    #[inline(always)]
    pub(crate) fn lanes(self) -> impl Iterator<Item = (usize, usize)> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (bit < 64).then_some((bit % LANES, bit / LANES))
        })
    }
}

/// A single atom that touches some of a batch of eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomTouch {
    pub(crate) first: usize,
    pub(crate) batch: usize,
    pub(crate) shift: [f32; 3],
    /// Bit k: the atom in slot 8 * batch + k is touched.
    pub(crate) bits: u32,
}

/// Makes something of the touches of one slab.
pub(crate) trait Visitor: Send {
    /// A slab begins.
    fn begin(&mut self, _slab: &Slab) {}
    /// Two clusters touch.
    fn touch<L: Lanes>(&mut self, lanes: L, scene: &Scene, slab: &Slab, touch: Touch);
    /// Single atoms touch.
    #[inline(always)]
    fn touch_atoms<L: Lanes>(&mut self, lanes: L, scene: &Scene, slab: &Slab, touch: AtomTouch) {
        let AtomTouch { first, batch, shift, mut bits } = touch;
        while bits != 0 {
            let second = batch * LANES + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            self.touch(lanes, scene, slab, Touch { first, second, shift, bits: 1 });
        }
    }
    /// The slab is done.
    fn end(&mut self, _scene: &Scene, _slab: &Slab) {}
}

/// The clusters of one level in their slabs, and the guests of higher levels.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) lattice: Lattice,
    pub(crate) slabs: Slabs,
    pub(crate) guests: Guests,
}

/// Searches all slabs of a level in parallel; one visitor per slab, in slab order.
pub(crate) fn sweep<V: Visitor>(
    scene: &Scene,
    level: &Level,
    kind: IndexKind,
    question: Question,
    visitor: impl Fn() -> V + Sync,
) -> Vec<V> {
    let spare: Mutex<Vec<Slab>> = Mutex::default();
    let search = |index: usize| {
        let reused = spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut slab = reused.unwrap_or_default();
        let mut visitor = visitor();
        dispatch(OneSlab { scene, level, kind, index, question, slab: &mut slab, visitor: &mut visitor });
        if let Ok(mut spare) = spare.lock() {
            spare.push(slab);
        }
        visitor
    };
    (0..level.slabs.len()).into_par_iter().with_max_len(1).map(search).collect()
}

struct OneSlab<'a, V> {
    scene: &'a Scene,
    level: &'a Level,
    kind: IndexKind,
    index: usize,
    question: Question,
    slab: &'a mut Slab,
    visitor: &'a mut V,
}

impl<V: Visitor> Kernel for OneSlab<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { scene, level: Level { lattice, slabs, guests }, kind, index, question, slab, visitor } = self;
        slab.single_atoms = question.single_atoms;
        slab.fill(lanes, scene, lattice, slabs, index, kind);
        for guest in guests.of_slab(index) {
            slab.add_guest(lanes, scene, lattice, guest.cluster, guest.step(lattice), guest.nearest_cell(lattice));
        }
        visitor.begin(slab);
        let mut search = Search { scene, question, slab, visitor, candidates: Vec::new() };
        match question.uniform_radius {
            Some(radius) => {
                search.everything(lanes, lattice, guests.of_slab(index), &Uniform::new(radius, question.reach));
            }
            None => search.everything(lanes, lattice, guests.of_slab(index), &Mixed { reach: question.reach }),
        }
        visitor.end(scene, slab);
    }
}

/// A cluster that looks for others: its bounding sphere in the frame of those it looks at, in every lane.
#[derive(Clone, Copy)]
struct Looking<L: Lanes> {
    first: usize,
    shift: [f32; 3],
    center: [L::Floats; 3],
    radius: L::Floats,
    owner: L::Words,
}

/// One pass over the pairs of a slab.
pub(crate) struct Search<'a, V> {
    pub(crate) scene: &'a Scene,
    pub(crate) question: Question,
    pub(crate) slab: &'a Slab,
    pub(crate) visitor: &'a mut V,
    pub(crate) candidates: Vec<u32>,
}

impl<V: Visitor> Search<'_, V> {
    #[inline(always)]
    fn everything<L: Lanes>(
        &mut self,
        lanes: L,
        lattice: &Lattice,
        guests: &[crate::index::guests::Guest],
        cut: &impl Cut,
    ) {
        let mut runs = Runs::default();
        let keys = self.slab.table.keys();
        let mut slot = 0;
        while slot < self.slab.own {
            let key = keys[slot];
            let end = slot + keys[slot..].iter().take_while(|&&other| other == key).count();
            runs.around_cell(self.slab, lattice, key.coordinates(), slot as u32, end as u32);
            for first in slot..end {
                if self.question.inside_molecules && !self.question.single_atoms {
                    self.within(lanes, first, cut);
                }
                runs.begin_after(first as u32);
                self.one_cluster(lanes, first, &runs, cut);
            }
            slot = end;
        }
        let first_guest = self.slab.refs.len() - guests.len();
        for (index, guest) in guests.iter().enumerate() {
            runs.around_guest(self.slab, lattice, guest, first_guest + index);
            self.one_cluster(lanes, first_guest + index, &runs, cut);
        }
    }

    #[inline(always)]
    fn one_cluster<L: Lanes>(&mut self, lanes: L, first: usize, runs: &Runs, cut: &impl Cut) {
        if self.candidates.len() < runs.slots() + LANES {
            self.candidates.resize(2 * runs.slots() + LANES, 0);
        }
        // A loop, not a closure: what is not inlined here is not compiled for the processor's lanes.
        let mut rest = runs.all();
        while !rest.is_empty() {
            let (same_shift, others) = runs.split_by_shift(rest);
            self.look(lanes, first, same_shift[0].shift, same_shift, cut);
            rest = others;
        }
    }

    /// Looks at runs with one shift.
    #[inline(always)]
    fn look<L: Lanes>(&mut self, lanes: L, first: usize, shift: [f32; 3], runs: &[Run], cut: &impl Cut) {
        let looking = self.looking(lanes, first, shift);
        let mut found = 0;
        for run in runs {
            found = self.cull(lanes, looking, run, found);
        }
        if !self.question.single_atoms {
            self.compare(lanes, looking, found, cut);
        }
    }

    #[inline(always)]
    fn looking<L: Lanes>(&self, lanes: L, first: usize, shift: [f32; 3]) -> Looking<L> {
        let own = &self.slab.batches[first / LANES];
        let lane = first % LANES;
        // A little more than the sum of the radii: rounding must not lose a touch.
        let margin = if self.question.single_atoms { 0.0 } else { 1e-3 };
        Looking {
            first,
            shift,
            center: per_axis(|axis| lanes.splat(own.centers[axis][lane] + shift[axis])),
            radius: lanes.splat(own.radii[lane] + self.question.reach + margin),
            owner: lanes.splat_words(own.owners[lane]),
        }
    }

    /// Adds to the candidates those of a run whose bounding spheres come near. Single atoms are done with at once.
    #[inline(always)]
    fn cull<L: Lanes>(&mut self, lanes: L, looking: Looking<L>, run: &Run, mut found: usize) -> usize {
        let slab = self.slab;
        let single_atoms = self.question.single_atoms;
        let Looking { first, shift, center: [x, y, z], radius, owner } = looking;
        let (start, end) = (run.start as usize, run.end as usize);
        let first_batch = start / LANES;
        let mut base = first_batch * LANES;
        let mut part = 0xff << (start % LANES);
        while base < end {
            let batch = &slab.batches[base / LANES];
            let dx = lanes.sub(lanes.load(&batch.centers[0]), x);
            let dy = lanes.sub(lanes.load(&batch.centers[1]), y);
            let dz = lanes.sub(lanes.load(&batch.centers[2]), z);
            let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
            let limit = lanes.add(lanes.load(&batch.radii), radius);
            let mut near = lanes.less(squared, lanes.mul(limit, limit)) & part;
            if !self.question.inside_molecules {
                near &= !lanes.equal_words(lanes.load_words(&batch.owners), owner);
            }
            if base + LANES > end {
                near &= (1 << (end - base)) - 1;
            }
            if single_atoms {
                // Two small atoms under a large allowance have no distance at which they touch.
                near &= lanes.less(lanes.splat(0.0), limit);
                if near != 0 {
                    let touch = AtomTouch { first, batch: base / LANES, shift, bits: near };
                    self.visitor.touch_atoms(lanes, self.scene, slab, touch);
                }
            } else {
                while near != 0 {
                    self.candidates[found] = base as u32 + near.trailing_zeros();
                    found += 1;
                    near &= near - 1;
                }
            }
            part = 0xff;
            base += LANES;
        }
        found
    }

    /// Compares a cluster with its candidates, atom by atom, where any atom of the candidate comes near the cluster's
    /// bounding sphere.
    #[inline(always)]
    fn compare<L: Lanes>(&mut self, lanes: L, looking: Looking<L>, found: usize, cut: &impl Cut) {
        let slab = self.slab;
        let Looking { first, shift, center: [x, y, z], radius, .. } = looking;
        let atoms = self.atoms(lanes, first, shift);
        let radii = cut.radii(self.scene, slab, first);
        for candidate in 0..found {
            let second = self.candidates[candidate] as usize;
            let other = &slab.atoms[second];
            let dx = lanes.sub(lanes.load(&other[0]), x);
            let dy = lanes.sub(lanes.load(&other[1]), y);
            let dz = lanes.sub(lanes.load(&other[2]), z);
            let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
            let other_radii = cut.radii(self.scene, slab, second);
            let limit = cut.limit(lanes, radius, other_radii);
            if lanes.less(squared, lanes.mul(limit, limit)) != 0 {
                self.pair(lanes, first, atoms, radii, second, shift, cut);
            }
        }
    }

    /// The atoms of a cluster, shifted.
    #[inline(always)]
    pub(crate) fn atoms<L: Lanes>(&self, lanes: L, slot: usize, shift: [f32; 3]) -> [L::Floats; 3] {
        per_axis(|axis| lanes.add(lanes.load(&self.slab.atoms[slot][axis]), lanes.splat(shift[axis])))
    }

    /// Compares the atoms of a cluster with some of another's.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the first cluster is loaded once for all its candidates")]
    pub(crate) fn pair<L: Lanes>(
        &mut self,
        lanes: L,
        first: usize,
        atoms: [L::Floats; 3],
        radii: &Eight,
        second: usize,
        shift: [f32; 3],
        cut: &impl Cut,
    ) {
        let other_radii = cut.radii(self.scene, self.slab, second);
        let bits = touching(lanes, atoms, &self.slab.atoms[second], cut, radii, other_radii);
        if bits != 0 {
            self.visitor.touch(lanes, self.scene, self.slab, Touch { first, second, shift, bits });
        }
    }

    /// The pairs inside one cluster: lane l before lane k, each once.
    #[inline(always)]
    pub(crate) fn within<L: Lanes>(&mut self, lanes: L, first: usize, cut: &impl Cut) {
        const EARLIER_LANES: u64 = 0x7f3f_1f0f_0703_0100;
        let slab = self.slab;
        let atoms: [_; 3] = per_axis(|axis| lanes.load(&slab.atoms[first][axis]));
        let radii = cut.radii(self.scene, slab, first);
        let bits = touching(lanes, atoms, &slab.atoms[first], cut, radii, radii) & EARLIER_LANES;
        if bits != 0 {
            self.visitor.touch(lanes, self.scene, slab, Touch { first, second: first, shift: [0.0; 3], bits });
        }
    }
}

/// When two atoms touch.
pub(crate) trait Cut {
    /// The radii of a cluster, if they matter.
    fn radii<'a>(&self, scene: &'a Scene, slab: &Slab, slot: usize) -> &'a Eight;
    /// How near atoms can be to a sphere of this radius and touch something in it; the reach is in the radius.
    fn limit<L: Lanes>(&self, lanes: L, radius: L::Floats, atoms: &Eight) -> L::Floats;
    /// Which lanes touch the atom of lane `k` of the other cluster.
    fn touching<L: Lanes>(&self, lanes: L, squared: L::Floats, radii: &Eight, other: &Eight, k: usize) -> u32;
}

/// All atoms have the same radius.
pub(crate) struct Uniform {
    radius: f32,
    squared: f32,
}

impl Uniform {
    pub(crate) fn new(radius: f32, reach: f32) -> Self {
        let cut = (2.0 * radius + reach).max(0.0);
        Self { radius, squared: cut * cut }
    }
}

impl Cut for Uniform {
    #[inline(always)]
    fn radii<'a>(&self, _: &'a Scene, _: &Slab, _: usize) -> &'a Eight {
        &[0.0; LANES]
    }

    #[inline(always)]
    fn limit<L: Lanes>(&self, lanes: L, radius: L::Floats, _: &Eight) -> L::Floats {
        lanes.add(radius, lanes.splat(self.radius))
    }

    #[inline(always)]
    fn touching<L: Lanes>(&self, lanes: L, squared: L::Floats, _: &Eight, _: &Eight, _: usize) -> u32 {
        lanes.less(squared, lanes.splat(self.squared))
    }
}

/// Each atom has its own radius.
pub(crate) struct Mixed {
    pub(crate) reach: f32,
}

impl Cut for Mixed {
    #[inline(always)]
    fn radii<'a>(&self, scene: &'a Scene, slab: &Slab, slot: usize) -> &'a Eight {
        &scene.clusters()[slab.refs[slot].cluster as usize].radii
    }

    #[inline(always)]
    fn limit<L: Lanes>(&self, lanes: L, radius: L::Floats, atoms: &Eight) -> L::Floats {
        lanes.add(radius, lanes.load(atoms))
    }

    #[inline(always)]
    fn touching<L: Lanes>(&self, lanes: L, squared: L::Floats, radii: &Eight, other: &Eight, k: usize) -> u32 {
        let limit = lanes.add(lanes.load(radii), lanes.splat(other[k] + self.reach));
        // Two small atoms under a large allowance have no distance at which they touch.
        let possible = lanes.less(lanes.splat(0.0), limit);
        lanes.less(squared, lanes.mul(limit, limit)) & possible
    }
}

#[inline(always)]
pub(super) fn touching<L: Lanes>(
    lanes: L,
    atoms: [L::Floats; 3],
    other: &[Eight; 3],
    cut: &impl Cut,
    radii: &Eight,
    other_radii: &Eight,
) -> u64 {
    let [x, y, z] = other;
    let mut bits = 0;
    for k in 0..LANES {
        let dx = lanes.sub(atoms[0], lanes.splat(x[k]));
        let dy = lanes.sub(atoms[1], lanes.splat(y[k]));
        let dz = lanes.sub(atoms[2], lanes.splat(z[k]));
        let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
        bits |= u64::from(cut.touching(lanes, squared, radii, other_radii, k)) << (LANES * k);
    }
    bits
}
