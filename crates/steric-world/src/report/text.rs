//! The report as a person reads it: the verdict, the totals, the membranes, what is left.

use std::fmt;

use super::membrane::name;
use super::words::{columns, counted, duration, facts, thousands};
use super::{HoldReport, LeafletReport, MembraneReport, Motion, PiercingTotals, RelaxReport, Spread};

impl fmt::Display for RelaxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.headline())?;
        for sentence in self.verdicts.iter().chain(&self.remarks) {
            writeln!(f, "  {sentence}")?;
        }
        if !(self.verdicts.is_empty() && self.remarks.is_empty()) {
            writeln!(f)?;
        }
        f.write_str(&facts(&self.facts()))?;
        self.membranes.iter().try_for_each(|membrane| write!(f, "\n{}", leaflets(membrane)))?;
        if !self.still_overlapping.is_empty() {
            write!(f, "\n{}", self.remaining())?;
        }
        Ok(())
    }
}

impl RelaxReport {
    /// The verdict in one line.
    ///
    /// ```
    /// use steric_world::report::{OverlapTotals, RelaxReport};
    ///
    /// let after = OverlapTotals { overlaps: 3, molecules: 2, deepest: 0.5, mean_depth: 0.2 };
    /// let report = RelaxReport { atoms: 1_000, molecules: 50, after, ..RelaxReport::default() };
    /// assert_eq!(report.headline(), "3 overlaps left between 2 of 50 molecules (1,000 atoms)");
    /// ```
    pub fn headline(&self) -> String {
        let atoms = counted(self.atoms, "atom");
        if self.is_clean() {
            let clean = format!("no overlaps left among {atoms} in {}", counted(self.molecules, "molecule"));
            return match self.holds.broken {
                0 => clean,
                broken => format!("{clean}, but {} beyond the leeway of a constraint", counted(broken, "molecule")),
            };
        }
        let (left, touched) = (counted(self.after.overlaps, "overlap"), thousands(self.after.molecules));
        format!("{left} left between {touched} of {} ({atoms})", counted(self.molecules, "molecule"))
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let Self { before, after, .. } = self;
        let mut facts = vec![
            ("scene", self.scene.clone()),
            ("overlaps", format!("{} → {}", thousands(before.overlaps), thousands(after.overlaps))),
            ("molecules overlapping", format!("{} → {}", thousands(before.molecules), thousands(after.molecules))),
            ("deepest overlap", format!("{:.3} → {:.3} Å", before.deepest, after.deepest)),
            ("mean overlap", format!("{:.3} → {:.3} Å", before.mean_depth, after.mean_depth)),
            ("ring piercings", piercings(self.piercings)),
            ("moved", moved(&self.motion)),
            ("turned", turned(&self.motion)),
            ("holds", holds(&self.holds)),
            ("fixed", if self.fixed > 0 { counted(self.fixed, "molecule") } else { String::new() }),
            ("definition", self.definition.clone()),
            ("iterations", self.progress()),
            ("response", self.response.clone()),
            ("backend", self.backend.clone()),
            ("time", self.times()),
            ("peak memory", self.peak_memory_bytes.map(megabytes).unwrap_or_default()),
            ("state", format!("{:016x} (seed {})", self.state_hash, self.seed)),
        ];
        facts.retain(|(_, value)| !value.is_empty());
        facts
    }

    fn progress(&self) -> String {
        let stop = if self.stop.is_empty() { String::new() } else { format!(", ended by {}", self.stop) };
        let searches = if self.searches == 1 { "search" } else { "searches" };
        format!("{}{stop} ({} {searches})", thousands(self.iterations), thousands(self.searches))
    }

    fn times(&self) -> String {
        let threads = counted(self.threads as u64, "thread");
        let stages = self.stages.iter().map(|stage| format!("{} {}", stage.name, duration(stage.seconds)));
        let stages: Vec<String> = stages.collect();
        if stages.is_empty() {
            return String::new();
        }
        format!("{} = {} ({threads})", duration(self.seconds()), stages.join(" + "))
    }

