//! Who overlaps one molecule.

use std::collections::BTreeMap;

use steric_model::{Molecule, MoleculeId, Pose};

use super::{Relaxation, overlaps};

impl Relaxation {
    /// Who overlaps a molecule and how deep, in angstroms, the deepest first. Only it and those near it are looked at.
    ///
    /// ```
    /// use steric::model::MoleculeId;
    /// use steric::relax::Relaxation;
    /// use steric::world::build::SceneFile;
    ///
    /// let text = "[[membrane]]\ncount = 350\narea-per-lipid = 68\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    /// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
    /// let vesicle = Relaxation::of_scene(&scene, "vesicle", "".as_ref())?;
    /// let first = vesicle.overlaps()[0].first.molecule;
    /// assert!(!vesicle.partners(first).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn partners(&self, molecule: MoleculeId) -> Vec<(MoleculeId, f64)> {
        let (scene, poses, chosen) = (&self.setup.scene, self.relax.poses(), molecule.0 as usize);
        if chosen >= poses.len() {
            return Vec::new();
        }
        let ball = |id: usize, pose: &Pose| {
            let bound = scene.type_of(MoleculeId(id as u32)).bound;
            (*pose * bound.center.as_dvec3(), f64::from(bound.radius))
        };
        let (middle, radius) = ball(chosen, &poses[chosen]);
        let is_near = |id: usize| {
            let (other, reach) = ball(id, &poses[id]);
            let way = scene.periodic_box().map_or(other - middle, |cell| cell.nearest_image(other - middle));
            way.length() <= radius + reach - f64::from(self.setup.allow)
        };
        let near: Vec<usize> = (0..poses.len()).filter(|&id| is_near(id)).collect();
        let placed = |&id: &usize| Molecule { pose: poses[id], ..scene.molecules()[id] };
        let mut few = scene.with_molecules(near.iter().map(placed).collect());
        few.set_periodic_box(scene.periodic_box());
        let mut depths: BTreeMap<usize, f64> = BTreeMap::new();
        for overlap in overlaps(&few, self.setup.allow) {
            let [one, other] = [overlap.first, overlap.second].map(|atom| near[atom.molecule.0 as usize]);
            if one == chosen || other == chosen {
                let depth = depths.entry(if one == chosen { other } else { one }).or_default();
                *depth = depth.max(f64::from(overlap.depth));
            }
        }
        let mut partners: Vec<_> = depths.into_iter().map(|(id, depth)| (MoleculeId(id as u32), depth)).collect();
        partners.sort_by(|one, other| other.1.total_cmp(&one.1));
        partners
    }
}
