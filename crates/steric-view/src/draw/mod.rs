//! Molecules drawn on a GPU.
//!
//! How it works: one pass lists the clusters that can be seen, small ones and large ones. Small spheres are splatted by threads, large ones
//! drawn as squares; both leave in every sample the depth and the number of the nearest sphere, and nothing else. The passes that
//! follow read the sphere again by that number: so what a sphere looks like is worked out once for each sample, not for each sphere.

mod canvas;
mod lamp;
mod memory;
mod model;
mod words;

use std::time::Instant;

use steric_gpu::{Gpu, GpuError};
use steric_model::{MoleculeId, Scene};

use crate::{Camera, Colours, Look, Picture};
use canvas::Canvas;
use lamp::{Lamp, ViewOfLamp};
use memory::{uniform, word_at};
pub use model::Model;
use words::{look_words, view_words};

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
        let pixels = self.gpu.read(&canvas.pixels, size[0] as usize * size[1] as usize)?;
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

    /// Asks for a pass over a picture, by its number and how many there are.
    fn submit(
        &self,
        model: &Model,
        camera: &Camera,
        look: &Look,
        canvas: &Canvas,
        lamp: Option<&Lamp>,
        pass: (u32, u32),
    ) {
        let view = view_words(self.has_threads, model, camera, look, canvas.size).in_pass(pass);
        let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut of_lamp = ViewOfLamp::default();
        if let Some(lamp) = lamp {
            let seen = lamp.camera(model, camera);
            let words = view_words(self.has_threads, model, &seen, &lamp.look(look), lamp.canvas.size).in_pass(pass);
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
}

/// What someone points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The molecule.
    pub molecule: MoleculeId,
    /// The atom, by its number in the type; none where a molecule is so small that its atoms are not drawn.
    pub atom: Option<u32>,
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
