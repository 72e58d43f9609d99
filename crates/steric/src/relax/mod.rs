//! From a scene file or a model to molecules that do not overlap: one value that carries a relaxation from its input to its
//! report.
//!
//! How it works: the molecules of the input become one scene and a [`Setup`]; the discs of a membrane, the
//! stand-ins and the atoms are relaxed in turn, each from where the one before it ended; bonds that were caught in rings are
//! pushed out; the moved molecules go back into the input's own structure.

mod engine;
mod model;
mod partners;
mod picked;
mod ranks;
mod scene;

use std::ops::ControlFlow;
use std::sync::OnceLock;

pub use engine::Remarks;
pub use model::ModelOptions;
pub use ranks::{Checkpoints, RunOnRanks};
use steric_collide::{Overlap, OverlapSearch};
use steric_model::{Instant, MoleculeId, Molecules, MoleculesError, MovedError, Pose, Scene, Structure};
use steric_world::build::{BuildError, Closeness, Verdict};
use steric_world::relax::{Hold, Iteration, ProxyFit, Relax, RelaxOptions, Setup, Stop};
use steric_world::report::{
    HoldReport, MembraneReport, Motion, OverlapTotals, PiercingTotals, RelaxReport, Skeletons, Stage, StillOverlapping,
    peak_memory_bytes,
};

/// Why a relaxation could not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelaxError {
    /// The scene could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A model could not become molecules.
    #[error(transparent)]
    Molecules(#[from] MoleculesError),
    /// A molecule that is to stay where it is, and is not there.
    #[error("what is to stay where it is: expected a species of the model ({known}), found {wanted:?}")]
    NoSuchSpecies {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: String,
    },
    /// More molecules than there is memory for.
    #[error(
        "expected at most about {most} molecules, for which there is memory, found {found}; they would need {needed_gb:.1} GB of the \
         {available_gb:.1} GB that are free"
    )]
    TooLarge {
        /// How many there are.
        found: u64,
        /// For about how many there is room.
        most: u64,
        /// What they would need, in gigabytes.
        needed_gb: f64,
        /// What is free, in gigabytes.
        available_gb: f64,
    },
    /// A number that no relaxation can use.
    #[error("expected {expected}, found {found}")]
    Number {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
}

/// Stand-ins that went before the atoms.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ProxyRun {
    /// How many spheres a molecule had at most.
    pub spheres_per_molecule: usize,
    /// How well they fitted.
    pub fit: ProxyFit,
    /// Iterations that they took.
    pub iterations: u32,
    /// Seconds that they took.
    pub seconds: f64,
    /// Molecules whose stand-ins still overlapped when the atoms took over.
    pub overlapping: u32,
    /// Pairs of atoms that were left for the atoms to part.
    pub overlaps_left: u64,
}

/// A relaxation from its input to its report.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use steric::relax::Relaxation;
/// use steric::world::build::SceneFile;
///
/// let text = "[[membrane]]\ncount = 400\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
/// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
/// let mut relaxation = Relaxation::of_scene(&scene, "vesicle", "".as_ref())?;
/// relaxation.run(|_, _| ControlFlow::Continue(()));
/// let report = relaxation.report();
/// assert!(report.is_clean(), "{report}");
/// assert_eq!(relaxation.structure()?.assemblies[0].copies.iter().map(|copies| copies.poses.len()).sum::<usize>(), 400);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Relaxation {
    name: String,
    structure: Structure,
    molecules: Molecules,
    definition: String,
    verdicts: Vec<Verdict>,
    notes: Vec<String>,
    /// Where the molecules stood before anything moved them.
    start: Vec<Pose>,
    /// What there was to part, once someone has asked.
    before: OnceLock<Before>,
    repaired: u64,
    /// Bonds and rings, once someone has asked.
    skeletons: OnceLock<Skeletons>,
    setup: Setup,
    relax: Relax,
    proxy: Option<ProxyRun>,
    stages: Vec<Stage>,
    stop: Option<Stop>,
    seed: u64,
    engine: engine::Choice,
    remarks: Remarks,
}

