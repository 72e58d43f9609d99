//! Quadratic B-splines: what three points in a row weigh, and sums over three by three by three.
//!
//! How it works: at a place the three nearest coefficients along each axis count, with weights that are quadratic in how far it is from the nearest; in
//! space the weights of the three axes are multiplied. Slopes have no steps. Coefficients are not the values: a sum of them is smoother than they are.
//! [`SHARPEN`] gives coefficients from the values around. A B-spline blurs a wave by the cube of `sin(w/2) / (w/2)` in the mean over all places, and
//! the inverse of that is `1 - d/8 + 37 d²/1920` and so on, where `d` is the second difference. What is left changes its sign from point to point, so
//! that errors of many atoms cancel.

use glam::Vec4;

/// A coefficient from its own value and the two on each side.
pub(super) const SHARPEN: [f64; 5] = {
    let (second, fourth) = (-1.0 / 8.0, 37.0 / 1920.0);
    [fourth, second - 4.0 * fourth, 1.0 - 2.0 * second + 6.0 * fourth, second - 4.0 * fourth, fourth]
};

/// So many coefficients are needed before and after a value.
pub(super) const SIDE: u32 = (SHARPEN.len() / 2) as u32;

/// How much the coefficients before, at and after the nearest point count along each axis; a place is `t` of the way from it to the next.
#[inline(always)]
pub(super) fn weights(t: Vec4) -> [Vec4; 3] {
    let (half, square) = (Vec4::splat(0.5), t * t * 0.5);
    let (even, odd) = (square + Vec4::splat(0.125), t * half);
    [even - odd, Vec4::splat(0.75) - (square + square), even + odd]
}

/// How much these change with `t`.
#[inline(always)]
pub(super) fn slopes(t: Vec4) -> [Vec4; 3] {
    let half = Vec4::splat(0.5);
    [t - half, t * -2.0, t + half]
}

/// Eight numbers that are added together.
pub(super) trait Lanes: Copy {
    /// The eight.
    type Eight: Copy;

    fn zero(self) -> Self::Eight;
    /// A sum, and so much of eight others.
    fn plus(self, sum: Self::Eight, weight: f32, of: Self::Eight) -> Self::Eight;
    fn load(self, from: &[f32; 8]) -> Self::Eight;
    /// Each of the first six weighed by its column; sums of the even and of the odd.
    fn across(self, of: Self::Eight, columns: [f32; 3]) -> [f32; 2];
}

/// Twice four, as every processor has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Lanes for Portable {
    type Eight = [Vec4; 2];

    #[inline(always)]
    fn zero(self) -> [Vec4; 2] {
        [Vec4::ZERO; 2]
    }

    #[inline(always)]
    fn plus(self, [low, high]: [Vec4; 2], weight: f32, [a, b]: [Vec4; 2]) -> [Vec4; 2] {
        [low + a * weight, high + b * weight]
    }

    #[inline(always)]
    fn load(self, &[a, b, c, d, e, f, g, h]: &[f32; 8]) -> [Vec4; 2] {
        [Vec4::new(a, b, c, d), Vec4::new(e, f, g, h)]
    }

    #[inline(always)]
    fn across(self, [low, high]: [Vec4; 2], [a, b, c]: [f32; 3]) -> [f32; 2] {
        let sum = low * Vec4::new(a, a, b, b) + high * Vec4::new(c, c, 0.0, 0.0);
        [sum.x + sum.z, sum.y + sum.w]
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for pulp::x86::V3 {
    type Eight = pulp::f32x8;

    #[inline(always)]
    fn zero(self) -> pulp::f32x8 {
        self.splat_f32x8(0.0)
    }

    #[inline(always)]
    fn plus(self, sum: pulp::f32x8, weight: f32, of: pulp::f32x8) -> pulp::f32x8 {
        self.mul_add_f32x8(self.splat_f32x8(weight), of, sum)
    }

    #[inline(always)]
    fn load(self, from: &[f32; 8]) -> pulp::f32x8 {
        pulp::cast(*from)
    }

    #[inline(always)]
    fn across(self, of: pulp::f32x8, columns: [f32; 3]) -> [f32; 2] {
        let [low, high]: [[f32; 4]; 2] = pulp::cast(of);
        Portable.across([Vec4::from_array(low), Vec4::from_array(high)], columns)
    }
}

/// Where the coefficients of a place are: from the first on, and how far it is to the next row and the next sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub(super) values: &'a [f32],
    pub(super) row: usize,
    pub(super) sheet: usize,
}

