//! Clusters dealt out to slabs: stacks of cell layers that are searched one by one.
//!
//! How it works: every cluster is owned by the slab that holds its layer, and a slab also borrows the first layer of
//! the next slab (its *halo*), because each cell looks one layer up. Nothing is placed here: a list entry is eight
//! bytes, and atoms get coordinates only while their slab is searched. That keeps the memory small, the coordinates
//! in cache, and a billion atoms within reach.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use steric_model::{Molecule, Scene};

use super::lattice::Lattice;

/// A cluster of a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterRef {
    /// Index of the molecule.
    pub(crate) molecule: u32,
    /// Index in [`Scene::clusters`].
    pub(crate) cluster: u32,
}

/// All clusters, slab by slab.
#[derive(Debug)]
pub(crate) struct Slabs {
    refs: Vec<ClusterRef>,
    // Where the owned and the borrowed clusters of each slab start: two entries a slab, and the end.
    starts: Vec<usize>,
    layers: i64,
}

/// Which clusters take part in a search.
pub(crate) trait Pick: Fn(f32) -> bool + Sync {}
impl<F: Fn(f32) -> bool + Sync> Pick for F {}

/// How many clusters a slab should own: enough that the halo is thin, few enough that they stay in cache.
const CLUSTERS_PER_SLAB: usize = 32_768;
/// Small scenes are cut finer, so that there is work for several threads.
const FEWEST_CLUSTERS_PER_SLAB: usize = 2_048;
const MOLECULES_PER_BLOCK: usize = 4_096;

impl Slabs {
    /// Deals out the clusters of a scene whose bounding radius is picked.
    pub(crate) fn new(scene: &Scene, lattice: &Lattice, pick: &impl Pick) -> Self {
        let clusters: usize = scene.molecules().par_iter().map(|molecule| cluster_range(scene, molecule).len()).sum();
        let [_, _, all_layers] = lattice.cells();
        let target = (clusters / 16).clamp(FEWEST_CLUSTERS_PER_SLAB, CLUSTERS_PER_SLAB);
        let slabs = (clusters / target).clamp(1, all_layers as usize);
        let layers = (all_layers as u64).div_ceil(slabs as u64) as i64;
        let slabs = (all_layers as u64).div_ceil(layers as u64) as usize;
        let deal = Deal { scene, lattice, pick, layers, slabs };
        let counts = deal.counts();
        let (starts, offsets) = prefix_sums(&counts, slabs);
        Self { refs: deal.refs(starts[2 * slabs], offsets), starts, layers }
    }

    /// How many slabs there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() / 2
    }

    /// The layers of a slab: the first one and how many; the halo is the layer after them.
    pub(crate) fn layers(&self, slab: usize) -> (i64, i64) {
        (slab as i64 * self.layers, self.layers)
    }

    /// The clusters that a slab owns, and those it borrows from the layer above.
    pub(crate) fn clusters(&self, slab: usize) -> (&[ClusterRef], &[ClusterRef]) {
        let [own, halo, end] = [0, 1, 2].map(|entry| self.starts[2 * slab + entry]);
        (&self.refs[own..halo], &self.refs[halo..end])
    }
}

pub(crate) fn cluster_range(scene: &Scene, molecule: &Molecule) -> std::ops::Range<u32> {
    scene.types()[molecule.kind.0 as usize].clusters.clone()
}

/// The third row of the map from a molecule's frame to cell coordinates: the layer of each of its points.
#[derive(Clone, Copy)]
pub(crate) struct LayerOf {
    along: DVec3,
    offset: f64,
}

impl LayerOf {
    pub(crate) fn new((matrix, offset): (DMat3, DVec3)) -> Self {
        Self { along: matrix.row(2), offset: offset.z }
    }

    /// Always this expression, so that a cluster is found in the slab that it was dealt to.
    #[inline(always)]
    pub(crate) fn coordinate(&self, point_in_molecule: DVec3) -> f64 {
        self.along.dot(point_in_molecule) + self.offset
    }
}

struct Deal<'a, P> {
    scene: &'a Scene,
    lattice: &'a Lattice,
    pick: &'a P,
    layers: i64,
    slabs: usize,
}

impl<P: Pick> Deal<'_, P> {
    /// Calls `put(list, cluster)` for each cluster of a block of molecules: list 2s is what slab s owns, list 2s + 1
    /// what it borrows.
    fn block(&self, block: usize, mut put: impl FnMut(usize, ClusterRef)) {
        let first = block * MOLECULES_PER_BLOCK;
        let molecules = &self.scene.molecules()[first..];
        for (index, molecule) in molecules.iter().take(MOLECULES_PER_BLOCK).enumerate() {
            let rotation = DMat3::from_quat(molecule.pose.rotation);
            let layer_of = LayerOf::new(self.lattice.cell_from_molecule(rotation, molecule.pose.translation));
            for cluster in cluster_range(self.scene, molecule) {
                let bound = self.scene.clusters()[cluster as usize].bound;
                if !(self.pick)(bound.radius) {
                    continue;
                }
                let (layer, _) = self.lattice.locate(2, layer_of.coordinate(bound.center.as_dvec3()));
                let slab = (layer / self.layers) as usize;
                let cluster = ClusterRef { molecule: (first + index) as u32, cluster };
                put(2 * slab, cluster);
                if let Some(below) = self.slab_below(slab, layer) {
                    put(2 * below + 1, cluster);
                }
            }
        }
    }

    /// The slab that borrows a layer.
    fn slab_below(&self, slab: usize, layer: i64) -> Option<usize> {
        let is_first_layer = layer == slab as i64 * self.layers;
        match slab {
            0 if is_first_layer && self.lattice.is_periodic() => Some(self.slabs - 1),
            0 => None,
            _ => is_first_layer.then(|| slab - 1),
        }
    }

    fn blocks(&self) -> usize {
        self.scene.molecules().len().div_ceil(MOLECULES_PER_BLOCK)
    }

    fn counts(&self) -> Vec<Vec<usize>> {
        let count = |block| {
            let mut counts = vec![0; 2 * self.slabs];
            self.block(block, |list, _| counts[list] += 1);
            counts
        };
        (0..self.blocks()).into_par_iter().map(count).collect()
    }

    /// Fills the lists; each block of molecules writes its own piece of each list, so the order never depends on
    /// the threads.
    fn refs(&self, total: usize, offsets: Vec<Vec<usize>>) -> Vec<ClusterRef> {
        let mut refs = vec![ClusterRef::default(); total];
        let mut pieces: Vec<Vec<&mut [ClusterRef]>> = (0..self.blocks()).map(|_| Vec::new()).collect();
        let mut rest = refs.as_mut_slice();
        for list in 0..2 * self.slabs {
            for (piece, offset) in pieces.iter_mut().zip(&offsets) {
                let (head, tail) = rest.split_at_mut(offset[list]);
                piece.push(head);
                rest = tail;
            }
        }
        pieces.into_par_iter().enumerate().for_each(|(block, mut piece)| {
            let mut used = vec![0; piece.len()];
            self.block(block, |list, cluster| {
                piece[list][used[list]] = cluster;
                used[list] += 1;
            });
        });
        refs
    }
}

/// List starts from the counts of each block; the counts themselves say how long each block's piece is.
fn prefix_sums(counts: &[Vec<usize>], slabs: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut starts = Vec::with_capacity(2 * slabs + 1);
    let mut total = 0;
    for list in 0..2 * slabs {
        starts.push(total);
        total += counts.iter().map(|block| block[list]).sum::<usize>();
    }
    starts.push(total);
    (starts, counts.to_vec())
}
