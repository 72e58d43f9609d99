//! What was found, and how it becomes arrays.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::Points;
use super::bins::FEW;
use super::rows::{Rows, unpack_image};

/// The pairs of a search, row by row. They are sorted by the first and then the second point.
#[derive(Debug)]
pub struct FoundNeighbours<'a> {
    first: Points<'a>,
    second: Points<'a>,
    lattice: Option<DMat3>,
    pieces: Vec<Rows>,
    /// For each point of the first set, the piece and the place in it where its row begins.
    places: Vec<(u32, u32)>,
    /// Where the row of each point begins, and where the last one ends.
    offsets: Vec<u64>,
}

/// Where results are written: each array has an element for each pair, or is not there.
#[derive(Debug, Default)]
pub struct NeighbourArrays<'b, T> {
    /// The numbers of both points.
    pub pairs: Option<&'b mut [[i32; 2]]>,
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
        let offsets = vec![0; first.len() + 1];
        Self { first, second, lattice: None, pieces: Vec::new(), places: vec![(0, 0); first.len()], offsets }
    }

    pub(super) fn new(
        first: Points<'a>,
        second: Points<'a>,
        lattice: Option<DMat3>,
        pieces: Vec<Rows>,
        ids: &[u32],
    ) -> Self {
        let mut found = Self { first, second, lattice, pieces, places: Vec::new(), offsets: vec![0; ids.len() + 1] };
        found.places = vec![(0, 0); ids.len()];
        for (piece, rows) in found.pieces.iter().enumerate() {
            for (index, &id) in ids[rows.first..rows.first + rows.ends.len()].iter().enumerate() {
                let begin = if index == 0 { 0 } else { rows.ends[index - 1] };
                found.places[id as usize] = (piece as u32, begin);
                found.offsets[id as usize + 1] = u64::from(rows.ends[index] - begin);
            }
        }
        let mut before = 0;
        for offset in &mut found.offsets {
            before += *offset;
            *offset = before;
        }
        found
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.offsets.last().map_or(0, |&last| last as usize)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the pairs of each point of the first set begin, and where the last ones end.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The numbers of both points of every pair.
    pub fn pairs(&self) -> Vec<[i32; 2]> {
        let mut pairs = vec![[0; 2]; self.len()];
        self.write(NeighbourArrays::<f64> { pairs: Some(&mut pairs), ..NeighbourArrays::default() });
        pairs
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
        if self.offsets.len() < FEW {
            parts.into_iter().for_each(|part| self.write_part(part));
        } else {
            parts.into_par_iter().for_each(|part| self.write_part(part));
        }
    }

    /// How deep the spheres of every pair overlap, by a radius for each point, less nothing: the sum of radii minus the distance.
    pub fn depths(&self, radii: &[f32], to: &mut [f64]) {
        self.write(NeighbourArrays { distances: Some(to), ..NeighbourArrays::default() });
        for (first, row) in self.offsets.windows(2).enumerate() {
            let (begin, end) = (row[0] as usize, row[1] as usize);
            let (found, _) = self.row(first);
            for (depth, &second) in to[begin..end].iter_mut().zip(found) {
                *depth = f64::from(radii[first]) + f64::from(radii[second as usize]) - *depth;
            }
        }
    }

    pub(super) fn into_rows(self) -> Vec<Rows> {
        self.pieces
    }

    #[inline(always)]
    pub(super) fn row(&self, point: usize) -> (&[u32], &[u64]) {
        let (piece, begin) = self.places[point];
        let Some(rows) = self.pieces.get(piece as usize) else { return (&[], &[]) };
        let begin = begin as usize;
        let end = begin + (self.offsets[point + 1] - self.offsets[point]) as usize;
        let images = if rows.images.is_empty() { &[] } else { &rows.images[begin..end] };
        (&rows.found[begin..end], images)
    }

    /// Cuts all arrays where the rows of some points begin.
    fn parts<'b, T>(&self, mut arrays: NeighbourArrays<'b, T>) -> Vec<Part<'b, T>> {
        let rows = self.offsets.len() - 1;
        let mut parts = Vec::new();
        let mut begin = 0;
        while begin < rows {
            let end = (begin + FEW).min(rows);
            let length = (self.offsets[end] - self.offsets[begin]) as usize;
            let arrays = NeighbourArrays {
                pairs: cut(&mut arrays.pairs, length),
                distances: cut(&mut arrays.distances, length),
                vectors: cut(&mut arrays.vectors, length),
                shifts: cut(&mut arrays.shifts, length),
            };
            parts.push(Part { rows: begin..end, arrays });
            begin = end;
        }
        parts
    }

    fn write_part<T: From32or64>(&self, part: Part<'_, T>) {
        let NeighbourArrays { mut pairs, mut distances, mut vectors, mut shifts } = part.arrays;
        let measures = distances.is_some() || vectors.is_some() || shifts.is_some();
        let mut at = 0;
        for first in part.rows.clone() {
            // Rows lie where their cells are. Many are fetched at once, because waiting for one after the other took longer than all the rest.
            if (first - part.rows.start).is_multiple_of(AHEAD) {
                let rows = first..(first + AHEAD).min(part.rows.end);
                std::hint::black_box(rows.fold(0, |sum, row| sum ^ self.row(row).0.first().copied().unwrap_or(0)));
            }
            let (found, images) = self.row(first);
            let end = at + found.len();
            if let Some(pairs) = &mut pairs {
                for (pair, &second) in pairs[at..end].iter_mut().zip(found) {
                    *pair = [first as i32, second as i32];
                }
            }
            if measures {
                let from = self.first.at(first);
                for (index, &second) in found.iter().enumerate() {
                    let image = images.get(index).map_or([0; 3], |&packed| unpack_image(packed));
                    let vector = vector(from, self.second.at(second as usize), self.lattice.as_ref(), image);
                    if let Some(distances) = &mut distances {
                        distances[at + index] = T::from_f64(vector.length());
                    }
                    if let Some(vectors) = &mut vectors {
                        vectors[at + index] = vector.to_array().map(T::from_f64);
                    }
                    if let Some(shifts) = &mut shifts {
                        shifts[at + index] = image;
                    }
                }
            }
            at = end;
        }
    }
}

/// Rows that are fetched at a time.
const AHEAD: usize = 32;

/// The arrays of some rows.
struct Part<'b, T> {
    rows: std::ops::Range<usize>,
    arrays: NeighbourArrays<'b, T>,
}

fn cut<'b, T>(array: &mut Option<&'b mut [T]>, length: usize) -> Option<&'b mut [T]> {
    let (head, rest) = array.take()?.split_at_mut(length);
    *array = Some(rest);
    Some(head)
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
