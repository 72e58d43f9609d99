//! Overlaps of a scene: how many, which, and of which molecules.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use steric_model::{AtomId, PeriodicBox, Scene};

use super::force::{ForceSum, Forces};
use super::slab::Slab;
use super::sweep::{AtomTouch, Level, Question, Touch, Visitor, sweep};
use crate::index::IndexKind;
use crate::index::guests::Guests;
use crate::index::lattice::Lattice;
use crate::index::levels::levels;
use crate::index::slabs::Slabs;
use crate::reference;
use crate::simd::Lanes;

/// Two atoms that overlap by more than is allowed.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{Overlap, OverlapSearch};
/// use steric_model::{AtomId, Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.5]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 2.5));
/// let expected = Overlap { first: AtomId::new(0, 0), second: AtomId::new(1, 0), depth: 0.5 };
/// assert_eq!(OverlapSearch::default().overlaps(&scene), [expected]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The atom with the smaller id.
    pub first: AtomId,
    /// The atom with the larger id.
    pub second: AtomId,
    /// Sum of radii minus distance, in angstroms; positive when the spheres interpenetrate.
    pub depth: f32,
}

/// A search for overlaps between the molecules of a scene.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::OverlapSearch;
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// for x in [0.0, 2.9, 9.0] {
///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
/// }
/// let overlaps = OverlapSearch::default().overlaps(&scene);
/// assert_eq!(overlaps.len(), 1);
/// assert!((overlaps[0].depth - 0.5).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OverlapSearch {
    /// Interpenetration that is forgiven, in angstroms; a negative value also finds atoms that are near without
    /// touching.
    pub allow: f32,
    /// Whether overlaps inside one molecule count too.
    pub inside_molecules: bool,
    /// How cells are found.
    pub index: IndexKind,
}

impl OverlapSearch {
    /// How many pairs of atoms overlap.
    pub fn count(&self, scene: &Scene) -> u64 {
        match self.plan(scene) {
            Plan::Nothing => 0,
            Plan::Reference => reference::overlaps(scene, *self).len() as u64,
            Plan::Cells(cells) => cells.sweep(scene, Count::default).iter().map(|count| count.0).sum(),
        }
    }

    /// All overlaps, sorted by `(first, second)`.
    pub fn overlaps(&self, scene: &Scene) -> Vec<Overlap> {
        let mut found = self.overlaps_unsorted(scene);
        found.par_sort_unstable_by_key(|overlap| (overlap.first, overlap.second));
        found
    }

    /// All overlaps in the order in which the search came upon them, the same for any number of threads.
    pub fn overlaps_unsorted(&self, scene: &Scene) -> Vec<Overlap> {
        match self.plan(scene) {
            Plan::Nothing => Vec::new(),
            Plan::Reference => reference::overlaps(scene, *self),
            Plan::Cells(cells) => concat(cells.sweep(scene, List::default)),
        }
    }

