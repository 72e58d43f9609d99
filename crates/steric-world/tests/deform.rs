//! Laws of `deform`: what a soft body must do whatever its mesh, and what it must refuse.

use glam::{DMat3, DQuat, DVec3};
use proptest::prelude::*;
use steric_world::deform::{Contact, DeformError, Detector, Material, SoftBody, point_in_tetrahedron, reference};

/// A block of cubes, each cut into the six tetrahedra around its diagonal (Kuhn 1960), which fit those of its neighbours.
fn block(cells: [usize; 3], size: DVec3) -> (Vec<DVec3>, Vec<[u32; 4]>) {
    let counts = cells.map(|count| count + 1);
    let number = |at: [usize; 3]| (at[0] + counts[0] * (at[1] + counts[1] * at[2])) as u32;
    let edge = size / DVec3::from_array(cells.map(|count| count as f64));
    let points = (0..counts.iter().product()).map(|at| {
        edge * DVec3::from_array(
            [at % counts[0], at / counts[0] % counts[1], at / counts[0] / counts[1]].map(|at| at as f64),
        )
    });
    let mut tetrahedra = Vec::new();
    for cell in 0..cells.iter().product::<usize>() {
        let low = [cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]];
        for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut at = low;
            let mut corners = [number(at); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(axes) {
                at[axis] += 1;
                *corner = number(at);
            }
            if axes[1] != (axes[0] + 1) % 3 {
                corners.swap(2, 3);
                corners.swap(1, 2);
                corners.swap(2, 3);
            }
            tetrahedra.push(corners);
        }
    }
    (points.collect(), tetrahedra)
}

fn block_of(cells: [usize; 3], size: DVec3, material: Material) -> SoftBody {
    let (points, tetrahedra) = block(cells, size);
    let mut body = SoftBody::new(points, tetrahedra, &[], &[material]).expect("a block");
    body.options.gravity = DVec3::ZERO;
    body
}

/// Holds, or loads, or measures the points of one end.
fn end_of(body: &SoftBody, x: f64) -> Vec<usize> {
    (0..body.rest().len()).filter(|&point| (body.rest()[point].x - x).abs() < 1e-9).collect()
}

/// A force on the end at `x`, spread as an even traction is: by the areas of the triangles there.
fn load_on(body: &SoftBody, x: f64, force: DVec3) -> Vec<DVec3> {
    let mut areas = vec![0.0; body.rest().len()];
    for corners in body.surface() {
        let [a, b, c] = corners.map(|corner| body.rest()[corner as usize]);
        if [a, b, c].iter().all(|at| (at.x - x).abs() < 1e-9) {
            corners.iter().for_each(|&corner| areas[corner as usize] += (b - a).cross(c - a).length() / 6.0);
        }
    }
    let sum: f64 = areas.iter().sum();
    areas.into_iter().map(|area| force * (area / sum)).collect()
}

fn mean(body: &SoftBody, points: &[usize]) -> DVec3 {
    points.iter().map(|&point| body.positions[point] - body.rest()[point]).sum::<DVec3>() / points.len() as f64
}

/// Makes every point of a block wander by up to a part of its cells, so that no element is like another.
fn shaken(body: &mut SoftBody, by: f64) {
    for (number, at) in body.positions.iter_mut().enumerate() {
        let wave = |shift: f64| (12.9898 * number as f64 + shift).sin();
        *at += by * DVec3::new(wave(0.0), wave(1.0), wave(2.0));
    }
}

