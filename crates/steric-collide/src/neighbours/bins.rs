//! Points sorted by cell.
//!
//! How it works: where there are not many more cells than points, points are counted into a table of all cells; elsewhere their
//! keys are sorted and cells are found by bisection. Inside a cell points keep their order.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;
use steric_model::LANES;

use super::frame::Frame;
use super::{NeighbourError, Points};

/// Below so many points no second thread is worth waking.
pub(super) const FEW: usize = 4_096;
/// Boxes away from the first.
const MOST_BOXES: f64 = (1u32 << 20) as f64;

/// Points sorted by cell; the place of one in that order is its slot.
#[derive(Debug)]
pub(super) struct Bins {
    pub(super) frame: Frame,
    /// The number of the point in each slot.
    pub(super) ids: Vec<u32>,
    /// Coordinates from the middle of the frame, and eight more that are no numbers.
    pub(super) axes: [Vec<f32>; 3],
    /// How many boxes away from the first, where there is a box.
    pub(super) boxes: Vec<[i32; 3]>,
    /// Cells that hold anything, with their first slot; and one beyond.
    pub(super) taken: Vec<(u64, u32)>,
    /// For every cell its first slot, where the table is dense.
    starts: Vec<u32>,
    /// Where points were when they were sorted, in the first box.
    homes: Vec<DVec3>,
}

impl Bins {
    pub(super) fn new(frame: Frame, points: Points<'_>) -> Result<Self, NeighbourError> {
        let keys = keys(&frame, points);
        let cells = frame.cell_count();
        let is_dense = cells <= 8 * points.len() as u64 + 4096;
        let (ids, starts, taken) = if is_dense { counted(&keys, cells as usize) } else { sorted(&keys) };
        let mut bins =
            Self { frame, ids, axes: Default::default(), boxes: Vec::new(), taken, starts, homes: Vec::new() };
        bins.place(points)?;
        Ok(bins)
    }

    fn place(&mut self, points: Points<'_>) -> Result<(), NeighbourError> {
        let slots = self.ids.len();
        for axis in &mut self.axes {
            axis.resize(slots + LANES, f32::NAN);
        }
        let frame = &self.frame;
        let [x, y, z] = &mut self.axes;
        if frame.is_open() {
            let place = |(((id, x), y), z): (((&u32, &mut f32), &mut f32), &mut f32)| {
                [*x, *y, *z] = (points.at(*id as usize) - frame.middle).as_vec3().to_array();
            };
            let slots = self.ids.len();
            if slots < FEW {
                self.ids.iter().zip(x).zip(y).zip(z).for_each(place);
            } else {
                let few = FEW;
                self.ids
                    .par_iter()
                    .with_min_len(few)
                    .zip(&mut x[..slots])
                    .zip(&mut y[..slots])
                    .zip(&mut z[..slots])
                    .for_each(place);
            }
            return Ok(());
        }
        self.boxes.resize(slots, [0; 3]);
        for (slot, &id) in self.ids.iter().enumerate() {
            let (_, boxes, home) = frame.place(points.at(id as usize));
            if boxes.iter().any(|along| along.abs() > MOST_BOXES) {
                return Err(NeighbourError::TooFarFromBox(id as usize));
            }
            self.boxes[slot] = boxes.map(|along| along as i32);
            [x[slot], y[slot], z[slot]] = (home - frame.middle).as_vec3().to_array();
        }
        Ok(())
    }

    /// Takes the points where they are now, in the cells where they were, if none has moved farther than `most`. Whether it did.
    pub(super) fn follow(&mut self, points: Points<'_>, most: f64) -> bool {
        if points.len() != self.ids.len() || points.bounds().is_none() {
            return false;
        }
        if self.homes.is_empty() {
            return false;
        }
        let frame = &self.frame;
        let [x, y, z] = &mut self.axes;
        let mut farthest = 0.0f64;
        for (slot, &id) in self.ids.iter().enumerate() {
            let point = points.at(id as usize);
            let home = self.homes[slot];
            let mut now = point;
            if !frame.is_open() {
                let boxes = frame.boxes_between(home, point);
                if boxes.iter().any(|along| along.abs() > MOST_BOXES) {
                    return false;
                }
                self.boxes[slot] = boxes.map(|along| along as i32);
                now = point - frame.lattice * DVec3::from_array(boxes);
            }
            farthest = farthest.max((now - home).length_squared());
            [x[slot], y[slot], z[slot]] = (now - frame.middle).as_vec3().to_array();
        }
        farthest <= most * most
    }

