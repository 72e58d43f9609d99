//! The report of a relaxation as one HTML file: no scripts, nothing from elsewhere, light or dark as the reader likes.
//!
//! How it works: the page is written from the top as a person reads it. First the verdict and the numbers that matter, then a
//! picture before and one after if there are any, then plots with a sentence each that says what to look for, then every number as a table.

use steric::world::relax::{Iteration, Leaflet};
use steric::world::report::{Histogram, LeafletReport, MembraneReport, RelaxReport, Spread};

use crate::plot::{Axis, Layer, Mark, Plot, escape};
use crate::table::{duration, thousands};

/// The page; the pictures are PNG files of the molecules before and after.
pub(crate) fn page(report: &RelaxReport, title: &str, pictures: Option<&[Vec<u8>; 2]>) -> String {
    let title = escape(title);
    let pictures = pictures.map(before_and_after).unwrap_or_default();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title}</h1>\n{}{}{pictures}{}{}</body>\n</html>\n",
        verdict(report),
        cards(report),
        plots(report),
        tables(report)
    )
}

fn verdict(report: &RelaxReport) -> String {
    let (class, sign) = if report.is_clean() { ("clean", "✓") } else { ("left", "✗") };
    let judged: String = report.verdicts.iter().map(|verdict| format!("<p>{}</p>\n", escape(verdict))).collect();
    let headline = capitalised(&report.headline());
    format!("<div class=\"verdict {class}\"><strong>{sign} {}</strong></div>\n{judged}", escape(&headline))
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The numbers that matter most, large.
fn cards(report: &RelaxReport) -> String {
    let change = |before: u64, after: u64| format!("{} → {}", thousands(before), thousands(after));
    let mut cards = vec![
        (change(report.before.overlaps, report.after.overlaps), "overlapping pairs of atoms"),
        (change(report.before.molecules, report.after.molecules), "molecules that overlap"),
        (thousands(report.iterations), "iterations"),
        (duration(report.seconds()), "in all stages"),
        (format!("{:.2} Å", report.motion.moved.mean), "a molecule moved, on average"),
    ];
    cards.extend(report.peak_memory_bytes.map(|bytes| (megabytes(bytes), "of memory at most")));
    let card = |(value, what): (String, &str)| format!("<div><b>{value}</b><span>{what}</span></div>\n");
    format!("<div class=\"cards\">\n{}</div>\n", cards.into_iter().map(card).collect::<String>())
}

fn before_and_after([before, after]: &[Vec<u8>; 2]) -> String {
    let figure = |bytes: &[u8], when: &str, caption: &str| {
        format!(
            "<figure><img alt=\"The molecules {when}\" src=\"data:image/png;base64,{}\"><figcaption>{caption}</figcaption></figure>\n",
            base64(bytes)
        )
    };
    let before =
        figure(before, "before", "Before: molecules that overlap another one are vermillion, the others are green.");
    let after = figure(after, "after", "After, from the same place.");
    format!("<div class=\"plots\">\n{before}{after}</div>\n")
}

fn plots(report: &RelaxReport) -> String {
    let mut figures = Vec::new();
    if report.history.len() > 1 {
        figures.extend(progress(&report.history));
    }
    figures.extend(motion(report));
    for membrane in &report.membranes {
        figures.extend(leaflets(membrane));
    }
    let figure = |(plot, caption): (Plot, &str)| {
        format!("<figure>\n{}<figcaption>{caption}</figcaption>\n</figure>\n", plot.svg())
    };
    format!("<div class=\"plots\">\n{}</div>\n", figures.into_iter().map(figure).collect::<String>())
}

type Figure = (Plot, &'static str);

fn progress(history: &[Iteration]) -> Vec<Figure> {
    let dirty = [
        over(history, "overlapping", |step| f64::from(step.overlapping)),
        over(history, "awake", |step| f64::from(step.awake)),
    ];
    let depth = [over(history, "deepest", |step| step.deepest), over(history, "mean", |step| step.mean_depth)];
    let time = [
        over(history, "searching", |step| step.milliseconds[0]),
        over(history, "contacts", |step| step.milliseconds[1]),
        over(history, "moving", |step| step.milliseconds[2]),
    ];
    let broken = [over(history, "broken", |step| f64::from(step.broken))];
    let mut figures = vec![
        (
            iterations("Molecules that overlap", Axis::log("molecules"), dirty),
            "How many molecules still overlap others, and how many are awake: those at rest are skipped. The goal is 0.",
        ),
        (
            iterations("How deep they overlap", Axis::log("depth / Å"), depth),
            "The deepest overlap and the mean of all. A line that stays level for long is a jam.",
        ),
        (
            iterations("Time for each iteration", Axis::linear("milliseconds"), time),
            "Searching makes a new list of near pairs; it is needed only when molecules have moved far enough.",
        ),
    ];
    if history.iter().any(|step| step.broken > 0) {
        figures.push((
            iterations("Molecules beyond the leeway of a constraint", Axis::log("molecules"), broken),
            "Pushes may carry a molecule out of its height, tilt or region; springs bring it back.",
        ));
    }
    figures
}

fn iterations<const N: usize>(title: &str, y: Axis, layers: [Layer; N]) -> Plot {
    Plot { title: title.to_owned(), x: Axis::linear("iteration"), y, layers: layers.into(), square: false }
}

fn over(history: &[Iteration], name: &str, value: impl Fn(&Iteration) -> f64) -> Layer {
    let points = history.iter().enumerate().map(|(i, step)| (i as f64 + 1.0, value(step)));
    Layer { name: name.to_owned(), mark: Mark::Line, points: points.collect() }
}

fn motion(report: &RelaxReport) -> Vec<Figure> {
    let moved = histogram("How far molecules moved", "moved / Å", vec![("", &report.motion.moved)]);
    let turned = histogram("How far molecules turned", "turned / degrees", vec![("", &report.motion.turned_degrees)]);
    let figures = [
        (moved, "From the start to the end, centre to centre."),
        (turned, "The angle between the first and the last orientation."),
    ];
    figures.into_iter().filter_map(|(plot, caption)| Some((plot?, caption))).collect()
}

fn leaflets(membrane: &MembraneReport) -> Vec<Figure> {
    let of = |pick: fn(&LeafletReport) -> &Spread| -> Vec<(&'static str, &Spread)> {
        membrane.leaflets.iter().map(|leaflet| (name(leaflet.leaflet), pick(leaflet))).collect()
    };
    let tilt = histogram("Tilt of the lipids", "tilt / degrees", of(|leaflet| &leaflet.tilt_degrees));
    let height = histogram("Height of the heads", "beyond the asked height / Å", of(|leaflet| &leaflet.deviation));
    let figures = [
        (tilt, "Between the axis of a lipid and the normal of the membrane; 0 is upright, beyond 90 upside down."),
        (height, "How much farther from the middle of the membrane the heads stand than asked; negative is nearer."),
    ];
    figures.into_iter().filter_map(|(plot, caption)| Some((plot?, caption))).collect()
}

fn name(leaflet: Leaflet) -> &'static str {
    match leaflet {
        Leaflet::Outer => "outer leaflet",
        Leaflet::Inner => "inner leaflet",
    }
}

/// `None` where nothing was measured.
fn histogram(title: &str, label: &str, spreads: Vec<(&str, &Spread)>) -> Option<Plot> {
    let layer = |(name, spread): (&str, &Spread)| {
        let Histogram { low, width, counts, .. } = &spread.histogram;
        let points = counts.iter().enumerate().map(|(bin, &count)| (low + bin as f64 * width, count as f64));
        Layer { name: name.to_owned(), mark: Mark::Bars(*width), points: points.collect() }
    };
    let beyond: u64 = spreads.iter().map(|(_, spread)| spread.histogram.below + spread.histogram.above).sum();
    let title = if beyond > 0 { format!("{title} ({} more outside)", thousands(beyond)) } else { title.to_owned() };
    let layers: Vec<Layer> = spreads.into_iter().filter(|(_, spread)| spread.count > 0).map(layer).collect();
    let (x, y) = (Axis::linear(label), Axis::linear("molecules"));
    (!layers.is_empty()).then_some(Plot { title, x, y, layers, square: false })
}

fn tables(report: &RelaxReport) -> String {
    let mut text = overlaps(report) + &spreads(report);
    text += &report.membranes.iter().map(membrane).collect::<String>();
    text += &still_overlapping(report);
    text + &stages(report) + &run(report)
}

fn overlaps(report: &RelaxReport) -> String {
    let (before, after, piercings) = (report.before, report.after, report.piercings);
    let counts = |what: &str, before: u64, after: u64| vec![what.to_owned(), thousands(before), thousands(after)];
    let depths =
        |what: &str, before: f64, after: f64| vec![what.to_owned(), format!("{before:.3}"), format!("{after:.3}")];
    let repaired =
        if piercings.repaired > 0 { format!(" ({} repaired)", thousands(piercings.repaired)) } else { String::new() };
    let rows = [
        counts("overlapping pairs of atoms", before.overlaps, after.overlaps),
        counts("molecules that overlap", before.molecules, after.molecules),
        depths("deepest overlap / Å", before.deepest, after.deepest),
        depths("mean overlap / Å", before.mean_depth, after.mean_depth),
        counts(&format!("bonds through rings{repaired}"), piercings.before, piercings.after),
    ];
    table("Overlaps", &["", "before", "after"], &rows)
}

fn spreads(report: &RelaxReport) -> String {
    let rows = [("moved / Å", &report.motion.moved), ("turned / degrees", &report.motion.turned_degrees)];
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(what, spread)| spread_row(what, spread)).collect();
    table("From the start", &SPREAD_HEADER, &rows)
}

