//! `cargo xtask web`: the studio as a page, a folder that any server of files can hand out.
//!
//! How it works: the library of the studio is compiled to WebAssembly, wasm-bindgen writes the JavaScript around it, and a page loads both.
//! Which compiler can do that differs from machine to machine, so that is found out first: one that has the target, rustup that fetches it, or
//! Debian's own compiler with the sources of the standard library.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::programs;
use crate::steps::{Steps, answers, cargo, root, target};
use crate::system;

const TARGET: &str = "wasm32-unknown-unknown";
/// The page has to be this small, compressed, in bytes.
const MOST_BYTES: usize = 8_000_000;
/// What Debian calls a compiler to WebAssembly.
const PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

/// Makes the page, and tries it in a browser if that is wanted.
pub(crate) fn chore(arguments: &[String]) -> ExitCode {
    let mut steps = Steps::default();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => drop(page(&mut steps)),
        ["test"] => tested(&mut steps, crate::python::with_readers(&mut Steps::default()).as_deref()),
        _ => {
            eprintln!("expected nothing or \"test\" after web, found {}", arguments.join(" "));
            return ExitCode::from(2);
        }
    }
    steps.summary()
}

/// The folder of the page, if it could be made.
fn page(steps: &mut Steps) -> Option<PathBuf> {
    let Some(compiler) = compiler() else {
        steps.skip("page", format!("no compiler to {TARGET}: rustup target add {TARGET}; or, on Debian, {PACKAGES:?}"));
        return None;
    };
    let folder = target().join("page");
    let mut is_made = false;
    steps.run("page", || {
        run(&mut compile(&compiler))?;
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let wasm = target().join(TARGET).join("web/steric_studio.wasm");
        run(cargo(&["run", "--quiet", "--package", "bind", "--"]).arg(wasm).arg(&folder).arg("studio"))?;
        finish(&folder)?;
        is_made = true;
        Ok(())
    });
    is_made.then_some(folder)
}

/// Puts the page beside the module and says how large it is.
fn finish(folder: &Path) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let wasm = std::fs::read(folder.join("studio_bg.wasm")).map_err(wrong)?;
    let html = std::fs::read_to_string(root().join("crates/steric-studio/web/index.html")).map_err(wrong)?;
    std::fs::write(folder.join("index.html"), html.replace("WASM_BYTES", &wasm.len().to_string())).map_err(wrong)?;
    let script = std::fs::read(folder.join("studio.js")).map_err(wrong)?;
    let compressed = compressed(&wasm).map_err(wrong)? + compressed(&script).map_err(wrong)?;
    println!(
        "{}: {:.1} MB, {:.1} MB compressed (gzip); hand it out with any server of files, such as python3 -m http.server -d {0}",
        folder.display(),
        (wasm.len() + script.len()) as f64 / 1e6,
        compressed as f64 / 1e6
    );
    if compressed > MOST_BYTES {
        return Err(format!("expected at most {MOST_BYTES} bytes, compressed, found {compressed}"));
    }
    Ok(())
}

fn compressed(bytes: &[u8]) -> std::io::Result<usize> {
    use std::io::Write;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

/// A compiler that can make WebAssembly.
enum Compiler {
    /// The one that compiles everything else.
    Own,
    /// Debian's, which compiles the standard library along.
    Debian,
}

fn compiler() -> Option<Compiler> {
    if has_target()
        || (answers(Command::new("rustup").args(["target", "add", TARGET]).current_dir(root())) && has_target())
    {
        return Some(Compiler::Own);
    }
    let is_there = || Path::new("/usr/bin/wasm-ld-19").exists() && Path::new("/usr/bin/cargo").exists();
    if !is_there() {
        system::install(&PACKAGES);
    }
    is_there().then_some(Compiler::Debian)
}

fn has_target() -> bool {
    let asked =
        Command::new("rustc").current_dir(root()).args(["--print", "target-libdir", "--target", TARGET]).output();
    asked.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn compile(compiler: &Compiler) -> Command {
    let arguments = [
        "rustc",
        "--package",
        "steric-studio",
        "--lib",
        "--crate-type",
        "cdylib",
        "--profile",
        "web",
        "--target",
        TARGET,
    ];
    match compiler {
        Compiler::Own => cargo(&arguments),
        Compiler::Debian => {
            let mut command = Command::new("/usr/bin/cargo");
            command.current_dir(root()).args(arguments).args(["-Z", "build-std=std,panic_abort"]);
            command.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19");
            // It is not the cargo that runs this.
            command.env_remove("RUSTUP_TOOLCHAIN");
            command
        }
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("could not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{}: {status}", command.get_program().display())) }
}

/// Makes the page and tries it in a real browser, with WebGPU and with WebGL.
pub(crate) fn tested(steps: &mut Steps, python: Option<&Path>) {
    let Some(folder) = page(steps) else { return };
    let browser = programs::browser(steps);
    let (Some(python), Some(browser)) = (python, browser) else {
        steps.skip("page in a browser", "no Python with playwright, or no chromium");
        return;
    };
    let mut test = Command::new(python);
    test.current_dir(root()).arg("crates/steric-studio/web/test.py").arg(folder).arg(browser);
    steps.command("page in a browser", test);
}
