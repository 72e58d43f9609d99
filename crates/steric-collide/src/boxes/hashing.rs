//! Spatial hashing with chains (Teschner and others 2003).
//!
//! How it works: a cell is hashed to a slot of a table with about two slots for each box, so that memory does not grow with the region. Each slot begins a chain of entries, of which those of
//! other cells are passed over. Each thread owns some slots and the chains that begin there, reads all entries and takes its own. Along a Z-curve the slot
//! is the cell's Morton code modulo the size of the table, so that near cells have near slots; along rows it is the hash with three primes.

use rayon::prelude::*;

use super::entries::{self, Query};
use super::lattice::sparse_key;
use super::level::{Contents, Place};
use super::{Bounds, CellOrder, Sorting};
use crate::simd::Lanes;
use crate::sort;

/// The end of a chain.
const END: u32 = u32::MAX;

/// Slots and chains.
#[derive(Clone, Debug, Default)]
pub(super) struct Hashing {
    order: CellOrder,
    slots: u64,
    /// Slots of one part.
    length: u64,
    parts: Vec<Part>,
    entries: Vec<(u64, u32)>,
}

/// Some slots and the chains that begin there.
#[derive(Clone, Debug, Default)]
struct Part {
    heads: Vec<u32>,
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    cell: u64,
    value: u32,
    next: u32,
}

impl Contents for Hashing {
    fn lay(&mut self, _: [u32; 3], order: CellOrder) {
        self.order = order;
    }

    fn fill(&mut self, place: &Place) -> Option<Sorting> {
        let order = self.order;
        entries::fill(&mut self.entries, place.members, place.spans, place.share, |cell| sparse_key(cell, order));
        // An odd number: Morton codes modulo an even one would say little about the cell.
        self.slots = 2 * place.members.len() as u64 + 1;
        let pieces = sort::pieces(self.entries.len()) as u64;
        self.length = self.slots.div_ceil(pieces);
        self.parts.resize_with(pieces as usize, Part::default);
        let Self { slots, length, parts, entries, .. } = self;
        parts.par_iter_mut().enumerate().for_each(|(piece, part)| {
            part.heads.clear();
            part.heads.resize(*length as usize, END);
            part.links.clear();
            for &(cell, value) in &*entries {
                let local = slot(cell, order, *slots).wrapping_sub(piece as u64 * *length);
                if local < *length {
                    part.chain(local as usize, cell, value);
                }
            }
        });
        None
    }

    #[inline(always)]
    fn look<L: Lanes>(&self, _: L, query: &Query, boxes: &[Bounds], found: &mut Vec<u32>) {
        for cell in query.span.each() {
            let (key, needs) = (sparse_key(cell, self.order), query.needs(cell));
            let slot = slot(key, self.order, self.slots);
            let part = &self.parts[(slot / self.length) as usize];
            let mut at = part.heads[(slot % self.length) as usize];
            while at != END {
                let link = &part.links[at as usize];
                if link.cell == key {
                    query.test(link.value, needs, boxes, found);
                }
                at = link.next;
            }
        }
    }

    #[inline(always)]
    fn scan<L: Lanes>(&self, _: L, query: &Query, boxes: &[Bounds], found: &mut Vec<u32>) {
        for &(_, value) in &self.entries {
            query.test(value, query.needs_anywhere(), boxes, found);
        }
    }

    fn entries(&self) -> usize {
        self.entries.len()
    }

    fn cells(&self) -> usize {
        self.slots as usize
    }

    fn bytes(&self) -> usize {
        let part = |part: &Part| part.heads.capacity() * 4 + part.links.capacity() * size_of::<Link>();
        self.parts.iter().map(part).sum::<usize>() + self.entries.capacity() * size_of::<(u64, u32)>()
    }
}

impl Part {
    fn chain(&mut self, slot: usize, cell: u64, value: u32) {
        let head = &mut self.heads[slot];
        self.links.push(Link { cell, value, next: *head });
        *head = self.links.len() as u32 - 1;
    }
}

#[inline(always)]
fn slot(key: u64, order: CellOrder, slots: u64) -> u64 {
    match order {
        CellOrder::ZCurve => key % slots,
        CellOrder::Rows => {
            let [x, y, z] = [key & 0x1f_ffff, key >> 21 & 0x1f_ffff, key >> 42];
            (x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791)) % slots
        }
    }
}
