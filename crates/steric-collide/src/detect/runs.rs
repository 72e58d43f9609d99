//! Which slots a cluster has to look at: runs of neighbouring cells, and the shift into their frame.

use super::slab::Slab;
use crate::index::guests::Guest;
use crate::index::lattice::Lattice;

/// Slots to look at, and the shift that brings the looking cluster into their frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) shift: [f32; 3],
}

const NO_SHIFT: [f32; 3] = [0.0; 3];

/// The runs around a cell or a guest.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    // Whether any run needs a shift.
    shifted: bool,
    slots: usize,
}

/// Row and layer steps to the neighbours that a cell looks at, after its own row.
const ROWS_AHEAD: [(i64, i64); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

impl Runs {
    /// What the clusters of a cell look at, which has the slots from `start` to `end`. The first run is the rest of the
    /// own cell, whose start moves on with each cluster, and the next cell of the row.
    #[inline(always)]
    pub(crate) fn around_cell(&mut self, slab: &Slab, lattice: &Lattice, cell: [i64; 3], start: u32, end: u32) {
        self.clear();
        if !self.dense_rows(slab, lattice, cell, end) {
            self.push(end, end, NO_SHIFT);
            self.add_cell(slab, lattice, cell, [cell[0] + 1, cell[1], cell[2]]);
            for (row, layer) in ROWS_AHEAD {
                for run in -1..=1 {
                    self.add_cell(slab, lattice, cell, [cell[0] + run, cell[1] + row, cell[2] + layer]);
                }
            }
        }
        self.slots += (end - start) as usize;
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.runs.clear();
        self.shifted = false;
        self.slots = 0;
    }

    /// In a dense table a cell and its two neighbours in a row are one run. `false` at the rims of the table and of
    /// tiles, where nothing was added.
    #[inline(always)]
    fn dense_rows(&mut self, slab: &Slab, lattice: &Lattice, cell: [i64; 3], end: u32) -> bool {
        let Some((starts, [runs, rows])) = slab.table.dense() else { return false };
        let [run, row, layer] = cell;
        let [all_runs, all_rows, _] = lattice.cells();
        let inside = run > 0 && run + 1 < all_runs && row > 0 && row + 1 < all_rows;
        if !inside || !slab.same_tile([run - 1, row - 1, layer], [run + 1, row + 1, layer + 1]) {
            return false;
        }
        let entry = ((layer * rows + row) * runs + run) as usize;
        self.push(end, starts[entry + 2], NO_SHIFT);
        for (row, layer) in ROWS_AHEAD {
            let entry = entry.wrapping_add_signed(((layer * rows + row) * runs) as isize);
            let (start, end) = (starts[entry - 1], starts[entry + 2]);
            if start < end {
                self.push(start, end, NO_SHIFT);
            }
        }
        true
    }

    /// The own cell is looked at from the slot after this one on.
    #[inline(always)]
    pub(crate) fn begin_after(&mut self, slot: u32) {
        self.runs[0].start = slot + 1;
    }

    /// How many slots there are to look at, at most.
    #[inline(always)]
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// All runs.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[Run] {
        &self.runs
    }

    /// Of the runs that are left, the first ones that share their shift, and the others.
    #[inline(always)]
    pub(crate) fn split_by_shift<'a>(&self, runs: &'a [Run]) -> (&'a [Run], &'a [Run]) {
        let same =
            if self.shifted { runs.iter().take_while(|run| run.shift == runs[0].shift).count() } else { runs.len() };
        runs.split_at(same)
    }

    #[inline(always)]
    fn push(&mut self, start: u32, end: u32, shift: [f32; 3]) {
        self.slots += (end - start) as usize;
        self.runs.push(Run { start, end, shift });
    }

    fn add(&mut self, start: u32, end: u32, shift: [f32; 3]) {
        self.shifted |= shift != NO_SHIFT;
        match self.runs.last_mut() {
            Some(last) if last.end == start && last.shift == shift => {
                last.end = end;
                self.slots += (end - start) as usize;
            }
            _ => self.push(start, end, shift),
        }
    }

    fn add_cell(&mut self, slab: &Slab, lattice: &Lattice, from: [i64; 3], to: [i64; 3]) {
        let cells = lattice.cells();
        let mut wrapped = to;
        for axis in 0..2 {
            if to[axis] < 0 || to[axis] >= cells[axis] {
                if !lattice.is_periodic() {
                    return;
                }
                wrapped[axis] = to[axis].rem_euclid(cells[axis]);
            }
        }
        let slots = slab.table.slots(wrapped);
        if slots.is_empty() {
            return;
        }
        let mut shift = NO_SHIFT;
        if wrapped != to || !slab.same_tile(from, wrapped) {
            let around = lattice.step([to[0] - wrapped[0], to[1] - wrapped[1], 0]);
            let corners = slab.tile_corner(lattice, from) - slab.tile_corner(lattice, wrapped);
            shift = (corners - around).as_vec3().to_array();
        }
        self.add(slots.start, slots.end, shift);
    }

    /// What a guest looks at: the own cells that its sphere covers. Each own cluster belongs to one slab, so a pair is
    /// seen once.
    pub(crate) fn around_guest(&mut self, slab: &Slab, lattice: &Lattice, guest: &Guest, slot: usize) {
        self.clear();
        let anchor = slab.anchors[slab.anchor_of[slot] as usize] + guest.step(lattice);
        let layers = guest.low[2].max(slab.first_layer())..=guest.high[2].min(slab.first_layer() + slab.layers - 1);
        let rows = (guest.high[1] - guest.low[1] + 1).saturating_mul(guest.high[2] - guest.low[2] + 1);
        if slab.table.dense().is_none() || rows > slab.own as i64 || lattice.is_periodic() {
            self.scan(slab, lattice, guest, anchor);
            return;
        }
        for layer in layers {
            for row in guest.low[1]..=guest.high[1] {
                self.add_row(slab, lattice, guest, anchor, [0, row, layer - slab.first_layer()]);
            }
        }
    }

    /// The cells of one row of a dense table, tile by tile.
    fn add_row(&mut self, slab: &Slab, lattice: &Lattice, guest: &Guest, anchor: glam::DVec3, row: [i64; 3]) {
        let mut run = guest.low[0];
        while run <= guest.high[0] {
            let first = [run, row[1], row[2]];
            while run < guest.high[0] && slab.same_tile(first, [run + 1, row[1], row[2]]) {
                run += 1;
            }
            let slots = slab.table.slots(first).start..slab.table.slots([run, row[1], row[2]]).end;
            if !slots.is_empty() {
                self.add(slots.start, slots.end, (anchor - slab.tile_corner(lattice, first)).as_vec3().to_array());
            }
            run += 1;
        }
    }

    /// Every cell that holds anything, where that is less work than every cell that the guest covers, or where cells
    /// must be found again on the other side of a periodic box.
    fn scan(&mut self, slab: &Slab, lattice: &Lattice, guest: &Guest, anchor: glam::DVec3) {
        let keys = &slab.table.keys()[..slab.own];
        let mut start = 0;
        for cell in keys.chunk_by(|a, b| a == b) {
            let end = start + cell.len() as u32;
            let [run, row, layer] = cell[0].coordinates();
            let at = [run, row, layer + slab.first_layer()];
            guest.images(lattice, at, |around| {
                let corner = slab.tile_corner(lattice, [run, row, layer]) + lattice.step(around);
                self.add(start, end, (anchor - corner).as_vec3().to_array());
            });
            start = end;
        }
    }
}
