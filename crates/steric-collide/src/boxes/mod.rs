//! Which boxes touch which: an index of axis-aligned boxes around tetrahedra, triangles, edges and points that move and deform.
//!
//! How it works: one interface, five kinds, equal results. The default puts eight neighbouring boxes into a cluster and looks through a tree of these (`clusters`). The others cut space into cells, and every cell
//! knows the boxes that reach into it (Gissler, Ihmsen and Teschner 2009): two boxes that touch share the cell which holds the low corner of what they have in common, and are reported there and nowhere
//! else, so that no set of pairs is kept (`grid`). Whatever is built in parallel is cut into pieces that one thread owns, so that nothing depends on who comes first.

mod basic;
mod bounds;
mod clusters;
mod columns;
mod compact;
mod cuckoo;
mod entries;
mod found;
mod grid;
mod hashing;
mod join;
mod lattice;
mod level;
mod options;
mod survey;

pub use bounds::Bounds;
use clusters::Clusters;
use entries::MOST_BOXES;
use grid::Grid;
pub use options::{BoxIndexKind, BoxIndexOptions, BoxIndexStats, CellOrder, CellSize, MostCells, Sorting};
use rayon::prelude::*;

use crate::simd::{Kernel, Lanes, dispatch};

/// Lattices of cells.
const LEVELS: usize = 4;
/// Boxes wider than so many cells stand in wider cells.
const MOST_ACROSS: f64 = 4.0;
/// So many times as wide.
const WIDER: f64 = 8.0;
/// Boxes, or queries, of one piece of work.
const PIECE: usize = 1_024;
/// So few queries are not worth putting into clusters of their own.
const FEW: usize = 64;

/// An index of boxes. The next [`BoxIndex::build`] uses its memory again, and its order too: where few boxes changed cells, few are sorted.
///
/// ```
/// use steric_collide::{Bounds, BoxIndex};
///
/// let tetrahedra = [
///     Bounds::around([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
///     Bounds::around([[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 0.0, 1.0]]),
/// ];
/// let points = [Bounds::around([[5.2, 0.2, 0.2]]), Bounds::around([[3.0, 0.2, 0.2]])];
/// let mut index = BoxIndex::default();
/// index.build(&tetrahedra);
/// assert_eq!(index.pairs(&points), [[0, 1]], "the first point, the second tetrahedron");
/// ```
#[derive(Clone, Debug)]
pub struct BoxIndex {
    options: BoxIndexOptions,
    boxes: Vec<Bounds>,
    engine: Engine,
}

/// What finds the boxes.
#[derive(Clone, Debug)]
enum Engine {
    Grid(Box<Grid>),
    Clusters(Clusters),
}

impl Engine {
    fn new(options: &BoxIndexOptions) -> Self {
        match options.kind {
            BoxIndexKind::Clusters => Self::Clusters(Clusters::default()),
            _ => Self::Grid(Box::new(Grid::new(options))),
        }
    }
}

impl Default for BoxIndex {
    fn default() -> Self {
        Self::new(BoxIndexOptions::default())
    }
}

impl BoxIndex {
    /// An index of no boxes.
    ///
    /// ```
    /// use steric_collide::{BoxIndex, BoxIndexOptions};
    ///
    /// assert_eq!(BoxIndex::new(BoxIndexOptions::default()).self_pairs(), [[0; 2]; 0]);
    /// ```
    pub fn new(options: BoxIndexOptions) -> Self {
        // Clusters have no cells of which some could be left out.
        let kind = match options.kind {
            BoxIndexKind::Clusters if options.most_cells.is_some() => BoxIndexKind::Compact,
            kind => kind,
        };
        let options = BoxIndexOptions { kind, ..options };
        Self { options, boxes: Vec::new(), engine: Engine::new(&options) }
    }

    /// Takes boxes, in place of those of the last build. Box `i` is known by its number `i`.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let mut index = BoxIndex::default();
    /// let mut boxes = vec![Bounds::around([[0.0; 3], [1.0; 3]]); 3];
    /// index.build(&boxes);
    /// assert_eq!(index.self_pairs(), [[0, 1], [0, 2], [1, 2]]);
    /// boxes[1] = Bounds::around([[9.0; 3]]);
    /// index.build(&boxes);
    /// assert_eq!(index.self_pairs(), [[0, 2]]);
    /// ```
    pub fn build(&mut self, boxes: &[Bounds]) {
        assert!(boxes.len() < MOST_BOXES, "an index holds fewer than {MOST_BOXES} boxes");
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        match &mut self.engine {
            Engine::Grid(grid) => grid.build(boxes, &self.options),
            Engine::Clusters(clusters) => clusters.build(boxes, &self.options),
        }
    }

