//! What the points of a few cells found: a row of numbers for each, in order.

use steric_model::LANES;

use crate::simd::Lanes;

/// The rows of some slots, one after another.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The first slot.
    pub(super) first: usize,
    /// Where the row of each slot ends.
    pub(super) ends: Vec<u32>,
    /// The numbers of the points that were found.
    pub(super) found: Vec<u32>,
    /// Which image of each, packed, where images are kept.
    pub(super) images: Vec<u64>,
}

impl Rows {
    /// Empties it, and keeps its memory.
    pub(super) fn reset(&mut self, first: usize) {
        self.first = first;
        self.ends.clear();
        self.found.clear();
        self.images.clear();
    }
}

/// Twenty-one bits for each number of boxes, in the order of their sizes.
pub(super) fn pack_image(image: [i32; 3]) -> u64 {
    const ZERO: i64 = 1 << 20;
    image.iter().fold(0, |packed, &along| packed << 21 | (i64::from(along) + ZERO) as u64 & 0x1f_ffff)
}

/// The reverse of [`pack_image`].
pub(super) fn unpack_image(packed: u64) -> [i32; 3] {
    [42, 21, 0].map(|shift| (packed >> shift & 0x1f_ffff) as i32 - (1 << 20))
}

/// Beyond this length a row is sorted by comparing pairs; up to it every number is compared with every other, eight at a time.
pub(super) const SHORT: usize = 192;

/// For each of the first `length` words, how many of them are smaller. Behind them there is room for a register more, which is
/// overwritten. No word may be there twice, and none may have its highest bit set.
#[inline(always)]
pub(super) fn ranks<L: Lanes>(lanes: L, words: &mut [u32], length: usize, ranks: &mut [[u32; LANES]]) {
    let blocks = length.div_ceil(LANES);
    words[length..blocks * LANES].fill(i32::MAX as u32);
    let (words, _) = words.as_chunks::<LANES>();
    // Two registers at a time: what is compared is loaded once for both.
    let mut block = 0;
    while block < blocks {
        let other = (block + 1).min(blocks - 1);
        let (ours, theirs) = (lanes.load_words(&words[block]), lanes.load_words(&words[other]));
        let (mut first, mut second) = (lanes.splat_words(0), lanes.splat_words(0));
        for eight in &words[..blocks] {
            let mut lane = 0;
            while lane < LANES {
                let word = lanes.splat_words(eight[lane]);
                first = lanes.sub_words(first, lanes.greater_words(ours, word));
                second = lanes.sub_words(second, lanes.greater_words(theirs, word));
                lane += 1;
            }
        }
        ranks[block] = lanes.store_words(first);
        ranks[other] = lanes.store_words(second);
        block += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Kernel, dispatch};

    struct Ranks(Vec<u32>);

    impl Kernel for Ranks {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<L: Lanes>(mut self, lanes: L) -> Vec<u32> {
            let length = self.0.len();
            self.0.resize(length + LANES, 0);
            let mut found = vec![[0; LANES]; length.div_ceil(LANES)];
            ranks(lanes, &mut self.0, length, &mut found);
            found.into_flattened()[..length].to_vec()
        }
    }

    #[test]
    fn the_rank_of_a_word_is_how_many_are_smaller() {
        for length in 0..70u32 {
            let words: Vec<u32> = (0..length).map(|index| index * 37 % 101).collect();
            let smaller: Vec<u32> =
                words.iter().map(|word| words.iter().filter(|other| *other < word).count() as u32).collect();
            assert_eq!(dispatch(Ranks(words)), smaller);
        }
    }

    #[test]
    fn images_survive_their_packing() {
        for image in [[0, 0, 0], [-1, 2, -3], [1 << 19, -(1 << 19), 5]] {
            assert_eq!(unpack_image(pack_image(image)), image);
        }
        assert!(pack_image([0, 0, -1]) < pack_image([0, 0, 0]));
    }
}
