//! The relaxation itself, one iteration at a time.
//!
//! How it works: molecules stand in Morton order of where they start, so that neighbours share cache lines. An iteration
//! visits the near pairs that have a molecule awake, adds up each molecule's contacts in fixed point, and moves the
//! molecules that are warm. A molecule that overlaps is hot; warmth fades with time and with each molecule that it is passed
//! on to; a molecule that is neither warm nor has just moved sleeps. Two sleeping molecules do not overlap, because they did not
//! when they were last looked at and have not moved since. So the last stragglers cost what they and their neighbours
//! cost, and at rest nothing is visited at all.

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, Ordering};

use glam::{DMat3, DQuat, DVec3, Vec3};
use rayon::prelude::*;
use steric_collide::{OverlapSearch, RigidPairs, RigidTouch, RigidVisitor};
use steric_model::{Molecule, MoleculeId, Pose, Random, Scene};

use super::hold::Hold;
use super::options::{RelaxOptions, ResponseKind};
use super::{Setup, pulls};
use crate::respond::{Body, Contact, MOST_SUMS, Motion, Newton, Projection, Response, Sides, Thesis};

/// Sums are whole multiples of one part in this many.
const STEPS_PER_UNIT: f64 = (1u64 << 24) as f64;
/// Depths are whole multiples of one part in this many of an angstrom.
const STEPS_PER_ANGSTROM: f32 = (1 << 20) as f32;
/// Width of the skin of the near list, in angstroms, once most molecules move less than half of it.
const SKIN: f64 = 1.2;
/// How warm a molecule is that overlaps, in iterations.
const HOT: u8 = 8;
/// How much warmth is lost from one molecule to the next.
const PASSED_ON: u8 = 2;

/// A molecule on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) momentum: Motion,
    /// What it is about to do in this iteration.
    motion: Motion,
    /// The outward normal of the surface that holds it, or zero.
    pub(super) normal: Vec3,
    // One over its mass, 0 if it is fixed, and over its radius of gyration: what every contact asks for.
    mobility: f32,
    inverse_gyration: f32,
    pub(super) group: u32,
    /// For how many iterations it has overlapped without a break.
    pub(super) dirty_for: u16,
    pub(super) warmth: u8,
    pub(super) moved: bool,
    pub(super) fixed: bool,
    pub(super) broken: bool,
}

