//! A relaxation of a model as it stands.

use steric_model::chemistry::{BondGraph, Chemistry, is_metal, is_water};
use steric_model::{
    AtomId, Bond, Instant, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, MoleculesError, Source, Structure,
};
use steric_world::build::Closeness;
use steric_world::relax::{Hold, RelaxOptions, Setup};

use super::scene::{allowance, definition, weigh};
use super::{RelaxError, Relaxation, check_closeness, stage};
use crate::check::Input;

/// How a model is cleaned up.
///
/// ```
/// use steric::relax::ModelOptions;
///
/// assert!(ModelOptions::default().leeway > 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOptions {
    /// When two atoms are too close.
    pub closeness: Closeness,
    /// What counts as a molecule, and which copies stand where.
    pub molecules: MoleculeOptions,
    /// How far a molecule may move from where it stands, in angstroms.
    pub leeway: f64,
    /// How far it may turn, in degrees.
    pub turn_degrees: f64,
    /// Species that stay where they are, as the report of a check names them.
    pub fixed: Vec<String>,
    /// Molecules of at least so many atoms stay where they are.
    pub fixed_above: Option<u32>,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            closeness: Closeness::Tolerance(2.0),
            molecules: MoleculeOptions::default(),
            leeway: 20.0,
            turn_degrees: 60.0,
            fixed: Vec::new(),
            fixed_above: None,
        }
    }
}

impl Relaxation {
    /// Cleans up a model with the least motion: nothing is placed, and each molecule keeps near where it stands.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use steric::prelude::*;
    /// use steric::relax::{ModelOptions, Relaxation};
    /// use steric::model::formats::pdb::read_pdb;
    /// use steric::world::relax::RelaxOptions;
    ///
    /// let ions = b"HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN
    /// HETATM    2 ZN    ZN A   2       1.500   0.000   0.000  1.00  0.00          ZN\n";
    /// let parsed = read_pdb(ions, "ions.pdb".as_ref())?;
    /// let input = Input::new("ions.pdb", parsed.value, parsed.warnings);
    /// let mut relaxation = Relaxation::of_model(&input, &ModelOptions::default(), RelaxOptions::default(), 1)?;
    /// relaxation.run(|_, _| ControlFlow::Continue(()));
    /// let atoms = relaxation.structure()?.atoms;
    /// assert!(atoms.positions[0].distance(atoms.positions[1]) >= 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_model(
        input: &Input,
        options: &ModelOptions,
        physics: RelaxOptions,
        seed: u64,
    ) -> Result<Self, RelaxError> {
        check_closeness(options.closeness)?;
        let clock = Instant::now();
        let molecules = molecules(input, options)?;
        if let Some(unknown) = options.fixed.iter().find(|name| !is_species(&molecules, name)) {
            let known: Vec<&str> = molecules.species().iter().take(20).map(|name| name.as_str()).collect();
            return Err(RelaxError::NoSuchSpecies { wanted: unknown.clone(), known: known.join("; ") });
        }
        let scene = molecules.scene().clone();
        let start = scene.molecules().iter().map(|molecule| molecule.pose).collect();
        let mut setup = Setup::new(scene);
        weigh(&mut setup, &molecules, &input.structure);
        setup.allow = allowance(options.closeness);
        setup.groups = vec![vec![Hold::Start { leeway: options.leeway, turn: options.turn_degrees.to_radians() }]];
        setup.group_of = vec![0; setup.scene.molecules().len()];
        setup.fixed = fixed(&molecules, options);
        let stages = vec![stage("sphere trees", clock)];
        let prepared = super::Input {
            name: input.name(),
            structure: input.structure.clone(),
            molecules,
            setup,
            definition: definition(options.closeness).to_string(),
            verdicts: Vec::new(),
            notes: Vec::new(),
            start,
            stages,
        };
        Self::new(prepared, physics, seed)
    }
}

fn is_species(molecules: &Molecules, name: &str) -> bool {
    molecules.species().iter().any(|species| species.eq_ignore_ascii_case(name))
}

