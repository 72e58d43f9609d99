//! Molecules drawn on a GPU.
//!
//! How it works: one pass lists the clusters that can be seen, small ones and large ones. Small spheres are splatted by threads, large ones
//! drawn as squares; both leave in every sample the depth and the number of the nearest sphere, and nothing else. The passes that
//! follow read the sphere again by that number: so what a sphere looks like is worked out once for each sample, not for each sphere.

mod canvas;
mod follow;
mod lamp;
mod layer;
mod memory;
mod model;
mod pyramid;
mod sketch;
pub(crate) mod surface;
mod words;

use steric_gpu::{Gpu, GpuError, waited};
use steric_model::{Instant, MoleculeId, Scene};

use crate::{Camera, Colours, Look, Picture};
pub use canvas::Canvas;
pub use follow::Follower;
use memory::word_at;
pub use model::Model;
pub use sketch::Sketch;
pub use surface::Surface;

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
    /// The molecules to be followed are not those that are drawn.
    #[error("expected the {expected} molecules that are drawn, found {found} others")]
    OtherMolecules {
        /// How many there are.
        found: u64,
        /// How many are drawn.
        expected: u64,
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
    cull_known: wgpu::ComputePipeline,
    cull_rest: wgpu::ComputePipeline,
    order: wgpu::ComputePipeline,
    lowest: wgpu::ComputePipeline,
    higher: wgpu::ComputePipeline,
    squares: wgpu::RenderPipeline,
    triangles: wgpu::RenderPipeline,
    splat: Option<wgpu::ComputePipeline>,
    resolve: wgpu::ComputePipeline,
    shade: wgpu::ComputePipeline,
    gather: wgpu::ComputePipeline,
    follow: wgpu::ComputePipeline,
}

const MOLECULE: &str = include_str!("molecule.wgsl");
const VIEW: &str = include_str!("view.wgsl");
const SPHERES: &str = include_str!("spheres.wgsl");
const SQUARE: &str = include_str!("square.wgsl");
const LIGHT: &str = include_str!("light.wgsl");
const MESH: &str = include_str!("mesh.wgsl");
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
const NUMBERS: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;

