//! Every index of boxes gives what the reference gives: for every kind, order, cell size, thread count and history.

use proptest::prelude::*;
use steric_collide::{
    Bounds, BoxIndex, BoxIndexKind, BoxIndexOptions, CellOrder, CellSize, MostCells, Sorting, reference,
};

/// Points, thin boxes, boxes of one size, giants, boxes that hold nothing and boxes without an end.
fn bounds() -> impl Strategy<Value = Bounds> {
    let low = || prop::array::uniform3(-30i16..30).prop_map(|low| low.map(|x| f32::from(x) * 0.5));
    let sized = |most: f32| {
        (low(), prop::array::uniform3(0.0f32..1.0)).prop_map(move |(low, sides)| Bounds {
            low,
            high: std::array::from_fn(|axis| low[axis] + sides[axis] * most),
        })
    };
    let odd = prop_oneof![
        Just(f32::NAN),
        Just(f32::INFINITY),
        Just(f32::NEG_INFINITY),
        Just(f32::MAX),
        Just(f32::MIN),
        Just(1e20f32),
        -10.0f32..10.0
    ];
    let corner = || prop::array::uniform3(odd.clone());
    prop_oneof![
        8 => sized(3.0),
        3 => low().prop_map(|at| Bounds { low: at, high: at }),
        2 => (sized(2.0), 0usize..3).prop_map(|(mut thin, axis)| {
            thin.high[axis] = thin.low[axis] + 40.0;
            thin
        }),
        1 => sized(500.0),
        1 => (corner(), corner()).prop_map(|(low, high)| Bounds { low, high }),
    ]
}

/// Boxes of ordinary sizes only.
fn tame() -> impl Strategy<Value = Bounds> {
    (prop::array::uniform3(-20.0f32..20.0), prop::array::uniform3(0.0f32..4.0))
        .prop_map(|(low, sides)| Bounds { low, high: std::array::from_fn(|axis| low[axis] + sides[axis]) })
}

fn all_options() -> Vec<BoxIndexOptions> {
    let sizes = [
        CellSize::default(),
        CellSize::MeanEdge(1.0),
        CellSize::LongestEdge,
        CellSize::Angstroms(0.7),
        CellSize::Angstroms(50.0),
        CellSize::Angstroms(1e-6),
        CellSize::Angstroms(f32::NAN),
    ];
    let mut all = Vec::new();
    for kind in BoxIndexKind::ALL {
        for order in [CellOrder::Rows, CellOrder::ZCurve] {
            all.extend(sizes.map(|cell| BoxIndexOptions { kind, order, cell, ..Default::default() }));
        }
    }
    all
}

fn built(options: BoxIndexOptions, boxes: &[Bounds]) -> BoxIndex {
    let mut index = BoxIndex::new(options);
    index.build(boxes);
    index
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(work)
}

fn moved(boxes: &[Bounds], by: [f32; 3]) -> Vec<Bounds> {
    let moved = |corner: [f32; 3]| std::array::from_fn(|axis| corner[axis] + by[axis]);
    boxes.iter().map(|of| Bounds { low: moved(of.low), high: moved(of.high) }).collect()
}