/// What the threads add up for one molecule.
#[derive(Debug, Default)]
struct Tally {
    contacts: AtomicU32,
    deepest: AtomicU32,
    warmth: AtomicU8,
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
    pairs: Option<RigidPairs>,
    // How many molecules went farther in the last iteration than half a skin.
    far: u32,
    sums: Vec<AtomicI64>,
    tallies: Vec<Tally>,
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
                warmth: 1,
                moved: true,
                fixed,
                broken: false,
            }
        };
        let states: Vec<State> = ids.iter().map(state).collect();
        let start = sorted.molecules().iter().map(|molecule| molecule.pose).collect();
        let tallies = states.iter().map(|_| Tally::default()).collect();
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
            pairs: None,
            far: u32::MAX,
            sums: Vec::new(),
            tallies,
        }
    }

    /// One iteration with the response of the options.
    pub fn step(&mut self) -> Iteration {
        let RelaxOptions { step, damping, momentum, .. } = self.options;
        let or = |value: f64, default: f64| if value > 0.0 { value } else { default };
        let momentum = |default: f64| if momentum >= 0.0 { momentum } else { default };
        match self.options.response {
            ResponseKind::Newton => {
                let Newton { step: own, momentum: kept, .. } = Newton::default();
                self.step_with(&Newton { step: or(step, own), damping, momentum: momentum(kept) })
            }
            ResponseKind::Projection => {
                let Projection { step: own, momentum: kept } = Projection::default();
                self.step_with(&Projection { step: or(step, own), momentum: momentum(kept) })
            }
            ResponseKind::Thesis => {
                let RelaxOptions { thesis_force, thesis_torque, thesis_spring, thesis_spring_torque, .. } =
                    self.options;
                self.step_with(&Thesis {
                    force: thesis_force,
                    torque: thesis_torque,
                    spring: thesis_spring,
                    spring_torque: thesis_spring_torque,
                })
            }
        }
    }

    /// One iteration with a response of one's own.
    pub fn step_with<R: Response>(&mut self, response: &R) -> Iteration {
        if self.rests {
            return self.nothing_to_do();
        }
        let started = std::time::Instant::now();
        let mut lap = started;
        let mut milliseconds = [0.0; 3];
        let mut clock = |stage: usize| {
            let now = std::time::Instant::now();
            milliseconds[stage] += 1e3 * (now - lap).as_secs_f64();
            lap = now;
        };
        let searched = self.make_list();
        clock(0);
        if self.sums.len() != R::SUMS * self.states.len() {
            self.sums = (0..R::SUMS * self.states.len()).map(|_| AtomicI64::new(0)).collect();
        }
        let seen = self.gather(response);
        clock(1);
        let first = !self.disturbed && seen.overlaps > 0;
        self.disturbed |= first;
        let moved = self.move_all(response, &seen);
        if first {
            // Until now only overlaps were looked for; from now on everyone needs the clearance.
            self.states.par_iter_mut().for_each(|state| state.warmth = state.warmth.max(1));
        }
        clock(2);
        let iteration = Iteration { searched, milliseconds, ..moved };
        self.rests = iteration.overlapping + iteration.broken == 0;
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

    /// Makes the list of near pairs again, or patches it, if it no longer holds every pair that matters.
    fn make_list(&mut self) -> bool {
        let Self { scene, states, pairs, .. } = self;
        let stale = match pairs {
            None => Vec::new(),
            Some(pairs) => {
                let moved = (0..states.len() as u32).into_par_iter().filter(|&slot| states[slot as usize].moved);
                let stale: Vec<u32> = moved.filter(|&slot| !pairs.covers(scene, slot)).collect();
                if stale.is_empty() {
                    return false;
                }
                stale
            }
        };
        self.searches += 1;
        let (least, _) = scene.radii().unwrap_or((0.0, 0.0));
        let margin = contact_margin(&self.options, least, self.allow);
        let pairs = pairs.get_or_insert_with(|| {
            RigidPairs::new(scene, OverlapSearch { allow: self.allow - margin, ..OverlapSearch::default() })
        });
        // Each stale molecule has some ten neighbours, and a patch reaches wide: beyond a hundredth of the molecules a new
        // list without a skin costs less.
        let few = (states.len() / 100).max(20);
        let has_room = pairs.patches() < RigidPairs::MOST_PATCHES && pairs.patched() <= states.len() / 4;
        if !stale.is_empty() && stale.len() <= few && has_room {
            pairs.patch(scene, &stale);
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

    fn gather<R: Response>(&self, response: &R) -> Seen {
        let Some(pairs) = &self.pairs else { return Seen::default() };
        let law = Law::new(self);
        let gather = || Gather { relax: self, law: &law, response, seen: Seen::default(), desk: Vec::new() };
        let states = &self.states;
        let sleep = self.options.sleep;
        let seen = pairs.visit(&self.scene, |slot| !sleep || is_awake(&states[slot as usize]), gather);
        seen.iter().fold(Seen::default(), |sum, gather| sum.join(&gather.seen))
    }

    /// Moves every molecule that is warm, and forgets its sums.
    fn move_all<R: Response>(&mut self, response: &R, seen: &Seen) -> Iteration {
        let Self { scene, states, start, groups, bodies, sums, tallies, options, iteration, ids, seed, .. } = self;
        let jolted = jolted(states, tallies, options, *iteration, ids, *seed);
        let mover = Mover { groups, bodies, options, iteration: *iteration, jolted: &jolted, seed: *seed, response };
        let moved: Moved = scene
            .molecules()
            .par_iter()
            .zip(states.par_iter_mut())
            .zip(start.par_iter().zip(ids.par_iter()))
            .zip(sums.par_chunks(R::SUMS).zip(tallies.par_iter()))
            .with_min_len(256)
            .map(|(((molecule, state), (start, id)), (sums, tally))| {
                mover.one(scene, molecule, state, start, *id, sums, tally)
            })
            .reduce(Moved::default, Moved::join);
        self.far = moved.far;
        self.apply(moved.overlapping + moved.broken == 0);
        Iteration {
            overlaps: seen.overlaps,
            overlapping: moved.overlapping,
            deepest: f64::from(seen.deepest),
            mean_depth: if seen.overlaps > 0 {
                seen.depth as f64 / f64::from(STEPS_PER_ANGSTROM) / seen.overlaps as f64
            } else {
                0.0
            },
            broken: moved.broken,
            awake: moved.awake,
            moved: moved.moved,
            farthest: moved.farthest,
            ..Iteration::default()
        }
    }

    /// Moves a molecule by hand, in angstroms; the next iteration looks at it and at what it meets.
    pub fn nudge(&mut self, molecule: MoleculeId, shift: DVec3) {
        let Some(slot) = self.ids.iter().position(|&id| id == molecule.0) else { return };
        if self.states[slot].fixed || !shift.is_finite() {
            return;
        }
        self.scene.molecules_mut()[slot].pose.translation += shift;
        (self.states[slot].moved, self.states[slot].warmth) = (true, HOT);
        self.rests = false;
        self.forget_list();
    }

    /// Makes the steps that were decided on. Where nothing overlaps and nothing is broken, nobody moves any more.
    fn apply(&mut self, rests: bool) {
        if rests {
            let asleep =
                |state: &mut State| (state.moved, state.warmth, state.momentum) = (false, 0, Motion::default());
            self.states.par_iter_mut().for_each(asleep);
            return;
        }
        self.scene.molecules_mut().par_iter_mut().zip(&self.states).with_min_len(1_024).for_each(
            |(molecule, state)| {
                if state.moved {
                    molecule.pose = moved(molecule.pose, state.motion);
                }
            },
        );
        if let Some(pairs) = &mut self.pairs {
            pairs.turn(&self.scene, |slot| self.states[slot as usize].moved);
        }
    }

    /// Forgets the near pairs, because molecules stand elsewhere now.
    pub(super) fn forget_list(&mut self) {
        self.pairs = None;
    }

    /// The poses of all molecules, in the order of the setup.
    pub fn poses(&self) -> Vec<Pose> {
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

/// A number that changes when any bit of any pose changes (FNV-1a over the words).
pub fn state_hash(poses: &[Pose]) -> u64 {
    poses
        .iter()
        .flat_map(Pose::to_bits)
        .fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}

fn is_awake(state: &State) -> bool {
    state.warmth > 0 || state.moved
}

/// How much farther than they must atoms are pushed apart, in angstroms.
fn contact_margin(options: &RelaxOptions, least_radius: f32, allow: f32) -> f32 {
    let contact = (2.0 * least_radius - allow).max(0.0);
    ((options.target as f32 - 1.0) * contact).max(options.clearance as f32)
}

/// The slots in Morton order of the molecules' centres.
fn in_morton_order(scene: &Scene) -> Vec<u32> {
    let mut low = DVec3::INFINITY;
    for molecule in scene.molecules() {
        low = low.min(molecule.pose.translation);
    }
    let key = |molecule: &Molecule| {
        let cell = ((molecule.pose.translation - low) / 8.0).clamp(DVec3::ZERO, DVec3::splat(2_097_151.0)).as_u64vec3();
        spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
    };
    let mut order: Vec<(u64, u32)> = scene.molecules().iter().map(key).zip(0..).collect();
    order.par_sort_unstable();
    order.into_iter().map(|(_, id)| id).collect()
}

/// Puts two zero bits after each of the lowest 21 bits.
fn spread(bits: u64) -> u64 {
    let bits = bits & 0x1f_ffff;
    let bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    let bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    let bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    let bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

/// What a contact is, in this iteration.
struct Law {
    /// Beyond the sum of radii atoms are pushed up to here, and count as overlapping up to there, in angstroms.
    reach: f32,
    clear: f32,
    overlap: f32,
    bias: f32,
    early: bool,
    bias_after: u16,
    ramp: f32,
}

impl Law {
    fn new(relax: &Relax) -> Self {
        let (least, _) = relax.scene.radii().unwrap_or((0.0, 0.0));
        let slack = relax.options.slack as f32;
        let clearance = if relax.disturbed { relax.options.clearance as f32 } else { 0.0 };
        let biased = relax.options.response != ResponseKind::Thesis;
        Self {
            reach: contact_margin(&relax.options, least, relax.allow) - relax.allow,
            clear: clearance - slack - relax.allow,
            overlap: -slack - relax.allow,
            bias: if biased { relax.options.bias as f32 } else { 0.0 },
            early: relax.iteration < relax.options.bias_iterations,
            bias_after: relax.options.bias_after.min(u32::from(u16::MAX)) as u16,
            ramp: 1.0 / relax.options.bias_ramp.max(1) as f32,
        }
    }
}

/// What was seen of all contacts. Sums are whole numbers, so that their order does not matter.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    overlaps: u64,
    depth: u64,
    deepest: f32,
}

impl Seen {
    fn join(self, other: &Self) -> Self {
        Self {
            overlaps: self.overlaps + other.overlaps,
            depth: self.depth + other.depth,
            deepest: self.deepest.max(other.deepest),
        }
    }
}

struct Gather<'a, R> {
    relax: &'a Relax,
    law: &'a Law,
    response: &'a R,
    seen: Seen,
    // The sums of molecules that were met lately, before they are added to what all threads know: a slot's place is its
    // number modulo the desk's size, and neighbours have neighbouring numbers.
    desk: Vec<Note>,
}

/// How many molecules a piece of the list keeps on its desk.
const DESK: usize = 256;

/// The sums of one molecule on the desk.
#[derive(Clone, Copy)]
struct Note {
    slot: u32,
    contacts: u32,
    deepest: u32,
    warmth: u8,
    sums: [i64; MOST_SUMS],
}

const NO_NOTE: Note = Note { slot: u32::MAX, contacts: 0, deepest: 0, warmth: 0, sums: [0; MOST_SUMS] };

impl<R: Response> RigidVisitor for Gather<'_, R> {
    #[inline(always)]
    fn touch(&mut self, touch: &RigidTouch<'_>) {
        let Relax { scene, states, bodies, .. } = self.relax;
        let slots = touch.molecules.map(|slot| slot as usize);
        let [a, b] = slots.map(|slot| &states[slot]);
        if a.fixed && b.fixed {
            return;
        }
        let molecules = slots.map(|slot| &scene.molecules()[slot]);
        let sides = Sides {
            bodies: molecules.map(|molecule| &bodies[molecule.kind.0 as usize]),
            mobility: [a.mobility, b.mobility],
            inverse_gyration: [a.inverse_gyration, b.inverse_gyration],
            rotations: molecules.map(|molecule| &molecule.pose.rotation),
        };
        let along = along(touch.between, a.normal);
        let stuck = f32::from(a.dirty_for.min(b.dirty_for).saturating_sub(self.law.bias_after)) * self.law.ramp;
        let mut sums = [[[0f32; 8]; 7]; 2];
        let (mut contacts, mut deepest) = (0, 0f32);
        for (lane, other) in touch.lanes() {
            let arms = [touch.arm(0, lane), touch.arm(1, other)];
            let between = arms[0] + touch.between - arms[1];
            let radii = touch.radii[0][lane] + touch.radii[1][other];
            let distance = between.length();
            let normal = if distance > 1e-4 { between / distance } else { apart(touch, lane, other) };
            let limit = radii + self.law.reach;
            let mut contact = Contact { molecules: touch.molecules, normal, depth: limit - distance, distance, arms };
            let unclear = radii + self.law.clear - distance;
            if self.law.early || (stuck > 0.0 && unclear > 0.0) {
                let weight = (contact.depth / limit).max(stuck.min(1.0));
                contact.normal = lean(normal, along, self.law.bias * weight);
            }
            contacts += 1;
            deepest = deepest.max(unclear);
            let overlap = radii + self.law.overlap - distance;
            if overlap > 0.0 {
                self.seen.overlaps += 1;
                self.seen.depth += (overlap * STEPS_PER_ANGSTROM) as u64;
                self.seen.deepest = self.seen.deepest.max(overlap);
            }
            if !a.fixed {
                self.response.add(&contact, 0, &sides, &mut sums[0]);
            }
            if !b.fixed {
                self.response.add(&contact, 1, &sides, &mut sums[1]);
            }
        }
        let passed = [b.warmth, a.warmth];
        for side in 0..2 {
            if sides.mobility[side] > 0.0 {
                let kept = self.response.kept(&sums[side]);
                self.store(slots[side], &kept, contacts, deepest, passed[side]);
            }
        }
    }

    fn end(&mut self) {
        (0..self.desk.len()).for_each(|place| self.put_away(place));
        self.desk = Vec::new();
    }
}

impl<R: Response> Gather<'_, R> {
    /// Adds to the sums of a molecule, on the desk.
    #[inline(always)]
    fn store(&mut self, slot: usize, sums: &[f32; MOST_SUMS], contacts: u32, deepest: f32, warmth: u8) {
        if self.desk.is_empty() {
            self.desk.resize(DESK, NO_NOTE);
        }
        let place = slot % DESK;
        if self.desk[place].slot != slot as u32 {
            self.put_away(place);
            self.desk[place] = Note { slot: slot as u32, ..NO_NOTE };
        }
        let note = &mut self.desk[place];
        for (to, &sum) in note.sums[..R::SUMS].iter_mut().zip(sums) {
            *to = to.wrapping_add(in_steps(sum));
        }
        note.contacts += contacts;
        if deepest > 0.0 {
            note.deepest = note.deepest.max((deepest * STEPS_PER_ANGSTROM) as u32 + 1);
        }
        note.warmth = note.warmth.max(warmth.saturating_sub(PASSED_ON));
    }

    /// Adds a note of the desk to what all threads know of its molecule.
    fn put_away(&self, place: usize) {
        let Note { slot, contacts, deepest, warmth, sums } = &self.desk[place];
        if *slot == u32::MAX {
            return;
        }
        let slot = *slot as usize;
        for (shared, &sum) in self.relax.sums[slot * R::SUMS..][..R::SUMS].iter().zip(sums) {
            shared.fetch_add(sum, Ordering::Relaxed);
        }
        let tally = &self.relax.tallies[slot];
        tally.contacts.fetch_add(*contacts, Ordering::Relaxed);
        if *deepest > 0 {
            tally.deepest.fetch_max(*deepest, Ordering::Relaxed);
        }
        if *warmth > 0 {
            tally.warmth.fetch_max(*warmth, Ordering::Relaxed);
        }
    }
}

/// The nearest whole number of steps. Adding this much leaves no bits behind the point, and is done for four lanes at once.
#[inline(always)]
fn in_steps(sum: f32) -> i64 {
    const SHIFT: f64 = (1u64 << 52) as f64 * 1.5;
    let steps = (f64::from(sum) * STEPS_PER_UNIT).clamp(-MOST_STEPS, MOST_STEPS);
    (steps + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i64
}

/// What one touch can add at most, far beyond any real sum.
const MOST_STEPS: f64 = (1u64 << 50) as f64;

/// From the second molecule's centre to the first's, in the membrane where there is one; zero where they coincide.
#[inline(always)]
fn along(between: Vec3, normal: Vec3) -> Vec3 {
    let flat = between - normal * between.dot(normal);
    let length = flat.length();
    if length > 1e-3 { flat / length } else { Vec3::ZERO }
}

#[inline(always)]
fn lean(normal: Vec3, along: Vec3, weight: f32) -> Vec3 {
    let leaning = normal + along * weight;
    let length = leaning.length();
    if length > 0.1 { leaning / length } else { normal }
}

/// A way out for two atoms in the same place: along the line of the centres, or by a hash of who they are.
#[cold]
fn apart(touch: &RigidTouch<'_>, lane: usize, other: usize) -> Vec3 {
    if touch.between.length_squared() > 1e-6 {
        return touch.between.normalize_or(Vec3::X);
    }
    let [a, b] = touch.molecules.map(u64::from);
    Random::of(a << 32 | b, (lane * 8 + other) as u64).direction().as_vec3()
}

/// What was seen of all molecules.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    overlapping: u32,
    broken: u32,
    awake: u32,
    moved: u32,
    far: u32,
    farthest: f64,
}

impl Moved {
    fn join(self, other: Self) -> Self {
        Self {
            overlapping: self.overlapping + other.overlapping,
            broken: self.broken + other.broken,
            awake: self.awake + other.awake,
            moved: self.moved + other.moved,
            far: self.far + other.far,
            farthest: self.farthest.max(other.farthest),
        }
    }
}

struct Mover<'a, R> {
    groups: &'a [Vec<Hold>],
    bodies: &'a [Body],
    options: &'a RelaxOptions,
    iteration: u32,
    jolted: &'a [u32],
    seed: u64,
    response: &'a R,
}

