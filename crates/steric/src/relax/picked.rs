//! The same relaxation with other molecules: some fewer, or some twice.

use std::sync::OnceLock;

use steric_model::{Molecule, MoleculeId, MoleculesBy, Pose};
use steric_world::relax::{Relax, Setup};

use super::{Relaxation, engine};

impl Relaxation {
    /// Whether molecules can be left out or repeated: in a scene, where each is a copy of a template.
    pub fn can_pick(&self) -> bool {
        self.molecules.by(0) == MoleculesBy::Instance
    }

    /// Some of the molecules, each where it is said to be; one that is named twice is there twice. What holds a molecule holds its copies.
    ///
    /// ```
    /// use steric::model::MoleculeId;
    /// use steric::relax::Relaxation;
    /// use steric::world::build::SceneFile;
    ///
    /// let text = "[[membrane]]\ncount = 300\narea-per-lipid = 75\n[[membrane.lipid]]\nmolecule = \"POPC\"\n";
    /// let scene = SceneFile::read(text, "vesicle.toml".as_ref())?;
    /// let vesicle = Relaxation::of_scene(&scene, "vesicle", "".as_ref())?;
    /// let which: Vec<_> = (10..20).map(|id| (MoleculeId(id), vesicle.scene().molecules()[id as usize].pose)).collect();
    /// let patch = vesicle.picked(&which);
    /// assert_eq!(patch.scene().molecules().len(), 10);
    /// assert_eq!(patch.structure()?.assemblies[0].copies.iter().map(|copies| copies.poses.len()).sum::<usize>(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn picked(&self, which: &[(MoleculeId, Pose)]) -> Self {
        let count = self.setup.scene.molecules().len();
        let which: Vec<(MoleculeId, Pose)> = which.iter().copied().filter(|(id, _)| (id.0 as usize) < count).collect();
        let ids: Vec<MoleculeId> = which.iter().map(|(id, _)| *id).collect();
        let molecules = self.molecules.picked(&ids);
        let of =
            |(id, pose): &(MoleculeId, Pose)| Molecule { pose: *pose, ..self.setup.scene.molecules()[id.0 as usize] };
        let mut scene = self.setup.scene.with_molecules(which.iter().map(of).collect());
        scene.set_periodic_box(self.setup.scene.periodic_box());
        let each = |of: &dyn Fn(usize) -> u32| ids.iter().map(|id| of(id.0 as usize)).collect();
        let setup = Setup {
            scene,
            groups: self.setup.groups.clone(),
            group_of: each(&|id| self.setup.group_of.get(id).copied().unwrap_or(u32::MAX)),
            fixed: ids.iter().map(|id| self.setup.fixed.get(id.0 as usize).copied().unwrap_or(false)).collect(),
            bodies: self.setup.bodies.clone(),
            allow: self.setup.allow,
        };
        let relax = Relax::new(setup.clone(), self.relax.options().clone(), self.seed);
        Self {
            name: self.name.clone(),
            structure: self.structure.clone(),
            skeletons: OnceLock::new(),
            molecules,
            definition: self.definition.clone(),
            verdicts: Vec::new(),
            notes: self.notes.clone(),
            start: which.iter().map(|(_, pose)| *pose).collect(),
            before: OnceLock::new(),
            repaired: 0,
            setup,
            relax,
            proxy: None,
            stages: Vec::new(),
            stop: None,
            seed: self.seed,
            engine: engine::Choice::default(),
            remarks: self.remarks.clone(),
        }
    }
}
