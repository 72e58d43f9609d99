//! Iterations that are done elsewhere, on a graphics card for example.
//!
//! How it works: an engine is loaded with the molecules once and then does iterations on its own, a few at a time; what it saw
//! comes back after each few, where the molecules are only about once a second. So the relaxation here knows of more iterations
//! than its poses show. It notes how many it is behind: a checkpoint holds the poses and the iterations that led to
//! them, and if the engine fails, the processor goes on from there.

use std::ops::ControlFlow;
use std::time::Duration;

use glam::Vec3;
use steric_model::{Instant, Pose, Scene};

use super::gather::contact_margin;
use super::hold::Hold;
use super::jolt::Jolts;
use super::options::RelaxOptions;
use super::run::{Stop, trouble};
use super::team::Alone;
use super::world::{Iteration, Relax, State};
use crate::respond::{Body, Motion};

/// An engine is asked for at most so many iterations at a time: enough to keep it busy, few enough to stop soon.
const MOST_AT_A_TIME: u32 = 16;
/// The first time for so many, because nobody knows yet how long they take.
const FIRST_AT_A_TIME: u32 = 4;
/// And for no more than take about so long: those that were asked for beyond the last one are done for nothing.
const LONGEST_AT_A_TIME: Duration = Duration::from_millis(8);
/// Poses are fetched no more often than this.
const FETCH_EVERY: Duration = Duration::from_secs(1);

/// Does the iterations of a relaxation in a place of its own.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Engine, EngineError, Iteration, Progress, Relax, RelaxOptions, Setup, Stop};
///
/// /// Another relaxation of the same molecules.
/// #[derive(Debug)]
/// struct Twin(Relax);
///
/// impl Engine for Twin {
///     fn name(&self) -> String {
///         "a twin".to_owned()
///     }
///     fn load(&mut self, relax: &Relax) -> Result<(), EngineError> {
///         self.0.take(relax.progress(), relax.history());
///         Ok(())
///     }
///     fn advance(&mut self, _most: u32) -> Result<Vec<Iteration>, EngineError> {
///         Ok(vec![self.0.step()])
///     }
///     fn fetch(&mut self) -> Result<Progress, EngineError> {
///         Ok(self.0.progress())
///     }
/// }
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in 0..10 {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
/// }
/// let relax = || Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1);
/// let (mut here, mut elsewhere) = (relax(), relax());
/// here.run(|_, _| ControlFlow::Continue(()));
/// let ended = elsewhere.run_on(&mut Twin(relax()), |_, _| ControlFlow::Continue(()));
/// assert_eq!(ended, (Stop::Rest, None));
/// assert_eq!(elsewhere.state_hash(), here.state_hash());
/// ```
pub trait Engine: std::fmt::Debug {
    /// What a report calls it.
    fn name(&self) -> String;

    /// Takes over the molecules as they are now; whatever was loaded before is forgotten.
    fn load(&mut self, relax: &Relax) -> Result<(), EngineError>;

    /// Does at least one and at most so many iterations, and says what each saw and did. An iteration that finds nothing
    /// to do moves nobody and is the last.
    fn advance(&mut self, most: u32) -> Result<Vec<Iteration>, EngineError>;

    /// Where the molecules are now.
    fn fetch(&mut self) -> Result<Progress, EngineError>;
}

/// Why an engine could not go on, in a sentence.
///
/// ```
/// use steric_world::relax::EngineError;
///
/// assert_eq!(EngineError("the card was taken out".to_owned()).to_string(), "the card was taken out");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EngineError(pub String);

/// How far a relaxation has come: all that the next iteration depends on and that iterations change. One entry per molecule, in
/// the order of [`Parts::ids`].
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// let progress = Relax::new(Setup::new(scene), RelaxOptions::default(), 1).progress();
/// assert_eq!(progress.poses, [Pose::IDENTITY]);
/// assert!(!progress.disturbed);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Where the molecules are.
    pub poses: Vec<Pose>,
    /// Where they are going.
    pub momenta: Vec<Motion>,
    /// The outward normals of the surfaces that hold them, or zero.
    pub normals: Vec<Vec3>,
    /// For how many iterations they have overlapped without a break.
    pub dirty_for: Vec<u16>,
    /// For how many more iterations they are looked at, even if they do not overlap.
    pub warmth: Vec<u8>,
    /// Whether the last iteration moved them.
    pub moved: Vec<bool>,
    /// Whether they are beyond the leeway of a constraint.
    pub broken: Vec<bool>,
    /// Whether anything has overlapped yet: only then is the clearance asked for.
    pub disturbed: bool,
    /// How often near pairs were searched since the relaxation began.
    pub searches: u32,
}

