//! The panels of the animate world.

use std::sync::Arc;

use egui::{ComboBox, DragValue, RichText, Slider, Ui};
use steric::model::{AtomId, MoleculeId, Turning};
use steric::world::animate::{Blend, Level};
use steric::world::report::words::thousands;

use super::AnimateWorld;
use crate::files::Purpose;
use crate::simulation::Job;
use crate::state::State;

/// So many of the chosen ones are described.
const MOST_SHOWN: usize = 6;

impl AnimateWorld {
    /// Play, keys, the time, and how it stands.
    pub(super) fn show_bar(&mut self, ui: &mut Ui, state: &mut State) {
        let duration = self.duration();
        let plays = self.clock.plays;
        let play = ui.button(if plays { "Pause" } else { "Play" }).on_hover_text("Plays the clip (Space)");
        if play.clicked() {
            self.clock.toggle(duration);
        }
        if ui.button("Previous key").on_hover_text("To the key before (,)").clicked() {
            self.clock.previous_key(&self.key_times());
        }
        if ui.button("Next key").on_hover_text("To the next key (.)").clicked() {
            self.clock.next_key(&self.key_times());
        }
        ui.spacing_mut().slider_width = 220.0;
        let mut time = self.clock.time;
        let slider = Slider::new(&mut time, 0.0..=duration.max(1e-3)).text("time").suffix(" s");
        // A slider that rounds would change the time by itself.
        if ui.add(slider.custom_formatter(|time, _| format!("{time:.3}")).smart_aim(false)).changed() {
            self.clock.stand(time);
        }
        let label = ui.label("speed");
        let speed = DragValue::new(&mut self.clock.speed).speed(0.02).range(0.01..=20.0).suffix("×");
        ui.add(speed).labelled_by(label.id).on_hover_text("Seconds of the clip in a second.");
        ui.checkbox(&mut self.clock.loops, "loop").on_hover_text("Begins again at the end.");
        if ui.button("Save as …").on_hover_text("The animation, or its atoms as they are now (Ctrl+S)").clicked() {
            state.wants = Some(Purpose::Puppet);
        }
        ui.separator();
        ui.label(self.standing(state));
    }

    /// How it stands, in a line.
    fn standing(&self, state: &State) -> String {
        let picture = state.frame_times.mean().map_or(String::new(), |ms| format!(" · picture {ms:.0} ms"));
        let what = match (self.seen.distance, self.looks.manner.level) {
            (0, Level::Atom) => "atoms",
            (0, Level::Residue) => "residues",
            (0, Level::Chain) => "chains",
            _ => "super-atoms",
        };
        let placed = self.seen.milliseconds;
        format!("{} {what} · {placed:.1} ms to place{picture}", thousands(self.seen.molecules as u64))
    }

    /// What is played, and what is seen of it.
    pub(super) fn show_scene(&mut self, ui: &mut Ui, state: &mut State) {
        ui.label(RichText::new(&self.source.name).strong());
        let residues = self.puppet.groups(Level::Residue).map_or(0, |groups| groups.len());
        ui.label(format!(
            "{} atoms, {} residues, {} chains, {} joints",
            thousands(self.puppet.radii().len() as u64),
            thousands(residues as u64),
            thousands(self.puppet.structure().chains.len() as u64),
            thousands(self.puppet.rig().skeleton.joints.len() as u64)
        ));
        ui.separator();
        self.show_clips(ui, state);
        ui.separator();
        let looks = &mut self.looks;
        ComboBox::from_label("level").selected_text(looks.manner.level.name()).show_ui(ui, |ui| {
            for level in Level::ALL {
                ui.selectable_value(&mut looks.manner.level, level, level.name()).on_hover_text(about_level(level));
            }
        });
        ComboBox::from_label("blend").selected_text(blend_name(looks.manner.blend)).show_ui(ui, |ui| {
            for blend in Blend::ALL {
                ui.selectable_value(&mut looks.manner.blend, blend, blend_name(blend))
                    .on_hover_text(about_blend(blend));
            }
        });
        ui.horizontal(|ui| {
            ui.label("turning").on_hover_text("How rotations go from key to key.");
            for (turning, name, about) in [
                (Turning::Slerp, "slerp", "Along the arc, at constant speed."),
                (Turning::Lerp, "lerp", "Along the chord, slower at the ends."),
            ] {
                ui.selectable_value(&mut looks.manner.turning, turning, name).on_hover_text(about);
            }
        });
        ui.separator();
        self.show_what_is_drawn(ui);
        ui.separator();
        self.show_distance(ui);
    }

