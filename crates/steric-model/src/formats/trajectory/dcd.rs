//! DCD files (CHARMM, X-PLOR, NAMD, OpenMM): Fortran records of 32-bit floats, in angstroms.
//!
//! How it works: a record is its length, its bytes and its length again. Three records are the header (the word `CORD`
//! and twenty numbers, titles, the number of atoms); a frame is a record for the box (edges and angles) and one for all
//! x, all y and all z. The first length of a file, 84, tells its byte order. Frames have no times: the header has the
//! first step, the steps between two frames and the time of a step, in AKMA units. After each frame the writer goes
//! back to bring the header's counts up to date, so a file whose writer was stopped is sound up to its last whole
//! frame. The reader goes by the frames that are there, not by the header's count.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};

use super::input::Input;
use super::{BoxVectors, Frame, check_frame, refuse};
use crate::{PeriodicBox, ReadError};

/// CHARMM's unit of time, in picoseconds: sqrt(dalton / (kcal/mol)) angstroms.
const PS_PER_AKMA: f64 = 0.048_888_21;
const HEADER_BYTES: usize = 84;
const BOX_BYTES: usize = 48;
const TITLE: &str = "Written by steric; lengths in angstroms";
const TITLE_BYTES: usize = 80;
/// Where the header's numbers begin: behind the record's length and the word `CORD`.
const NUMBERS_AT: u64 = 8;
/// The length of a record is a positive number of 32 bits.
const MOST_ATOMS: usize = i32::MAX as usize / 4;
/// A box without edges.
const NO_BOX: [f64; 6] = [0.0, 90.0, 0.0, 90.0, 90.0, 0.0];
/// Positions in the header's numbers.
const FRAMES: usize = 0;
const FIRST_STEP: usize = 1;
const STEPS_BETWEEN: usize = 2;
const STEPS: usize = 3;
const FIXED_ATOMS: usize = 8;
const STEP_TIME: usize = 9;
const HAS_BOX: usize = 10;
const HAS_FOURTH: usize = 11;
const VERSION: usize = 19;
/// What a version of CHARMM that writes boxes calls itself.
const CHARMM: i32 = 24;

/// Writes a DCD file frame by frame, to anything that takes bytes and lets the writer go back to the header.
///
/// Positions are kept bit by bit. The file has no time for each frame: it holds the first step, and what lies between
/// the first two frames, so frames should be evenly spaced and the time be 0 at step 0.
///
/// ```
/// use glam::Vec3;
/// use steric_model::formats::trajectory::dcd::{DcdReader, DcdWriter};
///
/// let mut writer = DcdWriter::new(std::io::Cursor::new(Vec::new()), 1)?;
/// for frame in 0..3u64 {
///     writer.frame(500 * frame, frame as f64, None, &[Vec3::X * frame as f32])?;
/// }
/// let file = writer.finish()?.into_inner();
/// let frames: Vec<_> = DcdReader::new(&file[..], "one.dcd".as_ref())?.collect::<Result<_, _>>()?;
/// assert_eq!((frames[2].step, frames[2].positions[0]), (1000, Vec3::X * 2.0));
/// assert!((frames[2].time_ps - 2.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DcdWriter<W: Write + Seek> {
    out: W,
    atoms: usize,
    /// Where the header begins; a stream may hold something before.
    start: u64,
    /// Where the next frame begins.
    end: u64,
    numbers: [i32; 20],
    first: Option<(u64, f64)>,
    buffer: Vec<u8>,
}

impl<W: Write + Seek> DcdWriter<W> {
    /// A file of frames with so many atoms each; refuses no atoms, and more than 536,870,911.
    pub fn new(mut out: W, atoms: usize) -> io::Result<Self> {
        check_atoms(atoms)?;
        let mut numbers = [0; 20];
        numbers[STEPS_BETWEEN] = 1;
        numbers[HAS_BOX] = 1;
        numbers[VERSION] = CHARMM;
        let start = out.stream_position()?;
        let header = header(&numbers, atoms);
        out.write_all(&header)?;
        Ok(Self { out, atoms, start, end: start + header.len() as u64, numbers, first: None, buffer: Vec::new() })
    }

