//! Jolts for molecules that do not come free.
//!
//! How it works: every so many iterations the deepest of those that have overlapped for long are thrown a little way in a
//! random direction. Which those are is asked of the whole team. Chance depends on the seed, the iteration and the molecule alone, so that whoever iterates jolts the same
//! molecules in the same way.

use steric_model::{Random, Scene};

use super::mover::capped;
use super::options::RelaxOptions;
use super::team::Team;
use crate::respond::{Body, Motion};

/// All that the jolts of one iteration depend on, but for how deep the molecules are in.
pub(super) struct Jolts<'a> {
    pub(super) scene: &'a Scene,
    pub(super) bodies: &'a [Body],
    pub(super) ids: &'a [u32],
    pub(super) options: &'a RelaxOptions,
    pub(super) seed: u64,
    pub(super) iteration: u32,
}

impl Jolts<'_> {
    /// The slots to jolt, in order, and how each moves; of neighbours only some, by the toss of a coin. `stuck` says of a slot
    /// for how many iterations it has overlapped and how deep it is in now, or nothing where it is fixed. The slots are those of the
    /// first molecules, of `total` that the team has together.
    pub(super) fn all(
        &self,
        slots: usize,
        total: usize,
        team: &mut dyn Team,
        stuck: impl Fn(usize) -> Option<(u16, u32)>,
    ) -> Vec<(u32, Motion)> {
        let RelaxOptions { jolt_every, jolt_after, jolt_fraction, .. } = *self.options;
        if jolt_every == 0 || self.iteration == 0 || !self.iteration.is_multiple_of(jolt_every) {
            return Vec::new();
        }
        let coin = |id: u32| Random::of(self.seed.wrapping_add(self.iteration.into()), id.into()).unit();
        // The deepest first; of those that are in as deep, the latest in the scene.
        let mut worst: Vec<(u64, u32)> = (0..slots)
            .filter_map(|slot| stuck(slot).map(|(dirty_for, deepest)| (slot, dirty_for, deepest)))
            .filter(|&(_, dirty_for, deepest)| u32::from(dirty_for) >= jolt_after && deepest > 0)
            .map(|(slot, _, deepest)| (u64::from(deepest) << 32 | u64::from(self.ids[slot]), slot as u32))
            .filter(|&(key, _)| coin(key as u32) < 0.5)
            .collect();
        let keys = worst.iter().map(|&(key, _)| key).collect();
        let least = team.least_of_most(keys, (jolt_fraction * total as f64).ceil() as usize);
        worst.retain(|&(key, _)| key >= least);
        worst.into_iter().map(|(_, slot)| (slot, self.motion(slot as usize))).collect()
    }

    fn motion(&self, slot: usize) -> Motion {
        let mut random = Random::of(self.seed ^ u64::from(self.iteration) << 32, self.ids[slot].into());
        let motion = Motion {
            shift: random.direction() * self.options.jolt_shift,
            turn: random.direction() * self.options.jolt_turn_degrees.to_radians(),
        };
        let body = &self.bodies[self.scene.molecules()[slot].kind.0 as usize];
        capped(motion, body, self.options.max_move)
    }
}
