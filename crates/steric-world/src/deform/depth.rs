//! How deep points lie in another body, and the way out.
//!
//! How it works: the nearest place of the surface is a bad way out, since neighbours may be sent to opposite sides. Instead, points next to the border of the overlap average over the places where their edges
//! pass the surface, and all others, in waves from the border inward, over their neighbours of earlier waves; weights are one over the squared distance (Heidelberger, Teschner, Keiser, Müller and
//! Gross 2004). A wave only reads earlier waves, so the order in it does not matter.

use glam::DVec3;

use super::adjacency::Adjacency;

/// The square of a distance, in metres, below which all weight is with that place.
const COINCIDENT: f64 = 1e-60;

/// Where an edge from a colliding point to one that does not collide passes the surface of the other body.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::Crossing;
///
/// let crossing = Crossing { point: 0, place: DVec3::ZERO, normal: DVec3::Z };
/// assert_eq!(crossing.normal.length(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The colliding end of the edge.
    pub point: u32,
    /// Where it passes.
    pub place: DVec3,
    /// Out of the other body, of length 1.
    pub normal: DVec3,
}

/// How deep a point lies in another body.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::Penetration;
///
/// let deep = Penetration { depth: 0.2, direction: DVec3::Z };
/// assert_eq!(deep.way_out(), DVec3::Z * 0.2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// In metres, 0 or more.
    pub depth: f64,
    /// Out of the other body, of length 1.
    pub direction: DVec3,
}

impl Penetration {
    /// The shortest way out, in metres.
    ///
    /// ```
    /// # use {glam::DVec3, steric_world::deform::Penetration};
    /// assert_eq!(Penetration { depth: 0.0, direction: DVec3::Y }.way_out(), DVec3::ZERO);
    /// ```
    pub fn way_out(&self) -> DVec3 {
        self.depth * self.direction
    }
}

/// The edges from colliding points to others, colliding point first, in increasing order; those are to be cut with the surface of the other body. The colliding points are sorted.
///
/// ```
/// use steric_world::deform::{Adjacency, border_edges};
///
/// let adjacency = Adjacency::of(5, &[[0, 1, 2, 3], [1, 2, 3, 4]]);
/// assert_eq!(border_edges(&adjacency, &[0, 1, 2]), [[0, 3], [1, 3], [1, 4], [2, 3], [2, 4]]);
/// ```
pub fn border_edges(adjacency: &Adjacency, colliding: &[u32]) -> Vec<[u32; 2]> {
    let is_clear = |point: &&u32| colliding.binary_search(point).is_err();
    let of_point = |&point: &u32| adjacency.neighbours(point).iter().filter(is_clear).map(move |&other| [point, other]);
    colliding.iter().flat_map(of_point).collect()
}

/// How deep each colliding point lies, in their order. Nothing is known of points that no path of colliding points joins to a crossing, as of a body that lies wholly inside the other. The colliding
/// points are sorted; crossings come in any order, and those of other points are ignored.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Adjacency, Crossing, penetration};
///
/// // Two points below a floor at height 0; an edge of the first passes it.
/// let points = [DVec3::new(0.0, 0.0, -0.1), DVec3::new(0.1, 0.0, -0.3), DVec3::Z, DVec3::X + DVec3::Z];
/// let adjacency = Adjacency::of(4, &[[0, 1, 2, 3]]);
/// let crossings = [Crossing { point: 0, place: DVec3::ZERO, normal: DVec3::Z }];
/// let found = penetration(&points, &adjacency, &[0, 1], &crossings);
/// let depths = found.iter().map(|found| found.map_or(0.0, |found| found.depth));
/// assert!(depths.zip([0.1, 0.3]).all(|(found, expected)| (found - expected).abs() < 1e-15));
/// ```
pub fn penetration(
    points: &[DVec3],
    adjacency: &Adjacency,
    colliding: &[u32],
    crossings: &[Crossing],
) -> Vec<Option<Penetration>> {
    let mut crossings = crossings.to_vec();
    // The order of crossings is whoever found them; sums are in the order of points and places.
    crossings.sort_by(|a, b| {
        a.point
            .cmp(&b.point)
            .then_with(|| a.place.to_array().partial_cmp(&b.place.to_array()).unwrap_or(std::cmp::Ordering::Equal))
    });
    let mut found: Vec<Option<Penetration>> =
        colliding.iter().map(|&point| at_border(points, point, &crossings)).collect();
    let mut wave: Vec<usize> = (0..colliding.len()).filter(|&at| found[at].is_some()).collect();
    while !wave.is_empty() {
        let next = next_wave(adjacency, colliding, &found, &wave);
        let deeper: Vec<Penetration> =
            next.iter().filter_map(|&at| from_neighbours(points, adjacency, colliding, &found, at)).collect();
        for (&at, deeper) in next.iter().zip(deeper) {
            found[at] = Some(deeper);
        }
        wave = next;
    }
    found.into_iter().map(|found| found.map(|found| Penetration { depth: found.depth.max(0.0), ..found })).collect()
}

fn at_border(points: &[DVec3], point: u32, crossings: &[Crossing]) -> Option<Penetration> {
    let from = crossings.partition_point(|crossing| crossing.point < point);
    let here = points[point as usize];
    let of_point = crossings[from..].iter().take_while(|crossing| crossing.point == point);
    averaged(of_point.map(|crossing| (crossing.place - here, crossing.normal, 0.0)))
}

