//! Who can donate and who can accept a hydrogen bond.

use super::BondGraph;
use crate::Structure;

/// What an atom can do in a hydrogen bond or a salt bridge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// Gives a hydrogen: the polar hydrogen itself where hydrogens are present, otherwise the atom that carries it.
    pub donor: bool,
    /// Takes a hydrogen.
    pub acceptor: bool,
    /// 1 for the atoms of a cation, -1 for those of an anion, 0 for the rest.
    pub charge: i8,
}

impl Role {
    /// Whether two atoms can share a hydrogen bond.
    pub fn bonds_with(self, other: Self) -> bool {
        (self.donor && other.acceptor) || (self.acceptor && other.donor)
    }

    /// Whether the two carry opposite charges.
    pub fn salt_bridge_with(self, other: Self) -> bool {
        self.charge * other.charge < 0
    }
}

pub(super) fn roles(structure: &Structure, _bonds: &BondGraph) -> Vec<Role> {
    vec![Role::default(); structure.atoms.len()]
}
