//! What a file needs beyond the structure itself: ids, unique labels, operators and the rows that use them.
//!
//! How it works: chains with the same description are one entity. Every chain of a model gets a label of its own,
//! since assemblies and bonds refer to labels. Each distinct pose is an operator, since packed membranes use one pose for
//! many lipids; consecutive ones are written as a range. Rows whose chains are not the first with their label name their model (`PDB_model_num`), and
//! its chains by their author names where that means the same, as PetWorld does.

use std::collections::BTreeSet;
use std::io;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::{SmolStr, format_smolstr};

use crate::{Copies, Element, PeriodicBox, Pose, Structure};

/// One entity: chains that are the same molecule.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) id: SmolStr,
    pub(super) kind: &'static str,
    pub(super) description: SmolStr,
}

/// One row of `_pdbx_struct_assembly_gen`.
#[derive(Clone, Debug)]
pub(super) struct Generation {
    pub(super) assembly: SmolStr,
    pub(super) expression: String,
    pub(super) chains: String,
    pub(super) model: Option<i32>,
}

/// Everything that the tables of a structure borrow from.
#[derive(Debug)]
pub(super) struct Plan<'s> {
    pub(super) structure: &'s Structure,
    pub(super) header: String,
    pub(super) entities: Vec<Entity>,
    /// Per chain its place in `entities`.
    pub(super) entity_of: Vec<usize>,
    /// Per chain its label, unique in its model.
    pub(super) labels: Vec<SmolStr>,
    /// Per model its number, each different.
    pub(super) model_numbers: Vec<i32>,
    pub(super) generations: Vec<Generation>,
    /// Ids and poses.
    pub(super) operators: Vec<(SmolStr, Pose)>,
    operator_ids: FxHashMap<[u64; 7], usize>,
    /// Element symbols in capitals, as the PDB writes them, by atomic number.
    pub(super) symbols: Vec<SmolStr>,
    /// Names of the templates, model by model; empty unless rows name their model.
    pub(super) template_names: Vec<SmolStr>,
}

impl<'s> Plan<'s> {
    /// Checks that the format can hold the structure, and lays out its tables.
    pub(super) fn new(structure: &'s Structure) -> io::Result<Self> {
        check(structure)?;
        let descriptions = descriptions(structure);
        let (entities, entity_of) = entities(structure, &descriptions);
        let mut plan = Self {
            structure,
            header: header(&structure.name),
            entities,
            entity_of,
            labels: unique_labels(structure),
            model_numbers: model_numbers(structure),
            generations: Vec::new(),
            operators: Vec::new(),
            operator_ids: FxHashMap::default(),
            symbols: (0..=u8::MAX).map(|number| Element::new(number).symbol().to_ascii_uppercase().into()).collect(),
            template_names: Vec::new(),
        };
        plan.add_assemblies()?;
        Ok(plan)
    }

    /// The author's name of a chain, or its label where it has none.
    pub(super) fn chain_name(&self, chain: usize) -> &str {
        let name = self.structure.chains[chain].name.as_str();
        if name.is_empty() { &self.labels[chain] } else { name }
    }

    fn add_assemblies(&mut self) -> io::Result<()> {
        let mut first_with: FxHashMap<SmolStr, u32> = FxHashMap::default();
        for (chain, label) in self.labels.iter().enumerate() {
            first_with.entry(label.clone()).or_insert(chain as u32);
        }
        let structure = self.structure;
        let mut names: FxHashMap<u32, SmolStr> = FxHashMap::default();
        for assembly in &structure.assemblies {
            for copies in &assembly.copies {
                let expression = self.add_operators(&copies.poses);
                let is_first = |chain: &u32| first_with[&self.labels[*chain as usize]] == *chain;
                if copies.chains.iter().all(is_first) && !self.is_named_template(copies) {
                    let labels = copies.chains.iter().map(|&chain| self.labels[chain as usize].clone()).collect();
                    self.add_row(&assembly.id, &expression, labels, None);
                    continue;
                }
                for (model, chains) in chains_by_model(structure, copies) {
                    names.entry(model).or_insert_with(|| copies.name.clone());
                    let names = self.names_in_model(model, &chains)?;
                    self.add_row(&assembly.id, &expression, names, Some(self.model_numbers[model as usize]));
                }
            }
        }
        let counts_up = self.model_numbers.iter().zip(1..).all(|(&number, place)| number == place);
        if counts_up && !names.is_empty() {
            let models = 0..structure.models.len() as u32;
            self.template_names = models.map(|model| names.get(&model).cloned().unwrap_or_default()).collect();
        }
        Ok(())
    }

