//! Clusters: eight boxes that are neighbours along a Z-curve, and a tree of eights over them.
//!
//! How it works: boxes are sorted by the Morton code of the cell that holds their middle, wide boxes behind narrow ones, and every eight of them are a cluster with a box around it. Eight clusters have a box
//! around them, and so on until one block is left. A search goes down this tree for a cluster at a time: the box around it is compared with eight children at once, and where it arrives at another cluster,
//! those of its boxes that reach that far are compared with the eight there. No box stands in two clusters, so nothing is found twice; any order of the boxes gives the same pairs, and a good one gives
//! them soon. The next build begins with the order of the last one, which is nearly right.

use std::ops::Range;

use rayon::prelude::*;
use steric_model::LANES;

use super::columns::{each_lane, first_lanes};
use super::found::{Found, put_in_order};
use super::lattice::{Lattice, is_close, sparse_key};
use super::survey::Survey;
use super::{Bounds, BoxIndexOptions, BoxIndexStats, CellOrder, MOST_ACROSS, Sorting, WIDER};
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};
use crate::sort::{self, Order, SortKey};

/// Clusters of one piece of work.
const PIECE: usize = 128;
/// Boxes of one piece of work.
const BOXES: usize = 2_048;
/// The number of a lane that holds no box.
const NOBODY: u32 = u32::MAX;
/// Wide boxes stand behind narrow ones in so many classes.
const CLASSES: u64 = 4;

/// Eight boxes side by side: three columns of least coordinates, and three of greatest.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Block {
    faces: [Eight; 6],
}

impl Block {
    const NOTHING: Self = Self {
        faces: [
            [f32::INFINITY; LANES],
            [f32::INFINITY; LANES],
            [f32::INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
            [f32::NEG_INFINITY; LANES],
        ],
    };

    /// Of at most eight boxes; lanes that are left over hold nothing.
    #[inline(always)]
    fn of<'a>(boxes: impl Iterator<Item = &'a Bounds>) -> Self {
        let mut block = Self::NOTHING;
        for (lane, of) in boxes.enumerate() {
            for axis in 0..3 {
                block.faces[axis][lane] = of.low[axis];
                block.faces[axis + 3][lane] = of.high[axis];
            }
        }
        block
    }

    #[inline(always)]
    fn lane(&self, lane: usize) -> Bounds {
        let face = |face: usize| self.faces[face][lane];
        Bounds { low: per_axis(face), high: per_axis(|axis| face(axis + 3)) }
    }

    /// The box around all.
    #[inline(always)]
    fn around(&self) -> Bounds {
        // Boxes that hold something have no NaN among their coordinates.
        let least = |face: &Eight| face.iter().fold(f32::INFINITY, |least, &x| if x < least { x } else { least });
        let most = |face: &Eight| face.iter().fold(f32::NEG_INFINITY, |most, &x| if x > most { x } else { most });
        Bounds { low: per_axis(|axis| least(&self.faces[axis])), high: per_axis(|axis| most(&self.faces[axis + 3])) }
    }

    /// A bit for each lane whose box touches; lanes that hold nothing may touch what has no end.
    #[inline(always)]
    fn touching<L: Lanes>(&self, lanes: L, with: &Bounds) -> u32 {
        let face = |face: usize| lanes.load(&self.faces[face]);
        let above = per_axis(|axis| (lanes.splat(with.high[axis]), face(axis)));
        let below = per_axis(|axis| (face(axis + 3), lanes.splat(with.low[axis])));
        !lanes.any_less(above, below) & 0xff
    }
}

/// Boxes in eights, with the numbers by which they are known.
#[derive(Clone, Debug, Default)]
struct Eights {
    blocks: Vec<Block>,
    /// Filled up to whole blocks with [`NOBODY`].
    numbers: Vec<u32>,
    count: usize,
}

