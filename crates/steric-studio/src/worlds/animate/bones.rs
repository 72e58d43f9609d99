//! Bones in hand: chosen in a list or in the picture, and turned by numbers or by the mouse.
//!
//! How it works: a hand turns a joint to a rotation that is a key of no clip yet. It stands as long as one stays at that time in that clip. Numbers turn it about its own
//! axes, one after the other; the mouse about the axes of the screen, brought into the frame of its parent.

use egui::{Color32, DragValue, Painter, PointerButton, Pos2, RichText, Stroke, Ui};
use glam::{DQuat, DVec3, EulerRot};
use steric::model::Bone;
use steric::world::animate::nearest_rotation;

use super::{AnimateWorld, Grip};
use crate::state::State;

/// A click is meant for a bone that is nearer than this, in points of the window.
const NEAR: f32 = 9.0;
/// How far a mouse turns a bone, in radians a point.
const TURN: f64 = 0.01;
/// Lines over the picture: bones, and the one that is chosen.
const LINE: Color32 = Color32::from_rgb(86, 180, 233);
const CHOSEN: Color32 = Color32::from_rgb(255, 214, 10);

/// What a hand has.
#[derive(Debug, Default)]
pub(super) struct Hand {
    /// The joint whose bones are chosen.
    pub(super) chosen: Option<u32>,
    pub(super) draft: Option<Draft>,
    /// Whether the mouse turns it now.
    drags: bool,
}

/// A joint that was turned, and that nobody has added a key for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Draft {
    pub(super) joint: u32,
    /// In the frame of its parent.
    pub(super) rotation: DQuat,
    /// About its own axes, from where the clip has it.
    degrees: [f64; 3],
    clip: usize,
    time: f64,
}

impl AnimateWorld {
    /// The rotation of a joint in the frame of its parent, as the clip has it now.
    pub(super) fn rotation_of(&self, joint: u32) -> DQuat {
        let (skeleton, moment) = (&self.puppet.rig().skeleton, self.moment());
        let pose = match self.puppet.clip(moment.clip) {
            Some(clip) => clip.poses(skeleton, moment.time, moment.turning).get(joint as usize).copied(),
            None => skeleton.joints.get(joint as usize).map(|joint| joint.rest),
        };
        pose.map_or(DQuat::IDENTITY, |pose| pose.rotation)
    }

    /// How the frame of a joint's parent is turned now.
    fn rotation_above(&self, joint: u32) -> DQuat {
        let (skeleton, moment) = (&self.puppet.rig().skeleton, self.moment());
        let Some(parent) = skeleton.joints.get(joint as usize).and_then(|joint| joint.parent) else {
            return DQuat::IDENTITY;
        };
        let poses = match self.puppet.clip(moment.clip) {
            Some(clip) => clip.poses(skeleton, moment.time, moment.turning),
            None => skeleton.rest(),
        };
        nearest_rotation(skeleton.placed(&poses)[parent as usize].matrix3)
    }

    /// What a hand has turned is only for where it was turned.
    pub(super) fn let_go_if_elsewhere(&mut self) {
        let (clip, time, chosen) = (self.looks.clip, self.clock.time, self.hand.chosen);
        let is_elsewhere = |draft: &Draft| (draft.clip, draft.time, Some(draft.joint)) != (clip, time, chosen);
        if self.clock.plays || self.hand.draft.as_ref().is_some_and(is_elsewhere) {
            self.hand.draft = None;
        }
    }

    fn choose(&mut self, joint: Option<u32>) {
        (self.hand.chosen, self.hand.draft) = (joint, None);
    }

    fn turn(&mut self, joint: u32, rotation: DQuat, degrees: [f64; 3]) {
        self.clock.plays = false;
        let (clip, time) = (self.looks.clip, self.clock.time);
        self.hand.draft = Some(Draft { joint, rotation: rotation.normalize(), degrees, clip, time });
    }

    /// Turns a joint about its own axes, from where the clip has it.
    fn turn_to(&mut self, joint: u32, degrees: [f64; 3]) {
        let [x, y, z] = degrees.map(f64::to_radians);
        self.turn(joint, self.rotation_of(joint) * DQuat::from_euler(EulerRot::XYZ, x, y, z), degrees);
    }

    /// Turns a joint further, by a rotation in the world.
    fn turn_by(&mut self, joint: u32, in_world: DQuat) {
        let (start, above) = (self.rotation_of(joint), self.rotation_above(joint));
        let now = self.hand.draft.map_or(start, |draft| draft.rotation);
        let rotation = above.inverse() * in_world * above * now;
        let (x, y, z) = (start.inverse() * rotation).to_euler(EulerRot::XYZ);
        self.turn(joint, rotation, [x, y, z].map(f64::to_degrees));
    }

    /// The list of bones, and the hand on the one that is chosen.
    pub(super) fn show_bones(&mut self, ui: &mut Ui, state: &mut State) {
        if self.puppet.key_frames().is_some() {
            ui.label(RichText::new("Atoms follow frames; there are no bones to turn.").weak());
            return;
        }
        let joints = &self.puppet.rig().skeleton.joints;
        let moving: Vec<u32> = (0u32..).zip(joints).filter(|(_, joint)| joint.moves_atoms).map(|(at, _)| at).collect();
        ui.label(RichText::new(format!("Bones: {}", moving.len())).weak());
        let height = ui.text_style_height(&egui::TextStyle::Body);
        let mut clicked = None;
        egui::ScrollArea::vertical().id_salt("bones").max_height(130.0).auto_shrink([false, true]).show_rows(
            ui,
            height,
            moving.len(),
            |ui, rows| {
                for &joint in &moving[rows] {
                    let is_chosen = self.hand.chosen == Some(joint);
                    if ui.selectable_label(is_chosen, self.name_of(joint)).clicked() {
                        clicked = Some((!is_chosen).then_some(joint));
                    }
                }
            },
        );
        if let Some(joint) = clicked {
            self.choose(joint);
        }
        match self.hand.chosen {
            Some(joint) => self.show_hand(ui, joint, state),
            None => {
                ui.label(RichText::new("Choose a bone to turn it.").weak());
            }
        }
    }

