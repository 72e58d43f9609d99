//! Who is stuck, and jolts.

use glam::DVec3;
use steric_world::respond::Motion;

use super::RECORDS_VIEW;
use crate::device::{Gpu, GpuError, Groups, Kernel, Memory, Stage};
use crate::relax::Arrays;

fn stage(gpu: &Gpu, arrays: &Arrays, entry: &'static str, own: &[(u32, &wgpu::Buffer)], threads: u64) -> Stage {
    let constants = [("RESPONSE", arrays.response)];
    let text = [&arrays.records.text(RECORDS_VIEW), include_str!("law.wgsl"), include_str!("jolt.wgsl")];
    let pipeline = gpu.pipeline(Kernel { name: "jolt", text: &text, entry, constants: &constants });
    let mut bound = vec![(0, &arrays.field.scene)];
    bound.extend(own);
    if entry == "find_stuck" {
        bound.extend(arrays.records.bound(RECORDS_VIEW));
    }
    gpu.stage(entry, &pipeline, &bound, Groups(threads.div_ceil(128)))
}

/// For how many iterations each molecule has overlapped, and how deep it is in now.
pub(crate) async fn find_stuck(gpu: &Gpu, arrays: &Arrays) -> Result<Vec<(u32, f32)>, GpuError> {
    let molecules = arrays.field.words.molecules;
    let stuck = Memory::new(gpu).zeros("stuck", 8 * u64::from(molecules))?;
    let own = [(1, &arrays.field.moods), (2, &stuck)];
    gpu.run([&stage(gpu, arrays, "find_stuck", &own, molecules.into())]);
    let rows: Vec<[u32; 2]> = gpu.read_async(&stuck, molecules as usize).await?;
    Ok(rows.into_iter().map(|[dirty_for, deepest]| (dirty_for, f32::from_bits(deepest))).collect())
}

/// Tells molecules to do these motions in place of their own.
pub(crate) fn jolt(gpu: &Gpu, arrays: &Arrays, motions: &[(u32, Motion)]) -> Result<(), GpuError> {
    if motions.is_empty() {
        return Ok(());
    }
    let row = |three: DVec3, last: u32| three.as_vec3().extend(f32::from_bits(last)).to_array();
    let rows = motions.iter().flat_map(|(slot, motion)| [row(motion.shift, *slot), row(motion.turn, 0)]);
    let mut rows: Vec<[f32; 4]> = rows.collect();
    // An array is longer than its rows, and what is behind them is nobody's.
    rows.resize(rows.len().next_multiple_of(16), [0.0, 0.0, 0.0, f32::from_bits(u32::MAX)]);
    let jolts = Memory::new(gpu).filled("jolts", &rows)?;
    let own = [(3, &jolts), (4, &arrays.motions)];
    gpu.run([&stage(gpu, arrays, "jolt", &own, rows.len() as u64 / 2)]);
    Ok(())
}
