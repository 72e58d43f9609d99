//! The search itself: every pair of clusters that may touch, every pair of atoms in it that does.
//!
//! How it works: each cell looks at itself and at 13 of its 26 neighbours, so that a pair is seen once. For a cluster,
//! eight candidates at a time are tested by their bounding spheres; those that pass are compared atom by atom, eight
//! against eight, which gives 64 bits: bit 8k + l says that lane l of the first and lane k of the second touch. All
//! that a caller wants (a count, a list, forces) is made from those bits by a [`Visitor`].

use std::ops::Range;
use std::sync::Mutex;

use glam::Vec3;
use rayon::prelude::*;
use steric_model::Scene;

use super::slab::Slab;
use crate::index::IndexKind;
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
}

/// Two clusters that touch: their slots, and the shift that brings the first into the frame of the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) first: usize,
    pub(crate) second: usize,
    pub(crate) shift: Vec3,
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
            (bit < 64).then_some((bit % 8, bit / 8))
        })
    }
}

/// Makes something of the touches of one slab.
pub(crate) trait Visitor: Send {
    /// A slab with so many slots begins.
    fn begin(&mut self, _slots: usize) {}
    /// Two clusters touch.
    fn touch<L: Lanes>(&mut self, lanes: L, scene: &Scene, slab: &Slab, touch: Touch);
    /// The slab is done.
    fn end(&mut self, _scene: &Scene, _slab: &Slab) {}
}

/// Searches all slabs in parallel; one visitor per slab, in slab order.
pub(crate) fn sweep<V: Visitor>(
    scene: &Scene,
    lattice: &Lattice,
    slabs: &Slabs,
    kind: IndexKind,
    question: Question,
    visitor: impl Fn() -> V + Sync,
) -> Vec<V> {
    let spare: Mutex<Vec<Slab>> = Mutex::default();
    let search = |index: usize| {
        let reused = spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut slab = reused.unwrap_or_default();
        let mut visitor = visitor();
        let one = OneSlab { scene, lattice, slabs, kind, index, question, slab: &mut slab, visitor: &mut visitor };
        dispatch(one);
        if let Ok(mut spare) = spare.lock() {
            spare.push(slab);
        }
        visitor
    };
    (0..slabs.len()).into_par_iter().with_max_len(1).map(search).collect()
}

struct OneSlab<'a, V> {
    scene: &'a Scene,
    lattice: &'a Lattice,
    slabs: &'a Slabs,
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
        let Self { scene, lattice, slabs, kind, index, question, slab, visitor } = self;
        slab.fill(lanes, scene, lattice, slabs, index, kind);
        visitor.begin(slab.refs.len());
        let mut search = Search { scene, lattice, question, slab, visitor, candidates: Vec::new(), runs: Vec::new() };
        match question.uniform_radius {
            Some(radius) => {
                let cut = (2.0 * radius + question.reach).max(0.0);
                search.all_cells(lanes, &Uniform { squared: cut * cut });
            }
            None => search.all_cells(lanes, &Mixed { reach: question.reach }),
        }
        visitor.end(scene, slab);
    }
}

/// Slots to look at, and the shift that brings the looking cluster into their frame.
#[derive(Clone, Debug)]
struct Run {
    slots: Range<u32>,
    shift: Vec3,
}

struct Search<'a, V> {
    scene: &'a Scene,
    lattice: &'a Lattice,
    question: Question,
    slab: &'a Slab,
    visitor: &'a mut V,
    candidates: Vec<u32>,
    runs: Vec<Run>,
}

