//! What the charts show: a row for each step, and never too many.
//!
//! How it works: when there are too many rows every second one is forgotten, and from then on rows are taken half as often, so that a run of any length has a chart of the whole of it.

use std::fmt::Write as _;

use steric::world::deform::{SoftWorld, Stepped};

/// Rows that are kept, at most.
const MOST_ROWS: usize = 2_000;

/// Numbers of soft bodies over time.
///
/// ```
/// use steric_studio::simulation::SoftHistory;
///
/// assert_eq!(SoftHistory::default().to_csv(), "time_s,contacts,kinetic_J,detect_ms,solve_ms\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SoftHistory {
    /// Seconds.
    pub times: Vec<f64>,
    /// Contacts of the step.
    pub contacts: Vec<f64>,
    /// Kinetic energy after it, in joules.
    pub kinetic: Vec<f64>,
    /// What the search for collisions took, in milliseconds.
    pub detect: Vec<f64>,
    /// What the rest took, in milliseconds.
    pub solve: Vec<f64>,
    /// Rows are taken once in two to the power of this many steps.
    halvings: u32,
}

impl SoftHistory {
    /// Takes a row if it is time for one.
    pub(super) fn note(&mut self, world: &SoftWorld, stepped: &Stepped) {
        if !world.steps().is_multiple_of(1 << self.halvings) {
            return;
        }
        self.times.push(world.time());
        self.contacts.push(stepped.contacts as f64);
        self.kinetic.push(kinetic(world));
        self.detect.push(1e3 * stepped.detect_s);
        self.solve.push(1e3 * stepped.solve_s);
        if self.times.len() >= MOST_ROWS {
            self.thin();
        }
    }

    /// Half as many rows: of two that follow each other the later stays, as its step has the rounder number.
    fn thin(&mut self) {
        for column in [&mut self.times, &mut self.contacts, &mut self.kinetic, &mut self.detect, &mut self.solve] {
            let mut row = 0;
            column.retain(|_| {
                row += 1;
                row % 2 == 0
            });
        }
        self.halvings += 1;
    }

    /// All rows as a table.
    pub fn to_csv(&self) -> String {
        let mut text = "time_s,contacts,kinetic_J,detect_ms,solve_ms\n".to_owned();
        for row in 0..self.times.len() {
            let [time, contacts, kinetic] = [self.times[row], self.contacts[row], self.kinetic[row]];
            // Writing to a string does not fail.
            writeln!(text, "{time:.6},{contacts},{kinetic:e},{:.4},{:.4}", self.detect[row], self.solve[row]).ok();
        }
        text
    }
}

/// In joules; without the elastic energy, which takes longer to know.
fn kinetic(world: &SoftWorld) -> f64 {
    let each = world.body.masses().iter().zip(&world.body.velocities);
    each.map(|(mass, velocity)| 0.5 * mass * velocity.length_squared()).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use steric::deform::DeformScene;

    use super::*;

    #[test]
    fn a_long_run_keeps_a_chart_of_all_of_it() {
        let text = "step = 0.01\n[[body]]\nblock = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }\n";
        let mut run = DeformScene::read(text, "cube.toml".as_ref()).unwrap().start("".as_ref(), None).unwrap();
        let mut history = SoftHistory::default();
        for _ in 0..5_000 {
            let stepped = run.step();
            history.note(&run.world, &stepped);
        }
        assert!(history.times.len() < MOST_ROWS && history.times.len() > MOST_ROWS / 4);
        assert!(
            history.times.windows(2).all(|pair| (pair[1] - pair[0] - 0.04).abs() < 1e-6),
            "four times as far apart"
        );
        assert!((history.times.last().unwrap() - 50.0).abs() < 1e-6);
        assert!(history.kinetic.windows(2).all(|pair| pair[0] < pair[1]), "what falls gets faster");
        assert_eq!(history.to_csv().lines().count(), history.times.len() + 1);
    }
}
