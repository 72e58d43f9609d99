//! Which holds are broken, and how badly.
//!
//! How it works: each hold says how far a molecule stands beyond what it may, as a length and as an angle; what is within
//! the slack, a tenth of an angstrom or a degree (a hundredth at the wall of a region), is kept. A surface judges the height of the head and the lean of the axis, a start the way and the
//! turn, a region each of its points. In a periodic box a head that seems to have left its height is looked for among the
//! neighbouring images, because a molecule that crosses a wall comes in on the other side.

use glam::DVec3;
use serde::Serialize;
use steric_model::{MoleculeId, PeriodicBox, Pose, Scene};

use super::centers::centers;
use super::motion::{displacement, turn};
use crate::relax::pulls::{BROKEN_REGION, BROKEN_SHIFT, BROKEN_TURN};
use crate::relax::{Hold, Leaflet};
use crate::shape::{Side, Surface};

/// How far a hold was stretched beyond its leeway.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Breach {
    /// In angstroms; 0 within the leeway.
    pub(super) length: f64,
    /// In radians; 0 within the leeway.
    pub(super) angle: f64,
    broken: bool,
}

impl Breach {
    fn new(length: f64, angle: f64) -> Self {
        let broken = length > BROKEN_SHIFT || angle > BROKEN_TURN;
        Self { length: length.max(0.0), angle: angle.max(0.0), broken }
    }

    fn of_region(length: f64) -> Self {
        Self { length: length.max(0.0), angle: 0.0, broken: length > BROKEN_REGION }
    }

    pub(super) fn is_broken(self) -> bool {
        self.broken
    }

    pub(super) fn worse(self, other: Self) -> Self {
        let broken = self.broken || other.broken;
        Self { length: self.length.max(other.length), angle: self.angle.max(other.angle), broken }
    }
}

/// How many molecules are held, and how many stand beyond their leeways.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::Hold;
/// use steric_world::report::HoldReport;
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X * 3.0));
/// let holds = [Hold::Start { leeway: 2.0, turn: 0.1 }];
/// let report = HoldReport::new(&scene, &[Pose::IDENTITY], &|_| &holds);
/// assert_eq!((report.held, report.broken, report.worst), (1, 1, 1.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct HoldReport {
    /// Molecules with at least one hold.
    pub held: u64,
    /// Molecules that stand beyond the leeway of one, by more than 0.1 Å or a degree.
    pub broken: u64,
    /// The farthest beyond a leeway, in angstroms.
    pub worst: f64,
    /// The farthest beyond a leeway, in degrees.
    pub worst_degrees: f64,
}

impl HoldReport {
    /// Measures every hold of every molecule; `start` has one pose for each.
    pub fn new<'a>(scene: &Scene, start: &[Pose], holds: &dyn Fn(MoleculeId) -> &'a [Hold]) -> Self {
        assert_eq!(scene.molecules().len(), start.len(), "one starting pose per molecule");
        let centers = centers(scene);
        let mut report = Self::default();
        let mut worst = Breach::default();
        for (id, &start) in (0..).map(MoleculeId).zip(start) {
            let center = centers[scene.molecules()[id.0 as usize].kind.0 as usize];
            let all = holds(id).iter().map(|hold| breach(scene, id, center, start, hold));
            let Some(breach) = all.reduce(Breach::worse) else { continue };
            report.held += 1;
            report.broken += u64::from(breach.is_broken());
            worst = worst.worse(breach);
        }
        Self { worst: worst.length, worst_degrees: worst.angle.to_degrees(), ..report }
    }
}

fn breach(scene: &Scene, id: MoleculeId, center: DVec3, start: Pose, hold: &Hold) -> Breach {
    let pose = scene.molecules()[id.0 as usize].pose;
    match hold {
        Hold::Surface { surface, leaflet, head, height, leeway, axis, tilt } => {
            let stand =
                Stand::new(surface, *leaflet, pose, *head, *axis).nearest(scene.periodic_box(), *height, *leeway);
            stand.breach(*height, *leeway, *tilt)
        }
        Hold::Start { leeway, turn: most } => {
            let moved = displacement(scene.periodic_box(), center, start, pose).length();
            Breach::new(moved - leeway, turn(start, pose) - most)
        }
        Hold::Rule(rule) => Breach::of_region(rule.breach(&pose)),
        Hold::Region { region, side, points } => {
            let beyond = |point: DVec3| match (side, region.distance(point).0) {
                (Side::Inside, distance) => distance,
                (Side::Outside, distance) => -distance,
                (Side::On, distance) => distance.abs(),
            };
            let worst = |points: &mut dyn Iterator<Item = DVec3>| points.map(beyond).fold(0.0, f64::max);
            match &points[..] {
                [] => Breach::of_region(worst(&mut scene.placed_atoms(id).map(|(_, atom, _)| atom))),
                points => Breach::of_region(worst(&mut points.iter().map(|&point| pose * point))),
            }
        }
    }
}

