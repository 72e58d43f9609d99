//! Molecules in their own frame, ready to be copied.
//!
//! How it works: a molecule is read once, from the embedded library or a file, and cut down to what a scene keeps of
//! it: one alternate location, heavy atoms unless hydrogens are asked for, and of a protein's file the first model
//! without its waters. A lipid has one body per conformer (chain or model), upright, z outward from the middle of the
//! membrane. Anything else is one body around its own centre. Bodies go to the structure of the scene as chains.

use std::path::Path;

use glam::{DMat3, DQuat, DVec3};
use smol_str::{SmolStr, format_smolstr};
use steric_model::chemistry::{BondGraph, Chemistry, ClashDefinition, is_hydrogen, is_water};
use steric_model::formats::Format;
use steric_model::{
    AtomId, AtomRecord, Bond, MoleculeId, Molecules, Name, Parsed, ReadError, Structure, StructureBuilder,
};

use super::lipid::{self, Ends, Refusal};
use super::scene_file::{AtomChoice, Closeness, LipidTable};

/// Reads a molecule file; [`steric_model::formats::read`] is the usual one.
pub type Reader<'a> = &'a dyn Fn(&Path) -> Result<Parsed<Structure>, ReadError>;

/// One rigid molecule in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// In the structure of the scene.
    pub(super) chains: Vec<u32>,
    /// What is kept of it.
    pub(super) atoms: Vec<DVec3>,
    /// The point that keeps its height.
    pub(super) head: DVec3,
    /// Middle of its heavy atoms.
    pub(super) center: DVec3,
    /// In the structure of the scene; the others follow it.
    first_atom: usize,
    // Every atom of the file, for rules that go by number or name.
    in_file: Vec<(Name, DVec3)>,
}

/// A molecule and its conformers.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) name: SmolStr,
    pub(super) bodies: Vec<Body>,
    /// Square angstroms in a membrane, if it is an embedded lipid.
    pub(super) area: Option<f64>,
    /// In dalton, hydrogens included.
    pub(super) mass: f64,
}

impl Body {
    /// The places of some atoms in the body's frame.
    pub(super) fn points(&self, choices: &[AtomChoice]) -> Result<Vec<DVec3>, Refusal> {
        let mut points = Vec::new();
        for choice in choices {
            let before = points.len();
            match choice {
                AtomChoice::Number(number) => {
                    points.extend(self.in_file.get(number.wrapping_sub(1)).map(|atom| atom.1))
                }
                AtomChoice::Name(name) => {
                    let name = Name::new(name);
                    points.extend(self.in_file.iter().filter(|atom| atom.0 == name).map(|atom| atom.1));
                }
            }
            if points.len() == before {
                let found = match choice {
                    AtomChoice::Number(number) => number.to_string(),
                    AtomChoice::Name(name) => name.clone(),
                };
                return Err((format!("names of its atoms, or numbers from 1 to {}", self.in_file.len()), found));
            }
        }
        Ok(points)
    }

    /// How far its atoms reach from its origin, in angstroms.
    pub(super) fn radius(&self) -> f64 {
        self.atoms.iter().map(|atom| atom.length()).fold(0.0, f64::max)
    }

    /// How high the middle of the heavy atoms stands.
    pub(super) fn height(&self) -> f64 {
        self.center.z
    }
}

/// Where molecules come from, and the structure that they go to.
pub(super) struct Library<'a> {
    folder: &'a Path,
    read: Reader<'a>,
    hydrogens: bool,
    builder: StructureBuilder,
    chains: u32,
    pub(super) notes: Vec<String>,
}

/// Why a molecule could not be had.
pub(super) enum Failure {
    Read(ReadError),
    Refused(Refusal),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn refused<T>(expected: impl Into<String>, found: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Refused((expected.into(), found.into())))
}

struct Loaded {
    name: SmolStr,
    structure: Structure,
    embedded: Option<&'static scenes::Embedded>,
}

// Atoms and coordinates of one body before they go to the scene.
struct Piece<'a> {
    structure: &'a Structure,
    bonds: &'a BondGraph,
    positions: &'a [DVec3],
    atoms: &'a [u32],
}

impl<'a> Library<'a> {
    pub(super) fn new(name: &str, folder: &'a Path, read: Reader<'a>, hydrogens: bool) -> Self {
        let builder = StructureBuilder::new(name, 0);
        Self { folder, read, hydrogens, builder, chains: 0, notes: Vec::new() }
    }

