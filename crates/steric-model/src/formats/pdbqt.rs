//! PDBQT files: PDB with partial charges and AutoDock atom types instead of elements.
//!
//! How it works: the lines of atoms, models and boxes are those of PDB. `ROOT`, `BRANCH` and `TORSDOF`, the torsion
//! tree, are passed over: they say which bonds turn, not where atoms are. [`torsion_tree`] reads them alone.

use std::path::Path;

use super::pdb::{Dialect, read};
use crate::{Element, Parsed, ReadError, Structure};

/// Reads a PDBQT file already in memory: a receptor, a ligand, or the poses that Vina wrote, one model each.
///
/// Charges go to `atoms.partial_charges`, types to `atoms.types`; both are as long as the positions.
///
/// ```
/// use std::path::Path;
/// use steric_model::{Element, formats::pdbqt::read_pdbqt};
///
/// let text = b"ATOM      2  O   SER A 438      10.747  66.774  34.839  1.00  0.00    -0.272 OA\n";
/// let receptor = read_pdbqt(text, Path::new("receptor.pdbqt"))?.value;
/// assert_eq!(receptor.atoms.elements[0], Element::OXYGEN);
/// assert_eq!(receptor.atoms.types[0].as_str(), "OA");
/// assert_eq!(receptor.atoms.partial_charges[0], -0.272);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn read_pdbqt(bytes: &[u8], path: &Path) -> Result<Parsed<Structure>, ReadError> {
    read(bytes, path, Dialect::Pdbqt(element_of_type))
}

/// The bonds that turn, as the file's `BRANCH` lines state them for its first model: the numbers of their atoms in the file. Nothing if it states none.
///
/// ```
/// use steric_model::formats::pdbqt::torsion_tree;
///
/// let text = b"ROOT\nENDROOT\nBRANCH   1   5\nBRANCH   6  12\nENDBRANCH   6  12\nENDBRANCH   1   5\nTORSDOF 2\n";
/// assert_eq!(torsion_tree(text), Some(vec![[1, 5], [6, 12]]));
/// assert_eq!(torsion_tree(b"ATOM"), None);
/// ```
pub fn torsion_tree(bytes: &[u8]) -> Option<Vec<[i32; 2]>> {
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first_model = lines.take_while(|line| !line.starts_with(b"ENDMDL"));
    let (mut has_root, mut tree) = (false, Vec::new());
    for line in first_model {
        has_root |= line.starts_with(b"ROOT");
        let Some(rest) = line.strip_prefix(b"BRANCH") else { continue };
        let words = std::str::from_utf8(rest).unwrap_or_default().split_whitespace();
        let numbers: Vec<i32> = words.map_while(|word| word.parse().ok()).collect();
        if let [a, b] = numbers[..] {
            tree.push([a, b]);
        }
    }
    has_root.then_some(tree)
}

// AutoDock 4 types. Those of one element carry a second letter: A aromatic, OA, NA and SA accept hydrogen bonds, HD
// donates; CG0 to CG3 and G0 to G3 are the two ends that close a macrocycle, W is a water of hydrated docking and TZ
// the pseudo atom beside a zinc.
fn element_of_type(autodock_type: &[u8]) -> Option<Element> {
    let upper = autodock_type.to_ascii_uppercase();
    match upper.as_slice() {
        b"A" | b"C" | b"CG0" | b"CG1" | b"CG2" | b"CG3" => Some(Element::CARBON),
        b"H" | b"HD" | b"HS" => Some(Element::HYDROGEN),
        b"N" | b"NA" | b"NS" => Some(Element::NITROGEN),
        b"O" | b"OA" | b"OS" | b"W" => Some(Element::OXYGEN),
        b"S" | b"SA" => Some(Element::SULFUR),
        b"G0" | b"G1" | b"G2" | b"G3" | b"TZ" | b"Z" | b"X" => Some(Element::UNKNOWN),
        symbol => Element::from_symbol(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_not_an_element_symbol() {
        for (autodock_type, symbol) in
            [("A", "C"), ("NA", "N"), ("HS", "H"), ("OS", "O"), ("SA", "S"), ("Cl", "Cl"), ("CL", "Cl"), ("Zn", "Zn")]
        {
            let element = element_of_type(autodock_type.as_bytes()).expect("a known type");
            assert_eq!(element.symbol(), symbol, "{autodock_type}");
        }
        assert_eq!(element_of_type(b""), None);
        assert_eq!(element_of_type(b"G0"), Some(Element::UNKNOWN));
    }
}
