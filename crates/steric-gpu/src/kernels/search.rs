//! The near clusters of each cluster.
//!
//! Arrays: `near` has for each cluster its molecule (the highest bit says that it is fixed), its first entry in
//! the list, and in 28 bits how many entries, with how many atoms above.

use super::list_view;
use crate::device::{Access, Gpu, Groups, Kernel, Stage};
use crate::field::Field;

/// Lists near clusters.
pub(crate) fn search_stage(gpu: &Gpu, field: &Field) -> Stage {
    let list = list_view(Access::Write);
    let text = &[&field.list.text(list), include_str!("lattice.wgsl"), include_str!("search.wgsl")];
    let pipeline = gpu.pipeline(Kernel { name: "search", text, entry: "search", constants: &[] });
    let mut arrays = vec![
        (0, &field.scene),
        (1, &field.sorted),
        (2, &field.sorted_ids),
        (3, &field.cells),
        (4, &field.near),
        (6, &field.board),
    ];
    arrays.extend(field.list.bound(list));
    gpu.stage("search", &pipeline, &arrays, Groups(u64::from(field.words.clusters).div_ceil(128)))
}