    pub(super) fn finish(self) -> (Structure, Vec<String>) {
        (self.builder.finish(), self.notes)
    }

    /// A lipid with its conformers.
    pub(super) fn lipid(&mut self, table: &LipidTable) -> Result<Template, Failure> {
        let loaded = self.load(table.molecule.as_deref(), table.file.as_deref())?;
        let structure = &loaded.structure;
        let bonds = BondGraph::new(structure);
        let all = conformers(structure);
        if loaded.embedded.is_none() {
            check_single_molecules(structure, &all)?;
        }
        let (head, tails) = end_names(table, loaded.embedded);
        let mut positions: Vec<DVec3> = structure.atoms.positions.iter().map(|position| position.as_dvec3()).collect();
        let mut bodies = Vec::new();
        for number in chosen(table, all.len())? {
            let atoms = &all[number];
            let heavy = heavy_atoms(structure, atoms);
            let ends = Ends::find(structure, &bonds, atoms, &head, &tails)?;
            if loaded.embedded.is_none() && table.upright {
                lipid::stand_up(&mut positions, atoms, &heavy, &ends);
            }
            let piece = Piece { structure, bonds: &bonds, positions: &positions, atoms };
            bodies.push(self.add(&loaded.name, number, &piece, lipid::middle(&positions, &ends.head))?);
        }
        check_standing(&bodies)?;
        let area = loaded.embedded.and_then(|embedded| embedded.area);
        Ok(Template { mass: mass(structure, &all[0]), name: loaded.name, bodies, area })
    }

    /// Anything else: one body around its own centre, turned so that `axis` (`x`, `-x`, ... or `long`) is its z.
    pub(super) fn whole(
        &mut self,
        molecule: Option<&str>,
        file: Option<&str>,
        axis: &str,
        called: Option<&str>,
    ) -> Result<Template, Failure> {
        let mut loaded = self.load(molecule, file)?;
        if let Some(called) = called {
            loaded.name = called.into();
        }
        let structure = &loaded.structure;
        let atoms = self.first_model(structure);
        if atoms.is_empty() {
            return refused("a molecule with atoms", loaded.name.as_str());
        }
        let heavy = heavy_atoms(structure, &atoms);
        let mut positions: Vec<DVec3> = structure.atoms.positions.iter().map(|position| position.as_dvec3()).collect();
        let (center, upright) = (lipid::middle(&positions, &heavy), turned_up(&positions, &heavy, axis));
        for &atom in &atoms {
            positions[atom as usize] = upright * (positions[atom as usize] - center);
        }
        let bonds = BondGraph::new(structure);
        let piece = Piece { structure, bonds: &bonds, positions: &positions, atoms: &atoms };
        let body = self.add(&loaded.name, 0, &piece, DVec3::ZERO)?;
        let area = loaded.embedded.and_then(|embedded| embedded.area);
        Ok(Template { mass: mass(structure, &atoms), name: loaded.name, bodies: vec![body], area })
    }

    /// A unit of a fibre in the frame of its file; returns its chains.
    pub(super) fn unit(
        &mut self,
        molecule: Option<&str>,
        file: Option<&str>,
        called: &SmolStr,
    ) -> Result<Vec<u32>, Failure> {
        let loaded = self.load(molecule, file)?;
        let structure = &loaded.structure;
        let atoms = self.first_model(structure);
        let positions: Vec<DVec3> = structure.atoms.positions.iter().map(|position| position.as_dvec3()).collect();
        let bonds = BondGraph::new(structure);
        let piece = Piece { structure, bonds: &bonds, positions: &positions, atoms: &atoms };
        Ok(self.add(called, 0, &piece, DVec3::ZERO)?.chains)
    }

    /// A molecule of a model around its own centre; returns its chains.
    pub(super) fn model(
        &mut self,
        name: &SmolStr,
        structure: &Structure,
        bonds: &BondGraph,
        molecules: &Molecules,
        molecule: MoleculeId,
    ) -> Vec<u32> {
        let body_from_world = molecules.scene().molecules()[molecule.0 as usize].pose.inverse();
        let mut placed: Vec<(AtomId, DVec3)> =
            molecules.scene().placed_atoms(molecule).map(|(id, world, _)| (id, body_from_world * world)).collect();
        placed.sort_unstable_by_key(|atom| atom.0);
        let atoms: Vec<u32> = placed.iter().map(|&(id, _)| molecules.origin(id).atom).collect();
        let positions: Vec<DVec3> = placed.into_iter().map(|atom| atom.1).collect();
        self.push(name, 0, structure, bonds, &atoms, &positions)
    }

