//! One lattice of bounds, sorted by cell.
//!
//! How it works: a row of cells along x is one stretch of memory. Rows are twice as wide as the two widest bounds together, so whoever stands in the upper half of one meets nobody of the
//! row below: of nine rows around a sphere it looks at four. Cells are much shorter than rows are wide, so that stretches are short. Where x repeats, a row begins with copies of its last cells
//! and ends with copies of its first, already shifted, and nobody who looks along a row has to look around the border.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use steric_model::LANES;

use super::search::{self, Columns};
use super::{Bound, PIECE, SweptBox};
use crate::simd::per_axis;

/// Fewer spheres than this are not worth a second thread.
pub(super) const WORTH_THREADS: usize = 20_000;
/// Two to the power of 23: added to a smaller number, it leaves the nearest whole number in the last bits.
const WHOLE: f32 = 8_388_608.0;

/// So many cells along x are as long as two of the widest bounds, and are copied at both ends of a row.
pub(super) const BESIDE: usize = 2;

/// Bounds in cells; x runs fastest.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    pub(super) space: Option<SweptBox>,
    /// Cells of a row, and rows along y and z.
    pub(super) cells: [usize; 3],
    /// How coordinates become cells.
    pub(super) rulers: [Ruler; 3],
    /// Whether the box is so small that two ways around it lead to the same sphere.
    pub(super) is_folded: bool,
    /// Where the spheres of each cell begin, row by row, copies among them; at the end an empty row, in place of those that are not there.
    starts: Vec<AtomicU32>,
    /// Which sphere stands where.
    spheres: Vec<AtomicU32>,
    /// Coordinates from the corner of the box, and how far each bound extends, with eight lanes at the end that are no numbers.
    columns: [Vec<f32>; 4],
    /// Where each member stands.
    places: Vec<u32>,
    ranks: Vec<u32>,
    /// The farthest that a bound extends.
    pub(super) widest: f32,
    /// What rounding coordinates may hide.
    pub(super) slack: f32,
}

/// Cells along an axis.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ruler {
    /// Edge of a cell, inverted.
    pub(super) per_cell: f32,
    /// The last cell.
    last: f32,
}

impl Ruler {
    /// The cell of a coordinate. One on the border of two cells may go to either, as rounding may put it there anyway.
    #[inline(always)]
    pub(super) fn cell(&self, at: f32) -> usize {
        let place = at * self.per_cell - 0.5;
        // Not by `max` and `min`, which would look for what is no number.
        let place = if place > 0.0 { place } else { 0.0 };
        let place = if place < self.last { place } else { self.last };
        ((place + WHOLE).to_bits() & 0x007f_ffff) as usize
    }

    /// The same without an end: before the first cell, numbers are negative.
    #[inline(always)]
    pub(super) fn place(&self, at: f32) -> i64 {
        let place = (at * self.per_cell - 0.5).clamp(-0.25 * WHOLE, 0.25 * WHOLE);
        i64::from((place + 1.5 * WHOLE).to_bits()) - i64::from((1.5 * WHOLE).to_bits())
    }
}

impl Lattice {
    /// Puts spheres into cells; `slot` tells which sphere a member is, and `widest` how far they extend. `slack` is part of every bound.
    pub(super) fn build(
        &mut self,
        space: SweptBox,
        [slack, widest]: [f32; 2],
        count: usize,
        slot: impl Fn(usize) -> u32 + Sync,
        bounds: &[Bound],
    ) {
        (self.space, self.slack, self.widest) = (Some(space), slack, widest);
        self.choose_cells(&space, count);
        let ([_, ny, nz], [along_x, along_y, along_z], row) = (self.cells, self.rulers, self.row_length());
        let home = |member: usize| {
            let [x, y, z, _] = bounds[slot(member) as usize];
            ((along_z.cell(z) * ny + along_y.cell(y)) * row + along_x.cell(x) + BESIDE) as u32
        };
        self.places.resize(count, 0);
        self.ranks.resize(count, 0);
        self.starts.clear();
        self.starts.resize_with((ny * nz + 1) * row + 1, AtomicU32::default);
        if count < WORTH_THREADS {
            for (member, (cell, rank)) in self.places.iter_mut().zip(&mut self.ranks).enumerate() {
                *cell = home(member);
                let count = self.starts[*cell as usize + 1].get_mut();
                *rank = *count;
                *count += 1;
            }
        } else {
            // Who comes first within a cell depends on the threads, and changes nothing that anyone sees.
            let counts = &self.starts;
            self.places.par_iter_mut().zip(&mut self.ranks).enumerate().with_min_len(PIECE).for_each(
                |(member, (cell, rank))| {
                    *cell = home(member);
                    *rank = counts[*cell as usize + 1].fetch_add(1, Ordering::Relaxed);
                },
            );
        }
        let has_copies = space.repeats[0] && !self.is_folded;
        self.add_up(has_copies);
        if count < WORTH_THREADS {
            self.put(slot, bounds);
        } else {
            self.put_by_all(slot, bounds);
        }
        for row in (0..ny * nz).take_while(|_| has_copies) {
            self.copy_ends(row, space.edges.x as f32);
        }
    }

