//! A scene, or a part of one, on the GPU: its arrays, its cells, and the stages that list its near clusters.

mod grid;
mod layout;

pub(crate) use layout::{Layout, Wanted, pose_of, set_pose};

use crate::device::{Gpu, GpuError, Memory, Split, Stage};
use crate::kernels::{SceneWords, board, cell_stages, place_stage, search_stage};

/// The arrays of a scene on the GPU.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) gpu: Gpu,
    pub(crate) words: SceneWords,
    /// Threads for one cluster: 1, 2, 4 or 8.
    pub(crate) lanes: u32,
    pub(crate) is_mixed: bool,
    pub(crate) scene: wgpu::Buffer,
    pub(crate) templates: wgpu::Buffer,
    pub(crate) bounds: wgpu::Buffer,
    pub(crate) sources: wgpu::Buffer,
    pub(crate) near: wgpu::Buffer,
    pub(crate) bodies: wgpu::Buffer,
    pub(crate) moods: wgpu::Buffer,
    pub(crate) atoms: Split,
    pub(crate) clusters: wgpu::Buffer,
    pub(crate) cells: wgpu::Buffer,
    pub(crate) ranks: wgpu::Buffer,
    pub(crate) sums: wgpu::Buffer,
    pub(crate) sorted: wgpu::Buffer,
    pub(crate) sorted_ids: wgpu::Buffer,
    pub(crate) list: Split,
    pub(crate) board: wgpu::Buffer,
    bytes: u64,
}

/// Entries of the list that are kept for each cluster, as the search has it, and those behind for clusters that need more.
pub(crate) const KEPT_NEAR: u64 = 16;
const USUAL_MORE: u64 = 1;
const FEWEST_MORE: u64 = 4_096;

impl Field {
    /// Puts a scene on the GPU.
    pub(crate) fn new(gpu: &Gpu, layout: &Layout) -> Result<Self, GpuError> {
        let mut memory = Memory::new(gpu);
        Self::in_memory(gpu, layout, &mut memory).map_err(|error| match error {
            GpuError::OutOfMemory { .. } => layout.out_of_memory(gpu, 0),
            other => other,
        })
    }

    fn in_memory(gpu: &Gpu, layout: &Layout, memory: &mut Memory) -> Result<Self, GpuError> {
        let mut words = layout.words;
        let clusters = u64::from(words.clusters);
        let list_room = (KEPT_NEAR + USUAL_MORE) * clusters + FEWEST_MORE;
        words.list_room = list_room as u32;
        let mut first_board = [0u32; board::WORDS + board::HISTORY * board::MOST_HISTORY as usize];
        (first_board[board::SEARCHING], first_board[board::ALL_AWAKE]) = (1, 1);
        Ok(Self {
            gpu: gpu.clone(),
            words,
            lanes: layout.lanes,
            is_mixed: layout.is_mixed,
            scene: memory.uniform("scene", &words),
            templates: memory.filled("templates", &layout.templates)?,
            bounds: memory.filled("bounds", &layout.bounds)?,
            sources: memory.filled("sources", &layout.sources)?,
            near: memory.filled("near", &layout.near)?,
            bodies: memory.filled("bodies", &layout.bodies)?,
            moods: memory.filled("moods", &layout.moods)?,
            atoms: memory.split("atoms", 16 * clusters * u64::from(layout.lanes))?,
            clusters: memory.zeros("clusters", 16 * clusters)?,
            cells: memory.zeros("cells", 16_384 * u64::from(words.blocks))?,
            ranks: memory.zeros("ranks", 4 * clusters)?,
            sums: memory.zeros("sums", 4 * u64::from(words.blocks))?,
            sorted: memory.zeros("sorted", 16 * clusters)?,
            sorted_ids: memory.zeros("sorted ids", 8 * clusters)?,
            list: memory.split("list", 4 * list_room)?,
            board: memory.filled("board", &first_board)?,
            bytes: memory.bytes(),
        })
    }

    /// Threads of a stage that has one for each atom.
    pub(crate) fn threads(&self) -> u64 {
        u64::from(self.words.clusters) * u64::from(self.lanes)
    }

    /// How many bytes it takes on the GPU.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The stages that place atoms and list near clusters, from the beginning.
    pub(crate) fn find_stages(&self) -> Vec<Stage> {
        let mut stages = vec![place_stage(&self.gpu, self, true)];
        stages.extend(cell_stages(&self.gpu, self, true));
        stages.push(search_stage(&self.gpu, self));
        stages
    }

    /// Places atoms and lists near clusters; makes room for as many as there are.
    pub(crate) fn find(&mut self) -> Result<(), GpuError> {
        loop {
            self.gpu.run(&self.find_stages());
            let words: Vec<u32> = self.gpu.read(&self.board, board::WORDS)?;
            if words[board::HALTED] != board::LIST_FULL {
                return Ok(());
            }
            self.make_room(words[board::LISTED])?;
        }
    }

    /// Makes room for so many near clusters, and some more, and lets the search begin again.
    pub(crate) fn make_room(&mut self, entries: u32) -> Result<(), GpuError> {
        let room = KEPT_NEAR * u64::from(self.words.clusters) + u64::from(entries) * 5 / 4;
        if room > u64::from(u32::MAX) {
            return Err(GpuError::TooMany { what: "near clusters in one list", found: room, most: u32::MAX.into() });
        }
        let mut memory = Memory::new(&self.gpu);
        // The old one first: both might not fit.
        self.list.pieces().iter().for_each(wgpu::Buffer::destroy);
        self.list = memory.split("list", 4 * room)?;
        self.words.list_room = room as u32;
        self.gpu.queue.write_buffer(&self.scene, 0, bytemuck::bytes_of(&self.words));
        self.gpu.queue.write_buffer(&self.board, 4 * board::HALTED as u64, bytemuck::cast_slice(&[0u32, 0]));
        self.gpu.queue.write_buffer(&self.board, 4 * board::STOPPED as u64, bytemuck::bytes_of(&0u32));
        Ok(())
    }
}