    /// Appends a frame: time in picoseconds, box and positions in angstroms. Refuses another number of atoms, places
    /// that are none, and a box whose first vector does not lie along x or whose second leaves the xy plane, because
    /// the file has only the lengths of the vectors and the angles between them.
    pub fn frame(&mut self, step: u64, time_ps: f64, cell: Option<BoxVectors>, positions: &[Vec3]) -> io::Result<()> {
        check_frame(time_ps, cell, positions, self.atoms)?;
        self.buffer.clear();
        let cell = cell.map_or(Ok(NO_BOX), edges_and_angles)?;
        put_record(&mut self.buffer, BOX_BYTES, cell.iter().flat_map(|number| number.to_le_bytes()));
        for axis in 0..3 {
            let along = positions.iter().flat_map(|position| position[axis].to_le_bytes());
            put_record(&mut self.buffer, 4 * self.atoms, along);
        }
        self.out.seek(SeekFrom::Start(self.end))?;
        self.out.write_all(&self.buffer)?;
        self.end += self.buffer.len() as u64;
        self.count(step, time_ps);
        self.write_numbers()
    }

    /// Hands back what was written to, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.seek(SeekFrom::Start(self.end))?;
        self.out.flush()?;
        Ok(self.out)
    }

    // The second frame tells how far frames lie apart.
    fn count(&mut self, step: u64, time_ps: f64) {
        let numbers = &mut self.numbers;
        numbers[FRAMES] = numbers[FRAMES].saturating_add(1);
        let (first_step, first_time_ps) = *self.first.get_or_insert((step, time_ps));
        numbers[FIRST_STEP] = first_step as u32 as i32;
        numbers[STEPS] = i32::try_from(step).unwrap_or(i32::MAX);
        let between = step.saturating_sub(first_step).clamp(1, i32::MAX as u64);
        let step_time = match numbers[FRAMES] {
            1 if step > 0 => time_ps / step as f64,
            2 => (time_ps - first_time_ps) / between as f64,
            _ => return,
        };
        if numbers[FRAMES] == 2 {
            numbers[STEPS_BETWEEN] = between as i32;
        }
        numbers[STEP_TIME] = ((step_time / PS_PER_AKMA) as f32).to_bits() as i32;
    }

    fn write_numbers(&mut self) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(self.start + NUMBERS_AT))?;
        let numbers: Vec<u8> = self.numbers[..HAS_BOX].iter().flat_map(|number| number.to_le_bytes()).collect();
        self.out.write_all(&numbers)?;
        self.out.flush()
    }
}

pub(super) fn check_atoms(atoms: usize) -> io::Result<()> {
    if (1..=MOST_ATOMS).contains(&atoms) {
        return Ok(());
    }
    Err(refuse(format!("a DCD file has 1 to {MOST_ATOMS} atoms, not {atoms}")))
}

fn header(numbers: &[i32; 20], atoms: usize) -> Vec<u8> {
    let mut header = Vec::new();
    let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
    put_record(&mut header, HEADER_BYTES, b"CORD".iter().copied().chain(numbers));
    let title = format!("{TITLE:<TITLE_BYTES$}").into_bytes();
    put_record(&mut header, 4 + title.len(), 1i32.to_le_bytes().into_iter().chain(title));
    put_record(&mut header, 4, (atoms as i32).to_le_bytes().into_iter());
    header
}

fn put_record(out: &mut Vec<u8>, size: usize, bytes: impl Iterator<Item = u8>) {
    let marker = (size as i32).to_le_bytes();
    out.extend_from_slice(&marker);
    out.extend(bytes);
    out.extend_from_slice(&marker);
}

