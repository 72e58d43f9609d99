//! The relaxation itself, one iteration at a time.
//!
//! How it works: molecules stand in Morton order of where they start, so that neighbours share cache lines. An iteration
//! visits the near pairs that have a molecule awake, adds up each molecule's contacts in fixed point, and moves the
//! molecules that are warm. A molecule that overlaps is hot; warmth fades with time and with each molecule that it is passed
//! on to; a molecule that is neither warm nor has just moved sleeps. Two sleeping molecules do not overlap, because they did not
//! when they were last looked at and have not moved since. So the last stragglers cost what they and their neighbours
//! cost, and at rest nothing is visited at all.

use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, Ordering};

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_collide::{IndexKind, OverlapSearch, RigidPairs, Which, farthest_move};
use steric_model::{Instant, Molecule, MoleculeId, Pose, Scene, morton};

use super::Setup;
use super::gather::{Gather, Law, Seen, contact_margin};
use super::hold::Hold;
use super::home::Home;
use super::jolt::Jolts;
use super::mover::{HOT, Moved, Mover, SKIN, moved};
use super::options::{RelaxOptions, ResponseKind};
use super::team::{Alone, Team, Words};
use crate::respond::{Body, Motion, Newton, Projection, Response, Thesis};

/// A molecule on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) momentum: Motion,
    /// What it is about to do in this iteration.
    pub(super) motion: Motion,
    /// The outward normal of the surface that holds it, or zero.
    pub(super) normal: Vec3,
    // One over its mass, 0 if it is fixed, and over its radius of gyration: what every contact asks for.
    pub(super) mobility: f32,
    pub(super) inverse_gyration: f32,
    pub(super) group: u32,
    /// For how many iterations it has overlapped without a break.
    pub(super) dirty_for: u16,
    /// In how many iterations it has been looked at since someone asked.
    pub(super) busy: u16,
    pub(super) warmth: u8,
    pub(super) moved: bool,
    pub(super) fixed: bool,
    pub(super) broken: bool,
}

/// What the threads add up for one molecule.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) contacts: AtomicU32,
    pub(super) deepest: AtomicU32,
    pub(super) warmth: AtomicU8,
}

/// What one iteration saw and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Iteration {
    /// Pairs of atoms that overlap.
    pub overlaps: u64,
    /// Molecules that overlap, or that a file's rounding might let overlap.
    pub overlapping: u32,
    /// The deepest overlap, in angstroms.
    pub deepest: f64,
    /// The mean depth of the overlaps, in angstroms.
    pub mean_depth: f64,
    /// Molecules beyond the leeway of a constraint.
    pub broken: u32,
    /// Molecules that were looked at.
    pub awake: u32,
    /// Molecules that were moved.
    pub moved: u32,
    /// The farthest way of an atom, in angstroms.
    pub farthest: f64,
    /// Whether near pairs were searched anew.
    pub searched: bool,
    /// Wall-clock milliseconds: searching, visiting contacts, moving.
    pub milliseconds: [f64; 3],
}

/// A relaxation on its way.
#[derive(Debug)]
pub struct Relax {
    pub(super) scene: Scene,
    /// The molecule of each slot.
    pub(super) ids: Vec<u32>,
    pub(super) states: Vec<State>,
    pub(super) start: Vec<Pose>,
    pub(super) groups: Vec<Vec<Hold>>,
    pub(super) bodies: Vec<Body>,
    pub(super) options: RelaxOptions,
    pub(super) allow: f32,
    pub(super) seed: u64,
    pub(super) iteration: u32,
    pub(super) history: Vec<Iteration>,
    pub(super) searches: u32,
    // Whether anything has overlapped yet: only then is the clearance asked for.
    pub(super) disturbed: bool,
    // Whether the last iteration found nothing to do.
    pub(super) rests: bool,
    // How many iterations an engine has done since it last said where the molecules are.
    pub(super) ahead: u32,
    pub(super) index: IndexKind,
    pub(super) pairs: Option<RigidPairs>,
    // How many molecules went farther in the last iteration than half a skin.
    far: u32,
    pub(super) sums: Vec<AtomicI64>,
    pub(super) tallies: Vec<Tally>,
    // What is here of a scene that a team looks after.
    pub(super) home: Home,
}

