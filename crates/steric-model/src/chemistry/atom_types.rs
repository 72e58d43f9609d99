//! The shape of each atom's bonds: sp2 or sp3, aromatic, carbonyl, with how many hydrogens.
//!
//! How it works: atoms of standard residues are known by name, so missing atoms and poor geometry do not matter. Other
//! atoms are judged by their bonds: the stated bond orders if there are any, else the number of neighbours where
//! hydrogens are present, else angles (Meng & Lewis 1991: an atom with three neighbours is planar when its angles add
//! up to 360 degrees, with two when the angle is above 115) and, for the last atom of a chain, the bond length.
//! Rings of five or six flat atoms are aromatic.

use glam::Vec3;

use super::BondGraph;
use super::kind::{Polymer, is_hydrogen, is_metal, polymer};
use crate::{Element, Structure};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hybrid {
    Sp,
    Sp2,
    Sp3,
    // Hydrogens, ions, and what has no bonds.
    #[default]
    None,
}

/// What radii and hydrogen bonds need to know about an atom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AtomType {
    pub(super) hybrid: Hybrid,
    pub(super) aromatic: bool,
    /// A carbon with a double-bonded oxygen, or either carbon of a carboxylate.
    pub(super) carbonyl: bool,
    /// Hydrogens bonded to it, those that the file leaves out included.
    pub(super) hydrogens: u8,
    /// Bonds to atoms that are neither hydrogens nor metals.
    pub(super) heavy: u8,
    /// Whether the file has hydrogens on this residue, so that a missing one is not there.
    pub(super) explicit: bool,
}

pub(super) fn atom_types(structure: &Structure, bonds: &BondGraph) -> Vec<AtomType> {
    let elements = &structure.atoms.elements;
    let mut has_hydrogens = vec![false; structure.residues.len()];
    for (&element, &residue) in elements.iter().zip(&structure.atoms.residues) {
        has_hydrogens[residue as usize] |= is_hydrogen(element);
    }
    let orders = highest_orders(structure);
    let polymers: Vec<Option<Polymer>> = structure.residues.iter().map(|residue| polymer(residue.name)).collect();
    let mut types: Vec<AtomType> = (0..structure.atoms.len())
        .map(|atom| {
            let residue = structure.atoms.residues[atom] as usize;
            let see = Seen { structure, bonds, atom, explicit: has_hydrogens[residue] };
            match polymers[residue] {
                Some(polymer) => see.by_name(polymer),
                None => see.by_bonds(orders.get(atom).copied().unwrap_or(0)),
            }
        })
        .collect();
    for atom in 0..types.len() {
        if polymers[structure.atoms.residues[atom] as usize].is_none() {
            types[atom].carbonyl = is_carbonyl(structure, bonds, &types, atom);
            types[atom].aromatic = is_aromatic(structure, bonds, &types, atom);
        }
    }
    types
}

// The highest order of an atom's stated bonds, aromatic counting as double; empty if no order is stated.
fn highest_orders(structure: &Structure) -> Vec<u8> {
    if structure.bonds.iter().all(|bond| bond.order <= 1) {
        return Vec::new();
    }
    let mut orders = vec![0; structure.atoms.len()];
    for bond in &structure.bonds {
        for atom in [bond.first, bond.second] {
            if let Some(order) = orders.get_mut(atom as usize) {
                *order = bond.order.min(if bond.order == 4 { 2 } else { 3 }).max(*order);
            }
        }
    }
    orders
}

struct Seen<'a> {
    structure: &'a Structure,
    bonds: &'a BondGraph,
    atom: usize,
    explicit: bool,
}

