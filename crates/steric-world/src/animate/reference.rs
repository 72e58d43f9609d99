//! Blending as the papers write it: one point at a time, in double precision.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::blend::{Blend, JointMotion, nearest_rotation, on_one_side, rotation_centre};
use super::weights::{Hung, INFLUENCES};

/// Where a point of [`Hung`] is moved to. `heads` are the joints' heads as bound.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::{Joint, JointPose, Skeleton};
/// use steric_world::animate::{Blend, Hung, JointMotion, WeightOptions, reference};
///
/// // The wrapper of a sweet: the second bone is turned half around the line of both.
/// let skeleton = Skeleton::new(vec![
///     Joint::new("first", None, JointPose::IDENTITY),
///     Joint::new("second", Some(0), JointPose::at(DVec3::X * 10.0)),
/// ]);
/// let mut poses = skeleton.rest();
/// poses[1].rotation = DQuat::from_rotation_x(std::f64::consts::PI);
/// let motions = JointMotion::all(&skeleton, &skeleton.motions(&poses));
/// let rim = DVec3::new(10.0, 3.0, 0.0);
/// let hung = Hung::new(&skeleton, &[rim], &WeightOptions::default());
/// let heads = [DVec3::ZERO, DVec3::X * 10.0];
/// let away = |blend| {
///     let moved = reference::skin(rim, 0, &hung, &motions, &heads, blend);
///     (moved - DVec3::X * moved.x).length()
/// };
/// assert!(away(Blend::Linear) < 1e-6, "the rim collapses onto the bone");
/// assert!((away(Blend::Spherical) - 3.0).abs() < 1e-6);
/// assert!((away(Blend::DualQuaternion) - 3.0).abs() < 1e-6);
/// ```
pub fn skin(point: DVec3, number: usize, hung: &Hung, motions: &[JointMotion], heads: &[DVec3], blend: Blend) -> DVec3 {
    let own = Own::new(number, hung, motions, heads);
    match blend {
        Blend::Linear => own.sum(|motion| motion.whole).transform_point3(point),
        Blend::Spherical => own.about_centre(own.stretched(point)),
        Blend::DualQuaternion => {
            let (rotation, translation) = own.screw();
            rotation * own.stretched(point) + translation
        }
    }
}

/// How a rigid group is turned whose centre is a point of [`Hung`], and where its centre is moved to.
pub fn skin_group(
    centre: DVec3,
    number: usize,
    hung: &Hung,
    motions: &[JointMotion],
    heads: &[DVec3],
    blend: Blend,
) -> (DQuat, DVec3) {
    let own = Own::new(number, hung, motions, heads);
    let moved = skin(centre, number, hung, motions, heads, blend);
    let rotation = match blend {
        Blend::Linear => nearest_rotation(own.sum(|motion| motion.whole).matrix3),
        Blend::Spherical => own.rotation(),
        Blend::DualQuaternion => own.screw().0,
    };
    (rotation, moved)
}

/// The joints of one point.
struct Own {
    motions: [JointMotion; INFLUENCES],
    heads: [DVec3; INFLUENCES],
    weights: [f64; INFLUENCES],
}

impl Own {
    fn new(number: usize, hung: &Hung, motions: &[JointMotion], heads: &[DVec3]) -> Self {
        let set = hung.sets[hung.set_of[number] as usize];
        Self {
            motions: on_one_side(set, motions),
            heads: set.map(|joint| heads[usize::from(joint)]),
            weights: hung.weights[number].map(f64::from),
        }
    }

    fn sum(&self, of: impl Fn(&JointMotion) -> DAffine3) -> DAffine3 {
        let mut sum = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
        for (motion, &weight) in self.motions.iter().zip(&self.weights) {
            let one = of(motion);
            sum.matrix3 += one.matrix3 * weight;
            sum.translation += one.translation * weight;
        }
        sum
    }

    fn stretched(&self, point: DVec3) -> DVec3 {
        self.sum(|motion| motion.stretch).transform_point3(point)
    }

    fn rotation(&self) -> DQuat {
        let mean = self.motions.iter().zip(&self.weights);
        mean.fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (motion, &weight)| sum + motion.rotation * weight)
            .normalize()
    }

    fn about_centre(&self, point: DVec3) -> DVec3 {
        let centre = rotation_centre(&self.motions, &self.heads);
        let moved = |motion: &JointMotion| motion.rotation * centre + motion.translation;
        let mean: DVec3 = self.motions.iter().zip(&self.weights).map(|(motion, &weight)| moved(motion) * weight).sum();
        self.rotation() * (point - centre) + mean
    }

    fn screw(&self) -> (DQuat, DVec3) {
        let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let (mut real, mut dual) = (zero, zero);
        for (motion, &weight) in self.motions.iter().zip(&self.weights) {
            let [own_real, own_dual] = motion.dual_quaternion();
            (real, dual) = (real + own_real * weight, dual + own_dual * weight);
        }
        let length = real.length();
        let (real, dual) = (real * (1.0 / length), dual * (1.0 / length));
        (real, (dual * real.conjugate()).xyz() * 2.0)
    }
}
