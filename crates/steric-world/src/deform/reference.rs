//! The short scalar truth: stiffness by the book, predicates in whole numbers, depths from the formulas.

use glam::{DMat3, DVec3};

use super::adjacency::Adjacency;
use super::depth::{Crossing, Penetration};
use super::material::Material;

/// The elastic forces on the four corners of one tetrahedron, in newtons: `-R K (Rᵀ x - x₀)` with `K = V Bᵀ D B`, six strains at a time (Müller and Gross 2004, section 3), and `R` by Higham's iteration
/// (1986), which needs a volume above 0.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Material, SoftBody, reference};
///
/// let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let mut body = SoftBody::new(rest.to_vec(), vec![[0, 1, 2, 3]], &[], &[Material::default()])?;
/// body.positions[3] = DVec3::new(0.3, -0.2, 1.2);
/// let places = [0, 1, 2, 3].map(|corner| body.positions[corner]);
/// let expected = reference::elastic_forces(rest, places, &Material::default());
/// assert!(body.elastic_forces().iter().zip(expected).all(|(found, expected)| found.distance(expected) < 1e-8));
/// # Ok::<(), steric_world::deform::DeformError>(())
/// ```
pub fn elastic_forces(rest: [DVec3; 4], places: [DVec3; 4], material: &Material) -> [DVec3; 4] {
    let edges = |[a, b, c, d]: [DVec3; 4]| DMat3::from_cols(b - a, c - a, d - a);
    let gradients = edges(rest).inverse().transpose();
    let gradients = [
        -(gradients.x_axis + gradients.y_axis + gradients.z_axis),
        gradients.x_axis,
        gradients.y_axis,
        gradients.z_axis,
    ];
    let mut rotation = edges(places) * edges(rest).inverse();
    for _ in 0..60 {
        rotation = (rotation + rotation.inverse().transpose()) * 0.5;
    }
    let mut strain = [0.0; 6];
    for ((place, rest), gradient) in places.iter().zip(rest).zip(gradients) {
        let moved = rotation.transpose() * *place - rest;
        for (strain, row) in strain.iter_mut().zip(strain_rows(gradient)) {
            *strain += row.dot(moved);
        }
    }
    let (lambda, mu) = material.lame();
    let normal = lambda * (strain[0] + strain[1] + strain[2]);
    let stress: [f64; 6] =
        std::array::from_fn(|at| if at < 3 { normal + 2.0 * mu * strain[at] } else { mu * strain[at] });
    let volume = edges(rest).determinant() / 6.0;
    gradients.map(|gradient| {
        let sum: DVec3 = strain_rows(gradient).iter().zip(stress).map(|(row, stress)| *row * stress).sum();
        rotation * sum * -volume
    })
}

/// The six rows of `B` for one corner: xx, yy, zz, xy, yz, zx.
fn strain_rows(gradient: DVec3) -> [DVec3; 6] {
    let DVec3 { x, y, z } = gradient;
    [DVec3::X * x, DVec3::Y * y, DVec3::Z * z, DVec3::new(y, x, 0.0), DVec3::new(0.0, z, y), DVec3::new(z, 0.0, x)]
}

/// Whether a point lies in a tetrahedron or on its surface, exactly; a flat one holds nothing.
///
/// ```
/// use steric_world::deform::reference::point_in_tetrahedron;
///
/// let corners = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]];
/// assert!(point_in_tetrahedron(corners, [2, 2, 0]) && !point_in_tetrahedron(corners, [2, 2, 1]));
/// ```
pub fn point_in_tetrahedron(corners: [[i64; 3]; 4], point: [i64; 3]) -> bool {
    let whole = volume(corners);
    let is_inside = |corner: usize| {
        let mut replaced = corners;
        replaced[corner] = point;
        volume(replaced) * whole.signum() >= 0
    };
    whole != 0 && (0..4).all(is_inside)
}