/// How a molecule stands on a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stand<'a> {
    surface: &'a Surface,
    leaflet: Leaflet,
    pose: Pose,
    head: DVec3,
    axis: DVec3,
    /// Of the head above the surface, in angstroms.
    pub(super) height: f64,
    /// Between the axis and the direction in which heads of the leaflet point, in radians. The normal is that at the
    /// molecule's own origin, so that a lipid that leans over does not take it along.
    pub(super) tilt: f64,
    /// What a periodic box adds to the molecule's place, in angstroms.
    pub(super) image: DVec3,
}

impl<'a> Stand<'a> {
    /// Head and axis are in the molecule's own frame.
    pub(super) fn new(surface: &'a Surface, leaflet: Leaflet, pose: Pose, head: DVec3, axis: DVec3) -> Self {
        Self { surface, leaflet, pose, head, axis, height: 0.0, tilt: 0.0, image: DVec3::ZERO }.at(DVec3::ZERO)
    }

    fn at(self, image: DVec3) -> Self {
        let upright = self.leaflet.sign() * self.surface.height(self.pose.translation + image).1;
        let height = self.surface.height(self.pose * self.head + image).0;
        Self { height, tilt: (self.pose.rotation * self.axis).angle_between(upright), image, ..self }
    }

    /// Of the molecule's periodic images the one whose head is nearest to its height.
    pub(super) fn nearest(self, periodic_box: Option<PeriodicBox>, height: f64, leeway: f64) -> Self {
        let off = |stand: &Self| (stand.height - height).abs();
        let Some(periodic_box) = periodic_box.filter(|_| off(&self) > leeway) else { return self };
        let steps = (0..27).map(|code| DVec3::new((code % 3) as f64, (code / 3 % 3) as f64, (code / 9) as f64) - 1.0);
        let images = steps.map(|step| self.at(periodic_box.vectors() * step));
        images.fold(self, |best, image| if off(&image) < off(&best) { image } else { best })
    }

    pub(super) fn breach(&self, height: f64, leeway: f64, tilt: f64) -> Breach {
        Breach::new((self.height - height).abs() - leeway, self.tilt - tilt)
    }

    /// Whether the head stands on the other side of the surface than its leaflet does, or the molecule upside down.
    pub(super) fn is_swapped(&self, height: f64) -> bool {
        self.height * height < 0.0 || self.tilt > std::f64::consts::FRAC_PI_2
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;

    use super::*;
    use crate::shape::Region;

    fn argon_at(x: f64) -> Scene {
        let mut scene = Scene::default();
        let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
        scene.add_molecule(argon, Pose::from_translation(DVec3::X * x));
        scene
    }

    #[test]
    fn each_side_of_a_region_is_kept_or_broken_by_the_distance_to_its_boundary() {
        let ball = Arc::new(Region::Sphere { center: DVec3::ZERO, radius: 10.0 });
        for (side, x, beyond) in [
            (Side::Inside, 9.0, 0.0),
            (Side::Inside, 12.0, 2.0),
            (Side::Outside, 12.0, 0.0),
            (Side::Outside, 9.0, 1.0),
            (Side::On, 9.0, 1.0),
            (Side::On, 12.0, 2.0),
        ] {
            for points in [vec![], vec![DVec3::ZERO]] {
                let holds = [Hold::Region { region: ball.clone(), side, points }];
                let report = HoldReport::new(&argon_at(x), &[Pose::IDENTITY], &|_| &holds);
                assert!((report.worst - beyond).abs() < 1e-9, "{side:?} {x}: {}", report.worst);
                assert_eq!(report.broken, u64::from(beyond > 0.0));
            }
        }
    }

    #[test]
    fn molecules_without_holds_are_not_held() {
        assert_eq!(HoldReport::new(&argon_at(0.0), &[Pose::IDENTITY], &|_| &[]), HoldReport::default());
    }
}
