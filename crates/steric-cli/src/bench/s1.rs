//! `steric bench S1`: Figure 6 of the founding report on moving particles (Johnson and Whalley 2002) again: time for a step against the number of particles, for every strategy.
//!
//! How it works: spheres fill a share of a periodic cube, which grows with their number, and move by a share of their radius. Each strategy runs the same steps from
//! the same start, so all of them must tell of the same contacts; where one does not, the bench fails. A strategy that would take too long at the next size is left out
//! from there on.

use std::fmt::Write as _;

use clap::Args;
use serde::Serialize;
use steric::world::diffuse::{Bounds, Diffusion, Edge, Setup, Species, Strategy, fill};

use super::{median_and_spread, milliseconds_of};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output;
use crate::plot::{Axis, Layer, Mark, Plot};
use crate::table::thousands;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric bench S1 --threads 1 -o figure6.svg                   writes figure6.csv as well\n  \
    steric bench S1 --particles 1000000 --fraction 0.2 --strategy fast")]
pub(super) struct Arguments {
    /// How many particles
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "100,300,1000,3000,10000,30000,100000")]
    particles: Vec<usize>,
    /// The share of the volume that they fill
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = options::positive)]
    fraction: f64,
    /// Root mean square displacement along each axis in a step, in radii
    #[arg(long, value_name = "RADII", default_value_t = 0.1, value_parser = options::positive)]
    step: f64,
    /// Which strategies [default: all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    strategy: Vec<Strategy>,
    /// Steps that are timed, after three that are not; fewer where they are long
    #[arg(long, value_name = "N", default_value_t = 20)]
    steps: usize,
    /// Seconds after which a strategy is left out at larger sizes
    #[arg(long, value_name = "S", default_value_t = 20.0, value_parser = options::positive)]
    patience: f64,
}

/// A measurement.
#[derive(Debug, Serialize)]
struct Row {
    strategy: String,
    particles: usize,
    fraction: f64,
    rms_step_in_radii: f64,
    threads: usize,
    steps: usize,
    ms_per_step: f64,
    spread_ms: f64,
    us_per_particle: f64,
    collisions_per_step: f64,
    overlap_at_end: bool,
}

/// Steps before the clock starts.
const WARM: usize = 3;
const RADIUS: f64 = 10.0;

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let strategies = if wanted.strategy.is_empty() { Strategy::ALL.to_vec() } else { wanted.strategy.clone() };
    let counts: Vec<usize> = match shared.threads[..] {
        [] => vec![rayon::current_num_threads()],
        ref several => several.iter().map(|threads| usize::from(threads.get())).collect(),
    };
    let mut rows = Vec::new();
    let mut sizes = wanted.particles.clone();
    sizes.sort_unstable();
    for threads in counts {
        let pool = options::thread_pool(threads)?;
        let mut slow: Vec<Strategy> = Vec::new();
        for &particles in &sizes {
            let setup = crowd(wanted, particles, shared.seed())?;
            let mut told: Option<(usize, u64)> = None;
            for &strategy in strategies.iter().filter(|strategy| !slow.contains(strategy)).collect::<Vec<_>>() {
                output::note(
                    shared,
                    &format!("{strategy}, {} particles, {threads} threads", thousands(particles as u64)),
                );
                let (row, hash) = pool.install(|| measure(wanted, &setup, strategy, threads))?;
                match told {
                    // Those that were timed over fewer steps cannot be compared.
                    Some((steps, known)) if steps == row.steps && known != hash => {
                        let text =
                            format!("{strategy} tells of other contacts than the others at {particles} particles");
                        return Err(Failure::usage(text));
                    }
                    _ => told = Some((row.steps, hash)),
                }
                if row.ms_per_step * 10.0 * row.steps as f64 > wanted.patience * 1e3 {
                    slow.push(strategy);
                }
                rows.push(row);
            }
        }
    }
    write(wanted, shared, &rows)
}

/// Spheres that fill a share of a cube.
fn crowd(wanted: &Arguments, particles: usize, seed: u64) -> Result<Setup, Failure> {
    let volume = particles as f64 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3) / wanted.fraction;
    let diffusion = 0.5 * (wanted.step * RADIUS).powi(2);
    let mut setup =
        Setup::new(Bounds::cube(volume.cbrt(), Edge::Periodic), vec![Species::sphere("sphere", RADIUS, diffusion)]);
    setup.options.seed = seed;
    setup.particles = fill(&setup, &[particles]).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(setup)
}

