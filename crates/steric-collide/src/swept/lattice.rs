//! One lattice of bounds, sorted by cell.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use steric_model::LANES;

use super::{SweptBox, SweptSphere};
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// Fewer spheres than this are not worth a second thread.
const WORTH_THREADS: usize = 20_000;
/// Lanes that nothing is near.
const NOWHERE: Eight = [f32::NAN; LANES];
/// Spheres of one piece of work.
const PIECE: usize = 4_096;

/// Bounds in cells; x runs fastest.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    space: Option<SweptBox>,
    cells: [usize; 3],
    /// Edge of a cell along each axis, inverted.
    per_cell: DVec3,
    /// Where the spheres of each cell begin; one more than there are cells.
    starts: Vec<AtomicU32>,
    /// Which sphere stands where.
    spheres: Vec<AtomicU32>,
    /// Coordinates from the corner of the box, and how far each bound extends, with eight lanes at the end that are no numbers.
    columns: [Vec<f32>; 4],
    /// The farthest that a bound extends.
    widest: f64,
    /// What rounding coordinates may hide.
    slack: f64,
    homes: Vec<u32>,
    ranks: Vec<u32>,
}

/// The cells around a sphere that looks.
struct Around {
    space: SweptBox,
    /// From the corner of the box.
    at: DVec3,
    /// How far it extends.
    own: f32,
    /// The first and the last cell along each axis; beyond the border where that repeats.
    ranges: [(i64, i64); 3],
}

/// Some cells of one row, side by side in memory, and where their copy stands.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: usize,
    to: usize,
    /// Added to what looks, in place of moving what is looked at.
    shift: DVec3,
}

impl Lattice {
    /// Puts spheres into cells; `slot` tells which sphere a member is.
    pub(super) fn build(
        &mut self,
        space: SweptBox,
        count: usize,
        slot: impl Fn(usize) -> u32 + Sync,
        sphere: &(impl Fn(usize) -> SweptSphere + Sync),
    ) {
        self.slack = space.edges.max_element() * 8.0 * f64::from(f32::EPSILON);
        let bound = |member: usize| {
            let sphere = sphere(slot(member) as usize);
            sphere.radius + sphere.reach
        };
        self.widest = if count < WORTH_THREADS {
            (0..count).map(bound).fold(0.0, f64::max)
        } else {
            (0..count).into_par_iter().with_min_len(PIECE).map(bound).reduce(|| 0.0, f64::max)
        };
        self.space = Some(space);
        self.choose_cells(&space, count);
        let (cells, per_cell) = (self.cells, self.per_cell);
        let home = |member: usize| {
            let at = sphere(slot(member) as usize).center - space.low;
            let [x, y, z] = per_axis(|axis| ((at[axis] * per_cell[axis]).max(0.0) as usize).min(cells[axis] - 1));
            ((z * cells[1] + y) * cells[0] + x) as u32
        };
        let total = cells.iter().product::<usize>();
        self.homes.resize(count, 0);
        self.ranks.resize(count, 0);
        self.starts.clear();
        self.starts.resize_with(total + 1, AtomicU32::default);
        self.spheres.resize_with(count, AtomicU32::default);
        if count < WORTH_THREADS {
            for (member, (cell, rank)) in self.homes.iter_mut().zip(&mut self.ranks).enumerate() {
                *cell = home(member);
                let count = self.starts[*cell as usize + 1].get_mut();
                *rank = *count;
                *count += 1;
            }
        } else {
            // Who comes first within a cell depends on the threads, and changes nothing that anyone sees.
            let counts = &self.starts;
            self.homes.par_iter_mut().zip(&mut self.ranks).enumerate().with_min_len(PIECE).for_each(
                |(member, (cell, rank))| {
                    *cell = home(member);
                    *rank = counts[*cell as usize + 1].fetch_add(1, Ordering::Relaxed);
                },
            );
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start.get_mut();
            *start.get_mut() = sum;
        }
        let put = |member: usize| {
            let place = self.start(self.homes[member] as usize) + self.ranks[member] as usize;
            self.spheres[place].store(slot(member), Ordering::Relaxed);
        };
        if count < WORTH_THREADS {
            (0..count).for_each(put);
        } else {
            (0..count).into_par_iter().with_min_len(PIECE).for_each(put);
        }
        self.gather(&space, count, sphere);
    }

