//! Molecules drawn on a GPU.
//!
//! How it works: one pass lists the clusters that can be seen, small ones and large ones. Small spheres are splatted by threads, large ones
//! drawn as squares; both leave in every sample the depth and the number of the nearest sphere, and nothing else. The passes that
//! follow read the sphere again by that number: so what a sphere looks like is worked out once for each sample, not for each sphere.

mod model;

use std::sync::mpsc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Mat4};
use steric_gpu::{Gpu, GpuError};
use steric_model::{MoleculeId, Scene};

use crate::camera::USUAL_DEGREES;
use crate::{Camera, Colours, Look, Picture, Raster, Style};
pub use model::Model;

/// Why a picture could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The GPU could not.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// There is too much to draw.
    #[error("expected at most {most} clusters of atoms in a picture on this GPU, found {found}")]
    TooLarge {
        /// How many there are.
        found: u64,
        /// How many there may be.
        most: u64,
    },
    /// The picture has too many samples, or none.
    #[error(
        "expected a picture of at most {most} samples, no side longer than {longest}, found {} x {}; fewer pixels or fewer samples \
         along their edges would do", found[0], found[1]
    )]
    Size {
        /// How many there are along each side.
        found: [u64; 2],
        /// How many there may be in all.
        most: u64,
        /// How many there may be along a side.
        longest: u64,
    },
}

/// `View` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct ViewWords {
    camera_from_world: [f32; 16],
    half: [f32; 2],
    size: [u32; 2],
    near: f32,
    far: f32,
    is_parallel: u32,
    per_unit: f32,
    clip: [f32; 4],
    items: u32,
    room: u32,
    small: f32,
    coarse: f32,
    pass_number: u32,
    passes: u32,
    unused: [u32; 2],
}

/// `Look` of the kernels.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LookWords {
    background: [f32; 4],
    fog: [f32; 4],
    light: [f32; 3],
    is_flat: u32,
    occlusion: f32,
    lines: f32,
    fog_begin: f32,
    fog_end: f32,
    samples: u32,
    shadows: f32,
    unused: [u32; 2],
    lamp_from_camera: [f32; 16],
    lamp_half: [f32; 2],
    lamp_size: [u32; 2],
}

/// Draws pictures.
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
///     let renderer = Renderer::new(&gpu);
///     let colours = Colours { atoms: vec![vec![[200, 0, 0]]], ..Colours::default() };
///     let model = renderer.load(&scene, &colours)?;
///     let camera = Camera::of(&scene, Side::default(), 1.0);
///     let picture = renderer.draw(&model, &camera, &Look::default(), [64, 64])?;
///     let [red, green, ..] = picture.at(32, 32);
///     assert!(red > 2 * green);
/// }
/// # Ok::<(), steric_view::DrawError>(())
/// ```
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    has_threads: bool,
    cull: wgpu::ComputePipeline,
    order: wgpu::ComputePipeline,
    squares: wgpu::RenderPipeline,
    splat: Option<wgpu::ComputePipeline>,
    resolve: wgpu::ComputePipeline,
    shade: wgpu::ComputePipeline,
    gather: wgpu::ComputePipeline,
}

const VIEW: &str = include_str!("view.wgsl");
const SPHERES: &str = include_str!("spheres.wgsl");
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const NUMBERS: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// Spheres of a smaller radius, in samples, are splatted.
const SMALL: f32 = 6.0;
/// Where the light comes from, in the camera's frame: from above and a little from the right.
const LIGHT: DVec3 = DVec3::new(0.4506, 0.6508, 0.6108);
/// Samples along a side of what the lamp sees.
const LAMP_SIZE: u32 = 2048;
/// Passes over a picture with transparent molecules.
const PASSES: u32 = 16;

