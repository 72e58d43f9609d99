//! Folders that are there whole or not at all; files are `steric_model::file_beside`.

use std::io;
use std::path::Path;

/// A folder on the disk where another is or will be, which is removed when it is dropped.
pub(super) fn folder_within(path: &Path) -> io::Result<tempfile::TempDir> {
    let there = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".steric-").tempdir_in(there).map_err(|error| io::Error::from(error.kind()))
}
