//! Solids from balls, points and triangles, and the regular ones.

use std::collections::BTreeMap;

use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::shape::ConvexPolyhedron;

use super::mass::Moments;
use super::part::{Face, Part, Rim};
use super::{Solid, SolidError};

/// Coordinates beyond this are refused: their squares would not keep an angstrom.
const FARTHEST: f64 = 1e12;
/// A solid that is thinner than this part of its width is flat.
const FLAT: f64 = 1e-7;

fn check(points: &[DVec3]) -> Result<(), SolidError> {
    let wrong = points.iter().position(|point| !(point.is_finite() && point.abs().max_element() < FARTHEST));
    wrong.map_or(Ok(()), |at| Err(SolidError::NotFinite(at)))
}

/// A polyhedron with its surface.
struct Hull {
    part: Part,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Hull {
    fn new(points: &[DVec3]) -> Result<Self, SolidError> {
        check(points)?;
        let mut points = points.to_vec();
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
        points.dedup();
        if points.len() < 4 {
            return Err(SolidError::TooFew(points.len()));
        }
        if is_flat(&points) {
            return Err(SolidError::Flat);
        }
        // Around its own middle and of width one, so that the tolerances of the hull fit.
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        let width = points.iter().map(|point| point.distance(middle)).fold(0.0, f64::max);
        let scaled = |point: &DVec3| {
            let point = (*point - middle) / width;
            Vector::new(point.x, point.y, point.z)
        };
        let scaled: Vec<Vector> = points.iter().map(scaled).collect();
        let hull = ConvexPolyhedron::from_convex_hull(&scaled).ok_or(SolidError::Flat)?;
        let back = |point: &Vector| middle + width * DVec3::new(point.x, point.y, point.z);
        let vertices: Vec<DVec3> = hull.points().iter().map(back).collect();
        let corners = hull.vertices_adj_to_face();
        let faces = hull.faces().iter().map(|face| Face {
            normal: DVec3::new(face.normal.x, face.normal.y, face.normal.z),
            around: corners[face.first_vertex_or_edge as usize..][..face.num_vertices_or_edges as usize].to_vec(),
        });
        let faces: Vec<Face> = faces.collect();
        let edges: Vec<DVec3> =
            hull.edges().iter().map(|edge| DVec3::new(edge.dir.x, edge.dir.y, edge.dir.z)).collect();
        let fan = |face: &Face| {
            let around = face.around.clone();
            (1..around.len().saturating_sub(1)).map(move |at| [around[0], around[at], around[at + 1]])
        };
        let triangles = faces.iter().flat_map(fan).collect();
        Ok(Self { part: Part::new(vertices.clone(), faces, &edges), vertices, triangles })
    }
}

/// Whether points lie in a plane, or nearly: the farthest from the first, the farthest from that line, the farthest from that plane.
fn is_flat(points: &[DVec3]) -> bool {
    let first = points[0];
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points
            .iter()
            .map(|&point| (measure(point - first), point - first))
            .fold((0.0, DVec3::ZERO), |best, next| if next.0 > best.0 { next } else { best })
    };
    let (width, along) = farthest(&|arm| arm.length());
    let along = along.normalize_or_zero();
    let (breadth, beside) = farthest(&|arm| arm.reject_from_normalized(along).length());
    let normal = along.cross(beside).normalize_or_zero();
    let (height, _) = farthest(&|arm| arm.dot(normal).abs());
    breadth <= FLAT * width || height <= FLAT * width
}

