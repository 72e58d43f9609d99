//! What a bake has found: overlaps before and after, frame by frame.

use egui::{Color32, Ui};
use egui_plot::{Legend, Line, Plot, PlotPoints, VLine};
use steric::world::animate::{Corrected, Corrections};

/// Overlaps of the motion alone, and with corrections: the colours of molecules that touch and of free ones.
const BEFORE: Color32 = Color32::from_rgb(213, 94, 0);
const AFTER: Color32 = Color32::from_rgb(0, 158, 115);

/// The name of a line, its colour, and its value in a frame.
type Curve<'a> = (&'a str, Color32, &'a dyn Fn(&Corrected) -> f64);

pub(super) fn show(ui: &mut Ui, report: Option<&Corrections>, time: f64) {
    let Some(corrections) = report else {
        ui.label("Bake this clip, and overlaps before and after are shown here for each frame.");
        return;
    };
    let width = (ui.available_width() / 3.0 - 12.0).max(160.0);
    // Below the title, and above a bar to scroll with.
    let height = ui.available_height().max(80.0) - 36.0;
    let chart = |ui: &mut Ui, (title, about): (&str, &str), lines: &[Curve<'_>]| {
        ui.vertical(|ui| {
            ui.set_max_width(width);
            // A title of two lines would let the panel grow.
            ui.add(egui::Label::new(title).truncate()).on_hover_text(about);
            let plot = Plot::new(title).width(width).height(height).legend(Legend::default()).include_y(0.0);
            let plot = plot.allow_scroll(false).allow_drag(false).allow_zoom(false);
            plot.set_margin_fraction(egui::Vec2::new(0.02, 0.1)).show(ui, |plot| {
                for (name, colour, of) in lines {
                    let points: PlotPoints<'_> = corrections.report.iter().map(|at| [at.time, of(at)]).collect();
                    plot.line(Line::new(*name, points).color(*colour));
                }
                plot.vline(VLine::new("now", time));
            });
        });
    };
    egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| {
        ui.horizontal(|ui| {
            let pairs = ("overlapping pairs by time (s)", "Pairs of atoms that overlap by more than is allowed.");
            chart(
                ui,
                pairs,
                &[("before", BEFORE, &|at| at.before.pairs as f64), ("after", AFTER, &|at| at.after.pairs as f64)],
            );
            let deepest =
                ("deepest overlap (Å)", "Of a pair that overlaps by more than is allowed; 0 if there is none.");
            chart(
                ui,
                deepest,
                &[
                    ("before", BEFORE, &|at| f64::from(at.before.deepest)),
                    ("after", AFTER, &|at| f64::from(at.after.deepest)),
                ],
            );
            let farthest = ("farthest correction (Å)", "How far the atom was moved that was moved the most.");
            chart(ui, farthest, &[("Å", AFTER, &|at| f64::from(at.farthest))]);
        });
    });
}
