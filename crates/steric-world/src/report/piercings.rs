//! Ring piercings: a bond of one molecule that passes through a ring of another. No push along overlaps undoes one, and
//! a simulation that starts from one breaks.
//!
//! How it works: rings and bonds are found once for each molecule type ([`Skeletons`]). The search for candidates is
//! the search for overlaps itself, in a scene of sites: each ring is a sphere about its middle, each bond one about its
//! own. A ring's sphere has 1 Å more than it needs and a bond's 1 Å less, which leaves a bond of usual length a point:
//! bonds do not meet bonds, and four million of them cost one search. Each candidate is then measured in double
//! precision: the surface of a ring is the fan of triangles from its middle to its edges, and a bond pierces it when it
//! crosses more often one way than the other (a bond that dips through a puckered ring and comes back does not).

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;
use serde::Serialize;
use steric_collide::{Overlap, OverlapSearch};
use steric_model::chemistry::{BondGraph, is_hydrogen};
use steric_model::{AtomId, Molecule, MoleculeId, Molecules, Scene, Structure, TypeId};

use super::rings::rings;

/// What a stated bond may be long at most, in angstroms; a longer one joins the two ends of a molecule that a box tore.
const LONGEST_BOND: f64 = 4.0;
/// What a ring's sphere has more and a bond's has less, in angstroms: half of a bond that is longer than most.
const TRADED: f64 = 1.0;
/// The search is in single precision.
const MARGIN: f64 = 0.01;

/// A bond of one molecule through a ring of another. Atoms are numbered as in the molecule type.
///
/// ```
/// use steric_model::MoleculeId;
/// use steric_world::report::Piercing;
///
/// let first = Piercing { ring: (MoleculeId(0), vec![0, 1, 2]), bond: (MoleculeId(7), [3, 4]) };
/// let second = Piercing { bond: (MoleculeId(8), [3, 4]), ..first.clone() };
/// assert!(first < second, "piercings are sorted by ring, then by bond");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piercing {
    /// The molecule of the ring, and the ring's atoms in the order in which they are bonded.
    pub ring: (MoleculeId, Vec<u32>),
    /// The molecule of the bond, and the bond's two atoms.
    pub bond: (MoleculeId, [u32; 2]),
}

/// How many bonds pass through rings.
///
/// ```
/// use steric_world::report::PiercingTotals;
///
/// let totals = PiercingTotals { before: 5, after: 1, repaired: 4 };
/// assert_eq!(serde_json::to_string(&totals)?, r#"{"before":5,"after":1,"repaired":4}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PiercingTotals {
    /// At the start.
    pub before: u64,
    /// At the end.
    pub after: u64,
    /// Pulled out on the way.
    pub repaired: u64,
}

/// The rings and bonds of every molecule type of a scene, hydrogens left out.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene, TypeId};
/// use steric_world::report::Skeletons;
///
/// let mut scene = Scene::default();
/// let triangle = [Vec3::X, Vec3::Y, Vec3::NEG_ONE.with_z(0.0)];
/// scene.add_type("cyclopropane", &triangle, &[1.0; 3]);
/// scene.add_type("ethane", &[Vec3::Z * 0.75, Vec3::Z * -0.75], &[1.0; 2]);
/// let bonds = |kind: TypeId| [vec![[0, 1], [1, 2], [0, 2]], vec![[0, 1]]][kind.0 as usize].clone();
/// let skeletons = Skeletons::from_bonds(&scene, bonds);
///
/// scene.add_molecule(TypeId(0), Pose::IDENTITY);
/// scene.add_molecule(TypeId(1), Pose::from_translation(DVec3::X * 9.0));
/// assert!(skeletons.piercings(&scene).is_empty());
/// scene.molecules_mut()[1].pose = Pose::IDENTITY;
/// assert_eq!(skeletons.piercings(&scene)[0].bond.1, [0, 1]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Skeletons {
    /// By type; empty where no type has a ring.
    kinds: Vec<Skeleton>,
    /// Of each type the rings, then the bonds, as spheres.
    sites: Scene,
}

#[derive(Clone, Debug, Default)]
struct Skeleton {
    positions: Vec<Vec3>,
    rings: Vec<Vec<u32>>,
    bonds: Vec<[u32; 2]>,
    sites: Option<TypeId>,
}

