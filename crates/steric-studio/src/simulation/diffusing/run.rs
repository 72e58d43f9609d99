//! The thread that goes from step to step.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use steric::diffuse::{DiffuseScene, TimeUnit, Wishes, snapshot};
use steric::model::Instant;
use steric::world::diffuse::{Collision, Diffusion, Partner, Placed, Response, Setup, Strategy};

use super::super::beside::{Beside, Left, Works};
use super::super::{Now, Wake, WakeUp};
use super::shown::Stage;
use super::{Checked, DiffuseSource, Diffused, History};
use crate::platform;

/// There is a picture so often, at most; a run that is told its speed does so many steps in that time.
const FRAME: Duration = Duration::from_millis(16);
/// Where there is no thread for it, steps are done for so long in a frame.
const A_TURN: Duration = Duration::from_millis(8);
/// Who has touched another stands out for so long.
const FLASH: Duration = Duration::from_millis(250);
/// As many of them as this part of all particles, the last ones: in a crowd everybody has touched another.
const MOST_FLASHING: f64 = 0.12;
/// Contacts that are kept, for those of one particle.
const MOST_CONTACTS: usize = 20_000;
/// Contacts of one particle that are told.
const MOST_TOLD: usize = 12;
/// How much of the mean time of a step is that of the steps before.
const SMOOTH: f64 = 0.9;

/// Something for a run to do.
#[derive(Clone, Debug)]
pub(crate) enum DiffuseOrder {
    /// Go on.
    Play(bool),
    /// One step.
    Step,
    /// Back to the start, with another seed if there is one.
    Restart(Option<u64>),
    /// So many steps for a picture; nothing for as many as it can.
    Speed(Option<u32>),
    /// What two do that touch, from now on.
    Respond(Response),
    /// How pairs are found, from now on.
    Find(Strategy),
    /// Whether those that touch stand out.
    Flash(bool),
    /// Tell the contacts of this particle.
    Watch(Option<u32>),
    /// Look whether anybody overlaps.
    Check,
    /// Write the particles to a file.
    Save(PathBuf),
}

/// A run beside the window, as the window has it. It ends when nobody has it any more.
pub(crate) type Running = Beside<DiffuseOrder, Diffused>;

impl Running {
    /// Reads a scene beside the window, and waits for orders at its start.
    pub(crate) fn open(source: DiffuseSource, opening: u64, wake: Wake) -> Self {
        Self::begun("particles", |orders, left| Run::new(source, opening, orders, left, wake))
    }
}

/// What the thread has.
#[derive(Debug)]
struct Run {
    source: DiffuseSource,
    opening: u64,
    orders: Receiver<DiffuseOrder>,
    left: Arc<Left<Diffused>>,
    wake: WakeUp,
    going: Option<Going>,
    plays: bool,
    /// Steps for a picture; as many as it can without a number.
    speed: Option<u32>,
    flashes: bool,
    watched: Option<u32>,
    shown: Instant,
    version: u64,
}

/// A run that was read.
#[derive(Debug)]
struct Going {
    scene: DiffuseScene,
    unit: TimeUnit,
    /// How it starts.
    start: Setup,
    diffusion: Diffusion,
    /// What runs, for the window.
    setup: Arc<Setup>,
    stage: Stage,
    colours: Arc<Vec<[u8; 3]>>,
    history: Arc<History>,
    recent: VecDeque<Collision>,
    /// Who has touched another, and when it was seen.
    touched: VecDeque<(Instant, u32)>,
    milliseconds: Option<f64>,
    checked: Option<Checked>,
}

impl Going {
    fn new(source: &DiffuseSource, seed: Option<u64>) -> Result<Self, String> {
        let scene = source.scene()?;
        let unit = scene.time_unit().map_err(|error| error.to_string())?;
        let wishes = Wishes { seed, ..Wishes::default() };
        let start = scene.setup(&source.folder, &wishes).map_err(|error| error.to_string())?;
        let diffusion = begun(source, &start)?;
        let colours = scene.colours();
        let stage = Stage::new(source, diffusion.setup(), colours.clone())?;
        let mut history = History::new(scene.frame_every());
        history.note(&diffusion);
        Ok(Self {
            scene,
            unit,
            start,
            setup: Arc::new(diffusion.setup().clone()),
            diffusion,
            stage,
            colours: Arc::new(colours),
            history: Arc::new(history),
            recent: VecDeque::new(),
            touched: VecDeque::new(),
            milliseconds: None,
            checked: None,
        })
    }

