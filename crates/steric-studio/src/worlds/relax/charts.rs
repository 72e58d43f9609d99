//! Overlaps over time, and where the time goes.

use egui::Ui;
use egui_plot::{Legend, Line, Plot, PlotPoints};

use crate::state::State;

/// So many points are enough for a line.
const MOST_POINTS: usize = 600;

pub(super) fn show(ui: &mut Ui, state: &State) {
    let history = &state.history;
    let width = (ui.available_width() / 4.0 - 12.0).max(120.0);
    // Below the title, and above a bar to scroll with.
    let height = ui.available_height().max(80.0) - 36.0;
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
    let column = |ui: &mut Ui, title: &str, about: &str, chart: &dyn Fn(&mut Ui)| {
        ui.vertical(|ui| {
            ui.set_max_width(width);
            // A title of two lines would let the panel grow.
            ui.add(egui::Label::new(title).truncate()).on_hover_text(about);
            chart(ui);
        });
    };
    egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| {
        ui.horizontal(|ui| {
            column(ui, "overlapping molecules", "Molecules that overlap another one, by iteration.", &|ui| {
                plot("overlaps")
                    .show(ui, |plot| plot.line(line("molecules", &|at| f64::from(history[at].overlapping))));
            });
            column(ui, "deepest overlap (Å)", "How deep the deepest overlap is, by iteration.", &|ui| {
                plot("deepest").show(ui, |plot| plot.line(line("Å", &|at| history[at].deepest)));
            });
            let about = "Searching near pairs, visiting contacts, moving. A GPU tells only the whole.";
            column(ui, "milliseconds an iteration", about, &|ui| {
                plot("milliseconds").legend(Legend::default()).show(ui, |plot| {
                    for (stage, name) in ["search", "visit", "move"].into_iter().enumerate() {
                        plot.line(line(name, &|at| history[at].milliseconds[stage]));
                    }
                });
            });
            let about = "One over the time that each of the last pictures took.";
            column(ui, "pictures a second", about, &|ui| {
                let last = state.frame_times.iter().enumerate();
                let last: PlotPoints<'_> = last.map(|(at, ms)| [at as f64, 1e3 / ms.max(0.1)]).collect();
                plot("frames").show(ui, |plot| plot.line(Line::new("pictures", last)));
            });
        });
    });
}
