//! Numbers from a binary file that is read once, front to back, and the errors that say where it went wrong.
//!
//! How it works: the reader counts bytes, so that an error can name the first byte of what it is about. Blocks grow as
//! their bytes come in: a length that is not true costs no more memory than the file has bytes.

use std::fmt::Display;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use glam::Vec3;

use super::first_lost;
use crate::{Place, ReadError};

#[derive(Debug)]
pub(super) struct Input<R> {
    source: R,
    path: PathBuf,
    /// Bytes read so far.
    pub(super) offset: usize,
    /// Stands before what was expected: `frame 3: `.
    pub(super) part: String,
    pub(super) is_big_endian: bool,
}

impl<R: Read> Input<R> {
    pub(super) fn new(source: R, path: PathBuf) -> Self {
        Self { source, path, offset: 0, part: String::new(), is_big_endian: false }
    }

    /// An error about what began so many bytes ago.
    pub(super) fn error(&self, bytes_ago: usize, expected: impl Display, found: impl Display) -> ReadError {
        self.error_at(self.offset - bytes_ago.min(self.offset), expected, found)
    }

    pub(super) fn error_at(&self, offset: usize, expected: impl Display, found: impl Display) -> ReadError {
        let expected = format!("{}{expected}", self.part);
        ReadError::content(&self.path, Place::Byte(offset), expected, found.to_string())
    }

    /// So many bytes; fewer are an error.
    pub(super) fn bytes(&mut self, count: usize, expected: &str) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::with_capacity(count.min(1 << 16));
        self.fill(count, &mut bytes)?;
        if bytes.len() < count {
            return Err(self.ended(bytes.len(), count, expected));
        }
        Ok(bytes)
    }

    fn fill(&mut self, count: usize, bytes: &mut Vec<u8>) -> Result<(), ReadError> {
        let result = self.source.by_ref().take(count as u64).read_to_end(bytes);
        self.offset += bytes.len();
        result.map(drop).map_err(|source| ReadError::Io { path: self.path.clone(), source })
    }

    fn ended(&self, found: usize, count: usize, expected: &str) -> ReadError {
        let expected = format!("{expected} in {count} bytes");
        self.error(found, expected, format!("the end of the file after {found} of them"))
    }

    fn word<const SIZE: usize>(&mut self, expected: &str) -> Result<[u8; SIZE], ReadError> {
        self.word_or_end(expected)?.ok_or_else(|| self.ended(0, SIZE, expected))
    }

    fn word_or_end<const SIZE: usize>(&mut self, expected: &str) -> Result<Option<[u8; SIZE]>, ReadError> {
        let mut word = [0; SIZE];
        let mut filled = 0;
        while filled < SIZE {
            match self.source.read(&mut word[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(self.ended(filled, SIZE, expected)),
                Ok(count) => {
                    filled += count;
                    self.offset += count;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(ReadError::Io { path: self.path.clone(), source }),
            }
        }
        Ok(Some(word))
    }

    pub(super) fn int(&mut self, expected: &str) -> Result<i32, ReadError> {
        self.word(expected).map(|word| self.as_int(word))
    }

    /// `None` where the file ends before its first byte.
    pub(super) fn int_or_end(&mut self, expected: &str) -> Result<Option<i32>, ReadError> {
        Ok(self.word_or_end(expected)?.map(|word| self.as_int(word)))
    }

    /// A number that is not negative.
    pub(super) fn count(&mut self, expected: &str) -> Result<usize, ReadError> {
        let count = self.int(expected)?;
        usize::try_from(count).map_err(|_| self.error(4, expected, count))
    }

    /// A number of eight bytes that is not negative, and below 2^60, so that sums with it are numbers too.
    pub(super) fn long_count(&mut self, expected: &str) -> Result<usize, ReadError> {
        let count = i64::from_be_bytes(self.word(expected)?);
        let known = usize::try_from(count).ok().filter(|&count| count as u64 <= 1 << 60);
        known.ok_or_else(|| self.error(8, expected, count))
    }

    pub(super) fn float(&mut self, expected: &str) -> Result<f32, ReadError> {
        Ok(f32::from_bits(self.int(expected)? as u32))
    }

    /// A number that is neither infinite nor none.
    pub(super) fn finite(&mut self, expected: &str) -> Result<f32, ReadError> {
        let number = self.float(expected)?;
        if number.is_finite() { Ok(number) } else { Err(self.error(4, expected, number)) }
    }

    /// An error that names the first atom whose place is none.
    pub(super) fn check_places(&self, positions: &[Vec3]) -> Result<(), ReadError> {
        match first_lost(positions) {
            Some(atom) => Err(self.error(0, format!("the place of atom {}", atom + 1), positions[atom])),
            None => Ok(()),
        }
    }

    pub(super) fn as_int(&self, word: [u8; 4]) -> i32 {
        if self.is_big_endian { i32::from_be_bytes(word) } else { i32::from_le_bytes(word) }
    }

    pub(super) fn as_double(&self, word: [u8; 8]) -> f64 {
        if self.is_big_endian { f64::from_be_bytes(word) } else { f64::from_le_bytes(word) }
    }
}
