//! The matrix of a step, in blocks of three by three, and its products.
//!
//! How it works: an edge of the mesh has one block, stored for its smaller point; the larger one uses it transposed. What a point has of its own, its mass, is kept apart from
//! the stiffness, whose rows sum to zero: a row acts on the differences of its neighbours from itself, so that a motion of the whole is never felt, not even by rounding. Blocks are `f32`,
//! which halves what a product reads; they only steer how a step is solved, while forces and residuals are `f64`.

use glam::{DMat3, DVec3, Mat3A, Vec3A};
use rayon::prelude::*;

use super::adjacency::Adjacency;
use super::contact::Contacts;
use super::element::Turned;

/// Rows or edges that one task handles, and that one partial sum covers: the same for any number of threads.
pub(super) const ROWS: usize = 128;

/// Which blocks there are, set up once for a mesh.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Where the edges to larger points begin, for each point, and where the last ones end.
    upper: Vec<u32>,
    /// The larger point of each edge.
    ends: Vec<u32>,
    /// Where the edges to smaller points begin, for each point, in `lower_edges`.
    lower: Vec<u32>,
    /// Edge and smaller point.
    lower_edges: Vec<[u32; 2]>,
    /// Where the shares of each edge begin.
    shares_from: Vec<u32>,
    /// An element times 16, and which two of its corners the edge joins.
    shares: Vec<u32>,
}

/// Points times 3 rows and columns; symmetric, and positive where every point has something of its own.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pattern: Pattern,
    blocks: Vec<Mat3A>,
    own: Vec<DMat3>,
    own_small: Vec<Mat3A>,
    /// Inverses of the diagonal blocks; zero for points that are held.
    inverses: Vec<Mat3A>,
}

impl Pattern {
    pub(super) fn new(adjacency: &Adjacency, corners: &[[u32; 4]]) -> Self {
        let points = adjacency.points();
        let edges: Vec<[u32; 2]> = adjacency.edges().collect();
        let upper = starts_of(points, edges.iter().map(|edge| edge[0] as usize));
        let lower = starts_of(points, edges.iter().map(|edge| edge[1] as usize));
        let mut lower_edges: Vec<[u32; 3]> =
            edges.iter().zip(0..).map(|(&[small, large], number)| [large, number, small]).collect();
        lower_edges.sort_unstable();
        let edge_of = |a: u32, b: u32| {
            let range = upper[a as usize] as usize..upper[a as usize + 1] as usize;
            let place = edges[range.clone()].partition_point(|edge| edge[1] < b);
            (range.start + place) as u32
        };
        let mut shares: Vec<[u32; 2]> = Vec::with_capacity(6 * corners.len());
        for (element, corners) in corners.iter().enumerate() {
            for pair in (0..16).filter(|pair| corners[pair / 4] < corners[pair % 4]) {
                shares.push([edge_of(corners[pair / 4], corners[pair % 4]), (16 * element + pair) as u32]);
            }
        }
        shares.sort_unstable();
        Self {
            upper,
            lower,
            lower_edges: lower_edges.into_iter().map(|[_, edge, small]| [edge, small]).collect(),
            shares_from: starts_of(edges.len(), shares.iter().map(|share| share[0] as usize)),
            shares: shares.into_iter().map(|share| share[1]).collect(),
            ends: edges.into_iter().map(|edge| edge[1]).collect(),
        }
    }

    fn upper(&self, row: usize) -> std::ops::Range<usize> {
        self.upper[row] as usize..self.upper[row + 1] as usize
    }

    fn lower(&self, row: usize) -> &[[u32; 2]] {
        &self.lower_edges[self.lower[row] as usize..self.lower[row + 1] as usize]
    }

    fn shares(&self, edge: usize) -> &[u32] {
        &self.shares[self.shares_from[edge] as usize..self.shares_from[edge + 1] as usize]
    }
}

impl Matrix {
    pub(super) fn new(pattern: Pattern) -> Self {
        let (points, edges) = (pattern.upper.len() - 1, pattern.ends.len());
        Self {
            pattern,
            blocks: vec![Mat3A::ZERO; edges],
            own: vec![DMat3::ZERO; points],
            own_small: vec![Mat3A::ZERO; points],
            inverses: vec![Mat3A::ZERO; points],
        }
    }

