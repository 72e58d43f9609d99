//! Where an edge meets a triangle.
//!
//! How it works: the ends of the edge lie on either side of the plane, by signed volumes, and the edge passes the three sides of the triangle the same way round, by signed volumes too. As for points
//! in tetrahedra, a volume that rounding could have made counts as zero, and zero as touching. An edge in the plane of the triangle is cut to it side by side (Cyrus and Beck 1978).

use glam::DVec3;

use super::inside::six_volumes;

/// Where an edge meets a triangle.
///
/// ```
/// use steric_world::deform::EdgeHit;
///
/// let middle = EdgeHit { along: 0.5, weights: [1.0, 0.0, 0.0] };
/// assert_eq!(middle.along, 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeHit {
    /// From 0 at the start of the edge to 1 at its end.
    pub along: f64,
    /// How much of each corner of the triangle the place is made of: from 0 to 1, with a sum of 1.
    pub weights: [f64; 3],
}

/// Where an edge from one point to another first meets a triangle, which it may touch from either side, at its border or with an end. A triangle without an area is met by nothing.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::edge_meets_triangle;
///
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let hit = edge_meets_triangle([DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 3.0)], triangle).expect("it passes");
/// assert_eq!((hit.along, hit.weights), (0.25, [0.5, 0.25, 0.25]));
/// // In its plane: from where it enters.
/// let hit = edge_meets_triangle([DVec3::new(-0.5, 0.25, 0.0), DVec3::new(0.5, 0.25, 0.0)], triangle).expect("it enters");
/// assert_eq!((hit.along, hit.weights), (0.5, [0.75, 0.0, 0.25]));
/// assert_eq!(edge_meets_triangle([DVec3::ONE, DVec3::Z], triangle), None);
/// ```
pub fn edge_meets_triangle([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<EdgeHit> {
    let [below, above] = [from, to].map(|end| six_volumes(a, b, c, end));
    if below == 0.0 && above == 0.0 {
        return meets_in_plane([from, to], [a, b, c]);
    }
    let is_apart = below * above > 0.0 || below.is_nan() || above.is_nan();
    if is_apart {
        return None;
    }
    let sides = [(b, c), (c, a), (a, b)].map(|(start, end)| six_volumes(from, to, start, end));
    let is_inside = sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0);
    let sum: f64 = sides.iter().sum();
    let along = below / (below - above);
    (is_inside && sum != 0.0).then(|| EdgeHit { along, weights: sides.map(|side| side / sum) })
}

fn meets_in_plane([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Option<EdgeHit> {
    let across = (b - a).cross(c - a);
    // Along the axis that the triangle faces most, its shadow is largest.
    let axis = (0..3).reduce(|best, axis| if across[axis].abs() > across[best].abs() { axis } else { best })?;
    let flat = |point: DVec3| [point[(axis + 1) % 3], point[(axis + 2) % 3]];
    let [a, b, c, from, to] = [a, b, c, from, to].map(flat);
    let whole = two_areas(a, b, c);
    let weights = |point: [f64; 2]| {
        [two_areas(b, c, point), two_areas(c, a, point), two_areas(a, b, point)].map(|area| area / whole)
    };
    let (starts, ends) = (weights(from), weights(to));
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (start, end) in starts.into_iter().zip(ends) {
        match (start < 0.0, end < 0.0) {
            (true, true) => return None,
            (true, false) => enter = enter.max(start / (start - end)),
            (false, true) => leave = leave.min(start / (start - end)),
            (false, false) => {}
        }
    }
    let is_hit = whole != 0.0 && whole.is_finite() && enter <= leave;
    is_hit.then(|| EdgeHit {
        along: enter,
        weights: clamped([0, 1, 2].map(|at| starts[at] + enter * (ends[at] - starts[at]))),
    })
}

/// Twice the signed area of a triangle in a plane, zero where rounding could have made it.
fn two_areas(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let products = [(b[0] - a[0]) * (c[1] - a[1]), (b[1] - a[1]) * (c[0] - a[0])];
    let area = products[0] - products[1];
    if area.abs() <= 1e-15 * (products[0].abs() + products[1].abs()) { 0.0 } else { area }
}

fn clamped(weights: [f64; 3]) -> [f64; 3] {
    let weights = weights.map(|weight| weight.max(0.0));
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reference;
    use super::*;

    fn places() -> impl Strategy<Value = [i64; 3]> {
        // A grid so small that edges and triangles often touch, lie in one plane or have no extent.
        [0..5i64, 0..5, 0..3]
    }

    fn real(place: [i64; 3]) -> DVec3 {
        DVec3::from_array(place.map(|part| part as f64))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6000))]

        #[test]
        fn edges_of_a_grid_meet_triangles_where_whole_numbers_say(edge in [places(), places()], triangle in [places(), places(), places()]) {
            let found = edge_meets_triangle(edge.map(real), triangle.map(real));
            prop_assert_eq!(found.is_some(), reference::edge_meets_triangle(edge, triangle));
            if let Some(hit) = found {
                prop_assert!((0.0..=1.0).contains(&hit.along));
                prop_assert!(hit.weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
                let of_triangle: DVec3 = hit.weights.iter().zip(triangle).map(|(weight, corner)| *weight * real(corner)).sum();
                prop_assert!(of_triangle.distance(real(edge[0]).lerp(real(edge[1]), hit.along)) < 1e-12);
            }
        }

        #[test]
        fn an_edge_that_ends_in_a_triangle_meets_it_there(points in prop::array::uniform4([-1.0..1.0f64, -1.0..1.0, -1.0..1.0]), weights in [0.05..1.0f64, 0.05..1.0, 0.05..1.0]) {
            let [a, b, c, far] = points.map(DVec3::from_array);
            prop_assume!((b - a).cross(c - a).dot(far - a).abs() > 1e-3);
            let sum: f64 = weights.iter().sum();
            let end = (a * weights[0] + b * weights[1] + c * weights[2]) / sum;
            // A little beyond, since rounding may leave the end on the near side.
            let hit = edge_meets_triangle([far, end + (end - far) * 1e-12], [a, b, c]);
            prop_assert!(hit.is_some_and(|hit| (hit.along - 1.0).abs() < 1e-9));
        }
    }

    #[test]
    fn a_parallel_edge_above_and_a_triangle_without_area_are_not_met() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(edge_meets_triangle([DVec3::new(-1.0, 0.2, 0.1), DVec3::new(1.0, 0.2, 0.1)], triangle), None);
        assert_eq!(edge_meets_triangle([DVec3::NEG_Z, DVec3::Z], [DVec3::ZERO, DVec3::X, DVec3::X * 2.0]), None);
        assert_eq!(edge_meets_triangle([DVec3::NAN, DVec3::Z], triangle), None);
    }
}
