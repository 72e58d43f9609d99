//! A structure on strings.

use std::sync::Arc;

use glam::{DVec3, Vec3};
use serde::{Deserialize, Serialize};
use steric_model::chemistry::{BondGraph, RadiiSet};
use steric_model::{Bone, Clip, Pose, Rig, Sphere, Structure, Turning};

use super::blend::{Blend, JointMotion};
use super::chains::ChainBones;
use super::corrections::Corrections;
use super::key_frames::KeyFrames;
use super::level::{Groups, Level};
use super::reference;
use super::skin::SkinnedPoints;
use super::super_atoms::SuperAtoms;
use super::weights::{Hung, WeightOptions};

/// Why a structure cannot be hung on a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PuppetError {
    /// There are no atoms.
    #[error("expected a structure with atoms, found none")]
    NoAtoms,
    /// There are no bones and no frames.
    #[error("expected a skeleton with a joint that moves atoms, found none")]
    NoBones,
    /// More joints than a weight can name.
    #[error("expected at most 65,535 joints, found {0}")]
    ManyJoints(usize),
    /// A number that is none.
    #[error("expected finite coordinates, found others in {0}")]
    NotFinite(String),
    /// A clip that cannot be played.
    #[error("expected clips of joints that are there, with a finite value for each of rising times, found others")]
    Tracks,
    /// Super-atoms of no size.
    #[error("expected at least one atom in a super-atom, found {0}")]
    AtomsEach(f32),
    /// Frames of other atoms.
    #[error("expected frames of {expected} atoms, found {found}")]
    Frames {
        /// Atoms of the structure.
        expected: usize,
        /// Atoms of the frames.
        found: usize,
    },
}

/// How a puppet is made.
///
/// ```
/// let options = steric_world::animate::PuppetOptions::default();
/// assert_eq!(options.atoms_each, [4.0, 16.0, 64.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuppetOptions {
    /// How weights are found.
    pub weights: WeightOptions,
    /// How many atoms a super-atom of each distance level stands for, rising.
    pub atoms_each: Vec<f32>,
    /// Seed of the super-atoms.
    pub seed: u64,
}

impl Default for PuppetOptions {
    fn default() -> Self {
        Self { weights: WeightOptions::default(), atoms_each: vec![4.0, 16.0, 64.0], seed: 1 }
    }
}

/// How a clip is played, whichever it is.
///
/// ```
/// use steric_world::animate::{Blend, Level, Manner};
///
/// let manner = Manner { level: Level::Residue, ..Manner::default() };
/// assert_eq!(manner.blend, Blend::DualQuaternion);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// What moves as one piece.
    pub level: Level,
    /// How joints share a point.
    pub blend: Blend,
    /// How rotations go from key to key.
    pub turning: Turning,
}

/// What is shown: which clip, when, and how.
///
/// ```
/// use steric_world::animate::{Level, Moment};
///
/// let moment = Moment { time: 1.5, level: Level::Residue, ..Moment::default() };
/// assert!(!moment.collide && moment.clip == 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moment {
    /// Which clip; beyond the last nothing moves.
    pub clip: usize,
    /// In seconds.
    pub time: f64,
    /// What moves as one piece.
    pub level: Level,
    /// How joints share a point.
    pub blend: Blend,
    /// How rotations go from key to key.
    pub turning: Turning,
    /// Whether baked corrections are applied, where there are any.
    pub collide: bool,
}

impl Moment {
    /// The beginning of a clip, with corrections.
    pub fn of(clip: usize, Manner { level, blend, turning }: Manner) -> Self {
        Self { clip, time: 0.0, level, blend, turning, collide: true }
    }

    /// How it is played.
    pub fn manner(&self) -> Manner {
        Manner { level: self.level, blend: self.blend, turning: self.turning }
    }
}

