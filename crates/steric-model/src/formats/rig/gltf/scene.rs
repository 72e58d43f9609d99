//! The nodes and skins of a glTF file.
//!
//! How it works: nodes list their children; a child of two nodes is an error, circles are found when nodes are put in order.
//! Scenes only choose which roots are shown, so every root is read.

use glam::{DAffine3, DMat4, DQuat, DVec3};

use super::accessor::Accessors;
use super::json::{self, Document, Extras};
use crate::formats::rig::assemble::{Binding, Draft, Node, pose_of};
use crate::formats::{rig::short, text::stem};
use crate::{JointPose, Place, ReadError, Warnings};
use std::path::Path;

/// Drafts the scene of a file.
pub(super) fn draft(
    document: &Document,
    accessors: &mut Accessors<'_>,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<Draft, ReadError> {
    let parents = parents(document, path)?;
    let nodes = document.nodes.iter().zip(parents).enumerate().map(|(index, (node, parent))| {
        let rest = rest(node, index, warnings);
        Node { name: node.name.clone(), parent, rest, tip: None, moves_atoms: false }
    });
    let mut nodes: Vec<Node> = nodes.collect();
    let mut bindings = Vec::new();
    for (index, skin) in document.skins.iter().enumerate() {
        let binding = binding(index, skin, document, accessors, warnings, path)?;
        for (joint, _) in &binding.joints {
            nodes[*joint].moves_atoms = true;
        }
        bindings.push(binding);
    }
    let name = match &document.asset.extras {
        Extras::Titled { title } if !title.trim().is_empty() => title.trim().to_owned(),
        _ => stem(path),
    };
    Ok(Draft { name, unit_metres: Some(1.0), nodes, bindings })
}

fn parents(document: &Document, path: &Path) -> Result<Vec<Option<usize>>, ReadError> {
    let mut parents = vec![None; document.nodes.len()];
    for (parent, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            let fail = |expected: String, found: String| Err(ReadError::content(path, Place::File, expected, found));
            match parents.get_mut(child) {
                Some(slot @ None) => *slot = Some(parent),
                Some(Some(other)) => {
                    let found = format!("node {other} and node {parent}");
                    return fail(format!("one parent for node {child}"), found);
                }
                None => {
                    let expected = format!("children of node {parent} among the {} nodes", document.nodes.len());
                    return fail(expected, child.to_string());
                }
            }
        }
    }
    Ok(parents)
}

fn rest(node: &json::Node, index: usize, warnings: &mut Warnings) -> JointPose {
    if let Some(columns) = node.matrix {
        let matrix = DAffine3::from_mat4(DMat4::from_cols_array(&columns));
        return pose_of(&matrix, || {
            let message = || format!("the matrix of node {index}, {}, shears, which was dropped", short(&node.name));
            warnings.push(Place::File, message);
        });
    }
    let rotation = node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array);
    let is_rotation = rotation.length_squared() > 1e-12 && rotation.length_squared().is_finite();
    if !is_rotation {
        let message = || format!("the rotation of node {index}, {}, is none; it was dropped", short(&node.name));
        warnings.push(Place::File, message);
    }
    JointPose {
        translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
        rotation: if is_rotation { rotation.normalize() } else { DQuat::IDENTITY },
        scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
    }
}

fn binding(
    index: usize,
    skin: &json::Skin,
    document: &Document,
    accessors: &mut Accessors<'_>,
    warnings: &mut Warnings,
    path: &Path,
) -> Result<Binding, ReadError> {
    if let Some(joint) = skin.joints.iter().find(|&&joint| joint >= document.nodes.len()) {
        let expected = format!("joints of skins[{index}] among the {} nodes", document.nodes.len());
        return Err(ReadError::content(path, Place::File, expected, joint.to_string()));
    }
    let numbers = match skin.inverse_bind_matrices {
        Some(accessor) => accessors.rows(accessor, "MAT4")?,
        None => Vec::new(),
    };
    let mut matrices =
        numbers.as_chunks::<16>().0.iter().map(|columns| DAffine3::from_mat4(DMat4::from_cols_array(columns)));
    if skin.inverse_bind_matrices.is_some() && matrices.len() < skin.joints.len() {
        let (there, joints) = (matrices.len(), skin.joints.len());
        let message =
            || format!("skin {index} has {there} bind matrices for {joints} joints; the others are bound at rest");
        warnings.push(Place::File, message);
    }
    let joints = skin.joints.iter().map(|&joint| (joint, matrices.next())).collect();
    Ok(Binding { name: skin.name.clone(), joints })
}
