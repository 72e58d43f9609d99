//! Whole relaxations, as a user runs them: how many iterations, how long, how much memory.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Setup;
use crate::row::write_result;

const HEADER: &str = "scene,lipids,response,seed,threads,atoms,overlaps_before,overlaps_after,overlapping_after,broken,\
iterations,stop,searches,relax_s,all_s,mean_step_ms,peak_mb,state_hash\n";

/// A vesicle of so many lipids, relaxed by a response.
struct Job {
    lipids: u64,
    response: &'static str,
    seed: u64,
    most_iterations: u32,
}

/// Twenty seeds of the vesicle with 2,000 lipids for each response, then 77,000 lipids (four million atoms), and, where
/// `--atoms` asks for that many, two million lipids for ten steps.
pub(crate) fn relax(setup: &Setup) -> Result<(), String> {
    let mut jobs = Vec::new();
    for (response, seeds) in [("newton", 20), ("projection", 5), ("thesis", 5)] {
        jobs.extend((1..=seeds).map(|seed| Job { lipids: 2_000, response, seed, most_iterations: 400 }));
    }
    jobs.extend((1..=3).map(|seed| Job { lipids: 77_000, response: "newton", seed, most_iterations: 400 }));
    if setup.atoms.is_some_and(|atoms| atoms >= 100_000_000) {
        jobs.push(Job { lipids: 2_000_000, response: "newton", seed: 1, most_iterations: 10 });
    }
    let mut csv = HEADER.to_owned();
    for job in &jobs {
        let line = row(job, &run(setup, job)?);
        println!("{line}");
        csv += &line;
        csv.push('\n');
    }
    write_result("relax.csv", &csv)
}

fn run(setup: &Setup, job: &Job) -> Result<Value, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", setup.steric.display());
    let mut command = Command::new(&setup.steric);
    command.args(["relax", "vesicle", "--json", "--quiet", "--area-per-lipid", "68", "--response", job.response]);
    command.args(["--count", &job.lipids.to_string(), "--seed", &job.seed.to_string()]);
    command.args(["--max-iterations", &job.most_iterations.to_string()]);
    let output = command.stderr(Stdio::inherit()).output().map_err(failed)?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("steric relax: {error}"))
}

fn row(job: &Job, report: &Value) -> String {
    let stages = report["stages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let seconds = |stage: &Value| stage["seconds"].as_f64().unwrap_or_default();
    let relax: f64 = stages.iter().filter(|stage| stage["name"] == "relax").map(seconds).sum();
    let all: f64 = stages.iter().map(seconds).sum();
    let iterations = report["iterations"].as_u64().unwrap_or_default();
    let peak_mb = report["peak_memory_bytes"].as_f64().unwrap_or_default() / 1e6;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!(
        "vesicle,{},{},{},{},{},{},{},{},{},{iterations},{},{},{relax:.3},{all:.3},{:.2},{peak_mb:.0},{}",
        job.lipids,
        job.response,
        job.seed,
        report["threads"],
        report["atoms"],
        report["before"]["overlaps"],
        report["after"]["overlaps"],
        report["after"]["molecules"],
        report["holds"]["broken"],
        text(&report["stop"]),
        report["searches"],
        1e3 * relax / iterations.max(1) as f64,
        text(&report["state_hash"]),
    )
}
