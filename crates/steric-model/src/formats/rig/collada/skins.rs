//! Skins: which nodes a controller binds to a mesh, and where they were then.
//!
//! How it works: a controller lists joints by short ids, which are looked for below the skeletons that its instance names, and
//! the inverse of where each was. The `bind_shape_matrix` places the mesh among the bound joints; joints do not move by it, so
//! it is passed over with the mesh. Instances of one controller on the same skeletons are one skin, and there is a most for the
//! joints of all skins, because many may share one list of names.

use std::ops::Range;

use roxmltree::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::scene::Scene;
use super::source::{Sources, input, names};
use super::xml::{File, Xml, affine, child, children};
use crate::ReadError;
use crate::formats::rig::{assemble::Binding, short};

/// Skins upon skins and morphs upon skins.
const MOST_CONTROLLERS: usize = 16;
/// Joints of all skins, each counted once for each skeleton that it is looked for in.
const MOST_JOINTS: usize = 1 << 20;

/// The skins in the order of their instances, then those without an instance.
pub(super) fn bindings<'a>(
    file: &File<'a>,
    scene: &Scene<'a>,
    sources: &mut Sources,
) -> Result<Vec<Binding>, ReadError> {
    let mut reader =
        Reader { file, scene, sources, names: FxHashMap::default(), joints_left: MOST_JOINTS, bindings: Vec::new() };
    let mut seen: FxHashSet<(NodeId, Vec<Range<usize>>)> = FxHashSet::default();
    for &instance in &scene.controllers {
        let Some(controller) = skin_controller(file, instance) else {
            file.warn(instance, || "the controller of this instance is no skin; it was left out".to_owned());
            continue;
        };
        let skeletons = skeletons(file, scene, instance);
        if seen.insert((controller.id(), skeletons.clone())) {
            reader.bind(controller, &skeletons)?;
        }
    }
    let used: FxHashSet<NodeId> = seen.into_iter().map(|(controller, _)| controller).collect();
    for controller in file.in_libraries("library_controllers", "controller") {
        if !used.contains(&controller.id()) && child(controller, "skin").is_some() {
            reader.bind(controller, &[])?;
        }
    }
    Ok(reader.bindings)
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

// The nodes below each skeleton of an instance, each once.
fn skeletons<'a>(file: &File<'a>, scene: &Scene<'a>, instance: Xml<'a>) -> Vec<Range<usize>> {
    let (mut trees, mut seen) = (Vec::new(), FxHashSet::default());
    for skeleton in children(instance, "skeleton") {
        let id = skeleton.text().unwrap_or_default().trim();
        match scene.with_id(id).first() {
            Some(&node) if seen.insert(node) => trees.push(scene.nodes[node].tree.clone()),
            Some(_) => {}
            None => file.warn(skeleton, || format!("there is no node {} to look for joints below", short(id))),
        }
    }
    trees
}

struct Reader<'r, 'a> {
    file: &'r File<'a>,
    scene: &'r Scene<'a>,
    sources: &'r mut Sources,
    // The names of controllers, which their skins share.
    names: FxHashMap<NodeId, SmolStr>,
    joints_left: usize,
    bindings: Vec<Binding>,
}

impl<'a> Reader<'_, 'a> {
    fn bind(&mut self, controller: Xml<'a>, skeletons: &[Range<usize>]) -> Result<(), ReadError> {
        let Some(joints) = child(controller, "skin").and_then(|skin| child(skin, "joints")) else {
            self.file.warn(controller, || "a skin without <joints> was left out".to_owned());
            return Ok(());
        };
        let joints = self.joints(controller, joints, skeletons)?;
        if joints.is_empty() {
            self.file.warn(controller, || "a skin without joints was left out".to_owned());
            return Ok(());
        }
        let name = self.names.entry(controller.id()).or_insert_with(|| {
            SmolStr::new(controller.attribute("name").or_else(|| controller.attribute("id")).unwrap_or_default())
        });
        self.bindings.push(Binding { name: name.clone(), joints });
        Ok(())
    }

    fn joints(
        &mut self,
        controller: Xml<'a>,
        joints: Xml<'a>,
        skeletons: &[Range<usize>],
    ) -> Result<Vec<(usize, Option<glam::DAffine3>)>, ReadError> {
        let Some(joint_names) = input(self.file, joints, "JOINT") else { return Ok(Vec::new()) };
        let (joint_names, is_id) = names(self.file, joint_names);
        let matrices = match input(self.file, joints, "INV_BIND_MATRIX") {
            Some(source) => Some(self.sources.numbers(self.file, source, 16)?),
            None => None,
        };
        let (mut bound, mut seen) = (Vec::new(), FxHashSet::default());
        for (index, name) in joint_names.enumerate() {
            let left = self.joints_left.checked_sub(skeletons.len().max(1));
            self.joints_left = left.ok_or_else(|| {
                self.file.error(controller, format!("at most {MOST_JOINTS} joints of skins"), "more, by shared names")
            })?;
            let row = matrices.as_ref().and_then(|table| table.row(index));
            let joint_from_skin = row.and_then(|row| row.try_into().ok()).map(affine);
            let warn = |what: &str| self.file.warn(joints, || format!("{what} {}; it was left out", short(name)));
            match self.scene.joint(name, is_id, skeletons) {
                Some(node) if seen.insert(node) => bound.push((node, joint_from_skin)),
                Some(_) => warn("a skin names the same node again, as joint"),
                None => warn("there is no node for joint"),
            }
        }
        Ok(bound)
    }
}
