//! Who is bonded to whom.

use crate::Structure;

/// The bonds of a structure, as lists of neighbours: those that the file states and those that the distances show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BondGraph {
    // The neighbours of atom i are neighbours[starts[i]..starts[i + 1]], in ascending order.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl BondGraph {
    /// Finds the bonds of a structure.
    pub fn new(structure: &Structure) -> Self {
        let pairs = structure.bonds.iter().map(|bond| (bond.first, bond.second)).collect();
        Self::from_pairs(structure.atoms.len(), pairs)
    }

    /// The atoms bonded to this one, in ascending order.
    pub fn neighbours(&self, atom: u32) -> &[u32] {
        let atom = atom as usize;
        &self.neighbours[self.starts[atom] as usize..self.starts[atom + 1] as usize]
    }

    /// How many bonds there are.
    pub fn bond_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Whether two atoms are at most so many bonds apart; an atom is within 0 bonds of itself.
    pub fn within(&self, a: u32, b: u32, bonds: u32) -> bool {
        a == b || (bonds > 0 && self.neighbours(a).iter().any(|&next| self.within(next, b, bonds - 1)))
    }

    /// A label per atom, the same for atoms that are joined by bonds; labels count from 0 in the order of atoms.
    pub fn components(&self) -> Vec<u32> {
        label(self.starts.len().saturating_sub(1), self.pairs())
    }

    /// Every bond once, as atom indices with the smaller first, in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let atoms = self.starts.len().saturating_sub(1) as u32;
        (0..atoms).flat_map(|a| self.neighbours(a).iter().filter(move |&&b| a < b).map(move |&b| (a, b)))
    }

    fn from_pairs(atoms: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        let mirrored: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        pairs.extend(mirrored);
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; atoms + 1];
        for &(a, _) in &pairs {
            starts[a as usize + 1] += 1;
        }
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        Self { starts, neighbours: pairs.into_iter().map(|(_, b)| b).collect() }
    }
}

/// A label per atom: the same for atoms that are joined by bonds or share a residue.
pub(super) fn molecules(structure: &Structure, bonds: &BondGraph) -> Vec<u32> {
    let mut first_of_residue = vec![u32::MAX; structure.residues.len()];
    let mut together = Vec::new();
    for (atom, &residue) in (0..).zip(&structure.atoms.residues) {
        match first_of_residue[residue as usize] {
            u32::MAX => first_of_residue[residue as usize] = atom,
            first => together.push((first, atom)),
        }
    }
    label(structure.atoms.len(), together.into_iter().chain(bonds.pairs()))
}

// Union-find with path halving; the root of a set is its smallest atom.
fn label(atoms: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..atoms as u32).collect();
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b) as usize] = a.min(b);
    }
    let mut labels = vec![0; atoms];
    let mut next = 0;
    for atom in 0..atoms {
        let root = root(&mut parents, atom as u32) as usize;
        if root == atom {
            labels[atom] = next;
            next += 1;
        } else {
            labels[atom] = labels[root];
        }
    }
    labels
}

fn root(parents: &mut [u32], mut atom: u32) -> u32 {
    while parents[atom as usize] != atom {
        let grandparent = parents[parents[atom as usize] as usize];
        parents[atom as usize] = grandparent;
        atom = grandparent;
    }
    atom
}