impl Renderer {
    /// Makes the kernels ready.
    pub fn new(gpu: &Gpu) -> Self {
        let has_threads = gpu.device().features().contains(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX);
        let module = |name: &str, texts: &[&str]| {
            gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(texts.concat().into()),
            })
        };
        let compute = |module: &wgpu::ShaderModule, entry: &str| {
            gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: None,
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let cull = module("cull", &[VIEW, include_str!("cull.wgsl")]);
        let shade = module("shade", &[VIEW, include_str!("shade.wgsl")]);
        let splat = has_threads.then(|| module("splat", &[VIEW, SPHERES, include_str!("splat.wgsl")]));
        Self {
            gpu: gpu.clone(),
            has_threads,
            cull: compute(&cull, "cull"),
            order: compute(&cull, "order"),
            squares: squares(gpu, &module("squares", &[VIEW, SPHERES, include_str!("impostor.wgsl")])),
            splat: splat.map(|splat| compute(&splat, "splat")),
            resolve: compute(&module("resolve", &[VIEW, SPHERES, include_str!("resolve.wgsl")]), "resolve"),
            shade: compute(&shade, "shade"),
            gather: compute(&shade, "gather"),
        }
    }

    /// Whether small spheres can be splatted by threads.
    pub fn has_threads(&self) -> bool {
        self.has_threads
    }

    /// How many samples a picture has along its sides; an error if they are too many for the GPU.
    pub fn samples(&self, pixels: [u32; 2], look: &Look) -> Result<[u32; 2], DrawError> {
        let found = pixels.map(|side| u64::from(side) * u64::from(look.samples));
        let longest = u64::from(self.gpu.device().limits().max_texture_dimension_2d);
        let most = self.gpu.adapter().largest_binding / 16;
        let is_drawn = found.iter().all(|&side| (1..=longest).contains(&side)) && found[0] * found[1] <= most;
        if is_drawn { Ok(found.map(|side| side as u32)) } else { Err(DrawError::Size { found, most, longest }) }
    }

    /// Puts molecules on the GPU.
    pub fn load(&self, scene: &Scene, colours: &Colours) -> Result<Model, DrawError> {
        Model::new(&self.gpu, scene, colours)
    }

    /// Draws a picture of so many pixels in a row and so many rows.
    pub fn draw(&self, model: &Model, camera: &Camera, look: &Look, size: [u32; 2]) -> Result<Picture, DrawError> {
        let canvas = Canvas::new(self, model, size, look)?;
        let lamp = Lamp::new(self, model, look)?;
        let passes = if model.is_transparent { PASSES } else { 1 };
        for pass_number in 0..passes {
            self.submit(model, camera, look, &canvas, lamp.as_ref(), (pass_number, passes));
        }
        let pixels = read(&self.gpu, &canvas.pixels, size[0] as usize * size[1] as usize)?;
        Ok(Picture { width: size[0], height: size[1], pixels })
    }

    /// What is seen in a pixel: the molecule and, where its atoms are drawn, the atom. `scene` is what was loaded.
    pub fn pick(
        &self,
        (model, scene): (&Model, &Scene),
        camera: &Camera,
        look: &Look,
        size: [u32; 2],
        pixel: [u32; 2],
    ) -> Result<Option<Picked>, DrawError> {
        if pixel[0] >= size[0] || pixel[1] >= size[1] {
            return Ok(None);
        }
        let look = Look { samples: 1, ..*look };
        let canvas = Canvas::new(self, model, size, &look)?;
        self.submit(model, camera, &look, &canvas, None, (0, 1));
        let number = word_at(&self.gpu, &canvas.seen, 4 * u64::from(pixel[1] * size[0] + pixel[0]))?[0];
        if number == u32::MAX {
            return Ok(None);
        }
        let [molecule, what] = word_at(&self.gpu, &canvas.list, 8 * u64::from(number / 8))?;
        // The two highest bits say that a cluster or a molecule is drawn as one sphere.
        let cluster = scene.clusters().get(what as usize).filter(|_| what >> 30 == 0);
        let atom = cluster.map(|cluster| cluster.atoms[number as usize % 8]);
        Ok(Some(Picked { molecule: MoleculeId(molecule), atom }))
    }

    /// Seconds for a frame among frames from these cameras, one after the other, none of which is read back.
    pub fn time_frames(
        &self,
        model: &Model,
        cameras: &[Camera],
        look: &Look,
        size: [u32; 2],
    ) -> Result<f64, DrawError> {
        let canvas = Canvas::new(self, model, size, look)?;
        let lamp = Lamp::new(self, model, look)?;
        let submit = |camera: &Camera| self.submit(model, camera, look, &canvas, lamp.as_ref(), (0, 1));
        let wait = || {
            let waited = self.gpu.device().poll(wgpu::PollType::wait_indefinitely());
            waited.map_err(|error| DrawError::Gpu(GpuError::Lost(error.to_string())))?;
            self.gpu.check().map_err(DrawError::from)
        };
        cameras.first().into_iter().for_each(submit);
        wait()?;
        let start = Instant::now();
        cameras.iter().for_each(submit);
        wait()?;
        Ok(start.elapsed().as_secs_f64() / cameras.len().max(1) as f64)
    }

    /// Asks for one pass over a picture.
    fn submit(
        &self,
        model: &Model,
        camera: &Camera,
        look: &Look,
        canvas: &Canvas,
        lamp: Option<&Lamp>,
        (pass_number, passes): (u32, u32),
    ) {
        let view = ViewWords { pass_number, passes, ..self.view(model, camera, look, canvas.size) };
        let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut of_lamp = ViewOfLamp::default();
        if let Some(lamp) = lamp {
            let seen = lamp.camera(model, camera);
            let words =
                ViewWords { pass_number, passes, ..self.view(model, &seen, &lamp.look(look), lamp.canvas.size) };
            lamp.canvas.see(self, model, &mut encoder, &uniform(&self.gpu, &words));
            let lamp_from_camera =
                seen.camera_from_world(model.origin) * camera.camera_from_world(model.origin).inverse();
            of_lamp = ViewOfLamp {
                lamp_from_camera: lamp_from_camera.as_mat4().to_cols_array(),
                half: words.half,
                size: words.size,
            };
        }
        let view_words = uniform(&self.gpu, &view);
        canvas.see(self, model, &mut encoder, &view_words);
        let look_words = uniform(&self.gpu, &look_words(model, camera, look, &of_lamp));
        let lit = lamp.map_or(&canvas.orders, |lamp| &lamp.canvas.surface);
        canvas.paint(self, &mut encoder, &view_words, &look_words, (lit, look.samples));
        self.gpu.queue().submit([encoder.finish()]);
    }

    fn view(&self, model: &Model, camera: &Camera, look: &Look, size: [u32; 2]) -> ViewWords {
        let is_parallel = camera.degrees <= 0.0;
        let degrees = if is_parallel { USUAL_DEGREES } else { camera.degrees.min(170.0) };
        let distance = camera.distance();
        let mut high = (0.5 * degrees).to_radians().tan();
        if is_parallel {
            high *= distance;
        }
        let half = [high * f64::from(size[0]) / f64::from(size[1]), high].map(|half| half as f32);
        let away = camera.eye.distance(model.origin);
        let matrix = camera.camera_from_world(model.origin);
        let clip = look.clip.map_or([0.0; 4], |(point, normal)| {
            let normal = normal.try_normalize().unwrap_or(DVec3::X);
            let own = matrix.transform_vector3(normal);
            let place = matrix.transform_point3(point - model.origin);
            own.extend(-own.dot(place)).as_vec4().to_array()
        });
        let small = match look.raster {
            Raster::Squares => 0.0,
            _ if self.splat.is_none() => 0.0,
            Raster::Auto => SMALL,
            Raster::Threads => f32::MAX,
        };
        ViewWords {
            camera_from_world: matrix.as_mat4().to_cols_array(),
            half,
            size,
            near: if is_parallel { -1e6 } else { (away - 1.05 * model.radius).max(1e-3 * distance).max(0.1) as f32 },
            far: (away + 1.05 * model.radius + 1.0) as f32,
            is_parallel: is_parallel.into(),
            per_unit: size[1] as f32 / (2.0 * half[1]),
            clip,
            items: model.item_count,
            room: model.room,
            small,
            coarse: look.coarse as f32 * look.samples as f32,
            pass_number: 0,
            passes: 1,
            unused: [0; 2],
        }
    }
}

