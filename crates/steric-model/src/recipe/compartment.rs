//! Compartments: parts of space with a boundary.

use glam::DVec3;
use smol_str::SmolStr;

use crate::formats::mesh::Mesh;

/// The place of a compartment in [`Recipe::compartments`](super::Recipe::compartments).
///
/// ```
/// use steric_model::recipe::CompartmentId;
///
/// assert!(CompartmentId(0) < CompartmentId(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompartmentId(pub u32);

/// A biological volume: a cell, a nucleus, the envelope of a virus.
///
/// ```
/// use steric_model::recipe::{Compartment, CompartmentShape};
///
/// let shape = CompartmentShape::Sphere { center: glam::DVec3::ZERO, radius: 750.0 };
/// let envelope = Compartment { name: "envelope".into(), shape: Some(shape), ..Compartment::default() };
/// assert_eq!(envelope.parent, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compartment {
    /// What it is called.
    pub name: SmolStr,
    /// The compartment that it lies in; none if it lies in the open.
    pub parent: Option<CompartmentId>,
    /// Its boundary; none where the recipe does not say.
    pub shape: Option<CompartmentShape>,
    /// How thick its membrane is, in angstroms; 0 where the recipe does not say.
    pub thickness: f64,
}

/// The boundary of a compartment.
///
/// ```
/// use steric_model::recipe::CompartmentShape;
///
/// let nucleus = CompartmentShape::Mesh { file: "meshes/nucleus.obj".to_owned() };
/// assert_ne!(nucleus, CompartmentShape::Mesh { file: "cell.obj".to_owned() });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum CompartmentShape {
    /// A sphere.
    Sphere {
        /// Its centre.
        center: DVec3,
        /// Its radius, in angstroms.
        radius: f64,
    },
    /// A box along the axes.
    Box {
        /// Its least corner.
        low: DVec3,
        /// Its greatest corner.
        high: DVec3,
    },
    /// A closed surface in a file.
    Mesh {
        /// The file as the recipe names it: a name, a path or an address.
        file: String,
    },
    /// A closed surface in the recipe itself.
    Triangles {
        /// Its vertices and triangles, in angstroms.
        mesh: Mesh,
    },
}
