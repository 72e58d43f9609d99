//! What a packed scene says, in JSON: ingredients by compartment, and the positions of their copies.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use glam::{DMat3, DQuat, DVec3};
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Place, Pose, ReadError};

/// The whole file. Ordered maps, so that the order of ingredients is the same in every run.
#[derive(Deserialize)]
pub(super) struct Packing {
    #[serde(default)]
    recipe: Recipe,
    #[serde(default, alias = "cytoplasm")]
    cytoplasme: Group,
    #[serde(default)]
    compartments: BTreeMap<String, Compartment>,
}

#[derive(Default, Deserialize)]
struct Recipe {
    name: Option<String>,
}

#[derive(Default, Deserialize)]
struct Compartment {
    #[serde(default)]
    surface: Group,
    #[serde(default)]
    interior: Group,
}

#[derive(Default, Deserialize)]
struct Group {
    #[serde(default)]
    ingredients: BTreeMap<String, Ingredient>,
}

/// One kind of molecule and its copies.
#[derive(Deserialize)]
pub(super) struct Ingredient {
    #[serde(default)]
    pub(super) source: Source,
    #[serde(default, deserialize_with = "placements")]
    pub(super) results: Vec<(DVec3, Rotation)>,
    #[serde(default, rename = "principalAxis", alias = "principalVector")]
    principal_axis: Option<[f64; 3]>,
    #[serde(default)]
    offset: Option<[f64; 3]>,
    #[serde(default, rename = "nbCurve")]
    pub(super) curves: u32,
}

/// Where the molecule's structure comes from.
#[derive(Default, Deserialize)]
pub(super) struct Source {
    #[serde(default)]
    pdb: Value,
    #[serde(default)]
    bu: Value,
    #[serde(default)]
    center: Option<bool>,
    #[serde(default)]
    biomt: Option<bool>,
    #[serde(default)]
    transform: Transform,
}

#[derive(Default, Deserialize)]
struct Transform {
    #[serde(default)]
    center: Option<bool>,
    #[serde(default)]
    translate: Option<[f64; 3]>,
    #[serde(default)]
    rotate: Value,
}

/// The rotation of one copy, as the file has it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Rotation {
    Quaternion([f64; 4]),
    Matrix3([[f64; 3]; 3]),
    Matrix4([[f64; 4]; 4]),
}

impl Packing {
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self, ReadError> {
        parse(bytes, path, "a cellPACK result")
    }

    pub(super) fn name(&self) -> Option<String> {
        self.recipe.name.clone().filter(|name| !name.is_empty() && name != "root")
    }

    /// Every ingredient with its path: `HIV_capsid/surface/HIVCapside`.
    pub(super) fn ingredients(&self) -> Vec<(String, &Ingredient)> {
        let mut all = Vec::new();
        collect(&mut all, "cytoplasm", &self.cytoplasme);
        for (name, compartment) in &self.compartments {
            collect(&mut all, &format!("{name}/surface"), &compartment.surface);
            collect(&mut all, &format!("{name}/interior"), &compartment.interior);
        }
        all
    }
}

/// Reads JSON; where it is broken, the error points there.
pub(super) fn parse<T: serde::de::DeserializeOwned>(bytes: &[u8], path: &Path, what: &str) -> Result<T, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        let place = Place::Line(error.line().max(1), Some((error.column(), error.column())));
        let line = bytes.split(|&byte| byte == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let found = &line[error.column().saturating_sub(20).min(line.len())..];
        ReadError::content(path, place, format!("{what} ({error})"), found)
    })
}

fn collect<'a>(all: &mut Vec<(String, &'a Ingredient)>, prefix: &str, group: &'a Group) {
    all.extend(group.ingredients.iter().map(|(name, ingredient)| (format!("{prefix}/{name}"), ingredient)));
}

impl Ingredient {
    pub(super) fn axis(&self) -> Option<DVec3> {
        self.principal_axis.map(DVec3::from)
    }

    pub(super) fn offset(&self) -> DVec3 {
        self.offset.map_or(DVec3::ZERO, DVec3::from)
    }
}

impl Source {
    /// The name of the structure's file or PDB entry; Python's `None` is none.
    pub(super) fn structure_name(&self) -> Option<&str> {
        self.pdb.as_str().map(str::trim).filter(|name| !name.is_empty() && *name != "None")
    }

    /// `BU1` is biological unit 1, `AU` the asymmetric unit, which is what the file holds.
    pub(super) fn biological_unit(&self) -> Option<String> {
        let named = self.bu.as_str().and_then(|unit| unit.trim().strip_prefix("BU")).map(str::to_owned);
        named.or_else(|| (self.biomt == Some(true)).then(|| "1".to_owned()))
    }

    pub(super) fn is_centred(&self) -> bool {
        self.center.or(self.transform.center).unwrap_or(true)
    }

    pub(super) fn translation(&self) -> DVec3 {
        self.transform.translate.map_or(DVec3::ZERO, DVec3::from)
    }

    /// A quaternion, w first; anything else is none.
    pub(super) fn rotation(&self) -> Option<DQuat> {
        let [w, x, y, z] = <[f64; 4]>::deserialize(&self.transform.rotate).ok()?;
        let rotation = DQuat::from_xyzw(x, y, z, w);
        ((rotation.length() - 1.0).abs() < 0.01).then(|| rotation.normalize())
    }
}

// A list of `[position, rotation, ...]`; what comes behind the rotation is of no use here.
fn placements<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(DVec3, Rotation)>, D::Error> {
    let placements = Vec::<Placement>::deserialize(deserializer)?;
    Ok(placements.into_iter().map(|placement| (placement.0, placement.1)).collect())
}

struct Placement(DVec3, Rotation);

impl<'de> Deserialize<'de> for Placement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PlacementVisitor)
    }
}

struct PlacementVisitor;

impl<'de> Visitor<'de> for PlacementVisitor {
    type Value = Placement;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position and a rotation")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Placement, A::Error> {
        let position: [f64; 3] = parts.next_element()?.ok_or_else(|| Error::custom("a copy without a position"))?;
        let rotation = parts.next_element()?.ok_or_else(|| Error::custom("a copy without a rotation"))?;
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Placement(DVec3::from(position), rotation))
    }
}

/// The pose of a copy: with a principal axis quaternions are x, y, z, w, without one w, x, y, z.
pub(super) fn pose(position: DVec3, rotation: &Rotation, axis_is_given: bool) -> Option<Pose> {
    let rotation = match *rotation {
        Rotation::Quaternion([x, y, z, w]) if axis_is_given => DQuat::from_xyzw(x, y, z, w),
        Rotation::Quaternion([w, x, y, z]) => DQuat::from_xyzw(x, y, z, w),
        Rotation::Matrix3(rows) => return pose_of_rows(position, rows),
        Rotation::Matrix4([a, b, c, _]) => {
            return pose_of_rows(position, [[a[0], a[1], a[2]], [b[0], b[1], b[2]], [c[0], c[1], c[2]]]);
        }
    };
    let length = rotation.length();
    let is_rotation = (length - 1.0).abs() < 0.01 && position.is_finite();
    is_rotation.then(|| Pose { rotation: rotation.normalize(), translation: position })
}

fn pose_of_rows(position: DVec3, rows: [[f64; 3]; 3]) -> Option<Pose> {
    Pose::from_matrix(DMat3::from_cols_array_2d(&rows).transpose(), position)
}
