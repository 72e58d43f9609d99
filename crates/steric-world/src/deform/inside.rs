//! Whether a point lies in a tetrahedron.
//!
//! How it works: with each corner in turn replaced by the point there are four signed volumes, whose parts of the whole are the barycentric coordinates. A volume that rounding could have made
//! counts as zero (Shewchuk 1997 gives the bound), and zero counts as inside: a point on a face that two share lies in both, and none can slip through between them.

use glam::DVec3;

/// Rounding errors of a determinant of differences, in units of the sum of its absolute products: Shewchuk's bound is 7.8e-16.
const ROUNDING: f64 = 1e-15;

/// How much of each corner a point is made of, where it lies in a tetrahedron or on its surface: four numbers from 0 to 1 whose sum is 1. The corners may come in either order; a flat tetrahedron
/// holds no point.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::point_in_tetrahedron;
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// assert_eq!(point_in_tetrahedron(corners, DVec3::splat(0.25)), Some([0.25; 4]));
/// assert_eq!(point_in_tetrahedron(corners, DVec3::new(0.5, 0.5, 0.0)), Some([0.0, 0.5, 0.5, 0.0]));
/// assert_eq!(point_in_tetrahedron(corners, DVec3::splat(0.4)), None);
/// ```
pub fn point_in_tetrahedron([a, b, c, d]: [DVec3; 4], point: DVec3) -> Option<[f64; 4]> {
    let whole = six_volumes(a, b, c, d);
    let sign = whole.signum();
    let volumes = [[point, b, c, d], [a, point, c, d], [a, b, point, d], [a, b, c, point]]
        .map(|[a, b, c, d]| six_volumes(a, b, c, d) * sign);
    let is_inside = whole != 0.0 && volumes.iter().all(|volume| *volume >= 0.0);
    let sum: f64 = volumes.iter().sum();
    (is_inside && sum > 0.0).then(|| volumes.map(|volume| volume / sum))
}

/// Six times the signed volume of a tetrahedron, zero where rounding could have made it.
pub(super) fn six_volumes(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (b, c, d) = (b - a, c - a, d - a);
    let volume = b.cross(c).dot(d);
    let (b, c, d) = (b.abs(), c.abs(), d.abs());
    let products = DVec3::new(b.y * c.z + b.z * c.y, b.z * c.x + b.x * c.z, b.x * c.y + b.y * c.x);
    if volume.abs() <= ROUNDING * products.dot(d) { 0.0 } else { volume }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reference;
    use super::*;

    fn places() -> impl Strategy<Value = [i64; 3]> {
        // A small grid, so that many points lie on faces, edges and corners.
        [0..6i64, 0..6, 0..6]
    }

    fn real(place: [i64; 3]) -> DVec3 {
        DVec3::from_array(place.map(|part| part as f64))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn points_of_a_grid_lie_where_whole_numbers_say(corners in [places(), places(), places(), places()], point in places()) {
            let found = point_in_tetrahedron(corners.map(real), real(point));
            prop_assert_eq!(found.is_some(), reference::point_in_tetrahedron(corners, point));
            if let Some(weights) = found {
                let again: DVec3 = weights.iter().zip(corners).map(|(weight, corner)| *weight * real(corner)).sum();
                prop_assert!(again.distance(real(point)) < 1e-12);
                prop_assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
                prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            }
        }

        #[test]
        fn a_point_on_a_shared_face_is_in_one_of_the_two(corners in prop::array::uniform5([-1.0..1.0f64, -1.0..1.0, -1.0..1.0]), weights in [0.0..1.0f64, 0.0..1.0, 0.0..1.0]) {
            let [a, b, c, d, e] = corners.map(DVec3::from_array);
            let sum: f64 = weights.iter().sum::<f64>() + 1e-9;
            let point = (a * weights[0] + b * weights[1] + c * (weights[2] + 1e-9)) / sum;
            let sides = [d, e].map(|top| six_volumes(a, b, c, top));
            // The second top comes to the other side of the face.
            let e = if sides[0] * sides[1] < 0.0 { e } else { a + b - e };
            prop_assume!(sides[0] * six_volumes(a, b, c, e) < 0.0);
            let is_in = [d, e].map(|top| point_in_tetrahedron([a, b, c, top], point).is_some());
            prop_assert!(is_in[0] || is_in[1]);
        }
    }

    #[test]
    fn flat_tetrahedra_and_lost_points_hold_nothing() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.3, 0.0)];
        assert_eq!(point_in_tetrahedron(flat, flat[3]), None);
        assert_eq!(point_in_tetrahedron([DVec3::ONE; 4], DVec3::ONE), None);
        assert_eq!(point_in_tetrahedron([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], DVec3::NAN), None);
    }
}