/// A structure whose atoms hang on a skeleton, or follow frames.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::formats::xyz::read_xyz;
/// use steric_model::{Clip, Curve, Joint, JointPose, Keys, Rig, Skeleton, Track};
/// use steric_world::animate::{Moment, Puppet, PuppetOptions};
///
/// let rod: String = (0..20).map(|i| format!("C {} 0 0\n", 1.5 * f64::from(i))).collect();
/// let rod = read_xyz(format!("20\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
/// let skeleton = Skeleton::new(vec![
///     Joint::new("upper", None, JointPose::IDENTITY),
///     Joint::new("lower", Some(0), JointPose::at(DVec3::X * 14.25)),
/// ]);
/// let keys = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.5)]);
/// let bend = Clip::new("bend", vec![Track { joint: 1, times: vec![0.0, 1.0], curve: Curve::Linear, keys }]);
/// let puppet = Puppet::new(rod, Rig { skeleton, clips: vec![bend], ..Rig::default() }, &PuppetOptions::default())?;
/// let bent = puppet.positions(&Moment { time: 1.0, ..Moment::default() });
/// assert!(bent[19].y > 10.0 && bent[0].distance(puppet.structure().atoms.positions[0]) < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Puppet {
    pub(super) structure: Arc<Structure>,
    pub(super) radii: Vec<f32>,
    pub(super) rig: Rig,
    pub(super) options: PuppetOptions,
    pub(super) manner: Manner,
    pub(super) key_frames: Option<Arc<KeyFrames>>,
    pub(super) residues: Arc<Groups>,
    pub(super) chains: Arc<Groups>,
    pub(super) hung: Hung,
    pub(super) residues_hung: Hung,
    pub(super) chain_bones: ChainBones,
    /// For each level its distance levels, from near to far.
    pub(super) super_atoms: [Arc<Vec<SuperAtoms>>; 3],
    pub(super) corrections: Vec<Arc<Corrections>>,
    skinned: SkinnedPoints,
    heads: Vec<DVec3>,
}

/// All that a puppet is made of besides its structure and rig, so that it can be put together without working anything out.
pub(super) struct Parts {
    pub(super) hung: Hung,
    pub(super) residues_hung: Hung,
    pub(super) chain_bones: ChainBones,
    pub(super) super_atoms: [Vec<SuperAtoms>; 3],
}

impl Puppet {
    /// Hangs the first model of a structure on a rig that stands where the structure is.
    pub fn new(structure: Structure, rig: Rig, options: &PuppetOptions) -> Result<Self, PuppetError> {
        Self::with_frames(structure, rig, None, options)
    }

    /// The same with frames that the atoms follow in place of a skeleton, where there are any.
    pub fn with_frames(
        structure: Structure,
        rig: Rig,
        key_frames: Option<KeyFrames>,
        options: &PuppetOptions,
    ) -> Result<Self, PuppetError> {
        let structure = first_model(structure);
        check(&structure, &rig, key_frames.as_ref())?;
        let options = &PuppetOptions { atoms_each: rising(&options.atoms_each)?, ..options.clone() };
        let radii = RadiiSet::Bondi.radii(&structure, &BondGraph::default());
        let (residues, chains) = (Groups::residues(&structure), Groups::chains(&structure));
        let parts = Parts::new(&structure, &radii, &rig, [&residues, &chains], options);
        Ok(Self::of_parts(structure, radii, rig, key_frames, (residues, chains), parts, options.clone()))
    }

    pub(super) fn of_parts(
        structure: Structure,
        radii: Vec<f32>,
        rig: Rig,
        key_frames: Option<KeyFrames>,
        (residues, chains): (Groups, Groups),
        parts: Parts,
        options: PuppetOptions,
    ) -> Self {
        let rest: Vec<DVec3> = structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
        Self {
            skinned: SkinnedPoints::new(&rest, &parts.hung),
            heads: rig.skeleton.joints.iter().map(|joint| joint.bind.translation).collect(),
            structure: Arc::new(structure),
            radii,
            rig,
            options,
            manner: Manner::default(),
            key_frames: key_frames.map(Arc::new),
            residues: Arc::new(residues),
            chains: Arc::new(chains),
            hung: parts.hung,
            residues_hung: parts.residues_hung,
            chain_bones: parts.chain_bones,
            super_atoms: parts.super_atoms.map(Arc::new),
            corrections: Vec::new(),
        }
    }

