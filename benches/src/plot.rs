//! A line chart as SVG: a logarithmic axis across, a linear one from zero up.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// Left, right, top and bottom edge of the plotting area; the names of the lines stand to its right.
const FRAME: (f64, f64, f64, f64) = (64.0, 560.0, 44.0, 392.0);
/// Okabe and Ito's palette, which colour-blind readers can tell apart.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// Where data points land on the page.
struct Axes {
    decades: (f64, f64),
    top: f64,
}

impl Axes {
    fn fit(series: &[(String, Vec<(f64, f64)>)]) -> Self {
        let points = || series.iter().flat_map(|(_, points)| points);
        let least = points().map(|point| point.0.log10()).fold(f64::INFINITY, f64::min).floor();
        let most = points().map(|point| point.0.log10()).fold(f64::NEG_INFINITY, f64::max).ceil();
        let highest = points().map(|point| point.1).fold(0.0, f64::max);
        if !least.is_finite() {
            return Self { decades: (0.0, 1.0), top: 1.0 };
        }
        Self { decades: (least, most.max(least + 1.0)), top: tick(highest) * (highest / tick(highest)).ceil().max(1.0) }
    }

    fn x(&self, value: f64) -> f64 {
        FRAME.0 + (FRAME.1 - FRAME.0) * (value.log10() - self.decades.0) / (self.decades.1 - self.decades.0)
    }

    fn y(&self, value: f64) -> f64 {
        FRAME.3 - (FRAME.3 - FRAME.2) * value / self.top
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides the axis into four to ten parts.
fn tick(highest: f64) -> f64 {
    let power = 10_f64.powf((highest.max(1e-9) / 4.0).log10().floor());
    let steps = highest.max(1e-9) / 4.0 / power;
    power
        * if steps >= 5.0 {
            5.0
        } else if steps >= 2.0 {
            2.0
        } else {
            1.0
        }
}

/// The chart as a document of its own.
pub(crate) fn svg(title: &str, across: &str, up: &str, series: &[(String, Vec<(f64, f64)>)]) -> String {
    let axes = Axes::fit(series);
    let (middle, bottom) = (f64::midpoint(FRAME.0, FRAME.1), FRAME.3 + 38.0);
    let mut page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{middle}\" y=\"24\" text-anchor=\"middle\" font-size=\"16\">{title}</text>\n\
         <text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{across}</text>\n\
         <text transform=\"translate(16 218) rotate(-90)\" text-anchor=\"middle\">{up}</text>\n"
    );
    page += &grid(&axes);
    for (index, (name, points)) in series.iter().enumerate() {
        page += &line(&axes, index, name, points);
    }
    page + "</svg>\n"
}

fn grid(axes: &Axes) -> String {
    let mut lines = String::new();
    let (left, right, top, bottom) = FRAME;
    let mut value = 0.0;
    while value <= axes.top * 1.001 {
        let y = axes.y(value);
        let _ = writeln!(lines, "<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>");
        let _ =
            writeln!(lines, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.4}</text>", left - 6.0, y + 4.0);
        value += tick(axes.top);
    }
    let mut decade = axes.decades.0;
    while decade <= axes.decades.1 {
        let x = axes.x(10_f64.powf(decade));
        let _ = writeln!(lines, "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ddd\"/>");
        let label = format!("10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan>");
        let _ = writeln!(lines, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 18.0);
        decade += 1.0;
    }
    lines.replace(".0000</text>", "</text>")
}

fn line(axes: &Axes, index: usize, name: &str, points: &[(f64, f64)]) -> String {
    let colour = COLOURS[index % COLOURS.len()];
    let places: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (axes.x(x), axes.y(y))).collect();
    let corners: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let mut drawn = format!("<polyline fill=\"none\" stroke=\"{colour}\" points=\"{}\"/>\n", corners.join(" "));
    for (x, y) in places {
        let _ = writeln!(drawn, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
    }
    let y = FRAME.2 + 18.0 * index as f64 + 8.0;
    let _ = writeln!(drawn, "<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{name}</text>", FRAME.1 + 12.0);
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_land_inside_the_frame_and_every_line_is_named() {
        let series =
            vec![("rods".to_owned(), vec![(1e5, 9.0), (1e7, 14.0)]), ("solution".to_owned(), vec![(1e6, 20.0)])];
        let page = svg("t", "a", "b", &series);
        assert!(page.contains(">rods<") && page.contains(">solution<"));
        assert!(page.contains("cx=\"64.0\"") && page.contains("cx=\"560.0\""), "10^5 and 10^7 stand at the two ends");
        assert!(page.contains("cy=\"44.0\""), "20 ns is the top of the axis");
    }

    #[test]
    fn an_empty_chart_is_still_a_page() {
        assert!(svg("t", "a", "b", &[]).ends_with("</svg>\n"));
    }
}
