//! Where the middle of a molecule is.

use glam::DVec3;
use steric_model::Scene;

/// For each type the mean of its atoms in its own frame; the origin for a type without atoms.
pub(super) fn centers(scene: &Scene) -> Vec<DVec3> {
    let center = |kind: &steric_model::MoleculeType| {
        let clusters = &scene.clusters()[kind.clusters.start as usize..kind.clusters.end as usize];
        let atoms = clusters.iter().flat_map(|cluster| (0..cluster.len()).map(|lane| cluster.atom(lane).center));
        atoms.map(|atom| atom.as_dvec3()).sum::<DVec3>() / f64::from(kind.atoms.max(1))
    };
    scene.types().iter().map(center).collect()
}
