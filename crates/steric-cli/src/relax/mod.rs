//! `steric relax`: molecules pushed apart until nothing overlaps.

mod input;
mod pictures;
mod ranks;
mod write;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use steric::model::{AssemblyChoice, MoleculesBy, Periodic};
use steric::relax::Relaxation;
use steric::world::relax::{Iteration, Stop};
use steric::world::report::RelaxReport;

pub(crate) use input::{folder_of, scene};
pub(crate) use ranks::run_on_ranks;
pub(crate) use write::{Target, structure_to};

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};
use crate::table::thousands;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric relax                                      the embedded vesicle\n  \
    steric relax vesicle --count 77000 -o v.cif       four million atoms\n  \
    steric relax bilayer --set membrane.lipid.0.molecule=DOPC -o b.gro\n  \
    steric relax exosome -o exosome.bcif              a vesicle with all that is in it\n  \
    steric relax scene.toml --report report.html -o out.pdb\n  \
    steric relax model.cif -o clean.cif               an existing model, with the least motion")]
pub(crate) struct Arguments {
    /// A ready scene (vesicle, bilayer, vesicle-with-proteins, crowded-cytoplasm, virus), a whole cell (exosome, syn3a-small,
    /// mitochondrion-membrane, plasma-hiv), a scene file (.toml), or a model
    #[arg(value_name = "SCENE|MODEL", default_value = "vesicle")]
    pub(super) input: PathBuf,
    #[command(flatten)]
    pub(super) scene: SceneOptions,
    /// What counts as one molecule of a model: auto, chain, residue, connected, instance or file [default: auto]
    #[arg(long, value_name = "WHAT", help_heading = "Models")]
    pub(super) molecules: Option<MoleculesBy>,
    /// Which copies of a model: an assembly's id, all or none [default: the first assembly if it copies anything]
    #[arg(long, value_name = "ID", help_heading = "Models")]
    pub(super) assembly: Option<AssemblyChoice>,
    /// Whether the box of a model repeats: auto, yes or no [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Models")]
    pub(super) periodic: Option<Periodic>,
    /// How far a molecule of a model may move, in angstroms [default: 20]
    #[arg(long, value_name = "A", value_parser = options::positive, help_heading = "Models")]
    pub(super) leeway: Option<f64>,
    /// Molecules of a model that stay where they are, by their name in `steric check`'s list of species
    #[arg(long, value_name = "NAME", help_heading = "Models")]
    pub(super) fix: Vec<String>,
    /// Molecules of a model with at least so many atoms stay where they are
    #[arg(long, value_name = "ATOMS", help_heading = "Models")]
    pub(super) fix_above: Option<u32>,
    /// How overlaps are answered: newton, projection or thesis
    #[arg(long, value_name = "NAME", help_heading = "Physics")]
    pub(super) response: Option<String>,
    /// Let so many spheres per molecule go first, in place of its atoms
    #[arg(long, value_name = "SPHERES", help_heading = "Physics")]
    proxy: Option<std::num::NonZeroUsize>,
    /// At most so many iterations
    #[arg(long, value_name = "N", help_heading = "Physics")]
    pub(super) max_iterations: Option<u32>,
    /// At most so many seconds
    #[arg(long, value_name = "S", value_parser = options::positive, help_heading = "Physics")]
    pub(super) max_seconds: Option<f64>,
    /// Save the run to this file every so often
    #[arg(long, value_name = "FILE", help_heading = "Long runs")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value = "30", value_parser = options::positive, help_heading = "Long runs")]
    checkpoint_every: f64,
    /// Go on from the checkpoint, if it is there
    #[arg(long, requires = "checkpoint", help_heading = "Long runs")]
    resume: bool,
    /// Write a page with numbers and plots, and with pictures where there is a GPU
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
}

impl Arguments {
    /// What `steric` alone does.
    pub(crate) fn of_the_vesicle() -> Self {
        #[derive(clap::Parser)]
        struct Alone {
            #[command(flatten)]
            arguments: Arguments,
        }
        <Alone as clap::Parser>::parse_from(["steric"]).arguments
    }
}

