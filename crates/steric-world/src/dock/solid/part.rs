//! One convex piece of a solid, and how far two of them are apart.
//!
//! How it works: a piece is the hull of a few corners, grown by a radius: a ball is one corner, a triangle three. Two hulls that are apart are as far
//! apart as GJK says, along the direction it finds; of two that overlap, the axis with the least depth is found among their faces and
//! pairs of edges. Either way the distance given is what the two really leave free along that direction, so it is never too large.

use glam::{DVec3, dvec3};
use parry3d_f64::math::Vector;
use parry3d_f64::query::details::closest_points_support_map_support_map_with_params;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;
use steric_model::Pose;

/// Corners, faces and edges in the body's frame.
#[derive(Clone, Debug, Default)]
pub(in crate::dock) struct Part {
    pub(super) vertices: Vec<DVec3>,
    pub(super) faces: Vec<Face>,
    /// Directions, each once.
    pub(super) edges: Vec<DVec3>,
    pub(super) radius: f64,
    /// Only for a triangle of a mesh.
    pub(super) rim: Option<Rim>,
    /// A ball around everything.
    pub(super) center: DVec3,
    pub(super) reach: f64,
}

/// A flat face; its corners go around it.
#[derive(Clone, Debug)]
pub(super) struct Face {
    pub(super) normal: DVec3,
    pub(super) around: Vec<u32>,
}

/// How a mesh goes on beyond the edges and corners of a triangle: directions of length one.
#[derive(Clone, Debug, Default)]
pub(super) struct Rim {
    /// Beyond the edge from a corner to the next, into each neighbour.
    pub(super) beyond: [Vec<DVec3>; 3],
    /// The edges that leave a corner.
    pub(super) leaving: [Vec<DVec3>; 3],
}

impl Part {
    pub(super) fn ball(center: DVec3, radius: f64) -> Self {
        Self { vertices: vec![center], radius, center, reach: radius, ..Self::default() }
    }

    pub(super) fn new(vertices: Vec<DVec3>, faces: Vec<Face>, edges: &[DVec3]) -> Self {
        let mut part = Self { vertices, faces, ..Self::default() };
        for edge in edges {
            let is_new = part.edges.iter().all(|known| known.cross(*edge).length_squared() > 1e-18);
            if is_new {
                part.edges.push(*edge);
            }
        }
        part.center = part.vertices.iter().sum::<DVec3>() / part.vertices.len().max(1) as f64;
        part.reach = part.vertices.iter().map(|vertex| vertex.distance(part.center)).fold(0.0, f64::max);
        part
    }

    pub(super) fn placed(&self, pose: &Pose) -> Placed<'_> {
        Placed { part: self, pose: *pose, vertices: self.vertices.iter().map(|&vertex| *pose * vertex).collect() }
    }
}

/// A piece where a pose puts it.
pub(super) struct Placed<'a> {
    pub(super) part: &'a Part,
    pose: Pose,
    pub(super) vertices: Vec<DVec3>,
}

impl Placed<'_> {
    fn least(&self, direction: DVec3) -> f64 {
        self.vertices.iter().map(|vertex| direction.dot(*vertex)).fold(f64::INFINITY, f64::min)
    }

    fn most(&self, direction: DVec3) -> f64 {
        self.vertices.iter().map(|vertex| direction.dot(*vertex)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn normals(&self) -> impl Iterator<Item = DVec3> {
        self.part.faces.iter().map(|face| self.pose.rotation * face.normal)
    }

    fn polygon(&self, face: &Face) -> Vec<DVec3> {
        face.around.iter().map(|&corner| self.vertices[corner as usize]).collect()
    }

    /// Whether a mesh comes nearer along `outward` beyond the edge or corner of this triangle that is foremost there: a neighbour answers for it then.
    fn is_answered_by_neighbour(&self, outward: DVec3) -> bool {
        let Some(rim) = &self.part.rim else { return false };
        let outward = self.pose.rotation.conjugate() * outward;
        let corners = &self.part.vertices;
        let most = corners.iter().map(|corner| outward.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
        // As exact as GJK's directions are.
        let slack = 1e-3 * self.part.reach;
        let is_foremost = [0, 1, 2].map(|corner| outward.dot(corners[corner]) > most - slack);
        let comes_nearer = |ways: &Vec<DVec3>| ways.iter().any(|way| outward.dot(*way) > 2e-3);
        match is_foremost {
            [true, true, true] => false,
            [true, true, false] => comes_nearer(&rim.beyond[0]),
            [false, true, true] => comes_nearer(&rim.beyond[1]),
            [true, false, true] => comes_nearer(&rim.beyond[2]),
            [first, second, _] => {
                let corner = if first {
                    0
                } else if second {
                    1
                } else {
                    2
                };
                comes_nearer(&rim.leaving[corner])
            }
        }
    }
}

fn to_parry(vector: DVec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

fn from_parry(vector: Vector) -> DVec3 {
    dvec3(vector.x, vector.y, vector.z)
}

/// Corners that GJK can ask for the foremost, moved away by something.
struct Corners<'a>(&'a [DVec3], DVec3);

impl SupportMap for Corners<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let direction = from_parry(direction);
        let (mut best, mut most) = (DVec3::ZERO, f64::NEG_INFINITY);
        for &corner in self.0 {
            let along = direction.dot(corner);
            if along > most {
                (best, most) = (corner, along);
            }
        }
        to_parry(best + self.1)
    }
}

