//! What the window writes: models, scene files, tables, pictures and films.

use std::path::PathBuf;
use std::time::Duration;

use egui::Ui;
use steric_view::Film;

use super::Studio;
use crate::files;
use crate::platform;
use crate::recorder::Recorder;
use crate::simulation::{Order, Source};
use crate::worlds::Written;

impl Studio {
    pub(super) fn use_file(&mut self, purpose: files::Purpose, path: PathBuf) {
        if let Some(result) = self.world.use_file(purpose, &path, &mut self.state) {
            match result {
                Ok(_) if purpose == files::Purpose::PlayLog => self.state.say(format!("playing {}", path.display())),
                Ok(_) if purpose == files::Purpose::Log => self.state.say(format!("recording {}", path.display())),
                Ok(Written::Now) => self.state.say(format!("wrote {}", path.display())),
                Ok(Written::Later) => {}
                Err(error) => self.state.say(format!("error: {error}")),
            }
            return;
        }
        let result = match purpose {
            files::Purpose::Ligand => self.dock_into(&path),
            files::Purpose::Log | files::Purpose::PlayLog | files::Purpose::Trials => {
                Err("expected something that is docked, found none".to_owned())
            }
            files::Purpose::Puppet => Err("expected molecules on a skeleton, found none".to_owned()),
            files::Purpose::Open => Source::read(&path).map(|source| self.open(source)),
            files::Purpose::Model => {
                self.simulation.order(Order::Save(path));
                return;
            }
            files::Purpose::Preset => match self.world.preset(&self.state) {
                Some(text) => text.and_then(|text| platform::save(&path, text.as_bytes())),
                None => Err("expected a scene to save as a preset, found a model".to_owned()),
            },
            files::Purpose::Picture => {
                self.wanted_picture = Some(path);
                return;
            }
            files::Purpose::Film => Recorder::begin(&path).map(|film| self.film = Some(film)),
            files::Purpose::Table => platform::save(&path, files::table(&self.state.history).as_bytes()),
        };
        match result {
            Ok(()) if !matches!(purpose, files::Purpose::Open | files::Purpose::Film | files::Purpose::Ligand) => {
                self.state.say(format!("wrote {}", path.display()))
            }
            Ok(()) => {}
            Err(error) => self.state.say(format!("error: {error}")),
        }
    }

    /// While molecules move there is no better picture than the last one; else the one of how it is now is waited for.
    pub(super) fn save_wanted_picture(&mut self) {
        let moves = self.state.now.plays && !self.state.now.rests;
        let is_ready = moves || self.viewport.is_current(&self.state) || !self.viewport.can_paint();
        let Some(path) = self.wanted_picture.take_if(|_| is_ready) else { return };
        match self.save_picture(&path) {
            Ok(()) => self.state.say(format!("wrote {}", path.display())),
            Err(error) => self.state.say(format!("error: {error}")),
        }
    }

    /// A film that is being recorded gets what is seen.
    pub(super) fn add_to_film(&mut self, ui: &Ui) {
        self.viewport.is_recorded = self.film.is_some();
        let Some(film) = &mut self.film else { return };
        // So that it is as long as it takes, also when nothing moves.
        ui.ctx().request_repaint_after(Duration::from_millis(40));
        let goes_on = self.viewport.painted.as_ref().is_none_or(|painted| film.see(painted));
        if !goes_on && let Some(film) = self.film.take() {
            self.end_film(film);
        }
    }

    pub(super) fn end_film(&mut self, film: Recorder) {
        match film.end() {
            Ok(path) => self.state.say(format!("wrote {}", path.display())),
            Err(error) => self.state.say(format!("error: {error}")),
        }
    }

    fn save_picture(&self, path: &std::path::Path) -> Result<(), String> {
        let painted = self.viewport.painted.as_ref().ok_or("expected something to be seen, found nothing")?;
        if !platform::HAS_FOLDERS {
            let bytes = painted.picture.to_png().map_err(|error| error.to_string())?;
            return platform::save(path, &bytes);
        }
        let mut film = Film::create(path, 25.0, 1).map_err(|error| error.to_string())?;
        film.add(&painted.picture).map_err(|error| error.to_string())?;
        film.finish().map_err(|error| error.to_string())
    }
}
