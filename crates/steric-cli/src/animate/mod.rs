//! `steric animate`: molecules that move on a skeleton, as files, films, and scenes for Blender.
//!
//! How it works: what would be ignored is refused first ([`open`]); then the puppet is opened, whatever draws or writes is made ready ([`write`]), and only then are overlaps
//! resolved, which takes the longest. The report and the files come last.

mod open;
mod picture;
mod report;
mod write;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
pub(crate) use open::open_named;
pub(crate) use picture::{Drawing, Shown};
use report::{Report, write_report};
use steric::animate::{
    BakeOptions, Blend, BonesBy, Corrections, Fit, Level, Manner, Moment, Puppet, Reach, Untangler, Up, topology_of,
};
use steric::model::Turning;
use steric::model::formats::trajectory::TrajectoryFormat;
use steric_view::Side;
use write::Wanted;

use crate::failure::Failure;
use crate::options::{self, Shared};
use crate::output::{self, Verdict};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    steric animate -o kinase.gif                                     a kinase that comes with steric\n  \
    steric animate model.pdb --skeleton rig.dae -o model.mp4         a skeleton from Blender or Maya\n  \
    steric animate model.pdb --bones helix --level residue -o m.xtc  a skeleton of one bone for each helix\n  \
    steric animate model.pdb --trajectory run.xtc -o film.gif        frames of a simulation as keys\n  \
    steric animate fibrinogen --level residue --collide -o f.steric  bent, held apart, all in one file\n  \
    steric animate f.steric -o f.glb                                 for Blender, as it is in the file")]
pub(crate) struct Arguments {
    /// A structure, a .steric file, a scene file (.toml) or a ready one (adenylate-kinase, fibrinogen, kinesin)
    #[arg(value_name = "STRUCTURE", default_value = "adenylate-kinase")]
    structure: PathBuf,
    /// Skeleton and clips: a Collada or glTF file, a scene file (.toml), or the name of a ready scene
    #[arg(long, value_name = "FILE")]
    skeleton: Option<PathBuf>,
    /// Take only this skin of the skeleton's file, by name or number
    #[arg(long, value_name = "NAME|N")]
    skin: Option<String>,
    /// Make a skeleton: a bone for each helix, domain or chain
    #[arg(long, value_name = "WHAT", conflicts_with = "skeleton")]
    bones: Option<BonesBy>,
    /// Take the frames of a trajectory (.xtc, .dcd) as keys
    #[arg(long, value_name = "FILE", conflicts_with_all = ["skeleton", "bones"])]
    trajectory: Option<PathBuf>,
    /// Frames of the trajectory, or models of the file, a second [default: 10]
    #[arg(long, value_name = "N", value_parser = options::above_zero)]
    keys_per_second: Option<f64>,
    /// Which clip, by name or number from 0
    #[arg(long, value_name = "NAME|N")]
    clip: Option<String>,
    /// What moves as one piece: atom, residue or chain [default: atom]
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// How joints share an atom: linear, spherical or dual-quaternion [default: dual-quaternion]
    #[arg(long, value_name = "BLEND")]
    blend: Option<Blend>,
    /// How rotations go from key to key: slerp or lerp [default: slerp]
    #[arg(long, value_name = "WAY", value_parser = turning)]
    turning: Option<Turning>,
    /// Hold atoms apart that the motion presses into each other; --collide=off plays a .steric file without what it holds for that
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "baked")]
    collide: Option<Collide>,
    /// Overlap that is allowed, in Å [default: 0.4]
    #[arg(long, value_name = "Å", value_parser = options::positive, requires = "collide")]
    limit: Option<f64>,
    /// How many frames, of the film or file and of the line on which overlaps are resolved [default: 240; 25 a second of a .gif]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    frames: Option<u32>,
    /// Overlaps before and after in each frame, as .csv or .svg
    #[arg(long, value_name = "FILE", requires = "collide")]
    report: Option<PathBuf>,
    /// Atoms in a super-atom of each distance level, as in 4,16,64
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = atoms_each)]
    atoms_each: Option<Vec<f32>>,
    /// Show super-atoms of this distance level; 0 is atoms
    #[arg(long, value_name = "N", default_value = "0")]
    distance: usize,
    /// Which bones may share an atom: all or connected [default: all]
    #[arg(long, value_name = "WHICH", value_parser = reach)]
    reach: Option<Reach>,
    /// Å per unit of the skeleton
    #[arg(long, value_name = "Å", value_parser = options::above_zero, help_heading = "Bringing skeleton and structure together")]
    unit: Option<f64>,
    /// Which axis of the skeleton points up: x, y or z
    #[arg(long, value_name = "AXIS", help_heading = "Bringing skeleton and structure together")]
    up: Option<Up>,
    /// Fit the bones to the atoms: auto, yes or no [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Bringing skeleton and structure together")]
    fit: Option<Fit>,
    /// Turn the skeleton about x, y and z, in degrees
    #[arg(long, value_name = "X,Y,Z", value_parser = three, allow_hyphen_values = true)]
    #[arg(help_heading = "Bringing skeleton and structure together")]
    turn: Option<[f64; 3]>,
    /// Move the skeleton, in Å
    #[arg(long, value_name = "X,Y,Z", value_parser = three, allow_hyphen_values = true)]
    #[arg(help_heading = "Bringing skeleton and structure together")]
    shift: Option<[f64; 3]>,
    /// Draw the skeleton
    #[arg(long, help_heading = "Pictures")]
    show_skeleton: bool,
    /// Draw the bones of the chains
    #[arg(long, help_heading = "Pictures")]
    show_chain_bones: bool,
    /// Draw another level in grey over it
    #[arg(long, value_name = "LEVEL", help_heading = "Pictures")]
    overlay: Option<Level>,
    /// Pixels [default: 640x480]
    #[arg(long, value_name = "WxH", value_parser = size, help_heading = "Pictures")]
    size: Option<[u32; 2]>,
    /// Frames a second of a film [default: as fast as the clip is]
    #[arg(long, value_name = "N", value_parser = options::above_zero, help_heading = "Pictures")]
    rate: Option<f64>,
    /// Where to look from [default: front]
    #[arg(long, value_name = "SIDE", help_heading = "Pictures")]
    view: Option<Side>,
    /// A picture (.png) at this time in seconds, in place of a film
    #[arg(long, value_name = "S", value_parser = options::positive, help_heading = "Pictures")]
    at: Option<f64>,
}

