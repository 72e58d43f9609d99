//! The search itself: each point against the runs of points around it, eight at a time.
//!
//! How it works: cells of one row stand side by side in memory, so what a point may be near are a few runs of slots, and every
//! pair is looked at from one side only: the rest of the point's own row, and the rows that come after. Two limits stand around the
//! cutoff: below the lower one single precision is sure of a pair, above the upper one of none, and what lies between is measured
//! again.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use steric_model::LANES;

use super::bins::{Bins, FEW};
use super::found::{FoundNeighbours, Pairs, pack_image, unpack_image};
use super::{NeighbourError, NeighbourSearch, PairList, Points, Repeat};
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// Pieces of work for each thread, if there are several.
const PIECES: usize = 8;
/// Room for more pairs than these is not made before they are found.
const MOST_AT_ONCE: usize = 1 << 31;
/// Pairs between two looks at how many there are.
const MANY: usize = 1 << 16;

/// Pairs of points of one set, or of a point of one and a point of the other.
pub(super) fn find<'a>(
    search: &NeighbourSearch<'a>,
    reach: f64,
    (first, ours): (Points<'a>, &Bins),
    (second, theirs): (Points<'a>, &Bins),
    between: bool,
) -> Result<FoundNeighbours<'a>, NeighbourError> {
    let radii = search.rule.radii.map(|radii| in_slots(ours, |id| radii[id], 0.0));
    let total = AtomicUsize::new(0);
    let work = |cells: Range<usize>| {
        let radii = radii.as_deref();
        dispatch(Piece { search, reach, first, ours, second, theirs, radii, between, cells, total: &total })
    };
    let threads = if first.len() < FEW { 1 } else { rayon::current_num_threads() };
    let pairs = if threads == 1 {
        work(0..ours.taken.len() - 1)?
    } else {
        let pieces = pieces(&ours.taken, first.len().div_ceil(PIECES * threads).max(FEW));
        let parts: Result<Vec<Pairs>, NeighbourError> = pieces.into_par_iter().map(work).collect();
        Pairs::joined(parts?)
    };
    let lattice = search.repeat.map(|repeat| repeat.periodic_box.vectors());
    Ok(FoundNeighbours::new(first, second, lattice, pairs, search.sorted))
}

/// Runs of cells with about as many points each.
fn pieces(taken: &[(u64, u32)], points: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut begin) = (Vec::new(), 0);
    for end in 1..taken.len() {
        if (taken[end].1 - taken[begin].1) as usize >= points || end == taken.len() - 1 {
            pieces.push(begin..end);
            begin = end;
        }
    }
    pieces
}

/// What belongs to each point in the order of slots, and eight more beyond.
fn in_slots<T: Copy>(bins: &Bins, of: impl Fn(usize) -> T, beyond: T) -> Vec<T> {
    bins.ids[..bins.len()].iter().map(|&id| of(id as usize)).chain([beyond; LANES]).collect()
}

/// Some cells whose pairs are looked for.
struct Piece<'a, 'b> {
    search: &'b NeighbourSearch<'a>,
    reach: f64,
    first: Points<'a>,
    ours: &'b Bins,
    second: Points<'a>,
    theirs: &'b Bins,
    /// By slot.
    radii: Option<&'b [f32]>,
    between: bool,
    cells: Range<usize>,
    total: &'b AtomicUsize,
}

/// Slots side by side, all in the same image of the box.
struct Run {
    slots: Range<u32>,
    /// Which of the images around the cell.
    image: u32,
}

/// What is around a cell.
struct Around {
    runs: Vec<Run>,
    /// Images and how far away they are: first that of the cell itself.
    images: Vec<([i32; 3], [f32; 3])>,
    /// Where the cells of each row around the last cell were found.
    cursors: Vec<usize>,
}

/// Points in the order of slots: slices that are known to be equally long, so that one look at the length is enough for all.
#[derive(Clone, Copy)]
struct InSlots<'b> {
    x: &'b [f32],
    y: &'b [f32],
    z: &'b [f32],
    ids: &'b [u32],
}

impl<'b> InSlots<'b> {
    #[inline(always)]
    fn new(bins: &'b Bins) -> Self {
        let length = bins.ids.len();
        let [x, y, z] = &bins.axes;
        Self { x: &x[..length], y: &y[..length], z: &z[..length], ids: &bins.ids }
    }

