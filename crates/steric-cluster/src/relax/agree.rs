//! Whether ranks can relax a scene together.
//!
//! How it works: each rank makes a hash of all that it was given, and all look at all. They find the same, so that one of them may say it for all.

use steric_collide::instruction_set;
use steric_world::relax::{Parts, Relax, state_hash};

use super::CrewOptions;
use crate::comm::Comm;
use crate::wire::{Writer, records_as_bytes};

/// Why ranks cannot relax a scene together. All ranks find the same.
///
/// ```
/// use steric_cluster::relax::CrewError;
///
/// assert!(CrewError::Different { rank: 3 }.to_string().ends_with("found others on rank 3 than on rank 0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrewError {
    /// The ranks were not given the same scene.
    #[error("expected the same molecules, options and seed on every rank, found others on rank {rank} than on rank 0")]
    Different {
        /// The first that differs from rank 0.
        rank: usize,
    },
    /// Processors that round differently.
    #[error(
        "expected processors that round alike, found {found} on rank {rank} and {first} on rank 0: the bits would depend on who does what"
    )]
    Processors {
        /// The first that differs from rank 0.
        rank: usize,
        /// Its instruction set.
        found: String,
        /// That of rank 0.
        first: String,
    },
    /// A number that cannot be used.
    #[error("expected a slack above 0, found {0}")]
    Slack(String),
}

/// Finds out whether all ranks have been given the same, on processors that round alike.
pub(super) fn agree(comm: &dyn Comm, relax: &Relax, crew: &CrewOptions) -> Result<(), CrewError> {
    let Parts { scene, groups, options, allow, seed, iteration, disturbed, .. } = relax.parts();
    // A region may be a large mesh: what is held is told apart by how much of it there is.
    let held: Vec<usize> = groups.iter().map(Vec::len).collect();
    let (radii, periodic_box) = (scene.radii(), scene.periodic_box());
    let text =
        format!("{crew:?} {options:?} {allow:?} {seed} {iteration} {disturbed} {held:?} {radii:?} {periodic_box:?}");
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = text.as_bytes().iter().fold(state_hash(&[]), mix);
    for slot in 0..relax.owned() {
        hash = records_as_bytes([&relax.record(slot)]).iter().fold(hash, mix);
    }
    let mut out = Writer::default();
    out.long(hash);
    out.0.extend_from_slice(instruction_set().as_bytes());
    let all = comm.gather(&out.0);
    let Some(rank) = all.iter().position(|other| *other != all[0]) else {
        let is_sound = crew.slack > 0.0 && crew.slack.is_finite();
        return if is_sound { Ok(()) } else { Err(CrewError::Slack(crew.slack.to_string())) };
    };
    let name = |bytes: &[u8]| String::from_utf8_lossy(&bytes[8..]).into_owned();
    let [found, first] = [name(&all[rank]), name(&all[0])];
    Err(if found == first { CrewError::Different { rank } } else { CrewError::Processors { rank, found, first } })
}
