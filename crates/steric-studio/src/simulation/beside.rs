//! A run beside the window: it takes orders, and leaves what it has come to where the window finds it.
//!
//! How it works: whoever goes from step to step has a thread of its own, one end of a channel, and what it shares with the window. Nobody waits for it. A page in a browser has no
//! threads: there it goes on for some milliseconds in each frame. It ends when nobody gives orders any more.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::platform;

/// What a run and the window share.
#[derive(Debug, Default)]
pub(super) struct Left<Seen> {
    seen: Mutex<Seen>,
    /// Sentences for the log, and whether it could be opened once that is known.
    news: Mutex<(Vec<String>, Option<bool>)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<Seen> Left<Seen> {
    /// How it stands now.
    pub(super) fn leave(&self, seen: Seen) {
        *lock(&self.seen) = seen;
    }

    /// A sentence for the log.
    pub(super) fn say(&self, line: String) {
        lock(&self.news).0.push(line);
    }

    /// It is open, or it is known why not.
    pub(super) fn open(&self, opened: Result<String, String>) {
        let mut news = lock(&self.news);
        news.1 = Some(opened.is_ok());
        news.0.push(opened.unwrap_or_else(|error| format!("error: {error}")));
    }
}

/// Something that goes from step to step.
pub(super) trait Works: std::fmt::Debug {
    /// Reads what it is about.
    fn begin(&mut self);

    /// Works until nobody gives orders any more.
    fn work(&mut self);

    /// Works for a moment, where there is no thread for it.
    fn turn(&mut self);
}

/// A run beside the window, as the window has it.
#[derive(Debug)]
pub(crate) struct Beside<Order, Seen> {
    orders: Sender<Order>,
    left: Arc<Left<Seen>>,
    /// Where there are no threads.
    here: Option<Box<dyn Works>>,
    /// Whether it was said that it broke off.
    is_broken: bool,
}

impl<Order, Seen: Clone + Default> Beside<Order, Seen> {
    /// Begins beside the window, under a name, and waits for orders.
    pub(super) fn begun<W: Works + Send + 'static>(
        name: &str,
        make: impl FnOnce(Receiver<Order>, Arc<Left<Seen>>) -> W,
    ) -> Self {
        let (orders, taken) = channel();
        let left = Arc::new(Left::default());
        let mut run = make(taken, Arc::clone(&left));
        if cfg!(target_family = "wasm") {
            run.begin();
            return Self { orders, left, here: Some(Box::new(run)), is_broken: false };
        }
        platform::beside(name, move || {
            run.begin();
            run.work();
        });
        Self { orders, left, here: None, is_broken: false }
    }

    /// Asks for something.
    pub(crate) fn order(&self, order: Order) {
        // It only fails when the thread has ended, and then the window says so.
        self.orders.send(order).ok();
    }

    /// Goes on for some milliseconds where there is no thread for that.
    pub(crate) fn work_here(&mut self) {
        if let Some(run) = &mut self.here {
            run.turn();
        }
    }

    /// How it stands, sentences that are new, and whether it could be opened once that is known.
    pub(crate) fn look(&mut self) -> (Seen, Vec<String>, Option<bool>) {
        // A thread that has ended no longer shares anything; while somebody gives orders it does so only where it could not begin, or broke off.
        let is_over = self.here.is_none() && Arc::strong_count(&self.left) == 1;
        let (mut log, mut is_open) = {
            let mut news = lock(&self.left.news);
            (std::mem::take(&mut news.0), news.1)
        };
        if is_over && is_open != Some(false) && !self.is_broken {
            self.is_broken = true;
            log.push("error: expected the run to go on, found that it broke off".to_owned());
        }
        if is_over && is_open.is_none() {
            is_open = Some(false);
        }
        (lock(&self.left.seen).clone(), log, is_open)
    }
}
