//! What bonds, hydrogen bonds and radii say about two atoms that are near each other: is this a clash?
//!
//! How it works: [`BondGraph`] finds who is bonded, [`Role`] who can donate and accept a hydrogen bond, [`RadiiSet`]
//! how big each atom is, and [`ClashDefinition`] puts the three together the way packmol, ChimeraX and MolProbity do.
//! The search for close pairs is not done here: it runs with [`ClashDefinition::radii`] and
//! [`ClashDefinition::least_overlap`] and hands each pair to [`ClashDefinition::judge`].

mod atom_types;
mod bonds;
mod clash;
mod hydrogen_bonds;
mod kind;
mod nearby;
mod perceive;
mod radii;
mod standard_bonds;

pub use bonds::BondGraph;
pub use clash::{Clash, ClashDefinition, Severity};
pub use hydrogen_bonds::Role;
pub use kind::{is_hydrogen, is_metal, is_water};
pub use radii::{RadiiSet, UnknownRadiiSet};

use crate::Structure;

/// What a clash definition needs to know about the atoms of one structure, one entry per atom.
///
/// ```
/// use steric_model::{chemistry::Chemistry, formats::xyz::read_xyz};
///
/// let text = b"3\nhydroxide and sodium\nO 0 0 0\nH 0.96 0 0\nNa 0 9 0\n";
/// let chemistry = Chemistry::new(&read_xyz(text, "naoh.xyz".as_ref())?.value);
/// assert_eq!(chemistry.bonds.components(), [0, 0, 1]);
/// assert!(chemistry.is_hydrogen(1) && chemistry.roles[1].donor);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chemistry {
    /// Who is bonded to whom.
    pub bonds: BondGraph,
    /// What each atom can do in a hydrogen bond or a salt bridge.
    pub roles: Vec<Role>,
    /// Which molecule each atom belongs to: atoms that are joined by bonds or share a residue
    /// (one with a name) have the same number.
    pub molecules: Vec<u32>,
    residues: Vec<u32>,
    alternates: Vec<u8>,
    water: Vec<bool>,
    hydrogen: Vec<bool>,
}

impl Chemistry {
    /// Finds the bonds, roles and molecules of a structure.
    pub fn new(structure: &Structure) -> Self {
        let bonds_only = Self::bonds_only(structure);
        let roles = hydrogen_bonds::roles(structure, &bonds_only.bonds);
        let molecules = bonds::molecules(structure, &bonds_only.bonds);
        Self { roles, molecules, ..bonds_only }
    }

    /// Finds the bonds alone, which is all that the definitions by distance ask for; `roles` and `molecules` stay empty.
    pub fn bonds_only(structure: &Structure) -> Self {
        let bonds = BondGraph::new(structure);
        let water_residues: Vec<bool> = structure.residues.iter().map(|residue| is_water(residue.name)).collect();
        Self {
            bonds,
            roles: Vec::new(),
            molecules: Vec::new(),
            residues: structure.atoms.residues.clone(),
            alternates: structure.atoms.alternates.clone(),
            hydrogen: structure.atoms.elements.iter().map(|&element| is_hydrogen(element)).collect(),
            water: structure.atoms.residues.iter().map(|&residue| water_residues[residue as usize]).collect(),
        }
    }

    /// Whether the atom belongs to a water molecule.
    pub fn is_water(&self, atom: u32) -> bool {
        self.water[atom as usize]
    }

    /// Whether the atom is a hydrogen.
    pub fn is_hydrogen(&self, atom: u32) -> bool {
        self.hydrogen[atom as usize]
    }

    fn role(&self, atom: u32) -> Role {
        self.roles.get(atom as usize).copied().unwrap_or_default()
    }

    // Two atoms that never exist at the same time cannot collide: alternate locations A and B.
    fn exclude_each_other(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.alternates[a as usize], self.alternates[b as usize]);
        a != 0 && b != 0 && a != b
    }
}
