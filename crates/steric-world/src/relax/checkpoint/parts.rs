//! A checkpoint in parts, as many ranks write it.
//!
//! How it works: each rank writes `run.ckpt.480.3`, the molecules that it owns after iteration 480 as rank 3: a header and, for each molecule, its slot in the
//! whole scene and what the plain form keeps of it. When all parts are there, the manifest `run.ckpt` takes the place of the one before it, and only then are
//! older parts removed. So at any time the manifest and all its parts are whole. A slot says which molecule it is, whoever wrote it, so any number of ranks can
//! go on. What belongs to a run is told by a sum over molecules, because each rank knows only its own.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    BYTES_PER_ITERATION, BYTES_PER_MOLECULE, CheckpointError, FNV, Kept, fnv, folder_of, read_bytes, read_iteration,
    write_iteration, write_molecule, write_whole,
};
use crate::relax::world::{Iteration, Relax};

const PART: &[u8; 8] = b"STERICP1";
const FORMAT: &str = "steric relax checkpoint in parts";
const VERSION: u32 = 1;
/// Bytes of a part before its molecules: which form, fingerprint, seed, iteration, number of the part, molecules.
const HEADER: u64 = 8 + 5 * 8;
const BYTES_IN_PART: u64 = 4 + BYTES_PER_MOLECULE;
/// No run has so many iterations that its manifest is longer.
const LONGEST_MANIFEST: u64 = 1 << 30;

/// Where the parts of a checkpoint go.
///
/// ```
/// use std::path::Path;
///
/// use steric_world::relax::InParts;
///
/// let parts = InParts { path: Path::new("out/run.ckpt"), iteration: 480, again: false };
/// assert_eq!(parts.part(3), Path::new("out/run.ckpt.480.3"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InParts<'a> {
    /// The manifest.
    pub path: &'a Path,
    /// After which iteration.
    pub iteration: u32,
    /// Whether the manifest that is there is of this iteration: its parts stay until the new ones are whole, which have other names.
    pub again: bool,
}

impl<'a> InParts<'a> {
    /// Names that no part of the checkpoint that is there has.
    pub fn beside(path: &'a Path, iteration: u32) -> Self {
        let again = Manifest::read(path).is_ok_and(|there| there.iteration == iteration && !there.again);
        Self { path, iteration, again }
    }

    /// The file of a part.
    pub fn part(&self, part: usize) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}{}.{part}", self.iteration, if self.again { "b" } else { "" }));
        self.path.with_file_name(name)
    }
}

/// What a manifest has to know of a part.
///
/// ```
/// use steric_world::relax::SavedPart;
///
/// let part = SavedPart { molecules: 20, fingerprint: 7, checksum: 9 };
/// assert_eq!(part, SavedPart { molecules: 20, ..part });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedPart {
    /// How many molecules it holds.
    pub molecules: u64,
    /// Which ones: the sums of all parts add up to that of the scene.
    pub fingerprint: u64,
    /// FNV-1a of all its bytes.
    pub checksum: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: String,
    version: u32,
    /// Numbers of 64 bits are hexadecimal text, because many readers of JSON know 53 bits only.
    fingerprint: String,
    seed: String,
    iteration: u32,
    searches: u32,
    disturbed: bool,
    molecules: u64,
    again: bool,
    parts: Vec<PartEntry>,
    /// The bytes that the plain form has for each iteration, hexadecimal.
    history: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PartEntry {
    molecules: u64,
    checksum: String,
}