impl Relax {
    /// Makes ready to push the molecules of a setup apart.
    pub fn new(setup: Setup, options: RelaxOptions, seed: u64) -> Self {
        let Setup { scene, groups, group_of, fixed, bodies, allow } = setup;
        assert_eq!(bodies.len(), scene.types().len(), "one body per type");
        let ids = in_morton_order(&scene);
        let molecules: Vec<Molecule> = ids.iter().map(|&id| scene.molecules()[id as usize]).collect();
        let mut sorted = scene.with_molecules(molecules);
        sorted.set_periodic_box(scene.periodic_box());
        let state = |&id: &u32| {
            let body = &bodies[scene.molecules()[id as usize].kind.0 as usize];
            let fixed = fixed.get(id as usize).copied().unwrap_or(false);
            State {
                momentum: Motion::default(),
                motion: Motion::default(),
                normal: Vec3::ZERO,
                mobility: if fixed { 0.0 } else { (1.0 / body.mass) as f32 },
                inverse_gyration: (1.0 / body.gyration) as f32,
                group: group_of.get(id as usize).copied().unwrap_or(u32::MAX),
                dirty_for: 0,
                busy: 0,
                warmth: 1,
                moved: true,
                fixed,
                broken: false,
            }
        };
        let states: Vec<State> = ids.iter().map(state).collect();
        let start = sorted.molecules().iter().map(|molecule| molecule.pose).collect();
        let tallies = states.iter().map(|_| Tally::default()).collect();
        let home = Home::whole(states.len());
        Self {
            scene: sorted,
            ids,
            states,
            start,
            groups,
            bodies,
            options,
            allow,
            seed,
            iteration: 0,
            history: Vec::new(),
            searches: 0,
            disturbed: false,
            rests: false,
            ahead: 0,
            index: IndexKind::Auto,
            pairs: None,
            far: u32::MAX,
            sums: Vec::new(),
            tallies,
            home,
        }
    }

    /// One iteration with the response of the options.
    pub fn step(&mut self) -> Iteration {
        self.step_of(&mut Alone)
    }

    /// One iteration of a team that looks after the scene together, with the response of the options.
    pub fn step_of(&mut self, team: &mut dyn Team) -> Iteration {
        let RelaxOptions { step, damping, momentum, .. } = self.options;
        let or = |value: f64, default: f64| if value > 0.0 { value } else { default };
        let momentum = |default: f64| if momentum >= 0.0 { momentum } else { default };
        match self.options.response {
            ResponseKind::Newton => {
                let Newton { step: own, momentum: kept, .. } = Newton::default();
                self.step_as(team, &Newton { step: or(step, own), damping, momentum: momentum(kept) })
            }
            ResponseKind::Projection => {
                let Projection { step: own, momentum: kept } = Projection::default();
                self.step_as(team, &Projection { step: or(step, own), momentum: momentum(kept) })
            }
            ResponseKind::Thesis => {
                let RelaxOptions { thesis_force, thesis_torque, thesis_spring, thesis_spring_torque, .. } =
                    self.options;
                self.step_as(
                    team,
                    &Thesis {
                        force: thesis_force,
                        torque: thesis_torque,
                        spring: thesis_spring,
                        spring_torque: thesis_spring_torque,
                    },
                )
            }
        }
    }

    /// One iteration with a response of one's own.
    pub fn step_with<R: Response>(&mut self, response: &R) -> Iteration {
        self.step_as(&mut Alone, response)
    }

    fn step_as<R: Response>(&mut self, team: &mut dyn Team, response: &R) -> Iteration {
        if self.rests {
            return self.nothing_to_do();
        }
        let started = Instant::now();
        let sums = R::SUMS * self.home.owned;
        if self.sums.len() != sums {
            self.sums = (0..sums).map(|_| AtomicI64::new(0)).collect();
        }
        // While nobody knows yet where the ghosts are, the inner pairs can be looked at, if the list still holds them.
        let mut stale = self.stale(0..self.home.owned);
        let can_begin = self.pairs.is_some() && stale.is_empty();
        let (mut seen, mut visiting) = (Seen::default(), 0.0);
        let news = team.news(self, &mut |between| {
            if can_begin {
                let began = Instant::now();
                seen = self.gather(response, Which::Inner, between);
                visiting = began.elapsed().as_secs_f64();
            }
        });
        self.hear(&news);
        stale.extend(self.stale(self.home.owned..self.states.len()));
        let searched = self.make_list(&stale);
        let listing = started.elapsed().as_secs_f64() - visiting;
        let left = if can_begin { Which::Outer } else { Which::All };
        seen = seen.join(&self.gather(response, left, &|| ()));
        let before_moving = started.elapsed().as_secs_f64();
        let moved = self.move_all(team, response, &Seen { searched, ..seen });
        let whole = started.elapsed().as_secs_f64();
        let milliseconds = [listing, before_moving - listing, whole - before_moving].map(|seconds| 1e3 * seconds);
        let iteration = Iteration { milliseconds, ..moved };
        self.history.push(iteration);
        self.iteration += 1;
        iteration
    }

