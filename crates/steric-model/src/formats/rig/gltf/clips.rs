//! The animations of a glTF file, each a clip.
//!
//! How it works: a channel joins a property of a node to a sampler, and a sampler joins times to values. Channels of nodes that
//! are no joints are passed over, as are the weights of morphing meshes. A channel may also point at its property by a path in the
//! JSON (`KHR_animation_pointer`).

use glam::{DQuat, DVec3};
use std::path::Path;

use super::accessor::Accessors;
use super::json::{Animation, Channel, Document, Sampler};
use crate::formats::rig::short;
use crate::{Clip, Curve, Keys, Place, ReadError, Track, Warnings};

#[derive(Clone, Copy)]
enum Property {
    Translation,
    Rotation,
    Scale,
}

/// The nodes that channels move, in file order.
pub(super) fn moved_nodes(document: &Document) -> impl Iterator<Item = usize> {
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    let moved = channels.filter_map(|channel| aim(channel).ok());
    moved.filter_map(|(node, _)| node).filter(|&node| node < document.nodes.len())
}

// The node and the property that a channel moves; otherwise what it moves.
fn aim(channel: &Channel) -> Result<(Option<usize>, Property), &str> {
    let (path, pointer) = (channel.target.path.as_str(), &channel.target.extensions.pointer);
    if let ("pointer", Some(pointer)) = (path, pointer) {
        let in_nodes = pointer.pointer.strip_prefix("/nodes/").and_then(|rest| rest.split_once('/'));
        let node = in_nodes.and_then(|(node, property)| Some((Some(node.parse().ok()?), property_of(property)?)));
        return node.ok_or(pointer.pointer.as_str());
    }
    property_of(path).map(|property| (channel.target.node, property)).ok_or(path)
}

fn property_of(path: &str) -> Option<Property> {
    match path {
        "translation" => Some(Property::Translation),
        "rotation" => Some(Property::Rotation),
        "scale" => Some(Property::Scale),
        _ => None,
    }
}

/// Reads the clips; `joint_of` tells the joint of each node.
pub(super) fn clips(
    document: &Document,
    accessors: &mut Accessors<'_>,
    joint_of: &[Option<u32>],
    warnings: &mut Warnings,
    path: &Path,
) -> Result<Vec<Clip>, ReadError> {
    let mut reader = Reader { accessors, joint_of, warnings, others: 0, first_other: None, path };
    let mut clips = Vec::new();
    for (index, animation) in document.animations.iter().enumerate() {
        let tracks = reader.tracks(index, animation)?;
        if tracks.is_empty() {
            let name = short(&animation.name);
            reader.warnings.push(Place::File, || format!("clip {index}, {name}, moves no joint; it was left out"));
        } else {
            clips.push(Clip::new(animation.name.clone(), tracks));
        }
    }
    if let Some(first) = reader.first_other {
        let (count, first) = (reader.others, short(first));
        let message =
            || format!("{count} channels of morphing meshes and the like were ignored, as {first}: they move no joint");
        reader.warnings.push(Place::File, message);
    }
    Ok(clips)
}

struct Reader<'r, 'a> {
    accessors: &'r mut Accessors<'a>,
    joint_of: &'r [Option<u32>],
    warnings: &'r mut Warnings,
    // Channels that move other things than nodes, and what the first of them moves.
    others: usize,
    first_other: Option<&'r str>,
    path: &'r Path,
}

