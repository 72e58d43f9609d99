//! Clips: how the joints of a skeleton move in time.
//!
//! How it works: a track holds the keys of one property of one joint, and a curve says what is between two keys. The tangents of cubic
//! curves stand with their keys, as in glTF: incoming tangent, value, outgoing tangent.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::JointPose;

/// What is between two keys.
///
/// ```
/// assert_eq!(steric_model::Curve::Cubic.values_per_key(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Curve {
    /// The value of the key before.
    Step,
    /// A straight line; for rotations the way of a [`Turning`].
    #[default]
    Linear,
    /// Hermite's cubic with the tangents that stand with each key.
    Cubic,
}

impl Curve {
    /// How many values stand in a track for each key.
    pub fn values_per_key(self) -> usize {
        if self == Self::Cubic { 3 } else { 1 }
    }
}

/// How a rotation goes from one key to the next.
///
/// ```
/// use glam::DQuat;
/// use steric_model::Turning;
///
/// let (start, end) = (DQuat::IDENTITY, DQuat::from_rotation_z(2.0));
/// let angle = |turning: Turning| turning.between(start, end, 0.25).to_axis_angle().1;
/// assert!((angle(Turning::Slerp) - 0.5).abs() < 1e-9, "at constant speed");
/// assert!((angle(Turning::Lerp) - 0.5).abs() > 1e-2, "along the chord, which is slower at the ends");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turning {
    /// Along the arc, at constant speed.
    #[default]
    Slerp,
    /// Along the chord, put back to unit length: cheaper, the same rotations at slightly other times.
    Lerp,
}

impl Turning {
    /// The rotation at a share from 0 to 1 of the way, the shorter way around.
    pub fn between(self, start: DQuat, end: DQuat, share: f64) -> DQuat {
        match self {
            Self::Slerp => start.slerp(end, share),
            Self::Lerp => start.lerp(end, share),
        }
    }
}

/// The keys of one property, in time order; [`Curve::values_per_key`] values each.
///
/// ```
/// use steric_model::Keys;
/// use glam::DVec3;
///
/// assert_eq!(Keys::Translation(vec![DVec3::ZERO, DVec3::X]).len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Keys {
    /// Translations in the unit of the skeleton.
    Translation(Vec<DVec3>),
    /// Rotations; tangents among them are no unit quaternions.
    Rotation(Vec<DQuat>),
    /// Scales along the joint's own axes.
    Scale(Vec<DVec3>),
}

impl Keys {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Translation(values) | Self::Scale(values) => values.len(),
            Self::Rotation(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How one property of one joint moves.
///
/// ```
/// use glam::DVec3;
/// use steric_model::{Curve, JointPose, Keys, Track, Turning};
///
/// let keys = Keys::Translation(vec![DVec3::ZERO, DVec3::X]);
/// let track = Track { joint: 0, times: vec![0.0, 2.0], curve: Curve::Linear, keys };
/// let mut pose = JointPose::IDENTITY;
/// track.apply(0.5, Turning::Slerp, &mut pose);
/// assert_eq!(pose.translation.x, 0.25);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Index of the joint.
    pub joint: u32,
    /// The times of the keys in seconds, rising.
    pub times: Vec<f64>,
    /// What is between two keys.
    pub curve: Curve,
    /// The values at the keys.
    pub keys: Keys,
}

impl Track {
    /// Puts the property to its value at a time in seconds; before the first and after the last key the value of that key.
    pub fn apply(&self, time: f64, turning: Turning, pose: &mut JointPose) {
        let Some(span) = self.span(time) else { return };
        match &self.keys {
            Keys::Translation(values) => pose.translation = self.vector(values, span),
            Keys::Scale(values) => pose.scale = self.vector(values, span),
            Keys::Rotation(values) => pose.rotation = self.rotation(values, span, turning),
        }
    }

    /// Whether there is a value for every key and times rise.
    pub fn is_sound(&self) -> bool {
        let rising = self.times.windows(2).all(|pair| pair[0] < pair[1]);
        let finite = match &self.keys {
            Keys::Translation(values) | Keys::Scale(values) => values.iter().all(|value| value.is_finite()),
            Keys::Rotation(values) => values.iter().all(|value| value.is_finite()),
        };
        rising
            && finite
            && !self.times.is_empty()
            && self.times.iter().all(|time| time.is_finite())
            && self.keys.len() == self.times.len() * self.curve.values_per_key()
    }

