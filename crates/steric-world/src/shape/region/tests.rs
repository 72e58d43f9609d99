use super::*;
use proptest::prelude::*;

const SHAPES: usize = 7;

fn shape(kind: usize) -> Region {
    let center = DVec3::new(1.0, -2.0, 3.0);
    match kind {
        0 => Region::Box { low: center - DVec3::new(3.0, 4.0, 5.0), high: center + DVec3::new(3.0, 4.0, 5.0) },
        1 => Region::Sphere { center, radius: 5.0 },
        2 => Region::Ellipsoid { center, semi_axes: DVec3::new(2.0, 7.0, 4.0) },
        3 => Region::Ellipsoid { center, semi_axes: DVec3::new(5.0, 5.0, 0.5) },
        4 => Region::Cylinder { start: center, end: center + DVec3::new(3.0, 4.0, 5.0), radius: 2.5 },
        5 => Region::Cylinder { start: center, end: center + DVec3::Z, radius: 6.0 },
        _ => Region::HalfSpace { normal: DVec3::new(2.0, 3.0, 6.0) / 7.0, offset: 1.5 },
    }
}

// A place of the boundary by walking along a ray from inside: bisection on the sign alone, which is checked by itself.
fn boundary(region: &Region, inside: DVec3, direction: DVec3) -> DVec3 {
    let (mut near, mut far) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (near + far);
        *(if is_inside(region, inside + middle * direction) { &mut near } else { &mut far }) = middle;
    }
    inside + near * direction
}

// By the equation of the shape.
fn is_inside(region: &Region, point: DVec3) -> bool {
    match *region {
        Region::Box { low, high } => point.cmpge(low).all() && point.cmple(high).all(),
        Region::Sphere { center, radius } => point.distance(center) <= radius,
        Region::Ellipsoid { center, semi_axes } => ((point - center) / semi_axes).length() <= 1.0,
        Region::Cylinder { start, end, radius } => {
            let along = (point - start).dot(end - start) / (end - start).length_squared();
            (0.0..=1.0).contains(&along) && point.distance(start + along * (end - start)) <= radius
        }
        Region::HalfSpace { normal, offset } => normal.dot(point) <= offset,
        Region::Mesh(_) | Region::Inset { .. } => unreachable!("these have tests of their own"),
    }
}

