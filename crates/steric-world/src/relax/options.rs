//! Every number of a relaxation.

use serde::{Deserialize, Serialize};

/// Which response pushes molecules apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseKind {
    /// Biased block-Newton with momentum.
    #[default]
    Newton,
    /// Position-based projection, averaged, with Nesterov momentum.
    Projection,
    /// The founding thesis's force law (Algorithm 4.4, equation 4.1).
    Thesis,
}

/// The numbers of a relaxation; `[physics]` in a scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RelaxOptions {
    /// The response.
    pub response: ResponseKind,
    /// At most so many iterations.
    pub max_iterations: u32,
}

impl Default for RelaxOptions {
    fn default() -> Self {
        Self { response: ResponseKind::Newton, max_iterations: 1_000 }
    }
}
