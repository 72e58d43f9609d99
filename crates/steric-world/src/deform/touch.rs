//! Who lies in whom: points in tetrahedra, and how deep.
//!
//! How it works: tetrahedra stand in an index of boxes, and every point asks it. Points that lie in a tetrahedron which is not theirs collide. The edges from them to points that do not are cut with the
//! triangles of the surface, and from these crossings the depth of every colliding point follows ([`penetration`]). A tetrahedron that has a corner beside the point can hold it only where a body is turned
//! inside out, so such pairs are passed over by connectivity alone, without looking at any coordinate (Tang and others 2008).

use glam::DVec3;
use rayon::prelude::*;
use steric_collide::{Bounds, BoxIndex, BoxIndexOptions};

use super::body::SoftBody;
use super::crossing::{EdgeHit, edge_meets_triangle};
use super::depth::{Crossing, border_edges, penetration};
use super::inside::point_in_tetrahedron;

/// A point that lies in a tetrahedron of another body, or of another part of its own.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::Touch;
///
/// let touch = Touch { point: 4, tetrahedron: 0, weights: [0.25; 4], depth: 0.1, direction: DVec3::Z };
/// assert_eq!(touch.depth * touch.direction, DVec3::new(0.0, 0.0, 0.1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The point.
    pub point: u32,
    /// The tetrahedron that it lies in; the first of several.
    pub tetrahedron: u32,
    /// How much of each corner the place of the point is made of.
    pub weights: [f64; 4],
    /// In metres, 0 or more.
    pub depth: f64,
    /// The way out, of length 1.
    pub direction: DVec3,
}

/// An edge that enters another body and leaves it again, with both ends outside.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::Crossed;
///
/// let crossed = Crossed {
///     edge: [8, 9],
///     along: 0.25,
///     triangles: [0, 1],
///     weights: [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]],
///     depth: 0.1,
///     direction: DVec3::Z,
/// };
/// let points = crossed.points(&[[0, 1, 2], [0, 2, 3]]);
/// assert_eq!((points[0], points[7]), ((8, 0.75), (3, -0.25)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossed {
    /// Its ends.
    pub edge: [u32; 2],
    /// The middle of what lies inside, from 0 at the first end to 1 at the second.
    pub along: f64,
    /// Where it enters and where it leaves.
    pub triangles: [u32; 2],
    /// How much of each corner these places are made of.
    pub weights: [[f64; 3]; 2],
    /// In metres, 0 or more.
    pub depth: f64,
    /// The way out, of length 1.
    pub direction: DVec3,
}

impl Crossed {
    /// The points of edge and triangles with their weights, those of the triangles below 0.
    pub fn points(&self, surface: &[[u32; 3]]) -> [(u32, f64); 8] {
        let [enters, leaves] = self.triangles.map(|triangle| surface[triangle as usize]);
        let of = |corners: [u32; 3], weights: [f64; 3], at: usize| (corners[at], -0.5 * weights[at]);
        let (from, to) = ((self.edge[0], 1.0 - self.along), (self.edge[1], self.along));
        let [a, b, c] = [0, 1, 2].map(|at| of(enters, self.weights[0], at));
        let [d, e, f] = [0, 1, 2].map(|at| of(leaves, self.weights[1], at));
        [from, to, a, b, c, d, e, f]
    }
}

/// What one look for collisions found.
///
/// ```
/// assert!(steric_world::deform::Touches::default().found.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touches {
    /// Points with a depth, in increasing order.
    pub found: Vec<Touch>,
    /// Edges that cross a body with both ends outside, in increasing order; only where they were asked for.
    pub crossed: Vec<Crossed>,
    /// Points that lie in a tetrahedron and of which no way out is known: whole bodies inside others.
    pub lost: usize,
    /// Pairs of a point and a tetrahedron whose boxes overlap, connected ones left out.
    pub candidates: usize,
    /// Pairs that connectivity alone has passed over.
    pub culled: usize,
}

