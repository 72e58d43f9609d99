//! What a molecule file holds: atoms with their names, residues, chains, models and copies.

use std::ops::Range;

use glam::Vec3;
use smol_str::SmolStr;

use crate::{Element, Name, PeriodicBox, Pose};

/// Everything read from one file. Atoms stand in file order; nothing is expanded.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n", "water.xyz".as_ref())?.value;
/// assert_eq!((water.atoms.len(), water.residues.len(), water.models.len()), (3, 1, 1));
/// let heaviest = water.atoms.elements.iter().max_by(|a, b| a.mass().total_cmp(&b.mass()));
/// assert_eq!(heaviest.map(|element| element.symbol()), Some("O"));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// The entry's name, or what the file calls itself; may be empty.
    pub name: String,
    /// The atoms of every model, in file order, one array per property.
    pub atoms: Atoms,
    /// Residues in the order of their first atom.
    pub residues: Vec<Residue>,
    /// Chains in the order of their first atom.
    pub chains: Vec<Chain>,
    /// Models; a file without models has one.
    pub models: Vec<Model>,
    /// Bonds that the file itself states; empty if it states none.
    pub bonds: Vec<Bond>,
    /// The periodic box or unit cell, if the file has a real one.
    pub periodic_box: Option<PeriodicBox>,
    /// The space group that goes with the box, `P 1` for a simulation box; empty if none is stated.
    pub space_group: String,
    /// Copies that the file asks for, one entry per biological assembly or packed scene.
    pub assemblies: Vec<Assembly>,
}

impl Structure {
    /// One model, or any run of atoms, as a structure of its own: with their residues, chains and bonds, without copies.
    ///
    /// ```
    /// use steric_model::formats::xyz::read_xyz;
    ///
    /// let two = read_xyz(b"1\nfirst\nC 0 0 0\n1\nsecond\nN 1 0 0\n", "two.xyz".as_ref())?.value;
    /// let second = two.alone(&two.models[1].atoms);
    /// assert_eq!((second.atoms.len(), second.models.len()), (1, 1));
    /// assert_eq!(second.atoms.positions[0].x, 1.0);
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn alone(&self, atoms: &Range<u32>) -> Self {
        let range = atoms.start as usize..(atoms.end as usize).min(self.atoms.len());
        let mut residues = Vec::new();
        let mut chains: Vec<Chain> = Vec::new();
        let (mut known_residues, mut known_chains) =
            (rustc_hash::FxHashMap::default(), rustc_hash::FxHashMap::default());
        let mut residue_of = Vec::with_capacity(range.len());
        for &residue in &self.atoms.residues[range.clone()] {
            let number = *known_residues.entry(residue).or_insert_with(|| {
                let mut own = self.residues[residue as usize];
                own.chain = *known_chains.entry(own.chain).or_insert_with(|| {
                    chains.push(Chain { model: 0, ..self.chains[own.chain as usize].clone() });
                    chains.len() as u32 - 1
                });
                residues.push(own);
                residues.len() as u32 - 1
            });
            residue_of.push(number);
        }
        fn cut<T: Clone>(all: &[T], range: &Range<usize>) -> Vec<T> {
            all.get(range.clone()).map(<[T]>::to_vec).unwrap_or_default()
        }
        let within = |atom: u32| (atoms.start..range.end as u32).contains(&atom).then(|| atom - atoms.start);
        let bond = |bond: &Bond| Some(Bond { first: within(bond.first)?, second: within(bond.second)?, ..*bond });
        let own = &self.atoms;
        Self {
            name: self.name.clone(),
            atoms: Atoms {
                positions: cut(&own.positions, &range),
                elements: cut(&own.elements, &range),
                names: cut(&own.names, &range),
                residues: residue_of,
                serials: cut(&own.serials, &range),
                alternates: cut(&own.alternates, &range),
                occupancies: cut(&own.occupancies, &range),
                b_factors: cut(&own.b_factors, &range),
                formal_charges: cut(&own.formal_charges, &range),
                partial_charges: cut(&own.partial_charges, &range),
                types: cut(&own.types, &range),
            },
            residues,
            chains,
            models: vec![Model { number: 1, atoms: 0..range.len() as u32 }],
            bonds: self.bonds.iter().filter_map(bond).collect(),
            periodic_box: self.periodic_box,
            space_group: self.space_group.clone(),
            assemblies: Vec::new(),
        }
    }
}

