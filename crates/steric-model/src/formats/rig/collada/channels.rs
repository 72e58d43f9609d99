//! Channels: which curve moves which numbers of which node.
//!
//! How it works: a target is the id of a node, short ids of nodes below it, and the short id of a transform, then perhaps a
//! member (`.X`, `.ANGLE`) or places in an array, `(column)(row)` in a matrix. Programs that write a matrix for each key do
//! not always name its transform, so sixteen numbers without one stand for all transforms of the node.

use std::ops::Range;
use std::rc::Rc;

use roxmltree::NodeId;
use rustc_hash::FxHashMap;

use super::curve::Curve;
use super::scene::{Scene, SceneNode};
use super::source::Sources;
use super::transform::Kind;
use super::xml::{File, Xml, is};
use crate::ReadError;
use crate::formats::rig::short;

/// A node that appears a thousand times is moved as often by each of its channels.
const MOST_CHANNELS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// All transforms of the node.
    Node,
    /// Some numbers of one of its transforms.
    Numbers { step: usize, numbers: Range<usize> },
}

pub(super) struct Channel {
    pub node: usize,
    pub target: Target,
    pub curve: Rc<Curve>,
    /// Where the channel stands in the file.
    pub at: usize,
}

impl Channel {
    /// The number of the curve that is the angle of a rotation.
    pub(super) fn angle(&self, node: &SceneNode<'_>) -> Option<usize> {
        let Target::Numbers { step, numbers } = &self.target else { return None };
        let turns = node.steps[*step].kind == Kind::Rotate && numbers.contains(&3);
        turns.then(|| 3 - numbers.start)
    }
}

/// The channels of all animations that move nodes of the scene, in file order.
pub(super) fn channels<'a>(
    file: &File<'a>,
    scene: &Scene<'a>,
    sources: &mut Sources,
) -> Result<Vec<Channel>, ReadError> {
    let mut channels = Vec::new();
    let mut curves: FxHashMap<NodeId, Option<Rc<Curve>>> = FxHashMap::default();
    let mut ignored: Vec<&str> = Vec::new();
    let libraries = file.root().children().filter(|&child| is(child, "library_animations"));
    for element in libraries.flat_map(|library| library.descendants()).filter(|&element| is(element, "channel")) {
        let path = element.attribute("target").unwrap_or_default();
        let nodes = nodes(scene, path);
        if nodes.is_empty() {
            ignored.push(path);
            continue;
        }
        let Some(curve) = curve(file, element, sources, &mut curves)? else { continue };
        for node in nodes {
            if channels.len() >= MOST_CHANNELS {
                return Err(file.error(element, format!("at most {MOST_CHANNELS} channels"), "more"));
            }
            match target(&scene.nodes[node], path, curve.width()) {
                Ok(target) => {
                    channels.push(Channel { node, target, curve: Rc::clone(&curve), at: element.range().start });
                }
                Err(None) => ignored.push(path),
                Err(Some(wanted)) => file.warn(element, || {
                    let (path, width) = (short(path), curve.width());
                    format!("{path} has {wanted} numbers and its curve {width}; the channel was left out")
                }),
            }
        }
    }
    if let Some(first) = ignored.first() {
        let message =
            || format!("{} channels move no transform of a node, as {}; ignored", ignored.len(), short(first));
        file.warn(file.root(), message);
    }
    Ok(channels)
}

fn curve<'a>(
    file: &File<'a>,
    channel: Xml<'a>,
    sources: &mut Sources,
    curves: &mut FxHashMap<NodeId, Option<Rc<Curve>>>,
) -> Result<Option<Rc<Curve>>, ReadError> {
    let Some(sampler) = file.follow(channel, "source", "sampler") else {
        file.warn(channel, || "a channel without a sampler was left out".to_owned());
        return Ok(None);
    };
    if let Some(known) = curves.get(&sampler.id()) {
        return Ok(known.clone());
    }
    let curve = Curve::read(file, sampler, sources)?.map(Rc::new);
    curves.insert(sampler.id(), curve.clone());
    Ok(curve)
}

// The nodes that a target means: several where a node appears several times.
fn nodes(scene: &Scene<'_>, path: &str) -> Vec<usize> {
    let mut parts = path.split('/');
    let first = parts.next().unwrap_or_default();
    let mut below: Vec<&str> = parts.collect();
    // The last part is the transform.
    if below.pop().is_none() {
        return Vec::new();
    }
    let descend = |&node: &usize| {
        below.iter().try_fold(node, |node, sid| {
            let tree = &scene.nodes[node].tree;
            scene.with_sid(sid, &(tree.start + 1..tree.end))
        })
    };
    scene.with_id(first).iter().filter_map(descend).collect()
}

// The numbers that a target means; otherwise how many numbers it has where that is wrong.
fn target(node: &SceneNode<'_>, path: &str, width: usize) -> Result<Target, Option<usize>> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let named = |sid: &str| node.steps.iter().position(|step| !sid.is_empty() && step.sid == sid);
    let parts = name.split_once('(').map(|(sid, places)| (sid, Part::Places(places)));
    let parts = parts.or_else(|| name.rsplit_once('.').map(|(sid, member)| (sid, Part::Member(member))));
    if let Some(step) = named(name) {
        let kind = node.steps[step].kind;
        return match width {
            _ if width == kind.width() => Ok(Target::Numbers { step, numbers: 0..width }),
            1 if kind == Kind::Rotate => Ok(Target::Numbers { step, numbers: 3..4 }),
            _ => Err(Some(kind.width())),
        };
    }
    if let Some((step, part)) = parts.and_then(|(sid, part)| Some((named(sid)?, part))) {
        let at = part.index(node.steps[step].kind).ok_or(None)?;
        return if width == 1 { Ok(Target::Numbers { step, numbers: at..at + 1 }) } else { Err(Some(1)) };
    }
    let matrix = node.steps.iter().position(|step| step.kind == Kind::Matrix);
    match matrix.filter(|_| node.steps.len() == 1) {
        Some(step) if width == 16 => Ok(Target::Numbers { step, numbers: 0..16 }),
        None if width == 16 => Ok(Target::Node),
        _ => Err(None),
    }
}

#[derive(Clone, Copy)]
enum Part<'p> {
    Member(&'p str),
    // What follows the first parenthesis.
    Places(&'p str),
}

impl Part<'_> {
    fn index(self, kind: Kind) -> Option<usize> {
        let index = match self {
            Self::Member("X") => 0,
            Self::Member("Y") => 1,
            Self::Member("Z") => 2,
            Self::Member("ANGLE") if kind == Kind::Rotate => 3,
            Self::Member(_) => return None,
            Self::Places(places) => {
                let mut places = places.split(['(', ')']).filter(|place| !place.is_empty());
                let mut place = || places.next().map(|place| place.trim().parse::<usize>().ok());
                match (place()??, place(), kind) {
                    (column, Some(row), Kind::Matrix) => 4 * row?.min(4) + Some(column).filter(|&column| column < 4)?,
                    (index, None, _) => index,
                    _ => return None,
                }
            }
        };
        Some(index).filter(|&index| index < kind.width() && (kind != Kind::Matrix || matches!(self, Self::Places(_))))
    }
}
