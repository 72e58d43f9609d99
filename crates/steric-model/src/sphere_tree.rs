//! A molecule type as a tree of spheres: the whole, groups, clusters of at most eight atoms, atoms.
//!
//! How it works: the atoms of each group are halved at the median of their first principal axis until at most eight are left,
//! so that a cluster holds neighbours and is nearly full: 50 atoms make seven clusters, not eight. A cluster keeps its
//! atoms lane by lane, the shape in which they are compared: eight against eight.

use glam::{Mat3, Vec3};

use crate::k_means::lloyd;

/// A sphere, in angstroms.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Grouping, Sphere, SphereTree};
///
/// let argon = SphereTree::new(&[Vec3::ONE], &[1.88], Grouping::Whole);
/// assert_eq!(argon.bounds(), [Sphere { center: Vec3::ONE, radius: 1.88 }]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Vec3,
    /// Radius; never negative.
    pub radius: f32,
}

/// How many atoms a cluster can hold.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Grouping, LANES, SphereTree};
///
/// let atoms: Vec<Vec3> = (0..50).map(|i| Vec3::X * i as f32).collect();
/// let tree = SphereTree::new(&atoms, &[1.7; 50], Grouping::Whole);
/// assert_eq!(tree.clusters().len(), atoms.len().div_ceil(LANES));
/// ```
pub const LANES: usize = 8;

/// At most eight neighbouring atoms of one molecule, one lane each.
///
/// Unused lanes have NaN coordinates, so that no comparison with them is ever true, and [`Cluster::NO_ATOM`].
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Cluster, Grouping, SphereTree};
///
/// let tree = SphereTree::new(&[Vec3::ZERO, Vec3::X], &[1.7; 2], Grouping::Whole);
/// let cluster = tree.clusters()[0];
/// assert_eq!(cluster.len(), 2);
/// assert_eq!(cluster.atom(1).center, Vec3::X * cluster.atoms[1] as f32);
/// assert!(cluster.atoms[2] == Cluster::NO_ATOM && cluster.xyz[0][2].is_nan());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Cluster {
    /// Coordinates in angstroms in the molecule's own frame: all x, all y, all z.
    pub xyz: [[f32; LANES]; 3],
    /// Radii in angstroms.
    pub radii: [f32; LANES],
    /// Indices of the atoms in the molecule type.
    pub atoms: [u32; LANES],
}

impl Cluster {
    /// The atom index of a lane that is not used.
    pub const NO_ATOM: u32 = u32::MAX;

    fn new(atoms: &[u32], positions: &[Vec3], radii: &[f32]) -> Self {
        let empty = [f32::NAN; LANES];
        let mut cluster = Self { xyz: [empty; 3], radii: [0.0; LANES], atoms: [Self::NO_ATOM; LANES] };
        for (lane, &atom) in atoms.iter().enumerate() {
            let position = positions[atom as usize];
            for axis in 0..3 {
                cluster.xyz[axis][lane] = position[axis];
            }
            cluster.radii[lane] = radii[atom as usize];
            cluster.atoms[lane] = atom;
        }
        cluster
    }

    /// How many lanes are used.
    pub fn len(&self) -> usize {
        self.atoms.iter().take_while(|&&atom| atom != Self::NO_ATOM).count()
    }

    /// Whether no lane is used.
    pub fn is_empty(&self) -> bool {
        self.atoms[0] == Self::NO_ATOM
    }

    /// The atom of a lane as a sphere in the molecule's own frame.
    pub fn atom(&self, lane: usize) -> Sphere {
        Sphere { center: Vec3::from(self.xyz.map(|axis| axis[lane])), radius: self.radii[lane] }
    }
}