/// Passes over a picture with transparent molecules, unless they are drawn as a screen door.
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
        let cull = module("cull", &[MOLECULE, VIEW, include_str!("cull.wgsl")]);
        let pyramid = module("pyramid", &[VIEW, include_str!("pyramid.wgsl")]);
        let shade = module("shade", &[VIEW, LIGHT, include_str!("shade.wgsl")]);
        // Without threads that splat, one array fewer is seen: browsers allow ten.
        let splatted = if has_threads { include_str!("splatted.wgsl") } else { include_str!("unsplatted.wgsl") };
        let splat = has_threads.then(|| module("splat", &[MOLECULE, VIEW, SPHERES, include_str!("splat.wgsl")]));
        Self {
            gpu: gpu.clone(),
            has_threads,
            cull_known: compute(&cull, "cull_known"),
            cull_rest: compute(&cull, "cull_rest"),
            order: compute(&cull, "order"),
            lowest: compute(&pyramid, "lowest"),
            higher: compute(&pyramid, "higher"),
            squares: drawn(
                gpu,
                &module("squares", &[MOLECULE, VIEW, SPHERES, SQUARE, include_str!("impostor.wgsl")]),
                ["corner", "sample"],
                &[],
                (NUMBERS, true),
            ),
            triangles: drawn(
                gpu,
                &module("triangles", &[VIEW, MESH, include_str!("triangles.wgsl")]),
                ["vertex", "shown"],
                &[],
                (NUMBERS, true),
            ),
            splat: splat.map(|splat| compute(&splat, "splat")),
            resolve: compute(
                &module("resolve", &[MOLECULE, VIEW, SPHERES, MESH, splatted, include_str!("resolve.wgsl")]),
                "resolve",
            ),
            shade: compute(&shade, "shade"),
            gather: compute(&shade, "gather"),
            follow: compute(&module("follow", &[MOLECULE, include_str!("follow.wgsl")]), "follow"),
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
        Model::new(&self.gpu, scene, colours, &[])
    }

    /// Puts molecules and surfaces on the GPU.
    pub fn load_with(&self, scene: &Scene, colours: &Colours, surfaces: &[Surface]) -> Result<Model, DrawError> {
        Model::new(&self.gpu, scene, colours, surfaces)
    }

    /// What pictures of so many pixels in a row and so many rows are drawn on.
    pub fn canvas(&self, model: &Model, look: &Look, size: [u32; 2]) -> Result<Canvas, DrawError> {
        Canvas::new(self, model, look, size)
    }

    /// Draws a picture of so many pixels in a row and so many rows.
    pub fn draw(&self, model: &Model, camera: &Camera, look: &Look, size: [u32; 2]) -> Result<Picture, DrawError> {
        self.draw_on(&mut self.canvas(model, look, size)?, model, camera, look)
    }

    /// Draws the next picture on a canvas that was made for such a look.
    pub fn draw_on(
        &self,
        canvas: &mut Canvas,
        model: &Model,
        camera: &Camera,
        look: &Look,
    ) -> Result<Picture, DrawError> {
        waited(self.draw_on_async(canvas, model, camera, look))
    }

    /// The same for those who must not wait, such as a page in a browser.
    pub async fn draw_on_async(
        &self,
        canvas: &mut Canvas,
        model: &Model,
        camera: &Camera,
        look: &Look,
    ) -> Result<Picture, DrawError> {
        let size = canvas.size;
        if !canvas.fits(model, look, size) {
            *canvas = self.canvas(model, look, size)?;
        }
        let passes = if model.is_transparent && !look.screen_door { PASSES } else { 1 };
        for number in 0..passes {
            canvas.submit(self, model, camera, look, (number, passes));
        }
        let pixels = self.gpu.read_async(&canvas.pixels, size[0] as usize * size[1] as usize).await?;
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
        let look = Look { samples: 1, shadows: 0.0, ..*look };
        let mut canvas = Canvas::new(self, model, &look, size)?;
        canvas.submit(self, model, camera, &look, (0, 1));
        self.pick_on(&canvas, (model, scene), pixel)
    }

    /// What was seen in a pixel of the last picture on a canvas.
    pub fn pick_on(&self, canvas: &Canvas, of: (&Model, &Scene), pixel: [u32; 2]) -> Result<Option<Picked>, DrawError> {
        waited(self.pick_on_async(canvas, of, pixel))
    }

    /// The same for those who must not wait, such as a page in a browser.
    pub async fn pick_on_async(
        &self,
        canvas: &Canvas,
        (model, scene): (&Model, &Scene),
        pixel: [u32; 2],
    ) -> Result<Option<Picked>, DrawError> {
        if pixel[0] >= canvas.size[0] || pixel[1] >= canvas.size[1] {
            return Ok(None);
        }
        let layer = &canvas.layer;
        let [x, y] = pixel.map(|side| side * canvas.samples + canvas.samples / 2);
        let at = 4 * (u64::from(y) * u64::from(layer.size[0]) + u64::from(x));
        let number = word_at(&self.gpu, &layer.seen, at).await?[0];
        // Surfaces come after the spheres.
        if number >= 8 * model.room {
            return Ok(None);
        }
        let [molecule, what] = word_at(&self.gpu, &layer.list, 8 * u64::from(number / 8)).await?;
        // The two highest bits say that a cluster or a molecule is drawn as one sphere.
        let cluster = scene.clusters().get(what as usize).filter(|_| what >> 30 == 0);
        let atom = cluster.map(|cluster| cluster.atoms[number as usize % 8]);
        Ok(Some(Picked { molecule: MoleculeId(molecule), atom }))
    }

    /// How many clusters of atoms, or whole molecules, it took to draw the last picture on a canvas.
    pub fn clusters_drawn(&self, canvas: &Canvas) -> Result<u64, DrawError> {
        let [small, large] = waited(word_at(&self.gpu, &canvas.layer.orders, 0))?;
        Ok(u64::from(small) + u64::from(large))
    }

    /// Seconds for a frame among frames from these cameras, one after the other, none of which is read back.
    pub fn time_frames(
        &self,
        model: &Model,
        cameras: &[Camera],
        look: &Look,
        size: [u32; 2],
    ) -> Result<f64, DrawError> {
        let mut canvas = Canvas::new(self, model, look, size)?;
        let mut submit = |camera: &Camera| canvas.submit(self, model, camera, look, (0, 1));
        let wait = || {
            let waited = self.gpu.device().poll(wgpu::PollType::wait_indefinitely());
            waited.map_err(|error| DrawError::Gpu(GpuError::Lost(error.to_string())))?;
            self.gpu.check().map_err(DrawError::from)
        };
        // Twice, so that it is known what is seen.
        cameras.iter().cycle().take(2).for_each(&mut submit);
        wait()?;
        let start = Instant::now();
        cameras.iter().for_each(submit);
        wait()?;
        Ok(start.elapsed().as_secs_f64() / cameras.len().max(1) as f64)
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

/// A pass that draws from these arrays of vertices, if any, onto a texture of a format, with or without depths.
fn drawn(
    gpu: &Gpu,
    module: &wgpu::ShaderModule,
    [vertex, fragment]: [&str; 2],
    buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
    (target, has_depths): (wgpu::TextureFormat, bool),
) -> wgpu::RenderPipeline {
    gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(vertex),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: has_depths.then(|| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some(fragment),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(target.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
