//! Files that are there whole or not at all.
//!
//! How it works: a file is written under a temporary name in the folder where it will be, so that the last step is to rename
//! it, which no interruption can cut in two.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

const PREFIX: &str = ".steric-";

/// An empty file beside another, which is removed when it is dropped.
pub(crate) fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        // As any other program would create it: readable to whom the umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // Only its kind: the message of tempfile names the temporary file, which nobody asked for.
    builder.tempfile_in(folder_of(path)).map_err(|error| io::Error::from(error.kind()))
}

/// A folder on the disk where another is or will be, which is removed when it is dropped.
pub(super) fn folder_within(path: &Path) -> io::Result<tempfile::TempDir> {
    let there = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(there).map_err(|error| io::Error::from(error.kind()))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
