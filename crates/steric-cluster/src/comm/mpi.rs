//! Ranks that MPI started, on one machine or many.
//!
//! How it works: every operation is one of MPI's that return at once, followed by a wait of our own, which yields for a moment and then sleeps in between:
//! MPI itself waits at full speed, which takes a core from the ranks that still work. A long message goes in pieces; all but the last have full length, and one
//! that is shorter ends the message. So no length exceeds what MPI can count, and who waits sees that something moves, and stays awake: between two processes
//! of one machine MPI moves 32 KiB each time that both look. A rank that panics ends the job: unwinding alone would leave the others waiting for ever.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use mpi::Threading;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::request::{LocalScope, Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Source};

use super::{Comm, Counter, Saved, Traffic, are_ranks, launched};
use crate::faults::Watch;

/// Messages in pieces of 1 MiB, which take about 0.1 ms.
const PIECE: usize = 1 << 20;
/// For so long after the last thing that moved a wait yields only: nearly all waits of a balanced run end within it.
const YIELDING: Duration = Duration::from_micros(200);
/// The same for messages.
const MOVING: Duration = Duration::from_millis(1);
/// What the panic of a program in Rust returns.
const PANICKED: i32 = 101;
/// Messages of an exchange, and those of operations of all ranks, which may go on inside of it.
const EXCHANGE: i32 = 1;
const COLLECTIVE: i32 = 2;

/// Why a process that MPI started cannot take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BeginError {
    /// MPI begins once in a process.
    #[error("MPI has begun before in this process")]
    Twice,
    /// The work of a rank runs on a pool of threads.
    #[error("this MPI library can be called from its first thread only; steric needs MPI_THREAD_SERIALIZED")]
    Threads,
}

/// One rank of a job, from its beginning to its end.
///
/// Dropping it waits for all other ranks to do the same: a rank that cannot go on calls [`Comm::give_up`] instead.
pub struct Mpi {
    rank: usize,
    ranks: usize,
    piece: usize,
    counter: Counter,
    watch: Arc<Watch>,
    _universe: Universe,
}

impl Mpi {
    /// Begins, if this process is one of a job of MPI ([`launched`]). When a rank dies, what is in `saved` by then is named.
    ///
    /// # Errors
    /// Where the MPI library does not suit; then all ranks get the same error.
    pub fn begin(saved: Saved) -> Result<Option<Self>, BeginError> {
        Self::in_pieces(saved, PIECE)
    }

    /// The same with messages in pieces of another length, for tests. All ranks take the same.
    #[doc(hidden)]
    pub fn in_pieces(saved: Saved, piece: usize) -> Result<Option<Self>, BeginError> {
        if launched().is_none() {
            return Ok(None);
        }
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized).ok_or(BeginError::Twice)?;
        if threading < Threading::Serialized {
            return Err(BeginError::Threads);
        }
        let [rank, ranks] = [world().rank(), world().size()].map(|count| count as usize);
        let host = mpi::environment::processor_name().unwrap_or_default();
        let watch = Arc::new(Watch::new(rank, &host, saved));
        end_with_a_panic(&watch);
        let mut begun =
            Self { rank, ranks, piece, counter: Counter::default(), watch: watch.clone(), _universe: universe };
        let peers = begun.gather(watch.own().as_bytes());
        // The traffic of the run is counted from here.
        begun.counter = Counter::default();
        watch.begin(&peers, |code| world().abort(code));
        Ok(Some(begun))
    }

    /// Sends and receives, each message in pieces, while `inner` runs.
    fn pass(&self, tag: i32, out: &[(usize, &[u8])], from: &[usize], inner: &mut dyn FnMut(&dyn Fn())) -> Vec<Vec<u8>> {
        let mut whole = vec![Vec::new(); from.len()];
        scope(|sending| {
            let world = world();
            let others = out.iter().filter(|(to, _)| *to != self.rank);
            let pieces = others.flat_map(|&(to, message)| self.pieces(message).map(move |piece| (to, piece)));
            let send =
                |(to, piece): (usize, _)| world.process_at_rank(to as i32).immediate_send_with_tag(sending, piece, tag);
            let sent = RefCell::new(pieces.map(send).collect::<VecDeque<_>>());
            let left_to_send = || left(&mut sent.borrow_mut());

            let mut wanted: Vec<usize> = (0..from.len()).filter(|&at| from[at] != self.rank).collect();
            let mut pieces = receive(tag, wanted.iter().map(|&at| from[at]), &left_to_send, inner);
            loop {
                let is_full: Vec<_> = pieces.iter().map(|piece| piece.len() == self.piece).collect();
                wanted.iter().zip(pieces).for_each(|(&at, piece)| join(&mut whole[at], piece));
                wanted = wanted.into_iter().zip(is_full).filter_map(|(at, is_full)| is_full.then_some(at)).collect();
                if wanted.is_empty() {
                    break;
                }
                pieces = receive(tag, wanted.iter().map(|&at| from[at]), &left_to_send, &mut |_| ());
            }
            politely(MOVING, left_to_send);
        });
        for (_, message) in out.iter().filter(|(to, _)| *to == self.rank) {
            let at = from.iter().position(|&from| from == self.rank).expect("a rank that writes to itself listens");
            whole[at] = message.to_vec();
        }
        whole
    }

    /// All full pieces and a shorter one, which may be empty.
    fn pieces<'a>(&self, message: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let full = message.chunks_exact(self.piece);
        let last = full.remainder();
        full.chain([last])
    }

    /// One word of each rank.
    fn lengths(&self, own: usize) -> Vec<usize> {
        let (own, mut all) = ([own as u64], vec![0_u64; self.ranks]);
        scope(|scope| wait(world().immediate_all_gather_into(scope, &own[..], &mut all[..])));
        all.into_iter().map(|length| length as usize).collect()
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // From here on, ranks may leave.
        self.watch.rest();
        wait(world().immediate_barrier());
    }
}

