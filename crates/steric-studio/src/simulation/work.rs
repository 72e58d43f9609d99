//! The thread that iterates.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use steric::gpu::waited;
use steric::model::Instant;
use steric::world::relax::Iteration;

use super::world::World;
use super::{Now, Order, Shared, Source, Wake, WakeUp, Where};
use crate::platform;

/// What is new is shown no more often than this.
const SHOW_EVERY: Duration = Duration::from_millis(16);
/// A GPU is asked for so many iterations at a time.
const AT_A_TIME: u32 = 4;
/// Where there is no thread for it, work goes on for so long before the window has its turn.
const A_TURN: Duration = Duration::from_millis(12);

/// What the thread has.
#[derive(Debug)]
pub(super) struct Work {
    orders: Receiver<Order>,
    shared: Arc<Shared>,
    wake: WakeUp,
    place: Where,
    world: Option<World>,
    plays: bool,
    pace: Option<f64>,
    shown: Instant,
    stepped: Instant,
    opening: u64,
    version: u64,
    done: Vec<Iteration>,
    log: Vec<String>,
}

impl Work {
    pub(super) fn new(orders: Receiver<Order>, shared: Arc<Shared>, wake: Wake, place: Where) -> Self {
        let now = Instant::now();
        Self {
            orders,
            shared,
            wake: WakeUp(wake),
            place,
            world: None,
            plays: false,
            pace: None,
            shown: now,
            stepped: now,
            opening: 0,
            version: 0,
            done: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Works until nobody gives orders any more.
    pub(super) fn run(&mut self) {
        while !self.is_over() {
            let order = if self.has_work() {
                match self.orders.recv_timeout(self.wait()) {
                    Ok(order) => Some(order),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            } else {
                match self.orders.recv() {
                    Ok(order) => Some(order),
                    Err(_) => return,
                }
            };
            if let Some(order) = order {
                waited(self.obey(order));
                while let Ok(order) = self.orders.try_recv() {
                    if self.is_over() {
                        return;
                    }
                    waited(self.obey(order));
                }
                self.show();
            }
            if self.has_work() && self.wait().is_zero() {
                waited(self.iterate(self.at_a_time()));
            }
        }
    }

    fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::Relaxed)
    }

    /// Works for a moment.
    pub(super) async fn turn(&mut self) {
        let begin = Instant::now();
        self.obey_all().await;
        while self.has_work() && self.wait().is_zero() && begin.elapsed() < A_TURN {
            self.iterate(self.at_a_time()).await;
        }
        // Some may have come while a GPU worked.
        self.obey_all().await;
        if self.has_work() {
            (self.wake.0)();
        }
    }

    async fn obey_all(&mut self) {
        let mut is_new = false;
        while let Ok(order) = self.orders.try_recv() {
            self.obey(order).await;
            is_new = true;
        }
        if is_new {
            self.show();
        }
    }

    fn has_work(&self) -> bool {
        self.plays && self.world.as_ref().is_some_and(|world| !world.rests())
    }

    fn at_a_time(&self) -> u32 {
        if self.pace.is_some() { 1 } else { AT_A_TIME }
    }

    /// How long until the next iteration is due.
    fn wait(&self) -> Duration {
        let gap = self.pace.map_or(Duration::ZERO, |pace| Duration::from_secs_f64(1.0 / pace.max(0.01)));
        gap.saturating_sub(self.stepped.elapsed())
    }

    /// Iterates so often at most.
    async fn iterate(&mut self, most: u32) {
        let Some(world) = &mut self.world else { return };
        self.stepped = Instant::now();
        world.work_at(&self.place, &mut self.log);
        match world.iterate(most).await {
            Ok(done) => self.done.extend(done),
            Err(error) => {
                world.leave_gpu();
                self.place = Where::Processor;
                self.log.push(format!("error: {error}; the processor goes on"));
            }
        }
        if world.rests() {
            world.come_back(&mut self.log).await;
            let freed = world.free_rings();
            if freed > 0 {
                self.log.push(format!("{freed} bonds were pushed out of rings that they went through"));
                world.leave_gpu();
            }
        }
        if self.shown.elapsed() >= SHOW_EVERY || world.rests() {
            self.show();
        }
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Open(source) => self.open(source).await,
            Order::Play => self.plays = true,
            Order::Pause => {
                self.plays = false;
                if let Some(world) = &mut self.world {
                    world.come_back(&mut self.log).await;
                }
            }
            Order::Step => {
                self.plays = false;
                self.iterate(1).await;
                if let Some(world) = &mut self.world {
                    world.come_back(&mut self.log).await;
                }
            }
            Order::Speed(pace) => self.pace = pace.filter(|pace| *pace > 0.0),
            Order::Rebuild(source) => self.rebuild(source).await,
            Order::Watch(molecule) => {
                if let Some(world) = &mut self.world {
                    world.watched = molecule;
                }
            }
            Order::Work(place) => {
                self.place = place;
                if let Some(world) = &mut self.world {
                    world.come_back(&mut self.log).await;
                    world.leave_gpu();
                }
            }
            order => {
                let Some(world) = &mut self.world else { return };
                // Who goes back to the start wants to see it.
                self.plays &= !matches!(order, Order::Reset);
                // What a GPU is told of hands it need not be sent again.
                let by_hand = matches!(order, Order::Grab(_) | Order::Hold(_) | Order::Release);
                world.obey(order, &mut self.log).await;
                if !by_hand {
                    world.leave_gpu();
                }
            }
        }
    }

    async fn open(&mut self, source: Source) {
        self.busy(Some(format!("opening {}", source.name())));
        platform::breathe().await;
        match World::new(source) {
            Ok(world) => {
                self.log.push(format!(
                    "opened {}: {} molecules, {} atoms",
                    world.opened.source.name(),
                    world.start.len(),
                    world.opened.scene.atoms()
                ));
                self.log.extend(world.opened.notes.iter().cloned());
                self.world = Some(world);
                self.plays = false;
                self.opening += 1;
                self.show();
                if let Some(world) = &mut self.world {
                    world.look();
                }
            }
            // What was open stays.
            Err(error) => self.log.push(format!("error: {error}")),
        }
        self.busy(None);
    }

    /// Goes on with another scene file and the same molecules.
    async fn rebuild(&mut self, source: Source) {
        let Some(mut before) = self.world.take() else { return };
        before.come_back(&mut self.log).await;
        before.leave_gpu();
        let next = before.rebuilt(source);
        match next {
            Ok(world) => self.world = Some(world),
            Err(error) => {
                self.world = Some(before);
                self.log.push(format!("error: {error}"));
            }
        }
    }

    fn busy(&self, what: Option<String>) {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner).busy = what;
        (self.wake.0)();
    }

    /// Leaves what there is where others find it.
    fn show(&mut self) {
        self.shown = Instant::now();
        self.version += 1;
        {
            let mut news = self.shared.news.lock().unwrap_or_else(PoisonError::into_inner);
            news.iterations.append(&mut self.done);
            news.log.append(&mut self.log);
        }
        let (opening, version, plays) = (self.opening, self.version, self.plays);
        if let Some(world) = &mut self.world {
            let now = Now { opening, version, plays, worker: world.worker(&self.place), ..world.now() };
            *self.shared.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
        (self.wake.0)();
    }
}
