//! What is told about poses.

use serde::Serialize;
use steric_model::{Pose, Structure};
use steric_world::dock::energy::{Charged, Energy, direct_energy};
use steric_world::dock::{Body, contacts};

use super::Dock;

/// Atoms whose surfaces are nearer than this are in contact, in angstroms.
const IN_CONTACT: f64 = 0.5;

/// Two atoms in contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactReport {
    /// The ligand's atom: chain, residue and name.
    pub ligand: String,
    /// The receptor's atom.
    pub receptor: String,
    /// How far the surfaces are apart, in angstroms; negative if they overlap.
    pub gap: f64,
}

/// A pose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoseReport {
    /// Its number in the file, from one.
    pub pose: usize,
    /// Pairs of atoms that overlap by more than the tolerance.
    pub clashes: usize,
    /// Pairs of atoms whose surfaces are nearer than half an angstrom, or overlap.
    pub contacts: usize,
    /// The deepest overlap, in angstroms; negative if nothing overlaps but something is in contact.
    pub worst: Option<f64>,
    /// Pairs of atoms of the ligand itself that overlap by more than the tolerance.
    pub own_clashes: usize,
    /// In kilocalories per mole: Lennard-Jones and Coulomb.
    pub energy: Energy,
    /// Every contact, the deepest first.
    pub list: Vec<ContactReport>,
}

/// All poses of a ligand at a receptor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DockReport {
    /// What was read.
    pub receptor: String,
    /// What was read.
    pub ligand: String,
    /// Atoms of the receptor that take part.
    pub receptor_atoms: usize,
    /// Atoms of the ligand that take part.
    pub ligand_atoms: usize,
    /// Bonds of the ligand that turn.
    pub torsions: usize,
    /// How much of an overlap is forgiven, in angstroms.
    pub tolerance: f64,
    /// Whether both files state charges; without them there is no Coulomb energy.
    pub has_charges: bool,
    /// The poses.
    pub poses: Vec<PoseReport>,
}

impl Dock {
    /// What there is to tell about every pose.
    pub fn report(&self) -> DockReport {
        DockReport {
            receptor: self.names[0].clone(),
            ligand: self.names[1].clone(),
            receptor_atoms: self.receptor_atoms.len(),
            ligand_atoms: self.parts.len(),
            torsions: self.torsions.all().len(),
            tolerance: self.options.tolerance,
            has_charges: self.has_charges,
            poses: (0..self.poses.len()).map(|pose| self.pose_report(pose, &Pose::IDENTITY, &[])).collect(),
        }
    }

    /// What there is to tell about a pose that was moved and whose bonds were turned.
    pub fn pose_report(&self, pose: usize, moved: &Pose, radians: &[f64]) -> PoseReport {
        let turned = self.torsions.turned(&self.all_places(pose), radians);
        let centers = self.parts.iter().map(|&atom| turned[atom as usize]).collect();
        let body = Body::new(centers, self.radii.clone());
        let tolerance = self.options.tolerance;
        let near = contacts(&self.obstacle, &body, moved, tolerance, IN_CONTACT + tolerance);
        let first = self.poses[pose].start;
        let one = |contact: &steric_world::dock::Contact| ContactReport {
            ligand: label(&self.ligand, first + self.parts[contact.ball as usize]),
            receptor: label(&self.receptor, self.receptor_atoms[contact.sphere as usize]),
            gap: contact.gap - tolerance,
        };
        let takes_part = |atom: u32| self.parts.binary_search(&atom).is_ok();
        let own = self.torsions.self_overlaps(&turned, &self.all_radii, tolerance);
        let ligand =
            Charged { places: turned.iter().map(|&place| *moved * place).collect(), ..self.ligand_charged.clone() };
        let mut energy = direct_energy(&self.charged, &ligand);
        if !self.has_charges {
            energy.coulomb = 0.0;
        }
        PoseReport {
            pose: pose + 1,
            clashes: near.iter().filter(|contact| contact.gap < 0.0).count(),
            contacts: near.len(),
            worst: near.first().map(|contact| tolerance - contact.gap),
            own_clashes: own.iter().filter(|([a, b], _)| takes_part(*a) && takes_part(*b)).count(),
            energy,
            list: near.iter().map(one).collect(),
        }
    }
}

/// An atom as its file calls it.
fn label(structure: &Structure, atom: u32) -> String {
    let atoms = &structure.atoms;
    let name = atoms.names.get(atom as usize).map(ToString::to_string).unwrap_or_default();
    let Some(residue) = atoms.residues.get(atom as usize).and_then(|&residue| structure.residues.get(residue as usize))
    else {
        return name;
    };
    let chain = structure.chains.get(residue.chain as usize).map(|chain| chain.name.to_string()).unwrap_or_default();
    format!("{chain} {} {} {name}", residue.name, residue.number).trim().to_owned()
}
