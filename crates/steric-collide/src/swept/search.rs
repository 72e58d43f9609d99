//! Looking around in a lattice: eight bounds at a time.
//!
//! How it works: of two that may meet one looks, at those behind it in its own row or at two other rows, as [`AHEAD`] says. Most stretches are shorter than eight, so the first eight of each are
//! compared without a branch, which nobody could foretell, and the hits of all three are looked at together.

use std::ops::Range;

use glam::DVec3;
use steric_model::LANES;

use super::SweptBox;
use super::lattice::{BESIDE, Lattice};
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// Coordinates and extents of bounds; all four of one length.
pub(super) type Columns<'a> = [&'a [f32]; 4];

/// Lanes that nothing is near.
const NOWHERE: Eight = [f32::NAN; LANES];
/// The rows that a sphere looks at besides its own, by the half of its row that it stands in along y (upper: 1) and along z (upper: 2). Of two halves that touch across a border of rows, exactly one
/// looks; no half looks at more than two.
const AHEAD: [[Option<[i64; 2]>; 2]; 4] =
    [[Some([-1, -1]), None], [Some([1, 0]), None], [Some([0, 1]), Some([-1, 1])], [Some([1, 0]), Some([0, 1])]];

/// Every pair of a lattice that may meet, where the first one stands in some rows.
pub(super) fn pairs(lattice: &Lattice, space: SweptBox, rows: Range<usize>, visit: impl FnMut(u32, u32)) {
    dispatch(Pairs { lattice, space, rows, visit });
}

/// Whoever may meet a sphere at a place, from the corner of the box, that extends so far.
pub(super) fn near(lattice: &Lattice, at: DVec3, extent: f64, visit: &mut impl FnMut(u32)) {
    let Some(space) = lattice.space else { return };
    match Around::new(lattice, space, at, extent) {
        Some(around) => dispatch(Near { lattice, around, visit }),
        // All around: every sphere once, as no copy can be told from another.
        None => lattice.all_from(0).for_each(visit),
    }
}

/// Reads what [`near`] will read, so that it is at hand then.
pub(super) fn warm(lattice: &Lattice, at: DVec3, extent: f64) -> f32 {
    let around = lattice.space.and_then(|space| Around::new(lattice, space, at, extent));
    let Some(around) = around else { return 0.0 };
    let columns = lattice.columns();
    let mut sum = 0.0;
    around.stretches(lattice, |[from, to], _| {
        if from < to {
            // A line of memory each.
            sum += columns.iter().map(|column| column[from]).sum::<f32>() + lattice.sphere(from) as f32;
        }
    });
    sum
}

/// Eight lanes of each column from a place on; there are always eight.
#[inline(always)]
fn eight<'a>(columns: &Columns<'a>, from: usize) -> [&'a Eight; 4] {
    let lanes = |column: &'a [f32]| column[from..from + LANES].first_chunk().unwrap_or(&NOWHERE);
    [lanes(columns[0]), lanes(columns[1]), lanes(columns[2]), lanes(columns[3])]
}

/// Which of eight bounds a sphere may meet, a bit each.
#[inline(always)]
fn hits<L: Lanes>(lanes: L, columns: &Columns<'_>, from: usize, at: [L::Floats; 3], extent: L::Floats) -> u32 {
    let eight = eight(columns, from);
    let [x, y, z] = per_axis(|axis| lanes.sub(lanes.load(eight[axis]), at[axis]));
    let squared = lanes.mul_add(z, z, lanes.mul_add(y, y, lanes.mul(x, x)));
    let reach = lanes.add(lanes.load(eight[3]), extent);
    lanes.less(squared, lanes.mul(reach, reach))
}

