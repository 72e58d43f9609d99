//! `steric bench S3`: how fast molecules on a skeleton are moved, and how far the levels of detail are apart (Figure 3.5 of the founding thesis).
//!
//! How it works: the structure hangs on a skeleton of its domains, or on that of a scene. Atoms are moved again and again with every blend, on one thread
//! with everything in cache, and on a GPU, where so many copies of the structure hang on the same skeleton that the GPU has something to do. Weights,
//! super-atoms, corrections and the one file that holds all of them are timed as a whole. Distances between levels are taken over the frames of the clip.

mod figures;
mod gpu;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use glam::{DVec3, Vec3};
use serde::Serialize;
use steric::animate::{BakeOptions, Blend, Level, Moment, Puppet, Untangler};
use steric::model::k_means;
use steric::world::animate::{Hung, Placed};

use super::{median_and_spread, milliseconds_of, timed};
use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric bench S3                                   adenylate kinase, which comes with steric\n  \
    steric bench S3 fibrinogen -o s3.csv              as in the thesis; 3ghg.pdb has to be in this folder\n  \
    steric bench S3 kinesin --pictures figures        Figures 3.2 to 3.6 of the thesis\n  \
    steric bench S3 --backend gpu --gpu-atoms 10000000 ten million atoms on a GPU")]
pub(super) struct Arguments {
    /// A scene to animate: a ready one or a scene file
    #[arg(value_name = "SCENE", default_value = "adenylate-kinase")]
    scene: PathBuf,
    /// Times that each measurement is repeated
    #[arg(long, value_name = "N", default_value_t = 200)]
    repeats: usize,
    /// Super-atoms of the k-means that is timed
    #[arg(long, value_name = "N", default_value_t = 1000)]
    super_atoms: usize,
    /// Frames in which overlaps are looked for and resolved; 0 leaves that out
    #[arg(long, value_name = "N", default_value_t = 240)]
    frames: usize,
    /// Atoms that a GPU moves, as copies of the scene's structure
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = options::count)]
    gpu_atoms: usize,
    /// Draw Figures 3.2 to 3.6 of the thesis into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
}

/// A measurement.
#[derive(Debug, Serialize)]
struct Row {
    what: String,
    atoms: usize,
    threads: usize,
    value: f64,
    spread: f64,
    unit: &'static str,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    output::check_outputs(std::slice::from_ref(&wanted.scene), [shared.output.as_deref()])?;
    let began = Instant::now();
    let opened = crate::animate::open_named(&wanted.scene)?;
    let building = began.elapsed().as_secs_f64() * 1e3;
    let puppet = opened.puppet;
    if puppet.key_frames().is_some() {
        return Err(Failure::usage(format!("{}: expected a skeleton, found frames of a trajectory", opened.name)));
    }
    let (atoms, all) = (puppet.radii().len(), rayon::current_num_threads());
    let mut rows = gpu::rows(&puppet, wanted.gpu_atoms, shared)?;
    let mut row = |what: String, threads: usize, (value, spread): (f64, f64), unit: &'static str| {
        rows.push(Row { what, atoms, threads, value, spread, unit });
    };
    let one = options::thread_pool(1)?;
    for blend in Blend::ALL {
        let (fastest, spread) = one.install(|| skinned(&puppet, blend, wanted.repeats));
        row(format!("{} blending, fastest", blend.name()), 1, (fastest, spread), "M atoms/s");
    }
    row(
        "group poses and atoms, residue level".to_owned(),
        all,
        timed(9, || {
            std::hint::black_box(puppet.positions(&Moment { level: Level::Residue, time: 1.0, ..Moment::default() }));
        }),
        "ms",
    );
    let rest: Vec<DVec3> = puppet.structure().atoms.positions.iter().map(|place| place.as_dvec3()).collect();
    row(
        "weights".to_owned(),
        all,
        timed(9, || {
            std::hint::black_box(Hung::new(&puppet.rig().skeleton, &rest, &puppet.options().weights));
        }),
        "ms",
    );
    row(
        format!("k-means, {} super-atoms", wanted.super_atoms),
        all,
        timed(5, || {
            std::hint::black_box(k_means(&puppet.structure().atoms.positions, wanted.super_atoms, shared.seed()));
        }),
        "ms",
    );
    let folder = tempfile::tempdir().map_err(|error| Failure::usage(error.to_string()))?;
    let path = folder.path().join("bench.steric");
    puppet.save(&path).map_err(|error| Failure::io(&path, &error))?;
    row("building from files".to_owned(), all, (building, 0.0), "ms");
    let loading = median_and_spread((0..9).map(|_| milliseconds_of(|| drop(Puppet::load(&path)))).collect());
    row("loading one file".to_owned(), all, loading, "ms");
    for (first, second) in [(Level::Atom, Level::Residue), (Level::Atom, Level::Chain)] {
        let (mean, largest) = apart(&puppet, first, second);
        row(format!("{} and {} levels apart, mean", first.name(), second.name()), all, (mean, 0.0), "Å");
        row(format!("{} and {} levels apart, largest", first.name(), second.name()), all, (largest, 0.0), "Å");
    }
    if wanted.frames > 0 {
        let (seconds, before, after) = baked(&puppet, wanted.frames);
        row(format!("overlaps resolved in {} frames", wanted.frames), all, (seconds, 0.0), "s");
        row("overlaps deeper than 0.4 Å before, at most".to_owned(), all, (before, 0.0), "pairs");
        row("deepest overlap after".to_owned(), all, (after, 0.0), "Å");
    }
    if let Some(folder) = &wanted.pictures {
        figures::draw(&puppet, folder, shared)?;
    }
    write(shared, &opened.name, &rows)
}

