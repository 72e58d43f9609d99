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

/// Index and count of rods stored as instances, up to a billion atoms: time grows with the atoms, memory with the
/// molecules. Each size runs in its own process, so that each has its own peak.
pub(crate) fn billion(setup: &Setup) -> Result<(), String> {
    let mut rows = Vec::new();
    for size in ["1000000", "10000000", "100000000", "1000000000"] {
        let mut bench = Command::new(&setup.steric);
        bench.args(["bench", "neighbours", "--json", "--scenes", "instances", "--sizes", size]);
        bench.args(["--threads", "2", "--what", "count", "--repeats", "1"]);
        let row = Row::from_steric(&output_of(&mut bench)?, None)?;
        for Row { atoms, median_ms, pairs, peak_mb, .. } in &row {
            let each = median_ms * 1e6 / *atoms as f64;
            println!("{atoms} atoms: {median_ms:.0} ms, {each:.1} ns per atom, {pairs} pairs, {peak_mb:.0} MB");
        }
        rows.extend(row);
    }
    write_csv("billion", &rows)
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
