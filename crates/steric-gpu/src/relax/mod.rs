//! A relaxation on the GPU.
//!
//! How it works: everything that an iteration needs stays on the GPU. The host asks for several iterations at once and reads back
//! a few numbers about each. When nothing overlaps any more, or when a list has no room, the kernels halt:
//! the iterations that were asked for beyond that change nothing. The molecules to be jolted are chosen by the host, as on
//! the CPU, so an iteration that jolts is done in two halves.

mod arrays;
mod hands;
mod loaded;
mod on_gpu;
mod stages;
mod touches;

use steric_collide::IndexKind;
use steric_world::relax::{Engine, EngineError, Hold, Iteration, Progress, Relax};

use crate::device::{Awake, Gpu, GpuError, StageTimes, waited};
pub(crate) use arrays::Arrays;
use loaded::Loaded;
pub use on_gpu::MoleculesOnGpu;
pub(crate) use touches::Share;

/// Relaxes on a GPU.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use glam::{DVec3, Vec3};
/// use steric_gpu::{Gpu, GpuRelax};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup, Stop};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in 0..10 {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
/// }
/// let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
/// if let Some(gpu) = Gpu::software() {
///     let ended = relax.run_on(&mut GpuRelax::new(&gpu), |_, _| ControlFlow::Continue(()));
///     assert_eq!(ended, (Stop::Rest, None));
/// }
/// ```
#[derive(Debug)]
pub struct GpuRelax {
    gpu: Gpu,
    index: IndexKind,
    atoms_per_share: u64,
    /// Until molecules are loaded.
    awake: Option<Awake>,
    loaded: Option<Loaded>,
}

impl GpuRelax {
    /// A relaxation on this GPU; nothing is loaded yet. From now on the GPU is kept awake until something is.
    pub fn new(gpu: &Gpu) -> Self {
        Self {
            gpu: gpu.clone(),
            index: IndexKind::Auto,
            atoms_per_share: touches::ATOMS_PER_SHARE,
            awake: Some(gpu.keep_awake()),
            loaded: None,
        }
    }

    /// The same with cells of one kind, whatever the scene.
    pub fn with_cells(self, index: IndexKind) -> Self {
        Self { index, ..self }
    }

    /// The same with the contacts of about so many atoms stored at once, and those of the next after these.
    pub fn in_shares_of(self, atoms_per_share: u64) -> Self {
        Self { atoms_per_share: atoms_per_share.max(1), ..self }
    }

    /// How many bytes of the GPU's memory are in use.
    pub fn bytes(&self) -> u64 {
        self.loaded.as_ref().map_or(0, |loaded| loaded.arrays.bytes)
    }
}

impl Engine for GpuRelax {
    fn name(&self) -> String {
        self.gpu.adapter().name.clone()
    }

    fn load(&mut self, relax: &Relax) -> Result<(), EngineError> {
        self.loaded = None;
        let has_rules = relax.parts().groups.iter().flatten().any(|hold| matches!(hold, Hold::Rule(_)));
        if has_rules {
            return Err(EngineError("rules of one's own are known to the processor alone".to_owned()));
        }
        self.loaded = Some(
            Loaded::new(&self.gpu, self.index, self.atoms_per_share, relax)
                .map_err(|error| EngineError(error.to_string()))?,
        );
        self.awake = None;
        Ok(())
    }

    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        waited(self.advance_async(most))
    }

    fn fetch(&mut self) -> Result<Progress, EngineError> {
        waited(self.fetch_async())
    }
}

/// The same as an [`Engine`] for those who must not wait, such as a page in a browser.
impl GpuRelax {
    /// Iterates so often at most; fewer times if nothing is left to do.
    pub async fn advance_async(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        let loaded = self.loaded.as_mut().ok_or_else(nothing_loaded)?;
        loaded.advance(&self.gpu, most).await.map_err(|error| EngineError(error.to_string()))
    }

    /// Where the molecules are now.
    pub async fn fetch_async(&mut self) -> Result<Progress, EngineError> {
        let loaded = self.loaded.as_mut().ok_or_else(nothing_loaded)?;
        loaded.fetch(&self.gpu).await.map_err(|error| EngineError(error.to_string()))
    }
}

fn nothing_loaded() -> EngineError {
    EngineError("nothing is loaded".to_owned())
}

/// Times of the stages of one iteration, for benchmarks.
impl GpuRelax {
    /// Milliseconds of each stage of the next iteration, by the GPU's clock, and what the iteration came to; nothing at rest.
    pub fn timed_iteration(&mut self) -> Result<(StageTimes, Option<Iteration>), GpuError> {
        let Some(loaded) = &mut self.loaded else { return Ok((StageTimes::default(), None)) };
        loaded.begin_history(&self.gpu);
        let stages = loaded.stages.whole(std::mem::take(&mut loaded.is_fresh));
        let times = self.gpu.timed(&stages)?;
        let mut done = Vec::new();
        waited(loaded.collect_later(&self.gpu, 1, &mut done))?;
        Ok((times, done.pop()))
    }

    /// Milliseconds of an iteration, by the GPU's clock, of so many back to back in one pass.
    pub fn back_to_back(&mut self, iterations: usize) -> Result<f64, GpuError> {
        let Some(loaded) = &mut self.loaded else { return Ok(0.0) };
        loaded.begin_history(&self.gpu);
        let stages = loaded.stages.whole(false);
        let milliseconds = self.gpu.back_to_back(&stages, iterations)?;
        let mut done = Vec::new();
        waited(loaded.collect_later(&self.gpu, iterations as u32, &mut done))?;
        Ok(milliseconds)
    }
}
