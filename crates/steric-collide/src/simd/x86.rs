//! Eight lanes as one AVX2 register. The token [`V3`] exists only where the processor has AVX2 and FMA.

use bytemuck::cast;
use pulp::x86::V3;
use pulp::{NullaryFnOnce, f32x8, u32x4, u32x8};
use steric_model::LANES;

use super::{Eight, Kernel, Lanes};

/// For each eight bits, the lanes whose bits are set, in order.
static PACKED: [[u32; LANES]; 256] = {
    let mut packed = [[0; LANES]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if bits >> lane & 1 == 1 {
                packed[bits][count] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    packed
};

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
    fn signs(self, a: f32x8) -> u32 {
        self.avx._mm256_movemask_ps(cast(a)) as u32
    }

    #[inline(always)]
    fn smaller_size(self, a: f32x8, b: f32x8) -> f32x8 {
        // The processor's answer is its second operand where the first is no number.
        cast(self.avx._mm256_min_ps(cast(self.abs_f32x8(b)), cast(a)))
    }

    #[inline(always)]
    fn any_less(self, a: [(f32x8, f32x8); 3], b: [(f32x8, f32x8); 3]) -> u32 {
        // No closures: only what is sure to be inlined is compiled for AVX2.
        let [a0, a1, a2] =
            [self.cmp_lt_f32x8(a[0].0, a[0].1), self.cmp_lt_f32x8(a[1].0, a[1].1), self.cmp_lt_f32x8(a[2].0, a[2].1)];
        let [b0, b1, b2] =
            [self.cmp_lt_f32x8(b[0].0, b[0].1), self.cmp_lt_f32x8(b[1].0, b[1].1), self.cmp_lt_f32x8(b[2].0, b[2].1)];
        let first = self.or_m32x8(a0, self.or_m32x8(a1, a2));
        let second = self.or_m32x8(b0, self.or_m32x8(b1, b2));
        self.avx._mm256_movemask_ps(cast(self.or_m32x8(first, second))) as u32
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
    fn have_bits(self, a: u32x8, bits: u32x8) -> u32 {
        self.equal_words(self.and_u32x8(a, bits), bits)
    }

    #[inline(always)]
    fn sorted_words(self, a: u32x8, b: u32x8) -> [u32x8; 2] {
        let (a, b) = (cast(a), cast(b));
        [cast(self.avx2._mm256_min_epi32(a, b)), cast(self.avx2._mm256_max_epi32(a, b))]
    }

    #[inline(always)]
    fn interleave(self, a: u32x8, b: u32x8) -> [[u32; LANES]; 2] {
        let (a, b) = (cast(a), cast(b));
        let (low, high) = (self.avx2._mm256_unpacklo_epi32(a, b), self.avx2._mm256_unpackhi_epi32(a, b));
        let first = self.avx2._mm256_permute2x128_si256::<0x20>(low, high);
        let last = self.avx2._mm256_permute2x128_si256::<0x31>(low, high);
        [cast(first), cast(last)]
    }

    #[inline(always)]
    fn add_words(self, a: u32x8, b: u32x8) -> u32x8 {
        self.wrapping_add_u32x8(a, b)
    }

    #[inline(always)]
    fn sub_words(self, a: u32x8, b: u32x8) -> u32x8 {
        self.wrapping_sub_u32x8(a, b)
    }

    #[inline(always)]
    fn keep_words(self, a: u32x8, bits: u32) -> u32x8 {
        let lane_bits = u32x8(1, 2, 4, 8, 16, 32, 64, 128);
        let set = self.and_u32x8(self.splat_u32x8(bits), lane_bits);
        self.and_u32x8(a, cast(self.cmp_eq_u32x8(set, lane_bits)))
    }

    #[inline(always)]
    fn pack_words(self, a: u32x8, bits: u32) -> u32x8 {
        cast(self.avx2._mm256_permutevar8x32_epi32(cast(a), cast(PACKED[bits as usize & 0xff])))
    }

    #[inline(always)]
    fn sum_words(self, a: u32x8, b: u32x8, c: u32x8) -> [u32; 3] {
        let pairs = self.avx2._mm256_hadd_epi32(cast(a), cast(b));
        let fours = self.avx2._mm256_hadd_epi32(pairs, self.avx2._mm256_hadd_epi32(cast(c), cast(c)));
        let halves: [u32x4; 2] = cast(fours);
        let u32x4(a, b, c, _) = self.wrapping_add_u32x4(halves[0], halves[1]);
        [a, b, c]
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