    /// Some atoms of a structure as one body: a lipid of a membrane patch, upright and in its own frame.
    pub(super) fn part(
        &mut self,
        name: &SmolStr,
        conformer: usize,
        whole: (&Structure, &BondGraph, &[DVec3]),
        atoms: &[u32],
        head: DVec3,
    ) -> Result<Body, Failure> {
        let (structure, bonds, positions) = whole;
        self.add(name, conformer, &Piece { structure, bonds, positions, atoms }, head)
    }

    /// One radius for each atom of a body, in the order of its atoms.
    pub(super) fn radii(&mut self, closeness: Closeness, bodies: &[&Body]) -> Vec<Vec<f32>> {
        let structure = &*self.builder.structure_mut();
        let (definition, bonds) = match closeness {
            Closeness::Tolerance(tolerance) => (ClashDefinition::Tolerance(tolerance as f32), BondGraph::default()),
            Closeness::Radii { set, allow } => {
                (ClashDefinition::Radii { set, allow: allow as f32 }, BondGraph::new(structure))
            }
        };
        let radii = definition.radii(structure, &bonds);
        let of_body = |body: &&Body| radii[body.first_atom..body.first_atom + body.atoms.len()].to_vec();
        bodies.iter().map(of_body).collect()
    }

    fn load(&mut self, molecule: Option<&str>, file: Option<&str>) -> Result<Loaded, Failure> {
        if let Some(embedded) = molecule.and_then(scenes::molecule) {
            return Ok(Loaded {
                name: embedded.name.into(),
                structure: embedded.structure(),
                embedded: Some(embedded),
            });
        }
        let path = self.folder.join(file.unwrap_or_default());
        let parsed = (self.read)(&path).map_err(Failure::Read)?;
        if parsed.warnings.total > 0 {
            self.notes.push(format!("{}: {} warnings while reading", path.display(), parsed.warnings.total));
        }
        let structure = parsed.value;
        if let Some(atom) = structure.atoms.positions.iter().position(|position| !position.is_finite()) {
            let found = format!("{} of atom {}", structure.atoms.positions[atom], atom + 1);
            return refused(format!("finite coordinates in {}", path.display()), found);
        }
        Ok(Loaded { name: molecule_name(&path), structure, embedded: None })
    }

    // Waters stay where there is nothing else.
    fn first_model(&mut self, structure: &Structure) -> Vec<u32> {
        let Some(model) = structure.models.iter().find(|model| !model.atoms.is_empty()) else {
            return Vec::new();
        };
        let residue = |atom: u32| structure.residues[structure.atoms.residues[atom as usize] as usize];
        let dry: Vec<u32> = model.atoms.clone().filter(|&atom| !is_water(residue(atom).name)).collect();
        if dry.is_empty() { model.atoms.clone().collect() } else { dry }
    }

    fn add(&mut self, name: &SmolStr, conformer: usize, piece: &Piece<'_>, head: DVec3) -> Result<Body, Failure> {
        let Piece { structure, bonds, positions, atoms } = *piece;
        let kept = self.kept(structure, atoms);
        if kept.is_empty() {
            return refused("a molecule with heavy atoms, or hydrogens = true", name.as_str());
        }
        let place = |&atom: &u32| positions[atom as usize];
        let in_file = atoms.iter().map(|atom| (structure.atoms.names[*atom as usize], place(atom))).collect();
        let center = lipid::middle(positions, &heavy_atoms(structure, atoms));
        let kept_positions: Vec<DVec3> = kept.iter().map(place).collect();
        let first_atom = self.builder.len();
        let chains = self.push(name, conformer, structure, bonds, &kept, &kept_positions);
        Ok(Body { chains, atoms: kept_positions, head, center, first_atom, in_file })
    }

