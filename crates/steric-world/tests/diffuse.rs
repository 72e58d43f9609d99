//! Laws of `diffuse`: what every strategy, thread count and response must keep.

use std::collections::{BTreeMap, HashMap};

use glam::DVec3;
use proptest::prelude::*;
use steric_world::diffuse::{
    Bounds, Collision, Decay, Diffusion, Edge, Inside, Motion, Obstacle, Offenders, Outcome, Particle, Partner,
    Response, Rule, Setup, Species, Strategy as Way, Then, fill, heat, reference,
};

/// Spheres that fill a share of a cube or a square, with steps of a share of the radius.
fn crowd(count: usize, fraction: f64, step: f64, dimensions: usize) -> Setup {
    let radius = 10.0f64;
    let size = if dimensions == 3 {
        4.0 / 3.0 * std::f64::consts::PI * radius.powi(3)
    } else {
        std::f64::consts::PI * radius.powi(2)
    };
    let edge = (count as f64 * size / fraction).powf(1.0 / dimensions as f64);
    let mut setup = Setup::new(
        Bounds::cube(edge, Edge::Periodic),
        vec![Species::sphere("ball", radius, 0.5 * (step * radius).powi(2))],
    );
    setup.dimensions = dimensions;
    setup.particles = fill(&setup, &[count]).expect("there is room");
    setup
}

fn run(setup: &Setup, steps: usize) -> (Vec<Collision>, u64) {
    let mut diffusion = Diffusion::new(setup.clone()).expect("it begins");
    let mut log = Vec::new();
    for _ in 0..steps {
        log.extend_from_slice(diffusion.step());
    }
    (log, diffusion.state_hash())
}

/// The deepest overlap in cells of a hash table: another way than the one that is tested.
fn deepest_by_hashing(diffusion: &Diffusion) -> f64 {
    let edges = diffusion.setup().bounds.high - diffusion.setup().bounds.low;
    let radius = |kind: u16| diffusion.setup().species[kind as usize].radius;
    let largest = diffusion.setup().species.iter().map(|species| species.radius).fold(0.0, f64::max);
    let counts = (edges / (2.0 * largest)).floor().max(DVec3::ONE);
    let mut cells: BTreeMap<[i64; 3], Vec<(DVec3, f64)>> = BTreeMap::new();
    let cell = |at: DVec3| (at / edges * counts).floor().to_array().map(|place| place as i64);
    for placed in diffusion.particles() {
        cells.entry(cell(placed.at)).or_default().push((placed.at, radius(placed.kind)));
    }
    let counts = counts.to_array().map(|count| count as i64);
    let mut deepest = f64::NEG_INFINITY;
    for (place, members) in &cells {
        for turn in 0..27 {
            let other = [place[0] + turn % 3 - 1, place[1] + turn / 3 % 3 - 1, place[2] + turn / 9 - 1];
            let other = [0, 1, 2].map(|axis| other[axis].rem_euclid(counts[axis]));
            for (at, radius) in members {
                for (there, other) in cells.get(&other).into_iter().flatten() {
                    let apart = *there - *at;
                    let apart = apart - edges * (apart / edges).round();
                    if apart != DVec3::ZERO {
                        deepest = deepest.max(radius + other - apart.length());
                    }
                }
            }
        }
    }
    deepest
}

