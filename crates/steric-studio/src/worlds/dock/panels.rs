//! The panels of the dock world.

use std::fmt::Write as _;

use egui::{Button, ComboBox, DragValue, Event, Grid, RichText, ScrollArea, Slider, Ui};
use egui_plot::{Line, Plot, PlotPoints};
use steric::dock::{Deed, Which};
use steric::world::dock::Response;
use steric_view::Camera;

use super::keys::{self, DockCommand};
use super::{DockWorld, KEYS, Mode, Moment, Space, which_is};
use crate::files::Purpose;
use crate::platform;
use crate::state::State;

/// So many points are enough for a line.
const MOST_POINTS: usize = 150;
/// So many contacts are listed.
const MOST_LISTED: usize = 30;

impl DockWorld {
    /// A button of a command, pressed if it is on.
    fn button(&mut self, ui: &mut Ui, command: DockCommand, text: &str, is_on: bool) -> bool {
        let about = keys::ALL.iter().find(|(known, ..)| *known == command).map_or("", |(_, _, about, _)| about);
        let keys = self.keys.of(command).map_or(String::new(), |keys| format!(" ({})", keys::words(keys)));
        ui.add(Button::selectable(is_on, text)).on_hover_text(format!("{about}{keys}")).clicked()
    }

    /// Modes, and every toggle of the manual.
    pub(super) fn show_bar(&mut self, ui: &mut Ui, state: &mut State, camera: &mut Camera) {
        let Some(session) = &self.session else { return };
        let (which, collides, response) = (session.which(), session.collides(), session.response());
        let moved = if which == Which::Ligand { "ligand" } else { "receptor" };
        let mut pressed = None;
        for (mode, name) in [(Mode::View, "View"), (Mode::Object, "Object"), (Mode::Light, "Light")] {
            let command = if mode == Mode::Light { DockCommand::Light } else { DockCommand::Mode };
            if self.button(ui, command, name, self.mode == mode) {
                self.mode = mode;
            }
        }
        ui.separator();
        let cues = state.cues.clone();
        let through = match cues.see_through {
            None => "see through",
            Some(molecule) if which_is(molecule) == Which::Receptor => "through receptor",
            Some(_) => "through ligand",
        };
        let stereo = if cues.is_stereo { format!("stereo: {}", cues.stereo) } else { "stereo".to_owned() };
        let response = format!("response: {response}");
        let rocking = if cues.rocking > 0.0 { format!("rocking {:.0}°", cues.rocking) } else { "rocking".to_owned() };
        let moved = format!("in hand: {moved}");
        let space = if self.space == Space::Screen { "screen axes" } else { "own axes" };
        let buttons: [(DockCommand, &str, bool); 27] = [
            (DockCommand::Which, &moved, false),
            (DockCommand::Space, space, self.space == Space::Object),
            (DockCommand::Collide, "collisions", collides),
            (DockCommand::Respond, &response, false),
            (DockCommand::Flash, "flash", cues.flashes),
            (DockCommand::Beep, "beep", cues.beeps),
            (DockCommand::Smaller, "atoms −", false),
            (DockCommand::Larger, "atoms +", false),
            (DockCommand::SeeThrough, through, cues.see_through.is_some()),
            (DockCommand::ScreenDoor, "screen door", cues.screen_door),
            (DockCommand::Stereo, &stereo, cues.is_stereo),
            (DockCommand::StereoKind, "next stereo", false),
            (DockCommand::EyesNearer, "eyes −", false),
            (DockCommand::EyesFarther, "eyes +", false),
            (DockCommand::RockLess, "rock −", false),
            (DockCommand::RockMore, &rocking, cues.rocking > 0.0),
            (DockCommand::Shadows, "shadows", cues.shadows > 0.0),
            (DockCommand::Fog, "fog", cues.fog > 0.0),
            (DockCommand::Finer, "hand −", false),
            (DockCommand::Coarser, "hand +", false),
            (DockCommand::LookAtAll, "look at all", false),
            (DockCommand::Energies, "energies", self.session.as_ref().is_some_and(|session| session.has_energies())),
            (DockCommand::Downhill, "downhill", self.goes_downhill),
            (DockCommand::Record, "record", self.journal.is_recorded()),
            (DockCommand::Play, "play a log", self.player.is_some()),
            (DockCommand::Keys, "keys", self.keys_window.is_some()),
            (DockCommand::Quit, "quit", false),
        ];
        for (command, text, is_on) in buttons {
            if self.button(ui, command, text, is_on) {
                pressed = Some(command);
            }
        }
        if let Some(command) = pressed {
            self.run_own(command, ui, state, camera);
        }
        ui.separator();
        ui.label(self.standing_words());
    }

