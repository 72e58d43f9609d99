//! Which atoms of which molecules overlap.

mod force;
mod near;
mod neighbourhood;
mod overlaps;
mod rigid;
mod runs;
mod slab;
mod sweep;

pub use force::Forces;
pub(crate) use force::push;
pub use near::{NearList, farthest_move};
pub use neighbourhood::Neighbourhood;
pub use overlaps::{Overlap, OverlapSearch};
pub use rigid::{RigidPairs, RigidTouch, RigidVisitor, Which};
