//! Which atoms of near clusters touch.
//!
//! `tiles` has two words of four for each pair of clusters that touch: the clusters and the bits of the atoms that touch; its
//! places on the lists of both molecules, and these. `counts` has the lengths of those lists.

use super::{atoms_view, list_view};
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::relax::{Arrays, Share};

/// Compares the atoms of a share of the clusters.
pub(crate) fn compare_stage(gpu: &Gpu, arrays: &Arrays, share: &Share) -> Stage {
    let field = &arrays.field;
    let (atoms, list) = (atoms_view(Access::Read), list_view(Access::Read));
    let text = [
        &field.atoms.text(atoms),
        &field.list.text(list),
        include_str!("lattice.wgsl"),
        include_str!("touch.wgsl"),
        include_str!("compare.wgsl"),
    ];
    let constants = [("LANES", f64::from(field.lanes)), ("MIXED", f64::from(u8::from(field.is_mixed)))];
    let pipeline = gpu.pipeline(Kernel { name: "compare", text: &text, entry: "compare", constants: &constants });
    let mut bound = vec![
        (0, &field.scene),
        (2, &field.clusters),
        (3, &field.near),
        (5, &field.moods),
        (6, &arrays.touches.tiles),
        (7, &arrays.touches.counts),
        (8, &field.board),
        (9, &share.words),
        (10, &arrays.touches.cursors),
    ];
    bound.extend(field.atoms.bound(atoms).chain(field.list.bound(list)));
    gpu.stage("compare", &pipeline, &bound, Groups(share.clusters.div_ceil(32)))
}
