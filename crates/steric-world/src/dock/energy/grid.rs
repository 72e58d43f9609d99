//! The grid.

use glam::{DVec3, UVec3, Vec4};

use super::build::{Plan, decoded};
use super::spline::{Block, Lanes, Portable, slopes, weights};
use super::{AtomType, CAP, Charged, Energy};

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
    /// What has a map of its own.
    types: Vec<AtomType>,
    /// Coefficients of splines, from one point before the box to one behind it: sheets of rows, and in a row one map after another.
    values: Vec<f32>,
    /// From a value to the same in the next row, and in the next sheet.
    steps: [usize; 2],
    /// From the map of a type to that of the next.
    map: usize,
    per_angstrom: f64,
    /// The last cells.
    last: [f32; 3],
}

/// A grid has no more points than this, and no more numbers.
const MOST_POINTS: f64 = 3e7;
const MOST_NUMBERS: f64 = 2.4e8;

/// Whether two types fare the same at every place.
fn is_alike(one: &AtomType, other: &AtomType) -> bool {
    (one.distance, one.depth) == (other.distance, other.depth)
}

impl EnergyGrid {
    /// A grid between two corners for atoms of these types. A box that is too large gets a wider spacing.
    pub fn new(receptor: &Charged, wanted: &[AtomType], [low, high]: [DVec3; 2], spacing: f64) -> Self {
        let mut types: Vec<AtomType> = Vec::new();
        for kind in wanted {
            if !types.iter().any(|own| is_alike(own, kind)) {
                types.push(*kind);
            }
        }
        let [low, high] = if low.is_finite() && high.is_finite() { [low, high] } else { [DVec3::ZERO; 2] };
        let mut spacing = spacing.max(1e-3);
        let room = (high - low).max(DVec3::splat(spacing));
        let points_of = |spacing: f64| (room / spacing).ceil() + 2.0;
        let most = MOST_POINTS.min(MOST_NUMBERS / (2 * types.len()).max(1) as f64);
        while (points_of(spacing) + 2.0).element_product() > most {
            spacing *= 1.25;
        }
        let points = points_of(spacing).as_uvec3();
        let plan = Plan { receptor, types: &types, low: low - spacing, points: points + 2, spacing };
        let (values, depth) = (plan.coefficients(), plan.depth());
        let (length, wide) = (depth * (points.x + 2) as usize, (points + 2).as_usizevec3());
        // Without types there is no cell to read from.
        let last = if types.is_empty() { [0.0; 3] } else { (points - 1).as_vec3().to_array() };
        let steps = [length, length * wide.y];
        Self { low, spacing, points, types, values, steps, map: 2 * wide.x, per_angstrom: 1.0 / spacing, last }
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
        let number = |kind: &AtomType| self.types.iter().position(|own| is_alike(own, kind)).unwrap_or(0) as u32;
        types.iter().map(number).collect()
    }

    /// The energy of a ligand. What lies outside the box is worth the cap.
    pub fn energy(&self, ligand: &Charged) -> Energy {
        self.energy_of(&ligand.places, &self.numbers(&ligand.types), &ligand.charges)
    }

    /// The same with the numbers of the types at hand, as fast as it goes.
    pub fn energy_of(&self, places: &[DVec3], numbers: &[u32], charges: &[f64]) -> Energy {
        Atoms { grid: self, places, numbers, charges, forces: None }.energy()
    }

    /// The energy of an atom, and the force on it, in kilocalories per mole and angstrom. It is the slope of the same spline that gives the energy.
    pub fn force(&self, place: DVec3, number: u32, charge: f64) -> (Energy, DVec3) {
        let (energy, forces) = self.forces_of(&[place], &[number], &[charge]);
        (energy, forces.first().copied().unwrap_or_default())
    }

    /// The energy of a ligand, and the force on each of its atoms.
    ///
    /// ```
    /// use glam::DVec3;
    /// use steric_model::chemistry::BondGraph;
    /// use steric_model::formats::xyz::read_xyz;
    /// use steric_world::dock::energy::{Charged, EnergyGrid, atom_types};
    ///
    /// let zinc = read_xyz(b"1\nzinc\nZn 0 0 0\n", "zinc.xyz".as_ref())?.value;
    /// let types = atom_types(&zinc, &BondGraph::new(&zinc));
    /// let receptor = Charged { places: vec![DVec3::ZERO], types: types.clone(), charges: vec![2.0] };
    /// let grid = EnergyGrid::new(&receptor, &types, [DVec3::splat(-6.0), DVec3::splat(6.0)], 0.25);
    /// let (energy, forces) = grid.forces_of(&[DVec3::X * 3.0], &grid.numbers(&types), &[-0.5]);
    /// assert!(energy.coulomb < 0.0 && forces[0].x < 0.0, "it is drawn to the zinc");
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn forces_of(&self, places: &[DVec3], numbers: &[u32], charges: &[f64]) -> (Energy, Vec<DVec3>) {
        let mut forces = vec![DVec3::ZERO; places.len()];
        let energy = Atoms { grid: self, places, numbers, charges, forces: Some(&mut forces) }.energy();
        (energy, forces)
    }

