//! The nodes of the visual scene, parents before their children.
//!
//! How it works: the tree of nodes is walked from above with a list of what is open, so that a rope of many joints takes no stack;
//! where a node stands for another (`instance_node`), that one is walked again in its place. Nodes below others of the file
//! cannot run in circles, but references can: then one of them is met below itself. Few references can make many nodes, so their
//! number is limited. What lies below a node is a run of the list, so that searching a skeleton's names takes no walk.

use std::ops::Range;
use std::rc::Rc;

use roxmltree::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::node::{Below, Stated, below};
use super::xml::{File, Xml, child};
use crate::ReadError;
use crate::formats::rig::short;

/// Nodes in all, repeated ones too.
const MOST_NODES: usize = 1 << 18;

pub(super) struct SceneNode<'a> {
    pub stated: Rc<Stated<'a>>,
    pub parent: Option<usize>,
    /// The nodes below this one and itself.
    pub tree: Range<usize>,
}

#[derive(Default)]
pub(super) struct Scene<'a> {
    pub nodes: Vec<SceneNode<'a>>,
    /// The `instance_controller` elements, each once, in the order of the nodes that hold them.
    pub controllers: Vec<Xml<'a>>,
    by_id: Table<'a>,
    by_sid: Table<'a>,
    by_name: Table<'a>,
    // Each node of the file with its lists in the three tables.
    known: FxHashMap<NodeId, Known<'a>>,
}

type Known<'a> = (Rc<Stated<'a>>, [Option<usize>; 3]);

// Lists of nodes by name. Copies of a node find their list without their name, which may be long.
#[derive(Default)]
struct Table<'a> {
    list_of: FxHashMap<&'a str, usize>,
    lists: Vec<Vec<usize>>,
}

impl<'a> Table<'a> {
    fn list(&mut self, name: &'a str) -> usize {
        let list = *self.list_of.entry(name).or_insert(self.lists.len());
        self.lists.resize_with(self.lists.len().max(list + 1), Vec::new);
        list
    }

    fn get(&self, name: &str) -> &[usize] {
        self.list_of.get(name).map_or(&[], |&list| &self.lists[list])
    }
}

// A node whose children are being walked.
struct Open<'a> {
    node: Option<usize>,
    below: Rc<[Below<'a>]>,
    walked: usize,
    // The element, where it stands for an `instance_node`.
    copied: Option<NodeId>,
}

impl<'a> Scene<'a> {
    /// The scene that the file shows; all scenes of the library where it does not choose.
    pub(super) fn read(file: &File<'a>) -> Result<Self, ReadError> {
        let shown = child(file.root(), "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let shown = shown.and_then(|instance| file.follow(instance, "url", "visual_scene"));
        let mut scene = Self::default();
        let all = file.in_libraries("library_visual_scenes", "visual_scene");
        for shown in all.filter(|&visual_scene| shown.is_none_or(|shown| shown == visual_scene)) {
            let roots = below(file, shown, &mut scene.controllers);
            scene.walk(file, roots)?;
        }
        Ok(scene)
    }

    fn walk(&mut self, file: &File<'a>, roots: Rc<[Below<'a>]>) -> Result<(), ReadError> {
        let mut copied = FxHashSet::default();
        let mut open = vec![Open { node: None, below: roots, walked: 0, copied: None }];
        while let Some(last) = open.last_mut() {
            let Some(next) = last.below.get(last.walked) else {
                if let Some(node) = last.node {
                    self.nodes[node].tree.end = self.nodes.len();
                }
                last.copied.map(|element| copied.remove(&element));
                open.pop();
                continue;
            };
            last.walked += 1;
            let copy = next.instance.map(|_| next.element.id());
            if let Some(instance) = next.instance.filter(|_| !copied.insert(next.element.id())) {
                let url = short(instance.attribute("url").unwrap_or_default());
                return Err(file.error(instance, "nodes without circles", format!("instance_node {url} below itself")));
            }
            let (element, parent) = (next.element, last.node);
            let node = self.add(file, element, parent)?;
            let below = Rc::clone(&self.nodes[node].stated.below);
            open.push(Open { node: Some(node), below, walked: 0, copied: copy });
        }
        Ok(())
    }

    fn add(&mut self, file: &File<'a>, element: Xml<'a>, parent: Option<usize>) -> Result<usize, ReadError> {
        let index = self.nodes.len();
        if index >= MOST_NODES {
            return Err(file.error(element, format!("at most {MOST_NODES} nodes"), "more"));
        }
        let (stated, lists) = match self.known.get(&element.id()) {
            Some(known) => known.clone(),
            None => self.meet(file, element)?,
        };
        for (list, table) in lists.into_iter().zip([&mut self.by_id, &mut self.by_sid, &mut self.by_name]) {
            if let Some(list) = list {
                table.lists[list].push(index);
            }
        }
        self.nodes.push(SceneNode { stated, parent, tree: index..index + 1 });
        Ok(index)
    }

    fn meet(&mut self, file: &File<'a>, element: Xml<'a>) -> Result<Known<'a>, ReadError> {
        let stated = Rc::new(Stated::read(file, element, &mut self.controllers)?);
        let [id, sid, name] = stated.names;
        let lists = [
            id.map(|id| self.by_id.list(id)),
            sid.map(|sid| self.by_sid.list(sid)),
            name.map(|name| self.by_name.list(name)),
        ];
        self.known.insert(element.id(), (Rc::clone(&stated), lists));
        Ok((stated, lists))
    }

    /// All nodes with this id: several where a node appears several times.
    pub(super) fn with_id(&self, id: &str) -> &[usize] {
        self.by_id.get(id.trim().trim_start_matches('#'))
    }

    /// All nodes with this short id.
    pub(super) fn with_sid(&self, sid: &str) -> &[usize] {
        self.by_sid.get(sid)
    }

    /// The joint that a skin calls so: by short id below its skeleton or by id, then by whatever else fits.
    pub(super) fn joint(&self, name: &str, is_id: bool, skeletons: &[Range<usize>]) -> Option<usize> {
        let everywhere = 0..self.nodes.len();
        let below = |table: &Table<'a>| {
            let known = table.get(name);
            let mut trees = skeletons.iter().chain([&everywhere]);
            trees.find_map(|tree| first_in(known, tree))
        };
        let [first, second] = if is_id { [&self.by_id, &self.by_sid] } else { [&self.by_sid, &self.by_id] };
        below(first).or_else(|| below(second)).or_else(|| below(&self.by_name))
    }
}

/// The first of some nodes in a run of nodes. Their indices rise, because nodes are numbered as they are met.
pub(super) fn first_in(known: &[usize], tree: &Range<usize>) -> Option<usize> {
    let at = known.partition_point(|&node| node < tree.start);
    known.get(at).copied().filter(|node| tree.contains(node))
}
