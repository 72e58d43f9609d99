//! The run: particles, and the law by which they go on from one step to the next.
//!
//! How it works: a step draws a displacement for everyone, and takes it as a path at constant speed. Contacts along the paths come out of a queue in the order of their times; each changes the
//! paths of two, and only these are looked at again. A window is the part of a step that can be searched at once: the whole of it, unless somebody is so fast
//! that it could meet two copies of another, or would break the bound of the strategy. Rules are applied when the step has ended.

use glam::{DQuat, DVec3};
use steric_collide::SweptBox;

use super::fill::first_turn;
use super::finder::Finder;
use super::groups::Groups;
use super::particles::{ALONE, Kinds, Moving, Particles, View};
use super::queue::Queue;
use super::setup::{DiffuseError, Edge, Motion, Offenders, Response, Setup, Species};
use super::statistics::Statistics;

/// Steps between two sortings of memory.
const SORTED_FOR: u64 = 128;
/// Particles of a piece of work for a thread.
pub(super) const PIECE: usize = 4_096;
/// Cells of A, B and C leave room for so many root mean squares of a step.
const STEPS_IN_CELL: f64 = 4.0;
/// Particles larger than so many times the usual one stand apart from the cells.
const LARGE: f64 = 2.0;
/// The edge of a box that repeats must hold so many of the largest radius: one particle, its copy, and room.
const LEAST_EDGE: f64 = 4.2;

/// What contacts depend on, borrowed field by field.
macro_rules! view {
    ($run:expr, $from:expr, $until:expr) => {
        View {
            moving: &$run.particles.moving,
            turns: &$run.particles.turns,
            groups: &$run.particles.groups,
            travelled: &$run.particles.travelled,
            kinds: &$run.kinds,
            space: $run.space,
            half: $run.half,
            bounds: &$run.setup.bounds,
            dimensions: $run.setup.dimensions,
            obstacles: &$run.setup.obstacles,
            has_groups: !$run.groups.is_empty(),
            from: $from,
            until: $until,
        }
    };
}
pub(super) use view;

/// Who a particle has touched.
///
/// ```
/// use steric_world::diffuse::Partner;
///
/// assert_eq!(Partner::Wall { axis: 0, is_high: false }.to_string(), "wall x low");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner {
    /// Another particle, by its number.
    Particle(u32),
    /// A border of the box.
    Wall {
        /// 0, 1 or 2.
        axis: u8,
        /// Whether it is the one with the larger coordinate.
        is_high: bool,
    },
    /// An obstacle, by its number.
    Obstacle(u32),
}

impl std::fmt::Display for Partner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Particle(number) => write!(f, "{number}"),
            Self::Wall { axis, is_high } => {
                let (axis, side) = (["x", "y", "z"][usize::from(*axis).min(2)], if *is_high { "high" } else { "low" });
                write!(f, "wall {axis} {side}")
            }
            Self::Obstacle(number) => write!(f, "obstacle {number}"),
        }
    }
}

/// What came of a contact.
///
/// ```
/// use steric_world::diffuse::Outcome;
///
/// assert_eq!(Outcome::Rule(2), Outcome::Rule(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// They did as the response says.
    Response,
    /// A rule was applied, by its number.
    Rule(u32),
    /// It was swallowed by a border.
    Absorbed,
}

/// A contact that happened.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Motion, Particle, Partner, Setup, Species};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("ball", 1.0, 0.0)]);
/// setup.motion = Motion::Ballistic;
/// setup.particles = vec![
///     Particle { kind: 0, at: DVec3::new(40.0, 50.0, 50.0), velocity: DVec3::X * 10.0 },
///     Particle { kind: 0, at: DVec3::new(47.0, 50.0, 50.0), velocity: DVec3::ZERO },
/// ];
/// let mut billiard = Diffusion::new(setup)?;
/// billiard.step();
/// let contact = billiard.collisions()[0];
/// assert!((contact.time - 0.5).abs() < 1e-8 && contact.second == Partner::Particle(1));
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// The step in which it happened, counted from 0.
    pub step: u64,
    /// When, in units of time.
    pub time: f64,
    /// The particle, by its number; the smaller one of two.
    pub first: u32,
    /// What it touched.
    pub second: Partner,
    /// The species of the particle.
    pub kind: u16,
    /// The species of the other, if it is a particle.
    pub other_kind: Option<u16>,
    /// Where the first one was, in angstroms.
    pub at: DVec3,
    /// What came of it.
    pub outcome: Outcome,
}

