//! A surface of triangles that can be asked for distances, insides, areas and places.
//!
//! How it works: a mesh is welded and turned outward ([`repair`]), its triangles are kept in the order of a tree of boxes
//! ([`tree`]), and a point is compared with the nearest place of it. Whether it stands inside is told by the normal there, which
//! at an edge is the mean of two faces and at a vertex the mean of all by their angles (Bærentzen and Aanæs 2005): with
//! these the sign is right everywhere around a closed mesh.

mod holes;
mod nearest;
mod parts;
mod repair;
mod tree;

use std::f64::consts::PI;

use glam::DVec3;
use steric_model::Random;
use steric_model::formats::mesh::Mesh;

pub use holes::{Hole, fill_holes};
use nearest::{Feature, Nearest};
pub use parts::{BoxContent, MeshBox, MeshParts};
use repair::Edge;
pub use repair::MeshReport;
use tree::Node;

/// A surface of triangles with all that is needed to ask it questions.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::mesh::read_obj;
/// use steric_world::shape::TriangleMesh;
///
/// let tetrahedron = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
/// let mesh = TriangleMesh::new(&read_obj(tetrahedron, "t.obj".as_ref())?.value).expect("a mesh with an area");
/// assert!(mesh.report().is_watertight());
/// assert!((mesh.volume() - 36.0).abs() < 1e-9);
/// assert!(mesh.distance(DVec3::ONE).0 < 0.0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    face_normals: Vec<DVec3>,
    /// Of the edges from each corner of a triangle to the next.
    edge_normals: Vec<[DVec3; 3]>,
    vertex_normals: Vec<DVec3>,
    nodes: Vec<Node>,
    report: MeshReport,
    area: f64,
    volume: f64,
    /// The sum over edges of length times outer angle: twice the integrated mean curvature.
    bending: f64,
    /// Vertices less edges plus triangles: 2 for whatever can be blown up to a sphere.
    euler: f64,
    mean_edge: f64,
}

/// Why no surface can be made of a mesh.
///
/// ```
/// use steric_model::formats::mesh::Mesh;
/// use steric_world::shape::{MeshError, TriangleMesh};
///
/// assert_eq!(TriangleMesh::new(&Mesh::default()).err(), Some(MeshError::NoArea));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle with an area.
    #[error("expected a surface with at least one triangle that has an area, found none")]
    NoArea,
    /// A triangle names a vertex that is not there, or a coordinate is not finite.
    #[error(
        "expected the numbers of three of the {vertices} vertices, with finite coordinates, as triangle {triangle}, found {corners:?}"
    )]
    BadTriangle {
        /// Which triangle, counted from 0.
        triangle: usize,
        /// What it names.
        corners: [u32; 3],
        /// How many vertices there are.
        vertices: usize,
    },
}