    /// The structure, one model, as bound.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The chain of each atom, as an index in [`Structure::chains`], for colours.
    pub fn chain_of_atoms(&self) -> Vec<u32> {
        let residues = &self.structure.residues;
        self.structure.atoms.residues.iter().map(|&residue| residues[residue as usize].chain).collect()
    }

    /// The radius of each atom, in angstroms (Bondi).
    pub fn radii(&self) -> &[f32] {
        &self.radii
    }

    /// The skeleton and its clips.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// How it was made.
    pub fn options(&self) -> &PuppetOptions {
        &self.options
    }

    /// How it is to be played where nobody says otherwise; a file keeps it.
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// Says how it is to be played where nobody says otherwise.
    pub fn set_manner(&mut self, manner: Manner) {
        self.manner = manner;
    }

    /// The frames that the atoms follow, if they follow any.
    pub fn key_frames(&self) -> Option<&KeyFrames> {
        self.key_frames.as_deref()
    }

    /// How the atoms hang on the skeleton.
    pub fn hung(&self) -> &Hung {
        &self.hung
    }

    /// How the residues' centres of mass hang on the skeleton.
    pub fn residues_hung(&self) -> &Hung {
        &self.residues_hung
    }

    /// The bones of the chains.
    pub fn chain_bones(&self) -> &ChainBones {
        &self.chain_bones
    }

    /// The atoms, ready to be moved by the skeleton.
    pub fn skinned(&self) -> &SkinnedPoints {
        &self.skinned
    }

    /// The joints' heads as bound.
    pub fn heads(&self) -> &[DVec3] {
        &self.heads
    }

    /// The groups of a level; `None` where every atom moves by itself.
    pub fn groups(&self, level: Level) -> Option<&Groups> {
        match level {
            Level::Atom => None,
            Level::Residue => Some(&self.residues),
            Level::Chain => Some(&self.chains),
        }
    }

    /// The distance levels of a level, from near to far.
    pub fn super_atoms(&self, level: Level) -> &[SuperAtoms] {
        &self.super_atoms[level as usize]
    }

    /// The same puppet on another skeleton or with other clips, such as one that a hand has changed. Groups stay; weights are worked out
    /// anew where the bones are others. Corrections no longer hold and are dropped.
    pub fn with_rig(&self, rig: Rig) -> Result<Self, PuppetError> {
        check(&self.structure, &rig, self.key_frames.as_deref())?;
        let mut puppet = self.clone();
        puppet.corrections.clear();
        if rig.skeleton != self.rig.skeleton {
            let weights = &self.options.weights;
            let rest: Vec<DVec3> = self.structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
            puppet.hung = Hung::new(&rig.skeleton, &rest, weights);
            puppet.residues_hung = Hung::new(&rig.skeleton, &self.residues.centres, weights);
            puppet.chain_bones = ChainBones::new(&self.structure, &self.chains, &rig.skeleton, weights);
            for levels in &mut puppet.super_atoms {
                for level in Arc::make_mut(levels) {
                    let centres: Vec<DVec3> = level.spheres.iter().map(|sphere| sphere.center.as_dvec3()).collect();
                    level.hung = Hung::new(&rig.skeleton, &centres, weights);
                }
            }
            puppet.skinned = SkinnedPoints::new(&rest, &puppet.hung);
            puppet.heads = rig.skeleton.joints.iter().map(|joint| joint.bind.translation).collect();
        }
        puppet.rig = rig;
        Ok(puppet)
    }

