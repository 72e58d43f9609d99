//! Puppets as glTF 2.0 binary files with a skin and animations, for Blender.
//!
//! How it works: every atom is a small sphere of one mesh that is skinned. Where atoms move by themselves, the joints are those of the
//! rig, and its clips are written key by key with their own curves (`rigged`). Where residues or chains are rigid, each is a joint of its own, and
//! its poses are sampled (`baked`). Both make a figure, of which one writer makes JSON and numbers (`document`, `file`).

mod baked;
mod ball;
mod document;
mod figure;
mod file;
mod rigged;
mod spheres;

use std::io;
use std::path::{Path, PathBuf};

use steric_model::Turning;

use super::blend::Blend;
use super::level::Level;
use super::puppet::{Moment, Puppet};
pub use ball::{Ball, BallDetail};
use spheres::Balls;

/// What is written of a puppet, and how.
///
/// ```
/// use steric_world::animate::{GlbExport, Level};
///
/// let export = GlbExport { level: Level::Residue, collide: true, ..GlbExport::default() };
/// assert_eq!((export.frames, export.super_atoms), (60, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlbExport<'a> {
    /// What moves as one piece. Of atoms all clips are written, of residues and chains the one that is asked for.
    pub level: Level,
    /// How joints share residues and chains. Atoms are always blended linearly, as glTF knows nothing else.
    pub blend: Blend,
    /// How rotations go from key to key in what is sampled.
    pub turning: Turning,
    /// The clip of residues or chains; beyond the last nothing moves.
    pub clip: usize,
    /// Whether baked corrections are applied to residues or chains, where there are any. Of atoms none can be.
    pub collide: bool,
    /// At how many times the poses of residues or chains are sampled, evenly from the first to the last; the times of keys and corrections are added.
    pub frames: usize,
    /// The distance level, as [`Puppet::spheres`] counts them, whose super-atoms stand in for atoms.
    pub super_atoms: Option<usize>,
    /// The colour of each atom in sRGB, in file order; by chain where there are none. Super-atoms have the mean of their atoms.
    pub colours: Option<&'a [[u8; 3]]>,
}

impl Default for GlbExport<'_> {
    fn default() -> Self {
        Self {
            level: Level::default(),
            blend: Blend::default(),
            turning: Turning::default(),
            clip: 0,
            collide: false,
            frames: 60,
            super_atoms: None,
            colours: None,
        }
    }
}

impl GlbExport<'_> {
    /// Whether a puppet can be written so; corrections that are still to come count as if they were there.
    pub fn check(&self, puppet: &Puppet, path: &Path) -> Result<(), ExportError> {
        check(puppet, self, path)
    }

    fn moment(&self, time: f64) -> Moment {
        let Self { level, blend, turning, clip, collide, .. } = *self;
        Moment { clip, time, level, blend, turning, collide }
    }
}

/// Why a puppet could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Atoms that each go their own way, which no skin can do.
    #[error("{}: expected atoms that a skeleton alone moves, found {found}; take level residue, which is sampled", file.display())]
    AtomsApart {
        /// The file as the caller named it.
        file: PathBuf,
        /// What moves them.
        found: &'static str,
    },
    /// More joints than a mesh can name.
    #[error("{}: expected at most 65,535 joints, found {found} of level {}; take level chain", file.display(), level.name())]
    ManyJoints {
        /// The file as the caller named it.
        file: PathBuf,
        /// The level that was asked for.
        level: Level,
        /// How many groups it has.
        found: usize,
    },
    /// A distance level that is not there.
    #[error("{}: expected one of {levels} distance levels, counted from 0, found {found}", file.display())]
    DistanceLevel {
        /// The file as the caller named it.
        file: PathBuf,
        /// How many there are.
        levels: usize,
        /// Which was asked for.
        found: usize,
    },
    /// The colours are those of another structure.
    #[error("{}: expected colours of {expected} atoms, found {found}", file.display())]
    Colours {
        /// The file as the caller named it.
        file: PathBuf,
        /// Atoms of the structure.
        expected: usize,
        /// How many colours there are.
        found: usize,
    },
    /// A number that does not fit into 32 bits.
    #[error("{}: expected finite numbers of 32 bits, found others in {what}", file.display())]
    NotFinite {
        /// The file as the caller named it.
        file: PathBuf,
        /// Where they are.
        what: String,
    },
    /// The file would be too large to be opened.
    #[error(
        "{}: expected at most {:.1} GB, found {:.1} GB; take super-atoms, a coarser level or fewer frames",
        file.display(), *most as f64 / 1e9, *bytes as f64 / 1e9
    )]
    TooLarge {
        /// The file as the caller named it.
        file: PathBuf,
        /// How many bytes it would have, about.
        bytes: u64,
        /// How many it may have.
        most: u64,
    },
    /// The operating system refused.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file as the caller named it.
        file: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// Writes a puppet as a glTF 2.0 binary file (`.glb`) that Blender and most viewers play. The file appears whole or not at all.
