//! From files to a scene: what is one molecule, where its copies stand, and the way back to the file's atoms.
//!
//! How it works: each file is cut into *placements*, sets of chains with one pose per copy (the chosen assembly, or the
//! file as it stands). Inside a placement the atoms are dealt out to *units*, the molecules. A unit becomes one type,
//! centred on its own middle so that single precision is enough, and one molecule per pose; nothing is expanded. The
//! way back is one list of atom indices per unit.

mod moved;
mod placements;
mod units;
mod whole;

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub use moved::MovedError;
pub use placements::AssemblyChoice;
use placements::Placement;

use crate::{AtomId, Grouping, MoleculeId, PeriodicBox, Pose, Scene, SphereTree, Structure, TypeId};

/// What counts as one molecule.
///
/// ```
/// use steric_model::MoleculesBy;
///
/// assert_eq!("residue".parse(), Ok(MoleculesBy::Residue));
/// assert!("lipid".parse::<MoleculesBy>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoleculesBy {
    /// Instances if the assembly has several copies; else chains, with each ligand, ion, lipid and water apart;
    /// residues for a box without chain names, with the residues of a polymer kept together.
    #[default]
    Auto,
    /// Each chain, hetero groups included.
    Chain,
    /// Each residue.
    Residue,
    /// Atoms that bonds join.
    Connected,
    /// Each copy of what the file copies as one body.
    Instance,
    /// The whole file.
    File,
}

impl MoleculesBy {
    /// Every choice.
    pub const ALL: [Self; 6] = [Self::Auto, Self::Chain, Self::Residue, Self::Connected, Self::Instance, Self::File];
}

impl fmt::Display for MoleculesBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Chain => "chain",
            Self::Residue => "residue",
            Self::Connected => "connected",
            Self::Instance => "instance",
            Self::File => "file",
        })
    }
}

impl FromStr for MoleculesBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|by| by.to_string() == text)
            .ok_or_else(|| format!("expected auto, chain, residue, connected, instance or file, found {text:?}"))
    }
}

/// Whether the box of a file repeats.
///
/// ```
/// use steric_model::{MoleculeOptions, Molecules, Periodic, Source, formats::xyz::read_xyz};
///
/// let text = b"1\nLattice=\"20 0 0 0 20 0 0 0 20\"\nAr 1 1 1\n";
/// let structure = read_xyz(text, "argon.xyz".as_ref())?.value;
/// let argon = Source { name: "argon", structure: &structure, radii: &[1.88], takes_part: &|_| true, connected: &[] };
/// for (periodic, repeats) in [(Periodic::Auto, true), (Periodic::No, false)] {
///     let molecules = Molecules::new(&[argon], &MoleculeOptions { periodic, ..MoleculeOptions::default() })?;
///     assert_eq!(molecules.scene().periodic_box().is_some(), repeats);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Periodic {
    /// If it is a simulation box: no space group or `P 1`, and large enough for the atoms; never around copies.
    #[default]
    Auto,
    /// Yes.
    Yes,
    /// No.
    No,
}

impl FromStr for Periodic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "yes" => Ok(Self::Yes),
            "no" => Ok(Self::No),
            _ => Err(format!("expected auto, yes or no, found {text:?}")),
        }
    }
}

/// How files become molecules.
///
/// ```
/// use steric_model::{AssemblyChoice, MoleculeOptions, MoleculesBy, Periodic};
///
/// let options = MoleculeOptions { by: "chain".parse()?, periodic: "no".parse()?, ..MoleculeOptions::default() };
/// assert_eq!((options.by, options.periodic), (MoleculesBy::Chain, Periodic::No));
/// assert_eq!(options.assembly, AssemblyChoice::Auto);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoleculeOptions {
    /// What counts as one molecule.
    pub by: MoleculesBy,
    /// Which copies stand where.
    pub assembly: AssemblyChoice,
    /// Whether the box repeats.
    pub periodic: Periodic,
}