/// Setups of every kind: sizes, speeds, dimensions, borders, responses.
fn setups() -> impl Strategy<Value = Setup> {
    let edges = prop_oneof![Just(Edge::Periodic), Just(Edge::Reflecting), Just(Edge::Absorbing)];
    let responses =
        prop_oneof![Just(Response::Reflect), Just(Response::Stop), Just(Response::Slide), Just(Response::Stick)];
    (2..40usize, 0..3usize, 0.02..3.0f64, 2..4usize, edges, responses, any::<u64>(), any::<bool>()).prop_map(
        |(small, large, step, dimensions, edge, response, seed, is_ballistic)| {
            let mut setup = Setup::new(
                Bounds::cube(60.0, edge),
                vec![
                    Species::sphere("small", 3.0, 0.5 * (3.0 * step).powi(2)),
                    Species::sphere("large", 9.0, 0.1 * (3.0 * step).powi(2)),
                ],
            );
            setup.dimensions = dimensions;
            setup.options.seed = seed;
            setup.options.response = response;
            if edge != Edge::Periodic {
                setup.obstacles.push(Obstacle::Sphere { center: DVec3::new(30.0, 30.0, 0.0), radius: 5.0 });
            }
            if is_ballistic {
                setup.motion = Motion::Ballistic;
            }
            setup.particles = fill(&setup, &[small, large]).expect("there is room");
            if is_ballistic {
                heat(&mut setup, &[3.0 * step, step]);
            }
            setup
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_strategy_tells_of_the_same_contacts_to_the_last_bit(setup in setups()) {
        let (expected, hash) = run(&Setup { options: steric_world::diffuse::DiffuseOptions { strategy: Way::Naive, ..setup.options }, ..setup.clone() }, 6);
        for &strategy in Way::ALL {
            for inside in [Inside::Queue, Inside::Substeps] {
                for offenders in [Offenders::Apart, Offenders::Split] {
                    let mut setup = setup.clone();
                    setup.options.strategy = strategy;
                    setup.options.inside = inside;
                    setup.options.offenders = offenders;
                    let (log, end) = run(&setup, 6);
                    prop_assert_eq!(&log, &expected, "{} {} {}", strategy, inside, offenders);
                    prop_assert_eq!(end, hash);
                }
            }
        }
    }

    #[test]
    fn nothing_ever_overlaps(setup in setups()) {
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        for _ in 0..20 {
            diffusion.step();
            prop_assert_eq!(diffusion.deepest_overlap(), None);
        }
    }
}

#[test]
fn the_short_truth_tells_of_the_same_contacts() {
    for dimensions in [2, 3] {
        let setup = crowd(60, 0.2, 0.3, dimensions);
        let expected = reference::collisions(&setup, 8);
        let (log, _) = run(&setup, 8);
        let found: Vec<(f64, u32, u32)> = log
            .iter()
            .map(|contact| match contact.second {
                Partner::Particle(other) => (contact.time, contact.first, other),
                other => panic!("there is no {other}"),
            })
            .collect();
        assert!(found.len() > 30, "{}", found.len());
        assert_eq!(found, expected);
    }
}

#[test]
fn threads_change_nothing() {
    let setup = crowd(30_000, 0.2, 0.1, 3);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&setup, 4))
    };
    let (log, hash) = with(1);
    assert!(log.len() > 1_000);
    for threads in [2, 5] {
        let (other, end) = with(threads);
        assert!(other == log && end == hash, "{threads}");
    }
}

#[test]
fn a_hundred_thousand_spheres_never_overlap() {
    let mut diffusion = Diffusion::new(crowd(100_000, 0.2, 0.1, 3)).expect("it begins");
    for step in 0..20 {
        diffusion.step();
        let deepest = deepest_by_hashing(&diffusion);
        assert!(deepest <= 0.0, "step {step}: {deepest}");
        // Some touch, to a hair's breadth: the check would see an overlap.
        assert!(deepest > -1e-3, "{deepest}");
    }
}

#[test]
fn the_mean_square_displacement_is_that_of_brownian_motion() {
    for dimensions in [2, 3] {
        // So dilute that hardly anyone meets.
        let mut setup = Setup::new(
            Bounds::cube(3e5, Edge::Periodic),
            vec![Species::sphere("slow", 1.0, 0.3), Species::sphere("fast", 1.0, 2.0)],
        );
        setup.dimensions = dimensions;
        setup.options.time_step = 0.5;
        setup.particles = fill(&setup, &[4_000, 4_000]).expect("there is room");
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        for _ in 0..50 {
            diffusion.step();
        }
        for (species, measured) in [0.3, 2.0].into_iter().zip(diffusion.mean_square_displacements()) {
            let expected = 2.0 * dimensions as f64 * species * diffusion.time();
            // The relative standard error of the mean of a sum of n squares of normal numbers is sqrt(2 / n / N).
            let error = expected * (2.0 / dimensions as f64 / 4_000.0).sqrt();
            assert!((measured - expected).abs() < 4.0 * error, "{dimensions} {species}: {measured} {expected}");
        }
    }
}

