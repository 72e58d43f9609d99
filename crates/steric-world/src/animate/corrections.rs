//! Corrections that hold atoms apart where a motion presses them into each other.
//!
//! How it works: on a time line that is finer than the keys every group (or atom) has a small shift and, if it is rigid, a small turn. Between two
//! times of that line they are interpolated. They are stored as whole numbers of 1/1024 Å and 1/8192 radian, and are measured as stored.

use glam::{DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};
use steric_model::Pose;

use super::level::Level;
use super::puppet::Manner;

/// Overlaps at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Pairs of atoms of different residues, more than four bonds apart, that overlap by more than is allowed.
    pub pairs: u64,
    /// The deepest overlap of such a pair, in angstroms; 0 if none overlaps.
    pub deepest: f32,
}

/// What corrections did at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Corrected {
    /// In seconds.
    pub time: f64,
    /// Without corrections.
    pub before: Tally,
    /// With them.
    pub after: Tally,
    /// How often pushes were shared out.
    pub iterations: u32,
    /// The farthest that any atom was moved, in angstroms.
    pub farthest: f32,
}

/// Corrections for one clip that is played in one manner.
///
/// ```
/// use glam::Vec3;
/// use steric_world::animate::{Corrections, Manner};
///
/// let mut corrections = Corrections::new((0, Manner::default()), 1, 0.4);
/// corrections.push_atoms(0.0, &[Vec3::ZERO]);
/// corrections.push_atoms(1.0, &[Vec3::X]);
/// let mut places = [Vec3::Y];
/// corrections.shift_atoms(0.5, &mut places);
/// assert_eq!(places[0], Vec3::new(0.5, 1.0, 0.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Corrections {
    /// The clip and the manner that they hold for.
    pub made_for: (usize, Manner),
    /// Overlap that is allowed, in angstroms.
    pub limit: f32,
    /// The finer time line, in seconds, rising.
    pub times: Vec<f64>,
    /// Three numbers for each atom, or six for each group, time after time.
    pub(super) numbers: Vec<i16>,
    pub(super) groups: usize,
    /// What was found at each time.
    pub report: Vec<Corrected>,
}

const SHIFT: f32 = 1024.0;
const TURN: f32 = 8192.0;

impl Corrections {
    /// None yet, for so many atoms or groups.
    pub fn new(made_for: (usize, Manner), groups: usize, limit: f32) -> Self {
        Self { made_for, groups, limit, ..Self::default() }
    }

    /// Appends the shifts of atoms at a later time.
    pub fn push_atoms(&mut self, time: f64, shifts: &[Vec3]) {
        assert_eq!(shifts.len(), self.groups, "a shift for each atom");
        self.times.push(time);
        self.numbers.extend(shifts.iter().flat_map(|shift| (*shift * SHIFT).to_array()).map(whole));
    }

    /// Appends the shifts and turns (axis times angle) of groups at a later time.
    pub fn push_groups(&mut self, time: f64, moves: &[[Vec3; 2]]) {
        assert_eq!(moves.len(), self.groups, "a motion for each group");
        self.times.push(time);
        let numbers = |[shift, turn]: &[Vec3; 2]| {
            let (shift, turn) = (*shift * SHIFT, *turn * TURN);
            [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z].map(whole)
        };
        self.numbers.extend(moves.iter().flat_map(numbers));
    }

    /// Whether there are as many numbers as times and groups ask for.
    pub fn is_sound(&self) -> bool {
        let rising = self.times.windows(2).all(|pair| pair[0] < pair[1]);
        rising && self.times.iter().all(|time| time.is_finite()) && self.numbers.len() == self.times.len() * self.row()
    }

    /// Shifts atoms as is right at a time.
    pub fn shift_atoms(&self, time: f64, positions: &mut [Vec3]) {
        let Some(([before, after], share)) = self.around(time) else { return };
        for ((position, a), b) in positions.iter_mut().zip(before.chunks_exact(3)).zip(after.chunks_exact(3)) {
            *position += between(a, b, share) / SHIFT;
        }
    }

    /// Moves groups as is right at a time.
    pub fn move_groups(&self, time: f64, poses: &mut [Pose]) {
        let Some(([before, after], share)) = self.around(time) else { return };
        for ((pose, a), b) in poses.iter_mut().zip(before.chunks_exact(6)).zip(after.chunks_exact(6)) {
            let (shift, turn) = (between(&a[..3], &b[..3], share) / SHIFT, between(&a[3..], &b[3..], share) / TURN);
            *pose = moved(pose, [shift, turn]);
        }
    }

    /// The deepest overlap left at any time of the line, in angstroms.
    pub fn deepest_left(&self) -> f32 {
        self.report.iter().fold(0.0, |deepest, at| deepest.max(at.after.deepest))
    }

    /// Whether nothing is left that is deeper than is allowed.
    pub fn is_clean(&self) -> bool {
        self.report.iter().all(|at| at.after.pairs == 0)
    }

    /// The report as a table with a line for each time.
    ///
    /// ```
    /// use steric_world::animate::{Corrected, Corrections, Manner, Tally};
    ///
    /// let mut corrections = Corrections::new((0, Manner::default()), 0, 0.4);
    /// let before = Tally { pairs: 3, deepest: 1.25 };
    /// corrections.report.push(Corrected { time: 0.5, before, iterations: 7, farthest: 0.75, ..Corrected::default() });
    /// assert_eq!(corrections.csv().lines().nth(1), Some("0.500000,3,1.2500,0,0.0000,7,0.7500"));
    /// ```
    pub fn csv(&self) -> String {
        let heading = "time_s,pairs_before,deepest_before_A,pairs_after,deepest_after_A,iterations,farthest_A\n";
        let line = |at: &Corrected| {
            let Corrected { time, before, after, iterations, farthest } = at;
            let (pairs, deepest) = (before.pairs, before.deepest);
            format!("{time:.6},{pairs},{deepest:.4},{},{:.4},{iterations},{farthest:.4}\n", after.pairs, after.deepest)
        };
        self.report.iter().map(line).fold(heading.to_owned(), |text, line| text + &line)
    }

    fn row(&self) -> usize {
        self.groups * if self.made_for.1.level == Level::Atom { 3 } else { 6 }
    }

    fn around(&self, time: f64) -> Option<([&[i16]; 2], f32)> {
        let last = self.times.len().checked_sub(1)?;
        let after = self.times.partition_point(|&key| key <= time).min(last);
        let before = after.saturating_sub(1);
        let length = self.times[after] - self.times[before];
        let share = if length > 0.0 { ((time - self.times[before]) / length).clamp(0.0, 1.0) as f32 } else { 0.0 };
        let row = |key: usize| &self.numbers[key * self.row()..(key + 1) * self.row()];
        Some(([row(before), row(after)], share))
    }
}

/// A group that is shifted, and turned about its own middle.
pub(super) fn moved(pose: &Pose, [shift, turn]: [Vec3; 2]) -> Pose {
    let rotation = DQuat::from_scaled_axis(turn.as_dvec3()) * pose.rotation;
    Pose { rotation: rotation.normalize(), translation: pose.translation + DVec3::from(shift) }
}

fn whole(number: f32) -> i16 {
    // Saturates: 32 Å or four radians are the most that can be stored.
    number.round() as i16
}

fn between(a: &[i16], b: &[i16], share: f32) -> Vec3 {
    let of = |axis: usize| f32::from(a[axis]) + share * (f32::from(b[axis]) - f32::from(a[axis]));
    Vec3::new(of(0), of(1), of(2))
}
