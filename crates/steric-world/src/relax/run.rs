//! Iterating until nothing overlaps, or until a limit.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::world::{Iteration, Relax};

/// Why a relaxation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Nothing overlaps and no constraint is broken.
    Rest,
    /// The limit of iterations was reached.
    Iterations,
    /// The limit of seconds was reached.
    Seconds,
    /// The number of overlapping molecules has not fallen for too long.
    Stalled,
    /// Someone asked for an end.
    Interrupted,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Rest => "rest",
            Self::Iterations => "the limit of iterations",
            Self::Seconds => "the limit of time",
            Self::Stalled => "a stall",
            Self::Interrupted => "an interruption",
        })
    }
}

impl Relax {
    /// Iterates until rest or a limit; `watch` sees every iteration and may end the run.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use glam::{DVec3, Vec3};
    /// use steric_model::{Pose, Scene};
    /// use steric_world::relax::{Relax, RelaxOptions, Setup, Stop};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// for x in 0..10 {
    ///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
    /// }
    /// let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
    /// assert_eq!(relax.run(|_, _| ControlFlow::Continue(())), Stop::Rest);
    /// ```
    pub fn run(&mut self, mut watch: impl FnMut(&Self, &Iteration) -> ControlFlow<()>) -> Stop {
        let started = Instant::now();
        loop {
            if self.rests {
                return Stop::Rest;
            }
            if self.iteration >= self.options.max_iterations {
                return Stop::Iterations;
            }
            if self.options.max_seconds > 0.0 && started.elapsed().as_secs_f64() > self.options.max_seconds {
                return Stop::Seconds;
            }
            if self.is_stalled() {
                return Stop::Stalled;
            }
            let iteration = self.step();
            if watch(self, &iteration).is_break() {
                return Stop::Interrupted;
            }
        }
    }

    /// Whether the number of molecules in trouble has not reached a new low for too long.
    fn is_stalled(&self) -> bool {
        let patience = self.options.stall_iterations as usize;
        if patience == 0 || self.history.len() <= patience {
            return false;
        }
        let (before, lately) = self.history.split_at(self.history.len() - patience);
        let least = |part: &[Iteration]| part.iter().map(trouble).min();
        least(lately) >= least(before)
    }
}

fn trouble(iteration: &Iteration) -> u32 {
    iteration.overlapping + iteration.broken
}
