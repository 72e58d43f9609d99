//! The clusters of one slab, placed in the world and sorted by cell.
//!
//! How it works: a coordinate in single precision is good to a ten-thousandth of an angstrom only near its origin, so
//! atoms are placed relative to the corner of their *tile*, a block of cells about 512 A wide. Two clusters of
//! different tiles, or on two sides of a periodic box, are compared after one of them was shifted.

use glam::{DMat3, DVec3, Mat3, Vec3};
use steric_model::{Cluster, Scene};

use crate::index::IndexKind;
use crate::index::cells::{CellKey, CellTable};
use crate::index::lattice::{CellOf, Lattice};
use crate::index::slabs::{ClusterRef, LayerOf, Slabs};
use crate::simd::{Eight, Lanes, per_axis};

/// How wide a tile is, in angstroms; a power of two, so that tile corners are exact.
const TILE_WIDTH: f64 = 512.0;

/// Clusters sorted by cell, one slot each. Its memory is reused from slab to slab.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    /// Which cluster stands in each slot.
    pub(crate) refs: Vec<ClusterRef>,
    /// Bounding spheres of the slots, relative to their tile: all x, all y, all z; eight spare entries at the end.
    pub(crate) centers: [Vec<f32>; 3],
    /// Radii of those spheres.
    pub(crate) radii: Vec<f32>,
    /// The molecule of each slot.
    pub(crate) owners: Vec<u32>,
    /// Atom coordinates relative to the tile, lane by lane.
    pub(crate) atoms: Vec<[Eight; 3]>,
    /// Where the slots of each cell are.
    pub(crate) table: CellTable,
    /// How many layers the slab owns; the layer after them is borrowed.
    pub(crate) layers: i64,
    first_layer: i64,
    // A tile is two to the power of this many cells wide.
    tile_bits: u32,
    cluster_cells: Vec<CellKey>,
    windings: Vec<[i64; 3]>,
    slot_of: Vec<u32>,
}

impl Slab {
    /// Places the clusters of one slab of a scene.
    #[inline(always)]
    pub(crate) fn fill<L: Lanes>(
        &mut self,
        lanes: L,
        scene: &Scene,
        lattice: &Lattice,
        slabs: &Slabs,
        slab: usize,
        kind: IndexKind,
    ) {
        let (own, halo) = slabs.clusters(slab);
        (self.first_layer, self.layers) = slabs.layers(slab);
        let width = (0..2).map(|axis| lattice.step(unit(axis)).length()).fold(0.0, f64::max);
        self.tile_bits = (TILE_WIDTH / width).max(1.0).log2() as u32;
        self.locate(scene, lattice, own, halo);
        let [runs, rows, _] = lattice.cells();
        let cells = [runs, rows, self.layers + 1];
        let kind = kind.resolve(cells, self.cluster_cells.len());
        self.table.build(kind, cells, &self.cluster_cells, &mut self.slot_of);
        self.place(lanes, scene, lattice, own, halo);
    }

    /// The cell of every cluster; the layers count from the slab's first.
    #[inline(always)]
    fn locate(&mut self, scene: &Scene, lattice: &Lattice, own: &[ClusterRef], halo: &[ClusterRef]) {
        self.cluster_cells.clear();
        self.windings.clear();
        let mut frames = Frames::new(scene, lattice);
        for (borrowed, refs) in [(false, own), (true, halo)] {
            for &cluster in refs {
                let CellOf { mut cell, mut winding } = frames.cell_of(cluster);
                // A borrowed layer stands above the last one, which in a periodic box may mean one box further.
                if borrowed {
                    winding[2] -= (self.first_layer + self.layers - cell[2]) / lattice.cells()[2];
                    cell[2] = self.layers;
                } else {
                    cell[2] -= self.first_layer;
                }
                self.cluster_cells.push(CellKey::new(cell));
                if lattice.is_periodic() {
                    self.windings.push(winding);
                }
            }
        }
    }

    /// The corner of the tile that holds a cell, in the world.
    #[inline(always)]
    pub(crate) fn tile_corner(&self, lattice: &Lattice, cell: [i64; 3]) -> DVec3 {
        let corner = |axis: usize| cell[axis] >> self.tile_bits << self.tile_bits;
        lattice.world_from_cell([corner(0), corner(1), self.first_layer])
    }

    /// Whether two cells share their tile.
    #[inline(always)]
    pub(crate) fn same_tile(&self, a: [i64; 3], b: [i64; 3]) -> bool {
        ((a[0] ^ b[0]) | (a[1] ^ b[1])) >> self.tile_bits == 0
    }

