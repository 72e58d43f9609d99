//! Runs named steps one after another, times them and sums up.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What became of a step.
enum Outcome {
    Passed,
    /// Nothing had to run; how things stand.
    Noted(String),
    Failed(String),
    Skipped(String),
}

/// The steps that ran so far.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<(&'static str, Outcome, Duration)>,
}

impl Steps {
    /// Runs a command; it passes when the command exits with zero.
    pub(crate) fn command(&mut self, name: &'static str, mut command: Command) {
        self.run(name, || {
            let status = command.status().map_err(|error| format!("could not start: {error}"))?;
            if status.success() { Ok(()) } else { Err(format!("{}: {}", line(&command), status)) }
        });
    }

    /// Runs a step of our own.
    pub(crate) fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<(), String>) {
        println!("\n── {name}");
        let start = Instant::now();
        let outcome = step().map_or_else(Outcome::Failed, |()| Outcome::Passed);
        self.done.push((name, outcome, start.elapsed()));
        self.report(self.done.len() - 1);
    }

    /// Notes how things stand that later steps need.
    pub(crate) fn note(&mut self, name: &'static str, how: impl Into<String>) {
        self.done.push((name, Outcome::Noted(how.into()), Duration::ZERO));
        self.report(self.done.len() - 1);
    }

    /// Notes a step that cannot run here, and why.
    pub(crate) fn skip(&mut self, name: &'static str, reason: impl Into<String>) {
        self.done.push((name, Outcome::Skipped(reason.into()), Duration::ZERO));
        self.report(self.done.len() - 1);
    }

    fn report(&self, step: usize) {
        let (name, outcome, took) = &self.done[step];
        let (word, reason) = match outcome {
            Outcome::Passed => ("passed", ""),
            Outcome::Noted(how) => ("ready", how.as_str()),
            Outcome::Failed(reason) => ("FAILED", reason.as_str()),
            Outcome::Skipped(reason) => ("skipped", reason.as_str()),
        };
        println!("{word:8}{name:24}{:8.1} s  {reason}", took.as_secs_f64());
    }

    /// Prints every step once more; fails if one failed.
    pub(crate) fn summary(&self) -> ExitCode {
        println!("\n── summary");
        (0..self.done.len()).for_each(|step| self.report(step));
        let failed = self.done.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_))).count();
        let took: Duration = self.done.iter().map(|(_, _, took)| *took).sum();
        println!("{failed} of {} steps failed, {:.1} s in all", self.done.len(), took.as_secs_f64());
        ExitCode::from(u8::from(failed > 0))
    }
}

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// The cargo that runs this program, at work in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root()).args(arguments);
    command
}

/// Whether a command runs and succeeds; what it says is not shown.
pub(crate) fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
