//! What a [`BoxIndex`](super::BoxIndex) is asked for, and what it says about itself.

/// How the boxes of a cell are found. All kinds give the same pairs.
///
/// ```
/// use steric_collide::{BoxIndexKind, BoxIndexOptions};
///
/// assert_eq!(BoxIndexOptions::default().kind, BoxIndexKind::Clusters);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoxIndexKind {
    /// No cells: eight neighbouring boxes are a cluster, eight clusters a larger one, and so on. The fastest where it was measured.
    #[default]
    Clusters,
    /// A list for every cell.
    Basic,
    /// One array of entries sorted by cell, and for every cell where its entries begin (Lagae and Dutré 2008; Kalojanov and Slusallek 2009).
    Compact,
    /// A hash table with chains of entries (Teschner and others 2003).
    Hashing,
    /// A perfect hash table of the cells that hold anything, in buckets of three tables (Alcantara and others 2009).
    Cuckoo,
}

impl BoxIndexKind {
    /// Every kind.
    ///
    /// ```
    /// assert_eq!(steric_collide::BoxIndexKind::ALL.len(), 5);
    /// ```
    pub const ALL: [Self; 5] = [Self::Clusters, Self::Basic, Self::Compact, Self::Hashing, Self::Cuckoo];
}

/// How cells are numbered: which stand side by side in memory. Clusters always follow the Z-curve.
///
/// ```
/// use steric_collide::{BoxIndexOptions, CellOrder};
///
/// assert_eq!(BoxIndexOptions::default().order, CellOrder::Rows);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellOrder {
    /// Row after row, layer after layer. The cells of a row that a box covers are one stretch of memory.
    #[default]
    Rows,
    /// Along the Z-curve (Morton codes): cells that are near in space are near in memory.
    ZCurve,
}

/// How wide a cell is. Boxes wider than four cells stand in cells eight times as wide, or wider still, so that no box has many entries.
///
/// ```
/// use steric_collide::{BoxIndexOptions, CellSize};
///
/// // Boxes of nearly one size lie in at most eight cells each.
/// let regular = BoxIndexOptions { cell: CellSize::LongestEdge, ..Default::default() };
/// # assert_ne!(regular.cell, BoxIndexOptions::default().cell);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellSize {
    /// So many times the mean of the boxes' longest sides. Boxes more than eight times as wide as the mean do not count for it.
    MeanEdge(f32),
    /// The longest side of any box.
    LongestEdge,
    /// So many angstroms.
    Angstroms(f32),
}

impl Default for CellSize {
    /// Measured on the surfaces and the tetrahedra of two meshes in contact: wider cells have fewer entries to sort, and eight boxes are compared at a time.
    fn default() -> Self {
        Self::MeanEdge(1.5)
    }
}

/// The most cells that a box has an entry in; clusters, which have no cells, become a compact grid then. **This can miss pairs**: of a box that covers more cells, only a random share of them knows it. Exact while no box covers more.
///
/// ```
/// use steric_collide::{Bounds, BoxIndex, BoxIndexOptions, CellSize, MostCells};
///
/// let long = Bounds { low: [0.0; 3], high: [99.5, 0.5, 0.5] };
/// let points: Vec<Bounds> = (0..100).map(|x| Bounds::around([[x as f32 + 0.5, 0.25, 0.25]])).collect();
/// let cell = CellSize::Angstroms(1.0);
/// let mut index = BoxIndex::new(BoxIndexOptions { cell, most_cells: Some(MostCells::Eight), ..Default::default() });
/// index.build(&[long]);
/// assert_eq!(index.pairs(&points).len(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MostCells {
    /// At most 27.
    TwentySeven,
    /// At most eight: exact for cells of [`CellSize::LongestEdge`].
    Eight,
    /// One.
    One,
}

impl MostCells {
    /// As a number.
    ///
    /// ```
    /// assert_eq!(steric_collide::MostCells::TwentySeven.count(), 27);
    /// ```
    pub fn count(self) -> u32 {
        match self {
            Self::TwentySeven => 27,
            Self::Eight => 8,
            Self::One => 1,
        }
    }
}

/// How the entries of a [`BoxIndexKind::Compact`] index are sorted. The result is the same.
///
/// ```
/// use steric_collide::{BoxIndexOptions, Sorting};
///
/// assert_eq!(BoxIndexOptions::default().sort, Sorting::Auto);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sorting {
    /// Adaptive while at most an eighth of the entries are of boxes that changed cells, radix beyond that.
    #[default]
    Auto,
    /// All entries anew, with [`sort::radix`](crate::sort::radix).
    Radix,
    /// The order of the last build, with the entries of boxes that changed cells sorted and merged into it.
    Adaptive,
}

/// What a [`BoxIndex`](super::BoxIndex) is made of.
///
/// ```
/// use steric_collide::{Bounds, BoxIndex, BoxIndexKind, BoxIndexOptions, CellOrder};
///
/// let boxes = [Bounds { low: [0.0; 3], high: [2.0; 3] }, Bounds { low: [1.0; 3], high: [3.0; 3] }];
/// for kind in BoxIndexKind::ALL {
///     let mut index = BoxIndex::new(BoxIndexOptions { kind, order: CellOrder::ZCurve, ..Default::default() });
///     index.build(&boxes);
///     assert_eq!(index.self_pairs(), [[0, 1]]);
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxIndexOptions {
    /// How the boxes of a cell are found.
    pub kind: BoxIndexKind,
    /// How cells are numbered.
    pub order: CellOrder,
    /// How wide a cell is.
    pub cell: CellSize,
    /// `None`: every pair is found. Else an approximation that can miss pairs.
    pub most_cells: Option<MostCells>,
    /// Which cells an approximation leaves out, and the first hash functions of [`BoxIndexKind::Cuckoo`].
    pub seed: u64,
    /// How the entries of [`BoxIndexKind::Compact`] are sorted.
    pub sort: Sorting,
}

/// What a [`BoxIndex`](super::BoxIndex) looks like after its last build.
///
/// ```
/// use steric_collide::{Bounds, BoxIndex, Sorting};
///
/// let mut boxes: Vec<Bounds> = (0..100).map(|x| Bounds::around([[x as f32; 3], [x as f32 + 1.0; 3]])).collect();
/// let mut index = BoxIndex::default();
/// index.build(&boxes);
/// assert_eq!(index.stats().sort, Some(Sorting::Radix));
/// boxes[50] = boxes[20];
/// index.build(&boxes);
/// assert_eq!(index.stats().sort, Some(Sorting::Adaptive));
/// assert_eq!(index.stats().disorder, 0.01);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxIndexStats {
    /// Boxes that hold anything.
    pub boxes: usize,
    /// Cells, or entries of the tables that stand for them.
    pub cells: usize,
    /// Entries: boxes, as often as there are cells that know them.
    pub entries: usize,
    /// Memory that is held, in bytes.
    pub bytes: usize,
    /// The edge of the smallest cells, in angstroms.
    pub edge: f64,
    /// How the entries were sorted, where they were.
    pub sort: Option<Sorting>,
    /// Of all boxes, the share that changed cells since the last build, from 0 to 1.
    pub disorder: f64,
}
