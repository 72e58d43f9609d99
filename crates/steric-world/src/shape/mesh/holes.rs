//! Where a surface is open, and closing it.
//!
//! How it works: an edge of one triangle only is the rim of a hole. Rims that share a vertex belong to one hole. A hole is
//! closed by a fan of triangles from the middle of its rim, turned as its neighbours are; that is right for small and flat ones, and a guess
//! for all others.

use glam::DVec3;
use rustc_hash::FxHashMap;
use steric_model::formats::mesh::Mesh;

use super::{TriangleMesh, repair};

/// A place where a surface is open.
///
/// ```
/// use glam::DVec3;
/// use steric_model::formats::mesh::Mesh;
/// use steric_world::shape::TriangleMesh;
///
/// let one = Mesh { vertices: vec![DVec3::ZERO, 3.0 * DVec3::X, 3.0 * DVec3::Y], triangles: vec![[0, 1, 2]] };
/// let holes = TriangleMesh::new(&one)?.holes();
/// assert_eq!((holes[0].edges, holes[0].center), (3, DVec3::new(1.0, 1.0, 0.0)));
/// # Ok::<(), steric_world::shape::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// Edges of its rim.
    pub edges: usize,
    /// The length of its rim, in angstroms.
    pub length: f64,
    /// The middle of its rim.
    pub center: DVec3,
}

impl TriangleMesh {
    /// Where the surface is open: the longest rim first.
    ///
    /// ```
    /// # use steric_model::formats::mesh::read_obj;
    /// # use steric_world::shape::TriangleMesh;
    /// let text = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    /// let open = TriangleMesh::new(&read_obj(text, "t.obj".as_ref())?.value).expect("a mesh with an area");
    /// assert_eq!((open.holes().len(), open.report().open_edges), (1, 3));
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn holes(&self) -> Vec<Hole> {
        let mut holes: Vec<Hole> = rims(&self.triangles).iter().map(|rim| self.hole(rim)).collect();
        holes.sort_by(|a, b| b.length.total_cmp(&a.length));
        holes
    }

    fn hole(&self, rim: &[[u32; 2]]) -> Hole {
        let (mut length, mut center) = (0.0, DVec3::ZERO);
        for &[from, to] in rim {
            let [from, to] = [from, to].map(|end| self.vertices[end as usize]);
            length += from.distance(to);
            center += 0.5 * (from + to) / rim.len() as f64;
        }
        Hole { edges: rim.len(), length, center }
    }
}

/// The mesh with every hole closed by a fan of triangles from the middle of its rim.
///
/// ```
/// use steric_model::formats::mesh::read_obj;
/// use steric_world::shape::{TriangleMesh, fill_holes};
///
/// let text = b"v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
/// let closed = fill_holes(&read_obj(text, "t.obj".as_ref())?.value);
/// let mesh = TriangleMesh::new(&closed).expect("a mesh with an area");
/// assert!(mesh.report().is_watertight());
/// assert!((mesh.volume() - 36.0).abs() < 1e-9);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn fill_holes(mesh: &Mesh) -> Mesh {
    // Numbers of vertices that are not there are for the surface itself to refuse.
    let is_whole = mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < mesh.vertices.len());
    if !is_whole {
        return mesh.clone();
    }
    let (mut closed, _) = repair::repair(mesh);
    for rim in rims(&closed.triangles) {
        let middle = rim.iter().map(|&[from, _]| closed.vertices[from as usize]).sum::<DVec3>() / rim.len() as f64;
        let center = closed.vertices.len() as u32;
        closed.vertices.push(middle);
        closed.triangles.extend(rim.iter().map(|&[from, to]| [to, from, center]));
    }
    closed
}

// The open edges of each hole, in the direction of their triangles.
fn rims(triangles: &[[u32; 3]]) -> Vec<Vec<[u32; 2]>> {
    let edges = repair::edges(triangles);
    let open = edges.chunk_by(|a, b| a.ends == b.ends).filter(|sides| sides.len() == 1).map(|sides| {
        let corners = triangles[sides[0].triangle as usize];
        let corner = usize::from(sides[0].corner);
        [corners[corner], corners[(corner + 1) % 3]]
    });
    let open: Vec<[u32; 2]> = open.collect();
    let mut hole_of: FxHashMap<u32, u32> = FxHashMap::default();
    let mut first: Vec<u32> = Vec::new();
    for &ends in &open {
        let found = ends.map(|end| hole_of.get(&end).map(|&hole| root(&first, hole)));
        let hole = found[0].or(found[1]).unwrap_or(first.len() as u32);
        if hole as usize == first.len() {
            first.push(hole);
        }
        if let [Some(a), Some(b)] = found {
            first[a.max(b) as usize] = a.min(b);
        }
        for end in ends {
            hole_of.entry(end).or_insert(hole);
        }
    }
    let mut rims: Vec<Vec<[u32; 2]>> = vec![Vec::new(); first.len()];
    for ends in open {
        rims[root(&first, hole_of[&ends[0]]) as usize].push(ends);
    }
    rims.retain(|rim| !rim.is_empty());
    rims
}

fn root(first: &[u32], mut hole: u32) -> u32 {
    while first[hole as usize] != hole {
        hole = first[hole as usize];
    }
    hole
}
