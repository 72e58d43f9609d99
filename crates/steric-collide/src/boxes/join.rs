//! Pairs among the boxes of a compact grid, cell by cell.
//!
//! How it works: boxes that share a cell stand side by side, so every entry is compared with those behind it in its cell, eight at a time, and no box has to look for its cells. Two boxes share the
//! cell in which they are reported if on every axis one of the two begins there. Boxes of different lattices are no neighbours in any cell; there the smaller ones look among the wider ones.
//! Every piece of the entries keeps its own pairs, and all are put in order at the end.

use std::ops::Range;

use rayon::prelude::*;

use super::compact::Compact;
use super::found::{Found, put_in_order};
use super::grid::Grid;
use super::{Bounds, PIECE};
use crate::simd::{Kernel, Lanes, dispatch};

/// Entries of one piece of work.
const ENTRIES: usize = 8_192;

impl Grid {
    /// Fills in the pairs that touch and are wanted, sorted; how many are not. `None` if there is another kind of table.
    pub(super) fn joined(
        &self,
        boxes: &[Bounds],
        wanted: &(impl Fn(u32, u32) -> bool + Sync),
        pairs: &mut Vec<[u32; 2]>,
    ) -> Option<usize> {
        let tables: Vec<&Compact> = self.levels.iter().map(|level| level.compact()).collect::<Option<_>>()?;
        let mut found: Vec<Found> = Vec::new();
        for table in tables {
            let inside = |entries| dispatch(Inside { table, entries, wanted });
            found.par_extend(table.pieces(ENTRIES).into_par_iter().map(inside));
        }
        for (level, members) in self.members.iter().enumerate() {
            if self.members[level + 1..].iter().all(Vec::is_empty) {
                continue;
            }
            let across = |members| dispatch(Across { grid: self, boxes, level, members, wanted });
            found.par_extend(members.par_chunks(PIECE).map(across));
        }
        Some(put_in_order(found, pairs))
    }
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
    grid: &'a Grid,
    boxes: &'a [Bounds],
    level: usize,
    members: &'a [u32],
    wanted: &'a W,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Across<'_, W> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Found {
        let (boxes, levels) = (self.boxes, &self.grid.levels);
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
