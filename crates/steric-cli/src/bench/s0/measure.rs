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
use steric::gpu::{Gpu, GpuRelax, GpuSearch};
use steric::model::{Pose, Scene};
use steric::world::relax::{
    Engine, EngineError, Hold, Iteration, Leaflet, Relax, RelaxOptions, ResponseKind, Setup, Stop,
};
use steric::world::shape::Surface;

use crate::bench::median_and_spread;
use crate::failure::Failure;

/// What iterates.
#[derive(Clone, Copy, Debug)]
pub(super) enum Backend<'a> {
    Cpu,
    Gpu(&'a Gpu),
}

impl Backend<'_> {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu(_) => "gpu",
        }
    }

    /// How many pairs overlap, by comparing every pair.
    fn count_all_pairs(self, scene: &Scene) -> Result<u64, Failure> {
        let search = OverlapSearch::default();
        match self {
            Self::Cpu => Ok(reference::count(scene, search)),
            Self::Gpu(gpu) => Ok(GpuSearch::new(gpu, search).count_all_pairs(scene)?),
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
    held(scenes::rods(atoms))
}

/// The molecules of a sphere, every one held by springs where it is in its leaflet and upright.
pub(in crate::bench) fn held(scene: Scene) -> Setup {
    let mut setup = Setup::new(scene);
    let distances = || setup.scene.molecules().iter().map(|molecule| molecule.pose.translation.length());
    // Every other rod stands inside: the middle of the membrane is the mean.
    let radius = distances().sum::<f64>() / distances().count().max(1) as f64;
    let surface = Arc::new(Surface::Sphere { center: DVec3::ZERO, radius });
    let poses = setup.scene.molecules().iter().map(|molecule| molecule.pose);
    setup.groups = poses.map(|pose| vec![upright(&surface, radius, pose)]).collect();
    setup.group_of = (0..setup.groups.len() as u32).collect();
    setup
}

/// A spring to where the middle of a rod stands, as in Algorithm 4.5, and one that keeps the rod upright.
fn upright(surface: &Arc<Surface>, radius: f64, world_from_rod: Pose) -> Hold {
    let place = world_from_rod.translation;
    let height = place.length() - radius;
    let leaflet = if height > 0.0 { Leaflet::Outer } else { Leaflet::Inner };
    Hold::Surface {
        surface: Arc::clone(surface),
        leaflet,
        head: DVec3::ZERO,
        height,
        leeway: 3.0,
        axis: world_from_rod.rotation.inverse() * place.normalize_or(DVec3::Z) * leaflet.sign(),
        tilt: 25f64.to_radians(),
    }
}

/// Times the second iteration from the start, so many times.
pub(super) fn steps(
    backend: Backend<'_>,
    setup: &Setup,
    response: ResponseKind,
    repeats: usize,
    seed: u64,
) -> Result<Steps, Failure> {
    let options = RelaxOptions { response, skin: 0.0, sleep: false, ..RelaxOptions::default() };
    let mut runs: Vec<(f64, [f64; 3])> = Vec::new();
    loop {
        let mut relax = Relax::new(setup.clone(), options.clone(), seed);
        let ([first, second], run) = match backend {
            Backend::Cpu => two_steps(&mut relax),
            Backend::Gpu(gpu) => two_steps_on(gpu, &mut relax)?,
        };
        runs.push(run);
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

/// Two iterations, and the milliseconds of the second and of its stages.
type TwoSteps = ([Iteration; 2], (f64, [f64; 3]));

fn two_steps(relax: &mut Relax) -> TwoSteps {
    let first = relax.step();
    let start = Instant::now();
    let second = relax.step();
    ([first, second], (start.elapsed().as_secs_f64() * 1e3, second.milliseconds))
}

/// The same on a GPU: the whole by the clock of the host, the stages by the GPU's own, in a run of their own.
fn two_steps_on(gpu: &Gpu, relax: &mut Relax) -> Result<TwoSteps, Failure> {
    let mut engine = GpuRelax::new(gpu);
    let mut stages = [0.0; 3];
    if gpu.has_timestamps() {
        engine.load(relax).map_err(said)?;
        engine.advance(1).map_err(said)?;
        gpu.warm_up()?;
        for (name, milliseconds) in engine.timed_iteration()?.0.stages {
            stages[stage_of(name)] += milliseconds;
        }
    }
    engine.load(relax).map_err(said)?;
    let first = engine.advance(1).map_err(said)?;
    gpu.warm_up()?;
    let start = Instant::now();
    let second = engine.advance(1).map_err(said)?;
    let whole_ms = start.elapsed().as_secs_f64() * 1e3;
    let done = [first, second].concat();
    let [first, second] = done[..] else {
        return Err(Failure::usage("expected a scene with overlaps, found one at rest"));
    };
    relax.take(engine.fetch().map_err(said)?, &done);
    Ok(([first, second], (whole_ms, stages)))
}

/// Search, contacts or move: where a stage of the GPU belongs.
fn stage_of(name: &str) -> usize {
    match name {
        "apply" | "place" | "step" | "close" => 2,
        "compare" | "allot" | "spread" | "contacts" | "walls" => 1,
        _ => 0,
    }
}

fn said(error: EngineError) -> Failure {
    Failure::usage(error.to_string())
}

fn nothing_to_time(setup: &Setup) -> Failure {
    Failure::usage(format!("{} atoms: expected a scene with overlaps, found one at rest", setup.scene.atoms()))
}

/// Relaxes with the default response, lists that are used again, and sleep. On a GPU the time to load counts.
pub(super) fn whole_run(backend: Backend<'_>, setup: Setup, seed: u64) -> Result<WholeRun, Failure> {
    // Rods rest after some twenty iterations. On a sphere for 50,000 atoms they never do: at its inner end the inner leaflet
    // has 14 square angstroms for a rod, which covers 17.
    let options = RelaxOptions { max_iterations: 300, ..RelaxOptions::default() };
    let mut relax = Relax::new(setup, options, seed);
    let watch = |_: &Relax, _: &Iteration| ControlFlow::Continue(());
    let start = Instant::now();
    let (stop, error) = match backend {
        Backend::Cpu => (relax.run(watch), None),
        Backend::Gpu(gpu) => relax.run_on(&mut GpuRelax::new(gpu), watch),
    };
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    if let Some(error) = error {
        return Err(said(error));
    }
    Ok(WholeRun {
        mean_step_ms: milliseconds / f64::from(relax.iteration().max(1)),
        iterations: relax.iteration(),
        searches: relax.searches(),
        stop,
        state_hash: relax.state_hash(),
    })
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
pub(super) struct AllPairs<'a> {
    backend: Backend<'a>,
    most_ms: f64,
    /// The largest scene so far and its time.
    atoms: f64,
    milliseconds: f64,
}

impl<'a> AllPairs<'a> {
    /// Nothing that would take longer than so many seconds will be done.
    pub(super) fn new(backend: Backend<'a>, most_seconds: f64) -> Result<Self, Failure> {
        // A GPU has hardly begun with so few as keep a processor busy; one that is software takes far longer for them.
        let trial = scenes::rods(match backend {
            Backend::Cpu => 20_000,
            Backend::Gpu(gpu) if gpu.adapter().is_software => 2_000,
            Backend::Gpu(_) => 200_000,
        });
        backend.count_all_pairs(&trial)?;
        let start = Instant::now();
        backend.count_all_pairs(&trial)?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        Ok(Self { backend, most_ms: 1e3 * most_seconds, atoms: trial.atoms() as f64, milliseconds })
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
            let start = Instant::now();
            let found = self.backend.count_all_pairs(scene)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
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
        let steps = steps(Backend::Cpu, &setup, ResponseKind::Thesis, 2, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(steps.pairs, OverlapSearch::default().count(&setup.scene));
        let mut all_pairs = AllPairs::new(Backend::Cpu, 60.0).unwrap_or_else(|error| panic!("{error}"));
        assert!(matches!(all_pairs.measure(&setup.scene, steps.pairs, 1), Ok(BruteForce::Measured(_))));
        assert!(all_pairs.measure(&setup.scene, steps.pairs + 1, 1).is_err());
    }

    #[test]
    fn brute_force_that_would_take_too_long_is_left_out() {
        let mut all_pairs = AllPairs { backend: Backend::Cpu, most_ms: 100.0, atoms: 1_000.0, milliseconds: 2.0 };
        let scene = scenes::rods(10_000);
        let skipped = all_pairs.measure(&scene, 0, 1);
        assert!(matches!(skipped, Ok(BruteForce::TooLong { predicted_ms }) if (predicted_ms - 200.0).abs() < 1e-9));
    }
}
