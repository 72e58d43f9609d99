//! Molecules on the GPU, as the renderer sees them: types once, and a pose and a colour for each molecule.

use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use rayon::prelude::*;
use steric_gpu::Gpu;
use steric_model::{Cluster, LANES, MoleculeType, Scene};

use super::DrawError;
use super::memory::array;
use super::surface::{Surface, reach, surface_words};
use crate::Colours;
use crate::camera::ball;

/// Clusters that one thread looks at, at most.
const ITEM: u32 = 16;

/// Molecules that can be drawn.
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
///     let (renderer, camera) = (Renderer::new(&gpu), Camera::of(&scene, Side::default(), 1.0));
///     let of = |colour| Colours { atoms: vec![vec![colour]], ..Colours::default() };
///     let mut model = renderer.load(&scene, &of([200, 0, 0]))?;
///     // It touches something now, and turns blue.
///     model.update(&gpu, &scene, &of([0, 0, 200]));
///     let [red, _, blue, _] = renderer.draw(&model, &camera, &Look::default(), [64, 64])?.at(32, 32);
///     assert!(blue > 2 * red);
/// }
/// # Ok::<(), steric_view::DrawError>(())
/// ```
#[derive(Debug)]
pub struct Model {
    pub(super) origin: DVec3,
    pub(super) radius: f64,
    pub(super) molecules: wgpu::Buffer,
    pub(super) kinds: wgpu::Buffer,
    pub(super) bounds: wgpu::Buffer,
    pub(super) atoms: wgpu::Buffer,
    pub(super) colours: wgpu::Buffer,
    /// The colours of atoms that are there, to know when others come.
    coloured: Vec<Vec<[u8; 3]>>,
    pub(super) mesh: wgpu::Buffer,
    pub(super) triangles: u32,
    pub(super) items: wgpu::Buffer,
    pub(super) item_count: u32,
    /// Entries that the list can have: one for each cluster of each molecule.
    pub(super) room: u32,
    pub(super) count: u32,
    /// Whether there is a transparent surface.
    has_glass: bool,
    pub(super) is_transparent: bool,
}

/// `Molecule` of the kernels.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct MoleculeWords {
    place: [f32; 3],
    kind: u32,
    rotation: [f32; 4],
    colour: u32,
    opacity: f32,
    unused: [u32; 2],
}

/// `Kind` of the kernels.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct KindWords {
    bound: [f32; 4],
    colour: u32,
    unused: [u32; 3],
}

pub(super) fn packed([red, green, blue]: [u8; 3]) -> u32 {
    u32::from_le_bytes([red, green, blue, 255])
}

/// The mean of some colours.
fn mean(colours: impl Iterator<Item = [u8; 3]>) -> u32 {
    let (mut sum, mut count) = ([0u32; 3], 0u32);
    for colour in colours {
        (0..3).for_each(|part| sum[part] += u32::from(colour[part]));
        count += 1;
    }
    packed(sum.map(|part| (part / count.max(1)) as u8))
}

impl Model {
    pub(super) fn new(gpu: &Gpu, scene: &Scene, colours: &Colours, surfaces: &[Surface]) -> Result<Self, DrawError> {
        let (origin, radius) = ball(scene);
        let surface = surface_words(surfaces, origin);
        let room: u64 = scene.molecules().iter().map(|m| scene.types()[m.kind.0 as usize].clusters.len() as u64).sum();
        let limit = gpu.adapter().largest_binding;
        // A sphere is known by the number of its entry and its lane, in 32 bits.
        if room * 8 + u64::from(surface.triangles) >= u64::from(u32::MAX) || room * 8 > limit {
            return Err(DrawError::TooLarge { found: room, most: (limit / 8).min(u64::from(u32::MAX / 8)) });
        }
        let atom = |cluster: &Cluster, lane: usize| {
            if lane >= cluster.len() {
                return [0f32; 4];
            }
            let sphere = cluster.atom(lane);
            [sphere.center.x, sphere.center.y, sphere.center.z, sphere.radius]
        };
        let lanes = |cluster| (0..LANES).map(move |lane| atom(cluster, lane));
        let atoms: Vec<[f32; 4]> = scene.clusters().par_iter().flat_map_iter(lanes).collect();
        let bounds: Vec<[f32; 4]> =
            scene.bounds().iter().map(|bound| bound.center.extend(bound.radius).to_array()).collect();
        let item = |(number, molecule): (usize, &steric_model::Molecule)| {
            let range = scene.types()[molecule.kind.0 as usize].clusters.clone();
            let (first, end) = (range.start, range.end);
            range
                .step_by(ITEM as usize)
                .map(move |start| [number as u32, start, ITEM.min(end - start), u32::from(start == first)])
        };
        let items: Vec<[u32; 4]> = scene.molecules().par_iter().enumerate().flat_map_iter(item).collect();
        let has_glass = surfaces.iter().any(|surface| surface.opacity < 1.0);
        let model = Self {
            origin,
            radius: radius.max(reach(surfaces, origin)),
            molecules: array(gpu, "molecules", &molecules(scene, colours, origin))?,
            kinds: array(gpu, "kinds", &kinds(scene, colours))?,
            bounds: array(gpu, "bounds", &bounds)?,
            atoms: array(gpu, "atoms", &atoms)?,
            colours: array(gpu, "colours", &colours_of_atoms(scene, colours))?,
            coloured: colours.atoms.clone(),
            mesh: array(gpu, "mesh", &surface.words)?,
            triangles: surface.triangles,
            items: array(gpu, "items", &items)?,
            item_count: items.len() as u32,
            room: room as u32,
            count: scene.molecules().len() as u32,
            has_glass,
            is_transparent: has_glass || is_transparent(colours),
        };
        gpu.check()?;
        Ok(model)
    }