impl Skeletons {
    /// The rings and bonds of molecules that come from files, one structure for each file.
    ///
    /// ```
    /// use steric_model::{MoleculeOptions, Molecules, Source, formats::xyz::read_xyz};
    /// use steric_world::report::Skeletons;
    ///
    /// let ozone = read_xyz(b"3\ncyclic\nO 0 0 0\nO 1.4 0 0\nO 0.7 1.2 0\n", "ozone.xyz".as_ref())?.value;
    /// let source = Source { name: "ozone", structure: &ozone, radii: &[1.5; 3], takes_part: &|_| true, connected: &[0; 3] };
    /// let molecules = Molecules::new(&[source], &MoleculeOptions::default())?;
    /// assert_eq!(Skeletons::new(&molecules, &[&ozone]).ring_count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(molecules: &Molecules, structures: &[&Structure]) -> Self {
        let graphs: Vec<BondGraph> = structures.iter().map(|structure| BondGraph::new(structure)).collect();
        let scene = molecules.scene();
        let mut examples: Vec<Option<MoleculeId>> = vec![None; scene.types().len()];
        for (id, molecule) in (0..).map(MoleculeId).zip(scene.molecules()) {
            examples[molecule.kind.0 as usize].get_or_insert(id);
        }
        Self::from_bonds(scene, |kind| {
            let Some(example) = examples[kind.0 as usize] else { return Vec::new() };
            let file = molecules.file(example) as usize;
            assert!(file < structures.len(), "one structure for each file of the molecules");
            heavy_bonds(molecules, example, structures[file], &graphs[file])
        })
    }

    /// The same from bonds that the caller knows: those of each type, as pairs of its atoms, hydrogens left out.
    pub fn from_bonds(scene: &Scene, bonds: impl Fn(TypeId) -> Vec<[u32; 2]> + Sync) -> Self {
        let types = (0..scene.types().len() as u32).into_par_iter().map(TypeId);
        let mut kinds: Vec<Skeleton> = types.map(|kind| Skeleton::new(scene, kind, bonds(kind))).collect();
        if kinds.iter().all(|skeleton| skeleton.rings.is_empty()) {
            return Self::default();
        }
        let mut sites = Scene::default();
        for skeleton in &mut kinds {
            skeleton.add_sites(&mut sites);
        }
        Self { kinds, sites }
    }

    /// How many rings all types have together.
    pub fn ring_count(&self) -> usize {
        self.kinds.iter().map(|skeleton| skeleton.rings.len()).sum()
    }

    /// Every bond that passes through a ring of another molecule, sorted by ring and bond. The scene has the types that
    /// the skeletons were made from. In a periodic box the nearest image counts.
    pub fn piercings(&self, scene: &Scene) -> Vec<Piercing> {
        let (sites, owners) = self.placed_sites(scene);
        if owners.is_empty() {
            return Vec::new();
        }
        let near = OverlapSearch::default().overlaps_unsorted(&sites);
        let mut found: Vec<Piercing> = near
            .par_iter()
            .filter_map(|pair| self.candidate(scene, &owners, pair))
            .filter(|piercing| self.placed(scene, piercing).is_pierced())
            .collect();
        found.par_sort_unstable();
        found
    }

    /// The shortest move that takes the bond's molecule out of the ring, over the nearest edge and so far beyond, in
    /// angstroms; half of it for each of the two does as well, the ring's the other way. `None` if the bond does not
    /// pass through the ring.
    ///
    /// ```
    /// use glam::Vec3;
    /// use steric_model::{Pose, Scene, TypeId};
    /// use steric_world::report::Skeletons;
    ///
    /// let mut scene = Scene::default();
    /// scene.add_type("cyclobutane", &[Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y], &[1.0; 4]);
    /// scene.add_type("ethane", &[Vec3::Z * 0.75, Vec3::Z * -0.75], &[1.0; 2]);
    /// let bonds = |kind: TypeId| [vec![[0, 1], [1, 2], [2, 3], [0, 3]], vec![[0, 1]]][kind.0 as usize].clone();
    /// let skeletons = Skeletons::from_bonds(&scene, bonds);
    /// for kind in [TypeId(0), TypeId(1)] {
    ///     scene.add_molecule(kind, Pose::IDENTITY);
    /// }
    ///
    /// let piercing = &skeletons.piercings(&scene)[0];
    /// let out = skeletons.push_out(&scene, piercing, 0.1).ok_or("there is a way out")?;
    /// assert!((out.length() - 0.5f64.sqrt() - 0.1).abs() < 1e-6);
    /// scene.molecules_mut()[1].pose.translation += out;
    /// assert!(skeletons.piercings(&scene).is_empty());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn push_out(&self, scene: &Scene, piercing: &Piercing, clearance: f64) -> Option<DVec3> {
        let placed = self.placed(scene, piercing);
        if placed.is_pierced() { placed.way_out(clearance) } else { None }
    }

    /// The molecules that have rings or bonds, as sites, and which molecules they are.
    fn placed_sites(&self, scene: &Scene) -> (Scene, Vec<MoleculeId>) {
        if self.kinds.is_empty() {
            return (Scene::default(), Vec::new());
        }
        assert_eq!(self.kinds.len(), scene.types().len(), "the scene has the types that the skeletons were made from");
        let with_sites = (0..).map(MoleculeId).zip(scene.molecules()).filter_map(|(id, molecule)| {
            let kind = self.kinds[molecule.kind.0 as usize].sites?;
            Some((Molecule { kind, pose: molecule.pose }, id))
        });
        let (placed, owners) = with_sites.unzip();
        let mut sites = self.sites.with_molecules(placed);
        sites.set_periodic_box(scene.periodic_box());
        (sites, owners)
    }

    /// What a pair of sites says: a ring and a bond, unless both are rings or both bonds.
    fn candidate(&self, scene: &Scene, owners: &[MoleculeId], pair: &Overlap) -> Option<Piercing> {
        let site = |site: AtomId| {
            let molecule = owners[site.molecule.0 as usize];
            let skeleton = self.skeleton(scene, molecule);
            let number = site.atom as usize;
            let bond = number.checked_sub(skeleton.rings.len()).map(|bond| skeleton.bonds[bond]);
            (molecule, skeleton.rings.get(number), bond)
        };
        match (site(pair.first), site(pair.second)) {
            ((ring_of, Some(ring), _), (bond_of, _, Some(bond)))
            | ((bond_of, _, Some(bond)), (ring_of, Some(ring), _)) => {
                Some(Piercing { ring: (ring_of, ring.clone()), bond: (bond_of, bond) })
            }
            _ => None,
        }
    }

    fn skeleton(&self, scene: &Scene, molecule: MoleculeId) -> &Skeleton {
        &self.kinds[scene.molecules()[molecule.0 as usize].kind.0 as usize]
    }

    /// Ring and bond where they stand, the bond as the image that is nearest to the ring.
    fn placed(&self, scene: &Scene, piercing: &Piercing) -> Placed {
        let place = |molecule: MoleculeId, atom: u32| {
            let pose = scene.molecules()[molecule.0 as usize].pose;
            pose * self.skeleton(scene, molecule).positions[atom as usize].as_dvec3()
        };
        let (ring_of, atoms) = &piercing.ring;
        let ring: Vec<DVec3> = atoms.iter().map(|&atom| place(*ring_of, atom)).collect();
        let center = middle(&ring);
        let bond = piercing.bond.1.map(|atom| place(piercing.bond.0, atom));
        let apart = middle(&bond) - center;
        let nearest = scene.periodic_box().map_or(apart, |periodic_box| periodic_box.nearest_image(apart));
        Placed { ring, center, bond: bond.map(|end| end + (nearest - apart)) }
    }
}

