//! Soft bodies in contact: nothing passes through anything, piles come to rest, friction is Coulomb's.

use glam::{DQuat, DVec3};
use steric_model::TetMesh;
use steric_world::deform::{ContactOptions, Material, Response, SoftBody, SoftWorld};

const STEP: f64 = 1.0 / 60.0;

fn body(mesh: TetMesh, material: Material) -> SoftBody {
    SoftBody::new(mesh.points, mesh.tetrahedra, &[], &[material]).expect("a body")
}

fn stiff() -> Material {
    Material { young: 4e5, ..Material::default() }
}

fn membrane(turn: f64, at: DVec3) -> SoftBody {
    let mesh = TetMesh::woven(DVec3::new(-0.3, -0.3, -0.025), DVec3::new(0.3, 0.3, 0.025), [6, 6, 1]);
    body(mesh.mapped(|point| DQuat::from_rotation_z(turn) * point + at), stiff())
}

fn pile(count: usize) -> SoftWorld {
    let one = |number: usize| {
        let number = number as f64;
        membrane(0.3 * (1.7 * number).sin(), DVec3::new(0.03 * number.sin(), 0.03 * number.cos(), 0.1 + 0.09 * number))
    };
    let mut world = SoftWorld::new(SoftBody::join((0..count).map(one)), ContactOptions::default());
    world.floor = Some(0.0);
    world
}

fn is_clean(world: &SoftWorld) -> bool {
    let overlaps = world.overlaps();
    overlaps.found.is_empty() && overlaps.lost == 0 && overlaps.crossed.is_empty()
}

/// No point of a surface lies in another body, and no edge passes through one. What is inside a body that is crushed may be anywhere.
fn surfaces_are_apart(world: &SoftWorld) -> bool {
    let overlaps = world.overlaps();
    let part_of = |point: u32| world.body.parts().iter().position(|part| part.points.contains(&(point as usize)));
    let is_on_surface = |point: u32| world.body.surface().iter().flatten().any(|corner| *corner == point);
    let is_inside = |touch: &steric_world::deform::Touch| {
        let corner = world.body.tetrahedra()[touch.tetrahedron as usize][0];
        part_of(corner) != part_of(touch.point) && is_on_surface(touch.point)
    };
    overlaps.crossed.is_empty() && !overlaps.found.iter().any(is_inside)
}

fn fastest(world: &SoftWorld) -> f64 {
    world.body.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max)
}

#[test]
fn a_pile_of_membranes_comes_to_rest_in_its_order() {
    let mut world = pile(6);
    for _ in 0..300 {
        world.step(STEP);
    }
    assert!(is_clean(&world));
    let before = world.body.positions.clone();
    for _ in 0..60 {
        world.step(STEP);
    }
    assert!(is_clean(&world) && fastest(&world) < 0.02, "{}", fastest(&world));
    let moved = before.iter().zip(&world.body.positions).map(|(from, to)| from.distance(*to)).fold(0.0, f64::max);
    assert!(moved < 2e-3, "a second at rest moves nothing by more than 2 mm: {moved}");
    let heights: Vec<f64> = world
        .body
        .parts()
        .iter()
        .map(|part| {
            let points = &world.body.positions[part.points.clone()];
            points.iter().map(|at| at.z).sum::<f64>() / points.len() as f64
        })
        .collect();
    assert!(heights.windows(2).all(|two| two[1] - two[0] > 0.045), "{heights:?}");
}

#[test]
fn nothing_passes_through_a_membrane_however_fast() {
    for speed in [1.0, 5.0, 20.0] {
        let mut sheet = membrane(0.0, DVec3::ZERO);
        let rim: Vec<usize> = (0..sheet.positions.len()).filter(|&point| sheet.rest()[point].x.abs() > 0.29).collect();
        rim.iter().for_each(|&point| sheet.hold(point));
        let mut ball = body(TetMesh::ball(0.1, 4).mapped(|point| point + DVec3::new(0.02, 0.03, 0.25)), stiff());
        ball.velocities.fill(DVec3::NEG_Z * speed);
        let mut world = SoftWorld::new(SoftBody::join([sheet, ball]), ContactOptions::default());
        for step in 0..40 {
            world.step(STEP);
            assert!(surfaces_are_apart(&world), "{speed} m/s, step {step}");
        }
        assert!(world.body.energy().total().is_finite());
    }
}

#[test]
fn friction_holds_on_a_slope_below_its_angle_and_slips_above() {
    let slid = |slope: f64| {
        let block = TetMesh::woven(DVec3::new(-0.1, -0.1, 0.0), DVec3::new(0.1, 0.1, 0.1), [2, 2, 1]);
        let mut world = SoftWorld::new(body(block, stiff()), ContactOptions { friction: 0.4, ..Default::default() });
        world.floor = Some(0.0);
        world.body.options.gravity = DVec3::new(slope * 9.81, 0.0, -9.81);
        for _ in 0..60 {
            world.step(STEP);
        }
        world.body.positions.iter().map(|at| at.x).sum::<f64>() / world.body.positions.len() as f64
    };
    assert!(slid(0.2).abs() < 5e-3, "{}", slid(0.2));
    // Half of the acceleration that is left, times the time squared.
    let expected = 0.5 * (0.8 - 0.4) * 9.81;
    assert!((slid(0.8) / expected - 1.0).abs() < 0.15, "{} {expected}", slid(0.8));
}

#[test]
fn bodies_that_begin_in_each_other_come_apart() {
    let block = |at: DVec3| {
        let mesh = TetMesh::woven(DVec3::splat(-0.1), DVec3::splat(0.1), [4, 4, 4]);
        body(mesh.mapped(|point| point + at), stiff())
    };
    for response in [Response::Gap, Response::Depth] {
        let both = SoftBody::join([block(DVec3::ZERO), block(DVec3::new(0.013, 0.021, 0.185))]);
        let mut world = SoftWorld::new(both, ContactOptions { response, ..ContactOptions::default() });
        world.body.options.gravity = DVec3::ZERO;
        assert!(!is_clean(&world));
        for _ in 0..120 {
            world.step(STEP);
        }
        let deepest = world.overlaps().found.iter().map(|touch| touch.depth).fold(0.0, f64::max);
        assert!(deepest < 1e-3, "{response:?}: {deepest}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_pile() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut world = pile(4);
            for _ in 0..40 {
                world.step(STEP);
            }
            world.body.positions.iter().map(|at| at.to_array().map(f64::to_bits)).collect::<Vec<_>>()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(5));
}

#[test]
fn what_is_led_pushes_what_is_in_its_way() {
    let block = |at: DVec3| {
        let mesh = TetMesh::woven(DVec3::splat(-0.05), DVec3::splat(0.05), [2, 2, 2]);
        body(mesh.mapped(|point| point + at), stiff())
    };
    let both = SoftBody::join([block(DVec3::ZERO), block(DVec3::new(0.12, 0.01, 0.01))]);
    let mut world = SoftWorld::new(both, ContactOptions::default());
    world.body.options.gravity = DVec3::ZERO;
    let led = world.body.positions[..27].to_vec();
    for step in 1..=60 {
        for (point, from) in led.iter().enumerate() {
            world.body.lead(point, *from + DVec3::X * (0.005 * f64::from(step)));
        }
        world.step(STEP);
        assert!(is_clean(&world), "step {step}");
    }
    assert!(world.body.positions[27..].iter().all(|at| at.x > 0.33), "pushed ahead by what was led 0.3 m");
}
