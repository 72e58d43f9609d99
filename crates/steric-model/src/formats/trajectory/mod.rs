//! Trajectories: the positions of the same atoms at one time after another, and the files of the field for them.
//!
//! How it works: a writer takes one frame at a time and writes it at once, so that memory holds one frame and a program
//! that is stopped leaves a file that can be read up to its last whole frame. A reader is an iterator over frames.
//! [`TrajectoryWriter`] and [`read_trajectory`] go by the file's ending; [`xtc`] and [`dcd`] take any stream.
//! [`simularium`] is for particles that come and go, and is written only.

mod bits;
pub mod dcd;
mod input;
mod pack;
pub mod simularium;
pub mod xtc;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use glam::Vec3;

use crate::ReadError;
use dcd::{DcdReader, DcdWriter, read_dcd};
use xtc::{XtcReader, XtcWriter, read_xtc};

/// The three lattice vectors of a periodic box, in angstroms: `box_vectors[0]` is the first vector.
///
/// ```
/// use steric_model::{PeriodicBox, formats::trajectory::BoxVectors};
///
/// let cell = PeriodicBox::orthogonal(glam::DVec3::new(30.0, 40.0, 50.0)).expect("a box with a volume");
/// let box_vectors: BoxVectors = cell.vectors().to_cols_array_2d();
/// assert_eq!(box_vectors[1], [0.0, 40.0, 0.0]);
/// ```
pub type BoxVectors = [[f64; 3]; 3];

/// The atoms at one time.
///
/// ```
/// use steric_model::formats::trajectory::Frame;
///
/// let frame = Frame { step: 500, time_ps: 1.0, ..Frame::default() };
/// assert!(frame.box_vectors.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The number of the simulation's step.
    pub step: u64,
    /// In picoseconds.
    pub time_ps: f64,
    /// In angstroms; `None` where space does not repeat.
    pub box_vectors: Option<BoxVectors>,
    /// In angstroms, in the order of the structure's atoms.
    pub positions: Vec<Vec3>,
}

/// Writes a trajectory frame by frame, as XTC or DCD by the file's ending.
///
/// ```
/// use glam::Vec3;
/// use steric_model::formats::trajectory::{TrajectoryWriter, read_trajectory};
///
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("walk.xtc");
/// let mut writer = TrajectoryWriter::create(&path, 2)?;
/// for step in 0..3u64 {
///     let positions = [Vec3::ZERO, Vec3::X * step as f32];
///     writer.frame(step, 0.5 * step as f64, None, &positions)?;
/// }
/// writer.finish()?;
/// let last = read_trajectory(&path)?.last().expect("three frames")?;
/// assert_eq!((last.step, last.time_ps, last.positions[1].x), (2, 1.0, 2.0));
/// assert!(TrajectoryWriter::create("walk.mp4".as_ref(), 2).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TrajectoryWriter {
    path: PathBuf,
    kind: WriterKind,
}

#[derive(Debug)]
enum WriterKind {
    Xtc(XtcWriter<File>),
    Dcd(DcdWriter<File>),
}

impl TrajectoryWriter {
    /// Starts a file, in place of one that is there, for frames of so many atoms.
    pub fn create(path: &Path, atoms: usize) -> io::Result<Self> {
        let format = TrajectoryFormat::from_path(path).ok_or_else(|| in_file(path, refuse(unknown_ending())))?;
        // A number of atoms that is refused must not cost the file that is there.
        let checked = match format {
            TrajectoryFormat::Xtc => xtc::check_atoms(atoms),
            TrajectoryFormat::Dcd => dcd::check_atoms(atoms),
        };
        let file = checked.and_then(|()| File::create(path));
        file.and_then(|file| match format {
            TrajectoryFormat::Xtc => XtcWriter::new(file, atoms).map(WriterKind::Xtc),
            TrajectoryFormat::Dcd => DcdWriter::new(file, atoms).map(WriterKind::Dcd),
        })
        .map(|kind| Self { path: path.to_owned(), kind })
        .map_err(|error| in_file(path, error))
    }

    /// Appends a frame: time in picoseconds, box and positions in angstroms. A frame that is refused leaves no trace;
    /// see [`XtcWriter::frame`] and [`DcdWriter::frame`].
    pub fn frame(
        &mut self,
        step: u64,
        time_ps: f64,
        box_vectors: Option<BoxVectors>,
        positions: &[Vec3],
    ) -> io::Result<()> {
        let result = match &mut self.kind {
            WriterKind::Xtc(writer) => writer.frame(step, time_ps, box_vectors, positions),
            WriterKind::Dcd(writer) => writer.frame(step, time_ps, box_vectors, positions),
        };
        result.map_err(|error| in_file(&self.path, error))
    }

