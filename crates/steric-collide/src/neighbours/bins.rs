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
use crate::memory;

/// Below so many points no second thread is worth waking.
pub(super) const FEW: usize = 4_096;
/// Boxes away from the first.
const MOST_BOXES: f64 = (1u32 << 20) as f64;

/// Points sorted by cell; the place of one in that order is its slot.
#[derive(Debug)]
pub(super) struct Bins {
    pub(super) frame: Frame,
    /// The number of the point in each slot, and eight more zeros.
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

/// A table of all cells is made up to so many of them.
fn is_dense(frame: &Frame, points: usize) -> bool {
    frame.cell_count() <= 8 * points as u64 + 4096
}

impl Bins {
    /// In the cells of a frame, or in narrower ones of another where that is less work.
    pub(super) fn tuned(
        frame: Frame,
        points: Points<'_>,
        narrower: impl Fn(f64) -> Result<Frame, NeighbourError>,
    ) -> Result<Self, NeighbourError> {
        if points.len() < FEW || !is_dense(&frame, points.len()) {
            return Self::new(frame, points);
        }
        let keys = keys(&frame, points);
        let starts = counts(&keys, frame.cell_count() as usize);
        let shared: u64 = starts.iter().map(|&count| u64::from(count) * u64::from(count)).sum();
        let factor = frame.best_factor(shared as f64 / points.len() as f64);
        if factor == 1.0 { Self::counted(frame, points, &keys, starts) } else { Self::new(narrower(factor)?, points) }
    }

    pub(super) fn new(frame: Frame, points: Points<'_>) -> Result<Self, NeighbourError> {
        let keys = keys(&frame, points);
        if is_dense(&frame, points.len()) {
            let starts = counts(&keys, frame.cell_count() as usize);
            Self::counted(frame, points, &keys, starts)
        } else {
            Self::sorted(frame, points, &keys)
        }
    }

    /// From how many points are in each cell, each two entries ahead.
    fn counted(frame: Frame, points: Points<'_>, keys: &[u64], mut starts: Vec<u32>) -> Result<Self, NeighbourError> {
        let cells = starts.len() - 2;
        let mut taken = Vec::with_capacity(cells.min(keys.len()) + 1);
        let mut before = 0;
        for (cell, count) in starts[2..].iter_mut().enumerate() {
            if *count > 0 {
                taken.push((cell as u64, before));
            }
            before += *count;
            *count = before;
        }
        taken.push((u64::MAX, before));
        let mut ids = memory::zeros(keys.len() + LANES);
        for (id, &key) in keys.iter().enumerate() {
            let slot = &mut starts[key as usize + 1];
            ids[*slot as usize] = id as u32;
            *slot += 1;
        }
        starts.truncate(cells + 1);
        Self { frame, ids, axes: Default::default(), boxes: Vec::new(), taken, starts, homes: Vec::new() }
            .placed(points)
    }

    fn sorted(frame: Frame, points: Points<'_>, keys: &[u64]) -> Result<Self, NeighbourError> {
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
        let ids = order.into_iter().map(|(_, id)| id).chain([0; LANES]).collect();
        let (axes, starts) = (Default::default(), Vec::new());
        Self { frame, ids, axes, boxes: Vec::new(), taken, starts, homes: Vec::new() }.placed(points)
    }

    /// Puts the coordinates beside the numbers.
    fn placed(mut self, points: Points<'_>) -> Result<Self, NeighbourError> {
        let slots = points.len();
        self.axes = [(); 3].map(|()| memory::zeros(slots + LANES));
        self.axes.iter_mut().for_each(|axis| axis[slots..].fill(f32::NAN));
        let frame = &self.frame;
        let [x, y, z] = &mut self.axes;
        if frame.is_open() {
            let few = if slots < FEW { usize::MAX } else { FEW };
            match points {
                Points::Single(points) => place(frame, points, &self.ids[..slots], [x, y, z], few),
                Points::Double(points) => place(frame, points, &self.ids[..slots], [x, y, z], few),
            }
            return Ok(self);
        }
        self.boxes.resize(slots, [0; 3]);
        for (slot, &id) in self.ids[..slots].iter().enumerate() {
            let (_, boxes, home) = frame.place(points.at(id as usize));
            if boxes.iter().any(|along| along.abs() > MOST_BOXES) {
                return Err(NeighbourError::TooFarFromBox(id as usize));
            }
            self.boxes[slot] = boxes.map(|along| along as i32);
            [x[slot], y[slot], z[slot]] = (home - frame.middle).as_vec3().to_array();
        }
        Ok(self)
    }

    /// How many points there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len() - LANES
    }

