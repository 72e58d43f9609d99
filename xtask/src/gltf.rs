//! The validator of glTF that Khronos makes, for the tests that write scenes for Blender.
//!
//! How it works: it is a package of npm without others behind it, fetched once into the target directory. Node is not installed for
//! it, because on Debian npm brings hundreds of packages along; without it those tests skip themselves, and the summary says so.

use crate::steps::{Steps, answers, target};
use std::path::PathBuf;
use std::process::Command;

/// A version that was tried, as a new one may find new faults.
const PACKAGE: &str = "gltf-validator@2.0.0-dev.3.10";

/// The folder with the validator, fetched if need be; notes a skipped step when there is none.
pub(crate) fn validator(steps: &mut Steps) -> Option<PathBuf> {
    const STEP: &str = "glTF validator";
    let folder = target().join("xtask-node");
    let is_there = || {
        let question = format!("require({:?})", folder.join("node_modules/gltf-validator"));
        answers(Command::new("node").args(["-e", &question]))
    };
    let fetch = || {
        let is_made = std::fs::create_dir_all(&folder).is_ok();
        is_made && answers(Command::new("npm").args(["install", "--silent", "--prefix"]).arg(&folder).arg(PACKAGE))
    };
    if is_there() || (fetch() && is_there()) {
        steps.note(STEP, format!("{PACKAGE} in {}", folder.display()));
        return Some(folder);
    }
    steps.skip(STEP, format!("no node with {PACKAGE} from npm"));
    None
}
