//! What the window remembers: recent files, light or dark, the size of text, and what was open.
//!
//! How it works: two small files in one folder, written beside their names and renamed, so that an end at any time leaves the old ones.

use std::path::{Path, PathBuf};
use std::time::Duration;

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use steric::model::{Instant, MoleculeId, Pose};

use crate::platform;
use crate::simulation::Source;
use crate::state::State;

/// What is remembered under which names.
const SETTINGS: &str = "settings.json";
const OPEN: &str = "open.json";
/// So many files are remembered.
const MOST_RECENT: usize = 8;
/// What is open is kept this often.
const KEEP_EVERY: Duration = Duration::from_secs(10);
/// And so soon after someone did something, or when all is at rest.
const KEEP_AFTER: Duration = Duration::from_secs(1);

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
    /// Which molecules there were, where they were, and which were fixed.
    #[serde(default)]
    molecules: Vec<KeptMolecule>,
}

/// A molecule: its number in what was opened, its place, its rotation, and whether it was fixed.
type KeptMolecule = (u32, [f64; 3], [f64; 4], bool);

/// Of more molecules than this it is not kept where they were.
const MOST_KEPT: usize = if platform::HAS_FOLDERS { 200_000 } else { 20_000 };

/// What was open, and where its molecules were.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) source: Source,
    pub(crate) molecules: Vec<(MoleculeId, Pose, bool)>,
}

impl Settings {
    /// What a folder remembers; a window without one has seen everything and keeps nothing.
    pub(crate) fn read(folder: Option<PathBuf>) -> Self {
        let Some(folder) = folder else { return Self { has_seen_tour: true, ..Self::default() } };
        let text = platform::kept(&folder, SETTINGS).unwrap_or_default();
        let settings: Self = serde_json::from_str(&text).unwrap_or_default();
        Self { folder: Some(folder), ..settings }
    }

    /// Where things are remembered.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    /// Writes what is remembered.
    pub(crate) fn write(&self) {
        if let (Some(folder), Ok(text)) = (&self.folder, serde_json::to_string_pretty(self)) {
            platform::keep(folder, SETTINGS, &text);
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
    pub(crate) fn kept(&self) -> Option<Restored> {
        let text = platform::kept(self.folder.as_ref()?, OPEN)?;
        let kept: Kept = serde_json::from_str(&text).ok()?;
        let source = match kept.scene {
            Some(text) => Source::Scene { name: kept.name, text, folder: kept.folder },
            None => Source::read(Path::new(&kept.name)).ok()?,
        };
        let one = |(id, place, rotation, is_fixed): KeptMolecule| {
            let pose = Pose { translation: DVec3::from(place), rotation: DQuat::from_array(rotation) };
            (pose.translation.is_finite() && pose.rotation.is_normalized()).then_some((MoleculeId(id), pose, is_fixed))
        };
        let molecules: Option<Vec<_>> = kept.molecules.into_iter().map(one).collect();
        Some(Restored { source, molecules: molecules.unwrap_or_default() })
    }

    /// Keeps what is open, now and then.
    pub(crate) fn keep(&mut self, state: &State) {
        let (Some(folder), Some(opened)) = (self.folder.clone(), &state.now.opened) else { return };
        if !opened.source.is_relaxed() {
            // What was docked is in its log; particles and soft bodies go the same way again from their seed.
            let is_new = self.kept.is_none_or(|(_, opening, _)| opening != state.now.opening);
            if is_new && matches!(opened.source, Source::Diffuse(_) | Source::Deform(_)) {
                self.remember(&opened.source);
                self.kept = Some((Instant::now(), state.now.opening, state.now.version));
            }
            return;
        }
        let is_due = self.kept.is_none_or(|(at, opening, version)| {
            let every = if state.now.plays && !state.now.rests { KEEP_EVERY } else { KEEP_AFTER };
            opening != state.now.opening || (version != state.now.version && at.elapsed() > every)
        });
        if !is_due {
            return;
        }
        if self.kept.is_none_or(|(_, opening, _)| opening != state.now.opening) {
            self.remember(&opened.source);
        }
        let from = match &opened.source {
            Source::Scene { folder, .. } => folder.clone(),
            Source::Model { .. } | Source::Dock(_) | Source::Diffuse(_) | Source::Deform(_) | Source::Animate(_) => {
                PathBuf::new()
            }
        };
        let scene = opened.source.text().map(ToOwned::to_owned);
        let now = &state.now;
        let molecules = if now.which.len() > MOST_KEPT {
            Vec::new()
        } else {
            let each = now.which.iter().zip(now.poses.iter()).zip(now.fixed.iter());
            let one = |((which, pose), is_fixed): ((&MoleculeId, &Pose), &bool)| {
                (which.0, pose.translation.to_array(), pose.rotation.to_array(), *is_fixed)
            };
            each.map(one).collect()
        };
        let kept = Kept { name: opened.source.name().to_owned(), folder: from, scene, molecules };
        if let Ok(text) = serde_json::to_string(&kept) {
            platform::keep(&folder, OPEN, &text);
        }
        self.kept = Some((Instant::now(), state.now.opening, state.now.version));
    }

    /// The window was closed: nothing has to be restored.
    pub(crate) fn close(&self) {
        self.write();
        if let Some(folder) = &self.folder {
            platform::forget(folder, OPEN);
        }
    }
}
