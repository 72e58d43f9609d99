//! Which atoms of which molecules overlap.

mod force;
mod near;
mod overlaps;
mod runs;
mod slab;
mod sweep;

pub use force::Forces;
pub(crate) use force::push;
pub use near::NearList;
pub use overlaps::{Overlap, OverlapSearch};
