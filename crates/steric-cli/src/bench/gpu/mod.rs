//! `steric bench gpu`: iterations, whole relaxations and searches on a GPU.
//!
//! How it works: every size becomes a row, or a sentence that says why it did not; a vesicle and a search of one large scene
//! are measured on request. Beside them stands how fast the GPU copies, which no kernel can beat.

mod measure;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Serialize;
use steric::collide::IndexKind;
use steric::gpu::{Choice, Gpu};
use steric::relax::Relaxation;
use steric::world::relax::ResponseKind;
use steric::world::report::Stage;

use crate::bench::s0;
use crate::failure::Failure;
use crate::options::{Shared, count};
use crate::output;
use crate::relax::SceneOptions;
use crate::table::{columns, facts, thousands};
use measure::{Detection, Row, Step};

#[derive(Debug, Args)]
#[command(after_help = "The environment variables STERIC_MACHINE and STERIC_COMMIT name the machine and the build.")]
pub(super) struct Arguments {
    /// How many atoms; 0 for none
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = count)]
    #[arg(default_value = "1000000,4000000,32000000,100000000")]
    sizes: Vec<usize>,
    /// How often an iteration is measured
    #[arg(long, value_name = "R", default_value_t = 30)]
    repeats: usize,
    /// How overlaps are answered where stages are measured: newton, projection or thesis
    #[arg(long, value_name = "NAME", value_parser = s0::response, default_value = "thesis")]
    response: ResponseKind,
    /// Also time the stages of every iteration of a whole relaxation
    #[arg(long)]
    iterations: bool,
    /// Also relax a vesicle of so many lipids
    #[arg(long, value_name = "LIPIDS")]
    vesicle: Option<u64>,
    /// Also search a scene of so many atoms
    #[arg(long, value_name = "ATOMS")]
    detect: Option<usize>,
    /// The cells of that search: auto, dense or wrapped
    #[arg(long, value_name = "KIND", default_value = "auto", requires = "detect")]
    cells: IndexKind,
    /// Write the times of the stages as rows to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Everything that was measured.
#[derive(Debug, Serialize)]
struct Measured {
    adapter: String,
    api: String,
    driver: String,
    machine: String,
    commit: String,
    /// What is read and what is written both counted.
    copy_gb_per_s: f64,
    sizes: Vec<Size>,
    vesicle: Option<Vesicle>,
    detection: Option<Detection>,
    /// What could not be measured, and why.
    failures: Vec<String>,
}

/// A size, and what came of it.
#[derive(Debug, Serialize)]
struct Size {
    atoms: usize,
    row: Option<Row>,
    /// The iterations of a whole relaxation, where they were asked for.
    iterations: Vec<Step>,
    failure: Option<String>,
}

/// A vesicle from its scene file to no overlaps.
#[derive(Debug, Serialize)]
struct Vesicle {
    lipids: u64,
    atoms: u64,
    /// Placing, discs and the first look.
    place_s: f64,
    load_s: f64,
    iterate_s: f64,
    /// Fetching poses, and all else between iterations.
    fetch_s: f64,
    iterations: u64,
    searches: u64,
    stop: String,
    overlaps_before: u64,
    /// As counted on the processor.
    overlaps_left: u64,
    /// What placing is made of, and all else that the processor does.
    stages: Vec<Stage>,
    state_hash: String,
    remarks: Vec<String>,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    output::check_outputs(&[], [shared.output.as_deref(), wanted.csv.as_deref()])?;
    let chosen = shared.chosen(u64::MAX)?;
    let Some(gpu) = chosen.gpu() else {
        // Says which adapters there are.
        Choice::Auto.among(&steric::gpu::adapters())?;
        return Err(Failure::usage("bench gpu: expected a GPU, found none; see steric info --gpus"));
    };
    let measured = measured(gpu, wanted, shared)?;
    if let Some(path) = &wanted.csv {
        write(path, &csv(&measured))?;
    }
    output::report(shared, &measured, |_| text(&measured))
}

