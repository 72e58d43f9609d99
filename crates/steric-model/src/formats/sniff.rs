//! The format of a file by its content.
//!
//! How it works: every format has a mark that the others cannot have at that place: a MessagePack map with
//! `dataBlocks`, a `data_` line, `@<TRIPOS>`, the decimal points of fixed columns. Only a certain answer is given;
//! the caller falls back on the file's ending.

use memchr::memmem;

use super::Format;
use super::text::{Line, Lines, parse_float};

type Test = fn(&[u8]) -> bool;

/// The format, where the content leaves no doubt.
pub(super) fn sniff(bytes: &[u8]) -> Option<Format> {
    let tests: [(Test, Format); 9] = [
        (is_bcif, Format::Bcif),
        (is_cellpack, Format::CellPack),
        (is_mol2, Format::Mol2),
        (is_mmcif, Format::Mmcif),
        (is_sdf, Format::Sdf),
        (is_gro, Format::Gro),
        (is_xyz, Format::Xyz),
        (is_pdbqt, Format::Pdbqt),
        (is_pdb, Format::Pdb),
    ];
    tests.into_iter().find(|(is, _)| is(bytes)).map(|(_, format)| format)
}

// How far into a file the marks are looked for; headers of thousands of lines are common.
const HEAD: usize = 1 << 20;

fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(HEAD)]
}

// A MessagePack map of up to 15 keys, or a longer one, which names its data blocks early.
fn is_bcif(bytes: &[u8]) -> bool {
    let is_map = matches!(bytes.first(), Some(0x80..=0x8f | 0xde | 0xdf));
    is_map && memmem::find(&bytes[..bytes.len().min(4096)], b"dataBlocks").is_some()
}

// JSON with placed ingredients, or with entities that have instances; a recipe has ingredients but no results.
fn is_cellpack(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let has = |key: &[u8]| memmem::find(bytes, key).is_some();
    let is_result = has(b"\"results\"") && has(b"\"ingredients\"");
    let is_manifest = has(b"\"entities\"") && has(b"\"instances\"");
    bytes.trim_ascii_start().starts_with(b"{") && (is_result || is_manifest)
}

fn is_mol2(bytes: &[u8]) -> bool {
    Lines::new(head(bytes)).any(|line| line.text.starts_with(b"@<TRIPOS>"))
}

fn is_mmcif(bytes: &[u8]) -> bool {
    let first = Lines::new(head(bytes)).find(|line| !line.is_blank() && !line.text.trim_ascii().starts_with(b"#"));
    first.is_some_and(|line| line.text.trim_ascii().get(..5).is_some_and(|start| start.eq_ignore_ascii_case(b"data_")))
}

// The counts line is the fourth; without its version, the atom behind it must stand in its columns.
fn is_sdf(bytes: &[u8]) -> bool {
    let mut lines = Lines::new(head(bytes)).skip(3);
    let (Some(counts), atom) = (lines.next(), lines.next()) else { return false };
    if [&b"V2000"[..], b"V3000"].contains(&counts.columns(35, 39).text) {
        return true;
    }
    let has_counts = counts.columns(1, 3).integer().is_some() && counts.columns(4, 6).integer().is_some();
    let is_atom = |line: Line<'_>| {
        let columns = [line.columns(1, 10), line.columns(11, 20), line.columns(21, 30)];
        columns.iter().all(|field| field.text.get(5) == Some(&b'.') && field.float().is_some())
            && line.columns(32, 34).text.first().is_some_and(u8::is_ascii_alphabetic)
    };
    has_counts && atom.is_some_and(is_atom)
}

fn is_count(line: Line<'_>) -> bool {
    let mut fields = line.fields();
    fields.next().is_some_and(|field| field.integer().is_some_and(|count| count >= 0)) && fields.next().is_none()
}

fn is_gro(bytes: &[u8]) -> bool {
    let mut lines = Lines::new(head(bytes)).skip(1);
    let (Some(count), Some(atom)) = (lines.next(), lines.next()) else { return false };
    let mut points = memchr::memchr_iter(b'.', atom.text.get(20..).unwrap_or_default());
    let (Some(first), Some(second), Some(third)) = (points.next(), points.next(), points.next()) else { return false };
    let has_names = atom.columns(1, 5).integer().is_some() && !atom.columns(11, 15).text.trim_ascii().is_empty();
    is_count(count) && has_names && second - first == third - second
}

fn is_xyz(bytes: &[u8]) -> bool {
    let mut lines = Lines::new(head(bytes)).skip_while(Line::is_blank);
    let (Some(count), Some(comment), Some(atom)) = (lines.next(), lines.next(), lines.next()) else { return false };
    let is_extended = memmem::find(comment.text, b"Properties=").is_some();
    let numbers = atom.fields().skip(1).take(3).filter(|field| parse_float(field.text).is_some()).count();
    is_count(count) && (numbers == 3 || is_extended)
}

// AutoDock's own records, or a partial charge (%6.3f in columns 71-76) where PDB files keep their segment name.
fn is_pdbqt(bytes: &[u8]) -> bool {
    let is_charge = |line: Line<'_>| {
        let charge = line.columns(71, 76).text;
        matches!(charge, [_, b'0'..=b'9', b'.', decimals @ ..] if decimals.len() == 3 && decimals.iter().all(u8::is_ascii_digit))
    };
    let own_record = |line: &Line<'_>| {
        let text = line.text.trim_ascii_end();
        text == b"ROOT" || text == b"ENDROOT" || text.starts_with(b"TORSDOF ") || text.starts_with(b"BRANCH ")
    };
    let mut lines = Lines::new(head(bytes));
    lines.any(|line| own_record(&line) || (is_pdb_atom(&line) && is_charge(line)))
}

fn is_pdb(bytes: &[u8]) -> bool {
    Lines::new(head(bytes)).any(|line| is_pdb_atom(&line)) || has_pdb_header(bytes)
}

fn is_pdb_atom(line: &Line<'_>) -> bool {
    let is_record = line.text.starts_with(b"ATOM  ") || line.text.starts_with(b"HETATM");
    is_record && [(31, 38), (39, 46), (47, 54)].iter().all(|&(first, last)| line.columns(first, last).float().is_some())
}

// The header of a large entry can be longer than what is looked at.
fn has_pdb_header(bytes: &[u8]) -> bool {
    let starts = [&b"HEADER    "[..], b"CRYST1 ", b"REMARK   ", b"COMPND    ", b"TITLE     ", b"MODEL     "];
    let first = Lines::new(head(bytes)).find(|line| !line.is_blank());
    first.is_some_and(|line| starts.iter().any(|start| line.text.starts_with(start)))
}