/// Row and layer steps to the neighbours that a cell looks at, after its own row.
const ROWS_AHEAD: [(i64, i64); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

impl<V: Visitor> Search<'_, V> {
    #[inline(always)]
    fn all_cells<L: Lanes>(&mut self, lanes: L, cut: &impl Cut) {
        let keys = self.slab.table.keys();
        let mut slot = 0;
        while slot < keys.len() {
            let key = keys[slot];
            let cell = key.coordinates();
            let end = slot + keys[slot..].iter().take_while(|&&other| other == key).count();
            if cell[2] < self.slab.layers {
                self.find_runs(cell, end as u32);
                for first in slot..end {
                    self.one_cluster(lanes, first, cut);
                }
            }
            slot = end;
        }
    }

    /// What the clusters of a cell look at. The first run is the rest of the own cell, whose start moves on with
    /// each cluster, and the next cell of the row.
    fn find_runs(&mut self, cell: [i64; 3], end: u32) {
        self.runs.clear();
        self.runs.push(Run { slots: end..end, shift: Vec3::ZERO });
        self.add_cell(cell, [cell[0] + 1, cell[1], cell[2]]);
        for (row, layer) in ROWS_AHEAD {
            self.add_row(cell, [cell[0], cell[1] + row, cell[2] + layer]);
        }
    }

    /// A cell of another row and its two neighbours.
    #[inline(always)]
    fn add_row(&mut self, from: [i64; 3], middle: [i64; 3]) {
        let around = |step: i64| [middle[0] + step, middle[1], middle[2]];
        let inside = middle[1] >= 0 && middle[1] < self.lattice.cells()[1];
        let one_tile = self.slab.same_tile(from, around(-1)) && self.slab.same_tile(from, around(1));
        let three = if inside && one_tile { self.slab.table.three_in_a_row(middle) } else { None };
        match three {
            Some(slots) if slots.is_empty() => {}
            Some(slots) => self.add_run(slots, Vec3::ZERO),
            None => (-1..=1).for_each(|step| self.add_cell(from, around(step))),
        }
    }

    #[inline(always)]
    fn add_run(&mut self, slots: Range<u32>, shift: Vec3) {
        match self.runs.last_mut() {
            Some(last) if last.slots.end == slots.start && last.shift == shift => last.slots.end = slots.end,
            _ => self.runs.push(Run { slots, shift }),
        }
    }

    fn add_cell(&mut self, from: [i64; 3], to: [i64; 3]) {
        let cells = self.lattice.cells();
        let mut wrapped = to;
        let mut shift = Vec3::ZERO;
        for axis in 0..2 {
            if to[axis] < 0 || to[axis] >= cells[axis] {
                if !self.lattice.is_periodic() {
                    return;
                }
                wrapped[axis] = to[axis].rem_euclid(cells[axis]);
            }
        }
        let slots = self.slab.table.slots(wrapped);
        if slots.is_empty() {
            return;
        }
        if wrapped != to || !self.slab.same_tile(from, wrapped) {
            let around = [to[0] - wrapped[0], to[1] - wrapped[1], 0];
            let corner = |cell| self.slab.tile_corner(self.lattice, cell);
            shift = (corner(from) - corner(wrapped) - self.lattice.step(around)).as_vec3();
        }
        self.add_run(slots, shift);
    }

    #[inline(always)]
    fn one_cluster<L: Lanes>(&mut self, lanes: L, first: usize, cut: &impl Cut) {
        if self.question.inside_molecules {
            self.within(lanes, first, cut);
        }
        let mut run = 0;
        while run < self.runs.len() {
            let shift = self.runs[run].shift;
            let mut found = 0;
            while run < self.runs.len() && self.runs[run].shift == shift {
                let slots = self.runs[run].slots.clone();
                let start = if run == 0 { first as u32 + 1 } else { slots.start };
                found = self.cull(lanes, first, shift, start..slots.end, found);
                run += 1;
            }
            self.compare(lanes, first, shift, found, cut);
        }
    }

    /// Adds to the candidates those of a range of slots whose bounding spheres come near.
    #[inline(always)]
    fn cull<L: Lanes>(&mut self, lanes: L, first: usize, shift: Vec3, slots: Range<u32>, mut found: usize) -> usize {
        let slab = self.slab;
        let center: [_; 3] = per_axis(|axis| lanes.splat(slab.centers[axis][first] + shift[axis]));
        // A little more than the sum of the radii: rounding must not lose a touch.
        let radius = lanes.splat(slab.radii[first] + self.question.reach + 1e-3);
        let owner = lanes.splat_words(slab.owners[first]);
        if self.candidates.len() < found + slots.len() + 8 {
            self.candidates.resize(found + slots.len() + 8, 0);
        }
        let start = slots.start as usize;
        let padded = start..start + slots.len().next_multiple_of(8);
        let [x, y, z] = per_axis(|axis| slab.centers[axis][padded.clone()].as_chunks::<8>().0);
        let radii = slab.radii[padded.clone()].as_chunks::<8>().0;
        let owners = slab.owners[padded].as_chunks::<8>().0;
        let mut left = slots.len();
        for (chunk, ((((x, y), z), radii), owners)) in x.iter().zip(y).zip(z).zip(radii).zip(owners).enumerate() {
            let dx = lanes.sub(lanes.load(x), center[0]);
            let dy = lanes.sub(lanes.load(y), center[1]);
            let dz = lanes.sub(lanes.load(z), center[2]);
            let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
            let limit = lanes.add(lanes.load(radii), radius);
            let mut near = lanes.less(squared, lanes.mul(limit, limit));
            if !self.question.inside_molecules {
                near &= !lanes.equal_words(lanes.load_words(owners), owner);
            }
            if left < 8 {
                near &= (1 << left) - 1;
            }
            left = left.saturating_sub(8);
            while near != 0 {
                self.candidates[found] = (start + 8 * chunk) as u32 + near.trailing_zeros();
                found += 1;
                near &= near - 1;
            }
        }
        found
    }

    /// Compares a cluster with its candidates, atom by atom.
    #[inline(always)]
    fn compare<L: Lanes>(&mut self, lanes: L, first: usize, shift: Vec3, found: usize, cut: &impl Cut) {
        let slab = self.slab;
        let atoms: [_; 3] = per_axis(|axis| lanes.add(lanes.load(&slab.atoms[first][axis]), lanes.splat(shift[axis])));
        let radii = cut.radii(self.scene, slab, first);
        for candidate in 0..found {
            let second = self.candidates[candidate] as usize;
            let other = cut.radii(self.scene, slab, second);
            let bits = touching(lanes, atoms, &slab.atoms[second], cut, radii, other);
            if bits != 0 {
                self.visitor.touch(lanes, self.scene, slab, Touch { first, second, shift, bits });
            }
        }
    }

    /// The pairs inside one cluster: lane l before lane k, each once.
    #[inline(always)]
    fn within<L: Lanes>(&mut self, lanes: L, first: usize, cut: &impl Cut) {
        const EARLIER_LANES: u64 = 0x7f3f_1f0f_0703_0100;
        let slab = self.slab;
        let atoms: [_; 3] = per_axis(|axis| lanes.load(&slab.atoms[first][axis]));
        let radii = cut.radii(self.scene, slab, first);
        let bits = touching(lanes, atoms, &slab.atoms[first], cut, radii, radii) & EARLIER_LANES;
        if bits != 0 {
            self.visitor.touch(lanes, self.scene, slab, Touch { first, second: first, shift: Vec3::ZERO, bits });
        }
    }
}