fn somewhere() -> impl Strategy<Value = DVec3> {
    (-15.0..15.0, -15.0..15.0, -15.0..15.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn the_sign_says_inside_and_the_nearest_place_is_on_the_boundary(kind in 0..SHAPES, point in somewhere()) {
        let region = shape(kind);
        let (distance, gradient) = region.distance(point);
        prop_assert!(gradient.is_normalized());
        prop_assert!(distance.abs() < 1e-9 || (distance < 0.0) == is_inside(&region, point));
        let nearest = point - distance * gradient;
        prop_assert!(region.distance(nearest).0.abs() < 1e-7, "{:?}", region.distance(nearest));
        prop_assert!(!is_inside(&region, nearest + 1e-6 * gradient));
    }

    // The brute-force truth: no place of the boundary is nearer, and one of many is nearly as near.
    #[test]
    fn no_place_of_the_boundary_is_nearer(kind in 0..SHAPES - 1, point in somewhere(), seed in 0_u64..1000) {
        let region = shape(kind);
        let (distance, _) = region.distance(point);
        let (mut random, mut least) = (Random::new(seed), f64::INFINITY);
        for _ in 0..2_000 {
            let inside = region.sample(&mut random).expect("an inside");
            least = least.min(point.distance(boundary(&region, inside, random.direction())));
        }
        prop_assert!(least > distance.abs() - 1e-7, "{least} {distance}");
        prop_assert!(least < distance.abs() + 1.5, "{least} {distance}");
    }

    #[test]
    fn the_distance_grows_along_its_gradient(kind in 0..SHAPES, point in somewhere()) {
        let region = shape(kind);
        let step = 1e-5;
        let (distance, gradient) = region.distance(point);
        // Near a ridge, where two places of the boundary are nearest, there is no slope.
        let ahead = region.distance(point + step * gradient);
        prop_assume!(ahead.1.dot(gradient) > 0.999_999);
        prop_assert!((ahead.0 - distance - step).abs() < 1e-8);
        let across = gradient.any_orthonormal_vector();
        let aside = region.distance(point + step * across);
        prop_assume!(aside.1.dot(gradient) > 0.999);
        prop_assert!((aside.0 - distance).abs() < 1e-2 * step);
    }

    #[test]
    fn samples_lie_inside_and_inside_the_bounds(kind in 0..SHAPES - 1, seed in 0_u64..1000) {
        let region = shape(kind);
        let point = region.sample(&mut Random::new(seed)).expect("an inside");
        let (low, high) = region.bounds();
        prop_assert!(is_inside(&region, point));
        prop_assert!(point.cmpge(low).all() && point.cmple(high).all());
    }
}

#[test]
fn the_volume_is_the_part_of_the_bounds_that_is_inside() {
    for kind in 0..SHAPES - 1 {
        let region = shape(kind);
        let (low, high) = region.bounds();
        let mut random = Random::new(3);
        let mut anywhere = || low + (high - low) * DVec3::new(random.unit(), random.unit(), random.unit());
        let inside = (0..100_000).filter(|_| is_inside(&region, anywhere())).count();
        let volume = (high - low).element_product() * inside as f64 / 1e5;
        assert!((volume / region.volume() - 1.0).abs() < 0.03, "{kind}: {volume} {}", region.volume());
    }
}

#[test]
fn samples_are_uniform_in_volume() {
    // The middle, half as wide in every direction, holds an eighth.
    for region in [shape(1), shape(2), shape(3)] {
        let (low, high) = region.bounds();
        let (center, mut random) = (0.5 * (low + high), Random::new(5));
        let in_middle = |point: DVec3| is_inside(&region, center + 2.0 * (point - center));
        let count = (0..40_000).filter(|_| in_middle(region.sample(&mut random).unwrap())).count();
        assert!((count as f64 / 40_000.0 - 0.125).abs() < 0.008, "{count}");
    }
}

#[test]
fn centres_edges_and_corners_have_a_distance_and_a_direction() {
    let center = DVec3::new(1.0, -2.0, 3.0);
    for kind in 0..SHAPES {
        let region = shape(kind);
        let (low, high) = if kind == SHAPES - 1 { (center, center) } else { region.bounds() };
        for point in [center, low, high, 0.5 * (low + high), DVec3::new(low.x, center.y, center.z)] {
            for point in
                [point, point.with_x(center.x), point.with_z(center.z), point.with_x(center.x).with_y(center.y)]
            {
                let (distance, gradient) = region.distance(point);
                assert!(distance.is_finite() && gradient.is_normalized(), "{kind} {point}: {distance} {gradient}");
            }
        }
    }
}

#[test]
fn a_round_ellipsoid_is_a_sphere_and_a_flat_one_is_a_disc() {
    let round = Region::Ellipsoid { center: DVec3::ZERO, semi_axes: DVec3::splat(5.0) };
    assert!((round.distance(DVec3::new(3.0, 4.0, 12.0)).0 - 8.0).abs() < 1e-12);
    assert!((round.distance(DVec3::ZERO).0 + 5.0).abs() < 1e-12);
    let flat = Region::Ellipsoid { center: DVec3::ZERO, semi_axes: DVec3::new(5.0, 5.0, 0.0) };
    let (distance, gradient) = flat.distance(DVec3::new(3.0, 0.0, 2.0));
    assert!((distance - 2.0).abs() < 1e-6 && gradient.dot(DVec3::Z) > 0.99);
}

#[test]
fn a_mesh_is_a_region_like_any_other() {
    let mesh = TriangleMesh::new(&crate::shape::mesh::tests::icosphere(3)).unwrap();
    let region = Region::Mesh(Arc::new(mesh));
    let mut random = Random::new(1);
    let points: Vec<DVec3> = (0..4_000).map(|_| region.sample(&mut random).unwrap()).collect();
    assert!(points.iter().all(|&point| region.contains(point) && point.length() <= 1.0));
    let in_middle = points.iter().filter(|point| point.length() < 0.5).count();
    assert!((in_middle as f64 / 4_000.0 - 0.126).abs() < 0.025, "{in_middle}");
    assert!((region.volume() - 4.15).abs() < 0.05 && region.bounds().1.x > 0.99);
}

proptest! {
    // Where a sphere has its centre, all of it is inside; a little deeper there is room all around it.
    #[test]
    fn an_inset_holds_the_centres_of_spheres_that_are_inside(kind in 0..SHAPES, point in somewhere(), radius in 0.1..2.0_f64) {
        let whole = Arc::new(shape(kind));
        let inset = Region::Inset { of: Arc::clone(&whole), depth: radius };
        let grown = Region::Inset { of: Arc::clone(&whole), depth: -radius };
        let mut random = Random::new(7);
        let around: Vec<DVec3> = (0..200).map(|_| point + radius * random.direction()).collect();
        if inset.contains(point) {
            prop_assert!(around.iter().all(|&place| whole.distance(place).0 < 1e-9));
        }
        if !grown.contains(point) {
            prop_assert!(around.iter().all(|&place| !whole.contains(place)));
        }
    }
}

#[test]
fn insets_of_spheres_and_boxes_have_their_volumes() {
    let sphere = Arc::new(Region::Sphere { center: DVec3::ZERO, radius: 5.0 });
    let volume = |of: &Arc<Region>, depth: f64| Region::Inset { of: Arc::clone(of), depth }.volume();
    assert!((volume(&sphere, 2.0) - 36.0 * PI).abs() < 1e-9 && volume(&sphere, 6.0).abs() < 1e-12);
    let cube = Arc::new(Region::Box { low: DVec3::ZERO, high: DVec3::splat(4.0) });
    assert!((volume(&cube, 1.0) - 8.0).abs() < 1e-12);
    assert!((volume(&cube, -1.0) - (64.0 + 96.0 + 12.0 * PI + 4.0 / 3.0 * PI)).abs() < 1e-9);
    let twice = Region::Inset { of: Arc::new(Region::Inset { of: sphere, depth: 1.0 }), depth: 1.0 };
    assert!((twice.volume() - 36.0 * PI).abs() < 1e-9);
    let point = twice.sample(&mut Random::new(3)).expect("it has an inside");
    assert!(point.length() <= 3.0);
}
