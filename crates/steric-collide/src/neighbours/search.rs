//! The search itself: the points of one cell against their candidates, eight at a time.
//!
//! How it works: a candidate is a point, or an image of one, that comes near the bounds of the points of the cell. Its word is
//! twice its number, and one more if it is an image; so one comparison of words says which pairs are listed where. Two limits
//! stand around the cutoff: below the lower one single precision is sure of a pair, above the upper one of none, and what lies
//! between is measured again.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_model::LANES;

use super::bins::{Bins, FEW};
use super::found::FoundNeighbours;
use super::rows::{Rows, SHORT, pack_image, ranks};
use super::{NeighbourError, NeighbourSearch, PairList, Points, Repeat};
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// Points that one thread searches before it takes the next ones.
const PIECE: u32 = 4_096;
/// Pairs between two looks at how many there are.
const MANY: usize = 1 << 16;

pub(super) fn find<'a>(
    search: &NeighbourSearch<'a>,
    reach: f64,
    first: Points<'a>,
    ours: &Bins,
    second: Points<'a>,
    theirs: &Bins,
    between: bool,
) -> Result<FoundNeighbours<'a>, NeighbourError> {
    find_with(search, reach, first, ours, second, theirs, between, Vec::new())
}

/// As [`find`], in the memory of rows that nobody needs any more.
#[expect(clippy::too_many_arguments, reason = "two sets of points, each with its cells")]
pub(super) fn find_with<'a>(
    search: &NeighbourSearch<'a>,
    reach: f64,
    first: Points<'a>,
    ours: &Bins,
    second: Points<'a>,
    theirs: &Bins,
    between: bool,
    mut spare: Vec<Rows>,
) -> Result<FoundNeighbours<'a>, NeighbourError> {
    let pieces = pieces(&ours.taken);
    spare.resize_with(pieces.len(), Rows::default);
    let total = AtomicUsize::new(0);
    let work = |(cells, mut rows): (std::ops::Range<usize>, Rows)| {
        rows.reset(ours.taken[cells.start].1 as usize);
        let mut piece =
            Piece { search, reach, first, ours, second, theirs, between, cells, rows: &mut rows, total: &total };
        dispatch(&mut piece)?;
        Ok(rows)
    };
    let rows: Result<Vec<Rows>, NeighbourError> = if first.len() < FEW {
        pieces.into_iter().zip(spare).map(work).collect()
    } else {
        pieces.into_par_iter().zip(spare).map(work).collect()
    };
    let lattice = search.repeat.map(|repeat| repeat.periodic_box.vectors());
    Ok(FoundNeighbours::new(first, second, lattice, rows?, &ours.ids))
}

/// Runs of cells with about as many points each.
fn pieces(taken: &[(u64, u32)]) -> Vec<std::ops::Range<usize>> {
    let (mut pieces, mut begin) = (Vec::new(), 0);
    for end in 1..taken.len() {
        if taken[end].1 - taken[begin].1 >= PIECE || end == taken.len() - 1 {
            pieces.push(begin..end);
            begin = end;
        }
    }
    pieces
}

/// Some cells, and where their rows go.
struct Piece<'a, 'b> {
    search: &'b NeighbourSearch<'a>,
    reach: f64,
    first: Points<'a>,
    ours: &'b Bins,
    second: Points<'a>,
    theirs: &'b Bins,
    between: bool,
    cells: std::ops::Range<usize>,
    rows: &'b mut Rows,
    total: &'b AtomicUsize,
}

/// The candidates of one cell, side by side; what stands behind the last one is no number.
#[derive(Default)]
struct Candidates {
    x: Vec<Eight>,
    y: Vec<Eight>,
    z: Vec<Eight>,
    words: Vec<[u32; LANES]>,
    slots: Vec<[u32; LANES]>,
    radii: Vec<Eight>,
    molecules: Vec<i64>,
    length: usize,
    /// Where the cells of each row around the last cell were found.
    cursors: Vec<usize>,
    /// Where candidates of another image begin, and which it is.
    images: Vec<(usize, [i32; 3])>,
}

impl Candidates {
    /// Room for so many more and a register beyond.
    fn reserve(&mut self, more: usize) {
        let blocks = (self.length + more).div_ceil(LANES) + 2;
        if self.x.len() < blocks {
            let blocks = blocks.next_power_of_two();
            for axis in [&mut self.x, &mut self.y, &mut self.z] {
                axis.resize(blocks, [f32::NAN; LANES]);
            }
            self.words.resize(blocks, [0; LANES]);
            self.slots.resize(blocks, [0; LANES]);
        }
    }