    fn choose_cells(&mut self, space: &SweptBox, count: usize) {
        let edge = (2.0 * (self.widest + self.slack)).max(f64::MIN_POSITIVE);
        let mut cells = per_axis(|axis| (space.edges[axis] / edge).floor().clamp(1.0, 1024.0) as usize);
        // Empty cells cost memory: no more than four for each sphere.
        while cells.iter().product::<usize>() > 4 * count + 64 {
            cells = cells.map(|cells| cells.div_ceil(2));
        }
        self.cells = cells;
        self.per_cell = DVec3::from_array(per_axis(|axis| cells[axis] as f64 / space.edges[axis]));
    }

    /// Copies the bounds into the order of the cells.
    fn gather(&mut self, space: &SweptBox, count: usize, sphere: &(impl Fn(usize) -> SweptSphere + Sync)) {
        let slack = self.slack as f32;
        for column in &mut self.columns {
            column.resize(count + LANES, 0.0);
            column[count..].fill(f32::NAN);
        }
        let [xs, ys, zs, bounds] = &mut self.columns;
        let fill = |slots: &[AtomicU32], xs: &mut [f32], ys: &mut [f32], zs: &mut [f32], bounds: &mut [f32]| {
            for (place, slot) in slots.iter().enumerate() {
                let sphere = sphere(slot.load(Ordering::Relaxed) as usize);
                let at = sphere.center - space.low;
                (xs[place], ys[place], zs[place]) = (at.x as f32, at.y as f32, at.z as f32);
                bounds[place] = (sphere.radius + sphere.reach) as f32 + slack;
            }
        };
        if count < WORTH_THREADS {
            fill(&self.spheres, xs, ys, zs, bounds);
            return;
        }
        let columns = xs[..count].par_chunks_mut(PIECE).zip(ys[..count].par_chunks_mut(PIECE));
        let columns = columns.zip(zs[..count].par_chunks_mut(PIECE)).zip(bounds[..count].par_chunks_mut(PIECE));
        let pieces = self.spheres.par_chunks(PIECE).zip(columns);
        pieces.for_each(|(slots, (((xs, ys), zs), bounds))| fill(slots, xs, ys, zs, bounds));
    }

