//! Skeletons: joints that hang on each other, and the bones between them.
//!
//! How it works: a joint stands somewhere in the frame of its parent, and parents come before their children, so that one pass down the
//! list places all of them. What a joint does to the atoms that hang on it is `posed * bind⁻¹`: from where they were when they were hung
//! on it, into its frame, and to where it is now.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::Clip;

/// Where a joint stands in the frame of its parent: scaled, then turned, then moved.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::JointPose;
///
/// let knee = JointPose { rotation: DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), ..JointPose::at(DVec3::X) };
/// let ankle_in_thigh = knee.matrix().transform_point3(DVec3::X);
/// assert!(ankle_in_thigh.abs_diff_eq(DVec3::new(1.0, 1.0, 0.0), 1e-12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointPose {
    /// In the unit of the skeleton, after the rotation.
    pub translation: DVec3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// Along the joint's own axes, before the rotation.
    pub scale: DVec3,
}

impl JointPose {
    /// The pose that changes nothing.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// A pose that only moves.
    pub fn at(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// `parent_from_joint`.
    pub fn matrix(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The pose of a matrix without shear; what shear there is is dropped. A scale of zero along one axis keeps the rotation, along
    /// more it is lost.
    ///
    /// ```
    /// use glam::{DAffine3, DQuat, DVec3};
    /// use steric_model::JointPose;
    ///
    /// let turn = DQuat::from_rotation_z(1.0);
    /// let flat = DAffine3::from_scale_rotation_translation(DVec3::new(1.0, 0.0, 2.0), turn, DVec3::ZERO);
    /// assert!(JointPose::from_matrix(&flat).rotation.angle_between(turn) < 1e-6);
    /// ```
    pub fn from_matrix(matrix: &DAffine3) -> Self {
        Self::of_matrix(matrix).0
    }

    /// The same, and whether the matrix tells a rotation.
    pub(crate) fn of_matrix(matrix: &DAffine3) -> (Self, bool) {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        let is_sound = rotation.is_finite() && rotation.length_squared() > 0.25;
        let rotation = if is_sound { Some(rotation.normalize()) } else { rotation_of_flat(&matrix.matrix3) };
        (Self { translation, rotation: rotation.unwrap_or(DQuat::IDENTITY), scale }, rotation.is_some())
    }
}

// The rotation of a matrix that has lost one axis, which is across the other two.
fn rotation_of_flat(matrix: &DMat3) -> Option<DQuat> {
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = axes.iter().map(|axis| axis.length()).fold(0.0, f64::max);
    let [x, y, z] = axes.map(|axis| Some(axis).filter(|axis| axis.length() > 1e-12 * longest)?.try_normalize());
    let (x, y, z) = match (x, y, z) {
        (None, Some(y), Some(z)) => (y.cross(z), y, z),
        (Some(x), None, Some(z)) => (x, z.cross(x), z),
        (Some(x), Some(y), None) => (x, y, x.cross(y)),
        _ => return None,
    };
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
    Some(rotation).filter(|rotation| rotation.is_finite() && rotation.length_squared() > 0.25).map(DQuat::normalize)
}

/// A joint of a skeleton.
///
/// ```
/// use steric_model::{Joint, JointPose};
///
/// let hip = Joint::new("hip", None, JointPose::IDENTITY);
/// assert!(hip.moves_atoms && hip.parent.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Its name; may be empty.
    pub name: SmolStr,
    /// Index of the joint that it hangs on, always smaller than its own.
    pub parent: Option<u32>,
    /// Where it stands while no clip moves it: `parent_from_joint`.
    pub rest: JointPose,
    /// `world_from_joint` at the moment when atoms were hung on it.
    pub bind: DAffine3,
    /// False for what only carries joints: nodes above a skeleton, or between its joints.
    pub moves_atoms: bool,
    /// Where its bone ends, in its own frame, where a file says so; otherwise a bone ends at the next joint.
    pub tip: Option<DVec3>,
}

impl Joint {
    /// A joint that moves atoms; [`Skeleton::new`] fills in where it is bound.
    pub fn new(name: impl Into<SmolStr>, parent: Option<u32>, rest: JointPose) -> Self {
        Self { name: name.into(), parent, rest, bind: DAffine3::IDENTITY, moves_atoms: true, tip: None }
    }
}

/// A bone: the line from a joint to the next one, or to its tip. A joint with three children has three bones.
///
/// ```
/// use steric_model::Bone;
/// use glam::DVec3;
///
/// let bone = Bone { joint: 0, head: DVec3::ZERO, tail: DVec3::X * 10.0 };
/// assert_eq!(bone.distance(DVec3::new(5.0, 3.0, 0.0)), 3.0, "beside it");
/// assert_eq!(bone.distance(DVec3::new(-3.0, 4.0, 0.0)), 5.0, "before its head");
/// assert_eq!(bone.distance(DVec3::new(13.0, 4.0, 0.0)), 5.0, "behind its tail");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bone {
    /// The joint that it moves with.
    pub joint: u32,
    /// Where it begins, as bound.
    pub head: DVec3,
    /// Where it ends, as bound.
    pub tail: DVec3,
}

