//! A relaxation of a scene file.

use std::path::Path;

use steric_model::chemistry::{BondGraph, ClashDefinition};
use steric_model::{
    AssemblyChoice, AtomId, Instant, MoleculeId, MoleculeOptions, Molecules, MoleculesBy, Source, Structure, TypeId,
    formats,
};
use steric_world::build::{Built, Closeness, SceneFile, build, spread_discs, verdict};
use steric_world::relax::Setup;
use steric_world::report::available_memory_bytes;

use super::{Input, RelaxError, Relaxation, check_closeness, stage};

impl Relaxation {
    /// Places the molecules of a scene file, discs first where there is a membrane. Relative file names in the scene start
    /// from `folder`.
    pub fn of_scene(scene: &SceneFile, name: &str, folder: &Path) -> Result<Self, RelaxError> {
        check_closeness(scene.closeness())?;
        super::check_numbers(&scene.physics)?;
        let clock = Instant::now();
        let mut built = build(scene, folder, &formats::read)?;
        check_memory(&built)?;
        let mut stages = vec![stage("build", clock)];
        let clock = Instant::now();
        let verdicts = verdict(&built, least_distance(built.closeness));
        stages.push(stage("verdict", clock));
        let clock = Instant::now();
        let (structure, closeness) = (built.structure.clone(), built.closeness);
        let (molecules, _) = rayon::join(|| molecules(&structure, closeness), || spread_discs(&mut built));
        let molecules = molecules?;
        let start: Vec<_> = molecules.scene().molecules().iter().map(|molecule| molecule.pose).collect();
        let setup = setup(&built, &molecules);
        stages.push(stage("discs and sphere trees", clock));
        let Built { structure, notes, closeness, .. } = built;
        let input = Input {
            name: name.to_owned(),
            structure,
            molecules,
            setup,
            definition: definition(closeness).to_string(),
            verdicts,
            notes,
            start,
            stages,
        };
        Self::new(input, scene.physics.clone(), scene.seed)
    }
}

/// Says before the work begins that the memory will not do.
fn check_memory(built: &Built) -> Result<(), RelaxError> {
    // Measured: 2 kB for each of two million lipids of seven clusters, most of it for each of these.
    const PER_MOLECULE: f64 = 900.0;
    const PER_ATOM: f64 = 22.0;
    let Some(available) = available_memory_bytes() else { return Ok(()) };
    let kinds = built.copies().iter().zip(built.templates());
    let bytes = kinds.map(|(copies, atoms)| copies.poses.len() as f64 * (PER_MOLECULE + PER_ATOM * atoms.len() as f64));
    let needed: f64 = bytes.sum();
    if needed <= available as f64 {
        return Ok(());
    }
    let found = built.molecules();
    let most = (found as f64 * available as f64 / needed) as u64;
    Err(RelaxError::TooLarge { found, most, needed_gb: needed / 1e9, available_gb: available as f64 / 1e9 })
}

pub(super) fn definition(closeness: Closeness) -> ClashDefinition {
    match closeness {
        Closeness::Tolerance(tolerance) => ClashDefinition::Tolerance(tolerance as f32),
        Closeness::Radii { set, allow } => ClashDefinition::Radii { set, allow: allow as f32 },
    }
}

/// How near two carbons may come, in angstroms.
fn least_distance(closeness: Closeness) -> f64 {
    match closeness {
        Closeness::Tolerance(tolerance) => tolerance,
        Closeness::Radii { allow, .. } => 2.0 * 1.7 - allow,
    }
}

/// How much overlap a definition forgives.
pub(super) fn allowance(closeness: Closeness) -> f32 {
    match closeness {
        Closeness::Tolerance(_) => 0.0,
        Closeness::Radii { allow, .. } => allow as f32,
    }
}

/// One molecule for each pose, in the order of the copies.
fn molecules(structure: &Structure, closeness: Closeness) -> Result<Molecules, RelaxError> {
    let bonds = match closeness {
        Closeness::Tolerance(_) => BondGraph::default(),
        Closeness::Radii { .. } => BondGraph::new(structure),
    };
    let radii = definition(closeness).radii(structure, &bonds);
    let source = Source { name: "scene", structure, radii: &radii, takes_part: &|_| true, connected: &[] };
    let options =
        MoleculeOptions { by: MoleculesBy::Instance, assembly: AssemblyChoice::All, ..MoleculeOptions::default() };
    Ok(Molecules::new(&[source], &options)?)
}

/// The molecules where the discs left them, and what holds them.
fn setup(built: &Built, molecules: &Molecules) -> Setup {
    let mut scene = molecules.scene().clone();
    scene.set_periodic_box(built.periodic_box);
    let mut setup = Setup::new(scene);
    let poses = built.copies().iter().flat_map(|copies| &copies.poses);
    for (id, (molecule, &world_from_template)) in setup.scene.molecules_mut().iter_mut().zip(poses).enumerate() {
        let center = molecules.center(MoleculeId(id as u32));
        molecule.pose = world_from_template * steric_model::Pose::from_translation(center);
    }
    let groups = built.copies().iter().zip(&built.groups).filter(|(copies, _)| !copies.poses.is_empty());
    for (group, (copies, common)) in groups.enumerate() {
        let first = MoleculeId(setup.group_of.len() as u32);
        let center = molecules.center(first);
        setup.groups.push(common.holds.iter().map(|hold| hold.seen_from(center)).collect());
        setup.group_of.extend(copies.poses.iter().map(|_| group as u32));
        setup.fixed.extend(copies.poses.iter().map(|_| common.fixed));
    }
    weigh(&mut setup, molecules, &built.structure);
    setup.allow = allowance(built.closeness);
    setup
}

/// Weighs every type by the elements of its atoms.
pub(super) fn weigh(setup: &mut Setup, molecules: &Molecules, structure: &steric_model::Structure) {
    let mut example = vec![None; setup.scene.types().len()];
    for (id, molecule) in setup.scene.molecules().iter().enumerate() {
        example[molecule.kind.0 as usize].get_or_insert(MoleculeId(id as u32));
    }
    setup.weigh(|TypeId(kind), atom| {
        let Some(molecule) = example[kind as usize] else { return 12.0 };
        let atom = molecules.origin(AtomId { molecule, atom }).atom;
        structure.atoms.elements[atom as usize].mass().max(1.0)
    });
}
