//! A relaxation on disk, to go on from after a stop or a crash.
//!
//! How it works: the file holds all that the next iteration depends on, bit by bit: poses, momenta, how long each molecule has
//! overlapped and how warm it is. The list of near pairs is not kept, because every list that covers the scene gives the same
//! contacts. A file is written beside its name and renamed, so that a crash leaves the last one whole. A run by many ranks writes parts and a
//! manifest in place of one file; the first bytes tell which it is.

mod parts;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use glam::{DQuat, DVec3, Vec3};
pub use parts::{InParts, SavedPart};
use steric_model::{Molecule, Pose};

use super::world::{Iteration, Relax, State};
use crate::respond::Motion;

const MAGIC: &[u8; 8] = b"STERICR1";
/// Bytes of one molecule: 7 numbers of its pose, 6 of its momentum, 3 of its normal, and its state.
const BYTES_PER_MOLECULE: u64 = 13 * 8 + 3 * 4 + 5;
const BYTES_PER_ITERATION: u64 = 8 + 4 * 4 + 6 * 8 + 1;

/// Why a checkpoint could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file could not be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What went wrong.
        source: io::Error,
    },
    /// The file is no checkpoint, or not one of this run.
    #[error("{file}: expected {expected}, found {found}")]
    Mismatch {
        /// The file.
        file: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
}

