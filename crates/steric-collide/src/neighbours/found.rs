//! What was found, and how it becomes arrays.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::Points;
use super::bins::FEW;
use crate::memory;

/// Pairs side by side, with their images where those are kept.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Pairs, and behind them zeros.
    room: Vec<[i32; 2]>,
    pub(super) length: usize,
    /// Which image of the second, packed.
    pub(super) images: Vec<u64>,
}

impl Pairs {
    pub(super) fn new(pairs: Vec<[i32; 2]>, images: Vec<u64>) -> Self {
        Self { length: pairs.len(), room: pairs, images }
    }

    /// Room for about so many; what is not needed takes no memory.
    pub(super) fn for_about(pairs: usize) -> Self {
        Self { room: memory::zeros_or_none(pairs), length: 0, images: Vec::new() }
    }

    /// Room for so many pairs more, and their images.
    #[inline(always)]
    pub(super) fn room(&mut self, more: usize) -> (&mut [[i32; 2]], &mut Vec<u64>) {
        if self.length + more > self.room.len() {
            self.grow(more);
        }
        (&mut self.room[self.length..], &mut self.images)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let mut room = memory::zeros((2 * self.room.len()).max(self.length + more));
        room[..self.length].copy_from_slice(&self.room[..self.length]);
        self.room = room;
    }

    /// One after the other.
    pub(super) fn joined(mut parts: Vec<Self>) -> Self {
        if parts.len() < 2 {
            return parts.pop().unwrap_or_default();
        }
        let length = parts.iter().map(|part| part.length).sum();
        let mut pairs: Vec<[i32; 2]> = memory::zeros(length);
        let mut rest = pairs.as_mut_slice();
        let mut places = Vec::new();
        for part in &parts {
            places.push(rest.split_off_mut(..part.length).unwrap_or_default());
        }
        parts.par_iter_mut().zip(places).for_each(|(part, place)| {
            place.copy_from_slice(&part.room[..part.length]);
            part.room = Vec::new();
        });
        let images = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.images)).collect();
        Self { room: pairs, length, images }
    }

    fn into_vectors(mut self) -> (Vec<[i32; 2]>, Vec<u64>) {
        self.room.truncate(self.length);
        (self.room, self.images)
    }
}

/// The pairs of a search: in the order of cells, or sorted by the first and then the second point, if the search asked for that. Their
/// order is the same for any number of threads.
#[derive(Debug)]
pub struct FoundNeighbours<'a> {
    first: Points<'a>,
    second: Points<'a>,
    lattice: Option<DMat3>,
    pairs: Vec<[i32; 2]>,
    images: Vec<u64>,
}

/// Where results are written: each array has an element for each pair, or is not there.
#[derive(Debug, Default)]
pub struct NeighbourArrays<'b, T> {
    /// How far apart they are, in angstroms.
    pub distances: Option<&'b mut [T]>,
    /// From the first to the nearest-by image of the second, in angstroms.
    pub vectors: Option<&'b mut [[T; 3]]>,
    /// Which image of the second: by how many vectors of the box it is shifted.
    pub shifts: Option<&'b mut [[i32; 3]]>,
}

/// From a point to an image of another.
#[inline(always)]
pub(super) fn vector(from: DVec3, to: DVec3, lattice: Option<&DMat3>, image: [i32; 3]) -> DVec3 {
    match lattice {
        Some(lattice) if image != [0; 3] => {
            to + *lattice * DVec3::new(f64::from(image[0]), f64::from(image[1]), f64::from(image[2])) - from
        }
        _ => to - from,
    }
}

impl<'a> FoundNeighbours<'a> {
    pub(super) fn none(first: Points<'a>, second: Points<'a>) -> Self {
        Self { first, second, lattice: None, pairs: Vec::new(), images: Vec::new() }
    }

