//! What is open: a relaxation, the GPU that may work on it, and what hands have done to it.

use std::sync::Arc;
use std::time::Duration;

use steric::backend::WORTH_A_GPU;
use steric::collide::IndexKind;
use steric::gpu::{Gpu, GpuRelax, MoleculesOnGpu};
use steric::model::{Instant, MoleculeId, Pose};
use steric::relax::Relaxation;
use steric::show::{leaflets, watched};
use steric::world::build::Verdict;
use steric::world::relax::{Engine, Iteration, RelaxOptions};

use crate::platform;

use super::{Now, Opened, Order, Source, Where};

/// What hands did is remembered so often, and in so many poses in all.
const MOST_UNDO: usize = 64;
const MOST_POSES: usize = 8_000_000;
/// Numbers that change within this time change once.
const ONE_CHANGE: Duration = Duration::from_secs(1);
/// A bond that is caught again and again will not come free.
const MOST_REPAIRS: u32 = 10;

/// What one can go back to.
#[derive(Clone, Debug)]
struct Before {
    which: Arc<Vec<MoleculeId>>,
    poses: Arc<Vec<Pose>>,
    fixed: Arc<Vec<bool>>,
    options: RelaxOptions,
}

/// What is open.
#[derive(Debug)]
pub(super) struct World {
    pub(super) opened: Arc<Opened>,
    /// What was opened, with all its molecules, once some were added or deleted.
    whole: Option<Relaxation>,
    relaxation: Relaxation,
    /// Which molecule of the whole each one is.
    which: Arc<Vec<MoleculeId>>,
    edition: u64,
    pub(super) start: Vec<Pose>,
    fixed: Arc<Vec<bool>>,
    gpu: Option<GpuRelax>,
    gpu_rests: bool,
    /// Whether no iteration has looked at the molecules as they are.
    is_unseen: bool,
    on_gpu: Option<Arc<MoleculesOnGpu>>,
    /// Where the molecules were when the processor last had them, and who overlapped then.
    known: (Arc<Vec<Pose>>, Arc<Vec<bool>>),
    /// Iterations of the GPU since its molecules came back.
    pending: Vec<Iteration>,
    /// The molecule in hand, where it is, and whether it was fixed before.
    held: Option<(MoleculeId, Pose, bool)>,
    undo: Vec<Before>,
    redo: Vec<Before>,
    /// How near pairs are found.
    grid: IndexKind,
    /// Whose overlaps are told.
    pub(super) watched: Option<MoleculeId>,
    /// How often bonds were pushed out of rings since someone last did something.
    repairs: u32,
    /// When numbers were last changed, if nothing else was since.
    tuned: Option<Instant>,
    /// Whether a GPU could not take the molecules.
    is_refused: bool,
    /// Overlaps that the last iteration found, and who overlaps where none has looked.
    overlaps: Option<u64>,
    unseen: Vec<MoleculeId>,
}

/// What others have to know of a relaxation.
fn opened(relaxation: &Relaxation, source: Source, verdicts: Vec<Verdict>) -> Opened {
    Opened {
        scene: watched(relaxation),
        molecules: relaxation.molecules().clone(),
        structures: vec![relaxation.input().clone()],
        is_outer: leaflets(relaxation.setup()),
        verdicts,
        notes: relaxation.notes().to_vec(),
        source,
    }
}

impl World {
    pub(super) fn new(source: Source) -> Result<Self, String> {
        let relaxation = source.relaxation()?;
        let opened = opened(&relaxation, source, relaxation.verdicts().to_vec());
        let setup = relaxation.setup();
        let count = setup.scene.molecules().len();
        let mut fixed = setup.fixed.clone();
        fixed.resize(count, false);
        Ok(Self {
            start: opened.scene.molecules().iter().map(|molecule| molecule.pose).collect(),
            opened: Arc::new(opened),
            whole: None,
            relaxation,
            which: Arc::new((0..count as u32).map(MoleculeId).collect()),
            edition: 0,
            fixed: Arc::new(fixed),
            gpu: None,
            gpu_rests: false,
            is_unseen: true,
            on_gpu: None,
            known: Default::default(),
            pending: Vec::new(),
            held: None,
            undo: Vec::new(),
            redo: Vec::new(),
            grid: IndexKind::Auto,
            watched: None,
            repairs: 0,
            tuned: None,
            is_refused: false,
            overlaps: None,
            unseen: Vec::new(),
        })
    }

    pub(super) fn rests(&self) -> bool {
        if self.gpu.is_some() { self.gpu_rests } else { self.relaxation.state().is_at_rest() }
    }