    /// How many overlaps each molecule takes part in, by molecule id.
    pub fn overlaps_per_molecule(&self, scene: &Scene) -> Vec<u32> {
        let counts: Vec<AtomicU32> = scene.molecules().iter().map(|_| AtomicU32::new(0)).collect();
        match self.plan(scene) {
            Plan::Nothing => {}
            Plan::Reference => {
                for overlap in reference::overlaps(scene, *self) {
                    add_to_both(&counts, overlap.first.molecule.0, overlap.second.molecule.0, 1);
                }
            }
            Plan::Cells(cells) => drop(cells.sweep(scene, || PerMolecule(&counts))),
        }
        counts.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// For each atom the sum over its overlaps of the depth, along the way out. Sums are in fixed point, so the bits
    /// are the same for any number of threads.
    pub fn forces(&self, scene: &Scene) -> Forces {
        let mut forces = Forces::default();
        self.forces_into(scene, &mut forces);
        forces
    }

    /// As [`OverlapSearch::forces`], into memory that is there already; a simulation asks at every step.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_collide::{Forces, OverlapSearch};
    /// use steric_model::{AtomId, Pose, Scene};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// scene.add_molecule(carbon, Pose::IDENTITY);
    /// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 2.0));
    /// let (search, mut forces) = (OverlapSearch::default(), Forces::default());
    /// for _step in 0..20 {
    ///     search.forces_into(&scene, &mut forces);
    ///     let push = forces.of(&scene, AtomId::new(1, 0));
    ///     scene.molecules_mut()[1].pose.translation += 0.5 * push.as_dvec3();
    /// }
    /// assert!((scene.molecules()[1].pose.translation.x - 3.4).abs() < 1e-3);
    /// ```
    pub fn forces_into(&self, scene: &Scene, forces: &mut Forces) {
        match self.plan(scene) {
            Plan::Nothing => forces.zero(scene),
            Plan::Reference => *forces = reference::forces(scene, *self),
            Plan::Cells(cells) => {
                let sum = ForceSum::new(scene, cells.question, forces);
                cells.sweep(scene, || sum.visitor());
                sum.finish();
            }
        }
    }

    /// Atoms touch when they are nearer than the sum of their radii and this, in angstroms.
    pub(crate) fn reach(&self) -> f32 {
        -self.allow
    }

    pub(crate) fn plan(&self, scene: &Scene) -> Plan {
        let Some(((least, most), (_, largest))) = scene.radii().zip(scene.cluster_radii()) else {
            return Plan::Nothing;
        };
        let reach = -self.allow;
        if scene.molecules().is_empty() || 2.0 * most + reach <= 0.0 {
            return Plan::Nothing;
        }
        let space = match scene.periodic_box() {
            // An atom must not meet two images of another one.
            Some(periodic_box) if periodic_box.widths().min_element() < 2.0 * f64::from(2.0 * most + reach) => {
                return Plan::Reference;
            }
            Some(periodic_box) => Space::Periodic(periodic_box),
            None => Space::open(scene),
        };
        let mut planned = Vec::new();
        for radii in levels(scene, reach, space.volume()) {
            let largest = largest.min(radii.end);
            let Some(lattice) = space.lattice(largest, reach) else { return Plan::Reference };
            let slabs = Slabs::new(scene, &lattice, &radii);
            let guests = Guests::new(scene, &lattice, &slabs, radii.end, largest, reach);
            planned.push(Level { lattice, slabs, guests });
        }
        let question = Question {
            reach,
            inside_molecules: self.inside_molecules,
            uniform_radius: (least == most).then_some(least),
            single_atoms: scene.is_single_atoms(),
        };
        Plan::Cells(Box::new(Cells { levels: planned, question, kind: self.index }))
    }
}

pub(crate) enum Plan {
    Nothing,
    /// A periodic box so small that cells do not help.
    Reference,
    Cells(Box<Cells>),
}

pub(crate) struct Cells {
    levels: Vec<Level>,
    pub(crate) question: Question,
    kind: IndexKind,
}

impl Cells {
    /// Searches every level; the visitors come in the order of levels and slabs.
    pub(crate) fn sweep<V: Visitor>(&self, scene: &Scene, visitor: impl Fn() -> V + Sync) -> Vec<V> {
        self.levels.iter().flat_map(|level| sweep(scene, level, self.kind, self.question, &visitor)).collect()
    }
}

/// Where the molecules are.
enum Space {
    Open(DVec3, DVec3),
    Periodic(PeriodicBox),
}

impl Space {
    fn open(scene: &Scene) -> Self {
        let (low, high) = extent(scene);
        Self::Open(low, high)
    }

    fn volume(&self) -> f64 {
        match *self {
            Self::Open(low, high) => (high - low).max(DVec3::ONE).element_product(),
            Self::Periodic(periodic_box) => periodic_box.volume(),
        }
    }

    /// Cells for clusters that are no larger than this; `None` if the box is thinner than one of them.
    fn lattice(&self, largest: f32, reach: f32) -> Option<Lattice> {
        // Where only giants can touch, the cells of the small ones need no width at all.
        let edge = f64::from(2.0 * largest + reach).max(f64::from(largest) / 2.0) + 0.01;
        match *self {
            Self::Open(low, high) => Some(Lattice::open(low, high, edge)),
            Self::Periodic(periodic_box) => Lattice::periodic(periodic_box, edge),
        }
    }
}

/// A box around the centres of all clusters, from the bounding spheres of the molecules.
fn extent(scene: &Scene) -> (DVec3, DVec3) {
    let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let union = |a: (DVec3, DVec3), b: (DVec3, DVec3)| (a.0.min(b.0), a.1.max(b.1));
    let of_molecule = |molecule: &steric_model::Molecule| {
        let bound = scene.types()[molecule.kind.0 as usize].bound;
        let center = match bound.center {
            Vec3::ZERO => molecule.pose.translation,
            center => molecule.pose * center.as_dvec3(),
        };
        let radius = f64::from(bound.radius);
        (center - radius, center + radius)
    };
    scene.molecules().par_iter().map(of_molecule).reduce(|| nothing, union)
}

#[derive(Default)]
pub(crate) struct Count(pub(crate) u64);

impl Visitor for Count {
    #[inline(always)]
    fn touch<L: Lanes>(&mut self, _: L, _: &Scene, _: &Slab, touch: Touch) {
        self.0 += u64::from(touch.bits.count_ones());
    }