    #[inline(always)]
    fn place<L: Lanes>(&mut self, lanes: L, scene: &Scene, lattice: &Lattice, own: &[ClusterRef], halo: &[ClusterRef]) {
        self.resize(own.len() + halo.len());
        let mut frames = Frames::new(scene, lattice);
        let mut tile = [0; 3];
        let mut corner = self.tile_corner(lattice, tile);
        for (index, &cluster) in own.iter().chain(halo).enumerate() {
            let slot = self.slot_of[index] as usize;
            let (rotation, translation) = frames.pose(cluster.molecule);
            let cell = self.cluster_cells[index].coordinates();
            if !self.same_tile(cell, tile) {
                tile = cell;
                corner = self.tile_corner(lattice, tile);
            }
            let mut offset = (translation - corner).as_vec3();
            if let Some(winding) = self.windings.get(index) {
                let around = per_axis(|axis| winding[axis] * lattice.cells()[axis]);
                offset = (translation - lattice.step(around) - corner).as_vec3();
            }
            let source = &scene.clusters()[cluster.cluster as usize];
            let center = rotation * source.bound.center + offset;
            for axis in 0..3 {
                self.centers[axis][slot] = center[axis];
            }
            self.radii[slot] = source.bound.radius;
            self.owners[slot] = cluster.molecule;
            self.refs[slot] = cluster;
            self.atoms[slot] = placed(lanes, source, rotation, offset);
        }
    }

    fn resize(&mut self, clusters: usize) {
        // Eight spare slots that touch nothing, so that eight slots can be loaded from any slot on.
        let slots = clusters + 8;
        for axis in &mut self.centers {
            axis.resize(slots, 0.0);
            axis[clusters..].fill(f32::NAN);
        }
        self.radii.resize(slots, 0.0);
        self.owners.resize(slots, 0);
        self.refs.resize(slots, ClusterRef::default());
        self.atoms.resize(slots, [[f32::NAN; 8]; 3]);
    }
}

fn unit(axis: usize) -> [i64; 3] {
    per_axis(|other| i64::from(other == axis))
}

#[inline(always)]
fn placed<L: Lanes>(lanes: L, cluster: &Cluster, rotation: Mat3, offset: Vec3) -> [Eight; 3] {
    let [x, y, z] = per_axis(|axis| lanes.load(&cluster.xyz[axis]));
    let along = |axis: usize| {
        let row = rotation.row(axis);
        let sum = lanes.mul_add(lanes.splat(row.z), z, lanes.splat(offset[axis]));
        let sum = lanes.mul_add(lanes.splat(row.y), y, sum);
        lanes.store(lanes.mul_add(lanes.splat(row.x), x, sum))
    };
    [along(0), along(1), along(2)]
}

/// The frame of the molecule that was asked for last; clusters of one molecule come one after the other.
struct Frames<'a> {
    scene: &'a Scene,
    lattice: &'a Lattice,
    molecule: u32,
    rotation: Mat3,
    translation: DVec3,
    cell_from_molecule: (DMat3, DVec3),
    layer_of: LayerOf,
}

impl<'a> Frames<'a> {
    fn new(scene: &'a Scene, lattice: &'a Lattice) -> Self {
        let nowhere = (DMat3::IDENTITY, DVec3::ZERO);
        Self {
            scene,
            lattice,
            molecule: u32::MAX,
            rotation: Mat3::IDENTITY,
            translation: DVec3::ZERO,
            cell_from_molecule: nowhere,
            layer_of: LayerOf::new(nowhere),
        }
    }

    #[inline(always)]
    fn select(&mut self, molecule: u32) {
        if molecule != self.molecule {
            let pose = self.scene.molecules()[molecule as usize].pose;
            let rotation = DMat3::from_quat(pose.rotation);
            self.molecule = molecule;
            self.rotation = rotation.as_mat3();
            self.translation = pose.translation;
            self.cell_from_molecule = self.lattice.cell_from_molecule(rotation, pose.translation);
            self.layer_of = LayerOf::new(self.cell_from_molecule);
        }
    }

    #[inline(always)]
    fn pose(&mut self, molecule: u32) -> (Mat3, DVec3) {
        self.select(molecule);
        (self.rotation, self.translation)
    }

    #[inline(always)]
    fn cell_of(&mut self, cluster: ClusterRef) -> CellOf {
        self.select(cluster.molecule);
        let center = self.scene.clusters()[cluster.cluster as usize].bound.center.as_dvec3();
        let (matrix, offset) = self.cell_from_molecule;
        let point = matrix * center + offset;
        let coordinates = [point.x, point.y, self.layer_of.coordinate(center)];
        let located: [(i64, i64); 3] = per_axis(|axis| self.lattice.locate(axis, coordinates[axis]));
        CellOf { cell: per_axis(|axis| located[axis].0), winding: per_axis(|axis| located[axis].1) }
    }
}
