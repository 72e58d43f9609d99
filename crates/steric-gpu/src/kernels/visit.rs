//! The contacts of every atom, added up for its molecule.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

const TEXT: &str = concat!(
    include_str!("lattice.wgsl"),
    include_str!("arms.wgsl"),
    include_str!("touch.wgsl"),
    include_str!("law.wgsl"),
    include_str!("record.wgsl"),
    include_str!("visit.wgsl")
);

/// Adds up contacts.
pub(crate) fn visit_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let constants = [
        ("LANES", f64::from(field.lanes)),
        ("MIXED", f64::from(u8::from(field.is_mixed))),
        ("RESPONSE", arrays.response),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "visit", text: TEXT, entry: "visit", constants: &constants });
    let bound = [
        (0, &field.scene),
        (1, &arrays.law),
        (2, &field.atoms),
        (3, &field.clusters),
        (4, &field.near),
        (5, &field.list),
        (6, &field.bodies),
        (7, &field.moods),
        (8, &arrays.records),
        (9, &field.board),
        (10, &arrays.hits),
    ];
    gpu.stage("contacts", &pipeline, &bound, Groups(field.threads().div_ceil(64)))
}
