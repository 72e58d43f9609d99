//! States of a scene that are kept while it runs.
//!
//! How it works: of every kept state the one a step before is kept too. An index that has seen that one finds what a simulation finds: most boxes in the cells where they were.

use std::path::Path;

use glam::DVec3;
use steric::deform::{DeformScene, SoftRun};
use steric::world::deform::{ContactOptions, SoftBody, SoftWorld};

use super::Arguments;
use crate::animate::said;
use crate::failure::Failure;
use crate::options::Shared;
use crate::output;

/// A state.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) step: u64,
    /// Where points were a step before; `None` for the first state.
    pub(super) before: Option<Vec<DVec3>>,
    pub(super) now: Vec<DVec3>,
}

/// A scene and its states.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) scene: &'static str,
    pub(super) body: SoftBody,
    pub(super) frames: Vec<Frame>,
}

impl Kept {
    pub(super) fn tetrahedra(&self) -> usize {
        self.body.tetrahedra().len()
    }
}

/// A scene at its start, and how many steps it wants.
pub(super) fn start(scene: &str, shared: &Shared) -> Result<(SoftRun, u64), Failure> {
    let text = scenes::deformation(scene).ok_or_else(|| Failure::usage(format!("{scene}: no such scene")))?;
    let scene = DeformScene::read(text, Path::new(scene)).map_err(said)?;
    let run = scene.start(Path::new(""), shared.seed).map_err(said)?;
    Ok((run, scene.steps()))
}

/// The same scene with other contacts.
pub(super) fn with_contact(mut run: SoftRun, contact: ContactOptions) -> SoftRun {
    let floor = run.world.floor;
    run.world = SoftWorld::new(run.world.body, contact);
    run.world.floor = floor;
    run
}

/// Runs a scene and keeps so many of its states, at equal distances and with the first.
pub(super) fn keep(scene: &'static str, wanted: &Arguments, shared: &Shared) -> Result<Kept, Failure> {
    let (run, own_steps) = start(scene, shared)?;
    let contact = ContactOptions { response: wanted.response.response(), ..run.world.contact };
    let mut run = with_contact(run, contact);
    let steps = wanted.steps.unwrap_or(own_steps);
    let every = steps.div_ceil(wanted.frames as u64).max(1);
    let bar = output::bar(shared, steps, scene);
    let mut frames = vec![Frame { step: 0, before: None, now: run.world.body.positions.clone() }];
    for step in 1..=steps {
        let before = (step % every == 0).then(|| run.world.body.positions.clone());
        run.step();
        bar.inc(1);
        if before.is_some() {
            frames.push(Frame { step, before, now: run.world.body.positions.clone() });
        }
    }
    bar.finish_and_clear();
    Ok(Kept { scene, body: run.world.body, frames })
}
