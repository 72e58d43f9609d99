//! How a molecule answers its overlaps.
//!
//! How it works: a [`Contact`] says along which direction two atoms have to part, and how far. A response adds up what it
//! wants to know about the contacts of each molecule; when all contacts have been seen it turns those sums and the
//! constraints of the molecule into one step: a shift and a turn. Sums are rounded to fixed point before they are joined, so no
//! order of additions can change a bit.

mod newton;
mod projection;
mod thesis;

use glam::{DMat3, DVec3, Vec3};

pub use newton::Newton;
pub use projection::Projection;
pub use thesis::Thesis;

/// The most sums that a response may keep.
pub const MOST_SUMS: usize = 27;

/// Where a response adds up the contacts of two clusters, in rows of eight: one instruction adds a row.
pub type Scratch = [[f32; 8]; 7];

/// A rigid molecule as a response sees it.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its mass, in daltons.
    pub mass: f64,
    /// Its inertia about its centre, in its own frame, in dalton square angstroms, inverted.
    pub inverse_inertia: DMat3,
    /// Its radius of gyration, in angstroms: turns are measured by how far they carry an atom at this distance.
    pub gyration: f64,
    /// The farthest atom from its centre, in angstroms.
    pub reach: f64,
}

/// Two atoms that have to part.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The two molecules, by index.
    pub molecules: [u32; 2],
    /// The way out for the first, of length one; the second goes the other way.
    pub normal: Vec3,
    /// How far they still have to part, in angstroms.
    pub depth: f32,
    /// How far apart they are, in angstroms.
    pub distance: f32,
    /// From the centre of its molecule to each atom.
    pub arms: [Vec3; 2],
}

/// A constraint that asks a molecule for a shift along a direction, or for a turn.
#[derive(Clone, Copy, Debug)]
pub enum Pull {
    /// A point of the molecule has to go so far along a direction.
    Shift {
        /// From the centre to the point.
        arm: DVec3,
        /// Where to, of length one.
        direction: DVec3,
        /// How far, in angstroms.
        depth: f64,
    },
    /// The molecule has to turn.
    Turn {
        /// About this axis, of length one.
        axis: DVec3,
        /// By so much, in radians.
        angle: f64,
    },
}

/// A shift in angstroms and a turn in radians (axis times angle), in the world's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// The shift.
    pub shift: DVec3,
    /// The turn.
    pub turn: DVec3,
}

impl Motion {
    /// Whether nothing moves.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::Add for Motion {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { shift: self.shift + other.shift, turn: self.turn + other.turn }
    }
}

impl std::ops::Mul<f64> for Motion {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { shift: self.shift * factor, turn: self.turn * factor }
    }
}

/// A way to answer overlaps.
pub trait Response: Sync {
    /// How many sums it keeps for each molecule.
    const SUMS: usize;

    /// Adds a contact to the sums of its first (0) or second (1) molecule.
    /// Mark it `#[inline(always)]`: it runs for every contact.
    fn add(&self, contact: &Contact, side: usize, sides: &Sides<'_>, sums: &mut Scratch);

    /// The sums that are kept, from those of two clusters; the first row unless a response says otherwise.
    #[inline(always)]
    fn kept(&self, scratch: &Scratch) -> [f32; MOST_SUMS] {
        let mut kept = [0.0; MOST_SUMS];
        kept[..8].copy_from_slice(&scratch[0]);
        kept
    }

    /// The step of a molecule from its sums, its number of contacts and what its constraints ask for.
    fn step(&self, body: &Body, rotation: DMat3, sums: &[f64; MOST_SUMS], contacts: u32, pulls: &[Pull]) -> Motion;

    /// How much of its last motion a molecule keeps (Nesterov).
    fn momentum(&self) -> f64;
}

/// The two molecules of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// Their bodies.
    pub bodies: [&'a Body; 2],
    /// Their inverse masses, as far as they can move: 0 for a fixed one.
    pub mobility: [f32; 2],
    /// One over their radii of gyration, in angstroms.
    pub inverse_gyration: [f32; 2],
    /// How they are turned.
    pub rotations: [&'a glam::DQuat; 2],
}

impl Sides<'_> {
    /// The inverse inertia of one molecule in the world's frame; zero for a fixed one.
    pub fn inverse_inertia(&self, side: usize) -> DMat3 {
        if self.mobility[side] == 0.0 {
            return DMat3::ZERO;
        }
        let world_from_body = DMat3::from_quat(*self.rotations[side]);
        world_from_body * self.bodies[side].inverse_inertia * world_from_body.transpose()
    }
}

/// Adds a shift and a turn to the first row.
#[inline(always)]
fn add(sums: &mut Scratch, shift: Vec3, turn: Vec3) {
    let row = [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z, 0.0, 0.0];
    for (sum, entry) in sums[0].iter_mut().zip(row) {
        *sum += entry;
    }
}
