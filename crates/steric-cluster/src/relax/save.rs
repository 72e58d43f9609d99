//! A checkpoint that every rank writes its part of.
//!
//! How it works: rank 0 says which names are free, each rank writes the molecules that it owns, and all hear how that went. If it went well everywhere, rank 0
//! writes the manifest, which makes the parts the checkpoint. No rank sees more of the scene than it has anyway.

use std::path::Path;

use steric_world::relax::{InParts, SavedPart};

use super::Crew;
use crate::comm::Comm;
use crate::wire::{Reader, Writer};

/// Why ranks have no new checkpoint; the one before it is as it was. All ranks find the same.
///
/// ```
/// use steric_cluster::relax::SaveError;
///
/// let error = SaveError { file: "run.ckpt.480.3".to_owned(), rank: 3, reason: "no space left on device".to_owned() };
/// assert_eq!(error.to_string(), "run.ckpt.480.3: no space left on device (on rank 3)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {reason} (on rank {rank})")]
pub struct SaveError {
    /// The file that could not be written.
    pub file: String,
    /// The first rank that could not write.
    pub rank: usize,
    /// What went wrong there.
    pub reason: String,
}

impl Crew<'_> {
    /// Saves how far the relaxation has come: each rank its own molecules, in a file beside `path`, and rank 0 the manifest at `path`. All ranks call it, and it
    /// appears whole or not at all. [`Relax::resume`](steric_world::relax::Relax::resume) reads it, for a run on any number of ranks or on none.
    pub fn save(&self, path: &Path) -> Result<(), SaveError> {
        let comm = self.talk.comm;
        let iteration = self.relax.iteration();
        let mut again = [i64::from(comm.rank() == 0 && InParts::beside(path, iteration).again)];
        comm.most(&mut again);
        let to = InParts { path, iteration, again: again[0] > 0 };
        let own = self.relax.save_part(&to, comm.rank()).map_err(|error| error.to_string());
        let parts = all_or_first_error(comm, &own, |rank| to.part(rank).display().to_string());
        if parts.is_err() && own.is_ok() {
            // Nobody will ask for it, and the disk may be full.
            let _ = std::fs::remove_file(to.part(comm.rank()));
        }
        let parts = parts?;
        let nothing = SavedPart { molecules: 0, fingerprint: 0, checksum: 0 };
        let manifest = if comm.rank() == 0 { self.relax.save_manifest(&to, &parts) } else { Ok(()) };
        let manifest = manifest.map(|()| nothing).map_err(|error| error.to_string());
        all_or_first_error(comm, &manifest, |_| path.display().to_string()).map(|_| ())
    }
}

/// What all ranks have written, or what went wrong on the first rank that could not.
fn all_or_first_error(
    comm: &dyn Comm,
    own: &Result<SavedPart, String>,
    file: impl Fn(usize) -> String,
) -> Result<Vec<SavedPart>, SaveError> {
    let mut out = Writer::default();
    match own {
        Ok(SavedPart { molecules, fingerprint, checksum }) => {
            out.word(1);
            [molecules, fingerprint, checksum].into_iter().for_each(|word| out.long(*word));
        }
        Err(reason) => {
            out.word(0);
            out.0.extend_from_slice(reason.as_bytes());
        }
    }
    let read = |(rank, bytes): (usize, Vec<u8>)| {
        let mut reader = Reader(&bytes);
        if reader.word() == 0 {
            let reason = String::from_utf8_lossy(reader.0).into_owned();
            return Err(SaveError { file: file(rank), rank, reason });
        }
        let [molecules, fingerprint, checksum] = std::array::from_fn(|_| reader.long());
        Ok(SavedPart { molecules, fingerprint, checksum })
    };
    comm.gather(&out.0).into_iter().enumerate().map(read).collect()
}