#[test]
fn displacements_have_the_histogram_that_berg_expects() {
    let mut setup = Setup::new(Bounds::cube(3e5, Edge::Periodic), vec![Species::sphere("A", 1.0, 1.5)]);
    setup.particles = fill(&setup, &[20_000]).expect("there is room");
    let starts: Vec<DVec3> = setup.particles.iter().map(|particle| particle.at).collect();
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..8 {
        diffusion.step();
    }
    let width = (2.0 * 1.5 * diffusion.time()).sqrt();
    // Sixteen bins of equal probability, by the quantiles of the normal distribution.
    let quantiles = [0.0, 0.157_311, 0.318_639, 0.488_776, 0.674_490, 0.887_147, 1.150_349, 1.534_121];
    let mut counts = [0.0; 16];
    let mut all = 0.0;
    for placed in diffusion.particles() {
        for x in (placed.unwrapped - starts[placed.number as usize]).to_array() {
            let beyond = quantiles.iter().filter(|&&quantile| x.abs() / width >= quantile).count() - 1;
            counts[if x < 0.0 { 7 - beyond } else { 8 + beyond }] += 1.0;
            all += 1.0;
        }
    }
    let expected = all / 16.0;
    let chi_squared: f64 = counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum();
    // Fifteen degrees of freedom: 44.3 is passed once in ten thousand times.
    assert!(chi_squared < 44.3, "{chi_squared}: {counts:?}");
}

#[test]
fn billiard_keeps_its_energy_and_momentum_over_a_million_contacts() {
    let mut setup = crowd(10_000, 0.3, 0.0, 3);
    setup.motion = Motion::Ballistic;
    setup.options.time_step = 4.0;
    heat(&mut setup, &[1.0]);
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    let (energy, momentum) = (diffusion.energy(), diffusion.momentum());
    while diffusion.statistics().collisions < 1_000_000 {
        diffusion.step();
    }
    let drift = (diffusion.energy() - energy).abs() / energy;
    assert!(drift < 1e-6, "{drift}");
    let scale = (2.0 * energy * 10_000.0 * 1_000.0f64).sqrt();
    assert!((diffusion.momentum() - momentum).length() < 1e-9 * scale);
    assert_eq!(diffusion.deepest_overlap(), None);
}

#[test]
fn the_pressure_of_hard_spheres_is_that_of_carnahan_and_starling() {
    for fraction in [0.1, 0.2, 0.3] {
        let mut setup = crowd(4_000, fraction, 0.0, 3);
        setup.motion = Motion::Ballistic;
        setup.options.time_step = 5.0;
        heat(&mut setup, &[1.0]);
        let relaxed = {
            let mut diffusion = Diffusion::new(setup.clone()).expect("it begins");
            // Random places are not yet those of a fluid.
            while diffusion.statistics().collisions < 60_000 {
                diffusion.step();
            }
            let mut particles: Vec<_> = diffusion.particles().collect();
            particles.sort_by_key(|placed| placed.number);
            particles.iter().map(|placed| Particle { kind: 0, at: placed.at, velocity: placed.velocity }).collect()
        };
        setup.particles = relaxed;
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        while diffusion.statistics().collisions < 150_000 {
            diffusion.step();
        }
        let measured = diffusion.statistics().compressibility(5.0);
        let f: f64 = fraction;
        let expected = (1.0 + f + f * f - f * f * f) / (1.0 - f).powi(3);
        assert!((measured / expected - 1.0).abs() < 0.02, "{fraction}: {measured} {expected}");
    }
}

