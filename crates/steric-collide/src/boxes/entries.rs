//! Entries: a box, as often as there are cells that know it.
//!
//! How it works: the value of an entry is the number of its box, and three bits that say on which axes the box begins in the cell. Two boxes that share several cells are reported in the one
//! whose coordinates are the greater ones of their first cells. So where a cell is beyond the first cell of a query on some axis, a box counts there only if it
//! begins there on that axis: a comparison of bits instead of a set of pairs that were seen.

use rayon::prelude::*;

use super::lattice::Span;
use super::{Bounds, BoxIndexOptions};

/// Boxes of one piece of work.
const PIECE: usize = 2_048;
/// Where the three bits stand.
const BEGINS: u32 = 29;
/// No index has more boxes.
pub(super) const MOST_BOXES: usize = 1 << BEGINS;

/// The box of an entry.
#[inline(always)]
pub(super) fn box_of(value: u32) -> u32 {
    value & (MOST_BOXES as u32 - 1)
}

/// The bits that an entry must have for this one and it to be reported in their cell: on every axis one of them begins there.
#[inline(always)]
pub(super) fn needs_beside(value: u32) -> u32 {
    !value & (7 << BEGINS)
}

#[inline(always)]
fn value(of: u32, span: &Span, cell: [u32; 3]) -> u32 {
    let begins = (0..3).map(|axis| u32::from(cell[axis] == span.first[axis]) << axis).sum::<u32>();
    of | begins << BEGINS
}

/// Which of its cells know a box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    most: u64,
    seed: u64,
}

impl Share {
    pub(super) fn of(options: &BoxIndexOptions) -> Self {
        let most = options.most_cells.map_or(u64::MAX, |most| u64::from(most.count()));
        Self { most, seed: options.seed }
    }

    /// How many entries a box has.
    pub(super) fn entries(&self, span: &Span) -> usize {
        span.cells().min(self.most) as usize
    }

    /// All cells, or as many as there may be: the cells are cut into so many parts, and of each part one is drawn.
    #[inline(always)]
    fn each(&self, of: u32, span: &Span, mut visit: impl FnMut([u32; 3])) {
        let cells = span.cells();
        if cells <= self.most {
            return span.visit(visit);
        }
        for part in 0..self.most {
            // A box covers at most 2^60 cells, so the products need more than 64 bits.
            let bound = |part: u64| (u128::from(part) * u128::from(cells) / u128::from(self.most)) as u64;
            let (from, to) = (bound(part), bound(part + 1));
            let drawn = mix(self.seed ^ mix(u64::from(of) << 8 | part));
            visit(span.cell(from + drawn % (to - from)));
        }
    }
}

/// A number that looks drawn by lot and depends on nothing but its seed (the end of splitmix64).
#[inline(always)]
pub(super) fn mix(seed: u64) -> u64 {
    let z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The entries of some boxes, in their order.
pub(super) fn fill<K: Copy + Default + Send>(
    entries: &mut Vec<(K, u32)>,
    boxes: &[u32],
    spans: &[Span],
    share: Share,
    key: impl Fn([u32; 3]) -> K + Sync,
) {
    let count = |boxes: &[u32]| boxes.iter().map(|&of| share.entries(&spans[of as usize])).sum::<usize>();
    let counts: Vec<usize> = boxes.par_chunks(PIECE).map(count).collect();
    let total = counts.iter().sum();
    assert!(total <= u32::MAX as usize, "{total} entries are more than an index holds");
    entries.resize(total, (K::default(), 0));
    boxes.par_chunks(PIECE).zip(cut(entries, &counts)).for_each(|(boxes, piece)| {
        let mut places = piece.iter_mut();
        for &of in boxes {
            let span = &spans[of as usize];
            share.each(of, span, |cell| {
                *places.next().expect("room for what was counted") = (key(cell), value(of, span, cell));
            });
        }
    });
}

/// Slices of the given lengths, one after the other.
pub(super) fn cut<'a, T>(mut rest: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let mut slices = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (slice, behind) = rest.split_at_mut(length);
        slices.push(slice);
        rest = behind;
    }
    slices
}

/// Where each key's entries begin among sorted ones, for all keys below `keys`, and where the last ends.
pub(super) fn starts(entries: &[(u32, u32)], keys: usize, starts: &mut Vec<u32>) {
    const KEYS: usize = 32_768;
    starts.resize(keys + 1, 0);
    starts.par_chunks_mut(KEYS).enumerate().for_each(|(piece, starts)| {
        let first = (piece * KEYS) as u32;
        let mut place = entries.partition_point(|entry| entry.0 < first);
        for (key, start) in (first..).zip(starts) {
            while entries.get(place).is_some_and(|entry| entry.0 < key) {
                place += 1;
            }
            *start = place as u32;
        }
    });
}

/// A box that looks for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) bounds: &'a Bounds,
    pub(super) span: Span,
    /// Whether every cell knows its boxes. Else a pair is taken wherever it is seen.
    pub(super) exact: bool,
}

impl Query<'_> {
    /// The bits that an entry of a cell must have to count there.
    #[inline(always)]
    pub(super) fn needs(&self, cell: [u32; 3]) -> u32 {
        let beyond =
            |axis: usize| u32::from(self.exact && cell[axis] > self.span.first[axis]) << (BEGINS + axis as u32);
        beyond(0) | beyond(1) | beyond(2)
    }

    /// The bits that an entry must have to count when all cells are looked at: each box once, in its own first cell.
    #[inline(always)]
    pub(super) fn needs_anywhere(&self) -> u32 {
        if self.exact { 7 << BEGINS } else { 0 }
    }

    /// Takes the box of an entry if it counts and touches.
    #[inline(always)]
    pub(super) fn test(&self, value: u32, needs: u32, boxes: &[Bounds], found: &mut Vec<u32>) {
        if value & needs == needs && self.bounds.touches(&boxes[box_of(value) as usize]) {
            found.push(box_of(value));
        }
    }
}
