//! Clusters: particles that hold on to each other and move as one.
//!
//! How it works: a cluster is rigid. It knows where its members stand from its first one, so that it can be turned, also across the border of a box that repeats.
//! Bonds are kept one by one: when one opens, the cluster falls into what is still connected.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::particles::{ALONE, Particles};

/// A cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    /// Numbers of particles; empty for a cluster that is no more.
    pub(super) members: Vec<u32>,
    /// Where each stands from the first.
    pub(super) places: Vec<DVec3>,
    pub(super) mass: f64,
    /// What it goes on with after the step in which it was formed, in ballistic motion.
    pub(super) velocity: DVec3,
}

/// A bond between two particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bond {
    pub(super) pair: [u32; 2],
    /// How often it opens, in a unit of time.
    pub(super) breaks: f64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) all: Vec<Group>,
    pub(super) bonds: Vec<Bond>,
    /// Clusters that are no more, to be used again.
    pub(super) free: Vec<u32>,
}

impl Groups {
    pub(super) fn is_empty(&self) -> bool {
        self.all.len() == self.free.len()
    }

    /// Particles that move with one, itself among them.
    pub(super) fn size(&self, group: u32) -> usize {
        if group == ALONE { 1 } else { self.all[group as usize].members.len() }
    }

    /// Joins two particles with all that hold on to them; `apart` leads from the first to the second.
    pub(super) fn bind(
        &mut self,
        particles: &mut Particles,
        [a, b]: [u32; 2],
        apart: DVec3,
        masses: &[f64],
        breaks: f64,
    ) {
        let momentum = |groups: &Self, slot: u32| {
            let moving = &particles.moving[slot as usize];
            let group = particles.groups[slot as usize];
            let mass = if group == ALONE { masses[moving.kind as usize] } else { groups.all[group as usize].mass };
            // One that was bound in this step stands still, and remembers.
            let velocity = if moving.state & super::particles::FROZEN != 0 && group != ALONE {
                groups.all[group as usize].velocity
            } else {
                moving.velocity
            };
            (mass, velocity * mass)
        };
        let ((mass_a, one), (mass_b, other)) = (momentum(self, a), momentum(self, b));
        let first = self.of(particles, a);
        let second = self.of(particles, b);
        let place = |groups: &Self, group: u32, slot: u32| {
            let (group, id) = (&groups.all[group as usize], particles.ids[slot as usize]);
            let at = group.members.iter().position(|&member| member == id).unwrap_or(0);
            group.places[at]
        };
        let shift = place(self, first, a) + apart - place(self, second, b);
        let gone = std::mem::take(&mut self.all[second as usize]);
        self.free.push(second);
        let group = &mut self.all[first as usize];
        for (member, at) in gone.members.iter().zip(gone.places) {
            group.members.push(*member);
            group.places.push(at + shift);
            particles.groups[particles.slots[*member as usize] as usize] = first;
        }
        group.mass = mass_a + mass_b;
        group.velocity = (one + other) / (mass_a + mass_b);
        let pair = [particles.ids[a as usize], particles.ids[b as usize]];
        self.bonds.push(Bond { pair, breaks });
    }

    /// The cluster of a particle; one that is alone gets a cluster of its own.
    fn of(&mut self, particles: &mut Particles, slot: u32) -> u32 {
        let known = particles.groups[slot as usize];
        if known != ALONE {
            return known;
        }
        let group =
            Group { members: vec![particles.ids[slot as usize]], places: vec![DVec3::ZERO], ..Group::default() };
        let number = match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = group;
                number
            }
            None => {
                self.all.push(group);
                self.all.len() as u32 - 1
            }
        };
        particles.groups[slot as usize] = number;
        number
    }

    /// Opens bonds, and lets clusters fall into what still holds together; particles that were taken away leave first.
    pub(super) fn open(&mut self, particles: &mut Particles, masses: &[f64], opens: impl Fn(&Bond) -> bool) -> usize {
        let before = self.bonds.len();
        let mut torn: Vec<u32> = Vec::new();
        self.bonds.retain(|bond| {
            let stays = !opens(bond);
            if !stays {
                let slots = bond.pair.map(|id| particles.slots[id as usize]);
                torn.extend(slots.iter().filter_map(|&slot| particles.groups.get(slot as usize)));
            }
            stays
        });
        torn.retain(|&group| group != ALONE);
        torn.sort_unstable();
        torn.dedup();
        if !torn.is_empty() {
            self.fall_apart(particles, masses, &torn);
        }
        before - self.bonds.len()
    }

    fn fall_apart(&mut self, particles: &mut Particles, masses: &[f64], torn: &[u32]) {
        let mut partners: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for bond in &self.bonds {
            partners.entry(bond.pair[0]).or_default().push(bond.pair[1]);
            partners.entry(bond.pair[1]).or_default().push(bond.pair[0]);
        }
        for &number in torn {
            let whole = std::mem::take(&mut self.all[number as usize]);
            self.free.push(number);
            let places: FxHashMap<u32, DVec3> =
                whole.members.iter().copied().zip(whole.places.iter().copied()).collect();
            for id in &whole.members {
                particles.groups[particles.slots[*id as usize] as usize] = ALONE;
            }
            let mut seen: rustc_hash::FxHashSet<u32> = rustc_hash::FxHashSet::default();
            for &start in &whole.members {
                if !seen.insert(start) {
                    continue;
                }
                let mut part = vec![start];
                let mut next = 0;
                while next < part.len() {
                    for &other in partners.get(&part[next]).into_iter().flatten() {
                        if seen.insert(other) {
                            part.push(other);
                        }
                    }
                    next += 1;
                }
                if part.len() > 1 {
                    let slot = particles.slots[start as usize];
                    let group = self.of(particles, slot);
                    let kind = |id: u32| particles.moving[particles.slots[id as usize] as usize].kind as usize;
                    let mass = part.iter().map(|&id| masses[kind(id)]).sum();
                    for id in &part {
                        particles.groups[particles.slots[*id as usize] as usize] = group;
                    }
                    let places = part.iter().map(|id| places[id] - places[&start]).collect();
                    self.all[group as usize] = Group { members: part, places, mass, velocity: whole.velocity };
                }
            }
        }
    }

    /// How many clusters there are of each size, those that are alone among them; the first is of size 1.
    pub(super) fn sizes(&self, particles: usize) -> Vec<u64> {
        let bound: usize = self.all.iter().map(|group| group.members.len()).sum();
        let mut sizes = vec![(particles - bound) as u64];
        for group in self.all.iter().filter(|group| !group.members.is_empty()) {
            let size = group.members.len();
            sizes.resize(sizes.len().max(size), 0);
            sizes[size - 1] += 1;
        }
        sizes
    }
}
