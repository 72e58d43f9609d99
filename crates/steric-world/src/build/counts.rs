//! How many molecules of each kind, and how large a membrane they make.
//!
//! How it works: a leaflet has lipids that are counted and lipids that share what area is left. So many of the second
//! kind fit as the area at the height of the lipids' centroids, less what is taken, holds of their mean area. A size
//! that is not given is found by bisection, because that number grows with it.

/// Whole numbers in proportion to shares, with the right sum: everybody gets the whole part, and the largest remainders
/// get one more (Hamilton's method). Of equal remainders the first goes first.
pub(super) fn largest_remainder(total: u64, shares: &[f64]) -> Vec<u64> {
    let sum: f64 = shares.iter().sum();
    if sum <= 0.0 || !sum.is_finite() {
        return vec![0; shares.len()];
    }
    let exact: Vec<f64> = shares.iter().map(|share| total as f64 * share / sum).collect();
    let mut counts: Vec<u64> = exact.iter().map(|exact| exact.floor() as u64).collect();
    let mut order: Vec<usize> = (0..shares.len()).filter(|&at| shares[at] > 0.0).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = total.saturating_sub(counts.iter().sum());
    for at in order.into_iter().take(missing as usize) {
        counts[at] += 1;
    }
    counts
}

/// One leaflet before its shared lipids are counted. Areas are in square angstroms.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    /// What counted lipids and proteins take.
    pub(super) taken: f64,
    /// Mean area of a shared lipid; `None` without any.
    pub(super) mean_area: Option<f64>,
}

impl Demand {
    /// How many shared lipids an area holds.
    fn fits(&self, area: f64) -> f64 {
        self.mean_area.map_or(0.0, |mean| (area - self.taken).max(0.0) / mean)
    }
}

/// How many shared lipids go to each leaflet: `total` of them in proportion to what fits, or as many as fit.
pub(super) fn split(total: Option<u64>, demands: &[Demand; 2], areas: [f64; 2]) -> [u64; 2] {
    let fits = [demands[0].fits(areas[0]), demands[1].fits(areas[1])];
    let Some(total) = total else {
        return fits.map(|fits| fits.round() as u64);
    };
    // Where nothing is left, the crowd is shared by area: the user may want to see it.
    let crowd = [0, 1].map(|at| demands[at].mean_area.map_or(0.0, |mean| areas[at].max(1.0) / mean));
    let shares = if fits.iter().sum::<f64>() > 0.0 { fits } else { crowd };
    let counts = largest_remainder(total, &shares);
    [counts[0], counts[1]]
}

/// The least size at which the leaflets hold so many shared lipids and all that is counted; `areas` must grow with the
/// size. `None` where no size below a centimetre does.
pub(super) fn size_for(total: u64, demands: &[Demand; 2], areas: impl Fn(f64) -> [f64; 2]) -> Option<f64> {
    let excess = |size: f64| {
        let areas = areas(size);
        if demands.iter().all(|demand| demand.mean_area.is_none()) {
            return areas[0] + areas[1] - demands[0].taken - demands[1].taken;
        }
        demands[0].fits(areas[0]) + demands[1].fits(areas[1]) - total as f64
    };
    let (mut low, mut high) = (0.0, 1e8);
    if excess(high) < 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_have_the_right_sum_and_miss_no_share_by_one(
            total in 0..100_000_u64,
            shares in prop::collection::vec(0.0..10.0_f64, 1..8),
        ) {
            let counts = largest_remainder(total, &shares);
            let sum: f64 = shares.iter().sum();
            if sum > 0.0 {
                prop_assert_eq!(counts.iter().sum::<u64>(), total);
                for (count, share) in counts.iter().zip(&shares) {
                    prop_assert!((*count as f64 - total as f64 * share / sum).abs() < 1.0 + 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_share_of_nothing_gets_nothing() {
        assert_eq!(largest_remainder(7, &[0.0, 1.0, 1.0]), [0, 4, 3]);
        assert_eq!(largest_remainder(7, &[0.0]), [0]);
    }

    #[test]
    fn the_radius_of_a_vesicle_solves_its_equation() {
        let demand = Demand { taken: 0.0, mean_area: Some(68.0) };
        let areas = |radius: f64| [10.8, -10.8].map(|height: f64| 4.0 * PI * (radius + height).max(0.0).powi(2));
        let radius = size_for(2000, &[demand; 2], areas).unwrap();
        // 4 pi ((R + z)^2 + (R - z)^2) / 68 = 2000.
        let expected = (2000.0 * 68.0 / (8.0 * PI) - 10.8 * 10.8_f64).sqrt();
        assert!((radius - expected).abs() < 1e-6, "{radius} {expected}");
        let [outer, inner] = split(Some(2000), &[demand; 2], areas(radius));
        assert_eq!(outer + inner, 2000);
        assert!((outer as f64 / inner as f64 - ((radius + 10.8) / (radius - 10.8)).powi(2)).abs() < 0.01);
    }

    #[test]
    fn what_is_counted_needs_its_own_area() {
        let demand = Demand { taken: 5_000.0, mean_area: None };
        let edge = size_for(0, &[demand; 2], |edge| [edge * edge; 2]).unwrap();
        assert!((edge * edge - 5_000.0).abs() < 1e-6);
    }
}
