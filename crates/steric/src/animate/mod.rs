//! Molecules on a skeleton: what a user asks for, and what becomes of it.
//!
//! How it works: a [`Script`] says which structure hangs on which skeleton and how; it is a scene file, the words of a command, or both.
//! [`Script::open`] reads what it names and makes a [`Puppet`]. [`Stage`] turns a moment into molecules that can be drawn, and [`write_frames`]
//! writes frames for other programs.

mod frames;
mod opened;
mod script;
mod stage;

pub use frames::{topology_of, write_frames};
pub use opened::Opened;
pub use script::{AnimateError, Names, Script, WrittenClip, WrittenJoint, WrittenTurn, sway};
pub use stage::Stage;
pub use steric_world::animate::{
    Alignment, BakeOptions, Blend, BonesBy, Corrections, Fit, KeyFrames, Level, Manner, Moment, Puppet, PuppetOptions,
    Reach, Untangler, Up, WeightOptions,
};
