//! The pictures of the window, painted beside it.
//!
//! How it works: a thread owns the renderer. The window says what it wants to see, the thread paints the newest wish and leaves the picture.
//! So the window answers at once however long a picture takes. Molecules that a GPU moves are drawn from that GPU's own arrays. A page in
//! a browser has no threads: there pictures are painted between its frames.

mod easel;
mod kernels;
mod squares;

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use steric::gpu::{Gpu, waited};
use steric::model::MoleculeId;
use steric_view::{Camera, ColourBy, Look, Picked, Picture, Stereo};

use crate::simulation::{Now, Wake};
use easel::Easel;

/// What the window wants to see.
#[derive(Clone, Debug)]
pub struct Wish {
    /// From where.
    pub camera: Camera,
    /// How.
    pub look: Look,
    /// For two eyes: how their pictures become one, and how far they are apart.
    pub stereo: Option<(Stereo, f64)>,
    /// A molecule that one can look through, and how much of it hides what is behind.
    pub see_through: Option<(MoleculeId, f32)>,
    /// In pixels.
    pub size: [u32; 2],
    /// What colours say.
    pub by: ColourBy,
    /// Which molecules are not drawn.
    pub hidden: Arc<Vec<bool>>,
    /// Colours that were given to single molecules.
    pub painted: Arc<BTreeMap<MoleculeId, [u8; 3]>>,
    /// Which molecules stand out.
    pub selected: Vec<MoleculeId>,
    /// Where the mouse is, in pixels.
    pub pointed: Option<[u32; 2]>,
    /// Whether the next wish will come soon, so that a picture may be coarse if a fine one takes long.
    pub is_in_haste: bool,
    /// Where the molecules are.
    pub now: Now,
}

/// A picture that was painted.
#[derive(Clone, Debug)]
pub struct Painted {
    /// The picture.
    pub picture: Arc<Picture>,
    /// From where.
    pub camera: Camera,
    /// What the mouse points at.
    pub picked: Option<Picked>,
    /// How long it took.
    pub milliseconds: f64,
    /// Whether a finer picture can be had.
    pub is_draft: bool,
    /// Counts pictures.
    pub number: u64,
    /// What was opened and edited when it was painted.
    pub opening: (u64, u64),
    /// Which state of the molecules it shows.
    pub version: u64,
}

#[derive(Debug, Default)]
struct Shared {
    wish: Mutex<(Option<Wish>, bool)>,
    wished: Condvar,
    painted: Mutex<(Option<Painted>, Option<String>)>,
}

/// Paints pictures in a thread of its own.
#[derive(Debug)]
pub struct Painter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Where there are no threads, between the frames of the page; it is away while it paints.
    here: Option<Here>,
}

/// What paints where there are no threads.
#[derive(Clone)]
struct Here {
    easel: Arc<Mutex<Option<Easel>>>,
    wake: Wake,
}

impl std::fmt::Debug for Here {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.easel.fmt(f)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Painter {
    /// Paints on a GPU.
    pub fn new(gpu: &Gpu, wake: Wake) -> Self {
        let shared = Arc::new(Shared::default());
        let easel = Easel::new(gpu);
        if cfg!(target_family = "wasm") {
            return Self { shared, thread: None, here: Some(Here { easel: Arc::new(Mutex::new(Some(easel))), wake }) };
        }
        let theirs = Arc::clone(&shared);
        let run = std::thread::Builder::new().name("painter".to_owned()).spawn(move || paint(&theirs, easel, &wake));
        let thread = run.map_err(|error| lock(&shared.painted).1 = Some(error.to_string())).ok();
        Self { shared, thread, here: None }
    }

    /// Wishes for a picture; an older wish that was not painted yet is forgotten.
    pub fn wish(&mut self, wish: Wish) {
        lock(&self.shared.wish).0 = Some(wish);
        self.shared.wished.notify_one();
        let Some(here) = self.here.clone() else { return };
        // One that is away comes back for the newest wish by itself.
        let easel = lock(&here.easel).take();
        if let Some(mut easel) = easel {
            let shared = Arc::clone(&self.shared);
            crate::platform::soon(async move {
                loop {
                    let Some(wish) = lock(&shared.wish).0.take() else { break };
                    let painted = easel.paint(&wish).await;
                    leave(&shared, painted);
                    (here.wake)();
                }
                *lock(&here.easel) = Some(easel);
            });
        }
    }

    /// Whether a picture is being painted between the frames of a page.
    pub fn is_away(&self) -> bool {
        self.here.as_ref().is_some_and(|here| lock(&here.easel).is_none())
    }

    /// The newest picture.
    pub fn painted(&self) -> Option<Painted> {
        lock(&self.shared.painted).0.clone()
    }

    /// Why no picture could be painted; told once.
    pub fn error(&self) -> Option<String> {
        lock(&self.shared.painted).1.take()
    }
}

impl Drop for Painter {
    fn drop(&mut self) {
        lock(&self.shared.wish).1 = true;
        self.shared.wished.notify_one();
        // It must not draw while the program ends.
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn paint(shared: &Shared, mut easel: Easel, wake: &Wake) {
    loop {
        let wish = {
            let mut wish = lock(&shared.wish);
            loop {
                if wish.1 {
                    return;
                }
                match wish.0.take() {
                    Some(wish) => break wish,
                    None => wish = shared.wished.wait(wish).unwrap_or_else(PoisonError::into_inner),
                }
            }
        };
        let painted = waited(easel.paint(&wish));
        leave(shared, painted);
        wake();
    }
}

fn leave(shared: &Shared, result: Result<Option<Painted>, String>) {
    let mut painted = lock(&shared.painted);
    match result {
        Ok(Some(new)) => painted.0 = Some(new),
        Ok(None) => painted.0 = None,
        Err(error) => painted.1 = Some(error),
    }
}
