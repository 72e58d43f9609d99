//! `steric diffuse`: particles in motion that never pass through each other.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use steric::diffuse::{CollisionLog, DiffuseReport, DiffuseScene, Recorder, Series, Wishes};
use steric::world::diffuse::{Diffusion, Offenders, Response, Strategy};

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};
use crate::table::thousands;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric diffuse                                          receptors in a patch of membrane\n  \
    steric diffuse cytoplasm --steps 5000 -o run.xtc        a trajectory, and run.pdb as its topology\n  \
    steric diffuse scene.toml --log contacts.csv            every contact with its time\n  \
    steric diffuse scene.toml -o run.simularium             to be seen at simularium.allencell.org\n  \
    steric diffuse cytoplasm -o last.svg                    a drawing of what there is at the end\n  \
    steric diffuse scene.toml --strategy c                  slower, and the same to the last bit\n  \
    steric diffuse scene.toml --checkpoint run.chk --resume --steps 100000")]
pub(crate) struct Arguments {
    /// A ready scene (egf-receptors, cytoplasm) or a scene file (.toml)
    #[arg(value_name = "SCENE", default_value = "egf-receptors")]
    scene: PathBuf,
    /// How many steps [default: what the scene says]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// How pairs that may meet are found: naive, a, b, c or fast; all find the same
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,
    /// What two do that touch: reflect, stop, slide or stick [default: what the scene says]
    #[arg(long, value_name = "NAME")]
    response: Option<Response>,
    /// What happens with particles that are too large or too fast for the cells of a, b and c: apart, split or ignore
    #[arg(long, value_name = "NAME")]
    offenders: Option<Offenders>,
    /// Other numbers of particles, as in receptor=500
    #[arg(long, value_name = "SPECIES=N")]
    count: Vec<String>,
    /// Write every contact to this file, .csv or .parquet
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write counts over time to this file: collisions, clusters, particles of each species
    #[arg(long, value_name = "FILE.csv")]
    series: Option<PathBuf>,
    /// A frame after every so many steps [default: what the scene says]
    #[arg(long, value_name = "N")]
    every: Option<std::num::NonZeroU64>,
    /// Look for overlaps after every step, and stop at the first
    #[arg(long)]
    check: bool,
    /// Save the run to this file every so often
    #[arg(long, value_name = "FILE", help_heading = "Long runs")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value = "30", value_parser = options::positive, help_heading = "Long runs")]
    checkpoint_every: f64,
    /// Go on from the checkpoint, if it is there
    #[arg(long, requires = "checkpoint", help_heading = "Long runs")]
    resume: bool,
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let (mut scene, folder) = read(&arguments.scene)?;
    for wish in &arguments.count {
        let wrong = || Failure::usage(format!("--count: expected SPECIES=N, found {wish:?}"));
        let (species, count) = wish.split_once('=').ok_or_else(wrong)?;
        scene
            .set_count(species, count.parse().map_err(|_| wrong())?)
            .map_err(|error| Failure::usage(error.to_string()))?;
    }
    let outputs =
        [&shared.output, &arguments.log, &arguments.series, &arguments.checkpoint].map(|path| path.as_deref());
    output::check_outputs(std::slice::from_ref(&arguments.scene), outputs)?;
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("placing the particles of {}", arguments.scene.display()));
    let diffusion = begin(&scene, &folder, arguments, shared);
    bar.finish_and_clear();
    let mut diffusion = diffusion?;
    let steps = arguments.steps.unwrap_or_else(|| scene.steps());
    let resumed = resume(&mut diffusion, arguments, shared)?;
    let mut files = Files::open(arguments, shared, &scene, &diffusion, resumed)?;
    let began = Instant::now();
    let from = diffusion.step_number();
    let overlap = go(&mut diffusion, &mut files, steps, arguments, shared)?;
    let seconds = began.elapsed().as_secs_f64() - files.seconds;
    if diffusion.step_number() < steps && overlap.is_none() {
        output::note(shared, "interrupted: what there was by then is in the report and in the files");
    }
    if let Some(path) = &arguments.checkpoint {
        diffusion.save(path).map_err(|error| Failure::io(path, &error))?;
    }
    let name = if scene.name().is_empty() { arguments.scene.display().to_string() } else { scene.name().to_owned() };
    let unit = scene.time_unit().map_err(|error| Failure::usage(error.to_string()))?;
    let per_step = seconds / (diffusion.step_number() - from).max(1) as f64;
    let report = DiffuseReport::new(&name, &diffusion, unit, per_step);
    // The report first: a file that cannot be written must not take it along.
    if shared.json {
        output::print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        output::print(&report.to_string())?;
    }
    files.finish(arguments, shared, &diffusion)?;
    if let Some(overlap) = overlap {
        output::note(shared, &overlap);
    }
    Ok(if report.deepest_overlap.is_none() { Verdict::Clean } else { Verdict::Overlaps })
}

