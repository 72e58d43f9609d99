//! The basic grid: a list of entries for every cell.
//!
//! How it works: each thread owns the lists of some cells, reads all entries and takes its own. Nobody waits for anybody, and every list has the order of the boxes.

use rayon::prelude::*;

use super::entries::{self, Query};
use super::lattice::Numbers;
use super::level::{Contents, Place};
use super::{Bounds, CellOrder, Sorting};
use crate::simd::Lanes;
use crate::sort;

/// A list for every cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Basic {
    numbers: Numbers,
    lists: Vec<Vec<u32>>,
    entries: Vec<(u32, u32)>,
}

impl Contents for Basic {
    fn lay(&mut self, cells: [u32; 3], order: CellOrder) {
        self.numbers = Numbers::of(cells, order);
    }

    fn fill(&mut self, place: &Place) -> Option<Sorting> {
        let Self { numbers, lists, entries } = self;
        entries::fill(entries, place.members, place.spans, place.share, |cell| numbers.number(cell));
        lists.resize_with(numbers.count(), Vec::new);
        let length = numbers.count().div_ceil(sort::pieces(entries.len()));
        lists.par_chunks_mut(length).enumerate().for_each(|(piece, lists)| {
            lists.iter_mut().for_each(Vec::clear);
            for &(number, value) in &*entries {
                if let Some(list) = lists.get_mut((number as usize).wrapping_sub(piece * length)) {
                    list.push(value);
                }
            }
        });
        None
    }

    #[inline(always)]
    fn look<L: Lanes>(&self, _: L, query: &Query, boxes: &[Bounds], found: &mut Vec<u32>) {
        for cell in query.span.each() {
            let needs = query.needs(cell);
            for &value in &self.lists[self.numbers.number(cell) as usize] {
                query.test(value, needs, boxes, found);
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
        self.lists.len()
    }

    fn bytes(&self) -> usize {
        let listed: usize = self.lists.iter().map(|list| list.capacity() * 4).sum();
        listed + self.lists.capacity() * size_of::<Vec<u32>>() + self.entries.capacity() * 8 + self.numbers.bytes()
    }
}
