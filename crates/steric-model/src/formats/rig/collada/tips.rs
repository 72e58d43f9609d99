//! Where limbs end, by the tips of Blender; elsewhere a bone ends at the next joint.
//!
//! How it works: Blender counts a tip from the head of its bone, along the axes of the armature, which is the first node above that
//! is no joint. It sometimes writes tips along other axes than those of its joints (RiggedSimple.dae of the glTF samples). A joint
//! with one child tells: its tip lies towards the child, more or less. Where most of an armature's do not, none of its tips is
//! believed.

use std::f64::consts::FRAC_PI_4;

use glam::{DAffine3, DVec3};
use rustc_hash::FxHashMap;

use super::scene::Scene;

// The index of an armature; None for joints that hang on no other node.
type Armature = Option<usize>;

/// The tips of all nodes, in their own frames.
pub(super) fn tips(scene: &Scene<'_>) -> Vec<Option<DVec3>> {
    let joints = scene.nodes.iter().enumerate().filter(|(_, node)| node.stated.is_joint);
    let (armatures, next) = (armatures(scene), next_joints(scene));
    let mut stated: Vec<(usize, Armature, DVec3)> = Vec::new();
    for (index, node) in joints {
        let (armature, armature_from_joint) = armatures[index];
        let tip = node.stated.tip_in_armature.map(|tip| armature_from_joint.inverse().transform_vector3(tip));
        stated.extend(tip.filter(|tip| tip.is_finite() && *tip != DVec3::ZERO).map(|tip| (index, armature, tip)));
    }
    // Checked tips that hit less those that miss.
    let mut hits: FxHashMap<Armature, i64> = FxHashMap::default();
    for &(index, armature, tip) in &stated {
        if let (1, child) = next[index]
            && child != DVec3::ZERO
        {
            *hits.entry(armature).or_default() += if tip.angle_between(child) > FRAC_PI_4 { -1 } else { 1 };
        }
    }
    let is_believed = |armature| hits.get(&armature).is_none_or(|&hits| hits >= 0);
    let mut tips = vec![None; scene.nodes.len()];
    for (index, armature, tip) in stated {
        tips[index] = Some(tip).filter(|_| next[index].0 == 0 && is_believed(armature));
    }
    tips
}

// The armature of each joint and `armature_from_joint`, from above.
fn armatures(scene: &Scene<'_>) -> Vec<(Armature, DAffine3)> {
    let mut armatures: Vec<(Armature, DAffine3)> = Vec::with_capacity(scene.nodes.len());
    for node in &scene.nodes {
        let joint_above = node.parent.filter(|&parent| scene.nodes[parent].stated.is_joint);
        let (armature, above) = joint_above.map_or((node.parent, DAffine3::IDENTITY), |joint| armatures[joint]);
        armatures.push((armature, above * node.stated.parent_from_node));
    }
    armatures
}

// How many joints follow each node, and where the last of them is in its frame.
fn next_joints(scene: &Scene<'_>) -> Vec<(usize, DVec3)> {
    let mut next = vec![(0, DVec3::ZERO); scene.nodes.len()];
    for node in scene.nodes.iter().filter(|node| node.stated.is_joint) {
        if let Some(parent) = node.parent {
            next[parent] = (next[parent].0 + 1, node.stated.parent_from_node.translation);
        }
    }
    next
}
