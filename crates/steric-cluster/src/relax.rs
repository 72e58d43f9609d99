//! A relaxation by many ranks, with the bits of one.
//!
//! How it works: a rank iterates with the molecules that it owns and meets the ghosts of others. Before contacts are looked at, the news of the ghosts are
//! under way while inner pairs are visited; when steps have been decided on, a dozen whole numbers are added up over all ranks, and only then
//! do molecules move. When an atom has come farther than half the slack, the ranks come together: molecules go to the
//! block that they are in, and ghosts are chosen anew. When one rank has had much more to do than the mean for a while, blocks are
//! cut anew first. Nothing of this changes a pose, so the result is that of one process, whoever owns what.

use std::ops::{ControlFlow, Range};

use steric_collide::instruction_set;
use steric_model::{Instant, MoleculeId, Pose, Random};
use steric_world::relax::{
    Drift, Iteration, Parts, Progress, ProxyFit, Record, Relax, RelaxOptions, Setup, Sight, Stop, Team, hashed_on,
    state_hash,
};
use steric_world::report::Skeletons;

use crate::blocks::{Blocks, Frame, Load};
use crate::choose::least_of_most;
use crate::comm::{Comm, Traffic};
use crate::home::Home;
use crate::wire::{POSE, Reader, Writer, records_as_bytes, records_of_bytes};

/// Why ranks cannot relax a scene together. All ranks find the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrewError {
    /// The ranks were not given the same scene.
    #[error("expected the same molecules, options and seed on every rank, found others on rank {rank} than on rank 0")]
    Different {
        /// The first that differs from rank 0.
        rank: usize,
    },
    /// Processors that round differently.
    #[error(
        "expected processors that round alike, found {found} on rank {rank} and {first} on rank 0: the bits would depend on who does what"
    )]
    Processors {
        /// The first that differs from rank 0.
        rank: usize,
        /// Its instruction set.
        found: String,
        /// That of rank 0.
        first: String,
    },
    /// A number that cannot be used.
    #[error("expected a slack above 0, found {0}")]
    Slack(String),
}

/// Who owns a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ownership {
    /// Whoever has the block of its centre.
    #[default]
    Blocks,
    /// Anybody, by chance from a seed, and somebody else after every iteration. The bits are the same and nearly everything is sent all the
    /// time: for tests.
    Scattered(u64),
}

/// How ranks share a scene. Nothing here changes a pose.
///
/// ```
/// use steric_cluster::relax::CrewOptions;
///
/// assert_eq!(CrewOptions::default().slack, 6.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrewOptions {
    /// How much farther than contacts ghosts reach, in angstroms; up to twice as much while molecules move far. More of it means more ghosts
    /// and fewer searches for them.
    pub slack: f32,
    /// Who owns a molecule.
    pub ownership: Ownership,
    /// Blocks are cut anew when one rank has had so many times the mean work,
    pub drift: f64,
    /// in so many iterations without a break,
    pub drift_iterations: u32,
    /// and where there was work for each rank of more than so many clusters.
    pub least_work: i64,
}

impl Default for CrewOptions {
    fn default() -> Self {
        Self { slack: 6.0, ownership: Ownership::Blocks, drift: 1.2, drift_iterations: 20, least_work: 512 }
    }
}

/// Ghosts have to reach so far to see every bond in a ring: a ring of eight atoms and a bond are no longer than this, in angstroms.
const RINGS_REACH: f32 = 8.0;

/// What it took to share the scene, over all ranks.
///
/// ```
/// use steric_cluster::relax::Burden;
///
/// assert_eq!(Burden::default().bytes_per_iteration, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Burden {
    /// How many ranks there are.
    pub ranks: usize,
    /// Molecules of the whole scene.
    pub molecules: usize,
    /// The most molecules that a rank has owned.
    pub most_owned: usize,
    /// The most ghosts that a rank has had.
    pub most_ghosts: usize,
    /// Ghosts of all ranks together, the last time.
    pub ghosts: usize,
    /// The most molecules that stood on a rank at one time, ghosts and all.
    pub most_here: usize,
    /// Messages of all ranks together, for each iteration.
    pub messages_per_iteration: f64,
    /// Their bytes.
    pub bytes_per_iteration: f64,
    /// How often the ranks came together.
    pub gatherings: u32,
    /// How often blocks were cut.
    pub cuts: u32,
    /// Clusters of molecules that were looked at, in all iterations together,
    pub work: u64,
    /// and by the rank that had most of them in each.
    pub most_work: u64,
}

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
    before: Traffic,
}