fn rotations() -> impl Strategy<Value = DQuat> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, 0.01..1.0].prop_map(|parts| DQuat::from_array(parts).normalize())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_rigid_motion_costs_no_force(rotation in rotations(), shift in [-5.0..5.0f64, -5.0..5.0, -5.0..5.0], bend in 0.0..0.3f64) {
        let (points, tetrahedra) = block([3, 2, 2], DVec3::new(0.3, 0.2, 0.2));
        let bent: Vec<DVec3> = points.iter().map(|at| *at + bend * at.x * at.x * DVec3::Y).collect();
        let material = Material::default();
        let mut body = SoftBody::new(bent, tetrahedra, &[], &[material]).expect("a bent block");
        body.positions = body.rest().iter().map(|at| rotation * *at + DVec3::from_array(shift)).collect();
        // The stiffness of an element times its edge: the force that would turn it inside out. Places of 5 m are rounded to 1e-15 m.
        let force = material.young * 0.1 * 0.1;
        for found in body.elastic_forces() {
            prop_assert!(found.length() < 1e-11 * force, "{found}");
        }
    }

    #[test]
    fn forces_are_those_of_the_book(rotation in rotations(), shake in prop::array::uniform4([-0.2..0.2f64, -0.2..0.2, -0.2..0.2]), poisson in -0.5..0.49f64) {
        let rest = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 0.9, 0.1), DVec3::new(0.3, 0.2, 0.8)];
        let material = Material { poisson, ..Material::default() };
        let mut body = SoftBody::new(rest.to_vec(), vec![[0, 1, 2, 3]], &[], &[material]).expect("one tetrahedron");
        body.positions = rest.iter().zip(shake).map(|(at, shake)| rotation * (*at + DVec3::from_array(shake))).collect();
        let places = [0, 1, 2, 3].map(|corner| body.positions[corner]);
        for (found, expected) in body.elastic_forces().iter().zip(reference::elastic_forces(rest, places, &material)) {
            prop_assert!(found.distance(expected) < 1e-9 * material.young * (1.0 + material.lame().0 / material.young));
        }
    }

    #[test]
    fn forces_are_the_slope_of_the_energy(rotation in rotations(), seed in 0.0..1.0f64, point in 0..12usize, axis in 0..3usize) {
        let mut body = block_of([2, 1, 1], DVec3::new(2.0, 1.0, 1.0), Material { young: 1.0, ..Material::default() });
        shaken(&mut body, 0.2 * seed);
        body.positions.iter_mut().for_each(|at| *at = rotation * *at);
        let force = body.elastic_forces()[point][axis];
        let energy_at = |by: f64| {
            let mut moved = body.clone();
            moved.positions[point][axis] += by;
            moved.energy().elastic
        };
        let slope = (energy_at(1e-5) - energy_at(-1e-5)) / 2e-5;
        prop_assert!((force + slope).abs() < 1e-8);
    }
}

#[test]
fn a_pulled_bar_grows_by_force_times_length_over_stiffness_times_area() {
    let (length, width, force) = (1.0, 0.2, 40.0);
    for (poisson, from) in [(0.0, 0.0), (0.3, 0.4)] {
        let material = Material { young: 2e5, poisson, ..Material::default() };
        let mut body = block_of([20, 4, 4], DVec3::new(length, width, width), material);
        for point in end_of(&body, 0.0) {
            body.hold(point);
        }
        let rest = body.rest_under(&load_on(&body, length, DVec3::X * force), 1e-7).expect("it is held");
        assert!(rest.is_at_rest(1e-7), "{rest:?}");
        // The held end cannot get thinner, which is felt for one or two widths (Saint-Venant): measured beyond.
        let growth = mean(&body, &end_of(&body, length)).x - mean(&body, &end_of(&body, from)).x;
        let strain = force / (material.young * width * width);
        assert!((growth / (strain * (length - from)) - 1.0).abs() < 0.01, "{growth} with {poisson}");
        let side =
            |y: f64| end_of(&body, 0.7).into_iter().filter(|&point| body.rest()[point].y == y).collect::<Vec<_>>();
        let thinner = mean(&body, &side(0.0)).y - mean(&body, &side(width)).y;
        assert!((thinner - poisson * strain * width).abs() < 0.01 * strain * width, "{thinner} with {poisson}");
    }
}

