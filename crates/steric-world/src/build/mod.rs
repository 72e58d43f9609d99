//! From a scene file to molecules in place.
//!
//! How it works: [`SceneFile`] says what is asked for, [`build`](fn@build) reads every molecule once, counts how many copies there
//! are to be, and gives each a pose: lipids stand on their membrane, fibres grow and solutes go anywhere in their region. Nothing is
//! expanded: the result is one structure of templates and one assembly of poses, with one [`Group`] for each list of
//! poses that says what holds its molecules. [`spread_discs`] then moves the places in a membrane apart, and [`verdict`](fn@verdict)
//! says beforehand whether everything can fit. Every molecule draws its own random numbers from the seed and its number.

mod counts;
mod error;
mod fibre;
mod footprint;
mod lipid;
mod membrane;
mod model;
pub mod recipe;
mod rules;
mod scene_file;
mod scene_text;
mod schema;
mod solute;
mod spread;
mod template;
mod tiles;
mod verdict;

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use smol_str::SmolStr;
use steric_model::formats::mesh;
use steric_model::{Assembly, Copies, PeriodicBox, Structure};

pub use error::BuildError;
pub use membrane::{LeafletSummary, Membrane};
pub use scene_file::{
    AtomChoice, Closeness, FibreTable, KeepTable, LeafletChoice, LipidTable, MembraneTable, ModelTable, OutputTable,
    Placement, ProteinTable, RegionShape, RegionTable, SceneFile, Shape, SideChoice, SoluteTable,
};
pub use scene_text::SceneText;
pub use schema::scene_keys;
pub use spread::spread_discs;
pub use template::Reader;
pub use verdict::{Fit, Size, Verdict, verdict};

use crate::relax::{Hold, Leaflet};
use crate::shape::{Region, TriangleMesh};
use template::Library;

/// More molecules than this are refused: their poses alone would take 2.8 GB.
const MOST_MOLECULES: u64 = 50_000_000;

/// A scene with every molecule in place, overlaps and all.
///
/// ```
/// use steric_world::build::{SceneFile, build};
///
/// let text = "[[membrane]]\ncount = 600\narea-per-lipid = 68\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let built = build(&scene, "".as_ref(), &steric_model::formats::read)?;
/// assert_eq!(built.molecules(), 600);
/// assert_eq!(built.groups.len(), built.structure.assemblies[0].copies.len());
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Built {
    /// Templates as chains, and one assembly whose copies hold the poses: one [`Copies`] for each conformer of a
    /// template, leaflet and role.
    pub structure: Structure,
    /// One for each entry of the assembly's copies.
    pub groups: Vec<Group>,
    /// The membranes in the order of the file.
    pub membranes: Vec<Membrane>,
    /// The regions that solutes fill, by name.
    pub regions: Vec<(SmolStr, Arc<Region>)>,
    /// The box that repeats.
    pub periodic_box: Option<PeriodicBox>,
    /// When two atoms are too close.
    pub closeness: Closeness,
    /// What a user should know, in sentences.
    pub notes: Vec<String>,
}

/// What all molecules of one list of copies have in common.
///
/// ```
/// use steric_world::build::{Role, SceneFile, build};
///
/// let text = "[[membrane]]\ncount = 600\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let built = build(&scene, "".as_ref(), &steric_model::formats::read)?;
/// let lipid = &built.groups[0];
/// assert_eq!((lipid.name.as_str(), lipid.role, lipid.holds.len()), ("POPC", Role::Lipid, 1));
/// # Ok::<(), steric_world::build::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Group {
    /// What the molecule is called.
    pub name: SmolStr,
    /// What it is in the scene.
    pub role: Role,
    /// Its layer of the membrane; none for what spans it or is outside.
    pub leaflet: Option<Leaflet>,
    /// Index in [`Built::membranes`].
    pub membrane: Option<usize>,
    /// Index in [`Built::regions`] of the region that is filled with it.
    pub region: Option<usize>,
    /// What holds each molecule; points are in the template's own frame, as in the structure.
    pub holds: Vec<Hold>,
    /// Whether the molecules are obstacles.
    pub fixed: bool,
    /// Square angstroms that a lipid takes in its membrane.
    pub area: Option<f64>,
    /// The disc that stands for the molecule in the plane of its membrane.
    pub disc: Option<Disc>,
}

