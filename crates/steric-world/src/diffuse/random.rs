//! Random numbers that depend on nothing but a seed, a particle and a step: Philox 4x32 with ten rounds (Salmon, Moraes, Dror and Shaw 2011).
//!
//! How it works: what is drawn is a function of a counter, so particles can be asked in any order and by any thread. Normal numbers are made of uniform ones by Box
//! and Muller's method, with a logarithm and a sine written here, so that they have the same bits on every machine; many particles at a time, in plain arrays that the
//! compiler turns into wide instructions.

use std::f64::consts::{LN_2, TAU};

/// Particles that are drawn for together: enough for the compiler to see that the same is done for all.
pub(super) const AT_ONCE: usize = 32;

/// What numbers are drawn for: streams that never share a number.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub(super) enum Purpose {
    Motion = 0,
    Turn = 1,
    Rule = 2,
    Decay = 3,
    Heat = 4,
}

#[inline(always)]
fn philox<const N: usize>(counter: [[u32; N]; 4], key: [u32; 2]) -> [[u32; N]; 4] {
    const MULTIPLIERS: [u64; 2] = [0xd251_1f53, 0xcd9e_8d57];
    const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
    let ([mut c0, mut c1, mut c2, mut c3], [mut k0, mut k1]) = (counter, key);
    for _ in 0..10 {
        for lane in 0..N {
            let (p0, p1) = (MULTIPLIERS[0] * u64::from(c0[lane]), MULTIPLIERS[1] * u64::from(c2[lane]));
            c0[lane] = (p1 >> 32) as u32 ^ c1[lane] ^ k0;
            c1[lane] = p1 as u32;
            c2[lane] = (p0 >> 32) as u32 ^ c3[lane] ^ k1;
            c3[lane] = p0 as u32;
        }
        (k0, k1) = (k0.wrapping_add(WEYL[0]), k1.wrapping_add(WEYL[1]));
    }
    [c0, c1, c2, c3]
}

#[inline(always)]
fn raw<const N: usize>(seed: u64, step: u64, purpose: Purpose, numbers: [u32; N]) -> [[u32; N]; 4] {
    let all = |word: u32| [word; N];
    let counter = [numbers, all(step as u32), all((step >> 32) as u32), all(purpose as u32)];
    philox(counter, [seed as u32, (seed >> 32) as u32])
}

/// Two to the power of 52: added to a small whole number, it leaves the number in the last bits.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// Above 0 and below 1.
#[inline(always)]
fn unit(bits: u32) -> f64 {
    let whole = f64::from_bits(WHOLE.to_bits() | u64::from(bits)) - WHOLE;
    (whole + 0.5) * (1.0 / 4_294_967_296.0)
}

/// The logarithm of a number above 0 that is not subnormal. Only additions, shifts and products of bits and numbers, so that many are taken at once.
#[inline(always)]
fn logarithm(x: f64) -> f64 {
    // x = m 2^e with m from 0.71 to 1.41; ln m = 2 artanh((m - 1) / (m + 1)).
    const BIAS: u64 = 1024 << 52;
    let shifted = x.to_bits().wrapping_add(BIAS - 0x3fe6_a09e_667f_3bcd);
    let exponent = f64::from_bits(WHOLE.to_bits() | shifted >> 52) - (WHOLE + 1024.0);
    let m = f64::from_bits(x.to_bits().wrapping_sub((shifted & 0xfff0_0000_0000_0000).wrapping_sub(BIAS)));
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let sum = 1.0 / 9.0 + z * (1.0 / 11.0 + z * (1.0 / 13.0 + z * (1.0 / 15.0 + z * (1.0 / 17.0))));
    let sum = 1.0 + z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * (1.0 / 7.0 + z * sum)));
    2.0 * s * sum + exponent * LN_2
}

/// Cosine and sine of so many whole turns, from 0 to 1.
#[inline(always)]
fn around(turns: f64) -> (f64, f64) {
    // The nearest quarter, as a number and as bits.
    let marked = turns * 4.0 + 1.5 * WHOLE;
    let (quarter, bits) = (marked - 1.5 * WHOLE, marked.to_bits());
    let x = (turns - quarter * 0.25) * TAU;
    let z = x * x;
    let sine = 1.0 / 362_880.0 + z * (-1.0 / 39_916_800.0 + z * (1.0 / 6_227_020_800.0));
    let sine = x * (1.0 + z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5_040.0 + z * sine))));
    let cosine = 1.0 / 40_320.0 + z * (-1.0 / 3_628_800.0 + z * (1.0 / 479_001_600.0));
    let cosine = 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * cosine)));
    // Odd quarters swap the two; the signs follow the quarter.
    let swap = 0u64.wrapping_sub(bits & 1);
    let (c, s) = (cosine.to_bits(), sine.to_bits());
    let (c, s) = ((c & !swap) | (s & swap), (s & !swap) | (c & swap));
    let (turned_c, turned_s) = ((bits.wrapping_add(1) & 2) << 62, (bits & 2) << 62);
    (f64::from_bits(c ^ turned_c), f64::from_bits(s ^ turned_s))
}

