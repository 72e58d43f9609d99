//! The measurements on a GPU.
//!
//! How it works: rods that springs hold go to the GPU. While they are timed they move by a hundred-thousandth of an angstrom at
//! most, so that every iteration meets the overlaps of the start; nobody sleeps and no list is used twice, so that every
//! iteration is a whole one. The same iterations back to back in one pass show what the pauses between stages cost, and the
//! clock of the host what it costs to ask.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use serde::Serialize;
use steric::collide::{IndexKind, OverlapSearch};
use steric::gpu::{Gpu, GpuError, GpuRelax, GpuSearch, StageTimes};
use steric::world::relax::{Engine, EngineError, Iteration, Progress, Relax, RelaxOptions, ResponseKind, Setup, Stop};

use crate::bench::{median_and_spread, s0};
use crate::failure::Failure;

/// Iterations before the clock starts.
const WARM_UP: usize = 5;
/// While iterations are timed no atom moves farther, in angstroms.
const STANDSTILL: f64 = 1e-5;
/// How often the same iterations are measured as a whole.
pub(super) const ROUNDS: usize = 3;
/// Iterations before the bits of two runs are compared.
const UNTIL_HASH: u32 = 10;
/// Iterations that are shown one by one, at most.
const MOST_STEPS: usize = 300;
/// Above this, one rod is stored once and not for each molecule.
const MOST_TYPES: usize = 8_000_000;

/// One size.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) atoms: u64,
    /// `rods`, each a type of its own, or `rods as instances` of one type.
    pub(super) scene: &'static str,
    pub(super) response: ResponseKind,
    pub(super) stages: Vec<StageRow>,
    /// The sum of the stages.
    pub(super) sum_ms: f64,
    /// An iteration back to back with others, by the clock of the GPU.
    pub(super) back_to_back_ms: f64,
    /// An iteration by the clock of the host, several asked for at once.
    pub(super) host_ms: f64,
    pub(super) load_s: f64,
    pub(super) bytes_per_atom: f64,
    /// Pairs that overlap at the start.
    pub(super) pairs: u64,
    #[serde(serialize_with = "as_hex")]
    pub(super) state_hash: u64,
    /// Whether a second run had the same bits.
    pub(super) is_repeatable: bool,
    pub(super) whole_run: WholeRun,
}

/// A stage of an iteration.
#[derive(Debug, Serialize)]
pub(super) struct StageRow {
    pub(super) name: &'static str,
    pub(super) median_ms: f64,
    /// Slowest minus fastest.
    pub(super) spread_ms: f64,
    pub(super) repeats: usize,
}

/// An iteration of a relaxation.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    pub(super) overlaps: u64,
    pub(super) awake: u32,
    pub(super) moved: u32,
    pub(super) searched: bool,
    /// Names and milliseconds.
    pub(super) stages: Vec<(&'static str, f64)>,
}

/// A relaxation as a user would run it.
#[derive(Debug, Serialize)]
pub(super) struct WholeRun {
    pub(super) iterations: u32,
    pub(super) searches: u32,
    pub(super) stop: Stop,
    /// By the clock of the host, with all that it takes to ask for iterations and to hear of them.
    pub(super) mean_step_ms: f64,
    /// With loading, fetching and taking over the poses.
    pub(super) mean_step_with_load_ms: f64,
    pub(super) load_s: f64,
    pub(super) fetch_s: f64,
    #[serde(serialize_with = "as_hex")]
    pub(super) state_hash: u64,
    /// Pairs that a search on the processor still finds.
    pub(super) overlaps_left: u64,
}

fn as_hex<S: serde::Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}

