//! The window: where everything stands, and what commands do.

mod saving;
mod windows;

use std::path::PathBuf;
use std::sync::Arc;

use egui::{CentralPanel, Panel, RichText, Ui};
use steric::gpu::Gpu;
use steric::world::build::{Fit, Verdict};
use steric::world::report::words::thousands;
use steric_view::{ColourBy, Style};

use crate::commands::{self, Command};
use crate::files;
use crate::painter::Painter;
use crate::platform;
use crate::recorder::Recorder;
use crate::settings::{Restored, Settings};
use crate::simulation::{Animated, Deformed, Diffused, DockSource, Order, Simulation, Source, WakeUp, Where};
use crate::start;
use crate::state::State;
use crate::viewport::{PERSPECTIVE, Tool, Viewport};
use crate::worlds::{
    World, animate::AnimateWorld, deform::DeformWorld, diffuse::DiffuseWorld, dock::DockWorld, relax::RelaxWorld,
};

/// What the window is made with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is opened at once.
    pub open: Option<Source>,
    /// What draws; nothing where there is no GPU, not even software.
    pub gpu: Option<Gpu>,
    /// Where iterations are done.
    pub place: Where,
    /// Where settings and what was open are kept; nowhere for a window that forgets.
    pub folder: Option<PathBuf>,
}

/// The studio.
#[derive(Debug)]
pub struct Studio {
    state: State,
    simulation: Simulation,
    viewport: Viewport,
    world: Box<dyn World>,
    /// What was open before, until it is known whether the new one can be.
    world_before: Option<Box<dyn World>>,
    settings: Settings,
    gpu: Option<Gpu>,
    palette: Option<String>,
    tour: Option<usize>,
    is_at_start: bool,
    asked: Option<files::Asked>,
    arrivals: files::Arrivals,
    /// A picture that is saved as soon as it shows what there is.
    wanted_picture: Option<PathBuf>,
    film: Option<Recorder>,
    speed: f64,
    wake: WakeUp,
    /// Counts worlds that move their molecules themselves.
    worlds: u64,
}

impl Studio {
    /// A window in this context.
    pub fn new(ctx: &egui::Context, options: Options) -> Self {
        let repaint = ctx.clone();
        let wake: crate::simulation::Wake = Arc::new(move || repaint.request_repaint());
        let simulation = Simulation::new(Arc::clone(&wake), options.place);
        let settings = Settings::read(options.folder);
        settings.apply(ctx);
        // Our own commands do that.
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        let mut state = State::default();
        let restored = if options.open.is_none() { settings.kept() } else { None };
        if restored.is_some() {
            state.say("restored what was open".to_owned());
        }
        let is_at_start = options.open.is_none() && restored.is_none();
        let is_relaxed = options.open.as_ref().is_some_and(Source::is_relaxed);
        let (opened, other) = if is_relaxed { (options.open, None) } else { (None, options.open) };
        if let Some(source) = opened {
            simulation.order(Order::Open(source));
        }
        if let Some(Restored { source, molecules }) = restored {
            simulation.order(Order::Open(source));
            if !molecules.is_empty() {
                simulation.order(Order::Restore(molecules));
            }
        }
        if options.gpu.is_none() {
            state.say(
                "no picture: expected a GPU with Vulkan, Metal or DirectX 12, found none; the package mesa-vulkan-drivers (Debian, Ubuntu, \
                 Fedora) draws on the processor"
                    .to_owned(),
            );
        }
        let mut studio = Self {
            state,
            simulation,
            viewport: Viewport::new(options.gpu.as_ref().map(|gpu| Painter::new(gpu, Arc::clone(&wake)))),
            world: Box::new(RelaxWorld::default()),
            world_before: None,
            tour: (!settings.has_seen_tour).then_some(0),
            settings,
            gpu: options.gpu,
            palette: None,
            is_at_start,
            asked: None,
            arrivals: files::Arrivals::default(),
            wanted_picture: None,
            film: None,
            speed: 0.0,
            wake: WakeUp(wake),
            worlds: 0,
        };
        if let Some(source) = other {
            studio.open(source);
        }
        studio
    }

    /// What the panels know.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What is docked, if anything is.
    pub fn docked(&self) -> Option<&steric::dock::Session> {
        self.world.dock()?.session()
    }

    /// Particles in motion, if there are any.
    pub fn diffused(&self) -> Option<&Diffused> {
        self.world.diffused()
    }

    /// Soft bodies, if there are any.
    pub fn deformed(&self) -> Option<&Deformed> {
        self.world.deformed()
    }

