//! The fast search for pairs of points finds what comparing every pair finds: on the 1/64 A lattice, where distances are exact, and off it;
//! in open space and in boxes of every kind, also in boxes narrower than the cutoff.

use glam::{DMat3, DVec3};
use proptest::prelude::*;
use steric_collide::{
    NeighbourArrays, NeighbourError, NeighbourIndex, NeighbourSearch, PairList, PairRule, Points, Repeat, reference,
};
use steric_model::PeriodicBox;

fn listed(search: &NeighbourSearch<'_>, points: &[[f64; 3]]) -> Vec<([i32; 2], [i32; 3])> {
    let found = search.find(Points::Double(points)).expect("a search that can be made");
    let mut shifts = vec![[0; 3]; found.len()];
    found.write(NeighbourArrays::<f64> { shifts: Some(&mut shifts), ..Default::default() });
    found.into_pairs().into_iter().zip(shifts).collect()
}

/// Sorted here and by the search, which must be the same.
fn found(search: &NeighbourSearch<'_>, points: &[[f64; 3]]) -> Vec<([i32; 2], [i32; 3])> {
    let mut found = listed(search, points);
    found.sort_unstable();
    assert_eq!(found, listed(&NeighbourSearch { sorted: true, ..*search }, points));
    found
}

fn lattice_points(most: usize, edge: i32) -> impl Strategy<Value = Vec<[f64; 3]>> {
    let point = prop::array::uniform3((-edge..edge).prop_map(|along| f64::from(along) / 64.0));
    prop::collection::vec(point, 0..most)
}

fn boxes() -> impl Strategy<Value = Option<Repeat>> {
    let edges = prop::array::uniform3(200..700i32);
    let skews = prop::array::uniform3(-150..150i32);
    let along = prop::array::uniform3(any::<bool>());
    let some = (edges, skews, along, any::<bool>()).prop_map(|(edges, skews, along, is_skewed)| {
        let [a, b, c] = edges.map(|edge| f64::from(edge) / 64.0);
        let [i, j, k] = skews.map(|skew| if is_skewed { f64::from(skew) / 64.0 } else { 0.0 });
        let vectors = DMat3::from_cols(DVec3::new(a, 0.0, 0.0), DVec3::new(i, b, 0.0), DVec3::new(j, k, c));
        PeriodicBox::new(vectors).map(|periodic_box| Repeat { periodic_box, along })
    });
    prop_oneof![Just(None), some]
}

// What failed is told on the screen; there is no source file to keep it beside.
proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_pair_is_found_once(
        points in lattice_points(60, 900),
        cutoff in 1..600i32,
        repeat in boxes(),
        is_full in any::<bool>(),
    ) {
        let list = if is_full { PairList::Full } else { PairList::Half };
        let search = NeighbourSearch { cutoff: f64::from(cutoff) / 64.0, repeat, list, ..NeighbourSearch::default() };
        prop_assert_eq!(found(&search, &points), reference::neighbours(&search, Points::Double(&points)));
    }

    #[test]
    fn radii_and_molecules_decide(
        points in lattice_points(60, 500),
        repeat in boxes(),
        radii in prop::collection::vec(0..200i32, 60),
        molecules in prop::collection::vec(0..20i64, 60),
        allow in -64..64i32,
    ) {
        let radii: Vec<f32> = radii[..points.len()].iter().map(|&radius| radius as f32 / 64.0).collect();
        let rule = PairRule { radii: Some(&radii), molecules: Some(&molecules[..points.len()]), allow: f64::from(allow) / 64.0 };
        let search = NeighbourSearch { repeat, rule, ..NeighbourSearch::default() };
        prop_assert_eq!(found(&search, &points), reference::neighbours(&search, Points::Double(&points)));
    }

    #[test]
    fn an_index_answers_as_a_fresh_search(
        start in lattice_points(60, 900),
        steps in prop::collection::vec(prop::array::uniform3(-40..40i32), 1..5),
        cutoff in 30..500i32,
        repeat in boxes(),
    ) {
        let search = NeighbourSearch { cutoff: f64::from(cutoff) / 64.0, repeat, ..NeighbourSearch::default() };
        let mut index = NeighbourIndex::new(2.0).expect("a skin");
        let mut points = start;
        for step in steps {
            // Each point goes its own way, and some through the border of the box.
            for (number, point) in points.iter_mut().enumerate() {
                (0..3).for_each(|axis| point[axis] += f64::from(step[(axis + number) % 3]) / 64.0);
            }
            let found = index.find(&search, Points::Double(&points)).expect("a search that can be made");
            let fresh = search.find(Points::Double(&points)).expect("the same");
            prop_assert_eq!(sorted(found.pairs()), sorted(fresh.pairs()));
        }
    }
}

