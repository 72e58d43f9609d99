//! Skins: which nodes a controller binds to a mesh, and where they were then.
//!
//! How it works: a controller lists joints by short ids, which are looked for below the skeletons that its instance names, and
//! the inverse of where each was. The `bind_shape_matrix` places the mesh among the bound joints; joints do not move by it, so
//! it is passed over with the mesh.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use std::ops::Range;

use super::scene::Scene;
use super::source::{Sources, input, names};
use super::xml::{File, Xml, affine, child, children};
use crate::ReadError;
use crate::formats::rig::{assemble::Binding, short};

/// Skins upon skins and morphs upon skins.
const MOST_CONTROLLERS: usize = 16;

/// The skins in the order of their instances, then those without an instance.
pub(super) fn bindings<'a>(
    file: &File<'a>,
    scene: &Scene<'a>,
    sources: &mut Sources,
) -> Result<Vec<Binding>, ReadError> {
    let mut bindings = Vec::new();
    let (mut used, mut seen) = (FxHashSet::default(), FxHashSet::default());
    for &instance in &scene.controllers {
        let Some(controller) = skin_controller(file, instance) else {
            file.warn(instance, || "the controller of this instance is no skin; it was left out".to_owned());
            continue;
        };
        used.insert(controller.id());
        // A node that appears many times brings its instance as often.
        if seen.insert(instance.id()) {
            let skeletons = skeletons(file, scene, instance);
            bindings.extend(binding(file, scene, sources, controller, &skeletons)?);
        }
    }
    for controller in file.in_libraries("library_controllers", "controller") {
        if !used.contains(&controller.id()) && child(controller, "skin").is_some() {
            bindings.extend(binding(file, scene, sources, controller, &[])?);
        }
    }
    Ok(bindings)
}

// The controller of an instance, through the morphs that stand before it.
fn skin_controller<'a>(file: &File<'a>, instance: Xml<'a>) -> Option<Xml<'a>> {
    let mut controller = file.follow(instance, "url", "controller")?;
    for _ in 0..MOST_CONTROLLERS {
        if child(controller, "skin").is_some() {
            return Some(controller);
        }
        controller = file.follow(child(controller, "morph")?, "source", "controller")?;
    }
    None
}

fn skeletons<'a>(file: &File<'a>, scene: &Scene<'a>, instance: Xml<'a>) -> Vec<Range<usize>> {
    let mut trees = Vec::new();
    for skeleton in children(instance, "skeleton") {
        let id = skeleton.text().unwrap_or_default().trim();
        match scene.with_id(id).first() {
            Some(&node) => trees.push(scene.nodes[node].tree.clone()),
            None => file.warn(skeleton, || format!("there is no node {} to look for joints below", short(id))),
        }
    }
    trees
}

fn binding<'a>(
    file: &File<'a>,
    scene: &Scene<'a>,
    sources: &mut Sources,
    controller: Xml<'a>,
    skeletons: &[Range<usize>],
) -> Result<Option<Binding>, ReadError> {
    let Some(joints) = child(controller, "skin").and_then(|skin| child(skin, "joints")) else {
        file.warn(controller, || "a skin without <joints> was left out".to_owned());
        return Ok(None);
    };
    let (joint_names, is_id) = input(file, joints, "JOINT").map(|source| names(file, source)).unwrap_or_default();
    let matrices = match input(file, joints, "INV_BIND_MATRIX") {
        Some(source) => Some(sources.numbers(file, source, 16)?),
        None => None,
    };
    let mut bound = Vec::new();
    for (index, name) in joint_names.iter().enumerate() {
        let row = matrices.as_ref().and_then(|table| table.row(index));
        let joint_from_skin = row.and_then(|row| row.try_into().ok()).map(affine);
        match scene.joint(name, is_id, skeletons) {
            Some(node) => bound.push((node, joint_from_skin)),
            None => file.warn(joints, || format!("there is no node for joint {}; it was left out", short(name))),
        }
    }
    if bound.is_empty() {
        file.warn(controller, || "a skin without joints was left out".to_owned());
        return Ok(None);
    }
    let name = controller.attribute("name").or_else(|| controller.attribute("id")).unwrap_or_default();
    Ok(Some(Binding { name: SmolStr::new(name), joints: bound }))
}