/// What there was to part before the relaxation began.
#[derive(Clone, Copy, Debug)]
struct Before {
    overlaps: OverlapTotals,
    piercings: u64,
    seconds: f64,
}

/// What the two kinds of input have in common.
struct Input {
    name: String,
    structure: Structure,
    molecules: Molecules,
    setup: Setup,
    definition: String,
    verdicts: Vec<Verdict>,
    notes: Vec<String>,
    start: Vec<Pose>,
    stages: Vec<Stage>,
}

impl Relaxation {
    fn new(input: Input, physics: RelaxOptions, seed: u64) -> Result<Self, RelaxError> {
        check_numbers(&physics)?;
        let Input { name, structure, molecules, setup, definition, verdicts, notes, start, mut stages } = input;
        let clock = Instant::now();
        let relax = Relax::new(setup.clone(), physics, seed);
        stages.push(stage("set-up", clock));
        Ok(Self {
            name,
            structure,
            molecules,
            definition,
            verdicts,
            notes,
            start,
            before: OnceLock::new(),
            repaired: 0,
            skeletons: OnceLock::new(),
            setup,
            relax,
            proxy: None,
            stages,
            stop: None,
            seed,
            engine: engine::Choice::default(),
            remarks: Remarks::default(),
        })
    }

    /// Lets stand-ins of at most so many spheres per molecule go first, until they rest or for so many iterations.
    pub fn run_proxies(&mut self, spheres: usize, iterations: u32) {
        self.before();
        let clock = Instant::now();
        let (coarse, fit) = self.setup.proxies(spheres);
        let options = RelaxOptions { max_iterations: iterations, stall_iterations: 30, ..self.relax.options().clone() };
        let mut relax = Relax::new(coarse, options.clone(), self.seed);
        self.engine.forget();
        self.engine.run(&mut relax, &self.remarks, &mut |_, _| ControlFlow::Continue(()));
        self.engine.forget();
        let poses = relax.poses();
        for (molecule, pose) in self.setup.scene.molecules_mut().iter_mut().zip(&poses) {
            molecule.pose = *pose;
        }
        let left = totals(&self.setup.scene, self.setup.allow);
        self.proxy = Some(ProxyRun {
            spheres_per_molecule: spheres,
            fit,
            iterations: relax.iteration(),
            seconds: clock.elapsed().as_secs_f64(),
            overlapping: relax.history().last().map_or(0, |last| last.overlapping),
            overlaps_left: left.overlaps,
        });
        self.stages.push(stage("proxies", clock));
        let options = self.relax.options().clone();
        self.relax = Relax::new(self.setup.clone(), options, self.seed);
    }

    /// Pushes molecules apart until rest or a limit, and bonds out of rings; `watch` sees every iteration and may end the run.
    pub fn run(&mut self, mut watch: impl FnMut(&Relax, &Iteration) -> ControlFlow<()>) -> Stop {
        /// A bond that is caught again and again will not come free.
        const REPAIRS: usize = 10;
        let clock = Instant::now();
        let mut stop = self.engine.run(&mut self.relax, &self.remarks, &mut watch);
        let mut caught = None;
        for _ in 0..REPAIRS {
            if stop != Stop::Rest || self.skeletons().ring_count() == 0 {
                break;
            }
            let found = self.free_rings();
            caught.get_or_insert(found);
            self.repaired = caught.unwrap_or(0).saturating_sub(found);
            if found == 0 {
                break;
            }
            stop = self.engine.run(&mut self.relax, &self.remarks, &mut watch);
        }
        self.stages.push(stage("relax", clock));
        self.stop = Some(stop);
        stop
    }

    /// Pushes bonds out of the rings that they go through, and gives how many there were. What is pushed may overlap then, so iterations have
    /// to follow.
    pub fn free_rings(&mut self) -> u64 {
        if self.skeletons().ring_count() == 0 {
            return 0;
        }
        let scene = self.scene();
        let piercings = self.skeletons().piercings(&scene);
        for piercing in &piercings {
            let Some(way) = self.skeletons().push_out(&scene, piercing, 0.5) else { continue };
            self.relax.nudge(piercing.bond.0, 0.5 * way);
            self.relax.nudge(piercing.ring.0, -0.5 * way);
        }
        piercings.len() as u64
    }