    /// Eight from a slot on.
    #[inline(always)]
    fn eight(&self, at: u32) -> ([&'b Eight; 3], &'b [u32; LANES]) {
        let (at, end) = (at as usize, at as usize + LANES);
        match (
            self.x[at..end].as_array(),
            self.y[at..end].as_array(),
            self.z[at..end].as_array(),
            self.ids[at..end].as_array(),
        ) {
            (Some(x), Some(y), Some(z), Some(ids)) => ([x, y, z], ids),
            _ => unreachable!("these are eight"),
        }
    }
}

impl Kernel for Piece<'_, '_> {
    type Output = Result<Pairs, NeighbourError>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let has_rule = self.search.rule.radii.is_some() || self.search.rule.molecules.is_some();
        match (self.between, self.search.list) {
            _ if has_rule => self.cells::<L, RULE>(lanes),
            (true, _) => self.cells::<L, BETWEEN>(lanes),
            (false, PairList::Half) => self.cells::<L, HALF>(lanes),
            (false, PairList::Full) => self.cells::<L, FULL>(lanes),
        }
    }
}

/// What the kernel is compiled for: each pair once, from both sides, of two sets, or by a rule.
const HALF: u8 = 0;
const FULL: u8 = 1;
const BETWEEN: u8 = 2;
const RULE: u8 = 3;

/// The squared cutoff, and how far from it single precision is sure.
struct Limits {
    squared: f32,
    doubt: f32,
}

impl Limits {
    fn new(reach: f64, error: f64) -> Self {
        let reach = reach.max(0.0);
        // A squared distance in single precision is wrong by the errors of its ends and by a few roundings of its own.
        let wrong = 2.0 * reach * error + error * error + 16.0 * f64::from(f32::EPSILON) * (reach + error).powi(2);
        Self { squared: (reach * reach) as f32, doubt: (wrong as f32).next_up() }
    }
}

impl Piece<'_, '_> {
    #[inline(always)]
    fn cells<L: Lanes, const KIND: u8>(&self, lanes: L) -> Result<Pairs, NeighbourError> {
        let limits = Limits::new(self.reach, self.ours.frame.error());
        let keeps_images = self.search.repeat.is_some() && self.search.keep_images;
        let sides = if self.search.list == PairList::Full { 2 } else { 1 };
        let mut pairs = Pairs::for_about(self.expected());
        let frame = &self.ours.frame;
        let mut around =
            Around { runs: Vec::new(), images: vec![Default::default()], cursors: vec![0; frame.rows.len()] };
        let theirs = InSlots::new(self.theirs);
        let is_open = frame.is_open();
        let (mut cell, mut row) = ([0; 3], 0);
        let mut counted = 0;
        for taken in self.cells.clone() {
            if self.search.is_stopped() {
                return Err(NeighbourError::Stopped);
            }
            let (key, begin) = self.ours.taken[taken];
            let end = self.ours.taken[taken + 1].1;
            // Most cells stand in the row of the one before, where no division is needed to know which they are.
            let [nx, _, _] = frame.cells;
            let along = key - row;
            cell = if along < nx as u64 { [along as i32, cell[1], cell[2]] } else { frame.cell_of(key) };
            row = key - cell[0] as u64;
            if is_open {
                self.look_around_in_the_open(cell, &mut around);
            } else {
                self.look_around(cell, &mut around);
            }
            let most: usize = around.runs.iter().map(|run| run.slots.len() + 2 * LANES).sum();
            for slot in begin..end {
                // In a half list a point looks only at what comes after it, and its own cell begins the first run.
                if !self.between {
                    around.runs[0].slots.start = slot + 1;
                }
                let slot = slot as usize;
                let (room, images) = pairs.room(sides * most);
                let is_simple = KIND != RULE && !keeps_images;
                let mut length = None;
                if is_simple {
                    length = self.compare::<L, KIND>(lanes, slot, theirs, &around, &limits, room);
                }
                pairs.length += length.unwrap_or_else(|| {
                    let images = keeps_images.then_some(images);
                    self.compare_carefully::<L, KIND>(lanes, slot, theirs, &around, &limits, room, images)
                });
                self.count(pairs.length, &mut counted, MANY)?;
            }
        }
        self.count(pairs.length, &mut counted, 0)?;
        Ok(pairs)
    }

