//! Surfaces in a glTF file.
//!
//! How it works: the vertices of a surface are written from the middle of the scene, as molecules are placed, so that it lies among
//! them without a transform of its own. Normals are those that pictures are shaded with.

use std::io::{self, Write};
use std::path::Path;

use glam::{DVec3, Vec3};

use super::GlbError;
use super::plan::little;
use crate::Surface;
use crate::draw::surface::{normals, whole};

/// A surface that can be seen.
pub(super) struct Sheet<'a> {
    pub(super) surface: &'a Surface,
    pub(super) vertices: u64,
    /// Those of which all corners are there.
    pub(super) triangles: u64,
    /// Corner of the box around all vertices, as they are written.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    middle: DVec3,
}

impl<'a> Sheet<'a> {
    /// The surfaces that can be seen, in their order.
    pub(super) fn all(surfaces: &'a [Surface], middle: DVec3, path: &Path) -> Result<Vec<Self>, GlbError> {
        let mut sheets = Vec::new();
        for (number, surface) in surfaces.iter().enumerate() {
            let triangles = whole(&surface.mesh).count() as u64;
            if triangles == 0 || surface.opacity <= 0.0 {
                continue;
            }
            let vertices = surface.mesh.vertices.len() as u64;
            let mut sheet =
                Self { surface, vertices, triangles, low: Vec3::INFINITY, high: Vec3::NEG_INFINITY, middle };
            if !sheet.places().all(Vec3::is_finite) {
                return Err(GlbError::NotFinite { file: path.to_path_buf(), what: format!("surface {number}") });
            }
            sheet.low = sheet.places().fold(sheet.low, Vec3::min);
            sheet.high = sheet.places().fold(sheet.high, Vec3::max);
            sheets.push(sheet);
        }
        Ok(sheets)
    }

    /// How much it hides of what is behind it, 0 to 1.
    pub(super) fn opacity(&self) -> f32 {
        self.surface.opacity.min(1.0)
    }

    fn places(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.surface.mesh.vertices.iter().map(|place| (*place - self.middle).as_vec3())
    }

    pub(super) fn write_normals(&self, out: &mut impl Write) -> io::Result<()> {
        normals(&self.surface.mesh)
            .into_iter()
            .try_for_each(|normal| out.write_all(&little(normal.to_array().into_iter())))
    }

    pub(super) fn write_positions(&self, out: &mut impl Write) -> io::Result<()> {
        self.places().try_for_each(|place| out.write_all(&little(place.to_array().into_iter())))
    }

    pub(super) fn write_triangles(&self, out: &mut impl Write) -> io::Result<()> {
        whole(&self.surface.mesh).try_for_each(|corners| out.write_all(corners.map(u32::to_le_bytes).as_flattened()))
    }
}