fn write(path: &Path, content: &str) -> Result<(), Failure> {
    output::write_whole(path, |file| file.write_all(content.as_bytes()).map_err(|error| Failure::io(path, &error)))
}

fn measured(gpu: &Gpu, wanted: &Arguments, shared: &Shared) -> Result<Measured, Failure> {
    let adapter = gpu.adapter();
    let mut measured = Measured {
        adapter: adapter.name.clone(),
        api: adapter.api.clone(),
        driver: adapter.driver.clone(),
        machine: s0::machine(),
        commit: s0::commit(),
        copy_gb_per_s: gpu.copy_bandwidth()?,
        sizes: Vec::new(),
        vesicle: None,
        detection: None,
        failures: Vec::new(),
    };
    for &atoms in wanted.sizes.iter().filter(|&&atoms| atoms > 0) {
        let bar = output::spinner(shared, format!("{} atoms", thousands(atoms as u64)));
        let row = measure::row(gpu, atoms, wanted.response, wanted.repeats, shared.seed());
        let iterations = if wanted.iterations && gpu.has_timestamps() {
            measure::iterations(gpu, atoms, shared.seed())
        } else {
            Ok(Vec::new())
        };
        bar.finish_and_clear();
        let (row, failure) = row.map_or_else(|error| (None, Some(error.to_string())), |row| (Some(row), None));
        measured.failures.extend(failure.iter().map(|why| format!("{} atoms: {why}", thousands(atoms as u64))));
        measured.sizes.push(Size { atoms, row, iterations: iterations?, failure });
    }
    if let Some(lipids) = wanted.vesicle {
        let bar = output::spinner(shared, format!("a vesicle of {} lipids", thousands(lipids)));
        match vesicle(gpu, lipids, shared) {
            Ok(vesicle) => measured.vesicle = Some(vesicle),
            Err(why) => measured.failures.push(format!("a vesicle of {} lipids: {why}", thousands(lipids))),
        }
        bar.finish_and_clear();
    }
    if let Some(atoms) = wanted.detect {
        let bar = output::spinner(shared, format!("a search of {} atoms", thousands(atoms as u64)));
        match measure::detect(gpu, atoms, wanted.cells) {
            Ok(detection) => measured.detection = Some(detection),
            Err(why) => measured.failures.push(format!("a search of {} atoms: {why}", thousands(atoms as u64))),
        }
        bar.finish_and_clear();
    }
    Ok(measured)
}

fn vesicle(gpu: &Gpu, lipids: u64, shared: &Shared) -> Result<Vesicle, Failure> {
    let options = SceneOptions { count: Some(lipids), ..SceneOptions::default() };
    let Some(scene) = crate::relax::scene(Path::new("vesicle"), &options, shared, &[])? else {
        return Err(Failure::usage("expected the ready scene vesicle, found a file of that name"));
    };
    let start = Instant::now();
    let awake = gpu.keep_awake();
    let mut relaxation = Relaxation::of_scene(&scene, "vesicle", Path::new(""))?;
    let place_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    relaxation.on_gpu(gpu).map_err(|error| Failure::usage(error.to_string()))?;
    drop(awake);
    let load_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    relaxation.run(|_, _| std::ops::ControlFlow::Continue(()));
    let run_s = start.elapsed().as_secs_f64();
    let report = relaxation.report();
    let iterate_s = report.history.iter().flat_map(|iteration| iteration.milliseconds).sum::<f64>() / 1e3;
    Ok(Vesicle {
        lipids: report.molecules,
        atoms: report.atoms,
        place_s,
        load_s,
        iterate_s,
        fetch_s: (run_s - iterate_s).max(0.0),
        iterations: report.iterations,
        searches: report.searches,
        stop: report.stop.clone(),
        overlaps_before: report.before.overlaps,
        overlaps_left: report.after.overlaps,
        stages: report.stages,
        state_hash: format!("{:016x}", report.state_hash),
        remarks: report.remarks,
    })
}

