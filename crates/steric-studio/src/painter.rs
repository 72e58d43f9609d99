//! The pictures of the window, painted beside it.
//!
//! How it works: a thread owns the renderer. The window says what it wants to see, the thread paints the newest wish and leaves the picture.
//! So the window answers at once however long a picture takes. Molecules that a GPU moves are drawn from that GPU's own arrays.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use steric::gpu::Gpu;
use steric::model::{Instant, MoleculeId, Scene};
use steric_view::{
    Camera, Canvas, ColourBy, Coloured, Colours, Follower, Look, Model, Palette, Picked, Picture, Renderer,
};

use crate::simulation::{Now, Wake};

/// What the window wants to see.
#[derive(Clone, Debug)]
pub struct Wish {
    /// From where.
    pub camera: Camera,
    /// How.
    pub look: Look,
    /// In pixels.
    pub size: [u32; 2],
    /// What colours say.
    pub by: ColourBy,
    /// Which molecules are not drawn.
    pub hidden: Arc<Vec<bool>>,
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
    here: Option<Easel>,
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
            return Self { shared, thread: None, here: Some(easel) };
        }
        let theirs = Arc::clone(&shared);
        let run = std::thread::Builder::new().name("painter".to_owned()).spawn(move || paint(&theirs, easel, &wake));
        let thread = run.map_err(|error| lock(&shared.painted).1 = Some(error.to_string())).ok();
        Self { shared, thread, here: None }
    }

    /// Wishes for a picture; an older wish that was not painted yet is forgotten.
    pub fn wish(&mut self, wish: Wish) {
        if let Some(easel) = &mut self.here {
            let painted = easel.paint(&wish);
            leave(&self.shared, painted);
            return;
        }
        lock(&self.shared.wish).0 = Some(wish);
        self.shared.wished.notify_one();
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
        let painted = easel.paint(&wish);
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

/// What the painter has before it.
#[derive(Debug)]
struct Easel {
    gpu: Gpu,
    renderer: Renderer,
    loaded: Option<Loaded>,
    number: u64,
    /// What a fine picture took, in milliseconds a pixel.
    pace: f64,
}

/// What is on the GPU.
#[derive(Debug)]
struct Loaded {
    opening: (u64, u64),
    by: ColourBy,
    scene: Scene,
    colours: Colours,
    model: Model,
    canvas: Option<Canvas>,
    /// What is on the canvas.
    shown: Option<(Camera, Look, [u32; 2], Painted)>,
    is_new: bool,
    version: u64,
    marks: (Arc<Vec<bool>>, Vec<MoleculeId>),
    follower: Option<(u64, Follower)>,
}

/// A picture in haste should not take longer than this, in milliseconds.
const PATIENCE: f64 = 60.0;

/// A molecule that was chosen.
const CHOSEN: [u8; 3] = [255, 214, 10];

impl Easel {
    fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), renderer: Renderer::new(gpu), loaded: None, number: 0, pace: 0.0 }
    }

    fn paint(&mut self, wish: &Wish) -> Result<Option<Painted>, String> {
        let began = Instant::now();
        let Some(opened) = wish.now.opened.clone() else {
            self.loaded = None;
            return Ok(None);
        };
        let is_loaded = self
            .loaded
            .as_ref()
            .is_some_and(|loaded| loaded.opening == (wish.now.opening, wish.now.edition) && loaded.by == wish.by);
        if !is_loaded {
            self.loaded = None;
            let structures = [&opened.structure];
            let coloured = Coloured {
                molecules: &opened.molecules,
                structures: &structures,
                overlaps: &[],
                fixed: &wish.now.fixed,
                leaflet_of: &opened.is_outer,
            };
            let colours = Colours::new(wish.by, &Palette::safe(), &coloured);
            let scene = opened.scene.clone();
            let model = self.renderer.load(&scene, &colours).map_err(|error| error.to_string())?;
            self.loaded = Some(Loaded {
                opening: (wish.now.opening, wish.now.edition),
                by: wish.by,
                scene,
                colours,
                model,
                canvas: None,
                shown: None,
                is_new: true,
                version: 0,
                marks: Default::default(),
                follower: None,
            });
        }
        let Some(loaded) = &mut self.loaded else { return Ok(None) };
        loaded.take_over(&self.gpu, &self.renderer, wish)?;
        let times = self.haste(wish);
        let (look, size) = if times > 1 {
            (
                Look { occlusion: 0.0, lines: 0.4 * wish.look.lines, coarse: 2.0, ..wish.look },
                wish.size.map(|side| (side / times).max(1)),
            )
        } else {
            (wish.look, wish.size)
        };
        let Some(loaded) = &mut self.loaded else { return Ok(None) };
        let pixel = wish.pointed.map(|pixel| pixel.map(|side| side / times));
        let is_shown = matches!(&loaded.shown, Some((camera, known, room, _)) if (*camera, *known, *room) == (wish.camera, look, size));
        let canvas = match &mut loaded.canvas {
            Some(canvas) if canvas.fits(&loaded.model, &look, size) => canvas,
            empty => {
                let canvas = self.renderer.canvas(&loaded.model, &look, size);
                empty.insert(canvas.map_err(|error| error.to_string())?)
            }
        };
        // Who only points elsewhere needs no new picture.
        let known = loaded.shown.as_ref().filter(|_| is_shown && !loaded.is_new).map(|(.., painted)| painted.clone());
        let picture = match &known {
            Some(painted) => Arc::clone(&painted.picture),
            None => {
                let drawn = self.renderer.draw_on(canvas, &loaded.model, &wish.camera, &look);
                Arc::new(drawn.map_err(|error| error.to_string())?)
            }
        };
        let picked = match pixel {
            Some(pixel) => self
                .renderer
                .pick_on(canvas, (&loaded.model, &loaded.scene), pixel)
                .map_err(|error| error.to_string())?,
            None => None,
        };
        if let Some(painted) = known {
            return Ok(Some(Painted { picked, ..painted }));
        }
        self.number += 1;
        let milliseconds = 1e3 * began.elapsed().as_secs_f64();
        if times == 1 {
            self.pace = milliseconds / f64::from(size[0]) / f64::from(size[1]);
        }
        let painted = Painted {
            picture,
            camera: wish.camera,
            picked,
            milliseconds,
            is_draft: times > 1,
            number: self.number,
            version: wish.now.version,
            opening: loaded.opening,
        };
        (loaded.shown, loaded.is_new) = (Some((wish.camera, look, size, painted.clone())), false);
        Ok(Some(painted))
    }

    /// How many times coarser a picture is drawn, so that it does not take long.
    fn haste(&self, wish: &Wish) -> u32 {
        let expected = self.pace * f64::from(wish.size[0]) * f64::from(wish.size[1]);
        if wish.is_in_haste && expected > PATIENCE {
            (expected / PATIENCE).sqrt().ceil().clamp(2.0, 4.0) as u32
        } else {
            1
        }
    }
}

