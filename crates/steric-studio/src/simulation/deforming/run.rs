//! What goes from step to step.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use steric::deform::{Frames, SoftRun};
use steric::model::Instant;
use steric::world::deform::Stepped;

use super::super::beside::{Beside, Left, Works};
use super::super::{Now, Wake, WakeUp};
use super::stage::Stage;
use super::{DeformSource, Deformed, Numbers, SoftHistory};

/// There is a picture so often, at most; a run that is told its speed does so many steps in that time.
const FRAME: Duration = Duration::from_millis(16);
/// Where there is no thread for it, steps are done for so long in a frame.
const A_TURN: Duration = Duration::from_millis(8);
/// How much of the mean time of a step is that of the steps before.
const SMOOTH: f64 = 0.9;

/// Something for a run to do.
#[derive(Clone, Debug)]
pub(crate) enum DeformOrder {
    /// Go on.
    Play(bool),
    /// One step.
    Step,
    /// Back to the start, with the numbers as they are now.
    Restart,
    /// So many steps for a picture; nothing for as many as it can.
    Speed(Option<u32>),
    /// Other numbers from now on.
    Set(Numbers),
    /// Write the bodies to a file.
    Save(PathBuf),
}

/// A run beside the window, as the window has it. It ends when nobody has it any more.
pub(crate) type Running = Beside<DeformOrder, Deformed>;

impl Running {
    /// Reads a scene beside the window, and waits for orders at its start.
    pub(crate) fn open(source: DeformSource, opening: u64, wake: Wake) -> Self {
        Self::begun("bodies", |orders, left| Run {
            source,
            opening,
            orders,
            left,
            wake: WakeUp(wake),
            going: None,
            plays: false,
            speed: Some(1),
            shown: Instant::now(),
            version: 0,
        })
    }
}

/// What the thread has.
#[derive(Debug)]
struct Run {
    source: DeformSource,
    opening: u64,
    orders: Receiver<DeformOrder>,
    left: Arc<Left<Deformed>>,
    wake: WakeUp,
    going: Option<Going>,
    plays: bool,
    /// Steps for a picture; as many as it can without a number.
    speed: Option<u32>,
    shown: Instant,
    version: u64,
}

/// A scene that was read.
#[derive(Debug)]
struct Going {
    start: SoftRun,
    run: SoftRun,
    stage: Stage,
    history: Arc<SoftHistory>,
    last: Option<Stepped>,
    milliseconds: Option<f64>,
}

impl Going {
    fn new(source: &DeformSource) -> Result<Self, String> {
        let start = source.scene()?.start(&source.folder, None).map_err(|error| error.to_string())?;
        let (stage, run) = (Stage::new(source, &start)?, start.clone());
        Ok(Self { start, run, stage, history: Arc::default(), last: None, milliseconds: None })
    }

    fn restart(&mut self) {
        let numbers = Numbers::of(&self.run.world);
        self.run = self.start.clone();
        numbers.put(&mut self.run.world);
        (self.history, self.last, self.milliseconds) = (Arc::default(), None, None);
    }

    fn step(&mut self) {
        let began = Instant::now();
        let stepped = self.run.step();
        let took = 1e3 * began.elapsed().as_secs_f64();
        self.milliseconds = Some(self.milliseconds.map_or(took, |mean| SMOOTH * mean + (1.0 - SMOOTH) * took));
        Arc::make_mut(&mut self.history).note(&self.run.world, &stepped);
        self.last = Some(stepped);
    }

    /// How it stands, apart from what only the thread knows.
    fn seen(&self) -> Deformed {
        let world = &self.run.world;
        Deformed {
            now: self.stage.now(world),
            step: world.steps(),
            time: world.time(),
            step_s: self.run.step_s(),
            scale: self.stage.scale,
            bodies: Arc::clone(&self.stage.bodies),
            positions: Arc::new(world.body.positions.clone()),
            touching: Arc::new(world.touching().to_vec()),
            numbers: Some(Numbers::of(world)),
            energy: world.body.energy(),
            volume: world.body.volume(),
            last: self.last,
            history: Arc::clone(&self.history),
            milliseconds: self.milliseconds.unwrap_or(0.0),
        }
    }
}

