//! The molecule under the mouse, and those that were chosen.

use egui::{RichText, Ui};
use steric::model::{AtomId, MoleculeId};

use crate::simulation::{Order, Simulation};
use crate::state::State;

/// So many of the chosen ones are described.
const MOST_SHOWN: usize = 12;

pub(super) fn show(ui: &mut Ui, state: &mut State, simulation: &Simulation) {
    ui.label(RichText::new("Under the mouse").weak());
    match state.pointed {
        Some(picked) => {
            let atom = picked.atom.and_then(|atom| atom_name(state, AtomId { molecule: picked.molecule, atom }));
            ui.label(format!(
                "{}{}",
                described(state, picked.molecule),
                atom.map_or(String::new(), |atom| format!(", {atom}"))
            ));
        }
        None => {
            ui.label("nothing");
        }
    }
    ui.separator();
    ui.label(RichText::new(format!("Chosen: {}", state.selected.len())).weak());
    for molecule in state.selected.iter().take(MOST_SHOWN) {
        ui.label(described(state, *molecule));
    }
    if state.selected.len() > MOST_SHOWN {
        ui.label(format!("and {} more", state.selected.len() - MOST_SHOWN));
    }
    show_partners(ui, state, simulation);
    let is_any = !state.selected.is_empty();
    ui.horizontal_wrapped(|ui| {
        let is_fixed = |molecule: &MoleculeId| state.now.fixed.get(molecule.0 as usize).copied().unwrap_or(false);
        let pins = !state.selected.iter().all(is_fixed);
        if ui
            .add_enabled(is_any, egui::Button::new(if pins || !is_any { "Pin them" } else { "Let them go" }))
            .on_hover_text("A molecule that is pinned stays where it is; the others make room.")
            .clicked()
        {
            simulation.order(Order::Pin(state.selected.clone(), pins));
        }
        if ui
            .add_enabled(is_any, egui::Button::new("Hide"))
            .on_hover_text("Not drawn any more; it is still there.")
            .clicked()
        {
            state.hide(true);
        }
        let mut colour = state.brush_colour;
        if ui.add_enabled_ui(is_any, |ui| ui.color_edit_button_srgb(&mut colour)).inner.changed() {
            state.colour(colour);
        }
        if ui.button("Own colours").on_hover_text("Takes the colours away that were given here.").clicked() {
            state.uncolour();
        }
        if ui.button("Show all").on_hover_text("Draws everything again.").clicked() {
            state.hide(false);
        }
    });
}

/// Who overlaps the molecule that was chosen last.
fn show_partners(ui: &mut Ui, state: &mut State, simulation: &Simulation) {
    let chosen = state.selected.last().copied();
    if state.now.watched.as_ref().map(|(watched, _)| *watched) != chosen && state.asked_to_watch != chosen {
        state.asked_to_watch = chosen;
        simulation.order(Order::Watch(chosen));
    }
    let Some((watched, partners)) = state.now.watched.as_ref().filter(|(watched, _)| Some(*watched) == chosen) else {
        return;
    };
    if partners.is_empty() {
        return;
    }
    ui.label(RichText::new(format!("Overlaps of #{}", watched.0)).weak());
    for (partner, depth) in partners.iter().take(MOST_SHOWN) {
        ui.label(format!("#{}: {depth:.2} Å deep", partner.0));
    }
    if partners.len() > MOST_SHOWN {
        ui.label(format!("and {} more", partners.len() - MOST_SHOWN));
    }
}

/// A molecule in words.
fn described(state: &State, molecule: MoleculeId) -> String {
    let id = molecule.0 as usize;
    let species = state.now.opened.as_ref().and_then(|opened| {
        let number = opened.molecules.species_of(molecule) as usize;
        opened.molecules.species().get(number).map(ToString::to_string)
    });
    let touches = if state.now.touching.get(id) == Some(&true) { "overlaps" } else { "free" };
    let pinned = if state.now.fixed.get(id) == Some(&true) { ", pinned" } else { "" };
    format!("#{} {}: {touches}{pinned}", molecule.0, species.unwrap_or_default())
}

/// An atom as its file calls it.
fn atom_name(state: &State, atom: AtomId) -> Option<String> {
    let opened = state.now.opened.as_ref()?;
    let origin = opened.molecules.origin(atom).atom as usize;
    let structure = opened.structures.get(opened.molecules.file(atom.molecule) as usize)?;
    let atoms = &structure.atoms;
    let residue = structure.residues.get(*atoms.residues.get(origin)? as usize)?;
    Some(format!("{} {} {}", residue.name, residue.number, atoms.names.get(origin)?))
}
