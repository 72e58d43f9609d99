//! The stages of an iteration.

use rayon::prelude::*;

use super::Arrays;
use crate::device::{Gpu, Stage};
use crate::kernels::{
    apply_stage, cell_stages, close_stage, compare_stage, contacts_stage, place_stage, search_stage, spread_stages,
    step_stage, walls_stage,
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
    /// Contacts, walls.
    pub(super) visit: Vec<Stage>,
    /// The step, and what it came to.
    pub(super) close: Vec<Stage>,
}

impl Stages {
    pub(super) fn new(gpu: &Gpu, arrays: &Arrays, has_walls: bool) -> Self {
        let field = &arrays.field;
        // The kernels that take a driver longest are made ready at the same time; after that they are at hand.
        let slow: [&(dyn Fn() + Sync); 6] = [
            &|| drop(step_stage(gpu, arrays)),
            &|| drop(contacts_stage(gpu, arrays, &arrays.touches.shares[0])),
            &|| drop(search_stage(gpu, field)),
            &|| drop(compare_stage(gpu, arrays, &arrays.touches.shares[0])),
            &|| drop(cell_stages(gpu, field, true)),
            &|| drop(has_walls.then(|| walls_stage(gpu, arrays))),
        ];
        slow.par_iter().with_max_len(1).for_each(|make_ready| make_ready());
        let mut cells = cell_stages(gpu, field, true);
        let clear = cells.remove(0);
        cells.push(search_stage(gpu, field));
        let mut visit = Vec::new();
        for share in &arrays.touches.shares {
            visit.push(compare_stage(gpu, arrays, share));
            visit.extend(spread_stages(gpu, arrays, share));
            visit.push(contacts_stage(gpu, arrays, share));
        }
        if has_walls {
            visit.push(walls_stage(gpu, arrays));
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
