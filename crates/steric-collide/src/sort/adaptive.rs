//! A sort that profits from order that is there already.
//!
//! How it works: reading along, a key that is less than the last one kept is pulled out; when eight in a row would be, the ones kept before them were too large and are pulled out
//! instead (Ernerfeldt's drop-merge sort). Pieces are read at the same time, and where two meet, the shorter side gives way. What was pulled out is sorted and
//! merged back. With more than a sixteenth out of order, [`radix`] is faster, and does it.

use std::ops::Range;

use rayon::prelude::*;

use super::{Change, SortKey, gallop, pieces, radix};

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
fn put_back<K: SortKey>(items: &mut Vec<(K, u32)>, room: &mut Vec<(K, u32)>, out: &[u32]) {
    let pulled: Vec<(K, u32)> = out.iter().map(|&place| items[place as usize]).collect();
    // Each leaves the key of its neighbour in its place, so that the keys ascend.
    for place in out.iter().map(|&place| place as usize) {
        items[place].0 = if place == 0 { K::default() } else { items[place - 1].0 };
    }
    let mut order: Vec<(K, u32)> = (0..).zip(&pulled).map(|(rank, &(key, _))| (key, rank)).collect();
    radix(&mut order, &mut Vec::new());
    let come: Vec<(K, u32)> = order.iter().map(|&(_, rank)| pulled[rank as usize]).collect();
    let places: Vec<u32> = order.par_chunks(256).flat_map_iter(|order| places(items, order, out)).collect();
    let change = Change { items, go: out, come: &come, places: &places };
    room.resize(change.len(), (K::default(), 0));
    change.merge(room);
    std::mem::swap(items, room);
}

/// Before which items some of those come that were pulled out: among equal keys, before the one behind which they stood.
fn places<K: SortKey>(items: &[(K, u32)], order: &[(K, u32)], out: &[u32]) -> Vec<u32> {
    let mut low = 0;
    let place = |&(key, rank): &(K, u32)| {
        low = gallop(items, low, |item| item.0 < key);
        let high = gallop(items, low, |item| item.0 <= key);
        out[rank as usize].clamp(low as u32, high as u32)
    };
    order.iter().map(place).collect()
}

/// Places whose items are out of order, ascending; without them the others are in order. `None` if there are many.
fn out_of_order<K: SortKey>(items: &[(K, u32)]) -> Option<Vec<u32>> {
    let length = items.len().div_ceil(pieces(items.len())).max(1);
    let read = |(piece, part): (usize, &[(K, u32)])| {
        let first = piece * length;
        pull_out(items, first..first + part.len())
    };
    let kept: Vec<Kept> = items.par_chunks(length).enumerate().map(read).collect::<Option<_>>()?;
    let mut all = Kept::default();
    kept.into_iter().for_each(|kept| all.join(kept, items));
    let out = all.gaps(items.len());
    (out.len() <= items.len() / FEW).then_some(out)
}

/// Keeps items of a piece that are in order. `None` if too many would be left out.
fn pull_out<K: SortKey>(items: &[(K, u32)], piece: Range<usize>) -> Option<Kept> {
    let key = |place: usize| items[place].0;
    let most = piece.len() / FEW + IN_A_ROW;
    let mut kept = Kept::default();
    // The key of the last one kept; below all keys while there is none.
    let mut last = K::default();
    let (mut place, mut in_a_row) = (piece.start, 0);
    while place < piece.end {
        if key(place) >= last {
            let from = place;
            while place < piece.end && key(place) >= last {
                last = key(place);
                place += 1;
            }
            kept.push(from..place);
            in_a_row = 0;
        } else if in_a_row == 0 && kept.last_but_one().is_some_and(|before| key(before) <= key(place)) {
            // Without the last one this fits: a bet that costs one item, whichever of the two is wrong.
            kept.pop();
            last = key(place);
            kept.push(place..place + 1);
            place += 1;
        } else if in_a_row < IN_A_ROW {
            in_a_row += 1;
            place += 1;
            continue;
        } else {
            place -= in_a_row;
            kept.step_back(items, place..place + in_a_row);
            last = kept.last().map_or(K::default(), key);
            in_a_row = 0;
            continue;
        }
        if place - piece.start - kept.count > most {
            return None;
        }
    }
    Some(kept)
}

/// Places of items that are in order, in runs side by side.
#[derive(Debug, Default)]
struct Kept {
    runs: Vec<Range<usize>>,
    count: usize,
}

impl Kept {
    fn last(&self) -> Option<usize> {
        self.runs.last().map(|run| run.end - 1)
    }

    fn last_but_one(&self) -> Option<usize> {
        let (last, before) = self.runs.split_last()?;
        if last.len() > 1 { Some(last.end - 2) } else { before.last().map(|run| run.end - 1) }
    }

    fn push(&mut self, places: Range<usize>) {
        self.count += places.len();
        match self.runs.last_mut() {
            Some(last) if last.end == places.start => last.end = places.end,
            _ => self.runs.push(places),
        }
    }

    fn pop(&mut self) {
        let Some(last) = self.runs.last_mut() else { return };
        last.end -= 1;
        self.count -= 1;
        if last.start == last.end {
            self.runs.pop();
        }
    }

    /// Gives up the last one, and those before it that are larger than all of the items read since.
    fn step_back<K: SortKey>(&mut self, items: &[(K, u32)], since: Range<usize>) {
        let largest = items[since].iter().map(|item| item.0).max();
        self.pop();
        while self.last().is_some_and(|last| Some(items[last].0) > largest) {
            self.pop();
        }
    }

    /// Goes on with those of the next piece. Where the two meet, the side that has fewer to give up gives them up.
    fn join<K: SortKey>(&mut self, next: Self, items: &[(K, u32)]) {
        let places = next.runs.into_iter();
        let Some(run) = places.as_slice().first() else { return };
        let (first, last) = (items[run.start].0, self.last().map_or(K::default(), |last| items[last].0));
        let mut on_left =
            self.runs.iter().rev().flat_map(|run| run.clone().rev()).take_while(|&at| items[at].0 > first);
        let mut on_right = places.as_slice().iter().cloned().flatten().take_while(|&at| items[at].0 < last);
        let mut count = 0;
        let is_left = loop {
            if on_left.next().is_none() {
                break true;
            }
            if on_right.next().is_none() {
                break false;
            }
            count += 1;
        };
        if is_left {
            (0..count).for_each(|_| self.pop());
            places.for_each(|run| self.push(run));
            return;
        }
        for mut run in places {
            let given_up = run.len().min(count);
            (run.start, count) = (run.start + given_up, count - given_up);
            if !run.is_empty() {
                self.push(run);
            }
        }
    }

    /// The places between, among so many.
    fn gaps(&self, items: usize) -> Vec<u32> {
        let mut gaps = Vec::with_capacity(items - self.count);
        let mut from = 0;
        for run in &self.runs {
            gaps.extend(from as u32..run.start as u32);
            from = run.end;
        }
        gaps.extend(from as u32..items as u32);
        gaps
    }
}
