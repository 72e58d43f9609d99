//! Eight lanes at a time, on whatever the processor has.
//!
//! How it works: a kernel is written once, generic over [`Lanes`]; [`dispatch`] looks at the processor when it is
//! called and runs the kernel with AVX2 and FMA, or with plain arrays that the compiler vectorises as it can. One
//! binary runs everywhere.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use portable::Portable;
use steric_model::LANES;

/// Eight `f32` side by side.
pub(crate) type Eight = [f32; LANES];

/// Arithmetic on eight lanes. Comparisons give a bit per lane, lane 0 in bit 0; NaN compares false.
pub(crate) trait Lanes: Copy + Send + Sync {
    /// A register of eight `f32`.
    type Floats: Copy;
    /// A register of eight `u32`.
    type Words: Copy;

    fn load(self, from: &Eight) -> Self::Floats;
    fn store(self, from: Self::Floats) -> Eight;
    fn splat(self, value: f32) -> Self::Floats;
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `a * b + c`.
    fn mul_add(self, a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    fn div(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    fn sqrt(self, a: Self::Floats) -> Self::Floats;
    fn less(self, a: Self::Floats, b: Self::Floats) -> u32;
    /// A bit for each lane that has a minus.
    fn signs(self, a: Self::Floats) -> u32;
    /// The smaller of a value and the size of another; the value where the other is no number.
    fn smaller_size(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// Lanes where the first of any of six pairs is less than the second.
    fn any_less(self, a: [(Self::Floats, Self::Floats); 3], b: [(Self::Floats, Self::Floats); 3]) -> u32;
    /// `value` in the lanes where `a < b`, zero in the others.
    fn where_less(self, a: Self::Floats, b: Self::Floats, value: Self::Floats) -> Self::Floats;

    fn load_words(self, from: &[u32; LANES]) -> Self::Words;
    fn splat_words(self, value: u32) -> Self::Words;
    fn store_words(self, from: Self::Words) -> [u32; LANES];
    fn equal_words(self, a: Self::Words, b: Self::Words) -> u32;
    /// Lanes whose words have all of some bits.
    fn have_bits(self, a: Self::Words, bits: Self::Words) -> u32;
    /// The smaller and the greater of each two words, both with their signs.
    fn sorted_words(self, a: Self::Words, b: Self::Words) -> [Self::Words; 2];
    /// The words of both by turns: from the first four lanes, and from the last four.
    fn interleave(self, a: Self::Words, b: Self::Words) -> [[u32; LANES]; 2];
    /// Wrapping sum.
    fn add_words(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Wrapping difference.
    fn sub_words(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// The words in the lanes whose bit is set, zero in the others.
    fn keep_words(self, a: Self::Words, bits: u32) -> Self::Words;
    /// The words in the lanes whose bit is set, side by side from the first lane on; what stands behind them is left open.
    fn pack_words(self, a: Self::Words, bits: u32) -> Self::Words;
    /// The wrapping sums of the lanes of three registers.
    fn sum_words(self, a: Self::Words, b: Self::Words, c: Self::Words) -> [u32; 3];
    /// The nearest whole numbers, ties to even, as two's complement.
    fn round(self, a: Self::Floats) -> Self::Words;

    /// Runs a function that was inlined into this call with the processor features behind these lanes.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;
}

/// A piece of work that runs on any lanes.
pub(crate) trait Kernel {
    type Output;

    /// Must be `#[inline(always)]`, as must what it calls in its inner loops: only what is inlined is compiled for
    /// the processor's features.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs a kernel on the widest lanes that this processor has.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(test)]
    if PORTABLE_ONLY.load(std::sync::atomic::Ordering::Relaxed) {
        return Lanes::run(Portable, kernel);
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return Lanes::run(avx2, kernel);
    }
    Lanes::run(Portable, kernel)
}

/// Lets a test run the plain arrays on a processor that has more.
#[cfg(test)]
pub(crate) static PORTABLE_ONLY: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// One value per axis. Unlike the array functions of the standard library it is sure to be inlined, without which the
/// registers of a kernel would go through memory.
#[inline(always)]
pub(crate) fn per_axis<T>(mut of: impl FnMut(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// What [`dispatch`] takes on this processor, in words.
pub(crate) fn instruction_set() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if pulp::x86::V3::try_new().is_some() {
        return "avx2";
    }
    "portable"
}
