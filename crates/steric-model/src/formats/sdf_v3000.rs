//! The V3000 connection table: blocks of `M  V30` lines between `BEGIN` and `END`.
//!
//! How it works: a line that ends in `-` goes on in the next. Atoms carry an index of their own, which need not be
//! their place in the block, so bonds go through a map.

use rustc_hash::FxHashMap;

use super::sdf::{Ctab, CtabAtom, Reader};
use super::text::{Field, Line, Lines, position};
use crate::ReadError;

const PREFIX: &[u8] = b"M  V30 ";
const PREFIX_FIELDS: usize = 2;

#[derive(Clone, Copy, PartialEq)]
enum Block {
    Atom,
    Bond,
    Other,
}

/// Reads the table and what follows it, up to and with `$$$$`.
pub(super) fn read_v3000(reader: &mut Reader<'_>, lines: &mut Lines<'_>, ctab: &mut Ctab) -> Result<(), ReadError> {
    let mut block = Block::Other;
    let mut index_of = FxHashMap::default();
    while let Some(line) = lines.next() {
        if line.text.starts_with(b"$$$$") {
            break;
        }
        if !line.text.starts_with(PREFIX) {
            continue;
        }
        let joined = join(line.text, lines);
        let entry = Line { number: line.number, text: joined.as_deref().unwrap_or(line.text) };
        let mut fields = entry.fields().skip(PREFIX_FIELDS).map(|field| field.text);
        match (fields.next(), fields.next()) {
            (Some(b"BEGIN"), Some(b"ATOM")) => block = Block::Atom,
            (Some(b"BEGIN"), Some(b"BOND")) => block = Block::Bond,
            (Some(b"BEGIN" | b"END"), _) => block = Block::Other,
            _ if block == Block::Atom => {
                let index = read_atom(reader, entry, ctab)?;
                index_of.insert(index, ctab.atoms.len() as i64);
            }
            _ if block == Block::Bond => read_bond(reader, entry, ctab, &index_of)?,
            _ => {}
        }
    }
    Ok(())
}

// `None` where nothing had to be joined.
fn join(line: &[u8], lines: &mut Lines<'_>) -> Option<Vec<u8>> {
    let mut joined = line.strip_suffix(b"-")?.to_vec();
    for line in lines.by_ref() {
        let part = line.text.strip_prefix(PREFIX).unwrap_or_default();
        match part.strip_suffix(b"-") {
            Some(part) => joined.extend_from_slice(part),
            None => {
                joined.extend_from_slice(part);
                break;
            }
        }
    }
    Some(joined)
}

// `index type x y z map [KEY=value ...]`
fn read_atom(reader: &mut Reader<'_>, line: Line<'_>, ctab: &mut Ctab) -> Result<i64, ReadError> {
    let mut fields = line.fields().skip(PREFIX_FIELDS);
    let index = fields.next().and_then(|field| field.integer());
    let index = index.ok_or_else(|| line.error(reader.path, "an atom's index"))?;
    let symbol = fields.next().ok_or_else(|| line.error(reader.path, "an atom's element"))?;
    let position = position(line, fields, reader.path)?;
    let charge = line.fields().skip(PREFIX_FIELDS + 6).find_map(charge_of).unwrap_or(0);
    let element = reader.element(symbol);
    ctab.atoms.push(CtabAtom { position, element, charge });
    Ok(index)
}

fn charge_of(field: Field<'_>) -> Option<i8> {
    std::str::from_utf8(field.text.strip_prefix(b"CHG=")?).ok()?.parse().ok()
}

// `index type first second [KEY=value ...]`
fn read_bond(
    reader: &mut Reader<'_>,
    line: Line<'_>,
    ctab: &mut Ctab,
    index_of: &FxHashMap<i64, i64>,
) -> Result<(), ReadError> {
    let mut fields = line.fields().skip(PREFIX_FIELDS + 1);
    let mut next = || {
        let number = fields.next().and_then(|field| field.integer());
        number.ok_or_else(|| line.error(reader.path, "a bond's order and its two atoms"))
    };
    let (order, first, second) = (next()?, next()?, next()?);
    // An index that no atom has becomes 0, which add_bond refuses.
    let place = |index| index_of.get(&index).copied().unwrap_or(0);
    reader.add_bond(ctab, line, place(first), place(second), order)
}
