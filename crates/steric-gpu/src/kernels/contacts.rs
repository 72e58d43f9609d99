//! What contacts ask of molecules.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::{Arrays, Share};

/// Workgroups, at most: each takes one batch of contacts after another.
const MOST_GROUPS: u64 = 8_192;

/// Answers the contacts of a share of the clusters.
pub(crate) fn contacts_stage(gpu: &Gpu, arrays: &Arrays, share: &Share) -> Stage {
    let field = &arrays.field;
    let text = [
        include_str!("lattice.wgsl"),
        include_str!("arms.wgsl"),
        include_str!("touch.wgsl"),
        include_str!("law.wgsl"),
        gpu.voices(),
        include_str!("record.wgsl"),
        include_str!("contacts.wgsl"),
    ];
    let constants = [
        ("LANES", f64::from(field.lanes)),
        ("MIXED", f64::from(u8::from(field.is_mixed))),
        ("RESPONSE", arrays.response),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "contacts", text: &text, entry: "answer_all", constants: &constants });
    let bound = [
        (0, &field.scene),
        (1, &arrays.law),
        (2, &field.atoms),
        (3, &field.clusters),
        (4, &field.bodies),
        (5, &field.moods),
        (6, &arrays.records),
        (7, &field.board),
        (8, &arrays.touches.tiles),
        (9, &arrays.touches.lists),
        (10, &arrays.touches.batches),
        (11, &share.words),
        (12, &arrays.touches.cursors),
    ];
    gpu.stage("contacts", &pipeline, &bound, Groups(arrays.touches.most_batches().min(MOST_GROUPS)))
}
