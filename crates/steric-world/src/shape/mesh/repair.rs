//! Makes one surface of what a file holds.
//!
//! How it works: vertices closer than a millionth of the mesh's size are welded, because files repeat them along the seams of
//! their textures. Triangles without area go. From one triangle to the next across an edge that exactly two share, the second is
//! turned where both run along the edge the same way; of the two sets that this makes in a connected part the
//! smaller is turned. If then the whole has a negative volume, all are turned. A part that lies in another, both turned
//! outward, bounds nothing of their union and is left out; one turned inward is a cavity and stays.

use std::f64::consts::PI;
use std::fmt;

use glam::DVec3;
use rustc_hash::FxHashMap;
use steric_model::formats::mesh::Mesh;

/// What was wrong with a mesh.
///
/// ```
/// use steric_world::shape::MeshReport;
///
/// let report = MeshReport { open_edges: 3, triangles: 1, ..MeshReport::default() };
/// assert!(!report.is_watertight());
/// assert_eq!(report.to_string(), "1 triangles; 3 open edges");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Triangles that are left.
    pub triangles: usize,
    /// Connected parts that are left. Where two of them penetrate each other, points inside one and near the buried
    /// surface of the other count as outside; they should be joined before.
    pub parts: usize,
    /// Connected parts inside another one, turned the same way, which were left out.
    pub swallowed: usize,
    /// Vertices that stood in the place of another and became one with it.
    pub welded: usize,
    /// Triangles without area, which were left out.
    pub degenerate: usize,
    /// Triangles that were turned over.
    pub turned: usize,
    /// Edges of one triangle only.
    pub open_edges: usize,
    /// Edges of three triangles or more.
    pub crowded_edges: usize,
    /// Edges whose two triangles could not be turned the same way, as in a Möbius strip.
    pub twisted_edges: usize,
}

impl MeshReport {
    /// Whether the surface closes, so that there is an inside.
    ///
    /// ```
    /// assert!(steric_world::shape::MeshReport::default().is_watertight());
    /// ```
    pub fn is_watertight(&self) -> bool {
        self.open_edges + self.crowded_edges + self.twisted_edges == 0
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} triangles", self.triangles)?;
        let findings = [
            (self.welded, "welded vertices"),
            (self.degenerate, "triangles without area left out"),
            (self.turned, "triangles turned over"),
            (self.swallowed, "parts inside others left out"),
            (self.open_edges, "open edges"),
            (self.crowded_edges, "edges of more than two triangles"),
            (self.twisted_edges, "twisted edges"),
        ];
        for (count, what) in findings.into_iter().filter(|finding| finding.0 > 0) {
            write!(f, "; {count} {what}")?;
        }
        Ok(())
    }
}

/// A side of a triangle, from one corner to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// The lower number first.
    pub(super) ends: [u32; 2],
    pub(super) triangle: u32,
    pub(super) corner: u8,
    is_upward: bool,
}

/// All sides, with those of one edge together.
pub(super) fn edges(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let sides = triangles.iter().zip(0..).flat_map(|(corners, triangle)| {
        (0..3_u8).map(move |corner| {
            let (from, to) = (corners[usize::from(corner)], corners[(usize::from(corner) + 1) % 3]);
            Edge { ends: [from.min(to), from.max(to)], triangle, corner, is_upward: from < to }
        })
    });
    let mut edges: Vec<Edge> = sides.collect();
    edges.sort_unstable();
    edges
}

pub(super) fn repair(mesh: &Mesh) -> (Mesh, MeshReport) {
    let mut report = MeshReport::default();
    let mut mesh = weld(mesh, &mut report);
    let edges = edges(&mesh.triangles);
    let parts = turn_alike(&mut mesh.triangles, &edges, &mut report);
    let volume: f64 = mesh.triangles.iter().map(|corners| volume(&mesh.vertices, *corners)).sum();
    if volume < 0.0 {
        mesh.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        report.turned = mesh.triangles.len() - report.turned;
    }
    drop_swallowed(&mut mesh, &parts, &mut report);
    report.triangles = mesh.triangles.len();
    (mesh, report)
}

fn volume(vertices: &[DVec3], corners: [u32; 3]) -> f64 {
    // Around a vertex of the mesh, so that an open one far from the origin is not judged by where it stands.
    let [a, b, c] = corners.map(|corner| vertices[corner as usize] - vertices[0]);
    a.dot(b.cross(c))
}

fn weld(mesh: &Mesh, report: &mut MeshReport) -> Mesh {
    let finite = || mesh.vertices.iter().copied().filter(|vertex| vertex.is_finite());
    let size = finite().fold(DVec3::NEG_INFINITY, DVec3::max) - finite().fold(DVec3::INFINITY, DVec3::min);
    let reach = (1e-6 * size.length()).max(f64::MIN_POSITIVE);
    let mut by_cell: FxHashMap<[i64; 3], u32> = FxHashMap::default();
    let mut welded = Mesh::default();
    let mut names = Vec::with_capacity(mesh.vertices.len());
    for &vertex in &mesh.vertices {
        let name = near_one(vertex, reach, &by_cell, &welded.vertices).unwrap_or_else(|| {
            by_cell.insert(cell(vertex, reach), welded.vertices.len() as u32);
            welded.vertices.push(vertex);
            welded.vertices.len() as u32 - 1
        });
        names.push(name);
    }
    report.welded = mesh.vertices.len() - welded.vertices.len();
    let triangles = mesh.triangles.iter().map(|corners| corners.map(|corner| names[corner as usize]));
    welded.triangles = triangles.filter(|&corners| has_area(&welded.vertices, corners)).collect();
    report.degenerate = mesh.triangles.len() - welded.triangles.len();
    welded
}

