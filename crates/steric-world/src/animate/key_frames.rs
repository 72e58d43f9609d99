//! A trajectory as key frames: no skeleton, but the places of all atoms at certain times.

use glam::Vec3;
use serde::{Deserialize, Serialize};
use steric_model::{Pose, Structure, Turning};

use super::level::Groups;

/// Places of all atoms at rising times.
///
/// ```
/// use glam::Vec3;
/// use steric_world::animate::KeyFrames;
///
/// let frames = KeyFrames::new(vec![0.0, 1.0], vec![vec![Vec3::ZERO], vec![Vec3::X]])?;
/// assert_eq!(frames.atoms(0.25), [Vec3::X * 0.25]);
/// assert!(KeyFrames::new(vec![0.0, 1.0], vec![vec![Vec3::ZERO], vec![]]).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyFrames {
    /// In seconds of the animation.
    pub times: Vec<f64>,
    /// In angstroms, in the order of the structure's atoms.
    pub frames: Vec<Vec<Vec3>>,
}

impl KeyFrames {
    /// Frames that fit together: as many places in each, finite, at rising times.
    pub fn new(times: Vec<f64>, frames: Vec<Vec<Vec3>>) -> Result<Self, String> {
        if frames.is_empty() || times.len() != frames.len() {
            return Err(format!("expected a time for each of at least one frame, found {} times", times.len()));
        }
        if !times.windows(2).all(|pair| pair[0] < pair[1]) || !times.iter().all(|time| time.is_finite()) {
            return Err("expected times of frames that rise, found others".to_owned());
        }
        let atoms = frames[0].len();
        for (number, frame) in frames.iter().enumerate() {
            if frame.len() != atoms {
                let found = frame.len();
                return Err(format!(
                    "frame {}: expected {atoms} atoms as in the first frame, found {found}",
                    number + 1
                ));
            }
            if !frame.iter().all(|place| place.is_finite()) {
                return Err(format!("frame {}: expected finite places, found others", number + 1));
            }
        }
        Ok(Self { times, frames })
    }

    /// The models of a structure as frames, so many a second; `None` if there is only one, an error if their atoms differ in number.
    pub fn of_models(structure: &Structure, per_second: f64) -> Option<Result<Self, String>> {
        (structure.models.len() > 1).then(|| {
            let frame = |model: &steric_model::Model| {
                structure.atoms.positions[model.atoms.start as usize..model.atoms.end as usize].to_vec()
            };
            let times = (0..structure.models.len()).map(|number| number as f64 / per_second).collect();
            Self::new(times, structure.models.iter().map(frame).collect())
        })
    }

    /// The time of the last frame.
    pub fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Every atom on the straight line between two frames.
    pub fn atoms(&self, time: f64) -> Vec<Vec3> {
        let (before, after, share) = self.around(time);
        let pairs = self.frames[before].iter().zip(&self.frames[after]);
        pairs.map(|(a, b)| a.lerp(*b, share as f32)).collect()
    }

    /// Every group rigid, between the poses that fit it best in two frames.
    pub fn poses(&self, groups: &Groups, rest: &[Vec3], time: f64, turning: Turning) -> Vec<Pose> {
        let (before, after, share) = self.around(time);
        let start = groups.fitted(rest, &self.frames[before]);
        if share == 0.0 {
            return start;
        }
        let end = groups.fitted(rest, &self.frames[after]);
        let between = |(a, b): (&Pose, &Pose)| Pose {
            rotation: turning.between(a.rotation, b.rotation, share),
            translation: a.translation.lerp(b.translation, share),
        };
        start.iter().zip(&end).map(between).collect()
    }

    fn around(&self, time: f64) -> (usize, usize, f64) {
        let last = self.times.len() - 1;
        let after = self.times.partition_point(|&key| key <= time).min(last);
        let before = after.saturating_sub(1);
        let length = self.times[after] - self.times[before];
        let share = if length > 0.0 { ((time - self.times[before]) / length).clamp(0.0, 1.0) } else { 0.0 };
        (before, after, share)
    }
}