/// How far the end of a bar of 1 m by 10 cm by 10 cm goes down, as a part of what Timoshenko's theory says.
fn cantilever(across: usize) -> f64 {
    // Without Poisson's ratio the held end is as free to keep its section as the theory assumes.
    let material = Material { young: 1e6, poisson: 0.0, ..Material::default() };
    let (length, width, force) = (1.0, 0.1, 1e-3);
    let mut body = block_of([8 * across, across, across], DVec3::new(length, width, width), material);
    for point in end_of(&body, 0.0) {
        body.hold(point);
    }
    let rest = body.rest_under(&load_on(&body, length, DVec3::NEG_Z * force), 1e-5).expect("it is held");
    assert!(rest.is_at_rest(1e-5), "{rest:?}");
    let (area, inertia) = (width * width, width.powi(4) / 12.0);
    let bending = force * length.powi(3) / (3.0 * material.young * inertia);
    let shear = force * length / (5.0 / 6.0 * area * 0.5 * material.young);
    -mean(&body, &end_of(&body, length)).z / (bending + shear)
}

#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let (coarse, fine) = (cantilever(5), cantilever(10));
    assert!((fine - 1.0).abs() < 0.05, "{fine}");
    // Linear tetrahedra are too stiff by the square of their size: without that, 1 % is left.
    assert!((fine + (fine - coarse) / 3.0 - 1.0).abs() < 0.01, "{coarse} {fine}");
}

#[test]
fn a_pressed_block_keeps_its_volume_the_more_the_nearer_its_ratio_is_to_a_half() {
    let changes = [0.0, 0.2, 0.4, 0.49].map(|poisson| {
        let mut body = block_of([4, 4, 4], DVec3::ONE, Material { poisson, ..Material::default() });
        for point in 0..body.rest().len() {
            let at = body.rest()[point];
            // Pressed between two plates that it slides on: the middle of the block is not held sideways but by balance.
            body.positions[point] = at * DVec3::new(0.98, 1.0 + 0.02 * poisson, 1.0 + 0.02 * poisson);
        }
        // Which is the state of even strain: no force on the inside.
        for (point, force) in body.elastic_forces().iter().enumerate() {
            let at = body.rest()[point];
            if at.cmpgt(DVec3::splat(0.1)).all() && at.cmplt(DVec3::splat(0.9)).all() {
                assert!(force.length() < 1e-9 * 5e4);
            }
            assert!(at.x > 0.1 && at.x < 0.9 || force.y.abs() < 1e-9 * 5e4, "no force is needed at the sides");
        }
        body.volume() - 1.0
    });
    for (change, poisson) in changes.iter().zip([0.0, 0.2, 0.4, 0.49]) {
        let expected = -0.02 * (1.0 - 2.0 * poisson);
        assert!((change - expected).abs() < 0.02 * 0.02 * 2.0, "{change} for {expected}");
    }
    assert!(changes.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_free_body_keeps_its_momentum_and_its_middle_goes_straight_on() {
    let mut body = block_of([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), Material::default());
    shaken(&mut body, 0.03);
    let turn = DVec3::new(1.0, 2.0, -0.5);
    for (velocity, at) in body.velocities.iter_mut().zip(&body.positions) {
        *velocity = DVec3::new(0.3, -0.2, 0.1) + turn.cross(*at);
    }
    let middle = |body: &SoftBody| {
        let mass: f64 = body.masses().iter().sum();
        body.masses().iter().zip(&body.positions).map(|(mass, at)| *mass * *at).sum::<DVec3>() / mass
    };
    let (before, start) = (body.momentum(), middle(&body));
    for _ in 0..200 {
        body.step(1.0 / 60.0, &[], &[]);
    }
    assert!((body.momentum() - before).length() < 1e-9 * before.length());
    let mass: f64 = body.masses().iter().sum();
    assert!((middle(&body) - start - before / mass * (200.0 / 60.0)).length() < 1e-9);
}

#[test]
fn a_falling_body_falls_by_half_g_t_squared_and_the_known_error_of_implicit_euler() {
    let mut body = block_of([3, 3, 3], DVec3::ONE, Material::default());
    body.options.gravity = DVec3::NEG_Z * 9.81;
    let (h, steps) = (0.01, 100);
    for _ in 0..steps {
        body.step(h, &[], &[]);
    }
    let time = h * steps as f64;
    let expected = -0.5 * 9.81 * time * (time + h);
    for (at, rest) in body.positions.iter().zip(body.rest()) {
        assert!((at.z - rest.z - expected).abs() < 1e-9 * expected.abs());
        assert!((*at - *rest).truncate().length() < 1e-9);
    }
}

/// The total energies of a block that was shaken and spun, step by step.
fn energies(damping: f64, shake: f64, spin: f64) -> Vec<f64> {
    let mut body = block_of([6, 3, 3], DVec3::new(0.6, 0.3, 0.3), Material { damping, ..Material::default() });
    body.options.tolerance = 1e-10;
    shaken(&mut body, shake);
    for (velocity, at) in body.velocities.iter_mut().zip(&body.positions) {
        *velocity = DVec3::Z.cross(*at) * spin;
    }
    let after_step = |_| {
        body.step(1.0 / 200.0, &[], &[]);
        body.energy().total()
    };
    (0..300).map(after_step).collect()
}

#[test]
fn energy_never_grows_without_work() {
    for (damping, shake) in [(0.0, 0.03), (0.02, 0.03), (0.0, 0.1)] {
        let energies = energies(damping, shake, 0.0);
        assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9 * energies[0]), "{damping} {shake}");
        assert!(energies[299] < 0.5 * energies[0]);
    }
    // A step is linear, so a turn in it is only known to its square: what comes and goes with that stays below where it began.
    let energies = energies(0.0, 0.02, 8.0);
    let most = energies.windows(2).map(|pair| pair[1] / pair[0] - 1.0).fold(0.0, f64::max);
    assert!(energies.iter().all(|energy| *energy <= energies[0]) && most < 1e-4, "{most}");
}