    /// How many pairs there will be, if cells around a cell have as many points as it: half a ball of them for each of its points.
    fn expected(&self) -> usize {
        let taken = &self.ours.taken[self.cells.start..=self.cells.end];
        let crowds: f64 = taken.windows(2).map(|two| f64::from(two[1].1 - two[0].1).powi(2)).sum();
        let sides = if self.search.list == PairList::Full || self.between { 2.0 } else { 1.0 };
        let volume = self.ours.frame.volume_of_cell();
        let ball = 4.0 / 3.0 * std::f64::consts::PI * self.reach.powi(3);
        // What is never touched takes no memory, and a list that has to grow is copied, which nobody can stop.
        ((sides * 0.55 * crowds * (ball / volume).max(1.0)) as usize).min(self.search.most_pairs).min(MOST_AT_ONCE)
    }

    /// Adds to the pairs of all threads what was found since the last time, once it is more than so many; too many are an error, and so is a
    /// wish to stop.
    #[inline(always)]
    fn count(&self, found: usize, counted: &mut usize, many: usize) -> Result<(), NeighbourError> {
        let more = found - *counted;
        if more <= many {
            return Ok(());
        }
        *counted += more;
        let total = self.total.fetch_add(more, Ordering::Relaxed) + more;
        if total > self.search.most_pairs {
            return Err(NeighbourError::TooManyPairs { most: self.search.most_pairs });
        }
        if self.search.is_stopped() { Err(NeighbourError::Stopped) } else { Ok(()) }
    }

    /// The runs that come within reach of a cell. Within one set these are its own and what comes after.
    #[inline(always)]
    fn look_around_in_the_open(&self, cell: [i32; 3], to: &mut Around) {
        let frame = &self.ours.frame;
        let [nx, ny, nz] = frame.cells;
        to.runs.clear();
        let skipped = if self.between { 0 } else { frame.here };
        for (number, &[y, z, steps]) in frame.rows.iter().enumerate().skip(skipped) {
            let (y, z) = (cell[1] + y, cell[2] + z);
            if y < 0 || y >= ny || z < 0 || z >= nz {
                continue;
            }
            let is_own = !self.between && number == frame.here;
            let first = if is_own { cell[0] } else { (cell[0] - steps).max(0) };
            let (begin, end) = (frame.key([first, y, z]), frame.key([(cell[0] + steps).min(nx - 1), y, z]));
            let slots = self.theirs.slots(begin, end, &mut to.cursors[number]);
            if !slots.is_empty() {
                to.runs.push(Run { slots, image: 0 });
            }
        }
    }

    /// As [`Piece::look_around_in_the_open`], in a box.
    #[inline(never)]
    fn look_around(&self, cell: [i32; 3], to: &mut Around) {
        let frame = &self.ours.frame;
        let [nx, ny, nz] = frame.cells;
        to.runs.clear();
        to.images.truncate(1);
        let skipped = if self.between { 0 } else { frame.here };
        for (number, &[y, z, steps]) in frame.rows.iter().enumerate().skip(skipped) {
            let Some((y, image_y)) = neighbour(cell[1] + y, ny, frame.repeats[1]) else { continue };
            let Some((z, image_z)) = neighbour(cell[2] + z, nz, frame.repeats[2]) else { continue };
            let is_own = !self.between && number == frame.here;
            let (mut from, mut to_x) = (if is_own { cell[0] } else { cell[0] - steps }, cell[0] + steps);
            if !frame.repeats[0] {
                (from, to_x) = (from.max(0), to_x.min(nx - 1));
            }
            let row = frame.key([0, y, z]);
            while from <= to_x {
                let image_x = if frame.repeats[0] { from.div_euclid(nx) } else { 0 };
                let last = to_x.min(image_x * nx + nx - 1);
                let (begin, end) = (row + (from - image_x * nx) as u64, row + (last - image_x * nx) as u64);
                let slots = self.theirs.slots(begin, end, &mut to.cursors[number]);
                if !slots.is_empty() {
                    let image = [image_x, image_y, image_z];
                    if to.images[to.images.len() - 1].0 != image {
                        to.images.push((image, Repeat::shift(&frame.lattice, image).as_vec3().to_array()));
                    }
                    to.runs.push(Run { slots, image: to.images.len() as u32 - 1 });
                }
                from = last + 1;
            }
        }
    }

