//! One step of every molecule.
//!
//! Constraints stand in one array of four-word rows. A group's row has the row of its first constraint and how many there
//! are; a constraint has four rows:
//!
//! | row | surface | start | region |
//! |---|---|---|---|
//! | 0 | 0, shape | 1 | 2 with points or 3 for every atom; shape; side; how many points |
//! | 1 | head, height | | |
//! | 2 | axis, leeway | -, leeway | |
//! | 3 | tilt, sign of the leaflet | turn | -, -, -, row of the first point |

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use steric_world::relax::Hold;
use steric_world::shape::Side;

use super::{RECORD_QUADS_VIEW, Shapes};
use crate::device::{Gpu, Groups, Kernel, Stage};
use crate::relax::Arrays;

/// Moves molecules.
pub(crate) fn step_stage(gpu: &Gpu, arrays: &Arrays) -> Stage {
    let field = &arrays.field;
    let constants = [("RESPONSE", arrays.response)];
    let text = [
        &arrays.records.text(RECORD_QUADS_VIEW),
        include_str!("arms.wgsl"),
        include_str!("law.wgsl"),
        include_str!("shape.wgsl"),
        include_str!("step.wgsl"),
    ];
    let pipeline = gpu.pipeline(Kernel { name: "step", text: &text, entry: "step", constants: &constants });
    let mut bound = vec![
        (0, &field.scene),
        (1, &arrays.law),
        (2, &field.bodies),
        (3, &field.moods),
        (4, &arrays.motions),
        (5, &arrays.starts),
        (6, &arrays.holds),
        (7, &arrays.shapes),
        (9, &field.board),
    ];
    bound.extend(arrays.records.bound(RECORD_QUADS_VIEW));
    gpu.stage("step", &pipeline, &bound, Groups(u64::from(field.words.molecules).div_ceil(64)))
}

/// Constraints as the kernels read them.
#[derive(Debug, Default)]
pub(crate) struct HoldWords {
    pub(crate) rows: Vec<[u32; 4]>,
    /// The row of each group.
    pub(crate) groups: Vec<u32>,
    /// Whether a molecule is held near where it started.
    pub(crate) has_start: bool,
    /// Whether a wall holds every atom of a molecule.
    pub(crate) has_walls: bool,
    // Points that were stored already, by their bits: the groups of a scene often share them.
    points: HashMap<Vec<[u32; 4]>, u32>,
}

impl HoldWords {
    pub(crate) fn new(groups: &[Vec<Hold>], shapes: &mut Shapes) -> Self {
        let mut words = Self::default();
        for holds in groups {
            let rows: Vec<[[u32; 4]; 4]> = holds.iter().map(|hold| words.row(hold, shapes)).collect();
            let first = words.rows.len() as u32 + 1;
            words.groups.push(first - 1);
            words.rows.push([first, rows.len() as u32, 0, 0]);
            words.rows.extend(rows.into_iter().flatten());
        }
        if words.rows.is_empty() {
            words.rows.push([0; 4]);
        }
        words
    }

    fn row(&mut self, hold: &Hold, shapes: &mut Shapes) -> [[u32; 4]; 4] {
        match hold {
            Hold::Surface { surface, leaflet, head, height, leeway, axis, tilt } => [
                [0, shapes.surface(surface), 0, 0],
                bits(*head, *height),
                bits(*axis, *leeway),
                bits(DVec3::new(*tilt, leaflet.sign(), 0.0), 0.0),
            ],
            Hold::Start { leeway, turn } => {
                self.has_start = true;
                [[1, 0, 0, 0], [0; 4], bits(DVec3::ZERO, *leeway), bits(DVec3::X * *turn, 0.0)]
            }
            Hold::Rule(_) => unreachable!("a relaxation with rules of one's own is not loaded"),
            Hold::Region { region, side, points } => {
                let side = match side {
                    Side::Inside => 0,
                    Side::Outside => 1,
                    Side::On => 2,
                };
                let shape = shapes.region(region);
                if points.is_empty() {
                    self.has_walls = true;
                    return [[3, shape, side, 0], [0; 4], [0; 4], [0; 4]];
                }
                let first = self.points(points);
                [[2, shape, side, points.len() as u32], [0; 4], [0; 4], [0, 0, 0, first]]
            }
        }
    }

    fn points(&mut self, points: &[DVec3]) -> u32 {
        let points: Vec<[u32; 4]> = points.iter().map(|&point| bits(point, 0.0)).collect();
        let next = self.rows.len() as u32;
        let first = *self.points.entry(points.clone()).or_insert(next);
        if first == next {
            self.rows.extend(points);
        }
        first
    }
}

fn bits(three: DVec3, fourth: f64) -> [u32; 4] {
    let Vec3 { x, y, z } = three.as_vec3();
    [x, y, z, fourth as f32].map(f32::to_bits)
}
