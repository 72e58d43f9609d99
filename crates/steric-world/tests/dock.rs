//! A body in hand: it touches where it must, slides along what it hits, and never goes through anything.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use steric_collide::{Obstacle, ProbeIndex};
use steric_model::{Pose, Random};
use steric_world::dock::{Body, FittingTask, Hand, Response, Screw, contacts, move_to_touch};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// Balls in a cube at about the density of a protein.
fn crowd(count: usize, seed: u64) -> (Vec<DVec3>, Vec<f64>) {
    let mut random = Random::new(seed);
    let side = (count as f64 / 0.05).cbrt();
    let centers = (0..count).map(|_| DVec3::new(random.unit(), random.unit(), random.unit()) * side - 0.5 * side);
    let centers: Vec<DVec3> = centers.collect();
    (centers, (0..count).map(|_| 1.2 + 0.6 * random.unit()).collect())
}

fn ligand(count: usize, seed: u64) -> Body {
    let mut random = Random::of(seed, 3);
    let centers: Vec<DVec3> = (0..count).map(|_| random.direction() * 5.0 * random.unit()).collect();
    Body::new(centers, (0..count).map(|_| 1.0 + 0.7 * random.unit()).collect())
}

fn deepest(obstacle: &Obstacle, body: &Body, pose: &Pose) -> f64 {
    let depth = |(center, &radius): (DVec3, &f64)| obstacle.deepest(center, radius).map_or(0.0, |(_, depth)| depth);
    body.placed(pose).into_iter().zip(body.radii()).map(depth).fold(0.0, f64::max)
}

#[test]
fn every_index_finds_the_same() {
    let (centers, radii) = crowd(3_000, 1);
    let indexes = ProbeIndex::ALL.map(|index| Obstacle::new(&centers, &radii, index));
    let body = ligand(30, 2);
    let mut random = Random::new(5);
    for _ in 0..300 {
        let pose = Pose { rotation: random.rotation(), translation: random.direction() * 30.0 * random.unit() };
        for allow in [0.0, 0.4, -0.5] {
            let found: Vec<_> = indexes.iter().map(|index| contacts(index, &body, &pose, allow, 0.0)).collect();
            assert!(found.iter().all(|other| *other == found[0]));
            let placed = body.placed(&pose);
            for index in &indexes {
                assert_eq!(index.is_hit(&placed, body.radii(), allow), !found[0].is_empty());
            }
        }
    }
}

#[test]
fn a_ball_stops_at_a_wall_of_balls_at_any_speed() {
    let centers: Vec<DVec3> =
        (-10..=10).flat_map(|x| (-10..=10).map(move |y| DVec3::new(f64::from(x), f64::from(y), 0.0))).collect();
    let wall = Obstacle::new(&centers, &vec![1.0; centers.len()], ProbeIndex::Rows);
    let ball = Body::new(vec![DVec3::ZERO], vec![0.5]);
    for far in [0.01, 1.0, 40.0, 1e4, 1e6, 1e12] {
        let screw = Screw::between(at(0.0, 0.0, 2.0), at(0.0, 0.0, 2.0 - far));
        let touch = move_to_touch(&wall, &ball, &screw, 0.0);
        if far < 0.5 {
            assert_eq!((touch.fraction, touch.contacts.len()), (1.0, 0));
        } else {
            assert!((touch.pose.translation.z - 1.5).abs() < 1e-3, "{far}: {}", touch.pose.translation.z);
            assert!(touch.contacts[0].normal.z > 0.99 && touch.contacts[0].gap >= 0.0);
        }
    }
}

#[test]
fn who_is_in_may_go_out_and_not_deeper() {
    let wall = Obstacle::new(&[DVec3::ZERO], &[2.0], ProbeIndex::Rows);
    let ball = Body::new(vec![DVec3::ZERO], vec![1.0]);
    let inside = at(2.0, 0.0, 0.0);
    assert_eq!(move_to_touch(&wall, &ball, &Screw::between(inside, at(9.0, 0.0, 0.0)), 0.0).fraction, 1.0);
    assert_eq!(move_to_touch(&wall, &ball, &Screw::between(inside, at(1.0, 0.0, 0.0)), 0.0).fraction, 0.0);
}

