//! What holds a molecule in place.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use steric_model::Pose;

use crate::respond::Pull;
use crate::shape::{Region, Side, Surface};

/// One of the two layers of a membrane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaflet {
    /// Heads point out.
    Outer,
    /// Heads point in.
    Inner,
}

impl Leaflet {
    /// Along the outward normal, heads point this way.
    pub fn sign(self) -> f64 {
        match self {
            Self::Outer => 1.0,
            Self::Inner => -1.0,
        }
    }
}

/// A constraint on a molecule. Points and axes are in the molecule's own frame.
#[derive(Clone, Debug)]
pub enum Hold {
    /// The head stays near a height above a surface and the axis near the normal (Algorithm 4.5 of the founding thesis,
    /// corrected: each leaflet has its own height and direction, and the spring grows with the deviation).
    Surface {
        /// The middle of the membrane.
        surface: Arc<Surface>,
        /// Which layer.
        leaflet: Leaflet,
        /// The point that has to keep its height.
        head: DVec3,
        /// Signed height of the head above the surface, in angstroms: negative in the inner leaflet.
        height: f64,
        /// How far the height may deviate, in angstroms.
        leeway: f64,
        /// From the tails to the head, of length one.
        axis: DVec3,
        /// How far the axis may lean from the normal, in radians.
        tilt: f64,
    },
    /// The molecule stays near the pose that it starts from.
    Start {
        /// How far the centre may move, in angstroms.
        leeway: f64,
        /// How far the molecule may turn, in radians.
        turn: f64,
    },
    /// Points of the molecule stay on one side of a region's boundary.
    Region {
        /// The region.
        region: Arc<Region>,
        /// Which side of its boundary.
        side: Side,
        /// The points; none means every atom.
        points: Vec<DVec3>,
    },
    /// A rule of one's own. Only the processor knows it.
    Rule(Arc<dyn Rule>),
}

/// A rule of one's own for where a molecule may be.
///
/// ```
/// use glam::{DMat3, DVec3};
/// use steric_model::Pose;
/// use steric_world::relax::Rule;
/// use steric_world::respond::Pull;
///
/// /// The centre stays at or above z = 0.
/// #[derive(Debug)]
/// struct Above;
///
/// impl Rule for Above {
///     fn ask(&self, pose: &Pose, _: DMat3, pulls: &mut Vec<Pull>) -> bool {
///         let depth = self.breach(pose);
///         if depth > 0.0 {
///             pulls.push(Pull::Shift { arm: DVec3::ZERO, direction: DVec3::Z, depth });
///         }
///         depth > 0.01
///     }
///     fn breach(&self, pose: &Pose) -> f64 {
///         (-pose.translation.z).max(0.0)
///     }
/// }
///
/// assert!(Above.ask(&Pose::from_translation(-DVec3::Z), DMat3::IDENTITY, &mut Vec::new()));
/// ```
pub trait Rule: std::fmt::Debug + Send + Sync {
    /// Adds what a molecule has to do; returns whether the rule is broken. The matrix is the pose's rotation.
    fn ask(&self, pose: &Pose, rotation: DMat3, pulls: &mut Vec<Pull>) -> bool;

    /// How far the rule is broken, in angstroms.
    fn breach(&self, pose: &Pose) -> f64;

    /// The nearest pose that keeps what must hold in every iteration.
    fn kept(&self, pose: Pose) -> Pose {
        pose
    }
}

impl Hold {
    /// The same constraint with its points measured from another origin of the molecule's frame.
    pub fn seen_from(&self, origin: DVec3) -> Self {
        let mut hold = self.clone();
        match &mut hold {
            Self::Surface { head, .. } => *head -= origin,
            Self::Region { points, .. } => points.iter_mut().for_each(|point| *point -= origin),
            Self::Start { .. } | Self::Rule(_) => {}
        }
        hold
    }
}