/// What a molecule is in its scene.
///
/// ```
/// use steric_world::build::Role;
///
/// assert_ne!(Role::Lipid, Role::Solute);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A lipid of a membrane.
    Lipid,
    /// A protein in a membrane.
    Protein,
    /// A unit of a fibre.
    Fibre,
    /// A molecule in a region or in the periodic box.
    Solute,
    /// A part of a model that was there already.
    Model,
}

/// A disc in a membrane.
///
/// ```
/// use steric_world::build::Disc;
///
/// let lipid = Disc { diameter: 8.4, height: -10.8, center: 10.8 };
/// assert!(lipid.height < 0.0, "it is in the inner leaflet");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// In angstroms.
    pub diameter: f64,
    /// Signed height above the middle of the membrane, in angstroms.
    pub height: f64,
    /// The same point in the frame of the template, along its z.
    pub center: f64,
}

impl Group {
    fn new(name: SmolStr, role: Role) -> Self {
        let holds = Vec::new();
        Self { name, role, leaflet: None, membrane: None, region: None, holds, fixed: false, area: None, disc: None }
    }
}

impl Built {
    /// The lists of poses, one for each group.
    pub fn copies(&self) -> &[Copies] {
        self.structure.assemblies.first().map_or(&[], |assembly| &assembly.copies)
    }

    /// How many molecules there are.
    pub fn molecules(&self) -> u64 {
        self.copies().iter().map(|copies| copies.poses.len() as u64).sum()
    }

    /// The atoms of each group's template, in its own frame.
    pub fn templates(&self) -> Vec<Vec<DVec3>> {
        let mut by_chain = vec![Vec::new(); self.structure.chains.len()];
        for (position, &residue) in self.structure.atoms.positions.iter().zip(&self.structure.atoms.residues) {
            by_chain[self.structure.residues[residue as usize].chain as usize].push(position.as_dvec3());
        }
        let atoms =
            |copies: &Copies| copies.chains.iter().flat_map(|&chain| by_chain[chain as usize].clone()).collect();
        self.copies().iter().map(atoms).collect()
    }
}

/// Places the molecules of a scene. Relative file names start from `folder`.
pub fn build(scene: &SceneFile, folder: &Path, read: Reader<'_>) -> Result<Built, BuildError> {
    let mut work = Work::of(scene, folder, read);
    work.add_box()?;
    work.add_regions()?;
    work.add_model()?;
    for number in 0..scene.membrane.len() {
        work.add_membrane(number)?;
        work.add_regions_inside(number)?;
    }
    let (with_spheres, others): (Vec<usize>, Vec<usize>) =
        (0..scene.solute.len()).partition(|&number| scene.solute[number].sphere.is_some());
    for number in with_spheres {
        work.add_solute(number)?;
    }
    for number in 0..scene.fibre.len() {
        work.add_fibre(number)?;
    }
    for number in others {
        work.add_solute(number)?;
    }
    Ok(work.finish())
}

// A scene half built.
struct Work<'a> {
    scene: &'a SceneFile,
    folder: &'a Path,
    read: Reader<'a>,
    library: Library<'a>,
    copies: Vec<Copies>,
    groups: Vec<Group>,
    membranes: Vec<Membrane>,
    regions: Vec<(SmolStr, Arc<Region>)>,
    periodic_box: Option<PeriodicBox>,
    /// Centres and radii of what fibres grow around.
    spheres: Vec<(DVec3, f64)>,
    strands: fibre::Strands,
    molecules: u64,
}

