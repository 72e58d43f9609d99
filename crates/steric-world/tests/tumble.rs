//! Solids beyond spheres: they touch, slide and stop like balls do, and exchange momentum by the laws of mechanics.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use steric_collide::{Obstacle, ProbeIndex};
use steric_model::{Pose, Random};
use steric_world::dock::{
    Body, Contact, Hand, Response, Screw, Solid, SolidError, Solids, Surroundings, Tumble, Tumbler,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn ball(radius: f64) -> Solid {
    Solid::balls_at(&[DVec3::ZERO], &[radius]).unwrap()
}

fn cube() -> Solid {
    Solid::cuboid(DVec3::splat(1.0)).unwrap()
}

/// A square sheet in the plane z = 0, in so many squares a side, each of two triangles.
fn sheet(half: f64, squares: u32) -> Solid {
    let place = |x: u32, y: u32| {
        let along = |at: u32| half * (2.0 * f64::from(at) / f64::from(squares) - 1.0);
        DVec3::new(along(x), along(y), 0.0)
    };
    let vertices: Vec<DVec3> = (0..=squares).flat_map(|y| (0..=squares).map(move |x| place(x, y))).collect();
    let number = |x: u32, y: u32| y * (squares + 1) + x;
    let square = |x: u32, y: u32| {
        let [a, b, c, d] = [number(x, y), number(x + 1, y), number(x + 1, y + 1), number(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> = (0..squares).flat_map(|y| (0..squares).flat_map(move |x| square(x, y))).collect();
    Solid::mesh(&vertices, &triangles).unwrap()
}

/// Rough ground: a sheet whose heights are random.
fn ground(half: f64, squares: u32, height: f64, seed: u64) -> Solid {
    let mut random = Random::new(seed);
    let flat = sheet(half, squares);
    let lifted: Vec<DVec3> = flat.vertices().iter().map(|&place| place + DVec3::Z * (height * random.unit())).collect();
    Solid::mesh(&lifted, flat.triangles()).unwrap()
}

fn boulder(corners: usize, size: f64, seed: u64) -> Solid {
    let mut random = Random::of(seed, 5);
    let corners: Vec<DVec3> = (0..corners).map(|_| random.direction() * size * (0.6 + 0.4 * random.unit())).collect();
    Solid::convex(&corners).unwrap()
}

fn depth(solids: &Solids, body: &Solid, pose: &Pose) -> f64 {
    Surroundings::contacts(solids, body, pose, 0.0, 0.0).first().map_or(0.0, |contact| -contact.gap)
}

/// Whether some contact lies off the line through the first and the one farthest from it.
fn spans_a_plane(contacts: &[Contact]) -> bool {
    let first = contacts[0].point;
    let far = |a: &&Contact, b: &&Contact| a.point.distance(first).total_cmp(&b.point.distance(first));
    let along = contacts.iter().max_by(far).unwrap().point - first;
    contacts.iter().any(|contact| along.cross(contact.point - first).length() > 0.1)
}

#[test]
fn bad_input_gives_errors() {
    let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let flat: Vec<DVec3> = (0..9).map(|at| DVec3::new(f64::from(at % 3), f64::from(at / 3), 1.0)).collect();
    assert_eq!(Solid::convex(&corner[..3]).unwrap_err(), SolidError::TooFew(3));
    assert_eq!(Solid::convex(&[DVec3::ONE; 20]).unwrap_err(), SolidError::TooFew(1));
    assert_eq!(Solid::convex(&flat).unwrap_err(), SolidError::Flat);
    assert_eq!(Solid::convex(&[DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0]).unwrap_err(), SolidError::Flat);
    assert_eq!(Solid::convex(&[corner[0], corner[1], DVec3::NAN, corner[2]]).unwrap_err(), SolidError::NotFinite(2));
    assert_eq!(Solid::pieces::<Vec<DVec3>>(&[]).unwrap_err(), SolidError::Empty);
    assert_eq!(Solid::balls_at(&[], &[]).unwrap_err(), SolidError::Empty);
    assert_eq!(Solid::balls_at(&corner, &[1.0]).unwrap_err(), SolidError::Radii { centers: 4, radii: 1 });
    assert_eq!(Solid::balls_at(&corner[..1], &[0.0]).unwrap_err(), SolidError::Radius { ball: 0, radius: 0.0 });
    assert!(Solid::balls_at(&corner[..1], &[f64::NAN]).is_err());
    assert_eq!(Solid::mesh(&corner, &[]).unwrap_err(), SolidError::Empty);
    let beyond = SolidError::OutOfRange { triangle: 1, vertex: 4, count: 4 };
    assert_eq!(Solid::mesh(&corner, &[[0, 1, 2], [0, 1, 4]]).unwrap_err(), beyond);
    assert_eq!(Solid::mesh(&corner, &[[0, 1, 1]]).unwrap_err(), SolidError::NoArea(0));
    assert!(Solid::mesh(&[DVec3::INFINITY, DVec3::X, DVec3::Y], &[[0, 1, 2]]).is_err());
}

#[test]
fn solids_know_their_mass() {
    let close = |found: f64, law: f64| assert!((found - law).abs() < 1e-9 * law, "{found} and not {law}");
    // A tetrahedron of edge a has a volume of a^3 / (6 sqrt 2) and an inertia of m a^2 / 20; its corners are a sqrt(3/8) from its middle.
    let edge = 2.0f64;
    let tetrahedron = Solid::tetrahedron(edge * 0.375f64.sqrt()).unwrap();
    let mass = *tetrahedron.mass();
    close(mass.mass, edge.powi(3) / (6.0 * 2f64.sqrt()));
    close(mass.inertia.x_axis.x, mass.mass * edge * edge / 20.0);
    // A box, moved and turned inside out.
    let moved = DVec3::new(5.0, -3.0, 2.0);
    let cuboid = Solid::cuboid(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    let vertices: Vec<DVec3> = cuboid.vertices().iter().map(|vertex| *vertex + moved).collect();
    let turned: Vec<[u32; 3]> = cuboid.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let mesh = Solid::mesh(&vertices, &turned).unwrap();
    assert!(mesh.is_closed() && mesh.middle().distance(moved) < 1e-9);
    close(mesh.mass().mass, 48.0);
    close(mesh.mass().inertia.x_axis.x, 48.0 / 3.0 * (4.0 + 9.0));
    close(mesh.reach(), 14f64.sqrt());
    // An open one weighs what its hull does.
    let open = Solid::mesh(&vertices, &turned[1..]).unwrap();
    assert!(!open.is_closed());
    close(open.mass().mass, 48.0);
    close(ball(2.0).mass().inertia.z_axis.z, 0.4 * ball(2.0).mass().mass * 4.0);
    let two = Solid::pieces(&[cuboid.vertices(), &vertices]).unwrap();
    close(two.mass().mass, 96.0);
    assert!(two.middle().distance(0.5 * moved) < 1e-9 && two.parts() == 2);
    let octahedron = Solid::octahedron(3.0).unwrap();
    close(octahedron.mass().mass, 4.0 / 3.0 * 27.0);
    close(octahedron.mass().inertia.y_axis.y, octahedron.mass().mass * 9.0 / 5.0);
    for (solid, faces) in [(Solid::dodecahedron(1.0), 36), (Solid::icosahedron(1.0), 20), (Solid::octahedron(1.0), 8)] {
        assert_eq!(solid.unwrap().triangles().len(), faces);
    }
}

#[test]
fn a_box_on_a_floor_has_contacts_that_span_a_plane() {
    let floor = Solids::new(vec![(sheet(10.0, 7), Pose::IDENTITY)]);
    let mut random = Random::new(3);
    for _ in 0..200 {
        let turn = DQuat::from_rotation_z(6.0 * random.unit());
        let height = 1.0 - 0.01 + 0.02 * random.unit();
        let translation = DVec3::new(8.0 * random.unit() - 4.0, 8.0 * random.unit() - 4.0, height);
        let contacts = floor.contacts(&cube(), &Pose { rotation: turn, translation }, 0.0, 0.1);
        assert!(contacts.len() >= 3 && spans_a_plane(&contacts), "{contacts:?}");
        for contact in &contacts {
            assert!(contact.normal.distance(DVec3::Z) < 1e-6, "{contact:?}");
            assert!((contact.gap - (height - 1.0)).abs() < 1e-6, "{contact:?}");
        }
    }
}

#[test]
fn a_cube_stops_at_a_floor_mesh_at_any_speed() {
    let floor = Solids::new(vec![(sheet(20.0, 9), Pose::IDENTITY)]);
    let tilted = DQuat::from_rotation_x(0.3);
    for rotation in [DQuat::IDENTITY, tilted] {
        let lowest = cube().vertices().iter().map(|vertex| (rotation * *vertex).z).fold(0.0, f64::min);
        for far in [0.01, 0.5, 3.0, 100.0, 1e4, 1e6] {
            let from = Pose { rotation, translation: DVec3::new(0.3, 0.2, 1.0 - lowest) };
            let to = Pose { translation: from.translation - DVec3::Z * far, ..from };
            let touch = floor.move_to_touch(&cube(), &Screw::between(from, to), 0.0);
            let gap = touch.pose.translation.z + lowest;
            if far < 1.0 {
                assert_eq!((touch.fraction, touch.contacts.len()), (1.0, 0));
            } else {
                assert!(gap > -1e-6 && gap < 1e-3, "{far}: {gap}");
                assert!(!touch.contacts.is_empty());
            }
        }
    }
}

#[test]
fn who_is_in_may_go_out_and_not_deeper() {
    let block = Solids::new(vec![(cube(), Pose::IDENTITY)]);
    for body in [cube(), ball(1.0), Solid::icosahedron(1.1).unwrap()] {
        let inside = at(1.5, 0.1, 0.05);
        let go = |to: Pose| block.move_to_touch(&body, &Screw::between(inside, to), 0.0).fraction;
        assert_eq!(go(at(9.0, 0.1, 0.05)), 1.0);
        assert!(go(at(0.5, 0.1, 0.05)) < 1e-6);
    }
}

#[test]
fn a_cube_slides_along_a_mesh_wall_and_into_a_corner() {
    let stand = |turn: DQuat| Pose { rotation: turn, translation: DVec3::ZERO };
    let wall = stand(DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2));
    let room = Solids::new(vec![(sheet(20.0, 11), Pose::IDENTITY), (sheet(20.0, 13), wall)]);
    let mut hand = Hand::new(cube(), at(6.0, -8.0, 5.0), Response::Slide);
    let step = hand.go(&room, at(6.0, -8.0, -4.0));
    assert!((step.pose.translation.z - 1.0).abs() < 2e-3, "{:?}", step.pose);
    // Along the floor, over many edges between triangles that lie flat.
    let step = hand.go(&room, at(6.0, 8.0, 0.5));
    assert!(step.pose.translation.y > 7.9, "{:?}", step.pose);
    assert!(depth(&room, &hand.body, &hand.pose()) < 1e-3);
    let step = hand.go(&room, at(-6.0, 8.0, -3.0));
    assert!((step.pose.translation - DVec3::new(1.0, 8.0, 1.0)).length() < 1e-2, "{:?}", step.pose);
    assert!(depth(&room, &hand.body, &hand.pose()) < 1e-3);
    (0..5).for_each(|_| _ = hand.go(&room, at(-6.0, -8.0, -3.0)));
    let step = hand.go(&room, at(-6.0, -8.0, -3.0));
    assert!((step.pose.translation - DVec3::new(1.0, -8.0, 1.0)).length() < 1e-2, "along the edge: {:?}", step.pose);
    assert!(depth(&room, &hand.body, &hand.pose()) < 1e-3);
}

/// A socket with four slanted walls: a peg of the same shape goes in as deep as it fits, from beside too.
#[test]
fn a_convex_body_slides_into_a_mesh_socket() {
    let ring = |half: f64, z: f64| {
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| DVec3::new(x * half, y * half, z))
    };
    let vertices: Vec<DVec3> = [ring(1.0, 0.0), ring(3.0, 4.0)].concat();
    let wall = |side: u32| {
        let next = (side + 1) % 4;
        [[side, next, 4 + side], [next, 4 + next, 4 + side]]
    };
    let mut triangles: Vec<[u32; 3]> = (0..4).flat_map(wall).collect();
    triangles.extend([[0, 1, 2], [0, 2, 3]]);
    let socket = Solids::new(vec![(Solid::mesh(&vertices, &triangles).unwrap(), Pose::IDENTITY)]);
    let peg = Solid::convex(&[ring(1.0, 0.0), ring(2.0, 2.0)].concat()).unwrap();
    let mut hand = Hand::new(peg, at(0.6, -0.5, 6.0), Response::Slide);
    for _ in 0..20 {
        hand.go(&socket, at(0.0, 0.0, -2.0));
        assert!(depth(&socket, &hand.body, &hand.pose()) < 1e-3);
    }
    assert!(hand.pose().translation.length() < 1e-2, "{:?}", hand.pose());
}

#[test]
fn a_push_takes_a_solid_out_again() {
    let floor = Solids::new(vec![(Solid::cuboid(DVec3::new(9.0, 9.0, 1.0)).unwrap(), at(0.0, 0.0, -1.0))]);
    let mut hand = Hand::new(cube(), at(0.0, 0.0, 5.0), Response::Push);
    let step = hand.go(&floor, at(0.5, 0.0, 0.6));
    assert!(step.contacts.iter().all(|contact| contact.gap > -1e-3) && step.pose.translation.z < 1.1, "{step:?}");
}

fn momenta(tumble: &Tumble) -> (DVec3, DVec3, f64) {
    (tumble.momentum(), tumble.angular_momentum(), tumble.energy())
}

#[test]
fn elastic_spheres_that_meet_head_on_exchange_velocities() {
    let sphere = |x: f64, speed: f64| {
        Tumbler::new(ball(1.0), at(x, 0.0, 0.0)).moving(DVec3::X * speed, DVec3::ZERO).made_of(1.0, 0.0)
    };
    let mut tumble = Tumble::new(vec![sphere(-5.0, 2.0), sphere(5.0, -1.0)]);
    (0..60).for_each(|_| tumble.step(0.1));
    let [one, other] = [0, 1].map(|number| tumble.bodies()[number].velocity());
    assert!((one + DVec3::X).length() < 1e-9 && (other - DVec3::X * 2.0).length() < 1e-9, "{one} {other}");
    // Of unequal masses: v1' = (m1 - m2) / (m1 + m2) v, v2' = 2 m1 / (m1 + m2) v.
    let mut tumble = Tumble::new(vec![sphere(-5.0, 2.0).weighing(3.0), sphere(5.0, 0.0).weighing(1.0)]);
    (0..60).for_each(|_| tumble.step(0.1));
    let [one, other] = [0, 1].map(|number| tumble.bodies()[number].velocity().x);
    assert!((one - 1.0).abs() < 1e-9 && (other - 3.0).abs() < 1e-9, "{one} {other}");
}

/// Solids that fly at each other from all sides.
fn crowd(seed: u64, elasticity: f64, friction: f64) -> Tumble {
    let mut random = Random::of(seed, 11);
    let bodies = (0..8u32).map(|number| {
        let solid = match number % 6 {
            0 => Solid::tetrahedron(1.5),
            1 => Solid::cuboid(DVec3::splat(0.9)),
            2 => Solid::octahedron(1.3),
            3 => Solid::dodecahedron(1.2),
            4 => Solid::icosahedron(1.2),
            _ => Ok(ball(1.0)),
        };
        let place = DVec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2)) * 8.0 - 4.0;
        let pose = Pose { rotation: random.rotation(), translation: place };
        let aim = random.direction() * random.unit();
        let velocity = (aim - place) * (0.5 + 0.5 * random.unit());
        let spin = random.direction() * 2.0 * random.unit();
        Tumbler::new(solid.unwrap(), pose).moving(velocity, spin).made_of(elasticity, friction)
    });
    Tumble::new(bodies.collect())
}

#[test]
fn momentum_and_angular_momentum_are_kept_where_polyhedra_collide() {
    for seed in 0..6 {
        for (elasticity, friction) in [(1.0, 0.0), (0.5, 0.4), (0.0, 1.0)] {
            let mut tumble = crowd(seed, elasticity, friction);
            let (momentum, angular, energy) = momenta(&tumble);
            let first = tumble.bodies()[0].velocity();
            for _ in 0..200 {
                tumble.step(0.05);
                let (now, turning, _) = momenta(&tumble);
                assert!((now - momentum).length() < 1e-9, "{now} and not {momentum}");
                let off = (turning - angular).length();
                assert!(off < 1e-9 * angular.length().max(1.0), "{elasticity}, seed {seed}: off by {off}");
                assert!(tumble.deepest_overlap() < 1e-3);
            }
            assert!(tumble.bodies()[0].velocity().distance(first) > 0.1, "something was hit");
            if elasticity < 1.0 {
                assert!(tumble.energy() < 0.95 * energy);
            }
        }
    }
}

#[test]
fn energy_is_kept_by_elastic_bodies_and_never_grows() {
    for seed in 0..3 {
        let mut tumble = crowd(seed, 1.0, 0.0);
        let energy = tumble.energy();
        for _ in 0..200 {
            tumble.step(0.05);
            assert!((tumble.energy() - energy).abs() < 1e-6 * energy, "{} and not {energy}", tumble.energy());
        }
        for (elasticity, friction) in [(0.9, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.3)] {
            let mut tumble = crowd(seed, elasticity, friction);
            let mut energy = tumble.energy();
            for _ in 0..200 {
                tumble.step(0.05);
                assert!(tumble.energy() <= energy * (1.0 + 1e-9), "{} after {energy}", tumble.energy());
                energy = tumble.energy();
            }
        }
    }
}

/// A body that does not turn alike around all axes keeps its angular momentum, and its energy but for what the integration loses.
#[test]
fn a_free_body_that_wobbles_keeps_angular_momentum_and_energy() {
    let plank = Solid::cuboid(DVec3::new(1.0, 2.0, 0.3)).unwrap();
    let spinning = Tumbler::new(plank, Pose::IDENTITY).moving(DVec3::ZERO, DVec3::new(3.0, 0.1, 0.05));
    let mut tumble = Tumble::new(vec![spinning]);
    let (_, angular, energy) = momenta(&tumble);
    let mut turned_over = false;
    for _ in 0..600 {
        tumble.step(1.0 / 60.0);
        assert!((tumble.angular_momentum() - angular).length() < 1e-12 * angular.length());
        assert!((tumble.energy() - energy).abs() < 1e-3 * energy, "{} and not {energy}", tumble.energy());
        turned_over |= (tumble.bodies()[0].pose().rotation * DVec3::X).dot(angular) < 0.0;
    }
    assert!(turned_over, "around its middle axis it is not stable");
}

#[test]
fn a_ball_bounces_as_high_as_its_elasticity_says() {
    for elasticity in [1.0, 0.8, 0.5] {
        let floor = Tumbler::fixed(sheet(20.0, 5), Pose::IDENTITY).made_of(elasticity, 0.0);
        let dropped = Tumbler::new(ball(1.0), at(0.4, 0.3, 11.0)).made_of(elasticity, 0.0);
        let mut tumble = Tumble::new(vec![floor, dropped]).with_gravity(DVec3::NEG_Z * 10.0);
        let (mut bounced, mut highest) = (false, 0.0f64);
        for _ in 0..1_000 {
            let before = tumble.bodies()[1].velocity().z;
            tumble.step(0.005);
            let body = &tumble.bodies()[1];
            bounced |= before < 0.0 && body.velocity().z > 0.0;
            if bounced {
                highest = highest.max(body.pose().translation.z - 1.0);
                if body.velocity().z < 0.0 {
                    break;
                }
            }
        }
        let law = elasticity * elasticity * 10.0;
        assert!((highest - law).abs() < 0.01 * law, "{highest} and not {law}");
    }
}

/// A box on an inclined sheet, in the middle of many triangles.
fn incline(angle: f64, friction: f64) -> Tumble {
    let slanted = DQuat::from_rotation_y(angle);
    let slope = Tumbler::fixed(sheet(60.0, 40), Pose { rotation: slanted, translation: DVec3::ZERO });
    let placed = Pose { rotation: slanted, translation: slanted * DVec3::new(-30.0, 0.3, 1.0001) };
    let rests = Tumbler::new(cube(), placed).made_of(0.0, friction);
    Tumble::new(vec![slope.made_of(0.0, friction), rests]).with_gravity(DVec3::NEG_Z * 10.0)
}

#[test]
fn a_box_on_an_incline_stays_or_slides_as_friction_says() {
    let angle = 0.5f64;
    let mut stays = incline(angle, 1.1 * angle.tan());
    let from = stays.bodies()[1].pose().translation;
    (0..240).for_each(|_| stays.step(1.0 / 120.0));
    assert!(stays.bodies()[1].pose().translation.distance(from) < 1e-3, "{:?}", stays.bodies()[1].pose());
    for friction in [0.0, 0.2, 0.4] {
        let mut slides = incline(angle, friction);
        (0..240).for_each(|_| slides.step(1.0 / 120.0));
        let body = &slides.bodies()[1];
        let law = 10.0 * (angle.sin() - friction * angle.cos());
        let (speed, way) = (body.velocity().length(), body.pose().translation.distance(from));
        assert!((speed - 2.0 * law).abs() < 0.02 * 2.0 * law, "{friction}: {speed} and not {}", 2.0 * law);
        assert!((way - 2.0 * law).abs() < 0.02 * 2.0 * law, "{friction}: {way} and not {}", 2.0 * law);
        assert!(slides.deepest_overlap() < 1e-3);
    }
}

#[test]
fn a_ball_that_slides_ends_rolling_at_five_sevenths_of_its_speed() {
    let floor = Tumbler::fixed(sheet(100.0, 30), Pose::IDENTITY).made_of(0.0, 0.3);
    let thrown = Tumbler::new(ball(1.0), at(-50.0, 0.2, 1.0001)).moving(DVec3::X * 14.0, DVec3::ZERO).made_of(0.0, 0.3);
    let mut tumble = Tumble::new(vec![floor, thrown]).with_gravity(DVec3::NEG_Z * 10.0);
    (0..600).for_each(|_| tumble.step(1.0 / 120.0));
    let body = &tumble.bodies()[1];
    assert!((body.velocity().x - 10.0).abs() < 0.2, "{}", body.velocity());
    assert!((body.spin().y - body.velocity().x).abs() < 0.02, "it rolls: {} {}", body.spin(), body.velocity());
}

#[test]
fn fast_bodies_do_not_go_through_a_sheet() {
    for speed in [1.0, 1e3, 1e6] {
        for solid in [cube(), Solid::icosahedron(1.0).unwrap(), ball(0.5)] {
            let floor = Tumbler::fixed(sheet(20.0, 6), Pose::IDENTITY).made_of(0.5, 0.2);
            let shot = Tumbler::new(solid, at(0.1, 0.2, 9.0)).moving(DVec3::NEG_Z * speed, DVec3::new(3.0, 1.0, 2.0));
            let mut tumble = Tumble::new(vec![floor, shot]);
            (0..10).for_each(|_| tumble.step(20.0 / speed));
            let body = &tumble.bodies()[1];
            assert!(body.velocity().z > 0.0 && body.pose().translation.z > 0.0, "{speed}: {:?}", body.pose());
        }
    }
}

#[test]
fn dice_thrown_into_a_bowl_come_to_rest_in_it() {
    for seed in 1..=3 {
        let mut dice = Tumble::dice(seed).unwrap();
        assert_eq!(dice.deepest_overlap(), 0.0, "they begin apart");
        let smallest = dice.bodies().iter().map(|body| body.solid().reach()).fold(f64::INFINITY, f64::min);
        let mut energy = dice.energy();
        for _ in 0..1_200 {
            dice.step(1.0 / 120.0);
            assert!(dice.deepest_overlap() < 0.01 * smallest);
            assert!(dice.energy() <= energy + 1e-9 * energy.abs());
            energy = dice.energy();
        }
        let touching = dice.contacts(1e-3);
        for (number, body) in dice.bodies().iter().enumerate().skip(1) {
            let place = body.center();
            let holds = touching.iter().filter(|(bodies, _)| bodies.contains(&number)).count();
            assert!(holds >= 3, "body {number} hangs on {holds} points");
            assert!(place.z > 0.0 && place.z < 10.0 && place.truncate().length() < 14.0, "in the bowl: {place}");
            assert!(
                body.velocity().length() < 0.05 && body.spin().length() < 0.05,
                "at rest: {} {} {place}",
                body.velocity(),
                body.spin()
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let throw = |seed: u64| {
        let mut dice = Tumble::dice(seed).unwrap();
        (0..60).for_each(|_| dice.step(1.0 / 60.0));
        dice.bodies().iter().map(|body| body.pose().to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(throw(5), throw(5));
    assert_ne!(throw(5), throw(6));
}

/// Balls in hand among spheres: it bounces, does not go through, and comes to where it is wanted.
#[test]
fn a_body_in_hand_bounces() {
    let centers: Vec<DVec3> =
        (-20..=20).flat_map(|x| (-20..=20).map(move |y| DVec3::new(f64::from(x), f64::from(y), -2.0))).collect();
    let plane = Obstacle::new(&centers, &vec![2.0; centers.len()], ProbeIndex::Rows);
    let fly = |elasticity: f64| {
        let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(0.0, 0.0, 4.0), Response::Bounce);
        (hand.elasticity, hand.velocity) = (elasticity, DVec3::NEG_Z * 200.0);
        let speeds: Vec<f64> = (0..10)
            .map(|_| {
                hand.go(&plane, at(0.0, 0.0, 4.0));
                assert!(hand.pose().translation.z > 0.9);
                hand.velocity.z
            })
            .collect();
        speeds.into_iter().fold(0.0, f64::max)
    };
    assert!(fly(0.9) > fly(0.5) && fly(0.5) > fly(0.0) + 1.0, "{} {} {}", fly(0.9), fly(0.5), fly(0.0));
    let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(0.0, 0.0, 4.0), Response::Bounce);
    let there = (0..200).any(|_| hand.go(&plane, at(3.0, 1.0, 3.0)).is_there);
    assert!(there, "{:?}", hand.pose());
    // Pressed into the plane it rests on it.
    (0..300).for_each(|_| _ = hand.go(&plane, at(3.0, 1.0, 0.0)));
    let rests = hand.pose().translation;
    assert!(rests.z > 0.9 && rests.z < 1.05 && hand.velocity.length() < 1.0, "{rests} {}", hand.velocity);
    assert_eq!("bounce".parse(), Ok(Response::Bounce));
}

/// A glancing hit with friction gives a ball a spin; without, it gives none.
#[test]
fn friction_gives_spin_to_a_body_in_hand() {
    let wall = Solids::new(vec![(sheet(30.0, 3), Pose::IDENTITY)]);
    let spin = |friction: f64| {
        let mut hand = Hand::new(ball(1.0), at(0.0, 0.0, 2.0), Response::Bounce);
        (hand.friction, hand.velocity) = (friction, DVec3::new(100.0, 0.0, -200.0));
        hand.go(&wall, at(2.0, 0.0, 2.0));
        assert!(hand.velocity.z > 0.0);
        hand.spin.y
    };
    assert!(spin(0.0).abs() < 1e-9);
    assert!(spin(0.3) > 10.0, "{}", spin(0.3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random screws of random polyhedra over random ground, against a fine sweep: nothing is met before the touch, nothing is left inside, and it
    /// stops only where it touches.
    #[test]
    fn nothing_is_missed_and_nothing_is_left_inside(
        seed in 0u64..1_000_000,
        corners in 4usize..16,
        length in -1.0f64..2.0,
        turn in prop::array::uniform3(-1.5f64..1.5),
    ) {
        let mut random = Random::of(seed, 1);
        let earth = Solids::new(vec![(ground(15.0, 8, 4.0, seed), Pose::IDENTITY), (boulder(9, 3.0, seed + 1), at(0.0, 0.0, 8.0))]);
        let body = boulder(corners, 1.5, seed + 2);
        let translation = DVec3::new(20.0 * random.unit() - 10.0, 20.0 * random.unit() - 10.0, 2.0 + 9.0 * random.unit());
        let from = Pose { rotation: random.rotation(), translation };
        prop_assume!(earth.contacts(&body, &from, 0.0, 1e-3).is_empty());
        let rotation = (DQuat::from_scaled_axis(DVec3::from(turn)) * from.rotation).normalize();
        let to = Pose { rotation, translation: from.translation + random.direction() * 10f64.powf(length) };
        let screw = Screw::between(from, to);
        let touch = earth.move_to_touch(&body, &screw, 0.0);
        prop_assert!(depth(&earth, &body, &touch.pose) < 1e-3);
        let steps = 300;
        for step in 1..steps {
            let pose = screw.at(touch.fraction * f64::from(step) / f64::from(steps));
            prop_assert!(depth(&earth, &body, &pose) < 1e-3, "missed at {step} of {steps}");
        }
        if touch.fraction < 1.0 {
            prop_assert!(!touch.contacts.is_empty());
            prop_assert!(touch.contacts[0].gap < 1e-3);
        }
    }
}