impl Comm for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn sum(&self, words: &mut [i64]) {
        // Sums of unsigned words wrap, by the standard of C.
        let own: Vec<u64> = words.iter().map(|word| word.cast_unsigned()).collect();
        let mut all = vec![0_u64; own.len()];
        self.counter.add_of_all(size_of_val(words), self.ranks);
        scope(|scope| {
            wait(world().immediate_all_reduce_into(scope, &own[..], &mut all[..], SystemOperation::sum()));
        });
        words.iter_mut().zip(all).for_each(|(word, sum)| *word = sum.cast_signed());
    }

    fn most(&self, words: &mut [i64]) {
        let own = words.to_vec();
        self.counter.add_of_all(size_of_val(words), self.ranks);
        scope(|scope| {
            wait(world().immediate_all_reduce_into(scope, &own[..], &mut words[..], SystemOperation::max()));
        });
    }

    fn gather(&self, own: &[u8]) -> Vec<Vec<u8>> {
        self.counter.add_of_all(own.len(), self.ranks);
        let lengths = self.lengths(own.len());
        if lengths.iter().sum::<usize>() > self.piece {
            let ranks: Vec<_> = (0..self.ranks).collect();
            let out: Vec<_> = ranks.iter().map(|&to| (to, own)).collect();
            return self.pass(COLLECTIVE, &out, &ranks, &mut |_| ());
        }
        // MPI calls it a wrong argument when nobody has anything to say.
        if lengths.iter().all(|&length| length == 0) {
            return vec![Vec::new(); self.ranks];
        }
        let counts: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
        let begins: Vec<i32> = counts.iter().scan(0, |end, count| Some(std::mem::replace(end, *end + count))).collect();
        let mut all = vec![0; lengths.iter().sum()];
        {
            let mut parts = PartitionMut::new(&mut all[..], &counts[..], &begins[..]);
            scope(|scope| wait(world().immediate_all_gather_varcount_into(scope, own, &mut parts)));
        }
        let part = |(begin, length): (i32, usize)| all[begin as usize..][..length].to_vec();
        begins.into_iter().zip(lengths).map(part).collect()
    }

    fn to_all(&self, out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(out.len(), self.ranks, "one message for each rank");
        let own: Vec<u64> = out.iter().map(|message| message.len() as u64).collect();
        let mut lengths = vec![0_u64; self.ranks];
        scope(|scope| wait(world().immediate_all_to_all_into(scope, &own[..], &mut lengths[..])));
        let out: Vec<_> =
            out.iter().map(Vec::as_slice).enumerate().filter(|(_, message)| !message.is_empty()).collect();
        let others = out.iter().filter(|(to, _)| *to != self.rank);
        others.for_each(|(_, message)| self.counter.add(message.len()));
        let from: Vec<_> = (0..self.ranks).filter(|&from| lengths[from] > 0).collect();
        let mut all = vec![Vec::new(); self.ranks];
        let messages = self.pass(COLLECTIVE, &out, &from, &mut |_| ());
        from.into_iter().zip(messages).for_each(|(from, message)| all[from] = message);
        all
    }

    fn exchange(
        &self,
        out: &[(usize, Vec<u8>)],
        from: &[usize],
        inner: &mut dyn FnMut(&dyn Fn()),
    ) -> Vec<(usize, Vec<u8>)> {
        assert!(are_ranks(out.iter().map(|(to, _)| *to), self.ranks), "at most one message to each rank");
        assert!(are_ranks(from.iter().copied(), self.ranks), "at most one message from each rank");
        let out: Vec<_> = out.iter().map(|(to, message)| (*to, message.as_slice())).collect();
        let others = out.iter().filter(|(to, _)| *to != self.rank);
        others.for_each(|(_, message)| self.counter.add(message.len()));
        from.iter().copied().zip(self.pass(EXCHANGE, &out, from, inner)).collect()
    }

    fn give_up(&self, code: i32) -> ! {
        self.watch.has_spoken();
        world().abort(code)
    }

    fn traffic(&self) -> Traffic {
        self.counter.traffic()
    }
}