/// One array per atom property, all of the same length unless said otherwise.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
///
/// let atoms = read_xyz(b"2\nsalt\nNa 0 0 0\nCl 2.36 0 0\n", "salt.xyz".as_ref())?.value.atoms;
/// let centre = atoms.positions.iter().sum::<glam::Vec3>() / atoms.len() as f32;
/// assert_eq!(centre.x, 1.18);
/// assert!(atoms.partial_charges.is_empty());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Atoms {
    /// Centres in angstroms.
    pub positions: Vec<Vec3>,
    /// Chemical elements.
    pub elements: Vec<Element>,
    /// Atom names, such as `CA`.
    pub names: Vec<Name>,
    /// Index of the residue in [`Structure::residues`].
    pub residues: Vec<u32>,
    /// The file's own atom numbers; they may repeat.
    pub serials: Vec<i32>,
    /// Alternate location, 0 where there is none.
    pub alternates: Vec<u8>,
    /// Occupancy, 1 unless the file says otherwise.
    pub occupancies: Vec<f32>,
    /// Isotropic displacement parameter in square angstroms.
    pub b_factors: Vec<f32>,
    /// Formal charge in elementary charges.
    pub formal_charges: Vec<i8>,
    /// Partial charge in elementary charges; empty if the file has none.
    pub partial_charges: Vec<f32>,
    /// Force-field type, such as `OA` or `C.ar`; empty if the file has none.
    pub types: Vec<Name>,
}

impl Atoms {
    /// How many atoms there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

/// A residue: an amino acid, a nucleotide, a ligand, one water, one lipid.
///
/// ```
/// use steric_model::formats::pdb::read_pdb;
///
/// let text = b"HETATM    1 ZN    ZN A 300      11.111  -2.222    .333  1.00  9.99          ZN2+\n";
/// let zinc = read_pdb(text, "zinc.pdb".as_ref())?.value;
/// let residue = zinc.residues[zinc.atoms.residues[0] as usize];
/// assert_eq!((residue.name.as_str(), residue.number, residue.hetero), ("ZN", 300, true));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residue {
    /// Index in [`Structure::chains`].
    pub chain: u32,
    /// Residue name, such as `ALA`.
    pub name: Name,
    /// The author's residue number.
    pub number: i32,
    /// Insertion code, 0 where there is none.
    pub insertion: u8,
    /// Whether the file calls it a hetero group.
    pub hetero: bool,
}

/// A chain of one model.
///
/// ```
/// use steric_model::{AtomRecord, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("two chains", 3);
/// for chain in ["H", "L", "H"] {
///     builder.push(AtomRecord { chain, ..AtomRecord::default() });
/// }
/// let names: Vec<_> = builder.finish().chains.into_iter().map(|chain| chain.name).collect();
/// assert_eq!(names, ["H", "L"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Index in [`Structure::models`].
    pub model: u32,
    /// The author's chain name, the one in PDB files; may be empty.
    pub name: SmolStr,
    /// The name that mmCIF assemblies use (`label_asym_id`); the same as `name` in other formats.
    pub label: SmolStr,
    /// What the chain is, if the file says so: an entity's description, or the path of a packed ingredient.
    pub description: SmolStr,
}

/// A model of an ensemble, or a template of a packed scene.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
///
/// let frames = read_xyz(b"1\nstart\nAr 0 0 0\n1\nend\nAr 5 0 0\n", "walk.xyz".as_ref())?.value;
/// let last = &frames.models[1];
/// assert_eq!((last.number, last.atoms.clone()), (2, 1..2));
/// assert_eq!(frames.atoms.positions[last.atoms.start as usize].x, 5.0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The file's model number.
    pub number: i32,
    /// Its atoms.
    pub atoms: Range<u32>,
}