    /// Whether a body is one of several templates and has a name that its chains do not tell.
    fn is_named_template(&self, copies: &Copies) -> bool {
        let description = |&chain: &u32| &self.entities[self.entity_of[chain as usize]].description;
        let told = copies.chains.iter().map(description).find(|description| !description.is_empty());
        self.structure.models.len() > 1 && told.is_some_and(|told| *told != copies.name)
    }

    /// Names that a reader finds exactly these chains by, in a row that names its model.
    fn names_in_model(&self, model: u32, chains: &[u32]) -> io::Result<Vec<SmolStr>> {
        let of_model = || (0..self.labels.len()).filter(|&chain| self.structure.chains[chain].model == model);
        let wanted: FxHashSet<usize> = chains.iter().map(|&chain| chain as usize).collect();
        let names: BTreeSet<&str> = chains.iter().map(|&chain| self.chain_name(chain as usize)).collect();
        let means_others = of_model().any(|chain| names.contains(self.chain_name(chain)) && !wanted.contains(&chain));
        if !means_others && names.iter().all(|name| !name.contains(',') && name.trim() == *name) {
            return Ok(names.into_iter().map(SmolStr::new).collect());
        }
        let authors: FxHashSet<&str> = of_model().map(|chain| self.chain_name(chain)).collect();
        let labels: Vec<SmolStr> = chains.iter().map(|&chain| self.labels[chain as usize].clone()).collect();
        if labels.iter().all(|label| authors.contains(label.as_str())) {
            let sentence = "an assembly takes chains of a later model whose labels are the names of other chains";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        }
        Ok(labels)
    }

    fn add_row(&mut self, assembly: &str, expression: &str, chains: Vec<SmolStr>, model: Option<i32>) {
        if expression.is_empty() || chains.is_empty() {
            return;
        }
        let (assembly, expression, chains) = (SmolStr::new(assembly), expression.to_owned(), chains.join(","));
        self.generations.push(Generation { assembly, expression, chains, model });
    }

    /// Appends the poses and returns the expression that names them, in order.
    fn add_operators(&mut self, poses: &[Pose]) -> String {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &pose in poses {
            let id = self.operator_id(pose);
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == id => *last = id,
                _ => runs.push((id, id)),
            }
        }
        let run = |&(first, last): &(usize, usize)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        runs.iter().map(run).collect::<Vec<_>>().join(",")
    }

    fn operator_id(&mut self, pose: Pose) -> usize {
        let [x, y, z] = pose.translation.to_array();
        let [a, b, c, w] = pose.rotation.to_array();
        // Adding 0 turns -0 into 0, so that equal poses have equal bits.
        let bits = [x, y, z, a, b, c, w].map(|entry| (entry + 0.0).to_bits());
        let operators = &mut self.operators;
        *self.operator_ids.entry(bits).or_insert_with(|| {
            let id = operators.len() + 1;
            operators.push((format_smolstr!("{id}"), pose));
            id
        })
    }
}

fn check(structure: &Structure) -> io::Result<()> {
    let refuse = |sentence: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    if structure.atoms.is_empty() {
        return refuse("an mmCIF file needs at least one atom");
    }
    if structure.atoms.positions.iter().any(|position| !position.is_finite()) {
        return refuse("an mmCIF file cannot hold coordinates that are infinite or not a number");
    }
    let chain_count = structure.chains.len() as u32;
    let mut copies = structure.assemblies.iter().flat_map(|assembly| &assembly.copies);
    if copies.any(|copies| copies.chains.iter().any(|&chain| chain >= chain_count)) {
        return refuse("an assembly names a chain that the structure does not have");
    }
    if structure.periodic_box.is_some_and(|periodic_box| !is_standard(&periodic_box)) {
        return refuse(
            "an mmCIF file cannot hold a periodic box whose first edge is not along x and second in the xy plane",
        );
    }
    Ok(())
}

