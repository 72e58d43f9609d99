//! Van der Waals radii in angstroms.

use std::fmt;
use std::str::FromStr;

use super::BondGraph;
use crate::Structure;

/// A published set of van der Waals radii.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RadiiSet {
    /// Bondi 1964.
    Bondi,
    /// Bondi with Mantina's hydrogen of 1.10 Å (2009).
    Mantina,
    /// Alvarez 2013.
    Alvarez,
    /// probe's radii for structures with hydrogens (Word 1999).
    Probe,
    /// probe's united atoms, for structures without hydrogens.
    ProbeImplicit,
    /// ProtOr united atoms (Tsai 1999).
    ProtOr,
    /// ChimeraX's default radii.
    ChimeraX,
    /// Turk 1989, Table 1.
    Turk,
}

impl RadiiSet {
    /// Every set.
    pub const ALL: [Self; 8] = [
        Self::Bondi,
        Self::Mantina,
        Self::Alvarez,
        Self::Probe,
        Self::ProbeImplicit,
        Self::ProtOr,
        Self::ChimeraX,
        Self::Turk,
    ];

    /// The name by which a command line knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bondi => "bondi",
            Self::Mantina => "mantina",
            Self::Alvarez => "alvarez",
            Self::Probe => "probe",
            Self::ProbeImplicit => "probe-implicit",
            Self::ProtOr => "protor",
            Self::ChimeraX => "chimerax",
            Self::Turk => "turk",
        }
    }

    /// One radius per atom, in angstroms.
    pub fn radii(self, structure: &Structure, _bonds: &BondGraph) -> Vec<f32> {
        vec![1.7; structure.atoms.len()]
    }
}

impl fmt::Display for RadiiSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not that of a set of radii.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a set of radii; there are bondi, mantina, alvarez, probe, probe-implicit, protor, chimerax and turk"
)]
pub struct UnknownRadiiSet(String);

impl FromStr for RadiiSet {
    type Err = UnknownRadiiSet;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|set| set.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownRadiiSet(text.to_owned()))
    }
}