/// A repeatable crowd that is large enough for several pieces of work.
fn crowd(count: u32, shift: f32) -> Vec<Bounds> {
    let drawn = |n: u32| {
        let mixed = (u64::from(n) ^ 0x5bd1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 40) as f32 / (1 << 24) as f32
    };
    let of = |n: u32| {
        let low = [drawn(3 * n) * 60.0 + shift * drawn(n), drawn(3 * n + 1) * 60.0, drawn(3 * n + 2) * 60.0];
        let side = if n % 5000 == 7 { 70.0 } else { 1.0 + drawn(n + 77) };
        Bounds { low, high: low.map(|x| x + side) }
    };
    (0..count).map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, ..Default::default() })]

    #[test]
    fn every_index_finds_the_pairs_of_the_reference(
        boxes in prop::collection::vec(bounds(), 0..60),
        queries in prop::collection::vec(bounds(), 0..30),
    ) {
        let (expected, expected_self) = (reference::box_pairs(&queries, &boxes), reference::box_self_pairs(&boxes));
        for options in all_options() {
            let index = built(options, &boxes);
            prop_assert_eq!(&index.pairs(&queries), &expected, "{:?}", options);
            prop_assert_eq!(&index.self_pairs(), &expected_self, "{:?}", options);
        }
    }

    #[test]
    fn far_from_the_origin_nothing_is_lost(
        boxes in prop::collection::vec(tame(), 0..60),
        by in prop::array::uniform3(-1e5f32..1e5),
    ) {
        let boxes = moved(&boxes, by);
        let expected = reference::box_self_pairs(&boxes);
        for options in all_options() {
            prop_assert_eq!(&built(options, &boxes).self_pairs(), &expected, "{:?}", options);
        }
    }

    #[test]
    fn an_index_that_was_built_before_is_as_good_as_a_new_one(
        boxes in prop::collection::vec(prop_oneof![9 => tame(), 1 => bounds()], 1..60),
        steps in prop::collection::vec(
            prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![tame(), bounds()]), 0..12), 1..5),
    ) {
        for options in all_options() {
            for sort in [Sorting::Auto, Sorting::Radix, Sorting::Adaptive] {
                let options = BoxIndexOptions { sort, ..options };
                let (mut index, mut boxes) = (built(options, &boxes), boxes.clone());
                for step in &steps {
                    for (which, other) in step {
                        *which.get_mut(&mut boxes) = *other;
                    }
                    index.build(&boxes);
                    prop_assert_eq!(index.self_pairs(), reference::box_self_pairs(&boxes), "{:?}", options);
                    if step.len() == 11 {
                        boxes.pop();
                        boxes.resize(boxes.len().max(1), Bounds::NOTHING);
                    }
                }
            }
        }
    }

    #[test]
    fn an_approximation_finds_some_of_the_pairs_and_none_that_are_wrong(
        boxes in prop::collection::vec(bounds(), 0..60),
        queries in prop::collection::vec(bounds(), 0..30),
        seed: u64,
    ) {
        let (all, all_self) = (reference::box_pairs(&queries, &boxes), reference::box_self_pairs(&boxes));
        for options in all_options() {
            for most in [MostCells::TwentySeven, MostCells::Eight, MostCells::One] {
                let options = BoxIndexOptions { most_cells: Some(most), seed, ..options };
                let index = built(options, &boxes);
                let (pairs, self_pairs) = (index.pairs(&queries), index.self_pairs());
                prop_assert!(pairs.is_sorted_by(|a, b| a < b) && self_pairs.is_sorted_by(|a, b| a < b));
                prop_assert!(pairs.iter().all(|pair| all.binary_search(pair).is_ok()));
                prop_assert!(self_pairs.iter().all(|pair| all_self.binary_search(pair).is_ok()));
            }
        }
    }

    #[test]
    fn eight_cells_suffice_while_a_cell_is_at_least_the_longest_edge(
        boxes in prop::collection::vec(tame(), 0..80),
        seed: u64,
    ) {
        let expected = reference::box_self_pairs(&boxes);
        for options in all_options() {
            let cell = CellSize::LongestEdge;
            for most in [MostCells::TwentySeven, MostCells::Eight] {
                let options = BoxIndexOptions { cell, most_cells: Some(most), seed, ..options };
                prop_assert_eq!(&built(options, &boxes).self_pairs(), &expected, "{:?}", options);
            }
        }
    }
}

#[test]
fn no_boxes_and_boxes_that_hold_nothing_have_no_pairs() {
    let nothing =
        [Bounds::NOTHING, Bounds { low: [f32::NAN; 3], high: [f32::NAN; 3] }, Bounds { low: [1.0; 3], high: [0.0; 3] }];
    let everything = Bounds { low: [f32::NEG_INFINITY; 3], high: [f32::INFINITY; 3] };
    for options in all_options() {
        assert!(built(options, &[]).pairs(&[everything]).is_empty());
        assert!(built(options, &nothing).pairs(&[everything]).is_empty());
        assert!(built(options, &[everything]).pairs(&nothing).is_empty());
        assert_eq!(built(options, &[everything]).pairs(&[everything]), [[0, 0]]);
    }
}

