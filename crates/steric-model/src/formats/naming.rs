//! Elements from atom names, for formats that have no element column.
//!
//! How it works: force fields and the PDB begin an atom's name with its element, but `CA` is an alpha carbon in an
//! amino acid and a calcium where it is alone in its residue. So a two-letter element counts if the atom is alone in
//! its residue, or if its letters cannot be anything else in a molecule of life (`CL3`, `BR`, `ZN`, `FE`).

use crate::Element;

/// The element of an atom by its name; `alone` says that its residue has no other atom.
pub(crate) fn element_of_name(name: &[u8], alone: bool) -> Element {
    let start = name.iter().position(u8::is_ascii_alphabetic).unwrap_or(name.len());
    let letters = &name[start..];
    let end = letters.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(letters.len());
    let letters = &letters[..end];
    // Lower case after upper case is a symbol as chemists write it: Cl, Na.
    let written_as_symbol =
        matches!(letters, [first, second] if first.is_ascii_uppercase() && second.is_ascii_lowercase());
    if alone && letters.eq_ignore_ascii_case(b"SOD") {
        return Element::SODIUM; // CHARMM's names for sodium and potassium ions
    }
    if alone && letters.eq_ignore_ascii_case(b"POT") {
        return Element::new(19);
    }
    if alone || written_as_symbol || is_unmistakable(letters) {
        let two = letters.get(..2).filter(|_| letters.len() == 2 || alone);
        if let Some(element) = two.and_then(Element::from_symbol) {
            return element;
        }
    }
    letters.first().and_then(|first| Element::from_symbol([*first])).unwrap_or(Element::UNKNOWN)
}

fn is_unmistakable(letters: &[u8]) -> bool {
    const UNMISTAKABLE: [&[u8; 2]; 9] = [b"CL", b"BR", b"ZN", b"FE", b"MG", b"MN", b"SE", b"LI", b"SI"];
    UNMISTAKABLE.iter().any(|symbol| letters.eq_ignore_ascii_case(*symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_element_a_chemist_would_see() {
        for (name, element) in
            [("CA", "C"), ("1HB2", "H"), ("HG11", "H"), ("OW", "O"), ("CL3", "Cl"), ("NA", "N"), ("Cl", "Cl")]
        {
            assert_eq!(element_of_name(name.as_bytes(), false).symbol(), element, "{name}");
        }
        for (name, element) in [
            ("CA", "Ca"),
            ("NA+", "Na"),
            ("CL-", "Cl"),
            ("K", "K"),
            ("OW", "O"),
            ("SOD", "Na"),
            ("POT", "K"),
            ("CLA", "Cl"),
            ("", "X"),
        ] {
            assert_eq!(element_of_name(name.as_bytes(), true).symbol(), element, "{name}");
        }
    }
}
