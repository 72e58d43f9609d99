//! What the charts show: a row now and then, and never too many.
//!
//! How it works: a row is taken every few steps. When there are too many, two neighbours become one and rows are taken half as often, so that a run of any length has a chart
//! of the whole of it.

use steric::diffuse::Series;
use steric::world::diffuse::Diffusion;

/// Rows that are kept, at most.
const MOST_ROWS: usize = 2_000;

/// Numbers over time.
///
/// ```
/// use steric_studio::simulation::History;
///
/// assert!(History::default().series.times.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Collisions, clusters and particles.
    pub series: Series,
    /// Mean square displacement of each species at the same times, in square angstroms.
    pub displacements: Vec<Vec<f64>>,
    /// Steps between two rows.
    every: u64,
}

impl History {
    /// A chart with a row every so many steps, at first.
    pub(super) fn new(every: u64) -> Self {
        Self { every: every.max(1), ..Self::default() }
    }

    /// Takes a row if it is time for one.
    pub(super) fn note(&mut self, diffusion: &Diffusion) {
        if !diffusion.step_number().is_multiple_of(self.every.max(1)) {
            return;
        }
        self.series.note(diffusion);
        let squares = diffusion.mean_square_displacements();
        self.displacements.resize_with(squares.len(), Vec::new);
        self.displacements.iter_mut().zip(squares).for_each(|(series, square)| series.push(square));
        if self.series.times.len() > MOST_ROWS {
            self.thin();
        }
    }

    /// Half as many rows: the first stays, and of two that follow each other the later stays, with the mean of their rates.
    fn thin(&mut self) {
        let Series { times, collisions, clusters, mean_cluster, species, .. } = &mut self.series;
        for row in (2..collisions.len()).step_by(2) {
            collisions[row] = 0.5 * (collisions[row - 1] + collisions[row]);
        }
        let columns = [times, collisions, clusters, mean_cluster].into_iter();
        for column in columns.chain(species.iter_mut()).chain(self.displacements.iter_mut()) {
            let mut row = 0;
            column.retain(|_| {
                row += 1;
                row % 2 == 1
            });
        }
        self.every *= 2;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use steric::world::diffuse::{Bounds, Edge, Setup, Species, fill};

    use super::*;

    #[test]
    fn a_long_run_keeps_a_chart_of_all_of_it_with_all_its_collisions() {
        let mut setup = Setup::new(Bounds::cube(40.0, Edge::Periodic), vec![Species::sphere("A", 5.0, 1.0)]);
        setup.particles = fill(&setup, &[20]).unwrap();
        let mut diffusion = Diffusion::new(setup).unwrap();
        let mut history = History::new(1);
        history.note(&diffusion);
        for _ in 0..5_000 {
            diffusion.step();
            history.note(&diffusion);
            assert!(history.series.times.len() <= MOST_ROWS);
        }
        let times = &history.series.times;
        assert_eq!((times[0], times.last().copied()), (0.0, Some(5_000.0)));
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 4.0), "four times as far apart");
        assert_eq!(history.displacements[0].len(), times.len());
        let seen: f64 =
            times.windows(2).zip(&history.series.collisions[1..]).map(|(pair, rate)| (pair[1] - pair[0]) * rate).sum();
        let counted = diffusion.statistics().collisions as f64;
        assert!(counted > 100.0 && (seen / counted - 1.0).abs() < 1e-9, "{seen} of {counted}");
    }
}
