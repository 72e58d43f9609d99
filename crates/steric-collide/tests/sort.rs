//! Both sorts give what the standard library's stable sort gives.

use proptest::prelude::*;
use steric_collide::sort::{self, Order, SortKey};

fn numbered<K: SortKey>(keys: impl IntoIterator<Item = K>) -> Vec<(K, u32)> {
    keys.into_iter().zip(0..).collect()
}

fn agree<K: SortKey + std::fmt::Debug>(items: &[(K, u32)]) -> Result<(), TestCaseError> {
    let mut expected = items.to_vec();
    expected.sort_by_key(|item| item.0);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        let (mut by_radix, mut by_runs) = (items.to_vec(), items.to_vec());
        pool.install(|| {
            sort::radix(&mut by_radix, &mut vec![items.first().copied().unwrap_or_default(); 3]);
            sort::adaptive(&mut by_runs, &mut Vec::new());
        });
        prop_assert!(by_radix == expected, "radix, {} threads", threads);
        prop_assert!(by_runs == expected, "adaptive, {} threads", threads);
    }
    Ok(())
}

/// Keys that ascend but for some, which stand anywhere.
fn nearly_sorted(count: usize) -> impl Strategy<Value = Vec<u32>> {
    let strays = prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 0..count / 40 + 2);
    (1u32..50, strays).prop_map(move |(repeat, strays)| {
        let mut keys: Vec<u32> = (0..count as u32).map(|key| key / repeat).collect();
        let most = count as u32 / repeat + 2;
        strays.iter().for_each(|(which, key)| *which.get_mut(&mut keys) = key % most);
        keys
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_keys_are_sorted(keys in prop::collection::vec(any::<u32>(), 0..3000)) {
        agree(&numbered(keys))?;
    }

    #[test]
    fn wide_keys_are_sorted(keys in prop::collection::vec(any::<u64>(), 0..3000), shift in 0u32..64) {
        agree(&numbered(keys.into_iter().map(|key| key >> shift)))?;
    }

    #[test]
    fn equal_keys_keep_their_order(keys in prop::collection::vec(0u32..5, 0..3000)) {
        agree(&numbered(keys))?;
    }

    #[test]
    fn nearly_sorted_keys_are_sorted(keys in nearly_sorted(2_000)) {
        agree(&numbered(keys))?;
    }

    #[test]
    fn shuffled_stretches_are_sorted(mut keys in nearly_sorted(500), from in 0usize..400, length in 1usize..100) {
        keys[from..from + length].reverse();
        agree(&numbered(keys))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn many_nearly_sorted_keys_are_sorted_by_several_threads(mut keys in nearly_sorted(100_000), turn in 0usize..2000) {
        agree(&numbered(keys.clone()))?;
        // The first keys come last: order is broken at one place, by large keys before small ones.
        keys.rotate_left(turn);
        agree(&numbered(keys))?;
    }
}

#[test]
fn few_keys_out_of_order_are_few_keys_pulled_out() {
    let mut items = numbered(0u32..100_000);
    for place in (50..100_000).step_by(100) {
        items[place].0 = items[place].0.wrapping_mul(2_654_435_769) % 100_000;
    }
    let Order::Nearly { out_of_order } = sort::adaptive(&mut items, &mut Vec::new()) else {
        panic!("one in a hundred is few")
    };
    assert!((900..=1100).contains(&out_of_order), "{out_of_order}");
    assert!(items.is_sorted_by_key(|item| item.0));
    items.reverse();
    assert_eq!(sort::adaptive(&mut items, &mut Vec::new()), Order::Little);
    assert!(items.is_sorted_by_key(|item| item.0));
}
