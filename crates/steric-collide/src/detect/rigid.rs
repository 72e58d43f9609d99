//! Contacts of rigid molecules that move: the near pairs of their clusters, and the touches among them.
//!
//! How it works: the atoms of a molecule are kept as *arms*, turned as the molecule is turned but measured from its own
//! centre. So a molecule that only shifts costs nothing to place, the difference of two centres in double precision is
//! the only place where the size of the scene enters, and the lever of every contact is at hand. A list holds each pair of
//! clusters that can come to touch while nothing moves more than half of its skin. When a few molecules have moved farther, the
//! list is *patched*: the pairs of those few are searched again, wide enough for the others to use up their half of the skin
//! both ways, and their old pairs no longer count. That costs what the few and their neighbours cost. Patches lie on each
//! other; a pair belongs to the latest patch that has one of its two molecules.
//!
//! A scene may be a part of a larger one that others look after. Then its first molecules are *owned*, the rest are *ghosts*:
//! owned molecules meet them, but pairs of two ghosts are somebody else's. *Outer* pairs have a ghost and are kept apart,
//! so that the inner ones can be visited before anyone knows where the ghosts are.

use glam::{DVec3, Mat3, Vec3};
use rayon::prelude::*;
use steric_model::{LANES, Molecule, PeriodicBox, Pose, Scene};

use super::near::farthest_move;
use super::neighbourhood::Neighbourhood;
use super::overlaps::{OverlapSearch, Plan};
use super::slab::{Slab, placed};
use super::sweep::{Cut, Mixed, Touch, Uniform, Visitor, touching};
use crate::index::slabs::cluster_range;
use crate::simd::{Eight, Kernel, Lanes, dispatch, per_axis};

/// Two clusters, by their places among all placed clusters, and how many boxes the first has to be moved along each
/// lattice vector.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: u32,
    second: u32,
    boxes: [i16; 3],
}

/// How many pairs one thread looks at before it asks for more.
const PAIRS_PER_PIECE: usize = 8_192;
const MOLECULES_PER_PIECE: usize = 1_024;

/// Two clusters of different molecules with atoms that touch.
#[derive(Clone, Copy, Debug)]
pub struct RigidTouch<'a> {
    /// The two molecules, by index.
    pub molecules: [u32; 2],
    /// From the centre of the second molecule to that of the first, or of its image, in angstroms.
    pub between: Vec3,
    /// The atoms of the two clusters, measured from their molecules' centres, in angstroms: all x, all y, all z.
    pub arms: [&'a [Eight; 3]; 2],
    /// The radii of the atoms of the two clusters, in angstroms.
    pub radii: [&'a Eight; 2],
    bits: u64,
}

impl RigidTouch<'_> {
    /// The lanes of each pair of atoms that touch: of the first cluster, of the second.
    #[inline(always)]
    pub fn lanes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        Touch { first: 0, second: 0, shift: [0.0; 3], bits: self.bits }.lanes()
    }

    /// The arm of an atom: of the first (0) or second (1) cluster, in a lane.
    #[inline(always)]
    pub fn arm(&self, cluster: usize, lane: usize) -> Vec3 {
        Vec3::from(per_axis(|axis| self.arms[cluster][axis][lane]))
    }
}

/// Makes something of the touches of a piece of the list.
pub trait RigidVisitor: Send {
    /// Two clusters touch. Mark it `#[inline(always)]`, so that it is compiled for the processor's lanes.
    fn touch(&mut self, touch: &RigidTouch<'_>);
    /// The piece is done.
    fn end(&mut self) {}
}

/// Which pairs of a list are visited.
///
/// ```
/// use steric_collide::Which;
///
/// assert_eq!(Which::default(), Which::All);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// Every pair.
    #[default]
    All,
    /// Those of two owned molecules.
    Inner,
    /// Those of an owned molecule and a ghost.
    Outer,
}