impl Relax {
    /// Writes a checkpoint; the file appears whole or not at all. Whoever looks after a part of a scene is refused.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        if !self.is_whole() {
            return Err(io::Error::other("expected a relaxation of a whole scene, found a part of one"));
        }
        write_whole(path, |out| self.write(out))?;
        parts::remove_all_but(path, None);
        Ok(())
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        for word in [self.fingerprint(), self.seed, u64::from(self.held()), u64::from(self.searches)] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(&(self.ids.len() as u64).to_le_bytes())?;
        // An engine may have gone on from here: what is written is where it last said that the molecules are.
        let history = &self.history[..self.held() as usize];
        out.write_all(&(history.len() as u64).to_le_bytes())?;
        out.write_all(&[u8::from(self.disturbed)])?;
        for (molecule, state) in self.scene.molecules().iter().zip(&self.states) {
            write_molecule(&molecule.pose, state, out)?;
        }
        history.iter().try_for_each(|iteration| write_iteration(iteration, out))
    }

    /// Goes on from a checkpoint of the same run: the same molecules at the same start, options and seed.
    pub fn resume(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |source| CheckpointError::Io { file: path.display().to_string(), source };
        let mut file = File::open(path).map_err(failed)?;
        assert!(self.is_whole(), "a checkpoint is of a whole scene");
        if read_bytes(&mut file).map_err(failed)? == *b"{" {
            return self.resume_parts(path);
        }
        file.rewind().map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mismatch = |expected: &str, found: String| CheckpointError::Mismatch {
            file: path.display().to_string(),
            expected: expected.to_owned(),
            found,
        };
        let mut magic = [0; 8];
        file.read_exact(&mut magic).map_err(failed)?;
        if &magic != MAGIC {
            return Err(mismatch("a checkpoint of steric relax", format!("{:?}", String::from_utf8_lossy(&magic))));
        }
        let mut header = [0; 6];
        for word in &mut header {
            *word = u64::from_le_bytes(read_bytes(&mut file).map_err(failed)?);
        }
        let [fingerprint, seed, iteration, searches, molecules, iterations] = header;
        if molecules != self.ids.len() as u64 {
            return Err(mismatch(&format!("{} molecules", self.ids.len()), molecules.to_string()));
        }
        if fingerprint != self.fingerprint() || seed != self.seed {
            let expected = "a checkpoint of this scene with these options and this seed";
            return Err(mismatch(expected, "one of another run".to_owned()));
        }
        let whole = 8 + 6 * 8 + 1 + molecules * BYTES_PER_MOLECULE + iterations.saturating_mul(BYTES_PER_ITERATION);
        if size != whole {
            return Err(mismatch(&format!("{whole} bytes"), format!("{size}: the file is cut short or damaged")));
        }
        let [disturbed] = read_bytes(&mut file).map_err(failed)?;
        self.read(&mut file, iterations as usize).map_err(failed)?;
        (self.iteration, self.searches, self.disturbed) = (iteration as u32, searches as u32, disturbed != 0);
        Ok(())
    }

    fn read(&mut self, file: &mut impl Read, iterations: usize) -> io::Result<()> {
        for (molecule, state) in self.scene.molecules_mut().iter_mut().zip(&mut self.states) {
            Kept::read(file)?.put(molecule, state);
        }
        self.history = (0..iterations).map(|_| read_iteration(file)).collect::<io::Result<_>>()?;
        self.after_taking();
        Ok(())
    }

    /// A number that tells runs apart: where the molecules started, of which types, under which options.
    fn fingerprint(&self) -> u64 {
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        let kinds = self.scene.molecules().iter().fold(0, |hash, molecule| mix(hash, molecule.kind.0.into()));
        mix(mix(super::state_hash(&self.start), kinds), self.fingerprint_of_options())
    }

    fn fingerprint_of_options(&self) -> u64 {
        let options = super::RelaxOptions { max_iterations: 0, max_seconds: 0.0, ..self.options.clone() };
        fnv(FNV, format!("{options:?} {:?}", self.allow).as_bytes())
    }
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A file appears whole or not at all, also when the machine stops.
fn write_whole<T>(path: &Path, write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<T>) -> io::Result<T> {
    let folder = folder_of(path);
    let mut temporary = tempfile::Builder::new().prefix(".steric-").tempfile_in(folder)?;
    let mut out = BufWriter::with_capacity(1 << 18, temporary.as_file_mut());
    let written = write(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    // The name has to last, too, where folders can be synced at all.
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(written)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What is kept of one molecule.
#[derive(Clone, Copy, Debug)]
struct Kept {
    pose: Pose,
    momentum: Motion,
    normal: Vec3,
    dirty_for: u16,
    warmth: u8,
    moved: bool,
    broken: bool,
}

impl Kept {
    fn read(file: &mut impl Read) -> io::Result<Self> {
        let mut numbers = [0.0; 13];
        for number in &mut numbers {
            *number = f64::from_le_bytes(read_bytes(file)?);
        }
        let three = |at: usize| DVec3::new(numbers[at], numbers[at + 1], numbers[at + 2]);
        let rotation = DQuat::from_xyzw(numbers[0], numbers[1], numbers[2], numbers[3]);
        let mut normal = Vec3::ZERO;
        for axis in 0..3 {
            normal[axis] = f32::from_le_bytes(read_bytes(file)?);
        }
        let dirty_for = u16::from_le_bytes(read_bytes(file)?);
        let [warmth, moved, broken] = read_bytes(file)?;
        let (pose, momentum) = (Pose { rotation, translation: three(4) }, Motion { shift: three(7), turn: three(10) });
        Ok(Self { pose, momentum, normal, dirty_for, warmth, moved: moved != 0, broken: broken != 0 })
    }

    fn put(self, molecule: &mut Molecule, state: &mut State) {
        let Self { pose, momentum, normal, dirty_for, warmth, moved, broken } = self;
        molecule.pose = pose;
        (state.momentum, state.normal) = (momentum, normal);
        (state.dirty_for, state.warmth, state.moved, state.broken) = (dirty_for, warmth, moved, broken);
    }
}

fn write_molecule(pose: &Pose, state: &State, out: &mut impl Write) -> io::Result<()> {
    let Pose { rotation, translation } = pose;
    let Motion { shift, turn } = state.momentum;
    let numbers = rotation.to_array().into_iter().chain(translation.to_array());
    for number in numbers.chain(shift.to_array()).chain(turn.to_array()) {
        out.write_all(&number.to_le_bytes())?;
    }
    for number in state.normal.to_array() {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&state.dirty_for.to_le_bytes())?;
    out.write_all(&[state.warmth, state.moved.into(), state.broken.into()])
}

fn write_iteration(iteration: &Iteration, out: &mut impl Write) -> io::Result<()> {
    let Iteration {
        overlaps,
        overlapping,
        deepest,
        mean_depth,
        broken,
        awake,
        moved,
        farthest,
        searched,
        milliseconds,
    } = *iteration;
    out.write_all(&overlaps.to_le_bytes())?;
    for count in [overlapping, broken, awake, moved] {
        out.write_all(&count.to_le_bytes())?;
    }
    for number in [deepest, mean_depth, farthest].into_iter().chain(milliseconds) {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&[u8::from(searched)])
}

fn read_iteration(file: &mut impl Read) -> io::Result<Iteration> {
    let overlaps = u64::from_le_bytes(read_bytes(file)?);
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = u32::from_le_bytes(read_bytes(file)?);
    }
    let mut numbers = [0.0; 6];
    for number in &mut numbers {
        *number = f64::from_le_bytes(read_bytes(file)?);
    }
    let [searched] = read_bytes(file)?;
    let [overlapping, broken, awake, moved] = counts;
    let [deepest, mean_depth, farthest, search, visit, step] = numbers;
    let milliseconds = [search, visit, step];
    let searched = searched != 0;
    Ok(Iteration { overlaps, overlapping, deepest, mean_depth, broken, awake, moved, farthest, searched, milliseconds })
}

fn read_bytes<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
