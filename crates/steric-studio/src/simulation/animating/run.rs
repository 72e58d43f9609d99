//! The thread that works out what is seen.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steric::model::Instant;

use super::super::{Now, Wake, WakeUp};
use super::stage::Stage;
use super::{AnimateSource, Animated, Wanted};
use crate::platform;

/// What the thread and the window share.
#[derive(Debug, Default)]
struct Shared {
    seen: Mutex<Animated>,
    /// Sentences for the log, and whether it could be opened once that is known.
    news: Mutex<(Vec<String>, Option<bool>)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A puppet beside the window, as the window has it. It ends when nobody has it any more.
#[derive(Debug)]
pub(crate) struct Running {
    wishes: Sender<Wanted>,
    shared: Arc<Shared>,
    /// Where there are no threads.
    here: Option<Box<Run>>,
    /// Whether it was said that it broke off.
    is_broken: bool,
}

impl Running {
    /// Waits for wishes.
    pub(crate) fn open(source: AnimateSource, opening: u64, wake: Wake) -> Self {
        let (wishes, taken) = channel();
        let shared = Arc::new(Shared::default());
        let words = format!("opened {}: {} atoms", source.name, source.puppet.radii().len());
        let stage = Stage::new(source);
        let theirs = Arc::clone(&shared);
        let mut run = Run { opening, wishes: taken, shared: theirs, wake: WakeUp(wake), stage, words, version: 0 };
        if cfg!(target_family = "wasm") {
            return Self { wishes, shared, here: Some(Box::new(run)), is_broken: false };
        }
        platform::beside("puppet", move || run.work());
        Self { wishes, shared, here: None, is_broken: false }
    }

    /// Wishes to see something; an older wish that nobody has come to yet is forgotten.
    pub(crate) fn wish(&self, wanted: Wanted) {
        // It only fails when the thread has ended, and then the window says so.
        self.wishes.send(wanted).ok();
    }

    /// Works out the newest wish where there is no thread for that.
    pub(crate) fn work_here(&mut self) {
        if let Some(run) = &mut self.here
            && let Some(wanted) = run.wishes.try_iter().last()
        {
            run.show(&wanted);
        }
    }

    /// How it stands, sentences that are new, and whether it could be opened once that is known.
    pub(crate) fn look(&mut self) -> (Animated, Vec<String>, Option<bool>) {
        // A thread that has ended no longer shares anything.
        let is_over = self.here.is_none() && Arc::strong_count(&self.shared) == 1;
        let (mut log, mut is_open) = {
            let mut news = lock(&self.shared.news);
            (std::mem::take(&mut news.0), news.1)
        };
        if is_over && is_open != Some(false) && !self.is_broken {
            self.is_broken = true;
            log.push("error: expected the molecules to be placed, found that it broke off".to_owned());
        }
        if is_over && is_open.is_none() {
            is_open = Some(false);
        }
        (lock(&self.shared.seen).clone(), log, is_open)
    }
}

/// What the thread has.
#[derive(Debug)]
struct Run {
    opening: u64,
    wishes: Receiver<Wanted>,
    shared: Arc<Shared>,
    wake: WakeUp,
    stage: Stage,
    /// What is said when it is open.
    words: String,
    version: u64,
}

impl Run {
    /// Works until nobody has wishes any more.
    fn work(&mut self) {
        while let Ok(first) = self.wishes.recv() {
            // Only the newest is still of interest.
            let wanted = self.wishes.try_iter().last().unwrap_or(first);
            self.show(&wanted);
        }
    }

    fn show(&mut self, wanted: &Wanted) {
        let began = Instant::now();
        match self.stage.shown(wanted) {
            Ok(shown) => {
                self.version += 1;
                let now = Now { opening: self.opening, version: self.version, ..shown.now };
                let milliseconds = 1e3 * began.elapsed().as_secs_f64();
                *lock(&self.shared.seen) = Animated { now, milliseconds, ..shown };
                let mut news = lock(&self.shared.news);
                if news.1.replace(true) != Some(true) {
                    news.0.push(std::mem::take(&mut self.words));
                }
            }
            Err(error) => {
                let mut news = lock(&self.shared.news);
                news.0.push(format!("error: {error}"));
                news.1.get_or_insert(false);
            }
        }
        (self.wake.0)();
    }
}
