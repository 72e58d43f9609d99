//! What the tests on a GPU share.

use steric_gpu::Gpu;

/// The software GPU; says so where there is none.
pub(crate) fn gpu() -> Option<Gpu> {
    let gpu = Gpu::software();
    if gpu.is_none() {
        eprintln!("skipped: no adapter");
    }
    gpu
}