fn is_standard(periodic_box: &PeriodicBox) -> bool {
    let standard = PeriodicBox::from_edges_and_angles(periodic_box.edges(), periodic_box.angles_degrees());
    let tolerance = 1e-6 * periodic_box.edges().max_element();
    standard.is_some_and(|standard| standard.vectors().abs_diff_eq(periodic_box.vectors(), tolerance))
}

/// A block name has no blanks.
fn header(name: &str) -> String {
    let graphic = |letter: char| if letter.is_ascii_graphic() { letter } else { '_' };
    if name.is_empty() { "structure".to_owned() } else { name.chars().map(graphic).take(72).collect() }
}

/// Per chain what it is: its own description, or else the name of a body that it is part of.
fn descriptions(structure: &Structure) -> Vec<SmolStr> {
    let mut descriptions: Vec<SmolStr> = structure.chains.iter().map(|chain| chain.description.clone()).collect();
    for copies in structure.assemblies.iter().flat_map(|assembly| &assembly.copies) {
        for &chain in &copies.chains {
            if descriptions[chain as usize].is_empty() {
                descriptions[chain as usize] = copies.name.clone();
            }
        }
    }
    descriptions
}

fn entities(structure: &Structure, descriptions: &[SmolStr]) -> (Vec<Entity>, Vec<usize>) {
    let mut entities: Vec<Entity> = Vec::new();
    let mut places: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    let kinds = chain_kinds(structure);
    let entity_of = descriptions.iter().zip(kinds).map(|(description, kind)| {
        *places.entry((description.as_str(), kind)).or_insert_with(|| {
            let id = format_smolstr!("{}", entities.len() + 1);
            entities.push(Entity { id, kind, description: description.clone() });
            entities.len() - 1
        })
    });
    let entity_of = entity_of.collect();
    (entities, entity_of)
}

/// A chain of water is water, one of hetero groups no polymer, and all the others are polymers.
fn chain_kinds(structure: &Structure) -> Vec<&'static str> {
    const KINDS: [&str; 3] = ["water", "non-polymer", "polymer"];
    let mut kinds = vec![0; structure.chains.len()];
    for residue in &structure.residues {
        let is_water = matches!(residue.name.as_str(), "HOH" | "WAT" | "DOD" | "H2O" | "SOL" | "TIP3");
        let kind = if is_water { 0 } else { 2 - residue.hetero as usize };
        let known = &mut kinds[residue.chain as usize];
        *known = kind.max(*known);
    }
    kinds.into_iter().map(|kind| KINDS[kind]).collect()
}

fn unique_labels(structure: &Structure) -> Vec<SmolStr> {
    let is_usable =
        |label: &SmolStr| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',');
    let taken: FxHashSet<&SmolStr> = structure.chains.iter().map(|chain| &chain.label).collect();
    let mut used: FxHashSet<(u32, &SmolStr)> = FxHashSet::default();
    let mut number = 0_usize;
    let labels = structure.chains.iter().map(|chain| {
        if is_usable(&chain.label) && used.insert((chain.model, &chain.label)) {
            return chain.label.clone();
        }
        loop {
            let label = letters(number);
            number += 1;
            if !taken.contains(&label) {
                return label;
            }
        }
    });
    labels.collect()
}

/// `A` to `Z`, then `AA`, `BA` and so on, as the PDB counts chains.
fn letters(number: usize) -> SmolStr {
    let mut label = String::new();
    let mut rest = number;
    loop {
        label.push((b'A' + (rest % 26) as u8) as char);
        if rest < 26 {
            return label.into();
        }
        rest = rest / 26 - 1;
    }
}

fn model_numbers(structure: &Structure) -> Vec<i32> {
    let numbers: Vec<i32> = structure.models.iter().map(|model| model.number).collect();
    let distinct: FxHashSet<i32> = numbers.iter().copied().collect();
    if distinct.len() == numbers.len() { numbers } else { (1..).take(numbers.len()).collect() }
}

fn chains_by_model(structure: &Structure, copies: &Copies) -> Vec<(u32, Vec<u32>)> {
    let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
    for &chain in &copies.chains {
        let model = structure.chains[chain as usize].model;
        match groups.iter_mut().find(|(known, _)| *known == model) {
            Some((_, chains)) => chains.push(chain),
            None => groups.push((model, vec![chain])),
        }
    }
    groups
}
