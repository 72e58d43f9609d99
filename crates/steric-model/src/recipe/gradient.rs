//! Gradients: where in its compartment an ingredient would rather be.
//!
//! How it works: a gradient measures a distance, from a plane, a point or a surface, and divides it by the greatest one in
//! the compartment. From that share, 0 to 1, comes a weight, 1 to 0: the chance that a place is taken.

use glam::DVec3;
use smol_str::SmolStr;

/// A preference for some places.
///
/// ```
/// use steric_model::recipe::{Gradient, GradientShape, GradientWeight};
///
/// let shape = GradientShape::Vector { direction: glam::DVec3::Z, center: None };
/// let upward = Gradient { name: "up".into(), shape, weight: GradientWeight::Power(1.0), is_reversed: false };
/// assert_eq!(upward.weight_at(0.25), 0.75);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// Ingredients name it by this.
    pub name: SmolStr,
    /// From where distances are measured.
    pub shape: GradientShape,
    /// How the weight falls with the distance.
    pub weight: GradientWeight,
    /// Whether what is far is preferred instead of what is near.
    pub is_reversed: bool,
}

/// From where a gradient measures.
///
/// ```
/// use steric_model::recipe::GradientShape;
///
/// let from_nucleus = GradientShape::Surface { compartment: "nucleus".into() };
/// assert!(matches!(from_nucleus, GradientShape::Surface { .. }));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum GradientShape {
    /// Along a direction, from the plane through a point or from the first place of the compartment.
    Vector {
        /// The direction, of any length but zero.
        direction: DVec3,
        /// A point of the plane.
        center: Option<DVec3>,
    },
    /// From a point.
    Radial {
        /// The point.
        center: DVec3,
        /// Where the weight has fallen to nothing, in angstroms; none for the farthest place of the compartment.
        radius: Option<f64>,
    },
    /// From the surface of a compartment, on both sides.
    Surface {
        /// Its name.
        compartment: SmolStr,
    },
}

/// How a weight falls with the share of the greatest distance.
///
/// ```
/// use steric_model::recipe::GradientWeight;
///
/// assert_ne!(GradientWeight::Power(2.0), GradientWeight::Exponential { decay_length: 2.0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GradientWeight {
    /// `(1 - share)` to this power: 1 is linear.
    Power(f64),
    /// `exp(-share / decay_length)`.
    Exponential {
        /// In shares of the greatest distance.
        decay_length: f64,
    },
}

impl Gradient {
    /// The weight at a share of the greatest distance, both from 0 to 1.
    ///
    /// ```
    /// use steric_model::recipe::{Gradient, GradientShape, GradientWeight};
    ///
    /// let shape = GradientShape::Radial { center: glam::DVec3::ZERO, radius: None };
    /// let weight = GradientWeight::Exponential { decay_length: 0.1 };
    /// let near = Gradient { name: "near".into(), shape, weight, is_reversed: false };
    /// assert!(near.weight_at(0.0) == 1.0 && near.weight_at(1.0) < 1e-4);
    /// ```
    pub fn weight_at(&self, share: f64) -> f64 {
        let share = share.clamp(0.0, 1.0);
        let share = if self.is_reversed { 1.0 - share } else { share };
        match self.weight {
            GradientWeight::Power(power) => (1.0 - share).powf(power),
            GradientWeight::Exponential { decay_length } => (-share / decay_length).exp(),
        }
    }
}
