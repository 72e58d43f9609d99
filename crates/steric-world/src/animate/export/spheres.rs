//! The spheres of a figure and their colours.
//!
//! How it works: colours are given in sRGB, and glTF wants them in proportion to light, which is also what a mean of colours is taken of.

use steric_model::{Sphere, Structure};

use super::GlbExport;
use crate::animate::level::Groups;
use crate::animate::puppet::Puppet;
use crate::animate::super_atoms::SuperAtoms;

/// One for each chain, and from the front again: those that colour-blind readers tell apart (Okabe and Ito 2008).
const CHAINS: [[u8; 3]; 8] = [
    [0x56, 0xB4, 0xE9],
    [0xE6, 0x9F, 0x00],
    [0x00, 0x9E, 0x73],
    [0xCC, 0x79, 0xA7],
    [0x00, 0x72, 0xB2],
    [0xF0, 0xE4, 0x42],
    [0xD5, 0x5E, 0x00],
    [0x4D, 0x4D, 0x4D],
];

/// Atoms or super-atoms, as bound.
pub(super) struct Balls<'a> {
    pub(super) spheres: Vec<Sphere>,
    /// In proportion to light.
    pub(super) colours: Vec<[u8; 3]>,
    /// Where the spheres are none of atoms.
    pub(super) super_atoms: Option<&'a SuperAtoms>,
}

impl<'a> Balls<'a> {
    /// The spheres that are asked for; a distance level that is not there counts as none.
    pub(super) fn new(puppet: &'a Puppet, options: &GlbExport<'_>) -> Self {
        let of_atoms = of_atoms(puppet, options.colours);
        let level = options.super_atoms.and_then(|level| puppet.super_atoms(options.level).get(level));
        match level {
            Some(level) => {
                Self { spheres: level.spheres.clone(), colours: means(level, &of_atoms), super_atoms: Some(level) }
            }
            None => Self {
                spheres: atoms(puppet.structure(), puppet.radii()),
                colours: of_atoms.iter().map(|colour| colour.map(steps)).collect(),
                super_atoms: None,
            },
        }
    }

    /// The group of each sphere.
    pub(super) fn groups(&self, groups: &Groups) -> Vec<u32> {
        self.super_atoms.map_or_else(|| groups.of_atom.clone(), |level| level.groups_of(groups))
    }
}

fn atoms(structure: &Structure, radii: &[f32]) -> Vec<Sphere> {
    let atoms = structure.atoms.positions.iter().zip(radii);
    atoms.map(|(&center, &radius)| Sphere { center, radius }).collect()
}

fn of_atoms(puppet: &Puppet, colours: Option<&[[u8; 3]]>) -> Vec<[f32; 3]> {
    match colours {
        Some(colours) => colours.iter().map(|colour| colour.map(light)).collect(),
        None => {
            let colours = CHAINS.map(|colour| colour.map(light));
            puppet.chain_of_atoms().iter().map(|&chain| colours[chain as usize % colours.len()]).collect()
        }
    }
}

fn means(level: &SuperAtoms, of_atoms: &[[f32; 3]]) -> Vec<[u8; 3]> {
    let mut sums = vec![([0.0_f64; 3], 0.0_f64); level.spheres.len()];
    for (&own, colour) in level.of_atom.iter().zip(of_atoms) {
        let (sum, count) = &mut sums[own as usize];
        sum.iter_mut().zip(colour).for_each(|(sum, &light)| *sum += f64::from(light));
        *count += 1.0;
    }
    sums.iter().map(|(sum, count)| sum.map(|light| steps((light / count.max(1.0)) as f32))).collect()
}

/// The light of a shade of sRGB (IEC 61966-2-1), 0 to 1.
fn light(shade: u8) -> f32 {
    let shade = f32::from(shade) / 255.0;
    if shade <= 0.04045 { shade / 12.92 } else { ((shade + 0.055) / 1.055).powf(2.4) }
}

fn steps(light: f32) -> u8 {
    (light * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_written_in_proportion_to_light() {
        assert_eq!([0, 10, 128, 188, 255].map(|shade| steps(light(shade))), [0, 1, 55, 128, 255]);
    }

    #[test]
    fn a_super_atom_has_the_mean_light_of_its_atoms() {
        let sphere = Sphere { center: glam::Vec3::ZERO, radius: 1.0 };
        let level = SuperAtoms { of_atom: vec![0, 1, 1], spheres: vec![sphere; 2], ..SuperAtoms::default() };
        let [red, black] = [[1.0, 0.0, 0.0], [0.0; 3]];
        assert_eq!(means(&level, &[red, red, black]), [[255, 0, 0], [128, 0, 0]]);
    }
}