const SPREAD_HEADER: [&str; 6] = ["", "mean", "deviation", "least", "median", "most"];

fn spread_row(what: &str, spread: &Spread) -> Vec<String> {
    let Spread { mean, deviation, least, median, most, .. } = *spread;
    let numbers = [mean, deviation, least, median, most].map(|number| format!("{number:.2}"));
    std::iter::once(what.to_owned()).chain(numbers).collect()
}

fn membrane(membrane: &MembraneReport) -> String {
    let area = |area: Option<f64>| area.map_or_else(|| "–".to_owned(), |area| format!("{area:.2}"));
    let row = |leaflet: &LeafletReport| {
        vec![
            name(leaflet.leaflet).to_owned(),
            thousands(leaflet.molecules),
            area(leaflet.area_at_heads),
            area(leaflet.area_at_centers),
            thousands(leaflet.swaps),
            thousands(leaflet.broken),
            format!("{:.2}", leaflet.worst),
            format!("{:.1}", leaflet.worst_degrees),
        ]
    };
    let header = [
        "",
        "molecules",
        "Å² each, at the heads",
        "at the centres",
        "in the wrong leaflet",
        "beyond a leeway",
        "by at most / Å",
        "by at most / degrees",
    ];
    let rows: Vec<Vec<String>> = membrane.leaflets.iter().map(row).collect();
    let spreads = membrane.leaflets.iter().flat_map(|leaflet| {
        let name = name(leaflet.leaflet);
        [
            spread_row(&format!("{name}, tilt / degrees"), &leaflet.tilt_degrees),
            spread_row(&format!("{name}, height of the heads / Å"), &leaflet.height),
            spread_row(&format!("{name}, beyond the asked height / Å"), &leaflet.deviation),
        ]
    });
    let spreads: Vec<Vec<String>> = spreads.collect();
    table(&format!("Membrane: {}", membrane.surface), &header, &rows) + &table("", &SPREAD_HEADER, &spreads)
}

