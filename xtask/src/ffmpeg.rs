//! The program ffmpeg, so that the tests write films with it.
//!
//! How it works: as root on Debian it is installed, 55 MB in about 45 seconds; elsewhere it is named. Without it those tests skip
//! themselves, and the summary says so.

use crate::steps::{Steps, answers};
use crate::system;
use std::process::Command;

/// The Debian package, which has `ffprobe` too.
const SYSTEM_PACKAGES: [&str; 1] = ["ffmpeg"];

/// Makes sure that there is an ffmpeg, where that is possible.
pub(crate) fn on_the_path(steps: &mut Steps) {
    const STEP: &str = "ffmpeg";
    if is_there() {
        steps.note(STEP, "found");
        return;
    }
    system::install(&SYSTEM_PACKAGES);
    if is_there() {
        steps.note(STEP, "installed");
    } else {
        steps.skip(STEP, format!("films are not tested; system packages: {}", SYSTEM_PACKAGES.join(" ")));
    }
}

fn is_there() -> bool {
    ["ffmpeg", "ffprobe"].iter().all(|program| answers(Command::new(program).arg("-version")))
}
