//! What walls ask of molecules whose every atom has to stay on one side.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

/// Adds up walls.
pub(crate) fn walls_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let constants = [("LANES", f64::from(field.lanes)), ("RESPONSE", arrays.response)];
    let text = [
        include_str!("arms.wgsl"),
        include_str!("law.wgsl"),
        gpu.voices(),
        include_str!("record.wgsl"),
        include_str!("shape.wgsl"),
        include_str!("walls.wgsl"),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "walls", text: &text, entry: "walls", constants: &constants });
    let bound = [
        (0, &field.scene),
        (1, &arrays.law),
        (2, &field.atoms),
        (3, &field.clusters),
        (4, &field.near),
        (5, &field.bodies),
        (6, &arrays.holds),
        (7, &arrays.shapes),
        (8, &arrays.records),
        (9, &field.board),
        (10, &field.moods),
    ];
    gpu.stage("walls", &pipeline, &bound, Groups(field.threads().div_ceil(32)))
}