/// The pairs that were found at one time.
#[derive(Debug, Default)]
struct Found {
    inner: Vec<Pair>,
    outer: Vec<Pair>,
}

impl Found {
    fn of(&self, which: Which) -> [&[Pair]; 2] {
        let inner = if which == Which::Outer { &[][..] } else { &self.inner };
        let outer = if which == Which::Inner { &[][..] } else { &self.outer };
        [inner, outer]
    }
}

/// How many pieces of the list are visited before others get a word in, for each thread.
const PIECES_AT_A_TIME: usize = 16;

/// Near pairs of rigid molecules, to be visited while the molecules move.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_collide::{OverlapSearch, RigidPairs, RigidTouch, RigidVisitor};
/// use steric_model::{Pose, Scene};
///
/// struct Count(usize);
/// impl RigidVisitor for Count {
///     #[inline(always)]
///     fn touch(&mut self, touch: &RigidTouch<'_>) {
///         self.0 += touch.lanes().count();
///     }
/// }
///
/// let mut scene = Scene::default();
/// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
/// scene.add_molecule(carbon, Pose::IDENTITY);
/// scene.add_molecule(carbon, Pose::from_translation(DVec3::X * 3.5));
/// let mut pairs = RigidPairs::new(&scene, OverlapSearch::default());
/// pairs.list(&scene, 1.0);
/// scene.molecules_mut()[1].pose.translation.x = 3.1;
/// assert!(pairs.covers(&scene, 1));
/// let counts = pairs.visit(&scene, |_| true, || Count(0));
/// assert_eq!(counts.iter().map(|count| count.0).sum::<usize>(), 1);
/// ```
#[derive(Debug)]
pub struct RigidPairs {
    search: OverlapSearch,
    arms: Vec<[Eight; 3]>,
    // The molecule of each placed cluster.
    owners: Vec<u32>,
    // The first placed cluster of each molecule, and the end.
    first: Vec<u32>,
    // What leads from a cluster of a molecule's type to the placed one: added, wrapping.
    bases: Vec<u32>,
    // How many molecules, the first ones, are owned.
    owned: u32,
    // Which molecule of a pair stands first: that of the smaller number here. Empty: by index.
    order: Vec<u32>,
    // The list, then its patches: the number of the patch, 0 for the list, and its pairs in pieces.
    pairs: Vec<(u16, Found)>,
    // The latest patch of each molecule, and how many patches there are.
    patch_of: Vec<u16>,
    patches: u16,
    skin: f32,
    // The poses of all molecules when their pairs were listed.
    listed: Vec<Pose>,
}

impl RigidPairs {
    /// Places the molecules of a scene. Nothing is listed yet.
    pub fn new(scene: &Scene, search: OverlapSearch) -> Self {
        let mut first = Vec::with_capacity(scene.molecules().len() + 1);
        let mut total = 0u32;
        for molecule in scene.molecules() {
            first.push(total);
            total += cluster_range(scene, molecule).len() as u32;
        }
        first.push(total);
        let starts = scene.molecules().iter().map(|molecule| cluster_range(scene, molecule).start);
        let bases = first.iter().zip(starts).map(|(first, start)| first.wrapping_sub(start)).collect();
        let mut owners = vec![0; total as usize];
        for (molecule, ends) in first.windows(2).enumerate() {
            owners[ends[0] as usize..ends[1] as usize].fill(molecule as u32);
        }
        let arms = vec![[[0.0; LANES]; 3]; total as usize];
        let patch_of = vec![0; scene.molecules().len()];
        let owned = scene.molecules().len() as u32;
        let (pairs, listed, order) = (Vec::new(), Vec::new(), Vec::new());
        let (patches, skin) = (0, 0.0);
        let mut pairs =
            Self { search, arms, owners, first, bases, owned, order, pairs, patch_of, patches, skin, listed };
        pairs.turn(scene, |_| true);
        pairs
    }

