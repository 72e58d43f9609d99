//! The clusters of one slab, placed in the world and sorted by cell.
//!
//! How it works: a coordinate in single precision is good to a ten-thousandth of an angstrom only near its origin, so
//! atoms are placed relative to an *anchor*: the corner of their tile, a block of cells about 512 A wide, moved by whole
//! periodic boxes where the cluster was wound around one. Two clusters with different anchors are compared after one of
//! them was shifted. Slots come in this order: clusters that the slab owns, borrowed ones, guests of higher levels.

use glam::{DMat3, DVec3, Mat3, Vec3};
use steric_model::{LANES, Scene, Sphere};

use crate::index::IndexKind;
use crate::index::cells::{CellKey, CellTable};
use crate::index::lattice::{Lattice, floor};
use crate::index::slabs::{ClusterRef, Entry, Slabs};
use crate::simd::{Eight, Lanes, per_axis};

/// How wide a tile is, in angstroms.
const TILE_WIDTH: f64 = 512.0;

/// The bounding spheres of eight slots, for the first look at a pair.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Batch {
    /// Centres relative to the anchors: all x, all y, all z. NaN where there is no slot.
    pub(crate) centers: [Eight; 3],
    pub(crate) radii: Eight,
    /// The molecule of each slot.
    pub(crate) owners: [u32; LANES],
}

const NO_BATCH: Batch = Batch { centers: [[f32::NAN; LANES]; 3], radii: [0.0; LANES], owners: [0; LANES] };