/// One file, and what its atoms are taken for.
///
/// ```
/// use steric_model::{Element, MoleculeOptions, Molecules, Source, formats::xyz::read_xyz};
///
/// let structure = read_xyz(b"2\nwithout its hydrogen\nO 0 0 0\nH 0.96 0 0\n", "oh.xyz".as_ref())?.value;
/// let is_heavy = |atom: u32| structure.atoms.elements[atom as usize] != Element::HYDROGEN;
/// let oh = Source { name: "oh", structure: &structure, radii: &[1.5, 1.1], takes_part: &is_heavy, connected: &[] };
/// let molecules = Molecules::new(&[oh], &MoleculeOptions::default())?;
/// assert_eq!((molecules.scene().atoms(), molecules.left_out()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// What the file is called in messages and, with [`MoleculesBy::File`], its species.
    pub name: &'a str,
    /// What the file holds.
    pub structure: &'a Structure,
    /// One radius per atom, in angstroms.
    pub radii: &'a [f32],
    /// Which atoms take part, by index.
    pub takes_part: &'a dyn Fn(u32) -> bool,
    /// One number per atom, the same for atoms that bonds join (see [`Chemistry`](crate::chemistry::Chemistry)); only
    /// [`MoleculesBy::Connected`] asks for them, else they may be empty.
    pub connected: &'a [u32],
}

/// Why files could not become molecules.
///
/// ```
/// use steric_model::{MoleculeOptions, Molecules, MoleculesError, Periodic, Source, formats::xyz::read_xyz};
///
/// let structure = read_xyz(b"1\nargon\nAr 1 1 1\n", "argon.xyz".as_ref())?.value;
/// let argon = Source { name: "argon", structure: &structure, radii: &[1.88], takes_part: &|_| true, connected: &[] };
/// let options = MoleculeOptions { periodic: Periodic::Yes, ..MoleculeOptions::default() };
/// let refused = Molecules::new(&[argon], &options).expect_err("there is no box");
/// assert_eq!(refused, MoleculesError::NoBox { file: "argon".into() });
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoleculesError {
    /// The assembly that was asked for is not in the file.
    #[error("{file}: expected {known}, found {wanted:?}")]
    NoSuchAssembly {
        /// The file.
        file: String,
        /// The id that was asked for.
        wanted: String,
        /// What there is, in words.
        known: String,
    },
    /// The file has no copies at all.
    #[error("{file}: expected copies (an assembly or packed instances), found none; try --molecules chain")]
    NoInstances {
        /// The file.
        file: String,
    },
    /// A periodic search was asked for and there is no box.
    #[error("{file}: expected a periodic box, found none; try --periodic no")]
    NoBox {
        /// The file.
        file: String,
    },
    /// More molecules than a molecule id can count.
    #[error("{file}: expected at most 4,294,967,295 molecules, found more; try --molecules instance")]
    TooMany {
        /// The file.
        file: String,
    },
}

/// Where an atom of the scene comes from.
///
/// ```
/// use steric_model::{AtomId, MoleculeOptions, Molecules, MoleculesBy, Origin, Source, formats::xyz::read_xyz};
///
/// let structure = read_xyz(b"2\nargon\nAr 0 0 0\nAr 4 0 0\n", "argon.xyz".as_ref())?.value;
/// let radii = [1.88; 2];
/// let ar = Source { name: "argon", structure: &structure, radii: &radii, takes_part: &|_| true, connected: &[0, 1] };
/// let options = MoleculeOptions { by: MoleculesBy::Connected, ..MoleculeOptions::default() };
/// let molecules = Molecules::new(&[ar], &options)?;
/// assert_eq!(molecules.origin(AtomId::new(1, 0)), Origin { file: 0, atom: 1, copy: 1 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Which of the files.
    pub file: u32,
    /// Index of the atom in that file's [`Structure::atoms`].
    pub atom: u32,
    /// Which copy of it, counted from 1 in each file; chains that one operator moves together have one number.
    pub copy: u32,
}

