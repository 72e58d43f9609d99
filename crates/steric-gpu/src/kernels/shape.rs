//! The surfaces and regions that hold molecules, as kernels read them.
//!
//! How it works: all shapes stand in one array of four-float words; a kernel knows a shape by the number of its first word.
//! Coordinates are relative to an origin near the scene, because an `f32` keeps seven digits. A whole number stands in the
//! bits of a float with bit 30 set, so that no GPU takes it for a float too small to keep. What `shape.wgsl` reads:
//!
//! | shape | first word | second | third |
//! |---|---|---|---|
//! | sphere | 1, centre | radius | |
//! | plane, half-space | 2, normal | offset along the normal | |
//! | box | 3, middle | half of each edge | |
//! | ellipsoid | 4, centre | semi-axes, longest first; their order, two bits each | squares of the first two over that of the last, less 1 |
//! | cylinder | 5, middle | direction, radius | a direction across, half of the length |
//! | mesh | 6, a tenth of the mean edge, its first box, its first triangle | | |
//! | inset | 7, depth, first word of the other region | | |
//!
//! Behind the head of a mesh follow, each in one go:
//! - its boxes, two words each: least corner and link, greatest corner and count. A leaf links to the first of its
//!   triangles and counts them; another box links to its second child, counts none, and its first child stands right behind it;
//! - its triangles, six words each: three corners, with the normal of the face in their fourth floats; three normals
//!   of the edges from each corner to the next, and in their fourth floats where the normals of the three corners stand;
//! - the normals of its vertices, one word each.

use std::collections::HashMap;
use std::sync::Arc;

use glam::DVec3;
use steric_world::shape::{BoxContent, MeshParts, Region, Surface, TriangleMesh};

const SPHERE: usize = 1;
const PLANE: usize = 2;
const BOX: usize = 3;
const ELLIPSOID: usize = 4;
const CYLINDER: usize = 5;
const MESH: usize = 6;
const INSET: usize = 7;

/// Words of a mesh's head, of one of its boxes and of one of its triangles.
const HEAD_WORDS: usize = 1;
const BOX_WORDS: usize = 2;
const TRIANGLE_WORDS: usize = 6;

/// An ellipsoid is at least this thick, in angstroms: the squares of its ratios have to fit into an `f32`.
const LEAST_SEMI_AXIS: f64 = 1e-4;

type Word = [f32; 4];

/// Shapes in the words that kernels read; one that is shared is held once.
#[derive(Debug)]
pub(crate) struct Shapes {
    origin: DVec3,
    words: Vec<Word>,
    surfaces: Known<Surface>,
    regions: Known<Region>,
    meshes: Known<TriangleMesh>,
}

/// Where a shape stands, by its address; it is kept alive so that no other gets that address.
type Known<T> = HashMap<usize, (Arc<T>, u32)>;

impl Shapes {
    /// No shapes yet; their coordinates will be relative to this origin.
    pub(crate) fn new(origin: DVec3) -> Self {
        let (surfaces, regions, meshes) = (Known::new(), Known::new(), Known::new());
        Self { origin, words: Vec::new(), surfaces, regions, meshes }
    }

    /// All words, in order.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    /// The first word of a surface, for `surface_height`.
    pub(crate) fn surface(&mut self, surface: &Arc<Surface>) -> u32 {
        if let Some(&(_, at)) = self.surfaces.get(&Arc::as_ptr(surface).addr()) {
            return at;
        }
        let at = match **surface {
            Surface::Sphere { center, radius } => self.sphere(center, radius),
            Surface::Plane { origin, normal } => self.plane(normal, origin.dot(normal)),
            Surface::Mesh(ref mesh) => self.mesh(mesh),
        };
        self.surfaces.insert(Arc::as_ptr(surface).addr(), (Arc::clone(surface), at));
        at
    }

    /// The first word of a region, for `region_distance`.
    pub(crate) fn region(&mut self, region: &Arc<Region>) -> u32 {
        if let Some(&(_, at)) = self.regions.get(&Arc::as_ptr(region).addr()) {
            return at;
        }
        let at = match **region {
            Region::Box { low, high } => {
                let middle = self.local(0.5 * (low + high));
                self.push(&[numbered(BOX, middle), word(0.5 * (high - low).abs(), 0.0)])
            }
            Region::Sphere { center, radius } => self.sphere(center, radius),
            Region::Ellipsoid { center, semi_axes } => self.ellipsoid(center, semi_axes),
            Region::Cylinder { start, end, radius } => self.cylinder(start, end, radius),
            Region::HalfSpace { normal, offset } => self.plane(normal, offset),
            Region::Mesh(ref mesh) => self.mesh(mesh),
            Region::Inset { ref of, depth } => self.inset(of, depth),
        };
        self.regions.insert(Arc::as_ptr(region).addr(), (Arc::clone(region), at));
        at
    }

