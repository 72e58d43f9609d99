//! What a world shows in the window: its panels.
//!
//! How it works: the window has places for panels, the same for every world: the scene on the left, the physics below it, charts at the
//! bottom, and what is chosen on the right. A world fills them. The relax world is the first one.

pub mod relax;

use egui::Ui;

use crate::simulation::Simulation;
use crate::state::State;

/// A world's panels.
pub trait World: std::fmt::Debug {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// What there is: molecules, counts, sizes.
    fn scene(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation);

    /// Every number that changes how molecules move.
    fn physics(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation);

    /// What happens over time.
    fn charts(&mut self, ui: &mut Ui, state: &State);

    /// What was chosen.
    fn selection(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation);

    /// The scene file with the numbers as they are now, to be saved; nothing where there is none.
    fn preset(&self, state: &State) -> Option<Result<String, String>>;
}