    /// Every pair of a query and a box that overlap or touch, by query and then by box.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex, reference};
    ///
    /// let boxes: Vec<Bounds> = (0..50).map(|x| Bounds::around([[x as f32; 3], [x as f32 + 1.5; 3]])).collect();
    /// let mut index = BoxIndex::default();
    /// index.build(&boxes);
    /// assert_eq!(index.pairs(&boxes[10..20]), reference::box_pairs(&boxes[10..20], &boxes));
    /// ```
    pub fn pairs(&self, queries: &[Bounds]) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.pairs_into(queries, &mut pairs);
        pairs
    }

    /// [`BoxIndex::pairs`] into memory that is there, in place of what it holds.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let (mut index, mut pairs) = (BoxIndex::default(), Vec::new());
    /// index.build(&[Bounds::around([[0.0; 3]])]);
    /// index.pairs_into(&[Bounds::around([[-1.0; 3], [1.0; 3]])], &mut pairs);
    /// assert_eq!(pairs, [[0, 0]]);
    /// ```
    pub fn pairs_into(&self, queries: &[Bounds], pairs: &mut Vec<[u32; 2]>) {
        self.pairs_where(queries, |_, _| true, pairs);
    }

    /// [`BoxIndex::pairs_into`] of those pairs that are wanted; how many were not.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let (mut index, mut pairs) = (BoxIndex::default(), Vec::new());
    /// index.build(&[Bounds::around([[0.0; 3]]); 3]);
    /// let passed_over = index.pairs_where(&[Bounds::around([[0.0; 3]])], |_query, number| number != 1, &mut pairs);
    /// assert_eq!((pairs, passed_over), (vec![[0, 0], [0, 2]], 1));
    /// ```
    pub fn pairs_where(
        &self,
        queries: &[Bounds],
        wanted: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) -> usize {
        match &self.engine {
            Engine::Clusters(clusters) if queries.len() > FEW => clusters.pairs(queries, wanted, pairs),
            _ => self.gather(queries, false, pairs, wanted),
        }
    }

    /// Visits every pair of a query and a box that overlap or touch, once, from several threads and in no order.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let boxes = vec![Bounds::around([[0.0; 3]]); 30];
    /// let (mut index, count) = (BoxIndex::default(), AtomicU32::new(0));
    /// index.build(&boxes);
    /// index.for_each_pair_unsorted(&boxes, |_query, _box| {
    ///     count.fetch_add(1, Ordering::Relaxed);
    /// });
    /// assert_eq!(count.into_inner(), 900);
    /// ```
    pub fn for_each_pair_unsorted(&self, queries: &[Bounds], visit: impl Fn(u32, u32) + Sync) {
        queries.par_chunks(PIECE).enumerate().for_each(|(piece, queries)| {
            let first = (piece * PIECE) as u32;
            let visit = |a, b| visit(a, b);
            dispatch(Search {
                index: self,
                queries,
                first,
                is_half: false,
                is_sorted: false,
                wanted: |_, _| true,
                visit,
            });
        });
    }

    /// Every pair of boxes that overlap or touch, the lesser number first, sorted.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let mut index = BoxIndex::default();
    /// index.build(&[Bounds::around([[0.0; 3], [2.0; 3]]), Bounds::around([[7.0; 3]]), Bounds::around([[2.0; 3]])]);
    /// assert_eq!(index.self_pairs(), [[0, 2]]);
    /// ```
    pub fn self_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        self.self_pairs_into(&mut pairs);
        pairs
    }

    /// [`BoxIndex::self_pairs`] into memory that is there, in place of what it holds.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let (mut index, mut pairs) = (BoxIndex::default(), vec![[7, 7]]);
    /// index.build(&[Bounds::around([[0.0; 3]])]);
    /// index.self_pairs_into(&mut pairs);
    /// assert!(pairs.is_empty());
    /// ```
    pub fn self_pairs_into(&self, pairs: &mut Vec<[u32; 2]>) {
        self.self_pairs_where(|_, _| true, pairs);
    }

    /// [`BoxIndex::self_pairs_into`] of those pairs that are wanted; how many were not. An approximation counts these once for each box that sees the other.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let (mut index, mut pairs) = (BoxIndex::default(), Vec::new());
    /// index.build(&[Bounds::around([[0.0; 3]]); 4]);
    /// let passed_over = index.self_pairs_where(|lesser, greater| greater - lesser > 1, &mut pairs);
    /// assert_eq!((pairs, passed_over), (vec![[0, 2], [0, 3], [1, 3]], 3));
    /// ```
    pub fn self_pairs_where(&self, wanted: impl Fn(u32, u32) -> bool + Sync, pairs: &mut Vec<[u32; 2]>) -> usize {
        match &self.engine {
            Engine::Clusters(clusters) => clusters.self_pairs(wanted, pairs),
            Engine::Grid(_) if self.options.most_cells.is_some() => self.gather_both_ways(pairs, wanted),
            Engine::Grid(grid) => match grid.joined(&self.boxes, &wanted, pairs) {
                Some(passed_over) => passed_over,
                None => self.gather(&self.boxes, true, pairs, wanted),
            },
        }
    }

    /// Visits the boxes that overlap or touch one box, ascending.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let (mut index, mut near) = (BoxIndex::default(), Vec::new());
    /// index.build(&[Bounds::around([[0.0; 3]]), Bounds::around([[5.0; 3]]), Bounds::around([[1.0; 3]])]);
    /// index.near(&Bounds::around([[-1.0; 3], [2.0; 3]]), |number| near.push(number));
    /// assert_eq!(near, [0, 2]);
    /// ```
    pub fn near(&self, query: &Bounds, mut visit: impl FnMut(u32)) {
        let (queries, visit) = (std::slice::from_ref(query), |_, number| visit(number));
        dispatch(Search {
            index: self,
            queries,
            first: 0,
            is_half: false,
            is_sorted: true,
            wanted: |_, _| true,
            visit,
        });
    }

    /// The boxes that are indexed, by number.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let mut index = BoxIndex::default();
    /// index.build(&[Bounds::around([[1.0; 3]])]);
    /// assert_eq!(index.boxes()[0].low, [1.0; 3]);
    /// ```
    pub fn boxes(&self) -> &[Bounds] {
        &self.boxes
    }

    /// What the index looks like after its last build.
    ///
    /// ```
    /// use steric_collide::{Bounds, BoxIndex};
    ///
    /// let mut index = BoxIndex::default();
    /// index.build(&[Bounds::around([[0.0; 3], [1.0; 3]]), Bounds::NOTHING]);
    /// assert_eq!(index.stats().boxes, 1);
    /// ```
    pub fn stats(&self) -> BoxIndexStats {
        let mut stats = BoxIndexStats { bytes: self.boxes.capacity() * size_of::<Bounds>(), ..Default::default() };
        match &self.engine {
            Engine::Grid(grid) => grid.add_to(&mut stats),
            Engine::Clusters(clusters) => clusters.add_to(&mut stats),
        }
        stats
    }
}

