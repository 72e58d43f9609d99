//! `steric bench read`: reading files.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use steric::check::Input;

use crate::failure::Failure;
use crate::options::Shared;
use crate::{output, table};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Molecule files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How often each is read
    #[arg(long, value_name = "R", default_value_t = 5)]
    repeats: usize,
}

#[derive(Debug, Serialize)]
struct ReadRow {
    file: String,
    bytes: u64,
    seconds: f64,
    mb_per_s: f64,
    atoms: usize,
}

pub(super) fn run(wanted: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let rows = wanted.files.iter().map(|path| read(path, wanted.repeats)).collect::<Result<Vec<_>, _>>()?;
    output::report(shared, &rows, |_| read_text(&rows))
}

fn read(path: &std::path::Path, repeats: usize) -> Result<ReadRow, Failure> {
    let bytes = decompressed_bytes(path)?;
    let mut times = Vec::new();
    let mut atoms = 0;
    for _ in 0..repeats.max(1) {
        let input = Input::read(path)?;
        atoms = input.structure.atoms.len();
        times.push(input.read.as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    let seconds = times[times.len() / 2];
    let mb_per_s = bytes as f64 / 1e6 / seconds.max(1e-9);
    Ok(ReadRow { file: path.display().to_string(), bytes, seconds, mb_per_s, atoms })
}

/// How much there is to parse: decompression is part of reading, but a compressed file is not smaller to parse.
fn decompressed_bytes(path: &std::path::Path) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::io(path, &error);
    let bytes = std::fs::read(path).map_err(failed)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.len() as u64);
    }
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(&bytes[..]), &mut std::io::sink()).map_err(failed)
}

fn read_text(rows: &[ReadRow]) -> String {
    let cells = |row: &ReadRow| {
        vec![
            row.file.clone(),
            table::thousands(row.bytes),
            table::duration(row.seconds),
            format!("{:.0}", row.mb_per_s),
            table::thousands(row.atoms as u64),
        ]
    };
    let right = [false, true, true, true, true];
    table::columns(&["file", "bytes", "time", "MB/s", "atoms"], &right, &rows.iter().map(cells).collect::<Vec<_>>())
}
