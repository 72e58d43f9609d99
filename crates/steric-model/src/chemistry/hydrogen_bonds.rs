//! Who can donate and who can accept a hydrogen bond.
//!
//! How it works: where a residue has its hydrogens, the hydrogen on a nitrogen, oxygen or sulfur is the donor, as in
//! probe; where it has none, the atom that should carry one is. Oxygens accept; nitrogens accept where they have a
//! lone pair in a ring plane or at the end of a triple bond. A histidine without hydrogens does both, because its
//! tautomer is not known. Aromatic carbons accept with their faces, which probe counts and ChimeraX does not.

use super::BondGraph;
use super::atom_types::{AtomType, Hybrid, atom_types};
use super::kind::{Polymer, is_hydrogen, is_metal, is_water, polymer};
use crate::{Element, Structure};

/// What an atom can do in a hydrogen bond or a salt bridge.
///
/// ```
/// use steric_model::{chemistry::Chemistry, formats::xyz::read_xyz};
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// let roles = Chemistry::new(&water).roles;
/// assert!(roles[0].acceptor && roles[1].donor);
/// assert!(roles[0].bonds_with(roles[1]) && !roles[1].bonds_with(roles[2]));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Gives a hydrogen: the polar hydrogen itself where hydrogens are present, otherwise the atom that carries it.
    pub donor: bool,
    /// Takes a hydrogen with a lone pair.
    pub acceptor: bool,
    /// Takes a hydrogen with the face of an aromatic ring; probe counts these and ChimeraX does not.
    pub face: bool,
    /// 1 for the atoms of a cation (and its hydrogens), -1 for those of an anion, 0 for the rest.
    pub charge: i8,
}

impl Role {
    /// Whether two atoms can share a hydrogen bond: one gives, the other takes, and they do not repel each other.
    pub fn bonds_with(self, other: Self) -> bool {
        self.charge * other.charge <= 0 && ((self.donor && other.acceptor) || (self.acceptor && other.donor))
    }

    /// As [`Role::bonds_with`], with the faces of aromatic rings as acceptors.
    pub fn bonds_or_faces(self, other: Self) -> bool {
        self.bonds_with(other) || (self.donor && other.face) || (self.face && other.donor)
    }

    /// Whether the two carry opposite charges.
    pub fn salt_bridge_with(self, other: Self) -> bool {
        self.charge * other.charge < 0
    }
}

pub(super) fn roles(structure: &Structure, bonds: &BondGraph) -> Vec<Role> {
    let types = atom_types(structure, bonds);
    let residues: Vec<(bool, Option<Polymer>)> =
        structure.residues.iter().map(|residue| (is_water(residue.name), polymer(residue.name))).collect();
    let seen = Seen { structure, bonds, types: &types, residues: &residues };
    let mut roles: Vec<Role> = (0..types.len()).map(|atom| seen.role(atom)).collect();
    for atom in 0..types.len() {
        if is_hydrogen(structure.atoms.elements[atom])
            && let Some(&owner) = bonds.neighbours(atom as u32).first()
        {
            roles[atom].charge = roles[owner as usize].charge.max(0);
        }
    }
    roles
}

struct Seen<'a> {
    structure: &'a Structure,
    bonds: &'a BondGraph,
    types: &'a [AtomType],
    residues: &'a [(bool, Option<Polymer>)],
}

