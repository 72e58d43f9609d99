//! Downhill: place, orientation and torsions together.
//!
//! How it works: the method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright, Numerical Optimization, 2006, chapter 6) over a shift, a turn
//! about the middle of the ligand, and a turn about each bond. These are measured by how far they move atoms, so that a step of length one is as far for
//! each of them. Where the way down is not as steep as it should be, the step is halved; a step that leads up is never taken.

use glam::{DQuat, DVec3};
use steric_model::Pose;

use super::super::{Body, Torsions};
use super::{Energy, EnergyGrid};

/// Where the way down has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// Where the ligand is.
    pub pose: Pose,
    /// How far each bond is turned, in radians.
    pub radians: Vec<f64>,
    /// What it is worth there.
    pub energy: Energy,
    /// What it costs that atoms of the ligand itself overlap, in kilocalories per mole. The sum of both never grows.
    pub own: f64,
    /// How many places were tried.
    pub steps: u32,
}

/// What an overlap of two atoms of the ligand itself costs, in kilocalories per mole and angstrom squared.
const OWN: f64 = 50.0;
/// Two atoms of the ligand overlap if they are nearer than this times the sum of their radii.
const SOFT: f64 = 0.75;
/// No step moves atoms farther than this, in angstroms, in the mean.
const FARTHEST: f64 = 0.3;
/// A step is taken if it leads down by this part of what the slope promises.
const ENOUGH: f64 = 1e-4;
/// It is over if the next step promises less than this, in kilocalories per mole.
const NOTHING: f64 = 1e-5;

/// What goes downhill.
struct Ligand<'a> {
    grid: &'a EnergyGrid,
    body: &'a Body,
    torsions: &'a Torsions,
    numbers: &'a [u32],
    charges: &'a [f64],
    /// Radii at which its own atoms overlap.
    radii: Vec<f64>,
    /// How much of a shift, of a turn and of each bond's turn is a step of one.
    units: Vec<f64>,
}

/// A place on the way.
#[derive(Clone)]
struct Place {
    pose: Pose,
    radians: Vec<f64>,
    atoms: Vec<DVec3>,
    energy: Energy,
    own: f64,
    /// How much it grows with each step of one.
    slope: Vec<f64>,
}

impl Place {
    fn value(&self) -> f64 {
        self.energy.total() + self.own
    }

    fn middle(&self) -> DVec3 {
        self.atoms.iter().sum::<DVec3>() / self.atoms.len().max(1) as f64
    }
}

impl Ligand<'_> {
    /// What a pose is worth, and which way is down.
    fn place(&self, pose: Pose, radians: Vec<f64>) -> Place {
        let local = self.torsions.turned(self.body.centers(), &radians);
        let atoms: Vec<DVec3> = local.iter().map(|&place| pose * place).collect();
        let (energy, mut forces) = self.grid.forces_of(&atoms, self.numbers, self.charges);
        forces.resize(atoms.len(), DVec3::ZERO);
        let mut own = 0.0;
        for ([a, b], depth) in self.torsions.self_overlaps(&atoms, &self.radii, 0.0) {
            let [a, b] = [a as usize, b as usize];
            own += OWN * depth * depth;
            let push = 2.0 * OWN * depth * (atoms[a] - atoms[b]).normalize_or(DVec3::X);
            forces[a] += push;
            forces[b] -= push;
        }
        let mut place = Place { pose, radians, atoms, energy, own, slope: Vec::new() };
        place.slope = self.slope(&place, &forces);
        place
    }

    fn slope(&self, place: &Place, forces: &[DVec3]) -> Vec<f64> {
        let (atoms, middle) = (&place.atoms, place.middle());
        let force: DVec3 = forces.iter().sum();
        let torque: DVec3 = atoms.iter().zip(forces).map(|(atom, force)| (*atom - middle).cross(*force)).sum();
        let bends = self.torsions.all().iter().map(|torsion| {
            let [from, to] = [torsion.from, torsion.to].map(|atom| atoms[atom as usize]);
            let axis = (to - from).normalize_or_zero();
            let one = |&atom: &u32| (atoms[atom as usize] - to).cross(forces[atom as usize]).dot(axis);
            torsion.moved.iter().map(one).sum::<f64>()
        });
        let all = force.to_array().into_iter().chain(torque.to_array()).chain(bends);
        all.zip(&self.units).map(|(torque, unit)| -torque * unit).collect()
    }

    /// Where a step leads.
    fn moved(&self, from: &Place, step: &[f64]) -> Place {
        let by: Vec<f64> = step.iter().zip(&self.units).map(|(step, unit)| step * unit).collect();
        let rotation = (DQuat::from_scaled_axis(DVec3::from_slice(&by[3..6])) * from.pose.rotation).normalize();
        let middle = from.middle();
        let local_middle = from.pose.inverse() * middle;
        let translation = middle + DVec3::from_slice(&by[..3]) - rotation * local_middle;
        let radians = from.radians.iter().zip(&by[6..]).map(|(angle, by)| angle + by).collect();
        self.place(Pose { rotation, translation }, radians)
    }
}

