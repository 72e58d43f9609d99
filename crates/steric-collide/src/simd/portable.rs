//! Eight lanes as a plain array: the same results on any processor.

use steric_model::LANES;

use super::{Eight, Kernel, Lanes};

/// Plain arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

#[inline(always)]
fn each(operation: impl Fn(usize) -> f32) -> Eight {
    std::array::from_fn(operation)
}

#[inline(always)]
fn bits(condition: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |bits, lane| bits | u32::from(condition(lane)) << lane)
}

impl Lanes for Portable {
    type Floats = Eight;
    type Words = [u32; LANES];

    #[inline(always)]
    fn load(self, from: &Eight) -> Eight {
        *from
    }

    #[inline(always)]
    fn store(self, from: Eight) -> Eight {
        from
    }

    #[inline(always)]
    fn splat(self, value: f32) -> Eight {
        [value; LANES]
    }

    #[inline(always)]
    fn add(self, a: Eight, b: Eight) -> Eight {
        each(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    fn sub(self, a: Eight, b: Eight) -> Eight {
        each(|lane| a[lane] - b[lane])
    }

    #[inline(always)]
    fn mul(self, a: Eight, b: Eight) -> Eight {
        each(|lane| a[lane] * b[lane])
    }

    #[inline(always)]
    fn mul_add(self, a: Eight, b: Eight, c: Eight) -> Eight {
        // Two roundings: without FMA hardware one rounding would be a slow library call.
        each(|lane| a[lane] * b[lane] + c[lane])
    }

    #[inline(always)]
    fn div(self, a: Eight, b: Eight) -> Eight {
        each(|lane| a[lane] / b[lane])
    }

    #[inline(always)]
    fn sqrt(self, a: Eight) -> Eight {
        each(|lane| a[lane].sqrt())
    }

    #[inline(always)]
    fn less(self, a: Eight, b: Eight) -> u32 {
        bits(|lane| a[lane] < b[lane])
    }

    #[inline(always)]
    fn signs(self, a: Eight) -> u32 {
        bits(|lane| a[lane].is_sign_negative())
    }

    #[inline(always)]
    fn smaller_size(self, a: Eight, b: Eight) -> Eight {
        each(|lane| if b[lane].abs() < a[lane] { b[lane].abs() } else { a[lane] })
    }

    #[inline(always)]
    fn any_less(self, a: [(Eight, Eight); 3], b: [(Eight, Eight); 3]) -> u32 {
        let less = |lane: usize, pairs: &[(Eight, Eight); 3]| pairs.iter().any(|pair| pair.0[lane] < pair.1[lane]);
        bits(|lane| less(lane, &a) || less(lane, &b))
    }

    #[inline(always)]
    fn where_less(self, a: Eight, b: Eight, value: Eight) -> Eight {
        each(|lane| if a[lane] < b[lane] { value[lane] } else { 0.0 })
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> [u32; LANES] {
        *from
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> [u32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn store_words(self, from: [u32; LANES]) -> [u32; LANES] {
        from
    }

    #[inline(always)]
    fn equal_words(self, a: [u32; LANES], b: [u32; LANES]) -> u32 {
        bits(|lane| a[lane] == b[lane])
    }

    #[inline(always)]
    fn have_bits(self, a: [u32; LANES], wanted: [u32; LANES]) -> u32 {
        bits(|lane| a[lane] & wanted[lane] == wanted[lane])
    }

    #[inline(always)]
    fn sorted_words(self, a: [u32; LANES], b: [u32; LANES]) -> [[u32; LANES]; 2] {
        let is_less = |lane: usize| (a[lane] as i32) < b[lane] as i32;
        [
            std::array::from_fn(|lane| if is_less(lane) { a[lane] } else { b[lane] }),
            std::array::from_fn(|lane| if is_less(lane) { b[lane] } else { a[lane] }),
        ]
    }

    #[inline(always)]
    fn interleave(self, a: [u32; LANES], b: [u32; LANES]) -> [[u32; LANES]; 2] {
        let word = |at: usize| if at.is_multiple_of(2) { a[at / 2] } else { b[at / 2] };
        [std::array::from_fn(word), std::array::from_fn(|at| word(LANES + at))]
    }

    #[inline(always)]
    fn add_words(self, a: [u32; LANES], b: [u32; LANES]) -> [u32; LANES] {
        std::array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub_words(self, a: [u32; LANES], b: [u32; LANES]) -> [u32; LANES] {
        std::array::from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn keep_words(self, a: [u32; LANES], bits: u32) -> [u32; LANES] {
        std::array::from_fn(|lane| if bits >> lane & 1 == 1 { a[lane] } else { 0 })
    }

    #[inline(always)]
    fn pack_words(self, a: [u32; LANES], bits: u32) -> [u32; LANES] {
        let (mut packed, mut count) = ([0; LANES], 0);
        for (lane, word) in a.into_iter().enumerate() {
            packed[count % LANES] = word;
            count += (bits >> lane & 1) as usize;
        }
        packed
    }

    #[inline(always)]
    fn sum_words(self, a: [u32; LANES], b: [u32; LANES], c: [u32; LANES]) -> [u32; 3] {
        [a, b, c].map(|words| words.iter().fold(0u32, |sum, &word| sum.wrapping_add(word)))
    }

    #[inline(always)]
    fn round(self, a: Eight) -> [u32; LANES] {
        a.map(|value| value.round_ties_even() as i32 as u32)
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }
}