impl Bone {
    /// The distance of a point from the line between head and tail: from the line itself if the point is beside it, else from the
    /// nearer end.
    pub fn distance(&self, point: DVec3) -> f64 {
        let (along, from_head) = (self.tail - self.head, point - self.head);
        let share = from_head.dot(along);
        if share <= 0.0 {
            from_head.length()
        } else if share >= along.length_squared() {
            point.distance(self.tail)
        } else {
            (from_head - along * (share / along.length_squared())).length()
        }
    }
}

/// Joints, parents before their children.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::{Joint, JointPose, Skeleton};
///
/// let skeleton = Skeleton::new(vec![
///     Joint::new("thigh", None, JointPose::IDENTITY),
///     Joint { tip: Some(DVec3::X * 8.0), ..Joint::new("shin", Some(0), JointPose::at(DVec3::X * 10.0)) },
/// ]);
/// assert_eq!(skeleton.bones().iter().map(|bone| bone.tail.x).collect::<Vec<_>>(), [10.0, 18.0]);
///
/// let mut poses = skeleton.rest();
/// poses[1].rotation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
/// let moved = skeleton.motions(&poses);
/// assert!(moved[1].transform_point3(DVec3::X * 18.0).abs_diff_eq(DVec3::new(10.0, 8.0, 0.0), 1e-9));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skeleton {
    /// Joints; a parent's index is smaller than its child's.
    pub joints: Vec<Joint>,
}

impl Skeleton {
    /// A skeleton to which atoms are hung as it rests.
    pub fn new(joints: Vec<Joint>) -> Self {
        let mut skeleton = Self { joints };
        skeleton.bind_at_rest();
        skeleton
    }

    /// Binds every joint where it is while nothing moves it.
    pub fn bind_at_rest(&mut self) {
        let placed = self.placed(&self.rest());
        for (joint, place) in self.joints.iter_mut().zip(placed) {
            joint.bind = place;
        }
    }

    /// The pose of every joint while nothing moves it.
    pub fn rest(&self) -> Vec<JointPose> {
        self.joints.iter().map(|joint| joint.rest).collect()
    }

    /// `world_from_joint` for each joint, from the poses in their parents' frames.
    pub fn placed(&self, poses: &[JointPose]) -> Vec<DAffine3> {
        assert_eq!(poses.len(), self.joints.len(), "one pose per joint");
        let mut placed: Vec<DAffine3> = Vec::with_capacity(poses.len());
        for (joint, pose) in self.joints.iter().zip(poses) {
            let parent = joint.parent.map_or(DAffine3::IDENTITY, |parent| placed[parent as usize]);
            placed.push(parent * pose.matrix());
        }
        placed
    }

    /// What each joint does to the atoms that hang on it: `posed_from_bound`. A joint that was bound flat (without an inverse)
    /// leaves its atoms where they are.
    pub fn motions(&self, poses: &[JointPose]) -> Vec<DAffine3> {
        let motion = |(place, joint): (DAffine3, &Joint)| {
            let motion = place * joint.bind.inverse();
            if motion.is_finite() { motion } else { DAffine3::IDENTITY }
        };
        self.placed(poses).into_iter().zip(&self.joints).map(motion).collect()
    }