/// A ready scene by its name, or a file; and the folder that the files it names lie in.
pub(crate) fn read(path: &Path) -> Result<(DiffuseScene, PathBuf), Failure> {
    let wrong = |error: steric::model::Located| Failure::usage(error.to_string());
    if let Some(text) = path.to_str().and_then(scenes::diffusion) {
        return Ok((DiffuseScene::read(text, path).map_err(wrong)?, PathBuf::new()));
    }
    if !path.exists() && path.extension().is_none() {
        let names: Vec<&str> = scenes::diffusion_names().collect();
        let text = format!("{}: expected a scene file, or {}; found neither", path.display(), names.join(" or "));
        return Err(Failure::usage(text));
    }
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    Ok((DiffuseScene::read(&text, path).map_err(wrong)?, folder))
}

fn begin(scene: &DiffuseScene, folder: &Path, arguments: &Arguments, shared: &Shared) -> Result<Diffusion, Failure> {
    let wishes = Wishes { seed: shared.seed, strategy: arguments.strategy };
    let mut setup = scene.setup(folder, &wishes).map_err(|error| Failure::usage(error.to_string()))?;
    setup.options.response = arguments.response.unwrap_or(setup.options.response);
    setup.options.offenders = arguments.offenders.unwrap_or(setup.options.offenders);
    Diffusion::new(setup).map_err(|error| Failure::usage(format!("{}: {error}", arguments.scene.display())))
}

/// Goes on from a checkpoint, if that is wanted and there is one; tells from which step.
fn resume(diffusion: &mut Diffusion, arguments: &Arguments, shared: &Shared) -> Result<Option<u64>, Failure> {
    let Some(path) = arguments.checkpoint.as_deref().filter(|_| arguments.resume) else { return Ok(None) };
    if !path.exists() {
        output::note(shared, "no checkpoint yet: starting from the beginning");
        return Ok(None);
    }
    diffusion.resume(path).map_err(|error| Failure::usage(error.to_string()))?;
    output::note(shared, &format!("going on from {} after {} steps", path.display(), diffusion.step_number()));
    Ok(Some(diffusion.step_number()))
}

/// What is written while it runs.
struct Files {
    recorder: Option<(PathBuf, Recorder)>,
    log: Option<(PathBuf, CollisionLog)>,
    series: Series,
    every: u64,
    /// How long writing has taken.
    seconds: f64,
}

