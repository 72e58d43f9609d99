//! Contacts of rigid molecules that move: the near pairs of their clusters, and the touches among them.
//!
//! How it works: the atoms of a molecule are kept as *arms*, turned as the molecule is turned but measured from its own
//! centre. So a molecule that only shifts costs nothing to place, the difference of two centres in double precision is
//! the only place where the size of the scene enters, and the lever of every contact is at hand. A list holds each pair of
//! clusters that can come to touch while nothing moves more than half of its skin. When a few molecules have moved farther, the
//! list is *patched*: the pairs of those few are searched again, wide enough for the others to use up their half of the skin
//! both ways, and their old pairs no longer count. That costs what the few and their neighbours cost. Patches lie on each
//! other; a pair belongs to the latest patch that has one of its two molecules.

use glam::{DVec3, Mat3, Vec3};
use rayon::prelude::*;
use steric_model::{LANES, Molecule, PeriodicBox, Pose, Scene};

use super::near::farthest_move;
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
    // The list, then its patches: the number of the patch, 0 for the list, and its pairs in pieces.
    pairs: Vec<(u16, Vec<Pair>)>,
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
        let (pairs, listed) = (Vec::new(), Vec::new());
        let mut pairs = Self { search, arms, owners, first, bases, pairs, patch_of, patches: 0, skin: 0.0, listed };
        pairs.turn(scene, |_| true);
        pairs
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
        self.pairs = self.search_all(scene, wider, None).into_iter().map(|pairs| (0, pairs)).collect();
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
        let near = Neighbourhood::new(scene, stale, wider.reach()).members(scene, &is_stale);
        let mut part =
            scene.with_molecules(near.iter().map(|&molecule| scene.molecules()[molecule as usize]).collect());
        part.set_periodic_box(scene.periodic_box());
        let is_stale: Vec<bool> = near.iter().map(|&molecule| is_stale[molecule as usize]).collect();
        let found = self.search_all(&part, wider, Some((&near, &is_stale)));
        self.pairs.extend(found.into_iter().map(|pairs| (self.patches, pairs)));
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

    fn search_all(&self, scene: &Scene, search: OverlapSearch, part: Option<(&[u32], &[bool])>) -> Vec<Vec<Pair>> {
        let collector = || Collect { pairs: Vec::new(), list: self, part };
        match search.plan(scene) {
            Plan::Nothing => Vec::new(),
            Plan::Cells(cells) => cells.sweep(scene, collector).into_iter().map(|collect| collect.pairs).collect(),
            Plan::Reference => {
                let mut collect = collector();
                collect.every_pair(scene, search.reach());
                vec![collect.pairs]
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
        self.pairs.iter().map(|(_, pairs)| pairs.len()).sum()
    }

    /// Shows the touches among the listed pairs to visitors, one for each piece of the list, in an order that does not
    /// depend on the threads. Pairs of two molecules that are not awake are left out.
    pub fn visit<V: RigidVisitor>(
        &self,
        scene: &Scene,
        awake: impl Fn(u32) -> bool + Sync,
        visitor: impl Fn() -> V + Sync,
    ) -> Vec<V> {
        let all: Vec<(u16, &[Pair])> = self
            .pairs
            .iter()
            .flat_map(|(patch, pairs)| pairs.chunks(PAIRS_PER_PIECE).map(move |piece| (*patch, piece)))
            .collect();
        let visit = |&(patch, pairs): &(u16, &[Pair])| {
            let mut visitor = visitor();
            dispatch(VisitPiece { scene, list: self, pairs, patch, awake: &awake, visitor: &mut visitor });
            visitor
        };
        all.par_iter().with_max_len(1).map(visit).collect()
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
    pairs: Vec<Pair>,
    list: &'a RigidPairs,
    // The molecules that are searched, and whose pairs are wanted; none for the whole scene.
    part: Option<(&'a [u32], &'a [bool])>,
}

impl Collect<'_> {
    /// The first molecule is the one with the smaller index, so that rounding does not depend on who found whom.
    fn add(&mut self, mut ends: [(u32, u32); 2], mut boxes: [i16; 3]) {
        if ends[0].0 > ends[1].0 {
            ends.reverse();
            boxes = boxes.map(i16::wrapping_neg);
        }
        let placed = ends.map(|(molecule, cluster)| {
            let whole = self.part.map_or(molecule, |(members, _)| members[molecule as usize]);
            self.list.bases[whole as usize].wrapping_add(cluster)
        });
        self.pairs.push(Pair { first: placed[0], second: placed[1], boxes });
    }

    fn is_covered(&self, molecules: [u32; 2]) -> bool {
        self.part.is_none_or(|(_, covered)| molecules.iter().any(|&molecule| covered[molecule as usize]))
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

/// The part of space that some molecules reach, in coarse cells.
struct Neighbourhood {
    // A bit for each cell, folded: a bit may be set for another cell, which only costs time.
    bits: Vec<u64>,
    periodic: Option<(PeriodicBox, DVec3)>,
}

/// Edge of a coarse cell, in angstroms.
const COARSE: f64 = 20.0;

impl Neighbourhood {
    fn new(scene: &Scene, covered: &[u32], reach: f32) -> Self {
        let periodic = scene.periodic_box().map(|periodic_box| {
            let cells = (periodic_box.widths() / COARSE).floor().max(DVec3::ONE);
            (periodic_box, cells)
        });
        let clusters: usize =
            covered.iter().map(|&molecule| cluster_range(scene, &scene.molecules()[molecule as usize]).len()).sum();
        let mut space = Self { bits: vec![0; (2 * clusters + 64).next_power_of_two()], periodic };
        let mut bits = std::mem::take(&mut space.bits);
        for &molecule in covered {
            let molecule = &scene.molecules()[molecule as usize];
            for cluster in cluster_range(scene, molecule) {
                let bound = scene.bounds()[cluster as usize];
                let center = molecule.pose * bound.center.as_dvec3();
                space.any_around(center, f64::from(bound.radius + reach.max(0.0)), |cell| {
                    let (word, bit) = folded(cell, bits.len());
                    bits[word] |= bit;
                    false
                });
            }
        }
        space.bits = bits;
        space
    }

    /// Whether a cell that a sphere may reach is one that is asked for.
    fn any_around(&self, center: DVec3, radius: f64, mut is_wanted: impl FnMut([i64; 3]) -> bool) -> bool {
        let (point, radii) = match &self.periodic {
            None => (center / COARSE, DVec3::splat(radius / COARSE)),
            Some((periodic_box, cells)) => {
                (periodic_box.fractional(center) * cells, radius / periodic_box.widths() * cells)
            }
        };
        let (low, high) = ((point - radii).floor(), (point + radii).floor());
        let range = |axis: usize| match &self.periodic {
            // All cells of an axis once, however large the sphere.
            Some((_, cells)) if high[axis] - low[axis] >= cells[axis] => 0..=cells[axis] as i64 - 1,
            _ => low[axis] as i64..=high[axis] as i64,
        };
        let wrap = |axis: usize, cell: i64| match &self.periodic {
            Some((_, cells)) => cell.rem_euclid(cells[axis] as i64),
            None => cell,
        };
        range(0).any(|x| range(1).any(|y| range(2).any(|z| is_wanted([wrap(0, x), wrap(1, y), wrap(2, z)]))))
    }

    fn reaches(&self, center: DVec3, radius: f64) -> bool {
        self.any_around(center, radius, |cell| {
            let (word, bit) = folded(cell, self.bits.len());
            self.bits[word] & bit != 0
        })
    }

    /// The molecules that it was made of and all that may touch them, in order.
    fn members(&self, scene: &Scene, own: &[bool]) -> Vec<u32> {
        let touches = |molecule: &Molecule| {
            let bound = scene.types()[molecule.kind.0 as usize].bound;
            // A giant covers so many cells that its clusters are asked at once.
            let is_small = f64::from(bound.radius) < 3.0 * COARSE;
            if is_small && !self.reaches(molecule.pose * bound.center.as_dvec3(), bound.radius.into()) {
                return false;
            }
            cluster_range(scene, molecule).any(|cluster| {
                let bound = scene.bounds()[cluster as usize];
                self.reaches(molecule.pose * bound.center.as_dvec3(), bound.radius.into())
            })
        };
        let members = (0..scene.molecules().len() as u32).into_par_iter().with_min_len(1_024).filter_map(|molecule| {
            (own[molecule as usize] || touches(&scene.molecules()[molecule as usize])).then_some(molecule)
        });
        members.collect()
    }
}

/// The word and the bit of a cell among so many words, a power of two.
fn folded(cell: [i64; 3], words: usize) -> (usize, u64) {
    let [x, y, z] = cell.map(|cell| cell as u64);
    // Odd multipliers with well-mixed bits (the golden ratio's, and two of SplitMix64's).
    let hash = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(21)
        ^ z.wrapping_mul(0x94d0_49bb_1331_11eb).rotate_left(42);
    ((hash >> 20) as usize & (words - 1), 1 << (hash >> 58))
}
