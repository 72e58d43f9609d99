//! Shapes of tetrahedra that need no file: weaves of five to a cell, balls, bowls and arches.
//!
//! How it works: every shape is a box of cells whose points are moved to their places. A ball is a cube whose shells of equal size become spheres; a bowl is a sheet whose squares become rounded circles
//! of latitude; an arch is a bar that is bent around an axis.

use glam::{DQuat, DVec3};

use super::TetMesh;

/// The corners of a cell are numbered by their bits, x first. A tetrahedron in the middle and one at each of the four other corners; mirrored in every other cell.
const FIVE: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 5, 3], [2, 0, 3, 6], [4, 0, 6, 5], [7, 3, 5, 6]];

impl TetMesh {
    /// A box like [`TetMesh::block`], with five tetrahedra to a cell: fewer and rounder ones.
    ///
    /// ```
    /// use {glam::DVec3, steric_model::TetMesh};
    ///
    /// // A membrane of the founding study: twenty of them are its first scene.
    /// let membrane = TetMesh::woven(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.05), [10, 10, 1]);
    /// assert_eq!((20 * membrane.points.len(), 20 * membrane.edges().len()), (4_840, 19_620));
    /// assert_eq!((20 * membrane.surface().len(), 20 * membrane.tetrahedra.len()), (9_600, 10_000));
    /// assert!(membrane.problems().is_empty());
    /// ```
    pub fn woven(low: DVec3, high: DVec3, cells: [usize; 3]) -> Self {
        let mut mesh = Self::block(low, high, cells);
        let along = cells.map(|cells| cells + 1);
        let number = |at: [usize; 3]| ((at[2] * along[1] + at[1]) * along[0] + at[0]) as u32;
        mesh.tetrahedra.clear();
        for place in 0..cells[0] * cells[1] * cells[2] {
            let cell = [place % cells[0], place / cells[0] % cells[1], place / cells[0] / cells[1]];
            let mirror = cell.iter().sum::<usize>() % 2;
            let corner = |bits: usize| {
                let bits = bits ^ mirror;
                number([0, 1, 2].map(|axis| cell[axis] + (bits >> axis & 1)))
            };
            mesh.tetrahedra.extend(FIVE.map(|corners| corners.map(corner)));
        }
        mesh.regions = vec![0; mesh.tetrahedra.len()];
        mesh.oriented().0
    }

    /// With every point moved.
    ///
    /// ```
    /// use {glam::DVec3, steric_model::TetMesh};
    ///
    /// let larger = TetMesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1]).mapped(|point| point * 2.0);
    /// assert!((larger.volume() - 8.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn mapped(mut self, map: impl Fn(DVec3) -> DVec3) -> Self {
        self.points.iter_mut().for_each(|point| *point = map(*point));
        self
    }

    /// A ball around the origin, of so many cells from side to side.
    ///
    /// ```
    /// use steric_model::TetMesh;
    ///
    /// let ball = TetMesh::ball(0.5, 12);
    /// assert!(ball.problems().is_empty());
    /// assert!((ball.volume() / (4.0 / 3.0 * std::f64::consts::PI * 0.125) - 1.0).abs() < 0.04);
    /// ```
    pub fn ball(radius: f64, cells: usize) -> Self {
        let cube = Self::woven(DVec3::NEG_ONE, DVec3::ONE, [cells; 3]);
        let mut ball = cube.mapped(|point| {
            // Shells of the cube become spheres; the middle stays a cube, so that no tetrahedron at an edge of it is flat.
            let shell = point.abs().max_element();
            let round = point.normalize_or_zero() * shell;
            radius * point.lerp(round, 0.35 + 0.65 * shell) * (1.0 - 0.2 * (1.0 - shell) * shell)
        });
        ball.name = "ball".to_owned();
        ball
    }

    /// A bowl that opens upwards, around the origin: a shell between two radii up to a polar angle from below, of so many cells across, across again, and through.
    ///
    /// ```
    /// use steric_model::TetMesh;
    ///
    /// let bowl = TetMesh::bowl([0.5, 0.6], std::f64::consts::FRAC_PI_2, [10, 10, 2]);
    /// assert!(bowl.problems().is_empty());
    /// assert!(bowl.points.iter().all(|point| point.length() > 0.499 && point.length() < 0.601 && point.z < 0.2));
    /// ```
    pub fn bowl([inner, outer]: [f64; 2], angle: f64, cells: [usize; 3]) -> Self {
        let sheet = Self::woven(DVec3::new(-1.0, -1.0, 0.0), DVec3::ONE, cells);
        let mut bowl = sheet.mapped(|point| {
            let flat = DVec3::new(point.x, point.y, 0.0);
            // Squares become rounded ones. Whole circles would leave four tetrahedra of the rim flat.
            let [x, y] = [point.x, point.y];
            let circle = DVec3::new(x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt(), 0.0);
            let round = flat.lerp(circle, 0.6);
            let (turned, outward) = (angle * round.length(), round.normalize_or_zero());
            let direction = outward * turned.sin() - DVec3::Z * turned.cos();
            direction * (outer + (inner - outer) * point.z)
        });
        bowl.name = "bowl".to_owned();
        bowl.oriented().0
    }

    /// A bar around the z axis, from the angle `-half` to `half` about +x: between two radii, of a height, of so many cells along, outward and up.
    ///
    /// ```
    /// use steric_model::TetMesh;
    ///
    /// let arch = TetMesh::arch([0.8, 1.0], 1.5, 0.2, [24, 3, 3]);
    /// assert!(arch.problems().is_empty());
    /// assert!((arch.volume() - 1.5 * 0.36 * 0.2).abs() < 1e-3);
    /// ```
    pub fn arch([inner, outer]: [f64; 2], half: f64, height: f64, cells: [usize; 3]) -> Self {
        let bar = Self::woven(DVec3::new(-half, inner, 0.0), DVec3::new(half, outer, height), cells);
        let mut arch =
            bar.mapped(|point| DQuat::from_rotation_z(-point.x) * DVec3::X * point.y + DVec3::Z * point.z).oriented().0;
        arch.name = "arch".to_owned();
        arch
    }
}
