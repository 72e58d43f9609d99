//! Block-Newton: each molecule takes the least-squares step out of all its contacts at once.
//!
//! How it works: with the coordinates (shift, gyration x turn) a contact is a row J = (n, arm x n / gyration) that asks for
//! J·step = depth. A molecule adds up g = sum J depth and H = sum J J^T, 6 x 6, and steps by
//! w (H + damping tr(H)/6)^-1 g. What lets interlocked molecules go is the bias of the normals, which is put in before the
//! contact comes here.

use glam::{DMat3, DVec3};

use super::{Body, Contact, MOST_SUMS, Motion, Pull, Response, Scratch, Sides};

/// The default response.
///
/// ```
/// use steric_world::respond::{Newton, Response};
///
/// let newton = Newton::default();
/// assert!((0.0..1.0).contains(&newton.momentum()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Newton {
    /// Part of the Newton step that is taken.
    pub step: f64,
    /// Damping, in units of the mean diagonal of the matrix.
    pub damping: f64,
    /// Nesterov momentum.
    pub momentum: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Self { step: 0.7, damping: 1.0, momentum: 0.85 }
    }
}

impl Response for Newton {
    const SUMS: usize = 27;

    #[inline(always)]
    fn add(&self, contact: &Contact, side: usize, sides: &Sides<'_>, sums: &mut Scratch) {
        let lever = contact.arms[side].cross(contact.normal) * sides.inverse_gyration[side];
        let normal = contact.normal;
        let row = [normal.x, normal.y, normal.z, lever.x, lever.y, lever.z, 0.0, 0.0];
        // The lighter of two molecules goes the longer way, and the second goes the other way.
        let [own, other] = [sides.mobility[side], sides.mobility[1 - side]];
        let share = (2.0 * own / (own + other)).min(MOST_SHARE);
        let depth = contact.depth * if side == 0 { share } else { -share };
        // H does not care about the sign of a row; g does.
        let factors = [row[0], row[1], row[2], row[3], row[4], row[5], depth];
        for (sums, factor) in sums.iter_mut().zip(factors) {
            for (sum, entry) in sums.iter_mut().zip(row) {
                *sum += factor * entry;
            }
        }
    }

    #[inline(always)]
    fn kept(&self, scratch: &Scratch) -> [f32; MOST_SUMS] {
        let mut kept = [0.0; MOST_SUMS];
        kept[..6].copy_from_slice(&scratch[6][..6]);
        let mut place = 6;
        for (a, row) in scratch[..6].iter().enumerate() {
            kept[place..=place + a].copy_from_slice(&row[..=a]);
            place += a + 1;
        }
        kept
    }

    fn step(&self, body: &Body, _: DMat3, sums: &[f64; MOST_SUMS], _: u32, pulls: &[Pull]) -> Motion {
        let mut sums = *sums;
        for pull in pulls {
            let (row, depth) = match *pull {
                Pull::Shift { arm, direction, depth } => {
                    (row_f64(direction, arm.cross(direction) / body.gyration), depth)
                }
                Pull::Turn { axis, angle } => (row_f64(DVec3::ZERO, axis), angle * body.gyration),
            };
            add_row_f64(row, depth, &mut sums);
        }
        let step = solve(&sums, self.damping).map(|entry| entry * self.step);
        let [x, y, z, a, b, c] = step;
        Motion { shift: DVec3::new(x, y, z), turn: DVec3::new(a, b, c) / body.gyration }
    }

    fn momentum(&self) -> f64 {
        self.momentum
    }
}

/// A molecule that meets a much heavier or a fixed one goes this much of the way, and no more, or steps would overshoot.
const MOST_SHARE: f32 = 1.6;

fn row_f64(normal: DVec3, lever: DVec3) -> [f64; 6] {
    [normal.x, normal.y, normal.z, lever.x, lever.y, lever.z]
}

/// g in the first six sums, the lower triangle of H row by row in the others.
fn add_row_f64(row: [f64; 6], depth: f64, sums: &mut [f64; MOST_SUMS]) {
    let mut place = 6;
    for a in 0..6 {
        sums[a] += row[a] * depth;
        for b in 0..=a {
            sums[place] += row[a] * row[b];
            place += 1;
        }
    }
}

/// (H + damping tr(H)/6 I)^-1 g by Cholesky.
fn solve(sums: &[f64; MOST_SUMS], damping: f64) -> [f64; 6] {
    let mut h = [[0.0; 6]; 6];
    let mut place = 6;
    for (a, row) in h.iter_mut().enumerate() {
        row[..=a].copy_from_slice(&sums[place..=place + a]);
        place += a + 1;
    }
    let trace: f64 = (0..6).map(|a| h[a][a]).sum();
    if trace <= 0.0 {
        return [0.0; 6];
    }
    for (a, row) in h.iter_mut().enumerate() {
        row[a] += damping * trace / 6.0 + 1e-6;
    }
    for a in 0..6 {
        for b in 0..=a {
            let sum = h[a][b] - (0..b).map(|k| h[a][k] * h[b][k]).sum::<f64>();
            h[a][b] = if a == b { sum.max(1e-12).sqrt() } else { sum / h[b][b] };
        }
    }
    let mut y = [0.0; 6];
    for a in 0..6 {
        y[a] = (sums[a] - (0..a).map(|k| h[a][k] * y[k]).sum::<f64>()) / h[a][a];
    }
    let mut x = [0.0; 6];
    for a in (0..6).rev() {
        x[a] = (y[a] - (a + 1..6).map(|k| h[k][a] * x[k]).sum::<f64>()) / h[a][a];
    }
    x
}
