//! Few items taken out of many, and few others merged in, in one pass.
//!
//! How it works: it is known which go, and before which item each of the others comes, so that what stays is copied in stretches, from one change to the next. Halves are
//! merged at the same time, each into its own part of the output.

use super::PIECE;

/// The first place from `from` on where `before` no longer holds, found in steps that double: fast where it is near.
#[inline]
pub(crate) fn gallop<T>(items: &[T], from: usize, before: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while low + step <= items.len() && before(&items[low + step - 1]) {
        low += step;
        step *= 2;
    }
    let high = (low + step).min(items.len());
    low + items[low..high].partition_point(before)
}

/// Items that ascend, some of which go and among which others come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<'a, T> {
    pub(crate) items: &'a [T],
    /// The places of those that go, ascending.
    pub(crate) go: &'a [u32],
    pub(crate) come: &'a [T],
    /// Before which item each comes, ascending.
    pub(crate) places: &'a [u32],
}

impl<T: Copy + Send + Sync> Change<'_, T> {
    /// How many there are afterwards.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.go.len() + self.come.len()
    }

    /// Writes what there is afterwards, in order, into a slice of that length.
    pub(crate) fn merge(&self, into: &mut [T]) {
        self.merge_from(0, into);
    }

    /// The same where places are counted from `base`.
    fn merge_from(&self, base: usize, into: &mut [T]) {
        if self.items.len() <= PIECE {
            return self.merge_in_line(base, into);
        }
        let middle = self.items.len() / 2;
        let (items, items_behind) = self.items.split_at(middle);
        let (go, go_behind) = self.go.split_at(self.go.partition_point(|&place| (place as usize) < base + middle));
        let rank = self.places.partition_point(|&place| place as usize <= base + middle);
        let (come, come_behind) = self.come.split_at(rank);
        let (places, places_behind) = self.places.split_at(rank);
        let before = Change { items, go, come, places };
        let behind = Change { items: items_behind, go: go_behind, come: come_behind, places: places_behind };
        let (into, into_behind) = into.split_at_mut(before.len());
        rayon::join(|| before.merge_from(base, into), || behind.merge_from(base + middle, into_behind));
    }

    fn merge_in_line(&self, base: usize, into: &mut [T]) {
        let mut output = Output { items: self.items, read: 0, into, written: 0 };
        let mut go = self.go.iter().map(|&place| place as usize - base).peekable();
        for (&item, &place) in self.come.iter().zip(self.places) {
            let place = place as usize - base;
            while let Some(gap) = go.next_if(|&gap| gap < place) {
                output.copy_to(gap);
                output.read += 1;
            }
            output.copy_to(place);
            output.put(item);
        }
        for gap in go {
            output.copy_to(gap);
            output.read += 1;
        }
        output.copy_to(self.items.len());
    }
}

/// Where a merge reads and writes.
struct Output<'a, T> {
    items: &'a [T],
    read: usize,
    into: &'a mut [T],
    written: usize,
}

impl<T: Copy> Output<'_, T> {
    #[inline(always)]
    fn copy_to(&mut self, place: usize) {
        let stretch = &self.items[self.read..place];
        self.into[self.written..][..stretch.len()].copy_from_slice(stretch);
        self.written += stretch.len();
        self.read = place;
    }

    #[inline(always)]
    fn put(&mut self, item: T) {
        self.into[self.written] = item;
        self.written += 1;
    }
}
