//! A model that is there already.
//!
//! How it works: the model is cut into molecules as `steric check` does it. Molecules of one type are copies of one
//! template: its atoms are written once, around the type's own centre, and the model's poses are its copies.

use smol_str::SmolStr;
use steric_model::chemistry::{BondGraph, Chemistry, is_hydrogen};
use steric_model::{Copies, MoleculeId, MoleculeOptions, Molecules, Source};

use super::{BuildError, Group, Role, Work};
use crate::relax::Hold;

impl Work<'_> {
    pub(super) fn add_model(&mut self) -> Result<(), BuildError> {
        let Some(table) = &self.scene.model else {
            return Ok(());
        };
        let parsed = (self.read)(&self.folder.join(&table.file))?;
        let structure = parsed.value;
        if parsed.warnings.total > 0 {
            self.note(format!("{}: {} warnings while reading", table.file, parsed.warnings.total));
        }
        let refused = |work: &Self, found: String| work.wrong("model.file", "a model of molecules", &found);
        let by = table.molecules.parse().map_err(|found: String| refused(self, found))?;
        let connected = Chemistry::new(&structure).molecules;
        let elements = &structure.atoms.elements;
        let hydrogens = self.scene.hydrogens;
        let takes_part = |atom: u32| hydrogens || !is_hydrogen(elements[atom as usize]);
        let radii = vec![1.0; structure.atoms.len()];
        let source = Source {
            name: &table.file,
            structure: &structure,
            radii: &radii,
            takes_part: &takes_part,
            connected: &connected,
        };
        let options = MoleculeOptions { by, ..MoleculeOptions::default() };
        let molecules = Molecules::new(&[source], &options).map_err(|error| refused(self, error.to_string()))?;
        let turn = table.turn_degrees.to_radians();
        let holds: Vec<Hold> = table.leeway.map(|leeway| Hold::Start { leeway, turn }).into_iter().collect();
        self.periodic_box = self.periodic_box.or(molecules.scene().periodic_box());
        let bonds = BondGraph::new(&structure);
        self.number(molecules.scene().molecules().len() as u64, "model.file")?;
        for (first, poses) in copies_by_type(&molecules) {
            let species = molecules.species_of(MoleculeId(first));
            let name: SmolStr = molecules.species()[species as usize].clone();
            let chains = self.library.model(&name, &structure, &bonds, &molecules, MoleculeId(first));
            let group = Group { holds: holds.clone(), fixed: table.fixed, ..Group::new(name.clone(), Role::Model) };
            self.add_group(Copies { name, chains, poses }, group);
        }
        Ok(())
    }
}

/// The first molecule of each type, and the poses of all of them.
fn copies_by_type(molecules: &Molecules) -> Vec<(u32, Vec<steric_model::Pose>)> {
    let scene = molecules.scene();
    let mut by_type: Vec<(u32, Vec<steric_model::Pose>)> = vec![(u32::MAX, Vec::new()); scene.types().len()];
    for (number, molecule) in (0..).zip(scene.molecules()) {
        let (first, poses) = &mut by_type[molecule.kind.0 as usize];
        *first = number.min(*first);
        poses.push(molecule.pose);
    }
    by_type.retain(|(_, poses)| !poses.is_empty());
    by_type
}
