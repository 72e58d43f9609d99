//! Particles as a structure that can be written, drawn and opened elsewhere.

use glam::{DVec3, Vec3};
use steric_model::{AtomRecord, Element, Name, PeriodicBox, Structure, StructureBuilder};
use steric_world::diffuse::{Diffusion, Edge, Placed};

/// The spheres of a particle: itself, or those of a molecule; places and radii in angstroms.
///
/// ```
/// use glam::DVec3;
/// use steric::diffuse::spheres_of;
/// use steric::world::diffuse::{Bounds, Diffusion, Edge, Particle, Setup, Species};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 1.0, 0.1)]);
/// setup.particles.push(Particle { kind: 0, at: DVec3::splat(50.0), velocity: DVec3::ZERO });
/// let diffusion = Diffusion::new(setup)?;
/// let all: Vec<_> = diffusion.particles().flat_map(|placed| spheres_of(&diffusion, &placed)).collect();
/// assert_eq!(all, [(DVec3::splat(50.0), 1.0)]);
/// # Ok::<(), steric::world::diffuse::DiffuseError>(())
/// ```
pub fn spheres_of(diffusion: &Diffusion, placed: &Placed) -> Vec<(DVec3, f64)> {
    let species = &diffusion.setup().species[placed.kind as usize];
    if species.atoms.is_empty() {
        return vec![(placed.at, species.radius)];
    }
    species.atoms.iter().map(|(at, radius)| (placed.at + placed.turn * *at, *radius)).collect()
}

/// Every particle as an atom, or as the atoms of its molecule, in the order of their numbers: a chain for each species, a residue for each particle, radii in place of B factors.
///
/// ```
/// use glam::DVec3;
/// use steric::diffuse::snapshot;
/// use steric::world::diffuse::{Bounds, Diffusion, Edge, Particle, Setup, Species};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("kinase", 20.0, 0.1)]);
/// setup.particles.push(Particle { kind: 0, at: DVec3::splat(50.0), velocity: DVec3::ZERO });
/// let structure = snapshot("one kinase", &Diffusion::new(setup)?);
/// assert_eq!((structure.atoms.len(), structure.residues[0].name.as_str(), structure.atoms.b_factors[0]), (1, "KIN", 20.0));
/// # Ok::<(), steric::world::diffuse::DiffuseError>(())
/// ```
pub fn snapshot(name: &str, diffusion: &Diffusion) -> Structure {
    let setup = diffusion.setup();
    let mut placed: Vec<Placed> = diffusion.particles().collect();
    placed.sort_unstable_by_key(|placed| placed.number);
    let mut builder = StructureBuilder::new(name, placed.len());
    let names: Vec<Name> = setup.species.iter().map(|species| Name::new(&short(&species.name))).collect();
    // A letter each, as PDB files have no room for names; mmCIF tells them as well.
    let chains: Vec<String> = (0..setup.species.len()).map(chain).collect();
    for (row, particle) in placed.iter().enumerate() {
        let species = &setup.species[particle.kind as usize];
        for (number, (at, radius)) in spheres_of(diffusion, particle).into_iter().enumerate() {
            builder.push(AtomRecord {
                position: at.as_vec3(),
                element: Element::UNKNOWN,
                name: Name::new(&if species.atoms.is_empty() { "P".to_owned() } else { format!("P{}", number + 1) }),
                serial: (builder.len() + 1) as i32,
                occupancy: 1.0,
                b_factor: radius as f32,
                residue_name: names[particle.kind as usize],
                residue_number: row as i32 + 1,
                hetero: true,
                chain: &chains[particle.kind as usize],
                ..AtomRecord::default()
            });
        }
    }
    let mut structure = builder.finish();
    for found in &mut structure.chains {
        if let Some(species) = chains.iter().position(|chain| *chain == found.name) {
            found.description = setup.species[species].name.as_str().into();
        }
    }
    let edges = setup.bounds.high - setup.bounds.low;
    if setup.dimensions == 3 && setup.bounds.edges == [Edge::Periodic; 3] {
        structure.periodic_box = PeriodicBox::orthogonal(edges);
    }
    structure
}

/// The places of [`snapshot`], in its order.
pub(super) fn places(diffusion: &Diffusion) -> Vec<Vec3> {
    let mut placed: Vec<Placed> = diffusion.particles().collect();
    placed.sort_unstable_by_key(|placed| placed.number);
    placed.iter().flat_map(|placed| spheres_of(diffusion, placed)).map(|(at, _)| at.as_vec3()).collect()
}

/// A, B and so on; two letters beyond the alphabet.
fn chain(species: usize) -> String {
    let letter = |number: usize| char::from(b'A' + (number % 26) as u8);
    if species < 26 { letter(species).to_string() } else { format!("{}{}", letter(species / 26 - 1), letter(species)) }
}

/// Three letters for a residue.
fn short(name: &str) -> String {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).take(3).collect();
    if letters.is_empty() { "UNK".to_owned() } else { letters.to_ascii_uppercase() }
}
