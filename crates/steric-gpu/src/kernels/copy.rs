//! An array copied into another.

use crate::device::{Gpu, Groups, Kernel, Stage};

/// Copies so many bytes, a multiple of 16.
pub(crate) fn copy_stage(gpu: &Gpu, source: &wgpu::Buffer, copied: &wgpu::Buffer, bytes: u64) -> Stage {
    let text = &[include_str!("copy.wgsl")];
    let pipeline = gpu.pipeline(Kernel { name: "copy", text, entry: "copy", constants: &[] });
    gpu.stage("copy", &pipeline, &[(0, source), (1, copied)], Groups((bytes / 16).div_ceil(256)))
}
