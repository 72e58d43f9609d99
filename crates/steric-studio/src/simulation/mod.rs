//! The simulation beside the window.
//!
//! How it works: a thread owns the relaxation. It takes orders from a channel, iterates while it is to play, and leaves what it has come to
//! in one place where the window and the painter find it. Nobody waits for it. A page in a browser has no threads: there a piece of the work is
//! done between two frames.

mod animating;
mod beside;
mod deforming;
mod diffusing;
mod docking;
mod orders;
mod source;
mod work;
mod world;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use steric::collide::IndexKind;
use steric::gpu::MoleculesOnGpu;
use steric::model::{MoleculeId, Molecules, Pose, Scene, Structure};
use steric::world::build::Verdict;
use steric::world::relax::{Iteration, RelaxOptions};

pub use animating::{AnimateSource, Animated};
pub(crate) use animating::{Done, Job, Running as AnimateRunning, View, Wanted, keyed};
pub(crate) use deforming::{DeformOrder, Running as DeformRunning};
pub use deforming::{DeformSource, Deformed, Numbers, SeenBody, SoftHistory};
pub use diffusing::{Checked, DiffuseSource, Diffused, History};
pub(crate) use diffusing::{DiffuseOrder, Running};
pub use docking::DockSource;
pub use orders::{Order, Where};
pub use source::Source;
use work::Work;

/// What is open: it stays the same while molecules move.
#[derive(Debug)]
pub struct Opened {
    /// What it was opened from.
    pub source: Source,
    /// The molecules as large as their atoms are, where they were when it was opened.
    pub scene: Scene,
    /// The molecules, and which atoms of the structure they are.
    pub molecules: Molecules,
    /// What they are made of, a structure for each file.
    pub structures: Vec<Structure>,
    /// Of lipids, whether they are in the outer leaflet.
    pub is_outer: Vec<Option<bool>>,
    /// Whether all can fit.
    pub verdicts: Vec<Verdict>,
    /// What one should know, in sentences.
    pub notes: Vec<String>,
}

/// Who overlaps a molecule and how deep, in angstroms, the deepest first.
pub type Partners = Arc<Vec<(MoleculeId, f64)>>;

/// Where the molecules are.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// What is open, if anything is.
    pub opened: Option<Arc<Opened>>,
    /// Counts what was opened.
    pub opening: u64,
    /// Grows whenever molecules were added or deleted.
    pub edition: u64,
    /// Grows whenever molecules have moved or look otherwise.
    pub version: u64,
    /// In the order of the scene; while a GPU works, as it was when it began.
    pub poses: Arc<Vec<Pose>>,
    /// On the GPU, while one works.
    pub on_gpu: Option<Arc<MoleculesOnGpu>>,
    /// Which molecules overlap another one; while a GPU works, as it was when it began.
    pub touching: Arc<Vec<bool>>,
    /// Single atoms that touch, where that is known: molecule and number.
    pub touched: Arc<Vec<(MoleculeId, u32)>>,
    /// Colours that the world gives its molecules, shown in place of those of their types; none where it gives none.
    pub colours: Arc<Vec<[u8; 3]>>,
    /// Colours of single molecules, whatever colours say; may be empty.
    pub dyed: Arc<Vec<Option<[u8; 3]>>>,
    /// How much of each molecule hides what is behind it, 0 to 1; all of it where nothing is said.
    pub opacities: Arc<Vec<f32>>,
    /// Which molecules stay where they are.
    pub fixed: Arc<Vec<bool>>,
    /// Every number of the relaxation.
    pub options: RelaxOptions,
    /// Whether a GPU has moved the molecules since `poses` was known.
    pub is_ahead: bool,
    /// Overlaps that the last iteration found; nothing where none has looked.
    pub overlaps: Option<u64>,
    /// Whether it iterates whenever there is something to do.
    pub plays: bool,
    /// Whether there is nothing left to do.
    pub rests: bool,
    /// How many iterations were done.
    pub iteration: u32,
    /// What does the work.
    pub worker: String,
    /// How near pairs are found.
    pub grid: IndexKind,
    /// The molecule that is watched, and who overlaps it.
    pub watched: Option<(MoleculeId, Partners)>,
    /// Which molecule of what was opened each one is.
    pub which: Arc<Vec<MoleculeId>>,
    /// Something that takes a while, in words.
    pub busy: Option<String>,
    /// Whether there is something to undo, and to do again.
    pub can_undo: [bool; 2],
}

/// What happened since someone last looked.
#[derive(Debug, Default)]
pub struct News {
    /// Iterations.
    pub iterations: Vec<Iteration>,
    /// Sentences for the log; an error begins with `error: `.
    pub log: Vec<String>,
}

/// What the threads share.
#[derive(Debug, Default)]
struct Shared {
    now: Mutex<Now>,
    news: Mutex<News>,
    /// Whether nobody waits for anything any more.
    is_over: AtomicBool,
}

/// A simulation that takes orders.
#[derive(Debug)]
pub struct Simulation {
    /// Until it ends.
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    /// Where there are no threads the work is done in pieces; it is away while one is done.
    here: Option<Arc<Mutex<Option<Work>>>>,
}

/// Called when there is something new to see.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// The same, for those who want to be printed.
#[derive(Clone)]
pub(crate) struct WakeUp(pub(crate) Wake);

impl std::fmt::Debug for WakeUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WakeUp")
    }
}

impl Simulation {
    /// Nothing is open yet.
    pub fn new(wake: Wake, place: Where) -> Self {
        let (orders, taken): (Sender<Order>, Receiver<Order>) = channel();
        let shared = Arc::new(Shared::default());
        let work = Work::new(taken, Arc::clone(&shared), wake, place);
        let (thread, here) = if cfg!(target_family = "wasm") { (None, Some(work)) } else { spawn(work) };
        Self { orders: Some(orders), thread, shared, here: here.map(|work| Arc::new(Mutex::new(Some(work)))) }
    }

    /// Asks for something.
    pub fn order(&self, order: Order) {
        // It only fails when the thread has ended, and then the window has, too.
        if let Some(orders) = &self.orders {
            orders.send(order).ok();
        }
    }

    /// Where everything is now.
    pub fn now(&self) -> Now {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What has happened since the last time.
    pub fn news(&self) -> News {
        std::mem::take(&mut *self.shared.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Works for a few milliseconds where there is no thread for that.
    pub fn work_here(&mut self) {
        let Some(here) = self.here.clone() else { return };
        let Some(mut work) = here.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        crate::platform::soon(async move {
            work.turn().await;
            *here.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
        });
    }
}

impl Drop for Simulation {
    /// Waits for the thread: it must not work on a GPU while the program ends.
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Lets a thread work; gives the work back where there is none.
fn spawn(work: Work) -> (Option<JoinHandle<()>>, Option<Work>) {
    let (give, take) = channel::<Work>();
    let run = std::thread::Builder::new().name("simulation".to_owned()).spawn(move || {
        if let Ok(mut work) = take.recv() {
            work.run();
        }
    });
    match run {
        Ok(thread) => {
            give.send(work).ok();
            (Some(thread), None)
        }
        Err(_) => (None, Some(work)),
    }
}
