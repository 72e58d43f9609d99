//! From the nodes of a file to a skeleton.
//!
//! How it works: all nodes are put in order, parents first and otherwise as in the file, which finds circles. Nodes that move
//! atoms become joints, and so do their ancestors, which only carry them; the others are dropped. A skin states for each joint
//! the matrix that goes from the skin's space at binding into the joint's frame. That space is the scene's up to one transform,
//! which its topmost joint tells when it is taken to be bound where it rests: `scene_from_skin = rest * inverse_bind`. A joint that
//! rests flat, as one that a clip lets appear, tells nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use glam::{DAffine3, DVec3};
use smol_str::SmolStr;

use super::short;
use crate::{Joint, JointPose, Place, ReadError, Rig, Skeleton, Skin, Warnings};

/// A node of a scene, of which it is not yet known whether it carries a joint.
pub(super) struct Node {
    pub name: SmolStr,
    pub parent: Option<usize>,
    pub rest: JointPose,
    pub tip: Option<DVec3>,
    pub moves_atoms: bool,
}

/// What a file binds to one mesh: nodes, each with `joint_from_skin` at binding where the file has it.
pub(super) struct Binding {
    pub name: SmolStr,
    pub joints: Vec<(usize, Option<DAffine3>)>,
}

/// The scene of a file.
pub(super) struct Draft {
    pub name: String,
    pub unit_metres: Option<f64>,
    pub nodes: Vec<Node>,
    pub bindings: Vec<Binding>,
}

/// The pose of a matrix; says so if the matrix shears, which a pose cannot.
pub(super) fn pose_of(matrix: &DAffine3, shears: impl FnOnce()) -> JointPose {
    let pose = JointPose::from_matrix(matrix);
    let size = matrix.matrix3.x_axis.abs().max(matrix.matrix3.y_axis.abs()).max(matrix.matrix3.z_axis.abs());
    if !pose.matrix().matrix3.abs_diff_eq(matrix.matrix3, 1e-4 * size.max_element()) {
        shears();
    }
    pose
}

impl Draft {
    /// People also animate plain nodes: where a file has no joints, whatever its clips move, and what carries that, moves atoms.
    pub(super) fn take_moved_nodes(&mut self, moved: impl IntoIterator<Item = usize>, warnings: &mut Warnings) {
        for node in moved {
            let mut next = Some(node);
            while let Some(node) = next.and_then(|node| self.nodes.get_mut(node)).filter(|node| !node.moves_atoms) {
                node.moves_atoms = true;
                next = node.parent;
            }
        }
        let taken = self.nodes.iter().filter(|node| node.moves_atoms).count();
        if taken > 0 {
            let message = || format!("there are no joints; the {taken} nodes that clips move were taken for joints");
            warnings.push(Place::File, message);
        }
    }

    /// The skeleton, and the joint that each node has become.
    pub(super) fn assemble(self, warnings: &mut Warnings, path: &Path) -> Result<(Rig, Vec<Option<u32>>), ReadError> {
        if !self.nodes.iter().any(|node| node.moves_atoms) {
            let found = format!("{} nodes without a joint, a skin or an animation", self.nodes.len());
            return Err(ReadError::content(path, Place::File, "a skeleton, or nodes that a clip moves", found));
        }
        let is_kept = self.kept();
        let mut joint_of = vec![None; self.nodes.len()];
        let mut joints = Vec::new();
        for node in self.order(path)?.into_iter().filter(|&node| is_kept[node]) {
            joint_of[node] = Some(joints.len() as u32);
            let Node { name, parent, rest, tip, moves_atoms } = &self.nodes[node];
            let parent = parent.and_then(|parent| joint_of[parent]);
            joints.push(Joint { tip: *tip, moves_atoms: *moves_atoms, ..Joint::new(name.clone(), parent, *rest) });
        }
        let mut skeleton = Skeleton::new(joints);
        let skins = bind(&mut skeleton, &self.bindings, &joint_of, warnings);
        let (name, unit_metres) = (self.name, self.unit_metres);
        Ok((Rig { name, skeleton, skins, clips: Vec::new(), unit_metres }, joint_of))
    }

    // The nodes that move atoms, and their ancestors.
    fn kept(&self) -> Vec<bool> {
        let mut is_kept = vec![false; self.nodes.len()];
        for start in (0..self.nodes.len()).filter(|&node| self.nodes[node].moves_atoms) {
            let mut next = Some(start);
            while let Some(node) = next.filter(|&node| !is_kept[node]) {
                is_kept[node] = true;
                next = self.nodes[node].parent;
            }
        }
        is_kept
    }

