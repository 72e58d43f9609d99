//! Atoms that a motion presses into each other: shown as they are, held apart for the moment, or for the whole clip.

use std::sync::Arc;

use egui::{DragValue, ProgressBar, RichText, Ui};
use steric::world::animate::Corrections;
use steric::world::report::words::thousands;

use super::AnimateWorld;
use crate::simulation::{Done, Job};
use crate::state::State;

/// What is done about atoms that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Collisions {
    Off,
    Preview,
    Baked,
}

impl AnimateWorld {
    /// Corrections for the clip that is played, as it is played.
    pub(super) fn report(&self) -> Option<&Corrections> {
        self.puppet.corrections_for(self.looks.clip, self.looks.manner)
    }

    /// Begins to hold atoms apart over the whole clip, beside the window.
    fn begin_bake(&mut self) {
        let (untangler, wake) = (Arc::clone(&self.untangler), Arc::clone(&self.wake.0));
        self.job = Some(Job::bake(&self.puppet, untangler, self.moment(), self.bake, wake));
    }

    /// Takes what a job has made.
    pub(super) fn take_job(&mut self, state: &mut State) {
        let Some(done) = self.job.as_ref().and_then(Job::take) else { return };
        let Some(job) = self.job.take().filter(|job| Arc::ptr_eq(&job.puppet, &self.puppet)) else { return };
        match done {
            Done::Baked(corrections) => {
                state.say(format!("baked {} frames: {}", corrections.times.len(), verdict(&corrections)));
                let mut puppet = (*self.puppet).clone();
                puppet.correct(*corrections);
                self.puppet = Arc::new(puppet);
                self.collisions = Collisions::Baked;
            }
            Done::Levels(puppet) => self.puppet = Arc::new(*puppet),
            // It was said when nobody wanted it any more.
            Done::Cancelled => {}
            Done::Broken => state.say(format!("error: expected {} to end, found that it broke off", job.words)),
        }
    }

    pub(super) fn show_collisions(&mut self, ui: &mut Ui, state: &mut State) {
        ui.label("collisions").on_hover_text("What is done about atoms that the motion presses into each other.");
        ui.horizontal(|ui| {
            for (choice, name, about) in [
                (Collisions::Off, "off", "The motion alone."),
                (
                    Collisions::Preview,
                    "preview",
                    "Atoms are held apart for this moment alone, as far as 40 iterations go.",
                ),
                (Collisions::Baked, "baked", "Atoms are held apart as they were baked for the whole clip."),
            ] {
                ui.selectable_value(&mut self.collisions, choice, name).on_hover_text(about);
            }
        });
        egui::Grid::new("bake").num_columns(2).show(ui, |ui| {
            let label = ui.label("allowed");
            let limit = DragValue::new(&mut self.bake.limit).speed(0.01).range(0.0..=2.0).suffix(" Å");
            ui.add(limit).labelled_by(label.id).on_hover_text("Overlap that is left alone.");
            ui.end_row();
            let label = ui.label("frames");
            let frames = DragValue::new(&mut self.bake.frames).range(2..=10_000);
            let about = "Times over the whole clip at which atoms are held apart; its own keys come on top.";
            ui.add(frames).labelled_by(label.id).on_hover_text(about);
            ui.end_row();
            let label = ui.label("iterations");
            let iterations = DragValue::new(&mut self.bake.iterations).range(1..=100_000);
            ui.add(iterations).labelled_by(label.id).on_hover_text("At each of these times, at most.");
            ui.end_row();
        });
        self.show_job(ui, state);
        let Some(report) = self.report() else {
            if self.collisions == Collisions::Baked && self.job.is_none() {
                ui.label(RichText::new("not baked yet for this clip, level and blend").weak());
            }
            return;
        };
        let most = report.report.iter().map(|at| at.before.pairs).max().unwrap_or(0);
        let deepest = report.report.iter().fold(0.0f32, |deepest, at| deepest.max(at.before.deepest));
        let farthest = report.report.iter().fold(0.0f32, |far, at| far.max(at.farthest));
        ui.label(format!("before: up to {} pairs, {deepest:.2} Å deep", thousands(most)));
        ui.label(format!("after: {}", verdict(report)));
        ui.label(format!("moved by {farthest:.2} Å at most"));
    }

    /// The button, or how far it is.
    fn show_job(&mut self, ui: &mut Ui, state: &mut State) {
        let Some(job) = &self.job else {
            let about = "Holds atoms apart over the whole clip, at this level and with this blend.";
            let can = self.duration() > 0.0;
            if ui.add_enabled(can, egui::Button::new("Bake")).on_hover_text(about).clicked() {
                self.begin_bake();
            }
            return;
        };
        let is_cancelled = ui.horizontal(|ui| {
            // First, so that it stays where it is when there is a bar.
            let cancel = ui.button("Cancel").on_hover_text("What was done so far is dropped.");
            match job.share() {
                Some([done, of]) => {
                    let share = done as f32 / of.max(1) as f32;
                    ui.add(ProgressBar::new(share).desired_width(130.0).text(format!("{done} of {of}")));
                }
                None => {
                    ui.spinner();
                    ui.label(format!("{} …", job.words));
                }
            }
            cancel.clicked()
        });
        if is_cancelled.inner {
            state.say(format!("cancelled {}", job.words));
            self.job = None;
        }
    }
}

/// What is left, in words.
fn verdict(corrections: &Corrections) -> String {
    if corrections.is_clean() {
        return format!("no overlap deeper than {:.2} Å", corrections.limit);
    }
    let left = corrections.report.iter().filter(|at| at.after.pairs > 0).count();
    let of = corrections.report.len();
    format!("overlaps in {left} of {of} frames, {:.2} Å deep at most", corrections.deepest_left())
}