impl<'r> Reader<'r, '_> {
    fn tracks(&mut self, clip: usize, animation: &'r Animation) -> Result<Vec<Track>, ReadError> {
        let mut tracks = Vec::new();
        for (index, channel) in animation.channels.iter().enumerate() {
            let (node, property) = match aim(channel) {
                Ok((Some(node), property)) => (node, property),
                Ok((None, _)) => continue,
                Err(other) => {
                    self.others += 1;
                    self.first_other.get_or_insert(other);
                    continue;
                }
            };
            let joint = self.joint_of.get(node).ok_or_else(|| {
                let expected =
                    format!("one of the {} nodes in animations[{clip}].channels[{index}]", self.joint_of.len());
                ReadError::content(self.path, Place::File, expected, node.to_string())
            })?;
            let (Some(joint), sampler) = (*joint, channel.sampler) else { continue };
            let sampler = animation.samplers.get(sampler).ok_or_else(|| {
                let expected =
                    format!("the number of one of the {} samplers of animations[{clip}]", animation.samplers.len());
                ReadError::content(self.path, Place::File, expected, sampler.to_string())
            })?;
            tracks.extend(self.track(clip, joint, property, sampler)?);
        }
        Ok(tracks)
    }

    // None where there are no keys.
    fn track(
        &mut self,
        clip: usize,
        joint: u32,
        property: Property,
        sampler: &Sampler,
    ) -> Result<Option<Track>, ReadError> {
        let curve = self.curve(clip, sampler);
        let shape = if matches!(property, Property::Rotation) { "VEC4" } else { "VEC3" };
        let times = self.accessors.rows(sampler.input, "SCALAR")?;
        let numbers = self.accessors.rows(sampler.output, shape)?;
        let mut keys = match property {
            Property::Translation => Keys::Translation(vectors(&numbers)),
            Property::Scale => Keys::Scale(vectors(&numbers)),
            Property::Rotation => {
                Keys::Rotation(numbers.as_chunks().0.iter().copied().map(DQuat::from_array).collect())
            }
        };
        let wanted = times.len().saturating_mul(curve.values_per_key());
        if keys.len() < wanted {
            let expected = format!("{wanted} values for {} keys in animations[{clip}]", times.len());
            return Err(ReadError::content(self.path, Place::File, expected, keys.len().to_string()));
        }
        if keys.len() > wanted {
            let extra = keys.len() - wanted;
            self.warnings.push(Place::File, || format!("clip {clip}: {extra} values without a key were ignored"));
            select(&mut keys, 0..wanted);
        }
        let track = self.in_order(clip, Track { joint, times, curve, keys });
        Ok(Some(track).filter(|track| !track.times.is_empty()))
    }

    fn curve(&mut self, clip: usize, sampler: &Sampler) -> Curve {
        match sampler.interpolation.as_deref() {
            Some("STEP") => Curve::Step,
            Some("CUBICSPLINE") => Curve::Cubic,
            None | Some("LINEAR") => Curve::Linear,
            Some(other) => {
                let other = short(other);
                let message = || format!("clip {clip}: the interpolation {other} is not known; taken as LINEAR");
                self.warnings.push(Place::File, message);
                Curve::Linear
            }
        }
    }

    // Keys by rising times; of keys at the same time the last one holds.
    fn in_order(&mut self, clip: usize, mut track: Track) -> Track {
        if track.times.windows(2).all(|pair| pair[0] < pair[1]) {
            return track;
        }
        self.warnings
            .push(Place::File, || format!("clip {clip}: the times of a track do not rise; its keys were sorted"));
        let times = &track.times;
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&left, &right| times[left].total_cmp(&times[right]));
        let is_last = |at: usize| order.get(at + 1).is_none_or(|&next| times[next] > times[order[at]]);
        let order: Vec<usize> = (0..order.len()).filter(|&at| is_last(at)).map(|at| order[at]).collect();
        let values = track.curve.values_per_key();
        select(&mut track.keys, order.iter().flat_map(|key| key * values..(key + 1) * values));
        track.times = order.iter().map(|&key| track.times[key]).collect();
        track
    }
}

fn vectors(numbers: &[f64]) -> Vec<DVec3> {
    numbers.as_chunks().0.iter().copied().map(DVec3::from_array).collect()
}

// Keeps these values, in this order.
fn select(keys: &mut Keys, order: impl Iterator<Item = usize>) {
    match keys {
        Keys::Translation(values) | Keys::Scale(values) => *values = order.map(|index| values[index]).collect(),
        Keys::Rotation(values) => *values = order.map(|index| values[index]).collect(),
    }
}
