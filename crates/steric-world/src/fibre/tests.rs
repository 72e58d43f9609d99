//! What every grown fibre keeps to.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;
use proptest::prelude::*;

use super::chain::Chain;
use super::level::end_to_end;
use super::report::nearest_strangers;
use super::*;
use crate::shape::{Region, TriangleMesh};

fn grow(fibre: Fibre, room: &Room, seed: u64) -> Result<GrownFibre, FibreError> {
    fibre.grow(room, &FibreOptions { seed, ..FibreOptions::default() }, |_| ControlFlow::Continue(()))
}

fn dna(units: usize, is_closed: bool) -> Fibre {
    Fibre { kind: FibreKind::DNA, units, is_closed }
}

fn cell(radius: f64) -> Region {
    Region::Sphere { center: DVec3::new(30.0, -70.0, 500.0), radius }
}

/// A sphere, a box with a ball in it, a rod as a mesh, and open space.
fn rooms() -> [Room; 4] {
    let rod = Region::Cylinder { start: DVec3::ZERO, end: DVec3::new(900.0, 300.0, 0.0), radius: 160.0 };
    let rod = TriangleMesh::new(&rod.outline().expect("a cylinder has an outline")).expect("its outline is closed");
    let ball = Region::Sphere { center: DVec3::splat(300.0), radius: 120.0 };
    let casket = Region::Box { low: DVec3::ZERO, high: DVec3::new(500.0, 700.0, 600.0) };
    [
        Room::inside(cell(350.0)),
        Room { inside: vec![casket], outside: vec![ball] },
        Room::inside(Region::Mesh(Arc::new(rod))),
        Room::default(),
    ]
}

