//! Every number of a relaxation.

use serde::{Deserialize, Serialize};

/// Which response pushes molecules apart.
///
/// ```
/// use steric_world::relax::ResponseKind;
///
/// assert_eq!(ResponseKind::default().to_string(), "newton");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseKind {
    /// Biased block-Newton with momentum.
    #[default]
    Newton,
    /// Position-based projection, averaged, with Nesterov momentum.
    Projection,
    /// The founding thesis's force law (Algorithm 4.4, equation 4.1).
    Thesis,
}

impl std::fmt::Display for ResponseKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Newton => "newton",
            Self::Projection => "projection",
            Self::Thesis => "thesis",
        })
    }
}

/// The numbers of a relaxation; `[physics]` in a scene file.
///
/// ```
/// use steric_world::relax::RelaxOptions;
///
/// let options = RelaxOptions { max_iterations: 50, ..RelaxOptions::default() };
/// assert_eq!(options.target, 1.03);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RelaxOptions {
    /// The response.
    pub response: ResponseKind,
    /// At most so many iterations.
    pub max_iterations: u32,
    /// At most so many seconds; 0 means no limit.
    pub max_seconds: f64,
    /// Give up when the number of overlapping molecules has not fallen for so many iterations.
    pub stall_iterations: u32,
    /// Overlaps up to this depth are forgiven, in angstroms.
    pub slack: f64,
    /// Once there is something to push apart, atoms are pushed at least this much farther than they must, in angstroms, so
    /// that a file that rounds coordinates still holds no overlap.
    pub clearance: f64,
    /// Atoms are pushed towards this many times the distance at which they touch.
    pub target: f64,
    /// No atom moves farther in one iteration, in angstroms.
    pub max_move: f64,
    /// Part of the step that the response takes; 0 means its own default (newton 0.7, projection 1.0).
    pub step: f64,
    /// Damping of `newton`, in units of the mean diagonal of its matrix.
    pub damping: f64,
    /// Nesterov momentum; negative means the response's own default (newton 0.85, projection 0.95).
    pub momentum: f64,
    /// How much the way out leans towards the line between the two molecules' centres; 0 for plain normals.
    pub bias: f64,
    /// In the first so many iterations the lean grows with the depth of the overlap.
    pub bias_iterations: u32,
    /// Later a contact leans when both its molecules have overlapped for more than so many iterations.
    pub bias_after: u32,
    /// That lean is full after so many more iterations.
    pub bias_ramp: u32,
    /// Every so many iterations the worst molecules are jolted; 0 for never.
    pub jolt_every: u32,
    /// Molecules that have overlapped for at least so many iterations may be jolted.
    pub jolt_after: u32,
    /// At most this part of the molecules is jolted at a time.
    pub jolt_fraction: f64,
    /// How far a jolt shifts, in angstroms.
    pub jolt_shift: f64,
    /// How far a jolt turns, in degrees.
    pub jolt_turn_degrees: f64,
    /// Step size of pushes of `thesis`.
    pub thesis_force: f64,
    /// Step size of turns of `thesis`.
    pub thesis_torque: f64,
    /// Step size of springs of `thesis`.
    pub thesis_spring: f64,
    /// Step size of springs that turn, of `thesis`.
    pub thesis_spring_torque: f64,
    /// Width of the skin of the near list, in angstroms; negative lets it follow the motion.
    pub skin: f64,
    /// Whether molecules at rest are skipped.
    pub sleep: bool,
}

impl Default for RelaxOptions {
    fn default() -> Self {
        Self {
            response: ResponseKind::Newton,
            max_iterations: 2_000,
            max_seconds: 0.0,
            stall_iterations: 500,
            slack: 0.0,
            clearance: 0.0025,
            target: 1.03,
            max_move: 2.0,
            step: 0.0,
            damping: 1.0,
            momentum: -1.0,
            bias: 1.0,
            bias_iterations: 20,
            bias_after: 10,
            bias_ramp: 1,
            jolt_every: 40,
            jolt_after: 15,
            jolt_fraction: 0.02,
            jolt_shift: 0.5,
            jolt_turn_degrees: 8.6,
            thesis_force: 2.0,
            thesis_torque: 0.0005,
            thesis_spring: 0.1,
            thesis_spring_torque: 0.1,
            skin: -1.0,
            sleep: true,
        }
    }
}