    /// The relaxation itself, to step it by hand, to save it or to resume it.
    pub fn relax(&mut self) -> &mut Relax {
        &mut self.relax
    }

    /// The relaxation itself, to look at it.
    pub fn state(&self) -> &Relax {
        &self.relax
    }

    /// What a user should know before the run, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether everything can fit, as judged before the run.
    pub fn verdicts(&self) -> &[Verdict] {
        &self.verdicts
    }

    /// What the stand-ins did, if they went first.
    pub fn proxy(&self) -> Option<&ProxyRun> {
        self.proxy.as_ref()
    }

    /// About how many seconds the stand-ins saved, negative if they cost some: what their iterations would have taken at the mean
    /// pace of the atoms, less what they took. `None` before both have run.
    pub fn seconds_saved(&self) -> Option<f64> {
        let proxy = self.proxy.as_ref()?;
        let iterations = self.relax.history().len();
        let seconds: f64 = self.relax.history().iter().flat_map(|iteration| iteration.milliseconds).sum::<f64>() / 1e3;
        (iterations > 0).then(|| f64::from(proxy.iterations) * seconds / iterations as f64 - proxy.seconds)
    }

    /// The input's structure with the molecules where they are now.
    pub fn structure(&self) -> Result<Structure, MovedError> {
        self.molecules.moved(0, &self.structure, &self.relax.poses())
    }

    /// The molecules of the input, and which of its atoms they are made of.
    pub fn molecules(&self) -> &Molecules {
        &self.molecules
    }

    /// The input's structure as it was read or built.
    pub fn input(&self) -> &Structure {
        &self.structure
    }

    /// The molecules as they were set up, and what holds them.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Who overlaps now, by the rule of the relaxation.
    pub fn overlaps(&self) -> Vec<Overlap> {
        overlaps(&self.scene(), self.setup.allow)
    }

    /// How many atoms take part.
    pub fn atoms(&self) -> u64 {
        self.setup.scene.atoms()
    }

    /// The molecules where they are now.
    pub fn scene(&self) -> Scene {
        let mut scene = self.setup.scene.clone();
        for (molecule, pose) in scene.molecules_mut().iter_mut().zip(self.relax.poses()) {
            molecule.pose = pose;
        }
        scene
    }

    fn skeletons(&self) -> &Skeletons {
        self.skeletons.get_or_init(|| Skeletons::new(&self.molecules, &[&self.structure]))
    }

    /// What there was to part. The molecules of the setup stand where they stood until stand-ins move them.
    fn before(&self) -> Before {
        *self.before.get_or_init(|| {
            let clock = Instant::now();
            let scene = &self.setup.scene;
            let (overlaps, piercings) =
                rayon::join(|| totals(scene, self.setup.allow), || self.skeletons().piercings(scene).len() as u64);
            Before { overlaps, piercings, seconds: clock.elapsed().as_secs_f64() }
        })
    }

    /// Everything that was measured. The overlaps are counted on the processor, whatever moved the molecules: a second
    /// opinion on what a GPU left behind.
    pub fn report(&self) -> RelaxReport {
        let scene = self.scene();
        let overlaps = overlaps(&scene, self.setup.allow);
        let holds = |molecule: MoleculeId| -> &[Hold] {
            let group = self.setup.group_of.get(molecule.0 as usize);
            group.and_then(|&group| self.setup.groups.get(group as usize)).map_or(&[], Vec::as_slice)
        };
        let history = self.relax.history();
        let pierced = self.skeletons().piercings(&scene).len() as u64;
        let before = self.before();
        let mut stages = self.stages.clone();
        stages.push(Stage { name: "a look at the start".to_owned(), seconds: before.seconds });
        RelaxReport {
            scene: self.name.clone(),
            atoms: scene.atoms(),
            molecules: scene.molecules().len() as u64,
            fixed: self.setup.fixed.iter().filter(|&&fixed| fixed).count() as u64,
            definition: self.definition.clone(),
            verdicts: self.verdicts.iter().map(ToString::to_string).collect(),
            before: before.overlaps,
            after: OverlapTotals::of(&overlaps, scene.molecules().len()),
            still_overlapping: StillOverlapping::of(&self.molecules, &[&self.structure], &overlaps),
            motion: Motion::new(&scene, &self.start),
            membranes: MembraneReport::of(&scene, &holds),
            holds: HoldReport::new(&scene, &self.start, &holds),
            piercings: PiercingTotals { before: before.piercings, after: pierced, repaired: self.repaired },
            response: self.relax.options().response.to_string(),
            iterations: history.len() as u64,
            stop: self.stop.map_or_else(|| "not run".to_owned(), |stop| stop.to_string()),
            searches: self.relax.searches().into(),
            stages,
            peak_memory_bytes: peak_memory_bytes(),
            state_hash: self.relax.state_hash(),
            seed: self.seed,
            threads: rayon::current_num_threads(),
            backend: self.engine.name().to_owned(),
            remarks: self.remarks.all(),
            history: history.to_vec(),
        }
    }
}