fn look_words(model: &Model, camera: &Camera, look: &Look, lamp: &ViewOfLamp) -> LookWords {
    let light = |[red, green, blue]: [u8; 3], opacity: f32| {
        let linear = |part: u8| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        [linear(red), linear(green), linear(blue), opacity]
    };
    let away = camera.eye.distance(model.origin);
    let behind = look.background.unwrap_or([255; 3]);
    LookWords {
        background: light(behind, if look.background.is_some() { 1.0 } else { 0.0 }),
        fog: light(behind, look.fog as f32),
        light: LIGHT.as_vec3().to_array(),
        is_flat: u32::from(look.style == Style::Illustrative),
        occlusion: look.occlusion as f32,
        lines: look.lines as f32,
        fog_begin: (away - 0.6 * model.radius) as f32,
        fog_end: (away + 1.2 * model.radius) as f32,
        samples: look.samples,
        shadows: look.shadows as f32,
        unused: [0; 2],
        lamp_from_camera: lamp.lamp_from_camera,
        lamp_half: lamp.half,
        lamp_size: lamp.size,
    }
}

/// A lamp, and what it sees: where its light falls.
struct Lamp {
    canvas: Canvas,
}

/// How a lamp sees.
#[derive(Clone, Copy, Debug, Default)]
struct ViewOfLamp {
    lamp_from_camera: [f32; 16],
    half: [f32; 2],
    size: [u32; 2],
}

impl Lamp {
    /// A lamp, if there are to be shadows.
    fn new(renderer: &Renderer, model: &Model, look: &Look) -> Result<Option<Self>, DrawError> {
        if look.shadows <= 0.0 {
            return Ok(None);
        }
        let look = Look { samples: 1, ..*look };
        Ok(Some(Self { canvas: Canvas::new(renderer, model, [LAMP_SIZE; 2], &look)? }))
    }

