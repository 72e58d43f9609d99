//! What a pose is worth: Lennard-Jones and Coulomb between a receptor and a ligand.
//!
//! How it works: what a receptor does to an atom of each type, and to a charge, is worked out once at the points of a grid. Between them it is
//! interpolated by the eight nearest. Such an interpolation is too high where the energy is curved upwards, by a twelfth of the square of the spacing
//! times the curvature in the mean; the grid holds values that are lower by just that, so that errors of different atoms cancel. Near the cores the
//! energy is capped.

mod grid;
mod minimise;
mod types;

pub use grid::EnergyGrid;
pub use minimise::{Minimum, minimise};
pub use types::{AtomType, atom_types};

use glam::DVec3;

/// Energy by term, in kilocalories per mole.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Energy {
    /// Repulsion and dispersion.
    pub lennard_jones: f64,
    /// Between charges, with a dielectric that grows with the distance.
    pub coulomb: f64,
}

impl Energy {
    /// All of it.
    pub fn total(self) -> f64 {
        self.lennard_jones + self.coulomb
    }
}

/// Atoms with what they do to others.
#[derive(Clone, Debug, Default)]
pub struct Charged {
    /// Where they are.
    pub places: Vec<DVec3>,
    /// Of which type.
    pub types: Vec<AtomType>,
    /// Partial charges in elementary charges.
    pub charges: Vec<f64>,
}

/// Atoms farther apart do nothing to each other, in angstroms.
pub const CUTOFF: f64 = 12.0;
/// An atom is worth no more than this at any place, in kilocalories per mole.
pub const CAP: f64 = 50.0;
/// Of the Coulomb energy of two elementary charges an angstrom apart, with a dielectric of four times the distance in angstroms.
const COULOMB: f64 = 332.063_71 / 4.0;
/// Nearer than this two atoms cannot be told apart, in angstroms.
const NEAREST: f64 = 0.5;

/// What a receptor's atom does to another one at a squared distance.
fn pair(one: AtomType, other: AtomType, squared: f64) -> f64 {
    let (distance, depth) = (0.5 * (one.distance + other.distance), (one.depth * other.depth).sqrt());
    let sixth = (distance * distance / squared.max(NEAREST * NEAREST)).powi(3);
    depth * (sixth * sixth - 2.0 * sixth)
}

/// The energy of a ligand's atoms, atom by atom and pair by pair, capped as the grid is.
pub fn direct_energy(receptor: &Charged, ligand: &Charged) -> Energy {
    let mut sum = Energy::default();
    for ((&place, &kind), &charge) in ligand.places.iter().zip(&ligand.types).zip(&ligand.charges) {
        let (mut lennard_jones, mut potential) = (0.0, 0.0);
        for ((other, &of), &other_charge) in receptor.places.iter().zip(&receptor.types).zip(&receptor.charges) {
            let squared = place.distance_squared(*other);
            if squared < CUTOFF * CUTOFF {
                lennard_jones += pair(of, kind, squared);
                potential += COULOMB * other_charge / squared.max(NEAREST * NEAREST);
            }
        }
        sum.lennard_jones += lennard_jones.min(CAP);
        sum.coulomb += potential.clamp(-CAP, CAP) * charge;
    }
    sum
}
