//! Why a body cannot be made or brought to rest.

/// Why a soft body cannot be made of a mesh and its materials, or cannot come to rest.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{DeformError, Material, SoftBody};
///
/// let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let inside_out = SoftBody::new(points, vec![[0, 2, 1, 3]], &[], &[Material::default()]);
/// assert!(matches!(inside_out, Err(DeformError::Inverted { element: 0, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformError {
    /// A body of no tetrahedra has no mass.
    #[error("expected at least one tetrahedron, found none")]
    Empty,
    /// A tetrahedron names a point that is not there, or one of them twice.
    #[error("element {element}: expected the numbers of four of the {points} points, each once, found {corners:?}")]
    Corners {
        /// Which tetrahedron, counted from 0.
        element: usize,
        /// What it names.
        corners: [u32; 4],
        /// How many points there are.
        points: usize,
    },
    /// A coordinate is no number, or without end.
    #[error("point {point}: expected finite coordinates, found {found}")]
    NotFinite {
        /// Which point, counted from 0.
        point: usize,
        /// Where it is.
        found: glam::DVec3,
    },
    /// The fourth corner lies on the wrong side of the first three.
    #[error(
        "element {element}: expected a volume above 0, found {volume:e}; swap two of its corners if it is listed the other way round"
    )]
    Inverted {
        /// Which tetrahedron, counted from 0.
        element: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// The four corners lie in a plane.
    #[error(
        "element {element}: expected a tetrahedron, found four corners in a plane (volume {volume:e}, longest edge {longest:e})"
    )]
    Flat {
        /// Which tetrahedron, counted from 0.
        element: usize,
        /// Its signed volume.
        volume: f64,
        /// Its longest edge.
        longest: f64,
    },
    /// A point that no tetrahedron uses has no mass.
    #[error("point {point}: expected a corner of a tetrahedron, found one of none")]
    Loose {
        /// Which point, counted from 0.
        point: usize,
    },
    /// Two tetrahedra lie on the same side of the face that they share, or three share one.
    #[error(
        "element {element}: expected its face {face:?} to be shared with at most one other, on its other side, found element {other} there"
    )]
    Folded {
        /// Which tetrahedron, counted from 0.
        element: usize,
        /// The one that was there first.
        other: usize,
        /// The face, in increasing order.
        face: [u32; 3],
    },
    /// Regions come one per tetrahedron, or not at all.
    #[error("expected one region for each of the {elements} tetrahedra, found {found}")]
    Regions {
        /// How many tetrahedra there are.
        elements: usize,
        /// How many regions.
        found: usize,
    },
    /// A tetrahedron lies in a region that no material is given for.
    #[error("element {element}: expected a region below {materials}, the number of materials, found {region}")]
    NoMaterial {
        /// Which tetrahedron, counted from 0.
        element: usize,
        /// Its region.
        region: u32,
        /// How many materials there are.
        materials: usize,
    },
    /// No such material can be.
    #[error("element {element}: expected {expected} for the material of region {region}, found {found}")]
    Material {
        /// The first tetrahedron of it, counted from 0.
        element: usize,
        /// Which material, counted from 0.
        region: u32,
        /// What there should be.
        expected: &'static str,
        /// What there is.
        found: f64,
    },
    /// A piece that nothing holds cannot come to rest under a load.
    #[error("expected held points in every piece, found none in the piece of point {point}")]
    Adrift {
        /// The first point of the piece, counted from 0.
        point: usize,
    },
}
