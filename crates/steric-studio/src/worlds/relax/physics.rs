//! Every number of a relaxation, each with its unit and what it does. A change takes effect at once.

use egui::{DragValue, Ui};
use steric::collide::IndexKind;
use steric::world::build::{Closeness, SceneFile};
use steric::world::relax::{RelaxOptions, ResponseKind};

use crate::simulation::{Order, Simulation, Source};
use crate::state::State;

/// A number: its name, what it does, its unit, how fast it changes, and the least and the most.
struct Number {
    name: &'static str,
    about: &'static str,
    unit: &'static str,
    speed: f64,
    range: [f64; 2],
}

const fn number(name: &'static str, unit: &'static str, speed: f64, range: [f64; 2], about: &'static str) -> Number {
    Number { name, about, unit, speed, range }
}

pub(super) fn show(ui: &mut Ui, state: &mut State, simulation: &Simulation) {
    let mut options = state.now.options.clone();
    ui.horizontal(|ui| {
        ui.label("response").on_hover_text("What pushes molecules apart.");
        for (kind, about) in [
            (ResponseKind::Newton, "Biased block-Newton with momentum: the fastest way to no overlap."),
            (ResponseKind::Projection, "Position-based projection, averaged, with momentum."),
            (ResponseKind::Thesis, "The force law of the founding thesis: its step sizes are below."),
        ] {
            ui.selectable_value(&mut options.response, kind, kind.to_string()).on_hover_text(about);
        }
    });
    show_scene_numbers(ui, state, simulation);
    egui::Grid::new("physics").num_columns(2).show(ui, |ui| {
        for (number, value) in numbers(&mut options) {
            let label = ui.label(number.name).on_hover_text(number.about);
            let [least, most] = number.range;
            ui.add(DragValue::new(value).speed(number.speed).range(least..=most).suffix(number.unit).max_decimals(4))
                .on_hover_text(number.about)
                .labelled_by(label.id);
            ui.end_row();
        }
    });
    show_grid(ui, state, simulation);
    ui.checkbox(&mut options.sleep, "molecules at rest sleep")
        .on_hover_text("Molecules that touch nothing are not looked at until something comes near.");
    ui.horizontal(|ui| {
        if ui.button("Defaults").on_hover_text("Every number as it is when nobody says anything.").clicked() {
            options = RelaxOptions::default();
        }
    });
    if state.now.opened.is_some() && options != state.now.options {
        // Shown at once, and known to the simulation before its next iteration.
        state.now.options = options.clone();
        simulation.order(Order::Options(options));
    }
}

/// Numbers of the scene file that can change while molecules stay where they are.
fn show_scene_numbers(ui: &mut Ui, state: &mut State, simulation: &Simulation) {
    let Some(opened) = state.now.opened.clone() else { return };
    let Source::Scene { name, text, folder } = &opened.source else { return };
    let Ok(scene) = SceneFile::read(text, name.as_ref()) else { return };
    let mut changed = scene.clone();
    egui::Grid::new("scene numbers").num_columns(2).show(ui, |ui| {
        let mut row = |number: &Number, value: &mut f64| {
            let label = ui.label(number.name).on_hover_text(number.about);
            let [least, most] = number.range;
            let drag =
                DragValue::new(value).speed(number.speed).range(least..=most).suffix(number.unit).max_decimals(3);
            // The scene is built anew, so not for every value on the way.
            ui.add(drag.update_while_editing(false)).on_hover_text(number.about).labelled_by(label.id);
            ui.end_row();
        };
        if let Closeness::Tolerance(before) = scene.closeness() {
            let mut tolerance = before;
            row(
                &number(
                    "tolerance",
                    " Å",
                    0.01,
                    [0.1, 20.0],
                    "Atoms of different molecules keep this distance at least.",
                ),
                &mut tolerance,
            );
            if tolerance != before {
                changed.tolerance = Some(tolerance);
            }
        }
        if let Some(membrane) = changed.membrane.first_mut() {
            row(
                &number(
                    "leeway",
                    " Å",
                    0.05,
                    [0.0, 100.0],
                    "How far the head of a lipid may stand above or below its height.",
                ),
                &mut membrane.leeway,
            );
            row(&number("tilt", "°", 0.5, [0.0, 180.0], "How far a lipid may lean."), &mut membrane.tilt_degrees);
        }
    });
    if changed != scene {
        changed.physics = state.now.options.clone();
        match toml::to_string(&changed) {
            Ok(text) => {
                let source = Source::Scene { name: name.clone(), text, folder: folder.clone() };
                simulation.order(Order::Rebuild(source));
            }
            Err(error) => state.say(format!("error: {error}")),
        }
    }
}

