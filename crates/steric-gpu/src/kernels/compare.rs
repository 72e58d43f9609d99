//! Every atom against the atoms of near clusters.
//!
//! `hits` has a word for each four entries of the list and each lane of a cluster: eight bits for each entry.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

const TEXT: &str = concat!(include_str!("lattice.wgsl"), include_str!("touch.wgsl"), include_str!("compare.wgsl"));

/// Compares.
pub(crate) fn compare_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let constants = [("LANES", f64::from(field.lanes)), ("MIXED", f64::from(u8::from(field.is_mixed)))];
    let pipeline = gpu.pipeline(Kernel { name: "compare", text: TEXT, entry: "compare", constants: &constants });
    let bound = [
        (0, &field.scene),
        (1, &field.atoms),
        (2, &field.clusters),
        (3, &field.near),
        (4, &field.list),
        (5, &arrays.hits),
        (6, &field.board),
    ];
    gpu.stage("compare", &pipeline, &bound, Groups(field.threads().div_ceil(128)))
}
