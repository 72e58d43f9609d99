//! Two-level cuckoo hashing (Alcantara and others 2009; Pagh and Rodler 2004).
//!
//! How it works: entries are dealt by a hash of their cell onto buckets, 410 to a bucket on average, which is 80 % of the 512 that Alcantara gives one. Every bucket is then a task of its own: its entries
//! are grouped by cell, and each cell is put into one of three tables, with how many entries it has and where in the bucket they begin. A cell whose place is taken throws out the
//! one that is there, which tries its place in the next table, and so on; if that does not end, the bucket gets new hash functions. The tables are 70 % full. So
//! a cell is found in at most three places, memory grows with the boxes and not with the region, and a bucket's size is known before its tables are made.

use rayon::prelude::*;

use super::columns::{Columns, Looking, Stretch};
use super::entries::{self, Query, box_of, cut, mix};
use super::lattice::sparse_key;
use super::level::{Contents, Place};
use super::{Bounds, CellOrder, Sorting};
use crate::simd::Lanes;
use crate::sort;

/// Entries of a bucket, on average.
const IN_BUCKET: usize = 410;
/// How full the tables are, in percent.
const FULL: usize = 70;
/// So many attempts with new hash functions before a bucket's tables grow.
const ATTEMPTS: u64 = 8;

/// Buckets of three tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuckoo {
    order: CellOrder,
    seed: u64,
    buckets: Vec<Bucket>,
    /// The tables of all buckets, one after the other.
    nests: Vec<Nest>,
    /// Grouped by bucket and cell: the secondary array.
    entries: Vec<(u64, u32)>,
    columns: Columns,
    unsorted: Vec<(u64, u32)>,
    dealt: Vec<(u32, u32)>,
    room: Vec<(u32, u32)>,
    starts: Vec<u32>,
}

/// Where the tables of a bucket stand, how many places each of the three has, and what its hash functions begin with.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    first: u32,
    side: u32,
    seed: u64,
}

/// A cell and its entries; an empty nest has none.
#[derive(Clone, Copy, Debug, Default)]
struct Nest {
    cell: u64,
    start: u32,
    count: u32,
}

impl Contents for Cuckoo {
    fn lay(&mut self, _: [u32; 3], order: CellOrder) {
        self.order = order;
    }

    fn fill(&mut self, place: &Place) -> Option<Sorting> {
        let order = self.order;
        self.seed = mix(place.seed);
        entries::fill(&mut self.unsorted, place.members, place.spans, place.share, |cell| sparse_key(cell, order));
        self.deal();
        self.build_tables();
        self.columns.fill(&self.entries, place.boxes);
        None
    }

    #[inline(always)]
    fn look<L: Lanes>(&self, lanes: L, query: &Query, _: &[Bounds], found: &mut Vec<u32>) {
        let looking = Looking::new(lanes, query.bounds);
        for cell in query.span.each() {
            let nest = self.find(sparse_key(cell, self.order));
            let places = [nest.start, nest.start + nest.count].map(|place| place as usize);
            self.columns.touching(lanes, &looking, &Stretch::of(places, query.needs(cell)), found);
        }
    }

    #[inline(always)]
    fn scan<L: Lanes>(&self, lanes: L, query: &Query, _: &[Bounds], found: &mut Vec<u32>) {
        let all = Stretch::of([0, self.entries.len()], query.needs_anywhere());
        self.columns.touching(lanes, &Looking::new(lanes, query.bounds), &all, found);
    }

    fn entries(&self) -> usize {
        self.entries.len()
    }

    fn cells(&self) -> usize {
        self.nests.len()
    }

    fn bytes(&self) -> usize {
        let entries = (self.entries.capacity() + self.unsorted.capacity()) * size_of::<(u64, u32)>();
        let dealt = (self.dealt.capacity() + self.room.capacity()) * 8 + self.starts.capacity() * 4;
        let tables = self.nests.capacity() * size_of::<Nest>() + self.buckets.capacity() * size_of::<Bucket>();
        entries + dealt + tables + self.columns.bytes()
    }
}

