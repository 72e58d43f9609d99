//! The panels of the diffuse world.

use egui::{Color32, ComboBox, DragValue, Grid, RichText, Ui};
use steric::model::MoleculeId;
use steric::world::diffuse::{Collision, Edge, Outcome, Partner, Placed, Response, Setup, Strategy};
use steric::world::report::words::thousands;

use super::DiffuseWorld;
use crate::simulation::DiffuseOrder;
use crate::state::State;

/// So many of the chosen ones are described.
const MOST_SHOWN: usize = 6;

impl DiffuseWorld {
    /// Play, step, restart, and how it stands.
    pub(super) fn show_bar(&mut self, ui: &mut Ui, state: &State) {
        let plays = self.seen.now.plays;
        let mut order = None;
        if ui
            .button(if plays { "Pause" } else { "Play" })
            .on_hover_text("Particles go on from step to step (Space)")
            .clicked()
        {
            order = Some(DiffuseOrder::Play(!plays));
        }
        if ui.button("Step").on_hover_text("One step of time (.)").clicked() {
            order = Some(DiffuseOrder::Step);
        }
        if ui.button("Restart").on_hover_text("Back to the start; the same seed gives the same run (Ctrl+R)").clicked()
        {
            order = Some(DiffuseOrder::Restart(None));
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
            order = Some(DiffuseOrder::Speed((self.speed > 0).then_some(self.speed)));
        }
        if ui.button("Check").on_hover_text("Looks at all pairs, whether any two overlap now.").clicked() {
            order = Some(DiffuseOrder::Check);
        }
        order.into_iter().for_each(|order| self.running.order(order));
        if let Some(checked) = self.seen.checked {
            let words = RichText::new(checked.to_string());
            ui.label(if checked.deepest.is_some() { words.color(ui.visuals().error_fg_color) } else { words });
        }
        ui.separator();
        ui.label(self.standing(state));
    }

    /// How it stands, in a line.
    fn standing(&self, state: &State) -> String {
        let seen = &self.seen;
        let picture = state.frame_times.mean().map_or(String::new(), |ms| format!(" · picture {ms:.0} ms"));
        let pace = if seen.step > 0 { format!(" · {:.3} ms a step", seen.milliseconds) } else { String::new() };
        format!(
            "{} {} · step {} · {} collisions{pace}{picture}",
            number(seen.time),
            seen.unit,
            thousands(seen.step),
            thousands(seen.statistics.collisions)
        )
    }

    /// Species, and the box that they are in.
    pub(super) fn show_scene(&mut self, ui: &mut Ui) {
        let Some(setup) = self.seen.setup.clone() else { return };
        ui.label(RichText::new(&self.source.name).strong());
        let (unit, counts) = (self.seen.unit, counts(&setup, &self.seen.particles));
        Grid::new("species").num_columns(4).striped(true).show(ui, |ui| {
            let heads = [
                ("species", "In the colour that they are drawn in."),
                ("count", "Now."),
                ("r (Å)", "Radius, in angstroms."),
            ];
            for (head, about) in heads {
                ui.label(RichText::new(head).weak()).on_hover_text(about);
            }
            ui.label(RichText::new(format!("D (Å²/{unit})")).weak()).on_hover_text("Diffusion of one that is alone.");
            ui.end_row();
            for (kind, species) in setup.species.iter().enumerate() {
                let [red, green, blue] = self.seen.colours.get(kind).copied().unwrap_or([128; 3]);
                ui.label(RichText::new(&species.name).color(Color32::from_rgb(red, green, blue)));
                ui.label(thousands(counts[kind]));
                ui.label(number(species.radius));
                ui.label(number(species.diffusion));
                ui.end_row();
            }
        });
        ui.separator();
        Grid::new("box").num_columns(2).show(ui, |ui| {
            for (name, words) in room(&setup) {
                ui.label(name);
                ui.label(words);
                ui.end_row();
            }
        });
    }

    /// What two do that touch, how pairs are found, and the numbers.
    pub(super) fn show_physics(&mut self, ui: &mut Ui) {
        let Some(setup) = self.seen.setup.clone() else { return };
        let options = setup.options;
        let (mut response, mut strategy, mut seed) = (options.response, options.strategy, options.seed);
        ComboBox::from_label("response").selected_text(response.word()).show_ui(ui, |ui| {
            for &kind in Response::ALL {
                ui.selectable_value(&mut response, kind, kind.word()).on_hover_text(about_response(kind));
            }
        });
        if response != options.response {
            self.running.order(DiffuseOrder::Respond(response));
        }
        ComboBox::from_label("strategy").selected_text(strategy.word()).show_ui(ui, |ui| {
            for &kind in Strategy::ALL {
                ui.selectable_value(&mut strategy, kind, kind.word()).on_hover_text(about_strategy(kind));
            }
        });
        if strategy != options.strategy {
            self.running.order(DiffuseOrder::Find(strategy));
        }
        Grid::new("numbers").num_columns(2).show(ui, |ui| {
            let label = ui.label("seed");
            let about = "What everything random grows from; another one places the particles anew.";
            let field = ui.add(DragValue::new(&mut seed).speed(0.1).update_while_editing(false));
            field.labelled_by(label.id).on_hover_text(about);
            ui.end_row();
            ui.label("time step");
            ui.label(format!("{} {}", number(options.time_step), self.seen.unit));
            ui.end_row();
            ui.label("motion");
            ui.label(setup.motion.word());
            ui.end_row();
        });
        if seed != options.seed {
            self.running.order(DiffuseOrder::Restart(Some(seed)));
        }
        let about =
            "Who has touched another in the last quarter of a second is vermillion; in a crowd only the last ones.";
        if ui.checkbox(&mut self.flashes, "collisions flash").on_hover_text(about).changed() {
            self.running.order(DiffuseOrder::Flash(self.flashes));
        }
        let counted = &self.seen.statistics;
        for (number, count) in counted.rules.iter().enumerate() {
            ui.label(format!("rule {}: {} times", number + 1, thousands(*count)));
        }
        for (number, count) in counted.decays.iter().enumerate() {
            ui.label(format!("decay {}: {} times", number + 1, thousands(*count)));
        }
        if let Some(hash) = self.seen.hash {
            let about = "The same for every run with the same bits, whatever the strategy and however many threads.";
            ui.label(RichText::new(format!("state {hash:016x}")).weak().monospace()).on_hover_text(about);
        }
    }

