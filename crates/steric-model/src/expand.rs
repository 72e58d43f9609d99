//! Copies written out as plain atoms, for formats that know no copies.
//!
//! How it works: the atoms and bonds of each body are gathered once and then repeated for every pose. The first copy
//! of a chain keeps its name, the others are numbered as the PDB numbers them: `A`, `A-2`, `A-3`; what one pose moves
//! keeps one chain name if it had one, as a protein and its waters do. Where a body holds
//! chains of several models, the file is an ensemble and stays one; otherwise models are templates of a scene, and
//! the scene is one model.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{Assembly, Atoms, Bond, Copies, Model, Pose, Structure};

/// Why copies could not be written out.
///
/// ```
/// use steric_model::{Assembly, AtomRecord, Copies, ExpandError, Pose, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("ion", 1);
/// builder.push(AtomRecord::default());
/// let copies = vec![Copies { chains: vec![0], poses: vec![Pose::IDENTITY; 5], ..Copies::default() }];
/// let refused = builder.finish().expand(&Assembly { copies, ..Assembly::default() }, 4);
/// assert_eq!(refused, Err(ExpandError::TooManyAtoms { atoms: 5, limit: 4 }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// There would be more atoms than the caller allows.
    #[error("the copies have {atoms} atoms, more than the {limit} allowed")]
    TooManyAtoms {
        /// How many atoms there would be.
        atoms: u128,
        /// How many are allowed.
        limit: usize,
    },
    /// The assembly names a chain that is not there.
    #[error("the assembly copies chain {chain}, but there are {chains} chains")]
    NoSuchChain {
        /// Index of the chain.
        chain: u32,
        /// How many chains there are.
        chains: usize,
    },
}

impl Structure {
    /// Every copy of an assembly as plain atoms, copy after copy, with distinct chain names; at most `limit` atoms.
    ///
    /// ```
    /// use steric_model::{Assembly, AtomRecord, Copies, Pose, StructureBuilder};
    ///
    /// let mut builder = StructureBuilder::new("dimer", 1);
    /// builder.push(AtomRecord { chain: "A", ..AtomRecord::default() });
    /// let poses = vec![Pose::IDENTITY, Pose::from_translation(glam::DVec3::X)];
    /// let copies = vec![Copies { chains: vec![0], poses, ..Copies::default() }];
    /// let dimer = builder.finish().expand(&Assembly { copies, ..Assembly::default() }, 1000)?;
    /// assert_eq!(dimer.atoms.positions[1].x, 1.0);
    /// assert_eq!(dimer.chains[1].name, "A-2");
    /// # Ok::<(), steric_model::ExpandError>(())
    /// ```
    pub fn expand(&self, assembly: &Assembly, limit: usize) -> Result<Self, ExpandError> {
        let bodies = self.bodies(assembly)?;
        let counts = bodies.iter().map(|body| body.atoms.len() as u128 * body.copies.poses.len() as u128);
        let atoms: u128 = counts.sum();
        if atoms > limit.min(u32::MAX as usize) as u128 {
            return Err(ExpandError::TooManyAtoms { atoms, limit });
        }
        let mut expansion = Expansion::new(self);
        expansion.result.atoms.positions.reserve_exact(atoms as usize);
        // Models in the order of the file, each with all its bodies.
        let mut parts: BTreeMap<u32, Vec<&Body<'_>>> = BTreeMap::new();
        for body in &bodies {
            parts.entry(body.model).or_default().push(body);
        }
        for (model, bodies) in parts {
            expansion.add_model(model, &bodies);
        }
        Ok(expansion.result)
    }

    fn bodies<'a>(&self, assembly: &'a Assembly) -> Result<Vec<Body<'a>>, ExpandError> {
        let mut atoms_of_chain = vec![Vec::new(); self.chains.len()];
        for (atom, &residue) in self.atoms.residues.iter().enumerate() {
            atoms_of_chain[self.residues[residue as usize].chain as usize].push(atom as u32);
        }
        let mut bodies = Vec::new();
        for copies in &assembly.copies {
            let mut models: BTreeMap<u32, Body<'_>> = BTreeMap::new();
            for &chain in &copies.chains {
                let no_such_chain = ExpandError::NoSuchChain { chain, chains: self.chains.len() };
                let model = self.chains.get(chain as usize).ok_or(no_such_chain)?.model;
                let body = models.entry(model).or_insert_with(|| Body { model, copies, atoms: Vec::new() });
                body.atoms.extend_from_slice(&atoms_of_chain[chain as usize]);
            }
            bodies.extend(models.into_values());
        }
        let is_ensemble = bodies.windows(2).any(|pair| std::ptr::eq(pair[0].copies, pair[1].copies));
        if !is_ensemble {
            bodies.iter_mut().for_each(|body| body.model = 0);
        }
        Ok(bodies)
    }
}

