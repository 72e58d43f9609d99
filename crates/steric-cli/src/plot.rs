//! Small plots as SVG: lines, points and bars, on linear or logarithmic axes.
//!
//! How it works: an axis takes the range of its values, rounds it out to ticks at 1, 2 or 5 times a power of ten, and maps
//! values to pixels. A logarithmic axis has no place for zero, but "none left" is what a relaxation is about: where a
//! zero is among the values, a strip beyond the smallest decade is kept for it and labelled 0. Colours are those of Okabe
//! and Ito, told apart by colour-blind eyes too; a second line is dashed as well, and second bars are
//! outlines, so that nobody takes them for stacked. The colours of a dark page stand in
//! the same style, so that one file serves both, alone or inside a page.

use std::fmt::Write;

use crate::table::thousands;

/// Width and height of a plot, in pixels.
const SIZE: (f64, f64) = (640.0, 360.0);
/// The same for a picture of places, whose frame is a square.
const SQUARE: (f64, f64) = (552.0, 560.0);
const LEFT: f64 = 70.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;
/// From one row of the legend to the next.
const LEGEND_ROW: f64 = 15.0;
/// Part of a logarithmic axis that is kept for zero.
const ZERO_STRIP: f64 = 0.08;
/// No line has more points: more would not be seen.
const MOST_POINTS: usize = 2_000;

/// How an axis maps values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    /// Powers of ten at equal distances; zero has a strip of its own.
    Log,
}

/// What is drawn for the points of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mark {
    Line,
    /// A line with a dot at each point: few, measured values.
    Dotted,
    Points,
    /// Bars of this width, each from its point to the right, standing on zero.
    Bars(f64),
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    /// For the legend; a plot of one layer has none.
    pub(crate) name: String,
    pub(crate) mark: Mark,
    pub(crate) points: Vec<(f64, f64)>,
}

/// One axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// What it shows, with its unit.
    pub(crate) label: String,
    pub(crate) scale: Scale,
}

impl Axis {
    pub(crate) fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Linear }
    }

    pub(crate) fn log(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Log }
    }
}

/// A plot.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) layers: Vec<Layer>,
    /// Whether a step has the same length on both axes, as in a picture of places.
    pub(crate) square: bool,
}