    fn show_hand(&mut self, ui: &mut Ui, joint: u32, state: &mut State) {
        let before = self.hand.draft.map_or([0.0; 3], |draft| draft.degrees);
        let mut degrees = before;
        ui.horizontal(|ui| {
            for (own, name) in degrees.iter_mut().zip(["turn x", "y", "z"]) {
                let label = ui.label(name);
                let field = DragValue::new(own).speed(1.0).range(-360.0..=360.0).suffix("°").max_decimals(1);
                ui.add(field)
                    .labelled_by(label.id)
                    .on_hover_text("Degrees about its own axis, from where the clip has it.");
            }
        });
        if degrees != before {
            self.turn_to(joint, degrees);
        }
        ui.horizontal(|ui| {
            let about = "The bone has this rotation at this time, in the clip that is played.";
            if ui.button("Add key").on_hover_text(about).clicked() {
                self.add_key(state);
            }
            let turned = self.hand.draft.is_some();
            if ui.add_enabled(turned, egui::Button::new("Back")).on_hover_text("As the clip has it.").clicked() {
                self.hand.draft = None;
            }
        });
    }

    pub(super) fn name_of(&self, joint: u32) -> String {
        let name = self.puppet.rig().skeleton.joints.get(joint as usize).map(|joint| joint.name.as_str());
        name.filter(|name| !name.is_empty()).map_or_else(|| format!("joint {joint}"), ToOwned::to_owned)
    }

    /// What the mouse does in the picture; whether it was meant for a bone.
    pub(super) fn grip(&mut self, grip: &Grip<'_>) -> bool {
        let (response, primary) = (grip.response, PointerButton::Primary);
        if !self.looks.skeleton {
            self.hand.drags = false;
            return false;
        }
        let nearest = |at: Option<Pos2>| at.and_then(|at| nearest(&self.seen.bones, at, grip.point_of));
        if response.clicked()
            && let Some(joint) = nearest(response.interact_pointer_pos())
        {
            self.choose(Some(joint));
            return true;
        }
        if response.drag_started_by(primary) {
            let began = nearest(grip.ui.input(|input| input.pointer.press_origin()));
            self.hand.drags = began.is_some() && began == self.hand.chosen;
        }
        if let (true, Some(joint)) = (self.hand.drags && response.dragged_by(primary), self.hand.chosen) {
            let moved = response.drag_delta();
            let [right, up, _] = grip.axes;
            let turn = DQuat::from_axis_angle(up, TURN * f64::from(moved.x))
                * DQuat::from_axis_angle(right, TURN * f64::from(moved.y));
            if moved != egui::Vec2::ZERO {
                self.turn_by(joint, turn);
            }
            return true;
        }
        self.hand.drags = false;
        false
    }

    /// Bones also where atoms hide them.
    pub(super) fn draw_bones(&self, painter: &Painter, point_of: &dyn Fn(DVec3) -> Option<Pos2>) {
        if !self.looks.skeleton {
            return;
        }
        for bone in self.seen.bones.iter() {
            let (Some(head), Some(tail)) = (point_of(bone.head), point_of(bone.tail)) else { continue };
            let is_chosen = self.hand.chosen == Some(bone.joint);
            let (width, colour) = if is_chosen { (2.5, CHOSEN) } else { (1.0, LINE) };
            painter.line_segment([head, tail], Stroke::new(width, colour));
            painter.circle_stroke(head, 3.0, Stroke::new(width, colour));
        }
    }
}

/// The joint of the bone that is seen nearest to a point of the window, if one is near.
fn nearest(bones: &[Bone], at: Pos2, point_of: &dyn Fn(DVec3) -> Option<Pos2>) -> Option<u32> {
    let away = |bone: &Bone| {
        let (head, tail) = (point_of(bone.head)?, point_of(bone.tail)?);
        let along = tail - head;
        let share = ((at - head).dot(along) / along.length_sq().max(1e-6)).clamp(0.0, 1.0);
        Some((at.distance(head + along * share), bone.joint))
    };
    let found = bones.iter().filter_map(away).filter(|(distance, _)| *distance < NEAR);
    found.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, joint)| joint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_is_for_the_nearest_bone_and_beside_all_for_none() {
        let bone = |joint: u32, y: f64| Bone { joint, head: DVec3::Y * y, tail: DVec3::new(100.0, y, 0.0) };
        let bones = [bone(0, 0.0), bone(1, 12.0)];
        let seen = |place: DVec3| Some(Pos2::new(place.x as f32, place.y as f32));
        assert_eq!(nearest(&bones, Pos2::new(50.0, 4.0), &seen), Some(0));
        assert_eq!(nearest(&bones, Pos2::new(50.0, 8.0), &seen), Some(1));
        assert_eq!(nearest(&bones, Pos2::new(-20.0, 0.0), &seen), None);
        assert_eq!(nearest(&bones, Pos2::new(50.0, 8.0), &|_| None), None);
    }
}