    /// The lamp as a camera: so far away that its light is parallel, and above the right shoulder of the one who looks.
    fn camera(&self, model: &Model, camera: &Camera) -> Camera {
        let world_from_camera = camera.camera_from_world(model.origin).inverse();
        let towards = world_from_camera.transform_vector3(LIGHT);
        // As high as a parallel view is at this distance.
        let distance = 1.02 * model.radius / (0.5 * USUAL_DEGREES).to_radians().tan();
        let up = world_from_camera.transform_vector3(DVec3::NEG_Z);
        Camera { eye: model.origin + towards * distance, target: model.origin, up, degrees: 0.0 }
    }

    fn look(&self, look: &Look) -> Look {
        Look { samples: 1, clip: look.clip, ..*look }
    }
}

/// What someone points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The molecule.
    pub molecule: MoleculeId,
    /// The atom, by its number in the type; none where a molecule is so small that its atoms are not drawn.
    pub atom: Option<u32>,
}

/// What a picture is drawn on.
struct Canvas {
    /// In samples.
    size: [u32; 2],
    depths: wgpu::TextureView,
    numbers: wgpu::TextureView,
    list: wgpu::Buffer,
    orders: wgpu::Buffer,
    samples: wgpu::Buffer,
    surface: wgpu::Buffer,
    seen: wgpu::Buffer,
    shaded: wgpu::Buffer,
    pixels: wgpu::Buffer,
    sums: wgpu::Buffer,
}

impl Canvas {
    fn new(renderer: &Renderer, model: &Model, pixels: [u32; 2], look: &Look) -> Result<Self, DrawError> {
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
    fn see(&self, renderer: &Renderer, model: &Model, encoder: &mut wgpu::CommandEncoder, view_words: &wgpu::Buffer) {
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
    fn paint(
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

fn squares(gpu: &Gpu, module: &wgpu::ShaderModule) -> wgpu::RenderPipeline {
    gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("squares"),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("corner"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("sample"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(NUMBERS.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn usage() -> wgpu::BufferUsages {
    use wgpu::BufferUsages as Usage;
    Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | Usage::INDIRECT
}

fn zeros(gpu: &Gpu, name: &str, bytes: u64) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: bytes.max(64).next_multiple_of(16),
        usage: usage(),
        mapped_at_creation: false,
    })
}

/// An array that holds this.
fn array<T: bytemuck::NoUninit>(gpu: &Gpu, name: &str, data: &[T]) -> Result<wgpu::Buffer, DrawError> {
    let bytes: &[u8] = bytemuck::cast_slice(data);
    let most = gpu.adapter().largest_binding;
    if bytes.len() as u64 > most {
        return Err(DrawError::TooLarge { found: data.len() as u64, most: most / size_of::<T>() as u64 });
    }
    let buffer = zeros(gpu, name, bytes.len() as u64);
    gpu.queue().write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

fn uniform<T: bytemuck::NoUninit>(gpu: &Gpu, data: &T) -> wgpu::Buffer {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size_of::<T>().next_multiple_of(16) as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::bytes_of(data));
    buffer
}

/// Two words of an array, when all that was asked for is done.
fn word_at(gpu: &Gpu, buffer: &wgpu::Buffer, offset: u64) -> Result<[u32; 2], DrawError> {
    let copy = zeros(gpu, "words", 8);
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, offset, &copy, 0, 8.min(buffer.size() - offset));
    gpu.queue().submit([encoder.finish()]);
    let words: Vec<u32> = read(gpu, &copy, 2)?;
    Ok([words[0], words[1]])
}

/// What an array holds, when all that was asked for is done.
fn read<T: bytemuck::AnyBitPattern>(gpu: &Gpu, buffer: &wgpu::Buffer, count: usize) -> Result<Vec<T>, DrawError> {
    gpu.check()?;
    let bytes = (count * size_of::<T>()) as u64;
    let staging = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: bytes,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
    gpu.queue().submit([encoder.finish()]);
    let (done, answer) = mpsc::channel();
    staging.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // Nobody listens only if the GPU was given up.
        let _ = done.send(result);
    });
    let lost = |error: String| DrawError::Gpu(GpuError::Lost(error));
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).map_err(|error| lost(error.to_string()))?;
    gpu.check()?;
    answer.recv().map_err(|error| lost(error.to_string()))?.map_err(|error| lost(error.to_string()))?;
    let range = staging.slice(..).get_mapped_range().map_err(|error| lost(error.to_string()))?;
    let data = bytemuck::cast_slice(&range).to_vec();
    Ok(data)
}

const _: () = assert!(size_of::<ViewWords>() == 64 + 16 + 16 + 16 + 16 + 16, "as view.wgsl declares it");
const _: () = assert!(size_of::<Mat4>() == 64, "sixteen words");