/// All that the next iteration depends on and that iterations do not change, for engines. What belongs to molecules stands in
/// Morton order of where they started.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 50.0));
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// let relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
/// let parts = relax.parts();
/// assert_eq!(parts.ids, [1, 0], "the second molecule comes first");
/// assert_eq!(parts.group_of, [u32::MAX; 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    /// The molecules where the relaxation last knew them.
    pub scene: &'a Scene,
    /// Which molecule of the setup each one is.
    pub ids: &'a [u32],
    /// Constraints, a list for each group of molecules.
    pub groups: &'a [Vec<Hold>],
    /// The group of each molecule; `u32::MAX` where it is free.
    pub group_of: Vec<u32>,
    /// Which molecules stay where they are.
    pub fixed: Vec<bool>,
    /// The mass and inertia of each molecule type.
    pub bodies: &'a [Body],
    /// Where the molecules started.
    pub start: &'a [Pose],
    /// Every number of the relaxation.
    pub options: &'a RelaxOptions,
    /// Interpenetration that is forgiven, in angstroms.
    pub allow: f32,
    /// Chance begins here.
    pub seed: u64,
    /// How many iterations led to where the molecules are.
    pub iteration: u32,
    /// Whether anything has overlapped yet.
    pub disturbed: bool,
}

impl Parts<'_> {
    /// How much farther than they must atoms are pushed apart, in angstroms.
    pub fn contact_margin(&self) -> f32 {
        let (least, _) = self.scene.radii().unwrap_or((0.0, 0.0));
        contact_margin(self.options, least, self.allow)
    }

    /// Which molecules an iteration jolts, in order, and what each does in place of its own step. Asks for how many iterations
    /// each molecule had overlapped before, and how deep it is in now: any measure that grows with the depth, 0 where it
    /// is clear. Whoever is jolted loses its momentum and counts as not having overlapped.
    pub fn jolted(&self, iteration: u32, dirty_for: &[u16], deepest: &[u32]) -> Vec<(u32, Motion)> {
        let Self { scene, bodies, ids, options, seed, .. } = *self;
        let jolts = Jolts { scene, bodies, ids, options, seed, iteration };
        let all = ids.len();
        jolts.all(all, all, &mut Alone, |slot| (!self.fixed[slot]).then(|| (dirty_for[slot], deepest[slot])))
    }
}