impl Cuckoo {
    /// Deals the entries onto buckets.
    fn deal(&mut self) {
        let count = self.unsorted.len() / IN_BUCKET + 1;
        let Self { seed, unsorted, dealt, room, starts, entries, .. } = self;
        let number = |(at, entry): (usize, &(u64, u32))| (bucket(entry.0, *seed, count) as u32, at as u32);
        unsorted.par_iter().enumerate().with_min_len(4096).map(number).collect_into_vec(dealt);
        sort::radix(dealt, room);
        entries::starts(dealt, count, starts);
        let entry = |&(_, at): &(u32, u32)| unsorted[at as usize];
        dealt.par_iter().with_min_len(4096).map(entry).collect_into_vec(entries);
    }

    fn build_tables(&mut self) {
        let lengths: Vec<usize> = self.starts.windows(2).map(|two| (two[1] - two[0]) as usize).collect();
        let (starts, seed) = (&self.starts, self.seed);
        let build = |(number, entries): (usize, &mut [(u64, u32)])| {
            entries.sort_unstable_by_key(|&(cell, value)| (cell, box_of(value)));
            tables(&cells(entries, starts[number]), mix(seed ^ number as u64))
        };
        let built: Vec<_> =
            cut(&mut self.entries, &lengths).into_par_iter().enumerate().with_min_len(8).map(build).collect();
        self.nests.clear();
        self.buckets.clear();
        for (seed, nests) in built {
            self.buckets.push(Bucket { first: self.nests.len() as u32, side: nests.len() as u32 / 3, seed });
            self.nests.extend(nests);
        }
    }

    /// The nest of a cell; an empty one if no box is there.
    #[inline(always)]
    fn find(&self, cell: u64) -> Nest {
        let Bucket { first, side, seed } = self.buckets[bucket(cell, self.seed, self.buckets.len())];
        let places = places(cell, seed, side).map(|place| self.nests[(first + place) as usize]);
        places.into_iter().find(|nest| nest.cell == cell && nest.count > 0).unwrap_or_default()
    }
}

#[inline(always)]
fn bucket(cell: u64, seed: u64, buckets: usize) -> usize {
    ((u128::from(mix(cell ^ seed)) * buckets as u128) >> 64) as usize
}

/// The place of a cell in each of three tables: three parts of one hash are three hash functions.
#[inline(always)]
fn places(cell: u64, seed: u64, side: u32) -> [u32; 3] {
    let hash = mix(cell.wrapping_add(seed));
    let part = |table: u32| hash >> (21 * table) & 0x1f_ffff;
    let place = |table: u32| ((part(table) * u64::from(side)) >> 21) as u32 + table * side;
    [place(0), place(1), place(2)]
}

/// The cells of a bucket whose entries are grouped.
fn cells(entries: &[(u64, u32)], mut start: u32) -> Vec<Nest> {
    let nest = |entries: &[(u64, u32)]| {
        let nest = Nest { cell: entries[0].0, start, count: entries.len() as u32 };
        start += nest.count;
        nest
    };
    entries.chunk_by(|a, b| a.0 == b.0).map(nest).collect()
}

/// Three tables that hold all of these cells, and the seed of their hash functions.
fn tables(cells: &[Nest], mut seed: u64) -> (u64, Vec<Nest>) {
    let mut side = (cells.len() * 100).div_ceil(3 * FULL).max(1);
    for attempt in 1.. {
        if let Some(nests) = settle(cells, seed, side) {
            return (seed, nests);
        }
        seed = mix(seed);
        if attempt % ATTEMPTS == 0 {
            side += side / 4 + 1;
        }
    }
    unreachable!("tables that grow hold all cells at last")
}

fn settle(cells: &[Nest], seed: u64, side: usize) -> Option<Vec<Nest>> {
    let mut nests = vec![Nest::default(); 3 * side];
    let mut left = 16 * cells.len() + 64;
    for &cell in cells {
        let (mut homeless, mut table) = (cell, 0);
        while homeless.count > 0 {
            left = left.checked_sub(1)?;
            let place = places(homeless.cell, seed, side as u32)[table];
            std::mem::swap(&mut nests[place as usize], &mut homeless);
            table = (table + 1) % 3;
        }
    }
    Some(nests)
}