impl Loaded {
    /// Molecules have moved, are hidden, or are chosen.
    fn take_over(&mut self, gpu: &Gpu, renderer: &Renderer, wish: &Wish) -> Result<(), String> {
        let now = &wish.now;
        let is_marked = Arc::ptr_eq(&self.marks.0, &wish.hidden) && self.marks.1 == wish.selected;
        if self.version == now.version && is_marked {
            return Ok(());
        }
        let follows = now.on_gpu.as_ref().filter(|_| now.is_ahead);
        let is_fresh = self.version == 0 || !is_marked;
        if follows.is_none() || is_fresh {
            for (molecule, pose) in self.scene.molecules_mut().iter_mut().zip(now.poses.iter()) {
                molecule.pose = *pose;
            }
            let mut colours = self.colours.clone();
            if self.by == ColourBy::Collision {
                let palette = Palette::safe();
                let of = |id: usize| match (now.fixed.get(id), now.touching.get(id)) {
                    (Some(true), _) => palette.fixed(),
                    (_, Some(true)) => palette.touching(),
                    _ => palette.free(),
                };
                colours.molecules = (0..now.poses.len()).map(|id| Some(of(id))).collect();
            }
            colours.molecules.resize(now.poses.len(), None);
            for chosen in &wish.selected {
                if let Some(own) = colours.molecules.get_mut(chosen.0 as usize) {
                    *own = Some(CHOSEN);
                }
            }
            if wish.hidden.iter().any(|&is_hidden| is_hidden) {
                colours.opacities = wish.hidden.iter().map(|&is_hidden| if is_hidden { 0.0 } else { 1.0 }).collect();
            }
            self.model.update(gpu, &self.scene, &colours);
        }
        if let Some(molecules) = follows {
            let key = Arc::as_ptr(molecules) as u64;
            if self.follower.as_ref().is_none_or(|follower| follower.0 != key) {
                let palette = Palette::safe();
                let collision = (self.by == ColourBy::Collision).then_some(&palette);
                let follower = renderer.follower(&self.model, molecules, collision);
                self.follower = Some((key, follower.map_err(|error| error.to_string())?));
            }
            if let Some((_, follower)) = &self.follower {
                renderer.follow(follower);
            }
        }
        self.is_new = true;
        (self.version, self.marks) = (now.version, (Arc::clone(&wish.hidden), wish.selected.clone()));
        Ok(())
    }
}
