use proptest::prelude::*;
use steric_model::formats::cellpack::read_recipe;
use steric_model::formats::mesh::Mesh;
use steric_model::{Random, recipe::CompartmentShape};

use super::*;
use crate::shape::Region;

fn recipe(text: &str) -> Recipe {
    read_recipe(text.as_bytes(), "r.json".as_ref()).unwrap().value
}

fn packed(text: &str, options: &PackOptions) -> (Recipe, Packed) {
    let recipe = recipe(text);
    let packed = pack(&recipe, &Files::none(), options, |_| ControlFlow::Continue(()));
    (recipe, packed)
}

/// Every sphere of every copy, in the world, with the number of its copy: what the brute-force truth looks at.
fn all_spheres(packed: &Packed) -> Vec<(usize, DVec3, f64)> {
    let mut all = Vec::new();
    let mut copy = 0;
    for (spheres, poses) in packed.spheres.iter().zip(&packed.poses) {
        for pose in poses {
            let placed = spheres.iter().map(|s| (copy, *pose * s.center.as_dvec3(), f64::from(s.radius)));
            all.extend(placed);
            copy += 1;
        }
    }
    all
}

fn overlaps_brute_force(packed: &Packed) -> usize {
    let all = all_spheres(packed);
    let overlap = |(a, b): &(usize, usize)| {
        let ((first, a, r), (second, b, s)) = (all[*a], all[*b]);
        // Spheres are kept in single precision.
        first != second && a.distance(b) < r + s - 1e-3
    };
    (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b))).filter(overlap).count()
}

const NESTED: &str = r#"{"bounding_box": [[-300, -300, -300], [300, 300, 300]],
    "objects": {"cell": {"type": "single_sphere", "radius": 200}, "core": {"type": "single_sphere", "radius": 80},
        "dot": {"type": "single_sphere", "radius": 12},
        "rod": {"type": "single_cylinder", "radius": 8, "length": 60, "principal_vector": [0, 0, 1]}},
    "composition": {"space": {"regions": {"interior": ["c", {"object": "dot", "count": 100}]}},
        "c": {"object": "cell", "regions": {"interior": ["n", {"object": "rod", "molarity": 1e-5}],
            "surface": [{"object": "rod", "count": 40}]}},
        "n": {"object": "core", "regions": {"interior": [{"object": "dot", "count": 40}]}}}}"#;

#[test]
fn nested_compartments_keep_what_belongs_to_them() {
    let options = PackOptions { is_whole: true, ..PackOptions::default() };
    let (recipe, packed) = packed(NESTED, &options);
    assert_eq!((packed.copies(), packed.overlaps, overlaps_brute_force(&packed)), (packed.asked(), 0, 0));
    let ball = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * f64::powi(radius, 3);
    let of = |path: &str| recipe.ingredients.iter().position(|own| recipe.path_of(own) == path).unwrap();
    // Molarity counts in what the core leaves of the cell.
    let rods = (1e-5 * 6.022_140_76e-4 * (ball(200.0) - ball(80.0)) + 0.5).floor() as usize;
    assert_eq!(packed.poses[of("c/interior/rod")].len(), rods);
    let radii = |path: &str| -> Vec<(f64, f64)> {
        let spheres = &packed.spheres[of(path)];
        let poses = packed.poses[of(path)].iter();
        let placed =
            poses.flat_map(|pose| spheres.iter().map(|s| ((*pose * s.center.as_dvec3()).length(), s.radius.into())));
        placed.collect()
    };
    assert!(radii("c/n/interior/dot").iter().all(|(away, radius)| away + radius <= 80.02));
    assert!(radii("c/interior/rod").iter().all(|(away, radius)| away + radius <= 200.02 && away - radius >= 79.98));
    assert!(radii("space/dot").iter().all(|(away, radius)| away - radius >= 199.98));
    for pose in &packed.poses[of("c/surface/rod")] {
        let upright = (pose.rotation * DVec3::Z).dot(pose.translation.normalize_or(DVec3::Z));
        assert!((pose.translation.length() - 200.0).abs() < 0.7 && upright > 11.5_f64.to_radians().cos(), "{upright}");
    }
}

