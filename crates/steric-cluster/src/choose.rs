//! The largest keys of all ranks.
//!
//! How it works: the key that is just large enough is found byte by byte. Every rank counts its keys by the next byte, the counts
//! are added up, and all go on with the byte in which the wanted number is reached. Eight sums of 256 counts, however many keys there are.

use crate::comm::Comm;

/// The least of the `count` largest keys, which are all different; 0 where there are no more than that, and the largest number that there is
/// where nothing is asked for.
pub(crate) fn least_of_most(comm: &dyn Comm, mut keys: Vec<u64>, count: usize) -> u64 {
    if count == 0 {
        return u64::MAX;
    }
    let (mut left, mut found) = (count as i64, 0);
    for shift in (0..8).rev().map(|byte| 8 * byte) {
        let byte = |key: u64| (key >> shift) as usize & 0xff;
        let mut counts = [0i64; 256];
        keys.iter().for_each(|&key| counts[byte(key)] += 1);
        comm.sum(&mut counts);
        if shift == 56 && counts.iter().sum::<i64>() <= left {
            return 0;
        }
        let mut chosen = 255;
        while counts[chosen] < left {
            left -= counts[chosen];
            chosen -= 1;
        }
        keys.retain(|&key| byte(key) == chosen);
        found |= (chosen as u64) << shift;
    }
    found
}

#[cfg(test)]
mod tests {
    use steric_model::Random;

    use super::*;
    use crate::comm::threads;

    #[test]
    fn the_largest_keys_of_all_ranks_are_those_of_a_sorted_list() {
        let mut random = Random::new(3);
        let mut keys: Vec<u64> = (0..500).map(|id| (((random.unit() * 90.0) as u64 * 1_000_003) << 20) | id).collect();
        for count in [0, 1, 7, 100, 499, 500, 501] {
            let found = threads::run(4, |comm: &dyn Comm| {
                let own = keys.iter().copied().filter(|key| *key as usize % 4 == comm.rank()).collect();
                least_of_most(comm, own, count)
            });
            keys.sort_unstable_by(|a, b| b.cmp(a));
            let expected = match count {
                0 => u64::MAX,
                1..500 => keys[count - 1],
                _ => 0,
            };
            assert_eq!(found, [expected; 4], "{count}");
        }
    }
}