impl Eights {
    fn fill(&mut self, order: Vec<u32>, boxes: &[Bounds]) {
        (self.count, self.numbers) = (order.len(), order);
        let block = |numbers: &[u32]| Block::of(numbers.iter().map(|&number| &boxes[number as usize]));
        self.numbers.par_chunks(LANES).with_min_len(BOXES / LANES).map(block).collect_into_vec(&mut self.blocks);
        self.numbers.resize(self.blocks.len() * LANES, NOBODY);
    }

    /// The numbers of a block.
    #[inline(always)]
    fn eight(&self, block: usize) -> &[u32; LANES] {
        self.numbers[block * LANES..].first_chunk().unwrap_or(&[NOBODY; LANES])
    }

    /// The numbers of the boxes in a block: eight, but for the last one.
    #[inline(always)]
    fn numbers(&self, block: usize) -> &[u32] {
        let numbers = &self.numbers[block * LANES..self.count];
        &numbers[..numbers.len().min(LANES)]
    }

    /// The blocks in pieces of work.
    fn pieces(&self) -> impl ParallelIterator<Item = Range<usize>> + use<> {
        let count = self.blocks.len();
        (0..count.div_ceil(PIECE)).into_par_iter().map(move |piece| piece * PIECE..count.min((piece + 1) * PIECE))
    }
}

/// A tree of eights over the boxes.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// The edge of the cells that is wished for.
    edge: f64,
    lattice: Lattice,
    leaves: Eights,
    /// Boxes around leaves in eights, boxes around these in eights, and so on.
    tree: Vec<Vec<Block>>,
    sort: Option<Sorting>,
    out_of_order: usize,
}

impl Clusters {
    /// Puts boxes into clusters, beginning with the order of the last build where that knew the same ones.
    pub(super) fn build(&mut self, boxes: &[Bounds], options: &BoxIndexOptions) {
        let survey = Survey::of_all(boxes);
        self.lay(boxes, &survey, options);
        let holds = |number: u32| boxes.get(number as usize).is_some_and(Bounds::holds_anything);
        self.leaves.numbers.truncate(self.leaves.count);
        let is_known = survey.count == self.leaves.count && self.leaves.numbers.iter().all(|&of| holds(of));
        let order: Vec<u32> = if is_known {
            std::mem::take(&mut self.leaves.numbers)
        } else {
            (0..boxes.len() as u32).filter(|&of| holds(of)).collect()
        };
        let sort = if is_known || options.sort == Sorting::Adaptive { options.sort } else { Sorting::Radix };
        let (order, in_order) = self.sorted(order, boxes, sort);
        self.out_of_order = if is_known { in_order } else { order.len() };
        self.leaves.fill(order, boxes);
        self.grow();
    }

    /// Chooses the cells, or keeps those of the last build where they will do.
    fn lay(&mut self, boxes: &[Bounds], survey: &Survey, options: &BoxIndexOptions) {
        let wish = survey.edge(boxes, options.cell);
        if !is_close(self.edge, wish) {
            self.edge = wish;
        }
        // A few giants must not leave all others in one cell.
        let narrow = survey.between(boxes, -1.0, MOST_ACROSS * self.edge);
        if !self.lattice.serves(&narrow.region, self.edge) {
            self.lattice = Lattice::over(&narrow.region, self.edge, |_| true);
        }
    }

    /// Numbers in the order of their keys, and how many were out of order before.
    fn sorted(&mut self, order: Vec<u32>, boxes: &[Bounds], sort: Sorting) -> (Vec<u32>, usize) {
        let keys = Keys::of(&self.lattice, self.edge);
        let (order, sort, out_of_order) = if keys.bits() <= u32::BITS {
            in_order(order, sort, |of| keys.key(&boxes[of as usize]) as u32)
        } else {
            in_order(order, sort, |of| keys.key(&boxes[of as usize]))
        };
        self.sort = Some(sort);
        (order, out_of_order)
    }

