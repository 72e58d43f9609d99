//! `steric dock`: a ligand at a receptor, judged where it is, moved along a path, or played again.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::Args;
use glam::{DQuat, DVec3};
use serde::Serialize;
use steric::collide::ProbeIndex;
use steric::dock::{Dock, DockOptions, DockReport, Log, Played, PoseReport};
use steric::model::chemistry::RadiiSet;
use steric::model::formats::pdbqt::torsion_tree;
use steric::model::{Pose, formats};
use steric::save::{write_model, written_format};
use steric::world::dock::Response;

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};
use crate::table::{BOLD, GREEN, RED, paint};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  steric dock receptor.pdbqt poses.pdbqt
  steric dock receptor.pdb ligand.sdf --minimise 500 -o minimised.pdb
  steric dock receptor.pdb ligand.sdf --start 40,0,0 --path path.csv --record hand.log -o end.pdb
  steric dock receptor.pdb ligand.sdf --play hand.log

A path has a line for each motion: the shift from where the ligand is in its file, x,y,z in angstroms, and, if wanted, its rotation around its
middle as a quaternion, x,y,z,w.")]
pub(crate) struct Arguments {
    /// What stays where it is
    receptor: PathBuf,
    /// What is moved; each of its models or records is a pose
    ligand: PathBuf,
    /// Overlap of two atoms that is forgiven, in angstroms
    #[arg(long, value_name = "A", default_value_t = 0.4, value_parser = options::angstroms, allow_negative_numbers = true)]
    tolerance: f32,
    /// What happens when the ligand hits something: detect, stop, slide or push
    #[arg(long, value_name = "HOW", default_value_t)]
    response: Response,
    /// Move the ligand along these places
    #[arg(long, value_name = "FILE", conflicts_with = "play")]
    path: Option<PathBuf>,
    /// Put the ligand here before the path begins, whatever is in the way: a shift from where it is in its file
    #[arg(long, value_name = "X,Y,Z", requires = "path", allow_hyphen_values = true, value_parser = shift)]
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

/// A motion of a path.
#[derive(Debug, Serialize)]
struct Motion {
    /// Where the ligand's middle was wanted, and where it came to, from where it is in its file.
    wanted: [f64; 3],
    came: [f64; 3],
    contacts: usize,
    is_there: bool,
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
    let inputs = [arguments.receptor.clone(), arguments.ligand.clone()];
    output::check_outputs(&inputs, [shared.output.as_deref(), arguments.record.as_deref()])?;
    let receptor = output::read(&arguments.receptor, shared)?;
    let ligand = output::read(&arguments.ligand, shared)?;
    let options = DockOptions {
        radii: arguments.radii,
        tolerance: f64::from(arguments.tolerance),
        hydrogens: arguments.hydrogens,
        waters: arguments.waters,
        index: arguments.index,
        response: arguments.response,
    };
    let tree = tree_of(&arguments.ligand)?;
    let names = [&arguments.receptor, &arguments.ligand].map(|path| path.display().to_string());
    let dock = Dock::new((&names[0], &receptor.structure), (&names[1], &ligand.structure), tree.as_deref(), &options)
        .map_err(|error| Failure::usage(error.to_string()))?;
    if arguments.pose == 0 || arguments.pose > dock.pose_count() {
        return Err(Failure::usage(format!("--pose: expected 1 to {}, found {}", dock.pose_count(), arguments.pose)));
    }
    let mut document = Document { report: dock.report(), minimised: None, path: None, end: None, played: None };
    let mut end = (arguments.pose - 1, Pose::IDENTITY, Vec::new());
    if let Some(path) = &arguments.path {
        let (motions, pose) = follow(&dock, arguments, path)?;
        document.path = Some(motions);
        end.1 = pose;
    }
    if let Some(path) = &arguments.play {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
        let played =
            dock.play(&path.display().to_string(), &text).map_err(|error| Failure::usage(error.to_string()))?;
        if let Some((pose, radians)) = &played.end {
            (end.1, end.2) = (*pose, radians.clone());
        }
        document.played = Some(played);
    }
    if document.path.is_some() || document.played.is_some() {
        document.end = Some(dock.pose_report(end.0, &end.1, &end.2));
    }
    if let Some(steps) = arguments.minimise {
        let bar = output::bar(shared, dock.pose_count() as u64, "poses");
        let grid = dock.energy_grid(BESIDE, SPACING);
        let minima = (0..dock.pose_count()).map(|pose| {
            let minimum = dock.minimised(&grid, pose, steps);
            bar.inc(1);
            minimum
        });
        let minima: Vec<_> = minima.collect();
        bar.finish_and_clear();
        let reports =
            minima.iter().enumerate().map(|(pose, minimum)| dock.pose_report(pose, &minimum.pose, &minimum.radians));
        document.minimised = Some(reports.collect());
        if let Some(minimum) = minima.get(end.0) {
            (end.1, end.2) = (minimum.pose, minimum.radians.clone());
        }
    }
    let written = shared.output.as_deref().filter(|path| written_format(path).is_ok());
    if let Some(path) = written {
        write_model(path, &dock.structure(end.0, &end.1, &end.2)).map_err(|error| Failure::usage(error.to_string()))?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    let elsewhere = Shared { output: shared.output.clone().filter(|_| written.is_none()), ..shared.clone() };
    output::report(&elsewhere, &document, |coloured| text(&document, arguments.top, coloured))?;
    Ok(if is_clean(&document) { Verdict::Clean } else { Verdict::Overlaps })
}

/// And how far it goes beyond the poses.
const BESIDE: f64 = 4.0;
/// How far the points of an energy grid are apart, in angstroms.
const SPACING: f64 = 0.2;

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
fn tree_of(path: &Path) -> Result<Option<Vec<[i32; 2]>>, Failure> {
    if formats::Format::from_path(path) != Some(formats::Format::Pdbqt) {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path, &error))?;
    Ok(torsion_tree(&bytes))
}

/// Moves the ligand along a path.
fn follow(dock: &Dock, arguments: &Arguments, path: &Path) -> Result<(Vec<Motion>, Pose), Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::io(path, &error))?;
    let wanted = path_of(&text, path)?;
    let pose = arguments.pose - 1;
    let mut hand = dock.hand(pose);
    let middle = hand.body.middle();
    let mut log = match &arguments.record {
        Some(file) => {
            let out = BufWriter::new(File::create(file).map_err(|error| Failure::io(file, &error))?);
            Some(Log::begin(dock, pose, &hand, out).map_err(|error| Failure::usage(error.to_string()))?)
        }
        None => None,
    };
    if let Some(shift) = arguments.start {
        let pose = Pose::from_translation(shift);
        match &mut log {
            Some(log) => log.put(&mut hand, pose).map_err(|error| Failure::usage(error.to_string()))?,
            None => hand.put(pose),
        }
    }
    let mut motions = Vec::new();
    for (shift, rotation) in wanted {
        let to = Pose { rotation, translation: middle + shift - rotation * middle };
        let contacts = match &mut log {
            Some(log) => log.go(dock, &mut hand, to).map_err(|error| Failure::usage(error.to_string()))?,
            None => hand.go(dock.obstacle(), to).contacts.len(),
        };
        let came = hand.pose() * middle - middle;
        let is_there = came.distance(shift) < 1e-6 && hand.pose().rotation.angle_between(rotation) < 1e-6;
        motions.push(Motion { wanted: shift.to_array(), came: came.to_array(), contacts, is_there });
    }
    Ok((motions, hand.pose()))
}

