//! Pushes molecules apart until nothing overlaps.

mod body;
mod hold;
mod options;
mod pulls;
mod setup;
mod world;

pub use hold::{Hold, Leaflet};
pub use options::{RelaxOptions, ResponseKind};
pub use setup::Setup;
pub use world::{Iteration, Relax, state_hash};