/// Clusters in slots. Its memory is reused from slab to slab.
#[derive(Debug, Default)]
pub(crate) struct Slab {
    /// Which cluster stands in each slot.
    pub(crate) refs: Vec<ClusterRef>,
    /// Bounding spheres, eight slots at a time.
    pub(crate) batches: Vec<Batch>,
    /// Atom coordinates relative to the anchor, lane by lane; empty where the bounding spheres are the atoms.
    pub(crate) atoms: Vec<[Eight; 3]>,
    /// The distinct anchors, in the world.
    pub(crate) anchors: Vec<DVec3>,
    /// The anchor of each slot.
    pub(crate) anchor_of: Vec<u32>,
    /// Where the slots of each cell are.
    pub(crate) table: CellTable,
    /// The first so many slots are the slab's own.
    pub(crate) own: usize,
    /// How many layers the slab owns; the layer after them is borrowed.
    pub(crate) layers: i64,
    /// Whether every cluster is a single atom, so that the bounding spheres are the atoms.
    pub(crate) single_atoms: bool,
    first_layer: i64,
    // A tile is two to the power of this many cells wide.
    tile_bits: u32,
    cluster_cells: Vec<CellKey>,
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
        let (own, halo) = slabs.entries(slab);
        (self.first_layer, self.layers) = slabs.layers(slab);
        self.own = own.len();
        self.anchors.clear();
        let width = (0..3).map(|axis| lattice.step(unit(axis)).length()).fold(0.0, f64::max);
        self.tile_bits = (TILE_WIDTH / width).max(1.0).log2() as u32;
        self.cluster_cells.clear();
        let first_layer = self.first_layer;
        self.cluster_cells.extend(own.iter().map(|entry| entry.cell.in_layer(entry.cell.layer() - first_layer)));
        self.cluster_cells.extend(halo.iter().map(|entry| entry.cell.in_layer(self.layers)));
        let [runs, rows, _] = lattice.cells();
        let cells = [runs, rows, self.layers + 1];
        let atoms = self.cluster_cells.len() * if self.single_atoms { 1 } else { LANES };
        let kind = kind.resolve(cells, atoms);
        self.table.build(kind, cells, &self.cluster_cells, &mut self.slot_of);
        if self.single_atoms && !lattice.is_periodic() {
            self.place_all_atoms(scene, lattice, own, halo);
        } else {
            self.place_all(lanes, scene, lattice, own, halo);
        }
    }

    #[inline(always)]
    fn place_all<L: Lanes>(&mut self, lanes: L, scene: &Scene, lattice: &Lattice, own: &[Entry], halo: &[Entry]) {
        self.resize(own.len() + halo.len());
        let mut frames = Frames::new(scene);
        let mut tile = self.cluster_cells.first().map_or([0; 3], |cell| cell.coordinates());
        let mut anchor = self.anchor(self.tile_corner(lattice, tile));
        for (index, entry) in own.iter().chain(halo).enumerate() {
            let cell = self.cluster_cells[index].coordinates();
            frames.select(entry.cluster.molecule);
            if lattice.is_periodic() {
                let corner = self.tile_corner(lattice, cell);
                anchor = self.anchor(corner + self.unwinding(lattice, &frames, entry, cell));
            } else if !self.same_tile(cell, tile) {
                tile = cell;
                anchor = self.anchor(self.tile_corner(lattice, tile));
            }
            let slot = self.slot_of[index] as usize;
            if self.single_atoms {
                self.place_atom(scene, entry.cluster, slot, anchor);
            } else {
                self.place(lanes, scene, &frames, entry.cluster, slot, anchor);
            }
        }
    }

    /// As [`Slab::place_all`], for single atoms in open space. Their molecules are spread over all memory, so a block of
    /// them is fetched in a loop of its own, in which many fetches run at once.
    fn place_all_atoms(&mut self, scene: &Scene, lattice: &Lattice, own: &[Entry], halo: &[Entry]) {
        const BLOCK: usize = 64;
        self.resize(own.len() + halo.len());
        let mut first = 0;
        for block in own.chunks(BLOCK).chain(halo.chunks(BLOCK)) {
            let mut atoms = [(DVec3::ZERO, Sphere::default()); BLOCK];
            for (atom, Entry { cluster, .. }) in atoms.iter_mut().zip(block) {
                let translation = scene.molecules()[cluster.molecule as usize].pose.translation;
                *atom = (translation, scene.bounds()[cluster.cluster as usize]);
            }
            for (index, (entry, &(translation, bound))) in (first..).zip(block.iter().zip(&atoms)) {
                let anchor = self.anchor(self.tile_corner(lattice, self.cluster_cells[index].coordinates()));
                self.enter_atom(scene, entry.cluster, self.slot_of[index] as usize, anchor, translation, bound);
            }
            first += block.len();
        }
    }

    /// How far a cluster's molecule has to be moved by whole boxes until the cluster stands in its cell; taken from the
    /// anchor, it moves the cluster the other way.
    fn unwinding(&self, lattice: &Lattice, frames: &Frames<'_>, entry: &Entry, cell: [i64; 3]) -> DVec3 {
        let center = frames.scene.bounds()[entry.cluster.cluster as usize].center.as_dvec3();
        let point = lattice.coordinates(frames.rotation_f64 * center + frames.translation);
        let cell = [cell[0], cell[1], cell[2] + self.first_layer];
        lattice.step(per_axis(|axis| {
            let cells = lattice.cells()[axis];
            // The cell may be one box further than the first: the halo of the last slab.
            (floor(point[axis]) - cell[axis]).div_euclid(cells) * cells
        }))
    }

    /// Places one cluster of the molecule whose frame is selected.
    #[inline(always)]
    pub(crate) fn place<L: Lanes>(
        &mut self,
        lanes: L,
        scene: &Scene,
        frames: &Frames<'_>,
        cluster: ClusterRef,
        slot: usize,
        anchor: u32,
    ) {
        let offset = (frames.translation - self.anchors[anchor as usize]).as_vec3();
        let source = &scene.clusters()[cluster.cluster as usize];
        let bound = scene.bounds()[cluster.cluster as usize];
        self.atoms[slot] = placed(lanes, &source.xyz, frames.rotation, offset);
        self.enter(cluster, slot, anchor, frames.rotation * bound.center + offset, bound.radius);
    }

    /// Places a cluster that is a single atom.
    #[inline(always)]
    fn place_atom(&mut self, scene: &Scene, cluster: ClusterRef, slot: usize, anchor: u32) {
        let translation = scene.molecules()[cluster.molecule as usize].pose.translation;
        self.enter_atom(scene, cluster, slot, anchor, translation, scene.bounds()[cluster.cluster as usize]);
    }

    /// The bounding sphere of a single atom is the atom.
    #[inline(always)]
    fn enter_atom(
        &mut self,
        scene: &Scene,
        cluster: ClusterRef,
        slot: usize,
        anchor: u32,
        translation: DVec3,
        bound: Sphere,
    ) {
        let mut atom = translation - self.anchors[anchor as usize];
        if bound.center != Vec3::ZERO {
            atom += scene.molecules()[cluster.molecule as usize].pose.rotation * bound.center.as_dvec3();
        }
        self.enter(cluster, slot, anchor, atom.as_vec3(), bound.radius);
    }

    /// Fills in all of a slot but its atoms.
    #[inline(always)]
    fn enter(&mut self, cluster: ClusterRef, slot: usize, anchor: u32, center: Vec3, radius: f32) {
        let (batch, lane) = (&mut self.batches[slot / LANES], slot % LANES);
        batch.centers[0][lane] = center.x;
        batch.centers[1][lane] = center.y;
        batch.centers[2][lane] = center.z;
        batch.radii[lane] = radius;
        batch.owners[lane] = cluster.molecule;
        self.refs[slot] = cluster;
        self.anchor_of[slot] = anchor;
    }

    /// The place of an atom relative to its anchor.
    #[inline(always)]
    pub(crate) fn atom(&self, slot: usize, lane: usize) -> Vec3 {
        if self.single_atoms {
            let batch = &self.batches[slot / LANES];
            Vec3::from(per_axis(|axis| batch.centers[axis][slot % LANES]))
        } else {
            Vec3::from(per_axis(|axis| self.atoms[slot][axis][lane]))
        }
    }

    /// Adds a cluster of a higher level, moved by a step, which stands in no cell. Returns its slot.
    #[inline(always)]
    pub(crate) fn add_guest<L: Lanes>(
        &mut self,
        lanes: L,
        scene: &Scene,
        lattice: &Lattice,
        guest: ClusterRef,
        step: DVec3,
        near: [i64; 3],
    ) -> usize {
        let slot = self.refs.len();
        let near = [near[0], near[1], (near[2] - self.first_layer).clamp(0, self.layers)];
        let anchor = self.anchor(self.tile_corner(lattice, near) - step);
        self.resize(slot + 1);
        if self.single_atoms {
            self.place_atom(scene, guest, slot, anchor);
        } else {
            let mut frames = Frames::new(scene);
            frames.select(guest.molecule);
            self.place(lanes, scene, &frames, guest, slot, anchor);
        }
        slot
    }

    /// The number of an anchor; there are only a few, and the last one is nearly always asked for again.
    #[inline(always)]
    fn anchor(&mut self, at: DVec3) -> u32 {
        match self.anchors.iter().rposition(|&anchor| anchor == at) {
            Some(index) => index as u32,
            None => {
                self.anchors.push(at);
                self.anchors.len() as u32 - 1
            }
        }
    }

    /// The corner of the tile that holds a cell, in the world; layers count from the slab's first.
    #[inline(always)]
    pub(crate) fn tile_corner(&self, lattice: &Lattice, cell: [i64; 3]) -> DVec3 {
        let corner = |axis: usize| cell[axis] >> self.tile_bits << self.tile_bits;
        lattice.world_from_cell([corner(0), corner(1), self.first_layer + corner(2)])
    }

    /// Whether two cells share their tile.
    #[inline(always)]
    pub(crate) fn same_tile(&self, a: [i64; 3], b: [i64; 3]) -> bool {
        ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) >> self.tile_bits == 0
    }

    /// Every slot once, mostly in the order of the scene: what is written there slot by slot is written in one sweep
    /// through memory.
    pub(crate) fn slots_in_scene_order(&self) -> impl Iterator<Item = usize> {
        self.slot_of.iter().map(|&slot| slot as usize).chain(self.slot_of.len()..self.refs.len())
    }

    /// The first layer that the slab owns.
    pub(crate) fn first_layer(&self) -> i64 {
        self.first_layer
    }

    pub(crate) fn resize(&mut self, slots: usize) {
        let batches = slots.div_ceil(LANES);
        self.batches.resize(batches, NO_BATCH);
        for slot in slots..batches * LANES {
            self.batches[slot / LANES].centers[0][slot % LANES] = f32::NAN;
        }
        self.refs.resize(slots, ClusterRef::default());
        self.anchor_of.resize(slots, 0);
        self.atoms.resize(if self.single_atoms { 0 } else { slots }, [[f32::NAN; LANES]; 3]);
    }
}