/// Everything about one size.
pub(super) fn row(gpu: &Gpu, atoms: usize, response: ResponseKind, repeats: usize, seed: u64) -> Result<Row, Failure> {
    let (scene, setup) = rods(atoms);
    let options = RelaxOptions { response, skin: 0.0, sleep: false, ..RelaxOptions::default() };
    let still = RelaxOptions { max_move: STANDSTILL, jolt_every: 0, ..options.clone() };
    let relax = Relax::new(setup.clone(), still, seed);
    let mut engine = GpuRelax::new(gpu);
    let start = Instant::now();
    engine.load(&relax).map_err(said)?;
    let load_s = start.elapsed().as_secs_f64();
    let pairs = engine.advance(1).map_err(said)?.first().map_or(0, |first| first.overlaps);
    let bytes_per_atom = engine.bytes() as f64 / setup.scene.atoms() as f64;
    // Without a clock of its own a GPU is timed by the host alone.
    let has_clock = gpu.has_timestamps();
    gpu.warm_up()?;
    engine.advance(WARM_UP as u32).map_err(said)?;
    let stages = if has_clock { stages(&mut engine, repeats)? } else { Vec::new() };
    let (back_to_back_ms, host_ms) = wholes(&mut engine, repeats, has_clock)?;
    drop((engine, relax));
    let state_hash = hash(gpu, &setup, &options, seed)?;
    let is_repeatable = state_hash == hash(gpu, &setup, &options, seed)?;
    Ok(Row {
        atoms: setup.scene.atoms(),
        scene,
        response,
        sum_ms: stages.iter().map(|stage| stage.median_ms).sum(),
        stages,
        back_to_back_ms,
        host_ms,
        load_s,
        bytes_per_atom,
        pairs,
        state_hash,
        is_repeatable,
        whole_run: whole_run(gpu, setup, seed)?,
    })
}

fn rods(atoms: usize) -> (&'static str, Setup) {
    if atoms > MOST_TYPES {
        ("rods as instances", s0::held(scenes::rods_as_instances(atoms)))
    } else {
        ("rods", s0::held(scenes::rods(atoms)))
    }
}

fn stages(engine: &mut GpuRelax, repeats: usize) -> Result<Vec<StageRow>, Failure> {
    let mut order = Vec::new();
    let mut times: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for _ in 0..repeats.max(1) {
        for (name, milliseconds) in by_name(engine.timed_iteration()?.0) {
            if !order.contains(&name) {
                order.push(name);
            }
            times.entry(name).or_default().push(milliseconds);
        }
    }
    let row = |name: &'static str| {
        let times = times.remove(name).unwrap_or_default();
        let repeats = times.len();
        let (median_ms, spread_ms) = median_and_spread(times);
        StageRow { name, median_ms, spread_ms, repeats }
    };
    Ok(order.into_iter().map(row).collect())
}

/// A stage that an iteration has several times, for shares of the scene, counts as one.
fn by_name(times: StageTimes) -> Vec<(&'static str, f64)> {
    let mut sums: Vec<(&'static str, f64)> = Vec::new();
    for (name, milliseconds) in times.stages {
        match sums.iter_mut().find(|sum| sum.0 == name) {
            Some(sum) => sum.1 += milliseconds,
            None => sums.push((name, milliseconds)),
        }
    }
    sums
}

/// The iterations of a relaxation, one after the other.
pub(super) fn iterations(gpu: &Gpu, atoms: usize, seed: u64) -> Result<Vec<Step>, Failure> {
    let (_, setup) = rods(atoms);
    let options = RelaxOptions { jolt_every: 0, ..RelaxOptions::default() };
    let mut engine = GpuRelax::new(gpu);
    engine.load(&Relax::new(setup, options, seed)).map_err(said)?;
    let mut steps = Vec::new();
    while let (times, Some(iteration)) = engine.timed_iteration()? {
        let Iteration { overlaps, awake, moved, searched, .. } = iteration;
        steps.push(Step { overlaps, awake, moved, searched, stages: by_name(times) });
        if steps.len() == MOST_STEPS {
            break;
        }
    }
    Ok(steps)
}

/// Milliseconds of an iteration among others by the clock of the GPU, and by that of the host.
fn wholes(engine: &mut GpuRelax, repeats: usize, has_clock: bool) -> Result<(f64, f64), Failure> {
    // More at once would not fit into the history that the GPU keeps.
    let repeats = repeats.clamp(1, 60);
    let (mut by_gpu, mut by_host) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        if has_clock {
            by_gpu.push(engine.back_to_back(repeats)?);
        }
        let start = Instant::now();
        let done = engine.advance(repeats as u32).map_err(said)?.len();
        by_host.push(1e3 * start.elapsed().as_secs_f64() / done.max(1) as f64);
    }
    Ok((median_and_spread(by_gpu).0, median_and_spread(by_host).0))
}