/// Clusters that belong together: a chain, a residue, or one of k means.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Grouping, SphereTree};
///
/// let dimer = [Vec3::ZERO, Vec3::X, Vec3::X * 30.0];
/// let tree = SphereTree::new(&dimer, &[1.7; 3], Grouping::Labels(&[0, 0, 1]));
/// let second_chain = &tree.groups()[1];
/// assert_eq!(second_chain.clusters, 1..2);
/// assert_eq!(second_chain.bound.center.x, 30.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its clusters.
    pub clusters: std::ops::Range<u32>,
    /// A sphere around all its atoms, radii included: the proxy that stands in for them.
    pub bound: Sphere,
}

/// What the groups of a tree are.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Grouping, SphereTree};
///
/// let atoms = [0.0, 1.0, 50.0, 51.0].map(|x| Vec3::X * x);
/// let clusters = |grouping| SphereTree::new(&atoms, &[1.7; 4], grouping).clusters().len();
/// assert_eq!(clusters(Grouping::Whole), 1);
/// assert_eq!(clusters(Grouping::KMeans(2)), 2);
/// assert_eq!(clusters(Grouping::Labels(&[0, 1, 2, 2])), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Grouping<'a> {
    /// One group; the fullest clusters.
    Whole,
    /// Atoms with the same number, such as their chain's or residue's, belong together.
    Labels(&'a [u32]),
    /// So many groups, found by k-means.
    KMeans(usize),
}

/// A molecule type: its atoms in its own frame as clusters, inside groups, inside one sphere.
///
/// ```
/// use glam::Vec3;
/// use steric_model::{Grouping, SphereTree};
///
/// let chain: Vec<Vec3> = (0..50).map(|i| Vec3::X * i as f32).collect();
/// let tree = SphereTree::new(&chain, &[1.7; 50], Grouping::KMeans(3));
/// assert_eq!(tree.clusters().iter().map(|cluster| cluster.len()).sum::<usize>(), 50);
/// assert_eq!(tree.groups().len(), 3);
/// assert!(tree.bound().radius < 26.3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SphereTree {
    clusters: Vec<Cluster>,
    bounds: Vec<Sphere>,
    groups: Vec<Group>,
    bound: Sphere,
    atoms: usize,
}

impl SphereTree {
    /// The tree of atoms with these centres and radii, in angstroms; not-finite coordinates are a broken promise.
    pub fn new(positions: &[Vec3], radii: &[f32], grouping: Grouping<'_>) -> Self {
        assert_eq!(positions.len(), radii.len(), "one radius per atom");
        assert!(positions.iter().all(|position| position.is_finite()), "coordinates are finite");
        let mut clusters = Vec::with_capacity(positions.len() / LANES + 1);
        let mut bounds = Vec::with_capacity(positions.len() / LANES + 1);
        let mut groups = Vec::new();
        let mut keyed = Vec::new();
        for mut members in group_members(positions, grouping) {
            let first = clusters.len() as u32;
            split(&mut members, positions, &mut keyed, &mut |atoms| {
                clusters.push(Cluster::new(atoms, positions, radii));
                bounds.push(bounding_sphere(atoms, positions, radii));
            });
            groups.push(Group {
                clusters: first..clusters.len() as u32,
                bound: bounding_sphere(&members, positions, radii),
            });
        }
        let bound = match &groups[..] {
            [whole] => whole.bound,
            _ => bounding_sphere(&(0..positions.len() as u32).collect::<Vec<_>>(), positions, radii),
        };
        Self { clusters, bounds, groups, bound, atoms: positions.len() }
    }

    /// The leaves, group by group.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// For each leaf a sphere around all its atoms, radii included; that of a single atom is the atom.
    pub fn bounds(&self) -> &[Sphere] {
        &self.bounds
    }

    /// The level between the whole and the clusters.
    ///
    /// ```
    /// use glam::Vec3;
    /// use steric_model::{Grouping, SphereTree};
    ///
    /// // Two lumps far apart: their proxies are much smaller than the whole.
    /// let atoms = [0.0, 1.0, 50.0, 51.0].map(|x| Vec3::X * x);
    /// let tree = SphereTree::new(&atoms, &[1.7; 4], Grouping::KMeans(2));
    /// assert!(tree.groups().iter().all(|group| group.bound.radius < 2.5));
    /// assert!(tree.bound().radius > 25.0);
    /// ```
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// A sphere around the whole molecule, radii included.
    pub fn bound(&self) -> Sphere {
        self.bound
    }