    fn remaining(&self) -> String {
        let title = match self.still_overlapping.len() as u64 {
            shown if shown >= self.after.molecules => "Still overlapping, deepest first".to_owned(),
            shown => format!("Still overlapping, the {shown} deepest of {}", thousands(self.after.molecules)),
        };
        let row = |still: &super::StillOverlapping| {
            vec![format!("{:.3}", still.deepest), thousands(still.overlaps), still.name.clone()]
        };
        let rows: Vec<Vec<String>> = self.still_overlapping.iter().map(row).collect();
        format!("{title}\n{}", columns(&["depth/Å", "overlaps", "molecule"], &[true, true, false], &rows))
    }
}

fn piercings(totals: PiercingTotals) -> String {
    let PiercingTotals { before, after, repaired } = totals;
    match (before.max(after), repaired) {
        (0, 0) => "none".to_owned(),
        (_, 0) => format!("{} → {}", thousands(before), thousands(after)),
        _ => format!("{} → {} ({} repaired)", thousands(before), thousands(after), thousands(repaired)),
    }
}

fn moved(motion: &Motion) -> String {
    let Spread { mean, median, most, count, .. } = motion.moved;
    if count == 0 { String::new() } else { format!("mean {mean:.2} Å, median {median:.2} Å, most {most:.2} Å") }
}

fn turned(motion: &Motion) -> String {
    let Spread { mean, median, most, count, .. } = motion.turned_degrees;
    if count == 0 { String::new() } else { format!("mean {mean:.1}°, median {median:.1}°, most {most:.1}°") }
}

fn holds(report: &HoldReport) -> String {
    let HoldReport { held, broken, worst, worst_degrees } = *report;
    match (held, broken) {
        (0, _) => String::new(),
        (_, 0) => format!("kept by all {}", counted(held, "molecule")),
        _ => format!(
            "broken by {} of {}, by {worst:.2} Å and {worst_degrees:.1}° at most",
            thousands(broken),
            counted(held, "molecule")
        ),
    }
}