    /// At rest a step costs a glance.
    fn nothing_to_do(&mut self) -> Iteration {
        let iteration = Iteration::default();
        self.history.push(iteration);
        self.iteration += 1;
        iteration
    }

    /// Which of some slots have left their skin.
    fn stale(&self, slots: Range<usize>) -> Vec<u32> {
        let Some(pairs) = &self.pairs else { return Vec::new() };
        let slots = (slots.start as u32..slots.end as u32).into_par_iter();
        let moved = slots.filter(|&slot| self.states[slot as usize].moved);
        moved.filter(|&slot| !pairs.covers(&self.scene, slot)).collect()
    }

    /// Makes the list of near pairs again, or patches it, if it no longer holds every pair that matters.
    fn make_list(&mut self, stale: &[u32]) -> bool {
        let Self { scene, states, pairs, home, .. } = self;
        if pairs.is_some() && stale.is_empty() {
            return false;
        }
        self.searches += 1;
        let (least, _) = scene.radii().unwrap_or((0.0, 0.0));
        let margin = contact_margin(&self.options, least, self.allow);
        let pairs = pairs.get_or_insert_with(|| {
            let search = OverlapSearch { allow: self.allow - margin, index: self.index, ..OverlapSearch::default() };
            home.pairs(RigidPairs::new(scene, search))
        });
        // Each stale molecule has some ten neighbours, and a patch reaches wide: beyond a hundredth of the molecules a new
        // list without a skin costs less.
        let few = (states.len() / 100).max(20);
        let has_room = pairs.patches() < RigidPairs::MOST_PATCHES && pairs.patched() <= states.len() / 4;
        if !stale.is_empty() && stale.len() <= few && has_room {
            pairs.patch(scene, stale);
            return true;
        }
        let skin = match self.options.skin {
            asked if asked >= 0.0 => asked,
            _ if self.far as usize > few / 2 => 0.0,
            _ => SKIN,
        };
        pairs.list(scene, skin as f32);
        true
    }

    fn gather<R: Response>(&self, response: &R, which: Which, between: &dyn Fn()) -> Seen {
        let Some(pairs) = &self.pairs else { return Seen::default() };
        let law = Law::new(self);
        let gather = || Gather { relax: self, law: &law, response, seen: Seen::default(), desk: Vec::new() };
        let states = &self.states;
        let sleep = self.options.sleep;
        let awake = |slot| !sleep || is_awake(&states[slot as usize]);
        let seen = pairs.visit_some(&self.scene, which, awake, gather, between);
        seen.iter().fold(Seen::default(), |sum, gather| sum.join(&gather.seen))
    }

    /// Moves every molecule that is warm, and forgets its sums.
    fn move_all<R: Response>(&mut self, team: &mut dyn Team, response: &R, seen: &Seen) -> Iteration {
        let Self { scene, states, start, groups, bodies, sums, tallies, options, iteration, ids, seed, home, .. } =
            self;
        let jolts = Jolts { scene, bodies, ids, options, seed: *seed, iteration: *iteration };
        let jolted = jolts.all(home.owned, home.total, team, |slot| {
            let State { fixed, dirty_for, .. } = states[slot];
            (!fixed).then(|| (dirty_for, tallies[slot].deepest.load(Ordering::Relaxed)))
        });
        let mover = Mover { groups, bodies, options, jolted: &jolted, response };
        let moved: Moved = scene
            .molecules()
            .par_iter()
            .zip(states.par_iter_mut())
            .zip(start.par_iter().enumerate())
            .zip(sums.par_chunks(R::SUMS).zip(tallies.par_iter()))
            .with_min_len(256)
            .map(|(((molecule, state), (slot, start)), (sums, tally))| {
                let seen = mover.one(scene, molecule, state, start, slot as u32, sums, tally);
                let Some(&pose) = home.poses.get(slot).filter(|_| state.moved) else { return seen };
                let now = Molecule { pose: kept(groups, state, moved(molecule.pose, state.motion)), ..*molecule };
                Moved { away: farthest_move(scene, &Molecule { pose, ..now }, &now), ..seen }
            })
            .reduce(Moved::default, Moved::join);
        self.far = moved.far;
        self.conclude(&Words::of(team, seen, &moved))
    }

    /// Makes the steps that the whole team has decided on.
    fn conclude(&mut self, words: &Words) -> Iteration {
        let iteration = words.iteration();
        self.home.drift = words.drift();
        let first = !self.disturbed && iteration.overlaps > 0;
        self.disturbed |= first;
        self.rests = iteration.overlapping + iteration.broken == 0;
        self.apply(self.rests);
        if first {
            // Until now only overlaps were looked for; from now on everyone needs the clearance.
            self.states.par_iter_mut().for_each(|state| state.warmth = state.warmth.max(1));
        }
        iteration
    }

