//! The molecules in the window: a camera in hand, and hands among the molecules.

use std::time::Duration;

use egui::{Pos2, Rect, Response, Sense, TextureHandle, Ui, Vec2};
use glam::{DQuat, DVec3};
use steric::model::{Instant, MoleculeId, Pose};
use steric_view::{Camera, Side};

use crate::painter::{Painted, Painter, Wish};
use crate::simulation::{Order, Simulation};
use crate::state::State;
use crate::worlds::{Grip, World};

/// What a drag with the left button does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Turns the camera around; a click chooses a molecule.
    #[default]
    Look,
    /// Takes the molecule under the mouse along; with Shift it turns it.
    Hand,
    /// Pushes the molecules under a brush.
    Brush,
    /// A click pins a molecule, or lets it go again.
    Pin,
    /// A click puts a copy of the chosen molecule there, or of the one under the mouse.
    Add,
    /// A click takes a molecule away.
    Delete,
}

impl Tool {
    /// All tools, each with its name, its key and what it does.
    pub const ALL: [(Self, &'static str, egui::Key, &'static str); 6] = [
        (Self::Look, "Look", egui::Key::V, "Drag to turn the camera, click to choose a molecule (V)"),
        (
            Self::Hand,
            "Hand",
            egui::Key::G,
            "Drag a molecule; with Shift turn it. The others make room while it plays (G)",
        ),
        (Self::Brush, "Brush", egui::Key::B, "Drag to push the molecules under the brush (B)"),
        (Self::Pin, "Pin", egui::Key::P, "Click a molecule to pin it where it is, or to let it go (P)"),
        (
            Self::Add,
            "Add",
            egui::Key::A,
            "Click to put a copy of the chosen molecule there, or of the one under the mouse (A)",
        ),
        (Self::Delete, "Delete", egui::Key::X, "Click a molecule to take it away (X)"),
    ];
}

/// A molecule in hand.
#[derive(Clone, Copy, Debug)]
struct Held {
    pose: Pose,
}

/// The picture of the molecules, and who looks at it.
pub struct Viewport {
    painter: Option<Painter>,
    texture: Option<TextureHandle>,
    shown: u64,
    /// From where one looks.
    pub camera: Camera,
    opening: u64,
    held: Option<Held>,
    wished: Option<Wished>,
    /// When something last moved, and whether a finer picture is on its way.
    moved: Option<Instant>,
    refines: bool,
    /// The last picture.
    pub painted: Option<Painted>,
    /// Width of the brush, in angstroms.
    pub brush: f64,
    /// Seconds of rocking so far.
    rocked: f64,
    /// Whether a film is made of it, so that every picture has to be a fine one.
    pub is_recorded: bool,
}

/// What tells one wish from the next.
#[derive(Clone, Debug, PartialEq)]
struct Wished {
    camera: Camera,
    look: steric_view::Look,
    stereo: Option<(steric_view::Stereo, f64)>,
    see_through: Option<(MoleculeId, f32)>,
    by: steric_view::ColourBy,
    size: [u32; 2],
    version: u64,
    opening: [u64; 2],
    pointed: Option<[u32; 2]>,
    selected: Vec<MoleculeId>,
    hidden: usize,
    painted: usize,
}

impl std::fmt::Debug for Viewport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Viewport").field("camera", &self.camera).field("held", &self.held).finish_non_exhaustive()
    }
}

/// A view that rocks is drawn this often.
const ROCKING: Duration = Duration::from_millis(33);
/// When nothing has moved for so long, a fine picture is drawn.
const STILL: Duration = Duration::from_millis(200);
/// How high the picture sees, in degrees, unless the view is parallel.
pub(crate) const PERSPECTIVE: f64 = 25.0;
/// Pixels of a picture along a side, at most.
const MOST_PIXELS: f32 = 4_096.0;

impl Viewport {
    /// Nothing is seen yet.
    pub fn new(painter: Option<Painter>) -> Self {
        let camera = Camera { eye: DVec3::NEG_Y, target: DVec3::ZERO, up: DVec3::Z, degrees: PERSPECTIVE };
        Self {
            painter,
            texture: None,
            shown: 0,
            camera,
            opening: 0,
            held: None,
            wished: None,
            moved: None,
            refines: false,
            painted: None,
            brush: 20.0,
            rocked: 0.0,
            is_recorded: false,
        }
    }