    /// How many atoms the molecule has.
    pub fn atoms(&self) -> usize {
        self.atoms
    }
}

fn group_members(positions: &[Vec3], grouping: Grouping<'_>) -> Vec<Vec<u32>> {
    let labels = match grouping {
        Grouping::Whole => vec![0; positions.len()],
        Grouping::Labels(labels) => labels.to_vec(),
        Grouping::KMeans(groups) => k_means(positions, groups),
    };
    assert_eq!(labels.len(), positions.len(), "one label per atom");
    let mut atoms: Vec<u32> = (0..positions.len() as u32).collect();
    atoms.sort_by_key(|&atom| labels[atom as usize]);
    atoms.chunk_by(|&a, &b| labels[a as usize] == labels[b as usize]).map(<[u32]>::to_vec).collect()
}

/// Halves at the median along the direction in which the atoms are spread the most, however the molecule is turned.
fn split(atoms: &mut [u32], positions: &[Vec3], keyed: &mut Vec<(f32, u32)>, leaf: &mut impl FnMut(&[u32])) {
    let leaves = atoms.len().div_ceil(LANES);
    if leaves <= 1 {
        if !atoms.is_empty() {
            leaf(atoms);
        }
        return;
    }
    let direction = longest_direction(atoms, positions);
    // Both halves get their share of the leaves, and the atoms are spread evenly over them.
    let half = (leaves / 2 * atoms.len()).div_ceil(leaves);
    keyed.clear();
    keyed.extend(atoms.iter().map(|&atom| (positions[atom as usize].dot(direction), atom)));
    keyed.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (to, &(_, atom)) in atoms.iter_mut().zip(keyed.iter()) {
        *to = atom;
    }
    let (left, right) = atoms.split_at_mut(half);
    split(left, positions, keyed, leaf);
    split(right, positions, keyed, leaf);
}

/// The first principal axis, by a few steps of the power method from the longest side of the box around the atoms. Of many
/// atoms that side itself is good enough: the cuts that make the clusters are those of few.
fn longest_direction(atoms: &[u32], positions: &[Vec3]) -> Vec3 {
    let (low, high) = extent(atoms, positions);
    if atoms.len() > 8 * LANES {
        return Vec3::AXES[(high - low).max_position()];
    }
    let mean = 0.5 * (low + high);
    let mut spread = Mat3::ZERO;
    for &atom in atoms {
        let from_mean = positions[atom as usize] - mean;
        spread += Mat3::from_cols(from_mean * from_mean.x, from_mean * from_mean.y, from_mean * from_mean.z);
    }
    let start = Vec3::AXES[(high - low).max_position()];
    (0..8).fold(start, |direction, _| (spread * direction).normalize_or(start))
}

fn extent(atoms: &[u32], positions: &[Vec3]) -> (Vec3, Vec3) {
    atoms
        .iter()
        .map(|&atom| positions[atom as usize])
        .fold((Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY)), |(low, high), position| {
            (low.min(position), high.max(position))
        })
}

/// A sphere around spheres, at most a few per cent larger than the smallest one: Bădoiu and Clarkson's iteration,
/// which steps towards the farthest sphere by ever smaller shares.
fn bounding_sphere(atoms: &[u32], positions: &[Vec3], radii: &[f32]) -> Sphere {
    match *atoms {
        [] => return Sphere::default(),
        [atom] => return Sphere { center: positions[atom as usize], radius: radii[atom as usize] },
        _ => {}
    }
    let (low, high) = extent(atoms, positions);
    let mut center = 0.5 * (low + high);
    let reach = |center: Vec3, atom: u32| positions[atom as usize].distance(center) + radii[atom as usize];
    let farthest = |center: Vec3| {
        atoms
            .iter()
            .copied()
            .map(|atom| (reach(center, atom), atom))
            .fold((f32::NEG_INFINITY, 0), |best, next| if next.0 > best.0 { next } else { best })
    };
    let mut best = Sphere { center, radius: f32::INFINITY };
    let steps = if atoms.len() <= LANES { 12 } else { 4 };
    for step in 2..2 + steps {
        let (radius, atom) = farthest(center);
        if radius < best.radius {
            best = Sphere { center, radius };
        }
        center += (positions[atom as usize] - center) / step as f32;
    }
    // Rounding must not let an atom stick out.
    Sphere { radius: best.radius * (1.0 + 1e-5) + 1e-5, ..best }
}

