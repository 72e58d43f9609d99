//! Fibres that are measured again and again.

use glam::DVec3;

use super::kind::{Fibre, FibreKind};
use super::room::Room;
use crate::shape::Region;

/// A fibre and where it grows.
///
/// ```
/// use std::ops::ControlFlow;
/// use steric_world::fibre::{FibreOptions, scenes};
///
/// let scene = scenes::plasmid();
/// let grown = scene.fibre.grow(&scene.room, &FibreOptions::default(), |_| ControlFlow::Continue(()))?;
/// assert_eq!((scene.name, grown.report().units), ("plasmid", 4_361));
/// # Ok::<(), steric_world::fibre::FibreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FibreScene {
    /// What it is called.
    pub name: &'static str,
    /// What grows.
    pub fibre: Fibre,
    /// Where.
    pub room: Room,
}

/// All of them, from the smallest to the largest.
///
/// ```
/// let names = steric_world::fibre::scenes::all().map(|scene| scene.name);
/// assert_eq!(names, ["plasmid", "syn3a-chromosome", "million-base-pairs"]);
/// ```
pub fn all() -> [FibreScene; 3] {
    [plasmid(), syn3a_chromosome(), million_base_pairs()]
}

/// The plasmid pBR322 in a sphere 90 nm wide.
///
/// ```
/// assert!(steric_world::fibre::scenes::plasmid().fibre.is_closed);
/// ```
pub fn plasmid() -> FibreScene {
    of("plasmid", 4_361, true, 450.0)
}

/// The chromosome of JCVI-syn3A, one ring, in a sphere as wide as that cell.
///
/// ```
/// assert_eq!(steric_world::fibre::scenes::syn3a_chromosome().fibre.units, 543_379);
/// ```
pub fn syn3a_chromosome() -> FibreScene {
    of("syn3a-chromosome", 543_379, true, 2_000.0)
}

/// A million base pairs in a sphere as dilute as a bacterium.
///
/// ```
/// assert_eq!(steric_world::fibre::scenes::million_base_pairs().fibre.length(), 3.4e6);
/// ```
pub fn million_base_pairs() -> FibreScene {
    of("million-base-pairs", 1_000_000, false, 2_500.0)
}

fn of(name: &'static str, units: usize, is_closed: bool, radius: f64) -> FibreScene {
    let room = Room::inside(Region::Sphere { center: DVec3::ZERO, radius });
    FibreScene { name, fibre: Fibre { kind: FibreKind::DNA, units, is_closed }, room }
}
