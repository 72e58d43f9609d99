//! Files: asked for in the window, dropped on it, and written whole.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use steric::world::relax::Iteration;

use crate::platform;

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be opened.
    Open,
    /// The molecules where they are.
    Model,
    /// The scene file.
    Preset,
    /// What is seen.
    Picture,
    /// What is seen from now on.
    Film,
    /// The table of iterations.
    Table,
    /// A ligand for the model that is open.
    Ligand,
    /// What a hand does.
    Log,
    /// What a hand did, to be played again.
    PlayLog,
    /// Trials of the fitting task.
    Trials,
    /// A structure with its skeleton and clips.
    Puppet,
}

impl Purpose {
    fn title(self) -> &'static str {
        match self {
            Self::Open => "Open a file",
            Self::Model => "Save the model",
            Self::Preset => "Save the preset",
            Self::Picture => "Save the picture",
            Self::Film => "Record a film",
            Self::Table => "Save the table",
            Self::Ligand => "Open a ligand",
            Self::Log => "Record what the hand does",
            Self::PlayLog => "Play a log",
            Self::Trials => "Save the trials",
            Self::Puppet => "Save the animation",
        }
    }

    /// Whether it is there already.
    fn reads(self) -> bool {
        matches!(self, Self::Open | Self::Ligand | Self::PlayLog)
    }

    fn usual(self) -> &'static str {
        match self {
            Self::Open => "",
            Self::Model => "model.cif",
            Self::Preset => "scene.toml",
            Self::Picture => "picture.png",
            Self::Film => "film.mp4",
            Self::Table => "iterations.csv",
            Self::Ligand | Self::PlayLog => "",
            Self::Log => "hand.log",
            Self::Trials => "trials.csv",
            Self::Puppet => "animation.steric",
        }
    }
}

/// A question for the name of a file, with what lies in the folder below it.
#[derive(Debug)]
pub(crate) struct Asked {
    /// What it is for.
    pub(crate) purpose: Purpose,
    name: String,
    folder: PathBuf,
    entries: Vec<(String, bool)>,
    is_asked: bool,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Nothing yet.
    None,
    /// Nobody wants it any more.
    Cancelled,
    /// This file.
    Path(PathBuf),
}

impl Asked {
    /// Asks in the folder where the program was started.
    pub(crate) fn new(purpose: Purpose) -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        let entries = entries(&folder);
        Self { purpose, name: purpose.usual().to_owned(), folder, entries, is_asked: false }
    }

    /// Shows the question.
    pub(crate) fn show(&mut self, ctx: &egui::Context) -> Answer {
        let mut answer = Answer::None;
        let mut is_open = true;
        let mut next = None;
        egui::Window::new(self.purpose.title()).collapsible(false).default_width(420.0).open(&mut is_open).show(
            ctx,
            |ui| {
                if platform::HAS_FOLDERS {
                    ui.label(self.folder.display().to_string());
                }
                let written =
                    ui.add(egui::TextEdit::singleline(&mut self.name).hint_text("a file").desired_width(f32::INFINITY));
                if !std::mem::replace(&mut self.is_asked, true) {
                    written.request_focus();
                }
                let is_entered = written.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
                if platform::HAS_FOLDERS
                    && let Some(path) = self.list(ui, &mut next)
                {
                    answer = Answer::Path(path);
                }
                ui.horizontal(|ui| {
                    let is_there = !self.purpose.reads() && self.folder.join(self.name.trim()).is_file();
                    let verb = match self.purpose {
                        Purpose::Open | Purpose::Ligand => "Open",
                        Purpose::PlayLog => "Play",
                        _ if is_there => "Replace",
                        Purpose::Film | Purpose::Log => "Record",
                        _ => "Save",
                    };
                    let is_named = !self.name.trim().is_empty();
                    if ui.add_enabled(is_named, egui::Button::new(verb)).clicked()
                        || (is_entered && is_named && !is_there)
                    {
                        let path = self.folder.join(self.name.trim());
                        if path.is_dir() {
                            next = Some(path);
                        } else {
                            answer = Answer::Path(path);
                        }
                    }
                    if ui.button("Cancel").clicked() {
                        answer = Answer::Cancelled;
                    }
                });
            },
        );
        if let Some(folder) = next {
            self.entries = entries(&folder);
            self.folder = folder;
        }
        let is_left = ctx.input(|input| input.key_pressed(egui::Key::Escape));
        if is_open && !is_left { answer } else { Answer::Cancelled }
    }
}

impl Asked {
    /// What lies in the folder: a click on a file takes its name, a double click gives it; a click on a folder goes there next.
    fn list(&mut self, ui: &mut egui::Ui, next: &mut Option<PathBuf>) -> Option<PathBuf> {
        let mut given = None;
        egui::ScrollArea::vertical().max_height(260.0).auto_shrink([false, true]).show(ui, |ui| {
            if ui.selectable_label(false, "../").clicked() {
                *next = self.folder.parent().map(Path::to_owned);
            }
            for (name, is_folder) in &self.entries {
                let label = if *is_folder { format!("{name}/") } else { name.clone() };
                let chosen = ui.selectable_label(!is_folder && *name == self.name, label);
                if chosen.clicked() && *is_folder {
                    *next = Some(self.folder.join(name));
                } else if chosen.clicked() {
                    self.name.clone_from(name);
                }
                if chosen.double_clicked() && !is_folder {
                    given = Some(self.folder.join(name));
                }
            }
        });
        given
    }
}

/// What lies in a folder: folders first, then files, by name.
fn entries(folder: &Path) -> Vec<(String, bool)> {
    const MOST: usize = 2_000;
    let Ok(found) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<(String, bool)> = found
        .filter_map(Result::ok)
        .take(MOST)
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path().is_dir()))
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    entries.sort_by_key(|(name, is_folder)| (!is_folder, name.to_lowercase()));
    entries
}

/// A file that has come, with its bytes or why they could not be read.
type Arrival = (String, Result<Vec<u8>, String>);

/// Files that were dropped on the window or chosen in the browser.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals(Arc<Mutex<Vec<Arrival>>>);

impl Arrivals {
    /// One has come.
    pub(crate) fn add(&self, name: String, bytes: Result<Vec<u8>, String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name, bytes));
    }

    /// Those that have come since the last time, with those that were dropped in this frame.
    pub(crate) fn take(&self, ctx: &egui::Context) -> Vec<Arrival> {
        let dropped = ctx.input(|input| input.raw.dropped_files.clone());
        dropped.iter().for_each(|file| platform::take(file, self, ctx));
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Iterations as a table.
pub(crate) fn table(history: &[Iteration]) -> String {
    let mut text =
        "iteration,overlaps,overlapping,deepest_A,mean_depth_A,broken,awake,moved,search_ms,visit_ms,move_ms\n"
            .to_owned();
    for (number, one) in history.iter().enumerate() {
        let [search, visit, move_] = one.milliseconds;
        // Writing to a string does not fail.
        writeln!(
            text,
            "{number},{},{},{:.6},{:.6},{},{},{},{search:.4},{visit:.4},{move_:.4}",
            one.overlaps, one.overlapping, one.deepest, one.mean_depth, one.broken, one.awake, one.moved
        )
        .ok();
    }
    text
}
