//! The GPU: which ones there are, which one is taken, and memory on it.

mod adapters;
mod error;
mod gpu;
mod memory;
mod pipelines;
mod timing;

pub use adapters::{Adapter, Choice, adapters};
pub use error::GpuError;
pub use gpu::Gpu;
pub(crate) use memory::Memory;
pub(crate) use pipelines::{Groups, Kernel, Stage};
pub use timing::StageTimes;
