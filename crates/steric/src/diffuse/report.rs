//! What a run has come to, beside what theory expects.

use std::f64::consts::PI;
use std::fmt;

use serde::Serialize;
use steric_world::diffuse::{Diffusion, Motion};

use super::TimeUnit;

/// How far a species has come.
#[derive(Clone, Debug, Serialize)]
pub struct SpeciesRow {
    /// Its name.
    pub name: String,
    /// Particles at the end.
    pub count: usize,
    /// Angstroms.
    pub radius: f64,
    /// Mean square displacement in square angstroms, over those that are of this species and were there from the beginning.
    pub mean_square_displacement: f64,
    /// 2 n D t: what it would be alone in the box.
    pub free: f64,
}

/// How often two species met.
#[derive(Clone, Debug, Serialize)]
pub struct EncounterRow {
    /// One.
    pub first: String,
    /// The other.
    pub second: String,
    /// Contacts, repeated ones among them.
    pub contacts: u64,
    /// First meetings that Smoluchowski's rate 4 π (D + D') (r + r') gives for so many dilute spheres in this time; in three dimensions.
    pub smoluchowski: Option<f64>,
}

/// What a run has come to.
///
/// ```
/// use steric::diffuse::{DiffuseReport, DiffuseScene, Wishes};
/// use steric::world::diffuse::Diffusion;
///
/// let text = "box = [50.0, 50.0, 50.0]\ntime-step = 1.0\n[[species]]\nname = \"A\"\nradius = 2.0\ndiffusion = 0.02\ncount = 10\n";
/// let scene = DiffuseScene::read(text, "small.toml".as_ref())?;
/// let mut diffusion = Diffusion::new(scene.setup("".as_ref(), &Wishes::default())?)?;
/// diffusion.step();
/// let report = DiffuseReport::new("small", &diffusion, scene.time_unit()?, 0.001);
/// assert!(report.deepest_overlap.is_none() && report.to_string().contains("10 particles"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct DiffuseReport {
    /// What ran.
    pub name: String,
    /// Particles at the end.
    pub particles: usize,
    /// Steps.
    pub steps: u64,
    /// Units of time.
    pub time: f64,
    /// The unit of time.
    pub time_unit: TimeUnit,
    /// How pairs were found.
    pub strategy: String,
    /// What two did that touched.
    pub response: String,
    /// Contacts of particles.
    pub collisions: u64,
    /// Contacts with walls and obstacles.
    pub wall_hits: u64,
    /// Particles that a border has swallowed.
    pub absorbed: u64,
    /// Each species.
    pub species: Vec<SpeciesRow>,
    /// Each pair of species that met.
    pub encounters: Vec<EncounterRow>,
    /// How often each rule was applied.
    pub rules: Vec<u64>,
    /// How often each decay happened.
    pub decays: Vec<u64>,
    /// Bonds that opened.
    pub opened: u64,
    /// Rules and decays for whose products there was no room.
    pub postponed: u64,
    /// Clusters of each size, single particles first.
    pub cluster_sizes: Vec<u64>,
    /// Contacts after which somebody had to wait for the end of the step.
    pub stuck: u64,
    /// Steps in which somebody went farther than the cells of the strategy allow.
    pub broken_steps: u64,
    /// The farthest that one went then, in parts of what is allowed.
    pub broken_farthest: f64,
    /// Whether such a particle was ignored, so that collisions may be missing.
    pub may_miss: bool,
    /// Pressure over that of an ideal gas, in ballistic motion.
    pub compressibility: Option<f64>,
    /// The deepest overlap at the end, in angstroms.
    pub deepest_overlap: Option<f64>,
    /// Wall time.
    pub milliseconds_per_step: f64,
    /// The same for every run with the same bits.
    pub state_hash: String,
}

