//! A puppet at a moment as molecules: what a picture draws.
//!
//! How it works: a group of the level is a molecule type of its own with one molecule, and a moment is a pose for each. Where every atom
//! moves by itself, there is a type for each radius. Super-atoms are spheres, a type for each.

use glam::Vec3;
use steric_model::{Molecule, Pose, Scene, TypeId};
use steric_world::animate::{Level, Moment, Puppet};

/// The molecules of one level, or of one of its distance levels.
///
/// ```
/// use steric::animate::{BonesBy, Level, Moment, Puppet, PuppetOptions, Stage};
/// use steric::world::animate::generated;
///
/// let crambin = scenes::molecule("crambin").expect("it is embedded").structure();
/// let rig = generated(&crambin, BonesBy::Helix);
/// let puppet = Puppet::new(crambin, rig, &PuppetOptions::default())?;
/// let stage = Stage::new(&puppet, Level::Residue, 0);
/// let scene = stage.scene(&puppet, &Moment { level: Level::Residue, ..Moment::default() });
/// assert_eq!(scene.molecules().len(), 46);
/// assert_eq!(scene.atoms() as usize, puppet.structure().atoms.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stage {
    level: Level,
    distance_level: usize,
    types: Scene,
    kinds: Vec<TypeId>,
    chain_of: Vec<u32>,
}

impl Stage {
    /// For a level; distance level 0 shows atoms, n the super-atoms of `puppet.super_atoms(level)[n - 1]`.
    pub fn new(puppet: &Puppet, level: Level, distance_level: usize) -> Self {
        let distance_level = distance_level.min(puppet.super_atoms(level).len());
        let mut stage =
            Self { level, distance_level, types: Scene::default(), kinds: Vec::new(), chain_of: Vec::new() };
        let of_atom = puppet.chain_of_atoms();
        if let Some(own) = distance_level.checked_sub(1).and_then(|number| puppet.super_atoms(level).get(number)) {
            stage.chain_of = vec![0; own.spheres.len()];
            own.of_atom.iter().zip(&of_atom).for_each(|(&own, &chain)| stage.chain_of[own as usize] = chain);
            stage.kinds =
                own.spheres.iter().map(|s| stage.types.add_type("super-atom", &[Vec3::ZERO], &[s.radius])).collect();
        } else if let Some(groups) = puppet.groups(level) {
            let rest = &puppet.structure().atoms.positions;
            for (group, centre) in groups.centres.iter().enumerate() {
                let members = groups.members(group);
                let arms: Vec<Vec3> =
                    members.iter().map(|&atom| (rest[atom as usize].as_dvec3() - centre).as_vec3()).collect();
                let radii: Vec<f32> = members.iter().map(|&atom| puppet.radii()[atom as usize]).collect();
                stage.kinds.push(stage.types.add_type(level.name(), &arms, &radii));
                stage.chain_of.push(members.first().map_or(0, |&atom| of_atom[atom as usize]));
            }
        } else {
            stage.chain_of = of_atom;
            let mut known: Vec<(f32, TypeId)> = Vec::new();
            for &radius in puppet.radii() {
                let kind = known.iter().find(|(own, _)| *own == radius).map(|(_, kind)| *kind).unwrap_or_else(|| {
                    let kind = stage.types.add_type("atom", &[Vec3::ZERO], &[radius]);
                    known.push((radius, kind));
                    kind
                });
                stage.kinds.push(kind);
            }
        }
        stage
    }

    /// The chain of each molecule, for colours.
    pub fn chain_of(&self) -> &[u32] {
        &self.chain_of
    }

    /// The molecules where they are at a moment; the moment's level is that of the stage.
    pub fn scene(&self, puppet: &Puppet, moment: &Moment) -> Scene {
        let moment = Moment { level: self.level, ..*moment };
        let poses: Vec<Pose> = if let Some(number) = self.distance_level.checked_sub(1) {
            let spheres = puppet.spheres(&moment, number);
            spheres.iter().map(|sphere| Pose::from_translation(sphere.center.as_dvec3())).collect()
        } else if let Some(poses) = puppet.group_poses(&moment) {
            poses
        } else {
            puppet.positions(&moment).iter().map(|place| Pose::from_translation(place.as_dvec3())).collect()
        };
        let molecules = self.kinds.iter().zip(poses).map(|(&kind, pose)| Molecule { kind, pose }).collect();
        self.types.with_molecules(molecules)
    }
}
