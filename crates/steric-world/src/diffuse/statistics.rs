//! What is counted along the way.

use super::finder::Broken;

/// Counts since a run began.
///
/// ```
/// use steric_world::diffuse::{Bounds, Diffusion, Edge, Setup, Species, fill};
///
/// let mut setup = Setup::new(Bounds::cube(60.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 2.0)]);
/// setup.particles = fill(&setup, &[80])?;
/// let mut diffusion = Diffusion::new(setup)?;
/// for _ in 0..10 {
///     diffusion.step();
/// }
/// let counted = diffusion.statistics();
/// assert_eq!(counted.encounters(0, 0), counted.collisions);
/// # Ok::<(), steric_world::diffuse::DiffuseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Steps.
    pub steps: u64,
    /// Contacts between particles.
    pub collisions: u64,
    /// Contacts with walls and obstacles.
    pub wall_hits: u64,
    /// Particles that a border has swallowed.
    pub absorbed: u64,
    /// How often each rule was applied.
    pub rules: Vec<u64>,
    /// How often each decay happened.
    pub decays: Vec<u64>,
    /// Bonds that opened.
    pub opened: u64,
    /// Rules and decays that had to wait because what they make had no room.
    pub postponed: u64,
    /// Turns of molecules and clusters that were taken, and those that others were in the way of.
    pub turns: [u64; 2],
    /// Contacts after which somebody waited for the end of the step, because it was stuck between others.
    pub stuck: u64,
    /// Windows in which steps were searched.
    pub windows: u64,
    /// Steps in which the bound of Result 1 was broken.
    pub broken_steps: u64,
    /// Particles that broke it, over all steps.
    pub broken_particles: u64,
    /// The farthest that one went, in parts of what the bound allows; 0 where it was never broken.
    pub broken_farthest: f64,
    /// Momentum exchanged in contacts, times the distance of the two; in units of a step.
    pub(super) virial: f64,
    /// Twice the energy of motion at the beginning.
    pub(super) twice_energy: f64,
    pub(super) kinds: usize,
    pub(super) pairs: Vec<u64>,
}

impl Statistics {
    pub(super) fn new(kinds: usize, rules: usize, decays: usize) -> Self {
        Self { kinds, pairs: vec![0; kinds * kinds], rules: vec![0; rules], decays: vec![0; decays], ..Self::default() }
    }

    pub(super) fn begin(&mut self, energy: f64) {
        self.twice_energy = 2.0 * energy;
    }

    pub(super) fn note_encounter(&mut self, a: u16, b: u16) {
        self.collisions += 1;
        self.pairs[a.min(b) as usize * self.kinds + a.max(b) as usize] += 1;
    }

    pub(super) fn note_bound(&mut self, broken: &Broken) {
        if broken.particles > 0 {
            self.broken_steps += 1;
            self.broken_particles += broken.particles;
            self.broken_farthest = self.broken_farthest.max(broken.farthest);
        }
    }

    /// Contacts between two species.
    pub fn encounters(&self, a: u16, b: u16) -> u64 {
        self.pairs.get(a.min(b) as usize * self.kinds + a.max(b) as usize).copied().unwrap_or(0)
    }

    /// Pressure over that of an ideal gas, from the momentum that contacts exchange, in ballistic motion of constant energy; `time_step` in units of time.
    pub fn compressibility(&self, time_step: f64) -> f64 {
        // Momentum is counted in angstroms a step.
        let virial = self.virial / time_step;
        1.0 + virial / (self.steps as f64 * time_step * self.twice_energy)
    }
}
