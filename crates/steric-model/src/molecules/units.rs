//! What is one molecule: chains, residues, bonded atoms, or the sensible mixture.
//!
//! How it works: every atom gets a unit number. *Auto* gives the residues of a polymer the number of their chain and
//! everything else a number per residue. A residue belongs to the polymer if it has a backbone atom and is not called
//! a hetero group, or if a backbone bond joins it to its neighbour in the file: a modified base, a selenomethionine
//! or an acetyl cap stays with its chain, a lipid or a ligand stands alone.

use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use super::placements::Placement;
use super::{MoleculesBy, Source};
use crate::chemistry::is_water;
use crate::{Element, Structure};

/// Unit number of each atom, and the atoms of each chain.
pub(super) struct Units {
    unit_of_atom: Vec<u32>,
    first_of_chain: Vec<u32>,
    atoms_by_chain: Vec<u32>,
}

impl Units {
    pub(super) fn new(source: &Source<'_>, by: MoleculesBy) -> Self {
        let structure = source.structure;
        let residue_of = &structure.atoms.residues;
        let chain_of = |atom: usize| structure.residues[residue_of[atom] as usize].chain;
        let atoms = 0..residue_of.len();
        let unit_of_atom = match by {
            MoleculesBy::Auto => {
                let unit_of_residue = polymers_and_the_rest(structure);
                atoms.map(|atom| unit_of_residue[residue_of[atom] as usize]).collect()
            }
            MoleculesBy::Chain => {
                let same = author_chains(structure);
                atoms.map(|atom| same[chain_of(atom) as usize]).collect()
            }
            MoleculesBy::Residue => residue_of.clone(),
            MoleculesBy::Connected => {
                assert_eq!(source.connected.len(), residue_of.len(), "one number per atom");
                source.connected.to_vec()
            }
            MoleculesBy::Instance | MoleculesBy::File => vec![0; residue_of.len()],
        };
        let (first_of_chain, atoms_by_chain) = atoms_by_chain(structure);
        Self { unit_of_atom, first_of_chain, atoms_by_chain }
    }

    /// The atoms of each unit of a placement, units in the order of their first atom, and how many take no part.
    pub(super) fn of(&self, source: &Source<'_>, placement: &Placement) -> (Vec<Vec<u32>>, u64) {
        let mut index: FxHashMap<u32, usize> = FxHashMap::default();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut left_out = 0;
        for &chain in &placement.chains {
            let range = self.first_of_chain[chain as usize] as usize..self.first_of_chain[chain as usize + 1] as usize;
            for &atom in &self.atoms_by_chain[range] {
                if !source.structure.atoms.positions[atom as usize].is_finite() || !(source.takes_part)(atom) {
                    left_out += 1;
                    continue;
                }
                let unit = *index.entry(self.unit_of_atom[atom as usize]).or_insert(members.len());
                if unit == members.len() {
                    members.push(Vec::new());
                }
                members[unit].push(atom);
            }
        }
        // Chains of an mmCIF file interleave: ligands come after all polymers but belong to the author's chain.
        for atoms in &mut members {
            atoms.sort_unstable();
        }
        members.sort_unstable_by_key(|atoms| atoms[0]);
        (members, left_out)
    }

    /// What a molecule is called.
    pub(super) fn species(
        &self,
        source: &Source<'_>,
        placement: &Placement,
        atoms: &[u32],
        by: MoleculesBy,
    ) -> SmolStr {
        let structure = source.structure;
        let residue_of = |atom: u32| structure.atoms.residues[atom as usize];
        let (first, last) = (residue_of(atoms[0]), residue_of(atoms[atoms.len() - 1]));
        let residue = &structure.residues[first as usize];
        let chain = &structure.chains[residue.chain as usize];
        let single_residue = first == last;
        match by {
            MoleculesBy::File => SmolStr::new(source.name),
            MoleculesBy::Residue => SmolStr::new(residue.name.as_str()),
            MoleculesBy::Instance if !placement.name.is_empty() => placement.name.clone(),
            MoleculesBy::Instance if !chain.description.is_empty() => chain.description.clone(),
            MoleculesBy::Instance if !single_residue && !structure.name.is_empty() => SmolStr::new(&structure.name),
            _ if single_residue && by != MoleculesBy::Chain => SmolStr::new(residue.name.as_str()),
            _ if !chain.description.is_empty() => chain.description.clone(),
            _ if chain.name.is_empty() => SmolStr::new_static("chain"),
            _ => format_smolstr!("chain {}", chain.name),
        }
    }
}

