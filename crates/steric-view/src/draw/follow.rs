//! Molecules drawn where a relaxation on the same GPU has them: poses do not travel through the processor.

use bytemuck::{Pod, Zeroable};
use steric_gpu::MoleculesOnGpu;

use super::layer::bind;
use super::memory::{array, uniform};
use super::model::packed;
use super::{DrawError, Model, Renderer};
use crate::Palette;

/// `Follow` of the kernel.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct FollowWords {
    shift: [f32; 3],
    count: u32,
    is_coloured: u32,
    touching: u32,
    free: u32,
    fixed: u32,
}

/// Keeps a model where a relaxation has its molecules.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_gpu::{Gpu, GpuRelax};
/// use steric_model::{Pose, Scene};
/// use steric_view::{Colours, Renderer};
/// use steric_world::relax::{Engine, Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// for x in 0..3 {
///     scene.add_molecule(argon, Pose::from_translation(DVec3::X * f64::from(x)));
/// }
/// if let Some(gpu) = Gpu::software() {
///     let renderer = Renderer::new(&gpu);
///     let model = renderer.load(&scene, &Colours::default())?;
///     let mut relax = GpuRelax::new(&gpu);
///     relax.load(&Relax::new(Setup::new(scene), RelaxOptions::default(), 1))?;
///     let follower = renderer.follower(&model, &relax.molecules().expect("it was loaded"), None)?;
///     relax.advance(4)?;
///     renderer.follow(&follower);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Follower {
    group: wgpu::BindGroup,
    count: u32,
}

impl Renderer {
    /// Gets ready to follow molecules that are the model's, in the model's order. With a palette they are coloured by who touches whom.
    pub fn follower(
        &self,
        model: &Model,
        molecules: &MoleculesOnGpu,
        collision: Option<&Palette>,
    ) -> Result<Follower, DrawError> {
        let count = molecules.ids.iter().filter(|&&id| id < model.count).count();
        if count != molecules.ids.len() || count != model.count as usize {
            return Err(DrawError::OtherMolecules { found: molecules.ids.len() as u64, expected: model.count.into() });
        }
        let colours = collision.map_or([[0; 3]; 3], |palette| [palette.touching(), palette.free(), palette.fixed()]);
        let [touching, free, fixed] = colours.map(packed);
        let words = FollowWords {
            shift: (molecules.origin - model.origin).as_vec3().to_array(),
            count: model.count,
            is_coloured: collision.is_some().into(),
            touching,
            free,
            fixed,
        };
        let ids = array(&self.gpu, "ids", &molecules.ids)?;
        let words = uniform(&self.gpu, &words);
        let arrays = [(0, &words), (1, &ids), (2, &molecules.bodies), (3, &molecules.moods), (4, &model.molecules)];
        let group = bind(&self.gpu, self.follow.get_bind_group_layout(0), &arrays, &[]);
        Ok(Follower { group, count: model.count })
    }

    /// Puts the molecules of the model where they are now.
    pub fn follow(&self, follower: &Follower) {
        let mut encoder = self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.follow);
            pass.set_bind_group(0, &follower.group, &[]);
            let groups = follower.count.div_ceil(64);
            pass.dispatch_workgroups(groups.min(32_768), groups.div_ceil(32_768), 1);
        }
        self.gpu.queue().submit([encoder.finish()]);
    }
}
