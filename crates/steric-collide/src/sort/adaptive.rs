//! A sort that profits from order that is there already.
//!
//! How it works: items that ascend are a run. Where a run begins below the end of the one before, some were too large or some are too small; whichever are fewer are pulled out (a simple form of
//! Ernerfeldt's drop-merge sort). What was pulled out is sorted and merged back. Pieces are read, and parts of the output written, at the same time. With more than a sixteenth out of order, [`radix`] is
//! faster, and does it.
//!
//! What it costs is guesses of the processor that turn out wrong, about six for each key that was moved, so ends of runs are found without a branch, and merging looks at eight items at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::{PIECE, SortKey, pieces, radix};

/// With more than one in so many out of order, radix sort is faster.
const FEW: usize = 16;
/// So many items are looked at before someone asks whether it is still worth it.
const CHUNK: usize = 1_024;
/// So many items are copied at once where all of them come first.
const STRIDE: usize = 8;

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
    let Some(kept) = kept(items) else {
        radix(items, room);
        return Order::Little;
    };
    let out = kept.gaps(items.len());
    if !out.is_empty() {
        let come = sorted(items, &out);
        room.resize(items.len(), (K::default(), 0));
        Merge { items, kept: &kept.runs, come: &come }.write(room);
        std::mem::swap(items, room);
    }
    Order::Nearly { out_of_order: out.len() }
}

/// Keys that were pulled out and the places where they stood, by key and then by place.
fn sorted<K: SortKey>(items: &[(K, u32)], out: &[u32]) -> Vec<(K, u32)> {
    let mut come: Vec<(K, u32)> = out.iter().map(|&place| (items[place as usize].0, place)).collect();
    radix(&mut come, &mut Vec::new());
    come
}

/// Items that are in order without the others. `None` if more than a few would be left out.
fn kept<K: SortKey>(items: &[(K, u32)]) -> Option<Kept> {
    let length = items.len().div_ceil(pieces(items.len())).max(1);
    let read = |(piece, part): (usize, &[(K, u32)])| Kept::of(items, piece * length..piece * length + part.len());
    let of_pieces: Vec<Kept> = items.par_chunks(length).enumerate().map(read).collect::<Option<_>>()?;
    let mut all = Kept::default();
    for kept in of_pieces {
        kept.runs.into_iter().for_each(|run| all.join(items, run));
    }
    (items.len() - all.count <= items.len() / FEW).then_some(all)
}

/// Places of items that are in order, in runs.
#[derive(Debug, Default)]
struct Kept {
    runs: Vec<Range<usize>>,
    count: usize,
}

impl Kept {
    /// Those of a piece. `None` if too many would be left out.
    fn of<K: SortKey>(items: &[(K, u32)], piece: Range<usize>) -> Option<Self> {
        let drops = drops(&items[piece.clone()])?;
        let (mut kept, mut start) = (Self::default(), piece.start);
        for end in drops.into_iter().map(|drop| piece.start + drop as usize + 1).chain([piece.end]) {
            kept.join(items, start..end);
            start = end;
        }
        (piece.len() - kept.count <= piece.len() / FEW + CHUNK).then_some(kept)
    }

    /// Goes on with a run of items that ascend. Where it begins below the last one kept, the side that has fewer items to give up gives them up.
    #[inline]
    fn join<K: SortKey>(&mut self, items: &[(K, u32)], mut run: Range<usize>) {
        let key = |place: usize| items[place].0;
        let Some(last) = self.runs.last().map(|run| run.end - 1).filter(|&last| key(last) > key(run.start)) else {
            return self.push(run);
        };
        let (first, last) = (key(run.start), key(last));
        let mut left = self.runs.iter().rev().flat_map(|run| run.clone().rev()).skip(1);
        let mut count = 1;
        loop {
            if left.next().is_none_or(|place| key(place) <= first) {
                self.give_up(count);
                return self.push(run);
            }
            if run.start + count == run.end || key(run.start + count) >= last {
                run.start += count;
                return self.push(run);
            }
            count += 1;
        }
    }

