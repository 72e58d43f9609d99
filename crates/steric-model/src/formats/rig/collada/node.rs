//! What the file says of a node.
//!
//! How it works: few references can make many copies of a node (`instance_node`), so that all there is to say of it is read, and
//! said in warnings, once, and the copies share it.

use std::rc::Rc;

use glam::{DAffine3, DVec3};
use smol_str::SmolStr;

use super::transform::{Step, product, steps};
use super::xml::{File, Xml, children, is};
use crate::formats::rig::{assemble::pose_of, short};
use crate::formats::text::parse_float;
use crate::{JointPose, ReadError};

/// A node, apart from where it stands in the scene.
pub(super) struct Stated<'a> {
    /// What it is called.
    pub name: SmolStr,
    /// Its id, its short id and its name.
    pub names: [Option<&'a str>; 3],
    pub is_joint: bool,
    pub steps: Vec<Step<'a>>,
    /// The product of its steps.
    pub parent_from_node: DAffine3,
    /// The same, without shear.
    pub rest: JointPose,
    /// Where Blender says that its bone ends: from the head of the bone, along the axes of the armature.
    pub tip_in_armature: Option<DVec3>,
    pub below: Rc<[Below<'a>]>,
}

/// A node below another.
pub(super) struct Below<'a> {
    pub element: Xml<'a>,
    /// The `instance_node` that it comes by.
    pub instance: Option<Xml<'a>>,
}

impl<'a> Stated<'a> {
    /// Reads a node; the controllers that it shows go to their list.
    pub(super) fn read(file: &File<'a>, element: Xml<'a>, controllers: &mut Vec<Xml<'a>>) -> Result<Self, ReadError> {
        let names = ["id", "sid", "name"].map(|name| element.attribute(name));
        let [id, sid, name] = names;
        let name = name.or(id).or(sid).unwrap_or_default();
        let steps = steps(file, element)?;
        let parent_from_node = product(&steps);
        let rest = pose_of(&parent_from_node, || {
            file.warn(element, || format!("the transforms of node {} shear, which was dropped", short(name)));
        });
        Ok(Self {
            name: SmolStr::new(name),
            names,
            is_joint: element.attribute("type") == Some("JOINT"),
            steps,
            parent_from_node,
            rest,
            tip_in_armature: tip_in_armature(element),
            below: below(file, element, controllers),
        })
    }
}

/// The nodes directly below a node or a scene.
pub(super) fn below<'a>(file: &File<'a>, element: Xml<'a>, controllers: &mut Vec<Xml<'a>>) -> Rc<[Below<'a>]> {
    let mut below = Vec::new();
    for child in element.children().filter(Xml::is_element) {
        match child.tag_name().name() {
            "node" => below.push(Below { element: child, instance: None }),
            "instance_node" => match file.follow(child, "url", "node") {
                Some(element) => below.push(Below { element, instance: Some(child) }),
                None => file.warn(child, || {
                    let url = child.attribute("url").unwrap_or_default();
                    format!("there is no node {} in this file; it was left out", short(url))
                }),
            },
            "instance_controller" => controllers.push(child),
            _ => {}
        }
    }
    below.into()
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
