//! The relax world: molecules that push each other apart until none overlaps.

mod charts;
mod physics;
mod scene;
mod selection;

use std::path::Path;

use egui::Ui;
use steric::world::build::SceneFile;

use super::World;
use crate::simulation::Simulation;
use crate::state::State;

/// The panels of the relax world.
#[derive(Debug, Default)]
pub(crate) struct RelaxWorld {
    /// The scene file as it is being written, and what was opened when that began.
    draft: Option<(u64, String)>,
}

impl World for RelaxWorld {
    fn scene(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation) {
        self.show_scene(ui, state, simulation);
    }

    fn physics(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation) {
        physics::show(ui, state, simulation);
    }

    fn charts(&mut self, ui: &mut Ui, state: &State) {
        charts::show(ui, state);
    }

    fn selection(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation) {
        selection::show(ui, state, simulation);
    }

    fn preset(&self, state: &State) -> Option<Result<String, String>> {
        let opened = state.now.opened.as_ref()?;
        let text = opened.source.text()?;
        Some(preset(text, opened.source.name(), state))
    }
}

/// A scene file with the physics as it is now.
fn preset(text: &str, name: &str, state: &State) -> Result<String, String> {
    let mut scene = SceneFile::read(text, Path::new(name)).map_err(|error| error.to_string())?;
    scene.physics = state.now.options.clone();
    toml::to_string(&scene).map_err(|error| error.to_string())
}