impl Plot {
    /// The plot as one SVG element that is a file of its own, too.
    pub(crate) fn svg(&self) -> String {
        let (x, y) = self.rulers();
        let (width, height) = self.size();
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{title}\">\n<style>{STYLE}</style>\n<text class=\"title\" x=\"{LEFT}\" y=\"18\">{title}</text>\n"
        );
        self.frame(&mut svg, &x, &y);
        for (place, layer) in self.layers.iter().enumerate() {
            layer.draw(&mut svg, place, &x, &y);
        }
        self.legend(&mut svg);
        svg + "</svg>\n"
    }

    fn size(&self) -> (f64, f64) {
        if self.square { SQUARE } else { SIZE }
    }

    fn rulers(&self) -> (Ruler, Ruler) {
        let (width, height) = self.size();
        let xs = self.layers.iter().flat_map(|layer| {
            let width = if let Mark::Bars(width) = layer.mark { width } else { 0.0 };
            layer.seen().flat_map(move |(x, _)| [x, x + width])
        });
        let is_bars = self.layers.iter().any(|layer| matches!(layer.mark, Mark::Bars(_)));
        let floor = (is_bars && self.y.scale == Scale::Linear).then_some(0.0);
        let ys = self.layers.iter().flat_map(|layer| layer.seen().map(|(_, y)| y)).chain(floor);
        let mut x = Ruler::new(self.x.scale, xs, (LEFT, width - RIGHT));
        let mut y = Ruler::new(self.y.scale, ys, (height - BOTTOM, self.top()));
        if self.square {
            let per_pixel = x.per_pixel().max(y.per_pixel());
            x.widen(per_pixel);
            y.widen(per_pixel);
        }
        (x, y)
    }

    fn frame(&self, svg: &mut String, x: &Ruler, y: &Ruler) {
        let (width, height) = self.size();
        let (bottom, right) = (height - BOTTOM, width - RIGHT);
        for (at, label) in y.ticks() {
            push(svg, format_args!("<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>"));
            push(svg, format_args!("<text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>", LEFT - 8.0, at + 4.0));
        }
        for (at, label) in x.ticks() {
            push(svg, format_args!("<path class=\"axis\" d=\"M{at:.1} {bottom}v5\"/>"));
            push(svg, format_args!("<text class=\"x\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>", bottom + 19.0));
        }
        push(svg, format_args!("<path class=\"axis\" d=\"M{LEFT} {bottom}H{right}\"/>"));
        let (middle_x, middle_y) = (0.5 * (LEFT + right), 0.5 * (self.top() + bottom));
        let (x_label, y_label) = (escape(&self.x.label), escape(&self.y.label));
        push(svg, format_args!("<text class=\"x\" x=\"{middle_x}\" y=\"{:.1}\">{x_label}</text>", height - 10.0));
        push(
            svg,
            format_args!("<text class=\"x\" transform=\"translate(15 {middle_y}) rotate(-90)\">{y_label}</text>"),
        );
    }

    fn legend(&self, svg: &mut String) {
        for ((place, layer), (at, down)) in self.layers.iter().enumerate().zip(self.legend_places()) {
            let line = 31.0 + down;
            let sample = match layer.mark {
                Mark::Bars(_) => {
                    let top = line - 4.0;
                    format!("<rect class=\"b{place}\" x=\"{at}\" y=\"{top}\" width=\"18\" height=\"8\"/>")
                }
                Mark::Points => format!("<path class=\"p{place}\" d=\"M{} {line}h0\"/>", at + 9.0),
                _ => format!("<path class=\"l{place}\" d=\"M{at} {line}h18\"/>"),
            };
            let (text, base) = (at + 24.0, line + 4.0);
            push(svg, format_args!("{sample}<text x=\"{text}\" y=\"{base}\">{}</text>", escape(&layer.name)));
        }
    }

    /// Where each name of the legend begins, and how far below its first row; none for a plot of one layer.
    fn legend_places(&self) -> Vec<(f64, f64)> {
        let right = if self.square { SQUARE.0 } else { SIZE.0 };
        let (mut at, mut down) = (LEFT, 0.0);
        let place = |layer: &Layer| {
            let width = 44.0 + 6.6 * layer.name.chars().count() as f64;
            if at > LEFT && at + width > right {
                (at, down) = (LEFT, down + LEGEND_ROW);
            }
            at += width;
            (at - width, down)
        };
        if self.layers.len() < 2 { Vec::new() } else { self.layers.iter().map(place).collect() }
    }

    /// Where the plot begins below its title and its legend.
    fn top(&self) -> f64 {
        TOP + self.legend_places().last().map_or(0.0, |&(_, down)| down)
    }
}

impl Layer {
    fn seen(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite())
    }

    fn draw(&self, svg: &mut String, place: usize, x: &Ruler, y: &Ruler) {
        let pixels = |(px, py): (f64, f64)| (x.at(px), y.at(py));
        match self.mark {
            Mark::Bars(width) => {
                self.seen().filter(|&(_, y)| y > 0.0).for_each(|point| bar(svg, place, point, width, x, y));
            }
            Mark::Points => dots(svg, place, self.seen().map(pixels).collect()),
            Mark::Line => line(svg, place, thinned(self.seen().map(pixels).collect())),
            Mark::Dotted => {
                line(svg, place, self.seen().map(pixels).collect());
                dots(svg, place, self.seen().map(pixels).collect());
            }
        }
    }
}

fn line(svg: &mut String, place: usize, pixels: Vec<(f64, f64)>) {
    let steps: Vec<String> = pixels.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    if !steps.is_empty() {
        push(svg, format_args!("<path class=\"l{place}\" d=\"M{}\"/>", steps.join("L")));
    }
}