    /// Remembers where points are, so that they can be followed.
    pub(super) fn remember(&mut self, points: Points<'_>) {
        let frame = &self.frame;
        self.homes = self.ids.iter().map(|&id| frame.place(points.at(id as usize)).2).collect();
    }

    /// The slots of a run of cells in one row. `cursor` is where the run before this one was found: cells are visited in order, so the next
    /// is mostly a few steps away.
    #[inline(always)]
    pub(super) fn slots(&self, first: u64, last: u64, cursor: &mut usize) -> Range<usize> {
        if !self.starts.is_empty() {
            return self.starts[first as usize] as usize..self.starts[last as usize + 1] as usize;
        }
        let begin = self.cell_from(*cursor, first);
        let end = self.cell_from(begin, last + 1);
        *cursor = begin;
        self.taken[begin].1 as usize..self.taken[end].1 as usize
    }

    /// The first cell that holds anything from a key on, looked for from a guess on.
    #[inline(always)]
    fn cell_from(&self, guess: usize, key: u64) -> usize {
        const NEAR: usize = 12;
        if guess == 0 || self.taken[guess - 1].0 < key {
            let near = &self.taken[guess..(guess + NEAR).min(self.taken.len())];
            if let Some(steps) = near.iter().position(|&(own, _)| own >= key) {
                return guess + steps;
            }
        }
        self.taken.partition_point(|&(own, _)| own < key)
    }
}

fn keys(frame: &Frame, points: Points<'_>) -> Vec<u64> {
    let key = |index: usize| {
        let point = points.at(index);
        frame.key(if frame.is_open() { frame.cell_in_the_open(point) } else { frame.place(point).0 })
    };
    match points.len() {
        few @ ..FEW => (0..few).map(key).collect(),
        many => (0..many).into_par_iter().with_min_len(FEW).map(key).collect(),
    }
}

type Sorted = (Vec<u32>, Vec<u32>, Vec<(u64, u32)>);

fn counted(keys: &[u64], cells: usize) -> Sorted {
    // One entry more than cells and one beyond: the second pass leaves each start one entry ahead.
    let mut starts = vec![0u32; cells + 2];
    for &key in keys {
        starts[key as usize + 2] += 1;
    }
    let mut taken = Vec::new();
    let mut before = 0;
    for (cell, count) in starts[2..].iter_mut().enumerate() {
        if *count > 0 {
            taken.push((cell as u64, before));
        }
        before += *count;
        *count = before;
    }
    taken.push((u64::MAX, before));
    let mut ids = vec![0u32; keys.len()];
    for (id, &key) in keys.iter().enumerate() {
        let slot = &mut starts[key as usize + 1];
        ids[*slot as usize] = id as u32;
        *slot += 1;
    }
    starts.truncate(cells + 1);
    (ids, starts, taken)
}

fn sorted(keys: &[u64]) -> Sorted {
    let mut order: Vec<(u64, u32)> = keys.iter().zip(0u32..).map(|(&key, id)| (key, id)).collect();
    if order.len() < FEW {
        order.sort_unstable()
    } else {
        order.par_sort_unstable()
    }
    let mut taken: Vec<(u64, u32)> = Vec::new();
    for (slot, &(key, _)) in order.iter().enumerate() {
        if taken.last().is_none_or(|&(last, _)| last != key) {
            taken.push((key, slot as u32));
        }
    }
    taken.push((u64::MAX, order.len() as u32));
    (order.into_iter().map(|(_, id)| id).collect(), Vec::new(), taken)
}
