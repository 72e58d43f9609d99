//! Eight lanes as one AVX2 register. The token [`V3`] exists only where the processor has AVX2 and FMA.

use bytemuck::cast;
use pulp::x86::V3;
use pulp::{NullaryFnOnce, f32x8, u32x8};
use steric_model::LANES;

use super::{Eight, Kernel, Lanes};

impl Lanes for V3 {
    type Floats = f32x8;
    type Words = u32x8;

    #[inline(always)]
    fn load(self, from: &Eight) -> f32x8 {
        cast(*from)
    }

    #[inline(always)]
    fn store(self, from: f32x8) -> Eight {
        cast(from)
    }

    #[inline(always)]
    fn splat(self, value: f32) -> f32x8 {
        self.splat_f32x8(value)
    }

    #[inline(always)]
    fn add(self, a: f32x8, b: f32x8) -> f32x8 {
        self.add_f32x8(a, b)
    }

    #[inline(always)]
    fn sub(self, a: f32x8, b: f32x8) -> f32x8 {
        self.sub_f32x8(a, b)
    }

    #[inline(always)]
    fn mul(self, a: f32x8, b: f32x8) -> f32x8 {
        self.mul_f32x8(a, b)
    }

    #[inline(always)]
    fn mul_add(self, a: f32x8, b: f32x8, c: f32x8) -> f32x8 {
        self.mul_add_f32x8(a, b, c)
    }

    #[inline(always)]
    fn div(self, a: f32x8, b: f32x8) -> f32x8 {
        self.div_f32x8(a, b)
    }

    #[inline(always)]
    fn sqrt(self, a: f32x8) -> f32x8 {
        self.sqrt_f32x8(a)
    }

    #[inline(always)]
    fn less(self, a: f32x8, b: f32x8) -> u32 {
        self.avx._mm256_movemask_ps(cast(self.cmp_lt_f32x8(a, b))) as u32
    }

    #[inline(always)]
    fn where_less(self, a: f32x8, b: f32x8, value: f32x8) -> f32x8 {
        cast(self.avx._mm256_and_ps(cast(self.cmp_lt_f32x8(a, b)), cast(value)))
    }

    #[inline(always)]
    fn load_words(self, from: &[u32; LANES]) -> u32x8 {
        cast(*from)
    }

    #[inline(always)]
    fn splat_words(self, value: u32) -> u32x8 {
        self.splat_u32x8(value)
    }

    #[inline(always)]
    fn store_words(self, from: u32x8) -> [u32; LANES] {
        cast(from)
    }

    #[inline(always)]
    fn equal_words(self, a: u32x8, b: u32x8) -> u32 {
        self.avx._mm256_movemask_ps(cast(self.cmp_eq_u32x8(a, b))) as u32
    }

    #[inline(always)]
    fn add_words(self, a: u32x8, b: u32x8) -> u32x8 {
        self.wrapping_add_u32x8(a, b)
    }

    #[inline(always)]
    fn keep_words(self, a: u32x8, bits: u32) -> u32x8 {
        let lane_bits = u32x8(1, 2, 4, 8, 16, 32, 64, 128);
        let set = self.and_u32x8(self.splat_u32x8(bits), lane_bits);
        self.and_u32x8(a, cast(self.cmp_eq_u32x8(set, lane_bits)))
    }

    #[inline(always)]
    fn round(self, a: f32x8) -> u32x8 {
        cast(self.avx._mm256_cvtps_epi32(cast(a)))
    }

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        struct Vectorized<K>(V3, K);
        impl<K: Kernel> NullaryFnOnce for Vectorized<K> {
            type Output = K::Output;

            #[inline(always)]
            fn call(self) -> K::Output {
                self.1.run(self.0)
            }
        }
        self.vectorize(Vectorized(self, kernel))
    }
}
