//! Numbers of the study, as it prints them (section 6: Figures 6 and 7, Table 2, and the text between them).

use steric::collide::{BoxIndexKind, MostCells};

/// What is compared in a figure, and what the study says about it.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) file: &'static str,
    pub(super) title: &'static str,
    /// Kinds of index, and whether they are measured with every number of threads or with one.
    pub(super) kinds: &'static [(BoxIndexKind, bool)],
    pub(super) words: &'static str,
}

pub(super) const FIGURE_6: Figure = Figure {
    file: "figure-6.svg",
    title: "Figure 6: collision handling of stacked membranes",
    kinds: &[(BoxIndexKind::Hashing, false), (BoxIndexKind::Compact, true)],
    words: "Study: the index sort updates faster than serial hashing even on one core; its query is slower on one core, which\n  \
            every further core makes up for; the first frame is the slowest, because nothing is sorted yet.",
};

pub(super) const FIGURE_7: Figure = Figure {
    file: "figure-7.svg",
    title: "Figure 7: collision handling of the eye in its socket",
    kinds: &[(BoxIndexKind::Compact, true), (BoxIndexKind::Cuckoo, true)],
    words: "Study, on 8 cores: 3.2 times as fast with index sort (80 % in parallel), 2.6 times with cuckoo hashing (70 %).",
};

/// The speed-up on eight cores and the share that runs in parallel.
pub(super) fn scaling(kind: BoxIndexKind) -> Option<(f64, f64)> {
    match kind {
        BoxIndexKind::Compact => Some((3.2, 0.8)),
        BoxIndexKind::Cuckoo => Some((2.6, 0.7)),
        _ => None,
    }
}

/// The share of a program that runs in parallel, by the speed-up on so many processors (Amdahl's law, as the study writes it).
pub(super) fn parallel_share(speed_up: f64, processors: usize) -> f64 {
    (1.0 / speed_up - 1.0) / (1.0 / processors as f64 - 1.0)
}

/// Keys that are sorted.
pub(super) const KEYS: usize = 128_000;

/// Shares of keys that changed, and milliseconds of the study's radix sort and of its adaptive one, on four cores.
pub(super) const SORTS: [(f64, &str, &str); 3] = [(1.0, "14", "about 14"), (0.1, "14", "under 6"), (0.02, "14", "3")];

/// Faster queries of edges and triangles along the Z-curve.
pub(super) const Z_CURVE: &str = "8 % (edges)";

/// Table 2: the scene here, the scene there, then for at most 27, 8 and 1 cells the largest, the mean and the standard deviation in centimetres.
pub(super) const TABLE_2: [(&str, &str, [[&str; 3]; 3]); 2] = [
    ("socket", "eye", [["1.0e-5", "1.3e-5", "1.2e-5"], ["0.03", "0.002", "0.003"], ["0.034", "0.024", "0.057"]]),
    ("skin", "skull", [["3.0e-6", "1.6e-6", "9.1e-6"], ["0.12", "0.0008", "0.0045"], ["0.22", "0.003", "0.009"]]),
];

pub(super) const MOST_CELLS: [MostCells; 3] = [MostCells::TwentySeven, MostCells::Eight, MostCells::One];

pub(super) const TABLE_2_WORDS: &str = "Study: from 27 cells to 1 the eye is 2.8 times as fast, from 27 to 8 the skull 1.9 times; 0.1 cm can be borne. Its mean of 27\n  \
     cells in the eye is above its maximum there, as printed.";

/// Steps a second that are asked for on two threads.
pub(super) const RATES: [(&str, f64); 2] = [("socket", 60.0), ("skin", 30.0)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_the_study_follow_from_its_speed_ups() {
        for kind in [BoxIndexKind::Compact, BoxIndexKind::Cuckoo] {
            let (speed_up, share) = scaling(kind).unwrap();
            assert!((parallel_share(speed_up, 8) - share).abs() < 0.02);
        }
    }
}