    /// Whether there is anything that paints.
    pub fn can_paint(&self) -> bool {
        self.painter.is_some()
    }

    /// Whether the last picture shows finely what there is now.
    pub fn is_current(&self, state: &State) -> bool {
        let now = (state.now.opening, state.now.edition);
        self.painted.as_ref().is_some_and(|painted| {
            painted.opening == now
                && painted.version == state.now.version
                && (painted.camera == self.camera || state.cues.rocking > 0.0)
                && !painted.is_draft
        })
    }

    /// Looks from a side at all that is there.
    pub fn look_from(&mut self, state: &State, side: Side, aspect: f64) {
        if let Some(opened) = &state.now.opened {
            self.camera = Camera { degrees: self.camera.degrees, ..Camera::of(&opened.scene, side, aspect) };
        }
    }

    /// Looks at a molecule from nearer.
    pub fn focus(&mut self, state: &State, molecule: MoleculeId) {
        let Some(pose) = state.now.poses.get(molecule.0 as usize) else { return };
        let reach = state
            .now
            .opened
            .as_ref()
            .map_or(10.0, |opened| f64::from(opened.scene.type_of(molecule).bound.radius).max(3.0));
        let towards = (self.camera.eye - self.camera.target).normalize_or(DVec3::NEG_Y);
        self.camera.target = pose.translation;
        self.camera.eye = pose.translation + towards * 14.0 * reach;
    }