/// Lloyd's algorithm from farthest-point seeds: no random numbers, so the same molecule gives the same groups.
fn k_means(positions: &[Vec3], groups: usize) -> Vec<u32> {
    let groups = groups.max(1).min(positions.len());
    lloyd(positions, farthest_points(positions, groups), 10)
}

fn farthest_points(positions: &[Vec3], count: usize) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = positions.first().copied().into_iter().collect();
    let mut gaps = vec![f32::INFINITY; positions.len()];
    while points.len() < count {
        let newest = points[points.len() - 1];
        let mut farthest = 0;
        for (index, gap) in gaps.iter_mut().enumerate() {
            *gap = gap.min(positions[index].distance_squared(newest));
        }
        for index in 0..gaps.len() {
            if gaps[index] > gaps[farthest] {
                farthest = index;
            }
        }
        points.push(positions[farthest]);
    }
    points
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holds(bound: Sphere, atom: Sphere) -> bool {
        bound.center.distance(atom.center) + atom.radius <= bound.radius * 1.000_1 + 1e-4
    }

    proptest! {
        #[test]
        fn every_atom_stands_once_in_a_cluster_inside_its_bounds(
            atoms in prop::collection::vec(((-30f32..30.0, -30f32..30.0, -30f32..30.0), 0.5f32..3.0), 0..200),
            groups in 1usize..6,
        ) {
            let positions: Vec<Vec3> = atoms.iter().map(|&((x, y, z), _)| Vec3::new(x, y, z)).collect();
            let radii: Vec<f32> = atoms.iter().map(|&(_, radius)| radius).collect();
            let labels: Vec<u32> = (0..atoms.len() as u32).map(|atom| atom % groups as u32).collect();
            for grouping in [Grouping::Whole, Grouping::Labels(&labels), Grouping::KMeans(groups)] {
                let tree = SphereTree::new(&positions, &radii, grouping);
                let mut seen = vec![0; atoms.len()];
                for group in tree.groups() {
                    for index in group.clusters.clone() {
                        let cluster = &tree.clusters()[index as usize];
                        let bound = tree.bounds()[index as usize];
                        for lane in 0..cluster.len() {
                            let index = cluster.atoms[lane] as usize;
                            seen[index] += 1;
                            prop_assert_eq!(cluster.atom(lane).center, positions[index]);
                            prop_assert!(holds(bound, cluster.atom(lane)));
                            prop_assert!(holds(group.bound, cluster.atom(lane)));
                            prop_assert!(holds(tree.bound(), cluster.atom(lane)));
                        }
                    }
                }
                prop_assert!(seen.iter().all(|&times| times == 1));
            }
            let whole = SphereTree::new(&positions, &radii, Grouping::Whole);
            prop_assert_eq!(whole.clusters().len(), atoms.len().div_ceil(LANES));
        }
    }

    #[test]
    fn coincident_atoms_and_a_single_atom_make_trees() {
        let tree = SphereTree::new(&[Vec3::ONE; 20], &[1.0; 20], Grouping::KMeans(4));
        assert!((tree.bound().radius - 1.0).abs() < 1e-3);
        assert_eq!(SphereTree::new(&[Vec3::ONE], &[1.0], Grouping::Whole).clusters().len(), 1);
        assert_eq!(SphereTree::new(&[], &[], Grouping::Whole).clusters().len(), 0);
    }
}
