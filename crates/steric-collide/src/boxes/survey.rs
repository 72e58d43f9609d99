//! How large boxes are, and where.
//!
//! How it works: pieces of a fixed length are summed on their own and then in order, so that the mean has the same bits for any number of threads.

use rayon::prelude::*;

use super::{Bounds, CellSize};

/// Boxes of one sum.
const PIECE: usize = 4_096;
/// Boxes more than so many times as wide as the mean do not count for it.
const GIANT: f64 = 8.0;

/// Sides and places of some boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    pub(super) region: Bounds,
    pub(super) count: usize,
    sum: f64,
    pub(super) longest: f64,
}

impl Survey {
    const EMPTY: Self = Self { region: Bounds::NOTHING, count: 0, sum: 0.0, longest: 0.0 };

    /// Of all boxes that hold anything.
    pub(super) fn of_all(boxes: &[Bounds]) -> Self {
        Self::of(boxes, -1.0, f64::INFINITY)
    }

    /// Of those that are wider than one length and at most as wide as another, where this is the survey of all.
    pub(super) fn between(&self, boxes: &[Bounds], wider_than: f64, at_most: f64) -> Self {
        if wider_than < 0.0 && self.longest <= at_most {
            return *self;
        }
        if self.longest <= wider_than { Self::EMPTY } else { Self::of(boxes, wider_than, at_most) }
    }

    /// Of the boxes that hold anything and are wider than one length and at most as wide as another.
    pub(super) fn of(boxes: &[Bounds], wider_than: f64, at_most: f64) -> Self {
        let wanted = |of: &Bounds| {
            let side = f64::from(of.longest_side());
            of.holds_anything() && side > wider_than && side <= at_most
        };
        let piece = |boxes: &[Bounds]| boxes.iter().filter(|of| wanted(of)).fold(Self::EMPTY, Self::with);
        let pieces: Vec<Self> = boxes.par_chunks(PIECE).map(piece).collect();
        pieces.into_iter().fold(Self::EMPTY, Self::and)
    }

    fn with(self, of: &Bounds) -> Self {
        let side = f64::from(of.longest_side());
        self.and(Self { region: *of, count: 1, sum: side, longest: side })
    }

    fn and(self, other: Self) -> Self {
        Self {
            region: self.region.joined(&other.region),
            count: self.count + other.count,
            sum: self.sum + other.sum,
            longest: self.longest.max(other.longest),
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// How wide the cells for boxes shall be, of which this is the survey.
    pub(super) fn edge(&self, boxes: &[Bounds], cell: CellSize) -> f64 {
        let usable = |edge: f64| edge.is_finite() && edge > 0.0;
        let edge = match cell {
            CellSize::MeanEdge(times) => f64::from(times) * self.ordinary(boxes).mean(),
            CellSize::LongestEdge => self.finite(boxes).longest,
            CellSize::Angstroms(edge) => f64::from(edge),
        };
        if usable(edge) { edge } else { self.spacing() }
    }

    /// Without boxes that reach to infinity.
    fn finite(self, boxes: &[Bounds]) -> Self {
        if self.longest.is_finite() { self } else { Self::of(boxes, -1.0, f64::from(f32::MAX)) }
    }

    /// Without the giants: boxes much wider than the mean of those that are left.
    fn ordinary(self, boxes: &[Bounds]) -> Self {
        let mut ordinary = self.finite(boxes);
        while ordinary.longest > GIANT * ordinary.mean() {
            ordinary = Self::of(boxes, -1.0, GIANT * ordinary.mean());
        }
        ordinary
    }

    /// An edge for boxes that are points: about one for each cell.
    fn spacing(&self) -> f64 {
        let sides = (0..3).map(|axis| f64::from(self.region.high[axis]) - f64::from(self.region.low[axis]));
        let sides: Vec<f64> = sides.filter(|&side| side > 0.0 && side.is_finite()).collect();
        let cells = self.count.max(1) as f64;
        let edge = (sides.iter().product::<f64>() / cells).powf(1.0 / sides.len().max(1) as f64);
        if edge.is_finite() && edge > 0.0 { edge } else { 1.0 }
    }
}