    fn show_clips(&mut self, ui: &mut Ui, state: &mut State) {
        if let Some(frames) = self.puppet.key_frames() {
            ui.label(format!("{} frames in {:.2} s", frames.times.len(), frames.duration()));
            return;
        }
        let names: Vec<String> =
            (1..).zip(&self.puppet.rig().clips).map(|(number, clip)| named(number, &clip.name)).collect();
        let before = self.looks.clip;
        let own = names.get(before).map_or("none", String::as_str);
        ComboBox::from_label("clip").selected_text(own).show_ui(ui, |ui| {
            for (number, name) in names.iter().enumerate() {
                ui.selectable_value(&mut self.looks.clip, number, name);
            }
        });
        if self.looks.clip != before {
            self.clock.time = 0.0;
        }
        ui.horizontal(|ui| {
            if ui.button("New clip").on_hover_text("A clip in which nothing moves yet.").clicked() {
                self.add_clip(state);
            }
            let mut seconds = self.duration();
            if self.puppet.clip(self.looks.clip).is_some() {
                let label = ui.label("length");
                let field = DragValue::new(&mut seconds).range(0.0..=3_600.0).suffix(" s").update_while_editing(false);
                let about = "How long the clip is; not shorter than its last key.";
                // A number that is dragged is one change for each step, so it is written.
                let field = ui.add(field.speed(0.0)).labelled_by(label.id).on_hover_text(about);
                if field.changed() {
                    self.set_duration(seconds, state);
                }
            }
        });
        ui.label(RichText::new(format!("{} keys", self.key_times().len())).weak());
    }

    /// Bones, and a second level.
    fn show_what_is_drawn(&mut self, ui: &mut Ui) {
        let has_bones = !self.puppet.rig().skeleton.bones().is_empty();
        let looks = &mut self.looks;
        let about = "The bones at this moment. Click on one to choose it, and drag it to turn it.";
        ui.add_enabled(has_bones, egui::Checkbox::new(&mut looks.skeleton, "skeleton")).on_hover_text(about);
        ui.checkbox(&mut looks.chains, "chain bones")
            .on_hover_text("A bone for each chain, as the level of chains has it.");
        if looks.skeleton || looks.chains {
            let label = ui.label("opacity of atoms");
            let field = DragValue::new(&mut looks.opacity).speed(0.01).range(0.0..=1.0);
            ui.add(field).labelled_by(label.id).on_hover_text("How much of an atom hides the bones behind it.");
        }
        let word = looks.overlay.map_or("none", Level::name);
        ComboBox::from_label("overlay").selected_text(word).show_ui(ui, |ui| {
            ui.selectable_value(&mut looks.overlay, None, "none");
            for level in Level::ALL.into_iter().filter(|level| *level != looks.manner.level) {
                ui.selectable_value(&mut looks.overlay, Some(level), level.name())
                    .on_hover_text("The same moment at this level, in grey.");
            }
        });
    }