    #[inline]
    fn push(&mut self, run: Range<usize>) {
        self.count += run.len();
        match self.runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ if run.is_empty() => {}
            _ => self.runs.push(run),
        }
    }

    /// Gives up the last few.
    fn give_up(&mut self, count: usize) {
        self.count -= count;
        let mut left = count;
        while let Some(last) = self.runs.last_mut().filter(|_| left > 0) {
            let given_up = last.len().min(left);
            (last.end, left) = (last.end - given_up, left - given_up);
            if last.start == last.end {
                self.runs.pop();
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

/// Behind which items a smaller one stands. `None` if there are too many.
fn drops<K: SortKey>(items: &[(K, u32)]) -> Option<Vec<u32>> {
    let most = items.len() / FEW + 1;
    let (mut drops, mut count) = (vec![0; most + CHUNK], 0);
    let last = items.len().saturating_sub(1);
    for first in (0..last).step_by(CHUNK) {
        let chunk = &items[first..=(first + CHUNK).min(last)];
        for (place, pair) in (first as u32..).zip(chunk.windows(2)) {
            // Written each time and counted only if it is one: nobody could predict which are.
            drops[count] = place;
            count += usize::from(pair[1].0 < pair[0].0);
        }
        if count > most {
            return None;
        }
    }
    drops.truncate(count);
    Some(drops)
}

/// Items that ascend in runs, and others that come among them.
#[derive(Clone, Copy)]
struct Merge<'a, K> {
    items: &'a [(K, u32)],
    kept: &'a [Range<usize>],
    /// Keys, and the places where they stood.
    come: &'a [(K, u32)],
}

impl<K: SortKey> Merge<'_, K> {
    fn write(&self, into: &mut [(K, u32)]) {
        self.write_between(0..self.items.len(), into);
    }

    /// Writes what stands at some places, and those that come among them.
    fn write_between(&self, places: Range<usize>, into: &mut [(K, u32)]) {
        if into.len() <= PIECE || places.len() < 2 {
            return self.write_in_line(&places, into);
        }
        let middle = places.start + places.len() / 2;
        let runs_before = &self.kept[..self.kept.partition_point(|run| run.start < middle)];
        let runs_behind = &self.kept[self.kept.partition_point(|run| run.end <= middle)..];
        // Whoever comes goes before the first one behind, or not.
        let first = runs_behind.first().map(|run| run.start.max(middle));
        let is_before =
            |&(key, place): &(K, u32)| first.is_none_or(|first| (key, place as usize) < (self.items[first].0, first));
        let (come_before, come_behind) = self.come.split_at(self.come.partition_point(is_before));
        let before = Self { kept: runs_before, come: come_before, ..*self };
        let behind = Self { kept: runs_behind, come: come_behind, ..*self };
        let (places_before, places_behind) = (places.start..middle, middle..places.end);
        let (into, into_behind) = into.split_at_mut(before.len(&places_before));
        rayon::join(|| before.write_between(places_before, into), || behind.write_between(places_behind, into_behind));
    }

    fn len(&self, places: &Range<usize>) -> usize {
        self.come.len() + self.kept.iter().map(|run| within(run, places).len()).sum::<usize>()
    }

    fn write_in_line(&self, places: &Range<usize>, into: &mut [(K, u32)]) {
        let Self { items, kept, come } = *self;
        let mut written = 0;
        let mut put = |stretch: &[(K, u32)]| {
            into[written..][..stretch.len()].copy_from_slice(stretch);
            written += stretch.len();
        };
        let mut come = come.iter().copied().peekable();
        for run in kept.iter().map(|run| within(run, places)) {
            let (mut at, run) = (run.start, &items[..run.end]);
            while let Some((key, place)) = come.peek().copied() {
                // Among equal keys, who stood before goes before.
                let is_before = |at: usize, item: &(K, u32)| item.0 < key || (item.0 == key && at < place as usize);
                while let Some(eight) = run[at..].first_chunk::<STRIDE>()
                    && is_before(at + STRIDE - 1, &eight[STRIDE - 1])
                {
                    put(eight);
                    at += STRIDE;
                }
                while let Some(item) = run.get(at)
                    && is_before(at, item)
                {
                    put(&[*item]);
                    at += 1;
                }
                if at == run.len() {
                    break;
                }
                put(&[items[place as usize]]);
                come.next();
            }
            put(&run[at..]);
        }
        come.for_each(|(_, place)| put(&[items[place as usize]]));
    }
}

/// The part of a run that stands at some places.
fn within(run: &Range<usize>, places: &Range<usize>) -> Range<usize> {
    let start = run.start.max(places.start);
    start..run.end.min(places.end).max(start)
}
