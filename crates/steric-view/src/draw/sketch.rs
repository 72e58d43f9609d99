//! Pictures where there are neither kernels nor arrays: WebGL in a browser.
//!
//! How it works: every atom is one square, whose corners and samples find the sphere; what is seen in a sample goes into a texture, and a
//! second pass lets the same light fall on it as elsewhere. All atoms are sent whenever molecules have moved, so this is for some hundred
//! thousand atoms, not for millions.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
use steric_gpu::Gpu;
use steric_model::{MoleculeId, Scene};

use super::lamp::ViewOfLamp;
use super::memory::uniform;
use super::model::packed;
use super::words::{look_words, view_of_ball};
use super::{DEPTH, DrawError, LIGHT, Picked, SQUARE, VIEW, drawn};
use crate::camera::ball;
use crate::{Camera, Colours, Look, Picture};

const SURFACE: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
const PIXELS: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws with squares alone.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_gpu::{Gpu, waited};
/// use steric_model::{MoleculeId, Pose, Scene};
/// use steric_view::{Camera, Colours, Look, Side, Sketch};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X));
/// if let Some(gpu) = Gpu::software() {
///     let mut sketch = Sketch::new(&gpu);
///     sketch.load(&scene, &Colours { atoms: vec![vec![[200, 0, 0]]], ..Colours::default() })?;
///     let camera = Camera::of(&scene, Side::default(), 1.0);
///     let picture = waited(sketch.draw(&camera, &Look::default(), [64, 64]))?;
///     let [red, green, ..] = picture.at(32, 32);
///     assert!(red > 2 * green);
///     assert_eq!(sketch.pick(&camera, [64, 64], [32, 32]).map(|picked| picked.molecule), Some(MoleculeId(0)));
/// }
/// # Ok::<(), steric_view::DrawError>(())
/// ```
#[derive(Debug)]
pub struct Sketch {
    gpu: Gpu,
    squares: wgpu::RenderPipeline,
    light: wgpu::RenderPipeline,
    ball: (DVec3, f64),
    /// Every atom that is drawn, and its number in its molecule.
    spheres: Vec<SphereWords>,
    numbers: Vec<u32>,
    sent: Option<wgpu::Buffer>,
    paper: Option<Paper>,
}

/// An atom, as the squares see it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SphereWords {
    place: [f32; 3],
    radius: f32,
    colour: u32,
    molecule: u32,
    opacity: f32,
}

/// What is drawn on.
#[derive(Debug)]
struct Paper {
    /// In samples, and in pixels.
    size: [u32; 2],
    pixels: [u32; 2],
    depths: wgpu::TextureView,
    surface: wgpu::TextureView,
    picture: wgpu::Texture,
    rows: wgpu::Buffer,
}

/// Rows of a picture are copied in pieces of so many bytes.
const ALIGNED: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