    /// Which sphere stands where.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.spheres.len()).map(|place| (self.sphere(place), place as u32))
    }

    pub(super) fn raise(&mut self, place: u32, bound: f64) {
        let known = &mut self.columns[3][place as usize];
        let bound_now = bound as f32 + self.slack as f32;
        if bound_now > *known {
            *known = bound_now;
            self.widest = self.widest.max(bound);
        }
    }

    /// Every pair of this lattice that may meet.
    pub(super) fn pairs<T: Send>(&self, touch: &(impl Fn(u32, u32) -> Option<T> + Sync), all: &mut Vec<T>) {
        let Some(space) = self.space else { return };
        let rows = self.cells[1] * self.cells[2];
        let of_rows = |rows: std::ops::Range<usize>| {
            let mut found = Vec::new();
            let visit = |a: u32, b: u32| found.extend(touch(a, b));
            dispatch(Pairs { lattice: self, space, rows, visit });
            found
        };
        let count = self.spheres.len();
        if count < WORTH_THREADS {
            all.extend(of_rows(0..rows));
            return;
        }
        let piece = (rows * PIECE).div_ceil(count).max(1);
        let pieces: Vec<Vec<T>> = (0..rows.div_ceil(piece))
            .into_par_iter()
            .map(|at| of_rows(at * piece..((at + 1) * piece).min(rows)))
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
        let (few, many) = if self.spheres.len() < other.spheres.len() { (self, other) } else { (other, self) };
        let Some(space) = few.space else { return };
        let found: Vec<Vec<T>> = (0..few.spheres.len())
            .into_par_iter()
            .with_min_len(16)
            .map(|place| {
                let (at, bound) = few.bound(place);
                let center = space.low + DVec3::from_array(at.map(f64::from));
                let sphere = SweptSphere { center, radius: f64::from(bound), reach: 0.0 };
                let (mut found, slot) = (Vec::new(), few.sphere(place));
                many.near(sphere, &mut |other| found.extend(touch(slot, other)));
                found
            })
            .collect();
        found.into_iter().for_each(|found| all.extend(found));
    }

    /// Reads what [`Lattice::near`] will read, so that it is at hand then.
    pub(super) fn warm(&self, sphere: SweptSphere) -> f32 {
        let Some(Around { space, ranges, .. }) = self.ranges(sphere) else { return 0.0 };
        let [(x0, x1), (y0, y1), (z0, z1)] = ranges;
        let mut sum = 0.0;
        for z in z0..=z1 {
            for y in y0..=y1 {
                for stretch in self.stretches(&space, [x0, x1], y, z).into_iter().flatten() {
                    if stretch.from < stretch.to {
                        // A line of memory each.
                        let [x, y, z, bound] = std::array::from_fn(|column| self.columns[column][stretch.from]);
                        sum += x + y + z + bound + self.sphere(stretch.from) as f32;
                    }
                }
            }
        }
        sum
    }

    /// Whoever may meet a sphere that goes on from a place.
    pub(super) fn near(&self, sphere: SweptSphere, visit: &mut impl FnMut(u32)) {
        if self.space.is_none() {
            return;
        }
        match self.ranges(sphere) {
            Some(around) => dispatch(Near { lattice: self, around, visit }),
            // All around: every sphere once, as no copy can be told from another.
            None => (0..self.spheres.len()).for_each(|place| visit(self.sphere(place))),
        }
    }

    /// The cells around a sphere; nothing where they go all around.
    fn ranges(&self, sphere: SweptSphere) -> Option<Around> {
        let space = self.space?;
        let own = sphere.radius + sphere.reach + self.slack;
        let mut at = sphere.center - space.low;
        for axis in 0..3 {
            if space.repeats[axis] && !(0.0..space.edges[axis]).contains(&at[axis]) {
                at[axis] -= space.edges[axis] * (at[axis] / space.edges[axis]).floor();
            }
        }
        let reach = own + self.widest + self.slack;
        // Whole numbers are cut, not rounded down, which is faster: from where nothing is negative.
        let floor = |place: f64| (place + 1024.0) as i64 - 1024;
        let mut ranges = [(0, 0); 3];
        for axis in 0..3 {
            let cells = self.cells[axis] as i64;
            let ends = [at[axis] - reach, at[axis] + reach].map(|place| place * self.per_cell[axis]);
            let [from, to] = ends.map(|place| if place > -1024.0 { floor(place) } else { i64::MIN / 4 });
            ranges[axis] = match space.repeats[axis] {
                false => (from.clamp(0, cells - 1), to.clamp(0, cells - 1)),
                true if to - from + 1 > cells || cells == 1 => return None,
                true => (from, to),
            };
        }
        Some(Around { space, at, own: own as f32 * (1.0 + f32::EPSILON), ranges })
    }

    /// A row of cells from `from` to `to`, which may lie outside the box along an axis that repeats: at most two stretches.
    #[inline(always)]
    fn stretches(&self, space: &SweptBox, [from, to]: [i64; 2], y: i64, z: i64) -> [Option<Stretch>; 2] {
        let [nx, ny, nz] = self.cells.map(|cells| cells as i64);
        // Once around at most: ranges are never longer than the box.
        let around = |at: i64, cells: i64, edge: f64| match at {
            _ if at < 0 => (at + cells, edge),
            _ if at >= cells => (at - cells, -edge),
            _ => (at, 0.0),
        };
        let ((row_y, shift_y), (row_z, shift_z)) = (around(y, ny, space.edges.y), around(z, nz, space.edges.z));
        let row = ((row_z * ny + row_y) * nx) as usize;
        let stretch = |from: i64, to: i64, turns: f64| Stretch {
            from: self.start(row + from as usize),
            to: self.start(row + to as usize + 1),
            shift: DVec3::new(turns * space.edges.x, shift_y, shift_z),
        };
        if from < 0 {
            let before = stretch(from + nx, (nx - 1).min(to + nx), 1.0);
            return [Some(before), (to >= 0).then(|| stretch(0, to, 0.0))];
        }
        if to >= nx {
            let after = stretch((from - nx).max(0), to - nx, -1.0);
            return [(from < nx).then(|| stretch(from, nx - 1, 0.0)), Some(after)];
        }
        [Some(stretch(from, to, 0.0)), None]
    }
}

