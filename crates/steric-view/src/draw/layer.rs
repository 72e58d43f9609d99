//! What one eye, or a lamp, sees: the nearest thing in every sample.

use steric_gpu::Gpu;

use super::memory::zeros;
use super::pyramid::Pyramid;
use super::{DEPTH, Model, NUMBERS, Renderer};

/// What is seen in every sample, and what it takes to find that out.
#[derive(Debug)]
pub(super) struct Layer {
    /// In samples.
    pub(super) size: [u32; 2],
    pub(super) room: u32,
    pub(super) items: u32,
    depths: wgpu::TextureView,
    numbers: wgpu::TextureView,
    pub(super) list: wgpu::Buffer,
    pub(super) orders: wgpu::Buffer,
    known: wgpu::Buffer,
    pub(super) pyramid: Pyramid,
    samples: wgpu::Buffer,
    pub(super) surface: wgpu::Buffer,
    pub(super) seen: wgpu::Buffer,
    /// Whether nothing has been seen yet.
    is_fresh: bool,
}

/// What is drawn of the molecules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// That of which something was seen in the last picture.
    Known,
    /// Whatever else is not hidden by that.
    Rest,
}

impl Layer {
    pub(super) fn new(renderer: &Renderer, model: &Model, size: [u32; 2]) -> Self {
        let gpu = &renderer.gpu;
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
        Self {
            size,
            room: model.room,
            items: model.item_count,
            depths: texture(DEPTH),
            numbers: texture(NUMBERS),
            list: zeros(gpu, "list", 8 * u64::from(model.room)),
            orders: zeros(gpu, "orders", 64),
            known: zeros(gpu, "known", 4 * u64::from(model.item_count)),
            pyramid: Pyramid::new(gpu, size),
            samples: zeros(gpu, "samples", splats),
            surface: zeros(gpu, "surface", 16 * all),
            seen: zeros(gpu, "seen", 4 * all),
            is_fresh: true,
        }
    }

    /// Finds out what is seen in each sample. What was seen the last time is drawn first, and then of the rest what that does not hide.
    pub(super) fn see(
        &mut self,
        renderer: &Renderer,
        model: &Model,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::Buffer,
    ) {
        encoder.clear_buffer(&self.orders, 0, None);
        if renderer.splat.is_some() {
            encoder.clear_buffer(&self.samples, 0, None);
        }
        if !self.is_fresh {
            self.draw(renderer, model, encoder, view, Part::Known);
            self.pyramid.fill(renderer, encoder, view, (&self.depths, &self.samples));
        }
        self.draw(renderer, model, encoder, view, Part::Rest);
        self.resolve(renderer, model, encoder, view);
        self.is_fresh = false;
    }

    fn draw(
        &self,
        renderer: &Renderer,
        model: &Model,
        encoder: &mut wgpu::CommandEncoder,
        view: &wgpu::Buffer,
        part: Part,
    ) {
        let gpu = &renderer.gpu;
        let cull = if part == Part::Known { &renderer.cull_known } else { &renderer.cull_rest };
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let arrays = [
                (0, view),
                (1, &model.molecules),
                (2, &model.kinds),
                (3, &model.bounds),
                (4, &model.items),
                (5, &self.list),
                (6, &self.orders),
                (7, &self.known),
                (8, &self.pyramid.tiles),
            ];
            pass.set_pipeline(cull);
            pass.set_bind_group(0, &bind(gpu, cull.get_bind_group_layout(0), &arrays, &[]), &[]);
            let groups = model.item_count.div_ceil(64);
            pass.dispatch_workgroups(groups.min(32_768), groups.div_ceil(32_768), 1);
            pass.set_pipeline(&renderer.order);
            pass.set_bind_group(0, &bind(gpu, renderer.order.get_bind_group_layout(0), &[(6, &self.orders)], &[]), &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        let spheres = [&self.spheres(model, view)[..], &[(6, &self.orders)]].concat();
        if let Some(splat) = renderer.splat.as_ref() {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let arrays = [&spheres[..], &[(7, &self.samples)]].concat();
            pass.set_pipeline(splat);
            pass.set_bind_group(0, &bind(gpu, splat.get_bind_group_layout(0), &arrays, &[]), &[]);
            pass.dispatch_workgroups_indirect(&self.orders, 16);
        }
        let is_first = part == Part::Known || self.is_fresh;
        let mut pass = self.render_pass(encoder, is_first);
        if is_first && model.triangles > 0 {
            let arrays = [(0, view), (1, &model.mesh)];
            pass.set_pipeline(&renderer.triangles);
            pass.set_bind_group(0, &bind(gpu, renderer.triangles.get_bind_group_layout(0), &arrays, &[]), &[]);
            pass.draw(0..3 * model.triangles, 0..1);
        }
        pass.set_pipeline(&renderer.squares);
        pass.set_bind_group(0, &bind(gpu, renderer.squares.get_bind_group_layout(0), &spheres, &[]), &[]);
        pass.draw_indirect(&self.orders, 32);
    }

    /// What every pass over spheres reads.
    fn spheres<'a>(&'a self, model: &'a Model, view: &'a wgpu::Buffer) -> [(u32, &'a wgpu::Buffer); 6] {
        [(0, view), (1, &model.molecules), (2, &model.kinds), (3, &model.bounds), (4, &model.atoms), (5, &self.list)]
    }

    fn render_pass<'a>(&self, encoder: &'a mut wgpu::CommandEncoder, is_first: bool) -> wgpu::RenderPass<'a> {
        let nothing = wgpu::Color { r: f64::from(u32::MAX), g: 0.0, b: 0.0, a: 0.0 };
        let numbers = if is_first { wgpu::LoadOp::Clear(nothing) } else { wgpu::LoadOp::Load };
        let depths = if is_first { wgpu::LoadOp::Clear(0.0) } else { wgpu::LoadOp::Load };
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("squares"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.numbers,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: numbers, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depths,
                depth_ops: Some(wgpu::Operations { load: depths, store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }

    /// Says of each sample how far that is, how it is turned, which colour it has, and whose it is.
    fn resolve(&self, renderer: &Renderer, model: &Model, encoder: &mut wgpu::CommandEncoder, view: &wgpu::Buffer) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let own = [(6, &model.colours), (7, &model.mesh), (11, &self.surface), (12, &self.seen)];
        let mut arrays = [&self.spheres(model, view)[..], &own].concat();
        if renderer.splat.is_some() {
            arrays.push((10, &self.samples));
        }
        let views = [(8, &self.depths), (9, &self.numbers)];
        pass.set_pipeline(&renderer.resolve);
        let layout = renderer.resolve.get_bind_group_layout(0);
        pass.set_bind_group(0, &bind(&renderer.gpu, layout, &arrays, &views), &[]);
        pass.dispatch_workgroups(self.size[0].div_ceil(8), self.size[1].div_ceil(8), 1);
    }
}

/// Arrays and textures by the numbers that a kernel gives them.
pub(super) fn bind(
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
