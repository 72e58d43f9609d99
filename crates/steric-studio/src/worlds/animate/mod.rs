//! The animate world: a molecule on a skeleton is played, at any level, and its bones are turned by hand.
//!
//! How it works: the window has the clock and everything that can be chosen. From that it makes a [`View`], and a thread of its own ([`AnimateRunning`]) places the molecules
//! for the newest one. A hand turns a bone as a key that is not in the clip yet; *Add key* puts it there. Whatever changes clips keeps those from before, so that it can
//! be undone.

mod bones;
mod charts;
mod clock;
mod collisions;
mod edits;
mod panels;
mod save;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use egui::{Key, Modifiers, Painter, Pos2, Ui};
use glam::DVec3;
use steric::model::{Clip, MoleculeId};
use steric::world::animate::{BakeOptions, Level, Manner, Moment, Puppet, Untangler};
use steric_view::{Camera, ColourBy};

use super::{Grip, World, Written};
use crate::commands::Command;
use crate::files::Purpose;
use crate::simulation::{
    AnimateRunning, AnimateSource, Animated, Job, News, Now, Simulation, View, Wake, WakeUp, Wanted,
};
use crate::state::State;
use crate::viewport::Tool;
use bones::Hand;
use clock::Clock;
use collisions::Collisions;

/// Iterations of a preview: enough for what touches lightly, and as many as there is time for in a frame.
const PREVIEW: u32 = 40;

/// What can be chosen about what is seen.
#[derive(Clone, Debug)]
struct Looks {
    clip: usize,
    manner: Manner,
    overlay: Option<Level>,
    skeleton: bool,
    chains: bool,
    /// How much of an atom hides what is behind it while bones are drawn.
    opacity: f32,
    /// The distance level; by the size of the picture if there is none.
    distance: Option<usize>,
    /// Pixels that a sphere is wide, at least.
    least: f64,
}

impl Default for Looks {
    fn default() -> Self {
        Self {
            clip: 0,
            manner: Manner::default(),
            overlay: None,
            skeleton: false,
            chains: false,
            opacity: 0.4,
            distance: None,
            least: 2.0,
        }
    }
}

/// A molecule on a skeleton.
#[derive(Debug)]
pub(crate) struct AnimateWorld {
    source: AnimateSource,
    opening: u64,
    wake: WakeUp,
    running: AnimateRunning,
    seen: Animated,
    is_open: Option<bool>,
    /// Whether the window was told of it.
    is_taken: bool,
    puppet: Arc<Puppet>,
    untangler: Arc<OnceLock<Untangler>>,
    clock: Clock,
    looks: Looks,
    collisions: Collisions,
    bake: BakeOptions,
    job: Option<Job>,
    hand: Hand,
    /// Clips before each change, and after each that was undone.
    past: [Vec<Vec<Clip>>; 2],
    /// How many atoms super-atoms stand for, as it is being written.
    atoms_each: Vec<f32>,
    pixels_per_angstrom: f64,
    /// The middle of the atoms.
    middle: DVec3,
    sent: Option<Wanted>,
}

impl AnimateWorld {
    /// Places the molecules beside the window.
    pub(crate) fn open(source: AnimateSource, opening: u64, wake: Wake) -> Self {
        let puppet = Arc::clone(&source.puppet);
        let places = &puppet.structure().atoms.positions;
        let manner = puppet.manner();
        let is_corrected = puppet.corrections_for(0, manner).is_some();
        let middle = places.iter().map(|place| place.as_dvec3()).sum::<DVec3>() / places.len().max(1) as f64;
        let mut world = Self {
            running: AnimateRunning::open(source.clone(), opening, Arc::clone(&wake)),
            source,
            opening,
            wake: WakeUp(wake),
            seen: Animated::default(),
            is_open: None,
            is_taken: false,
            atoms_each: puppet.options().atoms_each.clone(),
            puppet,
            untangler: Arc::default(),
            clock: Clock::default(),
            looks: Looks { manner, ..Looks::default() },
            collisions: if is_corrected { Collisions::Baked } else { Collisions::Off },
            bake: BakeOptions::default(),
            job: None,
            hand: Hand::default(),
            past: Default::default(),
            // As if one were very near, until it is known.
            pixels_per_angstrom: f64::INFINITY,
            middle,
            sent: None,
        };
        world.wish();
        world
    }

    fn moment(&self) -> Moment {
        let collide = self.collisions == Collisions::Baked;
        Moment { time: self.clock.time, collide, ..Moment::of(self.looks.clip, self.looks.manner) }
    }

    fn duration(&self) -> f64 {
        self.puppet.duration(self.looks.clip)
    }

    fn key_times(&self) -> Vec<f64> {
        self.puppet.key_times(self.looks.clip)
    }

