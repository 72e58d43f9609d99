//! A program: it has threads and folders.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use steric::gpu::waited;
use steric::model::Structure;
use steric::save::write_model;

use crate::files::Arrivals;

/// Whether there are folders to choose a file in.
pub(crate) const HAS_FOLDERS: bool = true;

/// Does something at once.
pub(crate) fn soon(work: impl Future<Output = ()> + 'static) {
    waited(work);
}

/// Does something that takes long beside the window.
pub(crate) fn beside(name: &str, work: impl FnOnce() + Send + 'static) {
    // Where there is no thread to be had nothing would come of waiting, either.
    std::thread::Builder::new().name(name.to_owned()).spawn(work).ok();
}

/// Other threads go on anyway.
pub(crate) async fn breathe() {}

/// Takes a file that was dropped on the window.
pub(crate) fn take(file: &Arc<dyn egui::DroppedFile + Send + Sync>, arrivals: &Arrivals, _ctx: &egui::Context) {
    arrivals.add(file.path().display().to_string(), file.bytes());
}

/// A file is chosen in a window of ours.
pub(crate) fn choose(_arrivals: &Arrivals, _ctx: &egui::Context) {}

/// Writes a file beside its name and renames it, so that it appears whole or not at all.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    std::fs::write(&part, bytes).map_err(wrong)?;
    std::fs::rename(&part, path).map_err(wrong)
}

/// Writes molecules.
pub(crate) fn save_model(path: &Path, structure: &Structure) -> Result<(), String> {
    write_model(path, structure).map(|_| ()).map_err(|error| error.to_string())
}

/// What is remembered under a name.
pub(crate) fn kept(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

/// Remembers something under a name; a folder that cannot be written to is not worth a word.
pub(crate) fn keep(folder: &Path, name: &str, text: &str) {
    if std::fs::create_dir_all(folder).is_ok() {
        save(&folder.join(name), text.as_bytes()).ok();
    }
}

/// Remembers it no more.
pub(crate) fn forget(folder: &Path, name: &str) {
    std::fs::remove_file(folder.join(name)).ok();
}