    pub(super) fn new(
        first: Points<'a>,
        second: Points<'a>,
        lattice: Option<DMat3>,
        pairs: Pairs,
        sorted: bool,
    ) -> Self {
        let (mut pairs, mut images) = pairs.into_vectors();
        if sorted {
            sort(&mut pairs, &mut images, first.len());
        }
        Self { first, second, lattice, pairs, images }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The numbers of both points of every pair.
    pub fn pairs(&self) -> &[[i32; 2]] {
        &self.pairs
    }

    /// The numbers of both points of every pair, to keep.
    pub fn into_pairs(self) -> Vec<[i32; 2]> {
        self.pairs
    }

    /// Fills arrays of [`FoundNeighbours::len`] elements.
    ///
    /// ```
    /// use steric_collide::{NeighbourArrays, NeighbourSearch, Points};
    ///
    /// let points = [[0.0f32, 0.0, 0.0], [3.0, 4.0, 0.0]];
    /// let found = NeighbourSearch::within(6.0).find(Points::Single(&points))?;
    /// let mut distances = vec![0.0; found.len()];
    /// found.write(NeighbourArrays { distances: Some(&mut distances), ..NeighbourArrays::default() });
    /// assert_eq!(distances, [5.0]);
    /// # Ok::<(), steric_collide::NeighbourError>(())
    /// ```
    pub fn write<T: From32or64>(&self, arrays: NeighbourArrays<'_, T>) {
        let parts = self.parts(arrays);
        if self.len() < FEW {
            parts.into_iter().for_each(|part| self.write_part(part));
        } else {
            parts.into_par_iter().for_each(|part| self.write_part(part));
        }
    }

    /// How deep the spheres of every pair overlap, by a radius for each point: the sum of radii minus the distance.
    pub fn depths(&self, radii: &[f32], to: &mut [f64]) {
        self.write(NeighbourArrays { distances: Some(to), ..NeighbourArrays::default() });
        for (depth, pair) in to.iter_mut().zip(&self.pairs) {
            let [first, second] = pair.map(|point| f64::from(radii[point as usize]));
            *depth = first + second - *depth;
        }
    }

    /// Cuts all arrays into parts of some thousand pairs.
    fn parts<'b, T>(&self, mut arrays: NeighbourArrays<'b, T>) -> Vec<Part<'b, T>> {
        let mut parts = Vec::new();
        let mut begin = 0;
        while begin < self.len() {
            let length = (8 * FEW).min(self.len() - begin);
            let arrays = NeighbourArrays {
                distances: cut(&mut arrays.distances, length),
                vectors: cut(&mut arrays.vectors, length),
                shifts: cut(&mut arrays.shifts, length),
            };
            parts.push(Part { pairs: begin..begin + length, arrays });
            begin += length;
        }
        parts
    }

    fn write_part<T: From32or64>(&self, part: Part<'_, T>) {
        let NeighbourArrays { mut distances, mut vectors, mut shifts } = part.arrays;
        for (index, pair) in part.pairs.clone().enumerate() {
            let image = self.images.get(pair).map_or([0; 3], |&packed| unpack_image(packed));
            let [first, second] = self.pairs[pair].map(|point| point as usize);
            let vector = vector(self.first.at(first), self.second.at(second), self.lattice.as_ref(), image);
            if let Some(distances) = &mut distances {
                distances[index] = T::from_f64(vector.length());
            }
            if let Some(vectors) = &mut vectors {
                vectors[index] = vector.to_array().map(T::from_f64);
            }
            if let Some(shifts) = &mut shifts {
                shifts[index] = image;
            }
        }
    }
}

/// The arrays of some pairs.
struct Part<'b, T> {
    pairs: std::ops::Range<usize>,
    arrays: NeighbourArrays<'b, T>,
}

fn cut<'b, T>(array: &mut Option<&'b mut [T]>, length: usize) -> Option<&'b mut [T]> {
    let (head, rest) = array.take()?.split_at_mut(length);
    *array = Some(rest);
    Some(head)
}

/// Sorts pairs by the first point, the second and the image.
///
/// How it works: without images pairs are counted out to rows, one for each point, and each row is sorted.
fn sort(pairs: &mut Vec<[i32; 2]>, images: &mut Vec<u64>, points: usize) {
    let is_short = pairs.len() < FEW;
    if !images.is_empty() {
        let mut both: Vec<([i32; 2], u64)> = pairs.iter().copied().zip(images.iter().copied()).collect();
        if is_short {
            both.sort_unstable()
        } else {
            both.par_sort_unstable()
        }
        (*pairs, *images) = both.into_iter().unzip();
        return;
    }
    if is_short {
        return pairs.sort_unstable();
    }
    let mut starts = vec![0usize; points + 1];
    for pair in pairs.iter() {
        starts[pair[0] as usize + 1] += 1;
    }
    for point in 1..starts.len() {
        starts[point] += starts[point - 1];
    }
    let mut seconds: Vec<i32> = memory::zeros(pairs.len());
    for &[first, second] in pairs.iter() {
        let place = &mut starts[first as usize];
        seconds[*place] = second;
        *place += 1;
    }
    // What were starts are ends by now.
    sort_rows(0, &starts[..points], 0, &mut seconds, pairs);
}

/// Sorts the rows of some points, by where each ends, and lists their pairs.
fn sort_rows(first: usize, ends: &[usize], begin: usize, seconds: &mut [i32], pairs: &mut [[i32; 2]]) {
    if ends.len() > FEW {
        let half = ends.len() / 2;
        let middle = ends[half - 1];
        let (left, right) = seconds.split_at_mut(middle - begin);
        let (pairs, more) = pairs.split_at_mut(middle - begin);
        rayon::join(
            || sort_rows(first, &ends[..half], begin, left, pairs),
            || sort_rows(first + half, &ends[half..], middle, right, more),
        );
        return;
    }
    let mut from = 0;
    for (point, &end) in ends.iter().enumerate() {
        let row = &mut seconds[from..end - begin];
        row.sort_unstable();
        for (pair, &second) in pairs[from..].iter_mut().zip(row.iter()) {
            *pair = [(first + point) as i32, second];
        }
        from = end - begin;
    }
}

/// Twenty-one bits for each number of boxes, in the order of their sizes.
pub(super) fn pack_image(image: [i32; 3]) -> u64 {
    const ZERO: i64 = 1 << 20;
    image.iter().fold(0, |packed, &along| packed << 21 | (i64::from(along) + ZERO) as u64 & 0x1f_ffff)
}

/// The reverse of [`pack_image`].
pub(super) fn unpack_image(packed: u64) -> [i32; 3] {
    [42, 21, 0].map(|shift| (packed >> shift & 0x1f_ffff) as i32 - (1 << 20))
}

/// `f32` or `f64`.
pub trait From32or64: Copy + Default + Send + Sync {
    /// The nearest such number.
    fn from_f64(value: f64) -> Self;
}

impl From32or64 for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

impl From32or64 for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_survive_their_packing() {
        for image in [[0, 0, 0], [-1, 2, -3], [1 << 19, -(1 << 19), 5]] {
            assert_eq!(unpack_image(pack_image(image)), image);
        }
        assert!(pack_image([0, 0, -1]) < pack_image([0, 0, 0]));
    }
}
