//! What an iteration does: every warm molecule decides on a step from its sums and its constraints.

use std::sync::atomic::{AtomicI64, Ordering};

use glam::{DMat3, DQuat};
use steric_model::{Molecule, Pose, Scene};

use super::gather::STEPS_PER_UNIT;
use super::hold::Hold;
use super::options::RelaxOptions;
use super::pulls;
use super::world::{State, Tally, is_awake};
use crate::respond::{Body, MOST_SUMS, Motion, Response};

/// Width of the skin of the near list, in angstroms, once most molecules move less than half of it.
pub(super) const SKIN: f64 = 1.2;
/// How warm a molecule is that overlaps, in iterations.
pub(super) const HOT: u8 = 8;
/// What was seen of all molecules.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    pub(super) overlapping: u32,
    pub(super) broken: u32,
    pub(super) awake: u32,
    pub(super) moved: u32,
    pub(super) far: u32,
    pub(super) farthest: f64,
    /// Clusters of the molecules that were looked at.
    pub(super) work: u64,
    /// How far an atom is now from where it was when the team came together, in angstroms.
    pub(super) away: f64,
}

impl Moved {
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            overlapping: self.overlapping + other.overlapping,
            broken: self.broken + other.broken,
            awake: self.awake + other.awake,
            moved: self.moved + other.moved,
            far: self.far + other.far,
            farthest: self.farthest.max(other.farthest),
            work: self.work + other.work,
            away: self.away.max(other.away),
        }
    }
}

pub(super) struct Mover<'a, R> {
    pub(super) groups: &'a [Vec<Hold>],
    pub(super) bodies: &'a [Body],
    pub(super) options: &'a RelaxOptions,
    /// The slots to jolt, in order, and how each moves.
    pub(super) jolted: &'a [(u32, Motion)],
    pub(super) response: &'a R,
}

impl<R: Response> Mover<'_, R> {
    #[expect(clippy::too_many_arguments, reason = "what is known of one molecule stands in several arrays")]
    pub(super) fn one(
        &self,
        types: &Scene,
        molecule: &Molecule,
        state: &mut State,
        start: &Pose,
        slot: u32,
        sums: &[AtomicI64],
        tally: &Tally,
    ) -> Moved {
        let contacts = tally.contacts.swap(0, Ordering::Relaxed);
        let deepest = tally.deepest.swap(0, Ordering::Relaxed);
        let passed_on = tally.warmth.swap(0, Ordering::Relaxed);
        let was_awake = is_awake(state);
        if contacts == 0 && !was_awake {
            state.dirty_for = 0;
            return Moved { broken: state.broken.into(), ..Moved::default() };
        }
        state.busy = state.busy.saturating_add(1);
        let mut own = [0.0; MOST_SUMS];
        if contacts > 0 {
            for (own, sum) in own.iter_mut().zip(sums) {
                *own = sum.swap(0, Ordering::Relaxed) as f64 / STEPS_PER_UNIT;
            }
        }
        let rotation = DMat3::from_quat(molecule.pose.rotation);
        let holds = self.groups.get(state.group as usize).map_or(&[][..], Vec::as_slice);
        let held =
            if state.fixed { pulls::Held::default() } else { pulls::of(types, molecule, rotation, holds, start) };
        state.normal = held.normal;
        state.broken = held.broken;
        let dirty = deepest > 0 && !state.fixed;
        state.dirty_for = if dirty { state.dirty_for.saturating_add(1) } else { 0 };
        let hot = if dirty || held.broken { HOT } else { 0 };
        state.warmth = hot.max(state.warmth.saturating_sub(1)).max(passed_on);
        let body = &self.bodies[molecule.kind.0 as usize];
        let mut motion = Motion::default();
        if state.warmth > 0 && !state.fixed {
            let step = self.response.step(body, rotation, &own, contacts, &held.pulls);
            motion = with_momentum(step, &mut state.momentum, self.response.momentum());
            motion = capped(motion, body, self.options.max_move);
            if let Ok(found) = self.jolted.binary_search_by_key(&slot, |jolted| jolted.0) {
                state.momentum = Motion::default();
                state.dirty_for = 0;
                motion = self.jolted[found].1;
            }
        } else {
            state.momentum = Motion::default();
        }
        let farthest = motion.shift.length() + motion.turn.length() * body.reach;
        state.moved = farthest > 1e-7;
        state.motion = motion;
        Moved {
            overlapping: dirty.into(),
            broken: held.broken.into(),
            awake: was_awake.into(),
            moved: state.moved.into(),
            far: (farthest > 0.5 * SKIN).into(),
            farthest,
            work: types.types()[molecule.kind.0 as usize].clusters.len() as u64,
            away: 0.0,
        }
    }
}

/// Nesterov's step; a molecule that nothing pushes forgets where it was going.
fn with_momentum(step: Motion, momentum: &mut Motion, kept: f64) -> Motion {
    if step.is_zero() {
        *momentum = Motion::default();
        return step;
    }
    // The first push is no habit yet: two molecules that barely touch should barely move.
    if momentum.is_zero() {
        *momentum = step;
        return step;
    }
    *momentum = *momentum * kept + step;
    step + *momentum * kept
}

/// No farther than the options allow; a motion that is no number is none.
pub(super) fn capped(motion: Motion, body: &Body, most: f64) -> Motion {
    let way = motion.shift.length() + 1.5 * motion.turn.length() * body.gyration;
    if !way.is_finite() {
        return Motion::default();
    }
    if way > most { motion * (most / way) } else { motion }
}

pub(super) fn moved(pose: Pose, motion: Motion) -> Pose {
    let turn = DQuat::from_scaled_axis(motion.turn);
    Pose { rotation: (turn * pose.rotation).normalize(), translation: pose.translation + motion.shift }
}