/// Seconds, the most pairs of any frame before, and the deepest overlap of all frames after.
fn baked(puppet: &Puppet, frames: usize) -> (f64, f64, f64) {
    let began = Instant::now();
    let options = BakeOptions { frames, ..BakeOptions::default() };
    let corrections = Untangler::new(puppet).bake(puppet, &Moment::default(), &options, &mut |_, _| true);
    let seconds = began.elapsed().as_secs_f64();
    let report = corrections.map(|own| own.report).unwrap_or_default();
    let before = report.iter().map(|at| at.before.pairs).max().unwrap_or(0);
    let after = report.iter().map(|at| at.after.deepest).fold(0.0, f32::max);
    (seconds, before as f64, f64::from(after))
}

/// Millions of atoms a second in the fastest of many rounds, and how far the slowest is from that.
fn skinned(puppet: &Puppet, blend: Blend, repeats: usize) -> (f64, f64) {
    let moment = Moment { time: 0.6 * puppet.duration(0), blend, ..Moment::default() };
    let points = puppet.skinned();
    let palette = points.palette(&puppet.motions(&moment), puppet.heads(), blend);
    let (mut placed, mut positions) = (Placed::default(), vec![Vec3::ZERO; points.len()]);
    let times: Vec<f64> = (0..repeats.max(2))
        .map(|_| milliseconds_of(|| points.moved_into(&palette, &mut placed, std::hint::black_box(&mut positions))))
        .collect();
    let rate = |time: f64| points.len() as f64 / time / 1e3;
    let (least, most) =
        times.iter().fold((f64::INFINITY, 0.0f64), |(least, most), &time| (least.min(time), most.max(time)));
    (rate(least), rate(least) - rate(most))
}

/// Mean and largest distance of atoms between two levels, over 25 times of the first clip.
fn apart(puppet: &Puppet, first: Level, second: Level) -> (f64, f64) {
    let (mut sum, mut count, mut largest) = (0.0, 0.0, 0.0f64);
    for step in 0..25 {
        let time = puppet.duration(0) * f64::from(step) / 24.0;
        let at = |level| puppet.positions(&Moment { time, level, ..Moment::default() });
        for (a, b) in at(first).iter().zip(&at(second)) {
            let distance = f64::from(a.distance(*b));
            (sum, count, largest) = (sum + distance, count + 1.0, largest.max(distance));
        }
    }
    (sum / count, largest)
}

fn write(shared: &Shared, name: &str, rows: &[Row]) -> Result<(), Failure> {
    if shared.json {
        output::print(&(serde_json::to_string_pretty(rows)? + "\n"))?;
    } else {
        let mut text = format!("{name}\n");
        for Row { what, threads, value, spread, unit, .. } in rows {
            let _ = writeln!(text, "  {what:<48} {value:>10.3} {unit:<10} (spread {spread:.3}, {threads} threads)");
        }
        output::print(&text)?;
    }
    let Some(path) = &shared.output else { return Ok(()) };
    let mut csv = "what,atoms,threads,value,spread,unit\n".to_owned();
    for Row { what, atoms, threads, value, spread, unit } in rows {
        let _ = writeln!(csv, "\"{what}\",{atoms},{threads},{value:.6},{spread:.6},{unit}");
    }
    output::write_whole(path, |file| file.write_all(csv.as_bytes()).map_err(|error| Failure::io(path, &error)))?;
    output::note(shared, &format!("wrote {}", path.display()));
    Ok(())
}