///
/// A unit of the file is ten angstroms, and z stays up in Blender. Atoms are spheres of 80 triangles, of 20 where there are more than 2,000.
/// Of atoms the file has the rig as it is, with all clips; clips that begin before 0 s are shifted to begin there. Residues and chains
/// are joints of their own with sampled keys; those that never move have none.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use steric_model::formats::rig::read_rig;
/// use steric_model::formats::xyz::read_xyz;
/// use steric_model::{Clip, Curve, Joint, JointPose, Keys, Rig, Skeleton, Track};
/// use steric_world::animate::{GlbExport, Puppet, PuppetOptions, write_puppet_glb};
///
/// let rod: String = (0..20).map(|i| format!("C {} 0 0\n", 1.5 * f64::from(i))).collect();
/// let rod = read_xyz(format!("20\nrod\n{rod}").as_bytes(), "rod.xyz".as_ref())?.value;
/// let skeleton = Skeleton::new(vec![
///     Joint::new("upper", None, JointPose::IDENTITY),
///     Joint::new("lower", Some(0), JointPose::at(DVec3::X * 14.25)),
/// ]);
/// let keys = Keys::Rotation(vec![DQuat::IDENTITY, DQuat::from_rotation_z(1.5)]);
/// let bend = Clip::new("bend", vec![Track { joint: 1, times: vec![0.0, 1.0], curve: Curve::Linear, keys }]);
/// let puppet = Puppet::new(rod, Rig { skeleton, clips: vec![bend], ..Rig::default() }, &PuppetOptions::default())?;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rod.glb");
/// write_puppet_glb(&puppet, &GlbExport::default(), &path)?;
/// let read = read_rig(&path)?.value;
/// assert_eq!((read.skeleton.joints[2].name.as_str(), read.clips[0].name.as_str()), ("lower", "bend"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_puppet_glb(puppet: &Puppet, options: &GlbExport<'_>, path: &Path) -> Result<(), ExportError> {
    check(puppet, options, path)?;
    let balls = Balls::new(puppet, options);
    let figure = match puppet.groups(options.level) {
        None => rigged::figure(puppet, balls, path)?,
        Some(groups) => baked::figure(puppet, groups, options, balls, path)?,
    };
    file::write(&figure, path)
}

fn check(puppet: &Puppet, options: &GlbExport<'_>, path: &Path) -> Result<(), ExportError> {
    let file = path.to_path_buf();
    let GlbExport { level, .. } = *options;
    if level == Level::Atom && puppet.key_frames().is_some() {
        return Err(ExportError::AtomsApart { file, found: "frames that they follow" });
    }
    if level == Level::Atom && options.collide {
        return Err(ExportError::AtomsApart { file, found: "corrections of each" });
    }
    let groups = puppet.groups(level).map_or(0, |groups| groups.len());
    if groups > usize::from(u16::MAX) {
        return Err(ExportError::ManyJoints { file, level, found: groups });
    }
    let levels = puppet.super_atoms(level).len();
    if let Some(found) = options.super_atoms.filter(|&found| found >= levels) {
        return Err(ExportError::DistanceLevel { file, levels, found });
    }
    let expected = puppet.structure().atoms.len();
    match options.colours.map(<[_]>::len).filter(|&found| found != expected) {
        Some(found) => Err(ExportError::Colours { file, expected, found }),
        None => Ok(()),
    }
}
