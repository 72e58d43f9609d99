//! Time per atom from 10^5 to 10^7 atoms: it may grow with the memory's distance, but by less than twice.

use crate::row::{Row, read_csv, set_ratios, write_csv, write_result};
use crate::{Setup, output_of, plot};
use std::process::Command;

const SIZES: &str = "100000,200000,500000,1000000,2000000,5000000,10000000";

/// Measures steric alone, prints the growth and writes `growth.csv` and `growth.svg`.
pub(crate) fn growth(setup: &Setup) -> Result<(), String> {
    let repeats = setup.repeats.unwrap_or(5).to_string();
    let mut bench = Command::new(&setup.steric);
    bench.args(["bench", "neighbours", "--json", "--scenes", "rods,solution", "--sizes", SIZES]);
    bench.args(["--threads", "1,2", "--repeats", &repeats]);
    let mut rows = Row::from_steric(&output_of(&mut bench)?, None)?;
    set_ratios(&mut rows);
    write_csv("growth", &rows)?;
    draw(&rows)
}

/// Draws `growth.svg` from a `growth.csv` that is already there.
pub(crate) fn plot_again() -> Result<(), String> {
    draw(&read_csv("growth")?)
}

fn draw(rows: &[Row]) -> Result<(), String> {
    let series = series(rows);
    for (name, points) in &series {
        let times = || points.iter().map(|point| point.1);
        let growth = times().fold(0.0, f64::max) / times().fold(f64::INFINITY, f64::min);
        let verdict = if growth < 2.0 { "met" } else { "MISSED" };
        println!("{verdict}: {name}: slowest over fastest time per atom {growth:.2}, goal below 2");
    }
    write_result("growth.svg", &plot::svg("Time per atom", "atoms", "ns per atom", &series))
}

/// One line per scene, work and thread count: atoms against nanoseconds per atom.
fn series(rows: &[Row]) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for row in rows.iter().filter(|row| row.atoms > 0) {
        let plural = if row.threads == 1 { "thread" } else { "threads" };
        let name = format!("{}, {}, {} {plural}", row.scene, row.what, row.threads);
        let point = (row.atoms as f64, row.median_ms * 1e6 / row.atoms as f64);
        match series.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push(point),
            None => series.push((name, vec![point])),
        }
    }
    series
}
