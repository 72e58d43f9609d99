//! Residues or chains, each on a joint of its own whose poses are sampled.
//!
//! How it works: the frame of a group has the group's centre in the middle, and so has its joint. Between two samples viewers go along a line and an
//! arc. The times of the clip's keys and of its corrections are among the samples, so both hold there; where a track jumps there is a
//! sample right before. A property that stays where it was bound has no track, one that stays elsewhere has a single key.

use std::path::Path;

use glam::{DAffine3, DVec3};
use steric_model::{Curve, JointPose, Pose, Structure};

use super::figure::{Animation, Channel, Figure, Node, Shares, check_size, file_times};
use super::{Balls, ExportError, GlbExport};
use crate::animate::level::{Groups, Level};
use crate::animate::puppet::Puppet;

/// What moves less never moves: angstroms, and parts of a quaternion.
const STILL: [f32; 2] = [1e-4, 1e-6];
/// Samples nearer to a key than this, in seconds, are left out.
const SAME_TIME: f64 = 1e-4;

pub(super) fn figure(
    puppet: &Puppet,
    groups: &Groups,
    options: &GlbExport<'_>,
    balls: Balls<'_>,
    path: &Path,
) -> Result<Figure, ExportError> {
    let times = times(puppet, options);
    check_size(&balls, groups.len(), 7 * groups.len() as u64 * times.len() as u64, path)?;
    let channels = channels(puppet, groups, options, &times);
    if let Some(odd) = channels.iter().find(|channel| !channel.values.iter().all(|value| value.is_finite())) {
        let what = format!("the motion of {} {}", options.level.name(), odd.node + 1);
        return Err(ExportError::NotFinite { file: path.to_path_buf(), what });
    }
    let at = |centre: &DVec3| DAffine3::from_translation(-*centre);
    let share = |group: u32| -> Shares { [(group as u16, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)] };
    Ok(Figure {
        name: puppet.structure().name.clone(),
        nodes: nodes(puppet.structure(), groups, options.level),
        bound: (0..).zip(groups.centres.iter().map(at)).collect(),
        animations: animation(puppet, options.clip, &times, channels).into_iter().collect(),
        shares: balls.groups(groups).into_iter().map(share).collect(),
        spheres: balls.spheres,
        colours: balls.colours,
    })
}

fn nodes(structure: &Structure, groups: &Groups, level: Level) -> Vec<Node> {
    let node = |(group, &centre): (usize, &DVec3)| Node {
        name: name(structure, groups.members(group), level, group),
        parent: None,
        rest: JointPose::at(centre),
    };
    groups.centres.iter().enumerate().map(node).collect()
}

/// Such as `A 12 ALA`, or `A` for a chain.
fn name(structure: &Structure, members: &[u32], level: Level, group: usize) -> String {
    let Some(&atom) = members.first() else { return String::new() };
    let residue = &structure.residues[structure.atoms.residues[atom as usize] as usize];
    let chain = &structure.chains[residue.chain as usize];
    let chain = if chain.name.is_empty() { chain.label.as_str() } else { chain.name.as_str() };
    let name = match level {
        Level::Chain => chain.to_owned(),
        _ => {
            let insertion = Some(char::from(residue.insertion)).filter(char::is_ascii_graphic);
            let number = format!("{}{}", residue.number, insertion.map(String::from).unwrap_or_default());
            [chain, &number, residue.name.as_str()].join(" ").trim().to_owned()
        }
    };
    if name.is_empty() { format!("{} {}", level.name(), group + 1) } else { name }
}

/// When poses are sampled, in seconds of the clip.
fn times(puppet: &Puppet, options: &GlbExport<'_>) -> Vec<f64> {
    let keys = puppet.key_times(options.clip);
    let (start, end) = (start(&keys), puppet.duration(options.clip));
    let step = (end - start) / options.frames.saturating_sub(1).max(1) as f64;
    let even = (0..options.frames).map(|frame| start + step * frame as f64);
    let is_near_key = |time: f64| keys.iter().any(|key| (key - time).abs() < SAME_TIME);
    let corrections = puppet.corrections_at(&options.moment(start)).map_or(&[][..], |own| &own.times);
    let mut times: Vec<f64> = even.filter(|&time| !is_near_key(time)).collect();
    times.extend(jumps(puppet, options.clip, start));
    times.extend(corrections.iter().filter(|&&time| (start..=end).contains(&time)));
    times.extend(&keys);
    times.sort_by(f64::total_cmp);
    // Of two times that are one in the file the later, which is after the jump if there is one.
    times.dedup_by(|next, kept| {
        let is_same = (*next - start) as f32 == (*kept - start) as f32;
        *kept = if is_same { *next } else { *kept };
        is_same
    });
    times
}

