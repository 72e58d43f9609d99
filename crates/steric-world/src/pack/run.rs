//! From the input to the packed system.

use std::ops::ControlFlow;
use std::sync::Arc;

use rayon::prelude::*;
use steric_model::formats::packmol::{PackmolInput, Template};
use steric_model::{Instant, Molecule, MoleculeId, Pose, Scene};

use super::relocate::relocated;
use super::report::PackReport;
use super::start::Starts;
use super::system::{Bounds, FOR_ROUNDING, Species, System};
use super::verdict::Infeasible;
use super::{PackError, PackOptions, Packing, Progress};
use crate::relax::{Hold, Iteration, Relax, RelaxOptions, Rule, Setup, Stop};

/// How often molecules are put elsewhere, in iterations, where nothing gets better.
const RELOCATE_EVERY: u32 = 60;
/// At most this part of the molecules at a time.
const RELOCATED: f64 = 0.05;

pub(super) fn run(
    input: &PackmolInput,
    templates: &[Template],
    options: &PackOptions,
    watch: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Packing, PackError> {
    let begun = Instant::now();
    let system = System::new(input, templates)?;
    let mut setup = setup(&system);
    let bodies = setup.bodies.clone();
    let mut starts = Starts::new(&system, &bodies, options.seed);
    let poses = begin(&system, input, options, &mut starts)?;
    setup.scene = with_poses(&system, &poses);
    let mut work = Work { system: &system, starts: &starts, options, relax: relax(setup, options), relocated: 0 };
    let (stop, poses) = if options.max_iterations == 0 { (Stop::Iterations, poses) } else { work.go(watch) };
    let mut report = PackReport::new(input, &system, &poses, stop);
    report.iterations = work.relax.iteration();
    report.relocated = work.relocated;
    report.seconds = begun.elapsed().as_secs_f64();
    report.infeasible = if report.is_solved() { None } else { Infeasible::of(input, &system, &report) };
    let mut rest = &poses[..];
    let of_file = |species: &Species| {
        let (own, others) = rest.split_at(species.number);
        rest = others;
        own.iter().map(|&pose| species.of_file(pose)).collect()
    };
    Ok(Packing { poses: system.species.iter().map(of_file).collect(), report })
}

/// Types, bodies and rules, without molecules.
fn setup(system: &System) -> Setup {
    let mut setup = Setup::new(system.scene.clone());
    for (at, species) in system.species.iter().enumerate() {
        let rule: Arc<dyn Rule> = Arc::<Bounds>::clone(&species.rule);
        setup.groups.push(vec![Hold::Rule(rule)]);
        setup.group_of.extend(std::iter::repeat_n(at as u32, species.number));
        setup.fixed.extend(std::iter::repeat_n(species.fixed.is_some(), species.number));
    }
    setup
}

fn begin(
    system: &System,
    input: &PackmolInput,
    options: &PackOptions,
    starts: &mut Starts<'_>,
) -> Result<Vec<Pose>, PackError> {
    let mut poses = Vec::with_capacity(system.molecules());
    for (at, species) in system.species.iter().enumerate() {
        match options.starts.get(at).and_then(Option::as_ref) {
            Some(own) if own.len() != species.number => {
                let file = input.structures[at].file.clone();
                return Err(PackError::OtherStart { file, expected: species.number, found: own.len() });
            }
            Some(own) => poses.extend(own.iter().map(|&pose| species.of_center(pose))),
            None => poses.extend(starts.all(at)),
        }
    }
    Ok(poses)
}

pub(super) fn with_poses(system: &System, poses: &[Pose]) -> Scene {
    let kinds = system.species.iter().flat_map(|species| std::iter::repeat_n(species.kind, species.number));
    let molecules = kinds.zip(poses).map(|(kind, &pose)| Molecule { kind, pose }).collect();
    let mut scene = system.scene.with_molecules(molecules);
    scene.set_periodic_box(system.scene.periodic_box());
    scene
}

fn relax(setup: Setup, options: &PackOptions) -> Relax {
    // The radii already hold what a file's rounding may take away.
    let relax = RelaxOptions { clearance: FOR_ROUNDING, ..RelaxOptions::default() };
    Relax::new(setup, relax, options.seed)
}

struct Work<'a> {
    system: &'a System,
    starts: &'a Starts<'a>,
    options: &'a PackOptions,
    relax: Relax,
    relocated: u64,
}

