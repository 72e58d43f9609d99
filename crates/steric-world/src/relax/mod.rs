//! Pushes molecules apart until nothing overlaps.

mod hold;
mod options;

pub use hold::{Hold, Leaflet};
pub use options::{RelaxOptions, ResponseKind};