fn sorted(pairs: &[[i32; 2]]) -> Vec<[i32; 2]> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    pairs
}

fn random_points(count: usize, edge: f64) -> Vec<[f64; 3]> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 * edge
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

#[test]
fn off_the_lattice_the_pairs_are_the_same_too() {
    for (cutoff, offset) in [(3.0, 0.0), (5.0, 1e4), (2.5, -1e6), (7.0, 1e9)] {
        let points: Vec<[f64; 3]> =
            random_points(900, 21.0).iter().map(|point| point.map(|along| along + offset)).collect();
        let search = NeighbourSearch::within(cutoff);
        assert_eq!(
            found(&search, &points),
            reference::neighbours(&search, Points::Double(&points)),
            "{cutoff} {offset}"
        );
    }
}

#[test]
fn points_far_apart_need_no_table_of_all_cells() {
    let mut points = random_points(300, 8.0);
    points.extend(random_points(300, 8.0).iter().map(|[x, y, z]| [x + 1e11, y - 1e11, z + 3e10]));
    let search = NeighbourSearch::within(2.0);
    assert_eq!(found(&search, &points), reference::neighbours(&search, Points::Double(&points)));
}

#[test]
fn any_number_of_threads_gives_the_same_arrays() {
    let points = random_points(20_000, 58.0);
    let search = NeighbourSearch::within(4.0);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| listed(&search, &points))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn long_rows_are_sorted() {
    let points = random_points(700, 3.0);
    for list in [PairList::Half, PairList::Full] {
        let search = NeighbourSearch { list, ..NeighbourSearch::within(2.0) };
        assert_eq!(found(&search, &points), reference::neighbours(&search, Points::Double(&points)));
    }
}

#[test]
fn a_few_giants_among_many_small_spheres_are_found() {
    let points = random_points(1_500, 40.0);
    let radii: Vec<f32> = (0..points.len()).map(|index| if index % 300 == 0 { 9.0 } else { 0.6 }).collect();
    let rule = PairRule { radii: Some(&radii), ..PairRule::default() };
    for list in [PairList::Half, PairList::Full] {
        let search = NeighbourSearch { rule, list, ..NeighbourSearch::default() };
        assert_eq!(found(&search, &points), reference::neighbours(&search, Points::Double(&points)));
    }
}

#[test]
fn two_sets_are_joined() {
    let (first, second) = (random_points(400, 20.0), random_points(300, 20.0));
    let single: Vec<[f32; 3]> = second.iter().map(|point| point.map(|along| along as f32)).collect();
    let search = NeighbourSearch { sorted: true, ..NeighbourSearch::within(3.0) };
    let found = search.find_between(Points::Double(&first), Points::Single(&single));
    let mut expected = Vec::new();
    for (i, a) in first.iter().enumerate() {
        for (j, b) in single.iter().enumerate() {
            let b = DVec3::from_array(b.map(f64::from));
            if DVec3::from_array(*a).distance_squared(b) <= 9.0 {
                expected.push([i as i32, j as i32]);
            }
        }
    }
    assert_eq!(found.expect("a search that can be made").pairs(), expected);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let points = [[0.0, 0.0, 0.0], [1.0, f64::NAN, 0.0]];
    let said = |search: &NeighbourSearch<'_>, points: &[[f64; 3]]| {
        search.find(Points::Double(points)).expect_err("wrong").to_string()
    };
    assert!(said(&NeighbourSearch::within(1.0), &points).ends_with("found NaN at point 1"));
    assert!(said(&NeighbourSearch::within(-1.0), &points[..1]).starts_with("expected a cutoff above 0"));
    let infinite = [[0.0, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0]];
    assert!(said(&NeighbourSearch::within(1.0), &infinite).ends_with("found inf at point 1"));
    let tiny = PeriodicBox::orthogonal(DVec3::splat(0.02)).map(Repeat::from);
    let search = NeighbourSearch { repeat: tiny, ..NeighbourSearch::within(1e5) };
    assert!(matches!(search.find(Points::Double(&points[..1])), Err(NeighbourError::TooManyImages { .. })));
    let crowd = vec![[0.0; 3]; 200];
    let search = NeighbourSearch { most_pairs: 1_000, ..NeighbourSearch::within(1.0) };
    assert!(matches!(search.find(Points::Double(&crowd)), Err(NeighbourError::TooManyPairs { .. })));
}
