//! Large clusters among small ones.
//!
//! How it works: a cluster of a higher level stands in no cell of a lower one; it is a guest of every slab that its
//! sphere reaches, and looks at the cells that the sphere covers there. In a periodic box it is a guest once for each
//! turn around the box along the slabs; turns along the other two axes are found cell by cell.

use glam::DVec3;
use steric_model::Scene;

use super::lattice::{Lattice, floor};
use super::slabs::{ClusterRef, Slabs, cluster_range};

/// A large cluster in a slab, and the cells that its sphere may reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guest {
    pub(crate) cluster: ClusterRef,
    /// The first and the last cell along each axis; beyond the box where it is periodic, but for the layers.
    pub(crate) low: [i64; 3],
    pub(crate) high: [i64; 3],
    // How many boxes it was moved along the slab axis.
    turns: i64,
}

impl Guest {
    /// How far it was moved to be a guest here.
    pub(crate) fn step(&self, lattice: &Lattice) -> DVec3 {
        lattice.step([0, 0, self.turns * lattice.cells()[2]])
    }

    /// A cell in the middle of what it reaches, as far as the grid goes.
    pub(crate) fn nearest_cell(&self, lattice: &Lattice) -> [i64; 3] {
        [0, 1, 2].map(|axis| self.low[axis].midpoint(self.high[axis]).clamp(0, lattice.cells()[axis] - 1))
    }

    /// Calls for each way around the box, in cells along run and row, that brings a cell within reach.
    pub(crate) fn images(&self, lattice: &Lattice, cell: [i64; 3], mut call: impl FnMut([i64; 3])) {
        let [runs, rows, _] = lattice.cells();
        let within = |axis: usize, at: i64| (self.low[axis]..=self.high[axis]).contains(&at);
        if !within(2, cell[2]) {
            return;
        }
        if !lattice.is_periodic() {
            if within(0, cell[0]) && within(1, cell[1]) {
                call([0; 3]);
            }
            return;
        }
        for row in turns(cell[1], self.low[1], self.high[1], rows) {
            for run in turns(cell[0], self.low[0], self.high[0], runs) {
                call([run * runs, row * rows, 0]);
            }
        }
    }
}

/// The turns that bring a cell between two others.
fn turns(cell: i64, low: i64, high: i64, cells: i64) -> std::ops::RangeInclusive<i64> {
    (low - cell + cells - 1).div_euclid(cells)..=(high - cell).div_euclid(cells)
}

/// The guests of every slab of a level.
#[derive(Debug, Default)]
pub(crate) struct Guests {
    guests: Vec<Guest>,
    starts: Vec<usize>,
}

impl Guests {
    /// The clusters whose radius is at least `least`, as guests of a level whose clusters are no larger than `largest`.
    pub(crate) fn new(scene: &Scene, lattice: &Lattice, slabs: &Slabs, least: f32, largest: f32, reach: f32) -> Self {
        let mut of_slab: Vec<Vec<Guest>> = (0..slabs.len()).map(|_| Vec::new()).collect();
        if !least.is_finite() {
            return Self::default();
        }
        for (molecule, placed) in (0u32..).zip(scene.molecules()) {
            for cluster in cluster_range(scene, placed) {
                let bound = scene.bounds()[cluster as usize];
                if bound.radius >= least {
                    let point = lattice.coordinates(placed.pose * bound.center.as_dvec3());
                    let across = lattice.cells_within(f64::from(bound.radius + largest + reach) + 0.01);
                    let low = [0, 1, 2].map(|axis| floor(point[axis] - across[axis]));
                    let high = [0, 1, 2].map(|axis| floor(point[axis] + across[axis]));
                    let guest = Guest { cluster: ClusterRef { molecule, cluster }, low, high, turns: 0 };
                    invite(guest, lattice, slabs, &mut of_slab);
                }
            }
        }
        let starts = std::iter::once(0).chain(of_slab.iter().scan(0, |total, guests| {
            *total += guests.len();
            Some(*total)
        }));
        Self { starts: starts.collect(), guests: of_slab.concat() }
    }

    pub(crate) fn of_slab(&self, slab: usize) -> &[Guest] {
        match self.starts.get(slab..slab + 2) {
            Some(ends) => &self.guests[ends[0]..ends[1]],
            None => &[],
        }
    }
}

/// Puts a guest into the slabs that it reaches.
fn invite(guest: Guest, lattice: &Lattice, slabs: &Slabs, of_slab: &mut [Vec<Guest>]) {
    let cells = lattice.cells();
    let turns = if lattice.is_periodic() {
        -guest.high[2].div_euclid(cells[2])..=-guest.low[2].div_euclid(cells[2])
    } else {
        0..=0
    };
    for turns in turns {
        let mut moved = Guest { turns, ..guest };
        moved.low[2] += turns * cells[2];
        moved.high[2] += turns * cells[2];
        if !lattice.is_periodic() {
            moved.low = moved.low.map(|cell| cell.max(0));
            moved.high = [0, 1, 2].map(|axis| moved.high[axis].min(cells[axis] - 1));
        }
        let (_, layers) = slabs.layers(0);
        let (first, last) = (moved.low[2].max(0) / layers, moved.high[2].min(cells[2] - 1).div_euclid(layers));
        for slab in first..=last {
            of_slab[slab as usize].push(moved);
        }
    }
}
