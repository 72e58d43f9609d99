//! Stand-ins: a few spheres per molecule in place of its atoms.
//!
//! How it works: the atoms of a type are grouped by k-means, and each group becomes one sphere that covers its atoms (section
//! 6.1 of the founding thesis). The stand-ins are larger than the molecules, by how much is known; a crowded scene that has
//! no room for them is only loosened by them, and the atoms finish the work.

use glam::Vec3;
use steric_model::{Grouping, Scene, SphereTree};

use super::Setup;

/// How well the stand-ins fit.
///
/// ```
/// use glam::Vec3;
/// use steric_model::Scene;
/// use steric_world::relax::Setup;
///
/// let mut scene = Scene::default();
/// let chain: Vec<Vec3> = (0..30).map(|i| Vec3::X * i as f32 * 1.5).collect();
/// scene.add_type("chain", &chain, &[1.7; 30]);
/// let (coarse, fit) = Setup::new(scene).proxies(5);
/// assert_eq!(coarse.scene.types()[0].atoms, 5);
/// assert!(fit.mean_overestimate > 0.0 && fit.mean_overestimate <= fit.most_overestimate);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct ProxyFit {
    /// Spheres of all types together, and the atoms that they stand for.
    pub spheres: u64,
    /// The atoms.
    pub atoms: u64,
    /// How far a sphere's surface lies beyond the surface of an atom that it covers, along the line through the atom, in
    /// angstroms: the mean over all atoms.
    pub mean_overestimate: f64,
    /// The largest of these.
    pub most_overestimate: f64,
}

impl Setup {
    /// The same molecules with at most `spheres` spheres each, and how well they fit. Poses and constraints stay.
    pub fn proxies(&self, spheres: usize) -> (Self, ProxyFit) {
        let mut coarse = Scene::default();
        let mut fit = ProxyFit::default();
        for kind in self.scene.types() {
            let clusters = &self.scene.clusters()[kind.clusters.start as usize..kind.clusters.end as usize];
            let atoms: Vec<(Vec3, f32)> = clusters
                .iter()
                .flat_map(|cluster| (0..cluster.len()).map(|lane| cluster.atom(lane)))
                .map(|atom| (atom.center, atom.radius))
                .collect();
            let (centers, radii): (Vec<Vec3>, Vec<f32>) = atoms.iter().copied().unzip();
            let tree = SphereTree::new(&centers, &radii, Grouping::KMeans(spheres.max(1)));
            let bounds: Vec<_> = tree.groups().iter().map(|group| group.bound).collect();
            fit.add(&tree);
            let (centers, radii): (Vec<Vec3>, Vec<f32>) =
                bounds.iter().map(|bound| (bound.center, bound.radius)).unzip();
            coarse.add_type(kind.name.clone(), &centers, &radii);
        }
        fit.mean_overestimate /= fit.atoms.max(1) as f64;
        let mut scene = coarse.with_molecules(self.scene.molecules().to_vec());
        scene.set_periodic_box(self.scene.periodic_box());
        (Self { scene, ..self.clone() }, fit)
    }
}

impl ProxyFit {
    fn add(&mut self, tree: &SphereTree) {
        for group in tree.groups() {
            self.spheres += 1;
            for cluster in &tree.clusters()[group.clusters.start as usize..group.clusters.end as usize] {
                for atom in (0..cluster.len()).map(|lane| cluster.atom(lane)) {
                    let beyond = group.bound.radius - group.bound.center.distance(atom.center) - atom.radius;
                    self.atoms += 1;
                    self.mean_overestimate += f64::from(beyond.max(0.0));
                    self.most_overestimate = self.most_overestimate.max(beyond.into());
                }
            }
        }
    }
}