    /// The sum of the elements' stiffnesses, what points have of their own, and contacts where rows are divided by what stands on the diagonal.
    pub(super) fn assemble(
        &mut self,
        turned: &[Turned],
        own: impl Fn(usize) -> DMat3 + Sync,
        contacts: &Contacts,
        is_held: impl Fn(usize) -> bool + Sync,
    ) {
        let pattern = &self.pattern;
        self.blocks.par_chunks_mut(4 * ROWS).enumerate().for_each(|(chunk, blocks)| {
            for (block, edge) in blocks.iter_mut().zip(4 * ROWS * chunk..) {
                let share =
                    |&share: &u32| turned[share as usize / 16].block(share as usize / 4 % 4, share as usize % 4);
                *block = pattern.shares(edge).iter().map(share).fold(Mat3A::ZERO, |sum, share| sum + share);
            }
        });
        let blocks = &self.blocks;
        let rows = self
            .own
            .par_chunks_mut(ROWS)
            .zip(self.own_small.par_chunks_mut(ROWS))
            .zip(self.inverses.par_chunks_mut(ROWS));
        rows.enumerate().for_each(|(chunk, ((owns, smalls), inverses))| {
            for (at, row) in (ROWS * chunk..ROWS * chunk + owns.len()).enumerate() {
                owns[at] = own(row);
                smalls[at] = small(&owns[at]);
                let diagonal = owns[at] + contacts.diagonal(row) - off_diagonal(pattern, blocks, row);
                inverses[at] = if is_held(row) { Mat3A::ZERO } else { inverse(diagonal) };
            }
        });
    }

    /// What a point has of its own: its mass.
    pub(super) fn own(&self, row: usize) -> &DMat3 {
        &self.own[row]
    }

    pub(super) fn inverses(&self) -> &[Mat3A] {
        &self.inverses
    }

    /// One row of the product with a vector.
    pub(super) fn row(&self, row: usize, vector: &[Vec3A]) -> Vec3A {
        let here = vector[row];
        let mut sum = self.own_small[row] * here;
        for edge in self.pattern.upper(row) {
            sum += self.blocks[edge] * (vector[self.pattern.ends[edge] as usize] - here);
        }
        // A transposed block gives dot products with its columns: summed along the row before they are added up.
        let mut dots = [Vec3A::ZERO; 3];
        for &[edge, other] in self.pattern.lower(row) {
            let (block, difference) = (&self.blocks[edge as usize], vector[other as usize] - here);
            dots[0] += block.x_axis * difference;
            dots[1] += block.y_axis * difference;
            dots[2] += block.z_axis * difference;
        }
        sum + Vec3A::from_array(dots.map(|dot| dot.x + dot.y + dot.z))
    }

    /// The same in `f64`.
    pub(super) fn exact_row(&self, row: usize, vector: &[DVec3]) -> DVec3 {
        let here = vector[row];
        let mut sum = self.own[row] * here;
        for edge in self.pattern.upper(row) {
            sum += large(&self.blocks[edge]) * (vector[self.pattern.ends[edge] as usize] - here);
        }
        for &[edge, other] in self.pattern.lower(row) {
            sum += large(&self.blocks[edge as usize]).transpose() * (vector[other as usize] - here);
        }
        sum
    }
}

fn starts_of(count: usize, owners: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut starts = vec![0; count + 1];
    owners.for_each(|owner| starts[owner + 1] += 1);
    (1..=count).for_each(|at| starts[at] += starts[at - 1]);
    starts
}

fn off_diagonal(pattern: &Pattern, blocks: &[Mat3A], row: usize) -> DMat3 {
    let upper = pattern.upper(row).fold(DMat3::ZERO, |sum, edge| sum + large(&blocks[edge]));
    pattern.lower(row).iter().fold(upper, |sum, &[edge, _]| sum + large(&blocks[edge as usize]).transpose())
}

/// Scaled before it is inverted, so that no determinant leaves the range of numbers.
fn inverse(block: DMat3) -> Mat3A {
    let size = block.x_axis.x.abs() + block.y_axis.y.abs() + block.z_axis.z.abs();
    let scaled = (block * (1.0 / size)).inverse() * (1.0 / size);
    if scaled.is_finite() { small(&scaled) } else { Mat3A::IDENTITY * (3.0 / size.max(f64::MIN_POSITIVE)) as f32 }
}

fn small(block: &DMat3) -> Mat3A {
    Mat3A::from_cols(block.x_axis.as_vec3a(), block.y_axis.as_vec3a(), block.z_axis.as_vec3a())
}

fn large(block: &Mat3A) -> DMat3 {
    DMat3::from_cols(block.x_axis.as_dvec3(), block.y_axis.as_dvec3(), block.z_axis.as_dvec3())
}
