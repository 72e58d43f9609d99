//! Pushes molecules apart until nothing overlaps.

mod body;
mod checkpoint;
mod engine;
mod gather;
mod hands;
mod hold;
mod jolt;
mod mover;
mod options;
mod proxy;
pub(crate) mod pulls;
mod run;
mod setup;
mod world;

pub use checkpoint::CheckpointError;
pub use engine::{Engine, EngineError, Parts, Progress};
pub use hold::{Hold, Leaflet, Rule};
pub use options::{RelaxOptions, ResponseKind};
pub use proxy::ProxyFit;
pub use run::Stop;
pub use setup::Setup;
pub use world::{Iteration, Relax, state_hash};
