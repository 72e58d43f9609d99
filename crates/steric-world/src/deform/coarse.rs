//! What conjugate gradients are slow to see: motions that many points share.
//!
//! How it works: in a step of a sixtieth of a second, sound crosses dozens of elements of soft tissue, and a point that only asks its neighbours learns of it in as many iterations. So grids of twice, four
//! times, … the mean edge are laid through each piece at rest, and the values at their nodes spread linearly to the points. A residual is summed to the nodes of each grid, divided by how hard
//! it is to move a node alone, and spread again, all grids added up (Bramble, Pasciak and Xu 1990). How hard is told by one number for each node, the mean over directions, which no rotation of the elements
//! changes: it is summed up once for a mesh and its held points. The grids are nested, so that a coarser one asks the finer one and not the points.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use super::body::SoftBody;
use super::contact::Contacts;
use super::matrix::ROWS;

/// Enough for a mesh of 500 edges from end to end.
const LEVELS: usize = 8;

/// Rows of places and weights.
#[derive(Clone, Debug, Default)]
struct Weights {
    /// Where each row begins, and where the last one ends.
    starts: Vec<u32>,
    entries: Vec<(u32, f32)>,
}

/// The nodes of a grid in every piece.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Of each point: the nodes around it.
    of_points: Weights,
    /// Of each node of the finer grid, or of each point for the finest.
    of_finer: Weights,
    /// Of each node: those that it is among the nodes of.
    of_nodes: Weights,
    /// How hard it is to move each node alone: by mass, by stiffness, and by stiffness times damping.
    masses: Vec<f64>,
    stiffnesses: Vec<f64>,
    viscosities: Vec<f64>,
    /// One over that for the matrix at hand.
    inverses: Vec<f32>,
    values: Vec<Vec3A>,
}

/// Grids from fine to coarse.
#[derive(Clone, Debug, Default)]
pub(super) struct Coarse {
    levels: Vec<Level>,
}

/// How often the matrix takes masses, stiffnesses and stiffnesses times dampings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) mass: f64,
    pub(super) stiffness: f64,
    pub(super) viscosity: f64,
}

/// A node: its piece and its place in the grid.
type Node = (u32, [u32; 3]);

impl Weights {
    fn of(rows: impl Iterator<Item = Vec<(u32, f32)>>) -> Self {
        let mut made = Self { starts: vec![0], entries: Vec::new() };
        for row in rows {
            made.entries.extend(row);
            made.starts.push(made.entries.len() as u32);
        }
        made
    }

    fn row(&self, row: usize) -> &[(u32, f32)] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn transposed(&self, columns: usize) -> Self {
        let mut rows = vec![Vec::new(); columns];
        for row in 0..self.rows() {
            self.row(row).iter().for_each(|&(column, weight)| rows[column as usize].push((row as u32, weight)));
        }
        Self::of(rows.into_iter())
    }

    fn gather(&self, row: usize, values: impl Fn(usize) -> Vec3A) -> Vec3A {
        self.row(row).iter().map(|&(place, weight)| values(place as usize) * weight).sum()
    }
}

impl Coarse {
    pub(super) fn new(body: &SoftBody) -> Self {
        let edges = mean_edges(body);
        let low = body.rest().iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let mut levels: Vec<Level> = Vec::new();
        let mut finer: Vec<Node> = Vec::new();
        for level in 0..LEVELS {
            let around = |point: usize| {
                let piece = body.pieces[point];
                let spacing = edges[piece as usize] * f64::from(2 << level);
                let nodes = if body.is_held(point) { Vec::new() } else { around((body.rest()[point] - low) / spacing) };
                nodes.into_iter().map(move |(node, weight)| ((piece, node), weight)).collect::<Vec<_>>()
            };
            let of_points: Vec<Vec<(Node, f32)>> = (0..body.rest().len()).map(around).collect();
            let (made, nodes) = Level::new(body, of_points, &finer, level);
            // Eight nodes a piece are one cell: nothing coarser is left.
            let is_last = nodes.len() <= 8 * edges.len();
            levels.push(made);
            finer = nodes;
            if is_last {
                break;
            }
        }
        Self { levels }
    }

    /// Sets how hard nodes are to move.
    pub(super) fn weigh(&mut self, times: Times, contacts: &Contacts) {
        let mut shares: Vec<(u32, f32)> = Vec::new();
        for level in &mut self.levels {
            let mut hardness: Vec<f64> = (0..level.masses.len())
                .map(|node| {
                    times.mass * level.masses[node]
                        + times.stiffness * level.stiffnesses[node]
                        + times.viscosity * level.viscosities[node]
                })
                .collect();
            for contact in 0..contacts.len() {
                shares.clear();
                for &(point, weight) in contacts.points_of(contact) {
                    let nodes = level.of_points.row(point as usize).iter();
                    shares.extend(nodes.map(|&(node, part)| (node, weight * part)));
                }
                shares.sort_unstable_by_key(|(node, _)| *node);
                for of_node in shares.chunk_by(|a, b| a.0 == b.0) {
                    let share: f32 = of_node.iter().map(|(_, share)| share).sum();
                    hardness[of_node[0].0 as usize] += contacts.mean_block(contact) * f64::from(share * share);
                }
            }
            level.inverses.clear();
            level.inverses.extend(hardness.into_iter().map(|hard| if hard > 0.0 { (1.0 / hard) as f32 } else { 0.0 }));
        }
    }

