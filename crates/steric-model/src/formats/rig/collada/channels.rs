//! Channels: which curve moves which numbers of which node.
//!
//! How it works: a target is the id of a node, short ids of nodes below it, and the short id of a transform, then perhaps a
//! member (`.X`, `.ANGLE`) or places in an array, `(column)(row)` in a matrix. Programs that write a matrix for each key do
//! not always name its transform, so sixteen numbers without one stand for all transforms of the node. Whatever else a channel
//! moves (whether a node is visible, a light) need not be numbers, so that its curve is not read.

use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::curve::{Curve, Curves};
use super::node::Stated;
use super::scene::{Scene, first_in};
use super::source::{Sources, input, width};
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
    pub(super) fn angle(&self, node: &Stated<'_>) -> Option<usize> {
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
    let curves = Curves::new(file);
    let mut reader = Reader { file, scene, sources, curves, tries_left: MOST_CHANNELS, channels: Vec::new() };
    let (mut ignored, mut first_ignored) = (0_usize, "");
    let libraries = file.root().children().filter(|&child| is(child, "library_animations"));
    for element in libraries.flat_map(|library| library.descendants()).filter(|&element| is(element, "channel")) {
        let path = element.attribute("target").unwrap_or_default();
        if !reader.read(element, path)? {
            ignored += 1;
            first_ignored = if ignored == 1 { path } else { first_ignored };
        }
    }
    if ignored > 0 {
        let message =
            || format!("{ignored} channels move no transform of a node, as {}; ignored", short(first_ignored));
        file.warn(file.root(), message);
    }
    Ok(reader.channels)
}

struct Reader<'r, 'a> {
    file: &'r File<'a>,
    scene: &'r Scene<'a>,
    sources: &'r mut Sources,
    curves: Curves,
    // Nodes that may still be looked for, whether a channel moves them or not.
    tries_left: usize,
    channels: Vec<Channel>,
}

impl<'a> Reader<'_, 'a> {
    // Whether the channel moves a transform of a node, be it with a curve or not.
    fn read(&mut self, element: Xml<'a>, path: &str) -> Result<bool, ReadError> {
        let nodes = self.nodes(element, path)?;
        let sampler = self.file.follow_near(element, "source", "sampler");
        let has_matrices = || {
            let output = sampler.and_then(|sampler| input(self.file, sampler, "OUTPUT"));
            output.and_then(|output| width(self.file, output)) == Some(16)
        };
        // Copies of a node have the same transforms.
        let mut known: FxHashMap<*const Stated<'a>, Option<Place>> = FxHashMap::default();
        let places = nodes.into_iter().filter_map(|node| {
            let stated = &self.scene.nodes[node].stated;
            let place = *known.entry(Rc::as_ptr(stated)).or_insert_with(|| place(stated, path));
            Some((node, place?))
        });
        let mut places: Vec<(usize, Place)> = places.collect();
        if places.iter().any(|(_, place)| *place == Place::Unnamed) && !has_matrices() {
            places.retain(|(_, place)| *place != Place::Unnamed);
        }
        if places.is_empty() {
            return Ok(false);
        }
        let Some(sampler) = sampler else {
            self.file.warn(element, || "a channel without a sampler was left out".to_owned());
            return Ok(true);
        };
        let Some(curve) = self.curves.of(self.file, sampler, self.sources)? else { return Ok(true) };
        for (node, place) in places {
            match place.target(&self.scene.nodes[node].stated, curve.width()) {
                Ok(target) => {
                    let (curve, at) = (Rc::clone(&curve), element.range().start);
                    self.channels.push(Channel { node, target, curve, at });
                }
                Err(wanted) => self.file.warn(element, || {
                    let (path, width) = (short(path), curve.width());
                    format!("{path} has {wanted} numbers and its curve {width}; the channel was left out")
                }),
            }
        }
        Ok(true)
    }

    // The nodes that a target means: several where a node appears several times.
    fn nodes(&mut self, element: Xml<'a>, path: &str) -> Result<Vec<usize>, ReadError> {
        let mut parts = path.split('/');
        let first = self.scene.with_id(parts.next().unwrap_or_default());
        let mut below: Vec<&str> = parts.collect();
        // The last part is the transform.
        if below.pop().is_none() {
            return Ok(Vec::new());
        }
        let tries = first.len().saturating_mul(1 + below.len());
        self.tries_left = self.tries_left.checked_sub(tries).ok_or_else(|| {
            self.file.error(element, format!("at most {MOST_CHANNELS} channels"), "more, by nodes that appear often")
        })?;
        let below: Vec<&[usize]> = below.into_iter().map(|sid| self.scene.with_sid(sid)).collect();
        let descend = |&node: &usize| {
            below.iter().try_fold(node, |node, named| {
                let tree = &self.scene.nodes[node].tree;
                first_in(named, &(tree.start + 1..tree.end))
            })
        };
        Ok(first.iter().filter_map(descend).collect())
    }
}

// What a target names in a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    // A transform.
    Step(usize),
    // A number of a transform.
    Number(usize, usize),
    // No transform that the node has, which matrices need not.
    Unnamed,
}

fn place(node: &Stated<'_>, path: &str) -> Option<Place> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let named = |sid: &str| node.steps.iter().position(|step| !sid.is_empty() && step.sid == sid);
    if let Some(step) = named(name) {
        return Some(Place::Step(step));
    }
    let parts = name.split_once('(').map(|(sid, places)| (sid, Part::Places(places)));
    let parts = parts.or_else(|| name.rsplit_once('.').map(|(sid, member)| (sid, Part::Member(member))));
    match parts.and_then(|(sid, part)| Some((named(sid)?, part))) {
        Some((step, part)) => Some(Place::Number(step, part.index(node.steps[step].kind)?)),
        None => Some(Place::Unnamed),
    }
}

impl Place {
    // The numbers for a curve of some width; otherwise how many numbers there are.
    fn target(self, node: &Stated<'_>, width: usize) -> Result<Target, usize> {
        match self {
            Self::Step(step) => match (node.steps[step].kind, width) {
                (kind, _) if width == kind.width() => Ok(Target::Numbers { step, numbers: 0..width }),
                (Kind::Rotate, 1) => Ok(Target::Numbers { step, numbers: 3..4 }),
                (kind, _) => Err(kind.width()),
            },
            Self::Number(step, at) if width == 1 => Ok(Target::Numbers { step, numbers: at..at + 1 }),
            Self::Number(..) => Err(1),
            Self::Unnamed if width != 16 => Err(16),
            Self::Unnamed => Ok(match &node.steps[..] {
                [only] if only.kind == Kind::Matrix => Target::Numbers { step: 0, numbers: 0..16 },
                _ => Target::Node,
            }),
        }
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
