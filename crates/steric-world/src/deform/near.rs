//! Points near triangles and edges near edges: what is about to touch.
//!
//! How it works: each point of the surface has a box around where it is and where it would be after the step, and a little more. Boxes of triangles and edges hold those of their corners. Whoever stays inside
//! its box cannot meet anything whose box it does not touch, so the pairs of boxes that touch are all that a step has to look at. They are found anew when a point is about to leave its box; bodies that lie
//! still keep theirs. Of each pair the nearest places and the direction between them follow.

use glam::DVec3;
use rayon::prelude::*;
use steric_collide::{Bounds, BoxIndex, BoxIndexOptions};

use super::body::SoftBody;

/// Two parts of surfaces that are near each other: a point and a triangle, or two edges.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::Near;
///
/// let near = Near { points: [9, 0, 1, 2], weights: [1.0, -0.5, -0.25, -0.25], firsts: 1, gap: 0.1, normal: DVec3::Z };
/// assert_eq!(near.points[near.firsts], 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The point and the corners of the triangle, or the ends of one edge and of the other.
    pub points: [u32; 4],
    /// How much of each the nearest places are made of: above 0 on the first side with a sum of 1, below 0 on the second with a sum of -1.
    pub weights: [f64; 4],
    /// How many of the points are on the first side.
    pub firsts: usize,
    /// The distance, in metres.
    pub gap: f64,
    /// From the second side to the first, of length 1.
    pub normal: DVec3,
}

/// Pairs that a step could bring together.
#[derive(Clone, Debug, Default)]
pub struct Vicinity {
    /// In increasing order: points and triangles, then edges.
    pub pairs: Vec<Near>,
    /// Pairs whose surfaces meet already, so that there is no direction between them.
    pub meeting: usize,
    /// Pairs of boxes that touch, connected ones left out.
    pub candidates: usize,
    /// Pairs that connectivity alone has passed over.
    pub culled: usize,
}

/// Looks for what is near, step after step.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    triangles: BoxIndex,
    edges: BoxIndex,
    /// The points of the surface, in increasing order.
    points: Vec<u32>,
    /// Around each point, as of the last search.
    boxes: Vec<Bounds>,
    /// Points and triangles whose boxes touch, connected ones left out.
    of_points: Vec<[u32; 2]>,
    /// Edges whose boxes touch.
    of_edges: Vec<[u32; 2]>,
    culled: usize,
}

impl Neighbourhood {
    /// Of the surface of bodies.
    pub fn new(body: &SoftBody, options: BoxIndexOptions) -> Self {
        let exact = BoxIndexOptions { most_cells: None, ..options };
        let mut points: Vec<u32> = body.surface().iter().flatten().copied().collect();
        points.sort_unstable();
        points.dedup();
        Self {
            triangles: BoxIndex::new(exact),
            edges: BoxIndex::new(exact),
            points,
            boxes: Vec::new(),
            of_points: Vec::new(),
            of_edges: Vec::new(),
            culled: 0,
        }
    }

    /// Around each point of the bodies, as of the last look: while all stay inside, nothing that was not found can meet.
    pub fn boxes(&self) -> &[Bounds] {
        &self.boxes
    }

    /// Everything that may meet while each point goes from its place to another. Every box has some room around these, in metres.
    pub fn look(&mut self, body: &SoftBody, to: &[DVec3], room: f64) -> Vicinity {
        let farthest = body.positions.iter().fold(0.0f64, |most, at| most.max(at.abs().max_element()));
        let rounding = 2.0 * f32::EPSILON * farthest as f32;
        let path = |point: usize| Bounds::around([body.positions[point], to[point]].map(|at| at.as_vec3().to_array()));
        let stays = |point: usize| {
            let (path, bounds) = (path(point).grown(0.3 * room as f32 + rounding), &self.boxes[point]);
            (0..3).all(|axis| path.low[axis] >= bounds.low[axis] && path.high[axis] <= bounds.high[axis])
        };
        if self.boxes.len() != to.len() || !(0..to.len()).into_par_iter().with_min_len(1_024).all(stays) {
            let around = |point: usize| path(point).grown(room as f32 + rounding);
            self.boxes = (0..to.len()).into_par_iter().with_min_len(1_024).map(around).collect();
            self.search(body);
        }
        self.judge(body)
    }