/// A particle as it is after a step.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Particle, Setup, Species};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 1.0, 0.1)]);
/// setup.particles.push(Particle { kind: 0, at: DVec3::splat(50.0), velocity: DVec3::ZERO });
/// let diffusion = Diffusion::new(setup)?;
/// assert_eq!(diffusion.particles().next().map(|one| one.at), Some(DVec3::splat(50.0)));
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Its number, which it keeps.
    pub number: u32,
    /// Its species.
    pub kind: u16,
    /// Its middle inside the box, in angstroms.
    pub at: DVec3,
    /// The same without being put back into a box that repeats.
    pub unwrapped: DVec3,
    /// How a molecule is turned.
    pub turn: DQuat,
    /// Angstroms in a unit of time, in ballistic motion.
    pub velocity: DVec3,
    /// Particles of its cluster, itself among them.
    pub cluster: usize,
}

/// A run.
///
/// ```
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Setup, Species, fill};
///
/// let mut setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 0.5)]);
/// setup.particles = fill(&setup, &[200])?;
/// let mut diffusion = Diffusion::new(setup)?;
/// for _ in 0..20 {
///     diffusion.step();
/// }
/// assert_eq!((diffusion.step_number(), diffusion.deepest_overlap()), (20, None));
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
#[derive(Debug)]
pub struct Diffusion {
    pub(super) setup: Setup,
    pub(super) kinds: Kinds,
    pub(super) space: SweptBox,
    pub(super) half: DVec3,
    pub(super) particles: Particles,
    pub(super) groups: Groups,
    pub(super) step: u64,
    pub(super) statistics: Statistics,
    /// Where each number started, for how far it has come.
    pub(super) origins: Vec<DVec3>,
    pub(super) finder: Finder,
    pub(super) queue: Queue,
    pub(super) log: Vec<Collision>,
    /// What rules have to do at the end of the step.
    pub(super) reactions: Vec<Reaction>,
    pub(super) changed: Vec<u32>,
    pub(super) fastest: f64,
}

/// Two that a rule is for, and what carries on their momentum.
#[derive(Clone, Debug)]
pub(super) struct Reaction {
    pub(super) pair: [u32; 2],
    pub(super) rule: usize,
    /// Velocities before the contact.
    pub(super) velocities: [DVec3; 2],
}

impl Diffusion {
    /// Begins, where nothing overlaps and every number makes sense.
    pub fn new(setup: Setup) -> Result<Self, DiffuseError> {
        super::check::check(&setup)?;
        let kinds = Kinds::new(&setup.species);
        let mut particles = Particles::default();
        let step = setup.options.time_step;
        for (number, particle) in setup.particles.iter().enumerate() {
            let turn = first_turn(&setup, number, particle.kind);
            particles.add(particle.kind, particle.at, particle.velocity * step, kinds.has_trees.then_some(turn));
        }
        let space = setup.bounds.space(setup.dimensions);
        let (width, radius) = cells(&setup);
        let finder = Finder::new(setup.options.strategy, setup.options.offenders, width, radius);
        let mut run = Self {
            origins: setup.particles.iter().map(|particle| particle.at).collect(),
            statistics: Statistics::new(setup.species.len(), setup.rules.len(), setup.decays.len()),
            setup: Setup { particles: Vec::new(), ..setup },
            kinds,
            space,
            half: DVec3::from_array(std::array::from_fn(|axis| {
                if space.repeats[axis] { 0.5 * space.edges[axis] } else { f64::INFINITY }
            })),
            particles,
            groups: Groups::default(),
            step: 0,
            finder,
            queue: Queue::default(),
            log: Vec::new(),
            reactions: Vec::new(),
            changed: Vec::new(),
            fastest: 0.0,
        };
        if let Some((first, second, depth)) = run.deepest_overlap() {
            let name = |number: u32| {
                let kind = run.particles.moving[run.particles.slots[number as usize] as usize].kind;
                format!("{} {number}", run.setup.species[kind as usize].name)
            };
            let second = match second {
                Partner::Particle(number) => name(number),
                other => other.to_string(),
            };
            return Err(DiffuseError::Overlap { first: name(first), second, depth });
        }
        run.statistics.begin(run.energy());
        Ok(run)
    }

