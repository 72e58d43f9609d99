//! The bonds of the standard residues, by the names of their atoms.
//!
//! How it works: old and low-resolution structures have bonds that no distance rule finds (haemoglobin 4HHB: 122 bonds
//! longer than 1.92 Å, one of 2.97 Å), but the name of an atom in a standard residue says what it is bonded to. The
//! tables below list the bonds between heavy atoms, as the PDB's chemical components dictionary has them, with the names
//! of older files and of force fields beside those of today. Each residue name becomes one [`StandardResidue`], built
//! once per program: the names in the order in which files write them, so that a search which goes on after the last
//! hit finds nearly every atom at the first try, and the bonds as pairs of places in that list.
//!
//! Names are believed only where they can be true: the residue has its C-alpha or its C1' (a ligand that happens to be
//! called C or DT has not), no atom is there twice other than as an alternate location, and an atom that the file calls
//! a hydrogen is none of these. Else distances decide.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::kind::is_hydrogen;
use super::perceive::exclude_each_other;
use crate::{Name, Structure};

// Glycine has no CB, and then there is no bond to it; CHARMM ends a chain with OT1 and OT2.
const BACKBONE: &str = "N-CA CA-C C-O CA-CB";
const CHAIN_END: &str = "C-OXT C-OT1 C-OT2";

const SIDE_CHAINS: [(&str, &str); 19] = [
    ("GLY ALA", ""),
    ("ARG", "CB-CG CG-CD CD-NE NE-CZ CZ-NH1 CZ-NH2"),
    ("ASN", "CB-CG CG-OD1 CG-ND2"),
    ("ASP ASH", "CB-CG CG-OD1 CG-OD2"),
    ("CYS CYX CYM", "CB-SG"),
    ("SEC", "CB-SE"),
    ("GLN", "CB-CG CG-CD CD-OE1 CD-NE2"),
    ("GLU GLH", "CB-CG CG-CD CD-OE1 CD-OE2"),
    ("HIS HID HIE HIP HSD HSE HSP", "CB-CG CG-ND1 CG-CD2 ND1-CE1 CD2-NE2 CE1-NE2"),
    ("ILE", "CB-CG1 CB-CG2 CG1-CD1 CG1-CD"),
    ("LEU", "CB-CG CG-CD1 CG-CD2"),
    ("LYS LYN", "CB-CG CG-CD CD-CE CE-NZ"),
    ("MET MSE", "CB-CG CG-SD SD-CE CG-SE SE-CE"),
    ("PHE TYR", "CB-CG CG-CD1 CG-CD2 CD1-CE1 CD2-CE2 CE1-CZ CE2-CZ CZ-OH"),
    ("PRO", "CB-CG CG-CD CD-N"),
    ("SER", "CB-OG"),
    ("THR", "CB-OG1 CB-CG2"),
    ("TRP", "CB-CG CG-CD1 CG-CD2 CD1-NE1 NE1-CE2 CD2-CE2 CD2-CE3 CE2-CZ2 CE3-CZ3 CZ2-CH2 CZ3-CH2"),
    ("VAL", "CB-CG1 CB-CG2"),
];

const PHOSPHATE: &str = "OP3-P P-OP1 P-OP2 P-O1P P-O2P P-O3P P-O5'";
const SUGAR: &str = "O5'-C5' C5'-C4' C4'-O4' C4'-C3' C3'-O3' C3'-C2' C2'-O2' C2'-C1' O4'-C1'";

// The six-membered ring has the same names in both kinds of base. A base lacks most of the atoms outside its rings that
// its kind can have; thymine's methyl is C7, or C5M in older files.
const BASES: [(&str, &str); 2] = [
    (
        "A G I DA DG DI RA RG ADE GUA A5 G5 A3 G3 DA5 DG5 DA3 DG3 +A +G",
        "C1'-N9 N9-C8 C8-N7 N7-C5 C5-C6 C6-N6 C6-O6 C6-N1 N1-C2 C2-N2 C2-N3 N3-C4 C4-C5 C4-N9",
    ),
    (
        "C U T DC DU DT RC RU CYT URA THY C5 U5 C3 U3 DC5 DT5 DC3 DT3 +C +U",
        "C1'-N1 N1-C2 C2-O2 C2-N3 N3-C4 C4-N4 C4-O4 C4-C5 C5-C7 C5-C5M C5-C6 C6-N1",
    ),
];

