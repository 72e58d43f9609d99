//! What is to be seen: the molecules of a file or of a scene, as large as their atoms are, and who overlaps.
//!
//! How it works: a picture shows van der Waals spheres, whatever counts as an overlap. So the molecules are made a second time with those
//! radii, in the same order; overlaps are found by the scene's own rule.

use steric_collide::{Overlap, OverlapSearch};
use steric_model::chemistry::{BondGraph, ClashDefinition, RadiiSet};
use steric_model::{
    AssemblyChoice, MoleculeOptions, Molecules, MoleculesBy, MoleculesError, MovedError, Source, Structure,
};
use steric_world::relax::{Hold, Leaflet};

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
        Ok(Self { structure, molecules, overlaps, fixed: Vec::new(), is_outer: Vec::new() })
    }

    /// The molecules of a scene where they are now; who overlaps by the scene's own rule is found on request.
    pub fn of_scene(relaxation: &Relaxation, with_overlaps: bool) -> Result<Self, ShowError> {
        let structure = relaxation.structure()?;
        let options =
            MoleculeOptions { by: MoleculesBy::Instance, assembly: AssemblyChoice::All, ..MoleculeOptions::default() };
        let molecules = molecules(&structure, "scene", &options)?;
        let overlaps = if with_overlaps { relaxation.overlaps() } else { Vec::new() };
        let setup = relaxation.setup();
        let outer = |group: &u32| {
            let holds = setup.groups.get(*group as usize)?;
            holds.iter().find_map(|hold| match hold {
                Hold::Surface { leaflet, .. } => Some(*leaflet == Leaflet::Outer),
                _ => None,
            })
        };
        Ok(Self {
            structure,
            molecules,
            overlaps,
            fixed: setup.fixed.clone(),
            is_outer: setup.group_of.iter().map(outer).collect(),
        })
    }
}

fn molecules(structure: &Structure, name: &str, options: &MoleculeOptions) -> Result<Molecules, MoleculesError> {
    let definition = ClashDefinition::Radii { set: RadiiSet::Alvarez, allow: 0.0 };
    let radii = definition.radii(structure, &BondGraph::default());
    let takes_part = |atom: u32| definition.takes_part(structure, atom);
    let source = Source { name, structure, radii: &radii, takes_part: &takes_part, connected: &[] };
    Molecules::new(&[source], options)
}