/// How near pairs are found.
fn show_grid(ui: &mut Ui, state: &State, simulation: &Simulation) {
    let mut grid = state.now.grid;
    egui::ComboBox::from_label("grid").selected_text(grid.to_string()).show_ui(ui, |ui| {
        for (kind, about) in [
            (IndexKind::Auto, "Whatever fits the scene: dense while there are few cells for an atom, else wrapped."),
            (IndexKind::Dense, "Every cell of the box has a place: fast where molecules fill it."),
            (IndexKind::Wrapped, "Cells are folded onto a table: little memory where most of the box is empty."),
        ] {
            ui.selectable_value(&mut grid, kind, kind.to_string()).on_hover_text(about);
        }
    });
    if grid != state.now.grid {
        simulation.order(Order::Grid(grid));
    }
}

fn numbers(options: &mut RelaxOptions) -> Vec<(Number, &mut f64)> {
    let is_thesis = options.response == ResponseKind::Thesis;
    let mut all = vec![
        (
            number(
                "target",
                " ×",
                0.001,
                [1.0, 2.0],
                "Atoms are pushed towards this many times the distance at which they touch.",
            ),
            &mut options.target,
        ),
        (
            number("largest move", " Å", 0.01, [0.01, 100.0], "No atom moves farther in one iteration."),
            &mut options.max_move,
        ),
        (number("slack", " Å", 0.001, [0.0, 100.0], "Overlaps up to this depth are forgiven."), &mut options.slack),
        (
            number(
                "clearance",
                " Å",
                0.0001,
                [0.0, 1.0],
                "Atoms are pushed at least this much farther apart than they must.",
            ),
            &mut options.clearance,
        ),
        (
            number(
                "step",
                "",
                0.01,
                [0.0, 2.0],
                "Part of the step that the response takes; 0 for its own default (newton 0.7, projection 1.0).",
            ),
            &mut options.step,
        ),
        (
            number(
                "damping",
                "",
                0.01,
                [0.0, 1000.0],
                "Damping of newton, in units of the mean diagonal of its matrix.",
            ),
            &mut options.damping,
        ),
        (
            number(
                "momentum",
                "",
                0.005,
                [-1.0, 0.999],
                "Part of the last move that is made again; negative for the response's own default.",
            ),
            &mut options.momentum,
        ),
        (
            number(
                "bias",
                "",
                0.01,
                [0.0, 100.0],
                "How much the way out leans towards the line between the centres of two molecules.",
            ),
            &mut options.bias,
        ),
        (
            number("jolted part", "", 0.001, [0.0, 1.0], "At most this part of the molecules is jolted at a time."),
            &mut options.jolt_fraction,
        ),
        (
            number("jolt", " Å", 0.01, [0.0, 100.0], "How far a jolt shifts a molecule that is stuck."),
            &mut options.jolt_shift,
        ),
        (
            number("jolt turn", "°", 0.1, [0.0, 180.0], "How far a jolt turns a molecule that is stuck."),
            &mut options.jolt_turn_degrees,
        ),
        (
            number(
                "skin",
                " Å",
                0.01,
                [-1.0, 20.0],
                "How far beyond contact near pairs are listed: cells are as large as the largest cluster of atoms and this; negative lets it follow the motion.",
            ),
            &mut options.skin,
        ),
    ];
    if is_thesis {
        all.extend([
            (number("force step", "", 0.01, [0.0, 1000.0], "Step size of pushes."), &mut options.thesis_force),
            (number("torque step", "", 0.0001, [0.0, 1000.0], "Step size of turns."), &mut options.thesis_torque),
            (
                number(
                    "spring step",
                    "",
                    0.001,
                    [0.0, 1000.0],
                    "Step size of the springs that keep lipids at their height.",
                ),
                &mut options.thesis_spring,
            ),
            (
                number(
                    "spring torque step",
                    "",
                    0.001,
                    [0.0, 1000.0],
                    "Step size of the springs that keep lipids upright.",
                ),
                &mut options.thesis_spring_torque,
            ),
        ]);
    }
    all
}