    /// Boxes around the leaves in eights, and so on.
    fn grow(&mut self) {
        let eights = |below: &[Block]| -> Vec<Block> {
            let around = |eight: &[Block]| {
                let all: [Bounds; LANES] =
                    std::array::from_fn(|lane| eight.get(lane).map_or(Bounds::NOTHING, Block::around));
                Block::of(all.iter())
            };
            below.par_chunks(LANES).with_min_len(BOXES / LANES).map(around).collect()
        };
        self.tree.clear();
        let mut below = &self.leaves.blocks;
        while below.len() > 1 || (below.len() == 1 && self.tree.is_empty()) {
            let blocks = eights(below);
            self.tree.push(blocks);
            below = self.tree.last().expect("it was pushed");
        }
    }

    pub(super) fn len(&self) -> usize {
        self.leaves.count
    }

    pub(super) fn add_to(&self, stats: &mut BoxIndexStats) {
        let blocks: usize = self.tree.iter().map(Vec::len).sum();
        stats.boxes = self.len();
        stats.entries = self.len();
        stats.cells = self.leaves.blocks.len();
        stats.edge = self.edge;
        stats.sort = self.sort.filter(|_| self.len() > 0);
        stats.disorder = self.out_of_order as f64 / self.len().max(1) as f64;
        stats.bytes +=
            (blocks + self.leaves.blocks.capacity()) * size_of::<Block>() + self.leaves.numbers.capacity() * 4;
    }
}

/// The parts of a search.
impl Clusters {
    /// Fills in the pairs of boxes that touch and are wanted, sorted; how many are not.
    pub(super) fn self_pairs(&self, wanted: impl Fn(u32, u32) -> bool + Sync, pairs: &mut Vec<[u32; 2]>) -> usize {
        let pieces = self.leaves.pieces();
        let found = pieces.map(|leaves| dispatch(Inside { clusters: self, leaves, wanted: &wanted })).collect();
        put_in_order(found, pairs)
    }

    /// Fills in the pairs of queries and boxes that touch and are wanted, sorted; how many are not.
    pub(super) fn pairs(
        &self,
        queries: &[Bounds],
        wanted: impl Fn(u32, u32) -> bool + Sync,
        pairs: &mut Vec<[u32; 2]>,
    ) -> usize {
        let keys = Keys::of(&self.lattice, self.edge);
        let order = (0..queries.len() as u32).filter(|&of| queries[of as usize].holds_anything()).collect();
        let (order, ..) = in_order(order, Sorting::Radix, |of| keys.key(&queries[of as usize]));
        let mut eights = Eights::default();
        eights.fill(order, queries);
        let pieces = eights.pieces();
        let beside = |blocks| dispatch(Beside { clusters: self, queries: &eights, blocks, wanted: &wanted });
        put_in_order(pieces.map(beside).collect(), pairs)
    }

    /// Adds the boxes that touch a query.
    #[inline(always)]
    pub(super) fn look<L: Lanes>(&self, lanes: L, query: &Bounds, found: &mut Vec<u32>) {
        if !query.holds_anything() {
            return;
        }
        let (mut leaves, mut room) = (List::default(), List::default());
        self.leaves_near(lanes, query, 0, &mut leaves, &mut room);
        for &leaf in leaves.items() {
            let hits = self.leaves.blocks[leaf as usize].touching(lanes, query);
            each_lane(hits, |lane| found.extend(self.leaves.numbers(leaf as usize).get(lane)));
        }
    }