/// What can be said about a scene without writing it down.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SceneOptions {
    /// Lipids of the first membrane, both leaflets together
    #[arg(long, value_name = "N", help_heading = "Scenes")]
    pub(crate) count: Option<u64>,
    /// Radius of the first membrane's middle, in angstroms
    #[arg(long, value_name = "R", help_heading = "Scenes")]
    pub(crate) radius: Option<f64>,
    /// Square angstroms a lipid
    #[arg(long, value_name = "A2", help_heading = "Scenes")]
    pub(crate) area_per_lipid: Option<f64>,
    /// Atoms of different molecules stay this many angstroms apart
    #[arg(long, value_name = "D", help_heading = "Scenes")]
    pub(crate) tolerance: Option<f64>,
    /// Any key of a scene file, as in membrane.leeway=2.5 or physics.target=1.02
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Scenes")]
    pub(crate) set: Vec<String>,
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let wanted = input::wanted(arguments, shared)?;
    let path = shared.output.clone().or_else(|| wanted.output());
    let outputs = [path.as_deref(), arguments.report.as_deref(), arguments.checkpoint.as_deref()];
    output::check_outputs(std::slice::from_ref(&arguments.input), outputs)?;
    let target = path.as_deref().map(write::Target::new).transpose()?;
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let bar = output::spinner(shared, format!("placing {}", arguments.input.display()));
    let relaxation = wanted.relaxation(arguments, shared);
    bar.finish_and_clear();
    let mut relaxation = relaxation?;
    for note in relaxation.notes().iter().cloned().chain(relaxation.verdicts().iter().map(ToString::to_string)) {
        output::note(shared, &note);
    }
    let before = arguments.report.as_ref().and_then(|_| pictures::Before::of(&relaxation, shared));
    take_gpu(&mut relaxation, shared)?;
    if let Some(spheres) = arguments.proxy {
        let bar = output::spinner(shared, format!("{spheres} spheres per molecule go first"));
        let told = relaxation.remarks().all().len();
        relaxation.run_proxies(spheres.get(), 100);
        bar.finish_and_clear();
        relaxation.remarks().after(told).iter().for_each(|remark| output::note(shared, remark));
    }
    if arguments.resume {
        resume(&mut relaxation, arguments, shared)?;
    }
    let stop = go(&mut relaxation, arguments, shared);
    let report = relaxation.report();
    if stop == Stop::Interrupted {
        output::note(shared, "interrupted: what there was by then is in the report and in the files");
    }
    // The report first: a file that cannot be written must not take it along.
    print(&relaxation, &report, shared)?;
    if let Some(target) = &target {
        let atoms = write::model(&relaxation, target)?;
        output::note(shared, &format!("wrote {} with {} atoms", target.path.display(), thousands(atoms)));
    }
    if let Some(path) = &arguments.report {
        let pictures = before.and_then(|before| before.and_after(&relaxation, shared));
        write::page(&report, pictures.as_ref(), path)?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let clean = report.is_clean() && stop == Stop::Rest;
    Ok(if clean { Verdict::Clean } else { Verdict::Overlaps })
}

/// Loads the molecules onto the GPU that was chosen. One that was asked for must hold them; without being asked, the processor
/// steps in.
fn take_gpu(relaxation: &mut Relaxation, shared: &Shared) -> Result<(), Failure> {
    let chosen = shared.chosen(relaxation.atoms())?;
    let Some(gpu) = chosen.gpu() else { return Ok(()) };
    match relaxation.on_gpu(gpu) {
        Ok(()) => Ok(()),
        Err(error) if shared.insists_on_gpu() => Err(Failure::usage(format!("{}: {error}", chosen.name()))),
        Err(error) => {
            let remark = format!("{}: {error}; the CPU does the work", chosen.name());
            output::note(shared, &remark);
            relaxation.remarks().push(remark);
            Ok(())
        }
    }
}

