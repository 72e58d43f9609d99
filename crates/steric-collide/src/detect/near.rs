//! Near pairs, kept while nothing has moved far.
//!
//! How it works: a search that reaches *skin* farther than asked finds every pair of clusters that can come to touch
//! while no atom moves more than half the skin. The pairs are kept slab by slab, in the slots in which they were found,
//! so that asking again only places the atoms anew and compares those pairs. When a molecule has moved too far the list
//! is made again; the answers are always those of the plain search.

use rayon::prelude::*;
use steric_model::{Molecule, PeriodicBox, Scene, TypeId};

use super::force::{ForceSum, Forces};
use super::overlaps::{Count, List, Overlap, OverlapSearch, Plan, concat};
use super::slab::{Frames, Slab};
use super::sweep::{Cut, Mixed, Question, Search, Touch, Uniform, Visitor};
use crate::index::slabs::ClusterRef;
use crate::simd::{Kernel, Lanes, dispatch};

/// The pairs of a scene that are near each other, to be asked again and again while the molecules move.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{NearList, OverlapSearch};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 3.5));
/// let mut near = NearList::new(OverlapSearch::default(), 2.0);
/// assert_eq!(near.count(&scene), 0);
/// scene.molecules_mut()[1].pose.translation.x = 3.0;
/// assert_eq!(near.count(&scene), 1);
/// assert_eq!(near.searches(), 1);
/// ```
#[derive(Debug)]
pub struct NearList {
    search: OverlapSearch,
    skin: f32,
    made: Option<Made>,
    searches: usize,
}

/// The list, and what it was made from.
#[derive(Debug)]
struct Made {
    slabs: Vec<NearSlab>,
    question: Question,
    molecules: Vec<Molecule>,
    periodic_box: Option<PeriodicBox>,
}

/// The near pairs of one slab, by slot.
#[derive(Debug, Default)]
struct NearSlab {
    refs: Vec<ClusterRef>,
    anchors: Vec<glam::DVec3>,
    anchor_of: Vec<u32>,
    own: usize,
    pairs: Vec<NearPair>,
}

#[derive(Clone, Copy, Debug)]
struct NearPair {
    first: u32,
    second: u32,
    shift: [f32; 3],
}

impl NearList {
    /// A list for a search, with a skin in angstroms. A wide skin lasts longer and holds more pairs.
    pub fn new(search: OverlapSearch, skin: f32) -> Self {
        assert!(skin >= 0.0 && skin.is_finite(), "a skin is a length");
        Self { search, skin, made: None, searches: 0 }
    }

    /// How often the scene had to be searched anew.
    pub fn searches(&self) -> usize {
        self.searches
    }

    /// How many pairs of clusters the list holds.
    pub fn pairs(&self) -> usize {
        self.made.iter().flat_map(|made| &made.slabs).map(|slab| slab.pairs.len()).sum()
    }

    /// As [`OverlapSearch::count`].
    pub fn count(&mut self, scene: &Scene) -> u64 {
        match self.made_for(scene) {
            Some(made) => made.evaluate(scene, Count::default).iter().map(|count| count.0).sum(),
            None => self.search.count(scene),
        }
    }

    /// As [`OverlapSearch::overlaps`].
    pub fn overlaps(&mut self, scene: &Scene) -> Vec<Overlap> {
        let Some(made) = self.made_for(scene) else { return self.search.overlaps(scene) };
        let mut found = concat(made.evaluate(scene, List::default));
        found.par_sort_unstable_by_key(|overlap| (overlap.first, overlap.second));
        found
    }

    /// As [`OverlapSearch::forces_into`].
    pub fn forces_into(&mut self, scene: &Scene, forces: &mut Forces) {
        match self.made_for(scene) {
            Some(made) => {
                let sum = ForceSum::new(scene, made.question, forces);
                made.evaluate(scene, || sum.visitor());
                sum.finish();
            }
            None => self.search.forces_into(scene, forces),
        }
    }

    /// The list, made again if it no longer covers the scene; `None` where cells do not help or nothing can touch.
    fn made_for(&mut self, scene: &Scene) -> Option<&Made> {
        if !self.made.as_ref().is_some_and(|made| made.covers(scene, self.skin)) {
            self.made = self.make(scene);
        }
        self.made.as_ref()
    }

