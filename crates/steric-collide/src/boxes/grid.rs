//! The grid: lattices of cells that know their boxes, a lattice for each class of sizes.
//!
//! How it works: boxes wider than four cells stand in a second lattice with cells eight times as wide, and so on for four lattices, so that a giant among many small boxes has few entries. Cells are
//! kept from build to build while they will do, so that a box which changes no cell keeps its entries.

use rayon::prelude::*;

use super::entries::Share;
use super::lattice::{Span, is_close};
use super::level::{Level, Place};
use super::survey::Survey;
use super::{Bounds, BoxIndexOptions, BoxIndexStats, LEVELS, MOST_ACROSS, PIECE, WIDER};
use crate::simd::Lanes;

/// Boxes in cells.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The edge of the smallest cells that is wished for.
    edge: f64,
    /// Whether some cells may not know their boxes.
    is_approximate: bool,
    pub(super) levels: [Level; LEVELS],
    spans: Vec<Span>,
    moved: Vec<bool>,
    movers: usize,
    pub(super) members: [Vec<u32>; LEVELS],
}

impl Grid {
    /// A grid of no boxes.
    pub(super) fn new(options: &BoxIndexOptions) -> Self {
        Self {
            edge: 0.0,
            is_approximate: options.most_cells.is_some(),
            levels: std::array::from_fn(|_| Level::new(options.kind)),
            spans: Vec::new(),
            moved: Vec::new(),
            movers: 0,
            members: std::array::from_fn(|_| Vec::new()),
        }
    }

    /// Puts boxes into their cells.
    pub(super) fn build(&mut self, boxes: &[Bounds], options: &BoxIndexOptions) {
        let is_other = boxes.len() != self.spans.len();
        self.lay(boxes, options);
        self.find_spans(boxes);
        self.list_members();
        for (number, (level, members)) in self.levels.iter_mut().zip(&self.members).enumerate() {
            let is_new = level.is_new || is_other;
            let moved = |&&member: &&u32| self.moved[member as usize] && !is_new;
            debug_assert!(members.iter().all(|&member| self.spans[member as usize].level == number as u8));
            level.fill(&Place {
                boxes,
                spans: &self.spans,
                members,
                movers: &members.iter().filter(moved).copied().collect::<Vec<_>>(),
                moved: &self.moved,
                is_new,
                share: Share::of(options),
                sort: options.sort,
                seed: options.seed,
            });
        }
    }

    /// Boxes that hold anything.
    pub(super) fn len(&self) -> usize {
        self.members.iter().map(Vec::len).sum()
    }

    /// Adds the boxes that touch a query, in no order; more than once where cells may not know their boxes.
    #[inline(always)]
    pub(super) fn look<L: Lanes>(&self, lanes: L, query: &Bounds, boxes: &[Bounds], found: &mut Vec<u32>) {
        for level in &self.levels {
            level.look(lanes, query, !self.is_approximate, boxes, found);
        }
    }

    pub(super) fn add_to(&self, stats: &mut BoxIndexStats) {
        let members: usize = self.members.iter().map(Vec::capacity).sum();
        stats.boxes = self.len();
        stats.bytes += self.spans.capacity() * (size_of::<Span>() + 1) + members * 4;
        stats.disorder = self.movers as f64 / self.spans.len().max(1) as f64;
        self.levels.iter().for_each(|level| level.add_to(stats));
        let used = self.levels.iter().zip(&self.members).find(|(_, members)| !members.is_empty());
        stats.edge = used.map_or(0.0, |(level, _)| level.lattice.edge());
    }

    /// Chooses the cells of every level, or keeps those of the last build where they will do.
    fn lay(&mut self, boxes: &[Bounds], options: &BoxIndexOptions) {
        let survey = Survey::of_all(boxes);
        let wish = survey.edge(boxes, options.cell);
        if !is_close(self.edge, wish) {
            self.edge = wish;
        }
        for number in 0..LEVELS {
            let above = if number == 0 { -1.0 } else { self.widest(number - 1) };
            let at_most = self.widest(number);
            let own = survey.between(boxes, above, at_most);
            let mut wish = self.edge * WIDER.powi(number as i32);
            if number == LEVELS - 1 {
                wish = wish.max(own.longest.min(f64::from(f32::MAX)) / MOST_ACROSS);
            }
            self.levels[number].lay(&own, wish, options);
        }
    }

    /// The widest box of a level. An approximation has but one.
    fn widest(&self, level: usize) -> f64 {
        if level == LEVELS - 1 || self.is_approximate {
            return f64::INFINITY;
        }
        MOST_ACROSS * self.edge * WIDER.powi(level as i32)
    }

    /// Finds the cells of every box, and who changed them.
    fn find_spans(&mut self, boxes: &[Bounds]) {
        let count = boxes.len();
        let (mut spans, mut moved) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.moved));
        spans.resize(count, Span::NONE);
        moved.resize(count, false);
        let find = |((span, moved), of): ((&mut Span, &mut bool), &Bounds)| {
            let old = std::mem::replace(span, self.span(of));
            *moved = *span != old;
        };
        spans.par_iter_mut().zip(&mut moved).zip(boxes).with_min_len(PIECE).for_each(find);
        self.movers = moved.iter().filter(|&&moved| moved).count();
        (self.spans, self.moved) = (spans, moved);
    }

    fn span(&self, of: &Bounds) -> Span {
        if !of.holds_anything() {
            return Span::NONE;
        }
        let side = f64::from(of.longest_side());
        let level = (0..LEVELS).find(|&level| side <= self.widest(level)).unwrap_or(LEVELS - 1);
        Span { level: level as u8, ..self.levels[level].lattice.span(of) }
    }

    fn list_members(&mut self) {
        self.members.iter_mut().for_each(Vec::clear);
        for (number, span) in self.spans.iter().enumerate() {
            if let Some(members) = self.members.get_mut(span.level as usize) {
                members.push(number as u32);
            }
        }
    }
}
