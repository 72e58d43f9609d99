//! What went wrong, in one line: the exit code is 2.

use std::fmt;
use std::path::Path;

use steric::check::CheckError;
use steric::gpu::GpuError;
use steric::model::{MoleculesError, ReadError, WriteError};
use steric::relax::RelaxError;
use steric::world::build::BuildError;

/// A message for the user; it names the file and the place where there is one.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self(error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self(error.to_string())
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        Self(error.to_string())
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

impl From<RelaxError> for Failure {
    fn from(error: RelaxError) -> Self {
        Self(error.to_string())
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        Self(error.to_string())
    }
}

impl From<MoleculesError> for Failure {
    fn from(error: MoleculesError) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("the report does not fit into JSON: {error}"))
    }
}
