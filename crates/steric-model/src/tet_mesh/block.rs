//! A box cut into tetrahedra.
//!
//! How it works: the box is cut into cells and every cell into the six tetrahedra of Freudenthal (1942): each goes from the
//! lowest corner of the cell to its highest along x, y and z in one of their six orders. Neighbouring cells cut their
//! common face along the same diagonal, so the whole fits together without further thought.

use glam::{DVec3, UVec3};

use super::TetMesh;

/// The axes in every order; the last two steps are told in exchanged order where the order is odd, which turns the
/// tetrahedron to a positive volume.
const ORDERS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], false),
    ([0, 2, 1], true),
    ([1, 0, 2], true),
    ([1, 2, 0], false),
    ([2, 0, 1], false),
    ([2, 1, 0], true),
];

impl TetMesh {
    /// A box between two opposite corners, cut into so many cells along x, y and z and each cell into six tetrahedra, all
    /// of positive volume. Points run along x first, then y, then z.
    ///
    /// # Panics
    ///
    /// Where there is no cell along an axis, or where there are more points than 32 bits count.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::TetMesh;
    ///
    /// let beam = TetMesh::block(DVec3::ZERO, DVec3::new(8.0, 1.0, 1.0), [8, 1, 1]);
    /// assert_eq!((beam.points.len(), beam.tetrahedra.len()), (36, 48));
    /// assert_eq!(beam.points[9], DVec3::new(0.0, 1.0, 0.0));
    /// assert!(beam.problems().is_empty());
    /// ```
    pub fn block(low: DVec3, high: DVec3, cells: [usize; 3]) -> Self {
        assert!(cells.iter().all(|&cells| cells > 0), "a block has a cell along every axis");
        let grid = Grid::new(cells);
        let (low, high) = (low.min(high), low.max(high));
        let edges = grid.cells.as_dvec3();
        let points = each(grid.cells + 1).map(|at| low + (high - low) * (at.as_dvec3() / edges)).collect();
        let tetrahedra: Vec<[u32; 4]> = each(grid.cells).flat_map(|cell| grid.tetrahedra(cell)).collect();
        let regions = vec![0; tetrahedra.len()];
        Self { name: "block".to_owned(), points, tetrahedra, regions }
    }
}

struct Grid {
    cells: UVec3,
}

impl Grid {
    fn new(cells: [usize; 3]) -> Self {
        let points = cells.iter().try_fold(1_u64, |points, &cells| points.checked_mul((cells as u64).checked_add(1)?));
        assert!(points.is_some_and(|points| points <= u64::from(u32::MAX)), "points are counted in 32 bits");
        Self { cells: UVec3::from_array(cells.map(|cells| cells as u32)) }
    }

    fn number(&self, at: UVec3) -> u32 {
        let along = self.cells + 1;
        (at.z * along.y + at.y) * along.x + at.x
    }

    fn tetrahedra(&self, cell: UVec3) -> [[u32; 4]; 6] {
        ORDERS.map(|(order, is_odd)| {
            let mut at = cell;
            let mut corners = [self.number(at); 4];
            for (corner, axis) in corners[1..].iter_mut().zip(order) {
                at[axis] += 1;
                *corner = self.number(at);
            }
            if is_odd {
                corners.swap(2, 3);
            }
            corners
        })
    }
}

/// Every place below `end`, x running fastest.
fn each(end: UVec3) -> impl Iterator<Item = UVec3> {
    (0..end.z).flat_map(move |z| (0..end.y).flat_map(move |y| (0..end.x).map(move |x| UVec3::new(x, y, z))))
}
