//! Manifests of Mol*'s Mesoscale Explorer: a file and its instances for each kind of molecule.
//!
//! How it works: an entity names a file, which is taken as it is, and holds the positions of its copies one behind the other, and their
//! rotations as quaternions (x, y, z, w), Euler angles or matrices. It belongs to groups; that of the compartments
//! (`root.exosome.surface`) becomes the path of its name.

use std::path::Path;

use glam::{DMat3, DQuat, DVec3, EulerRot};
use serde::Deserialize;

use super::{Packing, json};
use crate::{Pose, ReadError};

#[derive(Deserialize)]
pub(super) struct Manifest {
    #[serde(default)]
    pub(super) label: String,
    #[serde(default)]
    pub(super) entities: Vec<Entity>,
}

#[derive(Deserialize)]
pub(super) struct Entity {
    pub(super) file: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    groups: Vec<Group>,
    instances: Option<Instances>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(default)]
    id: String,
    #[serde(default)]
    root: String,
}

#[derive(Deserialize)]
struct Instances {
    positions: Numbers,
    rotations: Rotations,
}

#[derive(Deserialize)]
struct Numbers {
    data: Vec<f64>,
}

#[derive(Deserialize)]
struct Rotations {
    #[serde(default)]
    variant: String,
    data: Vec<f64>,
}

/// Whether a file is a manifest and not a packed scene.
pub(super) fn is_manifest(bytes: &[u8]) -> bool {
    let has = |key: &[u8]| memchr::memmem::find(bytes, key).is_some();
    has(b"\"entities\"") && has(b"\"instances\"") && !has(b"\"ingredients\"")
}

impl Manifest {
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self, ReadError> {
        json::parse(bytes, path, "a manifest of Mol*")
    }
}

impl Entity {
    /// The path of its compartment and its label.
    pub(super) fn place(&self) -> String {
        let group = self.groups.iter().find(|group| group.root == "compartments" || group.root.starts_with("comp"));
        let label = if self.label.is_empty() { &self.file } else { &self.label };
        let group = group.map_or("", |group| group.id.strip_prefix("root.").unwrap_or(&group.id));
        if group.is_empty() { label.clone() } else { format!("{}/{label}", group.replace('.', "/")) }
    }

    /// Where its copies stand, and how many have no valid rotation. Without instances it stands where its file has it.
    pub(super) fn poses(&self) -> (Vec<Pose>, usize) {
        let Some(Instances { positions, rotations }) = &self.instances else { return (vec![Pose::IDENTITY], 0) };
        let positions = positions.data.as_chunks::<3>().0;
        let width = match rotations.variant.as_str() {
            "euler" => 3,
            "matrix" => 9,
            _ => 4,
        };
        let pose = |(at, &position): (usize, &[f64; 3])| {
            let translation = DVec3::from(position);
            let rotation = match rotations.data.get(at * width..(at + 1) * width)? {
                &[x, y, z] => DQuat::from_euler(EulerRot::XYZ, x, y, z),
                &[x, y, z, w] => DQuat::from_xyzw(x, y, z, w),
                nine => return Pose::from_matrix(DMat3::from_cols_slice(nine), translation),
            };
            let is_rotation = (rotation.length() - 1.0).abs() < 0.01 && translation.is_finite();
            is_rotation.then(|| Pose { rotation: rotation.normalize(), translation })
        };
        let poses: Vec<Pose> = positions.iter().enumerate().filter_map(pose).collect();
        let lost = positions.len() - poses.len();
        (poses, lost)
    }
}

/// What [`read_cellpack`](super::read_cellpack) has read.
pub(super) enum Content {
    Packing(Packing),
    Manifest(Manifest),
}
