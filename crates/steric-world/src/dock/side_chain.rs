//! Side chains that give way.
//!
//! How it works: a side chain is the part of a residue that turns around its bonds, seen from the backbone outwards. Where a ligand is pushed into it, ligand and side
//! chains share the overlap: the ligand moves by half of it, and every bond of the side chain turns as the pushes on the atoms beyond it ask, as long as
//! that makes less of what overlaps. Atoms of the receptor that were near each other from the beginning may stay as near.

use std::ops::Range;

use glam::DVec3;
use steric_collide::{Obstacle, ProbeIndex};
use steric_model::chemistry::BondGraph;
use steric_model::{Pose, Structure};

use super::slide::push_step;
use super::touch::contacts;
use super::{Body, Torsions};

/// A side chain, and how its bonds are turned.
#[derive(Clone, Debug, PartialEq)]
pub struct SideChain {
    /// The atoms of its residue, by their numbers in the receptor's file.
    atoms: Range<u32>,
    /// Where they are in the file, and where they are now.
    start: Vec<DVec3>,
    places: Vec<DVec3>,
    radii: Vec<f64>,
    torsions: Torsions,
    /// Those that move and take part in collisions, by their numbers in the residue.
    moving: Vec<u32>,
    radians: Vec<f64>,
}

/// A bond turns no farther than this at a time, in radians.
const MOST_TURN: f64 = 0.15;
/// A step that makes nothing better is halved so often.
const HALVINGS: u32 = 4;
/// Overlaps below this are none, in angstroms.
const NONE: f64 = 1e-3;

impl SideChain {
    /// The side chain of a residue, given by its atoms; nothing if it has none that turns. Radii are those of the whole file.
    ///
    /// ```
    /// use steric_model::formats::pdb::read_pdb;
    /// use steric_world::dock::SideChain;
    ///
    /// let serine = b"ATOM      1  N   SER A   1       0.000   1.450   0.000  1.00  0.00           N\n\
    ///                ATOM      2  CA  SER A   1       0.000   0.000   0.000  1.00  0.00           C\n\
    ///                ATOM      3  C   SER A   1       1.420  -0.540   0.000  1.00  0.00           C\n\
    ///                ATOM      4  O   SER A   1       2.380   0.220   0.000  1.00  0.00           O\n\
    ///                ATOM      5  CB  SER A   1      -0.740  -0.530   1.230  1.00  0.00           C\n\
    ///                ATOM      6  OG  SER A   1      -0.740  -1.950   1.230  1.00  0.00           O\n";
    /// let serine = read_pdb(serine, "serine.pdb".as_ref())?.value;
    /// let mut chain = SideChain::new(&serine, 0..6, &[1.7; 6], |_| true).expect("its oxygen turns");
    /// assert_eq!((chain.radians().len(), chain.moving().count()), (1, 1));
    /// chain.turn(&[1.0]);
    /// assert!(chain.moving().all(|(atom, place, _)| atom == 5 && place.y > -1.95));
    /// # Ok::<(), steric_model::ReadError>(())
    /// ```
    pub fn new(
        structure: &Structure,
        atoms: Range<u32>,
        radii: &[f64],
        takes_part: impl Fn(u32) -> bool,
    ) -> Option<Self> {
        let residue = structure.alone(&atoms);
        let named = |name: &str| residue.atoms.names.iter().position(|own| own.as_str() == name).map(|at| at as u32);
        // What the bonds are turned around hangs on the carbon between the two ends of the residue.
        let (root, _, _) = (named("CA")?, named("N")?, named("C")?);
        let torsions = Torsions::outward(&residue, &BondGraph::new(&residue), root, &["N", "C", "O", "OXT"]);
        let mut moving: Vec<u32> = torsions.all().iter().flat_map(|torsion| &torsion.moved).copied().collect();
        moving.sort_unstable();
        moving.dedup();
        moving.retain(|&atom| takes_part(atoms.start + atom));
        if moving.is_empty() {
            return None;
        }
        let start: Vec<DVec3> = residue.atoms.positions.iter().map(|place| place.as_dvec3()).collect();
        let radians = vec![0.0; torsions.all().len()];
        let radii = radii.get(atoms.start as usize..atoms.end as usize)?.to_vec();
        Some(Self { atoms, places: start.clone(), start, radii, torsions, moving, radians })
    }

    /// The atoms of its residue, by their numbers in the file.
    pub fn atoms(&self) -> Range<u32> {
        self.atoms.clone()
    }

    /// How far each bond is turned from how it is in the file, from the backbone outwards.
    pub fn radians(&self) -> &[f64] {
        &self.radians
    }

    /// Turns its bonds, all of them.
    pub fn turn(&mut self, radians: &[f64]) {
        self.radians.iter_mut().zip(radians).for_each(|(own, given)| *own = *given);
        self.places = self.torsions.turned(&self.start, &self.radians);
    }

