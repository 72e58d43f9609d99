//! Particles put into a box at random, so that none overlap.

use glam::{DQuat, DVec3};
use steric_model::Random;

use super::particles::{HAIR, Kinds};
use super::random::{self, Purpose};
use super::rigid::{self, Flying};
use super::setup::{DiffuseError, Edge, Particle, Setup};

/// Places that are tried for a particle before there is no room.
const TRIES: usize = 20_000;

/// Puts so many of each species at random places where they overlap neither each other, nor the particles of the setup, nor walls and obstacles; the largest first. What
/// the setup has comes first in the result.
///
/// ```
/// use steric_world::diffuse::{Bounds, Edge, Setup, Species, fill};
///
/// let setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 10.0, 1.0)]);
/// assert_eq!(fill(&setup, &[50])?.len(), 50);
/// // Beyond 38 % of the volume nobody finds a place at random.
/// let error = fill(&setup, &[150]).unwrap_err().to_string();
/// assert!(error.starts_with("expected room for 150 of A, found room for "), "{error}");
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
pub fn fill(setup: &Setup, counts: &[usize]) -> Result<Vec<Particle>, DiffuseError> {
    super::check::check(setup)?;
    let kinds = Kinds::new(&setup.species);
    let mut places = Places::new(setup, &kinds, counts);
    setup.particles.iter().enumerate().for_each(|(number, particle)| places.add(number, particle));
    let mut particles = setup.particles.clone();
    let mut order: Vec<usize> = (0..setup.species.len().min(counts.len())).collect();
    order.sort_by(|&a, &b| setup.species[b].radius.total_cmp(&setup.species[a].radius));
    let mut random = Random::of(setup.options.seed, u64::MAX);
    for kind in order {
        for placed in 0..counts[kind] {
            let number = particles.len();
            let found = (0..TRIES).find_map(|_| {
                let at = places.anywhere(&mut random, kind);
                let particle = Particle { kind: kind as u16, at, velocity: DVec3::ZERO };
                places.is_free(number, &particle).then_some(particle)
            });
            let Some(particle) = found else {
                let name = setup.species[kind].name.clone();
                return Err(DiffuseError::NoRoom { name, wanted: counts[kind], placed });
            };
            places.add(number, &particle);
            particles.push(particle);
        }
    }
    Ok(particles)
}

/// Gives particles velocities of a normal distribution, one width for each species along each axis, with no momentum in all.
///
/// ```
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Motion, Setup, Species, fill, heat};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 0.0)]);
/// setup.motion = Motion::Ballistic;
/// setup.particles = fill(&setup, &[100])?;
/// heat(&mut setup, &[2.0]);
/// assert!(Diffusion::new(setup)?.momentum().length() < 1e-6);
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
pub fn heat(setup: &mut Setup, speeds: &[f64]) {
    let seed = setup.options.seed;
    for (number, particle) in setup.particles.iter_mut().enumerate() {
        let width = speeds.get(particle.kind as usize).copied().unwrap_or(0.0);
        let normals = random::normals_of(seed, 0, Purpose::Heat, number as u32);
        particle.velocity = DVec3::from_array(normals) * width;
        if setup.dimensions == 2 {
            particle.velocity.z = 0.0;
        }
    }
    let mass = |particle: &Particle| setup.species[particle.kind as usize].mass;
    let total: f64 = setup.particles.iter().map(mass).sum();
    let drift = setup.particles.iter().map(|particle| particle.velocity * mass(particle)).sum::<DVec3>() / total;
    if drift.is_finite() {
        setup.particles.iter_mut().for_each(|particle| particle.velocity -= drift);
    }
}

/// How a molecule is turned at first.
pub(super) fn first_turn(setup: &Setup, number: usize, kind: u16) -> DQuat {
    if setup.species[kind as usize].atoms.is_empty() {
        return DQuat::IDENTITY;
    }
    let turn = Random::of(setup.options.seed, number as u64).rotation();
    if setup.dimensions == 2 { DQuat::from_rotation_z(turn.x * 3.0) } else { turn }
}

/// Particles in cells as wide as the largest of them.
struct Places<'a> {
    setup: &'a Setup,
    kinds: &'a Kinds,
    cells: [usize; 3],
    lists: Vec<Vec<(u32, Particle)>>,
}

