//! Pushes molecules apart until nothing overlaps.

mod body;
mod checkpoint;
mod engine;
mod gather;
mod hands;
mod hold;
mod home;
mod jolt;
mod mover;
mod options;
mod proxy;
pub(crate) mod pulls;
mod run;
mod setup;
mod team;
mod world;

pub use checkpoint::{CheckpointError, InParts, SavedPart};
pub use engine::{Engine, EngineError, Parts, Progress};
pub use hold::{Hold, Leaflet, Rule};
pub use home::Record;
pub use options::{RelaxOptions, ResponseKind};
pub use proxy::ProxyFit;
pub use run::Stop;
pub use setup::Setup;
pub use team::{Alone, Drift, Sight, Team};
pub use world::{Iteration, Relax, hashed_on, state_hash};
