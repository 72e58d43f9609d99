//! A relaxation by many ranks, with the bits of one.
//!
//! How it works: a rank iterates with the molecules that it owns and meets the ghosts of others. Before contacts are looked at, the news of the ghosts are
//! under way while inner pairs are visited; when steps have been decided on, a dozen whole numbers are added up over all ranks, and only then
//! do molecules move. When an atom has come farther than half the slack, the ranks come together: molecules go to the
//! block that they are in, and ghosts are chosen anew. When one rank has had much more to do than the mean for a while, blocks are
//! cut anew first. Nothing of this changes a pose, so the result is that of one process, whoever owns what.

mod agree;
mod options;
mod proxies;
mod rings;
mod save;
mod talk;
mod whole;

use std::ops::{ControlFlow, Range};

pub use agree::CrewError;
pub use options::{Burden, CrewOptions, Ownership};
pub use proxies::{CrewProxies, run_proxies};
pub use rings::RingRepairs;
pub use save::SaveError;
use steric_model::{Instant, Random};
use steric_world::relax::{Drift, Iteration, Record, Relax, RelaxOptions, Setup, Stop};
pub use talk::Wish;

use self::agree::agree;
use self::talk::{Agreed, Talk};
use crate::blocks::{Blocks, Frame, Load};
use crate::comm::{Comm, Traffic};
use crate::home::Home;

/// A relaxation that many ranks do together. All ranks make one of the same scene and call the same functions in the same order.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use glam::{DVec3, Vec3};
/// use steric_cluster::comm::{Comm, threads};
/// use steric_cluster::relax::{Crew, CrewOptions};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup, Stop};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in 0..40 {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
/// }
/// let setup = || Setup::new(scene.clone());
/// let mut one = Relax::new(setup(), RelaxOptions::default(), 1);
/// one.run(|_, _| ControlFlow::Continue(()));
///
/// let hashes = threads::run(3, |comm: &dyn Comm| {
///     let mut crew = Crew::new(comm, setup(), RelaxOptions::default(), 1, CrewOptions::default())?;
///     assert_eq!(crew.run(|_, _| ControlFlow::Continue(())), Stop::Rest);
///     Ok::<u64, steric_cluster::relax::CrewError>(crew.state_hash())
/// });
/// assert!(hashes.iter().all(|hash| *hash == Ok(one.state_hash())));
/// ```
pub struct Crew<'a> {
    relax: Relax,
    blocks: Blocks,
    options: CrewOptions,
    molecules: usize,
    talk: Talk<'a>,
    /// Whether the ranks have to come together before they go on, and whether blocks are cut anew.
    apart: bool,
    unbalanced_for: u32,
    /// How far ghosts reach beyond contacts now.
    slack: f32,
    burden: Burden,
    /// The iteration with which the crew began, and what had been sent until then.
    before: (u32, Traffic),
}

impl std::fmt::Debug for Crew<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { options, molecules, burden, .. } = self;
        f.debug_struct("Crew").field("options", options).field("molecules", molecules).field("burden", burden).finish()
    }
}

impl<'a> Crew<'a> {
    /// Shares out the molecules of a setup. Every rank gives the whole of it and keeps its own molecules, the ghosts, and all types and
    /// constraints.
    pub fn new(
        comm: &'a dyn Comm,
        setup: Setup,
        physics: RelaxOptions,
        seed: u64,
        options: CrewOptions,
    ) -> Result<Self, CrewError> {
        Self::of(comm, Relax::new(setup, physics, seed), options)
    }