/// A bond that the file states, between two atoms by index; `first < second`.
///
/// ```
/// use steric_model::{AtomRecord, Bond, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("carbon monoxide", 2);
/// builder.push(AtomRecord::default());
/// builder.push(AtomRecord::default());
/// builder.structure_mut().bonds.extend([Bond { first: 0, second: 1, order: 3 }; 2]);
/// assert_eq!(builder.finish().bonds.len(), 1, "a bond that is stated twice is one bond");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bond {
    /// Index of the first atom.
    pub first: u32,
    /// Index of the second atom.
    pub second: u32,
    /// 1, 2 or 3; 4 for aromatic; 0 where it is not stated.
    pub order: u8,
}

/// A set of copies: a biological assembly, or a packed scene.
///
/// ```
/// use steric_model::{Assembly, AtomRecord, Copies, Pose, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("protomer", 1);
/// builder.push(AtomRecord { chain: "A", ..AtomRecord::default() });
/// let poses = (0..60).map(|i| Pose::from_translation(glam::DVec3::X * f64::from(i))).collect();
/// let capsid = Assembly { id: "1".into(), copies: vec![Copies { chains: vec![0], poses, ..Copies::default() }] };
/// assert_eq!(builder.finish().expand(&capsid, 1000)?.atoms.len(), 60);
/// # Ok::<(), steric_model::ExpandError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// The file's own id, usually `1`.
    pub id: String,
    /// Which chains are copied where.
    pub copies: Vec<Copies>,
}

/// Some chains, taken together as one rigid body, and all the places where a copy of that body stands.
///
/// ```
/// use steric_model::{Copies, Pose};
///
/// let turn = Pose { rotation: glam::DQuat::from_rotation_z(std::f64::consts::PI), ..Pose::IDENTITY };
/// let dimer = Copies { name: "dimer".into(), chains: vec![0, 1], poses: vec![Pose::IDENTITY, turn] };
/// let world = dimer.poses[1] * glam::DVec3::X;
/// assert!((world - glam::DVec3::NEG_X).length() < 1e-12);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Copies {
    /// What the body is called; may be empty.
    pub name: SmolStr,
    /// Indices in [`Structure::chains`].
    pub chains: Vec<u32>,
    /// One pose per copy: `world_from_body`.
    pub poses: Vec<Pose>,
}

/// Everything a reader knows about one atom.
///
/// ```
/// use steric_model::{AtomRecord, Element, Name, StructureBuilder};
///
/// let calcium = AtomRecord { element: Element::new(20), name: Name::new("CA"), ..AtomRecord::default() };
/// let mut builder = StructureBuilder::new("two ions", 2);
/// builder.push(AtomRecord { residue_number: 1, ..calcium });
/// builder.push(AtomRecord { residue_number: 2, ..calcium });
/// assert_eq!(builder.finish().residues.len(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct AtomRecord<'a> {
    /// Centre in angstroms.
    pub position: Vec3,
    /// Chemical element.
    pub element: Element,
    /// Atom name.
    pub name: Name,
    /// The file's own atom number.
    pub serial: i32,
    /// Alternate location, 0 where there is none.
    pub alternate: u8,
    /// Occupancy.
    pub occupancy: f32,
    /// Isotropic displacement parameter in square angstroms.
    pub b_factor: f32,
    /// Formal charge in elementary charges.
    pub formal_charge: i8,
    /// Residue name.
    pub residue_name: Name,
    /// Residue number.
    pub residue_number: i32,
    /// Insertion code, 0 where there is none.
    pub insertion: u8,
    /// Whether the residue is a hetero group.
    pub hetero: bool,
    /// The author's chain name.
    pub chain: &'a str,
    /// The chain name that assemblies use; empty means the same as `chain`.
    pub label: &'a str,
}

/// Builds a [`Structure`] from atoms as they come.
///
/// How it works: consecutive atoms nearly always share their residue and chain, so only a change costs anything. A
/// chain that comes back is the same chain; a residue that comes back within the last two residues of its chain is
/// the same residue (alternate locations interleave). Further away it is the same if it brings an atom that the residue
/// lacks (hydrogens at the end of a file), and a new one if it brings one again (numbers of waters repeat).
///
/// ```
/// use steric_model::{AtomRecord, Element, Name, StructureBuilder};
///
/// let mut builder = StructureBuilder::new("water", 3);
/// for (symbol, x, y) in [("O", 0.0, 0.0), ("H", 0.76, 0.59), ("H", -0.76, 0.59)] {
///     let element = Element::from_symbol(symbol).unwrap_or_default();
///     let position = glam::Vec3::new(x, y, 0.0);
///     builder.push(AtomRecord { element, position, residue_name: Name::new("HOH"), ..AtomRecord::default() });
/// }
/// let water = builder.finish();
/// assert_eq!((water.atoms.len(), water.residues.len(), water.models.len()), (3, 1, 1));
/// ```
#[derive(Debug)]
pub struct StructureBuilder {
    structure: Structure,
    model_open: bool,
    chains_of_model: rustc_hash::FxHashMap<(SmolStr, SmolStr), u32>,
    // The latest residue of each chain, number, insertion code and name, and its first atom.
    residues_of_model: rustc_hash::FxHashMap<(u32, i32, u8, Name), (u32, u32)>,
    current: Option<u32>,
}