impl TriangleMesh {
    /// Welds vertices, turns triangles outward where that can be decided, and builds the tree.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.report().open_edges, 3);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn new(mesh: &Mesh) -> Result<Self, MeshError> {
        check(mesh)?;
        let (mut mesh, report) = repair::repair(mesh);
        if mesh.triangles.is_empty() {
            return Err(MeshError::NoArea);
        }
        let nodes = tree::build(&mesh.vertices, &mut mesh.triangles);
        let mut made = Self {
            face_normals: mesh.triangles.iter().map(|&corners| face_normal(&mesh.vertices, corners)).collect(),
            edge_normals: vec![[DVec3::ZERO; 3]; mesh.triangles.len()],
            vertex_normals: vec![DVec3::ZERO; mesh.vertices.len()],
            vertices: mesh.vertices,
            triangles: mesh.triangles,
            nodes,
            report,
            area: 0.0,
            volume: 0.0,
            bending: 0.0,
            euler: 0.0,
            mean_edge: 0.0,
        };
        made.measure_faces();
        made.measure_edges();
        Ok(made)
    }

    fn measure_faces(&mut self) {
        let mut used = vec![false; self.vertices.len()];
        for (at, &corners) in self.triangles.iter().enumerate() {
            let places = self.corners(corners);
            self.area += area(places);
            self.volume += places[0].dot(places[1].cross(places[2])) / 6.0;
            for corner in 0..3 {
                let (to_next, to_last) =
                    (places[(corner + 1) % 3] - places[corner], places[(corner + 2) % 3] - places[corner]);
                let angle = to_next.angle_between(to_last);
                self.vertex_normals[corners[corner] as usize] += angle * self.face_normals[at];
                used[corners[corner] as usize] = true;
            }
        }
        self.euler = used.iter().filter(|&&used| used).count() as f64 + self.triangles.len() as f64;
        for normal in &mut self.vertex_normals {
            *normal = normal.normalize_or(DVec3::Z);
        }
    }

    fn measure_edges(&mut self) {
        let edges = repair::edges(&self.triangles);
        let mut lengths = 0.0;
        let mut count = 0;
        for edge in edges.chunk_by(|a, b| a.ends == b.ends) {
            let [start, end] = edge[0].ends.map(|end| self.vertices[end as usize]);
            let length = start.distance(end);
            (lengths, count) = (lengths + length, count + 1);
            let normals = edge.iter().map(|side| self.face_normals[side.triangle as usize]);
            let normal = normals.sum::<DVec3>().normalize_or(self.face_normals[edge[0].triangle as usize]);
            for side in edge {
                self.edge_normals[side.triangle as usize][side.corner as usize] = normal;
            }
            if let [first, second] = edge {
                self.bending += length * self.outer_angle(first, second);
            }
        }
        self.euler -= f64::from(count);
        self.mean_edge = lengths / f64::from(count.max(1));
    }

    // Positive where the surface is convex.
    fn outer_angle(&self, first: &Edge, second: &Edge) -> f64 {
        let [a, b] = [first, second].map(|side| self.face_normals[side.triangle as usize]);
        let corners = self.triangles[first.triangle as usize];
        let [start, end] = [0, 1].map(|step| self.vertices[corners[(first.corner as usize + step) % 3] as usize]);
        a.cross(b).dot((end - start).normalize_or_zero()).atan2(a.dot(b))
    }

    fn corners(&self, corners: [u32; 3]) -> [DVec3; 3] {
        corners.map(|corner| self.vertices[corner as usize])
    }

    /// The vertices, welded.
    pub(super) fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles, turned outward.
    pub(super) fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// What was wrong with the mesh, and what was done about it.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert!(!TriangleMesh::new(&one)?.report().is_watertight());
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn report(&self) -> &MeshReport {
        &self.report
    }

    /// The area of all triangles, in square angstroms.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.area(), 0.5);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn area(&self) -> f64 {
        self.area
    }

    /// The volume inside, in cubic angstroms; it means nothing unless the mesh is watertight.
    ///
    /// ```
    /// # use steric_model::formats::mesh::read_obj;
    /// # use steric_world::shape::TriangleMesh;
    /// let text = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    /// let mesh = TriangleMesh::new(&read_obj(text, "t.obj".as_ref())?.value).expect("a mesh with an area");
    /// assert!((mesh.volume() - 36.0).abs() < 1e-9);
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The area of the parallel surface at a height, in square angstroms (Steiner): the area, the bending of the edges
    /// times the height, and 4 pi times its square (2 pi times the Euler number, for a surface with handles).
    ///
    /// ```
    /// # use steric_model::formats::mesh::read_obj;
    /// # use steric_world::shape::TriangleMesh;
    /// let text = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    /// let mesh = TriangleMesh::new(&read_obj(text, "t.obj".as_ref())?.value).expect("a mesh with an area");
    /// assert!(mesh.area_at(2.0) > mesh.area() + 16.0 * std::f64::consts::PI);
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn area_at(&self, height: f64) -> f64 {
        (self.area + height * self.bending + 2.0 * PI * self.euler * height * height).max(0.0)
    }

    /// The volume inside the parallel surface at a height, in cubic angstroms (Steiner); negative heights lie inside.
    ///
    /// ```
    /// # use steric_model::formats::mesh::read_obj;
    /// # use steric_world::shape::TriangleMesh;
    /// let text = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    /// let mesh = TriangleMesh::new(&read_obj(text, "t.obj".as_ref())?.value).expect("a mesh with an area");
    /// assert!(mesh.volume_at(1.0) > mesh.volume() + mesh.area());
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn volume_at(&self, height: f64) -> f64 {
        let rounded = 0.5 * self.bending * height * height + 2.0 / 3.0 * PI * self.euler * height.powi(3);
        (self.volume + self.area * height + rounded).max(0.0)
    }

    /// The least and the greatest corner of the box around it.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.bounds(), (DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0)));
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.nodes.first().map_or((DVec3::ZERO, DVec3::ZERO), |root| (root.low, root.high))
    }

    /// The signed distance of a point, in angstroms, negative inside, and the direction in which it grows.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.distance(DVec3::new(0.25, 0.25, 3.0)), (3.0, DVec3::Z));
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn distance(&self, point: DVec3) -> (f64, DVec3) {
        let nearest = self.nearest(point);
        self.signed(point, &nearest)
    }

    fn signed(&self, point: DVec3, nearest: &Nearest) -> (f64, DVec3) {
        let normal = self.pseudonormal(nearest);
        let (away, distance) = (point - nearest.place).normalize_and_length();
        let sign = if (point - nearest.place).dot(normal) < 0.0 { -1.0 } else { 1.0 };
        // Closer than this the direction is made of rounding errors.
        let least = 1e-12 * (1.0 + point.length() + nearest.place.length());
        if distance > least { (sign * distance, sign * away) } else { (sign * distance, normal) }
    }

    /// As [`TriangleMesh::distance`], with a normal that does not jump at edges: close to the surface, within a tenth of the
    /// mean edge, it turns into the mean of the corners' normals.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.height(DVec3::new(0.25, 0.25, 0.0)).1, DVec3::Z);
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn height(&self, point: DVec3) -> (f64, DVec3) {
        let nearest = self.nearest(point);
        let (distance, gradient) = self.signed(point, &nearest);
        let share = (distance.abs() / (0.1 * self.mean_edge)).min(1.0);
        let smooth = self.interpolated_normal(&nearest);
        (distance, smooth.lerp(gradient, share).normalize_or(gradient))
    }

    /// The point at that height, in angstroms, above the place that is nearest to a point.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::formats::mesh::Mesh;
    /// use steric_world::shape::TriangleMesh;
    ///
    /// let one = Mesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y], triangles: vec![[0, 1, 2]] };
    /// assert_eq!(TriangleMesh::new(&one)?.project(DVec3::new(0.25, 0.25, 3.0), 1.0), DVec3::new(0.25, 0.25, 1.0));
    /// # Ok::<(), steric_world::shape::MeshError>(())
    /// ```
    pub fn project(&self, point: DVec3, height: f64) -> DVec3 {
        let mut projected = point;
        // One step is exact unless it crosses to where another place is nearer, as on the inner side of an edge.
        for _ in 0..8 {
            let (distance, gradient) = self.distance(projected);
            let missing = height - distance;
            if missing.abs() <= 1e-9 * (1.0 + height.abs()) || !missing.is_finite() {
                break;
            }
            projected += missing * gradient;
        }
        projected
    }

    fn pseudonormal(&self, nearest: &Nearest) -> DVec3 {
        match nearest.feature {
            Feature::Face => self.face_normals[nearest.triangle],
            Feature::Edge(corner) => self.edge_normals[nearest.triangle][corner],
            Feature::Vertex(corner) => self.vertex_normals[self.triangles[nearest.triangle][corner] as usize],
        }
    }

    fn interpolated_normal(&self, nearest: &Nearest) -> DVec3 {
        let corners = self.triangles[nearest.triangle];
        let normals = corners.map(|corner| self.vertex_normals[corner as usize]);
        let sum = nearest.weights.iter().zip(normals).map(|(&weight, normal)| weight * normal).sum::<DVec3>();
        sum.normalize_or(self.face_normals[nearest.triangle])
    }

    /// Places spread over the parallel surface at a height, uniform in area: each drawn anywhere, or each from its own
    /// one of as many equal parts. Triangles count as they are when their corners are moved along their normals.
    pub(super) fn places(&self, count: usize, height: f64, is_even: bool, random: &mut Random) -> Option<Vec<DVec3>> {
        let lifted: Vec<DVec3> = self.vertices.iter().zip(&self.vertex_normals).map(|(v, n)| v + height * n).collect();
        let mut ends = Vec::with_capacity(self.triangles.len());
        let mut total = 0.0;
        for (&corners, normal) in self.triangles.iter().zip(&self.face_normals) {
            let [a, b, c] = corners.map(|corner| lifted[corner as usize]);
            // A triangle that has turned over is gone from the parallel surface.
            total += (0.5 * (b - a).cross(c - a).dot(*normal)).max(0.0);
            ends.push(total);
        }
        let drawn = (0..count).map(|at| {
            let part = if is_even { (at as f64 + random.unit()) / count as f64 } else { random.unit() };
            let triangle = ends.partition_point(|&end| end <= part * total).min(ends.len() - 1);
            let corners = self.triangles[triangle].map(|corner| lifted[corner as usize]);
            self.project(in_triangle(corners, random), height)
        });
        (total > 0.0 && total.is_finite()).then(|| drawn.collect())
    }
}

fn check(mesh: &Mesh) -> Result<(), MeshError> {
    let is_good = |&corner: &u32| mesh.vertices.get(corner as usize).is_some_and(|vertex| vertex.is_finite());
    let bad = mesh.triangles.iter().position(|corners| !corners.iter().all(is_good));
    let error = |triangle| MeshError::BadTriangle {
        triangle,
        corners: mesh.triangles[triangle],
        vertices: mesh.vertices.len(),
    };
    bad.map_or(Ok(()), |triangle| Err(error(triangle)))
}

fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

fn face_normal(vertices: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
    (b - a).cross(c - a).normalize_or(DVec3::Z)
}

// The square root makes the strips along one side as likely as they are long.
fn in_triangle([a, b, c]: [DVec3; 3], random: &mut Random) -> DVec3 {
    let (strip, along) = (random.unit().sqrt(), random.unit());
    (1.0 - strip) * a + strip * ((1.0 - along) * b + along * c)
}

#[cfg(test)]
pub(super) mod tests;
