//! Molecules, their files and their sphere trees, in angstroms.
//!
//! A file becomes a [`Structure`]: every atom with its names, the residues and chains it belongs to, and the copies
//! ([`Assembly`]) that the file asks for. Nothing is expanded: a virus of ten million atoms stays a few templates
//! and a list of poses.

mod chain_names;
mod clip;
mod element;
mod error;
mod expand;
mod file_beside;
mod flat;
mod k_means;
mod molecules;
mod morton;
mod name;
mod periodic_box;
mod pose;
mod random;
mod scene;
mod skeleton;
mod sphere_tree;
mod structure;
mod tet_mesh;

pub mod chemistry;
pub mod formats;
pub mod recipe;
pub mod suggest;

pub use chain_names::TooManyChains;
pub use clip::{Clip, Curve, Keys, Track, Turning};
pub use element::Element;
pub use error::{Located, Parsed, Place, ReadError, Warning, Warnings, WriteError};
pub use expand::ExpandError;
pub use file_beside::file_beside;
pub use k_means::k_means;
pub use molecules::{
    AssemblyChoice, MoleculeOptions, Molecules, MoleculesBy, MoleculesError, MovedError, Origin, Periodic, Source,
};
pub use morton::morton;
pub use name::Name;
pub use periodic_box::PeriodicBox;
pub use pose::Pose;
pub use random::Random;
pub use scene::{AtomId, Molecule, MoleculeId, MoleculeType, Scene, TypeId};
pub use skeleton::{Bone, Joint, JointPose, Rig, Skeleton, Skin};
pub use sphere_tree::{Cluster, Group, Grouping, LANES, Sphere, SphereTree};
pub use structure::{Assembly, AtomRecord, Atoms, Bond, Chain, Copies, Model, Residue, Structure, StructureBuilder};
pub use tet_mesh::{MeshProblem, TetMesh};
/// The clock of `std`, and in a browser, where that one panics, the page's.
pub use web_time::Instant;