impl<R: Response> Mover<'_, R> {
    #[expect(clippy::too_many_arguments, reason = "what is known of one molecule stands in several arrays")]
    fn one(
        &self,
        types: &Scene,
        molecule: &Molecule,
        state: &mut State,
        start: &Pose,
        id: u32,
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
            if self.jolted.binary_search(&id).is_ok() {
                state.momentum = Motion::default();
                state.dirty_for = 0;
                motion = self.jolt(id);
            }
            motion = capped(motion, body, self.options.max_move);
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
        }
    }

    fn jolt(&self, id: u32) -> Motion {
        let mut random = Random::of(self.seed ^ u64::from(self.iteration) << 32, id.into());
        Motion {
            shift: random.direction() * self.options.jolt_shift,
            turn: random.direction() * self.options.jolt_turn_degrees.to_radians(),
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

fn capped(motion: Motion, body: &Body, most: f64) -> Motion {
    let way = motion.shift.length() + 1.5 * motion.turn.length() * body.gyration;
    if !way.is_finite() {
        return Motion::default();
    }
    if way > most { motion * (most / way) } else { motion }
}

fn moved(pose: Pose, motion: Motion) -> Pose {
    let turn = DQuat::from_scaled_axis(motion.turn);
    Pose { rotation: (turn * pose.rotation).normalize(), translation: pose.translation + motion.shift }
}

/// The molecules to jolt in this iteration, by id, in order: the deepest of those that have overlapped for long; of
/// neighbours only some, by the toss of a coin.
fn jolted(
    states: &[State],
    tallies: &[Tally],
    options: &RelaxOptions,
    iteration: u32,
    ids: &[u32],
    seed: u64,
) -> Vec<u32> {
    if options.jolt_every == 0 || iteration == 0 || !iteration.is_multiple_of(options.jolt_every) {
        return Vec::new();
    }
    let stuck = |&slot: &usize| u32::from(states[slot].dirty_for) >= options.jolt_after && !states[slot].fixed;
    let mut worst: Vec<(u32, u32)> = (0..states.len())
        .filter(stuck)
        .map(|slot| (tallies[slot].deepest.load(Ordering::Relaxed), ids[slot]))
        .filter(|&(deepest, id)| deepest > 0 && Random::of(seed.wrapping_add(iteration.into()), id.into()).unit() < 0.5)
        .collect();
    worst.sort_unstable_by(|a, b| b.cmp(a));
    worst.truncate((options.jolt_fraction * states.len() as f64).ceil() as usize);
    let mut ids: Vec<u32> = worst.into_iter().map(|(_, id)| id).collect();
    ids.sort_unstable();
    ids
}