impl Seen<'_> {
    fn element(&self) -> Element {
        self.structure.atoms.elements[self.atom]
    }

    fn by_name(&self, polymer: Polymer) -> AtomType {
        let atom = self.structure.atoms.names[self.atom];
        let residue = self.structure.residues[self.structure.atoms.residues[self.atom] as usize].name;
        if is_hydrogen(self.element()) {
            return AtomType { explicit: true, heavy: 1, ..AtomType::default() };
        }
        let (hybrid, aromatic, carbonyl, bare) = match polymer {
            Polymer::AminoAcid => amino_acid(residue.as_bytes(), atom.as_bytes()),
            Polymer::Nucleotide => nucleotide(residue.as_bytes(), atom.as_bytes()),
        };
        let heavy = self.count(|element| !is_hydrogen(element) && !is_metal(element));
        let hydrogens = if bare { 0 } else { self.hydrogens(hybrid, heavy) };
        AtomType { hybrid, aromatic, carbonyl, hydrogens, heavy, explicit: self.explicit }
    }

    fn by_bonds(&self, order: u8) -> AtomType {
        let heavy = self.count(|element| !is_hydrogen(element) && !is_metal(element));
        let hybrid = self.hybrid(order, heavy);
        AtomType {
            hybrid,
            hydrogens: self.hydrogens(hybrid, heavy),
            heavy,
            explicit: self.explicit,
            ..AtomType::default()
        }
    }

    fn count(&self, wanted: impl Fn(Element) -> bool) -> u8 {
        let neighbours = self.bonds.neighbours(self.atom as u32).iter();
        neighbours.filter(|&&next| wanted(self.structure.atoms.elements[next as usize])).count().min(255) as u8
    }

    // Without hydrogens in the file, what the usual valence leaves free.
    fn hydrogens(&self, hybrid: Hybrid, heavy: u8) -> u8 {
        if self.explicit {
            return self.count(is_hydrogen);
        }
        let full = match (self.element(), hybrid) {
            (Element::CARBON, Hybrid::Sp3) => 4,
            (Element::CARBON | Element::NITROGEN, Hybrid::Sp2) | (Element::NITROGEN, Hybrid::Sp3) => 3,
            (Element::CARBON, Hybrid::Sp) | (Element::OXYGEN | Element::SULFUR, Hybrid::Sp3) => 2,
            _ => 0,
        };
        u8::saturating_sub(full, heavy)
    }

    fn hybrid(&self, order: u8, heavy: u8) -> Hybrid {
        let element = self.element();
        if is_hydrogen(element) || is_metal(element) || (heavy == 0 && self.count(is_hydrogen) == 0) {
            return Hybrid::None;
        }
        let degree = heavy + if self.explicit { self.count(is_hydrogen) } else { 0 };
        match (order, element) {
            (3, _) => Hybrid::Sp,
            (2, _) => Hybrid::Sp2,
            (1, Element::CARBON) => Hybrid::Sp3,
            (_, Element::CARBON) if self.explicit => match degree {
                4.. => Hybrid::Sp3,
                3 => Hybrid::Sp2,
                2 => Hybrid::Sp,
                _ => self.by_geometry(),
            },
            _ if degree >= 4 => Hybrid::Sp3,
            _ => self.by_geometry(),
        }
    }

    fn by_geometry(&self) -> Hybrid {
        let here = self.structure.atoms.positions[self.atom];
        let neighbours = self.bonds.neighbours(self.atom as u32).iter();
        let directions: Vec<Vec3> = neighbours
            .filter(|&&next| !is_metal(self.structure.atoms.elements[next as usize]))
            .map(|&next| self.structure.atoms.positions[next as usize] - here)
            .collect();
        let oxygen_like = matches!(self.element(), Element::OXYGEN | Element::SULFUR);
        match directions[..] {
            [one] => self.by_length(one.length()),
            [_, _] if oxygen_like => Hybrid::Sp3,
            [one, two] if one.angle_between(two) > 155_f32.to_radians() => Hybrid::Sp,
            [one, two] if one.angle_between(two) > 115_f32.to_radians() => Hybrid::Sp2,
            [one, two, three] => {
                let sum = one.angle_between(two) + two.angle_between(three) + three.angle_between(one);
                if sum > 350_f32.to_radians() { Hybrid::Sp2 } else { Hybrid::Sp3 }
            }
            _ => Hybrid::Sp3,
        }
    }

    // Halfway between single and double bonds: C-O 1.43 and 1.23, C-N 1.47 and 1.33, C-C 1.53 and 1.34; N and O at the
    // end of a P or S are counted as double, because the charge is shared.
    fn by_length(&self, length: f32) -> Hybrid {
        let other = self.bonds.neighbours(self.atom as u32).first();
        let other = other.map_or(Element::UNKNOWN, |&next| self.structure.atoms.elements[next as usize]);
        let longest_double = match (self.element(), other) {
            (Element::OXYGEN, Element::PHOSPHORUS | Element::SULFUR) => 1.58,
            (Element::OXYGEN, _) => 1.31,
            (Element::NITROGEN, _) => 1.40,
            (Element::SULFUR, Element::CARBON) => 1.72,
            (Element::CARBON, _) => 1.42,
            _ => 0.0,
        };
        let triple = matches!(self.element(), Element::CARBON | Element::NITROGEN) && length < 1.22;
        match (triple, length < longest_double) {
            (true, _) => Hybrid::Sp,
            (_, true) => Hybrid::Sp2,
            _ => Hybrid::Sp3,
        }
    }
}

// Hybridisation, aromatic, carbonyl, and whether it surely has no hydrogen.
type Named = (Hybrid, bool, bool, bool);