    /// Sums a residual to all nodes.
    fn sum_up(&mut self, residual: impl Fn(usize) -> Vec3A + Sync) {
        let Some((first, coarser)) = self.levels.split_first_mut() else { return };
        let of_nodes = &first.of_nodes;
        first.values.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, values)| {
            for (value, node) in values.iter_mut().zip(ROWS * chunk..) {
                *value = of_nodes.gather(node, &residual);
            }
        });
        let mut finer = first;
        for level in coarser {
            for (node, value) in level.values.iter_mut().enumerate() {
                *value = level.of_nodes.gather(node, |place| finer.values[place]);
            }
            finer = level;
        }
    }

    /// How much a residual counts, beyond what it does to each point alone.
    pub(super) fn square(&mut self, residual: impl Fn(usize) -> Vec3A + Sync) -> f64 {
        self.sum_up(residual);
        let of_level = |level: &Level| {
            let squares =
                level.values.iter().zip(&level.inverses).map(|(value, inverse)| value.length_squared() * inverse);
            squares.map(f64::from).sum::<f64>()
        };
        self.levels.iter().map(of_level).sum()
    }

    /// Takes a residual; [`Self::pull`] then tells what it does to each point.
    pub(super) fn take(&mut self, residual: impl Fn(usize) -> Vec3A + Sync) {
        self.sum_up(residual);
        for level in &mut self.levels {
            level.values.iter_mut().zip(&level.inverses).for_each(|(value, inverse)| *value *= *inverse);
        }
        for at in (1..self.levels.len()).rev() {
            let (finer, coarser) = self.levels.split_at_mut(at);
            let (finer, coarser) = (&mut finer[at - 1], &coarser[0]);
            for (node, value) in finer.values.iter_mut().enumerate() {
                *value += coarser.of_finer.gather(node, |place| coarser.values[place]);
            }
        }
    }

    pub(super) fn pull(&self, point: usize) -> Vec3A {
        let Some(first) = self.levels.first() else { return Vec3A::ZERO };
        first.of_points.gather(point, |node| first.values[node])
    }
}

impl Level {
    fn new(body: &SoftBody, of_points: Vec<Vec<(Node, f32)>>, finer: &[Node], level: usize) -> (Self, Vec<Node>) {
        let numbers: BTreeMap<Node, u32> = of_points.iter().flatten().map(|(node, _)| (*node, 0)).collect();
        let nodes: Vec<Node> = numbers.into_keys().collect();
        let numbers: BTreeMap<Node, u32> = nodes.iter().copied().zip(0..).collect();
        let numbered = |row: Vec<(Node, f32)>| row.into_iter().map(|(node, weight)| (numbers[&node], weight)).collect();
        let of_points = Weights::of(of_points.into_iter().map(numbered));
        let of_finer_node = |&(piece, at): &Node| {
            let place = DVec3::from_array(at.map(f64::from)) * 0.5;
            numbered(around(place).into_iter().map(|(node, weight)| ((piece, node), weight)).collect())
        };
        let of_finer = if level == 0 { of_points.clone() } else { Weights::of(finer.iter().map(of_finer_node)) };
        let mut made = Self {
            of_nodes: of_finer.transposed(nodes.len()),
            of_points,
            of_finer,
            masses: vec![0.0; nodes.len()],
            stiffnesses: vec![0.0; nodes.len()],
            viscosities: vec![0.0; nodes.len()],
            inverses: vec![0.0; nodes.len()],
            values: vec![Vec3A::ZERO; nodes.len()],
        };
        made.add_masses(body);
        made.add_stiffnesses(body);
        (made, nodes)
    }

    fn add_masses(&mut self, body: &SoftBody) {
        for (point, mass) in body.masses().iter().enumerate() {
            for &(node, weight) in self.of_points.row(point) {
                self.masses[node as usize] += mass * f64::from(weight).powi(2);
            }
        }
    }

    fn add_stiffnesses(&mut self, body: &SoftBody) {
        let mut slopes: Vec<(u32, DVec3)> = Vec::new();
        for element in &body.elements {
            slopes.clear();
            for (corner, gradient) in element.corners.into_iter().zip(element.gradients()) {
                let weights = self.of_points.row(corner as usize).iter();
                slopes.extend(weights.map(|&(node, weight)| (node, f64::from(weight) * gradient)));
            }
            slopes.sort_by_key(|(node, _)| *node);
            for of_node in slopes.chunk_by(|a, b| a.0 == b.0) {
                let slope: DVec3 = of_node.iter().map(|(_, slope)| *slope).sum();
                let stiffness = element.mean_stiffness(slope);
                self.stiffnesses[of_node[0].0 as usize] += stiffness;
                self.viscosities[of_node[0].0 as usize] += stiffness * element.damping;
            }
        }
    }
}

/// The mean edge of each piece at rest.
fn mean_edges(body: &SoftBody) -> Vec<f64> {
    let pieces = body.pieces.iter().max().map_or(0, |last| *last as usize + 1);
    let mut sums = vec![(0.0, 0.0); pieces];
    for [a, b] in body.adjacency().edges() {
        let sum = &mut sums[body.pieces[a as usize] as usize];
        *sum = (sum.0 + body.rest()[a as usize].distance(body.rest()[b as usize]), sum.1 + 1.0);
    }
    sums.into_iter().map(|(length, count)| length / count).collect()
}

/// The corners of the cell of a unit grid around a place, and how much of each the place is made of.
fn around(place: DVec3) -> Vec<([u32; 3], f32)> {
    let low = place.floor();
    let beyond = (place - low).to_array();
    let weight = |corner: usize| {
        let part = |axis: usize| if corner >> axis & 1 == 1 { beyond[axis] } else { 1.0 - beyond[axis] };
        part(0) * part(1) * part(2)
    };
    let node = |corner: usize| [0, 1, 2].map(|axis| low[axis] as u32 + (corner >> axis & 1) as u32);
    (0..8).map(|corner| (node(corner), weight(corner) as f32)).filter(|(_, weight)| *weight > 0.0).collect()
}
