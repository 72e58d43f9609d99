//! Few items merged into many.
//!
//! How it works: for each of the few it is known before which of the many it goes, so that the many are copied in stretches, from one of the few to the next. Halves are
//! merged at the same time, each into its own half of the output.

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

/// Merges `few` into `kept`: each goes before the item of `kept` at its place, counted from `base`. Places ascend; `into` has room for all.
pub(crate) fn merge<T: Copy + Send + Sync>(kept: &[T], few: &[T], places: &[u32], base: usize, into: &mut [T]) {
    if kept.len() <= PIECE {
        return merge_in_line(kept, few, places, base, into);
    }
    let middle = kept.len() / 2;
    let rank = places.partition_point(|&place| place as usize <= base + middle);
    let (into, into_behind) = into.split_at_mut(middle + rank);
    rayon::join(
        || merge(&kept[..middle], &few[..rank], &places[..rank], base, into),
        || merge(&kept[middle..], &few[rank..], &places[rank..], base + middle, into_behind),
    );
}

fn merge_in_line<T: Copy>(kept: &[T], few: &[T], places: &[u32], base: usize, into: &mut [T]) {
    let mut from = 0;
    for (rank, (&item, &place)) in few.iter().zip(places).enumerate() {
        let to = place as usize - base;
        into[from + rank..to + rank].copy_from_slice(&kept[from..to]);
        into[to + rank] = item;
        from = to;
    }
    into[from + few.len()..].copy_from_slice(&kept[from..]);
}

/// Copies all items but those at the places in `out`, which ascend and are counted from `base`.
pub(crate) fn without<T: Copy + Send + Sync>(items: &[T], out: &[u32], base: usize, into: &mut [T]) {
    if items.len() <= PIECE {
        return without_in_line(items, out, base, into);
    }
    let middle = items.len() / 2;
    let rank = out.partition_point(|&place| (place as usize) < base + middle);
    let (into, into_behind) = into.split_at_mut(middle - rank);
    rayon::join(
        || without(&items[..middle], &out[..rank], base, into),
        || without(&items[middle..], &out[rank..], base + middle, into_behind),
    );
}

fn without_in_line<T: Copy>(items: &[T], out: &[u32], base: usize, into: &mut [T]) {
    let mut from = 0;
    for (rank, &place) in out.iter().enumerate() {
        let to = place as usize - base;
        into[from - rank..to - rank].copy_from_slice(&items[from..to]);
        from = to + 1;
    }
    into[from - out.len()..].copy_from_slice(&items[from..]);
}
