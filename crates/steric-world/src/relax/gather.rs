//! What an iteration sees: the contacts of the near pairs, added up for each molecule.
//!
//! How it works: the contacts of two clusters are added up in single precision, in the order of the lanes, and rounded to
//! fixed point. From there on they are whole numbers: on the desk of the thread that visits a piece of the list, then in what all
//! threads share. So neither the order of pairs nor the number of threads can change a bit.

use std::sync::atomic::Ordering;

use glam::Vec3;
use steric_collide::{RigidTouch, RigidVisitor};
use steric_model::Random;

use super::options::{RelaxOptions, ResponseKind};
use super::world::Relax;
use crate::respond::{Contact, MOST_SUMS, Response, Sides};

/// Sums are whole multiples of one part in this many.
pub(super) const STEPS_PER_UNIT: f64 = (1u64 << 24) as f64;
/// Depths are whole multiples of one part in this many of an angstrom.
pub(super) const STEPS_PER_ANGSTROM: f32 = (1 << 20) as f32;
/// How much warmth is lost from one molecule to the next.
const PASSED_ON: u8 = 2;

/// What a contact is, in this iteration.
pub(super) struct Law {
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
    pub(super) fn new(relax: &Relax) -> Self {
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
pub(super) struct Seen {
    pub(super) overlaps: u64,
    pub(super) depth: u64,
    pub(super) deepest: f32,
    /// Whether near pairs were searched anew.
    pub(super) searched: bool,
}

impl Seen {
    pub(super) fn join(self, other: &Self) -> Self {
        Self {
            overlaps: self.overlaps + other.overlaps,
            depth: self.depth + other.depth,
            deepest: self.deepest.max(other.deepest),
            searched: self.searched || other.searched,
        }
    }
}

pub(super) struct Gather<'a, R> {
    pub(super) relax: &'a Relax,
    pub(super) law: &'a Law,
    pub(super) response: &'a R,
    pub(super) seen: Seen,
    // The sums of molecules that were met lately, before they are added to what all threads know: a slot's place is its
    // number modulo the desk's size, and neighbours have neighbouring numbers.
    pub(super) desk: Vec<Note>,
}

/// How many molecules a piece of the list keeps on its desk.
const DESK: usize = 256;

/// The sums of one molecule on the desk.
#[derive(Clone, Copy)]
pub(super) struct Note {
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
        // What others own is met, but added up elsewhere.
        let is_own = slots.map(|slot| self.relax.is_own(slot));
        let along = along(touch.between, a.normal);
        let stuck = f32::from(a.dirty_for.min(b.dirty_for).saturating_sub(self.law.bias_after)) * self.law.ramp;
        let mut sums = [[[0f32; 8]; 7]; 2];
        let (mut contacts, mut deepest) = (0, 0f32);
        for (lane, other) in touch.lanes() {
            let arms = [touch.arm(0, lane), touch.arm(1, other)];
            let between = arms[0] + touch.between - arms[1];
            let radii = touch.radii[0][lane] + touch.radii[1][other];
            let distance = between.length();
            let normal = if distance > 1e-4 { between / distance } else { self.apart(touch, lane, other) };
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
            if overlap > 0.0 && is_own[0] {
                self.seen.overlaps += 1;
                self.seen.depth += (overlap * STEPS_PER_ANGSTROM) as u64;
                self.seen.deepest = self.seen.deepest.max(overlap);
            }
            if !a.fixed && is_own[0] {
                self.response.add(&contact, 0, &sides, &mut sums[0]);
            }
            if !b.fixed && is_own[1] {
                self.response.add(&contact, 1, &sides, &mut sums[1]);
            }
        }
        let passed = [b.warmth, a.warmth];
        for side in 0..2 {
            if sides.mobility[side] > 0.0 && is_own[side] {
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
    /// A way out for two atoms in the same place: along the line of the centres, or by a hash of who they are.
    #[cold]
    fn apart(&self, touch: &RigidTouch<'_>, lane: usize, other: usize) -> Vec3 {
        if touch.between.length_squared() > 1e-6 {
            return touch.between.normalize_or(Vec3::X);
        }
        let [a, b] = touch.molecules.map(|slot| u64::from(self.relax.order(slot)));
        Random::of(a << 32 | b, (lane * 8 + other) as u64).direction().as_vec3()
    }

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

/// How much farther than they must atoms are pushed apart, in angstroms.
pub(super) fn contact_margin(options: &RelaxOptions, least_radius: f32, allow: f32) -> f32 {
    let contact = (2.0 * least_radius - allow).max(0.0);
    ((options.target as f32 - 1.0) * contact).max(options.clearance as f32)
}