/// One row for each stage and each whole.
fn csv(measured: &Measured) -> String {
    let mut csv = String::from(
        "scene,atoms,stage,response,backend,api,driver,machine,commit,median_ms,spread_ms,repeats,pairs,bytes_per_atom,\
         copy_gb_per_s,state_hash,note\n",
    );
    let plain = |text: &str| text.replace([',', '"', '\n'], " ");
    let Measured { machine, commit, copy_gb_per_s, .. } = measured;
    let on = [&measured.adapter, &measured.api, &measured.driver].map(|text| plain(text)).join(",");
    for row in measured.sizes.iter().filter_map(|size| size.row.as_ref()) {
        let Row { atoms, scene, response, pairs, bytes_per_atom, state_hash, whole_run, .. } = row;
        let mut push = |stage: &str, response: &str, times: &str, hash: u64, note: &str| {
            // Writing to a string does not fail.
            let _ = writeln!(
                csv,
                "{scene},{atoms},{stage},{response},{on},{machine},{commit},{times},{pairs},{bytes_per_atom:.1},\
                 {copy_gb_per_s:.0},{hash:016x},{note}"
            );
        };
        let said = response.to_string();
        for stage in &row.stages {
            let times = format!("{:.4},{:.4},{}", stage.median_ms, stage.spread_ms, stage.repeats);
            push(stage.name, &said, &times, *state_hash, "");
        }
        let times = |milliseconds: f64, repeats: usize| format!("{milliseconds:.4},,{repeats}");
        let repeats = row.stages.first().map_or(0, |stage| stage.repeats);
        let repeatable = if row.is_repeatable { "two runs had the same bits" } else { "two runs had other bits" };
        push("sum of stages", &said, &times(row.sum_ms, repeats), *state_hash, repeatable);
        push(
            "one iteration",
            &said,
            &times(row.back_to_back_ms, measure::ROUNDS),
            *state_hash,
            "back to back in one pass",
        );
        push(
            "one iteration by the host",
            &said,
            &times(row.host_ms, measure::ROUNDS),
            *state_hash,
            "several asked for at once",
        );
        let note = format!(
            "{} in {} iterations with {} searches; {} overlaps left; load {:.3} s",
            whole_run.stop, whole_run.iterations, whole_run.searches, whole_run.overlaps_left, whole_run.load_s
        );
        push("mean step of a relaxation", "newton", &times(whole_run.mean_step_ms, 1), whole_run.state_hash, &note);
    }
    csv
}

fn text(measured: &Measured) -> String {
    let Measured { adapter, api, driver, machine, commit, copy_gb_per_s, .. } = measured;
    let mut text = format!("{adapter} ({api}, {driver}), copies {copy_gb_per_s:.0} GB/s; {machine}, {commit}\n");
    let rows: Vec<&Row> = measured.sizes.iter().filter_map(|size| size.row.as_ref()).collect();
    if let [first, ..] = &rows[..] {
        let _ = write!(text, "\nMilliseconds of an iteration, response {}\n{}", first.response, stages_text(&rows));
        let _ = write!(
            text,
            "\nWhole relaxations, response newton, with sleep and lists that are used again\n{}",
            runs_text(&rows)
        );
    }
    for Size { atoms, iterations, .. } in measured.sizes.iter().filter(|size| !size.iterations.is_empty()) {
        let atoms = thousands(*atoms as u64);
        let _ = write!(text, "\nEvery iteration with {atoms} atoms, milliseconds\n{}", iterations_text(iterations));
    }
    if let Some(vesicle) = &measured.vesicle {
        let _ = write!(text, "\nA vesicle\n{}", vesicle_text(vesicle));
    }
    if let Some(Detection { atoms, pairs, build_s, search_s }) = &measured.detection {
        let (atoms, pairs) = (thousands(*atoms), thousands(*pairs));
        let _ =
            write!(text, "\nA search of {atoms} atoms: {pairs} pairs; build {build_s:.2} s, search {search_s:.2} s\n");
    }
    for failure in &measured.failures {
        let _ = write!(text, "\n{failure}\n");
    }
    text
}

