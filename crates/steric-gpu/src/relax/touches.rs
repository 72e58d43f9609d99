//! Room for what touches: pairs of clusters, a list of them for each molecule, and batches of these.
//!
//! How it works: how much there is shows only on the GPU. There is room for what is usual; when it is full, the kernels halt, and
//! the host makes more. What touches in a large scene is found and answered in shares of its clusters, one after the other in
//! the same room.

use crate::device::{Gpu, GpuError, Memory};
use crate::kernels::{SceneWords, ShareWords};

/// Arrays for what touches.
#[derive(Debug)]
pub(crate) struct Touches {
    pub(crate) tiles: wgpu::Buffer,
    pub(crate) lists: wgpu::Buffer,
    pub(crate) batches: wgpu::Buffer,
    /// For each molecule how long its list is, and where it begins.
    pub(crate) counts: wgpu::Buffer,
    pub(crate) firsts: wgpu::Buffer,
    /// Of each share: pairs of clusters that touch, their places on lists, batches.
    pub(crate) cursors: wgpu::Buffer,
    pub(crate) shares: Vec<Share>,
    /// Pairs of clusters of one share that there is room for; every one stands on two lists.
    pub(crate) tile_room: u64,
    scene: SceneWords,
    bytes: u64,
}

/// Some of the clusters, whose contacts are found and answered before those of the next.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) clusters: u64,
    pub(crate) words: wgpu::Buffer,
}

/// At most so many shares, as the kernels have it.
const MOST_SHARES: usize = 16;
/// Pairs of a cluster, each counted once, until it is known how many there are.
const USUAL_TILES: u64 = 4;
/// A share has about so many atoms, unless there would be too many shares.
pub(super) const ATOMS_PER_SHARE: u64 = 16 << 20;
const BYTES_PER_TILE: u64 = 32;
const BYTES_ON_LISTS: u64 = 8;
const BYTES_PER_BATCH: u64 = 16;
/// Pairs in a batch, as the kernels have it.
const BATCH: u64 = 128;
const FEWEST: u64 = 4_096;

/// How much there is room for, and in how many shares.
#[derive(Clone, Copy, Debug)]
struct Room {
    tiles: u64,
    shares: u64,
}

impl Touches {
    /// Room for what is usual.
    pub(super) fn new(gpu: &Gpu, scene: &SceneWords, atoms_per_share: u64) -> Result<Self, GpuError> {
        Self::with_room(gpu, *scene, Room::usual(gpu, scene, atoms_per_share))
    }

    /// About how many bytes that takes.
    pub(super) fn usual_bytes(gpu: &Gpu, scene: &SceneWords) -> u64 {
        let room = Room::usual(gpu, scene, ATOMS_PER_SHARE);
        (BYTES_PER_TILE + BYTES_ON_LISTS) * room.tiles
            + BYTES_PER_BATCH * batches(scene, room.tiles)
            + 8 * u64::from(scene.molecules)
    }

    fn with_room(gpu: &Gpu, scene: SceneWords, room: Room) -> Result<Self, GpuError> {
        let mut memory = Memory::new(gpu);
        Ok(Self {
            tiles: memory.zeros("tiles", BYTES_PER_TILE * room.tiles)?,
            lists: memory.zeros("lists", BYTES_ON_LISTS * room.tiles)?,
            batches: memory.zeros("batches", BYTES_PER_BATCH * batches(&scene, room.tiles))?,
            counts: memory.zeros("counts", 4 * u64::from(scene.molecules))?,
            firsts: memory.zeros("firsts", 4 * u64::from(scene.molecules))?,
            cursors: memory.zeros("cursors", 12 * MOST_SHARES as u64)?,
            shares: shares(&mut memory, scene.clusters, room),
            tile_room: room.tiles,
            scene,
            bytes: memory.bytes(),
        })
    }

    /// Makes room for as much as there was in the largest share, in more shares if one array cannot hold it.
    pub(super) async fn make_room(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let cursors: Vec<u32> = gpu.read_async(&self.cursors, 3 * MOST_SHARES).await?;
        let found = cursors.iter().step_by(3).copied().max().map_or(0, u64::from);
        let mut room = Room { tiles: found * 5 / 4, shares: self.shares.len() as u64 };
        if room.limit(gpu) {
            room.shares *= 2;
        }
        if room.shares > MOST_SHARES as u64 {
            return Err(GpuError::TooMany { what: "pairs of clusters at once", found, most: room.tiles });
        }
        // The old ones first: both might not fit.
        for array in [&self.tiles, &self.lists, &self.batches, &self.counts, &self.firsts, &self.cursors] {
            array.destroy();
        }
        *self = Self::with_room(gpu, self.scene, room)?;
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many batches there can be.
    pub(crate) fn most_batches(&self) -> u64 {
        batches(&self.scene, self.tile_room)
    }
}

impl Room {
    fn usual(gpu: &Gpu, scene: &SceneWords, atoms_per_share: u64) -> Self {
        let shares = u64::from(scene.atoms).div_ceil(atoms_per_share).clamp(1, MOST_SHARES as u64);
        let tiles = (USUAL_TILES * u64::from(scene.clusters) / shares).max(FEWEST);
        let mut room = Self { tiles, shares };
        room.limit(gpu);
        room
    }

    /// Limits itself to what an array can hold, and says whether it had to.
    fn limit(&mut self, gpu: &Gpu) -> bool {
        let most = gpu.adapter().largest_binding;
        let most = most / BYTES_PER_TILE;
        let is_too_much = self.tiles > most;
        self.tiles = self.tiles.min(most);
        is_too_much
    }
}

/// At most so many batches: one for each molecule and one for each full one.
fn batches(scene: &SceneWords, tiles: u64) -> u64 {
    u64::from(scene.molecules).min(2 * tiles) + 2 * tiles / BATCH
}

fn shares(memory: &mut Memory, clusters: u32, room: Room) -> Vec<Share> {
    let each = clusters.div_ceil(room.shares as u32).max(1);
    let share = |number: u32| {
        let [first_cluster, end_cluster] = [number, number + 1].map(|end| end.saturating_mul(each).min(clusters));
        let words = ShareWords { first_cluster, end_cluster, number, tile_room: room.tiles as u32 };
        Share { clusters: u64::from(end_cluster - first_cluster), words: memory.uniform("share", &words) }
    };
    (0..room.shares as u32).map(share).collect()
}