#[test]
fn spheres_that_vanish_when_they_meet_do_so_at_smoluchowskis_rate() {
    // One species moves and is swallowed, the other stands: k = 4 pi D R (1 + R / sqrt(pi D t)).
    let (diffusion_constant, reach, edge) = (1.0, 4.0, 250.0f64);
    let mut setup = Setup::new(
        Bounds::cube(edge, Edge::Periodic),
        vec![Species::sphere("walker", 1.0, diffusion_constant), Species::sphere("trap", 3.0, 0.0)],
    );
    setup.rules.push(Rule { first: 0, second: 1, probability: 1.0, then: Then::Merge(1) });
    setup.options.time_step = 0.05;
    setup.particles = fill(&setup, &[30_000, 200]).expect("there is room");
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    let steps = 1_000;
    let mut expected = 0.0;
    let mut walkers = 30_000.0;
    let volume = edge.powi(3);
    // A path of straight pieces misses what a real one touches between them: the trap seems smaller by 0.58 of a step.
    let reach = reach - 0.5826 * (2.0 * diffusion_constant * 0.05f64).sqrt();
    for step in 0..steps {
        diffusion.step();
        let time = (f64::from(step) + 0.5) * 0.05;
        let rate = 4.0
            * std::f64::consts::PI
            * diffusion_constant
            * reach
            * (1.0 + reach / (std::f64::consts::PI * diffusion_constant * time).sqrt());
        let swallowed = rate * 200.0 / volume * walkers * 0.05;
        expected += swallowed;
        walkers -= swallowed;
    }
    let measured = diffusion.statistics().rules[0] as f64;
    assert!(measured > 1_000.0, "{measured}");
    assert!((measured / expected - 1.0).abs() < 0.08, "{measured} {expected}");
    assert_eq!(diffusion.len() as f64, 30_200.0 - measured);
}

#[test]
fn clusters_grow_to_their_largest_size_and_move_as_one() {
    let mut setup = crowd(300, 0.15, 0.3, 3);
    setup.rules.push(Rule { first: 0, second: 0, probability: 0.5, then: Then::Bind { at_most: 4, breaks: 0.0 } });
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..60 {
        diffusion.step();
        assert_eq!(diffusion.deepest_overlap(), None);
    }
    let sizes = diffusion.cluster_sizes();
    assert!(sizes.len() == 4 && sizes[3] > 10, "{sizes:?}");
    let members: u64 = sizes.iter().enumerate().map(|(size, count)| (size as u64 + 1) * count).sum();
    assert_eq!(members, 300);
    assert!(diffusion.statistics().turns[0] > 100);
}

#[test]
fn bonds_that_open_and_bonds_that_form_come_to_a_balance() {
    let mut setup = crowd(200, 0.15, 0.3, 2);
    setup.rules.push(Rule { first: 0, second: 0, probability: 1.0, then: Then::Bind { at_most: 2, breaks: 0.1 } });
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..150 {
        diffusion.step();
    }
    assert_eq!(diffusion.deepest_overlap(), None);
    let (formed, opened) = (diffusion.statistics().rules[0], diffusion.statistics().opened);
    let pairs = diffusion.cluster_sizes().get(1).copied().unwrap_or(0);
    assert!(opened > 100 && formed - opened == pairs, "{formed} {opened} {pairs}");
}

#[test]
fn two_become_one_and_one_becomes_two_without_an_overlap() {
    let mut setup = Setup::new(
        Bounds::cube(150.0, Edge::Reflecting),
        vec![Species::sphere("A", 6.0, 2.0), Species::sphere("B", 5.0, 2.0), Species::sphere("AB", 7.5, 1.0)],
    );
    setup.rules.push(Rule { first: 0, second: 1, probability: 0.8, then: Then::Merge(2) });
    setup.decays.push(Decay { kind: 2, rate: 0.05, into: vec![0, 1] });
    setup.particles = fill(&setup, &[150, 150, 0]).expect("there is room");
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..200 {
        diffusion.step();
        assert_eq!(diffusion.deepest_overlap(), None);
        let mut counts = [0; 3];
        diffusion.particles().for_each(|placed| counts[placed.kind as usize] += 1);
        assert_eq!([counts[0] + counts[2], counts[1] + counts[2]], [150, 150]);
    }
    assert!(diffusion.statistics().rules[0] > 100 && diffusion.statistics().decays[0] > 100);
}

