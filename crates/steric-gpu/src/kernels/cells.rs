//! Clusters in the order of their cells.
//!
//! Arrays: one entry for each cell, and one more, in blocks of 4,096; a rank for each cluster; and, in the order of the cells,
//! each cluster's sphere, its number and its molecule.

use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::field::Field;

const TEXT: &[&str] = &[include_str!("lattice.wgsl"), include_str!("cells.wgsl")];

/// Counts, sums up and sorts; `clears` empties the cells first.
pub(crate) fn cell_stages(gpu: &Gpu, field: &Field, clears: bool) -> Vec<Stage> {
    let stage = |name: &'static str, entry: &'static str, arrays: &[(u32, &wgpu::Buffer)], groups: u64| {
        let pipeline = gpu.pipeline(Kernel { name: "cells", text: TEXT, entry, constants: &[] });
        gpu.stage(name, &pipeline, arrays, Groups(groups))
    };
    let clusters = u64::from(field.words.clusters).div_ceil(256);
    let blocks = u64::from(field.words.blocks);
    let (scene, board) = ((0, &field.scene), (9, &field.board));
    let (spheres, cells, ranks) = ((1, &field.clusters), (2, &field.cells), (3, &field.ranks));
    let (sums, near, sources, moods) = ((6, &field.sums), (7, &field.near), (8, &field.sources), (10, &field.moods));
    let mut stages = vec![
        stage("count", "count", &[scene, spheres, cells, ranks, sources, board], clusters),
        stage("sums", "sum_blocks", &[scene, cells, sums, board], blocks),
        stage("sums", "sum_cells", &[scene, cells, sums, board], blocks),
        stage(
            "sort",
            "sort",
            &[scene, spheres, cells, ranks, (4, &field.sorted), (5, &field.sorted_ids), near, sources, board, moods],
            clusters,
        ),
    ];
    if clears {
        stages.insert(0, stage("clear", "clear", &[scene, cells, board], blocks));
    }
    stages
}
