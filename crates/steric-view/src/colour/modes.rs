//! How each mode finds its colours.
//!
//! How it works: names, chains and residues take the palette's categories in the order in which they come, in tables that
//! are filled before any atom is visited. Overlaps are gathered to the deepest of each molecule by all threads at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use steric_collide::Overlap;
use steric_model::{AtomId, MoleculeId, Molecules, Origin, Residue, Scene, Structure, TypeId};

use super::{ColourBy, Coloured, Colours, Palette, Rgb};

/// One colour for all atoms of a type, none for molecules.
pub(super) fn of_types(scene: &Scene, colour: impl Fn(usize) -> Rgb + Sync) -> Colours {
    let types = scene.types().par_iter().enumerate();
    let atoms = types.map(|(kind, found)| vec![colour(kind); found.atoms as usize]).collect();
    Colours { atoms, molecules: vec![None; scene.molecules().len()], ..Colours::default() }
}

/// A colour for each molecule.
pub(super) fn each_molecule(palette: &Palette, scene: &Scene, colour: impl Fn(usize) -> Rgb + Sync) -> Colours {
    let molecules = (0..scene.molecules().len()).into_par_iter().map(|id| Some(colour(id))).collect();
    Colours { molecules, ..of_types(scene, |_| palette.uniform()) }
}

pub(super) fn by_collision(palette: &Palette, scene: &Scene, overlaps: &[Overlap], fixed: &[bool]) -> Colours {
    let depths = depths(scene, overlaps);
    each_molecule(palette, scene, |id| match fixed.get(id) {
        Some(true) => palette.fixed(),
        _ if depths.of(id).is_some() => palette.touching(),
        _ => palette.free(),
    })
}

/// The deepest overlap of each molecule. Bits of positive floats have the order of the floats, so that threads can keep
/// the largest without a lock; 0 says that nothing touches, and all else is one more than the bits.
pub(super) struct Depths(Vec<AtomicU32>);

impl Depths {
    /// In angstroms; `None` where nothing touches.
    pub(super) fn of(&self, molecule: usize) -> Option<f32> {
        self.0[molecule].load(Ordering::Relaxed).checked_sub(1).map(f32::from_bits)
    }
}

pub(super) fn depths(scene: &Scene, overlaps: &[Overlap]) -> Depths {
    let depths: Vec<AtomicU32> = scene.molecules().par_iter().map(|_| AtomicU32::new(0)).collect();
    overlaps.par_iter().for_each(|overlap| {
        // A search that forgives less than nothing also lists atoms that are near; their depth is negative.
        let depth = if overlap.depth > 0.0 { overlap.depth } else { 0.0 };
        let code = depth.to_bits() + 1;
        for AtomId { molecule, .. } in [overlap.first, overlap.second] {
            depths[molecule.0 as usize].fetch_max(code, Ordering::Relaxed);
        }
    });
    Depths(depths)
}

pub(super) fn by_type_name(palette: &Palette, scene: &Scene) -> Colours {
    let mut categories = Categories::new(palette);
    let types = scene.types().iter().enumerate();
    // Types without a name have nothing in common.
    let names = types.map(|(kind, found)| (found.name.is_empty().then_some(kind), found.name.as_str()));
    let colours: Vec<Rgb> = names.map(|key| categories.colour(key, key.1)).collect();
    of_types(scene, |kind| colours[kind])
}

pub(super) fn by_species(palette: &Palette, molecules: &Molecules) -> Colours {
    let species = molecules.species().iter().enumerate();
    let colours: Vec<Rgb> = species.map(|(index, name)| palette.named_or_category(name, index)).collect();
    let examples = examples(molecules.scene());
    of_types(molecules.scene(), |kind| match examples[kind] {
        Some(molecule) => colours[molecules.species_of(molecule) as usize],
        None => palette.uniform(),
    })
}

