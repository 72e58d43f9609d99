//! What kind of residue or atom something is, by its name or element.

use crate::{Element, Name};

/// Whether a residue of this name is water, in the names of the PDB and of the usual force fields.
///
/// ```
/// use steric_model::{Name, chemistry::is_water};
///
/// assert!(is_water(Name::new("HOH")) && is_water(Name::new("TIP3")));
/// assert!(!is_water(Name::new("GLY")));
/// ```
pub fn is_water(residue: Name) -> bool {
    matches!(
        residue.as_bytes(),
        b"HOH"
            | b"WAT"
            | b"DOD"
            | b"H2O"
            | b"SOL"
            | b"HHO"
            | b"OHH"
            | b"OH2"
            | b"TIP"
            | b"TIP2"
            | b"TIP3"
            | b"TIP4"
            | b"TIP5"
            | b"TIP3P"
            | b"TIP4P"
            | b"TP3"
            | b"TP4"
            | b"TP5"
            | b"T3P"
            | b"T4P"
            | b"T5P"
            | b"SPC"
            | b"SPCE"
    )
}

/// Whether an element is hydrogen (deuterium and tritium included).
pub fn is_hydrogen(element: Element) -> bool {
    element == Element::HYDROGEN
}

/// Whether an element is a metal; metalloids (B, Si, Ge, As, Sb, Te) and unknown elements are not.
pub fn is_metal(element: Element) -> bool {
    !matches!(element.atomic_number(), 0..=2 | 5..=10 | 14..=18 | 32..=36 | 51..=54 | 85..=86)
}