impl Sketch {
    /// Makes the passes ready.
    pub fn new(gpu: &Gpu) -> Self {
        let module = gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("sketch"),
            source: wgpu::ShaderSource::Wgsl([VIEW, SQUARE, LIGHT, include_str!("sketch.wgsl")].concat().into()),
        });
        let attributes = wgpu::vertex_attr_array![0 => Float32x4, 1 => Uint32, 2 => Uint32, 3 => Float32];
        let spheres = wgpu::VertexBufferLayout {
            array_stride: size_of::<SphereWords>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &attributes,
        };
        Self {
            gpu: gpu.clone(),
            squares: drawn(gpu, &module, ["corner", "sample"], &[Some(spheres)], (SURFACE, true)),
            light: drawn(gpu, &module, ["everywhere", "pixel"], &[], (PIXELS, false)),
            ball: (DVec3::ZERO, 1.0),
            spheres: Vec::new(),
            numbers: Vec::new(),
            sent: None,
            paper: None,
        }
    }

    /// Takes molecules, in place of those before.
    pub fn load(&mut self, scene: &Scene, colours: &Colours) -> Result<(), DrawError> {
        self.ball = ball(scene);
        self.spheres.clear();
        self.numbers.clear();
        for (number, molecule) in scene.molecules().iter().enumerate() {
            let opacity = colours.opacities.get(number).copied().unwrap_or(1.0).clamp(0.0, 1.0);
            if opacity <= 0.0 {
                continue;
            }
            let whole = colours.molecules.get(number).copied().flatten();
            let own = colours.atoms.get(molecule.kind.0 as usize);
            let (shift, turn) = ((molecule.pose.translation - self.ball.0).as_vec3(), molecule.pose.rotation.as_quat());
            let clusters = scene.types()[molecule.kind.0 as usize].clusters.clone();
            for cluster in &scene.clusters()[clusters.start as usize..clusters.end as usize] {
                for lane in 0..cluster.len() {
                    let (atom, sphere) = (cluster.atoms[lane], cluster.atom(lane));
                    let colour = whole.or_else(|| own?.get(atom as usize).copied()).unwrap_or([160; 3]);
                    self.spheres.push(SphereWords {
                        place: (shift + turn * sphere.center).to_array(),
                        radius: sphere.radius,
                        colour: packed(colour),
                        molecule: number as u32,
                        opacity,
                    });
                    self.numbers.push(atom);
                }
            }
        }
        self.send()
    }

    fn send(&mut self) -> Result<(), DrawError> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.spheres);
        let most = self.gpu.adapter().largest_buffer;
        if bytes.len() as u64 > most {
            // In clusters of eight, as elsewhere.
            return Err(DrawError::TooLarge {
                found: self.spheres.len() as u64 / 8,
                most: most / (8 * size_of::<SphereWords>() as u64),
            });
        }
        if self.sent.as_ref().is_none_or(|sent| sent.size() < bytes.len() as u64) {
            self.sent = Some(self.gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("spheres"),
                size: bytes.len().max(64).next_multiple_of(16) as u64,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(sent) = &self.sent {
            self.gpu.queue().write_buffer(sent, 0, bytes);
        }
        Ok(())
    }

    /// Draws a picture of so many pixels in a row and so many rows. Shadows are not drawn.
    pub async fn draw(&mut self, camera: &Camera, look: &Look, size: [u32; 2]) -> Result<Picture, DrawError> {
        let look = Look { samples: look.samples.max(1), shadows: 0.0, ..*look };
        let longest = self.gpu.device().limits().max_texture_dimension_2d;
        let samples = size.map(|side| side.saturating_mul(look.samples));
        if samples.iter().any(|side| !(1..=longest).contains(side)) {
            let (found, longest) = (samples.map(u64::from), u64::from(longest));
            return Err(DrawError::Size { found, most: longest * longest, longest });
        }
        if self.paper.as_ref().is_none_or(|paper| (paper.size, paper.pixels) != (samples, size)) {
            self.paper = Some(Paper::new(&self.gpu, samples, size));
        }
        let Some(paper) = &self.paper else { return Ok(Picture::default()) };
        let view = uniform(&self.gpu, &view_of_ball(self.ball, camera, &look, samples));
        let words = look_words(self.ball, camera, &look, &ViewOfLamp::default());
        let shown = uniform(&self.gpu, &words);
        let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.draw_squares(&mut encoder, paper, &view);
        self.draw_light(&mut encoder, paper, [&view, &shown]);
        paper.copy(&mut encoder);
        self.gpu.queue().submit([encoder.finish()]);
        paper.read(&self.gpu).await
    }

    fn draw_squares(&self, encoder: &mut wgpu::CommandEncoder, paper: &Paper, view: &wgpu::Buffer) {
        let nothing = wgpu::Color { r: 0.0, g: 0.0, b: 0.0, a: f64::from(u32::MAX) };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("squares"),
            color_attachments: &[Some(attached(&paper.surface, nothing))],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &paper.depths,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        let Some(spheres) = self.sent.as_ref().filter(|_| !self.spheres.is_empty()) else { return };
        pass.set_pipeline(&self.squares);
        pass.set_bind_group(0, &bound(&self.gpu, &self.squares, &[view], None), &[]);
        pass.set_vertex_buffer(0, spheres.slice(..));
        pass.draw(0..6, 0..self.spheres.len() as u32);
    }

    fn draw_light(&self, encoder: &mut wgpu::CommandEncoder, paper: &Paper, words: [&wgpu::Buffer; 2]) {
        let view = paper.picture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("light"),
            color_attachments: &[Some(attached(&view, wgpu::Color::TRANSPARENT))],
            ..Default::default()
        });
        pass.set_pipeline(&self.light);
        pass.set_bind_group(0, &bound(&self.gpu, &self.light, &words, Some(&paper.surface)), &[]);
        pass.draw(0..3, 0..1);
    }

    /// What is seen in a pixel of a picture of so many pixels: by the ray through its middle and all atoms, on the processor.
    pub fn pick(&self, camera: &Camera, size: [u32; 2], pixel: [u32; 2]) -> Option<Picked> {
        let is_parallel = camera.degrees <= 0.0;
        let (from, along) = camera.ray(size, pixel);
        let (from, along) = ((from - self.ball.0).as_vec3(), along.as_vec3());
        let distance = |sphere: &SphereWords| {
            let apart = Vec3::from(sphere.place) - from;
            let middle = apart.dot(along);
            let inside = sphere.radius * sphere.radius - (apart - middle * along).length_squared();
            let distance = middle - inside.max(0.0).sqrt();
            (inside > 0.0 && (is_parallel || distance > 0.0)).then_some(distance)
        };
        let hits = self.spheres.iter().enumerate().filter_map(|(number, sphere)| Some((distance(sphere)?, number)));
        let (_, number) = hits.min_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(Picked { molecule: MoleculeId(self.spheres[number].molecule), atom: Some(self.numbers[number]) })
    }
}

