//! A screen that nobody sees, so that the tests open the studio's window on it.
//!
//! How it works: as root on Debian Xvfb and xdotool are installed; elsewhere they are named. Without them the test of the window skips
//! itself, and the summary says so.

use crate::steps::{Steps, answers};
use crate::system;
use std::process::Command;

/// The Debian packages; winit wants the last ones at run time.
const SYSTEM_PACKAGES: [&str; 6] = ["xvfb", "xdotool", "libxkbcommon-x11-0", "libxcursor1", "libxi6", "libxrandr2"];

/// Makes sure that there is a screen, where that is possible.
pub(crate) fn unseen(steps: &mut Steps) {
    const STEP: &str = "screen";
    if is_there() {
        steps.note(STEP, "found");
        return;
    }
    system::install(&SYSTEM_PACKAGES);
    if is_there() {
        steps.note(STEP, "installed");
    } else {
        steps.skip(STEP, format!("the window is not tested; system packages: {}", SYSTEM_PACKAGES.join(" ")));
    }
}

fn is_there() -> bool {
    answers(Command::new("xdotool").arg("-version")) && answers(Command::new("which").arg("Xvfb"))
}
