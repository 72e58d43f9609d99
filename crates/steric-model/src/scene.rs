//! Molecules in place: types once, in their own frame, and a pose per molecule.
//!
//! How it works: the clusters of all types stand in one array, so that a type is a range of it; ten thousand copies
//! of a capsid protein cost ten thousand poses, and 200,000 spheres of different size cost no allocation each.

use std::ops::Range;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use smol_str::SmolStr;

use crate::{Cluster, Grouping, PeriodicBox, Pose, Sphere, SphereTree};

/// Index of a molecule type in its [`Scene`].
///
/// ```
/// use steric_model::{Scene, TypeId};
///
/// let mut scene = Scene::default();
/// assert_eq!(scene.add_type("argon", &[glam::Vec3::ZERO], &[1.88]), TypeId(0));
/// let TypeId(neon) = scene.add_type("neon", &[glam::Vec3::ZERO], &[1.54]);
/// assert_eq!(scene.types()[neon as usize].name, "neon");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Index of a molecule in its [`Scene`].
///
/// ```
/// use steric_model::{MoleculeId, Pose, Scene};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[glam::Vec3::ZERO], &[1.88]);
/// let molecules = [1.0, 2.0].map(|x| scene.add_molecule(argon, Pose::from_translation(glam::DVec3::X * x)));
/// assert_eq!(molecules, [MoleculeId(0), MoleculeId(1)]);
/// assert_eq!(scene.molecules()[molecules[1].0 as usize].pose.translation.x, 2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MoleculeId(pub u32);

/// An atom of a scene: its molecule, and its place in the molecule type.
///
/// ```
/// use steric_model::{AtomId, MoleculeId};
///
/// let atom = AtomId::new(3, 7);
/// assert_eq!((atom.molecule, atom.atom), (MoleculeId(3), 7));
/// assert!(atom < AtomId::new(4, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId {
    /// The molecule.
    pub molecule: MoleculeId,
    /// Index of the atom in the molecule type.
    pub atom: u32,
}

impl AtomId {
    /// The atom of this index in this molecule.
    pub fn new(molecule: u32, atom: u32) -> Self {
        Self { molecule: MoleculeId(molecule), atom }
    }
}

/// A molecule type: what it is called and how much there is of it.
///
/// ```
/// use glam::Vec3;
/// use steric_model::Scene;
///
/// let mut scene = Scene::default();
/// scene.add_type("nitrogen", &[Vec3::ZERO, Vec3::X * 1.1], &[1.55; 2]);
/// let nitrogen = &scene.types()[0];
/// assert_eq!((nitrogen.atoms, nitrogen.clusters.clone()), (2, 0..1));
/// assert!(nitrogen.bound.radius >= 1.55 + 1.1 / 2.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MoleculeType {
    /// What it is called; may be empty.
    pub name: SmolStr,
    /// Its clusters in [`Scene::clusters`].
    pub clusters: Range<u32>,
    /// How many atoms it has.
    pub atoms: u32,
    /// A sphere around it in its own frame, radii included.
    pub bound: Sphere,
}

/// One molecule: which type, and where.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Molecule, Pose, Scene};
///
/// let mut scene = Scene::default();
/// let kind = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// let row = (0..5).map(|i| Molecule { kind, pose: Pose::from_translation(DVec3::X * f64::from(i) * 4.0) });
/// let row = scene.with_molecules(row.collect());
/// assert_eq!(row.atoms(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Molecule {
    /// Its type.
    pub kind: TypeId,
    /// `world_from_molecule`.
    pub pose: Pose,
}

/// Molecules in place, perhaps in a periodic box.
///
/// ```
/// use glam::{DVec3, Vec3};
/// use steric_model::{Pose, Scene};
///
/// let mut scene = Scene::default();
/// let argon = scene.add_type("argon", &[Vec3::ZERO], &[1.88]);
/// scene.add_molecule(argon, Pose::IDENTITY);
/// scene.add_molecule(argon, Pose::from_translation(DVec3::X * 3.0));
/// assert_eq!(scene.atoms(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    // Shared by scenes that hold other molecules of the same types.
    types: Arc<Types>,
    molecules: Vec<Molecule>,
    periodic_box: Option<PeriodicBox>,
}

/// Everything that the types of a scene are made of.
#[derive(Clone, Debug, Default)]
struct Types {
    clusters: Vec<Cluster>,
    bounds: Vec<Sphere>,
    types: Vec<MoleculeType>,
    // Of all atoms of all types, and of the bounding spheres of their clusters.
    radii: Option<(f32, f32)>,
    cluster_radii: Option<(f32, f32)>,
}

impl Scene {
    /// Adds a molecule type from atom centres in its own frame and radii, both in angstroms.
    pub fn add_type(&mut self, name: impl Into<SmolStr>, positions: &[Vec3], radii: &[f32]) -> TypeId {
        self.add_tree(name, &SphereTree::new(positions, radii, Grouping::Whole))
    }