#[test]
fn an_absorbing_border_swallows_all_in_the_end() {
    let mut setup = Setup::new(Bounds::cube(40.0, Edge::Absorbing), vec![Species::sphere("A", 2.0, 20.0)]);
    setup.particles = fill(&setup, &[50]).expect("there is room");
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    let mut swallowed = 0;
    for _ in 0..300 {
        swallowed += diffusion.step().iter().filter(|contact| contact.outcome == Outcome::Absorbed).count();
    }
    assert!(diffusion.is_empty() && swallowed == 50);
}

#[test]
fn molecules_of_spheres_turn_and_never_overlap() {
    let dumbbell = [(DVec3::X * -6.0, 4.0), (DVec3::X * 6.0, 4.0), (DVec3::Y * 5.0, 3.0)];
    let mut setup = Setup::new(
        Bounds::cube(120.0, Edge::Reflecting),
        vec![Species::molecule("dumbbell", &dumbbell, 1.0), Species::sphere("ball", 4.0, 2.0)],
    );
    setup.obstacles.push(Obstacle::Cylinder {
        from: DVec3::new(60.0, 60.0, 20.0),
        to: DVec3::new(60.0, 60.0, 100.0),
        radius: 8.0,
    });
    setup.particles = fill(&setup, &[150, 150]).expect("there is room");
    let starts: HashMap<u32, glam::DQuat> = {
        let diffusion = Diffusion::new(setup.clone()).expect("it begins");
        diffusion.particles().map(|placed| (placed.number, placed.turn)).collect()
    };
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..80 {
        diffusion.step();
        assert_eq!(diffusion.deepest_overlap(), None);
    }
    let turned = diffusion
        .particles()
        .filter(|placed| placed.kind == 0 && placed.turn.angle_between(starts[&placed.number]) > 0.3);
    assert!(turned.count() > 50);
    assert!(diffusion.statistics().turns[1] > 0 && diffusion.statistics().collisions > 100);
}

#[test]
fn a_run_goes_on_from_a_checkpoint_with_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.steric");
    let mut setup = crowd(300, 0.15, 0.3, 3);
    setup.rules.push(Rule { first: 0, second: 0, probability: 0.3, then: Then::Bind { at_most: 5, breaks: 0.02 } });
    let mut whole = Diffusion::new(setup.clone()).expect("it begins");
    for _ in 0..150 {
        whole.step();
    }
    whole.save(&path).expect("it is written");
    let mut log = Vec::new();
    for _ in 0..30 {
        log.extend_from_slice(whole.step());
    }
    // Another strategy may go on: it finds the same.
    let mut again = Diffusion::new(Setup {
        options: steric_world::diffuse::DiffuseOptions { strategy: Way::B, ..setup.options },
        ..setup.clone()
    })
    .expect("it begins");
    again.resume(&path).expect("it is read");
    let mut other = Vec::new();
    for _ in 0..30 {
        other.extend_from_slice(again.step());
    }
    assert!(log.len() > 50);
    assert_eq!((log, whole.state_hash(), whole.cluster_sizes()), (other, again.state_hash(), again.cluster_sizes()));
    assert_eq!(whole.statistics().rules, again.statistics().rules);
    let bytes = std::fs::read(&path).expect("it is there");
    for length in [0, 7, 31, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).expect("it is written");
        assert!(again.resume(&path).is_err(), "{length}");
    }
    std::fs::write(&path, &bytes).expect("it is written");
    setup.options.seed = 99;
    let error = Diffusion::new(setup).expect("it begins").resume(&path).expect_err("another run");
    assert!(error.to_string().contains("one of another run"), "{error}");
}

#[test]
fn a_bound_that_is_broken_is_told_and_only_those_who_ignore_it_miss_contacts() {
    let mut setup = crowd(400, 0.2, 0.8, 3);
    setup.options.cell = Some(22.5);
    let count = |strategy, offenders| {
        let mut setup = setup.clone();
        (setup.options.strategy, setup.options.offenders) = (strategy, offenders);
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        for _ in 0..5 {
            diffusion.step();
        }
        let counted = diffusion.statistics();
        (counted.collisions, counted.broken_steps, counted.broken_farthest)
    };
    let (expected, broken, _) = count(Way::Naive, Offenders::Ignore);
    assert_eq!(broken, 0);
    for strategy in [Way::A, Way::B, Way::C] {
        for offenders in [Offenders::Apart, Offenders::Split] {
            let (collisions, broken, farthest) = count(strategy, offenders);
            assert_eq!(collisions, expected, "{strategy} {offenders}");
            if offenders == Offenders::Apart {
                assert!(broken == 5 && farthest > 1.5, "{strategy} {broken} {farthest}");
            }
        }
    }
    let (missed, _, farthest) = count(Way::B, Offenders::Ignore);
    assert!(missed < expected && farthest > 1.5, "{missed} {expected}");
}

