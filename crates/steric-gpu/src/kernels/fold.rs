//! The many records of a giant molecule, folded into its first one.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

/// Folds the records of so many giants.
pub(crate) fn fold_stage(gpu: &Gpu, arrays: &Arrays, giants: &wgpu::Buffer, count: usize) -> Stage {
    let text = include_str!("fold.wgsl");
    let pipeline = gpu.pipeline(Kernel { name: "fold", text, entry: "fold", constants: &[] });
    let bound = [(0, giants), (1, &arrays.records), (2, &arrays.field.board)];
    gpu.stage("fold", &pipeline, &bound, Groups(count as u64))
}
