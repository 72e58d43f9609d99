//! A part of a scene that a team looks after together: the molecules that are owned here, and the ghosts that they may meet.
//!
//! How it works: owned molecules stand first, ghosts behind them. Every molecule keeps the number that its slot has in the whole scene,
//! and wherever the order of two molecules matters, these numbers are compared. So whoever looks at a pair of molecules
//! does the same arithmetic, and it does not matter who owns what.

use rayon::prelude::*;
use steric_collide::RigidPairs;
use steric_model::{Molecule, Pose, Scene, TypeId};

use super::gather::contact_margin;
use super::team::{Drift, Sight};
use super::world::{Relax, State, Tally};
use crate::respond::Motion;

/// What is here of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Home {
    /// How many of the slots here are owned, the first ones.
    pub(super) owned: usize,
    /// How many molecules the whole scene has.
    pub(super) total: usize,
    /// The number of each slot in the whole scene; empty where it is the slot itself.
    pub(super) order: Vec<u32>,
    /// Where the owned molecules were when the team came together; empty where there is no team.
    pub(super) poses: Vec<Pose>,
    /// How far apart the team has come since.
    pub(super) drift: Drift,
}

impl Home {
    pub(super) fn whole(molecules: usize) -> Self {
        Self { owned: molecules, total: molecules, ..Self::default() }
    }

    /// Near pairs of what is here.
    pub(super) fn pairs(&self, pairs: RigidPairs) -> RigidPairs {
        if self.order.is_empty() { pairs } else { pairs.with_ghosts(self.owned, self.order.clone()) }
    }
}

/// All that is known of one molecule of a relaxation.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// let relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
/// let record = relax.record(0);
/// assert_eq!((record.slot, record.id, record.group), (0, 0, u32::MAX));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The number of its slot in the whole scene.
    pub slot: u32,
    /// Which molecule of the setup it is.
    pub id: u32,
    /// Its type.
    pub kind: TypeId,
    /// Its group; `u32::MAX` where it is free.
    pub group: u32,
    /// Whether it stays where it is.
    pub fixed: bool,
    /// Whether it is beyond the leeway of a constraint.
    pub broken: bool,
    /// In how many iterations it has been looked at since the team came together.
    pub busy: u16,
    /// Where it started.
    pub start: Pose,
    /// Where it is going.
    pub momentum: Motion,
    /// What others see of it.
    pub sight: Sight,
}

impl Relax {
    /// Whether all molecules of the scene are owned here.
    pub fn is_whole(&self) -> bool {
        self.home.owned == self.home.total
    }

    /// How many molecules are owned here: the first slots.
    pub fn owned(&self) -> usize {
        self.home.owned
    }

    /// The molecules here, those that are owned first.
    pub fn here(&self) -> &Scene {
        &self.scene
    }

    /// Which molecules of the setup the slots here are.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How far apart the team has come in the last iteration.
    pub fn drift(&self) -> Drift {
        self.home.drift
    }

    /// How far beyond touching two atoms are still pushed apart, in angstroms: nothing farther apart is asked for.
    pub fn contact_reach(&self) -> f32 {
        let (least, _) = self.scene.radii().unwrap_or((0.0, 0.0));
        contact_margin(&self.options, least, self.allow) - self.allow
    }

    /// What others see of the molecule of a slot.
    pub fn sight(&self, slot: usize) -> Sight {
        let State { normal, dirty_for, warmth, moved, .. } = self.states[slot];
        Sight { pose: self.scene.molecules()[slot].pose, normal, dirty_for, warmth, moved }
    }

    /// All that is known of the molecule of a slot.
    pub fn record(&self, slot: usize) -> Record {
        let State { momentum, group, busy, fixed, broken, .. } = self.states[slot];
        Record {
            slot: self.order(slot as u32),
            id: self.ids[slot],
            kind: self.scene.molecules()[slot].kind,
            group,
            fixed,
            broken,
            busy,
            start: self.start[slot],
            momentum,
            sight: self.sight(slot),
        }
    }