impl std::fmt::Debug for Crew<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { options, molecules, burden, .. } = self;
        f.debug_struct("Crew").field("options", options).field("molecules", molecules).field("burden", burden).finish()
    }
}

/// What all ranks know of the end, since the last iteration.
#[derive(Clone, Copy, Debug, Default)]
struct Agreed {
    is_late: bool,
    is_interrupted: bool,
}

/// How a rank talks to the others in an iteration.
struct Talk<'a> {
    comm: &'a dyn Comm,
    home: Home,
    /// What this rank has to say about the end.
    own: Agreed,
    /// What all have said.
    agreed: Agreed,
}

impl Team for Talk<'_> {
    fn news(&mut self, relax: &Relax, inner: &mut dyn FnMut(&dyn Fn())) -> Vec<(u32, Sight)> {
        self.home.news(self.comm, relax, inner)
    }

    fn whole(&mut self, sums: &mut [i64], most: &mut [i64]) {
        self.comm.sum(sums);
        let Agreed { is_late, is_interrupted } = self.own;
        let mut words = most.to_vec();
        words.extend([is_late, is_interrupted].map(i64::from));
        self.comm.most(&mut words);
        let (theirs, flags) = words.split_at(most.len());
        most.copy_from_slice(theirs);
        self.agreed = Agreed { is_late: flags[0] > 0, is_interrupted: flags[1] > 0 };
    }

    fn least_of_most(&mut self, keys: Vec<u64>, count: usize) -> u64 {
        least_of_most(self.comm, keys, count)
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
        if !(options.slack > 0.0 && options.slack.is_finite()) {
            return Err(CrewError::Slack(options.slack.to_string()));
        }
        let before = comm.traffic();
        let molecules = relax.owned();
        agree(comm, &relax)?;
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
        let started = Instant::now();
        (self.talk.own, self.talk.agreed) = (Agreed::default(), Agreed::default());
        loop {
            if let Some(stop) = self.stop() {
                return stop;
            }
            let iteration = self.step();
            self.talk.own.is_interrupted |= watch(&self.relax, &iteration).is_break();
            let seconds = self.relax.options().max_seconds;
            self.talk.own.is_late =
                self.talk.comm.rank() == 0 && seconds > 0.0 && started.elapsed().as_secs_f64() > seconds;
        }
    }

    /// As [`Self::run`], and pushes bonds out of the rings that they go through, as often as it helps. Gives how many there were at the first
    /// rest, too.
    pub fn run_and_free_rings(
        &mut self,
        skeletons: &Skeletons,
        mut watch: impl FnMut(&Relax, &Iteration) -> ControlFlow<()>,
    ) -> (Stop, Option<RingRepairs>) {
        /// A bond that is caught again and again will not come free.
        const REPAIRS: usize = 10;
        let mut stop = self.run(&mut watch);
        let mut repairs: Option<RingRepairs> = None;
        for _ in 0..REPAIRS {
            if stop != Stop::Rest || skeletons.ring_count() == 0 {
                break;
            }
            let found = self.free_rings(skeletons);
            repairs = Some(RingRepairs { caught: repairs.map_or(found, |repairs| repairs.caught), left: found });
            if found == 0 {
                break;
            }
            stop = self.run(&mut watch);
        }
        (stop, repairs)
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
        let Agreed { is_late, is_interrupted } = self.talk.agreed;
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

    /// Pushes bonds out of the rings that they go through, and gives how many there were. What is pushed may overlap then, so iterations have
    /// to follow.
    pub fn free_rings(&mut self, skeletons: &Skeletons) -> u64 {
        if skeletons.ring_count() == 0 {
            return 0;
        }
        self.slack = self.options.slack.max(RINGS_REACH);
        let records = self.records();
        self.gather(&records);
        let scene = self.relax.here().clone();
        let (owned, ids) = (self.relax.owned(), self.relax.ids().to_vec());
        let id = |molecule: MoleculeId| ids[molecule.0 as usize];
        let mut piercings = skeletons.piercings(&scene);
        // A molecule is pushed out of one ring after another, in the order of the whole scene.
        piercings.sort_by_cached_key(|piercing| {
            let (ring, bond) = (&piercing.ring, &piercing.bond);
            (id(ring.0), ring.1.clone(), id(bond.0), bond.1)
        });
        let is_own = |molecule: MoleculeId| (molecule.0 as usize) < owned;
        let mut count = [piercings.iter().filter(|piercing| is_own(piercing.ring.0)).count() as i64];
        for piercing in &piercings {
            let Some(way) = skeletons.push_out(&scene, piercing, 0.5) else { continue };
            for (molecule, shift) in [(piercing.bond.0, 0.5 * way), (piercing.ring.0, -0.5 * way)] {
                if is_own(molecule) {
                    self.relax.nudge(MoleculeId(id(molecule)), shift);
                }
            }
        }
        self.talk.comm.sum(&mut count);
        let mut is_moved = [i64::from(!self.relax.is_at_rest())];
        self.talk.comm.most(&mut is_moved);
        self.relax.agree_on_rest(is_moved[0] == 0);
        // Those who were pushed may meet others now.
        self.apart = true;
        count[0] as u64
    }

    /// The relaxation of the molecules here. Its history is that of the whole scene.
    pub fn relax(&self) -> &Relax {
        &self.relax
    }

    /// A number that changes when any bit of any pose of the whole scene changes: that of one process.
    pub fn state_hash(&self) -> u64 {
        let comm = self.talk.comm;
        let (_, poses) = self.poses_of_share();
        let mut hash = state_hash(&[]);
        // Poses are hashed one after another, so each rank goes on from the hash of the one before it.
        for rank in 0..comm.ranks() {
            let mut words = [0i64];
            if rank == comm.rank() {
                words[0] = hashed_on(hash, &poses) as i64;
            }
            comm.sum(&mut words);
            hash = words[0] as u64;
        }
        hash
    }

    /// The poses of an even share of the molecules, in the order of the setup, and which molecules they are.
    pub fn poses_of_share(&self) -> (Range<usize>, Vec<Pose>) {
        let comm = self.talk.comm;
        let mut out: Vec<Writer> = (0..comm.ranks()).map(|_| Writer::default()).collect();
        let shares: Vec<usize> = (1..=comm.ranks()).map(|rank| self.molecules * rank / comm.ranks()).collect();
        for (&id, molecule) in self.relax.ids()[..self.relax.owned()].iter().zip(self.relax.here().molecules()) {
            let out = &mut out[shares.partition_point(|&end| end <= id as usize)];
            out.word(id);
            out.pose(&molecule.pose);
        }
        let share = share(self.molecules, comm);
        let mut poses = vec![Pose::IDENTITY; share.len()];
        for bytes in comm.to_all(out.into_iter().map(|out| out.0).collect()) {
            for bytes in bytes.chunks_exact(4 + POSE) {
                let mut reader = Reader(bytes);
                let place = reader.word() as usize - share.start;
                poses[place] = reader.pose();
            }
        }
        (share, poses)
    }

    /// The poses of all molecules, in the order of the setup, on every rank: for scenes that every rank has room for.
    pub fn all_poses(&self) -> Vec<Pose> {
        let mut out = Writer::default();
        self.poses_of_share().1.iter().for_each(|pose| out.pose(pose));
        let all = self.talk.comm.gather(&out.0);
        all.iter().flat_map(|bytes| bytes.chunks_exact(POSE)).map(|bytes| Reader(bytes).pose()).collect()
    }

    /// How far the relaxation of the whole scene has come, for [`Relax::take`] in one of the same start: for scenes that every rank has room for.
    pub fn progress(&self) -> Progress {
        let own = self.relax.progress();
        let all = self.talk.comm.gather(&records_as_bytes(&self.records()));
        let mut records: Vec<Record> = all.iter().flat_map(|bytes| records_of_bytes(bytes)).collect();
        records.sort_unstable_by_key(|record| record.slot);
        let each = || records.iter();
        Progress {
            poses: each().map(|record| record.sight.pose).collect(),
            momenta: each().map(|record| record.momentum).collect(),
            normals: each().map(|record| record.sight.normal).collect(),
            dirty_for: each().map(|record| record.sight.dirty_for).collect(),
            warmth: each().map(|record| record.sight.warmth).collect(),
            moved: each().map(|record| record.sight.moved).collect(),
            broken: each().map(|record| record.broken).collect(),
            disturbed: own.disturbed,
            searches: own.searches,
        }
    }

    /// What it has taken so far to share the scene.
    pub fn burden(&self) -> Burden {
        let comm = self.talk.comm;
        let now = comm.traffic();
        let sent = [now.messages - self.before.messages, now.bytes - self.before.bytes];
        let Burden { most_owned, most_ghosts, most_here, .. } = self.burden;
        let mut sums = [sent[0] as i64, sent[1] as i64, self.talk.home.ghosts as i64];
        let mut most = [most_owned, most_ghosts, most_here].map(|count| count as i64);
        comm.sum(&mut sums);
        comm.most(&mut most);
        let iterations = f64::from(self.relax.iteration().max(1));
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

/// Bonds that were caught in rings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingRepairs {
    /// At the first rest.
    pub caught: u64,
    /// When they were last looked for.
    pub left: u64,
}

/// What stand-ins did that went first.
#[derive(Clone, Copy, Debug)]
pub struct CrewProxies {
    /// How well they fitted.
    pub fit: ProxyFit,
    /// Iterations that they took.
    pub iterations: u32,
    /// Molecules whose stand-ins still overlapped when the atoms took over.
    pub overlapping: u32,
}

/// Lets stand-ins of at most so many spheres per molecule go first, until they rest or for so many iterations, and puts the molecules of the setup where
/// they end.
pub fn run_proxies(
    comm: &dyn Comm,
    setup: &mut Setup,
    spheres: usize,
    iterations: u32,
    physics: &RelaxOptions,
    seed: u64,
    options: CrewOptions,
) -> Result<CrewProxies, CrewError> {
    let (coarse, fit) = setup.proxies(spheres);
    let physics = RelaxOptions { max_iterations: iterations, stall_iterations: 30, ..physics.clone() };
    let mut crew = Crew::new(comm, coarse, physics, seed, options)?;
    crew.run(|_, _| ControlFlow::Continue(()));
    for (molecule, pose) in setup.scene.molecules_mut().iter_mut().zip(crew.all_poses()) {
        molecule.pose = pose;
    }
    let history = crew.relax().history();
    let overlapping = history.last().map_or(0, |last| last.overlapping);
    Ok(CrewProxies { fit, iterations: crew.relax().iteration(), overlapping })
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

/// Finds out whether all ranks have been given the same, on processors that round alike.
fn agree(comm: &dyn Comm, relax: &Relax) -> Result<(), CrewError> {
    let Parts { scene, groups, options, allow, seed, iteration, disturbed, .. } = relax.parts();
    // A region may be a large mesh: what is held is told apart by how much of it there is.
    let held: Vec<usize> = groups.iter().map(Vec::len).collect();
    let (radii, periodic_box) = (scene.radii(), scene.periodic_box());
    let text = format!("{options:?} {allow:?} {seed} {iteration} {disturbed} {held:?} {radii:?} {periodic_box:?}");
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = text.as_bytes().iter().fold(state_hash(&[]), mix);
    for slot in 0..relax.owned() {
        hash = records_as_bytes([&relax.record(slot)]).iter().fold(hash, mix);
    }
    let mut out = Writer::default();
    out.long(hash);
    out.0.extend_from_slice(instruction_set().as_bytes());
    let all = comm.gather(&out.0);
    let Some(rank) = all.iter().position(|other| *other != all[0]) else { return Ok(()) };
    let name = |bytes: &[u8]| String::from_utf8_lossy(&bytes[8..]).into_owned();
    let [found, first] = [name(&all[rank]), name(&all[0])];
    Err(if found == first { CrewError::Different { rank } } else { CrewError::Processors { rank, found, first } })
}