    /// Says that only so many molecules, the first ones, are owned, and which of two stands first in a pair: that of the smaller
    /// number. To be said before anything is listed.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_collide::{OverlapSearch, RigidPairs};
    /// use steric_model::{Pose, Scene};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// for x in [0.0, 3.0, 6.0] {
    ///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
    /// }
    /// let mut pairs = RigidPairs::new(&scene, OverlapSearch::default()).with_ghosts(1, vec![7, 3, 8]);
    /// pairs.list(&scene, 0.0);
    /// assert_eq!(pairs.pairs(), 1, "the two ghosts touch, too, but that is somebody else's pair");
    /// ```
    pub fn with_ghosts(mut self, owned: usize, order: Vec<u32>) -> Self {
        assert!(self.pairs.is_empty(), "nothing is listed yet");
        assert_eq!(order.len(), self.patch_of.len(), "one number per molecule");
        (self.owned, self.order) = (owned as u32, order);
        self
    }

    /// Turns the arms of the molecules that were turned since they were last.
    pub fn turn(&mut self, scene: &Scene, turned: impl Fn(u32) -> bool + Sync) {
        let mut pieces = Vec::with_capacity(scene.molecules().len().div_ceil(MOLECULES_PER_PIECE));
        let mut rest = &mut self.arms[..];
        for ends in (0..scene.molecules().len()).step_by(MOLECULES_PER_PIECE) {
            let end = (ends + MOLECULES_PER_PIECE).min(scene.molecules().len());
            let (piece, after) = rest.split_at_mut((self.first[end] - self.first[ends]) as usize);
            pieces.push((ends..end, piece));
            rest = after;
        }
        let first = &self.first;
        pieces.into_par_iter().for_each(|(molecules, arms)| {
            let base = first[molecules.start];
            for molecule in molecules.filter(|&molecule| turned(molecule as u32)) {
                let own = (first[molecule] - base) as usize..(first[molecule + 1] - base) as usize;
                dispatch(TurnOne { scene, molecule: &scene.molecules()[molecule], arms: &mut arms[own] });
            }
        });
    }

    /// Finds the near pairs: those that can come to touch while no atom moves more than half the skin, in angstroms.
    pub fn list(&mut self, scene: &Scene, skin: f32) {
        // The search rounds places relative to a corner, the visit relative to each other: neither may lose a touch.
        let wider = OverlapSearch { allow: self.search.allow - skin - 1e-3, ..self.search };
        self.pairs = self.search_all(scene, wider, None).into_iter().map(|found| (0, found)).collect();
        self.patch_of.fill(0);
        self.patches = 0;
        self.skin = skin;
        self.listed.clear();
        self.listed.par_extend(scene.molecules().par_iter().map(|molecule| molecule.pose));
    }

    /// Finds the pairs of some molecules anew, which have moved more than half the skin. They stand in order. There can be
    /// [`RigidPairs::MOST_PATCHES`].
    pub fn patch(&mut self, scene: &Scene, stale: &[u32]) {
        assert!(self.patches < Self::MOST_PATCHES, "a list has only so many patches");
        self.patches += 1;
        let mut is_stale = vec![false; scene.molecules().len()];
        for &molecule in stale {
            self.patch_of[molecule as usize] = self.patches;
            is_stale[molecule as usize] = true;
        }
        // The other molecule may go from one end of its half of the skin to the other.
        let wider = OverlapSearch { allow: self.search.allow - 1.5 * self.skin - 1e-3, ..self.search };
        let near =
            Neighbourhood::new(scene, stale, wider.reach()).members(scene, |molecule| is_stale[molecule as usize]);
        let mut part =
            scene.with_molecules(near.iter().map(|&molecule| scene.molecules()[molecule as usize]).collect());
        part.set_periodic_box(scene.periodic_box());
        let is_stale: Vec<bool> = near.iter().map(|&molecule| is_stale[molecule as usize]).collect();
        let found = self.search_all(&part, wider, Some((&near, &is_stale)));
        self.pairs.extend(found.into_iter().map(|found| (self.patches, found)));
        for &molecule in stale {
            self.listed[molecule as usize] = scene.molecules()[molecule as usize].pose;
        }
    }

