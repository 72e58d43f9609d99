//! The GPU: which ones there are, which one is taken, and memory on it.

mod adapters;
mod awake;
mod error;
mod gpu;
mod memory;
mod pipelines;
mod soon;
mod split;
mod timing;

pub use adapters::{Adapter, Choice, adapters};
pub use awake::Awake;
pub use error::GpuError;
pub use gpu::Gpu;
pub(crate) use memory::Memory;
pub(crate) use pipelines::{Groups, Kernel, Stage};
pub use soon::waited;
pub(crate) use split::{Access, Split, View};
pub use timing::StageTimes;
pub(crate) use timing::encode;