    /// Super-atoms for what is far.
    fn show_distance(&mut self, ui: &mut Ui) {
        let each = |at: usize| self.puppet.options().atoms_each.get(at).copied().unwrap_or_default();
        let words = |distance: Option<usize>| match distance {
            None => "automatic".to_owned(),
            Some(0) => "atoms".to_owned(),
            Some(level) => format!("{level}: {} atoms each", each(level - 1)),
        };
        let most = self.puppet.super_atoms(self.looks.manner.level).len();
        let mut chosen = self.looks.distance;
        ComboBox::from_label("distance").selected_text(words(chosen)).show_ui(ui, |ui| {
            for distance in std::iter::once(None).chain((0..=most).map(Some)) {
                ui.selectable_value(&mut chosen, distance, words(distance));
            }
        });
        self.looks.distance = chosen;
        if chosen.is_none() {
            ui.horizontal(|ui| {
                let label = ui.label("at least");
                let field = DragValue::new(&mut self.looks.least).speed(0.1).range(0.1..=100.0).suffix(" px");
                let about = "The finest level whose spheres are so many pixels wide in the mean is drawn.";
                ui.add(field).labelled_by(label.id).on_hover_text(about);
            });
        }
        ui.horizontal(|ui| {
            let about = "How many atoms a super-atom of each distance level stands for.";
            let label = ui.label("atoms each").on_hover_text(about);
            for own in &mut self.atoms_each {
                ui.add(DragValue::new(own).speed(0.5).range(1.0..=100_000.0)).labelled_by(label.id);
            }
        });
        let is_other = self.atoms_each != self.puppet.options().atoms_each;
        let find = egui::Button::new("Find super-atoms");
        if is_other && ui.add_enabled(self.job.is_none(), find).on_hover_text("Of these sizes.").clicked() {
            self.atoms_each.sort_by(f32::total_cmp);
            self.job = Some(Job::levels(&self.puppet, self.atoms_each.clone(), Arc::clone(&self.wake.0)));
        }
    }

    /// The bones, the atom under the mouse, and the molecules that were chosen.
    pub(super) fn show_selection(&mut self, ui: &mut Ui, state: &mut State) {
        self.show_bones(ui, state);
        ui.separator();
        ui.label(RichText::new("Under the mouse").weak());
        let pointed = state.pointed.and_then(|picked| self.described(state, picked.molecule, picked.atom.unwrap_or(0)));
        ui.label(pointed.unwrap_or_else(|| "nothing".to_owned()));
        for molecule in state.selected.iter().take(MOST_SHOWN) {
            let words = self.described(state, *molecule, 0).unwrap_or_default();
            ui.label(RichText::new(words).strong());
        }
    }

    /// An atom in words; beads of bones and what lies over a level are none.
    fn described(&self, state: &State, molecule: MoleculeId, atom: u32) -> Option<String> {
        let opened = state.now.opened.as_ref().filter(|_| (molecule.0 as usize) < self.seen.molecules)?;
        let structure = opened.structures.first()?;
        let kind = opened.scene.type_of(molecule);
        let origin =
            opened.molecules.origin(AtomId { molecule, atom: atom.min(kind.atoms.saturating_sub(1)) }).atom as usize;
        let residue = structure.residues.get(*structure.atoms.residues.get(origin)? as usize)?;
        let chain = structure.chains.get(residue.chain as usize).map_or("", |chain| chain.name.as_str());
        let name = structure.atoms.names.get(origin)?;
        Some(match (self.seen.distance, self.looks.manner.level) {
            (0, Level::Atom) => format!("chain {chain}, {} {}, {name}", residue.name, residue.number),
            (0, Level::Residue) => format!("chain {chain}, {} {}", residue.name, residue.number),
            (0, Level::Chain) => format!("chain {chain}"),
            _ => format!("a super-atom of chain {chain}"),
        })
    }
}

fn named(number: usize, name: &str) -> String {
    if name.is_empty() { format!("clip {number}") } else { name.to_owned() }
}

fn blend_name(blend: Blend) -> &'static str {
    match blend {
        Blend::Linear => "linear",
        Blend::Spherical => "spherical",
        Blend::DualQuaternion => "dual quaternion",
    }
}

fn about_level(level: Level) -> &'static str {
    match level {
        Level::Atom => "Every atom moves by itself.",
        Level::Residue => "Residues are rigid.",
        Level::Chain => "Chains are rigid.",
    }
}

fn about_blend(blend: Blend) -> &'static str {
    match blend {
        Blend::Linear => "The mean of where each joint would move an atom; it collapses where joints are twisted.",
        Blend::Spherical => "The mean rotation about the point that the joints agree on the most.",
        Blend::DualQuaternion => "The mean screw: nothing collapses.",
    }
}