    fn image(&self, candidate: usize) -> [i32; 3] {
        let after = self.images.partition_point(|&(begin, _)| begin <= candidate);
        self.images[after - 1].1
    }
}

/// Eight of a slice from anywhere on.
#[inline(always)]
fn eight_at<T: Copy>(slice: &[T], at: usize) -> &[T; LANES] {
    slice[at..].first_chunk().unwrap_or_else(|| unreachable!("a register beyond the last"))
}

#[inline(always)]
fn put<T: Copy>(blocks: &mut [[T; LANES]], at: usize, eight: [T; LANES]) {
    blocks.as_flattened_mut()[at..at + LANES].copy_from_slice(&eight);
}

impl Kernel for &mut Piece<'_, '_> {
    type Output = Result<(), NeighbourError>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        let mut candidates = Candidates::default();
        let mut scratch = Scratch::default();
        let limits = Limits::new(self.reach, self.ours.frame.error());
        let mut counted = 0;
        for taken in self.cells.clone() {
            if self.search.is_stopped() {
                return Err(NeighbourError::Stopped);
            }
            let (key, begin) = self.ours.taken[taken];
            let slots = begin as usize..self.ours.taken[taken + 1].1 as usize;
            self.gather(lanes, self.ours.frame.cell_of(key), slots.clone(), &limits, &mut candidates);
            for slot in slots {
                let length = if self.search.rule.radii.is_some() || self.search.rule.molecules.is_some() {
                    self.compare_by_rule(slot, &candidates, &mut scratch)
                } else if self.search.list == PairList::Half && !self.between {
                    self.compare::<L, true>(lanes, slot, &limits, &candidates, &mut scratch)
                } else {
                    self.compare::<L, false>(lanes, slot, &limits, &candidates, &mut scratch)
                };
                self.keep(lanes, slot, length, &candidates, &mut scratch);
                self.count(&mut counted, MANY)?;
            }
        }
        self.count(&mut counted, 0)
    }
}

/// Squared distances around the cutoff.
struct Limits {
    sure: f32,
    possible: f32,
    /// For candidates against the bounds of a cell.
    near: f32,
}

impl Limits {
    fn new(reach: f64, error: f64) -> Self {
        let reach = reach.max(0.0);
        // A squared distance in single precision is wrong by the errors of its ends and by a few roundings of its own.
        let wrong = 2.0 * reach * error + error * error + 16.0 * f64::from(f32::EPSILON) * (reach + error).powi(2);
        let squared = reach * reach;
        Self {
            sure: ((squared - wrong) as f32).next_down(),
            possible: ((squared + wrong) as f32).next_up(),
            near: ((squared + 2.0 * wrong) as f32).next_up(),
        }
    }
}

/// What one point found.
#[derive(Default)]
struct Scratch {
    words: Vec<u32>,
    /// Which candidates they are, where images are kept.
    which: Vec<u32>,
    ranks: Vec<[u32; LANES]>,
    order: Vec<(u64, u64)>,
}

impl Piece<'_, '_> {
    /// Adds to the pairs of all threads what was found since the last time, once it is more than so many; too many are an error, and so is a
    /// wish to stop.
    #[inline(always)]
    fn count(&self, counted: &mut usize, many: usize) -> Result<(), NeighbourError> {
        let more = self.rows.found.len() - *counted;
        if more <= many {
            return Ok(());
        }
        *counted += more;
        let total = self.total.fetch_add(more, Ordering::Relaxed) + more;
        if total > self.search.most_pairs || self.rows.found.len() > u32::MAX as usize / 2 {
            return Err(NeighbourError::TooManyPairs { most: self.search.most_pairs.min(total) });
        }
        if self.search.is_stopped() { Err(NeighbourError::Stopped) } else { Ok(()) }
    }

