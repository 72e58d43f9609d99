//! What a run of soft bodies was, in numbers.

use std::fmt;

use serde::Serialize;
use steric_world::deform::Stepped;

use super::run::SoftRun;

/// A body at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyRow {
    /// What it is called.
    pub name: String,
    /// Its points.
    pub points: usize,
    /// Its tetrahedra.
    pub tetrahedra: usize,
    /// Of its volume at rest.
    pub volume_part: f64,
    /// Its points in contact.
    pub touching: usize,
}

/// What was seen.
///
/// ```
/// use steric::deform::{DeformReport, DeformScene};
///
/// let text = "[[body]]\nblock = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }\n";
/// let mut run = DeformScene::read(text, "cube.toml".as_ref())?.start("".as_ref(), None)?;
/// let mut report = DeformReport::new("cube");
/// report.note(&run.step());
/// report.finish(&run);
/// assert!(report.overlapping == 0 && report.to_string().contains("no body in another"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeformReport {
    /// What was run.
    pub name: String,
    /// Steps of this run.
    pub steps: u64,
    /// Seconds in the scene.
    pub time_s: f64,
    /// Steps in a second of computing.
    pub steps_per_second: f64,
    /// Of the time, what the search for collisions took.
    pub detect_part: f64,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Of the pairs that boxes gave, the part that connectivity passed over.
    pub culled_part: f64,
    /// The narrowest gap at the beginning of any step, in metres.
    pub narrowest_gap: Option<f64>,
    /// The deepest point inside a tetrahedron in any step, in metres.
    pub deepest: f64,
    /// Points that had to stay where they were for a step, over all steps.
    pub stopped: u64,
    /// Points inside tetrahedra of others and edges through others, at the end.
    pub overlapping: usize,
    /// Joules at the end.
    pub kinetic_energy: f64,
    /// Joules at the end.
    pub elastic_energy: f64,
    /// Each body.
    pub bodies: Vec<BodyRow>,
    #[serde(skip)]
    seconds: [f64; 2],
    #[serde(skip)]
    pairs: [usize; 2],
}

impl DeformReport {
    /// Of a run that begins.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// After a step.
    pub fn note(&mut self, stepped: &Stepped) {
        self.steps += 1;
        self.seconds[0] += stepped.detect_s;
        self.seconds[1] += stepped.solve_s;
        self.pairs[0] += stepped.culled;
        self.pairs[1] += stepped.candidates;
        self.contacts = stepped.contacts;
        self.deepest = self.deepest.max(stepped.deepest);
        self.stopped += stepped.stopped as u64;
        self.narrowest_gap = match (self.narrowest_gap, stepped.narrowest) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }

    /// At the end; looks for overlaps by points in tetrahedra and edges through triangles.
    pub fn finish(&mut self, run: &SoftRun) {
        let world = &run.world;
        let energy = world.body.energy();
        let overlaps = world.overlaps();
        self.time_s = world.time();
        let seconds: f64 = self.seconds.iter().sum();
        self.steps_per_second = if seconds > 0.0 { self.steps as f64 / seconds } else { 0.0 };
        self.detect_part = if seconds > 0.0 { self.seconds[0] / seconds } else { 0.0 };
        self.culled_part = self.pairs[0] as f64 / (self.pairs[0] + self.pairs[1]).max(1) as f64;
        self.overlapping = overlaps.found.len() + overlaps.lost + overlaps.crossed.len();
        (self.kinetic_energy, self.elastic_energy) = (energy.kinetic, energy.elastic);
        self.bodies = (0..run.names().len()).map(|body| row(run, body)).collect();
    }

    /// Whether every number is one.
    pub fn is_finite(&self) -> bool {
        self.kinetic_energy.is_finite() && self.elastic_energy.is_finite()
    }
}

fn row(run: &SoftRun, body: usize) -> BodyRow {
    let (soft, part) = (&run.world.body, &run.world.body.parts()[body]);
    let volume = |places: &[glam::DVec3]| -> f64 {
        let of = |corners: &[u32; 4]| {
            let [a, b, c, d] = corners.map(|corner| places[corner as usize]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        };
        soft.tetrahedra()[part.tetrahedra.clone()].iter().map(of).sum()
    };
    BodyRow {
        name: run.names()[body].clone(),
        points: part.points.len(),
        tetrahedra: part.tetrahedra.len(),
        volume_part: volume(&soft.positions) / volume(soft.rest()),
        touching: run.world.touching()[part.points.clone()].iter().filter(|touches| **touches).count(),
    }
}

impl fmt::Display for DeformReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points: usize = self.bodies.iter().map(|body| body.points).sum();
        let tetrahedra: usize = self.bodies.iter().map(|body| body.tetrahedra).sum();
        let plural = if self.bodies.len() == 1 { "body" } else { "bodies" };
        writeln!(f, "{}: {} {plural}, {points} points, {tetrahedra} tetrahedra", self.name, self.bodies.len())?;
        writeln!(
            f,
            "{} steps, {:.3} s; {:.1} steps a second, {:.0} % of the time for collisions",
            self.steps,
            self.time_s,
            self.steps_per_second,
            100.0 * self.detect_part
        )?;
        writeln!(
            f,
            "{} contacts at the end; connectivity passed over {:.0} % of the pairs",
            self.contacts,
            100.0 * self.culled_part
        )?;
        if let Some(gap) = self.narrowest_gap {
            writeln!(f, "narrowest gap {:.3} mm", 1e3 * gap)?;
        }
        if self.deepest > 0.0 {
            writeln!(f, "deepest point inside another body {:.3} mm", 1e3 * self.deepest)?;
        }
        writeln!(f, "kinetic energy {:.3e} J, elastic energy {:.3e} J", self.kinetic_energy, self.elastic_energy)?;
        for body in self.bodies.iter().take(12) {
            writeln!(
                f,
                "  {:<20} {:>8} tetrahedra  volume {:>6.1} %  {:>6} points touch",
                body.name,
                body.tetrahedra,
                100.0 * body.volume_part,
                body.touching
            )?;
        }
        if self.bodies.len() > 12 {
            writeln!(f, "  and {} more", self.bodies.len() - 12)?;
        }
        match self.overlapping {
            0 => writeln!(f, "no body in another"),
            some => writeln!(f, "{some} points or edges of bodies are in others"),
        }
    }
}