/// One piece from each, while `inner` runs and what was sent goes on.
fn receive(
    tag: i32,
    from: impl Iterator<Item = usize>,
    left_to_send: &dyn Fn() -> usize,
    inner: &mut dyn FnMut(&dyn Fn()),
) -> Vec<Vec<u8>> {
    let from: Vec<_> = from.collect();
    let mut pieces = vec![Vec::new(); from.len()];
    scope(|scope| {
        let coming = from.into_iter().zip(&mut pieces).map(|(from, piece)| Coming::Awaited(from, piece));
        let coming = RefCell::new(coming.collect::<Vec<_>>());
        let go_on = || coming.borrow_mut().iter_mut().map(|one| one.go_on(scope, tag)).sum::<usize>();
        inner(&|| {
            left_to_send();
            go_on();
        });
        politely(MOVING, || match go_on() {
            0 => 0,
            left => left + left_to_send(),
        });
    });
    pieces
}

/// A piece on its way.
enum Coming<'a, 's> {
    /// Nothing is known of it.
    Awaited(usize, &'a mut Vec<u8>),
    /// Its length is known, and it goes to its place.
    Moving(Request<'a, [u8], &'s LocalScope<'a>>),
    Here,
}

impl<'a, 's> Coming<'a, 's> {
    /// Does what can be done now; how many steps are left.
    fn go_on(&mut self, scope: &'s LocalScope<'a>, tag: i32) -> usize {
        *self = match std::mem::replace(self, Self::Here) {
            Self::Awaited(from, piece) => {
                match world().process_at_rank(from as i32).immediate_matched_probe_with_tag(tag) {
                    Some((message, status)) => {
                        piece.resize(status.count(u8::equivalent_datatype()) as usize, 0);
                        Self::Moving(message.immediate_matched_receive_into(scope, &mut piece[..]))
                    }
                    None => Self::Awaited(from, piece),
                }
            }
            Self::Moving(request) => request.test().map_or_else(Self::Moving, |_| Self::Here),
            Self::Here => Self::Here,
        };
        match self {
            Self::Awaited(..) => 2,
            Self::Moving(_) => 1,
            Self::Here => 0,
        }
    }
}

fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

fn join(whole: &mut Vec<u8>, piece: Vec<u8>) {
    if whole.is_empty() {
        *whole = piece;
    } else {
        whole.extend_from_slice(&piece);
    }
}

fn wait<'a, D: ?Sized, S: Scope<'a>>(request: Request<'a, D, S>) {
    let mut requests = VecDeque::from([request]);
    politely(YIELDING, || left(&mut requests));
}

/// How many are not done, as far as those before them are: messages leave in their order.
fn left<'a, D: ?Sized, S: Scope<'a>>(requests: &mut VecDeque<Request<'a, D, S>>) -> usize {
    while let Some(request) = requests.pop_front() {
        if let Err(request) = request.test() {
            requests.push_front(request);
            break;
        }
    }
    requests.len()
}

/// Asks until nothing is left, and leaves the core to others meanwhile.
fn politely(yielding: Duration, mut left: impl FnMut() -> usize) {
    let (mut moved, mut before) = (Instant::now(), usize::MAX);
    loop {
        let now = left();
        if now == 0 {
            return;
        }
        if now != before {
            (moved, before) = (Instant::now(), now);
        }
        let waited = moved.elapsed();
        if waited < yielding {
            std::thread::yield_now();
        } else {
            // A long wait may become longer by half a percent.
            std::thread::sleep((waited / 200).clamp(Duration::from_micros(50), Duration::from_millis(1)));
        }
    }
}

/// Ends the job when a thread of this rank panics.
fn end_with_a_panic(watch: &Arc<Watch>) {
    static WATCH: OnceLock<Arc<Watch>> = OnceLock::new();
    let _begun_once = WATCH.set(watch.clone());
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        if let Some(watch) = WATCH.get() {
            watch.has_spoken();
        }
        world().abort(PANICKED);
    }));
}