    /// The same puppet with other distance levels.
    pub fn with_atoms_each(&self, atoms_each: &[f32]) -> Result<Self, PuppetError> {
        let mut puppet = self.clone();
        puppet.options.atoms_each = rising(atoms_each)?;
        let groups = [None, Some(&*self.residues), Some(&*self.chains)];
        puppet.super_atoms = groups
            .map(|groups| Arc::new(distance_levels(&self.structure, &self.radii, groups, &self.rig, &puppet.options)));
        Ok(puppet)
    }

    /// The clip of a number; one in which nothing moves beyond the last.
    pub fn clip(&self, number: usize) -> Option<&Clip> {
        self.rig.clips.get(number)
    }

    /// How long a clip, or the frames, take, in seconds.
    pub fn duration(&self, clip: usize) -> f64 {
        match &self.key_frames {
            Some(frames) => frames.duration(),
            None => self.clip(clip).map_or(0.0, |clip| clip.duration),
        }
    }

    /// The times of the keys of a clip, or of the frames.
    pub fn key_times(&self, clip: usize) -> Vec<f64> {
        match &self.key_frames {
            Some(frames) => frames.times.clone(),
            None => self.clip(clip).map(Clip::key_times).unwrap_or_default(),
        }
    }

    /// What the joints do at a moment.
    pub fn motions(&self, moment: &Moment) -> Vec<JointMotion> {
        let skeleton = &self.rig.skeleton;
        let poses = match self.clip(moment.clip) {
            Some(clip) => clip.poses(skeleton, moment.time, moment.turning),
            None => return vec![JointMotion::new(&glam::DAffine3::IDENTITY, DVec3::ZERO); skeleton.joints.len()],
        };
        JointMotion::all(skeleton, &skeleton.motions(&poses))
    }

    /// The bones at a moment.
    pub fn bones(&self, moment: &Moment) -> Vec<Bone> {
        let motions = self.motions(moment);
        let moved = |bone: Bone| {
            let motion = &motions[bone.joint as usize].whole;
            Bone {
                joint: bone.joint,
                head: motion.transform_point3(bone.head),
                tail: motion.transform_point3(bone.tail),
            }
        };
        self.rig.skeleton.bones().into_iter().map(moved).collect()
    }

    /// Where every atom is at a moment, in file order.
    pub fn positions(&self, moment: &Moment) -> Vec<Vec3> {
        match self.group_poses(moment) {
            Some(poses) => match self.groups(moment.level) {
                Some(groups) => groups.placed(&self.structure.atoms.positions, &poses),
                None => Vec::new(),
            },
            None => {
                let mut positions = self.atoms_uncorrected(moment);
                if let Some(corrections) = self.corrections_at(moment) {
                    corrections.shift_atoms(moment.time, &mut positions);
                }
                positions
            }
        }
    }

    /// The pose of every group of the level at a moment, each in a frame with the group's centre in the middle; `None` where every atom
    /// moves by itself.
    pub fn group_poses(&self, moment: &Moment) -> Option<Vec<Pose>> {
        let mut poses = self.group_poses_uncorrected(moment)?;
        if let Some(corrections) = self.corrections_at(moment) {
            corrections.move_groups(moment.time, &mut poses);
        }
        Some(poses)
    }

    pub(super) fn atoms_uncorrected(&self, moment: &Moment) -> Vec<Vec3> {
        match &self.key_frames {
            Some(frames) => frames.atoms(moment.time),
            None => self.skinned.moved(&self.skinned.palette(&self.motions(moment), &self.heads, moment.blend)),
        }
    }

    pub(super) fn group_poses_uncorrected(&self, moment: &Moment) -> Option<Vec<Pose>> {
        let groups = self.groups(moment.level)?;
        if let Some(frames) = &self.key_frames {
            return Some(frames.poses(groups, &self.structure.atoms.positions, moment.time, moment.turning));
        }
        let motions = self.motions(moment);
        Some(match moment.level {
            Level::Chain => self.chain_bones.poses(groups, &motions, &self.heads, moment.blend),
            _ => self.residue_poses(&motions, moment.blend),
        })
    }