/// All dots are one path: a step of length zero with a round pen is a dot.
fn dots(svg: &mut String, place: usize, pixels: Vec<(f64, f64)>) {
    // Many dots are small, so that places can still be told apart.
    let width = if pixels.len() < 100 {
        6
    } else if pixels.len() < 3_000 {
        4
    } else {
        2
    };
    let steps: String = pixels.iter().map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
    push(svg, format_args!("<path class=\"p{place}\" style=\"stroke-width:{width}\" d=\"{steps}\"/>"));
}

fn bar(svg: &mut String, place: usize, (low, value): (f64, f64), width: f64, x: &Ruler, y: &Ruler) {
    let (left, right, top, bottom) = (x.at(low), x.at(low + width), y.at(value), y.zero());
    let range = format!("{} to {}: {}", plain(low), plain(low + width), plain(value));
    push(
        svg,
        format_args!(
            "<rect class=\"b{place}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{range}</title></rect>",
            (right - left - 1.0).max(0.5),
            (bottom - top).max(0.0)
        ),
    );
}

fn push(svg: &mut String, element: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(svg, "{element}");
}

/// Of each stretch of a long line its lowest and its highest point, so that no peak is lost.
fn thinned(pixels: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    if pixels.len() <= MOST_POINTS {
        return pixels;
    }
    let stretches = pixels.chunks(pixels.len().div_ceil(MOST_POINTS / 2));
    let extremes = stretches.flat_map(|stretch| {
        let by_height = |&a: &usize, &b: &usize| stretch[a].1.total_cmp(&stretch[b].1);
        let low = (0..stretch.len()).min_by(by_height).unwrap_or(0);
        let high = (0..stretch.len()).max_by(by_height).unwrap_or(0);
        [stretch[low.min(high)], stretch[low.max(high)]]
    });
    extremes.collect()
}

/// From values to pixels.
#[derive(Clone, Copy, Debug)]
struct Ruler {
    scale: Scale,
    // Values, or their logarithms to base ten.
    low: f64,
    high: f64,
    has_zero: bool,
    // Where low and high are drawn; the strip of zero lies before low.
    start: f64,
    end: f64,
    step: f64,
}

impl Ruler {
    fn new(scale: Scale, values: impl Iterator<Item = f64>, (start, end): (f64, f64)) -> Self {
        let values: Vec<f64> = values.collect();
        let has_zero = scale == Scale::Log && values.iter().any(|&value| value <= 0.0);
        let shown = values.iter().copied().filter(|&value| scale == Scale::Linear || value > 0.0);
        let shown = shown.map(|value| if scale == Scale::Log { value.log10() } else { value });
        let (least, most) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), v| (l.min(v), m.max(v)));
        let (least, most) = if least <= most { (least, most) } else { (0.0, 1.0) };
        let step = match scale {
            Scale::Linear => nice((most - least) / 5.0, least.abs().max(most.abs())),
            Scale::Log => ((most - least) / 6.0).ceil().max(1.0),
        };
        let low = (least / step + 1e-9).floor() * step;
        let high = ((most / step - 1e-9).ceil() * step).max(low + step);
        let start = if has_zero { start + ZERO_STRIP * (end - start) } else { start };
        Self { scale, low, high, has_zero, start, end, step }
    }

    fn at(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.pixel(value),
            Scale::Log if value > 0.0 => self.pixel(value.log10()),
            Scale::Log => self.zero(),
        }
    }

    fn pixel(&self, value: f64) -> f64 {
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Where zero stands: on a logarithmic axis in its strip, or at its foot where there is none.
    fn zero(&self) -> f64 {
        match self.scale {
            Scale::Linear => self.pixel(0.0),
            Scale::Log if self.has_zero => self.start - ZERO_STRIP / (1.0 - ZERO_STRIP) * (self.end - self.start),
            Scale::Log => self.start,
        }
    }

    fn per_pixel(&self) -> f64 {
        (self.high - self.low) / (self.end - self.start).abs()
    }

    /// Shows more on both sides, so that a pixel is worth so much.
    fn widen(&mut self, per_pixel: f64) {
        let missing = 0.5 * (per_pixel * (self.end - self.start).abs() - (self.high - self.low));
        self.low -= missing;
        self.high += missing;
    }

    /// Where a tick stands and what is written there.
    fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil() as i64;
        let last = (self.high / self.step + 1e-9).floor() as i64;
        let values = (first..=last).map(|tick| tick as f64 * self.step);
        let label = |value: f64| match self.scale {
            Scale::Linear => linear_label(value, self.step),
            Scale::Log => power_label(value.round() as i32),
        };
        let zero = self.has_zero.then(|| (self.zero(), "0".to_owned()));
        zero.into_iter().chain(values.map(|value| (self.pixel(value), label(value)))).collect()
    }
}

