//! The nodes of the visual scene, parents before their children.
//!
//! How it works: the tree of nodes is walked from above; where a node stands for another (`instance_node`), that one is walked
//! again in its place. Nodes below others of the file cannot run in circles, but references can, and few of them can make
//! many nodes: depth and number are limited. What lies below a node is a run of the list, so that searching a skeleton's
//! names takes no walk.

use std::ops::Range;
use std::rc::Rc;

use glam::{DAffine3, DVec3};
use rustc_hash::FxHashMap;

use super::transform::{Stacks, Step, product};
use super::xml::{File, Xml, child, children, is};
use crate::ReadError;
use crate::formats::{rig::short, text::parse_float};

/// Nodes below nodes.
const MOST_DEPTH: usize = 256;
/// Nodes in all, repeated ones too.
const MOST_NODES: usize = 1 << 18;

pub(super) struct SceneNode<'a> {
    pub element: Xml<'a>,
    pub parent: Option<usize>,
    pub steps: Rc<[Step<'a>]>,
    pub is_joint: bool,
    /// The nodes below this one and itself.
    pub tree: Range<usize>,
}

#[derive(Default)]
pub(super) struct Scene<'a> {
    pub nodes: Vec<SceneNode<'a>>,
    /// The `instance_controller` elements, in the order of the nodes that hold them.
    pub controllers: Vec<Xml<'a>>,
    by_id: FxHashMap<&'a str, Vec<usize>>,
    by_sid: FxHashMap<&'a str, Vec<usize>>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
    stacks: Stacks<'a>,
}

impl<'a> Scene<'a> {
    /// The scene that the file shows; all scenes of the library where it does not choose.
    pub(super) fn read(file: &File<'a>) -> Result<Self, ReadError> {
        let shown = child(file.root(), "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let shown = shown.and_then(|instance| file.follow(instance, "url", "visual_scene"));
        let mut scene = Self::default();
        let all = file.in_libraries("library_visual_scenes", "visual_scene");
        for shown in all.filter(|&visual_scene| shown.is_none_or(|shown| shown == visual_scene)) {
            scene.walk_children(file, shown, None, 0)?;
        }
        Ok(scene)
    }

    fn walk_children(
        &mut self,
        file: &File<'a>,
        element: Xml<'a>,
        parent: Option<usize>,
        depth: usize,
    ) -> Result<(), ReadError> {
        if depth > MOST_DEPTH {
            let expected = format!("at most {MOST_DEPTH} nodes below each other");
            return Err(file.error(element, expected, "more, or a circle of instance_node"));
        }
        for child in element.children().filter(Xml::is_element) {
            match child.tag_name().name() {
                "node" => self.walk(file, child, parent, depth)?,
                "instance_node" => match file.follow(child, "url", "node") {
                    Some(node) => self.walk(file, node, parent, depth)?,
                    None => file.warn(child, || {
                        let url = child.attribute("url").unwrap_or_default();
                        format!("there is no node {} in this file; it was left out", short(url))
                    }),
                },
                "instance_controller" => self.controllers.push(child),
                _ => {}
            }
        }
        Ok(())
    }

    fn walk(
        &mut self,
        file: &File<'a>,
        element: Xml<'a>,
        parent: Option<usize>,
        depth: usize,
    ) -> Result<(), ReadError> {
        let index = self.nodes.len();
        if index >= MOST_NODES {
            return Err(file.error(element, format!("at most {MOST_NODES} nodes"), "more"));
        }
        let steps = self.stacks.of(file, element)?;
        let is_joint = element.attribute("type") == Some("JOINT");
        self.nodes.push(SceneNode { element, parent, steps, is_joint, tree: index..index + 1 });
        let tables = [("id", &mut self.by_id), ("sid", &mut self.by_sid), ("name", &mut self.by_name)];
        for (attribute, table) in tables {
            if let Some(value) = element.attribute(attribute) {
                table.entry(value).or_default().push(index);
            }
        }
        self.walk_children(file, element, Some(index), depth + 1)?;
        self.nodes[index].tree.end = self.nodes.len();
        Ok(())
    }

    /// All nodes with this id: several where a node appears several times.
    pub(super) fn with_id(&self, id: &str) -> &[usize] {
        self.by_id.get(id.trim().trim_start_matches('#')).map_or(&[], Vec::as_slice)
    }

    /// The first node of this short id in a run of nodes.
    pub(super) fn with_sid(&self, sid: &str, tree: &Range<usize>) -> Option<usize> {
        first_in(self.by_sid.get(sid)?, tree)
    }

    /// The joint that a skin calls so: by short id below its skeleton or by id, then by whatever else fits.
    pub(super) fn joint(&self, name: &str, is_id: bool, skeletons: &[Range<usize>]) -> Option<usize> {
        let everywhere = 0..self.nodes.len();
        let below = |table: &FxHashMap<&str, Vec<usize>>| {
            let known = table.get(name)?;
            let mut trees = skeletons.iter().chain([&everywhere]);
            trees.find_map(|tree| first_in(known, tree))
        };
        let [first, second] = if is_id { [&self.by_id, &self.by_sid] } else { [&self.by_sid, &self.by_id] };
        below(first).or_else(|| below(second)).or_else(|| below(&self.by_name))
    }

    /// Where Blender says that a bone ends, in the frame of its joint. Blender counts from the head of the bone, along the axes
    /// of the armature, which is the first node above that is no joint.
    pub(super) fn tip(&self, index: usize) -> Option<DVec3> {
        let tip_in_armature = tip_in_armature(self.nodes[index].element)?;
        let mut armature_from_joint = DAffine3::IDENTITY;
        let mut next = Some(index);
        while let Some(node) = next.map(|node| &self.nodes[node]).filter(|node| node.is_joint) {
            armature_from_joint = product(&node.steps) * armature_from_joint;
            next = node.parent;
        }
        let tip = armature_from_joint.inverse().transform_vector3(tip_in_armature);
        Some(tip).filter(|tip| tip.is_finite() && *tip != DVec3::ZERO)
    }
}

// Indices rise, because nodes are numbered as they are met.
fn first_in(known: &[usize], tree: &Range<usize>) -> Option<usize> {
    let at = known.partition_point(|&node| node < tree.start);
    known.get(at).copied().filter(|node| tree.contains(node))
}

// Blender up to 2.7 writes `<tip_x>`, later versions give it a sid and a type. A bone with children that are connected to its end
// has none of them.
fn tip_in_armature(node: Xml<'_>) -> Option<DVec3> {
    let extras = children(node, "extra").flat_map(|extra| children(extra, "technique"));
    let technique = extras.into_iter().find(|technique| technique.attribute("profile") == Some("blender"))?;
    let axis = |name| {
        let element = technique.children().find(|&element| is(element, name))?;
        parse_float(element.text()?.as_bytes())
    };
    Some(DVec3::new(axis("tip_x")?, axis("tip_y")?, axis("tip_z")?))
}