fn leaflets(membrane: &MembraneReport) -> String {
    let header = [
        "leaflet",
        "molecules",
        "Å²/lipid at heads",
        "at centres",
        "tilt/°",
        "most",
        "head height/Å",
        "off by",
        "swaps",
        "broken",
    ];
    let mut right = [true; 10];
    right[0] = false;
    let area = |area: Option<f64>| area.map_or_else(|| "?".to_owned(), |area| format!("{area:.1}"));
    let row = |leaflet: &LeafletReport| {
        let LeafletReport { tilt_degrees: tilt, height, deviation, .. } = leaflet;
        vec![
            name(leaflet.leaflet).to_owned(),
            thousands(leaflet.molecules),
            area(leaflet.area_at_heads),
            area(leaflet.area_at_centers),
            format!("{:.1} ± {:.1}", tilt.mean, tilt.deviation),
            format!("{:.1}", tilt.most),
            format!("{:.2} ± {:.2}", height.mean, height.deviation),
            format!("{:.2}", deviation.most.max(-deviation.least)),
            thousands(leaflet.swaps),
            thousands(leaflet.broken),
        ]
    };
    let rows: Vec<Vec<String>> = membrane.leaflets.iter().map(row).collect();
    format!("Membrane: {}\n{}", membrane.surface, columns(&header, &right, &rows))
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", thousands((bytes as f64 / 1e6).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::super::{OverlapTotals, Stage, StillOverlapping};
    use super::*;
    use crate::relax::Leaflet;

    fn sample() -> RelaxReport {
        let spread = |values: &[f64]| Spread::new(values.to_vec());
        let leaflet = |leaflet: Leaflet| LeafletReport {
            molecules: 1_093,
            tilt_degrees: spread(&[5.0, 15.0]),
            height: spread(&[18.0 * leaflet.sign(), 19.0 * leaflet.sign()]),
            deviation: spread(&[-0.75, 0.25]),
            area_at_heads: Some(78.25),
            ..LeafletReport::empty(leaflet)
        };
        RelaxReport {
            scene: "vesicle".to_owned(),
            atoms: 104_000,
            molecules: 2_000,
            before: OverlapTotals { overlaps: 12_345, molecules: 2_000, deepest: 1.98, mean_depth: 0.61 },
            motion: Motion { moved: spread(&[1.0, 2.0]), turned_degrees: spread(&[10.0]) },
            membranes: vec![MembraneReport {
                surface: "sphere of radius 250.0 Å".to_owned(),
                leaflets: vec![leaflet(Leaflet::Outer), leaflet(Leaflet::Inner)],
            }],
            holds: HoldReport { held: 2_000, ..HoldReport::default() },
            piercings: PiercingTotals { before: 3, after: 0, repaired: 3 },
            definition: "packmol: atoms of different molecules closer than 2.00 Å".to_owned(),
            response: "newton".to_owned(),
            iterations: 58,
            searches: 12,
            stop: "rest".to_owned(),
            stages: vec![
                Stage { name: "discs".to_owned(), seconds: 0.0123 },
                Stage { name: "relax".to_owned(), seconds: 1.5 },
            ],
            threads: 2,
            peak_memory_bytes: Some(123_000_000),
            state_hash: 0x1234,
            seed: 7,
            ..RelaxReport::default()
        }
    }

    #[test]
    fn a_clean_run_reads_from_the_verdict_to_the_hash() {
        let expected = "\
no overlaps left among 104,000 atoms in 2,000 molecules

  scene                  vesicle
  overlaps               12,345 → 0
  molecules overlapping  2,000 → 0
  deepest overlap        1.980 → 0.000 Å
  mean overlap           0.610 → 0.000 Å
  ring piercings         3 → 0 (3 repaired)
  moved                  mean 1.50 Å, median 1.50 Å, most 2.00 Å
  turned                 mean 10.0°, median 10.0°, most 10.0°
  holds                  kept by all 2,000 molecules
  definition             packmol: atoms of different molecules closer than 2.00 Å
  iterations             58, ended by rest (12 searches)
  response               newton
  time                   1.51 s = discs 12.3 ms + relax 1.50 s (2 threads)
  peak memory            123 MB
  state                  0000000000001234 (seed 7)

Membrane: sphere of radius 250.0 Å
  leaflet  molecules  Å²/lipid at heads  at centres      tilt/°  most  head height/Å  off by  swaps  broken
  outer        1,093               78.2           ?  10.0 ± 5.0  15.0   18.50 ± 0.50    0.75      0       0
  inner        1,093               78.2           ?  10.0 ± 5.0  15.0  -18.50 ± 0.50    0.75      0       0
";
        assert_eq!(sample().to_string(), expected);
    }

    #[test]
    fn what_could_not_be_resolved_is_named_and_the_verdict_repeated() {
        let still = StillOverlapping { molecule: 16, name: "#17 POPC".to_owned(), overlaps: 3, deepest: 0.25 };
        let report = RelaxReport {
            after: OverlapTotals { overlaps: 4, molecules: 3, deepest: 0.25, mean_depth: 0.1 },
            verdicts: vec!["outer leaflet: cannot fit".to_owned()],
            still_overlapping: vec![still],
            holds: HoldReport { held: 10, broken: 2, worst: 0.5, worst_degrees: 3.0 },
            ..sample()
        };
        let text = report.to_string();
        assert!(
            text.starts_with("4 overlaps left between 3 of 2,000 molecules (104,000 atoms)\n\n  outer leaflet: cannot")
        );
        assert!(text.contains("  holds                  broken by 2 of 10 molecules, by 0.50 Å and 3.0° at most\n"));
        let rest =
            "Still overlapping, the 1 deepest of 3\n  depth/Å  overlaps  molecule\n    0.250         3  #17 POPC\n";
        assert!(text.ends_with(rest), "{text}");
    }
}