impl Manifest {
    fn read(path: &Path) -> Result<Self, CheckpointError> {
        let failed = |source| CheckpointError::Io { file: path.display().to_string(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(LONGEST_MANIFEST).read_to_end(&mut bytes).map_err(failed)?;
        let read: Result<Self, _> = serde_json::from_slice(&bytes);
        let manifest =
            read.map_err(|error| mismatch(path, "the manifest of a checkpoint of steric relax", error.to_string()))?;
        let Self { format, version, .. } = &manifest;
        if format != FORMAT || *version != VERSION {
            return Err(mismatch(
                path,
                format!("{FORMAT:?}, version {VERSION}"),
                format!("{format:?}, version {version}"),
            ));
        }
        Ok(manifest)
    }

    fn history(&self) -> Option<Vec<Iteration>> {
        self.history.iter().map(|text| read_iteration(&mut &*bytes_of_hex(text)?).ok()).collect()
    }
}

fn mismatch(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> CheckpointError {
    CheckpointError::Mismatch { file: path.display().to_string(), expected: expected.into(), found: found.into() }
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// The bytes of one iteration.
fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let is_one = text.len() as u64 == 2 * BYTES_PER_ITERATION && text.is_ascii();
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    is_one.then(|| (0..text.len()).step_by(2).map(byte).collect::<Option<_>>()).flatten()
}

impl Relax {
    /// Writes the molecules that are owned here as a part of a checkpoint. It counts from [`Self::save_manifest`] on.
    pub fn save_part(&self, to: &InParts<'_>, part: usize) -> io::Result<SavedPart> {
        let fingerprint = self.fingerprint_of_molecules();
        let molecules = self.owned() as u64;
        let checksum = write_whole(&to.part(part), |out| {
            let mut out = Summed { inner: out, sum: FNV };
            out.write_all(PART)?;
            for word in [fingerprint, self.seed, to.iteration.into(), part as u64, molecules] {
                out.write_all(&word.to_le_bytes())?;
            }
            for slot in 0..self.owned() {
                out.write_all(&self.order(slot as u32).to_le_bytes())?;
                write_molecule(&self.scene.molecules()[slot].pose, &self.states[slot], &mut out)?;
            }
            Ok(out.sum)
        })?;
        Ok(SavedPart { molecules, fingerprint, checksum })
    }

    /// Makes parts that have been written the checkpoint, and then removes those of the one before it. A crash leaves the old one or the new one, with all of
    /// its parts. [`Self::resume`] reads it, in a relaxation of the whole scene.
    ///
    /// ```
    /// use glam::{DVec3, Vec3};
    /// use steric_model::{Pose, Scene};
    /// use steric_world::relax::{InParts, Relax, RelaxOptions, Setup};
    ///
    /// let mut scene = Scene::default();
    /// let carbon = scene.add_type("carbon", &[Vec3::ZERO], &[1.7]);
    /// for x in [0.0, 3.0] {
    ///     scene.add_molecule(carbon, Pose::from_translation(DVec3::X * x));
    /// }
    /// let relax = || Relax::new(Setup::new(scene.clone()), RelaxOptions::default(), 1);
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("run.ckpt");
    /// let mut first = relax();
    /// first.step();
    /// let parts = InParts::beside(&path, first.iteration());
    /// first.save_manifest(&parts, &[first.save_part(&parts, 0)?])?;
    /// let mut second = relax();
    /// second.resume(&path)?;
    /// assert_eq!(second.state_hash(), first.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save_manifest(&self, to: &InParts<'_>, parts: &[SavedPart]) -> io::Result<()> {
        let sum = parts.iter().fold(0u64, |sum, part| sum.wrapping_add(part.fingerprint));
        let entry = |part: &SavedPart| PartEntry { molecules: part.molecules, checksum: hex(part.checksum) };
        let line = |iteration: &Iteration| {
            let mut bytes = Vec::new();
            write_iteration(iteration, &mut bytes)?;
            Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        };
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            fingerprint: hex(self.fingerprint_of_run(sum)),
            seed: hex(self.seed),
            iteration: to.iteration,
            searches: self.searches,
            disturbed: self.disturbed,
            molecules: parts.iter().map(|part| part.molecules).sum(),
            again: to.again,
            parts: parts.iter().map(entry).collect(),
            history: self.history[..self.held() as usize].iter().map(line).collect::<io::Result<_>>()?,
        };
        write_whole(to.path, |out| {
            serde_json::to_writer_pretty(&mut *out, &manifest)?;
            out.write_all(b"\n")
        })?;
        remove_all_but(to.path, Some(to));
        Ok(())
    }

    /// Each molecule by its slot, so that the sum over all does not depend on who owns what.
    fn fingerprint_of_molecules(&self) -> u64 {
        let of = |slot: usize| {
            let words = self.start[slot].to_bits().into_iter();
            let kind = self.scene.molecules()[slot].kind.0;
            let words = words.chain([self.order(slot as u32).into(), kind.into()]);
            scrambled(words.fold(FNV, |hash, word| fnv(hash, &word.to_le_bytes())))
        };
        (0..self.owned()).fold(0, |sum, slot| sum.wrapping_add(of(slot)))
    }

    fn fingerprint_of_run(&self, molecules: u64) -> u64 {
        molecules.wrapping_add(scrambled(self.fingerprint_of_options()))
    }

    /// Goes on from a manifest. Nothing changes before all parts are found whole.
    pub(super) fn resume_parts(&mut self, path: &Path) -> Result<(), CheckpointError> {
        let manifest = Manifest::read(path)?;
        if manifest.molecules != self.ids.len() as u64 {
            return Err(mismatch(path, format!("{} molecules", self.ids.len()), manifest.molecules.to_string()));
        }
        let own = self.fingerprint_of_run(self.fingerprint_of_molecules());
        if manifest.fingerprint != hex(own) || manifest.seed != hex(self.seed) {
            let expected = "a checkpoint of this scene with these options and this seed";
            return Err(mismatch(path, expected, "one of another run"));
        }
        let Some(history) = manifest.history().filter(|history| history.len() == manifest.iteration as usize) else {
            let found = format!("{} lines, or lines of another form", manifest.history.len());
            return Err(mismatch(path, format!("the history of {} iterations", manifest.iteration), found));
        };
        let mut kept = vec![None; self.ids.len()];
        for part in 0..manifest.parts.len() {
            self.read_part(path, &manifest, part, &mut kept)?;
        }
        if let Some(slot) = kept.iter().position(Option::is_none) {
            return Err(mismatch(path, "every molecule in one of the parts", format!("none with that of slot {slot}")));
        }
        let places = self.scene.molecules_mut().iter_mut().zip(&mut self.states);
        for ((molecule, state), kept) in places.zip(kept.into_iter().flatten()) {
            kept.put(molecule, state);
        }
        (self.iteration, self.searches, self.disturbed) = (manifest.iteration, manifest.searches, manifest.disturbed);
        self.history = history;
        self.after_taking();
        Ok(())
    }

    fn read_part(
        &self,
        path: &Path,
        manifest: &Manifest,
        part: usize,
        kept: &mut [Option<Kept>],
    ) -> Result<(), CheckpointError> {
        let PartEntry { molecules, checksum } = &manifest.parts[part];
        let Manifest { iteration, again, .. } = *manifest;
        let path = InParts { path, iteration, again }.part(part);
        let failed = |source| CheckpointError::Io { file: path.display().to_string(), source };
        let file = File::open(&path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let whole = molecules.saturating_mul(BYTES_IN_PART).saturating_add(HEADER);
        if size != whole {
            return Err(mismatch(&path, format!("{whole} bytes"), format!("{size}: the file is cut short or another")));
        }
        let mut file = Summed { inner: BufReader::with_capacity(1 << 18, file), sum: FNV };
        if read_bytes(&mut file).map_err(failed)? != *PART {
            return Err(mismatch(&path, "a part of a checkpoint of steric relax", "another file"));
        }
        let mut header = [0; 5];
        for word in &mut header {
            *word = u64::from_le_bytes(read_bytes(&mut file).map_err(failed)?);
        }
        let expected = [self.seed, iteration.into(), part as u64, *molecules];
        if header[1..] != expected {
            let words = |words: &[u64]| format!("seed, iteration, part and molecules {words:?}");
            return Err(mismatch(&path, words(&expected), words(&header[1..])));
        }
        for _ in 0..*molecules {
            let slot = u32::from_le_bytes(read_bytes(&mut file).map_err(failed)?);
            let read = Kept::read(&mut file).map_err(failed)?;
            match kept.get_mut(slot as usize) {
                Some(place @ None) => *place = Some(read),
                Some(Some(_)) => return Err(mismatch(&path, "each molecule once", format!("slot {slot} again"))),
                None => return Err(mismatch(&path, format!("a slot below {}", self.ids.len()), slot.to_string())),
            }
        }
        if *checksum != hex(file.sum) {
            return Err(mismatch(
                &path,
                format!("the checksum {checksum}"),
                format!("{}: the file is damaged", hex(file.sum)),
            ));
        }
        Ok(())
    }
}

/// Removes parts that the file at the path does not need any more, also those of a save that was not completed. What cannot be removed stays.
pub(super) fn remove_all_but(path: &Path, needed: Option<&InParts<'_>>) {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
    let needed = needed.map(|parts| format!("{}{}", parts.iteration, if parts.again { "b" } else { "" }));
    let Ok(entries) = folder_of(path).read_dir() else { return };
    for entry in entries.flatten() {
        let file = entry.file_name();
        let rest = file.to_str().and_then(|file| file.strip_prefix(name)?.strip_prefix('.'));
        let Some((turn, rank)) = rest.and_then(|rest| rest.split_once('.')) else { continue };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_named = is_number(turn.strip_suffix('b').unwrap_or(turn)) && is_number(rank);
        if is_named && needed.as_deref() != Some(turn) && is_part(&entry.path()) {
            // It is in nobody's way.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Somebody else's file may have such a name.
fn is_part(path: &Path) -> bool {
    path.is_file() && File::open(path).and_then(|mut file| read_bytes(&mut file)).is_ok_and(|bytes| bytes == *PART)
}

/// A word whose bits all depend on all bits: the end of SplitMix64.
fn scrambled(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// Adds up a checksum of what passes.
struct Summed<T> {
    inner: T,
    sum: u64,
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum = fnv(self.sum, &bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum = fnv(self.sum, &bytes[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot run should say where it stopped")]

    use std::fs;

    use glam::{DVec3, Vec3};
    use steric_model::{Pose, Scene};

    use super::*;
    use crate::relax::{RelaxOptions, Setup};

    fn relax(molecules: u32, seed: u64, iterations: usize) -> Relax {
        let mut scene = Scene::default();
        let pair = scene.add_type("pair", &[Vec3::ZERO, Vec3::X], &[1.7, 1.2]);
        for at in 0..molecules {
            let place = DVec3::new(f64::from(at % 4), f64::from(at / 4), 0.1 * f64::from(at));
            scene.add_molecule(pair, Pose::from_translation(1.5 * place));
        }
        let mut relax = Relax::new(Setup::new(scene), RelaxOptions::default(), seed);
        (0..iterations).for_each(|_| _ = relax.step());
        relax
    }

    /// Whoever owns every third molecule.
    fn third(iterations: usize, rank: usize) -> Relax {
        let mut relax = relax(20, 4, iterations);
        let own: Vec<_> = (rank..20).step_by(3).map(|slot| relax.record(slot)).collect();
        relax.come_together(&own, &[]);
        relax
    }

    fn save_parts(to: &InParts<'_>) -> Vec<SavedPart> {
        (0..3).map(|rank| third(to.iteration as usize, rank).save_part(to, rank).unwrap()).collect()
    }

    fn save(path: &Path, iterations: u32) {
        let to = InParts::beside(path, iterations);
        third(iterations as usize, 0).save_manifest(&to, &save_parts(&to)).unwrap();
    }

    #[test]
    fn parts_hold_what_the_plain_form_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ckpt");
        save(&path, 3);
        let (mut found, expected) = (relax(20, 4, 0), relax(20, 4, 3));
        found.resume(&path).unwrap();
        assert_eq!((found.progress(), found.iteration()), (expected.progress(), 3));
        let bits =
            |relax: &Relax| relax.history().iter().map(|it| (it.overlaps, it.deepest.to_bits())).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected));
    }

    #[test]
    fn a_crash_before_the_manifest_leaves_the_checkpoint_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ckpt");
        save(&path, 2);
        let resumed = || {
            let mut relax = relax(20, 4, 0);
            relax.resume(&path).unwrap();
            relax.iteration()
        };
        for iteration in [2, 5] {
            save_parts(&InParts::beside(&path, iteration));
            assert_eq!(resumed(), 2);
        }
        // Somebody else's file.
        let other = folder.path().join("run.ckpt.2.7");
        fs::write(&other, "notes on iteration 2").unwrap();
        save(&path, 6);
        assert_eq!(resumed(), 6);
        assert!(other.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1 + 3 + 1, "what the crashes left is gone");
    }

    #[test]
    fn broken_missing_and_foreign_parts_are_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.ckpt");
        save(&path, 2);
        let refused = |mut relax: Relax| {
            let before = relax.progress();
            let error = relax.resume(&path).unwrap_err().to_string();
            assert_eq!(relax.progress(), before, "nothing has changed");
            error
        };
        assert!(refused(relax(20, 5, 0)).contains("found one of another run"));
        assert!(refused(relax(21, 4, 0)).contains("expected 21 molecules, found 20"));
        let fresh = || relax(20, 4, 0);
        let part = folder.path().join("run.ckpt.2.1");
        let whole = fs::read(&part).unwrap();
        let damaged = |at: usize, value: u8, expected: &str| {
            let mut bytes = whole.clone();
            bytes[at] ^= value;
            fs::write(&part, bytes).unwrap();
            let error = refused(fresh());
            assert!(error.contains("run.ckpt.2.1: expected ") && error.contains(expected), "{error}");
        };
        damaged(3, 1, "found another file");
        damaged(17, 1, "seed, iteration, part and molecules");
        damaged(45, 1, "seed, iteration, part and molecules");
        damaged(HEADER as usize + 3, 0x80, "a slot below 20");
        damaged(HEADER as usize + 9, 1, "the file is damaged");
        damaged(whole.len() - 1, 1, "the file is damaged");
        for length in [0, 7, 30, whole.len() - 1] {
            fs::write(&part, &whole[..length]).unwrap();
            assert!(refused(fresh()).contains(&format!("found {length}: the file is cut short")));
        }
        fs::copy(folder.path().join("run.ckpt.2.2"), &part).unwrap();
        assert!(refused(fresh()).contains("run.ckpt.2.1: expected "));
        fs::remove_file(&part).unwrap();
        assert!(refused(fresh()).contains("run.ckpt.2.1: "));
        fs::write(&part, &whole).unwrap();
        let manifest = fs::read_to_string(&path).unwrap();
        let changed = |from: &str, to: &str, expected: &str| {
            assert!(manifest.contains(from), "{manifest}");
            fs::write(&path, manifest.replacen(from, to, 1)).unwrap();
            let error = refused(fresh());
            assert!(error.contains(expected), "{error}");
        };
        changed("\"version\": 1", "\"version\": 9", "version 9");
        changed("\"iteration\": 2", "\"iteration\": 3", "the history of 3 iterations");
        changed("\"molecules\": 7", "\"molecules\": 18446744073709551615", "bytes");
        changed("\"molecules\": 20", "\"molecules\": 4000000000", "found 4000000000");
        changed("\"history\": [\n    \"", "\"history\": [\n    \"é", "lines of another form");
        for length in [1, 30, manifest.len() / 2] {
            fs::write(&path, &manifest[..length]).unwrap();
            assert!(refused(fresh()).contains("expected the manifest of a checkpoint of steric relax"));
        }
        fs::write(&path, &manifest).unwrap();
        let mut relax = fresh();
        relax.resume(&path).unwrap();
        assert_eq!(relax.iteration(), 2);
    }
}
