//! `mpirun -n 64 steric relax`: one relaxation by many ranks.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use steric::cluster::relax::Burden;
use steric::relax::{Checkpoints, Relaxation};
use steric::world::relax::Stop;
use steric::world::report::peak_memory_bytes;

use super::{Arguments, INTERRUPTED, input, pictures, resume, show, write};
use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};
use crate::ranks::{Ranks, agreed};
use crate::table::{counted, thousands};

/// Every rank builds the scene and keeps its own part; rank 0 writes what comes of it.
pub(crate) fn run_on_ranks(arguments: &Arguments, shared: &Shared, ranks: &Ranks) -> Result<Verdict, Failure> {
    let comm = &*ranks.comm;
    let leads = comm.rank() == 0;
    // One speaks for all.
    let own = if leads { shared.clone() } else { Shared { quiet: true, json: false, ..shared.clone() } };
    // Only the first of several runs in one process can listen; a test harness has none.
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let (relaxation, path) = agreed(comm, prepared(arguments, &own))?;
    let before = arguments.report.as_ref().filter(|_| leads).and_then(|_| pictures::Before::of(&relaxation, &own));
    let bar = output::spinner(&own, format!("relaxing on {}", counted(comm.ranks() as u64, "rank")));
    let checkpoints = arguments.checkpoint.as_deref().map(|path| Checkpoints {
        path,
        every: Duration::try_from_secs_f64(arguments.checkpoint_every).unwrap_or(Duration::MAX),
        saved: ranks.saved.clone(),
    });
    let run = relaxation.run_on_ranks(comm, checkpoints, |count, iteration| {
        show(&bar, count, iteration);
        if INTERRUPTED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let run = run.map_err(|error| Failure::usage(error.to_string()))?;
    let mut most = [peak_memory_bytes().unwrap_or(0) as i64];
    comm.most(&mut most);
    let burden = Carried { burden: run.burden, most_peak_memory_bytes: most[0] };
    if let Some(error) = &run.unsaved {
        output::note(&own, &format!("warning: no checkpoint: {error}"));
    }
    let written = match &run.relaxation {
        Some(relaxation) => told(relaxation, &burden, path, before, arguments, &own).map(Some),
        None => Ok(None),
    };
    let is_clean = agreed(comm, written)?;
    let mut words = [i64::from(is_clean.is_some_and(|is_clean| is_clean && run.stop == Stop::Rest))];
    comm.most(&mut words);
    Ok(if words[0] > 0 { Verdict::Clean } else { Verdict::Overlaps })
}

/// The relaxation at its start or where it was saved, and where the result goes.
fn prepared(arguments: &Arguments, shared: &Shared) -> Result<(Relaxation, Option<PathBuf>), Failure> {
    shared.without_gpu("steric relax on several ranks")?;
    let wanted = input::wanted(arguments, shared)?;
    let path = shared.output.clone().or_else(|| wanted.output());
    let outputs = [path.as_deref(), arguments.report.as_deref(), arguments.checkpoint.as_deref()];
    output::check_outputs(std::slice::from_ref(&arguments.input), outputs)?;
    path.as_deref().map(write::Target::new).transpose()?;
    let bar = output::spinner(shared, format!("placing {}", arguments.input.display()));
    let relaxation = wanted.relaxation(arguments, shared);
    bar.finish_and_clear();
    let mut relaxation = relaxation?;
    for note in relaxation.notes().iter().cloned().chain(relaxation.verdicts().iter().map(ToString::to_string)) {
        output::note(shared, &note);
    }
    if let Some(spheres) = arguments.proxy {
        relaxation.run_proxies(spheres.get(), 100);
    }
    if arguments.resume {
        resume(&mut relaxation, arguments, shared)?;
    }
    Ok((relaxation, path))
}

/// What sharing the scene took.
#[derive(serde::Serialize)]
struct Carried {
    #[serde(flatten)]
    burden: Burden,
    most_peak_memory_bytes: i64,
}

/// The report and the files, as of one process. Whether no overlap is left.
fn told(
    relaxation: &Relaxation,
    carried: &Carried,
    path: Option<PathBuf>,
    before: Option<pictures::Before>,
    arguments: &Arguments,
    shared: &Shared,
) -> Result<bool, Failure> {
    let report = relaxation.report();
    if shared.json {
        let mut document = serde_json::to_value(&report)?;
        document["ranks"] = serde_json::to_value(carried)?;
        output::print(&(serde_json::to_string_pretty(&document)? + "\n"))?;
    } else {
        let burden = &carried.burden;
        output::print(&format!(
            "{report}{} ranks: at most {} molecules of their own and {} ghosts, {:.1} MB of memory; {:.1} messages and {:.1} kB an iteration\n",
            burden.ranks,
            thousands(burden.most_owned as u64),
            thousands(burden.most_ghosts as u64),
            1e-6 * carried.most_peak_memory_bytes as f64,
            burden.messages_per_iteration,
            1e-3 * burden.bytes_per_iteration,
        ))?;
    }
    if let Some(path) = &path {
        let target = write::Target::new(path)?;
        let atoms = write::model(relaxation, &target)?;
        output::note(shared, &format!("wrote {} with {} atoms", path.display(), thousands(atoms)));
    }
    if let Some(path) = &arguments.report {
        let pictures = before.and_then(|before| before.and_after(relaxation, shared));
        write::page(&report, pictures.as_ref(), path)?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    Ok(report.is_clean())
}
