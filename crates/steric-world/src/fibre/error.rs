//! Why a fibre cannot be grown.

/// The part of a volume that parallel cylinders fill at most: pi over the root of 12.
pub(super) const DENSEST: f64 = 0.906_9;

/// The part of a volume that fibres reached in seconds, in spheres and boxes; beyond it growing takes ever longer, and may fail.
pub(super) const PRACTICAL: f64 = 0.2;

/// Why a fibre cannot be grown where it was asked for.
///
/// ```
/// use glam::DVec3;
/// use std::ops::ControlFlow;
/// use steric_world::fibre::{Fibre, FibreError, FibreKind, FibreOptions, Room};
/// use steric_world::shape::Region;
///
/// let capsid = Room::inside(Region::Sphere { center: DVec3::ZERO, radius: 100.0 });
/// let genome = Fibre { kind: FibreKind::DNA, units: 48_502, is_closed: false };
/// let refused = genome.grow(&capsid, &FibreOptions::default(), |_| ControlFlow::Continue(()));
/// assert!(matches!(refused, Err(FibreError::TooLong { .. })));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FibreError {
    /// A number that cannot be.
    #[error("expected {expected}, found {found}")]
    Number {
        /// What is possible.
        expected: String,
        /// What was asked for.
        found: f64,
    },
    /// A ring that is smaller than the tightest bend.
    #[error(
        "a closed fibre of {units} units: expected at least {least}, because it bends no tighter; make it longer, or leave it open"
    )]
    TooShortToClose {
        /// How many units it has.
        units: usize,
        /// How many make a ring as tight as its kind bends.
        least: usize,
    },
    /// No place is a radius from every wall.
    #[error(
        "expected a compartment with a place at least {radius} Å, the radius of the fibre, from every wall, found none"
    )]
    NoPlace {
        /// The radius of the fibre, in angstroms.
        radius: f64,
    },
    /// It fills more than there is.
    #[error(
        "a fibre of {length:.0} Å: expected at most {most:.0} Å here, {} % of the volume, as parallel cylinders fill it at the densest; up to about {practical:.0} Å are reached in practice",
        100.0 * DENSEST
    )]
    TooLong {
        /// How long it is, in angstroms.
        length: f64,
        /// The longest that the volume has room for, in angstroms.
        most: f64,
        /// The longest that is reached as a rule, in angstroms.
        practical: f64,
    },
    /// Stretches still overlap when all iterations are used up.
    #[error(
        "after {iterations} iterations {overlaps} pairs of segments still overlap and {broken} segments are stretched, bent too sharply or outside: the fibre fills {:.1} % of its compartment, and about {:.0} % is reached as a rule; give it more room or more iterations",
        100.0 * fraction, 100.0 * PRACTICAL
    )]
    Jammed {
        /// How many iterations there were.
        iterations: u32,
        /// Pairs of segments nearer than two radii.
        overlaps: usize,
        /// Segments that are too long, too short or outside, and bends that are too sharp.
        broken: usize,
        /// The part of the compartment that the fibre fills.
        fraction: f64,
    },
    /// Someone asked for an end.
    #[error("growing a fibre was interrupted")]
    Interrupted,
}
