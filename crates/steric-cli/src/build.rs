//! `steric build`: scenes as files, placed and not yet relaxed; recipes, packed; and fibres.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use steric::model::chemistry::{BondGraph, RadiiSet};
use steric::model::formats::{self, Format};
use steric::model::{
    AtomRecord, Element, MoleculeId, MoleculeOptions, Molecules, Name, Scene, Source, Structure, StructureBuilder,
};
use steric::world::build::{build, verdict};

use crate::failure::Failure;
use crate::fibre::{self, FibreArguments};
use crate::npz;
use crate::options::Shared;
use crate::output::{self, Verdict, Wrote};
use crate::recipe::{self, RecipeOptions};
use crate::relax::{self, SceneOptions};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A ready scene (vesicle, bilayer, vesicle-with-proteins, crowded-cytoplasm), a whole cell (exosome, syn3a-small,
    /// mitochondrion-membrane, plasma-hiv), placed and not yet relaxed; a scene file (.toml), or a scene of the benchmarks: rods,
    /// instances, solution, mixed, and vesicle with --atoms; a recipe of cellPACK (.json); or a fibre: plasmid, syn3a-chromosome,
    /// million-base-pairs, and fibre with --units
    #[arg(value_name = "SCENE")]
    scene: PathBuf,
    /// About how many atoms; for scenes of the benchmarks
    #[arg(long, value_name = "N")]
    atoms: Option<usize>,
    #[command(flatten)]
    options: SceneOptions,
    #[command(flatten)]
    recipe: RecipeOptions,
    #[command(flatten)]
    fibre: FibreArguments,
}

impl Arguments {
    /// The scene of the benchmarks that is meant, if it is one.
    fn named(&self) -> Option<Named> {
        let named = Named::from_str(self.scene.to_str()?, false).ok()?;
        (named != Named::Vesicle || self.atoms.is_some()).then_some(named)
    }
}

/// The scenes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Named {
    /// 50-atom rods in two leaflets on a sphere, on a lattice of 1/64 Å
    Rods,
    /// The same rods as rigid copies of one, off the lattice: room for a billion atoms
    Instances,
    /// Single atoms at random, 0.1 per cubic angstrom
    Solution,
    /// Spheres of 1 to 20 Å, 30 % of the volume
    Mixed,
    /// POPC lipids in two leaflets on a sphere
    Vesicle,
}

