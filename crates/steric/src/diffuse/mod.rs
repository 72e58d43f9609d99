//! Particles in motion: scene files, runs of them, and what is written down.
//!
//! How it works: a [`DiffuseScene`] is read from TOML and becomes the setup of a [`Diffusion`](steric_world::diffuse::Diffusion). While it runs, a [`Recorder`] writes frames and a [`CollisionLog`] every
//! contact; a [`DiffuseReport`] says at the end what was seen, beside what theory expects.

mod build;
mod check;
mod log;
mod picture;
mod record;
mod report;
mod scene;
mod snapshot;
mod unit;

pub use build::{DiffuseError, Wishes};
pub use log::CollisionLog;
pub use picture::picture;
pub use record::{Recorder, Series};
pub use report::{DiffuseReport, EncounterRow, SpeciesRow};
pub use scene::DiffuseScene;
pub use snapshot::{snapshot, spheres_of};
pub use unit::TimeUnit;