    fn search(&mut self, body: &SoftBody) {
        let boxes = &self.boxes;
        let around =
            |points: &[u32]| points.iter().fold(Bounds::NOTHING, |all, &point| all.joined(&boxes[point as usize]));
        let triangles: Vec<Bounds> = body.surface().par_iter().with_min_len(1_024).map(|face| around(face)).collect();
        let edges: Vec<Bounds> = body.surface_edges().par_iter().with_min_len(1_024).map(|edge| around(edge)).collect();
        let points: Vec<Bounds> = self.points.iter().map(|&point| boxes[point as usize]).collect();
        self.triangles.build(&triangles);
        let is_free = |point: u32, triangle: u32| {
            let (point, corners) = (self.points[point as usize], body.surface()[triangle as usize]);
            corners.iter().all(|&corner| !is_joined(body, point, corner))
        };
        self.culled = self.triangles.pairs_where(&points, is_free, &mut self.of_points);
        self.edges.build(&edges);
        let is_free = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|edge| body.surface_edges()[edge as usize]);
            one.iter().all(|&end| other.iter().all(|&far| !is_joined(body, end, far)))
        };
        self.culled += self.edges.self_pairs_where(is_free, &mut self.of_edges);
    }

    fn judge(&self, body: &SoftBody) -> Vicinity {
        let mut vicinity = Vicinity {
            candidates: self.of_points.len() + self.of_edges.len(),
            culled: self.culled,
            ..Vicinity::default()
        };
        let farthest = |(bounds, at): (&Bounds, &DVec3)| way(bounds, *at);
        let ways: Vec<f64> = self.boxes.par_iter().zip(&body.positions).with_min_len(1_024).map(farthest).collect();
        let way = |points: &[u32]| points.iter().fold(0.0f64, |most, &point| most.max(ways[point as usize]));
        vicinity.add(&self.of_points, |&[point, triangle]| {
            let (point, corners) = (self.points[point as usize], body.surface()[triangle as usize]);
            point_and_triangle(body, point, corners, way(&[point]) + way(&corners))
        });
        vicinity.add(&self.of_edges, |&[one, other]| {
            let [one, other] = [one, other].map(|edge| body.surface_edges()[edge as usize]);
            two_edges(body, one, other, way(&one) + way(&other))
        });
        vicinity
    }
}

/// What became of a pair.
enum Found {
    Far,
    Meeting,
    Near(Near),
}

impl Vicinity {
    fn add(&mut self, pairs: &[[u32; 2]], look: impl Fn(&[u32; 2]) -> Found + Sync + Send) {
        let looked: Vec<Self> = pairs
            .par_chunks(2_048)
            .map(|pairs| {
                let mut seen = Self::default();
                for pair in pairs {
                    match look(pair) {
                        Found::Near(near) => seen.pairs.push(near),
                        Found::Meeting => seen.meeting += 1,
                        Found::Far => {}
                    }
                }
                seen
            })
            .collect();
        for seen in looked {
            self.pairs.extend_from_slice(&seen.pairs);
            self.meeting += seen.meeting;
        }
    }
}

/// The farthest that a box lets a point go from a place.
fn way(bounds: &Bounds, at: DVec3) -> f64 {
    let [low, high] = [bounds.low, bounds.high].map(|corner| DVec3::from_array(corner.map(f64::from)));
    (at - low).max(high - at).length()
}

fn is_joined(body: &SoftBody, one: u32, other: u32) -> bool {
    one == other
        || body.pieces[one as usize] == body.pieces[other as usize]
            && body.adjacency().neighbours(one).binary_search(&other).is_ok()
}

fn found(points: [u32; 4], weights: [f64; 4], firsts: usize, apart: DVec3, sizes: f64, reach: f64) -> Found {
    let gap = apart.length();
    if gap > reach {
        return Found::Far;
    }
    // Directions shorter than this are made by rounding.
    if gap <= 1e-9 * sizes || gap.is_nan() {
        return Found::Meeting;
    }
    Found::Near(Near { points, weights, firsts, gap, normal: apart / gap })
}