    /// What the run began with, without the particles.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Takes another way to find pairs from the next step on; nothing else changes.
    pub fn set_strategy(&mut self, strategy: super::Strategy) {
        self.setup.options.strategy = strategy;
        let (width, radius) = cells(&self.setup);
        self.finder = Finder::new(strategy, self.setup.options.offenders, width, radius);
    }

    /// Takes another response from the next step on.
    pub fn set_response(&mut self, response: Response) {
        self.setup.options.response = response;
    }

    /// Steps that were done.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// Units of time that have passed.
    pub fn time(&self) -> f64 {
        self.step as f64 * self.setup.options.time_step
    }

    /// Contacts of the last step, in the order of their times.
    pub fn collisions(&self) -> &[Collision] {
        &self.log
    }

    /// What was counted since the beginning.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The particles, in no particular order.
    pub fn particles(&self) -> impl ExactSizeIterator<Item = Placed> + '_ {
        let per_time = 1.0 / self.setup.options.time_step;
        self.particles.moving.iter().enumerate().map(move |(slot, moving)| {
            let wraps = self.particles.wraps[slot];
            let around = DVec3::from_array(wraps.map(f64::from)) * self.space.edges;
            Placed {
                number: self.particles.ids[slot],
                kind: moving.kind,
                at: moving.at,
                unwrapped: moving.at + around,
                turn: self.particles.turns.get(slot).copied().unwrap_or(DQuat::IDENTITY),
                velocity: moving.velocity * per_time,
                cluster: self.groups.size(self.particles.groups[slot]),
            }
        })
    }

    /// How many clusters there are of each size, single particles first.
    pub fn cluster_sizes(&self) -> Vec<u64> {
        self.groups.sizes(self.len())
    }

    /// Energy of motion: half of mass times velocity squared, over all.
    pub fn energy(&self) -> f64 {
        let per_time = 1.0 / self.setup.options.time_step;
        let one = |moving: &Moving| {
            0.5 * self.kinds.masses[moving.kind as usize] * (moving.velocity * per_time).length_squared()
        };
        self.particles.moving.iter().map(one).sum()
    }

    /// Mass times velocity, over all.
    pub fn momentum(&self) -> DVec3 {
        let per_time = 1.0 / self.setup.options.time_step;
        self.particles
            .moving
            .iter()
            .map(|moving| moving.velocity * (self.kinds.masses[moving.kind as usize] * per_time))
            .sum()
    }

    /// Mean square of how far each species has come, in square angstroms, over those that were there from the beginning.
    pub fn mean_square_displacements(&self) -> Vec<f64> {
        let mut sums = vec![(0.0, 0u64); self.setup.species.len()];
        for placed in self.particles() {
            if let Some(origin) = self.origins.get(placed.number as usize) {
                let (sum, count) = &mut sums[placed.kind as usize];
                *sum += (placed.unwrapped - *origin).length_squared();
                *count += 1;
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count.max(1) as f64).collect()
    }

    /// A number that two runs share where every particle has the same bits.
    pub fn state_hash(&self) -> u64 {
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by_key(|&slot| self.particles.ids[slot as usize]);
        let mut hash = 0xcbf2_9ce4_8422_2325;
        for slot in order {
            let (moving, id) = (&self.particles.moving[slot as usize], self.particles.ids[slot as usize]);
            hash = mix(hash, u64::from(id) << 16 | u64::from(moving.kind));
            for number in moving.at.to_array().into_iter().chain(moving.velocity.to_array()) {
                hash = mix(hash, number.to_bits());
            }
        }
        mix(hash, self.step)
    }

    /// Goes on by one step.
    pub fn step(&mut self) -> &[Collision] {
        self.log.clear();
        if self.step.is_multiple_of(SORTED_FOR) {
            self.sort_memory();
        }
        self.draw();
        self.turn();
        self.pass_windows();
        self.end_paths();
        self.apply_rules();
        self.step += 1;
        self.statistics.steps = self.step;
        &self.log
    }

    /// The deepest overlap of two particles, or of one with a wall or an obstacle; an overlap of nothing is none. What stands in one cluster is not compared.
    pub fn deepest_overlap(&self) -> Option<(u32, Partner, f64)> {
        let still: Vec<Moving> =
            self.particles.moving.iter().map(|moving| Moving { velocity: DVec3::ZERO, ..*moving }).collect();
        let view = View { moving: &still, ..view!(self, 0.0, 1.0) };
        let mut index = steric_collide::SweptIndex::default();
        index.build(self.space, still.len(), |slot| view.swept(slot));
        let depths = index.pairs(|a, b| {
            let apart = self.space.nearest(still[b as usize].at - still[a as usize].at);
            let in_one = self.particles.groups[a as usize] != ALONE
                && self.particles.groups[a as usize] == self.particles.groups[b as usize];
            let depth = super::rigid::depth(&view.flying(a), &view.flying(b), apart);
            (depth > 0.0 && !in_one).then(|| {
                let (a, b) = (self.particles.ids[a as usize], self.particles.ids[b as usize]);
                (a.min(b), Partner::Particle(a.max(b)), depth)
            })
        });
        let walls = (0..still.len() as u32).filter_map(|slot| {
            let (partner, depth) = self.depth_in_walls(&view, slot, still[slot as usize].at)?;
            Some((self.particles.ids[slot as usize], partner, depth))
        });
        depths.into_iter().chain(walls).max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.cmp(&a.0)))
    }

    /// How deep a particle at a place is in a wall or an obstacle.
    pub(super) fn depth_in_walls(&self, view: &View<'_>, slot: u32, at: DVec3) -> Option<(Partner, f64)> {
        let mut deepest: Option<(Partner, f64)> = None;
        let mut take = |partner: Partner, depth: f64| {
            if depth > deepest.map_or(0.0, |known| known.1) {
                deepest = Some((partner, depth));
            }
        };
        for axis in (0..self.setup.dimensions).filter(|&axis| self.setup.bounds.edges[axis] != Edge::Periodic) {
            for is_high in [false, true] {
                let (wall, sign) = if is_high { (self.setup.bounds.high, 1.0) } else { (self.setup.bounds.low, -1.0) };
                let depth = (at[axis] - wall[axis]) * sign + view.extent(slot, DVec3::AXES[axis] * sign);
                take(Partner::Wall { axis: axis as u8, is_high }, depth);
            }
        }
        for (number, obstacle) in self.setup.obstacles.iter().enumerate() {
            for (from_middle, radius) in view.flying(slot).spheres() {
                let outside = obstacle.outside_in(&self.space, at + from_middle);
                take(Partner::Obstacle(number as u32), radius - outside);
            }
        }
        deepest
    }
}

