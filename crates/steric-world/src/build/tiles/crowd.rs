//! Who overlaps whom among laid lipids, who goes, who comes back, and how the rest is pushed apart.
//!
//! How it works: the search of this project finds the pairs. Of those that overlap the lipid that overlaps most others goes
//! first, until nobody overlaps (an independent set, greatest degree first). Then holes are filled: of those that went, and of spare lipids
//! that were laid beyond their border for this, the ones that overlap least come back as long as their leaflet lacks lipids of their kind. What
//! they overlap then is pushed apart, in tiles when they are made and elsewhere by the relaxation of the scene.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use steric_collide::OverlapSearch;
use steric_model::{Molecule, PeriodicBox, Pose, Scene, TypeId};

use super::patch::{Patch, PatchLipid};
use crate::build::Closeness;
use crate::build::template::{Body, Library};
use crate::relax::{Hold, Leaflet, Relax, RelaxOptions, Setup};
use crate::shape::Surface;

/// Two molecules that overlap, the smaller number first, and how many pairs of their atoms do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Touch {
    pub(super) first: u32,
    pub(super) second: u32,
    pub(super) atoms: u32,
}

/// Molecule types as the search knows them: the bodies of a patch, and those that stand in the way.
#[derive(Clone, Debug)]
pub(super) struct Solids {
    scene: Scene,
    /// Middles of the types, around which their atoms are kept.
    centers: Vec<DVec3>,
    allow: f32,
    /// What holds a lipid of each type upright in a plane, in its outer and inner leaflet.
    holds: Vec<[Hold; 2]>,
}

impl Solids {
    pub(super) fn new(library: &mut Library<'_>, closeness: Closeness, lipids: &[&Body], others: &[&Body]) -> Self {
        let bodies: Vec<&Body> = lipids.iter().chain(others).copied().collect();
        let radii = library.radii(closeness, &bodies);
        let mut scene = Scene::default();
        let mut centers = Vec::new();
        for (body, radii) in bodies.iter().zip(&radii) {
            let center = body.atoms.iter().sum::<DVec3>() / body.atoms.len().max(1) as f64;
            let atoms: Vec<Vec3> = body.atoms.iter().map(|atom| (*atom - center).as_vec3()).collect();
            scene.add_type("", &atoms, radii);
            centers.push(center);
        }
        let allow = match closeness {
            Closeness::Tolerance(_) => 0.0,
            Closeness::Radii { allow, .. } => allow as f32,
        };
        let plane = Arc::new(Surface::Plane { origin: DVec3::ZERO, normal: DVec3::Z });
        let hold = |(body, center): (&&Body, &DVec3), leaflet: Leaflet| Hold::Surface {
            surface: Arc::clone(&plane),
            leaflet,
            head: body.head - *center,
            height: leaflet.sign() * body.head.z,
            leeway: 3.0,
            axis: DVec3::Z,
            tilt: 25f64.to_radians(),
        };
        let both = |of: (&&Body, &DVec3)| [hold(of, Leaflet::Outer), hold(of, Leaflet::Inner)];
        let holds = lipids.iter().zip(&centers).map(both).collect();
        Self { scene, centers, allow, holds }
    }

    fn molecule(&self, body: u32, world_from_body: Pose) -> Molecule {
        let pose = world_from_body * Pose::from_translation(self.centers[body as usize]);
        Molecule { kind: TypeId(body), pose }
    }

    fn scene(&self, bodies: impl Iterator<Item = (u32, Pose)>, cell: Option<PeriodicBox>) -> Scene {
        let mut scene = self.scene.with_molecules(bodies.map(|(body, pose)| self.molecule(body, pose)).collect());
        scene.set_periodic_box(cell);
        scene
    }

    /// The farthest that an atom of a body stands from the axis through a point of it, in angstroms.
    pub(super) fn reach(&self, body: u32) -> f64 {
        let bound = self.scene.types()[body as usize].bound;
        (self.centers[body as usize] + bound.center.as_dvec3()).truncate().length() + f64::from(bound.radius)
    }

    /// Every pair of molecules that overlap, in order.
    pub(super) fn touches(&self, bodies: impl Iterator<Item = (u32, Pose)>, cell: Option<PeriodicBox>) -> Vec<Touch> {
        let search = OverlapSearch { allow: self.allow, ..OverlapSearch::default() };
        let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for overlap in search.overlaps_unsorted(&self.scene(bodies, cell)) {
            let (a, b) = (overlap.first.molecule.0, overlap.second.molecule.0);
            *pairs.entry((a.min(b), a.max(b))).or_default() += 1;
        }
        pairs.into_iter().map(|((first, second), atoms)| Touch { first, second, atoms }).collect()
    }

    /// Pushes lipids of a flat membrane apart, around those that are fixed, until there is so much more room between
    /// atoms than there must be, in angstroms; says whether they came to rest.
    pub(super) fn settle(
        &self,
        lipids: &mut [PatchLipid],
        fixed: &[bool],
        cell: Option<PeriodicBox>,
        room: f32,
        iterations: u32,
    ) -> bool {
        let scene = self.scene(lipids.iter().map(|lipid| (lipid.body, lipid.pose)), cell);
        let mut setup = Setup::new(scene);
        setup.groups = self.holds.iter().flatten().map(|hold| vec![hold.clone()]).collect();
        let group = |lipid: &PatchLipid| 2 * lipid.body + u32::from(lipid.leaflet == Leaflet::Inner);
        setup.group_of = lipids.iter().map(group).collect();
        setup.fixed = fixed.to_vec();
        setup.allow = self.allow - room;
        let options =
            RelaxOptions { max_iterations: iterations, stall_iterations: iterations, ..RelaxOptions::default() };
        let mut relax = Relax::new(setup, options, 1);
        let stop = relax.run(|_, _| ControlFlow::Continue(()));
        for (lipid, pose) in lipids.iter_mut().zip(relax.poses()) {
            let pose = pose * Pose::from_translation(-self.centers[lipid.body as usize]);
            lipid.pose = Pose { rotation: pose.rotation.normalize(), ..pose };
        }
        stop == crate::relax::Stop::Rest
    }
}

