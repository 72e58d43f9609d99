//! The element of an atom whose file does not state it.
//!
//! How it works: an aligned name has its symbol in columns 13-14, so ` CA ` is carbon and `CA  ` is calcium. Many
//! programs do not align, hence the residue has the last word: inside amino acids, nucleotides and water the first
//! letter is the element, and an atom named like its residue is an ion.

use super::layout::is_polymer_or_water;
use crate::Element;

/// The element of an atom name as it stands in columns 13-16, in a residue of this name.
pub(super) fn from_name(columns: &[u8; 4], residue: &[u8], left_aligned: bool) -> Element {
    let name = columns.trim_ascii();
    let letters = &name[name.iter().position(u8::is_ascii_alphabetic).unwrap_or(name.len())..];
    let symbol = &letters[..letters.iter().take(2).take_while(|letter| letter.is_ascii_alphabetic()).count()];
    if let Some((_, element)) = CHARMM_IONS.iter().find(|(ion, _)| name == *ion && residue == *ion) {
        return Element::new(*element);
    }
    if is_polymer_or_water(residue) {
        let selenium = symbol.eq_ignore_ascii_case(b"SE") && (residue == b"MSE" || residue == b"SEC");
        return one_letter(if selenium { b"SE" } else { first(symbol) });
    }
    if !left_aligned && has_half_letter(columns, residue) {
        return one_letter(&columns[1..2]);
    }
    let two_letters = (symbol.len() == 2).then(|| Element::from_symbol(symbol)).flatten();
    match two_letters {
        Some(element) if is_ion(symbol, name, residue) => element,
        Some(element) if columns[0].is_ascii_alphabetic() && is_trusted(symbol, name, left_aligned) => element,
        _ => one_letter(first(symbol)),
    }
}

fn first(symbol: &[u8]) -> &[u8] {
    &symbol[..symbol.len().min(1)]
}

fn one_letter(symbol: &[u8]) -> Element {
    Element::from_symbol(symbol).unwrap_or(Element::UNKNOWN)
}

// `CA` in `CA`, `NA+` in `NA+`, `ZN` in `ZN2`, `CLA` in `CLA`: one atom that is its whole residue.
fn is_ion(symbol: &[u8], name: &[u8], residue: &[u8]) -> bool {
    name == residue || (residue.len() <= 3 && residue.get(..2) == Some(symbol) && name == symbol)
}

// Before 2007 dinucleotides had a letter for the half in column 13, adenosine or nicotinamide, and the element in 14:
// `AC4*`, `NP  `.
fn has_half_letter(columns: &[u8; 4], residue: &[u8]) -> bool {
    let half = matches!(columns[0], b'A' | b'N') && matches!(columns[1], b'C' | b'N' | b'O' | b'P');
    half && [b"NAD", b"NAP", b"NDP", b"NAI", b"NAH", b"NPH", b"FAD", b"FDA"].iter().any(|name| residue == *name)
}

// Names of four letters fill column 13 whatever their element, and unaligned names always do. Then only symbols count
// that hardly begin the name of a carbon, nitrogen, oxygen or hydrogen.
fn is_trusted(symbol: &[u8], name: &[u8], left_aligned: bool) -> bool {
    let aligned = name.len() < 4 && !left_aligned;
    aligned || DISTINCT.iter().any(|distinct| symbol.eq_ignore_ascii_case(*distinct))
}

// Ions whose CHARMM names begin with another element's symbol: sodium, potassium, caesium, rubidium.
const CHARMM_IONS: [(&[u8; 3], u8); 4] = [(b"SOD", 11), (b"POT", 19), (b"CES", 55), (b"RUB", 37)];

const DISTINCT: [&[u8; 2]; 14] =
    [b"CL", b"BR", b"FE", b"ZN", b"MG", b"MN", b"CU", b"NI", b"SI", b"SE", b"LI", b"RU", b"AL", b"AG"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_and_residue_tell_calcium_from_carbon() {
        for (columns, residue, symbol) in [
            (b" CA ", "ALA", "C"),
            (b"CA  ", "ALA", "C"),
            (b"CA  ", "CA", "Ca"),
            (b" CA ", "CA", "Ca"),
            (b"CA  ", "XYZ", "Ca"),
            (b" CA ", "XYZ", "C"),
            (b"1HB ", "ALA", "H"),
            (b" HG ", "SER", "H"),
            (b"HG11", "VAL", "H"),
            (b"HG11", "XYZ", "H"),
            (b"HG  ", "HG", "Hg"),
            (b"HO5'", "XYZ", "H"),
            (b"FE  ", "HEM", "Fe"),
            (b" NA ", "HEM", "N"),
            (b"NA  ", "NA", "Na"),
            (b" NA+", "NA+", "Na"),
            (b"CLA ", "CLA", "Cl"),
            (b"SOD ", "SOD", "Na"),
            (b" POT", "POT", "K"),
            (b"CL10", "XYZ", "Cl"),
            (b"C314", "DPPC", "C"),
            (b"1H31", "LIP", "H"),
            (b"SE  ", "MSE", "Se"),
            (b"AC4*", "NDP", "C"),
            (b"NP  ", "NDP", "P"),
            (b"OH2 ", "TIP3", "O"),
            (b" P  ", "DA", "P"),
            (b"H5'1", "DA", "H"),
            (b"    ", "ALA", "X"),
            (b" 12 ", "XYZ", "X"),
        ] {
            let element = from_name(columns, residue.as_bytes(), false);
            assert_eq!(element.symbol(), symbol, "{} in {residue}", columns.escape_ascii());
        }
    }

    #[test]
    fn in_a_file_that_does_not_align_names_only_distinct_symbols_count() {
        assert_eq!(from_name(b"CA  ", b"LIG", true).symbol(), "C");
        assert_eq!(from_name(b"CL  ", b"LIG", true).symbol(), "Cl");
        assert_eq!(from_name(b"CA  ", b"CA", true).symbol(), "Ca");
    }
}
