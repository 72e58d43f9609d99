//! Molecules as small balls and the bonds between them.
//!
//! How it works: a bond is a string of beads, closer than they are thick, half in the colour of one atom and half in that of the other. They
//! become atoms of the type, so that balls and sticks are instanced, hidden, cut and lit as any molecule is.

use std::collections::HashMap;

use glam::Vec3;
use steric_model::chemistry::BondGraph;
use steric_model::{AtomId, MoleculeId, Molecules, Scene, Structure};

use crate::Colours;

/// A ball is so much of its atom.
const BALL: f32 = 0.26;
/// Half as thick as a stick, in angstroms.
const STICK: f32 = 0.17;
/// From bead to bead, in angstroms.
const STEP: f32 = 0.12;

/// The same molecules as balls and sticks, with their colours.
///
/// ```
/// use steric_model::{MoleculeOptions, Molecules, Source, formats::xyz::read_xyz};
/// use steric_view::{Colours, as_sticks};
///
/// let water = read_xyz(b"3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n", "water.xyz".as_ref())?.value;
/// let source = Source { name: "water", structure: &water, radii: &[1.5, 1.1, 1.1], takes_part: &|_| true, connected: &[] };
/// let molecules = Molecules::new(&[source], &MoleculeOptions::default())?;
/// let colours = Colours { atoms: vec![vec![[200, 0, 0], [255; 3], [255; 3]]], ..Colours::default() };
/// let (scene, colours) = as_sticks(&molecules, &[&water], &colours);
/// assert!(scene.atoms() > 3, "two bonds of beads");
/// assert_eq!(colours.atoms[0].len() as u64, scene.atoms());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn as_sticks(molecules: &Molecules, structures: &[&Structure], colours: &Colours) -> (Scene, Colours) {
    let scene = molecules.scene();
    let bonds: Vec<BondGraph> = structures.iter().map(|structure| BondGraph::new(structure)).collect();
    let mut example = vec![None; scene.types().len()];
    for (id, molecule) in (0u32..).zip(scene.molecules()) {
        example[molecule.kind.0 as usize].get_or_insert(MoleculeId(id));
    }
    let mut kinds = Scene::default();
    let mut atoms = Vec::new();
    for (number, kind) in scene.types().iter().enumerate() {
        let mut places = vec![Vec3::ZERO; kind.atoms as usize];
        let mut radii = vec![0.0; kind.atoms as usize];
        for cluster in &scene.clusters()[kind.clusters.start as usize..kind.clusters.end as usize] {
            for lane in 0..cluster.len() {
                let (atom, sphere) = (cluster.atoms[lane] as usize, cluster.atom(lane));
                (places[atom], radii[atom]) = (sphere.center, BALL * sphere.radius);
            }
        }
        let mut own = colours.atoms.get(number).cloned().unwrap_or_default();
        own.resize(kind.atoms as usize, [160; 3]);
        if let Some(molecule) = example[number] {
            for (a, b) in bonds_of(molecules, molecule, kind.atoms, &bonds) {
                let way = places[b] - places[a];
                let count = (way.length() / STEP).clamp(1.0, 1_000.0) as u32;
                for bead in 1..count {
                    let part = bead as f32 / count as f32;
                    places.push(places[a] + way * part);
                    radii.push(STICK);
                    own.push(own[if part < 0.5 { a } else { b }]);
                }
            }
        }
        kinds.add_type(kind.name.clone(), &places, &radii);
        atoms.push(own);
    }
    let mut drawn = kinds.with_molecules(scene.molecules().to_vec());
    drawn.set_periodic_box(scene.periodic_box());
    (drawn, Colours { atoms, ..colours.clone() })
}

/// The bonds within a molecule, by the numbers of its atoms.
fn bonds_of(molecules: &Molecules, molecule: MoleculeId, atoms: u32, bonds: &[BondGraph]) -> Vec<(usize, usize)> {
    let file = molecules.file(molecule) as usize;
    let Some(bonds) = bonds.get(file) else { return Vec::new() };
    let in_file = |atom: u32| molecules.origin(AtomId { molecule, atom }).atom;
    let own: HashMap<u32, u32> = (0..atoms).map(|atom| (in_file(atom), atom)).collect();
    let of_atom = |atom: u32| {
        let others = bonds.neighbours(in_file(atom)).iter().filter_map(|other| own.get(other).copied());
        others.filter(move |&other| other > atom).map(move |other| (atom as usize, other as usize))
    };
    (0..atoms).flat_map(of_atom).collect()
}
