//! What a GPU gives back later.
//!
//! How it works: everything that is read back is a future. A program waits for it ([`waited`]): there the driver is told to finish first, so the
//! future is ready at once. A page in a browser must not wait: there it is awaited, and the page goes on meanwhile.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// What comes of a future, waited for. In a browser that is possible only if it is there already.
///
/// ```
/// assert_eq!(steric_gpu::waited(async { 6 * 7 }), 42);
/// ```
pub fn waited<T>(soon: impl Future<Output = T>) -> T {
    pollster::block_on(soon)
}

/// An answer that somebody else gives.
#[derive(Debug)]
pub(super) struct Answer<T>(Arc<Mutex<(Option<T>, Option<Waker>)>>);

impl<T> Clone for Answer<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Answer<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Answer<T> {
    /// Gives it.
    pub(super) fn give(&self, answer: T) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.0 = Some(answer);
        if let Some(waker) = slot.1.take() {
            waker.wake();
        }
    }

    /// Waits until it is given.
    pub(super) fn given(self) -> impl Future<Output = T> {
        std::future::poll_fn(move |context| {
            let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match slot.0.take() {
                Some(answer) => Poll::Ready(answer),
                None => {
                    slot.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_waited_for() {
        let answer = Answer::default();
        let theirs = answer.clone();
        std::thread::scope(|threads| {
            let waits = threads.spawn(move || waited(answer.given()));
            theirs.give(7);
            assert_eq!(waits.join().ok(), Some(7));
        });
    }
}