    /// Shows the picture and takes what the mouse does.
    pub(crate) fn show(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation, world: &mut dyn World) {
        let (rect, response) =
            ui.allocate_exact_size(ui.available_size().max(Vec2::splat(64.0)), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "molecules"));
        let aspect = f64::from(rect.width()) / f64::from(rect.height());
        if state.now.opening != self.opening && state.now.opened.is_some() {
            self.opening = state.now.opening;
            (self.held, self.painted) = (None, None);
            self.look_from(state, Side { turn: 25.0, lift: 20.0 }, aspect);
        }
        self.take_picture(ui, state);
        self.rock(ui, state);
        self.steer(ui, &response, rect, state, simulation, world);
        self.wish(ui, rect, &response, state);
        let background = if ui.visuals().dark_mode { 24 } else { 255 };
        ui.painter().rect_filled(rect, 0.0, egui::Color32::from_gray(background));
        if let (Some(texture), true) = (&self.texture, state.now.opened.is_some()) {
            let whole = Rect::from_min_max(Pos2::ZERO, Pos2::new(1.0, 1.0));
            ui.painter().image(texture.id(), rect, whole, egui::Color32::WHITE);
        }
        if state.now.opened.is_some() {
            world.draw_over(&ui.painter().with_clip_rect(rect), &|place| self.point_of(rect, place));
        }
        if state.tool == Tool::Brush
            && let Some(at) = response.hover_pos()
        {
            let radius = (self.brush / self.angstroms_per_point(rect)) as f32;
            ui.painter().circle_stroke(at, radius, egui::Stroke::new(1.5, ui.visuals().strong_text_color()));
        }
    }

    /// Puts a new picture into the window.
    fn take_picture(&mut self, ui: &Ui, state: &mut State) {
        let Some(painter) = &self.painter else { return };
        if painter.is_away() {
            // A page hears that a GPU is done when it asks it for something else.
            ui.ctx().request_repaint();
        }
        if let Some(error) = painter.error() {
            state.say(format!("error: {error}"));
        }
        let Some(painted) = painter.painted() else { return };
        if painted.number != self.shown || self.texture.is_none() {
            let picture = &painted.picture;
            let size = [picture.width as usize, picture.height as usize];
            let pixels = picture.pixels.iter().map(|&[r, g, b, a]| egui::Color32::from_rgba_unmultiplied(r, g, b, a));
            let image = egui::ColorImage::new(size, pixels.collect());
            match &mut self.texture {
                Some(texture) => texture.set(image, egui::TextureOptions::LINEAR),
                empty => *empty = Some(ui.ctx().load_texture("molecules", image, egui::TextureOptions::LINEAR)),
            }
            self.shown = painted.number;
            state.frame_times.push(painted.milliseconds);
        }
        // A picture of what was open before points at what is not there.
        let is_of_now = painted.opening == (state.now.opening, state.now.edition);
        state.pointed = painted.picked.filter(|_| is_of_now);
        self.painted = Some(painted);
    }

    /// Asks for the next picture, if it would differ.
    fn wish(&mut self, ui: &Ui, rect: Rect, response: &Response, state: &State) {
        let camera = self.swung(state);
        let Some(painter) = &mut self.painter else { return };
        let scale = ui.ctx().pixels_per_point();
        let pixels = |length: f32| (length * scale).clamp(1.0, MOST_PIXELS) as u32;
        let size = [pixels(rect.width()), pixels(rect.height())];
        let pointed = response.hover_pos().map(|at| {
            let within = (at - rect.min) / rect.size();
            [(within.x * size[0] as f32) as u32, (within.y * size[1] as f32) as u32]
        });
        let look = state.look(ui.visuals().dark_mode);
        let wished = Wished {
            camera,
            look,
            stereo: state.cues.eyes(),
            see_through: state.cues.see_through.map(|molecule| (molecule, state.cues.opacity)),
            by: state.by,
            size,
            version: state.now.version,
            opening: [state.now.opening, state.now.edition],
            pointed,
            selected: state.selected.clone(),
            hidden: std::sync::Arc::as_ptr(&state.hidden) as usize,
            painted: std::sync::Arc::as_ptr(&state.painted) as usize,
        };
        let is_same = self.wished.as_ref() == Some(&wished);
        let moved = self.wished.as_ref().is_none_or(|before| {
            (before.camera, before.version, before.size) != (wished.camera, wished.version, wished.size)
        });
        if moved {
            self.moved = Some(Instant::now());
        }
        let is_in_haste = !self.is_recorded && self.moved.is_some_and(|moved| moved.elapsed() < STILL);
        let is_draft = self.painted.as_ref().is_some_and(|painted| painted.is_draft);
        if is_in_haste {
            // So that a fine picture follows when all is still.
            ui.ctx().request_repaint_after(STILL);
        }
        if is_same && (is_in_haste || !is_draft || self.refines) {
            return;
        }
        self.refines = is_same;
        let (stereo, see_through) = (wished.stereo, wished.see_through);
        self.wished = Some(wished);
        painter.wish(Wish {
            camera,
            look,
            stereo,
            see_through,
            size,
            by: state.by,
            hidden: std::sync::Arc::clone(&state.hidden),
            painted: std::sync::Arc::clone(&state.painted),
            selected: state.selected.clone(),
            pointed,
            is_in_haste,
            now: state.now.clone(),
        });
    }

    /// Angstroms for a point of the window, as far away as a place.
    fn angstroms_per_point_at(&self, rect: Rect, place: DVec3) -> f64 {
        let is_parallel = self.camera.degrees <= 0.0;
        let degrees = if is_parallel { PERSPECTIVE } else { self.camera.degrees };
        let away = (self.camera.eye - place).dot(self.axes()[2]).max(1e-3);
        let depth = if is_parallel { self.camera.distance() } else { away };
        2.0 * (0.5 * degrees).to_radians().tan() * depth / f64::from(rect.height())
    }

    /// Where a place is in the window; nowhere behind the eye.
    fn point_of(&self, rect: Rect, place: DVec3) -> Option<Pos2> {
        let size = [rect.width().max(1.0) as u32, rect.height().max(1.0) as u32];
        let [x, y] = self.camera.pixel_of(place, size)?;
        Some(rect.min + Vec2::new(x as f32, y as f32))
    }

    fn angstroms_per_point(&self, rect: Rect) -> f64 {
        self.angstroms_per_point_at(rect, self.camera.target)
    }

    /// The right, the up and the way towards the eye, in the world.
    fn axes(&self) -> [DVec3; 3] {
        axes_of(&self.camera)
    }

    /// Lets the view swing, unless a hand moves.
    fn rock(&mut self, ui: &Ui, state: &State) {
        if state.cues.rocking <= 0.0 {
            self.rocked = 0.0;
            return;
        }
        if !state.rocking_waits && !ui.input(|input| input.pointer.any_down()) {
            self.rocked += f64::from(ui.input(|input| input.stable_dt)).min(0.1);
        }
        ui.ctx().request_repaint_after(ROCKING);
    }

    /// From where a picture is taken: the camera, as far as it has swung.
    fn swung(&self, state: &State) -> Camera {
        match state.cues.swing(self.rocked) {
            0.0 => self.camera,
            degrees => self.camera.turned(degrees),
        }
    }

    fn steer(
        &mut self,
        ui: &Ui,
        response: &Response,
        rect: Rect,
        state: &mut State,
        simulation: &Simulation,
        world: &mut dyn World,
    ) {
        let (shift, scroll, zoom) =
            ui.input(|input| (input.modifiers.shift, input.smooth_scroll_delta().y, input.zoom_delta()));
        let mut grip = Grip {
            ui,
            response,
            axes: self.axes(),
            angstroms_per_point: &|place| self.angstroms_per_point_at(rect, place),
            point_of: &|place| self.point_of(rect, place),
            scroll: f64::from(scroll),
        };
        if world.steer(&mut grip, state) {
            if response.hovered() && zoom != 1.0 {
                self.camera = self.camera.nearer(f64::from(zoom));
            }
            return;
        }
        if response.hovered() {
            let times = (f64::from(scroll) * 0.003).exp() * f64::from(zoom);
            if (times - 1.0).abs() > 1e-6 {
                self.camera = self.camera.nearer(times);
            }
        }
        let moved = response.drag_delta();
        let by_hand = response.dragged_by(egui::PointerButton::Primary) && state.tool != Tool::Look;
        let pans = response.dragged_by(egui::PointerButton::Middle)
            || (response.dragged() && shift && state.tool == Tool::Look);
        if pans {
            let [right, up, _] = self.axes();
            let way = (-f64::from(moved.x) * right + f64::from(moved.y) * up) * self.angstroms_per_point(rect);
            (self.camera.eye, self.camera.target) = (self.camera.eye + way, self.camera.target + way);
        } else if response.dragged() && !by_hand {
            self.orbit(moved);
        }
        match state.tool {
            Tool::Hand => self.use_hand(response, rect, state, simulation, shift),
            Tool::Brush if by_hand => {
                if response.drag_started() {
                    simulation.order(Order::Mark);
                }
                self.use_brush(response, rect, state, simulation);
            }
            _ => {}
        }
        let clicked = state.pointed.filter(|_| response.clicked()).map(|picked| picked.molecule);
        match (state.tool, clicked) {
            (Tool::Pin, Some(molecule)) => {
                let is_fixed = state.now.fixed.get(molecule.0 as usize).copied().unwrap_or(false);
                simulation.order(Order::Pin(vec![molecule], !is_fixed));
            }
            (Tool::Add, Some(molecule)) => {
                let chosen = state.selected.last().copied().unwrap_or(molecule);
                if let (Some(pose), Some(at)) =
                    (self.pose_at(state, rect, response, molecule, chosen), response.hover_pos())
                    && rect.contains(at)
                {
                    simulation.order(Order::Add(chosen, pose));
                }
            }
            (Tool::Delete, Some(molecule)) => simulation.order(Order::Delete(vec![molecule])),
            (_, Some(molecule)) => state.select(molecule, ui.input(|input| input.modifiers.command)),
            (Tool::Look, None) if response.clicked() => state.selected.clear(),
            _ => {}
        }
        if response.double_clicked()
            && let Some(picked) = state.pointed
        {
            self.focus(state, picked.molecule);
        }
    }

    /// Where the mouse is, as far away as a molecule, turned as the chosen one is.
    fn pose_at(
        &self,
        state: &State,
        rect: Rect,
        response: &Response,
        at: MoleculeId,
        chosen: MoleculeId,
    ) -> Option<Pose> {
        let mouse = response.hover_pos()?;
        let near = state.now.poses.get(at.0 as usize)?.translation;
        let pose = state.now.poses.get(chosen.0 as usize)?;
        let size = [rect.width() as u32, rect.height() as u32];
        let [x, y] = self.camera.pixel_of(near, size)?;
        let [right, up, _] = self.axes();
        let way = (f64::from(mouse.x - rect.min.x) - x) * right - (f64::from(mouse.y - rect.min.y) - y) * up;
        Some(Pose { translation: near + way * self.angstroms_per_point_at(rect, near), rotation: pose.rotation })
    }

    /// Turns the camera around its target.
    fn orbit(&mut self, moved: Vec2) {
        let [right, ..] = self.axes();
        let turn = DQuat::from_axis_angle(DVec3::Z, -0.4f64.to_radians() * f64::from(moved.x))
            * DQuat::from_axis_angle(right, -0.4f64.to_radians() * f64::from(moved.y));
        self.camera.eye = self.camera.target + turn * (self.camera.eye - self.camera.target);
        self.camera.up = turn * self.camera.up;
    }

    /// The molecule in hand goes where the mouse goes, in the plane of the picture.
    fn use_hand(&mut self, response: &Response, rect: Rect, state: &mut State, simulation: &Simulation, turns: bool) {
        let primary = egui::PointerButton::Primary;
        if response.drag_started_by(primary)
            && let Some(picked) = state.pointed
            && let Some(pose) = state.now.poses.get(picked.molecule.0 as usize)
        {
            self.held = Some(Held { pose: *pose });
            state.select(picked.molecule, false);
            simulation.order(Order::Grab(picked.molecule));
        }
        let [right, up, _] = self.axes();
        let per_point = self.held.map_or(0.0, |held| self.angstroms_per_point_at(rect, held.pose.translation));
        if let Some(held) = &mut self.held
            && response.dragged_by(primary)
        {
            let moved = response.drag_delta();
            if turns {
                let turn = DQuat::from_axis_angle(up, 0.01 * f64::from(moved.x))
                    * DQuat::from_axis_angle(right, 0.01 * f64::from(moved.y));
                held.pose.rotation = (turn * held.pose.rotation).normalize();
            } else {
                held.pose.translation += (f64::from(moved.x) * right - f64::from(moved.y) * up) * per_point;
            }
            simulation.order(Order::Hold(held.pose));
        } else if response.dragged_by(primary) {
            self.orbit(response.drag_delta());
        }
        if self.held.is_some() && response.drag_stopped() {
            self.held = None;
            simulation.order(Order::Release);
        }
    }

    /// Molecules under the brush go where it goes.
    fn use_brush(&self, response: &Response, rect: Rect, state: &State, simulation: &Simulation) {
        let (Some(at), moved) = (response.interact_pointer_pos(), response.drag_delta()) else { return };
        if moved == Vec2::ZERO {
            return;
        }
        let [right, up, _] = self.axes();
        let per_point = self.angstroms_per_point(rect);
        let way = (f64::from(moved.x) * right - f64::from(moved.y) * up) * per_point;
        let size = [rect.width() as u32, rect.height() as u32];
        let reach = self.brush / per_point;
        let within = |pose: &Pose| {
            let [x, y] = self.camera.pixel_of(pose.translation, size)?;
            let away = f64::hypot(x - f64::from(at.x - rect.min.x), y - f64::from(at.y - rect.min.y)) / reach;
            (away < 1.0).then(|| way * (1.0 - away * away))
        };
        let pushes = (0u32..).zip(state.now.poses.iter());
        let pushes: Vec<_> = pushes.filter_map(|(id, pose)| Some((MoleculeId(id), within(pose)?))).collect();
        if !pushes.is_empty() {
            simulation.order(Order::Push(pushes));
        }
    }
}

/// The right, the up and the way towards the eye, in the world.
pub(crate) fn axes_of(camera: &Camera) -> [DVec3; 3] {
    let back = (camera.eye - camera.target).normalize_or(DVec3::NEG_Y);
    let right = camera.up.cross(back).normalize_or(DVec3::X);
    [right, back.cross(right), back]
}