/// The points without a depth next to a wave, in increasing order.
fn next_wave(adjacency: &Adjacency, colliding: &[u32], found: &[Option<Penetration>], wave: &[usize]) -> Vec<usize> {
    let neighbours = wave.iter().flat_map(|&at| adjacency.neighbours(colliding[at]));
    let mut next: Vec<usize> =
        neighbours.filter_map(|point| colliding.binary_search(point).ok()).filter(|&at| found[at].is_none()).collect();
    next.sort_unstable();
    next.dedup();
    next
}

fn from_neighbours(
    points: &[DVec3],
    adjacency: &Adjacency,
    colliding: &[u32],
    found: &[Option<Penetration>],
    at: usize,
) -> Option<Penetration> {
    let here = points[colliding[at] as usize];
    let known = adjacency.neighbours(colliding[at]).iter().filter_map(|&other| {
        let known = found[colliding.binary_search(&other).ok()?]?;
        Some((points[other as usize] - here, known.direction, known.depth))
    });
    averaged(known)
}

/// The mean of the ways along normals to places, each with the depth there, and the mean normal.
fn averaged(ways: impl Iterator<Item = (DVec3, DVec3, f64)>) -> Option<Penetration> {
    let (mut weights, mut depths, mut normals, mut first) = (0.0, 0.0, DVec3::ZERO, None);
    for (way, normal, depth) in ways {
        let weight = 1.0 / way.length_squared().max(COINCIDENT);
        weights += weight;
        depths += weight * (way.dot(normal) + depth);
        normals += weight * normal;
        first.get_or_insert(normal);
    }
    // Normals that cancel say nothing; then the first one is as good as any.
    Some(Penetration { depth: depths / weights, direction: (normals / weights).normalize_or(first?) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reference;
    use super::*;

    /// A row of tetrahedra that share faces, with points anywhere.
    fn strips() -> impl Strategy<Value = (Vec<DVec3>, Adjacency)> {
        prop::collection::vec([-1.0..1.0f64, -1.0..1.0, -1.0..1.0], 8..40).prop_map(|points| {
            let tetrahedra: Vec<[u32; 4]> =
                (3..points.len() as u32).map(|last| [last - 3, last - 2, last - 1, last]).collect();
            let adjacency = Adjacency::of(points.len(), &tetrahedra);
            (points.into_iter().map(DVec3::from_array).collect(), adjacency)
        })
    }

    /// Points below a plane collide, and edges cross it.
    fn below(points: &[DVec3], adjacency: &Adjacency, normal: DVec3) -> (Vec<u32>, Vec<Crossing>) {
        let colliding: Vec<u32> =
            (0..points.len() as u32).filter(|&point| points[point as usize].dot(normal) < 0.0).collect();
        let crossings = border_edges(adjacency, &colliding).into_iter().map(|[point, other]| {
            let [from, to] = [point, other].map(|end| points[end as usize]);
            let along = from.dot(normal) / (from - to).dot(normal);
            Crossing { point, place: from.lerp(to, along), normal }
        });
        (colliding.clone(), crossings.collect())
    }

    proptest! {
        #[test]
        fn below_a_plane_every_depth_is_the_distance_to_it((points, adjacency) in strips(), angle in 0.0..6.0f64) {
            let normal = DVec3::new(angle.cos(), 0.6 * angle.sin(), 0.8 * angle.sin());
            let (colliding, crossings) = below(&points, &adjacency, normal);
            for (point, found) in colliding.iter().zip(penetration(&points, &adjacency, &colliding, &crossings)) {
                if let Some(found) = found {
                    prop_assert!((found.depth + points[*point as usize].dot(normal)).abs() < 1e-12);
                    prop_assert!(found.direction.distance(normal) < 1e-12);
                }
            }
        }

        #[test]
        fn waves_give_what_the_formulas_say_in_any_order_of_crossings((points, adjacency) in strips(), bends in prop::collection::vec([-0.5..0.5f64, -0.5..0.5, -0.5..0.5], 200), turn in 0..200usize) {
            let (colliding, mut crossings) = below(&points, &adjacency, DVec3::Z);
            for (crossing, bend) in crossings.iter_mut().zip(bends) {
                crossing.normal = (crossing.normal + DVec3::from_array(bend)).normalize();
            }
            let expected = reference::penetration(&points, &adjacency, &colliding, &crossings);
            let found = penetration(&points, &adjacency, &colliding, &crossings);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert_eq!(found.is_some(), expected.is_some());
                if let (Some(found), Some(expected)) = (found, expected) {
                    prop_assert!((found.depth - expected.depth).abs() < 1e-9);
                    prop_assert!(found.direction.distance(expected.direction) < 1e-9);
                }
            }
            let middle = turn % crossings.len().max(1);
            crossings.rotate_left(middle);
            prop_assert_eq!(penetration(&points, &adjacency, &colliding, &crossings), found);
        }
    }

    #[test]
    fn a_point_on_the_surface_has_no_depth_and_one_wholly_inside_is_unknown() {
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let adjacency = Adjacency::of(4, &[[0, 1, 2, 3]]);
        let crossing = Crossing { point: 0, place: DVec3::ZERO, normal: DVec3::NEG_Z };
        let found = penetration(&points, &adjacency, &[0], &[crossing]);
        assert_eq!(found, [Some(Penetration { depth: 0.0, direction: DVec3::NEG_Z })]);
        assert_eq!(penetration(&points, &adjacency, &[0, 1, 2, 3], &[]), [None; 4]);
    }
}
