//! The fitting task of 1989, tried by a bot.

use std::fmt::Write as _;
use std::io::Write as _;

use rayon::prelude::*;
use serde::Serialize;
use steric::dock::TRIAL_HEADING;
use steric::world::dock::{FittingTask, Response, Solution};

use super::Arguments;
use crate::failure::Failure;
use crate::options::Shared;
use crate::output::{self, Verdict};

/// A bot gives up after so many motions.
const PATIENCE: u32 = 20_000;

/// A trial.
#[derive(Debug, Serialize)]
struct Tried {
    seed: u64,
    response: Response,
    #[serde(flatten)]
    solution: Solution,
}

/// All of them.
#[derive(Debug, Serialize)]
struct Trials {
    trials: Vec<Tried>,
    solved: usize,
    /// Of those that were solved.
    median_motions: Option<u32>,
    /// How long the engine took for a motion, in microseconds.
    microseconds_a_motion: f64,
}

pub(super) fn run(arguments: &Arguments, shared: &Shared, trials: u32) -> Result<Verdict, Failure> {
    if arguments.receptor.as_deref() != Some("fitting".as_ref()) || arguments.ligand.is_some() {
        return Err(Failure::usage("--bot: expected the scene fitting, found another one; no bot docks molecules"));
    }
    output::check_outputs(&[], [shared.output.as_deref()])?;
    let (task, response) = (FittingTask::new(), arguments.response);
    let bar = output::bar(shared, u64::from(trials), "trials");
    let one = |trial: u32| {
        let seed = shared.seed().wrapping_add(u64::from(trial));
        let solution = task.solve(response, seed, PATIENCE);
        bar.inc(1);
        Tried { seed, response, solution }
    };
    let trials: Vec<Tried> = (0..trials).into_par_iter().map(one).collect();
    bar.finish_and_clear();
    let mut motions: Vec<u32> =
        trials.iter().filter(|trial| trial.solution.is_solved).map(|trial| trial.solution.motions).collect();
    motions.sort_unstable();
    let seconds: f64 = trials.iter().map(|trial| trial.solution.seconds).sum();
    let all: u32 = trials.iter().map(|trial| trial.solution.motions).sum();
    let trials = Trials {
        solved: motions.len(),
        median_motions: motions.get(motions.len() / 2).copied(),
        microseconds_a_motion: 1e6 * seconds / f64::from(all.max(1)),
        trials,
    };
    let is_table = |path: &std::path::Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let table = shared.output.clone().filter(|path| is_table(path));
    if let Some(path) = &table {
        let rows = csv(&trials.trials);
        output::write_whole(path, |file| file.write_all(rows.as_bytes()).map_err(|error| Failure::io(path, &error)))?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let elsewhere = Shared { output: shared.output.clone().filter(|_| table.is_none()), ..shared.clone() };
    output::report(&elsewhere, &trials, |_| text(&trials, response))?;
    Ok(Verdict::Clean)
}

/// In the columns that the window writes for people.
fn csv(trials: &[Tried]) -> String {
    let mut text = TRIAL_HEADING.to_owned();
    for Tried { seed, response, solution } in trials {
        let Solution { is_solved, motions, hits, seconds } = solution;
        // Writing to a string does not fail.
        let _ = writeln!(text, "bot {seed},{response},{is_solved},{seconds:.6},{motions},{hits},0");
    }
    text
}

fn text(trials: &Trials, response: Response) -> String {
    let median = trials.median_motions.map_or(String::new(), |median| format!(", {median} motions in the median"));
    format!(
        "fitting task, response {response}: a bot solved {} of {}{median}, {:.1} µs a motion\n",
        trials.solved,
        trials.trials.len(),
        trials.microseconds_a_motion
    )
}
