//! Whole checks of large models, as a user runs them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Setup;
use crate::row::write_result;

const FILES: [&str; 4] = [
    "structures/large/4v8r_hybrid36.pdb.gz",
    "structures/large/1m4x.cif.gz",
    "mesoscale/results/HIV_mature_model.json.gz",
    "mesoscale/petworld_sarscov2.bcif.gz",
];

/// Runs `steric check` on each file and writes `models.csv`: the median of five by the whole time, start of the program
/// included.
pub(crate) fn models(setup: &Setup) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if !folder.is_dir() {
        println!("skipped: no ../shared/data");
        return Ok(());
    }
    let mut csv = "file,atoms,molecules,overlaps,read_s,index_s,detect_s,whole_s,peak_mb\n".to_owned();
    for file in FILES {
        let mut runs =
            (0..setup.repeats.unwrap_or(5)).map(|_| check(setup, &folder.join(file))).collect::<Result<Vec<_>, _>>()?;
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let Run { seconds: whole, peak_mb, report } = &runs[runs.len() / 2];
        let seconds = |part: &str| report["seconds"][part].as_f64().unwrap_or_default();
        let count = |key: &str| report[key].as_u64().unwrap_or_default();
        let line = format!(
            "{file},{},{},{},{:.4},{:.4},{:.4},{whole:.4},{peak_mb:.1}",
            count("atoms"),
            count("molecules"),
            count("overlaps"),
            seconds("read"),
            seconds("index"),
            seconds("detect"),
        );
        println!("{line}");
        csv += &line;
        csv.push('\n');
    }
    write_result("models.csv", &csv)
}

/// One whole run.
struct Run {
    seconds: f64,
    peak_mb: f64,
    report: Value,
}

fn check(setup: &Setup, file: &Path) -> Result<Run, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", setup.steric.display());
    let start = Instant::now();
    let mut command = Command::new(&setup.steric);
    let mut child =
        command.args(["check", "--json", "--quiet"]).arg(file).stdout(Stdio::piped()).spawn().map_err(failed)?;
    // The report is smaller than a pipe, so the program never waits for us to read it.
    let mut peak_mb = 0.0;
    while child.try_wait().map_err(failed)?.is_none() {
        peak_mb = peak_of(child.id()).unwrap_or(peak_mb);
        std::thread::sleep(Duration::from_millis(1));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = child.wait_with_output().map_err(failed)?;
    // Exit code 1 says that there are overlaps, which is an answer.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{}: {}", file.display(), output.status));
    }
    let report = serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Run { seconds, peak_mb, report })
}

/// The largest resident memory of a process so far, in megabytes of 10^6 bytes; Linux only.
fn peak_of(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    kilobytes.trim().parse::<f64>().ok().map(|kilobytes| kilobytes * 1024.0 / 1e6)
}
