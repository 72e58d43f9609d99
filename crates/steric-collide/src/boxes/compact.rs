//! The compact grid: one array of entries, sorted by cell, and for every cell where its entries begin.
//!
//! How it works: sorting the entries by the number of their cell is the whole construction (Kalojanov and Slusallek 2009), and takes as long for boxes in a heap as for boxes
//! spread out. The next build starts from the order of the last one: entries of boxes that changed no cell are in order already, the others are sorted and merged in.
//! Within a cell entries stand in the order of their boxes, whichever way they came there.

use std::ops::Range;

use rayon::prelude::*;

use super::columns::{Columns, Looking, Stretch};
use super::entries::{self, Query, box_of};
use super::lattice::Numbers;
use super::level::{Contents, Place};
use super::{CellOrder, Sorting};
use crate::simd::Lanes;
use crate::sort;

/// Entries of one piece of work.
const PIECE: usize = 16_384;
/// With more than one entry in so many out of place, sorting all of them is faster than merging.
const FEW: usize = 8;

/// Entries sorted by cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Compact {
    numbers: Numbers,
    in_rows: bool,
    entries: Vec<(u32, u32)>,
    starts: Vec<u32>,
    columns: Columns,
    room: Vec<(u32, u32)>,
    few: Vec<(u32, u32)>,
}

impl Contents for Compact {
    fn lay(&mut self, cells: [u32; 3], order: CellOrder) {
        self.numbers = Numbers::of(cells, order);
        self.in_rows = order == CellOrder::Rows;
    }

    fn fill(&mut self, place: &Place) -> Option<Sorting> {
        let sort = self.sort(place);
        entries::starts(&self.entries, self.numbers.count(), &mut self.starts);
        self.columns.fill(&self.entries, place.boxes);
        Some(sort)
    }

    #[inline(always)]
    fn look<L: Lanes>(&self, lanes: L, query: &Query, _: &[super::Bounds], found: &mut Vec<u32>) {
        let looking = Looking::new(lanes, query.bounds);
        if self.in_rows {
            return self.look_along_rows(lanes, &looking, query, found);
        }
        for cell in query.span.each() {
            let number = self.numbers.number(cell) as usize;
            let places = [self.starts[number], self.starts[number + 1]].map(|place| place as usize);
            self.columns.touching(lanes, &looking, &Stretch::of(places, query.needs(cell)), found);
        }
    }

    #[inline(always)]
    fn scan<L: Lanes>(&self, lanes: L, query: &Query, _: &[super::Bounds], found: &mut Vec<u32>) {
        let all = Stretch::of([0, self.entries.len()], query.needs_anywhere());
        self.columns.touching(lanes, &Looking::new(lanes, query.bounds), &all, found);
    }

    fn entries(&self) -> usize {
        self.entries.len()
    }

    fn cells(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn bytes(&self) -> usize {
        let entries = self.entries.capacity() + self.room.capacity() + self.few.capacity();
        entries * size_of::<(u32, u32)>() + self.starts.capacity() * 4 + self.columns.bytes() + self.numbers.bytes()
    }
}

impl Compact {
    /// The cells of a row are one stretch of entries, and only those behind its first cell must begin where they stand.
    #[inline(always)]
    fn look_along_rows<L: Lanes>(&self, lanes: L, looking: &Looking<L>, query: &Query, found: &mut Vec<u32>) {
        let ([x, first_y, first_z], [last_x, last_y, last_z]) = (query.span.first, query.span.last);
        for z in first_z..=last_z {
            for y in first_y..=last_y {
                let first = self.numbers.number([x, y, z]) as usize;
                let last = first + (last_x - x) as usize;
                let [from, behind, to] =
                    [self.starts[first], self.starts[first + 1], self.starts[last + 1]].map(|place| place as usize);
                let (needs, needs_behind) = (query.needs([x, y, z]), query.needs([x + 1, y, z]));
                let stretch = Stretch { from, behind, to, needs, needs_behind };
                self.columns.touching(lanes, looking, &stretch, found);
            }
        }
    }

    /// The entries in pieces of about this many, none of which ends inside a cell.
    pub(super) fn pieces(&self, length: usize) -> Vec<Range<usize>> {
        let border = |at: usize| match self.entries[..at.min(self.entries.len())].last() {
            Some(entry) => self.starts[entry.0 as usize + 1] as usize,
            None => 0,
        };
        (0..self.entries.len()).step_by(length).map(|at| border(at)..border(at + length)).collect()
    }

    /// Visits each pair of boxes that touch and belong to one of the cells of these entries, the lesser number first.
    #[inline(always)]
    pub(super) fn join<L: Lanes>(&self, lanes: L, entries: Range<usize>, visit: &mut impl FnMut(u32, u32)) {
        let mut from = entries.start;
        while from < entries.end {
            let to = self.starts[self.entries[from].0 as usize + 1] as usize;
            (from..to - 1).for_each(|first| self.columns.join(lanes, first, to, visit));
            from = to;
        }
    }

    fn sort(&mut self, place: &Place) -> Sorting {
        let moved = (!place.is_new).then(|| self.out_of_place(place));
        match moved {
            Some(out) if place.sort != Sorting::Radix && self.pays(place, &out) => {
                self.put_back(place, &out);
                Sorting::Adaptive
            }
            _ => self.sort_all(place),
        }
    }

    fn pays(&self, place: &Place, out: &[u32]) -> bool {
        place.sort == Sorting::Adaptive || out.len() <= self.entries.len() / FEW
    }

    fn sort_all(&mut self, place: &Place) -> Sorting {
        let numbers = &self.numbers;
        entries::fill(&mut self.entries, place.members, place.spans, place.share, |cell| numbers.number(cell));
        if place.sort == Sorting::Adaptive {
            sort::adaptive(&mut self.entries, &mut self.room);
            return Sorting::Adaptive;
        }
        sort::radix(&mut self.entries, &mut self.room);
        Sorting::Radix
    }

    /// The places of entries whose boxes changed cells.
    fn out_of_place(&self, place: &Place) -> Vec<u32> {
        let moved = |(piece, entries): (usize, &[(u32, u32)])| {
            let numbered = (piece * PIECE..).zip(entries);
            let moved = numbered.filter(|(_, entry)| place.moved[box_of(entry.1) as usize]);
            moved.map(|(place, _)| place as u32).collect::<Vec<_>>()
        };
        self.entries.par_chunks(PIECE).enumerate().map(moved).collect::<Vec<_>>().concat()
    }

    /// Merges new entries of the boxes that changed cells with the old entries of the others.
    fn put_back(&mut self, place: &Place, out: &[u32]) {
        let Self { numbers, entries, few, room, .. } = self;
        entries::fill(few, place.movers, place.spans, place.share, |cell| numbers.number(cell));
        // A stable sort, so that the entries of a cell stay in the order of their boxes.
        few.par_sort_by_key(|entry| entry.0);
        let order = |entry: &(u32, u32)| (entry.0, box_of(entry.1));
        // Those that go still have the keys by which they were sorted, so all old entries ascend.
        let places = few.par_chunks(256).flat_map_iter(|few| {
            let mut at = 0;
            let place = |new: &(u32, u32)| {
                at = sort::gallop(entries, at, |old| order(old) < order(new));
                at as u32
            };
            few.iter().map(place).collect::<Vec<_>>()
        });
        let places: Vec<u32> = places.collect();
        let change = sort::Change { items: entries, go: out, come: few, places: &places };
        room.resize(change.len(), (0, 0));
        change.merge(room);
        std::mem::swap(entries, room);
    }
}