impl DiffuseReport {
    /// Looks at a run; `seconds` is how long its steps took, per step.
    pub fn new(name: &str, diffusion: &Diffusion, time_unit: TimeUnit, seconds_per_step: f64) -> Self {
        let (setup, counted) = (diffusion.setup(), diffusion.statistics());
        let time = diffusion.time();
        let mut counts = vec![0; setup.species.len()];
        diffusion.particles().for_each(|placed| counts[placed.kind as usize] += 1);
        let species = setup.species.iter().zip(diffusion.mean_square_displacements()).zip(&counts);
        let species = species.map(|((species, measured), count)| SpeciesRow {
            name: species.name.clone(),
            count: *count,
            radius: species.radius,
            mean_square_displacement: measured,
            free: 2.0 * setup.dimensions as f64 * species.diffusion * time,
        });
        let volume = setup.bounds.volume(setup.dimensions);
        let mut encounters = Vec::new();
        for (a, one) in setup.species.iter().enumerate() {
            for (b, other) in setup.species.iter().enumerate().skip(a) {
                let contacts = counted.encounters(a as u16, b as u16);
                let pairs = if a == b { 0.5 } else { 1.0 } * counts[a] as f64 * counts[b] as f64;
                let rate = 4.0 * PI * (one.diffusion + other.diffusion) * (one.radius + other.radius);
                let is_spheres = setup.dimensions == 3 && setup.motion == Motion::Brownian;
                let smoluchowski = is_spheres.then(|| rate * pairs / volume * time);
                if contacts > 0 {
                    encounters.push(EncounterRow {
                        first: one.name.clone(),
                        second: other.name.clone(),
                        contacts,
                        smoluchowski,
                    });
                }
            }
        }
        Self {
            name: name.to_owned(),
            particles: diffusion.len(),
            steps: counted.steps,
            time,
            time_unit,
            strategy: setup.options.strategy.to_string(),
            response: setup.options.response.to_string(),
            collisions: counted.collisions,
            wall_hits: counted.wall_hits,
            absorbed: counted.absorbed,
            species: species.collect(),
            encounters,
            rules: counted.rules.clone(),
            decays: counted.decays.clone(),
            opened: counted.opened,
            postponed: counted.postponed,
            cluster_sizes: diffusion.cluster_sizes(),
            stuck: counted.stuck,
            broken_steps: counted.broken_steps,
            broken_farthest: counted.broken_farthest,
            may_miss: counted.broken_steps > 0 && setup.options.offenders == steric_world::diffuse::Offenders::Ignore,
            compressibility: (setup.motion == Motion::Ballistic && counted.steps > 0)
                .then(|| counted.compressibility(setup.options.time_step)),
            deepest_overlap: diffusion.deepest_overlap().map(|(_, _, depth)| depth),
            milliseconds_per_step: 1e3 * seconds_per_step,
            state_hash: format!("{:016x}", diffusion.state_hash()),
        }
    }
}

impl fmt::Display for DiffuseReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} particles after {} steps, {:.6} {}",
            self.name, self.particles, self.steps, self.time, self.time_unit
        )?;
        let per_step = self.collisions as f64 / self.steps.max(1) as f64;
        writeln!(
            f,
            "{} collisions ({per_step:.1} a step), {} at walls and obstacles",
            self.collisions, self.wall_hits
        )?;
        match self.deepest_overlap {
            None => writeln!(f, "no overlap")?,
            Some(depth) => writeln!(f, "OVERLAP: the deepest is {depth:.6} Å")?,
        }
        writeln!(f, "\nspecies                  count   radius Å      <r²> Å²     2nDt Å²   ratio")?;
        for row in &self.species {
            let ratio =
                if row.free > 0.0 { format!("{:.3}", row.mean_square_displacement / row.free) } else { "-".to_owned() };
            let SpeciesRow { name, count, radius, mean_square_displacement, free } = row;
            writeln!(
                f,
                "{name:<22} {count:>7} {radius:>10.2} {mean_square_displacement:>12.2} {free:>11.2} {ratio:>7}"
            )?;
        }
        if !self.encounters.is_empty() {
            writeln!(f, "\nencounters                                    contacts   Smoluchowski")?;
            for row in &self.encounters {
                let pair = format!("{} + {}", row.first, row.second);
                let expected = row.smoluchowski.map_or("-".to_owned(), |expected| format!("{expected:.1}"));
                writeln!(f, "{pair:<42} {:>11} {expected:>14}", row.contacts)?;
            }
        }
        for (number, count) in self.rules.iter().enumerate() {
            writeln!(f, "rule {}: {count} times", number + 1)?;
        }
        for (number, count) in self.decays.iter().enumerate() {
            writeln!(f, "decay {}: {count} times", number + 1)?;
        }
        if self.opened > 0 {
            writeln!(f, "{} bonds opened", self.opened)?;
        }
        if self.postponed > 0 {
            writeln!(f, "{} times there was no room for what a rule or a decay makes", self.postponed)?;
        }
        if self.cluster_sizes.len() > 1 {
            let sizes = self.cluster_sizes.iter().enumerate().filter(|(_, count)| **count > 0);
            let sizes: Vec<String> = sizes.map(|(size, count)| format!("{count} of {}", size + 1)).collect();
            writeln!(f, "clusters: {}", sizes.join(", "))?;
        }
        if self.absorbed > 0 {
            writeln!(f, "{} were absorbed", self.absorbed)?;
        }
        if self.stuck > 0 {
            writeln!(f, "{} times somebody was stuck between others until the step ended", self.stuck)?;
        }
        if self.broken_steps > 0 {
            let what = if self.may_miss { "COLLISIONS MAY BE MISSING" } else { "nothing was missed" };
            writeln!(
                f,
                "the bound of strategy {} was broken in {} steps, by up to {:.2} times what it allows; {what}",
                self.strategy, self.broken_steps, self.broken_farthest
            )?;
        }
        if let Some(ratio) = self.compressibility {
            writeln!(f, "pressure over that of an ideal gas: {ratio:.4}")?;
        }
        writeln!(f, "{:.3} ms a step ({})", self.milliseconds_per_step, self.strategy)
    }
}
