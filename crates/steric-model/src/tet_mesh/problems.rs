//! What can be wrong with a mesh of tetrahedra.
//!
//! How it works: corners that are no points come first, because nothing else can be asked of their tetrahedra, which are left out
//! of the rest. Faces and edges of the surface are found by sorting, so the list has the same order every time: points,
//! then tetrahedra, then faces, then edges, each by number.

use std::fmt;

use super::{EDGES, TetMesh};

/// Below this part of the cube of its longest edge a volume is none: the regular tetrahedron has 0.118, and the flattest
/// of sound meshes about 1e-4.
const FLAT: f64 = 1e-6;

/// Something that a simulation of the mesh would stumble over; all numbers count from 0.
///
/// ```
/// use steric_model::{MeshProblem, TetMesh};
///
/// let mut cube = TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
/// cube.tetrahedra[3].swap(0, 1);
/// cube.points.push(glam::DVec3::ONE);
/// let problems: Vec<String> = cube.problems().iter().map(ToString::to_string).collect();
/// assert_eq!(problems, [
///     "expected a tetrahedron that uses it, found none for point 8",
///     "expected a positive volume, found -0.16666666666666666 in tetrahedron 3",
/// ]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshProblem {
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The point.
        point: u32,
    },
    /// No tetrahedron uses the point.
    Unused {
        /// The point.
        point: u32,
    },
    /// A corner is the number of no point.
    NoSuchPoint {
        /// The tetrahedron.
        tetrahedron: usize,
        /// Its corner.
        corner: u32,
    },
    /// Two corners are the same point.
    RepeatedCorner {
        /// The tetrahedron.
        tetrahedron: usize,
        /// The point that occurs twice.
        corner: u32,
    },
    /// The volume is negative: the corners are listed the wrong way round, or the tetrahedron is turned inside out.
    Inverted {
        /// The tetrahedron.
        tetrahedron: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// The volume is nothing against the cube of the longest edge.
    Flat {
        /// The tetrahedron.
        tetrahedron: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// The same four corners as a tetrahedron before.
    Duplicate {
        /// The later of the two.
        tetrahedron: usize,
        /// The first with these corners.
        first: usize,
    },
    /// More than two tetrahedra share a face.
    CrowdedFace {
        /// Its corners, sorted.
        face: [u32; 3],
        /// Those that share it, sorted.
        tetrahedra: Vec<usize>,
    },
    /// More than two triangles of the surface meet in an edge: the body hangs together by a line there.
    CrowdedEdge {
        /// Its corners, sorted.
        edge: [u32; 2],
        /// How many triangles of the surface meet there.
        triangles: usize,
    },
}

impl fmt::Display for MeshProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { point } => write!(f, "expected finite coordinates, found others in point {point}"),
            Self::Unused { point } => write!(f, "expected a tetrahedron that uses it, found none for point {point}"),
            Self::NoSuchPoint { tetrahedron, corner } => {
                write!(f, "expected the number of a point, found {corner} in tetrahedron {tetrahedron}")
            }
            Self::RepeatedCorner { tetrahedron, corner } => {
                write!(f, "expected four different corners, found {corner} twice in tetrahedron {tetrahedron}")
            }
            Self::Inverted { tetrahedron, volume } => {
                write!(f, "expected a positive volume, found {volume} in tetrahedron {tetrahedron}")
            }
            Self::Flat { tetrahedron, volume } => {
                write!(f, "expected a volume above 0, found {volume} in the flat tetrahedron {tetrahedron}")
            }
            Self::Duplicate { tetrahedron, first } => {
                write!(f, "expected new corners, found those of tetrahedron {first} in tetrahedron {tetrahedron}")
            }
            Self::CrowdedFace { face: [a, b, c], tetrahedra } => {
                let first: Vec<String> = tetrahedra.iter().take(8).map(ToString::to_string).collect();
                let (count, first) = (tetrahedra.len(), first.join(", "));
                write!(f, "expected one or two tetrahedra at the face {a} {b} {c}, found {count} (tetrahedra {first})")
            }
            Self::CrowdedEdge { edge: [a, b], triangles } => {
                write!(f, "expected two triangles of the surface at the edge {a} {b}, found {triangles}")
            }
        }
    }
}

