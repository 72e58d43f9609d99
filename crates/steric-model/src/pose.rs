//! Where a rigid molecule stands.

use std::ops::Mul;

use glam::{DMat3, DQuat, DVec3};

/// A rigid transform, named after the frames it joins: `world_from_ligand`.
///
/// Poses are `f64`, so that a scene ten micrometres wide keeps a thousandth of an angstrom.
///
/// ```
/// use glam::DVec3;
/// use steric_model::Pose;
///
/// let world_from_water = Pose::from_translation(DVec3::new(10.0, 0.0, 0.0));
/// let oxygen_in_world = world_from_water * DVec3::ZERO;
/// assert_eq!(oxygen_in_world.x, 10.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation, a unit quaternion.
    pub rotation: DQuat,
    /// Translation in angstroms, applied after the rotation.
    pub translation: DVec3,
}

impl Pose {
    /// The pose that changes nothing.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A pose that only moves.
    pub fn from_translation(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// The pose of a rotation matrix printed with a few decimals, and a translation in angstroms. `None` where the
    /// matrix is not a rotation to within 2 %: a mirror, a shear or a change of scale.
    ///
    /// ```
    /// use glam::{DMat3, DVec3};
    /// use steric_model::Pose;
    ///
    /// assert!(Pose::from_matrix(DMat3::IDENTITY, DVec3::X).is_some());
    /// assert!(Pose::from_matrix(-DMat3::IDENTITY, DVec3::X).is_none());
    /// ```
    pub fn from_matrix(rotation: DMat3, translation: DVec3) -> Option<Self> {
        let skew = rotation.transpose() * rotation - DMat3::IDENTITY;
        let worst = skew.to_cols_array().iter().fold(0.0, |worst: f64, entry| worst.max(entry.abs()));
        let is_rotation = worst < 0.02 && rotation.determinant() > 0.0 && translation.is_finite();
        is_rotation.then(|| Self { rotation: DQuat::from_mat3(&rotation).normalize(), translation })
    }

    /// The bits of rotation and translation, as a key for poses that a file writes alike.
    pub fn to_bits(&self) -> [u64; 7] {
        let Self { rotation, translation } = self;
        [rotation.x, rotation.y, rotation.z, rotation.w, translation.x, translation.y, translation.z].map(f64::to_bits)
    }

    /// The pose that undoes this one.
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, translation: rotation * -self.translation }
    }
}

impl Mul<DVec3> for Pose {
    type Output = DVec3;

    fn mul(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

/// `world_from_b * b_from_a` is `world_from_a`.
impl Mul for Pose {
    type Output = Self;

    fn mul(self, inner: Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, translation: self * inner.translation }
    }
}