#[test]
fn a_body_turned_inside_out_recovers() {
    // Mirrored, flattened to a plane, gathered in a point, and shaken beyond recognition.
    let states: [fn(usize, DVec3) -> DVec3; 4] = [
        |_, at| DVec3::new(-at.x, at.y, at.z),
        |_, at| DVec3::new(at.x, at.y, 0.0),
        |_, _| DVec3::ZERO,
        |number, at| {
            at + 0.4 * DVec3::new((7.1 * number as f64).sin(), (3.3 * number as f64).sin(), (5.7 * number as f64).sin())
        },
    ];
    for (number, state) in states.into_iter().enumerate() {
        let mut body = block_of([3, 3, 3], DVec3::splat(0.3), Material { damping: 0.05, ..Material::default() });
        body.positions = body.rest().iter().enumerate().map(|(point, at)| state(point, *at)).collect();
        let before = body.energy().elastic;
        for _ in 0..600 {
            body.step(1.0 / 60.0, &[], &[]);
            assert!(body.positions.iter().chain(&body.velocities).all(|at| at.is_finite()), "state {number}");
        }
        let after = body.energy().elastic;
        assert!(after < 1e-5 * before, "state {number}: {after} J left of {before}");
        assert!((body.volume() / 0.027 - 1.0).abs() < 0.02, "state {number}: {}", body.volume());
    }
}

#[test]
fn an_element_turned_inside_out_comes_back_wholly() {
    let mut body = block_of([4, 4, 4], DVec3::splat(0.4), Material { damping: 0.02, ..Material::default() });
    let middle =
        (0..body.rest().len()).find(|&point| body.rest()[point].distance(DVec3::splat(0.2)) < 1e-9).expect("a middle");
    body.positions[middle] += DVec3::new(0.15, 0.12, 0.1);
    assert!(body.tetrahedra().iter().any(|&corners| {
        let [a, b, c, d] = corners.map(|corner| body.positions[corner as usize]);
        (b - a).cross(c - a).dot(d - a) < 0.0
    }));
    let before = body.energy().elastic;
    for _ in 0..300 {
        body.step(1.0 / 60.0, &[], &[]);
    }
    assert!(body.energy().elastic < 1e-6 * before);
    assert!((body.volume() / 0.064 - 1.0).abs() < 1e-3);
}

