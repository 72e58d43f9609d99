//! What happens over time: contacts, energy of motion, and how long steps take.

use egui::Ui;
use egui_plot::{Legend, Line, Plot, PlotPoints};

use crate::simulation::SoftHistory;

/// So many points are enough for a line.
const MOST_POINTS: usize = 400;

/// A title, what it means, and lines with their names.
type Chart<'a> = (&'static str, &'static str, Vec<(&'static str, &'a [f64])>);

pub(super) fn show(ui: &mut Ui, history: &SoftHistory) {
    let charts: [Chart<'_>; 3] = [
        ("contacts", "In the system of each step.", vec![("contacts", &history.contacts)]),
        ("kinetic energy (J)", "After each step.", vec![("kinetic", &history.kinetic)]),
        (
            "a step (ms)",
            "What the search for collisions takes, and the rest of the step.",
            vec![("detection", &history.detect), ("solve", &history.solve)],
        ),
    ];
    let width = (ui.available_width() / charts.len() as f32 - 12.0).max(120.0);
    // Below the title, and above a bar to scroll with.
    let height = ui.available_height().max(80.0) - 36.0;
    egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| {
        ui.horizontal(|ui| charts.iter().for_each(|chart| column(ui, [width, height], &history.times, chart)));
    });
}

fn column(ui: &mut Ui, [width, height]: [f32; 2], times: &[f64], (title, about, lines): &Chart<'_>) {
    let every = times.len().div_ceil(MOST_POINTS).max(1);
    let line = |(name, values): &(&'static str, &[f64])| {
        let points = times.iter().zip(*values).step_by(every).map(|(time, value)| [*time, *value]);
        Line::new(*name, points.collect::<PlotPoints<'_>>())
    };
    ui.vertical(|ui| {
        ui.set_max_width(width);
        // A title of two lines would let the panel grow.
        ui.add(egui::Label::new(*title).truncate()).on_hover_text(*about);
        let mut plot = Plot::new(*title)
            .width(width)
            .height(height)
            .allow_scroll(false)
            .allow_drag(false)
            .allow_zoom(false)
            .include_y(0.0)
            .set_margin_fraction(egui::Vec2::new(0.02, 0.1));
        if lines.len() > 1 {
            plot = plot.legend(Legend::default());
        }
        plot.show(ui, |plot| lines.iter().for_each(|values| plot.line(line(values))));
    });
}