fn shift(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').map_while(|word| word.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|number| number.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers of angstroms, X,Y,Z".to_owned()),
    }
}

/// Shifts and rotations, line by line.
fn path_of(text: &str, path: &Path) -> Result<Vec<(DVec3, DQuat)>, Failure> {
    let mut all = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = line.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
        let numbers: Vec<f64> =
            words.iter().map_while(|word| word.parse().ok()).filter(|number: &f64| number.is_finite()).collect();
        let is_heading = all.is_empty() && numbers.is_empty();
        let (shift, rotation) = match (numbers.len() == words.len(), &numbers[..]) {
            (true, &[x, y, z]) => (DVec3::new(x, y, z), DQuat::IDENTITY),
            (true, &[x, y, z, a, b, c, d]) if DQuat::from_xyzw(a, b, c, d).length() > 1e-6 => {
                (DVec3::new(x, y, z), DQuat::from_xyzw(a, b, c, d).normalize())
            }
            _ if is_heading => continue,
            _ => {
                return Err(Failure::usage(format!(
                    "{}:{}: expected x,y,z or x,y,z and a quaternion x,y,z,w, found {line:?}",
                    path.display(),
                    number + 1
                )));
            }
        };
        all.push((shift, rotation));
    }
    Ok(all)
}

fn text(document: &Document, top: usize, coloured: bool) -> String {
    let report = &document.report;
    let mut text = String::new();
    let head = format!("{} at {}", report.ligand, report.receptor);
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}", paint(&head, BOLD, coloured));
    let _ = writeln!(
        text,
        "  {} atoms, {} torsions, at {} atoms; overlaps up to {:.2} Å are forgiven{}",
        report.ligand_atoms,
        report.torsions,
        report.receptor_atoms,
        report.tolerance,
        if report.has_charges { "" } else { "; no charges in one of the files, so no Coulomb energy" }
    );
    table(&mut text, "as they are", &report.poses, top, coloured);
    if let Some(minimised) = &document.minimised {
        table(&mut text, "after going downhill", minimised, top, coloured);
    }
    if let Some(path) = &document.path {
        let reached = path.iter().filter(|motion| motion.is_there).count();
        let _ = writeln!(text, "path: {} motions, {reached} came to where they were wanted", path.len());
        for (number, motion) in path.iter().enumerate().take(40) {
            let place = |[x, y, z]: [f64; 3]| format!("{x:8.3} {y:8.3} {z:8.3}");
            let _ = writeln!(
                text,
                "  {:4}  wanted {}  came {}  {} contacts",
                number + 1,
                place(motion.wanted),
                place(motion.came),
                motion.contacts
            );
        }
    }
    if let Some(played) = &document.played {
        let verdict = match played.first_other {
            None => paint("all the same bits", GREEN, coloured),
            Some(line) => paint(&format!("other bits from line {line} on"), RED, coloured),
        };
        let cut = if played.is_cut { "; the log breaks off in its last line" } else { "" };
        let [mean, median, longest] = played.microseconds;
        let _ = writeln!(
            text,
            "played: {} deeds, {verdict}{cut}; {} hits; a motion took {mean:.1} µs in the mean, {median:.1} in the median, {longest:.1} at most",
            played.deeds, played.hits
        );
    }
    if let Some(end) = &document.end {
        table(&mut text, "at the end", std::slice::from_ref(end), top, coloured);
    }
    text
}

fn table(text: &mut String, title: &str, poses: &[PoseReport], top: usize, coloured: bool) {
    let _ = writeln!(
        text,
        "{title}:\n  pose  clashes  contacts  deepest Å  own clashes  Lennard-Jones   Coulomb     total  kcal/mol"
    );
    for pose in poses {
        let clashes = format!("{:7}", pose.clashes);
        let clashes = paint(&clashes, if pose.clashes == 0 { GREEN } else { RED }, coloured);
        let _ = writeln!(
            text,
            "  {:4}  {clashes}  {:8}  {:>9}  {:11}  {:13.2}  {:8.2}  {:8.2}",
            pose.pose,
            pose.contacts,
            pose.worst.map_or("-".to_owned(), |worst| format!("{worst:.2}")),
            pose.own_clashes,
            pose.energy.lennard_jones,
            pose.energy.coulomb,
            pose.energy.total()
        );
        if poses.len() == 1 {
            for contact in pose.list.iter().take(top) {
                let _ = writeln!(text, "        {:6.2} Å  {} – {}", contact.gap, contact.ligand, contact.receptor);
            }
        }
    }
}