impl<'a> Places<'a> {
    fn new(setup: &'a Setup, kinds: &'a Kinds, counts: &[usize]) -> Self {
        let total = setup.particles.len() + counts.iter().sum::<usize>();
        let edges = setup.bounds.high - setup.bounds.low;
        let width = 2.0 * kinds.radii.iter().copied().fold(0.0, f64::max) * (1.0 + 2.0 * HAIR);
        let mut cells: [usize; 3] = std::array::from_fn(|axis| {
            if axis < setup.dimensions { (edges[axis] / width).floor().clamp(1.0, 1e6) as usize } else { 1 }
        });
        while cells.iter().product::<usize>() > 8 * total + 64 {
            cells = cells.map(|cells| cells.div_ceil(2));
        }
        Self { setup, kinds, cells, lists: vec![Vec::new(); cells.iter().product()] }
    }

    fn anywhere(&self, random: &mut Random, kind: usize) -> DVec3 {
        let radius = self.kinds.radii[kind] * (1.0 + 2.0 * HAIR);
        let mut at = DVec3::ZERO;
        for axis in 0..self.setup.dimensions {
            let (low, high) = (self.setup.bounds.low[axis], self.setup.bounds.high[axis]);
            let margin = if self.setup.bounds.edges[axis] == Edge::Periodic { 0.0 } else { radius };
            at[axis] = low + margin + random.unit() * (high - low - 2.0 * margin).max(0.0);
        }
        at
    }

    fn cell(&self, at: DVec3) -> [usize; 3] {
        let (low, edges) = (self.setup.bounds.low, self.setup.bounds.high - self.setup.bounds.low);
        std::array::from_fn(|axis| {
            let along = (at[axis] - low[axis]) / edges[axis] * self.cells[axis] as f64;
            (along.floor().max(0.0) as usize).min(self.cells[axis] - 1)
        })
    }

    fn add(&mut self, number: usize, particle: &Particle) {
        let [x, y, z] = self.cell(particle.at);
        self.lists[(z * self.cells[1] + y) * self.cells[0] + x].push((number as u32, *particle));
    }

    fn flying(&self, number: usize, kind: u16) -> Flying<'_> {
        Flying {
            tree: self.kinds.trees[kind as usize].as_ref(),
            radius: self.kinds.radii[kind as usize],
            turn: first_turn(self.setup, number, kind),
        }
    }

    fn is_free(&self, number: usize, particle: &Particle) -> bool {
        let space = self.setup.bounds.space(self.setup.dimensions);
        let own = self.flying(number, particle.kind);
        for obstacle in &self.setup.obstacles {
            for (at, radius) in own.spheres() {
                if obstacle.outside_in(&space, particle.at + at) < radius * (1.0 + 2.0 * HAIR) {
                    return false;
                }
            }
        }
        let cell = self.cell(particle.at);
        let around = |axis: usize| {
            let (at, count) = (cell[axis] as i64, self.cells[axis] as i64);
            let mut places: Vec<i64> = (at - 1..=at + 1).collect();
            if space.repeats[axis] {
                places.iter_mut().for_each(|place| *place = place.rem_euclid(count));
                places.sort_unstable();
                places.dedup();
            }
            places.retain(|place| (0..count).contains(place));
            places
        };
        let [xs, ys, zs] = [around(0), around(1), around(2)];
        zs.iter().all(|z| {
            ys.iter().all(|y| {
                xs.iter().all(|x| {
                    let list = (*z as usize * self.cells[1] + *y as usize) * self.cells[0] + *x as usize;
                    self.lists[list].iter().all(|(other, there)| {
                        let apart = space.nearest(there.at - particle.at);
                        let reach = (own.radius + self.kinds.radii[there.kind as usize]) * (1.0 + 2.0 * HAIR);
                        if apart.length_squared() >= reach * reach {
                            return true;
                        }
                        let is_ball = own.tree.is_none() && self.kinds.trees[there.kind as usize].is_none();
                        !is_ball && rigid::depth(&own, &self.flying(*other as usize, there.kind), apart) < -HAIR * reach
                    })
                })
            })
        })
    }
}
