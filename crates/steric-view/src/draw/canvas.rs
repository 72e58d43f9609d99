//! What a picture is drawn on, and the passes over it.

use steric_gpu::Gpu;

use super::memory::zeros;
use super::{DEPTH, DrawError, Model, NUMBERS, Renderer};
use crate::Look;

/// What a picture is drawn on.
pub(super) struct Canvas {
    /// In samples.
    pub(super) size: [u32; 2],
    depths: wgpu::TextureView,
    numbers: wgpu::TextureView,
    pub(super) list: wgpu::Buffer,
    pub(super) orders: wgpu::Buffer,
    samples: wgpu::Buffer,
    pub(super) surface: wgpu::Buffer,
    pub(super) seen: wgpu::Buffer,
    shaded: wgpu::Buffer,
    pub(super) pixels: wgpu::Buffer,
    sums: wgpu::Buffer,
}

impl Canvas {
    pub(super) fn new(renderer: &Renderer, model: &Model, pixels: [u32; 2], look: &Look) -> Result<Self, DrawError> {
        let gpu = &renderer.gpu;
        let size = renderer.samples(pixels, look)?;
        let all = u64::from(size[0]) * u64::from(size[1]);
        let texture = |format| {
            let made = gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            made.create_view(&wgpu::TextureViewDescriptor::default())
        };
        let splats = if renderer.splat.is_some() { 8 * all } else { 16 };
        Ok(Self {
            size,
            depths: texture(DEPTH),
            numbers: texture(NUMBERS),
            list: zeros(gpu, "list", 8 * u64::from(model.room)),
            orders: zeros(gpu, "orders", 64),
            samples: zeros(gpu, "samples", splats),
            surface: zeros(gpu, "surface", 16 * all),
            seen: zeros(gpu, "seen", 4 * all),
            shaded: zeros(gpu, "shaded", 8 * all),
            pixels: zeros(gpu, "pixels", 4 * u64::from(pixels[0]) * u64::from(pixels[1])),
            sums: zeros(gpu, "sums", 16 * u64::from(pixels[0]) * u64::from(pixels[1])),
        })
    }

    /// Finds out what is seen in each sample.
    pub(super) fn see(
        &self,
        renderer: &Renderer,
        model: &Model,
        encoder: &mut wgpu::CommandEncoder,
        view_words: &wgpu::Buffer,
    ) {
        let gpu = &renderer.gpu;
        encoder.clear_buffer(&self.orders, 0, None);
        if renderer.splat.is_some() {
            encoder.clear_buffer(&self.samples, 0, None);
        }
        let (molecules, kinds, bounds) = ((1, &model.molecules), (2, &model.kinds), (3, &model.bounds));
        let spheres = [(0, view_words), molecules, kinds, bounds, (4, &model.atoms), (5, &self.list)];
        let side = |samples: u32| samples.div_ceil(8);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let arrays =
                [(0, view_words), molecules, kinds, bounds, (4, &model.items), (5, &self.list), (6, &self.orders)];
            pass.set_pipeline(&renderer.cull);
            pass.set_bind_group(0, &bind(gpu, renderer.cull.get_bind_group_layout(0), &arrays, &[]), &[]);
            let groups = model.item_count.div_ceil(64);
            pass.dispatch_workgroups(groups.min(32_768), groups.div_ceil(32_768), 1);
            pass.set_pipeline(&renderer.order);
            pass.set_bind_group(0, &bind(gpu, renderer.order.get_bind_group_layout(0), &[(6, &self.orders)], &[]), &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        if let Some(splat) = renderer.splat.as_ref() {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let arrays = [&spheres[..], &[(6, &self.orders), (7, &self.samples)]].concat();
            pass.set_pipeline(splat);
            pass.set_bind_group(0, &bind(gpu, splat.get_bind_group_layout(0), &arrays, &[]), &[]);
            pass.dispatch_workgroups_indirect(&self.orders, 16);
        }
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("squares"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &self.numbers,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r: f64::from(u32::MAX), g: 0.0, b: 0.0, a: 0.0 }),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &self.depths,
                    depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
                    stencil_ops: None,
                }),
                ..Default::default()
            });
            pass.set_pipeline(&renderer.squares);
            pass.set_bind_group(0, &bind(gpu, renderer.squares.get_bind_group_layout(0), &spheres, &[]), &[]);
            pass.draw_indirect(&self.orders, 32);
        }
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let own = [
                (6, &model.colours),
                (7, &model.cluster_colours),
                (10, &self.samples),
                (11, &self.surface),
                (12, &self.seen),
            ];
            let arrays = [&spheres[..], &own].concat();
            let views = [(8, &self.depths), (9, &self.numbers)];
            pass.set_pipeline(&renderer.resolve);
            pass.set_bind_group(0, &bind(gpu, renderer.resolve.get_bind_group_layout(0), &arrays, &views), &[]);
            pass.dispatch_workgroups(side(self.size[0]), side(self.size[1]), 1);
        }
    }

    /// Makes a picture of what is seen, in the light of a lamp.
    pub(super) fn paint(
        &self,
        renderer: &Renderer,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::Buffer,
        look: &wgpu::Buffer,
        (lit, samples): (&wgpu::Buffer, u32),
    ) {
        let gpu = &renderer.gpu;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let arrays = [(0, view), (1, look), (2, &self.surface), (3, &self.shaded), (6, lit)];
        pass.set_pipeline(&renderer.shade);
        pass.set_bind_group(0, &bind(gpu, renderer.shade.get_bind_group_layout(0), &arrays, &[]), &[]);
        pass.dispatch_workgroups(self.size[0].div_ceil(8), self.size[1].div_ceil(8), 1);
        let arrays = [(0, view), (1, look), (3, &self.shaded), (4, &self.pixels), (5, &self.sums)];
        pass.set_pipeline(&renderer.gather);
        pass.set_bind_group(0, &bind(gpu, renderer.gather.get_bind_group_layout(0), &arrays, &[]), &[]);
        let pixels = self.size.map(|side| side / samples);
        pass.dispatch_workgroups(pixels[0].div_ceil(8), pixels[1].div_ceil(8), 1);
    }
}

/// Arrays and textures by the numbers that a kernel gives them.
fn bind(
    gpu: &Gpu,
    layout: wgpu::BindGroupLayout,
    arrays: &[(u32, &wgpu::Buffer)],
    views: &[(u32, &wgpu::TextureView)],
) -> wgpu::BindGroup {
    let buffers =
        arrays.iter().map(|&(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let textures = views
        .iter()
        .map(|&(binding, view)| wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::TextureView(view) });
    let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers.chain(textures).collect();
    gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
}