#[test]
fn what_does_not_fit_is_said_before_and_by_ingredient() {
    let text = r#"{"bounding_box": [[0, 0, 0], [100, 100, 100]], "objects": {"big": {"type": "single_sphere", "radius": 20},
        "giant": {"type": "single_sphere", "radius": 90}, "mystery": {"type": "multi_sphere"}},
        "composition": {"s": {"regions": {"interior": [{"object": "big", "count": 900}, {"object": "mystery", "count": 3},
            {"object": "giant", "count": 2}]}}}}"#;
    let (_, packed) = packed(text, &PackOptions { is_whole: true, ..PackOptions::default() });
    let said: Vec<String> = packed.verdicts.iter().map(ToString::to_string).collect();
    // 0.58 of a million cubic angstroms in balls of 33,510; the two giants come first and have no place within the walls.
    assert!(said[0].contains("no room for") && packed.verdicts[0].placed <= 17, "{said:?}");
    assert_eq!(said[1], "space/mystery: 0 of 3 placed: nothing says how large it is");
    assert!(said[2].starts_with("space/giant: 0 of 2 placed: no room for 2 of 2"), "{said:?}");
    assert_eq!((packed.overlaps, overlaps_brute_force(&packed)), (0, 0));
}

#[test]
fn partners_touch_and_the_excluded_keep_away() {
    let text = r#"{"bounding_box": [[0, 0, 0], [400, 400, 400]], "objects": {"host": {"type": "single_sphere", "radius": 20},
        "guest": {"type": "single_sphere", "radius": 8, "packing_mode": "closePartner", "partners": [{"name": "host"}]},
        "shy": {"type": "single_sphere", "radius": 8, "partners": {"names": [], "excluded_names": ["host"]}}},
        "composition": {"s": {"regions": {"interior": [{"object": "host", "count": 10}, {"object": "guest", "count": 30},
            {"object": "shy", "count": 20}]}}}}"#;
    let (_, packed) = packed(text, &PackOptions::default());
    assert_eq!((packed.copies(), packed.overlaps), (60, 0));
    let [hosts, guests, shy] = &packed.poses[..] else { panic!("three") };
    let nearest =
        |pose: &Pose| hosts.iter().map(|host| host.translation.distance(pose.translation)).fold(1e9, f64::min);
    assert!(guests.iter().filter(|guest| nearest(guest) < 28.5).count() >= 29);
    assert!(shy.iter().all(|shy| nearest(shy) > 2.0 * 28.0 - 1.0));
    assert!(packed.verdicts[1].remarks[0].contains("30 were put beside a partner"), "{:?}", packed.verdicts[1]);
}

#[test]
fn a_gradient_draws_copies_to_where_it_is_high() {
    let text = r#"{"bounding_box": [[0, 0, 0], [400, 400, 400]], "gradients": {"up": {"mode": "z", "reversed": true,
        "weight_mode": "exponential", "weight_mode_settings": {"decay_length": 0.1}}},
        "objects": {"dot": {"type": "single_sphere", "radius": 4, "packing_mode": "gradient", "gradient": "up"}},
        "composition": {"s": {"regions": {"interior": [{"object": "dot", "count": 500}]}}}}"#;
    let (_, packed) = packed(text, &PackOptions::default());
    let mean = packed.poses[0].iter().map(|pose| pose.translation.z).sum::<f64>() / 500.0;
    // The mean of an exponential of 40 Å from the top, cut off at the bottom.
    assert!((mean - 360.0).abs() < 8.0, "{mean}");
}

#[test]
fn a_periodic_box_has_no_overlap_across_its_sides() {
    let text = r#"{"options": {"boundingBox": [[10, 10, 10], [110, 110, 110]], "use_periodicity": true},
        "cytoplasme": {"ingredients": {"ball": {"nbMol": 120, "radii": [[8]], "positions": [[[0, 0, 0]]]}}}}"#;
    let (_, packed) = packed(text, &PackOptions::default());
    assert_eq!((packed.copies(), packed.overlaps), (120, 0));
    let all = all_spheres(&packed);
    for (first, a, r) in &all {
        for (_, b, s) in all.iter().filter(|(second, ..)| second != first) {
            let apart = (*a - *b) / 100.0;
            assert!(100.0 * (apart - apart.round()).length() > r + s - 1e-3);
        }
    }
}