/// The chains of the first model among these, or all where no chain comes twice: an ensemble that is copied lists
/// every model, a packed scene lists each template once.
pub(super) fn chains_of_one_model(structure: &Structure, chains: &[u32]) -> Vec<u32> {
    let known = chains.iter().copied().filter(|&chain| (chain as usize) < structure.chains.len());
    let mut first_model: FxHashMap<(&str, &str), u32> = FxHashMap::default();
    let mut kept: Vec<u32> = known
        .filter(|&index| {
            let chain = &structure.chains[index as usize];
            *first_model.entry((&chain.name, &chain.label)).or_insert(chain.model) == chain.model
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Chains of one model with one author name are one chain, as in a PDB file.
fn author_chains(structure: &Structure) -> Vec<u32> {
    let mut first: FxHashMap<(u32, &str), u32> = FxHashMap::default();
    let mut same = Vec::with_capacity(structure.chains.len());
    for (index, chain) in structure.chains.iter().enumerate() {
        let name = if chain.name.is_empty() { chain.label.as_str() } else { chain.name.as_str() };
        same.push(*first.entry((chain.model, name)).or_insert(index as u32));
    }
    same
}

/// Whether any chain has a name; GRO files know none.
pub(super) fn has_chain_names(structure: &Structure) -> bool {
    structure.chains.iter().any(|chain| !chain.name.is_empty())
}

/// Unit numbers of residues: the chain's for polymers, beyond the chains' for everything else.
fn polymers_and_the_rest(structure: &Structure) -> Vec<u32> {
    let same_chain = author_chains(structure);
    let has_chains = has_chain_names(structure);
    let backbones = backbones(structure);
    let joined = joined_to_next(structure, &backbones);
    let chains = structure.chains.len() as u32;
    let residues = structure.residues.iter().enumerate();
    let mut polymer_run = 0;
    residues
        .map(|(index, residue)| {
            let joined_before = index > 0 && joined[index - 1];
            let is_polymer = backbones[index].is_polymer && !residue.hetero;
            if !joined_before {
                polymer_run = index as u32;
            }
            match is_polymer || joined_before || joined[index] {
                // Without chain names only the backbone bonds tell one peptide from the next.
                true if has_chains => same_chain[residue.chain as usize],
                true => chains + polymer_run,
                false => chains + index as u32,
            }
        })
        .collect()
}

/// The atoms of a residue that polymers are joined by.
#[derive(Clone, Copy, Default)]
struct Backbone {
    is_polymer: bool,
    // Indices of N or P, and of C or O3'.
    start: Option<u32>,
    end: Option<u32>,
}

fn backbones(structure: &Structure) -> Vec<Backbone> {
    let mut backbones = vec![Backbone::default(); structure.residues.len()];
    for (atom, name) in structure.atoms.names.iter().enumerate() {
        let backbone = &mut backbones[structure.atoms.residues[atom] as usize];
        match name.as_bytes() {
            b"CA" if structure.atoms.elements[atom] != Element::new(20) => backbone.is_polymer = true,
            // Nucleic acids, old and new names, and the backbone bead of Martini.
            b"C4'" | b"C4*" | b"BB" => backbone.is_polymer = true,
            b"N" | b"P" if backbone.start.is_none() => backbone.start = Some(atom as u32),
            b"C" | b"O3'" | b"O3*" if backbone.end.is_none() => backbone.end = Some(atom as u32),
            _ => {}
        }
    }
    for (backbone, residue) in backbones.iter_mut().zip(&structure.residues) {
        backbone.is_polymer &= !is_water(residue.name);
    }
    backbones
}

/// Whether a backbone bond joins a residue to the one after it; 2 A leaves room for sloppy models.
fn joined_to_next(structure: &Structure, backbones: &[Backbone]) -> Vec<bool> {
    let position = |atom: u32| structure.atoms.positions[atom as usize].as_dvec3();
    let near = |a: u32, b: u32| {
        let displacement = position(b) - position(a);
        let shortest =
            structure.periodic_box.map_or(displacement, |periodic_box| periodic_box.nearest_image(displacement));
        shortest.length_squared() < 4.0
    };
    let pairs = backbones.iter().zip(backbones.iter().skip(1)).enumerate();
    let mut joined: Vec<bool> = pairs
        .map(|(index, (this, next))| {
            let author = |residue: usize| &structure.chains[structure.residues[residue].chain as usize];
            let same_chain =
                author(index).name == author(index + 1).name && author(index).model == author(index + 1).model;
            let bonded = matches!((this.end, next.start), (Some(end), Some(start)) if near(end, start));
            same_chain && bonded && (this.is_polymer || next.is_polymer)
        })
        .collect();
    joined.resize(structure.residues.len(), false);
    joined
}

fn atoms_by_chain(structure: &Structure) -> (Vec<u32>, Vec<u32>) {
    let chain_of = |residue: u32| structure.residues[residue as usize].chain as usize;
    let mut first = vec![0; structure.chains.len() + 1];
    for &residue in &structure.atoms.residues {
        first[chain_of(residue) + 1] += 1;
    }
    for chain in 0..structure.chains.len() {
        first[chain + 1] += first[chain];
    }
    let mut next = first.clone();
    let mut atoms = vec![0; structure.atoms.len()];
    for (atom, &residue) in structure.atoms.residues.iter().enumerate() {
        let slot = &mut next[chain_of(residue)];
        atoms[*slot as usize] = atom as u32;
        *slot += 1;
    }
    (first, atoms)
}
