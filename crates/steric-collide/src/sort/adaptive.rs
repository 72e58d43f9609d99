//! A sort that profits from order that is there already.
//!
//! How it works: reading along, a key that is less than the last one kept is pulled out; when eight in a row would be, the ones kept before them were too large and are pulled out
//! instead (Ernerfeldt's drop-merge sort). Pieces are read at the same time, and where two meet, the shorter side gives way. What was pulled out is sorted and
//! merged back. With more than a sixteenth out of order, [`radix`] is faster, and does it.

use rayon::prelude::*;

use super::{SortKey, gallop, merge, pieces, radix, without};

/// So many in a row that are too small say that the one before was too large.
const IN_A_ROW: usize = 8;
/// With more than one in so many out of order, radix sort is faster.
const FEW: usize = 16;

/// What [`adaptive`] found.
///
/// ```
/// use steric_collide::sort::{Order, adaptive};
///
/// let mut items: Vec<(u32, u32)> = (0..1000).map(|key| (key, key)).collect();
/// items[400].0 = 7;
/// assert_eq!(adaptive(&mut items, &mut Vec::new()), Order::Nearly { out_of_order: 1 });
/// assert_eq!(adaptive(&mut items, &mut Vec::new()), Order::Nearly { out_of_order: 0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// So many keys were pulled out and merged back.
    Nearly {
        /// How many.
        out_of_order: usize,
    },
    /// Too many were out of order, and radix sort took over.
    Little,
}

/// Sorts by key; items with one key keep their order. `room` is memory that the next call uses again.
///
/// ```
/// use steric_collide::sort;
///
/// let mut items = vec![(1u64, 0), (2, 1), (9, 2), (3, 3), (3, 4), (5, 5)];
/// sort::adaptive(&mut items, &mut Vec::new());
/// assert_eq!(items, [(1, 0), (2, 1), (3, 3), (3, 4), (5, 5), (9, 2)]);
/// ```
pub fn adaptive<K: SortKey>(items: &mut Vec<(K, u32)>, room: &mut Vec<(K, u32)>) -> Order {
    let Some(out) = out_of_order(items) else {
        radix(items, room);
        return Order::Little;
    };
    if !out.is_empty() {
        put_back(items, room, &out);
    }
    Order::Nearly { out_of_order: out.len() }
}

/// Sorts what stands at the places in `out` and merges it with the others, which are in order.
fn put_back<K: SortKey>(items: &mut [(K, u32)], room: &mut Vec<(K, u32)>, out: &[u32]) {
    // With each, how many of the others stood before it: that decides between equal keys.
    let mut few: Vec<((K, u32), u32)> =
        out.iter().enumerate().map(|(rank, &place)| (items[place as usize], place - rank as u32)).collect();
    few.par_sort_by_key(|&((key, _), _)| key);
    room.resize(items.len() - out.len(), (K::default(), 0));
    without(items, out, 0, room);
    let places = few.par_chunks(1024).flat_map_iter(|few| places(room, few)).collect::<Vec<_>>();
    let few: Vec<(K, u32)> = few.into_iter().map(|(item, _)| item).collect();
    merge(room, &few, &places, 0, items);
}

fn places<K: SortKey>(kept: &[(K, u32)], few: &[((K, u32), u32)]) -> Vec<u32> {
    let mut low = 0;
    let place = |&((key, _), before): &((K, u32), u32)| {
        low = gallop(kept, low, |item| item.0 < key);
        let high = gallop(kept, low, |item| item.0 <= key);
        before.clamp(low as u32, high as u32)
    };
    few.iter().map(place).collect()
}

/// Places whose items are out of order, ascending; without them the others are in order. `None` if there are many.
fn out_of_order<K: SortKey>(items: &[(K, u32)]) -> Option<Vec<u32>> {
    let length = items.len().div_ceil(pieces(items.len())).max(1);
    let mut is_out = vec![false; items.len()];
    let read = |(piece, is_out): (&[(K, u32)], &mut [bool])| pull_out(piece, is_out);
    items.par_chunks(length).zip(is_out.par_chunks_mut(length)).map(read).collect::<Option<()>>()?;
    for border in (length..items.len()).step_by(length) {
        mend(items, &mut is_out, border);
    }
    let out: Vec<u32> = (0..items.len() as u32).filter(|&place| is_out[place as usize]).collect();
    (out.len() <= items.len() / FEW).then_some(out)
}

/// Marks items of a piece so that the others are in order. `None` if too many would be marked.
fn pull_out<K: SortKey>(items: &[(K, u32)], is_out: &mut [bool]) -> Option<()> {
    let key = |place: usize| items[place].0;
    let mut kept: Vec<u32> = Vec::with_capacity(items.len());
    // The key of the last one kept; below all keys while there is none.
    let mut last = K::default();
    let (mut place, mut in_a_row) = (0, 0);
    while place < items.len() {
        if key(place) >= last {
            in_a_row = 0;
        } else if in_a_row == 0 && kept.len() >= 2 && key(kept[kept.len() - 2] as usize) <= key(place) {
            // Without the last one this fits: a bet that costs one item, whichever of the two is wrong.
            kept.pop();
        } else if in_a_row < IN_A_ROW {
            in_a_row += 1;
            place += 1;
            continue;
        } else {
            place -= in_a_row;
            step_back(items, &mut kept, place, in_a_row);
            last = kept.last().map_or(K::default(), |&last| key(last as usize));
            in_a_row = 0;
            continue;
        }
        kept.push(place as u32);
        last = key(place);
        place += 1;
        if place - kept.len() > items.len() / FEW + IN_A_ROW {
            return None;
        }
    }
    is_out.fill(true);
    kept.iter().for_each(|&place| is_out[place as usize] = false);
    Some(())
}

/// Gives up the last one kept, and those before it that are larger than all of the items read since.
fn step_back<K: SortKey>(items: &[(K, u32)], kept: &mut Vec<u32>, place: usize, count: usize) {
    let largest = items[place..place + count].iter().map(|item| item.0).max();
    kept.pop();
    while kept.last().is_some_and(|&last| Some(items[last as usize].0) > largest) {
        kept.pop();
    }
}

/// Marks items on one side of a border, the side where there are fewer to mark, until what is left is in order across it.
fn mend<K: SortKey>(items: &[(K, u32)], is_out: &mut [bool], border: usize) {
    let mut left = (0..border).rev().filter(|&place| !is_out[place]);
    let mut right = (border..items.len()).filter(|&place| !is_out[place]);
    let (Some(last), Some(first)) = (left.next(), right.next()) else { return };
    let (mut on_left, mut on_right) = (Vec::new(), Vec::new());
    let (mut from_left, mut from_right) = (Some(last), Some(first));
    let marked = loop {
        match from_left {
            Some(place) if items[place].0 > items[first].0 => on_left.push(place),
            _ => break on_left,
        }
        match from_right {
            Some(place) if items[place].0 < items[last].0 => on_right.push(place),
            _ => break on_right,
        }
        (from_left, from_right) = (left.next(), right.next());
    };
    marked.into_iter().for_each(|place| is_out[place] = true);
}
