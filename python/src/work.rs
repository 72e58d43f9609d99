//! Threads that work while the interpreter goes on.
//!
//! How it works: pools belong to this package, never to the process, and know in which process they were made: after a fork the child makes its
//! own. Work that borrows arrays is waited for, and is told to stop; work that owns what it needs is left behind once a signal has come.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors;

/// Between two looks for signals.
const BLINK: Duration = Duration::from_millis(40);
/// How long work that was told to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(80);
const MOST_THREADS: usize = 1024;

/// Pools by their number of threads. It is only locked by who holds the interpreter, so that no fork finds it locked.
static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
/// What `set_threads` was told; 0 for one a core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Use so many threads from now on where a call does not say; ``None`` for one a core.
#[pyfunction]
#[pyo3(signature = (threads=None))]
pub(crate) fn set_threads(threads: Option<i64>) -> PyResult<()> {
    THREADS.store(threads.map_or(Ok(0), checked)?, Ordering::Relaxed);
    Ok(())
}

/// How many threads a call takes that does not say.
#[pyfunction]
pub(crate) fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Forgets the threads of the parent, which a child of a fork does not have.
#[pyfunction]
#[pyo3(name = "_after_fork")]
pub(crate) fn after_fork() {
    let pools = std::mem::take(&mut *POOLS.lock().unwrap_or_else(PoisonError::into_inner));
    // Nobody would answer when they are told to end.
    std::mem::forget(pools);
}

fn checked(threads: i64) -> PyResult<usize> {
    usize::try_from(threads)
        .ok()
        .filter(|threads| (1..=MOST_THREADS).contains(threads))
        .ok_or_else(|| PyValueError::new_err(format!("expected 1 to {MOST_THREADS} threads, found {threads}")))
}

/// The pool of so many threads.
pub(crate) fn pool(_py: Python<'_>, wanted: Option<i64>) -> PyResult<Arc<ThreadPool>> {
    let count = wanted.map_or_else(|| Ok(threads()), checked)?;
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&count) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new().num_threads(count).thread_name(|index| format!("steric {index}")).build();
    let pool = Arc::new(pool.map_err(errors::value)?);
    pools.insert(count, Arc::clone(&pool));
    Ok(pool)
}

/// Work on this thread that is over in no time.
pub(crate) fn quick<T>(job: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|payload| errors::panicked(&*payload))
}

/// Work that borrows; `stop` tells it to end when a signal has come.
pub(crate) fn borrowed<T: Send>(
    py: Python<'_>,
    pool: &ThreadPool,
    stop: &AtomicBool,
    job: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, result) = channel();
    let mut signal = Ok(());
    let told = &mut signal;
    let outcome = py.detach(move || {
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(job)));
                // Who waits for it outlives it.
                let _ = done.send(outcome);
            });
            loop {
                match result.recv_timeout(BLINK) {
                    Ok(outcome) => return Some(outcome),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if told.is_ok() => {
                        *told = Python::attach(|py| py.check_signals());
                        stop.store(told.is_err(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    });
    signal?;
    finished(outcome)
}

/// Work that owns what it needs. `look` is called between two looks for signals and may end the work, as a signal does; work that goes on
/// nevertheless is left behind.
pub(crate) fn owned<T: Send + 'static>(
    py: Python<'_>,
    pool: &Arc<ThreadPool>,
    stop: &Arc<AtomicBool>,
    job: impl FnOnce() -> T + Send + 'static,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (done, mut result) = channel();
    let pool = Arc::clone(pool);
    let work = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(job)));
        // Nobody may wait for it any more.
        let _ = done.send(outcome);
    };
    std::thread::Builder::new().name("steric work".to_owned()).spawn(work).map_err(errors::value)?;
    loop {
        let receiver = &mut result;
        let outcome = py.detach(move || receiver.recv_timeout(BLINK));
        match outcome {
            Ok(outcome) => return finished(Some(outcome)),
            Err(RecvTimeoutError::Disconnected) => return finished(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| look(py)) {
            stop.store(true, Ordering::Relaxed);
            let receiver = &mut result;
            // What it comes to does not matter any more.
            let _ = py.detach(move || receiver.recv_timeout(PATIENCE)).is_ok();
            return Err(error);
        }
    }
}

/// A callback's way to say that there is nothing to look at.
pub(crate) fn nothing(_py: Python<'_>) -> PyResult<()> {
    Ok(())
}

fn finished<T>(outcome: Option<std::thread::Result<T>>) -> PyResult<T> {
    match outcome {
        Some(Ok(value)) => Ok(value),
        Some(Err(payload)) => Err(errors::panicked(&*payload)),
        None => Err(errors::InternalError::new_err("a thread of steric ended without a word")),
    }
}

/// Something that work may hold while others wait for it.
#[derive(Debug)]
pub(crate) struct Held<T>(Arc<Mutex<T>>);

impl<T: Send + 'static> Held<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    pub(crate) fn share(&self) -> Arc<Mutex<T>> {
        Arc::clone(&self.0)
    }

    /// A look at it, after whoever works on it. What it gives must not need the interpreter.
    pub(crate) fn with<R: Send>(&self, py: Python<'_>, look: impl FnOnce(&mut T) -> R + Send) -> PyResult<R> {
        py.detach(|| {
            let mut value = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            catch_unwind(AssertUnwindSafe(|| look(&mut value)))
        })
        .map_err(|payload| errors::panicked(&*payload))
    }
}

/// Locks what a job works on.
pub(crate) fn lock<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