fn fixed(molecules: &Molecules, options: &ModelOptions) -> Vec<bool> {
    let scene = molecules.scene();
    let is_fixed = |(id, molecule): (usize, &steric_model::Molecule)| {
        let species = &molecules.species()[molecules.species_of(MoleculeId(id as u32)) as usize];
        let atoms = scene.types()[molecule.kind.0 as usize].atoms;
        options.fixed.iter().any(|name| species.eq_ignore_ascii_case(name))
            || options.fixed_above.is_some_and(|least| atoms >= least)
    };
    scene.molecules().iter().enumerate().map(is_fixed).collect()
}

/// The molecules of a model. What bonds of the file join stays together, as a glycan with its protein; bonds that were only
/// found by distance do not count, because atoms that clash stand at such distances.
fn molecules(input: &Input, options: &ModelOptions) -> Result<Molecules, MoleculesError> {
    let structure = &input.structure;
    let definition = definition(options.closeness);
    let name = input.name();
    let chemistry = Chemistry::new(structure);
    let radii = match options.closeness {
        Closeness::Tolerance(_) => definition.radii(structure, &BondGraph::default()),
        Closeness::Radii { .. } => definition.radii(structure, &chemistry.bonds),
    };
    let source =
        Source { name: &name, structure, radii: &radii, takes_part: &|_| true, connected: &chemistry.molecules };
    let apart = Molecules::new(&[source], &options.molecules)?;
    if matches!(apart.by(0), MoleculesBy::Instance | MoleculesBy::Connected | MoleculesBy::File) {
        return Ok(apart);
    }
    let Some(joined) = joined(&apart, structure) else { return Ok(apart) };
    let together = Source { connected: &joined, ..source };
    Molecules::new(&[together], &MoleculeOptions { by: MoleculesBy::Connected, ..options.molecules.clone() })
}

/// One number per atom, the same for atoms of one molecule or of molecules that bonds join; `None` if no bond joins two
/// molecules.
fn joined(molecules: &Molecules, structure: &Structure) -> Option<Vec<u32>> {
    const NO_MOLECULE: u32 = u32::MAX;
    let scene = molecules.scene();
    let mut molecule_of = vec![NO_MOLECULE; structure.atoms.len()];
    for (id, molecule) in scene.molecules().iter().enumerate() {
        for atom in 0..scene.types()[molecule.kind.0 as usize].atoms {
            molecule_of[molecules.origin(AtomId::new(id as u32, atom)).atom as usize] = id as u32;
        }
    }
    let mut parents: Vec<u32> = (0..scene.molecules().len() as u32).collect();
    let mut any = false;
    for bond in structure.bonds.iter().filter(|bond| is_covalent(structure, bond)) {
        let [a, b] = [bond.first, bond.second].map(|atom| molecule_of[atom as usize]);
        if a != b && a != NO_MOLECULE && b != NO_MOLECULE {
            any = true;
            let [a, b] = [a, b].map(|molecule| root(&mut parents, molecule));
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    any.then(|| {
        let mut next = scene.molecules().len() as u32;
        let mut number = |molecule: u32| match molecule {
            NO_MOLECULE => {
                next += 1;
                next
            }
            molecule => root(&mut parents, molecule),
        };
        molecule_of.into_iter().map(&mut number).collect()
    })
}

/// Files also state the coordination of metals, waters among them; those are no reason to move together.
fn is_covalent(structure: &Structure, bond: &Bond) -> bool {
    let residue = |atom: u32| structure.residues[structure.atoms.residues[atom as usize] as usize].name;
    let element = |atom: u32| structure.atoms.elements[atom as usize];
    ![bond.first, bond.second].iter().any(|&atom| is_water(residue(atom)) || is_metal(element(atom)))
}

fn root(parents: &mut [u32], mut molecule: u32) -> u32 {
    while parents[molecule as usize] != molecule {
        parents[molecule as usize] = parents[parents[molecule as usize] as usize];
        molecule = parents[molecule as usize];
    }
    molecule
}
