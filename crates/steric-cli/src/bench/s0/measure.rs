//! The measurements themselves.
//!
//! How it works: the scene is *rods*, held to its sphere by springs. Its first iteration warms the caches and tells how many
//! pairs overlap at the start; the second one is timed, with a search of its own and nobody asleep. Then everything
//! begins anew, because later iterations have fewer overlaps to answer and would look faster. Brute force compares every
//! pair of the same atoms once and must find the same number of overlaps. How long it will take is known from a
//! smaller scene, because the time grows with the square of the atoms. The thesis's own brute force looks at each pair
//! twice and also pushes; ours is the kinder rival.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use serde::Serialize;
use steric::collide::{OverlapSearch, reference};
use steric::model::Scene;
use steric::world::relax::{Hold, Leaflet, Relax, RelaxOptions, ResponseKind, Setup, Stop};
use steric::world::shape::Surface;

use crate::bench::{median_and_spread, milliseconds_of};
use crate::failure::Failure;

/// What iterates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Engine {
    Cpu,
}

impl Engine {
    /// All that this build has.
    pub(super) const ALL: [Self; 1] = [Self::Cpu];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
        }
    }
}

/// A time that was measured several times.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Timing {
    pub(super) median_ms: f64,
    /// What the machine can do when nobody else uses it.
    pub(super) fastest_ms: f64,
    /// Slowest minus fastest; one measurement has none.
    pub(super) spread_ms: Option<f64>,
    pub(super) repeats: usize,
}

impl Timing {
    fn of(times: Vec<f64>) -> Self {
        let repeats = times.len();
        let fastest_ms = times.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let (median_ms, spread_ms) = median_and_spread(times);
        Self { median_ms, fastest_ms, spread_ms: (repeats > 1).then_some(spread_ms), repeats }
    }
}

/// The second iteration, with a search of its own, again and again.
#[derive(Debug, Serialize)]
pub(super) struct Steps {
    pub(super) whole: Timing,
    /// Search, contacts, move.
    pub(super) stages: [Timing; 3],
    /// Pairs of atoms that overlap at the start.
    pub(super) pairs: u64,
    /// Those that are left when the clock starts.
    pub(super) timed_pairs: u64,
    /// Of the poses when it stops.
    #[serde(serialize_with = "as_hex")]
    pub(super) state_hash: u64,
}

/// A relaxation as a user would run it.
#[derive(Debug, Serialize)]
pub(super) struct WholeRun {
    pub(super) mean_step_ms: f64,
    pub(super) iterations: u32,
    pub(super) searches: u32,
    pub(super) stop: Stop,
    #[serde(serialize_with = "as_hex")]
    pub(super) state_hash: u64,
}

fn as_hex<S: serde::Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}

/// Rods that springs hold where they are in their leaflet and upright.
pub(super) fn held_rods(atoms: usize) -> Setup {
    let mut setup = Setup::new(scenes::rods(atoms));
    let distances = || setup.scene.molecules().iter().map(|molecule| molecule.pose.translation.length());
    // Every other rod stands inside: the middle of the membrane is the mean.
    let radius = distances().sum::<f64>() / distances().count().max(1) as f64;
    let surface = Arc::new(Surface::Sphere { center: DVec3::ZERO, radius });
    let places = setup.scene.molecules().iter().map(|molecule| molecule.pose.translation);
    setup.groups = places.map(|place| vec![upright(&surface, radius, place)]).collect();
    setup.group_of = (0..setup.groups.len() as u32).collect();
    setup
}

/// A spring to where the middle of a rod stands, as in Algorithm 4.5, and one that keeps the rod upright.
fn upright(surface: &Arc<Surface>, radius: f64, place: DVec3) -> Hold {
    let height = place.length() - radius;
    let leaflet = if height > 0.0 { Leaflet::Outer } else { Leaflet::Inner };
    Hold::Surface {
        surface: Arc::clone(surface),
        leaflet,
        head: DVec3::ZERO,
        height,
        leeway: 3.0,
        axis: place.normalize_or(DVec3::Z) * leaflet.sign(),
        tilt: 25f64.to_radians(),
    }
}

/// Times the second iteration from the start, so many times.
pub(super) fn steps(
    engine: Engine,
    setup: &Setup,
    response: ResponseKind,
    repeats: usize,
    seed: u64,
) -> Result<Steps, Failure> {
    let options = RelaxOptions { response, skin: 0.0, sleep: false, ..RelaxOptions::default() };
    let mut runs: Vec<(f64, [f64; 3])> = Vec::new();
    loop {
        let mut relax = match engine {
            Engine::Cpu => Relax::new(setup.clone(), options.clone(), seed),
        };
        let first = relax.step();
        let start = Instant::now();
        let second = relax.step();
        runs.push((start.elapsed().as_secs_f64() * 1e3, second.milliseconds));
        // Without an overlap nothing moves, and what has not moved is not searched again.
        if !second.searched {
            return Err(nothing_to_time(setup));
        }
        if runs.len() >= repeats {
            return Ok(Steps {
                whole: Timing::of(runs.iter().map(|&(whole_ms, _)| whole_ms).collect()),
                stages: [0, 1, 2].map(|stage| Timing::of(runs.iter().map(|(_, stages)| stages[stage]).collect())),
                pairs: first.overlaps,
                timed_pairs: second.overlaps,
                state_hash: relax.state_hash(),
            });
        }
    }
}

