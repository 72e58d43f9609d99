//! What touches, in the order of molecules.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::{Arrays, Share};

/// Workgroups, at most: each takes some pairs of clusters after others.
const MOST_GROUPS: u64 = 4_096;

/// Makes room for the list of every molecule, and fills it.
pub(crate) fn spread_stages(gpu: &Gpu, arrays: &Arrays, share: &Share) -> [Stage; 2] {
    let (field, touches) = (&arrays.field, &arrays.touches);
    let text = &[include_str!("spread.wgsl")];
    let pipeline = |entry| gpu.pipeline(Kernel { name: "spread", text, entry, constants: &[] });
    let bound = [
        (0, &field.scene),
        (2, &touches.counts),
        (3, &touches.firsts),
        (4, &touches.batches),
        (6, &field.board),
        (7, &share.words),
        (8, &touches.cursors),
    ];
    let groups = Groups(u64::from(field.words.molecules).div_ceil(256));
    let allot = gpu.stage("allot", &pipeline("allot"), &bound, groups);
    let bound = [
        (1, &touches.tiles),
        (3, &touches.firsts),
        (5, &touches.lists),
        (6, &field.board),
        (7, &share.words),
        (8, &touches.cursors),
    ];
    let groups = Groups(touches.tile_room.div_ceil(64).min(MOST_GROUPS));
    [allot, gpu.stage("spread", &pipeline("spread"), &bound, groups)]
}