    /// Sees the file onto the disk.
    pub fn finish(self) -> io::Result<()> {
        let file = match self.kind {
            WriterKind::Xtc(writer) => writer.finish(),
            WriterKind::Dcd(writer) => writer.finish(),
        };
        file.and_then(|file| file.sync_all()).map_err(|error| in_file(&self.path, error))
    }
}

/// A kind of trajectory file.
///
/// ```
/// use steric_model::formats::trajectory::TrajectoryFormat;
///
/// assert_eq!(TrajectoryFormat::from_path("walk.XTC".as_ref()), Some(TrajectoryFormat::Xtc));
/// assert_eq!(TrajectoryFormat::from_path("walk.gro".as_ref()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrajectoryFormat {
    /// GROMACS: packed, to 0.005 angstroms, with the time of each frame.
    Xtc,
    /// CHARMM, NAMD, OpenMM: exact, three times the size, with times that are evenly spaced.
    Dcd,
}

impl TrajectoryFormat {
    /// The format that a file's ending names, in any case.
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_string_lossy().to_ascii_lowercase().as_str() {
            "xtc" => Some(Self::Xtc),
            "dcd" => Some(Self::Dcd),
            _ => None,
        }
    }
}

/// The frames of a file that [`read_trajectory`] opened, in order; ends after the first error.
///
/// ```
/// use steric_model::formats::trajectory::read_trajectory;
///
/// let error = read_trajectory("walk.gro".as_ref()).map(drop).expect_err("GRO is no trajectory here");
/// assert!(error.to_string().starts_with("walk.gro: expected a trajectory that ends in .xtc or .dcd"));
/// ```
#[derive(Debug)]
pub struct TrajectoryReader(ReaderKind);

#[derive(Debug)]
enum ReaderKind {
    Xtc(XtcReader<BufReader<File>>),
    Dcd(DcdReader<BufReader<File>>),
}

/// Opens a trajectory by its ending; the frames come one by one.
pub fn read_trajectory(path: &Path) -> Result<TrajectoryReader, ReadError> {
    let kind = match TrajectoryFormat::from_path(path) {
        Some(TrajectoryFormat::Xtc) => ReaderKind::Xtc(read_xtc(path)?),
        Some(TrajectoryFormat::Dcd) => ReaderKind::Dcd(read_dcd(path)?),
        None => {
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let expected = "a trajectory that ends in .xtc or .dcd";
            return Err(ReadError::content(path, crate::Place::File, expected, ending));
        }
    };
    Ok(TrajectoryReader(kind))
}

impl Iterator for TrajectoryReader {
    type Item = Result<Frame, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            ReaderKind::Xtc(reader) => reader.next(),
            ReaderKind::Dcd(reader) => reader.next(),
        }
    }
}

fn open(path: &Path) -> Result<BufReader<File>, ReadError> {
    let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

// What no trajectory holds: a frame of another number of atoms, or of something that is no number.
fn check_frame(time_ps: f64, cell: Option<BoxVectors>, positions: &[Vec3], atoms: usize) -> io::Result<()> {
    if positions.len() != atoms {
        return Err(refuse(format!("a frame has {} positions, but the file is for {atoms} atoms", positions.len())));
    }
    if !(time_ps as f32).is_finite() {
        return Err(refuse(format!("the time of a frame is a number, not {time_ps} ps")));
    }
    if let Some(cell) = cell.filter(|cell| !cell.iter().flatten().all(|&entry| (entry as f32).is_finite())) {
        return Err(refuse(format!("the vectors of a box are numbers, not {cell:?}")));
    }
    match first_lost(positions) {
        Some(atom) => Err(refuse(format!("atom {} lies at {}, which is no place", atom + 1, positions[atom]))),
        None => Ok(()),
    }
}

// The first atom whose place is no place.
fn first_lost(positions: &[Vec3]) -> Option<usize> {
    positions.iter().position(|position| !position.is_finite())
}

fn refuse(sentence: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, sentence)
}

fn in_file(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn unknown_ending() -> String {
    "the ending names no trajectory; use one of .xtc, .dcd".to_owned()
}
