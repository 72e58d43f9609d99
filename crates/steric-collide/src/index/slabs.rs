//! Clusters dealt out to slabs: stacks of cell layers that are searched one by one.
//!
//! How it works: every cluster is owned by the slab that holds its layer, and a slab also borrows the first layer of
//! the next slab (its *halo*), because each cell looks one layer up. Nothing is placed here: an entry is sixteen
//! bytes, and atoms get coordinates only while their slab is searched. That keeps the memory small, the coordinates
//! in cache, and a billion atoms within reach.

use std::ops::Range;

use glam::{DMat3, Vec3};
use rayon::prelude::*;
use steric_model::{Molecule, Pose, Scene};

use super::cells::CellKey;
use super::lattice::Lattice;

/// A cluster of a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterRef {
    /// Index of the molecule.
    pub(crate) molecule: u32,
    /// Index in [`Scene::clusters`].
    pub(crate) cluster: u32,
}

/// A cluster and its cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) cluster: ClusterRef,
    pub(crate) cell: CellKey,
}

/// The clusters of one level, slab by slab.
#[derive(Debug)]
pub(crate) struct Slabs {
    entries: Vec<Entry>,
    // Where the owned and the borrowed clusters of each slab start: two a slab, and the end.
    starts: Vec<usize>,
    layers: i64,
    all_layers: i64,
}

/// How many clusters a slab should own: enough that the halo is thin, few enough that they stay in cache.
const CLUSTERS_PER_SLAB: usize = 65_536;
/// Small scenes are cut finer, so that there is work for several threads.
const FEWEST_CLUSTERS_PER_SLAB: usize = 2_048;
/// A slab borrows one layer, so one with fewer layers than this would place more than a quarter of its clusters twice.
const FEWEST_LAYERS: i64 = 4;
const MOLECULES_PER_BLOCK: usize = 4_096;

impl Slabs {
    /// Deals out the clusters of a scene whose bounding radius lies in a range.
    pub(crate) fn new(scene: &Scene, lattice: &Lattice, radii: &Range<f32>) -> Self {
        let clusters: usize = scene.molecules().par_iter().map(|molecule| cluster_range(scene, molecule).len()).sum();
        let [_, _, all_layers] = lattice.cells();
        let target = (clusters / 16).clamp(FEWEST_CLUSTERS_PER_SLAB, CLUSTERS_PER_SLAB);
        let slabs = (clusters / target).clamp(1, all_layers as usize);
        let layers = ((all_layers as u64).div_ceil(slabs as u64) as i64).max(FEWEST_LAYERS);
        let slabs = (all_layers as u64).div_ceil(layers as u64) as usize;
        Deal { scene, lattice, radii, layers, slabs }.deal()
    }

    /// How many slabs there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() / 2
    }

    /// The layers of a slab: the first one and how many; the halo is the layer after them.
    pub(crate) fn layers(&self, slab: usize) -> (i64, i64) {
        let first = slab as i64 * self.layers;
        (first, self.layers.min(self.all_layers - first))
    }

    /// The clusters that a slab owns, and those it borrows from the layer above.
    pub(crate) fn entries(&self, slab: usize) -> (&[Entry], &[Entry]) {
        let [own, halo, end] = [0, 1, 2].map(|list| self.starts[2 * slab + list]);
        (&self.entries[own..halo], &self.entries[halo..end])
    }
}

pub(crate) fn cluster_range(scene: &Scene, molecule: &Molecule) -> Range<u32> {
    scene.types()[molecule.kind.0 as usize].clusters.clone()
}

struct Deal<'a> {
    scene: &'a Scene,
    lattice: &'a Lattice,
    radii: &'a Range<f32>,
    layers: i64,
    slabs: usize,
}

/// The cells of the clusters of one block of molecules, and how many there are for each list: list 2s is what slab s
/// owns, list 2s + 1 what it borrows.
struct Block {
    cells: Vec<CellKey>,
    counts: Vec<usize>,
}

