//! What joints do to points, prepared for a frame.
//!
//! How it works: a joint's motion is cut into a stretch about its head, a rotation and a shift. Linear blending takes the motion whole.
//! The other two blend rotations, which stay rotations: first what is stretched is stretched, linearly, then what is left is
//! blended as unit quaternions. Of two quaternions that mean the same rotation the one is taken that is nearer to those of the other joints.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use steric_model::Skeleton;

use super::weights::INFLUENCES;

/// How the motions of several joints become one.
///
/// ```
/// use steric_world::animate::Blend;
///
/// assert_eq!("dual-quaternion".parse(), Ok(Blend::DualQuaternion));
/// assert!("cubic".parse::<Blend>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blend {
    /// The mean of where each joint would move a point. Cheap, and collapses where joints are twisted against each other.
    Linear,
    /// The mean rotation about the point that all joints agree on the most (Kavan and Žára 2005).
    Spherical,
    /// The mean screw (Kavan, Collins, Žára and O'Sullivan 2007).
    #[default]
    DualQuaternion,
}

impl Blend {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Spherical, Self::DualQuaternion];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Spherical => "spherical",
            Self::DualQuaternion => "dual-quaternion",
        }
    }
}

impl std::str::FromStr for Blend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|blend| blend.name() == text);
        named.ok_or_else(|| format!("expected linear, spherical or dual-quaternion, found {text:?}"))
    }
}

/// What a joint does: `p -> rotation * stretched(p) + translation`.
///
/// ```
/// use glam::{DAffine3, DQuat, DVec3};
/// use steric_world::animate::JointMotion;
///
/// let twice = DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), DQuat::from_rotation_z(1.0), DVec3::X);
/// let motion = JointMotion::new(&twice, DVec3::Y);
/// assert!(motion.is_stretched() && motion.rotation.angle_between(DQuat::from_rotation_z(1.0)) < 1e-6);
/// let point = DVec3::new(3.0, -1.0, 2.0);
/// let again = motion.rotation * motion.stretch.transform_point3(point) + motion.translation;
/// assert!(again.abs_diff_eq(twice.transform_point3(point), 1e-9));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMotion {
    /// The whole motion: `posed_from_bound`.
    pub whole: DAffine3,
    /// What it does to distances: a stretch that leaves the joint's head where it is; the identity for most.
    pub stretch: DAffine3,
    /// A unit quaternion.
    pub rotation: DQuat,
    /// In angstroms.
    pub translation: DVec3,
}

impl JointMotion {
    /// A motion of a joint whose head was bound at a place.
    pub fn new(whole: &DAffine3, head: DVec3) -> Self {
        let rotation = nearest_rotation(whole.matrix3);
        let turned = DMat3::from_quat(rotation);
        let stretch = turned.transpose() * whole.matrix3;
        let is_rigid = stretch.abs_diff_eq(DMat3::IDENTITY, 1e-6);
        let stretch = if is_rigid { DMat3::IDENTITY } else { stretch };
        Self {
            whole: *whole,
            stretch: DAffine3 { matrix3: stretch, translation: head - stretch * head },
            rotation,
            translation: whole.transform_point3(head) - rotation * head,
        }
    }

    /// The motions of all joints of a skeleton in these motions.
    pub fn all(skeleton: &Skeleton, motions: &[DAffine3]) -> Vec<Self> {
        let joints = skeleton.joints.iter().zip(motions);
        joints.map(|(joint, motion)| Self::new(motion, joint.bind.translation)).collect()
    }

    /// Whether it changes distances.
    pub fn is_stretched(&self) -> bool {
        self.stretch.matrix3 != DMat3::IDENTITY
    }

    /// The same in coordinates measured from another origin.
    pub fn about(&self, origin: DVec3) -> Self {
        let whole = DAffine3 { matrix3: self.whole.matrix3, translation: self.whole.transform_point3(origin) - origin };
        let stretch =
            DAffine3 { matrix3: self.stretch.matrix3, translation: self.stretch.transform_point3(origin) - origin };
        Self {
            whole,
            stretch,
            rotation: self.rotation,
            translation: self.rotation * origin + self.translation - origin,
        }
    }