fn print(relaxation: &Relaxation, report: &RelaxReport, shared: &Shared) -> Result<(), Failure> {
    if shared.json {
        let mut document = serde_json::to_value(report)?;
        if let Some(proxy) = relaxation.proxy() {
            document["proxy"] = serde_json::to_value(proxy)?;
            document["proxy"]["seconds_saved_estimate"] = serde_json::to_value(relaxation.seconds_saved())?;
        }
        return output::print(&(serde_json::to_string_pretty(&document)? + "\n"));
    }
    let mut text = report.to_string();
    if let Some(proxy) = relaxation.proxy() {
        text += &format!(
            "proxies: {} spheres for {} atoms, {:.2} Å too large in the mean ({:.2} Å at most); {} iterations in {:.2} s left {} \
             overlaps of atoms\n",
            thousands(proxy.fit.spheres),
            thousands(proxy.fit.atoms),
            proxy.fit.mean_overestimate,
            proxy.fit.most_overestimate,
            proxy.iterations,
            proxy.seconds,
            thousands(proxy.overlaps_left),
        );
        if let Some(saved) = relaxation.seconds_saved() {
            let what = if saved < 0.0 { "cost" } else { "saved" };
            text += &format!("They {what} about {:.2} s, at the pace of the atoms' iterations.\n", saved.abs());
        }
    }
    output::print(&text)
}

fn resume(relaxation: &mut Relaxation, arguments: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let Some(path) = arguments.checkpoint.as_deref().filter(|path| path.exists()) else {
        output::note(shared, "no checkpoint yet: starting from the beginning");
        return Ok(());
    };
    relaxation.relax().resume(path).map_err(|error| Failure::usage(error.to_string()))?;
    let iteration = relaxation.relax().iteration();
    output::note(shared, &format!("going on from {} after {iteration} iterations", path.display()));
    Ok(())
}

/// Runs with a bar and checkpoints, until rest, a limit or Ctrl-C.
fn go(relaxation: &mut Relaxation, arguments: &Arguments, shared: &Shared) -> Stop {
    let bar = output::spinner(shared, "relaxing".to_owned());
    let mut saved = Instant::now();
    let every = Duration::try_from_secs_f64(arguments.checkpoint_every).unwrap_or(Duration::MAX);
    let remarks = relaxation.remarks();
    let mut told = remarks.all().len();
    let mut tell = || {
        for remark in remarks.after(told) {
            bar.suspend(|| output::note(shared, &remark));
            told += 1;
        }
    };
    let stop = relaxation.run(|relax, iteration| {
        tell();
        show(&bar, relax.iteration(), iteration);
        let interrupted = INTERRUPTED.load(Ordering::Relaxed);
        if let Some(path) = arguments.checkpoint.as_deref().filter(|_| interrupted || saved.elapsed() >= every) {
            saved = Instant::now();
            // A run without checkpoints is worth more than none.
            if let Err(error) = relax.save(path) {
                output::note(shared, &format!("warning: no checkpoint: {}", Failure::io(path, &error)));
            }
        }
        if interrupted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    tell();
    bar.finish_and_clear();
    stop
}

/// Runs for another command: with a bar, until rest or a limit.
pub(crate) fn run_for_another(relaxation: &mut Relaxation, shared: &Shared) -> Result<(), Failure> {
    take_gpu(relaxation, shared)?;
    let bar = output::spinner(shared, "relaxing".to_owned());
    relaxation.run(|relax, iteration| {
        show(&bar, relax.iteration(), iteration);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    Ok(())
}

fn show(bar: &ProgressBar, count: u32, iteration: &Iteration) {
    bar.set_message(format!(
        "iteration {count}: {} molecules overlap, deepest {:.2} Å, {} awake",
        thousands(iteration.overlapping),
        iteration.deepest,
        thousands(iteration.awake),
    ));
}