impl Solid {
    fn assemble(parts: Vec<Part>, moments: &Moments, surface: (Vec<DVec3>, Vec<[u32; 3]>), is_closed: bool) -> Self {
        let boxes: Vec<Aabb> = parts.iter().map(bounds).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let mass = moments.mass();
        let surface_from = |from: DVec3| {
            let farthest = |part: &Part| {
                part.vertices.iter().map(|vertex| vertex.distance(from) + part.radius).fold(0.0, f64::max)
            };
            parts.iter().map(farthest).fold(0.0, f64::max)
        };
        let corners = boxes.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), next| {
            let corner = |corner: Vector| DVec3::new(corner.x, corner.y, corner.z);
            (low.min(corner(next.mins)), high.max(corner(next.maxs)))
        });
        let around = 0.5 * (corners.0 + corners.1);
        let inertia = mass.inertia;
        let gyration = ((inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / (3.0 * mass.mass)).sqrt();
        let (reach, width) = (surface_from(mass.center), surface_from(around));
        let (vertices, triangles) = surface;
        Self { parts, tree, mass, reach, gyration, around, width, vertices, triangles, is_closed }
    }

    /// Balls by their centres and radii.
    pub fn balls_at(centers: &[DVec3], radii: &[f64]) -> Result<Self, SolidError> {
        if centers.len() != radii.len() {
            return Err(SolidError::Radii { centers: centers.len(), radii: radii.len() });
        }
        if centers.is_empty() {
            return Err(SolidError::Empty);
        }
        check(centers)?;
        let mut moments = Moments::none();
        for (ball, (&center, &radius)) in centers.iter().zip(radii).enumerate() {
            if !(radius > 0.0 && radius < FARTHEST) {
                return Err(SolidError::Radius { ball, radius });
            }
            moments.add_ball(center, radius);
        }
        let parts = centers.iter().zip(radii).map(|(&center, &radius)| Part::ball(center, radius)).collect();
        Ok(Self::assemble(parts, &moments, (Vec::new(), Vec::new()), true))
    }

    /// The convex hull of points.
    pub fn convex(points: &[DVec3]) -> Result<Self, SolidError> {
        Self::pieces(&[points])
    }

    /// Several convex pieces, each the hull of points, that move as one. Where they overlap, their masses add up.
    pub fn pieces<P: AsRef<[DVec3]>>(pieces: &[P]) -> Result<Self, SolidError> {
        if pieces.is_empty() {
            return Err(SolidError::Empty);
        }
        let hulls = pieces.iter().map(|points| Hull::new(points.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let mut moments = Moments::none();
        let (mut parts, mut vertices, mut triangles) = (Vec::new(), Vec::<DVec3>::new(), Vec::new());
        for hull in hulls {
            moments.add_surface(&hull.vertices, &hull.triangles);
            let first = vertices.len() as u32;
            vertices.extend(&hull.vertices);
            triangles.extend(hull.triangles.iter().map(|triangle| triangle.map(|vertex| first + vertex)));
            parts.push(hull.part);
        }
        Ok(Self::assemble(parts, &moments, (vertices, triangles), true))
    }

    /// A mesh of triangles, closed or not. Each triangle stops from both sides. An open one weighs what its convex hull does, and a flat one as
    /// if it were a thousandth of its width thick.
    pub fn mesh(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, SolidError> {
        check(vertices)?;
        if triangles.is_empty() {
            return Err(SolidError::Empty);
        }
        let count = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= count) {
                return Err(SolidError::OutOfRange { triangle, vertex, count });
            }
            let [a, b, c] = corners.map(|vertex| vertices[vertex as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            if (b - a).cross(c - a).length() <= 1e-12 * longest * longest {
                return Err(SolidError::NoArea(triangle));
            }
        }
        let joins = Joins::new(vertices, triangles);
        let mut moments = Moments::none();
        moments.add_surface(vertices, triangles);
        let is_closed = joins.is_closed && moments.volume().abs() > 1e-12;
        if !is_closed {
            moments = Moments::none();
            let used: Vec<DVec3> = triangles.iter().flatten().map(|&vertex| vertices[vertex as usize]).collect();
            let hull = Hull::new(&used).or_else(|_| Hull::new(&thickened(&used, vertices, triangles[0])))?;
            moments.add_surface(&hull.vertices, &hull.triangles);
        }
        let part = |number: usize| joins.part(number);
        let parts = (0..triangles.len()).map(part).collect();
        Ok(Self::assemble(parts, &moments, (vertices.to_vec(), triangles.to_vec()), is_closed))
    }

    /// A box from its half edges, around the origin.
    pub fn cuboid(half: DVec3) -> Result<Self, SolidError> {
        let corners: Vec<DVec3> = signs().map(|sign| sign * half).collect();
        Self::convex(&corners)
    }

    /// A regular tetrahedron whose corners are so far from the origin.
    pub fn tetrahedron(radius: f64) -> Result<Self, SolidError> {
        let corners: Vec<DVec3> = signs().filter(|sign| sign.element_product() > 0.0).collect();
        Self::convex(&on_sphere(corners, radius))
    }

    /// A regular octahedron whose corners are so far from the origin.
    pub fn octahedron(radius: f64) -> Result<Self, SolidError> {
        let corners = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).collect();
        Self::convex(&on_sphere(corners, radius))
    }

    /// A regular dodecahedron whose corners are so far from the origin.
    pub fn dodecahedron(radius: f64) -> Result<Self, SolidError> {
        let mut corners: Vec<DVec3> = signs().collect();
        corners.extend(golden_rectangles(1.0 / GOLDEN, GOLDEN));
        Self::convex(&on_sphere(corners, radius))
    }

    /// A regular icosahedron whose corners are so far from the origin.
    pub fn icosahedron(radius: f64) -> Result<Self, SolidError> {
        Self::convex(&on_sphere(golden_rectangles(1.0, GOLDEN), radius))
    }
}

const GOLDEN: f64 = 1.618_033_988_749_895;

fn signs() -> impl Iterator<Item = DVec3> {
    let sign = |number: u32, bit: u32| if number >> bit & 1 == 0 { 1.0 } else { -1.0 };
    (0..8u32).map(move |number| DVec3::new(sign(number, 0), sign(number, 1), sign(number, 2)))
}

fn golden_rectangles(short: f64, long: f64) -> Vec<DVec3> {
    let corners = [(short, long), (short, -long), (-short, long), (-short, -long)];
    let around = |(a, b)| [DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)];
    corners.into_iter().flat_map(around).collect()
}

