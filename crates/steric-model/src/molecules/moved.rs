//! The way back to the file: a structure whose molecules stand elsewhere.

use glam::DVec3;
use smol_str::SmolStr;

use super::Molecules;
use crate::{Assembly, Copies, MoleculeId, Pose, Structure};

/// Why molecules could not be put back.
///
/// ```
/// use steric_model::MovedError;
///
/// assert!(MovedError { molecule: "HEM".into() }.to_string().contains("HEM"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected copies of whole chains, found copies of parts of them ({molecule}); expand the copies first, or take instances as molecules"
)]
pub struct MovedError {
    /// What is a part of a chain.
    pub molecule: SmolStr,
}

impl Molecules {
    /// `world_from_file` of a molecule whose own frame stands at `pose`.
    pub fn world_from_file(&self, molecule: MoleculeId, pose: Pose) -> Pose {
        pose * Pose::from_translation(-self.center(molecule))
    }

    /// Where the frame of a molecule stands in its file, in angstroms.
    pub fn center(&self, molecule: MoleculeId) -> DVec3 {
        self.centers[self.origins[molecule.0 as usize].unit as usize]
    }

    /// A file's structure with its molecules at other poses, one for each molecule of the scene. Copies stay copies; what
    /// has not moved keeps its coordinates to the last bit.
    ///
    /// ```
    /// use steric_model::{MoleculeOptions, Molecules, Pose, Source, formats::xyz::read_xyz};
    ///
    /// let structure = read_xyz(b"1\nargon\nAr 1 0 0\n", "argon.xyz".as_ref())?.value;
    /// let argon = Source { name: "argon", structure: &structure, radii: &[1.88], takes_part: &|_| true, connected: &[] };
    /// let molecules = Molecules::new(&[argon], &MoleculeOptions::default())?;
    /// let moved = molecules.moved(0, &structure, &[Pose::from_translation(glam::DVec3::X * 5.0)])?;
    /// assert_eq!(moved.atoms.positions[0].x, 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moved(&self, file: u32, structure: &Structure, poses: &[Pose]) -> Result<Structure, MovedError> {
        assert_eq!(poses.len(), self.origins.len(), "one pose per molecule");
        let own = || (0..self.origins.len()).filter(|&molecule| self.origins[molecule].file == file);
        let stands = |molecule: usize| {
            let Pose { rotation, translation } = self.scene.molecules()[molecule].pose;
            rotation == glam::DQuat::IDENTITY && translation == self.centers[self.origins[molecule].unit as usize]
        };
        if own().all(stands) {
            Ok(self.moved_atoms(structure, own(), poses))
        } else {
            self.moved_copies(structure, own(), poses)
        }
    }

    fn moved_atoms(&self, structure: &Structure, own: impl Iterator<Item = usize>, poses: &[Pose]) -> Structure {
        let mut moved = structure.clone();
        for molecule in own.filter(|&molecule| poses[molecule] != self.scene.molecules()[molecule].pose) {
            let first = self.origins[molecule].first_atom as usize;
            let kind = self.scene.molecules()[molecule].kind;
            let clusters = self.scene.types()[kind.0 as usize].clusters.clone();
            for cluster in &self.scene.clusters()[clusters.start as usize..clusters.end as usize] {
                for lane in 0..cluster.len() {
                    let atom = self.atoms[first + cluster.atoms[lane] as usize];
                    let place = poses[molecule] * cluster.atom(lane).center.as_dvec3();
                    moved.atoms.positions[atom as usize] = place.as_vec3();
                }
            }
        }
        moved
    }

    fn moved_copies(
        &self,
        structure: &Structure,
        own: impl Iterator<Item = usize>,
        poses: &[Pose],
    ) -> Result<Structure, MovedError> {
        let mut atoms_of_chain = vec![0u32; structure.chains.len()];
        let chain_of = |atom: u32| structure.residues[structure.atoms.residues[atom as usize] as usize].chain;
        (0..structure.atoms.len() as u32).for_each(|atom| atoms_of_chain[chain_of(atom) as usize] += 1);
        let mut copies: Vec<Copies> = Vec::new();
        let mut last = None;
        for molecule in own {
            let origin = &self.origins[molecule];
            // Copies of a unit follow each other.
            if last != Some(origin.unit) {
                last = Some(origin.unit);
                let kind = self.scene.molecules()[molecule].kind;
                let first = origin.first_atom as usize;
                let atoms = &self.atoms[first..first + self.scene.types()[kind.0 as usize].atoms as usize];
                let mut chains: Vec<u32> = atoms.iter().map(|&atom| chain_of(atom)).collect();
                chains.sort_unstable();
                chains.dedup();
                let name = self.species[origin.species as usize].clone();
                if chains.iter().map(|&chain| atoms_of_chain[chain as usize] as usize).sum::<usize>() != atoms.len() {
                    return Err(MovedError { molecule: name });
                }
                copies.push(Copies { name, chains, poses: Vec::new() });
            }
            if let Some(copies) = copies.last_mut() {
                copies.poses.push(self.world_from_file(MoleculeId(molecule as u32), poses[molecule]));
            }
        }
        let id = structure.assemblies.first().map_or_else(|| "1".to_owned(), |assembly| assembly.id.clone());
        let mut moved = structure.clone();
        moved.assemblies = vec![Assembly { id, copies }];
        Ok(moved)
    }
}
