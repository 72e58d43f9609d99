//! Several who look after one scene together, each after some of its molecules.
//!
//! How it works: an iteration needs the others in three places. Before contacts are looked at, the team tells how the *ghosts* are, the
//! molecules that others own and that are met here. When steps have been decided on, a dozen numbers are added up over all; only
//! then does anybody know whether anything moves at all. And now and then someone has to say which molecules are the deepest in
//! of all. All numbers are whole or are compared, never added in single precision, so that no order of members can change a bit.

use glam::Vec3;
use steric_model::Pose;

use super::gather::{STEPS_PER_ANGSTROM, Seen};
use super::mover::Moved;
use super::world::{Iteration, Relax};

/// What others see of a molecule, and all that they see of it.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// let relax = Relax::new(Setup::new(scene), RelaxOptions::default(), 1);
/// assert_eq!(relax.sight(0).pose, Pose::IDENTITY);
/// assert_eq!(relax.sight(0).warmth, 1, "everyone is looked at in the first iteration");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Where it is.
    pub pose: Pose,
    /// The outward normal of the surface that holds it, or zero.
    pub normal: Vec3,
    /// For how many iterations it has overlapped without a break.
    pub dirty_for: u16,
    /// For how many more iterations it is looked at, even if it does not overlap.
    pub warmth: u8,
    /// Whether the last iteration moved it.
    pub moved: bool,
}

/// Those who look after a scene together. All of them have the same types, groups, options and seed, and all call the same
/// functions in the same order.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
/// use steric_world::relax::{Alone, Relax, RelaxOptions, Setup};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in 0..10 {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * f64::from(x)));
/// }
/// let relax = || Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1);
/// let (mut one, mut other) = (relax(), relax());
/// assert_eq!(one.step_of(&mut Alone).overlaps, other.step().overlaps);
/// assert_eq!(one.state_hash(), other.state_hash());
/// ```
pub trait Team {
    /// Tells the others how the molecules owned here are, calls `inner` once, and says what the others told of the ghosts here: their
    /// slots, each at most once. Whoever `inner` calls now and then is given to it.
    fn news(&mut self, relax: &Relax, inner: &mut dyn FnMut(&dyn Fn())) -> Vec<(u32, Sight)>;

    /// Adds up numbers over the team, and takes the largest of others.
    fn whole(&mut self, sums: &mut [i64], most: &mut [i64]);

    /// The least of the `count` largest keys of all the team's, which are all different; 0 where there are no more than that, and the largest
    /// number that there is where nothing is asked for.
    fn least_of_most(&mut self, keys: Vec<u64>, count: usize) -> u64;
}

/// Whoever looks after the whole scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Team for Alone {
    fn news(&mut self, _: &Relax, inner: &mut dyn FnMut(&dyn Fn())) -> Vec<(u32, Sight)> {
        inner(&|| ());
        Vec::new()
    }

    fn whole(&mut self, _: &mut [i64], _: &mut [i64]) {}

    fn least_of_most(&mut self, mut keys: Vec<u64>, count: usize) -> u64 {
        match count {
            0 => u64::MAX,
            _ if keys.len() <= count => 0,
            _ => *keys.select_nth_unstable_by(count - 1, |a, b| b.cmp(a)).1,
        }
    }
}

/// What an iteration saw and did, in whole numbers that can be joined in any order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// Overlaps, their depths, molecules that overlap, are broken, were awake, were moved, and searches.
    sums: [i64; 7],
    /// The deepest overlap, the farthest way, and how far anybody is from home, as the bits of numbers that are not negative; and the most
    /// work.
    most: [i64; 4],
    work: i64,
}

/// How far apart a team has come in the last iteration, for whoever decides when it comes together again.
///
/// ```
/// use steric_world::relax::Drift;
///
/// assert_eq!(Drift::default().away, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// How far an atom is from where it was when the team came together, in angstroms.
    pub away: f64,
    /// Clusters that were looked at, by all and by whoever had most of them.
    pub work: [i64; 2],
}

impl Words {
    /// What the whole team saw and did.
    pub(super) fn of(team: &mut dyn Team, seen: &Seen, moved: &Moved) -> Self {
        let Moved { overlapping, broken, awake, moved, farthest, work, away, .. } = *moved;
        let counts = [overlapping, broken, awake, moved, seen.searched.into()].map(i64::from);
        let [overlapping, broken, awake, moved, searched] = counts;
        let mut sums =
            [seen.overlaps as i64, seen.depth as i64, overlapping, broken, awake, moved, searched, work as i64];
        let bits = |number: f64| number.max(0.0).to_bits() as i64;
        let mut most = [bits(seen.deepest.into()), bits(farthest), bits(away), work as i64];
        team.whole(&mut sums, &mut most);
        let [first @ .., work] = sums;
        Self { sums: first, most, work }
    }

    /// As a line of the history.
    pub(super) fn iteration(&self) -> Iteration {
        let [overlaps, depth, overlapping, broken, awake, moved, searched] = self.sums;
        let [deepest, farthest, ..] = self.most.map(|bits| f64::from_bits(bits as u64));
        let steps = f64::from(STEPS_PER_ANGSTROM);
        Iteration {
            overlaps: overlaps as u64,
            overlapping: overlapping as u32,
            deepest,
            mean_depth: if overlaps > 0 { depth as f64 / steps / overlaps as f64 } else { 0.0 },
            broken: broken as u32,
            awake: awake as u32,
            moved: moved as u32,
            farthest,
            searched: searched > 0,
            ..Iteration::default()
        }
    }

    /// How far apart the team has come.
    pub(super) fn drift(&self) -> Drift {
        let [_, _, away, most] = self.most;
        Drift { away: f64::from_bits(away as u64), work: [self.work, most] }
    }
}
