//! What takes long: holding atoms apart over a whole clip, and other distance levels.
//!
//! How it works: a thread of its own works on the puppet as it was when it began. It tells how far it is, looks now and then whether it is still wanted, and
//! hands over what it has made. If the puppet has become another meanwhile, that is of no use any more; the window decides.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, OnceLock};

use steric::world::animate::{BakeOptions, Corrections, Moment, Puppet, Untangler};

use super::super::Wake;
use crate::platform;

/// What came of it.
#[derive(Debug)]
pub(crate) enum Done {
    /// Corrections for a clip.
    Baked(Box<Corrections>),
    /// The same puppet with other distance levels.
    Levels(Box<Puppet>),
    /// Nobody wanted it any more.
    Cancelled,
    /// It broke off.
    Broken,
}

#[derive(Debug, Default)]
struct Progress {
    done: AtomicUsize,
    of: AtomicUsize,
    is_cancelled: AtomicBool,
}

/// Something that takes long, as the window has it. Who lets it go cancels it.
#[derive(Debug)]
pub(crate) struct Job {
    /// What it does, in words.
    pub(crate) words: &'static str,
    /// What it began with.
    pub(crate) puppet: Arc<Puppet>,
    progress: Arc<Progress>,
    done: Receiver<Done>,
}

impl Job {
    /// Holds atoms apart over the whole of a clip.
    pub(crate) fn bake(
        puppet: &Arc<Puppet>,
        untangler: Arc<OnceLock<Untangler>>,
        moment: Moment,
        options: BakeOptions,
        wake: Wake,
    ) -> Self {
        let awake = Arc::clone(&wake);
        Self::start("baking", puppet, wake, move |puppet, progress| {
            let untangler = untangler.get_or_init(|| Untangler::new(puppet));
            let mut note = |done: usize, of: usize| {
                progress.done.store(done, Ordering::Relaxed);
                progress.of.store(of, Ordering::Relaxed);
                awake();
                !progress.is_cancelled.load(Ordering::Relaxed)
            };
            let baked = untangler.bake(puppet, &moment, &options, &mut note);
            baked.map_or(Done::Cancelled, |corrections| Done::Baked(Box::new(corrections)))
        })
    }

    /// Finds other super-atoms.
    pub(crate) fn levels(puppet: &Arc<Puppet>, atoms_each: Vec<f32>, wake: Wake) -> Self {
        Self::start("finding super-atoms", puppet, wake, move |puppet, _| {
            puppet.with_atoms_each(&atoms_each).map_or(Done::Broken, |puppet| Done::Levels(Box::new(puppet)))
        })
    }

    fn start(
        words: &'static str,
        puppet: &Arc<Puppet>,
        wake: Wake,
        work: impl FnOnce(&Puppet, &Progress) -> Done + Send + 'static,
    ) -> Self {
        let (give, done) = channel();
        let progress = Arc::new(Progress::default());
        let (theirs, its_puppet) = (Arc::clone(&progress), Arc::clone(puppet));
        platform::beside(words, move || {
            give.send(work(&its_puppet, &theirs)).ok();
            wake();
        });
        Self { words, puppet: Arc::clone(puppet), progress, done }
    }

    /// How many times of how many are done; nothing where that is not known.
    pub(crate) fn share(&self) -> Option<[usize; 2]> {
        let [done, of] = [&self.progress.done, &self.progress.of].map(|number| number.load(Ordering::Relaxed));
        (of > 0).then_some([done, of])
    }

    /// It need not go on.
    pub(crate) fn cancel(&self) {
        self.progress.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// What came of it, once that is known.
    pub(crate) fn take(&self) -> Option<Done> {
        match self.done.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Done::Broken),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}