    /// How many patches a list can have.
    pub const MOST_PATCHES: u16 = 200;

    /// How many patches the list has.
    pub fn patches(&self) -> u16 {
        self.patches
    }

    /// How many molecules have been patched since the list was made.
    pub fn patched(&self) -> usize {
        self.patch_of.iter().filter(|&&patch| patch > 0).count()
    }

    fn search_all(&self, scene: &Scene, search: OverlapSearch, part: Option<(&[u32], &[bool])>) -> Vec<Found> {
        let collector = || Collect { found: Found::default(), list: self, part };
        match search.plan(scene) {
            Plan::Nothing => Vec::new(),
            Plan::Cells(cells) => cells.sweep(scene, collector).into_iter().map(|collect| collect.found).collect(),
            Plan::Reference => {
                let mut collect = collector();
                collect.every_pair(scene, search.reach());
                vec![collect.found]
            }
        }
    }

    /// Whether the list still holds every pair of a molecule that can touch: it has not moved more than half the skin.
    pub fn covers(&self, scene: &Scene, molecule: u32) -> bool {
        self.moved(scene, molecule) <= 0.5 * f64::from(self.skin)
    }

    /// How far an atom of a molecule can have moved since the list was made, in angstroms.
    pub fn moved(&self, scene: &Scene, molecule: u32) -> f64 {
        let now = &scene.molecules()[molecule as usize];
        farthest_move(scene, &Molecule { kind: now.kind, pose: self.listed[molecule as usize] }, now)
    }

    /// How many pairs of clusters the list holds.
    pub fn pairs(&self) -> usize {
        self.pairs.iter().map(|(_, found)| found.inner.len() + found.outer.len()).sum()
    }

    /// Shows the touches among the listed pairs to visitors, one for each piece of the list, in an order that does not
    /// depend on the threads. Pairs of two molecules that are not awake are left out.
    pub fn visit<V: RigidVisitor>(
        &self,
        scene: &Scene,
        awake: impl Fn(u32) -> bool + Sync,
        visitor: impl Fn() -> V + Sync,
    ) -> Vec<V> {
        self.visit_some(scene, Which::All, awake, visitor, &|| ())
    }

    /// As [`Self::visit`], but for some of the pairs; `between` is called now and then, by the caller's thread.
    pub fn visit_some<V: RigidVisitor>(
        &self,
        scene: &Scene,
        which: Which,
        awake: impl Fn(u32) -> bool + Sync,
        visitor: impl Fn() -> V + Sync,
        between: &dyn Fn(),
    ) -> Vec<V> {
        let pieces = |pairs| <[Pair]>::chunks(pairs, PAIRS_PER_PIECE);
        let all: Vec<(u16, &[Pair])> = self
            .pairs
            .iter()
            .flat_map(|(patch, found)| found.of(which).into_iter().flat_map(pieces).map(move |piece| (*patch, piece)))
            .collect();
        let visit = |&(patch, pairs): &(u16, &[Pair])| {
            let mut visitor = visitor();
            dispatch(VisitPiece { scene, list: self, pairs, patch, awake: &awake, visitor: &mut visitor });
            visitor
        };
        // Whoever waits for nobody does all at once.
        let at_a_time = if which == Which::Inner { PIECES_AT_A_TIME * rayon::current_num_threads() } else { all.len() };
        let mut visitors = Vec::with_capacity(all.len());
        for some in all.chunks(at_a_time.max(1)) {
            visitors.par_extend(some.par_iter().with_max_len(1).map(visit));
            between();
        }
        visitors
    }
}

struct TurnOne<'a> {
    scene: &'a Scene,
    molecule: &'a Molecule,
    arms: &'a mut [[Eight; 3]],
}