#[test]
fn fields_drive_and_traps_hold() {
    let mut setup = Setup::new(Bounds::cube(1e4, Edge::Reflecting), vec![Species::sphere("A", 1.0, 0.5)]);
    setup.species[0].drift = DVec3::X * 2.0;
    setup.particles = vec![Particle { kind: 0, at: DVec3::splat(100.0), velocity: DVec3::ZERO }];
    let mut diffusion = Diffusion::new(setup.clone()).expect("it begins");
    for _ in 0..100 {
        diffusion.step();
    }
    let x = diffusion.particles().next().expect("one").at.x;
    assert!((x - 300.0).abs() < 5.0 * 10.0, "{x}");
    // In a trap the mean square distance is 3 D / k, for small steps.
    setup.species[0].drift = DVec3::ZERO;
    setup.species[0].trap = Some((DVec3::splat(5_000.0), 0.05));
    let grid = (0..1_000)
        .map(|number| DVec3::new(f64::from(number % 10), f64::from(number / 10 % 10), f64::from(number / 100)));
    setup.particles = grid.map(|at| Particle { kind: 0, at: at * 3.0 + 4_985.0, velocity: DVec3::ZERO }).collect();
    setup.species[0].radius = 0.05;
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..200 {
        diffusion.step();
    }
    let mean =
        diffusion.particles().map(|placed| (placed.at - DVec3::splat(5_000.0)).length_squared()).sum::<f64>() / 1_000.0;
    let expected = 3.0 * 0.5 / 0.05 / (1.0 - 0.5 * 0.05);
    assert!((mean / expected - 1.0).abs() < 0.15, "{mean} {expected}");
}

#[test]
fn no_speed_lets_a_particle_pass_through_another() {
    // A wall of spheres across the box, and one that would cross the box a thousand times in a step.
    for strategy in Way::ALL {
        let mut setup = Setup::new(Bounds::cube(60.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 0.0)]);
        setup.motion = Motion::Ballistic;
        setup.options.response = Response::Stop;
        setup.options.strategy = *strategy;
        for y in 0..6 {
            for z in 0..6 {
                let at = DVec3::new(30.0, f64::from(y) * 10.0 + 0.0001 * f64::from(y % 2), f64::from(z) * 10.0);
                setup.particles.push(Particle { kind: 0, at, velocity: DVec3::ZERO });
            }
        }
        setup.particles.retain(|particle| particle.at.y % 10.0 < 0.001);
        setup.species[0].radius = 4.99;
        setup.particles.push(Particle { kind: 0, at: DVec3::new(5.0, 13.0, 14.0), velocity: DVec3::X * 6e4 });
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        diffusion.step();
        assert_eq!(diffusion.collisions().len(), 1, "{strategy}");
        let last =
            diffusion.particles().find(|placed| placed.number as usize == diffusion.len() - 1).expect("it is there");
        assert!(last.at.x < 30.0 && diffusion.deepest_overlap().is_none(), "{strategy}: {}", last.at);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let good = crowd(10, 0.1, 0.1, 3);
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = good.clone();
        change(&mut setup);
        Diffusion::new(setup).expect_err("it is refused").to_string()
    };
    assert!(refused(&|setup| setup.options.time_step = f64::NAN).contains("a time step above 0, found NaN"));
    assert!(refused(&|setup| setup.species[0].radius = -1.0).contains("a radius of ball above 0, found -1"));
    assert!(refused(&|setup| setup.particles[0].at.x = 1e9).contains("particle 0 in the box"));
    assert!(refused(&|setup| setup.bounds.high.x = 30.0).contains("an edge of at least 42.0"));
    assert!(
        refused(&|setup| setup.particles[3].at = setup.particles[2].at)
            .contains("ball 2 and ball 3 overlapping by 20.000")
    );
}