impl Skeleton {
    fn new(scene: &Scene, kind: TypeId, mut bonds: Vec<[u32; 2]>) -> Self {
        let atoms = scene.types()[kind.0 as usize].atoms as usize;
        if bonds.is_empty() {
            return Self::default();
        }
        let positions = positions(scene, kind);
        bonds.iter_mut().for_each(|bond| bond.sort_unstable());
        bonds.sort_unstable();
        bonds.dedup();
        bonds.retain(|&[a, b]| a != b && (b as usize) < atoms && length(&positions, [a, b]) <= LONGEST_BOND);
        Self { rings: rings(atoms, &bonds), positions, bonds, sites: None }
    }

    fn add_sites(&mut self, sites: &mut Scene) {
        let place = |&atom: &u32| self.positions[atom as usize].as_dvec3();
        let rings = self.rings.iter().map(|ring| {
            let atoms: Vec<DVec3> = ring.iter().map(place).collect();
            let center = middle(&atoms);
            let radius = atoms.iter().map(|atom| atom.distance(center)).fold(0.0, f64::max);
            (center.as_vec3(), (radius + TRADED + MARGIN) as f32)
        });
        let bonds = self.bonds.iter().map(|bond| {
            let radius = (0.5 * length(&self.positions, *bond) - TRADED).max(0.001);
            (middle(&bond.map(|atom| place(&atom))).as_vec3(), radius as f32)
        });
        let (centers, radii): (Vec<Vec3>, Vec<f32>) = rings.chain(bonds).unzip();
        self.sites = (!centers.is_empty()).then(|| sites.add_type("", &centers, &radii));
    }
}

fn length(positions: &[Vec3], [a, b]: [u32; 2]) -> f64 {
    positions[a as usize].as_dvec3().distance(positions[b as usize].as_dvec3())
}

/// The atoms of a type in its own frame, by atom.
fn positions(scene: &Scene, kind: TypeId) -> Vec<Vec3> {
    let kind = &scene.types()[kind.0 as usize];
    let mut positions = vec![Vec3::ZERO; kind.atoms as usize];
    for cluster in &scene.clusters()[kind.clusters.start as usize..kind.clusters.end as usize] {
        for lane in 0..cluster.len() {
            positions[cluster.atoms[lane] as usize] = cluster.atom(lane).center;
        }
    }
    positions
}

