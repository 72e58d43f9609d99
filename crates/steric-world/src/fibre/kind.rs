//! What a fibre is made of.
//!
//! How it works: a kind is five numbers of its helix and its stiffness; a fibre is a kind, a number of units and whether its ends are joined.

use std::f64::consts::{PI, TAU};

use super::error::FibreError;

/// A kind of fibre: the helix that its units stand on, how thick it is and how stiff.
///
/// ```
/// use steric_world::fibre::FibreKind;
///
/// // A thicker DNA, as it is with its counterions.
/// let sheathed = FibreKind { radius: 12.0, ..FibreKind::DNA };
/// assert_eq!(sheathed.rise, 3.4);
/// assert!((sheathed.units_per_turn() - 10.5).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FibreKind {
    /// From one unit to the next along the fibre, in angstroms.
    pub rise: f64,
    /// From one unit to the next about the fibre, in radians; positive is right-handed.
    pub twist: f64,
    /// Of the room that the fibre takes, in angstroms: two stretches of it stay two radii apart.
    pub radius: f64,
    /// Along the fibre, over which its direction is forgotten, in angstroms.
    pub persistence: f64,
    /// The radius of the tightest bend, in angstroms; in the corner of a compartment it may be a fifth less.
    pub tightest_bend: f64,
}

impl FibreKind {
    /// Double-stranded DNA in the B form; a unit is a base pair. It bends no tighter than around a nucleosome.
    pub const DNA: Self = Self { rise: 3.4, twist: TAU / 10.5, radius: 10.0, persistence: 500.0, tightest_bend: 40.0 };
    /// Double-stranded RNA in the A form; a unit is a base pair.
    pub const RNA_HELIX: Self =
        Self { rise: 2.8, twist: TAU / 11.0, radius: 11.5, persistence: 600.0, tightest_bend: 50.0 };
    /// Single-stranded RNA; a unit is a nucleotide. Its bases stack loosely, ten or so to a turn.
    pub const RNA: Self = Self { rise: 5.9, twist: TAU / 10.0, radius: 6.0, persistence: 10.0, tightest_bend: 10.0 };
    /// Filamentous actin; a unit is a subunit, and the helix of all of them is left-handed.
    pub const ACTIN: Self =
        Self { rise: 27.5, twist: -166.7 / 180.0 * PI, radius: 35.0, persistence: 170_000.0, tightest_bend: 1_000.0 };

    /// How many units make a full turn.
    ///
    /// ```
    /// use steric_world::fibre::FibreKind;
    ///
    /// // 28 subunits of actin make 13 turns, or nearly.
    /// assert!((13.0 * FibreKind::ACTIN.units_per_turn() - 28.0).abs() < 0.1);
    /// ```
    pub fn units_per_turn(&self) -> f64 {
        TAU / self.twist.abs()
    }

    fn check(&self) -> Result<(), FibreError> {
        let above_zero = [
            ("a rise above 0 Å", self.rise),
            ("a radius above 0 Å", self.radius),
            ("a persistence length above 0 Å", self.persistence),
        ];
        for (expected, found) in above_zero {
            if !(found > 0.0 && found.is_finite()) {
                return Err(FibreError::Number { expected: expected.to_owned(), found });
            }
        }
        if !self.twist.is_finite() {
            return Err(FibreError::Number { expected: "a twist in radians".to_owned(), found: self.twist });
        }
        if !(self.tightest_bend >= self.radius && self.tightest_bend.is_finite()) {
            let expected = format!("a tightest bend of at least the radius of the fibre, {} Å", self.radius);
            return Err(FibreError::Number { expected, found: self.tightest_bend });
        }
        Ok(())
    }
}

/// A fibre to be grown: see [`Fibre::grow`].
///
/// ```
/// use steric_world::fibre::{Fibre, FibreKind};
///
/// let plasmid = Fibre { kind: FibreKind::DNA, units: 4_361, is_closed: true };
/// assert!((plasmid.length() - 14_827.4).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fibre {
    /// What it is made of.
    pub kind: FibreKind,
    /// How many base pairs, nucleotides or subunits.
    pub units: usize,
    /// Whether its ends are joined, as in a plasmid.
    pub is_closed: bool,
}

impl Fibre {
    /// The open fibre whose length, in angstroms, comes nearest.
    ///
    /// ```
    /// use steric_world::fibre::{Fibre, FibreKind};
    ///
    /// assert_eq!(Fibre::of_length(FibreKind::ACTIN, 10_000.0).units, 364);
    /// ```
    pub fn of_length(kind: FibreKind, length: f64) -> Self {
        Self { kind, units: (length / kind.rise).round() as usize, is_closed: false }
    }

    /// How long it is, in angstroms.
    pub fn length(&self) -> f64 {
        self.units as f64 * self.kind.rise
    }

    pub(super) fn check(&self) -> Result<(), FibreError> {
        /// More units than any genome has.
        const MOST: usize = 1 << 30;
        self.kind.check()?;
        if self.units == 0 {
            return Err(FibreError::Number { expected: "at least one unit".to_owned(), found: 0.0 });
        }
        if self.units > MOST {
            let expected = format!("at most {MOST} units");
            return Err(FibreError::Number { expected, found: self.units as f64 });
        }
        // A fifth more than the tightest ring, which leaves it something to give.
        let shortest = 1.2 * TAU * self.kind.tightest_bend;
        if self.is_closed && self.length() < shortest {
            let least = (shortest / self.kind.rise).ceil() as usize;
            return Err(FibreError::TooShortToClose { units: self.units, least });
        }
        Ok(())
    }
}