    /// The coefficients around a place for a type with the potential beside, and how far it is into its cell.
    #[inline(always)]
    fn cell(&self, place: DVec3, number: usize) -> Option<(Block<'_>, Vec4)> {
        let [x, y, z] = ((place - self.low) * self.per_angstrom).as_vec3().to_array();
        // What is outside, or no number, is no cell.
        if !(x >= 0.0 && y >= 0.0 && z >= 0.0 && x < self.last[0] && y < self.last[1] && z < self.last[2]) {
            return None;
        }
        // The nearest point: so large a number has no room for fractions, and ends in the whole one.
        const LARGE: f32 = 8_388_608.0;
        let at = Vec4::new(x, y, z, 0.0);
        let whole = at + Vec4::splat(LARGE);
        let within = at - (whole - Vec4::splat(LARGE));
        let index = |whole: f32| (whole.to_bits() & 0x7f_ffff) as usize;
        let [row, sheet] = self.steps;
        let number = number.min(self.types.len() - 1);
        let first = index(whole.z) * sheet + index(whole.y) * row + number * self.map + 2 * index(whole.x);
        Some((Block { values: &self.values[first..], row, sheet }, within))
    }

    /// The energy of an atom of a type, and the potential, at a place.
    #[inline(always)]
    fn at<L: Lanes>(&self, lanes: L, place: DVec3, number: usize) -> (f64, f64) {
        let Some((block, within)) = self.cell(place, number) else { return (CAP, 0.0) };
        let [held, potential] = block.sum(lanes, weights(within));
        (f64::from(decoded(held).0), f64::from(potential))
    }

    /// The energy of an atom, and the force on it.
    #[inline(always)]
    fn with_slope<L: Lanes>(&self, lanes: L, place: DVec3, number: usize, charge: f64) -> (Energy, DVec3) {
        let Some((block, within)) = self.cell(place, number) else {
            return (Energy { lennard_jones: CAP, coulomb: 0.0 }, DVec3::ZERO);
        };
        let [[held, potential], by_x, by_y, by_z] = block.sum_and_slopes(lanes, weights(within), slopes(within));
        let (lennard_jones, steepness) = decoded(held);
        let along = |[held, potential]: [f32; 2]| f64::from(steepness * held) + charge * f64::from(potential);
        let energy = Energy { lennard_jones: lennard_jones.into(), coulomb: f64::from(potential) * charge };
        (energy, DVec3::new(along(by_x), along(by_y), along(by_z)) * -self.per_angstrom)
    }
}

/// Atoms whose energy is asked for and, where there is room for them, the forces on them.
struct Atoms<'a> {
    grid: &'a EnergyGrid,
    places: &'a [DVec3],
    numbers: &'a [u32],
    charges: &'a [f64],
    forces: Option<&'a mut [DVec3]>,
}

impl Atoms<'_> {
    /// With the widest instructions that the processor has.
    fn energy(self) -> Energy {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = pulp::x86::V3::try_new() {
            return avx2.vectorize(With(self, avx2));
        }
        self.with(Portable)
    }

    #[inline(always)]
    fn with<L: Lanes>(self, lanes: L) -> Energy {
        let Self { grid, places, numbers, charges, forces } = self;
        let (mut sum, atoms) = (Energy::default(), places.iter().zip(numbers).zip(charges));
        if let Some(forces) = forces {
            for (((&place, &number), &charge), force) in atoms.zip(forces) {
                let (own, pull) = grid.with_slope(lanes, place, number as usize, charge);
                sum.lennard_jones += own.lennard_jones;
                sum.coulomb += own.coulomb;
                *force = pull;
            }
            return sum;
        }
        for ((&place, &number), &charge) in atoms {
            let (lennard_jones, potential) = grid.at(lanes, place, number as usize);
            sum.lennard_jones += lennard_jones;
            sum.coulomb += potential * charge;
        }
        sum
    }
}

#[cfg(target_arch = "x86_64")]
struct With<'a>(Atoms<'a>, pulp::x86::V3);

#[cfg(target_arch = "x86_64")]
impl pulp::NullaryFnOnce for With<'_> {
    type Output = Energy;

    #[inline(always)]
    fn call(self) -> Energy {
        self.0.with(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dock::energy::direct_energy;

    #[test]
    fn a_box_of_any_size_can_be_read_up_to_its_corners_and_is_the_cap_beyond() {
        let carbon = AtomType { name: "C", distance: 4.0, depth: 0.15 };
        let receptor = Charged { places: vec![DVec3::X * 5.0], types: vec![carbon], charges: vec![0.4] };
        for size in [DVec3::ZERO, DVec3::splat(0.1), DVec3::new(0.0, 1.0, 0.3), DVec3::splat(1.7)] {
            let grid = EnergyGrid::new(&receptor, &[carbon], [DVec3::ZERO, size], 0.2);
            let [low, high] = grid.corners();
            assert!(low == DVec3::ZERO && high.cmpge(size).all());
            for corner in 0..8 {
                let pick = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] - 1e-4 };
                let place = DVec3::new(pick(0), pick(1), pick(2));
                let ligand = Charged { places: vec![place], types: vec![carbon], charges: vec![0.1] };
                let (fast, direct) = (grid.energy(&ligand).total(), direct_energy(&receptor, &ligand).total());
                assert!((fast - direct).abs() < 0.01 * direct.abs(), "{place}: {fast} and {direct}");
            }
            for place in [low - 0.01, high + 0.01, DVec3::NAN, DVec3::INFINITY] {
                assert_eq!(grid.energy_of(&[place], &[0], &[1.0]).total(), CAP);
            }
        }
        let empty = EnergyGrid::new(&receptor, &[], [DVec3::ZERO, DVec3::ONE], 0.2);
        assert_eq!(empty.force(DVec3::splat(0.5), 0, 1.0), (Energy { lennard_jones: CAP, coulomb: 0.0 }, DVec3::ZERO));
    }
}