fn on_sphere(corners: Vec<DVec3>, radius: f64) -> Vec<DVec3> {
    corners.into_iter().map(|corner| corner.normalize() * radius).collect()
}

/// A flat sheet, given a thickness.
fn thickened(points: &[DVec3], vertices: &[DVec3], triangle: [u32; 3]) -> Vec<DVec3> {
    let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
    let width = points.iter().map(|point| point.distance(a)).fold(0.0, f64::max);
    let half = (b - a).cross(c - a).normalize_or(DVec3::Z) * (0.0005 * width);
    points.iter().flat_map(|&point| [point - half, point + half]).collect()
}

fn bounds(part: &Part) -> Aabb {
    let low = part.vertices.iter().copied().fold(DVec3::INFINITY, DVec3::min) - part.radius;
    let high = part.vertices.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max) + part.radius;
    Aabb::new(Vector::new(low.x, low.y, low.z), Vector::new(high.x, high.y, high.z))
}

/// Which triangles of a mesh meet where. Vertices at the same place are one.
struct Joins {
    places: Vec<DVec3>,
    corners: Vec<[usize; 3]>,
    /// The triangles at an edge, by its two ends in order.
    at_edge: BTreeMap<[usize; 2], Vec<usize>>,
    /// The ends of the edges that leave a place.
    leaving: BTreeMap<usize, Vec<usize>>,
    is_closed: bool,
}

impl Joins {
    fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut known = BTreeMap::new();
        // Both zeros are one place.
        let key = |place: DVec3| (place + 0.0).to_array().map(f64::to_bits);
        let same: Vec<usize> =
            vertices.iter().enumerate().map(|(number, &place)| *known.entry(key(place)).or_insert(number)).collect();
        let corners: Vec<[usize; 3]> = triangles.iter().map(|triangle| triangle.map(|at| same[at as usize])).collect();
        let mut at_edge: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
        let mut leaving: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut balance: BTreeMap<[usize; 2], [u32; 2]> = BTreeMap::new();
        for (number, [a, b, c]) in corners.iter().copied().enumerate() {
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let edge = [from.min(to), from.max(to)];
                at_edge.entry(edge).or_default().push(number);
                balance.entry(edge).or_default()[usize::from(from < to)] += 1;
                leaving.entry(from).or_default().push(to);
                leaving.entry(to).or_default().push(from);
            }
        }
        let is_closed = balance.values().all(|ways| *ways == [1, 1]);
        Self { places: vertices.to_vec(), corners, at_edge, leaving, is_closed }
    }

    fn part(&self, number: usize) -> Part {
        let corners = self.corners[number];
        let [a, b, c] = corners.map(|corner| self.places[corner]);
        let normal = (b - a).cross(c - a).normalize_or(DVec3::Z);
        let faces = vec![Face { normal, around: vec![0, 1, 2] }, Face { normal: -normal, around: vec![0, 2, 1] }];
        let edges = [b - a, c - b, a - c].map(DVec3::normalize);
        let rim = Rim {
            beyond: [0, 1, 2].map(|at| self.beyond(number, corners[at], corners[(at + 1) % 3])),
            leaving: corners.map(|corner| self.leaving(corner)),
        };
        Part { rim: Some(rim), ..Part::new(vec![a, b, c], faces, &edges) }
    }

    /// From an edge into the other triangles that share it.
    fn beyond(&self, number: usize, from: usize, to: usize) -> Vec<DVec3> {
        let (start, along) = (self.places[from], (self.places[to] - self.places[from]).normalize());
        let into = |&other: &usize| {
            let third = *self.corners[other].iter().find(|&&corner| corner != from && corner != to)?;
            (self.places[third] - start).reject_from_normalized(along).try_normalize()
        };
        let here = self.at_edge.get(&[from.min(to), from.max(to)]).into_iter().flatten();
        here.filter(|&&other| other != number).filter_map(into).collect()
    }

    fn leaving(&self, corner: usize) -> Vec<DVec3> {
        let mut ends = self.leaving.get(&corner).cloned().unwrap_or_default();
        ends.sort_unstable();
        ends.dedup();
        ends.into_iter().filter_map(|end| (self.places[end] - self.places[corner]).try_normalize()).collect()
    }
}