#[derive(Clone, Copy, Debug)]
struct MoleculeOrigin {
    file: u32,
    copy: u32,
    // Start of its list in `Molecules::atoms`.
    first_atom: u32,
    species: u32,
    // Index in `Molecules::centers`.
    unit: u32,
}

/// A scene made from files, and the way back.
///
/// ```
/// use steric_model::{MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Source, formats::xyz::read_xyz};
///
/// let structure = read_xyz(b"1\nargon\nAr 0 0 0\n", "argon.xyz".as_ref())?.value;
/// let argon = Source { name: "argon", structure: &structure, radii: &[1.88], takes_part: &|_| true, connected: &[] };
/// let options = MoleculeOptions { by: MoleculesBy::File, ..MoleculeOptions::default() };
/// let molecules = Molecules::new(&[argon, Source { name: "probe", radii: &[1.4], ..argon }], &options)?;
/// assert_eq!(molecules.species(), ["argon", "probe"]);
/// assert_eq!(molecules.file(MoleculeId(1)), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Molecules {
    scene: Scene,
    atoms: Vec<u32>,
    origins: Vec<MoleculeOrigin>,
    // Where the frame of each unit stands in its file.
    centers: Vec<DVec3>,
    species: Vec<SmolStr>,
    by: Vec<MoleculesBy>,
    has_chain_names: Vec<bool>,
    left_out: u64,
}

