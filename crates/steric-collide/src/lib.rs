//! Which atoms of which molecules overlap: the index, the search, and the short scalar truth beside them.

mod boxes;
mod detect;
mod index;
mod memory;
mod neighbours;
mod probe;
pub mod reference;
mod simd;
pub mod sort;
mod swept;

pub use boxes::{
    Bounds, BoxIndex, BoxIndexKind, BoxIndexOptions, BoxIndexStats, CellOrder, CellSize, MostCells, Sorting,
};
pub use detect::{
    Forces, NearList, Neighbourhood, Overlap, OverlapSearch, RigidPairs, RigidTouch, RigidVisitor, Which, farthest_move,
};
pub use index::IndexKind;
pub use neighbours::{
    FoundNeighbours, From32or64, NeighbourArrays, NeighbourError, NeighbourIndex, NeighbourSearch, PairList, PairRule,
    Points, Repeat,
};
pub use probe::{Obstacle, ProbeIndex};
pub use swept::{Swept, SweptBox, SweptIndex, SweptSphere};

/// The instruction set that the search uses on this processor: `avx2` or `portable`.
///
/// ```
/// assert!(["avx2", "portable"].contains(&steric_collide::instruction_set()));
/// ```
pub fn instruction_set() -> &'static str {
    simd::instruction_set()
}
