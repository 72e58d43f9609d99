//! Pairs among the boxes of a compact grid, cell by cell.
//!
//! How it works: boxes that share a cell stand side by side, so every entry is compared with those behind it in its cell, eight at a time, and no box has to look for its cells. Two boxes share the
//! cell in which they are reported if on every axis one of the two begins there. Boxes of different lattices are no neighbours in any cell; there the smaller ones look among the wider ones.
//! Every piece of the entries keeps its own pairs, and all are put in order at the end.

use std::ops::Range;

use rayon::prelude::*;

use super::compact::Compact;
use super::{BoxIndex, PIECE};
use crate::simd::{Kernel, Lanes, dispatch};
use crate::sort;

/// Entries of one piece of work.
const ENTRIES: usize = 8_192;

impl BoxIndex {
    /// Fills in the pairs that touch and are wanted, sorted; how many are not. `None` if there is another kind of table.
    pub(super) fn joined(&self, pairs: &mut Vec<[u32; 2]>, wanted: impl Fn(u32, u32) -> bool + Sync) -> Option<usize> {
        let tables: Vec<&Compact> = self.levels.iter().map(|level| level.compact()).collect::<Option<_>>()?;
        let mut found: Vec<Found> = Vec::new();
        for table in tables {
            let inside = |entries| dispatch(Inside { table, entries, wanted: &wanted });
            found.par_extend(table.pieces(ENTRIES).into_par_iter().map(inside));
        }
        for (level, members) in self.members.iter().enumerate() {
            if self.members[level + 1..].iter().all(Vec::is_empty) {
                continue;
            }
            let across = |members| dispatch(Across { index: self, level, members, wanted: &wanted });
            found.par_extend(members.par_chunks(PIECE).map(across));
        }
        let passed_over = found.iter().map(|found| found.passed_over).sum();
        put_in_order(found, pairs);
        Some(passed_over)
    }
}

/// What one piece of work found.
#[derive(Default)]
struct Found {
    pairs: Vec<(u32, u32)>,
    passed_over: usize,
}

impl Found {
    #[inline(always)]
    fn take(&mut self, a: u32, b: u32, wanted: &impl Fn(u32, u32) -> bool) {
        if wanted(a, b) {
            self.pairs.push((a, b));
        } else {
            self.passed_over += 1;
        }
    }
}

/// By the first number, and then by the second.
fn put_in_order(found: Vec<Found>, pairs: &mut Vec<[u32; 2]>) {
    let mut found: Vec<(u32, u32)> = found.iter().flat_map(|found| &found.pairs).copied().collect();
    sort::radix(&mut found, &mut Vec::new());
    // Few boxes touch any one, so these sorts are short.
    found.chunk_by_mut(|a, b| a.0 == b.0).for_each(|of_one| of_one.sort_unstable_by_key(|pair| pair.1));
    pairs.clear();
    pairs.extend(found.into_iter().map(<[u32; 2]>::from));
}

/// Pairs inside the cells of some entries.
struct Inside<'a, W> {
    table: &'a Compact,
    entries: Range<usize>,
    wanted: &'a W,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Inside<'_, W> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Found {
        let mut found = Found::default();
        self.table.join(lanes, self.entries, &mut |a, b| found.take(a, b, self.wanted));
        found
    }
}

/// Pairs of some boxes of a level with boxes of wider ones.
struct Across<'a, W> {
    index: &'a BoxIndex,
    level: usize,
    members: &'a [u32],
    wanted: &'a W,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Across<'_, W> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Found {
        let BoxIndex { boxes, levels, .. } = self.index;
        let (mut found, mut others) = (Found::default(), Vec::new());
        for &member in self.members {
            for wider in &levels[self.level + 1..] {
                wider.look(lanes, &boxes[member as usize], true, boxes, &mut others);
            }
            others.drain(..).for_each(|other| found.take(member.min(other), member.max(other), self.wanted));
        }
        found
    }
}