// The commonest cofactor, with propionates that fare no better than side chains in old structures.
const HAEM: (&str, &str) = (
    "HEM",
    "CHA-C1A CHA-C4D CHB-C4A CHB-C1B CHC-C4B CHC-C1C CHD-C4C CHD-C1D FE-NA FE-NB FE-NC FE-ND \
     NA-C1A C1A-C2A C2A-C3A C3A-C4A C4A-NA C3A-CMA C2A-CAA CAA-CBA CBA-CGA CGA-O1A CGA-O2A \
     NB-C1B C1B-C2B C2B-C3B C3B-C4B C4B-NB C2B-CMB C3B-CAB CAB-CBB \
     NC-C1C C1C-C2C C2C-C3C C3C-C4C C4C-NC C2C-CMC C3C-CAC CAC-CBC \
     ND-C1D C1D-C2D C2D-C3D C3D-C4D C4D-ND C2D-CMD C3D-CAD CAD-CBD CBD-CGD CGD-O1D CGD-O2D",
);

static RESIDUES: LazyLock<FxHashMap<Name, StandardResidue>> = LazyLock::new(|| {
    let mut residues = FxHashMap::default();
    for (names, side_chain) in SIDE_CHAINS {
        let residue = StandardResidue::new(&[BACKBONE, side_chain, CHAIN_END].join(" "));
        residues.extend(names.split(' ').map(|name| (Name::new(name), residue.clone())));
    }
    for (names, base) in BASES {
        // Until 2007 the PDB wrote the sugar with stars: C1* for C1'.
        let today = [PHOSPHATE, SUGAR, base].join(" ");
        let residue = StandardResidue::new(&format!("{today} {}", today.replace('\'', "*")));
        residues.extend(names.split(' ').map(|name| (Name::new(name), residue.clone())));
    }
    residues.insert(Name::new(HAEM.0), StandardResidue::new(HAEM.1));
    residues
});

/// The heavy atoms of a standard residue and the bonds between them.
#[derive(Clone, Debug, Default)]
pub(super) struct StandardResidue {
    names: Vec<Name>,
    // Places in `names`.
    bonds: Vec<(u8, u8)>,
    // C-alpha, C1' or the iron.
    anchors: Vec<u8>,
}

impl StandardResidue {
    /// The standard residue of this name.
    pub(super) fn named(residue: Name) -> Option<&'static Self> {
        RESIDUES.get(&residue)
    }

    fn new(bonds: &str) -> Self {
        let mut residue = Self::default();
        for (one, two) in bonds.split_whitespace().filter_map(|bond| bond.split_once('-')) {
            let bond = (residue.place_or_add(one), residue.place_or_add(two));
            residue.bonds.push(bond);
        }
        residue.bonds.sort_unstable();
        residue.bonds.dedup();
        let is_anchor = |name: &Name| matches!(name.as_bytes(), b"CA" | b"C1'" | b"C1*" | b"FE");
        residue.anchors = (0..).zip(&residue.names).filter(|(_, name)| is_anchor(name)).map(|(at, _)| at).collect();
        residue
    }

    fn place_or_add(&mut self, name: &str) -> u8 {
        let name = Name::new(name);
        let place = self.names.iter().position(|&known| known == name);
        let place = place.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        place as u8
    }

    fn place(&self, name: Name, from: usize) -> Option<usize> {
        let (before, after) = self.names.split_at(from.min(self.names.len()));
        let later = after.iter().position(|&known| known == name).map(|at| at + before.len());
        later.or_else(|| before.iter().position(|&known| known == name))
    }
}

/// Which atoms of a residue are known by name; kept from residue to residue, so that nothing is allocated.
#[derive(Debug, Default)]
pub(super) struct KnownAtoms {
    // Per atom of the residue.
    known: Vec<bool>,
    // Per place in the standard residue, its last atom; per atom, the one before it at the same place (alternates).
    last: Vec<u32>,
    before: Vec<u32>,
}

const NO_ATOM: u32 = u32::MAX;

impl KnownAtoms {
    /// Whether this atom of the residue has all its bonds to other known atoms.
    pub(super) fn contains(&self, at: usize) -> bool {
        self.known[at]
    }

    /// Finds the atoms of a residue by name and gives every pair of them that is bonded, as indices into `atoms`.
    pub(super) fn find(
        &mut self,
        residue: Option<&StandardResidue>,
        structure: &Structure,
        atoms: &[u32],
        mut bonded: impl FnMut(usize, usize),
    ) {
        self.known.clear();
        self.known.resize(atoms.len(), false);
        let Some(residue) = residue else { return };
        if !self.put_in_place(residue, structure, atoms) {
            self.known.fill(false);
            return;
        }
        for &(one, two) in &residue.bonds {
            for a in self.at(one) {
                self.at(two).for_each(|b| bonded(a, b));
            }
        }
    }

