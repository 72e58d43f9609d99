//! Which atoms of which molecules overlap.

mod force;
mod overlaps;
mod slab;
mod sweep;

pub use force::Forces;
pub(crate) use force::push;
pub use overlaps::{Overlap, OverlapSearch};
