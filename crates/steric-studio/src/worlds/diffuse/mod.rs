//! The diffuse world: particles in Brownian motion that never pass through each other.
//!
//! How it works: a thread of its own goes from step to step ([`Running`]); what it has come to is looked at once a frame, and shown. Particles keep their numbers while molecules of the
//! window are counted anew whenever some come or go, so what is chosen is remembered by the numbers of particles.

mod charts;
mod panels;

use std::path::Path;

use egui::Ui;
use steric::model::MoleculeId;
use steric_view::{Camera, ColourBy, Side};

use super::{World, Written};
use crate::commands::Command;
use crate::files::Purpose;
use crate::platform;
use crate::simulation::{DiffuseOrder, DiffuseSource, Diffused, News, Now, Running, Simulation, Wake};
use crate::state::State;
use crate::viewport::Tool;

/// A plane is looked at from a little beside its top, so that one sees which way it lies.
const ABOVE: Side = Side { turn: 0.0, lift: 75.0 };
/// And from nearer than a ball around it would be.
const NEARER: f64 = 1.3;

/// Particles in motion.
#[derive(Debug)]
pub(crate) struct DiffuseWorld {
    source: DiffuseSource,
    opening: u64,
    running: Running,
    seen: Diffused,
    is_open: Option<bool>,
    /// Whether the window was told of it.
    is_taken: bool,
    /// Steps for a picture; 0 for as many as it can.
    speed: u32,
    flashes: bool,
    /// Particles that are chosen, by their numbers, and the edition in which they were.
    chosen: (u64, Vec<u32>),
    watched: Option<u32>,
    /// Frames in which the view is still put where one sees a plane.
    fresh: u8,
}

impl DiffuseWorld {
    /// Reads a scene beside the window.
    pub(crate) fn open(source: DiffuseSource, opening: u64, wake: Wake) -> Self {
        Self {
            running: Running::open(source.clone(), opening, wake),
            source,
            opening,
            seen: Diffused::default(),
            is_open: None,
            is_taken: false,
            speed: 1,
            flashes: true,
            chosen: (0, Vec::new()),
            watched: None,
            fresh: 3,
        }
    }

    /// Looks at what there is now.
    fn look(&mut self, state: &mut State) {
        self.running.work_here();
        let (seen, log, is_open) = self.running.look();
        (self.seen, self.is_open) = (seen, is_open);
        // In this frame, as there may be no other for a while.
        state.take(self.shown(), News::default());
        log.into_iter().for_each(|line| state.say(line));
        if self.is_open == Some(true) && !self.is_taken {
            self.is_taken = true;
            // What hands do is for molecules that push each other.
            (state.by, state.tool) = (ColourBy::Type, Tool::Look);
        }
    }

    /// For the picture.
    fn shown(&self) -> Now {
        let busy = self.is_open.is_none().then(|| format!("placing the particles of {}", self.source.name));
        Now { opening: self.opening, busy, ..self.seen.now.clone() }
    }

    /// What is chosen stays so when molecules are counted anew; the box cannot be.
    fn keep_chosen(&mut self, state: &mut State) {
        let particles = &self.seen.particles;
        if self.chosen.0 == state.now.edition {
            state.selected.retain(|MoleculeId(id)| (*id as usize) < particles.len());
            self.chosen.1 = state.selected.iter().map(|id| particles[id.0 as usize].number).collect();
        } else {
            let place = |number: &u32| particles.binary_search_by_key(number, |placed| placed.number).ok();
            let there = self.chosen.1.iter().filter_map(place);
            state.selected = there.map(|at| MoleculeId(at as u32)).collect();
            self.chosen.0 = state.now.edition;
        }
        let watched = self.chosen.1.last().copied();
        if watched != self.watched {
            self.watched = watched;
            self.running.order(DiffuseOrder::Watch(watched));
        }
    }

    /// Looks down at a plane.
    fn look_at_plane(&mut self, ui: &Ui, state: &State, camera: &mut Camera) {
        if self.fresh == 0 || !self.is_taken || state.now.opening != self.opening {
            return;
        }
        self.fresh -= 1;
        let is_plane = self.seen.setup.as_ref().is_some_and(|setup| setup.dimensions == 2);
        if let (Some(opened), true) = (&self.seen.now.opened, is_plane) {
            let aspect = f64::from(ui.ctx().content_rect().aspect_ratio()).max(0.1);
            let whole = Camera { degrees: camera.degrees, ..Camera::of(&opened.scene, ABOVE, aspect) };
            *camera = whole.nearer(NEARER);
        }
    }

    /// The scene file with the numbers as they are now.
    fn file(&self) -> Result<String, String> {
        let Some(setup) = &self.seen.setup else { return Ok(self.source.text.clone()) };
        let options = &setup.options;
        let file = self
            .source
            .with("seed", &options.seed.to_string())
            .with("response", &format!("{:?}", options.response.word()))
            .with("strategy", &format!("{:?}", options.strategy.word()));
        file.scene().map(|_| file.text)
    }
}

impl World for DiffuseWorld {
    fn scene(&mut self, ui: &mut Ui, _state: &mut State, _simulation: &Simulation) {
        self.show_scene(ui);
    }

    fn physics(&mut self, ui: &mut Ui, _state: &mut State, _simulation: &Simulation) {
        self.show_physics(ui);
    }

    fn charts(&mut self, ui: &mut Ui, _state: &State) {
        charts::show(ui, &self.seen);
    }

    fn selection(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_selection(ui, state);
    }

    fn preset(&self, _state: &State) -> Option<Result<String, String>> {
        Some(self.file())
    }

    fn now(&self) -> Option<Now> {
        Some(self.shown())
    }

    fn frame(&mut self, ui: &Ui, state: &mut State, camera: &mut Camera) {
        self.look(state);
        self.keep_chosen(state);
        self.look_at_plane(ui, state, camera);
    }

    fn bar(&mut self, ui: &mut Ui, state: &mut State, _camera: &mut Camera) -> bool {
        self.show_bar(ui, state);
        true
    }

    fn run(&mut self, command: Command, _state: &mut State) -> bool {
        match command {
            Command::Play => self.running.order(DiffuseOrder::Play(!self.seen.now.plays)),
            Command::Step => self.running.order(DiffuseOrder::Step),
            Command::Reset => self.running.order(DiffuseOrder::Restart(None)),
            // What is meant for molecules that push each other.
            Command::Undo | Command::Redo | Command::Tool(_) | Command::Pin | Command::Delete => {}
            _ => return false,
        }
        true
    }

    fn use_file(&mut self, purpose: Purpose, path: &Path, _state: &mut State) -> Option<Result<Written, String>> {
        match purpose {
            Purpose::Model => {
                self.running.order(DiffuseOrder::Save(path.to_owned()));
                Some(Ok(Written::Later))
            }
            Purpose::Table => {
                let species = self.seen.setup.iter().flat_map(|setup| &setup.species);
                let names: Vec<String> = species.map(|species| species.name.clone()).collect();
                let text = self.seen.history.series.to_csv(&names);
                Some(platform::save(path, text.as_bytes()).map(|()| Written::Now))
            }
            _ => None,
        }
    }

    fn is_open(&self) -> Option<bool> {
        self.is_open
    }

    fn diffused(&self) -> Option<&Diffused> {
        (self.is_open == Some(true)).then_some(&self.seen)
    }
}