    fn kept(&self, structure: &Structure, atoms: &[u32]) -> Vec<u32> {
        let elements = &structure.atoms.elements;
        let is_wanted = |&atom: &u32| self.hydrogens || !is_hydrogen(elements[atom as usize]);
        let alternates = first_alternates(structure, atoms);
        let is_first = |&atom: &u32| {
            let alternate = structure.atoms.alternates[atom as usize];
            alternate == 0 || alternate == alternates[structure.atoms.residues[atom as usize] as usize]
        };
        atoms.iter().copied().filter(is_wanted).filter(is_first).collect()
    }

    // Chains of the scene are numbered through, so that none of two molecules fall together.
    fn push(
        &mut self,
        name: &SmolStr,
        conformer: usize,
        structure: &Structure,
        bonds: &BondGraph,
        kept: &[u32],
        positions: &[DVec3],
    ) -> Vec<u32> {
        let source = &structure.atoms;
        let residue_of = |atom: u32| structure.residues[source.residues[atom as usize] as usize];
        let mut chains: Vec<(u32, u32)> = Vec::new();
        let mut new_of_old = rustc_hash::FxHashMap::default();
        for (&atom, position) in kept.iter().zip(positions) {
            let residue = residue_of(atom);
            let known = chains.iter().find(|chain| chain.0 == residue.chain).copied();
            let (_, chain) = known.unwrap_or_else(|| {
                chains.push((residue.chain, self.chains + chains.len() as u32));
                chains[chains.len() - 1]
            });
            let at = atom as usize;
            new_of_old.insert(atom, self.builder.len() as u32);
            self.builder.push(AtomRecord {
                position: position.as_vec3(),
                element: source.elements[at],
                name: source.names[at],
                serial: source.serials[at],
                alternate: 0,
                occupancy: source.occupancies[at],
                b_factor: source.b_factors[at],
                formal_charge: source.formal_charges[at],
                residue_name: residue.name,
                residue_number: residue.number,
                insertion: residue.insertion,
                hetero: residue.hetero,
                chain: &chain_name(chain),
                label: "",
            });
        }
        let numbers: Vec<u32> = chains.iter().map(|chain| chain.1).collect();
        self.chains += chains.len() as u32;
        self.keep_bonds(bonds, kept, &new_of_old);
        let described =
            if conformer == 0 { name.clone() } else { format_smolstr!("{name}, conformer {}", conformer + 1) };
        for &chain in &numbers {
            self.builder.structure_mut().chains[chain as usize].description = described.clone();
        }
        numbers
    }

    // Stated, because not every bond of a file can be seen again in another.
    fn keep_bonds(&mut self, bonds: &BondGraph, kept: &[u32], new_of_old: &rustc_hash::FxHashMap<u32, u32>) {
        for first in kept {
            for second in bonds.neighbours(*first).iter().filter(|second| *second > first) {
                if let (Some(&first), Some(&second)) = (new_of_old.get(first), new_of_old.get(second)) {
                    let bond = Bond { first: first.min(second), second: first.max(second), order: 0 };
                    self.builder.structure_mut().bonds.push(bond);
                }
            }
        }
    }
}

/// A, B, ... Z, AA, AB, ...
fn chain_name(mut number: u32) -> SmolStr {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + (number % 26) as u8));
        if number < 26 {
            return letters.into_iter().rev().collect();
        }
        number = number / 26 - 1;
    }
}

fn molecule_name(path: &Path) -> SmolStr {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.rsplit_once('.').filter(|_| Format::from_path(name).is_some()).map_or(name, |(stem, _)| stem);
    SmolStr::new(stem)
}

fn heavy_atoms(structure: &Structure, atoms: &[u32]) -> Vec<u32> {
    let heavy: Vec<u32> =
        atoms.iter().copied().filter(|&atom| !is_hydrogen(structure.atoms.elements[atom as usize])).collect();
    if heavy.is_empty() { atoms.to_vec() } else { heavy }
}

fn first_alternates(structure: &Structure, atoms: &[u32]) -> Vec<u8> {
    let mut first = vec![0; structure.residues.len()];
    for &atom in atoms {
        let slot = &mut first[structure.atoms.residues[atom as usize] as usize];
        if *slot == 0 {
            *slot = structure.atoms.alternates[atom as usize];
        }
    }
    first
}

/// The atoms of each chain of each model, in the order of their first atoms.
fn conformers(structure: &Structure) -> Vec<Vec<u32>> {
    let mut conformers = vec![Vec::new(); structure.chains.len()];
    for (atom, &residue) in (0..).zip(&structure.atoms.residues) {
        conformers[structure.residues[residue as usize].chain as usize].push(atom);
    }
    conformers.retain(|atoms: &Vec<u32>| !atoms.is_empty());
    conformers
}