impl Run {
    /// Does what else was ordered, and steps if it is time for some.
    fn go_on(&mut self, is_told: bool, most: Duration) {
        let mut is_new = is_told;
        while let Ok(order) = self.orders.try_recv() {
            self.obey(order);
            is_new = true;
        }
        if self.plays && self.is_due() {
            self.advance(most);
            is_new = true;
        }
        if is_new {
            self.show();
        }
    }

    /// How long there is nothing to do; for ever where nothing moves.
    fn wait(&self) -> Option<Duration> {
        match (self.plays, self.speed) {
            (true, None) => Some(Duration::ZERO),
            (true, Some(_)) => Some(FRAME.saturating_sub(self.shown.elapsed())),
            (false, _) => None,
        }
    }

    fn is_due(&self) -> bool {
        self.speed.is_none() || self.shown.elapsed() >= FRAME || cfg!(target_family = "wasm")
    }

    /// As many steps as a picture has, as far as there is time.
    fn advance(&mut self, most: Duration) {
        let Some(going) = &mut self.going else { return };
        let began = Instant::now();
        let mut steps = 0;
        while self.speed.is_none_or(|speed| steps < speed) && (steps == 0 || began.elapsed() < most) {
            going.step();
            steps += 1;
        }
    }

    fn obey(&mut self, order: DeformOrder) {
        let Some(going) = &mut self.going else { return };
        match order {
            DeformOrder::Play(plays) => self.plays = plays,
            DeformOrder::Step => {
                self.plays = false;
                going.step();
            }
            DeformOrder::Restart => {
                self.plays = false;
                going.restart();
            }
            DeformOrder::Speed(speed) => self.speed = speed.filter(|speed| *speed > 0),
            DeformOrder::Set(numbers) => numbers.put(&mut going.run.world),
            DeformOrder::Save(path) => {
                let said = save(&path, &going.run);
                self.left.say(said.unwrap_or_else(|error| format!("error: {error}")));
            }
        }
    }

    /// Leaves what there is where the window finds it.
    fn show(&mut self) {
        self.shown = Instant::now();
        let Some(going) = &self.going else { return };
        self.version += 1;
        let seen = going.seen();
        let now = Now {
            opening: self.opening,
            version: self.version,
            plays: self.plays,
            iteration: u32::try_from(seen.step).unwrap_or(u32::MAX),
            worker: "cpu".to_owned(),
            ..seen.now
        };
        self.left.leave(Deformed { now, ..seen });
        (self.wake.0)();
    }
}

impl Works for Run {
    /// Reads the scene and places the bodies.
    fn begin(&mut self) {
        let opened = Going::new(&self.source).map(|going| {
            let (bodies, points) = (going.stage.bodies.len(), going.run.world.body.positions.len());
            self.going = Some(going);
            self.show();
            format!("opened {}: {bodies} soft bodies of {points} points", self.source.name)
        });
        self.left.open(opened);
        (self.wake.0)();
    }

    fn work(&mut self) {
        while self.going.is_some() {
            let order = match self.wait() {
                Some(wait) => match self.orders.recv_timeout(wait) {
                    Ok(order) => Some(order),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                },
                None => match self.orders.recv() {
                    Ok(order) => Some(order),
                    Err(_) => return,
                },
            };
            let is_told = order.is_some();
            order.into_iter().for_each(|order| self.obey(order));
            self.go_on(is_told, FRAME);
        }
    }

    fn turn(&mut self) {
        self.go_on(false, A_TURN);
        if self.wait().is_some() {
            (self.wake.0)();
        }
    }
}

/// Writes the bodies as they are; gives what to say of it.
fn save(path: &Path, run: &SoftRun) -> Result<String, String> {
    let write = || {
        let mut frames = Frames::create(path)?;
        frames.frame(run)?;
        frames.finish(run)
    };
    write().map(|_| format!("wrote {}", path.display())).map_err(|error: std::io::Error| error.to_string())
}
