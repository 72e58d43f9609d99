//! The stages of an iteration.

use rayon::prelude::*;

use super::Arrays;
use crate::device::{Gpu, Stage};
use crate::kernels::{
    apply_stage, cell_stages, close_stage, compare_stage, fold_stage, mark_stage, place_stage, search_stage,
    step_stage, visit_stage, walls_stage,
};

/// The stages of an iteration, in order.
#[derive(Debug)]
pub(super) struct Stages {
    /// Does the motions of the iteration before.
    pub(super) apply: Stage,
    place: Stage,
    place_all: Stage,
    pub(super) clear: Stage,
    /// Cells, sorted clusters, the list.
    pub(super) search: Vec<Stage>,
    /// Marks, contacts, walls.
    pub(super) visit: Vec<Stage>,
    /// The step, and what it came to.
    pub(super) close: Vec<Stage>,
}

impl Stages {
    pub(super) fn new(gpu: &Gpu, arrays: &Arrays, has_walls: bool, giants: usize) -> Self {
        let field = &arrays.field;
        // The kernels that take a driver longest are made ready at the same time; after that they are at hand.
        let slow: [&(dyn Fn() + Sync); 6] = [
            &|| drop(step_stage(gpu, arrays)),
            &|| drop(visit_stage(gpu, arrays)),
            &|| drop(search_stage(gpu, field)),
            &|| drop(compare_stage(gpu, arrays)),
            &|| drop(cell_stages(gpu, field, true)),
            &|| drop(has_walls.then(|| walls_stage(gpu, arrays))),
        ];
        slow.par_iter().with_max_len(1).for_each(|make_ready| make_ready());
        let mut cells = cell_stages(gpu, field, true);
        let clear = cells.remove(0);
        cells.push(search_stage(gpu, field));
        let mut visit = vec![mark_stage(gpu, arrays), compare_stage(gpu, arrays), visit_stage(gpu, arrays)];
        if has_walls {
            visit.push(walls_stage(gpu, arrays));
        }
        if giants > 0 {
            visit.push(fold_stage(gpu, arrays, &arrays.giants, if has_walls { 2 * giants } else { giants }));
        }
        Self {
            apply: apply_stage(gpu, arrays),
            place: place_stage(gpu, field, false),
            place_all: place_stage(gpu, field, true),
            clear,
            search: cells,
            visit,
            close: vec![step_stage(gpu, arrays), close_stage(gpu, arrays)],
        }
    }

    /// Everything before the step of an iteration.
    pub(super) fn look(&self, is_fresh: bool) -> Vec<&Stage> {
        let first: [&Stage; 2] = if is_fresh { [&self.place_all, &self.clear] } else { [&self.apply, &self.place] };
        first.into_iter().chain(&self.search).chain(&self.visit).collect()
    }

    pub(super) fn whole(&self, is_fresh: bool) -> Vec<&Stage> {
        let mut stages = self.look(is_fresh);
        stages.extend(&self.close);
        stages
    }
}
