//! From a fibre and a compartment to beads, a curve and the poses of building blocks.
//!
//! How it works: the coarsest level is a walk; it is relaxed, refined and relaxed again, until the finest level is. Coarser levels keep more room than the fibre needs, for the bends that are still to come, and are left as soon
//! as they have most of it; the finest is relaxed until nothing overlaps.

use std::ops::ControlFlow;

use glam::DVec3;
use steric_model::{Instant, Pose};

use super::chain::Chain;
use super::error::{DENSEST, FibreError, PRACTICAL};
use super::kind::Fibre;
use super::level::{Level, levels, refine};
use super::relax::{Relaxing, Trouble};
use super::report::{FibreReport, measure};
use super::room::{Room, Survey};
use super::spline::FibreSpline;
use super::walk::walk;

/// Iterations of a coarse level: what they do not settle, the next does.
const COARSE: u32 = 8;
/// Iterations of a level that is followed by so many or fewer. A sharp bend is spread over a stretch in a quarter of the iterations that it takes one level later.
const FINE: (u32, usize) = (64, 3);
/// What segments are pushed farther apart than they must, in radii of the fibre: with nothing to spare the last overlaps would take forever.
const MARGIN: f64 = 0.05;

/// Iterations of a level of so many segments or fewer, which cost nothing: a stiff fibre in a small compartment has to be bent as a whole.
const FEW: (u32, usize) = (1_000, 1_024);

/// How a fibre is grown.
///
/// ```
/// use steric_world::fibre::FibreOptions;
///
/// let options = FibreOptions { seed: 7, ..FibreOptions::default() };
/// assert_eq!(options.max_iterations, 5_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FibreOptions {
    /// What all random numbers depend on.
    pub seed: u64,
    /// The longest that a segment may be, in angstroms; 0 is as long as the fibre is thick.
    pub segment: f64,
    /// Of the finest level, before the fibre is called jammed.
    pub max_iterations: u32,
}

impl Default for FibreOptions {
    fn default() -> Self {
        Self { seed: 1, segment: 0.0, max_iterations: 5_000 }
    }
}

/// How far a growing fibre is.
///
/// ```
/// use std::ops::ControlFlow;
/// use steric_world::fibre::{Fibre, FibreError, FibreKind, FibreOptions, Room};
///
/// let chromosome = Fibre { kind: FibreKind::DNA, units: 100_000, is_closed: true };
/// let stopped = chromosome.grow(&Room::default(), &FibreOptions::default(), |progress| {
///     if progress.level > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// });
/// assert_eq!(stopped.unwrap_err(), FibreError::Interrupted);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FibreProgress {
    /// Of all levels, counted from 0.
    pub level: usize,
    /// How many levels there are.
    pub levels: usize,
    /// Of this level.
    pub iteration: u32,
    /// Pairs of segments that are too near for this level.
    pub overlaps: usize,
    /// Segments that are too long, too short or outside, and bends that are too sharp.
    pub broken: usize,
}

/// A fibre that has found its place.
#[derive(Clone, Debug)]
pub struct GrownFibre {
    chain: Chain,
    spline: FibreSpline,
    report: FibreReport,
}

impl Fibre {
    /// Grows the fibre in a compartment. `watch` sees every iteration and may end it. The same seed gives the same bits for any number of threads.
    ///
    /// ```
    /// use glam::DVec3;
    /// use std::ops::ControlFlow;
    /// use steric_world::fibre::{Fibre, FibreKind, FibreOptions, Room};
    /// use steric_world::shape::Region;
    ///
    /// let cell = Room::inside(Region::Sphere { center: DVec3::ZERO, radius: 500.0 });
    /// let pbr322 = Fibre { kind: FibreKind::DNA, units: 4_361, is_closed: true };
    /// let grown = pbr322.grow(&cell, &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
    /// assert!(grown.points().iter().all(|bead| bead.length() <= 490.0));
    /// assert_eq!(grown.placements(1).len(), 4_361);
    /// # Ok::<(), steric_world::fibre::FibreError>(())
    /// ```
    pub fn grow(
        &self,
        room: &Room,
        options: &FibreOptions,
        mut watch: impl FnMut(&FibreProgress) -> ControlFlow<()>,
    ) -> Result<GrownFibre, FibreError> {
        let started = Instant::now();
        self.check()?;
        let spacing = self.spacing(options)?;
        let survey = room.survey(self.kind.radius);
        let filled = self.judge(&survey)?;
        let levels = levels(self, spacing, &survey);
        let chain = walk(&levels[0], self.is_closed, room, &survey, options.seed);
        let mut chain = chain.ok_or(FibreError::NoPlace { radius: self.kind.radius })?;
        let mut iterations = 0;
        for (number, level) in levels.iter().enumerate() {
            if number > 0 {
                chain = refine(&chain, level, number as u64, options.seed, room);
            }
            let behind = levels.len() - 1 - number;
            let is_finest = behind == 0;
            let most = match behind {
                0 => options.max_iterations,
                _ if level.segments <= FEW.1 => FEW.0,
                behind if behind <= FINE.1 => FINE.0,
                _ => COARSE,
            };
            let mut relaxing = Relaxing::new(chain, *level, room, MARGIN * level.radius);
            let mut trouble = Trouble::default();
            for iteration in 0..=most {
                trouble = relaxing.step();
                let Trouble { overlaps, broken } = trouble;
                let progress = FibreProgress { level: number, levels: levels.len(), iteration, overlaps, broken };
                if watch(&progress).is_break() {
                    return Err(FibreError::Interrupted);
                }
                if trouble.is_none() {
                    break;
                }
                iterations += 1;
            }
            if is_finest && !trouble.is_none() {
                let Trouble { overlaps, broken } = trouble;
                return Err(FibreError::Jammed { iterations: most, overlaps, broken, fraction: filled });
            }
            chain = relaxing.chain;
        }
        Ok(self.finish(chain, &levels, room, (filled, iterations, started)))
    }

