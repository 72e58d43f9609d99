//! From curves of single numbers to the poses of a joint.
//!
//! How it works: the curves of a node are looked at together at the times of all their keys, and 30 times a second where a
//! straight line from key to key would not follow them: along cubics and along angles, which may go around more than once. The
//! transforms at each time make a matrix, the matrix a pose, and poses are joined by lines. A step among curves that do not
//! step becomes a line of a microsecond.

use super::channels::{Channel, Target};
use super::curve::Between;
use super::scene::SceneNode;
use super::transform::{Step, product};
use super::xml::affine;
use crate::{Curve, JointPose, Keys, Track};
use glam::{DQuat, DVec3};

/// How often curves are looked at between keys, in a second.
const RATE: f64 = 30.0;
/// Degrees that a joint turns at most from one look to the next.
const MOST_DEGREES: f64 = 45.0;
/// Looks between two keys: two minutes.
const MOST_BETWEEN: f64 = 3600.0;
/// The length of a step, in seconds.
const STEP: f64 = 1e-6;

/// What may be spent on one file, whatever its curves ask for.
pub(super) struct Budget {
    /// Curves looked at, once for each time: seconds of work.
    pub looks: usize,
    /// Keys of joints, about a hundred bytes each: the walk of a hundred joints for twenty minutes.
    pub keys: usize,
    /// Times between keys; when they are spent, the keys alone are used.
    pub between: usize,
    pub is_coarse: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { looks: 1 << 26, keys: 1 << 22, between: 1 << 20, is_coarse: false }
    }
}

/// A node whose curves are looked at.
pub(super) struct Moved<'s, 'a> {
    pub joint: u32,
    pub node: &'s SceneNode<'a>,
    pub rest: &'s JointPose,
    pub channels: Vec<&'s Channel>,
}

impl Moved<'_, '_> {
    /// The tracks of the joint, from the beginning of the window if there is one; None if that is beyond the budget.
    pub(super) fn tracks(&self, window: Option<(f64, f64)>, budget: &mut Budget) -> Option<Vec<Track>> {
        let steps = |channel: &&Channel| channel.curve.keys.iter().all(|key| key.between == Between::Step);
        let is_stepped = self.channels.iter().all(steps);
        let start = window.map_or(0.0, |(start, _)| start);
        let mut times = self.times(is_stepped, budget)?;
        if let Some((start, end)) = window {
            times.retain(|&time| time > start && time < end);
            times.extend([start, end]);
        }
        times.sort_by(f64::total_cmp);
        times.dedup_by(|next, kept| *next - start <= *kept - start);
        budget.looks = budget.looks.checked_sub(times.len().checked_mul(self.channels.len())?)?;
        budget.keys = budget.keys.checked_sub(times.len())?;
        let poses = self.poses(&times);
        times.iter_mut().for_each(|time| *time -= start);
        let curve = if is_stepped { Curve::Step } else { Curve::Linear };
        Some(self.tracks_of(times, &poses, curve))
    }

    fn times(&self, is_stepped: bool, budget: &mut Budget) -> Option<Vec<f64>> {
        let mut times = Vec::new();
        for channel in &self.channels {
            let keys = &channel.curve.keys;
            budget.looks = budget.looks.checked_sub(keys.len())?;
            times.extend(keys.iter().map(|key| key.time));
            if is_stepped {
                continue;
            }
            let angle = channel.angle(self.node);
            for (index, pair) in keys.windows(2).enumerate() {
                let length = pair[1].time - pair[0].time;
                let turn = angle.map(|at| channel.curve.value(index + 1, at) - channel.curve.value(index, at));
                let parts = match (pair[0].between, turn) {
                    (Between::Step, _) => {
                        times.push(pair[1].time - STEP.min(0.5 * length));
                        continue;
                    }
                    (Between::Linear, None) => continue,
                    (_, turn) => (length * RATE).max(turn.unwrap_or(0.0).abs() / MOST_DEGREES).ceil(),
                };
                let parts = parts.clamp(1.0, MOST_BETWEEN) as usize;
                match budget.between.checked_sub(parts - 1) {
                    Some(left) => budget.between = left,
                    None => {
                        budget.is_coarse = true;
                        continue;
                    }
                }
                times.extend((1..parts).map(|part| pair[0].time + length * (part as f64 / parts as f64)));
            }
        }
        Some(times)
    }

    fn poses(&self, times: &[f64]) -> Vec<JointPose> {
        let mut steps: Vec<Step<'_>> = self.node.steps.to_vec();
        let mut poses: Vec<JointPose> = Vec::with_capacity(times.len());
        for &time in times {
            let mut whole = None;
            for channel in &self.channels {
                match &channel.target {
                    Target::Node => channel.curve.put(time, whole.get_or_insert([0.0; 16])),
                    Target::Numbers { step, numbers } => {
                        channel.curve.put(time, &mut steps[*step].numbers[numbers.clone()]);
                    }
                }
            }
            let matrix = whole.as_ref().map_or_else(|| product(&steps), affine);
            let mut pose = JointPose::from_matrix(&matrix);
            // A quaternion and its opposite are one rotation; neighbours are kept on one side.
            if poses.last().is_some_and(|last| last.rotation.dot(pose.rotation) < 0.0) {
                pose.rotation = -pose.rotation;
            }
            poses.push(pose);
        }
        poses
    }

    // Rotations always, translations and scales where they leave the joint's rest.
    fn tracks_of(&self, times: Vec<f64>, poses: &[JointPose], curve: Curve) -> Vec<Track> {
        let leaves = |property: fn(&JointPose) -> DVec3| {
            let rest = property(self.rest);
            poses.iter().any(|pose| !property(pose).abs_diff_eq(rest, 1e-9 * (1.0 + rest.abs().max_element())))
        };
        let track = |times: Vec<f64>, keys| Track { joint: self.joint, times, curve, keys };
        let mut tracks = Vec::new();
        if leaves(|pose| pose.translation) {
            let keys = poses.iter().map(|pose| pose.translation).collect();
            tracks.push(track(times.clone(), Keys::Translation(keys)));
        }
        if leaves(|pose| pose.scale) {
            let keys = poses.iter().map(|pose| pose.scale).collect();
            tracks.push(track(times.clone(), Keys::Scale(keys)));
        }
        let rotations: Vec<DQuat> = poses.iter().map(|pose| pose.rotation).collect();
        tracks.push(track(times, Keys::Rotation(rotations)));
        tracks
    }
}