// As the record has them: a, gamma, b, beta, alpha, c.
fn edges_and_angles(vectors: BoxVectors) -> io::Result<[f64; 6]> {
    let [a, b, c] = vectors.map(DVec3::from_array);
    let longest = a.length().max(b.length()).max(c.length());
    let cell = PeriodicBox::new(glam::DMat3::from_cols(a, b, c));
    let cell = cell.ok_or_else(|| refuse(format!("the box {vectors:?} has no volume")))?;
    if [a.y, a.z, b.z].iter().any(|entry| entry.abs() > 1e-6 * longest) || a.x < 0.0 || b.y < 0.0 || c.z < 0.0 {
        return Err(refuse(format!(
            "the box of a DCD file has its first vector along x and its second in the xy plane, not {vectors:?}"
        )));
    }
    let (edges, angles) = (cell.edges(), cell.angles_degrees());
    Ok([edges.x, angles.z, edges.y, angles.y, angles.x, edges.z])
}

/// Opens a DCD file of either byte order; its frames come one by one.
///
/// ```
/// use steric_model::formats::trajectory::dcd::read_dcd;
///
/// let missing = read_dcd("no-such-folder/walk.dcd".as_ref());
/// assert!(missing.expect_err("there is no such file").to_string().starts_with("no-such-folder/walk.dcd: "));
/// ```
pub fn read_dcd(path: &Path) -> Result<DcdReader<BufReader<File>>, ReadError> {
    DcdReader::new(super::open(path)?, path)
}

/// The frames of a DCD file, in order; ends after the first error.
///
/// ```
/// use steric_model::formats::trajectory::dcd::DcdReader;
///
/// let error = DcdReader::new(&b"no trajectory"[..], "walk.dcd".as_ref()).map(drop).expect_err("no header");
/// assert!(error.to_string().starts_with("walk.dcd: byte 0: expected the header: 84 in either byte order, found"));
/// ```
#[derive(Debug)]
pub struct DcdReader<R> {
    input: Input<R>,
    atoms: usize,
    has_box: bool,
    has_fourth: bool,
    first_step: u64,
    steps_between: u64,
    step_time_ps: f64,
    frames: usize,
    has_failed: bool,
}

impl<R: Read> DcdReader<R> {
    /// Frames from anything that gives bytes; reads the header. `path` serves messages.
    pub fn new(input: R, path: &Path) -> Result<Self, ReadError> {
        let mut input = Input::new(input, PathBuf::from(path));
        input.part = "the header: ".to_owned();
        let header = read_header(&mut input)?;
        let numbers: Vec<i32> = words(&header[4..]).map(|word| input.as_int(word)).collect();
        if numbers[FIXED_ATOMS] != 0 {
            let found = format!("{} fixed atoms", numbers[FIXED_ATOMS]);
            return Err(input.error_at(4, "a trajectory without fixed atoms, where every frame has every atom", found));
        }
        let is_charmm = numbers[VERSION] != 0;
        // X-PLOR has the time of a step in eight bytes.
        let wide = header[4 + 4 * STEP_TIME..].first_chunk().map_or(0.0, |&word| input.as_double(word));
        let step_time = if is_charmm { f64::from(f32::from_bits(numbers[STEP_TIME] as u32)) } else { wide };
        skip_titles(&mut input)?;
        Ok(Self {
            atoms: read_atoms(&mut input)?,
            has_box: is_charmm && numbers[HAS_BOX] != 0,
            has_fourth: is_charmm && numbers[HAS_FOURTH] != 0,
            first_step: u64::from(numbers[FIRST_STEP] as u32),
            steps_between: u64::try_from(numbers[STEPS_BETWEEN]).unwrap_or(0).max(1),
            step_time_ps: step_time * PS_PER_AKMA,
            input,
            frames: 0,
            has_failed: false,
        })
    }

