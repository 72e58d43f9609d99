//! Spheres of few triangles.
//!
//! How it works: the twenty triangles of an icosahedron, or each of them cut into four at the middles of its edges, which are moved
//! out to the sphere. Seen from outside the corners of a triangle go round against the clock, as glTF wants.

use std::collections::BTreeMap;

use glam::Vec3;

/// How finely a sphere is drawn.
///
/// ```
/// use steric_world::animate::BallDetail;
///
/// assert!(BallDetail::Fine < BallDetail::Plain, "the finest comes first");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BallDetail {
    /// 42 corners and 80 triangles.
    Fine,
    /// 12 corners and 20 triangles.
    Plain,
}

/// A sphere of radius one around the origin.
///
/// ```
/// use steric_world::animate::{Ball, BallDetail};
///
/// let plain = Ball::new(BallDetail::Plain);
/// assert_eq!((plain.corners.len(), plain.triangles.len()), (12, 20));
/// ```
#[derive(Clone, Debug)]
pub struct Ball {
    /// Corners, which are their normals too.
    pub corners: Vec<Vec3>,
    /// Three numbers of corners each.
    pub triangles: Vec<[u32; 3]>,
}

#[rustfmt::skip]
const TRIANGLES: [[u32; 3]; 20] = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
    [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
];

impl Ball {
    /// The sphere of a detail.
    pub fn new(detail: BallDetail) -> Self {
        match detail {
            BallDetail::Plain => Self::icosahedron(),
            BallDetail::Fine => Self::icosahedron().cut(),
        }
    }

    fn icosahedron() -> Self {
        // Three rectangles with the golden ratio of sides, each in a plane of two axes.
        let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
        let corner = |x, y, z| Vec3::new(x, y, z).normalize_or(Vec3::X);
        let sides = [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)];
        let planes = [
            sides.map(|(a, b)| corner(a, b, 0.0)),
            sides.map(|(a, b)| corner(0.0, a, b)),
            sides.map(|(a, b)| corner(b, 0.0, a)),
        ];
        Self { corners: planes.concat(), triangles: TRIANGLES.to_vec() }
    }

    fn cut(self) -> Self {
        let Self { mut corners, triangles } = self;
        let mut middles = BTreeMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                corners.push((corners[a as usize] + corners[b as usize]).normalize_or(Vec3::X));
                corners.len() as u32 - 1
            })
        };
        let quarters = |[a, b, c]: [u32; 3]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
        };
        let triangles = triangles.into_iter().flat_map(quarters).collect();
        Self { corners, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_are_closed_and_face_outwards() {
        for (detail, corners, triangles) in [(BallDetail::Plain, 12, 20), (BallDetail::Fine, 42, 80)] {
            let ball = Ball::new(detail);
            assert_eq!((ball.corners.len(), ball.triangles.len()), (corners, triangles));
            assert!(ball.corners.iter().all(|corner| (corner.length() - 1.0).abs() < 1e-6));
            let mut edges = std::collections::BTreeSet::new();
            for &[a, b, c] in &ball.triangles {
                let [at_a, at_b, at_c] = [a, b, c].map(|corner| ball.corners[corner as usize]);
                assert!((at_b - at_a).cross(at_c - at_a).dot(at_a + at_b + at_c) > 0.0, "{a} {b} {c} faces inwards");
                // Neighbours run along their common edge in opposite directions.
                assert!([(a, b), (b, c), (c, a)].into_iter().all(|edge| edges.insert(edge)));
            }
            assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
        }
    }
}
