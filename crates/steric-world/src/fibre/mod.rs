//! Fibres: DNA, RNA and actin that fill a compartment without running through themselves.
//!
//! How it works: a coarse walk inside the compartment is refined level by level; each level doubles the segments by moving every midpoint sideways by as much as a chain of that stiffness bends (midpoint displacement, after
//! Klein and others 2019). At each level segments that touch push each other apart, lengths and bends recover, and walls push back. A smooth curve through the last level carries the building blocks, each turned by the
//! twist of its kind. Every random number belongs to a seed, a level and a bead, and every sum is taken in the order of the chain, so that the bits are those of any number of threads.

mod capsule;
mod chain;
mod contact;
mod error;
mod grow;
mod kind;
mod lengths;
mod level;
mod near;
pub mod reference;
mod relax;
mod report;
mod room;
pub mod scenes;
mod spline;
mod walk;

#[cfg(test)]
mod tests;

pub use error::FibreError;
pub use grow::{FibreOptions, FibreProgress, GrownFibre};
pub use kind::{Fibre, FibreKind};
pub use report::FibreReport;
pub use room::Room;
pub use spline::FibreSpline;