    // The depth, and where the other region stands; insets of insets are one.
    fn inset(&mut self, of: &Arc<Region>, depth: f64) -> u32 {
        if let Region::Inset { of: ref inner, depth: more } = **of {
            return self.inset(inner, depth + more);
        }
        let inner = self.region(of);
        self.push(&[[number(INSET), depth as f32, number(inner as usize), 0.0]])
    }

    fn sphere(&mut self, center: DVec3, radius: f64) -> u32 {
        self.push(&[numbered(SPHERE, self.local(center)), [radius as f32, 0.0, 0.0, 0.0]])
    }

    fn plane(&mut self, normal: DVec3, offset: f64) -> u32 {
        let offset = offset - self.origin.dot(normal);
        self.push(&[numbered(PLANE, normal), [offset as f32, 0.0, 0.0, 0.0]])
    }

    fn ellipsoid(&mut self, center: DVec3, semi_axes: DVec3) -> u32 {
        let axes = semi_axes.abs().max(DVec3::splat(LEAST_SEMI_AXIS));
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| axes[b].total_cmp(&axes[a]));
        let sorted = DVec3::from(order.map(|axis| axes[axis]));
        let excess = (sorted - sorted.z) * (sorted + sorted.z) / (sorted.z * sorted.z);
        let mut size = word(sorted, 0.0);
        size[3] = number(order[0] | order[1] << 2 | order[2] << 4);
        self.push(&[numbered(ELLIPSOID, self.local(center)), size, word(excess, 0.0)])
    }

    fn cylinder(&mut self, start: DVec3, end: DVec3, radius: f64) -> u32 {
        let axis = (end - start).normalize_or(DVec3::Z);
        let across = axis.any_orthonormal_vector();
        let middle = self.local(0.5 * (start + end));
        self.push(&[numbered(CYLINDER, middle), word(axis, radius), word(across, 0.5 * start.distance(end))])
    }

    fn mesh(&mut self, mesh: &Arc<TriangleMesh>) -> u32 {
        if let Some(&(_, at)) = self.meshes.get(&Arc::as_ptr(mesh).addr()) {
            return at;
        }
        let parts = mesh.parts();
        let at = self.words.len();
        let boxes = at + HEAD_WORDS;
        let triangles = boxes + BOX_WORDS * mesh.boxes().len();
        let normals = triangles + TRIANGLE_WORDS * parts.triangles.len();
        self.words.push([number(MESH), (0.1 * parts.mean_edge) as f32, number(boxes), number(triangles)]);
        self.boxes(mesh, boxes, triangles);
        self.triangles(&parts, normals);
        self.words.extend(parts.vertex_normals.iter().map(|&normal| word(normal, 0.0)));
        self.meshes.insert(Arc::as_ptr(mesh).addr(), (Arc::clone(mesh), at as u32));
        at as u32
    }

    fn boxes(&mut self, mesh: &TriangleMesh, boxes: usize, triangles: usize) {
        for node in mesh.boxes() {
            let (link, count) = match node.content {
                BoxContent::Boxes([_, second]) => (boxes + BOX_WORDS * second as usize, 0),
                BoxContent::Triangles(held) => (triangles + TRIANGLE_WORDS * held.start, held.len()),
            };
            // Corners of triangles are rounded the same way, so they stay inside.
            let (low, high) = (word(self.local(node.low), 0.0), word(self.local(node.high), 0.0));
            self.words.extend([with_fourth(low, number(link)), with_fourth(high, number(count))]);
        }
    }

    fn triangles(&mut self, parts: &MeshParts<'_>, normals: usize) {
        for (at, &corners) in parts.triangles.iter().enumerate() {
            for (corner, part_of_normal) in corners.into_iter().zip(parts.face_normals[at].to_array()) {
                self.words.push(word(self.local(parts.vertices[corner as usize]), part_of_normal));
            }
            for (corner, normal) in corners.into_iter().zip(parts.edge_normals[at]) {
                self.words.push(with_fourth(word(normal, 0.0), number(normals + corner as usize)));
            }
        }
    }

    fn local(&self, point: DVec3) -> DVec3 {
        point - self.origin
    }

    fn push(&mut self, words: &[Word]) -> u32 {
        let at = self.words.len();
        self.words.extend_from_slice(words);
        at as u32
    }
}

/// A whole number in the bits of a float that is neither too small to keep nor infinite.
fn number(value: usize) -> f32 {
    assert!(value < 1 << 29, "shapes fill less than 8 GB, so a place among them fits into 29 bits");
    f32::from_bits(1 << 30 | value as u32)
}

fn numbered(kind: usize, rest: DVec3) -> Word {
    let [x, y, z] = rest.as_vec3().to_array();
    [number(kind), x, y, z]
}

fn word(first: DVec3, fourth: f64) -> Word {
    first.as_vec3().extend(fourth as f32).to_array()
}

fn with_fourth([x, y, z, _]: Word, fourth: f32) -> Word {
    [x, y, z, fourth]
}

#[cfg(test)]
mod tests;
