//! `steric dock`: a ligand at a receptor, judged where it is, moved along a path, or played again.

mod fitting;
mod path;
mod solids;
mod text;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use glam::DVec3;
use serde::Serialize;
use steric::collide::ProbeIndex;
use steric::dock::{
    Deed, Dock, DockOptions, DockReport, Played, PoseReport, ReadLog, Ready, Session, ready, ready_names,
};
use steric::model::chemistry::RadiiSet;
use steric::model::formats::pdbqt::torsion_tree;
use steric::model::{Pose, formats};
use steric::save::{write_model, written_format};
use steric::world::dock::Response;

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};
use path::Motion;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steric dock receptor.pdbqt poses.pdbqt
  steric dock receptor.pdb poses.sdf -o poses.csv
  steric dock receptor.pdb ligand.sdf --minimise 500 -o minimised.pdb
  steric dock receptor.pdb ligand.sdf --start 40,0,0 --path path.csv --record hand.log -o end.pdb
  steric dock receptor.pdb ligand.sdf --path path.csv --response push --flex near
  steric dock --play hand.log
  steric dock dhfr                               trimethoprim in dihydrofolate reductase
  steric dock fitting --bot 20 -o trials.csv     the fitting task of 1989, tried by a bot
  steric dock socket.obj key.obj --path path.csv --response slide
  steric dock dice -o dice.gif                   polyhedra and a molecule that exchange momentum
  steric studio receptor.pdb ligand.sdf          the same by hand

A path has a line for each motion: the shift from where the ligand is in its file, x,y,z in angstroms, and, if wanted, its rotation around its
middle as a quaternion, x,y,z,w.")]
pub(crate) struct Arguments {
    /// What stays where it is, a molecule or a mesh; or a scene that comes with steric: dhfr, fitting, dice
    #[arg(required_unless_present = "play")]
    receptor: Option<PathBuf>,
    /// What is moved; each of its models or records is a pose
    ligand: Option<PathBuf>,
    /// Overlap of two atoms that is forgiven, in angstroms
    #[arg(long, value_name = "A", default_value_t = 0.4, value_parser = options::angstroms, allow_negative_numbers = true)]
    tolerance: f32,
    /// What happens when the ligand hits something: detect, stop, slide, push or bounce
    #[arg(long, value_name = "HOW", default_value_t)]
    response: Response,
    /// Move the ligand along these places
    #[arg(long, value_name = "FILE", conflicts_with = "play")]
    path: Option<PathBuf>,
    /// Put the ligand here before the path begins, whatever is in the way: a shift from where it is in its file
    #[arg(long, value_name = "X,Y,Z", requires = "path", allow_hyphen_values = true, value_parser = path::shift)]
    start: Option<DVec3>,
    /// Which pose is moved, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    pose: usize,
    /// Write down what the hand does, so that it can be played again
    #[arg(long, value_name = "LOG", requires = "path")]
    record: Option<PathBuf>,
    /// Play a log again and compare every state with the one that was written down
    #[arg(long, value_name = "LOG")]
    play: Option<PathBuf>,
    /// Go downhill from each pose, by so many steps at most: place, orientation and torsions
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["play", "path"])]
    minimise: Option<u32>,
    /// After each motion of the path go downhill by so many steps
    #[arg(long, value_name = "STEPS", requires = "path")]
    downhill: Option<u32>,
    /// Side chains that give way to --response push, as A:45,A:52; near: those within 6 angstroms of the pose
    #[arg(long, value_name = "RESIDUES", value_delimiter = ',', requires = "path")]
    flex: Vec<String>,
    /// Let a bot try the fitting task so often, each time from another seed
    #[arg(long, value_name = "TRIALS", conflicts_with_all = ["play", "path", "minimise"])]
    bot: Option<u32>,
    /// Take meshes as their convex hulls
    #[arg(long)]
    convex: bool,
    /// How long dice roll, in seconds
    #[arg(long, value_name = "S", default_value_t = 6.0, value_parser = options::positive)]
    seconds: f64,
    /// How large atoms are: bondi, mantina, alvarez, probe, probe-implicit, protor, chimerax, turk
    #[arg(long, value_name = "SET", default_value = "bondi")]
    radii: RadiiSet,
    /// Hydrogens take part as well
    #[arg(long)]
    hydrogens: bool,
    /// Waters of the receptor take part as well
    #[arg(long)]
    waters: bool,
    /// How the receptor's atoms are found: rows, grid, hashed or brute
    #[arg(long, value_name = "INDEX", default_value_t)]
    index: ProbeIndex,
    /// How many contacts of a pose to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = options::count, allow_negative_numbers = true)]
    top: usize,
}

