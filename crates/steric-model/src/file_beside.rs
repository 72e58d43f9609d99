//! Files that are there whole or not at all.
//!
//! How it works: a file is written under a temporary name in the folder where it will be, so that the last step is to rename
//! it, which no interruption can cut in two.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// An empty file beside another and with its ending, which is removed when it is dropped.
///
/// ```
/// use std::io::Write;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("whole.txt");
/// let mut file = steric_model::file_beside(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.persist(&path)?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn file_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    let mut builder = tempfile::Builder::new();
    builder.prefix(".steric-").suffix(&ending);
    #[cfg(unix)]
    {
        // As any other program would create it: readable to whom the umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // Only its kind: the message of tempfile names the temporary file, which nobody asked for.
    builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))
}