/// Looks for collisions, step after step.
///
/// ```
/// use glam::DVec3;
/// use steric_model::TetMesh;
/// use steric_world::deform::{Detector, Material, SoftBody};
///
/// let block = |low: DVec3| {
///     let mesh = TetMesh::block(low, low + DVec3::ONE, [3, 3, 3]);
///     SoftBody::new(mesh.points, mesh.tetrahedra, &[], &[Material::default()])
/// };
/// let two = SoftBody::join([block(DVec3::ZERO)?, block(DVec3::new(0.1, 0.15, 0.9))?]);
/// let touches = Detector::new(Default::default()).touches(&two, false);
/// assert!(touches.found.iter().any(|touch| (touch.depth - 0.1).abs() < 1e-6 && touch.direction.z.abs() > 0.9));
/// assert!(touches.culled > touches.candidates, "most pairs are neighbours");
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    tetrahedra: BoxIndex,
    triangles: BoxIndex,
    pairs: Vec<[u32; 2]>,
}

impl Detector {
    /// With these indexes; the approximate mode of the options holds for points in tetrahedra.
    pub fn new(options: BoxIndexOptions) -> Self {
        let exact = BoxIndexOptions { most_cells: None, ..options };
        Self { tetrahedra: BoxIndex::new(options), triangles: BoxIndex::new(exact), pairs: Vec::new() }
    }

    /// Every collision of the bodies as they are; with edges that cross a body and have no end in it, or without.
    pub fn touches(&mut self, body: &SoftBody, with_edges: bool) -> Touches {
        let bounds = Boxes::of(&body.positions);
        self.tetrahedra.build(&bounds.around_all(body.tetrahedra()));
        let points: Vec<Bounds> = (0..body.positions.len() as u32).map(|point| bounds.around(&[point])).collect();
        let culled = self.tetrahedra.pairs_where(&points, |a, b| !is_connected(body, a, b), &mut self.pairs);
        let candidates = self.pairs.len();
        let weights = |&[point, tetrahedron]: &[u32; 2]| {
            let corners = body.tetrahedra()[tetrahedron as usize].map(|corner| body.positions[corner as usize]);
            Some((point, tetrahedron, point_in_tetrahedron(corners, body.positions[point as usize])?))
        };
        let mut inside: Vec<(u32, u32, [f64; 4])> =
            self.pairs.par_iter().with_min_len(1_024).filter_map(weights).collect();
        // Of several tetrahedra that a point lies in, the first.
        inside.dedup_by_key(|(point, ..)| *point);
        let colliding: Vec<u32> = inside.iter().map(|(point, ..)| *point).collect();
        let edges = border_edges(body.adjacency(), &colliding);
        if with_edges || !edges.is_empty() {
            self.triangles.build(&bounds.around_all(body.surface()));
        }
        let crossings = self.crossings(body, &bounds, &edges);
        let crossed = if with_edges { self.crossed(body, &bounds, &colliding) } else { Vec::new() };
        let depths = penetration(&body.positions, body.adjacency(), &colliding, &crossings);
        let known = |((point, tetrahedron, weights), deep): ((u32, u32, [f64; 4]), Option<super::Penetration>)| {
            let super::Penetration { depth, direction } = deep?;
            Some(Touch { point, tetrahedron, weights, depth, direction })
        };
        let found: Vec<Touch> = inside.into_iter().zip(depths).filter_map(known).collect();
        Touches { lost: colliding.len() - found.len(), found, crossed, candidates, culled }
    }

