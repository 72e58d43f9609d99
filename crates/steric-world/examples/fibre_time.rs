//! How long fibres take: a million base pairs, and the chromosome of JCVI-syn3A.
//!
//! `cargo run --release -p steric-world --example fibre_time [THREADS] [SEED]` writes a table: scene, base pairs, threads, seconds, seconds for the placements of all base pairs, iterations, the nearest that two
//! stretches come, the worst stretch, the persistence length, and the hash of all beads.
#![allow(clippy::print_stdout, reason = "it writes a table")]

use std::ops::ControlFlow;
use std::time::Instant;

use glam::DVec3;
use steric_world::fibre::{Fibre, FibreKind, FibreOptions, Room};
use steric_world::shape::Region;

fn main() {
    let mut words = std::env::args().skip(1);
    let mut number = |otherwise| words.next().and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (threads, seed) = (number(2), number(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().expect("threads");
    println!("scene,base_pairs,threads,seconds,placing_seconds,iterations,nearest,worst_stretch,persistence,hash");
    let scenes = [("million-bp", 1_000_000, false, 2_500.0), ("syn3A", 543_379, true, 2_000.0)];
    for (name, units, is_closed, radius) in scenes {
        let room = Room::inside(Region::Sphere { center: DVec3::ZERO, radius });
        let fibre = Fibre { kind: FibreKind::DNA, units, is_closed };
        let options = FibreOptions { seed, ..FibreOptions::default() };
        let verbose = std::env::var_os("FIBRE_WATCH").is_some();
        let mut last = Instant::now();
        let grown = pool.install(|| {
            fibre.grow(&room, &options, |progress| {
                if verbose {
                    eprintln!("{progress:?} {:.1} ms", 1e3 * last.elapsed().as_secs_f64());
                    last = Instant::now();
                }
                ControlFlow::Continue(())
            })
        });
        let grown = match grown {
            Ok(grown) => grown,
            Err(error) => {
                println!("{name},{units},{threads},{error}");
                continue;
            }
        };
        let started = Instant::now();
        let placements = pool.install(|| grown.placements(1));
        let placing = started.elapsed().as_secs_f64();
        assert_eq!(placements.len(), units);
        let report = grown.report();
        println!(
            "{name},{units},{threads},{:.3},{placing:.3},{},{:.4},{:.4},{:.0},{:016x}",
            report.seconds, report.iterations, report.nearest, report.worst_stretch, report.persistence, grown.state_hash()
        );
        eprintln!("{report:#?}");
    }
}