    /// Adds a molecule type from its sphere tree.
    pub fn add_tree(&mut self, name: impl Into<SmolStr>, tree: &SphereTree) -> TypeId {
        let Types { clusters, bounds, types, radii, cluster_radii } = Arc::make_mut(&mut self.types);
        let first = clusters.len() as u32;
        clusters.extend_from_slice(tree.clusters());
        bounds.extend_from_slice(tree.bounds());
        for bound in tree.bounds() {
            widen(cluster_radii, bound.radius);
        }
        for cluster in tree.clusters() {
            cluster.radii[..cluster.len()].iter().for_each(|&radius| widen(radii, radius));
        }
        let clusters = first..clusters.len() as u32;
        types.push(MoleculeType { name: name.into(), clusters, atoms: tree.atoms() as u32, bound: tree.bound() });
        TypeId(types.len() as u32 - 1)
    }

    /// Adds a molecule of a type that this scene has.
    pub fn add_molecule(&mut self, kind: TypeId, pose: Pose) -> MoleculeId {
        assert!((kind.0 as usize) < self.types().len(), "the type belongs to this scene");
        self.molecules.push(Molecule { kind, pose });
        MoleculeId(self.molecules.len() as u32 - 1)
    }

    /// The same types, with other molecules of them and without a box. The types are shared, not copied.
    pub fn with_molecules(&self, molecules: Vec<Molecule>) -> Self {
        assert!(
            molecules.iter().all(|molecule| (molecule.kind.0 as usize) < self.types().len()),
            "the types belong to this scene"
        );
        Self { types: Arc::clone(&self.types), molecules, periodic_box: None }
    }

    /// Makes room for so many more molecules.
    pub fn reserve(&mut self, molecules: usize) {
        self.molecules.reserve_exact(molecules);
    }

    /// The clusters of all types, type after type.
    pub fn clusters(&self) -> &[Cluster] {
        &self.types.clusters
    }

    /// For each cluster a sphere around all its atoms, radii included, in the molecule's own frame.
    pub fn bounds(&self) -> &[Sphere] {
        &self.types.bounds
    }

    /// The molecule types.
    pub fn types(&self) -> &[MoleculeType] {
        &self.types.types
    }

    /// The molecules.
    pub fn molecules(&self) -> &[Molecule] {
        &self.molecules
    }

    /// The molecules, to be moved.
    pub fn molecules_mut(&mut self) -> &mut [Molecule] {
        &mut self.molecules
    }

    /// The type of a molecule.
    pub fn type_of(&self, molecule: MoleculeId) -> &MoleculeType {
        &self.types()[self.molecules[molecule.0 as usize].kind.0 as usize]
    }

    /// How many atoms there are in all molecules.
    pub fn atoms(&self) -> u64 {
        self.molecules.iter().map(|molecule| u64::from(self.types()[molecule.kind.0 as usize].atoms)).sum()
    }

    /// The smallest and the largest radius of any atom, in angstroms; `None` without atoms.
    pub fn radii(&self) -> Option<(f32, f32)> {
        self.types.radii
    }

    /// The smallest and the largest radius of any cluster's bounding sphere, in angstroms; `None` without atoms.
    pub fn cluster_radii(&self) -> Option<(f32, f32)> {
        self.types.cluster_radii
    }

    /// Whether every molecule type is a single atom.
    pub fn is_single_atoms(&self) -> bool {
        self.types().iter().all(|kind| kind.atoms == 1)
    }

    /// The periodic box, if there is one.
    pub fn periodic_box(&self) -> Option<PeriodicBox> {
        self.periodic_box
    }

    /// Puts the scene into a periodic box, or takes it out.
    pub fn set_periodic_box(&mut self, periodic_box: Option<PeriodicBox>) {
        self.periodic_box = periodic_box;
    }

    /// Every atom of a molecule with its place in the world and its radius, in cluster order.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_model::{AtomId, Pose, Scene};
    ///
    /// let mut scene = Scene::default();
    /// let nitrogen = scene.add_type("nitrogen", &[Vec3::ZERO, Vec3::X * 2.0], &[1.55; 2]);
    /// let molecule = scene.add_molecule(nitrogen, Pose::from_translation(DVec3::Y * 10.0));
    /// let mut atoms: Vec<_> = scene.placed_atoms(molecule).collect();
    /// atoms.sort_by_key(|&(id, ..)| id);
    /// assert_eq!(atoms[1], (AtomId::new(0, 1), DVec3::new(2.0, 10.0, 0.0), 1.55));
    /// ```
    pub fn placed_atoms(&self, molecule: MoleculeId) -> impl Iterator<Item = (AtomId, DVec3, f32)> + '_ {
        let Molecule { kind, pose } = self.molecules[molecule.0 as usize];
        let clusters = self.types()[kind.0 as usize].clusters.clone();
        self.clusters()[clusters.start as usize..clusters.end as usize].iter().flat_map(move |cluster| {
            (0..cluster.len()).map(move |lane| {
                let atom_in_molecule = cluster.atom(lane);
                let id = AtomId { molecule, atom: cluster.atoms[lane] };
                (id, pose * atom_in_molecule.center.as_dvec3(), atom_in_molecule.radius)
            })
        })
    }
}

fn widen(range: &mut Option<(f32, f32)>, value: f32) {
    let (least, most) = range.unwrap_or((value, value));
    *range = Some((least.min(value), most.max(value)));
}