/// Whether overlaps are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Collide {
    /// Not even where the file has resolved them
    Off,
    /// Over the whole clip
    Baked,
}

impl Arguments {
    fn shown(&self, level: Level) -> Shown {
        Shown {
            level,
            distance: self.distance,
            overlay: self.overlay,
            has_skeleton: self.show_skeleton,
            has_chain_bones: self.show_chain_bones,
            ..Shown::default()
        }
    }
}

fn turning(text: &str) -> Result<Turning, String> {
    match text {
        "slerp" => Ok(Turning::Slerp),
        "lerp" => Ok(Turning::Lerp),
        _ => Err("expected slerp or lerp".to_owned()),
    }
}

fn reach(text: &str) -> Result<Reach, String> {
    match text {
        "all" => Ok(Reach::All),
        "connected" => Ok(Reach::Connected),
        _ => Err("expected all or connected".to_owned()),
    }
}

fn atoms_each(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| number.is_finite() && *number >= 1.0);
    number.ok_or_else(|| "expected numbers of atoms, 1 or more".to_owned())
}

fn three(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.iter().all(|number| number.is_finite()));
    numbers
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| "expected three numbers such as 0,90,0".to_owned())
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parts = text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    parts
        .filter(|[width, height]| (1..=16_384).contains(width) && (1..=16_384).contains(height))
        .ok_or_else(|| "expected a size such as 640x480".to_owned())
}

/// Set by Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

fn goes_on() -> bool {
    !INTERRUPTED.load(Ordering::Relaxed)
}

fn interrupted() -> Failure {
    Failure::usage("interrupted: nothing was written")
}

/// The frames of the line on which overlaps are resolved, and of files.
const FRAMES: u32 = 240;

