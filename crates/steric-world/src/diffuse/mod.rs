//! Particles in Brownian or ballistic motion that never pass through each other.
//!
//! How it works: a [`Setup`] says what moves and where; a [`Diffusion`] goes on from step to step. In a step everyone moves along a straight path, and contacts along the paths are found exactly
//! ([`first_touch`]), in the order of their times, by one of five strategies that give the same bits. What two do that touch is a [`Response`], or a [`Rule`].

mod check;
mod checkpoint;
mod contact;
mod draw;
mod fill;
mod finder;
mod groups;
mod obstacle;
mod particles;
mod queue;
mod random;
pub mod reference;
mod rigid;
mod rules;
mod setup;
mod statistics;
mod step;
mod turn;
mod world;

pub use contact::{first_touch, touching_times};
pub use fill::{fill, heat};
pub use obstacle::{Obstacle, Triangles};
pub use setup::{
    Bounds, Decay, DiffuseError, DiffuseOptions, Edge, Inside, Motion, Offenders, Particle, Response, Rule, Setup,
    Species, Strategy, Then,
};
pub use statistics::Statistics;
pub use world::{Collision, Diffusion, Outcome, Partner, Placed};