    /// The unit dual quaternion of rotation and shift: real part, dual part.
    pub fn dual_quaternion(&self) -> [DQuat; 2] {
        let shift = DQuat::from_xyzw(self.translation.x, self.translation.y, self.translation.z, 0.0);
        [self.rotation, (shift * self.rotation) * 0.5]
    }
}

/// The rotation that is nearest to a matrix: the orthogonal factor of its polar decomposition, by Newton's iteration (Higham 1986). Of a
/// mirror the rotation that is left when the mirror is taken as a stretch; of a matrix that flattens space whatever is found.
pub fn nearest_rotation(matrix: DMat3) -> DQuat {
    let mut factor = if matrix.determinant() < 0.0 { matrix * -1.0 } else { matrix };
    for _ in 0..40 {
        let inverse = factor.inverse().transpose();
        if !inverse.is_finite() || factor.determinant().abs() < 1e-12 {
            break;
        }
        // Scaled by the geometric mean of the two sizes, far from a rotation converges in a few steps, too.
        let size =
            |m: &DMat3| (m.x_axis.length_squared() + m.y_axis.length_squared() + m.z_axis.length_squared()).sqrt();
        let scale = (size(&inverse) / size(&factor)).sqrt();
        let next = (factor * scale + inverse * (1.0 / scale)) * 0.5;
        let is_there = next.abs_diff_eq(factor, 1e-14);
        factor = next;
        if is_there {
            break;
        }
    }
    let rotation = DQuat::from_mat3(&factor);
    if rotation.is_finite() && rotation.length_squared() > 0.5 { rotation.normalize() } else { DQuat::IDENTITY }
}

/// The point that a set of joints moves to places as near to each other as can be, where the rotation of spherical blending is
/// centred: least squares over all pairs (Kavan and Žára 2005, section 4), held weakly to the middle of the joints' heads, because joints that turn
/// about a common axis leave the place along it open, and joints that move as one leave everything open.
pub fn rotation_centre(set: &[JointMotion], heads: &[DVec3]) -> DVec3 {
    let held = heads.iter().sum::<DVec3>() / heads.len().max(1) as f64;
    let (mut normal, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for (index, first) in set.iter().enumerate() {
        for second in &set[index + 1..] {
            let turn = DMat3::from_quat(first.rotation) - DMat3::from_quat(second.rotation);
            normal += turn.transpose() * turn;
            right -= turn.transpose() * (turn * held + first.translation - second.translation);
        }
    }
    let hold = DMat3::from_diagonal(DVec3::splat(1e-6));
    let from_held = (normal + hold).inverse() * right;
    if from_held.is_finite() { held + from_held } else { held }
}

/// The joints of a set with their quaternions on one side: of all ways to choose signs the one with the longest sum, of several the first. To go by one joint alone would tear
/// the others apart where that one has hardly any weight.
pub(crate) fn on_one_side(set: [u16; INFLUENCES], motions: &[JointMotion]) -> [JointMotion; INFLUENCES] {
    let own = set.map(|joint| motions[usize::from(joint)]);
    let signed = |signs: usize, place: usize| {
        let rotation = own[place].rotation;
        if signs >> place & 1 == 1 { -rotation } else { rotation }
    };
    let length = |signs: usize| {
        let sum = (1..INFLUENCES).fold(signed(signs, 0), |sum, place| sum + signed(signs, place));
        sum.length_squared()
    };
    // The first joint keeps its sign.
    let signs = (0..1 << INFLUENCES).step_by(2);
    let (_, best) = signs.fold((f64::NEG_INFINITY, 0), |(most, best), signs| {
        let own = length(signs);
        if own > most + 1e-12 { (own, signs) } else { (most, best) }
    });
    let mut place = 0;
    own.map(|motion| {
        let rotation = signed(best, place);
        place += 1;
        JointMotion { rotation, ..motion }
    })
}