impl StructureBuilder {
    /// An empty structure of this name, with room for so many atoms.
    pub fn new(name: impl Into<String>, capacity: usize) -> Self {
        let atoms = Atoms {
            positions: Vec::with_capacity(capacity),
            elements: Vec::with_capacity(capacity),
            names: Vec::with_capacity(capacity),
            residues: Vec::with_capacity(capacity),
            serials: Vec::with_capacity(capacity),
            alternates: Vec::with_capacity(capacity),
            occupancies: Vec::with_capacity(capacity),
            b_factors: Vec::with_capacity(capacity),
            formal_charges: Vec::with_capacity(capacity),
            ..Atoms::default()
        };
        let structure = Structure { name: name.into(), atoms, ..Structure::default() };
        Self {
            structure,
            model_open: false,
            chains_of_model: Default::default(),
            residues_of_model: Default::default(),
            current: None,
        }
    }

    /// How many atoms there are so far.
    pub fn len(&self) -> usize {
        self.structure.atoms.len()
    }

    /// Whether no atom has come yet.
    pub fn is_empty(&self) -> bool {
        self.structure.atoms.is_empty()
    }

    /// The structure so far, to fill in what does not come atom by atom.
    pub fn structure_mut(&mut self) -> &mut Structure {
        &mut self.structure
    }

    /// Starts a model; without this call the first atom starts model 1.
    pub fn start_model(&mut self, number: i32) {
        let end = self.len() as u32;
        self.structure.models.push(Model { number, atoms: end..end });
        self.model_open = true;
        self.chains_of_model.clear();
        self.residues_of_model.clear();
        self.current = None;
    }

    /// Adds one atom.
    pub fn push(&mut self, record: AtomRecord<'_>) {
        if !self.model_open {
            self.start_model(1);
        }
        let residue = self.residue_of(&record);
        self.push_to(residue, record);
    }

    /// Adds one atom to the residue of the atom before, whatever the record says about residue and chain; the first
    /// atom of a model goes by its record. For readers that can tell cheaply that nothing changed.
    #[inline]
    pub fn push_to_same_residue(&mut self, record: AtomRecord<'_>) {
        match self.current {
            Some(residue) => self.push_to(residue, record),
            None => self.push(record),
        }
    }

    #[inline]
    fn push_to(&mut self, residue: u32, record: AtomRecord<'_>) {
        let atoms = &mut self.structure.atoms;
        atoms.positions.push(record.position);
        atoms.elements.push(record.element);
        atoms.names.push(record.name);
        atoms.residues.push(residue);
        atoms.serials.push(record.serial);
        atoms.alternates.push(record.alternate);
        atoms.occupancies.push(record.occupancy);
        atoms.b_factors.push(record.b_factor);
        atoms.formal_charges.push(record.formal_charge);
        if let Some(model) = self.structure.models.last_mut() {
            model.atoms.end += 1;
        }
    }

    /// The finished structure; bonds come out sorted and each once.
    pub fn finish(mut self) -> Structure {
        if self.structure.models.is_empty() {
            self.start_model(1);
        }
        let bonds = &mut self.structure.bonds;
        bonds.sort_unstable();
        bonds.dedup_by_key(|bond| (bond.first, bond.second));
        self.structure
    }

    fn residue_of(&mut self, record: &AtomRecord<'_>) -> u32 {
        if let Some(current) = self.current
            && self.is_residue(current, record)
        {
            return current;
        }
        let residues = self.structure.residues.len() as u32;
        let recent = (residues.saturating_sub(2)..residues).rev().find(|&residue| self.is_residue(residue, record));
        let residue = recent.unwrap_or_else(|| self.new_residue(record));
        self.current = Some(residue);
        residue
    }