    /// The pairs of a point; how many they are, if single precision is sure.
    #[inline(always)]
    fn compare<L: Lanes, const KIND: u8>(
        &self,
        lanes: L,
        slot: usize,
        theirs: InSlots<'_>,
        around: &Around,
        limits: &Limits,
        room: &mut [[i32; 2]],
    ) -> Option<usize> {
        let place = per_axis(|axis| lanes.splat(self.ours.axes[axis][slot]));
        let own = lanes.splat_words(self.ours.ids[slot]);
        let squared = lanes.splat(-limits.squared);
        let (mut length, mut surest) = (0u32, lanes.splat(f32::MAX));
        for run in &around.runs {
            let mut here = place;
            if run.image != 0 {
                let (_, shift) = around.images[run.image as usize];
                here = per_axis(|axis| lanes.sub(here[axis], lanes.splat(shift[axis])));
            }
            let (mut at, end) = (run.slots.start, run.slots.end);
            while at + LANES as u32 <= end {
                let (axes, ids) = theirs.eight(at);
                let beyond = beyond(lanes, axes, here, squared);
                surest = lanes.smaller_size(surest, beyond);
                length += list::<L, KIND>(lanes, own, ids, lanes.signs(beyond), room, length);
                at += LANES as u32;
            }
            if at < end {
                let (axes, ids) = theirs.eight(at);
                let beyond = beyond(lanes, axes, here, squared);
                surest = lanes.smaller_size(surest, beyond);
                let within = (1 << (end - at)) - 1;
                length += list::<L, KIND>(lanes, own, ids, lanes.signs(beyond) & within, room, length);
            }
        }
        (lanes.less(surest, lanes.splat(limits.doubt)) == 0).then_some(length as usize)
    }

    /// As [`Piece::compare`], where candidates are confirmed or images are kept.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "a point, what is around it, and where its pairs go")]
    fn compare_carefully<L: Lanes, const KIND: u8>(
        &self,
        lanes: L,
        slot: usize,
        theirs: InSlots<'_>,
        around: &Around,
        limits: &Limits,
        room: &mut [[i32; 2]],
        mut images: Option<&mut Vec<u64>>,
    ) -> usize {
        let own = lanes.splat_words(self.ours.ids[slot]);
        let (sure, possible) = (lanes.splat(-limits.doubt), lanes.splat(limits.doubt));
        let offset = lanes.splat(if KIND == RULE && self.search.rule.radii.is_some() { 0.0 } else { -limits.squared });
        let mut length = 0u32;
        for run in &around.runs {
            let (image, shift) = around.images[run.image as usize];
            let here = per_axis(|axis| lanes.splat(self.ours.axes[axis][slot] - shift[axis]));
            for at in run.slots.clone().step_by(LANES) {
                let (axes, ids) = theirs.eight(at);
                let beyond = beyond(lanes, axes, here, offset);
                let (near, doubtful) = if KIND == RULE {
                    let near = self.possible_by_rule(lanes, slot, at as usize, beyond, possible);
                    (near, near)
                } else {
                    let near = lanes.less(beyond, possible);
                    (near, near & !lanes.less(beyond, sure))
                };
                let within = (1 << (run.slots.end - at).min(LANES as u32)) - 1;
                let mut bits = near & within;
                if doubtful & within != 0 {
                    bits = bits & !doubtful | self.confirmed(slot, at as usize, doubtful & within, image);
                }
                length += if KIND == RULE && self.search.list == PairList::Full {
                    list::<L, FULL>(lanes, own, ids, bits, room, length)
                } else {
                    list::<L, KIND>(lanes, own, ids, bits, room, length)
                };
                if let Some(images) = &mut images
                    && bits != 0
                {
                    self.keep_images::<KIND>(slot, at as usize, bits, image, images);
                }
            }
        }
        length as usize
    }

    /// Which of eight candidates may be a pair by their radii, or by the cutoff if there are none.
    #[inline(always)]
    fn possible_by_rule<L: Lanes>(
        &self,
        lanes: L,
        slot: usize,
        at: usize,
        squared: L::Floats,
        possible: L::Floats,
    ) -> u32 {
        let Some(radii) = self.radii else { return lanes.less(squared, possible) };
        // Radii are exact, sums of them are rounded.
        let error = 2.0 * self.ours.frame.error() as f32;
        let slack = error + 8.0 * f32::EPSILON * (2.0 * radii[slot] + self.reach as f32);
        let own = radii[slot] - self.search.rule.allow as f32 + slack;
        let reach = lanes.add(lanes.load(radii[at..].first_chunk().unwrap_or(&[0.0; LANES])), lanes.splat(own));
        let reach = lanes.where_less(lanes.splat(0.0), reach, reach);
        lanes.less(squared, lanes.mul_add(reach, reach, lanes.splat(f32::MIN_POSITIVE)))
    }