/// The nearest points of two hulls, one of them moved away; nothing if they overlap.
fn nearest(one: &[DVec3], other: &[DVec3], away: DVec3) -> Option<[DVec3; 2]> {
    let toward = one.first()? - other.first()? + away;
    let answer = closest_points_support_map_support_map_with_params(
        &parry3d_f64::math::Pose::IDENTITY,
        &Corners(one, away),
        &Corners(other, DVec3::ZERO),
        f64::MAX,
        &mut VoronoiSimplex::new(),
        toward.try_normalize().map(|toward| to_parry(-toward)),
    );
    match answer {
        GJKResult::ClosestPoints(on_one, on_other, _) => Some([from_parry(on_one) - away, from_parry(on_other)]),
        _ => None,
    }
}

/// Whether neighbours of one of two pieces answer for what these two do.
pub(super) fn is_answered(one: &Placed, other: &Placed, apart: &Separation) -> bool {
    one.is_answered_by_neighbour(-apart.normal) || other.is_answered_by_neighbour(apart.normal)
}

/// Pieces that overlap deeper than this, in angstroms, have no direction that is sure enough to leave them to a neighbour.
pub(super) const DEEP: f64 = 1e-3;

/// How far two pieces are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// Between their surfaces; negative if they overlap.
    pub(super) gap: f64,
    /// From the second to the first, of length one.
    pub(super) normal: DVec3,
}

/// Faces whose normals are as near as this to a direction face it.
const FACES: f64 = 1.0 - 1e-6;

/// How far `one` is from `other`, and along which direction.
pub(super) fn separation(one: &Placed, other: &Placed) -> Separation {
    let free_along = |normal: DVec3| one.least(normal) - other.most(normal);
    let radii = one.part.radius + other.part.radius;
    let nearest = nearest(&one.vertices, &other.vertices, DVec3::ZERO).and_then(|[on_one, on_other]| {
        let normal = (on_one - on_other).try_normalize()?;
        let free = free_along(normal);
        Some((free, normal, free > 0.999 * on_one.distance(on_other)))
    });
    let found = match nearest {
        Some((free, normal, true)) => (free, normal),
        Some((free, normal, false)) => {
            let overlap = least_overlap(one, other);
            if free > overlap.0 { (free, normal) } else { overlap }
        }
        None => least_overlap(one, other),
    };
    // A face that looks the same way is more exact than what an iteration ends with.
    let (mut free, mut normal) = found;
    for axis in other.normals().chain(one.normals().map(|axis| -axis)) {
        if axis.dot(normal) > FACES {
            let along = free_along(axis);
            if along > free - 1e-7 * free.abs().max(1e-6) {
                (free, normal) = (along, axis);
                break;
            }
        }
    }
    Separation { gap: free - radii, normal }
}

