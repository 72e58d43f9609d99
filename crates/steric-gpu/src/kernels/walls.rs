//! What walls ask of molecules whose every atom has to stay on one side.

use super::{RECORDS_VIEW, atoms_view};
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

/// Adds up walls.
pub(crate) fn walls_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let constants = [("LANES", f64::from(field.lanes)), ("RESPONSE", arrays.response)];
    let atoms = atoms_view(Access::Read);
    let text = [
        &field.atoms.text(atoms),
        &arrays.records.text(RECORDS_VIEW),
        include_str!("arms.wgsl"),
        include_str!("law.wgsl"),
        gpu.voices(),
        include_str!("record.wgsl"),
        include_str!("shape.wgsl"),
        include_str!("walls.wgsl"),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "walls", text: &text, entry: "walls", constants: &constants });
    let mut bound = vec![
        (0, &field.scene),
        (1, &arrays.law),
        (3, &field.clusters),
        (4, &field.near),
        (5, &field.bodies),
        (6, &arrays.holds),
        (7, &arrays.shapes),
        (9, &field.board),
        (10, &field.moods),
    ];
    bound.extend(field.atoms.bound(atoms).chain(arrays.records.bound(RECORDS_VIEW)));
    gpu.stage("walls", &pipeline, &bound, Groups(field.threads().div_ceil(32)))
}