fn unit(axis: usize) -> [i64; 3] {
    per_axis(|other| i64::from(other == axis))
}

#[inline(always)]
pub(super) fn placed<L: Lanes>(lanes: L, xyz: &[Eight; 3], rotation: Mat3, offset: Vec3) -> [Eight; 3] {
    let [x, y, z] = per_axis(|axis| lanes.load(&xyz[axis]));
    let along = |row: [f32; 3], offset: f32| {
        let sum = lanes.mul_add(lanes.splat(row[2]), z, lanes.splat(offset));
        let sum = lanes.mul_add(lanes.splat(row[1]), y, sum);
        lanes.store(lanes.mul_add(lanes.splat(row[0]), x, sum))
    };
    let Mat3 { x_axis: a, y_axis: b, z_axis: c } = rotation;
    [along([a.x, b.x, c.x], offset.x), along([a.y, b.y, c.y], offset.y), along([a.z, b.z, c.z], offset.z)]
}

/// The frame of the molecule that was asked for last; clusters of one molecule come one after the other.
pub(crate) struct Frames<'a> {
    scene: &'a Scene,
    molecule: Option<u32>,
    rotation_f64: DMat3,
    rotation: Mat3,
    translation: DVec3,
}

impl<'a> Frames<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        Self {
            scene,
            molecule: None,
            rotation_f64: DMat3::IDENTITY,
            rotation: Mat3::IDENTITY,
            translation: DVec3::ZERO,
        }
    }

    #[inline(always)]
    pub(crate) fn select(&mut self, molecule: u32) {
        if self.molecule != Some(molecule) {
            let pose = self.scene.molecules()[molecule as usize].pose;
            self.molecule = Some(molecule);
            self.rotation_f64 = DMat3::from_quat(pose.rotation);
            self.rotation = self.rotation_f64.as_mat3();
            self.translation = pose.translation;
        }
    }
}