/// The direction along which two hulls overlap least, and how far they are apart along it.
fn least_overlap(one: &Placed, other: &Placed) -> (f64, DVec3) {
    let mut best = (f64::NEG_INFINITY, DVec3::X);
    let mut look = |axis: DVec3, handicap: f64| {
        let free = one.least(axis) - other.most(axis);
        if free - handicap > best.0 {
            best = (free, axis);
        }
    };
    other.normals().for_each(|axis| look(axis, 0.0));
    one.normals().for_each(|axis| look(-axis, 0.0));
    let turned =
        |placed: &Placed| placed.part.edges.iter().map(|edge| placed.pose.rotation * *edge).collect::<Vec<_>>();
    let edges = turned(other);
    for edge in turned(one) {
        for other_edge in &edges {
            // Faces first where both will do.
            if let Some(axis) = edge.cross(*other_edge).try_normalize() {
                look(axis, 1e-9);
                look(-axis, 1e-9);
            }
        }
    }
    best
}

/// A point between two surfaces, and how far they are apart there.
pub(super) type Place = (DVec3, f64);

/// Where two pieces touch that are nearer than `within`: the corners of what two faces share, or one point.
pub(super) fn places(one: &Placed, other: &Placed, apart: &Separation, within: f64) -> Vec<Place> {
    let mut all = shared_corners(one, other, apart.normal, within).unwrap_or_default();
    if all.iter().all(|(_, gap)| *gap > apart.gap + 1e-6) {
        all.extend(nearest_place(one, other, apart));
    }
    all
}

pub(super) fn nearest_place(one: &Placed, other: &Placed, apart: &Separation) -> Option<Place> {
    // Moved apart where they overlap, so that nearest points exist.
    let free = apart.gap + one.part.radius + other.part.radius;
    let away = if free > 1e-9 { DVec3::ZERO } else { apart.normal * (1e-3 - free) };
    let [on_one, on_other] = nearest(&one.vertices, &other.vertices, away).or_else(|| {
        let foremost = |placed: &Placed, way: DVec3| {
            placed.vertices.iter().copied().max_by(|one, other| way.dot(*one).total_cmp(&way.dot(*other)))
        };
        Some([foremost(one, -apart.normal)?, foremost(other, apart.normal)?])
    })?;
    let surfaces = [on_one - apart.normal * one.part.radius, on_other + apart.normal * other.part.radius];
    Some((0.5 * (surfaces[0] + surfaces[1]), apart.gap))
}

/// The face of one that faces the other, the other's face that looks back at it most, and the corners of what they share.
fn shared_corners(one: &Placed, other: &Placed, normal: DVec3, within: f64) -> Option<Vec<Place>> {
    let facing = |placed: &Placed, way: DVec3| {
        let alignment = |face: &Face| (placed.pose.rotation * face.normal).dot(way);
        let best = placed.part.faces.iter().map(|face| (alignment(face), face));
        best.fold(None, |best: Option<(f64, &Face)>, next| match best {
            Some(known) if known.0 >= next.0 => Some(known),
            _ => Some(next),
        })
        .map(|(alignment, face)| (alignment, placed.polygon(face)))
    };
    let (on_other, on_one) = (facing(other, normal)?, facing(one, -normal)?);
    let (plane, out, clipped) = if on_other.0 > FACES {
        (on_other.1, normal, on_one.1)
    } else if on_one.0 > FACES {
        (on_one.1, -normal, on_other.1)
    } else {
        return None;
    };
    let middle = plane.iter().sum::<DVec3>() / plane.len() as f64;
    let mut polygon = clipped;
    for (index, &corner) in plane.iter().enumerate() {
        let next = plane[(index + 1) % plane.len()];
        let inward = out.cross(next - corner);
        // The two sides of a triangle go around differently.
        let inward = if inward.dot(middle - corner) < 0.0 { -inward } else { inward };
        polygon = cut(&polygon, corner, inward);
    }
    let height = |corner: DVec3| out.dot(corner - middle);
    Some(polygon.into_iter().map(|at| (at - 0.5 * height(at) * out, height(at))).filter(|at| at.1 <= within).collect())
}

/// What of a polygon lies on the inner side of a plane.
fn cut(polygon: &[DVec3], point: DVec3, inward: DVec3) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (index, &from) in polygon.iter().enumerate() {
        let to = polygon[(index + 1) % polygon.len()];
        let (before, after) = (inward.dot(from - point), inward.dot(to - point));
        if before >= 0.0 {
            kept.push(from);
        }
        if (before < 0.0) != (after < 0.0) && before != after {
            kept.push(from + (to - from) * (before / (before - after)));
        }
    }
    kept
}