    /// Molecules on a skeleton, if there are any.
    pub fn animated(&self) -> Option<&Animated> {
        self.world.animated()
    }

    /// What draws, by name.
    pub fn device(&self) -> Option<String> {
        self.gpu.as_ref().map(|gpu| format!("{}: {}", gpu.adapter().api, gpu.adapter().name))
    }

    /// Whether the picture shows finely what there is now.
    pub fn is_shown(&self) -> bool {
        self.viewport.is_current(&self.state)
    }

    /// The picture that is seen.
    pub fn picture(&self) -> Option<&steric_view::Picture> {
        self.viewport.painted.as_ref().map(|painted| &*painted.picture)
    }

    /// One frame of the window.
    pub fn show(&mut self, ui: &mut Ui) {
        self.simulation.work_here();
        let (now, news) = (self.simulation.now(), self.simulation.news());
        self.state.take(self.world.now().unwrap_or(now), news);
        self.take_files(ui);
        // What a world understands it hears first.
        if !self.is_at_start && self.palette.is_none() && self.asked.is_none() {
            self.world.frame(ui, &mut self.state, &mut self.viewport.camera);
        }
        self.settle_world();
        if let Some(command) = commands::pressed(ui.ctx()) {
            self.run(command, ui);
        }
        if let Some(purpose) = self.state.wants.take() {
            self.asked = Some(files::Asked::new(purpose));
        }
        Panel::top("bar").show(ui, |ui| self.bar(ui));
        if self.is_at_start || (self.state.now.opened.is_none() && self.state.now.busy.is_none()) {
            CentralPanel::default().show(ui, |ui| match start::show(ui, &self.settings) {
                Some(Ok(source)) => self.open(source),
                Some(Err(error)) => self.state.say(format!("error: {error}")),
                None => {}
            });
        } else {
            self.panels(ui);
        }
        self.windows(ui);
        self.save_wanted_picture();
        self.add_to_film(ui);
        self.settings.keep(&self.state);
    }