    /// Back to the start; with another seed particles are placed anew.
    fn restart(&mut self, source: &DiffuseSource, seed: Option<u64>) -> Result<(), String> {
        let (response, strategy) = (self.diffusion.setup().options.response, self.diffusion.setup().options.strategy);
        let start = match seed.filter(|seed| *seed != self.start.options.seed) {
            None => self.start.clone(),
            Some(seed) => {
                let wishes = Wishes { seed: Some(seed), ..Wishes::default() };
                self.scene.setup(&source.folder, &wishes).map_err(|error| error.to_string())?
            }
        };
        self.diffusion = begun(source, &start)?;
        self.start = start;
        self.set(response, strategy);
        let mut history = History::new(self.scene.frame_every());
        history.note(&self.diffusion);
        self.history = Arc::new(history);
        (self.milliseconds, self.checked) = (None, None);
        self.recent.clear();
        self.touched.clear();
        Ok(())
    }

    /// What two do that touch, and how pairs are found, from the next step on.
    fn set(&mut self, response: Response, strategy: Strategy) {
        self.diffusion.set_response(response);
        self.diffusion.set_strategy(strategy);
        self.setup = Arc::new(self.diffusion.setup().clone());
    }

    fn step(&mut self) {
        let began = Instant::now();
        self.recent.extend(self.diffusion.step());
        let took = 1e3 * began.elapsed().as_secs_f64();
        let too_many = self.recent.len().saturating_sub(MOST_CONTACTS);
        self.recent.drain(..too_many);
        self.milliseconds = Some(self.milliseconds.map_or(took, |mean| SMOOTH * mean + (1.0 - SMOOTH) * took));
        Arc::make_mut(&mut self.history).note(&self.diffusion);
    }

    /// Those that touched in the last step stand out from now on.
    fn flash(&mut self) {
        let now = Instant::now();
        for contact in self.diffusion.collisions() {
            let other = match contact.second {
                Partner::Particle(number) => Some(number),
                Partner::Wall { .. } | Partner::Obstacle(_) => None,
            };
            self.touched.extend([Some(contact.first), other].into_iter().flatten().map(|number| (now, number)));
        }
    }

    /// Those that touched too long ago no longer stand out, nor those before too many others.
    fn fade(&mut self) {
        let most = (MOST_FLASHING * self.diffusion.len() as f64) as usize;
        let too_many = self.touched.len().saturating_sub(most.max(2));
        self.touched.drain(..too_many);
        while self.touched.front().is_some_and(|(at, _)| at.elapsed() >= FLASH) {
            self.touched.pop_front();
        }
    }

    /// The last contacts of a particle, the newest first.
    fn contacts_of(&self, watched: Option<u32>) -> Vec<Collision> {
        let Some(number) = watched else { return Vec::new() };
        let is_its = |contact: &&Collision| contact.first == number || contact.second == Partner::Particle(number);
        self.recent.iter().rev().filter(is_its).take(MOST_TOLD).copied().collect()
    }
}

fn begun(source: &DiffuseSource, start: &Setup) -> Result<Diffusion, String> {
    Diffusion::new(start.clone()).map_err(|error| format!("{}: {error}", source.name))
}