fn stages_text(rows: &[&Row]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for stage in rows.iter().flat_map(|row| &row.stages) {
        if !names.contains(&stage.name) {
            names.push(stage.name);
        }
    }
    let mut header = vec!["atoms", "scene", "pairs"];
    header.extend(&names);
    header.extend(["sum", "back to back", "by the host", "bytes/atom", "state", "again"]);
    let cells = |row: &&Row| {
        let stage = |name: &&str| {
            let found = row.stages.iter().find(|stage| stage.name == *name);
            found.map_or_else(String::new, |stage| format!("{:.3}", stage.median_ms))
        };
        let mut cells = vec![thousands(row.atoms), row.scene.to_owned(), thousands(row.pairs)];
        cells.extend(names.iter().map(stage));
        cells.extend([row.sum_ms, row.back_to_back_ms, row.host_ms].map(|time| format!("{time:.3}")));
        cells.push(format!("{:.0}", row.bytes_per_atom));
        cells.push(format!("{:016x}", row.state_hash));
        cells.push(if row.is_repeatable { "the same" } else { "another" }.to_owned());
        cells
    };
    let mut right = vec![true; header.len()];
    right[1] = false;
    columns(&header, &right, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn iterations_text(steps: &[Step]) -> String {
    let names: Vec<&str> =
        steps.iter().skip(1).chain(steps).take(1).flat_map(|step| &step.stages).map(|s| s.0).collect();
    let mut header = vec!["overlaps", "awake", "moved", "searched", "sum"];
    header.extend(&names);
    let cells = |step: &Step| {
        let of = |name: &str| step.stages.iter().find(|stage| stage.0 == name).map_or(0.0, |stage| stage.1);
        let sum: f64 = step.stages.iter().map(|stage| stage.1).sum();
        let mut cells = vec![thousands(step.overlaps), thousands(step.awake), thousands(step.moved)];
        cells.push(if step.searched { "yes" } else { "no" }.to_owned());
        cells.push(format!("{sum:.3}"));
        cells.extend(names.iter().map(|name| format!("{:.3}", of(name))));
        cells
    };
    columns(&header, &vec![true; header.len()], &steps.iter().map(cells).collect::<Vec<_>>())
}

fn runs_text(rows: &[&Row]) -> String {
    let cells = |row: &&Row| {
        let run = &row.whole_run;
        vec![
            thousands(row.atoms),
            run.iterations.to_string(),
            run.stop.to_string(),
            run.searches.to_string(),
            format!("{:.3}", run.mean_step_ms),
            format!("{:.3}", run.mean_step_with_load_ms),
            format!("{:.2}", run.load_s),
            format!("{:.2}", run.fetch_s),
            thousands(run.overlaps_left),
        ]
    };
    let header = [
        "atoms",
        "iterations",
        "ended by",
        "searches",
        "mean step/ms",
        "with load",
        "load/s",
        "fetch/s",
        "overlaps left",
    ];
    let mut right = [true; 9];
    right[2] = false;
    columns(&header, &right, &rows.iter().map(cells).collect::<Vec<_>>())
}

fn vesicle_text(vesicle: &Vesicle) -> String {
    let Vesicle { place_s, load_s, iterate_s, fetch_s, .. } = vesicle;
    let (before, left) = (thousands(vesicle.overlaps_before), thousands(vesicle.overlaps_left));
    let searches = thousands(vesicle.searches);
    facts(&[
        ("atoms", format!("{} in {} lipids", thousands(vesicle.atoms), thousands(vesicle.lipids))),
        ("overlaps", format!("{before} → {left}")),
        ("iterations", format!("{}, ended by {} ({searches} searches)", thousands(vesicle.iterations), vesicle.stop)),
        (
            "seconds",
            format!("place {place_s:.2}, load {load_s:.2}, iterate {iterate_s:.2}, fetch and else {fetch_s:.2}"),
        ),
        ("of that", {
            let seconds = |stage: &Stage| format!("{} {:.3}", stage.name, stage.seconds);
            vesicle.stages.iter().map(seconds).collect::<Vec<_>>().join(", ")
        }),
        ("state", vesicle.state_hash.clone()),
    ])
}
