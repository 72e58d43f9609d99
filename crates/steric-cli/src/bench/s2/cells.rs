//! Table 2: at most 27, 8 or 1 cells for a primitive, how far points end from where they should be, and what it saves.
//!
//! How it works: each scene runs to its end with depths answered, once with every cell that a primitive reaches into, and once for each limit. Cells are as wide as the mean edge. Distances are between the ends of
//! the exact run and of the others, over the points that nothing holds.

use glam::DVec3;
use steric::collide::{BoxIndexOptions, CellSize, MostCells};
use steric::deform::SoftRun;
use steric::world::deform::{ContactOptions, Response};

use super::frames::{start, with_contact};
use super::paper::{MOST_CELLS, TABLE_2, TABLE_2_WORDS};
use super::{Arguments, Row, Told};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;
use crate::table::columns;

/// A run to its end.
struct Run {
    places: Vec<DVec3>,
    /// Mean milliseconds of a look for collisions.
    detect_ms: f64,
    /// The deepest point of the last step, in metres.
    deepest: f64,
}

/// Distances in centimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Apart {
    most: f64,
    mean: f64,
    deviation: f64,
}

pub(super) fn measure(wanted: &Arguments, shared: &Shared) -> Result<Told, Failure> {
    let mut told =
        Told { text: "Table 2: at most so many cells for a primitive, Depth response\n".to_owned(), ..Told::default() };
    let (mut lines, threads) = (Vec::new(), rayon::current_num_threads());
    for (scene, name, published) in TABLE_2 {
        let (at_start, own_steps) = start(scene, shared)?;
        let steps = wanted.steps.unwrap_or(own_steps);
        let size = at_start.world.body.tetrahedra().len();
        let exact = to_end(scene, &at_start, None, steps, shared);
        lines.push(line(&format!("{scene} ({name})"), "all", &exact, None, [""; 3]));
        let mut first_ms = None;
        for (most, published) in MOST_CELLS.into_iter().zip(published) {
            let run = to_end(scene, &at_start, Some(most), steps, shared);
            let apart = apart(&at_start, &exact.places, &run.places);
            let faster = *first_ms.get_or_insert(run.detect_ms) / run.detect_ms;
            lines.push(line("", &most.count().to_string(), &run, Some((apart, faster)), published));
            told.rows.extend(rows(scene, (size, threads), most, &run, (apart, published)));
        }
    }
    let header =
        ["scene", "cells", "largest cm", "mean cm", "deviation cm", "study", "detect ms", "27 to this", "deepest cm"];
    let table = columns(&header, &[false, true, true, true, true, true, true, true, true], &lines);
    told.text += &format!("{table}  {TABLE_2_WORDS}\n");
    Ok(told)
}

fn to_end(scene: &str, at_start: &SoftRun, most_cells: Option<MostCells>, steps: u64, shared: &Shared) -> Run {
    let index = BoxIndexOptions { cell: CellSize::MeanEdge(1.0), most_cells, ..BoxIndexOptions::default() };
    let contact = ContactOptions { response: Response::Depth, index, ..at_start.world.contact };
    let mut run = with_contact(at_start.clone(), contact);
    let name = most_cells.map_or_else(|| "all cells".to_owned(), |most| format!("at most {}", most.count()));
    let bar = output::bar(shared, steps, &format!("{scene}, {name}"));
    let (mut seconds, mut deepest) = (0.0, 0.0);
    for _ in 0..steps {
        let stepped = run.step();
        (seconds, deepest) = (seconds + stepped.detect_s, stepped.deepest);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Run { places: run.world.body.positions, detect_ms: 1e3 * seconds / steps as f64, deepest }
}

fn apart(at_start: &SoftRun, exact: &[DVec3], other: &[DVec3]) -> Apart {
    let is_free = |point: &usize| !at_start.world.body.is_held(*point);
    let free = (0..exact.len()).filter(is_free);
    of_distances(&free.map(|point| 100.0 * exact[point].distance(other[point])).collect::<Vec<f64>>())
}

fn of_distances(distances: &[f64]) -> Apart {
    let mean = super::mean(distances);
    let squares: Vec<f64> = distances.iter().map(|distance| (distance - mean).powi(2)).collect();
    Apart { most: distances.iter().copied().fold(0.0, f64::max), mean, deviation: super::mean(&squares).sqrt() }
}

fn rows(
    scene: &str,
    (size, threads): (usize, usize),
    most: MostCells,
    run: &Run,
    (apart, published): (Apart, [&str; 3]),
) -> [Row; 4] {
    let row = |what: &'static str, value: f64, unit: &'static str, paper: &str| Row {
        scene: scene.to_owned(),
        size,
        what,
        kind: format!("index sort with at most {} cells", most.count()),
        threads,
        value,
        unit,
        repeats: 1,
        paper: paper.to_owned(),
        ..Row::default()
    };
    [
        row("largest deviation", apart.most, "cm", published[0]),
        row("mean deviation", apart.mean, "cm", published[1]),
        row("standard deviation", apart.deviation, "cm", published[2]),
        row("detection in a step (mean)", run.detect_ms, "ms", ""),
    ]
}

fn line(scene: &str, cells: &str, run: &Run, apart: Option<(Apart, f64)>, published: [&str; 3]) -> Vec<String> {
    let number = |of: fn(&Apart) -> f64| apart.map_or_else(String::new, |(apart, _)| format!("{:.2e}", of(&apart)));
    vec![
        scene.to_owned(),
        cells.to_owned(),
        number(|apart| apart.most),
        number(|apart| apart.mean),
        number(|apart| apart.deviation),
        if apart.is_some() { published.join(" / ") } else { String::new() },
        format!("{:.3}", run.detect_ms),
        apart.map_or_else(String::new, |(_, faster)| format!("{faster:.2} x")),
        format!("{:.2e}", 100.0 * run.deepest),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_a_mean_and_a_deviation() {
        assert_eq!(of_distances(&[1.0, 3.0]), Apart { most: 3.0, mean: 2.0, deviation: 1.0 });
        assert_eq!(of_distances(&[]), Apart { most: 0.0, mean: 0.0, deviation: 0.0 });
    }
}
