//! Which clusters are near which: cells, slabs of cells, and the kinds of table that find a cell.

pub(crate) mod cells;
pub(crate) mod guests;
pub(crate) mod lattice;
pub(crate) mod levels;
pub(crate) mod slabs;

use std::fmt;
use std::str::FromStr;

/// How the clusters of a cell are found.
///
/// [`IndexKind::Auto`] follows this rule, per slab: dense while there are at most eight cells for each atom (64 for each
/// cluster, which has room for eight); wrapped beyond that, while there are at most 4,096 layers; sparse for what is
/// thinner still.
///
/// ```
/// use steric_collide::IndexKind;
///
/// assert_eq!("wrapped".parse(), Ok(IndexKind::Wrapped));
/// assert_eq!(IndexKind::Sparse.to_string(), "sparse");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// By the rule above.
    #[default]
    Auto,
    /// An entry for every cell of the slab.
    Dense,
    /// A table with power-of-two sides that the cells are folded onto.
    Wrapped,
    /// A hash table of the cells that hold anything.
    Sparse,
}

impl IndexKind {
    /// Every kind, in the order of the rule.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Dense, Self::Wrapped, Self::Sparse];

    /// The kind that serves a slab of so many cells along run, row and layer axis and room for so many atoms.
    pub(crate) fn resolve(self, cells: [i64; 3], atoms: usize) -> Self {
        let all: i128 = cells.iter().map(|&count| i128::from(count)).product();
        let fits = all <= 8 * atoms as i128 + 4096;
        match self {
            Self::Auto if fits => Self::Dense,
            Self::Auto if cells[2] <= 4096 => Self::Wrapped,
            // A table must not be asked for more entries than memory holds, whatever the caller wants.
            Self::Dense if all > 1 << 31 => Self::Sparse,
            Self::Wrapped if cells[2] > 1 << 20 => Self::Sparse,
            Self::Auto => Self::Sparse,
            chosen => chosen,
        }
    }
}

impl fmt::Display for IndexKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Dense => "dense",
            Self::Wrapped => "wrapped",
            Self::Sparse => "sparse",
        })
    }
}

impl FromStr for IndexKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.to_string() == text)
            .ok_or_else(|| format!("expected auto, dense, wrapped or sparse, found {text:?}"))
    }
}
