//! What a mesh is made of, for those that keep it in a form of their own.

use std::ops::Range;

use glam::DVec3;

use super::TriangleMesh;

/// The parts of a [`TriangleMesh`] that a distance is made of.
///
/// ```
/// # use glam::DVec3;
/// # use steric_model::formats::mesh::Mesh;
/// # use steric_world::shape::TriangleMesh;
/// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
/// let mesh = TriangleMesh::new(&one)?;
/// assert_eq!(mesh.parts().face_normals, [DVec3::Z]);
/// # Ok::<(), steric_world::shape::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MeshParts<'a> {
    /// Where the vertices stand, in angstroms.
    pub vertices: &'a [DVec3],
    /// The vertices of each triangle, in the order of the tree of boxes.
    pub triangles: &'a [[u32; 3]],
    /// The normal of each triangle.
    pub face_normals: &'a [DVec3],
    /// The mean normals at the edges of each triangle, from each corner to the next.
    pub edge_normals: &'a [[DVec3; 3]],
    /// The mean normal at each vertex.
    pub vertex_normals: &'a [DVec3],
    /// The mean length of an edge, in angstroms.
    pub mean_edge: f64,
}

/// A box of the tree around a mesh.
///
/// ```
/// # use glam::DVec3;
/// # use steric_model::formats::mesh::Mesh;
/// # use steric_world::shape::TriangleMesh;
/// use steric_world::shape::BoxContent;
///
/// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
/// let root = TriangleMesh::new(&one)?.boxes().next().expect("a mesh has a box");
/// assert_eq!((root.low, root.content), (DVec3::ZERO, BoxContent::Triangles(0..1)));
/// # Ok::<(), steric_world::shape::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeshBox {
    /// Its least corner.
    pub low: DVec3,
    /// Its greatest corner.
    pub high: DVec3,
    /// What it holds.
    pub content: BoxContent,
}

/// What a box of the tree around a mesh holds.
///
/// ```
/// use steric_world::shape::BoxContent;
///
/// assert_ne!(BoxContent::Boxes([1, 2]), BoxContent::Triangles(1..2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoxContent {
    /// Two boxes, by their places in the tree; the first stands right behind this one.
    Boxes([u32; 2]),
    /// The triangles with these numbers.
    Triangles(Range<usize>),
}

impl TriangleMesh {
    /// What distances are made of.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use steric_model::formats::mesh::Mesh;
    /// # use steric_world::shape::TriangleMesh;
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.parts().triangles, [[0, 1, 2]]);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn parts(&self) -> MeshParts<'_> {
        MeshParts {
            vertices: &self.vertices,
            triangles: &self.triangles,
            face_normals: &self.face_normals,
            edge_normals: &self.edge_normals,
            vertex_normals: &self.vertex_normals,
            mean_edge: self.mean_edge,
        }
    }

    /// The tree of boxes, its root first.
    ///
    /// ```
    /// # use glam::DVec3;
    /// # use steric_model::formats::mesh::Mesh;
    /// # use steric_world::shape::TriangleMesh;
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.boxes().len(), 1);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn boxes(&self) -> impl ExactSizeIterator<Item = MeshBox> + '_ {
        self.nodes.iter().enumerate().map(|(at, node)| MeshBox {
            low: node.low,
            high: node.high,
            content: node
                .children(at as u32)
                .map_or_else(|| BoxContent::Triangles(node.triangles()), BoxContent::Boxes),
        })
    }
}
