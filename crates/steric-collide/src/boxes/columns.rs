//! Boxes in the order of their entries, compared eight at a time.

use rayon::prelude::*;
use steric_model::LANES;

use super::Bounds;
use super::entries::{box_of, needs_beside};
use crate::simd::{Eight, Lanes, per_axis};

/// Entries of one piece of work.
const PIECE: usize = 8_192;
const NOWHERE: Eight = [0.0; LANES];

/// A column for each face of the boxes, and the values of the entries; eight lanes more at the end, so that eight can be read everywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    faces: [Vec<f32>; 6],
    values: Vec<u32>,
}

/// A box that looks for others, in every lane.
#[derive(Clone, Copy)]
pub(super) struct Looking<L: Lanes> {
    low: [L::Floats; 3],
    high: [L::Floats; 3],
}

impl<L: Lanes> Looking<L> {
    #[inline(always)]
    pub(super) fn new(lanes: L, bounds: &Bounds) -> Self {
        Self {
            low: per_axis(|axis| lanes.splat(bounds.low[axis])),
            high: per_axis(|axis| lanes.splat(bounds.high[axis])),
        }
    }
}

/// Entries side by side, and the bits that they must have to count: some in the first cell, others in the cells behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) from: usize,
    /// Where the entries of the first cell end.
    pub(super) behind: usize,
    pub(super) to: usize,
    pub(super) needs: u32,
    pub(super) needs_behind: u32,
}

impl Stretch {
    /// The entries of one cell, or of all cells.
    #[inline(always)]
    pub(super) fn of([from, to]: [usize; 2], needs: u32) -> Self {
        Self { from, behind: to, to, needs, needs_behind: needs }
    }
}

impl Columns {
    /// Copies boxes into the order of their entries.
    pub(super) fn fill<K: Copy + Sync>(&mut self, entries: &[(K, u32)], boxes: &[Bounds]) {
        let count = entries.len();
        self.values.resize(count + LANES, 0);
        self.values[..count]
            .par_iter_mut()
            .with_min_len(PIECE)
            .zip(entries)
            .for_each(|(value, entry)| *value = entry.1);
        for column in &mut self.faces {
            column.resize(count + LANES, 0.0);
        }
        let [a, b, c, d, e, f] = &mut self.faces;
        let faces = [a, b, c, d, e, f].map(|column| &mut column[..count]);
        copy(faces, &self.values[..count], boxes);
    }

    pub(super) fn bytes(&self) -> usize {
        let faces: usize = self.faces.iter().map(Vec::capacity).sum();
        (faces + self.values.capacity()) * size_of::<u32>()
    }

    /// Visits the pairs of an entry and those behind it in its cell, which ends at `to`.
    #[inline(always)]
    pub(super) fn join<L: Lanes>(&self, lanes: L, first: usize, to: usize, visit: &mut impl FnMut(u32, u32)) {
        let face = |which: usize| self.faces[which][first];
        let looking = Looking::new(lanes, &Bounds { low: per_axis(face), high: per_axis(|axis| face(axis + 3)) });
        let needs = lanes.splat_words(needs_beside(self.values[first]));
        let number = box_of(self.values[first]);
        for from in (first + 1..to).step_by(LANES) {
            let count = lanes.have_bits(self.values(lanes, from), needs) & first_lanes(to - from);
            self.each(from, count & self.touching_eight(lanes, &looking, from), |other| visit(number, other));
        }
    }

    /// Adds the boxes that touch and count, among the entries of a stretch.
    #[inline(always)]
    pub(super) fn touching<L: Lanes>(&self, lanes: L, looking: &Looking<L>, stretch: &Stretch, found: &mut Vec<u32>) {
        let needs = lanes.splat_words(stretch.needs);
        let needs_behind = lanes.splat_words(stretch.needs_behind);
        for from in (stretch.from..stretch.to).step_by(LANES) {
            let values = self.values(lanes, from);
            let count = lanes.have_bits(values, needs) & first_lanes(stretch.behind.saturating_sub(from));
            let count = (count | lanes.have_bits(values, needs_behind)) & first_lanes(stretch.to - from);
            self.each(from, count & self.touching_eight(lanes, looking, from), |number| found.push(number));
        }
    }

    #[inline(always)]
    fn values<L: Lanes>(&self, lanes: L, from: usize) -> L::Words {
        lanes.load_words(self.values[from..].first_chunk().unwrap_or(&[0; LANES]))
    }

    /// A bit for each of eight entries whose box touches.
    #[inline(always)]
    fn touching_eight<L: Lanes>(&self, lanes: L, looking: &Looking<L>, from: usize) -> u32 {
        let face = |which: usize| lanes.load(self.faces[which][from..].first_chunk().unwrap_or(&NOWHERE));
        let above = per_axis(|axis| (looking.high[axis], face(axis)));
        let below = per_axis(|axis| (face(axis + 3), looking.low[axis]));
        !lanes.any_less(above, below)
    }

    /// Visits the boxes of those of eight entries whose bits are set.
    #[inline(always)]
    fn each(&self, from: usize, bits: u32, mut visit: impl FnMut(u32)) {
        each_lane(bits, |lane| visit(box_of(self.values[from + lane])));
    }
}

/// A bit for each of the first lanes.
#[inline(always)]
pub(super) fn first_lanes(count: usize) -> u32 {
    (1 << count.min(LANES)) - 1
}

/// Visits the lanes whose bits are set.
#[inline(always)]
pub(super) fn each_lane(mut bits: u32, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

fn copy(faces: [&mut [f32]; 6], values: &[u32], boxes: &[Bounds]) {
    if values.len() > PIECE {
        let middle = values.len() / 2;
        let [a, b, c, d, e, f] = faces.map(|column| column.split_at_mut(middle));
        let (left, right) = ([a.0, b.0, c.0, d.0, e.0, f.0], [a.1, b.1, c.1, d.1, e.1, f.1]);
        rayon::join(|| copy(left, &values[..middle], boxes), || copy(right, &values[middle..], boxes));
        return;
    }
    let [a, b, c, d, e, f] = faces.map(|column| &mut column[..values.len()]);
    for (place, &value) in values.iter().enumerate() {
        let Bounds { low, high } = boxes[box_of(value) as usize];
        [a[place], b[place], c[place]] = low;
        [d[place], e[place], f[place]] = high;
    }
}
