//! How ranks speak to each other.
//!
//! How it works: [`Comm`] knows bytes and 64-bit integers only, so that its three forms stay short: [`Alone`] is one rank, [`threads`] makes ranks of threads,
//! which needs no MPI to test, and `Mpi` (with the feature `mpi`) passes everything on to MPI. All ranks call the same collective operations in the
//! same order; nothing here depends on which message comes first.

mod alone;
mod launcher;
#[cfg(feature = "mpi")]
mod mpi;
pub mod threads;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub use alone::Alone;
pub use launcher::{Launched, launched};
#[cfg(feature = "mpi")]
pub use mpi::{BeginError, Mpi};

/// What a run has last saved, as in "run.ckpt, iteration 480": whoever writes checkpoints keeps it true, and it is said when a rank dies.
pub type Saved = Arc<Mutex<Option<String>>>;

/// One rank's way to the others. One thread of the rank uses it at a time.
///
/// ```
/// use steric_cluster::comm::{Comm, threads};
///
/// let sums = threads::run(3, |comm: &dyn Comm| {
///     let mut words = [comm.rank() as i64, 1];
///     comm.sum(&mut words);
///     words
/// });
/// assert_eq!(sums, [[3, 3]; 3]);
/// ```
pub trait Comm: Send + Sync {
    /// Which of the ranks this is, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// Each word becomes its sum over all ranks. Sums wrap, so their order does not matter.
    fn sum(&self, words: &mut [i64]);

    /// Each word becomes the greatest of all ranks.
    fn most(&self, words: &mut [i64]);

    /// What every rank gave, by rank.
    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>>;

    /// Sends one message to each rank, by rank, and returns what each rank sent here.
    fn to_all(&self, out: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Sends to some ranks, runs `inner`, and then returns one message from each of `from`, in that order.
    ///
    /// `inner` calls its argument now and then, so that messages move meanwhile. A rank may write to itself. No rank is named twice.
    fn exchange(
        &self,
        out: &[(usize, Vec<u8>)],
        from: &[usize],
        inner: &mut dyn FnMut(&dyn Fn()),
    ) -> Vec<(usize, Vec<u8>)>;

    /// Ends all ranks at once, because this one cannot go on. It has said why.
    fn give_up(&self, code: i32) -> !;

    /// What this rank has sent so far.
    fn traffic(&self) -> Traffic;
}

/// What a rank has sent to others: an operation of all ranks counts as one message, and nothing that stays on a rank counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many messages.
    pub messages: u64,
    /// How many bytes they had together.
    pub bytes: u64,
}

#[derive(Default)]
struct Counter {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counter {
    fn add(&self, bytes: usize) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// An operation of all ranks.
    fn add_of_all(&self, bytes: usize, ranks: usize) {
        if ranks > 1 {
            self.add(bytes);
        }
    }

    fn traffic(&self) -> Traffic {
        let [messages, bytes] = [&self.messages, &self.bytes].map(|count| count.load(Ordering::Relaxed));
        Traffic { messages, bytes }
    }
}

/// Whether every rank is one of `ranks` and is named once.
fn are_ranks(named: impl IntoIterator<Item = usize>, ranks: usize) -> bool {
    let mut seen = BTreeSet::new();
    named.into_iter().all(|rank| rank < ranks && seen.insert(rank))
}