/// Modes that colour atoms after what the file says about them.
pub(super) fn by_atom(by: ColourBy, palette: &Palette, what: &Coloured<'_>) -> Colours {
    let (molecules, scene) = (what.molecules, what.molecules.scene());
    let residues = residue_colours(by, palette, what.structures);
    let colour = |atom: AtomId| {
        let Origin { file, atom, .. } = molecules.origin(atom);
        let atoms = &what.structures[file as usize].atoms;
        let of_residue = residues[file as usize][atoms.residues[atom as usize] as usize];
        match by {
            ColourBy::Element => palette.element(atoms.elements[atom as usize], of_residue),
            _ => of_residue,
        }
    };
    let examples = examples(scene);
    let of_type = |(kind, example): (usize, &Option<MoleculeId>)| match *example {
        Some(molecule) => (0..scene.types()[kind].atoms).map(|atom| colour(AtomId { molecule, atom })).collect(),
        None => vec![palette.uniform(); scene.types()[kind].atoms as usize],
    };
    let atoms: Vec<Vec<Rgb>> = examples.par_iter().enumerate().map(of_type).collect();
    // Larger molecules share a type only with copies of themselves.
    let of_molecule = |(id, TypeId(kind)): (usize, TypeId)| match atoms[kind as usize][..] {
        [of_type] => Some(colour(AtomId::new(id as u32, 0))).filter(|&own| own != of_type),
        _ => None,
    };
    let kinds = scene.molecules().par_iter().map(|molecule| molecule.kind).enumerate();
    let own = kinds.map(of_molecule).collect();
    Colours { atoms, molecules: own, ..Colours::default() }
}

/// The first molecule of each type.
fn examples(scene: &Scene) -> Vec<Option<MoleculeId>> {
    let mut examples = vec![None; scene.types().len()];
    for (id, molecule) in scene.molecules().iter().enumerate() {
        examples[molecule.kind.0 as usize].get_or_insert(MoleculeId(id as u32));
    }
    examples
}

/// For each file and each of its residues the colour of its name or, unless names are asked for, of its chain.
fn residue_colours(by: ColourBy, palette: &Palette, structures: &[&Structure]) -> Vec<Vec<Rgb>> {
    match by {
        ColourBy::Residue => {
            let mut categories = Categories::new(palette);
            let mut colour = |residue: &Residue| categories.colour(residue.name, residue.name.as_str());
            structures.iter().map(|structure| structure.residues.iter().map(&mut colour).collect()).collect()
        }
        _ => {
            let of_chains = chain_colours(palette, structures);
            let files = structures.iter().zip(&of_chains);
            let of_file = |(structure, chains): (&&Structure, &Vec<Rgb>)| {
                structure.residues.iter().map(|residue| chains[residue.chain as usize]).collect()
            };
            files.map(of_file).collect()
        }
    }
}

/// For each file and each of its chains a colour.
fn chain_colours(palette: &Palette, structures: &[&Structure]) -> Vec<Vec<Rgb>> {
    let mut categories = Categories::new(palette);
    let mut colours = Vec::with_capacity(structures.len());
    for (file, structure) in structures.iter().enumerate() {
        let names = structure.chains.iter().map(|chain| {
            let name = if chain.name.is_empty() { &chain.label } else { &chain.name };
            // Templates of a packed scene may all be chain A; what they are tells them apart.
            (file, name.as_str(), chain.description.as_str())
        });
        colours.push(names.map(|key| categories.colour(key, key.1)).collect());
    }
    colours
}

/// Hands out a palette's categories in the order in which their keys come.
struct Categories<'a, K> {
    palette: &'a Palette,
    known: HashMap<K, Rgb>,
}

impl<'a, K: Eq + Hash> Categories<'a, K> {
    fn new(palette: &'a Palette) -> Self {
        Self { palette, known: HashMap::new() }
    }

    fn colour(&mut self, key: K, name: &str) -> Rgb {
        let next = self.known.len();
        *self.known.entry(key).or_insert_with(|| self.palette.named_or_category(name, next))
    }
}
