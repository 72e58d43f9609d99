use glam::DVec3;
use proptest::prelude::*;

use super::{SweptBox, SweptIndex, SweptSphere};

fn spheres(many: usize) -> impl Strategy<Value = Vec<SweptSphere>> {
    let one = (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.1..1.5, 0.0..1.0, prop::bool::weighted(0.05)).prop_map(
        |(x, y, z, radius, reach, is_large)| SweptSphere {
            center: DVec3::new(30.0 * x, 22.0 * y, 41.0 * z),
            radius: if is_large { 5.0 * radius } else { radius },
            reach,
        },
    );
    prop::collection::vec(one, 0..many)
}

fn may_meet(space: &SweptBox, a: &SweptSphere, b: &SweptSphere) -> bool {
    space.nearest(b.center - a.center).length() < a.radius + a.reach + b.radius + b.reach
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_pair_that_may_meet_is_left_out_and_none_is_told_twice(
        spheres in spheres(300),
        repeats in any::<[bool; 3]>(),
        is_flat in any::<bool>(),
    ) {
        let mut spheres = spheres;
        let mut space = SweptBox { low: DVec3::new(-3.0, 5.0, 0.0), edges: DVec3::new(30.0, 22.0, 41.0), repeats };
        if is_flat {
            (space.edges.z, space.repeats[2]) = (1.0, false);
            spheres.iter_mut().for_each(|sphere| sphere.center.z = 0.0);
        }
        spheres.iter_mut().for_each(|sphere| sphere.center += space.low);
        let mut index = SweptIndex::default();
        index.build(space, spheres.len(), |sphere| spheres[sphere]);
        let mut found = index.pairs(|a, b| Some((a.min(b), a.max(b))));
        found.sort_unstable();
        let told = found.len();
        found.dedup();
        prop_assert_eq!(told, found.len());
        for a in 0..spheres.len() {
            for b in a + 1..spheres.len() {
                if may_meet(&space, &spheres[a], &spheres[b]) {
                    prop_assert!(found.binary_search(&(a as u32, b as u32)).is_ok(), "{} {}", a, b);
                }
            }
        }
    }

    #[test]
    fn whoever_goes_on_from_a_place_sees_all_that_it_may_meet(
        spheres in spheres(300),
        repeats in any::<[bool; 3]>(),
        at in prop::array::uniform3(-1.0..2.0f64),
        raised in 0.0..6.0,
    ) {
        let space = SweptBox { low: DVec3::ZERO, edges: DVec3::new(30.0, 22.0, 41.0), repeats };
        let mut spheres = spheres;
        let mut index = SweptIndex::default();
        index.build(space, spheres.len(), |sphere| spheres[sphere]);
        if let Some(first) = spheres.first_mut() {
            first.reach += raised;
            index.raise(0, first.radius, first.reach);
        }
        let at = DVec3::from_array(std::array::from_fn(|axis| {
            space.edges[axis] * if repeats[axis] { at[axis] } else { at[axis].clamp(0.0, 1.0) }
        }));
        let looks = SweptSphere { center: at, radius: 1.0, reach: 0.7 };
        let mut found = Vec::new();
        index.near(looks, |sphere| found.push(sphere));
        for (number, sphere) in spheres.iter().enumerate() {
            if may_meet(&space, &looks, sphere) {
                prop_assert!(found.contains(&(number as u32)), "{}", number);
            }
        }
    }
}

#[test]
fn an_index_is_built_again_for_fewer_spheres() {
    // Enough for several threads, and copies beyond the border, where others stood before.
    let space = SweptBox { low: DVec3::ZERO, edges: DVec3::splat(100.0), repeats: [true; 3] };
    let at = |number: usize| DVec3::new((number % 50) as f64, (number / 50 % 50) as f64, (number / 2_500) as f64) * 2.0;
    let sphere = |number: usize| SweptSphere { center: at(number) + 0.5, radius: 0.9, reach: 0.2 };
    let mut index = SweptIndex::default();
    for count in [125_000, 30_000] {
        index.build(space, count, sphere);
        let pairs = index.pairs(|a, b| Some((a.min(b), a.max(b))));
        // Layers of 2,500, each with two neighbours a sphere in its plane, and one above where there is a layer.
        let layers = count / 2_500;
        let above = if layers == 50 { layers } else { layers - 1 };
        assert_eq!(pairs.len(), 2_500 * (2 * layers + above));
    }
}

#[test]
fn whoever_is_sent_elsewhere_is_seen_there() {
    let space = SweptBox { low: DVec3::ZERO, edges: DVec3::splat(100.0), repeats: [true; 3] };
    let mut index = SweptIndex::default();
    index.build(space, 2, |number| SweptSphere { center: DVec3::splat(50.0 * number as f64), radius: 1.0, reach: 0.5 });
    let sees = |index: &SweptIndex| {
        let mut seen: Vec<u32> = Vec::new();
        let sphere = SweptSphere { center: DVec3::new(92.0, 0.0, 0.0), radius: 1.0, reach: 0.0 };
        index.near(sphere, |number| seen.push(number));
        seen
    };
    assert!(sees(&index).is_empty());
    // Across the border.
    index.redirect(0, 1.0, [DVec3::ZERO, DVec3::new(-7.0, 0.0, 0.0)]);
    assert_eq!(sees(&index), [0]);
}
