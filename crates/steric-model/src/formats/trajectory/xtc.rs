//! XTC files (GROMACS): packed coordinates in nanometres, each frame whole in itself.
//!
//! How it works: all numbers are big-endian words of four bytes (XDR). A frame is the number 1995, the atoms, the step,
//! the time in picoseconds, the box and the coordinates: up to nine atoms as they are, more rounded to 0.001 nm and
//! packed (`pack.rs`). Each frame is written at once and there is no header, so a file whose writer was stopped is
//! sound up to its last whole frame. A frame that begins with 2023 (more atoms than 298 million) counts its packed
//! bytes in eight bytes; it is read but not written.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use glam::Vec3;

use super::input::Input;
use super::pack::{MOST, Packed, pack, unpack};
use super::{BoxVectors, Frame, check_frame, refuse};
use crate::ReadError;

const MAGIC: i32 = 1995;
const MAGIC_OF_MANY: i32 = 2023;
/// More atoms need frames that begin with the other number.
const MOST_ATOMS: usize = 298_261_617;
/// Up to so many atoms are not packed.
const UNPACKED: usize = 9;
/// Steps per nanometre.
const PRECISION: f32 = 1000.0;
const ANGSTROMS_PER_NM: f64 = 10.0;

/// Writes an XTC file frame by frame, to anything that takes bytes.
///
/// Coordinates are kept to 0.005 angstroms. The step has 32 bits and starts over after 4,294,967,295.
///
/// ```
/// use steric_model::formats::trajectory::xtc::{XtcReader, XtcWriter};
/// use glam::Vec3;
///
/// let mut file = Vec::new();
/// let mut writer = XtcWriter::new(&mut file, 1)?;
/// let cube = [[30.0, 0.0, 0.0], [0.0, 30.0, 0.0], [0.0, 0.0, 30.0]];
/// writer.frame(500, 1.0, Some(cube), &[Vec3::new(1.0, 2.0, 3.0)])?;
/// writer.finish()?;
/// let frames: Vec<_> = XtcReader::new(&file[..], "one.xtc".as_ref()).collect::<Result<_, _>>()?;
/// assert_eq!((frames[0].step, frames[0].time_ps), (500, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct XtcWriter<W: Write> {
    out: W,
    atoms: usize,
    buffer: Vec<u8>,
    /// A frame was written in part, so that no reader would find one behind it.
    is_broken: bool,
}

impl<W: Write> XtcWriter<W> {
    /// A file of frames with so many atoms each; refuses no atoms, and more than 298,261,617.
    pub fn new(out: W, atoms: usize) -> io::Result<Self> {
        check_atoms(atoms)?;
        Ok(Self { out, atoms, buffer: Vec::new(), is_broken: false })
    }

    /// Appends a frame: time in picoseconds, box and positions in angstroms. Nothing is written of a frame that is
    /// refused: another number of atoms, or a coordinate that is no number or beyond 20 million angstroms.
    pub fn frame(&mut self, step: u64, time_ps: f64, cell: Option<BoxVectors>, positions: &[Vec3]) -> io::Result<()> {
        check_frame(time_ps, cell, positions, self.atoms)?;
        if self.is_broken {
            return Err(io::Error::other("an earlier frame could not be written whole"));
        }
        self.buffer.clear();
        let out = &mut self.buffer;
        put_int(out, MAGIC);
        put_int(out, self.atoms as i32);
        put_int(out, step as u32 as i32);
        put_float(out, time_ps as f32);
        let cell = cell.unwrap_or_default();
        cell.iter().flatten().for_each(|&entry| put_float(out, (entry / ANGSTROMS_PER_NM) as f32));
        put_int(out, self.atoms as i32);
        if positions.len() <= UNPACKED {
            let along = positions.iter().flat_map(|position| position.to_array());
            along.for_each(|along| put_float(out, (f64::from(along) / ANGSTROMS_PER_NM) as f32));
        } else {
            put_packed(out, positions)?;
        }
        self.out.write_all(&self.buffer).inspect_err(|_| self.is_broken = true)
    }