    /// Takes the points where they are now, in the cells where they were, if none has moved farther than `most`. Whether it did.
    pub(super) fn follow(&mut self, points: Points<'_>, most: f64) -> bool {
        if points.len() != self.len() || self.homes.is_empty() {
            return false;
        }
        if self.frame.is_open() {
            return match points {
                Points::Single(points) => self.follow_in_the_open(points, most),
                Points::Double(points) => self.follow_in_the_open(points, most),
            };
        }
        let frame = &self.frame;
        let [x, y, z] = &mut self.axes;
        for (slot, &id) in self.ids[..points.len()].iter().enumerate() {
            let point = points.at(id as usize);
            let home = self.homes[slot];
            let boxes = frame.boxes_between(home, point);
            // Not so where it is no number.
            if !boxes.iter().all(|along| along.abs() <= MOST_BOXES) {
                return false;
            }
            self.boxes[slot] = boxes.map(|along| along as i32);
            let now = point - frame.lattice * DVec3::from_array(boxes);
            if (now - home).length_squared() > most * most {
                return false;
            }
            [x[slot], y[slot], z[slot]] = (now - frame.middle).as_vec3().to_array();
        }
        true
    }

    fn follow_in_the_open<T: Copy + Into<f64> + Sync>(&mut self, points: &[[T; 3]], most: f64) -> bool {
        let slots = points.len();
        let middle = self.frame.middle;
        let [x, y, z] = self.axes.each_mut().map(|axis| &mut axis[..slots]);
        let all = self.ids[..slots].par_iter().zip(&self.homes).zip(x).zip(y).zip(z);
        all.with_min_len(if slots < FEW { slots } else { FEW }).all(|((((id, home), x), y), z)| {
            let point = DVec3::from_array(points[*id as usize].map(Into::into));
            [*x, *y, *z] = (point - middle).as_vec3().to_array();
            // Not so where it is no number.
            (point - home).length_squared() <= most * most
        })
    }

    /// Remembers where points are, so that they can be followed.
    pub(super) fn remember(&mut self, points: Points<'_>) {
        let frame = &self.frame;
        let home = |id: u32| {
            let point = points.at(id as usize);
            if frame.is_open() { point } else { frame.place(point).2 }
        };
        self.homes = self.ids[..points.len()].iter().map(|&id| home(id)).collect();
    }

    /// The slots of a run of cells in one row. `cursor` is where the run before this one was found: cells are visited in order, so the next
    /// is mostly a few steps away.
    #[inline(always)]
    pub(super) fn slots(&self, first: u64, last: u64, cursor: &mut usize) -> Range<u32> {
        if !self.starts.is_empty() {
            return self.starts[first as usize]..self.starts[last as usize + 1];
        }
        let begin = self.cell_from(*cursor, first);
        let end = self.cell_from(begin, last + 1);
        *cursor = begin;
        self.taken[begin].1..self.taken[end].1
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

fn place<T: Copy + Into<f64> + Sync>(
    frame: &Frame,
    points: &[[T; 3]],
    ids: &[u32],
    [x, y, z]: [&mut Vec<f32>; 3],
    few: usize,
) {
    let place = |(((id, x), y), z): (((&u32, &mut f32), &mut f32), &mut f32)| {
        let point = DVec3::from_array(points[*id as usize].map(Into::into));
        [*x, *y, *z] = (point - frame.middle).as_vec3().to_array();
    };
    let slots = ids.len();
    if few > slots {
        ids.iter().zip(x).zip(y).zip(z).for_each(place);
    } else {
        let (x, y, z) = (&mut x[..slots], &mut y[..slots], &mut z[..slots]);
        ids.par_iter().with_min_len(few).zip(x).zip(y).zip(z).for_each(place);
    }
}

fn keys(frame: &Frame, points: Points<'_>) -> Vec<u64> {
    match points {
        Points::Single(points) => keys_of(frame, points),
        Points::Double(points) => keys_of(frame, points),
    }
}

fn keys_of<T: Copy + Into<f64> + Sync>(frame: &Frame, points: &[[T; 3]]) -> Vec<u64> {
    let key = |(key, point): (&mut u64, &[T; 3])| {
        let point = DVec3::from_array(point.map(Into::into));
        *key = frame.key(if frame.is_open() { frame.cell_in_the_open(point) } else { frame.place(point).0 });
    };
    let mut keys = memory::zeros(points.len());
    if points.len() < FEW {
        keys.iter_mut().zip(points).for_each(key);
    } else {
        keys.par_iter_mut().with_min_len(FEW).zip(points).for_each(key);
    }
    keys
}

/// How many points are in each cell. Counts stand two entries ahead: the passes that follow leave each start where it belongs.
fn counts(keys: &[u64], cells: usize) -> Vec<u32> {
    let mut counts = memory::zeros(cells + 2);
    for &key in keys {
        counts[key as usize + 2] += 1;
    }
    counts
}