impl Lattice {
    /// Compares a sphere with five stretches. Nearly all are shorter than eight, so the first eight of each are compared without a branch, which nobody could foretell, and
    /// their hits are looked at together.
    #[inline(always)]
    fn look<L: Lanes>(
        &self,
        lanes: L,
        place: usize,
        stretches: [[usize; 2]; 5],
        shifts: Option<&[[f32; 3]; 5]>,
        visit: &mut impl FnMut(u32, u32),
    ) {
        let ((at, bound), a) = (self.bound(place), self.sphere(place));
        let bound = lanes.splat(bound);
        let shifted = |which: usize| match shifts {
            Some(shifts) => per_axis(|axis| lanes.splat(at[axis] + shifts[which][axis])),
            None => per_axis(|axis| lanes.splat(at[axis])),
        };
        let (mut bits, mut longest) = (0u64, 0);
        for (which, [from, to]) in stretches.into_iter().enumerate() {
            let at = shifted(which);
            let [x, y, z] = per_axis(|axis| lanes.sub(lanes.load(eight(&self.columns[axis], from)), at[axis]));
            let squared = lanes.mul_add(z, z, lanes.mul_add(y, y, lanes.mul(x, x)));
            let reach = lanes.add(lanes.load(eight(&self.columns[3], from)), bound);
            let near = u64::from(lanes.less(squared, lanes.mul(reach, reach)));
            let length = to - from;
            bits |= (near & ((1 << length.min(LANES)) - 1)) << (LANES * which);
            longest = longest.max(length);
        }
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            visit(a, self.sphere(stretches[bit / LANES][0] + bit % LANES));
            bits &= bits - 1;
        }
        if longest > LANES {
            for (which, [from, to]) in stretches.into_iter().enumerate() {
                let hit = |other: usize| visit(a, self.sphere(other));
                compare(lanes, &self.columns, shifted(which), bound, [from + LANES, to], hit);
            }
        }
    }
}

/// Eight lanes of a column from a place on; there are always eight.
#[inline(always)]
fn eight(column: &[f32], place: usize) -> &Eight {
    column[place..].first_chunk().unwrap_or(&NOWHERE)
}

