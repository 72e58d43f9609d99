//! The deform world: soft bodies that press on each other.
//!
//! How it works: a thread of its own goes from step to step ([`DeformRunning`]); what it has come to is looked at once a frame, and shown. A body is drawn as many beads, so that whoever clicks on one
//! of them chooses all.

mod charts;
mod panels;

use std::path::Path;

use egui::Ui;
use steric::model::MoleculeId;
use steric_view::{Camera, ColourBy};

use super::{World, Written};
use crate::commands::Command;
use crate::files::Purpose;
use crate::platform;
use crate::simulation::{
    DeformOrder, DeformRunning, DeformSource, Deformed, News, Now, Numbers, SeenBody, Simulation, Wake,
};
use crate::state::State;
use crate::viewport::Tool;

/// Soft bodies.
#[derive(Debug)]
pub(crate) struct DeformWorld {
    source: DeformSource,
    opening: u64,
    running: DeformRunning,
    seen: Deformed,
    is_open: Option<bool>,
    /// The numbers of the file, once it is open; and those that the panel shows.
    numbers: Option<[Numbers; 2]>,
    /// Steps for a picture; 0 for as many as it can.
    speed: u32,
    /// Bodies that are chosen.
    chosen: Vec<usize>,
}

impl DeformWorld {
    /// Reads a scene beside the window.
    pub(crate) fn open(source: DeformSource, opening: u64, wake: Wake) -> Self {
        Self {
            running: DeformRunning::open(source.clone(), opening, wake),
            source,
            opening,
            seen: Deformed::default(),
            is_open: None,
            numbers: None,
            speed: 1,
            chosen: Vec::new(),
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
        if self.is_open == Some(true) && self.numbers.is_none() {
            self.numbers = self.seen.numbers.map(|numbers| [numbers; 2]);
            // What hands do is for molecules that push each other.
            (state.by, state.tool) = (ColourBy::Type, Tool::Look);
        }
    }

    /// For the picture.
    fn shown(&self) -> Now {
        let busy = self.is_open.is_none().then(|| format!("placing the bodies of {}", self.source.name));
        Now { opening: self.opening, busy, ..self.seen.now.clone() }
    }

    /// Whoever has a bead of a body has all of it; a second click lets it go.
    fn keep_chosen(&mut self, state: &mut State) {
        let bodies = &self.seen.bodies;
        let mut counts = vec![0; bodies.len()];
        state.selected.iter().filter_map(|id| body_of(bodies, *id)).for_each(|body| counts[body] += 1);
        let is_chosen = |body: &usize| match self.chosen.contains(body) {
            true => counts[*body] == bodies[*body].beads.len(),
            false => counts[*body] > 0,
        };
        self.chosen = (0..bodies.len()).filter(is_chosen).collect();
        let beads: usize = self.chosen.iter().map(|&body| bodies[body].beads.len()).sum();
        if beads != state.selected.len() {
            let all = self.chosen.iter().flat_map(|&body| bodies[body].beads.clone());
            state.selected = all.map(|bead| MoleculeId(bead as u32)).collect();
        }
    }

    /// Other numbers from now on.
    fn set(&mut self, numbers: Numbers) {
        if let Some([_, own]) = &mut self.numbers
            && *own != numbers
        {
            *own = numbers;
            self.running.order(DeformOrder::Set(numbers));
        }
    }

    /// The scene file with the numbers as they are now; what was not changed stays as it was written.
    fn file(&self) -> Result<String, String> {
        let Some([before, now]) = self.numbers else { return Ok(self.source.text.clone()) };
        let mut file = self.source.clone();
        if now.gravity != before.gravity {
            file = file.with("gravity", &format!("{:?}", now.gravity.to_array()));
        }
        if now.response != before.response {
            file = file.with_contact("response", &format!("{:?}", panels::word(now.response)));
        }
        let numbers = [
            ("friction", before.friction, now.friction),
            ("stiffness", before.stiffness, now.stiffness),
            ("margin", before.margin, now.margin),
        ];
        for (key, _, value) in numbers.into_iter().filter(|(_, before, now)| before != now) {
            file = file.with_contact(key, &format!("{value:?}"));
        }
        file.scene().map(|_| file.text)
    }
}

/// The body that a bead belongs to; the floor belongs to none.
fn body_of(bodies: &[SeenBody], MoleculeId(bead): MoleculeId) -> Option<usize> {
    let body = bodies.partition_point(|body| body.beads.end <= bead as usize);
    (body < bodies.len()).then_some(body)
}

impl World for DeformWorld {
    fn scene(&mut self, ui: &mut Ui, _state: &mut State, _simulation: &Simulation) {
        self.show_scene(ui);
    }

    fn physics(&mut self, ui: &mut Ui, _state: &mut State, _simulation: &Simulation) {
        self.show_physics(ui);
    }

    fn charts(&mut self, ui: &mut Ui, _state: &State) {
        charts::show(ui, &self.seen.history);
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

    fn frame(&mut self, _ui: &Ui, state: &mut State, _camera: &mut Camera) {
        self.look(state);
        self.keep_chosen(state);
    }

    fn bar(&mut self, ui: &mut Ui, state: &mut State, _camera: &mut Camera) -> bool {
        self.show_bar(ui, state);
        true
    }

    fn run(&mut self, command: Command, _state: &mut State) -> bool {
        match command {
            Command::Play => self.running.order(DeformOrder::Play(!self.seen.now.plays)),
            Command::Step => self.running.order(DeformOrder::Step),
            Command::Reset => self.running.order(DeformOrder::Restart),
            // What is meant for molecules that push each other.
            Command::Undo | Command::Redo | Command::Tool(_) | Command::Pin | Command::Delete => {}
            _ => return false,
        }
        true
    }

    fn use_file(&mut self, purpose: Purpose, path: &Path, _state: &mut State) -> Option<Result<Written, String>> {
        match purpose {
            Purpose::Model => {
                self.running.order(DeformOrder::Save(path.to_owned()));
                Some(Ok(Written::Later))
            }
            Purpose::Table => {
                let text = self.seen.history.to_csv();
                Some(platform::save(path, text.as_bytes()).map(|()| Written::Now))
            }
            _ => None,
        }
    }

    fn is_open(&self) -> Option<bool> {
        self.is_open
    }

    fn deformed(&self) -> Option<&Deformed> {
        (self.is_open == Some(true)).then_some(&self.seen)
    }
}