fn measure(wanted: &Arguments, setup: &Setup, strategy: Strategy, threads: usize) -> Result<(Row, u64), Failure> {
    let mut setup = setup.clone();
    setup.options.strategy = strategy;
    let particles = setup.particles.len();
    let mut diffusion = Diffusion::new(setup).map_err(|error| Failure::usage(error.to_string()))?;
    let mut step = || {
        milliseconds_of(|| {
            diffusion.step();
        })
    };
    let first = (0..WARM).map(|_| step()).fold(0.0, f64::max);
    let steps = ((wanted.patience * 1e3 / 4.0 / first.max(1e-3)) as usize).clamp(1, wanted.steps.max(1));
    let (ms_per_step, spread_ms) = median_and_spread((0..steps).map(|_| step()).collect());
    let row = Row {
        strategy: strategy.to_string(),
        particles,
        fraction: wanted.fraction,
        rms_step_in_radii: wanted.step,
        threads,
        steps,
        ms_per_step,
        spread_ms,
        us_per_particle: 1e3 * ms_per_step / particles as f64,
        collisions_per_step: diffusion.statistics().collisions as f64 / diffusion.statistics().steps as f64,
        overlap_at_end: diffusion.deepest_overlap().is_some(),
    };
    Ok((row, diffusion.state_hash()))
}

fn write(wanted: &Arguments, shared: &Shared, rows: &[Row]) -> Result<(), Failure> {
    let mut csv = "strategy,particles,fraction,rms_step_in_radii,threads,steps,ms_per_step,spread_ms,us_per_particle,\
                   collisions_per_step,overlap_at_end\n"
        .to_owned();
    let mut text = format!(
        "spheres at {:.0} % of a periodic cube, steps of {} radii (root mean square, each axis)\n{:<9} {:>10} {:>8} {:>12} {:>14} {:>12} {:>8}\n",
        100.0 * wanted.fraction,
        wanted.step,
        "strategy",
        "particles",
        "threads",
        "ms a step",
        "µs a particle",
        "collisions",
        "overlap"
    );
    for row in rows {
        let Row { strategy, particles, fraction, rms_step_in_radii, threads, steps, .. } = row;
        let Row { ms_per_step, spread_ms, us_per_particle, collisions_per_step, overlap_at_end, .. } = row;
        writeln!(
            csv,
            "{strategy},{particles},{fraction},{rms_step_in_radii},{threads},{steps},{ms_per_step:.4},{spread_ms:.4},\
             {us_per_particle:.4},{collisions_per_step:.1},{overlap_at_end}"
        )
        .ok();
        let overlap = if *overlap_at_end { "YES" } else { "none" };
        writeln!(
            text,
            "{strategy:<9} {particles:>10} {threads:>8} {ms_per_step:>12.3} {us_per_particle:>14.4} \
             {collisions_per_step:>12.1} {overlap:>8}"
        )
        .ok();
    }
    if let Some(path) = &shared.output {
        let is_svg = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg"));
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if !is_svg && !is_csv {
            return Err(Failure::usage(format!("{}: expected .svg or .csv", path.display())));
        }
        let table = path.with_extension("csv");
        std::fs::write(&table, csv).map_err(|error| Failure::io(&table, &error))?;
        if is_svg {
            std::fs::write(path, figure(wanted, rows)).map_err(|error| Failure::io(path, &error))?;
        }
    }
    output::print(&if shared.json { serde_json::to_string_pretty(rows)? + "\n" } else { text })
}

/// Figure 6.
fn figure(wanted: &Arguments, rows: &[Row]) -> String {
    let mut layers: Vec<Layer> = Vec::new();
    for row in rows {
        let name = format!("{}, {} thread{}", row.strategy, row.threads, if row.threads == 1 { "" } else { "s" });
        let point = (row.particles as f64, row.ms_per_step);
        match layers.iter_mut().find(|layer| layer.name == name) {
            Some(layer) => layer.points.push(point),
            None => layers.push(Layer { name, mark: Mark::Dotted, points: vec![point] }),
        }
    }
    let title =
        format!("A step of spheres at {:.0} % of the volume, {} radii long", 100.0 * wanted.fraction, wanted.step);
    let (x, y) = (Axis::log("particles"), Axis::log("milliseconds a step"));
    Plot { title, x, y, layers, square: false }.svg()
}