    fn choose_cells(&mut self, space: &SweptBox, count: usize) {
        let reach = (2.0 * f64::from(self.widest + self.slack)).max(f64::MIN_POSITIVE);
        let mut cells = per_axis(|axis| {
            let parts = if axis == 0 { BESIDE as f64 } else { 0.5 };
            (space.edges[axis] / reach * parts).floor().clamp(1.0, 1024.0) as usize
        });
        // Empty cells cost memory: no more than four for each sphere.
        while cells.iter().product::<usize>() > 4 * count + 64 {
            cells = cells.map(|cells| cells.div_ceil(2));
        }
        self.is_folded = (0..3).any(|axis| space.repeats[axis] && space.edges[axis] < 2.0 * reach)
            || space.repeats[0] && cells[0] < 2 * BESIDE;
        self.cells = cells;
        self.rulers = per_axis(|axis| Ruler {
            per_cell: (cells[axis] as f64 / space.edges[axis]) as f32,
            last: (cells[axis] - 1) as f32,
        });
    }

    /// Cells of a row, copies among them.
    fn row_length(&self) -> usize {
        self.cells[0] + 2 * BESIDE
    }

    /// Turns counts into beginnings; the copies are as many as what they are copies of.
    fn add_up(&mut self, has_copies: bool) {
        let (nx, length) = (self.cells[0], self.row_length());
        let mut sum = 0;
        for row in self.starts[1..].chunks_exact_mut(length) {
            for cell in (0..BESIDE).take_while(|_| has_copies) {
                *row[cell].get_mut() = *row[cell + nx].get_mut();
                *row[cell + nx + BESIDE].get_mut() = *row[cell + BESIDE].get_mut();
            }
            for start in row {
                sum += *start.get_mut();
                *start.get_mut() = sum;
            }
        }
        let count = sum as usize;
        self.spheres.resize_with(count, AtomicU32::default);
        for column in &mut self.columns {
            column.resize(count + LANES, 0.0);
            column[count..].fill(f32::NAN);
        }
    }

    /// Puts spheres where they belong.
    fn put(&mut self, slot: impl Fn(usize) -> u32, bounds: &[Bound]) {
        let count = self.spheres.len();
        let [xs, ys, zs, extents] = self.columns.each_mut().map(|column| &mut column[..count]);
        for (member, (place, rank)) in self.places.iter_mut().zip(&self.ranks).enumerate() {
            let slot = slot(member);
            *place = *self.starts[*place as usize].get_mut() + rank;
            let at = *place as usize;
            *self.spheres[at].get_mut() = slot;
            [xs[at], ys[at], zs[at], extents[at]] = bounds[slot as usize];
        }
    }

    /// The same by many threads, each of which writes what lies side by side: first who stands where, then the bounds.
    fn put_by_all(&mut self, slot: impl Fn(usize) -> u32 + Sync, bounds: &[Bound]) {
        let (starts, spheres) = (&self.starts, &self.spheres);
        let places = self.places.par_iter_mut().zip(&self.ranks).enumerate().with_min_len(PIECE);
        places.for_each(|(member, (place, rank))| {
            *place = starts[*place as usize].load(Ordering::Relaxed) + rank;
            spheres[*place as usize].store(slot(member), Ordering::Relaxed);
        });
        let count = self.spheres.len();
        let [xs, ys, zs, extents] = self.columns.each_mut().map(|column| column[..count].par_chunks_mut(PIECE));
        let pieces = self.spheres.par_chunks(PIECE).zip(xs.zip(ys).zip(zs.zip(extents)));
        pieces.for_each(|(slots, ((xs, ys), (zs, extents)))| {
            let columns = xs.iter_mut().zip(ys).zip(zs.iter_mut().zip(extents));
            for (slot, ((x, y), (z, extent))) in slots.iter().zip(columns) {
                // Copies come later; whoever stood in their place the last time may be gone.
                if let Some(bound) = bounds.get(slot.load(Ordering::Relaxed) as usize) {
                    [*x, *y, *z, *extent] = *bound;
                }
            }
        });
    }

