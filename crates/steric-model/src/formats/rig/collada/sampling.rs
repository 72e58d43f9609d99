//! From curves of single numbers to the poses of a joint.
//!
//! How it works: the curves of a node are looked at together at the [`times`] that suit all of them. The transforms at each time
//! make a matrix, the matrix a pose, and poses are joined by lines; transforms that no curve moves are multiplied once. A step
//! among curves that do not step becomes a line of a microsecond. A matrix that is flat, because a scale is zero, tells no
//! rotation; the nearest time that does tells it.

use glam::{DAffine3, DQuat, DVec3};
use rustc_hash::FxHashMap;

use super::channels::{Channel, Target};
use super::node::Stated;
use super::times::{Budget, times};
use super::transform::Step;
use super::xml::affine;
use crate::{Curve, JointPose, Keys, Track};

/// A node whose curves are looked at.
pub(super) struct Moved<'s, 'a> {
    pub joint: u32,
    pub node: &'s Stated<'a>,
    pub channels: Vec<&'s Channel>,
}

impl Moved<'_, '_> {
    /// The tracks of the joint, from the beginning of the window if there is one; None if that is beyond the budget.
    pub(super) fn tracks(&self, window: Option<(f64, f64)>, budget: &mut Budget) -> Option<Vec<Track>> {
        let mut times = times(self.node, &self.channels, window, budget)?;
        budget.visit(self.node.steps.len())?;
        budget.looks = budget.looks.checked_sub(times.len().checked_mul(self.channels.len())?)?;
        budget.keys = budget.keys.checked_sub(times.len())?;
        let poses = self.poses(&times);
        let start = window.map_or(0.0, |(start, _)| start);
        times.iter_mut().for_each(|time| *time -= start);
        let is_stepped = self.channels.iter().all(|channel| channel.curve.is_stepped);
        Some(self.tracks_of(times, &poses, if is_stepped { Curve::Step } else { Curve::Linear }))
    }

    fn poses(&self, times: &[f64]) -> Vec<JointPose> {
        let mut stack = Stack::new(self.node, &self.channels);
        let looks: Vec<(JointPose, bool)> =
            times.iter().map(|&time| JointPose::of_matrix(&stack.at(time, &self.channels))).collect();
        let sound: Vec<usize> = (0..looks.len()).filter(|&at| looks[at].1).collect();
        let mut poses: Vec<JointPose> = Vec::with_capacity(looks.len());
        for (at, &(mut pose, is_sound)) in looks.iter().enumerate() {
            if !is_sound {
                pose.rotation = nearest(&sound, times, at).map_or(self.node.rest.rotation, |at| looks[at].0.rotation);
            }
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
            let rest = property(&self.node.rest);
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

// The nearest in time of some of the times, which rise.
fn nearest(some: &[usize], times: &[f64], to: usize) -> Option<usize> {
    let behind = some.partition_point(|&at| at < to);
    let candidates = [behind.checked_sub(1), Some(behind)].into_iter().flatten().filter_map(|at| some.get(at)).copied();
    let distance = |at: usize| (times[at] - times[to]).abs();
    candidates.min_by(|&left, &right| distance(left).total_cmp(&distance(right)))
}

// The transforms of a node from above: products of those that stay, and those that curves move.
struct Stack<'a> {
    parts: Vec<Part<'a>>,
    part_of: FxHashMap<usize, usize>,
}

enum Part<'a> {
    Fixed(DAffine3),
    Moved(Step<'a>),
}

impl<'a> Stack<'a> {
    fn new(node: &Stated<'a>, channels: &[&Channel]) -> Self {
        let moved = channels.iter().filter_map(|channel| match &channel.target {
            Target::Numbers { step, .. } => Some((*step, 0)),
            Target::Node => None,
        });
        let (mut parts, mut part_of): (Vec<Part<'a>>, FxHashMap<usize, usize>) = (Vec::new(), moved.collect());
        for (index, step) in node.steps.iter().enumerate() {
            if let Some(part) = part_of.get_mut(&index) {
                *part = parts.len();
                parts.push(Part::Moved(*step));
            } else if let Some(Part::Fixed(product)) = parts.last_mut() {
                *product *= step.matrix();
            } else {
                parts.push(Part::Fixed(step.matrix()));
            }
        }
        Self { parts, part_of }
    }

    // `parent_from_joint` at a time.
    fn at(&mut self, time: f64, channels: &[&Channel]) -> DAffine3 {
        let mut whole = None;
        for channel in channels {
            match &channel.target {
                Target::Node => channel.curve.put(time, whole.get_or_insert([0.0; 16])),
                Target::Numbers { step, numbers } => {
                    if let Some(Part::Moved(step)) = self.part_of.get(step).and_then(|&part| self.parts.get_mut(part)) {
                        channel.curve.put(time, &mut step.numbers[numbers.clone()]);
                    }
                }
            }
        }
        whole.as_ref().map_or_else(|| self.product(), affine)
    }

    fn product(&self) -> DAffine3 {
        self.parts.iter().fold(DAffine3::IDENTITY, |product, part| match part {
            Part::Fixed(matrix) => product * *matrix,
            Part::Moved(step) => product * step.matrix(),
        })
    }
}
