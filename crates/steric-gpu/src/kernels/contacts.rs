//! What contacts ask of molecules.

use super::{RECORDS_VIEW, atoms_view};
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::relax::{Arrays, Share};

/// Workgroups, at most: each takes one batch of contacts after another.
const MOST_GROUPS: u64 = 8_192;

/// Answers the contacts of a share of the clusters.
pub(crate) fn contacts_stage(gpu: &Gpu, arrays: &Arrays, share: &Share) -> Stage {
    let field = &arrays.field;
    let atoms = atoms_view(Access::Read);
    let text = [
        &field.atoms.text(atoms),
        &arrays.records.text(RECORDS_VIEW),
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
    let mut bound = vec![
        (0, &field.scene),
        (1, &arrays.law),
        (3, &field.clusters),
        (4, &field.bodies),
        (5, &field.moods),
        (7, &field.board),
        (8, &arrays.touches.tiles),
        (9, &arrays.touches.lists),
        (10, &arrays.touches.batches),
        (11, &share.words),
        (12, &arrays.touches.cursors),
    ];
    bound.extend(field.atoms.bound(atoms).chain(arrays.records.bound(RECORDS_VIEW)));
    gpu.stage("contacts", &pipeline, &bound, Groups(arrays.touches.most_batches().min(MOST_GROUPS)))
}
