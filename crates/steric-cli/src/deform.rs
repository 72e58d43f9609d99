//! `steric deform`: soft bodies that press against each other and never pass through.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use steric::deform::{DeformReport, DeformScene, Frames, SoftRun};

use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::table::thousands;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric deform                                    membranes pile up\n  \
    steric deform stack -o stack.vtu                 a series for ParaView: open stack.pvd\n  \
    steric deform socket -o socket.glb               one file that moves, for Blender\n  \
    steric deform scene.toml --series run.csv        contacts and energies of every step\n  \
    steric deform liver.msh                          a mesh is dropped on the floor\n  \
    steric deform raptor.vtu liver.msh               meshes are dropped on each other")]
pub(crate) struct Arguments {
    /// A ready scene (stack, socket, skin), a scene file (.toml), or meshes to be dropped on each other (.msh .vtk .vtu .ele .veg .mesh)
    #[arg(value_name = "SCENE|MESH", default_value = "stack", num_args = 1..)]
    scene: Vec<PathBuf>,
    /// How many steps [default: what the scene says]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// A frame after every so many steps [default: what the scene says]
    #[arg(long, value_name = "N")]
    every: Option<std::num::NonZeroU64>,
    /// Write contacts, gaps, energies and times of every step to this file
    #[arg(long, value_name = "FILE.csv")]
    series: Option<PathBuf>,
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let (scene, folder) = read(&arguments.scene)?;
    output::check_outputs(&arguments.scene, [shared.output.as_deref(), arguments.series.as_deref()])?;
    let mut frames = match &shared.output {
        Some(path) => Some(Frames::create(path).map_err(|error| Failure::usage(error.to_string()))?),
        None => None,
    };
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let mut run = scene.start(&folder, shared.seed).map_err(|error| Failure::usage(error.to_string()))?;
    warn_of_overlaps(&run, shared);
    let steps = arguments.steps.unwrap_or_else(|| scene.steps());
    let every = arguments.every.map_or_else(|| scene.frame_every(), std::num::NonZeroU64::get);
    let name = if scene.name().is_empty() { arguments.scene[0].display().to_string() } else { scene.name().to_owned() };
    let mut report = DeformReport::new(&name);
    let mut series = String::from(SERIES);
    go(&mut run, &mut report, &mut frames, &mut series, (steps, every), shared)?;
    report.finish(&run);
    if run.world.steps() < steps {
        output::note(shared, "interrupted: what there was by then is in the report and in the files");
    }
    // The report first: a file that cannot be written must not take it along.
    if shared.json {
        output::print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        output::print(&report.to_string())?;
    }
    if let (Some(frames), Some(path)) = (frames, &shared.output) {
        let written = frames.finish(&run).map_err(|error| Failure::io(path, &error))?;
        output::note(shared, &format!("wrote {}", written.display()));
    }
    if let Some(path) = &arguments.series {
        std::fs::write(path, series).map_err(|error| Failure::io(path, &error))?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let is_clean = report.overlapping == 0 && report.is_finite();
    Ok(if is_clean { Verdict::Clean } else { Verdict::Overlaps })
}

/// A ready scene by its name, a file, or meshes that are dropped; and the folder that the files it names lie in.
pub(crate) fn read(paths: &[PathBuf]) -> Result<(DeformScene, PathBuf), Failure> {
    let wrong = |error: steric::model::Located| Failure::usage(error.to_string());
    let first = &paths[0];
    if let Some(text) = first.to_str().and_then(scenes::deformation).filter(|_| paths.len() == 1) {
        return Ok((DeformScene::read(text, first).map_err(wrong)?, PathBuf::new()));
    }
    let is_scene = first.extension().is_some_and(|ending| ending == "toml");
    if is_scene && paths.len() == 1 {
        let text = std::fs::read_to_string(first).map_err(|error| Failure::io(first, &error))?;
        let folder = first.parent().unwrap_or(Path::new("")).to_owned();
        return Ok((DeformScene::read(&text, first).map_err(wrong)?, folder));
    }
    if !first.exists() && first.extension().is_none() {
        let names: Vec<&str> = scenes::deformation_names().collect();
        let text = format!("{}: expected a scene file, a mesh, or {}; found none", first.display(), names.join(" or "));
        return Err(Failure::usage(text));
    }
    if let Some(scene) = paths.iter().find(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        return Err(Failure::usage(format!("{}: expected one scene file alone, or meshes", scene.display())));
    }
    let scene = DeformScene::dropping(paths).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((scene, PathBuf::new()))
}

fn warn_of_overlaps(run: &SoftRun, shared: &Shared) {
    let overlaps = run.world.overlaps();
    let inside = overlaps.found.len() + overlaps.lost;
    if inside + overlaps.crossed.len() > 0 {
        output::note(
            shared,
            &format!(
                "warning: {} points and {} edges lie in other bodies at the beginning; they are pressed apart, which may fail for thin bodies",
                thousands(inside as u64),
                thousands(overlaps.crossed.len() as u64)
            ),
        );
    }
}

const SERIES: &str = "step,time_s,contacts,narrowest_gap_m,deepest_m,moved_pairs,stopped_points,iterations,kinetic_j,elastic_j,detect_ms,solve_ms\n";

/// Runs with a bar, to the last step, Ctrl-C, or the first number that is none.
fn go(
    run: &mut SoftRun,
    report: &mut DeformReport,
    frames: &mut Option<Frames>,
    series: &mut String,
    (steps, every): (u64, u64),
    shared: &Shared,
) -> Result<(), Failure> {
    use std::fmt::Write as _;
    let failed = |error: std::io::Error| match &shared.output {
        Some(path) => Failure::io(path, &error),
        None => Failure::usage(error.to_string()),
    };
    let bar = output::bar(shared, steps, "steps");
    let mut shown = Instant::now();
    if let Some(frames) = frames {
        frames.frame(run).map_err(failed)?;
    }
    while run.world.steps() < steps && !INTERRUPTED.load(Ordering::Relaxed) {
        let stepped = run.step();
        report.note(&stepped);
        let energy = run.world.body.energy();
        let _ = writeln!(
            series,
            "{},{:.6},{},{},{:e},{},{},{},{:e},{:e},{:.3},{:.3}",
            run.world.steps(),
            run.world.time(),
            stepped.contacts,
            stepped.narrowest.map(|gap| format!("{gap:e}")).unwrap_or_default(),
            stepped.deepest,
            stepped.moved,
            stepped.stopped,
            stepped.iterations,
            energy.kinetic,
            energy.elastic,
            1e3 * stepped.detect_s,
            1e3 * stepped.solve_s,
        );
        if !energy.total().is_finite() {
            bar.finish_and_clear();
            output::note(shared, &format!("step {}: the bodies have no finite energy any more", run.world.steps()));
            return Ok(());
        }
        if let Some(frames) = frames.as_mut().filter(|_| run.world.steps().is_multiple_of(every)) {
            frames.frame(run).map_err(failed)?;
        }
        if shown.elapsed() > Duration::from_millis(100) {
            shown = Instant::now();
            bar.set_position(run.world.steps());
            bar.set_message(format!("{} contacts", thousands(stepped.contacts as u64)));
        }
    }
    bar.finish_and_clear();
    Ok(())
}