impl Kernel for TurnOne<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let clusters = cluster_range(self.scene, self.molecule);
        let clusters = &self.scene.clusters()[clusters.start as usize..clusters.end as usize];
        let rotation: Mat3 = glam::DMat3::from_quat(self.molecule.pose.rotation).as_mat3();
        for (arms, cluster) in self.arms.iter_mut().zip(clusters) {
            *arms = placed(lanes, &cluster.xyz, rotation, Vec3::ZERO);
        }
    }
}

/// Collects the near pairs of one slab.
struct Collect<'a> {
    found: Found,
    list: &'a RigidPairs,
    // The molecules that are searched, and whose pairs are wanted; none for the whole scene.
    part: Option<(&'a [u32], &'a [bool])>,
}

impl Collect<'_> {
    /// A molecule's place among all.
    fn whole(&self, molecule: u32) -> u32 {
        self.part.map_or(molecule, |(members, _)| members[molecule as usize])
    }

    /// The first molecule is the one with the smaller number, so that rounding does not depend on who found whom.
    fn add(&mut self, ends: [(u32, u32); 2], mut boxes: [i16; 3]) {
        let mut ends = ends.map(|(molecule, cluster)| (self.whole(molecule), cluster));
        let order = ends.map(|(molecule, _)| self.list.order.get(molecule as usize).copied().unwrap_or(molecule));
        if order[0] > order[1] {
            ends.reverse();
            boxes = boxes.map(i16::wrapping_neg);
        }
        let [first, second] = ends.map(|(whole, cluster)| self.list.bases[whole as usize].wrapping_add(cluster));
        let is_outer = ends.iter().any(|&(whole, _)| whole >= self.list.owned);
        let to = if is_outer { &mut self.found.outer } else { &mut self.found.inner };
        to.push(Pair { first, second, boxes });
    }

    fn is_covered(&self, molecules: [u32; 2]) -> bool {
        molecules.iter().any(|&molecule| self.whole(molecule) < self.list.owned)
            && self.part.is_none_or(|(_, covered)| molecules.iter().any(|&molecule| covered[molecule as usize]))
    }

    /// For periodic boxes that are too small for cells.
    fn every_pair(&mut self, scene: &Scene, reach: f32) {
        let Some(periodic_box) = scene.periodic_box() else { return };
        let bounds: Vec<(u32, u32, DVec3, f32)> = (0u32..)
            .zip(scene.molecules())
            .flat_map(|(index, molecule)| {
                let clusters = cluster_range(scene, molecule);
                clusters.map(move |cluster| {
                    let bound = scene.bounds()[cluster as usize];
                    (index, cluster, molecule.pose * bound.center.as_dvec3(), bound.radius)
                })
            })
            .collect();
        for (place, a) in bounds.iter().enumerate() {
            for b in &bounds[place + 1..] {
                if b.0 == a.0 || !self.is_covered([a.0, b.0]) {
                    continue;
                }
                let limit = f64::from(a.3 + b.3 + reach) + 1e-3;
                for boxes in images_within(&periodic_box, a.2 - b.2, limit) {
                    self.add([(a.0, a.1), (b.0, b.1)], boxes);
                }
            }
        }
    }
}

/// The steps along the lattice vectors after which a displacement is shorter than a limit.
fn images_within(periodic_box: &PeriodicBox, between: DVec3, limit: f64) -> Vec<[i16; 3]> {
    let fractional = periodic_box.fractional(between);
    let spans = (limit / periodic_box.widths()).min(DVec3::splat(100.0));
    let (low, high) = ((-fractional - spans).ceil().as_i64vec3(), (-fractional + spans).floor().as_i64vec3());
    let mut found = Vec::new();
    for x in low.x..=high.x {
        for y in low.y..=high.y {
            for z in low.z..=high.z {
                let step = DVec3::new(x as f64, y as f64, z as f64);
                if (between + periodic_box.vectors() * step).length() < limit {
                    found.push([x, y, z].map(|step| step as i16));
                }
            }
        }
    }
    found
}