    fn residue_poses(&self, motions: &[JointMotion], blend: Blend) -> Vec<Pose> {
        use rayon::prelude::*;
        let pose = |(residue, &centre): (usize, &DVec3)| {
            let (rotation, translation) =
                reference::skin_group(centre, residue, &self.residues_hung, motions, &self.heads, blend);
            Pose { rotation, translation }
        };
        self.residues.centres.par_iter().enumerate().with_min_len(64).map(pose).collect()
    }

    /// The super-atoms of a distance level at a moment. Inside rigid groups they move with their group; where every atom moves by
    /// itself, they hang on the skeleton as atoms do.
    pub fn spheres(&self, moment: &Moment, distance_level: usize) -> Vec<Sphere> {
        let Some(level) = self.super_atoms(moment.level).get(distance_level) else { return Vec::new() };
        if let (Some(poses), Some(groups)) = (self.group_poses(moment), self.groups(moment.level)) {
            let place = |(sphere, group): (&Sphere, u32)| {
                let arm = sphere.center.as_dvec3() - groups.centres[group as usize];
                Sphere { center: (poses[group as usize] * arm).as_vec3(), ..*sphere }
            };
            return level.spheres.iter().zip(level.groups_of(groups)).map(place).collect();
        }
        if self.key_frames.is_some() || self.corrections_at(moment).is_some() {
            return self.spheres_around(level, &self.positions(moment));
        }
        let motions = self.motions(moment);
        let place = |(number, sphere): (usize, &Sphere)| {
            let centre = sphere.center.as_dvec3();
            let moved = reference::skin(centre, number, &level.hung, &motions, &self.heads, moment.blend);
            Sphere { center: moved.as_vec3(), ..*sphere }
        };
        level.spheres.iter().enumerate().map(place).collect()
    }

    /// Spheres that go with the mean of their atoms.
    fn spheres_around(&self, level: &SuperAtoms, positions: &[Vec3]) -> Vec<Sphere> {
        let mut shifts = vec![(Vec3::ZERO, 0.0f32); level.spheres.len()];
        for ((now, rest), &own) in positions.iter().zip(&self.structure.atoms.positions).zip(&level.of_atom) {
            let (sum, count) = &mut shifts[own as usize];
            *sum += *now - *rest;
            *count += 1.0;
        }
        let moved = |(sphere, (sum, count)): (&Sphere, &(Vec3, f32))| Sphere {
            center: sphere.center + *sum / count.max(1.0),
            ..*sphere
        };
        level.spheres.iter().zip(&shifts).map(moved).collect()
    }

    /// The distance level to be drawn where an angstrom is so many pixels wide: 0 for atoms, n for `super_atoms(level)[n - 1]`. The finest
    /// whose spheres are at least `least` pixels wide in the mean, else the coarsest.
    pub fn distance_level(&self, level: Level, pixels_per_angstrom: f64, least: f64) -> usize {
        let atoms = self.radii.iter().sum::<f32>() / self.radii.len().max(1) as f32;
        let radii = std::iter::once(atoms).chain(self.super_atoms(level).iter().map(SuperAtoms::mean_radius));
        let mut wide = radii.map(|radius| 2.0 * f64::from(radius) * pixels_per_angstrom);
        wide.position(|pixels| pixels >= least).unwrap_or(self.super_atoms(level).len())
    }

    /// The baked corrections, each for a clip and a manner.
    pub fn corrections(&self) -> &[Arc<Corrections>] {
        &self.corrections
    }

    /// Adds baked corrections, in place of those for the same clip and manner.
    pub fn correct(&mut self, corrections: Corrections) {
        self.corrections.retain(|own| own.made_for != corrections.made_for);
        self.corrections.push(Arc::new(corrections));
    }