fn bits(body: &SoftBody) -> Vec<[u64; 3]> {
    body.positions.iter().chain(&body.velocities).map(|at| at.to_array().map(f64::to_bits)).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut body = block_of([14, 6, 6], DVec3::new(1.4, 0.6, 0.6), Material::default());
            body.options.gravity = DVec3::NEG_Z * 9.81;
            for point in end_of(&body, 0.0) {
                body.hold(point);
            }
            let forces: Vec<DVec3> = body.rest().iter().map(|at| DVec3::new(at.y, at.z, at.x)).collect();
            let contacts = [
                Contact::new(&[(14, 1.0)], DVec3::Z).pressing(0.0, 1e5, 3.0),
                Contact::new(&[(70, 1.0), (90, -0.25), (91, -0.25), (92, -0.25), (93, -0.25)], DVec3::X)
                    .pressing(5.0, 1e5, 3.0),
            ];
            for _ in 0..10 {
                body.step(1.0 / 60.0, &forces, &contacts);
            }
            bits(&body)
        })
    };
    let one = run(1);
    assert!(one == run(3) && one == run(16));
}

#[test]
fn joined_bodies_move_as_they_do_alone() {
    let mut one = block_of([3, 2, 2], DVec3::new(0.3, 0.2, 0.2), Material::default());
    one.options.tolerance = 1e-11;
    shaken(&mut one, 0.02);
    let mut other = block_of([2, 2, 4], DVec3::new(0.2, 0.2, 0.4), Material { young: 3e5, ..Material::default() });
    other.options.tolerance = 1e-11;
    shaken(&mut other, 0.01);
    other.hold(0);
    let mut both = SoftBody::join([one.clone(), other.clone()]);
    for _ in 0..20 {
        one.step(0.01, &[], &[]);
        other.step(0.01, &[], &[]);
        both.step(0.01, &[], &[]);
    }
    for (found, expected) in both.positions.iter().zip(one.positions.iter().chain(&other.positions)) {
        // The blocks of the matrix are rounded to seven digits, in other units.
        assert!(found.distance(*expected) < 1e-7, "{}", found.distance(*expected));
    }
    assert_eq!(both.parts()[1].points, one.rest().len()..one.rest().len() + other.rest().len());
}

#[test]
fn a_stiff_contact_holds_a_body_without_bouncing_it() {
    let mut body = block_of([3, 3, 3], DVec3::splat(0.3), Material::default());
    body.options.gravity = DVec3::NEG_Z * 9.81;
    // 1e8 N/m under a step of 1/60 s: 1e6 times what an explicit step would bear.
    let stiffness = 1e8;
    for _ in 0..240 {
        let mut contacts = Vec::new();
        for (point, at) in body.positions.iter().enumerate().filter(|(_, at)| at.z < 0.0) {
            contacts.push(Contact::new(&[(point as u32, 1.0)], DVec3::Z).pressing(-stiffness * at.z, stiffness, 0.0));
        }
        body.step(1.0 / 60.0, &[], &contacts);
        assert!(body.positions.iter().all(|at| at.z > -0.05 && at.z < 0.35));
    }
    assert!(body.positions.iter().all(|at| at.z > -1e-3));
    assert!(body.velocities.iter().all(|velocity| velocity.length() < 0.05));
}