    /// Molecules of the same scene have moved, or they or their atoms look otherwise.
    pub fn update(&mut self, gpu: &Gpu, scene: &Scene, colours: &Colours) {
        rewrite(gpu, &self.molecules, &molecules(scene, colours, self.origin));
        if self.coloured != colours.atoms {
            rewrite(gpu, &self.kinds, &kinds(scene, colours));
            rewrite(gpu, &self.colours, &colours_of_atoms(scene, colours));
            self.coloured.clone_from(&colours.atoms);
        }
        self.is_transparent = self.has_glass || is_transparent(colours);
    }
}

/// Writes an array again, as far as there is room.
fn rewrite<T: Pod>(gpu: &Gpu, buffer: &wgpu::Buffer, words: &[T]) {
    let room = buffer.size() as usize / size_of::<T>();
    gpu.queue().write_buffer(buffer, 0, bytemuck::cast_slice(&words[..words.len().min(room)]));
}

fn is_transparent(colours: &Colours) -> bool {
    colours.opacities.iter().any(|&opacity| opacity < 1.0 && opacity > 0.0)
}

/// The colour of an atom of a type, grey where there is none.
fn colour_of(colours: &Colours, kind: usize, atom: u32) -> [u8; 3] {
    colours.atoms.get(kind).and_then(|atoms| atoms.get(atom as usize)).copied().unwrap_or([160; 3])
}

fn kinds(scene: &Scene, colours: &Colours) -> Vec<KindWords> {
    let words = |(number, kind): (usize, &MoleculeType)| KindWords {
        bound: kind.bound.center.extend(kind.bound.radius).to_array(),
        colour: mean((0..kind.atoms).map(|atom| colour_of(colours, number, atom))),
        unused: [0; 3],
    };
    scene.types().par_iter().enumerate().map(words).collect()
}

/// Nine for each cluster: of its lanes, and their mean.
fn colours_of_atoms(scene: &Scene, colours: &Colours) -> Vec<u32> {
    let clusters = scene.clusters();
    let mut owner = vec![0usize; clusters.len()];
    for (number, kind) in scene.types().iter().enumerate() {
        owner[kind.clusters.start as usize..kind.clusters.end as usize].fill(number);
    }
    let of_cluster = |(cluster, owner): (&Cluster, usize)| {
        let own = |lane: usize| colour_of(colours, owner, cluster.atoms[lane]);
        let lanes: [u32; LANES] = std::array::from_fn(|lane| if lane < cluster.len() { packed(own(lane)) } else { 0 });
        lanes.into_iter().chain([mean((0..cluster.len()).map(own))])
    };
    clusters.par_iter().zip(owner).flat_map_iter(of_cluster).collect()
}

fn molecules(scene: &Scene, colours: &Colours, origin: DVec3) -> Vec<MoleculeWords> {
    let words = |(number, molecule): (usize, &steric_model::Molecule)| MoleculeWords {
        place: (molecule.pose.translation - origin).as_vec3().to_array(),
        kind: molecule.kind.0,
        rotation: molecule.pose.rotation.as_quat().to_array(),
        colour: colours.molecules.get(number).copied().flatten().map_or(0, packed),
        opacity: colours.opacities.get(number).copied().unwrap_or(1.0).clamp(0.0, 1.0),
        unused: [0; 2],
    };
    scene.molecules().par_iter().enumerate().map(words).collect()
}