    /// Where edges from colliding points to others leave a body.
    fn crossings(&mut self, body: &SoftBody, bounds: &Boxes, edges: &[[u32; 2]]) -> Vec<Crossing> {
        self.triangles.pairs_into(&bounds.around_all(edges), &mut self.pairs);
        let leaving = |&[edge, triangle]: &[u32; 2]| {
            let ([point, clear], corners) = (edges[edge as usize], body.surface()[triangle as usize]);
            if corners.contains(&point) || corners.contains(&clear) {
                return None;
            }
            let [from, to] = [point, clear].map(|end| body.positions[end as usize]);
            let [a, b, c] = corners.map(|corner| body.positions[corner as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let hit = edge_meets_triangle([from, to], [a, b, c]).filter(|_| normal.dot(to - from) > 0.0)?;
            Some((edge, hit.along, Crossing { point, place: from.lerp(to, hit.along), normal }))
        };
        let mut found: Vec<(u32, f64, Crossing)> =
            self.pairs.par_iter().with_min_len(256).filter_map(leaving).collect();
        // Of several surfaces that an edge leaves, the first is that of what its point lies in.
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        found.dedup_by_key(|(edge, ..)| *edge);
        found.into_iter().map(|(_, _, crossing)| crossing).collect()
    }

    /// Edges of the surface that pass through a body and have both ends outside: where they enter, where they leave, and the way out between the two.
    fn crossed(&mut self, body: &SoftBody, bounds: &Boxes, colliding: &[u32]) -> Vec<Crossed> {
        let mut is_inside = vec![false; body.positions.len()];
        colliding.iter().for_each(|&point| is_inside[point as usize] = true);
        let is_clear = |edge: &&[u32; 2]| edge.iter().all(|&end| !is_inside[end as usize]);
        let edges: Vec<[u32; 2]> = body.surface_edges().iter().filter(is_clear).copied().collect();
        self.triangles.pairs_into(&bounds.around_all(&edges), &mut self.pairs);
        let meets = |&[edge, triangle]: &[u32; 2]| {
            let (ends, corners) = (edges[edge as usize], body.surface()[triangle as usize]);
            if ends.iter().any(|&end| corners.iter().any(|&corner| is_joined(body, end, corner))) {
                return None;
            }
            let places = corners.map(|corner| body.positions[corner as usize]);
            let hit = edge_meets_triangle(ends.map(|end| body.positions[end as usize]), places)?;
            Some(Met { edge, triangle, hit, piece: body.pieces[corners[0] as usize] })
        };
        let mut met: Vec<Met> = self.pairs.par_iter().with_min_len(256).filter_map(meets).collect();
        met.sort_by(|a, b| (a.edge, a.piece).cmp(&(b.edge, b.piece)).then(a.hit.along.total_cmp(&b.hit.along)));
        let of_edge = |met: &[Met]| {
            let [enters, leaves] = met else { return None };
            if (enters.edge, enters.piece) != (leaves.edge, leaves.piece) {
                return None;
            }
            crossed(body, edges[enters.edge as usize], enters, leaves)
        };
        met.windows(2).filter_map(of_edge).collect()
    }
}

/// Where an edge meets a triangle of a piece.
struct Met {
    edge: u32,
    triangle: u32,
    hit: EdgeHit,
    piece: u32,
}

/// The way out of an edge between two triangles: the mean of their normals, unless they face away from each other.
fn crossed(body: &SoftBody, edge: [u32; 2], enters: &Met, leaves: &Met) -> Option<Crossed> {
    let [from, to] = edge.map(|end| body.positions[end as usize]);
    let normal = |met: &Met| {
        let [a, b, c] = body.surface()[met.triangle as usize].map(|corner| body.positions[corner as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let normals = [enters, leaves].map(normal);
    let is_through = normals[0].dot(to - from) < 0.0 && normals[1].dot(to - from) > 0.0;
    let direction = (normals[0] + normals[1]).try_normalize().filter(|_| is_through)?;
    let steep = direction.dot(normals[0]);
    if steep < 0.1 {
        return None;
    }
    let half = (to - from) * (0.5 * (leaves.hit.along - enters.hit.along));
    Some(Crossed {
        edge,
        along: 0.5 * (enters.hit.along + leaves.hit.along),
        triangles: [enters.triangle, leaves.triangle],
        weights: [enters.hit.weights, leaves.hit.weights],
        depth: (-half.dot(normals[0]) / steep).max(0.0),
        direction,
    })
}

fn is_joined(body: &SoftBody, one: u32, other: u32) -> bool {
    one == other || body.adjacency().neighbours(one).binary_search(&other).is_ok()
}

/// Whether the mesh joins a point and a corner of a tetrahedron.
fn is_connected(body: &SoftBody, point: u32, tetrahedron: u32) -> bool {
    body.tetrahedra()[tetrahedron as usize].iter().any(|&corner| is_joined(body, point, corner))
}

/// Boxes in single precision that hold what they should in double.
struct Boxes<'a> {
    places: &'a [DVec3],
    slack: f32,
}

impl<'a> Boxes<'a> {
    fn of(places: &'a [DVec3]) -> Self {
        let farthest = places.iter().fold(0.0f64, |most, place| most.max(place.abs().max_element()));
        Self { places, slack: farthest as f32 * 2.0 * f32::EPSILON }
    }

    fn around(&self, points: &[u32]) -> Bounds {
        Bounds::around(points.iter().map(|&point| self.places[point as usize].as_vec3().to_array())).grown(self.slack)
    }

    fn around_all<const N: usize>(&self, all: &[[u32; N]]) -> Vec<Bounds> {
        all.par_iter().with_min_len(1_024).map(|points| self.around(points)).collect()
    }
}
