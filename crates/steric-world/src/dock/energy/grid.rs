//! The grid.

use glam::{DVec3, UVec3};
use rayon::prelude::*;
use steric_collide::{Obstacle, ProbeIndex};

use super::{AtomType, CAP, COULOMB, CUTOFF, Charged, Energy, NEAREST};

/// What a receptor does to atoms in a box.
///
/// ```
/// use glam::DVec3;
/// use steric_model::chemistry::BondGraph;
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::dock::energy::{Charged, EnergyGrid, atom_types, direct_energy};
///
/// let zinc = read_xyz(b"1\nzinc\nZn 0 0 0\n", "zinc.xyz".as_ref())?.value;
/// let types = atom_types(&zinc, &BondGraph::new(&zinc));
/// let receptor = Charged { places: vec![DVec3::ZERO], types: types.clone(), charges: vec![2.0] };
/// let grid = EnergyGrid::new(&receptor, &types, [DVec3::splat(-6.0), DVec3::splat(6.0)], 0.25);
/// let ligand = Charged { places: vec![DVec3::new(3.1, 0.7, -1.2)], types, charges: vec![-0.5] };
/// let (fast, direct) = (grid.energy(&ligand), direct_energy(&receptor, &ligand));
/// assert!((fast.total() - direct.total()).abs() < 0.01 * direct.total().abs());
/// # Ok::<(), steric_model::ReadError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EnergyGrid {
    low: DVec3,
    spacing: f64,
    points: UVec3,
    types: Vec<AtomType>,
    /// For each point the energy of each type, and the potential.
    values: Vec<f32>,
    stride: usize,
    /// From a value to the same in the next row, and in the next sheet.
    steps: [usize; 2],
    per_angstrom: f64,
    /// The last cells.
    last: [f32; 3],
}

/// A grid has no more points than this.
const MOST_POINTS: f64 = 3e7;
/// So many points of a row ask for their neighbours together.
const RUN: usize = 8;

impl EnergyGrid {
    /// A grid between two corners for atoms of these types. A box that is too large gets a wider spacing.
    pub fn new(receptor: &Charged, wanted: &[AtomType], [low, high]: [DVec3; 2], spacing: f64) -> Self {
        let mut types: Vec<AtomType> = Vec::new();
        for kind in wanted {
            if !types.contains(kind) {
                types.push(*kind);
            }
        }
        let room = (high - low).max(DVec3::splat(spacing));
        let points_of = |spacing: f64| (room / spacing).ceil() + 2.0;
        let mut spacing = spacing.max(1e-3);
        while points_of(spacing).element_product() > MOST_POINTS {
            spacing *= 1.25;
        }
        let points = points_of(spacing).as_uvec3();
        let stride = types.len() + 1;
        let index = Obstacle::new(&receptor.places, &vec![0.0; receptor.places.len()], ProbeIndex::Rows);
        // What each atom of the receptor does to each type, worked out once: the sixth power of a distance, and a depth.
        let pairs: Vec<Vec<(f64, f64)>> = receptor
            .types
            .iter()
            .map(|of| {
                let one = |kind: &AtomType| {
                    let distance = 0.5 * (of.distance + kind.distance);
                    (distance.powi(6), (of.depth * kind.depth).sqrt())
                };
                types.iter().map(one).collect()
            })
            .collect();
        let row_of = |row: usize| {
            let (y, z) = (row as u32 % points.y, row as u32 / points.y);
            let at = |x: f64| low + spacing * DVec3::new(x, f64::from(y), f64::from(z));
            let mut near = Vec::new();
            let mut values = vec![0f64; stride * points.x as usize];
            for (run, values) in (0u32..).step_by(RUN).zip(values.chunks_mut(stride * RUN)) {
                near.clear();
                let half = 0.5 * (RUN - 1) as f64;
                index.near(at(f64::from(run) + half), CUTOFF + half * spacing, &mut near);
                // In one order, so that sums have the same bits whatever the index.
                near.sort_unstable();
                for (x, values) in (run..).zip(values.chunks_exact_mut(stride)) {
                    let place = at(f64::from(x));
                    for &atom in &near {
                        let squared = place.distance_squared(receptor.places[atom as usize]);
                        if squared >= CUTOFF * CUTOFF {
                            continue;
                        }
                        let inverse = 1.0 / squared.max(NEAREST * NEAREST);
                        let cube = inverse * inverse * inverse;
                        for (value, (sixth, depth)) in values.iter_mut().zip(&pairs[atom as usize]) {
                            let sixth = sixth * cube;
                            *value += depth * (sixth * sixth - 2.0 * sixth);
                        }
                        values[stride - 1] += COULOMB * receptor.charges[atom as usize] * inverse;
                    }
                    values.iter_mut().for_each(|value| *value = value.clamp(-CAP, CAP));
                }
            }
            values
        };
        let rows = points.y as usize * points.z as usize;
        let raw: Vec<f64> = (0..rows).into_par_iter().flat_map_iter(row_of).collect();
        let steps = [stride * points.x as usize, stride * (points.x * points.y) as usize];
        let last = (points - 1).as_vec3().to_array();
        let mut grid =
            Self { low, spacing, points, types, values: Vec::new(), stride, steps, per_angstrom: 1.0 / spacing, last };
        grid.values = grid.lowered(&raw);
        grid
    }