fn open_box() -> Mesh {
    let region = Region::Box { low: DVec3::ZERO, high: DVec3::splat(100.0) };
    let mut mesh = region.outline().expect("a box has an end");
    mesh.triangles.pop();
    mesh
}

#[test]
fn an_open_surface_is_said_where_and_closed_if_asked() {
    let cell = steric_model::recipe::Compartment {
        name: "cell".into(),
        shape: Some(CompartmentShape::Triangles { mesh: open_box() }),
        ..Default::default()
    };
    let recipe = Recipe { compartments: vec![cell], ..Recipe::default() };
    let none = |_: &str| Err(String::new());
    let rooms = Rooms::new(&recipe, None, &none, false);
    assert!(rooms.rooms.is_empty() && rooms.notes[0].contains("not watertight"), "{:?}", rooms.notes);
    assert!(rooms.notes[0].contains("Holes: around (") && rooms.notes[0].contains("3 edges"), "{:?}", rooms.notes);
    let rooms = Rooms::new(&recipe, None, &none, true);
    assert!((rooms.rooms[0].volume - 1e6).abs() < 1e-3 && (rooms.rooms[0].area - 6e4).abs() < 1e-3);
}

#[test]
fn compartments_find_what_they_lie_in_and_share_their_volumes() {
    let sphere = |x: f64, radius: f64| steric_model::recipe::Compartment {
        name: format!("{x} {radius}").into(),
        shape: Some(CompartmentShape::Sphere { center: DVec3::X * x, radius }),
        ..Default::default()
    };
    let compartments = vec![sphere(0.0, 10.0), sphere(20.0, 100.0), sphere(0.0, 40.0), sphere(115.0, 10.0)];
    let recipe = Recipe { compartments, ..Recipe::default() };
    let bounds = Some([DVec3::splat(-200.0), DVec3::splat(200.0)]);
    let rooms = Rooms::new(&recipe, bounds, &|_| Err(String::new()), false);
    let volume = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * f64::powi(radius, 3);
    assert_eq!(rooms.rooms[2].within, [0]);
    assert_eq!(rooms.rooms[1].within, [2]);
    assert!((rooms.rooms[2].volume - volume(40.0) + volume(10.0)).abs() < 1e-6);
    assert!((rooms.rooms[1].volume - volume(100.0) + volume(40.0)).abs() < 1e-6);
    // The last one crosses the largest, so that both lie in the space.
    assert_eq!(rooms.rooms[4].within, [1, 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn whatever_is_asked_for_no_overlap_is_left(seed in 0..1_000_u64, fill in 0.05..0.5_f64, kinds in 1..5_usize) {
        let mut random = Random::new(seed);
        let mut objects = Vec::new();
        let mut items = Vec::new();
        for kind in 0..kinds {
            let radius = 4.0 + 16.0 * random.unit();
            let count = (fill * 1e6 / kinds as f64 / (4.2 * radius.powi(3))) as u32;
            objects.push(format!(r#""k{kind}": {{"type": "single_sphere", "radius": {radius}}}"#));
            items.push(format!(r#"{{"object": "k{kind}", "count": {count}}}"#));
        }
        let text = format!(
            r#"{{"bounding_box": [[0, 0, 0], [100, 100, 100]], "objects": {{{}}},
            "composition": {{"s": {{"regions": {{"interior": [{}]}}}}}}}}"#,
            objects.join(", "), items.join(", ")
        );
        let options = PackOptions { seed, max_iterations: 600, ..PackOptions::default() };
        let (_, first) = packed(&text, &options);
        prop_assert_eq!((first.overlaps, overlaps_brute_force(&first)), (0, 0));
        for verdict in &first.verdicts {
            prop_assert_eq!(verdict.placed < verdict.asked, !verdict.reasons.is_empty());
        }
        // The same seed gives the same bits, on one thread too.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let (_, again) = pool.install(|| packed(&text, &options));
        prop_assert_eq!(first.poses, again.poses);
    }
}