    /// Goes on with a relaxation that every rank has whole, at its start or on its way: from a checkpoint, for example.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_cluster::comm::{Comm, threads};
    /// use steric_cluster::relax::{Crew, CrewError, CrewOptions};
    /// use steric_model::{Pose, Scene};
    /// use steric_world::relax::{Relax, RelaxOptions, Setup};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// for x in 0..40 {
    ///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
    /// }
    /// let relax = || Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1);
    /// let mut one = relax();
    /// (0..3).for_each(|_| _ = one.step());
    ///
    /// // The first iteration by one process, one by two ranks, the last by one process again.
    /// let hashes = threads::run(2, |comm: &dyn Comm| {
    ///     let mut first = relax();
    ///     first.step();
    ///     let mut crew = Crew::of(comm, first, CrewOptions::default())?;
    ///     crew.step();
    ///     let mut last = relax();
    ///     last.take(crew.progress(), crew.relax().history());
    ///     last.step();
    ///     Ok::<u64, CrewError>(last.state_hash())
    /// });
    /// assert!(hashes.iter().all(|hash| *hash == Ok(one.state_hash())));
    /// ```
    pub fn of(comm: &'a dyn Comm, relax: Relax, options: CrewOptions) -> Result<Self, CrewError> {
        assert!(relax.is_whole(), "what is shared out is there");
        let before = (relax.iteration(), comm.traffic());
        let molecules = relax.owned();
        agree(comm, &relax, &options)?;
        let frame = Frame(relax.here().periodic_box());
        let records: Vec<Record> = share(molecules, comm).map(|slot| relax.record(slot)).collect();
        let blocks = Blocks::new(comm, frame, &loads(&relax, frame, &records));
        let talk = Talk { comm, home: Home::default(), own: Agreed::default(), agreed: Agreed::default() };
        let burden = Burden { ranks: comm.ranks(), molecules, cuts: 1, ..Burden::default() };
        let (apart, unbalanced_for, slack) = (false, 0, 2.0 * options.slack);
        let mut crew = Self { relax, blocks, options, molecules, talk, apart, unbalanced_for, slack, burden, before };
        crew.gather(&records);
        Ok(crew)
    }

    /// Iterates until rest or a limit. `watch` sees every iteration and may end the run; the others hear of it with the next one. The limit of
    /// seconds is that of the clock of rank 0.
    pub fn run(&mut self, mut watch: impl FnMut(&Relax, &Iteration) -> ControlFlow<()>) -> Stop {
        let wish = |relax: &Relax, iteration: &Iteration| match watch(relax, iteration) {
            ControlFlow::Continue(()) => Wish::GoOn,
            ControlFlow::Break(()) => Wish::End,
        };
        self.run_and_save(wish, |_| ())
    }

    /// As [`Self::run`]; where `watch` wishes so on any rank, all save after the next iteration: in `save` ranks may speak to each other.
    pub fn run_and_save(
        &mut self,
        mut watch: impl FnMut(&Relax, &Iteration) -> Wish,
        mut save: impl FnMut(&Self),
    ) -> Stop {
        let started = Instant::now();
        (self.talk.own, self.talk.agreed) = (Agreed::default(), Agreed::default());
        loop {
            if let Some(stop) = self.stop() {
                return stop;
            }
            let iteration = self.step();
            if self.talk.agreed.is_to_be_saved {
                self.talk.own.is_to_be_saved = false;
                save(self);
            }
            match watch(&self.relax, &iteration) {
                Wish::GoOn => {}
                Wish::Save => self.talk.own.is_to_be_saved = true,
                Wish::End => self.talk.own.is_interrupted = true,
            }
            let seconds = self.relax.options().max_seconds;
            self.talk.own.is_late =
                self.talk.comm.rank() == 0 && seconds > 0.0 && started.elapsed().as_secs_f64() > seconds;
        }
    }

    /// One iteration.
    pub fn step(&mut self) -> Iteration {
        if self.apart {
            self.come_together();
        }
        let iteration = self.relax.step_of(&mut self.talk);
        let Drift { away, work: [all, most] } = self.relax.drift();
        self.burden.work += all as u64;
        self.burden.most_work += most as u64;
        self.apart |= away > 0.5 * f64::from(self.slack) || self.options.ownership != Ownership::Blocks;
        let CrewOptions { drift, least_work, .. } = self.options;
        let ranks = self.talk.comm.ranks() as i64;
        let is_unbalanced = all > least_work * ranks && (most * ranks) as f64 > drift * all as f64;
        self.unbalanced_for = if is_unbalanced { self.unbalanced_for + 1 } else { 0 };
        if self.unbalanced_for == 1 {
            // The new blocks are to suit what there is to do now.
            self.relax.forget_work();
        }
        self.apart |= self.unbalanced_for >= self.options.drift_iterations;
        iteration
    }