fn hash(gpu: &Gpu, setup: &Setup, options: &RelaxOptions, seed: u64) -> Result<u64, Failure> {
    let options = RelaxOptions { max_iterations: UNTIL_HASH, ..options.clone() };
    let mut relax = Relax::new(setup.clone(), options, seed);
    match relax.run_on(&mut GpuRelax::new(gpu), |_, _| ControlFlow::Continue(())) {
        (_, None) => Ok(relax.state_hash()),
        (_, Some(error)) => Err(said(error)),
    }
}

fn whole_run(gpu: &Gpu, setup: Setup, seed: u64) -> Result<WholeRun, Failure> {
    let allow = setup.allow;
    let options = RelaxOptions { max_iterations: 300, ..RelaxOptions::default() };
    let mut relax = Relax::new(setup, options, seed);
    let mut engine = Clocked { engine: GpuRelax::new(gpu), load_s: 0.0, iterate_s: 0.0, fetch_s: 0.0 };
    let start = Instant::now();
    let (stop, error) = relax.run_on(&mut engine, |_, _| ControlFlow::Continue(()));
    let seconds = start.elapsed().as_secs_f64();
    if let Some(error) = error {
        return Err(said(error));
    }
    let steps = f64::from(relax.iteration().max(1));
    let search = OverlapSearch { allow, ..OverlapSearch::default() };
    Ok(WholeRun {
        iterations: relax.iteration(),
        searches: relax.searches(),
        stop,
        mean_step_ms: 1e3 * engine.iterate_s / steps,
        mean_step_with_load_ms: 1e3 * seconds / steps,
        load_s: engine.load_s,
        fetch_s: engine.fetch_s,
        state_hash: relax.state_hash(),
        overlaps_left: search.count(relax.parts().scene),
    })
}

/// An engine whose loading, iterating and fetching are timed.
#[derive(Debug)]
struct Clocked {
    engine: GpuRelax,
    load_s: f64,
    iterate_s: f64,
    fetch_s: f64,
}

impl Engine for Clocked {
    fn name(&self) -> String {
        self.engine.name()
    }

    fn load(&mut self, relax: &Relax) -> Result<(), EngineError> {
        let start = Instant::now();
        let result = self.engine.load(relax);
        self.load_s += start.elapsed().as_secs_f64();
        result
    }

    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        let start = Instant::now();
        let result = self.engine.advance(most);
        self.iterate_s += start.elapsed().as_secs_f64();
        result
    }

    fn fetch(&mut self) -> Result<Progress, EngineError> {
        let start = Instant::now();
        let result = self.engine.fetch();
        self.fetch_s += start.elapsed().as_secs_f64();
        result
    }
}

fn said(error: EngineError) -> Failure {
    Failure::usage(error.to_string())
}

/// A search of a whole scene.
#[derive(Debug, Serialize)]
pub(super) struct Detection {
    pub(super) atoms: u64,
    pub(super) pairs: u64,
    pub(super) build_s: f64,
    pub(super) search_s: f64,
}

/// Counts the overlaps of so many atoms.
pub(super) fn detect(gpu: &Gpu, atoms: usize, index: IndexKind) -> Result<Detection, GpuError> {
    let start = Instant::now();
    let scene = scenes::rods_as_instances(atoms);
    let build_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let search = OverlapSearch { index, ..OverlapSearch::default() };
    let pairs = GpuSearch::new(gpu, search).count(&scene)?;
    Ok(Detection { atoms: scene.atoms(), pairs, build_s, search_s: start.elapsed().as_secs_f64() })
}
