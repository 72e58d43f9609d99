//! What came of a packing.

use serde::Serialize;
use steric_collide::OverlapSearch;
use steric_model::formats::packmol::PackmolInput;
use steric_model::{Pose, Scene};

use super::run::{breaches, with_poses};
use super::system::{FOR_ROUNDING, System};
use super::verdict::Infeasible;
use crate::relax::Stop;

/// A constraint counts as broken beyond this, in angstroms.
const BROKEN: f64 = 0.01;

/// What is still wrong, if anything.
///
/// ```
/// use steric_world::pack::PackReport;
///
/// assert!(PackReport::default().is_solved());
/// ```
#[derive(Clone, Debug, Default, Serialize)]
pub struct PackReport {
    /// Why it ended.
    pub stop: Option<Stop>,
    /// Iterations.
    pub iterations: u32,
    /// How often a molecule was put elsewhere.
    pub relocated: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Molecules, the fixed ones too, and their atoms.
    pub molecules: u64,
    /// All atoms.
    pub atoms: u64,
    /// Pairs of atoms of different molecules that are too near; pairs of two fixed molecules do not count.
    pub pairs: u64,
    /// By how much the worst of them are too near, in angstroms.
    pub deepest: f64,
    /// How far the worst atom is beyond a constraint, in angstroms.
    pub worst_constraint: f64,
    /// For each structure what is wrong with its molecules.
    pub structures: Vec<StructureReport>,
    /// Why the input cannot be solved, where that is known.
    pub infeasible: Option<Infeasible>,
}

/// What is wrong with the molecules of a structure.
///
/// ```
/// use steric_world::pack::StructureReport;
///
/// let water = StructureReport { file: "water.pdb".into(), line: 3, molecules: 10, ..Default::default() };
/// assert_eq!(water.overlapping + water.broken, 0);
/// ```
#[derive(Clone, Debug, Default, Serialize)]
pub struct StructureReport {
    /// Its molecule file.
    pub file: String,
    /// Its line in the input.
    pub line: usize,
    /// How many molecules.
    pub molecules: u64,
    /// Those with an atom that is too near to another molecule's.
    pub overlapping: u64,
    /// Those beyond a constraint.
    pub broken: u64,
    /// How far the worst of them is, in angstroms.
    pub worst_constraint: f64,
}

impl PackReport {
    /// Whether every distance and every constraint is kept.
    pub fn is_solved(&self) -> bool {
        self.pairs == 0 && self.structures.iter().all(|structure| structure.broken == 0)
    }

    pub(super) fn new(input: &PackmolInput, system: &System, poses: &[Pose], stop: Stop) -> Self {
        let scene = with_poses(system, poses);
        let mut report =
            Self { stop: Some(stop), molecules: poses.len() as u64, atoms: scene.atoms(), ..Self::default() };
        let mut owner = Vec::with_capacity(poses.len());
        let mut first = 0;
        for (at, species) in system.species.iter().enumerate() {
            let breaches = breaches(system, at, &poses[first..first + species.number]);
            first += species.number;
            owner.extend(std::iter::repeat_n(at, species.number));
            let worst = breaches.iter().copied().fold(0.0, f64::max);
            report.worst_constraint = report.worst_constraint.max(worst);
            report.structures.push(StructureReport {
                file: input.structures[at].file.display().to_string(),
                line: input.structures[at].line,
                molecules: species.number as u64,
                overlapping: 0,
                broken: breaches.iter().filter(|&&breach| breach > BROKEN).count() as u64,
                worst_constraint: worst,
            });
        }
        report.overlaps(system, &scene, &owner);
        report
    }

    fn overlaps(&mut self, system: &System, scene: &Scene, owner: &[usize]) {
        // The radii hold what a file's rounding may take away; here only what is wanted counts.
        let search = OverlapSearch { allow: 2.0 * FOR_ROUNDING as f32, ..OverlapSearch::default() };
        let is_fixed = |molecule: u32| system.species[owner[molecule as usize]].fixed.is_some();
        let mut in_trouble = vec![false; owner.len()];
        for overlap in search.overlaps(scene) {
            let [a, b] = [overlap.first.molecule.0, overlap.second.molecule.0];
            if is_fixed(a) && is_fixed(b) {
                continue;
            }
            self.pairs += 1;
            self.deepest = self.deepest.max(f64::from(overlap.depth) - 2.0 * FOR_ROUNDING);
            [a, b].into_iter().for_each(|molecule| in_trouble[molecule as usize] = true);
        }
        for (molecule, _) in in_trouble.iter().enumerate().filter(|(_, is_in)| **is_in) {
            self.structures[owner[molecule]].overlapping += 1;
        }
    }
}
