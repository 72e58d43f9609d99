//! Downhill: place, orientation and torsions together.

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
    /// How many steps were taken.
    pub steps: u32,
}

/// A bond is worth this many kilocalories per mole and angstrom squared if atoms of the ligand itself overlap.
const OWN: f64 = 50.0;
/// Two atoms of the ligand overlap if they are nearer than this times the sum of their radii.
const SOFT: f64 = 0.75;

/// Goes downhill from a pose until no step helps, or for so many steps.
pub fn minimise(
    grid: &EnergyGrid,
    ligand: (&Body, &Torsions, &[u32], &[f64]),
    pose: Pose,
    radians: &[f64],
    most: u32,
) -> Minimum {
    let (body, torsions, numbers, charges) = ligand;
    let mut angles = vec![0.0; torsions.all().len()];
    angles.iter_mut().zip(radians).for_each(|(angle, given)| *angle = *given);
    let radii: Vec<f64> = body.radii().iter().map(|radius| SOFT * radius).collect();
    let worth = |pose: &Pose, angles: &[f64]| {
        let local = torsions.turned(body.centers(), angles);
        let places: Vec<DVec3> = local.iter().map(|&place| *pose * place).collect();
        let own: f64 = torsions.self_overlaps(&local, &radii, 0.0).iter().map(|(_, depth)| OWN * depth * depth).sum();
        let energy = grid.energy_of(&places, numbers, charges);
        (energy, energy.total() + own, places)
    };
    let (mut pose, mut step) = (pose, 0.1);
    let (mut energy, mut value, mut places) = worth(&pose, &angles);
    let mut steps = 0;
    while steps < most && step > 1e-5 {
        steps += 1;
        let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let mut forces = Vec::with_capacity(places.len());
        for ((&place, &number), &charge) in places.iter().zip(numbers).zip(charges) {
            forces.push(grid.force(place, number, charge).1);
        }
        let force: DVec3 = forces.iter().sum();
        let torque: DVec3 = places.iter().zip(&forces).map(|(place, force)| (*place - middle).cross(*force)).sum();
        let bend = |number: usize| {
            let torsion = &torsions.all()[number];
            let (from, to) = (places[torsion.from as usize], places[torsion.to as usize]);
            let axis = (to - from).normalize_or_zero();
            let one = |&atom: &u32| (places[atom as usize] - to).cross(forces[atom as usize]).dot(axis);
            let arm: f64 =
                torsion.moved.iter().map(|&atom| (places[atom as usize] - to).cross(axis).length_squared()).sum();
            (torsion.moved.iter().map(one).sum::<f64>(), arm.max(1.0))
        };
        let bends: Vec<(f64, f64)> = (0..angles.len()).map(bend).collect();
        let count = places.len().max(1) as f64;
        let inertia = count * body.gyration() * body.gyration();
        // Each goes as its weight lets it, and all together no atom much farther than the step.
        let (shift, turn) = (force / count, torque / inertia);
        let fastest = shift.length() + turn.length() * 2.0 * body.gyration();
        let fastest = bends.iter().map(|(torque, arm)| torque.abs() / arm.sqrt()).fold(fastest, f64::max);
        if fastest < 1e-9 {
            break;
        }
        let scale = step / fastest;
        let rotation = (DQuat::from_scaled_axis(turn * scale) * pose.rotation).normalize();
        let local_middle = pose.inverse() * middle;
        let next = Pose { rotation, translation: middle + shift * scale - rotation * local_middle };
        let turned: Vec<f64> =
            angles.iter().zip(&bends).map(|(angle, (torque, arm))| angle + scale * torque / arm).collect();
        let (next_energy, next_value, next_places) = worth(&next, &turned);
        if next_value < value {
            (pose, angles, energy, value, places) = (next, turned, next_energy, next_value, next_places);
            step = (1.3 * step).min(0.5);
        } else {
            step *= 0.5;
        }
    }
    Minimum { pose, radians: angles, energy, steps }
}
