//! A Python with the packages of the field, for the tests that open our files in other programs.
//!
//! How it works: a virtual environment in the target directory, made once and kept. As root on Debian the missing
//! system packages are installed; elsewhere they are named. Without Python or without a network those tests are
//! skipped, and say so, because the rest of steric needs neither.

use crate::steps::{Steps, answers, target};
use crate::system;
use std::path::PathBuf;
use std::process::Command;

/// What the tests import: gemmi and MDAnalysis read what we write, biotite reads BinaryCIF too, playwright drives a browser.
const PACKAGES: [&str; 4] = ["gemmi", "biotite", "MDAnalysis", "playwright"];
/// What some tests can do without, where a Python has no wheels of it: vina scores poses, simulariumio and pyarrow read
/// particles and tables that we write.
const WELCOME: [&str; 3] = ["vina", "simulariumio", "pyarrow"];
/// Debian packages that `python3 -m venv` needs.
const SYSTEM_PACKAGES: [&str; 2] = ["python3", "python3-venv"];

/// The interpreter of the environment, made if need be; notes a skipped step when there is none.
pub(crate) fn with_readers(steps: &mut Steps) -> Option<PathBuf> {
    let folder = target().join("xtask-python");
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let imports = PACKAGES.map(|package| format!("import {package}")).join("; ");
    if !answers(Command::new(&python).args(["-c", &imports])) {
        if !answers(Command::new("python3").args(["-c", "import venv, ensurepip"])) {
            system::install(&SYSTEM_PACKAGES);
        }
        let made = answers(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && answers(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES));
        if !made {
            let reason = format!("no {} from pip; system packages: {}", PACKAGES.join(", "), SYSTEM_PACKAGES.join(" "));
            steps.skip("other readers", reason);
            return None;
        }
    }
    for package in WELCOME {
        let import = format!("import {package}");
        // Only a wheel: what it would take to compile one is not here.
        let has_it = answers(Command::new(&python).args(["-c", &import]))
            || answers(Command::new(&python).args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--only-binary",
                ":all:",
                package,
            ]));
        if !has_it {
            steps.skip(package, "no wheel for this Python from pip");
        }
    }
    println!("other readers: {} in {}", PACKAGES.join(", "), folder.display());
    Some(python)
}