fn keeps_the_laws(fibre: Fibre, room: &Room, grown: &GrownFibre) {
    let FibreKind { radius, rise, tightest_bend, .. } = fibre.kind;
    let report = grown.report();
    let points = grown.points();
    assert!(points.iter().all(|bead| bead.is_finite()));
    assert_eq!(points.len(), report.segments + usize::from(!fibre.is_closed));
    // Nothing overlaps, by the slow truth, which the report agrees with.
    let nearest = reference::nearest_strangers(points, fibre.is_closed, report.strangers);
    assert!(nearest >= 2.0 * radius, "{nearest}");
    assert_eq!(nearest.min(3.0 * radius), report.nearest);
    // As long as its units, along the beads and along the curve.
    assert!(report.worst_stretch <= 0.01);
    assert!((grown.spline().length() / fibre.length() - 1.0).abs() < 0.015, "{report:?}");
    // A corner may bend it a quarter more.
    assert!(report.tightest_bend >= 0.78 * tightest_bend, "{report:?}");
    let poses = grown.placements(1);
    assert_eq!(poses.len(), fibre.units);
    // From unit to unit it is a chord of a curve that bends.
    let chord = 0.2 * (rise / tightest_bend).powi(2);
    for pair in poses.windows(2) {
        let step = (pair[0].inverse() * pair[1]).translation;
        assert!((step.length() / rise - 1.0).abs() < 0.03 + chord, "{step}");
    }
    // Inside, by the curve as well, but for what an arc rises above its chord.
    assert!(points.iter().all(|&bead| room.has_room(bead, radius)));
    let segment = fibre.length() / report.segments as f64;
    let rises = segment * segment / (8.0 * report.tightest_bend);
    assert!(poses.iter().all(|pose| room.has_room(pose.translation, radius - 1.1 * rises)));
    if fibre.is_closed {
        assert!(points[0].distance(points[points.len() - 1]) <= 1.011 * fibre.length() / points.len() as f64);
        // Half a turn at most is spread over all.
        let turns = fibre.units as f64 / fibre.kind.units_per_turn();
        assert!((fibre.units as f64 / report.units_per_turn - turns).abs() <= 0.5 + 1e-9);
    } else {
        assert!((report.units_per_turn - fibre.kind.units_per_turn()).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_fibre_keeps_the_laws(units in 120_usize..9_000, is_closed: bool, seed: u64, room in 0..4_usize) {
        let room = &rooms()[room];
        let fibre = dna(units, is_closed);
        keeps_the_laws(fibre, room, &grow(fibre, room, seed).expect("it fills 5 % at most"));
    }

    #[test]
    fn the_fast_check_finds_what_the_slow_one_finds(
        turns in prop::collection::vec((-1.0..1.0, -1.0..1.0, -1.0..1.0_f64), 1..300),
        is_closed: bool,
    ) {
        // Beads that were never relaxed, many of them on top of each other.
        let mut here = DVec3::ZERO;
        let step = |(x, y, z)| {
            here = (here + 18.0 * DVec3::new(x, y, z)).clamp(DVec3::splat(-60.0), DVec3::splat(60.0));
            here
        };
        let chain = Chain { points: turns.into_iter().map(step).collect(), is_closed };
        for strangers in [2, 3, 7] {
            let slow = reference::nearest_strangers(&chain.points, is_closed, strangers);
            prop_assert_eq!(nearest_strangers(&chain, 30.0, strangers), slow.min(30.0));
        }
    }
}

#[test]
fn rna_and_actin_keep_the_laws_too() {
    let scenes = [
        (FibreKind::RNA, 3_000, false, Room::inside(cell(250.0))),
        (FibreKind::RNA_HELIX, 2_000, true, Room::inside(cell(400.0))),
        (FibreKind::ACTIN, 700, false, Room::inside(cell(3_000.0))),
        (FibreKind::ACTIN, 600, true, Room::default()),
    ];
    for (kind, units, is_closed, room) in scenes {
        let fibre = Fibre { kind, units, is_closed };
        keeps_the_laws(fibre, &room, &grow(fibre, &room, 3).expect("there is room"));
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_for_1_2_and_3_threads() {
    let room = &rooms()[1];
    let hash = |threads: usize, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let grown = pool.install(|| grow(dna(40_000, true), room, seed)).expect("it fills 20 %");
        let turned = grown.placements(10)[1_234].rotation.to_array().map(f64::to_bits);
        (grown.state_hash(), turned)
    };
    assert_eq!(hash(1, 5), hash(2, 5));
    assert_eq!(hash(1, 5), hash(3, 5));
    assert_ne!(hash(2, 5), hash(2, 6));
}

#[test]
fn a_free_chain_is_as_wide_as_kratky_and_porod_say() {
    // Root mean squares over eight chains of 10,000 segments; their standard errors grow to 4 %.
    let stretches = [2, 4, 8, 16, 32, 64_usize];
    let mut sums = [0.0; 6];
    let mut count = 0.0;
    for seed in 0..8 {
        let grown = grow(dna(60_000, false), &Room::default(), seed).expect("there is room");
        let points = grown.points();
        for at in (0..points.len() - 64).step_by(5) {
            count += 1.0;
            for (sum, stretch) in sums.iter_mut().zip(stretches) {
                *sum += points[at].distance_squared(points[at + stretch]);
            }
        }
    }
    for (sum, stretch) in sums.into_iter().zip(stretches) {
        let (found, expected) = ((sum / count).sqrt(), end_to_end(20.0 * stretch as f64, 500.0));
        assert!((found / expected - 1.0).abs() < 0.1, "{stretch} segments: {found} Å, expected {expected} Å");
    }
}

#[test]
fn very_short_fibres_are_straight() {
    for units in [1, 2, 5, 6, 12] {
        let fibre = dna(units, false);
        let grown = grow(fibre, &Room::inside(cell(60.0)), 1).expect("there is room");
        keeps_the_laws(fibre, &Room::inside(cell(60.0)), &grown);
        let ends = grown.points()[0].distance(*grown.points().last().expect("two beads"));
        assert!((ends / fibre.length() - 1.0).abs() < 0.05, "{ends}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let refused = |fibre, room: &Room| grow(fibre, room, 1).expect_err("it cannot be").to_string();
    let everywhere = Room::default();
    assert_eq!(refused(dna(0, false), &everywhere), "expected at least one unit, found 0");
    assert!(refused(dna(30, true), &everywhere).contains("expected at least 89"));
    assert!(refused(dna(9, false), &Room::inside(cell(9.9))).contains("found none"));
    assert!(refused(dna(9, false), &Room::inside(cell(f64::NAN))).contains("found none"));
    assert!(refused(dna(9, false), &Room::inside(cell(-50.0))).contains("found none"));
    let too_long = refused(dna(100_000, false), &Room::inside(cell(300.0)));
    assert!(too_long.contains("expected at most 3") && too_long.contains("90.69 %"), "{too_long}");
    let kind = FibreKind { rise: f64::NAN, ..FibreKind::DNA };
    assert!(refused(Fibre { kind, units: 5, is_closed: false }, &everywhere).contains("a rise above 0"));
    let kind = FibreKind { tightest_bend: 1.0, ..FibreKind::DNA };
    assert!(refused(Fibre { kind, units: 5, is_closed: false }, &everywhere).contains("a tightest bend"));
}

#[test]
fn a_jammed_fibre_says_how_far_it_came() {
    let options = FibreOptions { max_iterations: 3, ..FibreOptions::default() };
    let room = Room::inside(cell(150.0));
    let jammed = dna(6_000, false).grow(&room, &options, |_| ControlFlow::Continue(())).expect_err("45 % is too much");
    let FibreError::Jammed { iterations: 3, overlaps, fraction, .. } = jammed else { panic!("{jammed}") };
    assert!(overlaps > 0 && (fraction - 0.453).abs() < 0.01, "{jammed}");
}
