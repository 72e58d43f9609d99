//! Which segments are near which.
//!
//! How it works: segments are sorted into cubes by their middles. Space is folded onto a table whose sides are powers of two, so that it takes two to four entries a segment however far a fibre reaches; what falls into one
//! entry from far away is told apart by its distance. Each segment lists all others, in the order of the table, so that what is added up over a list has the same bits whoever made it.

use glam::DVec3;
use rayon::prelude::*;

use super::chain::Chain;
use super::level::PIECE;

/// For every segment the segments that come near it, those few along the chain left out.
#[derive(Clone, Debug, Default)]
pub(super) struct NearSegments {
    /// Of each piece of segments: where the list of each begins, and the lists.
    pieces: Vec<(Vec<u32>, Vec<u32>)>,
}

impl NearSegments {
    /// All pairs whose axes come within `reach`, and perhaps some more.
    pub(super) fn new(chain: &Chain, reach: f64, strangers: usize) -> Self {
        let segments = chain.segments();
        let middle = |at: usize| {
            let [start, end] = chain.segment(at);
            (0.5 * (start + end), start.distance_squared(end))
        };
        let middles: Vec<(DVec3, f64)> = (0..segments).into_par_iter().with_min_len(PIECE).map(middle).collect();
        let longest = middles.iter().fold(0.0, |longest: f64, one| longest.max(one.1)).sqrt();
        let cells = Cells::new(&middles, reach + longest);
        let pieces = middles.par_chunks(PIECE).enumerate().map(|(piece, middles)| {
            let (mut starts, mut others) = (vec![0], Vec::new());
            for (&(middle, _), at) in middles.iter().zip(PIECE * piece..) {
                cells.near(middle, |other| {
                    if chain.steps_between(at, other as usize) >= strangers {
                        others.push(other);
                    }
                });
                starts.push(others.len() as u32);
            }
            (starts, others)
        });
        Self { pieces: pieces.collect() }
    }

    /// The segments near one.
    #[inline(always)]
    pub(super) fn of(&self, segment: usize) -> &[u32] {
        let (starts, others) = &self.pieces[segment / PIECE];
        let at = segment % PIECE;
        &others[starts[at] as usize..starts[at + 1] as usize]
    }
}

/// A table of cubes.
struct Cells {
    low: DVec3,
    reach: f64,
    /// Sides of the table, less one.
    masks: [usize; 3],
    bits: [u32; 2],
    starts: Vec<u32>,
    entries: Vec<(DVec3, u32)>,
}

impl Cells {
    fn new(middles: &[(DVec3, f64)], reach: f64) -> Self {
        let (low, high) = middles
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), one| (low.min(one.0), high.max(one.0)));
        let wanted = (high - low) / reach + 1.0;
        // Less than four along an axis, and a cube would be its own neighbour twice.
        let mut bits = [2u32; 3];
        while bits.iter().sum::<u32>() < 62 && 1 << bits.iter().sum::<u32>() < 2 * middles.len() {
            let fill = |axis: &usize| wanted[*axis] / f64::from(1u32 << bits[*axis].min(30));
            let axis = (0..3).max_by(|a, b| fill(a).total_cmp(&fill(b))).unwrap_or(0);
            if fill(&axis) <= 1.0 {
                break;
            }
            bits[axis] += 1;
        }
        let masks = bits.map(|bits| (1usize << bits) - 1);
        let entries = vec![(DVec3::ZERO, 0); middles.len()];
        let starts = vec![0; (1 << bits.iter().sum::<u32>()) + 1];
        let mut cells = Self { low, reach, masks, bits: [bits[0], bits[0] + bits[1]], starts, entries };
        cells.fill(middles);
        cells
    }

    fn fill(&mut self, middles: &[(DVec3, f64)]) {
        let homes: Vec<u32> =
            middles.par_iter().with_min_len(PIECE).map(|one| self.entry(self.cube(one.0)) as u32).collect();
        for &home in &homes {
            self.starts[home as usize + 1] += 1;
        }
        for at in 1..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        let mut next = self.starts.clone();
        for (at, &home) in homes.iter().enumerate() {
            let place = &mut next[home as usize];
            self.entries[*place as usize] = (middles[at].0, at as u32);
            *place += 1;
        }
    }

    #[inline(always)]
    fn cube(&self, point: DVec3) -> [i64; 3] {
        ((point - self.low) / self.reach).floor().to_array().map(|along| along as i64)
    }

    #[inline(always)]
    fn entry(&self, cube: [i64; 3]) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| cube[axis] as usize & self.masks[axis]);
        x | y << self.bits[0] | z << self.bits[1]
    }

    #[inline(always)]
    fn near(&self, point: DVec3, mut visit: impl FnMut(u32)) {
        let [x, y, z] = self.cube(point);
        let squared = self.reach * self.reach;
        let mut look = |entries: &[(DVec3, u32)]| {
            for &(middle, at) in entries {
                if middle.distance_squared(point) <= squared {
                    visit(at);
                }
            }
        };
        let middle = x as usize & self.masks[0];
        let is_one_run = middle > 0 && middle < self.masks[0];
        for row in 0..9 {
            let (y, z) = (y + row % 3 - 1, z + row / 3 - 1);
            let range = |from: i64, to: i64| {
                self.starts[self.entry([from, y, z])] as usize..self.starts[self.entry([to, y, z]) + 1] as usize
            };
            if is_one_run {
                look(&self.entries[range(x - 1, x + 1)]);
            } else {
                (x - 1..=x + 1).for_each(|x| look(&self.entries[range(x, x)]));
            }
        }
    }
}
