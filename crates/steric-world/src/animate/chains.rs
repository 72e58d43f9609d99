//! Chains as single bones.
//!
//! How it works: a chain's bone runs between the centres of mass of the first and the last tenth of its longest extent along an axis. Both ends,
//! and the chain's centre of mass, are moved by the skeleton as points; the chain lies along the line between the moved ends. It keeps
//! its length, and what that is more or less than the distance of the moved ends is shared by both ends. About that line it is turned as
//! its centre is.

use glam::{DQuat, DVec3};
use rayon::prelude::*;
use steric_model::{Bone, Pose, Structure};

use super::blend::{Blend, JointMotion};
use super::level::Groups;
use super::reference;
use super::weights::{Hung, WeightOptions};

/// The bones of all chains, and how they hang on the skeleton of the rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainBones {
    /// A bone for each chain; its joint is the number of the chain.
    pub bones: Vec<Bone>,
    /// Head, tail and centre of each chain.
    pub hung: Hung,
}

impl ChainBones {
    /// Finds the bones of chains and hangs them on a skeleton.
    pub fn new(
        structure: &Structure,
        chains: &Groups,
        skeleton: &steric_model::Skeleton,
        options: &WeightOptions,
    ) -> Self {
        let bones: Vec<Bone> = (0..chains.len()).map(|chain| bone(structure, chains, chain)).collect();
        let points: Vec<DVec3> =
            bones.iter().zip(&chains.centres).flat_map(|(bone, &centre)| [bone.head, bone.tail, centre]).collect();
        Self { hung: Hung::new(skeleton, &points, options), bones }
    }

    /// The pose of each chain; its frame has the chain's centre of mass in the middle.
    pub fn poses(&self, chains: &Groups, motions: &[JointMotion], heads: &[DVec3], blend: Blend) -> Vec<Pose> {
        let pose = |(chain, bone): (usize, &Bone)| {
            let moved =
                |point: DVec3, part: usize| reference::skin(point, 3 * chain + part, &self.hung, motions, heads, blend);
            let (head, tail) = (moved(bone.head, 0), moved(bone.tail, 1));
            let centre = chains.centres[chain];
            let (turned, _) = reference::skin_group(centre, 3 * chain + 2, &self.hung, motions, heads, blend);
            let along = (bone.tail - bone.head).normalize_or_zero();
            let wanted = (tail - head).normalize_or(turned * along);
            let rotation = (DQuat::from_rotation_arc(turned * along, wanted) * turned).normalize();
            let rotation = if along == DVec3::ZERO { turned } else { rotation };
            let middle = 0.5 * (bone.head + bone.tail);
            Pose { rotation, translation: 0.5 * (head + tail) + rotation * (centre - middle) }
        };
        self.bones.par_iter().enumerate().with_min_len(64).map(pose).collect()
    }

    /// The bones of chains in these poses.
    pub fn posed(&self, chains: &Groups, poses: &[Pose]) -> Vec<Bone> {
        let moved = |((bone, pose), &centre): ((&Bone, &Pose), &DVec3)| Bone {
            joint: bone.joint,
            head: *pose * (bone.head - centre),
            tail: *pose * (bone.tail - centre),
        };
        self.bones.iter().zip(poses).zip(&chains.centres).map(moved).collect()
    }
}

/// Section 3.2 of the founding thesis.
fn bone(structure: &Structure, chains: &Groups, chain: usize) -> Bone {
    let places = || chains.members(chain).iter().map(|&atom| structure.atoms.positions[atom as usize].as_dvec3());
    let low = places().fold(DVec3::INFINITY, DVec3::min);
    let high = places().fold(DVec3::NEG_INFINITY, DVec3::max);
    let axis = (high - low).max_position();
    let tenth = 0.1 * (high - low)[axis];
    let centre = |is_in: &dyn Fn(f64) -> bool| {
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for (&atom, place) in chains.members(chain).iter().zip(places()).filter(|(_, place)| is_in(place[axis])) {
            let own = structure.atoms.elements[atom as usize].mass().max(1e-3);
            (sum, mass) = (sum + place * own, mass + own);
        }
        sum / mass
    };
    Bone {
        joint: chain as u32,
        head: centre(&|place| place <= low[axis] + tenth),
        tail: centre(&|place| place >= high[axis] - tenth),
    }
}
