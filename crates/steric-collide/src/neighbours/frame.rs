//! Where the cells stand: along the axes in open space, along the vectors of a box that repeats.
//!
//! How it works: a point has fractional coordinates in the box, or its own without one. Along an axis that repeats the box is cut
//! into equal cells; along one that does not, cells begin at the lowest point. How wide cells are is a matter of cost: narrow
//! ones have fewer candidates, wide ones share them among more points.

use glam::{DMat3, DVec3};

use super::{FARTHEST, MOST_IMAGES, NeighbourError, NeighbourSearch, Points};

/// Along one axis.
const MOST_CELLS: f64 = (1u32 << 20) as f64;

/// The cells of a search.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) lattice: DMat3,
    to_fraction: DMat3,
    pub(super) repeats: [bool; 3],
    low: DVec3,
    /// Cells for each unit of a fractional coordinate.
    scale: DVec3,
    pub(super) cells: [i32; 3],
    /// Rows of cells around one: steps along the second and third axis, and cells to either side along the first.
    pub(super) rows: Vec<[i32; 3]>,
    /// Which of these is the cell's own; those after it are on one side of the cell, those before on the other.
    pub(super) here: usize,
    /// What coordinates in single precision are measured from.
    pub(super) middle: DVec3,
    /// The farthest that a point or an image within reach is from there.
    pub(super) far: f64,
}