    /// Lists the leaves from one on whose boxes touch another.
    #[inline(always)]
    fn leaves_near<L: Lanes>(&self, lanes: L, with: &Bounds, from: usize, near: &mut List, room: &mut List) {
        near.clear();
        if !self.tree.is_empty() {
            near.push(0);
        }
        for (level, blocks) in self.tree.iter().enumerate().rev() {
            let below = if level == 0 { self.leaves.blocks.len() } else { self.tree[level - 1].len() };
            room.clear();
            for &block in near.items() {
                let first = block as usize * LANES;
                // Under a child of this block there are eight to the level leaves.
                let before = (from >> (3 * level)).saturating_sub(first);
                let counted = first_lanes(below - first) & !first_lanes(before);
                room.extend_lanes(lanes, first as u32, blocks[block as usize].touching(lanes, with) & counted);
            }
            std::mem::swap(near, room);
        }
    }

    /// The box around a leaf.
    #[inline(always)]
    fn around(&self, leaf: usize) -> Bounds {
        self.tree[0][leaf / LANES].lane(leaf % LANES)
    }
}

/// Numbers, and room for eight more.
#[derive(Default)]
struct List {
    items: Vec<u32>,
    len: usize,
}

impl List {
    #[inline(always)]
    fn items(&self) -> &[u32] {
        &self.items[..self.len]
    }

    #[inline(always)]
    fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    fn push(&mut self, item: u32) {
        self.extend([item; LANES], 1);
    }

    /// Adds the first of eight. All eight are written, since how many count is nothing that could be predicted.
    #[inline(always)]
    fn extend(&mut self, eight: [u32; LANES], count: u32) {
        if self.items.len() < self.len + LANES {
            self.items.resize(2 * (self.len + LANES), 0);
        }
        self.items[self.len..][..LANES].copy_from_slice(&eight);
        self.len += count as usize;
    }

    /// Adds the lanes whose bits are set, counted on from a first one.
    #[inline(always)]
    fn extend_lanes<L: Lanes>(&mut self, lanes: L, first: u32, bits: u32) {
        let all = lanes.add_words(lanes.splat_words(first), lanes.load_words(&[0, 1, 2, 3, 4, 5, 6, 7]));
        self.extend(lanes.store_words(lanes.pack_words(all, bits)), bits.count_ones());
    }
}

/// Compares blocks with the leaves near them, and keeps what touches until someone asks.
#[derive(Default)]
struct Comparison {
    near: List,
    room: List,
    touching: Touching,
}

/// Pairs of boxes that touch.
#[derive(Default)]
struct Touching {
    ones: List,
    others: List,
}

impl Comparison {
    /// Adds the pairs of boxes of a block, whose numbers are given, with those of leaves from one on.
    #[inline(always)]
    fn compare<L: Lanes>(&mut self, lanes: L, block: &Block, numbers: &[u32; LANES], clusters: &Clusters, from: usize) {
        let around = block.around();
        clusters.leaves_near(lanes, &around, from, &mut self.near, &mut self.room);
        // Lanes of the block that reach each leaf.
        self.room.clear();
        for &leaf in self.near.items() {
            let reach = block.touching(lanes, &clusters.around(leaf as usize));
            self.room.extend_lanes(lanes, leaf * LANES as u32, reach);
        }
        for &lane_and_leaf in self.room.items() {
            let (leaf, lane) = (lane_and_leaf as usize / LANES, lane_and_leaf as usize % LANES);
            let hits = clusters.leaves.blocks[leaf].touching(lanes, &block.lane(lane));
            self.touching.add(lanes, numbers[lane], clusters.leaves.eight(leaf), hits);
        }
    }
}

impl Touching {
    /// Adds those of eight boxes that touch one.
    #[inline(always)]
    fn add<L: Lanes>(&mut self, lanes: L, one: u32, others: &[u32; LANES], hits: u32) {
        self.ones.extend([one; LANES], hits.count_ones());
        self.others.extend(lanes.store_words(lanes.pack_words(lanes.load_words(others), hits)), hits.count_ones());
    }

    /// Takes out the pairs.
    #[inline(always)]
    fn drain(&mut self, mut visit: impl FnMut(u32, u32)) {
        for (&one, &other) in self.ones.items().iter().zip(self.others.items()) {
            // A box without an end touches lanes that hold nothing.
            if one.max(other) != NOBODY {
                visit(one, other);
            }
        }
        self.ones.clear();
        self.others.clear();
    }
}