/// Steps of one move all atoms together by one, squares summed.
fn units(body: &Body, torsions: &Torsions) -> Vec<f64> {
    let (count, places) = (body.centers().len().max(1) as f64, body.centers());
    let mut units = vec![1.0 / count.sqrt(); 3];
    units.extend([1.0 / (count.sqrt() * body.gyration()); 3]);
    units.extend(torsions.all().iter().map(|torsion| {
        let [from, to] = [torsion.from, torsion.to].map(|atom| places[atom as usize]);
        let axis = (to - from).normalize_or_zero();
        let arm = |&atom: &u32| (places[atom as usize] - to).cross(axis).length_squared();
        1.0 / torsion.moved.iter().map(arm).sum::<f64>().max(1.0).sqrt()
    }));
    units
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// An estimate of how curved the ground is, turned round: it takes a slope to the step that leads to its bottom.
struct Curvature {
    rows: Vec<Vec<f64>>,
    is_fresh: bool,
}

impl Curvature {
    /// The same everywhere.
    fn round(count: usize, size: f64) -> Self {
        let row = |own: usize| (0..count).map(|at| if at == own { size } else { 0.0 }).collect();
        Self { rows: (0..count).map(row).collect(), is_fresh: true }
    }

    fn times(&self, slope: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| dot(row, slope)).collect()
    }

    /// Learns from a step and from how the slope has changed along it.
    fn learn(&mut self, step: &[f64], change: &[f64]) {
        let along = dot(step, change);
        // Ground that is not curved upwards teaches nothing.
        if along <= 1e-8 * dot(step, step).sqrt() * dot(change, change).sqrt() {
            return;
        }
        if self.is_fresh {
            *self = Self { is_fresh: false, ..Self::round(step.len(), along / dot(change, change)) };
        }
        let image = self.times(change);
        let grow = (1.0 + dot(change, &image) / along) / along;
        for (row, values) in self.rows.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value +=
                    grow * step[row] * step[column] - (image[row] * step[column] + step[row] * image[column]) / along;
            }
        }
    }
}

/// Goes downhill from a pose until no step helps, or until so many places were tried. It never ends higher than it began.
pub fn minimise(
    grid: &EnergyGrid,
    ligand: (&Body, &Torsions, &[u32], &[f64]),
    pose: Pose,
    radians: &[f64],
    most: u32,
) -> Minimum {
    let (body, torsions, numbers, charges) = ligand;
    let radii = body.radii().iter().map(|radius| SOFT * radius).collect();
    let ligand = Ligand { grid, body, torsions, numbers, charges, radii, units: units(body, torsions) };
    let mut angles = vec![0.0; torsions.all().len()];
    angles.iter_mut().zip(radians).for_each(|(angle, given)| *angle = *given);
    let (mut at, mut tried) = (ligand.place(pose, angles), 0);
    let farthest = FARTHEST * (body.centers().len().max(1) as f64).sqrt();
    let first = |slope: &[f64]| 0.3 * farthest / dot(slope, slope).sqrt().max(1e-12);
    let mut curvature = Curvature::round(at.slope.len(), first(&at.slope));
    while tried < most {
        let mut step: Vec<f64> = curvature.times(&at.slope).iter().map(|step| -step).collect();
        let length = dot(&step, &step).sqrt();
        if length > farthest {
            step.iter_mut().for_each(|step| *step *= farthest / length);
        }
        let promised = -dot(&step, &at.slope);
        // Not a number is no promise either.
        let next = if promised > NOTHING { search(&ligand, &at, &step, promised, most, &mut tried) } else { None };
        if let Some((next, part)) = next {
            step.iter_mut().for_each(|step| *step *= part);
            let change: Vec<f64> = next.slope.iter().zip(&at.slope).map(|(after, before)| after - before).collect();
            curvature.learn(&step, &change);
            at = next;
        } else if curvature.is_fresh {
            break;
        } else {
            curvature = Curvature::round(at.slope.len(), first(&at.slope));
        }
    }
    let Place { pose, radians, energy, own, .. } = at;
    Minimum { pose, radians, energy, own, steps: tried }
}

/// The largest part of a step that leads down as it should: all of it, or where a parabola through what is known is lowest.
fn search(
    ligand: &Ligand<'_>,
    from: &Place,
    step: &[f64],
    promised: f64,
    most: u32,
    tried: &mut u32,
) -> Option<(Place, f64)> {
    let mut part = 1.0;
    while *tried < most && part > 1e-4 {
        *tried += 1;
        let scaled: Vec<f64> = step.iter().map(|step| step * part).collect();
        let next = ligand.moved(from, &scaled);
        let risen = next.value() - from.value();
        if risen < -ENOUGH * part * promised {
            return Some((next, part));
        }
        let lowest = 0.5 * promised * part / (promised + risen / part);
        part = if lowest.is_finite() { lowest.clamp(0.1 * part, 0.5 * part) } else { 0.1 * part };
    }
    None
}