    pub(super) async fn iterate(&mut self, most: u32) -> Result<Vec<Iteration>, String> {
        self.is_unseen = false;
        let Some(gpu) = &mut self.gpu else {
            let done = self.relaxation.relax().step();
            self.overlaps = Some(done.overlaps);
            return Ok(vec![done]);
        };
        let done = gpu.advance_async(most).await.map_err(|error| error.to_string())?;
        self.gpu_rests = done.last().is_none_or(|last| last.overlapping + last.broken == 0);
        self.overlaps = done.last().map(|last| last.overlaps);
        self.pending.extend_from_slice(&done);
        Ok(done)
    }

    /// Takes the molecules back from a GPU, which goes on from there.
    pub(super) async fn come_back(&mut self, log: &mut Vec<String>) {
        let Some(gpu) = &mut self.gpu else { return };
        match gpu.fetch_async().await {
            Ok(progress) => self.relaxation.relax().take(progress, &self.pending),
            Err(error) => {
                log.push(format!("error: {error}; the processor goes on"));
                self.is_refused = true;
                self.gpu = None;
            }
        }
        self.pending.clear();
    }

    /// The GPU that is to work, if one is.
    fn wanted<'a>(&self, place: &'a Where) -> Option<&'a Gpu> {
        match place {
            Where::Gpu(gpu) => Some(gpu),
            Where::Large(gpu) => Some(gpu).filter(|_| self.opened.scene.atoms() >= WORTH_A_GPU),
            Where::Processor => None,
        }
    }

    /// What does the work, by name.
    pub(super) fn worker(&self, place: &Where) -> String {
        self.wanted(place).map_or_else(|| "cpu".to_owned(), |gpu| gpu.adapter().name.clone())
    }

    /// Forgets what a GPU has. The processor has the molecules.
    pub(super) fn leave_gpu(&mut self) {
        (self.gpu, self.on_gpu, self.gpu_rests) = (None, None, false);
        self.pending.clear();
    }

    /// Loads a GPU if one is to work and has nothing yet.
    pub(super) fn work_at(&mut self, place: &Where, log: &mut Vec<String>) {
        let Some(gpu) = self.wanted(place).filter(|_| self.gpu.is_none() && !self.is_refused) else { return };
        let mut engine = GpuRelax::new(gpu).with_cells(self.grid);
        match engine.load(self.relaxation.relax()) {
            Ok(()) => {
                self.on_gpu = engine.molecules().map(Arc::new);
                self.gpu = Some(engine);
            }
            Err(error) => {
                self.is_refused = true;
                log.push(format!("error: {error}; the processor works"));
            }
        }
    }

    pub(super) async fn obey(&mut self, order: Order, log: &mut Vec<String>) {
        if !matches!(order, Order::Hold(_) | Order::Release) {
            self.come_back(log).await;
        }
        self.repairs = 0;
        let tuned = self.tuned.take();
        match order {
            Order::Reset => {
                self.remember();
                let start = self.start.clone();
                self.relaxation.relax().put_all(&start);
                self.look();
            }
            Order::Options(options) => {
                // A number that is dragged is one change.
                if tuned.is_none_or(|tuned| tuned.elapsed() > ONE_CHANGE) {
                    self.remember();
                }
                self.tuned = Some(Instant::now());
                self.relaxation.relax().set_options(options);
            }
            Order::Grab(molecule) => {
                self.let_go();
                self.remember();
                let pose = self.relaxation.state().poses().get(molecule.0 as usize).copied();
                if let Some(pose) = pose {
                    self.held = Some((molecule, pose, self.relaxation.state().is_fixed(molecule)));
                    self.put(molecule, &pose, true);
                }
            }
            Order::Hold(pose) => {
                if let Some((molecule, held, _)) = &mut self.held {
                    *held = pose;
                    let molecule = *molecule;
                    self.put(molecule, &pose, true);
                }
            }
            Order::Release => self.let_go(),
            Order::Grid(grid) => {
                self.grid = grid;
                self.relaxation.relax().set_index(grid);
            }
            Order::Restore(all) => self.restore(&all),
            Order::Pin(molecules, _) if molecules.is_empty() => {}
            Order::Delete(molecules) if molecules.is_empty() => {}
            Order::Pin(molecules, is_fixed) => {
                self.remember();
                let fixed = Arc::make_mut(&mut self.fixed);
                for molecule in molecules {
                    if let Some(own) = fixed.get_mut(molecule.0 as usize) {
                        *own = is_fixed;
                        self.relaxation.relax().fix(molecule, is_fixed);
                    }
                }
            }
            Order::Delete(molecules) => {
                let doomed: std::collections::BTreeSet<u32> = molecules.iter().map(|molecule| molecule.0).collect();
                self.edit(log, |all| {
                    let mut id = 0;
                    all.retain(|_| {
                        id += 1;
                        !doomed.contains(&(id - 1))
                    });
                });
            }
            Order::Add(molecule, pose) => self.edit(log, |all| {
                if let Some(&(which, _, is_fixed)) = all.get(molecule.0 as usize) {
                    all.push((which, pose, is_fixed));
                }
            }),
            Order::Mark => self.remember(),
            Order::Push(pushes) => {
                let relax = self.relaxation.relax();
                pushes.into_iter().for_each(|(molecule, shift)| relax.nudge(molecule, shift));
            }
            Order::Undo => {
                if let Some(before) = self.undo.pop() {
                    self.redo.push(self.before());
                    self.go_back_to(&before);
                }
            }
            Order::Redo => {
                if let Some(before) = self.redo.pop() {
                    self.undo.push(self.before());
                    self.go_back_to(&before);
                }
            }
            Order::Save(path) => match self.save(&path) {
                Ok(()) => log.push(format!("wrote {}", path.display())),
                Err(error) => log.push(format!("error: {error}")),
            },
            _ => {}
        }
    }

    /// The same molecules, where they are, in another scene file: with another tolerance, say.
    pub(super) fn rebuilt(&mut self, source: Source) -> Result<Self, String> {
        self.let_go();
        let mut next = Self::new(source)?;
        let all = self.all();
        next.restore(&all);
        (next.edition, next.grid, next.watched) = (self.edition, self.grid, self.watched);
        next.relaxation.relax().set_index(self.grid);
        Ok(next)
    }

    /// Which molecules of the whole there are, where, and which are fixed.
    fn all(&self) -> Vec<(MoleculeId, Pose, bool)> {
        let poses = self.relaxation.state().poses();
        let each = self.which.iter().zip(poses).zip(self.fixed.iter());
        each.map(|((&which, pose), &is_fixed)| (which, pose, is_fixed)).collect()
    }

    /// Has these molecules from now on, if there are such.
    fn restore(&mut self, all: &[(MoleculeId, Pose, bool)]) {
        let is_same =
            all.len() == self.which.len() && all.iter().zip(self.which.iter()).all(|(one, which)| one.0 == *which);
        if is_same {
            let poses: Vec<Pose> = all.iter().map(|&(_, pose, _)| pose).collect();
            self.relaxation.relax().put_all(&poses);
            for (id, &(_, _, is_fixed)) in (0u32..).zip(all) {
                if self.fixed[id as usize] != is_fixed {
                    self.relaxation.relax().fix(MoleculeId(id), is_fixed);
                }
            }
            self.fixed = Arc::new(all.iter().map(|&(_, _, is_fixed)| is_fixed).collect());
            self.look();
        } else if self.relaxation.can_pick() && all.iter().all(|(which, ..)| (which.0 as usize) < self.which.len()) {
            self.become_of(all);
        }
    }

    /// Pushes bonds out of rings, unless that was tried too often.
    pub(super) fn free_rings(&mut self) -> u64 {
        if self.repairs >= MOST_REPAIRS {
            return 0;
        }
        self.repairs += 1;
        self.relaxation.free_rings()
    }

    fn save(&self, path: &std::path::Path) -> Result<(), String> {
        let structure = self.relaxation.structure().map_err(|error| error.to_string())?;
        platform::save_model(path, &structure)
    }

    /// Adds or deletes molecules: which ones of the whole, where, and whether they are fixed.
    fn edit(&mut self, log: &mut Vec<String>, change: impl FnOnce(&mut Vec<(MoleculeId, Pose, bool)>)) {
        if !self.relaxation.can_pick() {
            log.push(
                "error: expected a scene, found a model; molecules of a model can be pinned, moved and hidden, not added or deleted"
                    .to_owned(),
            );
            return;
        }
        self.let_go();
        self.remember();
        let mut all = self.all();
        change(&mut all);
        self.become_of(&all);
    }

    /// Has these molecules from now on.
    fn become_of(&mut self, all: &[(MoleculeId, Pose, bool)]) {
        let which: Vec<(MoleculeId, Pose)> = all.iter().map(|&(which, pose, _)| (which, pose)).collect();
        let options = self.relaxation.state().options().clone();
        let next = self.whole.as_ref().unwrap_or(&self.relaxation).picked(&which);
        let before = std::mem::replace(&mut self.relaxation, next);
        self.whole.get_or_insert(before);
        let relax = self.relaxation.relax();
        relax.set_options(options);
        for (id, &(_, _, is_fixed)) in (0u32..).zip(all) {
            relax.fix(MoleculeId(id), is_fixed);
        }
        self.opened = Arc::new(opened(&self.relaxation, self.opened.source.clone(), Vec::new()));
        self.start = which.iter().map(|(_, pose)| *pose).collect();
        self.which = Arc::new(which.into_iter().map(|(id, _)| id).collect());
        self.fixed = Arc::new(all.iter().map(|&(_, _, is_fixed)| is_fixed).collect());
        self.edition += 1;
        self.look();
    }

    fn let_go(&mut self) {
        if let Some((molecule, pose, was_fixed)) = self.held.take() {
            self.put(molecule, &pose, was_fixed);
        }
    }

    /// Puts a molecule somewhere, on the processor and on the GPU that may be ahead of it.
    fn put(&mut self, molecule: MoleculeId, pose: &Pose, is_fixed: bool) {
        let relax = self.relaxation.relax();
        relax.fix(molecule, is_fixed);
        relax.put(molecule, *pose);
        if let Some(gpu) = &mut self.gpu {
            gpu.put(molecule, pose, is_fixed);
            self.gpu_rests = false;
        }
    }

    fn before(&self) -> Before {
        let relax = self.relaxation.state();
        Before {
            which: Arc::clone(&self.which),
            poses: Arc::new(relax.poses()),
            fixed: Arc::clone(&self.fixed),
            options: relax.options().clone(),
        }
    }

    fn remember(&mut self) {
        self.redo.clear();
        self.undo.push(self.before());
        let most = MOST_UNDO.min(MOST_POSES / self.start.len().max(1)).max(1);
        let too_many = self.undo.len().saturating_sub(most);
        self.undo.drain(..too_many);
    }

    fn go_back_to(&mut self, before: &Before) {
        self.let_go();
        if before.which != self.which {
            let each = before.which.iter().zip(before.poses.iter()).zip(before.fixed.iter());
            let all: Vec<_> = each.map(|((&which, &pose), &is_fixed)| (which, pose, is_fixed)).collect();
            self.become_of(&all);
        }
        let relax = self.relaxation.relax();
        relax.set_options(before.options.clone());
        relax.put_all(&before.poses);
        for (id, (&was, &is)) in (0u32..).zip(before.fixed.iter().zip(self.fixed.iter())) {
            if was != is {
                relax.fix(MoleculeId(id), was);
            }
        }
        self.fixed = Arc::clone(&before.fixed);
        self.look();
    }

    /// Finds out who overlaps, where no iteration has looked.
    pub(super) fn look(&mut self) {
        (self.is_unseen, self.overlaps) = (true, None);
        let overlaps = self.relaxation.overlaps();
        self.unseen = overlaps.iter().flat_map(|overlap| [overlap.first.molecule, overlap.second.molecule]).collect();
    }

    pub(super) fn now(&mut self) -> Now {
        if self.pending.is_empty() {
            let relax = self.relaxation.state();
            let mut touching = vec![false; self.start.len()];
            let trouble = if self.is_unseen { self.unseen.clone() } else { relax.in_trouble() };
            for MoleculeId(id) in trouble {
                touching[id as usize] = true;
            }
            self.known = (Arc::new(relax.poses()), Arc::new(touching));
        }
        let relax = self.relaxation.state();
        let mut fixed = Arc::clone(&self.fixed);
        if let Some((MoleculeId(id), ..)) = self.held
            && let Some(own) = Arc::make_mut(&mut fixed).get_mut(id as usize)
        {
            *own = true;
        }
        Now {
            opened: Some(Arc::clone(&self.opened)),
            edition: self.edition,
            poses: Arc::clone(&self.known.0),
            on_gpu: self.on_gpu.clone(),
            touching: Arc::clone(&self.known.1),
            fixed,
            options: relax.options().clone(),
            rests: self.rests(),
            iteration: relax.iteration() + self.pending.len() as u32,
            is_ahead: !self.pending.is_empty(),
            overlaps: self.overlaps,
            grid: self.grid,
            watched: self
                .watched
                .filter(|_| self.pending.is_empty())
                .map(|molecule| (molecule, Arc::new(self.relaxation.partners(molecule)))),
            which: Arc::clone(&self.which),
            can_undo: [!self.undo.is_empty(), !self.redo.is_empty()],
            ..Now::default()
        }
    }
}
