//! What happens over time: collisions, clusters, particles, and how far they have come.

use egui::{Color32, Ui};
use egui_plot::{Bar, BarChart, Line, LineStyle, Plot, PlotPoints};
use steric::world::diffuse::Motion;

use crate::simulation::Diffused;

/// So many points are enough for a line.
const MOST_POINTS: usize = 400;

pub(super) fn show(ui: &mut Ui, seen: &Diffused) {
    let Some(setup) = &seen.setup else { return };
    let history = &seen.history;
    let times = &history.series.times;
    let width = (ui.available_width() / 4.0 - 12.0).max(120.0);
    // Below the title, and above a bar to scroll with.
    let height = ui.available_height().max(80.0) - 36.0;
    let every = times.len().div_ceil(MOST_POINTS).max(1);
    let line = |name: &str, values: &[f64]| {
        let points = times.iter().zip(values).step_by(every).map(|(time, value)| [*time, *value]);
        Line::new(name.to_owned(), points.collect::<PlotPoints<'_>>())
    };
    let plot = |name: &'static str| {
        Plot::new(name)
            .width(width)
            .height(height)
            .allow_scroll(false)
            .allow_drag(false)
            .allow_zoom(false)
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
    let colour = |kind: usize| {
        let [red, green, blue] = seen.colours.get(kind).copied().unwrap_or([128; 3]);
        Color32::from_rgb(red, green, blue)
    };
    egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| {
        ui.horizontal(|ui| {
            let title = format!("collisions per {}", seen.unit);
            column(ui, &title, "Contacts between particles in a unit of time.", &|ui| {
                plot("collisions").show(ui, |plot| {
                    // A rate is one of the time before; at the start there is none.
                    let rates = times.iter().zip(&history.series.collisions).skip(1);
                    let rates: Vec<[f64; 2]> = averaged(&rates.map(|(time, rate)| [*time, *rate]).collect::<Vec<_>>());
                    plot.line(Line::new("collisions", rates));
                });
            });
            column(ui, "clusters by size", "How many clusters there are of so many particles.", &|ui| {
                let bars = seen.clusters.iter().enumerate().filter(|(_, count)| **count > 0);
                let bars = bars.map(|(size, count)| Bar::new((size + 1) as f64, *count as f64).width(0.8));
                plot("clusters")
                    .include_x(0.5)
                    .include_x(6.5)
                    .show(ui, |plot| plot.bar_chart(BarChart::new("clusters", bars.collect())));
            });
            column(ui, "particles", "How many particles there are of each species.", &|ui| {
                plot("particles").show(ui, |plot| {
                    for (kind, (species, counts)) in setup.species.iter().zip(&history.series.species).enumerate() {
                        plot.line(line(&species.name, counts).color(colour(kind)));
                    }
                });
            });
            let about = "Mean square displacement of each species; dashed 2nDt, what it would be for one alone.";
            column(ui, "mean r² and 2nDt (Å²)", about, &|ui| {
                plot("displacement").show(ui, |plot| {
                    for (kind, (species, squares)) in setup.species.iter().zip(&history.displacements).enumerate() {
                        plot.line(line(&species.name, squares).color(colour(kind)));
                        if setup.motion == Motion::Brownian {
                            let free = 2.0 * setup.dimensions as f64 * species.diffusion * seen.time;
                            let free = Line::new("2nDt", vec![[0.0, 0.0], [seen.time, free]]);
                            plot.line(free.color(colour(kind)).style(LineStyle::dashed_loose()));
                        }
                    }
                });
            });
        });
    });
}

/// Means of as many neighbours as leave no more points than a line needs.
fn averaged(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let each = points.len().div_ceil(MOST_POINTS).max(1);
    let mean = |few: &[[f64; 2]]| {
        let sum = |axis: usize| few.iter().map(|point| point[axis]).sum::<f64>();
        [sum(0) / few.len() as f64, sum(1) / few.len() as f64]
    };
    points.chunks(each).map(mean).collect()
}