// The atoms that one entry of the assembly copies within one model.
struct Body<'a> {
    model: u32,
    copies: &'a Copies,
    atoms: Vec<u32>,
}

struct Expansion<'a> {
    from: &'a Structure,
    result: Structure,
    names: Names,
    labels: Names,
    // The names that the chains of a model got at a pose, and which chains have been there already.
    names_at: FxHashMap<(u32, SmolStr, [u64; 7]), SmolStr>,
    placed: FxHashSet<(u32, [u64; 7])>,
}

/// Names that have been given away in a model.
#[derive(Default)]
struct Names {
    taken: FxHashSet<SmolStr>,
    uses: FxHashMap<SmolStr, u32>,
}

impl Names {
    // `A`, `A-2`, `A-3`, passing over names that the file itself has taken.
    fn distinct(&mut self, name: &SmolStr) -> SmolStr {
        loop {
            let uses = self.uses.entry(name.clone()).or_insert(0);
            *uses += 1;
            let candidate = if *uses == 1 { name.clone() } else { format_smolstr!("{name}-{uses}") };
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

impl<'a> Expansion<'a> {
    fn new(from: &'a Structure) -> Self {
        // A crystal's cell repeats with its symmetry, which the copies have already spent.
        let keeps_box = from.space_group.is_empty() || from.space_group == "P 1";
        let result = Structure {
            name: from.name.clone(),
            periodic_box: from.periodic_box.filter(|_| keeps_box),
            space_group: if keeps_box { from.space_group.clone() } else { String::new() },
            ..Structure::default()
        };
        let (names, labels) = Default::default();
        Self { from, result, names, labels, names_at: FxHashMap::default(), placed: FxHashSet::default() }
    }

    fn add_model(&mut self, model: u32, bodies: &[&Body<'_>]) {
        (self.names, self.labels) = Default::default();
        self.names_at.clear();
        self.placed.clear();
        let start = self.result.atoms.len() as u32;
        let number = self.from.models.get(model as usize).map_or(1, |model| model.number);
        self.result.models.push(Model { number, atoms: start..start });
        for body in bodies {
            let bonds = self.bonds_within(&body.atoms);
            for &world_from_body in &body.copies.poses {
                self.add_copy(&body.atoms, &bonds, world_from_body);
            }
        }
        let end = self.result.atoms.len() as u32;
        if let Some(model) = self.result.models.last_mut() {
            model.atoms.end = end;
        }
    }

    // Bonds between atoms of the body, by their places in it.
    fn bonds_within(&self, atoms: &[u32]) -> Vec<Bond> {
        if self.from.bonds.is_empty() {
            return Vec::new();
        }
        let place: FxHashMap<u32, u32> = atoms.iter().enumerate().map(|(place, &atom)| (atom, place as u32)).collect();
        let within = |bond: &Bond| {
            let (first, second) = (*place.get(&bond.first)?, *place.get(&bond.second)?);
            Some(Bond { first: first.min(second), second: first.max(second), order: bond.order })
        };
        self.from.bonds.iter().filter_map(within).collect()
    }

    fn add_copy(&mut self, atoms: &[u32], bonds: &[Bond], world_from_body: Pose) {
        let start = self.result.atoms.len() as u32;
        let mut chains = FxHashMap::default();
        let mut residues = FxHashMap::default();
        // Atoms of a residue nearly always follow each other, so the map is asked only when the residue changes.
        let mut last = None;
        for &atom in atoms {
            let residue = self.from.atoms.residues[atom as usize];
            let new_residue = match last {
                Some((old, new)) if old == residue => new,
                _ => match residues.get(&residue) {
                    Some(&new) => new,
                    None => {
                        let new = self.add_residue(residue, &mut chains, &world_from_body);
                        residues.insert(residue, new);
                        new
                    }
                },
            };
            last = Some((residue, new_residue));
            copy_atom(&self.from.atoms, atom as usize, &mut self.result.atoms, world_from_body, new_residue);
        }
        let bonds = bonds.iter();
        let bonds = bonds.map(|bond| Bond { first: bond.first + start, second: bond.second + start, ..*bond });
        self.result.bonds.extend(bonds);
    }

    fn add_residue(&mut self, residue: u32, chains: &mut FxHashMap<u32, u32>, pose: &Pose) -> u32 {
        let mut copy = self.from.residues[residue as usize];
        copy.chain = match chains.get(&copy.chain) {
            Some(&new) => new,
            None => {
                let new = self.add_chain(copy.chain, pose);
                chains.insert(copy.chain, new);
                new
            }
        };
        self.result.residues.push(copy);
        self.result.residues.len() as u32 - 1
    }

    fn add_chain(&mut self, chain: u32, pose: &Pose) -> u32 {
        let mut copy = self.from.chains[chain as usize].clone();
        copy.name = self.name_at(chain, pose);
        copy.label = self.labels.distinct(&copy.label);
        copy.model = self.result.models.len() as u32 - 1;
        self.result.chains.push(copy);
        self.result.chains.len() as u32 - 1
    }

    // Chains of one model and one author name stay one chain at each pose; the same chain at the same pose is another.
    fn name_at(&mut self, chain: u32, pose: &Pose) -> SmolStr {
        let from = &self.from.chains[chain as usize];
        let author = if from.name.is_empty() { &from.label } else { &from.name };
        if !self.placed.insert((chain, pose.to_bits())) {
            return self.names.distinct(author);
        }
        let names = &mut self.names;
        let name = self.names_at.entry((from.model, author.clone(), pose.to_bits()));
        name.or_insert_with(|| names.distinct(author)).clone()
    }
}

fn copy_atom(from: &Atoms, atom: usize, to: &mut Atoms, world_from_body: Pose, residue: u32) {
    to.positions.push((world_from_body * from.positions[atom].as_dvec3()).as_vec3());
    to.elements.push(from.elements[atom]);
    to.names.push(from.names[atom]);
    to.residues.push(residue);
    to.serials.push((to.serials.len() as i64 + 1) as i32);
    to.alternates.push(from.alternates[atom]);
    to.occupancies.push(from.occupancies[atom]);
    to.b_factors.push(from.b_factors[atom]);
    to.formal_charges.push(from.formal_charges[atom]);
    to.partial_charges.extend(from.partial_charges.get(atom));
    to.types.extend(from.types.get(atom));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomRecord, StructureBuilder};
    use glam::{DQuat, DVec3, Vec3};

    fn two_chains(models: i32) -> Structure {
        let mut builder = StructureBuilder::new("test", 4);
        for model in 1..=models {
            builder.start_model(model);
            for (chain, x) in [("A", 1.0), ("A", 2.0), ("B", 3.0)] {
                builder.push(AtomRecord { chain, position: Vec3::new(x, 0.0, 0.0), ..AtomRecord::default() });
            }
        }
        builder.structure_mut().bonds.push(Bond { first: 0, second: 1, order: 1 });
        builder.finish()
    }

    fn assembly(chains: &[u32], poses: &[Pose]) -> Assembly {
        let copies = vec![Copies { chains: chains.to_vec(), poses: poses.to_vec(), ..Copies::default() }];
        Assembly { id: "1".into(), copies }
    }

    #[test]
    fn copies_keep_residues_bonds_and_distinct_chains() {
        let turn = Pose { rotation: DQuat::from_rotation_z(std::f64::consts::PI), translation: DVec3::ZERO };
        let expanded = two_chains(1).expand(&assembly(&[0, 1], &[Pose::IDENTITY, turn]), 6).unwrap();
        let names: Vec<_> = expanded.chains.iter().map(|chain| chain.name.as_str()).collect();
        assert_eq!(names, ["A", "B", "A-2", "B-2"]);
        assert_eq!(expanded.residues.len(), 4);
        assert_eq!(expanded.bonds.len(), 2);
        assert_eq!(expanded.bonds[1], Bond { first: 3, second: 4, order: 1 });
        assert!((expanded.atoms.positions[5] - Vec3::new(-3.0, 0.0, 0.0)).length() < 1e-6);
        assert_eq!(expanded.models, [Model { number: 1, atoms: 0..6 }]);
    }

    #[test]
    fn an_ensemble_stays_one_and_a_scene_becomes_one_model() {
        let structure = two_chains(2);
        let ensemble = structure.expand(&assembly(&[0, 1, 2, 3], &[Pose::IDENTITY; 2]), 100).unwrap();
        assert_eq!(ensemble.models.len(), 2);
        assert_eq!(ensemble.models[1].atoms, 6..12);
        let mut scene = assembly(&[0], &[Pose::IDENTITY; 2]);
        scene.copies.push(Copies { chains: vec![2], poses: vec![Pose::IDENTITY], ..Copies::default() });
        let scene = structure.expand(&scene, 100).unwrap();
        assert_eq!(scene.models.len(), 1);
        assert_eq!(scene.chains[2].name, "A-3");
    }

    #[test]
    fn too_many_atoms_and_missing_chains_are_errors() {
        let structure = two_chains(1);
        let error = structure.expand(&assembly(&[0, 1], &[Pose::IDENTITY; 2]), 5).unwrap_err();
        assert_eq!(error, ExpandError::TooManyAtoms { atoms: 6, limit: 5 });
        let error = structure.expand(&assembly(&[7], &[Pose::IDENTITY]), 5).unwrap_err();
        assert_eq!(error, ExpandError::NoSuchChain { chain: 7, chains: 2 });
    }
}