    /// Goes on with other molecules of the same scene: those that are owned here from now on, and those that they may meet.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_model::{Pose, Scene};
    /// use steric_world::relax::{Alone, Relax, RelaxOptions, Setup};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// for x in [0.0, 3.0] {
    ///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
    /// }
    /// let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
    /// let [first, second] = [0, 1].map(|slot| relax.record(slot));
    /// relax.come_together(&[second], &[first]);
    /// relax.step_of(&mut Alone);
    /// assert_eq!(relax.record(1).sight.pose, Pose::IDENTITY, "somebody else has to move the ghost");
    /// assert!(relax.record(0).sight.pose.translation.x > 3.0);
    /// ```
    pub fn come_together(&mut self, owned: &[Record], ghosts: &[Record]) {
        let all = || owned.par_iter().chain(ghosts);
        let molecules = all().map(|record| Molecule { kind: record.kind, pose: record.sight.pose }).collect();
        let periodic_box = self.scene.periodic_box();
        self.scene = self.scene.with_molecules(molecules);
        self.scene.set_periodic_box(periodic_box);
        self.states = all().map(|record| self.state_of(record)).collect();
        self.ids = all().map(|record| record.id).collect();
        self.start = all().map(|record| record.start).collect();
        self.tallies = owned.iter().map(|_| Tally::default()).collect();
        self.home.owned = owned.len();
        self.home.order = all().map(|record| record.slot).collect();
        self.home.poses = owned.par_iter().map(|record| record.sight.pose).collect();
        self.home.drift = Drift::default();
        // The places of the old ones mean nothing any more.
        self.sums = Vec::new();
        self.forget_list();
    }

    fn state_of(&self, record: &Record) -> State {
        let body = &self.bodies[record.kind.0 as usize];
        let Record { momentum, group, busy, fixed, broken, .. } = *record;
        let Sight { normal, dirty_for, warmth, moved, .. } = record.sight;
        State {
            momentum,
            motion: Motion::default(),
            normal,
            mobility: if fixed { 0.0 } else { (1.0 / body.mass) as f32 },
            inverse_gyration: (1.0 / body.gyration) as f32,
            group,
            dirty_for,
            busy,
            warmth,
            moved,
            fixed,
            broken,
        }
    }

    /// Forgets in how many iterations each molecule has been looked at.
    pub fn forget_work(&mut self) {
        self.states.par_iter_mut().for_each(|state| state.busy = 0);
    }

    /// Whether there is nothing to do, as the whole team has agreed after somebody moved molecules by hand.
    pub fn agree_on_rest(&mut self, rests: bool) {
        self.rests = rests;
    }

    /// The number of a slot in the whole scene.
    pub(super) fn order(&self, slot: u32) -> u32 {
        self.home.order.get(slot as usize).copied().unwrap_or(slot)
    }

    /// Whether the molecule of a slot is owned here.
    pub(super) fn is_own(&self, slot: usize) -> bool {
        slot < self.home.owned
    }

    /// Learns how the ghosts are now.
    pub(super) fn hear(&mut self, news: &[(u32, Sight)]) {
        for &(slot, Sight { pose, normal, dirty_for, warmth, moved }) in news {
            let slot = slot as usize;
            assert!(slot >= self.home.owned, "nobody else knows how an owned molecule is");
            self.scene.molecules_mut()[slot].pose = pose;
            let state = &mut self.states[slot];
            (state.normal, state.dirty_for, state.warmth, state.moved) = (normal, dirty_for, warmth, moved);
        }
        let Self { scene, states, pairs: Some(pairs), home, .. } = self else { return };
        if !news.is_empty() {
            pairs.turn(scene, |slot| slot as usize >= home.owned && states[slot as usize].moved);
        }
    }
}