/// Whether an edge meets a triangle, exactly: as points of the edge that solve for weights of 0 and more, by cutting an interval. A triangle without an area is met by nothing.
///
/// ```
/// use steric_world::deform::reference::edge_meets_triangle;
///
/// let triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];
/// assert!(edge_meets_triangle([[1, 1, -1], [1, 1, 1]], triangle));
/// assert!(edge_meets_triangle([[2, 2, 0], [5, 5, 0]], triangle) && !edge_meets_triangle([[3, 3, 0], [5, 5, 0]], triangle));
/// ```
pub fn edge_meets_triangle([from, to]: [[i64; 3]; 2], [a, b, c]: [[i64; 3]; 3]) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    if normal == [0; 3] {
        return false;
    }
    // Each condition is linear along the edge and must not be negative: (at its start, at its end).
    let height = |point| dot(normal, minus(point, a));
    let inward = |start, end| cross(normal, minus(end, start));
    let side = |start, end, point| dot(inward(start, end), minus(point, start));
    let mut conditions = vec![(height(from), height(to)), (-height(from), -height(to))];
    conditions.extend([(a, b), (b, c), (c, a)].map(|(start, end)| (side(start, end, from), side(start, end, to))));
    let (mut enter, mut leave) = ((0, 1), (1, 1));
    for (start, end) in conditions {
        let at = (start, start - end);
        match (start < 0, end < 0) {
            (true, true) => return false,
            (true, false) => enter = if is_less(enter, (-at.0, -at.1)) { (-at.0, -at.1) } else { enter },
            (false, true) => leave = if is_less(at, leave) { at } else { leave },
            (false, false) => {}
        }
    }
    !is_less(leave, enter)
}

/// Of fractions with denominators above 0.
fn is_less(a: (i128, i128), b: (i128, i128)) -> bool {
    a.0 * b.1 < b.0 * a.1
}

fn volume([a, b, c, d]: [[i64; 3]; 4]) -> i128 {
    dot(cross(minus(b, a), minus(c, a)), minus(d, a))
}

fn minus(a: [i64; 3], b: [i64; 3]) -> [i128; 3] {
    [0, 1, 2].map(|axis| i128::from(a[axis]) - i128::from(b[axis]))
}

fn cross(a: [i128; 3], b: [i128; 3]) -> [i128; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [i128; 3], b: [i128; 3]) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// How deep colliding points lie, as [`super::penetration`] says: every point is asked in every wave.
///
/// ```
/// use glam::DVec3;
/// use steric_world::deform::{Adjacency, Crossing, reference};
///
/// let points = [DVec3::NEG_Z, DVec3::X + DVec3::Z, DVec3::Y + DVec3::Z, DVec3::Z];
/// let crossings = [Crossing { point: 0, place: DVec3::ZERO, normal: DVec3::Z }];
/// let found = reference::penetration(&points, &Adjacency::of(4, &[[0, 1, 2, 3]]), &[0], &crossings);
/// assert_eq!(found[0].map(|found| found.depth), Some(1.0));
/// ```
pub fn penetration(
    points: &[DVec3],
    adjacency: &Adjacency,
    colliding: &[u32],
    crossings: &[Crossing],
) -> Vec<Option<Penetration>> {
    let mean = |ways: Vec<(DVec3, DVec3, f64)>| {
        let weights: Vec<f64> = ways.iter().map(|(way, ..)| 1.0 / way.length_squared()).collect();
        let depth = ways
            .iter()
            .zip(&weights)
            .map(|((way, normal, depth), weight)| weight * (way.dot(*normal) + depth))
            .sum::<f64>();
        let normal: DVec3 = ways.iter().zip(&weights).map(|((_, normal, _), weight)| *weight * *normal).sum();
        (!ways.is_empty())
            .then(|| Penetration { depth: depth / weights.iter().sum::<f64>(), direction: normal.normalize() })
    };
    let at_border = |point: u32| {
        let of_point = crossings.iter().filter(|crossing| crossing.point == point);
        mean(of_point.map(|crossing| (crossing.place - points[point as usize], crossing.normal, 0.0)).collect())
    };
    let mut found: Vec<Option<Penetration>> = colliding.iter().map(|&point| at_border(point)).collect();
    for _ in colliding {
        let last = found.clone();
        for (found, &point) in found.iter_mut().zip(colliding).filter(|(found, _)| found.is_none()) {
            let known = colliding.iter().zip(&last).filter(|(other, _)| adjacency.neighbours(point).contains(other));
            let ways = known.filter_map(|(&other, known)| {
                known.map(|known| (points[other as usize] - points[point as usize], known.direction, known.depth))
            });
            *found = mean(ways.collect());
        }
    }
    found.into_iter().map(|found| found.map(|found| Penetration { depth: found.depth.max(0.0), ..found })).collect()
}