/// Pairs of the boxes of some leaves with each other and with those of later leaves.
struct Inside<'a, W> {
    clusters: &'a Clusters,
    leaves: Range<usize>,
    wanted: &'a W,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Inside<'_, W> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Found {
        let Self { clusters, leaves, wanted } = self;
        let (mut found, mut comparison) = (Found::default(), Comparison::default());
        for leaf in leaves {
            let (block, numbers) = (&clusters.leaves.blocks[leaf], clusters.leaves.eight(leaf));
            for (lane, &number) in numbers.iter().enumerate() {
                let hits = block.touching(lanes, &block.lane(lane)) & !first_lanes(lane + 1);
                comparison.touching.add(lanes, number, numbers, hits);
            }
            comparison.compare(lanes, block, numbers, clusters, leaf + 1);
            comparison.touching.drain(|one, other| found.take(one.min(other), one.max(other), wanted));
        }
        found
    }
}

/// Pairs of some queries with boxes.
struct Beside<'a, W> {
    clusters: &'a Clusters,
    queries: &'a Eights,
    blocks: Range<usize>,
    wanted: &'a W,
}

impl<W: Fn(u32, u32) -> bool> Kernel for Beside<'_, W> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Found {
        let Self { clusters, queries, blocks, wanted } = self;
        let (mut found, mut comparison) = (Found::default(), Comparison::default());
        for at in blocks {
            comparison.compare(lanes, &queries.blocks[at], queries.eight(at), clusters, 0);
            comparison.touching.drain(|one, other| found.take(one, other, wanted));
        }
        found
    }
}

/// Keys by which boxes are sorted: a class, so that wide boxes stand behind narrow ones, and the Morton code of a cell.
struct Keys<'a> {
    lattice: &'a Lattice,
    edge: f64,
    /// Bits of a Morton code.
    code: u32,
}

impl<'a> Keys<'a> {
    fn of(lattice: &'a Lattice, edge: f64) -> Self {
        let most = lattice.cells().into_iter().max().unwrap_or(1);
        Self { lattice, edge, code: 3 * most.next_power_of_two().trailing_zeros() }
    }

    fn bits(&self) -> u32 {
        self.code + (CLASSES - 1).ilog2() + 1
    }

    #[inline(always)]
    fn key(&self, of: &Bounds) -> u64 {
        let middle = per_axis(|axis| 0.5 * of.low[axis] + 0.5 * of.high[axis]);
        let (side, mut widest, mut class) = (f64::from(of.longest_side()), MOST_ACROSS * self.edge, 0);
        while side > widest && class < CLASSES - 1 {
            (widest, class) = (widest * WIDER, class + 1);
        }
        class << self.code | sparse_key(self.lattice.cell(middle), CellOrder::ZCurve)
    }
}

/// Numbers in the order of their keys, which sort it took, and how many were out of order.
fn in_order<K: SortKey>(order: Vec<u32>, sort: Sorting, key: impl Fn(u32) -> K + Sync) -> (Vec<u32>, Sorting, usize) {
    let mut items: Vec<(K, u32)> =
        order.into_par_iter().with_min_len(BOXES).map(|number| (key(number), number)).collect();
    let (sort, out_of_order) = match sort {
        Sorting::Radix => {
            sort::radix(&mut items, &mut Vec::new());
            (Sorting::Radix, items.len())
        }
        Sorting::Auto | Sorting::Adaptive => match sort::adaptive(&mut items, &mut Vec::new()) {
            Order::Nearly { out_of_order } => (Sorting::Adaptive, out_of_order),
            Order::Little => (Sorting::Radix, items.len()),
        },
    };
    (items.into_iter().map(|(_, number)| number).collect(), sort, out_of_order)
}
