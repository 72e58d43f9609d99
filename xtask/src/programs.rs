//! Programs of the system that tests use: ffmpeg for films, a screen that nobody sees for the window, a browser for the page, and MPI for runs on many machines.
//!
//! How it works: as root on Debian they are installed (ffmpeg is 55 MB, about 45 seconds); elsewhere they are named. Without them those
//! tests skip themselves, and the summary says so.

use crate::steps::{Steps, answers};
use crate::system;
use std::process::Command;

/// Makes sure that the programs are there, where that is possible.
pub(crate) fn on_the_path(steps: &mut Steps) {
    let answer = |program: &str| answers(Command::new(program).arg("-version"));
    // The package has `ffprobe` too.
    ready(steps, "ffmpeg", "films are not tested", &["ffmpeg"], || answer("ffmpeg") && answer("ffprobe"));
    // The last ones are what the window wants at run time.
    let packages = ["xvfb", "xdotool", "libxkbcommon-x11-0", "libxcursor1", "libxi6", "libxrandr2"];
    let is_there = || answer("xdotool") && answers(Command::new("which").arg("Xvfb"));
    ready(steps, "screen", "the window is not tested", &packages, is_there);
}

/// Whether gamepads and sound can be built: they need headers of the system.
pub(crate) fn device_libraries(steps: &mut Steps) -> bool {
    let is_there = || answers(Command::new("pkg-config").args(["--exists", "libudev", "alsa"]));
    let packages = ["pkg-config", "libudev-dev", "libasound2-dev"];
    ready(steps, "device libraries", "gamepads and sound are not compiled", &packages, is_there);
    is_there()
}

/// Whether runs on several machines can be built and tried: Open MPI, and the library that reads its header (54 MB to fetch).
pub(crate) fn mpi(steps: &mut Steps) -> bool {
    let answer = |program: &str| answers(Command::new(program).arg("--version"));
    let is_there = || answer("mpirun") && answer("mpicc") && has_libclang();
    let packages = ["openmpi-bin", "libopenmpi-dev", "libclang-dev"];
    ready(steps, "MPI", "runs on several machines are not tested", &packages, is_there);
    is_there()
}

/// Where there is no list of libraries, the build finds out.
fn has_libclang() -> bool {
    let listed = Command::new("/sbin/ldconfig").arg("-p").output();
    std::env::var_os("LIBCLANG_PATH").is_some()
        || answers(Command::new("llvm-config").arg("--version"))
        || listed.map_or(true, |list| String::from_utf8_lossy(&list.stdout).contains("libclang"))
}

/// A browser, where there is one.
pub(crate) fn browser(steps: &mut Steps) -> Option<&'static str> {
    const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
    let found = || NAMES.into_iter().find(|name| answers(Command::new(name).arg("--version")));
    ready(steps, "browser", "the page is not tested", &["chromium"], || found().is_some());
    found()
}

fn ready(steps: &mut Steps, step: &'static str, without: &str, packages: &[&str], is_there: impl Fn() -> bool) {
    if is_there() {
        steps.note(step, "found");
        return;
    }
    system::install(packages);
    if is_there() {
        steps.note(step, "installed");
    } else {
        steps.skip(step, format!("{without}; system packages: {}", packages.join(" ")));
    }
}
