//! What the window remembers: recent files, light or dark, the size of text, and what was open.
//!
//! How it works: two small files in one folder, written beside their names and renamed, so that an end at any time leaves the old ones.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steric::model::Instant;

use crate::files;
use crate::simulation::Source;
use crate::state::State;

/// So many files are remembered.
const MOST_RECENT: usize = 8;
/// What is open is kept this often.
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// What the window remembers from one start to the next.
#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Files that were opened, the newest first.
    pub(crate) recent: Vec<PathBuf>,
    /// Whether the tour was seen.
    pub(crate) has_seen_tour: bool,
    is_dark: bool,
    zoom: f32,
    #[serde(skip)]
    folder: Option<PathBuf>,
    #[serde(skip)]
    kept: Option<(Instant, u64, u64)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { recent: Vec::new(), has_seen_tour: false, is_dark: true, zoom: 1.0, folder: None, kept: None }
    }
}

/// What was open when the window ended.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    name: String,
    folder: PathBuf,
    scene: Option<String>,
}

impl Settings {
    /// What a folder remembers; a window without one has seen everything and keeps nothing.
    pub(crate) fn read(folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return Self { has_seen_tour: true, ..Self::default() } };
        let text = std::fs::read_to_string(folder.join("settings.json")).unwrap_or_default();
        let settings: Self = serde_json::from_str(&text).unwrap_or_default();
        Self { folder: Some(folder), ..settings }
    }

    /// Writes what is remembered; a folder that cannot be written to is not worth a word.
    pub(crate) fn write(&self) {
        if let Some(folder) = &self.folder
            && let Ok(text) = serde_json::to_vec_pretty(self)
            && std::fs::create_dir_all(folder).is_ok()
        {
            files::write(&folder.join("settings.json"), &text).ok();
        }
    }

    /// Puts them into effect.
    pub(crate) fn apply(&self, ctx: &egui::Context) {
        ctx.set_theme(if self.is_dark { egui::Theme::Dark } else { egui::Theme::Light });
        ctx.set_zoom_factor(self.zoom.clamp(0.5, 3.0));
    }

    /// From light to dark, and back.
    pub(crate) fn turn_theme(&mut self, ctx: &egui::Context) {
        self.is_dark = !self.is_dark;
        self.apply(ctx);
        self.write();
    }

    /// Makes text and everything else larger.
    pub(crate) fn zoom(&mut self, ctx: &egui::Context, times: f32) {
        self.zoom = (self.zoom * times).clamp(0.5, 3.0);
        self.apply(ctx);
        self.write();
    }

    /// Remembers a file that was opened.
    fn remember(&mut self, source: &Source) {
        let path = PathBuf::from(source.name());
        if path.is_file() {
            self.recent.retain(|known| *known != path);
            self.recent.insert(0, path);
            self.recent.truncate(MOST_RECENT);
            self.write();
        }
    }

    /// What was open when the window ended without being closed properly; closing keeps nothing.
    pub(crate) fn kept(&self) -> Option<Source> {
        let text = std::fs::read_to_string(self.folder.as_ref()?.join("open.json")).ok()?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        match kept.scene {
            Some(text) => Some(Source::Scene { name: kept.name, text, folder: kept.folder }),
            None => Source::read(Path::new(&kept.name)).ok(),
        }
    }

    /// Keeps what is open, now and then.
    pub(crate) fn keep(&mut self, state: &State) {
        let (Some(folder), Some(opened)) = (self.folder.clone(), &state.now.opened) else { return };
        let is_due = self.kept.is_none_or(|(at, opening, version)| {
            opening != state.now.opening || (version != state.now.version && at.elapsed() > KEEP_EVERY)
        });
        if !is_due {
            return;
        }
        if self.kept.is_none_or(|(_, opening, _)| opening != state.now.opening) {
            self.remember(&opened.source);
        }
        let from = match &opened.source {
            Source::Scene { folder, .. } => folder.clone(),
            Source::Model { .. } => PathBuf::new(),
        };
        let scene = opened.source.text().map(ToOwned::to_owned);
        let kept = Kept { name: opened.source.name().to_owned(), folder: from, scene };
        if let Ok(text) = serde_json::to_vec(&kept)
            && std::fs::create_dir_all(&folder).is_ok()
        {
            files::write(&folder.join("open.json"), &text).ok();
        }
        self.kept = Some((Instant::now(), state.now.opening, state.now.version));
    }

    /// The window was closed: nothing has to be restored.
    pub(crate) fn close(&self) {
        self.write();
        if let Some(folder) = &self.folder {
            std::fs::remove_file(folder.join("open.json")).ok();
        }
    }
}
