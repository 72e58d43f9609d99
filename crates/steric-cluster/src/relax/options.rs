//! How ranks share a scene, and what it took.

/// Who owns a molecule.
///
/// ```
/// use steric_cluster::relax::{CrewOptions, Ownership};
///
/// assert_eq!(CrewOptions::default().ownership, Ownership::Blocks);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ownership {
    /// Whoever has the block of its centre.
    #[default]
    Blocks,
    /// Anybody, by chance from a seed, and somebody else after every iteration. The bits are the same and nearly everything is sent all the
    /// time: for tests.
    Scattered(u64),
}

/// How ranks share a scene. Nothing here changes a pose.
///
/// ```
/// use steric_cluster::relax::CrewOptions;
///
/// assert_eq!(CrewOptions::default().slack, 6.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrewOptions {
    /// How much farther than contacts ghosts reach, in angstroms; up to twice as much while molecules move far. More of it means more ghosts
    /// and fewer searches for them.
    pub slack: f32,
    /// Who owns a molecule.
    pub ownership: Ownership,
    /// Blocks are cut anew when one rank has had so many times the mean work,
    pub drift: f64,
    /// in so many iterations without a break,
    pub drift_iterations: u32,
    /// and where there was work for each rank of more than so many clusters.
    pub least_work: i64,
}

impl Default for CrewOptions {
    fn default() -> Self {
        Self { slack: 6.0, ownership: Ownership::Blocks, drift: 1.2, drift_iterations: 20, least_work: 512 }
    }
}

/// What it took to share the scene, over all ranks.
///
/// ```
/// use steric_cluster::relax::Burden;
///
/// assert_eq!(Burden::default().bytes_per_iteration, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Burden {
    /// How many ranks there are.
    pub ranks: usize,
    /// Molecules of the whole scene.
    pub molecules: usize,
    /// The most molecules that a rank has owned.
    pub most_owned: usize,
    /// The most ghosts that a rank has had.
    pub most_ghosts: usize,
    /// Ghosts of all ranks together, the last time.
    pub ghosts: usize,
    /// The most molecules that stood on a rank at one time, ghosts and all.
    pub most_here: usize,
    /// Messages of all ranks together, for each iteration.
    pub messages_per_iteration: f64,
    /// Their bytes.
    pub bytes_per_iteration: f64,
    /// How often the ranks came together.
    pub gatherings: u32,
    /// How often blocks were cut.
    pub cuts: u32,
    /// Clusters of molecules that were looked at, in all iterations together,
    pub work: u64,
    /// and by the rank that had most of them in each.
    pub most_work: u64,
}