fn stage(name: &str, since: Instant) -> Stage {
    Stage { name: name.to_owned(), seconds: since.elapsed().as_secs_f64() }
}

fn overlaps(scene: &Scene, allow: f32) -> Vec<Overlap> {
    OverlapSearch { allow, ..OverlapSearch::default() }.overlaps_unsorted(scene)
}

fn totals(scene: &Scene, allow: f32) -> OverlapTotals {
    OverlapTotals::of(&overlaps(scene, allow), scene.molecules().len())
}

/// Beyond 20 angstroms every atom meets thousands of others, and nothing that is made of molecules is meant.
fn check_closeness(closeness: Closeness) -> Result<(), RelaxError> {
    match closeness {
        Closeness::Tolerance(found) if !(found > 0.0 && found <= 20.0) => {
            Err(RelaxError::Number { expected: "a tolerance above 0 and at most 20 angstroms", found })
        }
        Closeness::Radii { allow: found, .. } if !(-10.0..=10.0).contains(&found) => {
            Err(RelaxError::Number { expected: "an allowance from -10 to 10 angstroms", found })
        }
        _ => Ok(()),
    }
}

/// Says which number cannot be used.
fn check_numbers(physics: &RelaxOptions) -> Result<(), RelaxError> {
    let checks = [
        ("a target of 1 to 2 times the distance of contact", physics.target, 1.0..=2.0),
        ("a largest move above 0 and at most 100 angstroms", physics.max_move, f64::MIN_POSITIVE..=100.0),
        ("a slack of 0 to 100 angstroms", physics.slack, 0.0..=100.0),
        ("a clearance of 0 to 1 angstrom", physics.clearance, 0.0..=1.0),
        ("a momentum below 1", physics.momentum, -1.0..=0.999),
        ("a step of 0 to 2", physics.step, 0.0..=2.0),
        ("a damping of 0 to 1000", physics.damping, 0.0..=1000.0),
        ("a bias of 0 to 100", physics.bias, 0.0..=100.0),
        ("a fraction of 0 to 1", physics.jolt_fraction, 0.0..=1.0),
        ("a jolt of 0 to 100 angstroms", physics.jolt_shift, 0.0..=100.0),
        ("a jolt of 0 to 180 degrees", physics.jolt_turn_degrees, 0.0..=180.0),
        ("a skin of at most 20 angstroms", physics.skin, -1.0..=20.0),
        ("a step size of 0 to 1000", physics.thesis_force, 0.0..=1000.0),
        ("a step size of 0 to 1000", physics.thesis_torque, 0.0..=1000.0),
        ("a step size of 0 to 1000", physics.thesis_spring, 0.0..=1000.0),
        ("a step size of 0 to 1000", physics.thesis_spring_torque, 0.0..=1000.0),
        ("a limit of 0 or more seconds", physics.max_seconds, 0.0..=f64::MAX),
    ];
    for (expected, found, allowed) in checks {
        if !allowed.contains(&found) {
            return Err(RelaxError::Number { expected, found });
        }
    }
    Ok(())
}
