//! What a fibre came out as.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::capsule::nearest;
use super::chain::Chain;
use super::kind::Fibre;
use super::level::{Level, PIECE};
use super::near::NearSegments;
use super::room::Room;

/// What a fibre came out as, measured when it was done.
///
/// ```
/// use std::ops::ControlFlow;
/// use steric_world::fibre::{Fibre, FibreKind, FibreOptions, Room};
///
/// let plasmid = Fibre { kind: FibreKind::DNA, units: 2_686, is_closed: true };
/// let grown = plasmid.grow(&Room::default(), &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
/// let report = grown.report();
/// assert!(report.nearest >= 20.0);
/// assert!((report.units_per_turn - 10.5).abs() < 0.05);
/// # Ok::<(), steric_world::fibre::FibreError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FibreReport {
    /// Base pairs, nucleotides or subunits.
    pub units: usize,
    /// Along the smooth curve, in angstroms.
    pub length: f64,
    /// From bead to bead.
    pub segments: usize,
    /// How many segments away along the fibre a segment counts as another stretch of it.
    pub strangers: usize,
    /// From the coarse walk on.
    pub levels: usize,
    /// Of all levels.
    pub iterations: u32,
    /// How near the axes of two stretches come to each other, in angstroms; at least two radii. Never more than three, beyond which nobody looks.
    pub nearest: f64,
    /// By which part of its length the worst segment is too long or too short.
    pub worst_stretch: f64,
    /// How near the axis comes to a wall, in angstroms; at least a radius. Nothing where there is no wall.
    pub nearest_wall: Option<f64>,
    /// The part of the compartment that the fibre fills; 0 where nothing ends it.
    pub filled: f64,
    /// After this many angstroms directions are forgotten, as the bends between neighbouring segments tell.
    pub persistence: f64,
    /// The radius of the tightest bend, in angstroms.
    pub tightest_bend: f64,
    /// How many units make a full turn.
    pub units_per_turn: f64,
    /// From the call to the curve.
    pub seconds: f64,
}

/// What the chain of the finest level is measured to be.
pub(super) struct Measured {
    pub(super) nearest: f64,
    pub(super) worst_stretch: f64,
    pub(super) nearest_wall: Option<f64>,
    pub(super) persistence: f64,
    pub(super) tightest_bend: f64,
}

pub(super) fn measure(chain: &Chain, fibre: &Fibre, level: &Level, room: &Room) -> Measured {
    let stretch = |at: usize| {
        let [start, end] = chain.segment(at);
        (start.distance(end) / level.chord - 1.0).abs()
    };
    let wall = |at: usize| {
        let [start, end] = chain.segment(at);
        let middle = 0.5 * (start + end);
        [start, middle, end].map(|place| -room.depth(place).0).into_iter().fold(f64::INFINITY, f64::min)
    };
    let all = || (0..chain.segments()).into_par_iter().with_min_len(PIECE);
    let nearest_wall = all().map(wall).reduce(|| f64::INFINITY, f64::min);
    let (persistence, tightest_bend) = bends(chain, level);
    Measured {
        nearest: nearest_strangers(chain, 3.0 * fibre.kind.radius, level.strangers),
        worst_stretch: all().map(stretch).reduce(|| 0.0, f64::max),
        nearest_wall: nearest_wall.is_finite().then_some(nearest_wall),
        persistence,
        tightest_bend,
    }
}

/// The nearest that two stretches come to each other, or `most` where none come as near.
pub(super) fn nearest_strangers(chain: &Chain, most: f64, strangers: usize) -> f64 {
    let near = NearSegments::new(chain, most, strangers);
    let of_one = |at: usize| {
        let others = near.of(at).iter().map(|&other| other as usize).filter(|&other| other > at);
        let apart = others.map(|other| nearest(chain.segment(at), chain.segment(other)).apart.length());
        apart.fold(most, f64::min)
    };
    (0..chain.segments()).into_par_iter().with_min_len(PIECE).map(of_one).reduce(|| most, f64::min)
}

/// The persistence length that the mean bend makes, and the radius of the tightest.
fn bends(chain: &Chain, level: &Level) -> (f64, f64) {
    let joints = chain.segments() - usize::from(!chain.is_closed);
    let (mut cosines, mut sharpest) = (0.0, 1.0f64);
    for at in 0..joints {
        let [start, middle] = chain.segment(at);
        let [_, end] = chain.segment(chain.next(at));
        let cosine = (middle - start).normalize_or_zero().dot((end - middle).normalize_or_zero()).clamp(-1.0, 1.0);
        cosines += cosine;
        sharpest = sharpest.min(cosine);
    }
    let mean: f64 = if joints > 0 { cosines / joints as f64 } else { 1.0 };
    // The cosine of two segments of length l is 1 - 2 l / 3 P for small bends.
    (level.chord * 2.0 / 3.0 / (1.0 - mean).max(1e-12), level.chord / sharpest.acos().max(1e-12))
}
