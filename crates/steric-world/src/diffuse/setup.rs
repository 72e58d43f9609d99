//! What moves, where, and by which laws.

use std::str::FromStr;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use steric_collide::SweptBox;

use super::obstacle::Obstacle;

/// What a border of the box does.
///
/// ```
/// use steric_world::diffuse::Edge;
///
/// assert_eq!("absorbing".parse(), Ok(Edge::Absorbing));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edge {
    /// Who leaves comes in on the other side.
    #[default]
    Periodic,
    /// A wall.
    Reflecting,
    /// Who touches it is gone.
    Absorbing,
}

/// How particles move while nobody is in their way.
///
/// ```
/// use steric_world::diffuse::Motion;
///
/// assert_eq!("ballistic".parse(), Ok(Motion::Ballistic));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// A new random displacement at every step.
    #[default]
    Brownian,
    /// Straight on, as billiard balls.
    Ballistic,
}

/// What two do that touch.
///
/// ```
/// use steric_world::diffuse::Response;
///
/// assert_eq!("slide".parse(), Ok(Response::Slide));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// They bounce off each other; momentum and energy are kept.
    #[default]
    Reflect,
    /// They stay where they are until the end of the step.
    Stop,
    /// They lose what drives them into each other, and keep the rest.
    Slide,
    /// They hold on to each other for good, and move as one.
    Stick,
}

/// How pairs that may meet are found; each finds the same.
///
/// ```
/// use steric_world::diffuse::Strategy;
///
/// assert_eq!("c".parse(), Ok(Strategy::C));
/// assert_eq!(Strategy::default(), Strategy::Fast);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Every pair.
    Naive,
    /// Cubes, those behind left out, links renewed with every move (Algorithm A of the founding report).
    A,
    /// The same with links renewed once a step, under the bound of Result 1 (Algorithm B).
    B,
    /// Slices in place of cubes (Algorithm C).
    C,
    /// Bounds of paths in sorted lattices, eight at a time.
    #[default]
    Fast,
}

/// What is done where a particle goes farther than the cells of A, B or C allow.
///
/// ```
/// use steric_world::diffuse::Offenders;
///
/// assert_eq!("split".parse(), Ok(Offenders::Split));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offenders {
    /// Large and fast particles are compared with all others.
    #[default]
    Apart,
    /// The step is searched in several pieces.
    Split,
    /// Nothing: collisions may be missed, as the report tells.
    Ignore,
}

/// How the contacts inside a step are put in order.
///
/// ```
/// use steric_world::diffuse::Inside;
///
/// assert_eq!("substeps".parse(), Ok(Inside::Substeps));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inside {
    /// A queue: after a contact only those whose path has changed are looked at again.
    #[default]
    Queue,
    /// From one contact of all to the next, with everything looked at again (section 4.1 of the founding report).
    Substeps,
}

macro_rules! words {
    ($($kind:ident: $($word:literal => $value:ident),+;)+) => {$(
        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// Its name in scene files.
            pub fn word(self) -> &'static str {
                match self { $(Self::$value => $word),+ }
            }
        }

        impl FromStr for $kind {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let words: Vec<&str> = Self::ALL.iter().map(|known| known.word()).collect();
                let (last, others) = words.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
                let known = Self::ALL.iter().copied().find(|known| known.word() == text);
                known.ok_or_else(|| format!("expected {} or {last}, found {text:?}", others.join(", ")))
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }
    )+};
}

words! {
    Edge: "periodic" => Periodic, "reflecting" => Reflecting, "absorbing" => Absorbing;
    Motion: "brownian" => Brownian, "ballistic" => Ballistic;
    Response: "reflect" => Reflect, "stop" => Stop, "slide" => Slide, "stick" => Stick;
    Strategy: "naive" => Naive, "a" => A, "b" => B, "c" => C, "fast" => Fast;
    Offenders: "apart" => Apart, "split" => Split, "ignore" => Ignore;
    Inside: "queue" => Queue, "substeps" => Substeps;
}

/// The box.
///
/// ```
/// use steric_world::diffuse::{Bounds, Edge};
///
/// let cube = Bounds::cube(50.0, Edge::Periodic);
/// assert_eq!((cube.volume(3), cube.volume(2)), (125_000.0, 2_500.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates, in angstroms.
    pub low: DVec3,
    /// The corner with the largest ones.
    pub high: DVec3,
    /// What the borders across each axis do.
    pub edges: [Edge; 3],
}

