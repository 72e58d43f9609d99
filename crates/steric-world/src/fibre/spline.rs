//! The smooth curve of a fibre, and what turns along it.
//!
//! How it works: a cubic curve goes through all beads (Catmull and Rom 1974), measured along itself by Gauss's rule in each segment. A direction across is carried along it by two reflections for each step, which turns it no
//! more than the curve itself does (Wang and others 2008). Once around a closed fibre it comes back turned; that turn, and what the units' own twist lacks to a whole number of turns, is spread over the whole length.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;
use steric_model::Pose;

use super::chain::Chain;
use super::kind::Fibre;
use super::level::PIECE;

/// Places and weights of Gauss's rule with four points, on the stretch from 0 to 1.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// A smooth curve with a direction across at every place, measured along itself.
///
/// ```
/// use std::ops::ControlFlow;
/// use steric_world::fibre::{Fibre, FibreKind, FibreOptions, Room};
///
/// let minicircle = Fibre { kind: FibreKind::DNA, units: 336, is_closed: true };
/// let grown = minicircle.grow(&Room::default(), &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
/// let spline = grown.spline();
/// // Once around it is where it began, turned as it began.
/// let (begin, end) = (spline.pose(0.0), spline.pose(spline.length()));
/// assert!(begin.translation.distance(end.translation) < 1e-6);
/// assert!(begin.rotation.dot(end.rotation).abs() > 1.0 - 1e-9);
/// # Ok::<(), steric_world::fibre::FibreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FibreSpline {
    chain: Chain,
    /// How far along the curve each bead is; one more for the end of the last segment.
    arcs: Vec<f64>,
    /// A direction across the curve at each bead.
    across: Vec<DVec3>,
    /// By how much units turn about the curve, in radians for each angstrom.
    turning: f64,
    units: usize,
}

impl FibreSpline {
    pub(super) fn new(chain: Chain, fibre: &Fibre) -> Self {
        let segments = chain.segments();
        let lengths = (0..segments).into_par_iter().with_min_len(PIECE);
        let lengths: Vec<f64> = lengths.map(|at| Cubic::of(&chain, at).length(1.0)).collect();
        let mut arcs = Vec::with_capacity(segments + 1);
        arcs.push(0.0);
        let mut sum = 0.0;
        arcs.extend(lengths.iter().map(|length| {
            sum += length;
            sum
        }));
        let across = carried(&chain);
        let mut spline = Self { chain, arcs, across, turning: 0.0, units: fibre.units };
        let twist = fibre.kind.twist * fibre.units as f64;
        let missing = if spline.chain.is_closed { spline.missing(twist) } else { 0.0 };
        spline.turning = (twist + missing) / sum;
        spline
    }

    /// How long it is, in angstroms.
    pub fn length(&self) -> f64 {
        self.arcs[self.arcs.len() - 1]
    }

    /// How often units turn about the curve from its beginning to its end; a whole number and the turn of the curve itself where it is closed.
    pub fn turns(&self) -> f64 {
        self.turning * self.length() / TAU
    }

    /// The place so far along the curve, in angstroms: z points along the fibre, x to the side to which the unit there is turned.
    pub fn pose(&self, along: f64) -> Pose {
        let segments = self.arcs.len() - 1;
        let segment = self.arcs.partition_point(|&arc| arc <= along).clamp(1, segments) - 1;
        self.pose_in(segment, along)
    }

    fn pose_in(&self, segment: usize, along: f64) -> Pose {
        let cubic = Cubic::of(&self.chain, segment);
        let at = cubic.at_length(along - self.arcs[segment], self.arcs[segment + 1] - self.arcs[segment]);
        let (place, way) = (cubic.place(at), cubic.way(at));
        let x = reflected(self.across[segment], cubic.place(0.0), cubic.way(0.0), place, way);
        let (sine, cosine) = (self.turning * along).sin_cos();
        let x = cosine * x + sine * way.cross(x);
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, way.cross(x), way)).normalize();
        Pose { rotation, translation: place }
    }

    /// One pose for every so many units, in the middle of them, from the beginning to the end; the last stands for what is left.
    pub(super) fn placements(&self, units: usize) -> Vec<Pose> {
        let rise = self.length() / self.units as f64;
        let blocks = self.units.div_ceil(units);
        let along = |block: usize| {
            let first = block * units;
            0.5 * (first + (first + units).min(self.units)) as f64 * rise
        };
        (0..blocks).into_par_iter().with_min_len(PIECE).map(|block| self.pose(along(block))).collect()
    }

    /// By how much units must turn more in all, so that they come back as they began.
    fn missing(&self, twist: f64) -> f64 {
        let last = self.chain.segments() - 1;
        let cubic = Cubic::of(&self.chain, last);
        let (begin, begin_way) = (cubic.place(0.0), cubic.way(0.0));
        let (end, way) = (cubic.place(1.0), cubic.way(1.0));
        let carried = reflected(self.across[last], begin, begin_way, end, way);
        let first = self.across[0];
        // The angle from what came back to what began.
        let turn = way.dot(carried.cross(first)).atan2(carried.dot(first));
        let missing = (turn - twist).rem_euclid(TAU);
        if missing > 0.5 * TAU { missing - TAU } else { missing }
    }
}