impl Run {
    fn new(
        source: DiffuseSource,
        opening: u64,
        orders: Receiver<DiffuseOrder>,
        left: Arc<Left<Diffused>>,
        wake: Wake,
    ) -> Self {
        Self {
            source,
            opening,
            orders,
            left,
            wake: WakeUp(wake),
            going: None,
            plays: false,
            speed: Some(1),
            flashes: true,
            watched: None,
            shown: Instant::now(),
            version: 0,
        }
    }

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
        if is_new || self.is_fading() {
            self.show();
        }
    }

    /// How long there is nothing to do; for ever where nothing moves and nothing fades.
    fn wait(&self) -> Option<Duration> {
        let fades = self.going.as_ref().is_some_and(|going| !going.touched.is_empty());
        match (self.plays, self.speed) {
            (true, None) => Some(Duration::ZERO),
            (true, Some(_)) => Some(FRAME.saturating_sub(self.shown.elapsed())),
            (false, _) => fades.then_some(FLASH / 4),
        }
    }

    fn is_due(&self) -> bool {
        self.speed.is_none() || self.shown.elapsed() >= FRAME || cfg!(target_family = "wasm")
    }

    /// Whether somebody who stood out no longer does.
    fn is_fading(&self) -> bool {
        let first = self.going.as_ref().and_then(|going| going.touched.front());
        first.is_some_and(|(at, _)| at.elapsed() >= FLASH)
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
        if self.flashes {
            going.flash();
        }
    }

    fn obey(&mut self, order: DiffuseOrder) {
        let Some(going) = &mut self.going else { return };
        match order {
            DiffuseOrder::Play(plays) => self.plays = plays,
            DiffuseOrder::Step => {
                self.plays = false;
                going.step();
                if self.flashes {
                    going.flash();
                }
            }
            DiffuseOrder::Restart(seed) => {
                self.plays = false;
                if let Err(error) = going.restart(&self.source, seed) {
                    self.left.say(format!("error: {error}"));
                }
            }
            DiffuseOrder::Speed(speed) => self.speed = speed.filter(|speed| *speed > 0),
            DiffuseOrder::Respond(response) => going.set(response, going.setup.options.strategy),
            DiffuseOrder::Find(strategy) => going.set(going.setup.options.response, strategy),
            DiffuseOrder::Flash(flashes) => {
                self.flashes = flashes;
                going.touched.clear();
            }
            DiffuseOrder::Watch(watched) => self.watched = watched,
            DiffuseOrder::Check => {
                let (step, deepest) = (going.diffusion.step_number(), going.diffusion.deepest_overlap());
                going.checked = Some(Checked { step, deepest });
            }
            DiffuseOrder::Save(path) => {
                let said = match save(&path, going) {
                    Ok(()) => format!("wrote {}", path.display()),
                    Err(error) => format!("error: {error}"),
                };
                self.left.say(said);
            }
        }
    }

    /// Leaves what there is where the window finds it.
    fn show(&mut self) {
        self.shown = Instant::now();
        let Some(going) = &mut self.going else { return };
        self.version += 1;
        going.fade();
        let touched: BTreeSet<u32> = going.touched.iter().map(|(_, number)| *number).collect();
        let diffusion = &going.diffusion;
        let mut placed: Vec<Placed> = diffusion.particles().collect();
        placed.sort_unstable_by_key(|placed| placed.number);
        let now = Now {
            opening: self.opening,
            version: self.version,
            plays: self.plays,
            iteration: u32::try_from(diffusion.step_number()).unwrap_or(u32::MAX),
            worker: "cpu".to_owned(),
            ..going.stage.now(&placed, &touched)
        };
        let seen = Diffused {
            now,
            step: diffusion.step_number(),
            time: diffusion.time(),
            unit: going.unit,
            setup: Some(Arc::clone(&going.setup)),
            colours: Arc::clone(&going.colours),
            particles: Arc::new(placed),
            hash: (!self.plays).then(|| diffusion.state_hash()),
            statistics: Arc::new(diffusion.statistics().clone()),
            clusters: Arc::new(diffusion.cluster_sizes()),
            history: Arc::clone(&going.history),
            contacts: Arc::new(going.contacts_of(self.watched)),
            milliseconds: going.milliseconds.unwrap_or(0.0),
            checked: going.checked,
        };
        self.left.leave(seen);
        (self.wake.0)();
    }
}

impl Works for Run {
    /// Reads the scene and places the particles.
    fn begin(&mut self) {
        let opened = Going::new(&self.source, None).map(|going| {
            let words = format!("opened {}: {} particles", self.source.name, going.diffusion.len());
            self.going = Some(going);
            self.show();
            words
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

fn save(path: &Path, going: &Going) -> Result<(), String> {
    let name = if going.scene.name().is_empty() { "particles" } else { going.scene.name() };
    platform::save_model(path, &snapshot(name, &going.diffusion))
}