impl Paper {
    fn new(gpu: &Gpu, size: [u32; 2], pixels: [u32; 2]) -> Self {
        let texture = |[width, height]: [u32; 2], format, usage| {
            gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let seen = |format| {
            texture(size, format, wgpu::TextureUsages::TEXTURE_BINDING)
                .create_view(&wgpu::TextureViewDescriptor::default())
        };
        let rows = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("rows"),
            size: u64::from(bytes_per_row(pixels)) * u64::from(pixels[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self {
            size,
            pixels,
            depths: seen(DEPTH),
            surface: seen(SURFACE),
            picture: texture(pixels, PIXELS, wgpu::TextureUsages::COPY_SRC),
            rows,
        }
    }

    fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(bytes_per_row(self.pixels)),
            rows_per_image: None,
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.rows, layout };
        encoder.copy_texture_to_buffer(self.picture.as_image_copy(), into, self.picture.size());
    }

    async fn read(&self, gpu: &Gpu) -> Result<Picture, DrawError> {
        let [width, height] = self.pixels;
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        gpu.mapped(&self.rows, self.rows.size(), |bytes| {
            for row in bytes.chunks_exact(bytes_per_row(self.pixels) as usize) {
                pixels.extend_from_slice(bytemuck::cast_slice(&row[..4 * width as usize]));
            }
        })
        .await?;
        Ok(Picture { width, height, pixels })
    }
}

fn bytes_per_row([width, _]: [u32; 2]) -> u32 {
    (4 * width).next_multiple_of(ALIGNED)
}

fn attached(view: &wgpu::TextureView, nothing: wgpu::Color) -> wgpu::RenderPassColorAttachment<'_> {
    wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(nothing), store: wgpu::StoreOp::Store },
    }
}

fn bound(
    gpu: &Gpu,
    pipeline: &wgpu::RenderPipeline,
    words: &[&wgpu::Buffer],
    surface: Option<&wgpu::TextureView>,
) -> wgpu::BindGroup {
    let words = words.iter().map(|words| words.as_entire_binding());
    let all = words.chain(surface.map(wgpu::BindingResource::TextureView));
    let entries: Vec<_> =
        (0..).zip(all).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
    let layout = pipeline.get_bind_group_layout(0);
    gpu.device().create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries })
}
