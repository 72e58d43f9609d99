//! A relaxation by many ranks.
//!
//! How it works: every rank comes with the same relaxation and keeps its own molecules of it; rank 0 remembers the rest and gets all poses back at the end. For a
//! checkpoint each rank saves its own molecules. Nothing of this changes a pose: the result has the bits of one process.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use steric_cluster::comm::{Comm, Saved};
use steric_cluster::relax::{Burden, Crew, CrewError, CrewOptions, Wish};
use steric_model::{Instant, Scene};
use steric_world::relax::{Iteration, Relax, Setup, Stop};

use super::{Relaxation, stage};

/// Where a run on ranks is saved, and how often.
#[derive(Clone, Debug)]
pub struct Checkpoints<'a> {
    /// The manifest; each rank's part lies beside it. `Relax::resume` reads both this and the file of one process.
    pub path: &'a Path,
    /// The time between two.
    pub every: Duration,
    /// What was saved last: it is said when a rank dies.
    pub saved: Saved,
}

/// What ranks have done together.
#[derive(Debug)]
pub struct RunOnRanks {
    /// The relaxation with all molecules where they are now: on rank 0 alone.
    pub relaxation: Option<Relaxation>,
    /// Why it ended.
    pub stop: Stop,
    /// What it took to share the scene.
    pub burden: Burden,
    /// Why the last checkpoint was not written, if so.
    pub unsaved: Option<String>,
}

impl Relaxation {
    /// As [`Self::run`], by all ranks together, each of which calls it with the same relaxation. What `watch` sees is the same on all ranks; any of them may
    /// end the run. A GPU is not used.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use std::path::Path;
    ///
    /// use steric::cluster::comm::{Comm, threads};
    /// use steric::relax::Relaxation;
    /// use steric::world::build::SceneText;
    ///
    /// let scene = SceneText::parse("[[membrane]]\nlipid = [{ molecule = \"POPC\" }]\ncount = 400\narea-per-lipid = 75.0\n", Path::new("vesicle"))?.scene()?;
    /// let relaxation = || Relaxation::of_scene(&scene, "vesicle", Path::new("")).expect("a scene");
    /// let mut one = relaxation();
    /// one.run(|_, _| ControlFlow::Continue(()));
    /// let runs = threads::run(2, |comm: &dyn Comm| {
    ///     relaxation().run_on_ranks(comm, None, |_, _| ControlFlow::Continue(())).expect("equal ranks")
    /// });
    /// let whole = runs[0].relaxation.as_ref().expect("rank 0 has it");
    /// assert_eq!(whole.report().state_hash, one.report().state_hash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_on_ranks(
        mut self,
        comm: &dyn Comm,
        checkpoints: Option<Checkpoints<'_>>,
        mut watch: impl FnMut(u32, &Iteration) -> ControlFlow<()>,
    ) -> Result<RunOnRanks, CrewError> {
        let leads = comm.rank() == 0;
        let clock = Instant::now();
        self.skeletons();
        let skeletons = self.skeletons.take().unwrap_or_else(|| unreachable!("just made"));
        let nothing = Relax::new(Setup::new(Scene::default()), self.relax.options().clone(), self.seed);
        let relax = std::mem::replace(&mut self.relax, nothing);
        let mut whole = Whole { relaxation: leads.then_some(self), unsaved: None };
        let mut crew = Crew::of(comm, relax, CrewOptions::default())?;
        let mut saved = Instant::now();
        let wish = |relax: &Relax, iteration: &Iteration| {
            if watch(relax.iteration(), iteration).is_break() {
                return Wish::End;
            }
            // The clock of rank 0 says when.
            match &checkpoints {
                Some(to) if leads && saved.elapsed() >= to.every => {
                    saved = Instant::now();
                    Wish::Save
                }
                _ => Wish::GoOn,
            }
        };
        let (stop, repairs) = crew.run_and_free_rings(&skeletons, wish, |crew| whole.save(crew, checkpoints.as_ref()));
        if stop == Stop::Interrupted {
            whole.save(&crew, checkpoints.as_ref());
        }
        let repaired = repairs.map_or(0, |repairs| repairs.caught.saturating_sub(repairs.left));
        whole.take(&crew);
        let Whole { mut relaxation, unsaved } = whole;
        if let Some(relaxation) = &mut relaxation {
            relaxation.repaired = repaired;
            relaxation.skeletons = skeletons.into();
            relaxation.stages.push(stage("relax", clock));
            relaxation.stop = Some(stop);
        }
        Ok(RunOnRanks { relaxation, stop, burden: crew.burden(), unsaved })
    }
}

/// What rank 0 keeps of the whole scene, and how saving went.
struct Whole {
    relaxation: Option<Relaxation>,
    unsaved: Option<String>,
}

impl Whole {
    /// Brings all molecules to rank 0. All ranks call it.
    fn take(&mut self, crew: &Crew<'_>) {
        let progress = crew.progress();
        let Some(relaxation) = &mut self.relaxation else { return };
        let options = relaxation.relax.options().clone();
        relaxation.relax = Relax::new(relaxation.setup.clone(), options, relaxation.seed);
        relaxation.relax.take(progress, crew.relax().history());
    }

    /// All ranks save, and all know what.
    fn save(&mut self, crew: &Crew<'_>, to: Option<&Checkpoints<'_>>) {
        let Some(to) = to else { return };
        // A run without checkpoints is worth more than none.
        self.unsaved = crew.save(to.path).err().map(|error| error.to_string());
        if self.unsaved.is_none() {
            let text = format!("{}, iteration {}", to.path.display(), crew.relax().iteration());
            *to.saved.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(text);
        }
    }
}