    #[inline(always)]
    fn touch_atoms<L: Lanes>(&mut self, _: L, _: &Scene, _: &Slab, touch: AtomTouch) {
        self.0 += u64::from(touch.bits.count_ones());
    }
}

#[derive(Default)]
pub(crate) struct List(pub(crate) Vec<Overlap>);

impl Visitor for List {
    fn touch<L: Lanes>(&mut self, _: L, scene: &Scene, slab: &Slab, touch: Touch) {
        let ends = [touch.first, touch.second].map(|slot| slab.refs[slot]);
        let [first, second] = ends.map(|end| &scene.clusters()[end.cluster as usize]);
        for (lane, other_lane) in touch.lanes() {
            let shifted = slab.atom(touch.first, lane) + Vec3::from(touch.shift);
            let distance = shifted.distance(slab.atom(touch.second, other_lane));
            let a = AtomId::new(ends[0].molecule, first.atoms[lane]);
            let b = AtomId::new(ends[1].molecule, second.atoms[other_lane]);
            let depth = first.radii[lane] + second.radii[other_lane] - distance;
            self.0.push(Overlap { first: a.min(b), second: a.max(b), depth });
        }
    }
}

/// One list of all; each part is freed as soon as it was copied, so that millions of overlaps are not held twice.
pub(crate) fn concat(lists: Vec<List>) -> Vec<Overlap> {
    let mut all = Vec::with_capacity(lists.iter().map(|list| list.0.len()).sum());
    for list in lists {
        all.extend_from_slice(&list.0);
    }
    all
}

struct PerMolecule<'a>(&'a [AtomicU32]);

impl Visitor for PerMolecule<'_> {
    #[inline(always)]
    fn touch<L: Lanes>(&mut self, _: L, _: &Scene, slab: &Slab, touch: Touch) {
        let [first, second] = [touch.first, touch.second].map(|slot| slab.refs[slot].molecule);
        add_to_both(self.0, first, second, touch.bits.count_ones());
    }
}

fn add_to_both(counts: &[AtomicU32], first: u32, second: u32, overlaps: u32) {
    counts[first as usize].fetch_add(overlaps, Ordering::Relaxed);
    if first != second {
        counts[second as usize].fetch_add(overlaps, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use steric_model::Pose;

    use super::*;
    use crate::simd::PORTABLE_ONLY;

    /// Molecules of a few atoms on a lattice of 1/64 A, where every step of the search is exact.
    fn lattice_scene(atoms_per_molecule: u32, radii: &[f32]) -> Scene {
        let mut state = 1u64;
        let mut step = |range: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % range) as f32 / 64.0
        };
        let mut scene = Scene::default();
        for _ in 0..300 {
            let atoms: Vec<Vec3> =
                (0..atoms_per_molecule).map(|_| Vec3::new(step(500), step(500), step(500))).collect();
            let radii: Vec<f32> = (0..atoms.len()).map(|atom| radii[atom % radii.len()]).collect();
            let kind = scene.add_type("type", &atoms, &radii);
            let place = Vec3::new(step(1500), step(1500), step(1500)).as_dvec3();
            scene.add_molecule(kind, Pose::from_translation(place));
        }
        scene
    }

    #[test]
    fn plain_arrays_give_the_same_bits_as_the_widest_lanes() {
        for (atoms, radii) in [(1, &[3.0][..]), (1, &[2.0, 5.0]), (20, &[1.5]), (20, &[1.0, 1.5, 2.25])] {
            let scene = lattice_scene(atoms, radii);
            let answers = |inside_molecules: bool| {
                let search = OverlapSearch { inside_molecules, ..OverlapSearch::default() };
                (search.overlaps(&scene), search.count(&scene), search.forces(&scene).state_hash())
            };
            let widest = [answers(false), answers(true)];
            PORTABLE_ONLY.store(true, Ordering::Relaxed);
            let plain = [answers(false), answers(true)];
            PORTABLE_ONLY.store(false, Ordering::Relaxed);
            assert!(widest[0].1 > 100, "there is something to compare: {}", widest[0].1);
            assert_eq!(plain, widest);
        }
    }
}