/// Compares one sphere with those from a place to another, eight at a time.
#[inline(always)]
fn compare<L: Lanes>(
    lanes: L,
    columns: &Columns<'_>,
    at: [L::Floats; 3],
    extent: L::Floats,
    [mut from, to]: [usize; 2],
    mut hit: impl FnMut(usize),
) {
    while from < to {
        let mut bits = hits(lanes, columns, from, at, extent);
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

/// The search of [`pairs`].
struct Pairs<'a, V> {
    lattice: &'a Lattice,
    space: SweptBox,
    rows: Range<usize>,
    visit: V,
}

/// A row of cells by its first one, and how what looks at it is shifted along y and z, in place of moving what is looked at.
#[derive(Clone, Copy)]
struct Row {
    first: usize,
    shift: [f32; 2],
}

impl<V: FnMut(u32, u32)> Kernel for Pairs<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { lattice, space, rows, mut visit } = self;
        // Every pair of all its spheres.
        if lattice.is_folded {
            if rows.start == 0 {
                for (member, a) in lattice.all_from(0).enumerate() {
                    lattice.all_from(member + 1).for_each(|b| visit(a, b));
                }
            }
            return;
        }
        for row in rows {
            let [y, z] = [row % lattice.cells[1], row / lattice.cells[1]];
            let middle = |axis: usize, at: usize| (at as f32 + 0.5) / lattice.rulers[axis].per_cell;
            let mut ahead = [[Row { first: lattice.row(None), shift: [0.0; 2] }; 2]; 4];
            for (row, offset) in ahead.as_flattened_mut().iter_mut().zip(AHEAD.as_flattened()) {
                let Some([dy, dz]) = *offset else { continue };
                let Some((y, shift_y)) = along(&space, lattice, 1, y as i64 + dy) else { continue };
                let Some((z, shift_z)) = along(&space, lattice, 2, z as i64 + dz) else { continue };
                *row = Row { first: lattice.row(Some([y, z])), shift: [shift_y, shift_z] };
            }
            look(lanes, lattice, lattice.row(Some([y, z])), [middle(1, y), middle(2, z)], &ahead, &mut visit);
        }
    }
}

/// A place among the rows along an axis, if there is one, and how what looks at it is shifted.
#[inline(always)]
fn along(space: &SweptBox, lattice: &Lattice, axis: usize, at: i64) -> Option<(usize, f32)> {
    let (cells, edge) = (lattice.cells[axis] as i64, space.edges[axis] as f32);
    match at {
        _ if (0..cells).contains(&at) => Some((at as usize, 0.0)),
        _ if !space.repeats[axis] => None,
        _ if at < 0 => Some(((at + cells) as usize, edge)),
        _ => Some(((at - cells) as usize, -edge)),
    }
}

/// Every sphere of a row looks at what stands around it.
#[inline(always)]
fn look<L: Lanes>(
    lanes: L,
    lattice: &Lattice,
    own: usize,
    middle: [f32; 2],
    ahead: &[[Row; 2]; 4],
    visit: &mut impl FnMut(u32, u32),
) {
    let (nx, columns) = (lattice.cells[0], lattice.columns());
    for place in lattice.start(own + BESIDE)..lattice.start(own + BESIDE + nx) {
        let [x, y, z] = per_axis(|axis| columns[axis][place]);
        let extent = lanes.splat(columns[3][place]);
        let cell = lattice.rulers[0].cell(x);
        let [one, two] = ahead[usize::from(y > middle[0]) | usize::from(z > middle[1]) << 1];
        let end = |row: usize| lattice.start(row + cell + 2 * BESIDE + 1);
        let stretches = [
            [place + 1, end(own)],
            [lattice.start(one.first + cell), end(one.first)],
            [lattice.start(two.first + cell), end(two.first)],
        ];
        let shifts = [[0.0; 2], one.shift, two.shift];
        let at = |which: usize| {
            let [shift_y, shift_z] = shifts[which];
            [lanes.splat(x), lanes.splat(y + shift_y), lanes.splat(z + shift_z)]
        };
        let (mut bits, mut longest) = (0, 0);
        for (which, [from, to]) in stretches.into_iter().enumerate() {
            let near = hits(lanes, &columns, from, at(which), extent);
            let length = to - from;
            bits |= (near & ((1 << length.min(LANES)) - 1)) << (LANES * which);
            longest = longest.max(length);
        }
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            visit(lattice.sphere(place), lattice.sphere(stretches[bit / LANES][0] + bit % LANES));
            bits &= bits - 1;
        }
        if longest > LANES {
            for (which, [from, to]) in stretches.into_iter().enumerate() {
                compare(lanes, &columns, at(which), extent, [from + LANES, to], |other| {
                    visit(lattice.sphere(place), lattice.sphere(other));
                });
            }
        }
    }
}