impl Frame {
    /// Cells for points that all lie within some bounds.
    pub(super) fn new(
        search: &NeighbourSearch<'_>,
        reach: f64,
        skin: f64,
        sets: &[Points<'_>],
    ) -> Result<Self, NeighbourError> {
        Self::with_factor(search, reach, skin, sets, check(sets)?, 1.0)
    }

    /// With cells as wide as the reach and the skin, times a factor.
    pub(super) fn with_factor(
        search: &NeighbourSearch<'_>,
        reach: f64,
        skin: f64,
        sets: &[Points<'_>],
        bounds: (DVec3, DVec3),
        factor: f64,
    ) -> Result<Self, NeighbourError> {
        let wide = reach + skin;
        // A little wider than the reach, so that rounding does not make it reach one cell farther.
        let edge = factor * wide * (1.0 + 1e-6);
        let (lattice, repeats) =
            search.repeat.map_or((DMat3::IDENTITY, [false; 3]), |repeat| (repeat.periodic_box.vectors(), repeat.along));
        let widths = search.repeat.map_or(DVec3::ONE, |repeat| repeat.periodic_box.widths());
        let to_fraction = if search.repeat.is_some() { lattice.inverse() } else { DMat3::IDENTITY };
        let (low, high) = match search.repeat {
            None => bounds,
            Some(_) => fractional_bounds(&to_fraction, sets, repeats),
        };
        let (mut scale, mut cells, mut around) = (DVec3::ZERO, [1i32; 3], [0i32; 3]);
        for axis in 0..3 {
            let width = if repeats[axis] { widths[axis] } else { (high[axis] - low[axis]) * widths[axis] };
            let (count, cell_width) = if repeats[axis] {
                let count = (width / edge).floor().clamp(1.0, MOST_CELLS);
                (count, width / count)
            } else {
                let cell_width = edge.max(width / (MOST_CELLS - 1.0));
                ((width / cell_width).floor() + 1.0, cell_width)
            };
            cells[axis] = count as i32;
            scale[axis] = if repeats[axis] { count } else { widths[axis] / cell_width };
            // A little more than the reach: a point at the border of a cell may be counted to either side.
            let steps = (wide / cell_width * (1.0 + 1e-9) + 1e-9 + FARTHEST.recip()).ceil();
            if repeats[axis] && 2.0 * wide / width > MOST_IMAGES {
                return Err(NeighbourError::TooManyImages { cutoff: reach, width });
            }
            around[axis] = if repeats[axis] { steps as i32 } else { steps.min(count) as i32 };
        }
        let images: f64 =
            (0..3).filter(|&axis| repeats[axis]).map(|axis| 2.0 * (wide / widths[axis]).ceil() + 1.0).product();
        if images > MOST_IMAGES {
            return Err(NeighbourError::TooManyImages { cutoff: reach, width: widths.min_element() });
        }
        let corners = match search.repeat {
            None => (bounds.0, bounds.1),
            Some(_) => corners(&lattice, low, high),
        };
        let middle = 0.5 * (corners.0 + corners.1);
        let is_straight = search.repeat.is_none_or(|repeat| repeat.periodic_box.is_orthogonal());
        let cell_widths = DVec3::from_array([0, 1, 2].map(|axis| widths[axis] / scale[axis]));
        let rows = rows(around, cell_widths, wide * (1.0 + 1e-9), is_straight);
        let here = rows.iter().position(|row| row[..2] == [0, 0]).unwrap_or(0);
        let far = 0.5 * (corners.1 - corners.0).max_element() + wide + lattice_margin(search, wide);
        Ok(Self { lattice, to_fraction, repeats, low, scale, cells, rows, here, middle, far })
    }

    /// How many cells there are, as a number that cannot overflow.
    pub(super) fn cell_count(&self) -> u64 {
        self.cells.iter().map(|&cells| cells as u64).product()
    }

    /// In cubic angstroms.
    pub(super) fn volume_of_cell(&self) -> f64 {
        (self.lattice.determinant() / self.scale.element_product()).abs()
    }

    /// The cell of a point, how many boxes it is away from the first, and where it is when it has been brought back.
    #[inline(always)]
    pub(super) fn place(&self, point: DVec3) -> ([i32; 3], [f64; 3], DVec3) {
        let mut fraction = self.to_fraction * point;
        let (mut cell, mut boxes) = ([0; 3], [0.0; 3]);
        for axis in 0..3 {
            if self.repeats[axis] {
                boxes[axis] = fraction[axis].floor();
                fraction[axis] -= boxes[axis];
            }
            let along = (fraction[axis] - self.low[axis]) * self.scale[axis];
            cell[axis] = (along as i32).clamp(0, self.cells[axis] - 1);
        }
        let home = if boxes == [0.0; 3] { point } else { point - self.lattice * DVec3::from_array(boxes) };
        (cell, boxes, home)
    }

    /// As [`Frame::place`], in open space.
    #[inline(always)]
    pub(super) fn cell_in_the_open(&self, point: DVec3) -> [i32; 3] {
        let along = (point - self.low) * self.scale;
        let cell = |axis: usize| (along[axis] as i32).clamp(0, self.cells[axis] - 1);
        [cell(0), cell(1), cell(2)]
    }

    /// How many boxes lie between where a point was in the first box and where it is now.
    pub(super) fn boxes_between(&self, home: DVec3, point: DVec3) -> [f64; 3] {
        let fraction = self.to_fraction * (point - home);
        [0, 1, 2].map(|axis| if self.repeats[axis] { fraction[axis].round() } else { 0.0 })
    }

    /// Whether there is no box at all.
    pub(super) fn is_open(&self) -> bool {
        self.repeats == [false; 3] && self.lattice == DMat3::IDENTITY
    }

    #[inline(always)]
    pub(super) fn key(&self, cell: [i32; 3]) -> u64 {
        let [x, y, z] = cell.map(|along| along as u64);
        (z * self.cells[1] as u64 + y) * self.cells[0] as u64 + x
    }

    pub(super) fn cell_of(&self, key: u64) -> [i32; 3] {
        let [nx, ny] = [self.cells[0] as u64, self.cells[1] as u64];
        [(key % nx) as i32, (key / nx % ny) as i32, (key / nx / ny) as i32]
    }

    /// Which of several widths of cells, as parts of this frame's, costs least: wide ones have more points that are too far away, narrow ones
    /// more rows. `crowd` is how many points share a cell with the mean point.
    pub(super) fn best_factor(&self, crowd: f64) -> f64 {
        /// Nanoseconds for comparing eight points, for beginning a run of them, and for looking one up.
        const COMPARE: f64 = 1.8;
        const BEGIN: f64 = 1.5;
        const LOOK_UP: f64 = 5.0;
        let cost = |factor: f64| {
            let steps = (1.0f64 / factor).ceil() as i32;
            let rows = rows([steps; 3], DVec3::splat(factor), 1.0, true);
            let (count, cells) = (rows.len() as f64, rows.iter().map(|row| 2.0 * f64::from(row[2]) + 1.0).sum::<f64>());
            // A random cell has as many points as there are beside a point in its cell.
            let filled = (crowd - 1.0).max(0.1) * factor.powi(3);
            let sharing = filled / (1.0 - (-filled).exp());
            // Half of the rows, each with half of eight points in vain.
            0.5 * (COMPARE * (cells * filled / 8.0 + 0.5 * count) + (BEGIN + LOOK_UP / sharing) * count)
        };
        let factors = [1.0, 0.5, 1.0 / 3.0, 0.25];
        factors.into_iter().min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1.0)
    }

    /// How wrong the distance of two points in single precision can be.
    pub(super) fn error(&self) -> f64 {
        // Both ends are rounded once, and twice more where one is an image: so many times half of the last place along each axis.
        let roundings = if self.is_open() { 3.0 } else { 8.0 };
        roundings * self.far * f64::from(f32::EPSILON)
    }
}

/// The bounds of points that are fit to be searched.
pub(super) fn check(sets: &[Points<'_>]) -> Result<(DVec3, DVec3), NeighbourError> {
    let mut bounds = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for points in sets {
        let (low, high) = points.bounds().ok_or_else(|| wrong_coordinate(*points))?;
        bounds = (bounds.0.min(low), bounds.1.max(high));
    }
    Ok(bounds)
}

fn wrong_coordinate(points: Points<'_>) -> NeighbourError {
    let is_wrong = |value: &f64| value.is_nan() || value.abs() > FARTHEST;
    let all = (0..points.len()).flat_map(|index| points.at(index).to_array().map(|value| (index, value)));
    let (index, found) = all.into_iter().find(|(_, value)| is_wrong(value)).unwrap_or((0, f64::NAN));
    NeighbourError::Coordinate { index, found }
}

/// Images within reach stand outside the box by at most this.
fn lattice_margin(search: &NeighbourSearch<'_>, wide: f64) -> f64 {
    search.repeat.map_or(0.0, |repeat| {
        let vectors = repeat.periodic_box.vectors();
        let widths = repeat.periodic_box.widths();
        let along = |axis: usize| vectors.col(axis).length() * ((wide / widths[axis]).ceil() + 1.0);
        (0..3).filter(|&axis| repeat.along[axis]).map(along).sum()
    })
}

fn fractional_bounds(to_fraction: &DMat3, sets: &[Points<'_>], repeats: [bool; 3]) -> (DVec3, DVec3) {
    if repeats == [true; 3] {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let points = sets.iter().flat_map(|points| (0..points.len()).map(|index| points.at(index)));
    let (mut low, mut high) = points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| {
        let fraction = *to_fraction * point;
        (low.min(fraction), high.max(fraction))
    });
    for axis in (0..3).filter(|&axis| repeats[axis]) {
        (low[axis], high[axis]) = (0.0, 1.0);
    }
    (low, high)
}

fn corners(lattice: &DMat3, low: DVec3, high: DVec3) -> (DVec3, DVec3) {
    let corner = |code: usize| {
        let pick = |axis: usize| if code >> axis & 1 == 0 { low[axis].min(0.0) } else { high[axis].max(1.0) };
        *lattice * DVec3::new(pick(0), pick(1), pick(2))
    };
    (0..8).map(corner).fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), point| (a.min(point), b.max(point)))
}

/// The rows of cells that come within reach of a cell, nearest planes first along each axis.
fn rows(around: [i32; 3], widths: DVec3, reach: f64, is_straight: bool) -> Vec<[i32; 3]> {
    let gap = |steps: i32, axis: usize| f64::from((steps.abs() - 1).max(0)) * widths[axis];
    let mut rows = Vec::new();
    for z in -around[2]..=around[2] {
        for y in -around[1]..=around[1] {
            let left = if is_straight { reach.powi(2) - gap(y, 1).powi(2) - gap(z, 2).powi(2) } else { reach.powi(2) };
            if left < -1e-9 * reach.powi(2) {
                continue;
            }
            let steps = (left.max(0.0).sqrt() / widths[0] * (1.0 + 1e-9) + 1e-9).ceil() as i32;
            rows.push([y, z, steps.max(1).min(around[0])]);
        }
    }
    rows
}
