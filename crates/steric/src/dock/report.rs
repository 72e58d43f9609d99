//! What is told about poses.

use glam::DVec3;
use rayon::prelude::*;
use serde::Serialize;
use steric_collide::Obstacle;
use steric_model::{Pose, Structure};
use steric_world::dock::energy::{CUTOFF, Charged, Energy, direct_energy};
use steric_world::dock::{Body, contacts};

use super::{Dock, Standing};

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
    /// What there is to tell about every pose, one after the other as threads have time; `done` hears of each.
    fn each_pose(&self, done: impl Fn(usize) + Sync) -> Vec<PoseReport> {
        let one = |pose: usize| {
            let report = self.pose_report(pose, &Pose::IDENTITY, &[]);
            done(pose);
            report
        };
        (0..self.poses.len()).into_par_iter().map(one).collect()
    }

    /// What there is to tell about every pose.
    pub fn report(&self) -> DockReport {
        self.report_with(|_| ())
    }

    /// The same, and `done` hears of each pose, for a bar of progress.
    pub fn report_with(&self, done: impl Fn(usize) + Sync) -> DockReport {
        DockReport {
            receptor: self.names[0].clone(),
            ligand: self.names[1].clone(),
            receptor_atoms: self.receptor_atoms.len(),
            ligand_atoms: self.parts.len(),
            torsions: self.torsions.all().len(),
            tolerance: self.options.tolerance,
            has_charges: self.has_charges,
            poses: self.each_pose(done),
        }
    }

    /// What there is to tell about a pose that was moved and whose bonds were turned.
    pub fn pose_report(&self, pose: usize, moved: &Pose, radians: &[f64]) -> PoseReport {
        let turned = self.torsions.turned(&self.all_places(pose), radians);
        let body = Body::new(self.parts.iter().map(|&atom| turned[atom as usize]).collect(), self.radii.clone());
        let standing = Standing {
            pose,
            world_from_receptor: Pose::IDENTITY,
            receptor_from_ligand: *moved,
            radians: radians.to_vec(),
            side_chains: Vec::new(),
        };
        self.report_of(&self.obstacle, &body, &standing, self.options.tolerance)
    }

    /// The same with the receptor as it is, and atoms of the ligand as large as someone wants them.
    pub(super) fn report_of(
        &self,
        obstacle: &Obstacle,
        body: &Body,
        standing: &Standing,
        tolerance: f64,
    ) -> PoseReport {
        let (pose, moved) = (standing.pose, &standing.receptor_from_ligand);
        let turned = self.torsions.turned(&self.all_places(pose), &standing.radians);
        let near = contacts(obstacle, body, moved, tolerance, IN_CONTACT + tolerance);
        let first = self.poses[pose].start;
        let one = |contact: &steric_world::dock::Contact| ContactReport {
            ligand: label(&self.ligand, first + self.parts[contact.ball as usize]),
            receptor: label(&self.receptor, self.receptor_atoms[contact.sphere as usize]),
            gap: contact.gap - tolerance,
        };
        let takes_part = |atom: u32| self.parts.binary_search(&atom).is_ok();
        let own = self.torsions.self_overlaps(&turned, &self.all_radii, tolerance);
        let energy = self.direct(&turned.iter().map(|&place| *moved * place).collect::<Vec<_>>());
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

    /// The energy of the ligand's atoms at some places in the receptor's frame, pair by pair.
    pub(super) fn direct(&self, places: &[DVec3]) -> Energy {
        let ligand = Charged { places: places.to_vec(), ..self.ligand_charged.clone() };
        let energy = direct_energy(&self.near_receptor(places), &ligand);
        if self.has_charges { energy } else { Energy { coulomb: 0.0, ..energy } }
    }

    /// The receptor's atoms that do anything to some places, in their order, so that sums have the bits of the sum over all.
    fn near_receptor(&self, places: &[DVec3]) -> Charged {
        let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
        let reach = places.iter().map(|place| place.distance(middle)).fold(0.0, f64::max);
        let mut near = Vec::new();
        self.points.near(middle, reach + CUTOFF + 1e-3, &mut near);
        near.sort_unstable();
        let near = || near.iter().map(|&atom| atom as usize);
        Charged {
            places: near().map(|atom| self.charged.places[atom]).collect(),
            types: near().map(|atom| self.charged.types[atom]).collect(),
            charges: near().map(|atom| self.charged.charges[atom]).collect(),
        }
    }
}

/// An atom as its file calls it.
pub(super) fn label(structure: &Structure, atom: u32) -> String {
    let atoms = &structure.atoms;
    let name = atoms.names.get(atom as usize).map(ToString::to_string).unwrap_or_default();
    let Some(residue) = atoms.residues.get(atom as usize).and_then(|&residue| structure.residues.get(residue as usize))
    else {
        return name;
    };
    let chain = structure.chains.get(residue.chain as usize).map(|chain| chain.name.to_string()).unwrap_or_default();
    format!("{chain} {} {} {name}", residue.name, residue.number).trim().to_owned()
}
