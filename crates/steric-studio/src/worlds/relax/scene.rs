//! What there is: molecules, counts, and the scene file itself.

use std::collections::BTreeMap;

use egui::{RichText, Ui};
use steric::model::MoleculeId;
use steric::world::build::SceneFile;
use steric::world::report::words::thousands;

use super::RelaxWorld;
use crate::simulation::{Opened, Order, Simulation, Source};
use crate::state::State;

impl RelaxWorld {
    pub(super) fn show_scene(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation) {
        let Some(opened) = state.now.opened.clone() else {
            ui.label("Nothing is open.");
            return;
        };
        ui.label(RichText::new(opened.source.name()).strong());
        egui::Grid::new("counts").num_columns(2).show(ui, |ui| {
            let rows = [
                ("molecules", state.now.poses.len() as u64),
                ("atoms", opened.scene.atoms()),
                ("pinned", state.now.fixed.iter().filter(|&&is_fixed| is_fixed).count() as u64),
            ];
            for (name, count) in rows {
                ui.label(name);
                ui.label(thousands(count));
                ui.end_row();
            }
            for (name, count) in species(&opened) {
                ui.label(RichText::new(name).weak());
                ui.label(thousands(count));
                ui.end_row();
            }
            let [outer, inner] = leaflets(&opened);
            if outer + inner > 0 {
                ui.label("outer leaflet");
                ui.label(thousands(outer));
                ui.end_row();
                ui.label("inner leaflet");
                ui.label(thousands(inner));
                ui.end_row();
            }
        });
        if let Source::Scene { name, text, folder } = &opened.source {
            self.show_membrane(ui, state, simulation, &opened);
            let draft = match &mut self.draft {
                Some((opening, draft)) if *opening == state.now.opening => draft,
                other => &mut other.insert((state.now.opening, text.clone())).1,
            };
            egui::CollapsingHeader::new("Scene file").show(ui, |ui| {
                let editor =
                    egui::TextEdit::multiline(draft).code_editor().desired_rows(12).desired_width(f32::INFINITY);
                ui.add(editor)
                    .on_hover_text("The scene file. Whatever it says can be changed here; Apply builds it anew.");
                ui.horizontal(|ui| {
                    if ui.add_enabled(draft != text, egui::Button::new("Apply")).clicked() {
                        let (name, text, folder) = (name.clone(), draft.clone(), folder.clone());
                        simulation.order(Order::Open(Source::Scene { name, text, folder }));
                    }
                    if ui.button("Revert").clicked() {
                        draft.clone_from(text);
                    }
                });
            });
        }
    }

    /// The numbers of the first membrane, which people change most.
    fn show_membrane(&mut self, ui: &mut Ui, state: &mut State, simulation: &Simulation, opened: &Opened) {
        let Source::Scene { name, text, folder } = &opened.source else { return };
        let Ok(scene) = SceneFile::read(text, name.as_ref()) else { return };
        let Some(membrane) = scene.membrane.first() else { return };
        let mut changed = scene.clone();
        ui.separator();
        ui.label("Membrane");
        let mut is_new = false;
        egui::Grid::new("membrane").num_columns(2).show(ui, |ui| {
            let table = &mut changed.membrane[0];
            if let (Some(count), Some(own)) = (membrane.count, &mut table.count) {
                let label = ui.label("lipids").on_hover_text("In both leaflets together.");
                let response = ui
                    .add(egui::DragValue::new(own).speed(count as f64 / 100.0).range(1..=5_000_000))
                    .labelled_by(label.id);
                is_new |= response.drag_stopped() || response.lost_focus();
                ui.end_row();
            }
            let fields: [(&str, Option<f64>, &mut Option<f64>, &str); 2] = [
                ("radius", membrane.radius, &mut table.radius, " Å"),
                ("area per lipid", membrane.area_per_lipid, &mut table.area_per_lipid, " Å²"),
            ];
            for (label, value, own, unit) in fields {
                if let (Some(value), Some(own)) = (value, own) {
                    let label = ui.label(label);
                    let range = 1.0..=1e6;
                    let response = ui
                        .add(egui::DragValue::new(own).speed(value / 200.0).suffix(unit).range(range))
                        .labelled_by(label.id);
                    is_new |= response.drag_stopped() || response.lost_focus();
                    ui.end_row();
                }
            }
        });
        if is_new && changed != scene {
            changed.physics = state.now.options.clone();
            match toml::to_string(&changed) {
                Ok(text) => {
                    simulation.order(Order::Open(Source::Scene { name: name.clone(), text, folder: folder.clone() }))
                }
                Err(error) => state.say(format!("error: {error}")),
            }
        }
    }
}

/// How many molecules of each species there are.
fn species(opened: &Opened) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let names = opened.molecules.species();
    for id in 0..opened.scene.molecules().len() as u32 {
        let number = opened.molecules.species_of(MoleculeId(id)) as usize;
        if let Some(name) = names.get(number) {
            *counts.entry(name.to_string()).or_insert(0) += 1;
        }
    }
    counts
}

fn leaflets(opened: &Opened) -> [u64; 2] {
    let count = |outer: bool| opened.is_outer.iter().filter(|is_outer| **is_outer == Some(outer)).count() as u64;
    [count(true), count(false)]
}
