//! A place in a file from which words, lines and numbers are taken.
//!
//! How it works: text and binary numbers stand in one file, so one cursor takes both. In text a number is a word between
//! blanks; in binary it is as many bytes as its type has. Lines are only counted when an error asks for its place,
//! and behind the first binary number, where lines mean nothing, places are bytes.

use std::path::Path;

use glam::DVec3;

use super::kind::{Kind, Value};
use crate::formats::text::parse_float;
use crate::{Place, ReadError};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Text,
    Little,
    Big,
}

/// Some bytes that know where they stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a [u8],
    pub(super) start: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(super) path: &'a Path,
    pub(super) coding: Coding,
    /// Whether what stands from `#` to the end of a line is a remark.
    has_remarks: bool,
    was_binary: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], path: &'a Path) -> Self {
        let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, at, path, coding: Coding::Text, has_remarks: false, was_binary: false }
    }

    pub(super) fn with_remarks(self) -> Self {
        Self { has_remarks: true, ..self }
    }

    /// The text in a part of a file, with the places it has in the whole.
    pub(super) fn within(bytes: &'a [u8], part: std::ops::Range<usize>, path: &'a Path) -> Self {
        Self { at: part.start, ..Self::new(&bytes[..part.end], path) }
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn seek(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Where the cursor stands, for an error about what follows.
    pub(super) fn here(&self) -> Word<'a> {
        Word { text: b"", start: self.at }
    }

    /// The next word between blanks.
    pub(super) fn word(&mut self) -> Option<Word<'a>> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = Word { text: &rest[..length], start: self.at };
        self.at += length;
        (length > 0).then_some(word)
    }

    /// The next word without passing it.
    pub(super) fn peek(&mut self) -> Option<Word<'a>> {
        let at = self.at;
        let word = self.word();
        self.at = at;
        word
    }

    /// The next word, or an error that says what should have been there.
    pub(super) fn expect_word(&mut self, expected: &str) -> Result<Word<'a>, ReadError> {
        self.word().ok_or_else(|| self.end(expected))
    }

    /// What is left of the line; the cursor goes behind the line's end.
    pub(super) fn line(&mut self) -> Word<'a> {
        let rest = self.rest();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = Word { text: &rest[..length], start: self.at };
        self.at = (self.at + length + 1).min(self.bytes.len());
        line
    }

    /// A whole number.
    pub(super) fn integer(&mut self, kind: Kind, expected: &str) -> Result<i64, ReadError> {
        if self.coding == Coding::Text {
            let word = self.expect_word(expected)?;
            let number = if kind.is_float() { whole(word.text) } else { integer(word.text) };
            return number.ok_or_else(|| self.error(word, expected));
        }
        let (word, is_big) = (self.take(kind.size(), expected)?, self.coding == Coding::Big);
        let value = kind.read(word.text, is_big);
        value.integer().ok_or_else(|| self.found(word, expected, value.float().to_string()))
    }

    /// A whole number that counts something.
    pub(super) fn count(&mut self, kind: Kind, expected: &str) -> Result<usize, ReadError> {
        let start = self.at;
        let count = self.integer(kind, expected)?;
        let word = Word { text: &self.bytes[start..self.at], start };
        usize::try_from(count).map_err(|_| self.found(self.trimmed(word), expected, count.to_string()))
    }

    /// A finite number.
    pub(super) fn float(&mut self, kind: Kind, expected: &str) -> Result<f64, ReadError> {
        if self.coding == Coding::Text {
            let word = self.expect_word(expected)?;
            return parse_float(word.text).ok_or_else(|| self.error(word, expected));
        }
        let (word, is_big) = (self.take(kind.size(), expected)?, self.coding == Coding::Big);
        let value = kind.read(word.text, is_big).float();
        if value.is_finite() { Ok(value) } else { Err(self.found(word, expected, value.to_string())) }
    }

    /// The coordinates of a point.
    pub(super) fn point(&mut self, kind: Kind) -> Result<DVec3, ReadError> {
        let x = self.float(kind, "the x coordinate of a point")?;
        let y = self.float(kind, "the y coordinate of a point")?;
        let z = self.float(kind, "the z coordinate of a point")?;
        Ok(DVec3::new(x, y, z))
    }

    /// Goes past so many numbers, whatever they are.
    pub(super) fn pass(&mut self, kind: Kind, count: usize, expected: &str) -> Result<(), ReadError> {
        if self.coding == Coding::Text {
            return (0..count).try_for_each(|_| self.expect_word(expected).map(drop));
        }
        self.take(count.saturating_mul(kind.size()), expected).map(drop)
    }

    /// An error about a word.
    pub(super) fn error(&self, word: Word, expected: impl Into<String>) -> ReadError {
        self.found(word, expected, word.text)
    }

    /// An error at a word that says something else was found than its bytes.
    pub(super) fn found(&self, word: Word, expected: impl Into<String>, found: impl AsRef<[u8]>) -> ReadError {
        ReadError::content(self.path, self.place(word), expected, found)
    }

    /// An error about the end of the file.
    pub(super) fn end(&self, expected: impl Into<String>) -> ReadError {
        self.found(Word { text: b"", start: self.bytes.len() }, expected, "the end of the file")
    }

    /// An error about the number that ends here.
    pub(super) fn before(&self, start: usize, expected: impl Into<String>, found: i64) -> ReadError {
        let word = self.trimmed(Word { text: &self.bytes[start..self.at], start });
        self.found(word, expected, found.to_string())
    }

    pub(super) fn place(&self, word: Word) -> Place {
        if self.was_binary {
            return Place::Byte(word.start);
        }
        let above = &self.bytes[..word.start.min(self.bytes.len())];
        let line = 1 + memchr::memchr_iter(b'\n', above).count();
        let column = above.len() - memchr::memrchr(b'\n', above).map_or(0, |end| end + 1);
        let columns = (!word.text.is_empty()).then_some((column + 1, column + word.text.len()));
        Place::Line(line, columns)
    }

    // Binary numbers may begin with any byte, so only text loses its blanks.
    fn trimmed(&self, word: Word<'a>) -> Word<'a> {
        if self.coding != Coding::Text {
            return word;
        }
        let text = word.text.trim_ascii_start();
        Word { text, start: word.start + word.text.len() - text.len() }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
            if !self.has_remarks || self.rest().first() != Some(&b'#') {
                return;
            }
            self.line();
        }
    }

    fn take(&mut self, length: usize, expected: &str) -> Result<Word<'a>, ReadError> {
        self.was_binary = true;
        let text = self.rest().get(..length).ok_or_else(|| self.end(expected))?;
        let word = Word { text, start: self.at };
        self.at += length;
        Ok(word)
    }
}

/// A whole number in decimal digits.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A whole number, also where it is written with a decimal point.
pub(super) fn whole(text: &[u8]) -> Option<i64> {
    integer(text).or_else(|| Value::Float(parse_float(text)?).integer())
}