fn still_overlapping(report: &RelaxReport) -> String {
    if report.still_overlapping.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = report
        .still_overlapping
        .iter()
        .map(|still| vec![still.name.clone(), thousands(still.overlaps), format!("{:.3}", still.deepest)])
        .collect();
    let title = format!("Still overlapping, the deepest of {}", thousands(report.after.molecules));
    table(&title, &["molecule", "overlaps", "deepest / Å"], &rows)
}

fn stages(report: &RelaxReport) -> String {
    let whole = report.seconds().max(f64::MIN_POSITIVE);
    let row = |name: &str, seconds: f64| {
        vec![name.to_owned(), duration(seconds), format!("{:.0} %", 100.0 * seconds / whole)]
    };
    let mut rows: Vec<Vec<String>> = report.stages.iter().map(|stage| row(&stage.name, stage.seconds)).collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.push(row("together", report.seconds()));
    table("Time", &["stage", "time", "share"], &rows)
}

fn run(report: &RelaxReport) -> String {
    let holds = report.holds;
    let mut rows = vec![
        ("scene", report.scene.clone()),
        ("atoms", thousands(report.atoms)),
        ("molecules", format!("{} ({} fixed)", thousands(report.molecules), thousands(report.fixed))),
        ("definition of an overlap", report.definition.clone()),
        ("held in place", format!("{} molecules, {} beyond a leeway", thousands(holds.held), thousands(holds.broken))),
        ("response", report.response.clone()),
        ("ended by", report.stop.clone()),
        ("searches for near pairs", thousands(report.searches)),
        ("backend", report.backend.clone()),
        ("threads", report.threads.to_string()),
        ("peak memory", report.peak_memory_bytes.map(megabytes).unwrap_or_default()),
        ("seed", report.seed.to_string()),
        ("state hash", format!("{:016x}", report.state_hash)),
    ];
    rows.retain(|(_, value)| !value.is_empty());
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(what, value)| vec![what.to_owned(), value]).collect();
    table("The run", &[], &rows)
}

