//! What the constraints of a molecule ask of it.
//!
//! How it works: each constraint looks at where the molecule is and, beyond its leeway, asks for a shift of a point or for
//! a turn, as long as the deviation is. It counts as broken when the deviation is more than a tenth of an angstrom or a degree beyond the
//! leeway. The walls of regions are kept to a hundredth of an angstrom, as packmol does; points are pulled a little farther
//! than they must, as atoms are pushed, so that the two can settle.

use glam::{DMat3, DQuat, DVec3, Vec3};
use steric_model::{Molecule, Pose, Scene};

use super::hold::Hold;
use crate::respond::Pull;
use crate::shape::{Region, Side};

/// A deviation that counts as broken, in angstroms.
pub(crate) const BROKEN_SHIFT: f64 = 0.1;
/// The same for the walls of regions.
pub(crate) const BROKEN_REGION: f64 = 0.01;
/// How far behind the wall of a region points are pulled, in angstroms.
const BEHIND_WALL: f64 = 0.05;
/// The same for turns, in radians: a degree.
pub(crate) const BROKEN_TURN: f64 = std::f64::consts::PI / 180.0;

/// What all constraints of a molecule ask for.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) pulls: Vec<Pull>,
    /// The outward normal of the surface that holds the molecule, or zero.
    pub(super) normal: Vec3,
    pub(super) broken: bool,
}

/// What the constraints of a molecule ask for, where it is now.
pub(super) fn of(types: &Scene, molecule: &Molecule, rotation: DMat3, holds: &[Hold], start: &Pose) -> Held {
    let mut held = Held::default();
    for hold in holds {
        match hold {
            Hold::Surface { surface, leaflet, head, height, leeway, axis, tilt } => {
                let arm = rotation * *head;
                let (at, normal) = surface.height(molecule.pose.translation + arm);
                held.shift(arm, -normal, at - height, *leeway);
                // The normal at the molecule's own origin: a lipid that leans over does not take it along.
                let upright = surface.height(molecule.pose.translation).1 * leaflet.sign();
                held.turn_towards(rotation * *axis, upright, *tilt);
                held.normal = normal.as_vec3();
            }
            Hold::Start { leeway, turn } => {
                let (back, distance) = (start.translation - molecule.pose.translation).normalize_and_length();
                held.shift(DVec3::ZERO, back, distance, *leeway);
                let (axis, angle) = shortest_turn(start.rotation * molecule.pose.rotation.inverse());
                held.turn(axis, angle, *turn);
            }
            Hold::Rule(rule) => held.broken |= rule.ask(&molecule.pose, rotation, &mut held.pulls),
            Hold::Region { region, side, points } => {
                if points.is_empty() {
                    for_each_atom(types, molecule, |atom| held.keep(region, *side, molecule, rotation * atom));
                } else if !is_far_from_wall(region, *side, molecule.pose.translation, points) {
                    points.iter().for_each(|&point| held.keep(region, *side, molecule, rotation * point));
                }
            }
        }
    }
    held
}

impl Held {
    /// Asks for a shift along a direction by what a signed deviation is beyond a leeway.
    fn shift(&mut self, arm: DVec3, direction: DVec3, deviation: f64, leeway: f64) {
        let depth = deviation.abs() - leeway;
        if depth > 0.0 {
            self.broken |= depth > BROKEN_SHIFT;
            self.pulls.push(Pull::Shift { arm, direction: direction * deviation.signum(), depth });
        }
    }

    fn turn(&mut self, axis: DVec3, angle: f64, leeway: f64) {
        if angle > leeway {
            self.broken |= angle - leeway > BROKEN_TURN;
            self.pulls.push(Pull::Turn { axis, angle: angle - leeway });
        }
    }

    fn turn_towards(&mut self, axis: DVec3, wanted: DVec3, leeway: f64) {
        let angle = axis.dot(wanted).clamp(-1.0, 1.0).acos();
        // Upside down, every way up is as good.
        let about = axis.cross(wanted).try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector());
        self.turn(about, angle, leeway);
    }

    fn keep(&mut self, region: &Region, side: Side, molecule: &Molecule, arm: DVec3) {
        let (distance, outward) = region.distance(molecule.pose.translation + arm);
        let (beyond, out) = match side {
            Side::Inside => (distance, outward),
            Side::Outside => (-distance, -outward),
            Side::On => {
                self.shift(arm, -outward, distance, 0.0);
                return;
            }
        };
        // A little less than what counts as broken elsewhere, so that rounding in a file does not break it.
        self.broken |= beyond > 0.5 * BROKEN_REGION;
        let depth = beyond + BEHIND_WALL;
        if depth > 0.0 {
            self.pulls.push(Pull::Shift { arm, direction: -out, depth });
        }
    }
}

// No point is farther from a wall than the middle is by more than it is away from the middle: one look instead of many.
fn is_far_from_wall(region: &Region, side: Side, middle: DVec3, points: &[DVec3]) -> bool {
    if points.len() < 2 || side == Side::On {
        return false;
    }
    let reach = points.iter().map(|point| point.length_squared()).fold(0.0, f64::max).sqrt();
    let distance = region.distance(middle).0;
    let behind = if side == Side::Inside { -distance } else { distance };
    behind > reach * (1.0 + 1e-9) + BEHIND_WALL
}

fn for_each_atom(types: &Scene, molecule: &Molecule, mut call: impl FnMut(DVec3)) {
    let clusters = types.types()[molecule.kind.0 as usize].clusters.clone();
    for cluster in &types.clusters()[clusters.start as usize..clusters.end as usize] {
        (0..cluster.len()).for_each(|lane| call(cluster.atom(lane).center.as_dvec3()));
    }
}

fn shortest_turn(turn: DQuat) -> (DVec3, f64) {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_axis_angle()
}