/// The bonds between heavy atoms of a molecule, in the numbers of its type.
fn heavy_bonds(molecules: &Molecules, id: MoleculeId, structure: &Structure, graph: &BondGraph) -> Vec<[u32; 2]> {
    let atoms = 0..molecules.scene().type_of(id).atoms;
    let mut in_file: Vec<(u32, u32)> = atoms
        .map(|atom| (molecules.origin(AtomId { molecule: id, atom }).atom, atom))
        .filter(|&(atom, _)| !is_hydrogen(structure.atoms.elements[atom as usize]))
        .collect();
    in_file.sort_unstable();
    let number = |atom: u32| in_file.binary_search_by_key(&atom, |&(atom, _)| atom).ok().map(|at| in_file[at].1);
    let ends = in_file.iter().flat_map(|&(atom, a)| {
        let later = graph.neighbours(atom).iter().filter(move |&&next| next > atom);
        later.filter_map(move |&next| number(next).map(|b| [a, b]))
    });
    ends.collect()
}

fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// A ring and a bond in the world.
struct Placed {
    ring: Vec<DVec3>,
    center: DVec3,
    bond: [DVec3; 2],
}

impl Placed {
    fn is_pierced(&self) -> bool {
        crossings(&self.ring, self.center, self.bond) != 0
    }

    fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        (0..self.ring.len()).map(|i| [self.ring[i], self.ring[(i + 1) % self.ring.len()]])
    }

    /// Over each edge there is a way out; the shortest that leads out in fact. In a badly bent ring a way over one edge
    /// may end in another part of the fan, so sideways by the whole ring is tried last.
    fn way_out(&self, clearance: f64) -> Option<DVec3> {
        let mut ways: Vec<DVec3> = self.edges().map(|edge| self.over(edge, clearance)).collect();
        ways.sort_unstable_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let width = 2.0 * self.ring.iter().map(|atom| atom.distance(self.center)).fold(0.0, f64::max) + clearance;
        ways.extend(self.edges().map(|edge| (middle(&edge) - self.center).normalize_or(DVec3::X) * width));
        ways.into_iter().find(|&way| crossings(&self.ring, self.center, self.bond.map(|end| end + way)) == 0)
    }

    fn over(&self, edge: [DVec3; 2], clearance: f64) -> DVec3 {
        let (on_bond, on_edge) = closest(self.bond, edge);
        let outward = (middle(&edge) - self.center).normalize_or(DVec3::X);
        let way = on_edge - on_bond;
        way + way.try_normalize().unwrap_or(outward) * clearance
    }
}

/// How often a segment crosses the fan of a ring one way, less how often the other way.
///
/// Seen along the segment, its line is a point, and a triangle is crossed when its edges wind around that point. A spoke
/// counts for one of its two triangles what it counts against the other, to the last bit, so that a line can slip
/// through no gap between them, not even through the middle of the ring.
fn crossings(ring: &[DVec3], center: DVec3, [from, to]: [DVec3; 2]) -> i32 {
    let (right, up) = (to - from).normalize_or(DVec3::Z).any_orthonormal_pair();
    let seen = |point: DVec3| DVec2::new(right.dot(point - from), up.dot(point - from));
    let mut sum = 0;
    for i in 0..ring.len() {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        let normal = (a - center).cross(b - center);
        let is_above = |end: DVec3| normal.dot(end - center) >= 0.0;
        if is_above(from) != is_above(to) {
            let [seen_center, seen_a, seen_b] = [center, a, b].map(seen);
            sum += passes(seen_center, seen_a) + passes(seen_a, seen_b) + passes(seen_b, seen_center);
        }
    }
    sum
}

/// Whether the way from one point to another crosses the positive x axis: 1 upwards, -1 downwards. The sum over a closed
/// way is how often it winds around the origin.
fn passes(a: DVec2, b: DVec2) -> i32 {
    match (a.y >= 0.0, b.y >= 0.0) {
        (false, true) => i32::from(a.perp_dot(b) > 0.0),
        (true, false) => -i32::from(a.perp_dot(b) < 0.0),
        _ => 0,
    }
}

/// The closest points of two segments (Ericson 2005, 5.1.9).
fn closest([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (p_end - p, q_end - q, p - q);
    let (uu, vv, uv, uw, vw) = (u.length_squared(), v.length_squared(), u.dot(v), u.dot(w), v.dot(w));
    let part = |above: f64, below: f64| if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 0.0 };
    let mut s = part(uv * vw - uw * vv, uu * vv - uv * uv);
    let t = part(uv * s + vw, vv);
    s = part(uv * t - uw, uu);
    (p + u * s, q + v * t)
}

#[cfg(test)]
#[path = "piercings_tests.rs"]
mod tests;