    fn make(&mut self, scene: &Scene) -> Option<Made> {
        let wider = OverlapSearch { allow: self.search.allow - self.skin, ..self.search };
        let Plan::Cells(cells) = wider.plan(scene) else { return None };
        self.searches += 1;
        let slabs = cells.sweep(scene, NearSlab::default);
        // Near pairs are evaluated lane by lane, single atoms too.
        let question = Question { reach: -self.search.allow, single_atoms: false, ..cells.question };
        Some(Made { slabs, question, molecules: scene.molecules().to_vec(), periodic_box: scene.periodic_box() })
    }
}

impl Visitor for NearSlab {
    fn touch<L: Lanes>(&mut self, _: L, _: &Scene, _: &Slab, touch: Touch) {
        self.pairs.push(NearPair { first: touch.first as u32, second: touch.second as u32, shift: touch.shift });
    }

    fn end(&mut self, _: &Scene, slab: &Slab) {
        self.refs.clone_from(&slab.refs);
        self.anchors.clone_from(&slab.anchors);
        self.anchor_of.clone_from(&slab.anchor_of);
        self.own = slab.own;
    }
}

impl Made {
    /// Whether no atom has moved more than half the skin since the list was made.
    fn covers(&self, scene: &Scene, skin: f32) -> bool {
        self.periodic_box == scene.periodic_box()
            && self.molecules.len() == scene.molecules().len()
            && self
                .molecules
                .par_iter()
                .zip(scene.molecules())
                .all(|(then, now)| then.kind == now.kind && farthest_move(scene, then, now) <= 0.5 * f64::from(skin))
    }

    fn evaluate<V: Visitor>(&self, scene: &Scene, visitor: impl Fn() -> V + Sync) -> Vec<V> {
        let evaluate = |near: &NearSlab| {
            let mut visitor = visitor();
            dispatch(OneNearSlab { scene, near, question: self.question, visitor: &mut visitor });
            visitor
        };
        self.slabs.par_iter().with_max_len(1).map(evaluate).collect()
    }
}

/// No atom of a molecule moved farther than this, in angstroms: the way of the middle, and the chord of the turn at the
/// rim.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::farthest_move;
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// let then = scene.molecules()[0];
/// scene.molecules_mut()[0].pose.translation = DVec3::Y * 2.0;
/// assert_eq!(farthest_move(&scene, &then, &scene.molecules()[0]), 2.0);
/// ```
pub fn farthest_move(scene: &Scene, then: &Molecule, now: &Molecule) -> f64 {
    let TypeId(kind) = now.kind;
    let bound = scene.types()[kind as usize].bound;
    let middle = bound.center.as_dvec3();
    let way = (now.pose * middle).distance(then.pose * middle);
    let turn = now.pose.rotation * then.pose.rotation.inverse();
    way + 2.0 * turn.xyz().length() * f64::from(bound.radius)
}

struct OneNearSlab<'a, V> {
    scene: &'a Scene,
    near: &'a NearSlab,
    question: Question,
    visitor: &'a mut V,
}

impl<V: Visitor> Kernel for OneNearSlab<'_, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self { scene, near, question, visitor } = self;
        let mut slab = Slab::default();
        slab.anchors.clone_from(&near.anchors);
        slab.own = near.own;
        slab.resize(near.refs.len());
        let mut frames = Frames::new(scene);
        for (slot, (&cluster, &anchor)) in near.refs.iter().zip(&near.anchor_of).enumerate() {
            frames.select(cluster.molecule);
            slab.place(lanes, scene, &frames, cluster, slot, anchor);
        }
        visitor.begin(&slab);
        let mut search = Search { scene, question, slab: &slab, visitor, candidates: Vec::new() };
        match question.uniform_radius {
            Some(radius) => search.near_pairs(lanes, &near.pairs, &Uniform::new(radius, question.reach)),
            None => search.near_pairs(lanes, &near.pairs, &Mixed { reach: question.reach }),
        }
        visitor.end(scene, &slab);
    }
}

impl<V: Visitor> Search<'_, V> {
    #[inline(always)]
    fn near_pairs<L: Lanes>(&mut self, lanes: L, pairs: &[NearPair], cut: &impl Cut) {
        for &NearPair { first, second, shift } in pairs {
            let (first, second) = (first as usize, second as usize);
            if first == second && shift == [0.0; 3] {
                self.within(lanes, first, cut);
                continue;
            }
            let atoms = self.atoms(lanes, first, shift);
            let radii = cut.radii(self.scene, self.slab, first);
            self.pair(lanes, first, atoms, radii, second, shift, cut);
        }
    }
}