impl Visitor for Collect<'_> {
    #[inline]
    fn touch<L: Lanes>(&mut self, _: L, scene: &Scene, slab: &Slab, touch: Touch) {
        let ends = [touch.first, touch.second].map(|slot| slab.refs[slot]);
        if !self.is_covered(ends.map(|end| end.molecule)) {
            return;
        }
        let boxes = match scene.periodic_box() {
            None => [0; 3],
            Some(periodic_box) => {
                let [first, second] =
                    [touch.first, touch.second].map(|slot| slab.anchors[slab.anchor_of[slot] as usize]);
                let moved = Vec3::from(touch.shift).as_dvec3() - first + second;
                periodic_box.fractional(moved).round().to_array().map(|boxes| boxes as i16)
            }
        };
        self.add(ends.map(|end| (end.molecule, end.cluster)), boxes);
    }
}

struct VisitPiece<'a, A, V> {
    scene: &'a Scene,
    list: &'a RigidPairs,
    pairs: &'a [Pair],
    // Pairs of molecules with a later patch are looked at there.
    patch: u16,
    awake: &'a A,
    visitor: &'a mut V,
}

impl<A: Fn(u32) -> bool, V: RigidVisitor> Kernel for VisitPiece<'_, A, V> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let reach = self.list.search.reach();
        match self.scene.radii() {
            Some((least, most)) if least == most => self.all(lanes, &Uniform::new(least, reach), Some(&[least; LANES])),
            _ => self.all(lanes, &Mixed { reach }, None),
        }
    }
}

impl<A: Fn(u32) -> bool, V: RigidVisitor> VisitPiece<'_, A, V> {
    #[inline(always)]
    fn all<L: Lanes>(self, lanes: L, cut: &impl Cut, uniform: Option<&Eight>) {
        let Self { scene, list, pairs, patch, awake, visitor } = self;
        let vectors = scene.periodic_box().map(|periodic_box| periodic_box.vectors());
        for &Pair { first, second, boxes } in pairs {
            let molecules = [first, second].map(|cluster| list.owners[cluster as usize]);
            if !awake(molecules[0]) && !awake(molecules[1]) {
                continue;
            }
            if list.patches > 0 && molecules.iter().any(|&molecule| list.patch_of[molecule as usize] > patch) {
                continue;
            }
            let centers = molecules.map(|molecule| scene.molecules()[molecule as usize].pose.translation);
            let mut between = centers[0] - centers[1];
            if let Some(vectors) = vectors {
                between += vectors * DVec3::new(boxes[0].into(), boxes[1].into(), boxes[2].into());
            }
            let between = between.as_vec3();
            let arms = [&list.arms[first as usize], &list.arms[second as usize]];
            let shift = between.to_array();
            let atoms = per_axis(|axis| lanes.add(lanes.load(&arms[0][axis]), lanes.splat(shift[axis])));
            // Where all radii are equal, the types need not be looked up.
            let radii = match uniform {
                Some(uniform) => [uniform; 2],
                None => [list.radii(scene, first, molecules[0]), list.radii(scene, second, molecules[1])],
            };
            let bits = touching(lanes, atoms, arms[1], cut, radii[0], radii[1]);
            if bits != 0 {
                visitor.touch(&RigidTouch { molecules, between, arms, radii, bits });
            }
        }
        visitor.end();
    }
}

impl RigidPairs {
    #[inline(always)]
    fn radii<'a>(&self, scene: &'a Scene, placed: u32, molecule: u32) -> &'a Eight {
        let clusters = cluster_range(scene, &scene.molecules()[molecule as usize]);
        &scene.clusters()[(clusters.start + placed - self.first[molecule as usize]) as usize].radii
    }
}
