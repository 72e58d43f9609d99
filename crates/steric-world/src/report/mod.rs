//! What a relaxation did, in numbers.
//!
//! How it works: each file here measures one thing on the scene at the end (and on the poses at the start) and knows
//! nothing of how the molecules got there: [`Motion`] how far they went, [`MembraneReport`] how lipids stand,
//! [`HoldReport`] which holds are broken, [`Skeletons`] which bonds pass through rings. [`RelaxReport`] puts them beside
//! what the relaxation tells about itself. It serialises to JSON, and its text is what `steric relax` prints.

mod centers;
mod holds;
mod membrane;
mod memory;
mod motion;
mod overlaps;
mod piercings;
mod rings;
mod spread;
mod text;
pub mod words;

use serde::{Serialize, Serializer};

pub use holds::HoldReport;
pub use membrane::{LeafletReport, MembraneReport};
pub use memory::{available_memory_bytes, peak_memory_bytes};
pub use motion::Motion;
pub use overlaps::{OverlapTotals, StillOverlapping};
pub use piercings::{Piercing, PiercingTotals, Skeletons};
pub use spread::{Histogram, Spread};

use crate::relax::Iteration;

/// Everything that is worth knowing about a relaxation.
///
/// ```
/// use steric_world::report::{OverlapTotals, RelaxReport};
///
/// let before = OverlapTotals { overlaps: 12, molecules: 4, deepest: 1.5, mean_depth: 0.8 };
/// let report = RelaxReport { atoms: 208, molecules: 4, before, iterations: 31, ..RelaxReport::default() };
/// assert!(report.to_string().starts_with("no overlaps left among 208 atoms in 4 molecules\n"));
/// assert_eq!(serde_json::to_value(&report)?["before"]["overlaps"], 12);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RelaxReport {
    /// What was relaxed: a ready scene, a scene file or a model.
    pub scene: String,
    /// Atoms that took part.
    pub atoms: u64,
    /// Molecules, fixed ones included.
    pub molecules: u64,
    /// Molecules that may not move.
    pub fixed: u64,
    /// What counts as an overlap, in a sentence.
    pub definition: String,
    /// Whether the count can fit, as judged before the run, in sentences.
    pub verdicts: Vec<String>,
    /// Overlaps at the start.
    pub before: OverlapTotals,
    /// Overlaps at the end.
    pub after: OverlapTotals,
    /// Molecules that still overlap, deepest first, the first twenty.
    pub still_overlapping: Vec<StillOverlapping>,
    /// How far molecules moved from the start.
    pub motion: Motion,
    /// How lipids stand; empty without a membrane.
    pub membranes: Vec<MembraneReport>,
    /// Which holds are broken.
    pub holds: HoldReport,
    /// Bonds through rings.
    pub piercings: PiercingTotals,
    /// The response that pushed.
    pub response: String,
    /// How many iterations it took.
    pub iterations: u64,
    /// Why it ended, in a few words.
    pub stop: String,
    /// How often the list of near pairs was made anew.
    pub searches: u64,
    /// How long each stage took, in the order in which they ran.
    pub stages: Vec<Stage>,
    /// The most memory that the process held, in bytes; `None` where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// The bits of all poses at the end, in 64; the same for any number of threads. Hexadecimal in JSON.
    #[serde(serialize_with = "hexadecimal")]
    pub state_hash: u64,
    /// What the random numbers were drawn from.
    pub seed: u64,
    /// How many threads worked.
    pub threads: usize,
    /// What iterated: `cpu`, or the name of a GPU.
    pub backend: String,
    /// What happened on the way that a user should know, in sentences.
    pub remarks: Vec<String>,
    /// One entry per iteration.
    pub history: Vec<Iteration>,
}

impl RelaxReport {
    /// Whether nothing overlaps any more.
    pub fn is_clean(&self) -> bool {
        self.after.overlaps == 0
    }

    /// Seconds of all stages together.
    pub fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum()
    }
}

/// How long a part of the work took.
///
/// ```
/// use steric_world::report::{RelaxReport, Stage};
///
/// let stages = vec![Stage { name: "discs".into(), seconds: 0.25 }, Stage { name: "relax".into(), seconds: 1.5 }];
/// assert_eq!(RelaxReport { stages, ..RelaxReport::default() }.seconds(), 1.75);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stage {
    /// What was done.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
}

fn hexadecimal<S: Serializer>(hash: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{hash:016x}"))
}
