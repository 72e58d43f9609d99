//! What the tests of file formats share: the real files, decompressed, and what the data's README counts in them.
#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of real files, if this checkout has one.
pub(crate) fn data() -> Option<PathBuf> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    if !folder.is_dir() {
        println!("skipped: no ../shared/data");
        return None;
    }
    Some(folder.to_owned())
}

/// Every file below a folder, sorted.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The content of a file, decompressed if its name ends in `.gz`.
pub(crate) fn content(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return bytes;
    }
    let mut content = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut content).unwrap();
    content
}

/// The row of the data's README about a file: what it is and what was counted in it.
pub(crate) fn readme_row(data: &Path, file: &Path) -> String {
    let readme = std::fs::read_to_string(data.join("README.md")).unwrap();
    let folder = file.parent().unwrap().strip_prefix(data).unwrap().display().to_string();
    let name = file.file_name().unwrap().to_string_lossy();
    let section = readme.split("\n### ").find(|section| section.starts_with(&format!("`{folder}/`"))).unwrap();
    let row = section.lines().find(|row| row.starts_with(&format!("| `{name}` |")));
    row.unwrap_or_else(|| panic!("the README has no row for {}", file.display())).to_owned()
}

/// The number in front of a word: 87 in `87 atoms`.
pub(crate) fn count(row: &str, word: &str) -> Option<usize> {
    let at = row.find(&format!(" {word}"))?;
    row[..at].rsplit(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}
