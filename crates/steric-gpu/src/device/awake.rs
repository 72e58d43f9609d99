//! A GPU that is kept busy while the host prepares its work.
//!
//! How it works: an idle GPU lowers its clock, and takes a third of a second of work to raise it again; without this the first iterations
//! on an H200 take four times as long. So a thread keeps copying a few megabytes until the work begins.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::{Gpu, Memory, Stage};
use crate::kernels::copy_stage;

/// Copied again and again: little enough to be in nobody's way.
const BYTES: u64 = 16 << 20;
/// So many copies are submitted at once: less than a millisecond, so that no other work has to wait for long.
const COPIES: usize = 16;

/// Keeps a GPU awake until it is dropped.
#[derive(Debug)]
pub struct Awake {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Gpu {
    /// Keeps the GPU at its full clock until what comes back is dropped. A GPU in software has none, and a browser has no thread for
    /// it: both are left alone.
    ///
    /// ```
    /// if let Some(gpu) = steric_gpu::Gpu::software() {
    ///     let awake = gpu.keep_awake();
    ///     // Here the host reads files and prepares molecules.
    ///     drop(awake);
    /// }
    /// ```
    pub fn keep_awake(&self) -> Awake {
        let is_left_alone = self.adapter().is_software || cfg!(target_family = "wasm");
        let is_over = Arc::new(AtomicBool::new(is_left_alone));
        let copy = (!is_left_alone).then(|| self.small_copy()).flatten();
        let thread = copy.and_then(|copy| {
            let (gpu, is_over) = (self.clone(), Arc::clone(&is_over));
            std::thread::Builder::new().name("awake".to_owned()).spawn(move || gpu.copy_until(&copy, &is_over)).ok()
        });
        Awake { is_over, thread }
    }

    fn small_copy(&self) -> Option<Stage> {
        let mut memory = Memory::new(self);
        let (source, copied) = (memory.zeros("copied from", BYTES).ok()?, memory.zeros("copied to", BYTES).ok()?);
        Some(copy_stage(self, &source, &copied, BYTES))
    }

    fn copy_until(&self, copy: &Stage, is_over: &AtomicBool) {
        while !is_over.load(Ordering::Relaxed) && self.check().is_ok() {
            self.run((0..COPIES).map(|_| copy));
            if self.device.poll(wgpu::PollType::wait_indefinitely()).is_err() {
                return;
            }
        }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has stopped, too.
            thread.join().ok();
        }
    }
}
