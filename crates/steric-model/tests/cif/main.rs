//! mmCIF and BinaryCIF: real files against the counts of other readers, small files for each rule, round trips, and
//! broken input.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod broken;
mod files;
mod round_trips;
mod small;

use std::io::Read;
use std::path::Path;

use steric_model::formats::cif::{read_bcif, read_mmcif};
use steric_model::{Parsed, Structure};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// The decompressed bytes of a shared file; `None`, with a note, where the folder is absent.
fn load(path: &str) -> Option<Vec<u8>> {
    if !Path::new(DATA).exists() {
        eprintln!("skipped: no ../shared/data");
        return None;
    }
    let bytes = std::fs::read(Path::new(DATA).join(path)).unwrap();
    if !path.ends_with(".gz") {
        return Some(bytes);
    }
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
    Some(plain)
}

/// Reads a shared file in the format that its name tells.
fn read(path: &str) -> Option<Parsed<Structure>> {
    let reader = if path.contains(".bcif") { read_bcif } else { read_mmcif };
    Some(reader(&load(path)?, Path::new(path)).unwrap())
}

/// Reads a small file given as text.
fn read_text(text: &str) -> Parsed<Structure> {
    read_mmcif(text.as_bytes(), Path::new("small.cif")).unwrap()
}