    /// Of some candidates those that are pairs, measured in double precision.
    #[inline(never)]
    fn confirmed(&self, slot: usize, at: usize, candidates: u32, image: [i32; 3]) -> u32 {
        let rule = &self.search.rule;
        let is_pair = |lane: &usize| {
            let (first, second) = (self.ours.ids[slot] as usize, self.theirs.ids[at + lane] as usize);
            if rule.molecules.is_some_and(|molecules| molecules[first] == molecules[second]) {
                return false;
            }
            let squared = self.vector(slot, at + lane, image).length_squared();
            match rule.radii {
                Some(radii) => {
                    let reach = f64::from(radii[first]) + f64::from(radii[second]) - rule.allow;
                    reach > 0.0 && squared < reach * reach
                }
                None => squared <= self.reach * self.reach,
            }
        };
        let lanes = (0..LANES).filter(|lane| candidates >> lane & 1 == 1);
        lanes.filter(is_pair).fold(0, |bits, lane| bits | 1 << lane)
    }

    /// From a point to a candidate, in double precision.
    fn vector(&self, ours: usize, theirs: usize, image: [i32; 3]) -> DVec3 {
        let (first, second) = (self.ours.ids[ours] as usize, self.theirs.ids[theirs] as usize);
        let lattice = self.search.repeat.as_ref().map(|_| &self.ours.frame.lattice);
        let image = self.image(ours, theirs, image);
        super::found::vector(self.first.at(first), self.second.at(second), lattice, image)
    }

    /// Which image of the point itself a candidate is, seen from a point where that is.
    fn image(&self, ours: usize, theirs: usize, image: [i32; 3]) -> [i32; 3] {
        if self.search.repeat.is_none() {
            return [0; 3];
        }
        let (from, to) = (self.ours.boxes[ours], self.theirs.boxes[theirs]);
        [0, 1, 2].map(|axis| image[axis] - to[axis] + from[axis])
    }

    /// Remembers the images of pairs as they are listed: seen from the smaller number, and of a point with itself the one that comes after.
    fn keep_images<const KIND: u8>(&self, slot: usize, at: usize, bits: u32, image: [i32; 3], images: &mut Vec<u64>) {
        let begin = images.len();
        for theirs in (0..LANES).filter(|lane| bits >> lane & 1 == 1).map(|lane| at + lane) {
            let image = self.image(slot, theirs, image);
            let (first, second) = (self.ours.ids[slot], self.theirs.ids[theirs]);
            let turns = KIND != BETWEEN && (second, image) < (first, [0; 3]);
            images.push(pack_image(if turns { image.map(|along| -along) } else { image }));
        }
        if KIND != BETWEEN && self.search.list == PairList::Full {
            for index in begin..images.len() {
                images.push(pack_image(unpack_image(images[index]).map(|along| -along)));
            }
        }
    }
}

/// The squared distances of eight points from one, and an offset.
#[inline(always)]
fn beyond<L: Lanes>(lanes: L, [x, y, z]: [&Eight; 3], here: [L::Floats; 3], offset: L::Floats) -> L::Floats {
    let dx = lanes.sub(here[0], lanes.load(x));
    let dy = lanes.sub(here[1], lanes.load(y));
    let dz = lanes.sub(here[2], lanes.load(z));
    lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul_add(dx, dx, offset)))
}

/// Puts the pairs of a point with some of eight others where there is room for eight from either side; how many they are.
#[inline(always)]
fn list<L: Lanes, const KIND: u8>(
    lanes: L,
    own: L::Words,
    ids: &[u32; LANES],
    bits: u32,
    room: &mut [[i32; 2]],
    at: u32,
) -> u32 {
    let packed = lanes.pack_words(lanes.load_words(ids), bits);
    let [low, high] = if KIND == BETWEEN { [own, packed] } else { lanes.sorted_words(own, packed) };
    let count = bits.count_ones();
    put(room, at, lanes.interleave(low, high));
    if KIND == FULL {
        put(room, at + count, lanes.interleave(high, low));
        return 2 * count;
    }
    count
}

/// Eight pairs.
#[inline(always)]
fn put(room: &mut [[i32; 2]], at: u32, pairs: [[u32; LANES]; 2]) {
    let at = at as usize;
    bytemuck::cast_slice_mut::<_, [u32; LANES]>(&mut room[at..at + LANES]).copy_from_slice(&pairs);
}

/// Which cell stands there, and in which image of the box.
#[inline(always)]
fn neighbour(at: i32, cells: i32, repeats: bool) -> Option<(i32, i32)> {
    if repeats {
        let image = at.div_euclid(cells);
        return Some((at - image * cells, image));
    }
    (0..cells).contains(&at).then_some((at, 0))
}