/// Compares one sphere with those from a place to another, eight at a time.
#[inline(always)]
fn compare<L: Lanes>(
    lanes: L,
    columns: &[Vec<f32>; 4],
    at: [L::Floats; 3],
    own: L::Floats,
    [mut from, to]: [usize; 2],
    mut hit: impl FnMut(usize),
) {
    while from < to {
        let [x, y, z] = per_axis(|axis| lanes.sub(lanes.load(eight(&columns[axis], from)), at[axis]));
        let squared = lanes.mul_add(z, z, lanes.mul_add(y, y, lanes.mul(x, x)));
        let reach = lanes.add(lanes.load(eight(&columns[3], from)), own);
        let mut bits = lanes.less(squared, lanes.mul(reach, reach));
        if to - from < LANES {
            bits &= (1 << (to - from)) - 1;
        }
        while bits != 0 {
            hit(from + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
        from += LANES;
    }
}

/// The search of [`Lattice::pairs`] over some rows.
struct Pairs<'a, V> {
    lattice: &'a Lattice,
    space: SweptBox,
    rows: std::ops::Range<usize>,
    visit: V,
}

impl<V: FnMut(u32, u32)> Kernel for Pairs<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { lattice, space, rows, mut visit } = self;
        let [nx, ny, nz] = lattice.cells.map(|cells| cells as i64);
        // A lattice so small that a cell is its own neighbour, or two ways lead to it: every pair of all its spheres.
        if (0..3).any(|axis| space.repeats[axis] && (2..3).contains(&lattice.cells[axis])) || lattice.is_folded(&space)
        {
            if rows.start == 0 {
                let count = lattice.spheres.len();
                for place in 0..count {
                    (place + 1..count).for_each(|other| visit(lattice.sphere(place), lattice.sphere(other)));
                }
            }
            return;
        }
        // Forward neighbours: the row above, and the three rows of the next layer.
        const ROWS: [(i64, i64); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
        for row in rows {
            let (y, z) = (row as i64 % ny, row as i64 / ny);
            let inside =
                |at: i64, cells: i64, axis: usize| (0..cells).contains(&at) || space.repeats[axis] && cells > 1;
            let is_inner = (1..ny - 1).contains(&y) && z + 1 < nz;
            for x in 0..nx {
                let cell = row * nx as usize + x as usize;
                let own = lattice.start(cell)..lattice.start(cell + 1);
                if own.is_empty() {
                    continue;
                }
                if is_inner && (1..nx - 1).contains(&x) {
                    // Far from every border nothing is shifted, and each row is one stretch.
                    let nx = nx as usize;
                    let next = cell + nx * ny as usize;
                    let around = |middle: usize| [lattice.start(middle - 1), lattice.start(middle + 2)];
                    let ahead = [around(cell + nx), around(next - nx), around(next), around(next + nx)];
                    let end = lattice.start(cell + 2);
                    for place in own {
                        let [one, two, three, four] = ahead;
                        lattice.look(lanes, place, [[place + 1, end], one, two, three, four], None, &mut visit);
                    }
                    continue;
                }
                if (1..nx - 1).contains(&x) {
                    // At a border of y or z: still one stretch for each row, but shifted; a row that is not there is empty.
                    let (mut ahead, mut shifts) = ([[0; 2]; 5], [[0.0; 3]; 5]);
                    for (which, (dy, dz)) in ROWS.into_iter().enumerate() {
                        if inside(y + dy, ny, 1) && inside(z + dz, nz, 2) {
                            let [row, _] = lattice.stretches(&space, [x - 1, x + 1], y + dy, z + dz);
                            let Some(Stretch { from, to, shift }) = row else { continue };
                            ahead[which + 1] = [from, to];
                            shifts[which + 1] = per_axis(|axis| shift[axis] as f32);
                        }
                    }
                    let end = lattice.start(cell + 2);
                    for place in own {
                        ahead[0] = [place + 1, end];
                        lattice.look(lanes, place, ahead, Some(&shifts), &mut visit);
                    }
                    continue;
                }
                let span = if space.repeats[0] { [x - 1, x + 1] } else { [(x - 1).max(0), (x + 1).min(nx - 1)] };
                let mut around = [[None; 2]; 5];
                around[0] = lattice.stretches(&space, [x, span[1].max(x)], y, z);
                for (two, (dy, dz)) in around[1..].iter_mut().zip(ROWS) {
                    if inside(y + dy, ny, 1) && inside(z + dz, nz, 2) {
                        *two = lattice.stretches(&space, span, y + dy, z + dz);
                    }
                }
                for place in own {
                    let ((at, bound), a) = (lattice.bound(place), lattice.sphere(place));
                    let bound = lanes.splat(bound);
                    for (which, stretch) in around.as_flattened().iter().enumerate() {
                        let Some(Stretch { from, to, shift }) = *stretch else { continue };
                        // In its own row a sphere looks at those behind it.
                        let from = if which == 0 { from.max(place + 1) } else { from };
                        let at = per_axis(|axis| lanes.splat(at[axis] + shift[axis] as f32));
                        let hit = |other: usize| visit(a, lattice.sphere(other));
                        compare(lanes, &lattice.columns, at, bound, [from, to], hit);
                    }
                }
            }
        }
    }
}

impl Lattice {
    /// The place and the extent of a bound.
    #[inline(always)]
    fn bound(&self, place: usize) -> ([f32; 3], f32) {
        (per_axis(|axis| self.columns[axis][place]), self.columns[3][place])
    }

    /// The sphere that stands at a place.
    #[inline(always)]
    fn sphere(&self, place: usize) -> u32 {
        self.spheres[place].load(Ordering::Relaxed)
    }

    /// Where the spheres of a cell begin.
    #[inline(always)]
    fn start(&self, cell: usize) -> usize {
        self.starts[cell].load(Ordering::Relaxed) as usize
    }

    /// Whether an axis that repeats has a single cell that is not a plane's: copies could not be told apart.
    fn is_folded(&self, space: &SweptBox) -> bool {
        (0..3).any(|axis| space.repeats[axis] && self.cells[axis] == 1)
    }
}

/// The search of [`Lattice::near`].
struct Near<'a, V> {
    lattice: &'a Lattice,
    around: Around,
    visit: &'a mut V,
}

impl<V: FnMut(u32)> Kernel for Near<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { lattice, around: Around { space, at, own, ranges }, visit } = self;
        let [(x0, x1), (y0, y1), (z0, z1)] = ranges;
        for z in z0..=z1 {
            for y in y0..=y1 {
                for stretch in lattice.stretches(&space, [x0, x1], y, z).into_iter().flatten() {
                    let at = per_axis(|axis| lanes.splat((at[axis] + stretch.shift[axis]) as f32));
                    compare(lanes, &lattice.columns, at, lanes.splat(own), [stretch.from, stretch.to], |place| {
                        visit(lattice.sphere(place));
                    });
                }
            }
        }
    }
}