impl Molecules {
    /// The molecules of one or more files in one scene. Several files are never periodic unless asked for, and then
    /// the first box counts.
    ///
    /// ```
    /// use steric_model::{AtomRecord, MoleculeOptions, Molecules, Name, Source, StructureBuilder};
    ///
    /// let mut builder = StructureBuilder::new("two ions", 2);
    /// for (number, x) in [(1, 0.0), (2, 5.0)] {
    ///     let position = glam::Vec3::X * x;
    ///     let residue_name = Name::new("ZN");
    ///     builder.push(AtomRecord { position, residue_name, residue_number: number, hetero: true, ..Default::default() });
    /// }
    /// let structure = builder.finish();
    /// let source = Source { name: "ions", structure: &structure, radii: &[1.0; 2], takes_part: &|_| true, connected: &[] };
    /// let molecules = Molecules::new(&[source], &MoleculeOptions::default())?;
    /// assert_eq!(molecules.scene().molecules().len(), 2);
    /// # Ok::<(), steric_model::MoleculesError>(())
    /// ```
    pub fn new(sources: &[Source<'_>], options: &MoleculeOptions) -> Result<Self, MoleculesError> {
        let mut builder = Builder::default();
        for (file, source) in sources.iter().enumerate() {
            let by = placements::resolve(source.structure, options);
            let placements = placements::placements(source, options, by)?;
            let periodic_box = periodic_box(source, options, sources.len(), &placements)?;
            builder.add_file(file as u32, source, &placements, by, periodic_box)?;
            if builder.molecules.scene.periodic_box().is_none() {
                builder.molecules.scene.set_periodic_box(periodic_box);
            }
            builder.molecules.by.push(by);
            builder.molecules.has_chain_names.push(units::has_chain_names(source.structure));
        }
        Ok(builder.molecules)
    }

    /// Some of the molecules, in this order; one that is named twice is there twice.
    ///
    /// ```
    /// use steric_model::{MoleculeId, MoleculeOptions, Molecules, Source, formats::xyz::read_xyz};
    ///
    /// let structure = read_xyz(b"1\nargon\nAr 0 0 0\n", "argon.xyz".as_ref())?.value;
    /// let argon = Source { name: "argon", structure: &structure, radii: &[1.88], takes_part: &|_| true, connected: &[] };
    /// let molecules = Molecules::new(&[argon], &MoleculeOptions::default())?;
    /// let twins = molecules.picked(&[MoleculeId(0); 2]);
    /// assert_eq!(twins.scene().molecules().len(), 2);
    /// assert_eq!(twins.species_of(MoleculeId(1)), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn picked(&self, which: &[MoleculeId]) -> Self {
        let known = which.iter().map(|molecule| molecule.0 as usize).filter(|&id| id < self.origins.len());
        let (origins, molecules) = known.map(|id| (self.origins[id], self.scene.molecules()[id])).unzip();
        let mut scene = self.scene.with_molecules(molecules);
        scene.set_periodic_box(self.scene.periodic_box());
        Self { scene, origins, ..self.clone() }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What counted as a molecule in a file.
    pub fn by(&self, file: u32) -> MoleculesBy {
        self.by[file as usize]
    }

    /// The same in words.
    pub fn by_words(&self, file: u32) -> String {
        match self.by(file) {
            MoleculesBy::Auto if self.has_chain_names[file as usize] => "chain, hetero groups apart".to_owned(),
            MoleculesBy::Auto => "residue, polymers whole".to_owned(),
            by => by.to_string(),
        }
    }

    /// How many copies of itself a file places: the largest copy number.
    pub fn copies(&self, file: u32) -> u32 {
        self.origins.iter().filter(|origin| origin.file == file).map(|origin| origin.copy).max().unwrap_or(0)
    }

    /// How many atoms of the chosen chains do not take part, each copy counted.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// How many atoms of the scene come from atoms of the given kind, each copy counted; called with file and atom.
    pub fn count(&self, mut is_of_kind: impl FnMut(u32, u32) -> bool) -> u64 {
        let mut last = (u32::MAX, 0);
        let mut total = 0;
        for (origin, molecule) in self.origins.iter().zip(self.scene.molecules()) {
            // Copies of a unit follow each other and are alike.
            if last.0 != origin.first_atom {
                let first = origin.first_atom as usize;
                let atoms = first..first + self.scene.types()[molecule.kind.0 as usize].atoms as usize;
                let of_kind = self.atoms[atoms].iter().filter(|&&atom| is_of_kind(origin.file, atom)).count();
                last = (origin.first_atom, of_kind as u64);
            }
            total += last.1;
        }
        total
    }

    /// Which file an atom of the scene comes from, which atom of it, and which copy.
    pub fn origin(&self, atom: AtomId) -> Origin {
        let MoleculeOrigin { file, copy, first_atom, .. } = self.origins[atom.molecule.0 as usize];
        Origin { file, atom: self.atoms[(first_atom + atom.atom) as usize], copy }
    }

    /// The file of a molecule.
    pub fn file(&self, molecule: MoleculeId) -> u32 {
        self.origins[molecule.0 as usize].file
    }

    /// Index in [`Molecules::species`] of what a molecule is.
    pub fn species_of(&self, molecule: MoleculeId) -> u32 {
        self.origins[molecule.0 as usize].species
    }

    /// The names of all species, in the order in which the files bring them up.
    pub fn species(&self) -> &[SmolStr] {
        &self.species
    }
}

fn periodic_box(
    source: &Source<'_>,
    options: &MoleculeOptions,
    files: usize,
    placements: &[Placement],
) -> Result<Option<PeriodicBox>, MoleculesError> {
    let Source { structure, .. } = source;
    let as_it_stands =
        placements.iter().all(|placement| placement.poses.iter().all(|&(pose, _)| pose == Pose::IDENTITY));
    match options.periodic {
        Periodic::No => Ok(None),
        Periodic::Yes => match structure.periodic_box {
            None => Err(MoleculesError::NoBox { file: source.name.to_owned() }),
            found => Ok(found),
        },
        Periodic::Auto if files == 1 && as_it_stands => Ok(whole::simulation_box(structure)),
        Periodic::Auto => Ok(None),
    }
}

#[derive(Default)]
struct Builder {
    molecules: Molecules,
    species: FxHashMap<SmolStr, u32>,
    // Ions and beads: one type for all that look the same.
    single_atoms: FxHashMap<(u32, u32), TypeId>,
}

impl Builder {
    fn add_file(
        &mut self,
        file: u32,
        source: &Source<'_>,
        placements: &[Placement],
        by: MoleculesBy,
        periodic_box: Option<PeriodicBox>,
    ) -> Result<(), MoleculesError> {
        let units = units::Units::new(source, by);
        for placement in placements {
            let (members, left_out) = units.of(source, placement);
            self.molecules.left_out += left_out * placement.poses.len() as u64;
            let more = members.len() as u64 * placement.poses.len() as u64;
            if self.molecules.scene.molecules().len() as u64 + more > u64::from(u32::MAX) {
                return Err(MoleculesError::TooMany { file: source.name.to_owned() });
            }
            self.molecules.scene.reserve(more as usize);
            for members in members.chunks(UNITS_AT_ONCE) {
                let bodies: Vec<Body> = members
                    .par_iter()
                    .map(|atoms| Body::new(source.structure, source.radii, atoms, periodic_box))
                    .collect();
                for (atoms, body) in members.iter().zip(bodies) {
                    let species = units.species(source, placement, atoms, by);
                    self.add_unit(file, &placement.poses, atoms, body, species);
                }
            }
        }
        Ok(())
    }

