//! Bodies made of tetrahedra: what a soft body is before it moves.
//!
//! How it works: a tetrahedron is four numbers of points. Its volume is `(b - a) · ((c - a) × (d - a)) / 6`, positive when
//! d lies on the side from which a, b, c run counter-clockwise. Faces and edges are found by sorting their corners: a face
//! that occurs once is surface, and it is turned so that it faces away from its tetrahedron wherever that one lies, also
//! when its corners are listed the wrong way round.

mod block;
mod problems;
mod shape;

use glam::DVec3;

pub use problems::MeshProblem;

/// Points, and tetrahedra as four numbers of points each, counted from 0.
///
/// ```
/// use glam::DVec3;
/// use steric_model::TetMesh;
///
/// let corner = TetMesh {
///     name: "corner".to_owned(),
///     points: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     tetrahedra: vec![[0, 1, 2, 3]],
///     regions: vec![0],
/// };
/// assert_eq!(corner.volume(), 1.0 / 6.0);
/// assert_eq!(corner.surface(), [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]]);
/// assert!(corner.problems().is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// The name of its file, without the ending.
    pub name: String,
    /// In angstroms, as far as the file knows.
    pub points: Vec<DVec3>,
    /// Every corner is the number of a point; which order of corners is the right one, [`TetMesh::signed_volume`] says.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The material or the region of each tetrahedron as its file numbers them; 0 where it names none.
    pub regions: Vec<u32>,
}

/// The four faces of a tetrahedron of positive volume, each counter-clockwise as seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// A face of a tetrahedron, found under its sorted corners.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [u32; 3],
    /// From the smallest corner on, counter-clockwise as seen from outside the tetrahedron.
    outward: [u32; 3],
    tetrahedron: usize,
}