/// Three normal numbers for each of some particles, with mean 0 and variance 1; none is larger than 6.8.
#[inline(always)]
pub(super) fn normals<const N: usize>(seed: u64, step: u64, purpose: Purpose, numbers: [u32; N]) -> [[f64; N]; 3] {
    let [a, b, c, d] = raw(seed, step, purpose, numbers);
    let mut three = [[0.0; N]; 3];
    // One thing at a time for all of them: loops that are short enough to be seen through.
    let (mut first, mut second) = ([0.0; N], [0.0; N]);
    for lane in 0..N {
        first[lane] = (-2.0 * logarithm(unit(a[lane]))).sqrt();
    }
    for lane in 0..N {
        second[lane] = (-2.0 * logarithm(unit(c[lane]))).sqrt();
    }
    for lane in 0..N {
        let (cosine, sine) = around(unit(b[lane]));
        three[0][lane] = first[lane] * cosine;
        three[1][lane] = first[lane] * sine;
    }
    for lane in 0..N {
        let (other, _) = around(unit(d[lane]));
        three[2][lane] = second[lane] * other;
    }
    three
}

/// Three normal numbers for one particle: the same as among others.
pub(super) fn normals_of(seed: u64, step: u64, purpose: Purpose, number: u32) -> [f64; 3] {
    normals(seed, step, purpose, [number]).map(|[one]| one)
}

/// Four numbers between 0 and 1 for one thing.
pub(super) fn units_of(seed: u64, step: u64, purpose: Purpose, number: u32) -> [f64; 4] {
    raw(seed, step, purpose, [number]).map(|[one]| unit(one))
}

/// A number between 0 and 1 for two particles that touch for the so-many-th time.
pub(super) fn unit_of_pair(seed: u64, step: u64, [a, b]: [u32; 2], count: u32) -> f64 {
    let last = Purpose::Rule as u32 | count << 4;
    let [[word], ..] = philox([[a], [b], [step as u32], [last]], [seed as u32, (seed >> 32) as u32]);
    unit(word)
}

#[cfg(test)]
mod tests {
    use super::{Purpose, around, logarithm, normals, normals_of, philox};

    #[test]
    fn philox_gives_the_numbers_of_its_authors() {
        // The known answers that Random123 is published with.
        let of = |counter: [u32; 4], key| philox(counter.map(|word| [word; 8]), key).map(|lanes| lanes[5]);
        assert_eq!(of([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(of([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(of(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn the_logarithm_and_the_circle_are_those_of_the_library() {
        for step in 1..20_000 {
            let x = f64::from(step) / 20_000.0;
            assert!((logarithm(x) - x.ln()).abs() < 1e-12, "{x}");
            let (c, s) = around(x);
            let (sine, cosine) = (x * std::f64::consts::TAU).sin_cos();
            assert!((c - cosine).abs() < 1e-9 && (s - sine).abs() < 1e-9, "{x}: {c} {cosine} {s} {sine}");
        }
        assert!((logarithm(1e-10) - 1e-10f64.ln()).abs() < 1e-11);
    }

    #[test]
    fn one_particle_draws_what_it_draws_among_others() {
        let eight = normals(7, 3, Purpose::Motion, [5, 9, 1, 0, 3, 3, 1_000, 2]);
        assert_eq!(normals_of(7, 3, Purpose::Motion, 1_000), eight.map(|lanes| lanes[6]));
        assert_ne!(normals_of(7, 4, Purpose::Motion, 1_000), eight.map(|lanes| lanes[6]));
        assert_ne!(normals_of(7, 3, Purpose::Turn, 1_000), eight.map(|lanes| lanes[6]));
    }

    #[test]
    fn normal_numbers_have_the_moments_of_a_normal_distribution() {
        let mut moments = [0.0; 4];
        let count = 300_000;
        for number in 0..count / 3 {
            for x in normals_of(1, 0, Purpose::Motion, number) {
                for (power, moment) in moments.iter_mut().enumerate() {
                    *moment += x.powi(power as i32 + 1) / f64::from(count);
                }
            }
        }
        // Standard errors of the first four moments: 1, 2, 15 and 96 over the count, under the root.
        let expected = [0.0, 1.0, 0.0, 3.0];
        for (power, variance) in [1.0, 2.0, 15.0, 96.0f64].into_iter().enumerate() {
            let error = (variance / f64::from(count)).sqrt();
            assert!((moments[power] - expected[power]).abs() < 4.0 * error, "moment {}: {}", power + 1, moments[power]);
        }
    }
}
