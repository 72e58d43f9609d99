//! Iterating until nothing overlaps, or until a limit.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use steric_model::Instant;

use super::options::RelaxOptions;
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
    pub fn run(&mut self, watch: impl FnMut(&Self, &Iteration) -> ControlFlow<()>) -> Stop {
        self.run_since(Instant::now(), watch)
    }

    /// Iterates under a limit of time that has been running for a while.
    pub(super) fn run_since(
        &mut self,
        started: Instant,
        mut watch: impl FnMut(&Self, &Iteration) -> ControlFlow<()>,
    ) -> Stop {
        loop {
            if let Some(stop) = self.stop(started) {
                return stop;
            }
            let iteration = self.step();
            if watch(self, &iteration).is_break() {
                return Stop::Interrupted;
            }
        }
    }

    /// Why there should be no further iteration, if so.
    pub(super) fn stop(&self, started: Instant) -> Option<Stop> {
        self.stop_at(started.elapsed().as_secs_f64())
    }

    /// Why there should be no further iteration after so many seconds, if so.
    pub fn stop_at(&self, seconds: f64) -> Option<Stop> {
        let RelaxOptions { max_iterations, max_seconds, .. } = self.options;
        if self.rests {
            Some(Stop::Rest)
        } else if self.iteration >= max_iterations {
            Some(Stop::Iterations)
        } else if max_seconds > 0.0 && seconds > max_seconds {
            Some(Stop::Seconds)
        } else if self.patience() == 0 {
            Some(Stop::Stalled)
        } else {
            None
        }
    }

    /// After how many more iterations the relaxation stalls, unless fewer molecules than ever are in trouble until then.
    pub(super) fn patience(&self) -> u32 {
        let patience = self.options.stall_iterations as usize;
        if patience == 0 {
            return u32::MAX;
        }
        let best = (0..self.history.len()).min_by_key(|&at| trouble(&self.history[at])).unwrap_or(0);
        (best + 1 + patience).saturating_sub(self.history.len()) as u32
    }
}

/// How many molecules an iteration found in trouble.
pub(super) fn trouble(iteration: &Iteration) -> u32 {
    iteration.overlapping + iteration.broken
}