    /// Moves a molecule by hand, in angstroms; the next iteration looks at it and at what it meets.
    pub fn nudge(&mut self, molecule: MoleculeId, shift: DVec3) {
        let Some(slot) = self.slot(molecule) else { return };
        if self.states[slot].fixed || !shift.is_finite() {
            return;
        }
        self.scene.molecules_mut()[slot].pose.translation += shift;
        (self.states[slot].moved, self.states[slot].warmth) = (true, HOT);
        self.rests = false;
        self.forget_list();
    }

    /// Makes the steps that were decided on. Where nothing overlaps and nothing is broken, nobody moves any more.
    pub(super) fn apply(&mut self, rests: bool) {
        if rests {
            let asleep =
                |state: &mut State| (state.moved, state.warmth, state.momentum) = (false, 0, Motion::default());
            self.states.par_iter_mut().for_each(asleep);
            return;
        }
        let groups = &self.groups;
        let owned = self.home.owned;
        self.scene.molecules_mut()[..owned].par_iter_mut().zip(&self.states).with_min_len(1_024).for_each(
            |(molecule, state)| {
                if state.moved {
                    molecule.pose = kept(groups, state, moved(molecule.pose, state.motion));
                }
            },
        );
        if let Some(pairs) = &mut self.pairs {
            pairs.turn(&self.scene, |slot| (slot as usize) < owned && self.states[slot as usize].moved);
        }
    }

    /// Forgets the near pairs, because molecules stand elsewhere now.
    pub(super) fn forget_list(&mut self) {
        self.pairs = None;
    }

    /// The poses of all molecules, in the order of the setup.
    pub fn poses(&self) -> Vec<Pose> {
        assert!(self.is_whole(), "only whoever looks after the whole scene knows all poses");
        let mut poses = vec![Pose::IDENTITY; self.ids.len()];
        for (&id, molecule) in self.ids.iter().zip(self.scene.molecules()) {
            poses[id as usize] = molecule.pose;
        }
        poses
    }

    /// What every iteration saw and did.
    pub fn history(&self) -> &[Iteration] {
        &self.history
    }

    /// How often near pairs were searched.
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// A number that changes when any bit of any pose changes.
    pub fn state_hash(&self) -> u64 {
        state_hash(&self.poses())
    }

    /// How many iterations were done.
    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    /// The options.
    pub fn options(&self) -> &RelaxOptions {
        &self.options
    }

    /// The molecules that overlapped or were beyond a leeway in the last iteration, in order.
    pub fn in_trouble(&self) -> Vec<MoleculeId> {
        let slots = self.states.iter().zip(&self.ids);
        let mut found: Vec<MoleculeId> =
            slots.filter(|(state, _)| state.dirty_for > 0 || state.broken).map(|(_, &id)| MoleculeId(id)).collect();
        found.sort_unstable();
        found
    }
}

/// A pose as the rules of its group leave it.
fn kept(groups: &[Vec<Hold>], state: &State, pose: Pose) -> Pose {
    let holds = groups.get(state.group as usize).map_or(&[][..], Vec::as_slice);
    holds.iter().fold(pose, |pose, hold| if let Hold::Rule(rule) = hold { rule.kept(pose) } else { pose })
}

/// A number that changes when any bit of any pose changes (FNV-1a over the words).
pub fn state_hash(poses: &[Pose]) -> u64 {
    hashed_on(0xcbf2_9ce4_8422_2325, poses)
}

/// The hash of poses that follow others, whose hash is given.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Pose;
/// use steric_world::relax::{hashed_on, state_hash};
///
/// let poses = [Pose::IDENTITY, Pose::from_translation(DVec3::X)];
/// assert_eq!(hashed_on(state_hash(&poses[..1]), &poses[1..]), state_hash(&poses));
/// ```
pub fn hashed_on(hash: u64, poses: &[Pose]) -> u64 {
    let words = poses.iter().flat_map(Pose::to_bits);
    words.fold(hash, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}

pub(super) fn is_awake(state: &State) -> bool {
    state.warmth > 0 || state.moved
}

/// The slots in Morton order of the molecules' centres.
fn in_morton_order(scene: &Scene) -> Vec<u32> {
    let mut low = DVec3::INFINITY;
    for molecule in scene.molecules() {
        low = low.min(molecule.pose.translation);
    }
    let key = |molecule: &Molecule| {
        let cell = ((molecule.pose.translation - low) / 8.0).clamp(DVec3::ZERO, DVec3::splat(2_097_151.0)).as_u64vec3();
        morton(cell.to_array())
    };
    let mut order: Vec<(u64, u32)> = scene.molecules().iter().map(key).zip(0..).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}
