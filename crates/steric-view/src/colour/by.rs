//! What colours say, by the names that a command line uses.

use std::fmt;
use std::str::FromStr;

/// What colours say.
///
/// ```
/// use steric_view::ColourBy;
///
/// assert_eq!("leaflet".parse(), Ok(ColourBy::Leaflet));
/// let refused = "charge".parse::<ColourBy>().expect_err("there is no such mode");
/// assert!(refused.starts_with("expected element, chain, residue, molecule"));
/// assert_eq!(ColourBy::default().to_string(), "element");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// Chemical elements.
    #[default]
    Element,
    /// Chains; a molecule of several chains has several colours.
    Chain,
    /// Residue names.
    Residue,
    /// Each molecule by itself.
    Molecule,
    /// Each species of molecule.
    Type,
    /// The outer leaflet, the inner one, and what is in neither.
    Leaflet,
    /// Red touches another molecule, green is free, grey is fixed, as is usual in the field. The default palette keeps
    /// this readable for colour-blind eyes: its red is vermillion and its green is bluish.
    Collision,
    /// How deep the deepest overlap of the molecule is.
    Overlap,
    /// One colour for everything.
    Uniform,
}

impl ColourBy {
    /// Every mode.
    pub const ALL: [Self; 9] = [
        Self::Element,
        Self::Chain,
        Self::Residue,
        Self::Molecule,
        Self::Type,
        Self::Leaflet,
        Self::Collision,
        Self::Overlap,
        Self::Uniform,
    ];
}

impl fmt::Display for ColourBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Element => "element",
            Self::Chain => "chain",
            Self::Residue => "residue",
            Self::Molecule => "molecule",
            Self::Type => "type",
            Self::Leaflet => "leaflet",
            Self::Collision => "collision",
            Self::Overlap => "overlap",
            Self::Uniform => "uniform",
        })
    }
}

impl FromStr for ColourBy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "element, chain, residue, molecule, type, leaflet, collision, overlap or uniform";
        let found = Self::ALL.into_iter().find(|by| by.to_string() == text);
        found.ok_or_else(|| format!("expected {expected}, found {text:?}"))
    }
}