    // Kahn's order with the first node of the file first among those whose parents are placed.
    fn order(&self, path: &Path) -> Result<Vec<usize>, ReadError> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut ready = BinaryHeap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            match node.parent {
                Some(parent) => children[parent].push(index),
                None => ready.push(Reverse(index)),
            }
        }
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            ready.extend(children[node].iter().copied().map(Reverse));
        }
        if order.len() < self.nodes.len() {
            let mut is_placed = vec![false; self.nodes.len()];
            order.iter().for_each(|&node| is_placed[node] = true);
            let stuck = is_placed.iter().position(|placed| !placed).unwrap_or_default();
            let found = format!("node {stuck}, {}, among its own ancestors", short(&self.nodes[stuck].name));
            return Err(ReadError::content(path, Place::File, "nodes without circles", found));
        }
        Ok(order)
    }
}

// What binds skins: a skeleton, where its joints rest, and how many joints each hangs on.
struct Binder<'b> {
    skeleton: &'b mut Skeleton,
    rest: Vec<DAffine3>,
    depth: Vec<usize>,
    is_bound: Vec<bool>,
    warnings: &'b mut Warnings,
}

fn bind(skeleton: &mut Skeleton, bindings: &[Binding], joint_of: &[Option<u32>], warnings: &mut Warnings) -> Vec<Skin> {
    let (rest, is_bound) = (skeleton.placed(&skeleton.rest()), vec![false; skeleton.joints.len()]);
    let mut depth: Vec<usize> = Vec::with_capacity(skeleton.joints.len());
    for joint in &skeleton.joints {
        depth.push(joint.parent.map_or(0, |parent| depth[parent as usize] + 1));
    }
    let mut binder = Binder { skeleton, rest, depth, is_bound, warnings };
    let mut skins = Vec::new();
    for binding in bindings {
        let joints = binding.joints.iter().filter_map(|(node, inverse)| Some((joint_of[*node]?, *inverse)));
        let joints: Vec<(u32, Option<DAffine3>)> = joints.collect();
        binder.bind(&binding.name, &joints);
        skins.push(Skin { name: binding.name.clone(), joints: joints.iter().map(|(joint, _)| *joint).collect() });
    }
    skins
}

impl Binder<'_> {
    fn bind(&mut self, skin: &str, joints: &[(u32, Option<DAffine3>)]) {
        let mut stated = Vec::new();
        for &(joint, joint_from_skin) in joints {
            let (joint, Some(joint_from_skin)) = (joint as usize, joint_from_skin) else { continue };
            if is_flat(&joint_from_skin) {
                let name = &self.skeleton.joints[joint].name;
                let message = || format!("the bind matrix of joint {} is flat; it is bound at rest", short(name));
                self.warnings.push(Place::File, message);
            } else {
                stated.push((joint, joint_from_skin));
            }
        }
        if stated.is_empty() {
            return;
        }
        let scene_from_skin = self.scene_from_skin(skin, &stated);
        for (joint, joint_from_skin) in stated {
            self.bind_joint(joint, scene_from_skin * joint_from_skin.inverse());
        }
    }

    fn scene_from_skin(&mut self, skin: &str, stated: &[(usize, DAffine3)]) -> DAffine3 {
        let telling = stated.iter().filter(|(joint, _)| !is_flat(&self.rest[*joint]));
        let topmost = telling.min_by_key(|(joint, _)| self.depth[*joint]);
        topmost.map(|(joint, joint_from_skin)| self.rest[*joint] * *joint_from_skin).unwrap_or_else(|| {
            let message = || format!("all joints of skin {} rest flat; it is taken to be bound in place", short(skin));
            self.warnings.push(Place::File, message);
            DAffine3::IDENTITY
        })
    }

    fn bind_joint(&mut self, joint: usize, bind: DAffine3) {
        let Joint { name, bind: known, .. } = &mut self.skeleton.joints[joint];
        if !self.is_bound[joint] {
            *known = bind;
        } else if !is_near(known, &bind) {
            let message = || format!("two skins bind joint {} differently; the first holds", short(name));
            self.warnings.push(Place::File, message);
        }
        self.is_bound[joint] = true;
    }
}

// Whether a matrix has no inverse.
fn is_flat(matrix: &DAffine3) -> bool {
    !matrix.inverse().is_finite()
}

fn is_near(left: &DAffine3, right: &DAffine3) -> bool {
    let size = left.to_cols_array().into_iter().fold(1.0, |size: f64, number| size.max(number.abs()));
    left.abs_diff_eq(*right, 1e-4 * size)
}