    fn add_unit(&mut self, file: u32, poses: &[(Pose, u32)], atoms: &[u32], body: Body, species: SmolStr) {
        let species = self.species_index(species);
        let kind = self.add_type(&body.tree, species);
        let first_atom = self.molecules.atoms.len() as u32;
        self.molecules.atoms.extend_from_slice(atoms);
        let unit = self.molecules.centers.len() as u32;
        self.molecules.centers.push(body.center);
        for &(world_from_file, copy) in poses {
            let pose = world_from_file * Pose::from_translation(body.center);
            self.molecules.scene.add_molecule(kind, pose);
            self.molecules.origins.push(MoleculeOrigin { file, copy, first_atom, species, unit });
        }
    }

    fn add_type(&mut self, tree: &SphereTree, species: u32) -> TypeId {
        let name = self.molecules.species[species as usize].clone();
        let scene = &mut self.molecules.scene;
        match tree.clusters() {
            [single] if single.len() == 1 => {
                let key = (species, single.radii[0].to_bits());
                *self.single_atoms.entry(key).or_insert_with(|| scene.add_tree(name, tree))
            }
            _ => scene.add_tree(name, tree),
        }
    }

    fn species_index(&mut self, name: SmolStr) -> u32 {
        let species = &mut self.molecules.species;
        *self.species.entry(name).or_insert_with_key(|name| {
            species.push(name.clone());
            species.len() as u32 - 1
        })
    }
}

/// How many molecules are made at a time: enough for all threads, few enough that they cost no memory.
const UNITS_AT_ONCE: usize = 4_096;

/// A molecule in its own frame, and where that frame stands in the file.
struct Body {
    center: DVec3,
    tree: SphereTree,
}

impl Body {
    fn new(structure: &Structure, radii: &[f32], atoms: &[u32], periodic_box: Option<PeriodicBox>) -> Self {
        let (center, positions) = whole::centred(structure, atoms, periodic_box);
        let radii: Vec<f32> = atoms.iter().map(|&atom| radii[atom as usize]).collect();
        let chain = |&atom: &u32| structure.residues[structure.atoms.residues[atom as usize] as usize].chain;
        let chains: Vec<u32> = atoms.iter().map(chain).collect();
        Self { center, tree: SphereTree::new(&positions, &radii, Grouping::Labels(&chains)) }
    }
}

/// The middle of some atoms, in double precision.
fn middle(positions: &[DVec3]) -> DVec3 {
    positions.iter().sum::<DVec3>() / positions.len().max(1) as f64
}