/// The cells around a sphere that looks.
struct Around {
    space: SweptBox,
    /// From the corner of the box.
    at: [f32; 3],
    /// How far it extends.
    extent: f32,
    /// The first and the last cell, and the first and the last row; beyond the border where that repeats.
    ranges: [(i64, i64); 3],
}

impl Around {
    /// Nothing where two ways around the box may lead to the same sphere.
    fn new(lattice: &Lattice, space: SweptBox, mut at: DVec3, extent: f64) -> Option<Self> {
        for axis in 0..3 {
            if space.repeats[axis] && !(0.0..space.edges[axis]).contains(&at[axis]) {
                at[axis] -= space.edges[axis] * (at[axis] / space.edges[axis]).floor();
            }
        }
        let at = per_axis(|axis| at[axis] as f32);
        let extent = (extent as f32 + lattice.slack) * (1.0 + f32::EPSILON);
        let reach = extent + lattice.widest + lattice.slack;
        let mut ranges = [(0, 0); 3];
        for axis in 0..3 {
            let (last, ruler) = (lattice.cells[axis] as i64 - 1, lattice.rulers[axis]);
            let (from, to) = (ruler.place(at[axis] - reach), ruler.place(at[axis] + reach));
            ranges[axis] = match space.repeats[axis] {
                false => (from.clamp(0, last), to.clamp(0, last)),
                true if 2.0 * reach >= space.edges[axis] as f32 => return None,
                true => (from, to),
            };
        }
        Some(Self { space, at, extent, ranges })
    }

    /// Every stretch of cells that lie side by side, and how what looks is shifted for it.
    #[inline(always)]
    fn stretches(&self, lattice: &Lattice, mut visit: impl FnMut([usize; 2], [f32; 3])) {
        let [(x0, x1), (y0, y1), (z0, z1)] = self.ranges;
        let nx = lattice.cells[0] as i64;
        let edge = self.space.edges.x as f32;
        // Cells beyond the border are looked at where they are; their copies would not know of bounds that were raised.
        let parts = match () {
            () if x0 < 0 => [Some((0, x1, 0.0)), Some((x0 + nx, nx - 1, edge))],
            () if x1 >= nx => [Some((x0, nx - 1, 0.0)), Some((0, x1 - nx, -edge))],
            () => [Some((x0, x1, 0.0)), None],
        };
        for z in z0..=z1 {
            let Some((z, shift_z)) = along(&self.space, lattice, 2, z) else { continue };
            for y in y0..=y1 {
                let Some((y, shift_y)) = along(&self.space, lattice, 1, y) else { continue };
                let row = lattice.row(Some([y, z])) + BESIDE;
                for part in &parts {
                    let Some((from, to, shift)) = *part else { break };
                    let stretch = [lattice.start(row + from as usize), lattice.start(row + to as usize + 1)];
                    visit(stretch, [shift, shift_y, shift_z]);
                }
            }
        }
    }
}

/// The search of [`near`].
struct Near<'a, V> {
    lattice: &'a Lattice,
    around: Around,
    visit: &'a mut V,
}

impl<V: FnMut(u32)> Kernel for Near<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { lattice, around, visit } = self;
        let (columns, extent) = (lattice.columns(), lanes.splat(around.extent));
        around.stretches(lattice, |stretch, shift| {
            let at = per_axis(|axis| lanes.splat(around.at[axis] + shift[axis]));
            compare(lanes, &columns, at, extent, stretch, |place| visit(lattice.sphere(place)));
        });
    }
}