    /// How it stands, in a line.
    fn standing_words(&self) -> String {
        let Some(session) = &self.session else { return String::new() };
        let touches = match (session.collides(), self.contacts.len()) {
            (false, _) => "collisions are off".to_owned(),
            (true, 0) => "nothing touches".to_owned(),
            (true, count) => format!("{count} pairs touch"),
        };
        let energy = self.energy.map_or(String::new(), |(energy, ..)| format!(" · {:.1} kcal/mol", energy.total()));
        let trial = session.trial().map_or(String::new(), |trial| match trial.solved {
            Some(seconds) => format!(" · solved after {seconds:.1} s"),
            None => format!(" · {:.0} s, {} motions", self.journal.seconds(), trial.motions),
        });
        format!("{touches}{energy}{trial}")
    }

    pub(super) fn show_scene(&mut self, ui: &mut Ui, state: &mut State) {
        let Some(session) = &self.session else { return };
        let dock = std::sync::Arc::clone(session.dock());
        let ([receptor, ligand], atoms, standing) = (dock.names(), dock.atoms(), session.standing().clone());
        ui.label(format!("{ligand}: {} atoms", atoms[1]));
        ui.label(format!("at {receptor}: {} atoms", atoms[0]));
        if let Some(trial) = session.trial() {
            ui.separator();
            ui.label(RichText::new("The fitting task").strong());
            ui.label("Bring the prongs of the E through the three rings, so that nothing overlaps.");
            let clock = trial.solved.unwrap_or_else(|| self.journal.seconds());
            ui.label(RichText::new(format!("{clock:.1} s")).heading());
            ui.label(format!("{} motions, {} hits, {} errors", trial.motions, trial.hits, trial.errors));
            if trial.solved.is_none() {
                ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
            }
            let label = ui.label("who");
            ui.add(egui::TextEdit::singleline(&mut self.who).desired_width(100.0)).labelled_by(label.id);
            let mut command = None;
            ui.horizontal(|ui| {
                if self.button(ui, DockCommand::Done, "Done", false) {
                    command = Some(DockCommand::Done);
                }
                if self.button(ui, DockCommand::Again, "Again", false) {
                    command = Some(DockCommand::Again);
                }
                if ui.button("Save the trials").on_hover_text("All trials so far as a table.").clicked() {
                    state.wants = Some(Purpose::Trials);
                }
            });
            if let Some(command) = command {
                self.run_deed(command, &standing, state);
            }
        }
        if dock.pose_count() > 1 {
            let mut pose = standing.pose + 1;
            let label = ui.label("pose");
            let all = dock.pose_count();
            let changed = ui.add(DragValue::new(&mut pose).range(1..=all).suffix(format!(" of {all}")));
            if changed.labelled_by(label.id).changed() {
                self.mark(state);
                self.act(Deed::Take(pose - 1), state);
            }
        }
        self.show_bonds(ui, state);
        self.show_side_chains(ui, state);
    }