fn chosen(table: &LipidTable, count: usize) -> Result<Vec<usize>, Failure> {
    if count == 0 {
        return refused("a lipid with atoms", "none");
    }
    if table.conformers.is_empty() {
        return Ok((0..count).collect());
    }
    match table.conformers.iter().find(|&&number| number > count) {
        Some(number) => refused(format!("conformers from 1 to {count}"), number.to_string()),
        None => Ok(table.conformers.iter().map(|number| number - 1).collect()),
    }
}

fn end_names(table: &LipidTable, embedded: Option<&scenes::Embedded>) -> (Vec<String>, Vec<String>) {
    let or = |given: &[String], known: &[&str]| {
        if given.is_empty() { known.iter().map(|&name| name.to_owned()).collect() } else { given.to_vec() }
    };
    let (head, tails) = embedded.map_or((&[][..], &[][..]), |embedded| (embedded.head, embedded.tails));
    (or(&table.head, head), or(&table.tails, tails))
}

fn check_single_molecules(structure: &Structure, conformers: &[Vec<u32>]) -> Result<(), Failure> {
    let molecules = Chemistry::new(structure).molecules;
    for atoms in conformers {
        let mut parts: Vec<u32> = atoms.iter().map(|&atom| molecules[atom as usize]).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.len() > 1 {
            let found = format!("{} molecules in one chain: a membrane patch is not a lipid", parts.len());
            return refused("a file with one lipid in each chain", found);
        }
    }
    Ok(())
}

fn check_standing(bodies: &[Body]) -> Result<(), Failure> {
    match bodies.iter().find(|body| body.head.z <= 0.0 || body.height() <= 0.0) {
        Some(body) => {
            let found = format!("a head at {:.1} Å and a middle at {:.1} Å", body.head.z, body.height());
            refused("a lipid that stands upright, its head above the middle of the membrane (z = 0)", found)
        }
        None => Ok(()),
    }
}

/// The mass of some atoms in dalton. Hydrogens that a file of an organic molecule leaves out are made up for: they are
/// 7 % of a protein's mass.
fn mass(structure: &Structure, atoms: &[u32]) -> f64 {
    const HYDROGENS_OF_A_PROTEIN: f64 = 1.075;
    let elements = || atoms.iter().map(|&atom| structure.atoms.elements[atom as usize]);
    let mass: f64 = elements().map(|element| element.mass()).sum();
    let carbons = elements().filter(|&element| element == steric_model::Element::CARBON).count();
    let lacks_hydrogens = carbons >= 20 && !elements().any(is_hydrogen);
    if lacks_hydrogens { mass * HYDROGENS_OF_A_PROTEIN } else { mass }
}

fn turned_up(positions: &[DVec3], heavy: &[u32], axis: &str) -> DQuat {
    let up = match axis {
        "x" => DVec3::X,
        "y" => DVec3::Y,
        "-x" => DVec3::NEG_X,
        "-y" => DVec3::NEG_Y,
        "-z" => DVec3::NEG_Z,
        "long" => longest_axis(positions, heavy),
        _ => DVec3::Z,
    };
    DQuat::from_rotation_arc(up, DVec3::Z)
}

// The first principal axis, by squaring the covariance matrix until nothing else is left of it.
fn longest_axis(positions: &[DVec3], heavy: &[u32]) -> DVec3 {
    let center = lipid::middle(positions, heavy);
    let outer = |from: DVec3| DMat3::from_cols(from * from.x, from * from.y, from * from.z);
    let mut spread =
        heavy.iter().map(|&atom| outer(positions[atom as usize] - center)).fold(DMat3::ZERO, |sum, next| sum + next);
    for _ in 0..40 {
        let size = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        if size <= 0.0 {
            return DVec3::Z;
        }
        spread *= 1.0 / size;
        spread = spread * spread;
    }
    let columns = [spread.x_axis, spread.y_axis, spread.z_axis];
    let longest =
        columns.into_iter().fold(DVec3::ZERO, |best, next| if next.length() > best.length() { next } else { best });
    let axis = longest.normalize_or(DVec3::Z);
    if axis.z < 0.0 { -axis } else { axis }
}
