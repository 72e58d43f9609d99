//! How numbers are spread: mean, median, extremes and a histogram.
//!
//! How it works: the values are sorted once; everything else is read off. Bins have a width of 1, 2 or 5 times a power of
//! ten and begin at a multiple of it, so that two histograms of the same thing can be laid over each other. The width
//! follows the middle 98 % of the values: one molecule that was flung away does not squeeze all others into one bar, it
//! is counted as standing above the last bin.

use serde::Serialize;

/// How some numbers are spread. Values that are no numbers are left out.
///
/// ```
/// use steric_world::report::Spread;
///
/// let tilts_degrees = Spread::new(vec![10.0, 30.0, 20.0]);
/// assert_eq!((tilts_degrees.count, tilts_degrees.mean, tilts_degrees.median), (3, 20.0, 20.0));
/// assert_eq!((tilts_degrees.least, tilts_degrees.most), (10.0, 30.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// How many there are; without any, all other numbers are 0.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation about the mean.
    pub deviation: f64,
    /// The smallest.
    pub least: f64,
    /// The middle one.
    pub median: f64,
    /// The largest.
    pub most: f64,
    /// How many fall where.
    pub histogram: Histogram,
}

impl Spread {
    /// The spread of some values.
    pub fn new(mut values: Vec<f64>) -> Self {
        values.retain(|value| value.is_finite());
        values.sort_unstable_by(f64::total_cmp);
        let (Some(&least), Some(&most)) = (values.first(), values.last()) else { return Self::default() };
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
        Self {
            count: values.len() as u64,
            mean,
            deviation: variance.sqrt(),
            least,
            median: median(&values),
            most,
            histogram: Histogram::new(&values),
        }
    }
}

/// Of an even number of values, the mean of the two in the middle.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { 0.5 * (sorted[middle - 1] + sorted[middle]) } else { sorted[middle] }
}

/// How many values fall into bins of equal width.
///
/// ```
/// use steric_world::report::Spread;
///
/// let histogram = Spread::new((0..100).map(f64::from).collect()).histogram;
/// assert_eq!(histogram.low, 0.0);
/// assert_eq!(histogram.width, 5.0);
/// assert_eq!(histogram.counts, [5; 20]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Histogram {
    /// Where the first bin begins.
    pub low: f64,
    /// How wide a bin is.
    pub width: f64,
    /// How many values each bin holds; a value on an edge belongs to the bin that it begins.
    pub counts: Vec<u64>,
    /// How many stand below the first bin.
    pub below: u64,
    /// How many stand above the last bin.
    pub above: u64,
}

impl Histogram {
    /// As many bins as a plot of a hand's width shows.
    const BINS: f64 = 25.0;
    /// Beyond these, values count as below or above.
    const MOST_BINS: f64 = 60.0;

    fn new(sorted: &[f64]) -> Self {
        let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
        let percentile = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
        let (low, high) = (percentile(0.01), percentile(0.99));
        let width = bin_width((high - low) / Self::BINS, least.abs().max(most.abs()));
        let room = 0.5 * (Self::MOST_BINS * width - (high - low));
        let first = (least.max(low - room) / width).floor();
        let last = (most.min(high + room) / width).floor();
        let mut histogram = Self { low: first * width, width, ..Self::default() };
        histogram.counts.resize((last - first) as usize + 1, 0);
        for value in sorted {
            histogram.add((value / width).floor() - first);
        }
        histogram
    }

    fn add(&mut self, bin: f64) {
        match bin {
            bin if bin < 0.0 => self.below += 1,
            bin if bin < self.counts.len() as f64 => self.counts[bin as usize] += 1,
            _ => self.above += 1,
        }
    }
}

/// The next of 1, 2, 5 times a power of ten that is not smaller; 1 where all values are the same. Never so small that
/// a value of this size could not tell its bin from the next.
fn bin_width(wanted: f64, largest: f64) -> f64 {
    let wanted = if wanted > 0.0 && wanted.is_finite() { wanted } else { 1.0 };
    let wanted = wanted.max(largest * 1e-9);
    let decade = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * decade);
    steps.into_iter().find(|&step| step >= wanted * (1.0 - 1e-9)).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_value_is_counted_once_and_the_mean_lies_between_the_extremes(
            values in prop::collection::vec(prop_oneof![-1e6..1e6f64, -1e-3..1e-3f64, Just(0.0), Just(f64::NAN)], 0..300),
        ) {
            let numbers = values.iter().filter(|value| !value.is_nan()).count() as u64;
            let spread = Spread::new(values);
            let Histogram { counts, below, above, .. } = &spread.histogram;
            prop_assert_eq!(counts.iter().sum::<u64>() + below + above, numbers);
            prop_assert_eq!(spread.count, numbers);
            prop_assert!(counts.len() <= 62, "{}", counts.len());
            let slack = 1e-9 * spread.least.abs().max(spread.most.abs());
            prop_assert!(spread.least - slack <= spread.mean && spread.mean <= spread.most + slack);
            prop_assert!(spread.least <= spread.median && spread.median <= spread.most);
        }
    }

    #[test]
    fn one_molecule_far_away_does_not_squeeze_the_others_into_one_bar() {
        let mut values: Vec<f64> = (0..1_000).map(|i| f64::from(i) / 250.0).collect();
        values.push(5_000.0);
        let histogram = Spread::new(values).histogram;
        assert_eq!((histogram.width, histogram.above), (0.2, 1));
        assert_eq!(histogram.counts.iter().filter(|&&count| count > 0).count(), 20);
    }

    #[test]
    fn the_deviation_is_that_of_the_textbook() {
        let spread = Spread::new(vec![2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((spread.mean, spread.deviation, spread.median), (5.0, 2.0, 4.5));
    }

    #[test]
    fn nothing_is_spread_over_nothing() {
        assert_eq!(Spread::new(vec![f64::INFINITY]), Spread::default());
        assert_eq!(Spread::new(vec![3.0; 4]).histogram.counts, [4]);
    }
}
