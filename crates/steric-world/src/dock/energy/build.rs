//! What a receptor does at the points of a grid, row by row.
//!
//! How it works: eight points of a row ask for the receptor's atoms around them together, and each atom is added to all eight and all maps at once.
//! Sums become what the grid holds (`encoded`), and these the coefficients of splines: along a row at once, across rows in a second pass.

use glam::{DVec3, UVec3, Vec4};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use steric_collide::{Obstacle, ProbeIndex};

use super::spline::{SHARPEN, SIDE};
use super::{AtomType, CAP, COULOMB, CUTOFF, Charged, FULL, NEAREST, pair};

/// So many points of a row are filled together.
const RUN: usize = 8;
/// So many ask for their neighbours together.
const MANY: usize = 4 * RUN;
/// The energy at which the grid holds a half. It is above the cap, below which no energy goes under zero, so that there is no pole.
const SOFTNESS: f32 = 2.0 * CAP as f32;

/// What a grid holds for an energy: nearly in proportion outside the cores, and no more than one inside.
fn encoded(energy: f32) -> f64 {
    let energy = f64::from(energy.max(-CAP as f32));
    energy / (energy + f64::from(SOFTNESS))
}

/// The energy back, no more than the cap, and how much it changes with what the grid holds.
#[inline(always)]
pub(super) fn decoded(held: f32) -> (f32, f32) {
    const MOST: f32 = CAP as f32 / (CAP as f32 + SOFTNESS);
    let inverse = 1.0 / (1.0 - held.min(MOST));
    let slope = if held < MOST { SOFTNESS * inverse * inverse } else { 0.0 };
    (SOFTNESS * held.min(MOST) * inverse, slope)
}

/// What is to be filled.
pub(super) struct Plan<'a> {
    pub(super) receptor: &'a Charged,
    /// Each has a map of Lennard-Jones energies with the potential beside it.
    pub(super) types: &'a [AtomType],
    /// The place of the first coefficient, and how many there are along each axis.
    pub(super) low: DVec3,
    pub(super) points: UVec3,
    pub(super) spacing: f64,
}