    fn show_bonds(&mut self, ui: &mut Ui, state: &mut State) {
        let Some(session) = &self.session else { return };
        let (dock, standing) = (std::sync::Arc::clone(session.dock()), session.standing().clone());
        if standing.radians.is_empty() {
            return;
        }
        ui.separator();
        ui.label("bonds that turn").on_hover_text("Turned until something touches, unless collisions pass freely.");
        let (mut wanted, mut is_begun) = (None, false);
        for (number, torsion) in dock.torsions().all().iter().enumerate() {
            let name = |atom: u32| {
                let label = dock.label(Which::Ligand, standing.pose, atom);
                label.rsplit(' ').next().unwrap_or_default().to_owned()
            };
            let text = format!("{}–{}", name(torsion.from), name(torsion.to));
            ui.horizontal(|ui| {
                if ui.add(Button::selectable(self.bond == number, &text)).clicked() {
                    self.bond = number;
                }
                let mut degrees = standing.radians[number].to_degrees();
                let slider = ui.add(Slider::new(&mut degrees, -180.0..=180.0).suffix("°").fixed_decimals(0));
                slider.widget_info(|| egui::WidgetInfo::slider(true, degrees, format!("bond {text}")));
                if slider.changed() {
                    wanted = Some((number, degrees));
                }
                // A drag is undone as a whole.
                is_begun |= slider.drag_started() || (slider.changed() && !slider.dragged());
            });
        }
        if is_begun {
            self.mark(state);
        }
        if let Some((number, degrees)) = wanted {
            let mut radians = standing.radians;
            radians[number] = degrees.to_radians();
            self.act(Deed::Turn(radians), state);
        }
    }

    fn show_side_chains(&mut self, ui: &mut Ui, state: &mut State) {
        let Some(session) = &self.session else { return };
        if session.trial().is_some() {
            return;
        }
        ui.separator();
        let (flexible, dock) = (session.flexible().to_vec(), std::sync::Arc::clone(session.dock()));
        let standing = session.standing().clone();
        if self.button(ui, DockCommand::Flex, "side chains give way", !flexible.is_empty()) {
            self.run_deed(DockCommand::Flex, &standing, state);
        }
        let mut left = None;
        ui.horizontal_wrapped(|ui| {
            for &residue in &flexible {
                let name = dock.residue_name(residue);
                if ui.small_button(&name).on_hover_text("Click: it stays where it is in the file.").clicked() {
                    left = Some(residue);
                }
            }
        });
        if let Some(left) = left {
            let rest = flexible.into_iter().filter(|residue| *residue != left).collect();
            self.act(Deed::Flex(rest), state);
        }
        // One that is pointed at can be added.
        if let Some(picked) = state.pointed.filter(|picked| which_is(picked.molecule) == Which::Receptor)
            && let Some(atom) = picked.atom.and_then(|atom| dock.takes_part()[0].get(atom as usize).copied())
        {
            ui.label(RichText::new(dock.label(Which::Receptor, 0, atom)).weak());
        }
    }