impl TetMesh {
    /// The faces that belong to one tetrahedron only, counter-clockwise as seen from outside, each from its smallest
    /// corner on, sorted.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::TetMesh;
    ///
    /// let cube = TetMesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1]);
    /// assert_eq!(cube.surface().len(), 12);
    /// let outward = |[a, b, c]: [u32; 3]| {
    ///     let [a, b, c] = [a, b, c].map(|corner| cube.points[corner as usize]);
    ///     (b - a).cross(c - a).dot(a - DVec3::splat(0.5)) > 0.0
    /// };
    /// assert!(cube.surface().into_iter().all(outward));
    /// ```
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let faces = self.faces();
        let alone = faces.chunk_by(|a, b| a.corners == b.corners).filter(|faces| faces.len() == 1);
        let mut surface: Vec<[u32; 3]> = alone.map(|faces| faces[0].outward).collect();
        surface.sort_unstable();
        surface
    }

    /// The edges of all tetrahedra, each once, the smaller corner first, sorted.
    ///
    /// ```
    /// let cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// // The 12 of the cube, a diagonal in each of its faces, and one through its middle.
    /// assert_eq!(cube.edges().len(), 19);
    /// assert_eq!(cube.edges()[0], [0, 1]);
    /// ```
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let of_one = |corners: &[u32; 4]| EDGES.map(|[a, b]| [corners[a].min(corners[b]), corners[a].max(corners[b])]);
        let mut edges: Vec<[u32; 2]> = self.tetrahedra.iter().flat_map(of_one).filter(|[a, b]| a != b).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The sum of the signed volumes.
    ///
    /// ```
    /// let slab = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::new(4.0, 2.0, 0.5), [3, 2, 1]);
    /// assert!((slab.volume() - 4.0).abs() < 1e-12);
    /// ```
    pub fn volume(&self) -> f64 {
        (0..self.tetrahedra.len()).map(|at| self.signed_volume(at)).sum()
    }

    /// The volume of one tetrahedron, `(b - a) · ((c - a) × (d - a)) / 6`; negative when it is inverted.
    ///
    /// ```
    /// let mut cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// assert_eq!(cube.signed_volume(0), 1.0 / 6.0);
    /// cube.tetrahedra[0].swap(2, 3);
    /// assert_eq!(cube.signed_volume(0), -1.0 / 6.0);
    /// ```
    pub fn signed_volume(&self, tetrahedron: usize) -> f64 {
        let [a, b, c, d] = self.tetrahedra[tetrahedron].map(|corner| self.points[corner as usize]);
        (b - a).dot((c - a).cross(d - a)) / 6.0
    }

    /// The mean length of the edges; 0 without any.
    ///
    /// ```
    /// let cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// let expected = (12.0 + 6.0 * 2_f64.sqrt() + 3_f64.sqrt()) / 19.0;
    /// assert!((cube.mean_edge() - expected).abs() < 1e-12);
    /// ```
    pub fn mean_edge(&self) -> f64 {
        let edges = self.edges();
        edges.iter().map(|&edge| self.length(edge)).sum::<f64>() / edges.len().max(1) as f64
    }

    /// The length of the longest edge; 0 without any.
    ///
    /// ```
    /// let cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// assert_eq!(cube.longest_edge(), 3_f64.sqrt());
    /// ```
    pub fn longest_edge(&self) -> f64 {
        self.edges().iter().map(|&edge| self.length(edge)).fold(0.0, f64::max)
    }

    /// The mesh with the corners of every inverted tetrahedron in the other order, and how many those were.
    ///
    /// ```
    /// let mut cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// cube.tetrahedra[4].swap(0, 1);
    /// let (cube, flipped) = cube.oriented();
    /// assert_eq!(flipped, 1);
    /// assert!(cube.problems().is_empty());
    /// ```
    pub fn oriented(mut self) -> (Self, usize) {
        let inverted: Vec<usize> = (0..self.tetrahedra.len()).filter(|&at| self.signed_volume(at) < 0.0).collect();
        inverted.iter().for_each(|&at| self.tetrahedra[at].swap(2, 3));
        (self, inverted.len())
    }

    /// The mesh without the points that no tetrahedron uses; the others keep their order.
    ///
    /// ```
    /// let mut cube = steric_model::TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// cube.points.insert(0, glam::DVec3::NAN);
    /// cube.tetrahedra.iter_mut().flatten().for_each(|corner| *corner += 1);
    /// let cube = cube.without_unused();
    /// assert_eq!((cube.points.len(), cube.tetrahedra[0]), (8, [0, 1, 3, 7]));
    /// ```
    pub fn without_unused(mut self) -> Self {
        let is_used = self.used();
        let mut used_before = 0;
        let new_number: Vec<u32> = is_used
            .iter()
            .map(|&used| {
                used_before += u32::from(used);
                used_before.saturating_sub(1)
            })
            .collect();
        self.tetrahedra.iter_mut().flatten().for_each(|corner| *corner = new_number[*corner as usize]);
        let mut is_used = is_used.into_iter();
        self.points.retain(|_| is_used.next() == Some(true));
        self
    }

    /// Which points are corners.
    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.points.len()];
        for &corner in self.tetrahedra.iter().flatten() {
            if let Some(used) = used.get_mut(corner as usize) {
                *used = true;
            }
        }
        used
    }

    fn length(&self, [a, b]: [u32; 2]) -> f64 {
        self.points[a as usize].distance(self.points[b as usize])
    }

    /// Every face that has three different corners, sorted by them and then by tetrahedron.
    fn faces(&self) -> Vec<Face> {
        let mut faces: Vec<Face> = (0..self.tetrahedra.len()).flat_map(|at| self.faces_of(at)).collect();
        faces.retain(|face| face.corners[0] != face.corners[1] && face.corners[1] != face.corners[2]);
        faces.sort_unstable_by_key(|face| (face.corners, face.tetrahedron));
        faces
    }

    fn faces_of(&self, tetrahedron: usize) -> [Face; 4] {
        let is_inverted = self.signed_volume(tetrahedron) < 0.0;
        FACES.map(|face| {
            let mut outward = face.map(|corner| self.tetrahedra[tetrahedron][corner]);
            if is_inverted {
                outward.swap(1, 2);
            }
            let mut corners = outward;
            corners.sort_unstable();
            let smallest = outward.iter().position(|corner| *corner == corners[0]).unwrap_or(0);
            outward.rotate_left(smallest);
            Face { corners, outward, tetrahedron }
        })
    }
}
