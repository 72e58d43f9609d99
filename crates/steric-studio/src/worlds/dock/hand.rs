//! From what a hand does, with mouse, keys or devices, to a motion with six degrees of freedom.

use egui::{PointerButton, Ui};
use glam::{DQuat, DVec3};
use steric::dock::Deed;
use steric::model::Pose;
use steric::world::dock::Response;
use steric_view::Camera;

use super::{DOWNHILL, DockWorld, Grip, Mode, Space};
use crate::devices::Push;
use crate::state::State;
use crate::viewport::axes_of;

/// How fast a key or a stick moves a molecule, in angstroms and radians a second.
const SPEED: (f64, f64) = (8.0, 1.2);
/// How far a mouse turns it, in radians a point.
const TURN: f64 = 0.01;
/// How far a wheel moves it, in angstroms a point.
const WHEEL: f64 = 0.02;
/// Who has moved less than this rests, in angstroms.
const REST: f64 = 1e-4;

/// Along some axes.
fn along(axes: [DVec3; 3], of: DVec3) -> DVec3 {
    axes[0] * of.x + axes[1] * of.y + axes[2] * of.z
}

impl DockWorld {
    /// The axes that a hand moves along: the screen's, or those of the molecule.
    fn own_axes(&self, screen: [DVec3; 3]) -> [DVec3; 3] {
        match (self.space, &self.session) {
            (Space::Object, Some(session)) => {
                let rotation = session.world_from_moved().rotation;
                [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| rotation * axis)
            }
            _ => screen,
        }
    }

    /// Moves what is in hand by a shift and a turn around its middle, both in the world.
    pub(super) fn nudge(&mut self, shift: DVec3, turn: DVec3, state: &mut State) {
        let Some(session) = &self.session else { return };
        if shift == DVec3::ZERO && turn == DVec3::ZERO {
            return;
        }
        let (pose, middle) = (session.world_from_moved(), session.middle_of_moved());
        let rotation = DQuat::from_scaled_axis(turn);
        let to = Pose {
            rotation: (rotation * pose.rotation).normalize(),
            translation: middle + shift + rotation * (pose.translation - middle),
        };
        self.act(Deed::Go(to.into()), state);
    }

    /// What the mouse does in the picture; whether it was meant for what is docked.
    pub(super) fn grip(&mut self, grip: &mut Grip<'_>, state: &mut State) -> bool {
        let response = grip.response;
        let moved = response.drag_delta();
        if self.player.is_some() || self.mode == Mode::View || response.dragged_by(PointerButton::Middle) {
            return false;
        }
        let (x, y) = (f64::from(moved.x), f64::from(moved.y));
        if self.mode == Mode::Light {
            if response.dragged() {
                state.cues.turn_light(x, y);
            }
            return true;
        }
        let Some(session) = &self.session else { return false };
        let per_point = (grip.angstroms_per_point)(session.middle_of_moved()) * self.sensitivity;
        if response.drag_started() {
            self.mark(state);
        }
        let axes = self.own_axes(grip.axes);
        if response.dragged() {
            let turns = response.dragged_by(PointerButton::Secondary) || grip.ui.input(|input| input.modifiers.shift);
            if turns {
                let turn = along(axes, DVec3::new(y, x, 0.0)) * TURN * self.sensitivity;
                self.nudge(DVec3::ZERO, turn, state);
            } else {
                self.nudge(along(axes, DVec3::new(x, -y, 0.0)) * per_point, DVec3::ZERO, state);
            }
        }
        if response.hovered() && grip.scroll != 0.0 {
            self.nudge(axes[2] * grip.scroll * WHEEL * self.sensitivity, DVec3::ZERO, state);
        }
        true
    }

    /// What keys and devices do in this frame.
    pub(super) fn listen(&mut self, ui: &Ui, state: &mut State, camera: &mut Camera) {
        if self.keys_window.is_none_or(|waits| waits.is_none()) {
            for command in self.keys.pressed(ui.ctx()) {
                self.run_own(command, ui, state, camera);
            }
        }
        let seconds = f64::from(ui.input(|input| input.stable_dt)).min(0.1);
        let ([x, y, z], turns) = self.keys.pushes(ui.ctx());
        let by_keys = if turns {
            Push { shift: DVec3::ZERO, turn: DVec3::new(-y, x, -z) }
        } else {
            Push { shift: DVec3::new(x, y, z), turn: DVec3::ZERO }
        };
        let pushes = self.devices.pushes();
        let first = Push { shift: by_keys.shift + pushes.first.shift, turn: by_keys.turn + pushes.first.turn };
        let is_pushed = !first.is_nothing();
        if is_pushed && !self.was_pushed && self.mode == Mode::Object {
            self.mark(state);
        }
        self.was_pushed = is_pushed;
        match self.mode {
            Mode::Object if is_pushed => {
                let axes = self.own_axes(axes_of(camera));
                let (shift, turn) = (along(axes, first.shift), along(axes, first.turn));
                let far = seconds * self.sensitivity;
                self.nudge(shift * SPEED.0 * far, turn * SPEED.1 * far, state);
            }
            Mode::View if is_pushed => push_view(camera, first, seconds),
            Mode::Light if is_pushed => {
                state.cues.turn_light(100.0 * seconds * first.shift.x, -100.0 * seconds * first.shift.y)
            }
            _ => {}
        }
        if !pushes.second.is_nothing() {
            push_view(camera, pushes.second, seconds);
        }
        if is_pushed || !pushes.second.is_nothing() {
            ui.ctx().request_repaint();
        } else if self.devices.has_pads() {
            // Nobody says when a stick moves.
            ui.ctx().request_repaint_after(std::time::Duration::from_millis(30));
        }
        self.go_on(ui, state);
    }

    /// What moves without a hand: what flies on after a hit, and what energies pull.
    fn go_on(&mut self, ui: &Ui, state: &mut State) {
        let Some(session) = &self.session else { return };
        let before = session.world_from_ligand();
        if self.goes_downhill && session.has_energies() && !self.moves {
            let hash = session.hash();
            let still_falls = self.fallen != Some(hash);
            if still_falls {
                self.act(Deed::Downhill(DOWNHILL[0]), state);
            }
        } else if session.response() == Response::Bounce && session.collides() && !self.moves && self.flies {
            let to = session.world_from_moved();
            self.act(Deed::Go(to.into()), state);
        }
        let Some(session) = &self.session else { return };
        let after = session.world_from_ligand();
        let moved =
            before.translation.distance(after.translation) + 5.0 * before.rotation.angle_between(after.rotation);
        self.fallen = (moved < REST).then(|| session.hash());
        self.flies = self.moves && session.response() == Response::Bounce && (moved > REST || self.is_gripped(ui));
        if self.moves && moved > REST {
            ui.ctx().request_repaint();
        }
    }

    fn is_gripped(&self, ui: &Ui) -> bool {
        ui.input(|input| input.pointer.any_down()) || self.was_pushed
    }
}

/// Moves the view as a device says: sideways, up and down, nearer; and around what is looked at.
fn push_view(camera: &mut Camera, push: Push, seconds: f64) {
    let axes = axes_of(camera);
    let far = camera.distance();
    let way = along(axes, DVec3::new(push.shift.x, push.shift.y, 0.0)) * 0.5 * far * seconds;
    (camera.eye, camera.target) = (camera.eye - way, camera.target - way);
    *camera = camera.nearer((push.shift.z * seconds).exp());
    let turn = DQuat::from_scaled_axis(-along(axes, push.turn) * SPEED.1 * seconds);
    camera.eye = camera.target + turn * (camera.eye - camera.target);
    camera.up = turn * camera.up;
}
