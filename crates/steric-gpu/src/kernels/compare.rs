//! Which atoms of near clusters touch.
//!
//! `tiles` has two words of four for each pair of clusters that touch: the clusters and the bits of the atoms that touch; its
//! places on the lists of both molecules, and these. `counts` has the lengths of those lists.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::{Arrays, Share};

const TEXT: &[&str] = &[include_str!("lattice.wgsl"), include_str!("touch.wgsl"), include_str!("compare.wgsl")];

/// Compares the atoms of a share of the clusters.
pub(crate) fn compare_stage(gpu: &Gpu, arrays: &Arrays, share: &Share) -> Stage {
    let field = &arrays.field;
    let constants = [("LANES", f64::from(field.lanes)), ("MIXED", f64::from(u8::from(field.is_mixed)))];
    let pipeline = gpu.pipeline(Kernel { name: "compare", text: TEXT, entry: "compare", constants: &constants });
    let bound = [
        (0, &field.scene),
        (1, &field.atoms),
        (2, &field.clusters),
        (3, &field.near),
        (4, &field.list),
        (5, &field.moods),
        (6, &arrays.touches.tiles),
        (7, &arrays.touches.counts),
        (8, &field.board),
        (9, &share.words),
        (10, &arrays.touches.cursors),
    ];
    gpu.stage("compare", &pipeline, &bound, Groups((share.clusters * u64::from(field.lanes)).div_ceil(64)))
}