/// All that is told.
#[derive(Debug, Serialize)]
struct Document {
    #[serde(flatten)]
    report: DockReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimised: Option<Vec<PoseReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Vec<Motion>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<PoseReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
}

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    if let Some(trials) = arguments.bot {
        return fitting::run(arguments, shared, trials);
    }
    if let (Some(scene), None) = (&arguments.receptor, &arguments.ligand)
        && scene.as_path() == Path::new("dice")
    {
        return solids::dice(arguments, shared);
    }
    let log = arguments.play.as_deref().map(read_log).transpose()?;
    let (receptor, ligand) = match (&arguments.receptor, &log) {
        (Some(receptor), _) => (receptor.clone(), arguments.ligand.clone()),
        (None, Some((log, _))) => named_in(log),
        (None, None) => return Err(Failure::usage("expected a receptor, found none")),
    };
    let inputs: Vec<PathBuf> = [Some(receptor.clone()), ligand.clone()].into_iter().flatten().collect();
    output::check_outputs(&inputs, [shared.output.as_deref(), arguments.record.as_deref()])?;
    if let Some(ligand) = ligand.as_deref().filter(|ligand| solids::is_mesh(&receptor) || solids::is_mesh(ligand)) {
        return solids::run(arguments, shared, &receptor, ligand);
    }
    let Ready { dock, start } = docked(arguments, shared, &receptor, ligand.as_deref())?;
    if arguments.pose == 0 || arguments.pose > dock.pose_count() {
        return Err(Failure::usage(format!("--pose: expected 1 to {}, found {}", dock.pose_count(), arguments.pose)));
    }
    let bar = output::bar(shared, dock.pose_count() as u64, "poses");
    let report = dock.report_with(|_| bar.inc(1));
    bar.finish_and_clear();
    let mut document = Document { report, minimised: None, path: None, end: None, played: None };
    let mut session = Session::new(Arc::clone(&dock));
    if let Some(path) = &arguments.path {
        document.path = Some(path::follow(&mut session, start, arguments, path)?);
    }
    if let Some((_, text)) = &log {
        let name = arguments.play.as_deref().unwrap_or(Path::new("log")).display().to_string();
        let (played, end) = dock.play(&name, text).map_err(|error| Failure::usage(error.to_string()))?;
        (document.played, session) = (Some(played), end);
    }
    if document.path.is_some() || document.played.is_some() {
        document.end = Some(session.report());
    }
    if let Some(steps) = arguments.minimise {
        minimise(&dock, steps, arguments, shared, &mut document, &mut session);
    } else if document.end.is_none() {
        session.act(&Deed::Take(arguments.pose - 1), 0.0);
    }
    write(&document, &session, arguments, shared)?;
    Ok(if is_clean(&document) { Verdict::Clean } else { Verdict::Overlaps })
}

/// Goes downhill from each pose, and leaves the session at the one that was asked for.
fn minimise(
    dock: &Dock,
    steps: u32,
    arguments: &Arguments,
    shared: &Shared,
    document: &mut Document,
    session: &mut Session,
) {
    let bar = output::bar(shared, dock.pose_count() as u64, "poses");
    let grid = dock.energy_grid(BESIDE, SPACING);
    let one = |pose: usize| {
        let minimum = dock.minimised(&grid, pose, steps);
        bar.inc(1);
        if pose + 1 == arguments.pose {
            session.act(&Deed::Take(pose), 0.0);
            session.act(&Deed::Collide(false), 0.0);
            session.act(&Deed::Put(minimum.pose.into()), 0.0);
            session.act(&Deed::Turn(minimum.radians.clone()), 0.0);
        }
        dock.pose_report(pose, &minimum.pose, &minimum.radians)
    };
    document.minimised = Some((0..dock.pose_count()).map(one).collect());
    bar.finish_and_clear();
}

