//! The panels of the deform world.

use egui::{Color32, ComboBox, DragValue, Grid, RichText, ScrollArea, Slider, SliderClamping, Ui};
use glam::DVec3;
use steric::world::deform::{Response, Stepped};
use steric::world::report::words::thousands;

use super::{DeformWorld, body_of};
use crate::simulation::{DeformOrder, Deformed, SeenBody};
use crate::state::State;

/// So many of the chosen ones are described.
const MOST_SHOWN: usize = 6;
/// How high the list of bodies is, at most, so that what is below it stays in sight.
const LIST: f32 = 140.0;

impl DeformWorld {
    /// Play, step, restart, and how it stands.
    pub(super) fn show_bar(&mut self, ui: &mut Ui, state: &State) {
        let plays = self.seen.now.plays;
        let mut order = None;
        let play = ui.button(if plays { "Pause" } else { "Play" });
        if play.on_hover_text("Bodies go on from step to step (Space)").clicked() {
            order = Some(DeformOrder::Play(!plays));
        }
        if ui.button("Step").on_hover_text("One step of time (.)").clicked() {
            order = Some(DeformOrder::Step);
        }
        if ui.button("Restart").on_hover_text("Back to the start (Ctrl+R)").clicked() {
            order = Some(DeformOrder::Restart);
        }
        let words = |value: f64, _: std::ops::RangeInclusive<usize>| match value {
            1.0 => "1 step a frame".to_owned(),
            value if value >= 1.0 => format!("{value:.0} steps a frame"),
            _ => "full speed".to_owned(),
        };
        let label = ui.label("speed");
        let speed = DragValue::new(&mut self.speed).speed(0.1).range(0..=1_000).custom_formatter(words);
        let about = "Steps for a picture, 60 pictures a second; 0 is as fast as it goes.";
        if ui.add(speed).labelled_by(label.id).on_hover_text(about).changed() {
            order = Some(DeformOrder::Speed((self.speed > 0).then_some(self.speed)));
        }
        order.into_iter().for_each(|order| self.running.order(order));
        ui.separator();
        ui.label(standing(&self.seen, state));
    }

    /// The bodies, and what the last step did.
    pub(super) fn show_scene(&mut self, ui: &mut Ui) {
        ui.label(RichText::new(&self.source.name).strong());
        let bodies = &self.seen.bodies;
        ScrollArea::vertical().id_salt("bodies").max_height(LIST).show(ui, |ui| {
            Grid::new("bodies").num_columns(4).striped(true).show(ui, |ui| {
                let heads = [
                    ("body", "In the colour that it is drawn in."),
                    ("points", "Of its mesh."),
                    ("tets", "Tetrahedra of its mesh."),
                    ("faces", "Triangles of its surface."),
                ];
                for (head, about) in heads {
                    ui.label(RichText::new(head).weak()).on_hover_text(about);
                }
                ui.end_row();
                bodies.iter().for_each(|body| row(ui, body));
            });
        });
        let sum = |of: fn(&SeenBody) -> usize| thousands(bodies.iter().map(of).sum::<usize>() as u64);
        let counts = [sum(|body| body.points.len()), sum(|body| body.tetrahedra), sum(|body| body.triangles)];
        let [points, tetrahedra, triangles] = counts;
        ui.label(format!("{points} points, {tetrahedra} tetrahedra, {triangles} surface triangles"));
        ui.separator();
        match &self.seen.last {
            None => drop(ui.label(RichText::new("No step was done yet.").weak())),
            Some(last) => table(ui, "last step", &numbers(last)),
        }
        table(ui, "energies", &energies(&self.seen));
    }

    /// Friction, stiffness, margin, gravity, and what is answered.
    pub(super) fn show_physics(&mut self, ui: &mut Ui) {
        let Some([_, mut numbers]) = self.numbers else { return };
        ComboBox::from_label("response").selected_text(word(numbers.response)).show_ui(ui, |ui| {
            for kind in [Response::Gap, Response::Depth] {
                ui.selectable_value(&mut numbers.response, kind, word(kind)).on_hover_text(about(kind));
            }
        });
        let slide = |ui: &mut Ui, name: &str, value: &mut f64, range: [f64; 2], about: &str| {
            let slider = Slider::new(value, range[0]..=range[1]).text(name).clamping(SliderClamping::Edits);
            // A range of many sizes is gone through by its powers.
            let is_wide = range[0] > 0.0 && range[1] > 50.0 * range[0];
            ui.add(slider.logarithmic(is_wide).max_decimals(3)).on_hover_text(about);
        };
        slide(ui, "friction", &mut numbers.friction, [0.0, 2.0], "Coulomb's coefficient: 0 is ice, 1 is rubber.");
        let about = "How much harder a contact is than what it presses on.";
        slide(ui, "stiffness", &mut numbers.stiffness, [0.1, 100.0], about);
        let about = "The gap that is kept between surfaces, in heights of the thinnest tetrahedra.";
        slide(ui, "margin", &mut numbers.margin, [0.01, 1.0], about);
        slide(ui, "gravity", &mut numbers.gravity.z, [-30.0, 30.0], "Along z, in metres per second squared.");
        self.set(numbers);
        ui.label(RichText::new(format!("a step is {:.2} ms of the scene", 1e3 * self.seen.step_s)).weak());
    }

