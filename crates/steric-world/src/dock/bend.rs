//! How far a bond can be turned before something touches.
//!
//! How it works: the atoms beyond a bond turn around it, which is a screw without a pitch. So they are followed as a whole body is: until one of them touches the
//! receptor, or an atom of the ligand itself that does not turn.

use glam::DVec3;
use steric_collide::Obstacle;
use steric_model::Pose;

use super::touch::{first_touch, move_to_touch};
use super::{Body, Screw, Torsions};

/// A ligand as it stands: every atom, in the frame of what is around it.
#[derive(Clone, Copy, Debug)]
pub struct Bent<'a> {
    /// Its bonds that turn.
    pub torsions: &'a Torsions,
    /// Where its atoms are.
    pub places: &'a [DVec3],
    /// How large they are.
    pub radii: &'a [f64],
    /// Atoms that take part in collisions, in order.
    pub parts: &'a [u32],
}

/// Nobody turns a bond farther than this in a piece of the way, in radians.
const PIECE: f64 = 0.4;

/// Turns a bond, by its number, by an angle or until something touches; gives the angle that it came to, in radians. No two atoms come deeper into each other
/// than `allow`, nor deeper than they are at the start.
///
/// ```
/// use glam::DVec3;
/// use steric_collide::{Obstacle, ProbeIndex};
/// use steric_model::chemistry::BondGraph;
/// use steric_model::formats::xyz::read_xyz;
/// use steric_world::dock::{Bent, Torsions, turn_to_touch};
///
/// let butane = b"4\nbutane\nC 0 0 0\nC 1.53 0 0\nC 2.04 1.44 0\nC 3.57 1.44 0\n";
/// let butane = read_xyz(butane, "butane.xyz".as_ref())?.value;
/// let torsions = Torsions::find(&butane, &BondGraph::new(&butane));
/// let places: Vec<_> = butane.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
/// let bent = Bent { torsions: &torsions, places: &places, radii: &[1.7; 4], parts: &[0, 1, 2, 3] };
/// let nothing = Obstacle::new(&[], &[], ProbeIndex::Rows);
/// assert_eq!(turn_to_touch(&nothing, &bent, 0, 1.0, 0.0), 1.0);
/// // A quarter turn would bring the last carbon to (2.2, 1.9, -1.4), 3.2 angstroms from here.
/// let beside = Obstacle::new(&[DVec3::new(2.2, 1.9, -4.6)], &[1.7], ProbeIndex::Rows);
/// let angle = turn_to_touch(&beside, &bent, 0, 3.0, 0.0);
/// assert!(angle > 0.5 && angle < 1.57, "{angle}");
/// # Ok::<(), steric_model::ReadError>(())
/// ```
pub fn turn_to_touch(obstacle: &Obstacle, bent: &Bent<'_>, bond: usize, angle: f64, allow: f64) -> f64 {
    let Some(torsion) = bent.torsions.all().get(bond) else { return 0.0 };
    let (from, to) = (bent.places[torsion.from as usize], bent.places[torsion.to as usize]);
    let Some(axis) = (to - from).try_normalize() else { return 0.0 };
    if !angle.is_finite() || angle == 0.0 {
        return 0.0;
    }
    // Nobody needs more than once around.
    let angle = angle.clamp(-std::f64::consts::TAU, std::f64::consts::TAU);
    let screw = Screw::of_twist(Pose::IDENTITY, to, DVec3::ZERO, axis * angle);
    let takes_part = |atom: u32| bent.parts.binary_search(&atom).is_ok();
    let moved: Vec<u32> = torsion.moved.iter().copied().filter(|&atom| takes_part(atom)).collect();
    let place = |atom: u32| bent.places[atom as usize];
    let radius = |atom: u32| bent.radii[atom as usize];
    let body =
        Body::new(moved.iter().map(|&atom| place(atom)).collect(), moved.iter().map(|&atom| radius(atom)).collect());
    let mut part = move_to_touch(obstacle, &body, &screw, allow).fraction;
    let pieces = (angle.abs() / PIECE).ceil().max(1.0);
    for &[a, b] in bent.torsions.pairs() {
        let (turns, stays) = match [a, b].map(|atom| torsion.moved.binary_search(&atom).is_ok()) {
            [true, false] => (a, b),
            [false, true] => (b, a),
            _ => continue,
        };
        if !takes_part(turns) || !takes_part(stays) {
            continue;
        }
        let (helix, apart) = (screw.helix(place(turns)), radius(turns) + radius(stays) - allow);
        let mut begin = 0.0;
        while begin < part {
            let end = (begin + 1.0 / pieces).min(part);
            if let Some(first) = first_touch(&helix, place(stays), apart, [begin, end]) {
                part = part.min(first);
            }
            begin = end;
        }
    }
    part * angle
}
