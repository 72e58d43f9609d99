//! Tables 5.1 and 5.2 as CSV for programs and as columns for people.

use std::fmt::Write;

use steric::world::relax::Stop;

use super::measure::{BruteForce, Timing, WholeRun};
use super::thesis::{Published, STAGES, Stage, TABLE_5_2_ATOMS};
use super::{Line, S0, Stages};
use crate::table::{columns, thousands};

const HEADER_5_1: &str = "scene,atoms,method,response,backend,threads,machine,commit,median_ms,fastest_ms,spread_ms,repeats,pairs,\
    state_hash,thesis_ms,note";
const HEADER_5_2: &str = "scene,atoms,stage,what,response,backend,threads,machine,commit,median_ms,fastest_ms,spread_ms,repeats,\
    thesis_stages,thesis_ms";

/// One row for each method and size.
pub(super) fn table_5_1_csv(s0: &S0) -> String {
    let mut csv = format!("{HEADER_5_1}\n");
    for line in &s0.table_5_1 {
        let published = Published::at(line.atoms);
        let hash = format!("{:016x}", line.grid.state_hash);
        let grid_ms = published.map(|line| line.grid_ms);
        let note = format!("second iteration; {} pairs left; search included; nobody sleeps", line.grid.timed_pairs);
        let response = s0.response.to_string();
        push_row(&mut csv, s0, line, ["grid", &response, &measured(&line.grid.whole), &hash, &number(grid_ms), &note]);
        let brute_force_ms = number(published.map(|line| line.brute_force_ms));
        let (timing, note) = brute_force_cells(&line.brute_force);
        push_row(&mut csv, s0, line, ["brute force", "none", &timing, "", &brute_force_ms, &note]);
        let run = &line.whole_run;
        let note = format!("{} in {} iterations with {} searches", run.stop, run.iterations, run.searches);
        let timing = format!("{:.3},,,1", run.mean_step_ms);
        let hash = format!("{:016x}", run.state_hash);
        push_row(&mut csv, s0, line, ["mean step of a relaxation", "newton", &timing, &hash, "", &note]);
    }
    csv
}

fn push_row(csv: &mut String, s0: &S0, line: &Line, cells: [&str; 6]) {
    let [method, response, timing, hash, thesis, note] = cells;
    let (backend, S0 { threads, machine, commit, .. }) = (line.backend, s0);
    // Writing to a string does not fail.
    let _ = writeln!(
        csv,
        "rods,{},{method},{response},{backend},{threads},{machine},{commit},{timing},{},{hash},{thesis},{note}",
        line.atoms, line.grid.pairs
    );
}

fn brute_force_cells(brute_force: &BruteForce) -> (String, String) {
    match brute_force {
        BruteForce::Measured(timing) => (measured(timing), "the same pairs as the grid".to_owned()),
        BruteForce::TooLong { predicted_ms } => {
            (",,,0".to_owned(), format!("left out: would take about {:.0} s", predicted_ms / 1e3))
        }
    }
}

