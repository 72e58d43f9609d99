//! What hides others: the depth of the farthest thing that is seen in tiles of a picture.

use steric_gpu::Gpu;

use super::Renderer;
use super::layer::bind;
use super::memory::{uniform, zeros};

/// Samples along a side of the smallest tile.
const TILE: u32 = 8;

/// Tiles of a picture, and tiles of tiles.
#[derive(Debug)]
pub(super) struct Pyramid {
    /// Tiles along a side of the lowest level.
    pub(super) side: u32,
    pub(super) tiles: wgpu::Buffer,
    /// Levels from which the next three are made.
    below: Vec<wgpu::Buffer>,
}

impl Pyramid {
    /// For a picture of so many samples. It hides nothing yet.
    pub(super) fn new(gpu: &Gpu, size: [u32; 2]) -> Self {
        let side = size[0].max(size[1]).div_ceil(TILE).next_power_of_two();
        let levels = (0..side.ilog2()).step_by(3);
        Self {
            side,
            tiles: zeros(gpu, "tiles", 4 * (4 * u64::from(side) * u64::from(side) / 3 + 1)),
            below: levels.map(|level| uniform(gpu, &[level, 0, 0, 0])).collect(),
        }
    }

    /// Takes what is seen now.
    pub(super) fn fill(
        &self,
        renderer: &Renderer,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::Buffer,
        (depths, samples): (&wgpu::TextureView, &wgpu::Buffer),
    ) {
        let gpu = &renderer.gpu;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let arrays = [(0, view), (2, samples), (3, &self.tiles)];
        pass.set_pipeline(&renderer.lowest);
        pass.set_bind_group(0, &bind(gpu, renderer.lowest.get_bind_group_layout(0), &arrays, &[(1, depths)]), &[]);
        pass.dispatch_workgroups(self.side, self.side, 1);
        pass.set_pipeline(&renderer.higher);
        for (number, below) in (0u32..).zip(&self.below) {
            let arrays = [(0, view), (3, &self.tiles), (4, below)];
            pass.set_bind_group(0, &bind(gpu, renderer.higher.get_bind_group_layout(0), &arrays, &[]), &[]);
            let groups = (self.side >> (3 * number)).div_ceil(8);
            pass.dispatch_workgroups(groups, groups, 1);
        }
    }
}
