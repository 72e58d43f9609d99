use super::grid::sort_along_curve;
use super::*;
use crate::shape::Sampling;
use proptest::prelude::*;
use steric_model::Random;

fn sphere(radius: f64) -> Surface {
    Surface::Sphere { center: DVec3::new(5.0, -3.0, 2.0), radius }
}

fn plane() -> Surface {
    Surface::Plane { origin: DVec3::new(1.0, 2.0, 3.0), normal: DVec3::new(2.0, 3.0, 6.0) / 7.0 }
}

fn drawn(surface: &Surface, count: usize, height: f64, patch: Option<[f64; 2]>, seed: u64) -> Vec<DVec3> {
    let places = surface.places(count, height, Sampling::Inversion, patch, &mut Random::new(seed)).unwrap();
    places.into_iter().map(|(place, _)| place).collect()
}

// The deepest overlap, as a part of the two radii, by looking at every pair.
fn deepest(sheet: &Sheet, discs: &[(DVec3, f64)]) -> f64 {
    let mut deepest = 0.0_f64;
    for (at, (place, diameter)) in discs.iter().enumerate() {
        for (other, other_diameter) in &discs[..at] {
            let distance = sheet.between(sheet.settle(sheet.enter(*place)), sheet.settle(sheet.enter(*other))).length();
            deepest = deepest.max(1.0 - distance / (0.5 * (diameter + other_diameter)));
        }
    }
    deepest
}

#[test]
fn two_discs_part_along_their_line_by_what_they_overlap() {
    let surface = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
    let mut places = [DVec3::new(0.0, 0.0, 5.0), DVec3::new(6.0, 0.0, 5.0)];
    let iterations = spread(&surface, 5.0, &mut places, &[10.0, 10.0], None, &[], 100);
    assert!(iterations < 10);
    assert!((places[0] - DVec3::new(-2.0, 0.0, 5.0)).length() < 0.01, "{places:?}");
    assert!((places[1] - DVec3::new(8.0, 0.0, 5.0)).length() < 0.01, "{places:?}");
}

#[test]
fn a_fixed_disc_stays_and_the_other_goes() {
    let surface = Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z };
    let mut places = [DVec3::new(30.0, 0.0, 0.0)];
    // The obstacle stands below the sheet; it counts as a disc in it.
    spread(&surface, 0.0, &mut places, &[10.0], None, &[(DVec3::new(0.0, 0.0, -20.0), 80.0)], 100);
    assert!((places[0] - DVec3::new(45.0, 0.0, 0.0)).length() < 0.1, "{places:?}");
}

#[test]
fn what_does_not_overlap_does_not_move() {
    let surface = sphere(100.0);
    let before = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| surface.project(100.0 * axis, 0.0));
    let mut places = before;
    assert_eq!(spread(&surface, 0.0, &mut places, &[50.0; 3], None, &[], 100), 0);
    assert!((0..3).all(|at| places[at].distance(before[at]) < 1e-9));
}

#[test]
fn coincident_places_are_pushed_apart() {
    for surface in [sphere(100.0), plane()] {
        let mut places = vec![surface.project(DVec3::new(50.0, 10.0, 20.0), 3.0); 300];
        let iterations = spread(&surface, 3.0, &mut places, &[6.0; 300], None, &[], 2_000);
        assert!(iterations < 2_000);
        let sheet = Sheet::new(&surface, 3.0, None);
        assert!(deepest(&sheet, &places.iter().map(|&place| (place, 6.0)).collect::<Vec<_>>()) < 2e-3);
    }
}

#[test]
fn coincident_places_by_the_thousand_need_no_memory_for_every_pair() {
    let surface = sphere(500.0);
    let mut places = vec![DVec3::ZERO; 50_000];
    assert_eq!(spread(&surface, 0.0, &mut places, &vec![6.0; 50_000], None, &[], 3), 3);
    assert!(places.iter().all(|place| place.is_finite()));
}

#[test]
fn odd_numbers_neither_panic_nor_spread() {
    for surface in [sphere(50.0), plane()] {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
            let mut places = [DVec3::splat(odd), DVec3::X, DVec3::X * 1.5, DVec3::ZERO];
            let periodic = Some([odd, 40.0]);
            spread(&surface, 1.0, &mut places, &[2.0, odd.min(1e9), 2.0, 2.0], periodic, &[(DVec3::Y, odd)], 5);
            spread(&surface, odd, &mut places, &[2.0; 4], None, &[], 5);
        }
    }
    assert_eq!(spread(&plane(), 0.0, &mut [], &[], None, &[], 5), 0);
}

#[test]
fn lipids_at_their_natural_area_are_spread_over_a_vesicle() {
    let (surface, count) = (sphere(139.0), 4_000);
    let diameter = (1.1547 * surface.area_at(18.0) / f64::from(count)).sqrt() * 0.9;
    let mut places = drawn(&surface, count as usize, 18.0, None, 1);
    let before = deepest_of_places(&surface, &places, diameter);
    spread(&surface, 18.0, &mut places, &vec![diameter; count as usize], None, &[], 60);
    let after = deepest_of_places(&surface, &places, diameter);
    assert!(before > 0.9 && after < 0.25, "{before} {after}");
    assert!(places.iter().all(|&place| (surface.height(place).0 - 18.0).abs() < 1e-9));
}