fn point_and_triangle(body: &SoftBody, point: u32, corners: [u32; 3], reach: f64) -> Found {
    let at = body.positions[point as usize];
    let [a, b, c] = corners.map(|corner| body.positions[corner as usize]);
    let [u, v, w] = nearest_in_triangle(at, [a, b, c]);
    let apart = at - (a * u + b * v + c * w);
    found(
        [point, corners[0], corners[1], corners[2]],
        [1.0, -u, -v, -w],
        1,
        apart,
        (b - a).length() + (c - a).length(),
        reach,
    )
}

fn two_edges(body: &SoftBody, one: [u32; 2], other: [u32; 2], reach: f64) -> Found {
    let [a, b] = one.map(|end| body.positions[end as usize]);
    let [c, d] = other.map(|end| body.positions[end as usize]);
    let (s, t) = nearest_of_edges([a, b], [c, d]);
    let apart = a.lerp(b, s) - c.lerp(d, t);
    let weights = [1.0 - s, s, t - 1.0, -t];
    found([one[0], one[1], other[0], other[1]], weights, 2, apart, (b - a).length() + (d - c).length(), reach)
}

/// How much of each corner the place of a triangle that is nearest to a point is made of (Ericson 2005, 5.1.5).
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::nearest_in_triangle;
///
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert_eq!(nearest_in_triangle(DVec3::new(0.25, 0.25, 3.0), triangle), [0.5, 0.25, 0.25]);
/// assert_eq!(nearest_in_triangle(DVec3::new(-1.0, -2.0, 0.0), triangle), [1.0, 0.0, 0.0]);
/// assert_eq!(nearest_in_triangle(DVec3::new(1.0, 1.0, 1.0), triangle), [0.0, 0.5, 0.5]);
/// ```
pub fn nearest_in_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let part = |over: f64, under: f64| if under > 0.0 { over / under } else { 0.0 };
    let from = point - a;
    let (d1, d2) = (ab.dot(from), ac.dot(from));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let from = point - b;
    let (d3, d4) = (ab.dot(from), ac.dot(from));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let along = part(d1, d1 - d3);
        return [1.0 - along, along, 0.0];
    }
    let from = point - c;
    let (d5, d6) = (ab.dot(from), ac.dot(from));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let along = part(d2, d2 - d6);
        return [1.0 - along, 0.0, along];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let along = part(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - along, along];
    }
    let sum = va + vb + vc;
    let (v, w) = (part(vb, sum), part(vc, sum));
    [1.0 - v - w, v, w]
}

/// Where two edges are nearest to each other, each from 0 at its start to 1 at its end (Ericson 2005, 5.1.9).
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::nearest_of_edges;
///
/// let crossing = nearest_of_edges([DVec3::NEG_X, DVec3::X], [DVec3::new(0.5, -1.0, 1.0), DVec3::new(0.5, 3.0, 1.0)]);
/// assert_eq!(crossing, (0.75, 0.25));
/// ```
pub fn nearest_of_edges([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> (f64, f64) {
    let (one, other, between) = (b - a, d - c, a - c);
    let (aa, ee, f) = (one.length_squared(), other.length_squared(), other.dot(between));
    if aa <= 0.0 {
        return (0.0, if ee > 0.0 { (f / ee).clamp(0.0, 1.0) } else { 0.0 });
    }
    let c = one.dot(between);
    if ee <= 0.0 {
        return ((-c / aa).clamp(0.0, 1.0), 0.0);
    }
    let b = one.dot(other);
    let across = aa * ee - b * b;
    // Parallel edges: any place will do, so the start.
    let s = if across > 1e-14 * aa * ee { ((b * f - c * ee) / across).clamp(0.0, 1.0) } else { 0.0 };
    let t = (b * s + f) / ee;
    if t < 0.0 {
        ((-c / aa).clamp(0.0, 1.0), 0.0)
    } else if t > 1.0 {
        (((b - c) / aa).clamp(0.0, 1.0), 1.0)
    } else {
        (s, t)
    }
}