    // The key before, the share of the way to the next, and how long that way is in seconds.
    fn span(&self, time: f64) -> Option<(usize, f64, f64)> {
        let after = self.times.partition_point(|&key| key <= time);
        let last = self.times.len().checked_sub(1)?;
        if after == 0 || after > last {
            return Some((if after == 0 { 0 } else { last }, 0.0, 0.0));
        }
        let length = self.times[after] - self.times[after - 1];
        Some((after - 1, (time - self.times[after - 1]) / length, length))
    }

    fn vector(&self, values: &[DVec3], (key, share, length): (usize, f64, f64)) -> DVec3 {
        match self.curve {
            Curve::Cubic => hermite(key, share, length, |index| values[index], |a, scale| a * scale, |a, b| a + b),
            Curve::Linear if share > 0.0 => values[key].lerp(values[key + 1], share),
            _ => values[key],
        }
    }

    fn rotation(&self, values: &[DQuat], (key, share, length): (usize, f64, f64), turning: Turning) -> DQuat {
        let rotation = match self.curve {
            Curve::Cubic => hermite(key, share, length, |index| values[index], |a, scale| a * scale, |a, b| a + b),
            Curve::Linear if share > 0.0 => turning.between(unit(values[key]), unit(values[key + 1]), share),
            _ => values[key],
        };
        unit(rotation)
    }
}

fn unit(rotation: DQuat) -> DQuat {
    if rotation.length_squared() > 1e-12 { rotation.normalize() } else { DQuat::IDENTITY }
}

// glTF 2.0, appendix C: three values for each key.
fn hermite<T>(
    key: usize,
    t: f64,
    length: f64,
    value: impl Fn(usize) -> T,
    times: impl Fn(T, f64) -> T,
    plus: impl Fn(T, T) -> T,
) -> T {
    if t <= 0.0 {
        return value(3 * key + 1);
    }
    let (squared, cubed) = (t * t, t * t * t);
    let start = times(value(3 * key + 1), 2.0 * cubed - 3.0 * squared + 1.0);
    let leaving = times(value(3 * key + 2), length * (cubed - 2.0 * squared + t));
    let end = times(value(3 * key + 4), 3.0 * squared - 2.0 * cubed);
    let arriving = times(value(3 * key + 3), length * (cubed - squared));
    plus(plus(start, leaving), plus(end, arriving))
}

/// A piece of animation.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::{Clip, Curve, Joint, JointPose, Keys, Skeleton, Track, Turning};
///
/// let skeleton = Skeleton::new(vec![Joint::new("arm", None, JointPose::IDENTITY)]);
/// let keys = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.0)]);
/// let wave = Clip::new("wave", vec![Track { joint: 0, times: vec![0.0, 2.0], curve: Curve::Linear, keys }]);
/// assert_eq!((wave.duration, wave.key_times()), (2.0, vec![0.0, 2.0]));
/// let half_way = wave.poses(&skeleton, 1.0, Turning::Slerp);
/// assert!(half_way[0].rotation.angle_between(DQuat::from_rotation_z(0.5)) < 1e-6);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Its name; may be empty.
    pub name: SmolStr,
    /// The time of its last key, in seconds.
    pub duration: f64,
    /// What moves.
    pub tracks: Vec<Track>,
}

impl Clip {
    /// A clip of these tracks, as long as the longest.
    pub fn new(name: impl Into<SmolStr>, tracks: Vec<Track>) -> Self {
        let last = tracks.iter().filter_map(|track| track.times.last()).copied();
        Self { name: name.into(), duration: last.fold(0.0, f64::max), tracks }
    }

    /// The pose of every joint at a time in seconds; joints without a track rest.
    pub fn poses(&self, skeleton: &crate::Skeleton, time: f64, turning: Turning) -> Vec<JointPose> {
        let mut poses = skeleton.rest();
        for track in &self.tracks {
            if let Some(pose) = poses.get_mut(track.joint as usize) {
                track.apply(time, turning, pose);
            }
        }
        poses
    }

    /// The times of all keys of all tracks, in seconds, rising, each once.
    pub fn key_times(&self) -> Vec<f64> {
        let mut times: Vec<f64> = self.tracks.iter().flat_map(|track| track.times.iter().copied()).collect();
        times.sort_by(f64::total_cmp);
        // Times of two tracks that a file rounded differently are one key.
        times.dedup_by(|next, kept| *next - *kept < 1e-4);
        times
    }
}
