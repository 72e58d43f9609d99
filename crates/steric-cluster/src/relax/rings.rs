//! Bonds that go through rings, with the ring on one rank and the bond on another.
//!
//! How it works: ghosts reach so far that a rank sees every bond in a ring if it owns one of the two molecules. Both owners find the same way
//! out, and each pushes its own molecule, in the order of the whole scene.

use steric_model::MoleculeId;
use steric_world::relax::{Iteration, Relax, Stop};
use steric_world::report::Skeletons;

use super::{Crew, Wish};

/// Ghosts have to reach so far to see every bond in a ring: a ring of eight atoms and a bond are no longer than this, in angstroms.
const RINGS_REACH: f32 = 8.0;

/// Bonds that were caught in rings.
///
/// ```
/// use steric_cluster::relax::RingRepairs;
///
/// let repairs = RingRepairs { caught: 5, left: 1 };
/// assert_eq!(repairs.caught - repairs.left, 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingRepairs {
    /// At the first rest.
    pub caught: u64,
    /// When they were last looked for.
    pub left: u64,
}

impl Crew<'_> {
    /// As [`Self::run_and_save`], and pushes bonds out of the rings that they go through, as often as it helps. Gives how many there were at the first
    /// rest, too.
    pub fn run_and_free_rings(
        &mut self,
        skeletons: &Skeletons,
        mut watch: impl FnMut(&Relax, &Iteration) -> Wish,
        mut save: impl FnMut(&Self),
    ) -> (Stop, Option<RingRepairs>) {
        /// A bond that is caught again and again will not come free.
        const REPAIRS: usize = 10;
        let mut stop = self.run_and_save(&mut watch, &mut save);
        let mut repairs: Option<RingRepairs> = None;
        for _ in 0..REPAIRS {
            if stop != Stop::Rest || skeletons.ring_count() == 0 {
                break;
            }
            let found = self.free_rings(skeletons);
            repairs = Some(RingRepairs { caught: repairs.map_or(found, |repairs| repairs.caught), left: found });
            if found == 0 {
                break;
            }
            stop = self.run_and_save(&mut watch, &mut save);
        }
        (stop, repairs)
    }

    /// Pushes bonds out of the rings that they go through, and gives how many there were. What is pushed may overlap then, so iterations have
    /// to follow.
    pub fn free_rings(&mut self, skeletons: &Skeletons) -> u64 {
        if skeletons.ring_count() == 0 {
            return 0;
        }
        self.slack = self.options.slack.max(RINGS_REACH);
        let records = self.records();
        self.gather(&records);
        let scene = self.relax.here().clone();
        let (owned, ids) = (self.relax.owned(), self.relax.ids().to_vec());
        let id = |molecule: MoleculeId| ids[molecule.0 as usize];
        let mut piercings = skeletons.piercings(&scene);
        // A molecule is pushed out of one ring after another, in the order of the whole scene.
        piercings.sort_by_cached_key(|piercing| {
            let (ring, bond) = (&piercing.ring, &piercing.bond);
            (id(ring.0), ring.1.clone(), id(bond.0), bond.1)
        });
        let is_own = |molecule: MoleculeId| (molecule.0 as usize) < owned;
        let mut count = [piercings.iter().filter(|piercing| is_own(piercing.ring.0)).count() as i64];
        for piercing in &piercings {
            let Some(way) = skeletons.push_out(&scene, piercing, 0.5) else { continue };
            for (molecule, shift) in [(piercing.bond.0, 0.5 * way), (piercing.ring.0, -0.5 * way)] {
                if is_own(molecule) {
                    self.relax.nudge(MoleculeId(id(molecule)), shift);
                }
            }
        }
        self.talk.comm.sum(&mut count);
        let mut is_moved = [i64::from(!self.relax.is_at_rest())];
        self.talk.comm.most(&mut is_moved);
        self.relax.agree_on_rest(is_moved[0] == 0);
        // Those who were pushed may meet others now.
        self.apart = true;
        count[0] as u64
    }
}