fn deepest_of_places(surface: &Surface, places: &[DVec3], diameter: f64) -> f64 {
    let discs: Vec<_> = places.iter().map(|&place| (place, diameter)).collect();
    deepest(&Sheet::new(surface, 18.0, None), &discs)
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let surface = sphere(200.0);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut places = drawn(&surface, 9_000, 18.0, None, 4);
        let diameters: Vec<f64> = (0..9_000).map(|at| if at % 90 == 0 { 30.0 } else { 7.5 }).collect();
        let fixed = [(DVec3::new(0.0, 0.0, 200.0), 60.0)];
        pool.install(|| spread(&surface, 18.0, &mut places, &diameters, None, &fixed, 25));
        places
    };
    let one = run(1);
    assert_eq!(one, run(3));
    assert_eq!(one, run(16));
}

#[test]
fn every_near_pair_is_listed_once_on_both_sides() {
    for (surface, periodic) in [(sphere(60.0), None), (plane(), None), (plane(), Some([90.0, 50.0]))] {
        let sheet = Sheet::new(&surface, 0.0, periodic);
        let patch = Some([90.0, 50.0]);
        let mut random = Random::new(9);
        let mut discs: Vec<Disc> = drawn(&surface, 400, 0.0, patch, 2)
            .into_iter()
            .zip(0..)
            .map(|(place, name)| Disc {
                center: sheet.settle(sheet.enter(place)),
                radius: if name % 20 == 0 { 9.0 } else { 0.5 + 2.0 * random.unit() },
                name,
                is_fixed: false,
            })
            .collect();
        sort_along_curve(&mut discs, 10.0);
        let grid = Grid::new(&discs, &sheet, 0.7);
        let lists = grid.lists(&discs, &sheet);
        for (at, disc) in discs.iter().enumerate() {
            let mut listed = lists.chunks[at / Lists::CHUNK].of(at % Lists::CHUNK).to_vec();
            listed.sort_unstable();
            let is_near = |other: &Disc| {
                let distance = sheet.between(disc.center, other.center).length();
                other.name != disc.name && distance < disc.radius + other.radius + 0.7
            };
            let near = (0..discs.len() as u32).filter(|&other| is_near(&discs[other as usize]));
            assert_eq!(listed, near.collect::<Vec<u32>>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    // Discs that fill a third of the surface always find room.
    #[test]
    fn mixtures_around_obstacles_end_without_overlap(
        seed in 0_u64..1000,
        ratio in 1.0..12.0_f64,
        shape in 0..3_usize,
        height in -5.0..20.0_f64,
    ) {
        let patch = Some([110.0, 160.0]);
        let (surface, periodic) = [(sphere(40.0), None), (plane(), None), (plane(), patch)][shape].clone();
        let mut places = drawn(&surface, 150, height, patch, seed);
        let small = (0.3 * surface.area_at(height).min(17_600.0) / 150.0).sqrt() / (1.0 + 0.02 * ratio * ratio).sqrt();
        let diameters: Vec<f64> = (0..150).map(|at| if at % 50 == 0 { small * ratio } else { small }).collect();
        let fixed: Vec<_> = drawn(&surface, 2, height + 3.0, patch, seed + 1).into_iter().map(|place| (place, 20.0)).collect();
        let iterations = spread(&surface, height, &mut places, &diameters, periodic, &fixed, 3_000);
        prop_assert!(iterations < 3_000);
        let sheet = Sheet::new(&surface, height, periodic);
        let moving: Vec<_> = places.iter().copied().zip(diameters).collect();
        prop_assert!(deepest(&sheet, &moving) < 2e-3);
        for obstacle in fixed {
            for &disc in &moving {
                prop_assert!(deepest(&sheet, &[disc, obstacle]) < 2e-3);
            }
        }
    }
}

#[test]
fn discs_part_on_a_mesh_too() {
    let mut mesh = crate::shape::mesh::tests::icosphere(3);
    mesh.vertices.iter_mut().for_each(|vertex| *vertex *= DVec3::new(100.0, 80.0, 60.0));
    let surface = Surface::Mesh(std::sync::Arc::new(crate::shape::TriangleMesh::new(&mesh).unwrap()));
    let mut places = drawn(&surface, 800, 5.0, None, 3);
    let diameter = (0.5 * surface.area_at(5.0) / 800.0).sqrt();
    let iterations = spread(&surface, 5.0, &mut places, &[diameter; 800], None, &[], 1_000);
    assert!(iterations < 1_000);
    assert!(
        deepest(&Sheet::new(&surface, 5.0, None), &places.iter().map(|&place| (place, diameter)).collect::<Vec<_>>())
            < 2e-3
    );
    assert!(places.iter().all(|&place| (surface.height(place).0 - 5.0).abs() < 1e-6));
}