    /// The corrections that hold at a moment, if it asks for them.
    pub fn corrections_at(&self, moment: &Moment) -> Option<&Corrections> {
        if moment.collide { self.corrections_for(moment.clip, moment.manner()) } else { None }
    }

    /// The corrections for a clip that is played in a manner.
    pub fn corrections_for(&self, clip: usize, manner: Manner) -> Option<&Corrections> {
        self.corrections.iter().find(|own| own.made_for == (clip, manner)).map(|own| &**own)
    }
}

impl Parts {
    fn new(
        structure: &Structure,
        radii: &[f32],
        rig: &Rig,
        [residues, chains]: [&Groups; 2],
        options: &PuppetOptions,
    ) -> Self {
        let rest: Vec<DVec3> = structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
        let levels = [None, Some(residues), Some(chains)];
        Self {
            hung: Hung::new(&rig.skeleton, &rest, &options.weights),
            residues_hung: Hung::new(&rig.skeleton, &residues.centres, &options.weights),
            chain_bones: ChainBones::new(structure, chains, &rig.skeleton, &options.weights),
            super_atoms: levels.map(|groups| distance_levels(structure, radii, groups, rig, options)),
        }
    }
}

fn distance_levels(
    structure: &Structure,
    radii: &[f32],
    groups: Option<&Groups>,
    rig: &Rig,
    options: &PuppetOptions,
) -> Vec<SuperAtoms> {
    let positions = &structure.atoms.positions;
    let level =
        |&each: &f32| SuperAtoms::new(positions, radii, groups, each, options.seed, &rig.skeleton, &options.weights);
    options.atoms_each.iter().map(level).collect()
}

/// Sizes of super-atoms from near to far.
fn rising(atoms_each: &[f32]) -> Result<Vec<f32>, PuppetError> {
    if let Some(&wrong) = atoms_each.iter().find(|each| !each.is_finite() || **each < 1.0) {
        return Err(PuppetError::AtomsEach(wrong));
    }
    let mut sizes = atoms_each.to_vec();
    sizes.sort_by(f32::total_cmp);
    Ok(sizes)
}

/// Of a structure with several models the first; copies are not made.
fn first_model(structure: Structure) -> Structure {
    match &structure.models[..] {
        [_] | [] => structure,
        [first, ..] => structure.alone(&first.atoms),
    }
}

fn check(structure: &Structure, rig: &Rig, key_frames: Option<&KeyFrames>) -> Result<(), PuppetError> {
    let joints = &rig.skeleton.joints;
    if structure.atoms.is_empty() {
        return Err(PuppetError::NoAtoms);
    }
    if joints.len() > usize::from(u16::MAX) {
        return Err(PuppetError::ManyJoints(joints.len()));
    }
    if let Some(atom) = structure.atoms.positions.iter().position(|place| !place.is_finite()) {
        return Err(PuppetError::NotFinite(format!("atom {}", atom + 1)));
    }
    let tracks = || rig.clips.iter().flat_map(|clip| &clip.tracks);
    if tracks().any(|track| track.joint as usize >= joints.len() || !track.is_sound()) {
        return Err(PuppetError::Tracks);
    }
    let is_wrong = |joint: &steric_model::Joint| !joint.bind.is_finite() || !joint.rest.matrix().is_finite();
    if let Some(joint) = joints.iter().find(|joint| is_wrong(joint)) {
        return Err(PuppetError::NotFinite(format!("joint {:?}", joint.name.as_str())));
    }
    match key_frames {
        Some(frames) if frames.frames.iter().any(|frame| frame.len() != structure.atoms.len()) => {
            let found = frames.frames.first().map_or(0, Vec::len);
            Err(PuppetError::Frames { expected: structure.atoms.len(), found })
        }
        None if !joints.iter().any(|joint| joint.moves_atoms) => Err(PuppetError::NoBones),
        _ => Ok(()),
    }
}