    /// Collects what comes near the points of a cell.
    #[inline(always)]
    fn gather<L: Lanes>(
        &self,
        lanes: L,
        cell: [i32; 3],
        slots: std::ops::Range<usize>,
        limits: &Limits,
        to: &mut Candidates,
    ) {
        let frame = &self.ours.frame;
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for axis in 0..3 {
            for &along in &self.ours.axes[axis][slots.clone()] {
                low[axis] = low[axis].min(along);
                high[axis] = high[axis].max(along);
            }
        }
        to.length = 0;
        to.images.clear();
        let [nx, ny, nz] = frame.cells;
        to.cursors.resize(frame.rows.len(), 0);
        for (number, &[y, z, steps]) in frame.rows.iter().enumerate() {
            let Some((y, image_y)) = neighbour(cell[1] + y, ny, frame.repeats[1]) else { continue };
            let Some((z, image_z)) = neighbour(cell[2] + z, nz, frame.repeats[2]) else { continue };
            let (mut from, mut to_x) = (cell[0] - steps, cell[0] + steps);
            if !frame.repeats[0] {
                (from, to_x) = (from.max(0), to_x.min(nx - 1));
            }
            let row = frame.key([0, y, z]);
            while from <= to_x {
                let image_x = if frame.repeats[0] { from.div_euclid(nx) } else { 0 };
                let last = to_x.min(image_x * nx + nx - 1);
                let (begin, end) = (row + (from - image_x * nx) as u64, row + (last - image_x * nx) as u64);
                let image = [image_x, image_y, image_z];
                let slots = self.theirs.slots(begin, end, &mut to.cursors[number]);
                self.gather_run(lanes, slots, image, [low, high], limits, to);
                from = last + 1;
            }
        }
        to.reserve(LANES);
        let [x, y, z] = [&mut to.x, &mut to.y, &mut to.z].map(|axis| axis.as_flattened_mut());
        for axis in [x, y, z] {
            axis[to.length..to.length.next_multiple_of(LANES)].fill(f32::NAN);
        }
        if let Some(molecules) = self.search.rule.molecules {
            to.molecules.clear();
            let words = &to.words.as_flattened()[..to.length];
            to.molecules.extend(words.iter().map(|&word| molecules[(word >> 1) as usize]));
        }
        if let Some(radii) = self.search.rule.radii {
            to.radii.resize(to.x.len(), [0.0; LANES]);
            let flat = to.radii.as_flattened_mut();
            for (radius, &word) in flat.iter_mut().zip(&to.words.as_flattened()[..to.length]) {
                *radius = radii[(word >> 1) as usize];
            }
        }
    }

