//! Packages of the system that some tests need.
//!
//! How it works: as root on Debian, which is what a build machine is, they are installed; elsewhere the caller names them
//! and goes on without, because nobody wants a test to ask for a password.

use crate::steps::answers;
use std::path::Path;
use std::process::Command;

/// Installs Debian packages where that is possible, and says whether it was done.
pub(crate) fn install(packages: &[&str]) -> bool {
    let debian = Path::new("/etc/debian_version").exists();
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !debian || !root {
        return false;
    }
    println!("installing {}", packages.join(" "));
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").args(["install", "--yes", "--quiet", "--no-install-recommends"]);
    apt.args(packages);
    // A fresh image has no package lists, so they are fetched before giving up.
    answers(&mut apt) || (answers(Command::new("apt-get").args(["update", "--quiet"])) && answers(&mut apt))
}