/// The parts of a search.
impl BoxIndex {
    /// Pairs of queries and boxes that are wanted, sorted; how many are not. Where the boxes ask for themselves, each looks for those behind it.
    fn gather(
        &self,
        queries: &[Bounds],
        is_half: bool,
        pairs: &mut Vec<[u32; 2]>,
        wanted: impl Fn(u32, u32) -> bool + Sync,
    ) -> usize {
        pairs.clear();
        let search = |first: usize, queries: &[Bounds], pairs: &mut Vec<[u32; 2]>| {
            let (first, visit) = (first as u32, |a, b| pairs.push([a, b]));
            dispatch(Search { index: self, queries, first, is_half, is_sorted: true, wanted: &wanted, visit })
        };
        if queries.len() <= PIECE || rayon::current_num_threads() == 1 {
            return search(0, queries, pairs);
        }
        let piece = |(piece, queries): (usize, &[Bounds])| {
            let mut pairs = Vec::new();
            let passed_over = search(piece * PIECE, queries, &mut pairs);
            (pairs, passed_over)
        };
        let pieces: Vec<_> = queries.par_chunks(PIECE).enumerate().map(piece).collect();
        pieces.iter().for_each(|(piece, _)| pairs.extend_from_slice(piece));
        pieces.iter().map(|(_, passed_over)| passed_over).sum()
    }

    /// An approximation may know a box where it does not know the other.
    fn gather_both_ways(&self, pairs: &mut Vec<[u32; 2]>, wanted: impl Fn(u32, u32) -> bool + Sync) -> usize {
        // Each box sees itself, and nobody wants that.
        let wanted = |a: u32, b: u32| a != b && wanted(a.min(b), a.max(b));
        let passed_over = self.gather(&self.boxes, false, pairs, wanted);
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        pairs.par_sort_unstable();
        pairs.dedup();
        passed_over - self.stats().boxes
    }
}

/// Looks for the boxes that touch each of some queries.
struct Search<'a, W, V> {
    index: &'a BoxIndex,
    queries: &'a [Bounds],
    /// The number of the first query.
    first: u32,
    /// Whether boxes look for those with greater numbers alone.
    is_half: bool,
    is_sorted: bool,
    /// Which pairs are visited.
    wanted: W,
    visit: V,
}

impl<W: Fn(u32, u32) -> bool, V: FnMut(u32, u32)> Kernel for Search<'_, W, V> {
    /// How many pairs were not wanted.
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let Self { index, queries, first, is_half, is_sorted, wanted, mut visit } = self;
        let exact = index.options.most_cells.is_none();
        let (mut found, mut passed_over) = (Vec::new(), 0);
        for (number, query) in (first..).zip(queries) {
            match &index.engine {
                Engine::Grid(grid) => grid.look(lanes, query, &index.boxes, &mut found),
                Engine::Clusters(clusters) => clusters.look(lanes, query, &mut found),
            }
            if is_half {
                found.retain(|&other| other > number);
            }
            if !exact {
                found.sort_unstable();
                found.dedup();
            }
            let all = found.len();
            found.retain(|&other| wanted(number, other));
            passed_over += all - found.len();
            if is_sorted && exact {
                found.sort_unstable();
            }
            found.drain(..).for_each(|other| visit(number, other));
        }
        passed_over
    }
}