fn nothing_to_time(setup: &Setup) -> Failure {
    Failure::usage(format!("{} atoms: expected a scene with overlaps, found one at rest", setup.scene.atoms()))
}

/// Relaxes with the default response, lists that are used again, and sleep.
pub(super) fn whole_run(engine: Engine, setup: Setup, seed: u64) -> WholeRun {
    // Rods rest after some twenty iterations. On a sphere for 50,000 atoms they never do: at its inner end the inner leaflet
    // has 14 square angstroms for a rod, which covers 17.
    let options = RelaxOptions { max_iterations: 300, ..RelaxOptions::default() };
    let mut relax = match engine {
        Engine::Cpu => Relax::new(setup, options, seed),
    };
    let start = Instant::now();
    let stop = relax.run(|_, _| ControlFlow::Continue(()));
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    WholeRun {
        mean_step_ms: milliseconds / f64::from(relax.iteration().max(1)),
        iterations: relax.iteration(),
        searches: relax.searches(),
        stop,
        state_hash: relax.state_hash(),
    }
}

/// What came of brute force.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BruteForce {
    Measured(Timing),
    /// It was left out, because it would take about so long.
    TooLong {
        predicted_ms: f64,
    },
}

/// Compares every pair, as long as that is bearable.
#[derive(Debug)]
pub(super) struct AllPairs {
    most_ms: f64,
    /// The largest scene so far and its time.
    atoms: f64,
    milliseconds: f64,
}

impl AllPairs {
    /// Nothing that would take longer than so many seconds will be done.
    pub(super) fn new(most_seconds: f64) -> Self {
        let trial = scenes::rods(20_000);
        let count = || _ = reference::count(&trial, OverlapSearch::default());
        count();
        Self { most_ms: 1e3 * most_seconds, atoms: trial.atoms() as f64, milliseconds: milliseconds_of(count) }
    }

    fn predicted_ms(&self, atoms: u64) -> f64 {
        self.milliseconds * (atoms as f64 / self.atoms).powi(2)
    }

    /// Times the comparison of every pair, which must find so many overlaps.
    pub(super) fn measure(&mut self, scene: &Scene, pairs: u64, repeats: usize) -> Result<BruteForce, Failure> {
        let predicted_ms = self.predicted_ms(scene.atoms());
        if predicted_ms > self.most_ms {
            return Ok(BruteForce::TooLong { predicted_ms });
        }
        let affordable = (0.25 * self.most_ms / predicted_ms.max(1e-3)) as usize;
        let mut times = Vec::new();
        for _ in 0..affordable.clamp(1, repeats.max(1)) {
            let mut found = 0;
            times.push(milliseconds_of(|| found = reference::count(scene, OverlapSearch::default())));
            agree(scene.atoms(), pairs, found)?;
        }
        let timing = Timing::of(times);
        (self.atoms, self.milliseconds) = (scene.atoms() as f64, timing.median_ms);
        Ok(BruteForce::Measured(timing))
    }
}

fn agree(atoms: u64, grid: u64, brute_force: u64) -> Result<(), Failure> {
    if grid == brute_force {
        return Ok(());
    }
    let message = format!("{atoms} atoms: expected {brute_force} overlaps as by brute force, found {grid} by the grid");
    Err(Failure::usage(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_hold_every_rod_where_it_starts() {
        let setup = held_rods(2_000);
        assert_eq!(setup.groups.len(), 40);
        let mut relax = Relax::new(setup, RelaxOptions::default(), 1);
        assert_eq!(relax.step().broken, 0);
    }

    #[test]
    fn brute_force_and_grid_find_the_same_overlaps_and_a_difference_is_an_error() {
        let setup = held_rods(5_000);
        let steps = steps(Engine::Cpu, &setup, ResponseKind::Thesis, 2, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(steps.pairs, OverlapSearch::default().count(&setup.scene));
        let mut all_pairs = AllPairs::new(60.0);
        assert!(matches!(all_pairs.measure(&setup.scene, steps.pairs, 1), Ok(BruteForce::Measured(_))));
        assert!(all_pairs.measure(&setup.scene, steps.pairs + 1, 1).is_err());
    }

    #[test]
    fn brute_force_that_would_take_too_long_is_left_out() {
        let mut all_pairs = AllPairs { most_ms: 100.0, atoms: 1_000.0, milliseconds: 2.0 };
        let scene = scenes::rods(10_000);
        let skipped = all_pairs.measure(&scene, 0, 1);
        assert!(matches!(skipped, Ok(BruteForce::TooLong { predicted_ms }) if (predicted_ms - 200.0).abs() < 1e-9));
    }
}
