//! How far a relaxation moved the molecules.
//!
//! How it works: a molecule's centre is the mean of its atoms; in a periodic box the nearest image of the way from start
//! to end counts, so that a molecule that left on one side and came in on the other has hardly moved. The turn is the
//! angle of the one rotation that leads from the first to the last orientation, from 0 to 180 degrees.

use glam::DVec3;
use serde::Serialize;
use steric_model::{PeriodicBox, Pose, Scene};

use super::Spread;
use super::centers::centers;

/// How far molecules moved and turned from where they started.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::report::Motion;
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::IDENTITY);
/// let start = [scene.molecules()[0].pose];
/// scene.molecules_mut()[0].pose.translation = DVec3::new(3.0, 4.0, 0.0);
/// assert_eq!(Motion::new(&scene, &start).moved.most, 5.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Motion {
    /// How far the centres moved, in angstroms.
    pub moved: Spread,
    /// How far the molecules turned, in degrees.
    pub turned_degrees: Spread,
}

impl Motion {
    /// The motion from the poses at the start, one for each molecule, to those of the scene.
    pub fn new(scene: &Scene, start: &[Pose]) -> Self {
        assert_eq!(scene.molecules().len(), start.len(), "one starting pose per molecule");
        let centers = centers(scene);
        let both = || start.iter().zip(scene.molecules());
        let moves = both().map(|(&start, molecule)| {
            displacement(scene.periodic_box(), centers[molecule.kind.0 as usize], start, molecule.pose).length()
        });
        let turns = both().map(|(start, molecule)| turn(*start, molecule.pose).to_degrees());
        Self { moved: Spread::new(moves.collect()), turned_degrees: Spread::new(turns.collect()) }
    }
}

/// The way of a point of the molecule from one pose to another.
pub(super) fn displacement(periodic_box: Option<PeriodicBox>, point: DVec3, start: Pose, end: Pose) -> DVec3 {
    let way = end * point - start * point;
    periodic_box.map_or(way, |periodic_box| periodic_box.nearest_image(way))
}

/// The angle between two orientations, in radians, from 0 to pi. The sine half keeps its digits where the angle is small.
pub(super) fn turn(start: Pose, end: Pose) -> f64 {
    let between = end.rotation * start.rotation.conjugate();
    2.0 * between.xyz().length().atan2(between.w.abs())
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, Vec3};
    use proptest::prelude::*;
    use steric_model::{PeriodicBox, Random};

    use super::*;

    #[test]
    fn a_turn_about_a_far_atom_moves_the_centre_and_one_about_the_centre_does_not() {
        let mut scene = Scene::default();
        let rod = scene.add_type("rod", &[Vec3::ZERO, Vec3::X * 4.0], &[1.0; 2]);
        scene.add_molecule(rod, Pose::IDENTITY);
        let half = Pose { rotation: DQuat::from_rotation_z(std::f64::consts::PI), ..Pose::IDENTITY };
        scene.molecules_mut()[0].pose = half;
        let motion = Motion::new(&scene, &[Pose::IDENTITY]);
        assert!((motion.moved.most - 4.0).abs() < 1e-12 && (motion.turned_degrees.most - 180.0).abs() < 1e-9);
        scene.molecules_mut()[0].pose.translation.x = 4.0;
        assert!(Motion::new(&scene, &[Pose::IDENTITY]).moved.most < 1e-12);
    }

    #[test]
    fn a_molecule_that_comes_in_on_the_other_side_has_hardly_moved() {
        let mut scene = Scene::default();
        let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
        scene.add_molecule(argon, Pose::from_translation(DVec3::X * 29.5));
        scene.set_periodic_box(PeriodicBox::orthogonal(DVec3::splat(30.0)));
        assert!((Motion::new(&scene, &[Pose::IDENTITY]).moved.most - 0.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_turn_is_the_angle_about_its_axis_whatever_the_signs_of_the_quaternions(seed: u64, angle in 0.0..3.1f64) {
            let mut random = Random::new(seed);
            let start = Pose { rotation: random.rotation(), ..Pose::IDENTITY };
            let turned = DQuat::from_axis_angle(random.direction(), angle) * start.rotation;
            for rotation in [turned, -turned] {
                let end = Pose { rotation, ..start };
                prop_assert!((turn(start, end) - angle).abs() < 1e-9);
            }
        }
    }
}
