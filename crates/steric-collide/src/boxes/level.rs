//! One lattice of cells and the boxes of about one size that stand in it.

use super::basic::Basic;
use super::compact::Compact;
use super::cuckoo::Cuckoo;
use super::entries::{Query, Share};
use super::hashing::Hashing;
use super::lattice::{Lattice, Numbers, Span};
use super::survey::Survey;
use super::{Bounds, BoxIndexKind, BoxIndexOptions, BoxIndexStats, CellOrder, Sorting};
use crate::simd::Lanes;

/// So many cells for each box, where every cell takes memory.
const CELLS_PER_BOX: usize = 8;

/// What goes into the cells.
pub(super) struct Place<'a> {
    pub(super) boxes: &'a [Bounds],
    pub(super) spans: &'a [Span],
    /// The boxes of this level, ascending.
    pub(super) members: &'a [u32],
    /// Those of them that changed cells since the last build, ascending.
    pub(super) movers: &'a [u32],
    /// Which boxes changed cells, or left the level.
    pub(super) moved: &'a [bool],
    /// Whether what stands in the cells now is of no use.
    pub(super) is_new: bool,
    pub(super) share: Share,
    pub(super) sort: Sorting,
    pub(super) seed: u64,
}

/// Cells that know their boxes: the one interface of all kinds.
pub(super) trait Contents {
    /// Gets ready for other cells.
    fn lay(&mut self, cells: [u32; 3], order: CellOrder);
    /// Puts boxes into cells, and says how they were sorted, if they were.
    fn fill(&mut self, place: &Place) -> Option<Sorting>;
    /// Boxes that touch the query, from the cells that it covers.
    fn look<L: Lanes>(&self, lanes: L, query: &Query, boxes: &[Bounds], found: &mut Vec<u32>);
    /// Boxes that touch the query, from all cells.
    fn scan<L: Lanes>(&self, lanes: L, query: &Query, boxes: &[Bounds], found: &mut Vec<u32>);
    fn entries(&self) -> usize;
    fn cells(&self) -> usize;
    fn bytes(&self) -> usize;
}

#[derive(Clone, Debug)]
enum Kind {
    Basic(Basic),
    Compact(Compact),
    Hashing(Hashing),
    Cuckoo(Cuckoo),
}

impl Kind {
    fn new(kind: BoxIndexKind) -> Self {
        match kind {
            BoxIndexKind::Basic => Self::Basic(Basic::default()),
            BoxIndexKind::Compact | BoxIndexKind::Clusters => Self::Compact(Compact::default()),
            BoxIndexKind::Hashing => Self::Hashing(Hashing::default()),
            BoxIndexKind::Cuckoo => Self::Cuckoo(Cuckoo::default()),
        }
    }

    fn name(&self) -> BoxIndexKind {
        match self {
            Self::Basic(_) => BoxIndexKind::Basic,
            Self::Compact(_) => BoxIndexKind::Compact,
            Self::Hashing(_) => BoxIndexKind::Hashing,
            Self::Cuckoo(_) => BoxIndexKind::Cuckoo,
        }
    }
}

/// Does the same with whichever kind there is.
macro_rules! with {
    ($kind:expr, $contents:ident => $what:expr) => {
        match $kind {
            Kind::Basic($contents) => $what,
            Kind::Compact($contents) => $what,
            Kind::Hashing($contents) => $what,
            Kind::Cuckoo($contents) => $what,
        }
    };
}

/// Boxes of about one size in their cells.
#[derive(Clone, Debug)]
pub(super) struct Level {
    kind: Kind,
    pub(super) lattice: Lattice,
    /// Around all boxes of the level; touches nothing if there are none.
    region: Bounds,
    /// Whether the cells are others than in the last build.
    pub(super) is_new: bool,
    pub(super) sort: Option<Sorting>,
}

impl Level {
    pub(super) fn new(kind: BoxIndexKind) -> Self {
        let (kind, lattice) = (Kind::new(kind), Lattice::default());
        Self { kind, lattice, region: Bounds::NOTHING, is_new: true, sort: None }
    }

    /// The table, if it is a compact grid.
    pub(super) fn compact(&self) -> Option<&Compact> {
        match &self.kind {
            Kind::Compact(compact) => Some(compact),
            _ => None,
        }
    }

    /// Takes cells for such boxes, or keeps those that there are.
    pub(super) fn lay(&mut self, survey: &Survey, wish: f64, options: &BoxIndexOptions) {
        self.region = survey.region;
        self.is_new = survey.count > 0 && !self.lattice.serves(&survey.region, wish);
        if !self.is_new {
            return;
        }
        let most = CELLS_PER_BOX * survey.count + 512;
        let is_dense = matches!(options.kind, BoxIndexKind::Basic | BoxIndexKind::Compact);
        self.lattice = Lattice::over(&survey.region, wish, |cells| {
            // Along a Z-curve the sides are rounded up to powers of two, at most to eight times as many cells.
            let gaps = if options.order == CellOrder::ZCurve { 8 } else { 1 };
            !is_dense || Numbers::total(cells, options.order) <= most * gaps
        });
        with!(&mut self.kind, contents => contents.lay(self.lattice.cells(), options.order));
    }

    pub(super) fn fill(&mut self, place: &Place) {
        if place.members.is_empty() {
            self.empty();
            return;
        }
        self.sort = with!(&mut self.kind, contents => contents.fill(place));
    }

    fn empty(&mut self) {
        if self.lattice != Lattice::default() {
            *self = Self::new(self.kind.name());
        }
    }

    /// Boxes that touch a query, in the order in which they are seen; more than once if the index is an approximation.
    #[inline(always)]
    pub(super) fn look<L: Lanes>(
        &self,
        lanes: L,
        bounds: &Bounds,
        exact: bool,
        boxes: &[Bounds],
        found: &mut Vec<u32>,
    ) {
        if !self.region.touches(bounds) {
            return;
        }
        let query = Query { bounds, span: self.lattice.span(bounds), exact };
        with!(&self.kind, contents => {
            // A query that covers more cells than there are entries looks at the entries instead.
            if query.span.cells() > contents.entries() as u64 {
                contents.scan(lanes, &query, boxes, found);
            } else {
                contents.look(lanes, &query, boxes, found);
            }
        });
    }

    pub(super) fn add_to(&self, stats: &mut BoxIndexStats) {
        let (entries, cells, bytes) =
            with!(&self.kind, contents => (contents.entries(), contents.cells(), contents.bytes()));
        stats.entries += entries;
        stats.bytes += bytes;
        if entries > 0 {
            stats.cells += cells;
            stats.sort = stats.sort.or(self.sort);
        }
    }
}
