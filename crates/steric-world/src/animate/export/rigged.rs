//! Atoms on the joints of their rig.
//!
//! How it works: each joint is a node, also those that only carry others, and a skin lists the ones that move atoms. A joint that was bound flat
//! has no inverse and leaves its atoms where they are, so they hang on one more node that never moves. Clips keep their keys; what glTF
//! does not allow is mended: times below 0, two tracks of one property, of which the last holds, and rotations that are not of unit length.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DAffine3, DQuat, DVec3};
use steric_model::{Clip, Curve, Joint, JointPose, Keys, Skeleton, Track};

use super::figure::{Animation, Channel, Figure, Node, Shares, check_size, file_times};
use super::{Balls, ExportError};
use crate::animate::puppet::Puppet;
use crate::animate::weights::{Hung, INFLUENCES};

pub(super) fn figure(puppet: &Puppet, balls: Balls<'_>, path: &Path) -> Result<Figure, ExportError> {
    let rig = puppet.rig();
    let numbers = rig.clips.iter().flat_map(|clip| &clip.tracks).map(|track| 5 * track.keys.len() as u64).sum();
    check_size(&balls, rig.skeleton.joints.len(), numbers, path)?;
    let odd = |what: String| ExportError::NotFinite { file: path.to_path_buf(), what };
    let mut nodes = Vec::with_capacity(rig.skeleton.joints.len() + 1);
    for joint in &rig.skeleton.joints {
        nodes.push(node(joint).ok_or_else(|| odd(format!("joint {:?}", joint.name.as_str())))?);
    }
    let (bound, slots) = bind(&rig.skeleton, &mut nodes);
    let mut animations = Vec::new();
    for clip in &rig.clips {
        animations.extend(animation(clip, slots.len()).map_err(|()| odd(format!("clip {:?}", clip.name.as_str())))?);
    }
    let hung = balls.super_atoms.map_or(puppet.hung(), |level| &level.hung);
    let shares = (0..hung.len()).map(|point| shares(hung, point, &slots)).collect();
    let Balls { spheres, colours, .. } = balls;
    Ok(Figure { name: puppet.structure().name.clone(), nodes, bound, animations, spheres, colours, shares })
}

/// `None` where 32 bits do not hold it.
fn node(joint: &Joint) -> Option<Node> {
    let JointPose { translation, rotation, scale } = joint.rest;
    let is_finite = translation.as_vec3().is_finite() && scale.as_vec3().is_finite();
    let rest = JointPose { translation, rotation: unit(rotation), scale };
    is_finite.then(|| Node { name: joint.name.to_string(), parent: joint.parent, rest })
}

/// The list of the skin, and for each joint its place in it.
fn bind(skeleton: &Skeleton, nodes: &mut Vec<Node>) -> (Vec<(u32, DAffine3)>, Vec<u16>) {
    let mut bound = Vec::new();
    let mut slots = vec![None; skeleton.joints.len()];
    for (index, joint) in skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.moves_atoms) {
        let joint_from_world = joint.bind.inverse();
        if joint_from_world.to_cols_array().iter().all(|&number| (number as f32).is_finite()) {
            slots[index] = Some(bound.len() as u16);
            bound.push((index as u32, joint_from_world));
        }
    }
    let still = bound.len() as u16;
    if skeleton.joints.iter().zip(&slots).any(|(joint, slot)| joint.moves_atoms && slot.is_none()) {
        bound.push((nodes.len() as u32, DAffine3::IDENTITY));
        nodes.push(Node { name: "still".to_owned(), parent: None, rest: JointPose::IDENTITY });
    }
    (bound, slots.into_iter().map(|slot| slot.unwrap_or(still)).collect())
}