    fn panels(&mut self, ui: &mut Ui) {
        Panel::left("left").default_size(250.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| {
                egui::CollapsingHeader::new("Scene").default_open(true).show(ui, |ui| {
                    self.world.scene(ui, &mut self.state, &self.simulation);
                });
                egui::CollapsingHeader::new("Physics").default_open(true).show(ui, |ui| {
                    self.world.physics(ui, &mut self.state, &self.simulation);
                    if self.world.now().is_none() {
                        self.backend(ui);
                    }
                });
            });
        });
        Panel::right("right").default_size(220.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| {
                egui::CollapsingHeader::new("Appearance").default_open(true).show(ui, |ui| self.looks(ui));
                egui::CollapsingHeader::new("Selection").default_open(true).show(ui, |ui| {
                    self.world.selection(ui, &mut self.state, &self.simulation);
                });
                egui::CollapsingHeader::new("Log").default_open(true).show(ui, |ui| {
                    for line in self.state.log.iter().rev().take(50) {
                        ui.label(RichText::new(line).small());
                    }
                });
            });
        });
        Panel::bottom("charts")
            .default_size(180.0)
            .min_size(140.0)
            .resizable(true)
            .show(ui, |ui| self.world.charts(ui, &self.state));
        self.banner(ui);
        CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| {
            self.viewport.show(ui, &mut self.state, &self.simulation, self.world.as_mut());
        });
    }

    /// The run bar, the tools, and how it stands.
    fn bar(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.menu_button("File", |ui| {
                for command in [
                    Command::Open,
                    Command::Dock,
                    Command::Start,
                    Command::SaveModel,
                    Command::SavePreset,
                    Command::SavePicture,
                    Command::Film,
                    Command::SaveTable,
                ] {
                    self.entry(ui, command);
                }
            });
            ui.menu_button("Edit", |ui| {
                for command in
                    [Command::Undo, Command::Redo, Command::Pin, Command::Delete, Command::Hide, Command::ShowAll]
                {
                    self.entry(ui, command);
                }
            });
            ui.menu_button("View", |ui| {
                for (command, ..) in commands::ALL {
                    if matches!(
                        command,
                        Command::From(_)
                            | Command::Focus
                            | Command::Perspective
                            | Command::Theme
                            | Command::Larger
                            | Command::Smaller
                            | Command::Tour
                    ) {
                        self.entry(ui, command);
                    }
                }
            });
            ui.separator();
            if self.world.bar(ui, &mut self.state, &mut self.viewport.camera) {
                return;
            }
            let plays = self.state.now.plays;
            if ui
                .button(if plays { "Pause" } else { "Play" })
                .on_hover_text("Push molecules apart until none overlaps (Space)")
                .clicked()
            {
                self.run(Command::Play, ui);
            }
            if ui.button("Step").on_hover_text("One iteration (.)").clicked() {
                self.run(Command::Step, ui);
            }
            if ui
                .button("Reset")
                .on_hover_text("Back to where the molecules were when they were opened (Ctrl+R)")
                .clicked()
            {
                self.run(Command::Reset, ui);
            }
            let speed =
                egui::DragValue::new(&mut self.speed).speed(0.5).range(0.0..=1000.0).custom_formatter(|value, _| {
                    if value <= 0.0 { "full speed".to_owned() } else { format!("{value:.0} a second") }
                });
            let label = ui.label("speed");
            if ui
                .add(speed)
                .labelled_by(label.id)
                .on_hover_text("Iterations in a second, at most; 0 is as fast as it goes.")
                .changed()
            {
                self.simulation.order(Order::Speed((self.speed > 0.0).then_some(self.speed)));
            }
            ui.separator();
            for (tool, name, _, about) in Tool::ALL {
                ui.selectable_value(&mut self.state.tool, tool, name).on_hover_text(about);
            }
            if self.state.tool == Tool::Brush {
                let label = ui.label("radius");
                ui.add(egui::DragValue::new(&mut self.viewport.brush).suffix(" Å").range(1.0..=1000.0))
                    .labelled_by(label.id)
                    .on_hover_text("Radius of the brush.");
            }
            ui.separator();
            if let Some(film) = &self.film {
                let name = film.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
                let words = RichText::new(format!("recording {name}: {:.0} s", film.seconds()));
                let ends = ui.button(words.color(ui.visuals().error_fg_color)).on_hover_text("Ends the film (Ctrl+M)");
                if ends.clicked() {
                    self.run(Command::Film, ui);
                }
            }
            ui.label(self.standing());
        });
    }

    fn entry(&mut self, ui: &mut Ui, command: Command) {
        let Some((_, name, keys)) = commands::ALL.into_iter().find(|(known, ..)| *known == command) else { return };
        let keys = keys.map_or(String::new(), |keys| ui.ctx().format_shortcut(&keys));
        if ui.add(egui::Button::new(name).shortcut_text(keys)).clicked() {
            ui.close();
            self.run(command, ui);
        }
    }

    /// How it stands, in a line.
    fn standing(&self) -> String {
        let now = &self.state.now;
        if let Some(busy) = &now.busy {
            return format!("{busy} …");
        }
        if now.opened.is_none() {
            return "nothing is open".to_owned();
        }
        let overlaps = match now.overlaps {
            Some(0) if now.rests => "no overlap".to_owned(),
            Some(overlaps) => format!("{} overlaps", thousands(overlaps)),
            None => format!(
                "{} molecules overlap",
                thousands(now.touching.iter().filter(|&&touches| touches).count() as u64)
            ),
        };
        let frames = self.state.frame_times.mean().map_or(String::new(), |ms| format!(" · picture {ms:.0} ms"));
        format!("iteration {} · {overlaps} · {}{frames}", thousands(now.iteration), now.worker)
    }

    fn backend(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.label("backend").on_hover_text("What does the iterations.");
            let is_cpu = self.state.now.worker == "cpu";
            if ui.selectable_label(is_cpu, "processor").clicked() && !is_cpu {
                self.simulation.order(Order::Work(Where::Processor));
            }
            if let Some(gpu) = self.gpu.clone().filter(|gpu| gpu.adapter().is_able) {
                let name = gpu.adapter().name.clone();
                if ui.selectable_label(!is_cpu, "GPU").on_hover_text(name).clicked() && is_cpu {
                    self.simulation.order(Order::Work(Where::Gpu(gpu)));
                }
            }
        });
    }

    fn looks(&mut self, ui: &mut Ui) {
        egui::ComboBox::from_label("colour").selected_text(self.state.by.to_string()).show_ui(ui, |ui| {
            for by in [
                ColourBy::Collision,
                ColourBy::Type,
                ColourBy::Element,
                ColourBy::Chain,
                ColourBy::Residue,
                ColourBy::Molecule,
                ColourBy::Leaflet,
                ColourBy::Uniform,
            ] {
                ui.selectable_value(&mut self.state.by, by, by.to_string());
            }
        });
        ui.horizontal(|ui| {
            for (style, name) in [(Style::Soft, "soft"), (Style::Illustrative, "illustrative"), (Style::Plain, "plain")]
            {
                if ui.selectable_value(&mut self.state.style, style, name).changed() {
                    // Each style has a fog of its own; plain light has none.
                    self.state.cues.fog = steric_view::Look::of(style).fog;
                }
            }
        });
        self.cues(ui);
    }

    /// What helps to see depth.
    fn cues(&mut self, ui: &mut Ui) {
        let cues = &mut self.state.cues;
        let slide = |ui: &mut Ui, name: &str, value: &mut f64, most: f64, about: &str| {
            ui.horizontal(|ui| {
                let label = ui.label(name);
                let field = egui::DragValue::new(value).range(0.0..=most).speed(0.01 * most).max_decimals(3);
                ui.add(field).labelled_by(label.id).on_hover_text(about);
            });
        };
        slide(
            ui,
            "rocking",
            &mut cues.rocking,
            30.0,
            "Degrees that the view swings to each side; it waits while a hand moves.",
        );
        slide(ui, "fog", &mut cues.fog, 1.0, "How much of what is far vanishes.");
        slide(ui, "shadows", &mut cues.shadows, 1.0, "How dark shadows are.");
        ui.checkbox(&mut cues.is_stereo, "stereo").on_hover_text("A picture for each eye.");
        if cues.is_stereo {
            egui::ComboBox::from_label("kind").selected_text(cues.stereo.to_string()).show_ui(ui, |ui| {
                for kind in steric_view::Stereo::ALL {
                    ui.selectable_value(&mut cues.stereo, kind, kind.to_string());
                }
            });
            slide(ui, "eyes apart", &mut cues.eye_distance, 0.2, "As a part of how far away they look.");
        }
    }

    /// Whether everything can fit, and what to do if not.
    fn banner(&mut self, ui: &mut Ui) {
        let Some(opened) = self.state.now.opened.clone() else { return };
        let wrong: Vec<&Verdict> = opened.verdicts.iter().filter(|verdict| verdict.fit > Fit::Fits).collect();
        if wrong.is_empty() {
            return;
        }
        Panel::top("banner").show(ui, |ui| {
            for verdict in wrong {
                ui.horizontal_wrapped(|ui| {
                    ui.label(RichText::new("!").strong().color(ui.visuals().warn_fg_color));
                    ui.label(verdict.to_string());
                    if let Some(fixed) = crate::verdict::fixed(&opened.source, verdict, &self.state.now.options)
                        && ui
                            .button("Make room")
                            .on_hover_text("Changes the scene so that all fit, and builds it anew.")
                            .clicked()
                    {
                        self.open(fixed);
                    }
                });
            }
        });
    }

    fn open(&mut self, source: Source) {
        self.is_at_start = false;
        match source {
            Source::Dock(docked) => {
                let (folder, wake) = (self.settings.folder(), Arc::clone(&self.wake.0));
                self.enter(|opening| Box::new(DockWorld::open(docked, opening, folder, wake)));
            }
            Source::Diffuse(diffused) => {
                let wake = Arc::clone(&self.wake.0);
                self.enter(|opening| Box::new(DiffuseWorld::open(diffused, opening, wake)));
            }
            Source::Deform(deformed) => {
                let wake = Arc::clone(&self.wake.0);
                self.enter(|opening| Box::new(DeformWorld::open(deformed, opening, wake)));
            }
            Source::Animate(animated) => {
                let wake = Arc::clone(&self.wake.0);
                self.enter(|opening| Box::new(AnimateWorld::open(animated, opening, wake)));
            }
            source => {
                if self.world.now().is_some() {
                    self.world = Box::new(RelaxWorld::default());
                }
                self.simulation.order(Order::Open(source));
            }
        }
    }

    /// Goes to a world that moves its molecules itself; what was open is kept until that one is.
    fn enter(&mut self, world: impl FnOnce(u64) -> Box<dyn World>) {
        self.worlds += 1;
        // Other numbers than those of the simulation.
        let new = world(u64::MAX / 2 + self.worlds);
        self.world_before = Some(std::mem::replace(&mut self.world, new));
        self.simulation.order(Order::Pause);
    }

    /// What could not be opened leaves what was open before.
    fn settle_world(&mut self) {
        if let Some(is_open) = self.world.is_open()
            && let Some(before) = self.world_before.take()
            && !is_open
        {
            self.world = before;
        }
    }

    /// Docks a ligand into the model that is open.
    fn dock_into(&mut self, ligand: &std::path::Path) -> Result<(), String> {
        let opened = self.state.now.opened.clone().ok_or("expected a model to be open, found nothing")?;
        let receptor = match &opened.source {
            Source::Model { name, bytes } => (name.clone(), Arc::clone(bytes)),
            Source::Dock(DockSource::Files([receptor, _])) => receptor.clone(),
            source => return Err(format!("expected a model to dock into, found {}", source.name())),
        };
        let bytes = std::fs::read(ligand).map_err(|error| format!("{}: {error}", ligand.display()))?;
        let ligand = (ligand.display().to_string(), Arc::new(bytes));
        self.open(Source::Dock(DockSource::Files([receptor, ligand])));
        Ok(())
    }

    /// Files that were dropped on the window, or chosen in a browser.
    fn take_files(&mut self, ui: &Ui) {
        for (name, bytes) in self.arrivals.take(ui.ctx()) {
            match bytes {
                Ok(bytes) => {
                    let folder = PathBuf::from(&name).parent().map(PathBuf::from).unwrap_or_default();
                    match Source::of_bytes(&name, bytes, folder) {
                        Ok(source) => self.open(source),
                        Err(error) => self.state.say(format!("error: {error}")),
                    }
                }
                Err(error) => self.state.say(format!("error: {name}: {error}")),
            }
        }
    }

    /// Does what a command says.
    fn run(&mut self, command: Command, ui: &Ui) {
        let ctx = ui.ctx();
        if !self.is_at_start && self.world.run(command, &mut self.state) {
            return;
        }
        let aspect = f64::from(ctx.content_rect().aspect_ratio()).max(0.1);
        match command {
            Command::Open if platform::HAS_FOLDERS => self.asked = Some(files::Asked::new(files::Purpose::Open)),
            Command::Open => platform::choose(&self.arrivals, ctx),
            Command::Start => self.is_at_start = !self.is_at_start || self.state.now.opened.is_none(),
            Command::SaveModel => self.asked = Some(files::Asked::new(files::Purpose::Model)),
            Command::SavePreset => self.asked = Some(files::Asked::new(files::Purpose::Preset)),
            Command::SavePicture => self.asked = Some(files::Asked::new(files::Purpose::Picture)),
            Command::Film => match self.film.take() {
                Some(film) => self.end_film(film),
                None if platform::HAS_FOLDERS => self.asked = Some(files::Asked::new(files::Purpose::Film)),
                None => self.state.say(
                    "error: expected a program that writes films, found a browser; its own recorder of the screen can"
                        .to_owned(),
                ),
            },
            Command::SaveTable => self.asked = Some(files::Asked::new(files::Purpose::Table)),
            Command::Play => self.simulation.order(if self.state.now.plays { Order::Pause } else { Order::Play }),
            Command::Step => self.simulation.order(Order::Step),
            Command::Reset => self.simulation.order(Order::Reset),
            Command::Undo => self.simulation.order(Order::Undo),
            Command::Redo => self.simulation.order(Order::Redo),
            Command::From(side) => {
                if let Ok(side) = side.parse() {
                    self.viewport.look_from(&self.state, side, aspect);
                }
            }
            Command::Focus => {
                if let Some(&molecule) = self.state.selected.last() {
                    self.viewport.focus(&self.state, molecule);
                }
            }
            Command::Perspective => {
                self.viewport.camera.degrees = if self.viewport.camera.degrees > 0.0 { 0.0 } else { PERSPECTIVE };
            }
            Command::Hide => self.state.hide(true),
            Command::ShowAll => self.state.hide(false),
            Command::Pin => {
                let is_fixed = |id: &steric::model::MoleculeId| self.state.now.fixed.get(id.0 as usize) == Some(&true);
                let pins = !self.state.selected.iter().all(is_fixed);
                self.simulation.order(Order::Pin(self.state.selected.clone(), pins));
            }
            Command::Delete => self.simulation.order(Order::Delete(self.state.selected.clone())),
            Command::Tool(number) => {
                if let Some((tool, ..)) = Tool::ALL.get(number) {
                    self.state.tool = *tool;
                }
            }
            Command::Dock => self.asked = Some(files::Asked::new(files::Purpose::Ligand)),
            Command::Theme => self.settings.turn_theme(ctx),
            Command::Larger => self.settings.zoom(ctx, 1.1),
            Command::Smaller => self.settings.zoom(ctx, 1.0 / 1.1),
            Command::Palette => self.palette = Some(String::new()),
            Command::Tour => self.tour = Some(0),
        }
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.show(ui);
    }

    #[cfg(target_family = "wasm")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }

    fn on_exit(&mut self) {
        if let Some(film) = self.film.take() {
            self.end_film(film);
        }
        self.settings.close();
    }
}