/// Random screws from free places, short and long: what is left overlaps by less than a thousandth, and a fine sweep meets nothing before.
#[test]
fn nothing_is_missed_and_nothing_is_left_inside() {
    let (centers, radii) = crowd(2_000, 9);
    let obstacle = Obstacle::new(&centers, &radii, ProbeIndex::Rows);
    let brute = Obstacle::new(&centers, &radii, ProbeIndex::Brute);
    let mut random = Random::new(77);
    let body = Body::new(ligand(6, 1).centers().to_vec(), vec![0.4; 6]);
    let (mut stopped, mut free) = (0, 0);
    while stopped + free < 1_500 {
        let from = Pose { rotation: random.rotation(), translation: random.direction() * 30.0 * random.unit() };
        if obstacle.is_hit(&body.placed(&from), body.radii(), 0.0) {
            continue;
        }
        let length = 10f64.powf(4.0 * random.unit() - 2.0);
        let turn = DQuat::from_scaled_axis(random.direction() * 3.0 * random.unit());
        let to = Pose { rotation: turn * from.rotation, translation: from.translation + random.direction() * length };
        let screw = Screw::between(from, to);
        let touch = move_to_touch(&obstacle, &body, &screw, 0.0);
        assert!(deepest(&brute, &body, &touch.pose) < 1e-3, "{touch:?}");
        // Beyond the touch there is one, unless it was only grazed.
        if touch.fraction < 1.0 {
            stopped += 1;
            assert!(!touch.contacts.is_empty());
        } else {
            free += 1;
        }
        if (stopped + free) % 10 == 0 {
            let steps = 400;
            for step in 1..steps {
                let pose = screw.at(touch.fraction * f64::from(step) / f64::from(steps));
                assert!(deepest(&brute, &body, &pose) < 1e-3, "missed at {step} of {steps}");
            }
        }
    }
    assert!(stopped > 300 && free > 100, "{stopped} stopped, {free} free");
}

fn plane() -> Obstacle {
    let centers: Vec<DVec3> =
        (-20..=20).flat_map(|x| (-20..=20).map(move |y| DVec3::new(f64::from(x), f64::from(y), -2.0))).collect();
    Obstacle::new(&centers, &vec![2.0; centers.len()], ProbeIndex::Rows)
}

#[test]
fn a_ball_that_is_pressed_on_a_plane_slides_along_it() {
    let plane = plane();
    let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(0.0, 0.0, 1.5), Response::Slide);
    let mut lowest = f64::INFINITY;
    for step in 1..=40 {
        let before = hand.pose().translation.x;
        let place = hand.pose().translation;
        hand.go(&plane, at(place.x + 0.2, 0.0, place.z - 0.05));
        assert!(hand.pose().translation.x > before, "it never goes back: step {step}");
        lowest = lowest.min(hand.pose().translation.z);
    }
    assert!(hand.pose().translation.x > 6.5, "{}", hand.pose().translation);
    assert!(lowest > 0.9 && hand.pose().translation.z < 1.01);
    // Pressed straight down, it stays where it is.
    let rests: Vec<DVec3> = (0..20)
        .map(|_| {
            let down = hand.pose().translation - DVec3::Z;
            hand.go(&plane, Pose::from_translation(down)).pose.translation
        })
        .collect();
    assert!(rests.windows(2).skip(8).all(|two| two[0].distance(two[1]) < 1e-3), "no jitter: {rests:?}");
}

#[test]
fn a_corner_of_two_walls_stops_what_goes_in_and_leaves_the_way_along() {
    let mut centers = Vec::new();
    for a in -15..=15 {
        for b in 0..=15 {
            centers.push(DVec3::new(f64::from(b), -2.0, f64::from(a)));
            centers.push(DVec3::new(-2.0, f64::from(b), f64::from(a)));
        }
    }
    let corner = Obstacle::new(&centers, &vec![2.0; centers.len()], ProbeIndex::Rows);
    let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(4.0, 4.0, 0.0), Response::Slide);
    hand.go(&corner, at(-6.0, -6.0, 0.0));
    let rest = hand.pose().translation;
    assert!(rest.x < 1.1 && rest.y < 1.1 && rest.x > 0.8 && rest.y > 0.8, "{rest}");
    hand.go(&corner, at(-6.0, -6.0, 8.0));
    assert!(hand.pose().translation.z > 6.0, "along the edge it is free: {}", hand.pose().translation);
    assert!(deepest(&corner, &hand.body, &hand.pose()) < 1e-3);
}

