//! Surfaces of triangles among molecules: compartments, tissues, walls.

use glam::{DVec3, Vec3};
use steric_model::formats::mesh::Mesh;

/// A surface of triangles, and how it looks.
///
/// ```
/// use steric_model::formats::mesh::read_obj;
/// use steric_view::Surface;
///
/// let square = b"v 0 0 0\nv 10 0 0\nv 10 10 0\nv 0 10 0\nf 1 2 3 4\n";
/// let wall = Surface::new(read_obj(square, "wall.obj".as_ref())?.value);
/// assert_eq!(wall.opacity, 1.0);
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its triangles, in angstroms. One that names a vertex that is not there is not drawn.
    pub mesh: Mesh,
    /// In sRGB.
    pub colour: [u8; 3],
    /// How much it hides of what is behind it, 0 to 1.
    pub opacity: f32,
}

impl Surface {
    /// A surface in a quiet blue grey that hides what is behind it.
    pub fn new(mesh: Mesh) -> Self {
        Self { mesh, colour: [168, 184, 204], opacity: 1.0 }
    }

    /// The same surface, hiding a part of what is behind it.
    pub fn with_opacity(self, opacity: f32) -> Self {
        Self { opacity: opacity.clamp(0.0, 1.0), ..self }
    }
}

/// Surfaces as the kernels read them: triangles, then vertices.
pub(super) struct SurfaceWords {
    pub(super) words: Vec<[u32; 4]>,
    pub(super) triangles: u32,
}

/// Puts surfaces one after the other, seen from an origin.
pub(super) fn surface_words(surfaces: &[Surface], origin: DVec3) -> SurfaceWords {
    let (mut triangles, mut vertices) = (Vec::new(), Vec::new());
    for surface in surfaces {
        let first = vertices.len() as u32 / 2;
        let [red, green, blue] = surface.colour;
        let look = u32::from_le_bytes([red, green, blue, (surface.opacity.clamp(0.0, 1.0) * 255.0).round() as u8]);
        let normals = normals(&surface.mesh);
        for (place, normal) in surface.mesh.vertices.iter().zip(normals) {
            vertices.push(words((*place - origin).as_vec3()));
            vertices.push(words(normal));
        }
        triangles.extend(whole(&surface.mesh).map(|[a, b, c]| [first + a, first + b, first + c, look]));
    }
    let count = triangles.len() as u32;
    triangles.append(&mut vertices);
    SurfaceWords { words: triangles, triangles: count }
}

fn words(vector: Vec3) -> [u32; 4] {
    vector.extend(0.0).to_array().map(f32::to_bits)
}

/// The triangles of which all corners are there.
pub(crate) fn whole(mesh: &Mesh) -> impl Iterator<Item = [u32; 3]> + '_ {
    let count = mesh.vertices.len() as u32;
    mesh.triangles.iter().copied().filter(move |corners| corners.iter().all(|&corner| corner < count))
}

/// Of each vertex the mean of the triangles around it, by their areas.
pub(crate) fn normals(mesh: &Mesh) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; mesh.vertices.len()];
    for corners in whole(mesh) {
        let [a, b, c] = corners.map(|corner| mesh.vertices[corner as usize]);
        let normal = (b - a).cross(c - a);
        corners.iter().for_each(|&corner| sums[corner as usize] += normal);
    }
    sums.into_iter().map(|sum| sum.normalize_or(DVec3::Z).as_vec3()).collect()
}

/// A ball around all vertices, if there are any.
pub(super) fn reach(surfaces: &[Surface], origin: DVec3) -> f64 {
    let all = surfaces.iter().flat_map(|surface| &surface.mesh.vertices);
    all.filter(|place| place.is_finite()).map(|place| place.distance(origin)).fold(0.0, f64::max)
}