impl Work<'_> {
    /// Iterates until everything is right or nothing gets better; returns the best poses.
    fn go(&mut self, mut watch: impl FnMut(&Progress) -> ControlFlow<()>) -> (Stop, Vec<Pose>) {
        let molecules = self.system.molecules();
        let (mut best, mut best_poses) = (u32::MAX, None);
        let (mut best_at, mut last) = (0, u32::MAX);
        loop {
            // What an iteration sees is how things were before it.
            let before = (self.relax.iteration() > 30 && best < 200).then(|| self.relax.poses());
            let seen = self.relax.step();
            let iteration = self.relax.iteration();
            let trouble = trouble(&seen);
            if trouble < best {
                (best, best_at) = (trouble, iteration);
                best_poses = before.or(best_poses);
            }
            if self.relax.is_at_rest() {
                return (Stop::Rest, self.relax.poses());
            }
            let stop = if watch(&Progress { iteration, molecules, seen }).is_break() {
                Some(Stop::Interrupted)
            } else if iteration >= self.options.max_iterations {
                Some(Stop::Iterations)
            } else if iteration - best_at >= self.options.stall_iterations {
                Some(Stop::Stalled)
            } else {
                None
            };
            if let Some(stop) = stop {
                let now = self.relax.poses();
                return (stop, best_poses.filter(|_| trouble > best).unwrap_or(now));
            }
            if iteration.is_multiple_of(RELOCATE_EVERY) {
                if trouble > last - last / 4 {
                    self.relocate();
                }
                last = trouble;
            }
        }
    }

    /// Puts molecules that have been in trouble for long where there is more room.
    fn relocate(&mut self) {
        let stuck = self.relax.in_trouble();
        let most = (RELOCATED * self.system.molecules() as f64).ceil() as usize;
        let every = stuck.len().div_ceil(most).max(1);
        let chosen: Vec<(usize, usize)> =
            stuck.iter().step_by(every).filter_map(|id| self.movable(id.0 as usize)).collect();
        let poses = self.relax.poses();
        let seed = self.options.seed.wrapping_add(u64::from(self.relax.iteration()) << 20);
        let found = relocated(self.system, self.starts, &poses, &chosen, seed);
        let moves: Vec<(MoleculeId, Pose)> =
            chosen.iter().map(|&(_, molecule)| MoleculeId(molecule as u32)).zip(found).collect();
        self.relocated += moves.len() as u64;
        self.relax.relocate(&moves);
    }

    /// The structure of a molecule that may go elsewhere.
    fn movable(&self, molecule: usize) -> Option<(usize, usize)> {
        let mut first = 0;
        for (at, species) in self.system.species.iter().enumerate() {
            first += species.number;
            if molecule < first {
                return species.fixed.is_none().then_some((at, molecule));
            }
        }
        None
    }
}

fn trouble(seen: &Iteration) -> u32 {
    seen.overlapping + seen.broken
}

/// How far each molecule breaks its walls and its range of rotations, in angstroms; none of the fixed ones.
pub(super) fn breaches(system: &System, at: usize, poses: &[Pose]) -> Vec<f64> {
    let species = &system.species[at];
    if species.fixed.is_some() {
        return vec![0.0; poses.len()];
    }
    let rule = &species.rule;
    poses.par_iter().map(|pose| rule.breach(pose).max(rule.range.breach(pose.rotation))).collect()
}
