//! Windows above everything.

use egui::Ui;

use super::Studio;
use crate::commands;
use crate::files;
use crate::start;

impl Studio {
    /// Windows above everything: the list of commands, an error, the tour, a file name.
    pub(super) fn windows(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        if let Some(mut text) = self.palette.take() {
            let mut chosen = None;
            let mut is_open = true;
            egui::Window::new("Commands")
                .collapsible(false)
                .resizable(false)
                .open(&mut is_open)
                .anchor(egui::Align2::CENTER_TOP, [0.0, 60.0])
                .show(&ctx, |ui| {
                    let written =
                        ui.add(egui::TextEdit::singleline(&mut text).hint_text("what to do").desired_width(320.0));
                    written.request_focus();
                    let first = commands::matching(&text).next();
                    if ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                        chosen = first.map(|(command, ..)| command);
                    }
                    egui::ScrollArea::vertical().max_height(420.0).show(ui, |ui| {
                        for (command, name, keys) in commands::matching(&text) {
                            let keys = keys.map_or(String::new(), |keys| ui.ctx().format_shortcut(&keys));
                            if ui
                                .add(egui::Button::new(name).shortcut_text(keys).min_size([320.0, 0.0].into()))
                                .clicked()
                            {
                                chosen = Some(command);
                            }
                        }
                    });
                });
            let is_left = ctx.input(|input| input.key_pressed(egui::Key::Escape));
            match chosen {
                Some(command) => self.run(command, ui),
                None if is_open && !is_left => self.palette = Some(text),
                None => {}
            }
        }
        if let Some(alert) = self.state.alert.clone() {
            egui::Window::new("This did not work")
                .collapsible(false)
                .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
                .show(&ctx, |ui| {
                    ui.label(alert);
                    if ui.button("OK").clicked() || ui.input(|input| input.key_pressed(egui::Key::Escape)) {
                        self.state.alert = None;
                    }
                });
        }
        if let Some(step) = self.tour {
            self.tour = start::tour(&ctx, step);
            if self.tour.is_none() {
                self.settings.has_seen_tour = true;
                self.settings.write();
            }
        }
        if let Some(asked) = &mut self.asked {
            match asked.show(&ctx) {
                files::Answer::None => {}
                files::Answer::Cancelled => self.asked = None,
                files::Answer::Path(path) => {
                    let purpose = asked.purpose;
                    self.asked = None;
                    self.use_file(purpose, path);
                }
            }
        }
    }
}
