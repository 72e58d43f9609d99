//! Overlaps found and removed on the GPU, of any vendor.
//!
//! How it works: the scene goes to the GPU once, as types and poses; kernels place its atoms, sort its clusters of eight
//! into cells, list the near pairs of clusters, and compare their atoms. A search reads back what it was asked for. A
//! relaxation stays on the GPU: the host reads a few numbers every so many iterations. Molecules on a skeleton stay there,
//! too: the host writes a few numbers for each frame.

mod animate;
mod device;
mod field;
mod kernels;
mod relax;
mod search;

pub use animate::GpuSkin;
pub use device::{Adapter, Awake, Choice, Gpu, GpuError, StageTimes, adapters, waited};
pub use relax::{GpuRelax, MoleculesOnGpu};
pub use search::{GpuSearch, KINDS};
