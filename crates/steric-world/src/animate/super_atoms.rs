//! Spheres that stand in for several atoms, seen from afar.
//!
//! How it works: the atoms of each group are cut into so many by k-means that a super-atom has the wanted number of atoms in the mean. The
//! spheres around them are the groups of a sphere tree made with these labels, so they cover every atom, radii included.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_model::{Grouping, Skeleton, Sphere, SphereTree, k_means};

use super::level::Groups;
use super::weights::{Hung, WeightOptions};

/// One distance level.
///
/// ```
/// use steric_model::formats::xyz::read_xyz;
/// use steric_model::{Joint, JointPose, Skeleton};
/// use steric_world::animate::{SuperAtoms, WeightOptions};
///
/// let text = b"4\ntwo far pairs\nC 0 0 0\nC 1.5 0 0\nC 40 0 0\nC 41.5 0 0\n";
/// let pairs = read_xyz(text, "pairs.xyz".as_ref())?.value;
/// let skeleton = Skeleton::new(vec![Joint::new("bone", None, JointPose::IDENTITY)]);
/// let coarse = SuperAtoms::new(&pairs.atoms.positions, &[1.7; 4], None, 2.0, 1, &skeleton, &WeightOptions::default());
/// assert_eq!(coarse.spheres.len(), 2);
/// assert!(coarse.spheres.iter().all(|sphere| (sphere.radius - 2.45).abs() < 0.05));
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SuperAtoms {
    /// How many atoms one stands for, in the mean, as wished.
    pub atoms_each: f32,
    /// The super-atom of each atom.
    pub of_atom: Vec<u32>,
    /// The spheres as bound: each covers its atoms.
    pub spheres: Vec<Sphere>,
    /// How their centres hang on the skeleton.
    pub hung: Hung,
}

impl SuperAtoms {
    /// Super-atoms of so many atoms each; inside groups, where there are any.
    pub fn new(
        positions: &[Vec3],
        radii: &[f32],
        groups: Option<&Groups>,
        atoms_each: f32,
        seed: u64,
        skeleton: &Skeleton,
        weights: &WeightOptions,
    ) -> Self {
        let wanted = |atoms: usize| ((atoms as f32 / atoms_each.max(1.0)).round() as usize).max(1);
        let of_atom = match groups {
            None => k_means(positions, wanted(positions.len()), seed),
            Some(groups) => inside(positions, groups, &wanted, seed),
        };
        let tree = SphereTree::new(positions, radii, Grouping::Labels(&of_atom));
        let spheres: Vec<Sphere> = tree.groups().iter().map(|group| group.bound).collect();
        let centres: Vec<DVec3> = spheres.iter().map(|sphere| sphere.center.as_dvec3()).collect();
        Self { atoms_each, of_atom, hung: Hung::new(skeleton, &centres, weights), spheres }
    }

    /// The mean radius, in angstroms.
    pub fn mean_radius(&self) -> f32 {
        self.spheres.iter().map(|sphere| sphere.radius).sum::<f32>() / self.spheres.len().max(1) as f32
    }

    /// A group of any level that each super-atom lies in.
    pub fn groups_of(&self, groups: &Groups) -> Vec<u32> {
        let mut of = vec![0; self.spheres.len()];
        for (&own, &group) in self.of_atom.iter().zip(&groups.of_atom) {
            of[own as usize] = group;
        }
        of
    }
}

fn inside(positions: &[Vec3], groups: &Groups, wanted: &(dyn Fn(usize) -> usize + Sync), seed: u64) -> Vec<u32> {
    let cut = |group: usize| {
        let members: Vec<Vec3> = groups.members(group).iter().map(|&atom| positions[atom as usize]).collect();
        k_means(&members, wanted(members.len()), seed)
    };
    let cuts: Vec<Vec<u32>> = (0..groups.len()).into_par_iter().map(cut).collect();
    let mut of_atom = vec![0; positions.len()];
    let mut first = 0;
    for (group, labels) in cuts.iter().enumerate() {
        for (&atom, &label) in groups.members(group).iter().zip(labels) {
            of_atom[atom as usize] = first + label;
        }
        first += labels.iter().max().map_or(0, |&most| most + 1);
    }
    of_atom
}