/// Puts the pose, the table or the report where it is wanted.
fn write(document: &Document, session: &Session, arguments: &Arguments, shared: &Shared) -> Result<(), Failure> {
    let is_table = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let written = shared.output.as_deref().filter(|path| written_format(path).is_ok() || is_table(path));
    if let Some(path) = written {
        if is_table(path) {
            let table = text::csv(document.minimised.as_ref().unwrap_or(&document.report.poses));
            output::write_whole(path, |file| {
                file.write_all(table.as_bytes()).map_err(|error| Failure::io(path, &error))
            })?;
        } else {
            write_model(path, &session.ligand()).map_err(|error| Failure::usage(error.to_string()))?;
        }
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let elsewhere = Shared { output: shared.output.clone().filter(|_| written.is_none()), ..shared.clone() };
    output::report(&elsewhere, document, |coloured| text::text(document, arguments.top, coloured))
}

/// How far an energy grid goes beyond the poses, in angstroms.
const BESIDE: f64 = 4.0;
/// How far its points are apart, in angstroms.
const SPACING: f64 = 0.25;
/// Side chains that are near are nearer than this, in angstroms.
const NEAR: f64 = 6.0;

fn options_of(arguments: &Arguments) -> DockOptions {
    DockOptions {
        radii: arguments.radii,
        tolerance: f64::from(arguments.tolerance),
        hydrogens: arguments.hydrogens,
        waters: arguments.waters,
        index: arguments.index,
        response: arguments.response,
    }
}

/// An option that only molecules know.
fn flag(arguments: &Arguments) -> Option<&'static str> {
    let given = [
        (arguments.play.is_some(), "--play"),
        (arguments.record.is_some(), "--record"),
        (arguments.minimise.is_some(), "--minimise"),
        (arguments.downhill.is_some(), "--downhill"),
        (!arguments.flex.is_empty(), "--flex"),
    ];
    given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
}

/// Reads what is docked, or takes a scene that comes with steric.
fn docked(arguments: &Arguments, shared: &Shared, receptor: &Path, ligand: Option<&Path>) -> Result<Ready, Failure> {
    let options = options_of(arguments);
    let wrong = |error: steric::dock::DockError| Failure::usage(error.to_string());
    let Some(ligand) = ligand else {
        let name = receptor.to_string_lossy();
        return match ready(&name, &options) {
            Some(ready) => ready.map_err(wrong),
            None => {
                let names: Vec<&str> = ready_names().iter().map(|(name, _)| *name).collect();
                let known = names.join(" or ");
                Err(Failure::usage(format!("{name}: expected a ligand beside it, or the scene {known}")))
            }
        };
    };
    let tree = tree_of(ligand)?;
    let names = [receptor, ligand].map(|path| path.display().to_string());
    let (receptor, ligand) = (output::read(receptor, shared)?, output::read(ligand, shared)?);
    let dock = Dock::new((&names[0], &receptor.structure), (&names[1], &ligand.structure), tree.as_deref(), &options);
    Ok(Ready { dock: Arc::new(dock.map_err(wrong)?), start: Pose::IDENTITY })
}

fn read_log(path: &Path) -> Result<(ReadLog, String), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
    let log = ReadLog::read(&path.display().to_string(), &text).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((log, text))
}

/// The files that a log was made with, or the scene.
fn named_in(log: &ReadLog) -> (PathBuf, Option<PathBuf>) {
    let [receptor, ligand] = log.names();
    match ready_names().iter().find(|(name, _)| *name == receptor) {
        Some((scene, _)) if !Path::new(receptor).is_file() => (scene.into(), None),
        _ => (receptor.into(), Some(ligand.into())),
    }
}

/// Side chains by name, or all that are near the ligand.
fn flexible(session: &Session, names: &[String]) -> Result<Vec<u32>, Failure> {
    let dock = session.dock();
    if let [near] = names
        && near == "near"
    {
        return Ok(dock.side_chains_near(&session.ligand_places(), NEAR));
    }
    let one = |name: &String| {
        let unknown = || Failure::usage(format!("--flex: expected residues of the receptor as A:45, found {name}"));
        dock.residue(name).ok_or_else(unknown)
    };
    names.iter().map(one).collect()
}

/// The last thing that was asked for decides.
fn is_clean(document: &Document) -> bool {
    let has_played = document.played.as_ref().is_none_or(|played| played.first_other.is_none());
    let poses = document.minimised.as_ref().unwrap_or(&document.report.poses);
    let clashes = match &document.end {
        Some(end) => end.clashes,
        None => poses.iter().map(|pose| pose.clashes).sum(),
    };
    has_played && clashes == 0
}

/// The torsion tree that a PDBQT file states.
pub(crate) fn tree_of(path: &Path) -> Result<Option<Vec<[i32; 2]>>, Failure> {
    if formats::Format::from_path(path) != Some(formats::Format::Pdbqt) {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path, &error))?;
    Ok(torsion_tree(&bytes))
}
