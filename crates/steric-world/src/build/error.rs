//! Why a scene could not be built.

use steric_model::{Located, ReadError};

use crate::shape::PlacesError;

/// Why a scene could not be built.
///
/// ```
/// use steric_world::build::{BuildError, SceneFile};
///
/// let refused = SceneFile::read("seed = -1\n", "vesicle.toml".as_ref());
/// assert!(matches!(&refused, Err(BuildError::Scene(located)) if located.found == "-1"));
/// let message = refused.expect_err("a seed is not negative").to_string();
/// assert_eq!(message, "vesicle.toml:1: expected a whole number from 0, found \"-1\"");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The scene file asks for something that is not there or cannot be.
    #[error("{0}")]
    Scene(Box<Located>),
    /// A file that it names could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A surface has no room for places.
    #[error(transparent)]
    Places(#[from] PlacesError),
}

impl From<Located> for BuildError {
    fn from(located: Located) -> Self {
        Self::Scene(Box::new(located))
    }
}