/// 1, 2 or 5 times a power of ten, and not smaller; wide enough that values of this size can be told apart.
fn nice(wanted: f64, largest: f64) -> f64 {
    let wanted = if wanted > 0.0 { wanted } else { 0.2 }.max(largest * 1e-9);
    let decade = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * decade);
    steps.into_iter().find(|&step| step >= wanted * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
}

fn linear_label(value: f64, step: f64) -> String {
    let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
    let sign = if value < -0.5 * step { "−" } else { "" };
    if decimals > 0 || value.abs() >= 1e15 {
        return format!("{sign}{:.decimals$}", value.abs());
    }
    format!("{sign}{}", thousands(value.abs().round() as u64))
}

/// `0.001` to `10,000`, beyond that `10⁵`.
fn power_label(power: i32) -> String {
    match power {
        0..=4 => thousands(10u64.pow(power as u32)),
        -3..=-1 => format!("{:.*}", power.unsigned_abs() as usize, 10f64.powi(power)),
        _ => format!("10{}", superscript(power)),
    }
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |letter: char| letter.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    number.to_string().chars().map(digit).collect()
}

/// A number as short as four decimals allow.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text that is no markup, whatever it holds.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "\
.plot{font:12px system-ui,sans-serif;background:#fff}.plot text{fill:#333}.plot .title{font-weight:600;font-size:14px}\
.plot .x{text-anchor:middle}.plot .y{text-anchor:end}\
.plot path{fill:none}.plot .grid{stroke:#e4e4e4}.plot .axis{stroke:#888}\
.plot [class^=l]{stroke-width:2;stroke-linejoin:round}.plot [class^=p]{stroke-width:6;stroke-linecap:round}\
.plot [class^=b]{fill:none;stroke-width:1.5;pointer-events:all}\
.plot .l0,.plot .p0{stroke:#0072b2}.plot .b0{fill:#0072b2;fill-opacity:.6}\
.plot .l1,.plot .p1,.plot .b1{stroke:#d55e00}\
.plot .l2,.plot .p2,.plot .b2{stroke:#009e73}\
.plot .l3,.plot .p3,.plot .b3{stroke:#cc79a7}\
.plot .l4,.plot .p4,.plot .b4{stroke:#8c6d00}\
.plot .l5,.plot .p5,.plot .b5{stroke:#555}\
.plot .l1{stroke-dasharray:7 3}.plot .l2{stroke-dasharray:2 3}.plot .l3{stroke-dasharray:9 3 2 3}.plot .l4{stroke-dasharray:12 4}\
@media(prefers-color-scheme:dark){.plot{background:#1b1d21}.plot text{fill:#ccc}.plot .grid{stroke:#33363c}\
.plot .axis{stroke:#777}\
.plot .l0,.plot .p0{stroke:#56b4e9}.plot .b0{fill:#56b4e9}.plot .l1,.plot .p1,.plot .b1{stroke:#ff9a57}\
.plot .l2,.plot .p2,.plot .b2{stroke:#2bd0a0}.plot .l4,.plot .p4,.plot .b4{stroke:#f0e442}\
.plot .l5,.plot .p5,.plot .b5{stroke:#aaa}}";

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(x: Scale, y: Scale, mark: Mark, points: &[(f64, f64)]) -> Plot {
        let axis = |scale| Axis { label: "axis".to_owned(), scale };
        let layer = Layer { name: "layer".to_owned(), mark, points: points.to_vec() };
        Plot { title: "A < B & C".to_owned(), x: axis(x), y: axis(y), layers: vec![layer], square: false }
    }

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        Ruler::new(scale, values.iter().copied(), (0.0, 100.0)).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_that_hold_all_values() {
        assert_eq!(labels(Scale::Linear, &[0.0, 58.0]), ["0", "20", "40", "60"]);
        assert_eq!(labels(Scale::Linear, &[-0.31, 0.42]), ["−0.4", "−0.2", "0.0", "0.2", "0.4", "0.6"]);
        assert_eq!(labels(Scale::Linear, &[0.0, 4_000_000.0]).last().map(String::as_str), Some("4,000,000"));
        assert_eq!(labels(Scale::Log, &[3.0, 70_000.0]), ["1", "10", "100", "1,000", "10,000", "10⁵"]);
        assert_eq!(labels(Scale::Log, &[0.0, 0.02, 1.5]), ["0", "0.01", "0.1", "1", "10"]);
        for (scale, values) in [(Scale::Linear, [2.0, 2.0]), (Scale::Log, [0.0, 0.0]), (Scale::Linear, [1e300, -1e300])]
        {
            assert!((2..12).contains(&labels(scale, &values).len()), "{values:?}");
        }
    }

    #[test]
    fn zero_on_a_logarithmic_axis_stands_beyond_the_smallest_decade_inside_the_frame() {
        let ruler = Ruler::new(Scale::Log, [0.0, 1.0, 1000.0].into_iter(), (300.0, 0.0));
        assert!((ruler.at(0.0) - 300.0).abs() < 1e-9);
        assert!(ruler.at(1.0) < 290.0 && ruler.at(1000.0).abs() < 1e-9);
    }

    #[test]
    fn a_plot_is_one_element_without_markup_from_outside_and_without_numbers_that_are_none() {
        for mark in [Mark::Line, Mark::Dotted, Mark::Points, Mark::Bars(1.0)] {
            for scale in [Scale::Linear, Scale::Log] {
                for points in [&[][..], &[(1.0, 2.0)], &[(0.0, 0.0), (f64::NAN, 1.0), (5.0, f64::INFINITY), (9.0, 3.0)]]
                {
                    let svg = plot(scale, scale, mark, points).svg();
                    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
                    assert!(svg.contains("A &lt; B &amp; C") && !svg.contains("A < B"));
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_thinned_and_keeps_its_peaks() {
        let points: Vec<(f64, f64)> = (0..50_000).map(|i| (f64::from(i), f64::from(u8::from(i == 31_234)))).collect();
        let thin = thinned(points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&(31_234.0, 1.0)));
        assert!(thin.is_sorted_by(|a, b| a.0 <= b.0));
    }

    #[test]
    fn a_square_plot_has_the_same_step_on_both_axes() {
        let mut wide = plot(Scale::Linear, Scale::Linear, Mark::Points, &[(-1.0, -1.0), (1.0, 1.0)]);
        wide.square = true;
        let (x, y) = wide.rulers();
        assert!((x.per_pixel() - y.per_pixel()).abs() < 1e-12);
        assert!(x.at(-1.0) >= LEFT && y.at(-1.0) <= SQUARE.1 - BOTTOM);
    }

    #[test]
    fn a_legend_that_is_too_wide_goes_on_below() {
        let layer =
            |name: &str| Layer { name: name.to_owned(), mark: Mark::Line, points: vec![(0.0, 1.0), (1.0, 2.0)] };
        let plot = |names: &[&str]| Plot {
            title: String::new(),
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            layers: names.iter().map(|name| layer(name)).collect(),
            square: false,
        };
        assert!(plot(&["one", "two"]).legend_places().iter().all(|&(_, down)| down.abs() < 1e-9));
        let six = plot(&["a name of twenty-five let"; 6]);
        assert!(six.legend_places().iter().all(|&(at, _)| at < 430.0), "{:?}", six.legend_places());
        assert!((six.top() - TOP - 2.0 * LEGEND_ROW).abs() < 1e-9, "three rows of two");
    }
}