    pub(super) fn show_physics(&mut self, ui: &mut Ui, state: &mut State) {
        let Some(session) = &self.session else { return };
        let response = session.response();
        let mut wanted: Option<Deed> = None;
        ComboBox::from_label("response").selected_text(response.to_string()).show_ui(ui, |ui| {
            for other in Response::ALL {
                if ui.selectable_label(other == response, other.to_string()).on_hover_text(about(other)).clicked() {
                    wanted = Some(Deed::Respond(other));
                }
            }
        });
        ui.label(RichText::new(about(response)).weak());
        let number = |ui: &mut Ui, name: &str, value: f64, range: (f64, f64), speed: f64, about: &str| {
            let mut value = value;
            ui.horizontal(|ui| {
                let label = ui.label(name);
                let field = DragValue::new(&mut value).range(range.0..=range.1).speed(speed).max_decimals(3);
                ui.add(field).labelled_by(label.id).on_hover_text(about).changed().then_some(value)
            })
            .inner
        };
        let forgiven = "Overlaps of two atoms up to this are forgiven, in angstroms.";
        if let Some(tolerance) = number(ui, "tolerance (Å)", session.tolerance(), (-1.0, 2.0), 0.01, forgiven) {
            wanted = Some(Deed::Forgive(tolerance));
        }
        if let Some(times) = number(ui, "radii ×", session.grown(), (0.1, 3.0), 0.01, "All radii, times this.") {
            wanted = Some(Deed::Grow(times));
        }
        let [elasticity, friction] = session.bounce();
        if response == Response::Bounce {
            let about = "How much of its speed a body keeps at a hit, 0 to 1.";
            if let Some(elasticity) = number(ui, "elasticity", elasticity, (0.0, 1.0), 0.01, about) {
                wanted = Some(Deed::Bounce([elasticity, friction]));
            }
            let about = "How rough surfaces are: Coulomb's coefficient.";
            if let Some(friction) = number(ui, "friction", friction, (0.0, 2.0), 0.01, about) {
                wanted = Some(Deed::Bounce([elasticity, friction]));
            }
        }
        let about = "How far a molecule goes for a motion of the hand.";
        if let Some(sensitivity) = number(ui, "sensitivity", self.sensitivity, (0.05, 20.0), 0.01, about) {
            self.sensitivity = sensitivity;
        }
        if let Some(deed) = wanted {
            self.act(deed, state);
        }
        ui.horizontal(|ui| {
            let has_energies = self.session.as_ref().is_some_and(|session| session.has_energies());
            if !has_energies && self.energies.is_none() && ui.button("Work out energies").clicked() {
                self.work_out(state);
            }
            if self.energies.is_some() {
                ui.spinner();
            }
            if has_energies {
                ui.checkbox(&mut self.goes_downhill, "downhill").on_hover_text("Energies pull the ligand downhill.");
                if ui.button("Minimise").clicked()
                    && let Some(standing) = self.session.as_ref().map(|session| session.standing().clone())
                {
                    self.run_deed(DockCommand::Minimise, &standing, state);
                }
            }
        });
        ui.label(RichText::new(self.devices.about()).weak());
    }