/// Files begin at 0 s, clips may begin before.
fn start(keys: &[f64]) -> f64 {
    keys.first().map_or(0.0, |first| first.min(0.0))
}

/// Right before each jump: the last time that the file can tell from it.
fn jumps(puppet: &Puppet, clip: usize, start: f64) -> Vec<f64> {
    let has_frames = puppet.key_frames().is_some();
    let tracks = puppet.clip(clip).filter(|_| !has_frames).map_or(&[][..], |clip| &clip.tracks);
    let steps = tracks.iter().filter(|track| track.curve == Curve::Step).flat_map(|track| &track.times);
    let before = |&time: &f64| f64::from(((time - start) as f32).next_down()) + start;
    steps.map(before).filter(|&time| time > start).collect()
}

/// The tracks of all groups that move. The first list of times is that of all samples, the second holds the first of them.
fn channels(puppet: &Puppet, groups: &Groups, options: &GlbExport<'_>, times: &[f64]) -> Vec<Channel> {
    let mut samples: Vec<[Vec<f32>; 2]> =
        groups.centres.iter().map(|_| [3, 4].map(|width| Vec::with_capacity(width * times.len()))).collect();
    for &time in times {
        for (samples, pose) in samples.iter_mut().zip(puppet.group_poses(&options.moment(time)).unwrap_or_default()) {
            push(samples, &pose);
        }
    }
    let mut channels = Vec::new();
    for ((node, samples), centre) in (0..).zip(samples).zip(&groups.centres) {
        let rest: [&[f32]; 2] = [&centre.as_vec3().to_array(), &[0.0, 0.0, 0.0, 1.0]];
        for (part, values) in samples.into_iter().enumerate() {
            let path = ["translation", "rotation"][part];
            channels.extend(channel(node, path, values, rest[part], STILL[part]));
        }
    }
    channels
}

/// Appends a pose, its quaternion on the side of the one before, so that programs that blend numbers go the short way.
fn push([translations, rotations]: &mut [Vec<f32>; 2], pose: &Pose) {
    translations.extend(pose.translation.as_vec3().to_array());
    let rotation = pose.rotation.normalize().as_quat().to_array();
    let last = rotations.last_chunk::<4>().copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let dot: f32 = rotation.iter().zip(last).map(|(a, b)| a * b).sum();
    rotations.extend(rotation.map(|number| if dot < 0.0 { -number } else { number }));
}

fn channel(node: u32, path: &'static str, mut values: Vec<f32>, rest: &[f32], still: f32) -> Option<Channel> {
    let stays = |values: &[f32], place: &[f32]| {
        values.chunks_exact(place.len()).all(|value| value.iter().zip(place).all(|(a, b)| (a - b).abs() <= still))
    };
    if stays(&values, rest) {
        return None;
    }
    let stays_elsewhere = stays(&values, &values[..rest.len()]);
    if stays_elsewhere {
        values.truncate(rest.len());
    }
    Some(Channel { node, path, interpolation: "LINEAR", times: usize::from(stays_elsewhere), values })
}

fn animation(puppet: &Puppet, clip: usize, times: &[f64], mut channels: Vec<Channel>) -> Option<Animation> {
    if channels.is_empty() {
        return None;
    }
    let name = match puppet.key_frames() {
        Some(_) => "frames",
        None => puppet.clip(clip).map_or("", |clip| clip.name.as_str()),
    };
    let all = file_times(times, start(times));
    let lists = [all.clone(), all.into_iter().take(1).collect()].into_iter().enumerate();
    // A list that no track uses is not written.
    let is_used = |list: usize| channels.iter().any(|channel| channel.times == list);
    let times: Vec<Vec<f32>> = lists.filter(|(list, _)| is_used(*list)).map(|(_, times)| times).collect();
    channels.iter_mut().for_each(|channel| channel.times = channel.times.min(times.len() - 1));
    Some(Animation { name: name.to_owned(), times, channels })
}