    /// Hands back what was written to, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

pub(super) fn check_atoms(atoms: usize) -> io::Result<()> {
    if (1..=MOST_ATOMS).contains(&atoms) {
        return Ok(());
    }
    Err(refuse(format!("an XTC file has 1 to {MOST_ATOMS} atoms, not {atoms}")))
}

fn put_packed(out: &mut Vec<u8>, positions: &[Vec3]) -> io::Result<()> {
    let points: Vec<[i32; 3]> = positions
        .iter()
        .enumerate()
        .map(|(atom, &position)| rounded(position).ok_or_else(|| beyond(atom, position)))
        .collect::<io::Result<_>>()?;
    let packed = pack(points).ok_or_else(|| refuse("the atoms lie further apart than an XTC file can hold".into()))?;
    put_float(out, PRECISION);
    [packed.lowest, packed.highest].iter().flatten().for_each(|&corner| put_int(out, corner));
    put_int(out, packed.width);
    let size = i32::try_from(packed.bytes.len()).map_err(|_| refuse("the frame is too large for XTC".into()))?;
    put_int(out, size);
    out.extend_from_slice(&packed.bytes);
    out.resize(out.len().next_multiple_of(4), 0);
    Ok(())
}

fn rounded(position: Vec3) -> Option<[i32; 3]> {
    let steps = position.as_dvec3() / ANGSTROMS_PER_NM * f64::from(PRECISION);
    let is_held = steps.is_finite() && steps.abs().max_element() <= MOST as f64;
    is_held.then(|| steps.round().to_array().map(|along| along as i32))
}

fn beyond(atom: usize, position: Vec3) -> io::Error {
    refuse(format!("atom {} lies at {position}, where an XTC file has no coordinates", atom + 1))
}

fn put_int(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(&value.to_be_bytes());
}

fn put_float(out: &mut Vec<u8>, value: f32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Opens an XTC file; its frames come one by one.
///
/// ```
/// use steric_model::formats::trajectory::xtc::read_xtc;
///
/// let missing = read_xtc("no-such-folder/walk.xtc".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/walk.xtc: "));
/// ```
pub fn read_xtc(path: &Path) -> Result<XtcReader<BufReader<File>>, ReadError> {
    Ok(XtcReader::new(super::open(path)?, path))
}

/// The frames of an XTC file, in order; ends after the first error.
///
/// ```
/// use steric_model::formats::trajectory::xtc::XtcReader;
///
/// let mut frames = XtcReader::new(&b"no trajectory"[..], "walk.xtc".as_ref());
/// let error = frames.next().expect("something").expect_err("no frame").to_string();
/// assert_eq!(error, "walk.xtc: byte 0: expected frame 1: the number 1995 or 2023, found \"1852776564\"");
/// assert!(frames.next().is_none());
/// ```
#[derive(Debug)]
pub struct XtcReader<R> {
    input: Input<R>,
    frames: usize,
    has_failed: bool,
}

impl<R: Read> XtcReader<R> {
    /// Frames from anything that gives bytes; `path` serves messages.
    pub fn new(input: R, path: &Path) -> Self {
        let mut input = Input::new(input, PathBuf::from(path));
        input.is_big_endian = true;
        Self { input, frames: 0, has_failed: false }
    }

    fn read_frame(&mut self) -> Result<Option<Frame>, ReadError> {
        let input = &mut self.input;
        let Some(magic) = input.int_or_end("the number 1995 or 2023")? else {
            return Ok(None);
        };
        if magic != MAGIC && magic != MAGIC_OF_MANY {
            return Err(input.error(4, "the number 1995 or 2023", magic));
        }
        let atoms = input.count("a number of atoms")?;
        let step = input.int("the step")? as u32;
        let time_ps = input.finite("the time in picoseconds")?;
        let mut cell = BoxVectors::default();
        for entry in cell.iter_mut().flatten() {
            *entry = f64::from(input.finite("the box in nanometres")?) * ANGSTROMS_PER_NM;
        }
        let again = input.count("the number of atoms again")?;
        if again != atoms {
            return Err(input.error(4, format!("the number of atoms again, {atoms}"), again));
        }
        let positions = if atoms <= UNPACKED {
            (0..atoms).map(|_| plain_atom(input)).collect::<Result<_, _>>()?
        } else {
            packed_atoms(input, atoms, magic == MAGIC_OF_MANY)?
        };
        input.check_places(&positions)?;
        let cell = cell.iter().flatten().any(|&entry| entry != 0.0).then_some(cell);
        Ok(Some(Frame { step: u64::from(step), time_ps: f64::from(time_ps), box_vectors: cell, positions }))
    }
}

impl<R: Read> Iterator for XtcReader<R> {
    type Item = Result<Frame, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        self.frames += 1;
        self.input.part = format!("frame {}: ", self.frames);
        let frame = self.read_frame().transpose();
        self.has_failed = !matches!(frame, Some(Ok(_)));
        frame
    }
}

fn plain_atom(input: &mut Input<impl Read>) -> Result<Vec3, ReadError> {
    let expected = "a coordinate in nanometres";
    let position_nm = [input.float(expected)?, input.float(expected)?, input.float(expected)?];
    Ok(Vec3::from_array(position_nm.map(|along| (f64::from(along) * ANGSTROMS_PER_NM) as f32)))
}

fn packed_atoms(input: &mut Input<impl Read>, atoms: usize, is_of_many: bool) -> Result<Vec<Vec3>, ReadError> {
    let precision = f64::from(input.finite("the precision per nanometre")?);
    if precision <= 0.0 {
        return Err(input.error(4, "a precision above 0", precision));
    }
    let mut corners = [[0; 3]; 2];
    for corner in corners.iter_mut().flatten() {
        *corner = input.int("the box of the packed coordinates")?;
    }
    let width = input.int("the width of steps")?;
    let size = if is_of_many {
        input.long_count("a number of packed bytes")?
    } else {
        input.count("a number of packed bytes")?
    };
    let start = input.offset;
    let bytes = input.bytes(size, "packed coordinates")?;
    let padding = size.next_multiple_of(4) - size;
    input.bytes(padding, "bytes that fill the last word")?;
    let [lowest, highest] = corners;
    let points = unpack(&Packed { lowest, highest, width, bytes }, atoms);
    let points = points.map_err(|damage| input.error_at(start, damage.expected, damage.found))?;
    let angstroms = |along: i32| (f64::from(along) / precision * ANGSTROMS_PER_NM) as f32;
    Ok(points.into_iter().map(|point| Vec3::from_array(point.map(angstroms))).collect())
}