impl Files {
    fn open(
        arguments: &Arguments,
        shared: &Shared,
        scene: &DiffuseScene,
        diffusion: &Diffusion,
        resumed: Option<u64>,
    ) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::usage(error.to_string());
        let every = arguments.every.map_or_else(|| scene.frame_every(), std::num::NonZeroU64::get);
        let mut files = Self { recorder: None, log: None, series: Series::default(), every, seconds: 0.0 };
        if let Some(path) = &shared.output {
            let (recorder, also) = Recorder::create(path, scene, diffusion, resumed).map_err(failed)?;
            for path in also {
                output::note(shared, &format!("wrote {}", path.display()));
            }
            files.recorder = Some((path.clone(), recorder));
        }
        if let Some(path) = &arguments.log {
            files.log = Some((path.clone(), CollisionLog::create(path, resumed).map_err(failed)?));
        }
        if resumed.is_none() {
            files.frame(diffusion)?;
        }
        Ok(files)
    }

    fn frame(&mut self, diffusion: &Diffusion) -> Result<(), Failure> {
        self.series.note(diffusion);
        if let Some((path, recorder)) = &mut self.recorder {
            recorder.frame(diffusion).map_err(|error| Failure::io(path, &error))?;
        }
        Ok(())
    }

    /// After a step.
    fn note(&mut self, diffusion: &Diffusion) -> Result<(), Failure> {
        let began = Instant::now();
        if let Some((path, log)) = &mut self.log {
            log.write(diffusion).map_err(|error| Failure::io(path, &error))?;
        }
        if diffusion.step_number().is_multiple_of(self.every) {
            self.frame(diffusion)?;
        }
        self.seconds += began.elapsed().as_secs_f64();
        Ok(())
    }

    /// What a checkpoint stands for is on the disk before it.
    fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.log {
            Some((path, log)) => log.flush().map_err(|error| Failure::io(path, &error)),
            None => Ok(()),
        }
    }

    fn finish(self, arguments: &Arguments, shared: &Shared, diffusion: &Diffusion) -> Result<(), Failure> {
        if let Some((path, recorder)) = self.recorder {
            recorder.finish(diffusion, &self.series).map_err(|error| Failure::io(&path, &error))?;
            output::note(shared, &format!("wrote {}", path.display()));
        }
        if let Some((path, log)) = self.log {
            log.finish().map_err(|error| Failure::io(&path, &error))?;
            output::note(shared, &format!("wrote {}", path.display()));
        }
        if let Some(path) = &arguments.series {
            let names: Vec<String> = diffusion.setup().species.iter().map(|species| species.name.clone()).collect();
            let text = self.series.to_csv(&names);
            std::fs::write(path, text).map_err(|error| Failure::io(path, &error))?;
            output::note(shared, &format!("wrote {}", path.display()));
        }
        Ok(())
    }
}

/// Runs with a bar and checkpoints, to the last step or Ctrl-C; tells of an overlap, if one was looked for and found.
fn go(
    diffusion: &mut Diffusion,
    files: &mut Files,
    steps: u64,
    arguments: &Arguments,
    shared: &Shared,
) -> Result<Option<String>, Failure> {
    let bar = output::bar(shared, steps, "steps");
    bar.set_position(diffusion.step_number());
    let every = Duration::try_from_secs_f64(arguments.checkpoint_every).unwrap_or(Duration::MAX);
    let (mut saved, mut shown) = (Instant::now(), Instant::now());
    while diffusion.step_number() < steps && !INTERRUPTED.load(Ordering::Relaxed) {
        diffusion.step();
        files.note(diffusion)?;
        if arguments.check
            && let Some((first, second, depth)) = diffusion.deepest_overlap()
        {
            bar.finish_and_clear();
            let step = diffusion.step_number();
            return Ok(Some(format!("step {step}: particles {first} and {second} overlap by {depth:.6} Å")));
        }
        if let Some(path) = arguments.checkpoint.as_deref().filter(|_| saved.elapsed() >= every) {
            saved = Instant::now();
            files.flush()?;
            // A run without checkpoints is worth more than none.
            if let Err(error) = diffusion.save(path) {
                output::note(shared, &format!("warning: no checkpoint: {}", Failure::io(path, &error)));
            }
        }
        if shown.elapsed() > Duration::from_millis(100) {
            shown = Instant::now();
            bar.set_position(diffusion.step_number());
            let collisions = thousands(diffusion.statistics().collisions);
            bar.set_message(format!("{} particles, {collisions} collisions", thousands(diffusion.len() as u64)));
        }
    }
    bar.finish_and_clear();
    files.flush()?;
    Ok(None)
}