impl Block<'_> {
    /// Three rows of a sheet, each by its weight.
    #[inline(always)]
    fn rows<L: Lanes>(lanes: L, [a, b, c]: [L::Eight; 3], [of_a, of_b, of_c]: [f32; 3]) -> L::Eight {
        lanes.plus(lanes.plus(lanes.plus(lanes.zero(), of_a, a), of_b, b), of_c, c)
    }

    // Array functions of the standard library are not sure to be inlined, and would send every register through memory; so all three are written out.
    // What is cut in threes is checked once for all atoms, where the length of a row and of a sheet are all that it takes.
    #[inline(always)]
    fn sheets<L: Lanes>(&self, lanes: L) -> [[L::Eight; 3]; 3] {
        let (first, others) = self.values.split_at(self.sheet);
        let (second, third) = others.split_at(self.sheet);
        [self.sheet(lanes, first), self.sheet(lanes, second), self.sheet(lanes, third)]
    }

    #[inline(always)]
    fn sheet<L: Lanes>(&self, lanes: L, values: &[f32]) -> [L::Eight; 3] {
        let (first, others) = values.split_at(self.row);
        let (second, third) = others.split_at(self.row);
        [Self::eight(lanes, first), Self::eight(lanes, second), Self::eight(lanes, third)]
    }

    #[inline(always)]
    fn eight<L: Lanes>(lanes: L, values: &[f32]) -> L::Eight {
        lanes.load(values.first_chunk().expect("a cell has three sheets of three rows"))
    }

    /// The sum over all of them by the weights of the three axes, for both of the two maps that are interleaved.
    #[inline(always)]
    pub(super) fn sum<L: Lanes>(&self, lanes: L, [a, b, c]: [Vec4; 3]) -> [f32; 2] {
        let y = [a.y, b.y, c.y];
        let [first, second, third] = self.sheets(lanes);
        let within = [Self::rows(lanes, first, y), Self::rows(lanes, second, y), Self::rows(lanes, third, y)];
        lanes.across(Self::rows(lanes, within, [a.z, b.z, c.z]), [a.x, b.x, c.x])
    }

    /// The same, and how much it changes along each of the axes.
    #[inline(always)]
    pub(super) fn sum_and_slopes<L: Lanes>(
        &self,
        lanes: L,
        [a, b, c]: [Vec4; 3],
        [by_a, by_b, by_c]: [Vec4; 3],
    ) -> [[f32; 2]; 4] {
        let [x, y, z] = [[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]];
        let [by_x, by_y, by_z] = [[by_a.x, by_b.x, by_c.x], [by_a.y, by_b.y, by_c.y], [by_a.z, by_b.z, by_c.z]];
        let [first, second, third] = self.sheets(lanes);
        let within = [Self::rows(lanes, first, y), Self::rows(lanes, second, y), Self::rows(lanes, third, y)];
        let along = [Self::rows(lanes, first, by_y), Self::rows(lanes, second, by_y), Self::rows(lanes, third, by_y)];
        let sum = Self::rows(lanes, within, z);
        [
            lanes.across(sum, x),
            lanes.across(sum, by_x),
            lanes.across(Self::rows(lanes, along, z), x),
            lanes.across(Self::rows(lanes, within, by_z), x),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_of_one_and_slopes_are_theirs() {
        let all = |of: fn(Vec4) -> [Vec4; 3], t: f32| of(Vec4::splat(t)).map(|weight| weight.x);
        for step in -8..=8 {
            let t = step as f32 / 16.0;
            assert!((all(weights, t).iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(all(slopes, t).iter().sum::<f32>().abs() < 1e-6);
            let (before, after) = (all(weights, t - 0.01), all(weights, t + 0.01));
            for (slope, (before, after)) in all(slopes, t).into_iter().zip(before.into_iter().zip(after)) {
                assert!((slope - (after - before) / 0.02).abs() < 1e-3);
            }
        }
    }

    #[test]
    fn quadratics_come_back_exactly_and_quartics_are_right_in_the_mean_over_all_grids() {
        // What becomes of a power at the origin, if it is so far from the nearest point.
        let at = |power: i32, within: f64| {
            let coefficient = |point: i32| {
                let value = |side: usize| (f64::from(point + side as i32 - SIDE as i32) - within).powi(power);
                SHARPEN.iter().enumerate().map(|(side, weight)| weight * value(side)).sum::<f64>()
            };
            let weights = weights(Vec4::splat(within as f32)).map(|weight| weight.x);
            (-1..2).zip(weights).map(|(point, weight)| coefficient(point) * f64::from(weight)).sum::<f64>()
        };
        let places = (0..64).map(|step| (f64::from(step) + 0.5) / 64.0 - 0.5);
        for place in places.clone() {
            for power in 0..3 {
                assert!((at(power, place) - f64::from(power == 0)).abs() < 1e-5, "{power} at {place}");
            }
        }
        for power in 3..5 {
            let mean = places.clone().map(|place| at(power, place)).sum::<f64>() / 64.0;
            assert!(mean.abs() < 3e-4, "{power}: {mean}");
        }
    }

    #[test]
    fn lanes_of_every_processor_give_the_same_sums() {
        let values: Vec<f32> = (0..200).map(|at| (at as f32 * 0.7).sin()).collect();
        let block = Block { values: &values, row: 20, sheet: 60 };
        let within = Vec4::new(0.2, -0.4, 0.1, 0.0);
        let plain = block.sum(Portable, weights(within));
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            let wide = block.sum(avx2, weights(within));
            assert!((0..2).all(|map| (wide[map] - plain[map]).abs() < 1e-6), "{plain:?} {wide:?}");
        }
        let slow = |map: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| weights(within).map(|weight| weight[axis]));
            let one = |at: usize| {
                let (i, j, k) = (at % 3, at / 3 % 3, at / 9);
                x[i] * y[j] * z[k] * values[k * 60 + j * 20 + 2 * i + map]
            };
            (0..27).map(one).sum::<f32>()
        };
        assert!((0..2).all(|map| (slow(map) - plain[map]).abs() < 1e-6));
    }
}
