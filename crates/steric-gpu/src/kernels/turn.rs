//! What stands between two steps.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

const TEXT: &[&str] = &[include_str!("law.wgsl"), include_str!("turn.wgsl")];

fn stage(gpu: &Gpu, name: &'static str, entry: &'static str, bound: &[(u32, &wgpu::Buffer)], groups: u64) -> Stage {
    let pipeline = gpu.pipeline(Kernel { name: "turn", text: TEXT, entry, constants: &[] });
    gpu.stage(name, &pipeline, bound, Groups(groups))
}

/// Does the motions that were decided on.
pub(crate) fn apply_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let bound = [
        (0, &field.scene),
        (2, &field.bodies),
        (3, &field.moods),
        (4, &arrays.motions),
        (5, &field.board),
        (7, &field.cells),
    ];
    let groups = u64::from(field.words.molecules).div_ceil(256).max(field.words.blocks.into());
    stage(gpu, "apply", "apply", &bound, groups)
}

/// Ends an iteration.
pub(crate) fn close_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let (scene, law, board) = ((0, &field.scene), (1, &arrays.law), (5, &field.board));
    let bound = [scene, law, board, (8, &arrays.touches.cursors)];
    stage(gpu, "close", "close", &bound, 1)
}