    /// How many atoms each frame has.
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    fn read_frame(&mut self) -> Result<Option<Frame>, ReadError> {
        let input = &mut self.input;
        let expected = if self.has_box { BOX_BYTES } else { 4 * self.atoms };
        let Some(mut marker) = input.int_or_end("the length of a record")? else {
            return Ok(None);
        };
        let mut box_vectors = None;
        if self.has_box {
            let cell = record_behind(input, marker, expected, "the box")?;
            box_vectors = vectors_of(words(&cell).map(|word| input.as_double(word)).collect());
            marker = input.int("the length of a record")?;
        }
        let mut positions = Vec::new();
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            if axis > 0 {
                marker = input.int("the length of a record")?;
            }
            let along = record_behind(input, marker, 4 * self.atoms, &format!("the {name} coordinates"))?;
            // The first axis has been read whole, so there are as many atoms as the header says.
            positions.resize(self.atoms, Vec3::ZERO);
            for (position, word) in positions.iter_mut().zip(words(&along)) {
                position[axis] = f32::from_bits(input.as_int(word) as u32);
            }
        }
        input.check_places(&positions)?;
        if self.has_fourth {
            let marker = input.int("the length of a record")?;
            record_behind(input, marker, 4 * self.atoms, "the fourth coordinates")?;
        }
        let step = self.first_step.saturating_add((self.frames as u64 - 1).saturating_mul(self.steps_between));
        Ok(Some(Frame { step, time_ps: step as f64 * self.step_time_ps, box_vectors, positions }))
    }
}

impl<R: Read> Iterator for DcdReader<R> {
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

fn words<const SIZE: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; SIZE]> {
    bytes.as_chunks().0.iter().copied()
}

// The first length tells the byte order.
fn read_header(input: &mut Input<impl Read>) -> Result<Vec<u8>, ReadError> {
    let marker = input.int("84 in either byte order")?;
    input.is_big_endian = marker.swap_bytes() == HEADER_BYTES as i32;
    if marker != HEADER_BYTES as i32 && !input.is_big_endian {
        return Err(input.error(4, "84 in either byte order", marker));
    }
    let header = input.bytes(HEADER_BYTES, "the word CORD and 20 numbers")?;
    if !header.starts_with(b"CORD") {
        let found = String::from_utf8_lossy(&header[..4]).into_owned();
        // Some Fortran programs have lengths of eight bytes: 84, 0, CORD.
        let expected = "the word CORD behind a length of four bytes";
        return Err(input.error(HEADER_BYTES, expected, found));
    }
    closing(input, HEADER_BYTES)?;
    Ok(header)
}

fn skip_titles(input: &mut Input<impl Read>) -> Result<(), ReadError> {
    let size = input.count("the length of the titles")?;
    input.bytes(size, "the titles")?;
    closing(input, size)
}

fn read_atoms(input: &mut Input<impl Read>) -> Result<usize, ReadError> {
    let marker = input.int("the length of a record")?;
    if marker != 4 {
        return Err(input.error(4, "the length of the number of atoms, 4", marker));
    }
    let atoms = input.count("the number of atoms")?;
    if atoms == 0 || atoms > MOST_ATOMS {
        return Err(input.error(4, format!("a number of atoms from 1 to {MOST_ATOMS}"), atoms));
    }
    closing(input, 4)?;
    Ok(atoms)
}

// What follows the length of a record, and the length again.
fn record_behind(input: &mut Input<impl Read>, marker: i32, size: usize, what: &str) -> Result<Vec<u8>, ReadError> {
    if usize::try_from(marker) != Ok(size) {
        return Err(input.error(4, format!("the length of {what}, {size}"), marker));
    }
    let bytes = input.bytes(size, what)?;
    closing(input, size)?;
    Ok(bytes)
}

fn closing(input: &mut Input<impl Read>, size: usize) -> Result<(), ReadError> {
    let marker = input.int("the length of a record again")?;
    if usize::try_from(marker) == Ok(size) {
        return Ok(());
    }
    Err(input.error(4, format!("the length of a record again, {size}"), marker))
}

// Angles are degrees (CHARMM, OpenMM, MDAnalysis) or cosines (NAMD, VMD); a box without edges is none.
fn vectors_of(numbers: Vec<f64>) -> Option<BoxVectors> {
    let &[a, gamma, b, beta, alpha, c] = &numbers[..] else {
        return None;
    };
    let angles = DVec3::new(alpha, beta, gamma);
    let are_cosines = angles.abs().max_element() <= 1.0;
    let degrees = if are_cosines { angles.map(|cosine| cosine.acos().to_degrees()) } else { angles };
    let vectors = PeriodicBox::from_edges_and_angles(DVec3::new(a, b, c), degrees)?.vectors();
    Some(vectors.to_cols_array_2d())
}
