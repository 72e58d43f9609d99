//! Sorting numbered things by a key: cells by their number, above all.
//!
//! How it works: an item is a key and a value; items with one key keep their order. [`radix`] takes as long for any input. [`adaptive`] pulls out the few keys that
//! are out of order, sorts these and merges them back, which is less work while most keys stand where they stood the last time (Gissler, Ihmsen and
//! Teschner sort cell entries that way, frame after frame). Both work in parallel without locks: whoever writes owns the slice that it writes to.

mod adaptive;
mod merge;
mod radix;

pub use adaptive::{Order, adaptive};
pub(crate) use merge::{Change, gallop};
pub use radix::radix;

/// A key that [`radix`] can take apart: `u32` or `u64`.
///
/// ```
/// use steric_collide::sort::SortKey;
///
/// assert_eq!(0b1011_0000u32.digit(4, 0b11), 0b11);
/// ```
pub trait SortKey: Copy + Ord + Default + Send + Sync {
    /// The bits from `shift` on that are in `mask`.
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// How many bits, counted from the lowest, hold all in which the two keys differ.
    fn differing_bits(self, other: Self) -> u32;
}

impl SortKey for u32 {
    #[inline(always)]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }

    #[inline(always)]
    fn differing_bits(self, other: Self) -> u32 {
        Self::BITS - (self ^ other).leading_zeros()
    }
}

impl SortKey for u64 {
    #[inline(always)]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self >> shift) as usize & mask
    }

    #[inline(always)]
    fn differing_bits(self, other: Self) -> u32 {
        Self::BITS - (self ^ other).leading_zeros()
    }
}

/// Fewer items than this are not worth a second thread.
pub(crate) const PIECE: usize = 16_384;

/// In how many pieces so many items are worked on.
pub(crate) fn pieces(items: usize) -> usize {
    (items / PIECE).clamp(1, rayon::current_num_threads())
}
