//! Finds overlaps between molecules.
//!
//! ```
//! use steric::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = Input::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/data/popc.pdb"))?;
//! let report = check(&[file], &CheckOptions::default())?;
//! for pair in &report.worst {
//!     println!("{pair}");
//! }
//! # assert_eq!(report.molecules, 5);
//! # assert!(report.worst[0].to_string().contains("POP"));
//! # Ok(())
//! # }
//! ```
//!
//! The parts are crates of their own: [`model`] reads files and holds molecules, [`collide`] searches, [`world`]
//! builds and relaxes, [`gpu`] does both on a GPU.

pub mod animate;
pub mod backend;
pub mod check;
pub mod deform;
pub mod diffuse;
pub mod dock;
pub mod fibre;
pub mod recipe;
pub mod relax;
pub mod save;
pub mod show;

pub use steric_cluster as cluster;
pub use steric_collide as collide;
pub use steric_gpu as gpu;
pub use steric_model as model;
pub use steric_world as world;

/// What most programs want.
pub mod prelude {
    pub use crate::check::{CheckError, CheckOptions, Input, Report, check};
    pub use steric_collide::{IndexKind, Overlap, OverlapSearch};
    pub use steric_model::chemistry::{ClashDefinition, RadiiSet};
    pub use steric_model::{
        AssemblyChoice, AtomId, MoleculeOptions, Molecules, MoleculesBy, Periodic, Pose, Scene, Structure,
    };
}