impl Bounds {
    /// A cube whose borders are all alike.
    pub fn cube(edge: f64, edges: Edge) -> Self {
        Self { low: DVec3::ZERO, high: DVec3::splat(edge), edges: [edges; 3] }
    }

    /// Its volume, or the area of a plane.
    pub fn volume(&self, dimensions: usize) -> f64 {
        let edges = self.high - self.low;
        (0..dimensions).map(|axis| edges[axis]).product()
    }

    pub(super) fn space(&self, dimensions: usize) -> SweptBox {
        let repeats = std::array::from_fn(|axis| axis < dimensions && self.edges[axis] == Edge::Periodic);
        SweptBox { low: self.low, edges: self.high - self.low, repeats }
    }
}

/// A kind of particle: a sphere, or a rigid molecule of spheres.
///
/// ```
/// use steric_world::diffuse::Species;
///
/// let lysozyme = Species::sphere("lysozyme", 19.0, 11.2);
/// // Stokes, Einstein and Debye: three quarters of D over the radius squared.
/// assert!((lysozyme.rotational_diffusion - 0.75 * 11.2 / 19.0f64.powi(2)).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Species {
    /// What it is called.
    pub name: String,
    /// Of the sphere, or of one around all of the molecule; in angstroms.
    pub radius: f64,
    /// In any unit, as only their ratios count.
    pub mass: f64,
    /// Square angstroms in a unit of time.
    pub diffusion: f64,
    /// Square radians in a unit of time.
    pub rotational_diffusion: f64,
    /// Spheres of a rigid molecule around its middle, in angstroms; none for a sphere.
    pub atoms: Vec<(DVec3, f64)>,
    /// How a field drives it: angstroms in a unit of time in Brownian motion, angstroms in a squared unit of time in ballistic motion.
    pub drift: DVec3,
    /// How strongly a trap pulls it to a place: in Brownian motion the share of the way in a unit of time, in ballistic motion in a squared unit of time.
    pub trap: Option<(DVec3, f64)>,
}

impl Species {
    /// A sphere; its mass is its volume.
    pub fn sphere(name: impl Into<String>, radius: f64, diffusion: f64) -> Self {
        Self {
            name: name.into(),
            radius,
            mass: radius.powi(3),
            diffusion,
            rotational_diffusion: 0.75 * diffusion / (radius * radius),
            atoms: Vec::new(),
            drift: DVec3::ZERO,
            trap: None,
        }
    }

    /// A rigid molecule of spheres, which are moved so that their middle is in the origin.
    pub fn molecule(name: impl Into<String>, atoms: &[(DVec3, f64)], diffusion: f64) -> Self {
        let weight: f64 = atoms.iter().map(|(_, radius)| radius.powi(3)).sum();
        let middle =
            atoms.iter().map(|(at, radius)| *at * radius.powi(3)).sum::<DVec3>() / weight.max(f64::MIN_POSITIVE);
        let atoms: Vec<(DVec3, f64)> = atoms.iter().map(|(at, radius)| (*at - middle, *radius)).collect();
        let radius = atoms.iter().map(|(at, radius)| at.length() + radius).fold(0.0, f64::max);
        Self { mass: weight, atoms, ..Self::sphere(name, radius, diffusion) }
    }
}

/// What becomes of two that touch.
///
/// ```
/// use steric_world::diffuse::Then;
///
/// assert_ne!(Then::Vanish, Then::Merge(0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// They become one particle of a species.
    Merge(u16),
    /// Each becomes a particle of a species.
    Become(u16, u16),
    /// Both are gone.
    Vanish,
    /// They hold on to each other, in clusters of at most so many; a bond opens at a rate.
    Bind {
        /// Particles of a cluster.
        at_most: u32,
        /// How often a bond opens, in a unit of time.
        breaks: f64,
    },
}

/// A rule for two species that touch.
///
/// ```
/// use steric_world::diffuse::{Rule, Then};
///
/// let capture = Rule { first: 0, second: 1, probability: 0.5, then: Then::Merge(2) };
/// assert!(capture.is_for(1, 0) && !capture.is_for(1, 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// One species.
    pub first: u16,
    /// The other; may be the same.
    pub second: u16,
    /// How often it happens when they touch.
    pub probability: f64,
    /// What happens.
    pub then: Then,
}