// Each place once, and places without weight 0, as validators want it.
fn shares(hung: &Hung, point: usize, slots: &[u16]) -> Shares {
    let mut merged: BTreeMap<u16, f64> = BTreeMap::new();
    for (joint, weight) in hung.of(point) {
        *merged.entry(slots[usize::from(joint)]).or_default() += f64::from(weight);
    }
    let sum: f64 = merged.values().sum();
    let mut shares = [(0, 0.0); INFLUENCES];
    for (share, (slot, weight)) in shares.iter_mut().zip(merged) {
        *share = (slot, (weight / sum) as f32);
    }
    shares
}

/// `None` where nothing moves, an error where a number does not fit into 32 bits.
fn animation(clip: &Clip, joints: usize) -> Result<Option<Animation>, ()> {
    let tracks = tracks(clip, joints);
    let start = tracks.iter().map(|track| track.times[0]).fold(0.0, f64::min);
    let mut times: Vec<Vec<f32>> = Vec::new();
    let mut channels = Vec::with_capacity(tracks.len());
    for track in tracks {
        let own = file_times(&track.times, start);
        // The tracks of a joint, and often all tracks, have the same times.
        if times.last() != Some(&own) {
            times.push(own);
        }
        channels.push(channel(track, times.len() - 1));
    }
    let numbers = times.iter().chain(channels.iter().map(|channel| &channel.values)).flatten();
    match numbers.copied().all(f32::is_finite) {
        true => Ok((!channels.is_empty()).then(|| Animation { name: clip.name.to_string(), times, channels })),
        false => Err(()),
    }
}

/// The tracks that hold: sound, of a joint that is there, and the last of its kind.
fn tracks(clip: &Clip, joints: usize) -> Vec<&Track> {
    let holds = |track: &Track| track.is_sound() && (track.joint as usize) < joints;
    let sound: Vec<&Track> = clip.tracks.iter().filter(|track| holds(track)).collect();
    let last: BTreeMap<(u32, &str), usize> =
        sound.iter().enumerate().map(|(number, track)| ((track.joint, property(&track.keys)), number)).collect();
    let is_last = |number: usize, track: &Track| last.get(&(track.joint, property(&track.keys))) == Some(&number);
    sound.iter().enumerate().filter(|(number, track)| is_last(*number, track)).map(|(_, track)| *track).collect()
}

fn property(keys: &Keys) -> &'static str {
    match keys {
        Keys::Translation(_) => "translation",
        Keys::Rotation(_) => "rotation",
        Keys::Scale(_) => "scale",
    }
}

fn channel(track: &Track, times: usize) -> Channel {
    if let Some(held) = held(track) {
        return channel(&held, times);
    }
    let vector = |value: &DVec3| value.as_vec3().to_array();
    let values = match &track.keys {
        Keys::Translation(values) | Keys::Scale(values) => values.iter().flat_map(vector).collect(),
        Keys::Rotation(values) => {
            // Of the three values of a cubic key the middle one is the rotation.
            let is_tangent = |number: usize| track.curve == Curve::Cubic && number % 3 != 1;
            let value = |(number, value): (usize, &DQuat)| if is_tangent(number) { *value } else { unit(*value) };
            values.iter().enumerate().map(value).flat_map(|value| value.as_quat().to_array()).collect()
        }
    };
    let interpolation = match track.curve {
        Curve::Step => "STEP",
        Curve::Linear => "LINEAR",
        Curve::Cubic => "CUBICSPLINE",
    };
    Channel { node: track.joint, path: property(&track.keys), interpolation, times, values }
}

/// A cubic curve needs two keys in glTF; of a single one its value is held.
fn held(track: &Track) -> Option<Track> {
    if track.curve != Curve::Cubic || track.times.len() != 1 {
        return None;
    }
    let keys = match &track.keys {
        Keys::Translation(values) => Keys::Translation(vec![values[1]]),
        Keys::Rotation(values) => Keys::Rotation(vec![values[1]]),
        Keys::Scale(values) => Keys::Scale(vec![values[1]]),
    };
    Some(Track { curve: Curve::Step, keys, ..track.clone() })
}

fn unit(rotation: DQuat) -> DQuat {
    if rotation.length_squared() > 1e-12 { rotation.normalize() } else { DQuat::IDENTITY }
}
