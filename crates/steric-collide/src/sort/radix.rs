//! Radix sort, lowest digit first.
//!
//! How it works: each pass deals the items onto piles by one digit of at most eleven bits and keeps their order. Every piece of the input counts its digits; from the counts
//! follows where the pile of each piece and digit stands in the output, and the output is cut into these piles, so that pieces are dealt at the same time
//! and nobody writes where another does. Bits in which no keys differ take no pass.

use std::slice::IterMut;

use rayon::prelude::*;

use super::{SortKey, pieces};

/// A pile for each value of eleven bits: their ends fit in the nearest cache.
const MOST_BITS: u32 = 11;

/// Sorts by key; items with one key keep their order. `room` is memory that the next call uses again.
///
/// ```
/// use steric_collide::sort;
///
/// let mut items = vec![(7u32, 0), (3, 1), (7, 2), (1, 3)];
/// sort::radix(&mut items, &mut Vec::new());
/// assert_eq!(items, [(1, 3), (3, 1), (7, 0), (7, 2)]);
/// ```
pub fn radix<K: SortKey>(items: &mut Vec<(K, u32)>, room: &mut Vec<(K, u32)>) {
    let bits = differing_bits(items);
    if bits == 0 {
        return;
    }
    let passes = bits.div_ceil(MOST_BITS);
    let digit_bits = bits.div_ceil(passes);
    room.resize(items.len(), (K::default(), 0));
    for pass in 0..passes {
        deal(items, room, pass * digit_bits, digit_bits);
        std::mem::swap(items, room);
    }
}

fn differing_bits<K: SortKey>(items: &[(K, u32)]) -> u32 {
    let Some(&(first, _)) = items.first() else { return 0 };
    let length = items.len().div_ceil(pieces(items.len()));
    let most = |piece: &[(K, u32)]| piece.iter().map(|item| item.0.differing_bits(first)).max().unwrap_or(0);
    items.par_chunks(length).map(most).reduce(|| 0, u32::max)
}

/// Deals items onto piles by one digit.
fn deal<K: SortKey>(from: &[(K, u32)], to: &mut [(K, u32)], shift: u32, bits: u32) {
    let mask = (1usize << bits) - 1;
    let length = from.len().div_ceil(pieces(from.len()));
    let counts: Vec<Vec<u32>> = from.par_chunks(length).map(|piece| count(piece, shift, mask)).collect();
    let piles = cut(to, &counts);
    from.par_chunks(length).zip(piles).for_each(|(piece, mut piles)| {
        for &item in piece {
            let place = piles[item.0.digit(shift, mask)].next();
            *place.expect("a pile has room for what was counted") = item;
        }
    });
}

fn count<K: SortKey>(piece: &[(K, u32)], shift: u32, mask: usize) -> Vec<u32> {
    let mut counts = vec![0; mask + 1];
    for item in piece {
        counts[item.0.digit(shift, mask)] += 1;
    }
    counts
}

/// The piles of each piece: digit by digit, and for each digit piece by piece, as the order of the items wants it.
fn cut<'a, T>(mut rest: &'a mut [T], counts: &[Vec<u32>]) -> Vec<Vec<IterMut<'a, T>>> {
    let digits = counts[0].len();
    let mut piles: Vec<Vec<IterMut<'a, T>>> = counts.iter().map(|_| Vec::with_capacity(digits)).collect();
    for digit in 0..digits {
        for (piles, counts) in piles.iter_mut().zip(counts) {
            let (pile, behind) = rest.split_at_mut(counts[digit] as usize);
            piles.push(pile.iter_mut());
            rest = behind;
        }
    }
    piles
}
