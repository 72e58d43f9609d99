//! The molecules of a relaxation in the GPU's own arrays, for those who draw them.

use glam::DVec3;

use super::GpuRelax;

/// Molecules where they are now, in arrays of the GPU that a relaxation works on: the arrays are shared, not copied. They stay the same until the
/// relaxation is loaded again.
///
/// ```
/// use steric_gpu::{Gpu, GpuRelax};
///
/// if let Some(gpu) = Gpu::software() {
///     assert!(GpuRelax::new(&gpu).molecules().is_none(), "nothing is loaded");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct MoleculesOnGpu {
    /// Six rows of four words each: whole angstroms from the origin, the rest of the way, the rotation, and what is not for others.
    pub bodies: wgpu::Buffer,
    /// A row of four words each; in the last one's low 16 bits for how many iterations the molecule has overlapped, and bit 26 if it is
    /// fixed.
    pub moods: wgpu::Buffer,
    /// What places are measured from, in angstroms.
    pub origin: DVec3,
    /// Which molecule of the scene stands where in the arrays.
    pub ids: Vec<u32>,
}

impl GpuRelax {
    /// The molecules on the GPU, once they are loaded. The moves of the last iteration are decided on and not yet made there, unless the
    /// poses have just been fetched.
    pub fn molecules(&self) -> Option<MoleculesOnGpu> {
        let loaded = self.loaded.as_ref()?;
        let field = &loaded.arrays.field;
        Some(MoleculesOnGpu {
            bodies: field.bodies.clone(),
            moods: field.moods.clone(),
            origin: loaded.origin,
            ids: loaded.ids().to_vec(),
        })
    }
}