#[test]
fn each_response_does_what_it_says() {
    let plane = plane();
    let go = |response: Response| {
        let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(0.0, 0.0, 3.0), response);
        (hand.go(&plane, at(2.0, 0.0, 0.5)), hand.pose().translation)
    };
    let (step, place) = go(Response::Detect);
    assert!(step.is_there && step.contacts[0].gap < -0.3 && place.z == 0.5);
    let (step, place) = go(Response::Stop);
    assert!(!step.is_there && place.x < 1.7 && place.z > 0.9);
    let (_, place) = go(Response::Slide);
    assert!(place.x > 1.9 && place.z > 0.9);
    let (step, place) = go(Response::Push);
    assert!((place.x - 2.0).abs() < 0.2 && step.contacts.iter().all(|contact| contact.gap > -1e-3), "{place}");
}

/// Whatever someone writes into a path, it ends soon, and so does the room that an index takes.
#[test]
fn far_places_take_neither_time_nor_memory() {
    let plane = plane();
    for response in Response::ALL {
        let mut hand = Hand::new(Body::new(vec![DVec3::ZERO], vec![1.0]), at(0.0, 0.0, 1.5), response);
        for place in [at(1e12, 0.0, 1.5), at(-1e12, 5.0, -3.0), at(0.0, 0.0, -1e15)] {
            hand.go(&plane, place);
        }
    }
    let two = [DVec3::ZERO, DVec3::X * 1e12];
    for index in ProbeIndex::ALL {
        let apart = Obstacle::new(&two, &[1.0, 1.0], index);
        assert_eq!(apart.deepest(DVec3::X * 1e12, 0.5).map(|(sphere, _)| sphere), Some(1), "{index}");
    }
}

#[test]
fn a_long_body_turns_as_it_slides() {
    let plane = plane();
    let rod = Body::new((0..6).map(|at| DVec3::X * f64::from(at)).collect(), vec![1.0; 6]);
    let slanted = Pose { rotation: DQuat::from_rotation_y(0.6), translation: DVec3::new(0.0, 0.0, 5.0) };
    let mut hand = Hand::new(rod, slanted, Response::Slide);
    for _ in 0..150 {
        let down = Pose { translation: hand.pose().translation - DVec3::Z * 0.5, ..hand.pose() };
        hand.go(&plane, down);
    }
    assert!(deepest(&plane, &hand.body, &hand.pose()) < 1e-3);
    let lies = hand.pose().rotation * DVec3::X;
    assert!(lies.z.abs() < 0.1, "it lies flat: {lies}");
}

#[test]
fn a_bot_that_slides_solves_the_fitting_task() {
    let task = FittingTask::new();
    let solved: Vec<_> = (1..=3).map(|seed| task.solve(Response::Slide, seed, 20_000)).collect();
    assert!(solved.iter().all(|solution| solution.is_solved), "{solved:?}");
    assert_eq!(task.solve(Response::Slide, 1, 20_000).motions, solved[0].motions, "the same seed, the same way");
}

proptest! {
    #[test]
    fn a_screw_keeps_lengths_and_speeds(
        turn in prop::array::uniform3(-3.0f64..3.0),
        way in prop::array::uniform3(-20.0f64..20.0),
        part in 0.0f64..1.0,
    ) {
        let to = Pose { rotation: DQuat::from_scaled_axis(DVec3::from(turn)), translation: DVec3::from(way) };
        let screw = Screw::between(Pose::IDENTITY, to);
        let (a, b) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 0.0, 1.0));
        let pose = screw.at(part);
        prop_assert!(((pose * a).distance(pose * b) - a.distance(b)).abs() < 1e-9);
        let step = |from: f64| (screw.at(from) * a).distance(screw.at(from + 1e-4) * a);
        prop_assert!((step(0.2) - step(0.7)).abs() < 1e-7);
        prop_assert!((screw.at(1.0 - 1e-12) * a).distance(to * a) < 1e-8);
    }
}