#[test]
fn a_led_end_takes_the_body_along() {
    let mut body = block_of([6, 2, 2], DVec3::new(0.6, 0.2, 0.2), Material { damping: 0.05, ..Material::default() });
    let end = end_of(&body, 0.0);
    for step in 1..=300 {
        let turn = DQuat::from_rotation_z((0.01 * step as f64).min(1.5));
        for &point in &end {
            body.lead(point, turn * body.rest()[point]);
        }
        body.step(1.0 / 60.0, &[], &[]);
    }
    let turn = DQuat::from_rotation_z(1.5);
    for (at, rest) in body.positions.iter().zip(body.rest()) {
        assert!(at.distance(turn * *rest) < 1e-2);
    }
    assert!(end.iter().all(|&point| body.positions[point] == turn * body.rest()[point]));
}

#[test]
fn what_cannot_be_is_refused_with_its_number() {
    let (points, tetrahedra) = block([2, 1, 1], DVec3::ONE);
    let fine = Material::default();
    let with = |points: &[DVec3], tetrahedra: &[[u32; 4]], regions: &[u32], materials: &[Material]| {
        SoftBody::new(points.to_vec(), tetrahedra.to_vec(), regions, materials).expect_err("it is refused")
    };
    let changed = |element: usize, corners: [u32; 4]| {
        let mut tetrahedra = tetrahedra.clone();
        tetrahedra[element] = corners;
        with(&points, &tetrahedra, &[], &[fine])
    };
    let [a, b, c, d] = tetrahedra[7];
    assert!(matches!(changed(7, [b, a, c, d]), DeformError::Inverted { element: 7, volume } if volume < 0.0));
    assert!(matches!(changed(3, [0, 1, 2, 12]), DeformError::Corners { element: 3, points: 12, .. }));
    assert!(matches!(changed(4, [0, 1, 1, 2]), DeformError::Corners { element: 4, .. }));
    assert!(matches!(changed(5, [0, 1, 3, 4]), DeformError::Flat { element: 5, .. }));
    assert!(matches!(changed(6, tetrahedra[2]), DeformError::Folded { element: 6, other: 2, .. }));
    assert_eq!(with(&points, &[], &[], &[fine]), DeformError::Empty);
    let mut lost = points.clone();
    lost[9].y = f64::NAN;
    assert!(matches!(with(&lost, &tetrahedra, &[], &[fine]), DeformError::NotFinite { point: 9, .. }));
    lost[9].y = 0.0;
    lost.push(DVec3::ONE);
    assert!(matches!(
        with(&[points.clone(), vec![DVec3::ONE]].concat(), &tetrahedra, &[], &[fine]),
        DeformError::Loose { point: 12 }
    ));
    assert_eq!(with(&points, &tetrahedra, &[0; 3], &[fine]), DeformError::Regions { elements: 12, found: 3 });
    let mut regions = [0; 12];
    regions[8] = 1;
    assert_eq!(
        with(&points, &tetrahedra, &regions, &[fine]),
        DeformError::NoMaterial { element: 8, region: 1, materials: 1 }
    );
    for wrong in [
        Material { poisson: 0.5, ..fine },
        Material { poisson: -1.0, ..fine },
        Material { poisson: f64::NAN, ..fine },
        Material { young: 0.0, ..fine },
        Material { young: f64::INFINITY, ..fine },
        Material { density: -1.0, ..fine },
        Material { density: f64::NAN, ..fine },
        Material { damping: -0.1, ..fine },
    ] {
        let error = with(&points, &tetrahedra, &regions, &[fine, wrong]);
        assert!(matches!(error, DeformError::Material { element: 8, region: 1, .. }), "{error}");
        assert!(error.to_string().starts_with("element 8: expected a"), "{error}");
    }
    let mut adrift = SoftBody::new(points, tetrahedra, &[], &[fine]).expect("a block");
    assert_eq!(adrift.rest_under(&[], 1e-6), Err(DeformError::Adrift { point: 0 }));
}

