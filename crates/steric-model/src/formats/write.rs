//! Writing by the file's ending, without ever leaving half a file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Format, cif, gro, pdb, xyz};
use crate::{Structure, WriteError};

/// Writes a structure in the format that the ending names; `.gz` compresses. The file appears whole or not at all.
///
/// ```
/// use steric_model::formats::{read, write, xyz::read_xyz};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("packed.gro.gz");
/// let zinc = read_xyz(b"1\nzinc\nZn 1.0 2.0 3.0\n", "zinc.xyz".as_ref())?.value;
/// write(&path, &zinc)?;
/// assert_eq!(read(&path)?.value.atoms.positions, zinc.atoms.positions);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: &Path, structure: &Structure) -> Result<(), WriteError> {
    let format = written(path)?;
    // A device or a pipe cannot be renamed onto; a link keeps pointing where it points.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let is_special = fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    let result = if is_special {
        File::create(&target).and_then(|file| fill(file, path, format, structure)).map(drop)
    } else {
        write_beside(&target, path, format, structure)
    };
    result.map_err(|error| explain(error, path))
}

/// The bytes of the file that [`write()`] would write, for those who have no files.
///
/// ```
/// use steric_model::formats::{to_bytes, xyz::read_xyz};
///
/// let zinc = read_xyz(b"1\nzinc\nZn 1.0 2.0 3.0\n", "zinc.xyz".as_ref())?.value;
/// assert!(to_bytes("zinc.gro.gz".as_ref(), &zinc)?.starts_with(&[0x1f, 0x8b]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_bytes(path: &Path, structure: &Structure) -> Result<Vec<u8>, WriteError> {
    fill(Vec::new(), path, written(path)?, structure).map_err(|error| explain(error, path))
}

/// The format of a file, if it is one that can be written.
fn written(path: &Path) -> Result<Format, WriteError> {
    let format = Format::from_path(path).ok_or_else(|| unknown_ending(path))?;
    if format.is_written() { Ok(format) } else { Err(WriteError::Unrepresentable(cannot_write(format))) }
}

/// Writes a structure to any stream in this format, uncompressed.
///
/// ```
/// use steric_model::formats::{Format, write_bytes, xyz::read_xyz};
///
/// let zinc = read_xyz(b"1\nzinc\nZn 1.0 2.0 3.0\n", "zinc.xyz".as_ref())?.value;
/// let mut pdb = Vec::new();
/// write_bytes(Format::Pdb, &zinc, &mut pdb)?;
/// assert!(String::from_utf8(pdb)?.contains("   1.000   2.000   3.000"));
/// assert!(write_bytes(Format::Sdf, &zinc, &mut Vec::new()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bytes(format: Format, structure: &Structure, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Pdb => pdb::write_pdb(structure, out),
        Format::Mmcif => cif::write_mmcif(structure, out),
        Format::Bcif => cif::write_bcif(structure, out),
        Format::Gro => gro::write_gro(structure, out),
        Format::Xyz => xyz::write_xyz(structure, out),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, cannot_write(format))),
    }
}

fn write_beside(target: &Path, path: &Path, format: Format, structure: &Structure) -> io::Result<()> {
    let (temporary, file) = create_beside(target)?;
    let result = fill(file, path, format, structure)
        .and_then(|file| file.sync_all())
        .and_then(|()| fs::rename(&temporary, target));
    if result.is_err() {
        // The first error is the one to report; a file that cannot be removed is a lesser one.
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn fill<W: Write>(file: W, path: &Path, format: Format, structure: &Structure) -> io::Result<W> {
    let is_gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let mut buffer = BufWriter::with_capacity(1 << 18, file);
    if is_gzip {
        let mut encoder = GzEncoder::new(buffer, Compression::default());
        write_bytes(format, structure, &mut BufWriter::with_capacity(1 << 16, &mut encoder))?;
        buffer = encoder.finish()?;
    } else {
        write_bytes(format, structure, &mut buffer)?;
    }
    buffer.into_inner().map_err(io::IntoInnerError::into_error)
}

// A name that no other process and no other call has: hidden, with the process and a running number.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    static RUNNING: AtomicU32 = AtomicU32::new(0);
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?;
    // A browser has neither processes nor files; to ask for the first panics, and the second say so themselves.
    let process = if cfg!(target_family = "wasm") { 0 } else { std::process::id() };
    loop {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{process}-{}.tmp", RUNNING.fetch_add(1, Ordering::Relaxed)));
        let temporary = target.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

// A writer refuses with its own sentence; everything else comes from the operating system.
fn explain(error: io::Error, path: &Path) -> WriteError {
    match error.get_ref() {
        Some(sentence) if error.kind() == io::ErrorKind::InvalidInput => {
            WriteError::Unrepresentable(format!("{}: {sentence}", path.display()))
        }
        _ => WriteError::Io { path: path.to_owned(), source: error },
    }
}

fn writable_endings() -> String {
    let formats = Format::ALL.into_iter().filter(|format| format.is_written());
    formats.map(|format| format!(".{}", format.extensions()[0])).collect::<Vec<_>>().join(", ")
}

fn unknown_ending(path: &Path) -> WriteError {
    let endings = writable_endings();
    WriteError::Unrepresentable(format!("{}: the ending names no format; use one of {endings}", path.display()))
}

fn cannot_write(format: Format) -> String {
    format!("{} files are read but not written; use one of {}", format.name(), writable_endings())
}
