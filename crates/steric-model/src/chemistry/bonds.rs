//! Who is bonded to whom.
//!
//! How it works: the bonds that the file states and those that names and distances show (`perceive.rs`) become one
//! list of neighbours per atom, all lists in one array. Molecules are the connected parts, found by union-find.

use super::perceive::perceive;
use crate::{Name, Structure};

/// The bonds of a structure, as lists of neighbours: those that the file states and those that names
/// and distances show.
///
/// ```
/// use steric_model::{chemistry::BondGraph, formats::xyz::read_xyz};
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// let bonds = BondGraph::new(&water);
/// assert_eq!(bonds.neighbours(0), [1, 2]);
/// assert!(bonds.within(1, 2, 2) && !bonds.within(1, 2, 1));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BondGraph {
    // The neighbours of atom i are neighbours[starts[i]..starts[i + 1]], in ascending order.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
}

impl BondGraph {
    /// Finds the bonds of a structure.
    pub fn new(structure: &Structure) -> Self {
        let atoms = structure.atoms.len();
        let mut pairs = perceive(structure);
        let stated = structure.bonds.iter().map(|bond| (bond.first, bond.second));
        pairs.extend(stated.filter(|&(a, b)| a != b && (a.max(b) as usize) < atoms));
        Self::from_pairs(atoms, &pairs)
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

    /// Whether two atoms are at most so many bonds apart, for at most [`BondGraph::FARTHEST`] bonds; an atom is within
    /// 0 bonds of itself.
    ///
    /// The search walks from both ends in turn and allocates nothing: four bonds cost 30 to 80 comparisons.
    pub fn within(&self, a: u32, b: u32, bonds: u32) -> bool {
        match bonds.min(Self::FARTHEST) {
            0 => a == b,
            1 => a == b || self.neighbours(a).contains(&b),
            bonds => self.within(a, b, 1) || self.neighbours(a).iter().any(|&next| self.within(b, next, bonds - 1)),
        }
    }

    /// The most bonds that [`BondGraph::within`] walks; more would take exponentially long.
    pub const FARTHEST: u32 = 8;

    /// A label per atom, the same for atoms that are joined by bonds; labels count from 0 in the order of atoms.
    pub fn components(&self) -> Vec<u32> {
        label(self.starts.len().saturating_sub(1), self.pairs())
    }

    /// Every bond once, as atom indices with the smaller first, in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let atoms = self.starts.len().saturating_sub(1) as u32;
        (0..atoms).flat_map(|a| self.neighbours(a).iter().filter(move |&&b| a < b).map(move |&b| (a, b)))
    }

    fn from_pairs(atoms: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; atoms + 1];
        for &(a, b) in pairs {
            starts[a as usize] += 1;
            starts[b as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut neighbours = vec![0; pairs.len() * 2];
        for &(a, b) in pairs {
            for (from, to) in [(a, b), (b, a)] {
                starts[from as usize] -= 1;
                neighbours[starts[from as usize] as usize] = to;
            }
        }
        Self { starts, neighbours }.sorted_once()
    }

    // A bond can be stated and perceived, or stated twice.
    fn sorted_once(mut self) -> Self {
        let mut kept = 0;
        for atom in 0..self.starts.len().saturating_sub(1) {
            let (start, end) = (self.starts[atom] as usize, self.starts[atom + 1] as usize);
            self.neighbours[start..end].sort_unstable();
            self.starts[atom] = kept as u32;
            for at in start..end {
                let next = self.neighbours[at];
                if kept == self.starts[atom] as usize || self.neighbours[kept - 1] != next {
                    self.neighbours[kept] = next;
                    kept += 1;
                }
            }
        }
        if let Some(last) = self.starts.last_mut() {
            *last = kept as u32;
        }
        self.neighbours.truncate(kept);
        self
    }
}

/// A label per atom: the same for atoms that are joined by bonds or share a residue with a name. A file without residue
/// names (XYZ, whose residue is then `UNL`) may put a whole solution into one residue, so there only bonds count.
pub(super) fn molecules(structure: &Structure, bonds: &BondGraph) -> Vec<u32> {
    let mut first_of_residue = vec![u32::MAX; structure.residues.len()];
    let mut together = Vec::new();
    for (atom, &residue) in (0..).zip(&structure.atoms.residues) {
        match first_of_residue[residue as usize] {
            _ if is_nameless(structure.residues[residue as usize].name) => {}
            u32::MAX => first_of_residue[residue as usize] = atom,
            first => together.push((first, atom)),
        }
    }
    label(structure.atoms.len(), together.into_iter().chain(bonds.pairs()))
}

fn is_nameless(name: Name) -> bool {
    name.is_empty() || name.as_bytes() == b"UNL"
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_as_many_bonds_apart_as_the_shortest_way_between_them() {
        // A ring of six with a tail of three: 0-1-2-3-4-5-0, 3-6-7-8; 9 is alone.
        let pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (3, 6), (6, 7), (7, 8), (8, 7), (1, 0)];
        let graph = BondGraph::from_pairs(10, &pairs);
        assert_eq!(graph.bond_count(), 9);
        assert_eq!(graph.neighbours(3), [2, 4, 6]);
        for (a, b, apart) in [(0, 0, 0), (0, 1, 1), (0, 2, 2), (0, 3, 3), (0, 6, 4), (0, 7, 5), (0, 8, 6), (5, 8, 5)] {
            for bonds in 0..=8 {
                assert_eq!(graph.within(a, b, bonds), bonds >= apart, "{a} {b} {bonds}");
                assert_eq!(graph.within(b, a, bonds), bonds >= apart, "{b} {a} {bonds}");
            }
        }
        assert!(!graph.within(0, 9, u32::MAX));
        assert_eq!(graph.components(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_residue_with_a_name_is_one_molecule_and_one_without_is_not() {
        for (name, expected) in [("ION", [0, 0]), ("", [0, 1]), ("UNL", [0, 1])] {
            let mut builder = crate::StructureBuilder::new("test", 0);
            for x in [0.0, 9.0] {
                let (position, residue_name) = (glam::Vec3::X * x, crate::Name::new(name));
                builder.push(crate::AtomRecord { position, residue_name, ..Default::default() });
            }
            let structure = builder.finish();
            assert_eq!(molecules(&structure, &BondGraph::new(&structure)), expected);
        }
    }

    #[test]
    fn an_empty_structure_has_no_bonds() {
        let graph = BondGraph::new(&Structure::default());
        assert_eq!((graph.bond_count(), graph.components().len(), graph.pairs().count()), (0, 0, 0));
        assert_eq!(BondGraph::default().components().len(), 0);
    }
}