    // False if the names cannot be believed.
    fn put_in_place(&mut self, residue: &StandardResidue, structure: &Structure, atoms: &[u32]) -> bool {
        self.last.clear();
        self.last.resize(residue.names.len(), NO_ATOM);
        self.before.clear();
        self.before.resize(atoms.len(), NO_ATOM);
        let mut expected = 0;
        for (at, &atom) in atoms.iter().enumerate() {
            let place = residue.place(structure.atoms.names[atom as usize], expected);
            let Some(place) = place.filter(|_| !is_hydrogen(structure.atoms.elements[atom as usize])) else { continue };
            let twice = |other: usize| !exclude_each_other(structure, atom, atoms[other]);
            if self.at(place as u8).any(twice) {
                return false;
            }
            self.known[at] = true;
            self.before[at] = self.last[place];
            self.last[place] = at as u32;
            expected = place + 1;
        }
        residue.anchors.iter().any(|&anchor| self.last[anchor as usize] != NO_ATOM)
    }

    fn at(&self, place: u8) -> impl Iterator<Item = usize> + '_ {
        let first = Some(self.last[place as usize]).filter(|&at| at != NO_ATOM);
        let next = |&at: &u32| Some(self.before[at as usize]).filter(|&at| at != NO_ATOM);
        std::iter::successors(first, next).map(|at| at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chemistry::kind::{Polymer, polymer};

    // Bonds between heavy atoms in the chemical components dictionary, as biotite 1.6 gives them (bonds_in_residue).
    #[test]
    fn tables_have_the_bonds_of_the_components_dictionary() {
        let all = "N CA C O OXT CB CG CG1 CG2 CD CD1 CD2 CE CE1 CE2 CE3 CZ CZ2 CZ3 CH2 NE NE1 NE2 NH1 NH2 NZ ND1 ND2 \
                   OD1 OD2 OE1 OE2 OG OG1 OH SG SD SE OP1 OP2 OP3 P O5' C5' C4' O4' C3' O3' C2' O2' C1' N1 C2 N3 C4 C5 \
                   C6 N7 C8 N9 O2 N2 O4 N4 O6 N6 C7";
        for (name, lacking, expected) in [
            ("ALA", "", 5),
            ("ARG", "", 11),
            ("ASN", "", 8),
            ("ASP", "", 8),
            ("CYS", "", 6),
            ("GLN", "", 9),
            ("GLU", "", 9),
            ("GLY", "CB", 4),
            ("HIS", "", 11),
            ("ILE", "CD", 8),
            ("LEU", "", 8),
            ("LYS", "", 9),
            ("MET", "SE", 8),
            ("MSE", "SD", 8),
            ("SEC", "", 6),
            ("PHE", "OH", 12),
            ("PRO", "", 8),
            ("SER", "", 6),
            ("THR", "", 7),
            ("TRP", "", 16),
            ("TYR", "", 13),
            ("VAL", "", 7),
            ("A", "O6 N2", 25),
            ("G", "N6", 26),
            ("C", "O4 C7", 22),
            ("U", "N4 C7", 22),
            ("DA", "O2' O6 N2", 24),
            ("DG", "O2' N6", 25),
            ("DC", "O2' O4 C7", 21),
            ("DT", "O2' N4", 22),
            ("DU", "O2' N4 C7", 21),
            ("I", "N6 N2", 25),
        ] {
            let residue = StandardResidue::named(Name::new(name)).unwrap();
            let there = |place: u8| {
                let atom = residue.names[place as usize].as_str();
                all.split(' ').any(|known| known == atom) && !lacking.split(' ').any(|known| known == atom)
            };
            let bonds = residue.bonds.iter().filter(|&&(one, two)| there(one) && there(two)).count();
            assert_eq!(bonds, expected, "{name}");
        }
    }

    #[test]
    fn every_standard_residue_but_haem_is_of_a_chain() {
        let rows = SIDE_CHAINS.iter().chain(&BASES).chain([&HAEM]);
        for name in rows.flat_map(|(names, _)| names.split(' ')).map(Name::new) {
            let residue = StandardResidue::named(name).unwrap();
            let anchors = match polymer(name) {
                Some(Polymer::Nucleotide) => 2,
                Some(Polymer::AminoAcid) => 1,
                None => usize::from(name == Name::new("HEM")),
            };
            assert!(anchors > 0 && anchors == residue.anchors.len(), "{name}");
        }
        assert_eq!(StandardResidue::named(Name::new("HEM")).unwrap().bonds.len(), 50);
    }
}