    /// Every atom of its residue, with its place.
    pub fn placed(&self) -> impl Iterator<Item = (u32, DVec3)> + '_ {
        self.atoms.clone().zip(self.places.iter().copied())
    }

    /// Atoms that move and take part: number in the file, place, radius.
    pub fn moving(&self) -> impl Iterator<Item = (u32, DVec3, f64)> + '_ {
        let one = |&atom: &u32| (self.atoms.start + atom, self.places[atom as usize], self.radii[atom as usize]);
        self.moving.iter().map(one)
    }

    /// Atoms that move and take part: place, place at the start, radius.
    fn moved(&self) -> impl Iterator<Item = (DVec3, DVec3, f64)> + '_ {
        let one = |atom: usize| (self.places[atom], self.start[atom], self.radii[atom]);
        self.moving.iter().map(move |&atom| one(atom as usize))
    }

    /// How near a moving atom may come to another one of the receptor that was somewhere at the start: as near as it was then.
    fn limit(&self, atom: u32, start: DVec3, radius: f64, allow: f64) -> f64 {
        let apart = self.radii[atom as usize] + radius - allow;
        apart.min(self.start[atom as usize].distance(start))
    }

    /// The pushes on its moving atoms with bonds turned like this, and the sum of squares of what overlaps.
    fn pushes(&self, places: &[DVec3], others: &Others<'_>) -> (Vec<DVec3>, f64) {
        let (mut sum, mut near) = (0.0, Vec::new());
        let push = |atom: u32, center: DVec3, apart: f64, sum: &mut f64| {
            let way = places[atom as usize] - center;
            let depth = apart - way.length();
            if depth <= 0.0 {
                return DVec3::ZERO;
            }
            *sum += depth * depth;
            way.normalize_or(DVec3::X) * depth
        };
        let one = |&atom: &u32| {
            let radius = self.radii[atom as usize];
            let mut total = DVec3::ZERO;
            for (&center, &other) in others.ligand.0.iter().zip(others.ligand.1) {
                total += push(atom, center, radius + other - others.allow, &mut sum);
            }
            near.clear();
            others.still.near(places[atom as usize], radius - others.allow, &mut near);
            near.sort_unstable();
            for (center, other) in near.iter().map(|&sphere| (others.still.center(sphere), others.still.radius(sphere)))
            {
                // The rest of its own residue is what it hangs on.
                if !self.is_own(center) {
                    total += push(atom, center, self.limit(atom, center, other, others.allow), &mut sum);
                }
            }
            for &(center, start, other) in others.chains {
                total += push(atom, center, self.limit(atom, start, other, others.allow), &mut sum);
            }
            total
        };
        let pushes = self.moving.iter().map(one).collect();
        (pushes, sum)
    }

    fn is_own(&self, center: DVec3) -> bool {
        self.start.iter().any(|own| own.distance_squared(center) < 1e-12)
    }

    /// Turns its bonds as the pushes ask, if that leaves less that overlaps.
    fn give_way(&mut self, others: &Others<'_>) {
        let (pushes, before) = self.pushes(&self.places, others);
        if before <= NONE * NONE {
            return;
        }
        let bend = |torsion: &super::Torsion| {
            let (from, to) = (self.places[torsion.from as usize], self.places[torsion.to as usize]);
            let axis = (to - from).normalize_or_zero();
            let (mut torque, mut inertia) = (0.0, 0.0);
            for (&atom, push) in self.moving.iter().zip(&pushes) {
                if *push != DVec3::ZERO && torsion.moved.binary_search(&atom).is_ok() {
                    let lever = axis.cross(self.places[atom as usize] - to);
                    torque += lever.dot(*push);
                    inertia += lever.length_squared();
                }
            }
            (torque / inertia.max(0.25)).clamp(-MOST_TURN, MOST_TURN)
        };
        let bends: Vec<f64> = self.torsions.all().iter().map(bend).collect();
        let mut scale = 1.0;
        for _ in 0..HALVINGS {
            let radians: Vec<f64> = self.radians.iter().zip(&bends).map(|(own, bend)| own + scale * bend).collect();
            let places = self.torsions.turned(&self.start, &radians);
            if self.pushes(&places, others).1 < before {
                (self.radians, self.places) = (radians, places);
                return;
            }
            scale *= 0.5;
        }
    }
}

/// What a side chain has around it.
struct Others<'a> {
    ligand: (&'a [DVec3], &'a [f64]),
    /// Atoms of the receptor that stay.
    still: &'a Obstacle,
    /// Atoms of other side chains: where they are, where they were at the start, and how large they are.
    chains: &'a [(DVec3, DVec3, f64)],
    allow: f64,
}

/// Pushes a body out of what it is in while side chains give way, for so many rounds at most; gives where it is then. `still` holds what does not
/// move: the receptor without the moving atoms of these side chains.
pub fn push_with(still: &Obstacle, chains: &mut [SideChain], body: &Body, pose: Pose, allow: f64, rounds: u32) -> Pose {
    let mut pose = pose;
    for _ in 0..rounds {
        let (centers, radii): (Vec<DVec3>, Vec<f64>) =
            chains.iter().flat_map(SideChain::moving).map(|(_, place, radius)| (place, radius)).unzip();
        let soft = Obstacle::new(&centers, &radii, ProbeIndex::Brute);
        let mut near = contacts(&soft, body, &pose, allow, NONE);
        let hits_chains = near.first().is_some_and(|deepest| deepest.gap < -NONE);
        // The two share what overlaps.
        near.iter_mut().for_each(|contact| contact.gap *= 0.5);
        let hits_still = push_step(still, body, &mut pose, allow, near);
        let placed = body.placed(&pose);
        let before: Vec<Vec<f64>> = chains.iter().map(|chain| chain.radians.clone()).collect();
        for number in 0..chains.len() {
            let rest = chains.iter().enumerate().filter(|(other, _)| *other != number);
            let others: Vec<(DVec3, DVec3, f64)> = rest.flat_map(|(_, chain)| chain.moved()).collect();
            let others = Others { ligand: (&placed, body.radii()), still, chains: &others, allow };
            chains[number].give_way(&others);
        }
        let has_turned = chains.iter().zip(&before).any(|(chain, before)| chain.radians != *before);
        if !hits_still && !hits_chains && !has_turned {
            break;
        }
    }
    pose
}