#[test]
fn cells_of_microns_move_like_bodies_of_metres() {
    // All lengths a millionth, all times a thousandth, so all velocities a thousandth; Young's modulus goes with density times velocity squared.
    let run = |length: f64, time: f64| {
        let material = Material { young: 5e4 * (length / time).powi(2), damping: 0.01 * time, ..Material::default() };
        let mut body = block_of([3, 2, 2], DVec3::new(0.3, 0.2, 0.2) * length, material);
        body.options.tolerance = 1e-10;
        shaken(&mut body, 0.02 * length);
        for _ in 0..20 {
            body.step(time / 60.0, &[], &[]);
        }
        body.positions.iter().map(|at| *at / length).collect::<Vec<_>>()
    };
    for (small, large) in run(1e-6, 1e-3).iter().zip(run(1.0, 1.0)) {
        assert!(small.distance(large) < 1e-6);
    }
}

#[test]
fn the_law_of_a_material_does_not_depend_on_the_frame() {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.1, 2.0);
    let mut body = block_of([3, 2, 2], DVec3::new(0.3, 0.2, 0.2), Material::default());
    body.options.tolerance = 1e-11;
    shaken(&mut body, 0.02);
    let mut turned = body.clone();
    turned.positions.iter_mut().for_each(|at| *at = DMat3::from_quat(turn) * *at);
    for _ in 0..20 {
        body.step(0.01, &[], &[]);
        turned.step(0.01, &[], &[]);
    }
    for (at, turned) in body.positions.iter().zip(&turned.positions) {
        assert!((turn * *at).distance(*turned) < 1e-7);
    }
}

/// Two blocks that overlap by a corner, the second turned.
fn crossed(shift: DVec3) -> SoftBody {
    let block = |cells: [usize; 3]| steric_model::TetMesh::block(DVec3::ZERO, DVec3::ONE, cells);
    let turned = |point: &DVec3| glam::DQuat::from_rotation_y(0.4) * *point + shift;
    let (first, second) = (block([4, 3, 4]), block([3, 4, 3]));
    let body =
        |points: Vec<DVec3>, tetrahedra| SoftBody::new(points, tetrahedra, &[], &[Material::default()]).expect("sound");
    let moved = second.points.iter().map(turned).collect();
    SoftBody::join([body(first.points, first.tetrahedra), body(moved, second.tetrahedra)])
}

#[test]
fn every_kind_of_index_finds_the_points_that_lie_in_others_and_no_more() {
    use steric_collide::{BoxIndexKind, BoxIndexOptions, CellOrder};
    for shift in [DVec3::new(0.3, 0.1, 0.7), DVec3::new(-0.2, 0.45, 0.85), DVec3::new(0.0, 0.0, 3.0)] {
        let body = crossed(shift);
        let lies_in = |point: usize, corners: &[u32; 4]| {
            let places = corners.map(|corner| body.positions[corner as usize]);
            let beside = body.adjacency().neighbours(point as u32);
            let is_own = corners.iter().any(|corner| *corner as usize == point || beside.contains(corner));
            !is_own && point_in_tetrahedron(places, body.positions[point]).is_some()
        };
        let expected: Vec<u32> = (0..body.positions.len())
            .filter(|&point| body.tetrahedra().iter().any(|corners| lies_in(point, corners)))
            .map(|point| point as u32)
            .collect();
        for kind in BoxIndexKind::ALL {
            for order in [CellOrder::Rows, CellOrder::ZCurve] {
                let options = BoxIndexOptions { kind, order, ..BoxIndexOptions::default() };
                let touches = Detector::new(options).touches(&body, false);
                let found: Vec<u32> = touches.found.iter().map(|touch| touch.point).collect();
                assert_eq!((touches.lost, &found), (0, &expected), "{kind:?} {order:?}");
                for touch in &touches.found {
                    let corners =
                        body.tetrahedra()[touch.tetrahedron as usize].map(|corner| body.positions[corner as usize]);
                    let place: DVec3 = corners.iter().zip(touch.weights).map(|(corner, weight)| *corner * weight).sum();
                    assert!(place.distance(body.positions[touch.point as usize]) < 1e-9);
                    assert!(touch.depth >= 0.0 && (touch.direction.length() - 1.0).abs() < 1e-9);
                }
            }
        }
    }
}