fn measured(timing: &Timing) -> String {
    let spread = timing.spread_ms.map_or_else(String::new, |spread| format!("{spread:.3}"));
    format!("{:.3},{:.3},{spread},{}", timing.median_ms, timing.fastest_ms, timing.repeats)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// One row for each stage.
pub(super) fn table_5_2_csv(s0: &S0) -> String {
    let mut csv = format!("{HEADER_5_2}\n");
    let S0 { threads, machine, commit, response, .. } = s0;
    for Stages { backend, atoms, steps } in &s0.table_5_2 {
        let timings = steps.stages.iter().chain([&steps.whole]);
        for (stage, timing) in STAGES.iter().zip(timings) {
            let Stage { name, what, of_thesis, .. } = stage;
            let (backend, timing, thesis) = (backend, measured(timing), number(thesis_ms(stage, *atoms)));
            let _ = writeln!(
                csv,
                "rods,{atoms},{name},{what},{response},{backend},{threads},{machine},{commit},{timing},{of_thesis},{thesis}"
            );
        }
    }
    csv
}

/// The thesis measured at one size only.
fn thesis_ms(stage: &Stage, atoms: u64) -> Option<f64> {
    (atoms == TABLE_5_2_ATOMS).then_some(stage.thesis_ms)
}

/// Both tables, to be read.
pub(super) fn text(s0: &S0) -> String {
    let S0 { threads, machine, commit, response, .. } = s0;
    let mut text = format!(
        "Table 5.1: milliseconds for one iteration on the scene rods, response {response}, {threads} threads\n{}\n",
        table_5_1_text(&s0.table_5_1)
    );
    if s0.table_5_1.iter().any(|line| matches!(line.brute_force, BruteForce::TooLong { .. })) {
        text += "  ~ brute force was left out: it would take about so long.\n";
    }
    if s0.table_5_1.iter().any(|line| line.whole_run.stop != Stop::Rest) {
        text += "  ! did not come to rest: on a small sphere the inner leaflet has no room for its rods.\n";
    }
    text += "  Times are medians; spread is slowest minus fastest, and grows when others use the machine at the same time.\n  \
        Where brute force was run it found the pairs of the grid. Mean step: of a whole relaxation, response newton, with\n  \
        lists that are used again and molecules that sleep.\n\n";
    for stages in &s0.table_5_2 {
        let (atoms, backend) = (thousands(stages.atoms), stages.backend);
        let rows = table_5_2_text(stages);
        text +=
            &format!("Table 5.2: milliseconds of each stage, {atoms} atoms, {backend}, response {response}\n{rows}\n");
    }
    let gpu = s0.gpu.as_ref().map_or_else(String::new, |gpu| format!("; gpu: {gpu}"));
    text + &format!("  {machine}, {commit}{gpu}; thesis: GeForce GTX 970\n")
}

fn table_5_1_text(lines: &[Line]) -> String {
    let cells = |line: &Line| {
        let published = Published::at(line.atoms);
        let thesis = |time: fn(&Published) -> f64| published.map_or_else(String::new, |line| short(time(line)));
        let (brute_force, spread) = match &line.brute_force {
            BruteForce::Measured(timing) => (short(timing.median_ms), spread(timing)),
            BruteForce::TooLong { predicted_ms } => (format!("~{}", short(*predicted_ms)), String::new()),
        };
        vec![
            line.backend.to_owned(),
            thousands(line.atoms),
            thousands(line.grid.pairs),
            short(line.grid.whole.median_ms),
            short(line.grid.whole.fastest_ms),
            self::spread(&line.grid.whole),
            brute_force,
            spread,
            short(line.whole_run.mean_step_ms),
            steps(&line.whole_run),
            thesis(|line| line.grid_ms),
            thesis(|line| line.brute_force_ms),
        ]
    };
    let header = [
        "backend",
        "atoms",
        "pairs",
        "grid",
        "fastest",
        "spread",
        "brute force",
        "spread",
        "mean step",
        "steps",
        "thesis",
        "thesis, all pairs",
    ];
    let mut right = [true; 12];
    right[0] = false;
    columns(&header, &right, &lines.iter().map(cells).collect::<Vec<_>>())
}

fn table_5_2_text(stages: &Stages) -> String {
    let timings = stages.steps.stages.iter().chain([&stages.steps.whole]);
    let rows = STAGES.iter().zip(timings).map(|(stage, timing)| {
        let thesis = thesis_ms(stage, stages.atoms).map_or_else(String::new, short);
        vec![
            stage.name.to_owned(),
            short(timing.median_ms),
            short(timing.fastest_ms),
            spread(timing),
            thesis,
            stage.of_thesis.to_owned(),
            stage.what.to_owned(),
        ]
    });
    let header = ["stage", "ms", "fastest", "spread", "thesis", "its stages", "what we do"];
    columns(&header, &[false, true, true, true, true, false, false], &rows.collect::<Vec<_>>())
}

/// How many iterations there were; `!` if they did not end at rest.
fn steps(run: &WholeRun) -> String {
    format!("{}{}", if run.stop == Stop::Rest { "" } else { "!" }, run.iterations)
}

fn short(milliseconds: f64) -> String {
    if milliseconds < 99.95 { format!("{milliseconds:.1}") } else { thousands(milliseconds.round() as u64) }
}

fn spread(timing: &Timing) -> String {
    timing.spread_ms.map_or_else(String::new, short)
}
