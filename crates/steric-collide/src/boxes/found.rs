//! Pairs as pieces of work find them, and all of them in order.

use crate::sort;

/// What one piece of work found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) passed_over: usize,
}

impl Found {
    /// Keeps a pair if it is wanted.
    #[inline(always)]
    pub(super) fn take(&mut self, a: u32, b: u32, wanted: &impl Fn(u32, u32) -> bool) {
        if wanted(a, b) {
            self.pairs.push((a, b));
        } else {
            self.passed_over += 1;
        }
    }
}

/// Fills in what all pieces found, by the first number and then by the second; how many pairs were passed over.
pub(super) fn put_in_order(found: Vec<Found>, pairs: &mut Vec<[u32; 2]>) -> usize {
    let passed_over = found.iter().map(|found| found.passed_over).sum();
    let mut all: Vec<(u32, u32)> = found.iter().flat_map(|found| &found.pairs).copied().collect();
    sort::radix(&mut all, &mut Vec::new());
    // Few boxes touch any one, so these sorts are short.
    all.chunk_by_mut(|a, b| a.0 == b.0).for_each(|of_one| of_one.sort_unstable_by_key(|pair| pair.1));
    pairs.clear();
    pairs.extend(all.into_iter().map(<[u32; 2]>::from));
    passed_over
}