    fn is_residue(&self, index: u32, record: &AtomRecord<'_>) -> bool {
        let residue = &self.structure.residues[index as usize];
        let chain = &self.structure.chains[residue.chain as usize];
        let label = if record.label.is_empty() { record.chain } else { record.label };
        residue.number == record.residue_number
            && residue.insertion == record.insertion
            && residue.name == record.residue_name
            && chain.name == record.chain
            && chain.label == label
            && chain.model as usize + 1 == self.structure.models.len()
    }

    fn new_residue(&mut self, record: &AtomRecord<'_>) -> u32 {
        let label = if record.label.is_empty() { record.chain } else { record.label };
        let key = (SmolStr::new(record.chain), SmolStr::new(label));
        let structure = &mut self.structure;
        let chain = *self.chains_of_model.entry(key).or_insert_with_key(|(name, label)| {
            structure.chains.push(Chain {
                model: structure.models.len() as u32 - 1,
                name: name.clone(),
                label: label.clone(),
                description: SmolStr::default(),
            });
            structure.chains.len() as u32 - 1
        });
        let key = (chain, record.residue_number, record.insertion, record.residue_name);
        if let Some(&(residue, first_atom)) = self.residues_of_model.get(&key)
            && lacks_atom(&structure.atoms, residue, first_atom, record)
        {
            return residue;
        }
        let next = (structure.residues.len() as u32, structure.atoms.len() as u32);
        self.residues_of_model.insert(key, next);
        structure.residues.push(Residue {
            chain,
            name: record.residue_name,
            number: record.residue_number,
            insertion: record.insertion,
            hetero: record.hetero,
        });
        structure.residues.len() as u32 - 1
    }
}

/// Whether the run of atoms that begins a residue has none of this name and alternate location.
fn lacks_atom(atoms: &Atoms, residue: u32, first_atom: u32, record: &AtomRecord<'_>) -> bool {
    let run = (first_atom as usize..atoms.len()).take_while(|&atom| atoms.residues[atom] == residue);
    !record.name.is_empty()
        && run.into_iter().all(|atom| (atoms.names[atom], atoms.alternates[atom]) != (record.name, record.alternate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_residue_whose_hydrogens_stand_at_the_end_is_one_residue() {
        let mut builder = StructureBuilder::new("test", 0);
        for (number, name) in [(1, "CA"), (2, "CA"), (3, "CA"), (4, "CA"), (1, "HA"), (1, "CA")] {
            let name = Name::new(name);
            builder.push(AtomRecord { name, ..atom("A", number, "SER") });
        }
        assert_eq!(builder.finish().atoms.residues, [0, 1, 2, 3, 0, 0]);
    }

    fn atom(chain: &'static str, number: i32, residue: &str) -> AtomRecord<'static> {
        AtomRecord { chain, residue_number: number, residue_name: Name::new(residue), ..AtomRecord::default() }
    }

    #[test]
    fn interleaved_alternates_share_residues_and_repeated_waters_do_not() {
        let mut builder = StructureBuilder::new("test", 0);
        for residue in ["SER", "PRO", "SER", "PRO"] {
            builder.push(atom("A", 22, residue));
        }
        for number in [1, 2, 3, 1] {
            builder.push(atom("W", number, "HOH"));
        }
        let structure = builder.finish();
        assert_eq!(structure.atoms.residues, [0, 1, 0, 1, 2, 3, 4, 5]);
        assert_eq!(structure.chains.len(), 2);
        assert_eq!(structure.models, [Model { number: 1, atoms: 0..8 }]);
    }

    #[test]
    fn chains_belong_to_their_model() {
        let mut builder = StructureBuilder::new("test", 0);
        builder.start_model(1);
        builder.push(atom("A", 1, "ALA"));
        builder.start_model(2);
        builder.push(atom("A", 1, "ALA"));
        let structure = builder.finish();
        assert_eq!(structure.chains.len(), 2);
        assert_eq!(structure.chains[1].model, 1);
        assert_eq!(structure.models[1].atoms, 1..2);
    }
}