    /// The bones as bound, in the order of their joints: to each child that moves atoms (through those that do not), or to the tip
    /// that the file states. The last joint of a limb goes on as far as the bone before it; a joint alone is a point.
    pub fn bones(&self) -> Vec<Bone> {
        let head = |joint: usize| self.joints[joint].bind.translation;
        let carriers = self.carriers();
        let mut tails: Vec<Vec<DVec3>> = vec![Vec::new(); self.joints.len()];
        for (index, joint) in self.joints.iter().enumerate() {
            if let (true, Some(carrier)) = (joint.moves_atoms, carriers[index]) {
                tails[carrier].push(head(index));
            }
        }
        let mut bones = Vec::new();
        for (index, joint) in self.joints.iter().enumerate().filter(|(_, joint)| joint.moves_atoms) {
            let tip = joint.tip.map(|tip| joint.bind.transform_point3(tip));
            if let Some(tip) = tip {
                tails[index] = vec![tip];
            } else if tails[index].is_empty() {
                let onward = carriers[index].map_or(DVec3::ZERO, |carrier| head(index) - head(carrier));
                tails[index] = vec![head(index) + onward];
            }
            bones.extend(tails[index].iter().map(|&tail| Bone { joint: index as u32, head: head(index), tail }));
        }
        bones
    }

    /// The nearest joint above this one that moves atoms.
    pub fn carrier(&self, joint: usize) -> Option<usize> {
        let mut above = self.joints[joint].parent;
        while let Some(parent) = above {
            if self.joints[parent as usize].moves_atoms {
                return Some(parent as usize);
            }
            above = self.joints[parent as usize].parent;
        }
        None
    }

    // The same for every joint, in one pass: a walk for each would be long where a rope of nodes carries many joints.
    fn carriers(&self) -> Vec<Option<usize>> {
        let mut carriers: Vec<Option<usize>> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let carrier = joint.parent.map(|parent| parent as usize);
            let is_carrier = |&parent: &usize| self.joints[parent].moves_atoms;
            carriers.push(carrier.filter(is_carrier).or_else(|| carrier.and_then(|parent| carriers[parent])));
        }
        carriers
    }
}

/// Joints that a file binds to one mesh.
///
/// ```
/// let skin = steric_model::Skin { name: "left hand".into(), joints: vec![3, 4] };
/// assert_eq!(skin.joints.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Its name; may be empty.
    pub name: SmolStr,
    /// Indices in [`Skeleton::joints`].
    pub joints: Vec<u32>,
}

/// A skeleton with its clips, as a file has them: in the file's own unit, with its own axes.
///
/// ```
/// use glam::DVec3;
/// use steric_model::{Joint, JointPose, Rig, Skeleton};
///
/// let skeleton = Skeleton::new(vec![Joint::new("arm", None, JointPose::at(DVec3::Y))]);
/// let rig = Rig { skeleton, ..Rig::default() };
/// let turned = rig.moved(&glam::DAffine3::from_scale(DVec3::splat(10.0)));
/// assert_eq!(turned.skeleton.bones()[0].head, DVec3::Y * 10.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// The file's name for it; may be empty.
    pub name: String,
    /// Every joint, and every node that carries one.
    pub skeleton: Skeleton,
    /// The sets of joints that the file binds meshes to; all of their joints move atoms.
    pub skins: Vec<Skin>,
    /// The clips, in file order.
    pub clips: Vec<Clip>,
    /// Metres per unit of length where the file states it (Collada does; glTF is in metres).
    pub unit_metres: Option<f64>,
}

impl Rig {
    /// The rig in another world: everything moved, turned and scaled by `new_from_old`, by means of a root above all others.
    pub fn moved(&self, new_from_old: &DAffine3) -> Self {
        let mut rig = self.clone();
        let root = Joint {
            moves_atoms: false,
            bind: *new_from_old,
            ..Joint::new("placed", None, JointPose::from_matrix(new_from_old))
        };
        for joint in &mut rig.skeleton.joints {
            joint.parent = Some(joint.parent.map_or(0, |parent| parent + 1));
            joint.bind = *new_from_old * joint.bind;
        }
        rig.skeleton.joints.insert(0, root);
        rig.skins.iter_mut().flat_map(|skin| &mut skin.joints).for_each(|joint| *joint += 1);
        rig.clips.iter_mut().flat_map(|clip| &mut clip.tracks).for_each(|track| track.joint += 1);
        rig
    }
}