#[test]
fn two_that_meet_do_as_the_response_says() {
    // Off the axis, so that there is something to slide along; the second is twice as heavy.
    let after = |response| {
        let mut setup = Setup::new(
            Bounds::cube(100.0, Edge::Periodic),
            vec![Species::sphere("light", 2.0, 0.0), Species { mass: 16.0, ..Species::sphere("heavy", 2.0, 0.0) }],
        );
        setup.motion = Motion::Ballistic;
        setup.options.response = response;
        setup.particles = vec![
            Particle { kind: 0, at: DVec3::new(40.0, 50.0, 50.0), velocity: DVec3::X * 10.0 },
            Particle { kind: 1, at: DVec3::new(47.0, 52.0, 50.0), velocity: DVec3::ZERO },
        ];
        let mut diffusion = Diffusion::new(setup).expect("it begins");
        let (energy, momentum) = (diffusion.energy(), diffusion.momentum());
        diffusion.step();
        assert_eq!(diffusion.collisions().len(), 1);
        assert_eq!(diffusion.deepest_overlap(), None);
        let mut velocities = [DVec3::ZERO; 2];
        diffusion.particles().for_each(|placed| velocities[placed.number as usize] = placed.velocity);
        (velocities, diffusion.energy() / energy, (diffusion.momentum() - momentum).length(), diffusion.cluster_sizes())
    };
    // They touch where the second is 2 above and the square root of 12 ahead.
    let normal = DVec3::new(12f64.sqrt(), 2.0, 0.0) / 4.0;
    let (velocities, energy, momentum, _) = after(Response::Reflect);
    assert!((energy - 1.0).abs() < 1e-12 && momentum < 1e-9);
    assert!((velocities[1] - normal * (2.0 * 8.0 / 24.0 * 10.0 * normal.x)).length() < 1e-6, "{velocities:?}");
    let (velocities, energy, momentum, _) = after(Response::Slide);
    assert!((velocities[1] - velocities[0]).dot(normal).abs() < 1e-6 && energy < 1.0 && momentum < 1e-9);
    assert!(
        (velocities[0] - velocities[0].dot(normal) * normal - (DVec3::X - normal * normal.x) * 10.0).length() < 1e-6
    );
    let (velocities, ..) = after(Response::Stop);
    assert_eq!(velocities, [DVec3::ZERO; 2]);
    let (velocities, _, momentum, sizes) = after(Response::Stick);
    assert!(
        (velocities[0] - DVec3::X * (80.0 / 24.0)).length() < 1e-9 && velocities[0] == velocities[1] && momentum < 1e-9
    );
    assert_eq!(sizes, [0, 1]);
}

#[test]
fn an_obstacle_that_reaches_the_border_is_felt_on_the_other_side() {
    let mut setup = Setup::new(Bounds::cube(60.0, Edge::Periodic), vec![Species::sphere("A", 2.0, 4.0)]);
    let (from, to) = (DVec3::new(4.0, 30.0, 30.0), DVec3::new(60.0, 30.0, 30.0));
    setup.obstacles.push(Obstacle::Cylinder { from, to, radius: 10.0 });
    // Beyond the border, half an angstrom from the end of the cylinder.
    setup.particles.push(Particle { kind: 0, at: DVec3::new(0.5, 30.0, 30.0), velocity: DVec3::ZERO });
    let error = Diffusion::new(setup.clone()).expect_err("they overlap").to_string();
    assert!(error.contains("overlapping by 1.500"), "{error}");
    setup.particles.clear();
    setup.particles = fill(&setup, &[300]).expect("there is room");
    let mut diffusion = Diffusion::new(setup).expect("it begins");
    for _ in 0..30 {
        diffusion.step();
        assert_eq!(diffusion.deepest_overlap(), None);
    }
    assert!(diffusion.statistics().wall_hits > 100);
}