    fn spacing(&self, options: &FibreOptions) -> Result<f64, FibreError> {
        let FibreOptions { segment, .. } = *options;
        if !(segment >= 0.0 && segment.is_finite()) {
            let expected = "a length of segments in angstroms, or 0".to_owned();
            return Err(FibreError::Number { expected, found: segment });
        }
        // Shorter ones would be near to too many that are no strangers.
        let thick = 2.0 * self.kind.radius;
        Ok(if segment > 0.0 { segment.max(0.5 * thick) } else { thick })
    }

    /// The part of the compartment that it fills.
    fn judge(&self, survey: &Survey) -> Result<f64, FibreError> {
        let radius = self.kind.radius;
        if survey.places.is_empty() {
            return Err(FibreError::NoPlace { radius });
        }
        let filled = std::f64::consts::PI * radius * radius * self.length() / survey.volume;
        if filled > DENSEST {
            let length = self.length();
            let (most, practical) = (length * DENSEST / filled, length * PRACTICAL / filled);
            return Err(FibreError::TooLong { length, most, practical });
        }
        Ok(filled)
    }

    fn finish(
        &self,
        chain: Chain,
        levels: &[Level],
        room: &Room,
        (filled, iterations, started): (f64, u32, Instant),
    ) -> GrownFibre {
        let finest = &levels[levels.len() - 1];
        let measured = measure(&chain, self, finest, room);
        let spline = FibreSpline::new(chain.clone(), self);
        let report = FibreReport {
            units: self.units,
            length: spline.length(),
            segments: chain.segments(),
            strangers: finest.strangers,
            levels: levels.len(),
            iterations,
            nearest: measured.nearest,
            worst_stretch: measured.worst_stretch,
            nearest_wall: measured.nearest_wall,
            filled,
            persistence: measured.persistence,
            tightest_bend: measured.tightest_bend,
            units_per_turn: self.units as f64 / spline.turns().abs().max(f64::MIN_POSITIVE),
            seconds: started.elapsed().as_secs_f64(),
        };
        GrownFibre { chain, spline, report }
    }
}

impl GrownFibre {
    /// Its beads, in angstroms, from one end to the other; of a closed fibre the first follows the last.
    pub fn points(&self) -> &[DVec3] {
        &self.chain.points
    }

    /// The smooth curve through its beads.
    pub fn spline(&self) -> &FibreSpline {
        &self.spline
    }

    /// The poses of building blocks of so many units each, from one end to the other: z points along the fibre, and the middle of a block is its origin. The last block may be shorter.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use steric_world::fibre::{Fibre, FibreKind, FibreOptions, Room};
    ///
    /// let filament = Fibre { kind: FibreKind::ACTIN, units: 100, is_closed: false };
    /// let grown = filament.grow(&Room::default(), &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
    /// let [first, second] = [0, 1].map(|subunit| grown.placements(1)[subunit]);
    /// let step = (first.inverse() * second).translation;
    /// assert!((step.z - 27.5).abs() < 0.1);
    /// # Ok::<(), steric_world::fibre::FibreError>(())
    /// ```
    pub fn placements(&self, units: usize) -> Vec<Pose> {
        self.spline.placements(units.max(1))
    }

    /// What it came out as.
    pub fn report(&self) -> &FibreReport {
        &self.report
    }

    /// A number that is different for other beads: the same seed gives the same one for any number of threads.
    pub fn state_hash(&self) -> u64 {
        let words = self.chain.points.iter().flat_map(|point| point.to_array()).map(f64::to_bits);
        // FNV-1a, by words.
        words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
    }
}
