//! Where a fibre may be.
//!
//! How it works: a compartment is everything inside of some regions and outside of others. How much room there is is counted with points drawn from the smallest region that it lies in.

use glam::DVec3;
use steric_model::Random;

use crate::shape::Region;

/// Points that are drawn to measure a compartment: its volume is known to a few percent.
const SAMPLES: u64 = 4_096;

/// A compartment: inside of all of some regions and outside of all of others. Without any it is all of space.
///
/// ```
/// use glam::DVec3;
/// use steric_world::fibre::Room;
/// use steric_world::shape::Region;
///
/// // A cell without its nucleus.
/// let cytoplasm = Room {
///     inside: vec![Region::Sphere { center: DVec3::ZERO, radius: 900.0 }],
///     outside: vec![Region::Sphere { center: DVec3::X, radius: 300.0 }],
/// };
/// assert!(cytoplasm.has_room(500.0 * DVec3::Y, 10.0));
/// assert!(!cytoplasm.has_room(305.0 * DVec3::Y, 10.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Room {
    /// What the fibre stays in.
    pub inside: Vec<Region>,
    /// What it stays out of: obstacles and inner compartments.
    pub outside: Vec<Region>,
}

/// What is known about a compartment.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// In cubic angstroms; infinite where nothing ends it.
    pub(super) volume: f64,
    /// The distance from the roomiest point that was drawn to the nearest wall.
    pub(super) widest: f64,
    /// Points with a radius of room around them, in the order in which they were drawn.
    pub(super) places: Vec<DVec3>,
}

impl Room {
    /// The inside of one region.
    pub fn inside(region: Region) -> Self {
        Self { inside: vec![region], outside: Vec::new() }
    }

    /// Whether a sphere about a point, with a radius in angstroms, touches no wall.
    pub fn has_room(&self, point: DVec3, radius: f64) -> bool {
        self.depth(point).0 <= -radius
    }

    /// How far a point stands beyond the nearest wall, in angstroms, negative where it is in the compartment, and the direction in which that grows.
    pub(super) fn depth(&self, point: DVec3) -> (f64, DVec3) {
        let inside = self.inside.iter().map(|region| region.distance(point));
        let outside = self.outside.iter().map(|region| region.distance(point)).map(|(beyond, way)| (-beyond, -way));
        // Written so that what is no number stays none.
        let nearest = |worst: (f64, DVec3), one: (f64, DVec3)| {
            if worst.0.is_nan() || one.0 <= worst.0 { worst } else { one }
        };
        inside.chain(outside).fold((f64::NEG_INFINITY, DVec3::Z), nearest)
    }

    pub(super) fn is_everywhere(&self) -> bool {
        self.inside.is_empty() && self.outside.is_empty()
    }

    /// Moves a point until it has room, or for a while.
    pub(super) fn draw_in(&self, mut point: DVec3, radius: f64) -> DVec3 {
        /// In a corner one wall pushes towards another.
        const PUSHES: usize = 16;
        for _ in 0..PUSHES {
            let (depth, outward) = self.depth(point);
            if depth <= -radius {
                break;
            }
            point -= (depth + radius) * outward;
        }
        point
    }

    pub(super) fn survey(&self, radius: f64) -> Survey {
        let sized = |region: &&Region| region.volume().is_finite();
        let smallest = self.inside.iter().filter(sized).min_by(|a, b| a.volume().total_cmp(&b.volume()));
        let Some(smallest) = smallest else {
            let place = self.draw_in(DVec3::ZERO, radius);
            let places = if self.has_room(place, radius) { vec![place] } else { Vec::new() };
            return Survey { volume: f64::INFINITY, widest: f64::INFINITY, places };
        };
        let mut survey = Survey { volume: 0.0, widest: 0.0, places: Vec::new() };
        let mut within = 0;
        for number in 0..SAMPLES {
            // A mesh that cannot be drawn from once is not asked four thousand times.
            let Some(point) = smallest.sample(&mut Random::of(0, number)) else { break };
            let depth = self.depth(point).0;
            within += usize::from(depth <= 0.0);
            survey.widest = survey.widest.max(-depth);
            if depth <= -radius {
                survey.places.push(point);
            }
        }
        survey.volume = smallest.volume() * within as f64 / SAMPLES as f64;
        survey
    }
}
