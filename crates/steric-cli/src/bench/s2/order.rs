//! Cells in rows or along the Z-curve: how long a query takes in the same states.
//!
//! How it works: triangles are asked by edges, and tetrahedra by points, as in the collision handling. Both orders take turns in each state, on one thread, and building the index is timed apart.

use glam::DVec3;
use steric::collide::{Bounds, BoxIndex, BoxIndexKind, BoxIndexOptions, CellOrder};

use super::frames::Kept;
use super::{Row, Told, mean, median_and_spread, milliseconds_of, paper};
use crate::failure::Failure;
use crate::options;
use crate::table::columns;

const ORDERS: [(CellOrder, &str); 2] = [(CellOrder::Rows, "rows"), (CellOrder::ZCurve, "z-curve")];

/// Milliseconds of each state, to build and to query, in both orders.
type Times = [[Vec<f64>; 2]; 2];

pub(super) fn measure(kept: &Kept, repeats: usize) -> Result<Told, Failure> {
    let edges: Vec<&[u32]> = kept.body.surface_edges().iter().map(<[u32; 2]>::as_slice).collect();
    let triangles: Vec<&[u32]> = kept.body.surface().iter().map(<[u32; 3]>::as_slice).collect();
    let tetrahedra: Vec<&[u32]> = kept.body.tetrahedra().iter().map(<[u32; 4]>::as_slice).collect();
    let numbers: Vec<u32> = (0..kept.body.positions.len() as u32).collect();
    let points: Vec<&[u32]> = numbers.chunks(1).collect();
    let pool = options::thread_pool(1)?;
    let (mut told, mut lines) = (Told::default(), Vec::new());
    for (what, of, by) in [("edges in triangles", &triangles, &edges), ("points in tetrahedra", &tetrahedra, &points)] {
        let times = pool.install(|| in_turns(kept, of, by, repeats.max(1)))?;
        told.rows.extend(rows(kept, what, &times, repeats));
        lines.push(line(what, &times));
    }
    let header = ["query", "rows ms", "z-curve ms", "faster", "build: rows ms", "z-curve ms", "study"];
    let table = columns(&header, &[false, true, true, true, true, true, false], &lines);
    told.text = format!("Z-curve: {}, {} frames, one thread, mean of a frame\n{table}", kept.scene, kept.frames.len());
    Ok(told)
}

fn in_turns(kept: &Kept, of: &[&[u32]], by: &[&[u32]], repeats: usize) -> Result<Times, Failure> {
    let mut indexes = ORDERS.map(|(order, _)| {
        BoxIndex::new(BoxIndexOptions { kind: BoxIndexKind::Compact, order, ..BoxIndexOptions::default() })
    });
    let mut times = Times::default();
    let mut found = [Vec::new(), Vec::new()];
    for frame in &kept.frames {
        let (boxes, queries) = (around_all(of, &frame.now), around_all(by, &frame.now));
        if let Some(before) = &frame.before {
            let before = around_all(of, before);
            indexes.iter_mut().for_each(|index| index.build(&before));
        }
        for (at, index) in indexes.iter_mut().enumerate() {
            times[at][0].push(milliseconds_of(|| index.build(&boxes)));
        }
        let mut rounds = [Vec::new(), Vec::new()];
        // The first round warms the caches.
        for round in 0..=repeats {
            for (at, index) in indexes.iter().enumerate() {
                let time = milliseconds_of(|| index.pairs_into(&queries, &mut found[at]));
                if round > 0 {
                    rounds[at].push(time);
                }
            }
        }
        if found[0] != found[1] {
            return Err(Failure::usage(format!("{}: the Z-curve finds other pairs", kept.scene)));
        }
        for (at, rounds) in rounds.into_iter().enumerate() {
            times[at][1].push(median_and_spread(rounds).0);
        }
    }
    Ok(times)
}

fn around_all(all: &[&[u32]], places: &[DVec3]) -> Vec<Bounds> {
    let around = |points: &&[u32]| Bounds::around(points.iter().map(|&at| places[at as usize].as_vec3().to_array()));
    all.iter().map(around).collect()
}

fn rows(kept: &Kept, what: &'static str, times: &Times, repeats: usize) -> Vec<Row> {
    let of_order = |(times, (_, kind)): (&[Vec<f64>; 2], (CellOrder, &str))| Row {
        scene: kept.scene.to_owned(),
        size: kept.tetrahedra(),
        what,
        kind: format!("index sort by {kind}"),
        threads: 1,
        value: mean(&times[1]),
        spread: median_and_spread(times[1].clone()).1,
        unit: "ms",
        repeats,
        state_hash: None,
        paper: paper::Z_CURVE.to_owned(),
    };
    times.iter().zip(ORDERS).map(of_order).collect()
}

fn line(what: &str, [rows, curve]: &Times) -> Vec<String> {
    let faster = 100.0 * (1.0 - mean(&curve[1]) / mean(&rows[1]));
    let [rows_build, rows_query] = rows.each_ref().map(|times| format!("{:.3}", mean(times)));
    let [curve_build, curve_query] = curve.each_ref().map(|times| format!("{:.3}", mean(times)));
    let then = paper::Z_CURVE.to_owned();
    vec![what.to_owned(), rows_query, curve_query, format!("{faster:.1} %"), rows_build, curve_build, then]
}
