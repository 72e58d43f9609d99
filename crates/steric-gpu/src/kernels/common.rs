//! The layouts that all kernels share, as `common.wgsl` declares them.

use bytemuck::{Pod, Zeroable};

use crate::device::{Access, View};

/// `Level`: cells of one size class of clusters.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LevelWords {
    pub(crate) low: [f32; 3],
    pub(crate) cells_per_angstrom: f32,
    pub(crate) cells: [u32; 3],
    pub(crate) first: u32,
    pub(crate) largest: f32,
    pub(crate) kind: u32,
    pub(crate) unused: [u32; 2],
}

/// What `kind` of a level can be.
pub(crate) mod level_kind {
    pub(crate) const DENSE: u32 = 0;
    pub(crate) const WRAPPED: u32 = 1;
    pub(crate) const PERIODIC: u32 = 2;
}

/// `Scene`: the numbers of a scene.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SceneWords {
    pub(crate) atoms: u32,
    pub(crate) clusters: u32,
    pub(crate) molecules: u32,
    pub(crate) levels: u32,
    pub(crate) blocks: u32,
    pub(crate) list_room: u32,
    pub(crate) reach: f32,
    pub(crate) radius: f32,
    pub(crate) inside: u32,
    pub(crate) owned: u32,
    pub(crate) grain: f32,
    pub(crate) unused: u32,
    pub(crate) fractional: [[f32; 4]; 3],
    pub(crate) vectors: [[f32; 4]; 3],
    pub(crate) widths: [f32; 4],
    pub(crate) level: [LevelWords; 4],
}

/// `Body`: a molecule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BodyWords {
    pub(crate) whole: [i32; 3],
    pub(crate) mobility: f32,
    pub(crate) part: [f32; 3],
    pub(crate) inverse_reach: f32,
    pub(crate) rotation: [f32; 4],
    pub(crate) inertia_diagonal: [f32; 3],
    pub(crate) reach: f32,
    pub(crate) inertia_beside: [f32; 3],
    pub(crate) gyration: f32,
    pub(crate) inverse_gyration: f32,
    pub(crate) group: u32,
    pub(crate) unused: [u32; 2],
}

/// `Share`: some of the clusters, whose contacts are found and answered before those of the next.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ShareWords {
    pub(crate) first_cluster: u32,
    pub(crate) end_cluster: u32,
    pub(crate) number: u32,
    pub(crate) tile_room: u32,
}

const _: () = assert!(size_of::<ShareWords>() == 16, "a share is one word of four");
const _: () = assert!(size_of::<LevelWords>() == 48, "a level has three words of four");
const _: () = assert!(size_of::<SceneWords>() == 48 + 7 * 16 + 4 * 48, "a scene is as long as the kernels think");
const _: () = assert!(size_of::<BodyWords>() == 96, "a body has six words of four");

/// Bits of a molecule's mood, behind 16 bits of how long it has overlapped and 8 of its warmth.
pub(crate) mod mood {
    pub(crate) const MOVED: u32 = 1 << 24;
    pub(crate) const BROKEN: u32 = 1 << 25;
    pub(crate) const FIXED: u32 = 1 << 26;
    pub(crate) const TOUCHED: u32 = 1 << 27;
}

/// Atoms in the order of their clusters, as kernels see them.
pub(crate) fn atoms_view(access: Access) -> View {
    View { name: "atom", element: "vec4<f32>", element_bytes: 16, access, binding: 100 }
}

/// The list of near clusters, as kernels see it.
pub(crate) fn list_view(access: Access) -> View {
    View { name: "entry", element: "u32", element_bytes: 4, access, binding: 120 }
}

/// The records of molecules, as kernels see them that add to them.
pub(crate) const RECORDS_VIEW: View =
    View { name: "record", element: "u32", element_bytes: 4, access: Access::Atomic, binding: 140 };
/// And as the step sees them, four words at a time.
pub(crate) const RECORD_QUADS_VIEW: View =
    View { name: "record", element: "vec4<u32>", element_bytes: 16, access: Access::Write, binding: 140 };

/// Words of the board.
pub(crate) mod board {
    pub(crate) const ITERATION: usize = 0;
    pub(crate) const DISTURBED: usize = 1;
    pub(crate) const SEARCHING: usize = 2;
    pub(crate) const SKIN: usize = 3;
    pub(crate) const ALL_AWAKE: usize = 4;
    pub(crate) const HALTED: usize = 5;
    pub(crate) const LISTED: usize = 6;
    pub(crate) const SLOT: usize = 7;
    /// From here to `STALE`: what an iteration comes to.
    pub(crate) const OVERLAPS: usize = 8;
    pub(crate) const STALE: usize = 19;
    pub(crate) const SEARCHES: usize = 20;
    pub(crate) const STOPPED: usize = 22;
    /// How many words there are; behind them stand those of iterations.
    pub(crate) const WORDS: usize = 32;
    /// Words of an iteration: those from `OVERLAPS` on, and more.
    pub(crate) const HISTORY: usize = 16;
    /// Iterations that there is room for.
    pub(crate) const MOST_HISTORY: u32 = 64;
    /// What `HALTED` can be, besides 0.
    pub(crate) const RESTS: u32 = 1;
    pub(crate) const LIST_FULL: u32 = 2;
    pub(crate) const CONTACTS_FULL: u32 = 3;
}
