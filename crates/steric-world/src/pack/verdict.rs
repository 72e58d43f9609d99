//! Why an input cannot be solved.
//!
//! How it works: the spheres around the atoms of a molecule take a volume that no other molecule's spheres can share, because two
//! atoms of different molecules are at least the sum of their radii apart. Points thrown at random measure that volume and the
//! part of space that the walls leave, widened by a radius. More than the whole of it cannot be packed, and nothing that is
//! random packs more than some two thirds of it with round molecules. Walls that leave no place for a single molecule contradict
//! each other.

use std::fmt;

use glam::DVec3;
use serde::Serialize;
use steric_model::Random;
use steric_model::formats::packmol::PackmolInput;

use super::report::PackReport;
use super::system::{Species, System};

/// Points that are thrown.
const POINTS: u64 = 20_000;
/// Beyond this part of the volume that is there, nothing can be packed.
const WHOLE: f64 = 1.0;
/// Beyond this part nothing has been packed at random.
const CROWDED: f64 = 0.62;

/// Why an input cannot be solved, or most likely not.
///
/// ```
/// use steric_world::pack::Infeasible;
///
/// let why = Infeasible::NoPlace { file: "rod.pdb".into(), line: 4, worst: 3.2 };
/// assert!(why.to_string().starts_with("line 4: no place in the constraints of rod.pdb"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Infeasible {
    /// The constraints of a structure leave no place for a single molecule.
    NoPlace {
        /// The molecule file.
        file: String,
        /// The line of the structure.
        line: usize,
        /// How far outside the best place is, in angstroms.
        worst: f64,
    },
    /// The molecules fill more of the space than can be filled.
    NoRoom {
        /// Cubic angstroms that the molecules need.
        needed: f64,
        /// Cubic angstroms that there are.
        available: f64,
        /// Whether it is certain, and not only most likely.
        certain: bool,
    },
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlace { file, line, worst } => write!(
                f,
                "line {line}: no place in the constraints of {file} holds even one molecule: the best one breaks them by {worst:.2} Å"
            ),
            Self::NoRoom { needed, available, certain } => write!(
                f,
                "the molecules and the distance around them fill {needed:.0} Å³ of the {available:.0} Å³ that the constraints leave \
                 ({:.0} %): {}",
                100.0 * needed / available.max(1.0),
                if *certain { "that is impossible" } else { "more than can be packed at random, as a rule" }
            ),
        }
    }
}

impl Infeasible {
    pub(super) fn of(input: &PackmolInput, system: &System, report: &PackReport) -> Option<Self> {
        let no_place = report.structures.iter().find(|structure| {
            structure.broken == structure.molecules && structure.worst_constraint > 0.05 && structure.molecules > 0
        });
        if let Some(structure) = no_place {
            let (file, line, worst) = (structure.file.clone(), structure.line, structure.worst_constraint);
            return Some(Self::NoPlace { file, line, worst });
        }
        no_room(system, input.tolerance)
    }
}

/// The structures that share the space of one of them, taken together, against that space.
fn no_room(system: &System, tolerance: f64) -> Option<Infeasible> {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for species in system.species.iter().filter(|species| species.fixed.is_none()) {
        let (least, most) = span(species, system.sidemax);
        (low, high) = (low.min(least), high.max(most));
    }
    if !(low.is_finite() && high.is_finite()) {
        return None;
    }
    let (low, high) = (low - 0.5 * tolerance, high + 0.5 * tolerance);
    let mut random = Random::new(7);
    let mut inside = 0u64;
    for _ in 0..POINTS {
        let place = low + (high - low) * DVec3::from([0; 3].map(|_| random.unit()));
        inside += u64::from(system.species.iter().any(|species| is_near(species, place, 0.5 * tolerance)));
    }
    let available = (high - low).element_product() * inside as f64 / POINTS as f64;
    let needed = system.species.iter().filter(|species| species.fixed.is_none() || is_within(species, low, high));
    let needed: f64 = needed.map(|species| species.number as f64 * volume(species)).sum();
    let part = needed / available.max(f64::MIN_POSITIVE);
    (part > CROWDED).then_some(Infeasible::NoRoom { needed, available, certain: part > WHOLE })
}

/// A box around the places of all atoms of a structure.
fn span(species: &Species, sidemax: f64) -> (DVec3, DVec3) {
    let reach = species.atoms.iter().map(|atom| atom.length()).fold(0.0, f64::max);
    let (mut low, mut high) = (DVec3::splat(-sidemax), DVec3::splat(sidemax));
    for wall in &species.rule.walls {
        let more = if wall.holds_all(species.atoms.len()) { 0.0 } else { wall.reach() + reach };
        let (least, most) = wall.bounds();
        (low, high) = (low.max(least - more), high.min(most + more));
    }
    (low, high)
}

/// Whether the sphere of an atom of a structure may reach a place. Walls for some atoms only bound the others by the box around.
fn is_near(species: &Species, place: DVec3, radius: f64) -> bool {
    if let Some(pose) = species.fixed {
        return species.atoms.iter().zip(&species.radii).any(|(&atom, radius)| (pose * atom).distance(place) < *radius);
    }
    let (low, high) = span(species, f64::INFINITY);
    let is_in_span = place.cmpge(low - radius).all() && place.cmple(high + radius).all();
    let mut whole = species.rule.walls.iter().filter(|wall| wall.holds_all(species.atoms.len()));
    is_in_span && whole.all(|wall| wall.beyond(place).0 <= radius)
}

fn is_within(species: &Species, low: DVec3, high: DVec3) -> bool {
    species.fixed.is_some_and(|pose| pose.translation.cmpge(low).all() && pose.translation.cmple(high).all())
}

/// The volume of the spheres of a molecule together, in cubic angstroms.
fn volume(species: &Species) -> f64 {
    let widest = species.radii.iter().copied().fold(0.0, f64::max);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &atom in &species.atoms {
        (low, high) = (low.min(atom - widest), high.max(atom + widest));
    }
    let mut random = Random::new(8);
    let inside = (0..POINTS).filter(|_| {
        let place = low + (high - low) * DVec3::from([0; 3].map(|_| random.unit()));
        species.atoms.iter().zip(&species.radii).any(|(atom, radius)| atom.distance_squared(place) < radius * radius)
    });
    (high - low).element_product() * inside.count() as f64 / POINTS as f64
}
