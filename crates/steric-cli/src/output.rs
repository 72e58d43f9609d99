//! Where results go: stdout, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use steric::check::Input;

use crate::failure::Failure;
use crate::options::Shared;

/// What the process answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Done, nothing to complain about.
    Clean,
    /// Done, and there are overlaps.
    Overlaps,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Clean => Self::SUCCESS,
            Verdict::Overlaps => Self::from(1),
        }
    }
}

/// Says before the work begins where nothing can be written: no folder, over a file that is read (a report is no
/// molecule any more), or twice to the same file.
pub(crate) fn check_outputs<const N: usize>(inputs: &[PathBuf], outputs: [Option<&Path>; N]) -> Result<(), Failure> {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b && a.is_file(),
        _ => a == b,
    };
    let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
    for (place, output) in outputs.iter().enumerate() {
        if !folder_of(output).is_dir() {
            let folder = folder_of(output).display();
            return Err(Failure::usage(format!("{}: expected the folder {folder}, found none", output.display())));
        }
        if output.is_dir() {
            return Err(Failure::usage(format!("{}: expected a file to write, found a folder", output.display())));
        }
        if inputs.iter().any(|input| same(input, output)) {
            return Err(Failure::usage(format!("{}: expected a file to write, found the input", output.display())));
        }
        if outputs[..place].iter().any(|other| same(other, output)) {
            return Err(Failure::usage(format!(
                "{}: expected two files to write, found the same twice",
                output.display()
            )));
        }
    }
    Ok(())
}

/// Writes a file under a temporary name beside it and renames it when it is complete.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::io(path, &error);
    // A pipe or a device keeps its name: nothing may be renamed over it.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        let mut device = std::fs::OpenOptions::new().write(true).open(path).map_err(failed)?;
        let mut file = BufWriter::new(&mut device);
        fill(&mut file)?;
        return file.flush().map_err(failed);
    }
    let mut temporary = steric::model::file_beside(path).map_err(failed)?;
    let mut file = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    fill(&mut file)?;
    file.flush().map_err(failed)?;
    drop(file);
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Prints to stdout; a reader that has seen enough (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::io(Path::new("stdout"), &error)),
        _ => Ok(()),
    }
}

/// Puts a report where the user wants it: to `-o` if given, else to stdout; `-o FILE.json` is JSON too.
pub(crate) fn report(
    shared: &Shared,
    document: &impl Serialize,
    text: impl FnOnce(bool) -> String,
) -> Result<(), Failure> {
    let json_file = shared.output.as_ref().is_some_and(|path| path.extension().is_some_and(|end| end == "json"));
    let json = |document: &_| -> Result<String, Failure> { Ok(serde_json::to_string_pretty(document)? + "\n") };
    match &shared.output {
        Some(path) => {
            let content = if shared.json || json_file { json(document)? } else { text(false) };
            write_whole(path, |file| file.write_all(content.as_bytes()).map_err(|error| Failure::io(path, &error)))
        }
        None if shared.json => print(&json(document)?),
        None => print(&text(coloured())),
    }
}

fn coloured() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A spinner on stderr while something takes long; invisible when stderr is no terminal.
pub(crate) fn spinner(shared: &Shared, message: String) -> ProgressBar {
    if shared.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} {msg} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style).with_message(message);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// A bar on stderr while so many things are done one by one; nothing where nobody watches.
pub(crate) fn bar(shared: &Shared, all: u64, what: &str) -> ProgressBar {
    if shared.quiet || all < 2 || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} {eta}");
    ProgressBar::new(all)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_message(what.to_owned())
}

/// Reads a file and says on stderr what was odd about it.
pub(crate) fn read(path: &Path, shared: &Shared) -> Result<Input, Failure> {
    if path == Path::new("-") {
        return Err(Failure::usage("-: expected a file; a pipe is read as /dev/stdin"));
    }
    let bar = spinner(shared, format!("reading {}", path.display()));
    let input = Input::read(path);
    bar.finish_and_clear();
    let input = input?;
    warn_about(&input, shared);
    Ok(input)
}

fn warn_about(input: &Input, shared: &Shared) {
    if shared.quiet {
        return;
    }
    // A handful tells the story; the count tells the extent.
    const SHOWN: usize = 5;
    for warning in input.warnings.first.iter().take(SHOWN) {
        eprintln!("steric: warning: {}: {warning}", input.path.display());
    }
    let more = input.warnings.total.saturating_sub(SHOWN.min(input.warnings.first.len()));
    if more > 0 {
        eprintln!("steric: warning: {}: {more} more warnings", input.path.display());
    }
}

/// Says on stderr, or with `--json` on stdout, that a file was written.
pub(crate) fn wrote(shared: &Shared, document: &Wrote<'_>) -> Result<(), Failure> {
    let atoms = crate::table::counted(document.atoms, "atom");
    note(shared, &format!("wrote {} with {atoms}", document.file.display()));
    if shared.json { print(&(serde_json::to_string_pretty(document)? + "\n")) } else { Ok(()) }
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Wrote<'a> {
    pub(crate) file: &'a Path,
    pub(crate) atoms: u64,
    /// Copies that the format has no word for.
    pub(crate) copies_left_out: u64,
    /// Chains whose names were too long for the format.
    pub(crate) chains_renamed: u64,
}

/// A note on stderr.
pub(crate) fn note(shared: &Shared, message: &str) {
    if !shared.quiet {
        eprintln!("steric: {message}");
    }
}