impl Seen<'_> {
    fn role(&self, atom: usize) -> Role {
        let kind = self.types[atom];
        let charge = self.charge(atom);
        let gives = !kind.explicit && kind.hydrogens > 0;
        let role = |donor, acceptor| Role { donor, acceptor, face: false, charge };
        match self.structure.atoms.elements[atom] {
            Element::HYDROGEN => role(self.is_polar(atom), false),
            Element::OXYGEN if self.residue(atom).0 => role(!kind.explicit, true),
            Element::OXYGEN => role(gives, true),
            Element::NITROGEN if self.is_histidine(atom) && !kind.explicit => role(true, true),
            Element::NITROGEN => role(gives, self.has_lone_pair(atom)),
            // probe takes every sulfur and halogen as an acceptor.
            Element::SULFUR | Element::FLUORINE | Element::CHLORINE => role(false, true),
            Element::CARBON if kind.aromatic && !self.in_histidine(atom) => Role { face: true, ..Role::default() },
            // A metal ion sits where a proton could: it gives to every acceptor around it.
            metal if is_metal(metal) => Role { donor: true, charge: 1, ..Role::default() },
            other if matches!(other.atomic_number(), 35 | 53) => role(false, true),
            _ => role(false, false),
        }
    }

    fn residue(&self, atom: usize) -> (bool, Option<Polymer>) {
        self.residues[self.structure.atoms.residues[atom] as usize]
    }

    fn name(&self, atom: usize) -> &[u8] {
        self.structure.atoms.names[atom].as_bytes()
    }

    fn residue_name(&self, atom: usize) -> &[u8] {
        self.structure.residues[self.structure.atoms.residues[atom] as usize].name.as_bytes()
    }

    fn neighbours(&self, atom: usize) -> impl Iterator<Item = (usize, Element)> + '_ {
        let next = self.bonds.neighbours(atom as u32).iter().map(|&next| next as usize);
        next.map(|next| (next, self.structure.atoms.elements[next]))
    }

    fn is_polar(&self, hydrogen: usize) -> bool {
        self.neighbours(hydrogen)
            .any(|(_, element)| matches!(element, Element::NITROGEN | Element::OXYGEN | Element::SULFUR))
    }

    fn in_histidine(&self, atom: usize) -> bool {
        matches!(self.residue_name(atom), b"HIS" | b"HID" | b"HIE" | b"HIP" | b"HSD" | b"HSE" | b"HSP")
    }

    fn is_histidine(&self, atom: usize) -> bool {
        self.in_histidine(atom) && matches!(self.name(atom), b"ND1" | b"NE2")
    }

    // In a ring plane (two neighbours, no hydrogen), at the end of a triple bond, or as an amine of three.
    fn has_lone_pair(&self, atom: usize) -> bool {
        let kind = self.types[atom];
        kind.hydrogens == 0
            && match kind.hybrid {
                Hybrid::Sp => true,
                Hybrid::Sp2 => kind.heavy == 2 && self.name(atom) != b"N",
                Hybrid::Sp3 => kind.heavy == 3,
                Hybrid::None => false,
            }
    }

    fn charge(&self, atom: usize) -> i8 {
        let stated = self.structure.atoms.formal_charges[atom].signum();
        match (stated, self.structure.atoms.elements[atom]) {
            (0, Element::OXYGEN) if !self.residue(atom).0 => -i8::from(self.is_anion(atom)),
            (0, Element::NITROGEN) => i8::from(self.is_cation(atom)),
            (stated, _) => stated,
        }
    }

    // The two oxygens of a carboxylate; the bare oxygens of a phosphate or sulfate.
    fn is_anion(&self, oxygen: usize) -> bool {
        let by_name = matches!(
            (self.residue_name(oxygen), self.name(oxygen)),
            (b"ASP", b"OD1" | b"OD2") | (b"GLU", b"OE1" | b"OE2") | (_, b"OXT" | b"OP1" | b"OP2" | b"O1P" | b"O2P")
        );
        let bare = |atom: usize| self.types[atom].heavy == 1 && self.types[atom].hydrogens == 0;
        by_name
            || (bare(oxygen)
                && self.neighbours(oxygen).any(|(centre, element)| {
                    let oxygens = self.neighbours(centre).filter(|&(o, e)| e == Element::OXYGEN && bare(o)).count();
                    match element {
                        Element::CARBON | Element::SULFUR => {
                            oxygens >= 2 && (element != Element::SULFUR || oxygens >= 3)
                        }
                        Element::PHOSPHORUS => oxygens >= 1,
                        _ => false,
                    }
                }))
    }

    // Lysine, arginine, the start of a chain; elsewhere an amine with more hydrogens than a neutral one can have, and
    // guanidinium or amidinium: flat nitrogens on a carbon that has at least two such and no oxygen.
    fn is_cation(&self, nitrogen: usize) -> bool {
        let kind = self.types[nitrogen];
        match (self.residue_name(nitrogen), self.name(nitrogen), self.residue(nitrogen).1) {
            (b"LYS", b"NZ", _) | (b"ARG", b"NE" | b"NH1" | b"NH2", _) => true,
            (b"HIS" | b"HIP" | b"HSP", b"ND1" | b"NE2", _) => kind.explicit && self.both_protonated(nitrogen),
            (_, b"N", Some(Polymer::AminoAcid)) => kind.explicit && kind.hydrogens + kind.heavy >= 4,
            (_, _, Some(_)) => false,
            _ => match kind.hybrid {
                Hybrid::Sp3 => kind.hydrogens + kind.heavy >= 4,
                Hybrid::Sp2 => kind.heavy == 1 && self.on_amidinium(nitrogen),
                _ => false,
            },
        }
    }

    fn on_amidinium(&self, nitrogen: usize) -> bool {
        self.neighbours(nitrogen).any(|(centre, element)| {
            let bare = |&(atom, element): &(usize, Element)| {
                element == Element::NITROGEN && self.types[atom].heavy == 1 && self.types[atom].hybrid == Hybrid::Sp2
            };
            element == Element::CARBON
                && !self.types[centre].aromatic
                && self.neighbours(centre).filter(bare).count() >= 2
                && self.neighbours(centre).all(|(_, element)| element != Element::OXYGEN)
        })
    }

    // The two nitrogens of a histidine are two bonds apart, over CE1.
    fn both_protonated(&self, nitrogen: usize) -> bool {
        self.neighbours(nitrogen).filter(|&(atom, _)| self.name(atom) == b"CE1").any(|(carbon, _)| {
            self.neighbours(carbon)
                .filter(|&(_, element)| element == Element::NITROGEN)
                .all(|(atom, _)| self.types[atom].hydrogens > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::{AtomRecord, Name, StructureBuilder};

    fn roles_of(atoms: &[(&str, &str, Element, [f32; 3])]) -> Vec<Role> {
        let mut builder = StructureBuilder::new("test", 0);
        for &(residue, name, element, position) in atoms {
            let (residue_name, name) = (Name::new(residue), Name::new(name));
            let position = Vec3::from(position);
            builder.push(AtomRecord { position, element, name, residue_name, ..AtomRecord::default() });
        }
        let structure = builder.finish();
        roles(&structure, &BondGraph::new(&structure))
    }

    #[test]
    fn the_hydrogen_gives_where_there_is_one_and_its_owner_where_there_is_none() {
        let oxygen = ("HOH", "O", Element::OXYGEN, [0.0; 3]);
        let with = roles_of(&[
            oxygen,
            ("HOH", "H1", Element::HYDROGEN, [0.96, 0.0, 0.0]),
            ("HOH", "H2", Element::HYDROGEN, [-0.24, 0.93, 0.0]),
        ]);
        let acceptor = Role { acceptor: true, ..Role::default() };
        let donor = Role { donor: true, ..Role::default() };
        assert_eq!(with, [acceptor, donor, donor]);
        assert_eq!(roles_of(&[oxygen]), [Role { donor: true, ..acceptor }]);
    }

    #[test]
    fn a_carboxylate_is_an_anion_by_its_bonds_and_an_ester_is_not() {
        let acetate = |last: &'static str, end: [f32; 3]| {
            roles_of(&[
                ("ACT", "C", Element::CARBON, [0.0; 3]),
                ("ACT", "CH3", Element::CARBON, [-1.52, 0.0, 0.0]),
                ("ACT", "O", Element::OXYGEN, [0.6, 1.1, 0.0]),
                ("ACT", "OXX", Element::OXYGEN, [0.6, -1.1, 0.0]),
                ("ACT", last, Element::CARBON, end),
            ])
        };
        let charges = |roles: Vec<Role>| roles.iter().map(|role| role.charge).collect::<Vec<_>>();
        assert_eq!(charges(acetate("C9", [30.0; 3])), [0, 0, -1, -1, 0]);
        assert_eq!(charges(acetate("CM", [2.0, -1.3, 0.0])), [0; 5]);
    }

    #[test]
    fn equal_charges_share_no_hydrogen_bond() {
        let (lysine, aspartate) = (
            Role { donor: true, charge: 1, ..Role::default() },
            Role { acceptor: true, charge: -1, ..Role::default() },
        );
        assert!(lysine.bonds_with(aspartate) && aspartate.salt_bridge_with(lysine));
        assert!(!lysine.bonds_with(Role { acceptor: true, charge: 1, ..Role::default() }));
        let ring = Role { face: true, ..Role::default() };
        assert!(lysine.bonds_or_faces(ring) && !lysine.bonds_with(ring) && !aspartate.bonds_or_faces(ring));
    }
}
