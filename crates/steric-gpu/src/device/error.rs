//! What can go wrong with a GPU.

/// Why something could not be done on a GPU.
///
/// ```
/// use steric_gpu::GpuError;
///
/// let error = GpuError::OutOfMemory { needed: 3 << 30, fits: Some(1_000_000), what: "atoms".to_owned() };
/// assert_eq!(error.to_string(), "the GPU has no room for 3.22 GB; a scene of about 1000000 atoms would fit");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// There is no GPU that could be taken.
    #[error("expected a GPU{wish}, found {found}")]
    NoAdapter {
        /// What was asked for, with a blank before it; may be empty.
        wish: String,
        /// What there is.
        found: String,
    },
    /// The GPU could not be opened.
    #[error("{adapter}: {message}")]
    Open {
        /// Which GPU.
        adapter: String,
        /// What its driver said.
        message: String,
    },
    /// More memory than the GPU has.
    #[error("the GPU has no room for {:.2} GB{}", *needed as f64 / 1e9, room(.fits, .what))]
    OutOfMemory {
        /// How many bytes are needed in all.
        needed: u64,
        /// About how much would fit, if that is known.
        fits: Option<u64>,
        /// Of what.
        what: String,
    },
    /// More than one array of the GPU can hold.
    #[error("expected at most {most} {what} on this GPU, found {found}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many one array holds.
        most: u64,
    },
    /// Something that is done on the CPU alone.
    #[error("{0} is searched on the CPU alone")]
    OnCpuAlone(&'static str),
    /// The GPU went away, or its driver failed.
    #[error("the GPU was lost: {0}")]
    Lost(String),
}

fn room(fits: &Option<u64>, what: &str) -> String {
    fits.map_or_else(String::new, |fits| format!("; a scene of about {fits} {what} would fit"))
}