    /// The body under the mouse, and those that were chosen.
    pub(super) fn show_selection(&mut self, ui: &mut Ui, state: &State) {
        let bodies = &self.seen.bodies;
        ui.label(RichText::new("Under the mouse").weak());
        ui.label(match state.pointed.map(|picked| body_of(bodies, picked.molecule)) {
            None => "nothing",
            Some(None) => "the floor",
            Some(Some(body)) => &bodies[body].name,
        });
        ui.separator();
        if self.chosen.is_empty() {
            ui.label(RichText::new("Click on a body to choose it.").weak());
        }
        for body in self.chosen.iter().take(MOST_SHOWN).filter_map(|&body| bodies.get(body)) {
            ui.label(RichText::new(&body.name).strong());
            if !body.material.is_empty() {
                ui.label(format!("of {}", body.material));
            }
            let touching = self.seen.touching[body.points.clone()].iter().filter(|&&touches| touches).count();
            ui.label(format!("{} of {} points touch", thousands(touching as u64), thousands(body.points.len() as u64)));
            let middle = self.seen.positions[body.points.clone()].iter().sum::<DVec3>() / body.points.len() as f64;
            let [x, y, z] = middle.to_array().map(|place| format!("{place:.3}"));
            ui.label(RichText::new(format!("around {x}, {y}, {z} m")).weak());
        }
    }
}

/// How it stands, in a line.
fn standing(seen: &Deformed, state: &State) -> String {
    let picture = state.frame_times.mean().map_or(String::new(), |ms| format!(" · picture {ms:.0} ms"));
    let pace = if seen.step > 0 { format!(" · {:.1} ms a step", seen.milliseconds) } else { String::new() };
    let contacts = thousands(seen.last.map_or(0, |last| last.contacts) as u64);
    format!("{:.3} s · step {} · {contacts} contacts{pace}{picture}", seen.time, thousands(seen.step))
}

fn row(ui: &mut Ui, body: &SeenBody) {
    let [red, green, blue] = body.colour;
    ui.label(RichText::new(&body.name).color(Color32::from_rgb(red, green, blue)));
    for count in [body.points.len(), body.tetrahedra, body.triangles] {
        ui.label(thousands(count as u64));
    }
    ui.end_row();
}

/// Names and what belongs to them, with what they mean.
type Row = (&'static str, String, &'static str);

fn table(ui: &mut Ui, name: &str, rows: &[Row]) {
    Grid::new(name).num_columns(2).show(ui, |ui| {
        for (name, words, about) in rows {
            ui.label(*name).on_hover_text(*about);
            ui.label(words);
            ui.end_row();
        }
    });
}

/// What the last step did, in words.
fn numbers(last: &Stepped) -> Vec<Row> {
    let count = |count: usize| thousands(count as u64);
    let narrowest = last.narrowest.map_or("none".to_owned(), |gap| format!("{:.4} mm", 1e3 * gap));
    vec![
        ("contacts", count(last.contacts), "In the system of the step."),
        ("narrowest gap", narrowest, "Between two that are near each other, at the beginning of the step."),
        ("deepest point", format!("{:.4} mm", 1e3 * last.deepest), "In a tetrahedron, where depths are answered."),
        ("moved apart", count(last.moved), "Pairs that the system left too near."),
        ("stopped", count(last.stopped), "Points that had to stay where they were to be kept apart."),
        ("candidates", count(last.candidates), "Pairs of boxes that were looked at."),
        ("culled", count(last.culled), "Pairs that connectivity alone has passed over."),
        ("iterations", count(last.iterations), "Products with the matrix."),
        ("detection", format!("{:.2} ms", 1e3 * last.detect_s), "The search for collisions."),
        ("solve", format!("{:.2} ms", 1e3 * last.solve_s), "The rest of the step."),
    ]
}

fn energies(seen: &Deformed) -> Vec<Row> {
    let joules = |energy: f64| if energy == 0.0 { "0 J".to_owned() } else { format!("{energy:.3e} J") };
    vec![
        ("kinetic", joules(seen.energy.kinetic), "Energy of motion."),
        ("elastic", joules(seen.energy.elastic), "Energy of what is strained."),
        ("volume", format!("{:.4e} m³", seen.volume), "Of all bodies."),
    ]
}

/// A response as scene files name it.
pub(super) fn word(response: Response) -> &'static str {
    match response {
        Response::Gap => "gap",
        Response::Depth => "depth",
    }
}

fn about(response: Response) -> &'static str {
    match response {
        Response::Gap => "Gaps are answered before they close: nothing passes through anything.",
        Response::Depth => "Depths are answered after points have entered tetrahedra; thin bodies may pass through.",
    }
}
