//! Steps a second with collisions, what of a step is the search, and what connectivity saves.

use std::time::Instant;

use steric::world::deform::Stepped;

use super::frames::start;
use super::paper::RATES;
use super::{Arguments, Row, Told, mean, median_and_spread};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output;
use crate::table::{columns, thousands};

/// Threads for which steps a second are asked.
const THREADS: usize = 2;

pub(super) fn measure(wanted: &Arguments, shared: &Shared) -> Result<Told, Failure> {
    let pool = options::thread_pool(THREADS)?;
    let (mut told, mut lines) = (Told::default(), Vec::new());
    for (scene, asked) in RATES {
        let (mut run, own_steps) = start(scene, shared)?;
        let size = run.world.body.tetrahedra().len();
        let steps = wanted.steps.unwrap_or(own_steps);
        let bar = output::bar(shared, steps, scene);
        let step = |_| {
            let began = Instant::now();
            let stepped = run.step();
            bar.inc(1);
            (began.elapsed().as_secs_f64(), stepped)
        };
        let all: Vec<(f64, Stepped)> = pool.install(|| (0..steps).map(step).collect());
        bar.finish_and_clear();
        told.rows.extend(rows((scene, size, asked), &all));
        lines.push(line((scene, size, asked), &all));
    }
    let header = [
        "scene",
        "tetrahedra",
        "steps/s",
        "asked",
        "slowest ms",
        "detect ms",
        "solve ms",
        "contacts",
        "pairs",
        "passed over",
    ];
    let mut right = [true; 10];
    right[0] = false;
    let table = columns(&header, &right, &lines);
    told.text = format!(
        "Steps with collisions on {THREADS} threads; pairs of boxes in a step, and how many connectivity alone has passed over\n{table}"
    );
    Ok(told)
}

/// The mean over the steps.
fn mean_of(all: &[(f64, Stepped)], of: impl Fn(&Stepped) -> f64) -> f64 {
    mean(&all.iter().map(|(_, stepped)| of(stepped)).collect::<Vec<f64>>())
}

fn seconds(all: &[(f64, Stepped)]) -> Vec<f64> {
    all.iter().map(|(seconds, _)| *seconds).collect()
}

/// The part of all pairs of boxes that connectivity passed over, from 0 to 1.
fn culled(all: &[(f64, Stepped)]) -> f64 {
    let sum = |of: fn(&Stepped) -> usize| all.iter().map(|(_, stepped)| of(stepped)).sum::<usize>() as f64;
    let (culled, candidates) = (sum(|stepped| stepped.culled), sum(|stepped| stepped.candidates));
    culled / (culled + candidates).max(1.0)
}

fn rows((scene, size, asked): (&str, usize, f64), all: &[(f64, Stepped)]) -> [Row; 5] {
    let row = |what: &'static str, value: f64, unit: &'static str| Row {
        scene: scene.to_owned(),
        size,
        what,
        kind: "clusters".to_owned(),
        threads: THREADS,
        value,
        unit,
        repeats: all.len(),
        ..Row::default()
    };
    let (median, spread) = median_and_spread(seconds(all));
    [
        Row { paper: format!("asked: {asked}"), ..row("steps a second (mean)", 1.0 / mean(&seconds(all)), "1/s") },
        Row { spread: 1e3 * spread, ..row("a step", 1e3 * median, "ms") },
        row("detection in a step (mean)", 1e3 * mean_of(all, |stepped| stepped.detect_s), "ms"),
        row("the rest of a step (mean)", 1e3 * mean_of(all, |stepped| stepped.solve_s), "ms"),
        row("pairs passed over by connectivity", culled(all), "of 1"),
    ]
}

fn line((scene, size, asked): (&str, usize, f64), all: &[(f64, Stepped)]) -> Vec<String> {
    let slowest = seconds(all).into_iter().fold(0.0, f64::max);
    let pairs = mean_of(all, |stepped| (stepped.candidates + stepped.culled) as f64);
    vec![
        scene.to_owned(),
        thousands(size as u64),
        format!("{:.1}", 1.0 / mean(&seconds(all))),
        format!("{asked}"),
        format!("{:.1}", 1e3 * slowest),
        format!("{:.2}", 1e3 * mean_of(all, |stepped| stepped.detect_s)),
        format!("{:.2}", 1e3 * mean_of(all, |stepped| stepped.solve_s)),
        format!("{:.0}", mean_of(all, |stepped| stepped.contacts as f64)),
        thousands(pairs.round() as u64),
        format!("{:.1} %", 100.0 * culled(all)),
    ]
}
