//! A skeleton made elsewhere, brought to where the structure is.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use steric_model::{Bone, Rig, Structure};

/// How a rig is brought to a structure.
///
/// ```
/// use steric_world::animate::{Alignment, Fit};
///
/// let blender = Alignment { unit: Some(10.0), ..Alignment::default() };
/// assert_eq!((blender.fit, blender.up), (Fit::Auto, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Alignment {
    /// Angstroms per unit of the rig; 1 where nothing is said.
    pub unit: Option<f64>,
    /// The axis of the rig that points up, where up is z in the structure: `x`, `y` or `z`.
    pub up: Option<Up>,
    /// Whether to fit the bones to the atoms.
    pub fit: Fit,
    /// Then turned about x, y and z in degrees, one after the other, about the middle of the bones.
    pub turn: [f64; 3],
    /// Then moved, in angstroms.
    pub shift: [f64; 3],
}

/// Which way is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// Along x.
    X,
    /// Along y, as in glTF.
    Y,
    /// Along z, as in Blender and in most structures.
    Z,
}

/// Whether bones are fitted to atoms: middle on middle, longest extent along longest extent, as large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// Where fewer than half of the atoms are nearer to a bone than a quarter of the structure's size, or the rig is much smaller or larger.
    #[default]
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

impl std::str::FromStr for Fit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "yes" => Ok(Self::Yes),
            "no" => Ok(Self::No),
            _ => Err(format!("expected auto, yes or no, found {text:?}")),
        }
    }
}

impl std::str::FromStr for Up {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "x" => Ok(Self::X),
            "y" => Ok(Self::Y),
            "z" => Ok(Self::Z),
            _ => Err(format!("expected x, y or z, found {text:?}")),
        }
    }
}

impl Alignment {
    /// The rig in the structure's place, and whether it was fitted.
    pub fn apply(&self, rig: &Rig, structure: &Structure) -> (Rig, bool) {
        let places: Vec<DVec3> = structure.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
        let upright = match self.up {
            None | Some(Up::Z) => DQuat::IDENTITY,
            Some(Up::Y) => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
            Some(Up::X) => DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2),
        };
        let unit = DVec3::splat(self.unit.unwrap_or(1.0));
        let mut placed = DAffine3::from_scale_rotation_translation(unit, upright, DVec3::ZERO);
        let bones = |placed: &DAffine3| moved_bones(rig, placed);
        let is_fitted = match self.fit {
            Fit::Yes => true,
            Fit::No => false,
            Fit::Auto => is_far_off(&bones(&placed), &places),
        };
        if is_fitted {
            placed = fitted(&bones(&placed), &places) * placed;
        }
        let [x, y, z] = self.turn.map(f64::to_radians);
        let turn = DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x);
        let middle = Spread::of_bones(&bones(&placed)).middle;
        let about_middle = DAffine3::from_rotation_translation(turn, middle + DVec3::from(self.shift) - turn * middle);
        placed = about_middle * placed;
        let is_moved = !placed.abs_diff_eq(DAffine3::IDENTITY, 1e-12);
        (if is_moved { rig.moved(&placed) } else { rig.clone() }, is_fitted)
    }
}

fn moved_bones(rig: &Rig, placed: &DAffine3) -> Vec<Bone> {
    let moved = |bone: Bone| Bone {
        joint: bone.joint,
        head: placed.transform_point3(bone.head),
        tail: placed.transform_point3(bone.tail),
    };
    rig.skeleton.bones().into_iter().map(moved).collect()
}

/// Middle, size and axes of a cloud of points.
struct Spread {
    middle: DVec3,
    /// The root mean square distance from the middle.
    size: f64,
    /// Directions of the largest and the smallest spread, and the one between, right-handed.
    axes: DMat3,
}

impl Spread {
    fn new(points: &[DVec3]) -> Self {
        let count = points.len().max(1) as f64;
        let middle = points.iter().sum::<DVec3>() / count;
        let mut covariance = DMat3::ZERO;
        for point in points {
            let d = *point - middle;
            covariance += DMat3::from_cols(d * d.x, d * d.y, d * d.z) * (1.0 / count);
        }
        let size = (covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z).sqrt();
        Self { middle, size, axes: super::generate::principal_axes(covariance) }
    }

    /// Eleven points along each bone, so that long bones count for more.
    fn of_bones(bones: &[Bone]) -> Self {
        let points: Vec<DVec3> = bones
            .iter()
            .flat_map(|bone| (0..=10).map(|step| bone.head.lerp(bone.tail, f64::from(step) / 10.0)))
            .collect();
        Self::new(&points)
    }
}

fn nearest_bone(bones: &[Bone], place: DVec3) -> f64 {
    bones.iter().map(|bone| bone.distance(place)).fold(f64::INFINITY, f64::min)
}

/// Every so many atoms are asked, so that a million of them take no longer than a thousand.
fn sampled(places: &[DVec3]) -> impl Iterator<Item = DVec3> + '_ {
    places.iter().copied().step_by((places.len() / 500).max(1))
}

fn is_far_off(bones: &[Bone], places: &[DVec3]) -> bool {
    let (atoms, skeleton) = (Spread::new(places), Spread::of_bones(bones));
    if skeleton.size <= 1e-12 || atoms.size <= 1e-12 {
        return skeleton.middle.distance(atoms.middle) > 2.0 * (atoms.size + skeleton.size) + 1.0;
    }
    let ratio = skeleton.size / atoms.size;
    let near = sampled(places).filter(|&place| nearest_bone(bones, place) < 0.5 * atoms.size).count();
    !(0.2..5.0).contains(&ratio) || 2 * near < sampled(places).count()
}

/// Of the four ways to lay axes on axes, the one with the atoms nearest to bones.
fn fitted(bones: &[Bone], places: &[DVec3]) -> DAffine3 {
    let (atoms, skeleton) = (Spread::new(places), Spread::of_bones(bones));
    // A point has neither a size nor a direction.
    let is_point = skeleton.size <= 1e-12 || atoms.size <= 1e-12;
    let scale = if is_point { 1.0 } else { atoms.size / skeleton.size };
    let flips = [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
    let tried = flips.map(|flip| {
        let turn = atoms.axes * DMat3::from_diagonal(flip) * skeleton.axes.transpose() * scale;
        let turn = if is_point { DMat3::IDENTITY } else { turn };
        let way = DAffine3 { matrix3: turn, translation: atoms.middle - turn * skeleton.middle };
        let moved: Vec<Bone> = bones
            .iter()
            .map(|bone| Bone {
                joint: bone.joint,
                head: way.transform_point3(bone.head),
                tail: way.transform_point3(bone.tail),
            })
            .collect();
        let cost: f64 = sampled(places).map(|place| nearest_bone(&moved, place).powi(2)).sum();
        (cost, way)
    });
    tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or(DAffine3::IDENTITY, |(_, way)| way)
}
