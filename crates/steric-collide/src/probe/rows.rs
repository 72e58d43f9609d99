//! Long flat cells: a question is a few runs of neighbours in memory.

use glam::{DVec3, Vec3};
use pulp::{Arch, WithSimd};

use super::{DOUBT, corners, edge_of, largest, single};

#[derive(Debug)]
pub(super) struct Rows {
    /// What places are measured from: the lowest corner.
    origin: DVec3,
    largest: f32,
    /// Cells in an angstrom along x, and along y and z.
    per_angstrom: [f32; 2],
    cells: [usize; 3],
    /// Where the spheres of each cell begin, and the end.
    firsts: Vec<u32>,
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radii: Vec<f32>,
    ids: Vec<u32>,
}

/// Cells along x are so many times narrower.
const NARROWER: f64 = 4.0;

impl Rows {
    pub(super) fn new(centers: &[DVec3], radii: &[f64]) -> Self {
        let largest = largest(radii);
        let (low, high) = corners(centers);
        let room = (high - low).max(DVec3::splat(1e-3));
        // As wide as two of the largest spheres reach.
        let edge = edge_of(2.0 * largest, room, centers.len());
        let cells = [NARROWER * room.x, room.y, room.z].map(|side| (side / edge) as usize + 1);
        let per_angstrom = [(NARROWER / edge) as f32, (1.0 / edge) as f32];
        let mut rows = Self {
            origin: low,
            largest: largest as f32,
            per_angstrom,
            cells,
            firsts: vec![0; cells.iter().product::<usize>() + 1],
            x: Vec::new(),
            y: Vec::new(),
            z: Vec::new(),
            radii: Vec::new(),
            ids: Vec::new(),
        };
        let cell = |center: &DVec3| {
            let [x, y, z] = rows.cell_of(single(*center - low));
            (z * cells[1] + y) * cells[0] + x
        };
        let mut order: Vec<(usize, u32)> = centers.iter().map(cell).zip(0u32..).collect();
        order.sort_unstable();
        for (cell, _) in &order {
            rows.firsts[cell + 1] += 1;
        }
        (1..rows.firsts.len()).for_each(|cell| rows.firsts[cell] += rows.firsts[cell - 1]);
        for (_, id) in order {
            let place = single(centers[id as usize] - low);
            rows.x.push(place.x);
            rows.y.push(place.y);
            rows.z.push(place.z);
            rows.radii.push(radii[id as usize] as f32);
            rows.ids.push(id);
        }
        rows
    }

    fn cell_of(&self, place: Vec3) -> [usize; 3] {
        let [along, across] = self.per_angstrom;
        let cell = |at: f32, per_angstrom: f32, cells: usize| ((at * per_angstrom).max(0.0) as usize).min(cells - 1);
        [
            cell(place.x, along, self.cells[0]),
            cell(place.y, across, self.cells[1]),
            cell(place.z, across, self.cells[2]),
        ]
    }

    /// The runs of spheres whose centres may be within a distance.
    #[inline(always)]
    fn each_run(&self, place: Vec3, far: f32, mut visit: impl FnMut(usize, usize) -> bool) -> bool {
        let (low, high) = (self.cell_of(place - far), self.cell_of(place + far));
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = (z * self.cells[1] + y) * self.cells[0];
                let (first, end) = (self.firsts[row + low[0]] as usize, self.firsts[row + high[0] + 1] as usize);
                if first < end && visit(first, end) {
                    return true;
                }
            }
        }
        false
    }

    pub(super) fn near(&self, point: DVec3, reach: f64, found: &mut Vec<u32>) {
        let place = single(point - self.origin);
        let reach = (reach + DOUBT) as f32;
        self.each_run(place, reach + self.largest, |first, end| {
            for at in first..end {
                let way = Vec3::new(self.x[at], self.y[at], self.z[at]) - place;
                let far = reach + self.radii[at];
                if far > 0.0 && way.length_squared() < far * far {
                    found.push(self.ids[at]);
                }
            }
            false
        });
    }

    /// Whether any ball is in a sphere by more than `allow`; a doubtful pair, a sphere and the number of the ball, is asked for.
    pub(super) fn is_hit(
        &self,
        centers: &[DVec3],
        radii: &[f64],
        allow: f64,
        is_sure: impl Fn(u32, usize) -> bool,
    ) -> bool {
        Arch::new().dispatch(Hit { rows: self, centers, radii, allow, is_sure })
    }
}

struct Hit<'a, S> {
    rows: &'a Rows,
    centers: &'a [DVec3],
    radii: &'a [f64],
    allow: f64,
    is_sure: S,
}

impl<S: Fn(u32, usize) -> bool> WithSimd for Hit<'_, S> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<T: pulp::Simd>(self, _simd: T) -> bool {
        let Self { rows, centers, radii, allow, is_sure } = self;
        let balls = centers.iter().zip(radii).enumerate();
        for (number, (&center, &radius)) in balls {
            let place = single(center - rows.origin);
            let reach = (radius - allow + DOUBT) as f32;
            let is_hit = rows.each_run(place, reach + rows.largest, |first, end| {
                let (x, y, z, r) =
                    (&rows.x[first..end], &rows.y[first..end], &rows.z[first..end], &rows.radii[first..end]);
                let touches = |at: usize| {
                    let (dx, dy, dz, far) = (x[at] - place.x, y[at] - place.y, z[at] - place.z, r[at] + reach);
                    dx * dx + dy * dy + dz * dz < far * far
                };
                // Eight at a time without a branch, which the compiler makes wide.
                let mut at = 0;
                while at + 8 <= x.len() {
                    let mut any = false;
                    for lane in 0..8 {
                        any |= touches(at + lane);
                    }
                    if any && (at..at + 8).any(|at| touches(at) && is_sure(rows.ids[first + at], number)) {
                        return true;
                    }
                    at += 8;
                }
                (at..x.len()).any(|at| touches(at) && is_sure(rows.ids[first + at], number))
            });
            if is_hit {
                return true;
            }
        }
        false
    }
}
