//! Soft bodies in contact: scene files, runs of them, and what is written down.
//!
//! How it works: a [`DeformScene`] is read from TOML; its bodies are shapes or meshes from files. [`DeformScene::start`] puts them into a [`SoftRun`], which leads what is led and steps the rest. While it runs, a
//! [`Frames`] writes it for ParaView or Blender; a [`DeformReport`] says at the end what was seen.

mod build;
mod check;
mod film;
mod glb;
mod report;
mod run;
mod scene;

pub use build::DeformSceneError;
pub use film::Frames;
pub use report::{BodyRow, DeformReport};
pub use run::SoftRun;
pub use scene::DeformScene;