    pub(super) fn show_charts(&mut self, ui: &mut Ui) {
        let width = (ui.available_width() / 3.0 - 12.0).max(120.0);
        let height = ui.available_height().max(80.0) - 24.0;
        let chart = |ui: &mut Ui, title: &'static str, of: &dyn Fn(&Moment) -> Option<f64>| {
            ui.vertical(|ui| {
                ui.set_max_width(width);
                ui.add(egui::Label::new(title).truncate());
                // By motion, not by time, and the highest of a few: what goes up and down within a moment would be a blot.
                let each = self.moments.len().div_ceil(MOST_POINTS).max(1);
                let numbers: Vec<(usize, f64)> =
                    self.moments.iter().enumerate().filter_map(|(at, moment)| Some((at, of(moment)?))).collect();
                let highest = |few: &[(usize, f64)]| {
                    let first = few.first().map_or(0, |(at, _)| *at) as f64;
                    [first, few.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max)]
                };
                let points: PlotPoints<'_> = numbers.chunks(each).map(highest).collect();
                Plot::new(title)
                    .width(width)
                    .height(height)
                    .allow_scroll(false)
                    .allow_drag(false)
                    .allow_zoom(false)
                    .show(ui, |plot| plot.line(Line::new(title, points)));
            });
        };
        ui.horizontal(|ui| {
            chart(ui, "pairs that touch", &|moment| Some(moment.contacts as f64));
            // Where atoms stand in each other the number says nothing but that.
            chart(ui, "energy (kcal/mol)", &|moment| moment.energy.map(|energy| energy.total().min(50.0)));
            chart(ui, "microseconds a motion", &|moment| Some(moment.microseconds));
        });
    }

    pub(super) fn show_contacts(&mut self, ui: &mut Ui) {
        let Some(session) = &self.session else { return };
        if let Some((energy, force, torque)) = self.energy {
            Grid::new("energies").num_columns(2).show(ui, |ui| {
                for (name, value) in energy.terms() {
                    ui.label(name);
                    ui.label(format!("{value:.2} kcal/mol"));
                    ui.end_row();
                }
                for (name, value, unit) in [
                    ("together", energy.total(), "kcal/mol"),
                    ("force", force.length(), "kcal/mol/Å"),
                    ("torque", torque.length(), "kcal/mol"),
                ] {
                    ui.label(name);
                    ui.label(format!("{value:.2} {unit}"));
                    ui.end_row();
                }
            });
            ui.separator();
        }
        if !session.collides() {
            ui.label("collisions are off");
            return;
        }
        ui.label(match self.contacts.len() {
            0 => "nothing touches".to_owned(),
            count => format!("{count} pairs touch"),
        });
        let (dock, pose) = (session.dock(), session.standing().pose);
        ScrollArea::vertical().id_salt("contacts").max_height(200.0).show(ui, |ui| {
            for contact in self.contacts.iter().take(MOST_LISTED) {
                let [ligand, receptor] = session.atoms_of(contact);
                let text = format!(
                    "{:.2} Å  {} – {}",
                    contact.gap - session.tolerance(),
                    dock.label(Which::Ligand, pose, ligand),
                    dock.label(Which::Receptor, pose, receptor)
                );
                ui.label(RichText::new(text).small());
            }
        });
    }

    /// All keys, to be changed.
    pub(super) fn show_keys(&mut self, ui: &Ui, state: &mut State, camera: &mut Camera) {
        let Some(waits) = self.keys_window else { return };
        let (mut is_open, mut next, mut pressed) = (true, Some(waits), None);
        egui::Window::new("Keys").open(&mut is_open).default_width(420.0).show(ui.ctx(), |ui| {
            ui.label("Click on keys, then press others. Escape leaves them as they are.");
            if ui.button("As they were").clicked() {
                self.keys.reset();
            }
            ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                Grid::new("keys").num_columns(3).striped(true).show(ui, |ui| {
                    for (command, name, about, _) in keys::ALL {
                        if ui.button(name).on_hover_text("Does it.").clicked() {
                            pressed = Some(command);
                        }
                        let is_asked = waits == Some(command);
                        let words = self.keys.of(command).map_or(String::new(), keys::words);
                        let words = if is_asked { "press keys …".to_owned() } else { words };
                        let button = ui.add(Button::selectable(is_asked, &words));
                        button.widget_info(|| {
                            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("keys of {name}"))
                        });
                        if button.clicked() {
                            next = Some(Some(command));
                        }
                        ui.label(RichText::new(about).small());
                        ui.end_row();
                    }
                });
            });
        });
        if let Some(command) = waits
            && let Some(keys) = pressed_keys(ui)
        {
            if keys.logical_key != egui::Key::Escape {
                self.keys.change(command, keys);
            }
            next = Some(None);
        }
        self.keys_window = next.filter(|_| is_open);
        if let Some(folder) = &self.folder {
            let text = self.keys.text();
            if text != self.kept_keys {
                platform::keep(folder, KEYS, &text);
                self.kept_keys = text;
            }
        }
        if let Some(command) = pressed {
            self.run_own(command, ui, state, camera);
        }
    }

    /// Moments as a table.
    pub(super) fn table(&self) -> String {
        let mut text = "seconds,contacts,energy_kcal_mol,microseconds\n".to_owned();
        for moment in &self.moments {
            let energy = moment.energy.map_or(String::new(), |energy| format!("{:.4}", energy.total()));
            // Writing to a string does not fail.
            writeln!(text, "{:.4},{},{energy},{:.2}", moment.seconds, moment.contacts, moment.microseconds).ok();
        }
        text
    }
}

/// Keys that were pressed in this frame, whatever they do.
fn pressed_keys(ui: &Ui) -> Option<egui::KeyboardShortcut> {
    ui.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Key { key, pressed: true, modifiers, .. } => {
                let kept = egui::Modifiers { mac_cmd: false, ctrl: false, ..*modifiers };
                Some(egui::KeyboardShortcut::new(kept, *key))
            }
            _ => None,
        })
    })
}

fn about(response: Response) -> &'static str {
    match response {
        Response::Detect => "It goes through, and what overlaps changes its colour.",
        Response::Stop => "It stops where it touches.",
        Response::Slide => "It goes along what it touches.",
        Response::Push => "It is pushed out again, and side chains give way.",
        Response::Bounce => "It has momentum: it bounces, rolls and rubs.",
    }
}