pub(crate) fn run(arguments: &Arguments, shared: &Shared) -> Result<Verdict, Failure> {
    let wanted = shared.output.as_deref().map(Wanted::of).transpose()?;
    open::refuse_what_would_be_ignored(arguments, wanted)?;
    let output = shared.output.as_deref();
    let topology = output.filter(|path| TrajectoryFormat::from_path(path).is_some()).map(topology_of);
    let outputs = || [output, arguments.report.as_deref(), topology.as_deref()];
    let named = [Some(&arguments.structure), arguments.skeleton.as_ref(), arguments.trajectory.as_ref()];
    output::check_outputs(&named.into_iter().flatten().cloned().collect::<Vec<PathBuf>>(), outputs())?;
    let _listening = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let began = Instant::now();
    let mut opened = open::opened(arguments, shared)?;
    output::check_outputs(&opened.files, outputs())?;
    opened.notes.iter().for_each(|sentence| output::note(shared, sentence));
    let moment = moment(&opened.puppet, arguments)?;
    opened.puppet.set_manner(moment.manner());
    let made = began.elapsed().as_secs_f64();
    let writer = write::Writer::new(wanted, &opened.puppet, &moment, arguments, shared)?;
    let corrections = match arguments.collide {
        Some(Collide::Baked) => Some(baked(&mut opened.puppet, &moment, arguments, shared)?),
        _ => None,
    };
    let report = Report::new(&opened.name, &opened.puppet, &moment, made, corrections.as_ref());
    if shared.json {
        output::print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
    } else {
        output::print(&report.text())?;
    }
    if let (Some(path), Some(corrections)) = (&arguments.report, &corrections) {
        write_report(path, &opened.name, corrections)?;
        output::note(shared, &format!("wrote {}", path.display()));
    }
    if let Some(path) = output {
        writer.write(path, &opened.puppet, &moment, arguments, shared)?;
    }
    Ok(if corrections.is_none_or(|own| own.is_clean()) { Verdict::Clean } else { Verdict::Overlaps })
}

pub(crate) fn said(error: impl std::fmt::Display) -> Failure {
    Failure::usage(error.to_string())
}

/// Which clip, when and how: by the command, or else as the file or the scene has it.
fn moment(puppet: &Puppet, arguments: &Arguments) -> Result<Moment, Failure> {
    let usual = puppet.manner();
    let manner = Manner {
        level: arguments.level.unwrap_or(usual.level),
        blend: arguments.blend.unwrap_or(usual.blend),
        turning: arguments.turning.unwrap_or(usual.turning),
    };
    let clip = arguments.clip.as_deref().map_or(Ok(0), |wanted| clip(puppet, wanted))?;
    let duration = puppet.duration(clip);
    if let Some(at) = arguments.at.filter(|at| *at > duration) {
        return Err(Failure::usage(format!("--at: expected 0 to {duration:.2} s, found {at}")));
    }
    let levels = puppet.super_atoms(manner.level).len();
    if arguments.distance > levels {
        return Err(Failure::usage(format!("--distance: expected 0 to {levels}, found {}", arguments.distance)));
    }
    let collide = arguments.collide != Some(Collide::Off);
    Ok(Moment { time: arguments.at.unwrap_or(0.0), collide, ..Moment::of(clip, manner) })
}

/// A clip by its name or number.
fn clip(puppet: &Puppet, wanted: &str) -> Result<usize, Failure> {
    let clips = &puppet.rig().clips;
    let number = wanted.parse().ok().filter(|number| *number < clips.len());
    let named = clips.iter().position(|clip| clip.name == wanted);
    named.or(number).ok_or_else(|| {
        let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
        let expected =
            if names.is_empty() { "a skeleton with clips".to_owned() } else { format!("one of {}", names.join(", ")) };
        Failure::usage(format!("--clip: expected {expected}, found {wanted:?}"))
    })
}

/// Corrections that are in the file already, or new ones.
fn baked(puppet: &mut Puppet, moment: &Moment, arguments: &Arguments, shared: &Shared) -> Result<Corrections, Failure> {
    let usual = BakeOptions::default();
    let limit = arguments.limit.map_or(usual.limit, |limit| limit as f32);
    let frames = arguments.frames.unwrap_or(FRAMES) as usize;
    if let Some(own) = puppet.corrections_at(moment).filter(|own| own.limit == limit && own.times.len() >= frames) {
        output::note(shared, &format!("the file holds corrections for this clip at {} times already", own.times.len()));
        return Ok(own.clone());
    }
    let bar = output::bar(shared, frames.max(2) as u64, "frames");
    let mut progress = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        goes_on()
    };
    let options = BakeOptions { limit, frames, ..usual };
    let corrections = Untangler::new(puppet).bake(puppet, moment, &options, &mut progress);
    bar.finish_and_clear();
    let corrections = corrections.ok_or_else(interrupted)?;
    puppet.correct(corrections.clone());
    Ok(corrections)
}
