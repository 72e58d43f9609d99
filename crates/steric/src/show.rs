//! What is to be seen: the molecules of a file or of a scene, as large as their atoms are, and who overlaps.
//!
//! How it works: a picture shows van der Waals spheres, whatever counts as an overlap. So the molecules are made a second time with those
//! radii, in the same order; overlaps are found by the scene's own rule.

use glam::Vec3;
use steric_collide::{Overlap, OverlapSearch};
use steric_model::chemistry::{BondGraph, ClashDefinition, RadiiSet};
use steric_model::{
    AssemblyChoice, AtomId, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, MoleculesError, MovedError, Scene,
    Source, Structure,
};
use steric_world::relax::{Hold, Leaflet, Setup};

use crate::relax::Relaxation;

/// Why molecules cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ShowError {
    /// The structure could not become molecules.
    #[error(transparent)]
    Molecules(#[from] MoleculesError),
    /// The molecules could not be put where they are now.
    #[error(transparent)]
    Moved(#[from] MovedError),
}

/// Molecules to be drawn, and what colours may say about them.
#[derive(Debug)]
pub struct Shown {
    /// What they are made of.
    pub structure: Structure,
    /// The molecules, with the radii of van der Waals (Alvarez 2013).
    pub molecules: Molecules,
    /// Who overlaps, if that was asked for.
    pub overlaps: Vec<Overlap>,
    /// Which molecules stay where they are; empty if none does.
    pub fixed: Vec<bool>,
    /// Of lipids, whether they are in the outer leaflet; empty if nothing is known.
    pub is_outer: Vec<Option<bool>>,
    /// What holds the molecules of a scene.
    pub holds: Vec<Hold>,
}

/// Overlap that chemistry forgives in a model, in angstroms: hydrogen bonds are as short as that.
const FORGIVEN: f32 = 0.6;

impl Shown {
    /// The molecules of a file. Those that overlap by more than 0.6 Å are found on request.
    ///
    /// ```
    /// use steric::model::{MoleculeOptions, formats::xyz::read_xyz};
    /// use steric::show::Shown;
    ///
    /// let neon = read_xyz(b"2\nneon\nNe 0 0 0\nNe 1.5 0 0\n", "neon.xyz".as_ref())?.value;
    /// let shown = Shown::of_structure(neon, "neon", &MoleculeOptions::default(), true)?;
    /// assert_eq!(shown.molecules.scene().atoms(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_structure(
        structure: Structure,
        name: &str,
        options: &MoleculeOptions,
        with_overlaps: bool,
    ) -> Result<Self, ShowError> {
        let molecules = molecules(&structure, name, options)?;
        let search = OverlapSearch { allow: FORGIVEN, ..OverlapSearch::default() };
        let overlaps = if with_overlaps { search.overlaps_unsorted(molecules.scene()) } else { Vec::new() };
        Ok(Self { structure, molecules, overlaps, fixed: Vec::new(), is_outer: Vec::new(), holds: Vec::new() })
    }

    /// The molecules of a scene where they are now; who overlaps by the scene's own rule is found on request.
    pub fn of_scene(relaxation: &Relaxation, with_overlaps: bool) -> Result<Self, ShowError> {
        let structure = relaxation.structure()?;
        let options =
            MoleculeOptions { by: MoleculesBy::Instance, assembly: AssemblyChoice::All, ..MoleculeOptions::default() };
        let molecules = molecules(&structure, "scene", &options)?;
        let overlaps = if with_overlaps { relaxation.overlaps() } else { Vec::new() };
        let setup = relaxation.setup();
        Ok(Self {
            structure,
            molecules,
            overlaps,
            fixed: setup.fixed.clone(),
            is_outer: leaflets(setup),
            holds: setup.groups.iter().flatten().cloned().collect(),
        })
    }
}

/// Of each molecule whether it is in the outer leaflet of a membrane; nothing of one that is in none.
///
/// ```
/// use steric::show::leaflets;
/// use steric::world::relax::Setup;
///
/// assert!(leaflets(&Setup::new(steric::model::Scene::default())).is_empty());
/// ```
pub fn leaflets(setup: &Setup) -> Vec<Option<bool>> {
    let outer = |group: &u32| {
        setup.groups.get(*group as usize)?.iter().find_map(|hold| match hold {
            Hold::Surface { leaflet, .. } => Some(*leaflet == Leaflet::Outer),
            _ => None,
        })
    };
    setup.group_of.iter().map(outer).collect()
}

/// The molecules of a relaxation as large as their atoms are, for those who watch it: the same molecules in the same order with the same poses,
/// so that poses can be taken over as they come.
///
/// ```
/// use steric::relax::Relaxation;
/// use steric::show::watched;
/// use steric::world::build::SceneFile;
///
/// let text = "[[membrane]]\ncount = 300\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let relaxation = Relaxation::of_scene(&scene, "vesicle", "".as_ref())?;
/// let shown = watched(&relaxation);
/// assert_eq!(shown.molecules(), relaxation.scene().molecules());
/// assert!(shown.radii().is_some_and(|(least, _)| least > 1.4), "of van der Waals, not of contact");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn watched(relaxation: &Relaxation) -> Scene {
    let (now, molecules, structure) = (relaxation.scene(), relaxation.molecules(), relaxation.input());
    let radii = RadiiSet::Alvarez.radii(structure, &BondGraph::default());
    let mut example = vec![None; now.types().len()];
    for (id, molecule) in (0u32..).zip(now.molecules()) {
        example[molecule.kind.0 as usize].get_or_insert(MoleculeId(id));
    }
    let mut shown = Scene::default();
    for (kind, example) in now.types().iter().zip(example) {
        let mut places = vec![Vec3::ZERO; kind.atoms as usize];
        for cluster in &now.clusters()[kind.clusters.start as usize..kind.clusters.end as usize] {
            for lane in 0..cluster.len() {
                places[cluster.atoms[lane] as usize] = cluster.atom(lane).center;
            }
        }
        let radius = |atom: u32| {
            let origin = example.map(|molecule| molecules.origin(AtomId { molecule, atom }).atom as usize);
            origin.and_then(|origin| radii.get(origin)).copied().unwrap_or(1.7)
        };
        shown.add_type(kind.name.clone(), &places, &(0..kind.atoms).map(radius).collect::<Vec<f32>>());
    }
    let mut shown = shown.with_molecules(now.molecules().to_vec());
    shown.set_periodic_box(now.periodic_box());
    shown
}

fn molecules(structure: &Structure, name: &str, options: &MoleculeOptions) -> Result<Molecules, MoleculesError> {
    let definition = ClashDefinition::Radii { set: RadiiSet::Alvarez, allow: 0.0 };
    let radii = definition.radii(structure, &BondGraph::default());
    let takes_part = |atom: u32| definition.takes_part(structure, atom);
    let source = Source { name, structure, radii: &radii, takes_part: &takes_part, connected: &[] };
    Molecules::new(&[source], options)
}