/// What may become of a laid molecule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays.
    Fixed,
    /// It stays if it can.
    Own,
    /// It was laid beyond its border, to fill what the other side leaves open.
    Spare,
    /// It cannot stay.
    Gone,
}

/// Who stays of a crowd.
pub(super) struct Choice<'a> {
    pub(super) fates: &'a [Fate],
    /// Each one's class: its kind and its leaflet, so that holes are not filled with the smallest lipids of a mixture.
    pub(super) classes: &'a [u32],
    pub(super) touches: &'a [Touch],
    /// How many of each class should stay, fixed ones not counted.
    pub(super) wanted: &'a [usize],
}

impl Choice<'_> {
    /// Whether each stays.
    pub(super) fn stays(&self) -> Vec<bool> {
        let neighbours = self.neighbours();
        let mut stays: Vec<bool> = self.fates.iter().map(|&fate| matches!(fate, Fate::Fixed | Fate::Own)).collect();
        self.part(&neighbours, &mut stays);
        self.fill(&neighbours, &mut stays);
        stays
    }

    fn neighbours(&self) -> Neighbours {
        let mut starts = vec![0; self.fates.len() + 1];
        for touch in self.touches {
            starts[touch.first as usize + 1] += 1;
            starts[touch.second as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut others = vec![(0, 0); 2 * self.touches.len()];
        for touch in self.touches {
            for (one, other) in [(touch.first, touch.second), (touch.second, touch.first)] {
                others[next[one as usize]] = (other, touch.atoms);
                next[one as usize] += 1;
            }
        }
        Neighbours { starts, others }
    }

    /// How many others a lipid overlaps, and in how many pairs of atoms.
    fn load(&self, of: u32, neighbours: &Neighbours, stays: &[bool]) -> (u32, u32) {
        let near = neighbours.of(of).iter().filter(|(other, _)| stays[*other as usize]);
        near.fold((0, 0), |(others, atoms), near| (others + 1, atoms + near.1))
    }

    /// Takes lipids away until none of the rest overlap.
    fn part(&self, neighbours: &Neighbours, stays: &mut [bool]) {
        // Loads only sink, so an entry that is out of date is put back with what it is now.
        let key = |at: u32, stays: &[bool]| {
            let (others, atoms) = self.load(at, neighbours, stays);
            let by_fixed = neighbours.of(at).iter().any(|(other, _)| self.fates[*other as usize] == Fate::Fixed);
            (by_fixed, others, atoms, at)
        };
        let own = (0..self.fates.len() as u32).filter(|&at| self.fates[at as usize] == Fate::Own);
        let mut heap: BinaryHeap<_> = own.map(|at| key(at, stays)).filter(|key| key.1 > 0).collect();
        while let Some(top) = heap.pop() {
            let now = key(top.3, stays);
            if now.1 == 0 {
                continue;
            }
            if now == top {
                stays[top.3 as usize] = false;
            } else {
                heap.push(now);
            }
        }
    }

    /// Brings lipids back where their leaflet lacks some of their kind, those first that overlap least.
    fn fill(&self, neighbours: &Neighbours, stays: &mut [bool]) {
        let class = |at: u32| self.classes[at as usize] as usize;
        let mut here = vec![0; self.wanted.len()];
        for at in (0..self.fates.len() as u32).filter(|&at| stays[at as usize]) {
            if self.fates[at as usize] != Fate::Fixed {
                here[class(at)] += 1;
            }
        }
        // Loads only rise here.
        let key = |at: u32, stays: &[bool]| {
            let (_, atoms) = self.load(at, neighbours, stays);
            Reverse((atoms, self.fates[at as usize] == Fate::Spare, at))
        };
        let gone = |at: &u32| !stays[*at as usize] && self.fates[*at as usize] != Fate::Gone;
        let gone: Vec<u32> = (0..self.fates.len() as u32).filter(gone).collect();
        let mut heap: BinaryHeap<_> = gone.into_iter().map(|at| key(at, stays)).collect();
        while let Some(top) = heap.pop() {
            let Reverse((_, _, at)) = top;
            if here[class(at)] >= self.wanted[class(at)] {
                continue;
            }
            let now = key(at, stays);
            if now == top {
                stays[at as usize] = true;
                here[class(at)] += 1;
            } else {
                heap.push(now);
            }
        }
    }
}

/// For each molecule the others that it overlaps, and in how many pairs of atoms.
struct Neighbours {
    starts: Vec<usize>,
    others: Vec<(u32, u32)>,
}

impl Neighbours {
    fn of(&self, at: u32) -> &[(u32, u32)] {
        &self.others[self.starts[at as usize]..self.starts[at as usize + 1]]
    }
}

/// Lipids of a patch by their places in the plane.
pub(super) fn places<'a>(patch: &'a Patch, lipids: &'a [PatchLipid]) -> impl Iterator<Item = glam::DVec2> + 'a {
    lipids.iter().map(|lipid| patch.center(lipid.body, &lipid.pose).truncate())
}
