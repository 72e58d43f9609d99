//! `steric bench neighbours`: index, search and forces.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use steric::collide::{Forces, NearList, OverlapSearch};
use steric::model::Scene;

use super::timed;
use crate::build::Named;
use crate::failure::Failure;
use crate::options::{Shared, thread_pool};
use crate::{npz, output, table};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// A scene from `steric build -o FILE.npz`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenes", "sizes"])]
    scene: Option<PathBuf>,
    /// Scenes to build
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "rods,solution,mixed")]
    scenes: Vec<Named>,
    /// How many atoms each; the scene mixed is made for 200,000
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "100000,1000000")]
    sizes: Vec<usize>,
    /// What is measured
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "count,force")]
    what: Vec<Work>,
    /// How often each is measured
    #[arg(long, value_name = "R", default_value_t = 5)]
    repeats: usize,
}

/// What the search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Work {
    /// Index and count
    Count,
    /// Index, detection and the push on every atom
    Force,
    /// The push on every atom from a near list that is still good, with a skin of 1 Å
    Near,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Force => "force",
            Self::Near => "near",
        }
    }
}

#[derive(Debug, Serialize)]
struct NeighboursRow {
    scene: String,
    atoms: u64,
    threads: usize,
    what: &'static str,
    ns_per_atom: f64,
    milliseconds: f64,
    spread_ms: f64,
    pairs: u64,
    peak_mb: Option<f64>,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let rows = neighbours(wanted, shared)?;
    output::report(shared, &rows, |_| neighbours_text(&rows))
}

fn neighbours(wanted: &Arguments, shared: &Shared) -> Result<Vec<NeighboursRow>, Failure> {
    let threads: Vec<usize> = match &shared.threads[..] {
        [] => vec![rayon::current_num_threads()],
        asked => asked.iter().map(|threads| usize::from(threads.get())).collect(),
    };
    let mut rows = Vec::new();
    let mut measure = |name: &str, scene: &Scene| -> Result<(), Failure> {
        for &threads in &threads {
            let bar = output::spinner(shared, format!("{name}, {threads} threads"));
            rows.extend(thread_pool(threads)?.install(|| measure(name, scene, threads, wanted)));
            bar.finish_and_clear();
        }
        Ok(())
    };
    if let Some(path) = &wanted.scene {
        measure(&path.display().to_string(), &npz::read(path)?)?;
        return Ok(rows);
    }
    for &named in &wanted.scenes {
        for &size in &wanted.sizes {
            measure(named.name(), &named.scene(size, shared.seed())?)?;
        }
    }
    Ok(rows)
}

fn measure(name: &str, scene: &Scene, threads: usize, wanted: &Arguments) -> Vec<NeighboursRow> {
    let search = OverlapSearch::default();
    let mut pairs = None;
    let mut rows = Vec::new();
    for &work in &wanted.what {
        reset_peak();
        let (milliseconds, spread_ms) = match work {
            Work::Count => timed(wanted.repeats, || pairs = Some(search.count(scene))),
            Work::Force => {
                let mut forces = Forces::default();
                timed(wanted.repeats, || search.forces_into(scene, &mut forces))
            }
            Work::Near => {
                let (mut near, mut forces) = (NearList::new(search, 1.0), Forces::default());
                timed(wanted.repeats, || near.forces_into(scene, &mut forces))
            }
        };
        let peak_mb = peak_mb();
        rows.push(NeighboursRow {
            scene: name.to_owned(),
            atoms: scene.atoms(),
            threads,
            what: work.name(),
            ns_per_atom: milliseconds * 1e6 / scene.atoms().max(1) as f64,
            milliseconds,
            spread_ms,
            pairs: *pairs.get_or_insert_with(|| search.count(scene)),
            peak_mb,
        });
    }
    rows
}

/// The largest resident memory since the last reset, scene included, in megabytes of 10^6 bytes; Linux only.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0 / 1e6)
}

fn reset_peak() {
    // Where the system does not allow it, the peak is that of the whole run.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn neighbours_text(rows: &[NeighboursRow]) -> String {
    let cells = |row: &NeighboursRow| {
        vec![
            row.scene.clone(),
            table::thousands(row.atoms),
            row.threads.to_string(),
            row.what.to_owned(),
            format!("{:.2}", row.ns_per_atom),
            format!("{:.2}", row.milliseconds),
            format!("{:.2}", row.spread_ms),
            table::thousands(row.pairs),
            row.peak_mb.map_or_else(|| "?".to_owned(), |peak| format!("{peak:.0}")),
        ]
    };
    let header = ["scene", "atoms", "threads", "what", "ns/atom", "ms", "spread", "pairs", "peak/MB"];
    let right = [false, true, true, false, true, true, true, true, true];
    table::columns(&header, &right, &rows.iter().map(cells).collect::<Vec<_>>())
}