impl Deal<'_> {
    /// Each block of molecules writes its own piece of each list, so the order never depends on the threads.
    fn deal(self) -> Slabs {
        let blocks = self.scene.molecules().len().div_ceil(MOLECULES_PER_BLOCK);
        let blocks: Vec<Block> = (0..blocks).into_par_iter().map(|block| self.locate(block)).collect();
        let mut starts = Vec::with_capacity(2 * self.slabs + 1);
        let mut total = 0;
        for list in 0..2 * self.slabs {
            starts.push(total);
            total += blocks.iter().map(|block| block.counts[list]).sum::<usize>();
        }
        starts.push(total);
        let mut entries = vec![Entry::default(); total];
        let pieces = pieces(&mut entries, &blocks, 2 * self.slabs);
        pieces.into_par_iter().zip(&blocks).enumerate().for_each(|(index, (pieces, block))| {
            self.fill(index, &block.cells, pieces);
        });
        Slabs { entries, starts, layers: self.layers, all_layers: self.lattice.cells()[2] }
    }

    /// The clusters of a block that take part.
    fn clusters(&self, block: usize) -> impl Iterator<Item = (u32, Range<u32>)> {
        let first = block * MOLECULES_PER_BLOCK;
        let molecules = self.scene.molecules()[first..].iter().take(MOLECULES_PER_BLOCK);
        (first as u32..).zip(molecules).map(|(index, molecule)| (index, cluster_range(self.scene, molecule)))
    }

    fn locate(&self, block: usize) -> Block {
        let mut counts = vec![0; 2 * self.slabs];
        let mut cells = Vec::new();
        for (molecule, clusters) in self.clusters(block) {
            let Pose { rotation, translation } = self.scene.molecules()[molecule as usize].pose;
            let bounds = &self.scene.bounds()[clusters.start as usize..clusters.end as usize];
            // A single atom in its own origin need not be turned.
            let is_turned = bounds.iter().any(|bound| bound.center != Vec3::ZERO);
            let rotation = if is_turned { DMat3::from_quat(rotation) } else { DMat3::IDENTITY };
            for bound in bounds {
                if !self.radii.contains(&bound.radius) {
                    continue;
                }
                let point = self.lattice.coordinates(rotation * bound.center.as_dvec3() + translation);
                let (run, _) = self.lattice.locate(0, point[0]);
                let (row, _) = self.lattice.locate(1, point[1]);
                let (layer, _) = self.lattice.locate(2, point[2]);
                cells.push(CellKey::new([run, row, layer]));
                self.lists(layer, |list| counts[list] += 1);
            }
        }
        Block { cells, counts }
    }

    fn fill(&self, block: usize, cells: &[CellKey], mut pieces: Vec<&mut [Entry]>) {
        let mut used = vec![0; pieces.len()];
        let mut cells = cells.iter();
        for (molecule, clusters) in self.clusters(block) {
            for cluster in clusters {
                if !self.radii.contains(&self.scene.bounds()[cluster as usize].radius) {
                    continue;
                }
                let Some(&cell) = cells.next() else { return };
                let entry = Entry { cluster: ClusterRef { molecule, cluster }, cell };
                self.lists(cell.layer(), |list| {
                    pieces[list][used[list]] = entry;
                    used[list] += 1;
                });
            }
        }
    }

    /// The lists that hold the clusters of a layer: its slab's own, and the halo of the slab below.
    #[inline]
    fn lists(&self, layer: i64, mut put: impl FnMut(usize)) {
        // No scene has 2^32 layers, and a narrow division is three times as fast.
        let slab = (layer as u32 / self.layers as u32) as usize;
        put(2 * slab);
        if layer == slab as i64 * self.layers {
            match slab {
                0 if self.lattice.is_periodic() => put(2 * self.slabs - 1),
                0 => {}
                _ => put(2 * slab - 1),
            }
        }
    }
}

/// Cuts the entries into one piece for each block and list.
fn pieces<'a>(entries: &'a mut [Entry], blocks: &[Block], lists: usize) -> Vec<Vec<&'a mut [Entry]>> {
    let mut pieces: Vec<Vec<&mut [Entry]>> = blocks.iter().map(|_| Vec::with_capacity(lists)).collect();
    let mut rest = entries;
    for list in 0..lists {
        for (piece, block) in pieces.iter_mut().zip(blocks) {
            let (head, tail) = rest.split_at_mut(block.counts[list]);
            piece.push(head);
            rest = tail;
        }
    }
    pieces
}
