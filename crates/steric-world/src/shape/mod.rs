//! Surfaces that lipids stand on, and regions that molecules stay in.
//!
//! [`Surface`] is the middle of a membrane, [`Surface::places`] spreads places over it and [`spread`] pushes those places
//! apart as discs before any atom is looked at; [`Region`] is a part of space that molecules stay in or out of.

mod discs;
mod ellipsoid;
mod made;
mod mesh;
mod outline;
mod places;
mod region;
mod surface;

pub use discs::spread;
pub use made::{round_cone, rounded_box};
pub use mesh::{BoxContent, Hole, MeshBox, MeshError, MeshParts, MeshReport, TriangleMesh, fill_holes};
pub use places::{PlacesError, Sampling};
pub use region::{Region, Side};
pub use surface::Surface;
