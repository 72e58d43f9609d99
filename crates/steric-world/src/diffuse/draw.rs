//! Paths for a step: random displacements, or straight on; and memory in the order of space.

use glam::DVec3;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::particles::Moving;
use super::random::{self, AT_ONCE, Purpose};
use super::setup::{Motion, Species};
use super::world::{Diffusion, PIECE};

impl Diffusion {
    /// Neighbours in space become neighbours in memory.
    pub(super) fn sort_memory(&mut self) {
        let scale = DVec3::splat(1023.0) / self.space.edges;
        let mut order: Vec<(u32, u32)> = (0..self.len() as u32)
            .map(|slot| {
                let at = (self.particles.moving[slot as usize].at - self.space.low) * scale;
                let spread = |x: f64| {
                    // Ten bits, two apart.
                    let x = x.clamp(0.0, 1023.0) as u32;
                    let x = (x | x << 16) & 0x0300_00ff;
                    let x = (x | x << 8) & 0x0300_f00f;
                    let x = (x | x << 4) & 0x030c_30c3;
                    (x | x << 2) & 0x0924_9249
                };
                (spread(at.x) | spread(at.y) << 1 | spread(at.z) << 2, slot)
            })
            .collect();
        order.par_sort_unstable_by_key(|&(key, slot)| (key, self.particles.ids[slot as usize]));
        let order: Vec<u32> = order.into_iter().map(|(_, slot)| slot).collect();
        self.particles.keep(&order);
    }

    /// Gives everyone a path for this step.
    pub(super) fn draw(&mut self) {
        let dt = self.setup.options.time_step;
        let laws: Vec<Law> =
            self.setup.species.iter().map(|species| Law::new(species, self.setup.motion, dt)).collect();
        let (seed, step, is_flat) = (self.setup.options.seed, self.step, self.setup.dimensions == 2);
        let motion = self.setup.motion;
        let groups = (!self.groups.is_empty()).then_some(&self.particles.groups);
        let pieces = self.particles.moving.par_chunks_mut(PIECE).zip(self.particles.ids.par_chunks(PIECE)).enumerate();
        let fastest = pieces
            .map(|(_, (moving, ids))| {
                if motion == Motion::Brownian {
                    Arch::new().dispatch(Draw { moving, ids, laws: &laws, seed, step, is_flat })
                } else {
                    moving.iter_mut().map(|moving| coast(moving, &laws, is_flat)).fold(0.0, f64::max)
                }
            })
            .reduce(|| 0.0, f64::max);
        self.fastest = fastest.sqrt();
        if groups.is_some() {
            self.draw_groups(&laws);
        }
    }

    /// A cluster is dragged by all of its members: one over its diffusion is the sum of one over theirs.
    fn draw_groups(&mut self, laws: &[Law]) {
        for group in self.groups.all.iter().filter(|group| !group.members.is_empty()) {
            let slots = || group.members.iter().map(|&id| self.particles.slots[id as usize] as usize);
            let moving = |slot: usize| &self.particles.moving[slot];
            let velocity = match self.setup.motion {
                Motion::Brownian => {
                    let drag = |slot: usize| 1.0 / laws[moving(slot).kind as usize].variance.max(f64::MIN_POSITIVE);
                    let total: f64 = slots().map(drag).sum();
                    let first = group.members.iter().copied().min().unwrap_or_default();
                    let normals = random::normals_of(self.setup.options.seed, self.step, Purpose::Motion, first);
                    let drift = slots()
                        .map(|slot| laws[moving(slot).kind as usize].drift(moving(slot).at) * drag(slot))
                        .sum::<DVec3>();
                    let width = if total.is_finite() && total < 1e300 { (1.0 / total).sqrt() } else { 0.0 };
                    let drift = if width > 0.0 { drift / total } else { DVec3::ZERO };
                    flattened(DVec3::from_array(normals) * width + drift, self.setup.dimensions == 2)
                }
                // All have the same velocity, and were driven by the same field; the heavier counts more.
                Motion::Ballistic => {
                    let mass = |slot: usize| self.kinds.masses[moving(slot).kind as usize];
                    slots().map(|slot| moving(slot).velocity * mass(slot)).sum::<DVec3>() / group.mass
                }
            };
            self.fastest = self.fastest.max(velocity.length());
            for &id in &group.members {
                self.particles.moving[self.particles.slots[id as usize] as usize].velocity = velocity;
            }
        }
    }
}

/// How a species moves in a step.
#[derive(Clone, Copy, Debug)]
struct Law {
    /// Of a displacement along one axis.
    variance: f64,
    width: f64,
    push: DVec3,
    trap: DVec3,
    pull: f64,
}

impl Law {
    fn new(species: &Species, motion: Motion, dt: f64) -> Self {
        let time = if motion == Motion::Brownian { dt } else { dt * dt };
        let variance = 2.0 * species.diffusion * dt;
        let (trap, pull) = species.trap.unwrap_or_default();
        Self { variance, width: variance.sqrt(), push: species.drift * time, trap, pull: pull * time }
    }

    #[inline(always)]
    fn drift(&self, at: DVec3) -> DVec3 {
        // Most have no trap, and need not be told where they are.
        if self.pull == 0.0 { self.push } else { self.push + (self.trap - at) * self.pull }
    }
}

#[inline(always)]
fn flattened(mut velocity: DVec3, is_flat: bool) -> DVec3 {
    if is_flat {
        velocity.z = 0.0;
    }
    velocity
}

/// Straight on, but for fields; tells the squared speed.
fn coast(moving: &mut Moving, laws: &[Law], is_flat: bool) -> f64 {
    let velocity = moving.velocity + laws[moving.kind as usize].drift(moving.at);
    *moving = Moving { since: 0.0, count: 0, state: 0, velocity: flattened(velocity, is_flat), ..*moving };
    moving.velocity.length_squared()
}

/// Draws displacements, many at a time; tells the largest squared one.
struct Draw<'a> {
    moving: &'a mut [Moving],
    ids: &'a [u32],
    laws: &'a [Law],
    seed: u64,
    step: u64,
    is_flat: bool,
}

impl WithSimd for Draw<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> f64 {
        let Self { moving, ids, laws, seed, step, is_flat } = self;
        let mut fastest = 0.0f64;
        for (moving, ids) in moving.chunks_mut(AT_ONCE).zip(ids.chunks(AT_ONCE)) {
            let mut numbers = [0; AT_ONCE];
            numbers[..ids.len()].copy_from_slice(ids);
            let [x, y, z] = random::normals(seed, step, Purpose::Motion, numbers);
            for (lane, moving) in moving.iter_mut().enumerate() {
                let law = &laws[moving.kind as usize];
                let velocity = DVec3::new(x[lane], y[lane], z[lane]) * law.width + law.drift(moving.at);
                let velocity = flattened(velocity, is_flat);
                *moving = Moving { since: 0.0, count: 0, state: 0, velocity, ..*moving };
                let squared = velocity.length_squared();
                fastest = if squared > fastest { squared } else { fastest };
            }
        }
        fastest
    }
}
