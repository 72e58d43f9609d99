//! How long fibres take: a plasmid, the chromosome of JCVI-syn3A, and a million base pairs.
//!
//! `cargo run --release -p steric-world --example fibre_time [THREADS] [RUNS]` writes a table. Every scene is grown so many times; the hash is that of all beads, and the same for any number of threads.
#![allow(clippy::print_stdout, reason = "it writes a table")]

use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use steric_world::fibre::scenes::{FibreScene, all};
use steric_world::fibre::{FibreOptions, GrownFibre};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let mut number = |otherwise: usize| words.next().map_or(Ok(otherwise), |word| word.parse());
    let (threads, runs) = (number(2)?, number(3)?.max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!(
        "scene,base_pairs,backend,threads,median_seconds,spread_seconds,placing_seconds,iterations,nearest_angstroms,worst_stretch,filled,hash"
    );
    for scene in all() {
        let grown = (0..runs).map(|_| pool.install(|| grow(&scene))).collect::<Result<Vec<GrownFibre>, _>>()?;
        let mut seconds: Vec<f64> = grown.iter().map(|grown| grown.report().seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let started = Instant::now();
        let placements = pool.install(|| grown[0].placements(1)).len();
        let placing = started.elapsed().as_secs_f64();
        let report = grown[0].report();
        println!(
            "{},{placements},cpu,{threads},{:.3},{:.3},{placing:.3},{},{:.3},{:.4},{:.4},{:016x}",
            scene.name,
            seconds[runs / 2],
            seconds[runs - 1] - seconds[0],
            report.iterations,
            report.nearest,
            report.worst_stretch,
            report.filled,
            grown[0].state_hash()
        );
    }
    Ok(())
}

fn grow(scene: &FibreScene) -> Result<GrownFibre, steric_world::fibre::FibreError> {
    scene.fibre.grow(&scene.room, &FibreOptions::default(), |_| ControlFlow::Continue(()))
}