impl Rule {
    /// Whether it is for these two, in either order.
    pub fn is_for(&self, a: u16, b: u16) -> bool {
        (self.first, self.second) == (a, b) || (self.first, self.second) == (b, a)
    }
}

/// What falls apart by itself.
///
/// ```
/// use steric_world::diffuse::Decay;
///
/// let dimer = Decay { kind: 1, rate: 1e-3, into: vec![0, 0] };
/// assert_eq!(dimer.into.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decay {
    /// The species.
    pub kind: u16,
    /// How often, in a unit of time.
    pub rate: f64,
    /// None, one or two species.
    pub into: Vec<u16>,
}

/// A particle at its place.
///
/// ```
/// use glam::DVec3;
/// use steric_world::diffuse::Particle;
///
/// let ball = Particle { kind: 0, at: DVec3::ZERO, velocity: DVec3::X };
/// assert_eq!(ball.velocity.length(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Its species.
    pub kind: u16,
    /// Its middle, in angstroms.
    pub at: DVec3,
    /// Angstroms in a unit of time; for ballistic motion.
    pub velocity: DVec3,
}

/// Every number of a run.
///
/// ```
/// use steric_world::diffuse::DiffuseOptions;
///
/// assert_eq!(DiffuseOptions::default().time_step, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiffuseOptions {
    /// What everything random grows from.
    pub seed: u64,
    /// Units of time in a step.
    pub time_step: f64,
    /// What two do that touch.
    pub response: Response,
    /// How pairs that may meet are found.
    pub strategy: Strategy,
    /// What is done with particles that are too fast or too large for cells.
    pub offenders: Offenders,
    /// How contacts inside a step are put in order.
    pub inside: Inside,
    /// Edge of the cells of A, B and C in angstroms; without one, room for steps of four times their root mean square.
    pub cell: Option<f64>,
}

impl Default for DiffuseOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            time_step: 1.0,
            response: Response::default(),
            strategy: Strategy::default(),
            offenders: Offenders::default(),
            inside: Inside::default(),
            cell: None,
        }
    }
}

/// All that a run begins with.
///
/// ```
/// use steric_world::diffuse::{Bounds, Edge, Setup, Species};
///
/// let setup = Setup::new(Bounds::cube(100.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 1.0)]);
/// assert!(setup.particles.is_empty() && setup.dimensions == 3);
/// ```
#[derive(Clone, Debug)]
pub struct Setup {
    /// The box.
    pub bounds: Bounds,
    /// 3, or 2 for a plane.
    pub dimensions: usize,
    /// Kinds of particles.
    pub species: Vec<Species>,
    /// The particles.
    pub particles: Vec<Particle>,
    /// How they move.
    pub motion: Motion,
    /// What stands in their way.
    pub obstacles: Vec<Obstacle>,
    /// What happens when they touch.
    pub rules: Vec<Rule>,
    /// What falls apart.
    pub decays: Vec<Decay>,
    /// Numbers.
    pub options: DiffuseOptions,
}

impl Setup {
    /// An empty box.
    pub fn new(bounds: Bounds, species: Vec<Species>) -> Self {
        Self {
            bounds,
            dimensions: 3,
            species,
            particles: Vec::new(),
            motion: Motion::default(),
            obstacles: Vec::new(),
            rules: Vec::new(),
            decays: Vec::new(),
            options: DiffuseOptions::default(),
        }
    }
}

/// Why a run cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffuseError {
    /// A number that cannot be.
    #[error("expected {expected}, found {found}")]
    Number {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Two particles overlap at the start.
    #[error("expected particles that do not overlap, found {first} and {second} overlapping by {depth:.3} Å")]
    Overlap {
        /// One.
        first: String,
        /// The other, or what stands in the way.
        second: String,
        /// How deep.
        depth: f64,
    },
    /// There is no room for all.
    #[error("expected room for {wanted} of {name}, found room for {placed}")]
    NoRoom {
        /// The species.
        name: String,
        /// How many there should be.
        wanted: usize,
        /// How many could be placed at random.
        placed: usize,
    },
}