    #[inline(always)]
    fn gather_run<L: Lanes>(
        &self,
        lanes: L,
        slots: std::ops::Range<usize>,
        image: [i32; 3],
        bounds: [[f32; 3]; 2],
        limits: &Limits,
        to: &mut Candidates,
    ) {
        if slots.is_empty() {
            return;
        }
        to.reserve(slots.len() + LANES);
        if to.images.last().is_none_or(|&(_, last)| last != image) {
            to.images.push((to.length, image));
        }
        let is_image = image != [0; 3];
        // Between two sets no pair is one of a point with itself, and in a half list an image that is listed comes after.
        let flag = match (self.between, self.search.list) {
            (true, _) => 1,
            (false, PairList::Full) => u32::from(is_image),
            (false, PairList::Half) => u32::from(image > [0; 3]),
        };
        let flags = lanes.splat_words(flag);
        let shift: Vec3 = if is_image { Repeat::shift(&self.ours.frame.lattice, image).as_vec3() } else { Vec3::ZERO };
        let shifts = per_axis(|axis| lanes.splat(shift[axis]));
        let [lows, highs] =
            [per_axis(|axis| lanes.splat(bounds[0][axis])), per_axis(|axis| lanes.splat(bounds[1][axis]))];
        let (zero, near) = (lanes.splat(0.0), lanes.splat(limits.near));
        let iota = lanes.load_words(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut at = slots.start;
        while at < slots.end {
            let left = slots.end - at;
            let place = per_axis(|axis| lanes.add(lanes.load(eight_at(&self.theirs.axes[axis], at)), shifts[axis]));
            let mut squared = zero;
            for axis in 0..3 {
                let (below, above) = (lanes.sub(lows[axis], place[axis]), lanes.sub(place[axis], highs[axis]));
                // At most one of the two is positive.
                let outside = lanes.add(lanes.where_less(zero, below, below), lanes.where_less(zero, above, above));
                squared = lanes.mul_add(outside, outside, squared);
            }
            let mut bits = lanes.less(squared, near);
            if left < LANES {
                bits &= (1 << left) - 1;
            }
            let ids = lanes.load_words(&ids_at(&self.theirs.ids, at));
            let words = lanes.add_words(lanes.add_words(ids, ids), flags);
            let slot = lanes.add_words(lanes.splat_words(at as u32), iota);
            put(&mut to.x, to.length, lanes.store(lanes.pack(place[0], bits)));
            put(&mut to.y, to.length, lanes.store(lanes.pack(place[1], bits)));
            put(&mut to.z, to.length, lanes.store(lanes.pack(place[2], bits)));
            put(&mut to.words, to.length, lanes.store_words(lanes.pack_words(words, bits)));
            put(&mut to.slots, to.length, lanes.store_words(lanes.pack_words(slot, bits)));
            to.length += bits.count_ones() as usize;
            at += LANES;
        }
    }

    /// The candidates within the cutoff of a point, by their words; how many there are.
    #[inline(always)]
    fn compare<L: Lanes, const HALF: bool>(
        &self,
        lanes: L,
        slot: usize,
        limits: &Limits,
        candidates: &Candidates,
        scratch: &mut Scratch,
    ) -> usize {
        let blocks = candidates.length.div_ceil(LANES);
        grow(scratch, blocks);
        let here = per_axis(|axis| lanes.splat(self.ours.axes[axis][slot]));
        let word = 2 * self.ours.ids[slot];
        let own = lanes.splat_words(word);
        let (sure, possible) = (lanes.splat(limits.sure), lanes.splat(limits.possible));
        let iota = lanes.load_words(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut length = 0;
        let all = candidates.x[..blocks].iter().zip(&candidates.y).zip(&candidates.z).zip(&candidates.words);
        for (block, (((x, y), z), words)) in all.enumerate() {
            let dx = lanes.sub(lanes.load(x), here[0]);
            let dy = lanes.sub(lanes.load(y), here[1]);
            let dz = lanes.sub(lanes.load(z), here[2]);
            let squared = lanes.mul_add(dz, dz, lanes.mul_add(dy, dy, lanes.mul(dx, dx)));
            let words = lanes.load_words(words);
            let counts = if HALF {
                lanes.bits(lanes.greater_words(words, own))
            } else if self.between {
                0xff
            } else {
                !lanes.equal_words(words, own)
            };
            let mut bits = lanes.less(squared, possible) & counts;
            let doubtful = bits & !lanes.less(squared, sure);
            if doubtful != 0 {
                bits ^= self.refuted(slot, block, doubtful, candidates);
            }
            scratch.words[length..length + LANES].copy_from_slice(&lanes.store_words(lanes.pack_words(words, bits)));
            if self.search.keep_images && self.search.repeat.is_some() {
                let which = lanes.add_words(lanes.splat_words((block * LANES) as u32), iota);
                let which = lanes.store_words(lanes.pack_words(which, bits));
                scratch.which[length..length + LANES].copy_from_slice(&which);
            }
            length += bits.count_ones() as usize;
        }
        length
    }

    /// Of some candidates those that are farther than the cutoff after all.
    #[cold]
    #[inline(never)]
    fn refuted(&self, slot: usize, block: usize, doubtful: u32, candidates: &Candidates) -> u32 {
        let is_farther = |lane: &usize| {
            let vector = self.vector(slot, block * LANES + lane, candidates);
            vector.length_squared() > self.reach * self.reach
        };
        let lanes = (0..LANES).filter(|lane| doubtful >> lane & 1 == 1);
        lanes.filter(is_farther).fold(0, |bits, lane| bits | 1 << lane)
    }

    /// As [`Piece::compare`], where pairs have radii or molecules: simple, because a pair has four conditions.
    #[inline(always)]
    fn compare_by_rule(&self, slot: usize, candidates: &Candidates, scratch: &mut Scratch) -> usize {
        let rule = &self.search.rule;
        let blocks = candidates.length.div_ceil(LANES);
        grow(scratch, blocks);
        let id = self.ours.ids[slot] as usize;
        let here = per_axis(|axis| self.ours.axes[axis][slot]);
        let molecule = rule.molecules.map(|molecules| molecules[id]);
        let (own, half) = (2 * id as u32, self.search.list == PairList::Half);
        let error = self.ours.frame.error() as f32;
        let slack = |reach: f32| 2.0 * error + 2e-6 * reach.abs();
        let mut length = 0;
        for block in 0..blocks {
            let (x, y, z) = (&candidates.x[block], &candidates.y[block], &candidates.z[block]);
            let mut near = [false; LANES];
            match rule.radii {
                Some(radii) => {
                    let own = radii[id] - rule.allow as f32;
                    let theirs = &candidates.radii[block];
                    for lane in 0..LANES {
                        let apart = [x[lane] - here[0], y[lane] - here[1], z[lane] - here[2]];
                        let squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
                        let reach = theirs[lane] + own;
                        let reach = (reach + slack(reach.abs() + radii[id])).max(0.0);
                        near[lane] = squared <= reach * reach;
                    }
                }
                None => {
                    let reach = self.reach as f32 + slack(self.reach as f32);
                    for lane in 0..LANES {
                        let apart = [x[lane] - here[0], y[lane] - here[1], z[lane] - here[2]];
                        near[lane] = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] <= reach * reach;
                    }
                }
            }
            if near == [false; LANES] {
                continue;
            }
            for lane in (0..LANES).filter(|&lane| near[lane]) {
                let candidate = block * LANES + lane;
                let word = candidates.words[block][lane];
                let is_listed = if half { word > own } else { word != own };
                let apart = molecule.is_none_or(|molecule| candidates.molecules[candidate] != molecule);
                if is_listed && apart && self.is_pair(slot, id, word, candidate, candidates) {
                    scratch.words[length] = word;
                    scratch.which[length] = candidate as u32;
                    length += 1;
                }
            }
        }
        length
    }

    #[inline(never)]
    fn is_pair(&self, slot: usize, id: usize, word: u32, candidate: usize, candidates: &Candidates) -> bool {
        let squared = self.vector(slot, candidate, candidates).length_squared();
        match self.search.rule.radii {
            Some(radii) => {
                let reach = f64::from(radii[id]) + f64::from(radii[(word >> 1) as usize]) - self.search.rule.allow;
                reach > 0.0 && squared < reach * reach
            }
            None => squared <= self.reach * self.reach,
        }
    }

    /// From a point to a candidate, in double precision.
    fn vector(&self, slot: usize, candidate: usize, candidates: &Candidates) -> DVec3 {
        let (first, second) = (self.ours.ids[slot], candidates.words.as_flattened()[candidate] >> 1);
        let image = self.image(slot, candidate, candidates);
        let lattice = self.search.repeat.as_ref().map(|_| &self.ours.frame.lattice);
        super::found::vector(self.first.at(first as usize), self.second.at(second as usize), lattice, image)
    }

    /// Which image of the point itself a candidate is, seen from a point where that is.
    fn image(&self, slot: usize, candidate: usize, candidates: &Candidates) -> [i32; 3] {
        if self.search.repeat.is_none() {
            return [0; 3];
        }
        let image = candidates.image(candidate);
        let theirs = candidates.slots.as_flattened()[candidate] as usize;
        let (from, to) = (self.ours.boxes[slot], self.theirs.boxes[theirs]);
        [0, 1, 2].map(|axis| image[axis] - to[axis] + from[axis])
    }

    /// Puts what a point found in order, behind what was kept before.
    #[inline(always)]
    fn keep<L: Lanes>(&mut self, lanes: L, slot: usize, length: usize, candidates: &Candidates, scratch: &mut Scratch) {
        let begin = self.rows.found.len();
        let with_images = self.search.keep_images && self.search.repeat.is_some();
        if length > SHORT || self.ours.frame.has_several_images {
            scratch.order.clear();
            for index in 0..length {
                let image = if with_images {
                    pack_image(self.image(slot, scratch.which[index] as usize, candidates))
                } else {
                    0
                };
                scratch.order.push((u64::from(scratch.words[index] >> 1), image));
            }
            scratch.order.sort_unstable();
            self.rows.found.extend(scratch.order.iter().map(|&(id, _)| id as u32));
            if with_images {
                self.rows.images.extend(scratch.order.iter().map(|&(_, image)| image));
            }
        } else {
            ranks(lanes, &mut scratch.words, length, &mut scratch.ranks);
            self.rows.found.resize(begin + length, 0);
            let ranks = &scratch.ranks.as_flattened()[..length];
            let row = &mut self.rows.found[begin..];
            for (&word, &rank) in scratch.words[..length].iter().zip(ranks) {
                row[rank as usize] = word >> 1;
            }
            if with_images {
                self.rows.images.resize(begin + length, 0);
                for index in 0..length {
                    let image = self.image(slot, scratch.which[index] as usize, candidates);
                    self.rows.images[begin + scratch.ranks.as_flattened()[index] as usize] = pack_image(image);
                }
            }
        }
        self.rows.ends.push(self.rows.found.len() as u32);
    }
}

fn grow(scratch: &mut Scratch, blocks: usize) {
    if scratch.ranks.len() < blocks + 2 {
        let blocks = (blocks + 2).next_power_of_two();
        scratch.words.resize(blocks * LANES, 0);
        scratch.which.resize(blocks * LANES, 0);
        scratch.ranks.resize(blocks, [0; LANES]);
    }
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

/// Eight numbers from a slot on; behind the last slot any.
#[inline(always)]
fn ids_at(ids: &[u32], at: usize) -> [u32; LANES] {
    match ids[at..].first_chunk() {
        Some(eight) => *eight,
        None => std::array::from_fn(|lane| ids.get(at + lane).copied().unwrap_or(0)),
    }
}
