//! What the founding thesis measured on a GeForce GTX 970, all in milliseconds.

/// A line of its Table 5.1: one iteration.
pub(super) struct Published {
    pub(super) atoms: u64,
    pub(super) grid_ms: f64,
    pub(super) brute_force_ms: f64,
}

impl Published {
    const fn new(atoms: u64, grid_ms: f64, brute_force_ms: f64) -> Self {
        Self { atoms, grid_ms, brute_force_ms }
    }

    /// The line for so many atoms.
    pub(super) fn at(atoms: u64) -> Option<&'static Self> {
        TABLE_5_1.iter().find(|line| line.atoms == atoms)
    }
}

pub(super) const TABLE_5_1: [Published; 7] = [
    Published::new(50_000, 9.0, 61.0),
    Published::new(100_000, 10.0, 280.0),
    Published::new(200_000, 11.0, 977.0),
    Published::new(400_000, 16.0, 4_530.0),
    Published::new(1_000_000, 28.0, 25_392.0),
    Published::new(2_000_000, 44.0, 102_604.0),
    Published::new(4_000_000, 78.0, 599_236.0),
];

/// The number of atoms of its Table 5.2.
pub(super) const TABLE_5_2_ATOMS: u64 = 3_000_000;

/// Our stages beside those of its Table 5.2. It counts the search for near atoms to the detection; we list near clusters
/// of atoms while we sort them into cells.
pub(super) const STAGES: [Stage; 4] = [
    Stage {
        name: "search",
        what: "clusters of atoms into cells; counted and sorted; near pairs listed",
        of_thesis: "insert atoms 1 + prefix sum 8 + sort 3",
        thesis_ms: 12.0,
    },
    Stage {
        name: "contacts",
        what: "overlaps among near pairs; pushes and turns summed per molecule",
        of_thesis: "detect collisions 40 + sum forces 7",
        thesis_ms: 47.0,
    },
    Stage {
        name: "move",
        what: "springs; molecules shifted and turned; their atoms turned",
        of_thesis: "spring force 0 + apply forces 1",
        thesis_ms: 1.0,
    },
    Stage { name: "one iteration", what: "everything", of_thesis: "sum 12 + sum 48", thesis_ms: 60.0 },
];

/// A stage of ours and those of the thesis that do the same.
pub(super) struct Stage {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) of_thesis: &'static str,
    pub(super) thesis_ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_of_the_thesis_add_up_and_fall_between_its_two_and_four_million_atoms() {
        let [stages @ .., whole] = &STAGES;
        assert!((stages.iter().map(|stage| stage.thesis_ms).sum::<f64>() - whole.thesis_ms).abs() < 1e-9);
        let [.., two_million, four_million] = &TABLE_5_1;
        assert!(two_million.grid_ms < whole.thesis_ms && whole.thesis_ms < four_million.grid_ms);
    }
}