impl Relax {
    /// All that an engine has to know and that iterations do not change.
    pub fn parts(&self) -> Parts<'_> {
        Parts {
            scene: &self.scene,
            ids: &self.ids,
            groups: &self.groups,
            group_of: self.each(|state| state.group),
            fixed: self.each(|state| state.fixed),
            bodies: &self.bodies,
            start: &self.start,
            options: &self.options,
            allow: self.allow,
            seed: self.seed,
            iteration: self.held(),
            disturbed: self.disturbed,
        }
    }

    /// How far the relaxation has come, after [`Self::held`] iterations.
    pub fn progress(&self) -> Progress {
        Progress {
            poses: self.scene.molecules().iter().map(|molecule| molecule.pose).collect(),
            momenta: self.each(|state| state.momentum),
            normals: self.each(|state| state.normal),
            dirty_for: self.each(|state| state.dirty_for),
            warmth: self.each(|state| state.warmth),
            moved: self.each(|state| state.moved),
            broken: self.each(|state| state.broken),
            disturbed: self.disturbed,
            searches: self.searches,
        }
    }

    fn each<T>(&self, of: impl Fn(&State) -> T) -> Vec<T> {
        self.states.iter().map(of).collect()
    }

    /// Goes on from where others brought the same molecules, in iterations that come after those known here.
    pub fn take(&mut self, progress: Progress, done: &[Iteration]) {
        let Progress { poses, momenta, normals, dirty_for, warmth, moved, broken, disturbed, searches } = progress;
        let lengths =
            [poses.len(), momenta.len(), normals.len(), dirty_for.len(), warmth.len(), moved.len(), broken.len()];
        assert!(lengths.iter().all(|&length| length == self.states.len()), "one entry per molecule");
        for (molecule, pose) in self.scene.molecules_mut().iter_mut().zip(poses) {
            molecule.pose = pose;
        }
        for (slot, state) in self.states.iter_mut().enumerate() {
            (state.momentum, state.normal) = (momenta[slot], normals[slot]);
            (state.dirty_for, state.warmth) = (dirty_for[slot], warmth[slot]);
            (state.moved, state.broken) = (moved[slot], broken[slot]);
        }
        (self.disturbed, self.searches) = (disturbed, searches);
        self.history.extend_from_slice(done);
        self.iteration += done.len() as u32;
        self.after_taking();
    }

    /// Molecules stand elsewhere, where the whole history has led them.
    pub(super) fn after_taking(&mut self) {
        self.ahead = 0;
        // Someone who was moved by hand after the last iteration has not been looked at.
        self.rests = self.history.last().is_some_and(|last| trouble(last) == 0) && !self.states.iter().any(|s| s.moved);
        self.forget_list();
    }

    /// After how many iterations the molecules stood where [`Self::poses`] and a checkpoint say: all that were done, or a few
    /// less while an engine works.
    pub fn held(&self) -> u32 {
        self.iteration - self.ahead
    }

    /// Iterates on an engine until rest or a limit, as [`Self::run`] does here; `watch` sees every iteration. Poses follow
    /// about once a second and at the end. A few iterations that were under way when `watch` asked for an end are still
    /// counted, unseen.
    ///
    /// If the engine fails, its error comes back, and the run ends here all the same: from where the engine last
    /// said that the molecules are, so that `watch` may see the numbers of some iterations twice.
    pub fn run_on(
        &mut self,
        engine: &mut dyn Engine,
        mut watch: impl FnMut(&Self, &Iteration) -> ControlFlow<()>,
    ) -> (Stop, Option<EngineError>) {
        assert!(self.is_whole(), "an engine knows nothing of ghosts");
        let started = Instant::now();
        if let Some(stop) = self.stop(started) {
            return (stop, None);
        }
        let (stop, error) = match self.iterate_on(engine, started, &mut watch) {
            Ok(stop) => (Some(stop), self.catch_up(engine).err()),
            Err(error) => (None, Some(error)),
        };
        match (stop, error) {
            (Some(stop), None) => (stop, None),
            (stop, error) => {
                self.go_back();
                let interrupted = stop.filter(|&stop| stop == Stop::Interrupted);
                (interrupted.unwrap_or_else(|| self.run_since(started, watch)), error)
            }
        }
    }

    /// Iterates on an engine; at the end the poses here may be behind.
    fn iterate_on(
        &mut self,
        engine: &mut dyn Engine,
        started: Instant,
        watch: &mut impl FnMut(&Self, &Iteration) -> ControlFlow<()>,
    ) -> Result<Stop, EngineError> {
        engine.load(self)?;
        let mut fetched = Instant::now();
        let mut at_a_time = FIRST_AT_A_TIME;
        loop {
            if let Some(stop) = self.stop(started) {
                return Ok(stop);
            }
            let asked = Instant::now();
            let done = self.advance(engine, at_a_time)?;
            let fit = LONGEST_AT_A_TIME.as_secs_f64() * done.len() as f64 / asked.elapsed().as_secs_f64();
            let progress = if fetched.elapsed() >= FETCH_EVERY {
                fetched = Instant::now();
                Some(engine.fetch()?)
            } else {
                None
            };
            if self.show(&done, progress, watch).is_break() {
                return Ok(Stop::Interrupted);
            }
            // Overlaps become about half as many with each iteration.
            let left = done.last().map_or(0, |last| 4 + (last.overlaps + 1).ilog2());
            at_a_time = (2 * at_a_time).min(MOST_AT_A_TIME).min(fit as u32).min(left).max(1);
        }
    }

    /// Asks an engine for iterations, no more than are due before a limit.
    fn advance(&self, engine: &mut dyn Engine, at_a_time: u32) -> Result<Vec<Iteration>, EngineError> {
        let most = at_a_time.min(self.options.max_iterations - self.iteration).min(self.patience());
        let done = engine.advance(most)?;
        if done.is_empty() || done.len() > most as usize {
            let name = engine.name();
            return Err(EngineError(format!("{name}: expected 1 to {most} iterations, found {}", done.len())));
        }
        Ok(done)
    }

    /// Shows iterations one by one; where the molecules are after the last belongs to the last.
    fn show(
        &mut self,
        done: &[Iteration],
        mut progress: Option<Progress>,
        watch: &mut impl FnMut(&Self, &Iteration) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (at, iteration) in done.iter().enumerate() {
            self.note(iteration);
            if at + 1 == done.len() {
                progress.take().into_iter().for_each(|progress| self.settle(progress));
            }
            if watch(self, iteration).is_break() {
                done[at + 1..].iter().for_each(|unseen| self.note(unseen));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Counts an iteration that was done elsewhere.
    fn note(&mut self, iteration: &Iteration) {
        self.history.push(*iteration);
        self.iteration += 1;
        self.ahead += 1;
        self.rests = trouble(iteration) == 0;
    }

    /// Fetches the poses, if they are behind.
    fn catch_up(&mut self, engine: &mut dyn Engine) -> Result<(), EngineError> {
        if self.ahead > 0 {
            self.settle(engine.fetch()?);
        }
        Ok(())
    }

    /// Takes over what an engine fetched after the last iteration that is known here.
    fn settle(&mut self, progress: Progress) {
        self.take(progress, &[]);
        if self.history.last().is_some_and(|last| trouble(last) == 0) {
            self.apply(true);
            self.rests = true;
        }
    }

    /// Forgets the iterations that the poses do not show.
    fn go_back(&mut self) {
        if self.ahead > 0 {
            self.iteration = self.held();
            self.history.truncate(self.iteration as usize);
            (self.ahead, self.rests) = (0, false);
        }
    }
}