#[test]
fn coincident_boxes_all_touch_each_other() {
    for at in [0.0, 1e5, -3e38] {
        let boxes = vec![Bounds { low: [at; 3], high: [at; 3] }; 300];
        for options in all_options() {
            assert_eq!(built(options, &boxes).self_pairs().len(), 300 * 299 / 2, "{options:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_pairs() {
    let boxes: Vec<Vec<Bounds>> = (0..3).map(|step| crowd(20_000, step as f32 * 0.2)).collect();
    for kind in BoxIndexKind::ALL {
        for (order, most_cells) in
            [(CellOrder::Rows, None), (CellOrder::ZCurve, None), (CellOrder::Rows, Some(MostCells::One))]
        {
            let options = BoxIndexOptions { kind, order, most_cells, ..Default::default() };
            let answers = |threads: usize| {
                with_threads(threads, || {
                    let mut index = BoxIndex::new(options);
                    boxes
                        .iter()
                        .map(|boxes| (index.build(boxes), index.self_pairs(), index.stats().edge))
                        .collect::<Vec<_>>()
                })
            };
            assert!(answers(1) == answers(3), "{options:?}");
        }
    }
}

#[test]
fn all_kinds_find_the_same_in_a_crowd_that_moves() {
    let steps: Vec<Vec<Bounds>> = (0..4).map(|step| crowd(20_000, step as f32 * 0.1)).collect();
    let answers = |options: BoxIndexOptions| {
        let mut index = BoxIndex::new(options);
        steps.iter().map(|boxes| (index.build(boxes), index.self_pairs())).collect::<Vec<_>>()
    };
    let expected = answers(BoxIndexOptions { sort: Sorting::Radix, ..Default::default() });
    assert_eq!(
        expected[0].1.len(),
        built(BoxIndexOptions { cell: CellSize::Angstroms(9.0), ..Default::default() }, &steps[0]).self_pairs().len()
    );
    for kind in BoxIndexKind::ALL {
        for order in [CellOrder::Rows, CellOrder::ZCurve] {
            assert!(answers(BoxIndexOptions { kind, order, ..Default::default() }) == expected, "{kind:?} {order:?}");
        }
    }
}

#[test]
fn giants_among_small_boxes_take_few_entries_and_little_memory() {
    let mut boxes = crowd(10_000, 0.0);
    let giant = Bounds { low: [-1e6; 3], high: [1e6; 3] };
    boxes.extend([giant; 20]);
    for kind in BoxIndexKind::ALL {
        let index = built(BoxIndexOptions { kind, ..Default::default() }, &boxes);
        let stats = index.stats();
        assert!(stats.entries < 20 * boxes.len() && stats.bytes < 2000 * boxes.len(), "{kind:?}: {stats:?}");
        assert_eq!(index.pairs(&[giant]).len(), boxes.len());
    }
}

#[test]
fn boxes_a_millimetre_apart_do_not_fill_the_memory() {
    let boxes: Vec<Bounds> =
        [0.0f32, 1.0, 1e7, 1e7 + 2.0].map(|at| Bounds { low: [at; 3], high: [at + 1.5; 3] }).to_vec();
    for options in all_options() {
        let index = built(options, &boxes);
        assert_eq!(index.self_pairs(), reference::box_self_pairs(&boxes));
        assert!(index.stats().bytes < 1 << 20, "{:?}", index.stats());
    }
}

#[test]
fn disorder_chooses_the_sort() {
    let mut boxes = crowd(5_000, 0.0);
    let mut index = built(BoxIndexOptions::default(), &boxes);
    index.build(&boxes);
    assert_eq!((index.stats().sort, index.stats().disorder), (Some(Sorting::Adaptive), 0.0));
    boxes.reverse();
    index.build(&boxes);
    assert_eq!(index.stats().sort, Some(Sorting::Radix));
    assert!(index.stats().disorder > 0.9);
}

#[test]
fn pairs_can_be_asked_one_at_a_time() {
    let boxes = crowd(3_000, 0.0);
    let index = built(BoxIndexOptions::default(), &boxes);
    let mut pairs = Vec::new();
    for (number, query) in (0..).zip(&boxes) {
        index.near(query, |other| pairs.push([number, other]));
    }
    assert_eq!(pairs, index.pairs(&boxes));
    let seen = std::sync::Mutex::new(Vec::new());
    index.for_each_pair_unsorted(&boxes, |a, b| seen.lock().unwrap().push([a, b]));
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, pairs);
}