    /// Values that are lower by what an interpolation adds in the mean.
    fn lowered(&self, raw: &[f64]) -> Vec<f32> {
        let (points, stride) = (self.points.as_usizevec3(), self.stride);
        let steps = [stride, stride * points.x, stride * points.x * points.y];
        let one = |at: usize| {
            let point = at / stride;
            let place = [point % points.x, point / points.x % points.y, point / points.x / points.y];
            let is_inside = (0..3).all(|axis| place[axis] > 0 && place[axis] + 1 < points.to_array()[axis]);
            let own = raw[at];
            if !is_inside || own.abs() >= CAP {
                return own as f32;
            }
            let around = steps.iter().flat_map(|&step| [raw[at - step], raw[at + step]]);
            if around.clone().any(|value| value.abs() >= CAP) {
                return own as f32;
            }
            let curvature: f64 = around.sum::<f64>() - 6.0 * own;
            (own - curvature / 12.0) as f32
        };
        (0..raw.len()).into_par_iter().map(one).collect()
    }

    /// The corners of the box.
    pub fn corners(&self) -> [DVec3; 2] {
        [self.low, self.low + self.spacing * (self.points - 1).as_dvec3()]
    }

    /// How far its points are apart, in angstroms.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The number of each type on the grid; that of the first for those it was not made for.
    pub fn numbers(&self, types: &[AtomType]) -> Vec<u32> {
        let number = |kind: &AtomType| self.types.iter().position(|own| own == kind).unwrap_or(0) as u32;
        types.iter().map(number).collect()
    }

    /// The energy of a ligand. What lies outside the box is worth the cap.
    pub fn energy(&self, ligand: &Charged) -> Energy {
        self.energy_of(&ligand.places, &self.numbers(&ligand.types), &ligand.charges)
    }

    /// The same with the numbers of the types at hand, as fast as it goes.
    pub fn energy_of(&self, places: &[DVec3], numbers: &[u32], charges: &[f64]) -> Energy {
        // With the widest instructions that the processor has.
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut sum = Energy::default();
                for ((&place, &number), &charge) in places.iter().zip(numbers).zip(charges) {
                    let (lennard_jones, potential) = self.at(place, number as usize);
                    sum.lennard_jones += lennard_jones;
                    sum.coulomb += potential * charge;
                }
                sum
            },
        )
    }

    /// The energy of an atom of a type, and the potential, at a place.
    #[inline(always)]
    fn at(&self, place: DVec3, number: usize) -> (f64, f64) {
        let at = ((place - self.low) * self.per_angstrom).as_vec3();
        let [x, y, z] = at.to_array();
        // What is outside, or no number, is no cell.
        if !(x >= 0.0 && y >= 0.0 && z >= 0.0 && x < self.last[0] && y < self.last[1] && z < self.last[2]) {
            return (CAP, 0.0);
        }
        let [i, j, k] = [x as usize, y as usize, z as usize];
        let [x, y, z] = [x - i as f32, y - j as f32, z - k as f32];
        let [row, sheet] = self.steps;
        let base = k * sheet + j * row + i * self.stride;
        let (mut of_type, mut potential) = (0f32, 0f32);
        for (offset, weight) in
            [(0, (1.0 - y) * (1.0 - z)), (row, y * (1.0 - z)), (sheet, (1.0 - y) * z), (row + sheet, y * z)]
        {
            let values = &self.values[base + offset..][..2 * self.stride];
            let (left, right) = values.split_at(self.stride);
            of_type += weight * (left[number] + x * (right[number] - left[number]));
            let last = self.stride - 1;
            potential += weight * (left[last] + x * (right[last] - left[last]));
        }
        (f64::from(of_type), f64::from(potential))
    }

    /// The energy of an atom, and the force on it, in kilocalories per mole and angstrom.
    pub fn force(&self, place: DVec3, number: u32, charge: f64) -> (Energy, DVec3) {
        let at = |place: DVec3| {
            let (lennard_jones, potential) = self.at(place, number as usize);
            Energy { lennard_jones, coulomb: potential * charge }
        };
        // Across a whole cell, so that the slope has no steps.
        let half = 0.5 * self.spacing;
        let slope = |axis: DVec3| (at(place + axis * half).total() - at(place - axis * half).total()) / self.spacing;
        (at(place), -DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)))
    }
}