/// Numbers stand right, by the style of the page; the first column is a heading of its row.
fn table(title: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let title = if title.is_empty() { String::new() } else { format!("<h2>{}</h2>\n", escape(title)) };
    let head: String = header.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
    let head = if header.is_empty() { String::new() } else { format!("<tr>{head}</tr>\n") };
    let row = |row: &Vec<String>| {
        let (first, rest) = row.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
        let cells: String = rest.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        format!("<tr><th>{}</th>{cells}</tr>\n", escape(first))
    };
    let class = if header.is_empty() { "words" } else { "numbers" };
    let rows: String = rows.iter().map(row).collect();
    format!("{title}<div class=\"wide\"><table class=\"{class}\">\n{head}{rows}</table></div>\n")
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", thousands((bytes as f64 / 1e6).round() as u64))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

const STYLE: &str = "
:root{--ground:#fff;--ink:#222;--faint:#666;--line:#ddd;--card:#f5f6f8;--good:#00674b;--good-ground:#e3f4ee;--bad:#9a3d00;--bad-ground:#fdeee3}
@media(prefers-color-scheme:dark){:root{--ground:#1b1d21;--ink:#e6e6e6;--faint:#a0a4aa;--line:#3a3d43;--card:#26292e;--good:#5fe0b7;--good-ground:#12352b;--bad:#ffb07c;--bad-ground:#3d2413}}
body{font:15px/1.5 system-ui,sans-serif;max-width:1120px;margin:2rem auto;padding:0 1rem;background:var(--ground);color:var(--ink)}
h1{font-size:1.6rem;margin:0 0 1rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
.verdict{padding:.8rem 1rem;border-radius:8px;font-size:1.15rem}
.clean{background:var(--good-ground);color:var(--good)}.left{background:var(--bad-ground);color:var(--bad)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(170px,1fr));gap:.8rem;margin:1rem 0}
.cards div{background:var(--card);border-radius:8px;padding:.7rem 1rem}
.cards b{display:block;font-size:1.25rem;font-variant-numeric:tabular-nums}.cards span{color:var(--faint);font-size:.85rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(480px,100%),1fr));gap:1rem}.plots+.plots{margin-top:1.5rem}
figure{margin:0}figure svg,figure img{width:100%;height:auto;display:block}figure img{border-radius:8px;margin:.5rem 0}figcaption{color:var(--faint);font-size:.85rem;padding:0 .5rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin-bottom:1rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right}
tr>th:first-child{text-align:left;font-weight:normal;padding-left:0}tr:first-child th{color:var(--faint);font-weight:normal}
.words td{text-align:left}.words tr:first-child th{color:inherit}
@media print{body{margin:0}figure,table{break-inside:avoid}}
";

#[cfg(test)]
mod tests {
    use steric::world::report::{Motion, OverlapTotals, StillOverlapping};

    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_page_stands_alone_and_shows_what_is_left() {
        let still = StillOverlapping { molecule: 16, name: "#17 <POPC>".to_owned(), overlaps: 3, deepest: 0.25 };
        let spread = Spread::new(vec![1.0, 2.0, 4.0]);
        let report = RelaxReport {
            after: OverlapTotals { overlaps: 3, molecules: 2, deepest: 0.25, mean_depth: 0.1 },
            still_overlapping: vec![still],
            verdicts: vec!["outer leaflet: tight".to_owned()],
            motion: Motion { moved: spread.clone(), turned_degrees: spread },
            history: vec![Iteration { overlapping: 9, ..Iteration::default() }, Iteration::default()],
            ..RelaxReport::default()
        };
        let page = page(&report, "A & B", Some(&[b"\x89PNG".to_vec(), b"foo".to_vec()]));
        for wanted in [
            "<title>A &amp; B</title>",
            "✗ 3 overlaps left",
            "outer leaflet: tight",
            "#17 &lt;POPC&gt;",
            "png;base64,Zm9v",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert_eq!(page.matches("<svg").count(), 5, "three over the iterations, two of the motion");
        assert_eq!(page.matches("<figure>").count(), page.matches("</figure>").count());
        assert!(!page.contains("<script") && !page.contains("src=\"http") && !page.contains("<link"));
    }

    #[test]
    fn an_empty_report_is_a_page_without_plots() {
        let page = page(&RelaxReport::default(), "nothing", None);
        assert!(page.contains("✓ No overlaps left") && !page.contains("<svg") && !page.contains("NaN"));
    }
}