/// The width of the cells of A, B and C, and the largest radius that they are for.
fn cells(setup: &Setup) -> (f64, f64) {
    let mut counts = vec![0usize; setup.species.len()];
    setup.particles.iter().for_each(|particle| counts[particle.kind as usize] += 1);
    let mut radii: Vec<(f64, usize)> =
        setup.species.iter().zip(&counts).map(|(species, count)| (species.radius, *count)).collect();
    radii.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = setup.particles.len() / 2;
    let mut seen = 0;
    let usual = radii.iter().find(|(_, count)| {
        seen += count;
        seen >= half
    });
    let usual = usual.map_or(1.0, |usual| usual.0);
    let largest = radii.last().map_or(1.0, |largest| largest.0);
    let radius = if setup.options.offenders == Offenders::Apart {
        radii.iter().map(|radius| radius.0).filter(|radius| *radius <= LARGE * usual).fold(0.0, f64::max)
    } else {
        largest
    };
    let dt = setup.options.time_step;
    let step = match setup.motion {
        Motion::Brownian => {
            let variance = |species: &Species| 2.0 * species.diffusion * dt;
            STEPS_IN_CELL * setup.species.iter().map(variance).fold(0.0, f64::max).sqrt()
        }
        Motion::Ballistic => setup.particles.iter().map(|particle| particle.velocity.length() * dt).fold(0.0, f64::max),
    };
    let wanted = setup.options.cell.unwrap_or(2.0 * (radius + step));
    (wanted.max(2.2 * radius), radius)
}

pub(super) fn least_edge(setup: &Setup) -> f64 {
    LEAST_EDGE * setup.species.iter().map(|species| species.radius).fold(0.0, f64::max)
}