/// A direction across at every bead, carried from the first.
fn carried(chain: &Chain) -> Vec<DVec3> {
    let segments = chain.segments();
    let mut across = Vec::with_capacity(segments);
    let mut here = Cubic::of(chain, 0).way(0.0).any_orthonormal_vector();
    for at in 0..segments {
        across.push(here);
        let cubic = Cubic::of(chain, at);
        here = reflected(here, cubic.place(0.0), cubic.way(0.0), cubic.place(1.0), cubic.way(1.0));
    }
    across
}

/// A direction across carried from one place and way to another (the double reflection of Wang and others).
fn reflected(across: DVec3, from: DVec3, from_way: DVec3, to: DVec3, to_way: DVec3) -> DVec3 {
    let mirrored = |vector: DVec3, normal: DVec3| {
        let squared = normal.length_squared();
        if squared > 1e-24 { vector - 2.0 / squared * normal.dot(vector) * normal } else { vector }
    };
    let chord = to - from;
    let (across, way) = (mirrored(across, chord), mirrored(from_way, chord));
    let across = mirrored(across, to_way - way);
    // Rounding must not add up over a million steps.
    across.reject_from_normalized(to_way).normalize_or(to_way.any_orthonormal_vector())
}

/// A cubic curve between two beads.
#[derive(Clone, Copy, Debug)]
struct Cubic {
    begin: DVec3,
    end: DVec3,
    /// Speeds at both ends.
    speeds: [DVec3; 2],
}

impl Cubic {
    fn of(chain: &Chain, segment: usize) -> Self {
        let [begin, end] = chain.segment(segment);
        // Beyond an end the curve goes on as it bends, which is to say straight.
        let before = chain.neighbour(segment, -1).unwrap_or(2.0 * begin - end);
        let behind = chain.neighbour(segment, 2).unwrap_or(2.0 * end - begin);
        Self { begin, end, speeds: [0.5 * (end - before), 0.5 * (behind - begin)] }
    }

    fn place(&self, t: f64) -> DVec3 {
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * self.begin
            + (t3 - 2.0 * t2 + t) * self.speeds[0]
            + (3.0 * t2 - 2.0 * t3) * self.end
            + (t3 - t2) * self.speeds[1]
    }

    fn speed(&self, t: f64) -> DVec3 {
        (6.0 * t - 6.0 * t * t) * (self.end - self.begin)
            + (3.0 * t * t - 4.0 * t + 1.0) * self.speeds[0]
            + (3.0 * t * t - 2.0 * t) * self.speeds[1]
    }

    fn way(&self, t: f64) -> DVec3 {
        self.speed(t).normalize_or((self.end - self.begin).normalize_or(DVec3::Z))
    }

    fn length(&self, t: f64) -> f64 {
        GAUSS.iter().map(|&(place, weight)| weight * t * self.speed(place * t).length()).sum()
    }

    /// Where the curve is so long, of a length in all.
    fn at_length(&self, along: f64, whole: f64) -> f64 {
        /// Newton's steps; the speed hardly changes within a segment.
        const STEPS: usize = 3;
        let mut t = if whole > 0.0 { (along / whole).clamp(0.0, 1.0) } else { 0.0 };
        for _ in 0..STEPS {
            let speed = self.speed(t).length();
            if speed > 0.0 {
                t = (t - (self.length(t) - along) / speed).clamp(0.0, 1.0);
            }
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Fibre, FibreSpline, TAU};
    use crate::fibre::FibreKind;
    use glam::DVec3;

    fn ring(units: usize, lift: f64) -> FibreSpline {
        let fibre = Fibre { kind: FibreKind::DNA, units, is_closed: true };
        let beads = (fibre.length() / 20.0) as usize;
        let radius = fibre.length() / TAU;
        let bead = |at: usize| {
            let turn = at as f64 / beads as f64 * TAU;
            DVec3::new(radius * turn.cos(), radius * turn.sin(), lift * (2.0 * turn).sin())
        };
        FibreSpline::new(Chain { points: (0..beads).map(bead).collect(), is_closed: true }, &fibre)
    }

    #[test]
    fn a_ring_has_its_length_and_closes() {
        for lift in [0.0, 300.0] {
            let spline = ring(1_050, lift);
            if lift == 0.0 {
                assert!((spline.length() / (1_050.0 * 3.4) - 1.0).abs() < 1e-3);
                assert!((spline.turns() - 100.0).abs() < 1e-6, "{}", spline.turns());
            }
            assert!((spline.turns() - 100.0).abs() <= 0.5);
            let (begin, end) = (spline.pose(0.0), spline.pose(spline.length()));
            assert!(begin.translation.distance(end.translation) < 1e-6);
            assert!(begin.rotation.dot(end.rotation).abs() > 1.0 - 1e-9);
        }
    }

    #[test]
    fn units_stand_at_equal_steps_along_and_about_the_curve() {
        let spline = ring(1_050, 300.0);
        let poses = spline.placements(1);
        assert_eq!(poses.len(), 1_050);
        let rise = spline.length() / 1_050.0;
        for pair in poses.windows(2) {
            let step = pair[0].inverse() * pair[1];
            assert!((step.translation.length() / rise - 1.0).abs() < 2e-3, "{}", step.translation);
            let turn = step.rotation.to_scaled_axis().z.rem_euclid(TAU);
            assert!((turn - TAU / 10.5).abs() < 0.01, "{turn}");
        }
        assert_eq!(spline.placements(100).len(), 11);
    }
}
