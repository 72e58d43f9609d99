//! Ranks that are threads of one process: every path of a run on many machines, tested without MPI.
//!
//! How it works: every rank has a mailbox with one queue for each sender and each kind of message; whoever waits sleeps. Operations of all ranks are
//! messages from all to all. When a rank panics, those who wait for a message unwind in silence, and [`run`] passes the panic on.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Comm, Counter, Traffic, are_ranks};

/// Runs `work` on each of so many ranks at the same time and returns their results by rank.
///
/// # Panics
/// When a rank panics or gives up; the others end then, too.
pub fn run<T: Send>(ranks: usize, work: impl Fn(&dyn Comm) -> T + Sync) -> Vec<T> {
    assert!(ranks > 0, "at least one rank");
    let boxes: Vec<_> = (0..ranks).map(|_| Mailbox::new(ranks)).collect();
    let one = |rank| {
        let comm = Rank { rank, boxes: &boxes, counter: Counter::default() };
        let result = catch_unwind(AssertUnwindSafe(|| work(&comm)));
        comm.leave(result.is_err());
        result
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let spawn = |rank| {
            let builder = std::thread::Builder::new().name(format!("rank {rank}"));
            builder.spawn_scoped(scope, move || one(rank)).expect("a thread for each rank")
        };
        let threads: Vec<_> = (0..ranks).map(spawn).collect();
        threads.into_iter().map(|thread| thread.join().and_then(|result| result)).collect()
    });
    unwrapped(results)
}

fn unwrapped<T>(results: Vec<Result<T, Box<dyn Any + Send>>>) -> Vec<T> {
    let (done, failed): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    // Those that stopped for another rank's sake have nothing to say.
    if let Some(panic) = failed.into_iter().filter_map(Result::err).min_by_key(|panic| panic.is::<Stopped>()) {
        resume_unwind(panic);
    }
    done.into_iter().filter_map(Result::ok).collect()
}

/// The panic of a rank that waited for a message when another one failed.
struct Stopped;

/// Operations of all ranks inside of an exchange must not take its messages.
#[derive(Clone, Copy)]
enum Kind {
    Collective,
    Exchange,
}

struct Mailbox {
    inside: Mutex<Inside>,
    changed: Condvar,
}

struct Inside {
    /// By sender and kind.
    queues: Vec<[VecDeque<Vec<u8>>; 2]>,
    /// Who sends no more.
    left: Vec<bool>,
    has_failed: bool,
}

impl Mailbox {
    fn new(ranks: usize) -> Self {
        let inside = Inside {
            queues: (0..ranks).map(|_| Default::default()).collect(),
            left: vec![false; ranks],
            has_failed: false,
        };
        Self { inside: Mutex::new(inside), changed: Condvar::new() }
    }

    fn change(&self, by: impl FnOnce(&mut Inside)) {
        by(&mut self.inside());
        self.changed.notify_all();
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Rank<'a> {
    rank: usize,
    boxes: &'a [Mailbox],
    counter: Counter,
}

impl Rank<'_> {
    fn send(&self, to: usize, kind: Kind, message: Vec<u8>) {
        self.boxes[to].change(|inside| inside.queues[self.rank][kind as usize].push_back(message));
    }

    fn receive(&self, from: usize, kind: Kind) -> Vec<u8> {
        let own = &self.boxes[self.rank];
        let mut inside = own.inside();
        loop {
            if let Some(message) = inside.queues[from][kind as usize].pop_front() {
                return message;
            }
            if inside.has_failed {
                drop(inside);
                resume_unwind(Box::new(Stopped));
            }
            assert!(!inside.left[from], "rank {} waits for rank {from}, which has ended", self.rank);
            inside = own.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn leave(&self, has_failed: bool) {
        for mailbox in self.boxes {
            mailbox.change(|inside| {
                inside.left[self.rank] = true;
                inside.has_failed |= has_failed;
            });
        }
    }

    fn of_all(&self, out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        for (to, message) in out.into_iter().enumerate() {
            self.send(to, Kind::Collective, message);
        }
        (0..self.ranks()).map(|from| self.receive(from, Kind::Collective)).collect()
    }

    fn folded(&self, words: &mut [i64], fold: impl Fn(i64, i64) -> i64) {
        let own: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (from, bytes) in self.gather(&own).into_iter().enumerate() {
            assert_eq!(bytes.len(), own.len(), "rank {from} and rank {} reduce as many words", self.rank);
            if from != self.rank {
                let (theirs, _) = bytes.as_chunks();
                words.iter_mut().zip(theirs).for_each(|(word, their)| *word = fold(*word, i64::from_le_bytes(*their)));
            }
        }
    }
}

impl Comm for Rank<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.boxes.len()
    }

    fn sum(&self, words: &mut [i64]) {
        self.folded(words, i64::wrapping_add);
    }

    fn most(&self, words: &mut [i64]) {
        self.folded(words, i64::max);
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.counter.add_of_all(own.len(), self.ranks());
        self.of_all(vec![own.to_vec(); self.ranks()])
    }

    fn to_all(&self, out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(out.len(), self.ranks(), "one message for each rank");
        let others = out.iter().enumerate().filter(|(to, message)| *to != self.rank && !message.is_empty());
        others.for_each(|(_, message)| self.counter.add(message.len()));
        self.of_all(out)
    }

    fn exchange(
        &self,
        out: &[(usize, Vec<u8>)],
        from: &[usize],
        inner: &mut dyn FnMut(&dyn Fn()),
    ) -> Vec<(usize, Vec<u8>)> {
        assert!(are_ranks(out.iter().map(|(to, _)| *to), self.ranks()), "at most one message to each rank");
        assert!(are_ranks(from.iter().copied(), self.ranks()), "at most one message from each rank");
        for (to, message) in out {
            if *to != self.rank {
                self.counter.add(message.len());
            }
            self.send(*to, Kind::Exchange, message.clone());
        }
        inner(&|| ());
        from.iter().map(|&from| (from, self.receive(from, Kind::Exchange))).collect()
    }

    fn give_up(&self, code: i32) -> ! {
        panic!("rank {} gave up with code {code}", self.rank)
    }

    fn traffic(&self) -> Traffic {
        self.counter.traffic()
    }
}
