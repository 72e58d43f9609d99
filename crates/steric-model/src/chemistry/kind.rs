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
///
/// ```
/// use steric_model::{Element, chemistry::is_hydrogen};
///
/// assert!(Element::from_symbol("D").is_some_and(is_hydrogen));
/// assert!(!is_hydrogen(Element::CARBON));
/// ```
pub fn is_hydrogen(element: Element) -> bool {
    element == Element::HYDROGEN
}

/// Whether an element is a metal; metalloids (B, Si, Ge, As, Sb, Te) and unknown elements are not.
///
/// ```
/// use steric_model::{Element, chemistry::is_metal};
///
/// assert!(is_metal(Element::ZINC) && is_metal(Element::SODIUM));
/// assert!(!Element::from_symbol("Si").is_some_and(is_metal));
/// ```
pub fn is_metal(element: Element) -> bool {
    !matches!(element.atomic_number(), 0..=2 | 5..=10 | 14..=18 | 32..=36 | 51..=54 | 85..=86)
}

/// What a residue of a chain is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polymer {
    AminoAcid,
    Nucleotide,
}

// Standard residues, and the names that force fields give to their protonation states and chain ends.
pub(super) fn polymer(residue: Name) -> Option<Polymer> {
    match residue.as_bytes() {
        b"ALA" | b"ARG" | b"ASN" | b"ASP" | b"CYS" | b"GLN" | b"GLU" | b"GLY" | b"HIS" | b"ILE" | b"LEU" | b"LYS"
        | b"MET" | b"PHE" | b"PRO" | b"SER" | b"THR" | b"TRP" | b"TYR" | b"VAL" | b"MSE" | b"SEC" | b"PYL" | b"ASX"
        | b"GLX" | b"HID" | b"HIE" | b"HIP" | b"HSD" | b"HSE" | b"HSP" | b"CYX" | b"CYM" | b"ASH" | b"GLH" | b"LYN" => {
            Some(Polymer::AminoAcid)
        }
        b"A" | b"C" | b"G" | b"U" | b"I" | b"T" | b"DA" | b"DC" | b"DG" | b"DT" | b"DU" | b"DI" | b"RA" | b"RC"
        | b"RG" | b"RU" | b"ADE" | b"CYT" | b"GUA" | b"THY" | b"URA" | b"DA5" | b"DC5" | b"DG5" | b"DT5" | b"DA3"
        | b"DC3" | b"DG3" | b"DT3" | b"A5" | b"C5" | b"G5" | b"U5" | b"A3" | b"C3" | b"G3" | b"U3" | b"+A" | b"+C"
        | b"+G" | b"+U" => Some(Polymer::Nucleotide),
        _ => None,
    }
}