impl TetMesh {
    /// What is wrong with the mesh, in the order points, tetrahedra, faces, edges; empty where it is sound.
    ///
    /// ```
    /// use steric_model::{MeshProblem, TetMesh};
    ///
    /// let mut cube = TetMesh::block(glam::DVec3::ZERO, glam::DVec3::ONE, [1, 1, 1]);
    /// cube.tetrahedra.push(cube.tetrahedra[2]);
    /// cube.regions.push(0);
    /// assert!(cube.problems().contains(&MeshProblem::Duplicate { tetrahedron: 6, first: 2 }));
    /// ```
    pub fn problems(&self) -> Vec<MeshProblem> {
        let mut problems = self.problems_of_points();
        let missing = self.missing_points();
        if !missing.is_empty() {
            problems.extend(missing);
            return problems;
        }
        (0..self.tetrahedra.len()).for_each(|at| problems.extend(self.problem_of(at)));
        problems.extend(self.duplicates());
        problems.extend(self.crowded_faces());
        problems.extend(self.crowded_edges());
        problems
    }

    fn problems_of_points(&self) -> Vec<MeshProblem> {
        let used = self.used();
        let numbered = || (0_u32..).zip(&self.points);
        let infinite =
            numbered().filter(|(_, point)| !point.is_finite()).map(|(point, _)| MeshProblem::NotFinite { point });
        let unused =
            (0_u32..).zip(used).filter(|(_, is_used)| !is_used).map(|(point, _)| MeshProblem::Unused { point });
        infinite.chain(unused).collect()
    }

    fn missing_points(&self) -> Vec<MeshProblem> {
        let missing = |(tetrahedron, corners): (usize, &[u32; 4])| {
            let corner = corners.iter().copied().find(|&corner| corner as usize >= self.points.len())?;
            Some(MeshProblem::NoSuchPoint { tetrahedron, corner })
        };
        self.tetrahedra.iter().enumerate().filter_map(missing).collect()
    }

    fn problem_of(&self, tetrahedron: usize) -> Option<MeshProblem> {
        let corners = self.tetrahedra[tetrahedron];
        if let Some([a, _]) = EDGES.into_iter().find(|&[a, b]| corners[a] == corners[b]) {
            return Some(MeshProblem::RepeatedCorner { tetrahedron, corner: corners[a] });
        }
        let volume = self.signed_volume(tetrahedron);
        let longest = EDGES.map(|edge| self.length(edge.map(|corner| corners[corner]))).into_iter().fold(0.0, f64::max);
        if volume.abs() <= FLAT * longest.powi(3) {
            return Some(MeshProblem::Flat { tetrahedron, volume });
        }
        (volume < 0.0).then_some(MeshProblem::Inverted { tetrahedron, volume })
    }

    fn duplicates(&self) -> Vec<MeshProblem> {
        let sorted = |(at, corners): (usize, &[u32; 4])| {
            let mut corners = *corners;
            corners.sort_unstable();
            (corners, at)
        };
        let mut all: Vec<([u32; 4], usize)> = self.tetrahedra.iter().enumerate().map(sorted).collect();
        all.sort_unstable();
        let again = |same: &[([u32; 4], usize)]| {
            let first = same[0].1;
            same[1..].iter().map(|&(_, tetrahedron)| (tetrahedron, first)).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(usize, usize)> = all.chunk_by(|a, b| a.0 == b.0).flat_map(again).collect();
        pairs.sort_unstable();
        pairs.into_iter().map(|(tetrahedron, first)| MeshProblem::Duplicate { tetrahedron, first }).collect()
    }

    fn crowded_faces(&self) -> Vec<MeshProblem> {
        let faces = self.faces();
        let crowds = faces.chunk_by(|a, b| a.corners == b.corners).filter(|sharing| sharing.len() > 2);
        let problem = |sharing: &[super::Face]| MeshProblem::CrowdedFace {
            face: sharing[0].corners,
            tetrahedra: sharing.iter().map(|face| face.tetrahedron).collect(),
        };
        crowds.map(problem).collect()
    }

    fn crowded_edges(&self) -> Vec<MeshProblem> {
        let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [a, c]].map(|[a, b]| [a.min(b), a.max(b)]);
        let mut edges: Vec<[u32; 2]> = self.surface().into_iter().flat_map(sides).collect();
        edges.sort_unstable();
        let crowds = edges.chunk_by(|a, b| a == b).filter(|same| same.len() > 2);
        crowds.map(|same| MeshProblem::CrowdedEdge { edge: same[0], triangles: same.len() }).collect()
    }
}
