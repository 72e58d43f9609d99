//! The Python package: built as a wheel, installed where nothing else is, and tested there.
//!
//! How it works: an environment beside the build has maturin and what the tests import; a second one is made anew each time, sees the packages
//! of the first, and gets the wheel. The wheel is built with the profile and the target directory of the other tests, so that only the package
//! itself is compiled. Without Python or without a network the step is skipped, and says so.

use crate::steps::{Steps, answers, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What builds, and what the tests import.
const PACKAGES: [&str; 11] = [
    "maturin>=1.9,<2",
    "numpy",
    "pytest",
    "hypothesis",
    "mypy",
    "tqdm",
    "pandas",
    "MDAnalysis",
    "biotite",
    "ase",
    "gemmi",
];

/// Builds the wheel, installs it into a fresh environment and runs its tests.
pub(crate) fn tested(steps: &mut Steps) {
    let Some(tools) = tools() else {
        steps.skip("python wheel", format!("no {} from pip, or no python3 -m venv", PACKAGES.join(", ")));
        return;
    };
    steps.run("python wheel", || {
        let wheels = target().join("xtask-wheels");
        // Wheels of earlier versions must not be found.
        let _ = std::fs::remove_dir_all(&wheels);
        let mut build = Command::new(&tools);
        build.args(["-m", "maturin", "build", "--profile", "dev", "--strip", "false", "--interpreter"]).arg(&tools);
        build.arg("--manifest-path").arg(root().join("python/Cargo.toml")).arg("--out").arg(&wheels);
        succeeded(build.current_dir(root()).env("CARGO_TARGET_DIR", target()))?;
        let python = fresh(&tools)?;
        let wheel = std::fs::read_dir(&wheels).map_err(|error| error.to_string())?.flatten().next();
        let wheel = wheel.ok_or("maturin left no wheel")?.path();
        let mut install = Command::new(&python);
        succeeded(install.args(["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"]).arg(wheel))?;
        let mut tests = Command::new(&python);
        // From a folder that has no package called steric.
        tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).current_dir(root().join("python/tests"));
        succeeded(&mut tests)
    });
}

/// The environment that is kept; `None` where it cannot be made.
fn tools() -> Option<PathBuf> {
    let folder = target().join("xtask-python-wheel");
    let python = interpreter(&folder);
    let imports = "import maturin, numpy, pytest, hypothesis, mypy, tqdm, pandas, MDAnalysis, biotite, ase, gemmi";
    let is_ready = || answers(Command::new(&python).args(["-c", imports]));
    let is_made = is_ready()
        || answers(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && answers(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES));
    is_made.then_some(python)
}

/// An environment made anew, with the packages of the other in sight.
fn fresh(tools: &Path) -> Result<PathBuf, String> {
    let folder = target().join("xtask-python-fresh");
    let mut make = Command::new(tools);
    succeeded(make.args(["-m", "venv", "--clear"]).arg(&folder))?;
    let python = interpreter(&folder);
    let places = |python: &Path| -> Result<String, String> {
        let mut ask = Command::new(python);
        let said = ask.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).output();
        let said = said.map_err(|error| error.to_string())?.stdout;
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    };
    let (ours, theirs) = (places(&python)?, places(tools)?);
    std::fs::write(Path::new(&ours).join("tools.pth"), theirs + "\n").map_err(|error| format!("{ours}: {error}"))?;
    Ok(python)
}

fn interpreter(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

fn succeeded(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", command.get_program().display())) }
}