impl Named {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rods => "rods",
            Self::Instances => "instances",
            Self::Solution => "solution",
            Self::Mixed => "mixed",
            Self::Vesicle => "vesicle",
        }
    }

    fn default_atoms(self) -> usize {
        match self {
            Self::Rods | Self::Instances | Self::Solution => 100_000,
            Self::Mixed => 200_000,
            Self::Vesicle => 335_000,
        }
    }

    /// The scene with about so many atoms.
    pub(crate) fn scene(self, atoms: usize, seed: u64) -> Result<Scene, Failure> {
        match self {
            Self::Rods => Ok(scenes::rods(atoms)),
            Self::Instances => Ok(scenes::rods_as_instances(atoms)),
            Self::Solution => Ok(scenes::solution(atoms)),
            Self::Mixed => Ok(scenes::mixed(atoms)),
            Self::Vesicle => placed(&scenes::vesicle(atoms, seed)),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    match arguments.named() {
        Some(named) => run_named(named, arguments, shared),
        None if fibre::is_fibre(&arguments.scene) => {
            fibre::run(&arguments.scene, &arguments.fibre, arguments.options.radius, shared)
        }
        None if recipe::is_recipe(&arguments.scene) => recipe::run(&arguments.scene, &arguments.recipe, shared),
        None => run_scene(arguments, shared),
    }
}

/// Places the molecules of a ready scene or a scene file.
fn run_scene(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let found = arguments.scene.display();
    let Some(scene) = relax::scene(&arguments.scene, &arguments.options, shared, &[])? else {
        return Err(Failure::usage(format!("{found}: expected a ready scene or a scene file (.toml), found a model")));
    };
    if arguments.atoms.is_some() {
        return Err(Failure::usage(format!("--atoms: expected a scene of the benchmarks, found {found}; try --count")));
    }
    let folder = relax::folder_of(&arguments.scene);
    let path = shared.output.clone().or_else(|| scene.output.file.as_ref().map(|file| folder.join(file)));
    let Some(path) = &path else {
        return Err(Failure::usage(format!(
            "build {found}: expected -o FILE.cif, .bcif, .pdb, .gro or .xyz, found none"
        )));
    };
    output::check_outputs(std::slice::from_ref(&arguments.scene), [Some(path.as_path())])?;
    let target = relax::Target::new(path)?;
    let bar = output::spinner(shared, format!("building {found}"));
    let built = build(&scene, folder, &formats::read)?;
    bar.finish_and_clear();
    for note in &built.notes {
        output::note(shared, note);
    }
    let tolerance = scene.tolerance.unwrap_or(2.0);
    for verdict in verdict(&built, tolerance) {
        output::note(shared, &verdict.to_string());
    }
    let atoms = relax::structure_to(&built.structure, &target)?;
    output::wrote(shared, &Wrote { file: path, atoms, copies_left_out: 0, chains_renamed: 0 })?;
    Ok(Verdict::Clean)
}

fn run_named(named: Named, arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let name = named.name();
    let Some(path) = &shared.output else {
        return Err(Failure::usage(format!("build {name}: expected -o FILE.npz, .cif, .bcif or .pdb, found none")));
    };
    let atoms = arguments.atoms.unwrap_or(named.default_atoms());
    if atoms == 0 || atoms > 2_000_000_000 {
        return Err(Failure::usage(format!("build {name}: expected 1 to 2,000,000,000 atoms, found {atoms}")));
    }
    output::check_outputs(&[], [Some(path.as_path())])?;
    let bar = output::spinner(shared, format!("building {name}"));
    let written = if path.extension().is_some_and(|end| end == "npz") {
        let scene = named.scene(atoms, shared.seed())?;
        output::write_whole(path, |file| npz::write(&scene, file).map_err(|error| Failure::io(path, &error)))?;
        scene.atoms()
    } else {
        // A wrong ending should not cost the user the time to build the scene.
        if Format::from_path(path).is_none_or(|format| !format.is_written()) {
            return Err(Failure::usage(format!("{}: expected .npz, .cif, .bcif, .pdb, .gro or .xyz", path.display())));
        }
        let structure = structure(named, atoms, shared)?;
        formats::write(path, &structure)?;
        structure.atoms.len() as u64
    };
    bar.finish_and_clear();
    output::wrote(shared, &Wrote { file: path, atoms: written, copies_left_out: 0, chains_renamed: 0 })?;
    Ok(Verdict::Clean)
}

fn structure(scene: Named, atoms: usize, shared: &Shared) -> Result<Structure, Failure> {
    if scene == Named::Vesicle {
        return Ok(scenes::vesicle(atoms, shared.seed()));
    }
    if scene == Named::Mixed {
        output::note(shared, "warning: molecule files hold no radii; only .npz keeps those of the scene mixed");
    }
    Ok(as_atoms(scene.name(), &scene.scene(atoms, shared.seed())?))
}

/// One residue per molecule, carbon atoms numbered within it.
fn as_atoms(name: &str, scene: &Scene) -> Structure {
    let mut builder = StructureBuilder::new(name, scene.atoms() as usize);
    for molecule in 0..scene.molecules().len() as u32 {
        let mut atoms: Vec<_> = scene.placed_atoms(MoleculeId(molecule)).collect();
        atoms.sort_unstable_by_key(|&(id, ..)| id);
        for (id, position, _) in atoms {
            builder.push(AtomRecord {
                position: position.as_vec3(),
                element: Element::CARBON,
                name: Name::new(&format!("C{}", id.atom + 1)),
                serial: (builder.len() as i32).wrapping_add(1),
                occupancy: 1.0,
                residue_name: Name::new(if name == "rods" { "ROD" } else { "SPH" }),
                residue_number: molecule as i32 + 1,
                hetero: true,
                chain: "A",
                ..AtomRecord::default()
            });
        }
    }
    builder.finish()
}

/// The molecules of a structure in place, with the radii of Bondi.
fn placed(structure: &Structure) -> Result<Scene, Failure> {
    let radii = RadiiSet::Bondi.radii(structure, &BondGraph::new(structure));
    let source = Source { name: "vesicle", structure, radii: &radii, takes_part: &|_| true, connected: &[] };
    Ok(Molecules::new(&[source], &MoleculeOptions::default())?.scene().clone())
}
