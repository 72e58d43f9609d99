//! What a picture is drawn on.

use super::lamp::{Lamp, ViewOfLamp};
use super::layer::{Layer, bind};
use super::memory::{uniform, zeros};
use super::words::{look_words, view_words};
use super::{DrawError, Model, Renderer};
use crate::{Camera, Look};

/// What pictures of one size are drawn on, one after the other. It remembers what was seen, so that the next picture of a film need not
/// look at what others hide.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_gpu::Gpu;
/// use steric_model::{Pose, Scene};
/// use steric_view::{Camera, Colours, Look, Renderer, Side};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X));
/// if let Some(gpu) = Gpu::software() {
///     let (renderer, look) = (Renderer::new(&gpu), Look::default());
///     let model = renderer.load(&scene, &Colours::default())?;
///     let mut canvas = renderer.canvas(&model, &look, [64, 64])?;
///     let camera = Camera::of(&scene, Side::default(), 1.0);
///     for degrees in [0.0, 10.0] {
///         let picture = renderer.draw_on(&mut canvas, &model, &camera.turned(degrees), &look)?;
///         assert_ne!(picture.at(32, 32), picture.at(0, 0));
///     }
/// }
/// # Ok::<(), steric_view::DrawError>(())
/// ```
#[derive(Debug)]
pub struct Canvas {
    /// In pixels.
    pub(super) size: [u32; 2],
    pub(super) samples: u32,
    pub(super) layer: Layer,
    pub(super) lamp: Option<Lamp>,
    shaded: wgpu::Buffer,
    pub(super) pixels: wgpu::Buffer,
    sums: wgpu::Buffer,
}

impl Canvas {
    pub(super) fn new(renderer: &Renderer, model: &Model, look: &Look, size: [u32; 2]) -> Result<Self, DrawError> {
        let gpu = &renderer.gpu;
        let layer = Layer::new(renderer, model, renderer.samples(size, look)?);
        let [all, pixels] = [layer.size, size].map(|[wide, high]| u64::from(wide) * u64::from(high));
        Ok(Self {
            size,
            samples: look.samples,
            layer,
            lamp: (look.shadows > 0.0).then(|| Lamp::new(renderer, model)),
            shaded: zeros(gpu, "shaded", 8 * all),
            pixels: zeros(gpu, "pixels", 4 * pixels),
            sums: zeros(gpu, "sums", 16 * pixels),
        })
    }

    /// Whether pictures of this size, with such a look, of such a model can be drawn on it.
    pub fn fits(&self, model: &Model, look: &Look, size: [u32; 2]) -> bool {
        let has_room = self.layer.room == model.room && self.layer.items == model.item_count;
        has_room && self.size == size && self.samples == look.samples && self.lamp.is_some() == (look.shadows > 0.0)
    }

    /// Asks for a pass over a picture, by its number and how many there are.
    pub(super) fn submit(
        &mut self,
        renderer: &Renderer,
        model: &Model,
        camera: &Camera,
        look: &Look,
        pass: (u32, u32),
    ) {
        let gpu = &renderer.gpu;
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut of_lamp = ViewOfLamp::default();
        if let Some(lamp) = &mut self.lamp {
            let seen = lamp.camera(model, camera, look);
            let words = view_words(renderer.has_threads, model, &seen, &lamp.look(look), &lamp.layer).in_pass(pass);
            lamp.layer.see(renderer, model, &mut encoder, &uniform(gpu, &words));
            let lamp_from_camera =
                seen.camera_from_world(model.origin) * camera.camera_from_world(model.origin).inverse();
            of_lamp = ViewOfLamp {
                lamp_from_camera: lamp_from_camera.as_mat4().to_cols_array(),
                half: words.half,
                size: words.size,
            };
        }
        let view = view_words(renderer.has_threads, model, camera, look, &self.layer).in_pass(pass);
        let view = uniform(gpu, &view);
        self.layer.see(renderer, model, &mut encoder, &view);
        let look = uniform(gpu, &look_words((model.origin, model.radius), camera, look, &of_lamp));
        self.paint(renderer, &mut encoder, &view, &look);
        gpu.queue().submit([encoder.finish()]);
    }

    /// Makes a picture of what is seen, in the light of the lamp.
    fn paint(&self, renderer: &Renderer, encoder: &mut wgpu::CommandEncoder, view: &wgpu::Buffer, look: &wgpu::Buffer) {
        let gpu = &renderer.gpu;
        let lit = self.lamp.as_ref().map_or(&self.layer.orders, |lamp| &lamp.layer.surface);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let arrays = [(0, view), (1, look), (2, &self.layer.surface), (3, &self.shaded), (6, lit)];
        pass.set_pipeline(&renderer.shade);
        pass.set_bind_group(0, &bind(gpu, renderer.shade.get_bind_group_layout(0), &arrays, &[]), &[]);
        let groups = |size: [u32; 2]| size.map(|side| side.div_ceil(8));
        let [wide, high] = groups(self.layer.size);
        pass.dispatch_workgroups(wide, high, 1);
        let arrays = [(0, view), (1, look), (3, &self.shaded), (4, &self.pixels), (5, &self.sums)];
        pass.set_pipeline(&renderer.gather);
        pass.set_bind_group(0, &bind(gpu, renderer.gather.get_bind_group_layout(0), &arrays, &[]), &[]);
        let [wide, high] = groups(self.size);
        pass.dispatch_workgroups(wide, high, 1);
    }
}