    /// The particle under the mouse, and those that were chosen.
    pub(super) fn show_selection(&mut self, ui: &mut Ui, state: &State) {
        let Some(setup) = self.seen.setup.clone() else { return };
        ui.label(RichText::new("Under the mouse").weak());
        let pointed = state.pointed.map(|picked| self.particle(picked.molecule));
        ui.label(match pointed {
            None => "nothing".to_owned(),
            Some(None) => "the box".to_owned(),
            Some(Some(placed)) => named(&setup, placed),
        });
        ui.separator();
        if state.selected.is_empty() {
            ui.label(RichText::new("Click on a particle to choose it.").weak());
        }
        for placed in state.selected.iter().filter_map(|id| self.particle(*id)).take(MOST_SHOWN) {
            ui.label(RichText::new(named(&setup, placed)).strong());
            ui.label(match placed.cluster {
                0 | 1 => "alone".to_owned(),
                many => format!("in a cluster of {many}"),
            });
            let [x, y, z] = placed.at.to_array().map(|place| format!("{place:.1}"));
            ui.label(RichText::new(format!("at {x}, {y}, {z} Å")).weak());
        }
        let Some(watched) = self.watched else { return };
        ui.separator();
        ui.label(RichText::new(format!("Last contacts of {watched}")).weak());
        if self.seen.contacts.is_empty() {
            ui.label("none so far");
        }
        for contact in self.seen.contacts.iter() {
            let words = format!("{} {}: {}", number(contact.time), self.seen.unit, met(&setup, contact, watched));
            ui.label(RichText::new(words).small());
        }
    }

    /// The particle that a molecule of the window is; the box is none.
    fn particle(&self, molecule: MoleculeId) -> Option<&Placed> {
        self.seen.particles.get(molecule.0 as usize)
    }
}

/// Particles of each species.
fn counts(setup: &Setup, particles: &[Placed]) -> Vec<u64> {
    let mut counts = vec![0; setup.species.len()];
    particles.iter().for_each(|placed| counts[placed.kind as usize] += 1);
    counts
}

/// A particle in words.
fn named(setup: &Setup, placed: &Placed) -> String {
    format!("{} {}", setup.species[placed.kind as usize].name, placed.number)
}

/// Whom a particle has met, and what came of it.
fn met(setup: &Setup, contact: &Collision, watched: u32) -> String {
    let name = |kind: u16| setup.species.get(kind as usize).map_or("", |species| species.name.as_str());
    let partner = match contact.second {
        Partner::Particle(number) if number != watched => {
            format!("{} {number}", contact.other_kind.map_or("", name))
        }
        Partner::Particle(_) => format!("{} {}", name(contact.kind), contact.first),
        other => other.to_string(),
    };
    match contact.outcome {
        Outcome::Response => partner,
        Outcome::Rule(rule) if (rule as usize) < setup.rules.len() => format!("{partner} (rule {})", rule + 1),
        Outcome::Rule(_) => format!("{partner} (stick)"),
        Outcome::Absorbed => format!("{partner} (absorbed)"),
    }
}

/// The box and its borders, in words.
fn room(setup: &Setup) -> Vec<(&'static str, String)> {
    let edges = (setup.bounds.high - setup.bounds.low).to_array();
    let edges: Vec<String> = edges[..setup.dimensions].iter().map(|edge| number(*edge)).collect();
    let words: Vec<&str> = setup.bounds.edges[..setup.dimensions].iter().map(|edge: &Edge| edge.word()).collect();
    let is_one = words.windows(2).all(|pair| pair[0] == pair[1]);
    let borders = if is_one { words.first().copied().unwrap_or_default().to_owned() } else { words.join(", ") };
    let mut rows = vec![
        (if setup.dimensions == 2 { "plane" } else { "box" }, format!("{} Å", edges.join(" × "))),
        ("boundary", borders),
    ];
    if !setup.obstacles.is_empty() {
        rows.push(("obstacles", thousands(setup.obstacles.len() as u64)));
    }
    rows
}

/// A number with as many digits as one wants to read.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => return format!("{value:.1e}"),
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn about_response(response: Response) -> &'static str {
    match response {
        Response::Reflect => "They bounce off each other; momentum and energy are kept.",
        Response::Stop => "They stay where they are until the end of the step.",
        Response::Slide => "They lose what drives them into each other, and keep the rest.",
        Response::Stick => "They hold on to each other for good, and move as one.",
    }
}

fn about_strategy(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Naive => "Every pair is looked at. Slow, and the same as all others.",
        Strategy::A => {
            "Cubes, those behind left out, links renewed with every move: Algorithm A of the founding report."
        }
        Strategy::B => "The same with links renewed once a step: Algorithm B.",
        Strategy::C => "Slices in place of cubes: Algorithm C.",
        Strategy::Fast => "Bounds of paths in sorted lattices, eight at a time.",
    }
}
