//! A software Vulkan, so that the GPU tests run on a machine without a GPU.
//!
//! How it works: Vulkan drivers announce themselves by JSON files in well-known folders; Mesa's lavapipe, which draws on the
//! processor, is called `lvp_icd`. Without it the GPU tests skip themselves, and the summary says so.

use crate::steps::Steps;
use crate::system;
use std::path::{Path, PathBuf};

/// Debian packages with lavapipe and the library that finds it.
const SYSTEM_PACKAGES: [&str; 2] = ["mesa-vulkan-drivers", "libvulkan1"];
/// Below these drivers announce themselves.
const FOLDERS: [&str; 3] = ["/usr/share", "/usr/local/share", "/etc"];

/// Makes sure that there is a software Vulkan, where that is possible.
pub(crate) fn software(steps: &mut Steps) {
    const STEP: &str = "software Vulkan";
    if let Some(driver) = driver() {
        steps.note(STEP, format!("found: {}", driver.display()));
        return;
    }
    system::install(&SYSTEM_PACKAGES);
    match driver() {
        Some(driver) => steps.note(STEP, format!("installed: {}", driver.display())),
        None => steps.skip(STEP, format!("GPU tests skip; system packages: {}", SYSTEM_PACKAGES.join(" "))),
    }
}

/// The file of the software driver, if it is there.
fn driver() -> Option<PathBuf> {
    FOLDERS.iter().find_map(|folder| driver_in(&Path::new(folder).join("vulkan/icd.d")))
}

fn driver_in(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.flatten();
    files.map(|file| file.path()).find(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("lvp_icd") && name.ends_with(".json")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_software_driver_counts() -> std::io::Result<()> {
        let folder = std::env::temp_dir().join(format!("steric-xtask-{}", std::process::id()));
        assert_eq!(driver_in(&folder), None);
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("radeon_icd.x86_64.json"), "{}")?;
        assert_eq!(driver_in(&folder), None);
        std::fs::write(folder.join("lvp_icd.x86_64.json"), "{}")?;
        assert_eq!(driver_in(&folder), Some(folder.join("lvp_icd.x86_64.json")));
        std::fs::remove_dir_all(&folder)
    }
}
