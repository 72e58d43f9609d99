//! Types of atoms, and how near they like to be.

use steric_model::chemistry::BondGraph;
use steric_model::{Element, Structure};

/// How near two atoms of a type like to be, and how much. The numbers are those of AutoDock 4 (Morris et al. 2009, its parameter file
/// AD4.1_bound.dat): other distances and depths are their means, arithmetic and geometric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtomType {
    /// Its name, as in PDBQT files.
    pub name: &'static str,
    /// Where two of them are lowest, in angstroms.
    pub distance: f64,
    /// How low that is, in kilocalories per mole.
    pub depth: f64,
}

const fn of(name: &'static str, distance: f64, depth: f64) -> AtomType {
    AtomType { name, distance, depth }
}

const TYPES: [AtomType; 24] = [
    of("C", 4.00, 0.150),
    of("A", 4.00, 0.150),
    of("H", 2.00, 0.020),
    of("HD", 2.00, 0.020),
    of("HS", 2.00, 0.020),
    of("N", 3.50, 0.160),
    of("NA", 3.50, 0.160),
    of("NS", 3.50, 0.160),
    of("O", 3.20, 0.200),
    of("OA", 3.20, 0.200),
    of("OS", 3.20, 0.200),
    of("F", 3.09, 0.080),
    of("MG", 1.30, 0.875),
    of("P", 4.20, 0.200),
    of("S", 4.00, 0.200),
    of("SA", 4.00, 0.200),
    of("CL", 4.09, 0.276),
    of("CA", 1.98, 0.550),
    of("MN", 1.30, 0.875),
    of("FE", 1.30, 0.010),
    of("ZN", 1.48, 0.550),
    of("BR", 4.33, 0.389),
    of("I", 4.72, 0.550),
    of("SI", 4.10, 0.200),
];

/// The type of each atom: as the file states it, where it is one that is known, and else by the element and its neighbours.
///
/// ```
/// use steric_model::chemistry::BondGraph;
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::dock::energy::atom_types;
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n", "water.xyz".as_ref())?.value;
/// let types: Vec<_> = atom_types(&water, &BondGraph::new(&water)).iter().map(|kind| kind.name).collect();
/// assert_eq!(types, ["OA", "HD", "HD"]);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn atom_types(structure: &Structure, bonds: &BondGraph) -> Vec<AtomType> {
    let known = |name: &str| TYPES.into_iter().find(|kind| kind.name.eq_ignore_ascii_case(name));
    let elements = &structure.atoms.elements;
    let guessed = |atom: usize| {
        let neighbours = bonds.neighbours(atom as u32);
        let is_polar =
            |&other: &u32| matches!(elements[other as usize], Element::OXYGEN | Element::NITROGEN | Element::SULFUR);
        let has_hydrogen = neighbours.iter().any(|&other| elements[other as usize] == Element::HYDROGEN);
        match elements[atom] {
            Element::CARBON => TYPES[0],
            Element::HYDROGEN if neighbours.iter().any(is_polar) => TYPES[3],
            Element::HYDROGEN => TYPES[2],
            // One with three neighbours or a hydrogen has no pair left to give.
            Element::NITROGEN if has_hydrogen || neighbours.len() > 2 => TYPES[5],
            Element::NITROGEN => TYPES[6],
            Element::OXYGEN => TYPES[9],
            Element::SULFUR => TYPES[15],
            other => known(other.symbol()).unwrap_or(TYPES[0]),
        }
    };
    let stated = |atom: usize| structure.atoms.types.get(atom).and_then(|name| known(name.as_str()));
    (0..structure.atoms.len()).map(|atom| stated(atom).unwrap_or_else(|| guessed(atom))).collect()
}
