//! What a world shows in the window: its panels.
//!
//! How it works: the window has places for panels, the same for every world: the scene on the left, the physics below it, charts at the
//! bottom, and what is chosen on the right. A world fills them. The relax world lets the simulation's thread move its molecules; the dock world moves
//! them itself, and takes what mouse and keys do before the window does; the diffuse world, the deform world and the
//! animate world have threads of their own for them.

pub(crate) mod animate;
pub(crate) mod deform;
pub(crate) mod diffuse;
pub(crate) mod dock;
pub(crate) mod relax;

use std::path::Path;

use egui::{Painter, Pos2, Response, Ui};
use glam::DVec3;
use steric_view::Camera;

use crate::commands::Command;
use crate::files::Purpose;
use crate::simulation::{Animated, Deformed, Diffused, Now, Simulation};
use crate::state::State;

/// What the mouse does in the picture.
pub(crate) struct Grip<'a> {
    pub(crate) ui: &'a Ui,
    pub(crate) response: &'a Response,
    /// Right, up, and towards the eye.
    pub(crate) axes: [DVec3; 3],
    /// Angstroms for a point of the window, as far away as a place.
    pub(crate) angstroms_per_point: &'a dyn Fn(DVec3) -> f64,
    /// Where a place is in the window; nowhere behind the eye.
    pub(crate) point_of: &'a dyn Fn(DVec3) -> Option<Pos2>,
    /// How far the wheel was turned.
    pub(crate) scroll: f64,
}

/// Whether a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// It is.
    Now,
    /// It will be, and then it is said.
    Later,
}

/// A world's panels.
pub(crate) trait World: std::fmt::Debug {
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

    /// Where everything is, if this world moves its molecules itself.
    fn now(&self) -> Option<Now> {
        None
    }

    /// One frame: keys, devices, and whatever moves by itself.
    fn frame(&mut self, _ui: &Ui, _state: &mut State, _camera: &mut Camera) {}

    /// What the mouse does in the picture; true if nobody else has to hear of it.
    fn steer(&mut self, _grip: &mut Grip<'_>, _state: &mut State) -> bool {
        false
    }

    /// Draws over the picture; where a place of the world is in it can be asked.
    fn draw_over(&self, _painter: &Painter, _point_of: &dyn Fn(DVec3) -> Option<Pos2>) {}

    /// Buttons in the bar in place of the usual ones; false if there are none.
    fn bar(&mut self, _ui: &mut Ui, _state: &mut State, _camera: &mut Camera) -> bool {
        false
    }

    /// A command of the window; true if it was for this world.
    fn run(&mut self, _command: Command, _state: &mut State) -> bool {
        false
    }

    /// A file that was asked for; nothing if it was not for this world.
    fn use_file(&mut self, _purpose: Purpose, _path: &Path, _state: &mut State) -> Option<Result<Written, String>> {
        None
    }

    /// Whether what it was made for could be opened; nothing while that is not known.
    fn is_open(&self) -> Option<bool> {
        Some(true)
    }

    /// What is docked, where that is the world.
    fn dock(&self) -> Option<&dock::DockWorld> {
        None
    }

    /// Particles in motion, where that is the world.
    fn diffused(&self) -> Option<&Diffused> {
        None
    }

    /// Soft bodies, where that is the world.
    fn deformed(&self) -> Option<&Deformed> {
        None
    }

    /// Molecules on a skeleton, where that is the world.
    fn animated(&self) -> Option<&Animated> {
        None
    }
}