    /// Why there should be no further iteration, if so.
    fn stop(&self) -> Option<Stop> {
        let Agreed { is_late, is_interrupted, .. } = self.talk.agreed;
        let stop = self.relax.stop_at(if is_late { f64::INFINITY } else { 0.0 });
        match stop {
            Some(Stop::Rest) => stop,
            _ if is_interrupted => Some(Stop::Interrupted),
            _ => stop,
        }
    }

    /// Hands molecules to whoever owns them now, and finds the ghosts.
    fn come_together(&mut self) {
        // Ghosts should last for some four iterations.
        let farthest = self.relax.history().last().map_or(f64::INFINITY, |last| last.farthest);
        self.slack = (8.0 * farthest as f32).clamp(self.options.slack, 2.0 * self.options.slack);
        let records = self.records();
        if self.unbalanced_for >= self.options.drift_iterations {
            let frame = Frame(self.relax.here().periodic_box());
            self.blocks = Blocks::new(self.talk.comm, frame, &loads(&self.relax, frame, &records));
            self.unbalanced_for = 0;
            self.burden.cuts += 1;
        }
        self.gather(&records);
    }

    fn gather(&mut self, records: &[Record]) {
        let Self { relax, blocks, options, talk: Talk { comm, home, .. }, burden, slack, .. } = self;
        let (iteration, ranks) = (relax.iteration(), comm.ranks());
        let owner = |record: &Record| match options.ownership {
            Ownership::Blocks => blocks.owner(record.sight.pose.translation),
            Ownership::Scattered(seed) => {
                let chance = Random::of(seed.wrapping_add(iteration.into()), record.id.into()).unit();
                ((chance * ranks as f64) as usize).min(ranks - 1)
            }
        };
        let reach = relax.contact_reach() + *slack;
        *home = Home::gather(*comm, relax, records, &owner, reach);
        burden.gatherings += 1;
        burden.most_owned = burden.most_owned.max(relax.owned());
        burden.most_ghosts = burden.most_ghosts.max(home.ghosts);
        burden.most_here = burden.most_here.max(relax.owned() + home.ghosts);
        self.apart = false;
    }

    fn records(&self) -> Vec<Record> {
        (0..self.relax.owned()).map(|slot| self.relax.record(slot)).collect()
    }

    /// The relaxation of the molecules here. Its history is that of the whole scene.
    pub fn relax(&self) -> &Relax {
        &self.relax
    }

    /// What it has taken so far to share the scene.
    pub fn burden(&self) -> Burden {
        let comm = self.talk.comm;
        let now = comm.traffic();
        let (begun, before) = self.before;
        let sent = [now.messages - before.messages, now.bytes - before.bytes];
        let Burden { most_owned, most_ghosts, most_here, .. } = self.burden;
        let mut sums = [sent[0] as i64, sent[1] as i64, self.talk.home.ghosts as i64];
        let mut most = [most_owned, most_ghosts, most_here].map(|count| count as i64);
        comm.sum(&mut sums);
        comm.most(&mut most);
        let iterations = f64::from((self.relax.iteration() - begun).max(1));
        let [most_owned, most_ghosts, most_here] = most.map(|count| count as usize);
        Burden {
            most_owned,
            most_ghosts,
            most_here,
            ghosts: sums[2] as usize,
            messages_per_iteration: sums[0] as f64 / iterations,
            bytes_per_iteration: sums[1] as f64 / iterations,
            ..self.burden
        }
    }
}

/// An even share of so many things.
fn share(of: usize, comm: &dyn Comm) -> Range<usize> {
    let [start, end] = [comm.rank(), comm.rank() + 1].map(|rank| of * rank / comm.ranks());
    start..end
}

/// How much work molecules are: a little each, and much for every iteration in which they were looked at.
fn loads(relax: &Relax, frame: Frame, records: &[Record]) -> Vec<Load> {
    const AWAKE: i64 = 8;
    let load = |record: &Record| {
        let clusters = relax.here().types()[record.kind.0 as usize].clusters.len() as i64;
        let work = clusters * (1 + AWAKE * i64::from(record.busy));
        Load { place: frame.place(record.sight.pose.translation), work }
    };
    records.iter().map(load).collect()
}