impl Plan<'_> {
    /// How many numbers a point has.
    pub(super) fn depth(&self) -> usize {
        2 * self.types.len()
    }

    /// All coefficients: sheets of rows, and in a row one map after another.
    pub(super) fn coefficients(&self) -> Vec<f32> {
        let receptor = self.receptor;
        let index = Obstacle::new(&receptor.places, &vec![0.0; receptor.places.len()], ProbeIndex::Rows);
        let (kinds, acts) = self.acts();
        let wide = self.points + 2 * SIDE;
        let rows = wide.y as usize * wide.z as usize;
        let row_of = |row: usize| self.row(&index, &kinds, &acts, row as u32 % wide.y, row as u32 / wide.y);
        let values: Vec<f32> = (0..rows).into_par_iter().flat_map_iter(row_of).collect();
        self.sharpened(&values)
    }

    /// For each atom of the receptor the number of its kind, and what each kind does to each type: repulsion and attraction.
    fn acts(&self) -> (Vec<u32>, Vec<Vec<[f32; 2]>>) {
        let mut found: Vec<AtomType> = Vec::new();
        let mut kind_of = |kind: &AtomType| {
            let at = found.iter().position(|own| own == kind).unwrap_or(found.len());
            if at == found.len() {
                found.push(*kind);
            }
            at as u32
        };
        let kinds = self.receptor.types.iter().map(&mut kind_of).collect();
        let one = |of: &AtomType| self.types.iter().map(|kind| pair(*of, *kind).map(|number| number as f32)).collect();
        (kinds, found.iter().map(one).collect())
    }

    /// A row, sharpened along itself.
    fn row(&self, index: &Obstacle, kinds: &[u32], acts: &[Vec<[f32; 2]>], y: u32, z: u32) -> Vec<f32> {
        let (side, length) = (f64::from(SIDE), (self.points.x + 2 * SIDE) as usize);
        let at = |x: f64| self.low + self.spacing * (DVec3::new(x, f64::from(y), f64::from(z)) - side);
        let maps = self.types.len() + 1;
        let mut raw = vec![0f64; maps * length];
        let (mut wide, mut near, mut sums) = (Vec::new(), Vec::new(), vec![[Vec4::ZERO; RUN / 4]; maps]);
        let reach = |points: usize| CUTOFF + 0.5 * (points - 1) as f64 * self.spacing;
        let middle = |first: usize, points: usize| at(first as f64 + 0.5 * (points - 1) as f64);
        for run in (0..length).step_by(RUN) {
            if run % MANY == 0 {
                wide.clear();
                index.near(middle(run, MANY), reach(MANY), &mut wide);
                // In one order, so that sums have the same bits whatever the index.
                wide.sort_unstable();
            }
            let (center, far) = (middle(run, RUN), reach(RUN).powi(2));
            let is_near = |atom: &u32| self.receptor.places[*atom as usize].distance_squared(center) < far;
            near.clear();
            near.extend(wide.iter().copied().filter(is_near));
            sums.fill([Vec4::ZERO; RUN / 4]);
            let (first, spacing) = (at(run as f64), self.spacing as f32);
            Arch::new().dispatch(Add {
                receptor: self.receptor,
                near: &near,
                kinds,
                acts,
                first,
                spacing,
                sums: &mut sums,
            });
            for (map, sums) in sums.iter().enumerate() {
                for (point, sum) in (run..length).zip(sums.iter().flat_map(|four| four.to_array())) {
                    let is_potential = map + 1 == maps;
                    let held = if is_potential { f64::from(sum.clamp(-CAP as f32, CAP as f32)) } else { encoded(sum) };
                    raw[map * length + point] = held;
                }
            }
        }
        self.interleaved(&raw, length)
    }

    /// A row as it is stored: each type's map with the potential beside every value.
    fn interleaved(&self, raw: &[f64], length: usize) -> Vec<f32> {
        let (types, inner) = (self.types.len(), self.points.x as usize);
        let sharp = |map: usize, point: usize| {
            let around = &raw[map * length + point..][..SHARPEN.len()];
            SHARPEN.iter().zip(around).map(|(weight, value)| weight * value).sum::<f64>() as f32
        };
        let one = |map: usize| (0..inner).flat_map(move |point| [sharp(map, point), sharp(types, point)]);
        (0..types).flat_map(one).collect()
    }

    /// Rows sharpened across, without those at the sides.
    fn sharpened(&self, values: &[f32]) -> Vec<f32> {
        let length = self.depth() * self.points.x as usize;
        let (inner, wide) = (self.points.y as usize, (self.points.y + 2 * SIDE) as usize);
        // A row is read eight numbers at a time, of which the last two count for nothing; so there are some behind the last.
        let count = length * inner * self.points.z as usize;
        let mut sharp = vec![0f32; count + 8];
        sharp[..count].par_chunks_mut(length.max(1)).enumerate().for_each(|(row, sums)| {
            let (y, z) = (row % inner, row / inner);
            for (sheet, of_sheet) in SHARPEN.iter().enumerate() {
                for (beside, of_row) in SHARPEN.iter().enumerate() {
                    let weight = (of_sheet * of_row) as f32;
                    let from = &values[((z + sheet) * wide + y + beside) * length..][..length];
                    sums.iter_mut().zip(from).for_each(|(sum, value)| *sum += weight * value);
                }
            }
        });
        sharp
    }
}

/// Adds atoms to eight points of a row from the first on: a sum for each type, and the potential. It takes the widest instructions there are.
struct Add<'a> {
    receptor: &'a Charged,
    near: &'a [u32],
    kinds: &'a [u32],
    acts: &'a [Vec<[f32; 2]>],
    first: DVec3,
    spacing: f32,
    sums: &'a mut [[Vec4; RUN / 4]],
}

impl WithSimd for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        const NEVER: f32 = (CUTOFF * CUTOFF) as f32;
        const FADES: f32 = 1.0 / (CUTOFF * CUTOFF - FULL * FULL) as f32;
        let steps = [Vec4::new(0.0, 1.0, 2.0, 3.0), Vec4::new(4.0, 5.0, 6.0, 7.0)].map(|step| step * self.spacing);
        for &atom in self.near {
            let atom = atom as usize;
            let to = (self.first - self.receptor.places[atom]).as_vec3();
            let aside = Vec4::splat(to.y * to.y + to.z * to.z);
            let types = &self.acts[self.kinds[atom] as usize];
            let (of_types, potential) = self.sums.split_at_mut(types.len());
            let charge = (COULOMB * self.receptor.charges[atom]) as f32;
            for four in 0..RUN / 4 {
                let x = steps[four] + Vec4::splat(to.x);
                let squared = x * x + aside;
                let inverse = squared.max(Vec4::splat((NEAREST * NEAREST) as f32)).recip();
                let left = ((Vec4::splat(NEVER) - squared) * FADES).max(Vec4::ZERO).min(Vec4::ONE);
                let left = left * left * (Vec4::splat(3.0) - (left + left));
                let sixth = inverse * inverse * inverse;
                let fading = left * sixth;
                let twelfth = fading * sixth;
                potential[0][four] += left * inverse * charge;
                for (sums, &[repulsion, attraction]) in of_types.iter_mut().zip(types) {
                    sums[four] += twelfth * repulsion - fading * attraction;
                }
            }
        }
    }
}