fn has_area(vertices: &[DVec3], corners: [u32; 3]) -> bool {
    let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
    (b - a).cross(c - a).length_squared() > 0.0
}

// Cells are four reaches wide, so a vertex within reach lies in one of at most eight.
fn cell(vertex: DVec3, reach: f64) -> [i64; 3] {
    (vertex / (4.0 * reach)).to_array().map(|x| x.floor() as i64)
}

fn near_one(vertex: DVec3, reach: f64, by_cell: &FxHashMap<[i64; 3], u32>, vertices: &[DVec3]) -> Option<u32> {
    let (low, high) = (cell(vertex - reach, reach), cell(vertex + reach, reach));
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                let near = by_cell.get(&[x, y, z]).copied();
                if let Some(near) = near.filter(|&near| vertices[near as usize].distance(vertex) <= reach) {
                    return Some(near);
                }
            }
        }
    }
    None
}

/// Beyond this many parts a mesh is a heap of rubble, and each part would have to be compared with each.
const MOST_COMPARED: usize = 256;

fn drop_swallowed(mesh: &mut Mesh, parts: &[Vec<u32>], report: &mut MeshReport) {
    let triangle = |at: &u32| mesh.triangles[*at as usize];
    let volumes: Vec<f64> =
        parts.iter().map(|part| part.iter().map(|at| volume(&mesh.vertices, triangle(at))).sum()).collect();
    let encloses = |outer: usize, inner: usize| {
        let point = mesh.vertices[triangle(&parts[inner][0])[0] as usize];
        volumes[outer] > volumes[inner] && {
            let corners = parts[outer].iter().map(|at| triangle(at).map(|corner| mesh.vertices[corner as usize]));
            corners.map(|corners| solid_angle(corners, point)).sum::<f64>() > 2.0 * PI
        }
    };
    let compared = 0..if parts.len() <= MOST_COMPARED { parts.len() } else { 0 };
    let is_swallowed = |&inner: &usize| volumes[inner] > 0.0 && compared.clone().any(|outer| encloses(outer, inner));
    let mut swallowed: Vec<u32> = compared.clone().filter(is_swallowed).flat_map(|part| parts[part].clone()).collect();
    report.swallowed = compared.clone().filter(is_swallowed).count();
    report.parts = parts.len() - report.swallowed;
    swallowed.sort_unstable();
    let mut at = 0..;
    mesh.triangles.retain(|_| at.next().is_none_or(|at| swallowed.binary_search(&at).is_err()));
}

/// How much of the view from a point a triangle covers; positive from behind (van Oosterom and Strackee 1983).
pub(super) fn solid_angle(corners: [DVec3; 3], point: DVec3) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (x, y, z) = (a.length(), b.length(), c.length());
    2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
}

// Returns the triangles of every connected part.
fn turn_alike(triangles: &mut [[u32; 3]], edges: &[Edge], report: &mut MeshReport) -> Vec<Vec<u32>> {
    // Across each side: the other triangle, and whether it runs along the edge the other way, as it should.
    let mut across: Vec<[Option<(u32, bool)>; 3]> = vec![[None; 3]; triangles.len()];
    for edge in edges.chunk_by(|a, b| a.ends == b.ends) {
        match *edge {
            [_] => report.open_edges += 1,
            [a, b] => {
                let is_alike = a.is_upward != b.is_upward;
                across[a.triangle as usize][usize::from(a.corner)] = Some((b.triangle, is_alike));
                across[b.triangle as usize][usize::from(b.corner)] = Some((a.triangle, is_alike));
            }
            _ => report.crowded_edges += 1,
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut parts = Vec::new();
    for start in 0..triangles.len() {
        if turned[start].is_none() {
            parts.push(turn_part(start as u32, &across, &mut turned));
        }
    }
    let is_turned = |triangle: u32| turned[triangle as usize] == Some(true);
    for (triangle, neighbours) in (0..).zip(&across) {
        for &(other, is_alike) in neighbours.iter().flatten().filter(|(other, _)| triangle < *other) {
            report.twisted_edges += usize::from((is_turned(triangle) == is_turned(other)) != is_alike);
        }
    }
    for (triangle, corners) in (0..).zip(triangles) {
        if is_turned(triangle) {
            corners.swap(1, 2);
            report.turned += 1;
        }
    }
    parts
}

fn turn_part(start: u32, across: &[[Option<(u32, bool)>; 3]], turned: &mut [Option<bool>]) -> Vec<u32> {
    let mut part = vec![start];
    turned[start as usize] = Some(false);
    let (mut next, mut count) = (0, 0);
    while let Some(&triangle) = part.get(next) {
        next += 1;
        let is_turned = turned[triangle as usize] == Some(true);
        count += usize::from(is_turned);
        for &(other, is_alike) in across[triangle as usize].iter().flatten() {
            if turned[other as usize].is_none() {
                turned[other as usize] = Some(is_turned == is_alike);
                part.push(other);
            }
        }
    }
    // The file is right about most of them.
    if 2 * count > part.len() {
        for &triangle in &part {
            turned[triangle as usize] = turned[triangle as usize].map(|turned| !turned);
        }
    }
    part
}
