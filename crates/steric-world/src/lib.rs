//! Worlds of rigid molecules that must not overlap.
//!
//! [`pack`] packs molecules by packmol's rules, [`build`] places molecules from a scene file, [`relax`] pushes them apart until nothing overlaps, [`dock`] moves one by hand among others,
//! [`deform`] bends soft bodies of tetrahedra, [`respond`] holds the ways in which a molecule can answer its overlaps, [`shape`] the surfaces and regions that hold molecules in place.

pub mod animate;
pub mod build;
pub mod deform;
pub mod diffuse;
pub mod dock;
pub mod fibre;
pub mod pack;
pub mod relax;
pub mod report;
pub mod respond;
pub mod shape;
