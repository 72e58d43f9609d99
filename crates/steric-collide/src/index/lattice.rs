//! The cells that space is cut into, and which one a point lies in.
//!
//! How it works: a cell is at least as wide as the farthest that two clusters can be apart and still touch, so touching
//! clusters lie in the same cell or in two that share a face, an edge or a corner. The three axes of the cells are
//! named after what they do: clusters stand in *runs* along the first, a *row* is a line of cells along it, and a
//! *slab* is a stack of layers along the longest axis, worked on by one thread at a time.

use glam::{DMat3, DVec3};
use steric_model::PeriodicBox;

/// Cells over an open space or a periodic box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    origin: DVec3,
    cell_from_world: DMat3,
    world_from_cell: DMat3,
    // Which axis of the world, or vector of the box, each axis of the cells runs along.
    axes: [usize; 3],
    cells: [i64; 3],
    periodic: bool,
}

impl Lattice {
    /// No axis has more cells than this, so that a cell's three coordinates fit in 64 bits; a scene that is wider
    /// gets larger cells.
    const MOST_CELLS: f64 = (1u32 << 20) as f64;

    /// Cells at least `edge` angstroms wide over everything from `low` to `high`.
    pub(crate) fn open(low: DVec3, high: DVec3, edge: f64) -> Self {
        let extent = (high - low).max(DVec3::ZERO);
        // Multiples of 1/64 keep coordinates on that lattice exact when they are taken relative to a cell.
        let lattice = |length: f64| (length * 64.0).ceil() / 64.0;
        let edge = lattice(edge.max(extent.max_element() / (Self::MOST_CELLS - 2.0)).max(1.0 / 64.0));
        let origin = (low * 64.0).floor() / 64.0;
        let axes = axes_by_length(extent);
        let cells = axes.map(|axis| ((high - origin)[axis] / edge) as i64 + 1);
        let units = axes.map(|axis| DVec3::AXES[axis]);
        let world_from_cell = DMat3::from_cols(units[0] * edge, units[1] * edge, units[2] * edge);
        Self { origin, cell_from_world: world_from_cell.inverse(), world_from_cell, axes, cells, periodic: false }
    }

    /// Cells at least `edge` angstroms wide that fill a periodic box; `None` if it is thinner than one cell.
    pub(crate) fn periodic(periodic_box: PeriodicBox, edge: f64) -> Option<Self> {
        let widths = periodic_box.widths();
        let axes = axes_by_length(widths);
        let cells = axes.map(|axis| (widths[axis] / edge).min(Self::MOST_CELLS) as i64);
        if cells.contains(&0) {
            return None;
        }
        let vectors = periodic_box.vectors();
        let steps: [DVec3; 3] = std::array::from_fn(|i| vectors.col(axes[i]) / cells[i] as f64);
        let world_from_cell = DMat3::from_cols(steps[0], steps[1], steps[2]);
        let cell_from_world = world_from_cell.inverse();
        Some(Self { origin: DVec3::ZERO, cell_from_world, world_from_cell, axes, cells, periodic: true })
    }

    /// How many cells there are along each axis.
    #[inline(always)]
    pub(crate) fn cells(&self) -> [i64; 3] {
        self.cells
    }

    /// Whether the last cell of an axis touches the first.
    #[inline(always)]
    pub(crate) fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// Where a point of the world lies, counted in cells along each axis.
    #[inline(always)]
    pub(crate) fn coordinates(&self, world: DVec3) -> [f64; 3] {
        let from_origin = world - self.origin;
        if self.periodic {
            return (self.cell_from_world * from_origin).to_array();
        }
        // Open space has square cells, so one factor per axis is enough.
        let [run, row, layer] = self.axes;
        let Self { cell_from_world: DMat3 { x_axis, y_axis, z_axis }, .. } = self;
        let per_axis = [x_axis, y_axis, z_axis].map(|column| column.x + column.y + column.z);
        let scaled = from_origin * DVec3::from(per_axis);
        [scaled[run], scaled[row], scaled[layer]]
    }

    /// The world position of a corner of cells.
    #[inline(always)]
    pub(crate) fn world_from_cell(&self, cell: [i64; 3]) -> DVec3 {
        self.origin + self.step(cell)
    }

    /// The way across so many cells.
    #[inline(always)]
    pub(crate) fn step(&self, cells: [i64; 3]) -> DVec3 {
        self.world_from_cell * DVec3::new(cells[0] as f64, cells[1] as f64, cells[2] as f64)
    }

    /// How many cells a length can reach across, along each axis.
    pub(crate) fn cells_within(&self, length: f64) -> [f64; 3] {
        [0, 1, 2].map(|axis| length * self.cell_from_world.row(axis).length())
    }

    /// The cell along one axis at a cell coordinate, and the winding.
    #[inline(always)]
    pub(crate) fn locate(&self, axis: usize, coordinate: f64) -> (i64, i64) {
        let cell = floor(coordinate);
        if self.periodic {
            (cell.rem_euclid(self.cells[axis]), cell.div_euclid(self.cells[axis]))
        } else {
            // Rounding may carry a point on the rim over it.
            (cell.clamp(0, self.cells[axis] - 1), 0)
        }
    }
}

/// The integer below, without a call into the mathematical library where the target rounds in software.
#[inline(always)]
pub(crate) fn floor(coordinate: f64) -> i64 {
    let towards_zero = coordinate as i64;
    towards_zero - i64::from((towards_zero as f64) > coordinate)
}

/// Axes in the order run, row, slab: the slab axis is the longest, so that there are many slabs with thin seams.
fn axes_by_length(extent: DVec3) -> [usize; 3] {
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| extent[a].total_cmp(&extent[b]));
    axes
}