impl<'a> Work<'a> {
    fn of(scene: &'a SceneFile, folder: &'a Path, read: Reader<'a>) -> Self {
        let name = if scene.name.is_empty() { "scene" } else { &scene.name };
        Self {
            scene,
            folder,
            read,
            library: Library::new(name, folder, read, scene.hydrogens),
            copies: Vec::new(),
            groups: Vec::new(),
            membranes: Vec::new(),
            regions: Vec::new(),
            periodic_box: None,
            spheres: Vec::new(),
            strands: fibre::Strands::default(),
            molecules: 0,
        }
    }

    fn finish(self) -> Built {
        let (mut structure, notes) = self.library.finish();
        structure.periodic_box = self.periodic_box;
        structure.assemblies = vec![Assembly { id: "1".to_owned(), copies: self.copies }];
        Built {
            structure,
            groups: self.groups,
            membranes: self.membranes,
            regions: self.regions,
            periodic_box: self.periodic_box,
            closeness: self.scene.closeness(),
            notes,
        }
    }

    fn wrong(&self, path: &str, expected: impl Into<String>, found: &str) -> BuildError {
        self.scene.origins.wrong(path, expected, found).into()
    }

    fn failed(&self, path: &str, failure: template::Failure) -> BuildError {
        match failure {
            template::Failure::Read(error) => error.into(),
            template::Failure::Refused((expected, found)) => self.wrong(path, expected, &found),
        }
    }

    /// What is wrong with a file that the scene names.
    fn failed_in(&self, file: &Path, failure: template::Failure) -> BuildError {
        match failure {
            template::Failure::Read(error) => error.into(),
            template::Failure::Refused((expected, found)) => {
                steric_model::ReadError::content(file, steric_model::Place::File, expected, found).into()
            }
        }
    }

    fn note(&mut self, note: String) {
        self.library.notes.push(note);
    }

    /// The number of the first of some molecules that are about to be placed.
    fn number(&mut self, more: u64, path: &str) -> Result<u64, BuildError> {
        let first = self.molecules;
        let total = first.saturating_add(more);
        if total > MOST_MOLECULES {
            let expected = format!("at most {MOST_MOLECULES} molecules in a scene");
            return Err(self.wrong(path, expected, &total.to_string()));
        }
        self.molecules = total;
        Ok(first)
    }

    /// Adds a list of copies and what they have in common; an empty list is left out.
    fn add_group(&mut self, copies: Copies, group: Group) {
        if !copies.poses.is_empty() {
            self.copies.push(copies);
            self.groups.push(group);
        }
    }

    /// A surface from a file; what was found and mended in it becomes a note.
    fn mesh(&mut self, file: &str, path: &str) -> Result<Arc<TriangleMesh>, BuildError> {
        let parsed = mesh::read_mesh(&self.folder.join(file))?;
        if parsed.warnings.total > 0 {
            self.note(format!("{file}: {} warnings while reading", parsed.warnings.total));
        }
        let mesh = TriangleMesh::new(&parsed.value);
        let mesh = mesh.map_err(|error| self.wrong(path, "a surface of triangles", &error.to_string()))?;
        self.note(format!("{file}: {}", mesh.report()));
        Ok(Arc::new(mesh))
    }

    fn add_box(&mut self) -> Result<(), BuildError> {
        let Some(edges) = self.scene.periodic_box else {
            return Ok(());
        };
        let found = || format!("{edges:?}");
        let built = PeriodicBox::orthogonal(DVec3::from_array(edges));
        self.periodic_box = Some(built.ok_or_else(|| self.wrong("periodic-box", "a box with a volume (Å)", &found()))?);
        Ok(())
    }
}

#[cfg(test)]
mod cell_tests;
#[cfg(test)]
mod scene_tests;
#[cfg(test)]
mod tests;
