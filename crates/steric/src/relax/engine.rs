//! What iterates: the processor, or a GPU until it fails.
//!
//! How it works: molecules are loaded onto a GPU when it is chosen, so that what does not fit is known before the run; the run
//! then uses what was loaded, unless the molecules have moved since. A GPU that fails is not asked again: the
//! processor goes on, and a remark says from where.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use steric_gpu::{Gpu, GpuRelax};
use steric_world::relax::{Engine, EngineError, Iteration, Progress, Relax, Stop};

use super::Relaxation;

/// What happened on the way, in sentences; copies share it, so that one can be looked at during a run.
///
/// ```
/// use steric::relax::Remarks;
///
/// let remarks = Remarks::default();
/// remarks.clone().push("the GPU was lost".to_owned());
/// assert_eq!(remarks.all(), ["the GPU was lost"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Remarks(Arc<Mutex<Vec<String>>>);

impl Remarks {
    /// Adds a sentence.
    pub fn push(&self, remark: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(remark);
    }

    /// Every sentence so far.
    pub fn all(&self) -> Vec<String> {
        self.after(0)
    }

    /// The sentences after the first so many.
    pub fn after(&self, seen: usize) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(seen..).unwrap_or_default().to_vec()
    }
}

impl Relaxation {
    /// Lets a GPU do the iterations from now on, stand-ins included. If it cannot hold the molecules, the processor keeps them.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use steric::gpu::Gpu;
    /// use steric::relax::Relaxation;
    /// use steric::world::build::SceneFile;
    ///
    /// let text = "[[membrane]]\ncount = 300\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    /// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
    /// let mut relaxation = Relaxation::of_scene(&scene, "vesicle", "".as_ref())?;
    /// if let Some(gpu) = Gpu::software() {
    ///     relaxation.on_gpu(&gpu)?;
    ///     assert_eq!(relaxation.report().backend, gpu.adapter().name);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_gpu(&mut self, gpu: &Gpu) -> Result<(), EngineError> {
        let mut engine = Loaded { engine: GpuRelax::new(gpu), holds: None };
        engine.load(&self.relax)?;
        self.engine = Choice { name: Some(engine.name()), engine: Some(engine) };
        Ok(())
    }

    /// What happened on the way that a user should know; the report will say it, too.
    pub fn remarks(&self) -> Remarks {
        self.remarks.clone()
    }
}

/// What iterates.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// A GPU, until it fails.
    engine: Option<Loaded>,
    /// The GPU that began the work.
    name: Option<String>,
}

impl Choice {
    /// What a report calls it.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("cpu")
    }

    /// Other molecules come next.
    pub(super) fn forget(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.holds = None;
        }
    }

    /// Iterates until rest or a limit, whoever does it.
    pub(super) fn run(
        &mut self,
        relax: &mut Relax,
        remarks: &Remarks,
        watch: &mut impl FnMut(&Relax, &Iteration) -> ControlFlow<()>,
    ) -> Stop {
        let Some(engine) = &mut self.engine else { return relax.run(watch) };
        let failure = RefCell::new(None);
        let mut watched = Watched { engine, failure: &failure };
        // The first iteration that is seen after a failure is the processor's, and tells where it began.
        let (stop, error) = relax.run_on(&mut watched, |relax, iteration| {
            if let Some(error) = failure.take() {
                remarks.push(went_on(&error, relax.iteration() - 1));
            }
            watch(relax, iteration)
        });
        if error.is_some() {
            self.engine = None;
        }
        if let Some(error) = failure.take() {
            remarks.push(went_on(&error, relax.iteration()));
        }
        stop
    }
}

fn went_on(error: &EngineError, iteration: u32) -> String {
    format!("{error}; the CPU went on from iteration {iteration}")
}

/// A GPU that knows what it holds.
#[derive(Debug)]
struct Loaded {
    engine: GpuRelax,
    /// Iterations and poses of what is loaded and has not been touched since.
    holds: Option<(u32, u64)>,
}

impl Engine for Loaded {
    fn name(&self) -> String {
        self.engine.name()
    }

    fn load(&mut self, relax: &Relax) -> Result<(), EngineError> {
        let now = (relax.held(), relax.state_hash());
        if self.holds != Some(now) {
            self.holds = None;
            self.engine.load(relax)?;
            self.holds = Some(now);
        }
        Ok(())
    }

    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        self.holds = None;
        self.engine.advance(most)
    }

    fn fetch(&mut self) -> Result<Progress, EngineError> {
        self.engine.fetch()
    }
}

/// Notes a failure where the run can see it at once.
#[derive(Debug)]
struct Watched<'a> {
    engine: &'a mut Loaded,
    failure: &'a RefCell<Option<EngineError>>,
}

impl Watched<'_> {
    fn noted<T>(&self, result: Result<T, EngineError>) -> Result<T, EngineError> {
        result.inspect_err(|error| {
            self.failure.replace(Some(error.clone()));
        })
    }
}

impl Engine for Watched<'_> {
    fn name(&self) -> String {
        self.engine.name()
    }

    fn load(&mut self, relax: &Relax) -> Result<(), EngineError> {
        let result = self.engine.load(relax);
        self.noted(result)
    }

    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError> {
        let result = self.engine.advance(most);
        self.noted(result)
    }

    fn fetch(&mut self) -> Result<Progress, EngineError> {
        let result = self.engine.fetch();
        self.noted(result)
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};
    use steric_model::{Pose, Scene};
    use steric_world::relax::{RelaxOptions, Setup};

    use super::*;

    #[test]
    fn a_gpu_that_is_taken_away_leaves_the_rest_to_the_processor_and_a_remark() {
        // Not the one that other tests share: it will be gone.
        let index =
            steric_gpu::adapters().iter().find(|adapter| adapter.is_software && adapter.is_able).map(|a| a.index);
        let Some(gpu) = index.and_then(|index| Gpu::open(&steric_gpu::Choice::Index(index)).ok()) else {
            eprintln!("skipped: no adapter");
            return;
        };
        let mut scene = Scene::default();
        let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
        for x in 0..40 {
            scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
        }
        let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
        let engine = Loaded { engine: GpuRelax::new(&gpu), holds: None };
        let mut choice = Choice { name: Some(engine.name()), engine: Some(engine) };
        let remarks = Remarks::default();
        let (mut seen, mut told) = (Vec::new(), 0);
        let stop = choice.run(&mut relax, &remarks, &mut |relax, _| {
            if relax.iteration() == 3 {
                gpu.lose();
            }
            seen.extend(remarks.after(seen.len()));
            if seen.is_empty() {
                told = relax.iteration();
            }
            ControlFlow::Continue(())
        });
        assert_eq!(stop, Stop::Rest);
        assert!(choice.engine.is_none() && choice.name() != "cpu");
        let [remark] = &remarks.all()[..] else { panic!("{remarks:?}") };
        // Poses come back once a second, so on a slow machine those after a batch that was done before anyone heard of its third iteration
        // may be here already; never those of an iteration that the GPU has not told of.
        let (lost, went_on) = remark.split_once("; the CPU went on from iteration ").expect(remark);
        assert!(lost.starts_with("the GPU was lost: "), "{remark}");
        assert!(went_on.parse::<u32>().is_ok_and(|iteration| iteration <= told), "{remark}");
        assert_eq!(seen, remarks.all(), "it was told during the run");
    }
}