    /// Fills the copies at both ends of a row.
    fn copy_ends(&mut self, row: usize, edge: f32) {
        let (nx, first) = (self.cells[0], row * self.row_length());
        for (copy, cell, shift) in [(0, nx, -edge), (nx + BESIDE, BESIDE, edge)] {
            let places = |cell: usize| self.start(first + cell)..self.start(first + cell + BESIDE);
            for (to, from) in places(copy).zip(places(cell)) {
                *self.spheres[to].get_mut() = *self.spheres[from].get_mut();
                self.columns.iter_mut().for_each(|column| column[to] = column[from]);
                self.columns[0][to] += shift;
            }
        }
    }

    /// A bound extends farther than was told. Copies are not raised: they are for [`Lattice::pairs`] alone.
    #[inline]
    pub(super) fn raise(&mut self, member: u32, extent: f64) {
        let known = &mut self.columns[3][self.places[member as usize] as usize];
        let extent = extent as f32 + self.slack;
        if extent > *known {
            *known = extent;
            self.widest = self.widest.max(extent);
        }
    }

    /// Every pair of this lattice that may meet.
    pub(super) fn pairs<T: Send>(&self, touch: &(impl Fn(u32, u32) -> Option<T> + Sync), all: &mut Vec<T>) {
        let Some(space) = self.space else { return };
        let rows = self.cells[1] * self.cells[2];
        let count = self.places.len();
        if count < WORTH_THREADS {
            search::pairs(self, space, 0..rows, |a, b| all.extend(touch(a, b)));
            return;
        }
        let piece = (rows * PIECE).div_ceil(count).max(1);
        let pieces: Vec<Vec<T>> = (0..rows.div_ceil(piece))
            .into_par_iter()
            .map(|at| {
                let mut found = Vec::new();
                let rows = at * piece..((at + 1) * piece).min(rows);
                search::pairs(self, space, rows, |a, b| found.extend(touch(a, b)));
                found
            })
            .collect();
        pieces.into_iter().for_each(|found| all.extend(found));
    }

    /// Every pair of a sphere of this lattice and one of another.
    pub(super) fn pairs_across<T: Send>(
        &self,
        other: &Self,
        touch: &(impl Fn(u32, u32) -> Option<T> + Sync),
        all: &mut Vec<T>,
    ) {
        // The larger ones are fewer, and look around among the smaller ones.
        let (few, many) = if self.places.len() < other.places.len() { (self, other) } else { (other, self) };
        let found: Vec<Vec<T>> = (0..few.places.len())
            .into_par_iter()
            .with_min_len(16)
            .map(|member| {
                let place = few.places[member] as usize;
                let (at, [.., extent]) = (few.center(member as u32), few.bound(place));
                let (mut found, slot) = (Vec::new(), few.sphere(place));
                search::near(many, at, f64::from(extent), &mut |other| found.extend(touch(slot, other)));
                found
            })
            .collect();
        found.into_iter().for_each(|found| all.extend(found));
    }

    /// The spheres from a member on, each once.
    pub(super) fn all_from(&self, member: usize) -> impl Iterator<Item = u32> + '_ {
        self.places[member..].iter().map(|place| self.sphere(*place as usize))
    }

    /// The first cell of a row; of an empty one where there is none.
    #[inline(always)]
    pub(super) fn row(&self, place: Option<[usize; 2]>) -> usize {
        let [y, z] = place.unwrap_or([0, self.cells[2]]);
        (z * self.cells[1] + y) * self.row_length()
    }

    /// Where the centre of a bound is, from the corner of the box.
    #[inline]
    pub(super) fn center(&self, member: u32) -> DVec3 {
        let [x, y, z, _] = self.bound(self.places[member as usize] as usize);
        DVec3::new(f64::from(x), f64::from(y), f64::from(z))
    }

    /// The columns, seen to be of one length, so that one look at a place serves all four.
    #[inline(always)]
    pub(super) fn columns(&self) -> Columns<'_> {
        let [xs, ys, zs, extents] = &self.columns;
        let length = xs.len();
        [&xs[..length], &ys[..length], &zs[..length], &extents[..length]]
    }

    #[inline(always)]
    fn bound(&self, place: usize) -> Bound {
        [self.columns[0][place], self.columns[1][place], self.columns[2][place], self.columns[3][place]]
    }

    /// The sphere that stands at a place.
    #[inline(always)]
    pub(super) fn sphere(&self, place: usize) -> u32 {
        self.spheres[place].load(Ordering::Relaxed)
    }

    /// Where the spheres of a cell begin.
    #[inline(always)]
    pub(super) fn start(&self, cell: usize) -> usize {
        self.starts[cell].load(Ordering::Relaxed) as usize
    }
}
