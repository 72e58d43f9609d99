//! Overlaps over time, and where the time goes.

use egui::Ui;
use egui_plot::{Legend, Line, Plot, PlotPoints};

use crate::state::State;

/// So many points are enough for a line.
const MOST_POINTS: usize = 600;

pub(super) fn show(ui: &mut Ui, state: &State) {
    let history = &state.history;
    let width = (ui.available_width() / 3.0 - 12.0).max(120.0);
    let height = ui.available_height().max(80.0) - 22.0;
    let every = history.len().div_ceil(MOST_POINTS).max(1);
    let first = (state.now.iteration as usize).saturating_sub(history.len());
    let line = |name: &str, of: &dyn Fn(usize) -> f64| {
        let points: PlotPoints<'_> =
            (0..history.len()).step_by(every).map(|at| [(first + at) as f64, of(at)]).collect();
        Line::new(name.to_owned(), points)
    };
    let plot = |name: &'static str| {
        Plot::new(name)
            .width(width)
            .height(height)
            .allow_scroll(false)
            .allow_drag(false)
            .allow_zoom(false)
            .show_x(true)
            .include_y(0.0)
            .set_margin_fraction(egui::Vec2::new(0.02, 0.1))
    };
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.label("overlapping molecules").on_hover_text("Molecules that overlap another one, by iteration.");
            plot("overlaps").show(ui, |plot| plot.line(line("molecules", &|at| f64::from(history[at].overlapping))));
        });
        ui.vertical(|ui| {
            ui.label("deepest overlap (Å)").on_hover_text("How deep the deepest overlap is, by iteration.");
            plot("deepest").show(ui, |plot| plot.line(line("Å", &|at| history[at].deepest)));
        });
        ui.vertical(|ui| {
            ui.label("milliseconds an iteration")
                .on_hover_text("Searching near pairs, visiting contacts, moving. A GPU tells only the whole.");
            plot("milliseconds").legend(Legend::default()).show(ui, |plot| {
                for (stage, name) in ["search", "visit", "move"].into_iter().enumerate() {
                    plot.line(line(name, &|at| history[at].milliseconds[stage]));
                }
            });
        });
    });
}