/// When two atoms touch.
trait Cut {
    /// The radii of a cluster, if they matter.
    fn radii<'a>(&self, scene: &'a Scene, slab: &Slab, slot: usize) -> &'a Eight;
    /// Which lanes touch the atom of lane `k` of the other cluster.
    fn touching<L: Lanes>(&self, lanes: L, squared: L::Floats, radii: &Eight, other: &Eight, k: usize) -> u32;
}

/// All atoms have the same radius.
struct Uniform {
    squared: f32,
}

impl Cut for Uniform {
    #[inline(always)]
    fn radii<'a>(&self, _: &'a Scene, _: &Slab, _: usize) -> &'a Eight {
        &[0.0; 8]
    }

    #[inline(always)]
    fn touching<L: Lanes>(&self, lanes: L, squared: L::Floats, _: &Eight, _: &Eight, _: usize) -> u32 {
        lanes.less(squared, lanes.splat(self.squared))
    }
}

/// Each atom has its own radius.
struct Mixed {
    reach: f32,
}

impl Cut for Mixed {
    #[inline(always)]
    fn radii<'a>(&self, scene: &'a Scene, slab: &Slab, slot: usize) -> &'a Eight {
        &scene.clusters()[slab.refs[slot].cluster as usize].radii
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
fn touching<L: Lanes>(
    lanes: L,
    atoms: [L::Floats; 3],
    other: &[Eight; 3],
    cut: &impl Cut,
    radii: &Eight,
    other_radii: &Eight,
) -> u64 {
    let mut bits = 0;
    for k in 0..8 {
        let dx = lanes.sub(atoms[0], lanes.splat(other[0][k]));
        let dy = lanes.sub(atoms[1], lanes.splat(other[1][k]));
        let dz = lanes.sub(atoms[2], lanes.splat(other[2][k]));
        let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
        bits |= u64::from(cut.touching(lanes, squared, radii, other_radii, k)) << (8 * k);
    }
    bits
}