    /// Asks for what is to be seen, if it would differ.
    fn wish(&mut self) {
        let looks = &self.looks;
        let level = looks.manner.level;
        let most = self.puppet.super_atoms(level).len();
        let automatic = || self.puppet.distance_level(level, self.pixels_per_angstrom, looks.least);
        let view = View {
            moment: self.moment(),
            distance: looks.distance.unwrap_or_else(automatic).min(most),
            overlay: looks.overlay.filter(|overlay| *overlay != level),
            skeleton: looks.skeleton,
            chains: looks.chains,
            opacity: if looks.skeleton || looks.chains { looks.opacity } else { 1.0 },
            preview: (self.collisions == Collisions::Preview)
                .then_some(BakeOptions { iterations: PREVIEW, ..self.bake }),
            chosen: self.hand.chosen,
            draft: self.hand.draft.as_ref().map(|draft| (draft.joint, draft.rotation)),
        };
        let (puppet, untangler) = (Arc::clone(&self.puppet), Arc::clone(&self.untangler));
        let wanted = Wanted { puppet, untangler, view };
        if self.sent.as_ref().is_none_or(|sent| !sent.is_like(&wanted)) {
            self.running.wish(wanted.clone());
            self.sent = Some(wanted);
        }
    }

    /// Looks at what there is now.
    fn look(&mut self, state: &mut State) {
        self.running.work_here();
        let (seen, log, is_open) = self.running.look();
        (self.seen, self.is_open) = (Animated { puppet: Some(Arc::clone(&self.puppet)), ..seen }, is_open);
        self.seen.now = self.shown();
        // In this frame, as there may be no other for a while.
        state.take(self.seen.now.clone(), News::default());
        log.into_iter().for_each(|line| state.say(line));
        if self.is_open == Some(true) && !self.is_taken {
            self.is_taken = true;
            // What hands do is for molecules that push each other.
            (state.by, state.tool) = (ColourBy::Chain, Tool::Look);
        }
        // Neither beads nor what lies over a level can be chosen.
        state.selected.retain(|MoleculeId(id)| (*id as usize) < self.seen.molecules);
    }

    /// For the picture.
    fn shown(&self) -> Now {
        let busy = self.is_open.is_none().then(|| format!("placing the atoms of {}", self.source.name));
        let can_undo = [0, 1].map(|way| !self.past[way].is_empty());
        Now { opening: self.opening, plays: self.clock.plays, busy, can_undo, ..self.seen.now.clone() }
    }
}

impl World for AnimateWorld {
    fn scene(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_scene(ui, state);
    }

    fn physics(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_collisions(ui, state);
    }

    fn charts(&mut self, ui: &mut Ui, _state: &State) {
        charts::show(ui, self.report(), self.clock.time);
    }

    fn selection(&mut self, ui: &mut Ui, state: &mut State, _simulation: &Simulation) {
        self.show_selection(ui, state);
    }

    fn preset(&self, _state: &State) -> Option<Result<String, String>> {
        None
    }

    fn now(&self) -> Option<Now> {
        Some(self.shown())
    }

    fn frame(&mut self, ui: &Ui, state: &mut State, _camera: &mut Camera) {
        if !ui.ctx().text_edit_focused() && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Comma)) {
            self.clock.previous_key(&self.key_times());
        }
        self.take_job(state);
        self.clock.tick(self.duration());
        if self.clock.plays {
            ui.ctx().request_repaint();
        }
        self.let_go_if_elsewhere();
        self.wish();
        self.look(state);
    }

    /// The last of a frame: what panels have changed is asked for, too.
    fn steer(&mut self, grip: &mut Grip<'_>, _state: &mut State) -> bool {
        let per_pixel = (grip.angstroms_per_point)(self.middle) / f64::from(grip.ui.ctx().pixels_per_point());
        self.pixels_per_angstrom = 1.0 / per_pixel.max(1e-9);
        let is_ours = self.grip(grip);
        self.let_go_if_elsewhere();
        self.wish();
        is_ours
    }

    fn draw_over(&self, painter: &Painter, point_of: &dyn Fn(DVec3) -> Option<Pos2>) {
        self.draw_bones(painter, point_of);
    }

    fn bar(&mut self, ui: &mut Ui, state: &mut State, _camera: &mut Camera) -> bool {
        self.show_bar(ui, state);
        true
    }

    fn run(&mut self, command: Command, state: &mut State) -> bool {
        match command {
            Command::Play => self.clock.toggle(self.duration()),
            Command::Step => self.clock.next_key(&self.key_times()),
            Command::Reset => self.clock.stand(0.0),
            Command::Undo => self.undo(state),
            Command::Redo => self.redo(state),
            Command::SaveModel => state.wants = Some(Purpose::Puppet),
            // What is meant for molecules that push each other.
            Command::Tool(_) | Command::Pin | Command::Delete => {}
            _ => return false,
        }
        true
    }

    fn use_file(&mut self, purpose: Purpose, path: &Path, _state: &mut State) -> Option<Result<Written, String>> {
        let written = match purpose {
            Purpose::Puppet => save::save(&self.puppet, &self.moment(), path),
            Purpose::Table => save::save_table(self.report(), path),
            _ => return None,
        };
        Some(written.map(|()| Written::Now))
    }

    fn is_open(&self) -> Option<bool> {
        self.is_open
    }

    fn animated(&self) -> Option<&Animated> {
        (self.is_open == Some(true)).then_some(&self.seen)
    }
}