fn amino_acid(residue: &[u8], atom: &[u8]) -> Named {
    let ring = matches!(
        (residue, atom),
        (b"PHE" | b"TYR", b"CG" | b"CD1" | b"CD2" | b"CE1" | b"CE2" | b"CZ")
            | (b"TRP", b"CG" | b"CD1" | b"CD2" | b"NE1" | b"CE2" | b"CE3" | b"CZ2" | b"CZ3" | b"CH2")
            | (b"HIS" | b"HID" | b"HIE" | b"HIP" | b"HSD" | b"HSE" | b"HSP", b"CG" | b"ND1" | b"CD2" | b"CE1" | b"NE2")
    );
    let carbonyl = matches!(
        (residue, atom),
        (_, b"C") | (b"ASP" | b"ASN" | b"ASX" | b"ASH", b"CG") | (b"GLU" | b"GLN" | b"GLX" | b"GLH", b"CD")
    );
    let flat = matches!(
        (residue, atom),
        (_, b"O" | b"OXT" | b"OT1" | b"OT2")
            | (b"ASP" | b"ASN" | b"ASX", b"OD1" | b"OD2" | b"ND2")
            | (b"GLU" | b"GLN" | b"GLX", b"OE1" | b"OE2" | b"NE2")
            | (b"ARG", b"NE" | b"CZ" | b"NH1" | b"NH2")
            | (_, b"N")
    );
    let bare = carbonyl
        || matches!((residue, atom), (b"PRO", b"N") | (b"ARG", b"CZ"))
        || (ring && matches!((residue, atom), (_, b"CG") | (b"TYR", b"CZ") | (b"TRP", b"CD2" | b"CE2")));
    (if ring || carbonyl || flat { Hybrid::Sp2 } else { Hybrid::Sp3 }, ring, carbonyl, bare)
}

fn nucleotide(residue: &[u8], atom: &[u8]) -> Named {
    let ring = matches!(atom, b"N1" | b"C2" | b"N3" | b"C4" | b"C5" | b"C6" | b"N7" | b"C8" | b"N9");
    let flat = matches!(
        atom,
        b"O2" | b"N2" | b"O4" | b"N4" | b"O6" | b"N6" | b"OP1" | b"OP2" | b"OP3" | b"O1P" | b"O2P" | b"O3P"
    );
    let purine = residue.iter().any(|letter| matches!(letter, b'A' | b'G' | b'I')) && residue != b"URA";
    let adenine = purine && !residue.contains(&b'G');
    let bare = match atom {
        b"C2" => !adenine,
        b"C4" => true,
        b"C5" => purine || residue.contains(&b'T'),
        b"C6" => purine,
        b"N1" => adenine || !purine,
        b"N3" => purine || residue.contains(&b'C'),
        b"N7" | b"N9" => true,
        _ => false,
    };
    let carbonyl = matches!((atom, purine), (b"C6", true) if !adenine)
        || (!purine && (atom == b"C2" || (atom == b"C4" && !residue.contains(&b'C'))));
    (if ring || flat { Hybrid::Sp2 } else { Hybrid::Sp3 }, ring, carbonyl, bare)
}

fn is_carbonyl(structure: &Structure, bonds: &BondGraph, types: &[AtomType], atom: usize) -> bool {
    structure.atoms.elements[atom] == Element::CARBON
        && types[atom].hybrid == Hybrid::Sp2
        && bonds.neighbours(atom as u32).iter().any(|&next| {
            let of_next = types[next as usize];
            structure.atoms.elements[next as usize] == Element::OXYGEN
                && of_next.heavy == 1
                && of_next.hybrid == Hybrid::Sp2
        })
}

// In a ring of five or six flat atoms. An sp3-looking N, O or S may close a ring of five (furan, indole).
fn is_aromatic(structure: &Structure, bonds: &BondGraph, types: &[AtomType], atom: usize) -> bool {
    let can = |atom: u32| {
        let kind = types[atom as usize];
        let lends = !matches!(structure.atoms.elements[atom as usize], Element::CARBON) && kind.heavy == 2;
        kind.hybrid == Hybrid::Sp2 || (kind.hybrid == Hybrid::Sp3 && lends)
    };
    if types[atom].hybrid != Hybrid::Sp2 || types[atom].heavy < 2 {
        return false;
    }
    let mut path = [atom as u32; 6];
    ring_closes(bonds, &can, &mut path, 1)
}

// Walks flat atoms only, so at most 2 x 2 x 2 x 2 x 2 ways in a fused ring system.
fn ring_closes(bonds: &BondGraph, can: &impl Fn(u32) -> bool, path: &mut [u32; 6], length: usize) -> bool {
    let last = path[length - 1];
    if length >= 5 && bonds.neighbours(last).contains(&path[0]) {
        return true;
    }
    if length == 6 {
        return false;
    }
    bonds.neighbours(last).iter().any(|&next| {
        if path[..length].contains(&next) || !can(next) {
            return false;
        }
        path[length] = next;
        ring_closes(bonds, can, path, length + 1)
    })
}
